
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_sort.h"


/*
 * Owners are sorted by a string whose octet order is the canonical order of
 * names: the labels from the last to the first, each closed by 00; inside a
 * label 00 is written 01 01, and 01 is written 01 02.  Eight octets of it at
 * a time make the key of a radix sort; only owners that agree in all eight
 * are looked at again with the next eight.
 */

#define NGX_DNS_SORT_RADIX    256       /* fewer elements: merge sort */


typedef ngx_int_t (*ngx_dns_cmp_pt)(const ngx_dns_elt_t *a,
    const ngx_dns_elt_t *b);


static uint64_t ngx_dns_sort_key(const ngx_dns_rec_t *rec, size_t skip);
static ngx_int_t ngx_dns_sort_ended(uint64_t key);
static void ngx_dns_sort_owners(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp,
    size_t n, size_t skip);
static void ngx_dns_sort_radix(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp,
    size_t n);
static void ngx_dns_sort_merge(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp,
    size_t n, ngx_dns_cmp_pt cmp);
static ngx_int_t ngx_dns_cmp_key(const ngx_dns_elt_t *a,
    const ngx_dns_elt_t *b);
static ngx_int_t ngx_dns_cmp_rec(const ngx_dns_elt_t *a,
    const ngx_dns_elt_t *b);
static ngx_uint_t ngx_dns_rec_rank(const ngx_dns_rec_t *rec);


/* octets skip .. skip + 7 of the string, the first one highest */

static uint64_t
ngx_dns_sort_key(const ngx_dns_rec_t *rec, size_t skip)
{
    size_t         n, end;
    uint64_t       key;
    ngx_uint_t     i, octet, label;
    const u_char  *p, *owner, *start[NGX_DNS_LABELS_MAX];

    owner = ngx_dns_rec_owner(rec);
    p = owner;

    for (label = 0; label < rec->labels; label++) {
        start[label] = p;
        p += *p + 1;
    }

    key = 0;
    end = skip + 8;
    n = 0;

    while (label > 0 && n < end) {
        p = start[--label];

        for (i = *p++; i > 0 && n < end; i--) {
            octet = *p++;

            if (octet < 2) {
                if (n >= skip) {
                    key = key << 8 | 1;
                }

                n++;
                octet++;

                if (n == end) {
                    break;
                }
            }

            if (n >= skip) {
                key = key << 8 | octet;
            }

            n++;
        }

        if (n < end) {
            if (n >= skip) {
                key <<= 8;
            }

            n++;
        }
    }

    if (n < skip) {
        n = skip;
    }

    return (n == skip) ? 0 : key << (8 * (end - n));
}


/* two zero octets, or nothing but zeros: the name has ended */

static ngx_int_t
ngx_dns_sort_ended(uint64_t key)
{
    return (key & 0xffff) == 0;
}


void
ngx_dns_sort(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp, size_t n)
{
    ngx_dns_sort_owners(elts, tmp, n, 0);
}


/* the depth of the calls is at most 510 / 8 */

static void
ngx_dns_sort_owners(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp, size_t n,
    size_t skip)
{
    size_t    i, first;
    uint64_t  key;

    for (i = 0; i < n; i++) {
        elts[i].key = ngx_dns_sort_key(elts[i].rec, skip);
    }

    if (n < NGX_DNS_SORT_RADIX) {
        ngx_dns_sort_merge(elts, tmp, n, ngx_dns_cmp_key);

    } else {
        ngx_dns_sort_radix(elts, tmp, n);
    }

    for (first = 0; first < n; first = i) {

        key = elts[first].key;

        for (i = first + 1; i < n && elts[i].key == key; i++) {
            /* void */
        }

        if (i - first == 1) {
            continue;
        }

        if (ngx_dns_sort_ended(key)) {
            ngx_dns_sort_merge(&elts[first], tmp, i - first, ngx_dns_cmp_rec);

        } else {
            ngx_dns_sort_owners(&elts[first], tmp, i - first, skip + 8);
        }
    }
}


