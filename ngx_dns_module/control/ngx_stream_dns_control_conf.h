
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_CONTROL_CONF_H_INCLUDED_
#define _NGX_STREAM_DNS_CONTROL_CONF_H_INCLUDED_


#include "ngx_stream_dns_control.h"
#include "ngx_stream_dns_health.h"
#include "ngx_stream_dns_region.h"


#define NGX_STREAM_DNS_SHARED_MIN  (1024 * 1024)    /* octets */
#define NGX_STREAM_DNS_LOCK        16       /* uint64_t's of a mutex */


/* "dns_redis" as written, until the configuration has been read */

typedef struct {
    ngx_stream_dns_source_t     *source;
    ngx_stream_dns_srv_conf_t   *dscf;      /* of where it is written */
    ngx_stream_core_srv_conf_t  *cscf;
} ngx_stream_dns_source_conf_t;


/* of the module in "stream" */

typedef struct {
    ngx_stream_dns_control_t     control;
    ngx_path_t                  *path;      /* NULL: no "dns_state_path" */
    ngx_array_t                  confs;     /* ngx_stream_dns_source_conf_t */
    void                        *geoip;     /* ngx_stream_dns_geoip_conf_t, or
                                               NULL */
    void                        *aname;     /* ngx_stream_dns_aname_conf_t, or
                                               NULL */
    ngx_stream_dns_health_conf_t health;
} ngx_stream_dns_control_main_conf_t;


/*
 * "dns_redis": cf->args to a source, its region, and its shared memory.
 * Returns NGX_CONF_OK, NGX_CONF_ERROR (logged), or a text.
 */
char *ngx_stream_dns_control_redis(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);

/*
 * What can be told of sources only when all has been read: TTLs, resolver,
 * signature.
 */
char *ngx_stream_dns_control_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);

/* Adds the shared memory of a source. */
ngx_int_t ngx_stream_dns_control_shared_add(ngx_conf_t *cf,
    ngx_stream_dns_source_t *src);

/*
 * Makes this process the control process.  NGX_ERROR: no memory, logged.
 */
ngx_int_t ngx_stream_dns_control_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf);

/*
 * One source in the control process: start, before the first tick; NGX_ERROR:
 * no memory, logged.  tick: every 10 ms.
 */
ngx_int_t ngx_stream_dns_control_source_start(ngx_stream_dns_source_t *src);
void ngx_stream_dns_control_source_tick(ngx_stream_dns_source_t *src);

/*
 * The mutex of writers of a region, NGX_STREAM_DNS_LOCK elements in its head:
 * made in a region nobody knows yet; try does not wait.
 *
 * NGX_OK        this process is the writer now
 * NGX_DECLINED  another one is
 * NGX_ERROR     logged
 */
ngx_int_t ngx_stream_dns_control_lock_init(uint64_t *lock, ngx_log_t *log);
ngx_int_t ngx_stream_dns_control_lock_try(uint64_t *lock, ngx_log_t *log);

/*
 * A zone that a server has from a file as well: it is told once, while both
 * are there.  init: for all servers of a source, when the process starts;
 * NGX_ERROR: no memory.  look: at some of their zones each time.
 */
ngx_int_t ngx_stream_dns_control_files_init(ngx_cycle_t *cycle,
    ngx_stream_dns_source_t *src);
void ngx_stream_dns_control_files_look(ngx_stream_dns_source_t *src);

/* Gives the variables with counters of sources that are used their values. */
ngx_int_t ngx_stream_dns_control_variables(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);


#endif /* _NGX_STREAM_DNS_CONTROL_CONF_H_INCLUDED_ */
