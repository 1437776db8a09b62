
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


/*
 * When may a block that nobody finds any more be used again?
 *
 * A reader:  E1  reads the epoch            A writer:  W1  stores a place
 *            E2  stores it in its slot                 W2  full fence
 *            E3  full fence                            W3  tags the old block
 *            E4  reads places, then blocks                 with the epoch t
 *            E5  stores 0, release                     W4  stores epoch t + 1
 *                                                      W5  reads the slots,
 *                                                          acquire
 *
 * Claim: if E4 read the old place, then W5 sees a slot that is neither 0 nor
 * greater than t, or it sees what the reader stored after E5.
 *
 * Both fences are in one order.  If W2 came before E3, E4 would read what W1
 * stored.  So E3 came before W2, and W5 sees E2 or something later.  If it
 * sees E2, its value is at most t: a reader that got t + 1 at E1 got it from
 * W4, which stands behind W2, while its own E3 stands behind E1, so that W2
 * would come before E3 again.  If it sees something later, that is E5 or what
 * the same reader stored after it, and all that E4 read was read before the
 * block is written again.
 *
 * A reader that is held up between E1 and E2 stores an old epoch later: that
 * holds more back than is needed, never less, as the claim does not ask how
 * old the value is.
 *
 * Places that are read from an old directory: who read the place of that
 * directory at E4 holds an epoch of at most the tag of the directory, hence
 * at most the tag of any block that was replaced afterwards, which only the
 * new directory tells.  While a directory is the present one, it is always
 * told first.
 *
 * A writer that dies between W1 and W4: its successor finds the block in no
 * directory, and does W2 to W5 with it and with all that is free.
 */


#define NGX_DNS_RECLAIM_BLOCKS  1024    /* in one call */
#define NGX_DNS_RECLAIM_SCANS   16      /* before the process is looked for */


static uint64_t ngx_dns_reclaim_epoch(ngx_dns_publisher_t *pub, uint64_t tag);
static ngx_uint_t ngx_dns_reclaim_holds(ngx_dns_publisher_t *pub,
    ngx_dns_reader_t *reader, ngx_dns_seen_t *seen, uint64_t epoch,
    ngx_uint_t *asked);
static ngx_dns_held_t *ngx_dns_reclaim_held(ngx_dns_publisher_t *pub,
    uint64_t at);


void
ngx_dns_publisher_retire(ngx_dns_publisher_t *pub, uint64_t at)
{
    uint64_t            epoch;
    ngx_dns_held_t     *held;
    ngx_dns_retired_t  *retired;

    ngx_dns_move_forget(pub, at);

    held = ngx_dns_reclaim_held(pub, at);

    if (held != NULL) {
        held->retired = 1;
        return;
    }

    if (ngx_dns_heap_state(&pub->heap, at) == NGX_DNS_HEAP_FIXED) {
        /* held for good */
        return;
    }

    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    epoch = pub->sh->epoch;
    __atomic_store_n(&pub->sh->epoch, epoch + 1, __ATOMIC_RELEASE);

    retired = ngx_dns_growing_push(pub, &pub->retired,
                                   sizeof(ngx_dns_retired_t));
    if (retired == NULL) {

        /* lost until the next writer opens the region */

        ngx_dns_heap_set(&pub->heap, at, NGX_DNS_HEAP_FIXED);
        return;
    }

    retired->at = at;
    retired->epoch = epoch;

    ngx_dns_heap_set(&pub->heap, at, NGX_DNS_HEAP_WAIT);
    pub->waiting += ngx_dns_heap_next(&pub->heap, at) - at;
}


ngx_uint_t
ngx_dns_publisher_reclaim(ngx_dns_publisher_t *pub)
{
    size_t              n;
    uint64_t            epoch, units;
    ngx_dns_retired_t  *retired;

    if (pub->oldest == pub->retired.n) {
        return 0;
    }

    retired = pub->retired.elts;
    epoch = ngx_dns_reclaim_epoch(pub, retired[pub->oldest].epoch);

    for (n = 0; n < NGX_DNS_RECLAIM_BLOCKS; n++) {

        if (pub->oldest == pub->retired.n
            || retired[pub->oldest].epoch >= epoch)
        {
            break;
        }

        units = pub->heap.free;
        ngx_dns_heap_give(&pub->heap, retired[pub->oldest++].at);
        units = pub->heap.free - units;

        pub->waiting -= units;
        pub->freed += units;
    }

    /* the queue moves to the front when half of it is gone */

    if (pub->oldest > pub->retired.n / 2) {
        pub->retired.n -= pub->oldest;
        ngx_memmove(retired, retired + pub->oldest,
                    pub->retired.n * sizeof(ngx_dns_retired_t));
        pub->oldest = 0;
    }

    return n;
}


