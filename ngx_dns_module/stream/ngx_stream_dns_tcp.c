
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_phases.h"
#include "ngx_stream_dns_tcp.h"


#define NGX_STREAM_DNS_TCP_READS   8        /* of one event */
#define NGX_STREAM_DNS_TCP_HEADER  12       /* octets of the shortest message */
#define NGX_STREAM_DNS_TCP_LINGER_TIMEOUT  2000     /* milliseconds */


static ngx_stream_dns_tcp_t *ngx_stream_dns_tcp_create(
    ngx_stream_session_t *s);
static void ngx_stream_dns_tcp_transport(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_read_handler(ngx_event_t *rev);
static void ngx_stream_dns_tcp_write_handler(ngx_event_t *wev);
static void ngx_stream_dns_tcp_work(ngx_stream_dns_tcp_t *t);
static ngx_int_t ngx_stream_dns_tcp_batch(ngx_stream_dns_tcp_t *t,
    ngx_uint_t *more);
static ngx_int_t ngx_stream_dns_tcp_answer(ngx_stream_dns_tcp_t *t,
    ngx_int_t *n, u_char **out, u_char *limit);
static void ngx_stream_dns_tcp_wait_input(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_wait_output(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_finish(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_linger(ngx_stream_dns_tcp_t *t);
static ngx_uint_t ngx_stream_dns_tcp_overdue(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_timer(ngx_event_t *ev, ngx_msec_t timer);
static void ngx_stream_dns_tcp_events(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_timedout(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_abandon(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_error(ngx_stream_dns_tcp_t *t);
static void ngx_stream_dns_tcp_close(ngx_stream_dns_tcp_t *t, ngx_uint_t rc);


void
ngx_stream_dns_tcp_handler(ngx_stream_session_t *s)
{
    ngx_connection_t      *c;
    ngx_stream_dns_tcp_t  *t;

    c = s->connection;

    t = ngx_stream_dns_tcp_create(s);
    if (t == NULL) {
        ngx_stream_finalize_session(s, NGX_STREAM_INTERNAL_SERVER_ERROR);
        return;
    }

    ngx_stream_dns_count(ngx_stream_dns_worker, NGX_STREAM_DNS_TCP_ACCEPTED);
    ngx_stream_dns_count(ngx_stream_dns_worker, NGX_STREAM_DNS_TCP_ACTIVE);

    c->read->handler = ngx_stream_dns_tcp_read_handler;
    c->write->handler = ngx_stream_dns_tcp_write_handler;

    if (c->buffer != NULL && c->buffer->pos != c->buffer->last) {

        if (ngx_stream_dns_tcp_preread(t, c->buffer->pos,
                                       c->buffer->last - c->buffer->pos)
            != NGX_OK)
        {
            ngx_stream_dns_tcp_close(t, NGX_STREAM_INTERNAL_SERVER_ERROR);
            return;
        }

        c->buffer->pos = c->buffer->last;
    }

    ngx_stream_dns_tcp_work(t);
}


static ngx_stream_dns_tcp_t *
ngx_stream_dns_tcp_create(ngx_stream_session_t *s)
{
    ngx_connection_t       *c;
    ngx_stream_conf_ctx_t   ctx;
    ngx_stream_dns_tcp_t   *t;

    c = s->connection;

    t = ngx_pcalloc(c->pool, sizeof(ngx_stream_dns_tcp_t));
    if (t == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     t->in, t->out = nothing;
     *     t->wait = NGX_STREAM_DNS_TCP_NOTHING;
     *     t->exit_msec = 0;
     *     t->eof, t->last, t->logged = 0;
     */

    t->session = s;
    t->connection = c;
    t->conf = ngx_stream_get_module_srv_conf(s, ngx_stream_dns_module);

    t->ctx = ngx_stream_dns_get_ctx(s);
    if (t->ctx == NULL) {
        return NULL;
    }

    t->ctx->tcp = t;

    if (ngx_stream_dns_tcp_scratch(t->conf->tcp_max_unsent, c->log) == NULL) {
        return NULL;
    }

    ngx_memzero(&ctx, sizeof(ngx_stream_conf_ctx_t));

    ctx.main_conf = s->main_conf;
    ctx.srv_conf = s->srv_conf;

    t->log = ngx_stream_dns_phases_log((ngx_cycle_t *) ngx_cycle, &ctx);

    ngx_stream_dns_tcp_transport(t);

    return t;
}


static void
ngx_stream_dns_tcp_transport(ngx_stream_dns_tcp_t *t)
{
#if (NGX_STREAM_SSL)
    ngx_connection_t  *c;
#endif

    t->transport = t->conf->udp;
    t->transport.tcp = 1;
    t->transport.keepalive = (uint16_t) ngx_min(t->conf->tcp_idle_timeout
                                                / 100, 65535);
    t->transport.pad = 0;

#if (NGX_STREAM_SSL)

    c = t->connection;

    if (c->ssl != NULL) {
        t->transport.pad = NGX_STREAM_DNS_TLS_PAD;

        /* what could not be sent is tried again from a copy */

        SSL_set_mode(c->ssl->connection,
                     SSL_MODE_ENABLE_PARTIAL_WRITE
                     |SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);

        /* a client that does not say goodbye must not hold the connection */

        c->ssl->no_wait_shutdown = 1;
    }

#endif
}


static void
ngx_stream_dns_tcp_read_handler(ngx_event_t *rev)
{
    ngx_connection_t      *c;
    ngx_stream_session_t  *s;
    ngx_stream_dns_ctx_t  *ctx;
    ngx_stream_dns_tcp_t  *t;

    c = rev->data;
    s = c->data;
    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);
    t = ctx->tcp;

    if (rev->timedout) {
        ngx_stream_dns_tcp_timedout(t);
        return;
    }

    if (c->close) {

        if (!ngx_exiting || c->error || t->wait != NGX_STREAM_DNS_TCP_IDLE) {

            /* connections have run out, or the time to end has */

            ngx_stream_dns_tcp_abandon(t);
            return;
        }

        /* what has come already is answered */

        c->close = 0;
        rev->ready = 1;
    }

    switch (t->wait) {

    case NGX_STREAM_DNS_TCP_DRAIN:
        ngx_stream_dns_tcp_events(t);
        break;

    case NGX_STREAM_DNS_TCP_LINGER:
        ngx_stream_dns_tcp_linger(t);
        break;

    default:
        ngx_stream_dns_tcp_work(t);
    }
}


static void
ngx_stream_dns_tcp_write_handler(ngx_event_t *wev)
{
    ngx_connection_t      *c;
    ngx_stream_session_t  *s;
    ngx_stream_dns_ctx_t  *ctx;
    ngx_stream_dns_tcp_t  *t;

    c = wev->data;
    s = c->data;
    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);
    t = ctx->tcp;

    if (wev->timedout) {
        ngx_stream_dns_tcp_timedout(t);
        return;
    }

    if (t->wait != NGX_STREAM_DNS_TCP_DRAIN) {
        ngx_stream_dns_tcp_events(t);
        return;
    }

    switch (ngx_stream_dns_tcp_flush(t)) {

    case NGX_OK:
        ngx_del_timer(wev);
        t->wait = NGX_STREAM_DNS_TCP_NOTHING;
        ngx_stream_dns_tcp_work(t);
        break;

    case NGX_AGAIN:
        ngx_stream_dns_tcp_events(t);
        break;

    default: /* NGX_ERROR */
        ngx_stream_dns_tcp_error(t);
    }
}


/*
 * One turn: a bounded number of messages is answered and the replies are
 * sent together.  What is left after that waits for the next turn, behind
 * all other connections.
 */

static void
ngx_stream_dns_tcp_work(ngx_stream_dns_tcp_t *t)
{
    ngx_int_t          rc;
    ngx_uint_t         more;
    ngx_connection_t  *c;

    c = t->connection;
    more = 0;

    rc = ngx_stream_dns_tcp_batch(t, &more);

    if (rc == NGX_ERROR || ngx_stream_dns_tcp_keep(t) != NGX_OK) {
        ngx_stream_dns_tcp_error(t);
        return;
    }

    if (rc == NGX_AGAIN) {
        ngx_stream_dns_tcp_wait_output(t);
        return;
    }

    if (ngx_exiting && ngx_stream_dns_tcp_overdue(t)) {
        t->last = 1;
    }

    if (t->last || (t->eof && !more)) {
        ngx_stream_dns_tcp_finish(t);
        return;
    }

    if (more) {
        ngx_post_event(c->read, &ngx_posted_next_events);

    } else if (ngx_exiting && t->in.pos == NULL) {
        ngx_stream_dns_tcp_finish(t);
        return;
    }

    ngx_stream_dns_tcp_wait_input(t);
}


/*
 * more  set to 1 if there may be whole messages left
 *
 * NGX_OK     all replies are sent
 * NGX_AGAIN  some are kept
 * NGX_ERROR  the connection is broken, or no memory
 */

static ngx_int_t
ngx_stream_dns_tcp_batch(ngx_stream_dns_tcp_t *t, ngx_uint_t *more)
{
    u_char                        *last, *limit;
    ngx_int_t                      rc, n;
    ngx_uint_t                     reads;
    ngx_connection_t              *c;
    ngx_stream_dns_tcp_scratch_t  *sc;

    c = t->connection;

    sc = ngx_stream_dns_tcp_scratch(t->conf->tcp_max_unsent, c->log);
    if (sc == NULL) {
        return NGX_ERROR;
    }

    last = sc->out;
    limit = sc->out + t->conf->tcp_max_unsent;
    n = 0;

    for (reads = 0; /* void */; reads++) {

        rc = ngx_stream_dns_tcp_answer(t, &n, &last, limit);

        if (rc == NGX_AGAIN) {
            *more = 1;
            break;
        }

        if (t->last || t->eof || !c->read->ready) {
            break;
        }

        if (reads == NGX_STREAM_DNS_TCP_READS) {
            *more = 1;
            break;
        }

        rc = ngx_stream_dns_tcp_recv(t);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_AGAIN || rc == NGX_DONE) {
            break;
        }
    }

    if (last == sc->out) {
        return NGX_OK;
    }

    return ngx_stream_dns_tcp_send(t, sc->out, last - sc->out);
}


/*
 * Answers the whole messages that are here.
 *
 * NGX_OK     done
 * NGX_AGAIN  the turn is over
 */

static ngx_int_t
ngx_stream_dns_tcp_answer(ngx_stream_dns_tcp_t *t, ngx_int_t *n,
    u_char **out, u_char *limit)
{
    ngx_str_t  message;

    while (!t->last) {

        if (*n == t->conf->tcp_max_queries || (*n != 0 && *out >= limit)) {
            return NGX_AGAIN;
        }

        if (ngx_stream_dns_tcp_next(t, &message) != NGX_OK) {
            break;
        }

        *out += ngx_stream_dns_tcp_message(t, &message, *out);
        (*n)++;

        if (message.len < NGX_STREAM_DNS_TCP_HEADER) {

            /* who knows where the next one begins */

            ngx_log_error(NGX_LOG_INFO, t->connection->log, 0,
                          "client sent dns message of %uz octets",
                          message.len);

            ngx_stream_dns_count(ngx_stream_dns_worker,
                                 NGX_STREAM_DNS_TCP_ERROR);
            t->in.pos = t->in.last;
            t->last = 1;
        }

        t->wait = NGX_STREAM_DNS_TCP_NOTHING;
        ngx_stream_dns_tcp_begin(t);
    }

    return NGX_OK;
}


/*
 * A deadline is set once for each message, and the idle time once after the
 * last one.  Whoever has got something done goes to the far end of the list
 * of those who have to leave when connections run out.
 */

static void
ngx_stream_dns_tcp_wait_input(ngx_stream_dns_tcp_t *t)
{
    ngx_uint_t         wait;
    ngx_connection_t  *c;

    c = t->connection;

    wait = (t->in.pos == NULL) ? NGX_STREAM_DNS_TCP_IDLE
                               : NGX_STREAM_DNS_TCP_MESSAGE_END;

    if (t->wait == NGX_STREAM_DNS_TCP_NOTHING) {
        ngx_reusable_connection(c, 1);
    }

    if (t->wait != wait) {
        t->wait = wait;

        if (wait == NGX_STREAM_DNS_TCP_IDLE) {
            c->idle = 1;
            c->log->action = "waiting for dns query";
            ngx_stream_dns_tcp_timer(c->read, t->conf->tcp_idle_timeout);

        } else {
            c->idle = 0;
            c->log->action = "reading dns query";
            ngx_stream_dns_tcp_timer(c->read, t->conf->tcp_timeout);
        }
    }

    ngx_stream_dns_tcp_events(t);
}


static void
ngx_stream_dns_tcp_wait_output(ngx_stream_dns_tcp_t *t)
{
    ngx_connection_t  *c;

    c = t->connection;

    t->wait = NGX_STREAM_DNS_TCP_DRAIN;

    c->idle = 0;
    c->log->action = "sending dns reply";

    if (c->read->timer_set) {
        ngx_del_timer(c->read);
    }

    ngx_reusable_connection(c, 1);
    ngx_stream_dns_tcp_timer(c->write, t->conf->tcp_send_timeout);

    ngx_stream_dns_tcp_events(t);
}


/*
 * Everything is sent.  If the client may still be sending, a close would
 * reset the connection, and the replies on their way with it.
 */

static void
ngx_stream_dns_tcp_finish(ngx_stream_dns_tcp_t *t)
{
    ngx_connection_t  *c;

    c = t->connection;

    if (t->eof || !t->last) {
        ngx_stream_dns_tcp_close(t, NGX_STREAM_OK);
        return;
    }

#if (NGX_STREAM_SSL)

    if (c->ssl != NULL) {
        ngx_stream_dns_tcp_close(t, NGX_STREAM_OK);
        return;
    }

#endif

    if (ngx_shutdown_socket(c->fd, NGX_WRITE_SHUTDOWN) == -1) {
        ngx_stream_dns_tcp_error(t);
        return;
    }

    ngx_stream_dns_tcp_release(&t->in);

    t->wait = NGX_STREAM_DNS_TCP_LINGER;

    c->idle = 1;
    c->log->action = "closing dns connection";

    ngx_reusable_connection(c, 1);
    ngx_stream_dns_tcp_timer(c->read, NGX_STREAM_DNS_TCP_LINGER_TIMEOUT);

    ngx_stream_dns_tcp_linger(t);
}


static void
ngx_stream_dns_tcp_linger(ngx_stream_dns_tcp_t *t)
{
    ngx_int_t    rc;
    ngx_uint_t   reads;

    for (reads = 0; reads < NGX_STREAM_DNS_TCP_READS; reads++) {

        rc = ngx_stream_dns_tcp_recv(t);

        ngx_stream_dns_tcp_release(&t->in);

        if (rc == NGX_AGAIN) {
            ngx_stream_dns_tcp_events(t);
            return;
        }

        if (rc != NGX_OK) {
            ngx_stream_dns_tcp_close(t, NGX_STREAM_OK);
            return;
        }
    }

    ngx_post_event(t->connection->read, &ngx_posted_next_events);

    ngx_stream_dns_tcp_events(t);
}


/* A worker that has to end does not wait for a client that never stops. */

static ngx_uint_t
ngx_stream_dns_tcp_overdue(ngx_stream_dns_tcp_t *t)
{
    if (t->exit_msec == 0) {
        t->exit_msec = ngx_current_msec + t->conf->tcp_timeout;
        return 0;
    }

    return (ngx_msec_int_t) (ngx_current_msec - t->exit_msec) >= 0;
}


/* ngx_add_timer() alone would leave a timer that differs by little */

static void
ngx_stream_dns_tcp_timer(ngx_event_t *ev, ngx_msec_t timer)
{
    if (ev->timer_set) {
        ngx_del_timer(ev);
    }

    ngx_add_timer(ev, timer);
}


static void
ngx_stream_dns_tcp_events(ngx_stream_dns_tcp_t *t)
{
    ngx_connection_t  *c;

    c = t->connection;

    if (ngx_handle_read_event(c->read, 0) != NGX_OK
        || ngx_handle_write_event(c->write, 0) != NGX_OK)
    {
        ngx_stream_dns_tcp_close(t, NGX_STREAM_INTERNAL_SERVER_ERROR);
    }
}


static void
ngx_stream_dns_tcp_timedout(ngx_stream_dns_tcp_t *t)
{
    ngx_connection_t  *c;

    c = t->connection;

    switch (t->wait) {

    case NGX_STREAM_DNS_TCP_IDLE:
        ngx_stream_dns_count(ngx_stream_dns_worker,
                             NGX_STREAM_DNS_TCP_IDLE_CLOSED);
        break;

    case NGX_STREAM_DNS_TCP_LINGER:
        break;

    default:
        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT,
                      "client timed out");

        ngx_stream_dns_count(ngx_stream_dns_worker,
                             NGX_STREAM_DNS_TCP_TIMEOUT);
    }

    ngx_stream_dns_tcp_abandon(t);
}


/*
 * Closes without waiting for anything.  Replies that the client does not
 * read would stay in the kernel for minutes: there a reset throws them away.
 */

static void
ngx_stream_dns_tcp_abandon(ngx_stream_dns_tcp_t *t)
{
    struct linger      linger;
    ngx_connection_t  *c;

    c = t->connection;

    /* an idle one can be told over TLS that this is the end */

    c->timedout = (t->wait != NGX_STREAM_DNS_TCP_IDLE);

    if (t->wait == NGX_STREAM_DNS_TCP_DRAIN) {

        linger.l_onoff = 1;
        linger.l_linger = 0;

        if (setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger,
                       sizeof(struct linger))
            == -1)
        {
            ngx_log_error(NGX_LOG_ALERT, c->log, ngx_socket_errno,
                          "setsockopt(SO_LINGER) failed");
        }
    }

    ngx_stream_dns_tcp_close(t, NGX_STREAM_OK);
}


static void
ngx_stream_dns_tcp_error(ngx_stream_dns_tcp_t *t)
{
    ngx_stream_dns_count(ngx_stream_dns_worker, NGX_STREAM_DNS_TCP_ERROR);

    t->connection->error = 1;

    ngx_stream_dns_tcp_close(t, NGX_STREAM_OK);
}


/* After this there is no session. */

static void
ngx_stream_dns_tcp_close(ngx_stream_dns_tcp_t *t, ngx_uint_t rc)
{
    ngx_connection_t  *c;

    c = t->connection;

    ngx_reusable_connection(c, 0);
    c->idle = 0;

    ngx_stream_dns_tcp_release(&t->in);
    ngx_stream_dns_tcp_release(&t->out);

    ngx_stream_dns_worker->counters->n[NGX_STREAM_DNS_TCP_ACTIVE]--;

    if (t->logged) {
        ngx_stream_dns_tcp_silence(t->session);
    }

    ngx_stream_finalize_session(t->session, rc);
}
