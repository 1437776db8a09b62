
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_SHARED_H_INCLUDED_
#define _NGX_DNS_SHARED_H_INCLUDED_


#include "ngx_dns_zone.h"


/*
 * Published zones: a region of memory that one process writes and any number
 * of others read, without locks.  It holds no pointers, only places: octets
 * from its start.  This header is what readers see; the writer's side is
 * ngx_dns_publish.h.
 *
 *     head | reader slots | log of changes | blocks (directory, zones)
 */

#define NGX_DNS_SHARED_MAGIC    0x4e445331
#define NGX_DNS_SHARED_VERSION  1
#define NGX_DNS_SHARED_STATS    64      /* counters of the writer's user */
#define NGX_DNS_SHARED_LOG      (64 * 1024)


/*
 * A reader's slot, a cache line of its own.  epoch is 0 while the process
 * holds no pointer into the region.
 */

typedef struct {
    volatile uint64_t   epoch;
    uint64_t            pid;            /* 0: the slot is free */
    uint64_t            started;        /* clock ticks after boot, proc(5) */
    uint64_t            pad[5];
} ngx_dns_reader_t;


/* of the region; readers look only at what is volatile */

typedef struct {
    uint32_t            magic;
    uint32_t            version;
    uint64_t            size;           /* octets of the region */
    uint64_t            nreaders;
    uint64_t            readers;        /* places */
    uint64_t            log;
    uint64_t            blocks;         /* where blocks begin */

    volatile uint64_t   epoch;          /* begins with 1 */
    volatile uint64_t   directory;      /* place of the current one */

    volatile uint64_t   ready;          /* 1: the data are complete */
    volatile int64_t    contact;        /* seconds: last time in step; 0 */
    volatile int64_t    stale;          /* seconds they are good for; 0: ever */

    uint64_t            lock[16];       /* the writer's mutex */
    uint64_t            signature;      /* of the writer's configuration */
    uint64_t            synced;         /* 1: data and log are all there is */
    volatile uint64_t   handover;       /* asked for by a successor */
    volatile uint64_t   handed;         /* the last one that was answered */
    uint64_t            log_head;       /* octets ever written to the log */
    uint64_t            log_tail;       /* octets that are done with */

    volatile uint64_t   stat[NGX_DNS_SHARED_STATS];
} ngx_dns_shared_t;


/* What a process that reads has of its own. */

typedef struct {
    ngx_dns_shared_t   *shared;
    ngx_dns_reader_t   *reader;
    ngx_str_t           name;           /* of the region, to tell of it */
    ngx_uint_t          flags;          /* NGX_DNS_VIEW_..., set by enter */
} ngx_dns_view_t;

#define NGX_DNS_VIEW_NOT_READY  0x01    /* what is not found may be there */
#define NGX_DNS_VIEW_STALE      0x02    /* no contact at present */
#define NGX_DNS_VIEW_EXPIRED    0x04    /* too old to be served */

#define NGX_DNS_VIEW_CONTACT    10      /* seconds without it: stale */


#define ngx_dns_shared_at(sh, place)                                         \
    ((void *) ((u_char *) (sh) + (place)))


/*
 * Begins and ends a look into the region: no pointer into it may be kept
 * over ngx_dns_view_leave().
 *
 * now  seconds, as contact
 *
 * Neither waits nor allocates.
 */

static ngx_inline void
ngx_dns_view_enter(ngx_dns_view_t *view, int64_t now)
{
    int64_t            age;
    ngx_dns_shared_t  *sh;

    sh = view->shared;

    __atomic_store_n(&view->reader->epoch, sh->epoch, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    view->flags = sh->ready ? 0 : NGX_DNS_VIEW_NOT_READY;
    age = now - sh->contact;

    if (age > NGX_DNS_VIEW_CONTACT) {
        view->flags |= NGX_DNS_VIEW_STALE;

        if (sh->stale != 0 && age > sh->stale) {
            view->flags |= NGX_DNS_VIEW_EXPIRED;
        }
    }
}


static ngx_inline void
ngx_dns_view_leave(ngx_dns_view_t *view)
{
    __atomic_store_n(&view->reader->epoch, 0, __ATOMIC_RELEASE);
}


/*
 * The zone with the longest apex at or above name, or NULL; as
 * ngx_dns_zones_find().  Valid until ngx_dns_view_leave().  Does not allocate.
 */
ngx_dns_zone_t *ngx_dns_shared_find(const ngx_dns_shared_t *sh,
    const ngx_dns_name_t *name, ngx_uint_t above);

/* The reader's slot i (less than nreaders) for this process. */
ngx_dns_reader_t *ngx_dns_shared_reader(ngx_dns_shared_t *sh, ngx_uint_t i,
    uint64_t pid, uint64_t started);


#endif /* _NGX_DNS_SHARED_H_INCLUDED_ */
