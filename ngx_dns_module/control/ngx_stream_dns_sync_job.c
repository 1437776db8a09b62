
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include <pthread.h>
#include <signal.h>

#include "ngx_stream_dns_memory.h"
#include "ngx_stream_dns_syncer.h"


/*
 * Zones that take more than a slice: a thread decodes and compiles, the event
 * loop looks every now and then whether it has ended, and copies the result
 * into shared memory in slices.  Zones that wait for room go the second half
 * of that way.  nginx has no thread pools in this process.
 */

#define NGX_STREAM_DNS_JOB_LOOK     5       /* milliseconds */
#define NGX_STREAM_DNS_JOB_THREADS  2
#define NGX_STREAM_DNS_JOB_COPY     (512 * 1024)
#define NGX_STREAM_DNS_JOB_PATIENCE 10000   /* ms that readers may stay */


typedef enum {
    NGX_STREAM_DNS_JOB_WAITS = 0,           /* for a thread */
    NGX_STREAM_DNS_JOB_RUNS,
    NGX_STREAM_DNS_JOB_ALLOC,
    NGX_STREAM_DNS_JOB_COPIES,
    NGX_STREAM_DNS_JOB_COMMIT
} ngx_stream_dns_job_state_e;


struct ngx_stream_dns_job_s {
    ngx_stream_dns_sync_t     *sync;
    ngx_queue_t                queue;
    ngx_uint_t                 state;
    ngx_uint_t                 ended;       /* set by the thread, last */
    ngx_dns_zone_t            *held;        /* published: the thread reads */
    size_t                     size;        /* of the mapping of the zone */
    uint64_t                   place;
    size_t                     copied;
    ngx_msec_t                 begun;       /* to wait for room */
    ngx_stream_dns_content_t   ct;
};


static ngx_stream_dns_job_t *ngx_stream_dns_job_create(
    ngx_stream_dns_sync_t *sync, ngx_uint_t state);
static void ngx_stream_dns_job_step(ngx_stream_dns_job_t *job);
static void ngx_stream_dns_job_run(ngx_stream_dns_job_t *job);
static void *ngx_stream_dns_job_thread(void *data);
static void ngx_stream_dns_job_ended(ngx_stream_dns_job_t *job);
static void ngx_stream_dns_job_alloc(ngx_stream_dns_job_t *job);
static void ngx_stream_dns_job_copy(ngx_stream_dns_job_t *job);
static void ngx_stream_dns_job_commit(ngx_stream_dns_job_t *job);
static void ngx_stream_dns_job_end(ngx_stream_dns_job_t *job, ngx_int_t rc,
    uint64_t needed);
static void ngx_stream_dns_job_free(ngx_stream_dns_job_t *job);
static void *ngx_stream_dns_job_map(void *data, size_t size);
static void ngx_stream_dns_job_unmap(void *data, void *p, size_t size);
static void *ngx_stream_dns_job_trim(void *data, void *p, size_t size,
    size_t used);


/* the memory of this process keeps pages for one thread only */

static ngx_dns_memory_t  ngx_stream_dns_job_memory = {
    ngx_stream_dns_job_map,
    ngx_stream_dns_job_unmap,
    ngx_stream_dns_job_trim,
    NULL
};


/* A large zone was read. */

ngx_int_t
ngx_stream_dns_job_read(ngx_stream_dns_read_t *read)
{
    ngx_stream_dns_job_t  *job;

    job = ngx_stream_dns_job_create(read->sync, NGX_STREAM_DNS_JOB_WAITS);
    if (job == NULL) {
        return NGX_ERROR;
    }

    ngx_stream_dns_apply_prepare(&job->ct, read, &ngx_stream_dns_job_memory);

    return NGX_OK;
}


/* A small zone was built, and there is no room for it at once. */

