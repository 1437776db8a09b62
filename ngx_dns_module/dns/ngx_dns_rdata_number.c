
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Numbers, and what has names for numbers.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


typedef struct {
    ngx_str_t    name;
    ngx_uint_t   value;
} ngx_dns_rd_word_t;


static ngx_int_t ngx_dns_rd_named8(ngx_dns_rd_t *rd, ngx_dns_rd_word_t *words,
    const char *what);
static ngx_int_t ngx_dns_rd_named(ngx_dns_rd_t *rd, ngx_dns_rd_word_t *words,
    uint32_t max, const char *what, uint32_t *n);
static ngx_int_t ngx_dns_rd_date(u_char *p, uint32_t *seconds);
static ngx_int_t ngx_dns_rd_days(ngx_int_t year, ngx_int_t month,
    ngx_int_t day);


/* RFC 4034, A.1, and the registry of algorithm numbers that it began */

static ngx_dns_rd_word_t  ngx_dns_rd_algs[] = {
    { ngx_string("RSAMD5"), 1 },
    { ngx_string("DH"), 2 },
    { ngx_string("DSA"), 3 },
    { ngx_string("ECC"), 4 },
    { ngx_string("RSASHA1"), 5 },
    { ngx_string("DSA-NSEC3-SHA1"), 6 },
    { ngx_string("NSEC3DSA"), 6 },
    { ngx_string("RSASHA1-NSEC3-SHA1"), 7 },
    { ngx_string("NSEC3RSASHA1"), 7 },
    { ngx_string("RSASHA256"), 8 },
    { ngx_string("RSASHA512"), 10 },
    { ngx_string("ECC-GOST"), 12 },
    { ngx_string("ECCGOST"), 12 },
    { ngx_string("ECDSAP256SHA256"), 13 },
    { ngx_string("ECDSAP384SHA384"), 14 },
    { ngx_string("ED25519"), 15 },
    { ngx_string("ED448"), 16 },
    { ngx_string("INDIRECT"), 252 },
    { ngx_string("PRIVATEDNS"), 253 },
    { ngx_string("PRIVATEOID"), 254 },
    { ngx_null_string, 0 }
};


/* RFC 4398, 2.1 */

static ngx_dns_rd_word_t  ngx_dns_rd_certs[] = {
    { ngx_string("PKIX"), 1 },
    { ngx_string("SPKI"), 2 },
    { ngx_string("PGP"), 3 },
    { ngx_string("IPKIX"), 4 },
    { ngx_string("ISPKI"), 5 },
    { ngx_string("IPGP"), 6 },
    { ngx_string("ACPKIX"), 7 },
    { ngx_string("IACPKIX"), 8 },
    { ngx_string("URI"), 253 },
    { ngx_string("OID"), 254 },
    { ngx_null_string, 0 }
};


/* RFC 9859, 6.2 */

static ngx_dns_rd_word_t  ngx_dns_rd_schemes[] = {
    { ngx_string("NOTIFY"), 1 },
    { ngx_null_string, 0 }
};


