
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_aname.h"
#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_geoip.h"
#include "ngx_stream_dns_health_conf.h"
#include "ngx_stream_dns_pool_conf.h"


#define NGX_STREAM_DNS_MANAGER_PAUSE  (60 * 60 * 1000)     /* milliseconds */


static ngx_int_t ngx_stream_dns_control_postconfiguration(ngx_conf_t *cf);
static void *ngx_stream_dns_control_create_main_conf(ngx_conf_t *cf);
static char *ngx_stream_dns_control_init_main_conf(ngx_conf_t *cf,
    void *conf);
static char *ngx_stream_dns_state_path(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_stream_dns_redis(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_msec_t ngx_stream_dns_control_manager(void *data);
static ngx_int_t ngx_stream_dns_control_init_process(ngx_cycle_t *cycle);


static ngx_command_t  ngx_stream_dns_control_commands[] = {

    { ngx_string("dns_state_path"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_stream_dns_state_path,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_redis"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_2MORE,
      ngx_stream_dns_redis,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_geoip"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_1MORE,
      ngx_stream_dns_geoip,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_network"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_BLOCK|NGX_CONF_TAKE1,
      ngx_stream_dns_network,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_health"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_stream_dns_health_directive,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_health_interval"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_STREAM_MAIN_CONF_OFFSET,
      offsetof(ngx_stream_dns_control_main_conf_t, health.interval),
      &ngx_stream_dns_health_interval_post },

    { ngx_string("dns_health_zone"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_size_slot,
      NGX_STREAM_MAIN_CONF_OFFSET,
      offsetof(ngx_stream_dns_control_main_conf_t, health.size),
      NULL },

    { ngx_string("dns_health_trusted_certificate"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_str_slot,
      NGX_STREAM_MAIN_CONF_OFFSET,
      offsetof(ngx_stream_dns_control_main_conf_t, health.trusted),
      NULL },

    { ngx_string("dns_aname_resolver"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_1MORE,
      ngx_stream_dns_aname_resolver,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_aname_ecs"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_FLAG,
      ngx_stream_dns_aname_ecs,
      NGX_STREAM_MAIN_CONF_OFFSET,
      offsetof(ngx_stream_dns_aname_conf_t, ecs),
      NULL },

    { ngx_string("dns_aname_cache"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_stream_dns_aname_cache,
      NGX_STREAM_MAIN_CONF_OFFSET,
      offsetof(ngx_stream_dns_aname_conf_t, size),
      NULL },

      ngx_null_command
};


static ngx_stream_module_t  ngx_stream_dns_control_module_ctx = {
    NULL,                                    /* preconfiguration */
    ngx_stream_dns_control_postconfiguration, /* postconfiguration */

    ngx_stream_dns_control_create_main_conf, /* create main configuration */
    ngx_stream_dns_control_init_main_conf,   /* init main configuration */

    NULL,                                    /* create server configuration */
    NULL                                     /* merge server configuration */
};


ngx_module_t  ngx_stream_dns_control_module = {
    NGX_MODULE_V1,
    &ngx_stream_dns_control_module_ctx,    /* module context */
    ngx_stream_dns_control_commands,       /* module directives */
    NGX_STREAM_MODULE,                     /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    ngx_stream_dns_control_init_process,   /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static void *
ngx_stream_dns_control_create_main_conf(ngx_conf_t *cf)
{
    ngx_stream_dns_control_main_conf_t  *cmcf;

    cmcf = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_control_main_conf_t));
    if (cmcf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     cmcf->control.path = { 0, NULL };
     *     cmcf->control.snapshots = 0;
     *     cmcf->path = NULL;
     *     cmcf->geoip = NULL;
     *     cmcf->aname = NULL;
     *     cmcf->health = { 0 };
     */

    ngx_stream_dns_health_conf_init(&cmcf->health);

    if (ngx_array_init(&cmcf->control.sources, cf->pool, 2,
                       sizeof(ngx_stream_dns_source_t *))
        != NGX_OK
        || ngx_array_init(&cmcf->confs, cf->pool, 2,
                          sizeof(ngx_stream_dns_source_conf_t))
           != NGX_OK)
    {
        return NULL;
    }

    return cmcf;
}


/*
 * The configurations of all servers are merged by now: the modules have
 * their turn one after the other, and ngx_stream_dns_module was before.
 */

static char *
ngx_stream_dns_control_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    char  *rv;

    rv = ngx_stream_dns_geoip_finish(cf, cmcf);

    if (rv == NGX_CONF_OK) {
        rv = ngx_stream_dns_pools_finish(cf, cmcf);
    }

    if (rv == NGX_CONF_OK) {
        rv = ngx_stream_dns_aname_finish(cf, cmcf);
    }

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    return ngx_stream_dns_control_finish(cf, cmcf);
}


static ngx_int_t
ngx_stream_dns_control_postconfiguration(ngx_conf_t *cf)
{
    ngx_stream_dns_control_main_conf_t  *cmcf;

    cmcf = ngx_stream_conf_get_module_main_conf(cf,
                                               ngx_stream_dns_control_module);

    ngx_stream_dns_health_variables(cf, cmcf);

    if (ngx_stream_dns_aname_variables(cf, cmcf) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_stream_dns_control_variables(cf, cmcf);
}


/*
 * A path with a manager: the master creates the folder for the worker user
 * and runs the cache manager process, which is our control process.
 */

static char *
ngx_stream_dns_state_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    ngx_str_t   *value;
    ngx_path_t  *path;

    if (cmcf->path != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;

    path = ngx_pcalloc(cf->pool, sizeof(ngx_path_t));
    if (path == NULL) {
        return NGX_CONF_ERROR;
    }

    path->name = value[1];

    while (path->name.len > 1 && path->name.data[path->name.len - 1] == '/') {
        path->name.data[--path->name.len] = '\0';
    }

    if (path->name.len == 0) {
        return "has an empty path";
    }

    if (ngx_conf_full_name(cf->cycle, &path->name, 0) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    path->manager = ngx_stream_dns_control_manager;
    path->data = cmcf;
    path->conf_file = cf->conf_file->file.name.data;
    path->line = cf->conf_file->line;

    cmcf->path = path;

    if (ngx_add_path(cf, &cmcf->path) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    cmcf->control.path = path->name;

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_redis(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
#if (NGX_DNS_REDIS)
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    return ngx_stream_dns_control_redis(cf, cmcf);
#else
    return "needs hiredis, without which the module was built";
#endif
}


/* the first call, by the cache manager process, is at once */

static ngx_msec_t
ngx_stream_dns_control_manager(void *data)
{
    ngx_stream_dns_control_main_conf_t *cmcf = data;

    if (ngx_stream_dns_control == NULL
        && ngx_stream_dns_control_start((ngx_cycle_t *) ngx_cycle, cmcf)
           != NGX_OK)
    {
        /* fatal */
        exit(2);
    }

    return NGX_STREAM_DNS_MANAGER_PAUSE;
}


static ngx_int_t
ngx_stream_dns_control_init_process(ngx_cycle_t *cycle)
{
    ngx_stream_dns_control_main_conf_t  *cmcf;

    if (ngx_process != NGX_PROCESS_SINGLE) {
        return NGX_OK;
    }

    cmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                               ngx_stream_dns_control_module);

    if (cmcf != NULL && cmcf->path != NULL) {
        return ngx_stream_dns_control_start(cycle, cmcf);
    }

    return NGX_OK;
}
