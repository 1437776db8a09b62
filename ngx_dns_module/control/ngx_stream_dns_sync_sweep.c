
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_SWEEP_LOOK  16       /* buckets between two looks */


/*
 * What is done to all zones, in slices.  No list is begun meanwhile, no
 * comparison ends, and the buckets stay as many as they are.
 */


static void ngx_stream_dns_sweep(ngx_stream_dns_sync_t *sync);
static void ngx_stream_dns_sweep_delist(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);
static void ngx_stream_dns_sweep_choose(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z);
static void ngx_stream_dns_sweep_end(ngx_stream_dns_sync_t *sync);


void
ngx_stream_dns_sweep_begin(ngx_stream_dns_sync_t *sync, ngx_uint_t sweep)
{
    sync->sweep = sweep;
    sync->swept = 0;

    ngx_stream_dns_sweep(sync);
}


void
ngx_stream_dns_sweep_event(ngx_event_t *ev)
{
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    if (sync->sweep == NGX_STREAM_DNS_SWEEP_NONE) {

        /* the comparison has been given up */

        return;
    }

    ngx_stream_dns_slice_begin();
    ngx_stream_dns_sweep(sync);
}


static void
ngx_stream_dns_sweep(ngx_stream_dns_sync_t *sync)
{
    ngx_stream_dns_zone_t  *z, *next;

    for ( /* void */ ; sync->swept < sync->nbuckets; sync->swept++) {

        if (sync->swept % NGX_STREAM_DNS_SWEEP_LOOK == 0
            && !ngx_stream_dns_slice_left())
        {
            if (!sync->sweeping.posted) {
                ngx_post_event(&sync->sweeping, &ngx_posted_next_events);
            }

            return;
        }

        for (z = sync->buckets[sync->swept]; z != NULL; z = next) {
            next = z->next;

            if (sync->sweep == NGX_STREAM_DNS_SWEEP_DELIST) {
                ngx_stream_dns_sweep_delist(sync, z);

            } else {
                ngx_stream_dns_sweep_choose(sync, z);
            }
        }
    }

    ngx_stream_dns_sweep_end(sync);
}


/* what the list has no more */

static void
ngx_stream_dns_sweep_delist(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    if (!z->listed) {
        return;
    }

    if (z->generation != sync->generation) {
        ngx_stream_dns_apply_gone(sync, z);

    } else if (z->spelled != sync->generation) {

        /* it is spelled in another way now */

        sync->list_dirty = 1;
    }
}


/* what is to be compared; all there is if the list could not be read */

static void
ngx_stream_dns_sweep_choose(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    z->tailed = 0;

    if (!z->listed || ngx_stream_dns_zone_compared(sync, z)
        || (z->generation != sync->generation && !sync->list_failed))
    {
        return;
    }

    z->compare = sync->round;
    z->once_more = 0;
    sync->comparing++;

    if (z->state == NGX_STREAM_DNS_ZONE_BUSY) {

        /* it may have been read before the connection was lost */

        z->once_more = 1;
        return;
    }

    if (z->state == NGX_STREAM_DNS_ZONE_WANTED) {

        if (!z->full
            && (ngx_msec_int_t) (z->due - ngx_current_msec)
               <= NGX_STREAM_DNS_GATHER)
        {
            return;
        }

        /* it waits for room, or for its next try */

        ngx_queue_remove(&z->queue);
    }

    z->state = NGX_STREAM_DNS_ZONE_WANTED;
    z->due = ngx_current_msec;
    ngx_queue_insert_tail(&sync->compare, &z->queue);
}


static void
ngx_stream_dns_sweep_end(ngx_stream_dns_sync_t *sync)
{
    ngx_uint_t  sweep;

    sweep = sync->sweep;
    sync->sweep = NGX_STREAM_DNS_SWEEP_NONE;

    if (sweep == NGX_STREAM_DNS_SWEEP_DELIST) {
        ngx_stream_dns_list_swept(sync);
        return;
    }

    if (sync->list_dirty) {
        ngx_stream_dns_sync_alarm(sync, NGX_STREAM_DNS_GATHER);
    }

    ngx_stream_dns_compare_check(sync);
    ngx_stream_dns_sync_post(sync);
}
