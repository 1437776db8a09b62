
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_HEARD_MAX  (1024 * 1024)     /* octets kept */
#define NGX_STREAM_DNS_KEY_MAX    65535             /* of an entry */


/* what a key is */

typedef enum {
    NGX_STREAM_DNS_KEY_OTHER = 0,
    NGX_STREAM_DNS_KEY_LIST,
    NGX_STREAM_DNS_KEY_ZONE,
    NGX_STREAM_DNS_KEY_TAIL                 /* of a zone: with its tail */
} ngx_stream_dns_key_e;

typedef struct {
    ngx_uint_t               kind;
    ngx_stream_dns_zone_t   *zone;          /* NULL: it is not known */
    ngx_str_t                name;          /* of the zone, as in the key */
    ngx_str_t                tail;
} ngx_stream_dns_key_parts_t;


static void ngx_stream_dns_heard_keep(ngx_stream_dns_sync_t *sync,
    ngx_str_t *key);
static void ngx_stream_dns_heard_at(ngx_stream_dns_sync_t *sync,
    ngx_str_t *key, uint64_t pos);
static void ngx_stream_dns_heard_list(ngx_stream_dns_sync_t *sync,
    uint64_t pos);
static void ngx_stream_dns_heard_parse(ngx_stream_dns_sync_t *sync,
    ngx_str_t *key, ngx_stream_dns_key_parts_t *parts);
static ngx_stream_dns_zone_t *ngx_stream_dns_heard_zone(
    ngx_stream_dns_sync_t *sync, ngx_str_t *name);
static ngx_uint_t ngx_stream_dns_heard_part(ngx_str_t *part,
    ngx_str_t *tail);
static void ngx_stream_dns_heard_tail(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_key_parts_t *parts);
static void ngx_stream_dns_heard_forget(ngx_stream_dns_sync_t *sync);


static ngx_str_t  ngx_stream_dns_heard_parts[] = {
    ngx_string(":config"),
    ngx_string(":labels"),
    ngx_string(":zsk:pub"),
    ngx_string(":zsk:priv"),
    ngx_string(":ksk:pub"),
    ngx_string(":ksk:priv"),
    ngx_null_string
};


/*
 * A key has changed.  It goes into the log before anything else happens: a
 * successor finds there what this process did not come to.
 */

void
ngx_stream_dns_heard(ngx_stream_dns_sync_t *sync, ngx_str_t *key)
{
    uint64_t  pos;

    if (key->len < sync->base.len
        || ngx_memcmp(key->data, sync->base.data, sync->base.len) != 0)
    {
        return;
    }

    if (!sync->writer) {
        ngx_stream_dns_heard_keep(sync, key);
        return;
    }

    pos = sync->src->shared->log_head + 1;

    if (ngx_dns_publish_log_append(sync->src->publisher, key) == 0) {
        sync->log_lost = 1;
        sync->src->shared->synced = 0;
    }

    ngx_stream_dns_heard_at(sync, key, pos);
}


/* the server says only that something has changed */

void
ngx_stream_dns_heard_all(ngx_stream_dns_sync_t *sync)
{
    if (!sync->writer) {
        sync->keys_lost = 1;
        return;
    }

    sync->src->shared->synced = 0;
    sync->in_step = 0;

    ngx_stream_dns_compare_begin(sync);
}


static void
ngx_stream_dns_heard_keep(ngx_stream_dns_sync_t *sync, ngx_str_t *key)
{
    u_char    *p;
    size_t     size;
    uint16_t   len;

    if (sync->keys_lost) {
        return;
    }

    if (key->len > NGX_STREAM_DNS_KEY_MAX
        || sync->keys.len + key->len + 2 > NGX_STREAM_DNS_HEARD_MAX)
    {
        sync->keys_lost = 1;
        return;
    }

    if (sync->keys.len + key->len + 2 > sync->keys_size) {
        size = 2 * sync->keys_size + key->len + 2;

        p = realloc(sync->keys.data, size);
        if (p == NULL) {
            sync->keys_lost = 1;
            return;
        }

        sync->keys.data = p;
        sync->keys_size = size;
    }

    len = (uint16_t) key->len;
    p = sync->keys.data + sync->keys.len;

    ngx_memcpy(p, &len, 2);
    ngx_memcpy(p + 2, key->data, len);

    sync->keys.len += 2 + len;
}


