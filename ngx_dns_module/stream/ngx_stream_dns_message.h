
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_MESSAGE_H_INCLUDED_
#define _NGX_STREAM_DNS_MESSAGE_H_INCLUDED_


#include "ngx_stream_dns_module.h"


#define NGX_STREAM_DNS_NSID_MAX  128        /* octets */


/*
 * Answers a parsed query, writes the reply and counts it.
 *
 * zone  as ngx_dns_answer_locate() found it
 * ctx   filled with what variables want to know; NULL: nothing does
 *
 * Returns the octets of the reply.  Does not allocate.
 */
size_t ngx_stream_dns_reply(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_srv_conf_t *dscf, ngx_dns_query_t *q, ngx_dns_zone_t *zone,
    ngx_dns_transport_t *t, u_char *buf, size_t size,
    ngx_stream_dns_ctx_t *ctx);

/*
 * A context begins with a query, whose copies are made by settle, as are
 * those of the reply; clear forgets the message.
 */
void ngx_stream_dns_ctx_begin(ngx_stream_dns_ctx_t *ctx, ngx_dns_query_t *q);
void ngx_stream_dns_ctx_settle(ngx_stream_dns_ctx_t *ctx);
void ngx_stream_dns_ctx_clear(ngx_stream_dns_ctx_t *ctx);

/*
 * Sets the name server's identifier for this client: evaluates "dns_nsid"
 * if it has variables.  Allocates from the connection's pool.
 */
void ngx_stream_dns_nsid(ngx_stream_session_t *s,
    ngx_stream_dns_srv_conf_t *dscf, ngx_str_t *nsid);

/* Runs the cleanups of a pool and empties it. */
void ngx_stream_dns_reset_pool(ngx_pool_t *pool);

/* Calls all handlers of the log phase. */
void ngx_stream_dns_log(ngx_stream_session_t *s);


/* sets who asks: the address, as that of IPv4 if it is one in IPv6 */

static ngx_inline void
ngx_stream_dns_client(ngx_dns_query_t *q, struct sockaddr *sockaddr)
{
#if (NGX_HAVE_INET6)
    struct in6_addr  *addr6;

    if (sockaddr->sa_family == AF_INET6) {
        addr6 = &((struct sockaddr_in6 *) sockaddr)->sin6_addr;

        if (IN6_IS_ADDR_V4MAPPED(addr6)) {
            q->client = &addr6->s6_addr[12];
            q->client_len = 4;
            return;
        }

        q->client = addr6->s6_addr;
        q->client_len = 16;
        return;
    }

#endif

    if (sockaddr->sa_family == AF_INET) {
        q->client = (u_char *) &((struct sockaddr_in *) sockaddr)->sin_addr;
        q->client_len = 4;
    }
}


/* the counter of a query that the parser dropped */

static ngx_inline ngx_uint_t
ngx_stream_dns_drop_counter(ngx_dns_query_t *q)
{
    switch (q->drop) {

    case NGX_DNS_DROP_SHORT:
        return NGX_STREAM_DNS_DROP_SHORT;

    case NGX_DNS_DROP_RESPONSE:
        return NGX_STREAM_DNS_DROP_RESPONSE;

    case NGX_DNS_DROP_OVERSIZE:
        return NGX_STREAM_DNS_DROP_OVERSIZE;

    default:
        return NGX_STREAM_DNS_DROP_FAILED;
    }
}


#endif /* _NGX_STREAM_DNS_MESSAGE_H_INCLUDED_ */
