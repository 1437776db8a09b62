
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_SYNC_H_INCLUDED_
#define _NGX_STREAM_DNS_SYNC_H_INCLUDED_


#include "ngx_stream_dns_control.h"


/*
 * Keeps one source in step.  Its life in a process:
 *
 *     start   connects and listens for changes, which are remembered; asks
 *             the present writer (shared->handover) to say when everything
 *             that was heard before is in its log
 *     write   this process is the writer now, src->publisher is open:
 *             compares everything, or goes on from the log if the handover
 *             was answered and the signature is the same
 *     tick    every 10 ms in the writer: answers handovers, frees blocks
 *
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_stream_dns_sync_start(ngx_stream_dns_source_t *src);
ngx_int_t ngx_stream_dns_sync_write(ngx_stream_dns_source_t *src);
void ngx_stream_dns_sync_tick(ngx_stream_dns_source_t *src);


#endif /* _NGX_STREAM_DNS_SYNC_H_INCLUDED_ */
