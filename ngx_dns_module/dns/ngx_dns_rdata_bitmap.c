
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Sets of types and of ports.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


#define NGX_DNS_RD_PORTS  8192          /* octets of a set of all ports */


typedef struct {
    ngx_str_t    name;
    ngx_uint_t   number;
} ngx_dns_rd_number_t;


static ngx_int_t ngx_dns_rd_wks_number(ngx_dns_rd_t *rd, ngx_dns_word_t *w,
    ngx_dns_rd_number_t *names, ngx_uint_t max, const char *err,
    ngx_uint_t *n);
static ngx_int_t ngx_dns_rd_put_type(ngx_dns_rd_t *rd, ngx_uint_t type,
    ngx_uint_t first);


/* of the names in RFC 1010 those that a zone file may still have */

static ngx_dns_rd_number_t  ngx_dns_rd_protocols[] = {
    { ngx_string("icmp"), 1 },
    { ngx_string("tcp"), 6 },
    { ngx_string("udp"), 17 },
    { ngx_null_string, 0 }
};


static ngx_dns_rd_number_t  ngx_dns_rd_services[] = {
    { ngx_string("echo"), 7 },
    { ngx_string("discard"), 9 },
    { ngx_string("daytime"), 13 },
    { ngx_string("ftp-data"), 20 },
    { ngx_string("ftp"), 21 },
    { ngx_string("ssh"), 22 },
    { ngx_string("telnet"), 23 },
    { ngx_string("smtp"), 25 },
    { ngx_string("time"), 37 },
    { ngx_string("domain"), 53 },
    { ngx_string("tftp"), 69 },
    { ngx_string("gopher"), 70 },
    { ngx_string("finger"), 79 },
    { ngx_string("http"), 80 },
    { ngx_string("pop3"), 110 },
    { ngx_string("sunrpc"), 111 },
    { ngx_string("nntp"), 119 },
    { ngx_string("ntp"), 123 },
    { ngx_string("imap"), 143 },
    { ngx_string("snmp"), 161 },
    { ngx_string("https"), 443 },
    { ngx_null_string, 0 }
};


/* RFC 4034, 4.1.2: windows of 256 types, those without types left out */