/* blocks with a smaller tag are seen by nobody; tag: of the oldest */

static uint64_t
ngx_dns_reclaim_epoch(ngx_dns_publisher_t *pub, uint64_t tag)
{
    uint64_t           i, epoch, min;
    ngx_uint_t         asked;
    ngx_dns_seen_t    *seen;
    ngx_dns_reader_t  *reader;

    min = pub->sh->epoch;
    asked = 0;

    reader = ngx_dns_shared_at(pub->sh, pub->sh->readers);
    seen = pub->seen.elts;

    for (i = 0; i < pub->sh->nreaders; i++) {

        if (reader[i].pid == 0) {
            continue;
        }

        epoch = __atomic_load_n(&reader[i].epoch, __ATOMIC_ACQUIRE);

        if (epoch == 0 || epoch >= min) {
            continue;
        }

        if (epoch > tag
            || ngx_dns_reclaim_holds(pub, &reader[i], &seen[i], epoch, &asked))
        {
            min = epoch;
        }
    }

    return min;
}


/*
 * Whether the process of a slot that stays as it is still lives is asked from
 * time to time, for one slot in a scan.  The slot of a dead one is passed
 * over, not cleared: its next owner may be at work in it already.
 */

static ngx_uint_t
ngx_dns_reclaim_holds(ngx_dns_publisher_t *pub, ngx_dns_reader_t *reader,
    ngx_dns_seen_t *seen, uint64_t epoch, ngx_uint_t *asked)
{
    if (seen->epoch != epoch || seen->pid != reader->pid
        || seen->started != reader->started)
    {
        seen->epoch = epoch;
        seen->pid = reader->pid;
        seen->started = reader->started;
        seen->scans = 0;
        seen->dead = 0;
    }

    if (!seen->dead && ++seen->scans >= NGX_DNS_RECLAIM_SCANS && !*asked) {
        *asked = 1;
        seen->scans = 0;
        seen->dead = !pub->alive(seen->pid, seen->started);
    }

    return !seen->dead;
}


static ngx_dns_held_t *
ngx_dns_reclaim_held(ngx_dns_publisher_t *pub, uint64_t at)
{
    size_t           i;
    ngx_dns_held_t  *held;

    held = pub->held.elts;

    for (i = 0; i < pub->held.n; i++) {
        if (held[i].at == at) {
            return &held[i];
        }
    }

    return NULL;
}


void
ngx_dns_publish_hold(ngx_dns_publisher_t *pub, ngx_dns_zone_t *zone)
{
    uint64_t         at;
    ngx_dns_held_t  *held;

    at = ngx_dns_publisher_unit(pub, zone);
    held = ngx_dns_reclaim_held(pub, at);

    if (held == NULL) {
        ngx_dns_move_forget(pub, at);
        ngx_dns_heap_set(&pub->heap, at, NGX_DNS_HEAP_FIXED);

        held = ngx_dns_growing_push(pub, &pub->held, sizeof(ngx_dns_held_t));
        if (held == NULL) {
            /* without memory for a note it is held for good */
            return;
        }

        held->at = at;
    }

    held->count++;
}


void
ngx_dns_publish_release(ngx_dns_publisher_t *pub, ngx_dns_zone_t *zone)
{
    uint64_t         at;
    ngx_uint_t       retired;
    ngx_dns_held_t  *held;

    at = ngx_dns_publisher_unit(pub, zone);
    held = ngx_dns_reclaim_held(pub, at);

    if (held == NULL || --held->count != 0) {
        return;
    }

    retired = held->retired;
    *held = ((ngx_dns_held_t *) pub->held.elts)[--pub->held.n];

    ngx_dns_heap_set(&pub->heap, at, NGX_DNS_HEAP_USED);
    pub->move.stuck = 0;

    if (retired) {
        ngx_dns_publisher_retire(pub, at);
    }
}
