
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_COUNTERS_H_INCLUDED_
#define _NGX_STREAM_DNS_COUNTERS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_dns_choose.h"


/*
 * Counters live in shared memory, one slot per process: one writer each,
 * plain stores, readers add up.
 *
 *     received = sum of NGX_STREAM_DNS_RCODE.. + sum of NGX_STREAM_DNS_DROP..
 */

typedef enum {
    NGX_STREAM_DNS_RECEIVED_UDP = 0,
    NGX_STREAM_DNS_RECEIVED_TCP,
    NGX_STREAM_DNS_RECEIVED_TLS,

    NGX_STREAM_DNS_DROP_SHORT,          /* no whole header */
    NGX_STREAM_DNS_DROP_RESPONSE,       /* QR=1 */
    NGX_STREAM_DNS_DROP_OVERSIZE,       /* cut by the buffer */
    NGX_STREAM_DNS_DROP_PORT_ZERO,      /* source port 0 */
    NGX_STREAM_DNS_DROP_DENIED,         /* allow, deny */
    NGX_STREAM_DNS_DROP_FAILED,         /* an error of ours */

    NGX_STREAM_DNS_TRUNCATED,           /* replies with TC */
    NGX_STREAM_DNS_SEND_FULL,           /* replies lost: socket buffer full */
    NGX_STREAM_DNS_SEND_FAILED,         /* replies lost: other errors */

    NGX_STREAM_DNS_RCODE,               /* replies by rcode, 0 to 16 */
    NGX_STREAM_DNS_RCODE_OTHER = NGX_STREAM_DNS_RCODE + 17,

    NGX_STREAM_DNS_TCP_ACCEPTED,        /* sessions */
    NGX_STREAM_DNS_TCP_ACTIVE,          /* sessions now */
    NGX_STREAM_DNS_TCP_IDLE_CLOSED,     /* idle timeout */
    NGX_STREAM_DNS_TCP_TIMEOUT,         /* message or sending took too long */
    NGX_STREAM_DNS_TCP_ERROR,           /* the client's fault, and resets */

    NGX_STREAM_DNS_REENABLED,           /* sockets put back into epoll */

    NGX_STREAM_DNS_ECS,                 /* queries with a client subnet */

    NGX_STREAM_DNS_CHOICE,              /* answers that a step of choosing
                                           left addresses out of, by step
                                           (ngx_dns_choose_step_e) */
    NGX_STREAM_DNS_CHOICE_NOTHING = NGX_STREAM_DNS_CHOICE + NGX_DNS_STEPS,

    NGX_STREAM_DNS_COUNTERS
} ngx_stream_dns_counter_e;


/* the slot of a process, a multiple of the cache line */

typedef struct {
    uint64_t            n[NGX_STREAM_DNS_COUNTERS];
    uint64_t            pad[8 - NGX_STREAM_DNS_COUNTERS % 8];
} ngx_stream_dns_counter_t;


#define ngx_stream_dns_count(w, i)                                           \
    ((w)->counters->n[i]++)


/* Makes the shared memory of the counters; NULL: error, logged. */
ngx_shm_zone_t *ngx_stream_dns_counters_add(ngx_conf_t *cf);

/* The slot of this process, its gauges set to 0. */
ngx_stream_dns_counter_t *ngx_stream_dns_counters_slot(ngx_shm_zone_t *zone);

/* One counter over all processes. */
uint64_t ngx_stream_dns_counters_sum(ngx_shm_zone_t *zone, ngx_uint_t i);

/* The name of a counter. */
ngx_str_t *ngx_stream_dns_counters_name(ngx_uint_t i);


#endif /* _NGX_STREAM_DNS_COUNTERS_H_INCLUDED_ */
