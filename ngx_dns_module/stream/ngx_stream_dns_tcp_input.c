
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_tcp.h"


#define NGX_STREAM_DNS_TCP_KEEP_MIN  256        /* octets */


static ngx_int_t ngx_stream_dns_tcp_room(ngx_stream_dns_tcp_t *t);
static ngx_int_t ngx_stream_dns_tcp_copy(ngx_stream_dns_tcp_t *t,
    size_t size);


static ngx_stream_dns_tcp_scratch_t  ngx_stream_dns_tcp_shared;


ngx_stream_dns_tcp_scratch_t *
ngx_stream_dns_tcp_scratch(size_t unsent, ngx_log_t *log)
{
    u_char                        *p;
    size_t                         size;
    ngx_stream_dns_tcp_scratch_t  *sc;

    sc = &ngx_stream_dns_tcp_shared;

    if (sc->in == NULL) {
        size = NGX_STREAM_DNS_TCP_FRAME + NGX_STREAM_DNS_TCP_SPARE;

        sc->in = ngx_alloc(size, log);
        if (sc->in == NULL) {
            return NULL;
        }

        sc->in_end = sc->in + NGX_STREAM_DNS_TCP_FRAME;
    }

    size = unsent + NGX_STREAM_DNS_TCP_FRAME;

    if (sc->out_size < size) {
        p = ngx_alloc(size, log);
        if (p == NULL) {
            return NULL;
        }

        if (sc->out != NULL) {
            ngx_free(sc->out);
        }

        sc->out = p;
        sc->out_size = size;
    }

    return sc;
}


ngx_int_t
ngx_stream_dns_tcp_preread(ngx_stream_dns_tcp_t *t, u_char *data, size_t len)
{
    t->in.pos = data;
    t->in.last = data + len;

    ngx_stream_dns_tcp_begin(t);

    return ngx_stream_dns_tcp_copy(t, len);
}


ngx_int_t
ngx_stream_dns_tcp_recv(ngx_stream_dns_tcp_t *t)
{
    ssize_t            n;
    ngx_connection_t  *c;

    c = t->connection;

    if (ngx_stream_dns_tcp_room(t) != NGX_OK) {
        return NGX_ERROR;
    }

    n = c->recv(c, t->in.last, t->in.end - t->in.last);

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, c->log, 0, "dns tcp read: %z", n);

    if (n > 0) {
        t->in.last += n;
        t->session->received += n;
        return NGX_OK;
    }

    if (n == 0) {
        t->eof = 1;
        return NGX_DONE;
    }

    return (n == NGX_AGAIN) ? NGX_AGAIN : NGX_ERROR;
}


/*
 * Makes room to read.  A buffer of the connection's own grows with what has
 * come, and not with what the length promises, up to the end of the message.
 */

static ngx_int_t
ngx_stream_dns_tcp_room(ngx_stream_dns_tcp_t *t)
{
    size_t                     rest, size;
    ngx_stream_dns_tcp_buf_t  *in;

    in = &t->in;
    rest = in->last - in->pos;

    if (rest == 0) {
        ngx_stream_dns_tcp_release(in);
        ngx_stream_dns_tcp_begin(t);

        in->start = ngx_stream_dns_tcp_shared.in;
        in->pos = in->start;
        in->last = in->start;
        in->end = ngx_stream_dns_tcp_shared.in_end;

        return NGX_OK;
    }

    if (in->pos != in->start) {
        ngx_memmove(in->start, in->pos, rest);
        in->pos = in->start;
        in->last = in->start + rest;
    }

    if (in->last != in->end) {
        return NGX_OK;
    }

    /* only a part of a message is here, so that there is more to come */

    size = ngx_min(2 * rest, NGX_STREAM_DNS_TCP_FRAME);

    return ngx_stream_dns_tcp_copy(t, size);
}


/* Moves the rest into a new buffer of the connection's own. */

static ngx_int_t
ngx_stream_dns_tcp_copy(ngx_stream_dns_tcp_t *t, size_t size)
{
    u_char                    *p;
    size_t                     rest;
    ngx_stream_dns_tcp_buf_t  *in;

    in = &t->in;
    rest = in->last - in->pos;
    size = ngx_max(size, NGX_STREAM_DNS_TCP_KEEP_MIN);

    p = ngx_alloc(size + NGX_STREAM_DNS_TCP_SPARE, t->connection->log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, in->pos, rest);

    ngx_stream_dns_tcp_release(in);

    in->start = p;
    in->pos = p;
    in->last = p + rest;
    in->end = p + size;

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_tcp_next(ngx_stream_dns_tcp_t *t, ngx_str_t *message)
{
    size_t  rest, len;

    rest = t->in.last - t->in.pos;

    if (rest < NGX_STREAM_DNS_TCP_LENGTH) {
        return NGX_DECLINED;
    }

    len = t->in.pos[0] << 8 | t->in.pos[1];

    if (rest < NGX_STREAM_DNS_TCP_LENGTH + len) {
        return NGX_DECLINED;
    }

    message->len = len;
    message->data = t->in.pos + NGX_STREAM_DNS_TCP_LENGTH;

    t->in.pos = message->data + len;

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_tcp_keep(ngx_stream_dns_tcp_t *t)
{
    size_t  rest;

    rest = t->in.last - t->in.pos;

    if (rest == 0) {
        ngx_stream_dns_tcp_release(&t->in);
        return NGX_OK;
    }

    if (t->in.start != ngx_stream_dns_tcp_shared.in) {
        return NGX_OK;
    }

    return ngx_stream_dns_tcp_copy(t, rest);
}


void
ngx_stream_dns_tcp_begin(ngx_stream_dns_tcp_t *t)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    t->start_sec = tp->sec;
    t->start_msec = tp->msec;
}


void
ngx_stream_dns_tcp_release(ngx_stream_dns_tcp_buf_t *b)
{
    if (b->start != NULL && b->start != ngx_stream_dns_tcp_shared.in) {
        ngx_free(b->start);
    }

    b->start = NULL;
    b->pos = NULL;
    b->last = NULL;
    b->end = NULL;
}
