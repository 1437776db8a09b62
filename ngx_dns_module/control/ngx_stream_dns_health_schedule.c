
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_health_targets.h"
#include "ngx_stream_dns_probe.h"


/*
 * A target is checked at a phase of its own: the next check is due an
 * interval after the last one was, not after it began, so that it neither
 * drifts nor bunches.  The phase is in shared memory, for a successor.
 *
 * First checks are spread out: in a second 200, or a quarter more than the
 * checks of all targets that have to be made in a second anyway.
 */

#define NGX_STREAM_DNS_HEALTH_TICK    10    /* milliseconds */
#define NGX_STREAM_DNS_HEALTH_LAG     5     /* ms that a tick may be late */
#define NGX_STREAM_DNS_HEALTH_RATE    0.2   /* first checks in a millisecond */
#define NGX_STREAM_DNS_HEALTH_BURST   20.0
#define NGX_STREAM_DNS_HEALTH_LOOK    16    /* targets at a time */
#define NGX_STREAM_DNS_HEALTH_SPARE   32    /* connections left to others */


static void ngx_stream_dns_health_clock(void);
static void ngx_stream_dns_health_first(void);
static void ngx_stream_dns_health_expire(void);
static void ngx_stream_dns_health_begin_due(void);
static ngx_int_t ngx_stream_dns_health_check(ngx_stream_dns_target_t *t);
static void ngx_stream_dns_health_done(ngx_stream_dns_target_t *t,
    u_char *reason);
static void ngx_stream_dns_health_time(ngx_stream_dns_target_t *t,
    ngx_msec_t due);
static void ngx_stream_dns_health_due(ngx_stream_dns_target_t *t);


void
ngx_stream_dns_health_schedule(void)
{
    ngx_stream_dns_health_clock();

    if (!ngx_stream_dns_health_probing()) {
        return;
    }

    ngx_stream_dns_health_first();
    ngx_stream_dns_health_expire();
    ngx_stream_dns_health_begin_due();
}


/* how late ticks come is how long the loop of events was held up */

static void
ngx_stream_dns_health_clock(void)
{
    double                    tokens;
    ngx_msec_t                passed;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    if (hl->ticked == 0) {
        hl->ticked = ngx_current_msec;
        hl->tokens = NGX_STREAM_DNS_HEALTH_BURST;
        return;
    }

    passed = ngx_current_msec - hl->ticked;
    hl->ticked = ngx_current_msec;

    if (passed > NGX_STREAM_DNS_HEALTH_TICK + NGX_STREAM_DNS_HEALTH_LAG) {
        hl->lag += passed - NGX_STREAM_DNS_HEALTH_TICK;
        ngx_stream_dns_probe_held(hl->lag);
    }

    hl->table->stat[NGX_STREAM_DNS_HEALTH_LATE] += ngx_stream_dns_probe_late();

    tokens = hl->tokens
             + passed * (NGX_STREAM_DNS_HEALTH_RATE + 1.25 * hl->rate);

    hl->tokens = ngx_min(tokens, NGX_STREAM_DNS_HEALTH_BURST);
}


void
ngx_stream_dns_health_fresh(ngx_stream_dns_target_t *t)
{
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    if (t->probe.protocol == NGX_DNS_PROBE_HTTPS && hl->conf->ssl == NULL) {

        if (hl->nunusable++ == 0) {
            ngx_log_error(NGX_LOG_ERR, hl->log, 0,
                          "nginx is built without TLS: targets of \"https\" "
                          "are not checked and count as up");
        }

        t->place = NGX_STREAM_DNS_TARGET_UNUSABLE;
        return;
    }

    hl->rate += 1.0 / t->interval;

    t->place = NGX_STREAM_DNS_TARGET_FRESH;
    ngx_queue_insert_tail(&hl->fresh, &t->queue);
}


/*
 * Those that are new to this process.  What another one has begun is gone on
 * with at the same phase.
 */

static void
ngx_stream_dns_health_first(void)
{
    uint64_t                  due;
    ngx_uint_t                n;
    ngx_msec_int_t            left;
    ngx_queue_t              *q;
    ngx_dns_health_slot_t    *slot;
    ngx_stream_dns_health_t  *hl;
    ngx_stream_dns_target_t  *t;

    hl = ngx_stream_dns_health;

    for (n = 1; !ngx_queue_empty(&hl->fresh); n++) {

        if (n % NGX_STREAM_DNS_HEALTH_LOOK == 0
            && !ngx_stream_dns_slice_left())
        {
            return;
        }

        q = ngx_queue_head(&hl->fresh);
        t = ngx_queue_data(q, ngx_stream_dns_target_t, queue);

        slot = ngx_stream_dns_health_slot(t);
        due = (slot != NULL) ? slot->due : 0;
        left = (ngx_msec_int_t) (due - ngx_current_msec);

        if (due != 0
            && left <= (ngx_msec_int_t) t->interval
            && left > - (ngx_msec_int_t) t->interval)
        {
            ngx_queue_remove(q);
            ngx_stream_dns_health_time(t, due);
            continue;
        }

        if (hl->tokens < 1.0) {
            return;
        }

        hl->tokens -= 1.0;

        ngx_queue_remove(q);
        ngx_stream_dns_health_time(t, ngx_current_msec);
    }
}


