
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


#define NGX_DNS_COPY_OCTETS  (64 * 1024 * 1024)


/* the zones of a region at one moment: places, in private memory */

typedef struct {
    uint64_t   *places;
    uint64_t    n;
    size_t      size;                       /* octets mapped */
    uint64_t    slots;                      /* that are good for them */
} ngx_dns_copied_t;


static ngx_int_t ngx_dns_copy_list(ngx_dns_copied_t *list,
    ngx_dns_shared_t *from, ngx_dns_memory_t *mem);
static ngx_int_t ngx_dns_copy_fits(ngx_dns_publisher_t *to,
    ngx_dns_shared_t *from, ngx_dns_copied_t *list, uint64_t *needed);
static ngx_int_t ngx_dns_copy_directory(ngx_dns_publisher_t *to,
    uint64_t slots, uint64_t *needed);
static ngx_int_t ngx_dns_copy_zones(ngx_dns_publisher_t *to,
    ngx_dns_shared_t *from, ngx_dns_copied_t *list, uint64_t *needed);
static void ngx_dns_copy_head(ngx_dns_shared_t *to,
    const ngx_dns_shared_t *from);


/*
 * What is met in the directory of the other region stays where it is, as for
 * any reader; a change that is made meanwhile may be missed.
 */

ngx_int_t
ngx_dns_publish_copy(ngx_dns_publisher_t *to, ngx_dns_shared_t *from,
    uint64_t *needed)
{
    ngx_int_t         rc;
    ngx_dns_copied_t  list;

    if (ngx_dns_copy_list(&list, from, to->mem) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_dns_copy_fits(to, from, &list, needed);

    if (rc == NGX_OK) {
        rc = ngx_dns_copy_directory(to, list.slots, needed);
    }

    if (rc == NGX_OK) {
        rc = ngx_dns_copy_zones(to, from, &list, needed);
    }

    to->mem->unmap(to->mem->data, list.places, list.size);

    if (rc == NGX_OK) {
        ngx_dns_copy_head(to->sh, from);
    }

    return rc;
}


static ngx_int_t
ngx_dns_copy_list(ngx_dns_copied_t *list, ngx_dns_shared_t *from,
    ngx_dns_memory_t *mem)
{
    uint64_t                   i, place;
    ngx_dns_directory_t       *dir;
    ngx_dns_directory_slot_t  *slot;

    dir = ngx_dns_shared_at(from, __atomic_load_n(&from->directory,
                                                  __ATOMIC_ACQUIRE));

    list->n = 0;
    list->size = (dir->mask + 1) * sizeof(uint64_t);

    list->places = mem->map(mem->data, list->size);
    if (list->places == NULL) {
        return NGX_ERROR;
    }

    slot = ngx_dns_directory_slots(dir);

    for (i = 0; i <= dir->mask; i++) {

        place = __atomic_load_n(&slot[i].place, __ATOMIC_ACQUIRE);

        if (place != 0 && place != NGX_DNS_DIRECTORY_REMOVED) {
            list->places[list->n++] = place;
        }
    }

    list->slots = ngx_dns_slots_wanted(list->n);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_copy_fits(ngx_dns_publisher_t *to, ngx_dns_shared_t *from,
    ngx_dns_copied_t *list, uint64_t *needed)
{
    uint64_t         i, units;
    ngx_dns_zone_t  *zone;

    units = ngx_dns_heap_units(ngx_dns_directory_size(list->slots));

    for (i = 0; i < list->n; i++) {
        zone = ngx_dns_shared_at(from, list->places[i]);
        units += ngx_dns_heap_units(zone->size);
    }

    if (units > to->heap.units) {
        *needed = (units - to->heap.units) * NGX_DNS_HEAP_UNIT;
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_copy_directory(ngx_dns_publisher_t *to, uint64_t slots,
    uint64_t *needed)
{
    uint64_t   place;
    ngx_int_t  rc;

    if (slots <= to->dir->mask + 1) {
        return NGX_OK;
    }

    rc = ngx_dns_publish_alloc(to, ngx_dns_directory_size(slots), &place,
                               needed);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_dns_slots_begin(to, ngx_dns_place_unit(to, place), slots);

    while (to->grow != NULL) {
        ngx_dns_slots_step(to);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_copy_zones(ngx_dns_publisher_t *to, ngx_dns_shared_t *from,
    ngx_dns_copied_t *list, uint64_t *needed)
{
    uint64_t         i;
    ngx_int_t        rc;
    ngx_dns_zone_t  *zone;

    for (i = 0; i < list->n; i++) {

        zone = ngx_dns_shared_at(from, list->places[i]);

        for ( ;; ) {
            rc = ngx_dns_publish_zone(to, zone, needed);

            if (rc != NGX_AGAIN) {
                break;
            }

            (void) ngx_dns_publish_work(to, NGX_DNS_COPY_OCTETS);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* not synced: a successor has to compare everything */

static void
ngx_dns_copy_head(ngx_dns_shared_t *to, const ngx_dns_shared_t *from)
{
    ngx_uint_t  i;

    to->signature = from->signature;

    for (i = 0; i < NGX_DNS_SHARED_STATS; i++) {
        to->stat[i] = from->stat[i];
    }

    to->stale = from->stale;
    to->contact = from->contact;
    to->ready = from->ready;
}
