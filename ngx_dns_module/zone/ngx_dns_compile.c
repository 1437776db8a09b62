
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_compiler.h"


#define NGX_DNS_COMPILE_AHEAD      12   /* records asked for in advance */
#define NGX_DNS_COMPILE_PROGRESS   0x20000  /* records between two reports */


static ngx_int_t ngx_dns_compile_begin(ngx_dns_compiler_t *c);
static void ngx_dns_compile_end(ngx_dns_compiler_t *c);
static void ngx_dns_compile_nodes(ngx_dns_compiler_t *c);
static ngx_int_t ngx_dns_compile_same(const ngx_dns_rec_t *a,
    const ngx_dns_rec_t *b);
static void ngx_dns_compile_path(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *rec);
static void ngx_dns_compile_apex(ngx_dns_compiler_t *c);
static ngx_uint_t ngx_dns_compile_below(ngx_dns_compiler_t *c,
    const u_char *label, ngx_uint_t flags);
static void ngx_dns_compile_depth(ngx_dns_compiler_t *c, ngx_uint_t depth);
static ngx_dns_node_t *ngx_dns_compile_step(ngx_dns_compiler_t *c,
    const u_char *name, size_t len, ngx_uint_t flags);
static void ngx_dns_compile_owner(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n);
static ngx_uint_t ngx_dns_compile_flags(ngx_dns_elt_t *elts, size_t n);
static ngx_uint_t ngx_dns_compile_joined(const ngx_dns_rec_t *a,
    const ngx_dns_rec_t *b);
static u_char *ngx_dns_compile_rr(ngx_dns_compiler_t *c, u_char *p,
    ngx_dns_rec_t *rec, ngx_int_t target);
static size_t ngx_dns_compile_set(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n, ngx_dns_rrset_t **set);
static size_t ngx_dns_compile_note(ngx_dns_compiler_t *c, ngx_dns_node_t *node,
    ngx_dns_rrset_t *last, ngx_dns_elt_t *elts, size_t n);
static void ngx_dns_compile_failed(ngx_dns_compiler_t *c, ngx_uint_t type);
static void ngx_dns_compile_soa(ngx_dns_compiler_t *c);
static size_t ngx_dns_compile_room(size_t n);


ngx_int_t
ngx_dns_compile(ngx_dns_records_t *rs, ngx_dns_key_t *key,
    ngx_dns_memory_t *mem, ngx_dns_zone_t **zone, size_t *size)
{
    void                *p;
    ngx_dns_compiler_t   c;

    ngx_memzero(&c, offsetof(ngx_dns_compiler_t, path));

    c.rs = rs;
    c.mem = mem;
    c.key = key;

    if (ngx_dns_compile_begin(&c) != NGX_OK) {
        ngx_dns_report(rs->rep, NGX_DNS_REPORT_ERROR, NULL, 0,
                       "not enough memory to compile %uz records", rs->n);
        goto failed;
    }

    ngx_dns_sort(c.elts, c.elts + rs->n, rs->n);

    ngx_dns_compile_nodes(&c);

    if (c.pos + 2 * ngx_dns_compile_room(c.zone->nnodes)
        > NGX_DNS_ZONE_SIZE_MAX)
    {
        ngx_dns_report(rs->rep, NGX_DNS_REPORT_ERROR, NULL, 0,
                       "zone is larger than 16 GiB");
    }

    if (rs->rep->errors != 0) {
        goto failed;
    }

    ngx_dns_compile_index(&c);
    ngx_dns_compile_links(&c);

    c.zone->size = c.pos;

    p = mem->trim(mem->data, c.zone, c.zone_size, c.pos);
    if (p == NULL) {
        goto failed;
    }

    *zone = p;
    *size = c.pos;
    c.zone = NULL;

    ngx_dns_check_end(&c);
    ngx_dns_compile_end(&c);

    return NGX_OK;

failed:

    ngx_dns_check_end(&c);
    ngx_dns_compile_end(&c);

    return NGX_ERROR;
}