/*
 * The successor goes on: first what the log holds, then what this process
 * heard before it was the writer.
 */

void
ngx_stream_dns_heard_replay(ngx_stream_dns_sync_t *sync)
{
    u_char      *p, *last;
    uint16_t     len;
    uint64_t     pos, start;
    ngx_str_t    key;
    ngx_uint_t   n, m;
    static u_char  buf[NGX_STREAM_DNS_KEY_MAX];

    n = 0;
    m = 0;
    pos = sync->src->shared->log_tail;

    for ( ;; ) {
        start = pos;

        if (ngx_dns_publish_log_read(sync->src->publisher, &pos, buf,
                                     sizeof(buf), &key)
            != NGX_OK)
        {
            break;
        }

        ngx_stream_dns_heard_at(sync, &key, start + 1);
        n++;
    }

    p = sync->keys.data;
    last = p + sync->keys.len;

    for ( /* void */ ; p < last; p += 2 + len) {
        ngx_memcpy(&len, p, 2);

        key.len = len;
        key.data = p + 2;

        ngx_stream_dns_heard(sync, &key);
        m++;
    }

    ngx_log_error(NGX_LOG_NOTICE, sync->src->log, 0,
                  "redis zones taken over in step: %ui zones, "
                  "%ui changes from the log, %ui heard of",
                  sync->nzones, n, m);
}


static void
ngx_stream_dns_heard_at(ngx_stream_dns_sync_t *sync, ngx_str_t *key,
    uint64_t pos)
{
    ngx_stream_dns_key_parts_t  parts;

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, sync->src->log, 0,
                   "dns redis key changed: \"%V\"", key);

    ngx_stream_dns_heard_parse(sync, key, &parts);

    switch (parts.kind) {

    case NGX_STREAM_DNS_KEY_LIST:
        ngx_stream_dns_heard_list(sync, pos);
        return;

    case NGX_STREAM_DNS_KEY_TAIL:
        ngx_stream_dns_heard_tail(sync, &parts);
        break;

    case NGX_STREAM_DNS_KEY_ZONE:
        break;

    default:
        return;
    }

    if (parts.zone != NULL && parts.zone->listed) {
        ngx_stream_dns_zone_changed(sync, parts.zone, pos);
    }
}


static void
ngx_stream_dns_heard_list(ngx_stream_dns_sync_t *sync, uint64_t pos)
{
    if (sync->list_pos == 0) {
        sync->list_pos = pos;

    } else if (sync->listing && sync->list_again == 0) {
        sync->list_again = pos;
    }

    sync->list_dirty = 1;

    ngx_stream_dns_sync_alarm(sync, NGX_STREAM_DNS_GATHER);
}


/* a key that exists, met by SCAN */

void
ngx_stream_dns_heard_scanned(ngx_stream_dns_sync_t *sync, ngx_str_t *key)
{
    ngx_stream_dns_key_parts_t  parts;

    ngx_stream_dns_heard_parse(sync, key, &parts);

    if (parts.kind == NGX_STREAM_DNS_KEY_TAIL) {
        ngx_stream_dns_heard_tail(sync, &parts);
    }
}


/*
 * A name of a zone may hold colons too, in theory: the zone that exists is
 * meant.
 */

