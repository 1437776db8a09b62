
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_PAUSE_MIN   100      /* milliseconds before a retry */
#define NGX_STREAM_DNS_PAUSE_MAX   5000
#define NGX_STREAM_DNS_FULL_AGAIN  10000    /* if readers or moves took long */
#define NGX_STREAM_DNS_TAKE        64       /* zones between two looks */
#define NGX_STREAM_DNS_STARVED     1000     /* milliseconds before a retry */
#define NGX_STREAM_DNS_EARLY       500      /* what is due then is due now */


static ngx_int_t ngx_stream_dns_sync_names(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_event(ngx_stream_dns_sync_t *sync,
    ngx_event_t *ev, ngx_event_handler_pt handler);
static void ngx_stream_dns_sync_ready(ngx_stream_dns_redis_t *r, void *data);
static void ngx_stream_dns_sync_setup(ngx_event_t *ev);
static void ngx_stream_dns_sync_gone(ngx_stream_dns_redis_t *r, void *data);
static void ngx_stream_dns_sync_forget(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_stop(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_loaded(ngx_stream_dns_source_t *src);
static void ngx_stream_dns_sync_take(ngx_event_t *ev);
static void ngx_stream_dns_sync_taken(ngx_stream_dns_source_t *src);
static ngx_int_t ngx_stream_dns_sync_published(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_begin(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_step(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_work(ngx_event_t *ev);
static void ngx_stream_dns_sync_timer(ngx_event_t *ev);
static void ngx_stream_dns_sync_list(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_second(ngx_event_t *ev);
static void ngx_stream_dns_sync_poll(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sync_requeue(ngx_stream_dns_sync_t *sync);


ngx_int_t
ngx_stream_dns_sync_start(ngx_stream_dns_source_t *src)
{
    ngx_stream_dns_sync_t            *sync;
    ngx_stream_dns_redis_handlers_t   h;

    sync = ngx_calloc(sizeof(ngx_stream_dns_sync_t), src->log);
    if (sync == NULL) {
        return NGX_ERROR;
    }

    src->sync = sync;

    sync->src = src;
    sync->ident = -1;
    sync->pause = NGX_STREAM_DNS_PAUSE_MIN;

    sync->key = src->hash_key;

    ngx_queue_init(&sync->changed);
    ngx_queue_init(&sync->compare);
    ngx_queue_init(&sync->retry);
    ngx_queue_init(&sync->full);
    ngx_queue_init(&sync->order);
    ngx_queue_init(&sync->replies);
    ngx_queue_init(&sync->jobs);

    ngx_stream_dns_sync_event(sync, &sync->work, ngx_stream_dns_sync_work);
    ngx_stream_dns_sync_event(sync, &sync->timer, ngx_stream_dns_sync_timer);
    ngx_stream_dns_sync_event(sync, &sync->second,
                              ngx_stream_dns_sync_second);
    ngx_stream_dns_sync_event(sync, &sync->setup, ngx_stream_dns_sync_setup);
    ngx_stream_dns_sync_event(sync, &sync->taking, ngx_stream_dns_sync_take);
    ngx_stream_dns_sync_event(sync, &sync->sweeping,
                              ngx_stream_dns_sweep_event);
    ngx_stream_dns_sync_event(sync, &sync->job_timer,
                              ngx_stream_dns_job_timer);

    if (ngx_stream_dns_sync_names(sync) != NGX_OK
        || ngx_stream_dns_table_init(sync) != NGX_OK
        || ngx_stream_dns_apply_init(sync) != NGX_OK)
    {
        return NGX_ERROR;
    }

    h.ready = ngx_stream_dns_sync_ready;
    h.lost = ngx_stream_dns_sync_gone;
    h.message = ngx_stream_dns_means_message;
    h.data = sync;

    h.role = "data";
    sync->data = ngx_stream_dns_redis_create(src, &h);

    h.role = "notifications";
    sync->note = ngx_stream_dns_redis_create(src, &h);

    if (sync->data == NULL || sync->note == NULL) {
        return NGX_ERROR;
    }

    ngx_add_timer(&sync->second, 1000);

    return NGX_OK;
}


/* room for the longest key or pattern, each octet of it escaped */

static ngx_int_t
ngx_stream_dns_sync_names(ngx_stream_dns_sync_t *sync)
{
    ngx_stream_dns_source_t  *src;

    src = sync->src;

    sync->base.len = src->prefix.len + src->key.len + sizeof(":zones") - 1;
    sync->base.data = ngx_alloc(sync->base.len, src->log);

    sync->name_size = 2 * (sync->base.len + src->suffix.len)
                      + 2 * NGX_STREAM_DNS_TAIL_MAX + NGX_DNS_NAME_TEXT_MAX
                      + 256;
    sync->name = ngx_alloc(sync->name_size, src->log);
    sync->names = ngx_alloc(NGX_STREAM_DNS_MANY_SIZE + sync->name_size,
                            src->log);

    if (sync->base.data == NULL || sync->name == NULL
        || sync->names == NULL)
    {
        return NGX_ERROR;
    }

    (void) ngx_sprintf(sync->base.data, "%V%V:zones", &src->prefix,
                       &src->key);

    return NGX_OK;
}


static void
ngx_stream_dns_sync_event(ngx_stream_dns_sync_t *sync, ngx_event_t *ev,
    ngx_event_handler_pt handler)
{
    ev->handler = handler;
    ev->data = sync;
    ev->log = sync->src->log;
    ev->cancelable = 1;
}


static void
ngx_stream_dns_sync_ready(ngx_stream_dns_redis_t *r, void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    if (sync->data == NULL || sync->note == NULL
        || !ngx_stream_dns_redis_ready(sync->data)
        || !ngx_stream_dns_redis_ready(sync->note))
    {
        return;
    }

    if (sync->writer) {
        ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_CONNECTED) = 1;
    }

    if (!sync->setup.timer_set) {
        ngx_stream_dns_means_begin(sync);
    }
}


/* after a pause: changes have been heard of all the time, or nothing yet */

static void
ngx_stream_dns_sync_setup(ngx_event_t *ev)
{
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    if (sync->means == NGX_STREAM_DNS_MEANS_NONE) {
        ngx_stream_dns_sync_ready(sync->data, sync);
        return;
    }

    sync->readable = 1;

    if (sync->writer) {
        ngx_stream_dns_sync_begin(sync);
        ngx_stream_dns_sync_post(sync);
    }
}


/*
 * One of the connections is lost, and with it what was said there.  The other
 * one is cut too: redirected tracking ends in silence with the one that it
 * goes to, and a second one cannot be turned on beside it.
 */

static void
ngx_stream_dns_sync_gone(ngx_stream_dns_redis_t *r, void *data)
{
    ngx_stream_dns_sync_t *sync = data;

    ngx_stream_dns_sync_forget(sync);

    if (r != sync->data && sync->data != NULL
        && ngx_stream_dns_redis_ready(sync->data))
    {
        ngx_stream_dns_redis_close(sync->data, "notifications are lost");

    } else if (r != sync->note && sync->note != NULL
               && ngx_stream_dns_redis_ready(sync->note))
    {
        ngx_stream_dns_redis_close(sync->note, "data are lost");
    }
}


static void
ngx_stream_dns_sync_forget(ngx_stream_dns_sync_t *sync)
{
    ngx_stream_dns_read_lost(sync);

    sync->step = 0;
    sync->means = NGX_STREAM_DNS_MEANS_NONE;
    sync->hears = 0;
    sync->ping = 0;
    sync->handing = 0;
    sync->handover = 0;
    sync->keys.len = 0;
    sync->queued.len = 0;
    sync->complete = 0;

    if (sync->list_cursor.held) {
        sync->list_cursor.held = 0;
        sync->listing = 0;
        sync->list_dirty = 1;
    }

    if (sync->scan_cursor.held) {
        sync->scan_cursor.held = 0;
        sync->scanning = 0;
    }

    if (sync->writer) {
        ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_CONNECTED) = 0;
    }

    ngx_stream_dns_sync_stop(sync);
}


/* nothing is read; the comparison, if there is one, begins anew some time */

static void
ngx_stream_dns_sync_stop(ngx_stream_dns_sync_t *sync)
{
    sync->readable = 0;
    sync->in_step = 0;

    if (!sync->writer) {
        return;
    }

    sync->src->shared->synced = 0;

    if (!sync->comparison) {
        return;
    }

    sync->comparison = 0;
    sync->compared = 0;
    sync->comparing = 0;

    if (sync->sweep == NGX_STREAM_DNS_SWEEP_CHOOSE) {
        sync->sweep = NGX_STREAM_DNS_SWEEP_NONE;
    }
}


void
ngx_stream_dns_sync_lost(ngx_stream_dns_sync_t *sync, const char *reason)
{
    ngx_stream_dns_sync_forget(sync);

    if (ngx_stream_dns_redis_ready(sync->data)) {
        ngx_stream_dns_redis_close(sync->data, reason);
    }

    if (ngx_stream_dns_redis_ready(sync->note)) {
        ngx_stream_dns_redis_close(sync->note, reason);
    }
}


ngx_int_t
ngx_stream_dns_sync_error(ngx_stream_dns_sync_t *sync, ngx_str_t *error)
{
    ngx_str_t  *word;

    static ngx_str_t  words[] = {
        ngx_string("LOADING"), ngx_string("NOAUTH"),
        ngx_string("MASTERDOWN"), ngx_string("CLUSTERDOWN"),
        ngx_string("MOVED"), ngx_string("ASK"), ngx_string("TRYAGAIN"),
        ngx_string("BUSY"), ngx_string("READONLY"), ngx_string("WRONGPASS"),
        ngx_string("MISCONF"), ngx_null_string
    };

    for (word = words; word->len != 0; word++) {

        if (error->len >= word->len
            && ngx_memcmp(error->data, word->data, word->len) == 0)
        {
            break;
        }
    }

    if (word->len == 0) {
        return NGX_DECLINED;
    }

    if (sync->setup.timer_set) {
        return NGX_OK;
    }

    if (sync->said != word) {
        sync->said = word;

        ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                      "redis answers \"%V\", what is loaded stays", error);
    }

    ngx_add_timer(&sync->setup, sync->pause);
    sync->pause = ngx_min(2 * sync->pause, NGX_STREAM_DNS_PAUSE_MAX);

    if (sync->means == NGX_STREAM_DNS_MEANS_NONE) {
        ngx_stream_dns_sync_lost(sync, "the server cannot be used now");

    } else {
        ngx_stream_dns_sync_stop(sync);
    }

    return NGX_OK;
}


/*
 * From now on changes are heard of, or known not to be.  Before this process
 * is the writer it asks the present one to say when everything from before
 * is in its log.
 */

void
ngx_stream_dns_sync_heard_of(ngx_stream_dns_sync_t *sync)
{
    sync->readable = 1;
    sync->polled = ngx_current_msec;

    if (sync->writer) {
        ngx_stream_dns_sync_begin(sync);
        return;
    }

    sync->keys.len = 0;
    sync->keys_lost = 0;

    if (sync->hears && !sync->polls) {
        sync->handover = __atomic_add_fetch(&sync->src->shared->handover, 1,
                                            __ATOMIC_SEQ_CST);
    }
}


/* a snapshot comes first: most of what it holds is as it is in Redis */

ngx_int_t
ngx_stream_dns_sync_write(ngx_stream_dns_source_t *src)
{
    ngx_dns_publish_stat_t  st;

    ngx_dns_publish_stat(src->publisher, &st);

    if (st.zones == 0) {

        /* a snapshot of another configuration is not loaded */

        src->shared->signature = src->signature;
    }

    /* zones that are there already: a process ended before all were */

    if (!src->shared->ready && src->snapshot != 0
        && ngx_stream_dns_snapshot_load(src, ngx_stream_dns_sync_loaded)
           == NGX_OK)
    {
        return NGX_OK;
    }

    ngx_stream_dns_sync_loaded(src);

    return NGX_OK;
}


/* many zones are looked at in slices, each in an event of its own */

static void
ngx_stream_dns_sync_loaded(ngx_stream_dns_source_t *src)
{
    ngx_stream_dns_sync_t  *sync;

    sync = src->sync;

    ngx_post_event(&sync->taking, &ngx_posted_next_events);
}


static void
ngx_stream_dns_sync_take(ngx_event_t *ev)
{
    ngx_int_t               rc;
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    ngx_stream_dns_slice_begin();

    rc = ngx_stream_dns_sync_published(sync);

    if (rc == NGX_AGAIN) {
        ngx_post_event(ev, &ngx_posted_next_events);
        return;
    }

    if (rc != NGX_OK) {

        if (!sync->starved) {
            sync->starved = 1;

            ngx_log_error(NGX_LOG_CRIT, sync->src->log, 0,
                          "no memory to keep zones in step, "
                          "it is tried again");
        }

        ngx_add_timer(ev, NGX_STREAM_DNS_STARVED);
        return;
    }

    sync->starved = 0;

    ngx_stream_dns_sync_taken(sync->src);
}


/* from here on this process writes */

static void
ngx_stream_dns_sync_taken(ngx_stream_dns_source_t *src)
{
    ngx_dns_shared_t       *sh;
    ngx_stream_dns_sync_t  *sync;

    sync = src->sync;
    sh = src->shared;

    sync->writer = 1;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_BAD) = sync->bad;

    sh->stale = src->stale;

    sync->rebuild = (sh->signature != src->signature);

    if (sync->readable
        && sync->hears && !sync->polls && !sync->keys_lost
        && sync->handover != 0 && sh->handed >= sync->handover
        && sh->synced && !sync->rebuild)
    {
        ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_CONNECTED) = 1;
        ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_MEANS) = sync->means;

        sync->in_step = 1;
        ngx_stream_dns_heard_replay(sync);

        /* which members there are, and how they are spelled */

        ngx_stream_dns_list_begin(sync);

    } else {
        sh->synced = 0;

        ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_CONNECTED) =
                                    ngx_stream_dns_redis_ready(sync->data);

        if (sync->readable) {
            ngx_stream_dns_sync_begin(sync);
        }
    }

    free(sync->keys.data);
    ngx_str_null(&sync->keys);
    sync->keys_size = 0;
}


/*
 * The zones that are served, under the names that they should have.
 * NGX_AGAIN: there are more.
 */

static ngx_int_t
ngx_stream_dns_sync_published(ngx_stream_dns_sync_t *sync)
{
    u_char                  name[NGX_DNS_NAME_TEXT_MAX];
    uint64_t                taken;
    ngx_str_t               member;
    ngx_uint_t              n;
    ngx_dns_zone_t         *zone;
    ngx_stream_dns_zone_t  *z;

    for (n = 1; /* void */ ; n++) {

        if (n % NGX_STREAM_DNS_TAKE == 0 && !ngx_stream_dns_slice_left()) {
            return NGX_AGAIN;
        }

        taken = sync->taken;

        zone = ngx_dns_publish_next(sync->src->publisher, &sync->taken);
        if (zone == NULL) {
            return NGX_OK;
        }

        if (ngx_stream_dns_table_find(sync, zone->name, zone->name_len)
            != NULL)
        {
            continue;
        }

        member.data = name;
        member.len = ngx_dns_name_to_text(name, zone->name) - name;

        z = ngx_stream_dns_table_add(sync, zone->name, zone->name_len,
                                     &member);
        if (z == NULL) {
            sync->taken = taken;
            return NGX_ERROR;
        }

        z->listed = 1;
        z->bad = zone->bad;
        sync->bad += zone->bad;
        sync->unlisted--;
        sync->nlisted++;
    }
}


static void
ngx_stream_dns_sync_begin(ngx_stream_dns_sync_t *sync)
{
    ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_MEANS) = sync->means;

    ngx_stream_dns_compare_begin(sync);
}


