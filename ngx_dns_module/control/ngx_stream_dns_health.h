
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_HEALTH_H_INCLUDED_
#define _NGX_STREAM_DNS_HEALTH_H_INCLUDED_


#include "ngx_stream_dns_control.h"
#include "ngx_stream_dns_module.h"
#include "ngx_dns_health_write.h"
#include "ngx_dns_probe.h"


/*
 * The health of targets: which there are (zones and pools say so), what is
 * known about them (in shared memory), and checks.  One process writes the
 * table of states; it checks targets if it has the lock of the state
 * directory too.
 */

#define NGX_STREAM_DNS_HEALTH_OFF      0    /* all are up */
#define NGX_STREAM_DNS_HEALTH_PASSIVE  1    /* only what others find counts */
#define NGX_STREAM_DNS_HEALTH_ON       2


/* counters: places in ngx_dns_health_t.stat, one writer */

typedef enum {
    NGX_STREAM_DNS_HEALTH_PROBES = 0,   /* checks begun */
    NGX_STREAM_DNS_HEALTH_GOOD,         /* checks by their results */
    NGX_STREAM_DNS_HEALTH_BAD,
    NGX_STREAM_DNS_HEALTH_TURNS,        /* states that changed */
    NGX_STREAM_DNS_HEALTH_SKIPPED,      /* checks left out: no time for them */
    NGX_STREAM_DNS_HEALTH_LATE,         /* timers that came late */
    NGX_STREAM_DNS_HEALTH_FLIGHT,       /* checks now */
    NGX_STREAM_DNS_HEALTH_WAITING,      /* checks that are due */
    NGX_STREAM_DNS_HEALTH_TARGETS,
    NGX_STREAM_DNS_HEALTH_UPS,          /* targets by their states */
    NGX_STREAM_DNS_HEALTH_DOWNS,
    NGX_STREAM_DNS_HEALTH_UNKNOWNS,
    NGX_STREAM_DNS_HEALTH_SLOTS,        /* of the table, that can be used */
    NGX_STREAM_DNS_HEALTH_FULL,         /* targets that found none */
    NGX_STREAM_DNS_HEALTH_UNUSABLE,     /* targets that cannot be checked */
    NGX_STREAM_DNS_HEALTH_PROBING,      /* 1: a process checks */
    NGX_STREAM_DNS_HEALTH_COUNTERS
} ngx_stream_dns_health_stat_e;


/* "dns_health" and the like, in the main configuration of control/ */

typedef struct {
    ngx_uint_t                   mode;      /* NGX_STREAM_DNS_HEALTH_... */
    ngx_msec_t                   interval;
    size_t                       size;      /* of the table's memory */
    ngx_str_t                    trusted;   /* file; empty: the system's */
    ngx_uint_t                   trusts;    /* 1: that has been read */
    void                        *ssl;       /* ngx_ssl_t *; NULL: no https */
    ngx_shm_zone_t              *shm_zone;
    ngx_dns_health_t            *table;     /* set by the zone's init */
    ngx_stream_dns_main_conf_t  *dmcf;      /* workers find it there */
} ngx_stream_dns_health_conf_t;


/* An address that is checked in one way for one name. */

typedef struct ngx_stream_dns_target_s  ngx_stream_dns_target_t;

struct ngx_stream_dns_target_s {
    ngx_rbtree_node_t            node;      /* by id */
    uint64_t                     id;        /* in the table */

    ngx_stream_dns_source_t     *source;    /* NULL: of a file, or a pool */
    const u_char                *apex;      /* wire format; NULL: of a pool */
    const u_char                *owner;     /* wire format, absolute */
    u_char                       address[16];
    ngx_uint_t                   len;       /* octets: 4 or 16 */
    ngx_dns_probe_t              probe;
    ngx_msec_t                   interval;  /* of the probe, or the default */

    void                        *data;      /* the watcher's */

    /* from here on nobody else's business */

    ngx_uint_t                   refs;      /* zones and pools that have it */
    ngx_uint_t                   checked;   /* 1: by this process */
    ngx_uint_t                   place;     /* NGX_STREAM_DNS_TARGET_... */
    ngx_queue_t                  queue;
    ngx_rbtree_node_t            timer;
    ngx_msec_t                   due;       /* the next check, or this one */
    void                        *check;     /* that is under way */
};


/*
 * Who wants to know of targets: one, set before the first tick.
 *
 * added    a target is new, its slot of the table too
 * result   of a check of this process; word: the state now
 * removed  it will be freed
 *
 * Handlers that are not wanted are NULL.
 */

typedef struct {
    void    *data;

    void   (*added)(void *data, ngx_stream_dns_target_t *t);
    void   (*result)(void *data, ngx_stream_dns_target_t *t, uint64_t word);
    void   (*removed)(void *data, ngx_stream_dns_target_t *t);
} ngx_stream_dns_health_watcher_t;

void ngx_stream_dns_health_watch(ngx_stream_dns_health_watcher_t *watcher);


/*
 * All targets that have a slot, one after the other: the one with the
 * smallest id above after (0 at first), or NULL.
 */
ngx_stream_dns_target_t *ngx_stream_dns_health_next(uint64_t after);

/* The slot of a target, or NULL: the table is full, or another writes it. */
ngx_dns_health_slot_t *ngx_stream_dns_health_slot(ngx_stream_dns_target_t *t);

/* 1: this process checks targets. */
ngx_uint_t ngx_stream_dns_health_probing(void);

/* 1: this process writes the table. */
ngx_uint_t ngx_stream_dns_health_writes(void);

/*
 * What somebody else found: so many checks in a row were good, or (run < 0)
 * bad, the last one at checked (milliseconds since the epoch); 0: it is
 * unknown.
 *
 * NGX_OK
 * NGX_DECLINED  it does not count: there is no slot, this process checks by
 *               itself and has found a state, or something later is known
 */
ngx_int_t ngx_stream_dns_health_heard(ngx_stream_dns_target_t *t,
    ngx_int_t run, uint64_t checked);

/*
 * Address, port and name of a target for messages; p: room for
 * NGX_DNS_NAME_TEXT_MAX and 80 octets.
 */
u_char *ngx_stream_dns_health_text(u_char *p, ngx_stream_dns_target_t *t);


/* the process: start, before the first tick; tick, every 10 ms */

ngx_int_t ngx_stream_dns_health_start(ngx_cycle_t *cycle,
    ngx_stream_dns_health_conf_t *conf);
void ngx_stream_dns_health_tick(void);


#endif /* _NGX_STREAM_DNS_HEALTH_H_INCLUDED_ */
