
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GENERATE_H_INCLUDED_
#define _NGX_DNS_GENERATE_H_INCLUDED_


#include "ngx_dns_scan.h"


/*
 * $GENERATE: a template that stands for many entries, one for each number
 * of a range.
 */

typedef struct {
    uint32_t    start;
    uint32_t    stop;
    uint32_t    step;
    uint64_t    count;                  /* of entries */
    ngx_str_t   text;                   /* the template, in the source */
} ngx_dns_generate_t;


/*
 * Reads START-STOP[/STEP] and the template behind it, up to the end of the
 * line.  NGX_OK, or NGX_ERROR with s->err set.
 */
ngx_int_t ngx_dns_generate_scan(ngx_dns_scan_t *s, ngx_dns_generate_t *g);

/*
 * Writes the entry of number n to dst .. last.  Returns the octet behind it,
 * or NULL with s->err set.
 */
u_char *ngx_dns_generate_expand(ngx_dns_scan_t *s, ngx_dns_generate_t *g,
    uint32_t n, u_char *dst, u_char *last);


#endif /* _NGX_DNS_GENERATE_H_INCLUDED_ */
