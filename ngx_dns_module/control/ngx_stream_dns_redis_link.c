
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include "ngx_stream_dns_redis_link.h"


#define NGX_STREAM_DNS_REDIS_TEXT  128  /* octets of a server's words */

#define ngx_stream_dns_redis_stable(r)                                       \
    ((ngx_msec_int_t) (ngx_current_msec - (r)->since                         \
                       - NGX_STREAM_DNS_REDIS_STABLE) >= 0)


static void ngx_stream_dns_redis_start(ngx_stream_dns_redis_t *r);
static ngx_int_t ngx_stream_dns_redis_resolve(ngx_stream_dns_redis_t *r);
static void ngx_stream_dns_redis_resolved(ngx_resolver_ctx_t *ctx);
static void ngx_stream_dns_redis_try(ngx_stream_dns_redis_t *r);
static ngx_int_t ngx_stream_dns_redis_hello(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_reply_pt handler, ngx_uint_t argc, ngx_str_t *argv);
static void ngx_stream_dns_redis_auth_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_redis_select_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_redis_ping_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_redis_name_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_redis_refused(ngx_stream_dns_redis_t *r,
    const char *command, ngx_dns_datum_t *reply);
static void ngx_stream_dns_redis_name(ngx_stream_dns_redis_t *r,
    ngx_str_t *name);
static void ngx_stream_dns_redis_tick(ngx_stream_dns_redis_t *r);
static void ngx_stream_dns_redis_plan(ngx_stream_dns_redis_t *r,
    ngx_uint_t ready);
static void ngx_stream_dns_redis_say(ngx_stream_dns_redis_t *r);


void
ngx_stream_dns_redis_timer(ngx_event_t *ev)
{
    ngx_stream_dns_redis_t  *r;

    r = ev->data;

    ngx_stream_dns_redis_enter(r);

    switch (r->state) {

    case NGX_STREAM_DNS_REDIS_WAIT:

        if (r->addr < r->naddrs) {
            ngx_stream_dns_redis_try(r);

        } else {
            ngx_stream_dns_redis_start(r);
        }

        break;

    case NGX_STREAM_DNS_REDIS_CONNECT:
        ngx_stream_dns_redis_cut(r, NGX_ETIMEDOUT, "connect()");
        break;

    case NGX_STREAM_DNS_REDIS_HELLO:
    case NGX_STREAM_DNS_REDIS_READY:
        ngx_stream_dns_redis_tick(r);
        break;

    default:
        break;
    }

    ngx_stream_dns_redis_leave(r);
}


static void
ngx_stream_dns_redis_start(ngx_stream_dns_redis_t *r)
{
    ngx_addr_t  *addr;

    addr = &r->src->addr;

    r->addr = 0;
    r->naddrs = 0;

    if (addr->socklen) {
        ngx_memcpy(&r->addrs[0].sockaddr, addr->sockaddr, addr->socklen);
        r->addrs[0].socklen = addr->socklen;
        r->naddrs = 1;

        ngx_stream_dns_redis_try(r);
        return;
    }

    r->state = NGX_STREAM_DNS_REDIS_RESOLVE;

    if (ngx_stream_dns_redis_resolve(r) != NGX_OK) {
        ngx_stream_dns_redis_cut(r, 0, "no resolver for \"%V\"",
                                 &r->src->host);
    }
}


