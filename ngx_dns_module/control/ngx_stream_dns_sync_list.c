
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_SETTLE  1000         /* ms that a list must not change */


static void ngx_stream_dns_list_next(ngx_stream_dns_sync_t *sync,
    ngx_str_t *cursor);
static void ngx_stream_dns_list_hold(ngx_stream_dns_cursor_t *held,
    ngx_str_t *cursor);
static void ngx_stream_dns_list_reply(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_list_member(ngx_stream_dns_sync_t *sync,
    ngx_str_t *member);
static void ngx_stream_dns_list_refused(ngx_stream_dns_sync_t *sync,
    ngx_str_t *member, const char *err);
static ngx_stream_dns_zone_t *ngx_stream_dns_list_spelled(
    ngx_stream_dns_sync_t *sync, ngx_stream_dns_zone_t *z,
    ngx_str_t *member, ngx_uint_t changed);
static void ngx_stream_dns_list_failed(ngx_stream_dns_sync_t *sync,
    ngx_str_t *error);
static void ngx_stream_dns_list_end(ngx_stream_dns_sync_t *sync);
static ngx_uint_t ngx_stream_dns_list_believed(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_list_done(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_scan_next(ngx_stream_dns_sync_t *sync,
    ngx_str_t *cursor);
static void ngx_stream_dns_scan_reply(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_compare_zones(ngx_stream_dns_sync_t *sync);


static ngx_str_t  ngx_stream_dns_list_zero = ngx_string("0");


/*
 * Reads the list of zones.  What changes meanwhile is heard of, and the list
 * is read again; SSCAN gives every member that is there all the time.
 */

void
ngx_stream_dns_list_begin(ngx_stream_dns_sync_t *sync)
{
    if (sync->listing || sync->sweep != NGX_STREAM_DNS_SWEEP_NONE) {
        sync->list_dirty = 1;
        return;
    }

    sync->listing = 1;
    sync->list_dirty = 0;
    sync->listed = 0;
    sync->refused = 0;
    sync->generation++;
    sync->list_begun = ngx_current_msec;

    ngx_stream_dns_list_next(sync, &ngx_stream_dns_list_zero);
}


static void
ngx_stream_dns_list_next(ngx_stream_dns_sync_t *sync, ngx_str_t *cursor)
{
    u_char     *p;
    ngx_str_t   argv[5];

    if (sync->sender != NULL) {
        ngx_stream_dns_list_hold(&sync->list_cursor, cursor);
        return;
    }

    p = ngx_cpymem(sync->name, sync->base.data, sync->base.len);
    p = ngx_cpymem(p, sync->src->suffix.data, sync->src->suffix.len);

    ngx_str_set(&argv[0], "SSCAN");
    argv[1].data = sync->name;
    argv[1].len = p - sync->name;
    argv[2] = *cursor;
    ngx_str_set(&argv[3], "COUNT");
    ngx_str_set(&argv[4], "1000");

    if (ngx_stream_dns_redis_command(sync->data, ngx_stream_dns_list_reply,
                                     sync, 5, argv)
        != NGX_OK)
    {
        sync->listing = 0;
        sync->list_dirty = 1;
    }
}


/* nothing may come between the commands of a transaction */

static void
ngx_stream_dns_list_hold(ngx_stream_dns_cursor_t *held, ngx_str_t *cursor)
{
    held->held = 1;
    held->len = ngx_min(cursor->len, sizeof(held->data));
    ngx_memcpy(held->data, cursor->data, held->len);
}


/* it is all sent */

void
ngx_stream_dns_list_resume(ngx_stream_dns_sync_t *sync)
{
    ngx_str_t  cursor;

    if (sync->list_cursor.held) {
        sync->list_cursor.held = 0;

        cursor.len = sync->list_cursor.len;
        cursor.data = sync->list_cursor.data;

        ngx_stream_dns_list_next(sync, &cursor);
    }

    if (sync->scan_cursor.held) {
        sync->scan_cursor.held = 0;

        cursor.len = sync->scan_cursor.len;
        cursor.data = sync->scan_cursor.data;

        ngx_stream_dns_scan_next(sync, &cursor);
    }
}


static void
ngx_stream_dns_list_reply(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    size_t            i;
    ngx_str_t         cursor;
    ngx_uint_t        more;
    ngx_dns_datum_t  *list;

    if (reply == NULL) {
        sync->listing = 0;
        sync->list_dirty = 1;
        return;
    }

    if (reply->type == NGX_DNS_REPLY_ERROR) {
        ngx_stream_dns_list_failed(sync, &reply->str);
        return;
    }

    if (reply->type != NGX_DNS_REPLY_ARRAY
        || reply->n != 2
        || reply->elts[0]->type != NGX_DNS_REPLY_STRING
        || reply->elts[1]->type != NGX_DNS_REPLY_ARRAY)
    {
        ngx_str_set(&cursor, "not the reply of SSCAN");
        ngx_stream_dns_list_failed(sync, &cursor);
        return;
    }

    list = reply->elts[1];
    cursor = reply->elts[0]->str;
    more = (cursor.len != 1 || cursor.data[0] != '0');

    if (more) {

        /* the server looks for the next ones meanwhile */

        ngx_stream_dns_list_next(sync, &cursor);
        ngx_stream_dns_redis_push(r);
    }

    for (i = 0; i < list->n; i++) {

        if (list->elts[i]->type == NGX_DNS_REPLY_STRING) {
            ngx_stream_dns_list_member(sync, &list->elts[i]->str);
        }
    }

    if (!more) {
        ngx_stream_dns_list_end(sync);
    }
}


static void
ngx_stream_dns_list_member(ngx_stream_dns_sync_t *sync, ngx_str_t *member)
{
    u_char                  apex[NGX_DNS_NAME_MAX + 1];
    size_t                  len;
    ngx_uint_t              changed;
    const char             *err;
    ngx_stream_dns_zone_t  *z;

    sync->listed++;

    len = (member->len > NGX_STREAM_DNS_TAIL_MAX)
          ? 0 : ngx_dns_build_apex(apex, member, &changed, &err);

    if (len == 0) {
        ngx_stream_dns_list_refused(sync, member,
                                    (member->len > NGX_STREAM_DNS_TAIL_MAX)
                                    ? "it is too long" : err);
        return;
    }

    z = ngx_stream_dns_table_find(sync, apex, len);

    if (z == NULL) {
        z = ngx_stream_dns_table_add(sync, apex, len, member);
        if (z == NULL) {
            sync->list_dirty = 1;
            return;
        }

        z->spelled = sync->generation;

    } else {
        z = ngx_stream_dns_list_spelled(sync, z, member, changed);
    }

    if (z->generation == sync->generation) {
        return;
    }

    z->generation = sync->generation;

    if (z->listed) {
        return;
    }

    z->listed = 1;
    z->gone = 0;
    sync->unlisted--;
    sync->nlisted++;

    if (changed) {
        ngx_log_error(NGX_LOG_WARN, sync->src->log, 0,
                      "redis zone \"%V\" is not written as it should be, "
                      "in lower case with a final dot", member);
    }

    ngx_stream_dns_zone_changed(sync, z, sync->list_pos);
}


/*
 * The spelling decides where the keys of the zone are.  If there are two, the
 * one that is as it should be is taken; another one only if the old one was
 * not met the last time.  While the zone is being read it stays what it was.
 */

static ngx_stream_dns_zone_t *
ngx_stream_dns_list_spelled(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_str_t *member, ngx_uint_t changed)
{
    ngx_stream_dns_zone_t  *new;

    if (z->member_len == member->len
        && ngx_memcmp(ngx_stream_dns_zone_member(z), member->data,
                      member->len)
           == 0)
    {
        z->spelled = sync->generation;
        return z;
    }

    if (changed && z->spelled != 0 && z->spelled + 1 >= sync->generation) {

        return z;
    }

    if (z->state != NGX_STREAM_DNS_ZONE_IDLE) {
        sync->list_dirty = 1;
        return z;
    }

    new = ngx_stream_dns_table_add(sync, z->data, z->apex_len, member);
    if (new == NULL) {
        return z;
    }

    new->tails = z->tails;
    new->messages = z->messages;
    new->bad = z->bad;
    new->generation = z->generation;
    new->spelled = sync->generation;

    if (z->listed) {
        new->listed = 1;
        sync->unlisted--;
    }

    ngx_memzero(&z->tails, sizeof(ngx_stream_dns_tails_t));
    z->bad = 0;

    ngx_stream_dns_table_remove(sync, z);

    if (new->listed) {
        ngx_stream_dns_zone_changed(sync, new, sync->list_pos);
    }

    return new;
}


static void
ngx_stream_dns_list_refused(ngx_stream_dns_sync_t *sync, ngx_str_t *member,
    const char *err)
{
    uint32_t   hash;
    ngx_str_t  shown;

    /* what is refused all the time is logged once, when it comes */

    hash = ngx_murmur_hash2(member->data, member->len);
    sync->refused += hash | 1;

    if (sync->refused_last != 0) {
        return;
    }

    shown = *member;
    shown.len = ngx_min(shown.len, 256);

    if (sync->doubt_lines++ < 20) {
        ngx_log_error(NGX_LOG_WARN, sync->src->log, 0,
                      "redis zone \"%V\" is ignored: %s", &shown, err);
    }
}


/* what is loaded stays: an error is no empty list */

static void
ngx_stream_dns_list_failed(ngx_stream_dns_sync_t *sync, ngx_str_t *error)
{
    sync->listing = 0;

    if (ngx_stream_dns_sync_error(sync, error) == NGX_OK) {
        return;
    }

    if (!sync->list_failed) {
        ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                      "redis list of zones \"%V%V\" cannot be read: \"%V\", "
                      "%ui zones are kept",
                      &sync->base, &sync->src->suffix, error, sync->nlisted);
    }

    sync->list_failed = 1;

    ngx_stream_dns_list_done(sync);
}


static void
ngx_stream_dns_list_end(ngx_stream_dns_sync_t *sync)
{
    sync->refused_last = sync->refused;

    if (sync->list_failed) {
        sync->list_failed = 0;

        ngx_log_error(NGX_LOG_NOTICE, sync->src->log, 0,
                      "redis list of zones can be read again");
    }

    /* no comparison ends, and none begins, while zones are taken out */

    if (ngx_stream_dns_list_believed(sync)) {
        ngx_stream_dns_sweep_begin(sync, NGX_STREAM_DNS_SWEEP_DELIST);
        return;
    }

    ngx_stream_dns_list_swept(sync);
}


/* only what is in the list is left */

void
ngx_stream_dns_list_swept(ngx_stream_dns_sync_t *sync)
{
    sync->listing = 0;

    ngx_stream_dns_list_done(sync);

    if (!sync->src->shared->ready && !sync->comparison) {

        /* it is the first list that can be read */

        ngx_stream_dns_compare_begin(sync);
    }
}


/*
 * An empty list is not believed.  One that comes after it may be on its way
 * back, member by member: it has to stay the same for a while.
 */

static ngx_uint_t
ngx_stream_dns_list_believed(ngx_stream_dns_sync_t *sync)
{
    ngx_uint_t  before;

    before = sync->list_before;
    sync->list_before = sync->listed;

    if (sync->src->drop || sync->nlisted == 0) {
        sync->list_doubted = 0;
        return 1;
    }

    if (sync->listed == 0) {

        if (!sync->list_doubted) {
            sync->list_doubted = 1;
            ngx_stream_dns_stat(sync->src,
                                NGX_STREAM_DNS_STAT_DISBELIEVED)++;

            ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                          "redis list of zones \"%V%V\" is empty, "
                          "%ui zones are kept",
                          &sync->base, &sync->src->suffix, sync->nlisted);
        }

        return 0;
    }

    if (!sync->list_doubted) {
        return 1;
    }

    if (before != sync->listed || sync->list_dirty) {
        sync->list_dirty = 1;
        sync->list_next = ngx_current_msec + NGX_STREAM_DNS_SETTLE;
        return 0;
    }

    sync->list_doubted = 0;

    ngx_log_error(NGX_LOG_NOTICE, sync->src->log, 0,
                  "redis list of zones is back, %ui members", sync->listed);

    return 1;
}


/* the next one may not begin at once: many zones are a long list */

static void
ngx_stream_dns_list_done(ngx_stream_dns_sync_t *sync)
{
    ngx_msec_t  spent;

    spent = ngx_current_msec - sync->list_begun;

    if (!sync->list_dirty || !sync->list_doubted) {
        sync->list_next = ngx_current_msec + ngx_min(2 * spent, 1000);
    }

    if (sync->list_dirty) {
        ngx_stream_dns_sync_alarm(sync, NGX_STREAM_DNS_GATHER);
    }

    if (sync->comparison && !sync->compared) {

        if (sync->sets) {
            ngx_stream_dns_scan_begin(sync);
        }

        ngx_stream_dns_compare_zones(sync);
    }

    sync->list_pos = sync->list_again;
    sync->list_again = 0;

    ngx_stream_dns_sync_applied(sync);
    ngx_stream_dns_compare_check(sync);
    ngx_stream_dns_sync_post(sync);
}


/*
 * The names of all keys, for zones of L4: from then on every string key of a
 * zone is known, as long as changes are heard of.
 */

void
ngx_stream_dns_scan_begin(ngx_stream_dns_sync_t *sync)
{
    if (sync->scanning) {
        return;
    }

    sync->scanning = 1;
    sync->spoiled = 0;

    ngx_stream_dns_scan_next(sync, &ngx_stream_dns_list_zero);
}


static void
ngx_stream_dns_scan_next(ngx_stream_dns_sync_t *sync, ngx_str_t *cursor)
{
    u_char     *p, c;
    size_t      i, n;
    ngx_str_t   argv[6], parts[3];

    if (sync->sender != NULL) {
        ngx_stream_dns_list_hold(&sync->scan_cursor, cursor);
        return;
    }

    ngx_str_set(&argv[0], "SCAN");
    argv[1] = *cursor;
    ngx_str_set(&argv[2], "MATCH");
    ngx_str_set(&argv[4], "COUNT");
    ngx_str_set(&argv[5], "1000");

    parts[0] = sync->base;
    ngx_str_set(&parts[1], ":*:labels:*");
    parts[2] = sync->src->suffix;

    p = sync->name;

    for (n = 0; n < 3; n++) {

        for (i = 0; i < parts[n].len; i++) {
            c = parts[n].data[i];

            if (n != 1
                && (c == '*' || c == '?' || c == '[' || c == ']'
                    || c == '\\'))
            {
                *p++ = '\\';
            }

            *p++ = c;
        }
    }

    argv[3].data = sync->name;
    argv[3].len = p - sync->name;

    if (ngx_stream_dns_redis_command(sync->data, ngx_stream_dns_scan_reply,
                                     sync, 6, argv)
        != NGX_OK)
    {
        sync->scanning = 0;
    }
}


static void
ngx_stream_dns_scan_reply(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    size_t            i;
    ngx_str_t         cursor;
    ngx_uint_t        more;
    ngx_dns_datum_t  *list;

    if (reply == NULL) {
        sync->scanning = 0;
        return;
    }

    if (reply->type != NGX_DNS_REPLY_ARRAY
        || reply->n != 2
        || reply->elts[0]->type != NGX_DNS_REPLY_STRING
        || reply->elts[1]->type != NGX_DNS_REPLY_ARRAY)
    {
        ngx_str_set(&cursor, "not the reply of SCAN");

        if (reply->type == NGX_DNS_REPLY_ERROR) {
            cursor = reply->str;
        }

        if (ngx_stream_dns_sync_error(sync, &cursor) == NGX_OK) {
            sync->scanning = 0;
            return;
        }

        ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                      "redis keys cannot be listed: \"%V\", names of types "
                      "are tried", &cursor);

        sync->scanning = 0;
        sync->noscan = 1;
        ngx_stream_dns_compare_check(sync);
        ngx_stream_dns_sync_post(sync);
        return;
    }

    list = reply->elts[1];
    cursor = reply->elts[0]->str;
    more = (cursor.len != 1 || cursor.data[0] != '0');

    if (more) {
        ngx_stream_dns_scan_next(sync, &cursor);
        ngx_stream_dns_redis_push(r);
    }

    for (i = 0; i < list->n; i++) {

        if (list->elts[i]->type == NGX_DNS_REPLY_STRING) {
            ngx_stream_dns_heard_scanned(sync, &list->elts[i]->str);
        }
    }

    if (more) {
        return;
    }

    sync->scanning = 0;
    sync->complete = !sync->spoiled;

    /* another one would miss as much: names of types are tried */

    sync->noscan |= sync->spoiled;

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, sync->src->log, 0,
                   "dns redis keys scanned: %ui", sync->complete);

    ngx_stream_dns_compare_check(sync);
    ngx_stream_dns_sync_post(sync);
}


