
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_PHASES_H_INCLUDED_
#define _NGX_STREAM_DNS_PHASES_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/*
 * The phases in front of the SSL phase, as a datagram goes through them.
 * Only handlers that finish at once may run there: those of the modules that
 * come with nginx.
 */

typedef struct {
    ngx_stream_handler_pt   handler;
    ngx_uint_t              next;       /* where NGX_OK goes */
} ngx_stream_dns_phase_t;


/* NGX_DECLINED: a module that is not known has a handler there. */
ngx_int_t ngx_stream_dns_phases_check(ngx_cycle_t *cycle,
    ngx_stream_core_main_conf_t *cmcf);

/*
 * The handlers that can have an effect in a server, in the order they run;
 * array of ngx_stream_dns_phase_t in cycle->pool, perhaps empty.  NULL: no
 * memory.
 */
ngx_array_t *ngx_stream_dns_phases_create(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx);

/* 1 if something is logged per session in a server. */
ngx_uint_t ngx_stream_dns_phases_log(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx);

/* 1 if a file of "access_log" has no buffer. */
ngx_uint_t ngx_stream_dns_phases_log_unbuffered(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx);

/* 1 if "limit_conn" is set in a server. */
ngx_uint_t ngx_stream_dns_phases_limit_conn(ngx_cycle_t *cycle,
    ngx_stream_conf_ctx_t *ctx);


#endif /* _NGX_STREAM_DNS_PHASES_H_INCLUDED_ */
