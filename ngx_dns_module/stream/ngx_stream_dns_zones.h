
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_ZONES_H_INCLUDED_
#define _NGX_STREAM_DNS_ZONES_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/*
 * Loads the file zones of a server, or takes over those of the last
 * configuration whose files have not changed, and sets dscf->answer.zones.
 * In the process that only sends a signal the files are just opened.
 *
 * NGX_CONF_ERROR  the reasons have been logged
 */
char *ngx_stream_dns_zones(ngx_conf_t *cf, ngx_stream_dns_srv_conf_t *dscf);

/* Gives back what a configuration holds; handler of a pool cleanup. */
void ngx_stream_dns_zones_cleanup(void *data);


#endif /* _NGX_STREAM_DNS_ZONES_H_INCLUDED_ */
