
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_health_write.h"


#define NGX_DNS_HEALTH_SLOTS_MIN  16

#define ngx_dns_health_behind(h, i)  (((i) + 1) & ((h)->nslots - 1))


static uint64_t ngx_dns_health_look(const ngx_dns_health_t *h, uint64_t id);
static uint64_t ngx_dns_health_copy_slots(ngx_dns_health_t *h,
    const ngx_dns_health_t *from);
static void ngx_dns_health_set(ngx_dns_health_slot_t *slot,
    const ngx_dns_health_slot_t *from, uint64_t id);
static void ngx_dns_health_close(ngx_dns_health_t *h, uint64_t hole);
static ngx_uint_t ngx_dns_health_count(ngx_uint_t n);


ngx_dns_health_t *
ngx_dns_health_init(void *p, size_t size)
{
    uint64_t           n;
    ngx_dns_health_t  *h;

    h = p;

    if (size < sizeof(ngx_dns_health_t)) {
        return NULL;
    }

    n = (size - sizeof(ngx_dns_health_t)) / sizeof(ngx_dns_health_slot_t);

    if (n < NGX_DNS_HEALTH_SLOTS_MIN) {
        return NULL;
    }

    h->version = NGX_DNS_HEALTH_VERSION;
    h->size = size;
    h->nslots = (uint64_t) 1 << (63 - __builtin_clzll(n));
    h->slots = sizeof(ngx_dns_health_t);
    h->magic = NGX_DNS_HEALTH_MAGIC;

    return h;
}


void
ngx_dns_health_open(ngx_dns_health_t *h)
{
    uint64_t                i, used;
    ngx_dns_health_slot_t  *slot;

    for (i = 0; i < h->nslots; i++) {

        slot = ngx_dns_health_slots(h) + i;

        /* a hole, or a slot that was about to move, until it is neither */

        while (slot->id != NGX_DNS_HEALTH_FREE
               && (slot->id == NGX_DNS_HEALTH_REMOVED
                   || ngx_dns_health_look(h, slot->id) != i))
        {
            ngx_dns_health_close(h, i);
        }
    }

    used = 0;

    for (i = 0; i < h->nslots; i++) {
        used += (ngx_dns_health_slots(h)[i].id != NGX_DNS_HEALTH_FREE);
    }

    h->used = used;
}


/* where it is, or could be; nslots: nowhere */

static uint64_t
ngx_dns_health_look(const ngx_dns_health_t *h, uint64_t id)
{
    uint64_t                n, i;
    ngx_dns_health_slot_t  *slot;

    i = ngx_dns_health_home(h, id);

    for (n = 0; n < h->nslots; n++) {

        slot = ngx_dns_health_slots(h) + i;

        if (slot->id == id || slot->id == NGX_DNS_HEALTH_FREE) {
            return i;
        }

        i = ngx_dns_health_behind(h, i);
    }

    return h->nslots;
}


ngx_dns_health_slot_t *
ngx_dns_health_slot(ngx_dns_health_t *h, uint64_t id)
{
    uint64_t                i;
    ngx_dns_health_slot_t  *slot;

    i = ngx_dns_health_look(h, id);
    slot = ngx_dns_health_slots(h) + i;

    return (i != h->nslots && slot->id == id) ? slot : NULL;
}


ngx_dns_health_slot_t *
ngx_dns_health_insert(ngx_dns_health_t *h, uint64_t id)
{
    uint64_t                i;
    ngx_dns_health_slot_t  *slot, empty;

    i = ngx_dns_health_look(h, id);

    if (i == h->nslots) {
        return NULL;
    }

    slot = ngx_dns_health_slots(h) + i;

    if (slot->id == id) {
        return slot;
    }

    if (h->used >= h->nslots - h->nslots / 4) {
        return NULL;
    }

    h->used++;

    ngx_memzero(&empty, sizeof(ngx_dns_health_slot_t));
    ngx_dns_health_set(slot, &empty, id);

    return slot;
}


/* readers see the id last */

static void
ngx_dns_health_set(ngx_dns_health_slot_t *slot,
    const ngx_dns_health_slot_t *from, uint64_t id)
{
    /* on no machine before the id of another target is gone */

    __atomic_thread_fence(__ATOMIC_RELEASE);

    slot->state = from->state;
    slot->due = from->due;
    slot->checked = from->checked;

    __atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
}


void
ngx_dns_health_remove(ngx_dns_health_t *h, uint64_t id)
{
    uint64_t                i;
    ngx_dns_health_slot_t  *slot;

    i = ngx_dns_health_look(h, id);
    slot = ngx_dns_health_slots(h) + i;

    if (i != h->nslots && slot->id == id) {
        h->used--;
        ngx_dns_health_close(h, i);
    }
}