static void
ngx_dns_sort_radix(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp, size_t n)
{
    size_t          i, sum, count;
    uint64_t        key;
    uint32_t        hist[8][256];
    ngx_uint_t      pass, shift, octet;
    ngx_dns_elt_t  *src, *dst, *swap;

    ngx_memzero(hist, sizeof(hist));

    for (i = 0; i < n; i++) {
        key = elts[i].key;

        for (pass = 0; pass < 8; pass++) {
            hist[pass][key & 0xff]++;
            key >>= 8;
        }
    }

    src = elts;
    dst = tmp;

    for (pass = 0; pass < 8; pass++) {
        shift = 8 * pass;

        if (hist[pass][(src[0].key >> shift) & 0xff] == n) {
            continue;
        }

        for (sum = 0, octet = 0; octet < 256; octet++) {
            count = hist[pass][octet];
            hist[pass][octet] = (uint32_t) sum;
            sum += count;
        }

        for (i = 0; i < n; i++) {
            octet = (src[i].key >> shift) & 0xff;
            dst[hist[pass][octet]++] = src[i];
        }

        swap = src;
        src = dst;
        dst = swap;
    }

    if (src != elts) {
        ngx_memcpy(elts, src, n * sizeof(ngx_dns_elt_t));
    }
}


/* stable; runs of 1, 2, 4, ... are merged from one array into the other */

static void
ngx_dns_sort_merge(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp, size_t n,
    ngx_dns_cmp_pt cmp)
{
    size_t          width, i, a, b, amax, bmax;
    ngx_dns_elt_t  *src, *dst, *swap;

    src = elts;
    dst = tmp;

    for (width = 1; width < n; width *= 2) {

        for (i = 0; i < n; /* void */ ) {
            a = i;
            amax = ngx_min(i + width, n);
            b = amax;
            bmax = ngx_min(amax + width, n);

            while (a < amax && b < bmax) {
                if (cmp(&src[a], &src[b]) <= 0) {
                    dst[i++] = src[a++];

                } else {
                    dst[i++] = src[b++];
                }
            }

            while (a < amax) {
                dst[i++] = src[a++];
            }

            while (b < bmax) {
                dst[i++] = src[b++];
            }
        }

        swap = src;
        src = dst;
        dst = swap;
    }

    if (src != elts) {
        ngx_memcpy(elts, src, n * sizeof(ngx_dns_elt_t));
    }
}


static ngx_int_t
ngx_dns_cmp_key(const ngx_dns_elt_t *a, const ngx_dns_elt_t *b)
{
    return (a->key > b->key) - (a->key < b->key);
}


static ngx_int_t
ngx_dns_cmp_rec(const ngx_dns_elt_t *a, const ngx_dns_elt_t *b)
{
    return ngx_dns_rec_cmp(a->rec, b->rec);
}


/*
 * By number; an RRSIG behind the type it covers, a note behind both, notes
 * about the name behind all.
 */

static ngx_uint_t
ngx_dns_rec_rank(const ngx_dns_rec_t *rec)
{
    ngx_uint_t  type, kind;

    type = rec->type;
    kind = 0;

    if (type == NGX_DNS_TYPE_RRSIG && rec->rdlen >= 2) {
        type = ngx_dns_get16(ngx_dns_rec_rdata(rec));
        kind = 1;

    } else if (type == NGX_DNS_TYPE_NOTE) {
        type = ngx_dns_note_covered(ngx_dns_rec_rdata(rec));
        type = (type == 0) ? NGX_DNS_TYPE_NOTE + 1 : type;
        kind = 2;
    }

    return type << 2 | kind;
}


ngx_uint_t
ngx_dns_rec_covered(const ngx_dns_rec_t *rec)
{
    return ngx_dns_rec_rank(rec) >> 2;
}


ngx_int_t
ngx_dns_rec_cmp(const ngx_dns_rec_t *a, const ngx_dns_rec_t *b)
{
    size_t      n;
    ngx_int_t   rc;
    ngx_uint_t  ra, rb;

    ra = ngx_dns_rec_rank(a);
    rb = ngx_dns_rec_rank(b);

    if (ra != rb) {
        return (ra > rb) ? 1 : -1;
    }

    n = ngx_min(a->rdlen, b->rdlen);
    rc = ngx_memcmp(ngx_dns_rec_rdata(a), ngx_dns_rec_rdata(b), n);

    return (rc != 0) ? rc : (ngx_int_t) a->rdlen - (ngx_int_t) b->rdlen;
}
