
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_geoip.h"


#define NGX_STREAM_DNS_GEOIP_TICK   50      /* milliseconds */
#define NGX_STREAM_DNS_GEOIP_LOOK   1000    /* between looks at a file */
#define NGX_STREAM_DNS_GEOIP_QUIET  1000    /* that nobody writes to it */
#define NGX_STREAM_DNS_GEOIP_AGAIN  2000    /* what has just been written */
#define NGX_STREAM_DNS_GEOIP_RETRY  10000   /* what we could not do */
#define NGX_STREAM_DNS_GEOIP_CLEAN  2000    /* after the last change */


#if (NGX_DNS_GEO)

typedef struct {
    ngx_stream_dns_geo_file_t   *file;
    ngx_dns_geo_ident_t          seen;      /* that was looked into */
    ngx_dns_geo_ident_t          bad;       /* that was refused last */
    ngx_uint_t                   looked;    /* 1: there is such */
    ngx_msec_t                   next;      /* look */
    ngx_msec_t                   again;     /* look into it, if to */
    ngx_uint_t                   to;
    ngx_uint_t                   gone;      /* 1: that has been told */
    ngx_uint_t                   told;      /* 1: that it cannot be done */
} ngx_stream_dns_geoip_file_t;

/* of the control process; as an event's data it begins as a connection does */

typedef struct {
    void                        *data;
    void                        *unused[2];
    ngx_int_t                    ident;     /* after 3 pointers */

    ngx_event_t                  timer;
    ngx_stream_dns_geo_conf_t   *conf;
    ngx_uint_t                   writes;    /* 1: it has the lock */
    ngx_stream_dns_geoip_file_t *files;

    ngx_stream_dns_geoip_file_t *running;   /* whose job it is; or cleaning */
    ngx_uint_t                   cleaning;
    ngx_msec_t                   started;
    ngx_msec_t                   clean;     /* when to, if dirty */
    ngx_uint_t                   dirty;
    ngx_stream_dns_geoip_job_t   job;
} ngx_stream_dns_geoip_t;


static void ngx_stream_dns_geoip_timer(ngx_event_t *ev);
static void ngx_stream_dns_geoip_open(ngx_stream_dns_geoip_t *gi);
static void ngx_stream_dns_geoip_look(ngx_stream_dns_geoip_t *gi);
static ngx_uint_t ngx_stream_dns_geoip_file(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f);
static ngx_uint_t ngx_stream_dns_geoip_quiet(struct stat *sb);
static void ngx_stream_dns_geoip_run(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f, ngx_dns_geo_ident_t *ident);
static void ngx_stream_dns_geoip_clean(ngx_stream_dns_geoip_t *gi);
static void ngx_stream_dns_geoip_ended(ngx_stream_dns_geoip_t *gi);
static void ngx_stream_dns_geoip_good(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f);
static void ngx_stream_dns_geoip_refused(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f);
static ngx_stream_dns_geo_entry_t *ngx_stream_dns_geoip_entry(
    ngx_stream_dns_geoip_t *gi, ngx_stream_dns_geoip_file_t *f);
static void ngx_stream_dns_geoip_begin(ngx_stream_dns_geo_shared_t *shared);
static void ngx_stream_dns_geoip_end(ngx_stream_dns_geo_shared_t *shared);
static ngx_uint_t ngx_stream_dns_geoip_passed(ngx_msec_t time);


ngx_int_t
ngx_stream_dns_geoip_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_uint_t                    i;
    ngx_stream_dns_geoip_t       *gi;
    ngx_stream_dns_geo_conf_t    *conf;
    ngx_stream_dns_geo_file_t    *file;
    ngx_stream_dns_geoip_conf_t  *gcf;

    gcf = cmcf->geoip;

    if (gcf == NULL || gcf->geo.files.nelts == 0) {
        return NGX_OK;
    }

    conf = &gcf->geo;

    gi = ngx_pcalloc(cycle->pool, sizeof(ngx_stream_dns_geoip_t));
    if (gi == NULL) {
        return NGX_ERROR;
    }

    gi->files = ngx_pcalloc(cycle->pool, conf->files.nelts
                                        * sizeof(ngx_stream_dns_geoip_file_t));
    if (gi->files == NULL) {
        return NGX_ERROR;
    }

    file = conf->files.elts;

    for (i = 0; i < conf->files.nelts; i++) {
        gi->files[i].file = &file[i];
        gi->files[i].next = ngx_current_msec;
    }

    gi->ident = -1;
    gi->conf = conf;

    gi->timer.handler = ngx_stream_dns_geoip_timer;
    gi->timer.data = gi;
    gi->timer.log = cycle->log;
    gi->timer.cancelable = 1;

    ngx_add_timer(&gi->timer, 0);

    return NGX_OK;
}


