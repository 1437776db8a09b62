
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_PUBLISHER_H_INCLUDED_
#define _NGX_DNS_PUBLISHER_H_INCLUDED_


#include "ngx_dns_directory.h"
#include "ngx_dns_heap.h"
#include "ngx_dns_publish.h"


/* What the files of the writer share.  Places here are units of the heap. */

#define NGX_DNS_PUBLISH_WANTS    16         /* sizes that wait for a hole */
#define NGX_DNS_SLOTS_ZERO       (16 * 1024)    /* octets in a step */


/* a block that readers may see, and the epoch of its last day */

typedef struct {
    uint64_t                at;
    uint64_t                epoch;
} ngx_dns_retired_t;

typedef struct {
    uint64_t                at;
    uint32_t                count;
    uint32_t                retired;        /* no zone any more */
} ngx_dns_held_t;

/* how a slot looked at the last scan */

typedef struct {
    uint64_t                epoch;
    uint64_t                pid;
    uint64_t                started;
    uint32_t                scans;          /* that found it like this */
    uint32_t                dead;
} ngx_dns_seen_t;

/* an array in private memory */

typedef struct {
    void                   *elts;
    size_t                  n;
    size_t                  size;           /* octets mapped */
} ngx_dns_growing_t;


typedef enum {
    NGX_DNS_MOVE_IDLE = 0,
    NGX_DNS_MOVE_SEARCH,                    /* for the cheapest window */
    NGX_DNS_MOVE_GAP,                       /* a gap grows at heap.shut */
    NGX_DNS_MOVE_READY                      /* for who asks for this size */
} ngx_dns_move_e;

typedef struct {
    ngx_dns_move_e          phase;

    uint64_t                want[NGX_DNS_PUBLISH_WANTS];    /* first: now */
    ngx_uint_t              wants;
    ngx_uint_t              age;            /* calls since it is ready */
    ngx_uint_t              pause;          /* calls until the next search */

    /* the search: a window that slides, and the best one so far */

    uint64_t                origin;
    uint64_t                from;
    uint64_t                to;
    uint64_t                live;           /* units in use within */
    uint64_t                scanned;
    uint64_t                best;
    uint64_t                best_end;
    uint64_t                best_live;      /* NGX_DNS_HEAP_NONE: none yet */

    /* the gap is [gap, at), what is shut [gap, end) */

    uint64_t                gap;
    uint64_t                at;
    uint64_t                end;
    ngx_uint_t              pass;           /* over the whole area */
    ngx_uint_t              moves;          /* in this pass */
    ngx_uint_t              blocked;        /* by what is fixed now */
    ngx_uint_t              rounds;         /* that were */

    /* the block that is copied */

    uint64_t                src;            /* NGX_DNS_HEAP_NONE: none */
    uint64_t                dst;
    size_t                  done;           /* octets */

    /* nothing that large until so much has been freed; 0: no limit */

    uint64_t                stuck;
    uint64_t                stuck_freed;
} ngx_dns_move_t;


struct ngx_dns_publisher_s {
    ngx_dns_shared_t       *sh;
    ngx_dns_memory_t       *mem;
    ngx_dns_key_t          *key;
    ngx_uint_t            (*alive)(uint64_t pid, uint64_t started);
    void                  (*changed)(void *data, const u_char *apex,
                               ngx_dns_zone_t *zone);
    void                   *watcher;        /* data of changed */

    ngx_dns_heap_t          heap;
    u_char                 *area;           /* the first unit */

    ngx_dns_directory_t    *dir;
    uint64_t                read;           /* slots, while it is opened */
    uint64_t                checked;
    uint64_t                walked;         /* units */
    uint64_t                first;          /* epoch of what was free */
    uint64_t                filled;         /* slots that are not free */
    uint64_t                zones;
    uint64_t                records;
    uint64_t                moved;          /* octets */
    uint64_t                labels[NGX_DNS_LABELS_MAX + 1];

    /* the directory that will be; NULL: the present one is good */

    ngx_dns_directory_t    *grow;
    size_t                  zeroed;         /* octets of its slots */
    uint64_t                copied;         /* slots of the present one */
    uint64_t                grow_filled;

