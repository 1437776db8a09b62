
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_files.h"


#define NGX_STREAM_DNS_PROGRESS   2500      /* milliseconds */

/*
 * A change right after a file was read can leave its times as they are, if
 * the clock of the file system is coarse; so times younger than this, in
 * seconds, prove nothing.
 */

#define NGX_STREAM_DNS_SETTLED    2


typedef struct {
    ngx_fd_t            fd;
    ngx_uint_t          file;           /* index in files */
} ngx_stream_dns_handle_t;


static void *ngx_stream_dns_files_open(void *data, ngx_str_t *name,
    ngx_str_t *includer, ngx_str_t *path, ngx_str_t *err);
static ssize_t ngx_stream_dns_files_read(void *data, void *handle,
    u_char *buf, size_t size, ngx_str_t *err);
static void ngx_stream_dns_files_close(void *data, void *handle);
static ngx_int_t ngx_stream_dns_files_path(ngx_stream_dns_files_t *files,
    ngx_str_t *name, ngx_str_t *includer, ngx_str_t *path);
static ngx_int_t ngx_stream_dns_files_mark(ngx_stream_dns_files_t *files,
    ngx_fd_t fd, ngx_str_t *path, const char **reason);
static ngx_int_t ngx_stream_dns_files_end(ngx_stream_dns_files_t *files,
    ngx_stream_dns_handle_t *h, ngx_str_t *err);
static ngx_int_t ngx_stream_dns_files_same(ngx_stream_dns_file_t *file,
    struct stat *st);
static void ngx_stream_dns_files_error(ngx_stream_dns_files_t *files,
    ngx_str_t *err, const char *what, ngx_err_t error);


ngx_int_t
ngx_stream_dns_files_init(ngx_stream_dns_files_t *files, ngx_pool_t *pool,
    ngx_log_t *log, ngx_str_t *name)
{
    ngx_memzero(files, offsetof(ngx_stream_dns_files_t, errstr));

    files->callbacks.open = ngx_stream_dns_files_open;
    files->callbacks.read = ngx_stream_dns_files_read;
    files->callbacks.close = ngx_stream_dns_files_close;
    files->callbacks.data = files;

    files->pool = pool;
    files->log = log;
    files->name = name;
    files->settled = 1;
    files->start = ngx_stream_dns_files_clock();
    files->shown = files->start;

    return ngx_array_init(&files->files, pool, 1,
                          sizeof(ngx_stream_dns_file_t));
}


static void *
ngx_stream_dns_files_open(void *data, ngx_str_t *name, ngx_str_t *includer,
    ngx_str_t *path, ngx_str_t *err)
{
    ngx_stream_dns_files_t *files = data;

    const char               *reason;
    ngx_stream_dns_handle_t  *h;

    h = ngx_palloc(files->pool, sizeof(ngx_stream_dns_handle_t));
    if (h == NULL
        || ngx_stream_dns_files_path(files, name, includer, path) != NGX_OK)
    {
        ngx_str_set(err, "no memory");
        return NULL;
    }

    /* opening a pipe must not wait for a writer */

    h->fd = ngx_open_file(path->data, NGX_FILE_RDONLY|NGX_FILE_NONBLOCK,
                          NGX_FILE_OPEN, 0);

    if (h->fd == NGX_INVALID_FILE) {
        ngx_stream_dns_files_error(files, err, ngx_open_file_n, ngx_errno);
        return NULL;
    }

    if (ngx_stream_dns_files_mark(files, h->fd, path, &reason) != NGX_OK) {
        err->data = (u_char *) reason;
        err->len = ngx_strlen(reason);

        (void) ngx_close_file(h->fd);

        return NULL;
    }

    h->file = files->files.nelts - 1;

    return h;
}


/*
 * The zone's own file comes with its full path, an $INCLUDE is relative to
 * the directory of the file it stands in.
 */