/* Everything has been compared. */

void
ngx_stream_dns_sync_compared(ngx_stream_dns_sync_t *sync)
{
    ngx_dns_shared_t  *sh;

    sh = sync->src->shared;

    sync->said = NULL;

    if (!sync->in_step) {
        ngx_log_error(NGX_LOG_NOTICE, sync->src->log, 0,
                      "redis zones in step: %ui zones, %M ms",
                      sync->nlisted, ngx_current_msec - sync->started);
    }

    if (!sh->ready && !sync->list_failed) {
        ngx_log_error(NGX_LOG_NOTICE, sync->src->log, 0,
                      "redis zones are ready");
    }

    sync->in_step = 1;
    sync->pause = NGX_STREAM_DNS_PAUSE_MIN;
    sync->polled = ngx_current_msec;

    if (sync->polls) {
        sync->complete = 0;
    }

    sh->signature = sync->src->signature;
    sh->contact = ngx_time();

    if (!sync->list_failed || sync->nlisted != 0) {
        sh->ready = 1;
    }

    ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_CONTACT) = sh->contact;

    ngx_stream_dns_sync_step(sync);
}


/* Both connections have answered: all that was said before has been heard. */

void
ngx_stream_dns_sync_contact(ngx_stream_dns_sync_t *sync)
{
    if (--sync->ping != 0 || !sync->in_step || !sync->writer) {
        return;
    }

    sync->src->shared->contact = ngx_time();
    ngx_stream_dns_stat(sync->src, NGX_STREAM_DNS_STAT_CONTACT) = ngx_time();
}


