
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_INDEX_H_INCLUDED_
#define _NGX_DNS_INDEX_H_INCLUDED_


#include "ngx_dns_zone.h"


/*
 * What can be derived from the nodes of a zone: made by the compiler, made
 * anew or compared by the verifier.  None of the functions allocates.
 */


#define ngx_dns_index_nbuckets(nnodes)                                       \
    ((uint32_t) ((nnodes) / NGX_DNS_BUCKET_FILL + 1))

/* Puts a node that is not in it yet into the hash. */
void ngx_dns_index_insert(ngx_dns_zone_t *zone, uint64_t hash,
    uint32_t place);

/*
 * NGX_OK if node is on the list of proofs: an owner of NSEC, if param is
 * NULL, else of an NSEC3 of the chain of param, which ngx_dns_index_param()
 * gives by the flags of the zone.
 */
u_char *ngx_dns_index_param(const ngx_dns_zone_t *zone);
ngx_int_t ngx_dns_index_denies(const ngx_dns_node_t *node,
    const u_char *param);

/*
 * The node that an RR links to, when all nodes are in the hash.
 *
 * owner         place of the node that owns the RR
 * target, last  the name in its RDATA, sound, and the end of the RDATA
 * name          set on NGX_OK
 * link          set to the place of the node, 0: there is none
 *
 * NGX_OK        the target is a name of this zone
 * NGX_DECLINED  it is none, or the owner itself (SVCB)
 */
ngx_int_t ngx_dns_index_target(const ngx_dns_zone_t *zone, uint32_t owner,
    ngx_uint_t type, const u_char *target, const u_char *last,
    ngx_dns_key_t *key, ngx_dns_name_t *name, uint32_t *link);


#endif /* _NGX_DNS_INDEX_H_INCLUDED_ */
