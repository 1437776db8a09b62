
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_health_redis_ctx.h"
#include "ngx_stream_dns_redis_link.h"


#define NGX_STREAM_DNS_STATUS_WRITES   64       /* in a tick */
#define NGX_STREAM_DNS_STATUS_PENDING  256      /* without a reply */


static ngx_stream_dns_status_item_t *ngx_stream_dns_status_next(
    ngx_stream_dns_status_link_t *link);
static ngx_int_t ngx_stream_dns_status_run(uint64_t word,
    ngx_stream_dns_target_t *t);
static ngx_int_t ngx_stream_dns_status_set(ngx_stream_dns_status_item_t *item,
    ngx_dns_health_slot_t *slot);
static void ngx_stream_dns_status_taken(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);


static u_char  ngx_stream_dns_status_value[NGX_DNS_STATUS_VALUE];


void
ngx_stream_dns_status_write(ngx_stream_dns_status_link_t *link)
{
    ngx_uint_t                     n;
    ngx_dns_health_slot_t         *slot;
    ngx_stream_dns_status_item_t  *item;

    if (link->refused
        && (ngx_msec_int_t) (link->again - ngx_current_msec) > 0)
    {
        return;
    }

    for (n = 0; n < NGX_STREAM_DNS_STATUS_WRITES; n++) {

        if (ngx_stream_dns_redis_pending(link->redis)
            >= (link->refused ? 1 : NGX_STREAM_DNS_STATUS_PENDING)
            || !ngx_stream_dns_slice_left())
        {
            return;
        }

        item = ngx_stream_dns_status_next(link);

        if (item == NULL) {
            return;
        }

        slot = ngx_stream_dns_health_slot(item->target);

        /* what has not been checked yet has no key */

        if (slot != NULL && slot->checked != 0
            && ngx_stream_dns_status_set(item, slot) != NGX_OK)
        {
            return;
        }

        ngx_stream_dns_status_touch(item);
    }
}


static ngx_stream_dns_status_item_t *
ngx_stream_dns_status_next(ngx_stream_dns_status_link_t *link)
{
    ngx_queue_t                   *q;
    ngx_stream_dns_status_item_t  *item;

    if (!ngx_queue_empty(&link->urgent)) {
        q = ngx_queue_head(&link->urgent);

        return ngx_queue_data(q, ngx_stream_dns_status_item_t, queue);
    }

    if (ngx_queue_empty(&link->calm)) {
        return NULL;
    }

    q = ngx_queue_head(&link->calm);
    item = ngx_queue_data(q, ngx_stream_dns_status_item_t, queue);

    return ngx_stream_dns_status_due(item, NGX_STREAM_DNS_STATUS_REFRESH)
               ? item : NULL;
}


void
ngx_stream_dns_status_result(ngx_stream_dns_status_item_t *item, uint64_t word)
{
    if (item->fresh || item->urgent
        || (item->written
            && item->status == ngx_stream_dns_status_run(word, item->target)))
    {
        return;
    }

    item->urgent = 1;

    ngx_queue_remove(&item->queue);
    ngx_queue_insert_tail(&item->link->urgent, &item->queue);
}


static ngx_int_t
ngx_stream_dns_status_run(uint64_t word, ngx_stream_dns_target_t *t)
{
    ngx_int_t  run;

    run = ngx_dns_health_run(word);
    run = ngx_min(run, (ngx_int_t) t->probe.up_count);

    return ngx_max(run, - (ngx_int_t) t->probe.down_count);
}


/* NGX_ERROR: not now */

static ngx_int_t
ngx_stream_dns_status_set(ngx_stream_dns_status_item_t *item,
    ngx_dns_health_slot_t *slot)
{
    u_char                    ms[NGX_INT64_LEN];
    u_char                   *key, *p;
    ngx_int_t                 rc;
    ngx_str_t                 argv[5];
    ngx_msec_t                expires;
    ngx_dns_status_t          status;
    ngx_dns_status_target_t   target;

    key = ngx_alloc(ngx_stream_dns_status_room(item->link), ngx_cycle->log);
    if (key == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&status, sizeof(ngx_dns_status_t));

    status.status = ngx_stream_dns_status_run(slot->state, item->target);
    status.checked = slot->checked;

    ngx_stream_dns_status_target(item->target, &target);

    argv[0].data = (u_char *) "SET";
    argv[0].len = 3;

    p = ngx_stream_dns_status_name(key, item, 0);
    argv[1].data = key;
    argv[1].len = p - key;

    p = ngx_dns_status_write(ngx_stream_dns_status_value, &target, &status);
    argv[2].data = ngx_stream_dns_status_value;
    argv[2].len = p - ngx_stream_dns_status_value;

    argv[3].data = (u_char *) "PX";
    argv[3].len = 2;

    expires = ngx_max(4 * item->target->interval,
                      NGX_STREAM_DNS_STATUS_EXPIRES);
    argv[4].data = ms;
    argv[4].len = ngx_sprintf(ms, "%M", expires) - ms;

    rc = ngx_stream_dns_redis_command(item->link->redis,
                                      ngx_stream_dns_status_taken, item->link,
                                      5, argv);

    ngx_free(key);

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    item->written = 1;
    item->status = (ngx_int_t) status.status;

    return NGX_OK;
}


/* a replica, a user without the right, no memory: one try, now and then */

static void
ngx_stream_dns_status_taken(ngx_stream_dns_redis_t *r, ngx_dns_datum_t *reply,
    void *data)
{
    ngx_stream_dns_status_link_t *link = data;

    u_char  text[NGX_STREAM_DNS_REDIS_REASON];

    if (reply == NULL) {
        return;
    }

    if (reply->type != NGX_DNS_REPLY_ERROR) {

        if (link->refused) {
            link->refused = 0;
            link->since = ngx_current_msec;

            ngx_log_error(NGX_LOG_NOTICE, link->src->log, 0,
                          "redis takes states of addresses again");
        }

        return;
    }

    if (!link->refused) {
        ngx_log_error(NGX_LOG_ERR, link->src->log, 0,
                      "redis does not take states of addresses: %s",
                      ngx_stream_dns_redis_text(text, &reply->str));
    }

    link->refused = 1;
    link->again = ngx_current_msec + NGX_STREAM_DNS_STATUS_REFUSED;
}

#endif