/* most octets that index and buckets of n nodes take, with the padding */

static size_t
ngx_dns_compile_room(size_t n)
{
    return 4 * n
           + sizeof(ngx_dns_bucket_t) * (n / NGX_DNS_BUCKET_FILL + 3);
}


static ngx_int_t
ngx_dns_compile_begin(ngx_dns_compiler_t *c)
{
    u_char             *p, *last;
    ngx_dns_elt_t      *elt;
    ngx_dns_chunk_t    *chunk;
    ngx_dns_records_t  *rs;

    rs = c->rs;

    c->elts_size = ngx_max(rs->n, 1) * 2 * sizeof(ngx_dns_elt_t);
    c->elts = c->mem->map(c->mem->data, c->elts_size);

    c->nodes_size = (rs->nodes_bound + 1) * (8 + 4);
    c->hash = c->mem->map(c->mem->data, c->nodes_size);

    c->fixups_size = ngx_max(rs->n, 1) * sizeof(ngx_dns_fixup_t);
    c->fixups = c->mem->map(c->mem->data, c->fixups_size);

    c->zone_size = sizeof(ngx_dns_zone_t) + rs->bound + NGX_DNS_NODE_BOUND
                   + NGX_DNS_SHORT_BOUND
                   + 2 * ngx_dns_compile_room(rs->nodes_bound + 1);
    c->zone = c->mem->map(c->mem->data, c->zone_size);

    if (c->elts == NULL || c->hash == NULL || c->fixups == NULL
        || c->zone == NULL)
    {
        return NGX_ERROR;
    }

    c->place = (uint32_t *) (c->hash + rs->nodes_bound + 1);

    elt = c->elts;

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        while (p < last) {
            elt->rec = (ngx_dns_rec_t *) p;
            p += ngx_dns_rec_size(elt->rec);
            elt++;
        }
    }

    return NGX_OK;
}


static void
ngx_dns_compile_end(ngx_dns_compiler_t *c)
{
    ngx_dns_memory_t  *mem;

    mem = c->mem;

    if (c->elts != NULL) {
        mem->unmap(mem->data, c->elts, c->elts_size);
    }

    if (c->hash != NULL) {
        mem->unmap(mem->data, c->hash, c->nodes_size);
    }

    if (c->fixups != NULL) {
        mem->unmap(mem->data, c->fixups, c->fixups_size);
    }

    if (c->zone != NULL) {
        mem->unmap(mem->data, c->zone, c->zone_size);
    }
}


static void
ngx_dns_compile_nodes(ngx_dns_compiler_t *c)
{
    size_t              i, first, n;
    ngx_dns_elt_t      *elts;
    ngx_dns_zone_t     *zone;
    ngx_dns_records_t  *rs;

    rs = c->rs;
    zone = c->zone;

    zone->magic = NGX_DNS_ZONE_MAGIC;
    zone->version = NGX_DNS_ZONE_VERSION;
    zone->key = c->key->k[1];
    zone->name_len = (uint8_t) rs->apex_len;
    zone->name_labels = (uint8_t) rs->apex_labels;
    ngx_memcpy(zone->name, rs->apex, rs->apex_len);

    c->pos = (sizeof(ngx_dns_zone_t) + 3) & ~ (size_t) 3;

    elts = c->elts;
    n = rs->n;

    if (n == 0 || elts[0].rec->owner_len != 0) {
        ngx_dns_report(rs->rep, NGX_DNS_REPORT_ERROR, NULL, 0,
                       "zone has no SOA record");
        return;
    }

    for (first = 0; first < n; first = i) {

        for (i = first + 1;
             i < n && ngx_dns_compile_same(elts[first].rec, elts[i].rec);
             i++)
        {
            /* void */
        }

        if (i + NGX_DNS_COMPILE_AHEAD < n) {
            __builtin_prefetch(elts[i + NGX_DNS_COMPILE_AHEAD].rec);
        }

        ngx_dns_compile_owner(c, &elts[first], i - first);

        if (first / NGX_DNS_COMPILE_PROGRESS != i / NGX_DNS_COMPILE_PROGRESS) {
            ngx_dns_report(rs->rep, NGX_DNS_REPORT_PROGRESS, NULL, 0,
                           "%uz of %uz records compiled", i, n);
        }
    }

    zone->nrecords = (uint32_t) c->nrecords;

    ngx_dns_compile_soa(c);
}


