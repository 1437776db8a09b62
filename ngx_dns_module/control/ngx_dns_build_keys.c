
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


static ngx_int_t ngx_dns_build_key_set(ngx_dns_build_t *b, ngx_uint_t which,
    u_char *text, size_t len);
static ngx_int_t ngx_dns_build_key_served(ngx_dns_build_t *b);
static const char *ngx_dns_build_key_pair(ngx_dns_build_t *b,
    ngx_uint_t which);
static ngx_int_t ngx_dns_build_key_public(ngx_dns_build_t *b,
    ngx_dns_build_key_t *key);
static ngx_int_t ngx_dns_build_key_private(ngx_dns_build_key_t *key);


ngx_int_t
ngx_dns_build_key(ngx_dns_build_t *b, ngx_uint_t which, ngx_str_t *text)
{
    return ngx_dns_build_key_set(b, which, text->data, text->len);
}


/* a key that is too long is none; a zero octet is put behind it */

static ngx_int_t
ngx_dns_build_key_set(ngx_dns_build_t *b, ngx_uint_t which, u_char *text,
    size_t len)
{
    ngx_dns_build_key_t  *key;

    key = &b->keys[which];
    key->len = 0;
    key->given = (len != 0);

    if (key->data == NULL) {
        key->data = b->mem->map(b->mem->data, NGX_DNS_BUILD_KEY_MAX + 1);
        if (key->data == NULL) {
            return NGX_ERROR;
        }
    }

    if (len <= NGX_DNS_BUILD_KEY_MAX) {
        ngx_memcpy(key->data, text, len);
        key->data[len] = '\0';
        key->len = len;
    }

    return NGX_OK;
}


/* takes all four from the zone that is served now, or NGX_DECLINED */

