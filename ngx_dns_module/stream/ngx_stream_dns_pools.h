
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_POOLS_H_INCLUDED_
#define _NGX_STREAM_DNS_POOLS_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/* The directive "dns_pool". */
char *ngx_stream_dns_pool(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * All of "stream" has been read: makes pools ready for the zones that name
 * them, once.  NGX_ERROR: no memory.
 */
ngx_int_t ngx_stream_dns_pools_settle(ngx_conf_t *cf,
    ngx_stream_dns_main_conf_t *dmcf);


#endif /* _NGX_STREAM_DNS_POOLS_H_INCLUDED_ */
