
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_HOLD_H_INCLUDED_
#define _NGX_STREAM_DNS_HOLD_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/*
 * After a binary upgrade shared memory is empty, while the old workers still
 * serve the same sockets: the new ones leave them unread until the data are
 * ready, or NGX_STREAM_DNS_HOLD has passed.
 */

#define NGX_STREAM_DNS_HOLD  10000          /* milliseconds */


/* Notes in the master whether this is the first cycle of a new binary. */
void ngx_stream_dns_hold_module(ngx_cycle_t *cycle);

/* Called last when a worker starts: takes its sockets out of the events. */
ngx_int_t ngx_stream_dns_hold(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w);

/* Puts the socket of a listening connection into the events (again). */
ngx_int_t ngx_stream_dns_listen(ngx_connection_t *c);


#endif /* _NGX_STREAM_DNS_HOLD_H_INCLUDED_ */
