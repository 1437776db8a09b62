
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <sys/file.h>

#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_memory.h"
#include "ngx_stream_dns_snapshot.h"
#include "ngx_stream_dns_sync.h"


#define NGX_STREAM_DNS_TICK  10             /* milliseconds */
#define NGX_STREAM_DNS_WORK  (256 * 1024)   /* octets, at a time */
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


static ngx_int_t ngx_stream_dns_control_source(ngx_stream_dns_source_t *src);
static u_char *ngx_stream_dns_control_log_error(ngx_log_t *log, u_char *buf,
    size_t len);
static void ngx_stream_dns_control_tick(ngx_event_t *ev);
static void ngx_stream_dns_control_try(ngx_stream_dns_source_t *src);
static ngx_int_t ngx_stream_dns_control_open(ngx_stream_dns_source_t *src);
static void ngx_stream_dns_control_work(ngx_stream_dns_source_t *src);
static void ngx_stream_dns_control_stat(ngx_stream_dns_process_t *p,
    ngx_stream_dns_source_t *src);
static void ngx_stream_dns_control_flock(ngx_stream_dns_process_t *p);
static ngx_uint_t ngx_stream_dns_control_alive(uint64_t pid,
    uint64_t started);
static void ngx_stream_dns_control_pause(ngx_stream_dns_process_t *p,
    uint64_t now, uint64_t since);
static uint64_t ngx_stream_dns_control_clock(void);


ngx_stream_dns_control_t  *ngx_stream_dns_control;


static uint64_t  ngx_stream_dns_slice_start;        /* microseconds */


