
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_message.h"
#include "ngx_stream_dns_tcp.h"


#define NGX_STREAM_DNS_TCP_LOG_CONF  256        /* octets; it has less */


static void ngx_stream_dns_tcp_log(ngx_stream_dns_tcp_t *t, size_t received,
    size_t sent);


extern ngx_module_t  ngx_stream_log_module;


size_t
ngx_stream_dns_tcp_message(ngx_stream_dns_tcp_t *t, ngx_str_t *message,
    u_char *out)
{
    size_t             n;
    ngx_connection_t  *c;

    c = t->connection;

    /* a server that wants to close says so, RFC 7828, 3.3.2 */

    if (ngx_exiting) {
        t->transport.keepalive = 0;
    }

    n = ngx_stream_dns_answer_message(ngx_stream_dns_worker, t->session,
                                      message->data, message->len,
                                      &t->transport,
                                      out + NGX_STREAM_DNS_TCP_LENGTH,
                                      NGX_STREAM_DNS_TCP_MESSAGE);

    ngx_log_debug2(NGX_LOG_DEBUG_STREAM, c->log, 0,
                   "dns tcp message: %uz octets, reply: %uz",
                   message->len, n);

    if (n != 0) {
        out[0] = (u_char) (n >> 8);
        out[1] = (u_char) n;
        n += NGX_STREAM_DNS_TCP_LENGTH;
    }

    if (t->log) {
        ngx_stream_dns_tcp_log(t, message->len + NGX_STREAM_DNS_TCP_LENGTH,
                               n);
    }

    ngx_stream_dns_ctx_clear(t->ctx);

    return n;
}


/*
 * Runs the log phase for one message.  What the session counts since it
 * began is put aside meanwhile: all variables speak of the message.
 */

static void
ngx_stream_dns_tcp_log(ngx_stream_dns_tcp_t *t, size_t received, size_t sent)
{
    off_t                  total_received, total_sent;
    time_t                 start_sec;
    ngx_msec_t             start_msec;
    ngx_connection_t      *c;
    ngx_stream_session_t  *s;

    s = t->session;
    c = t->connection;

    total_received = s->received;
    total_sent = c->sent;
    start_sec = s->start_sec;
    start_msec = s->start_msec;

    s->received = received;
    c->sent = sent;
    s->start_sec = t->start_sec;
    s->start_msec = t->start_msec;
    s->status = (sent != 0) ? NGX_STREAM_OK : NGX_STREAM_BAD_REQUEST;

    ngx_stream_dns_log_message(s);

    s->received = total_received;
    c->sent = total_sent;
    s->start_sec = start_sec;
    s->start_msec = start_msec;
    s->status = 0;

    t->logged = 1;
}


/*
 * nginx runs the log phase once more when it closes a connection.  The other
 * handlers of the phase may count connections, but "access_log" has had all
 * there is to say: here it finds a configuration without a log.
 */

void
ngx_stream_dns_tcp_silence(ngx_stream_session_t *s)
{
    void        **conf, *none;
    ngx_pool_t   *pool;

    pool = s->connection->pool;

    conf = ngx_palloc(pool, ngx_stream_max_module * sizeof(void *));
    none = ngx_pcalloc(pool, NGX_STREAM_DNS_TCP_LOG_CONF);

    if (conf == NULL || none == NULL) {
        return;
    }

    ngx_memcpy(conf, s->srv_conf, ngx_stream_max_module * sizeof(void *));

    conf[ngx_stream_log_module.ctx_index] = none;

    s->srv_conf = conf;
}
