
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_verify.h"
#include "ngx_dns_choice.h"
#include "ngx_dns_compiler.h"
#include "ngx_dns_index.h"
#include "ngx_dns_probe.h"
#include "ngx_dns_rdata.h"


#define NGX_DNS_VERIFY_AHEAD   16       /* nodes between look and insertion */

#define NGX_DNS_VERIFY_HEAD    ((sizeof(ngx_dns_zone_t) + 3) & ~ (size_t) 3)


/* one label of the current owner, the apex at depth 0 */

typedef struct {
    ngx_dns_node_t      *node;
    uint64_t             hash;
    ngx_uint_t           flags;         /* that the node should have */
} ngx_dns_verify_step_t;

/* a node whose bucket was asked for */

typedef struct {
    uint64_t             hash;
    uint32_t             place;         /* 0: none */
} ngx_dns_verify_slot_t;

typedef struct {
    ngx_dns_zone_t      *zone;
    ngx_dns_key_t       *key;
    u_char              *pos;
    u_char              *end;           /* of the nodes */
    uint32_t            *index;
    uint32_t            *denial;

    u_char              *param;         /* of the NSEC3 chain */
    ngx_dns_rrset_t     *soa;
    uint64_t             nrecords;
    uint32_t             ndenial;       /* found so far */
    uint32_t             found;         /* NGX_DNS_ZONE_FOUND */
    ngx_uint_t           counted;       /* RRs of the last set */
    ngx_uint_t           max_labels;

    const char          *err;

    ngx_dns_verify_slot_t  slots[NGX_DNS_VERIFY_AHEAD];

    ngx_uint_t             depth;
    ngx_dns_verify_step_t  path[NGX_DNS_LABELS_MAX + 1];
} ngx_dns_verify_t;


static ngx_int_t ngx_dns_verify_fail(ngx_dns_verify_t *v, const char *err);
static ngx_int_t ngx_dns_verify_head(ngx_dns_verify_t *v, size_t size);
static ngx_int_t ngx_dns_verify_layout(ngx_dns_verify_t *v, uint64_t size);
static ngx_int_t ngx_dns_verify_nodes(ngx_dns_verify_t *v);
static ngx_int_t ngx_dns_verify_node(ngx_dns_verify_t *v, uint32_t i);
static ngx_int_t ngx_dns_verify_labels(ngx_dns_verify_t *v,
    ngx_dns_node_t *node, ngx_uint_t *labels);
static ngx_int_t ngx_dns_verify_step(ngx_dns_verify_t *v,
    ngx_dns_node_t *node, ngx_uint_t labels, ngx_uint_t flags);
static ngx_int_t ngx_dns_verify_pop(ngx_dns_verify_t *v, ngx_uint_t depth);
static void ngx_dns_verify_slot(ngx_dns_verify_t *v, uint32_t i,
    uint64_t hash, uint32_t place);
static ngx_int_t ngx_dns_verify_sets(ngx_dns_verify_t *v,
    ngx_dns_node_t *node, ngx_uint_t *flags);
static ngx_int_t ngx_dns_verify_set(ngx_dns_verify_t *v);
static ngx_int_t ngx_dns_verify_head_of(ngx_dns_verify_t *v,
    ngx_dns_rrset_t *set);
static ngx_int_t ngx_dns_verify_about(ngx_dns_verify_t *v, ngx_uint_t type,
    ngx_uint_t covered, ngx_uint_t *flags);
static ngx_int_t ngx_dns_verify_note(ngx_dns_verify_t *v, u_char *note,
    size_t len, ngx_uint_t *flags);
static ngx_int_t ngx_dns_verify_rrs(ngx_dns_verify_t *v,
    ngx_dns_rrset_t *set);
static ngx_int_t ngx_dns_verify_apex(ngx_dns_verify_t *v,
    ngx_dns_node_t *node);
static ngx_int_t ngx_dns_verify_soa(ngx_dns_verify_t *v);
static ngx_int_t ngx_dns_verify_end(ngx_dns_verify_t *v);
static ngx_int_t ngx_dns_verify_links(ngx_dns_verify_t *v);


