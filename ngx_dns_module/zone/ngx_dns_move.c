
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_publisher.h"


/*
 * How a hole is made where none is large enough.
 *
 * First the window is searched that has the fewest octets in use.  A gap
 * grows from its beginning: each block behind the gap is moved to a hole
 * elsewhere; if there is none for it, to the beginning of the gap, which
 * then lies behind it; if that is too small too, the gap begins anew behind
 * the block.  So the gap takes in all holes that it meets.  At the end of
 * the area it begins again in front, and now rather keeps blocks together,
 * or moves them to holes that it has left behind.
 *
 * The gap and the window are shut: nobody else takes a hole there.  What
 * waits for readers is as good as free, but nothing is moved into it yet.
 */


#define NGX_DNS_MOVE_BLOCKS   16384     /* looked at in one call */
#define NGX_DNS_MOVE_SHUT     2048      /* blocks of a window, in one call */
#define NGX_DNS_MOVE_PASSES   4         /* over the area, at most */
#define NGX_DNS_MOVE_AGE      1000      /* calls until a gap is given up */
#define NGX_DNS_MOVE_PAUSE    100       /* calls if something is in the way */
#define NGX_DNS_MOVE_ROUNDS   20        /* then it will stay there */
#define NGX_DNS_MOVE_CHEAP    8         /* good: 1/8 of the window in use */


typedef enum {
    NGX_DNS_MOVE_NEXT = 0,              /* go on */
    NGX_DNS_MOVE_LATER,                 /* something has to happen first */
    NGX_DNS_MOVE_END                    /* of the gap, good or bad */
} ngx_dns_move_step_e;


static void ngx_dns_move_search(ngx_dns_publisher_t *pub);
static void ngx_dns_move_slide(ngx_dns_publisher_t *pub, uint64_t n);
static void ngx_dns_move_start(ngx_dns_publisher_t *pub);
static ngx_int_t ngx_dns_move_shut(ngx_dns_publisher_t *pub);
static ngx_int_t ngx_dns_move_gap(ngx_dns_publisher_t *pub, size_t octets);
static ngx_dns_move_step_e ngx_dns_move_step(ngx_dns_publisher_t *pub);
static ngx_dns_move_step_e ngx_dns_move_block(ngx_dns_publisher_t *pub,
    uint64_t n);
static ngx_dns_move_step_e ngx_dns_move_pass(ngx_dns_publisher_t *pub);
static void ngx_dns_move_skip(ngx_dns_publisher_t *pub, uint64_t n);
static ngx_dns_move_step_e ngx_dns_move_close(ngx_dns_publisher_t *pub);
static uint64_t ngx_dns_move_room(ngx_dns_publisher_t *pub, uint64_t n);
static uint64_t ngx_dns_move_front(ngx_dns_publisher_t *pub, uint64_t n);
static size_t ngx_dns_move_copy(ngx_dns_publisher_t *pub, size_t octets);
static void ngx_dns_move_stop(ngx_dns_publisher_t *pub);


void
ngx_dns_move_want(ngx_dns_publisher_t *pub, uint64_t n)
{
    ngx_uint_t       i;
    ngx_dns_move_t  *move;

    move = &pub->move;

    for (i = 0; i < move->wants; i++) {
        if (move->want[i] == n) {
            return;
        }
    }

    /* who finds the queue full asks again */

    if (move->wants < NGX_DNS_PUBLISH_WANTS) {
        move->want[move->wants++] = n;
    }
}


void
ngx_dns_move_taken(ngx_dns_publisher_t *pub, uint64_t n)
{
    ngx_uint_t       i;
    ngx_dns_move_t  *move;

    move = &pub->move;

    for (i = 0; i < move->wants; i++) {

        if (move->want[i] != n) {
            continue;
        }

        if (i == 0) {
            ngx_dns_move_stop(pub);
            move->rounds = 0;
        }

        move->wants--;
        ngx_memmove(&move->want[i], &move->want[i + 1],
                    (move->wants - i) * sizeof(uint64_t));
        return;
    }
}


/* all holes are everybody's again */

static void
ngx_dns_move_stop(ngx_dns_publisher_t *pub)
{
    ngx_dns_move_t  *move;

    move = &pub->move;

    if (move->src != NGX_DNS_HEAP_NONE) {
        ngx_dns_move_forget(pub, move->src);
    }

    ngx_dns_heap_shut(&pub->heap, 0, 0);

    move->phase = NGX_DNS_MOVE_IDLE;
}


void
ngx_dns_move_forget(ngx_dns_publisher_t *pub, uint64_t at)
{
    ngx_dns_move_t  *move;

    move = &pub->move;

    if (move->src == NGX_DNS_HEAP_NONE || move->src != at) {
        return;
    }

    move->src = NGX_DNS_HEAP_NONE;

    /* nobody has seen the copy */

    ngx_dns_heap_give(&pub->heap, move->dst);
}


