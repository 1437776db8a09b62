
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


static uint64_t ngx_dns_publish_free(ngx_dns_publisher_t *pub);
static void ngx_dns_publish_tell(ngx_dns_publisher_t *pub, const u_char *apex,
    ngx_dns_zone_t *zone);


ngx_int_t
ngx_dns_publish_alloc(ngx_dns_publisher_t *pub, size_t size, uint64_t *place,
    uint64_t *needed)
{
    uint64_t  n, at, free;

    n = ngx_dns_heap_units((uint64_t) size);

    if (pub->move.phase == NGX_DNS_MOVE_READY && n == pub->move.want[0]) {
        ngx_dns_move_taken(pub, n);
    }

    at = ngx_dns_heap_take(&pub->heap, n);

    if (at == NGX_DNS_HEAP_NONE && ngx_dns_publisher_reclaim(pub) != 0) {
        at = ngx_dns_heap_take(&pub->heap, n);
    }

    if (at != NGX_DNS_HEAP_NONE) {
        ngx_dns_move_taken(pub, n);
        *place = ngx_dns_publisher_place(pub, at);

        return NGX_OK;
    }

    free = ngx_dns_publish_free(pub);

    if (n > free) {
        ngx_dns_move_taken(pub, n);
        *needed = (n - free) * NGX_DNS_HEAP_UNIT;

        return NGX_DECLINED;
    }

    if (pub->move.stuck != 0 && n >= pub->move.stuck
        && pub->freed < pub->move.stuck_freed)
    {
        *needed = (pub->move.stuck_freed - pub->freed) * NGX_DNS_HEAP_UNIT;

        return NGX_DECLINED;
    }

    ngx_dns_move_want(pub, n);

    return NGX_AGAIN;
}


/* what is free or will be, when all that goes on now is done: units */

static uint64_t
ngx_dns_publish_free(ngx_dns_publisher_t *pub)
{
    uint64_t  at, free;

    free = pub->heap.free + pub->waiting;

    if (pub->move.src != NGX_DNS_HEAP_NONE) {
        at = pub->move.dst;
        free += ngx_dns_heap_next(&pub->heap, at) - at;
    }

    if (pub->grow != NULL) {
        at = ngx_dns_publisher_unit(pub, pub->dir);
        free += ngx_dns_heap_next(&pub->heap, at) - at;
    }

    return free;
}


void
ngx_dns_publish_cancel(ngx_dns_publisher_t *pub, uint64_t place)
{
    ngx_dns_heap_give(&pub->heap, ngx_dns_place_unit(pub, place));
}