static void
ngx_stream_dns_geoip_timer(ngx_event_t *ev)
{
    ngx_stream_dns_geoip_t *gi = ev->data;

    if (ngx_terminate || ngx_quit) {
        return;
    }

    if (!gi->writes) {

        /* the process before this one ends soon */

        if (ngx_stream_dns_control_lock_try(gi->conf->shared->lock, ev->log)
            == NGX_OK)
        {
            gi->writes = 1;
            ngx_stream_dns_geoip_open(gi);
        }
    }

    if (gi->writes) {

        if (gi->running != NULL || gi->cleaning) {

            if (__atomic_load_n(&gi->job.ended, __ATOMIC_ACQUIRE)) {
                ngx_stream_dns_geoip_ended(gi);
            }
        }

        if (gi->running == NULL && !gi->cleaning) {
            ngx_stream_dns_geoip_look(gi);
        }
    }

    ngx_add_timer(ev, (gi->writes && gi->running == NULL)
                      ? NGX_STREAM_DNS_GEOIP_TICK
                      : NGX_STREAM_DNS_GEOIP_TICK / 5);
}


/* what a process before this one has announced stays, if it is wanted */

static void
ngx_stream_dns_geoip_open(ngx_stream_dns_geoip_t *gi)
{
    ngx_uint_t                    i, k;
    ngx_stream_dns_geo_entry_t   *entry;
    ngx_stream_dns_geo_shared_t  *shared;

    shared = gi->conf->shared;

    ngx_stream_dns_geoip_begin(shared);

    for (i = 0; i < NGX_STREAM_DNS_GEO_FILES; i++) {

        entry = &shared->entries[i];

        for (k = 0; k < gi->conf->files.nelts; k++) {
            if (gi->files[k].file->id == entry->id) {
                break;
            }
        }

        if (k == gi->conf->files.nelts) {
            ngx_memzero(entry, sizeof(ngx_stream_dns_geo_entry_t));
        }
    }

    ngx_stream_dns_geoip_end(shared);

    gi->dirty = 1;
    gi->clean = ngx_current_msec + NGX_STREAM_DNS_GEOIP_CLEAN;
}


static void
ngx_stream_dns_geoip_look(ngx_stream_dns_geoip_t *gi)
{
    ngx_uint_t  i;

    if (gi->conf->shared->missing) {

        /* a block has gone: all of them are looked at again */

        gi->conf->shared->missing = 0;

        for (i = 0; i < gi->conf->files.nelts; i++) {
            gi->files[i].looked = 0;
            gi->files[i].next = ngx_current_msec;
        }
    }

    for (i = 0; i < gi->conf->files.nelts; i++) {
        if (ngx_stream_dns_geoip_file(gi, &gi->files[i])) {
            return;
        }
    }

    if (gi->dirty && ngx_stream_dns_control->snapshots
        && ngx_stream_dns_geoip_passed(gi->clean))
    {
        ngx_stream_dns_geoip_clean(gi);
    }
}


/* 1: a job has begun */

static ngx_uint_t
ngx_stream_dns_geoip_file(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f)
{
    ngx_err_t                    err;
    struct stat                  sb;
    ngx_dns_geo_ident_t          ident;
    ngx_stream_dns_geo_entry_t  *entry;

    if (!ngx_stream_dns_geoip_passed(f->next)) {
        return 0;
    }

    f->next = ngx_current_msec + NGX_STREAM_DNS_GEOIP_LOOK;

    if (stat((const char *) f->file->path.data, &sb) == -1) {
        err = ngx_errno;

        if (!f->gone) {
            f->gone = 1;
            ngx_log_error(NGX_LOG_ERR, gi->timer.log, err,
                          "stat() \"%V\" of \"dns_geoip\" failed, what is "
                          "known of it is kept", &f->file->path);
        }

        return 0;
    }

    f->gone = 0;

    ngx_stream_dns_geoip_ident(&ident, &sb);

    if (f->looked && ngx_dns_geo_ident_same(&ident, &f->seen)) {

        if (f->to && ngx_stream_dns_geoip_passed(f->again)) {
            ngx_stream_dns_geoip_run(gi, f, &ident);
            return 1;
        }

        return 0;
    }

    entry = ngx_stream_dns_geoip_entry(gi, f);

    if (entry != NULL && entry->state == NGX_STREAM_DNS_GEO_GOOD
        && f->looked && !ngx_stream_dns_geoip_quiet(&sb))
    {
        /* somebody may still be writing, and there is no hurry */

        return 0;
    }

    ngx_stream_dns_geoip_run(gi, f, &ident);

    return 1;
}


