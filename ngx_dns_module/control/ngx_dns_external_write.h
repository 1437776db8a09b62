
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_EXTERNAL_WRITE_H_INCLUDED_
#define _NGX_DNS_EXTERNAL_WRITE_H_INCLUDED_


#include "ngx_dns_external.h"
#include "ngx_dns_records.h"


/*
 * The writer's side of the region of ngx_dns_external.h.  One process at a
 * time has it.  It may die at any instruction: its successor finds out by
 * itself which entries are whole and which chunks are free.
 */


/* places in ngx_dns_external_shared_t.stat */

typedef enum {
    NGX_DNS_EXTERNAL_STAT_ENTRIES = 0,
    NGX_DNS_EXTERNAL_STAT_CHUNKS,       /* in use */
    NGX_DNS_EXTERNAL_STAT_EVICTED,      /* to make room for others */
    NGX_DNS_EXTERNAL_STAT_FULL,         /* no room even so */
    NGX_DNS_EXTERNAL_STAT_SKIPPED,      /* wants that never got ready */
    NGX_DNS_EXTERNAL_STAT_QUERIES,      /* sent */
    NGX_DNS_EXTERNAL_STAT_TCP,          /* of these */
    NGX_DNS_EXTERNAL_STAT_REPLIES,      /* of use */
    NGX_DNS_EXTERNAL_STAT_IGNORED,      /* replies to something else */
    NGX_DNS_EXTERNAL_STAT_TIMEOUTS,     /* of queries */
    NGX_DNS_EXTERNAL_STAT_FAILURES,     /* targets that could not be had */
    NGX_DNS_EXTERNAL_STAT_PENDING,      /* targets being asked for, now */
    NGX_DNS_EXTERNAL_STAT_FAILING,      /* targets that fail, now */
    NGX_DNS_EXTERNAL_STAT_AGE,          /* seconds: the oldest data in use */
    NGX_DNS_EXTERNAL_STAT_USED          /* so many are used */
} ngx_dns_external_stat_e;


/* what is asked for: a target, a type, a network (family 0: none) */

typedef struct {
    ngx_dns_name_t       name;
    ngx_uint_t           type;
    ngx_uint_t           family;
    ngx_uint_t           bits;
    u_char               network[16];
} ngx_dns_external_target_t;


/* what is known of it */

typedef struct {
    uint16_t             rcode;         /* NOERROR or NXDOMAIN */
    uint16_t             nrr;
    uint32_t             ttl;           /* seconds; 0 lives for one */
    uint32_t             size;          /* octets of rrs */
    u_char              *rrs;           /* { rdlen, rdata } of each */
} ngx_dns_external_data_t;


typedef struct ngx_dns_external_writer_s  ngx_dns_external_writer_t;


/*
 * Lays out a region of size octets, zeroed, at p.  The mutex is the caller's
 * business.  NULL: it is too small.
 */
ngx_dns_external_shared_t *ngx_dns_external_init(void *p, size_t size,
    ngx_uint_t nreaders);

/*
 * Becomes the writer of a region: open, then continue until it is not
 * NGX_AGAIN any more; nothing else may be called before that.  All memory
 * comes from mem; key is the server's.  NULL: no memory.
 */
ngx_dns_external_writer_t *ngx_dns_external_open(
    ngx_dns_external_shared_t *sh, ngx_dns_memory_t *mem, ngx_dns_key_t *key);
ngx_int_t ngx_dns_external_continue(ngx_dns_external_writer_t *w);
void ngx_dns_external_close(ngx_dns_external_writer_t *w);

/*
 * The next want of readers.
 *
 * ms  a steady clock, milliseconds: one that its reader does not finish within
 *     a second is skipped
 *
 * NGX_OK        t is set
 * NGX_DECLINED  there is none
 */
ngx_int_t ngx_dns_external_want_next(ngx_dns_external_writer_t *w,
    uint64_t ms, ngx_dns_external_target_t *t);

/*
 * The entry of a target, or NGX_DNS_EXTERNAL_NONE.  make makes one if there
 * is none, with nothing known, in place of that which nobody asked for
 * longest; asked: readers want it.
 */
uint32_t ngx_dns_external_get(ngx_dns_external_writer_t *w,
    const ngx_dns_external_target_t *t);
uint32_t ngx_dns_external_make(ngx_dns_external_writer_t *w,
    const ngx_dns_external_target_t *t, int64_t now, ngx_uint_t asked);

/* What the entry is about. */
void ngx_dns_external_target(ngx_dns_external_writer_t *w, uint32_t n,
    ngx_dns_external_target_t *t);

void ngx_dns_external_remove(ngx_dns_external_writer_t *w, uint32_t n);

/*
 * Replaces what is known.
 *
 * NGX_OK
 * NGX_DECLINED  there is no room: as it was
 */
ngx_int_t ngx_dns_external_store(ngx_dns_external_writer_t *w, uint32_t n,
    const ngx_dns_external_data_t *data, int64_t now);

/*
 * It could not be had; what was known stays.  Readers ask again from retry
 * on, seconds.
 */
void ngx_dns_external_fail(ngx_dns_external_writer_t *w, uint32_t n,
    int64_t retry);

/* How often it has failed since it was stored, made, or taken over. */
ngx_uint_t ngx_dns_external_failures(ngx_dns_external_writer_t *w,
    uint32_t n);

/*
 * Of a generic entry: that a network of bits has an entry of its own
 * (state DIFFER), or that all networks have the same.
 */
void ngx_dns_external_scope(ngx_dns_external_writer_t *w, uint32_t n,
    ngx_uint_t state, ngx_uint_t family, ngx_uint_t bits);

/*
 * Private to the user: a pointer.  An entry that has one is not evicted.
 */
void *ngx_dns_external_data(ngx_dns_external_writer_t *w, uint32_t n);
void ngx_dns_external_set_data(ngx_dns_external_writer_t *w, uint32_t n,
    void *data);

/* A mark: it is to be kept fresh though nobody asks for it. */
ngx_uint_t ngx_dns_external_fresh(ngx_dns_external_writer_t *w, uint32_t n);
void ngx_dns_external_set_fresh(ngx_dns_external_writer_t *w, uint32_t n);

/*
 * When to look at an entry again, by the steady clock; 0: never.  next gives
 * one whose time has come, which is in the list no more, or NONE.
 */
void ngx_dns_external_due(ngx_dns_external_writer_t *w, uint32_t n,
    uint64_t ms);
uint32_t ngx_dns_external_due_next(ngx_dns_external_writer_t *w, uint64_t ms);


#endif /* _NGX_DNS_EXTERNAL_WRITE_H_INCLUDED_ */