static ngx_int_t
ngx_dns_compile_same(const ngx_dns_rec_t *a, const ngx_dns_rec_t *b)
{
    return a->owner_len == b->owner_len
           && ngx_memcmp(ngx_dns_rec_owner(a), ngx_dns_rec_owner(b),
                         a->owner_len)
              == 0;
}


/*
 * Makes the path lead to the parent of the record's owner.  Names come in
 * canonical order, so what the path lacks is an empty non-terminal.
 */

static void
ngx_dns_compile_path(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    size_t         len;
    ngx_uint_t     i, depth;
    const u_char  *p, *q, *start[NGX_DNS_LABELS_MAX + 1];

    p = ngx_dns_rec_owner(rec);

    for (i = rec->labels; i > 0; i--) {
        start[i] = p;
        p += *p + 1;
    }

    for (depth = 0; depth < c->depth && depth + 1 < rec->labels; depth++) {
        p = start[depth + 1];
        q = c->path[depth + 1].label;

        if (*p != *q || ngx_memcmp(p, q, *p + 1) != 0) {
            break;
        }
    }

    c->depth = depth;

    while (c->depth + 1 < rec->labels) {
        p = start[c->depth + 1];
        len = ngx_dns_rec_owner(rec) + rec->owner_len - p;

        ngx_dns_compile_step(c, p, len, 0);
    }
}


/* the apex is where the path starts */

static void
ngx_dns_compile_apex(ngx_dns_compiler_t *c)
{
    uint64_t    hash;
    ngx_uint_t  n;

    hash = ngx_dns_name_hash_root(c->key);

    for (n = c->rs->apex_labels; n > 0; n--) {
        hash = ngx_dns_name_hash_label(ngx_dns_name_skip(c->rs->apex, n - 1),
                                       hash, c->key);
    }

    c->path[0].hash = hash;
    c->zone->max_labels = (uint8_t) c->rs->apex_labels;
}


/* one label more; returns what the place in the tree adds to the flags */

static ngx_uint_t
ngx_dns_compile_below(ngx_dns_compiler_t *c, const u_char *label,
    ngx_uint_t flags)
{
    ngx_dns_node_t  *up;
    ngx_dns_step_t  *step, *parent;

    parent = &c->path[c->depth];
    step = &c->path[++c->depth];
    step->label = label;
    step->hash = ngx_dns_name_hash_label(label, parent->hash, c->key);

    if (parent->flags
        & (NGX_DNS_NODE_CUT|NGX_DNS_NODE_DNAME|NGX_DNS_NODE_OCCLUDED))
    {
        flags |= NGX_DNS_NODE_OCCLUDED;
    }

    /* the owner of an NSEC3 with something below it is a name like others */

    up = ngx_dns_zone_at(c->zone, parent->node);

    if (up->flags & NGX_DNS_NODE_NSEC3) {
        up->flags &= ~NGX_DNS_NODE_NSEC3;
        ngx_dns_compile_depth(c, c->depth - 1);
    }

    if (label[0] == 1 && label[1] == '*') {
        flags |= NGX_DNS_NODE_WILDCARD;
        up->flags |= NGX_DNS_NODE_HAS_WILDCARD;
    }

    if (!(flags & NGX_DNS_NODE_NSEC3)) {
        ngx_dns_compile_depth(c, c->depth);
    }

    return flags;
}