static ngx_uint_t
ngx_stream_dns_geoip_quiet(struct stat *sb)
{
    int64_t      age;
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    age = ((int64_t) tp->sec - (int64_t) sb->st_mtim.tv_sec) * 1000
          + (int64_t) tp->msec - (int64_t) sb->st_mtim.tv_nsec / 1000000;

    /* a time to come does not count */

    return (age < 0 || age >= NGX_STREAM_DNS_GEOIP_QUIET);
}


static void
ngx_stream_dns_geoip_run(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f, ngx_dns_geo_ident_t *ident)
{
    ngx_memzero(&gi->job, sizeof(ngx_stream_dns_geoip_job_t));

    gi->job.dir = &gi->conf->dir;
    gi->job.path = &f->file->path;
    gi->job.id = f->file->id;
    gi->job.ident = *ident;

    if (ngx_stream_dns_geoip_job_start(&gi->job, gi->timer.log) != NGX_OK) {
        f->next = ngx_current_msec + NGX_STREAM_DNS_GEOIP_RETRY;
        return;
    }

    gi->running = f;
    gi->started = ngx_current_msec;
}


static void
ngx_stream_dns_geoip_clean(ngx_stream_dns_geoip_t *gi)
{
    ngx_uint_t                   i;
    ngx_stream_dns_geo_entry_t  *entry;

    ngx_memzero(&gi->job, sizeof(ngx_stream_dns_geoip_job_t));

    gi->job.dir = &gi->conf->dir;

    for (i = 0; i < NGX_STREAM_DNS_GEO_FILES; i++) {

        entry = &gi->conf->shared->entries[i];

        if (entry->state == NGX_STREAM_DNS_GEO_GOOD) {
            ngx_memcpy(gi->job.keep[gi->job.nkeep++], entry->hash,
                       NGX_DNS_GEO_HASH);
        }
    }

    gi->dirty = 0;

    if (ngx_stream_dns_geoip_job_start(&gi->job, gi->timer.log) == NGX_OK) {
        gi->cleaning = 1;
    }
}


static void
ngx_stream_dns_geoip_ended(ngx_stream_dns_geoip_t *gi)
{
    ngx_stream_dns_geoip_job_t   *job;
    ngx_stream_dns_geoip_file_t  *f;

    job = &gi->job;
    f = gi->running;

    ngx_stream_dns_geoip_job_join(job);

    gi->running = NULL;

    if (gi->cleaning) {
        gi->cleaning = 0;
        return;
    }

    f->seen = job->ident;
    f->looked = 1;
    f->to = 0;

    switch (job->result) {

    case NGX_STREAM_DNS_GEOIP_GOOD:
        f->told = 0;

        if (!job->settled) {
            f->to = 1;
            f->again = ngx_current_msec + NGX_STREAM_DNS_GEOIP_AGAIN;
        }

        ngx_stream_dns_geoip_good(gi, f);
        break;

    case NGX_STREAM_DNS_GEOIP_CHANGING:

        /* its identity will be another one, or is already */

        f->to = 1;
        f->again = ngx_current_msec + NGX_STREAM_DNS_GEOIP_LOOK;
        break;

    case NGX_STREAM_DNS_GEOIP_REFUSED:
        ngx_stream_dns_geoip_refused(gi, f);
        break;

    default: /* NGX_STREAM_DNS_GEOIP_FAILED */
        f->to = 1;
        f->again = ngx_current_msec + NGX_STREAM_DNS_GEOIP_RETRY;

        if (!f->told) {
            f->told = 1;
            ngx_log_error(NGX_LOG_CRIT, gi->timer.log, job->err,
                          "database \"%V\" cannot be used: %s",
                          &f->file->path, job->failed);
        }

        break;
    }
}


