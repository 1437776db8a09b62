
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_PUBLISH_H_INCLUDED_
#define _NGX_DNS_PUBLISH_H_INCLUDED_


#include "ngx_dns_records.h"
#include "ngx_dns_shared.h"


/*
 * The writer's side of a region of published zones: one process at a time,
 * by a lock that is the caller's business.  Free lists are private memory,
 * made from the directory when the writer opens the region, so a writer may
 * die at any instruction.  Blocks are multiples of 64 octets, best fit,
 * neighbours joined; what readers may still see is freed later, by
 * ngx_dns_publish_work(); if no hole fits, blocks are moved.
 */

typedef struct ngx_dns_publisher_s  ngx_dns_publisher_t;


typedef struct {
    uint64_t    zones;
    uint64_t    records;
    uint64_t    used;                   /* octets in blocks, waiting ones too */
    uint64_t    free;
    uint64_t    largest;                /* hole */
    uint64_t    waiting;                /* octets that readers may still see */
    uint64_t    moved;                  /* octets moved since the beginning */
} ngx_dns_publish_stat_t;


/*
 * Makes an empty region of size octets at zeroed, page-aligned memory p.
 * nreaders  slots of readers
 *
 * NULL: size is too small.
 */
ngx_dns_shared_t *ngx_dns_shared_init(void *p, size_t size,
    ngx_uint_t nreaders);

/*
 * Opens the region for writing.  Memory comes from mem until close.
 *
 * alive  1 if the process (pid, started) still lives: slots of dead readers
 *        do not count.  Called from time to time for a slot whose epoch holds
 *        something back.
 *
 * NULL: no memory, or the region is damaged.
 */
ngx_dns_publisher_t *ngx_dns_publisher_open(ngx_dns_shared_t *sh,
    ngx_dns_memory_t *mem, ngx_dns_key_t *key,
    ngx_uint_t (*alive)(uint64_t pid, uint64_t started));

/*
 * The same in slices of a few milliseconds: many zones have to be looked
 * at.  Between begin and the end nothing else is done with what begin gave
 * but continue and close.
 *
 * NGX_OK     it is open
 * NGX_AGAIN  call it again
 * NGX_ERROR  as NULL above: to be closed
 */
ngx_dns_publisher_t *ngx_dns_publisher_begin(ngx_dns_shared_t *sh,
    ngx_dns_memory_t *mem, ngx_dns_key_t *key,
    ngx_uint_t (*alive)(uint64_t pid, uint64_t started));
ngx_int_t ngx_dns_publisher_continue(ngx_dns_publisher_t *pub);

void ngx_dns_publisher_close(ngx_dns_publisher_t *pub);

/*
 * Publishing in two steps, so that a large zone can be copied in slices:
 * alloc gives a block nobody sees, commit puts it in place of the zone with
 * the same apex, if there is one, and retires that.
 *
 * size   octets of the compiled zone
 * place  set on NGX_OK
 *
 * NGX_OK
 * NGX_AGAIN     no hole is large enough now but the sum of free and waiting
 *               octets is: call ngx_dns_publish_work() and try again
 * NGX_DECLINED  it does not fit; *needed is how many octets are missing
 * NGX_ERROR     no private memory
 */
ngx_int_t ngx_dns_publish_alloc(ngx_dns_publisher_t *pub, size_t size,
    uint64_t *place, uint64_t *needed);
void ngx_dns_publish_cancel(ngx_dns_publisher_t *pub, uint64_t place);

/*
 * The block at place holds a whole compiled zone.  If it is smaller than what
 * was allocated, the rest is free again.
 *
 * NGX_OK
 * NGX_AGAIN     the directory has to grow and there is no hole for it now, as
 *               above; the block stays allocated
 * NGX_DECLINED  the directory has to grow and never will; it stays allocated
 * NGX_ERROR     there is no zone in the block; it stays allocated
 */
ngx_int_t ngx_dns_publish_commit(ngx_dns_publisher_t *pub, uint64_t place);

/* Both steps at once, for zones of ordinary size. */
ngx_int_t ngx_dns_publish_zone(ngx_dns_publisher_t *pub,
    const ngx_dns_zone_t *zone, uint64_t *needed);

/* Takes a zone out.  NGX_DECLINED: there is none.  apex: wire format. */
ngx_int_t ngx_dns_publish_remove(ngx_dns_publisher_t *pub,
    const u_char *apex);

/*
 * The published zone of exactly this apex, or NULL.  It is where it is until
 * the next call that publishes, removes or works, unless it is held.
 */
ngx_dns_zone_t *ngx_dns_publish_get(ngx_dns_publisher_t *pub,
    const u_char *apex);

/*
 * Tells of every change from now on, right after it: a zone was published
 * (zone is what readers see now) or removed (zone is NULL).  changed must
 * not publish, remove, or work.
 */
void ngx_dns_publish_watch(ngx_dns_publisher_t *pub,
    void (*changed)(void *data, const u_char *apex, ngx_dns_zone_t *zone),
    void *data);

/*
 * All zones, one after the other, in no order: *cursor begins with 0.  NULL:
 * that was the last one.  Zones published or removed meanwhile may or may
 * not be met; none that stays is left out.
 */
ngx_dns_zone_t *ngx_dns_publish_next(ngx_dns_publisher_t *pub,
    uint64_t *cursor);

/*
 * Frees what no reader sees any more and goes on moving blocks, if a hole is
 * wanted: at most about octets are copied.
 *
 * NGX_OK     nothing is left to do
 * NGX_AGAIN  call it again (at once if it moved something, else a
 *            millisecond later: readers have to leave first)
 */
ngx_int_t ngx_dns_publish_work(ngx_dns_publisher_t *pub, size_t octets);

/*
 * Keeps the block of a published zone where it is, whatever happens to the
 * zone, until it is released: for reading it in slices.
 */
void ngx_dns_publish_hold(ngx_dns_publisher_t *pub, ngx_dns_zone_t *zone);
void ngx_dns_publish_release(ngx_dns_publisher_t *pub, ngx_dns_zone_t *zone);

void ngx_dns_publish_stat(ngx_dns_publisher_t *pub,
    ngx_dns_publish_stat_t *st);

/*
 * Copies all zones and counters of a region into another, empty one, which
 * this process writes.  Another process may go on writing the first one: the
 * caller has entered a view of it.  The copy does not count as synced.
 * NGX_DECLINED: it is too small, and *needed octets are missing.
 */
ngx_int_t ngx_dns_publish_copy(ngx_dns_publisher_t *to,
    ngx_dns_shared_t *from, uint64_t *needed);

/*
 * The log of changes that were heard of and are not applied yet, for a
 * successor: entries of up to 65535 octets.  append gives the position
 * behind the entry, or 0: no room (all is to be compared).  done: everything
 * before the position is applied.  read copies the entry at *pos (0: the
 * first that is not done) and moves it; NGX_DECLINED: there are no more;
 * NGX_ERROR: it is larger than size.
 */
uint64_t ngx_dns_publish_log_append(ngx_dns_publisher_t *pub,
    ngx_str_t *entry);
void ngx_dns_publish_log_done(ngx_dns_publisher_t *pub, uint64_t pos);
ngx_int_t ngx_dns_publish_log_read(ngx_dns_publisher_t *pub, uint64_t *pos,
    u_char *buf, size_t size, ngx_str_t *entry);


#endif /* _NGX_DNS_PUBLISH_H_INCLUDED_ */
