
/*
 * Copyright (C) ngx_dns_module contributors
 */


/* the EVP form of SHA-256 allocates */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <openssl/sha.h>

#include "ngx_stream_dns_snapshot_ctx.h"


/*
 * The loop copies zones into the buffers of the relay, a few at a time; a
 * zone that needs more than one slice is held meanwhile.  The thread writes
 * the buffers to a file, which waits for the disk.
 */

#define NGX_STREAM_DNS_SAVE_STEP  (1024 * 1024)     /* octets in a slice */


static ngx_int_t ngx_stream_dns_save_fill(ngx_stream_dns_snapshot_t *snap,
    ngx_stream_dns_relay_buf_t *buf, size_t *copied);
static void ngx_stream_dns_save_drop(ngx_stream_dns_snapshot_t *snap);
static void *ngx_stream_dns_save_thread(void *data);
static void ngx_stream_dns_save_file(ngx_stream_dns_save_t *save);
static ngx_int_t ngx_stream_dns_save_head(ngx_stream_dns_save_t *save);
static ngx_int_t ngx_stream_dns_save_write(ngx_stream_dns_save_t *save,
    u_char *p, size_t n, off_t at);
static ngx_int_t ngx_stream_dns_save_rename(ngx_stream_dns_save_t *save);
static ngx_int_t ngx_stream_dns_save_failed(ngx_stream_dns_save_t *save,
    const char *what);
static void ngx_stream_dns_save_clean(ngx_stream_dns_names_t *names);


ngx_int_t
ngx_stream_dns_save_begin(ngx_stream_dns_snapshot_t *snap)
{
    ngx_stream_dns_save_t  *save;

    save = &snap->save;

    ngx_memzero(save, sizeof(ngx_stream_dns_save_t));

    save->names = &snap->names;
    save->head.signature = snap->source->signature;
    save->head.time = snap->source->shared->contact;

    return ngx_stream_dns_relay_start(&save->relay,
                                      ngx_stream_dns_save_thread, save);
}


ngx_int_t
ngx_stream_dns_save_step(ngx_stream_dns_snapshot_t *snap)
{
    size_t                       copied;
    ngx_int_t                    rc;
    ngx_stream_dns_save_t       *save;
    ngx_stream_dns_relay_buf_t  *buf;

    save = &snap->save;

    if (ngx_stream_dns_relay_is_over(&save->relay)) {
        ngx_stream_dns_save_drop(snap);
        ngx_stream_dns_relay_end(&save->relay);

        return NGX_OK;
    }

    copied = 0;

    while (!save->filled && copied < NGX_STREAM_DNS_SAVE_STEP
           && ngx_stream_dns_slice_left())
    {
        buf = ngx_stream_dns_relay_to_fill(&save->relay, 0);

        if (buf == NULL) {
            break;
        }

        rc = ngx_stream_dns_save_fill(snap, buf, &copied);

        if (rc == NGX_DONE) {
            save->filled = 1;
            ngx_stream_dns_relay_filled(&save->relay, 1);

        } else if (rc == NGX_OK) {
            ngx_stream_dns_relay_filled(&save->relay, 0);
        }
    }

    return NGX_AGAIN;
}


/* NGX_OK: the buffer is full; NGX_AGAIN: the slice is over */

static ngx_int_t
ngx_stream_dns_save_fill(ngx_stream_dns_snapshot_t *snap,
    ngx_stream_dns_relay_buf_t *buf, size_t *copied)
{
    size_t                  n;
    uint64_t                left;
    ngx_uint_t              held;
    ngx_dns_publisher_t    *pub;
    ngx_stream_dns_save_t  *save;

    save = &snap->save;
    pub = snap->source->publisher;
    held = (save->zone != NULL);

    while (*copied < NGX_STREAM_DNS_SAVE_STEP && ngx_stream_dns_slice_left()) {

        if (save->zone == NULL) {

            if (buf->size - buf->used < NGX_DNS_SNAPSHOT_ZONE) {
                return NGX_OK;
            }

            save->zone = ngx_dns_publish_next(pub, &save->cursor);

            if (save->zone == NULL) {
                return NGX_DONE;
            }

            save->offset = 0;
            save->head.zones++;

            ngx_dns_snapshot_put_zone(buf->p + buf->used, save->zone);
            buf->used += NGX_DNS_SNAPSHOT_ZONE;
        }

        left = ngx_dns_snapshot_stored(save->zone) - save->offset;

        n = ngx_min(left, buf->size - buf->used);
        n = ngx_min(n, NGX_STREAM_DNS_COPY);

        ngx_dns_snapshot_put_octets(buf->p + buf->used, save->zone,
                                    save->offset, n);
        buf->used += n;
        save->offset += n;
        *copied += n;

        if (n == left) {

            if (held) {
                ngx_dns_publish_release(pub, save->zone);
                held = 0;
            }

            save->zone = NULL;
            continue;
        }

        if (!held) {
            ngx_dns_publish_hold(pub, save->zone);
            held = 1;
        }

        if (buf->used == buf->size) {
            return NGX_OK;
        }
    }

    return NGX_AGAIN;
}