static void
ngx_stream_dns_heard_parse(ngx_stream_dns_sync_t *sync, ngx_str_t *key,
    ngx_stream_dns_key_parts_t *parts)
{
    u_char     *p, *last;
    ngx_str_t   rest, part, name, tail;

    ngx_memzero(parts, sizeof(ngx_stream_dns_key_parts_t));

    rest.data = key->data + sync->base.len;
    last = key->data + key->len - sync->src->suffix.len;

    if (key->len < sync->base.len + sync->src->suffix.len
        || ngx_memcmp(last, sync->src->suffix.data, sync->src->suffix.len)
           != 0)
    {
        return;
    }

    if (rest.data == last) {
        parts->kind = NGX_STREAM_DNS_KEY_LIST;
        return;
    }

    if (*rest.data != ':') {
        return;
    }

    name.data = rest.data + 1;

    for (p = name.data; p < last; p++) {

        if (*p != ':') {
            continue;
        }

        part.data = p;
        part.len = last - p;

        if (!ngx_stream_dns_heard_part(&part, &tail)) {
            continue;
        }

        name.len = p - name.data;
        parts->zone = ngx_stream_dns_heard_zone(sync, &name);

        if (parts->kind == NGX_STREAM_DNS_KEY_OTHER || parts->zone != NULL) {
            parts->name = name;
            parts->tail = tail;
            parts->kind = (tail.len != 0) ? NGX_STREAM_DNS_KEY_TAIL
                                          : NGX_STREAM_DNS_KEY_ZONE;
        }

        if (parts->zone != NULL) {
            return;
        }
    }

    if (parts->kind != NGX_STREAM_DNS_KEY_OTHER) {
        return;
    }

    name.len = last - name.data;

    parts->kind = NGX_STREAM_DNS_KEY_ZONE;
    parts->name = name;
    parts->zone = ngx_stream_dns_heard_zone(sync, &name);
}


static ngx_stream_dns_zone_t *
ngx_stream_dns_heard_zone(ngx_stream_dns_sync_t *sync, ngx_str_t *name)
{
    u_char       apex[NGX_DNS_NAME_MAX + 1];
    size_t       len;
    ngx_uint_t   changed;
    const char  *err;

    if (name->len == 0) {
        return NULL;
    }

    len = ngx_dns_build_apex(apex, name, &changed, &err);

    return (len == 0) ? NULL : ngx_stream_dns_table_find(sync, apex, len);
}


/* 1: what follows a zone in a key; tail is what follows ":labels:" */

static ngx_uint_t
ngx_stream_dns_heard_part(ngx_str_t *part, ngx_str_t *tail)
{
    ngx_str_t  *s;

    static ngx_str_t  labels = ngx_string(":labels:");

    ngx_str_null(tail);

    if (part->len > labels.len
        && ngx_memcmp(part->data, labels.data, labels.len) == 0)
    {
        tail->data = part->data + labels.len;
        tail->len = part->len - labels.len;
        return 1;
    }

    for (s = ngx_stream_dns_heard_parts; s->len != 0; s++) {

        if (s->len == part->len
            && ngx_memcmp(s->data, part->data, s->len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Keys of zones that are not listed are noted too: the list is often written
 * last.  There is a bound, and without memory names of keys are looked for
 * when the zone is read.
 */

static void
ngx_stream_dns_heard_tail(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_key_parts_t *parts)
{
    u_char       apex[NGX_DNS_NAME_MAX + 1];
    size_t       len;
    ngx_uint_t   changed;
    const char  *err;

    if (parts->zone == NULL) {

        if (!sync->complete && !sync->scanning) {
            return;
        }

        if (sync->unlisted >= NGX_STREAM_DNS_UNLISTED) {
            ngx_stream_dns_heard_forget(sync);
        }

        len = ngx_dns_build_apex(apex, &parts->name, &changed, &err);
        if (len == 0) {
            return;
        }

        parts->zone = ngx_stream_dns_table_add(sync, apex, len, &parts->name);
        if (parts->zone == NULL) {
            sync->complete = 0;
            sync->spoiled = 1;
            return;
        }
    }

    if (ngx_stream_dns_tails_add(&parts->zone->tails, &parts->tail)
        != NGX_OK)
    {
        sync->complete = 0;
        sync->spoiled = 1;
    }
}


static void
ngx_stream_dns_heard_forget(ngx_stream_dns_sync_t *sync)
{
    ngx_uint_t              i;
    ngx_stream_dns_zone_t  *z, *next;

    for (i = 0; i < sync->nbuckets; i++) {

        for (z = sync->buckets[i]; z != NULL; z = next) {
            next = z->next;

            if (!z->listed && z->state == NGX_STREAM_DNS_ZONE_IDLE) {
                ngx_stream_dns_table_remove(sync, z);
            }
        }
    }

    sync->complete = 0;
    sync->spoiled = 1;
}