static ngx_int_t
ngx_stream_dns_files_path(ngx_stream_dns_files_t *files, ngx_str_t *name,
    ngx_str_t *includer, ngx_str_t *path)
{
    size_t   dir;
    u_char  *p;

    dir = 0;

    if (includer != NULL && (name->len == 0 || name->data[0] != '/')) {

        for (dir = includer->len; dir != 0; dir--) {
            if (includer->data[dir - 1] == '/') {
                break;
            }
        }
    }

    path->len = dir + name->len;

    path->data = ngx_pnalloc(files->pool, path->len + 1);
    if (path->data == NULL) {
        return NGX_ERROR;
    }

    p = path->data;

    if (dir != 0) {
        p = ngx_cpymem(p, includer->data, dir);
    }

    p = ngx_cpymem(p, name->data, name->len);
    *p = '\0';

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_files_mark(ngx_stream_dns_files_t *files, ngx_fd_t fd,
    ngx_str_t *path, const char **reason)
{
    time_t                  old;
    struct stat             st;
    struct timespec         now;
    ngx_stream_dns_file_t  *file;

    if (fstat(fd, &st) == -1) {
        *reason = "fstat() failed";
        return NGX_ERROR;
    }

    if (!S_ISREG(st.st_mode)) {
        *reason = S_ISDIR(st.st_mode) ? "is a directory"
                                      : "is not a regular file";
        return NGX_ERROR;
    }

    file = ngx_array_push(&files->files);
    if (file == NULL) {
        *reason = "no memory";
        return NGX_ERROR;
    }

    file->path = *path;
    file->dev = st.st_dev;
    file->ino = st.st_ino;
    file->size = st.st_size;
    file->mtime = st.st_mtim;
    file->ctime = st.st_ctim;

    (void) clock_gettime(CLOCK_REALTIME, &now);
    old = now.tv_sec - NGX_STREAM_DNS_SETTLED;

    if (st.st_mtim.tv_sec >= old || st.st_ctim.tv_sec >= old) {
        files->settled = 0;
    }

    files->total += st.st_size;

    return NGX_OK;
}


static ssize_t
ngx_stream_dns_files_read(void *data, void *handle, u_char *buf, size_t size,
    ngx_str_t *err)
{
    ngx_stream_dns_files_t *files = data;
    ngx_stream_dns_handle_t *h = handle;

    ssize_t  n;

    do {
        n = read(h->fd, buf, size);
    } while (n == -1 && ngx_errno == NGX_EINTR);

    if (n == -1) {
        ngx_stream_dns_files_error(files, err, "read()", ngx_errno);
        return -1;
    }

    if (n == 0 && ngx_stream_dns_files_end(files, h, err) != NGX_OK) {
        return -1;
    }

    files->done += n;
    ngx_stream_dns_files_progress(files);

    return n;
}


/*
 * What was written to a file while it was read is half a zone, and may well
 * look like a whole one.  The time of the inode says nothing here: it also
 * changes when another file takes the name.
 */

static ngx_int_t
ngx_stream_dns_files_end(ngx_stream_dns_files_t *files,
    ngx_stream_dns_handle_t *h, ngx_str_t *err)
{
    struct stat             st;
    ngx_stream_dns_file_t  *file;

    file = files->files.elts;
    file += h->file;

    if (fstat(h->fd, &st) == -1) {
        ngx_stream_dns_files_error(files, err, "fstat()", ngx_errno);
        return NGX_ERROR;
    }

    if (file->size == st.st_size
        && file->mtime.tv_sec == st.st_mtim.tv_sec
        && file->mtime.tv_nsec == st.st_mtim.tv_nsec)
    {
        return NGX_OK;
    }

    ngx_str_set(err, "it was written to meanwhile");

    return NGX_ERROR;
}


static void
ngx_stream_dns_files_close(void *data, void *handle)
{
    ngx_stream_dns_files_t *files = data;
    ngx_stream_dns_handle_t *h = handle;

    struct stat             st;
    ngx_stream_dns_file_t  *file;

    file = files->files.elts;

    /* written to while it was read: read it again next time */

    if (fstat(h->fd, &st) == -1
        || ngx_stream_dns_files_same(&file[h->file], &st) != NGX_OK)
    {
        files->settled = 0;
    }

    if (ngx_close_file(h->fd) == NGX_FILE_ERROR) {
        ngx_log_error(NGX_LOG_ALERT, files->log, ngx_errno,
                      ngx_close_file_n " \"%V\" failed",
                      &file[h->file].path);
    }
}


static ngx_int_t
ngx_stream_dns_files_same(ngx_stream_dns_file_t *file, struct stat *st)
{
    if (file->dev == st->st_dev
        && file->ino == st->st_ino
        && file->size == st->st_size
        && file->mtime.tv_sec == st->st_mtim.tv_sec
        && file->mtime.tv_nsec == st->st_mtim.tv_nsec
        && file->ctime.tv_sec == st->st_ctim.tv_sec
        && file->ctime.tv_nsec == st->st_ctim.tv_nsec)
    {
        return NGX_OK;
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_stream_dns_files_unchanged(ngx_stream_dns_file_t *file)
{
    struct stat  st;

    if (stat((char *) file->path.data, &st) == -1) {
        return NGX_DECLINED;
    }

    return ngx_stream_dns_files_same(file, &st);
}


void
ngx_stream_dns_files_progress(ngx_stream_dns_files_t *files)
{
    ngx_msec_t  now;
    ngx_uint_t  percent;

    now = ngx_stream_dns_files_clock();

    if (now - files->shown < NGX_STREAM_DNS_PROGRESS) {
        return;
    }

    files->shown = now;
    percent = 100;

    if (files->done < files->total) {
        percent = (ngx_uint_t) (files->done * 100 / files->total);
    }

    ngx_time_update();

    ngx_log_error(NGX_LOG_NOTICE, files->log, 0,
                  "zone \"%V\": %ui%% of %O octets read after %M ms",
                  files->name, percent, files->total, now - files->start);
}


ngx_msec_t
ngx_stream_dns_files_clock(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);

    return (ngx_msec_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}


static void
ngx_stream_dns_files_error(ngx_stream_dns_files_t *files, ngx_str_t *err,
    const char *what, ngx_err_t error)
{
    u_char  *p, *last;

    last = files->errstr + NGX_MAX_ERROR_STR;

    p = ngx_slprintf(files->errstr, last, "%s failed (%d: ", what, error);
    p = ngx_strerror(error, p, last - p);
    p = ngx_slprintf(p, last, ")");

    err->data = files->errstr;
    err->len = p - files->errstr;
}
