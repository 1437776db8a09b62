
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_GEO)

#include <math.h>
#include <maxminddb.h>

#include "ngx_dns_geo_build.h"
#include "ngx_dns_geo_record.h"


#define NGX_DNS_GEO_DEPTH  128


/* an array that grows */

typedef struct {
    u_char             *data;
    size_t              size;           /* octets mapped */
    size_t              used;
} ngx_dns_geo_array_t;

typedef struct {
    ngx_dns_geo_array_t starts;         /* uint64_t */
    ngx_dns_geo_array_t values;         /* uint32_t */
    ngx_dns_geo_array_t bits;           /* uint8_t */
} ngx_dns_geo_nets_t;

/* a record of the database that was read already */

typedef struct {
    uint32_t            offset;
    uint32_t            used;
    uint32_t            values[NGX_DNS_GEO_FACTS];
} ngx_dns_geo_seen_t;

typedef struct {
    MMDB_s              mmdb;
    ngx_dns_memory_t   *mem;
    const char         *err;

    ngx_dns_geo_nets_t  nets[NGX_DNS_GEO_FACTS];
    ngx_uint_t          width;          /* 32 or 64 bits */
    uint64_t            steps;          /* that a tree has at most */

    ngx_dns_geo_array_t points;         /* float */
    ngx_dns_geo_array_t seen;           /* a hash table, half full */
    size_t              nseen;

    u_char             *block;          /* what is made */
    size_t              block_size;
    size_t              pos;
    ngx_uint_t          facts;          /* that were met, a bit each */
} ngx_dns_geo_build_t;

typedef struct {
    uint64_t            start;
    uint64_t            node;
    uint32_t            offset;
    uint8_t             depth;
    uint8_t             type;
} ngx_dns_geo_step_t;


static void *ngx_dns_geo_grow(ngx_dns_geo_build_t *b, ngx_dns_geo_array_t *a,
    size_t n);
static void ngx_dns_geo_free(ngx_dns_geo_build_t *b, ngx_dns_geo_array_t *a);
static ngx_int_t ngx_dns_geo_family(ngx_dns_geo_build_t *b, ngx_uint_t v6);
static ngx_int_t ngx_dns_geo_walk(ngx_dns_geo_build_t *b,
    ngx_dns_geo_step_t *root);
static ngx_int_t ngx_dns_geo_leaf(ngx_dns_geo_build_t *b,
    const ngx_dns_geo_step_t *s);
static const uint32_t *ngx_dns_geo_values(ngx_dns_geo_build_t *b,
    uint32_t offset);
static ngx_int_t ngx_dns_geo_rehash(ngx_dns_geo_build_t *b);
static uint32_t ngx_dns_geo_add_point(ngx_dns_geo_build_t *b,
    double latitude, double longitude);
static ngx_int_t ngx_dns_geo_push(ngx_dns_geo_build_t *b,
    ngx_dns_geo_nets_t *nets, uint64_t start, ngx_uint_t bits,
    uint32_t value);
static ngx_int_t ngx_dns_geo_reserve(ngx_dns_geo_build_t *b, size_t n);
static size_t ngx_dns_geo_take(ngx_dns_geo_build_t *b, size_t n);
static ngx_int_t ngx_dns_geo_list(ngx_dns_geo_build_t *b,
    ngx_dns_geo_nets_t *nets, ngx_uint_t fact, ngx_uint_t v6);
static void ngx_dns_geo_index(ngx_dns_geo_build_t *b,
    const ngx_dns_geo_nets_t *nets, uint32_t *index, uint64_t n);


