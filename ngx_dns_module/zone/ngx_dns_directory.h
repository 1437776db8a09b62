
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_DIRECTORY_H_INCLUDED_
#define _NGX_DNS_DIRECTORY_H_INCLUDED_


#include "ngx_dns_shared.h"


/*
 * Where the published zones are, by hash of their apex: a block of the
 * region, open addressing.  Slots lie in the order of their keys (the spread
 * hash), but for those that slipped behind others; the last ones may have
 * slipped to the beginning.
 *
 * One process writes while others read: a slot gets its hash before its
 * place, and a place is one store.
 */

#define NGX_DNS_DIRECTORY_MAGIC    0x4e444431
#define NGX_DNS_DIRECTORY_SLOTS    64       /* of the first one */
#define NGX_DNS_DIRECTORY_REMOVED  1        /* no place: look further */

typedef struct {
    uint64_t            hash;
    volatile uint64_t   place;              /* 0: the slot is free */
} ngx_dns_directory_slot_t;

/* the head is a cache line */

typedef struct {
    uint32_t            magic;
    uint32_t            shift;              /* of a key: its slot */
    uint64_t            mask;               /* slots - 1, a power of 2 */
    volatile uint64_t   min_labels;         /* of all zones */
    volatile uint64_t   max_labels;
    uint64_t            pad[4];
} ngx_dns_directory_t;


#define ngx_dns_directory_slots(dir)                                         \
    ((ngx_dns_directory_slot_t *) ((dir) + 1))

#define ngx_dns_directory_size(slots)                                        \
    (sizeof(ngx_dns_directory_t) + (slots) * sizeof(ngx_dns_directory_slot_t))

#define ngx_dns_directory_home(dir, hash)                                    \
    (ngx_dns_name_spread(hash) >> (dir)->shift)


/* Makes the head of a directory; its slots are zeroed by the caller. */
void ngx_dns_directory_init(ngx_dns_directory_t *dir, uint64_t slots);

/* The slot of exactly this zone, or NULL.  name, len: the apex. */
ngx_dns_directory_slot_t *ngx_dns_directory_find(const ngx_dns_shared_t *sh,
    ngx_dns_directory_t *dir, uint64_t hash, const u_char *name, size_t len);

/*
 * Adds a zone that is not there; there is a free slot.  again: set to 1 if
 * the slot of a removed zone was taken, else 0.
 */
ngx_dns_directory_slot_t *ngx_dns_directory_add(ngx_dns_directory_t *dir,
    uint64_t hash, uint64_t place, ngx_uint_t *again);

/*
 * Takes a zone out.  Returns how many slots are free for it that were not:
 * 0 if others must be able to look behind it.
 */
ngx_uint_t ngx_dns_directory_remove(ngx_dns_directory_t *dir,
    ngx_dns_directory_slot_t *slot);

/*
 * The slot with the smallest key that is larger than key, or NULL.  The order
 * does not depend on the size of the directory.
 */
ngx_dns_directory_slot_t *ngx_dns_directory_next(ngx_dns_directory_t *dir,
    uint64_t key);


#endif /* _NGX_DNS_DIRECTORY_H_INCLUDED_ */
