
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_dns_health_http.h"
#include "ngx_stream_dns_probe.h"


#define NGX_STREAM_DNS_PROBE_POOL     1024  /* octets, at first */
#define NGX_STREAM_DNS_PROBE_BUFFER   4096  /* octets read at a time */
#define NGX_STREAM_DNS_PROBE_REASON   96    /* octets of a text */
#define NGX_STREAM_DNS_PROBE_LAG      10    /* ms that do not matter */
#define NGX_STREAM_DNS_PROBE_PATIENCE 4     /* timeouts, if the loop is held */


/* looks like a connection where a timer's debug messages look for a number */

struct ngx_stream_dns_probe_s {
    ngx_stream_dns_health_conf_t  *conf;
    ngx_stream_dns_target_t       *target;
    ngx_pool_t                    *pool;    /* all of this is in it */
    ngx_int_t                      ident;   /* after 3 pointers */

    void                         (*done)(ngx_stream_dns_target_t *target,
                                       u_char *reason);

    ngx_connection_t              *c;
    void                         (*step)(ngx_stream_dns_probe_t *p);

    ngx_event_t                    end;     /* posted: it is decided */
    ngx_event_t                    timer;
    ngx_msec_t                     started;
    ngx_msec_t                     deadline;
    ngx_msec_t                     lag;     /* that was known then */

    ngx_str_t                      host;
    u_char                        *pos;     /* of the request */
    u_char                        *last;
    ngx_dns_health_http_t          http;

    u_char                         reason[NGX_STREAM_DNS_PROBE_REASON];
};


static ngx_int_t ngx_stream_dns_probe_connect(ngx_stream_dns_probe_t *p,
    ngx_log_t *log);
static socklen_t ngx_stream_dns_probe_address(ngx_stream_dns_target_t *t,
    ngx_sockaddr_t *sa);
static ngx_int_t ngx_stream_dns_probe_events(ngx_connection_t *c);
static void ngx_stream_dns_probe_event(ngx_event_t *ev);
static void ngx_stream_dns_probe_timer(ngx_event_t *ev);

static void ngx_stream_dns_probe_connected(ngx_stream_dns_probe_t *p);
static void ngx_stream_dns_probe_secure(ngx_stream_dns_probe_t *p);
static void ngx_stream_dns_probe_secured(ngx_connection_t *c);
static void ngx_stream_dns_probe_ask(ngx_stream_dns_probe_t *p);
static void ngx_stream_dns_probe_talk(ngx_stream_dns_probe_t *p);
static void ngx_stream_dns_probe_read(ngx_stream_dns_probe_t *p);
static void ngx_stream_dns_probe_http(ngx_stream_dns_probe_t *p);

static void ngx_stream_dns_probe_good(ngx_stream_dns_probe_t *p);
static void ngx_stream_dns_probe_fail(ngx_stream_dns_probe_t *p,
    ngx_err_t err, const char *text);
static void ngx_stream_dns_probe_end(ngx_event_t *ev);
static ngx_log_t *ngx_stream_dns_probe_log(void);


static ngx_msec_t  ngx_stream_dns_probe_lag;
static ngx_uint_t  ngx_stream_dns_probe_timers;


ngx_stream_dns_probe_t *
ngx_stream_dns_probe_start(ngx_stream_dns_health_conf_t *conf,
    ngx_stream_dns_target_t *target,
    void (*done)(ngx_stream_dns_target_t *target, u_char *reason))
{
    u_char                  *p;
    ngx_log_t               *log;
    ngx_pool_t              *pool;
    ngx_stream_dns_probe_t  *probe;

    log = ngx_stream_dns_probe_log();

    pool = ngx_create_pool(NGX_STREAM_DNS_PROBE_POOL, log);
    if (pool == NULL) {
        return NULL;
    }

    probe = ngx_pcalloc(pool, sizeof(ngx_stream_dns_probe_t));
    p = ngx_pnalloc(pool, NGX_DNS_NAME_TEXT_MAX);

    if (probe == NULL || p == NULL) {
        ngx_destroy_pool(pool);
        return NULL;
    }

    probe->ident = -1;
    probe->conf = conf;
    probe->target = target;
    probe->done = done;
    probe->pool = pool;
    probe->started = ngx_current_msec;
    probe->lag = ngx_stream_dns_probe_lag;

    probe->host = target->probe.host;

    if (probe->host.len == 0) {
        probe->host.data = p;
        probe->host.len = ngx_dns_probe_owner_host(p, target->owner) - p;
    }

    probe->timer.handler = ngx_stream_dns_probe_timer;
    probe->timer.data = probe;
    probe->timer.log = log;
    probe->timer.cancelable = 1;

    probe->end.handler = ngx_stream_dns_probe_end;
    probe->end.data = probe;
    probe->end.log = log;

    if (ngx_stream_dns_probe_connect(probe, log) == NGX_ERROR) {
        ngx_destroy_pool(pool);
        return NULL;
    }

    probe->deadline = ngx_current_msec + target->probe.timeout;
    ngx_add_timer(&probe->timer, target->probe.timeout);

    return probe;
}


