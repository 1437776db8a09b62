
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>

#if (NGX_DNS_GEO)

/* the EVP form of SHA-256 allocates */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <openssl/sha.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "ngx_dns_geo_build.h"
#include "ngx_stream_dns_geoip.h"


/*
 * All that waits for a disk or takes long.  A database is never mapped, nor
 * read twice: whoever may write to it could cut it off or change it.  What is
 * mapped is the copy.
 */

#define NGX_STREAM_DNS_GEOIP_BUF   (256 * 1024)             /* octets */
#define NGX_STREAM_DNS_GEOIP_MAX   (4ull * 1024 * 1024 * 1024)
#define NGX_STREAM_DNS_GEOIP_NICE  19
#define NGX_STREAM_DNS_GEOIP_NAME  128      /* octets of a name in dir */
#define NGX_STREAM_DNS_GEOIP_AGE   2        /* seconds */

#if (NGX_STREAM_DNS_GEO_HEAD != NGX_DNS_GEO_HEAD)
#error heads of files of places differ
#endif


static void *ngx_stream_dns_geoip_job_thread(void *data);
static void ngx_stream_dns_geoip_job_run(ngx_stream_dns_geoip_job_t *job);
static ngx_int_t ngx_stream_dns_geoip_names(ngx_stream_dns_geoip_job_t *job);
static void ngx_stream_dns_geoip_clean(ngx_stream_dns_geoip_job_t *job);
static ngx_uint_t ngx_stream_dns_geoip_keeps(ngx_stream_dns_geoip_job_t *job,
    const char *name);
static ngx_int_t ngx_stream_dns_geoip_copy(ngx_stream_dns_geoip_job_t *job);
static ngx_int_t ngx_stream_dns_geoip_octets(ngx_stream_dns_geoip_job_t *job,
    ngx_fd_t from, ngx_fd_t to);
static ngx_int_t ngx_stream_dns_geoip_find(ngx_stream_dns_geoip_job_t *job);
static ngx_int_t ngx_stream_dns_geoip_sound(ngx_stream_dns_geoip_job_t *job,
    ngx_fd_t fd, size_t size);
static ngx_int_t ngx_stream_dns_geoip_make(ngx_stream_dns_geoip_job_t *job);
static ngx_int_t ngx_stream_dns_geoip_store(ngx_stream_dns_geoip_job_t *job,
    ngx_dns_geo_t *geo, size_t size);
static ngx_int_t ngx_stream_dns_geoip_rename(ngx_stream_dns_geoip_job_t *job,
    ngx_fd_t fd, const u_char *from, const u_char *to);
static ngx_int_t ngx_stream_dns_geoip_write(ngx_fd_t fd, const void *data,
    size_t n);
static ngx_int_t ngx_stream_dns_geoip_read(ngx_fd_t fd, void *data, size_t n);
static void ngx_stream_dns_geoip_list(ngx_stream_dns_geoip_job_t *job,
    ngx_dns_geo_list_file_t *list);
static void ngx_stream_dns_geoip_remember(ngx_stream_dns_geoip_job_t *job,
    ngx_dns_geo_list_file_t *list);
static ngx_int_t ngx_stream_dns_geoip_fail(ngx_stream_dns_geoip_job_t *job,
    ngx_stream_dns_geoip_result_e result, ngx_err_t err, const char *failed);
static void *ngx_stream_dns_geoip_map(void *data, size_t size);
static void ngx_stream_dns_geoip_unmap(void *data, void *p, size_t size);
static void *ngx_stream_dns_geoip_trim(void *data, void *p, size_t size,
    size_t used);


/* that of the process keeps pages for one thread only */

static ngx_dns_memory_t  ngx_stream_dns_geoip_memory = {
    ngx_stream_dns_geoip_map,
    ngx_stream_dns_geoip_unmap,
    ngx_stream_dns_geoip_trim,
    NULL
};


