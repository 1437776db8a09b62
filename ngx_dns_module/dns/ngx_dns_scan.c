
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_scan.h"


#define NGX_DNS_SCAN_SHOWN  64          /* octets of a word in a message */


static ngx_int_t ngx_dns_scan_line_end(ngx_dns_scan_t *s);
static ngx_int_t ngx_dns_scan_quoted(ngx_dns_scan_t *s, ngx_dns_word_t *w);
static ngx_int_t ngx_dns_scan_not_number(ngx_dns_scan_t *s, u_char *start,
    uint32_t max, const char *what);
static ngx_int_t ngx_dns_scan_not_ttl(ngx_dns_scan_t *s, u_char *start,
    uint32_t max, const char *what);
static uint32_t ngx_dns_scan_unit(u_char ch);
static ngx_int_t ngx_dns_scan_name_slow(ngx_dns_scan_t *s, u_char *dst,
    size_t *len);


const uint8_t  ngx_dns_scan_class[256] = {
    [0] = NGX_DNS_SCAN_ZERO,
    ['\t'] = NGX_DNS_SCAN_BLANK,
    ['\n'] = NGX_DNS_SCAN_LF,
    ['\r'] = NGX_DNS_SCAN_CR,
    [' '] = NGX_DNS_SCAN_BLANK,
    ['"'] = NGX_DNS_SCAN_QUOTE,
    ['('] = NGX_DNS_SCAN_OPEN,
    [')'] = NGX_DNS_SCAN_CLOSE,
    [';'] = NGX_DNS_SCAN_COMMENT,
    ['\\'] = NGX_DNS_SCAN_ESCAPE
};


/*
 * The octets of a simple label in lower case; 0 for what ends it: a dot,
 * a backslash, and all that ends a word.
 */

#define NGX_DNS_ROW(n)                                                        \
    n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7,                       \
    n + 8, n + 9, n + 10, n + 11, n + 12, n + 13, n + 14, n + 15

static const uint8_t  ngx_dns_scan_fold[256] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 11, 12, 0, 14, 15,
    NGX_DNS_ROW(16),
    0, '!', 0, '#', '$', '%', '&', '\'', 0, 0, '*', '+', ',', '-', 0, '/',
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', ':', 0,
    '<', '=', '>', '?',
    '@', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
    'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', '[',
    0, ']', '^', '_',
    NGX_DNS_ROW(96), NGX_DNS_ROW(112), NGX_DNS_ROW(128), NGX_DNS_ROW(144),
    NGX_DNS_ROW(160), NGX_DNS_ROW(176), NGX_DNS_ROW(192), NGX_DNS_ROW(208),
    NGX_DNS_ROW(224), NGX_DNS_ROW(240)
};


void
ngx_dns_scan_init(ngx_dns_scan_t *s, u_char *data, size_t len,
    const u_char *origin)
{
    s->pos = data;
    s->last = data + len;
    s->line = 1;
    s->depth = 0;
    s->open_line = 0;
    s->origin = origin;
    s->origin_len = (origin != NULL) ? ngx_dns_name_len(origin) : 0;
    s->partial = 0;
    s->more = 0;
    s->err_line = 0;
    s->err_len = 0;
}


ngx_int_t
ngx_dns_scan_special(ngx_dns_scan_t *s)
{
    u_char     *p;
    ngx_int_t   rc;

    for ( ;; ) {

        switch (ngx_dns_scan_class[*s->pos]) {

        case NGX_DNS_SCAN_PLAIN:
        case NGX_DNS_SCAN_ESCAPE:
        case NGX_DNS_SCAN_QUOTE:
            return NGX_OK;

        case NGX_DNS_SCAN_BLANK:
            s->pos++;
            break;

        case NGX_DNS_SCAN_COMMENT:
            p = memchr(s->pos, '\n', s->last - s->pos);
            s->pos = (p != NULL) ? p : s->last;
            break;

        case NGX_DNS_SCAN_OPEN:
            if (s->depth++ == 0) {
                s->open_line = s->line;
            }

            s->pos++;
            break;

        case NGX_DNS_SCAN_CLOSE:
            if (s->depth == 0) {
                return ngx_dns_scan_err(s, "unexpected \")\"");
            }

            s->depth--;
            s->pos++;
            break;

        default:
            rc = ngx_dns_scan_line_end(s);

            if (rc != NGX_OK) {
                return rc;
            }
        }
    }
}


/* LF, CR or a zero octet at pos; NGX_OK: go on behind it */

