
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_REDIS_H_INCLUDED_
#define _NGX_STREAM_DNS_REDIS_H_INCLUDED_


#include "ngx_stream_dns_control.h"
#include "ngx_dns_reply.h"


/*
 * One connection to a Redis server.  nginx does the I/O, hiredis formats
 * commands and parses replies.  It connects again by itself, after a pause
 * that grows (capped, with jitter), until it is destroyed.  After each
 * connect it sends AUTH, SELECT and CLIENT SETNAME and waits for them before
 * anything else goes out.
 */

typedef struct ngx_stream_dns_redis_s  ngx_stream_dns_redis_t;


/*
 * A reply; NULL: the connection was lost before it came.  Valid until the
 * handler returns, unless it took it.  The handler may send commands and may
 * close or destroy the connection.
 */
typedef void (*ngx_stream_dns_reply_pt)(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply, void *data);

typedef struct {
    /* the connection works: commands may be sent */
    void        (*ready)(ngx_stream_dns_redis_t *r, void *data);
    /* it does not any more; handlers of commands have been called */
    void        (*lost)(ngx_stream_dns_redis_t *r, void *data);
    /* what came without being asked for: messages of a subscription */
    void        (*message)(ngx_stream_dns_redis_t *r,
                    ngx_dns_datum_t *reply, void *data);
    void         *data;
    const char   *role;                 /* for the name of the client, logs */
} ngx_stream_dns_redis_handlers_t;


/*
 * Begins to connect.  h is copied, but not its role.  NULL: no memory.
 */
ngx_stream_dns_redis_t *ngx_stream_dns_redis_create(
    ngx_stream_dns_source_t *src, ngx_stream_dns_redis_handlers_t *h);

/*
 * Ends it without calling lost(); pending handlers get NULL before it
 * returns.
 */
void ngx_stream_dns_redis_destroy(ngx_stream_dns_redis_t *r);

/*
 * Cuts the connection as if the server had; it will connect again.  Pending
 * handlers get NULL and lost() is called before it returns.  The log has the
 * reason at info: whoever closes it says what has to be said.
 */
void ngx_stream_dns_redis_close(ngx_stream_dns_redis_t *r,
    const char *reason);

/*
 * Sends a command; handler gets its reply, in the order of the commands.  No
 * reply for src->timeout: the connection is cut.
 *
 * NGX_OK
 * NGX_DECLINED  not connected; handler will not be called
 * NGX_ERROR     no memory; handler will not be called
 */
ngx_int_t ngx_stream_dns_redis_command(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_reply_pt handler, void *data, ngx_uint_t argc,
    ngx_str_t *argv);

/*
 * The same for words of the program text, without binary arguments:
 * "CLIENT", "ID", NULL.
 */
ngx_int_t ngx_stream_dns_redis_words(ngx_stream_dns_redis_t *r,
    ngx_stream_dns_reply_pt handler, void *data, ...);

/*
 * From now on, until the connection is lost, array replies that begin with
 * one of "message", "pmessage", "subscribe", "psubscribe", "pong" are
 * messages (RESP2 has no other mark).  (P)SUBSCRIBE and PING sent in this
 * mode have no handler of their own: what answers them, an error too, is a
 * message.
 */
void ngx_stream_dns_redis_listen(ngx_stream_dns_redis_t *r);

/*
 * What was said goes out now, as far as it can, not at the end of this turn
 * of the loop: the server works while this process does.
 */
void ngx_stream_dns_redis_push(ngx_stream_dns_redis_t *r);

/* Commands without a reply yet; 1 if ready. */
ngx_uint_t ngx_stream_dns_redis_pending(ngx_stream_dns_redis_t *r);
ngx_uint_t ngx_stream_dns_redis_ready(ngx_stream_dns_redis_t *r);

/*
 * Called in a reply handler: the reply stays until it is freed by
 * ngx_dns_reply_free().
 */
void ngx_stream_dns_reply_take(ngx_stream_dns_redis_t *r,
    ngx_dns_datum_t *reply);


#endif /* _NGX_STREAM_DNS_REDIS_H_INCLUDED_ */
