
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_QUERY_H_INCLUDED_
#define _NGX_DNS_QUERY_H_INCLUDED_


#include "ngx_dns_name.h"


typedef enum {
    NGX_DNS_VERDICT_ANSWER = 0,         /* look it up */
    NGX_DNS_VERDICT_ERROR,              /* reply with q->rcode */
    NGX_DNS_VERDICT_DROP                /* no reply; q->drop says why */
} ngx_dns_verdict_e;

typedef enum {
    NGX_DNS_DROP_NONE = 0,
    NGX_DNS_DROP_SHORT,                 /* no whole header */
    NGX_DNS_DROP_RESPONSE,              /* QR=1 */
    NGX_DNS_DROP_OVERSIZE,              /* cut by our buffer, no question */
    NGX_DNS_DROP_REASONS
} ngx_dns_drop_e;


/*
 * A query as the wire says it.  Pointers point into the packet, but for that
 * of the client's address, which who knows it sets behind the parser: if it
 * is IPv4 in IPv6 as IPv4.
 */

typedef struct {
    u_char             *packet;
    size_t              len;            /* octets of the packet */

    uint16_t            id;
    uint16_t            flags;          /* the flag word */
    uint16_t            rcode;          /* with VERDICT_ERROR; may be > 15 */
    uint16_t            ede;            /* NGX_DNS_EDE_NONE: none */
    uint8_t             verdict;        /* ngx_dns_verdict_e */
    uint8_t             drop;           /* ngx_dns_drop_e */
    uint8_t             question;       /* 1: question is sound: echo it */

    uint8_t             edns;           /* 1: a sound OPT is there */
    uint8_t             edns_version;
    uint8_t             do_bit;
    uint8_t             nsid;           /* asked for, RFC 5001 */
    uint8_t             keepalive;      /* asked for, RFC 7828 */
    uint8_t             padding;        /* asked for, RFC 7830 */
    uint16_t            edns_size;      /* as the client wrote it */
    uint16_t            ecs_len;
    uint8_t             ecs_twice;      /* 1: two of them: a form error */
    uint8_t             client_len;     /* 4, 16; 0: unknown */
    u_char             *ecs;            /* data of the option, or NULL */
    const u_char       *client;         /* its address, set by the caller */

    uint16_t            qtype;
    uint16_t            qclass;
    ngx_dns_name_t      qname;
} ngx_dns_query_t;


/*
 * Reads a message.  Everything but qname of q is set; qname too if
 * q->question is 1.
 *
 * packet     kept: q points into it; 8 octets behind len may be read
 * truncated  1: the datagram was longer than the buffer: FORMERR if header
 *            and question are whole (RFC 8906), else dropped
 *
 * Returns q->verdict.  Linear in len; does not allocate.
 * RFC 1035, 4.1; RFC 6891, 6.1; RFC 8906, 3; RFC 9619.
 */
ngx_dns_verdict_e ngx_dns_query_parse(ngx_dns_query_t *q, u_char *packet,
    size_t len, ngx_uint_t truncated, ngx_dns_key_t *key);


#endif /* _NGX_DNS_QUERY_H_INCLUDED_ */
