
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_aname.h"


#define NGX_STREAM_DNS_ANAME_PORT     53
#define NGX_STREAM_DNS_ANAME_TIMEOUT  400                   /* ms */
#define NGX_STREAM_DNS_ANAME_SIZE     (8 * 1024 * 1024)     /* octets */
#define NGX_STREAM_DNS_ANAME_MIN      (256 * 1024)
#define NGX_STREAM_DNS_ANAME_READERS  (NGX_MAX_PROCESSES + 1)


/* a variable: a counter of the writer, or the sum of one of readers */

typedef struct {
    ngx_str_t    name;
    ngx_uint_t   reader;                /* 1: offset is that of a reader */
    ngx_uint_t   offset;
} ngx_stream_dns_aname_counter_t;

typedef struct {
    ngx_stream_dns_aname_conf_t     *conf;
    ngx_stream_dns_aname_counter_t  *counter;
} ngx_stream_dns_aname_variable_t;

#define ngx_stream_dns_aname_stat(name)                                      \
    0, offsetof(ngx_dns_external_shared_t, stat) + (name) * sizeof(uint64_t)

#define ngx_stream_dns_aname_read(member)                                    \
    1, offsetof(ngx_dns_external_reader_t, member)


static ngx_stream_dns_aname_conf_t *ngx_stream_dns_aname_conf(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);
#if (NGX_DNS_ARES)
static char *ngx_stream_dns_aname_server(ngx_conf_t *cf,
    ngx_stream_dns_aname_conf_t *acf, ngx_str_t *value);
#endif
static ngx_int_t ngx_stream_dns_aname_shared_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_int_t ngx_stream_dns_aname_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data);


/* the tag of the shared memory */

static ngx_uint_t  ngx_stream_dns_aname_tag;


static ngx_stream_dns_aname_counter_t  ngx_stream_dns_aname_counters[] = {

    { ngx_string("dns_aname_entries"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_ENTRIES) },

    { ngx_string("dns_aname_evicted"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_EVICTED) },

    { ngx_string("dns_aname_full"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_FULL) },

    { ngx_string("dns_aname_queries"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_QUERIES) },

    { ngx_string("dns_aname_tcp"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_TCP) },

    { ngx_string("dns_aname_replies"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_REPLIES) },

    { ngx_string("dns_aname_ignored"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_IGNORED) },

    { ngx_string("dns_aname_timeouts"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_TIMEOUTS) },

    { ngx_string("dns_aname_failures"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_FAILURES) },

    { ngx_string("dns_aname_pending"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_PENDING) },

    { ngx_string("dns_aname_failing"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_FAILING) },

    { ngx_string("dns_aname_age"),
      ngx_stream_dns_aname_stat(NGX_DNS_EXTERNAL_STAT_AGE) },

    { ngx_string("dns_aname_found"),
      ngx_stream_dns_aname_read(found) },

    { ngx_string("dns_aname_stale"),
      ngx_stream_dns_aname_read(stale) },

    { ngx_string("dns_aname_missed"),
      ngx_stream_dns_aname_read(missed) },

    { ngx_string("dns_aname_wanted"),
      ngx_stream_dns_aname_read(wanted) },

    { ngx_string("dns_aname_lost"),
      ngx_stream_dns_aname_read(lost) },

    { ngx_null_string, 0, 0 }
};


