
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <sys/file.h>

#include "ngx_stream_dns_aname.h"
#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_geoip.h"
#include "ngx_stream_dns_health_redis.h"
#include "ngx_stream_dns_walk.h"


#define NGX_STREAM_DNS_TICK  10             /* milliseconds */
#define NGX_STREAM_DNS_AGAIN 1000           /* ms before another try */


/* the control process as an event: a timer that never ends */

typedef struct {
    void                                *data;
    void                                *unused[2];
    ngx_int_t                            ident;     /* after 3 pointers */

    ngx_event_t                          timer;
    ngx_stream_dns_control_main_conf_t  *conf;
    ngx_fd_t                             lock;
    ngx_uint_t                           lock_told; /* 1: it cannot be had */
    ngx_msec_t                           lock_next; /* not before, if so */
    uint64_t                             expected;  /* microseconds */
    uint64_t                             pause_max; /* microseconds */
} ngx_stream_dns_process_t;


static void ngx_stream_dns_control_tick(ngx_event_t *ev);
static void ngx_stream_dns_control_sources(ngx_stream_dns_process_t *p);
static void ngx_stream_dns_control_flock(ngx_stream_dns_process_t *p);
static void ngx_stream_dns_control_pause(ngx_stream_dns_process_t *p,
    uint64_t now, uint64_t since);
static uint64_t ngx_stream_dns_control_clock(void);


ngx_stream_dns_control_t  *ngx_stream_dns_control;


static uint64_t  ngx_stream_dns_slice_start;        /* microseconds */


ngx_int_t
ngx_stream_dns_control_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_stream_dns_process_t  *p;

#if (NGX_DNS_REDIS)
    ngx_uint_t                 i;
    ngx_stream_dns_source_t  **src;
#endif

    p = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_process_t));
    if (p == NULL) {
        return NGX_ERROR;
    }

    p->ident = -1;
    p->conf = cmcf;
    p->lock = NGX_INVALID_FILE;

    ngx_stream_dns_control = &cmcf->control;

    ngx_log_error(NGX_LOG_NOTICE, cycle->log, 0,
                  "dns control process, %ui sources",
                  cmcf->control.sources.nelts);

    if (ngx_stream_dns_walk_start(cycle) != NGX_OK
        || ngx_stream_dns_geoip_start(cycle, cmcf) != NGX_OK
        || ngx_stream_dns_aname_start(cycle, cmcf) != NGX_OK
        || ngx_stream_dns_health_start(cycle, &cmcf->health) != NGX_OK)
    {
        return NGX_ERROR;
    }

#if (NGX_DNS_REDIS)

    src = cmcf->control.sources.elts;

    for (i = 0; i < cmcf->control.sources.nelts; i++) {
        if (ngx_stream_dns_control_source_start(src[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (ngx_stream_dns_health_redis_start(cycle) != NGX_OK) {
        return NGX_ERROR;
    }

#endif

    p->timer.handler = ngx_stream_dns_control_tick;
    p->timer.data = p;
    p->timer.log = cycle->log;
    p->timer.cancelable = 1;

    p->expected = ngx_stream_dns_control_clock();

    ngx_add_timer(&p->timer, 0);

    return NGX_OK;
}


static void
ngx_stream_dns_control_tick(ngx_event_t *ev)
{
    uint64_t                   now;
    ngx_stream_dns_process_t  *p;

    if (ngx_terminate || ngx_quit) {
        return;
    }

    p = ev->data;

    now = ngx_stream_dns_control_clock();

    ngx_stream_dns_control_pause(p, now, p->expected);

    if (!ngx_stream_dns_control->snapshots) {
        ngx_stream_dns_control_flock(p);
    }

    ngx_stream_dns_control_sources(p);

    ngx_stream_dns_slice_begin();
    ngx_stream_dns_walk_tick();

    ngx_stream_dns_slice_begin();
    ngx_stream_dns_aname_tick();

    ngx_stream_dns_slice_begin();
    ngx_stream_dns_health_tick();

#if (NGX_DNS_REDIS)
    ngx_stream_dns_slice_begin();
    ngx_stream_dns_health_redis_tick();
#endif

    ngx_stream_dns_control_pause(p, ngx_stream_dns_control_clock(), now);

    p->expected = ngx_stream_dns_control_clock() + NGX_STREAM_DNS_TICK * 1000;

    ngx_add_timer(ev, NGX_STREAM_DNS_TICK);
}


static void
ngx_stream_dns_control_sources(ngx_stream_dns_process_t *p)
{
#if (NGX_DNS_REDIS)

    ngx_uint_t                 i, n;
    ngx_stream_dns_source_t  **src;

    src = ngx_stream_dns_control->sources.elts;
    n = ngx_stream_dns_control->sources.nelts;

    for (i = 0; i < n; i++) {

        ngx_stream_dns_control_source_tick(src[i]);

        if (src[i]->publisher != NULL) {
            ngx_stream_dns_stat(src[i], NGX_STREAM_DNS_STAT_PAUSE_MAX) =
                                                         p->pause_max / 1000;
        }
    }

#endif
}


/*
 * The lock of the state directory, by which one process at a time writes
 * snapshots.  It ends with the process.
 */

static void
ngx_stream_dns_control_flock(ngx_stream_dns_process_t *p)
{
    u_char     *path;
    ngx_err_t   err;
    ngx_str_t  *dir;

    dir = &ngx_stream_dns_control->path;

    if (p->lock == NGX_INVALID_FILE) {

        if (p->lock_told
            && (ngx_msec_int_t) (p->lock_next - ngx_current_msec) > 0)
        {
            return;
        }

        path = ngx_alloc(dir->len + sizeof("/lock"), ngx_cycle->log);
        if (path == NULL) {
            return;
        }

        ngx_sprintf(path, "%V/lock%Z", dir);

        p->lock = open((const char *) path, O_RDWR|O_CREAT|O_CLOEXEC, 0600);
        err = ngx_errno;

        if (p->lock == NGX_INVALID_FILE && !p->lock_told) {
            ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, err,
                          "open() \"%s\" failed, no snapshots are written",
                          path);
        }

        ngx_free(path);

        if (p->lock == NGX_INVALID_FILE) {
            p->lock_told = 1;
            p->lock_next = ngx_current_msec + NGX_STREAM_DNS_AGAIN;
            return;
        }
    }

    if (flock(p->lock, LOCK_EX|LOCK_NB) == 0) {
        ngx_stream_dns_control->snapshots = 1;

        if (p->lock_told) {
            ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0,
                          "\"%V/lock\" is locked, snapshots are written",
                          dir);
            p->lock_told = 0;
        }

        return;
    }

    err = ngx_errno;

    if (err != NGX_EAGAIN && err != NGX_EINTR && !p->lock_told) {
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, err,
                      "flock() \"%V/lock\" failed, no snapshots are written",
                      dir);
        p->lock_told = 1;
    }
}


static void
ngx_stream_dns_control_pause(ngx_stream_dns_process_t *p, uint64_t now,
    uint64_t since)
{
    if (now > since && now - since > p->pause_max) {
        p->pause_max = now - since;
    }
}


void
ngx_stream_dns_slice_begin(void)
{
    ngx_stream_dns_slice_start = ngx_stream_dns_control_clock();
}


ngx_uint_t
ngx_stream_dns_slice_left(void)
{
    return (ngx_stream_dns_control_clock() - ngx_stream_dns_slice_start
            < NGX_STREAM_DNS_SLICE * 1000);
}


/* microseconds */

static uint64_t
ngx_stream_dns_control_clock(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
