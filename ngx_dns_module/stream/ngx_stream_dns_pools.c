
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_pools.h"


static ngx_dns_pool_t *ngx_stream_dns_pool_begin(ngx_conf_t *cf,
    ngx_stream_dns_main_conf_t *dmcf);
static char *ngx_stream_dns_pool_line(ngx_conf_t *cf, ngx_command_t *dummy,
    void *conf);
static char *ngx_stream_dns_pool_done(ngx_conf_t *cf,
    ngx_stream_dns_main_conf_t *dmcf, ngx_dns_pool_t *p);


/*
 * The whole block "stream" is read before the zones are: a pool may stand
 * behind the servers whose zones name it.
 */

char *
ngx_stream_dns_pool(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_main_conf_t *dmcf = conf;

    char            *rv;
    ngx_conf_t       save;
    ngx_dns_pool_t  *p;

    p = ngx_stream_dns_pool_begin(cf, dmcf);
    if (p == NULL) {
        return NGX_CONF_ERROR;
    }

    save = *cf;

    cf->handler = ngx_stream_dns_pool_line;
    cf->handler_conf = (void *) p;

    rv = ngx_conf_parse(cf, NULL);

    *cf = save;

    return (rv == NGX_CONF_OK) ? ngx_stream_dns_pool_done(cf, dmcf, p) : rv;
}


static ngx_dns_pool_t *
ngx_stream_dns_pool_begin(ngx_conf_t *cf, ngx_stream_dns_main_conf_t *dmcf)
{
    u_char           text[NGX_DNS_POOL_ERROR];
    ngx_int_t        rc;
    ngx_str_t       *value, err;
    ngx_dns_pool_t  *p;

    value = cf->args->elts;
    err.data = text;

    if (dmcf->pools == NULL) {
        dmcf->pools = ngx_dns_pools_create(cf->pool);
        if (dmcf->pools == NULL) {
            return NULL;
        }
    }

    p = ngx_dns_pool_create(cf->pool, &value[1], &err);

    if (p == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "%V", &err);
        return NULL;
    }

    rc = ngx_dns_pools_add(dmcf->pools, p);

    if (rc == NGX_DECLINED) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "duplicate dns_pool \"%V\"",
                           &p->name);
    }

    return (rc == NGX_OK) ? p : NULL;
}


static char *
ngx_stream_dns_pool_line(ngx_conf_t *cf, ngx_command_t *dummy, void *conf)
{
    ngx_dns_pool_t *p = conf;

    u_char                       text[NGX_DNS_POOL_ERROR];
    ngx_str_t                   *value, err;
    ngx_stream_dns_main_conf_t  *dmcf;

    value = cf->args->elts;

    if (cf->args->nelts == 2 && ngx_strcmp(value[0].data, "include") == 0) {
        return ngx_conf_include(cf, dummy, conf);
    }

    err.data = text;

    if (ngx_dns_pool_line(p, value, cf->args->nelts, &err) != NGX_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "dns_pool \"%V\": %V",
                           &p->name, &err);
        return NGX_CONF_ERROR;
    }

    dmcf = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_dns_module);

    if (p->checked && dmcf->check_file == NULL) {
        dmcf->check_file = cf->conf_file->file.name.data;
        dmcf->check_line = cf->conf_file->line;
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_pool_done(ngx_conf_t *cf, ngx_stream_dns_main_conf_t *dmcf,
    ngx_dns_pool_t *p)
{
    u_char     text[NGX_DNS_POOL_ERROR];
    ngx_str_t  err;

    err.data = text;

    if (ngx_dns_pool_end(p, NGX_DNS_PROBE_INTERVAL, &err) != NGX_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "dns_pool \"%V\": %V",
                           &p->name, &err);
        return NGX_CONF_ERROR;
    }

    if (p->idle != NULL) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "dns_pool \"%V\": \"%s=\" of an address has no "
                           "effect, \"choose\" does not look at it",
                           &p->name, p->idle);
    }

    if (p->drained) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "dns_pool \"%V\": an address without \"weight=\" "
                           "beside others that have one is never the first",
                           &p->name);
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_stream_dns_pools_settle(ngx_conf_t *cf, ngx_stream_dns_main_conf_t *dmcf)
{
    u_char            text[NGX_DNS_POOL_ERROR];
    ngx_str_t         err;
    ngx_uint_t        i;
    ngx_dns_pool_t  **pool;

    if (dmcf->settled || dmcf->pools == NULL) {
        return NGX_OK;
    }

    dmcf->settled = 1;

    if (dmcf->health_interval == 0) {
        return NGX_OK;
    }

    /* they are ready already, but for another interval */

    pool = dmcf->pools->all.elts;
    err.data = text;

    for (i = 0; i < dmcf->pools->all.nelts; i++) {
        if (ngx_dns_pool_end(pool[i], (uint32_t) dmcf->health_interval, &err)
            != NGX_OK)
        {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0, "dns_pool \"%V\": %V",
                          &pool[i]->name, &err);
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
