
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_generate.h"


#define NGX_DNS_GENERATE_WIDTH  255


/* ${OFFSET,WIDTH,RADIX} */

typedef struct {
    int64_t      offset;
    ngx_uint_t   width;
    u_char       radix;
} ngx_dns_generate_mod_t;


static u_char *ngx_dns_generate_number(u_char *p, u_char *last, uint64_t *n);
static u_char *ngx_dns_generate_modifier(u_char *p, u_char *last,
    ngx_dns_generate_mod_t *mod);
static u_char *ngx_dns_generate_put(u_char *dst, uint64_t n,
    ngx_dns_generate_mod_t *mod);
static u_char *ngx_dns_generate_nibbles(u_char *dst, uint64_t n,
    ngx_dns_generate_mod_t *mod);


ngx_int_t
ngx_dns_generate_scan(ngx_dns_scan_t *s, ngx_dns_generate_t *g)
{
    u_char          *p, *last;
    uint64_t         start, stop, step;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_plain(s, &w, "range") != NGX_OK) {
        return NGX_ERROR;
    }

    last = w.data + w.len;
    step = 1;

    p = ngx_dns_generate_number(w.data, last, &start);

    if (p == NULL || p == last || *p != '-') {
        goto failed;
    }

    p = ngx_dns_generate_number(p + 1, last, &stop);

    if (p != NULL && p < last && *p == '/') {
        p = ngx_dns_generate_number(p + 1, last, &step);
    }

    if (p != last) {
        goto failed;
    }

    if (step == 0) {
        return ngx_dns_scan_err_word(s, &w, "has a step of 0");
    }

    if (stop < start) {
        return ngx_dns_scan_err_word(s, &w, "stops before it starts");
    }

    if (s->depth > 0) {
        return ngx_dns_scan_err(s, "$GENERATE inside parentheses");
    }

    if (ngx_dns_scan_next(s) != NGX_OK) {
        return ngx_dns_scan_err(s, "no template");
    }

    if (s->depth > 0) {
        return ngx_dns_scan_err(s, "$GENERATE inside parentheses");
    }

    g->start = (uint32_t) start;
    g->stop = (uint32_t) stop;
    g->step = (uint32_t) step;
    g->count = (stop - start) / step + 1;

    p = memchr(s->pos, '\n', s->last - s->pos);

    g->text.data = s->pos;
    s->pos = (p != NULL) ? p : s->last;
    g->text.len = s->pos - g->text.data;

    return NGX_OK;

failed:

    return ngx_dns_scan_err_word(s, &w, "is not a range like 1-100/2");
}


/* digits up to 2^32 - 1; returns the octet behind, or NULL */

static u_char *
ngx_dns_generate_number(u_char *p, u_char *last, uint64_t *n)
{
    u_char  *start;

    start = p;

    for (*n = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        *n = *n * 10 + (*p - '0');

        if (*n > 0xffffffff) {
            return NULL;
        }
    }

    return (p == start) ? NULL : p;
}


u_char *
ngx_dns_generate_expand(ngx_dns_scan_t *s, ngx_dns_generate_t *g, uint32_t n,
    u_char *dst, u_char *last)
{
    u_char                  *p, *end;
    int64_t                  value;
    ngx_dns_generate_mod_t   mod;

    p = g->text.data;
    end = p + g->text.len;

    while (p < end) {

        if (last - dst < 2 * NGX_DNS_GENERATE_WIDTH) {
            (void) ngx_dns_scan_err(s, "$GENERATE makes a line that is "
                                    "too long");
            return NULL;
        }

        if (*p == '\\' && p + 1 < end) {

            /* "\$" is a dollar, other escapes are left to the scanner */

            if (p[1] != '$') {
                *dst++ = *p;
            }

            *dst++ = p[1];
            p += 2;
            continue;
        }

        if (*p != '$') {
            *dst++ = *p++;
            continue;
        }

        p++;

        if (p < end && *p == '$') {
            *dst++ = *p++;
            continue;
        }

        mod.offset = 0;
        mod.width = 0;
        mod.radix = 'd';

        if (p < end && *p == '{') {
            p = ngx_dns_generate_modifier(p + 1, end, &mod);

            if (p == NULL) {
                (void) ngx_dns_scan_err(s, "$GENERATE modifier is not "
                                        "${OFFSET,WIDTH,RADIX}");
                return NULL;
            }
        }

        value = (int64_t) n + mod.offset;

        if (value < 0) {
            (void) ngx_dns_scan_err(s, "$GENERATE offset makes %uD negative",
                                    n);
            return NULL;
        }

        dst = ngx_dns_generate_put(dst, (uint64_t) value, &mod);
    }

    return dst;
}


static u_char *
ngx_dns_generate_modifier(u_char *p, u_char *last,
    ngx_dns_generate_mod_t *mod)
{
    uint64_t    n;
    ngx_uint_t  minus;

    minus = (p < last && *p == '-');

    if (p < last && (*p == '-' || *p == '+')) {
        p++;
    }

    p = ngx_dns_generate_number(p, last, &n);

    if (p == NULL) {
        return NULL;
    }

    mod->offset = minus ? - (int64_t) n : (int64_t) n;

    if (p < last && *p == ',') {
        p = ngx_dns_generate_number(p + 1, last, &n);

        if (p == NULL || n > NGX_DNS_GENERATE_WIDTH) {
            return NULL;
        }

        mod->width = n;

        if (last - p >= 2 && *p == ',') {
            mod->radix = p[1];
            p += 2;
        }
    }

    if (p == last || *p != '}') {
        return NULL;
    }

    switch (mod->radix) {

    case 'd':
    case 'o':
    case 'x':
    case 'X':
    case 'n':
    case 'N':
        return p + 1;
    }

    return NULL;
}


static u_char *
ngx_dns_generate_put(u_char *dst, uint64_t n, ngx_dns_generate_mod_t *mod)
{
    u_char        digits[24];
    ngx_uint_t    i, width, base;
    const u_char *hex;

    if ((mod->radix | 0x20) == 'n') {
        return ngx_dns_generate_nibbles(dst, n, mod);
    }

    base = (mod->radix == 'd') ? 10 : (mod->radix == 'o') ? 8 : 16;
    hex = (u_char *) ((mod->radix == 'X') ? "0123456789ABCDEF"
                                          : "0123456789abcdef");
    i = 0;

    do {
        digits[i++] = hex[n % base];
        n /= base;
    } while (n);

    for (width = mod->width; width > i; width--) {
        *dst++ = '0';
    }

    while (i) {
        *dst++ = digits[--i];
    }

    return dst;
}


/*
 * Hexadecimal digits as labels, the lowest first, as ip6.arpa has them; the
 * width counts the dots too.
 */

static u_char *
ngx_dns_generate_nibbles(u_char *dst, uint64_t n, ngx_dns_generate_mod_t *mod)
{
    ngx_uint_t    width;
    const u_char *hex;

    hex = (u_char *) ((mod->radix == 'N') ? "0123456789ABCDEF"
                                          : "0123456789abcdef");
    width = mod->width;

    for ( ;; ) {
        *dst++ = hex[n & 15];
        n >>= 4;

        if (width > 0) {
            width--;
        }

        if (width == 0 && n == 0) {
            return dst;
        }

        *dst++ = '.';

        if (width > 0) {
            width--;
        }
    }
}