/* A zone, or the list, is done: what is before the oldest change too. */

void
ngx_stream_dns_sync_applied(ngx_stream_dns_sync_t *sync)
{
    uint64_t                pos, oldest;
    ngx_dns_shared_t       *sh;
    ngx_stream_dns_zone_t  *z;

    sh = sync->src->shared;
    oldest = sh->log_head + 1;

    if (!ngx_queue_empty(&sync->order)) {
        z = ngx_queue_data(ngx_queue_head(&sync->order),
                           ngx_stream_dns_zone_t, order);
        pos = z->pos ? z->pos : z->again_pos;
        oldest = ngx_min(oldest, pos);
    }

    if (sync->list_pos != 0) {
        oldest = ngx_min(oldest, sync->list_pos);
    }

    if (oldest - 1 > sh->log_tail) {
        ngx_dns_publish_log_done(sync->src->publisher, oldest - 1);
    }

    if (oldest == sh->log_head + 1) {
        sync->log_lost = 0;
    }

    ngx_stream_dns_sync_step(sync);
}


static void
ngx_stream_dns_sync_step(ngx_stream_dns_sync_t *sync)
{
    sync->src->shared->synced = sync->in_step && sync->hears && !sync->polls
                                && !sync->comparison && !sync->log_lost;
}


