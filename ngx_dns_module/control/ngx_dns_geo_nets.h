
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GEO_NETS_H_INCLUDED_
#define _NGX_DNS_GEO_NETS_H_INCLUDED_


#include "ngx_dns_geo.h"
#include "ngx_dns_records.h"


/* A network that somebody has given a name. */

typedef struct {
    uint64_t       start;               /* first address; of IPv6 its upper 64
                                           bits */
    uint32_t       value;               /* of the name, not 0 */
    uint8_t        bits;                /* up to 32, or 64 */
    uint8_t        v6;

    uint32_t       line;                /* the caller's: where it is written */
    const u_char  *file;
} ngx_dns_geo_net_t;


/* Puts networks into order: by family, first address, and length. */
void ngx_dns_geo_nets_sort(ngx_dns_geo_net_t *nets, size_t n);

/*
 * Makes a block of ngx_dns_geo.h that knows the fact NGX_DNS_GEO_NETWORK.  Of
 * networks in each other the longest prefix counts.
 *
 * nets  n of them, in order, none twice
 * geo   set on NGX_OK: *size octets from mem, the caller's
 *
 * NGX_OK, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_dns_geo_nets(const ngx_dns_geo_net_t *nets, size_t n,
    ngx_dns_memory_t *mem, ngx_dns_geo_t **geo, size_t *size);


#endif /* _NGX_DNS_GEO_NETS_H_INCLUDED_ */
