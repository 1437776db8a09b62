
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_ECS_H_INCLUDED_
#define _NGX_DNS_ECS_H_INCLUDED_


#include "ngx_dns.h"


#define NGX_DNS_ECS_MAX       (4 + 16)  /* octets of the option's data */

#define NGX_DNS_ECS_INET      1         /* families, RFC 7871, 6 */
#define NGX_DNS_ECS_INET6     2


/*
 * Whose answer it is to be: the client subnet of a query, or the address that
 * it came from.  IPv4 addresses in IPv6 (::ffff:0:0/96) are IPv4.
 */

typedef struct {
    u_char     address[16];             /* octets behind the prefix are 0 */
    uint8_t    len;                     /* 4, 16; 0: the client wants none */
    uint8_t    bits;                    /* of the address that are known */
    uint8_t    mapped;                  /* 1: it was written as IPv6 */
} ngx_dns_ecs_t;


/*
 * Reads the data of a client subnet option.
 *
 * NGX_OK     ecs is set; with source prefix length 0 its len is 0
 * NGX_ERROR  FORMERR: too short or too long for its prefix, bits set behind
 *            the prefix, prefix too long, scope other than 0, unknown family
 *            (but for family 0 with prefix 0, which some send for "none")
 *
 * Does not allocate.  RFC 7871, 6, 7.1.2, 7.2.1.
 */
ngx_int_t ngx_dns_ecs_parse(ngx_dns_ecs_t *ecs, const u_char *data,
    size_t len);

/*
 * The same from the address of a packet: len octets, 4 or 16, or 0 if nobody
 * knows it.
 */
void ngx_dns_ecs_address(ngx_dns_ecs_t *ecs, const u_char *address,
    size_t len);

/*
 * The scope to write for an answer that depends on so many bits of the
 * address as looked up; never more than its family has.
 */
ngx_uint_t ngx_dns_ecs_scope(const ngx_dns_ecs_t *ecs, ngx_uint_t bits);


#endif /* _NGX_DNS_ECS_H_INCLUDED_ */
