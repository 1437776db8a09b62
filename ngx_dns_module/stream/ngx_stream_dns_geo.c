
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include <sys/mman.h>

#include "ngx_stream_dns_geo.h"


/*
 * A new block is mapped, then its pages are looked up in slices, so that no
 * query waits for them, then it takes the place of the old one, which is
 * given back in slices too.
 */

#define NGX_STREAM_DNS_GEO_LOOK   100   /* milliseconds between looks */
#define NGX_STREAM_DNS_GEO_NEXT   2     /* between slices */
#define NGX_STREAM_DNS_GEO_SLICE  (1024 * 1024)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#endif


typedef struct {
    ngx_stream_dns_geo_entry_t   entry;
    u_char                      *map;       /* NULL: none */
} ngx_stream_dns_geo_map_t;

/* the worker's; as an event's data it begins as a connection does */

typedef struct {
    void                        *data;
    void                        *unused[2];
    ngx_int_t                    ident;     /* after 3 pointers */

    ngx_event_t                  timer;
    ngx_stream_dns_geo_conf_t   *conf;
    ngx_dns_places_t            *places;
    uint64_t                     generation;    /* that was looked at */

    ngx_stream_dns_geo_map_t     now[NGX_STREAM_DNS_GEO_FILES];
    ngx_stream_dns_geo_map_t     next[NGX_STREAM_DNS_GEO_FILES];
    ngx_uint_t                   filling;   /* 1: next is to be filled */
    ngx_uint_t                   file;      /* of next, and */
    size_t                       filled;    /* octets of it */

    ngx_stream_dns_geo_map_t     old[NGX_STREAM_DNS_GEO_FILES];
    ngx_uint_t                   nold;
} ngx_stream_dns_geo_t;


static void ngx_stream_dns_geo_timer(ngx_event_t *ev);
static void ngx_stream_dns_geo_look(ngx_stream_dns_geo_t *geo);
static ngx_stream_dns_geo_entry_t *ngx_stream_dns_geo_entry(
    ngx_stream_dns_geo_entry_t *entries, uint64_t id);
static void ngx_stream_dns_geo_open(ngx_stream_dns_geo_t *geo,
    ngx_stream_dns_geo_map_t *m);
static const char *ngx_stream_dns_geo_map(ngx_stream_dns_geo_map_t *m,
    ngx_fd_t fd);
static void ngx_stream_dns_geo_fill(ngx_stream_dns_geo_t *geo);
static ngx_int_t ngx_stream_dns_geo_populate(u_char *p, size_t size);
static void ngx_stream_dns_geo_swap(ngx_stream_dns_geo_t *geo);
static void ngx_stream_dns_geo_place(ngx_stream_dns_geo_t *geo,
    const ngx_dns_geo_t *block);
static void ngx_stream_dns_geo_drop(ngx_stream_dns_geo_t *geo);


ngx_int_t
ngx_stream_dns_geo_init(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w)
{
    ngx_stream_dns_geo_t        *geo;
    ngx_stream_dns_geo_conf_t   *conf;
    ngx_stream_dns_main_conf_t  *dmcf;

    dmcf = ngx_stream_cycle_get_module_main_conf(cycle,
                                                 ngx_stream_dns_module);
    conf = dmcf->geo;

    if (conf == NULL) {
        return NGX_OK;
    }

    geo = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_geo_t));
    if (geo == NULL) {
        return NGX_ERROR;
    }

    geo->ident = -1;
    geo->conf = conf;
    geo->places = ngx_dns_answer_places(w->answer);

    geo->timer.handler = ngx_stream_dns_geo_timer;
    geo->timer.data = geo;
    geo->timer.log = cycle->log;
    geo->timer.cancelable = 1;

    if (conf->shared != NULL) {
        ngx_stream_dns_geo_look(geo);

        while (geo->filling) {
            ngx_stream_dns_geo_fill(geo);
        }
    }

    ngx_stream_dns_geo_swap(geo);

    if (conf->shared != NULL) {
        ngx_add_timer(&geo->timer, NGX_STREAM_DNS_GEO_LOOK);
    }

    return NGX_OK;
}


static void
ngx_stream_dns_geo_timer(ngx_event_t *ev)
{
    ngx_stream_dns_geo_t *geo = ev->data;

    if (geo->filling) {
        ngx_stream_dns_geo_fill(geo);

        if (!geo->filling) {
            ngx_stream_dns_geo_swap(geo);
        }

    } else if (geo->nold != 0) {
        ngx_stream_dns_geo_drop(geo);

    } else if (geo->generation != geo->conf->shared->generation) {
        ngx_stream_dns_geo_look(geo);
    }

    ngx_add_timer(ev, (geo->filling || geo->nold != 0)
                      ? NGX_STREAM_DNS_GEO_NEXT : NGX_STREAM_DNS_GEO_LOOK);
}


