
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_dns_rr.h"
#include "ngx_stream_dns_memory.h"
#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_SCRATCH      (4 * 1024 * 1024)
#define NGX_STREAM_DNS_SMALL        1000            /* values */
#define NGX_STREAM_DNS_SMALL_SIZE   (128 * 1024)    /* octets of them */
#define NGX_STREAM_DNS_LINES        20              /* logged in a second */
#define NGX_STREAM_DNS_RETRY        1000            /* milliseconds */
#define NGX_STREAM_DNS_RETRY_MAX    60000
#define NGX_STREAM_DNS_TYPE_LAST    300             /* that is probed */
#define NGX_STREAM_DNS_WORK         (64 * 1024)     /* octets moved at once */
#define NGX_STREAM_DNS_STANDIN      1               /* digest of no content */


static ngx_uint_t ngx_stream_dns_apply_large(ngx_dns_datum_t *reply);
static void ngx_stream_dns_apply_starved(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_later(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_want(ngx_stream_dns_content_t *ct,
    ngx_msec_t pause);
static void ngx_stream_dns_apply_tails(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_full(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_error(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_wrong(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_failed(ngx_stream_dns_content_t *ct);
static ngx_int_t ngx_stream_dns_apply_publish(ngx_stream_dns_content_t *ct,
    ngx_dns_zone_t *zone);
static ngx_int_t ngx_stream_dns_apply_standin(ngx_stream_dns_content_t *ct);
static ngx_int_t ngx_stream_dns_apply_build(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text);
static void ngx_stream_dns_apply_none(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_layout(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_labels(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_hidden(ngx_stream_dns_content_t *ct);
static void ngx_stream_dns_apply_scan(ngx_stream_dns_content_t *ct);
static ngx_int_t ngx_stream_dns_apply_probe(ngx_stream_dns_zone_t *z,
    ngx_str_t *label);
static ngx_uint_t ngx_stream_dns_apply_known(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_dns_zone_t *last, ngx_str_t *label);
static ngx_int_t ngx_stream_dns_apply_tail(ngx_stream_dns_zone_t *z,
    ngx_str_t *label, u_char *type, size_t len);
static void ngx_stream_dns_apply_messages(ngx_stream_dns_content_t *ct);
static void *ngx_stream_dns_scratch_map(void *data, size_t size);
static void ngx_stream_dns_scratch_unmap(void *data, void *p, size_t size);
static void *ngx_stream_dns_scratch_trim(void *data, void *p, size_t size,
    size_t used);


ngx_int_t
ngx_stream_dns_apply_init(ngx_stream_dns_sync_t *sync)
{
    sync->memory.map = ngx_stream_dns_scratch_map;
    sync->memory.unmap = ngx_stream_dns_scratch_unmap;
    sync->memory.trim = ngx_stream_dns_scratch_trim;
    sync->memory.data = sync;

    sync->scratch_size = NGX_STREAM_DNS_SCRATCH;
    sync->scratch = ngx_stream_dns_memory.map(NULL, sync->scratch_size);

    return (sync->scratch == NULL) ? NGX_ERROR : NGX_OK;
}


/* A zone that was read: decoded and published here if it is not large. */

void
ngx_stream_dns_apply(ngx_stream_dns_read_t *read)
{
    ngx_int_t                         rc;
    uint64_t                          needed;
    ngx_stream_dns_zone_t            *z;
    ngx_stream_dns_sync_t            *sync;
    static ngx_stream_dns_content_t   ct;

    z = read->zone;
    sync = read->sync;

    if (z->gone) {
        ngx_stream_dns_read_free(read);
        ngx_stream_dns_zone_done(sync, z);
        return;
    }

    if (ngx_stream_dns_apply_large(read->reply)
        && ngx_stream_dns_job_read(read) == NGX_OK)
    {
        return;
    }

    ngx_stream_dns_apply_prepare(&ct, read, &sync->memory);

    ngx_stream_dns_content(&ct);

    if (ngx_stream_dns_apply_content(&ct) != NGX_DECLINED) {
        goto done;
    }

    rc = ngx_dns_publish_zone(sync->src->publisher, ct.zone, &needed);

    if (rc == NGX_AGAIN && ngx_stream_dns_job_publish(&ct) == NGX_OK) {
        goto done;
    }

    ngx_stream_dns_apply_end(&ct, rc, needed);

done:

    sync->scratch_used = 0;
    sync->scratch_last = 0;
}


void
ngx_stream_dns_apply_prepare(ngx_stream_dns_content_t *ct,
    ngx_stream_dns_read_t *read, ngx_dns_memory_t *mem)
{
    ngx_stream_dns_sync_t  *sync;

    sync = read->sync;

    ngx_memzero(ct, offsetof(ngx_stream_dns_content_t, text));

    ct->read = read;
    ct->conf = &sync->src->build;
    ct->key = sync->key;
    ct->mem = mem;
    ct->last = ngx_dns_publish_get(sync->src->publisher, read->zone->data);
    ct->rebuild = sync->rebuild || read->zone->full || read->zone->failed;
}


/* 1: more than is done in one go */

static ngx_uint_t
ngx_stream_dns_apply_large(ngx_dns_datum_t *reply)
{
    size_t            i, k, n, size;
    ngx_dns_datum_t  *data;

    if (reply->type != NGX_DNS_REPLY_ARRAY
        || reply->n < NGX_STREAM_DNS_READ_REST)
    {
        return 0;
    }

    n = reply->n;

    for (i = NGX_STREAM_DNS_READ_DATA; i < reply->n; i++) {

        /* there are more arrays, if MGET was asked */

        n += reply->elts[i]->n;
    }

    if (n > NGX_STREAM_DNS_SMALL) {
        return 1;
    }

    size = 0;

    for (i = 0; i < reply->n; i++) {
        data = reply->elts[i];
        size += data->str.len;

        for (k = 0; k < data->n; k++) {
            size += data->elts[k]->str.len;
        }
    }

    return (size > NGX_STREAM_DNS_SMALL_SIZE);
}


/*
 * What comes of the content.  NGX_DECLINED: there is a zone to publish, then
 * ngx_stream_dns_apply_end() is to be called.
 */

ngx_int_t
ngx_stream_dns_apply_content(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;

    z = ct->read->zone;

    if (z->gone) {
        ngx_stream_dns_apply_done(ct);
        return NGX_OK;
    }

    switch (ct->result) {

    case NGX_STREAM_DNS_CONTENT_BUILT:

        /* a successor adds them up */

        ct->bad = ngx_min(ct->bad, 65535);
        ct->zone->bad = (uint16_t) ct->bad;

        return NGX_DECLINED;

    case NGX_STREAM_DNS_CONTENT_SAME:
        ngx_stream_dns_apply_sound(ct);
        break;

    case NGX_STREAM_DNS_CONTENT_NONE:
        ngx_stream_dns_apply_none(ct);
        return NGX_OK;

    case NGX_STREAM_DNS_CONTENT_LAYOUT:
        ngx_stream_dns_apply_layout(ct);
        return NGX_OK;

    case NGX_STREAM_DNS_CONTENT_LABELS:
        ngx_stream_dns_apply_labels(ct);
        return NGX_OK;

    case NGX_STREAM_DNS_CONTENT_HIDDEN:
        ngx_stream_dns_apply_hidden(ct);
        return NGX_OK;

    case NGX_STREAM_DNS_CONTENT_WRONG:
    case NGX_STREAM_DNS_CONTENT_REFUSED:
        ngx_stream_dns_apply_wrong(ct);
        return NGX_OK;

    case NGX_STREAM_DNS_CONTENT_ERROR:
        ngx_stream_dns_apply_error(ct);
        return NGX_OK;

    default: /* NGX_STREAM_DNS_CONTENT_MEMORY */
        ngx_stream_dns_apply_starved(ct);
        return NGX_OK;
    }

    ngx_stream_dns_apply_done(ct);

    return NGX_OK;
}


/* the data of the zone are as they should be */

void
ngx_stream_dns_apply_sound(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;

    z = ct->read->zone;

    z->layout = ct->layout;
    z->doubted = 0;
    z->starved = 0;
    z->tries = 0;

    if (z->failed) {
        z->failed = 0;

        ngx_log_error(NGX_LOG_NOTICE, ct->read->sync->src->log, 0,
                      "redis zone \"%*s\" can be read again",
                      (size_t) z->member_len, ngx_stream_dns_zone_member(z));
    }

    if (ct->layout != NGX_STREAM_DNS_LAYOUT_UNKNOWN) {
        ct->read->sync->layout = ct->layout;
    }

    if (ct->layout == NGX_STREAM_DNS_LAYOUT_SET) {
        ct->read->sync->sets = 1;

        ngx_stream_dns_apply_tails(ct);

        z->tailed = 1;
        z->moved = 0;
    }
}


/*
 * The names that were found, and those heard of since the read was sent: they
 * are still to come, and stand behind what was sent.  In a short list a name
 * that was there before has not been put behind it: all of it stays.
 */

static void
ngx_stream_dns_apply_tails(ngx_stream_dns_content_t *ct)
{
    u_char                  *p, *last;
    uint16_t                 len;
    ngx_str_t                tail;
    ngx_stream_dns_tails_t  *tails;

    if (ct->read->zone->again
        && ct->read->tails.len <= NGX_STREAM_DNS_RECENT)
    {
        return;
    }

    tails = &ct->read->zone->tails;

    last = tails->data + tails->len;
    p = last - (tails->len - ct->read->tails.len);

    for ( /* void */ ; p < last; p += 2 + len) {
        ngx_memcpy(&len, p, 2);

        tail.data = p + 2;
        tail.len = len;

        if (ngx_stream_dns_tails_add(&ct->tails, &tail) != NGX_OK) {
            /* all are kept, more than there are */
            return;
        }
    }

    ngx_stream_dns_tails_free(tails);

    *tails = ct->tails;
    ngx_memzero(&ct->tails, sizeof(ngx_stream_dns_tails_t));
}


/* Publishing has ended: rc as that of ngx_dns_publish_alloc(). */

void
ngx_stream_dns_apply_end(ngx_stream_dns_content_t *ct, ngx_int_t rc,
    uint64_t needed)
{
    uint64_t                  delay;
    ngx_dns_zone_t           *last;
    ngx_stream_dns_zone_t    *z;
    ngx_stream_dns_source_t  *src;

    z = ct->read->zone;
    src = ct->read->sync->src;

    if (rc != NGX_OK && rc != NGX_DECLINED) {
        ngx_stream_dns_apply_retry(ct);
        return;
    }

    ngx_stream_dns_apply_messages(ct);
    ngx_stream_dns_apply_sound(ct);

    if (rc == NGX_DECLINED) {
        ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_FULL)++;

        if (!z->full) {
            last = ngx_dns_publish_get(src->publisher, z->data);

            ngx_log_error(NGX_LOG_ERR, src->log, 0,
                          "no room for zone \"%*s\" of %uz octets in shared "
                          "zone \"%V\", %uL octets are missing%s",
                          (size_t) z->member_len,
                          ngx_stream_dns_zone_member(z), ct->zone_size,
                          &src->name, needed,
                          (last != NULL
                           && last->digest != NGX_STREAM_DNS_STANDIN)
                          ? ", the last version stays" : "");
        }

        ngx_stream_dns_apply_full(ct);
        return;
    }

    z->full = 0;

    ct->read->sync->bad += ct->bad;
    ct->read->sync->bad -= z->bad;
    z->bad = (uint32_t) ct->bad;

    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_BAD) = ct->read->sync->bad;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_CHANGES)++;

    if (z->heard != 0) {
        delay = ngx_stream_dns_sync_now() - z->heard;

        ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_DELAY_LAST) = delay;

        if (delay > ngx_stream_dns_stat(src,
                                        NGX_STREAM_DNS_STAT_DELAY_MAX))
        {
            ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_DELAY_MAX) = delay;
        }
    }

    ngx_log_debug4(NGX_LOG_DEBUG_STREAM, src->log, 0,
                   "dns redis zone published: \"%*s\", %uz octets, bad %ui",
                   (size_t) z->member_len, ngx_stream_dns_zone_member(z),
                   ct->zone_size, ct->bad);

    ngx_stream_dns_snapshot_change(src);

    ngx_stream_dns_apply_done(ct);
}


void
ngx_stream_dns_apply_done(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    ngx_stream_dns_apply_free(ct);
    ngx_stream_dns_zone_done(sync, z);
}


/* a second later */

void
ngx_stream_dns_apply_retry(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_apply_want(ct, NGX_STREAM_DNS_RETRY);
}


/* the more often it has failed, the later; a change is read at once */

static void
ngx_stream_dns_apply_later(ngx_stream_dns_content_t *ct)
{
    ngx_msec_t              pause;
    ngx_stream_dns_zone_t  *z;

    z = ct->read->zone;

    pause = ngx_min(NGX_STREAM_DNS_RETRY << z->tries,
                    NGX_STREAM_DNS_RETRY_MAX);

    if (pause < NGX_STREAM_DNS_RETRY_MAX) {
        z->tries++;
    }

    ngx_stream_dns_apply_want(ct, pause);
}


static void
ngx_stream_dns_apply_want(ngx_stream_dns_content_t *ct, ngx_msec_t pause)
{
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    ngx_stream_dns_apply_free(ct);

    if (ngx_stream_dns_zone_compared(sync, z)) {

        /* the comparison does not wait for it */

        z->compare = 0;
        sync->comparing--;
    }

    ngx_stream_dns_zone_want(sync, z, ngx_current_msec + pause);
    ngx_stream_dns_compare_check(sync);
}


static void
ngx_stream_dns_apply_starved(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;

    z = ct->read->zone;

    if (!z->starved) {
        z->starved = 1;

        ngx_log_error(NGX_LOG_CRIT, ct->read->sync->src->log, 0,
                      "no memory to build zone \"%*s\", it is tried again",
                      (size_t) z->member_len, ngx_stream_dns_zone_member(z));
    }

    ngx_stream_dns_apply_later(ct);
}


/*
 * When something has been freed.  Until then its names must not be taken for
 * not existing: what stands for it may have room.
 */

static void
ngx_stream_dns_apply_full(ngx_stream_dns_content_t *ct)
{
    size_t                   size;
    ngx_dns_publish_stat_t   st;
    ngx_stream_dns_zone_t   *z;
    ngx_stream_dns_sync_t   *sync;

    z = ct->read->zone;
    sync = ct->read->sync;
    size = ct->zone_size;

    z->full = 1;

    if (ngx_stream_dns_apply_standin(ct) == NGX_AGAIN) {
        ngx_stream_dns_apply_retry(ct);
        return;
    }

    ngx_stream_dns_apply_done(ct);

    if (z->state == NGX_STREAM_DNS_ZONE_IDLE) {
        ngx_dns_publish_stat(sync->src->publisher, &st);
        sync->full_free = ngx_max(sync->full_free, st.free + st.waiting);

        if (size <= st.free + st.waiting && !sync->full_again) {

            /* there would be room, were it not for what readers still see */

            sync->full_again = 1;
            sync->full_since = ngx_current_msec;
        }

        z->state = NGX_STREAM_DNS_ZONE_WANTED;
        ngx_queue_insert_tail(&sync->full, &z->queue);
    }
}


void
ngx_stream_dns_apply_free(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_tails_free(&ct->tails);
    ngx_stream_dns_tails_free(&ct->unknown);
    ngx_stream_dns_read_free(ct->read);
}


/* an error reply is no data: what is loaded stays */

static void
ngx_stream_dns_apply_error(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    if (!z->failed && sync->doubt_lines++ < NGX_STREAM_DNS_LINES) {
        ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                      "redis zone \"%*s\" cannot be read: \"%V\", "
                      "what is loaded stays",
                      (size_t) z->member_len, ngx_stream_dns_zone_member(z),
                      &ct->error);
    }

    if (ngx_stream_dns_sync_error(sync, &ct->error) == NGX_OK) {
        ngx_stream_dns_apply_retry(ct);
        return;
    }

    z->failed = 1;

    if (ct->zone != NULL) {
        (void) ngx_stream_dns_apply_publish(ct, ct->zone);
    }

    ngx_stream_dns_apply_later(ct);
}


static void
ngx_stream_dns_apply_wrong(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    ngx_stream_dns_apply_messages(ct);

    if (!z->failed && sync->doubt_lines++ < NGX_STREAM_DNS_LINES) {
        ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                      "redis zone \"%*s\" %s, what is loaded stays",
                      (size_t) z->member_len, ngx_stream_dns_zone_member(z),
                      (ct->result == NGX_STREAM_DNS_CONTENT_WRONG)
                      ? "is neither a hash nor a set of labels"
                      : "is refused");
    }

    z->failed = 1;

    ngx_stream_dns_apply_failed(ct);
}


/*
 * Nothing was ever loaded: what stands for the zone.  It is tried again if
 * the room for it is about to be freed.
 */

static void
ngx_stream_dns_apply_failed(ngx_stream_dns_content_t *ct)
{
    if (ct->zone != NULL
        && ngx_stream_dns_apply_publish(ct, ct->zone) == NGX_AGAIN)
    {
        ngx_stream_dns_apply_retry(ct);
        return;
    }

    ngx_stream_dns_apply_done(ct);
}


/* if nothing is published; NGX_AGAIN: there is room, but not yet */

static ngx_int_t
ngx_stream_dns_apply_publish(ngx_stream_dns_content_t *ct,
    ngx_dns_zone_t *zone)
{
    uint64_t              needed;
    ngx_int_t             rc;
    ngx_dns_publisher_t  *pub;

    pub = ct->read->sync->src->publisher;

    if (ngx_dns_publish_get(pub, ct->read->zone->data) != NULL) {
        return NGX_OK;
    }

    rc = ngx_dns_publish_zone(pub, zone, &needed);

    if (rc == NGX_AGAIN) {
        (void) ngx_dns_publish_work(pub, NGX_STREAM_DNS_WORK);
        rc = ngx_dns_publish_zone(pub, zone, &needed);
    }

    return rc;
}


/*
 * The zone has no room: one in which every name fails.  The scratch memory is
 * given back: the zone that was built may still be in it.
 */

static ngx_int_t
ngx_stream_dns_apply_standin(ngx_stream_dns_content_t *ct)
{
    size_t                  used, last;
    ngx_int_t               rc;
    ngx_stream_dns_sync_t  *sync;

    sync = ct->read->sync;

    if (ngx_dns_publish_get(sync->src->publisher, ct->read->zone->data)
        != NULL)
    {
        return NGX_OK;
    }

    used = sync->scratch_used;
    last = sync->scratch_last;

    rc = ngx_stream_dns_apply_build(ct);

    sync->scratch_used = used;
    sync->scratch_last = last;

    return rc;
}


static ngx_int_t
ngx_stream_dns_apply_build(ngx_stream_dns_content_t *ct)
{
    size_t                  size;
    ngx_int_t               rc;
    ngx_str_t               apex, rest, type;
    ngx_uint_t              bad;
    ngx_dns_zone_t         *zone;
    ngx_dns_build_t        *b;
    ngx_dns_records_t      *rs;
    ngx_dns_reporter_t      rep;
    ngx_stream_dns_sync_t  *sync;

    sync = ct->read->sync;

    ngx_memzero(&rep, sizeof(ngx_dns_reporter_t));
    rep.report = ngx_stream_dns_apply_report;

    b = ngx_dns_build_create(ct->read->zone->data, &sync->src->build,
                             NGX_STREAM_DNS_STANDIN, NULL, &sync->memory,
                             &rep);
    if (b == NULL) {
        return NGX_ERROR;
    }

    ngx_str_set(&apex, "@");
    ngx_str_set(&rest, "*");
    ngx_str_null(&type);

    rc = NGX_ERROR;

    if (ngx_dns_build_wrong(b, &apex, &type) == NGX_OK
        && ngx_dns_build_wrong(b, &rest, &type) == NGX_OK)
    {
        rs = ngx_dns_build_end(b, &bad);

        if (rs != NULL
            && ngx_dns_compile(rs, sync->key, &sync->memory, &zone, &size)
               == NGX_OK)
        {
            rc = ngx_stream_dns_apply_publish(ct, zone);
        }
    }

    ngx_dns_build_destroy(b);

    return rc;
}


/* why has been said */

static void
ngx_stream_dns_apply_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text)
{
    /* void */
}


/*
 * None of the keys exists.  They may be under the normalized name; or they
 * were never written; or all at once they are gone, which is not believed.
 */

static void
ngx_stream_dns_apply_none(ngx_stream_dns_content_t *ct)
{
    u_char                  name[NGX_DNS_NAME_TEXT_MAX];
    u_char                 *last;
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    last = ngx_dns_name_to_text(name, z->data);

    if (!ct->read->second
        && ((size_t) (last - name) != z->member_len
            || ngx_memcmp(name, ngx_stream_dns_zone_member(z), z->member_len)
               != 0))
    {
        ngx_stream_dns_tails_free(&ct->tails);
        ngx_stream_dns_tails_free(&ct->unknown);
        ngx_stream_dns_read_again(ct->read, 1);
        return;
    }

    if (ct->last == NULL) {
        ngx_stream_dns_apply_done(ct);
        return;
    }

    if (sync->src->drop) {
        (void) ngx_dns_publish_remove(sync->src->publisher, z->data);
        ngx_stream_dns_apply_removed(sync, z);
        ngx_stream_dns_apply_done(ct);
        return;
    }

    if (!z->doubted) {
        z->doubted = 1;
        ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_DISBELIEVED)++;

        if (sync->doubt_lines++ < NGX_STREAM_DNS_LINES) {
            ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                          "redis zone \"%*s\" is listed but none of its keys "
                          "exists, what is loaded stays",
                          (size_t) z->member_len,
                          ngx_stream_dns_zone_member(z));
        } else {
            sync->doubt_more++;
        }
    }

    ngx_stream_dns_apply_done(ct);
}


