
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include "ngx_stream_dns_redis_link.h"


#define NGX_STREAM_DNS_REDIS_READS  8               /* at a time */
#define NGX_STREAM_DNS_REDIS_KEEP   (256 * 1024)    /* of the output buffer */
#define NGX_STREAM_DNS_REDIS_PUSH   (32 * 1024)     /* octets gathered */


static void ngx_stream_dns_redis_read_handler(ngx_event_t *rev);
static void ngx_stream_dns_redis_write_handler(ngx_event_t *wev);
static void ngx_stream_dns_redis_test(ngx_stream_dns_redis_t *r);
static ngx_int_t ngx_stream_dns_redis_recv(ngx_stream_dns_redis_t *r);


/*
 * Connects to r->addrs[r->addr].  NGX_OK; NGX_AGAIN: an event will say;
 * NGX_ERROR: see errno.
 */

ngx_int_t
ngx_stream_dns_redis_open(ngx_stream_dns_redis_t *r)
{
    ngx_int_t               rc;
    ngx_connection_t       *c;
    ngx_peer_connection_t  *pc;

    pc = &r->peer;

    ngx_memzero(pc, sizeof(ngx_peer_connection_t));

    pc->sockaddr = &r->addrs[r->addr].sockaddr.sockaddr;
    pc->socklen = r->addrs[r->addr].socklen;
    pc->name = &r->src->address;
    pc->get = ngx_event_get_peer;
    pc->log = &r->log;
    pc->log_error = NGX_ERROR_ERR;

    ngx_set_socket_errno(0);

    rc = ngx_event_connect_peer(pc);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        return NGX_ERROR;
    }

    c = pc->connection;

    c->data = r;
    c->read->handler = ngx_stream_dns_redis_read_handler;
    c->write->handler = ngx_stream_dns_redis_write_handler;

    r->c = c;

    /* commands are gathered here, the kernel need not */

    if (pc->sockaddr->sa_family != AF_UNIX) {
        (void) ngx_tcp_nodelay(c);
    }

    return rc;
}


static void
ngx_stream_dns_redis_read_handler(ngx_event_t *rev)
{
    ngx_connection_t        *c;
    ngx_stream_dns_redis_t  *r;

    c = rev->data;
    r = c->data;

    if (r->state == NGX_STREAM_DNS_REDIS_CONNECT) {
        ngx_stream_dns_redis_test(r);
        return;
    }

    if (!r->more.posted) {
        ngx_stream_dns_redis_input(r);
    }
}


static void
ngx_stream_dns_redis_write_handler(ngx_event_t *wev)
{
    ngx_connection_t        *c;
    ngx_stream_dns_redis_t  *r;

    c = wev->data;
    r = c->data;

    if (r->state == NGX_STREAM_DNS_REDIS_CONNECT) {
        ngx_stream_dns_redis_test(r);
        return;
    }

    ngx_stream_dns_redis_flush(&r->flush);
}


/* How connect() ended. */

static void
ngx_stream_dns_redis_test(ngx_stream_dns_redis_t *r)
{
    int        err;
    socklen_t  len;

    err = 0;
    len = sizeof(int);

    if (getsockopt(r->c->fd, SOL_SOCKET, SO_ERROR, (void *) &err, &len)
        == -1)
    {
        err = ngx_socket_errno;
    }

    if (err) {
        ngx_stream_dns_redis_cut(r, err, "connect()");
        return;
    }

    ngx_stream_dns_redis_connected(r);
}


void
ngx_stream_dns_redis_more(ngx_event_t *ev)
{
    ngx_stream_dns_redis_input(ev->data);
}


/* Reads and hands out replies, for as long as a slice may last. */

void
ngx_stream_dns_redis_input(ngx_stream_dns_redis_t *r)
{
    ngx_int_t         rc;
    ngx_uint_t        reads, serial;
    ngx_dns_datum_t  *reply;

    reads = 0;
    serial = r->serial;

    ngx_stream_dns_redis_enter(r);
    ngx_stream_dns_slice_begin();

    for ( ;; ) {

        rc = ngx_dns_reply_next(r->reader, &reply);

        if (rc == NGX_OK) {
            ngx_stream_dns_redis_reply(r, reply);

            if (r->serial != serial) {
                break;
            }

            if (ngx_stream_dns_slice_left()) {
                continue;
            }

            ngx_post_event(&r->more, &ngx_posted_next_events);
            break;
        }

        if (rc == NGX_ERROR) {
            ngx_stream_dns_redis_cut(r, 0, "protocol error: %s",
                                     ngx_dns_reply_error(r->reader));
            break;
        }

        if (reads++ == NGX_STREAM_DNS_REDIS_READS) {
            ngx_post_event(&r->more, &ngx_posted_next_events);
            break;
        }

        if (ngx_stream_dns_redis_recv(r) != NGX_OK) {
            break;
        }
    }

    ngx_stream_dns_redis_leave(r);
}