ngx_int_t
ngx_dns_geo_build(const char *path, ngx_dns_memory_t *mem,
    ngx_dns_geo_t **block, size_t *size, const char **err)
{
    int                   rc;
    size_t                place;
    ngx_int_t             ok;
    ngx_uint_t            i;
    ngx_dns_geo_t        *geo;
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
        || ngx_dns_geo_reserve(b, sizeof(ngx_dns_geo_t)) != NGX_OK)
    {
        goto done;
    }

    (void) ngx_dns_geo_take(b, sizeof(ngx_dns_geo_t));

    if (ngx_dns_geo_family(b, 0) != NGX_OK
        || ngx_dns_geo_family(b, 1) != NGX_OK)
    {
        goto done;
    }

    if (b->facts == 0) {
        b->err = "it knows neither countries nor AS numbers nor places";
        goto done;
    }

    if (ngx_dns_geo_reserve(b, b->points.used) != NGX_OK) {
        goto done;
    }

    place = ngx_dns_geo_take(b, b->points.used);

    if (b->points.used != 0) {
        ngx_memcpy(b->block + place, b->points.data, b->points.used);
    }

    geo = (ngx_dns_geo_t *) b->block;
    geo->magic = NGX_DNS_GEO_MAGIC;
    geo->version = NGX_DNS_GEO_VERSION;
    geo->size = b->pos;
    geo->built = b->mmdb.metadata.build_epoch;
    geo->points = place;
    geo->npoints = b->points.used / (3 * sizeof(float));

    *size = b->pos;
    *block = mem->trim(mem->data, b->block, b->block_size, b->pos);

    if (*block != NULL) {
        b->block = NULL;
        ok = NGX_OK;
    }

done:

    if (b->err != NULL) {
        *err = b->err;
        ok = NGX_DECLINED;
    }

    if (b->block != NULL) {
        mem->unmap(mem->data, b->block, b->block_size);
    }

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        ngx_dns_geo_free(b, &b->nets[i].starts);
        ngx_dns_geo_free(b, &b->nets[i].values);
        ngx_dns_geo_free(b, &b->nets[i].bits);
    }

    ngx_dns_geo_free(b, &b->points);
    ngx_dns_geo_free(b, &b->seen);

    MMDB_close(&b->mmdb);

closed:

    mem->unmap(mem->data, b, sizeof(ngx_dns_geo_build_t));

    return ok;
}


/* room for n octets more; the place is not taken yet */

static void *
ngx_dns_geo_grow(ngx_dns_geo_build_t *b, ngx_dns_geo_array_t *a, size_t n)
{
    u_char  *p;
    size_t   size;

    if (a->size - a->used < n) {
        size = ngx_max(2 * a->size, 65536);
        size = ngx_max(size, a->used + n);

        p = b->mem->map(b->mem->data, size);
        if (p == NULL) {
            return NULL;
        }

        if (a->data != NULL) {
            ngx_memcpy(p, a->data, a->used);
            b->mem->unmap(b->mem->data, a->data, a->size);
        }

        a->data = p;
        a->size = size;
    }

    return a->data + a->used;
}


static void
ngx_dns_geo_free(ngx_dns_geo_build_t *b, ngx_dns_geo_array_t *a)
{
    if (a->data != NULL) {
        b->mem->unmap(b->mem->data, a->data, a->size);
    }
}


/* the networks of one family, all facts in one walk */