/* Everything is read, what is the same as before is not published. */

void
ngx_stream_dns_compare_begin(ngx_stream_dns_sync_t *sync)
{
    if (!sync->writer) {
        return;
    }

    if (sync->comparison) {
        sync->restart = 1;
        return;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_STREAM, sync->src->log, 0,
                   "dns redis comparison begins");

    ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_COMPARISONS)++;

    sync->comparison = 1;
    sync->compared = 0;
    sync->round++;
    sync->comparing = 0;
    sync->restart = 0;
    sync->complete = 0;
    sync->noscan = 0;
    sync->nomany = 0;
    sync->started = ngx_current_msec;

    ngx_stream_dns_list_begin(sync);
}


/* what changes from here on is read once more */

static void
ngx_stream_dns_compare_zones(ngx_stream_dns_sync_t *sync)
{
    sync->compared = 1;

    if (sync->list_doubted && sync->listed == 0) {

        /* with the list everything else is gone too, most likely */

        return;
    }

    ngx_stream_dns_sweep_begin(sync, NGX_STREAM_DNS_SWEEP_CHOOSE);
}


void
ngx_stream_dns_compare_check(ngx_stream_dns_sync_t *sync)
{
    if (!sync->comparison || !sync->compared || sync->comparing != 0
        || sync->listing || sync->scanning
        || sync->sweep != NGX_STREAM_DNS_SWEEP_NONE)
    {
        return;
    }

    sync->comparison = 0;

    if (sync->restart) {
        ngx_stream_dns_compare_begin(sync);
        return;
    }

    sync->rebuild = 0;

    ngx_stream_dns_sync_compared(sync);
}