/* a name so many labels below the apex */

static void
ngx_dns_compile_depth(ngx_dns_compiler_t *c, ngx_uint_t depth)
{
    c->zone->max_labels = (uint8_t) ngx_max(c->zone->max_labels,
                                            c->rs->apex_labels + depth);
}


/* a new node below the last one of the path; without labels the apex */

static ngx_dns_node_t *
ngx_dns_compile_step(ngx_dns_compiler_t *c, const u_char *name, size_t len,
    ngx_uint_t flags)
{
    ngx_dns_node_t  *node;
    ngx_dns_step_t  *step;

    node = (ngx_dns_node_t *) ((u_char *) c->zone + c->pos);
    node->len = (uint8_t) len;
    ngx_memcpy(node->name, name, len);

    if (len == 0) {
        ngx_dns_compile_apex(c);

    } else {
        flags = ngx_dns_compile_below(c, name, flags);
    }

    step = &c->path[c->depth];
    step->node = (uint32_t) (c->pos / 4);
    step->flags = (uint16_t) flags;
    node->flags = (uint16_t) flags;

    c->hash[c->zone->nnodes] = step->hash;
    c->place[c->zone->nnodes] = step->node;
    c->zone->nnodes++;

    c->pos += (offsetof(ngx_dns_node_t, name) + len + 3) & ~ (size_t) 3;

    return node;
}


/* one owner name: its node and its sets */

static void
ngx_dns_compile_owner(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n)
{
    size_t            i;
    ngx_uint_t        flags;
    ngx_dns_rec_t    *rec;
    ngx_dns_node_t   *node;
    ngx_dns_rrset_t  *set, *last;

    rec = elts[0].rec;

    if (rec->labels != 0) {
        ngx_dns_compile_path(c, rec);
    }

    flags = ngx_dns_compile_flags(elts, n);

    if (flags & NGX_DNS_NODE_NOTED) {
        n = ngx_dns_notes_apply(c, elts, n, &flags);
    }

    if (flags & NGX_DNS_NODE_ANAME) {
        c->zone->flags |= NGX_DNS_ZONE_ANAMES;
    }

    node = ngx_dns_compile_step(c, ngx_dns_rec_owner(rec), rec->owner_len,
                                flags);

    ngx_dns_check_owner(c, elts, n, node->flags);

    last = NULL;

    for (i = 0; i < n; /* void */ ) {
        rec = elts[i].rec;

        if (rec->type == NGX_DNS_TYPE_RRSIG
            && (last == NULL || (last->flags & NGX_DNS_RRSET_SIGNED)
                || ngx_dns_get16(ngx_dns_rec_rdata(rec)) != last->type))
        {
            ngx_dns_check_sigs(c, rec);
            i++;
            continue;
        }

        if (rec->type == NGX_DNS_TYPE_NOTE) {
            i += ngx_dns_compile_note(c, node, last, elts + i, n - i);
            continue;
        }

        i += ngx_dns_compile_set(c, elts + i, n - i, &set);

        if (set->type == NGX_DNS_TYPE_RRSIG) {
            last->flags |= NGX_DNS_RRSET_SIGNED;

        } else {
            last = set;
            node->nsets++;
        }
    }
}


static ngx_uint_t
ngx_dns_compile_flags(ngx_dns_elt_t *elts, size_t n)
{
    size_t          i;
    ngx_uint_t      flags;
    ngx_dns_rec_t  *rec;

    flags = 0;

    for (i = 0; i < n; i++) {
        rec = elts[i].rec;

        /* that a label is listed does not make an NSEC3 owner a name */

        if (rec->type == NGX_DNS_TYPE_NOTE
            && ngx_dns_note_kind(ngx_dns_rec_rdata(rec)) == NGX_DNS_NOTE_NAME)
        {
            flags |= NGX_DNS_NODE_NOTED;
            continue;
        }

        flags |= ngx_dns_compile_type_flags(rec->type);
    }

    return ngx_dns_compile_node_flags(flags, elts[0].rec->labels == 0);
}


