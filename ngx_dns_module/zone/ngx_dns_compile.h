
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_COMPILE_H_INCLUDED_
#define _NGX_DNS_COMPILE_H_INCLUDED_


#include "ngx_dns_records.h"
#include "ngx_dns_zone.h"


/*
 * Compiles the records into one immutable block of memory: *zone, *size
 * octets, got from mem and owned by the caller from then on.  Reports what
 * the semantic checks find.
 *
 * key  the server's hash key; the block works with this key only
 *
 * NGX_OK     *zone and *size are set
 * NGX_ERROR  no memory, or an error was reported; nothing is set
 */
ngx_int_t ngx_dns_compile(ngx_dns_records_t *rs, ngx_dns_key_t *key,
    ngx_dns_memory_t *mem, ngx_dns_zone_t **zone, size_t *size);


#endif /* _NGX_DNS_COMPILE_H_INCLUDED_ */
