
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_HEALTH_REDIS_H_INCLUDED_
#define _NGX_STREAM_DNS_HEALTH_REDIS_H_INCLUDED_


#include "ngx_stream_dns_control.h"


/*
 * States of the targets of zones in Redis, as keys of the same Redis (docs,
 * redis.md).  While this process checks them it writes the keys; while it
 * writes the table of states without checking it reads them.  Each source has
 * a connection of its own for that, once it has a target.
 *
 * start  of the process, before targets are added; NGX_ERROR: no memory
 * tick   every 10 ms
 */

ngx_int_t ngx_stream_dns_health_redis_start(ngx_cycle_t *cycle);
void ngx_stream_dns_health_redis_tick(void);


#endif /* _NGX_STREAM_DNS_HEALTH_REDIS_H_INCLUDED_ */
