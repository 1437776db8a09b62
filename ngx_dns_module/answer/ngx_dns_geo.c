
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_geo.h"


#define ngx_dns_geo_at(geo, place)  ((void *) ((u_char *) (geo) + (place)))


static ngx_int_t ngx_dns_geo_check_list(const ngx_dns_geo_t *geo,
    ngx_uint_t fact, ngx_uint_t v6);
static ngx_int_t ngx_dns_geo_room(const ngx_dns_geo_t *geo, uint64_t place,
    uint64_t n, uint64_t size);
static uint64_t ngx_dns_geo_start(const ngx_dns_geo_t *geo,
    const ngx_dns_geo_list_t *list, ngx_uint_t v6, uint64_t i);


ngx_int_t
ngx_dns_geo_check(const void *block, size_t size)
{
    ngx_uint_t            fact;
    const ngx_dns_geo_t  *geo;

    geo = block;

    if (size < sizeof(ngx_dns_geo_t)
        || geo->magic != NGX_DNS_GEO_MAGIC
        || geo->version != NGX_DNS_GEO_VERSION
        || geo->size != size
        || ngx_dns_geo_room(geo, geo->points, geo->npoints, 12) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    for (fact = 0; fact < NGX_DNS_GEO_FACTS; fact++) {

        if (ngx_dns_geo_check_list(geo, fact, 0) != NGX_OK
            || ngx_dns_geo_check_list(geo, fact, 1) != NGX_OK)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* n elements of size octets at place lie in the block */

static ngx_int_t
ngx_dns_geo_room(const ngx_dns_geo_t *geo, uint64_t place, uint64_t n,
    uint64_t size)
{
    if (place % 8 != 0 || place > geo->size
        || n > (geo->size - place) / size)
    {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_geo_check_list(const ngx_dns_geo_t *geo, ngx_uint_t fact,
    ngx_uint_t v6)
{
    uint8_t                   *bits;
    uint32_t                  *index, *values;
    uint64_t                   i, start, last;
    ngx_uint_t                 width;
    const ngx_dns_geo_list_t  *list;

    list = &geo->lists[fact][v6];

    if (list->n == 0) {
        return NGX_OK;
    }

    if (list->n > 0xffffffff
        || ngx_dns_geo_room(geo, list->index, NGX_DNS_GEO_INDEX, 4) != NGX_OK
        || ngx_dns_geo_room(geo, list->starts, list->n, v6 ? 8 : 4) != NGX_OK
        || ngx_dns_geo_room(geo, list->values, list->n, 4) != NGX_OK
        || ngx_dns_geo_room(geo, list->bits, list->n, 1) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    index = ngx_dns_geo_at(geo, list->index);
    values = ngx_dns_geo_at(geo, list->values);
    bits = ngx_dns_geo_at(geo, list->bits);
    width = v6 ? 64 : 32;

    /* index[i]: the network that holds the first address with these bits */

    for (i = 0; i < NGX_DNS_GEO_INDEX; i++) {

        if (index[i] >= list->n || (i > 0 && index[i] < index[i - 1])) {
            return NGX_DECLINED;
        }

        if (i < NGX_DNS_GEO_INDEX - 1
            && ngx_dns_geo_start(geo, list, v6, index[i])
               > i << (width - 16))
        {
            return NGX_DECLINED;
        }
    }

    last = 0;

    for (i = 0; i < list->n; i++) {
        start = ngx_dns_geo_start(geo, list, v6, i);

        if (bits[i] > width
            || (i > 0 && start <= last)
            || (fact == NGX_DNS_GEO_POINT && values[i] > geo->npoints))
        {
            return NGX_DECLINED;
        }

        last = start;
    }

    return NGX_OK;
}


static uint64_t
ngx_dns_geo_start(const ngx_dns_geo_t *geo, const ngx_dns_geo_list_t *list,
    ngx_uint_t v6, uint64_t i)
{
    void  *starts;

    starts = ngx_dns_geo_at(geo, list->starts);

    return v6 ? ((uint64_t *) starts)[i] : ((uint32_t *) starts)[i];
}


ngx_uint_t
ngx_dns_geo_has(const ngx_dns_geo_t *geo, ngx_uint_t fact)
{
    return geo->lists[fact][0].n != 0 || geo->lists[fact][1].n != 0;
}


uint32_t
ngx_dns_geo_find(const ngx_dns_geo_t *geo, ngx_uint_t fact,
    const u_char *address, size_t len, ngx_uint_t *bits)
{
    uint32_t                  *index;
    uint64_t                   key, low, high, i;
    ngx_uint_t                 v6;
    const ngx_dns_geo_list_t  *list;

    v6 = (len == 16);
    list = &geo->lists[fact][v6];

    if (list->n == 0) {
        *bits = 0;
        return 0;
    }

    key = ngx_dns_get32(address);

    if (v6) {
        key = key << 32 | ngx_dns_get32(address + 4);
    }

    index = ngx_dns_geo_at(geo, list->index);
    i = ngx_dns_get16(address);

    /* the last network that starts at or below the address */

    low = index[i];
    high = (uint64_t) index[i + 1] + 1;

    while (high - low > 1) {
        i = (low + high) / 2;

        if (ngx_dns_geo_start(geo, list, v6, i) <= key) {
            low = i;

        } else {
            high = i;
        }
    }

    *bits = ((uint8_t *) ngx_dns_geo_at(geo, list->bits))[low];

    return ((uint32_t *) ngx_dns_geo_at(geo, list->values))[low];
}


void
ngx_dns_geo_point(const ngx_dns_geo_t *geo, uint32_t i, double *point)
{
    float  *p;

    p = ngx_dns_geo_at(geo, geo->points);
    p += 3 * (size_t) (i - 1);

    point[0] = p[0];
    point[1] = p[1];
    point[2] = p[2];
}