ngx_int_t
ngx_stream_dns_geoip_job_start(ngx_stream_dns_geoip_job_t *job,
    ngx_log_t *log)
{
    int             err;
    sigset_t        set, old;
    pthread_t       tid;
    pthread_attr_t  attr;

    if (ngx_stream_dns_geoip_names(job) != NGX_OK) {
        return NGX_ERROR;
    }

    /* signals are for the thread of the event loop */

    (void) sigfillset(&set);
    (void) pthread_sigmask(SIG_BLOCK, &set, &old);

    (void) pthread_attr_init(&attr);
    (void) pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);

    err = pthread_create(&tid, &attr, ngx_stream_dns_geoip_job_thread, job);

    (void) pthread_attr_destroy(&attr);
    (void) pthread_sigmask(SIG_SETMASK, &old, NULL);

    if (err != 0) {
        ngx_log_error(NGX_LOG_CRIT, log, err, "pthread_create() failed");
        ngx_stream_dns_geoip_job_join(job);
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_stream_dns_geoip_job_join(ngx_stream_dns_geoip_job_t *job)
{
    ngx_free(job->names);
    job->names = NULL;
}


static ngx_int_t
ngx_stream_dns_geoip_names(ngx_stream_dns_geoip_job_t *job)
{
    size_t   n;
    u_char  *p;

    n = job->dir->len + NGX_STREAM_DNS_GEOIP_NAME;

    p = ngx_alloc(5 * n, ngx_cycle->log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    job->names = p;
    job->file = p;
    job->tmp = p + n;
    job->copy = p + 2 * n;
    job->known = p + 3 * n;
    job->list = p + 4 * n;

    /* two processes may be at it */

    ngx_sprintf(job->tmp, "%V/block.tmp.%P%Z", job->dir, ngx_pid);
    ngx_sprintf(job->copy, "%V/copy.tmp.%P%Z", job->dir, ngx_pid);
    ngx_sprintf(job->known, "%V/known%Z", job->dir);
    ngx_sprintf(job->list, "%V/known.tmp.%P%Z", job->dir, ngx_pid);

    return NGX_OK;
}


static void *
ngx_stream_dns_geoip_job_thread(void *data)
{
    ngx_stream_dns_geoip_job_t *job = data;

    /* of this thread alone, which is not in a hurry */

    (void) setpriority(PRIO_PROCESS, 0, NGX_STREAM_DNS_GEOIP_NICE);

    if (job->path == NULL) {
        ngx_stream_dns_geoip_clean(job);

    } else {
        ngx_stream_dns_geoip_job_run(job);
    }

    __atomic_store_n(&job->ended, 1, __ATOMIC_RELEASE);

    return NULL;
}


static void
ngx_stream_dns_geoip_job_run(ngx_stream_dns_geoip_job_t *job)
{
    const u_char             *hash;
    ngx_dns_geo_list_file_t  *list;

    list = ngx_stream_dns_geoip_map(NULL, sizeof(ngx_dns_geo_list_file_t));

    if (list == NULL) {
        (void) ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED, 0,
                                         "no memory");
        return;
    }

    if (mkdir((const char *) job->dir->data, 0700) == -1
        && ngx_errno != NGX_EEXIST)
    {
        (void) ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED,
                                         ngx_errno, "mkdir() in "
                                         "\"dns_state_path\" failed");
        goto done;
    }

    ngx_stream_dns_geoip_list(job, list);

    hash = ngx_dns_geo_known_find(list, job->id, &job->ident);

    if (hash != NULL) {
        ngx_memcpy(job->hash, hash, NGX_DNS_GEO_HASH);

        if (ngx_stream_dns_geoip_find(job) == NGX_OK) {
            job->settled = 1;
            goto done;
        }
    }

    job->settled = 0;

    if (ngx_stream_dns_geoip_copy(job) == NGX_OK
        && (ngx_stream_dns_geoip_find(job) == NGX_OK
            || ngx_stream_dns_geoip_make(job) == NGX_OK)
        && job->settled)
    {
        ngx_dns_geo_known_add(list, job->id, &job->ident, job->hash);
        ngx_stream_dns_geoip_remember(job, list);
    }

    (void) unlink((const char *) job->copy);

done:

    ngx_stream_dns_geoip_unmap(NULL, list, sizeof(ngx_dns_geo_list_file_t));
}


/* blocks nobody needs, and what processes that were killed had begun */

static void
ngx_stream_dns_geoip_clean(ngx_stream_dns_geoip_job_t *job)
{
    DIR            *dir;
    u_char         *tmp;
    struct dirent  *de;

    dir = opendir((const char *) job->dir->data);
    if (dir == NULL) {
        return;
    }

    for ( ;; ) {
        de = readdir(dir);

        if (de == NULL) {
            break;
        }

        tmp = (u_char *) ngx_strstr(de->d_name, ".tmp.");

        if (tmp != NULL
            || (ngx_strstr(de->d_name, ".geo") != NULL
                && !ngx_stream_dns_geoip_keeps(job, de->d_name)))
        {
            (void) unlinkat(dirfd(dir), de->d_name, 0);
        }
    }

    (void) closedir(dir);
}


