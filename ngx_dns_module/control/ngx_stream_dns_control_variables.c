
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


/* each by its name, so that one that does not exist is noticed */

ngx_int_t
ngx_stream_dns_control_variables(ngx_conf_t *cf, ngx_stream_dns_source_t *src)
{
    u_char                             text[128], *p;
    ngx_str_t                          name;
    ngx_uint_t                         i;
    ngx_stream_variable_t             *var;
    ngx_stream_dns_source_variable_t  *sv;

    sv = ngx_palloc(cf->pool, (NGX_STREAM_DNS_STATS + 1)
                              * sizeof(ngx_stream_dns_source_variable_t));
    if (sv == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i <= NGX_STREAM_DNS_STAT_READY; i++) {

        p = ngx_sprintf(text, "dns_source_%V_%V", &src->name,
                        ngx_stream_dns_control_stat_name(i));

        name.data = text;
        name.len = p - text;

        for (p = text; p < text + name.len; p++) {
            if (*p == '-' || *p == '.') {
                *p = '_';
            }
        }

        var = ngx_stream_add_variable(cf, &name, NGX_STREAM_VAR_NOCACHEABLE);
        if (var == NULL) {
            return NGX_ERROR;
        }

        sv[i].source = src;
        sv[i].stat = i;

        var->get_handler = ngx_stream_dns_source_variable;
        var->data = (uintptr_t) &sv[i];
    }

    return NGX_OK;
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


ngx_str_t *
ngx_stream_dns_control_stat_name(ngx_uint_t i)
{
    return &ngx_stream_dns_stat_names[i];
}
