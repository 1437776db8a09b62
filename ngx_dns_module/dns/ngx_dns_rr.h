
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


/* fields of RDATA, in the order of the wire */

typedef enum {
    NGX_DNS_RD_END = 0,
    NGX_DNS_RD_U8,
    NGX_DNS_RD_U16,
    NGX_DNS_RD_U32,
    NGX_DNS_RD_NAME,
    NGX_DNS_RD_TARGET      /* a name whose address is additional data */
    /* further kinds (addresses, strings, hex, bitmaps, ...) follow */
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
 * (RFC 3597).  Never NULL.  O(1).
 */
ngx_dns_rr_t *ngx_dns_rr(ngx_uint_t type);

/*
 * Type or class of a text, without regard to case, TYPE123 and CLASS1 too
 * (RFC 3597, 5).  NGX_ERROR if there is none.
 */
ngx_int_t ngx_dns_rr_type(u_char *text, size_t len);
ngx_int_t ngx_dns_rr_class(u_char *text, size_t len);

/* Name of a type or class, TYPE123 for unknown ones; buf: 16 octets. */
u_char *ngx_dns_rr_type_text(u_char *buf, ngx_uint_t type);
u_char *ngx_dns_rr_class_text(u_char *buf, ngx_uint_t class);


#endif /* _NGX_DNS_RR_H_INCLUDED_ */