static ngx_int_t
ngx_dns_scan_line_end(ngx_dns_scan_t *s)
{
    if (s->pos == s->last) {

        if (s->depth == 0) {
            return NGX_DONE;
        }

        if (s->partial) {
            s->more = 1;
            return NGX_ERROR;
        }

        (void) ngx_dns_scan_err(s, "parenthesis is not closed");
        s->err_line = s->open_line;

        return NGX_ERROR;
    }

    if (*s->pos == '\0') {
        return ngx_dns_scan_err(s, "zero octet in the text");
    }

    if (*s->pos == '\r') {

        if (s->pos[1] != '\n' && s->pos + 1 != s->last) {
            return ngx_dns_scan_err(s, "carriage return inside a line");
        }

        s->pos++;
        return NGX_OK;
    }

    if (s->depth == 0) {
        return NGX_DONE;
    }

    s->pos++;
    s->line++;

    return NGX_OK;
}


ngx_int_t
ngx_dns_scan_word(ngx_dns_scan_t *s, ngx_dns_word_t *w)
{
    u_char     *p;
    ngx_int_t   rc;

    rc = ngx_dns_scan_next(s);

    if (rc != NGX_OK) {
        return rc;
    }

    p = s->pos;

    if (*p == '"') {
        return ngx_dns_scan_quoted(s, w);
    }

    w->data = p;
    w->quoted = 0;
    w->escaped = 0;

    for ( ;; ) {

        while (ngx_dns_scan_class[*p] == NGX_DNS_SCAN_PLAIN) {
            p++;
        }

        if (*p != '\\') {
            break;
        }

        p++;

        if (p == s->last || *p == '\n' || *p == '\r' || *p == '\0') {
            s->pos = p;
            return ngx_dns_scan_err(s, "backslash at the end of a line");
        }

        w->escaped = 1;
        p++;
    }

    w->len = p - w->data;
    s->pos = p;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_scan_quoted(ngx_dns_scan_t *s, ngx_dns_word_t *w)
{
    u_char  *p;

    p = s->pos + 1;

    w->data = p;
    w->quoted = 1;
    w->escaped = 0;

    while (*p != '"') {

        if (*p == '\\') {
            w->escaped = 1;
            p++;
        }

        if (*p == '\n' || *p == '\0') {

            if (*p == '\0' && p != s->last) {
                return ngx_dns_scan_err(s, "zero octet in the text");
            }

            return ngx_dns_scan_err(s, "quote is not closed");
        }

        p++;
    }

    w->len = p - w->data;
    s->pos = p + 1;

    return NGX_OK;
}


ngx_int_t
ngx_dns_scan_plain(ngx_dns_scan_t *s, ngx_dns_word_t *w, const char *what)
{
    u_char     *p;
    ngx_int_t   rc;

    if (ngx_dns_scan_next(s) == NGX_OK) {

        for (p = s->pos; ngx_dns_scan_class[*p] == NGX_DNS_SCAN_PLAIN; p++) {
            /* void */
        }

        if (p != s->pos && *p != '\\') {
            w->data = s->pos;
            w->len = p - s->pos;
            w->quoted = 0;
            w->escaped = 0;
            s->pos = p;

            return NGX_OK;
        }
    }

    rc = ngx_dns_scan_word(s, w);

    if (rc == NGX_DONE) {
        return ngx_dns_scan_err(s, "no %s", what);
    }

    if (rc == NGX_OK && w->quoted) {
        (void) ngx_dns_scan_err(s, "quotes around the %s", what);
        return NGX_ERROR;
    }

    return rc;
}


ngx_int_t
ngx_dns_scan_number(ngx_dns_scan_t *s, uint32_t max, const char *what,
    uint32_t *n)
{
    u_char     *p, *start;
    uint64_t    value;
    ngx_int_t   rc;

    rc = ngx_dns_scan_next(s);

    if (rc == NGX_ERROR) {
        return rc;
    }

    start = s->pos;
    value = 0;

    for (p = start; *p >= '0' && *p <= '9' && value <= max; p++) {
        value = value * 10 + (*p - '0');
    }

    if (p == start || value > max || ngx_dns_scan_is_word(*p)) {
        return ngx_dns_scan_not_number(s, start, max, what);
    }

    *n = (uint32_t) value;
    s->pos = p;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_scan_not_number(ngx_dns_scan_t *s, u_char *start, uint32_t max,
    const char *what)
{
    u_char          buf[128];
    ngx_dns_word_t  w;

    s->pos = start;

    if (ngx_dns_scan_plain(s, &w, what) != NGX_OK) {
        return NGX_ERROR;
    }

    *ngx_snprintf(buf, sizeof(buf) - 1, "is not a %s from 0 to %uD", what, max)
        = '\0';

    return ngx_dns_scan_err_word(s, &w, (char *) buf);
}


ngx_int_t
ngx_dns_scan_ttl(ngx_dns_scan_t *s, uint32_t max, const char *what,
    uint32_t *n)
{
    u_char     *p, *start, *digits, *end, digit;
    uint32_t    unit;
    uint64_t    value, total;
    ngx_int_t   rc;

    rc = ngx_dns_scan_next(s);

    if (rc == NGX_ERROR) {
        return rc;
    }

    start = s->pos;
    p = start;
    total = 0;

    do {
        digits = p;

        end = p + 11;

        for (value = 0; p < end; p++) {
            digit = (u_char) (*p - '0');

            if (digit > 9) {
                break;
            }

            value = value * 10 + digit;
        }

        if (p == digits || p == end) {
            return ngx_dns_scan_not_ttl(s, start, max, what);
        }

        unit = 1;

        if (ngx_dns_scan_is_word(*p)) {
            unit = ngx_dns_scan_unit(*p++);

        } else if (digits != start) {
            unit = 0;
        }

        total += value * unit;

        if (unit == 0 || total > max) {
            return ngx_dns_scan_not_ttl(s, start, max, what);
        }

    } while (ngx_dns_scan_is_word(*p));

    *n = (uint32_t) total;
    s->pos = p;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_scan_not_ttl(ngx_dns_scan_t *s, u_char *start, uint32_t max,
    const char *what)
{
    u_char          buf[128];
    ngx_dns_word_t  w;

    s->pos = start;

    if (ngx_dns_scan_plain(s, &w, what) != NGX_OK) {
        return NGX_ERROR;
    }

    *ngx_snprintf(buf, sizeof(buf) - 1, "is not a %s (seconds up to %uD, "
                  "or units like 1w2d3h4m5s)", what, max)
        = '\0';

    return ngx_dns_scan_err_word(s, &w, (char *) buf);
}


static uint32_t
ngx_dns_scan_unit(u_char ch)
{
    switch (ch | 0x20) {

    case 'w':
        return 7 * 24 * 60 * 60;

    case 'd':
        return 24 * 60 * 60;

    case 'h':
        return 60 * 60;

    case 'm':
        return 60;

    case 's':
        return 1;
    }

    return 0;
}


/*
 * The usual name has no escape: one pass copies, folds and cuts it.  Whatever
 * is unusual or wrong is left to ngx_dns_name_from_text().
 */

ngx_int_t
ngx_dns_scan_name(ngx_dns_scan_t *s, u_char *dst, size_t *len)
{
    u_char     *p, *d, ch;
    size_t      n;
    ngx_int_t   rc;

    rc = ngx_dns_scan_next(s);

    if (rc == NGX_ERROR) {
        return rc;
    }

    p = s->pos;
    d = dst;

    if (*p == '@') {
        return ngx_dns_scan_name_slow(s, dst, len);
    }

    for ( ;; ) {
        for (n = 0; n <= NGX_DNS_LABEL_MAX; n++) {
            ch = ngx_dns_scan_fold[p[n]];

            if (ch == 0) {
                break;
            }

            d[n + 1] = ch;
        }

        if (n - 1 >= NGX_DNS_LABEL_MAX || d - dst + n + 1 >= NGX_DNS_NAME_MAX)
        {
            return ngx_dns_scan_name_slow(s, dst, len);
        }

        *d = (u_char) n;
        d += n + 1;
        p += n;

        if (*p != '.') {
            break;
        }

        p++;

        if (!ngx_dns_scan_is_word(*p)) {
            *d++ = '\0';
            s->pos = p;
            *len = d - dst;

            return NGX_OK;
        }
    }

    if (*p == '\\' || s->origin == NULL
        || (d - dst) + s->origin_len > NGX_DNS_NAME_MAX)
    {
        return ngx_dns_scan_name_slow(s, dst, len);
    }

    ngx_memcpy(d, s->origin, s->origin_len);

    s->pos = p;
    *len = (d - dst) + s->origin_len;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_scan_name_slow(ngx_dns_scan_t *s, u_char *dst, size_t *len)
{
    u_char          buf[128];
    ngx_str_t       text;
    const char     *err;
    ngx_dns_word_t  w;

    if (ngx_dns_scan_plain(s, &w, "name") != NGX_OK) {
        return NGX_ERROR;
    }

    text.data = w.data;
    text.len = w.len;

    *len = ngx_dns_name_from_text(dst, &text, s->origin, &err);

    if (*len == 0) {
        *ngx_snprintf(buf, sizeof(buf) - 1, "is not a name: %s", err) = '\0';

        return ngx_dns_scan_err_word(s, &w, (char *) buf);
    }

    return NGX_OK;
}


u_char *
ngx_dns_scan_unescape(ngx_dns_scan_t *s, ngx_dns_word_t *w, u_char *dst,
    u_char *last, const char *full)
{
    u_char     *p, *end;
    ngx_int_t   n;

    p = w->data;

    if (!w->escaped) {

        if (w->len > (size_t) (last - dst)) {
            (void) ngx_dns_scan_err_word(s, w, full);
            return NULL;
        }

        return ngx_cpymem(dst, p, w->len);
    }

    end = p + w->len;

    while (p < end) {

        if (dst == last) {
            (void) ngx_dns_scan_err_word(s, w, full);
            return NULL;
        }

        if (*p != '\\') {
            *dst++ = *p++;
            continue;
        }

        n = ngx_dns_scan_octet(p, end, dst++);

        if (n == 0) {
            (void) ngx_dns_scan_err_word(s, w,
                               "has an escape that is not \\000 to \\255");
            return NULL;
        }

        p += n;
    }

    return dst;
}


/* \X or \DDD at p; returns the octets read, 0 if it is broken */

ngx_int_t
ngx_dns_scan_octet(u_char *p, u_char *last, u_char *octet)
{
    ngx_uint_t  n;

    if (p[1] < '0' || p[1] > '9') {
        *octet = p[1];
        return 2;
    }

    if (last - p < 4 || p[2] < '0' || p[2] > '9' || p[3] < '0' || p[3] > '9') {
        return 0;
    }

    n = (p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0');
    *octet = (u_char) n;

    return (n <= 255) ? 4 : 0;
}


ngx_int_t
ngx_dns_scan_end(ngx_dns_scan_t *s)
{
    ngx_int_t       rc;
    ngx_dns_word_t  w;

    if (*s->pos == '\n' && s->depth == 0) {
        return NGX_OK;
    }

    rc = ngx_dns_scan_next(s);

    if (rc == NGX_DONE) {
        return NGX_OK;
    }

    if (rc == NGX_OK && ngx_dns_scan_word(s, &w) == NGX_OK) {
        return ngx_dns_scan_err_word(s, &w, "is too much");
    }

    return NGX_ERROR;
}


ngx_int_t
ngx_dns_scan_skip(ngx_dns_scan_t *s)
{
    u_char          *p;
    ngx_uint_t       quoted;

    quoted = 0;

    for (p = s->pos; p < s->last; p++) {

        switch (*p) {

        case '\n':
            quoted = 0;

            if (s->depth == 0) {
                goto done;
            }

            s->line++;
            break;

        case '\\':
            if (p[1] != '\n') {
                p++;
            }

            break;

        case '"':
            quoted = !quoted;
            break;

        case ';':
            if (!quoted) {
                p = memchr(p, '\n', s->last - p);
                p = (p != NULL) ? p - 1 : s->last - 1;
            }

            break;

        case '(':
            if (!quoted && s->depth++ == 0) {
                s->open_line = s->line;
            }

            break;

        case ')':
            if (!quoted && s->depth > 0) {
                s->depth--;
            }

            break;
        }
    }

    if (s->partial) {
        s->more = 1;
        return NGX_ERROR;
    }

    p = s->last;

done:

    s->pos = p;
    s->depth = 0;

    return NGX_OK;
}


ngx_int_t
ngx_dns_scan_err(ngx_dns_scan_t *s, const char *fmt, ...)
{
    u_char   *p, *last;
    va_list   args;

    if (s->err_len != 0) {
        return NGX_ERROR;
    }

    va_start(args, fmt);
    last = ngx_vslprintf(s->err, s->err + NGX_DNS_SCAN_ERROR, fmt, args);
    va_end(args);

    for (p = s->err; p < last; p++) {
        if (*p < 0x20 || *p == 0x7f) {
            *p = '?';
        }
    }

    s->err_len = last - s->err;
    s->err_line = s->line;

    return NGX_ERROR;
}


ngx_int_t
ngx_dns_scan_err_word(ngx_dns_scan_t *s, ngx_dns_word_t *w, const char *what)
{
    if (w->len > NGX_DNS_SCAN_SHOWN) {
        return ngx_dns_scan_err(s, "\"%*s...\" %s",
                                (size_t) NGX_DNS_SCAN_SHOWN, w->data, what);
    }

    return ngx_dns_scan_err(s, "\"%*s\" %s", w->len, w->data, what);
}