ngx_int_t
ngx_stream_dns_control_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_uint_t                  i;
    ngx_stream_dns_source_t   **src;
    ngx_stream_dns_process_t   *p;

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

    if (cmcf->control.sources.nelts == 0) {
        return NGX_OK;
    }

    src = cmcf->control.sources.elts;

    for (i = 0; i < cmcf->control.sources.nelts; i++) {
        if (ngx_stream_dns_control_source(src[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    p->timer.handler = ngx_stream_dns_control_tick;
    p->timer.data = p;
    p->timer.log = cycle->log;
    p->timer.cancelable = 1;

    p->expected = ngx_stream_dns_control_clock();

    ngx_add_timer(&p->timer, 0);

    return NGX_OK;
}


/* the source's own log: each message says which one it is */

static ngx_int_t
ngx_stream_dns_control_source(ngx_stream_dns_source_t *src)
{
    src->log = ngx_palloc(ngx_cycle->pool, sizeof(ngx_log_t));
    if (src->log == NULL) {
        return NGX_ERROR;
    }

    *src->log = *ngx_cycle->log;

    src->log->handler = ngx_stream_dns_control_log_error;
    src->log->data = src;
    src->log->action = NULL;

    src->hash_key = ngx_dns_key(src->log);
    if (src->hash_key == NULL) {
        return NGX_ERROR;
    }

    src->publisher = NULL;
    src->state = NGX_STREAM_DNS_SOURCE_WAITS;

    if (ngx_stream_dns_control_files_init((ngx_cycle_t *) ngx_cycle, src)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_stream_dns_sync_start(src);
}


static u_char *
ngx_stream_dns_control_log_error(ngx_log_t *log, u_char *buf, size_t len)
{
    u_char                   *p;
    ngx_stream_dns_source_t  *src;

    p = buf;
    src = log->data;

    if (log->action != NULL) {
        p = ngx_snprintf(buf, len, " while %s", log->action);
        len -= p - buf;
        buf = p;
    }

    return ngx_snprintf(buf, len, ", dns_redis: %V, zone: \"%V\"",
                        &src->address, &src->name);
}


static void
ngx_stream_dns_control_tick(ngx_event_t *ev)
{
    uint64_t                    now;
    ngx_uint_t                  i, n;
    ngx_stream_dns_source_t   **src;
    ngx_stream_dns_process_t   *p;

    if (ngx_terminate || ngx_quit) {
        return;
    }

    p = ev->data;

    now = ngx_stream_dns_control_clock();

    ngx_stream_dns_control_pause(p, now, p->expected);

    if (!ngx_stream_dns_control->snapshots) {
        ngx_stream_dns_control_flock(p);
    }

    src = ngx_stream_dns_control->sources.elts;
    n = ngx_stream_dns_control->sources.nelts;

    for (i = 0; i < n; i++) {

        ngx_stream_dns_slice_begin();

        if (src[i]->publisher == NULL) {
            ngx_stream_dns_control_try(src[i]);

            if (src[i]->publisher != NULL) {
                ngx_stream_dns_control_stat(p, src[i]);
            }

            continue;
        }

        if (src[i]->state == NGX_STREAM_DNS_SOURCE_WRITES) {
            ngx_stream_dns_sync_tick(src[i]);
            ngx_stream_dns_snapshot_tick(src[i]);
            ngx_stream_dns_control_files_look(src[i]);
        }

        ngx_stream_dns_control_work(src[i]);

        ngx_stream_dns_control_stat(p, src[i]);
    }

    ngx_stream_dns_control_pause(p, ngx_stream_dns_control_clock(), now);

    p->expected = ngx_stream_dns_control_clock() + NGX_STREAM_DNS_TICK * 1000;

    ngx_add_timer(ev, NGX_STREAM_DNS_TICK);
}


/* Becomes the writer of the region if there is no other. */

static void
ngx_stream_dns_control_try(ngx_stream_dns_source_t *src)
{
    if (src->state == NGX_STREAM_DNS_SOURCE_WAITS) {

        if (ngx_stream_dns_control_lock_try(src->shared, src->log) != NGX_OK) {
            return;
        }

        src->state = NGX_STREAM_DNS_SOURCE_OPENS;
    }

    if (src->state == NGX_STREAM_DNS_SOURCE_FAILED
        && src->opening == NULL
        && (ngx_msec_int_t) (src->open_next - ngx_current_msec) > 0)
    {
        return;
    }

    if (ngx_stream_dns_control_open(src) == NGX_AGAIN) {
        return;
    }

    if (src->publisher == NULL) {
        src->open_next = ngx_current_msec + NGX_STREAM_DNS_AGAIN;

        if (src->state != NGX_STREAM_DNS_SOURCE_FAILED) {
            src->state = NGX_STREAM_DNS_SOURCE_FAILED;

            ngx_log_error(NGX_LOG_CRIT, src->log, 0,
                          "shared memory cannot be written: no memory, or it "
                          "is damaged; what it holds is served as it is");
        }

        return;
    }

    ngx_log_error(NGX_LOG_NOTICE, src->log, 0, "writing published zones");

    src->shared->stale = src->stale;

    src->state = NGX_STREAM_DNS_SOURCE_WRITES;

    if (ngx_stream_dns_sync_write(src) != NGX_OK) {
        src->state = NGX_STREAM_DNS_SOURCE_FAILED;

        ngx_log_error(NGX_LOG_ALERT, src->log, 0,
                      "no memory to keep zones in step");
    }
}


/* NGX_AGAIN: there is more to look at, else src->publisher is set or NULL */

static ngx_int_t
ngx_stream_dns_control_open(ngx_stream_dns_source_t *src)
{
    ngx_int_t  rc;

    if (src->opening == NULL) {
        src->opening = ngx_dns_publisher_begin(src->shared,
                                               &ngx_stream_dns_memory,
                                               src->hash_key,
                                               ngx_stream_dns_control_alive);
        if (src->opening == NULL) {
            return NGX_ERROR;
        }
    }

    do {
        rc = ngx_dns_publisher_continue(src->opening);
    } while (rc == NGX_AGAIN && ngx_stream_dns_slice_left());

    if (rc == NGX_OK) {
        src->publisher = src->opening;

    } else if (rc != NGX_AGAIN) {
        ngx_dns_publisher_close(src->opening);
    }

    if (rc != NGX_AGAIN) {
        src->opening = NULL;
    }

    return rc;
}


/* frees what nobody sees any more and moves what is in the way */

static void
ngx_stream_dns_control_work(ngx_stream_dns_source_t *src)
{
    ngx_int_t               rc;
    ngx_dns_publish_stat_t  before, after;

    ngx_dns_publish_stat(src->publisher, &before);

    while (ngx_stream_dns_slice_left()) {

        rc = ngx_dns_publish_work(src->publisher, NGX_STREAM_DNS_WORK);

        if (rc != NGX_AGAIN) {
            return;
        }

        ngx_dns_publish_stat(src->publisher, &after);

        /* nothing moved: readers have to leave first */

        if (after.moved == before.moved) {
            return;
        }

        before = after;
    }
}


static void
ngx_stream_dns_control_stat(ngx_stream_dns_process_t *p,
    ngx_stream_dns_source_t *src)
{
    ngx_dns_publish_stat_t  st;

    ngx_dns_publish_stat(src->publisher, &st);

    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_ZONES) = st.zones;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_RECORDS) = st.records;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_USED) = st.used;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_FREE) = st.free;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_LARGEST) = st.largest;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_PAUSE_MAX) =
                                                         p->pause_max / 1000;
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


/* whatever cannot be found out counts as life */

static ngx_uint_t
ngx_stream_dns_control_alive(uint64_t pid, uint64_t started)
{
    uint64_t  found;

    if (kill((ngx_pid_t) pid, 0) == -1 && ngx_errno == ESRCH) {
        return 0;
    }

    found = ngx_stream_dns_process_started((ngx_pid_t) pid);

    return (started == 0 || found == 0 || found == started);
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
