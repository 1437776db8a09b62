
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GEO_H_INCLUDED_
#define _NGX_DNS_GEO_H_INCLUDED_


#include "ngx_dns.h"


/*
 * Where addresses are, made from a database for looking up fast: for each
 * fact the address space is cut into the largest networks in which the fact
 * is the same, so one lookup gives the fact and the scope.  One block of
 * memory without pointers:
 *
 *     head | for each fact and family: index, starts, values, bits | points
 *
 * IPv6 is looked at to 64 bits; addresses ::ffff:0:0/96 are IPv4.
 */

#define NGX_DNS_GEO_MAGIC     0x4e444731
#define NGX_DNS_GEO_VERSION   3         /* grows with what is made of a
                                           database, too: blocks are kept */
#define NGX_DNS_GEO_INDEX     65537     /* entries: by the first 16 bits */

typedef enum {
    NGX_DNS_GEO_COUNTRY = 0,            /* two letters, 0: unknown */
    NGX_DNS_GEO_CONTINENT,              /* two letters, 0: unknown */
    NGX_DNS_GEO_ASN,                    /* 0: unknown */
    NGX_DNS_GEO_POINT,                  /* place in points; 0: unknown */
    NGX_DNS_GEO_NETWORK,                /* ngx_dns_network_id(); 0: none */
    NGX_DNS_GEO_FACTS
} ngx_dns_geo_fact_e;

/* networks in ascending order; together they are the whole space */

typedef struct {
    uint64_t   n;                       /* 0: the database has no such fact */
    uint64_t   index;                   /* octets from the head: uint32_t, */
    uint64_t   starts;                  /* uint32_t or uint64_t, */
    uint64_t   values;                  /* uint32_t, */
    uint64_t   bits;                    /* uint8_t */
} ngx_dns_geo_list_t;

typedef struct {
    uint32_t             magic;
    uint32_t             version;
    uint64_t             size;          /* octets */
    uint64_t             built;         /* seconds: of the database */
    uint64_t             npoints;
    uint64_t             points;        /* 3 floats each */
    ngx_dns_geo_list_t   lists[NGX_DNS_GEO_FACTS][2];   /* IPv4, IPv6 */
} ngx_dns_geo_t;


/*
 * Checks that a block of size octets is sound, so that no lookup reads
 * outside of it.  NGX_OK or NGX_DECLINED.
 */
ngx_int_t ngx_dns_geo_check(const void *block, size_t size);

/*
 * 1 if the block knows this fact of addresses of any family.
 */
ngx_uint_t ngx_dns_geo_has(const ngx_dns_geo_t *geo, ngx_uint_t fact);

/*
 * A fact of an address.
 *
 * len   4 or 16
 * bits  set to the length of the largest network around it with this fact
 *
 * Returns the fact, 0: unknown.  Does not allocate.
 */
uint32_t ngx_dns_geo_find(const ngx_dns_geo_t *geo, ngx_uint_t fact,
    const u_char *address, size_t len, ngx_uint_t *bits);

/* A point by its number, 1 and up: 3 coordinates on the unit sphere. */
void ngx_dns_geo_point(const ngx_dns_geo_t *geo, uint32_t i, double *point);


#endif /* _NGX_DNS_GEO_H_INCLUDED_ */
