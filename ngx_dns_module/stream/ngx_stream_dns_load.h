
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_LOAD_H_INCLUDED_
#define _NGX_STREAM_DNS_LOAD_H_INCLUDED_


#include "ngx_dns_pools.h"
#include "ngx_dns_zone.h"
#include "ngx_stream_dns_files.h"


/* a pool that a zone has addresses of, and what it was then */

typedef struct {
    ngx_str_t               name;
    uint64_t                digest;
} ngx_stream_dns_used_pool_t;


/*
 * A compiled zone of a file.  It lives on the heap, outside of any
 * configuration, and as long as one refers to it.
 */

typedef struct {
    ngx_uint_t              refs;
    ngx_dns_zone_t         *zone;
    size_t                  size;       /* octets */
    ngx_uint_t              settled;    /* 0: do not trust the files' times */
    ngx_uint_t              nfiles;
    ngx_stream_dns_file_t  *files;      /* its own and all included */
    ngx_uint_t              npools;
    ngx_stream_dns_used_pool_t
                           *pools;
} ngx_stream_dns_file_zone_t;


typedef struct {
    ngx_str_t              *name;       /* as text */
    u_char                 *apex;       /* wire format */
    ngx_str_t              *path;       /* full */
    uint32_t                default_ttl;
    ngx_dns_key_t          *key;
    ngx_dns_pools_t        *pools;      /* NULL: there are none */
    ngx_log_t              *log;
} ngx_stream_dns_load_t;


/*
 * Reads and compiles a zone; old is what it was before, or NULL.  Logs
 * errors, warnings, progress and what has been loaded.
 *
 * Returns the zone with one reference, which is the caller's; NULL: an
 * error, logged.
 */
ngx_stream_dns_file_zone_t *ngx_stream_dns_load(ngx_stream_dns_load_t *load,
    ngx_stream_dns_file_zone_t *old);

/*
 * NGX_OK if no file of the zone and none of the pools it uses has changed,
 * else NGX_DECLINED.
 */
ngx_int_t ngx_stream_dns_load_unchanged(ngx_stream_dns_file_zone_t *fz,
    ngx_dns_pools_t *pools);

/* Drops one reference. */
void ngx_stream_dns_load_release(ngx_stream_dns_file_zone_t *fz);


#endif /* _NGX_STREAM_DNS_LOAD_H_INCLUDED_ */
