
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_WALK_H_INCLUDED_
#define _NGX_STREAM_DNS_WALK_H_INCLUDED_


#include "ngx_stream_dns_control.h"


/*
 * Tells parts of the control process what is in the zones that matter to
 * them: those with NGX_DNS_ZONE_PROBES or NGX_DNS_ZONE_ANAMES, of files and
 * of the regions that this process writes.  Each is walked when it is met
 * first, after each change, and a last time when it is gone; in slices, one
 * zone at a time.
 */

#define NGX_STREAM_DNS_WALKERS  4


/*
 * A zone that walkers know, until its last walk has ended.  Two zones of one
 * name, of two files or regions, are two.
 */

typedef struct {
    ngx_str_node_t            sn;       /* the walk's */
    ngx_queue_t               queue;    /* the walk's */
    ngx_uint_t                waits;    /* 1: it is in the queue */

    ngx_stream_dns_source_t  *source;   /* NULL: of a file */
    ngx_dns_zone_t           *file;     /* NULL: of a region */
    u_char                   *apex;     /* wire format */
    ngx_uint_t                gone;     /* 1: this is the last walk */
    void                     *data[NGX_STREAM_DNS_WALKERS]; /* by index */
} ngx_stream_dns_walk_zone_t;


/*
 * Who wants to know.  Of each walk it hears begin, then set and aname in the
 * order of the zone's nodes, then end.  What it was told in an earlier walk
 * of the same zone and not in this one does not exist any more.  None of
 * the pointers into the zone may be kept.
 *
 * begin  zone->data[index] is the walker's own, NULL at first; to be freed
 *        by the end of the last walk (zone->gone)
 * set    an A or AAAA rrset with notes (NGX_DNS_NOTE_PROBE may be among them)
 * aname  a name with a note ANAME; ttl as in the note
 * end    NGX_AGAIN: it has more to do, call it again when there is time
 *
 * owner, target: wire format, lower case, absolute.  Handlers that are not
 * wanted are NULL.
 */

typedef struct {
    void        *data;
    ngx_uint_t   index;                 /* set by ngx_stream_dns_walk_add() */

    void       (*begin)(void *data, ngx_stream_dns_walk_zone_t *zone);
    void       (*set)(void *data, ngx_stream_dns_walk_zone_t *zone,
                   const u_char *owner, const ngx_dns_rrset_t *set,
                   const ngx_dns_rrset_t *notes);
    void       (*aname)(void *data, ngx_stream_dns_walk_zone_t *zone,
                   const u_char *owner, const u_char *target, uint32_t ttl);
    ngx_int_t  (*end)(void *data, ngx_stream_dns_walk_zone_t *zone);
} ngx_stream_dns_walker_t;


/*
 * Adds a walker, which lives as long as the process: when the process starts,
 * before the first tick.  NGX_ERROR: there are too many.
 */
ngx_int_t ngx_stream_dns_walk_add(ngx_stream_dns_walker_t *walker);

/*
 * start   of the process: the zones of files will be walked
 * source  this process has become the writer of the region: all of its zones
 *         will be walked, and every change from now on
 * tick    every 10 ms: goes on for a slice
 *
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_stream_dns_walk_start(ngx_cycle_t *cycle);
ngx_int_t ngx_stream_dns_walk_source(ngx_stream_dns_source_t *src);
void ngx_stream_dns_walk_tick(void);

/*
 * 1 if there is nothing left to be walked, and all regions are written by
 * this process and ready: what walkers do not know now does not exist.
 */
ngx_uint_t ngx_stream_dns_walk_complete(void);


#endif /* _NGX_STREAM_DNS_WALK_H_INCLUDED_ */
