
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_dns_compile.h"
#include "ngx_stream_dns_load.h"
#include "ngx_stream_dns_memory.h"


#define NGX_STREAM_DNS_MAX_ERRORS    10         /* of one zone */
#define NGX_STREAM_DNS_MAX_GENERATE  1000000    /* of one $GENERATE */


typedef struct {
    ngx_stream_dns_load_t   *load;
    ngx_stream_dns_files_t   files;
    ngx_dns_reporter_t       rep;
    u_char                  *used;      /* 1 by the index of a pool */
    ngx_dns_zone_t          *zone;
    size_t                   size;
} ngx_stream_dns_loader_t;


static ngx_int_t ngx_stream_dns_load_compile(ngx_stream_dns_loader_t *l);
static void ngx_stream_dns_load_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text);
static ngx_stream_dns_file_zone_t *ngx_stream_dns_load_keep(
    ngx_stream_dns_loader_t *l);
static size_t ngx_stream_dns_load_pools_size(ngx_stream_dns_loader_t *l);
static u_char *ngx_stream_dns_load_keep_pools(ngx_stream_dns_loader_t *l,
    ngx_stream_dns_file_zone_t *fz, u_char *p);
static ngx_int_t ngx_stream_dns_load_same_pools(
    ngx_stream_dns_file_zone_t *fz, ngx_dns_pools_t *pools);
static void ngx_stream_dns_load_done(ngx_stream_dns_loader_t *l,
    ngx_stream_dns_file_zone_t *old);


ngx_stream_dns_file_zone_t *
ngx_stream_dns_load(ngx_stream_dns_load_t *load,
    ngx_stream_dns_file_zone_t *old)
{
    ngx_int_t                    rc;
    ngx_pool_t                  *pool;
    ngx_stream_dns_loader_t     *l;
    ngx_stream_dns_file_zone_t  *fz;

    pool = ngx_create_pool(NGX_DEFAULT_POOL_SIZE, load->log);
    if (pool == NULL) {
        return NULL;
    }

    fz = NULL;

    l = ngx_pcalloc(pool, sizeof(ngx_stream_dns_loader_t));
    if (l == NULL) {
        goto done;
    }

    l->load = load;
    l->rep.report = ngx_stream_dns_load_report;
    l->rep.data = l;

    if (load->pools != NULL) {
        l->used = ngx_pcalloc(pool, load->pools->all.nelts);
        if (l->used == NULL) {
            goto done;
        }
    }

    rc = ngx_stream_dns_files_init(&l->files, pool, load->log, load->name);
    if (rc != NGX_OK) {
        goto done;
    }

    if (ngx_stream_dns_load_compile(l) != NGX_OK) {

        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "zone \"%V\" is refused: %ui errors, file \"%V\"",
                      load->name, l->rep.errors, load->path);
        goto done;
    }

    fz = ngx_stream_dns_load_keep(l);
    if (fz == NULL) {
        ngx_stream_dns_memory_free(l->zone, l->size);
        goto done;
    }

    ngx_stream_dns_load_done(l, old);

done:

    ngx_destroy_pool(pool);

    return fz;
}


static ngx_int_t
ngx_stream_dns_load_compile(ngx_stream_dns_loader_t *l)
{
    ngx_int_t               rc;
    ngx_dns_records_t      *rs;
    ngx_stream_dns_load_t  *load;
    ngx_dns_master_conf_t   conf;

    load = l->load;

    rs = ngx_dns_records_create(load->apex, &ngx_stream_dns_memory, &l->rep);
    if (rs == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&conf, sizeof(ngx_dns_master_conf_t));

    conf.files = &l->files.callbacks;
    conf.mem = &ngx_stream_dns_memory;
    conf.rep = &l->rep;
    conf.default_ttl = load->default_ttl;
    conf.max_errors = NGX_STREAM_DNS_MAX_ERRORS;
    conf.max_generate = NGX_STREAM_DNS_MAX_GENERATE;
    conf.pools = load->pools;
    conf.pools_used = l->used;

    rc = ngx_dns_master_read(&conf, load->path, load->apex, rs);

    if (rc == NGX_OK) {
        rc = ngx_dns_compile(rs, load->key, &ngx_stream_dns_memory, &l->zone,
                             &l->size);
    }

    ngx_dns_records_destroy(rs);

    return rc;
}


/* reader and compiler see to it that there are not too many */

static void
ngx_stream_dns_load_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text)
{
    ngx_stream_dns_loader_t *l = data;

    ngx_uint_t  log_level;

    switch (level) {

    case NGX_DNS_REPORT_ERROR:
        log_level = NGX_LOG_EMERG;
        break;

    case NGX_DNS_REPORT_WARN:
        log_level = NGX_LOG_WARN;
        break;

    default: /* NGX_DNS_REPORT_PROGRESS */
        ngx_stream_dns_files_progress(&l->files);
        return;
    }

    if (file == NULL || line == 0) {
        ngx_log_error(log_level, l->load->log, 0, "zone \"%V\": %V in %V",
                      l->load->name, text,
                      (file == NULL) ? l->load->path : file);
        return;
    }

    ngx_log_error(log_level, l->load->log, 0, "zone \"%V\": %V in %V:%ui",
                  l->load->name, text, file, line);
}


