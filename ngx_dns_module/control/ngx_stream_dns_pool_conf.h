
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_POOL_CONF_H_INCLUDED_
#define _NGX_STREAM_DNS_POOL_CONF_H_INCLUDED_


#include "ngx_stream_dns_control_conf.h"


/*
 * All has been read: what pools need of other directives.  Health checks
 * without a state directory are an error; places and networks that nobody
 * can know, a warning.
 */
char *ngx_stream_dns_pools_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);


#endif /* _NGX_STREAM_DNS_POOL_CONF_H_INCLUDED_ */
