
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_RDATA_H_INCLUDED_
#define _NGX_DNS_RDATA_H_INCLUDED_


#include "ngx_dns_rr.h"
#include "ngx_dns_scan.h"


#define NGX_DNS_RDATA_MAX  65535


/*
 * Reads the rest of an entry as RDATA of a type: its own text form, or the
 * generic one of RFC 3597, 5 (\# LENGTH HEX), which is checked against the
 * row of the type.  Names become lower case if the type has
 * NGX_DNS_RR_LOWCASE, else they stay as they are written.
 *
 * size  octets of buf; some text needs up to twice the room of its RDATA
 *       while it is read, and names are read faster while NGX_DNS_SCAN_NAME
 *       octets are free
 * len   set to the octets of RDATA
 *
 * NGX_OK     the scanner is at the end of the entry
 * NGX_ERROR  s->err is set, or s->more
 *
 * Does not allocate.
 */
ngx_int_t ngx_dns_rdata_scan(ngx_dns_scan_t *s, ngx_uint_t type, u_char *buf,
    size_t size, size_t *len);

/*
 * The same from a string that holds nothing else.
 *
 * text    followed by a readable zero octet or line feed
 * origin  for relative names, or NULL: they are taken as absolute
 * err     set on failure; err->data has room for NGX_DNS_SCAN_ERROR octets
 *
 * Returns the octets of RDATA, or NGX_ERROR.
 */
ssize_t ngx_dns_rdata_from_text(ngx_uint_t type, ngx_str_t *text,
    const u_char *origin, u_char *buf, size_t size, ngx_str_t *err);

/*
 * Checks that RDATA of known types is what the RFC of the type allows, names
 * uncompressed, and turns the names in it to lower case, in place, if the
 * type has NGX_DNS_RR_LOWCASE.
 *
 * err  set on failure, a static text
 *
 * NGX_OK or NGX_ERROR.  Unknown types always pass.
 */
ngx_int_t ngx_dns_rdata_check(ngx_uint_t type, u_char *rdata, size_t len,
    const char **err);

/*
 * Writes RDATA as text, in the generic form if the type is unknown or the
 * octets have no other.  The text gives the same octets when it is read.
 *
 * dst, last  room; 2 octets for each of RDATA and 16 are enough for the generic
 *            form, 4 and 64 for the usual types, 80 for lists of types and
 *            ports: what does not fit in its own form gets the generic one
 *
 * Returns the octet behind the text, or NULL if there is no room.
 */
u_char *ngx_dns_rdata_to_text(u_char *dst, u_char *last, ngx_uint_t type,
    const u_char *rdata, size_t len);


#endif /* _NGX_DNS_RDATA_H_INCLUDED_ */