/*
 * NGX_OK: under way, or failed already, which is told later; NGX_ERROR: this
 * process cannot do it now
 */

static ngx_int_t
ngx_stream_dns_probe_connect(ngx_stream_dns_probe_t *p, ngx_log_t *log)
{
    int                one;
    socklen_t          socklen;
    ngx_socket_t       s;
    ngx_sockaddr_t     sa;
    ngx_connection_t  *c;

    socklen = ngx_stream_dns_probe_address(p->target, &sa);

    s = ngx_socket(sa.sockaddr.sa_family, SOCK_STREAM, 0);

    if (s == (ngx_socket_t) -1) {

        if (ngx_socket_errno != EAFNOSUPPORT) {
            return NGX_ERROR;
        }

        ngx_stream_dns_probe_fail(p, ngx_socket_errno, "socket() failed");

        return NGX_OK;
    }

    c = ngx_get_connection(s, log);

    if (c == NULL) {
        (void) ngx_close_socket(s);
        return NGX_ERROR;
    }

    p->c = c;

    c->pool = p->pool;
    c->data = p;
    c->log = log;
    c->read->log = log;
    c->write->log = log;
    c->read->handler = ngx_stream_dns_probe_event;
    c->write->handler = ngx_stream_dns_probe_event;
    c->recv = ngx_recv;
    c->send = ngx_send;
    c->recv_chain = ngx_recv_chain;
    c->send_chain = ngx_send_chain;
    c->log_error = NGX_ERROR_INFO;
    c->number = ngx_atomic_fetch_add(ngx_connection_counter, 1);
    c->start_time = ngx_current_msec;

    one = 1;
    (void) setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(int));

    if (ngx_nonblocking(s) == -1 || ngx_stream_dns_probe_events(c) != NGX_OK) {
        ngx_close_connection(c);
        return NGX_ERROR;
    }

    p->step = ngx_stream_dns_probe_connected;

    if (connect(s, &sa.sockaddr, socklen) == -1) {

        if (ngx_socket_errno != NGX_EINPROGRESS) {
            ngx_stream_dns_probe_fail(p, ngx_socket_errno, "connect() failed");
        }

        return NGX_OK;
    }

    /* there is an event for it, too */

    p->step(p);

    return NGX_OK;
}


static socklen_t
ngx_stream_dns_probe_address(ngx_stream_dns_target_t *t, ngx_sockaddr_t *sa)
{
    ngx_memzero(sa, sizeof(ngx_sockaddr_t));

#if (NGX_HAVE_INET6)

    if (t->len == 16) {
        sa->sockaddr_in6.sin6_family = AF_INET6;
        sa->sockaddr_in6.sin6_port = htons(t->probe.port);
        ngx_memcpy(&sa->sockaddr_in6.sin6_addr, t->address, 16);

        return sizeof(struct sockaddr_in6);
    }

#endif

    sa->sockaddr_in.sin_family = AF_INET;
    sa->sockaddr_in.sin_port = htons(t->probe.port);
    ngx_memcpy(&sa->sockaddr_in.sin_addr, t->address, 4);

    return sizeof(struct sockaddr_in);
}


static ngx_int_t
ngx_stream_dns_probe_events(ngx_connection_t *c)
{
    if (ngx_add_conn) {
        return ngx_add_conn(c);
    }

    if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_handle_write_event(c->write, 0);
}


static void
ngx_stream_dns_probe_event(ngx_event_t *ev)
{
    ngx_connection_t        *c;
    ngx_stream_dns_probe_t  *p;

    c = ev->data;
    p = c->data;

    if (!p->end.posted) {
        p->step(p);
    }
}


/*
 * It may come late, because something has held up the loop of events: then
 * what the target had no chance to do in time counts, and it gets the time.
 */

