
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * What the core needs of nginx, for programs that are not nginx: pools on
 * malloc().  Strings, arrays, queues and trees are nginx's own files, linked
 * beside this one.
 */


#include <stdlib.h>
#include "shim.h"


typedef struct shim_block_s  shim_block_t;

struct shim_block_s {
    shim_block_t  *next;
    void          *data;
};


static shim_block_t *shim_link(ngx_pool_t *pool, void *data);
static void shim_free_blocks(ngx_pool_t *pool);


static ngx_log_t          shim_log;
static ngx_cycle_t        shim_cycle = { .log = &shim_log };

static ngx_uint_t         shim_count;
static ngx_uint_t         shim_fail;

volatile ngx_cycle_t     *ngx_cycle = &shim_cycle;
ngx_uint_t                ngx_pagesize = 4096;
ngx_uint_t                ngx_pagesize_shift = 12;
ngx_uint_t                ngx_cacheline_size = 64;


ngx_pool_t *
shim_pool(void)
{
    return ngx_create_pool(NGX_DEFAULT_POOL_SIZE, &shim_log);
}


ngx_uint_t
shim_allocs(void)
{
    return shim_count;
}


void
shim_fail_after(ngx_uint_t n)
{
    shim_fail = n ? shim_count + n : 0;
}


void *
ngx_alloc(size_t size, ngx_log_t *log)
{
    return malloc(size);
}


void *
ngx_calloc(size_t size, ngx_log_t *log)
{
    return calloc(1, size);
}


ngx_pool_t *
ngx_create_pool(size_t size, ngx_log_t *log)
{
    ngx_pool_t  *pool;

    pool = calloc(1, sizeof(ngx_pool_t));
    if (pool == NULL) {
        return NULL;
    }

    pool->log = log;

    return pool;
}


void
ngx_destroy_pool(ngx_pool_t *pool)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = pool->cleanup; cln; cln = cln->next) {
        if (cln->handler) {
            cln->handler(cln->data);
        }
    }

    shim_free_blocks(pool);
    free(pool);
}


void
ngx_reset_pool(ngx_pool_t *pool)
{
    shim_free_blocks(pool);
}


void *
ngx_palloc(ngx_pool_t *pool, size_t size)
{
    void          *data;
    shim_block_t  *block;

    shim_count++;

    if (shim_fail && shim_count >= shim_fail) {
        return NULL;
    }

    data = malloc(size);
    if (data == NULL) {
        return NULL;
    }

    block = shim_link(pool, data);
    if (block == NULL) {
        free(data);
        return NULL;
    }

    return data;
}


void *
ngx_pnalloc(ngx_pool_t *pool, size_t size)
{
    return ngx_palloc(pool, size);
}


void *
ngx_pcalloc(ngx_pool_t *pool, size_t size)
{
    void  *data;

    data = ngx_palloc(pool, size);
    if (data) {
        ngx_memzero(data, size);
    }

    return data;
}


void *
ngx_pmemalign(ngx_pool_t *pool, size_t size, size_t alignment)
{
    void          *data;
    shim_block_t  *block;

    shim_count++;

    if (shim_fail && shim_count >= shim_fail) {
        return NULL;
    }

    if (posix_memalign(&data, alignment, size) != 0) {
        return NULL;
    }

    block = shim_link(pool, data);
    if (block == NULL) {
        free(data);
        return NULL;
    }

    return data;
}


ngx_int_t
ngx_pfree(ngx_pool_t *pool, void *p)
{
    shim_block_t  *block, **link;

    for (link = (shim_block_t **) &pool->large; *link; link = &block->next) {

        block = *link;

        if (block->data == p) {
            *link = block->next;
            free(block->data);
            free(block);

            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


ngx_pool_cleanup_t *
ngx_pool_cleanup_add(ngx_pool_t *pool, size_t size)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pcalloc(pool, sizeof(ngx_pool_cleanup_t));
    if (cln == NULL) {
        return NULL;
    }

    if (size) {
        cln->data = ngx_palloc(pool, size);
        if (cln->data == NULL) {
            return NULL;
        }
    }

    cln->next = pool->cleanup;
    pool->cleanup = cln;

    return cln;
}


/* the blocks of a pool hang on the field that nginx has for large ones */

static shim_block_t *
shim_link(ngx_pool_t *pool, void *data)
{
    shim_block_t  *block;

    block = malloc(sizeof(shim_block_t));
    if (block == NULL) {
        return NULL;
    }

    block->data = data;
    block->next = (shim_block_t *) pool->large;
    pool->large = (ngx_pool_large_t *) block;

    return block;
}


static void
shim_free_blocks(ngx_pool_t *pool)
{
    shim_block_t  *block, *next;

    for (block = (shim_block_t *) pool->large; block; block = next) {
        next = block->next;
        free(block->data);
        free(block);
    }

    pool->large = NULL;
}


ngx_uint_t
shim_pick(ngx_uint_t n)
{
    static uint64_t  state = 1;

    state = state * 6364136223846793005ULL + 1442695040888963407ULL;

    return (ngx_uint_t) (state >> 33) % n;
}
