
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_SNAPSHOT_RELAY_H_INCLUDED_
#define _NGX_STREAM_DNS_SNAPSHOT_RELAY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Octets between the control process's loop and a thread that does what
 * waits for the disk or takes long: two buffers, filled by one side, emptied
 * by the other, in turns.  Neither side takes a lock: the loop looks and goes
 * on, the thread looks again half a millisecond later.
 *
 * The thread sees nothing but the relay and what its job gave it; it calls
 * nothing of nginx that has a state, logs nothing, and all signals are
 * blocked in it.  It ends by itself and is not joined; the process may exit
 * at any time.
 */

#define NGX_STREAM_DNS_RELAY_SIZE   (1024 * 1024)   /* of a buffer, octets */

typedef struct {
    u_char             *p;              /* mapped */
    size_t              size;
    size_t              used;           /* octets in it */
    volatile ngx_uint_t full;           /* 1: the emptying side has it */
} ngx_stream_dns_relay_buf_t;

typedef struct {
    ngx_stream_dns_relay_buf_t  bufs[2];
    ngx_uint_t                  fill;   /* whose turn it is */
    ngx_uint_t                  drain;

    volatile ngx_uint_t         last;   /* 1: no buffer follows */
    volatile ngx_uint_t         over;   /* 1: the thread is done */
} ngx_stream_dns_relay_t;


/*
 * Begins: maps the buffers and starts the thread, which gets data and ends
 * by ngx_stream_dns_relay_over().
 *
 * NGX_ERROR: no memory or no thread, errno says; nothing is left.
 */
ngx_int_t ngx_stream_dns_relay_start(ngx_stream_dns_relay_t *relay,
    void *(*thread)(void *data), void *data);

/*
 * The buffer to fill or to empty, or NULL: none yet.  wait: 1 in the thread,
 * for which NULL means that there will be none any more.
 */
ngx_stream_dns_relay_buf_t *ngx_stream_dns_relay_to_fill(
    ngx_stream_dns_relay_t *relay, ngx_uint_t wait);
ngx_stream_dns_relay_buf_t *ngx_stream_dns_relay_to_drain(
    ngx_stream_dns_relay_t *relay, ngx_uint_t wait);

/* The buffer goes to the other side; last: it was the last one. */
void ngx_stream_dns_relay_filled(ngx_stream_dns_relay_t *relay,
    ngx_uint_t last);
void ngx_stream_dns_relay_drained(ngx_stream_dns_relay_t *relay);

/* Another size for a buffer that is to be filled; its octets are lost. */
ngx_int_t ngx_stream_dns_relay_resize(ngx_stream_dns_relay_buf_t *buf,
    size_t size);

/* In the thread, the last thing that it does. */
void ngx_stream_dns_relay_over(ngx_stream_dns_relay_t *relay);

/* In the loop: 1 if the thread has said so; all that it wrote is seen. */
ngx_uint_t ngx_stream_dns_relay_is_over(ngx_stream_dns_relay_t *relay);

/* In the loop, when the thread is over: gives the buffers back. */
void ngx_stream_dns_relay_end(ngx_stream_dns_relay_t *relay);


#endif /* _NGX_STREAM_DNS_SNAPSHOT_RELAY_H_INCLUDED_ */