static ngx_uint_t
ngx_stream_dns_geoip_keeps(ngx_stream_dns_geoip_job_t *job, const char *name)
{
    u_char      text[2 * NGX_DNS_GEO_HASH + sizeof(".geo")];
    ngx_uint_t  i;

    for (i = 0; i < job->nkeep; i++) {

        ngx_memcpy(ngx_hex_dump(text, job->keep[i], NGX_DNS_GEO_HASH), ".geo",
                   sizeof(".geo"));

        if (ngx_strcmp(text, name) == 0) {
            return 1;
        }
    }

    return 0;
}


/* the hash is that of the copy, whatever becomes of the file */

static ngx_int_t
ngx_stream_dns_geoip_copy(ngx_stream_dns_geoip_job_t *job)
{
    ngx_fd_t             from, to;
    ngx_int_t            rc;
    struct stat          sb;
    ngx_dns_geo_ident_t  ident;

    from = open((const char *) job->path->data,
                O_RDONLY|O_NONBLOCK|O_CLOEXEC);

    if (from == NGX_INVALID_FILE) {
        return ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_REFUSED,
                                         ngx_errno, "open() failed");
    }

    if (fstat(from, &sb) == -1 || !S_ISREG(sb.st_mode)
        || (uint64_t) sb.st_size > NGX_STREAM_DNS_GEOIP_MAX)
    {
        (void) close(from);

        return ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_REFUSED, 0,
                                         "it is no regular file of up to "
                                         "4 GiB");
    }

    ngx_stream_dns_geoip_ident(&job->ident, &sb);

    /* times are coarse: the next change may have the same ones */

    job->settled = (ngx_max(sb.st_mtime, sb.st_ctime)
                    + NGX_STREAM_DNS_GEOIP_AGE <= time(NULL));

    (void) unlink((const char *) job->copy);

    to = open((const char *) job->copy,
              O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (to == NGX_INVALID_FILE) {
        rc = ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED,
                                       ngx_errno, "its copy cannot be made");

    } else {
        rc = ngx_stream_dns_geoip_octets(job, from, to);
        (void) close(to);
    }

    /* the same file under the same name, and nobody has written to it */

    if (rc == NGX_OK) {

        if (fstat(from, &sb) == -1) {
            ngx_memzero(&sb, sizeof(struct stat));
        }

        ngx_stream_dns_geoip_ident(&ident, &sb);

        if (ngx_dns_geo_ident_same(&ident, &job->ident)
            && stat((const char *) job->path->data, &sb) == 0)
        {
            ngx_stream_dns_geoip_ident(&ident, &sb);
        }

        if (!ngx_dns_geo_ident_same(&ident, &job->ident)) {
            rc = ngx_stream_dns_geoip_fail(job,
                                           NGX_STREAM_DNS_GEOIP_CHANGING, 0,
                                           "it changed while it was copied");
        }
    }

    (void) close(from);

    return rc;
}


static ngx_int_t
ngx_stream_dns_geoip_octets(ngx_stream_dns_geoip_job_t *job, ngx_fd_t from,
    ngx_fd_t to)
{
    u_char      *buf;
    ssize_t      n;
    ngx_int_t    rc;
    SHA256_CTX   sha;

    buf = ngx_stream_dns_geoip_map(NULL, NGX_STREAM_DNS_GEOIP_BUF);
    if (buf == NULL) {
        return ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED, 0,
                                         "no memory");
    }

    SHA256_Init(&sha);

    for ( ;; ) {
        n = read(from, buf, NGX_STREAM_DNS_GEOIP_BUF);

        if (n == -1) {
            rc = ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_REFUSED,
                                           ngx_errno, "read() failed");
            break;
        }

        if (n == 0) {
            SHA256_Final(job->hash, &sha);
            rc = NGX_OK;
            break;
        }

        SHA256_Update(&sha, buf, n);

        if (ngx_stream_dns_geoip_write(to, buf, n) != NGX_OK) {
            rc = ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED,
                                           ngx_errno,
                                           "its copy cannot be written");
            break;
        }
    }

    ngx_stream_dns_geoip_unmap(NULL, buf, NGX_STREAM_DNS_GEOIP_BUF);

    return rc;
}


/* a block of this content that was made before, by whomever */

