
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_zone.h"


#define NGX_DNS_TAG_ONES   0x0001000100010001ULL
#define NGX_DNS_TAG_HIGH   0x8000800080008000ULL


static ngx_inline uint64_t ngx_dns_tag_match(const ngx_dns_bucket_t *b,
    ngx_uint_t i, uint64_t tags);
static ngx_inline const ngx_dns_bucket_t *ngx_dns_zone_bucket(
    const ngx_dns_zone_t *zone, uint64_t hash);
static ngx_inline const ngx_dns_bucket_t *ngx_dns_zone_next_bucket(
    const ngx_dns_zone_t *zone, const ngx_dns_bucket_t *b);
static ngx_dns_node_t *ngx_dns_zone_probe(const ngx_dns_zone_t *zone,
    uint64_t hash, const u_char *rel, size_t len);


/*
 * High bits of those of the four tags from i on that are equal to the one in
 * tags.  A borrow may mark a tag above an equal one: names decide.
 */

static ngx_inline uint64_t
ngx_dns_tag_match(const ngx_dns_bucket_t *b, ngx_uint_t i, uint64_t tags)
{
    uint64_t  x;

    ngx_memcpy(&x, &b->tag[i], 8);

    x ^= tags;

    return (x - NGX_DNS_TAG_ONES) & ~x & NGX_DNS_TAG_HIGH;
}


static ngx_inline const ngx_dns_bucket_t *
ngx_dns_zone_bucket(const ngx_dns_zone_t *zone, uint64_t hash)
{
    const ngx_dns_bucket_t  *b;

    b = ngx_dns_zone_at(zone, zone->buckets);

    return b + ngx_dns_bucket_index(zone->nbuckets, hash);
}


static ngx_inline const ngx_dns_bucket_t *
ngx_dns_zone_next_bucket(const ngx_dns_zone_t *zone,
    const ngx_dns_bucket_t *b)
{
    const ngx_dns_bucket_t  *first;

    first = ngx_dns_zone_at(zone, zone->buckets);
    b++;

    return (b == first + zone->nbuckets) ? first : b;
}


/*
 * The node whose name without the apex is the len octets at rel.  Octets
 * behind a node's name belong to the block, those behind rel to the caller.
 */

static ngx_dns_node_t *
ngx_dns_zone_probe(const ngx_dns_zone_t *zone, uint64_t hash,
    const u_char *rel, size_t len)
{
    uint64_t                 tags, match;
    ngx_uint_t               i, k, n;
    ngx_dns_node_t          *node;
    const ngx_dns_bucket_t  *b;

    tags = (hash & 0xffff) * NGX_DNS_TAG_ONES;
    b = ngx_dns_zone_bucket(zone, hash);

    for (n = 0; n < zone->nbuckets; n++) {

        for (i = 0; i < b->used; i += 4) {
            match = ngx_dns_tag_match(b, i, tags);

            while (match != 0) {
                k = i + __builtin_ctzll(match) / 16;
                match &= match - 1;

                if (k >= b->used) {
                    break;
                }

                node = ngx_dns_zone_at(zone, b->node[k]);

                if (node->len == len
                    && ngx_dns_name_same(node->name, rel, len))
                {
                    return node;
                }
            }
        }

        if (!b->overflow) {
            return NULL;
        }

        b = ngx_dns_zone_next_bucket(zone, b);
    }

    return NULL;
}


ngx_int_t
ngx_dns_node_above(const ngx_dns_node_t *node, const u_char *rel, size_t len)
{
    size_t  n;

    while (len > node->len) {
        n = (size_t) rel[0] + 1;
        rel += n;
        len -= n;
    }

    return (len == node->len && ngx_memcmp(rel, node->name, len) == 0)
               ? NGX_OK : NGX_DECLINED;
}


ngx_dns_rrset_t *
ngx_dns_node_rrset(const ngx_dns_node_t *node, ngx_uint_t type)
{
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    if (node->nsets == 0) {
        return NULL;
    }

    set = ngx_dns_node_sets(node);

    for (i = node->nsets; /* void */ ; set = ngx_dns_rrset_next(set)) {

        /* they lie in the order of their types */

        if (set->type >= type) {
            return (set->type == type) ? set : NULL;
        }

        if (--i == 0) {
            return NULL;
        }
    }
}


ngx_dns_rrset_t *
ngx_dns_node_notes(const ngx_dns_node_t *node)
{
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    if (!(node->flags & NGX_DNS_NODE_NOTED)) {
        return NULL;
    }

    set = ngx_dns_node_sets(node);

    for (i = node->nsets; i > 0; i--) {
        set = ngx_dns_rrset_next(set);
    }

    return set;
}


u_char *
ngx_dns_notes_find(const ngx_dns_rrset_t *notes, ngx_uint_t kind)
{
    u_char      *rr;
    ngx_uint_t   i;

    rr = ngx_dns_rrset_first(notes);

    for (i = 0; i < notes->nrr; i++, rr = ngx_dns_rrset_step(notes, rr)) {

        if (ngx_dns_note_kind(rr + 2) == kind) {
            return rr;
        }
    }

    return NULL;
}


