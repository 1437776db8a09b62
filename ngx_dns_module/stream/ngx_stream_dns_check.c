
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_check.h"
#include "ngx_stream_dns_phases.h"
#include "ngx_stream_dns_udp.h"


static ngx_int_t ngx_stream_dns_check_socket(ngx_cycle_t *cycle,
    ngx_listening_t *ls);
static ngx_int_t ngx_stream_dns_check_mixture(ngx_cycle_t *cycle,
    ngx_listening_t *ls);
static ngx_uint_t ngx_stream_dns_check_batch(ngx_stream_dns_srv_conf_t *dscf);
static ngx_int_t ngx_stream_dns_check_server(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx);
static ngx_int_t ngx_stream_dns_check_defaults(ngx_cycle_t *cycle);
static ngx_stream_dns_srv_conf_t *ngx_stream_dns_check_conf(
    ngx_stream_conf_ctx_t *ctx);
static ngx_stream_core_srv_conf_t *ngx_stream_dns_check_core(
    ngx_stream_conf_ctx_t *ctx);


char *
ngx_stream_dns_check(ngx_cycle_t *cycle)
{
    ngx_uint_t        i;
    ngx_listening_t  *ls;

    ls = cycle->listening.elts;

    for (i = 0; i < cycle->listening.nelts; i++) {

#if (NGX_HAVE_REUSEPORT)

        /* copies for the other workers */

        if (ls[i].reuseport && ls[i].worker != 0) {
            continue;
        }

#endif

        if (!ngx_stream_dns_udp_socket(&ls[i])) {
            continue;
        }

        if (ngx_stream_dns_check_socket(cycle, &ls[i]) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    if (ngx_stream_dns_check_defaults(cycle) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_stream_dns_check_socket(ngx_cycle_t *cycle, ngx_listening_t *ls)
{
    ngx_uint_t                   i;
    ngx_stream_conf_ctx_t       *ctx;
    ngx_stream_addr_conf_t      *conf;
    ngx_stream_dns_srv_conf_t   *dscf;
    ngx_stream_core_srv_conf_t  *cscf;

    if (ngx_stream_dns_check_mixture(cycle, ls) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < ngx_stream_dns_udp_naddrs(ls); i++) {

        ctx = ngx_stream_dns_udp_addr_ctx(ls, i, &conf);
        dscf = ngx_stream_dns_check_conf(ctx);
        cscf = ngx_stream_dns_check_core(ctx);

        if (!dscf->enable) {
            continue;
        }

        if (ls->sockaddr->sa_family == AF_UNIX) {
            ngx_log_error(NGX_LOG_EMERG, cycle->log, 0,
                          "\"dns\" does not work with the datagram socket "
                          "\"%V\" of the server in %s:%ui",
                          &ls->addr_text, cscf->file_name, cscf->line);
            return NGX_ERROR;
        }

        if (dscf->checked) {
            continue;
        }

        dscf->checked = 1;

        if (ngx_stream_dns_check_server(cycle, ctx) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* all servers of a socket have to read it in the same way */

static ngx_int_t
ngx_stream_dns_check_mixture(ngx_cycle_t *cycle, ngx_listening_t *ls)
{
    ngx_uint_t                   i;
    ngx_stream_conf_ctx_t       *ctx, *first;
    ngx_stream_addr_conf_t      *conf;
    ngx_stream_dns_srv_conf_t   *dscf, *one;
    ngx_stream_core_srv_conf_t  *cscf, *other;

    first = ngx_stream_dns_udp_addr_ctx(ls, 0, &conf);
    one = ngx_stream_dns_check_conf(first);
    other = ngx_stream_dns_check_core(first);

    for (i = 1; i < ngx_stream_dns_udp_naddrs(ls); i++) {

        ctx = ngx_stream_dns_udp_addr_ctx(ls, i, &conf);
        dscf = ngx_stream_dns_check_conf(ctx);
        cscf = ngx_stream_dns_check_core(ctx);

        if (ngx_stream_dns_check_batch(dscf)
            == ngx_stream_dns_check_batch(one))
        {
            continue;
        }

        ngx_log_error(NGX_LOG_EMERG, cycle->log, 0,
                      "the server in %s:%ui and the server in %s:%ui share "
                      "the UDP socket \"%V\" but not \"%s\"",
                      cscf->file_name, cscf->line,
                      other->file_name, other->line, &ls->addr_text,
                      (dscf->enable != one->enable) ? "dns on"
                                                    : "dns_udp_path");
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_stream_dns_check_batch(ngx_stream_dns_srv_conf_t *dscf)
{
    return (dscf->enable && dscf->path == NGX_STREAM_DNS_PATH_BATCH);
}


static ngx_int_t
ngx_stream_dns_check_server(ngx_cycle_t *cycle, ngx_stream_conf_ctx_t *ctx)
{
    ngx_stream_dns_srv_conf_t    *dscf;
    ngx_stream_core_srv_conf_t   *cscf;
    ngx_stream_core_main_conf_t  *cmcf;

    dscf = ngx_stream_dns_check_conf(ctx);
    cscf = ngx_stream_dns_check_core(ctx);
    cmcf = ctx->main_conf[ngx_stream_core_module.ctx_index];

    if (ngx_stream_dns_phases_limit_conn(cycle, ctx)) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, 0,
                      "\"limit_conn\" has no effect on datagrams, each is "
                      "over at once: move \"listen ... udp\" of the server "
                      "in %s:%ui to a server without it",
                      cscf->file_name, cscf->line);
        return NGX_ERROR;
    }

    if (ngx_stream_dns_phases_log_unbuffered(cycle, ctx)) {
        ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                      "\"access_log\" without \"buffer\" writes once for "
                      "each datagram, in the server in %s:%ui",
                      cscf->file_name, cscf->line);
    }

    if (dscf->path == NGX_STREAM_DNS_PATH_BATCH
        && ngx_stream_dns_phases_check(cycle, cmcf) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, 0,
                      "a module that does not come with nginx handles the "
                      "post-accept, preaccess or access phase: the server "
                      "in %s:%ui needs \"dns_udp_path session\"",
                      cscf->file_name, cscf->line);
        return NGX_ERROR;
    }

    return NGX_OK;
}


#if (nginx_version >= 1025005)

/*
 * Several servers may share an address and be told apart by name, which a
 * datagram does not have: it goes to the default server.
 */

static ngx_int_t
ngx_stream_dns_check_defaults(ngx_cycle_t *cycle)
{
    ngx_uint_t                     i, j, k;
    ngx_stream_conf_port_t        *port;
    ngx_stream_conf_addr_t        *addr;
    ngx_stream_core_srv_conf_t   **cscf;
    ngx_stream_core_main_conf_t   *cmcf;

    cmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                                 ngx_stream_core_module);

    if (cmcf->ports == NULL) {
        return NGX_OK;
    }

    port = cmcf->ports->elts;

    for (i = 0; i < cmcf->ports->nelts; i++) {

        if (port[i].type != SOCK_DGRAM) {
            continue;
        }

        addr = port[i].addrs.elts;

        for (j = 0; j < port[i].addrs.nelts; j++) {

            cscf = addr[j].servers.elts;

            for (k = 0; k < addr[j].servers.nelts; k++) {

                if (cscf[k] == addr[j].default_server
                    || !ngx_stream_dns_check_conf(cscf[k]->ctx)->enable)
                {
                    continue;
                }

                ngx_log_error(NGX_LOG_EMERG, cycle->log, 0,
                              "\"dns\" in the server in %s:%ui, which is "
                              "not the default server of \"%V\": it would "
                              "never see a datagram",
                              cscf[k]->file_name, cscf[k]->line,
                              &addr[j].opt.addr_text);
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}

#else

static ngx_int_t
ngx_stream_dns_check_defaults(ngx_cycle_t *cycle)
{
    return NGX_OK;
}

#endif


static ngx_stream_dns_srv_conf_t *
ngx_stream_dns_check_conf(ngx_stream_conf_ctx_t *ctx)
{
    return ctx->srv_conf[ngx_stream_dns_module.ctx_index];
}


static ngx_stream_core_srv_conf_t *
ngx_stream_dns_check_core(ngx_stream_conf_ctx_t *ctx)
{
    return ctx->srv_conf[ngx_stream_core_module.ctx_index];
}
