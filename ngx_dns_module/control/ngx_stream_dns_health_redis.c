
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_health_redis_ctx.h"


static ngx_stream_dns_status_link_t *ngx_stream_dns_status_find(
    ngx_stream_dns_source_t *src);
static void ngx_stream_dns_status_added(void *data,
    ngx_stream_dns_target_t *t);
static void ngx_stream_dns_status_got(void *data, ngx_stream_dns_target_t *t,
    uint64_t word);
static void ngx_stream_dns_status_removed(void *data,
    ngx_stream_dns_target_t *t);
static void ngx_stream_dns_status_ready(ngx_stream_dns_redis_t *r,
    void *data);
static void ngx_stream_dns_status_lost(ngx_stream_dns_redis_t *r, void *data);
static void ngx_stream_dns_status_message(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);
static void ngx_stream_dns_status_connect(ngx_stream_dns_status_link_t *link);


static ngx_stream_dns_status_link_t  *ngx_stream_dns_status_links;
static ngx_uint_t                     ngx_stream_dns_status_nlinks;
static ngx_uint_t                     ngx_stream_dns_status_probing;

static ngx_stream_dns_health_watcher_t  ngx_stream_dns_status_watcher = {
    NULL,
    ngx_stream_dns_status_added,
    ngx_stream_dns_status_got,
    ngx_stream_dns_status_removed
};


ngx_int_t
ngx_stream_dns_health_redis_start(ngx_cycle_t *cycle)
{
    ngx_uint_t                      i, n;
    ngx_stream_dns_source_t       **src;
    ngx_stream_dns_status_link_t   *link;

    n = ngx_stream_dns_control->sources.nelts;

    if (n == 0) {
        return NGX_OK;
    }

    link = ngx_pcalloc(cycle->pool, n * sizeof(ngx_stream_dns_status_link_t));
    if (link == NULL) {
        return NGX_ERROR;
    }

    src = ngx_stream_dns_control->sources.elts;

    for (i = 0; i < n; i++) {
        link[i].src = src[i];
        link[i].period = NGX_STREAM_DNS_STATUS_READ_MAX;
        ngx_queue_init(&link[i].fresh);
        ngx_queue_init(&link[i].urgent);
        ngx_queue_init(&link[i].calm);
    }

    ngx_stream_dns_status_links = link;
    ngx_stream_dns_status_nlinks = n;

    ngx_stream_dns_health_watch(&ngx_stream_dns_status_watcher);

    return NGX_OK;
}


static ngx_stream_dns_status_link_t *
ngx_stream_dns_status_find(ngx_stream_dns_source_t *src)
{
    ngx_uint_t  i;

    for (i = 0; i < ngx_stream_dns_status_nlinks; i++) {
        if (ngx_stream_dns_status_links[i].src == src) {
            return &ngx_stream_dns_status_links[i];
        }
    }

    return NULL;
}


/* without memory the target has no key, which is no reason to end */

static void
ngx_stream_dns_status_added(void *data, ngx_stream_dns_target_t *t)
{
    ngx_msec_t                     period;
    ngx_dns_health_slot_t         *slot;
    ngx_stream_dns_status_link_t  *link;
    ngx_stream_dns_status_item_t  *item;

    t->data = NULL;

    link = ngx_stream_dns_status_find(t->source);
    if (link == NULL) {
        return;
    }

    item = ngx_calloc(sizeof(ngx_stream_dns_status_item_t), ngx_cycle->log);
    if (item == NULL) {
        return;
    }

    item->target = t;
    item->link = link;
    t->data = item;

    slot = ngx_stream_dns_health_slot(t);

    if (slot != NULL && slot->checked == 0) {
        item->fresh = 1;
        ngx_queue_insert_tail(&link->fresh, &item->queue);

    } else {
        ngx_queue_insert_head(&link->calm, &item->queue);
    }

    link->targets++;

    period = ngx_max(t->interval / 2, NGX_STREAM_DNS_STATUS_READ_MIN);
    link->period = ngx_min(link->period, period);
}


static void
ngx_stream_dns_status_got(void *data, ngx_stream_dns_target_t *t,
    uint64_t word)
{
    if (t->data != NULL) {
        ngx_stream_dns_status_result(t->data, word);
    }
}


/* its key expires */

static void
ngx_stream_dns_status_removed(void *data, ngx_stream_dns_target_t *t)
{
    ngx_stream_dns_status_item_t  *item;

    item = t->data;

    if (item == NULL) {
        return;
    }

    item->link->targets--;
    ngx_queue_remove(&item->queue);
    ngx_free(item);

    t->data = NULL;
}