static void
ngx_stream_dns_apply_layout(ngx_stream_dns_content_t *ct)
{
    ngx_uint_t              second;
    ngx_stream_dns_read_t  *read;
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    read = ct->read;
    z = read->zone;
    sync = read->sync;
    second = read->second;

    z->keys |= ct->keys;

    if (ct->layout != NGX_STREAM_DNS_LAYOUT_UNKNOWN) {
        z->moved |= (z->layout == NGX_STREAM_DNS_LAYOUT_HASH);
        z->layout = ct->layout;
        sync->layout = ct->layout;
    }

    ngx_stream_dns_tails_free(&ct->tails);
    ngx_stream_dns_tails_free(&ct->unknown);

    if (z->layout == NGX_STREAM_DNS_LAYOUT_SET
        && !sync->sets && sync->comparison && !sync->noscan)
    {
        /* the first zone of this layout: all others will need it too */

        sync->sets = 1;
        ngx_stream_dns_read_free(read);
        ngx_stream_dns_zone_wait(sync, z);
        return;
    }

    ngx_stream_dns_read_again(read, second);
}


/*
 * There are labels about whose keys nothing is known.  For a few each type
 * is tried.  For many the names of all keys are scanned, unless it is a zone
 * that was published before this process: that says most.
 */

static void
ngx_stream_dns_apply_labels(ngx_stream_dns_content_t *ct)
{
    u_char                 *p, *last;
    uint16_t                len;
    ngx_str_t               label;
    ngx_uint_t              probes;
    ngx_dns_zone_t         *zone;
    ngx_stream_dns_read_t  *read;
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    read = ct->read;
    z = read->zone;
    sync = read->sync;

    sync->sets = 1;

    zone = (ct->nunknown > NGX_STREAM_DNS_PROBE && !z->moved)
           ? ngx_dns_publish_get(sync->src->publisher, z->data) : NULL;

    if (!sync->noscan
        && (sync->comparison
            || (ct->nunknown > NGX_STREAM_DNS_PROBE && zone == NULL)))
    {
        ngx_stream_dns_apply_scan(ct);
        return;
    }

    probes = 0;

    p = ct->unknown.data;
    last = p + ct->unknown.len;

    for ( /* void */ ; p < last; p += 2 + len) {
        ngx_memcpy(&len, p, 2);

        label.data = p + 2;
        label.len = len;

        if (zone != NULL
            && ngx_stream_dns_apply_known(sync, z, zone, &label))
        {
            continue;
        }

        if (zone != NULL && !sync->noscan
            && ++probes > NGX_STREAM_DNS_PROBES)
        {
            ngx_stream_dns_apply_scan(ct);
            return;
        }

        if (ngx_stream_dns_apply_probe(z, &label) != NGX_OK) {
            ngx_stream_dns_apply_retry(ct);
            return;
        }
    }

    ngx_stream_dns_tails_free(&ct->tails);
    ngx_stream_dns_tails_free(&ct->unknown);

    ngx_stream_dns_read_again(read, read->second);
}