ngx_int_t
ngx_dns_zone_verify(void *block, size_t size, ngx_dns_key_t *key,
    const char **err)
{
    ngx_dns_verify_t  v;

    ngx_memzero(&v, offsetof(ngx_dns_verify_t, path));

    v.zone = block;
    v.key = key;

    if (ngx_dns_verify_head(&v, size) != NGX_OK
        || ngx_dns_verify_layout(&v, size) != NGX_OK
        || ngx_dns_verify_nodes(&v) != NGX_OK
        || ngx_dns_verify_soa(&v) != NGX_OK
        || ngx_dns_verify_end(&v) != NGX_OK
        || ngx_dns_verify_links(&v) != NGX_OK)
    {
        *err = v.err;
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_verify_fail(ngx_dns_verify_t *v, const char *err)
{
    v->err = err;

    return NGX_ERROR;
}


static ngx_int_t
ngx_dns_verify_head(ngx_dns_verify_t *v, size_t size)
{
    ngx_dns_name_t   name;
    ngx_dns_zone_t  *zone;

    zone = v->zone;

    if (size < NGX_DNS_VERIFY_HEAD || size > NGX_DNS_ZONE_SIZE_MAX) {
        return ngx_dns_verify_fail(v, "no zone has this size");
    }

    if (zone->magic != NGX_DNS_ZONE_MAGIC) {
        return ngx_dns_verify_fail(v, "it does not begin as a zone does");
    }

    if (zone->version != NGX_DNS_ZONE_VERSION) {
        return ngx_dns_verify_fail(v, "the zone is of another version");
    }

    if (zone->size != size) {
        return ngx_dns_verify_fail(v, "the zone has another size");
    }

    if (ngx_dns_name_parse(&name, zone->name, zone->name + NGX_DNS_NAME_MAX,
                           v->key)
        == NULL
        || name.len != zone->name_len || name.labels != zone->name_labels
        || ngx_memcmp(name.wire, zone->name, name.len) != 0)
    {
        return ngx_dns_verify_fail(v, "the name of the zone is broken");
    }

    v->path[0].hash = name.hash[0];

    return NGX_OK;
}


/* head | nodes | short SOA | index | list of proofs | buckets */

static ngx_int_t
ngx_dns_verify_layout(ngx_dns_verify_t *v, uint64_t size)
{
    uint64_t         end, index, denial, lists, buckets;
    ngx_dns_zone_t  *zone;

    zone = v->zone;

    index = 4 * (uint64_t) zone->index;
    denial = index + 4 * (uint64_t) zone->nnodes;
    lists = denial + 4 * (uint64_t) zone->ndenial;
    buckets = (lists + sizeof(ngx_dns_bucket_t) - 1)
              & ~ (uint64_t) (sizeof(ngx_dns_bucket_t) - 1);

    end = zone->short_soa ? 4 * (uint64_t) zone->short_soa : index;

    if (4 * (uint64_t) zone->apex != NGX_DNS_VERIFY_HEAD
        || end < NGX_DNS_VERIFY_HEAD || end > index
        || zone->nnodes == 0
        || zone->nbuckets != ngx_dns_index_nbuckets(zone->nnodes)
        || 4 * (uint64_t) zone->buckets != buckets
        || buckets + sizeof(ngx_dns_bucket_t) * (uint64_t) zone->nbuckets
           != size)
    {
        return ngx_dns_verify_fail(v, "the parts of the zone do not fit");
    }

    if (zone->flags & NGX_DNS_ZONE_DENIAL) {

        if (4 * (uint64_t) zone->denial != denial) {
            return ngx_dns_verify_fail(v, "the list of proofs is misplaced");
        }

    } else if (zone->denial != 0 || zone->ndenial != 0) {
        return ngx_dns_verify_fail(v, "an unsigned zone has a list of proofs");
    }

    v->pos = (u_char *) zone + NGX_DNS_VERIFY_HEAD;
    v->end = (u_char *) zone + end;
    v->index = ngx_dns_zone_at(zone, zone->index);
    v->denial = ngx_dns_zone_at(zone, zone->denial);
    v->max_labels = zone->name_labels;

    zone->key = v->key->k[1];
    ngx_memzero((u_char *) zone + buckets, size - buckets);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_verify_nodes(ngx_dns_verify_t *v)
{
    uint32_t  i, n;

    for (i = 0; i < v->zone->nnodes; i++) {
        if (ngx_dns_verify_node(v, i) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    for (n = 0; n < NGX_DNS_VERIFY_AHEAD; n++) {
        ngx_dns_verify_slot(v, i + n, 0, 0);
    }

    if (v->pos != v->end) {
        return ngx_dns_verify_fail(v, "octets behind the last node");
    }

    return ngx_dns_verify_pop(v, 0);
}


static ngx_int_t
ngx_dns_verify_node(ngx_dns_verify_t *v, uint32_t i)
{
    size_t           n, left;
    uint32_t         place;
    ngx_uint_t       labels, flags;
    ngx_dns_node_t  *node;

    node = (ngx_dns_node_t *) v->pos;
    left = v->end - v->pos;

    if (left < sizeof(ngx_dns_node_t)) {
        return ngx_dns_verify_fail(v, "a node passes the end");
    }

    n = (offsetof(ngx_dns_node_t, name) + node->len + 3) & ~ (size_t) 3;

    if (left < n) {
        return ngx_dns_verify_fail(v, "a node passes the end");
    }

    place = (uint32_t) ((v->pos - (u_char *) v->zone) / 4);

    if (v->index[i] != place) {
        return ngx_dns_verify_fail(v, "the index lacks a node");
    }

    v->pos += n;

    if (ngx_dns_verify_labels(v, node, &labels) != NGX_OK
        || ngx_dns_verify_sets(v, node, &flags) != NGX_OK
        || ngx_dns_verify_step(v, node, labels, flags) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_dns_verify_slot(v, i, v->path[labels].hash,
                        (node->flags & NGX_DNS_NODE_NSEC3) ? 0 : place);

    if (labels == 0 && ngx_dns_verify_apex(v, node) != NGX_OK) {
        return NGX_ERROR;
    }

    if ((v->zone->flags & NGX_DNS_ZONE_DENIAL)
        && ngx_dns_index_denies(node, v->param) == NGX_OK)
    {
        if (v->ndenial == v->zone->ndenial
            || v->denial[v->ndenial++] != place)
        {
            return ngx_dns_verify_fail(v, "the list of proofs lacks one");
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_verify_labels(ngx_dns_verify_t *v, ngx_dns_node_t *node,
    ngx_uint_t *labels)
{
    u_char      *p, *last;
    ngx_uint_t   n;

    if (node->len + (size_t) v->zone->name_len > NGX_DNS_NAME_MAX) {
        return ngx_dns_verify_fail(v, "an owner is too long");
    }

    *labels = 0;
    p = node->name;
    last = p + node->len;

    while (p < last) {
        n = *p++;

        if (n == 0 || n > NGX_DNS_LABEL_MAX || (size_t) (last - p) < n) {
            return ngx_dns_verify_fail(v, "an owner is broken");
        }

        for ( /* void */ ; n > 0; n--, p++) {
            if (*p >= 'A' && *p <= 'Z') {
                return ngx_dns_verify_fail(v, "an owner is in upper case");
            }
        }

        (*labels)++;
    }

    return NGX_OK;
}


/*
 * Puts the node on the path: its parent must be there, and the sibling that
 * is there must come before it.  The flags are those of its own sets.
 */

static ngx_int_t
ngx_dns_verify_step(ngx_dns_verify_t *v, ngx_dns_node_t *node,
    ngx_uint_t labels, ngx_uint_t flags)
{
    u_char                 *label;
    size_t                  n;
    ngx_dns_node_t         *sibling;
    ngx_dns_verify_step_t  *step, *up;

    step = &v->path[labels];

    if (labels == 0) {

        if (v->soa != NULL) {
            return ngx_dns_verify_fail(v, "more than one apex");
        }

        step->node = node;
        step->flags = flags;

        return NGX_OK;
    }

    label = node->name;
    n = (size_t) *label + 1;

    if (labels > v->depth + 1 || v->soa == NULL) {
        return ngx_dns_verify_fail(v, "a node lacks its parent");
    }

    up = step - 1;

    if (node->len - n != up->node->len
        || ngx_memcmp(label + n, up->node->name, node->len - n) != 0)
    {
        return ngx_dns_verify_fail(v, "a node lacks its parent");
    }

    if (labels <= v->depth) {
        sibling = step->node;

        if (ngx_dns_name_cmp_rel(sibling->name, (size_t) sibling->name[0] + 1,
                                 label, n)
            >= 0)
        {
            return ngx_dns_verify_fail(v, "nodes are out of order");
        }

        if (ngx_dns_verify_pop(v, labels) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (up->flags
        & (NGX_DNS_NODE_CUT|NGX_DNS_NODE_DNAME|NGX_DNS_NODE_OCCLUDED))
    {
        flags |= NGX_DNS_NODE_OCCLUDED;
    }

    up->flags &= ~ (ngx_uint_t) NGX_DNS_NODE_NSEC3;

    if (label[0] == 1 && label[1] == '*') {
        flags |= NGX_DNS_NODE_WILDCARD;
        up->flags |= NGX_DNS_NODE_HAS_WILDCARD;
    }

    if (!(node->flags & NGX_DNS_NODE_NSEC3)) {
        v->max_labels = ngx_max(v->max_labels,
                                v->zone->name_labels + labels);
    }

    v->depth = labels;
    step->node = node;
    step->flags = flags;
    step->hash = ngx_dns_name_hash_label(label, up->hash, v->key);

    return NGX_OK;
}


/* what is below is complete now for all on the path from depth on */

static ngx_int_t
ngx_dns_verify_pop(ngx_dns_verify_t *v, ngx_uint_t depth)
{
    ngx_uint_t  i;

    for (i = depth; i <= v->depth; i++) {
        if (v->path[i].node->flags != v->path[i].flags) {
            return ngx_dns_verify_fail(v, "a node has wrong flags");
        }
    }

    return NGX_OK;
}


/* place 0: only the node that was there before goes into its bucket */

static void
ngx_dns_verify_slot(ngx_dns_verify_t *v, uint32_t i, uint64_t hash,
    uint32_t place)
{
    ngx_dns_zone_t         *zone;
    ngx_dns_bucket_t       *buckets;
    ngx_dns_verify_slot_t  *slot;

    zone = v->zone;
    slot = &v->slots[i % NGX_DNS_VERIFY_AHEAD];

    if (slot->place != 0) {
        ngx_dns_index_insert(zone, slot->hash, slot->place);
    }

    slot->hash = hash;
    slot->place = place;

    if (place != 0) {
        buckets = ngx_dns_zone_at(zone, zone->buckets);
        __builtin_prefetch(&buckets[ngx_dns_bucket_index(zone->nbuckets,
                                                         hash)], 1);
    }
}


/* all sets at pos, which moves behind them; flags: what they say */

static ngx_int_t
ngx_dns_verify_sets(ngx_dns_verify_t *v, ngx_dns_node_t *node,
    ngx_uint_t *flags)
{
    ngx_int_t         last;
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    *flags = 0;
    last = -1;

    for (i = 0; i < node->nsets; i++) {

        set = (ngx_dns_rrset_t *) v->pos;

        if (ngx_dns_verify_set(v) != NGX_OK) {
            return NGX_ERROR;
        }

        if ((ngx_int_t) set->type <= last) {
            return ngx_dns_verify_fail(v, "types are out of order");
        }

        last = set->type;
        *flags |= ngx_dns_compile_type_flags(set->type);
    }

    if (node->flags & NGX_DNS_NODE_NOTED) {
        *flags |= ngx_dns_compile_type_flags(NGX_DNS_TYPE_NOTE);

        if (ngx_dns_verify_about(v, NGX_DNS_TYPE_NOTE, 0, flags) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    /* what nothing but the flags is left of */

    if (node->flags & NGX_DNS_NODE_FAILED) {
        *flags |= node->flags & (NGX_DNS_NODE_FAILED|NGX_DNS_NODE_CUT
                                 |NGX_DNS_NODE_CNAME|NGX_DNS_NODE_DNAME);
    }

    if (!(node->flags & NGX_DNS_NODE_NSEC3)) {
        *flags &= ~ (ngx_uint_t) NGX_DNS_NODE_NSEC3;
    }

    *flags = ngx_dns_compile_node_flags(*flags, node->len == 0)
             & ~ (ngx_uint_t) NGX_DNS_COMPILE_NAME;

    return NGX_OK;
}


/* one set of RRs at pos, which moves behind it, its signatures and notes */

static ngx_int_t
ngx_dns_verify_set(ngx_dns_verify_t *v)
{
    uint32_t          flags;
    ngx_uint_t        ignored;
    ngx_dns_rrset_t  *set;

    set = (ngx_dns_rrset_t *) v->pos;

    if (ngx_dns_verify_head_of(v, set) != NGX_OK) {
        return NGX_ERROR;
    }

    if (set->type == NGX_DNS_TYPE_RRSIG || set->type == NGX_DNS_TYPE_NOTE
        || (ngx_dns_rr(set->type)->flags & NGX_DNS_RR_META))
    {
        return ngx_dns_verify_fail(v, "a type that no zone has");
    }

    flags = set->flags & ~ (uint32_t) NGX_DNS_RRSET_SIGNED;

    if (set->nrr == 0) {

        if (flags != NGX_DNS_RRSET_FAILED) {
            return ngx_dns_verify_fail(v, "an rrset without records");
        }

    } else {
        flags &= ~ (uint32_t) NGX_DNS_RRSET_NOTED;

        if (flags != ngx_dns_compile_set_flags(set->type)) {
            return ngx_dns_verify_fail(v, "an rrset has wrong flags");
        }
    }

    v->nrecords += set->nrr;
    v->counted = set->nrr;

    if (ngx_dns_verify_rrs(v, set) != NGX_OK) {
        return NGX_ERROR;
    }

    if ((set->flags & NGX_DNS_RRSET_SIGNED)
        && ngx_dns_verify_about(v, NGX_DNS_TYPE_RRSIG, set->type, &ignored)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if ((set->flags & NGX_DNS_RRSET_NOTED)
        && ngx_dns_verify_about(v, NGX_DNS_TYPE_NOTE, set->type, &ignored)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* moves behind a set, if there is room for it */

static ngx_int_t
ngx_dns_verify_head_of(ngx_dns_verify_t *v, ngx_dns_rrset_t *set)
{
    size_t  n, left;

    left = v->end - v->pos;

    if (left < sizeof(ngx_dns_rrset_t)) {
        return ngx_dns_verify_fail(v, "an rrset passes the end");
    }

    n = ngx_dns_rrset_size(set);

    if (left < n) {
        return ngx_dns_verify_fail(v, "an rrset passes the end");
    }

    v->pos += n;

    return NGX_OK;
}


/*
 * The signatures of a type or the notes about it (0: about the name) at pos,
 * which moves behind them.  flags: what the notes say is added.
 */

static ngx_int_t
ngx_dns_verify_about(ngx_dns_verify_t *v, ngx_uint_t type,
    ngx_uint_t covered, ngx_uint_t *flags)
{
    u_char           *rr;
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    set = (ngx_dns_rrset_t *) v->pos;

    if (ngx_dns_verify_head_of(v, set) != NGX_OK) {
        return NGX_ERROR;
    }

    if (set->type != type
        || set->flags != (set->nrr ? 0 : NGX_DNS_RRSET_FAILED)
        || (type == NGX_DNS_TYPE_NOTE && set->nrr == 0))
    {
        return ngx_dns_verify_fail(v, "signatures or notes are missing");
    }

    if (type == NGX_DNS_TYPE_RRSIG) {
        v->nrecords += set->nrr;
    }

    if (ngx_dns_verify_rrs(v, set) != NGX_OK) {
        return NGX_ERROR;
    }

    rr = ngx_dns_rrset_first(set);

    for (i = 0; i < set->nrr; i++, rr = ngx_dns_rrset_step(set, rr)) {

        if (ngx_dns_get16(rr) < NGX_DNS_NOTE_HEAD
            || ngx_dns_get16(rr + 2) != covered)
        {
            return ngx_dns_verify_fail(v, "a signature or note is about "
                                       "another type");
        }

        if (type == NGX_DNS_TYPE_NOTE
            && ngx_dns_verify_note(v, rr + 2, ngx_dns_get16(rr), flags)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* kinds that nobody knows yet are not looked into */

static ngx_int_t
ngx_dns_verify_note(ngx_dns_verify_t *v, u_char *note, size_t len,
    ngx_uint_t *flags)
{
    u_char            *p, *last;
    ngx_uint_t         covered;
    ngx_dns_name_t     name;
    ngx_dns_probe_t    probe;
    ngx_dns_choice_t   choice;

    p = note + NGX_DNS_NOTE_HEAD;
    last = note + len;
    covered = ngx_dns_note_covered(note);

    switch (ngx_dns_note_kind(note)) {

    case NGX_DNS_NOTE_NAME:
    case NGX_DNS_NOTE_FAILED:
    case NGX_DNS_NOTE_ZONE:
        return ngx_dns_verify_fail(v, "a note of a kind that is not kept");

    case NGX_DNS_NOTE_CHOICE:

        if (ngx_dns_choice_read(p, last - p, &choice) != NGX_OK
            || (covered != 0 && choice.nrr != v->counted))
        {
            return ngx_dns_verify_fail(v, "a broken note of choice");
        }

        return NGX_OK;

    case NGX_DNS_NOTE_ANAME:

        if (covered != 0) {
            return NGX_OK;
        }

        if (last - p < 5
            || ngx_dns_name_parse(&name, p + 4, last, v->key) != last
            || ngx_memcmp(name.wire, p + 4, name.len) != 0)
        {
            return ngx_dns_verify_fail(v, "a broken note of another name");
        }

        *flags |= NGX_DNS_NODE_ANAME;
        v->found |= NGX_DNS_ZONE_ANAMES;

        return NGX_OK;

    case NGX_DNS_NOTE_PROBE:

        if (covered == 0) {
            return NGX_OK;
        }

        if ((covered != NGX_DNS_TYPE_A && covered != NGX_DNS_TYPE_AAAA)
            || ngx_dns_probe_read(p, last - p, &probe) != NGX_OK)
        {
            return ngx_dns_verify_fail(v, "a broken note of checks");
        }

        v->found |= NGX_DNS_ZONE_PROBES;

        return NGX_OK;

    default:
        return NGX_OK;
    }
}


/* the RRs fill the set, in order, each once */

static ngx_int_t
ngx_dns_verify_rrs(ngx_dns_verify_t *v, ngx_dns_rrset_t *set)
{
    u_char      *rr, *last, *before;
    size_t       n, before_len;
    ngx_int_t    rc;
    ngx_uint_t   i, link;

    rr = (u_char *) (set + 1);
    link = (set->flags & NGX_DNS_RRSET_LINKS) ? 4 : 0;
    last = rr + set->size + link * set->nrr;
    before = NULL;
    before_len = 0;

    for (i = 0; i < set->nrr; i++) {

        if ((size_t) (last - rr) < link + 2) {
            return ngx_dns_verify_fail(v, "a record passes its rrset");
        }

        rr += link;
        n = ngx_dns_get16(rr);
        rr += 2;

        if ((size_t) (last - rr) < n) {
            return ngx_dns_verify_fail(v, "a record passes its rrset");
        }

        if (ngx_dns_rdata_check(set->type, rr, n, &v->err) != NGX_OK) {
            return NGX_ERROR;
        }

        if (before != NULL) {
            rc = ngx_memcmp(before, rr, ngx_min(before_len, n));

            if (rc > 0 || (rc == 0 && before_len >= n)) {
                return ngx_dns_verify_fail(v, "records are out of order");
            }
        }

        before = rr;
        before_len = n;
        rr += n;
    }

    if (rr != last) {
        return ngx_dns_verify_fail(v, "an rrset has another size");
    }

    return NGX_OK;
}


/* what all that follows is measured by */

static ngx_int_t
ngx_dns_verify_apex(ngx_dns_verify_t *v, ngx_dns_node_t *node)
{
    uint32_t         given;
    ngx_dns_zone_t  *zone;

    zone = v->zone;
    v->soa = ngx_dns_node_rrset(node, NGX_DNS_TYPE_SOA);

    if (v->soa == NULL || v->soa->nrr == 0
        || zone->soa != (uint32_t) (((u_char *) v->soa - (u_char *) zone) / 4))
    {
        return ngx_dns_verify_fail(v, "the SOA is not where it should be");
    }

    given = (zone->flags & NGX_DNS_ZONE_LIVE)
                ? NGX_DNS_ZONE_LIVE|NGX_DNS_ZONE_GIVEN : 0;

    given |= NGX_DNS_ZONE_FOUND;

    if ((zone->flags & ~given) != ngx_dns_compile_denial(zone)) {
        return ngx_dns_verify_fail(v, "the zone has wrong flags");
    }

    v->param = ngx_dns_index_param(zone);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_verify_soa(ngx_dns_verify_t *v)
{
    u_char          *rr;
    size_t           n, left;
    ngx_dns_zone_t  *zone;

    union {
        ngx_dns_rrset_t  set;
        u_char           octets[NGX_DNS_SHORT_BOUND];
    } soa;

    zone = v->zone;

    rr = ngx_dns_rrset_first(v->soa);
    rr += 2 + ngx_dns_get16(rr);

    if (zone->serial != ngx_dns_get32(rr - 20)
        || zone->negative_ttl != ngx_min(v->soa->ttl, ngx_dns_get32(rr - 4)))
    {
        return ngx_dns_verify_fail(v, "serial or negative TTL is not that "
                                   "of the SOA");
    }

    if ((zone->short_soa == 0) != (zone->name_labels == 0)) {
        return ngx_dns_verify_fail(v, "the short SOA is missing");
    }

    left = (u_char *) v->index - v->end;
    n = 0;

    if (zone->short_soa != 0) {
        ngx_memzero(&soa, sizeof(soa));
        n = ngx_dns_compile_short(zone, v->soa, soa.octets);
    }

    if (left != n || ngx_memcmp(v->end, soa.octets, n) != 0) {
        return ngx_dns_verify_fail(v, "the short SOA is not that of the SOA");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_verify_end(ngx_dns_verify_t *v)
{
    ngx_dns_zone_t  *zone;

    zone = v->zone;

    if (v->nrecords != zone->nrecords || v->ndenial != zone->ndenial
        || v->max_labels != zone->max_labels)
    {
        return ngx_dns_verify_fail(v, "counts are wrong");
    }

    if ((zone->flags & NGX_DNS_ZONE_FOUND) != v->found) {
        return ngx_dns_verify_fail(v, "the zone has wrong flags");
    }

    return NGX_OK;
}


/* when all nodes are in the hash */

static ngx_int_t
ngx_dns_verify_links(ngx_dns_verify_t *v)
{
    u_char           *rr, *rdata;
    uint32_t          i, link;
    ngx_int_t         target;
    ngx_uint_t        k, n;
    ngx_dns_name_t    name;
    ngx_dns_node_t   *node;
    ngx_dns_rrset_t  *set;

    for (i = 0; i < v->zone->nnodes; i++) {

        node = ngx_dns_zone_at(v->zone, v->index[i]);
        set = ngx_dns_node_sets(node);

        for (k = node->nsets; k > 0; k--, set = ngx_dns_rrset_next(set)) {

            if (!(set->flags & NGX_DNS_RRSET_LINKS)) {
                continue;
            }

            target = ngx_dns_compile_target(set->type);
            rr = ngx_dns_rrset_first(set);

            for (n = set->nrr; n > 0; n--, rr = ngx_dns_rrset_step(set, rr)) {

                rdata = rr + 2;

                (void) ngx_dns_index_target(v->zone, v->index[i], set->type,
                                            rdata + target,
                                            rdata + ngx_dns_get16(rr),
                                            v->key, &name, &link);

                if (link != ngx_dns_rrset_link(set, rr)) {
                    return ngx_dns_verify_fail(v, "a link leads elsewhere");
                }
            }
        }
    }

    return NGX_OK;
}