void
ngx_stream_dns_health_redis_tick(void)
{
    ngx_uint_t                     i, probing;
    ngx_stream_dns_status_link_t  *link;

    if (!ngx_stream_dns_health_writes()) {
        return;
    }

    probing = ngx_stream_dns_health_probing();

    for (i = 0; i < ngx_stream_dns_status_nlinks; i++) {
        link = &ngx_stream_dns_status_links[i];

        if (probing != ngx_stream_dns_status_probing) {
            link->since = ngx_current_msec;
        }

        if (link->targets == 0) {
            continue;
        }

        if (link->redis == NULL) {
            ngx_stream_dns_status_connect(link);
            continue;
        }

        if (!ngx_stream_dns_redis_ready(link->redis)) {
            continue;
        }

        if (probing) {
            ngx_stream_dns_status_first(link);
            ngx_stream_dns_status_write(link);

        } else {
            ngx_stream_dns_status_read(link);
        }
    }

    ngx_stream_dns_status_probing = probing;
}


static void
ngx_stream_dns_status_connect(ngx_stream_dns_status_link_t *link)
{
    ngx_stream_dns_redis_handlers_t  h;

    h.ready = ngx_stream_dns_status_ready;
    h.lost = ngx_stream_dns_status_lost;
    h.message = ngx_stream_dns_status_message;
    h.data = link;
    h.role = "health";

    link->redis = ngx_stream_dns_redis_create(link->src, &h);
}


/* it may be another server, or one that has forgotten all */

static void
ngx_stream_dns_status_ready(ngx_stream_dns_redis_t *r, void *data)
{
    ngx_stream_dns_status_link_t *link = data;

    link->since = ngx_current_msec;
    link->refused = 0;
    link->reads = 0;
}


static void
ngx_stream_dns_status_lost(ngx_stream_dns_redis_t *r, void *data)
{
    ngx_stream_dns_status_link_t *link = data;

    link->reads = 0;
}


static void
ngx_stream_dns_status_message(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data)
{
    /* void */
}


ngx_uint_t
ngx_stream_dns_status_due(ngx_stream_dns_status_item_t *item,
    ngx_msec_t period)
{
    return !item->known
           || (ngx_msec_int_t) (item->link->since - item->touched) > 0
           || (ngx_msec_t) (ngx_current_msec - item->touched) >= period;
}


void
ngx_stream_dns_status_touch(ngx_stream_dns_status_item_t *item)
{
    ngx_queue_remove(&item->queue);
    ngx_queue_insert_tail(&item->link->calm, &item->queue);

    item->fresh = 0;
    item->urgent = 0;
    item->known = 1;
    item->touched = ngx_current_msec;
}


u_char *
ngx_stream_dns_status_name(u_char *p, ngx_stream_dns_status_item_t *item,
    ngx_uint_t at)
{
    ngx_stream_dns_source_t  *src;
    ngx_dns_status_target_t   target;

    src = item->link->src;

    ngx_stream_dns_status_target(item->target, &target);

    p = ngx_cpymem(p, src->prefix.data, src->prefix.len);
    p = ngx_cpymem(p, src->key.data, src->key.len);
    p = ngx_dns_status_key(p, &target, at);

    return ngx_cpymem(p, src->suffix.data, src->suffix.len);
}


size_t
ngx_stream_dns_status_room(ngx_stream_dns_status_link_t *link)
{
    return link->src->prefix.len + link->src->key.len + NGX_DNS_STATUS_KEY
           + link->src->suffix.len;
}


ngx_uint_t
ngx_stream_dns_status_apex(ngx_stream_dns_target_t *t)
{
    size_t  n;

    if (t->apex == NULL) {
        return 0;
    }

    n = ngx_dns_name_len(t->apex);

    return ngx_dns_name_len(t->owner) == n
           && ngx_memcmp(t->owner, t->apex, n) == 0;
}


void
ngx_stream_dns_status_target(ngx_stream_dns_target_t *t,
    ngx_dns_status_target_t *target)
{
    ngx_dns_zone_t  *zone;

    target->owner = t->owner;
    target->address = t->address;
    target->len = t->len;
    target->probe = &t->probe;
    ngx_str_null(&target->domain);

    if (t->apex == NULL || t->source == NULL || t->source->publisher == NULL) {
        return;
    }

    zone = ngx_dns_publish_get(t->source->publisher, t->apex);

    if (zone != NULL) {
        ngx_dns_zone_id(zone, &target->domain);
    }
}

#endif
