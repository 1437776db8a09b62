
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_control_conf.h"


#define NGX_STREAM_DNS_FILES_LOOK  256      /* zones at a time */


/* the file zones of a server that has a source too */

typedef struct {
    ngx_dns_zones_t             *zones;
    ngx_uint_t                   cursor;
    u_char                      *told;      /* a bit for each cursor */
    ngx_stream_core_srv_conf_t  *cscf;
} ngx_stream_dns_server_files_t;

typedef struct {
    ngx_array_t                  servers;   /* ngx_stream_dns_server_files_t */
    ngx_uint_t                   turn;
} ngx_stream_dns_files_t;


static ngx_uint_t ngx_stream_dns_control_files_has(
    ngx_stream_dns_srv_conf_t *dscf, ngx_stream_dns_source_t *src);
static ngx_int_t ngx_stream_dns_control_files_add(ngx_cycle_t *cycle,
    ngx_stream_dns_files_t *files, ngx_stream_core_srv_conf_t *cscf,
    ngx_dns_zones_t *zones);
static void ngx_stream_dns_control_files_tell(ngx_stream_dns_source_t *src,
    ngx_stream_dns_server_files_t *sf, ngx_dns_zone_t *zone);


ngx_int_t
ngx_stream_dns_control_files_init(ngx_cycle_t *cycle,
    ngx_stream_dns_source_t *src)
{
    ngx_uint_t                     i;
    ngx_stream_dns_files_t        *files;
    ngx_stream_dns_srv_conf_t     *dscf;
    ngx_stream_core_srv_conf_t   **cscf;
    ngx_stream_core_main_conf_t   *cmcf;

    files = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_files_t));
    if (files == NULL) {
        return NGX_ERROR;
    }

    if (ngx_array_init(&files->servers, cycle->pool, 2,
                       sizeof(ngx_stream_dns_server_files_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    src->files = files;

    cmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                                 ngx_stream_core_module);
    cscf = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {

        dscf = cscf[i]->ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        if (dscf->enable
            && dscf->answer.zones != NULL
            && ngx_stream_dns_control_files_has(dscf, src)
            && ngx_stream_dns_control_files_add(cycle, files, cscf[i],
                                                dscf->answer.zones)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_stream_dns_control_files_has(ngx_stream_dns_srv_conf_t *dscf,
    ngx_stream_dns_source_t *src)
{
    ngx_uint_t                 i;
    ngx_stream_dns_region_t  **region;

    if (dscf->sources == NULL) {
        return 0;
    }

    region = dscf->sources->elts;

    for (i = 0; i < dscf->sources->nelts; i++) {
        if (region[i] == src->region) {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_stream_dns_control_files_add(ngx_cycle_t *cycle,
    ngx_stream_dns_files_t *files, ngx_stream_core_srv_conf_t *cscf,
    ngx_dns_zones_t *zones)
{
    ngx_uint_t                      cursor, last;
    ngx_stream_dns_server_files_t  *sf;

    cursor = 0;
    last = 0;

    while (ngx_dns_zones_next(zones, &cursor) != NULL) {
        last = cursor;
    }

    if (last == 0) {
        return NGX_OK;
    }

    sf = ngx_array_push(&files->servers);
    if (sf == NULL) {
        return NGX_ERROR;
    }

    sf->zones = zones;
    sf->cursor = 0;
    sf->cscf = cscf;

    sf->told = ngx_pcalloc(cycle->pool, last / 8 + 1);

    return (sf->told == NULL) ? NGX_ERROR : NGX_OK;
}


void
ngx_stream_dns_control_files_look(ngx_stream_dns_source_t *src)
{
    ngx_uint_t                      n;
    ngx_dns_zone_t                 *zone;
    ngx_stream_dns_files_t         *files;
    ngx_stream_dns_server_files_t  *sf;

    files = src->files;

    if (files->servers.nelts == 0) {
        return;
    }

    sf = files->servers.elts;
    sf += files->turn % files->servers.nelts;

    for (n = 0; n < NGX_STREAM_DNS_FILES_LOOK; n++) {

        zone = ngx_dns_zones_next(sf->zones, &sf->cursor);

        if (zone == NULL) {
            sf->cursor = 0;
            files->turn++;
            return;
        }

        if (ngx_dns_publish_get(src->publisher, zone->name) != NULL) {
            ngx_stream_dns_control_files_tell(src, sf, zone);
        }
    }
}


static void
ngx_stream_dns_control_files_tell(ngx_stream_dns_source_t *src,
    ngx_stream_dns_server_files_t *sf, ngx_dns_zone_t *zone)
{
    u_char  *p, *told, bit, text[NGX_DNS_NAME_TEXT_MAX];

    told = &sf->told[(sf->cursor - 1) / 8];
    bit = (u_char) (1 << ((sf->cursor - 1) % 8));

    if (*told & bit) {
        return;
    }

    *told |= bit;

    p = ngx_dns_name_to_text(text, zone->name);

    ngx_log_error(NGX_LOG_WARN, src->log, 0,
                  "zone \"%*s\" is served from its file by the server in "
                  "%s:%ui, what Redis has is not",
                  (size_t) (p - text), text,
                  sf->cscf->file_name, sf->cscf->line);
}
