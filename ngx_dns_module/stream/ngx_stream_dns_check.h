
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_CHECK_H_INCLUDED_
#define _NGX_STREAM_DNS_CHECK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Refuses what the UDP sockets of a complete configuration cannot do.
 *
 * NGX_CONF_ERROR  the reason has been logged
 */
char *ngx_stream_dns_check(ngx_cycle_t *cycle);


#endif /* _NGX_STREAM_DNS_CHECK_H_INCLUDED_ */
