
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <sys/mman.h>

#include "ngx_dns_module.h"
#include "ngx_stream_dns_snapshot_ctx.h"


/*
 * The thread reads the file twice: first it compares the digest, so that
 * nothing of a damaged file is used, then it checks zone after zone and puts
 * them into the buffers of the relay.  The loop publishes what it finds
 * there, in slices.
 */

#define NGX_STREAM_DNS_LOAD_LOOK   1    /* milliseconds */
#define NGX_STREAM_DNS_LOAD_TRIES  16   /* of one zone, in a slice */


static ngx_fd_t ngx_stream_dns_load_open(ngx_stream_dns_snapshot_t *snap,
    uint64_t *size);
static void ngx_stream_dns_load_refused(ngx_stream_dns_snapshot_t *snap,
    ngx_err_t err, const char *what);
static void ngx_stream_dns_load_handler(ngx_event_t *ev);
static ngx_int_t ngx_stream_dns_load_buf(ngx_stream_dns_snapshot_t *snap,
    ngx_stream_dns_relay_buf_t *buf);
static ngx_int_t ngx_stream_dns_load_publish(ngx_stream_dns_snapshot_t *snap,
    ngx_dns_zone_t *zone, uint64_t *needed);
static ngx_int_t ngx_stream_dns_load_large(ngx_stream_dns_snapshot_t *snap,
    ngx_dns_zone_t *zone, uint64_t *needed);
static void ngx_stream_dns_load_end(ngx_stream_dns_snapshot_t *snap);
static void *ngx_stream_dns_load_thread(void *data);
static ngx_int_t ngx_stream_dns_load_zones(ngx_stream_dns_load_t *load);
static ngx_int_t ngx_stream_dns_load_read(void *data, u_char *buf, size_t n,
    uint64_t at);
static ngx_int_t ngx_stream_dns_load_pread(ngx_stream_dns_load_t *load,
    u_char *buf, size_t n, uint64_t at);


ngx_int_t
ngx_stream_dns_snapshot_load(ngx_stream_dns_source_t *src,
    void (*done)(ngx_stream_dns_source_t *src))
{
    uint64_t                    size;
    ngx_stream_dns_load_t      *load;
    ngx_stream_dns_snapshot_t  *snap;

    snap = ngx_stream_dns_snapshot_get(src);
    if (snap == NULL) {
        return NGX_ERROR;
    }

    /* whoever asks: what is in the file was looked at */

    if (snap->loaded) {
        done(src);
        return NGX_OK;
    }

    snap->loaded = 1;
    snap->dirty = 0;
    load = &snap->load;

    ngx_memzero(load, sizeof(ngx_stream_dns_load_t));

    load->key = ngx_dns_key(src->log);
    if (load->key == NULL) {
        return NGX_ERROR;
    }

    load->fd = ngx_stream_dns_load_open(snap, &size);

    if (load->fd == NGX_INVALID_FILE) {
        done(src);
        return NGX_OK;
    }

    load->done = done;
    load->start = ngx_current_msec;
    load->signature = src->signature;
    load->reader.read = ngx_stream_dns_load_read;
    load->reader.data = load;
    load->reader.size = size;

    if (ngx_stream_dns_relay_start(&load->relay, ngx_stream_dns_load_thread,
                                   load)
        != NGX_OK)
    {
        ngx_stream_dns_load_refused(snap, ngx_errno,
                                    "pthread_create() failed");
        (void) close(load->fd);
        done(src);

        return NGX_OK;
    }

    load->timer.handler = ngx_stream_dns_load_handler;
    load->timer.data = snap;
    load->timer.log = src->log;
    load->timer.cancelable = 1;

    ngx_add_timer(&load->timer, NGX_STREAM_DNS_LOAD_LOOK);

    return NGX_OK;
}


/* a file of another kind must not be waited for, nor a link be followed */

