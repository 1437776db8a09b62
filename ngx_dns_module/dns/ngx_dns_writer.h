
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_WRITER_H_INCLUDED_
#define _NGX_DNS_WRITER_H_INCLUDED_


#include "ngx_dns_query.h"
#include "ngx_dns_rrset.h"


typedef enum {
    NGX_DNS_ANSWER = 0,
    NGX_DNS_AUTHORITY,
    NGX_DNS_ADDITIONAL
} ngx_dns_section_e;


/*
 * One rrset of a reply.  Its owner is either a suffix of the question's
 * name (owner is NULL, owner_len is its place in the qname, octets) or
 * owner_len octets of labels at owner, with the name at apex behind them.
 *
 * rrs  NULL: the whole set as it is stored.  Else, of a set with notes, the
 *      nrrs RRs (at least 1), all of one size, that are sent, in this order,
 *      each its place as of ngx_dns_rrset_first()
 */

typedef struct {
    ngx_dns_rrset_t    *rrset;
    const u_char       *owner;
    const u_char       *apex;
    u_char            **rrs;
    uint32_t            ttl;            /* seconds, as sent */
    uint8_t             owner_len;
    uint8_t             section;        /* ngx_dns_section_e, ascending */
    uint8_t             flags;
    uint16_t            nrrs;
    uint64_t            pad[2];         /* the size is a power of 2 */
} ngx_dns_item_t;

#define NGX_DNS_ITEM_OPTIONAL   0x01    /* may go without TC */
#define NGX_DNS_ITEM_SIGS       0x02    /* RRSIGs of the item before it */


#define NGX_DNS_ITEMS_MAX       2048

typedef struct {
    uint16_t            rcode;          /* may be > 15: needs OPT */
    uint16_t            ede;            /* NGX_DNS_EDE_NONE: none */
    uint8_t             aa;
    uint8_t             full;           /* items did not suffice: TC */
    uint8_t             ecs;            /* 1: with the query's option, */
    uint8_t             scope;          /* for so many bits of the address */
    uint32_t            steps;          /* of choices that left RRs out */
    ngx_uint_t          nitems;
    ngx_dns_item_t      items[NGX_DNS_ITEMS_MAX];
} ngx_dns_reply_t;


/* What the transport and the server allow and want. */

typedef struct {
    ngx_str_t           nsid;           /* sent if asked for; len 0: never */
    size_t              udp_size;       /* octets; not above it over UDP */
    uint16_t            keepalive;      /* units of 100 ms, RFC 7828 */
    uint16_t            pad;            /* block, octets (RFC 8467); 0: none */
    uint8_t             tcp;            /* 1: no limit but 65535 */
} ngx_dns_transport_t;


typedef struct ngx_dns_writer_s  ngx_dns_writer_t;

/* A writer, one per worker; lives in pool.  NULL: no memory. */
ngx_dns_writer_t *ngx_dns_writer_create(ngx_pool_t *pool, ngx_dns_key_t *key);

/*
 * The octets that the reply to q may have: 65535 over TCP, else what client
 * and server agree on, at least 512.  RFC 6891, 6.2.3 to 6.2.5.
 */

static ngx_inline size_t
ngx_dns_write_limit(const ngx_dns_query_t *q, const ngx_dns_transport_t *t)
{
    size_t  limit;

    if (t->tcp) {
        return NGX_DNS_MESSAGE_MAX;
    }

    if (!q->edns) {
        return NGX_DNS_UDP_MIN;
    }

    limit = ngx_min(q->edns_size, t->udp_size);

    return ngx_max(limit, NGX_DNS_UDP_MIN);
}


/*
 * Writes the reply to q.
 *
 * q->verdict must not be DROP; with ERROR only the error's rcode, the
 * question if it is sound and OPT are written and reply may be NULL.
 *
 * buf   room for size octets: 65535 over TCP, else max(512, udp_size)
 *
 * Room for OPT is reserved first, without the options that do not fit beside
 * the question; whole rrsets are dropped, never parts; a dropped rrset sets
 * TC unless it is optional, and its RRSIGs go with it.  A reply that does
 * not fit 65535 octets over TCP is SERVFAIL.
 *
 * Returns the octets written.  Does not allocate.
 * RFC 1035, 4.1; RFC 2181, 9; RFC 6891; RFC 9471.
 */
size_t ngx_dns_write(ngx_dns_writer_t *w, ngx_dns_query_t *q,
    ngx_dns_reply_t *reply, ngx_dns_transport_t *t, u_char *buf, size_t size);


#endif /* _NGX_DNS_WRITER_H_INCLUDED_ */
