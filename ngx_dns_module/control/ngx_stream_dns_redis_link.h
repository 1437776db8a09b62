
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_REDIS_LINK_H_INCLUDED_
#define _NGX_STREAM_DNS_REDIS_LINK_H_INCLUDED_


#include <ngx_event_connect.h>

#include "ngx_stream_dns_redis.h"


/*
 * The inside of a Redis connection, for its three files:
 *
 *     ngx_stream_dns_redis.c       commands, and whose reply is whose
 *     ngx_stream_dns_redis_link.c  from one connection to the next
 *     ngx_stream_dns_redis_io.c    octets
 */

#define NGX_STREAM_DNS_REDIS_BUFFER     (64 * 1024)
#define NGX_STREAM_DNS_REDIS_ADDRS      16      /* of a host name */
#define NGX_STREAM_DNS_REDIS_REASON     256

/* milliseconds */

#define NGX_STREAM_DNS_REDIS_PAUSE      100     /* the first one */
#define NGX_STREAM_DNS_REDIS_MAX_PAUSE  1500
#define NGX_STREAM_DNS_REDIS_IDLE       1000    /* then a PING is sent */
#define NGX_STREAM_DNS_REDIS_STABLE     1000    /* then pauses are short */
#define NGX_STREAM_DNS_REDIS_LINES      1000    /* between two log lines */


typedef enum {
    NGX_STREAM_DNS_REDIS_WAIT = 0,      /* for the timer */
    NGX_STREAM_DNS_REDIS_RESOLVE,
    NGX_STREAM_DNS_REDIS_CONNECT,
    NGX_STREAM_DNS_REDIS_HELLO,         /* AUTH, SELECT and so on are out */
    NGX_STREAM_DNS_REDIS_READY,
    NGX_STREAM_DNS_REDIS_GONE           /* destroyed */
} ngx_stream_dns_redis_state_e;


/* what the log says, or should say */

typedef enum {
    NGX_STREAM_DNS_REDIS_SAID_NOTHING = 0,
    NGX_STREAM_DNS_REDIS_SAID_CONNECTED,
    NGX_STREAM_DNS_REDIS_SAID_LOST,
    NGX_STREAM_DNS_REDIS_SAID_FAILED
} ngx_stream_dns_redis_said_e;


/* whose reply comes next */

typedef enum {
    NGX_STREAM_DNS_REDIS_COMMAND = 0,
    NGX_STREAM_DNS_REDIS_SUBSCRIBE,     /* answered by count messages */
    NGX_STREAM_DNS_REDIS_PING,          /* answered by a message */
    NGX_STREAM_DNS_REDIS_KEEPALIVE      /* of our own */
} ngx_stream_dns_redis_kind_e;

typedef struct {
    ngx_stream_dns_reply_pt           handler;
    void                             *data;
    ngx_uint_t                        kind;
    ngx_uint_t                        count;
} ngx_stream_dns_redis_wait_t;


typedef struct {
    ngx_sockaddr_t                    sockaddr;
    socklen_t                         socklen;
} ngx_stream_dns_redis_addr_t;


struct ngx_stream_dns_redis_s {
    ngx_stream_dns_source_t          *src;
    ngx_stream_dns_redis_handlers_t   handlers;

    ngx_uint_t                        state;
    ngx_uint_t                        busy;     /* callbacks under way */
    ngx_uint_t                        serial;   /* of the connection */

    ngx_event_t                       timer;
    ngx_event_t                       flush;    /* posted: output is waiting */
    ngx_event_t                       more;     /* posted: input is waiting */

    ngx_log_t                         log;      /* of c: what nginx says about
                                                   each attempt is dropped */
    ngx_connection_t                 *c;
    ngx_peer_connection_t             peer;
    ngx_resolver_ctx_t               *resolve;

    ngx_uint_t                        naddrs;
    ngx_uint_t                        addr;     /* the next one to try */
    ngx_stream_dns_redis_addr_t       addrs[NGX_STREAM_DNS_REDIS_ADDRS];

