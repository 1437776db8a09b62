
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_name.h"


#define NGX_DNS_ONES   0x0101010101010101ULL
#define NGX_DNS_HIGH   0x8080808080808080ULL


static ngx_inline uint64_t ngx_dns_load64(const u_char *p);
static ngx_inline uint64_t ngx_dns_lower64(uint64_t x);
static ngx_inline uint64_t ngx_dns_fold(uint64_t a, uint64_t b);
static ngx_inline uint64_t ngx_dns_hash_head(const u_char **p, size_t *n,
    uint64_t hash, ngx_dns_key_t *key);
static ngx_inline uint64_t ngx_dns_hash_slack(const u_char *label,
    uint64_t hash, ngx_dns_key_t *key);
static void ngx_dns_name_hash(ngx_dns_name_t *name, ngx_dns_key_t *key);
static ngx_int_t ngx_dns_name_escape(u_char *p, u_char *last,
    ngx_uint_t *octet);
static u_char *ngx_dns_name_labels_from_text(u_char *dst, u_char *p,
    u_char *last, u_char **label, const char **err);


static const char  ngx_dns_name_too_long[] = "name is longer than 255 octets";


static ngx_inline uint64_t
ngx_dns_load64(const u_char *p)
{
    uint64_t  x;

    ngx_memcpy(&x, p, 8);

#if !(NGX_HAVE_LITTLE_ENDIAN)
    x = __builtin_bswap64(x);
#endif

    return x;
}


/*
 * Eight octets at once: bit 7 of "upper" marks A-Z.  Length octets of labels
 * are below 'A', so a whole name can be folded.
 */

static ngx_inline uint64_t
ngx_dns_lower64(uint64_t x)
{
    uint64_t  low, upper;

    low = x & ~NGX_DNS_HIGH;
    upper = (low + (0x80 - 'A') * NGX_DNS_ONES)
            ^ (low + (0x7f - 'Z') * NGX_DNS_ONES);

    return x | ((upper & ~x & NGX_DNS_HIGH) >> 2);
}


static ngx_inline uint64_t
ngx_dns_fold(uint64_t a, uint64_t b)
{
    __uint128_t  r;

    r = (__uint128_t) a * b;

    return (uint64_t) r ^ (uint64_t) (r >> 64);
}


/* all but the last 1 to 8 of the n octets at *p, which moves there */

static ngx_inline uint64_t
ngx_dns_hash_head(const u_char **p, size_t *n, uint64_t hash,
    ngx_dns_key_t *key)
{
    while (*n > 8) {
        hash = ngx_dns_fold(hash ^ ngx_dns_load64(*p), key->k[1]);
        *p += 8;
        *n -= 8;
    }

    return hash;
}


/* may read up to 7 octets behind the label */

static ngx_inline uint64_t
ngx_dns_hash_slack(const u_char *label, uint64_t hash, ngx_dns_key_t *key)
{
    size_t    n;
    uint64_t  x;

    n = (size_t) label[0] + 1;
    hash = ngx_dns_hash_head(&label, &n, hash, key);

    x = ngx_dns_load64(label) & (~(uint64_t) 0 >> (8 * (8 - n)));

    return ngx_dns_fold(hash ^ x, key->k[1]);
}


uint64_t
ngx_dns_name_hash_label(const u_char *label, uint64_t hash,
    ngx_dns_key_t *key)
{
    size_t    n;
    uint64_t  x;

    n = (size_t) label[0] + 1;
    hash = ngx_dns_hash_head(&label, &n, hash, key);

    for (x = 0; n > 0; n--) {
        x = x << 8 | label[n - 1];
    }

    return ngx_dns_fold(hash ^ x, key->k[1]);
}


uint64_t
ngx_dns_name_hash_root(ngx_dns_key_t *key)
{
    return key->k[0];
}


static void
ngx_dns_name_hash(ngx_dns_name_t *name, ngx_dns_key_t *key)
{
    uint64_t    hash;
    ngx_uint_t  i;

    hash = ngx_dns_name_hash_root(key);
    name->hash[name->labels] = hash;

    for (i = name->labels; i > 0; i--) {
        hash = ngx_dns_hash_slack(name->wire + name->offset[i - 1], hash, key);
        name->hash[i - 1] = hash;
    }
}