static ngx_int_t
ngx_stream_dns_geoip_find(ngx_stream_dns_geoip_job_t *job)
{
    ngx_fd_t     fd;
    ngx_int_t    rc;
    struct stat  sb;

    ngx_stream_dns_geo_path(job->file, job->dir, job->hash);

    fd = open((const char *) job->file,
              O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    rc = NGX_DECLINED;

    if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode)
        && (uint64_t) sb.st_size > NGX_DNS_GEO_HEAD + sizeof(ngx_dns_geo_t)
        && (uint64_t) sb.st_size < 4 * NGX_STREAM_DNS_GEOIP_MAX)
    {
        ngx_stream_dns_geoip_ident(&job->block, &sb);

        rc = ngx_stream_dns_geoip_sound(job, fd, sb.st_size);

        /* what was checked is what workers will find */

        if (rc == NGX_OK && fstat(fd, &sb) == 0) {
            ngx_dns_geo_ident_t  ident;

            ngx_stream_dns_geoip_ident(&ident, &sb);

            if (!ngx_dns_geo_ident_same(&ident, &job->block)) {
                rc = NGX_DECLINED;
            }
        }
    }

    (void) close(fd);

    return rc;
}


static ngx_int_t
ngx_stream_dns_geoip_sound(ngx_stream_dns_geoip_job_t *job, ngx_fd_t fd,
    size_t size)
{
    u_char              *p, *block, digest[NGX_DNS_GEO_HASH];
    ngx_int_t            rc;
    SHA256_CTX           sha;
    ngx_dns_geo_head_t   head;

    p = ngx_stream_dns_geoip_map(NULL, size);
    if (p == NULL) {
        return NGX_DECLINED;
    }

    rc = NGX_DECLINED;
    block = p + NGX_DNS_GEO_HEAD;

    if (ngx_stream_dns_geoip_read(fd, p, size) == NGX_OK
        && ngx_dns_geo_head_get(p, &head) == NGX_OK
        && head.size == size - NGX_DNS_GEO_HEAD
        && ngx_memcmp(head.hash, job->hash, NGX_DNS_GEO_HASH) == 0)
    {
        SHA256_Init(&sha);
        SHA256_Update(&sha, block, head.size);
        SHA256_Final(digest, &sha);

        if (ngx_memcmp(head.digest, digest, NGX_DNS_GEO_HASH) == 0) {
            rc = ngx_dns_geo_check(block, head.size);
            job->made = ((ngx_dns_geo_t *) block)->built;
        }
    }

    ngx_stream_dns_geoip_unmap(NULL, p, size);

    return rc;
}


static ngx_int_t
ngx_stream_dns_geoip_make(ngx_stream_dns_geoip_job_t *job)
{
    size_t          size;
    ngx_int_t       rc;
    const char     *err;
    ngx_dns_geo_t  *geo;

    err = "no memory";

    rc = ngx_dns_geo_build((const char *) job->copy,
                           &ngx_stream_dns_geoip_memory, &geo, &size, &err);

    if (rc != NGX_OK) {
        return ngx_stream_dns_geoip_fail(job, (rc == NGX_DECLINED)
                                              ? NGX_STREAM_DNS_GEOIP_REFUSED
                                              : NGX_STREAM_DNS_GEOIP_FAILED,
                                         0, err);
    }

    if (ngx_dns_geo_check(geo, size) == NGX_OK) {
        rc = ngx_stream_dns_geoip_store(job, geo, size);

    } else {
        rc = ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_REFUSED, 0,
                                       "its tables are not sound");
    }

    job->built = 1;
    job->made = geo->built;

    ngx_stream_dns_geoip_unmap(NULL, geo, size);

    return rc;
}


static ngx_int_t
ngx_stream_dns_geoip_store(ngx_stream_dns_geoip_job_t *job,
    ngx_dns_geo_t *geo, size_t size)
{
    u_char               p[NGX_DNS_GEO_HEAD];
    ngx_fd_t             fd;
    ngx_int_t            rc;
    SHA256_CTX           sha;
    struct stat          sb;
    ngx_dns_geo_head_t   head;

    head.size = size;
    ngx_memcpy(head.hash, job->hash, NGX_DNS_GEO_HASH);

    SHA256_Init(&sha);
    SHA256_Update(&sha, geo, size);
    SHA256_Final(head.digest, &sha);

    ngx_dns_geo_head_put(p, &head);

    (void) unlink((const char *) job->tmp);

    fd = open((const char *) job->tmp,
              O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (fd == NGX_INVALID_FILE) {
        return ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED,
                                         ngx_errno,
                                         "its tables cannot be written");
    }

    ngx_stream_dns_geo_path(job->file, job->dir, job->hash);

    rc = NGX_ERROR;

    if (ngx_stream_dns_geoip_write(fd, p, NGX_DNS_GEO_HEAD) == NGX_OK
        && ngx_stream_dns_geoip_write(fd, geo, size) == NGX_OK)
    {
        rc = ngx_stream_dns_geoip_rename(job, fd, job->tmp, job->file);
    }

    if (rc != NGX_OK || fstat(fd, &sb) == -1) {
        rc = ngx_stream_dns_geoip_fail(job, NGX_STREAM_DNS_GEOIP_FAILED,
                                       ngx_errno,
                                       "its tables cannot be written");
        (void) unlink((const char *) job->tmp);

    } else {
        ngx_stream_dns_geoip_ident(&job->block, &sb);
    }

    (void) close(fd);

    return rc;
}