/*
 * A successor wants to know when everything that was heard before is in the
 * log: a round trip on the connection that listens says so.
 */

void
ngx_stream_dns_sync_tick(ngx_stream_dns_source_t *src)
{
    uint64_t                asked;
    ngx_stream_dns_sync_t  *sync;

    sync = src->sync;
    asked = src->shared->handover;

    if (sync->writer
        && asked != src->shared->handed && sync->handing != asked
        && src->shared->synced)
    {
        sync->handing = asked;
        ngx_stream_dns_means_ping(sync, asked);
    }

    ngx_stream_dns_sync_poll(sync);
}


void
ngx_stream_dns_sync_post(ngx_stream_dns_sync_t *sync)
{
    if (sync->writer && !sync->work.posted) {
        ngx_post_event(&sync->work, &ngx_posted_next_events);
    }
}


static void
ngx_stream_dns_sync_work(ngx_event_t *ev)
{
    ngx_queue_t            *q;
    ngx_stream_dns_read_t  *read;
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    ngx_stream_dns_slice_begin();

    while (!ngx_queue_empty(&sync->replies)) {

        if (!ngx_stream_dns_slice_left()) {
            ngx_stream_dns_sync_post(sync);
            return;
        }

        q = ngx_queue_head(&sync->replies);
        ngx_queue_remove(q);

        read = ngx_queue_data(q, ngx_stream_dns_read_t, queue);
        ngx_stream_dns_apply(read);
    }

    ngx_stream_dns_read_work(sync);
}