    /* input */

    ngx_dns_reply_reader_t           *reader;
    u_char                           *in;

    /* output */

    u_char                           *out;
    size_t                            out_size;
    size_t                            out_pos;
    size_t                            out_last;

    /* commands that wait for replies: a ring, its size a power of two */

    ngx_stream_dns_redis_wait_t      *ring;
    ngx_uint_t                        ring_size;
    ngx_uint_t                        first;
    ngx_uint_t                        nwait;
    ngx_uint_t                        pending;  /* of kind COMMAND */

    ngx_msec_t                        heard;    /* when something came */
    ngx_msec_t                        asked;    /* when nwait left 0 */
    ngx_msec_t                        since;    /* when it became ready */
    ngx_msec_t                        pause;

    ngx_uint_t                        now;      /* ..._SAID_... */
    ngx_uint_t                        said;
    ngx_msec_t                        said_at;
    u_char                            reason[NGX_STREAM_DNS_REDIS_REASON];
    u_char                            said_reason[NGX_STREAM_DNS_REDIS_REASON];

    unsigned                          once:1;   /* was ready before */
    unsigned                          shaky:1;  /* was lost at once */
    unsigned                          closing:1;
    unsigned                          closed:1; /* by its user, not lost */
    unsigned                          listening:1;
    unsigned                          taken:1;  /* the reply of the handler */
};


/* Around whatever may call a handler: the last leave frees what is gone. */

#define ngx_stream_dns_redis_enter(r)  (r)->busy++

void ngx_stream_dns_redis_leave(ngx_stream_dns_redis_t *r);


/* ngx_stream_dns_redis.c */

/* Sends a command whatever the state; NGX_OK or NGX_ERROR: no memory. */
ngx_int_t ngx_stream_dns_redis_send(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_redis_wait_t *wait, ngx_uint_t argc, ngx_str_t *argv);

/* Hands a reply to whom it belongs, and frees it. */
void ngx_stream_dns_redis_reply(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply);

/* Forgets all that waits; handlers get NULL. */
void ngx_stream_dns_redis_drop(ngx_stream_dns_redis_t *r);


/* ngx_stream_dns_redis_link.c */

/* The timer's handler, whatever it was set for. */
void ngx_stream_dns_redis_timer(ngx_event_t *ev);

/* Sets the timer for the next reply or PING that is due. */
void ngx_stream_dns_redis_due(ngx_stream_dns_redis_t *r);

/*
 * Ends the connection, or the attempt, and plans the next one.  err is an
 * error number or 0.  Calls handlers.
 */
void ngx_stream_dns_redis_cut(ngx_stream_dns_redis_t *r, ngx_err_t err,
    const char *fmt, ...);

/* The same without a plan, a log line and handlers. */
void ngx_stream_dns_redis_disconnect(ngx_stream_dns_redis_t *r);

/* What a server said, fit for the log; buf of NGX_STREAM_DNS_REDIS_REASON. */
u_char *ngx_stream_dns_redis_text(u_char *buf, ngx_str_t *text);


/* ngx_stream_dns_redis_io.c */

ngx_int_t ngx_stream_dns_redis_open(ngx_stream_dns_redis_t *r);
void ngx_stream_dns_redis_input(ngx_stream_dns_redis_t *r);
void ngx_stream_dns_redis_more(ngx_event_t *ev);
void ngx_stream_dns_redis_flush(ngx_event_t *ev);
ngx_int_t ngx_stream_dns_redis_write(ngx_stream_dns_redis_t *r, u_char *data,
    size_t len);


/* the connection is there: ngx_stream_dns_redis_link.c says hello */

void ngx_stream_dns_redis_connected(ngx_stream_dns_redis_t *r);


#endif /* _NGX_STREAM_DNS_REDIS_LINK_H_INCLUDED_ */
