
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_UDP_H_INCLUDED_
#define _NGX_STREAM_DNS_UDP_H_INCLUDED_


#include "ngx_stream_dns_module.h"


typedef struct ngx_stream_dns_server_s   ngx_stream_dns_server_t;
typedef struct ngx_stream_dns_session_s  ngx_stream_dns_session_t;


/* A server as one of the addresses of a socket. */

struct ngx_stream_dns_server_s {
    ngx_stream_dns_srv_conf_t  *conf;
    ngx_stream_dns_session_t   *session;    /* NULL: nothing needs one */
    ngx_uint_t                  always;     /* 1: each datagram needs it */
};


/* One datagram of a batch. */

typedef struct {
    ngx_dns_query_t             query;
    ngx_dns_zone_t             *zone;
    ngx_stream_dns_server_t    *server;     /* NULL: dropped unparsed */
    u_char                     *packet;
    size_t                      len;
    ngx_sockaddr_t             *sockaddr;   /* of the client */
    socklen_t                   socklen;
    void                       *local;      /* in_addr or in6_addr, or NULL */
} ngx_stream_dns_datagram_t;


/*
 * Takes the UDP sockets of "dns on" servers over: reads and answers them in
 * batches.  Called when the process starts.
 */
ngx_int_t ngx_stream_dns_udp_init(ngx_cycle_t *cycle,
    ngx_stream_dns_worker_t *w);

/*
 * The servers of a UDP listening socket: conf and context of address i, for
 * which the last one is also the default.
 */
ngx_uint_t ngx_stream_dns_udp_naddrs(ngx_listening_t *ls);
ngx_stream_conf_ctx_t *ngx_stream_dns_udp_addr_ctx(ngx_listening_t *ls,
    ngx_uint_t i, ngx_stream_addr_conf_t **conf);

/* 1 if the socket is one for datagrams of the stream module. */
ngx_uint_t ngx_stream_dns_udp_socket(ngx_listening_t *ls);


#endif /* _NGX_STREAM_DNS_UDP_H_INCLUDED_ */
