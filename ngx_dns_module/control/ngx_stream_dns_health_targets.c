
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_dns_choice.h"
#include "ngx_stream_dns_health_targets.h"
#include "ngx_stream_dns_walk.h"


#define NGX_STREAM_DNS_HEALTH_GONE  64      /* references at a time */


/* what a zone has to do with a target */

typedef struct {
    ngx_rbtree_node_t         node;         /* by id */
    ngx_queue_t               queue;        /* those met last at the end */
    ngx_uint_t                walk;         /* in which it was met */
    ngx_stream_dns_target_t  *target;
} ngx_stream_dns_health_ref_t;

/* what a walker has of a zone */

typedef struct {
    ngx_rbtree_t              refs;
    ngx_rbtree_node_t         sentinel;
    ngx_queue_t               queue;
    ngx_uint_t                walk;         /* number of this one */
} ngx_stream_dns_health_zone_t;

/* where a target comes from */

typedef struct {
    uint64_t                  id;
    ngx_stream_dns_source_t  *source;
    const u_char             *apex;         /* NULL: a pool */
    const u_char             *owner;
    const u_char             *address;
    size_t                    len;
    ngx_str_t                 payload;      /* of the probe */
} ngx_stream_dns_health_seen_t;


static ngx_int_t ngx_stream_dns_health_pool(ngx_dns_pool_t *pool);
static void ngx_stream_dns_health_begin(void *data,
    ngx_stream_dns_walk_zone_t *zone);
static void ngx_stream_dns_health_set(void *data,
    ngx_stream_dns_walk_zone_t *zone, const u_char *owner,
    const ngx_dns_rrset_t *set, const ngx_dns_rrset_t *notes);
static void ngx_stream_dns_health_meet(ngx_stream_dns_health_zone_t *hz,
    ngx_stream_dns_health_seen_t *seen);
static ngx_int_t ngx_stream_dns_health_end(void *data,
    ngx_stream_dns_walk_zone_t *zone);
static ngx_rbtree_node_t *ngx_stream_dns_health_find(ngx_rbtree_t *tree,
    uint64_t id);
static ngx_stream_dns_target_t *ngx_stream_dns_health_get(
    ngx_stream_dns_health_seen_t *seen);
static ngx_stream_dns_target_t *ngx_stream_dns_health_create(
    ngx_stream_dns_health_seen_t *seen);
static void ngx_stream_dns_health_leave(ngx_stream_dns_target_t *t);


static ngx_stream_dns_walker_t  ngx_stream_dns_health_walker = {
    NULL, 0,
    ngx_stream_dns_health_begin,
    ngx_stream_dns_health_set,
    NULL,
    ngx_stream_dns_health_end
};