ngx_uint_t
ngx_dns_compile_type_flags(ngx_uint_t type)
{
    switch (type) {

    case NGX_DNS_TYPE_NS:
        return NGX_DNS_NODE_CUT|NGX_DNS_COMPILE_NAME;

    case NGX_DNS_TYPE_CNAME:
        return NGX_DNS_NODE_CNAME|NGX_DNS_COMPILE_NAME;

    case NGX_DNS_TYPE_DNAME:
        return NGX_DNS_NODE_DNAME|NGX_DNS_COMPILE_NAME;

    case NGX_DNS_TYPE_NSEC3:
        return NGX_DNS_NODE_NSEC3;

    case NGX_DNS_TYPE_RRSIG:
        return 0;

    case NGX_DNS_TYPE_NOTE:
        return NGX_DNS_NODE_NOTED|NGX_DNS_COMPILE_NAME;

    default:
        return NGX_DNS_COMPILE_NAME;
    }
}


ngx_uint_t
ngx_dns_compile_node_flags(ngx_uint_t flags, ngx_uint_t apex)
{
    if (flags & NGX_DNS_COMPILE_NAME) {
        flags &= ~ (ngx_uint_t) (NGX_DNS_COMPILE_NAME|NGX_DNS_NODE_NSEC3);
    }

    if (apex) {
        flags &= ~ (ngx_uint_t) NGX_DNS_NODE_CUT;
        flags |= NGX_DNS_NODE_APEX;
    }

    return flags;
}


ngx_uint_t
ngx_dns_compile_set_flags(ngx_uint_t type)
{
    ngx_uint_t  flags;

    flags = (ngx_dns_compile_target(type) == NGX_DECLINED)
                ? 0 : NGX_DNS_RRSET_LINKS;

    if (ngx_dns_rr(type)->flags & NGX_DNS_RR_COMPRESS) {
        flags |= NGX_DNS_RRSET_NAMES;
    }

    return flags;
}


ngx_int_t
ngx_dns_compile_target(ngx_uint_t type)
{
    uint8_t       *field;
    ngx_int_t      n;
    ngx_dns_rr_t  *rr;

    rr = ngx_dns_rr(type);

    if (!(rr->flags & NGX_DNS_RR_ADDITIONAL)) {
        return NGX_DECLINED;
    }

    /* numbers of 16 bits are all that stands in front of a target */

    n = 0;

    for (field = rr->fields; *field == NGX_DNS_RD_U16; field++) {
        n += 2;
    }

    return n;
}


/* 1: two records of one owner belong to one set */

static ngx_uint_t
ngx_dns_compile_joined(const ngx_dns_rec_t *a, const ngx_dns_rec_t *b)
{
    if (a->type != b->type) {
        return 0;
    }

    return (a->type != NGX_DNS_TYPE_RRSIG && a->type != NGX_DNS_TYPE_NOTE)
           || ngx_memcmp(ngx_dns_rec_rdata(a), ngx_dns_rec_rdata(b), 2) == 0;
}


/* one RR at p; target as ngx_dns_compile_target() says */

static u_char *
ngx_dns_compile_rr(ngx_dns_compiler_t *c, u_char *p, ngx_dns_rec_t *rec,
    ngx_int_t target)
{
    ngx_dns_fixup_t  *f;

    if (target != NGX_DECLINED) {
        f = &c->fixups[c->nfixups++];
        f->rec = rec;
        f->link = p - (u_char *) c->zone;
        f->node = c->path[c->depth].node;
        f->target = (uint32_t) target;
        p += 4;
    }

    p = ngx_dns_put16(p, rec->rdlen);

    return ngx_cpymem(p, ngx_dns_rec_rdata(rec), rec->rdlen);
}


