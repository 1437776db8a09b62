
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include <math.h>

#include "ngx_dns_geo_block.h"


#define NGX_DNS_GEO_POINT_SIZE  (3 * sizeof(float))


static ngx_int_t ngx_dns_geo_block_list(ngx_dns_geo_block_t *blk,
    ngx_uint_t fact, ngx_uint_t v6);
static void ngx_dns_geo_block_index(ngx_dns_geo_block_t *blk,
    const ngx_dns_geo_nets_t *nets, uint32_t *index, uint64_t n);
static size_t ngx_dns_geo_block_take(ngx_dns_geo_block_t *blk, size_t n);
static ngx_int_t ngx_dns_geo_block_rehash(ngx_dns_geo_block_t *blk);
static size_t ngx_dns_geo_block_hash(const float *point);


ngx_int_t
ngx_dns_geo_block_init(ngx_dns_geo_block_t *blk, ngx_dns_memory_t *mem)
{
    blk->mem = mem;

    if (ngx_dns_geo_grow(mem, &blk->block, sizeof(ngx_dns_geo_t)) == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_dns_geo_block_take(blk, sizeof(ngx_dns_geo_t));

    return NGX_OK;
}


void
ngx_dns_geo_block_begin(ngx_dns_geo_block_t *blk, ngx_uint_t v6)
{
    ngx_uint_t           i;
    ngx_dns_geo_nets_t  *nets;

    blk->width = v6 ? 64 : 32;

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        nets = &blk->nets[i];
        nets->starts.used = 0;
        nets->values.used = 0;
        nets->bits.used = 0;
    }
}


ngx_int_t
ngx_dns_geo_block_push(ngx_dns_geo_block_t *blk, ngx_uint_t fact,
    uint64_t start, ngx_uint_t bits, uint32_t value)
{
    size_t               n;
    u_char              *len;
    uint64_t            *starts;
    uint32_t            *values;
    ngx_dns_geo_nets_t  *nets;

    nets = &blk->nets[fact];

    if (ngx_dns_geo_grow(blk->mem, &nets->starts, 8) == NULL
        || ngx_dns_geo_grow(blk->mem, &nets->values, 4) == NULL
        || ngx_dns_geo_grow(blk->mem, &nets->bits, 1) == NULL)
    {
        return NGX_ERROR;
    }

    if (value != 0) {
        blk->facts |= 1 << fact;
    }

    starts = (uint64_t *) nets->starts.data;
    values = (uint32_t *) nets->values.data;
    len = nets->bits.data;

    for (n = nets->bits.used; n > 0 && bits > 0; n--) {

        if (len[n - 1] != bits || values[n - 1] != value
            || (starts[n - 1] ^ start) != 1ull << (blk->width - bits))
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


/* a point is kept once: networks around one place are one network then */

uint32_t
ngx_dns_geo_block_point(ngx_dns_geo_block_t *blk, double latitude,
    double longitude)
{
    float      point[3], *points;
    size_t     i, n, mask;
    double     lat, lon;
    uint32_t  *found;

    n = blk->points.used / NGX_DNS_GEO_POINT_SIZE;

    if (2 * n >= blk->found.used && ngx_dns_geo_block_rehash(blk) != NGX_OK) {
        return 0;
    }

    if (ngx_dns_geo_grow(blk->mem, &blk->points, NGX_DNS_GEO_POINT_SIZE)
        == NULL)
    {
        return 0;
    }

    lat = latitude * M_PI / 180;
    lon = longitude * M_PI / 180;

    point[0] = (float) (cos(lat) * cos(lon));
    point[1] = (float) (cos(lat) * sin(lon));
    point[2] = (float) sin(lat);

    points = (float *) blk->points.data;
    found = (uint32_t *) blk->found.data;
    mask = blk->found.used - 1;

    for (i = ngx_dns_geo_block_hash(point) & mask;
         found[i] != 0;
         i = (i + 1) & mask)
    {
        if (ngx_memcmp(&points[3 * (size_t) (found[i] - 1)], point,
                       NGX_DNS_GEO_POINT_SIZE)
            == 0)
        {
            return found[i];
        }
    }

    ngx_memcpy(&points[3 * n], point, NGX_DNS_GEO_POINT_SIZE);
    blk->points.used += NGX_DNS_GEO_POINT_SIZE;

    found[i] = (uint32_t) (n + 1);

    return found[i];
}


static ngx_int_t
ngx_dns_geo_block_rehash(ngx_dns_geo_block_t *blk)
{
    float                *points;
    size_t                i, k, n;
    uint32_t             *found;
    ngx_dns_geo_array_t   a;

    ngx_memzero(&a, sizeof(ngx_dns_geo_array_t));

    n = blk->found.used ? 2 * blk->found.used : 4096;

    found = ngx_dns_geo_grow(blk->mem, &a, 4 * n);
    if (found == NULL) {
        return NGX_ERROR;
    }

    a.used = n;
    points = (float *) blk->points.data;

    for (i = 0; i < blk->points.used / NGX_DNS_GEO_POINT_SIZE; i++) {

        for (k = ngx_dns_geo_block_hash(&points[3 * i]) & (n - 1);
             found[k] != 0;
             k = (k + 1) & (n - 1))
        {
            /* void */
        }

        found[k] = (uint32_t) (i + 1);
    }

    ngx_dns_geo_free(blk->mem, &blk->found);
    blk->found = a;

    return NGX_OK;
}


static size_t
ngx_dns_geo_block_hash(const float *point)
{
    uint32_t  n[3];
    uint64_t  hash;

    ngx_memcpy(n, point, NGX_DNS_GEO_POINT_SIZE);

    hash = n[0] * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 32 ^ n[1]) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 32 ^ n[2]) * 0x9e3779b97f4a7c15ull;

    return (size_t) (hash >> 32);
}


