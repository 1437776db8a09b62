
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_SNAPSHOT_CTX_H_INCLUDED_
#define _NGX_STREAM_DNS_SNAPSHOT_CTX_H_INCLUDED_


#include "ngx_dns_snapshot_format.h"
#include "ngx_stream_dns_snapshot.h"
#include "ngx_stream_dns_snapshot_relay.h"


/* What the snapshots of one source have, shared by the files of them. */

#define NGX_STREAM_DNS_COPY  (256 * 1024)       /* octets between two looks */

/* names of files, in the memory of the cycle; they end with a zero octet */

typedef struct {
    u_char                     *dir;
    u_char                     *path;   /* DIR/NAME.snapshot */
    u_char                     *tmp;    /* DIR/NAME.snapshot.tmp.PID */
    ngx_str_t                   prefix; /* NAME.snapshot.tmp. */
} ngx_stream_dns_names_t;


/* the writing of one snapshot; what stands behind "thread" is the thread's */

typedef struct {
    ngx_stream_dns_relay_t      relay;

    uint64_t                    cursor;
    ngx_dns_zone_t             *zone;   /* not copied whole yet; held */
    uint64_t                    offset; /* octets of it that are */
    ngx_dns_snapshot_head_t     head;   /* without digest */
    ngx_uint_t                  filled; /* 1: the last buffer is on its way */

    /* thread: paths end with a zero octet */

    ngx_stream_dns_names_t     *names;
    ngx_fd_t                    fd;
    uint64_t                    size;   /* octets written */
    ngx_err_t                   err;
    const char                 *failed; /* the call that did; NULL: none */
} ngx_stream_dns_save_t;


/* the loading of one */

typedef struct {
    ngx_stream_dns_relay_t      relay;
    ngx_event_t                 timer;
    void                      (*done)(ngx_stream_dns_source_t *src);
    ngx_msec_t                  start;

    size_t                      pos;    /* in the buffer that is emptied */
    uint64_t                    place;  /* of a large zone, half copied */
    uint64_t                    copied;

    uint64_t                    zones;
    uint64_t                    full;   /* zones that found no room */
    uint64_t                    missing;        /* octets that they need */
    ngx_uint_t                  checked;        /* the head is known */
    ngx_uint_t                  failed;         /* no memory to publish */

    /* thread */

    ngx_fd_t                    fd;
    ngx_dns_key_t              *key;
    uint64_t                    signature;
    ngx_dns_snapshot_reader_t   reader;
    u_char                     *window; /* of the file */
    uint64_t                    window_at;
    size_t                      window_len;
    ngx_uint_t                  sound;  /* 1: it was read to its end */
} ngx_stream_dns_load_t;


typedef struct {
    ngx_stream_dns_source_t    *source;
    ngx_uint_t                  dirty;
    ngx_msec_t                  next;   /* not before */
    ngx_uint_t                  saving;
    ngx_uint_t                  loaded; /* 1: load was called */
    ngx_err_t                   told;   /* the error that was logged last */
    ngx_stream_dns_names_t      names;

    ngx_stream_dns_save_t       save;
    ngx_stream_dns_load_t       load;
} ngx_stream_dns_snapshot_t;


/* NULL: no memory */
ngx_stream_dns_snapshot_t *ngx_stream_dns_snapshot_get(
    ngx_stream_dns_source_t *src);

/* ngx_stream_dns_snapshot_save.c; NGX_AGAIN: not done yet */
ngx_int_t ngx_stream_dns_save_begin(ngx_stream_dns_snapshot_t *snap);
ngx_int_t ngx_stream_dns_save_step(ngx_stream_dns_snapshot_t *snap);


#endif /* _NGX_STREAM_DNS_SNAPSHOT_CTX_H_INCLUDED_ */