/* the records of one type (RRSIG, note: about one type); returns how many */

static size_t
ngx_dns_compile_set(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n,
    ngx_dns_rrset_t **setp)
{
    u_char           *p;
    size_t            i, nfixups;
    ngx_int_t         target;
    ngx_uint_t        nrr;
    ngx_dns_rec_t    *rec, *first;
    ngx_dns_rrset_t  *set;

    first = elts[0].rec;
    nfixups = c->nfixups;
    target = ngx_dns_compile_target(first->type);

    set = (ngx_dns_rrset_t *) ((u_char *) c->zone + c->pos);
    set->type = first->type;
    set->ttl = first->ttl;
    set->flags = (uint32_t) ngx_dns_compile_set_flags(first->type);

    p = (u_char *) set + sizeof(ngx_dns_rrset_t);
    nrr = 0;

    for (i = 0; i < n && ngx_dns_compile_joined(first, elts[i].rec); i++) {

        rec = elts[i].rec;

        if (rec->ttl != set->ttl) {
            ngx_dns_check_ttl(c, rec);
            set->ttl = ngx_min(set->ttl, rec->ttl);
        }

        if (i > 0 && ngx_dns_rec_cmp(elts[i - 1].rec, rec) == 0) {
            continue;
        }

        p = ngx_dns_compile_rr(c, p, rec, target);
        set->size += 2 + (uint32_t) rec->rdlen;
        nrr++;
    }

    *setp = set;

    if (nrr > 65535) {
        ngx_dns_check_count(c, first);

        /* as if nothing of it had been written */

        ngx_memzero(set, p - (u_char *) set);
        c->nfixups = nfixups;
        ngx_dns_compile_failed(c, first->type);

        return i;
    }

    set->nrr = (uint16_t) nrr;
    c->pos = (p - (u_char *) c->zone + 3) & ~ (size_t) 3;

    if (first->type != NGX_DNS_TYPE_NOTE) {
        c->nrecords += nrr;
        ngx_dns_check_size(c, first, set);
    }

    return i;
}


/*
 * A type that failed, or the notes about one type, or about the name; last is
 * the set in front of it.  Returns how many of the records it took.
 */

static size_t
ngx_dns_compile_note(ngx_dns_compiler_t *c, ngx_dns_node_t *node,
    ngx_dns_rrset_t *last, ngx_dns_elt_t *elts, size_t n)
{
    size_t            i;
    u_char           *rdata;
    ngx_uint_t        covered;
    ngx_dns_rrset_t  *notes;

    rdata = ngx_dns_rec_rdata(elts[0].rec);
    covered = ngx_dns_note_covered(rdata);

    if (covered != 0) {

        if (ngx_dns_note_kind(rdata) == NGX_DNS_NOTE_FAILED) {
            ngx_dns_compile_failed(c, covered);
            node->nsets++;

            return 1;
        }

        if (last == NULL || last->type != covered || last->nrr == 0
            || (last->flags & NGX_DNS_RRSET_NOTED)
            || ngx_dns_notes_fit(elts[0].rec, last) != NGX_OK)
        {
            return 1;
        }

        last->flags |= NGX_DNS_RRSET_NOTED;

        for (i = 0;
             i < n && ngx_dns_compile_joined(elts[0].rec, elts[i].rec)
             && ngx_dns_notes_fit(elts[i].rec, last) == NGX_OK;
             i++)
        {
            if (ngx_dns_note_kind(ngx_dns_rec_rdata(elts[i].rec))
                == NGX_DNS_NOTE_PROBE)
            {
                c->zone->flags |= NGX_DNS_ZONE_PROBES;
            }
        }

        n = i;
    }

    return ngx_dns_compile_set(c, elts, n, &notes);
}


/* a set that cannot be answered */

