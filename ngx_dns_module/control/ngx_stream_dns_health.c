
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_dns_choice.h"
#include "ngx_stream_dns_health_conf.h"
#include "ngx_stream_dns_health_targets.h"
#include "ngx_stream_dns_walk.h"


#define NGX_STREAM_DNS_HEALTH_SWEEP  1024   /* slots at a time */
#define NGX_STREAM_DNS_HEALTH_ADD    64     /* targets at a time */


static void ngx_stream_dns_health_lock(void);
static void ngx_stream_dns_health_fit(void);
static void ngx_stream_dns_health_sweep(void);
static void ngx_stream_dns_health_counters(void);
static void ngx_stream_dns_health_count(uint64_t word, ngx_int_t n);
static void ngx_stream_dns_health_word(ngx_stream_dns_target_t *t,
    ngx_dns_health_slot_t *slot, uint64_t word, const char *reason);


ngx_stream_dns_health_t  *ngx_stream_dns_health;


ngx_int_t
ngx_stream_dns_health_start(ngx_cycle_t *cycle,
    ngx_stream_dns_health_conf_t *conf)
{
    ngx_stream_dns_health_t  *hl;

    if (conf->mode == NGX_STREAM_DNS_HEALTH_OFF) {
        return NGX_OK;
    }

    hl = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_health_t));
    if (hl == NULL) {
        return NGX_ERROR;
    }

    hl->conf = conf;
    hl->table = conf->table;
    hl->log = cycle->log;

    ngx_rbtree_init(&hl->targets, &hl->sentinel, ngx_rbtree_insert_value);
    ngx_rbtree_init(&hl->timers, &hl->timers_sentinel,
                    ngx_rbtree_insert_timer_value);
    ngx_queue_init(&hl->unfit);
    ngx_queue_init(&hl->fresh);
    ngx_queue_init(&hl->due);

    ngx_stream_dns_health = hl;

    return ngx_stream_dns_health_targets_start();
}


void
ngx_stream_dns_health_watch(ngx_stream_dns_health_watcher_t *watcher)
{
    if (ngx_stream_dns_health != NULL) {
        ngx_stream_dns_health->watcher = watcher;
    }
}


void
ngx_stream_dns_health_tick(void)
{
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    if (hl == NULL) {
        return;
    }

    if (!hl->locked) {
        ngx_stream_dns_health_lock();

        if (!hl->locked) {
            return;
        }
    }

    ngx_stream_dns_health_fit();
    ngx_stream_dns_health_sweep();
    ngx_stream_dns_health_schedule();
    ngx_stream_dns_health_counters();
}


/* Becomes the writer of the table if there is no other. */

static void
ngx_stream_dns_health_lock(void)
{
    ngx_uint_t                i;
    ngx_dns_health_t         *h;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;
    h = hl->table;

    if (ngx_stream_dns_control_lock_try(h->lock, hl->log) != NGX_OK) {
        return;
    }

    hl->locked = 1;

    ngx_dns_health_open(h);

    /* what is counted anew */

    for (i = NGX_STREAM_DNS_HEALTH_FLIGHT;
         i < NGX_STREAM_DNS_HEALTH_COUNTERS;
         i++)
    {
        h->stat[i] = 0;
    }

    h->stat[NGX_STREAM_DNS_HEALTH_SLOTS] = h->nslots - h->nslots / 4;
}


/* gives targets their slots */

static void
ngx_stream_dns_health_fit(void)
{
    ngx_uint_t                n;
    ngx_queue_t              *q;
    ngx_dns_health_slot_t    *slot;
    ngx_stream_dns_health_t  *hl;
    ngx_stream_dns_target_t  *t;

    hl = ngx_stream_dns_health;

    for (n = 1; !ngx_queue_empty(&hl->unfit); n++) {

        if (n % NGX_STREAM_DNS_HEALTH_ADD == 0
            && !ngx_stream_dns_slice_left())
        {
            return;
        }

        q = ngx_queue_head(&hl->unfit);
        t = ngx_queue_data(q, ngx_stream_dns_target_t, queue);

        slot = ngx_dns_health_insert(hl->table, t->id);

        if (slot == NULL) {

            if (!hl->full_told) {
                hl->full_told = 1;

                ngx_log_error(NGX_LOG_ERR, hl->log, 0,
                              "\"dns_health_zone\" is full: %uL targets, "
                              "others are not checked and count as up",
                              hl->table->used);
            }

            return;
        }

        ngx_queue_remove(q);
        hl->nunfit--;

        ngx_stream_dns_health_count(slot->state, 1);
        ngx_stream_dns_health_fresh(t);

        if (hl->watcher != NULL && hl->watcher->added != NULL) {
            hl->watcher->added(hl->watcher->data, t);
        }
    }

    hl->full_told = 0;
}