/* what is not announced any more stays until something else is */

static void
ngx_stream_dns_geo_look(ngx_stream_dns_geo_t *geo)
{
    uint64_t                     generation;
    ngx_uint_t                   i;
    ngx_stream_dns_geo_map_t    *m;
    ngx_stream_dns_geo_file_t   *file;
    ngx_stream_dns_geo_entry_t  *entry;
    ngx_stream_dns_geo_entry_t   entries[NGX_STREAM_DNS_GEO_FILES];

    generation = ngx_stream_dns_geo_read(geo->conf->shared, entries);

    if (generation == 0) {
        return;
    }

    geo->generation = generation;
    geo->filling = 1;
    geo->file = 0;
    geo->filled = 0;

    file = geo->conf->files.elts;

    for (i = 0; i < geo->conf->files.nelts; i++) {

        m = &geo->next[i];
        *m = geo->now[i];

        entry = ngx_stream_dns_geo_entry(entries, file[i].id);

        if (entry == NULL || entry->state == NGX_STREAM_DNS_GEO_NONE) {
            continue;
        }

        if (entry->state == NGX_STREAM_DNS_GEO_BAD) {

            if (m->map == NULL) {
                m->entry = *entry;
            }

            continue;
        }

        if (m->map != NULL
            && ngx_memcmp(m->entry.hash, entry->hash, NGX_STREAM_DNS_GEO_HASH)
               == 0)
        {
            continue;
        }

        m->entry = *entry;
        m->map = NULL;

        ngx_stream_dns_geo_open(geo, m);

        if (m->map == NULL) {
            *m = geo->now[i];
        }
    }
}


static ngx_stream_dns_geo_entry_t *
ngx_stream_dns_geo_entry(ngx_stream_dns_geo_entry_t *entries, uint64_t id)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_STREAM_DNS_GEO_FILES; i++) {
        if (entries[i].id == id) {
            return &entries[i];
        }
    }

    return NULL;
}


uint64_t
ngx_stream_dns_geo_read(ngx_stream_dns_geo_shared_t *shared,
    ngx_stream_dns_geo_entry_t *entries)
{
    uint64_t  generation;

    generation = __atomic_load_n(&shared->generation, __ATOMIC_ACQUIRE);

    if (generation & 1) {
        return 0;
    }

    ngx_memcpy(entries, shared->entries, sizeof(shared->entries));

    __atomic_thread_fence(__ATOMIC_ACQUIRE);

    return (shared->generation == generation) ? generation : 0;
}


void
ngx_stream_dns_geo_path(u_char *p, ngx_str_t *dir, const u_char *hash)
{
    p = ngx_cpymem(p, dir->data, dir->len);
    *p++ = '/';
    p = ngx_hex_dump(p, (u_char *) hash, NGX_STREAM_DNS_GEO_HASH);
    ngx_memcpy(p, ".geo", sizeof(".geo"));
}


/* m->map stays NULL if the file is not the one that was announced */

static void
ngx_stream_dns_geo_open(ngx_stream_dns_geo_t *geo,
    ngx_stream_dns_geo_map_t *m)
{
    u_char      *path;
    ngx_fd_t     fd;
    ngx_err_t    err;
    const char  *failed;

    path = ngx_alloc(ngx_stream_dns_geo_path_len(&geo->conf->dir),
                     geo->timer.log);
    if (path == NULL) {
        return;
    }

    ngx_stream_dns_geo_path(path, &geo->conf->dir, m->entry.hash);

    fd = open((const char *) path,
              O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        err = ngx_errno;
        failed = "open() failed";

    } else {
        failed = ngx_stream_dns_geo_map(m, fd);
        err = ngx_errno;
        (void) close(fd);
    }

    /* a later one may have taken its place by now */

    if (failed != NULL && geo->conf->shared->generation == geo->generation) {
        ngx_log_error(NGX_LOG_ERR, geo->timer.log, err,
                      "dns places \"%s\" are not used: %s", path, failed);

        geo->conf->shared->missing = 1;
    }

    ngx_free(path);
}