static void
ngx_dns_compile_failed(ngx_dns_compiler_t *c, ngx_uint_t type)
{
    ngx_dns_rrset_t  *set;

    set = (ngx_dns_rrset_t *) ((u_char *) c->zone + c->pos);
    set->type = (uint16_t) type;
    set->nrr = 0;
    set->ttl = 0;
    set->size = 0;
    set->flags = NGX_DNS_RRSET_FAILED;

    c->pos += sizeof(ngx_dns_rrset_t);
}


/* the SOA is at hand for every negative answer */

static void
ngx_dns_compile_soa(ngx_dns_compiler_t *c)
{
    u_char           *rr;
    size_t            rdlen;
    uint32_t          minimum;
    ngx_dns_node_t   *apex;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set;

    zone = c->zone;
    zone->apex = c->place[0];

    apex = ngx_dns_zone_at(zone, zone->apex);
    set = ngx_dns_node_rrset(apex, NGX_DNS_TYPE_SOA);

    if (set == NULL) {
        return;
    }

    zone->soa = (uint32_t) (((u_char *) set - (u_char *) zone) / 4);

    rr = ngx_dns_rrset_first(set);
    rdlen = ngx_dns_get16(rr);
    rr += 2;

    if (rdlen < 22) {
        return;
    }

    minimum = ngx_dns_get32(rr + rdlen - 4);

    if (zone->name_labels != 0) {
        zone->short_soa = (uint32_t) (c->pos / 4);
        c->pos += ngx_dns_compile_short(zone, set, (u_char *) zone + c->pos);
    }

    zone->serial = ngx_dns_get32(rr + rdlen - 20);
    zone->negative_ttl = ngx_min(set->ttl, minimum);

    zone->flags |= (uint32_t) ngx_dns_compile_denial(zone);
}


ngx_uint_t
ngx_dns_compile_denial(const ngx_dns_zone_t *zone)
{
    ngx_dns_rrset_t  *set;

    set = ngx_dns_node_rrset(ngx_dns_zone_at(zone, zone->apex),
                             NGX_DNS_TYPE_NSEC);

    if (set != NULL && set->nrr != 0) {
        return NGX_DNS_ZONE_NSEC;
    }

    return (ngx_dns_zone_nsec3param(zone) != NULL) ? NGX_DNS_ZONE_NSEC3 : 0;
}


/*
 * A copy of the SOA for negative answers, whose owner is always part of the
 * question: names of the zone end with a pointer to it.
 */

size_t
ngx_dns_compile_short(const ngx_dns_zone_t *zone, const ngx_dns_rrset_t *soa,
    u_char *start)
{
    u_char           *p, *name, *rdata;
    size_t            n;
    ngx_uint_t        i;
    ngx_dns_short_t   names;
    ngx_dns_rrset_t  *set;

    set = (ngx_dns_rrset_t *) start;
    rdata = start + sizeof(ngx_dns_rrset_t) + 2;
    p = rdata;

    name = ngx_dns_rrset_first(soa) + 2;
    ngx_memzero(&names, sizeof(ngx_dns_short_t));

    for (i = 0; i < 2; i++) {
        n = ngx_dns_name_len(name);

        if (ngx_dns_name_is_subdomain(name, zone->name) == NGX_OK) {
            p = ngx_cpymem(p, name, n - zone->name_len);
            names.pos[names.npos++] = (uint16_t) (p - rdata);
            p += 2;

        } else {
            p = ngx_cpymem(p, name, n);
        }

        name += n;
    }

    p = ngx_cpymem(p, name, 20);
    ngx_dns_put16(rdata - 2, p - rdata);

    *set = *soa;
    set->flags = NGX_DNS_RRSET_SHORT;
    set->size = (uint32_t) (p - rdata + 2);

    n = ngx_dns_rrset_size(set);
    ngx_memcpy(start + n, &names, sizeof(names));

    return n + sizeof(names);
}
