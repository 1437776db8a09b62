
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include <hiredis/hiredis.h>

#include "ngx_stream_dns_redis_link.h"


#define NGX_STREAM_DNS_REDIS_RING   64  /* places, to begin with */
#define NGX_STREAM_DNS_REDIS_ARGS   32  /* more are allocated */


/* replies that are messages in listening mode */

typedef enum {
    ngx_stream_dns_redis_no_message = 0,
    ngx_stream_dns_redis_message,
    ngx_stream_dns_redis_subscribed,
    ngx_stream_dns_redis_pong
} ngx_stream_dns_redis_message_e;

typedef struct {
    ngx_str_t    word;
    ngx_uint_t   message;
} ngx_stream_dns_redis_word_t;


static ngx_int_t ngx_stream_dns_redis_grow(ngx_stream_dns_redis_t *r);
static ngx_int_t ngx_stream_dns_redis_format(ngx_stream_dns_redis_t *r,
    ngx_uint_t argc, ngx_str_t *argv, const char **v, size_t *len);
static ngx_uint_t ngx_stream_dns_redis_is(ngx_str_t *s, const char *word);
static ngx_uint_t ngx_stream_dns_redis_message_kind(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply);
static ngx_int_t ngx_stream_dns_redis_receive(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply);
static ngx_int_t ngx_stream_dns_redis_answer(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply);
static void ngx_stream_dns_redis_next(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_redis_wait_t *wait);


static ngx_stream_dns_redis_word_t  ngx_stream_dns_redis_messages[] = {
    { ngx_string("message"), ngx_stream_dns_redis_message },
    { ngx_string("pmessage"), ngx_stream_dns_redis_message },
    { ngx_string("subscribe"), ngx_stream_dns_redis_subscribed },
    { ngx_string("psubscribe"), ngx_stream_dns_redis_subscribed },
    { ngx_string("pong"), ngx_stream_dns_redis_pong },
    { ngx_null_string, ngx_stream_dns_redis_no_message }
};


ngx_stream_dns_redis_t *
ngx_stream_dns_redis_create(ngx_stream_dns_source_t *src,
    ngx_stream_dns_redis_handlers_t *h)
{
    ngx_stream_dns_redis_t  *r;

    r = ngx_calloc(sizeof(ngx_stream_dns_redis_t), src->log);
    if (r == NULL) {
        return NULL;
    }

    r->in = ngx_alloc(NGX_STREAM_DNS_REDIS_BUFFER, src->log);
    if (r->in == NULL) {
        ngx_free(r);
        return NULL;
    }

    r->src = src;
    r->handlers = *h;
    r->pause = NGX_STREAM_DNS_REDIS_PAUSE;

    r->log = *src->log;
    r->log.log_level = NGX_LOG_ALERT;

    r->timer.handler = ngx_stream_dns_redis_timer;
    r->timer.data = r;
    r->timer.log = src->log;
    r->timer.cancelable = 1;

    r->flush.handler = ngx_stream_dns_redis_flush;
    r->flush.data = r;
    r->flush.log = src->log;

    r->more.handler = ngx_stream_dns_redis_more;
    r->more.data = r;
    r->more.log = src->log;

    /* no handler is called before this returns */

    ngx_add_timer(&r->timer, 0);

    return r;
}


void
ngx_stream_dns_redis_destroy(ngx_stream_dns_redis_t *r)
{
    if (r->state == NGX_STREAM_DNS_REDIS_GONE) {
        return;
    }

    ngx_stream_dns_redis_enter(r);

    ngx_stream_dns_redis_disconnect(r);
    r->state = NGX_STREAM_DNS_REDIS_GONE;

    if (r->timer.timer_set) {
        ngx_del_timer(&r->timer);
    }

    ngx_stream_dns_redis_drop(r);
    ngx_stream_dns_redis_leave(r);
}


void
ngx_stream_dns_redis_leave(ngx_stream_dns_redis_t *r)
{
    if (--r->busy != 0 || r->state != NGX_STREAM_DNS_REDIS_GONE) {
        return;
    }

    ngx_free(r->in);
    ngx_free(r);
}


