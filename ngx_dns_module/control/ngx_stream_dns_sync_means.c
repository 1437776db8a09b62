
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


/*
 * How changes are heard of: by tracking, which any server from 6.0 on offers
 * without configuration; by keyspace events, which have to be turned on; or
 * not at all, then everything is compared from time to time.
 */

typedef enum {
    NGX_STREAM_DNS_STEP_NONE = 0,
    NGX_STREAM_DNS_STEP_ID,                 /* CLIENT ID */
    NGX_STREAM_DNS_STEP_SUBSCRIBE,          /* to invalidations */
    NGX_STREAM_DNS_STEP_TRACKING,
    NGX_STREAM_DNS_STEP_CONFIG,             /* of keyspace events */
    NGX_STREAM_DNS_STEP_EVENTS,             /* PSUBSCRIBE */
    NGX_STREAM_DNS_STEP_DONE
} ngx_stream_dns_step_e;


static void ngx_stream_dns_means_id(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_means_track(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_means_tracking(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_means_events(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_means_config(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static ngx_uint_t ngx_stream_dns_means_flags(ngx_dns_datum_t *reply);
static ngx_uint_t ngx_stream_dns_means_classes(ngx_str_t *flags);
static void ngx_stream_dns_means_pattern(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_means_done(ngx_stream_dns_sync_t *sync,
    ngx_uint_t means);
static ngx_uint_t ngx_stream_dns_means_refused(ngx_stream_dns_sync_t *sync,
    ngx_dns_datum_t *reply, const char *what);
static void ngx_stream_dns_means_subscribed(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_means_invalid(ngx_stream_dns_sync_t *sync,
    ngx_dns_datum_t *reply);
static void ngx_stream_dns_means_event(ngx_stream_dns_sync_t *sync,
    ngx_str_t *channel);
static void ngx_stream_dns_means_pong(ngx_stream_dns_sync_t *sync,
    ngx_str_t *text);
static void ngx_stream_dns_means_alive(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_means_events_alive(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);


static const char  *ngx_stream_dns_means_names[] = {
    "none", "tracking", "keyspace events", "polling"
};


#define ngx_stream_dns_means_is(s, text)                                     \
    ((s)->len == sizeof(text) - 1                                            \
     && ngx_memcmp((s)->data, text, sizeof(text) - 1) == 0)


/* Both connections work. */

void
ngx_stream_dns_means_begin(ngx_stream_dns_sync_t *sync)
{
    sync->step = NGX_STREAM_DNS_STEP_ID;
    sync->hears = 0;
    sync->polls = 0;
    sync->tracked = 0;

    (void) ngx_stream_dns_redis_words(sync->note, ngx_stream_dns_means_id,
                                      sync, "CLIENT", "ID", NULL);
}


static void
ngx_stream_dns_means_id(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    if (reply == NULL) {
        return;
    }

    ngx_stream_dns_redis_listen(sync->note);

    if (reply->type != NGX_DNS_REPLY_INTEGER) {

        if (ngx_stream_dns_means_refused(sync, reply, "CLIENT ID")) {
            ngx_stream_dns_means_events(sync);
        }

        return;
    }

    sync->client = reply->integer;
    sync->step = NGX_STREAM_DNS_STEP_SUBSCRIBE;

    (void) ngx_stream_dns_redis_words(sync->note, NULL, NULL, "SUBSCRIBE",
                                      "__redis__:invalidate", NULL);
}


/*
 * All keys of the zones, whoever reads them: the server remembers no key of
 * ours, and a change of one that was never read is told too.
 */

static void
ngx_stream_dns_means_track(ngx_stream_dns_sync_t *sync)
{
    u_char      id[NGX_INT64_LEN];
    ngx_str_t   argv[8];

    sync->step = NGX_STREAM_DNS_STEP_TRACKING;

    ngx_str_set(&argv[0], "CLIENT");
    ngx_str_set(&argv[1], "TRACKING");
    ngx_str_set(&argv[2], "ON");
    ngx_str_set(&argv[3], "REDIRECT");
    argv[4].data = id;
    argv[4].len = ngx_sprintf(id, "%L", sync->client) - id;
    ngx_str_set(&argv[5], "BCAST");
    ngx_str_set(&argv[6], "PREFIX");
    argv[7] = sync->base;

    (void) ngx_stream_dns_redis_command(sync->data,
                                        ngx_stream_dns_means_tracking, sync,
                                        8, argv);
}


static void
ngx_stream_dns_means_tracking(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    if (reply == NULL) {
        return;
    }

    if (reply->type == NGX_DNS_REPLY_STATUS) {
        sync->tracked = 1;
        ngx_stream_dns_means_done(sync, NGX_STREAM_DNS_MEANS_TRACKING);
        return;
    }

    if (ngx_stream_dns_means_refused(sync, reply, "CLIENT TRACKING")) {
        ngx_stream_dns_means_events(sync);
    }
}


static void
ngx_stream_dns_means_events(ngx_stream_dns_sync_t *sync)
{
    sync->step = NGX_STREAM_DNS_STEP_CONFIG;

    (void) ngx_stream_dns_redis_words(sync->data,
                                      ngx_stream_dns_means_config, sync,
                                      "CONFIG", "GET",
                                      "notify-keyspace-events", NULL);
}


static void
ngx_stream_dns_means_config(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    if (reply == NULL) {
        return;
    }

    if (ngx_stream_dns_means_flags(reply)) {

        if (!ngx_stream_dns_means_classes(&reply->elts[1]->str)) {
            ngx_stream_dns_means_done(sync, NGX_STREAM_DNS_MEANS_POLLING);
            return;
        }

        ngx_stream_dns_means_pattern(sync);
        return;
    }

    /* events may be on or not: they are listened to, and not relied on */

    if (ngx_stream_dns_means_refused(sync, reply, "CONFIG GET")) {
        sync->polls = 1;
        ngx_stream_dns_means_pattern(sync);
    }
}


/* 1: it is the reply to CONFIG GET of one parameter */

static ngx_uint_t
ngx_stream_dns_means_flags(ngx_dns_datum_t *reply)
{
    return reply->type == NGX_DNS_REPLY_ARRAY
           && reply->n == 2
           && reply->elts[1]->type == NGX_DNS_REPLY_STRING;
}


/* sets, hashes, strings, generic commands */

static ngx_uint_t
ngx_stream_dns_means_classes(ngx_str_t *flags)
{
    u_char  *p;

    if (ngx_strlchr(flags->data, flags->data + flags->len, 'K') == NULL) {
        return 0;
    }

    if (ngx_strlchr(flags->data, flags->data + flags->len, 'A') != NULL) {
        return 1;
    }

    for (p = (u_char *) "sh$g"; *p; p++) {
        if (ngx_strlchr(flags->data, flags->data + flags->len, *p) == NULL) {
            return 0;
        }
    }

    return 1;
}


static void
ngx_stream_dns_means_pattern(ngx_stream_dns_sync_t *sync)
{
    u_char     *p, c;
    size_t      i;
    ngx_str_t   argv[2];

    sync->step = NGX_STREAM_DNS_STEP_EVENTS;

    p = ngx_sprintf(sync->name, "__keyspace@%ui__:", sync->src->db);

    for (i = 0; i < sync->base.len; i++) {
        c = sync->base.data[i];

        if (c == '*' || c == '?' || c == '[' || c == ']' || c == '\\') {
            *p++ = '\\';
        }

        *p++ = c;
    }

    *p++ = '*';

    ngx_str_set(&argv[0], "PSUBSCRIBE");
    argv[1].data = sync->name;
    argv[1].len = p - sync->name;

    (void) ngx_stream_dns_redis_command(sync->note, NULL, NULL, 2, argv);
}


static void
ngx_stream_dns_means_done(ngx_stream_dns_sync_t *sync, ngx_uint_t means)
{
    ngx_stream_dns_source_t  *src;

    src = sync->src;

    sync->step = NGX_STREAM_DNS_STEP_DONE;
    sync->means = means;
    sync->hears = (means != NGX_STREAM_DNS_MEANS_POLLING);

    if (!sync->hears) {
        sync->polls = 1;
    }

    if (sync->logged != means) {
        sync->logged = means;

        if (sync->polls) {
            ngx_log_error(NGX_LOG_NOTICE, src->log, 0,
                          "redis changes are heard of by %s%s, everything is "
                          "compared every %M ms",
                          ngx_stream_dns_means_names[means],
                          sync->hears ? " and polling" : "", src->poll);

        } else {
            ngx_log_error(NGX_LOG_NOTICE, src->log, 0,
                          "redis changes are heard of by %s",
                          ngx_stream_dns_means_names[means]);
        }
    }

    ngx_stream_dns_sync_heard_of(sync);
}


/* 1: the next means is tried; 0: the server cannot be used at present */

static ngx_uint_t
ngx_stream_dns_means_refused(ngx_stream_dns_sync_t *sync,
    ngx_dns_datum_t *reply, const char *what)
{
    ngx_str_t  text;

    ngx_str_set(&text, "not the reply that was asked for");

    if (reply->type == NGX_DNS_REPLY_ERROR) {
        text = reply->str;
    }

    if (ngx_stream_dns_sync_error(sync, &text) == NGX_OK) {
        return 0;
    }

    ngx_log_error(NGX_LOG_INFO, sync->src->log, 0,
                  "redis refuses %s: \"%V\"", what, &text);

    return 1;
}


/* What comes on the connection that listens. */

void
ngx_stream_dns_means_message(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    ngx_str_t  *kind;

    if (reply->type == NGX_DNS_REPLY_ERROR) {

        if (sync->step == NGX_STREAM_DNS_STEP_SUBSCRIBE) {

            if (ngx_stream_dns_means_refused(sync, reply, "SUBSCRIBE")) {
                ngx_stream_dns_means_events(sync);
            }

        } else if (sync->step == NGX_STREAM_DNS_STEP_EVENTS) {

            if (ngx_stream_dns_means_refused(sync, reply, "PSUBSCRIBE")) {
                ngx_stream_dns_means_done(sync, NGX_STREAM_DNS_MEANS_POLLING);
            }
        }

        return;
    }

    if (reply->type != NGX_DNS_REPLY_ARRAY || reply->n < 2) {
        return;
    }

    kind = &reply->elts[0]->str;

    if (ngx_stream_dns_means_is(kind, "message") && reply->n == 3) {
        ngx_stream_dns_means_invalid(sync, reply->elts[2]);

    } else if (ngx_stream_dns_means_is(kind, "pmessage") && reply->n == 4) {
        ngx_stream_dns_means_event(sync, &reply->elts[2]->str);

    } else if (ngx_stream_dns_means_is(kind, "pong")) {
        ngx_stream_dns_means_pong(sync, &reply->elts[1]->str);

    } else if (ngx_stream_dns_means_is(kind, "subscribe")
               || ngx_stream_dns_means_is(kind, "psubscribe"))
    {
        ngx_stream_dns_means_subscribed(sync);
    }
}


static void
ngx_stream_dns_means_subscribed(ngx_stream_dns_sync_t *sync)
{
    if (sync->step == NGX_STREAM_DNS_STEP_SUBSCRIBE) {
        ngx_stream_dns_means_track(sync);

    } else if (sync->step == NGX_STREAM_DNS_STEP_EVENTS) {
        ngx_stream_dns_means_done(sync, NGX_STREAM_DNS_MEANS_EVENTS);
    }
}


/* keys, or nothing: a database was flushed */

static void
ngx_stream_dns_means_invalid(ngx_stream_dns_sync_t *sync,
    ngx_dns_datum_t *reply)
{
    size_t  i;

    if (!sync->tracked) {
        return;
    }

    if (reply->type != NGX_DNS_REPLY_ARRAY) {
        ngx_stream_dns_heard_all(sync);
        return;
    }

    for (i = 0; i < reply->n; i++) {
        ngx_stream_dns_heard(sync, &reply->elts[i]->str);
    }
}


/* "__keyspace@0__:" and the key */

static void
ngx_stream_dns_means_event(ngx_stream_dns_sync_t *sync, ngx_str_t *channel)
{
    u_char     *p;
    ngx_str_t   key;

    p = ngx_strlchr(channel->data, channel->data + channel->len, ':');
    if (p == NULL) {
        return;
    }

    key.data = p + 1;
    key.len = channel->data + channel->len - key.data;

    ngx_stream_dns_heard(sync, &key);
}


/*
 * A round trip on both connections: what was said before has been heard.  n
 * goes there and back; 0: only to see whether they live.
 */

void
ngx_stream_dns_means_ping(ngx_stream_dns_sync_t *sync, uint64_t n)
{
    u_char      text[NGX_INT64_LEN];
    ngx_str_t   argv[2];

    ngx_str_set(&argv[0], "PING");
    argv[1].data = text;
    argv[1].len = ngx_sprintf(text, "%uL", n) - text;

    if (n != 0) {
        (void) ngx_stream_dns_redis_command(sync->note, NULL, NULL, 2, argv);
        return;
    }

    sync->ping = 2;

    (void) ngx_stream_dns_redis_command(sync->note, NULL, NULL, 2, argv);

    if (sync->tracked && !sync->noinfo) {
        (void) ngx_stream_dns_redis_words(sync->data,
                                          ngx_stream_dns_means_alive, sync,
                                          "CLIENT", "TRACKINGINFO", NULL);
        return;
    }

    if (sync->means == NGX_STREAM_DNS_MEANS_EVENTS && !sync->polls) {
        (void) ngx_stream_dns_redis_words(sync->data,
                                          ngx_stream_dns_means_events_alive,
                                          sync, "CONFIG", "GET",
                                          "notify-keyspace-events", NULL);
        return;
    }

    (void) ngx_stream_dns_redis_command(sync->data,
                                        ngx_stream_dns_means_alive, sync,
                                        2, argv);
}


static void
ngx_stream_dns_means_pong(ngx_stream_dns_sync_t *sync, ngx_str_t *text)
{
    ngx_int_t  n;

    n = ngx_atoi(text->data, text->len);

    if (n > 0) {

        if (sync->handing == (uint64_t) n && sync->src->shared->synced) {
            sync->src->shared->handed = sync->handing;
        }

        sync->handing = 0;
        return;
    }

    if (sync->ping != 0) {
        ngx_stream_dns_sync_contact(sync);
    }
}


/* the server says too when its messages go nowhere, from 6.2 on */

static void
ngx_stream_dns_means_alive(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    size_t            i;
    ngx_dns_datum_t  *flags;

    if (reply == NULL) {
        return;
    }

    if (reply->type == NGX_DNS_REPLY_ERROR) {

        if (ngx_stream_dns_sync_error(sync, &reply->str) == NGX_OK) {
            return;
        }

        sync->noinfo = 1;
    }

    if (reply->type == NGX_DNS_REPLY_ARRAY
        && reply->n >= 2
        && reply->elts[1]->type == NGX_DNS_REPLY_ARRAY)
    {
        flags = reply->elts[1];

        for (i = 0; i < flags->n; i++) {

            if (ngx_stream_dns_means_is(&flags->elts[i]->str,
                                        "broken_redirect")
                || ngx_stream_dns_means_is(&flags->elts[i]->str, "off"))
            {
                ngx_stream_dns_sync_lost(sync, "tracking is broken");
                return;
            }
        }
    }

    if (sync->ping != 0) {
        ngx_stream_dns_sync_contact(sync);
    }
}


/* events may have been turned off since, which nobody is told */

static void
ngx_stream_dns_means_events_alive(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    if (reply == NULL) {
        return;
    }

    if (reply->type == NGX_DNS_REPLY_ERROR
        && ngx_stream_dns_sync_error(sync, &reply->str) == NGX_OK)
    {
        return;
    }

    if (!ngx_stream_dns_means_flags(reply)
        || !ngx_stream_dns_means_classes(&reply->elts[1]->str))
    {
        ngx_stream_dns_sync_lost(sync, "keyspace events are off");
        return;
    }

    if (sync->ping != 0) {
        ngx_stream_dns_sync_contact(sync);
    }
}
