
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_health_conf.h"


#define NGX_STREAM_DNS_HEALTH_SIZE      (4 * 1024 * 1024)
#define NGX_STREAM_DNS_HEALTH_INTERVAL  10000   /* milliseconds */
#define NGX_STREAM_DNS_HEALTH_SHORTEST  100     /* milliseconds */
#define NGX_STREAM_DNS_HEALTH_LONGEST   (24 * 60 * 60 * 1000)


static char *ngx_stream_dns_health_interval(ngx_conf_t *cf, void *post,
    void *data);
static ngx_int_t ngx_stream_dns_health_memory(ngx_conf_t *cf,
    ngx_stream_dns_health_conf_t *conf);
static ngx_int_t ngx_stream_dns_health_memory_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_dns_health_t *ngx_stream_dns_health_memory_create(
    ngx_shm_zone_t *zone);
static ngx_dns_health_t *ngx_stream_dns_health_memory_running(
    ngx_shm_zone_t *zone);
static ngx_int_t ngx_stream_dns_health_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data);


static ngx_conf_enum_t  ngx_stream_dns_health_modes[] = {
    { ngx_string("off"), NGX_STREAM_DNS_HEALTH_OFF },
    { ngx_string("passive"), NGX_STREAM_DNS_HEALTH_PASSIVE },
    { ngx_string("on"), NGX_STREAM_DNS_HEALTH_ON },
    { ngx_null_string, 0 }
};

ngx_conf_post_t  ngx_stream_dns_health_interval_post = {
    ngx_stream_dns_health_interval
};

static ngx_str_t  ngx_stream_dns_health_memory_name =
    ngx_string("ngx_dns_health");

/* those of ngx_stream_dns_health_stat_e */

static ngx_str_t  ngx_stream_dns_health_stat_names[] = {
    ngx_string("dns_health_probes"),
    ngx_string("dns_health_good"),
    ngx_string("dns_health_bad"),
    ngx_string("dns_health_turns"),
    ngx_string("dns_health_skipped"),
    ngx_string("dns_health_late"),
    ngx_string("dns_health_flight"),
    ngx_string("dns_health_waiting"),
    ngx_string("dns_health_targets"),
    ngx_string("dns_health_up"),
    ngx_string("dns_health_down"),
    ngx_string("dns_health_unknown"),
    ngx_string("dns_health_slots"),
    ngx_string("dns_health_full"),
    ngx_string("dns_health_unusable"),
    ngx_string("dns_health_probing")
};


char *
ngx_stream_dns_health_directive(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf)
{
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    ngx_str_t        *value;
    ngx_conf_enum_t  *e;

    if (cmcf->health.mode != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    for (e = ngx_stream_dns_health_modes; e->name.len != 0; e++) {
        if (e->name.len == value[1].len
            && ngx_strcasecmp(e->name.data, value[1].data) == 0)
        {
            cmcf->health.mode = e->value;
            return NGX_CONF_OK;
        }
    }

    return "must be \"on\", \"passive\", or \"off\"";
}


static char *
ngx_stream_dns_health_interval(ngx_conf_t *cf, void *post, void *data)
{
    ngx_msec_t *interval = data;

    ngx_stream_dns_main_conf_t  *dmcf;

    if (*interval < NGX_STREAM_DNS_HEALTH_SHORTEST
        || *interval > NGX_STREAM_DNS_HEALTH_LONGEST)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"dns_health_interval\" must be between 100ms "
                           "and 1d");
        return NGX_CONF_ERROR;
    }

    dmcf = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_dns_module);
    dmcf->health_interval = *interval;

    return NGX_CONF_OK;
}


void
ngx_stream_dns_health_conf_init(ngx_stream_dns_health_conf_t *conf)
{
    conf->mode = NGX_CONF_UNSET_UINT;
    conf->interval = NGX_CONF_UNSET_MSEC;
    conf->size = NGX_CONF_UNSET_SIZE;
}


