
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GEO_BLOCK_H_INCLUDED_
#define _NGX_DNS_GEO_BLOCK_H_INCLUDED_


#include "ngx_dns_geo.h"
#include "ngx_dns_records.h"


/*
 * Writes a block of ngx_dns_geo.h: for each family begin(), networks in
 * ascending order that are all of the address space, lists(); then end().
 */

typedef struct {
    u_char               *data;
    size_t                size;         /* octets mapped */
    size_t                used;
} ngx_dns_geo_array_t;

typedef struct {
    ngx_dns_geo_array_t   starts;       /* uint64_t */
    ngx_dns_geo_array_t   values;       /* uint32_t */
    ngx_dns_geo_array_t   bits;         /* uint8_t */
} ngx_dns_geo_nets_t;

/* zeroed before init() */

typedef struct {
    ngx_dns_memory_t     *mem;
    ngx_dns_geo_nets_t    nets[NGX_DNS_GEO_FACTS];
    ngx_uint_t            width;        /* of the family: 32 or 64 bits */
    ngx_uint_t            facts;        /* that are known, a bit each */

    ngx_dns_geo_array_t   points;       /* float */
    ngx_dns_geo_array_t   found;        /* uint32_t, a hash table of points;
                                           used: its slots, a power of 2 */
    ngx_dns_geo_array_t   block;        /* what is made */
} ngx_dns_geo_block_t;


/* NGX_OK or NGX_ERROR: no memory; so do all that return ngx_int_t. */
ngx_int_t ngx_dns_geo_block_init(ngx_dns_geo_block_t *blk,
    ngx_dns_memory_t *mem);

void ngx_dns_geo_block_begin(ngx_dns_geo_block_t *blk, ngx_uint_t v6);

/*
 * One network: start is its first address, in the upper 64 bits of IPv6; two
 * halves of one value become one network.
 */
ngx_int_t ngx_dns_geo_block_push(ngx_dns_geo_block_t *blk, ngx_uint_t fact,
    uint64_t start, ngx_uint_t bits, uint32_t value);

/* The value of a point in degrees; 0: no memory. */
uint32_t ngx_dns_geo_block_point(ngx_dns_geo_block_t *blk, double latitude,
    double longitude);

ngx_int_t ngx_dns_geo_block_lists(ngx_dns_geo_block_t *blk, ngx_uint_t v6);

/*
 * built  seconds since the epoch
 * geo    set: *size octets of blk->mem, the caller's
 */
ngx_int_t ngx_dns_geo_block_end(ngx_dns_geo_block_t *blk, uint64_t built,
    ngx_dns_geo_t **geo, size_t *size);

void ngx_dns_geo_block_free(ngx_dns_geo_block_t *blk);

/* Room for n octets more, which are not taken yet; NULL: no memory. */
void *ngx_dns_geo_grow(ngx_dns_memory_t *mem, ngx_dns_geo_array_t *a,
    size_t n);

void ngx_dns_geo_free(ngx_dns_memory_t *mem, ngx_dns_geo_array_t *a);


#endif /* _NGX_DNS_GEO_BLOCK_H_INCLUDED_ */
