
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_RR_H_INCLUDED_
#define _NGX_DNS_RR_H_INCLUDED_


#include "ngx_dns.h"


/* flags of a type */

#define NGX_DNS_RR_COMPRESS    0x01     /* RFC 3597, 4: names may be short */
#define NGX_DNS_RR_LOWCASE     0x02     /* RFC 4034, 6.2; RFC 6840, 5.1 */
#define NGX_DNS_RR_ADDITIONAL  0x04     /* the address of a name is wanted */
#define NGX_DNS_RR_SINGLE      0x08     /* one RR per rrset: CNAME DNAME SOA */
#define NGX_DNS_RR_META        0x10     /* query or meta type: not in zones */


/*
 * Fields of RDATA, in the order of the wire.  NAME, TARGET and NAMES are all
 * kinds that hold names, except the gateways of IPSECKEY and AMTRELAY, which
 * hold one if the octets in front of them say so.
 */

typedef enum {
    NGX_DNS_RD_END = 0,
    NGX_DNS_RD_U8,
    NGX_DNS_RD_U16,
    NGX_DNS_RD_U32,
    NGX_DNS_RD_NAME,
    NGX_DNS_RD_TARGET,     /* a name whose address is additional data */
    NGX_DNS_RD_NAMES,      /* names up to the end, maybe none */
    NGX_DNS_RD_TTL,        /* 32 bits, in text with units */
    NGX_DNS_RD_TIME,       /* 32 bits, RFC 4034, 3.2 */
    NGX_DNS_RD_TYPE,       /* 16 bits, a type by name */
    NGX_DNS_RD_ALG,        /* 8 bits, a DNSSEC algorithm */
    NGX_DNS_RD_CERT,       /* 16 bits, RFC 4398, 2.1 */
    NGX_DNS_RD_SCHEME,     /* 8 bits, RFC 9859, 2.1 */
    NGX_DNS_RD_A,
    NGX_DNS_RD_AAAA,
    NGX_DNS_RD_GROUPS,     /* 64 bits as four groups, RFC 6742, 2.1.2 */
    NGX_DNS_RD_EUI48,
    NGX_DNS_RD_EUI64,
    NGX_DNS_RD_STRING,     /* a length octet and so many octets */
    NGX_DNS_RD_OPTSTRING,  /* one more string, or the end */
    NGX_DNS_RD_STRINGS,    /* one string or more, up to the end */
    NGX_DNS_RD_DIGITS,     /* a string of digits, RFC 1183, 3.1 */
    NGX_DNS_RD_FLOAT,      /* a string that is a number, RFC 1712, 3 */
    NGX_DNS_RD_TAG,        /* a string of letters and digits, RFC 8659 */
    NGX_DNS_RD_TEXT,       /* octets up to the end, in text a string */
    NGX_DNS_RD_HEX,        /* octets up to the end */
    NGX_DNS_RD_DIGEST,     /* the same, length by the octet in front */
    NGX_DNS_RD_BASE64,     /* octets up to the end */
    NGX_DNS_RD_OPTBASE64,  /* the same, maybe none */
    NGX_DNS_RD_DATA,       /* the same, in text "-" if none */
    NGX_DNS_RD_SALT,       /* a length octet and octets; in text hex or "-" */
    NGX_DNS_RD_HASH,       /* a length octet and octets; base32hex */
    NGX_DNS_RD_BITMAP,     /* types, RFC 4034, 4.1.2 */
    NGX_DNS_RD_NXT,        /* types below 128, RFC 2535, 5.2 */
    NGX_DNS_RD_WKS,        /* protocol and ports, RFC 1035, 3.4.2 */
    NGX_DNS_RD_NSAP,       /* RFC 1706, 5 */
    NGX_DNS_RD_ATMA,
    NGX_DNS_RD_LOC,        /* RFC 1876 */
    NGX_DNS_RD_APL,        /* RFC 3123 */
    NGX_DNS_RD_IPSECKEY,   /* gateway type, algorithm, gateway */
    NGX_DNS_RD_AMTRELAY,   /* discovery bit, relay type, relay */
    NGX_DNS_RD_HIP,        /* RFC 8005, without the servers */
    NGX_DNS_RD_SVCB,       /* parameters, RFC 9460 */
    NGX_DNS_RD_OPAQUE,     /* in text only RFC 3597, 5 */
    NGX_DNS_RD_COUNT
} ngx_dns_rd_e;


#define NGX_DNS_RD_MAX  12

typedef struct {
    ngx_str_t   name;                   /* upper case */
    uint16_t    type;
    uint8_t     flags;
    uint8_t     fields[NGX_DNS_RD_MAX];
} ngx_dns_rr_t;


/*
 * The row of a type; unknown types share one row with opaque RDATA
 * (RFC 3597): its name is empty, its type 0.  Never NULL.  O(1).
 */
ngx_dns_rr_t *ngx_dns_rr(ngx_uint_t type);

/*
 * Type or class of a text, without regard to case, TYPE123 and CLASS1 too
 * (RFC 3597, 5).  NGX_ERROR if there is none.
 */
ngx_int_t ngx_dns_rr_type(u_char *text, size_t len);
ngx_int_t ngx_dns_rr_class(u_char *text, size_t len);

/*
 * Writes the name of a type or class, TYPE123 for unknown ones, without a
 * zero octet.  buf: NGX_DNS_RR_TEXT_MAX octets.  Returns the octet behind.
 */
#define NGX_DNS_RR_TEXT_MAX  16
u_char *ngx_dns_rr_type_text(u_char *buf, ngx_uint_t type);
u_char *ngx_dns_rr_class_text(u_char *buf, ngx_uint_t class);


#endif /* _NGX_DNS_RR_H_INCLUDED_ */