char *
ngx_stream_dns_health_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_stream_dns_health_conf_t  *conf;

    conf = &cmcf->health;

    if (cmcf->path == NULL) {

        if (conf->mode != NGX_CONF_UNSET_UINT
            && conf->mode != NGX_STREAM_DNS_HEALTH_OFF)
        {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"dns_health\" needs \"dns_state_path\"");
            return NGX_CONF_ERROR;
        }

        conf->mode = NGX_STREAM_DNS_HEALTH_OFF;
    }

    ngx_conf_init_uint_value(conf->mode, NGX_STREAM_DNS_HEALTH_ON);
    ngx_conf_init_msec_value(conf->interval, NGX_STREAM_DNS_HEALTH_INTERVAL);
    ngx_conf_init_size_value(conf->size, NGX_STREAM_DNS_HEALTH_SIZE);

    if (conf->mode == NGX_STREAM_DNS_HEALTH_OFF) {
        return NGX_CONF_OK;
    }

    conf->dmcf = ngx_stream_conf_get_module_main_conf(cf,
                                                      ngx_stream_dns_module);

    if (ngx_stream_dns_health_ssl_create(cf, conf) != NGX_OK
        || ngx_stream_dns_health_memory(cf, conf) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_stream_dns_health_memory(ngx_conf_t *cf,
    ngx_stream_dns_health_conf_t *conf)
{
    if (conf->size < (size_t) (8 * ngx_pagesize)) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"dns_health_zone\" is too small");
        return NGX_ERROR;
    }

    conf->shm_zone = ngx_shared_memory_add(cf,
                                           &ngx_stream_dns_health_memory_name,
                                           conf->size,
                                           &ngx_stream_dns_control_module);
    if (conf->shm_zone == NULL) {
        return NGX_ERROR;
    }

    conf->shm_zone->init = ngx_stream_dns_health_memory_init;
    conf->shm_zone->data = conf;

    return NGX_OK;
}


/*
 * May belong to a reload that fails: what the running cycle has is only
 * looked at.
 */

static ngx_int_t
ngx_stream_dns_health_memory_init(ngx_shm_zone_t *zone, void *data)
{
    uint64_t                       lost;
    ngx_dns_health_t              *h, *running;
    ngx_stream_dns_health_conf_t  *conf, *old;

    conf = zone->data;
    old = data;

    if (old != NULL) {
        h = old->table;

    } else {
        h = ngx_stream_dns_health_memory_create(zone);
        if (h == NULL) {
            return NGX_ERROR;
        }

        running = ngx_stream_dns_health_memory_running(zone);

        if (running != NULL) {
            lost = ngx_dns_health_copy(h, running);

            if (lost != 0) {
                ngx_log_error(NGX_LOG_WARN, zone->shm.log, 0,
                              "\"dns_health_zone\" is too small: %uL states "
                              "of targets are lost", lost);
            }
        }
    }

    conf->table = h;
    conf->dmcf->health = h;

    return NGX_OK;
}


static ngx_dns_health_t *
ngx_stream_dns_health_memory_create(ngx_shm_zone_t *zone)
{
    void              *p;
    size_t             size;
    ngx_slab_pool_t   *shpool;
    ngx_dns_health_t  *h;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    size = shpool->pfree * ngx_pagesize;
    h = NULL;

    p = ngx_slab_alloc(shpool, size);

    if (p != NULL) {
        h = ngx_dns_health_init(p, size);
    }

    if (h == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "no memory in zone \"%V\"", &zone->shm.name);
        return NULL;
    }

    if (ngx_stream_dns_control_lock_init(h->lock, zone->shm.log) != NGX_OK) {
        return NULL;
    }

    shpool->data = h;

    return h;
}


/* the table of the running cycle, of another size; NULL: there is none */

static ngx_dns_health_t *
ngx_stream_dns_health_memory_running(ngx_shm_zone_t *zone)
{
    ngx_uint_t                     i;
    ngx_shm_zone_t                *old;
    ngx_list_part_t               *part;
    ngx_stream_dns_health_conf_t  *conf;

    for (part = (ngx_list_part_t *) &ngx_cycle->shared_memory.part;
         part != NULL;
         part = part->next)
    {
        old = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (old[i].init == zone->init) {
                conf = old[i].data;
                return conf->table;
            }
        }
    }

    return NULL;
}


/* as for sources, a variable is made for a name that is used */

void
ngx_stream_dns_health_variables(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_str_t                    *name;
    ngx_uint_t                    i, k;
    ngx_stream_variable_t        *v;
    ngx_stream_core_main_conf_t  *core;

    core = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_core_module);

    v = core->variables.elts;

    for (i = 0; i < core->variables.nelts; i++) {

        for (k = 0; k < NGX_STREAM_DNS_HEALTH_COUNTERS; k++) {

            name = &ngx_stream_dns_health_stat_names[k];

            if (v[i].name.len == name->len
                && ngx_strncasecmp(v[i].name.data, name->data, name->len)
                   == 0)
            {
                v[i].get_handler = ngx_stream_dns_health_variable;
                v[i].data = k;
                v[i].flags = NGX_STREAM_VAR_NOCACHEABLE;
            }
        }
    }
}


/* $dns_health_COUNTER: as the control process left it last */

static ngx_int_t
ngx_stream_dns_health_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data)
{
    u_char                              *p;
    uint64_t                             n;
    ngx_dns_health_t                    *h;
    ngx_stream_dns_control_main_conf_t  *cmcf;

    cmcf = ngx_stream_get_module_main_conf(s, ngx_stream_dns_control_module);
    h = cmcf->health.table;

    n = (h == NULL) ? 0 : h->stat[data];

    p = ngx_pnalloc(s->connection->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->data = p;
    v->len = ngx_sprintf(p, "%uL", n) - p;

    return NGX_OK;
}
