
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
    ngx_dns_zone_t          *zone;
    size_t                   size;
} ngx_stream_dns_loader_t;


static ngx_int_t ngx_stream_dns_load_compile(ngx_stream_dns_loader_t *l);
static void ngx_stream_dns_load_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text);
static ngx_stream_dns_file_zone_t *ngx_stream_dns_load_keep(
    ngx_stream_dns_loader_t *l);
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
           + n * sizeof(ngx_stream_dns_file_t);

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

    p = (u_char *) (fz->files + n);

    for (i = 0; i < n; i++) {
        fz->files[i] = file[i];
        fz->files[i].path.data = p;

        p = ngx_cpymem(p, file[i].path.data, file[i].path.len);
        *p++ = '\0';
    }

    ngx_stream_dns_memory_seal(fz->zone, fz->size);

    return fz;
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
ngx_stream_dns_load_unchanged(ngx_stream_dns_file_zone_t *fz)
{
    ngx_uint_t  i;

    if (!fz->settled) {
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
