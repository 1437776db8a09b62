
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


#define NGX_DNS_SLOTS_COPY   256            /* slots in a step */
#define NGX_DNS_SLOTS_STEPS  16             /* for a zone, if it is late */
#define NGX_DNS_SLOTS_SHRINK 4              /* times too many of them */


static ngx_dns_directory_slot_t *ngx_dns_slots_twin(ngx_dns_publisher_t *pub,
    ngx_dns_directory_slot_t *slot);
static ngx_uint_t ngx_dns_slots_copied(ngx_dns_publisher_t *pub,
    ngx_dns_directory_slot_t *slot);
static void ngx_dns_slots_change(ngx_dns_publisher_t *pub);


ngx_dns_directory_slot_t *
ngx_dns_slots_find(ngx_dns_publisher_t *pub, const u_char *apex,
    ngx_dns_name_t *name)
{
    ngx_dns_name_set(name, apex, pub->key);

    return ngx_dns_directory_find(pub->sh, pub->dir, name->hash[0],
                                  name->wire, name->len);
}


/* 1 if the coming directory has to know what happens in this slot */

static ngx_uint_t
ngx_dns_slots_copied(ngx_dns_publisher_t *pub, ngx_dns_directory_slot_t *slot)
{
    return pub->grow != NULL
           && (uint64_t) (slot - ngx_dns_directory_slots(pub->dir))
              < pub->copied;
}


/* the slot of the same zone in the coming directory, or NULL */

static ngx_dns_directory_slot_t *
ngx_dns_slots_twin(ngx_dns_publisher_t *pub, ngx_dns_directory_slot_t *slot)
{
    ngx_dns_zone_t  *zone;

    if (!ngx_dns_slots_copied(pub, slot)) {
        return NULL;
    }

    zone = ngx_dns_shared_at(pub->sh, slot->place);

    return ngx_dns_directory_find(pub->sh, pub->grow, slot->hash, zone->name,
                                  zone->name_len);
}


void
ngx_dns_slots_point(ngx_dns_publisher_t *pub, ngx_dns_directory_slot_t *slot,
    uint64_t at)
{
    uint64_t                   place;
    ngx_dns_directory_slot_t  *twin;

    place = ngx_dns_publisher_place(pub, at);
    twin = ngx_dns_slots_twin(pub, slot);

    __atomic_store_n(&slot->place, place, __ATOMIC_RELEASE);

    if (twin != NULL) {
        __atomic_store_n(&twin->place, place, __ATOMIC_RELEASE);
    }
}


void
ngx_dns_slots_add(ngx_dns_publisher_t *pub, const ngx_dns_name_t *name,
    uint64_t at)
{
    uint64_t                   place;
    ngx_uint_t                 again;
    ngx_dns_directory_slot_t  *slot;

    place = ngx_dns_publisher_place(pub, at);

    /* readers have to look for so many labels before there is such a zone */

    if (pub->labels[name->labels]++ == 0) {
        ngx_dns_slots_labels(pub, pub->dir);
    }

    slot = ngx_dns_directory_add(pub->dir, name->hash[0], place, &again);
    pub->filled += !again;

    if (ngx_dns_slots_copied(pub, slot)) {
        (void) ngx_dns_directory_add(pub->grow, name->hash[0], place, &again);
        pub->grow_filled += !again;
    }
}


void
ngx_dns_slots_remove(ngx_dns_publisher_t *pub, ngx_dns_directory_slot_t *slot)
{
    ngx_dns_zone_t            *zone;
    ngx_dns_directory_slot_t  *twin;

    zone = ngx_dns_shared_at(pub->sh, slot->place);
    twin = ngx_dns_slots_twin(pub, slot);

    pub->filled -= ngx_dns_directory_remove(pub->dir, slot);

    if (twin != NULL) {
        pub->grow_filled -= ngx_dns_directory_remove(pub->grow, twin);
    }

    if (--pub->labels[ngx_dns_name_labels(zone->name)] == 0) {
        ngx_dns_slots_labels(pub, pub->dir);
    }
}


void
ngx_dns_slots_labels(ngx_dns_publisher_t *pub, ngx_dns_directory_t *dir)
{
    ngx_uint_t  min, max;

    min = 0;
    max = NGX_DNS_LABELS_MAX;

    while (min <= NGX_DNS_LABELS_MAX && pub->labels[min] == 0) {
        min++;
    }

    while (max > 0 && pub->labels[max] == 0) {
        max--;
    }

    __atomic_store_n(&dir->min_labels, min, __ATOMIC_RELAXED);
    __atomic_store_n(&dir->max_labels, max, __ATOMIC_RELAXED);
}


/* at most a third of them is filled by these and one more */