ngx_int_t
ngx_stream_dns_job_publish(ngx_stream_dns_content_t *ct)
{
    void                  *p;
    ngx_stream_dns_job_t  *job;

    p = ngx_stream_dns_job_map(NULL, ct->zone_size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    job = ngx_stream_dns_job_create(ct->read->sync, NGX_STREAM_DNS_JOB_ALLOC);
    if (job == NULL) {
        ngx_stream_dns_job_unmap(NULL, p, ct->zone_size);
        return NGX_ERROR;
    }

    ngx_memcpy(p, ct->zone, ct->zone_size);

    job->ct = *ct;
    job->ct.zone = p;
    job->ct.last = NULL;
    job->size = ct->zone_size;
    job->begun = ngx_current_msec;

    return NGX_OK;
}


static ngx_stream_dns_job_t *
ngx_stream_dns_job_create(ngx_stream_dns_sync_t *sync, ngx_uint_t state)
{
    ngx_stream_dns_job_t  *job;

    job = ngx_calloc(sizeof(ngx_stream_dns_job_t), sync->src->log);
    if (job == NULL) {
        return NULL;
    }

    job->sync = sync;
    job->state = state;

    ngx_queue_insert_tail(&sync->jobs, &job->queue);

    if (!sync->job_timer.timer_set) {
        ngx_add_timer(&sync->job_timer, 1);
    }

    return job;
}


void
ngx_stream_dns_job_timer(ngx_event_t *ev)
{
    ngx_queue_t            *q, *next;
    ngx_stream_dns_job_t   *job;
    ngx_stream_dns_sync_t  *sync;

    sync = ev->data;

    ngx_stream_dns_slice_begin();

    for (q = ngx_queue_head(&sync->jobs);
         q != ngx_queue_sentinel(&sync->jobs);
         q = next)
    {
        next = ngx_queue_next(q);
        job = ngx_queue_data(q, ngx_stream_dns_job_t, queue);

        ngx_stream_dns_job_step(job);

        if (!ngx_stream_dns_slice_left()) {
            break;
        }
    }

    if (!ngx_queue_empty(&sync->jobs) && !ev->timer_set) {
        ngx_add_timer(ev, sync->copies ? 1 : NGX_STREAM_DNS_JOB_LOOK);
    }
}


static void
ngx_stream_dns_job_step(ngx_stream_dns_job_t *job)
{
    switch (job->state) {

    case NGX_STREAM_DNS_JOB_WAITS:
        ngx_stream_dns_job_run(job);
        break;

    case NGX_STREAM_DNS_JOB_RUNS:

        if (__atomic_load_n(&job->ended, __ATOMIC_ACQUIRE)) {
            ngx_stream_dns_job_ended(job);
        }

        break;

    case NGX_STREAM_DNS_JOB_ALLOC:
        ngx_stream_dns_job_alloc(job);
        break;

    case NGX_STREAM_DNS_JOB_COPIES:
        ngx_stream_dns_job_copy(job);
        break;

    default: /* NGX_STREAM_DNS_JOB_COMMIT */
        ngx_stream_dns_job_commit(job);
        break;
    }
}


static void
ngx_stream_dns_job_run(ngx_stream_dns_job_t *job)
{
    int              err;
    sigset_t         set, old;
    pthread_t        tid;
    pthread_attr_t   attr;

    if (job->sync->threads == NGX_STREAM_DNS_JOB_THREADS) {
        return;
    }

    /* what is published may have been replaced since it was asked for */

    job->ct.last = ngx_dns_publish_get(job->sync->src->publisher,
                                       job->ct.read->zone->data);
    job->held = (ngx_dns_zone_t *) job->ct.last;

    if (job->held != NULL) {
        ngx_dns_publish_hold(job->sync->src->publisher, job->held);
    }

    job->state = NGX_STREAM_DNS_JOB_RUNS;
    job->sync->threads++;

    /* signals are for the thread of the event loop */

    (void) sigfillset(&set);
    (void) pthread_sigmask(SIG_BLOCK, &set, &old);

    (void) pthread_attr_init(&attr);
    (void) pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);

    err = pthread_create(&tid, &attr, ngx_stream_dns_job_thread, job);

    (void) pthread_attr_destroy(&attr);
    (void) pthread_sigmask(SIG_SETMASK, &old, NULL);

    if (err != 0) {
        ngx_log_error(NGX_LOG_CRIT, job->sync->src->log, err,
                      "pthread_create() failed");

        job->ct.result = NGX_STREAM_DNS_CONTENT_MEMORY;
        ngx_stream_dns_job_ended(job);
    }
}


static void *
ngx_stream_dns_job_thread(void *data)
{
    ngx_stream_dns_job_t *job = data;

    ngx_stream_dns_content(&job->ct);

    /* a large reply takes a while to free; errors point into it */

    if (job->ct.result != NGX_STREAM_DNS_CONTENT_ERROR) {
        ngx_dns_reply_free(job->ct.read->reply);
        job->ct.read->reply = NULL;
    }

    __atomic_store_n(&job->ended, 1, __ATOMIC_RELEASE);

    return NULL;
}