ngx_int_t
ngx_dns_move_work(ngx_dns_publisher_t *pub, size_t octets)
{
    ngx_dns_move_t  *move;

    move = &pub->move;

    if (move->wants == 0) {
        return NGX_OK;
    }

    if (move->phase == NGX_DNS_MOVE_IDLE) {

        if (move->pause > 0) {
            move->pause--;
            return NGX_AGAIN;
        }

        move->phase = NGX_DNS_MOVE_SEARCH;
        move->from = NGX_DNS_HEAP_NONE;
    }

    if (move->phase == NGX_DNS_MOVE_SEARCH) {
        ngx_dns_move_search(pub);
    }

    if (move->phase == NGX_DNS_MOVE_GAP) {
        return ngx_dns_move_gap(pub, octets);
    }

    if (move->phase == NGX_DNS_MOVE_READY) {

        if (move->age++ < NGX_DNS_MOVE_AGE) {
            return NGX_OK;
        }

        ngx_dns_move_taken(pub, move->want[0]);
    }

    return NGX_AGAIN;
}


/*
 * Slides a window over the area, from where the last search ended.  What is
 * found is a guess: blocks change between the calls.  The longer it takes,
 * the less is asked of it.
 */

static void
ngx_dns_move_search(ngx_dns_publisher_t *pub)
{
    uint64_t         n;
    ngx_uint_t       i;
    ngx_dns_heap_t  *heap;
    ngx_dns_move_t  *move;

    heap = &pub->heap;
    move = &pub->move;
    n = move->want[0];

    if (move->from == NGX_DNS_HEAP_NONE) {
        move->from = ngx_dns_heap_block(heap, move->origin % heap->units);
        move->to = move->from;
        move->live = 0;
        move->scanned = 0;
        move->best_live = NGX_DNS_HEAP_NONE;
    }

    for (i = 0; i < NGX_DNS_MOVE_BLOCKS; i++) {

        ngx_dns_move_slide(pub, n);

        if (move->best_live != NGX_DNS_HEAP_NONE
            && move->best_live
               <= n / NGX_DNS_MOVE_CHEAP
                  + (uint64_t) ((double) n * move->scanned / heap->units))
        {
            break;
        }

        if (move->scanned >= heap->units + n) {
            break;
        }
    }

    if (i == NGX_DNS_MOVE_BLOCKS) {
        return;
    }

    move->origin = move->to;

    if (move->best_live == NGX_DNS_HEAP_NONE) {

        /* what is fixed now is everywhere */

        move->best = 0;
        move->best_end = 0;
    }

    ngx_dns_move_start(pub);
}


/* one block more at its end, or one less at its beginning */

static void
ngx_dns_move_slide(ngx_dns_publisher_t *pub, uint64_t n)
{
    uint64_t         next;
    ngx_dns_heap_t  *heap;
    ngx_dns_move_t  *move;

    heap = &pub->heap;
    move = &pub->move;

    if (move->to - move->from >= n) {

        if (move->live < move->best_live) {
            move->best = move->from;
            move->best_end = move->to;
            move->best_live = move->live;
        }

        next = ngx_min(ngx_dns_heap_next(heap, move->from), move->to);

        if (ngx_dns_heap_state(heap, move->from) == NGX_DNS_HEAP_USED) {
            move->live -= ngx_min(next - move->from, move->live);
        }

        move->from = next;
        return;
    }

    if (move->to == heap->units) {
        move->from = 0;
        move->to = 0;
        move->live = 0;
    }

    next = ngx_dns_heap_next(heap, move->to);
    move->scanned += next - move->to;

    if (ngx_dns_heap_state(heap, move->to) == NGX_DNS_HEAP_FIXED) {
        move->from = next;
        move->live = 0;

    } else if (ngx_dns_heap_state(heap, move->to) == NGX_DNS_HEAP_USED) {
        move->live += next - move->to;
    }

    move->to = next;
}


static void
ngx_dns_move_start(ngx_dns_publisher_t *pub)
{
    ngx_dns_move_t  *move;

    move = &pub->move;

    move->gap = ngx_dns_heap_block(&pub->heap, move->best);
    move->at = move->gap;
    move->end = move->gap;

    move->phase = NGX_DNS_MOVE_GAP;
    move->pass = 0;
    move->moves = 0;
    move->blocked = 0;
}


/* shuts the window before anything moves: a part of it in each call */