ngx_int_t
ngx_dns_rd_u8_scan(ngx_dns_rd_t *rd)
{
    uint32_t  n;

    if (ngx_dns_scan_number(rd->scan, 255, "number", &n) != NGX_OK
        || ngx_dns_rd_room(rd, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *rd->pos++ = (u_char) n;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_u8_check(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_need(rd, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos++;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_u8_print(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_printf(rd, "%ui", (ngx_uint_t) *rd->pos++);
}


ngx_int_t
ngx_dns_rd_u16_scan(ngx_dns_rd_t *rd)
{
    uint32_t  n;

    if (ngx_dns_scan_number(rd->scan, 65535, "number", &n) != NGX_OK
        || ngx_dns_rd_room(rd, 2) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rd->pos = ngx_dns_put16(rd->pos, n);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_u16_check(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_need(rd, 2) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos += 2;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_u16_print(ngx_dns_rd_t *rd)
{
    rd->pos += 2;

    return ngx_dns_rd_printf(rd, "%ui", ngx_dns_get16(rd->pos - 2));
}


ngx_int_t
ngx_dns_rd_u32_scan(ngx_dns_rd_t *rd)
{
    uint32_t  n;

    if (ngx_dns_scan_number(rd->scan, 0xffffffff, "number", &n) != NGX_OK
        || ngx_dns_rd_room(rd, 4) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rd->pos = ngx_dns_put32(rd->pos, n);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_u32_check(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_need(rd, 4) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos += 4;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_u32_print(ngx_dns_rd_t *rd)
{
    rd->pos += 4;

    return ngx_dns_rd_printf(rd, "%uD", ngx_dns_get32(rd->pos - 4));
}


ngx_int_t
ngx_dns_rd_ttl_scan(ngx_dns_rd_t *rd)
{
    uint32_t  n;

    if (ngx_dns_scan_ttl(rd->scan, 0xffffffff, "time", &n) != NGX_OK
        || ngx_dns_rd_room(rd, 4) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rd->pos = ngx_dns_put32(rd->pos, n);

    return NGX_OK;
}


/* RFC 4034, 3.2: YYYYMMDDHHmmSS, which has 14 digits, or seconds */

ngx_int_t
ngx_dns_rd_time_scan(ngx_dns_rd_t *rd)
{
    uint32_t         seconds;
    ngx_dns_scan_t  *s;
    ngx_dns_word_t   w;

    s = rd->scan;

    if (ngx_dns_scan_next(s) == NGX_ERROR) {
        return NGX_ERROR;
    }

    w.data = s->pos;

    if (ngx_dns_scan_plain(s, &w, "time") != NGX_OK
        || ngx_dns_rd_room(rd, 4) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (w.len != 14) {
        s->pos = w.data;

        if (ngx_dns_scan_number(s, 0xffffffff, "time", &seconds) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (ngx_dns_rd_date(w.data, &seconds) != NGX_OK) {
        return ngx_dns_scan_err_word(s, &w,
                                     "is not a time (YYYYMMDDHHmmSS)");
    }

    rd->pos = ngx_dns_put32(rd->pos, seconds);

    return NGX_OK;
}


/*
 * Seconds modulo 2^32.  A leap second has no text of its own in this count,
 * so second 60 is the next second 0.
 */

static ngx_int_t
ngx_dns_rd_date(u_char *p, uint32_t *seconds)
{
    ngx_int_t   v[6], days;
    ngx_uint_t  i, n;

    static const uint8_t    digits[6] = { 4, 2, 2, 2, 2, 2 };
    static const ngx_int_t  min[6] = { 1970, 1, 1, 0, 0, 0 };
    static const ngx_int_t  max[6] = { 9999, 12, 31, 23, 59, 60 };

    for (i = 0; i < 6; i++) {
        v[i] = 0;

        for (n = 0; n < digits[i]; n++, p++) {

            if (*p < '0' || *p > '9') {
                return NGX_ERROR;
            }

            v[i] = v[i] * 10 + (*p - '0');
        }

        if (v[i] < min[i] || v[i] > max[i]) {
            return NGX_ERROR;
        }
    }

    days = ngx_dns_rd_days(v[0], v[1], v[2]);

    if (ngx_dns_rd_days(v[0] + v[1] / 12, v[1] % 12 + 1, 1) <= days) {
        return NGX_ERROR;
    }

    *seconds = (uint32_t) (((days * 24 + v[3]) * 60 + v[4]) * 60 + v[5]);

    return NGX_OK;
}


/* days from 1970-01-01; years begin in March, so a leap day ends one */

static ngx_int_t
ngx_dns_rd_days(ngx_int_t year, ngx_int_t month, ngx_int_t day)
{
    if (month <= 2) {
        year--;
        month += 12;
    }

    return 365 * year + year / 4 - year / 100 + year / 400
           + (153 * (month - 3) + 2) / 5 + day - 1 - 719468;
}


ngx_int_t
ngx_dns_rd_time_print(ngx_dns_rd_t *rd)
{
    ngx_int_t  t, days, year, month, day;

    t = ngx_dns_get32(rd->pos);
    rd->pos += 4;

    days = t / 86400;
    t %= 86400;

    year = 1970 + days / 366;

    while (ngx_dns_rd_days(year + 1, 1, 1) <= days) {
        year++;
    }

    month = 1;

    while (month < 12 && ngx_dns_rd_days(year, month + 1, 1) <= days) {
        month++;
    }

    day = days - ngx_dns_rd_days(year, month, 1) + 1;

    return ngx_dns_rd_printf(rd, "%04i%02i%02i%02i%02i%02i", year, month, day,
                             t / 3600, t / 60 % 60, t % 60);
}


ngx_int_t
ngx_dns_rd_type_scan(ngx_dns_rd_t *rd)
{
    ngx_int_t       type;
    ngx_dns_word_t  w;

    if (ngx_dns_scan_plain(rd->scan, &w, "RR type") != NGX_OK
        || ngx_dns_rd_room(rd, 2) != NGX_OK)
    {
        return NGX_ERROR;
    }

    type = ngx_dns_rr_type(w.data, w.len);

    if (type == NGX_ERROR) {
        return ngx_dns_scan_err_word(rd->scan, &w, "is not an RR type");
    }

    rd->pos = ngx_dns_put16(rd->pos, type);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_type_print(ngx_dns_rd_t *rd)
{
    u_char  *p, buf[NGX_DNS_RR_TEXT_MAX];

    p = ngx_dns_rr_type_text(buf, ngx_dns_get16(rd->pos));
    rd->pos += 2;

    return ngx_dns_rd_put(rd, buf, p - buf);
}


ngx_int_t
ngx_dns_rd_alg_scan(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_named8(rd, ngx_dns_rd_algs, "algorithm");
}


ngx_int_t
ngx_dns_rd_scheme_scan(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_named8(rd, ngx_dns_rd_schemes, "scheme");
}


static ngx_int_t
ngx_dns_rd_named8(ngx_dns_rd_t *rd, ngx_dns_rd_word_t *words,
    const char *what)
{
    uint32_t  n;

    if (ngx_dns_rd_named(rd, words, 255, what, &n) != NGX_OK
        || ngx_dns_rd_room(rd, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *rd->pos++ = (u_char) n;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_cert_scan(ngx_dns_rd_t *rd)
{
    uint32_t  n;

    if (ngx_dns_rd_named(rd, ngx_dns_rd_certs, 65535, "certificate type", &n)
        != NGX_OK
        || ngx_dns_rd_room(rd, 2) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rd->pos = ngx_dns_put16(rd->pos, n);

    return NGX_OK;
}


/* a number, or one of the words */

static ngx_int_t
ngx_dns_rd_named(ngx_dns_rd_t *rd, ngx_dns_rd_word_t *words, uint32_t max,
    const char *what, uint32_t *n)
{
    size_t           i;
    ngx_dns_scan_t  *s;
    ngx_dns_word_t   w;

    s = rd->scan;

    if (ngx_dns_scan_next(s) != NGX_OK || (*s->pos >= '0' && *s->pos <= '9')) {
        return ngx_dns_scan_number(s, max, what, n);
    }

    w.data = s->pos;

    if (ngx_dns_scan_plain(s, &w, what) != NGX_OK) {
        return NGX_ERROR;
    }

    for ( /* void */ ; words->name.len; words++) {

        if (words->name.len != w.len) {
            continue;
        }

        for (i = 0; i < w.len; i++) {
            if (ngx_toupper(w.data[i]) != words->name.data[i]) {
                break;
            }
        }

        if (i == w.len) {
            *n = (uint32_t) words->value;
            return NGX_OK;
        }
    }

    s->pos = w.data;

    return ngx_dns_scan_number(s, max, what, n);
}
