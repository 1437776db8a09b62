
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_json.h"


#define NGX_DNS_JSON_BUFFER    4096     /* a page, which is cheap to get */
#define NGX_DNS_JSON_DIGITS    15       /* of a number that is looked at */
#define NGX_DNS_JSON_EXPONENT  100000000


typedef struct {
    u_char          *pos;
    u_char          *last;
    u_char          *text;              /* where the next string goes */
    ngx_dns_json_t  *token;             /* the next one */
    ngx_dns_json_t  *end;               /* more cannot be in the text */
    ngx_dns_json_t  *open;              /* list or object that it is in */
    const char      *err;
} ngx_dns_json_reader_t;


static size_t ngx_dns_json_room(ngx_dns_json_buf_t *buf, size_t len);
static ngx_int_t ngx_dns_json_read(ngx_dns_json_reader_t *r);
static ngx_int_t ngx_dns_json_value(ngx_dns_json_reader_t *r);
static ngx_int_t ngx_dns_json_name(ngx_dns_json_reader_t *r);
static ngx_int_t ngx_dns_json_begin(ngx_dns_json_reader_t *r,
    ngx_uint_t type, u_char end);
static ngx_int_t ngx_dns_json_more(ngx_dns_json_reader_t *r);
static ngx_int_t ngx_dns_json_word(ngx_dns_json_reader_t *r, const char *word,
    size_t len, ngx_uint_t type);
static ngx_int_t ngx_dns_json_digits(ngx_dns_json_reader_t *r);
static ngx_int_t ngx_dns_json_text(ngx_dns_json_reader_t *r, u_char **data,
    uint32_t *len);
static size_t ngx_dns_json_utf8(u_char *p, u_char *last);
static u_char *ngx_dns_json_escape(ngx_dns_json_reader_t *r, u_char *dst);
static ngx_int_t ngx_dns_json_hex(ngx_dns_json_reader_t *r);
static ngx_uint_t ngx_dns_json_same(ngx_dns_json_t *value, const char *name);


/* 1: octets of a string that stand for themselves */

static const uint8_t  ngx_dns_json_plain[256] = {
    [' ' ... '!'] = 1, ['#' ... '['] = 1, [']' ... 0x7f] = 1
};


/*
 * Octets of the tokens, for which there is room then.  Each takes two octets
 * of text or more, but the first one and one that never ends; strings need no
 * more room than they have with their quotes.
 */

static size_t
ngx_dns_json_room(ngx_dns_json_buf_t *buf, size_t len)
{
    size_t  n, size;

    n = (len / 2 + 3) * sizeof(ngx_dns_json_t);

    if (n + len + 1 <= buf->size) {
        return n;
    }

    ngx_dns_json_free(buf);

    for (size = NGX_DNS_JSON_BUFFER; size < n + len + 1; size *= 2) {
        /* void */
    }

    buf->data = buf->mem->map(buf->mem->data, size);
    if (buf->data == NULL) {
        return 0;
    }

    buf->size = size;

    return n;
}


void
ngx_dns_json_free(ngx_dns_json_buf_t *buf)
{
    if (buf->data != NULL) {
        buf->mem->unmap(buf->mem->data, buf->data, buf->size);
    }

    buf->data = NULL;
    buf->size = 0;
}


ngx_dns_json_t *
ngx_dns_json_load(ngx_dns_json_buf_t *buf, ngx_str_t *text, const char **err)
{
    size_t                  n;
    ngx_dns_json_reader_t   r;

    if (text->len > NGX_DNS_JSON_MAX) {
        *err = "is larger than 4 MiB";
        return NULL;
    }

    n = ngx_dns_json_room(buf, text->len);

    if (n == 0) {
        *err = NULL;
        return NULL;
    }

    r.pos = text->data;
    r.last = text->data + text->len;
    r.token = (ngx_dns_json_t *) buf->data;
    r.end = r.token + text->len / 2 + 2;
    r.text = buf->data + n;
    r.open = NULL;
    r.err = "is not JSON";

    if (ngx_dns_json_read(&r) != NGX_OK) {
        *err = r.err;
        return NULL;
    }

    return (ngx_dns_json_t *) buf->data;
}