ngx_int_t
ngx_stream_dns_health_targets_start(void)
{
    ngx_uint_t         i;
    ngx_dns_pool_t   **pool;
    ngx_dns_pools_t   *pools;

    pools = ngx_stream_dns_health->conf->dmcf->pools;

    if (pools != NULL) {

        pool = pools->all.elts;

        for (i = 0; i < pools->all.nelts; i++) {
            if (ngx_stream_dns_health_pool(pool[i]) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    return ngx_stream_dns_walk_add(&ngx_stream_dns_health_walker);
}


/* its targets are there as long as the process */

static ngx_int_t
ngx_stream_dns_health_pool(ngx_dns_pool_t *pool)
{
    ngx_uint_t                     i, k;
    ngx_dns_pool_set_t            *set;
    ngx_stream_dns_health_seen_t   seen;

    if (pool->payload.len == 0) {
        return NGX_OK;
    }

    seen.source = NULL;
    seen.apex = NULL;
    seen.owner = pool->owner;
    seen.payload = pool->payload;

    for (i = 0; i < 2; i++) {

        set = &pool->sets[i];

        for (k = 0; k < set->n; k++) {

            seen.id = set->addresses[k]->rr.check;
            seen.address = set->addresses[k]->address;
            seen.len = set->len;

            if (seen.id > NGX_DNS_HEALTH_REMOVED
                && ngx_stream_dns_health_get(&seen) == NULL)
            {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


static void
ngx_stream_dns_health_begin(void *data, ngx_stream_dns_walk_zone_t *zone)
{
    ngx_stream_dns_health_zone_t  *hz;

    hz = zone->data[ngx_stream_dns_health_walker.index];

    if (hz == NULL) {

        hz = ngx_calloc(sizeof(ngx_stream_dns_health_zone_t),
                        ngx_stream_dns_health->log);
        if (hz == NULL) {
            return;
        }

        ngx_rbtree_init(&hz->refs, &hz->sentinel, ngx_rbtree_insert_value);
        ngx_queue_init(&hz->queue);

        zone->data[ngx_stream_dns_health_walker.index] = hz;
    }

    hz->walk++;
}


/* the id of each target is where workers look for it */

static void
ngx_stream_dns_health_set(void *data, ngx_stream_dns_walk_zone_t *zone,
    const u_char *owner, const ngx_dns_rrset_t *set,
    const ngx_dns_rrset_t *notes)
{
    u_char                        *rr, *note;
    ngx_uint_t                     i;
    const u_char                  *p;
    ngx_dns_choice_t               choice;
    ngx_dns_choice_rr_t            crr;
    ngx_stream_dns_health_seen_t   seen;
    ngx_stream_dns_health_zone_t  *hz;

    hz = zone->data[ngx_stream_dns_health_walker.index];

    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_PROBE);
    note = ngx_dns_notes_find(notes, NGX_DNS_NOTE_CHOICE);

    if (hz == NULL || rr == NULL || note == NULL) {
        return;
    }

    seen.source = zone->source;
    seen.apex = zone->apex;
    seen.owner = owner;
    seen.payload.data = rr + 2 + NGX_DNS_NOTE_HEAD;
    seen.payload.len = ngx_dns_get16(rr) - NGX_DNS_NOTE_HEAD;

    ngx_dns_choice_open(note + 2 + NGX_DNS_NOTE_HEAD, &choice);

    rr = ngx_dns_rrset_first(set);
    p = choice.rrs;

    for (i = 0; i < set->nrr && i < choice.nrr; i++) {

        p = ngx_dns_choice_rr(p, &crr);

        seen.id = crr.check;
        seen.address = rr + 2;
        seen.len = ngx_dns_get16(rr);

        if (crr.check > NGX_DNS_HEALTH_REMOVED) {
            ngx_stream_dns_health_meet(hz, &seen);
        }

        rr = ngx_dns_rrset_step(set, rr);
    }
}


static void
ngx_stream_dns_health_meet(ngx_stream_dns_health_zone_t *hz,
    ngx_stream_dns_health_seen_t *seen)
{
    ngx_stream_dns_target_t      *t;
    ngx_stream_dns_health_ref_t  *ref;

    ref = (ngx_stream_dns_health_ref_t *)
          ngx_stream_dns_health_find(&hz->refs, seen->id);

    if (ref != NULL) {
        ngx_queue_remove(&ref->queue);

    } else {

        t = ngx_stream_dns_health_get(seen);
        if (t == NULL) {
            return;
        }

        ref = ngx_alloc(sizeof(ngx_stream_dns_health_ref_t),
                        ngx_stream_dns_health->log);

        if (ref == NULL) {
            ngx_stream_dns_health_leave(t);
            return;
        }

        ref->target = t;
        ref->node.key = seen->id;

        ngx_rbtree_insert(&hz->refs, &ref->node);
    }

    ref->walk = hz->walk;
    ngx_queue_insert_tail(&hz->queue, &ref->queue);
}


/* those that were not met this time are at the head of the queue */

static ngx_int_t
ngx_stream_dns_health_end(void *data, ngx_stream_dns_walk_zone_t *zone)
{
    ngx_uint_t                     n;
    ngx_queue_t                   *q;
    ngx_stream_dns_health_ref_t   *ref;
    ngx_stream_dns_health_zone_t  *hz;

    hz = zone->data[ngx_stream_dns_health_walker.index];

    if (hz == NULL) {
        return NGX_OK;
    }

    for (n = 1; !ngx_queue_empty(&hz->queue); n++) {

        if (n % NGX_STREAM_DNS_HEALTH_GONE == 0
            && !ngx_stream_dns_slice_left())
        {
            return NGX_AGAIN;
        }

        q = ngx_queue_head(&hz->queue);
        ref = ngx_queue_data(q, ngx_stream_dns_health_ref_t, queue);

        if (ref->walk == hz->walk) {
            break;
        }

        ngx_queue_remove(q);
        ngx_rbtree_delete(&hz->refs, &ref->node);

        ngx_stream_dns_health_leave(ref->target);
        ngx_free(ref);
    }

    if (zone->gone) {
        zone->data[ngx_stream_dns_health_walker.index] = NULL;
        ngx_free(hz);
    }

    return NGX_OK;
}


static ngx_rbtree_node_t *
ngx_stream_dns_health_find(ngx_rbtree_t *tree, uint64_t id)
{
    ngx_rbtree_node_t  *node;

    node = tree->root;

    while (node != tree->sentinel) {

        if (node->key == id) {
            return node;
        }

        node = (id < node->key) ? node->left : node->right;
    }

    return NULL;
}


ngx_stream_dns_target_t *
ngx_stream_dns_health_target(uint64_t id)
{
    return (ngx_stream_dns_target_t *)
           ngx_stream_dns_health_find(&ngx_stream_dns_health->targets, id);
}


ngx_stream_dns_target_t *
ngx_stream_dns_health_next(uint64_t after)
{
    ngx_rbtree_t             *tree;
    ngx_rbtree_node_t        *node, *above;
    ngx_stream_dns_target_t  *t;

    if (ngx_stream_dns_health == NULL) {
        return NULL;
    }

    tree = &ngx_stream_dns_health->targets;

    do {
        above = NULL;
        node = tree->root;

        while (node != tree->sentinel) {

            if (node->key > after) {
                above = node;
                node = node->left;

            } else {
                node = node->right;
            }
        }

        t = (ngx_stream_dns_target_t *) above;
        after = (t != NULL) ? t->id : 0;

    } while (t != NULL && t->place == NGX_STREAM_DNS_TARGET_UNFIT);

    return t;
}


/* one reference more; NULL: no memory, or the probe is not to be read */

static ngx_stream_dns_target_t *
ngx_stream_dns_health_get(ngx_stream_dns_health_seen_t *seen)
{
    ngx_stream_dns_target_t  *t;

    t = ngx_stream_dns_health_target(seen->id);

    if (t == NULL) {
        t = ngx_stream_dns_health_create(seen);
    }

    if (t != NULL) {
        t->refs++;
    }

    return t;
}


static ngx_stream_dns_target_t *
ngx_stream_dns_health_create(ngx_stream_dns_health_seen_t *seen)
{
    size_t                    owner, apex;
    u_char                   *p;
    ngx_dns_probe_t           probe;
    ngx_stream_dns_health_t  *hl;
    ngx_stream_dns_target_t  *t;

    hl = ngx_stream_dns_health;

    if ((seen->len != 4 && seen->len != 16)
        || ngx_dns_probe_read(seen->payload.data, seen->payload.len, &probe)
           != NGX_OK)
    {
        ngx_log_error(NGX_LOG_ALERT, hl->log, 0,
                      "a target with a damaged probe is not checked");
        return NULL;
    }

    owner = ngx_dns_name_len(seen->owner);
    apex = (seen->apex != NULL) ? ngx_dns_name_len(seen->apex) : 0;

    t = ngx_calloc(sizeof(ngx_stream_dns_target_t) + seen->payload.len
                   + owner + apex, hl->log);
    if (t == NULL) {
        return NULL;
    }

    p = (u_char *) (t + 1);

    ngx_memcpy(p, seen->payload.data, seen->payload.len);
    (void) ngx_dns_probe_read(p, seen->payload.len, &t->probe);
    p += seen->payload.len;

    t->owner = p;
    p = ngx_cpymem(p, seen->owner, owner);

    if (seen->apex != NULL) {
        t->apex = p;
        ngx_memcpy(p, seen->apex, apex);
    }

    t->id = seen->id;
    t->node.key = seen->id;
    t->source = seen->source;
    t->len = seen->len;
    ngx_memcpy(t->address, seen->address, seen->len);
    t->interval = (t->probe.interval != 0) ? t->probe.interval
                                           : hl->conf->interval;

    t->place = NGX_STREAM_DNS_TARGET_UNFIT;

    ngx_queue_insert_tail(&hl->unfit, &t->queue);
    hl->nunfit++;

    ngx_rbtree_insert(&hl->targets, &t->node);
    hl->ntargets++;

    return t;
}


/* one reference less */

static void
ngx_stream_dns_health_leave(ngx_stream_dns_target_t *t)
{
    ngx_stream_dns_health_t  *hl;

    if (--t->refs != 0) {
        return;
    }

    hl = ngx_stream_dns_health;

    ngx_stream_dns_health_forget(t);

    ngx_rbtree_delete(&hl->targets, &t->node);
    hl->ntargets--;

    ngx_free(t);
}
