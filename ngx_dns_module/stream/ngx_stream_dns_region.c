
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_region.h"


#define NGX_STREAM_DNS_STAT_SIZE     1024   /* octets of /proc/PID/stat */
#define NGX_STREAM_DNS_STAT_STARTED  20     /* field, counted after ")" */


static ngx_int_t ngx_stream_dns_region_server(ngx_cycle_t *cycle,
    ngx_array_t *views, ngx_stream_dns_srv_conf_t *dscf);
static ngx_int_t ngx_stream_dns_region_view(ngx_cycle_t *cycle,
    ngx_array_t *views, ngx_stream_dns_region_t *region);


ngx_int_t
ngx_stream_dns_regions_init(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w)
{
    ngx_uint_t                     i;
    ngx_array_t                    views;
    ngx_stream_dns_srv_conf_t     *dscf;
    ngx_stream_core_srv_conf_t   **cscf;
    ngx_stream_core_main_conf_t   *cmcf;

    cmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                                 ngx_stream_core_module);

    if (ngx_array_init(&views, cycle->pool, 4, sizeof(ngx_dns_view_t *))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    cscf = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {

        dscf = cscf[i]->ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        if (!dscf->enable || dscf->sources == NULL) {
            continue;
        }

        if (ngx_stream_dns_region_server(cycle, &views, dscf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    w->views = views.elts;
    w->nviews = views.nelts;

    return NGX_OK;
}


/* views: those of the process, to which those of the server are added */

static ngx_int_t
ngx_stream_dns_region_server(ngx_cycle_t *cycle, ngx_array_t *views,
    ngx_stream_dns_srv_conf_t *dscf)
{
    ngx_uint_t                 i, n;
    ngx_dns_view_t           **own;
    ngx_stream_dns_region_t  **region;

    n = dscf->sources->nelts;
    region = dscf->sources->elts;

    own = ngx_palloc(cycle->pool, n * sizeof(ngx_dns_view_t *));
    if (own == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {

        if (ngx_stream_dns_region_view(cycle, views, region[i]) != NGX_OK) {
            return NGX_ERROR;
        }

        own[i] = &region[i]->view;

        if (region[i]->stale_ede) {
            dscf->answer.stale_ede = 1;
        }
    }

    dscf->answer.views = own;
    dscf->answer.nviews = n;

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_region_view(ngx_cycle_t *cycle, ngx_array_t *views,
    ngx_stream_dns_region_t *region)
{
    ngx_dns_view_t   *view, **vp;

    view = &region->view;

    if (view->reader != NULL) {
        return NGX_OK;
    }

    view->shared = region->shared;
    view->name = region->name;
    view->reader = ngx_dns_shared_reader(region->shared, ngx_process_slot,
                                         ngx_pid,
                                         ngx_stream_dns_process_started(
                                                                 ngx_pid));

    if (view->reader == NULL) {
        ngx_log_error(NGX_LOG_ALERT, cycle->log, 0,
                      "dns zone \"%V\" has no slot for process %i",
                      &region->name, ngx_process_slot);
        return NGX_ERROR;
    }

    vp = ngx_array_push(views);
    if (vp == NULL) {
        return NGX_ERROR;
    }

    *vp = view;

    return NGX_OK;
}


ngx_uint_t
ngx_stream_dns_regions_ready(ngx_stream_dns_worker_t *w)
{
    ngx_uint_t  i;

    for (i = 0; i < w->nviews; i++) {
        if (!w->views[i]->shared->ready) {
            return 0;
        }
    }

    return 1;
}


uint64_t
ngx_stream_dns_process_started(ngx_pid_t pid)
{
    u_char     *p, *last, path[64], text[NGX_STREAM_DNS_STAT_SIZE];
    ssize_t     n;
    ngx_fd_t    fd;
    uint64_t    started;
    ngx_uint_t  field;

    ngx_sprintf(path, "/proc/%P/stat%Z", pid);

    fd = ngx_open_file(path, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);
    if (fd == NGX_INVALID_FILE) {
        return 0;
    }

    n = read(fd, text, NGX_STREAM_DNS_STAT_SIZE);

    (void) ngx_close_file(fd);

    if (n <= 0) {
        return 0;
    }

    /* the second field is the name in brackets, with whatever in it */

    last = text + n;

    for (p = last; p > text && p[-1] != ')'; p--) { /* void */ }

    for (field = 0; p < last && field < NGX_STREAM_DNS_STAT_STARTED; p++) {
        field += (*p == ' ');
    }

    for (started = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        started = started * 10 + (*p - '0');
    }

    return started;
}