static void
ngx_stream_dns_probe_timer(ngx_event_t *ev)
{
    ngx_msec_t               lag, late;
    ngx_stream_dns_probe_t  *p;

    p = ev->data;

    if (p->end.posted) {
        return;
    }

    late = ngx_current_msec - p->deadline;
    lag = ngx_stream_dns_probe_lag - p->lag;
    lag = ngx_max(lag, late);

    p->lag = ngx_stream_dns_probe_lag;

    p->c->read->ready = 1;
    p->c->read->available = -1;
    p->c->write->ready = 1;

    p->step(p);

    if (p->end.posted) {
        return;
    }

    if (lag > NGX_STREAM_DNS_PROBE_LAG
        && ngx_current_msec - p->started
           < NGX_STREAM_DNS_PROBE_PATIENCE * p->target->probe.timeout)
    {
        ngx_stream_dns_probe_timers++;
        p->deadline = ngx_current_msec + lag;
        ngx_add_timer(&p->timer, lag);
        return;
    }

    ngx_stream_dns_probe_fail(p, 0, "timed out");
}


static void
ngx_stream_dns_probe_connected(ngx_stream_dns_probe_t *p)
{
    int             err;
    socklen_t       len;
    ngx_sockaddr_t  sa;

    err = 0;
    len = sizeof(int);

    if (getsockopt(p->c->fd, SOL_SOCKET, SO_ERROR, &err, &len) == -1) {
        err = ngx_socket_errno;
    }

    if (err != 0) {
        ngx_stream_dns_probe_fail(p, err, "connect() failed");
        return;
    }

    len = sizeof(ngx_sockaddr_t);

    if (getpeername(p->c->fd, &sa.sockaddr, &len) == -1) {
        return;
    }

    switch (p->target->probe.protocol) {

    case NGX_DNS_PROBE_HTTP:
        ngx_stream_dns_probe_ask(p);
        return;

    case NGX_DNS_PROBE_HTTPS:
        ngx_stream_dns_probe_secure(p);
        return;

    default: /* NGX_DNS_PROBE_TCP */
        ngx_stream_dns_probe_good(p);
        return;
    }
}


static void
ngx_stream_dns_probe_secure(ngx_stream_dns_probe_t *p)
{
    ngx_int_t   rc;
    const char *why;

    p->step = ngx_stream_dns_probe_secure;

    rc = ngx_stream_dns_probe_ssl(p->conf, p->c, &p->target->probe, &p->host,
                                  ngx_stream_dns_probe_secured, &why);

    if (rc == NGX_AGAIN) {
        return;
    }

    p->c->read->handler = ngx_stream_dns_probe_event;
    p->c->write->handler = ngx_stream_dns_probe_event;

    if (rc != NGX_OK) {
        ngx_stream_dns_probe_fail(p, 0, why);
        return;
    }

    ngx_stream_dns_probe_ask(p);
}


/* the handshake is done, or has failed: looks again at how it went */

static void
ngx_stream_dns_probe_secured(ngx_connection_t *c)
{
    ngx_stream_dns_probe_t  *p;

    p = c->data;

    if (!p->end.posted) {
        ngx_stream_dns_probe_secure(p);
    }
}


static void
ngx_stream_dns_probe_ask(ngx_stream_dns_probe_t *p)
{
    size_t                  size;
    uint16_t               *next;
    const ngx_dns_probe_t  *probe;

    probe = &p->target->probe;

    size = p->host.len + probe->uri.len + NGX_DNS_HEALTH_HTTP_EXTRA;

    p->pos = ngx_pnalloc(p->pool, size);
    next = ngx_palloc(p->pool, (probe->match.len + 1) * sizeof(uint16_t));

    if (p->pos == NULL || next == NULL) {
        ngx_stream_dns_probe_fail(p, 0, "no memory");
        return;
    }

    p->last = ngx_dns_health_http_request(p->pos, probe, &p->host);

    ngx_dns_health_http_init(&p->http, probe, next);

    p->step = ngx_stream_dns_probe_talk;

    ngx_stream_dns_probe_talk(p);
}


static void
ngx_stream_dns_probe_talk(ngx_stream_dns_probe_t *p)
{
    ssize_t            n;
    ngx_connection_t  *c;

    c = p->c;

    while (p->pos != p->last) {

        n = c->send(c, p->pos, p->last - p->pos);

        if (n == NGX_ERROR) {
            ngx_stream_dns_probe_fail(p, 0, "sending failed");
            return;
        }

        if (n == NGX_AGAIN) {
            break;
        }

        p->pos += n;
    }

    if (ngx_handle_write_event(c->write, 0) != NGX_OK) {
        ngx_stream_dns_probe_fail(p, 0, "no event");
        return;
    }

    /* it may have an answer before it has the whole request */

    ngx_stream_dns_probe_read(p);
}