static ngx_stream_dns_file_zone_t *
ngx_stream_dns_load_keep(ngx_stream_dns_loader_t *l)
{
    u_char                      *p;
    size_t                       size;
    ngx_uint_t                   i, n;
    ngx_stream_dns_file_t       *file;
    ngx_stream_dns_file_zone_t  *fz;

    file = l->files.files.elts;
    n = l->files.files.nelts;

    size = sizeof(ngx_stream_dns_file_zone_t)
           + n * sizeof(ngx_stream_dns_file_t)
           + ngx_stream_dns_load_pools_size(l);

    for (i = 0; i < n; i++) {
        size += file[i].path.len + 1;
    }

    fz = ngx_alloc(size, l->load->log);
    if (fz == NULL) {
        return NULL;
    }

    fz->refs = 1;
    fz->zone = l->zone;
    fz->size = l->size;
    fz->settled = l->files.settled;
    fz->nfiles = n;
    fz->files = (ngx_stream_dns_file_t *) (fz + 1);

    p = ngx_stream_dns_load_keep_pools(l, fz, (u_char *) (fz->files + n));

    for (i = 0; i < n; i++) {
        fz->files[i] = file[i];
        fz->files[i].path.data = p;

        p = ngx_cpymem(p, file[i].path.data, file[i].path.len);
        *p++ = '\0';
    }

    ngx_stream_dns_memory_seal(fz->zone, fz->size);

    return fz;
}


static size_t
ngx_stream_dns_load_pools_size(ngx_stream_dns_loader_t *l)
{
    size_t            size;
    ngx_uint_t        i;
    ngx_dns_pool_t  **pool;

    if (l->used == NULL) {
        return 0;
    }

    pool = l->load->pools->all.elts;
    size = 0;

    for (i = 0; i < l->load->pools->all.nelts; i++) {
        if (l->used[i]) {
            size += sizeof(ngx_stream_dns_used_pool_t) + pool[i]->name.len;
        }
    }

    return size;
}


/* at p, which is aligned; returns the octet behind */

static u_char *
ngx_stream_dns_load_keep_pools(ngx_stream_dns_loader_t *l,
    ngx_stream_dns_file_zone_t *fz, u_char *p)
{
    ngx_uint_t                    i, n;
    ngx_dns_pool_t              **pool;
    ngx_stream_dns_used_pool_t   *used;

    fz->npools = 0;
    fz->pools = (ngx_stream_dns_used_pool_t *) p;

    if (l->used == NULL) {
        return p;
    }

    pool = l->load->pools->all.elts;
    n = l->load->pools->all.nelts;
    used = fz->pools;

    for (i = 0; i < n; i++) {
        if (l->used[i]) {
            used->name = pool[i]->name;
            used->digest = pool[i]->digest;
            used++;
        }
    }

    fz->npools = used - fz->pools;
    p = (u_char *) used;

    for (i = 0; i < fz->npools; i++) {
        used = &fz->pools[i];
        p = ngx_cpymem(p, used->name.data, used->name.len);
        used->name.data = p - used->name.len;
    }

    return p;
}


static ngx_int_t
ngx_stream_dns_load_same_pools(ngx_stream_dns_file_zone_t *fz,
    ngx_dns_pools_t *pools)
{
    ngx_uint_t       i;
    ngx_dns_pool_t  *pool;

    for (i = 0; i < fz->npools; i++) {
        pool = ngx_dns_pools_find(pools, &fz->pools[i].name);

        if (pool == NULL || pool->digest != fz->pools[i].digest) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static void
ngx_stream_dns_load_done(ngx_stream_dns_loader_t *l,
    ngx_stream_dns_file_zone_t *old)
{
    ngx_dns_zone_t         *zone;
    ngx_stream_dns_load_t  *load;

    zone = l->zone;
    load = l->load;

    if (old != NULL
        && old->zone->serial == zone->serial
        && ngx_stream_dns_load_same_pools(old, load->pools) == NGX_OK
        && (old->size != l->size
            || ngx_memcmp(old->zone, zone, l->size) != 0))
    {
        ngx_log_error(NGX_LOG_WARN, load->log, 0,
                      "zone \"%V\" has changed but its serial is still %uD",
                      load->name, zone->serial);
    }

    ngx_log_error(NGX_LOG_NOTICE, load->log, 0,
                  "zone \"%V\" loaded: serial %uD, %uD names, %uD records, "
                  "%uz octets, %M ms",
                  load->name, zone->serial, zone->nnodes, zone->nrecords,
                  l->size, ngx_stream_dns_files_clock() - l->files.start);
}


ngx_int_t
ngx_stream_dns_load_unchanged(ngx_stream_dns_file_zone_t *fz,
    ngx_dns_pools_t *pools)
{
    ngx_uint_t  i;

    if (!fz->settled
        || ngx_stream_dns_load_same_pools(fz, pools) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    for (i = 0; i < fz->nfiles; i++) {

        if (ngx_stream_dns_files_unchanged(&fz->files[i]) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


void
ngx_stream_dns_load_release(ngx_stream_dns_file_zone_t *fz)
{
    if (--fz->refs != 0) {
        return;
    }

    ngx_stream_dns_memory_free(fz->zone, fz->size);
    ngx_free(fz);
}