u_char *
ngx_dns_name_parse(ngx_dns_name_t *name, u_char *p, u_char *last,
    ngx_dns_key_t *key)
{
    size_t      n, len, max;
    ngx_uint_t  labels;

    max = ngx_min((size_t) (last - p), NGX_DNS_NAME_MAX);
    labels = 0;
    len = 0;

    for ( ;; ) {

        if (len >= max) {
            return NULL;
        }

        n = p[len];
        name->offset[labels] = (uint8_t) len;

        if (n == 0) {
            break;
        }

        if (n > NGX_DNS_LABEL_MAX || labels == NGX_DNS_LABELS_MAX) {
            return NULL;
        }

        len += n + 1;
        labels++;
    }

    len++;
    name->len = (uint16_t) len;
    name->labels = (uint8_t) labels;

    ngx_dns_name_lower(name->wire, p, len);
    ngx_dns_name_hash(name, key);

    return p + len;
}


void
ngx_dns_name_set(ngx_dns_name_t *name, const u_char *wire, ngx_dns_key_t *key)
{
    size_t      len;
    ngx_uint_t  labels;

    labels = 0;
    len = 0;

    for ( ;; ) {
        name->offset[labels] = (uint8_t) len;

        if (wire[len] == 0) {
            break;
        }

        len += (size_t) wire[len] + 1;
        labels++;
    }

    len++;
    name->len = (uint16_t) len;
    name->labels = (uint8_t) labels;

    if (wire != name->wire) {
        ngx_memcpy(name->wire, wire, len);
    }

    ngx_dns_name_hash(name, key);
}


size_t
ngx_dns_name_len(const u_char *name)
{
    size_t  len;

    for (len = 0; name[len] != 0; len += (size_t) name[len] + 1) {
        /* void */
    }

    return len + 1;
}


ngx_uint_t
ngx_dns_name_labels(const u_char *name)
{
    ngx_uint_t  n;

    for (n = 0; *name != 0; name += *name + 1) {
        n++;
    }

    return n;
}


const u_char *
ngx_dns_name_skip(const u_char *name, ngx_uint_t n)
{
    while (n > 0) {
        name += *name + 1;
        n--;
    }

    return name;
}