/* nginx moves a timer that is set by little not at all */

void
ngx_stream_dns_sync_alarm(ngx_stream_dns_sync_t *sync, ngx_msec_t left)
{
    ngx_event_t  *ev;

    ev = &sync->timer;

    if (ev->timer_set) {

        if ((ngx_msec_int_t) (ev->timer.key - ngx_current_msec - left) <= 0) {
            return;
        }

        ngx_del_timer(ev);
    }

    ngx_add_timer(ev, left);
}


static void
ngx_stream_dns_sync_timer(ngx_event_t *ev)
{
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    ngx_stream_dns_sync_list(sync);
    ngx_stream_dns_sync_post(sync);
}


static void
ngx_stream_dns_sync_list(ngx_stream_dns_sync_t *sync)
{
    ngx_msec_int_t  left;

    if (!sync->list_dirty || sync->listing || !sync->readable
        || sync->sweep != NGX_STREAM_DNS_SWEEP_NONE)
    {
        return;
    }

    left = (ngx_msec_int_t) (sync->list_next - ngx_current_msec);

    if (left > 0) {
        ngx_stream_dns_sync_alarm(sync, left);
        return;
    }

    ngx_stream_dns_list_begin(sync);
}


static void
ngx_stream_dns_sync_second(ngx_event_t *ev)
{
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    ngx_add_timer(ev, 1000);

    if (sync->doubt_more != 0) {
        ngx_log_error(NGX_LOG_ERR, sync->src->log, 0,
                      "redis: %ui zones more of which no key exists",
                      sync->doubt_more);
    }

    sync->doubt_lines = 0;
    sync->doubt_more = 0;

    if (!sync->readable) {
        return;
    }

    if (sync->ping == 0 && sync->sender == NULL) {
        ngx_stream_dns_means_ping(sync, 0);
    }

    if (!sync->writer) {
        return;
    }

    if (sync->list_failed) {
        sync->list_dirty = 1;
    }

    ngx_stream_dns_sync_list(sync);
    ngx_stream_dns_sync_requeue(sync);
}