static void
ngx_stream_dns_job_ended(ngx_stream_dns_job_t *job)
{
    job->sync->threads--;

    if (job->held != NULL) {
        ngx_dns_publish_release(job->sync->src->publisher, job->held);
        job->held = NULL;
    }

    job->size = job->ct.zone_size;

    if (ngx_stream_dns_apply_content(&job->ct) != NGX_DECLINED) {
        ngx_stream_dns_job_free(job);
        return;
    }

    job->state = NGX_STREAM_DNS_JOB_ALLOC;
    job->begun = ngx_current_msec;

    ngx_stream_dns_job_alloc(job);
}


static void
ngx_stream_dns_job_alloc(ngx_stream_dns_job_t *job)
{
    uint64_t   needed;
    ngx_int_t  rc;

    if (job->ct.read->zone->gone) {
        ngx_stream_dns_apply_done(&job->ct);
        ngx_stream_dns_job_free(job);
        return;
    }

    needed = 0;

    rc = ngx_dns_publish_alloc(job->sync->src->publisher, job->ct.zone_size,
                               &job->place, &needed);

    if (rc == NGX_AGAIN
        && ngx_current_msec - job->begun < NGX_STREAM_DNS_JOB_PATIENCE)
    {
        return;
    }

    if (rc != NGX_OK) {
        ngx_stream_dns_job_end(job,
                               (rc == NGX_AGAIN) ? NGX_DECLINED : rc, needed);
        return;
    }

    job->state = NGX_STREAM_DNS_JOB_COPIES;
    job->sync->copies++;

    ngx_stream_dns_job_copy(job);
}


static void
ngx_stream_dns_job_copy(ngx_stream_dns_job_t *job)
{
    size_t   n;
    u_char  *to;

    to = ngx_dns_shared_at(job->sync->src->shared, job->place);

    while (job->copied < job->ct.zone_size) {

        if (job->copied != 0 && !ngx_stream_dns_slice_left()) {
            return;
        }

        n = ngx_min(job->ct.zone_size - job->copied,
                    NGX_STREAM_DNS_JOB_COPY);

        ngx_memcpy(to + job->copied, (u_char *) job->ct.zone + job->copied,
                   n);
        job->copied += n;
    }

    job->sync->copies--;
    job->state = NGX_STREAM_DNS_JOB_COMMIT;

    ngx_stream_dns_job_commit(job);
}


static void
ngx_stream_dns_job_commit(ngx_stream_dns_job_t *job)
{
    ngx_int_t             rc;
    ngx_dns_publisher_t  *pub;

    pub = job->sync->src->publisher;

    if (job->ct.read->zone->gone) {
        ngx_dns_publish_cancel(pub, job->place);
        ngx_stream_dns_apply_done(&job->ct);
        ngx_stream_dns_job_free(job);
        return;
    }

    rc = ngx_dns_publish_commit(pub, job->place);

    if (rc == NGX_AGAIN
        && ngx_current_msec - job->begun < NGX_STREAM_DNS_JOB_PATIENCE)
    {
        return;
    }

    if (rc != NGX_OK) {
        ngx_dns_publish_cancel(pub, job->place);
    }

    ngx_stream_dns_job_end(job, rc, 0);
}


static void
ngx_stream_dns_job_end(ngx_stream_dns_job_t *job, ngx_int_t rc,
    uint64_t needed)
{
    ngx_stream_dns_apply_end(&job->ct, rc, needed);
    ngx_stream_dns_job_free(job);
}


static void
ngx_stream_dns_job_free(ngx_stream_dns_job_t *job)
{
    if (job->ct.zone != NULL) {
        ngx_stream_dns_job_unmap(NULL, job->ct.zone, job->size);
    }

    ngx_queue_remove(&job->queue);
    ngx_free(job);
}


static void *
ngx_stream_dns_job_map(void *data, size_t size)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS,
             -1, 0);

    return (p == MAP_FAILED) ? NULL : p;
}


static void
ngx_stream_dns_job_unmap(void *data, void *p, size_t size)
{
    (void) munmap(p, ngx_align(size, ngx_pagesize));
}


static void *
ngx_stream_dns_job_trim(void *data, void *p, size_t size, size_t used)
{
    size = ngx_align(size, ngx_pagesize);
    used = ngx_align(used, ngx_pagesize);

    if (used < size) {
        (void) munmap((u_char *) p + used, size - used);
    }

    return p;
}