static ngx_fd_t
ngx_stream_dns_load_open(ngx_stream_dns_snapshot_t *snap, uint64_t *size)
{
    ngx_fd_t         fd;
    ngx_file_info_t  fi;

    fd = open((const char *) snap->names.path,
              O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {

        if (ngx_errno != NGX_ENOENT) {
            ngx_stream_dns_load_refused(snap, ngx_errno, "open() failed");
        }

        return NGX_INVALID_FILE;
    }

    if (ngx_fd_info(fd, &fi) == NGX_FILE_ERROR) {
        ngx_stream_dns_load_refused(snap, ngx_errno, "fstat() failed");
        (void) close(fd);

        return NGX_INVALID_FILE;
    }

    if (!ngx_is_file(&fi)) {
        ngx_stream_dns_load_refused(snap, 0, "it is no regular file");
        (void) close(fd);

        return NGX_INVALID_FILE;
    }

    *size = ngx_file_size(&fi);

    return fd;
}


static void
ngx_stream_dns_load_refused(ngx_stream_dns_snapshot_t *snap, ngx_err_t err,
    const char *what)
{
    ngx_log_error(NGX_LOG_ERR, snap->source->log, err,
                  "snapshot \"%s\" is not used: %s", snap->names.path, what);
}


static void
ngx_stream_dns_load_handler(ngx_event_t *ev)
{
    ngx_uint_t                   over;
    ngx_stream_dns_load_t       *load;
    ngx_stream_dns_relay_buf_t  *buf;
    ngx_stream_dns_snapshot_t   *snap;

    snap = ev->data;
    load = &snap->load;

    ngx_stream_dns_slice_begin();

    while (ngx_stream_dns_slice_left()) {

        /* what the thread left behind is in the buffers by then */

        over = ngx_stream_dns_relay_is_over(&load->relay);

        buf = ngx_stream_dns_relay_to_drain(&load->relay, 0);

        if (buf == NULL) {

            if (over) {
                ngx_stream_dns_load_end(snap);
                return;
            }

            break;
        }

        if (ngx_stream_dns_load_buf(snap, buf) != NGX_OK) {
            break;
        }
    }

    ngx_add_timer(ev, NGX_STREAM_DNS_LOAD_LOOK);
}


/* NGX_OK: all zones of the buffer are published */

static ngx_int_t
ngx_stream_dns_load_buf(ngx_stream_dns_snapshot_t *snap,
    ngx_stream_dns_relay_buf_t *buf)
{
    uint64_t                needed;
    ngx_int_t               rc;
    ngx_uint_t              tries;
    ngx_dns_zone_t         *zone;
    ngx_stream_dns_load_t  *load;

    load = &snap->load;
    tries = 0;

    if (!load->checked) {

        /* the thread has compared the digest; how old the zones are */

        load->checked = 1;
        snap->source->shared->contact = ngx_min(load->reader.head.time,
                                                ngx_time());
    }

    while (load->pos < buf->used) {

        if (!ngx_stream_dns_slice_left()) {
            return NGX_AGAIN;
        }

        zone = (ngx_dns_zone_t *) (buf->p + load->pos);
        needed = 0;

        rc = ngx_stream_dns_load_publish(snap, zone, &needed);

        switch (rc) {

        case NGX_OK:
            load->zones++;
            break;

        case NGX_AGAIN:

            /* holes come with work, if not, with time */

            (void) ngx_dns_publish_work(snap->source->publisher,
                                        NGX_STREAM_DNS_COPY);

            if (++tries < NGX_STREAM_DNS_LOAD_TRIES) {
                continue;
            }

            return NGX_AGAIN;

        case NGX_DECLINED:
            load->missing += load->full ? zone->size : needed;
            load->full++;
            break;

        default:
            load->failed = 1;
            break;
        }

        load->pos += zone->size;
        tries = 0;
    }

    load->pos = 0;
    ngx_stream_dns_relay_drained(&load->relay);

    return NGX_OK;
}


/* what an earlier process has published is newer, or the same */

static ngx_int_t
ngx_stream_dns_load_publish(ngx_stream_dns_snapshot_t *snap,
    ngx_dns_zone_t *zone, uint64_t *needed)
{
    if (snap->load.place == 0
        && ngx_dns_publish_get(snap->source->publisher, zone->name) != NULL)
    {
        return NGX_OK;
    }

    if (zone->size > NGX_STREAM_DNS_COPY) {
        return ngx_stream_dns_load_large(snap, zone, needed);
    }

    return ngx_dns_publish_zone(snap->source->publisher, zone, needed);
}


/* NGX_AGAIN: goes on with what it has copied so far */

static ngx_int_t
ngx_stream_dns_load_large(ngx_stream_dns_snapshot_t *snap,
    ngx_dns_zone_t *zone, uint64_t *needed)
{
    size_t                    n;
    u_char                   *block;
    ngx_int_t                 rc;
    ngx_stream_dns_load_t    *load;
    ngx_stream_dns_source_t  *src;

    load = &snap->load;
    src = snap->source;

    if (load->place == 0) {

        rc = ngx_dns_publish_alloc(src->publisher, zone->size, &load->place,
                                   needed);
        if (rc != NGX_OK) {
            load->place = 0;
            return rc;
        }

        load->copied = 0;
    }

    block = ngx_dns_shared_at(src->shared, load->place);

    while (load->copied < zone->size) {

        if (!ngx_stream_dns_slice_left()) {
            return NGX_AGAIN;
        }

        n = ngx_min(zone->size - load->copied, NGX_STREAM_DNS_COPY);

        ngx_memcpy(block + load->copied, (u_char *) zone + load->copied, n);
        load->copied += n;
    }

    rc = ngx_dns_publish_commit(src->publisher, load->place);

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    if (rc != NGX_OK) {
        ngx_dns_publish_cancel(src->publisher, load->place);
    }

    load->place = 0;

    return rc;
}


static void
ngx_stream_dns_load_end(ngx_stream_dns_snapshot_t *snap)
{
    ngx_stream_dns_load_t    *load;
    ngx_stream_dns_source_t  *src;

    load = &snap->load;
    src = snap->source;

    (void) close(load->fd);

    ngx_stream_dns_relay_end(&load->relay);

    if (!load->sound) {
        ngx_log_error(NGX_LOG_ERR, src->log, 0,
                      "snapshot \"%s\" is not used: it %*s",
                      snap->names.path, load->reader.err_len,
                      load->reader.err);
    }

    if (load->full) {
        ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_FULL) += load->full;

        ngx_log_error(NGX_LOG_ERR, src->log, 0,
                      "shared memory is full: %uL of %uL zones of snapshot "
                      "\"%s\" found no room, %uL octets are missing",
                      load->full, load->reader.head.zones, snap->names.path,
                      load->missing);
    }

    if (load->failed) {
        ngx_log_error(NGX_LOG_ERR, src->log, 0,
                      "snapshot \"%s\" is not used as a whole: no memory",
                      snap->names.path);
    }

    if (load->sound && !load->full && !load->failed) {
        src->shared->contact = ngx_min(load->reader.head.time, ngx_time());
        src->shared->ready = 1;
    }

    if (load->zones || load->sound) {
        ngx_log_error(NGX_LOG_NOTICE, src->log, 0,
                      "%uL zones of a snapshot %L seconds old loaded in "
                      "%M ms%s",
                      load->zones,
                      ngx_time() - (int64_t) load->reader.head.time,
                      ngx_current_msec - load->start,
                      src->shared->ready ? "" : ", others are not ready");
    }

    load->done(src);
}


