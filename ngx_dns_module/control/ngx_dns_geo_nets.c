
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_dns_geo_block.h"
#include "ngx_dns_geo_nets.h"


static int ngx_dns_geo_nets_cmp(const void *one, const void *two);
static ngx_int_t ngx_dns_geo_nets_cover(ngx_dns_geo_block_t *blk,
    const ngx_dns_geo_net_t *nets, size_t n, uint64_t start, ngx_uint_t bits,
    uint32_t value);
static size_t ngx_dns_geo_nets_below(const ngx_dns_geo_net_t *nets, size_t n,
    uint64_t start);


void
ngx_dns_geo_nets_sort(ngx_dns_geo_net_t *nets, size_t n)
{
    qsort(nets, n, sizeof(ngx_dns_geo_net_t), ngx_dns_geo_nets_cmp);
}


static int
ngx_dns_geo_nets_cmp(const void *one, const void *two)
{
    const ngx_dns_geo_net_t  *a, *b;

    a = one;
    b = two;

    if (a->v6 != b->v6) {
        return (a->v6 < b->v6) ? -1 : 1;
    }

    if (a->start != b->start) {
        return (a->start < b->start) ? -1 : 1;
    }

    if (a->bits != b->bits) {
        return (int) a->bits - (int) b->bits;
    }

    return (a->line < b->line) ? -1 : 1;
}


ngx_int_t
ngx_dns_geo_nets(const ngx_dns_geo_net_t *nets, size_t n,
    ngx_dns_memory_t *mem, ngx_dns_geo_t **geo, size_t *size)
{
    size_t                v4;
    ngx_int_t             rc;
    ngx_dns_geo_block_t  *blk;

    blk = mem->map(mem->data, sizeof(ngx_dns_geo_block_t));
    if (blk == NULL) {
        return NGX_ERROR;
    }

    for (v4 = 0; v4 < n && !nets[v4].v6; v4++) { /* void */ }

    rc = ngx_dns_geo_block_init(blk, mem);

    if (rc == NGX_OK && v4 != 0) {
        ngx_dns_geo_block_begin(blk, 0);

        rc = ngx_dns_geo_nets_cover(blk, nets, v4, 0, 0, 0);

        if (rc == NGX_OK) {
            rc = ngx_dns_geo_block_lists(blk, 0);
        }
    }

    if (rc == NGX_OK && v4 != n) {
        ngx_dns_geo_block_begin(blk, 1);

        rc = ngx_dns_geo_nets_cover(blk, nets + v4, n - v4, 0, 0, 0);

        if (rc == NGX_OK) {
            rc = ngx_dns_geo_block_lists(blk, 1);
        }
    }

    if (rc == NGX_OK) {
        rc = ngx_dns_geo_block_end(blk, 0, geo, size);
    }

    ngx_dns_geo_block_free(blk);
    mem->unmap(mem->data, blk, sizeof(ngx_dns_geo_block_t));

    return rc;
}


/*
 * The network at start, whose addresses have value unless one of nets, all of
 * which are in it, says otherwise; at most 64 calls deep.
 */

static ngx_int_t
ngx_dns_geo_nets_cover(ngx_dns_geo_block_t *blk,
    const ngx_dns_geo_net_t *nets, size_t n, uint64_t start, ngx_uint_t bits,
    uint32_t value)
{
    size_t    k;
    uint64_t  middle;

    if (n != 0 && nets[0].bits == bits) {
        value = nets[0].value;
        nets++;
        n--;
    }

    if (n == 0) {
        return ngx_dns_geo_block_push(blk, NGX_DNS_GEO_NETWORK, start, bits,
                                      value);
    }

    middle = start | 1ull << (blk->width - 1 - bits);
    k = ngx_dns_geo_nets_below(nets, n, middle);

    if (ngx_dns_geo_nets_cover(blk, nets, k, start, bits + 1, value)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_dns_geo_nets_cover(blk, nets + k, n - k, middle, bits + 1,
                                  value);
}


/* how many of nets begin below start */

static size_t
ngx_dns_geo_nets_below(const ngx_dns_geo_net_t *nets, size_t n,
    uint64_t start)
{
    size_t  low, high, i;

    low = 0;
    high = n;

    while (low < high) {
        i = low + (high - low) / 2;

        if (nets[i].start < start) {
            low = i + 1;

        } else {
            high = i;
        }
    }

    return low;
}
