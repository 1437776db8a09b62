
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_control_conf.h"


/* more than counters: what the head of the region says */

#define NGX_STREAM_DNS_STAT_READY  NGX_STREAM_DNS_STATS


typedef struct {
    ngx_stream_dns_source_t  *source;
    ngx_uint_t                stat;     /* NGX_STREAM_DNS_STAT_... */
} ngx_stream_dns_source_variable_t;


static ngx_stream_dns_source_variable_t *ngx_stream_dns_source_variable_find(
    ngx_conf_t *cf, ngx_stream_dns_source_t *src, ngx_str_t *name);
static ngx_int_t ngx_stream_dns_source_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data);


static ngx_str_t  ngx_stream_dns_stat_names[] = {
    ngx_string("connected"),
    ngx_string("means"),
    ngx_string("contact"),
    ngx_string("zones"),
    ngx_string("records"),
    ngx_string("used"),
    ngx_string("free"),
    ngx_string("largest"),
    ngx_string("changes"),
    ngx_string("bad"),
    ngx_string("comparisons"),
    ngx_string("delay_last"),
    ngx_string("delay_max"),
    ngx_string("pause_max"),
    ngx_string("full"),
    ngx_string("disbelieved"),
    ngx_string("reconnects"),
    ngx_string("commands"),
    ngx_string("snapshots"),
    ngx_string("snapshot_time"),
    ngx_string("snapshot_size"),
    ngx_string("ready")
};

static ngx_str_t  ngx_stream_dns_means_names[] = {
    ngx_string("none"),
    ngx_string("tracking"),
    ngx_string("events"),
    ngx_string("polling")
};


/*
 * A variable is made for a name that is used: all of them would be too many
 * for the hash of variables.  One that does not exist is left to nginx.
 */

ngx_int_t
ngx_stream_dns_control_variables(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_uint_t                          i, k;
    ngx_stream_variable_t              *v;
    ngx_stream_dns_source_t           **src;
    ngx_stream_core_main_conf_t        *core;
    ngx_stream_dns_source_variable_t   *sv;

    core = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_core_module);

    v = core->variables.elts;
    src = cmcf->control.sources.elts;

    for (i = 0; i < core->variables.nelts; i++) {

        for (k = 0; k < cmcf->control.sources.nelts; k++) {

            sv = ngx_stream_dns_source_variable_find(cf, src[k], &v[i].name);

            if (sv == NULL) {
                continue;
            }

            v[i].get_handler = ngx_stream_dns_source_variable;
            v[i].data = (uintptr_t) sv;
            v[i].flags = NGX_STREAM_VAR_NOCACHEABLE;

            break;
        }
    }

    return NGX_OK;
}


/* NULL: name is not one of the source */

static ngx_stream_dns_source_variable_t *
ngx_stream_dns_source_variable_find(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src, ngx_str_t *name)
{
    u_char                             text[128], *p, *last;
    ngx_uint_t                         i;
    ngx_stream_dns_source_variable_t  *sv;

    for (i = 0; i <= NGX_STREAM_DNS_STAT_READY; i++) {

        last = ngx_sprintf(text, "dns_source_%V_%V", &src->name,
                           &ngx_stream_dns_stat_names[i]);

        if (name->len != (size_t) (last - text)) {
            continue;
        }

        for (p = text; p < last; p++) {
            if (*p == '-' || *p == '.') {
                *p = '_';
            }
        }

        if (ngx_strncasecmp(name->data, text, name->len) == 0) {
            break;
        }
    }

    if (i > NGX_STREAM_DNS_STAT_READY) {
        return NULL;
    }

    sv = ngx_palloc(cf->pool, sizeof(ngx_stream_dns_source_variable_t));

    if (sv != NULL) {
        sv->source = src;
        sv->stat = i;
    }

    return sv;
}


/* $dns_source_NAME_COUNTER: as the control process left it last */

static ngx_int_t
ngx_stream_dns_source_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data)
{
    u_char                            *p;
    uint64_t                           n;
    ngx_str_t                         *means;
    ngx_dns_shared_t                  *sh;
    ngx_stream_dns_source_variable_t  *sv;

    sv = (ngx_stream_dns_source_variable_t *) data;
    sh = sv->source->shared;

    n = (sv->stat == NGX_STREAM_DNS_STAT_READY) ? sh->ready
                                                : sh->stat[sv->stat];

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    if (sv->stat == NGX_STREAM_DNS_STAT_MEANS
        && n <= NGX_STREAM_DNS_MEANS_POLLING)
    {
        means = &ngx_stream_dns_means_names[n];

        v->data = means->data;
        v->len = means->len;

        return NGX_OK;
    }

    p = ngx_pnalloc(s->connection->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    v->data = p;
    v->len = ngx_sprintf(p, "%uL", n) - p;

    return NGX_OK;
}
