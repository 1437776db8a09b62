
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


#define NGX_DNS_PUBLISHER_ARRAY  4096
#define NGX_DNS_PUBLISHER_AHEAD  16         /* slots whose zones are fetched */
#define NGX_DNS_PUBLISHER_SLOTS  1024       /* read at a time */


static ngx_int_t ngx_dns_publisher_head(const ngx_dns_shared_t *sh);
static ngx_int_t ngx_dns_publisher_directory(ngx_dns_publisher_t *pub);
static ngx_int_t ngx_dns_publisher_zones(ngx_dns_publisher_t *pub,
    uint64_t last);
static ngx_int_t ngx_dns_publisher_end(ngx_dns_publisher_t *pub);
static ngx_uint_t ngx_dns_publisher_inside(ngx_dns_publisher_t *pub,
    uint64_t place, uint64_t size);
static ngx_int_t ngx_dns_publisher_zone(ngx_dns_publisher_t *pub,
    ngx_dns_directory_slot_t *slot);
static ngx_int_t ngx_dns_publisher_unique(ngx_dns_publisher_t *pub,
    uint64_t i);
static ngx_int_t ngx_dns_publisher_retire_rest(ngx_dns_publisher_t *pub);


ngx_dns_publisher_t *
ngx_dns_publisher_open(ngx_dns_shared_t *sh, ngx_dns_memory_t *mem,
    ngx_dns_key_t *key, ngx_uint_t (*alive)(uint64_t pid, uint64_t started))
{
    ngx_int_t             rc;
    ngx_dns_publisher_t  *pub;

    pub = ngx_dns_publisher_begin(sh, mem, key, alive);
    if (pub == NULL) {
        return NULL;
    }

    do {
        rc = ngx_dns_publisher_continue(pub);
    } while (rc == NGX_AGAIN);

    if (rc != NGX_OK) {
        ngx_dns_publisher_close(pub);
        return NULL;
    }

    return pub;
}


ngx_dns_publisher_t *
ngx_dns_publisher_begin(ngx_dns_shared_t *sh, ngx_dns_memory_t *mem,
    ngx_dns_key_t *key, ngx_uint_t (*alive)(uint64_t pid, uint64_t started))
{
    uint64_t              i;
    ngx_dns_publisher_t  *pub;

    if (ngx_dns_publisher_head(sh) != NGX_OK) {
        return NULL;
    }

    pub = mem->map(mem->data, sizeof(ngx_dns_publisher_t));
    if (pub == NULL) {
        return NULL;
    }

    pub->sh = sh;
    pub->mem = mem;
    pub->key = key;
    pub->alive = alive;
    pub->area = ngx_dns_shared_at(sh, sh->blocks);
    pub->move.src = NGX_DNS_HEAP_NONE;

    if (ngx_dns_heap_open(&pub->heap, mem,
                          (sh->size - sh->blocks) / NGX_DNS_HEAP_UNIT)
        != NGX_OK)
    {
        mem->unmap(mem->data, pub, sizeof(ngx_dns_publisher_t));
        return NULL;
    }

    for (i = 0; i < sh->nreaders; i++) {
        if (ngx_dns_growing_push(pub, &pub->seen, sizeof(ngx_dns_seen_t))
            == NULL)
        {
            goto failed;
        }
    }

    if (ngx_dns_publisher_directory(pub) == NGX_OK) {
        return pub;
    }

failed:

    ngx_dns_publisher_close(pub);

    return NULL;
}