static ngx_inline void
ngx_dns_json_blank(ngx_dns_json_reader_t *r)
{
    while (r->pos < r->last
           && (*r->pos == ' ' || *r->pos == '\t' || *r->pos == '\n'
               || *r->pos == '\r'))
    {
        r->pos++;
    }
}


/* goes on behind an octet, or NGX_ERROR if it is not there */

static ngx_inline ngx_int_t
ngx_dns_json_expect(ngx_dns_json_reader_t *r, u_char ch)
{
    ngx_dns_json_blank(r);

    if (r->pos == r->last || *r->pos != ch) {
        return NGX_ERROR;
    }

    r->pos++;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_json_read(ngx_dns_json_reader_t *r)
{
    ngx_int_t  rc;

    r->token->name = NULL;
    r->token->name_len = 0;

    for ( ;; ) {
        rc = ngx_dns_json_value(r);

        if (rc == NGX_OK) {
            rc = ngx_dns_json_more(r);
        }

        if (rc == NGX_DONE) {
            break;
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    ngx_dns_json_blank(r);

    return (r->pos == r->last) ? NGX_OK : NGX_ERROR;
}


/* NGX_OK: a value has ended; NGX_AGAIN: a list or object has begun */

static ngx_int_t
ngx_dns_json_value(ngx_dns_json_reader_t *r)
{
    ngx_dns_json_t  *token;

    ngx_dns_json_blank(r);

    if (r->pos == r->last || r->token == r->end) {
        return NGX_ERROR;
    }

    token = r->token;

    switch (*r->pos) {

    case '{':
        return ngx_dns_json_begin(r, NGX_DNS_JSON_OBJECT, '}');

    case '[':
        return ngx_dns_json_begin(r, NGX_DNS_JSON_LIST, ']');

    case '"':
        token->type = NGX_DNS_JSON_STRING;
        token->size = 1;
        r->token++;

        return ngx_dns_json_text(r, &token->data, &token->len);

    case 't':
        return ngx_dns_json_word(r, "true", 4, NGX_DNS_JSON_TRUE);

    case 'f':
        return ngx_dns_json_word(r, "false", 5, NGX_DNS_JSON_FALSE);

    case 'n':
        return ngx_dns_json_word(r, "null", 4, NGX_DNS_JSON_NULL);

    default:
        return ngx_dns_json_digits(r);
    }
}


/* the name of the next token, which is a member */

static ngx_int_t
ngx_dns_json_name(ngx_dns_json_reader_t *r)
{
    ngx_dns_json_blank(r);

    if (r->pos == r->last || *r->pos != '"'
        || ngx_dns_json_text(r, &r->token->name, &r->token->name_len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_dns_json_expect(r, ':');
}


/* while a list or object is open, its size leads to the one that it is in */

static ngx_int_t
ngx_dns_json_begin(ngx_dns_json_reader_t *r, ngx_uint_t type, u_char end)
{
    ngx_dns_json_t  *token;

    token = r->token++;
    token->type = (uint32_t) type;
    r->pos++;

    if (ngx_dns_json_expect(r, end) == NGX_OK) {
        token->size = 1;
        return NGX_OK;
    }

    token->size = (r->open == NULL) ? 0 : (uint32_t) (token - r->open);
    r->open = token;

    if (type == NGX_DNS_JSON_OBJECT) {
        return (ngx_dns_json_name(r) == NGX_OK) ? NGX_AGAIN : NGX_ERROR;
    }

    r->token->name = NULL;
    r->token->name_len = 0;

    return NGX_AGAIN;
}


/* behind a value: NGX_AGAIN if there is another one, NGX_DONE if not */

static ngx_int_t
ngx_dns_json_more(ngx_dns_json_reader_t *r)
{
    ngx_dns_json_t  *open;

    while (r->open != NULL) {
        open = r->open;

        if (ngx_dns_json_expect(r, ',') == NGX_OK) {

            if (open->type == NGX_DNS_JSON_OBJECT) {
                return (ngx_dns_json_name(r) == NGX_OK) ? NGX_AGAIN
                                                        : NGX_ERROR;
            }

            r->token->name = NULL;
            r->token->name_len = 0;

            return NGX_AGAIN;
        }

        if (ngx_dns_json_expect(r, open->type == NGX_DNS_JSON_OBJECT
                                   ? '}' : ']')
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        r->open = (open->size == 0) ? NULL : open - open->size;
        open->size = (uint32_t) (r->token - open);
    }

    return NGX_DONE;
}


static ngx_int_t
ngx_dns_json_word(ngx_dns_json_reader_t *r, const char *word, size_t len,
    ngx_uint_t type)
{
    if ((size_t) (r->last - r->pos) < len
        || ngx_memcmp(r->pos, word, len) != 0)
    {
        return NGX_ERROR;
    }

    r->token->type = (uint32_t) type;
    r->token->size = 1;
    r->token++;
    r->pos += len;

    return NGX_OK;
}


static ngx_inline ngx_uint_t
ngx_dns_json_skip_digits(ngx_dns_json_reader_t *r)
{
    u_char  *p;

    p = r->pos;

    while (r->pos < r->last && *r->pos >= '0' && *r->pos <= '9') {
        r->pos++;
    }

    return r->pos - p;
}


static ngx_int_t
ngx_dns_json_digits(ngx_dns_json_reader_t *r)
{
    u_char          *start;
    ngx_uint_t       n;
    ngx_dns_json_t  *token;

    start = r->pos;

    if (*r->pos == '-') {
        r->pos++;
    }

    n = ngx_dns_json_skip_digits(r);

    if (n == 0 || (n > 1 && r->pos[- (ngx_int_t) n] == '0')) {
        return NGX_ERROR;
    }

    if (r->pos < r->last && *r->pos == '.') {
        r->pos++;

        if (ngx_dns_json_skip_digits(r) == 0) {
            return NGX_ERROR;
        }
    }

    if (r->pos < r->last && (*r->pos | 0x20) == 'e') {
        r->pos++;

        if (r->pos < r->last && (*r->pos == '+' || *r->pos == '-')) {
            r->pos++;
        }

        if (ngx_dns_json_skip_digits(r) == 0) {
            return NGX_ERROR;
        }
    }

    token = r->token++;
    token->type = NGX_DNS_JSON_NUMBER;
    token->size = 1;
    token->data = start;
    token->len = (uint32_t) (r->pos - start);

    return NGX_OK;
}


/* a string at its quote, copied without its escapes */

static ngx_int_t
ngx_dns_json_text(ngx_dns_json_reader_t *r, u_char **data, uint32_t *len)
{
    u_char  *p, *dst;
    size_t   n;

    dst = r->text;
    *data = dst;
    r->pos++;

    for ( ;; ) {

        for (p = r->pos; p < r->last && ngx_dns_json_plain[*p]; p++) {
            *dst++ = *p;
        }

        r->pos = p;

        if (p == r->last || *p < 0x20) {
            return NGX_ERROR;
        }

        if (*p == '"') {
            r->pos++;
            break;
        }

        if (*p == '\\') {
            dst = ngx_dns_json_escape(r, dst);

            if (dst == NULL) {
                return NGX_ERROR;
            }

            continue;
        }

        n = ngx_dns_json_utf8(p, r->last);

        if (n == 0) {
            r->err = "is not JSON: it has octets that are not UTF-8";
            return NGX_ERROR;
        }

        dst = ngx_cpymem(dst, p, n);
        r->pos += n;
    }

    *len = (uint32_t) (dst - *data);
    *dst++ = '\0';
    r->text = dst;

    return NGX_OK;
}


/* octets of a character of two or more, or 0: RFC 3629, 4 */

static size_t
ngx_dns_json_utf8(u_char *p, u_char *last)
{
    size_t  i, n;
    u_char  low, high;

    low = 0x80;
    high = 0xbf;

    if (*p >= 0xc2 && *p <= 0xdf) {
        n = 2;

    } else if (*p >= 0xe0 && *p <= 0xef) {
        n = 3;
        low = (*p == 0xe0) ? 0xa0 : low;
        high = (*p == 0xed) ? 0x9f : high;

    } else if (*p >= 0xf0 && *p <= 0xf4) {
        n = 4;
        low = (*p == 0xf0) ? 0x90 : low;
        high = (*p == 0xf4) ? 0x8f : high;

    } else {
        return 0;
    }

    if ((size_t) (last - p) < n || p[1] < low || p[1] > high) {
        return 0;
    }

    for (i = 2; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }

    return n;
}


/* an escape at pos, its character to dst; NULL: it is none */

static u_char *
ngx_dns_json_escape(ngx_dns_json_reader_t *r, u_char *dst)
{
    u_char     ch;
    ngx_int_t  n, low;

    static const u_char  from[] = "\"\\/bfnrt";
    static const u_char  to[] = "\"\\/\b\f\n\r\t";

    if (r->last - r->pos < 2) {
        return NULL;
    }

    ch = r->pos[1];
    r->pos += 2;

    if (ch != 'u') {
        for (n = 0; from[n] != ch; n++) {
            if (from[n] == '\0') {
                return NULL;
            }
        }

        if (ch == '\0') {
            return NULL;
        }

        *dst++ = to[n];

        return dst;
    }

    n = ngx_dns_json_hex(r);

    if (n == NGX_ERROR || (n >= 0xdc00 && n <= 0xdfff)) {
        return NULL;
    }

    if (n >= 0xd800 && n <= 0xdbff) {

        /* the first of two that are one character */

        if (r->last - r->pos < 2 || r->pos[0] != '\\' || r->pos[1] != 'u') {
            return NULL;
        }

        r->pos += 2;
        low = ngx_dns_json_hex(r);

        if (low < 0xdc00 || low > 0xdfff) {
            return NULL;
        }

        n = 0x10000 + ((n - 0xd800) << 10) + (low - 0xdc00);

        *dst++ = (u_char) (0xf0 | n >> 18);
        *dst++ = (u_char) (0x80 | (n >> 12 & 0x3f));
        *dst++ = (u_char) (0x80 | (n >> 6 & 0x3f));
        *dst++ = (u_char) (0x80 | (n & 0x3f));

        return dst;
    }

    if (n >= 0x800) {
        *dst++ = (u_char) (0xe0 | n >> 12);
        *dst++ = (u_char) (0x80 | (n >> 6 & 0x3f));
        *dst++ = (u_char) (0x80 | (n & 0x3f));

    } else if (n >= 0x80) {
        *dst++ = (u_char) (0xc0 | n >> 6);
        *dst++ = (u_char) (0x80 | (n & 0x3f));

    } else {
        *dst++ = (u_char) n;
    }

    return dst;
}


/* four digits behind \u */

static ngx_int_t
ngx_dns_json_hex(ngx_dns_json_reader_t *r)
{
    ngx_int_t  n;

    if (r->last - r->pos < 4) {
        return NGX_ERROR;
    }

    n = ngx_hextoi(r->pos, 4);
    r->pos += 4;

    return n;
}


/* name in lower case */

static ngx_uint_t
ngx_dns_json_same(ngx_dns_json_t *value, const char *name)
{
    u_char    ch;
    uint32_t  i;

    for (i = 0; i < value->name_len; i++) {
        ch = value->name[i];

        if (ch >= 'A' && ch <= 'Z') {
            ch |= 0x20;
        }

        if (ch != (u_char) name[i] || ch == '\0') {
            return 0;
        }
    }

    return name[i] == '\0';
}


void
ngx_dns_json_members(ngx_dns_json_t *object, ngx_dns_json_member_t *members,
    ngx_uint_t n)
{
    ngx_uint_t       i;
    ngx_dns_json_t  *value;

    for (i = 0; i < n; i++) {
        members[i].value = NULL;
    }

    for (value = ngx_dns_json_first(object);
         value != ngx_dns_json_end(object);
         value = ngx_dns_json_next(value))
    {
        for (i = 0; i < n; i++) {

            if (ngx_dns_json_same(value, members[i].name)) {
                members[i].value = (value->type == NGX_DNS_JSON_NULL) ? NULL
                                                                      : value;
                break;
            }
        }
    }
}


/*
 * The digits, without a point and zeros at both ends, are times ten to the
 * power of scale: no rounding, however the number is written.
 */

ngx_int_t
ngx_dns_json_number(ngx_dns_json_t *value, int64_t max, int64_t *n)
{
    u_char     *p, *last;
    int64_t     i, scale, exponent, digits, zeros;
    ngx_uint_t  minus, point, down;

    if (value->type != NGX_DNS_JSON_NUMBER) {
        return NGX_DECLINED;
    }

    p = value->data;
    last = p + value->len;
    minus = (*p == '-');
    p += minus;

    i = 0;
    digits = 0;
    zeros = 0;
    scale = 0;
    point = 0;

    for ( /* void */ ; p < last && (*p | 0x20) != 'e'; p++) {

        if (*p == '.') {
            point = 1;
            continue;
        }

        scale -= point;

        if (*p == '0') {
            zeros++;
            continue;
        }

        /* zeros in front of a digit count, but not those in front of all */

        digits = (digits == 0) ? 1 : digits + zeros + 1;

        if (digits <= NGX_DNS_JSON_DIGITS) {
            for ( /* void */ ; zeros > 0 && i > 0; zeros--) {
                i *= 10;
            }

            i = i * 10 + (*p - '0');
        }

        zeros = 0;
    }

    scale += zeros;
    exponent = 0;

    if (p < last) {
        p++;
        down = (*p == '-');
        p += (*p == '-' || *p == '+');

        for ( /* void */ ; p < last; p++) {
            exponent = ngx_min(exponent * 10 + (*p - '0'),
                               NGX_DNS_JSON_EXPONENT);
        }

        scale += down ? -exponent : exponent;
    }

    if (digits == 0) {
        *n = 0;
        return NGX_OK;
    }

    if (scale < 0) {
        return NGX_DECLINED;
    }

    if (minus) {
        *n = -1;
        return NGX_OK;
    }

    if (digits + scale > NGX_DNS_JSON_DIGITS) {
        *n = max + 1;
        return NGX_OK;
    }

    while (scale-- > 0) {
        i *= 10;
    }

    *n = (i > max) ? max + 1 : i;

    return NGX_OK;
}


ngx_int_t
ngx_dns_json_flag(ngx_dns_json_t *value, ngx_uint_t *flag)
{
    if (value->type != NGX_DNS_JSON_FALSE && value->type != NGX_DNS_JSON_TRUE)
    {
        return NGX_DECLINED;
    }

    *flag = (value->type == NGX_DNS_JSON_TRUE);

    return NGX_OK;
}


ngx_int_t
ngx_dns_json_string(ngx_dns_json_t *value, ngx_str_t *s)
{
    if (value->type != NGX_DNS_JSON_STRING) {
        return NGX_DECLINED;
    }

    s->data = value->data;
    s->len = value->len;

    return NGX_OK;
}