    ngx_dns_growing_t       retired;        /* ngx_dns_retired_t, a queue */
    size_t                  oldest;         /* its first one */
    uint64_t                waiting;        /* units */
    uint64_t                freed;          /* units ever */

    ngx_dns_growing_t       held;           /* ngx_dns_held_t */
    ngx_dns_growing_t       seen;           /* ngx_dns_seen_t per slot */

    ngx_dns_move_t          move;
};


#define ngx_dns_publisher_at(pub, unit)                                      \
    ((void *) ((pub)->area + (uint64_t) (unit) * NGX_DNS_HEAP_UNIT))

#define ngx_dns_publisher_unit(pub, p)                                       \
    ((uint64_t) ((u_char *) (p) - (pub)->area) / NGX_DNS_HEAP_UNIT)

#define ngx_dns_publisher_place(pub, unit)                                   \
    ((pub)->sh->blocks + (unit) * NGX_DNS_HEAP_UNIT)

#define ngx_dns_place_unit(pub, place)                                       \
    (((place) - (pub)->sh->blocks) / NGX_DNS_HEAP_UNIT)


/* Room for one element more, zeroed, counted; NULL: no memory. */
void *ngx_dns_growing_push(ngx_dns_publisher_t *pub, ngx_dns_growing_t *a,
    size_t size);
void ngx_dns_growing_free(ngx_dns_publisher_t *pub, ngx_dns_growing_t *a);


/*
 * ngx_dns_reclaim.c
 *
 * retire   nobody finds the block any more
 * reclaim  frees what no reader sees; returns how many blocks
 */
void ngx_dns_publisher_retire(ngx_dns_publisher_t *pub, uint64_t at);
ngx_uint_t ngx_dns_publisher_reclaim(ngx_dns_publisher_t *pub);


/*
 * ngx_dns_slots.c: changes of the directory, and of the coming one, which is
 * filled in steps beside it.
 *
 * find   the slot of the zone with this apex, or NULL; sets name
 * point  the zone of the slot is at another unit now
 * add    there is no such zone, and room() said NGX_OK
 * wanted how many slots are good for so many zones
 * room   NGX_OK: there is a slot for another zone; NGX_AGAIN, NGX_DECLINED:
 *        as alloc
 * shrink begins if there are far too many slots
 * begin  a new directory in the FIXED block at; enough units for slots
 * step   one step; does nothing if no directory is to come
 */
ngx_dns_directory_slot_t *ngx_dns_slots_find(ngx_dns_publisher_t *pub,
    const u_char *apex, ngx_dns_name_t *name);
void ngx_dns_slots_point(ngx_dns_publisher_t *pub,
    ngx_dns_directory_slot_t *slot, uint64_t at);
void ngx_dns_slots_add(ngx_dns_publisher_t *pub, const ngx_dns_name_t *name,
    uint64_t at);
void ngx_dns_slots_remove(ngx_dns_publisher_t *pub,
    ngx_dns_directory_slot_t *slot);
void ngx_dns_slots_labels(ngx_dns_publisher_t *pub,
    ngx_dns_directory_t *dir);
uint64_t ngx_dns_slots_wanted(uint64_t zones);
ngx_int_t ngx_dns_slots_room(ngx_dns_publisher_t *pub);
void ngx_dns_slots_shrink(ngx_dns_publisher_t *pub);
void ngx_dns_slots_begin(ngx_dns_publisher_t *pub, uint64_t at,
    uint64_t slots);
void ngx_dns_slots_step(ngx_dns_publisher_t *pub);


/*
 * ngx_dns_move.c
 *
 * want    a hole of n units is needed
 * taken   n units were given to somebody, or nobody wants them any more
 * forget  the block is not what it was: it is copied no further
 * work    at most about octets; NGX_AGAIN: there is more to do
 */
void ngx_dns_move_want(ngx_dns_publisher_t *pub, uint64_t n);
void ngx_dns_move_taken(ngx_dns_publisher_t *pub, uint64_t n);
void ngx_dns_move_forget(ngx_dns_publisher_t *pub, uint64_t at);
ngx_int_t ngx_dns_move_work(ngx_dns_publisher_t *pub, size_t octets);


#endif /* _NGX_DNS_PUBLISHER_H_INCLUDED_ */