/* the slots of targets that were there before, and are not any more */

static void
ngx_stream_dns_health_sweep(void)
{
    uint64_t                  id;
    ngx_uint_t                n;
    ngx_dns_health_t         *h;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;
    h = hl->table;

    if (hl->swept == h->nslots || !ngx_stream_dns_walk_complete()) {
        return;
    }

    for (n = 0; n < NGX_STREAM_DNS_HEALTH_SWEEP; n++) {

        if (hl->swept == h->nslots) {
            return;
        }

        id = ngx_dns_health_slots(h)[hl->swept].id;

        if (id == NGX_DNS_HEALTH_FREE
            || ngx_stream_dns_health_target(id) != NULL)
        {
            hl->swept++;
            continue;
        }

        /* another one may be in its place then */

        ngx_dns_health_remove(h, id);
    }
}


static void
ngx_stream_dns_health_counters(void)
{
    volatile uint64_t        *stat;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;
    stat = hl->table->stat;

    stat[NGX_STREAM_DNS_HEALTH_FLIGHT] = hl->flight;
    stat[NGX_STREAM_DNS_HEALTH_WAITING] = hl->waiting;
    stat[NGX_STREAM_DNS_HEALTH_TARGETS] = hl->ntargets;
    stat[NGX_STREAM_DNS_HEALTH_FULL] = hl->nunfit;
    stat[NGX_STREAM_DNS_HEALTH_UNUSABLE] = hl->nunusable;
    stat[NGX_STREAM_DNS_HEALTH_PROBING] = ngx_stream_dns_health_probing();
}


static void
ngx_stream_dns_health_count(uint64_t word, ngx_int_t n)
{
    ngx_uint_t  i;

    switch (ngx_dns_health_state(word)) {

    case NGX_DNS_HEALTH_UP:
        i = NGX_STREAM_DNS_HEALTH_UPS;
        break;

    case NGX_DNS_HEALTH_DOWN:
        i = NGX_STREAM_DNS_HEALTH_DOWNS;
        break;

    default:
        i = NGX_STREAM_DNS_HEALTH_UNKNOWNS;
        break;
    }

    ngx_stream_dns_health->table->stat[i] += n;
}


ngx_uint_t
ngx_stream_dns_health_writes(void)
{
    return (ngx_stream_dns_health != NULL && ngx_stream_dns_health->locked);
}


ngx_uint_t
ngx_stream_dns_health_probing(void)
{
    return (ngx_stream_dns_health_writes()
            && ngx_stream_dns_health->conf->mode == NGX_STREAM_DNS_HEALTH_ON
            && ngx_stream_dns_control->snapshots);
}


ngx_dns_health_slot_t *
ngx_stream_dns_health_slot(ngx_stream_dns_target_t *t)
{
    return ngx_stream_dns_health_writes()
           ? ngx_dns_health_slot(ngx_stream_dns_health->table, t->id) : NULL;
}


void
ngx_stream_dns_health_result(ngx_stream_dns_target_t *t, u_char *reason)
{
    uint64_t                  word;
    ngx_time_t               *tp;
    ngx_uint_t                good;
    ngx_dns_health_slot_t    *slot;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;
    good = (reason[0] == '\0');

    hl->table->stat[good ? NGX_STREAM_DNS_HEALTH_GOOD
                         : NGX_STREAM_DNS_HEALTH_BAD]++;

    slot = ngx_stream_dns_health_slot(t);
    if (slot == NULL) {
        return;
    }

    t->checked = 1;

    word = ngx_dns_health_result(slot->state, good, t->probe.up_count,
                                 t->probe.down_count);

    tp = ngx_timeofday();
    slot->checked = (uint64_t) tp->sec * 1000 + tp->msec;

    ngx_stream_dns_health_word(t, slot, word, (char *) reason);

    if (hl->watcher != NULL && hl->watcher->result != NULL) {
        hl->watcher->result(hl->watcher->data, t, word);
    }
}


