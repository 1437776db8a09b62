
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_HEALTH_H_INCLUDED_
#define _NGX_DNS_HEALTH_H_INCLUDED_


#include "ngx_dns.h"


/*
 * What is known about the health of targets (an address that is checked in
 * one way for one name): a region of memory that one process writes and any
 * number of others read, without locks.  It holds no pointers.  The writer's
 * side is ngx_dns_health_write.h.
 *
 *     head | slots, by id: open addressing, the next one if it is taken
 */

#define NGX_DNS_HEALTH_MAGIC    0x4e444831
#define NGX_DNS_HEALTH_VERSION  1
#define NGX_DNS_HEALTH_STATS    64      /* counters of the writer's user */
#define NGX_DNS_HEALTH_TRIES    4

/* ids of slots that are not in use; no target has them */

#define NGX_DNS_HEALTH_FREE     0
#define NGX_DNS_HEALTH_REMOVED  1       /* for a moment: look further */

/* states of a target: bits 0 to 7 of the word */

#define NGX_DNS_HEALTH_UNKNOWN  0       /* counts as up */
#define NGX_DNS_HEALTH_UP       1
#define NGX_DNS_HEALTH_DOWN     2


typedef struct {
    volatile uint64_t   id;
    volatile uint64_t   state;          /* the word, below */
    volatile uint64_t   due;            /* next check, monotonic ms; 0 */
    volatile uint64_t   checked;        /* last check, ms since the epoch; 0 */
} ngx_dns_health_slot_t;


/* readers look only at what is not the writer's */

typedef struct {
    uint32_t            magic;
    uint32_t            version;
    uint64_t            size;           /* octets of the region */
    uint64_t            nslots;         /* a power of 2 */
    uint64_t            slots;          /* octets from the head */

    volatile uint64_t   moves;          /* slots that have moved */

    uint64_t            lock[16];       /* the writer's mutex */
    uint64_t            used;           /* targets; the writer's */

    volatile uint64_t   stat[NGX_DNS_HEALTH_STATS];
} ngx_dns_health_t;


/*
 * The word of a state:
 *
 *     bits  0 to  7  NGX_DNS_HEALTH_...
 *     bits  8 to 15  how many further results of one kind would turn it, at
 *                    most 255; 0: the last results do not speak against it
 *     bits 16 to 31  signed: so many good results in a row, or (< 0) bad
 *                    ones, as far as they count
 */

#define ngx_dns_health_state(word)  ((ngx_uint_t) ((word) & 0xff))
#define ngx_dns_health_turns(word)  ((ngx_uint_t) ((word) >> 8 & 0xff))
#define ngx_dns_health_run(word)    ((ngx_int_t) (int16_t) ((word) >> 16))


#define ngx_dns_health_slots(h)                                              \
    ((ngx_dns_health_slot_t *) ((u_char *) (h) + (h)->slots))

/* the slot where the search for an id begins; ids are spread already */

#define ngx_dns_health_home(h, id)  ((id) & ((h)->nslots - 1))


/*
 * The word of a target, 0 (unknown) if it is not in the table.
 *
 * h   NULL: no table, all are unknown
 * id  as ngx_dns_probe_id() makes them
 *
 * Does not allocate.
 */

static ngx_inline uint64_t
ngx_dns_health_find(const ngx_dns_health_t *h, uint64_t id)
{
    uint64_t                      n, i, found, word, moves;
    ngx_uint_t                    tries;
    const ngx_dns_health_slot_t  *slot;

    if (h == NULL) {
        return 0;
    }

    /* a slot that moves while it is looked for may be missed */

    for (tries = 0; tries < NGX_DNS_HEALTH_TRIES; tries++) {

        moves = __atomic_load_n(&h->moves, __ATOMIC_ACQUIRE);
        i = ngx_dns_health_home(h, id);

        for (n = 0; n < h->nslots; n++) {

            slot = ngx_dns_health_slots(h) + i;
            found = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);

            if (found == id) {
                word = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);

                if (__atomic_load_n(&slot->id, __ATOMIC_RELAXED) == id) {
                    return word;
                }
            }

            if (found == NGX_DNS_HEALTH_FREE) {
                break;
            }

            i = (i + 1) & (h->nslots - 1);
        }

        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        if (h->moves == moves) {
            break;
        }
    }

    return 0;
}


#endif /* _NGX_DNS_HEALTH_H_INCLUDED_ */