static ngx_int_t
ngx_dns_geo_family(ngx_dns_geo_build_t *b, ngx_uint_t v6)
{
    ngx_uint_t           i;
    ngx_dns_geo_step_t   root;
    ngx_dns_geo_nets_t  *nets;

    if (v6 && b->mmdb.metadata.ip_version != 6) {
        return NGX_OK;
    }

    ngx_memzero(&root, sizeof(ngx_dns_geo_step_t));

    b->width = v6 ? 64 : 32;
    b->steps = 2 * (uint64_t) b->mmdb.metadata.node_count + 1024;

    if (!v6 && b->mmdb.metadata.ip_version == 6) {

        root.node = b->mmdb.ipv4_start_node.node_value;

        if (b->mmdb.ipv4_start_node.netmask != 96) {

            /* one record, or nothing, for a network with all of IPv4 */

            return NGX_OK;
        }
    }

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        nets = &b->nets[i];
        nets->starts.used = 0;
        nets->values.used = 0;
        nets->bits.used = 0;
    }

    if (root.node >= b->mmdb.metadata.node_count) {
        return NGX_OK;
    }

    if (ngx_dns_geo_walk(b, &root) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        if (ngx_dns_geo_list(b, &b->nets[i], i, v6) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* leaves in the order of addresses */

static ngx_int_t
ngx_dns_geo_walk(ngx_dns_geo_build_t *b, ngx_dns_geo_step_t *root)
{
    ngx_uint_t           n;
    MMDB_search_node_s   node;
    ngx_dns_geo_step_t   s, *right, *left;
    ngx_dns_geo_step_t   stack[NGX_DNS_GEO_DEPTH + 2];

    n = 0;
    stack[n++] = *root;

    while (n > 0) {
        s = stack[--n];

        if (s.type != MMDB_RECORD_TYPE_SEARCH_NODE
            || (s.depth > 0 && s.node == b->mmdb.ipv4_start_node.node_value
                && b->width == 64 && b->mmdb.ipv4_start_node.netmask == 96))
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

        if (s.depth < b->width) {
            right->start |= 1ull << (b->width - 1 - s.depth);
            n++;
        }

        /* deeper than we look: the first of what is there stands for all */

        left = (s.depth < b->width) ? left : right;

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
    bits = ngx_min(s->depth, b->width);

    if (s->type == MMDB_RECORD_TYPE_DATA) {
        values = ngx_dns_geo_values(b, s->offset);
        if (values == NULL) {
            return NGX_ERROR;
        }
    }

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {

        if (values[i] != 0) {
            b->facts |= 1 << i;
        }

        if (ngx_dns_geo_push(b, &b->nets[i], s->start, bits, values[i])
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

    if (2 * b->nseen >= b->seen.size / sizeof(ngx_dns_geo_seen_t)
        && ngx_dns_geo_rehash(b) != NGX_OK)
    {
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
                   = ngx_dns_geo_add_point(b, rec.latitude, rec.longitude);

        if (seen[i].values[NGX_DNS_GEO_POINT] == 0) {
            return NULL;
        }
    }

    return seen[i].values;
}


/* twice the table; used holds the number of its slots, a power of 2 */

static ngx_int_t
ngx_dns_geo_rehash(ngx_dns_geo_build_t *b)
{
    size_t                i, k, n;
    ngx_dns_geo_array_t   old;
    ngx_dns_geo_seen_t   *from, *to;

    old = b->seen;
    n = old.used ? 2 * old.used : 4096;

    b->seen.size = n * sizeof(ngx_dns_geo_seen_t);
    b->seen.used = n;
    b->seen.data = b->mem->map(b->mem->data, b->seen.size);

    if (b->seen.data == NULL) {
        b->seen = old;
        return NGX_ERROR;
    }

    from = (ngx_dns_geo_seen_t *) old.data;
    to = (ngx_dns_geo_seen_t *) b->seen.data;

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

    ngx_dns_geo_free(b, &old);

    return NGX_OK;
}


/* its number, or 0: no memory */

static uint32_t
ngx_dns_geo_add_point(ngx_dns_geo_build_t *b, double latitude,
    double longitude)
{
    float   *p;
    double   lat, lon;

    p = ngx_dns_geo_grow(b, &b->points, 3 * sizeof(float));
    if (p == NULL) {
        return 0;
    }

    lat = latitude * M_PI / 180;
    lon = longitude * M_PI / 180;

    p[0] = (float) (cos(lat) * cos(lon));
    p[1] = (float) (cos(lat) * sin(lon));
    p[2] = (float) sin(lat);

    b->points.used += 3 * sizeof(float);

    return (uint32_t) (b->points.used / (3 * sizeof(float)));
}


/* one network more; two halves with one value become one */

static ngx_int_t
ngx_dns_geo_push(ngx_dns_geo_build_t *b, ngx_dns_geo_nets_t *nets,
    uint64_t start, ngx_uint_t bits, uint32_t value)
{
    size_t     n;
    u_char    *len;
    uint64_t  *starts;
    uint32_t  *values;

    if (ngx_dns_geo_grow(b, &nets->starts, 8) == NULL
        || ngx_dns_geo_grow(b, &nets->values, 4) == NULL
        || ngx_dns_geo_grow(b, &nets->bits, 1) == NULL)
    {
        return NGX_ERROR;
    }

    starts = (uint64_t *) nets->starts.data;
    values = (uint32_t *) nets->values.data;
    len = nets->bits.data;

    for (n = nets->bits.used; n > 0 && bits > 0; n--) {

        if (len[n - 1] != bits || values[n - 1] != value
            || (starts[n - 1] ^ start) != 1ull << (b->width - bits))
        {
            break;
        }

        bits--;
        start = starts[n - 1];
    }

    starts[n] = start;
    values[n] = value;
    len[n] = (u_char) bits;

    n++;
    nets->starts.used = 8 * n;
    nets->values.used = 4 * n;
    nets->bits.used = n;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_geo_reserve(ngx_dns_geo_build_t *b, size_t n)
{
    ngx_int_t             rc;
    ngx_dns_geo_array_t   a;

    a.data = b->block;
    a.size = b->block_size;
    a.used = b->pos;

    rc = (ngx_dns_geo_grow(b, &a, n + 64) == NULL) ? NGX_ERROR : NGX_OK;

    b->block = a.data;
    b->block_size = a.size;

    return rc;
}


/* a place that is a multiple of 8; the room has been reserved */

static size_t
ngx_dns_geo_take(ngx_dns_geo_build_t *b, size_t n)
{
    size_t  place;

    place = b->pos;
    b->pos = (place + n + 7) & ~ (size_t) 7;

    return place;
}


static ngx_int_t
ngx_dns_geo_list(ngx_dns_geo_build_t *b, ngx_dns_geo_nets_t *nets,
    ngx_uint_t fact, ngx_uint_t v6)
{
    size_t               i, n;
    uint32_t            *narrow;
    uint64_t            *starts;
    ngx_dns_geo_list_t  *list;

    n = nets->bits.used;
    starts = (uint64_t *) nets->starts.data;

    if (n == 0 || (n == 1 && ((uint32_t *) nets->values.data)[0] == 0)) {

        /* nothing is known of any address */

        return NGX_OK;
    }

    if (ngx_dns_geo_reserve(b, 4 * (size_t) NGX_DNS_GEO_INDEX + 13 * n + 64)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    list = &((ngx_dns_geo_t *) b->block)->lists[fact][v6];

    list->n = n;
    list->index = ngx_dns_geo_take(b, 4 * (size_t) NGX_DNS_GEO_INDEX);
    list->starts = ngx_dns_geo_take(b, (v6 ? 8 : 4) * n);
    list->values = ngx_dns_geo_take(b, 4 * n);
    list->bits = ngx_dns_geo_take(b, n);

    ngx_dns_geo_index(b, nets, (uint32_t *) (b->block + list->index), n);

    ngx_memcpy(b->block + list->values, nets->values.data, 4 * n);
    ngx_memcpy(b->block + list->bits, nets->bits.data, n);

    if (v6) {
        ngx_memcpy(b->block + list->starts, starts, 8 * n);
        return NGX_OK;
    }

    narrow = (uint32_t *) (b->block + list->starts);

    for (i = 0; i < n; i++) {
        narrow[i] = (uint32_t) starts[i];
    }

    return NGX_OK;
}


/* where to look for an address, by its first 16 bits */

static void
ngx_dns_geo_index(ngx_dns_geo_build_t *b, const ngx_dns_geo_nets_t *nets,
    uint32_t *index, uint64_t n)
{
    uint64_t    i, k, first, *starts;

    starts = (uint64_t *) nets->starts.data;
    k = 0;

    for (i = 0; i < NGX_DNS_GEO_INDEX - 1; i++) {
        first = i << (b->width - 16);

        while (k + 1 < n && starts[k + 1] <= first) {
            k++;
        }

        index[i] = (uint32_t) k;
    }

    index[i] = (uint32_t) (n - 1);
}

#endif