ngx_int_t
ngx_dns_publisher_continue(ngx_dns_publisher_t *pub)
{
    uint64_t   i, last;
    ngx_int_t  rc;

    last = ngx_min(pub->read + NGX_DNS_PUBLISHER_SLOTS, pub->dir->mask + 1);

    if (pub->read <= pub->dir->mask) {
        rc = ngx_dns_publisher_zones(pub, last);
        return (rc == NGX_OK) ? NGX_AGAIN : rc;
    }

    /* a lookup ends at a free slot */

    if (pub->filled > pub->dir->mask) {
        return NGX_ERROR;
    }

    last = ngx_min(pub->checked + NGX_DNS_PUBLISHER_SLOTS,
                   pub->dir->mask + 1);

    for (i = pub->checked; i < last; i++) {
        if (ngx_dns_publisher_unique(pub, i) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    pub->checked = last;

    return (i > pub->dir->mask) ? ngx_dns_publisher_end(pub) : NGX_AGAIN;
}


static ngx_int_t
ngx_dns_publisher_end(ngx_dns_publisher_t *pub)
{
    ngx_int_t  rc;

    rc = ngx_dns_heap_settle(&pub->heap, NGX_DNS_PUBLISHER_SLOTS);

    if (rc == NGX_OK) {
        rc = ngx_dns_publisher_retire_rest(pub);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_dns_slots_labels(pub, pub->dir);

    (void) ngx_dns_publisher_reclaim(pub);

    return NGX_OK;
}


void
ngx_dns_publisher_close(ngx_dns_publisher_t *pub)
{
    ngx_dns_memory_t  *mem;

    mem = pub->mem;

    ngx_dns_growing_free(pub, &pub->retired);
    ngx_dns_growing_free(pub, &pub->held);
    ngx_dns_growing_free(pub, &pub->seen);
    ngx_dns_heap_close(&pub->heap);

    mem->unmap(mem->data, pub, sizeof(ngx_dns_publisher_t));
}


static ngx_int_t
ngx_dns_publisher_head(const ngx_dns_shared_t *sh)
{
    if (sh->magic != NGX_DNS_SHARED_MAGIC
        || sh->version != NGX_DNS_SHARED_VERSION
        || sh->nreaders > sh->size / sizeof(ngx_dns_reader_t)
        || sh->readers < sizeof(ngx_dns_shared_t)
        || sh->readers % NGX_DNS_HEAP_UNIT != 0
        || sh->readers > sh->size
        || sh->log != sh->readers + sh->nreaders * sizeof(ngx_dns_reader_t)
        || sh->blocks != sh->log + NGX_DNS_SHARED_LOG
        || sh->blocks >= sh->size)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* everything is made from the directory, which must make sense */

static ngx_int_t
ngx_dns_publisher_directory(ngx_dns_publisher_t *pub)
{
    uint64_t  slots, place, size;

    place = pub->sh->directory;

    if (!ngx_dns_publisher_inside(pub, place, sizeof(ngx_dns_directory_t))) {
        return NGX_ERROR;
    }

    pub->dir = ngx_dns_shared_at(pub->sh, place);
    slots = pub->dir->mask + 1;

    if (pub->dir->magic != NGX_DNS_DIRECTORY_MAGIC || slots < 2
        || (slots & pub->dir->mask) != 0
        || slots > pub->sh->size / sizeof(ngx_dns_directory_slot_t)
        || pub->dir->shift != (uint32_t) (64 - __builtin_ctzl(slots)))
    {
        return NGX_ERROR;
    }

    size = ngx_dns_directory_size(slots);

    if (!ngx_dns_publisher_inside(pub, place, size)) {
        return NGX_ERROR;
    }

    return ngx_dns_heap_claim(&pub->heap, ngx_dns_place_unit(pub, place),
                              ngx_dns_heap_units(size));
}


static ngx_int_t
ngx_dns_publisher_zones(ngx_dns_publisher_t *pub, uint64_t last)
{
    u_char                    *p;
    uint64_t                   place;
    ngx_dns_directory_slot_t  *slot;

    while (pub->read < last) {

        slot = ngx_dns_directory_slots(pub->dir) + pub->read++;

        if (pub->read + NGX_DNS_PUBLISHER_AHEAD <= pub->dir->mask) {
            place = slot[NGX_DNS_PUBLISHER_AHEAD].place;

            if (place < pub->sh->size) {
                p = ngx_dns_shared_at(pub->sh, place);
                __builtin_prefetch(p);
                __builtin_prefetch(p + offsetof(ngx_dns_zone_t, name));
            }
        }

        pub->filled += (slot->place != 0);

        if (slot->place > NGX_DNS_DIRECTORY_REMOVED
            && ngx_dns_publisher_zone(pub, slot) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_dns_publisher_inside(ngx_dns_publisher_t *pub, uint64_t place,
    uint64_t size)
{
    return place >= pub->sh->blocks && place < pub->sh->size
           && (place - pub->sh->blocks) % NGX_DNS_HEAP_UNIT == 0
           && size <= pub->sh->size - place;
}


static ngx_int_t
ngx_dns_publisher_zone(ngx_dns_publisher_t *pub,
    ngx_dns_directory_slot_t *slot)
{
    u_char          *end;
    ngx_dns_name_t   name;
    ngx_dns_zone_t  *zone;

    if (!ngx_dns_publisher_inside(pub, slot->place, sizeof(ngx_dns_zone_t))) {
        return NGX_ERROR;
    }

    zone = ngx_dns_shared_at(pub->sh, slot->place);
    end = zone->name + zone->name_len;

    if (zone->magic != NGX_DNS_ZONE_MAGIC
        || zone->size < sizeof(ngx_dns_zone_t)
        || !ngx_dns_publisher_inside(pub, slot->place, zone->size)
        || ngx_dns_name_parse(&name, zone->name, end, pub->key) != end
        || name.hash[0] != slot->hash)
    {
        return NGX_ERROR;
    }

    pub->zones++;
    pub->records += zone->nrecords;
    pub->labels[name.labels]++;

    return ngx_dns_heap_claim(&pub->heap,
                              ngx_dns_place_unit(pub, slot->place),
                              ngx_dns_heap_units(zone->size));
}


/*
 * Each zone is found, and once only.  Names need to be looked at only if
 * hashes are the same.
 */

static ngx_int_t
ngx_dns_publisher_unique(ngx_dns_publisher_t *pub, uint64_t i)
{
    uint64_t                   n;
    ngx_dns_zone_t            *zone;
    ngx_dns_directory_slot_t  *slots;

    slots = ngx_dns_directory_slots(pub->dir);

    if (slots[i].place <= NGX_DNS_DIRECTORY_REMOVED) {
        return NGX_OK;
    }

    n = ngx_dns_directory_home(pub->dir, slots[i].hash);

    while (slots[n].place != 0 && slots[n].hash != slots[i].hash) {
        n = (n + 1) & pub->dir->mask;
    }

    if (n == i) {
        return NGX_OK;
    }

    zone = ngx_dns_shared_at(pub->sh, slots[i].place);

    if (ngx_dns_directory_find(pub->sh, pub->dir, slots[i].hash, zone->name,
                               zone->name_len)
        != &slots[i])
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


/*
 * Readers may still see what the last writer had retired, or had retired but
 * for the note of it: whatever is in no directory.
 */

static ngx_int_t
ngx_dns_publisher_retire_rest(ngx_dns_publisher_t *pub)
{
    uint64_t            at, next;
    ngx_uint_t          n;
    ngx_dns_retired_t  *retired;

    if (pub->walked == 0) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);

        pub->first = pub->sh->epoch;
        __atomic_store_n(&pub->sh->epoch, pub->first + 1, __ATOMIC_RELEASE);
    }

    for (n = 0; n < NGX_DNS_PUBLISHER_SLOTS; n++) {

        at = pub->walked;

        if (at == pub->heap.units) {
            return NGX_OK;
        }

        next = ngx_dns_heap_next(&pub->heap, at);
        pub->walked = next;

        if (ngx_dns_heap_state(&pub->heap, at) != NGX_DNS_HEAP_WAIT) {
            continue;
        }

        retired = ngx_dns_growing_push(pub, &pub->retired,
                                       sizeof(ngx_dns_retired_t));
        if (retired == NULL) {
            return NGX_ERROR;
        }

        retired->at = at;
        retired->epoch = pub->first;
        pub->waiting += next - at;
    }

    return NGX_AGAIN;
}


void *
ngx_dns_growing_push(ngx_dns_publisher_t *pub, ngx_dns_growing_t *a,
    size_t size)
{
    void    *p;
    size_t   n;

    if ((a->n + 1) * size > a->size) {

        n = a->size ? 2 * a->size : NGX_DNS_PUBLISHER_ARRAY;

        p = pub->mem->map(pub->mem->data, n);
        if (p == NULL) {
            return NULL;
        }

        if (a->elts != NULL) {
            ngx_memcpy(p, a->elts, a->n * size);
            ngx_dns_growing_free(pub, a);
        }

        a->elts = p;
        a->size = n;
    }

    p = (u_char *) a->elts + a->n++ * size;
    ngx_memzero(p, size);

    return p;
}


void
ngx_dns_growing_free(ngx_dns_publisher_t *pub, ngx_dns_growing_t *a)
{
    if (a->elts != NULL) {
        pub->mem->unmap(pub->mem->data, a->elts, a->size);
        a->elts = NULL;
    }
}
