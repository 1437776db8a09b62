
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_health_redis_ctx.h"
#include "ngx_stream_dns_memory.h"


#define NGX_STREAM_DNS_STATUS_BATCH  64         /* targets of a command */
#define NGX_STREAM_DNS_STATUS_READS  4          /* commands without a reply */
#define NGX_STREAM_DNS_STATUS_NAMES  (32 * 1024)


/* one command: the targets that it asks for */

typedef struct {
    ngx_stream_dns_status_link_t     *link;
    ngx_uint_t                        n;
    uint64_t                          id[NGX_STREAM_DNS_STATUS_BATCH];
    uint8_t                           keys[NGX_STREAM_DNS_STATUS_BATCH];
} ngx_stream_dns_status_batch_t;

typedef struct {
    u_char     *p;
    u_char     *last;
    ngx_uint_t  argc;
    ngx_str_t   argv[1 + 2 * NGX_STREAM_DNS_STATUS_BATCH];
} ngx_stream_dns_status_words_t;


static void ngx_stream_dns_status_calm(ngx_stream_dns_status_link_t *link,
    ngx_queue_t *queue);
static ngx_int_t ngx_stream_dns_status_ask(ngx_stream_dns_status_link_t *link,
    ngx_queue_t *queue);
static ngx_stream_dns_status_item_t *ngx_stream_dns_status_head(
    ngx_stream_dns_status_link_t *link, ngx_queue_t *queue);
static void ngx_stream_dns_status_asked(ngx_stream_dns_status_item_t *item);
static ngx_int_t ngx_stream_dns_status_word(ngx_stream_dns_status_words_t *w,
    ngx_stream_dns_status_item_t *item, ngx_uint_t at);