ngx_int_t
ngx_stream_dns_health_heard(ngx_stream_dns_target_t *t, ngx_int_t run,
    uint64_t checked)
{
    uint64_t                word;
    ngx_dns_health_slot_t  *slot;

    slot = ngx_stream_dns_health_slot(t);

    if (slot == NULL
        || (run != 0 && slot->checked > checked)
        || (t->checked && ngx_stream_dns_health_probing()
            && ngx_dns_health_state(slot->state) != NGX_DNS_HEALTH_UNKNOWN))
    {
        return NGX_DECLINED;
    }

    word = ngx_dns_health_heard(slot->state, run, t->probe.up_count,
                                t->probe.down_count);

    slot->checked = (run != 0) ? checked : 0;

    ngx_stream_dns_health_word(t, slot, word, "heard of");

    return NGX_OK;
}


/* reason: why it is down, if it is */

static void
ngx_stream_dns_health_word(ngx_stream_dns_target_t *t,
    ngx_dns_health_slot_t *slot, uint64_t word, const char *reason)
{
    u_char                    text[NGX_STREAM_DNS_HEALTH_TEXT], *p;
    uint64_t                  old;
    ngx_uint_t                from, to;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    old = slot->state;
    slot->state = word;

    from = ngx_dns_health_state(old);
    to = ngx_dns_health_state(word);

    if (from == to) {
        return;
    }

    ngx_stream_dns_health_count(old, -1);
    ngx_stream_dns_health_count(word, 1);

    hl->table->stat[NGX_STREAM_DNS_HEALTH_TURNS]++;

    p = ngx_stream_dns_health_text(text, t);

    if (to == NGX_DNS_HEALTH_DOWN) {
        ngx_log_error(NGX_LOG_NOTICE, hl->log, 0, "target %*s is down: %s",
                      (size_t) (p - text), text, reason);

    } else if (from == NGX_DNS_HEALTH_DOWN) {
        ngx_log_error(NGX_LOG_NOTICE, hl->log, 0, "target %*s is %s",
                      (size_t) (p - text), text,
                      (to == NGX_DNS_HEALTH_UP) ? "up" : "unknown");
    }
}


u_char *
ngx_stream_dns_health_text(u_char *p, ngx_stream_dns_target_t *t)
{
    u_char  *end;

    end = p + NGX_STREAM_DNS_HEALTH_TEXT;

    if (t->len == 16) {
        *p++ = '[';
        p += ngx_inet6_ntop(t->address, p, end - p);
        *p++ = ']';

    } else {
        p += ngx_inet_ntop(AF_INET, t->address, p, end - p);
    }

    p = ngx_slprintf(p, end, ":%ui of \"", (ngx_uint_t) t->probe.port);
    p = ngx_dns_name_to_text(p, t->owner);

    return ngx_slprintf(p, end, "\"");
}


/* the target will be freed */

void
ngx_stream_dns_health_forget(ngx_stream_dns_target_t *t)
{
    ngx_dns_health_slot_t    *slot;
    ngx_stream_dns_health_t  *hl;

    hl = ngx_stream_dns_health;

    if (t->place == NGX_STREAM_DNS_TARGET_UNFIT) {
        ngx_queue_remove(&t->queue);
        hl->nunfit--;
        return;
    }

    if (hl->watcher != NULL && hl->watcher->removed != NULL) {
        hl->watcher->removed(hl->watcher->data, t);
    }

    ngx_stream_dns_health_unschedule(t);

    slot = ngx_stream_dns_health_slot(t);

    if (slot != NULL) {
        ngx_stream_dns_health_count(slot->state, -1);
        ngx_dns_health_remove(hl->table, t->id);
    }
}
