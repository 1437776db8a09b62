
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_UPSTREAM_H_INCLUDED_
#define _NGX_DNS_UPSTREAM_H_INCLUDED_


#include "ngx_dns_ecs.h"
#include "ngx_dns_name.h"


/*
 * Queries to a resolver, for the addresses of a name, and its replies, which
 * may be anything.
 */


#define NGX_DNS_UPSTREAM_SIZE      1232     /* octets of a UDP reply */
#define NGX_DNS_UPSTREAM_QUERY     320      /* octets of a query, at most */
#define NGX_DNS_UPSTREAM_CHAIN     16       /* CNAMEs */
#define NGX_DNS_UPSTREAM_RECORDS   2048     /* in the answer section */
#define NGX_DNS_UPSTREAM_DATA      (NGX_DNS_UPSTREAM_RECORDS * 18)

#define NGX_DNS_UPSTREAM_TTL       86400    /* seconds; not longer */
#define NGX_DNS_UPSTREAM_NEGATIVE  300      /* the same if there is nothing */
#define NGX_DNS_UPSTREAM_NO_SOA    30       /* and nobody says how long */


typedef struct {
    const u_char        *name;          /* lower case, wire format */
    size_t               name_len;      /* octets with the root label */
    uint16_t             id;
    uint16_t             type;          /* NGX_DNS_TYPE_A or _AAAA */
    uint8_t              edns;          /* 1: with OPT */
    uint8_t              family;        /* NGX_DNS_ECS_...; 0: no network */
    uint8_t              bits;          /* of the network */
    const u_char        *network;       /* octets behind bits are 0 */
} ngx_dns_upstream_query_t;


typedef struct {
    uint16_t             rcode;         /* with the bits of OPT */
    uint16_t             nrr;           /* addresses, each of them once */
    uint32_t             size;          /* octets of them in the buffer */
    uint32_t             ttl;           /* seconds: how long it is good for */
    uint8_t              tc;            /* cut: nothing else is set */
    uint8_t              edns;          /* there is an OPT */
    uint8_t              ecs;           /* it has the network of the query */
    uint8_t              scope;         /* of that; not above bits */
} ngx_dns_upstream_reply_t;


/*
 * Writes q.  buf: NGX_DNS_UPSTREAM_QUERY octets.  Returns the octets written.
 * RD is set.  Does not allocate.
 */
size_t ngx_dns_upstream_write(const ngx_dns_upstream_query_t *q, u_char *buf);

/*
 * Reads what came as reply to q.
 *
 * buf  room for NGX_DNS_UPSTREAM_DATA octets: the addresses at the end of the
 *      chain of CNAMEs in the answer section, each { rdlen, rdata }
 *
 * NGX_OK        r is set: addresses, or none with NOERROR or NXDOMAIN; or
 *               another rcode, or tc
 * NGX_DECLINED  it is no reply to q: another ID, question or network, or not
 *               a reply at all
 * NGX_ERROR     it is one and makes no sense, or does not know and knows
 *               nobody who does (a referral)
 *
 * Does not allocate.  RFC 1035, 4.1; RFC 2181, 8; RFC 2308, 5; RFC 7871, 7.3.
 */
ngx_int_t ngx_dns_upstream_read(const ngx_dns_upstream_query_t *q,
    const u_char *packet, size_t len, u_char *buf,
    ngx_dns_upstream_reply_t *r);


#endif /* _NGX_DNS_UPSTREAM_H_INCLUDED_ */