static ngx_int_t
ngx_dns_build_key_served(ngx_dns_build_t *b)
{
    u_char           *rr, *p;
    size_t            len;
    ngx_uint_t        i, found;
    ngx_dns_rrset_t  *notes;

    if (b->last == NULL || (b->last->flags & NGX_DNS_ZONE_UNSIGNABLE)) {
        return NGX_DECLINED;
    }

    notes = ngx_dns_node_notes(ngx_dns_zone_at(b->last, b->last->apex));
    if (notes == NULL) {
        return NGX_DECLINED;
    }

    found = 0;
    rr = ngx_dns_rrset_first(notes);

    for (i = 0; i < notes->nrr; i++) {
        len = ngx_dns_get16(rr);
        p = rr + 2;

        if (len > NGX_DNS_NOTE_HEAD && p[2] == NGX_DNS_NOTE_KEY
            && p[NGX_DNS_NOTE_HEAD] < NGX_DNS_BUILD_KEYS)
        {
            if (ngx_dns_build_key_set(b, p[NGX_DNS_NOTE_HEAD],
                                      p + NGX_DNS_NOTE_HEAD + 1,
                                      len - NGX_DNS_NOTE_HEAD - 1)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            found |= 1 << p[NGX_DNS_NOTE_HEAD];
        }

        rr = ngx_dns_rrset_step(notes, rr);
    }

    return (found == (1 << NGX_DNS_BUILD_KEYS) - 1) ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_dns_build_keys(ngx_dns_build_t *b)
{
    u_char       payload[1 + NGX_DNS_BUILD_KEY_MAX];
    ngx_int_t    rc;
    ngx_uint_t   i;
    const char  *err;

    err = ngx_dns_build_key_pair(b, 0);

    if (err == NULL) {
        err = ngx_dns_build_key_pair(b, 2);
    }

    if (err != NULL) {
        rc = ngx_dns_build_key_served(b);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                          "dnssec is on, but %s, %s", err,
                          (rc == NGX_OK) ? "the keys of before are used"
                                         : "answered with SERVFAIL");
        if (rc != NGX_OK) {
            b->zone.flags |= NGX_DNS_ZONE_UNSIGNABLE;
            return NGX_OK;
        }
    }

    ngx_dns_build_warn(b, NGX_DNS_BUILD_NO_TYPE,
                       "dnssec is on, but this version does not sign");

    for (i = 0; i < NGX_DNS_BUILD_KEYS; i++) {
        payload[0] = (u_char) i;
        ngx_memcpy(payload + 1, b->keys[i].data, b->keys[i].len);

        if (ngx_dns_build_note(b, 0, NGX_DNS_NOTE_KEY, payload,
                               1 + b->keys[i].len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* why the pair of which and the one behind it is of no use, or NULL */

static const char *
ngx_dns_build_key_pair(ngx_dns_build_t *b, ngx_uint_t which)
{
    ngx_int_t             algorithm;
    ngx_uint_t            i;
    ngx_dns_build_key_t  *key;

    static const char  *missing[] = {
        "zsk:pub is missing", "zsk:priv is missing",
        "ksk:pub is missing", "ksk:priv is missing"
    };

    static const char  *unusable[] = {
        "zsk:pub cannot be used", "zsk:priv cannot be used",
        "ksk:pub cannot be used", "ksk:priv cannot be used"
    };

    for (i = which; i < which + 2; i++) {
        key = &b->keys[i];

        if (key->data == NULL || key->len == 0) {
            return (key->given) ? unusable[i] : missing[i];
        }
    }

    algorithm = ngx_dns_build_key_public(b, &b->keys[which]);

    if (algorithm == NGX_DECLINED) {
        return unusable[which];
    }

    if (ngx_dns_build_key_private(&b->keys[which + 1]) != algorithm) {
        return unusable[which + 1];
    }

    return NULL;
}


/*
 * The algorithm of a DNSKEY record in presentation form, or NGX_DECLINED.
 * Owner, TTL and class stand in front of the type, if they do.
 */

static ngx_int_t
ngx_dns_build_key_public(ngx_dns_build_t *b, ngx_dns_build_key_t *key)
{
    u_char          *rdata;
    size_t           size, len;
    ngx_uint_t       i;
    ngx_dns_scan_t   scan;
    ngx_dns_word_t   word;

    size = 2 * NGX_DNS_BUILD_KEY_MAX;

    rdata = ngx_dns_build_room(b, size);
    if (rdata == NULL) {
        return NGX_DECLINED;
    }

    ngx_dns_scan_init(&scan, key->data, key->len, NULL);

    for (i = 0; i < 4; i++) {

        if (ngx_dns_scan_word(&scan, &word) != NGX_OK) {
            return NGX_DECLINED;
        }

        if (word.len == 6
            && ngx_strncasecmp(word.data, (u_char *) "DNSKEY", 6) == 0)
        {
            break;
        }
    }

    /* flags, protocol, algorithm, key */

    if (i == 4
        || ngx_dns_rdata_scan(&scan, NGX_DNS_TYPE_DNSKEY, rdata, size, &len)
           != NGX_OK
        || len < 5 || rdata[2] != 3)
    {
        return NGX_DECLINED;
    }

    return rdata[3];
}


/*
 * The algorithm of a private key in the form of BIND, or NGX_DECLINED.  Its
 * lines may end with "\n" written out.
 */

static ngx_int_t
ngx_dns_build_key_private(ngx_dns_build_key_t *key)
{
    u_char     *p, *last;
    ngx_int_t   n;

    static u_char  algorithm[] = "Algorithm:";

    p = key->data;
    last = p + key->len;

    if (ngx_strnstr(p, "Private-key-format:", key->len) != p) {
        return NGX_DECLINED;
    }

    p = ngx_strnstr(p, (char *) algorithm, key->len);
    if (p == NULL) {
        return NGX_DECLINED;
    }

    for (p += sizeof(algorithm) - 1; p < last && *p == ' '; p++) {
        /* void */
    }

    n = 0;

    for ( /* void */ ; p < last && *p >= '0' && *p <= '9' && n < 256; p++) {
        n = n * 10 + (*p - '0');
    }

    return n;
}