/*
 * From the beginning of a comparison to that of the next, but one that takes
 * long is followed by a rest as long.
 */

static void
ngx_stream_dns_sync_poll(ngx_stream_dns_sync_t *sync)
{
    ngx_msec_t  spent;

    if (!sync->polls || sync->comparison || !sync->readable) {
        return;
    }

    spent = ngx_min(sync->polled - sync->started, sync->src->poll);

    if (ngx_current_msec - sync->started >= sync->src->poll
        && ngx_current_msec - sync->polled >= spent)
    {
        ngx_stream_dns_compare_begin(sync);
    }
}


/* zones that could not be read, or had no room */

static void
ngx_stream_dns_sync_requeue(ngx_stream_dns_sync_t *sync)
{
    ngx_queue_t             *q, *next;
    ngx_dns_publish_stat_t   st;
    ngx_stream_dns_zone_t   *z;

    if (!ngx_queue_empty(&sync->full)) {
        ngx_dns_publish_stat(sync->src->publisher, &st);

        if (st.free + st.waiting > sync->full_free
            || (sync->full_again
                && ngx_current_msec - sync->full_since
                   >= NGX_STREAM_DNS_FULL_AGAIN))
        {
            sync->full_free = 0;
            sync->full_again = 0;
            ngx_queue_add(&sync->retry, &sync->full);
            ngx_queue_init(&sync->full);
        }
    }

    ngx_stream_dns_slice_begin();

    for (q = ngx_queue_head(&sync->retry);
         q != ngx_queue_sentinel(&sync->retry)
         && ngx_stream_dns_slice_left();
         q = next)
    {
        next = ngx_queue_next(q);
        z = ngx_queue_data(q, ngx_stream_dns_zone_t, queue);

        /* as the timer is late more often than early */

        if ((ngx_msec_int_t) (z->due - ngx_current_msec)
            <= NGX_STREAM_DNS_EARLY)
        {
            ngx_stream_dns_zone_want(sync, z, ngx_current_msec);
        }
    }
}


uint64_t
ngx_stream_dns_sync_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
