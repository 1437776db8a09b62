
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_REPLY_H_INCLUDED_
#define _NGX_DNS_REPLY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Replies of a Redis server: from octets to trees (RESP2).  Pure: octets in,
 * replies out.  A scanner of our own goes over the octets first and keeps to
 * the limits; what it lets through is parsed by hiredis, into a pool per
 * reply.  Whatever a server sends, memory is taken for what came, not for
 * what was announced.
 */

#define NGX_DNS_REPLY_MAX_DEPTH     7
#define NGX_DNS_REPLY_MAX_ELEMENTS  (16 * 1024 * 1024)
#define NGX_DNS_REPLY_MAX_TEXT      (64 * 1024)     /* of a status, an error */
#define NGX_DNS_REPLY_MAX_TOTAL     (1024 * 1024 * 1024)

/*
 * A value over MAX_STRING octets costs itself, not the connection: an error
 * reply "TOOBIG ..." takes its place.  One over MAX_BULK is not of a Redis.
 */

#define NGX_DNS_REPLY_MAX_STRING    (16 * 1024 * 1024)
#define NGX_DNS_REPLY_MAX_BULK      (512 * 1024 * 1024)


typedef enum {
    NGX_DNS_REPLY_NIL = 0,
    NGX_DNS_REPLY_STRING,               /* bulk */
    NGX_DNS_REPLY_STATUS,               /* "OK" */
    NGX_DNS_REPLY_ERROR,                /* "WRONGTYPE ..." */
    NGX_DNS_REPLY_INTEGER,
    NGX_DNS_REPLY_ARRAY
} ngx_dns_reply_e;


typedef struct ngx_dns_datum_s         ngx_dns_datum_t;
typedef struct ngx_dns_reply_reader_s  ngx_dns_reply_reader_t;

struct ngx_dns_datum_s {
    ngx_uint_t          type;           /* NGX_DNS_REPLY_... */
    ngx_str_t           str;            /* a zero octet follows */
    int64_t             integer;
    size_t              n;              /* of an array */
    ngx_dns_datum_t   **elts;
};


/*
 * A reader of one stream of replies.  log is for the pools.  NULL: no memory.
 * The replies it gave are not destroyed with it.
 */
ngx_dns_reply_reader_t *ngx_dns_reply_reader_create(ngx_log_t *log);
void ngx_dns_reply_reader_destroy(ngx_dns_reply_reader_t *rd);

/*
 * Gives the reader its next octets, which must stay where they are until
 * ngx_dns_reply_next() has said NGX_DECLINED: no earlier may more be given.
 */
void ngx_dns_reply_feed(ngx_dns_reply_reader_t *rd, u_char *data, size_t len);

/*
 * The next reply, to be freed by ngx_dns_reply_free().
 *
 * NGX_OK
 * NGX_DECLINED  all octets are used up
 * NGX_ERROR     no RESP, or over a limit, or no memory: from now on always
 */
ngx_int_t ngx_dns_reply_next(ngx_dns_reply_reader_t *rd,
    ngx_dns_datum_t **reply);

/* Why NGX_ERROR: a text that lives as long as the reader. */
const char *ngx_dns_reply_error(ngx_dns_reply_reader_t *rd);

/* Frees a root: its elements go with it.  NULL is allowed. */
void ngx_dns_reply_free(ngx_dns_datum_t *reply);


#endif /* _NGX_DNS_REPLY_H_INCLUDED_ */