static ngx_int_t
ngx_stream_dns_redis_resolve(ngx_stream_dns_redis_t *r)
{
    ngx_resolver_ctx_t  *ctx;

    if (r->src->resolver == NULL) {
        return NGX_ERROR;
    }

    ctx = ngx_resolve_start(r->src->resolver, NULL);

    if (ctx == NULL || ctx == NGX_NO_RESOLVER) {
        return NGX_ERROR;
    }

    ctx->name = r->src->host;
    ctx->handler = ngx_stream_dns_redis_resolved;
    ctx->data = r;
    ctx->timeout = r->src->resolver_timeout;

    /* the handler may be called at once */

    r->resolve = ctx;

    if (ngx_resolve_name(ctx) != NGX_OK) {
        r->resolve = NULL;
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void
ngx_stream_dns_redis_resolved(ngx_resolver_ctx_t *ctx)
{
    char                         *err;
    ngx_uint_t                    i;
    ngx_stream_dns_redis_t       *r;
    ngx_stream_dns_redis_addr_t  *addr;

    r = ctx->data;

    ngx_stream_dns_redis_enter(r);

    err = ctx->state ? ngx_resolver_strerror(ctx->state) : NULL;

    for (i = 0; err == NULL && i < ctx->naddrs; i++) {

        if (i == NGX_STREAM_DNS_REDIS_ADDRS) {
            break;
        }

        addr = &r->addrs[i];
        addr->socklen = ctx->addrs[i].socklen;

        ngx_memcpy(&addr->sockaddr, ctx->addrs[i].sockaddr, addr->socklen);
        ngx_inet_set_port(&addr->sockaddr.sockaddr, r->src->port);

        r->naddrs = i + 1;
    }

    r->resolve = NULL;
    ngx_resolve_name_done(ctx);

    if (r->naddrs) {
        ngx_stream_dns_redis_try(r);

    } else {
        ngx_stream_dns_redis_cut(r, 0, "\"%V\" is not resolved (%s)",
                                 &r->src->host, err ? err : "no address");
    }

    ngx_stream_dns_redis_leave(r);
}


/* Connects to the next address. */

static void
ngx_stream_dns_redis_try(ngx_stream_dns_redis_t *r)
{
    ngx_int_t  rc;

    r->state = NGX_STREAM_DNS_REDIS_CONNECT;

    rc = ngx_stream_dns_redis_open(r);
    r->addr++;

    if (rc == NGX_ERROR) {
        ngx_stream_dns_redis_cut(r, ngx_socket_errno, "connect()");
        return;
    }

    if (rc == NGX_AGAIN) {
        ngx_add_timer(&r->timer, r->src->timeout);
        return;
    }

    ngx_stream_dns_redis_connected(r);
}


/*
 * AUTH comes first and SELECT next; PING has what a server may say that is
 * not ready (LOADING, NOAUTH, ...); a name is not worth a quarrel.
 */

void
ngx_stream_dns_redis_connected(ngx_stream_dns_redis_t *r)
{
    u_char                    db[NGX_INT_T_LEN], buf[128];
    ngx_str_t                 argv[3];
    ngx_uint_t                n;
    ngx_stream_dns_source_t  *src;

    src = r->src;

    r->state = NGX_STREAM_DNS_REDIS_HELLO;
    r->heard = ngx_current_msec;

    r->reader = ngx_dns_reply_reader_create(src->log);
    if (r->reader == NULL) {
        goto failed;
    }

    if (src->password.len) {
        n = 0;
        ngx_str_set(&argv[n], "AUTH");
        n++;

        if (src->user.len) {
            argv[n++] = src->user;
        }

        argv[n++] = src->password;

        if (ngx_stream_dns_redis_hello(r, ngx_stream_dns_redis_auth_handler,
                                       n, argv)
            != NGX_OK)
        {
            goto failed;
        }
    }

    if (src->db) {
        ngx_str_set(&argv[0], "SELECT");
        argv[1].data = db;
        argv[1].len = ngx_sprintf(db, "%ui", src->db) - db;

        if (ngx_stream_dns_redis_hello(r, ngx_stream_dns_redis_select_handler,
                                       2, argv)
            != NGX_OK)
        {
            goto failed;
        }
    }

    ngx_str_set(&argv[0], "PING");

    if (ngx_stream_dns_redis_hello(r, ngx_stream_dns_redis_ping_handler,
                                   1, argv)
        != NGX_OK)
    {
        goto failed;
    }

    ngx_str_set(&argv[0], "CLIENT");
    ngx_str_set(&argv[1], "SETNAME");
    argv[2].data = buf;
    argv[2].len = sizeof(buf);
    ngx_stream_dns_redis_name(r, &argv[2]);

    if (ngx_stream_dns_redis_hello(r, ngx_stream_dns_redis_name_handler,
                                   3, argv)
        == NGX_OK)
    {
        return;
    }

failed:

    ngx_stream_dns_redis_cut(r, NGX_ENOMEM, "no memory");
}


static ngx_int_t
ngx_stream_dns_redis_hello(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_reply_pt handler, ngx_uint_t argc, ngx_str_t *argv)
{
    ngx_stream_dns_redis_wait_t  wait;

    wait.handler = handler;
    wait.data = NULL;
    wait.kind = NGX_STREAM_DNS_REDIS_COMMAND;
    wait.count = 1;

    return ngx_stream_dns_redis_send(r, &wait, argc, argv);
}


static void
ngx_stream_dns_redis_auth_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    u_char  *p, *last;

    if (reply == NULL || reply->type == NGX_DNS_REPLY_STATUS) {
        return;
    }

    /* a server that does not know AUTH may repeat its arguments */

    if (reply->type == NGX_DNS_REPLY_ERROR) {
        last = reply->str.data + reply->str.len;

        for (p = reply->str.data; p < last; p++) {
            if (*p == '`' || *p == '\'' || *p == '"' || *p == ',') {
                break;
            }
        }

        reply->str.len = p - reply->str.data;

        if (memmem(reply->str.data, reply->str.len, r->src->password.data,
                   r->src->password.len))
        {
            ngx_str_set(&reply->str, "an error that repeats the password");
        }
    }

    ngx_stream_dns_redis_refused(r, "AUTH", reply);
}


static void
ngx_stream_dns_redis_select_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    if (reply && reply->type != NGX_DNS_REPLY_STATUS) {
        ngx_stream_dns_redis_refused(r, "SELECT", reply);
    }
}


