
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_GEO)

#include <maxminddb.h>

#include "ngx_dns_geo_block.h"
#include "ngx_dns_geo_build.h"
#include "ngx_dns_geo_record.h"


#define NGX_DNS_GEO_DEPTH      128
#define NGX_DNS_GEO_SEPARATOR  16       /* octets between tree and data */


/* a record of the database that was read already */

typedef struct {
    uint32_t             offset;
    uint32_t             used;
    uint32_t             values[NGX_DNS_GEO_FACTS];
} ngx_dns_geo_seen_t;

typedef struct {
    MMDB_s               mmdb;
    ngx_dns_memory_t    *mem;
    const char          *err;

    ngx_dns_geo_block_t  block;
    uint64_t             steps;         /* that a tree has at most */

    ngx_dns_geo_array_t  seen;          /* a hash table, half full; used: its
                                           slots, a power of 2 */
    size_t               nseen;
} ngx_dns_geo_build_t;

typedef struct {
    uint64_t             start;
    uint64_t             node;
    uint32_t             offset;
    uint8_t              depth;
    uint8_t              type;
} ngx_dns_geo_step_t;


static ngx_int_t ngx_dns_geo_family(ngx_dns_geo_build_t *b, ngx_uint_t v6);
static void ngx_dns_geo_root(ngx_dns_geo_build_t *b, ngx_uint_t v6,
    ngx_dns_geo_step_t *root);
static ngx_int_t ngx_dns_geo_walk(ngx_dns_geo_build_t *b,
    ngx_dns_geo_step_t *root);
static ngx_int_t ngx_dns_geo_leaf(ngx_dns_geo_build_t *b,
    const ngx_dns_geo_step_t *s);
static const uint32_t *ngx_dns_geo_values(ngx_dns_geo_build_t *b,
    uint32_t offset);
static ngx_int_t ngx_dns_geo_rehash(ngx_dns_geo_build_t *b);


ngx_int_t
ngx_dns_geo_build(const char *path, ngx_dns_memory_t *mem,
    ngx_dns_geo_t **block, size_t *size, const char **err)
{
    int                   rc;
    ngx_int_t             ok;
    ngx_dns_geo_build_t  *b;

    b = mem->map(mem->data, sizeof(ngx_dns_geo_build_t));
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->mem = mem;
    ok = NGX_DECLINED;

    rc = MMDB_open(path, MMDB_MODE_MMAP, &b->mmdb);

    if (rc != MMDB_SUCCESS) {
        *err = MMDB_strerror(rc);
        goto closed;
    }

    ok = NGX_ERROR;
    b->err = NULL;

    if (ngx_dns_geo_rehash(b) != NGX_OK
        || ngx_dns_geo_block_init(&b->block, mem) != NGX_OK
        || ngx_dns_geo_family(b, 0) != NGX_OK
        || ngx_dns_geo_family(b, 1) != NGX_OK)
    {
        goto done;
    }

    if (b->block.facts == 0) {
        b->err = "it knows neither countries nor AS numbers nor places";
        goto done;
    }

    ok = ngx_dns_geo_block_end(&b->block, b->mmdb.metadata.build_epoch, block,
                               size);

done:

    if (b->err != NULL) {
        *err = b->err;
        ok = NGX_DECLINED;
    }

    ngx_dns_geo_block_free(&b->block);
    ngx_dns_geo_free(mem, &b->seen);

    MMDB_close(&b->mmdb);

closed:

    mem->unmap(mem->data, b, sizeof(ngx_dns_geo_build_t));

    return ok;
}


/* the networks of one family, all facts in one walk */

