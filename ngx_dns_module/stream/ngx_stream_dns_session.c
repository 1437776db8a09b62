
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_message.h"
#include "ngx_stream_dns_session.h"


#define NGX_STREAM_DNS_NUMBERS    1024      /* taken from the counter at once */
#define NGX_STREAM_DNS_POOL_SIZE  (16 * 1024)


static ngx_int_t ngx_stream_dns_session_connect(ngx_cycle_t *cycle,
    ngx_stream_dns_session_t *ss, ngx_listening_t *ls);
static void ngx_stream_dns_session_local(ngx_stream_dns_session_t *ss,
    ngx_stream_dns_datagram_t *d);
static size_t ngx_stream_dns_session_text(u_char *text,
    ngx_stream_dns_datagram_t *d);
static ngx_atomic_uint_t ngx_stream_dns_session_number(void);
static void ngx_stream_dns_session_event(ngx_event_t *ev);
static u_char *ngx_stream_dns_session_log_error(ngx_log_t *log, u_char *buf,
    size_t len);


ngx_stream_dns_session_t *
ngx_stream_dns_session_create(ngx_cycle_t *cycle, ngx_listening_t *ls,
    ngx_uint_t addr)
{
    ngx_array_t                  *phases;
    ngx_stream_session_t         *s;
    ngx_stream_conf_ctx_t        *ctx;
    ngx_stream_addr_conf_t       *conf;
    ngx_stream_dns_session_t     *ss;
    ngx_stream_core_main_conf_t  *cmcf;

    ctx = ngx_stream_dns_udp_addr_ctx(ls, addr, &conf);

    ss = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_session_t));
    if (ss == NULL) {
        return NULL;
    }

    s = &ss->session;

    s->signature = NGX_STREAM_MODULE;
    s->connection = &ss->connection;
    s->main_conf = ctx->main_conf;
    s->srv_conf = ctx->srv_conf;
    s->log_handler = ngx_stream_dns_log_error;

#if (nginx_version >= 1025005)
    s->virtual_names = conf->virtual_names;
#endif

    cmcf = ngx_stream_get_module_main_conf(s, ngx_stream_core_module);

    s->ctx = ngx_pcalloc(cycle->pool, sizeof(void *) * ngx_stream_max_module);
    if (s->ctx == NULL) {
        return NULL;
    }

    ss->variables = cmcf->variables.nelts
                    * sizeof(ngx_stream_variable_value_t);

    s->variables = ngx_pcalloc(cycle->pool, ss->variables);
    if (s->variables == NULL) {
        return NULL;
    }

    phases = ngx_stream_dns_phases_create(cycle, ctx);
    if (phases == NULL) {
        return NULL;
    }

    ss->phases = phases->elts;
    ss->nphases = phases->nelts;
    ss->log_phase = ngx_stream_dns_phases_log(cycle, ctx);
    ss->ctx.transport = NGX_STREAM_DNS_UDP;

    if (ngx_stream_dns_session_connect(cycle, ss, ls) != NGX_OK) {
        return NULL;
    }

    return ss;
}


