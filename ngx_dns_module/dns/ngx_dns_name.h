
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_NAME_H_INCLUDED_
#define _NGX_DNS_NAME_H_INCLUDED_


#include "ngx_dns.h"


/*
 * Names are uncompressed wire format, lower case, with the root label.
 * A plain "u_char *name" always means that.
 */


/* the secret of the name hash, one for the whole server */

typedef struct {
    uint64_t   k[2];
} ngx_dns_key_t;


/*
 * A name with everything a lookup needs: one pass gives the place of each
 * label and the hash of each suffix.
 *
 * offset[i]  where label i starts in wire; offset[labels] is the root label
 * hash[i]    of the suffix that starts with label i; hash[labels] of the root
 */

typedef struct {
    u_char     wire[NGX_DNS_NAME_MAX + 1 + 16];
    uint16_t   len;                     /* octets with the root label */
    uint8_t    labels;                  /* without the root label */
    uint8_t    offset[NGX_DNS_LABELS_MAX + 1];
    uint64_t   hash[NGX_DNS_LABELS_MAX + 1];
} ngx_dns_name_t;


/*
 * 1 if n octets are the same; up to 7 octets behind them may be read.  Faster
 * than a call for the lengths that names have.
 */

static ngx_inline ngx_uint_t
ngx_dns_name_same(const u_char *a, const u_char *b, size_t n)
{
    uint64_t  x, y;

    while (n >= 8) {
        ngx_memcpy(&x, a, 8);
        ngx_memcpy(&y, b, 8);

        if (x != y) {
            return 0;
        }

        a += 8;
        b += 8;
        n -= 8;
    }

    if (n == 0) {
        return 1;
    }

    ngx_memcpy(&x, a, 8);
    ngx_memcpy(&y, b, 8);

    x ^= y;

#if (NGX_HAVE_LITTLE_ENDIAN)
    return (x << (64 - 8 * n)) == 0;
#else
    return (x >> (64 - 8 * n)) == 0;
#endif
}


/*
 * The hash of a name, spread over all bits, the high ones first: those of
 * names that differ in a few digits only crowd together with some keys.
 */

static ngx_inline uint64_t
ngx_dns_name_spread(uint64_t hash)
{
    return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ULL;
}


/*
 * Reads an uncompressed name at p, folds it to lower case, and hashes it.
 * name->wire holds the folded copy.
 *
 * p, last  the first octet and the end of what may be read
 *
 * Returns the octet behind the name, or NULL if it does not end before last,
 * has a label type other than 00 (RFC 6891, 5) or is longer than 255 octets.
 *
 * Does not allocate.  RFC 1035, 3.1; RFC 4343, 3.
 */
u_char *ngx_dns_name_parse(ngx_dns_name_t *name, u_char *p, u_char *last,
    ngx_dns_key_t *key);

/*
 * The same for a name known to be sound (of the zone, say), lower case; wire
 * may be name->wire itself.
 */
void ngx_dns_name_set(ngx_dns_name_t *name, const u_char *wire,
    ngx_dns_key_t *key);

/*
 * Hash of the suffix made by putting one label in front of a suffix:
 * label points at its length octet, hash is of the suffix behind it.
 * ngx_dns_name_hash_root() is the hash of the root.  Reads no octet behind
 * the label.
 */
uint64_t ngx_dns_name_hash_label(const u_char *label, uint64_t hash,
    ngx_dns_key_t *key);
uint64_t ngx_dns_name_hash_root(ngx_dns_key_t *key);

/* None of the following allocates. */

/* Octets of a sound name, the root label included. */
size_t ngx_dns_name_len(const u_char *name);

/* Labels of a sound name, the root label not included. */
ngx_uint_t ngx_dns_name_labels(const u_char *name);

/* The suffix behind the first n labels. */
const u_char *ngx_dns_name_skip(const u_char *name, ngx_uint_t n);

/*
 * NGX_OK if name is apex or below it, else NGX_DECLINED.  Both lower case.
 */
ngx_int_t ngx_dns_name_is_subdomain(const u_char *name, const u_char *apex);

/*
 * Order of RFC 4034, 6.1 for two lower-case names: < 0, 0, > 0.
 */
ngx_int_t ngx_dns_name_cmp(const u_char *a, const u_char *b);

/*
 * The same for alen and blen octets of labels, in front of a suffix that both
 * names share.
 */
ngx_int_t ngx_dns_name_cmp_rel(const u_char *a, size_t alen, const u_char *b,
    size_t blen);

/* Lower-case copy of n octets; dst may be src.  A-Z only (RFC 4343, 3). */
void ngx_dns_name_lower(u_char *dst, const u_char *src, size_t n);

/*
 * Text of one name to wire format, lower case.
 *
 * dst     room for NGX_DNS_NAME_MAX octets
 * text    RFC 1035, 5.1: escapes \X and \DDD; "@" is the origin
 * origin  put behind a name without final dot; NULL: such a name is
 *         taken as absolute
 *
 * Returns the octets written, or 0 with *err set to a static text ("label is
 * longer than 63 octets", ...).  Does not allocate.
 */
size_t ngx_dns_name_from_text(u_char *dst, ngx_str_t *text,
    const u_char *origin, const char **err);

/*
 * Wire format to text with the final dot; a dot, backslash, quote, etc.
 * inside a label as \X, octets outside 0x21..0x7e as \DDD.
 *
 * dst   room for NGX_DNS_NAME_TEXT_MAX octets
 *
 * Returns the octet behind the text; no zero octet is written.
 */
#define NGX_DNS_NAME_TEXT_MAX  1016
u_char *ngx_dns_name_to_text(u_char *dst, const u_char *name);


#endif /* _NGX_DNS_NAME_H_INCLUDED_ */