static ngx_stream_dns_aname_conf_t *
ngx_stream_dns_aname_conf(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_stream_dns_aname_conf_t  *acf;

    if (cmcf->aname != NULL) {
        return cmcf->aname;
    }

    acf = ngx_pcalloc(cf->pool, sizeof(ngx_stream_dns_aname_conf_t));
    if (acf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     acf->nservers = 0;
     *     acf->shm_zone = NULL;
     *     acf->shared = NULL;
     */

    acf->timeout = NGX_STREAM_DNS_ANAME_TIMEOUT;
    acf->ecs = NGX_CONF_UNSET;
    acf->size = NGX_CONF_UNSET_SIZE;
    acf->stream = ngx_stream_conf_get_module_main_conf(cf,
                                                       ngx_stream_dns_module);

    cmcf->aname = acf;

    return acf;
}


char *
ngx_stream_dns_aname_resolver(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
#if (NGX_DNS_ARES)
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    char                         *rv;
    ngx_int_t                     msec;
    ngx_str_t                    *value, text;
    ngx_uint_t                    i;
    ngx_stream_dns_aname_conf_t  *acf;

    acf = ngx_stream_dns_aname_conf(cf, cmcf);
    if (acf == NULL) {
        return NGX_CONF_ERROR;
    }

    if (acf->conf_file != NULL) {
        return "is duplicate";
    }

    acf->conf_file = cf->conf_file->file.name.data;
    acf->conf_line = cf->conf_file->line;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_strncmp(value[i].data, "timeout=", 8) == 0) {

            text.data = value[i].data + 8;
            text.len = value[i].len - 8;

            msec = ngx_parse_time(&text, 0);

            if (msec == NGX_ERROR || msec < 10 || msec > 60000) {
                ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                                   "invalid parameter \"%V\", the time must "
                                   "be between 10ms and 60s", &value[i]);
                return NGX_CONF_ERROR;
            }

            acf->timeout = msec;

            continue;
        }

        rv = ngx_stream_dns_aname_server(cf, acf, &value[i]);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    return (acf->nservers != 0) ? NGX_CONF_OK : "has no address";
#else
    return "needs c-ares, without which the module was built";
#endif
}


#if (NGX_DNS_ARES)

static char *
ngx_stream_dns_aname_server(ngx_conf_t *cf, ngx_stream_dns_aname_conf_t *acf,
    ngx_str_t *value)
{
    ngx_url_t                       u;
    struct sockaddr                *sa;
    ngx_stream_dns_aname_server_t  *server;

    if (acf->nservers == NGX_STREAM_DNS_ANAME_SERVERS) {
        return "has more than 4 addresses";
    }

    ngx_memzero(&u, sizeof(ngx_url_t));

    u.url = *value;
    u.default_port = NGX_STREAM_DNS_ANAME_PORT;
    u.no_resolve = 1;

    if (ngx_parse_url(cf->pool, &u) != NGX_OK || u.naddrs == 0
        || u.addrs[0].sockaddr->sa_family == AF_UNIX)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" of \"dns_aname_resolver\" is not an "
                           "address", value);
        return NGX_CONF_ERROR;
    }

    sa = u.addrs[0].sockaddr;
    server = &acf->servers[acf->nservers++];

    server->family = sa->sa_family;
    server->port = ngx_inet_get_port(sa);

    if (sa->sa_family == AF_INET) {
        ngx_memcpy(server->address, &((struct sockaddr_in *) sa)->sin_addr,
                   4);

#if (NGX_HAVE_INET6)
    } else {
        ngx_memcpy(server->address, &((struct sockaddr_in6 *) sa)->sin6_addr,
                   16);
#endif
    }

    return NGX_CONF_OK;
}

#endif


char *
ngx_stream_dns_aname_ecs(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    ngx_stream_dns_aname_conf_t  *acf;

    acf = ngx_stream_dns_aname_conf(cf, cmcf);
    if (acf == NULL) {
        return NGX_CONF_ERROR;
    }

    return ngx_conf_set_flag_slot(cf, cmd, acf);
}


char *
ngx_stream_dns_aname_cache(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_dns_control_main_conf_t *cmcf = conf;

    char                         *rv;
    ngx_stream_dns_aname_conf_t  *acf;

    acf = ngx_stream_dns_aname_conf(cf, cmcf);
    if (acf == NULL) {
        return NGX_CONF_ERROR;
    }

    rv = ngx_conf_set_size_slot(cf, cmd, acf);

    if (rv == NGX_CONF_OK && acf->size < NGX_STREAM_DNS_ANAME_MIN) {
        return "is less than 256k";
    }

    return rv;
}


