
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_PLACES_H_INCLUDED_
#define _NGX_DNS_PLACES_H_INCLUDED_


#include "ngx_dns_geo.h"


/*
 * What a worker knows of places: for each fact and family the block that
 * tells it.  Blocks are exchanged between batches only.
 */

typedef struct {
    const ngx_dns_geo_t  *geo[NGX_DNS_GEO_FACTS][2];    /* IPv4, IPv6; NULL:
                                                           nobody knows */
    uint8_t               ready;        /* 0: databases are configured, and
                                           what is made of them is not there
                                           yet */
} ngx_dns_places_t;


/*
 * A fact of an address.
 *
 * len   4 or 16
 * bits  set to the length of the largest network around it with this fact;
 *       0 if nobody knows the fact of any address of this family
 *
 * Returns the fact, 0: unknown.  Does not allocate.
 */

static ngx_inline uint32_t
ngx_dns_places_find(ngx_dns_places_t *pl, ngx_uint_t fact,
    const u_char *address, size_t len, ngx_uint_t *bits)
{
    const ngx_dns_geo_t  *geo;

    geo = pl->geo[fact][len == 16];

    if (geo == NULL) {
        *bits = 0;
        return 0;
    }

    return ngx_dns_geo_find(geo, fact, address, len, bits);
}


/*
 * The point that the fact NGX_DNS_GEO_POINT of an address of len octets
 * stands for: 3 coordinates on the unit sphere.
 */

static ngx_inline void
ngx_dns_places_point(ngx_dns_places_t *pl, size_t len, uint32_t i,
    double *point)
{
    ngx_dns_geo_point(pl->geo[NGX_DNS_GEO_POINT][len == 16], i, point);
}


#endif /* _NGX_DNS_PLACES_H_INCLUDED_ */
