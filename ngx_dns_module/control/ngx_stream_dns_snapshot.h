
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_SNAPSHOT_H_INCLUDED_
#define _NGX_STREAM_DNS_SNAPSHOT_H_INCLUDED_


#include "ngx_stream_dns_control.h"


/*
 * The published zones of a source in a file of the state directory,
 * "NAME.snapshot": written whole under another name, synced, renamed.
 *
 * load    the writer calls it before the first contact, if the region has no
 *         zones; goes on in slices; done(src) is called at the end, however
 *         it ended (at once if there is no file).  The region is ready then
 *         only if it holds all zones of the file.
 * change  something was published: a snapshot is due, src->snapshot after
 *         the last one at the earliest, when the region is ready
 * tick    every 10 ms in the writer
 *
 * NGX_ERROR: no memory; done() will not be called.
 */
ngx_int_t ngx_stream_dns_snapshot_load(ngx_stream_dns_source_t *src,
    void (*done)(ngx_stream_dns_source_t *src));
void ngx_stream_dns_snapshot_change(ngx_stream_dns_source_t *src);
void ngx_stream_dns_snapshot_tick(ngx_stream_dns_source_t *src);


#endif /* _NGX_STREAM_DNS_SNAPSHOT_H_INCLUDED_ */
