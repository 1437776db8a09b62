
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_READ_SIZE   4096     /* octets of an unknown zone */
#define NGX_STREAM_DNS_READ_CHECK  64       /* commands between two looks */


static void ngx_stream_dns_zone_order(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, uint64_t pos);
static ngx_uint_t ngx_stream_dns_zone_join(ngx_stream_dns_zone_t *z);
static ngx_stream_dns_zone_t *ngx_stream_dns_read_next(
    ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_read_zone(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_uint_t second);
static ngx_int_t ngx_stream_dns_read_send(ngx_stream_dns_read_t *read);
static ngx_int_t ngx_stream_dns_read_keys(ngx_stream_dns_read_t *read);
static ngx_int_t ngx_stream_dns_read_tails(ngx_stream_dns_read_t *read);
static ngx_int_t ngx_stream_dns_read_many(ngx_stream_dns_read_t *read);
static void ngx_stream_dns_read_broken(ngx_stream_dns_read_t *read);
static ngx_str_t *ngx_stream_dns_read_key(ngx_stream_dns_read_t *read,
    const char *part, ngx_str_t *tail);
static ngx_int_t ngx_stream_dns_read_command(ngx_stream_dns_read_t *read,
    const char *command, const char *part, ngx_str_t *tail);
static void ngx_stream_dns_read_queued(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_read_exec(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);


static const char  *ngx_stream_dns_read_parts[] = {
    ":zsk:pub", ":zsk:priv", ":ksk:pub", ":ksk:priv"
};


/* the zone is to be read, not before due */

void
ngx_stream_dns_zone_want(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_msec_t due)
{
    if (z->gone) {
        ngx_stream_dns_zone_done(sync, z);
        return;
    }

    if (z->state == NGX_STREAM_DNS_ZONE_WANTED) {
        ngx_queue_remove(&z->queue);
    }

    if (ngx_stream_dns_zone_join(z)) {
        due = ngx_current_msec + NGX_STREAM_DNS_GATHER;
    }

    z->state = NGX_STREAM_DNS_ZONE_WANTED;
    z->due = due;

    if ((ngx_msec_int_t) (due - ngx_current_msec) > NGX_STREAM_DNS_GATHER) {
        ngx_queue_insert_tail(&sync->retry, &z->queue);
        return;
    }

    ngx_queue_insert_tail(&sync->changed, &z->queue);

    ngx_stream_dns_sync_alarm(sync, NGX_STREAM_DNS_GATHER);
}


/* the same, when the names of keys are known */

void
ngx_stream_dns_zone_wait(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    (void) ngx_stream_dns_zone_join(z);

    z->state = NGX_STREAM_DNS_ZONE_WANTED;
    ngx_queue_insert_head(&sync->compare, &z->queue);

    ngx_stream_dns_scan_begin(sync);
}


/*
 * Something of the zone has changed; pos is in front of it in the log, 0: it
 * is not there.
 */

void
ngx_stream_dns_zone_changed(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, uint64_t pos)
{
    if (pos == 0 && sync->comparison && !sync->compared) {

        /* it will be read anyway */

        return;
    }

    if (z->state == NGX_STREAM_DNS_ZONE_BUSY) {

        if (!z->again) {
            z->again = 1;
            z->again_pos = pos;
            z->again_heard = ngx_stream_dns_sync_now();

            if (z->pos == 0 && pos != 0) {
                ngx_stream_dns_zone_order(sync, z, pos);
            }
        }

        return;
    }

    if (z->heard == 0) {
        z->heard = ngx_stream_dns_sync_now();
        z->pos = pos;

        if (pos != 0) {
            ngx_stream_dns_zone_order(sync, z, pos);
        }

        ngx_stream_dns_zone_want(sync, z,
                                 ngx_current_msec + NGX_STREAM_DNS_GATHER);

    } else if ((ngx_msec_int_t) (z->due - ngx_current_msec)
               > NGX_STREAM_DNS_GATHER)
    {
        /* it would be tried again later anyway */

        ngx_stream_dns_zone_want(sync, z,
                                 ngx_current_msec + NGX_STREAM_DNS_GATHER);
    }
}


/*
 * Oldest first; most come at the end.  Those of a list are all as old as the
 * list, and many others may be younger: the place of one is that of the next.
 */

static void
ngx_stream_dns_zone_order(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, uint64_t pos)
{
    ngx_queue_t            *q;
    ngx_stream_dns_zone_t  *other;

    other = sync->ordered;

    if (other != NULL
        && (other->pos ? other->pos : other->again_pos) == pos)
    {
        ngx_queue_insert_after(&other->order, &z->order);
        sync->ordered = z;
        return;
    }

    for (q = ngx_queue_last(&sync->order);
         q != ngx_queue_sentinel(&sync->order);
         q = ngx_queue_prev(q))
    {
        other = ngx_queue_data(q, ngx_stream_dns_zone_t, order);

        if ((other->pos ? other->pos : other->again_pos) <= pos) {
            break;
        }
    }

    if (q != ngx_queue_last(&sync->order)) {
        sync->ordered = z;
    }

    ngx_queue_insert_after(q, &z->order);
}


/*
 * A read that has failed is followed by another one, which sees what has
 * changed meanwhile: nothing is to be read again after it.  The zone keeps its
 * place among the changes.  1: there was a change.
 */

static ngx_uint_t
ngx_stream_dns_zone_join(ngx_stream_dns_zone_t *z)
{
    if (!z->again) {
        return 0;
    }

    z->again = 0;

    if (z->pos == 0) {
        z->pos = z->again_pos;
    }

    if (z->heard == 0) {
        z->heard = z->again_heard;
    }

    z->again_pos = 0;

    return 1;
}


/* the zone was read, whatever came of it */

void
ngx_stream_dns_zone_done(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    z->state = NGX_STREAM_DNS_ZONE_IDLE;
    z->hidden = 0;

    if (z->once_more && ngx_stream_dns_zone_compared(sync, z) && !z->gone) {
        z->once_more = 0;

        if (!z->again) {
            z->again = 1;
            z->again_heard = ngx_stream_dns_sync_now();
        }

    } else if (ngx_stream_dns_zone_compared(sync, z)) {
        z->compare = 0;
        sync->comparing--;
    }

    if (z->pos != 0 || z->again_pos != 0) {
        ngx_queue_remove(&z->order);

        if (sync->ordered == z) {
            sync->ordered = NULL;
        }
    }

    z->pos = 0;
    z->heard = 0;

    if (z->gone) {
        ngx_stream_dns_table_remove(sync, z);

    } else if (z->again) {
        z->again = 0;
        z->pos = z->again_pos;
        z->heard = z->again_heard;
        z->again_pos = 0;

        if (z->pos != 0) {
            ngx_stream_dns_zone_order(sync, z, z->pos);
        }

        ngx_stream_dns_zone_want(sync, z,
                                 ngx_current_msec + NGX_STREAM_DNS_GATHER);
    }

    ngx_stream_dns_sync_applied(sync);
    ngx_stream_dns_compare_check(sync);
}


/* Sends what the window has room for. */

void
ngx_stream_dns_read_work(ngx_stream_dns_sync_t *sync)
{
    ngx_stream_dns_zone_t  *z;

    if (sync->sender != NULL) {

        if (ngx_stream_dns_read_tails(sync->sender) != NGX_OK) {
            return;
        }
    }

    while (sync->sender == NULL && ngx_stream_dns_slice_left()) {

        z = ngx_stream_dns_read_next(sync);
        if (z == NULL) {
            return;
        }

        ngx_queue_remove(&z->queue);
        z->state = NGX_STREAM_DNS_ZONE_BUSY;

        ngx_stream_dns_read_zone(sync, z, 0);
    }

    ngx_stream_dns_sync_post(sync);
}


static ngx_stream_dns_zone_t *
ngx_stream_dns_read_next(ngx_stream_dns_sync_t *sync)
{
    ngx_queue_t            *q;
    ngx_msec_int_t          left;
    ngx_stream_dns_zone_t  *z;

    if (!sync->readable
        || sync->reading >= NGX_STREAM_DNS_WINDOW
        || sync->reading_size >= NGX_STREAM_DNS_WINDOW_SIZE)
    {
        return NULL;
    }

    if (!ngx_queue_empty(&sync->changed)) {
        q = ngx_queue_head(&sync->changed);
        z = ngx_queue_data(q, ngx_stream_dns_zone_t, queue);

        left = (ngx_msec_int_t) (z->due - ngx_current_msec);

        if (left <= 0) {
            return z;
        }

        ngx_stream_dns_sync_alarm(sync, left);
    }

    if (sync->scanning || ngx_queue_empty(&sync->compare)) {
        return NULL;
    }

    q = ngx_queue_head(&sync->compare);

    return ngx_queue_data(q, ngx_stream_dns_zone_t, queue);
}


static void
ngx_stream_dns_read_zone(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z, ngx_uint_t second)
{
    ngx_dns_zone_t         *last;
    ngx_stream_dns_read_t  *read;

    read = ngx_calloc(sizeof(ngx_stream_dns_read_t), sync->src->log);
    if (read == NULL) {
        ngx_stream_dns_zone_want(sync, z, ngx_current_msec + 1000);
        return;
    }

    read->sync = sync;
    read->zone = z;
    read->second = second;
    read->keys = z->keys;
    read->scanned = sync->complete;
    read->trusted = sync->complete || z->tailed;
    read->layout = z->layout;

    if (read->layout == NGX_STREAM_DNS_LAYOUT_UNKNOWN) {
        read->layout = sync->layout;
    }

    if (read->layout == NGX_STREAM_DNS_LAYOUT_SET
        && ngx_stream_dns_tails_copy(&read->tails, &z->tails) != NGX_OK)
    {
        ngx_free(read);
        ngx_stream_dns_zone_want(sync, z, ngx_current_msec + 1000);
        return;
    }

    /* the names are right, most likely: see ngx_stream_dns_read_many() */

    read->many = ngx_stream_dns_zone_compared(sync, z) && !z->hidden
                 && sync->complete && !sync->nomany;

    last = ngx_dns_publish_get(sync->src->publisher, z->data);

    read->size = (last == NULL) ? NGX_STREAM_DNS_READ_SIZE : last->size;
    read->size += 4 * read->tails.len;

    if (ngx_stream_dns_read_send(read) != NGX_OK) {
        ngx_stream_dns_read_broken(read);
    }
}


/*
 * One transaction: what was read belongs together.  What is asked for is a
 * guess, the types in front say whether it was right.
 */

static ngx_int_t
ngx_stream_dns_read_send(ngx_stream_dns_read_t *read)
{
    ngx_str_t               multi;
    ngx_stream_dns_sync_t  *sync;

    sync = read->sync;

    ngx_str_set(&multi, "MULTI");

    if (ngx_stream_dns_redis_command(sync->data, ngx_stream_dns_read_queued,
                                     sync, 1, &multi)
        != NGX_OK
        || ngx_stream_dns_read_command(read, "TYPE", "", NULL) != NGX_OK
        || ngx_stream_dns_read_command(read, "TYPE", ":labels", NULL)
           != NGX_OK
        || ngx_stream_dns_read_command(read, "GET", ":config", NULL)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (read->layout == NGX_STREAM_DNS_LAYOUT_SET) {

        if (ngx_stream_dns_read_command(read, "SMEMBERS", ":labels", NULL)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

    } else {

        if (ngx_stream_dns_read_command(read, "HGETALL", "", NULL)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (read->keys && ngx_stream_dns_read_keys(read) != NGX_OK) {
        return NGX_ERROR;
    }

    read->sent = read->tails.data;
    sync->sender = read;

    sync->reading++;
    sync->reading_size += read->size;

    (void) ngx_stream_dns_read_tails(read);

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_read_keys(ngx_stream_dns_read_t *read)
{
    ngx_uint_t  i;

    for (i = 0; i < 4; i++) {

        if (ngx_stream_dns_read_command(read, "GET",
                                        ngx_stream_dns_read_parts[i], NULL)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * The rest of the commands, in slices.  NGX_AGAIN: there are more; nothing
 * else may be sent on the connection before them.
 */

static ngx_int_t
ngx_stream_dns_read_tails(ngx_stream_dns_read_t *read)
{
    u_char                 *last;
    uint16_t                len;
    ngx_str_t               tail, exec;
    ngx_uint_t              n;
    ngx_stream_dns_sync_t  *sync;

    n = 0;
    sync = read->sync;
    last = read->tails.data + read->tails.len;

    while (read->sent < last) {

        if (++n % NGX_STREAM_DNS_READ_CHECK == 0
            && !ngx_stream_dns_slice_left())
        {
            ngx_stream_dns_sync_post(sync);
            return NGX_AGAIN;
        }

        if (read->many) {

            if (ngx_stream_dns_read_many(read) != NGX_OK) {
                goto failed;
            }

            n = NGX_STREAM_DNS_READ_CHECK - 1;
            continue;
        }

        ngx_memcpy(&len, read->sent, 2);

        tail.data = read->sent + 2;
        tail.len = len;

        read->sent += 2 + len;

        /* "www:" says only that there is none */

        if (len == 0 || tail.data[len - 1] == ':') {
            continue;
        }

        if (ngx_stream_dns_read_command(read, "GET", ":labels:", &tail)
            != NGX_OK)
        {
            goto failed;
        }
    }

    ngx_str_set(&exec, "EXEC");

    if (ngx_stream_dns_redis_command(sync->data, ngx_stream_dns_read_exec,
                                     read, 1, &exec)
        != NGX_OK)
    {
        goto failed;
    }

    sync->sender = NULL;

    ngx_stream_dns_list_resume(sync);

    return NGX_OK;

failed:

    sync->sender = NULL;
    sync->reading--;
    sync->reading_size -= read->size;

    ngx_stream_dns_read_broken(read);

    return NGX_ERROR;
}


/*
 * In a comparison all keys are there, and an MGET costs much less than as many
 * GET.  It hides a key of a wrong type: if it finds nothing the zone is read
 * once more, by GET.
 */

static ngx_int_t
ngx_stream_dns_read_many(ngx_stream_dns_read_t *read)
{
    u_char                 *p, *last;
    uint16_t                len;
    ngx_str_t               tail, *key, argv[1 + NGX_STREAM_DNS_MANY];
    ngx_uint_t              n;
    ngx_stream_dns_sync_t  *sync;

    n = 0;
    sync = read->sync;
    p = sync->names;
    last = read->tails.data + read->tails.len;

    ngx_str_set(&argv[0], "MGET");

    while (read->sent < last
           && n < NGX_STREAM_DNS_MANY
           && p < sync->names + NGX_STREAM_DNS_MANY_SIZE)
    {
        ngx_memcpy(&len, read->sent, 2);

        tail.data = read->sent + 2;
        tail.len = len;

        read->sent += 2 + len;

        if (len == 0 || tail.data[len - 1] == ':') {
            continue;
        }

        key = ngx_stream_dns_read_key(read, ":labels:", &tail);

        n++;
        argv[n].data = p;
        argv[n].len = key->len;
        p = ngx_cpymem(p, key->data, key->len);
    }

    if (n == 0) {
        return NGX_OK;
    }

    return ngx_stream_dns_redis_command(sync->data,
                                        ngx_stream_dns_read_queued, sync,
                                        1 + n, argv);
}


/* half a transaction must not be followed by another one */

static void
ngx_stream_dns_read_broken(ngx_stream_dns_read_t *read)
{
    ngx_stream_dns_sync_t  *sync;

    sync = read->sync;

    ngx_stream_dns_zone_want(sync, read->zone, ngx_current_msec);
    ngx_stream_dns_read_free(read);

    if (ngx_stream_dns_redis_ready(sync->data)) {
        ngx_stream_dns_sync_lost(sync, "no memory for commands");
    }
}


/* the connection is gone: what was half sent is read again */

void
ngx_stream_dns_read_lost(ngx_stream_dns_sync_t *sync)
{
    ngx_stream_dns_read_t  *read;

    read = sync->sender;

    if (read == NULL) {
        return;
    }

    sync->sender = NULL;
    sync->reading--;
    sync->reading_size -= read->size;

    ngx_stream_dns_zone_want(sync, read->zone, ngx_current_msec);
    ngx_stream_dns_read_free(read);
}


static ngx_str_t *
ngx_stream_dns_read_key(ngx_stream_dns_read_t *read, const char *part,
    ngx_str_t *tail)
{
    u_char                  *p;
    ngx_stream_dns_zone_t   *z;
    ngx_stream_dns_sync_t   *sync;
    static ngx_str_t         key;

    sync = read->sync;
    z = read->zone;

    p = ngx_cpymem(sync->name, sync->base.data, sync->base.len);
    *p++ = ':';

    if (read->second) {
        p = ngx_dns_name_to_text(p, z->data);

    } else {
        p = ngx_cpymem(p, ngx_stream_dns_zone_member(z), z->member_len);
    }

    p = ngx_cpymem(p, part, ngx_strlen(part));

    if (tail != NULL) {
        p = ngx_cpymem(p, tail->data, tail->len);
    }

    p = ngx_cpymem(p, sync->src->suffix.data, sync->src->suffix.len);

    key.data = sync->name;
    key.len = p - sync->name;

    return &key;
}


static ngx_int_t
ngx_stream_dns_read_command(ngx_stream_dns_read_t *read, const char *command,
    const char *part, ngx_str_t *tail)
{
    ngx_str_t  argv[2];

    argv[0].data = (u_char *) command;
    argv[0].len = ngx_strlen(command);
    argv[1] = *ngx_stream_dns_read_key(read, part, tail);

    return ngx_stream_dns_redis_command(read->sync->data,
                                        ngx_stream_dns_read_queued,
                                        read->sync, 2, argv);
}


/* OK, then QUEUED; an error here is why EXEC will fail */

static void
ngx_stream_dns_read_queued(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    if (reply == NULL || reply->type != NGX_DNS_REPLY_ERROR
        || sync->queued.len != 0)
    {
        return;
    }

    sync->queued.len = ngx_min(reply->str.len, sizeof(sync->queued_text));
    sync->queued.data = sync->queued_text;
    ngx_memcpy(sync->queued.data, reply->str.data, sync->queued.len);
}


static void
ngx_stream_dns_read_exec(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_read_t *read = data;

    ngx_stream_dns_sync_t  *sync;

    sync = read->sync;

    sync->reading--;
    sync->reading_size -= read->size;

    if (reply == NULL) {
        ngx_stream_dns_zone_want(sync, read->zone, ngx_current_msec);
        ngx_stream_dns_read_free(read);
        return;
    }

    if (sync->queued.len != 0) {
        read->error = sync->queued;
        read->error.data = read->error_text;
        ngx_memcpy(read->error_text, sync->queued.data, sync->queued.len);

        sync->queued.len = 0;
    }

    ngx_stream_dns_reply_take(r, reply);
    read->reply = reply;

    if (ngx_queue_empty(&sync->replies) && ngx_stream_dns_slice_left()) {
        ngx_stream_dns_apply(read);

    } else {
        ngx_queue_insert_tail(&sync->replies, &read->queue);
    }

    ngx_stream_dns_sync_post(sync);
}


/* the same zone once more, with what has been learned */

void
ngx_stream_dns_read_again(ngx_stream_dns_read_t *read, ngx_uint_t second)
{
    ngx_stream_dns_zone_t  *z;
    ngx_stream_dns_sync_t  *sync;

    z = read->zone;
    sync = read->sync;

    ngx_stream_dns_read_free(read);

    if (!sync->readable || sync->sender != NULL) {

        /* the first name is tried first again: that costs one more look */

        ngx_stream_dns_zone_want(sync, z, ngx_current_msec);
        return;
    }

    ngx_stream_dns_read_zone(sync, z, second);
}


void
ngx_stream_dns_read_free(ngx_stream_dns_read_t *read)
{
    ngx_dns_reply_free(read->reply);
    ngx_stream_dns_tails_free(&read->tails);
    ngx_free(read);
}
