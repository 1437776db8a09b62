
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_VARIABLES_H_INCLUDED_
#define _NGX_STREAM_DNS_VARIABLES_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/* Adds the variables of the module; its "preconfiguration". */
ngx_int_t ngx_stream_dns_variables_add(ngx_conf_t *cf);


#endif /* _NGX_STREAM_DNS_VARIABLES_H_INCLUDED_ */