/* GET says what there is instead of a string */

static void
ngx_stream_dns_apply_hidden(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_read_t  *read;

    read = ct->read;

    read->zone->hidden = 1;
    read->sync->nomany |= (ct->error.len != 0);

    ngx_stream_dns_tails_free(&ct->tails);
    ngx_stream_dns_tails_free(&ct->unknown);

    ngx_stream_dns_read_again(read, read->second);
}


static void
ngx_stream_dns_apply_scan(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    ngx_stream_dns_apply_free(ct);

    if (sync->complete) {
        ngx_stream_dns_zone_want(sync, z, ngx_current_msec);
        return;
    }

    ngx_stream_dns_zone_wait(sync, z);
}


/* a key for each type that there is */

static ngx_int_t
ngx_stream_dns_apply_probe(ngx_stream_dns_zone_t *z, ngx_str_t *label)
{
    ngx_uint_t     type;
    ngx_dns_rr_t  *rr;

    for (type = 1; type <= NGX_STREAM_DNS_TYPE_LAST; type++) {
        rr = ngx_dns_rr(type);

        if (rr->type != type || (rr->flags & NGX_DNS_RR_META)) {
            continue;
        }

        if (ngx_stream_dns_apply_tail(z, label, rr->name.data, rr->name.len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (ngx_stream_dns_apply_tail(z, label, (u_char *) "ANAME", 5)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_stream_dns_apply_tail(z, label, NULL, 0);
}


/*
 * 1: the published zone says which keys the label has.  It does not where
 * something may have been left out: beside a CNAME or DNAME, at names that
 * something was noted about, or without any type.
 */

static ngx_uint_t
ngx_stream_dns_apply_known(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_dns_zone_t *last, ngx_str_t *label)
{
    u_char            owner[NGX_DNS_NAME_MAX + 1], *p;
    u_char            text[NGX_DNS_RR_TEXT_MAX];
    ngx_uint_t        i;
    const char       *err;
    ngx_dns_name_t    name;
    ngx_dns_node_t   *node;
    ngx_dns_rrset_t  *set;

    if (ngx_dns_name_from_text(owner, label, z->data, &err) == 0) {
        return 0;
    }

    ngx_dns_name_set(&name, owner, sync->key);

    if (ngx_dns_name_is_subdomain(name.wire, last->name) != NGX_OK) {
        return 0;
    }

    node = ngx_dns_zone_node(last, &name, 0);

    if (node == NULL || node->nsets == 0
        || (node->flags & (NGX_DNS_NODE_CNAME|NGX_DNS_NODE_DNAME
                           |NGX_DNS_NODE_NOTED)))
    {
        return 0;
    }

    set = ngx_dns_node_sets(node);

    for (i = 0; i < node->nsets; i++) {

        if (set->type != NGX_DNS_TYPE_SOA) {
            p = ngx_dns_rr_type_text(text, set->type);

            if (ngx_stream_dns_apply_tail(z, label, text, p - text)
                != NGX_OK)
            {
                return 0;
            }
        }

        set = ngx_dns_rrset_next(set);
    }

    return ngx_stream_dns_apply_tail(z, label, NULL, 0) == NGX_OK;
}


static ngx_int_t
ngx_stream_dns_apply_tail(ngx_stream_dns_zone_t *z, ngx_str_t *label,
    u_char *type, size_t len)
{
    u_char     buf[NGX_STREAM_DNS_TAIL_MAX], *p;
    ngx_str_t  tail;

    if (label->len + 1 + len > NGX_STREAM_DNS_TAIL_MAX) {
        return NGX_OK;
    }

    p = ngx_cpymem(buf, label->data, label->len);
    *p++ = ':';
    p = ngx_cpymem(p, type, len);

    tail.data = buf;
    tail.len = p - buf;

    return ngx_stream_dns_tails_add(&z->tails, &tail);
}


/* the zone is not listed any more */

void
ngx_stream_dns_apply_gone(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    z->listed = 0;
    sync->nlisted--;
    sync->unlisted++;

    if (ngx_dns_publish_remove(sync->src->publisher, z->data) == NGX_OK) {
        ngx_stream_dns_apply_removed(sync, z);
    }

    z->gone = 1;

    if (z->state == NGX_STREAM_DNS_ZONE_BUSY) {
        return;
    }

    if (z->state == NGX_STREAM_DNS_ZONE_WANTED) {
        ngx_queue_remove(&z->queue);
    }

    ngx_stream_dns_zone_done(sync, z);
}


void
ngx_stream_dns_apply_removed(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    sync->bad -= z->bad;
    z->bad = 0;

    ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_BAD) = sync->bad;
    ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_CHANGES)++;

    ngx_log_error(NGX_LOG_INFO, sync->src->log, 0,
                  "redis zone \"%*s\" removed",
                  (size_t) z->member_len, ngx_stream_dns_zone_member(z));

    ngx_stream_dns_snapshot_change(sync->src);
}


/* once per change: what was logged the last time is not logged again */

static void
ngx_stream_dns_apply_messages(ngx_stream_dns_content_t *ct)
{
    u_char                 *p, *last;
    ngx_uint_t              n;
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = ct->read->zone;
    sync = ct->read->sync;

    if (ct->messages == z->messages) {
        return;
    }

    z->messages = ct->messages;
    n = 0;

    p = ct->text;
    last = p + ct->text_len;

    while (p < last && n < NGX_STREAM_DNS_LINES) {
        ngx_log_error(NGX_LOG_WARN, sync->src->log, 0, "redis %s", p);
        p += ngx_strlen(p) + 1;
        n++;
    }

    if (n < ct->nmessages) {
        ngx_log_error(NGX_LOG_WARN, sync->src->log, 0,
                      "redis zone \"%*s\": %ui messages more",
                      (size_t) z->member_len, ngx_stream_dns_zone_member(z),
                      ct->nmessages - n);
    }
}


/*
 * Memory for small zones: one stretch, whose end moves.  It begins anew with
 * each zone.
 */

static void *
ngx_stream_dns_scratch_map(void *data, size_t size)
{
    ngx_stream_dns_sync_t *sync = data;

    u_char  *p;
    size_t   n;

    n = ngx_align(size, 64);

    if (n > sync->scratch_size - sync->scratch_used) {
        return ngx_stream_dns_memory.map(NULL, size);
    }

    p = sync->scratch + sync->scratch_used;

    sync->scratch_last = sync->scratch_used;
    sync->scratch_used += n;

    ngx_memzero(p, size);

    return p;
}


static void
ngx_stream_dns_scratch_unmap(void *data, void *p, size_t size)
{
    ngx_stream_dns_sync_t *sync = data;

    if ((u_char *) p < sync->scratch
        || (u_char *) p >= sync->scratch + sync->scratch_size)
    {
        ngx_stream_dns_memory.unmap(NULL, p, size);
        return;
    }

    if ((u_char *) p == sync->scratch + sync->scratch_last) {
        sync->scratch_used = sync->scratch_last;
    }
}


static void *
ngx_stream_dns_scratch_trim(void *data, void *p, size_t size, size_t used)
{
    ngx_stream_dns_sync_t *sync = data;

    if ((u_char *) p < sync->scratch
        || (u_char *) p >= sync->scratch + sync->scratch_size)
    {
        return ngx_stream_dns_memory.trim(NULL, p, size, used);
    }

    return p;
}
