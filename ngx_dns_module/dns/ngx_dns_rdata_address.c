
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Addresses of all kinds.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


static ngx_int_t ngx_dns_rd_not_address(ngx_dns_rd_t *rd, const char *what,
    const char *err);
static ngx_int_t ngx_dns_rd_octets_check(ngx_dns_rd_t *rd, size_t n);
static ngx_int_t ngx_dns_rd_eui_scan(ngx_dns_rd_t *rd, ngx_uint_t n,
    const char *err);
static ngx_int_t ngx_dns_rd_eui_print(ngx_dns_rd_t *rd, ngx_uint_t n);


u_char *
ngx_dns_rd_inet(u_char *p, u_char *dst)
{
    ngx_uint_t  i, n, digit;

    for (i = 0; i < 4; i++) {

        if (i > 0 && *p++ != '.') {
            return NULL;
        }

        n = *p - '0';

        if (n > 9) {
            return NULL;
        }

        p++;
        digit = *p - '0';

        if (digit <= 9) {

            if (n == 0) {
                return NULL;
            }

            n = n * 10 + digit;
            p++;
            digit = *p - '0';

            if (digit <= 9) {
                n = n * 10 + digit;
                p++;
            }
        }

        if (n > 255) {
            return NULL;
        }

        dst[i] = (u_char) n;
    }

    return p;
}


u_char *
ngx_dns_rd_inet6(u_char *p, u_char *dst)
{
    u_char      *start, a[16];
    ngx_int_t    n, gap;
    ngx_uint_t   digit, digits, value;

    n = 0;
    gap = -1;

    if (p[0] == ':') {

        if (p[1] != ':') {
            return NULL;
        }

        p += 2;
        gap = 0;
    }

    for ( ;; ) {
        start = p;
        value = 0;

        for (digits = 0; digits < 5; digits++, p++) {
            digit = ngx_dns_rd_hex_digit(*p);

            if (digit > 15) {
                break;
            }

            value = value << 4 | digit;
        }

        if (digits == 0 && gap == n) {
            break;
        }

        if (*p == '.' && n <= 12) {
            p = ngx_dns_rd_inet(start, &a[n]);

            if (p == NULL) {
                return NULL;
            }

            n += 4;
            break;
        }

        if (digits == 0 || digits == 5 || n == 16) {
            return NULL;
        }

        (void) ngx_dns_put16(&a[n], value);
        n += 2;

        if (*p != ':') {
            break;
        }

        p++;

        if (*p == ':') {

            if (gap != -1) {
                return NULL;
            }

            gap = n;
            p++;
        }
    }

    if (gap == -1) {

        if (n != 16) {
            return NULL;
        }

        gap = n;

    } else if (n == 16) {
        return NULL;
    }

    ngx_memcpy(dst, a, gap);
    ngx_memzero(dst + gap, 16 - n);
    ngx_memcpy(dst + 16 - (n - gap), a + gap, n - gap);

    return p;
}


/* RFC 5952: the longest run of two zero groups or more becomes "::" */

ngx_int_t
ngx_dns_rd_put_inet6(ngx_dns_rd_t *rd, const u_char *a)
{
    u_char      *p, text[40];
    ngx_uint_t   i, run, best, best_run;

    best = 8;
    best_run = 1;
    run = 0;

    for (i = 0; i < 8; i++) {

        if (ngx_dns_get16(a + 2 * i) != 0) {
            run = 0;
            continue;
        }

        run++;

        if (run > best_run) {
            best_run = run;
            best = i + 1 - run;
        }
    }

    p = text;

    for (i = 0; i < 8; i++) {

        if (i == best) {
            *p++ = ':';

            i += best_run - 1;

            if (i == 7) {
                *p++ = ':';
            }

            continue;
        }

        if (i > 0) {
            *p++ = ':';
        }

        p = ngx_sprintf(p, "%xi", (ngx_int_t) ngx_dns_get16(a + 2 * i));
    }

    return ngx_dns_rd_put(rd, text, p - text);
}