static const char *
ngx_stream_dns_geo_map(ngx_stream_dns_geo_map_t *m, ngx_fd_t fd)
{
    void                        *p;
    struct stat                  sb;
    ngx_stream_dns_geo_entry_t  *entry;

    entry = &m->entry;

    if (fstat(fd, &sb) == -1) {
        return "fstat() failed";
    }

    if (!S_ISREG(sb.st_mode)
        || (uint64_t) sb.st_dev != entry->dev
        || (uint64_t) sb.st_ino != entry->ino
        || (uint64_t) sb.st_size != entry->size
        || sb.st_mtim.tv_sec * 1000000000ull + sb.st_mtim.tv_nsec
           != entry->mtime
        || sb.st_ctim.tv_sec * 1000000000ull + sb.st_ctim.tv_nsec
           != entry->ctime
        || entry->size < NGX_STREAM_DNS_GEO_HEAD + sizeof(ngx_dns_geo_t))
    {
        ngx_set_errno(0);
        return "it is not the file that was checked";
    }

    p = mmap(NULL, entry->size, PROT_READ, MAP_SHARED, fd, 0);

    if (p == MAP_FAILED) {
        return "mmap() failed";
    }

    m->map = p;

    return NULL;
}


/* one slice; all of next is there at the end */

static void
ngx_stream_dns_geo_fill(ngx_stream_dns_geo_t *geo)
{
    size_t                     n;
    ngx_stream_dns_geo_map_t  *m, *now;

    while (geo->file < geo->conf->files.nelts) {

        m = &geo->next[geo->file];
        now = &geo->now[geo->file];

        if (m->map == now->map || geo->filled == m->entry.size) {
            geo->file++;
            geo->filled = 0;
            continue;
        }

        n = ngx_min(m->entry.size - geo->filled, NGX_STREAM_DNS_GEO_SLICE);

        if (ngx_stream_dns_geo_populate(m->map + geo->filled, n) != NGX_OK) {

            ngx_log_error(NGX_LOG_CRIT, geo->timer.log, ngx_errno,
                          "dns places cannot be read");

            geo->old[geo->nold++] = *m;
            *m = *now;
            continue;
        }

        geo->filled += n;

        return;
    }

    geo->filling = 0;
}


static ngx_int_t
ngx_stream_dns_geo_populate(u_char *p, size_t size)
{
    size_t           i;
    volatile u_char  octet;

    if (madvise(p, size, MADV_POPULATE_READ) == 0) {
        return NGX_OK;
    }

    if (ngx_errno != EINVAL) {
        return NGX_ERROR;
    }

    /* a kernel before 5.14 */

    for (i = 0; i < size; i += ngx_pagesize) {
        octet = p[i];
    }

    (void) octet;

    return NGX_OK;
}


/* between batches: nobody holds a pointer into a block */

static void
ngx_stream_dns_geo_swap(ngx_stream_dns_geo_t *geo)
{
    u_char              *map;
    ngx_uint_t           i, ready;
    ngx_dns_places_t    *pl;

    pl = geo->places;
    ready = 1;

    ngx_memzero(pl->geo, sizeof(pl->geo));

    /* the first one that knows a fact tells it */

    if (geo->conf->networks != NULL) {
        ngx_stream_dns_geo_place(geo, geo->conf->networks);
    }

    for (i = 0; i < geo->conf->files.nelts; i++) {

        map = geo->now[i].map;

        if (map != NULL && map != geo->next[i].map) {
            geo->old[geo->nold++] = geo->now[i];
        }

        geo->now[i] = geo->next[i];
        map = geo->now[i].map;

        if (map != NULL) {
            ngx_stream_dns_geo_place(geo, (ngx_dns_geo_t *)
                                          (map + NGX_STREAM_DNS_GEO_HEAD));

        } else if (geo->now[i].entry.state != NGX_STREAM_DNS_GEO_BAD) {
            ready = 0;
        }
    }

    pl->ready = (uint8_t) ready;

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, geo->timer.log, 0,
                   "dns places changed, generation %uL", geo->generation);
}


static void
ngx_stream_dns_geo_place(ngx_stream_dns_geo_t *geo,
    const ngx_dns_geo_t *block)
{
    ngx_uint_t                   fact, v6;
    const ngx_dns_geo_t        **known;

    for (fact = 0; fact < NGX_DNS_GEO_FACTS; fact++) {

        for (v6 = 0; v6 < 2; v6++) {

            known = &geo->places->geo[fact][v6];

            if (*known == NULL && block->lists[fact][v6].n != 0) {
                *known = block;
            }
        }
    }
}


/* one slice from the end of the last one */

static void
ngx_stream_dns_geo_drop(ngx_stream_dns_geo_t *geo)
{
    size_t                     start;
    ngx_stream_dns_geo_map_t  *m;

    m = &geo->old[geo->nold - 1];

    start = (m->entry.size - 1) / NGX_STREAM_DNS_GEO_SLICE
            * NGX_STREAM_DNS_GEO_SLICE;

    (void) munmap(m->map + start, m->entry.size - start);

    m->entry.size = start;

    if (start == 0) {
        geo->nold--;
    }
}