static void
ngx_stream_dns_probe_read(ngx_stream_dns_probe_t *p)
{
    u_char             buf[NGX_STREAM_DNS_PROBE_BUFFER];
    ssize_t            n;
    ngx_int_t          rc;
    ngx_connection_t  *c;

    c = p->c;

    for ( ;; ) {

        n = c->recv(c, buf, NGX_STREAM_DNS_PROBE_BUFFER);

        if (n == NGX_AGAIN) {

            if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
                ngx_stream_dns_probe_fail(p, 0, "no event");
            }

            return;
        }

        if (n == NGX_ERROR) {
            ngx_stream_dns_probe_fail(p, 0, "connection reset");
            return;
        }

        rc = (n == 0) ? ngx_dns_health_http_end(&p->http)
                      : ngx_dns_health_http_read(&p->http, buf, n);

        if (rc == NGX_OK) {
            ngx_stream_dns_probe_good(p);
            return;
        }

        if (rc == NGX_DECLINED) {
            ngx_stream_dns_probe_http(p);
            return;
        }
    }
}


static void
ngx_stream_dns_probe_http(ngx_stream_dns_probe_t *p)
{
    switch (p->http.error) {

    case NGX_DNS_HEALTH_HTTP_WRONG:
        (void) ngx_sprintf(p->reason, "status %ui%Z", p->http.status);
        ngx_post_event(&p->end, &ngx_posted_events);
        return;

    case NGX_DNS_HEALTH_HTTP_LARGE:
        ngx_stream_dns_probe_fail(p, 0, "response with too large headers");
        return;

    case NGX_DNS_HEALTH_HTTP_SHORT:
        ngx_stream_dns_probe_fail(p, 0, "response cut short");
        return;

    case NGX_DNS_HEALTH_HTTP_NO_MATCH:
        ngx_stream_dns_probe_fail(p, 0, "text not in the response");
        return;

    default: /* NGX_DNS_HEALTH_HTTP_FORM */
        ngx_stream_dns_probe_fail(p, 0, "no valid response");
        return;
    }
}


static void
ngx_stream_dns_probe_good(ngx_stream_dns_probe_t *p)
{
    p->reason[0] = '\0';

    ngx_post_event(&p->end, &ngx_posted_events);
}


static void
ngx_stream_dns_probe_fail(ngx_stream_dns_probe_t *p, ngx_err_t err,
    const char *text)
{
    u_char  *last, *end;

    end = p->reason + NGX_STREAM_DNS_PROBE_REASON - 1;

    last = ngx_slprintf(p->reason, end, "%s", text);

    if (err != 0) {
        last = ngx_slprintf(last, end, " (%d: ", err);
        last = ngx_strerror(err, last, end - last);
        last = ngx_slprintf(last, end, ")");
    }

    *last = '\0';

    ngx_post_event(&p->end, &ngx_posted_events);
}


static void
ngx_stream_dns_probe_end(ngx_event_t *ev)
{
    ngx_stream_dns_probe_t  *p;

    p = ev->data;

    p->done(p->target, p->reason);

    ngx_stream_dns_probe_cancel(p);
}


void
ngx_stream_dns_probe_cancel(ngx_stream_dns_probe_t *p)
{
    if (p->end.posted) {
        ngx_delete_posted_event(&p->end);
    }

    if (p->timer.timer_set) {
        ngx_del_timer(&p->timer);
    }

    if (p->c != NULL) {
        ngx_stream_dns_probe_ssl_close(p->c);
        ngx_close_connection(p->c);
    }

    ngx_destroy_pool(p->pool);
}


void
ngx_stream_dns_probe_held(ngx_msec_t lag)
{
    ngx_stream_dns_probe_lag = lag;
}


ngx_uint_t
ngx_stream_dns_probe_late(void)
{
    ngx_uint_t  n;

    n = ngx_stream_dns_probe_timers;
    ngx_stream_dns_probe_timers = 0;

    return n;
}


/*
 * What goes wrong with a target is told when its state changes, not by each
 * check: only what is wrong here goes to the log.
 */

static ngx_log_t *
ngx_stream_dns_probe_log(void)
{
    static ngx_log_t  log;

    if (log.file == NULL && log.writer == NULL) {
        log = *ngx_cycle->log;
        log.connection = 0;
        log.handler = NULL;
        log.data = NULL;
        log.action = NULL;

        if (!(log.log_level & NGX_LOG_DEBUG_ALL)) {
            log.log_level = ngx_min(log.log_level, NGX_LOG_ALERT);
        }
    }

    return &log;
}