static ngx_int_t
ngx_stream_dns_session_connect(ngx_cycle_t *cycle,
    ngx_stream_dns_session_t *ss, ngx_listening_t *ls)
{
    ngx_connection_t            *c;
    ngx_stream_core_srv_conf_t  *cscf;

    c = &ss->connection;
    cscf = ngx_stream_get_module_srv_conf(&ss->session,
                                          ngx_stream_core_module);

    ss->log = ls->log;
    c->log = &ss->log;
    ngx_set_connection_log(c, cscf->error_log);

    ss->log.handler = ngx_stream_dns_session_log_error;
    ss->log.data = &ss->session;
    ss->log.action = "answering dns query";
    ss->log_level = ss->log.log_level;

    c->pool = ngx_create_pool(NGX_STREAM_DNS_POOL_SIZE, &ss->log);
    if (c->pool == NULL) {
        return NGX_ERROR;
    }

    c->data = &ss->session;
    c->read = &ss->read;
    c->write = &ss->write;
    c->fd = ls->fd;
    c->recv = ngx_udp_recv;
    c->send = ngx_udp_send;
    c->recv_chain = ngx_recv_chain;
    c->send_chain = ngx_udp_send_chain;
    c->listening = ls;
    c->type = SOCK_DGRAM;
    c->log_error = NGX_ERROR_INFO;
    c->shared = 1;
    c->buffer = &ss->buffer;

    ss->read.data = c;
    ss->read.handler = ngx_stream_dns_session_event;
    ss->read.log = &ss->log;

    ss->write.data = c;
    ss->write.handler = ngx_stream_dns_session_event;
    ss->write.log = &ss->log;
    ss->write.write = 1;
    ss->write.ready = 1;

    ss->buffer.temporary = 1;

    /* what differs from datagram to datagram is the address only */

    ngx_memcpy(&ss->local, ls->sockaddr, ls->socklen);
    c->local_sockaddr = &ss->local.sockaddr;
    c->local_socklen = ls->socklen;

    c->addr_text.data = ss->text;

    return NGX_OK;
}


void
ngx_stream_dns_session_begin(ngx_stream_dns_session_t *ss,
    ngx_stream_dns_datagram_t *d)
{
    ngx_time_t            *tp;
    ngx_connection_t      *c;
    ngx_stream_session_t  *s;

    c = &ss->connection;
    s = &ss->session;

    c->sockaddr = &d->sockaddr->sockaddr;
    c->socklen = d->socklen;
    c->addr_text.len = ngx_stream_dns_session_text(ss->text, d);
    c->number = ngx_stream_dns_session_number();
    c->start_time = ngx_current_msec;
    c->sent = 0;

    /* without one a variable may have replaced it by memory of the pool */

    c->local_sockaddr = &ss->local.sockaddr;
    c->local_socklen = c->listening->socklen;

    if (d->local != NULL) {
        ngx_stream_dns_session_local(ss, d);
    }

    ss->buffer.start = d->packet;
    ss->buffer.pos = d->packet;
    ss->buffer.last = d->packet + d->len;
    ss->buffer.end = ss->buffer.last;

    tp = ngx_timeofday();

    ss->log.connection = c->number;
    ss->log.log_level = ss->log_level;

    /* one line in a second: datagrams must not be a way to fill disks */

    if (ss->told == tp->sec
        && ss->log_level >= NGX_LOG_ERR && ss->log_level <= NGX_LOG_INFO)
    {
        ss->log.log_level = NGX_LOG_CRIT;
    }

    s->received = d->len;
    s->start_sec = tp->sec;
    s->start_msec = tp->msec;
    s->status = 0;
    s->phase_handler = 0;
    s->upstream = NULL;
    s->upstream_states = NULL;
    s->limit_conn_status = 0;

#if (NGX_PCRE)
    s->ncaptures = 0;
    s->captures = NULL;
    s->captures_data = NULL;
#endif

    ngx_memzero(s->variables, ss->variables);
    ngx_memzero(s->ctx, sizeof(void *) * ngx_stream_max_module);

    ngx_stream_dns_ctx_begin(&ss->ctx, &d->query);
    ngx_stream_set_ctx(s, &ss->ctx, ngx_stream_dns_module);

    ngx_log_debug2(NGX_LOG_DEBUG_STREAM, c->log, 0,
                   "dns datagram from %V, %uz octets", &c->addr_text, d->len);
}


static void
ngx_stream_dns_session_local(ngx_stream_dns_session_t *ss,
    ngx_stream_dns_datagram_t *d)
{
    switch (ss->local.sockaddr.sa_family) {

#if (NGX_HAVE_INET6)
    case AF_INET6:
        ngx_memcpy(&ss->local.sockaddr_in6.sin6_addr, d->local,
                   sizeof(struct in6_addr));
        break;
#endif

    default: /* AF_INET */
        ngx_memcpy(&ss->local.sockaddr_in.sin_addr, d->local,
                   sizeof(struct in_addr));
        break;
    }
}