static void
ngx_stream_dns_redis_ping_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    if (reply == NULL
        || (reply->type == NGX_DNS_REPLY_STATUS
            && ngx_strcmp(reply->str.data, "PONG") == 0))
    {
        return;
    }

    if (reply->type == NGX_DNS_REPLY_ERROR
        && ngx_strncmp(reply->str.data, "NOPERM", 6) == 0)
    {
        return;
    }

    ngx_stream_dns_redis_refused(r, "PING", reply);
}


static void
ngx_stream_dns_redis_name_handler(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    if (reply == NULL) {
        return;
    }

    r->state = NGX_STREAM_DNS_REDIS_READY;
    r->since = ngx_current_msec;
    r->now = NGX_STREAM_DNS_REDIS_SAID_CONNECTED;

    /* the next attempt begins with the first address */

    r->addr = r->naddrs;

    ngx_stream_dns_redis_say(r);

    if (r->once && r->src->publisher) {
        ngx_stream_dns_stat(r->src, NGX_STREAM_DNS_STAT_RECONNECTS)++;
    }

    r->once = 1;

    r->handlers.ready(r, r->handlers.data);
}


static void
ngx_stream_dns_redis_refused(ngx_stream_dns_redis_t *r, const char *command,
    ngx_dns_datum_t *reply)
{
    u_char  buf[NGX_STREAM_DNS_REDIS_REASON];

    if (reply->type == NGX_DNS_REPLY_ERROR) {
        ngx_stream_dns_redis_cut(r, 0, "%s: \"%s\"", command,
                                 ngx_stream_dns_redis_text(buf, &reply->str));

    } else {
        ngx_stream_dns_redis_cut(r, 0, "%s: a reply that was not expected",
                                 command);
    }
}


/* What CLIENT LIST shows: no blanks, nothing but printable ASCII. */

static void
ngx_stream_dns_redis_name(ngx_stream_dns_redis_t *r, ngx_str_t *name)
{
    u_char  *p, *last;

    last = ngx_snprintf(name->data, name->len, "ngx_dns_module:%V:%s:%P",
                        &r->src->name, r->handlers.role, ngx_pid);

    for (p = name->data; p < last; p++) {
        if (*p <= ' ' || *p >= 0x7f) {
            *p = '_';
        }
    }

    name->len = last - name->data;
}