static void
ngx_stream_dns_geoip_good(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f)
{
    ngx_tm_t                      tm;
    ngx_stream_dns_geo_entry_t   *entry, was, now;
    ngx_stream_dns_geoip_job_t   *job;
    ngx_stream_dns_geo_shared_t  *shared;

    job = &gi->job;
    shared = gi->conf->shared;

    entry = ngx_stream_dns_geoip_entry(gi, f);

    if (entry == NULL) {
        return;
    }

    was = *entry;

    now.id = f->file->id;
    now.state = NGX_STREAM_DNS_GEO_GOOD;
    now.dev = job->block.dev;
    now.ino = job->block.ino;
    now.size = job->block.size;
    now.mtime = job->block.mtime;
    now.ctime = job->block.ctime;
    ngx_memcpy(now.hash, job->hash, NGX_DNS_GEO_HASH);

    if (ngx_memcmp(&was, &now, sizeof(ngx_stream_dns_geo_entry_t)) == 0) {
        return;
    }

    ngx_stream_dns_geoip_begin(shared);
    *entry = now;
    ngx_stream_dns_geoip_end(shared);

    if (was.state == NGX_STREAM_DNS_GEO_GOOD
        && ngx_memcmp(was.hash, entry->hash, NGX_DNS_GEO_HASH) == 0)
    {
        return;
    }

    gi->dirty = 1;
    gi->clean = ngx_current_msec + NGX_STREAM_DNS_GEOIP_CLEAN;

    ngx_gmtime((time_t) job->made, &tm);

    ngx_log_error(NGX_LOG_NOTICE, gi->timer.log, 0,
                  "database \"%V\" of %4d-%02d-%02d is used, its tables "
                  "of %uL octets were %s in %M ms", &f->file->path,
                  tm.ngx_tm_year, tm.ngx_tm_mon, tm.ngx_tm_mday,
                  entry->size, job->built ? "made" : "found",
                  ngx_current_msec - gi->started);
}


static void
ngx_stream_dns_geoip_refused(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f)
{
    ngx_stream_dns_geo_entry_t   *entry;
    ngx_stream_dns_geo_shared_t  *shared;

    shared = gi->conf->shared;
    entry = ngx_stream_dns_geoip_entry(gi, f);

    if (entry == NULL || ngx_dns_geo_ident_same(&f->bad, &gi->job.ident)) {
        return;
    }

    f->bad = gi->job.ident;

    if (!gi->job.settled) {
        f->to = 1;
        f->again = ngx_current_msec + NGX_STREAM_DNS_GEOIP_AGAIN;
    }

    ngx_log_error(NGX_LOG_ERR, gi->timer.log, gi->job.err,
                  "database \"%V\" is not used: %s%s", &f->file->path,
                  gi->job.failed,
                  (entry->state == NGX_STREAM_DNS_GEO_GOOD)
                  ? "; what was there before is kept" : "");

    if (entry->state == NGX_STREAM_DNS_GEO_GOOD) {
        return;
    }

    ngx_stream_dns_geoip_begin(shared);

    entry->id = f->file->id;
    entry->state = NGX_STREAM_DNS_GEO_BAD;

    ngx_stream_dns_geoip_end(shared);
}


/* the entry of the file, or one that is free */

static ngx_stream_dns_geo_entry_t *
ngx_stream_dns_geoip_entry(ngx_stream_dns_geoip_t *gi,
    ngx_stream_dns_geoip_file_t *f)
{
    ngx_uint_t                   i;
    ngx_stream_dns_geo_entry_t  *entry, *empty;

    empty = NULL;

    for (i = 0; i < NGX_STREAM_DNS_GEO_FILES; i++) {

        entry = &gi->conf->shared->entries[i];

        if (entry->id == f->file->id) {
            return entry;
        }

        if (entry->id == 0 && empty == NULL) {
            empty = entry;
        }
    }

    return empty;
}


/* the generation is odd while entries change; one that was killed left it so */

static void
ngx_stream_dns_geoip_begin(ngx_stream_dns_geo_shared_t *shared)
{
    shared->generation |= 1;

    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}


static void
ngx_stream_dns_geoip_end(ngx_stream_dns_geo_shared_t *shared)
{
    __atomic_store_n(&shared->generation, shared->generation + 1,
                     __ATOMIC_RELEASE);
}


static ngx_uint_t
ngx_stream_dns_geoip_passed(ngx_msec_t time)
{
    return ((ngx_msec_int_t) (time - ngx_current_msec) <= 0);
}


void
ngx_stream_dns_geoip_ident(ngx_dns_geo_ident_t *ident, const struct stat *sb)
{
    ident->dev = sb->st_dev;
    ident->ino = sb->st_ino;
    ident->size = sb->st_size;
    ident->mtime = sb->st_mtim.tv_sec * 1000000000ull + sb->st_mtim.tv_nsec;
    ident->ctime = sb->st_ctim.tv_sec * 1000000000ull + sb->st_ctim.tv_nsec;
}

#else

ngx_int_t
ngx_stream_dns_geoip_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    return NGX_OK;
}

#endif
