
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_FILES_H_INCLUDED_
#define _NGX_STREAM_DNS_FILES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_dns_master.h"


/* What tells a file that has been read from a changed one. */

typedef struct {
    ngx_str_t           path;
    dev_t               dev;
    ino_t               ino;
    off_t               size;
    struct timespec     mtime;
    struct timespec     ctime;
} ngx_stream_dns_file_t;


/*
 * The files of one zone while it is read: callbacks of the master-file
 * reader, the marks of all files opened, and how much has been read.
 */

typedef struct {
    ngx_dns_files_t     callbacks;
    ngx_pool_t         *pool;           /* paths, handles */
    ngx_log_t          *log;
    ngx_str_t          *name;           /* of the zone, for the log */

    ngx_array_t         files;          /* ngx_stream_dns_file_t */
    ngx_uint_t          settled;        /* 1: none changed just before */

    off_t               total;          /* octets of the files so far */
    off_t               done;           /* octets read of them */
    ngx_msec_t          start;          /* monotonic milliseconds */
    ngx_msec_t          shown;
    u_char              errstr[NGX_MAX_ERROR_STR];
} ngx_stream_dns_files_t;


/* Prepares; pool has to live as long.  NGX_ERROR: no memory. */
ngx_int_t ngx_stream_dns_files_init(ngx_stream_dns_files_t *files,
    ngx_pool_t *pool, ngx_log_t *log, ngx_str_t *name);

/* Logs how far it is if that has not been done for some seconds. */
void ngx_stream_dns_files_progress(ngx_stream_dns_files_t *files);

/* NGX_OK if the file still is the one that was read, else NGX_DECLINED. */
ngx_int_t ngx_stream_dns_files_unchanged(ngx_stream_dns_file_t *file);

/* Monotonic milliseconds; nginx's cached clock stands while it configures. */
ngx_msec_t ngx_stream_dns_files_clock(void);


#endif /* _NGX_STREAM_DNS_FILES_H_INCLUDED_ */