void
ngx_stream_dns_redis_due(ngx_stream_dns_redis_t *r)
{
    ngx_msec_t      from;
    ngx_msec_int_t  left;

    from = r->heard;

    if (r->nwait) {

        if ((ngx_msec_int_t) (r->asked - from) > 0) {
            from = r->asked;
        }

        left = from + r->src->timeout - ngx_current_msec;

    } else {
        left = from + NGX_STREAM_DNS_REDIS_IDLE - ngx_current_msec;
    }

    /* nginx does not move a timer by little */

    if (r->timer.timer_set) {
        ngx_del_timer(&r->timer);
    }

    ngx_add_timer(&r->timer, (left > 0) ? left : 1);
}


static void
ngx_stream_dns_redis_tick(ngx_stream_dns_redis_t *r)
{
    ngx_msec_t                   now;
    ngx_str_t                    argv[1];
    ngx_stream_dns_redis_wait_t  wait;

    now = ngx_current_msec;

    if (r->more.posted) {
        r->heard = now;
    }

    if (r->nwait) {

        if ((ngx_msec_int_t) (now - r->heard - r->src->timeout) >= 0
            && (ngx_msec_int_t) (now - r->asked - r->src->timeout) >= 0)
        {
            ngx_stream_dns_redis_cut(r, 0, "no reply for %M ms",
                                     r->src->timeout);
            return;
        }

    } else if ((ngx_msec_int_t) (now - r->heard - NGX_STREAM_DNS_REDIS_IDLE)
               >= 0)
    {
        wait.handler = NULL;
        wait.data = NULL;
        wait.kind = NGX_STREAM_DNS_REDIS_KEEPALIVE;
        wait.count = 1;

        ngx_str_set(&argv[0], "PING");

        if (ngx_stream_dns_redis_send(r, &wait, 1, argv) != NGX_OK) {
            ngx_stream_dns_redis_cut(r, NGX_ENOMEM, "no memory");
            return;
        }
    }

    ngx_stream_dns_redis_say(r);
    ngx_stream_dns_redis_due(r);
}


void
ngx_stream_dns_redis_cut(ngx_stream_dns_redis_t *r, ngx_err_t err,
    const char *fmt, ...)
{
    u_char      *p, *last;
    va_list      args;
    ngx_uint_t   ready;

    if (r->state == NGX_STREAM_DNS_REDIS_WAIT
        || r->state == NGX_STREAM_DNS_REDIS_GONE)
    {
        return;
    }

    last = r->reason + NGX_STREAM_DNS_REDIS_REASON - 1;

    va_start(args, fmt);
    p = ngx_vslprintf(r->reason, last, fmt, args);
    va_end(args);

    if (err) {
        p = ngx_slprintf(p, last, " (%d: ", err);
        p = ngx_strerror(err, p, last - p);
        p = ngx_slprintf(p, last, ")");
    }

    *p = '\0';

    ngx_stream_dns_redis_enter(r);

    ready = (r->state == NGX_STREAM_DNS_REDIS_READY);

    r->closed = r->closing;
    r->closing = 0;

    ngx_stream_dns_redis_disconnect(r);
    ngx_stream_dns_redis_plan(r, ready);
    ngx_stream_dns_redis_drop(r);

    if (ready && r->state != NGX_STREAM_DNS_REDIS_GONE) {
        r->handlers.lost(r, r->handlers.data);
    }

    ngx_stream_dns_redis_leave(r);
}


void
ngx_stream_dns_redis_disconnect(ngx_stream_dns_redis_t *r)
{
    r->serial++;
    r->listening = 0;

    if (r->resolve) {
        ngx_resolve_name_done(r->resolve);
        r->resolve = NULL;
    }

    if (r->c) {
        ngx_close_connection(r->c);
        r->c = NULL;
    }

    if (r->reader) {
        ngx_dns_reply_reader_destroy(r->reader);
        r->reader = NULL;
    }

    if (r->flush.posted) {
        ngx_delete_posted_event(&r->flush);
    }

    if (r->more.posted) {
        ngx_delete_posted_event(&r->more);
    }

    if (r->out) {
        ngx_free(r->out);
        r->out = NULL;
    }

    r->out_size = 0;
    r->out_pos = 0;
    r->out_last = 0;
}


