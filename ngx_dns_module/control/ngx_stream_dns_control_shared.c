
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include <pthread.h>

#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_memory.h"


/* slots of readers: one for each process, the last one for the master */

#define NGX_STREAM_DNS_READERS       (NGX_MAX_PROCESSES + 1)


static ngx_int_t ngx_stream_dns_shared_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_dns_shared_t *ngx_stream_dns_shared_create(ngx_shm_zone_t *zone);
static ngx_dns_shared_t *ngx_stream_dns_shared_running(ngx_shm_zone_t *zone);
static ngx_int_t ngx_stream_dns_shared_copy(ngx_shm_zone_t *zone,
    ngx_dns_shared_t *to, ngx_dns_shared_t *from);
static ngx_uint_t ngx_stream_dns_shared_alive(uint64_t pid,
    uint64_t started);


/* the head of a region keeps so much for the mutex */

typedef char  ngx_stream_dns_mutex_fits_t[
    sizeof(pthread_mutex_t) <= NGX_STREAM_DNS_LOCK * sizeof(uint64_t)
    && sizeof(((ngx_dns_shared_t *) 0)->lock)
       == NGX_STREAM_DNS_LOCK * sizeof(uint64_t)
    ? 1 : -1];


ngx_int_t
ngx_stream_dns_control_shared_add(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src)
{
    src->shm_zone = ngx_shared_memory_add(cf, &src->name, src->size,
                                          &ngx_stream_dns_control_module);
    if (src->shm_zone == NULL) {
        return NGX_ERROR;
    }

    src->shm_zone->init = ngx_stream_dns_shared_init;
    src->shm_zone->data = src;

    return NGX_OK;
}


/*
 * May belong to a reload that fails: what the running cycle has is only
 * looked at.
 */

static ngx_int_t
ngx_stream_dns_shared_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_dns_shared_t         *sh, *running;
    ngx_stream_dns_source_t  *src, *old;

    src = zone->data;
    old = data;

    if (old != NULL) {
        sh = old->shared;

    } else {
        sh = ngx_stream_dns_shared_create(zone);
        if (sh == NULL) {
            return NGX_ERROR;
        }

        running = ngx_stream_dns_shared_running(zone);

        if (running != NULL
            && ngx_stream_dns_shared_copy(zone, sh, running) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    src->shared = sh;
    src->region->shared = sh;

    return NGX_OK;
}


/* one allocation of all the pages that there are */

static ngx_dns_shared_t *
ngx_stream_dns_shared_create(ngx_shm_zone_t *zone)
{
    void              *p;
    size_t             size;
    ngx_slab_pool_t   *shpool;
    ngx_dns_shared_t  *sh;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    size = shpool->pfree * ngx_pagesize;

    p = ngx_slab_alloc(shpool, size);

    if (p == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "no memory in zone \"%V\"", &zone->shm.name);
        return NULL;
    }

    sh = ngx_dns_shared_init(p, size, NGX_STREAM_DNS_READERS);

    if (sh == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "zone \"%V\" is too small", &zone->shm.name);
        return NULL;
    }

    if (ngx_stream_dns_control_lock_init(sh->lock, zone->shm.log) != NGX_OK) {
        return NULL;
    }

    shpool->data = sh;

    return sh;
}


/*
 * The region of the same name in the running cycle, of another size; its
 * memory is mapped until the new cycle takes over.
 */

static ngx_dns_shared_t *
ngx_stream_dns_shared_running(ngx_shm_zone_t *zone)
{
    ngx_uint_t                i;
    ngx_shm_zone_t           *old;
    ngx_list_part_t          *part;
    ngx_stream_dns_source_t  *src;

    for (part = (ngx_list_part_t *) &ngx_cycle->shared_memory.part;
         part != NULL;
         part = part->next)
    {
        old = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (old[i].tag != &ngx_stream_dns_control_module
                || old[i].shm.name.len != zone->shm.name.len
                || ngx_strncmp(old[i].shm.name.data, zone->shm.name.data,
                               zone->shm.name.len)
                   != 0)
            {
                continue;
            }

            src = old[i].data;

            return src->shared;
        }
    }

    return NULL;
}


/*
 * The master reads the running region as any reader does: what it looks at
 * stays while the writer goes on.  What the writer publishes meanwhile is
 * found by the next one, which compares everything.
 */

static ngx_int_t
ngx_stream_dns_shared_copy(ngx_shm_zone_t *zone, ngx_dns_shared_t *to,
    ngx_dns_shared_t *from)
{
    uint64_t              needed;
    ngx_int_t             rc;
    ngx_dns_key_t        *key;
    ngx_dns_view_t        view;
    ngx_dns_publisher_t  *pub;

    key = ngx_dns_key(zone->shm.log);
    if (key == NULL) {
        return NGX_ERROR;
    }

    pub = ngx_dns_publisher_open(to, &ngx_stream_dns_memory, key,
                                 ngx_stream_dns_shared_alive);

    if (pub == NULL) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "no memory to copy zone \"%V\"", &zone->shm.name);
        return NGX_ERROR;
    }

    view.shared = from;
    view.reader = ngx_dns_shared_reader(from, NGX_MAX_PROCESSES, ngx_pid,
                                     ngx_stream_dns_process_started(ngx_pid));

    ngx_dns_view_enter(&view, ngx_time());

    needed = 0;
    rc = ngx_dns_publish_copy(pub, from, &needed);

    ngx_dns_view_leave(&view);

    ngx_dns_publisher_close(pub);

    if (rc == NGX_OK) {
        return NGX_OK;
    }

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "zone \"%V\" of %uz octets is too small for what is "
                      "in it now: it needs %uL octets more",
                      &zone->shm.name, zone->shm.size, needed);

    } else {
        ngx_log_error(NGX_LOG_EMERG, zone->shm.log, 0,
                      "no memory to copy zone \"%V\"", &zone->shm.name);
    }

    return NGX_ERROR;
}


static ngx_uint_t
ngx_stream_dns_shared_alive(uint64_t pid, uint64_t started)
{
    return 1;
}


ngx_int_t
ngx_stream_dns_control_lock_init(uint64_t *lock, ngx_log_t *log)
{
    int                  err;
    pthread_mutexattr_t  attr;

    err = pthread_mutexattr_init(&attr);

    if (err == 0) {
        err = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    }

    if (err == 0) {
        err = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    }

    if (err == 0) {
        err = pthread_mutex_init((pthread_mutex_t *) lock, &attr);
    }

    if (err != 0) {
        ngx_log_error(NGX_LOG_EMERG, log, err, "pthread_mutex_init() failed");
        return NGX_ERROR;
    }

    (void) pthread_mutexattr_destroy(&attr);

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_control_lock_try(uint64_t *lock, ngx_log_t *log)
{
    int  err;

    err = pthread_mutex_trylock((pthread_mutex_t *) lock);

    if (err == EBUSY) {
        return NGX_DECLINED;
    }

    /* the owner has died or ended, which is how all of them do */

    if (err == EOWNERDEAD) {
        err = pthread_mutex_consistent((pthread_mutex_t *) lock);
    }

    if (err != 0) {
        ngx_log_error(NGX_LOG_ALERT, log, err,
                      "pthread_mutex_trylock() failed");
        return NGX_ERROR;
    }

    return NGX_OK;
}
