
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Octets that text shows as hexadecimal digits, base64 or base32hex
 * (RFC 4648).
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


typedef struct {
    ngx_uint_t   bits;                  /* read and not written yet */
    ngx_uint_t   nbits;
    ngx_uint_t   chars;
    ngx_uint_t   pads;
} ngx_dns_rd_bits_t;


static ngx_int_t ngx_dns_rd_hex_add(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b,
    ngx_dns_word_t *w);
static ngx_int_t ngx_dns_rd_hex_done(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b);
static ngx_int_t ngx_dns_rd_base64_add(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b,
    ngx_dns_word_t *w);
static ngx_int_t ngx_dns_rd_base64_done(ngx_dns_rd_t *rd,
    ngx_dns_rd_bits_t *b);
static ngx_uint_t ngx_dns_rd_base64_digit(u_char ch);
static ngx_int_t ngx_dns_rd_dotted_hex(ngx_dns_rd_t *rd, ngx_dns_word_t *w,
    u_char *p);
static const char *ngx_dns_rd_digest_error(ngx_dns_rd_t *rd);


static const u_char  ngx_dns_rd_base64_chars[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static const u_char  ngx_dns_rd_base32_chars[] =
    "0123456789abcdefghijklmnopqrstuv";


ngx_uint_t
ngx_dns_rd_hex_digit(u_char ch)
{
    ngx_uint_t  n;

    n = (ngx_uint_t) ch - '0';

    if (n <= 9) {
        return n;
    }

    n = (ngx_uint_t) (ch | 0x20) - 'a';

    return (n <= 5) ? n + 10 : 16;
}


ngx_int_t
ngx_dns_rd_hex_rest(ngx_dns_rd_t *rd)
{
    ngx_int_t          rc;
    ngx_dns_word_t     w;
    ngx_dns_rd_bits_t  b;

    ngx_memzero(&b, sizeof(ngx_dns_rd_bits_t));

    for ( ;; ) {
        rc = ngx_dns_scan_word(rd->scan, &w);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DONE) {
            return ngx_dns_rd_hex_done(rd, &b);
        }

        if (ngx_dns_rd_hex_add(rd, &b, &w) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


ngx_int_t
ngx_dns_rd_hex_word(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    ngx_dns_rd_bits_t  b;

    ngx_memzero(&b, sizeof(ngx_dns_rd_bits_t));

    if (ngx_dns_rd_hex_add(rd, &b, w) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_rd_hex_done(rd, &b);
}


static ngx_int_t
ngx_dns_rd_hex_add(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b, ngx_dns_word_t *w)
{
    u_char      *p, *last;
    ngx_uint_t   n;

    if (ngx_dns_rd_room(rd, (w->len + (b->chars & 1)) / 2) != NGX_OK) {
        return NGX_ERROR;
    }

    p = w->data;

    for (last = p + w->len; p < last; p++) {
        n = ngx_dns_rd_hex_digit(*p);

        if (n > 15 || w->quoted) {
            return ngx_dns_scan_err_word(rd->scan, w,
                                         "is not hexadecimal");
        }

        b->bits = b->bits << 4 | n;

        if (b->chars++ & 1) {
            *rd->pos++ = (u_char) b->bits;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_rd_hex_done(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b)
{
    if (b->chars & 1) {
        return ngx_dns_scan_err(rd->scan, "odd number of hexadecimal digits");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_hex_scan(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;

    if (ngx_dns_rd_hex_rest(rd) != NGX_OK) {
        return NGX_ERROR;
    }

    if (rd->pos == p) {
        return ngx_dns_scan_err(rd->scan, "no hexadecimal data");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_hex_check(ngx_dns_rd_t *rd)
{
    if (rd->pos == rd->last) {
        return ngx_dns_rd_fail(rd, "the last field is empty");
    }

    rd->pos = rd->last;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_hex_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos = rd->last;

    return ngx_dns_rd_put_hex(rd, p, rd->last - p);
}


ngx_int_t
ngx_dns_rd_put_hex(ngx_dns_rd_t *rd, const u_char *p, size_t len)
{
    const u_char  *last;

    static const u_char  hex[] = "0123456789abcdef";

    if ((size_t) (rd->text_last - rd->text) < 2 * len) {
        return NGX_ERROR;
    }

    for (last = p + len; p < last; p++) {
        *rd->text++ = hex[*p >> 4];
        *rd->text++ = hex[*p & 15];
    }

    return NGX_OK;
}


/* DS and its kin, RFC 4034, 5.3; ZONEMD, RFC 8976, 2.2.4 */

ngx_int_t
ngx_dns_rd_digest_scan(ngx_dns_rd_t *rd)
{
    const char     *err;
    ngx_dns_rd_t    wire;

    wire = *rd;

    if (ngx_dns_rd_hex_scan(rd) != NGX_OK) {
        return NGX_ERROR;
    }

    wire.last = rd->pos;
    err = ngx_dns_rd_digest_error(&wire);

    return (err == NULL) ? NGX_OK : ngx_dns_scan_err(rd->scan, "%s", err);
}


ngx_int_t
ngx_dns_rd_digest_check(ngx_dns_rd_t *rd)
{
    const char  *err;

    err = ngx_dns_rd_digest_error(rd);

    if (err != NULL) {
        return ngx_dns_rd_fail(rd, err);
    }

    rd->pos = rd->last;

    return NGX_OK;
}


static const char *
ngx_dns_rd_digest_error(ngx_dns_rd_t *rd)
{
    size_t      len, want;
    ngx_uint_t  n;

    static const uint8_t  ds[] = { 0, 20, 32, 32, 48, 32, 32 };
    static const uint8_t  zonemd[] = { 0, 48, 64 };

    len = rd->last - rd->pos;
    n = rd->pos[-1];

    if (rd->type == NGX_DNS_TYPE_ZONEMD) {
        want = (n < sizeof(zonemd)) ? zonemd[n] : 0;

        if (len < 12) {
            return "a digest has 12 octets or more";
        }

    } else {
        want = (n < sizeof(ds)) ? ds[n] : 0;
    }

    if (len == 0) {
        return "the digest is empty";
    }

    return (want == 0 || want == len) ? NULL
           : "the length of the digest does not fit its type";
}


ngx_int_t
ngx_dns_rd_base64_scan(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;

    if (ngx_dns_rd_optbase64_scan(rd) != NGX_OK) {
        return NGX_ERROR;
    }

    if (rd->pos == p) {
        return ngx_dns_scan_err(rd->scan, "no base64 data");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_optbase64_scan(ngx_dns_rd_t *rd)
{
    ngx_int_t          rc;
    ngx_dns_word_t     w;
    ngx_dns_rd_bits_t  b;

    ngx_memzero(&b, sizeof(ngx_dns_rd_bits_t));

    for ( ;; ) {
        rc = ngx_dns_scan_word(rd->scan, &w);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DONE) {
            return ngx_dns_rd_base64_done(rd, &b);
        }

        if (ngx_dns_rd_base64_add(rd, &b, &w) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


ngx_int_t
ngx_dns_rd_base64_word(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    ngx_dns_rd_bits_t  b;

    ngx_memzero(&b, sizeof(ngx_dns_rd_bits_t));

    if (ngx_dns_rd_base64_add(rd, &b, w) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_rd_base64_done(rd, &b);
}


static ngx_int_t
ngx_dns_rd_base64_add(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b,
    ngx_dns_word_t *w)
{
    u_char      *p, *last;
    ngx_uint_t   n;

    if (ngx_dns_rd_room(rd, w->len) != NGX_OK) {
        return NGX_ERROR;
    }

    p = w->data;

    for (last = p + w->len; p < last; p++) {

        if (*p == '=' && !w->quoted) {
            b->pads++;
            continue;
        }

        n = ngx_dns_rd_base64_digit(*p);

        if (n > 63 || b->pads > 0 || w->quoted) {
            return ngx_dns_scan_err_word(rd->scan, w, "is not base64");
        }

        b->bits = b->bits << 6 | n;
        b->nbits += 6;
        b->chars++;

        if (b->nbits >= 8) {
            b->nbits -= 8;
            *rd->pos++ = (u_char) (b->bits >> b->nbits);
        }
    }

    return NGX_OK;
}


/* RFC 4648, 3.2 and 3.5: pads are wanted, and the bits behind are zero */

static ngx_int_t
ngx_dns_rd_base64_done(ngx_dns_rd_t *rd, ngx_dns_rd_bits_t *b)
{
    if ((b->chars + b->pads) % 4 != 0 || b->pads > 2
        || (b->bits & (((ngx_uint_t) 1 << b->nbits) - 1)) != 0)
    {
        return ngx_dns_scan_err(rd->scan, "base64 data is cut off");
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_dns_rd_base64_digit(u_char ch)
{
    if (ch >= 'A' && ch <= 'Z') {
        return ch - 'A';
    }

    if (ch >= 'a' && ch <= 'z') {
        return ch - 'a' + 26;
    }

    if (ch >= '0' && ch <= '9') {
        return ch - '0' + 52;
    }

    return (ch == '+') ? 62 : (ch == '/') ? 63 : 64;
}


ngx_int_t
ngx_dns_rd_optbase64_check(ngx_dns_rd_t *rd)
{
    rd->pos = rd->last;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_base64_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos = rd->last;

    return ngx_dns_rd_put_base64(rd, p, rd->last - p);
}


ngx_int_t
ngx_dns_rd_put_base64(ngx_dns_rd_t *rd, const u_char *p, size_t len)
{
    ngx_uint_t  bits;

    if ((size_t) (rd->text_last - rd->text) < (len + 2) / 3 * 4) {
        return NGX_ERROR;
    }

    while (len > 0) {
        bits = (ngx_uint_t) p[0] << 16;
        bits |= (len > 1) ? (ngx_uint_t) p[1] << 8 : 0;
        bits |= (len > 2) ? p[2] : 0;

        *rd->text++ = ngx_dns_rd_base64_chars[bits >> 18];
        *rd->text++ = ngx_dns_rd_base64_chars[bits >> 12 & 63];
        *rd->text++ = (len > 1) ? ngx_dns_rd_base64_chars[bits >> 6 & 63]
                                : '=';
        *rd->text++ = (len > 2) ? ngx_dns_rd_base64_chars[bits & 63] : '=';

        if (len < 3) {
            break;
        }

        p += 3;
        len -= 3;
    }

    return NGX_OK;
}


/* the data of DOA: "-" stands for none */

ngx_int_t
ngx_dns_rd_data_scan(ngx_dns_rd_t *rd)
{
    ngx_dns_scan_t  *s;

    s = rd->scan;

    if (ngx_dns_scan_next(s) == NGX_OK
        && s->pos[0] == '-' && !ngx_dns_scan_is_word(s->pos[1]))
    {
        s->pos++;
        return NGX_OK;
    }

    return ngx_dns_rd_base64_scan(rd);
}


ngx_int_t
ngx_dns_rd_data_print(ngx_dns_rd_t *rd)
{
    if (rd->pos == rd->last) {
        return ngx_dns_rd_put(rd, (u_char *) "-", 1);
    }

    return ngx_dns_rd_base64_print(rd);
}


/* RFC 5155, 3.3: one word, "-" for an empty salt */

ngx_int_t
ngx_dns_rd_salt_scan(ngx_dns_rd_t *rd)
{
    u_char          *len;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_plain(rd->scan, &w, "salt") != NGX_OK
        || ngx_dns_rd_room(rd, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    len = rd->pos++;

    if ((w.len != 1 || w.data[0] != '-')
        && ngx_dns_rd_hex_word(rd, &w) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (rd->pos - len - 1 > 255) {
        return ngx_dns_scan_err_word(rd->scan, &w,
                                     "is longer than 255 octets");
    }

    *len = (u_char) (rd->pos - len - 1);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_salt_check(ngx_dns_rd_t *rd)
{
    return ngx_dns_rd_string_check(rd);
}


ngx_int_t
ngx_dns_rd_salt_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos += 1 + *p;

    if (*p == 0) {
        return ngx_dns_rd_put(rd, (u_char *) "-", 1);
    }

    return ngx_dns_rd_put_hex(rd, p + 1, *p);
}


/* RFC 5155, 3.3: one word of base32hex without pads */

ngx_int_t
ngx_dns_rd_hash_scan(ngx_dns_rd_t *rd)
{
    u_char          *p, *last, *len;
    ngx_uint_t       n, bits, nbits;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_plain(rd->scan, &w, "hashed name") != NGX_OK
        || ngx_dns_rd_room(rd, 1 + w.len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    len = rd->pos++;
    p = w.data;
    bits = 0;
    nbits = 0;

    for (last = p + w.len; p < last; p++) {
        n = (ngx_uint_t) *p - '0';

        if (n > 9) {
            n = (ngx_uint_t) (*p | 0x20) - 'a' + 10;

            if (n < 10 || n > 31) {
                goto failed;
            }
        }

        bits = bits << 5 | n;
        nbits += 5;

        if (nbits >= 8) {
            nbits -= 8;
            *rd->pos++ = (u_char) (bits >> nbits);
        }
    }

    n = rd->pos - len - 1;

    if (nbits >= 5 || (bits & (((ngx_uint_t) 1 << nbits) - 1)) != 0
        || n == 0 || n > 255)
    {
        goto failed;
    }

    *len = (u_char) n;

    return NGX_OK;

failed:

    return ngx_dns_scan_err_word(rd->scan, &w, "is not base32hex");
}


ngx_int_t
ngx_dns_rd_hash_check(ngx_dns_rd_t *rd)
{
    if (rd->pos < rd->last && *rd->pos == 0) {
        return ngx_dns_rd_fail(rd, "the hash is empty");
    }

    return ngx_dns_rd_string_check(rd);
}


ngx_int_t
ngx_dns_rd_hash_print(ngx_dns_rd_t *rd)
{
    u_char      *p, *last;
    ngx_uint_t   bits, nbits;

    p = rd->pos;
    last = p + 1 + *p;
    rd->pos = last;

    if ((rd->text_last - rd->text) < (*p * 8 + 4) / 5) {
        return NGX_ERROR;
    }

    bits = 0;
    nbits = 0;

    for (p++; p < last; p++) {
        bits = bits << 8 | *p;
        nbits += 8;

        while (nbits >= 5) {
            nbits -= 5;
            *rd->text++ = ngx_dns_rd_base32_chars[bits >> nbits & 31];
        }
    }

    if (nbits > 0) {
        *rd->text++ = ngx_dns_rd_base32_chars[bits << (5 - nbits) & 31];
    }

    return NGX_OK;
}


/* RFC 8005, 5 and 6: the lengths in front are not in the text */

ngx_int_t
ngx_dns_rd_hip_scan(ngx_dns_rd_t *rd)
{
    u_char          *head;
    size_t           len;
    uint32_t         algorithm;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_number(rd->scan, 255, "algorithm", &algorithm) != NGX_OK
        || ngx_dns_rd_room(rd, 4) != NGX_OK
        || ngx_dns_scan_plain(rd->scan, &w, "host identity tag") != NGX_OK)
    {
        return NGX_ERROR;
    }

    head = rd->pos;
    rd->pos += 4;

    if (ngx_dns_rd_hex_word(rd, &w) != NGX_OK) {
        return NGX_ERROR;
    }

    len = rd->pos - head - 4;

    if (len > 255) {
        return ngx_dns_scan_err_word(rd->scan, &w,
                                     "is longer than 255 octets");
    }

    head[0] = (u_char) len;
    head[1] = (u_char) algorithm;

    if (ngx_dns_scan_plain(rd->scan, &w, "host identity") != NGX_OK
        || ngx_dns_rd_base64_word(rd, &w) != NGX_OK)
    {
        return NGX_ERROR;
    }

    len = rd->pos - head - 4 - len;

    if (len > 65535) {
        return ngx_dns_scan_err(rd->scan, "rdata is too long");
    }

    (void) ngx_dns_put16(head + 2, len);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_hip_check(ngx_dns_rd_t *rd)
{
    size_t  tag, key;

    if (ngx_dns_rd_need(rd, 4) != NGX_OK) {
        return NGX_ERROR;
    }

    tag = rd->pos[0];
    key = ngx_dns_get16(rd->pos + 2);

    if (tag == 0 || key == 0) {
        return ngx_dns_rd_fail(rd, "the host identity is empty");
    }

    if (ngx_dns_rd_need(rd, 4 + tag + key) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos += 4 + tag + key;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_hip_print(ngx_dns_rd_t *rd)
{
    u_char  *p;
    size_t   tag, key;

    p = rd->pos;
    tag = p[0];
    key = ngx_dns_get16(p + 2);
    rd->pos += 4 + tag + key;

    if (ngx_dns_rd_printf(rd, "%ui ", (ngx_uint_t) p[1]) != NGX_OK
        || ngx_dns_rd_put_hex(rd, p + 4, tag) != NGX_OK
        || ngx_dns_rd_put(rd, (u_char *) " ", 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_dns_rd_put_base64(rd, p + 4 + tag, key);
}


/* RFC 1706, 5: 0x and hexadecimal digits, with dots between for the eye */

ngx_int_t
ngx_dns_rd_nsap_scan(ngx_dns_rd_t *rd)
{
    u_char          *start;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_plain(rd->scan, &w, "NSAP address") != NGX_OK) {
        return NGX_ERROR;
    }

    if (w.len < 4 || w.data[0] != '0' || (w.data[1] | 0x20) != 'x') {
        return ngx_dns_scan_err_word(rd->scan, &w,
                                     "is not an NSAP address like 0x47.0005");
    }

    start = rd->pos;

    if (ngx_dns_rd_dotted_hex(rd, &w, w.data + 2) != NGX_OK) {
        return NGX_ERROR;
    }

    if (rd->pos == start) {
        return ngx_dns_scan_err_word(rd->scan, &w, "has no digits");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_rd_dotted_hex(ngx_dns_rd_t *rd, ngx_dns_word_t *w, u_char *p)
{
    u_char      *last;
    ngx_uint_t   n, high, digits;

    if (ngx_dns_rd_room(rd, w->len / 2) != NGX_OK) {
        return NGX_ERROR;
    }

    digits = 0;
    high = 0;

    for (last = w->data + w->len; p < last; p++) {

        if (*p == '.' && digits > 0 && p[-1] != '.') {
            continue;
        }

        n = ngx_dns_rd_hex_digit(*p);

        if (n > 15) {
            return ngx_dns_scan_err_word(rd->scan, w, "is not hexadecimal");
        }

        if (digits++ & 1) {
            *rd->pos++ = (u_char) (high << 4 | n);
        }

        high = n;
    }

    if (digits & 1) {
        return ngx_dns_scan_err_word(rd->scan, w,
                                     "has an odd number of digits");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_nsap_print(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_put(rd, (u_char *) "0x", 2) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_rd_hex_print(rd);
}


/*
 * The ATM Forum's af-saa-0069.000: a format octet, then an end system
 * address (0: octets, in text dotted hexadecimal) or a telephone number
 * (1: digits, in text behind a plus).
 */

ngx_int_t
ngx_dns_rd_atma_scan(ngx_dns_rd_t *rd)
{
    u_char          *p, *last;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_plain(rd->scan, &w, "ATM address") != NGX_OK
        || ngx_dns_rd_room(rd, w.len + 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (w.data[0] != '+') {
        *rd->pos++ = 0;

        return ngx_dns_rd_dotted_hex(rd, &w, w.data);
    }

    *rd->pos++ = 1;
    p = w.data + 1;
    last = w.data + w.len;

    while (p < last) {

        if (*p == '.' && p[-1] != '.' && p[-1] != '+') {
            p++;
            continue;
        }

        if (*p < '0' || *p > '9') {
            break;
        }

        *rd->pos++ = *p++;
    }

    if (p < last || w.len == 1) {
        return ngx_dns_scan_err_word(rd->scan, &w,
                                     "is not an ATM address like +61200003");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_atma_check(ngx_dns_rd_t *rd)
{
    u_char  *p;

    if (rd->last - rd->pos < 2) {
        return ngx_dns_rd_fail(rd, "the ATM address is empty");
    }

    for (p = rd->pos + 1; p < rd->last && *rd->pos == 1; p++) {

        if (*p < '0' || *p > '9') {
            return ngx_dns_rd_fail(rd, "a telephone number has digits only");
        }
    }

    rd->pos = rd->last;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_atma_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos = rd->last;

    if (*p == 0) {
        return ngx_dns_rd_put_hex(rd, p + 1, rd->last - p - 1);
    }

    if (*p > 1 || ngx_dns_rd_put(rd, (u_char *) "+", 1) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_rd_put(rd, p + 1, rd->last - p - 1);
}