/*
 * What is behind a hole and not at home there moves into it, and leaves the
 * next hole.  A reader finds it in one place or the other, or sees that
 * something has moved.
 */

static void
ngx_dns_health_close(ngx_dns_health_t *h, uint64_t hole)
{
    uint64_t                n, i, home, mask;
    ngx_dns_health_slot_t  *slots;

    slots = ngx_dns_health_slots(h);
    mask = h->nslots - 1;
    i = hole;

    __atomic_store_n(&slots[hole].id, NGX_DNS_HEALTH_REMOVED,
                     __ATOMIC_RELEASE);

    for (n = 1; n < h->nslots; n++) {

        i = ngx_dns_health_behind(h, i);

        if (slots[i].id == NGX_DNS_HEALTH_FREE) {
            break;
        }

        if (slots[i].id == NGX_DNS_HEALTH_REMOVED) {
            continue;
        }

        home = ngx_dns_health_home(h, slots[i].id);

        /* at home between the hole and here */

        if (((i - home) & mask) < ((i - hole) & mask)) {
            continue;
        }

        ngx_dns_health_set(&slots[hole], &slots[i], slots[i].id);

        __atomic_store_n(&h->moves, h->moves + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&slots[i].id, NGX_DNS_HEALTH_REMOVED,
                         __ATOMIC_RELEASE);

        hole = i;
    }

    __atomic_store_n(&slots[hole].id, NGX_DNS_HEALTH_FREE, __ATOMIC_RELEASE);
}


/* what moves while it is copied may be missed: then all is looked at again */

uint64_t
ngx_dns_health_copy(ngx_dns_health_t *h, const ngx_dns_health_t *from)
{
    uint64_t    moves, lost;
    ngx_uint_t  tries;

    lost = 0;

    for (tries = 0; tries < NGX_DNS_HEALTH_TRIES; tries++) {

        moves = __atomic_load_n(&from->moves, __ATOMIC_ACQUIRE);
        lost = ngx_dns_health_copy_slots(h, from);

        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        if (from->moves == moves) {
            break;
        }
    }

    return lost;
}


static uint64_t
ngx_dns_health_copy_slots(ngx_dns_health_t *h, const ngx_dns_health_t *from)
{
    uint64_t                      i, id, lost;
    ngx_dns_health_slot_t        *slot, copy;
    const ngx_dns_health_slot_t  *old;

    lost = 0;

    for (i = 0; i < from->nslots; i++) {

        old = ngx_dns_health_slots(from) + i;
        id = __atomic_load_n(&old->id, __ATOMIC_ACQUIRE);

        if (id <= NGX_DNS_HEALTH_REMOVED) {
            continue;
        }

        copy = *old;

        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        if (old->id != id) {
            continue;
        }

        slot = ngx_dns_health_insert(h, id);

        if (slot != NULL) {
            ngx_dns_health_set(slot, &copy, id);
        } else {
            lost++;
        }
    }

    return lost;
}


uint64_t
ngx_dns_health_result(uint64_t word, ngx_uint_t good, ngx_uint_t up_count,
    ngx_uint_t down_count)
{
    ngx_int_t  run;

    run = ngx_dns_health_run(word);

    if (good) {
        run = (run < 0) ? 1 : run + 1;

    } else {
        run = (run > 0) ? -1 : run - 1;
    }

    return ngx_dns_health_heard(word, run, up_count, down_count);
}


uint64_t
ngx_dns_health_heard(uint64_t word, ngx_int_t run, ngx_uint_t up_count,
    ngx_uint_t down_count)
{
    ngx_int_t   up, down;
    ngx_uint_t  state, turns;

    if (run == 0) {

        /* somebody knows that nobody knows */

        return NGX_DNS_HEALTH_UNKNOWN;
    }

    up = ngx_dns_health_count(up_count);
    down = ngx_dns_health_count(down_count);

    run = ngx_max(run, -down);
    run = ngx_min(run, up);

    state = ngx_dns_health_state(word);
    turns = 0;

    if (run == -down) {
        state = NGX_DNS_HEALTH_DOWN;

    } else if (run == up
               || (run > 0 && state != NGX_DNS_HEALTH_DOWN))
    {
        state = NGX_DNS_HEALTH_UP;

    } else if (run < 0 && state != NGX_DNS_HEALTH_DOWN) {
        turns = down + run;

    } else if (run > 0) {
        turns = up - run;
    }

    return state | ngx_min(turns, 255) << 8
           | (uint64_t) (uint16_t) (int16_t) run << 16;
}


static ngx_uint_t
ngx_dns_health_count(ngx_uint_t n)
{
    return (n == 0) ? 1 : ngx_min(n, NGX_DNS_HEALTH_COUNT_MAX);
}
