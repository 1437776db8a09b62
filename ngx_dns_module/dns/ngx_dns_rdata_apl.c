
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * APL, RFC 3123: lists of address prefixes.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


#define NGX_DNS_APL_INET   1
#define NGX_DNS_APL_INET6  2


static ngx_int_t ngx_dns_apl_item(ngx_dns_rd_t *rd, ngx_dns_word_t *w);


ngx_int_t
ngx_dns_rd_apl_scan(ngx_dns_rd_t *rd)
{
    ngx_int_t       rc;
    ngx_dns_word_t  w;

    for ( ;; ) {
        rc = ngx_dns_scan_next(rd->scan);

        if (rc != NGX_OK) {
            return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
        }

        if (ngx_dns_scan_plain(rd->scan, &w, "address prefix") != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_dns_apl_item(rd, &w) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


/* [!]FAMILY:ADDRESS/PREFIX, trailing zero octets are left out */

static ngx_int_t
ngx_dns_apl_item(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char      *p, *last, address[16];
    ngx_uint_t   family, not, prefix, len, digits;

    p = w->data;
    last = p + w->len;

    not = (*p == '!');
    p += not;

    if (last - p < 2 || (p[0] != '1' && p[0] != '2') || p[1] != ':') {
        goto failed;
    }

    family = p[0] - '0';
    len = (family == NGX_DNS_APL_INET) ? 4 : 16;

    p = (family == NGX_DNS_APL_INET) ? ngx_dns_rd_inet(p + 2, address)
                                     : ngx_dns_rd_inet6(p + 2, address);

    if (p == NULL || p == last || *p++ != '/') {
        goto failed;
    }

    prefix = 0;

    for (digits = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        prefix = prefix * 10 + (*p - '0');

        if (++digits > 3) {
            goto failed;
        }
    }

    if (p != last || digits == 0 || prefix > 8 * len) {
        goto failed;
    }

    while (len > 0 && address[len - 1] == 0) {
        len--;
    }

    if (ngx_dns_rd_room(rd, 4 + len) != NGX_OK) {
        return NGX_ERROR;
    }

    p = ngx_dns_put16(rd->pos, family);
    *p++ = (u_char) prefix;
    *p++ = (u_char) (not << 7 | len);
    rd->pos = ngx_cpymem(p, address, len);

    return NGX_OK;

failed:

    return ngx_dns_scan_err_word(rd->scan, w, "is not an address prefix "
                                 "like 1:192.0.2.0/24 or !2:2001:db8::/32");
}


ngx_int_t
ngx_dns_rd_apl_check(ngx_dns_rd_t *rd)
{
    u_char      *p;
    ngx_uint_t   family, len;

    while (rd->pos < rd->last) {

        p = rd->pos;

        if (ngx_dns_rd_need(rd, 4) != NGX_OK) {
            return NGX_ERROR;
        }

        family = ngx_dns_get16(p);
        len = p[3] & 0x7f;

        if (ngx_dns_rd_need(rd, 4 + len) != NGX_OK) {
            return NGX_ERROR;
        }

        if ((family == NGX_DNS_APL_INET && (p[2] > 32 || len > 4))
            || (family == NGX_DNS_APL_INET6 && (p[2] > 128 || len > 16)))
        {
            return ngx_dns_rd_fail(rd, "an address prefix is too long");
        }

        rd->pos += 4 + len;

        if (len > 0 && rd->pos[-1] == 0) {
            return ngx_dns_rd_fail(rd, "an address prefix ends with a zero "
                                       "octet");
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_apl_print(ngx_dns_rd_t *rd)
{
    u_char        *p, address[16];
    ngx_uint_t     family, len;
    ngx_dns_rd_t   a;

    for (p = rd->pos; p < rd->last; p += 4 + len) {
        family = ngx_dns_get16(p);
        len = p[3] & 0x7f;

        if ((family != NGX_DNS_APL_INET && family != NGX_DNS_APL_INET6)
            || ngx_dns_rd_printf(rd, "%s%s%ui:", (p == rd->pos) ? "" : " ",
                                 (p[3] & 0x80) ? "!" : "", family) != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_memzero(address, sizeof(address));
        ngx_memcpy(address, p + 4, len);

        a = *rd;
        a.pos = address;

        if ((family == NGX_DNS_APL_INET ? ngx_dns_rd_a_print(&a)
                                        : ngx_dns_rd_aaaa_print(&a))
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        rd->text = a.text;

        if (ngx_dns_rd_printf(rd, "/%ui", (ngx_uint_t) p[2]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    rd->pos = p;

    return NGX_OK;
}