void
ngx_dns_zone_id(const ngx_dns_zone_t *zone, ngx_str_t *id)
{
    u_char           *rr;
    ngx_dns_rrset_t  *notes;

    ngx_str_set(id, "");

    notes = ngx_dns_node_notes(ngx_dns_zone_at(zone, zone->apex));
    if (notes == NULL) {
        return;
    }

    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_ID);
    if (rr == NULL) {
        return;
    }

    id->len = ngx_min(ngx_dns_get16(rr) - NGX_DNS_NOTE_HEAD,
                      NGX_DNS_ZONE_ID_MAX);
    id->data = rr + 2 + NGX_DNS_NOTE_HEAD;
}


u_char *
ngx_dns_zone_nsec3param(const ngx_dns_zone_t *zone)
{
    u_char           *rr;
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    set = ngx_dns_node_rrset(ngx_dns_zone_at(zone, zone->apex),
                             NGX_DNS_TYPE_NSEC3PARAM);
    if (set == NULL) {
        return NULL;
    }

    rr = ngx_dns_rrset_first(set);

    for (i = 0; i < set->nrr; i++, rr = ngx_dns_rrset_step(set, rr)) {

        if (rr[2] == NGX_DNS_NSEC3_SHA1 && rr[3] == 0
            && ngx_dns_get16(rr + 4) <= NGX_DNS_NSEC3_ITERATIONS)
        {
            return rr + 2;
        }
    }

    return NULL;
}


ngx_dns_node_t *
ngx_dns_zone_node(const ngx_dns_zone_t *zone, const ngx_dns_name_t *name,
    ngx_uint_t i)
{
    size_t  start, end;

    start = name->offset[i];
    end = name->len - zone->name_len;

    return ngx_dns_zone_probe(zone, name->hash[i], name->wire + start,
                              end - start);
}


ngx_int_t
ngx_dns_zone_find(const ngx_dns_zone_t *zone, const ngx_dns_name_t *name,
    ngx_dns_lookup_t *res)
{
    ngx_uint_t       i, low, high;
    ngx_dns_node_t  *node;

    node = ngx_dns_zone_node(zone, name, 0);

    if (node != NULL) {
        res->node = node;
        res->encloser = node;
        res->label = 0;

        return NGX_OK;
    }

    /*
     * Nothing is deeper than the deepest owner, and what is above a node
     * exists: a binary search, since names may have many labels.
     */

    low = (name->labels > zone->max_labels + 1)
              ? (ngx_uint_t) (name->labels - zone->max_labels) : 1;
    high = name->labels - zone->name_labels;

    res->node = NULL;
    res->encloser = ngx_dns_zone_at(zone, zone->apex);

    while (low < high) {
        i = (low + high) / 2;
        node = ngx_dns_zone_node(zone, name, i);

        if (node != NULL) {
            res->encloser = node;
            high = i;

        } else {
            low = i + 1;
        }
    }

    res->label = high;

    return NGX_DECLINED;
}


ngx_dns_node_t *
ngx_dns_zone_top(const ngx_dns_zone_t *zone, const ngx_dns_name_t *name,
    ngx_uint_t i, ngx_uint_t *label)
{
    ngx_uint_t       k;
    ngx_dns_node_t  *node;

    for (k = name->labels - zone->name_labels + 1; k-- > i; /* void */ ) {

        node = ngx_dns_zone_node(zone, name, k);

        if (node != NULL
            && (node->flags & (NGX_DNS_NODE_CUT|NGX_DNS_NODE_DNAME)))
        {
            *label = k;
            return node;
        }
    }

    return NULL;
}


ngx_dns_node_t *
ngx_dns_zone_wildcard(const ngx_dns_zone_t *zone, const ngx_dns_name_t *name,
    ngx_uint_t i)
{
    size_t         len;
    u_char         rel[NGX_DNS_NAME_MAX + 2 + 8];
    uint64_t       hash;
    ngx_dns_key_t  key;

    key.k[0] = 0;
    key.k[1] = zone->key;

    len = (name->len - zone->name_len) - name->offset[i];

    rel[0] = 1;
    rel[1] = '*';
    ngx_memcpy(rel + 2, name->wire + name->offset[i], len);

    hash = ngx_dns_name_hash_label(rel, name->hash[i], &key);

    return ngx_dns_zone_probe(zone, hash, rel, len + 2);
}


void
ngx_dns_zone_prefetch_bucket(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name)
{
    __builtin_prefetch(ngx_dns_zone_bucket(zone, name->hash[0]));
}


void
ngx_dns_zone_prefetch_node(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name)
{
    uint64_t                 hash, match;
    ngx_uint_t               i, k;
    const u_char            *node;
    const ngx_dns_bucket_t  *b;

    hash = name->hash[0];
    b = ngx_dns_zone_bucket(zone, hash);

    for (i = 0; i < b->used; i += 4) {
        match = ngx_dns_tag_match(b, i, (hash & 0xffff) * NGX_DNS_TAG_ONES);

        if (match != 0) {
            k = i + __builtin_ctzll(match) / 16;

            if (k < b->used) {
                node = ngx_dns_zone_at(zone, b->node[k]);
                __builtin_prefetch(node);
                __builtin_prefetch(node + 64);
            }

            return;
        }
    }
}
