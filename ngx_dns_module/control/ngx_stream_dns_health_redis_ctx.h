
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_HEALTH_REDIS_CTX_H_INCLUDED_
#define _NGX_STREAM_DNS_HEALTH_REDIS_CTX_H_INCLUDED_


#include "ngx_dns_status.h"
#include "ngx_stream_dns_module.h"
#include "ngx_stream_dns_health.h"
#include "ngx_stream_dns_health_redis.h"
#include "ngx_stream_dns_redis.h"


/*
 * What the files share that keep states and the keys of Redis in step:
 *
 *     ngx_stream_dns_health_redis.c        sources and their targets
 *     ngx_stream_dns_health_redis_write.c  states to keys
 *     ngx_stream_dns_health_redis_read.c   keys to states
 */

/* milliseconds */

#define NGX_STREAM_DNS_STATUS_REFRESH   150000  /* a key is written again */
#define NGX_STREAM_DNS_STATUS_EXPIRES   600000  /* at least */
#define NGX_STREAM_DNS_STATUS_REFUSED   30000   /* then writing is tried */
#define NGX_STREAM_DNS_STATUS_READ_MIN  200     /* between two looks */
#define NGX_STREAM_DNS_STATUS_READ_MAX  2000


typedef struct {
    ngx_stream_dns_source_t          *src;
    ngx_stream_dns_redis_t           *redis;    /* NULL: not needed yet */

    ngx_queue_t                       fresh;    /* new ones that nobody knows:
                                                   to be looked at first */
    ngx_queue_t                       urgent;   /* states that have changed */
    ngx_queue_t                       calm;     /* others: longest untouched
                                                   first */
    ngx_uint_t                        targets;
    ngx_msec_t                        since;    /* what was touched before is
                                                   due */
    ngx_msec_t                        period;   /* between two looks */
    ngx_uint_t                        reads;    /* without a reply */

    ngx_uint_t                        refused;  /* 1: keys are not taken */
    ngx_msec_t                        again;    /* when it is tried, then */
} ngx_stream_dns_status_link_t;


/* of a target; t->data */

typedef struct {
    ngx_queue_t                       queue;
    ngx_stream_dns_target_t          *target;
    ngx_stream_dns_status_link_t     *link;

    ngx_msec_t                        touched;  /* written, or looked at */
    ngx_int_t                         status;   /* as it was written */

    unsigned                          known:1;  /* touched is set */
    unsigned                          written:1;
    unsigned                          fresh:1;  /* in that queue */
    unsigned                          urgent:1; /* likewise */
    unsigned                          heard:1;  /* a key had a state */
    unsigned                          bad:1;    /* a key had none, told */
} ngx_stream_dns_status_item_t;


/*
 * 1 if the item is to be written, or looked at: it is older than period, in
 * milliseconds, or than the connection.
 */
ngx_uint_t ngx_stream_dns_status_due(ngx_stream_dns_status_item_t *item,
    ngx_msec_t period);

/* It is done: the item is the last one of those that are calm. */
void ngx_stream_dns_status_touch(ngx_stream_dns_status_item_t *item);

/*
 * Writes the name of the key of an item; at: that of z42 for an apex.
 *
 * p  room for ngx_stream_dns_status_room() octets
 */
u_char *ngx_stream_dns_status_name(u_char *p,
    ngx_stream_dns_status_item_t *item, ngx_uint_t at);
size_t ngx_stream_dns_status_room(ngx_stream_dns_status_link_t *link);

/* 1: the target is checked for the name of its zone. */
ngx_uint_t ngx_stream_dns_status_apex(ngx_stream_dns_target_t *t);

/* Whose state it is, for ngx_dns_status.h; good until zones change. */
void ngx_stream_dns_status_target(ngx_stream_dns_target_t *t,
    ngx_dns_status_target_t *target);

/*
 * As much as a slice and a connection that works have room for; first: the
 * fresh ones, when this process checks: they may have been down before it
 * was started.
 */
void ngx_stream_dns_status_write(ngx_stream_dns_status_link_t *link);
void ngx_stream_dns_status_read(ngx_stream_dns_status_link_t *link);
void ngx_stream_dns_status_first(ngx_stream_dns_status_link_t *link);

/* A check had a result. */
void ngx_stream_dns_status_result(ngx_stream_dns_status_item_t *item,
    uint64_t word);


#endif /* _NGX_STREAM_DNS_HEALTH_REDIS_CTX_H_INCLUDED_ */
