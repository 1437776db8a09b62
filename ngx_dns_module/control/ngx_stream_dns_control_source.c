
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_memory.h"
#include "ngx_stream_dns_snapshot.h"
#include "ngx_stream_dns_sync.h"
#include "ngx_stream_dns_walk.h"


#define NGX_STREAM_DNS_WORK  (256 * 1024)   /* octets, at a time */
#define NGX_STREAM_DNS_AGAIN 1000           /* ms before another try */


static u_char *ngx_stream_dns_source_log_error(ngx_log_t *log, u_char *buf,
    size_t len);
static void ngx_stream_dns_source_try(ngx_stream_dns_source_t *src);
static ngx_int_t ngx_stream_dns_source_open(ngx_stream_dns_source_t *src);
static void ngx_stream_dns_source_work(ngx_stream_dns_source_t *src);
static void ngx_stream_dns_source_stat(ngx_stream_dns_source_t *src);
static ngx_uint_t ngx_stream_dns_source_alive(uint64_t pid,
    uint64_t started);


/* the source's own log: each message says which one it is */

ngx_int_t
ngx_stream_dns_control_source_start(ngx_stream_dns_source_t *src)
{
    src->log = ngx_palloc(ngx_cycle->pool, sizeof(ngx_log_t));
    if (src->log == NULL) {
        return NGX_ERROR;
    }

    *src->log = *ngx_cycle->log;

    src->log->handler = ngx_stream_dns_source_log_error;
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
ngx_stream_dns_source_log_error(ngx_log_t *log, u_char *buf, size_t len)
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


void
ngx_stream_dns_control_source_tick(ngx_stream_dns_source_t *src)
{
    ngx_stream_dns_slice_begin();

    if (src->publisher == NULL) {
        ngx_stream_dns_source_try(src);

        if (src->publisher != NULL) {
            ngx_stream_dns_source_stat(src);
        }

        return;
    }

    if (src->state == NGX_STREAM_DNS_SOURCE_WRITES) {
        ngx_stream_dns_sync_tick(src);
        ngx_stream_dns_snapshot_tick(src);
        ngx_stream_dns_control_files_look(src);
    }

    ngx_stream_dns_source_work(src);

    ngx_stream_dns_source_stat(src);
}


/* Becomes the writer of the region if there is no other. */

static void
ngx_stream_dns_source_try(ngx_stream_dns_source_t *src)
{
    if (src->state == NGX_STREAM_DNS_SOURCE_WAITS) {

        if (ngx_stream_dns_control_lock_try(src->shared->lock, src->log)
            != NGX_OK)
        {
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

    if (ngx_stream_dns_source_open(src) == NGX_AGAIN) {
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

    if (ngx_stream_dns_walk_source(src) != NGX_OK
        || ngx_stream_dns_sync_write(src) != NGX_OK)
    {
        src->state = NGX_STREAM_DNS_SOURCE_FAILED;

        ngx_log_error(NGX_LOG_ALERT, src->log, 0,
                      "no memory to keep zones in step");
    }
}


/* NGX_AGAIN: there is more to look at, else src->publisher is set or NULL */

static ngx_int_t
ngx_stream_dns_source_open(ngx_stream_dns_source_t *src)
{
    ngx_int_t  rc;

    if (src->opening == NULL) {
        src->opening = ngx_dns_publisher_begin(src->shared,
                                               &ngx_stream_dns_memory,
                                               src->hash_key,
                                               ngx_stream_dns_source_alive);
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
ngx_stream_dns_source_work(ngx_stream_dns_source_t *src)
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
ngx_stream_dns_source_stat(ngx_stream_dns_source_t *src)
{
    ngx_dns_publish_stat_t  st;

    ngx_dns_publish_stat(src->publisher, &st);

    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_ZONES) = st.zones;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_RECORDS) = st.records;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_USED) = st.used;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_FREE) = st.free;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_LARGEST) = st.largest;
}


/* whatever cannot be found out counts as life */

static ngx_uint_t
ngx_stream_dns_source_alive(uint64_t pid, uint64_t started)
{
    uint64_t  found;

    if (kill((ngx_pid_t) pid, 0) == -1 && ngx_errno == ESRCH) {
        return 0;
    }

    found = ngx_stream_dns_process_started((ngx_pid_t) pid);

    return (started == 0 || found == 0 || found == started);
}
