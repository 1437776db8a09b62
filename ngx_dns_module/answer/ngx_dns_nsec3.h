
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_NSEC3_H_INCLUDED_
#define _NGX_DNS_NSEC3_H_INCLUDED_


#include "ngx_dns_zone.h"


#define NGX_DNS_NSEC3_LABEL   33        /* octets with the length octet */

/*
 * The first label of the NSEC3 owner of a name, by the NSEC3PARAM at the
 * zone's apex.
 *
 * name   absolute, lower case
 * label  room for NGX_DNS_NSEC3_LABEL octets
 *
 * NGX_DECLINED: the zone's parameters are not ones of RFC 5155.
 * Does not allocate.  RFC 5155, 5.
 */
ngx_int_t ngx_dns_nsec3_label(const ngx_dns_zone_t *zone, const u_char *name,
    u_char *label);


#endif /* _NGX_DNS_NSEC3_H_INCLUDED_ */