static ngx_int_t
ngx_dns_geo_family(ngx_dns_geo_build_t *b, ngx_uint_t v6)
{
    ngx_dns_geo_step_t  root;

    if (v6 && b->mmdb.metadata.ip_version != 6) {
        return NGX_OK;
    }

    b->steps = 2 * (uint64_t) b->mmdb.metadata.node_count + 1024;

    ngx_dns_geo_root(b, v6, &root);
    ngx_dns_geo_block_begin(&b->block, v6);

    if (ngx_dns_geo_walk(b, &root) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_geo_block_lists(&b->block, v6);
}


/* where the tree of a family begins; it may be one record for all */

static void
ngx_dns_geo_root(ngx_dns_geo_build_t *b, ngx_uint_t v6,
    ngx_dns_geo_step_t *root)
{
    uint32_t  count;

    ngx_memzero(root, sizeof(ngx_dns_geo_step_t));

    root->type = MMDB_RECORD_TYPE_SEARCH_NODE;

    if (v6 || b->mmdb.metadata.ip_version != 6) {
        return;
    }

    count = b->mmdb.metadata.node_count;
    root->node = b->mmdb.ipv4_start_node.node_value;

    if (root->node == count) {
        root->type = MMDB_RECORD_TYPE_EMPTY;

    } else if (root->node > count) {
        root->type = MMDB_RECORD_TYPE_DATA;
        root->offset = (uint32_t) (root->node - count)
                       - NGX_DNS_GEO_SEPARATOR;
    }
}


/* leaves in the order of addresses */

static ngx_int_t
ngx_dns_geo_walk(ngx_dns_geo_build_t *b, ngx_dns_geo_step_t *root)
{
    ngx_uint_t           n, width;
    MMDB_search_node_s   node;
    ngx_dns_geo_step_t   s, *right, *left;
    ngx_dns_geo_step_t   stack[NGX_DNS_GEO_DEPTH + 2];

    width = b->block.width;
    n = 0;
    stack[n++] = *root;

    while (n > 0) {
        s = stack[--n];

        if (s.type != MMDB_RECORD_TYPE_SEARCH_NODE
            || (s.depth > 0 && s.node == b->mmdb.ipv4_start_node.node_value
                && width == 64 && b->mmdb.ipv4_start_node.netmask == 96))
        {
            if (ngx_dns_geo_leaf(b, &s) != NGX_OK) {
                return NGX_ERROR;
            }

            continue;
        }

        if (b->steps-- == 0
            || MMDB_read_node(&b->mmdb, (uint32_t) s.node, &node)
               != MMDB_SUCCESS
            || node.left_record_type == MMDB_RECORD_TYPE_INVALID
            || node.right_record_type == MMDB_RECORD_TYPE_INVALID
            || s.depth >= NGX_DNS_GEO_DEPTH)
        {
            b->err = "its search tree is damaged";
            return NGX_ERROR;
        }

        left = &stack[n + 1];
        right = &stack[n];

        right->start = s.start;
        left->start = s.start;

        if (s.depth < width) {
            right->start |= 1ull << (width - 1 - s.depth);
            n++;
        }

        /* deeper than we look: the first of what is there stands for all */

        left = (s.depth < width) ? left : right;

        right->depth = s.depth + 1;
        right->type = node.right_record_type;
        right->node = node.right_record;
        right->offset = node.right_record_entry.offset;

        left->start = s.start;
        left->depth = s.depth + 1;
        left->type = node.left_record_type;
        left->node = node.left_record;
        left->offset = node.left_record_entry.offset;

        n++;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_geo_leaf(ngx_dns_geo_build_t *b, const ngx_dns_geo_step_t *s)
{
    ngx_uint_t       i, bits;
    const uint32_t  *values;

    static const uint32_t  unknown[NGX_DNS_GEO_FACTS];

    values = unknown;
    bits = ngx_min(s->depth, b->block.width);

    if (s->type == MMDB_RECORD_TYPE_DATA) {
        values = ngx_dns_geo_values(b, s->offset);
        if (values == NULL) {
            return NGX_ERROR;
        }
    }

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        if (ngx_dns_geo_block_push(&b->block, i, s->start, bits, values[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* what the record at offset says; valid until the next call */

static const uint32_t *
ngx_dns_geo_values(ngx_dns_geo_build_t *b, uint32_t offset)
{
    size_t                 mask, i;
    ngx_dns_geo_seen_t    *seen;
    ngx_dns_geo_record_t   rec;

    if (2 * b->nseen >= b->seen.used && ngx_dns_geo_rehash(b) != NGX_OK) {
        return NULL;
    }

    seen = (ngx_dns_geo_seen_t *) b->seen.data;
    mask = b->seen.used - 1;

    for (i = (offset * 0x9e3779b1u) & mask; seen[i].used;
         i = (i + 1) & mask)
    {
        if (seen[i].offset == offset) {
            return seen[i].values;
        }
    }

    if (ngx_dns_geo_record(&b->mmdb, offset, &rec) != NGX_OK) {
        b->err = "a record is damaged";
        return NULL;
    }

    seen[i].offset = offset;
    seen[i].used = 1;
    seen[i].values[NGX_DNS_GEO_COUNTRY] = rec.country;
    seen[i].values[NGX_DNS_GEO_CONTINENT] = rec.continent;
    seen[i].values[NGX_DNS_GEO_ASN] = rec.asn;
    b->nseen++;

    if (rec.placed) {
        seen[i].values[NGX_DNS_GEO_POINT]
            = ngx_dns_geo_block_point(&b->block, rec.latitude, rec.longitude);

        if (seen[i].values[NGX_DNS_GEO_POINT] == 0) {
            return NULL;
        }
    }

    return seen[i].values;
}


/* twice the table */

static ngx_int_t
ngx_dns_geo_rehash(ngx_dns_geo_build_t *b)
{
    size_t                i, k, n;
    ngx_dns_geo_array_t   old;
    ngx_dns_geo_seen_t   *from, *to;

    old = b->seen;
    n = old.used ? 2 * old.used : 4096;

    ngx_memzero(&b->seen, sizeof(ngx_dns_geo_array_t));

    to = ngx_dns_geo_grow(b->mem, &b->seen, n * sizeof(ngx_dns_geo_seen_t));

    if (to == NULL) {
        b->seen = old;
        return NGX_ERROR;
    }

    b->seen.used = n;
    from = (ngx_dns_geo_seen_t *) old.data;

    for (i = 0; i < old.used; i++) {

        if (!from[i].used) {
            continue;
        }

        for (k = (from[i].offset * 0x9e3779b1u) & (n - 1); to[k].used;
             k = (k + 1) & (n - 1))
        {
            /* void */
        }

        to[k] = from[i];
    }

    ngx_dns_geo_free(b->mem, &old);

    return NGX_OK;
}

#endif
