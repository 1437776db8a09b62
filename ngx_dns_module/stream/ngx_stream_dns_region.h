
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_REGION_H_INCLUDED_
#define _NGX_STREAM_DNS_REGION_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/*
 * Regions of published zones as a worker sees them.  What fills them is
 * control/; here they are looked into.
 */

typedef struct ngx_stream_dns_region_s  ngx_stream_dns_region_t;

struct ngx_stream_dns_region_s {
    ngx_str_t                   name;
    ngx_dns_shared_t           *shared;     /* set when memory is there */
    ngx_uint_t                  stale_ede;  /* 1: tell of stale answers */
    ngx_dns_view_t              view;       /* of this process */
};


/*
 * Gives this process a view of every region that a "dns on" server has, and
 * the servers their views.  Called when the process starts.
 */
ngx_int_t ngx_stream_dns_regions_init(ngx_cycle_t *cycle,
    ngx_stream_dns_worker_t *w);

/* 1 if the data of all regions are complete, or there are no regions. */
ngx_uint_t ngx_stream_dns_regions_ready(ngx_stream_dns_worker_t *w);

/*
 * When a process was started, in clock ticks after boot (proc(5)), or 0: it
 * is not known.
 */
uint64_t ngx_stream_dns_process_started(ngx_pid_t pid);


/*
 * Around everything that looks for zones, of one message or of a batch: no
 * pointer into a zone may be kept over leave.  Answers in between are of this
 * second.
 */

static ngx_inline void
ngx_stream_dns_regions_enter(ngx_stream_dns_worker_t *w)
{
    ngx_uint_t  i;

    for (i = 0; i < w->nviews; i++) {
        ngx_dns_view_enter(w->views[i], ngx_time());
    }

    ngx_dns_answer_time(w->answer, ngx_time());
}


static ngx_inline void
ngx_stream_dns_regions_leave(ngx_stream_dns_worker_t *w)
{
    ngx_uint_t  i;

    for (i = 0; i < w->nviews; i++) {
        ngx_dns_view_leave(w->views[i]);
    }
}


#endif /* _NGX_STREAM_DNS_REGION_H_INCLUDED_ */
