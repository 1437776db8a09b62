
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_MODULE_H_INCLUDED_
#define _NGX_DNS_MODULE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_dns_name.h"


/*
 * What belongs to the whole configuration (a cycle), not to a server: the
 * compiled file zones, each once however many servers have it.
 */

typedef struct {
    ngx_rbtree_t        zones;          /* ngx_stream_dns_file_node_t */
    ngx_rbtree_node_t   sentinel;
    ngx_uint_t          enabled;        /* servers with "dns on" */
    ngx_uint_t          failed;         /* zones that were refused */
} ngx_dns_conf_t;


/*
 * The hash key of this nginx: drawn at random in the master before the first
 * zone is compiled, the same over all reloads, inherited by the workers.
 *
 * NULL  no random numbers; logged
 */
ngx_dns_key_t *ngx_dns_key(ngx_log_t *log);


extern ngx_module_t  ngx_dns_module;


#endif /* _NGX_DNS_MODULE_H_INCLUDED_ */
