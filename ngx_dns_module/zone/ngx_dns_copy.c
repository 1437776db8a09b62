
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


#define NGX_DNS_COPY_OCTETS  (64 * 1024 * 1024)


static ngx_int_t ngx_dns_copy_fits(ngx_dns_publisher_t *to,
    ngx_dns_publisher_t *from, uint64_t slots, uint64_t *needed);
static void ngx_dns_copy_head(ngx_dns_shared_t *to,
    const ngx_dns_shared_t *from);


ngx_int_t
ngx_dns_publish_copy(ngx_dns_publisher_t *to, ngx_dns_publisher_t *from,
    uint64_t *needed)
{
    uint64_t         slots, place, cursor;
    ngx_int_t        rc;
    ngx_dns_zone_t  *zone;

    slots = ngx_dns_slots_wanted(from->zones);

    rc = ngx_dns_copy_fits(to, from, slots, needed);
    if (rc != NGX_OK) {
        return rc;
    }

    if (slots > to->dir->mask + 1) {

        rc = ngx_dns_publish_alloc(to, ngx_dns_directory_size(slots), &place,
                                   needed);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_dns_slots_begin(to, ngx_dns_place_unit(to, place), slots);

        while (to->grow != NULL) {
            ngx_dns_slots_step(to);
        }
    }

    cursor = 0;
    zone = ngx_dns_publish_next(from, &cursor);

    while (zone != NULL) {

        rc = ngx_dns_publish_zone(to, zone, needed);

        if (rc == NGX_AGAIN) {
            (void) ngx_dns_publish_work(to, NGX_DNS_COPY_OCTETS);
            continue;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        zone = ngx_dns_publish_next(from, &cursor);
    }

    ngx_dns_copy_head(to->sh, from->sh);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_copy_fits(ngx_dns_publisher_t *to, ngx_dns_publisher_t *from,
    uint64_t slots, uint64_t *needed)
{
    uint64_t         units, cursor;
    ngx_dns_zone_t  *zone;

    units = ngx_dns_heap_units(ngx_dns_directory_size(slots));
    cursor = 0;

    for ( ;; ) {
        zone = ngx_dns_publish_next(from, &cursor);
        if (zone == NULL) {
            break;
        }

        units += ngx_dns_heap_units(zone->size);
    }

    if (units > to->heap.units) {
        *needed = (units - to->heap.units) * NGX_DNS_HEAP_UNIT;
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static void
ngx_dns_copy_head(ngx_dns_shared_t *to, const ngx_dns_shared_t *from)
{
    ngx_uint_t  i;

    ngx_memcpy(ngx_dns_shared_at(to, to->log),
               ngx_dns_shared_at(from, from->log), NGX_DNS_SHARED_LOG);

    to->log_tail = from->log_tail;
    to->log_head = from->log_head;
    to->signature = from->signature;
    to->synced = from->synced;

    for (i = 0; i < NGX_DNS_SHARED_STATS; i++) {
        to->stat[i] = from->stat[i];
    }

    to->stale = from->stale;
    to->contact = from->contact;
    to->ready = from->ready;
}
