
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GEO_BUILD_H_INCLUDED_
#define _NGX_DNS_GEO_BUILD_H_INCLUDED_


#include "ngx_dns_geo.h"
#include "ngx_dns_records.h"


/*
 * Makes the block of ngx_dns_geo.h from a database in MaxMind's format: City,
 * Country, ASN, Enterprise, and those with flat records ("country_code",
 * "asn", "latitude" at the top level).  What the database knows is found out
 * from its records.
 *
 * path   a file that nobody changes: it is mapped
 * block  set on NGX_OK: *size octets from mem, the caller's
 * err    set on failure: a text that stays
 *
 * NGX_OK
 * NGX_DECLINED  it is no such database, is damaged, or knows none of the facts
 * NGX_ERROR     no memory
 *
 * Takes seconds for large databases.
 */
ngx_int_t ngx_dns_geo_build(const char *path, ngx_dns_memory_t *mem,
    ngx_dns_geo_t **block, size_t *size, const char **err);


#endif /* _NGX_DNS_GEO_BUILD_H_INCLUDED_ */
