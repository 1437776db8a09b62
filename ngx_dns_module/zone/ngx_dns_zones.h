
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_ZONES_H_INCLUDED_
#define _NGX_DNS_ZONES_H_INCLUDED_


#include "ngx_dns_zone.h"


/* The zones of one server, by apex. */

typedef struct ngx_dns_zones_s  ngx_dns_zones_t;


/*
 * Makes a set of n zones in pool.  The zones stay where they are and must
 * outlive it.  NULL: no memory.
 */
ngx_dns_zones_t *ngx_dns_zones_create(ngx_pool_t *pool, ngx_dns_zone_t **zone,
    ngx_uint_t n, ngx_dns_key_t *key);

/*
 * The zone with the longest apex at or above name, or NULL.
 *
 * above  1: the apex itself does not count (DS is the parent's,
 *        RFC 4035, 3.1.4.1), unless no other zone is found
 *
 * Does not allocate.  RFC 1034, 4.3.2, step 2.
 */
ngx_dns_zone_t *ngx_dns_zones_find(const ngx_dns_zones_t *zones,
    const ngx_dns_name_t *name, ngx_uint_t above);

/* All zones, one after the other: *cursor begins with 0.  NULL: no more. */
ngx_dns_zone_t *ngx_dns_zones_next(const ngx_dns_zones_t *zones,
    ngx_uint_t *cursor);


#endif /* _NGX_DNS_ZONES_H_INCLUDED_ */