ngx_int_t
ngx_dns_name_is_subdomain(const u_char *name, const u_char *apex)
{
    size_t      len;
    ngx_uint_t  labels, apex_labels;

    labels = ngx_dns_name_labels(name);
    apex_labels = ngx_dns_name_labels(apex);

    if (labels < apex_labels) {
        return NGX_DECLINED;
    }

    name = ngx_dns_name_skip(name, labels - apex_labels);
    len = ngx_dns_name_len(apex);

    if (ngx_dns_name_len(name) != len || ngx_memcmp(name, apex, len) != 0) {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_name_cmp(const u_char *a, const u_char *b)
{
    return ngx_dns_name_cmp_rel(a, ngx_dns_name_len(a) - 1,
                                b, ngx_dns_name_len(b) - 1);
}


ngx_int_t
ngx_dns_name_cmp_rel(const u_char *a, size_t alen, const u_char *b,
    size_t blen)
{
    size_t      n, i, k;
    uint8_t     astart[NGX_DNS_LABELS_MAX], bstart[NGX_DNS_LABELS_MAX];
    ngx_int_t   rc, la, lb;

    la = 0;
    lb = 0;

    for (i = 0; i < alen; i += (size_t) a[i] + 1) {
        astart[la++] = (uint8_t) i;
    }

    for (k = 0; k < blen; k += (size_t) b[k] + 1) {
        bstart[lb++] = (uint8_t) k;
    }

    while (la > 0 && lb > 0) {
        i = astart[--la];
        k = bstart[--lb];

        n = ngx_min(a[i], b[k]);
        rc = ngx_memcmp(&a[i + 1], &b[k + 1], n);

        if (rc == 0) {
            rc = (ngx_int_t) a[i] - (ngx_int_t) b[k];
        }

        if (rc != 0) {
            return rc;
        }
    }

    return la - lb;
}


void
ngx_dns_name_lower(u_char *dst, const u_char *src, size_t n)
{
    size_t    i;
    uint64_t  x, tail;

    if (n < 8) {
        for (i = 0; i < n; i++) {
            dst[i] = (src[i] >= 'A' && src[i] <= 'Z') ? (src[i] | 0x20)
                                                      : src[i];
        }

        return;
    }

    /* the last eight first: src may be dst, and folding twice is harmless */

    tail = ngx_dns_lower64(ngx_dns_load64(src + n - 8));

    for (i = 0; i + 8 < n; i += 8) {
        x = ngx_dns_lower64(ngx_dns_load64(src + i));

#if !(NGX_HAVE_LITTLE_ENDIAN)
        x = __builtin_bswap64(x);
#endif

        ngx_memcpy(dst + i, &x, 8);
    }

#if !(NGX_HAVE_LITTLE_ENDIAN)
    tail = __builtin_bswap64(tail);
#endif

    ngx_memcpy(dst + n - 8, &tail, 8);
}


/* \X or \DDD at p: sets *octet and returns the octets read, 0 if broken */

static ngx_int_t
ngx_dns_name_escape(u_char *p, u_char *last, ngx_uint_t *octet)
{
    ngx_uint_t  n;

    if (last - p < 2) {
        return 0;
    }

    if (p[1] < '0' || p[1] > '9') {
        *octet = p[1];
        return 2;
    }

    if (last - p < 4 || p[2] < '0' || p[2] > '9' || p[3] < '0' || p[3] > '9') {
        return 0;
    }

    n = (p[1] - '0') * 100 + (p[2] - '0') * 10 + (p[3] - '0');

    if (n > 255) {
        return 0;
    }

    *octet = n;

    return 4;
}


/*
 * The labels of a text up to last, whose octets the length octet of the
 * next one follows.  Returns the place behind them, NULL with *err set.
 * label is set to the length octet of the last label: it is still to be
 * written, and there is no such label behind a final dot.
 */

static u_char *
ngx_dns_name_labels_from_text(u_char *dst, u_char *p, u_char *last,
    u_char **label, const char **err)
{
    u_char      *d, *end;
    ngx_int_t    n;
    ngx_uint_t   octet;

    end = dst + NGX_DNS_NAME_MAX;
    *label = dst;
    d = dst + 1;

    for ( /* void */ ; p < last; p += n) {

        n = 1;
        octet = *p;

        if (octet == '.') {

            if (d == *label + 1) {
                *err = "label is empty";
                return NULL;
            }

            if (d >= end) {
                *err = ngx_dns_name_too_long;
                return NULL;
            }

            **label = (u_char) (d - *label - 1);
            *label = d++;
            continue;
        }

        if (octet == '\\') {
            n = ngx_dns_name_escape(p, last, &octet);

            if (n == 0) {
                *err = "escape is neither \\X nor \\DDD up to 255";
                return NULL;
            }
        }

        if (d - *label > NGX_DNS_LABEL_MAX) {
            *err = "label is longer than 63 octets";
            return NULL;
        }

        if (d >= end) {
            *err = ngx_dns_name_too_long;
            return NULL;
        }

        *d++ = (octet >= 'A' && octet <= 'Z') ? (u_char) (octet | 0x20)
                                              : (u_char) octet;
    }

    return d;
}


size_t
ngx_dns_name_from_text(u_char *dst, ngx_str_t *text, const u_char *origin,
    const char **err)
{
    u_char  *d, *label;
    size_t   n;

    if (text->len == 0) {
        *err = "name is empty";
        return 0;
    }

    if (text->len == 1 && text->data[0] == '.') {
        dst[0] = 0;
        return 1;
    }

    if (text->len == 1 && text->data[0] == '@' && origin != NULL) {
        d = dst;

    } else {
        d = ngx_dns_name_labels_from_text(dst, text->data,
                                          text->data + text->len, &label, err);
        if (d == NULL) {
            return 0;
        }

        *label = (u_char) (d - label - 1);

        if (*label == 0) {

            /* a final dot: that was the root label */

            return d - dst;
        }
    }

    if (origin == NULL) {
        origin = (const u_char *) "";
    }

    n = ngx_dns_name_len(origin);

    if ((size_t) (dst + NGX_DNS_NAME_MAX - d) < n) {
        *err = (n == 1) ? ngx_dns_name_too_long
                        : "name is longer than 255 octets with its origin";
        return 0;
    }

    ngx_memcpy(d, origin, n);

    return (d - dst) + n;
}


u_char *
ngx_dns_name_to_text(u_char *dst, const u_char *name)
{
    u_char      ch;
    ngx_uint_t  n;

    if (*name == 0) {
        *dst++ = '.';
        return dst;
    }

    while (*name != 0) {

        for (n = *name++; n > 0; n--) {
            ch = *name++;

            if (ch <= 0x20 || ch >= 0x7f) {
                *dst++ = '\\';
                *dst++ = (u_char) ('0' + ch / 100);
                *dst++ = (u_char) ('0' + ch / 10 % 10);
                *dst++ = (u_char) ('0' + ch % 10);
                continue;
            }

            switch (ch) {
            case '.':
            case '\\':
            case '"':
            case ';':
            case '(':
            case ')':
            case '@':
            case '$':
                *dst++ = '\\';
                break;
            default:
                break;
            }

            *dst++ = ch;
        }

        *dst++ = '.';
    }

    return dst;
}
