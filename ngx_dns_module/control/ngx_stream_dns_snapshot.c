
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_snapshot_ctx.h"


static ngx_int_t ngx_stream_dns_snapshot_names(
    ngx_stream_dns_snapshot_t *snap);
static void ngx_stream_dns_snapshot_begin(ngx_stream_dns_snapshot_t *snap);
static void ngx_stream_dns_snapshot_end(ngx_stream_dns_snapshot_t *snap,
    const char *what, ngx_err_t err);


/*
 * What the writer before this one did not write down any more is not known:
 * a new writer begins with a snapshot, but not at once.
 */

ngx_stream_dns_snapshot_t *
ngx_stream_dns_snapshot_get(ngx_stream_dns_source_t *src)
{
    ngx_stream_dns_snapshot_t  *snap;

    if (src->snap != NULL) {
        return src->snap;
    }

    snap = ngx_pcalloc(ngx_cycle->pool, sizeof(ngx_stream_dns_snapshot_t));
    if (snap == NULL) {
        return NULL;
    }

    snap->source = src;
    snap->dirty = 1;
    snap->next = ngx_current_msec
                 + (src->shared->ready ? src->snapshot : 0);

    if (ngx_stream_dns_snapshot_names(snap) != NGX_OK) {
        return NULL;
    }

    src->snap = snap;

    return snap;
}


static ngx_int_t
ngx_stream_dns_snapshot_names(ngx_stream_dns_snapshot_t *snap)
{
    u_char                  *p;
    size_t                   len;
    ngx_str_t               *dir, *name;
    ngx_stream_dns_names_t  *names;

    dir = &ngx_stream_dns_control->path;
    name = &snap->source->name;
    names = &snap->names;

    len = dir->len + 1 + name->len + sizeof(".snapshot.tmp.")
          + NGX_INT64_LEN;

    p = ngx_pnalloc(ngx_cycle->pool, 4 * len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    names->dir = p;
    names->path = p + len;
    names->tmp = p + 2 * len;
    names->prefix.data = p + 3 * len;

    ngx_sprintf(names->dir, "%V%Z", dir);
    ngx_sprintf(names->path, "%V/%V.snapshot%Z", dir, name);
    ngx_sprintf(names->tmp, "%V/%V.snapshot.tmp.%P%Z", dir, name, ngx_pid);

    names->prefix.len = ngx_sprintf(names->prefix.data, "%V.snapshot.tmp.",
                                    name)
                        - names->prefix.data;

    return NGX_OK;
}


void
ngx_stream_dns_snapshot_change(ngx_stream_dns_source_t *src)
{
    ngx_stream_dns_snapshot_t  *snap;

    snap = ngx_stream_dns_snapshot_get(src);

    if (snap != NULL) {
        snap->dirty = 1;
    }
}


void
ngx_stream_dns_snapshot_tick(ngx_stream_dns_source_t *src)
{
    ngx_int_t                   rc;
    ngx_stream_dns_snapshot_t  *snap;

    if (src->snapshot == 0) {
        return;
    }

    snap = ngx_stream_dns_snapshot_get(src);
    if (snap == NULL) {
        return;
    }

    if (!snap->saving) {

        if (snap->dirty && src->shared->ready
            && ngx_stream_dns_control->snapshots
            && (ngx_msec_int_t) (ngx_current_msec - snap->next) >= 0)
        {
            ngx_stream_dns_snapshot_begin(snap);
        }

        return;
    }

    rc = ngx_stream_dns_save_step(snap);

    if (rc == NGX_AGAIN) {
        return;
    }

    snap->saving = 0;

    ngx_stream_dns_snapshot_end(snap, snap->save.failed, snap->save.err);
}


/* what changes from now on is for the next one */

static void
ngx_stream_dns_snapshot_begin(ngx_stream_dns_snapshot_t *snap)
{
    snap->dirty = 0;
    snap->next = ngx_current_msec + snap->source->snapshot;

    if (ngx_stream_dns_save_begin(snap) == NGX_OK) {
        snap->saving = 1;
        return;
    }

    ngx_stream_dns_snapshot_end(snap, "pthread_create()", ngx_errno);
}


/* one line when it begins to fail in this way, one when it works again */

static void
ngx_stream_dns_snapshot_end(ngx_stream_dns_snapshot_t *snap,
    const char *what, ngx_err_t err)
{
    ngx_stream_dns_source_t  *src;

    src = snap->source;
    snap->next = ngx_current_msec + src->snapshot;

    if (what != NULL) {
        snap->dirty = 1;

        if (snap->told != err) {
            snap->told = err;
            ngx_log_error(NGX_LOG_ERR, src->log, err,
                          "no snapshot can be written, the last one stays: "
                          "%s failed, \"%s\"", what, snap->names.tmp);
        }

        return;
    }

    if (snap->told != 0) {
        snap->told = 0;
        ngx_log_error(NGX_LOG_NOTICE, src->log, 0,
                      "snapshots are written again");
    }

    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_SNAPSHOTS)++;
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_SNAPSHOT_TIME) = ngx_time();
    ngx_stream_dns_stat(src, NGX_STREAM_DNS_STAT_SNAPSHOT_SIZE) =
                                                              snap->save.size;

    ngx_log_error(NGX_LOG_INFO, src->log, 0,
                  "snapshot of %uL zones written, %uL octets",
                  snap->save.head.zones, snap->save.size);
}