ngx_int_t
ngx_dns_publish_commit(ngx_dns_publisher_t *pub, uint64_t place)
{
    uint64_t                   at, old, units;
    ngx_int_t                  rc;
    ngx_dns_name_t             name;
    ngx_dns_zone_t            *zone, *last;
    ngx_dns_directory_slot_t  *slot;

    at = ngx_dns_place_unit(pub, place);
    zone = ngx_dns_shared_at(pub->sh, place);
    units = ngx_dns_heap_units(zone->size);

    if (zone->magic != NGX_DNS_ZONE_MAGIC || zone->size < sizeof(*zone)
        || units > ngx_dns_heap_next(&pub->heap, at) - at)
    {
        return NGX_ERROR;
    }

    slot = ngx_dns_slots_find(pub, zone->name, &name);

    if (slot == NULL) {
        rc = ngx_dns_slots_room(pub);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_dns_heap_cut(&pub->heap, at, units);
    ngx_dns_heap_set(&pub->heap, at, NGX_DNS_HEAP_USED);

    pub->records += zone->nrecords;

    if (slot == NULL) {
        ngx_dns_slots_add(pub, &name, at);
        pub->zones++;

        ngx_dns_publish_tell(pub, zone->name, zone);

        return NGX_OK;
    }

    old = ngx_dns_place_unit(pub, slot->place);
    last = ngx_dns_shared_at(pub->sh, slot->place);
    pub->records -= last->nrecords;

    ngx_dns_slots_point(pub, slot, at);
    ngx_dns_publisher_retire(pub, old);

    ngx_dns_publish_tell(pub, zone->name, zone);

    return NGX_OK;
}


ngx_int_t
ngx_dns_publish_zone(ngx_dns_publisher_t *pub, const ngx_dns_zone_t *zone,
    uint64_t *needed)
{
    uint64_t   place;
    ngx_int_t  rc;

    *needed = 0;

    rc = ngx_dns_publish_alloc(pub, zone->size, &place, needed);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_memcpy(ngx_dns_shared_at(pub->sh, place), zone, zone->size);

    rc = ngx_dns_publish_commit(pub, place);

    if (rc != NGX_OK) {
        ngx_dns_publish_cancel(pub, place);
    }

    return rc;
}


ngx_int_t
ngx_dns_publish_remove(ngx_dns_publisher_t *pub, const u_char *apex)
{
    uint64_t                   at;
    ngx_dns_name_t             name;
    ngx_dns_zone_t            *zone;
    ngx_dns_directory_slot_t  *slot;

    slot = ngx_dns_slots_find(pub, apex, &name);
    if (slot == NULL) {
        return NGX_DECLINED;
    }

    zone = ngx_dns_shared_at(pub->sh, slot->place);
    at = ngx_dns_place_unit(pub, slot->place);

    pub->records -= zone->nrecords;
    pub->zones--;

    ngx_dns_slots_remove(pub, slot);
    ngx_dns_publisher_retire(pub, at);

    ngx_dns_publish_tell(pub, apex, NULL);

    return NGX_OK;
}


void
ngx_dns_publish_watch(ngx_dns_publisher_t *pub,
    void (*changed)(void *data, const u_char *apex, ngx_dns_zone_t *zone),
    void *data)
{
    pub->changed = changed;
    pub->watcher = data;
}


static void
ngx_dns_publish_tell(ngx_dns_publisher_t *pub, const u_char *apex,
    ngx_dns_zone_t *zone)
{
    if (pub->changed != NULL) {
        pub->changed(pub->watcher, apex, zone);
    }
}


ngx_dns_zone_t *
ngx_dns_publish_get(ngx_dns_publisher_t *pub, const u_char *apex)
{
    ngx_dns_name_t             name;
    ngx_dns_directory_slot_t  *slot;

    slot = ngx_dns_slots_find(pub, apex, &name);

    return slot ? ngx_dns_shared_at(pub->sh, slot->place) : NULL;
}


ngx_dns_zone_t *
ngx_dns_publish_next(ngx_dns_publisher_t *pub, uint64_t *cursor)
{
    ngx_dns_directory_slot_t  *slot;

    slot = ngx_dns_directory_next(pub->dir, *cursor);
    if (slot == NULL) {
        return NULL;
    }

    *cursor = ngx_dns_name_spread(slot->hash);

    return ngx_dns_shared_at(pub->sh, slot->place);
}


ngx_int_t
ngx_dns_publish_work(ngx_dns_publisher_t *pub, size_t octets)
{
    size_t     n;
    ngx_int_t  rc;

    (void) ngx_dns_publisher_reclaim(pub);

    ngx_dns_slots_shrink(pub);

    for (n = 0; n <= octets && pub->grow != NULL; n += NGX_DNS_SLOTS_ZERO) {
        ngx_dns_slots_step(pub);
    }

    rc = ngx_dns_move_work(pub, octets);

    return (pub->oldest != pub->retired.n || pub->grow != NULL) ? NGX_AGAIN
                                                                : rc;
}


void
ngx_dns_publish_stat(ngx_dns_publisher_t *pub, ngx_dns_publish_stat_t *st)
{
    st->zones = pub->zones;
    st->records = pub->records;
    st->used = (pub->heap.units - pub->heap.free) * NGX_DNS_HEAP_UNIT;
    st->free = pub->heap.free * NGX_DNS_HEAP_UNIT;
    st->largest = ngx_dns_heap_largest(&pub->heap) * NGX_DNS_HEAP_UNIT;
    st->waiting = pub->waiting * NGX_DNS_HEAP_UNIT;
    st->moved = pub->moved;
}