static ngx_int_t
ngx_dns_move_shut(ngx_dns_publisher_t *pub)
{
    ngx_uint_t       i;
    ngx_dns_move_t  *move;

    move = &pub->move;

    for (i = 0; i < NGX_DNS_MOVE_SHUT && move->end < move->best_end; i++) {
        move->end = ngx_dns_heap_next(&pub->heap, move->end);
    }

    if (i != 0) {
        ngx_dns_heap_shut(&pub->heap, move->gap, move->end);
    }

    return (move->end < move->best_end) ? NGX_AGAIN : NGX_OK;
}


static ngx_int_t
ngx_dns_move_gap(ngx_dns_publisher_t *pub, size_t octets)
{
    size_t      n;
    ngx_uint_t  i;

    if (ngx_dns_move_shut(pub) == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    for (i = 0; i < NGX_DNS_MOVE_BLOCKS; i++) {

        if (pub->move.src != NGX_DNS_HEAP_NONE) {

            n = ngx_dns_move_copy(pub, octets);
            octets -= ngx_min(n, octets);

            if (octets == 0) {
                return NGX_AGAIN;
            }
        }

        switch (ngx_dns_move_step(pub)) {

        case NGX_DNS_MOVE_NEXT:
            break;

        case NGX_DNS_MOVE_LATER:
            return NGX_AGAIN;

        case NGX_DNS_MOVE_END:
            return (pub->move.phase == NGX_DNS_MOVE_READY) ? NGX_OK
                                                           : NGX_AGAIN;
        }
    }

    return NGX_AGAIN;
}


static ngx_dns_move_step_e
ngx_dns_move_step(ngx_dns_publisher_t *pub)
{
    uint64_t         next;
    ngx_dns_heap_t  *heap;
    ngx_dns_move_t  *move;

    heap = &pub->heap;
    move = &pub->move;

    /* the block may have been joined with the hole in front of it */

    if (move->at != heap->units && !ngx_dns_heap_is_block(heap, move->at)) {
        move->at = ngx_dns_heap_next(heap, move->at);
        return NGX_DNS_MOVE_NEXT;
    }

    if (move->at - move->gap >= move->want[0]) {
        return ngx_dns_move_close(pub);
    }

    if (move->at == heap->units) {
        return ngx_dns_move_pass(pub);
    }

    next = ngx_dns_heap_next(heap, move->at);

    if (next > move->end) {
        move->end = next;
        ngx_dns_heap_shut(heap, move->gap, move->end);

        return NGX_DNS_MOVE_NEXT;
    }

    switch (ngx_dns_heap_state(heap, move->at)) {

    case NGX_DNS_HEAP_HOLE:
    case NGX_DNS_HEAP_WAIT:
        move->at = next;
        return NGX_DNS_MOVE_NEXT;

    case NGX_DNS_HEAP_FIXED:

        if (ngx_dns_publisher_at(pub, move->at) == (void *) pub->grow) {
            return NGX_DNS_MOVE_LATER;
        }

        move->blocked = 1;
        ngx_dns_move_skip(pub, next - move->at);
        return NGX_DNS_MOVE_NEXT;

    default: /* NGX_DNS_HEAP_USED */
        return ngx_dns_move_block(pub, next - move->at);
    }
}


/*
 * The block behind the gap has to go.  A directory is moved by making a new
 * one.
 */

static ngx_dns_move_step_e
ngx_dns_move_block(ngx_dns_publisher_t *pub, uint64_t n)
{
    uint64_t         dst;
    ngx_uint_t       directory;
    ngx_dns_move_t  *move;

    move = &pub->move;
    directory = (ngx_dns_publisher_at(pub, move->at) == (void *) pub->dir);

    if (directory && pub->grow != NULL) {
        return NGX_DNS_MOVE_LATER;
    }

    dst = ngx_dns_move_room(pub, n);

    if (dst == NGX_DNS_HEAP_NONE && move->at - move->gap >= n) {
        return NGX_DNS_MOVE_LATER;
    }

    if (dst == NGX_DNS_HEAP_NONE) {
        ngx_dns_move_skip(pub, n);
        return NGX_DNS_MOVE_NEXT;
    }

    move->moves++;

    if (directory) {
        ngx_dns_slots_begin(pub, dst, pub->dir->mask + 1);
        return NGX_DNS_MOVE_LATER;
    }

    move->src = move->at;
    move->dst = dst;
    move->done = 0;

    return NGX_DNS_MOVE_NEXT;
}


/*
 * Where n units go to.  In the first pass anywhere but into the gap; then
 * rather to a hole that the gap has left behind, or to the beginning of the
 * gap.  The second pass does not wait for it to be free.
 */

static uint64_t
ngx_dns_move_room(ngx_dns_publisher_t *pub, uint64_t n)
{
    uint64_t         dst;
    ngx_dns_move_t  *move;

    move = &pub->move;

    if (move->pass == 0) {
        dst = ngx_dns_heap_take(&pub->heap, n);

    } else {
        dst = ngx_dns_heap_take_before(&pub->heap, n, move->gap);
    }

    if (dst == NGX_DNS_HEAP_NONE && move->at - move->gap >= n) {

        dst = ngx_dns_move_front(pub, n);

        if (dst == NGX_DNS_HEAP_NONE && move->pass != 1) {
            return dst;
        }
    }

    return (dst == NGX_DNS_HEAP_NONE) ? ngx_dns_heap_take(&pub->heap, n) : dst;
}


/* n units in front of the gap, if its first part is free already */

static uint64_t
ngx_dns_move_front(ngx_dns_publisher_t *pub, uint64_t n)
{
    uint64_t         dst;
    ngx_dns_heap_t  *heap;

    heap = &pub->heap;
    dst = pub->move.gap;

    if (ngx_dns_heap_state(heap, dst) != NGX_DNS_HEAP_HOLE
        || ngx_dns_heap_next(heap, dst) - dst < n)
    {
        return NGX_DNS_HEAP_NONE;
    }

    ngx_dns_heap_take_shut(heap, n);
    pub->move.gap += n;

    return dst;
}


/* the gap begins behind a block that stays */

static void
ngx_dns_move_skip(ngx_dns_publisher_t *pub, uint64_t n)
{
    ngx_dns_move_t  *move;

    move = &pub->move;

    move->at += n;
    move->gap = move->at;

    ngx_dns_heap_shut(&pub->heap, move->gap, move->end);
}


/* the end of the area */

static ngx_dns_move_step_e
ngx_dns_move_pass(ngx_dns_publisher_t *pub)
{
    uint64_t         n, largest;
    ngx_dns_move_t  *move;

    move = &pub->move;

    move->pass++;

    if (move->pass == 1 || (move->pass < NGX_DNS_MOVE_PASSES && move->moves)) {
        move->moves = 0;
        move->gap = 0;
        move->at = 0;
        move->end = 0;
        move->best_end = 0;

        ngx_dns_heap_shut(&pub->heap, 0, 0);

        return NGX_DNS_MOVE_NEXT;
    }

    n = move->want[0];

    ngx_dns_move_stop(pub);

    if (move->blocked && move->rounds++ < NGX_DNS_MOVE_ROUNDS) {
        move->pause = NGX_DNS_MOVE_PAUSE;
        return NGX_DNS_MOVE_END;
    }

    largest = ngx_dns_heap_largest(&pub->heap);

    move->stuck = n;
    move->stuck_freed = pub->freed + (n - ngx_min(n - 1, largest));

    ngx_dns_move_taken(pub, n);

    return NGX_DNS_MOVE_END;
}


/* the gap is large enough, when readers have left it */

static ngx_dns_move_step_e
ngx_dns_move_close(ngx_dns_publisher_t *pub)
{
    ngx_dns_heap_t  *heap;
    ngx_dns_move_t  *move;

    heap = &pub->heap;
    move = &pub->move;

    if (move->end != move->at) {
        move->end = move->at;
        ngx_dns_heap_shut(heap, move->gap, move->end);
    }

    if (ngx_dns_heap_state(heap, move->gap) != NGX_DNS_HEAP_HOLE
        || ngx_dns_heap_next(heap, move->gap) - move->gap < move->want[0])
    {
        return NGX_DNS_MOVE_LATER;
    }

    move->phase = NGX_DNS_MOVE_READY;
    move->age = 0;

    return NGX_DNS_MOVE_END;
}


/* octets copied; the last of them makes the copy the zone */

static size_t
ngx_dns_move_copy(ngx_dns_publisher_t *pub, size_t octets)
{
    size_t                     n;
    uint64_t                   src;
    u_char                    *to;
    ngx_dns_name_t             name;
    ngx_dns_zone_t            *zone;
    ngx_dns_move_t            *move;
    ngx_dns_directory_slot_t  *slot;

    move = &pub->move;

    zone = ngx_dns_publisher_at(pub, move->src);
    to = ngx_dns_publisher_at(pub, move->dst);
    n = ngx_min(octets, zone->size - move->done);

    ngx_memcpy(to + move->done, (u_char *) zone + move->done, n);

    move->done += n;
    pub->moved += n;

    if (move->done < zone->size) {
        return n;
    }

    src = move->src;
    slot = ngx_dns_slots_find(pub, zone->name, &name);

    if (slot == NULL
        || slot->place != ngx_dns_publisher_place(pub, src))
    {
        ngx_dns_move_forget(pub, src);
        return n;
    }

    move->src = NGX_DNS_HEAP_NONE;

    ngx_dns_heap_set(&pub->heap, move->dst, NGX_DNS_HEAP_USED);
    ngx_dns_slots_point(pub, slot, move->dst);
    ngx_dns_publisher_retire(pub, src);

    return n;
}
