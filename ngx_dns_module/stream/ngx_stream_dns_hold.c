
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_hold.h"
#include "ngx_stream_dns_region.h"
#include "ngx_stream_dns_udp.h"


#define NGX_STREAM_DNS_HOLD_LOOK  10        /* milliseconds */


/* a socket that is left unread, and what would read it */

typedef struct {
    ngx_connection_t           *connection;
    ngx_event_handler_pt        handler;
} ngx_stream_dns_held_t;

typedef struct {
    void                       *data;
    void                       *unused[2];
    ngx_int_t                   ident;      /* after 3 pointers */

    ngx_event_t                 timer;
    ngx_array_t                 sockets;    /* ngx_stream_dns_held_t */
} ngx_stream_dns_hold_t;


static ngx_uint_t ngx_stream_dns_hold_wanted(ngx_listening_t *ls);
static ngx_int_t ngx_stream_dns_hold_add(ngx_stream_dns_hold_t *h,
    ngx_connection_t *c);
static void ngx_stream_dns_hold_event(ngx_event_t *ev);
static void ngx_stream_dns_hold_timer(ngx_event_t *ev);
static void ngx_stream_dns_hold_end(ngx_stream_dns_hold_t *h);


/* in the workers as the master left them */

static ngx_uint_t  ngx_stream_dns_hold_first;   /* 1: a new binary's first */
static ngx_msec_t  ngx_stream_dns_hold_until;


void
ngx_stream_dns_hold_module(ngx_cycle_t *cycle)
{
    ngx_stream_dns_hold_first = 0;

    if (!ngx_inherited || !ngx_is_init_cycle(cycle->old_cycle)) {
        return;
    }

    ngx_stream_dns_hold_first = 1;
    ngx_stream_dns_hold_until = ngx_current_msec + NGX_STREAM_DNS_HOLD;
}


ngx_int_t
ngx_stream_dns_hold(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w)
{
    ngx_uint_t              i;
    ngx_listening_t        *ls;
    ngx_stream_dns_hold_t  *h;

    /* a worker that takes the place of another one may be late */

    if (!ngx_stream_dns_hold_first
        || w->nviews == 0
        || ngx_stream_dns_regions_ready(w)
        || (ngx_msec_int_t) (ngx_stream_dns_hold_until - ngx_current_msec)
           <= 0)
    {
        return NGX_OK;
    }

    h = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_hold_t));
    if (h == NULL) {
        return NGX_ERROR;
    }

    if (ngx_array_init(&h->sockets, cycle->pool, 8,
                       sizeof(ngx_stream_dns_held_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ls = cycle->listening.elts;

    for (i = 0; i < cycle->listening.nelts; i++) {

        if (ls[i].connection != NULL
            && ngx_stream_dns_hold_wanted(&ls[i])
            && ngx_stream_dns_hold_add(h, ls[i].connection) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    h->ident = -1;
    h->timer.handler = ngx_stream_dns_hold_timer;
    h->timer.data = h;
    h->timer.log = cycle->log;
    h->timer.cancelable = 1;

    ngx_add_timer(&h->timer, NGX_STREAM_DNS_HOLD_LOOK);

    return NGX_OK;
}


/* 1 if a server behind the socket has zones from elsewhere */

static ngx_uint_t
ngx_stream_dns_hold_wanted(ngx_listening_t *ls)
{
    ngx_uint_t                  i;
    ngx_stream_conf_ctx_t      *ctx;
    ngx_stream_addr_conf_t     *conf;
    ngx_stream_dns_srv_conf_t  *dscf;

    if (ls->handler != ngx_stream_init_connection) {
        return 0;
    }

    for (i = 0; i < ngx_stream_dns_udp_naddrs(ls); i++) {

        ctx = ngx_stream_dns_udp_addr_ctx(ls, i, &conf);
        dscf = ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        if (dscf->enable && dscf->sources != NULL) {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_stream_dns_hold_add(ngx_stream_dns_hold_t *h, ngx_connection_t *c)
{
    ngx_event_t            *rev;
    ngx_stream_dns_held_t  *held;

    held = ngx_array_push(&h->sockets);
    if (held == NULL) {
        return NGX_ERROR;
    }

    rev = c->read;

    held->connection = c;
    held->handler = rev->handler;

    rev->handler = ngx_stream_dns_hold_event;

    return rev->active ? ngx_del_event(rev, NGX_READ_EVENT, 0) : NGX_OK;
}


/*
 * nginx puts all listening sockets into the events when the process gets the
 * accept mutex, or has descriptors again: out with this one.
 */

static void
ngx_stream_dns_hold_event(ngx_event_t *ev)
{
    ev->ready = 0;

    if (ev->active) {
        (void) ngx_del_event(ev, NGX_READ_EVENT, 0);
    }
}


static void
ngx_stream_dns_hold_timer(ngx_event_t *ev)
{
    ngx_stream_dns_hold_t  *h;

    if (ngx_exiting || ngx_quit || ngx_terminate) {
        return;
    }

    h = ev->data;

    if (ngx_stream_dns_regions_ready(ngx_stream_dns_worker)) {
        ngx_log_error(NGX_LOG_NOTICE, ev->log, 0, "dns data is ready");
        ngx_stream_dns_hold_end(h);
        return;
    }

    if ((ngx_msec_int_t) (ngx_stream_dns_hold_until - ngx_current_msec) <= 0) {
        ngx_log_error(NGX_LOG_WARN, ev->log, 0,
                      "dns data is not ready after %d seconds, "
                      "queries are answered without it",
                      NGX_STREAM_DNS_HOLD / 1000);
        ngx_stream_dns_hold_end(h);
        return;
    }

    ngx_add_timer(ev, NGX_STREAM_DNS_HOLD_LOOK);
}


static void
ngx_stream_dns_hold_end(ngx_stream_dns_hold_t *h)
{
    ngx_uint_t              i;
    ngx_stream_dns_held_t  *held;

    held = h->sockets.elts;

    for (i = 0; i < h->sockets.nelts; i++) {

        held[i].connection->read->handler = held[i].handler;

        (void) ngx_stream_dns_listen(held[i].connection);
    }
}


ngx_int_t
ngx_stream_dns_listen(ngx_connection_t *c)
{
    ngx_uint_t  flags;

    flags = 0;

    if (c->read->active) {
        return NGX_DECLINED;
    }

    if (!c->listening->reuseport) {

        /* with the mutex it is its owner's turn to listen */

        if (ngx_use_accept_mutex && !ngx_accept_mutex_held) {
            return NGX_DECLINED;
        }

#if (NGX_HAVE_EPOLLEXCLUSIVE)
        if (ngx_use_exclusive_accept) {
            flags = NGX_EXCLUSIVE_EVENT;
        }
#endif
    }

    return ngx_add_event(c->read, NGX_READ_EVENT, flags);
}