uint64_t
ngx_dns_slots_wanted(uint64_t zones)
{
    uint64_t  slots;

    slots = NGX_DNS_DIRECTORY_SLOTS;

    while (slots < 3 * (zones + 1)) {
        slots *= 2;
    }

    return slots;
}


/*
 * The next directory begins early, so that it is ready long before half of
 * the slots are filled.  If there is no memory for it, a fuller one will do
 * for a while.
 */

ngx_int_t
ngx_dns_slots_room(ngx_dns_publisher_t *pub)
{
    uint64_t    slots, next, place, needed;
    ngx_int_t   rc;
    ngx_uint_t  i;

    rc = NGX_OK;
    slots = pub->dir->mask + 1;

    if (pub->grow == NULL && 8 * (pub->filled + 1) > 3 * slots) {

        next = ngx_dns_slots_wanted(pub->zones);

        rc = ngx_dns_publish_alloc(pub, ngx_dns_directory_size(next), &place,
                                   &needed);

        if (rc == NGX_OK) {
            ngx_dns_slots_begin(pub, ngx_dns_place_unit(pub, place), next);
        }
    }

    ngx_dns_slots_step(pub);

    for (i = 1; i < NGX_DNS_SLOTS_STEPS; i++) {

        if (pub->grow == NULL || 2 * (pub->filled + 1) <= pub->dir->mask + 1) {
            break;
        }

        ngx_dns_slots_step(pub);
    }

    slots = pub->dir->mask + 1;

    if (4 * (pub->filled + 1) <= 3 * slots) {
        return NGX_OK;
    }

    if (pub->grow != NULL) {
        return NGX_AGAIN;
    }

    return (rc == NGX_DECLINED && 8 * (pub->filled + 1) <= 7 * slots)
               ? NGX_OK : rc;
}


/* many zones are gone: a smaller directory will do */

void
ngx_dns_slots_shrink(ngx_dns_publisher_t *pub)
{
    size_t    size;
    uint64_t  slots, at;

    slots = ngx_dns_slots_wanted(pub->zones);

    if (pub->grow != NULL
        || NGX_DNS_SLOTS_SHRINK * slots > pub->dir->mask + 1)
    {
        return;
    }

    size = ngx_dns_directory_size(slots);
    at = ngx_dns_heap_take(&pub->heap, ngx_dns_heap_units(size));

    if (at != NGX_DNS_HEAP_NONE) {
        ngx_dns_slots_begin(pub, at, slots);
    }
}


void
ngx_dns_slots_begin(ngx_dns_publisher_t *pub, uint64_t at, uint64_t slots)
{
    pub->grow = ngx_dns_publisher_at(pub, at);
    pub->zeroed = 0;
    pub->copied = 0;
    pub->grow_filled = 0;

    ngx_dns_directory_init(pub->grow, slots);
}


void
ngx_dns_slots_step(ngx_dns_publisher_t *pub)
{
    size_t                     size, n;
    uint64_t                   last;
    ngx_uint_t                 again;
    ngx_dns_directory_slot_t  *slot;

    if (pub->grow == NULL) {
        return;
    }

    size = (pub->grow->mask + 1) * sizeof(ngx_dns_directory_slot_t);
    n = ngx_min(size - pub->zeroed, NGX_DNS_SLOTS_ZERO);

    if (n != 0) {
        ngx_memzero((u_char *) ngx_dns_directory_slots(pub->grow)
                    + pub->zeroed, n);
        pub->zeroed += n;
        pub->moved += n;
        return;
    }

    last = ngx_min(pub->copied + NGX_DNS_SLOTS_COPY, pub->dir->mask + 1);
    pub->moved += (last - pub->copied) * sizeof(ngx_dns_directory_slot_t);

    while (pub->copied < last) {
        slot = ngx_dns_directory_slots(pub->dir) + pub->copied++;

        if (slot->place > NGX_DNS_DIRECTORY_REMOVED) {
            (void) ngx_dns_directory_add(pub->grow, slot->hash, slot->place,
                                         &again);
            pub->grow_filled += !again;
        }
    }

    if (last == pub->dir->mask + 1) {
        ngx_dns_slots_change(pub);
    }
}


static void
ngx_dns_slots_change(ngx_dns_publisher_t *pub)
{
    uint64_t  old, at;

    old = ngx_dns_publisher_unit(pub, pub->dir);
    at = ngx_dns_publisher_unit(pub, pub->grow);

    ngx_dns_slots_labels(pub, pub->grow);
    ngx_dns_heap_set(&pub->heap, at, NGX_DNS_HEAP_USED);

    __atomic_store_n(&pub->sh->directory, ngx_dns_publisher_place(pub, at),
                     __ATOMIC_RELEASE);

    pub->dir = pub->grow;
    pub->filled = pub->grow_filled;
    pub->grow = NULL;

    ngx_dns_publisher_retire(pub, old);
}