static void
ngx_stream_dns_save_drop(ngx_stream_dns_snapshot_t *snap)
{
    if (snap->save.zone != NULL) {
        ngx_dns_publish_release(snap->source->publisher, snap->save.zone);
        snap->save.zone = NULL;
    }
}


static void *
ngx_stream_dns_save_thread(void *data)
{
    ngx_stream_dns_save_t  *save;

    save = data;

    ngx_stream_dns_save_clean(save->names);

    save->fd = open((const char *) save->names->tmp,
                    O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (save->fd == NGX_INVALID_FILE) {
        (void) ngx_stream_dns_save_failed(save, "open()");

    } else {
        ngx_stream_dns_save_file(save);

        if (save->fd != NGX_INVALID_FILE) {
            (void) close(save->fd);
        }

        if (save->failed != NULL) {
            (void) unlink((const char *) save->names->tmp);
        }
    }

    ngx_stream_dns_relay_over(&save->relay);

    return NULL;
}


static void
ngx_stream_dns_save_file(ngx_stream_dns_save_t *save)
{
    SHA256_CTX                   sha;
    ngx_stream_dns_relay_buf_t  *buf;

    SHA256_Init(&sha);

    save->size = NGX_DNS_SNAPSHOT_HEAD;

    for ( ;; ) {
        buf = ngx_stream_dns_relay_to_drain(&save->relay, 1);

        if (buf == NULL) {
            break;
        }

        SHA256_Update(&sha, buf->p, buf->used);

        if (ngx_stream_dns_save_write(save, buf->p, buf->used, save->size)
            != NGX_OK)
        {
            return;
        }

        save->size += buf->used;

        ngx_stream_dns_relay_drained(&save->relay);
    }

    SHA256_Final(save->head.digest, &sha);

    if (ngx_stream_dns_save_head(save) == NGX_OK) {
        (void) ngx_stream_dns_save_rename(save);
    }
}


/* the number of zones is known at the end */

static ngx_int_t
ngx_stream_dns_save_head(ngx_stream_dns_save_t *save)
{
    u_char  head[NGX_DNS_SNAPSHOT_HEAD];

    save->head.size = save->size;

    ngx_dns_snapshot_put_head(head, &save->head);

    return ngx_stream_dns_save_write(save, head, NGX_DNS_SNAPSHOT_HEAD, 0);
}


static ngx_int_t
ngx_stream_dns_save_write(ngx_stream_dns_save_t *save, u_char *p, size_t n,
    off_t at)
{
    ssize_t  rc;

    while (n > 0) {
        rc = pwrite(save->fd, p, n, at);

        if (rc == -1) {
            return ngx_stream_dns_save_failed(save, "pwrite()");
        }

        p += rc;
        at += rc;
        n -= rc;
    }

    return NGX_OK;
}


/* from here on there is the new one, or the one before, whatever happens */

static ngx_int_t
ngx_stream_dns_save_rename(ngx_stream_dns_save_t *save)
{
    ngx_fd_t   fd;
    ngx_int_t  rc;

    if (fdatasync(save->fd) == -1) {
        return ngx_stream_dns_save_failed(save, "fdatasync()");
    }

    rc = close(save->fd);
    save->fd = NGX_INVALID_FILE;

    if (rc == -1) {
        return ngx_stream_dns_save_failed(save, "close()");
    }

    if (rename((const char *) save->names->tmp,
               (const char *) save->names->path)
        == -1)
    {
        return ngx_stream_dns_save_failed(save, "rename()");
    }

    fd = open((const char *) save->names->dir,
              O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return ngx_stream_dns_save_failed(save, "open() of its directory");
    }

    rc = NGX_OK;

    if (fsync(fd) == -1) {
        rc = ngx_stream_dns_save_failed(save, "fsync() of its directory");
    }

    (void) close(fd);

    return rc;
}


static ngx_int_t
ngx_stream_dns_save_failed(ngx_stream_dns_save_t *save, const char *what)
{
    save->err = ngx_errno;
    save->failed = what;

    return NGX_ERROR;
}


/* what was begun by processes that were killed */

static void
ngx_stream_dns_save_clean(ngx_stream_dns_names_t *names)
{
    DIR            *dir;
    struct dirent  *de;

    dir = opendir((const char *) names->dir);
    if (dir == NULL) {
        return;
    }

    for ( ;; ) {
        de = readdir(dir);

        if (de == NULL) {
            break;
        }

        if (ngx_strncmp(de->d_name, names->prefix.data, names->prefix.len)
            == 0)
        {
            (void) unlinkat(dirfd(dir), de->d_name, 0);
        }
    }

    (void) closedir(dir);
}
