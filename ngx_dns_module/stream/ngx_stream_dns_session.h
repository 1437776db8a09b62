
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_SESSION_H_INCLUDED_
#define _NGX_STREAM_DNS_SESSION_H_INCLUDED_


#include "ngx_stream_dns_phases.h"
#include "ngx_stream_dns_udp.h"


/*
 * The resident session: one per worker, socket and address, set anew for
 * each datagram, so that what expects a session (allow, set, map, variables,
 * access_log) works without one being made for each client.
 */

struct ngx_stream_dns_session_s {
    ngx_stream_session_t         session;
    ngx_connection_t             connection;
    ngx_event_t                  read;
    ngx_event_t                  write;
    ngx_log_t                    log;
    ngx_buf_t                    buffer;
    ngx_sockaddr_t               local;
    u_char                       text[NGX_SOCKADDR_STRLEN];

    ngx_stream_dns_phase_t      *phases;
    ngx_uint_t                   nphases;
    ngx_uint_t                   log_phase;     /* 1: something is logged */
    ngx_uint_t                   log_level;     /* of the server */
    time_t                       told;          /* second of the last line */

    size_t                       variables;     /* octets */
    ngx_stream_dns_ctx_t         ctx;
};


/*
 * Makes the session of a server at an address of a socket.
 *
 * NULL  no memory
 */
ngx_stream_dns_session_t *ngx_stream_dns_session_create(ngx_cycle_t *cycle,
    ngx_listening_t *ls, ngx_uint_t addr);

/*
 * What one datagram goes through: begin, phases, (answer,) end.
 *
 * begin   sets everything that is of one datagram
 * phases  NGX_OK, or NGX_DECLINED: no answer, the status is set
 * end     runs the log phase; size: octets of the reply, 0 if there is none
 */
void ngx_stream_dns_session_begin(ngx_stream_dns_session_t *ss,
    ngx_stream_dns_datagram_t *d);
ngx_int_t ngx_stream_dns_session_phases(ngx_stream_dns_session_t *ss);
void ngx_stream_dns_session_end(ngx_stream_dns_session_t *ss, size_t size);


#endif /* _NGX_STREAM_DNS_SESSION_H_INCLUDED_ */