/* NGX_OK: the reader has been fed; NGX_DECLINED: it has not. */

static ngx_int_t
ngx_stream_dns_redis_recv(ngx_stream_dns_redis_t *r)
{
    ssize_t            n;
    ngx_connection_t  *c;

    c = r->c;
    n = NGX_AGAIN;

    if (c->read->ready) {
        n = c->recv(c, r->in, NGX_STREAM_DNS_REDIS_BUFFER);
    }

    if (n > 0) {
        r->heard = ngx_current_msec;
        ngx_dns_reply_feed(r->reader, r->in, n);
        return NGX_OK;
    }

    if (n == 0) {
        ngx_stream_dns_redis_cut(r, 0, "closed by the server");
        return NGX_DECLINED;
    }

    if (n == NGX_ERROR) {
        ngx_stream_dns_redis_cut(r, ngx_socket_errno, "recv()");
        return NGX_DECLINED;
    }

    if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
        ngx_stream_dns_redis_cut(r, 0, "no events");
    }

    return NGX_DECLINED;
}


/*
 * Octets for the server: they go out at the end of this turn of the loop, or
 * when there are many.
 */

ngx_int_t
ngx_stream_dns_redis_write(ngx_stream_dns_redis_t *r, u_char *data,
    size_t len)
{
    u_char  *out;
    size_t   size, used;

    if (r->out_size - r->out_last < len) {

        used = r->out_last - r->out_pos;

        for (size = ngx_max(r->out_size, 4096); size < used + len; size *= 2) {
            /* void */
        }

        out = ngx_alloc(size, r->src->log);
        if (out == NULL) {
            return NGX_ERROR;
        }

        if (r->out) {
            ngx_memcpy(out, r->out + r->out_pos, used);
            ngx_free(r->out);
        }

        r->out = out;
        r->out_size = size;
        r->out_pos = 0;
        r->out_last = used;
    }

    ngx_memcpy(r->out + r->out_last, data, len);
    r->out_last += len;

    if (r->out_last - r->out_pos >= NGX_STREAM_DNS_REDIS_PUSH) {
        ngx_stream_dns_redis_push(r);
    }

    ngx_post_event(&r->flush, &ngx_posted_events);

    return NGX_OK;
}


/* an error is left to the flush that is posted: callers are not cut short */

void
ngx_stream_dns_redis_push(ngx_stream_dns_redis_t *r)
{
    ssize_t            n;
    ngx_connection_t  *c;

    c = r->c;

    if (c == NULL || !c->write->ready || r->out_pos == r->out_last) {
        return;
    }

    n = c->send(c, r->out + r->out_pos, r->out_last - r->out_pos);

    if (n > 0) {
        r->out_pos += n;
    }

    if (r->out_pos == r->out_last) {
        r->out_pos = 0;
        r->out_last = 0;
    }
}


void
ngx_stream_dns_redis_flush(ngx_event_t *ev)
{
    ssize_t                  n;
    ngx_connection_t        *c;
    ngx_stream_dns_redis_t  *r;

    r = ev->data;
    c = r->c;

    while (r->out_pos < r->out_last && c->write->ready) {

        n = c->send(c, r->out + r->out_pos, r->out_last - r->out_pos);

        if (n == NGX_ERROR) {
            ngx_stream_dns_redis_cut(r, ngx_socket_errno, "send()");
            return;
        }

        if (n == NGX_AGAIN) {
            break;
        }

        r->out_pos += n;
    }

    if (r->out_pos == r->out_last) {
        r->out_pos = 0;
        r->out_last = 0;

        if (r->out_size > NGX_STREAM_DNS_REDIS_KEEP) {
            ngx_free(r->out);
            r->out = NULL;
            r->out_size = 0;
        }
    }

    if (ngx_handle_write_event(c->write, 0) != NGX_OK) {
        ngx_stream_dns_redis_cut(r, 0, "no events");
    }
}

#endif