ngx_int_t
ngx_dns_rd_bitmap_scan(ngx_dns_rd_t *rd)
{
    u_char          *p, len[256], bits[256][32];
    ngx_int_t        rc, type;
    ngx_uint_t       i, n;
    ngx_dns_word_t   w;

    ngx_memzero(len, sizeof(len));

    for ( ;; ) {
        rc = ngx_dns_scan_next(rd->scan);

        if (rc == NGX_DONE) {
            break;
        }

        if (rc == NGX_ERROR
            || ngx_dns_scan_plain(rd->scan, &w, "RR type") != NGX_OK)
        {
            return NGX_ERROR;
        }

        type = ngx_dns_rr_type(w.data, w.len);

        if (type == NGX_ERROR) {
            return ngx_dns_scan_err_word(rd->scan, &w, "is not an RR type");
        }

        n = type >> 8;
        i = type >> 3 & 31;

        if (len[n] == 0) {
            ngx_memzero(bits[n], 32);
        }

        bits[n][i] |= 0x80 >> (type & 7);
        len[n] = (u_char) ngx_max(len[n], i + 1);
    }

    for (n = 0; n < 256; n++) {

        if (len[n] == 0) {
            continue;
        }

        if (ngx_dns_rd_room(rd, 2 + len[n]) != NGX_OK) {
            return NGX_ERROR;
        }

        p = rd->pos;

        *p++ = (u_char) n;
        *p++ = len[n];
        rd->pos = ngx_cpymem(p, bits[n], len[n]);
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_bitmap_check(ngx_dns_rd_t *rd)
{
    u_char     *p;
    ngx_int_t   window;

    window = -1;

    for (p = rd->pos; p < rd->last; p += 2 + p[1]) {

        if (rd->last - p < 3 || rd->last - p < 2 + p[1]) {
            return ngx_dns_rd_fail(rd, "a type bitmap does not end");
        }

        if (p[1] == 0 || p[1] > 32 || p[1 + p[1]] == 0 || p[0] <= window) {
            return ngx_dns_rd_fail(rd, "a type bitmap is broken");
        }

        window = p[0];
    }

    rd->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_bitmap_print(ngx_dns_rd_t *rd)
{
    u_char      *p;
    ngx_uint_t   i, first;

    first = 1;

    for (p = rd->pos; p < rd->last; p += 2 + p[1]) {

        for (i = 0; i < (ngx_uint_t) 8 * p[1]; i++) {

            if (!(p[2 + i / 8] & (0x80 >> (i & 7)))) {
                continue;
            }

            if (ngx_dns_rd_put_type(rd, p[0] << 8 | i, first) != NGX_OK) {
                return NGX_ERROR;
            }

            first = 0;
        }
    }

    rd->pos = p;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_rd_put_type(ngx_dns_rd_t *rd, ngx_uint_t type, ngx_uint_t first)
{
    u_char  *p, buf[1 + NGX_DNS_RR_TEXT_MAX];

    buf[0] = ' ';
    p = ngx_dns_rr_type_text(buf + 1, type);

    return ngx_dns_rd_put(rd, buf + first, p - buf - first);
}


/* RFC 2535, 5.2: one bitmap without windows, bit 0 is zero */

ngx_int_t
ngx_dns_rd_nxt_scan(ngx_dns_rd_t *rd)
{
    u_char          bits[16];
    ngx_int_t       rc, type;
    ngx_uint_t      len;
    ngx_dns_word_t  w;

    ngx_memzero(bits, sizeof(bits));
    len = 0;

    for ( ;; ) {
        rc = ngx_dns_scan_next(rd->scan);

        if (rc == NGX_DONE) {
            break;
        }

        if (rc == NGX_ERROR
            || ngx_dns_scan_plain(rd->scan, &w, "RR type") != NGX_OK)
        {
            return NGX_ERROR;
        }

        type = ngx_dns_rr_type(w.data, w.len);

        if (type < 1 || type > 127) {
            return ngx_dns_scan_err_word(rd->scan, &w,
                                         "is not an RR type from 1 to 127");
        }

        bits[type >> 3] |= 0x80 >> (type & 7);
        len = ngx_max(len, (ngx_uint_t) (type >> 3) + 1);
    }

    if (ngx_dns_rd_room(rd, len) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos = ngx_cpymem(rd->pos, bits, len);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_nxt_check(ngx_dns_rd_t *rd)
{
    size_t  len;

    len = rd->last - rd->pos;

    if (len > 16
        || (len > 0 && ((rd->pos[0] & 0x80) || rd->last[-1] == 0)))
    {
        return ngx_dns_rd_fail(rd, "a type bitmap is broken");
    }

    rd->pos = rd->last;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_nxt_print(ngx_dns_rd_t *rd)
{
    ngx_uint_t  i, n, first;

    first = 1;
    n = 8 * (rd->last - rd->pos);

    for (i = 0; i < n; i++) {

        if (!(rd->pos[i / 8] & (0x80 >> (i & 7)))) {
            continue;
        }

        if (ngx_dns_rd_put_type(rd, i, first) != NGX_OK) {
            return NGX_ERROR;
        }

        first = 0;
    }

    rd->pos = rd->last;

    return NGX_OK;
}


/* RFC 1035, 3.4.2 */

ngx_int_t
ngx_dns_rd_wks_scan(ngx_dns_rd_t *rd)
{
    u_char          bits[NGX_DNS_RD_PORTS];
    ngx_int_t       rc;
    ngx_uint_t      n, len, size;
    ngx_dns_word_t  w;

    if (ngx_dns_scan_plain(rd->scan, &w, "protocol") != NGX_OK
        || ngx_dns_rd_wks_number(rd, &w, ngx_dns_rd_protocols, 255,
                                 "is not a protocol", &n) != NGX_OK
        || ngx_dns_rd_room(rd, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *rd->pos++ = (u_char) n;
    len = 0;

    for ( ;; ) {
        rc = ngx_dns_scan_next(rd->scan);

        if (rc == NGX_DONE) {
            break;
        }

        if (rc == NGX_ERROR
            || ngx_dns_scan_plain(rd->scan, &w, "service") != NGX_OK
            || ngx_dns_rd_wks_number(rd, &w, ngx_dns_rd_services, 65535,
                                     "is not a port or service", &n) != NGX_OK)
        {
            return NGX_ERROR;
        }

        size = n / 8 + 1;

        if (size > len) {
            ngx_memzero(bits + len, size - len);
            len = size;
        }

        bits[n / 8] |= 0x80 >> (n & 7);
    }

    if (ngx_dns_rd_room(rd, len) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos = ngx_cpymem(rd->pos, bits, len);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_rd_wks_number(ngx_dns_rd_t *rd, ngx_dns_word_t *w,
    ngx_dns_rd_number_t *names, ngx_uint_t max, const char *err,
    ngx_uint_t *n)
{
    size_t  i;

    *n = 0;

    for (i = 0; i < w->len; i++) {

        if (w->data[i] < '0' || w->data[i] > '9' || *n > max) {
            break;
        }

        *n = *n * 10 + (w->data[i] - '0');
    }

    if (i == w->len && *n <= max) {
        return NGX_OK;
    }

    for ( /* void */ ; names->name.len; names++) {

        if (names->name.len != w->len) {
            continue;
        }

        for (i = 0; i < w->len; i++) {
            if (ngx_tolower(w->data[i]) != names->name.data[i]) {
                break;
            }
        }

        if (i == w->len) {
            *n = names->number;
            return NGX_OK;
        }
    }

    return ngx_dns_scan_err_word(rd->scan, w, err);
}


ngx_int_t
ngx_dns_rd_wks_check(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_need(rd, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    if (rd->last - rd->pos - 1 > NGX_DNS_RD_PORTS) {
        return ngx_dns_rd_fail(rd, "more bits than ports");
    }

    rd->pos = rd->last;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_wks_print(ngx_dns_rd_t *rd)
{
    u_char      *p;
    ngx_uint_t   i, n;

    p = rd->pos;

    if (rd->last - p > 1 && rd->last[-1] == 0) {

        /* text cannot tell how many zero octets there are */

        return NGX_ERROR;
    }

    if (ngx_dns_rd_printf(rd, "%ui", (ngx_uint_t) *p++) != NGX_OK) {
        return NGX_ERROR;
    }

    n = 8 * (rd->last - p);

    for (i = 0; i < n; i++) {

        if ((p[i / 8] & (0x80 >> (i & 7)))
            && ngx_dns_rd_printf(rd, " %ui", i) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    rd->pos = rd->last;

    return NGX_OK;
}
