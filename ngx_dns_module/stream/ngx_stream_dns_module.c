
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <sys/random.h>

#include "ngx_stream_dns_geo.h"
#include "ngx_stream_dns_hold.h"
#include "ngx_stream_dns_message.h"
#include "ngx_stream_dns_pools.h"
#include "ngx_stream_dns_region.h"
#include "ngx_stream_dns_tcp.h"
#include "ngx_stream_dns_udp.h"
#include "ngx_stream_dns_variables.h"
#include "ngx_stream_dns_zones.h"


#define NGX_STREAM_DNS_UDP_SIZE_MAX  4096
#define NGX_STREAM_DNS_TTL_MAX       0x7fffffff     /* RFC 2181, 8 */
#define NGX_STREAM_DNS_POOL_SIZE     (16 * 1024)


static void *ngx_stream_dns_create_main_conf(ngx_conf_t *cf);
static void *ngx_stream_dns_create_srv_conf(ngx_conf_t *cf);
static char *ngx_stream_dns_merge_srv_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_stream_dns_enable_server(ngx_conf_t *cf,
    ngx_stream_dns_srv_conf_t *dscf);
static char *ngx_stream_dns_merge_nsid(ngx_conf_t *cf,
    ngx_stream_dns_srv_conf_t *prev, ngx_stream_dns_srv_conf_t *conf);

