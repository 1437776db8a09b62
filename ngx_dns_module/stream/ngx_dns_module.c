
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include <sys/random.h>

#include "ngx_dns_module.h"
#include "ngx_stream_dns_check.h"
#include "ngx_stream_dns_zones.h"


static void *ngx_dns_create_conf(ngx_cycle_t *cycle);
static char *ngx_dns_init_conf(ngx_cycle_t *cycle, void *conf);


static ngx_dns_key_t   ngx_dns_random_key;
static ngx_uint_t      ngx_dns_random_key_set;


static ngx_core_module_t  ngx_dns_module_ctx = {
    ngx_string("dns"),
    ngx_dns_create_conf,
    ngx_dns_init_conf
};


/* the name of the first module is the name of the shared object */

ngx_module_t  ngx_dns_module = {
    NGX_MODULE_V1,
    &ngx_dns_module_ctx,                   /* module context */
    NULL,                                  /* module directives */
    NGX_CORE_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


ngx_dns_key_t *
ngx_dns_key(ngx_log_t *log)
{
    ssize_t  n;

    if (ngx_dns_random_key_set) {
        return &ngx_dns_random_key;
    }

    n = getrandom(&ngx_dns_random_key, sizeof(ngx_dns_key_t), 0);

    if (n != (ssize_t) sizeof(ngx_dns_key_t)) {
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno, "getrandom() failed");
        return NULL;
    }

    ngx_dns_random_key_set = 1;

    return &ngx_dns_random_key;
}


static void *
ngx_dns_create_conf(ngx_cycle_t *cycle)
{
    ngx_dns_conf_t      *dcf;
    ngx_pool_cleanup_t  *cln;

    dcf = ngx_pcalloc(cycle->pool, sizeof(ngx_dns_conf_t));
    if (dcf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     dcf->enabled = 0;
     *     dcf->failed = 0;
     */

    ngx_rbtree_init(&dcf->zones, &dcf->sentinel, ngx_str_rbtree_insert_value);

    cln = ngx_pool_cleanup_add(cycle->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_stream_dns_zones_cleanup;
    cln->data = dcf;

    return dcf;
}


/*
 * Runs when the whole configuration has been read and no socket is open yet:
 * the last moment to refuse it.
 */

static char *
ngx_dns_init_conf(ngx_cycle_t *cycle, void *conf)
{
    ngx_dns_conf_t  *dcf = conf;

    if (dcf->enabled == 0) {
        return NGX_CONF_OK;
    }

    return ngx_stream_dns_check(cycle);
}