static size_t
ngx_stream_dns_session_text(u_char *text, ngx_stream_dns_datagram_t *d)
{
    u_char      *p, *addr;
    ngx_uint_t   i, n;

    if (d->sockaddr->sockaddr.sa_family != AF_INET) {
        return ngx_sock_ntop(&d->sockaddr->sockaddr, d->socklen, text,
                             NGX_SOCKADDR_STRLEN, 0);
    }

    /* ngx_sprintf() takes longer than all the rest of the session */

    addr = (u_char *) &d->sockaddr->sockaddr_in.sin_addr;
    p = text;

    for (i = 0; i < 4; i++) {
        n = addr[i];

        if (n >= 100) {
            *p++ = (u_char) ('0' + n / 100);
        }

        if (n >= 10) {
            *p++ = (u_char) ('0' + n / 10 % 10);
        }

        *p++ = (u_char) ('0' + n % 10);
        *p++ = '.';
    }

    return p - 1 - text;
}


/* the counter of all processes is one cache line: take many at a time */

static ngx_atomic_uint_t
ngx_stream_dns_session_number(void)
{
    static ngx_atomic_uint_t  next, last;

    if (next == last) {
        next = ngx_atomic_fetch_add(ngx_connection_counter,
                                    NGX_STREAM_DNS_NUMBERS);
        last = next + NGX_STREAM_DNS_NUMBERS;
    }

    return next++;
}


ngx_int_t
ngx_stream_dns_session_phases(ngx_stream_dns_session_t *ss)
{
    ngx_int_t               rc;
    ngx_stream_session_t   *s;
    ngx_stream_dns_phase_t *ph;

    s = &ss->session;

    while ((ngx_uint_t) s->phase_handler < ss->nphases) {

        ph = &ss->phases[s->phase_handler];

        rc = ph->handler(s);

        if (rc == NGX_DECLINED) {
            s->phase_handler++;
            continue;
        }

        if (rc == NGX_OK) {
            s->phase_handler = ph->next;
            continue;
        }

        /* NGX_AGAIN and NGX_DONE: no handler that waits should be here */

        s->status = (rc >= NGX_STREAM_BAD_REQUEST)
                    ? (ngx_uint_t) rc : NGX_STREAM_INTERNAL_SERVER_ERROR;

        return NGX_DECLINED;
    }

    return NGX_OK;
}


void
ngx_stream_dns_session_end(ngx_stream_dns_session_t *ss, size_t size)
{
    ngx_stream_session_t  *s;

    s = &ss->session;

    s->connection->sent = size;

    if (s->status == 0) {
        s->status = (size != 0) ? NGX_STREAM_OK : NGX_STREAM_BAD_REQUEST;
    }

    if (ss->log_phase) {
        ngx_stream_dns_log(s);
    }

    ngx_stream_dns_reset_pool(s->connection->pool);
    ngx_stream_dns_ctx_clear(&ss->ctx);
}


static void
ngx_stream_dns_session_event(ngx_event_t *ev)
{
    ngx_log_debug0(NGX_LOG_DEBUG_STREAM, ev->log, 0,
                   "dns session event: nothing to do");
}


/* what nginx's own sessions add to a message */

static u_char *
ngx_stream_dns_session_log_error(ngx_log_t *log, u_char *buf, size_t len)
{
    u_char                    *p;
    ngx_stream_session_t      *s;
    ngx_stream_dns_session_t  *ss;

    /* the session comes first */

    s = log->data;
    ss = (ngx_stream_dns_session_t *) s;
    ss->told = ngx_time();

    p = buf;

    if (log->action != NULL) {
        p = ngx_snprintf(buf, len, " while %s", log->action);
        len -= p - buf;
        buf = p;
    }

    p = ngx_snprintf(buf, len, ", udp client: %V, server: %V",
                     &s->connection->addr_text,
                     &s->connection->listening->addr_text);
    len -= p - buf;

    return (s->log_handler != NULL) ? s->log_handler(log, p, len) : p;
}