void
ngx_stream_dns_redis_close(ngx_stream_dns_redis_t *r, const char *reason)
{
    ngx_stream_dns_redis_enter(r);

    r->closing = 1;
    ngx_stream_dns_redis_cut(r, 0, "%s", reason);
    r->closing = 0;

    ngx_stream_dns_redis_leave(r);
}


void
ngx_stream_dns_redis_listen(ngx_stream_dns_redis_t *r)
{
    if (r->state == NGX_STREAM_DNS_REDIS_READY) {
        r->listening = 1;
    }
}


ngx_uint_t
ngx_stream_dns_redis_pending(ngx_stream_dns_redis_t *r)
{
    return r->pending;
}


ngx_uint_t
ngx_stream_dns_redis_ready(ngx_stream_dns_redis_t *r)
{
    return r->state == NGX_STREAM_DNS_REDIS_READY;
}


void
ngx_stream_dns_reply_take(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply)
{
    r->taken = 1;
}


ngx_int_t
ngx_stream_dns_redis_command(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_reply_pt handler, void *data, ngx_uint_t argc,
    ngx_str_t *argv)
{
    ngx_stream_dns_redis_wait_t  wait;

    if (r->state != NGX_STREAM_DNS_REDIS_READY) {
        return NGX_DECLINED;
    }

    wait.handler = handler;
    wait.data = data;
    wait.kind = NGX_STREAM_DNS_REDIS_COMMAND;
    wait.count = 1;

    if (r->listening) {

        if (ngx_stream_dns_redis_is(&argv[0], "subscribe")
            || ngx_stream_dns_redis_is(&argv[0], "psubscribe"))
        {
            wait.kind = NGX_STREAM_DNS_REDIS_SUBSCRIBE;
            wait.count = argc - 1;

        } else if (ngx_stream_dns_redis_is(&argv[0], "ping")) {
            wait.kind = NGX_STREAM_DNS_REDIS_PING;
        }
    }

    if (ngx_stream_dns_redis_send(r, &wait, argc, argv) != NGX_OK) {
        return NGX_ERROR;
    }

    if (r->src->publisher) {
        ngx_stream_dns_stat(r->src, NGX_STREAM_DNS_STAT_COMMANDS)++;
    }

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_redis_words(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_reply_pt handler, void *data, ...)
{
    char        *word;
    va_list      args;
    ngx_str_t    argv[NGX_STREAM_DNS_REDIS_ARGS];
    ngx_uint_t   argc;

    argc = 0;

    va_start(args, data);

    for ( ;; ) {
        word = va_arg(args, char *);

        if (word == NULL) {
            break;
        }

        if (argc == NGX_STREAM_DNS_REDIS_ARGS) {
            va_end(args);
            return NGX_ERROR;
        }

        argv[argc].data = (u_char *) word;
        argv[argc].len = ngx_strlen(word);
        argc++;
    }

    va_end(args);

    return ngx_stream_dns_redis_command(r, handler, data, argc, argv);
}


ngx_int_t
ngx_stream_dns_redis_send(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_redis_wait_t *wait, ngx_uint_t argc, ngx_str_t *argv)
{
    size_t       *len, lens[NGX_STREAM_DNS_REDIS_ARGS];
    ngx_int_t     rc;
    const char  **v, *vs[NGX_STREAM_DNS_REDIS_ARGS];

    if (r->nwait == r->ring_size && ngx_stream_dns_redis_grow(r) != NGX_OK) {
        return NGX_ERROR;
    }

    if (argc <= NGX_STREAM_DNS_REDIS_ARGS) {
        rc = ngx_stream_dns_redis_format(r, argc, argv, vs, lens);

    } else {
        v = ngx_alloc(argc * (sizeof(char *) + sizeof(size_t)), r->src->log);
        if (v == NULL) {
            return NGX_ERROR;
        }

        len = (size_t *) (v + argc);

        rc = ngx_stream_dns_redis_format(r, argc, argv, v, len);
        ngx_free(v);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    r->ring[(r->first + r->nwait) & (r->ring_size - 1)] = *wait;
    r->nwait++;

    if (wait->kind == NGX_STREAM_DNS_REDIS_COMMAND) {
        r->pending++;
    }

    if (r->nwait == 1) {
        r->asked = ngx_current_msec;

        if (!r->timer.timer_set
            || (ngx_msec_int_t) (r->timer.timer.key - r->asked
                                 - r->src->timeout) > 0)
        {
            ngx_stream_dns_redis_due(r);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_redis_grow(ngx_stream_dns_redis_t *r)
{
    ngx_uint_t                    i, size;
    ngx_stream_dns_redis_wait_t  *ring;

    size = r->ring_size ? 2 * r->ring_size : NGX_STREAM_DNS_REDIS_RING;

    ring = ngx_alloc(size * sizeof(ngx_stream_dns_redis_wait_t), r->src->log);
    if (ring == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < r->nwait; i++) {
        ring[i] = r->ring[(r->first + i) & (r->ring_size - 1)];
    }

    if (r->ring) {
        ngx_free(r->ring);
    }

    r->ring = ring;
    r->ring_size = size;
    r->first = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_redis_format(ngx_stream_dns_redis_t *r, ngx_uint_t argc,
    ngx_str_t *argv, const char **v, size_t *len)
{
    char        *command;
    ngx_int_t    rc;
    long long    n;
    ngx_uint_t   i;

    for (i = 0; i < argc; i++) {
        v[i] = (char *) argv[i].data;
        len[i] = argv[i].len;
    }

    n = redisFormatCommandArgv(&command, argc, v, len);
    if (n < 0) {
        return NGX_ERROR;
    }

    rc = ngx_stream_dns_redis_write(r, (u_char *) command, n);

    redisFreeCommand(command);

    return rc;
}


static ngx_uint_t
ngx_stream_dns_redis_is(ngx_str_t *s, const char *word)
{
    return s->len == ngx_strlen(word)
           && ngx_strncasecmp(s->data, (u_char *) word, s->len) == 0;
}


void
ngx_stream_dns_redis_reply(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply)
{
    u_char     buf[NGX_STREAM_DNS_REDIS_REASON];
    ngx_int_t  rc;

    ngx_stream_dns_redis_enter(r);

    r->taken = 0;

    if (r->listening && reply->type == NGX_DNS_REPLY_ARRAY) {
        rc = ngx_stream_dns_redis_receive(r, reply);

    } else {
        rc = ngx_stream_dns_redis_answer(r, reply);
    }

    if (rc != NGX_OK) {

        if (reply->type == NGX_DNS_REPLY_ERROR) {
            ngx_stream_dns_redis_cut(r, 0, "%s",
                                ngx_stream_dns_redis_text(buf, &reply->str));

        } else {
            ngx_stream_dns_redis_cut(r, 0, "a reply that was not expected");
        }
    }

    if (!r->taken) {
        ngx_dns_reply_free(reply);
    }

    ngx_stream_dns_redis_leave(r);
}


/* An array in listening mode.  NGX_DECLINED: out of order. */

static ngx_int_t
ngx_stream_dns_redis_receive(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply)
{
    ngx_uint_t                    kind;
    ngx_stream_dns_redis_wait_t  *head, wait;

    kind = ngx_stream_dns_redis_message_kind(r, reply);

    if (kind == ngx_stream_dns_redis_no_message) {
        return ngx_stream_dns_redis_answer(r, reply);
    }

    if (kind == ngx_stream_dns_redis_message) {
        r->handlers.message(r, reply, r->handlers.data);
        return NGX_OK;
    }

    if (r->nwait == 0) {
        return NGX_DECLINED;
    }

    head = &r->ring[r->first];

    if (kind == ngx_stream_dns_redis_subscribed) {

        if (head->kind != NGX_STREAM_DNS_REDIS_SUBSCRIBE) {
            return NGX_DECLINED;
        }

        if (--head->count == 0) {
            ngx_stream_dns_redis_next(r, &wait);
        }

        r->handlers.message(r, reply, r->handlers.data);
        return NGX_OK;
    }

    if (head->kind != NGX_STREAM_DNS_REDIS_PING
        && head->kind != NGX_STREAM_DNS_REDIS_KEEPALIVE)
    {
        return NGX_DECLINED;
    }

    ngx_stream_dns_redis_next(r, &wait);

    if (wait.kind == NGX_STREAM_DNS_REDIS_PING) {
        r->handlers.message(r, reply, r->handlers.data);
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_stream_dns_redis_message_kind(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply)
{
    ngx_str_t                    *s;
    ngx_stream_dns_redis_word_t  *m;

    if (reply->n == 0 || reply->elts[0]->type != NGX_DNS_REPLY_STRING) {
        return ngx_stream_dns_redis_no_message;
    }

    s = &reply->elts[0]->str;

    for (m = ngx_stream_dns_redis_messages; m->word.len; m++) {

        if (m->word.len == s->len
            && ngx_memcmp(m->word.data, s->data, s->len) == 0)
        {
            return m->message;
        }
    }

    return ngx_stream_dns_redis_no_message;
}


/* The reply to the oldest command.  NGX_DECLINED: it cannot be. */

static ngx_int_t
ngx_stream_dns_redis_answer(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply)
{
    ngx_stream_dns_redis_wait_t  wait;

    if (r->nwait == 0) {
        return NGX_DECLINED;
    }

    ngx_stream_dns_redis_next(r, &wait);

    switch (wait.kind) {

    case NGX_STREAM_DNS_REDIS_COMMAND:
        wait.handler(r, reply, wait.data);
        return NGX_OK;

    case NGX_STREAM_DNS_REDIS_SUBSCRIBE:

        if (reply->type != NGX_DNS_REPLY_ERROR) {
            return NGX_DECLINED;
        }

        r->handlers.message(r, reply, r->handlers.data);
        return NGX_OK;

    case NGX_STREAM_DNS_REDIS_PING:

        if (reply->type == NGX_DNS_REPLY_ARRAY) {
            return NGX_DECLINED;
        }

        r->handlers.message(r, reply, r->handlers.data);
        return NGX_OK;

    default: /* NGX_STREAM_DNS_REDIS_KEEPALIVE */

        /* a user may lack the right to PING, the server lives all the same */

        if (reply->type == NGX_DNS_REPLY_ERROR
            || (reply->type == NGX_DNS_REPLY_STATUS
                && ngx_stream_dns_redis_is(&reply->str, "pong")))
        {
            return NGX_OK;
        }

        return NGX_DECLINED;
    }
}


/* Takes the oldest of those who wait out of the ring. */

static void
ngx_stream_dns_redis_next(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_redis_wait_t *wait)
{
    *wait = r->ring[r->first];

    r->first = (r->first + 1) & (r->ring_size - 1);
    r->nwait--;

    if (wait->kind == NGX_STREAM_DNS_REDIS_COMMAND) {
        r->pending--;
    }
}


void
ngx_stream_dns_redis_drop(ngx_stream_dns_redis_t *r)
{
    ngx_uint_t                    i, n, first, mask;
    ngx_stream_dns_redis_wait_t  *ring, *wait;

    ring = r->ring;
    mask = r->ring_size - 1;
    first = r->first;
    n = r->nwait;

    /* a handler finds a connection on which nothing waits */

    r->ring = NULL;
    r->ring_size = 0;
    r->first = 0;
    r->nwait = 0;
    r->pending = 0;

    if (ring == NULL) {
        return;
    }

    ngx_stream_dns_redis_enter(r);

    for (i = 0; i < n; i++) {
        wait = &ring[(first + i) & mask];

        if (wait->kind == NGX_STREAM_DNS_REDIS_COMMAND) {
            wait->handler(r, NULL, wait->data);
        }
    }

    ngx_free(ring);

    ngx_stream_dns_redis_leave(r);
}

#endif