char *
ngx_stream_dns_aname_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_str_t                     name;
    ngx_stream_dns_aname_conf_t  *acf;

    acf = cmcf->aname;

    if (acf == NULL || acf->nservers == 0) {
        return NGX_CONF_OK;
    }

    if (cmcf->path == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"dns_aname_resolver\" in %s:%ui needs "
                      "\"dns_state_path\"", acf->conf_file, acf->conf_line);
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_value(acf->ecs, 0);
    ngx_conf_init_size_value(acf->size, NGX_STREAM_DNS_ANAME_SIZE);

    ngx_str_set(&name, "ngx_dns_aname");

    acf->shm_zone = ngx_shared_memory_add(cf, &name, acf->size,
                                          &ngx_stream_dns_aname_tag);
    if (acf->shm_zone == NULL) {
        return NGX_CONF_ERROR;
    }

    acf->shm_zone->init = ngx_stream_dns_aname_shared_init;
    acf->shm_zone->data = acf;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_stream_dns_aname_shared_init(ngx_shm_zone_t *zone, void *data)
{
    void                         *p;
    size_t                        size;
    ngx_slab_pool_t              *shpool;
    ngx_stream_dns_aname_conf_t  *acf, *old;

    acf = zone->data;
    old = data;

    acf->stream->external_ecs = acf->ecs;

    if (old != NULL) {
        acf->shared = old->shared;
        acf->stream->external = acf->shared;

        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    size = shpool->pfree * ngx_pagesize;

    p = ngx_slab_alloc(shpool, size);

    if (p != NULL) {
        acf->shared = ngx_dns_external_init(p, size,
                                            NGX_STREAM_DNS_ANAME_READERS);
    }

    if (acf->shared == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "zone \"%V\" is too small", &zone->shm.name);
        return NGX_ERROR;
    }

    shpool->data = acf->shared;
    acf->stream->external = acf->shared;

    return ngx_stream_dns_control_lock_init(acf->shared->lock, zone->shm.log);
}


ngx_int_t
ngx_stream_dns_aname_variables(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_uint_t                        i, k;
    ngx_stream_variable_t            *v;
    ngx_stream_core_main_conf_t      *core;
    ngx_stream_dns_aname_counter_t   *counter;
    ngx_stream_dns_aname_variable_t  *av;

    core = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_core_module);

    v = core->variables.elts;
    counter = ngx_stream_dns_aname_counters;

    for (i = 0; i < core->variables.nelts; i++) {

        for (k = 0; counter[k].name.len != 0; k++) {

            if (v[i].name.len != counter[k].name.len
                || ngx_strncasecmp(v[i].name.data, counter[k].name.data,
                                   v[i].name.len)
                   != 0)
            {
                continue;
            }

            av = ngx_palloc(cf->pool,
                            sizeof(ngx_stream_dns_aname_variable_t));
            if (av == NULL) {
                return NGX_ERROR;
            }

            av->conf = cmcf->aname;
            av->counter = &counter[k];

            v[i].get_handler = ngx_stream_dns_aname_variable;
            v[i].data = (uintptr_t) av;
            v[i].flags = NGX_STREAM_VAR_NOCACHEABLE;
        }
    }

    return NGX_OK;
}


/* without "dns_aname_resolver": 0 */

static ngx_int_t
ngx_stream_dns_aname_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data)
{
    u_char                           *p;
    uint64_t                          n;
    ngx_uint_t                        i;
    ngx_dns_external_reader_t        *reader;
    ngx_dns_external_shared_t        *sh;
    ngx_stream_dns_aname_variable_t  *av;

    av = (ngx_stream_dns_aname_variable_t *) data;
    sh = (av->conf != NULL) ? av->conf->shared : NULL;
    n = 0;

    if (sh != NULL && !av->counter->reader) {
        n = *(volatile uint64_t *) ngx_dns_external_at(sh,
                                                       av->counter->offset);

    } else if (sh != NULL) {
        reader = ngx_dns_external_at(sh, sh->readers);

        for (i = 0; i < sh->nreaders; i++) {
            n += *(volatile uint64_t *) ((u_char *) &reader[i]
                                         + av->counter->offset);
        }
    }

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