static void ngx_stream_dns_status_reply(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_status_values(ngx_stream_dns_target_t *t,
    ngx_dns_datum_t **values, ngx_uint_t n);
static void ngx_stream_dns_status_before(ngx_stream_dns_target_t *t,
    ngx_dns_health_slot_t *slot, ngx_int_t run, uint64_t checked);
static uint64_t ngx_stream_dns_status_now(void);
static ngx_int_t ngx_stream_dns_status_parse(
    ngx_stream_dns_status_item_t *item, ngx_dns_datum_t *value,
    ngx_dns_status_t *status);


static ngx_dns_json_buf_t  ngx_stream_dns_status_json;
static u_char              ngx_stream_dns_status_names[
                                                 NGX_STREAM_DNS_STATUS_NAMES];


void
ngx_stream_dns_status_read(ngx_stream_dns_status_link_t *link)
{
    ngx_stream_dns_status_calm(link, &link->urgent);
    ngx_stream_dns_status_calm(link, &link->fresh);

    while (link->reads < NGX_STREAM_DNS_STATUS_READS
           && ngx_stream_dns_slice_left()
           && ngx_stream_dns_status_ask(link, &link->calm) == NGX_OK)
    {
        /* void */
    }
}


void
ngx_stream_dns_status_first(ngx_stream_dns_status_link_t *link)
{
    while (link->reads < NGX_STREAM_DNS_STATUS_READS
           && ngx_stream_dns_slice_left()
           && ngx_stream_dns_status_ask(link, &link->fresh) == NGX_OK)
    {
        /* void */
    }
}


/* what was to be written, or looked at once, waits with the others */

static void
ngx_stream_dns_status_calm(ngx_stream_dns_status_link_t *link,
    ngx_queue_t *queue)
{
    ngx_queue_t                   *q;
    ngx_stream_dns_status_item_t  *item;

    while (!ngx_queue_empty(queue)) {
        q = ngx_queue_head(queue);
        item = ngx_queue_data(q, ngx_stream_dns_status_item_t, queue);

        ngx_queue_remove(q);
        ngx_queue_insert_head(&link->calm, q);

        item->fresh = 0;
        item->urgent = 0;
        item->known = 0;
    }
}


/*
 * One command, for those at the head of a queue that are due.  NGX_DECLINED:
 * there are none.
 */

static ngx_int_t
ngx_stream_dns_status_ask(ngx_stream_dns_status_link_t *link,
    ngx_queue_t *queue)
{
    ngx_int_t                       rc;
    ngx_stream_dns_status_item_t   *item;
    ngx_stream_dns_status_batch_t  *batch;
    ngx_stream_dns_status_words_t   w;

    if (ngx_stream_dns_status_head(link, queue) == NULL) {
        return NGX_DECLINED;
    }

    batch = ngx_alloc(sizeof(ngx_stream_dns_status_batch_t), ngx_cycle->log);
    if (batch == NULL) {
        return NGX_ERROR;
    }

    batch->link = link;
    batch->n = 0;

    ngx_str_set(&w.argv[0], "MGET");
    w.argc = 1;
    w.p = ngx_stream_dns_status_names;
    w.last = w.p + NGX_STREAM_DNS_STATUS_NAMES;

    while (batch->n < NGX_STREAM_DNS_STATUS_BATCH) {
        item = ngx_stream_dns_status_head(link, queue);

        if (item == NULL || ngx_stream_dns_status_word(&w, item, 0) != NGX_OK)
        {
            break;
        }

        batch->id[batch->n] = item->target->id;
        batch->keys[batch->n] = 1;

        if (ngx_stream_dns_status_apex(item->target)
            && ngx_stream_dns_status_word(&w, item, 1) == NGX_OK)
        {
            batch->keys[batch->n] = 2;
        }

        batch->n++;
        ngx_stream_dns_status_asked(item);
    }

    rc = ngx_stream_dns_redis_command(link->redis,
                                      ngx_stream_dns_status_reply, batch,
                                      w.argc, w.argv);

    if (rc != NGX_OK) {
        ngx_free(batch);
        return NGX_ERROR;
    }

    link->reads++;

    return NGX_OK;
}


/* NULL: nothing in the queue is due */

static ngx_stream_dns_status_item_t *
ngx_stream_dns_status_head(ngx_stream_dns_status_link_t *link,
    ngx_queue_t *queue)
{
    ngx_queue_t                   *q;
    ngx_stream_dns_status_item_t  *item;

    if (ngx_queue_empty(queue)) {
        return NULL;
    }

    q = ngx_queue_head(queue);
    item = ngx_queue_data(q, ngx_stream_dns_status_item_t, queue);

    return ngx_stream_dns_status_due(item, link->period) ? item : NULL;
}


/* a fresh one is to be written as soon as it has been checked */

static void
ngx_stream_dns_status_asked(ngx_stream_dns_status_item_t *item)
{
    ngx_uint_t  fresh;

    fresh = item->fresh;

    ngx_stream_dns_status_touch(item);

    if (fresh) {
        ngx_queue_remove(&item->queue);
        ngx_queue_insert_head(&item->link->calm, &item->queue);
        item->known = 0;
    }
}


/* NGX_DECLINED: no room */

static ngx_int_t
ngx_stream_dns_status_word(ngx_stream_dns_status_words_t *w,
    ngx_stream_dns_status_item_t *item, ngx_uint_t at)
{
    ngx_str_t  *word;

    if ((size_t) (w->last - w->p) < ngx_stream_dns_status_room(item->link)) {
        return NGX_DECLINED;
    }

    word = &w->argv[w->argc++];
    word->data = w->p;
    w->p = ngx_stream_dns_status_name(w->p, item, at);
    word->len = w->p - word->data;

    return NGX_OK;
}


static void
ngx_stream_dns_status_reply(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_status_batch_t *batch = data;

    ngx_uint_t                i, at;
    ngx_stream_dns_target_t  *t;

    if (reply == NULL) {
        ngx_free(batch);
        return;
    }

    batch->link->reads--;
    at = 0;

    if (reply->type == NGX_DNS_REPLY_ARRAY) {

        for (i = 0; i < batch->n; i++) {

            if (at + batch->keys[i] > reply->n) {
                break;
            }

            t = ngx_stream_dns_health_next(batch->id[i] - 1);

            if (t != NULL && t->id == batch->id[i] && t->data != NULL) {
                ngx_stream_dns_status_values(t, &reply->elts[at],
                                             batch->keys[i]);
            }

            at += batch->keys[i];
        }
    }

    ngx_free(batch);
}


/*
 * Of two keys for one target the one that was checked last counts.  What is
 * unknown is so as of the last check.
 */

static void
ngx_stream_dns_status_values(ngx_stream_dns_target_t *t,
    ngx_dns_datum_t **values, ngx_uint_t n)
{
    ngx_int_t                      rc, run;
    ngx_uint_t                     i, found, bad;
    ngx_dns_status_t               status, best;
    ngx_dns_health_slot_t         *slot;
    ngx_stream_dns_status_item_t  *item;

    item = t->data;
    slot = ngx_stream_dns_health_slot(t);
    found = 0;
    bad = 0;

    ngx_memzero(&best, sizeof(ngx_dns_status_t));

    for (i = 0; i < n; i++) {

        if (values[i]->type != NGX_DNS_REPLY_STRING) {
            continue;
        }

        rc = ngx_stream_dns_status_parse(item, values[i], &status);

        if (rc == NGX_ERROR) {
            return;
        }

        if (rc == NGX_DECLINED) {
            bad = 1;
            continue;
        }

        if (!found || status.checked > best.checked) {
            best = status;
            found = 1;
        }
    }

    item->bad = bad;

    if (slot == NULL || (!found && !bad && !item->heard)) {

        /* there is no key, and there has been none */

        return;
    }

    item->heard = found;

    run = found ? ngx_dns_status_run(&best, t->probe.up_count,
                                     t->probe.down_count)
                : 0;

    if (ngx_stream_dns_health_probing()) {
        ngx_stream_dns_status_before(t, slot, run, best.checked);
        return;
    }

    if (run == 0) {
        best.checked = slot->checked;

    } else if (best.checked == 0) {
        best.checked = ngx_stream_dns_status_now();
    }

    (void) ngx_stream_dns_health_heard(t, run, best.checked);
}


/*
 * Before it has found a state by itself: what was down a short time ago, when
 * this process or another one checked it, is still down.
 */

static void
ngx_stream_dns_status_before(ngx_stream_dns_target_t *t,
    ngx_dns_health_slot_t *slot, ngx_int_t run, uint64_t checked)
{
    if (run != - (ngx_int_t) t->probe.down_count
        || ngx_dns_health_state(slot->state) != NGX_DNS_HEALTH_UNKNOWN
        || checked + NGX_STREAM_DNS_STATUS_EXPIRES
           < ngx_stream_dns_status_now())
    {
        return;
    }

    (void) ngx_stream_dns_health_heard(t, run, ngx_max(checked,
                                                       slot->checked));
}


static uint64_t
ngx_stream_dns_status_now(void)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    return (uint64_t) tp->sec * 1000 + tp->msec;
}


/* what is wrong with a value is told once, until it is right */

static ngx_int_t
ngx_stream_dns_status_parse(ngx_stream_dns_status_item_t *item,
    ngx_dns_datum_t *value, ngx_dns_status_t *status)
{
    u_char       text[400];
    ngx_int_t    rc;
    const char  *err;

    ngx_stream_dns_status_json.mem = &ngx_stream_dns_memory;

    rc = ngx_dns_status_read(&ngx_stream_dns_status_json, &value->str, status,
                             &err);

    if (rc == NGX_DECLINED && !item->bad) {
        item->bad = 1;

        ngx_log_error(NGX_LOG_WARN, item->link->src->log, 0,
                      "the state of %*s in redis %s: it is unknown",
                      ngx_stream_dns_health_text(text, item->target) - text,
                      text, err);
    }

    return rc;
}

#endif