ngx_int_t
ngx_dns_geo_block_lists(ngx_dns_geo_block_t *blk, ngx_uint_t v6)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        if (ngx_dns_geo_block_list(blk, i, v6) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_geo_block_list(ngx_dns_geo_block_t *blk, ngx_uint_t fact,
    ngx_uint_t v6)
{
    size_t               i, n;
    u_char              *p;
    uint32_t            *narrow;
    uint64_t            *starts;
    ngx_dns_geo_nets_t  *nets;
    ngx_dns_geo_list_t  *list;

    nets = &blk->nets[fact];
    n = nets->bits.used;
    starts = (uint64_t *) nets->starts.data;

    if (n == 0 || (n == 1 && ((uint32_t *) nets->values.data)[0] == 0)) {

        /* nothing is known of any address */

        return NGX_OK;
    }

    if (ngx_dns_geo_grow(blk->mem, &blk->block,
                         4 * (size_t) NGX_DNS_GEO_INDEX + 13 * n + 64)
        == NULL)
    {
        return NGX_ERROR;
    }

    p = blk->block.data;
    list = &((ngx_dns_geo_t *) p)->lists[fact][v6];

    list->n = n;
    list->index = ngx_dns_geo_block_take(blk, 4 * (size_t) NGX_DNS_GEO_INDEX);
    list->starts = ngx_dns_geo_block_take(blk, (v6 ? 8 : 4) * n);
    list->values = ngx_dns_geo_block_take(blk, 4 * n);
    list->bits = ngx_dns_geo_block_take(blk, n);

    ngx_dns_geo_block_index(blk, nets, (uint32_t *) (p + list->index), n);

    ngx_memcpy(p + list->values, nets->values.data, 4 * n);
    ngx_memcpy(p + list->bits, nets->bits.data, n);

    if (v6) {
        ngx_memcpy(p + list->starts, starts, 8 * n);
        return NGX_OK;
    }

    narrow = (uint32_t *) (p + list->starts);

    for (i = 0; i < n; i++) {
        narrow[i] = (uint32_t) starts[i];
    }

    return NGX_OK;
}


/* where to look for an address, by its first 16 bits */

static void
ngx_dns_geo_block_index(ngx_dns_geo_block_t *blk,
    const ngx_dns_geo_nets_t *nets, uint32_t *index, uint64_t n)
{
    uint64_t  i, k, first, *starts;

    starts = (uint64_t *) nets->starts.data;
    k = 0;

    for (i = 0; i < NGX_DNS_GEO_INDEX - 1; i++) {
        first = i << (blk->width - 16);

        while (k + 1 < n && starts[k + 1] <= first) {
            k++;
        }

        index[i] = (uint32_t) k;
    }

    index[i] = (uint32_t) (n - 1);
}


ngx_int_t
ngx_dns_geo_block_end(ngx_dns_geo_block_t *blk, uint64_t built,
    ngx_dns_geo_t **geo, size_t *size)
{
    size_t          n, place;
    ngx_dns_geo_t  *head;

    n = blk->points.used;

    if (ngx_dns_geo_grow(blk->mem, &blk->block, n + 8) == NULL) {
        return NGX_ERROR;
    }

    place = ngx_dns_geo_block_take(blk, n);

    if (n != 0) {
        ngx_memcpy(blk->block.data + place, blk->points.data, n);
    }

    head = (ngx_dns_geo_t *) blk->block.data;

    head->magic = NGX_DNS_GEO_MAGIC;
    head->version = NGX_DNS_GEO_VERSION;
    head->size = blk->block.used;
    head->built = built;
    head->points = place;
    head->npoints = n / NGX_DNS_GEO_POINT_SIZE;

    *size = blk->block.used;
    *geo = blk->mem->trim(blk->mem->data, head, blk->block.size, *size);

    if (*geo == NULL) {
        return NGX_ERROR;
    }

    blk->block.data = NULL;

    return NGX_OK;
}


/* a place that is a multiple of 8; there is room for 7 octets more than n */

static size_t
ngx_dns_geo_block_take(ngx_dns_geo_block_t *blk, size_t n)
{
    size_t  place;

    place = blk->block.used;
    blk->block.used = (place + n + 7) & ~ (size_t) 7;

    return place;
}


void
ngx_dns_geo_block_free(ngx_dns_geo_block_t *blk)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        ngx_dns_geo_free(blk->mem, &blk->nets[i].starts);
        ngx_dns_geo_free(blk->mem, &blk->nets[i].values);
        ngx_dns_geo_free(blk->mem, &blk->nets[i].bits);
    }

    ngx_dns_geo_free(blk->mem, &blk->points);
    ngx_dns_geo_free(blk->mem, &blk->found);
    ngx_dns_geo_free(blk->mem, &blk->block);
}


void *
ngx_dns_geo_grow(ngx_dns_memory_t *mem, ngx_dns_geo_array_t *a, size_t n)
{
    u_char  *p;
    size_t   size;

    if (a->size - a->used < n) {
        size = ngx_max(2 * a->size, 65536);
        size = ngx_max(size, a->used + n);

        p = mem->map(mem->data, size);
        if (p == NULL) {
            return NULL;
        }

        if (a->data != NULL) {
            ngx_memcpy(p, a->data, a->used);
            mem->unmap(mem->data, a->data, a->size);
        }

        a->data = p;
        a->size = size;
    }

    return a->data + a->used;
}


void
ngx_dns_geo_free(ngx_dns_memory_t *mem, ngx_dns_geo_array_t *a)
{
    if (a->data != NULL) {
        mem->unmap(mem->data, a->data, a->size);
        a->data = NULL;
        a->size = 0;
        a->used = 0;
    }
}