static void *
ngx_stream_dns_load_thread(void *data)
{
    ngx_stream_dns_load_t  *load;

    load = data;

    load->window = mmap(NULL, NGX_STREAM_DNS_RELAY_SIZE,
                        PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS,
                        -1, 0);

    if (load->window == MAP_FAILED) {
        load->reader.err_len = ngx_sprintf(load->reader.err,
                                           "needs more memory")
                               - load->reader.err;

    } else {

        if (ngx_dns_snapshot_read_head(&load->reader, load->signature)
            == NGX_OK
            && ngx_dns_snapshot_read_digest(&load->reader, load->window,
                                            NGX_STREAM_DNS_RELAY_SIZE)
               == NGX_OK
            && ngx_stream_dns_load_zones(load) == NGX_OK)
        {
            load->sound = 1;
        }

        (void) munmap(load->window, NGX_STREAM_DNS_RELAY_SIZE);
    }

    ngx_stream_dns_relay_over(&load->relay);

    return NULL;
}


/* a zone larger than a buffer gets one that is made for it */

static ngx_int_t
ngx_stream_dns_load_zones(ngx_stream_dns_load_t *load)
{
    uint64_t                     size;
    ngx_int_t                    rc;
    ngx_stream_dns_relay_buf_t  *buf;

    load->window_len = 0;
    buf = NULL;

    for ( ;; ) {
        rc = ngx_dns_snapshot_read_size(&load->reader, &size);

        if (rc == NGX_OK) {

            if (buf != NULL && buf->size - buf->used < size) {
                ngx_stream_dns_relay_filled(&load->relay, 0);
                buf = NULL;
            }

            if (buf == NULL) {
                buf = ngx_stream_dns_relay_to_fill(&load->relay, 1);

                if (ngx_stream_dns_relay_resize(buf,
                                  ngx_max(size, NGX_STREAM_DNS_RELAY_SIZE))
                    != NGX_OK)
                {
                    load->reader.err_len = ngx_sprintf(load->reader.err,
                                                       "needs more memory")
                                           - load->reader.err;
                    return NGX_ERROR;
                }
            }

            rc = ngx_dns_snapshot_read_zone(&load->reader,
                                            buf->p + buf->used, load->key);

            if (rc == NGX_OK) {
                buf->used += size;
                continue;
            }
        }

        if (buf != NULL && buf->used != 0) {
            ngx_stream_dns_relay_filled(&load->relay, 1);
        }

        return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
    }
}


/* small pieces come from a window that moves with the reading */

static ngx_int_t
ngx_stream_dns_load_read(void *data, u_char *buf, size_t n, uint64_t at)
{
    size_t                  len;
    ngx_stream_dns_load_t  *load;

    load = data;

    if (buf == load->window || n > NGX_STREAM_DNS_RELAY_SIZE / 4) {
        return ngx_stream_dns_load_pread(load, buf, n, at);
    }

    if (at < load->window_at || at + n > load->window_at + load->window_len) {

        len = ngx_min(NGX_STREAM_DNS_RELAY_SIZE, load->reader.size - at);

        if (n > len
            || ngx_stream_dns_load_pread(load, load->window, len, at)
               != NGX_OK)
        {
            load->window_len = 0;
            return NGX_ERROR;
        }

        load->window_at = at;
        load->window_len = len;
    }

    ngx_memcpy(buf, load->window + (at - load->window_at), n);

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_load_pread(ngx_stream_dns_load_t *load, u_char *buf, size_t n,
    uint64_t at)
{
    ssize_t  rc;

    while (n > 0) {
        rc = pread(load->fd, buf, n, at);

        if (rc <= 0) {
            return NGX_ERROR;
        }

        buf += rc;
        at += rc;
        n -= rc;
    }

    return NGX_OK;
}