/* When the next attempt begins, and what the log says. */

static void
ngx_stream_dns_redis_plan(ngx_stream_dns_redis_t *r, ngx_uint_t ready)
{
    ngx_msec_t  pause;

    r->state = NGX_STREAM_DNS_REDIS_WAIT;

    if (r->timer.timer_set) {
        ngx_del_timer(&r->timer);
    }

    if (r->addr < r->naddrs) {
        /* another address of the same host */
        ngx_add_timer(&r->timer, 0);
        return;
    }

    if (ready) {
        r->shaky = !ngx_stream_dns_redis_stable(r);

        if (!r->shaky) {
            r->pause = NGX_STREAM_DNS_REDIS_PAUSE;
        }
    }

    pause = r->pause / 2 + (ngx_msec_t) ngx_random() % (r->pause / 2 + 1);
    r->pause = ngx_min(2 * r->pause, NGX_STREAM_DNS_REDIS_MAX_PAUSE);

    ngx_add_timer(&r->timer, pause);

    r->now = ready ? NGX_STREAM_DNS_REDIS_SAID_LOST
                   : NGX_STREAM_DNS_REDIS_SAID_FAILED;

    ngx_stream_dns_redis_say(r);
}


/*
 * One line for each change, not for each attempt, and not more than one in a
 * second.  What is held back is said later, if it is still true: that a
 * server is back which did not last before, too.
 */

static void
ngx_stream_dns_redis_say(ngx_stream_dns_redis_t *r)
{
    ngx_log_t   *log;
    ngx_uint_t   level;

    if (r->now == r->said
        && (r->now == NGX_STREAM_DNS_REDIS_SAID_CONNECTED
            || ngx_strcmp(r->reason, r->said_reason) == 0))
    {
        return;
    }

    if (r->now == NGX_STREAM_DNS_REDIS_SAID_CONNECTED
        && r->shaky && !ngx_stream_dns_redis_stable(r))
    {
        return;
    }

    if (r->said != NGX_STREAM_DNS_REDIS_SAID_NOTHING
        && ngx_current_msec - r->said_at < NGX_STREAM_DNS_REDIS_LINES)
    {
        return;
    }

    r->said = r->now;
    r->said_at = ngx_current_msec;
    ngx_memcpy(r->said_reason, r->reason, NGX_STREAM_DNS_REDIS_REASON);

    log = r->src->log;

    switch (r->now) {

    case NGX_STREAM_DNS_REDIS_SAID_CONNECTED:
        level = r->closed ? NGX_LOG_INFO : NGX_LOG_NOTICE;

        ngx_log_error(level, log, 0, "connected to redis (%s)",
                      r->handlers.role);
        break;

    case NGX_STREAM_DNS_REDIS_SAID_LOST:
        level = r->closed ? NGX_LOG_INFO : NGX_LOG_ERR;

        ngx_log_error(level, log, 0, "connection to redis lost (%s): %s",
                      r->handlers.role, r->reason);
        break;

    default: /* NGX_STREAM_DNS_REDIS_SAID_FAILED */
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "cannot connect to redis (%s): %s",
                      r->handlers.role, r->reason);
        break;
    }
}


u_char *
ngx_stream_dns_redis_text(u_char *buf, ngx_str_t *text)
{
    size_t  i, n;

    n = ngx_min(text->len, NGX_STREAM_DNS_REDIS_TEXT);

    for (i = 0; i < n; i++) {
        buf[i] = (text->data[i] < ' ' || text->data[i] > '~')
                 ? '?' : text->data[i];
    }

    buf[n] = '\0';

    return buf;
}

#endif