ngx_int_t
ngx_dns_rd_a_scan(ngx_dns_rd_t *rd)
{
    u_char          *p;
    ngx_dns_scan_t  *s;

    s = rd->scan;

    if (ngx_dns_scan_next(s) == NGX_ERROR || ngx_dns_rd_room(rd, 4) != NGX_OK) {
        return NGX_ERROR;
    }

    p = ngx_dns_rd_inet(s->pos, rd->pos);

    if (p == NULL || ngx_dns_scan_is_word(*p)) {
        return ngx_dns_rd_not_address(rd, "IPv4 address",
                                      "is not an IPv4 address");
    }

    s->pos = p;
    rd->pos += 4;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_rd_not_address(ngx_dns_rd_t *rd, const char *what, const char *err)
{
    ngx_dns_word_t  w;

    if (ngx_dns_scan_plain(rd->scan, &w, what) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_scan_err_word(rd->scan, &w, err);
}


ngx_int_t
ngx_dns_rd_a_check(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_octets_check(rd, 4);
}


static ngx_int_t
ngx_dns_rd_octets_check(ngx_dns_rd_t *rd, size_t n)
{
    if (ngx_dns_rd_need(rd, n) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos += n;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_a_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos += 4;

    return ngx_dns_rd_printf(rd, "%ui.%ui.%ui.%ui",
                             (ngx_uint_t) p[0], (ngx_uint_t) p[1],
                             (ngx_uint_t) p[2], (ngx_uint_t) p[3]);
}


ngx_int_t
ngx_dns_rd_aaaa_scan(ngx_dns_rd_t *rd)
{
    u_char          *p;
    ngx_dns_scan_t  *s;

    s = rd->scan;

    if (ngx_dns_scan_next(s) == NGX_ERROR
        || ngx_dns_rd_room(rd, 16) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = ngx_dns_rd_inet6(s->pos, rd->pos);

    if (p == NULL || ngx_dns_scan_is_word(*p)) {
        return ngx_dns_rd_not_address(rd, "IPv6 address",
                                      "is not an IPv6 address");
    }

    s->pos = p;
    rd->pos += 16;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_aaaa_check(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_octets_check(rd, 16);
}


ngx_int_t
ngx_dns_rd_aaaa_print(ngx_dns_rd_t *rd)
{
    rd->pos += 16;

    return ngx_dns_rd_put_inet6(rd, rd->pos - 16);
}


/* RFC 6742, 2.1.2 and 2.3.2: four groups, without the "::" of IPv6 */

ngx_int_t
ngx_dns_rd_groups_scan(ngx_dns_rd_t *rd)
{
    u_char          *p;
    ngx_uint_t       i, digit, digits, value;
    ngx_dns_scan_t  *s;

    s = rd->scan;

    if (ngx_dns_scan_next(s) == NGX_ERROR || ngx_dns_rd_room(rd, 8) != NGX_OK) {
        return NGX_ERROR;
    }

    p = s->pos;

    for (i = 0; i < 4; i++) {

        if (i > 0 && *p++ != ':') {
            goto failed;
        }

        value = 0;

        for (digits = 0; digits < 5; digits++, p++) {
            digit = ngx_dns_rd_hex_digit(*p);

            if (digit > 15) {
                break;
            }

            value = value << 4 | digit;
        }

        if (digits == 0 || digits == 5) {
            goto failed;
        }

        (void) ngx_dns_put16(rd->pos + 2 * i, value);
    }

    if (ngx_dns_scan_is_word(*p)) {
        goto failed;
    }

    s->pos = p;
    rd->pos += 8;

    return NGX_OK;

failed:

    return ngx_dns_rd_not_address(rd, "64-bit identifier",
                                  "is not four groups like 2001:db8:1:2");
}


ngx_int_t
ngx_dns_rd_groups_check(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_octets_check(rd, 8);
}


ngx_int_t
ngx_dns_rd_groups_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos += 8;

    return ngx_dns_rd_printf(rd, "%04xi:%04xi:%04xi:%04xi",
                             (ngx_int_t) ngx_dns_get16(p),
                             (ngx_int_t) ngx_dns_get16(p + 2),
                             (ngx_int_t) ngx_dns_get16(p + 4),
                             (ngx_int_t) ngx_dns_get16(p + 6));
}


ngx_int_t
ngx_dns_rd_eui48_scan(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_eui_scan(rd, 6,
                               "is not an EUI-48 like 00-00-5e-00-53-2a");
}


ngx_int_t
ngx_dns_rd_eui48_check(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_octets_check(rd, 6);
}


ngx_int_t
ngx_dns_rd_eui48_print(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_eui_print(rd, 6);
}


ngx_int_t
ngx_dns_rd_eui64_scan(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_eui_scan(rd, 8,
                               "is not an EUI-64 like 00-00-5e-ef-10-00-00-2a");
}


ngx_int_t
ngx_dns_rd_eui64_print(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_eui_print(rd, 8);
}


/* RFC 7043, 3.2 and 4.2: exactly two digits for each octet */

static ngx_int_t
ngx_dns_rd_eui_scan(ngx_dns_rd_t *rd, ngx_uint_t n, const char *err)
{
    u_char          *p;
    ngx_uint_t       i, high, low;
    ngx_dns_scan_t  *s;

    s = rd->scan;

    if (ngx_dns_scan_next(s) == NGX_ERROR || ngx_dns_rd_room(rd, n) != NGX_OK) {
        return NGX_ERROR;
    }

    p = s->pos;

    for (i = 0; i < n; i++) {

        if (i > 0 && *p++ != '-') {
            goto failed;
        }

        high = ngx_dns_rd_hex_digit(*p);

        if (high > 15) {
            goto failed;
        }

        low = ngx_dns_rd_hex_digit(p[1]);

        if (low > 15) {
            goto failed;
        }

        rd->pos[i] = (u_char) (high << 4 | low);
        p += 2;
    }

    if (ngx_dns_scan_is_word(*p)) {
        goto failed;
    }

    s->pos = p;
    rd->pos += n;

    return NGX_OK;

failed:

    return ngx_dns_rd_not_address(rd, "hardware address", err);
}


static ngx_int_t
ngx_dns_rd_eui_print(ngx_dns_rd_t *rd, ngx_uint_t n)
{
    u_char      *p, text[3 * 8];
    ngx_uint_t   i;

    p = text;

    for (i = 0; i < n; i++) {
        p = ngx_sprintf(p, "%s%02xi", i ? "-" : "", (ngx_int_t) *rd->pos++);
    }

    return ngx_dns_rd_put(rd, text, p - text);
}
