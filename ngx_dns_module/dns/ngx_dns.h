
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_H_INCLUDED_
#define _NGX_DNS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* sizes in octets, RFC 1035, 2.3.4 and 4.1.1; RFC 6891, 6.1 */

#define NGX_DNS_NAME_MAX          255
#define NGX_DNS_LABEL_MAX         63
#define NGX_DNS_LABELS_MAX        127
#define NGX_DNS_HEADER_SIZE       12
#define NGX_DNS_MESSAGE_MAX       65535
#define NGX_DNS_UDP_MIN           512
#define NGX_DNS_POINTER_MAX       0x3fff

/* flag word of the header, RFC 1035, 4.1.1; RFC 4035, 3 */

#define NGX_DNS_FLAG_QR           0x8000
#define NGX_DNS_FLAG_OPCODE       0x7800
#define NGX_DNS_FLAG_AA           0x0400
#define NGX_DNS_FLAG_TC           0x0200
#define NGX_DNS_FLAG_RD           0x0100
#define NGX_DNS_FLAG_RA           0x0080
#define NGX_DNS_FLAG_Z            0x0040
#define NGX_DNS_FLAG_AD           0x0020
#define NGX_DNS_FLAG_CD           0x0010

#define NGX_DNS_OPCODE_QUERY      0

/* rcodes, RFC 6895, 2.3 */

#define NGX_DNS_NOERROR           0
#define NGX_DNS_FORMERR           1
#define NGX_DNS_SERVFAIL          2
#define NGX_DNS_NXDOMAIN          3
#define NGX_DNS_NOTIMP            4
#define NGX_DNS_REFUSED           5
#define NGX_DNS_YXDOMAIN          6
#define NGX_DNS_BADVERS           16

/* classes, RFC 6895, 3.2 */

#define NGX_DNS_CLASS_IN          1
#define NGX_DNS_CLASS_CH          3
#define NGX_DNS_CLASS_HS          4
#define NGX_DNS_CLASS_NONE        254
#define NGX_DNS_CLASS_ANY         255

/* RR types the code names; all others are rows of the table only */

#define NGX_DNS_TYPE_A            1
#define NGX_DNS_TYPE_NS           2
#define NGX_DNS_TYPE_CNAME        5
#define NGX_DNS_TYPE_SOA          6
#define NGX_DNS_TYPE_PTR          12
#define NGX_DNS_TYPE_HINFO        13
#define NGX_DNS_TYPE_MX           15
#define NGX_DNS_TYPE_TXT          16
#define NGX_DNS_TYPE_SIG          24
#define NGX_DNS_TYPE_KEY          25
#define NGX_DNS_TYPE_AAAA         28
#define NGX_DNS_TYPE_SRV          33
#define NGX_DNS_TYPE_NAPTR        35
#define NGX_DNS_TYPE_KX           36
#define NGX_DNS_TYPE_DNAME        39
#define NGX_DNS_TYPE_OPT          41
#define NGX_DNS_TYPE_DS           43
#define NGX_DNS_TYPE_RRSIG        46
#define NGX_DNS_TYPE_NSEC         47
#define NGX_DNS_TYPE_DNSKEY       48
#define NGX_DNS_TYPE_NSEC3        50
#define NGX_DNS_TYPE_NSEC3PARAM   51
#define NGX_DNS_TYPE_TLSA         52
#define NGX_DNS_TYPE_ZONEMD       63
#define NGX_DNS_TYPE_SVCB         64
#define NGX_DNS_TYPE_HTTPS        65
#define NGX_DNS_TYPE_TKEY         249
#define NGX_DNS_TYPE_TSIG         250
#define NGX_DNS_TYPE_IXFR         251
#define NGX_DNS_TYPE_AXFR         252
#define NGX_DNS_TYPE_MAILB        253
#define NGX_DNS_TYPE_MAILA        254
#define NGX_DNS_TYPE_ANY          255
#define NGX_DNS_TYPE_URI          256
#define NGX_DNS_TYPE_CAA          257

/* extended errors, RFC 8914, 4 */

#define NGX_DNS_EDE_STALE             3
#define NGX_DNS_EDE_NOT_READY         14
#define NGX_DNS_EDE_PROHIBITED        18
#define NGX_DNS_EDE_NOT_AUTHORITATIVE 20
#define NGX_DNS_EDE_NOT_SUPPORTED     21
#define NGX_DNS_EDE_NO_REACHABLE      22
#define NGX_DNS_EDE_INVALID_DATA      24
#define NGX_DNS_EDE_NONE              0xffff


/* numbers in network byte order at any address */

static ngx_inline ngx_uint_t
ngx_dns_get16(const u_char *p)
{
    return (ngx_uint_t) p[0] << 8 | p[1];
}


static ngx_inline uint32_t
ngx_dns_get32(const u_char *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
           | (uint32_t) p[2] << 8 | p[3];
}


static ngx_inline u_char *
ngx_dns_put16(u_char *p, ngx_uint_t n)
{
    p[0] = (u_char) (n >> 8);
    p[1] = (u_char) n;

    return p + 2;
}


static ngx_inline u_char *
ngx_dns_put32(u_char *p, uint32_t n)
{
    p[0] = (u_char) (n >> 24);
    p[1] = (u_char) (n >> 16);
    p[2] = (u_char) (n >> 8);
    p[3] = (u_char) n;

    return p + 4;
}


static ngx_inline uint64_t
ngx_dns_get64(const u_char *p)
{
    return (uint64_t) ngx_dns_get32(p) << 32 | ngx_dns_get32(p + 4);
}


static ngx_inline u_char *
ngx_dns_put64(u_char *p, uint64_t n)
{
    p = ngx_dns_put32(p, (uint32_t) (n >> 32));

    return ngx_dns_put32(p, (uint32_t) n);
}


#endif /* _NGX_DNS_H_INCLUDED_ */