/* there is the new one as a whole, or what was there, whatever happens */

static ngx_int_t
ngx_stream_dns_geoip_rename(ngx_stream_dns_geoip_job_t *job, ngx_fd_t fd,
    const u_char *from, const u_char *to)
{
    ngx_fd_t   dir;
    ngx_int_t  rc;

    if (fdatasync(fd) == -1
        || rename((const char *) from, (const char *) to) == -1)
    {
        return NGX_ERROR;
    }

    dir = open((const char *) job->dir->data,
               O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    if (dir == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    rc = (fsync(dir) == -1) ? NGX_ERROR : NGX_OK;

    (void) close(dir);

    return rc;
}


static ngx_int_t
ngx_stream_dns_geoip_write(ngx_fd_t fd, const void *data, size_t n)
{
    ssize_t        rc;
    const u_char  *p;

    p = data;

    while (n > 0) {
        rc = write(fd, p, n);

        if (rc == -1) {
            return NGX_ERROR;
        }

        p += rc;
        n -= rc;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_geoip_read(ngx_fd_t fd, void *data, size_t n)
{
    u_char   *p;
    ssize_t   rc;

    p = data;

    while (n > 0) {
        rc = read(fd, p, n);

        if (rc <= 0) {
            return NGX_ERROR;
        }

        p += rc;
        n -= rc;
    }

    return NGX_OK;
}


/* what was hashed; an empty list if it cannot be had */

static void
ngx_stream_dns_geoip_list(ngx_stream_dns_geoip_job_t *job,
    ngx_dns_geo_list_file_t *list)
{
    ngx_fd_t  fd;

    fd = open((const char *) job->known,
              O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd != NGX_INVALID_FILE) {

        if (ngx_stream_dns_geoip_read(fd, list,
                                      sizeof(ngx_dns_geo_list_file_t))
            == NGX_OK
            && ngx_dns_geo_known_check(list) == NGX_OK)
        {
            (void) close(fd);
            return;
        }

        (void) close(fd);
    }

    ngx_dns_geo_known_init(list);
}


/* without it the next start takes a little longer, nothing else */

static void
ngx_stream_dns_geoip_remember(ngx_stream_dns_geoip_job_t *job,
    ngx_dns_geo_list_file_t *list)
{
    ngx_fd_t  fd;

    ngx_dns_geo_known_seal(list);

    (void) unlink((const char *) job->list);

    fd = open((const char *) job->list,
              O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (fd == NGX_INVALID_FILE) {
        return;
    }

    if (ngx_stream_dns_geoip_write(fd, list, sizeof(ngx_dns_geo_list_file_t))
        != NGX_OK
        || ngx_stream_dns_geoip_rename(job, fd, job->list, job->known)
           != NGX_OK)
    {
        (void) unlink((const char *) job->list);
    }

    (void) close(fd);
}


static ngx_int_t
ngx_stream_dns_geoip_fail(ngx_stream_dns_geoip_job_t *job,
    ngx_stream_dns_geoip_result_e result, ngx_err_t err, const char *failed)
{
    job->result = result;
    job->err = err;
    job->failed = failed;

    return NGX_ERROR;
}


static void *
ngx_stream_dns_geoip_map(void *data, size_t size)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS,
             -1, 0);

    return (p == MAP_FAILED) ? NULL : p;
}


static void
ngx_stream_dns_geoip_unmap(void *data, void *p, size_t size)
{
    (void) munmap(p, ngx_align(size, ngx_pagesize));
}


static void *
ngx_stream_dns_geoip_trim(void *data, void *p, size_t size, size_t used)
{
    size = ngx_align(size, ngx_pagesize);
    used = ngx_align(used, ngx_pagesize);

    if (used < size) {
        (void) munmap((u_char *) p + used, size - used);
    }

    return p;
}

#endif
