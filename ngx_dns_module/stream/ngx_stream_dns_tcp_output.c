
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_tcp.h"


static ssize_t ngx_stream_dns_tcp_write(ngx_connection_t *c, u_char *data,
    size_t len);


ngx_int_t
ngx_stream_dns_tcp_send(ngx_stream_dns_tcp_t *t, u_char *data, size_t len)
{
    ssize_t                    n;
    ngx_connection_t          *c;
    ngx_stream_dns_tcp_buf_t  *out;

    c = t->connection;

    n = ngx_stream_dns_tcp_write(c, data, len);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    data += n;
    len -= n;

    if (len == 0) {
        return NGX_OK;
    }

    out = &t->out;

    out->start = ngx_alloc(len, c->log);
    if (out->start == NULL) {
        return NGX_ERROR;
    }

    out->pos = out->start;
    out->last = ngx_cpymem(out->start, data, len);
    out->end = out->last;

    return NGX_AGAIN;
}


ngx_int_t
ngx_stream_dns_tcp_flush(ngx_stream_dns_tcp_t *t)
{
    ssize_t                    n;
    ngx_stream_dns_tcp_buf_t  *out;

    out = &t->out;

    n = ngx_stream_dns_tcp_write(t->connection, out->pos,
                                 out->last - out->pos);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    out->pos += n;

    if (out->pos != out->last) {
        return NGX_AGAIN;
    }

    ngx_stream_dns_tcp_release(out);

    return NGX_OK;
}


/* Returns the octets that were taken, or NGX_ERROR. */

static ssize_t
ngx_stream_dns_tcp_write(ngx_connection_t *c, u_char *data, size_t len)
{
    size_t   sent;
    ssize_t  n;

    for (sent = 0; sent < len; sent += n) {

        n = c->send(c, data + sent, len - sent);

        ngx_log_debug2(NGX_LOG_DEBUG_STREAM, c->log, 0,
                       "dns tcp sent: %z of %uz", n, len - sent);

        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (n == NGX_AGAIN || n == 0) {
            break;
        }
    }

    return sent;
}
