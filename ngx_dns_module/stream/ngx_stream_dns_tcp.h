
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_TCP_H_INCLUDED_
#define _NGX_STREAM_DNS_TCP_H_INCLUDED_


#include "ngx_stream_dns_module.h"


#define NGX_STREAM_DNS_TCP_LENGTH   2           /* octets in front */
#define NGX_STREAM_DNS_TCP_MESSAGE  65535
#define NGX_STREAM_DNS_TCP_FRAME                                              \
    (NGX_STREAM_DNS_TCP_LENGTH + NGX_STREAM_DNS_TCP_MESSAGE)

#define NGX_STREAM_DNS_TCP_SPARE    8           /* the parser reads over */
#define NGX_STREAM_DNS_TLS_PAD      468         /* octets, RFC 8467, 4.1 */


/* What a connection waits for, and the timer is set for. */

typedef enum {
    NGX_STREAM_DNS_TCP_NOTHING = 0,     /* something has just been done */
    NGX_STREAM_DNS_TCP_IDLE,            /* for a message to begin */
    NGX_STREAM_DNS_TCP_MESSAGE_END,     /* for the rest of a message */
    NGX_STREAM_DNS_TCP_DRAIN,           /* for the client to read */
    NGX_STREAM_DNS_TCP_LINGER           /* for the client to close */
} ngx_stream_dns_tcp_wait_e;


/* Octets at pos up to last of a buffer from start to end; NULL: none. */

typedef struct {
    u_char                     *start;
    u_char                     *pos;
    u_char                     *last;
    u_char                     *end;
} ngx_stream_dns_tcp_buf_t;


/*
 * A connection, TCP or TLS.  Between two events it holds a buffer only for
 * what could not be done yet: a message that has not come to its end, and
 * replies that the client has not read.
 */

typedef struct {
    ngx_stream_session_t       *session;
    ngx_connection_t           *connection;
    ngx_stream_dns_srv_conf_t  *conf;
    ngx_stream_dns_ctx_t       *ctx;

    ngx_stream_dns_tcp_buf_t    in;         /* received, not answered */
    ngx_stream_dns_tcp_buf_t    out;        /* answered, not sent */

    time_t                      start_sec;  /* first octet of a message */
    ngx_msec_t                  start_msec;
    ngx_msec_t                  exit_msec;  /* 0: the worker goes on */
    ngx_dns_transport_t         transport;

    unsigned                    wait:3;     /* ngx_stream_dns_tcp_wait_e */
    unsigned                    eof:1;      /* the client has finished */
    unsigned                    last:1;     /* no answer after these */
    unsigned                    log:1;      /* something is logged */
    unsigned                    logged:1;   /* a message has been */
} ngx_stream_dns_tcp_t;


/*
 * Memory of the worker that all of its connections share: nothing in it
 * outlives an event.
 */

typedef struct {
    u_char                     *in;         /* a message and the spare */
    u_char                     *in_end;     /* the spare begins */
    u_char                     *out;
    size_t                      out_size;
} ngx_stream_dns_tcp_scratch_t;


/* Content handler of a "dns on" server for TCP and TLS. */
void ngx_stream_dns_tcp_handler(ngx_stream_session_t *s);


/*
 * Input: the shared memory as long as an event lasts, a buffer of the
 * connection's own in between.
 */

/*
 * The shared memory, with room for unsent octets and one message more.
 *
 * NULL  no memory
 */
ngx_stream_dns_tcp_scratch_t *ngx_stream_dns_tcp_scratch(size_t unsent,
    ngx_log_t *log);

/* Takes octets that were read before the session began. */
ngx_int_t ngx_stream_dns_tcp_preread(ngx_stream_dns_tcp_t *t, u_char *data,
    size_t len);

/*
 * Reads once.
 *
 * NGX_OK     octets have come
 * NGX_AGAIN  none
 * NGX_DONE   the client has finished: t->eof is set
 * NGX_ERROR  the connection is broken, or no memory
 */
ngx_int_t ngx_stream_dns_tcp_recv(ngx_stream_dns_tcp_t *t);

/*
 * The next whole message, without its length; valid until the next read.
 * NGX_DECLINED: there is none.
 */
ngx_int_t ngx_stream_dns_tcp_next(ngx_stream_dns_tcp_t *t,
    ngx_str_t *message);

/* Keeps what is left beyond the event.  NGX_ERROR: no memory. */
ngx_int_t ngx_stream_dns_tcp_keep(ngx_stream_dns_tcp_t *t);

/* Notes that a message begins now. */
void ngx_stream_dns_tcp_begin(ngx_stream_dns_tcp_t *t);


/*
 * Answers a message, counts it and logs it.
 *
 * out  room for the longest message and its length
 *
 * Returns the octets written, with the length in front; 0: no reply.
 */
size_t ngx_stream_dns_tcp_message(ngx_stream_dns_tcp_t *t,
    ngx_str_t *message, u_char *out);

/* Lets no line for the connection be written: its messages have theirs. */
void ngx_stream_dns_tcp_silence(ngx_stream_session_t *s);


/*
 * Output: sends, and keeps a copy of what the client does not take; at most
 * the unsent octets and answers that the server allows, and one message.
 *
 * NGX_OK     all is sent
 * NGX_AGAIN  some is kept
 * NGX_ERROR  the connection is broken, or no memory
 */
ngx_int_t ngx_stream_dns_tcp_send(ngx_stream_dns_tcp_t *t, u_char *data,
    size_t len);

/* Sends what has been kept. */
ngx_int_t ngx_stream_dns_tcp_flush(ngx_stream_dns_tcp_t *t);


/* Gives a buffer of the connection back. */
void ngx_stream_dns_tcp_release(ngx_stream_dns_tcp_buf_t *b);


#endif /* _NGX_STREAM_DNS_TCP_H_INCLUDED_ */