static char *ngx_stream_dns(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_stream_dns_zone(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_stream_dns_zone_conf_t *ngx_stream_dns_zone_push(ngx_conf_t *cf,
    ngx_stream_dns_srv_conf_t *dscf, ngx_str_t *path);
static char *ngx_stream_dns_zone_pattern(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_stream_dns_chaos(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_stream_dns_nsid_slot(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_stream_dns_check_ttl(ngx_conf_t *cf, void *post, void *data);

static ngx_int_t ngx_stream_dns_init_module(ngx_cycle_t *cycle);
static ngx_int_t ngx_stream_dns_init_process(ngx_cycle_t *cycle);
static ngx_int_t ngx_stream_dns_init_external(ngx_cycle_t *cycle,
    ngx_stream_dns_worker_t *w, ngx_stream_dns_main_conf_t *dmcf);
static ngx_int_t ngx_stream_dns_init_explain(ngx_cycle_t *cycle,
    ngx_stream_dns_worker_t *w, ngx_stream_dns_main_conf_t *dmcf);
static ngx_int_t ngx_stream_dns_seed(ngx_cycle_t *cycle,
    ngx_dns_answer_t *answer);
static void ngx_stream_dns_datagram(ngx_stream_session_t *s);
static ngx_int_t ngx_stream_dns_datagram_send(ngx_connection_t *c,
    u_char *reply, size_t n);


ngx_stream_dns_worker_t  *ngx_stream_dns_worker;


static ngx_conf_num_bounds_t  ngx_stream_dns_udp_size_bounds = {
    ngx_conf_check_num_bounds, NGX_DNS_UDP_MIN, NGX_STREAM_DNS_UDP_SIZE_MAX
};

static ngx_conf_num_bounds_t  ngx_stream_dns_queries_bounds = {
    ngx_conf_check_num_bounds, 1, 65535
};

static ngx_conf_post_t  ngx_stream_dns_ttl_post = {
    ngx_stream_dns_check_ttl
};

static ngx_conf_enum_t  ngx_stream_dns_paths[] = {
    { ngx_string("batch"), NGX_STREAM_DNS_PATH_BATCH },
    { ngx_string("session"), NGX_STREAM_DNS_PATH_SESSION },
    { ngx_null_string, 0 }
};

static ngx_conf_enum_t  ngx_stream_dns_anys[] = {
    { ngx_string("minimal"), NGX_DNS_ANY_MINIMAL },
    { ngx_string("refused"), NGX_DNS_ANY_REFUSED },
    { ngx_null_string, 0 }
};


static ngx_command_t  ngx_stream_dns_commands[] = {

    { ngx_string("dns"),
      NGX_STREAM_SRV_CONF|NGX_CONF_FLAG,
      ngx_stream_dns,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, enable),
      NULL },

    { ngx_string("dns_zone"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE2,
      ngx_stream_dns_zone,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_zones"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_stream_dns_zone_pattern,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_pool"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_BLOCK|NGX_CONF_TAKE1,
      ngx_stream_dns_pool,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_udp_path"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_enum_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, path),
      &ngx_stream_dns_paths },

    { ngx_string("dns_udp_size"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, udp_size),
      &ngx_stream_dns_udp_size_bounds },

    { ngx_string("dns_any"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_enum_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, any),
      &ngx_stream_dns_anys },

    { ngx_string("dns_chaos"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE123,
      ngx_stream_dns_chaos,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_ecs"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, ecs),
      NULL },

    { ngx_string("dns_explain"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, explain),
      NULL },

    { ngx_string("dns_nsid"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_stream_dns_nsid_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("dns_min_ttl"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_sec_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, min_ttl),
      &ngx_stream_dns_ttl_post },

    { ngx_string("dns_max_ttl"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_sec_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, max_ttl),
      &ngx_stream_dns_ttl_post },

    { ngx_string("dns_default_ttl"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_sec_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, default_ttl),
      &ngx_stream_dns_ttl_post },

    { ngx_string("dns_tcp_timeout"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, tcp_timeout),
      NULL },

    { ngx_string("dns_tcp_idle_timeout"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, tcp_idle_timeout),
      NULL },

    { ngx_string("dns_tcp_send_timeout"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, tcp_send_timeout),
      NULL },

    { ngx_string("dns_tcp_max_unsent"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_size_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, tcp_max_unsent),
      NULL },

    { ngx_string("dns_tcp_max_queries"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_stream_dns_srv_conf_t, tcp_max_queries),
      &ngx_stream_dns_queries_bounds },

      ngx_null_command
};


static ngx_stream_module_t  ngx_stream_dns_module_ctx = {
    ngx_stream_dns_variables_add,          /* preconfiguration */
    NULL,                                  /* postconfiguration */

    ngx_stream_dns_create_main_conf,       /* create main configuration */
    NULL,                                  /* init main configuration */

    ngx_stream_dns_create_srv_conf,        /* create server configuration */
    ngx_stream_dns_merge_srv_conf          /* merge server configuration */
};


ngx_module_t  ngx_stream_dns_module = {
    NGX_MODULE_V1,
    &ngx_stream_dns_module_ctx,            /* module context */
    ngx_stream_dns_commands,               /* module directives */
    NGX_STREAM_MODULE,                     /* module type */
    NULL,                                  /* init master */
    ngx_stream_dns_init_module,            /* init module */
    ngx_stream_dns_init_process,           /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static void *
ngx_stream_dns_create_main_conf(ngx_conf_t *cf)
{
    ngx_stream_dns_main_conf_t  *dmcf;

    dmcf = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_main_conf_t));
    if (dmcf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     dmcf->counters = NULL;
     *     dmcf->external = NULL;
     *     dmcf->external_ecs = 0;
     *     dmcf->pools = NULL;
     *     dmcf->settled = 0;
     *     dmcf->health_interval = 0;
     *     dmcf->check_file = NULL;
     *     dmcf->check_line = 0;
     *     dmcf->explain = 0;
     *     dmcf->health = NULL;
     */

    return dmcf;
}


static void *
ngx_stream_dns_create_srv_conf(ngx_conf_t *cf)
{
    ngx_stream_dns_srv_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_srv_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     conf->zone_confs = NULL;
     *     conf->sources = NULL;
     *     conf->key = NULL;
     *     conf->version = { 0, NULL };
     *     conf->hostname = { 0, NULL };
     *     conf->answer = { 0 };
     *     conf->udp = { 0 };
     *     conf->checked = 0;
     */

    conf->enable = NGX_CONF_UNSET;
    conf->path = NGX_CONF_UNSET_UINT;
    conf->udp_size = NGX_CONF_UNSET;
    conf->min_ttl = NGX_CONF_UNSET;
    conf->max_ttl = NGX_CONF_UNSET;
    conf->default_ttl = NGX_CONF_UNSET;
    conf->any = NGX_CONF_UNSET_UINT;
    conf->chaos = NGX_CONF_UNSET;
    conf->ecs = NGX_CONF_UNSET;
    conf->explain = NGX_CONF_UNSET;
    conf->nsid = NGX_CONF_UNSET_PTR;
    conf->tcp_timeout = NGX_CONF_UNSET_MSEC;
    conf->tcp_idle_timeout = NGX_CONF_UNSET_MSEC;
    conf->tcp_send_timeout = NGX_CONF_UNSET_MSEC;
    conf->tcp_max_unsent = NGX_CONF_UNSET_SIZE;
    conf->tcp_max_queries = NGX_CONF_UNSET;

    return conf;
}


static char *
ngx_stream_dns_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_stream_dns_srv_conf_t *prev = parent;
    ngx_stream_dns_srv_conf_t *conf = child;

    ngx_conf_merge_value(conf->enable, prev->enable, 0);
    ngx_conf_merge_uint_value(conf->path, prev->path,
                              NGX_STREAM_DNS_PATH_BATCH);
    ngx_conf_merge_value(conf->udp_size, prev->udp_size, 1232);
    ngx_conf_merge_sec_value(conf->min_ttl, prev->min_ttl, 0);
    ngx_conf_merge_sec_value(conf->max_ttl, prev->max_ttl,
                             NGX_STREAM_DNS_TTL_MAX);
    ngx_conf_merge_sec_value(conf->default_ttl, prev->default_ttl, 3600);
    ngx_conf_merge_uint_value(conf->any, prev->any, NGX_DNS_ANY_MINIMAL);
    ngx_conf_merge_value(conf->ecs, prev->ecs, 1);
    ngx_conf_merge_value(conf->explain, prev->explain, 0);
    ngx_conf_merge_msec_value(conf->tcp_timeout, prev->tcp_timeout, 5000);
    ngx_conf_merge_msec_value(conf->tcp_idle_timeout, prev->tcp_idle_timeout,
                              10000);
    ngx_conf_merge_msec_value(conf->tcp_send_timeout, prev->tcp_send_timeout,
                              120000);
    ngx_conf_merge_size_value(conf->tcp_max_unsent, prev->tcp_max_unsent,
                              64 * 1024);
    ngx_conf_merge_value(conf->tcp_max_queries, prev->tcp_max_queries, 100);

    if (conf->zone_confs == NULL) {
        conf->zone_confs = prev->zone_confs;
    }

    if (conf->sources == NULL) {
        conf->sources = prev->sources;
    }

    if (conf->chaos == NGX_CONF_UNSET) {
        conf->chaos = (prev->chaos == NGX_CONF_UNSET) ? 0 : prev->chaos;
        conf->version = prev->version;
        conf->hostname = prev->hostname;
    }

    if (conf->min_ttl > conf->max_ttl) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"dns_min_ttl\" is greater than \"dns_max_ttl\"");
        return NGX_CONF_ERROR;
    }

    if (ngx_stream_dns_merge_nsid(cf, prev, conf) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    return conf->enable ? ngx_stream_dns_enable_server(cf, conf)
                        : NGX_CONF_OK;
}


static char *
ngx_stream_dns_merge_nsid(ngx_conf_t *cf, ngx_stream_dns_srv_conf_t *prev,
    ngx_stream_dns_srv_conf_t *conf)
{
    if (conf->nsid == NGX_CONF_UNSET_PTR) {
        conf->nsid = (prev->nsid == NGX_CONF_UNSET_PTR) ? NULL : prev->nsid;
    }

    if (conf->nsid == NULL || conf->nsid->lengths != NULL) {
        return NGX_CONF_OK;
    }

    /* no variables in it: it is the same for every query */

    conf->udp.nsid = conf->nsid->value;
    conf->nsid = NULL;

    if (conf->udp.nsid.len > NGX_STREAM_DNS_NSID_MAX) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"dns_nsid\" is longer than %d octets",
                           NGX_STREAM_DNS_NSID_MAX);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_enable_server(ngx_conf_t *cf, ngx_stream_dns_srv_conf_t *dscf)
{
    ngx_dns_conf_t              *dcf;
    ngx_stream_core_srv_conf_t  *cscf;
    ngx_stream_dns_main_conf_t  *dmcf;

    cscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_core_module);
    dmcf = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_dns_module);
    dcf = (ngx_dns_conf_t *) ngx_get_conf(cf->cycle->conf_ctx,
                                          ngx_dns_module);

    if (cscf->handler != ngx_stream_dns_handler) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"dns\" and another directive that handles the "
                      "content are in the same server in %s:%ui",
                      cscf->file_name, cscf->line);
        return NGX_CONF_ERROR;
    }

    dcf->enabled++;
    dmcf->explain |= dscf->explain;

    if (dmcf->counters == NULL) {
        dmcf->counters = ngx_stream_dns_counters_add(cf);
        if (dmcf->counters == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    dscf->key = ngx_dns_key(cf->log);
    if (dscf->key == NULL) {
        return NGX_CONF_ERROR;
    }

    dscf->udp.udp_size = dscf->udp_size;

    dscf->answer.min_ttl = (uint32_t) dscf->min_ttl;
    dscf->answer.max_ttl = (uint32_t) dscf->max_ttl;
    dscf->answer.any = (uint8_t) dscf->any;
    dscf->answer.chaos = (uint8_t) dscf->chaos;
    dscf->answer.ecs = (uint8_t) dscf->ecs;
    dscf->answer.explain = (uint8_t) dscf->explain;
    dscf->answer.version = dscf->version;
    dscf->answer.hostname = dscf->hostname;

    return ngx_stream_dns_zones(cf, dscf);
}


static char *
ngx_stream_dns(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_srv_conf_t *dscf = conf;

    char                        *rv;
    ngx_stream_core_srv_conf_t  *cscf;

    rv = ngx_conf_set_flag_slot(cf, cmd, conf);

    if (rv != NGX_CONF_OK || !dscf->enable) {
        return rv;
    }

    cscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_core_module);

    if (cscf->handler != NULL) {
        return "conflicts with another directive that handles the content";
    }

    cscf->handler = ngx_stream_dns_handler;

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_srv_conf_t *dscf = conf;

    u_char                       apex[NGX_DNS_NAME_MAX];
    ngx_str_t                   *value;
    const char                  *err;
    ngx_stream_dns_zone_conf_t  *zc;

    value = cf->args->elts;

    zc = ngx_stream_dns_zone_push(cf, dscf, &value[2]);
    if (zc == NULL) {
        return NGX_CONF_ERROR;
    }

    zc->name = value[1];
    zc->pattern = 0;

    zc->apex.len = ngx_dns_name_from_text(apex, &value[1], NULL, &err);

    if (zc->apex.len == 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid zone name \"%V\": %s", &value[1], err);
        return NGX_CONF_ERROR;
    }

    zc->apex.data = ngx_pnalloc(cf->pool, zc->apex.len);
    if (zc->apex.data == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memcpy(zc->apex.data, apex, zc->apex.len);

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_zone_pattern(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_srv_conf_t *dscf = conf;

    ngx_str_t                   *value;
    ngx_stream_dns_zone_conf_t  *zc;

    value = cf->args->elts;

    zc = ngx_stream_dns_zone_push(cf, dscf, &value[1]);
    if (zc == NULL) {
        return NGX_CONF_ERROR;
    }

    zc->pattern = 1;

    return NGX_CONF_OK;
}


static ngx_stream_dns_zone_conf_t *
ngx_stream_dns_zone_push(ngx_conf_t *cf, ngx_stream_dns_srv_conf_t *dscf,
    ngx_str_t *path)
{
    ngx_stream_dns_zone_conf_t  *zc;

    if (dscf->zone_confs == NULL) {
        dscf->zone_confs = ngx_array_create(cf->pool, 4,
                                        sizeof(ngx_stream_dns_zone_conf_t));
        if (dscf->zone_confs == NULL) {
            return NULL;
        }
    }

    zc = ngx_array_push(dscf->zone_confs);
    if (zc == NULL) {
        return NULL;
    }

    ngx_memzero(zc, sizeof(ngx_stream_dns_zone_conf_t));

    zc->path = *path;
    zc->conf_file = cf->conf_file->file.name.data;
    zc->conf_line = cf->conf_file->line;

    if (ngx_conf_full_name(cf->cycle, &zc->path, 1) != NGX_OK) {
        return NULL;
    }

    return zc;
}


static char *
ngx_stream_dns_chaos(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_srv_conf_t *dscf = conf;

    ngx_str_t   *value, text;
    ngx_uint_t   i;

    if (dscf->chaos != NGX_CONF_UNSET) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "off") == 0 && cf->args->nelts == 2) {
        dscf->chaos = 0;
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(value[1].data, "on") != 0) {
        return "takes \"on\" or \"off\" first";
    }

    dscf->chaos = 1;
    dscf->hostname = cf->cycle->hostname;
    ngx_str_set(&dscf->version, "nginx");

    for (i = 2; i < cf->args->nelts; i++) {

        text = value[i];

        if (ngx_strncmp(text.data, "version=", 8) == 0) {
            dscf->version.data = text.data + 8;
            dscf->version.len = text.len - 8;

        } else if (ngx_strncmp(text.data, "hostname=", 9) == 0) {
            dscf->hostname.data = text.data + 9;
            dscf->hostname.len = text.len - 9;

        } else {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\"", &text);
            return NGX_CONF_ERROR;
        }
    }

    if (dscf->version.len > 255 || dscf->hostname.len > 255) {
        return "has a text longer than 255 octets";
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_nsid_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_srv_conf_t *dscf = conf;

    ngx_str_t                            *value;
    ngx_stream_compile_complex_value_t    ccv;

    if (dscf->nsid != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        dscf->nsid = NULL;
        return NGX_CONF_OK;
    }

    dscf->nsid = ngx_palloc(cf->pool, sizeof(ngx_stream_complex_value_t));
    if (dscf->nsid == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(&ccv, sizeof(ngx_stream_compile_complex_value_t));

    ccv.cf = cf;
    ccv.value = &value[1];
    ccv.complex_value = dscf->nsid;

    if (ngx_stream_compile_complex_value(&ccv) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_stream_dns_check_ttl(ngx_conf_t *cf, void *post, void *data)
{
    time_t *ttl = data;

    if (*ttl > NGX_STREAM_DNS_TTL_MAX) {
        return "is more than 2147483647 seconds";
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_stream_dns_init_module(ngx_cycle_t *cycle)
{
    ngx_stream_dns_hold_module(cycle);

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_init_process(ngx_cycle_t *cycle)
{
    ngx_dns_conf_t              *dcf;
    ngx_stream_dns_worker_t     *w;
    ngx_stream_dns_main_conf_t  *dmcf;

    /* the cache manager and the cache loader serve no one */

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    dcf = (ngx_dns_conf_t *) ngx_get_conf(cycle->conf_ctx, ngx_dns_module);

    if (dcf->enabled == 0) {
        return NGX_OK;
    }

    dmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                                 ngx_stream_dns_module);

    w = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_worker_t));
    if (w == NULL) {
        return NGX_ERROR;
    }

    w->log = cycle->log;
    w->counters = ngx_stream_dns_counters_slot(dmcf->counters);

    w->key = ngx_dns_key(cycle->log);
    w->pool = ngx_create_pool(NGX_STREAM_DNS_POOL_SIZE, cycle->log);
    w->query = ngx_pcalloc(cycle->pool, sizeof(ngx_dns_query_t));

    if (w->key == NULL || w->pool == NULL || w->query == NULL) {
        return NGX_ERROR;
    }

    w->answer = ngx_dns_answer_create(cycle->pool, w->key);
    w->writer = ngx_dns_writer_create(cycle->pool, w->key);

    if (w->answer == NULL || w->writer == NULL
        || ngx_stream_dns_init_external(cycle, w, dmcf) != NGX_OK
        || ngx_stream_dns_init_explain(cycle, w, dmcf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_dns_answer_health(w->answer, dmcf->health);

    if (ngx_stream_dns_seed(cycle, w->answer) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_stream_dns_worker = w;

    if (ngx_stream_dns_regions_init(cycle, w) != NGX_OK
        || ngx_stream_dns_geo_init(cycle, w) != NGX_OK
        || ngx_stream_dns_udp_init(cycle, w) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_stream_dns_hold(cycle, w);
}


static ngx_int_t
ngx_stream_dns_init_external(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w,
    ngx_stream_dns_main_conf_t *dmcf)
{
    ngx_dns_external_t         *external;
    ngx_dns_external_shared_t  *sh;

    sh = dmcf->external;

    if (sh == NULL) {
        return NGX_OK;
    }

    if ((ngx_uint_t) ngx_process_slot >= sh->nreaders) {
        ngx_log_error(NGX_LOG_ALERT, cycle->log, 0,
                      "names of other servers have no slot for process %i",
                      ngx_process_slot);
        return NGX_ERROR;
    }

    external = ngx_dns_external_create(cycle->pool, sh, ngx_process_slot,
                                       dmcf->external_ecs);
    if (external == NULL) {
        return NGX_ERROR;
    }

    ngx_dns_answer_external(w->answer, external);

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_init_explain(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w,
    ngx_stream_dns_main_conf_t *dmcf)
{
    ngx_uint_t                  n;
    ngx_dns_explain_t          *explain;
    ngx_dns_explain_network_t  *networks;
    ngx_stream_dns_geo_conf_t  *geo;

    if (!dmcf->explain) {
        return NGX_OK;
    }

    geo = dmcf->geo;
    networks = NULL;
    n = 0;

    if (geo != NULL) {
        networks = geo->names.elts;
        n = geo->names.nelts;
    }

    explain = ngx_dns_explain_create(cycle->pool, networks, n);
    if (explain == NULL) {
        return NGX_ERROR;
    }

    ngx_dns_explain_use(w->answer, explain);

    return NGX_OK;
}


/* each worker draws numbers of its own */

static ngx_int_t
ngx_stream_dns_seed(ngx_cycle_t *cycle, ngx_dns_answer_t *answer)
{
    uint64_t  seed[4];

    if (getrandom(seed, sizeof(seed), 0) != (ssize_t) sizeof(seed)) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno,
                      "getrandom() failed");
        return NGX_ERROR;
    }

    ngx_dns_answer_seed(answer, seed);

    return NGX_OK;
}


void
ngx_stream_dns_handler(ngx_stream_session_t *s)
{
    if (ngx_stream_dns_get_ctx(s) == NULL) {
        ngx_stream_finalize_session(s, NGX_STREAM_INTERNAL_SERVER_ERROR);
        return;
    }

    if (s->connection->type == SOCK_DGRAM) {
        ngx_stream_dns_datagram(s);
        return;
    }

    ngx_stream_dns_tcp_handler(s);
}


/* one datagram as a session of nginx's own: "dns_udp_path session" */

static void
ngx_stream_dns_datagram(ngx_stream_session_t *s)
{
    u_char                      reply[NGX_STREAM_DNS_UDP_SIZE_MAX];
    size_t                      len, n;
    ngx_buf_t                  *b;
    ngx_uint_t                  rc;
    ngx_connection_t           *c;
    ngx_dns_transport_t         t;
    ngx_stream_dns_srv_conf_t  *dscf;

    /* the parser may read a little more than there is */

    static u_char               packet[NGX_DNS_MESSAGE_MAX + 8];

    c = s->connection;
    b = c->buffer;
    dscf = ngx_stream_get_module_srv_conf(s, ngx_stream_dns_module);

    c->log->action = "answering dns query";

    len = b->last - b->pos;

    ngx_memcpy(packet, b->pos, len);
    b->pos = b->last;

    t = dscf->udp;

    n = ngx_stream_dns_answer_message(ngx_stream_dns_worker, s, packet, len,
                                      &t, reply, sizeof(reply));

    rc = NGX_STREAM_BAD_REQUEST;

    if (n != 0) {
        rc = NGX_STREAM_OK;

        if (ngx_stream_dns_datagram_send(c, reply, n) != NGX_OK) {
            ngx_stream_dns_count(ngx_stream_dns_worker,
                                 NGX_STREAM_DNS_SEND_FAILED);
        }
    }

    ngx_stream_finalize_session(s, rc);
}


/* as a chain: c->send() forgets the address that was asked */

static ngx_int_t
ngx_stream_dns_datagram_send(ngx_connection_t *c, u_char *reply, size_t n)
{
    ngx_buf_t    b;
    ngx_chain_t  cl, *rest;

    ngx_memzero(&b, sizeof(ngx_buf_t));

    b.start = reply;
    b.pos = reply;
    b.last = reply + n;
    b.end = b.last;
    b.temporary = 1;
    b.flush = 1;
    b.last_buf = 1;

    cl.buf = &b;
    cl.next = NULL;

    rest = c->send_chain(c, &cl, 0);

    return (rest == NULL) ? NGX_OK : NGX_ERROR;
}