static void
ngx_stream_dns_health_time(ngx_stream_dns_target_t *t, ngx_msec_t due)
{
    t->place = NGX_STREAM_DNS_TARGET_TIMED;
    t->due = due;
    t->timer.key = due;

    ngx_rbtree_insert(&ngx_stream_dns_health->timers, &t->timer);
}


static void
ngx_stream_dns_health_expire(void)
{
    ngx_rbtree_t             *tree;
    ngx_rbtree_node_t        *node;
    ngx_stream_dns_target_t  *t;

    tree = &ngx_stream_dns_health->timers;

    while (tree->root != tree->sentinel) {

        node = ngx_rbtree_min(tree->root, tree->sentinel);

        if ((ngx_msec_int_t) (node->key - ngx_current_msec) > 0) {
            return;
        }

        t = (ngx_stream_dns_target_t *)
            ((u_char *) node - offsetof(ngx_stream_dns_target_t, timer));

        ngx_rbtree_delete(tree, node);
        ngx_stream_dns_health_due(t);
    }
}


static void
ngx_stream_dns_health_due(ngx_stream_dns_target_t *t)
{
    t->place = NGX_STREAM_DNS_TARGET_DUE;

    ngx_queue_insert_tail(&ngx_stream_dns_health->due, &t->queue);
    ngx_stream_dns_health->waiting++;
}


static void
ngx_stream_dns_health_begin_due(void)
{
    ngx_uint_t                n;
    ngx_queue_t              *q;
    ngx_stream_dns_health_t  *hl;
    ngx_stream_dns_target_t  *t;

    hl = ngx_stream_dns_health;

    for (n = 1; !ngx_queue_empty(&hl->due); n++) {

        if (hl->flight >= NGX_STREAM_DNS_PROBES
            || ngx_cycle->free_connection_n < NGX_STREAM_DNS_HEALTH_SPARE
            || (n % NGX_STREAM_DNS_HEALTH_LOOK == 0
                && !ngx_stream_dns_slice_left()))
        {
            return;
        }

        q = ngx_queue_head(&hl->due);
        t = ngx_queue_data(q, ngx_stream_dns_target_t, queue);

        if (ngx_stream_dns_health_check(t) != NGX_OK) {
            return;
        }
    }
}


/* NGX_ERROR: not now */

static ngx_int_t
ngx_stream_dns_health_check(ngx_stream_dns_target_t *t)
{
    ngx_msec_t                late, skipped;
    ngx_dns_health_slot_t    *slot;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    t->check = ngx_stream_dns_probe_start(hl->conf, t,
                                          ngx_stream_dns_health_done);
    if (t->check == NULL) {
        return NGX_ERROR;
    }

    ngx_queue_remove(&t->queue);
    hl->waiting--;
    hl->flight++;
    hl->table->stat[NGX_STREAM_DNS_HEALTH_PROBES]++;

    t->place = NGX_STREAM_DNS_TARGET_CHECKED;

    late = ngx_current_msec - t->due;
    skipped = late / t->interval;

    hl->table->stat[NGX_STREAM_DNS_HEALTH_SKIPPED] += skipped;

    t->due += (skipped + 1) * t->interval;

    slot = ngx_stream_dns_health_slot(t);

    if (slot != NULL) {
        slot->due = t->due;
    }

    return NGX_OK;
}


static void
ngx_stream_dns_health_done(ngx_stream_dns_target_t *t, u_char *reason)
{
    t->check = NULL;
    ngx_stream_dns_health->flight--;

    ngx_stream_dns_health_time(t, t->due);

    ngx_stream_dns_health_result(t, reason);
}


void
ngx_stream_dns_health_unschedule(ngx_stream_dns_target_t *t)
{
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    switch (t->place) {

    case NGX_STREAM_DNS_TARGET_FRESH:
        ngx_queue_remove(&t->queue);
        break;

    case NGX_STREAM_DNS_TARGET_TIMED:
        ngx_rbtree_delete(&hl->timers, &t->timer);
        break;

    case NGX_STREAM_DNS_TARGET_DUE:
        ngx_queue_remove(&t->queue);
        hl->waiting--;
        break;

    case NGX_STREAM_DNS_TARGET_CHECKED:
        ngx_stream_dns_probe_cancel(t->check);
        hl->flight--;
        break;

    case NGX_STREAM_DNS_TARGET_UNUSABLE:
        hl->nunusable--;
        return;
    }

    hl->rate -= 1.0 / t->interval;
}
