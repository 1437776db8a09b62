
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_REDIS)

#include <hiredis/hiredis.h>

#include "ngx_dns_reply.h"


/*
 * hiredis moves what it has not parsed to the start of its buffer whenever
 * it was asked for a reply: little is given to it at a time.
 */

#define NGX_DNS_REPLY_CHUNK    4096

#define NGX_DNS_REPLY_NUMBER   32       /* octets of a line with a number */
#define NGX_DNS_REPLY_SLOTS    64       /* of an array, to begin with */
#define NGX_DNS_REPLY_ELEMENT  (2 * sizeof(ngx_dns_datum_t))

#if (HIREDIS_MAJOR >= 1)
typedef size_t  ngx_dns_reply_count_t;
#else
typedef int     ngx_dns_reply_count_t;
#endif


typedef struct {
    ngx_dns_datum_t   reply;
    ngx_pool_t       *pool;
} ngx_dns_reply_root_t;


typedef enum {
    ngx_dns_reply_type = 0,             /* the octet that says what follows */
    ngx_dns_reply_number,               /* a line cut by the end of octets */
    ngx_dns_reply_text,                 /* of a status or an error */
    ngx_dns_reply_data,                 /* of a bulk, with its CRLF */
    ngx_dns_reply_skip                  /* the same, too long */
} ngx_dns_reply_state_e;


struct ngx_dns_reply_reader_s {
    redisReader            *redis;
    ngx_log_t              *log;

    u_char                 *pos;
    u_char                 *last;

    ngx_dns_reply_state_e   state;
    u_char                  prev;       /* octet before pos */
    size_t                  rest;       /* octets of text or data */
    size_t                  len;        /* of line */
    u_char                  line[NGX_DNS_REPLY_NUMBER];

    /* the reply that is being parsed */

    ngx_dns_reply_root_t   *root;
    size_t                  total;

    const char             *broken;     /* why the rest is not scanned */
    const char             *why;        /* of a function that failed */
    const char             *err;
};


static void ngx_dns_reply_scan(ngx_dns_reply_reader_t *rd);
static ngx_int_t ngx_dns_reply_scan_type(ngx_dns_reply_reader_t *rd,
    u_char **start);
static ngx_int_t ngx_dns_reply_scan_number(ngx_dns_reply_reader_t *rd,
    u_char **start);
static ngx_int_t ngx_dns_reply_scan_text(ngx_dns_reply_reader_t *rd);
static ngx_int_t ngx_dns_reply_scan_data(ngx_dns_reply_reader_t *rd,
    u_char **start);
static ngx_int_t ngx_dns_reply_line(ngx_dns_reply_reader_t *rd, u_char *p,
    size_t len);
static ngx_int_t ngx_dns_reply_too_big(ngx_dns_reply_reader_t *rd,
    int64_t size);
static ngx_int_t ngx_dns_reply_pass(ngx_dns_reply_reader_t *rd, u_char *start,
    u_char *end);
static ngx_int_t ngx_dns_reply_fail(ngx_dns_reply_reader_t *rd,
    const char *why);

static ngx_dns_datum_t *ngx_dns_reply_add(const redisReadTask *task,
    ngx_uint_t type, size_t extra, size_t more);
static ngx_dns_datum_t *ngx_dns_reply_add_root(ngx_dns_reply_reader_t *rd,
    size_t extra, size_t more);
static ngx_int_t ngx_dns_reply_attach(ngx_dns_reply_reader_t *rd,
    const redisReadTask *task, ngx_dns_datum_t *reply);
static void *ngx_dns_reply_create_string(const redisReadTask *task, char *s,
    size_t len);
static void *ngx_dns_reply_create_array(const redisReadTask *task,
    ngx_dns_reply_count_t n);
static void *ngx_dns_reply_create_integer(const redisReadTask *task,
    long long n);
static void *ngx_dns_reply_create_nil(const redisReadTask *task);
static void ngx_dns_reply_free_object(void *object);


/* the root belongs to our reader, hiredis frees nothing */

static redisReplyObjectFunctions  ngx_dns_reply_functions = {
    .createString = ngx_dns_reply_create_string,
    .createArray = ngx_dns_reply_create_array,
    .createInteger = ngx_dns_reply_create_integer,
    .createNil = ngx_dns_reply_create_nil,
    .freeObject = ngx_dns_reply_free_object
};


ngx_dns_reply_reader_t *
ngx_dns_reply_reader_create(ngx_log_t *log)
{
    ngx_dns_reply_reader_t  *rd;

    rd = calloc(1, sizeof(ngx_dns_reply_reader_t));
    if (rd == NULL) {
        return NULL;
    }

    rd->redis = redisReaderCreateWithFunctions(&ngx_dns_reply_functions);
    if (rd->redis == NULL) {
        free(rd);
        return NULL;
    }

    rd->redis->privdata = rd;
    rd->log = log;

    return rd;
}


void
ngx_dns_reply_reader_destroy(ngx_dns_reply_reader_t *rd)
{
    redisReaderFree(rd->redis);

    if (rd->root) {
        ngx_dns_reply_free(&rd->root->reply);
    }

    free(rd);
}


void
ngx_dns_reply_feed(ngx_dns_reply_reader_t *rd, u_char *data, size_t len)
{
    rd->pos = data;
    rd->last = data + len;
}


ngx_int_t
ngx_dns_reply_next(ngx_dns_reply_reader_t *rd, ngx_dns_datum_t **reply)
{
    void  *object;

    *reply = NULL;

    if (rd->err) {
        return NGX_ERROR;
    }

    for ( ;; ) {

        if (redisReaderGetReply(rd->redis, &object) != REDIS_OK) {
            rd->err = rd->why ? rd->why : rd->redis->errstr;
            return NGX_ERROR;
        }

        if (object) {
            *reply = object;
            rd->root = NULL;
            rd->total = 0;
            return NGX_OK;
        }

        /* what came before the fault has been given */

        if (rd->broken) {
            rd->err = rd->broken;
            return NGX_ERROR;
        }

        if (rd->pos == rd->last) {
            return NGX_DECLINED;
        }

        ngx_dns_reply_scan(rd);
    }
}


const char *
ngx_dns_reply_error(ngx_dns_reply_reader_t *rd)
{
    return rd->err;
}


void
ngx_dns_reply_free(ngx_dns_datum_t *reply)
{
    if (reply) {
        ngx_destroy_pool(((ngx_dns_reply_root_t *) reply)->pool);
    }
}


/*
 * Goes over some of the octets and passes them on.  What is passed on begins
 * at start; a line that may be replaced is held back until it is whole.
 */

static void
ngx_dns_reply_scan(ngx_dns_reply_reader_t *rd)
{
    u_char     *start;
    ngx_int_t   rc;

    start = rd->pos;
    rc = NGX_OK;

    while (rc == NGX_OK
           && rd->pos < rd->last
           && rd->pos - start < NGX_DNS_REPLY_CHUNK)
    {

        switch (rd->state) {

        case ngx_dns_reply_type:
            rc = ngx_dns_reply_scan_type(rd, &start);
            break;

        case ngx_dns_reply_number:
            rc = ngx_dns_reply_scan_number(rd, &start);
            break;

        case ngx_dns_reply_text:
            rc = ngx_dns_reply_scan_text(rd);
            break;

        default:
            rc = ngx_dns_reply_scan_data(rd, &start);
            break;
        }
    }

    (void) ngx_dns_reply_pass(rd, start, rd->pos);
}


static ngx_int_t
ngx_dns_reply_scan_type(ngx_dns_reply_reader_t *rd, u_char **start)
{
    u_char     *p, *nl;
    size_t      len;
    ngx_int_t   rc;

    p = rd->pos;

    switch (*p) {

    case '+':
    case '-':
        rd->state = ngx_dns_reply_text;
        rd->rest = NGX_DNS_REPLY_MAX_TEXT;
        rd->prev = '\0';
        rd->pos++;
        return NGX_OK;

    case ':':
    case '$':
    case '*':
        break;

    default:
        return ngx_dns_reply_fail(rd, "no Redis reply");
    }

    len = ngx_min(rd->last - p, NGX_DNS_REPLY_NUMBER);
    nl = memchr(p, LF, len);

    if (nl) {
        rc = ngx_dns_reply_line(rd, p, nl + 1 - p);

        if (rc == NGX_ERROR) {
            return rc;
        }

        if (rc == NGX_DECLINED) {
            rc = ngx_dns_reply_pass(rd, *start, p);
            *start = nl + 1;

            if (rc == NGX_OK) {
                rc = ngx_dns_reply_too_big(rd, rd->rest - 2);
            }
        }

        rd->pos = nl + 1;
        return rc;
    }

    if (len == NGX_DNS_REPLY_NUMBER) {
        return ngx_dns_reply_fail(rd, "a number is too long");
    }

    /* the end of the octets: the line goes on with the next ones */

    rc = ngx_dns_reply_pass(rd, *start, p);

    ngx_memcpy(rd->line, p, len);
    rd->len = len;
    rd->state = ngx_dns_reply_number;
    rd->pos = rd->last;
    *start = rd->last;

    return rc;
}


static ngx_int_t
ngx_dns_reply_scan_number(ngx_dns_reply_reader_t *rd, u_char **start)
{
    ngx_int_t  rc;

    while (rd->pos < rd->last) {

        rd->line[rd->len++] = *rd->pos++;
        *start = rd->pos;

        if (rd->line[rd->len - 1] != LF) {

            if (rd->len == NGX_DNS_REPLY_NUMBER) {
                return ngx_dns_reply_fail(rd, "a number is too long");
            }

            continue;
        }

        rc = ngx_dns_reply_line(rd, rd->line, rd->len);

        if (rc == NGX_DECLINED) {
            return ngx_dns_reply_too_big(rd, rd->rest - 2);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        return ngx_dns_reply_pass(rd, rd->line, rd->line + rd->len);
    }

    return NGX_OK;
}


/* CR and LF come together and at the end, as newer versions of hiredis ask */

static ngx_int_t
ngx_dns_reply_scan_text(ngx_dns_reply_reader_t *rd)
{
    size_t   n;
    u_char  *p, *cr, *nl, *end;

    p = rd->pos;
    n = rd->last - p;

    nl = memchr(p, LF, n);

    if (nl) {
        n = nl + 1 - p;
    }

    if (n > rd->rest) {
        return ngx_dns_reply_fail(rd, "a status or an error is too long");
    }

    /* where the CR may be; before the octets if it was their last one */

    end = nl ? nl - 1 : p + n - 1;
    cr = (rd->prev == CR) ? p - 1 : memchr(p, CR, n);

    if ((cr || nl) && cr != end) {
        return ngx_dns_reply_fail(rd, "a CR or LF in a status or an error");
    }

    rd->rest -= n;
    rd->pos += n;
    rd->prev = p[n - 1];

    if (nl) {
        rd->state = ngx_dns_reply_type;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_reply_scan_data(ngx_dns_reply_reader_t *rd, u_char **start)
{
    size_t  i, n;

    n = ngx_min((size_t) (rd->last - rd->pos), rd->rest);

    for (i = (rd->rest > 2) ? rd->rest - 2 : 0; i < n; i++) {

        if (rd->pos[i] != ((rd->rest - i == 2) ? CR : LF)) {
            return ngx_dns_reply_fail(rd, "a string has no end");
        }
    }

    rd->pos += n;
    rd->rest -= n;

    if (rd->state == ngx_dns_reply_skip) {
        *start = rd->pos;
    }

    if (rd->rest == 0) {
        rd->state = ngx_dns_reply_type;
    }

    return NGX_OK;
}


/*
 * A whole line with a number: sets the state that follows.
 *
 * NGX_DECLINED  it announces a string that is too long, but can be skipped
 */

static ngx_int_t
ngx_dns_reply_line(ngx_dns_reply_reader_t *rd, u_char *p, size_t len)
{
    u_char    type, *last;
    int64_t   n;

    type = p[0];
    last = p + len - 2;

    if (len < 4 || *last != CR) {
        return ngx_dns_reply_fail(rd, "a number has no end");
    }

    rd->state = ngx_dns_reply_type;

    if (type == ':') {
        /* hiredis looks at it */
        return NGX_OK;
    }

    if (len == 5 && p[1] == '-' && p[2] == '1') {
        return NGX_OK;
    }

    n = 0;

    for (p++; p < last; p++) {

        if (*p < '0' || *p > '9') {
            return ngx_dns_reply_fail(rd, "a length is no number");
        }

        n = n * 10 + (*p - '0');

        if (n > NGX_DNS_REPLY_MAX_TOTAL) {
            break;
        }
    }

    if (type == '*') {
        return (n <= NGX_DNS_REPLY_MAX_ELEMENTS) ? NGX_OK
               : ngx_dns_reply_fail(rd, "an array is too long");
    }

    if (n > NGX_DNS_REPLY_MAX_BULK) {
        return ngx_dns_reply_fail(rd, "a string is too long");
    }

    rd->rest = n + 2;

    if (n > NGX_DNS_REPLY_MAX_STRING) {
        rd->state = ngx_dns_reply_skip;
        return NGX_DECLINED;
    }

    rd->state = ngx_dns_reply_data;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_reply_too_big(ngx_dns_reply_reader_t *rd, int64_t size)
{
    u_char  *p, buf[sizeof("-TOOBIG the value has  octets" CRLF)
                    + NGX_INT64_LEN];

    p = ngx_sprintf(buf, "-TOOBIG the value has %L octets" CRLF, size);

    return ngx_dns_reply_pass(rd, buf, p);
}


static ngx_int_t
ngx_dns_reply_pass(ngx_dns_reply_reader_t *rd, u_char *start, u_char *end)
{
    if (start == end) {
        return NGX_OK;
    }

    if (redisReaderFeed(rd->redis, (char *) start, end - start) != REDIS_OK) {
        return ngx_dns_reply_fail(rd, "no memory");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_reply_fail(ngx_dns_reply_reader_t *rd, const char *why)
{
    rd->broken = why;

    return NGX_ERROR;
}


/*
 * An object in its place, with extra octets behind it.  For a root: about
 * how many octets more its pool will have to give.
 */

static ngx_dns_datum_t *
ngx_dns_reply_add(const redisReadTask *task, ngx_uint_t type, size_t extra,
    size_t more)
{
    ngx_dns_datum_t         *reply;
    ngx_dns_reply_reader_t  *rd;

    rd = task->privdata;

    /* the place of what a root has besides is free in the others */

    extra += sizeof(ngx_dns_reply_root_t) - sizeof(ngx_dns_datum_t);
    extra += sizeof(ngx_dns_datum_t);
    rd->total += extra;

    if (rd->total > NGX_DNS_REPLY_MAX_TOTAL) {
        rd->why = "a reply is too long";
        return NULL;
    }

    if (task->parent == NULL) {
        reply = ngx_dns_reply_add_root(rd, extra, more);

    } else {
        reply = ngx_palloc(rd->root->pool, extra);

        if (reply && ngx_dns_reply_attach(rd, task, reply) != NGX_OK) {
            reply = NULL;
        }
    }

    if (reply == NULL) {
        rd->why = "no memory";
        return NULL;
    }

    ngx_memzero(reply, sizeof(ngx_dns_datum_t));
    reply->type = type;

    return reply;
}


static ngx_dns_datum_t *
ngx_dns_reply_add_root(ngx_dns_reply_reader_t *rd, size_t extra, size_t more)
{
    size_t                 size;
    ngx_pool_t            *pool;
    ngx_dns_reply_root_t  *root;

    /* one allocation is enough for what is not large */

    size = sizeof(ngx_pool_t) + extra + more + NGX_POOL_ALIGNMENT;
    size = ngx_align(size, NGX_POOL_ALIGNMENT);

    pool = ngx_create_pool(ngx_min(size, NGX_DEFAULT_POOL_SIZE), rd->log);
    if (pool == NULL) {
        return NULL;
    }

    root = ngx_palloc(pool, extra);
    if (root == NULL) {
        ngx_destroy_pool(pool);
        return NULL;
    }

    root->pool = pool;
    rd->root = root;

    return &root->reply;
}


/* The elements come in order: the array grows as they do. */

static ngx_int_t
ngx_dns_reply_attach(ngx_dns_reply_reader_t *rd, const redisReadTask *task,
    ngx_dns_datum_t *reply)
{
    size_t            i, n;
    ngx_dns_datum_t  *array, **elts;

    array = task->parent->obj;
    i = task->idx;

    if (i >= NGX_DNS_REPLY_SLOTS && (i & (i - 1)) == 0) {

        n = ngx_min(2 * i, array->n);
        rd->total += n * sizeof(ngx_dns_datum_t *);

        elts = ngx_palloc(rd->root->pool, n * sizeof(ngx_dns_datum_t *));
        if (elts == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(elts, array->elts, i * sizeof(ngx_dns_datum_t *));
        array->elts = elts;
    }

    array->elts[i] = reply;

    return NGX_OK;
}


static void *
ngx_dns_reply_create_string(const redisReadTask *task, char *s, size_t len)
{
    u_char           *p;
    ngx_uint_t        type;
    ngx_dns_datum_t  *reply;

    type = (task->type == REDIS_REPLY_STRING) ? NGX_DNS_REPLY_STRING
           : (task->type == REDIS_REPLY_STATUS) ? NGX_DNS_REPLY_STATUS
           : NGX_DNS_REPLY_ERROR;

    reply = ngx_dns_reply_add(task, type, len + 1, 0);
    if (reply == NULL) {
        return NULL;
    }

    /* behind what a root has besides */

    p = (u_char *) reply + sizeof(ngx_dns_reply_root_t);

    ngx_memcpy(p, s, len);
    p[len] = '\0';

    reply->str.data = p;
    reply->str.len = len;

    return reply;
}


static void *
ngx_dns_reply_create_array(const redisReadTask *task, ngx_dns_reply_count_t n)
{
    size_t                   slots;
    ngx_uint_t               depth;
    const redisReadTask     *parent;
    ngx_dns_datum_t         *reply;
    ngx_dns_reply_reader_t  *rd;

    rd = task->privdata;
    depth = 1;

    for (parent = task->parent; parent; parent = parent->parent) {
        depth++;
    }

    if (depth > NGX_DNS_REPLY_MAX_DEPTH) {
        rd->why = "arrays are nested too deep";
        return NULL;
    }

    slots = ngx_min((size_t) n, NGX_DNS_REPLY_SLOTS);

    reply = ngx_dns_reply_add(task, NGX_DNS_REPLY_ARRAY,
                              slots * sizeof(ngx_dns_datum_t *),
                              (size_t) n * NGX_DNS_REPLY_ELEMENT);
    if (reply == NULL) {
        return NULL;
    }

    reply->n = n;
    reply->elts = (ngx_dns_datum_t **)
                      ((u_char *) reply + sizeof(ngx_dns_reply_root_t));

    return reply;
}


static void *
ngx_dns_reply_create_integer(const redisReadTask *task, long long n)
{
    ngx_dns_datum_t  *reply;

    reply = ngx_dns_reply_add(task, NGX_DNS_REPLY_INTEGER, 0, 0);

    if (reply) {
        reply->integer = n;
    }

    return reply;
}


static void *
ngx_dns_reply_create_nil(const redisReadTask *task)
{
    return ngx_dns_reply_add(task, NGX_DNS_REPLY_NIL, 0, 0);
}


static void
ngx_dns_reply_free_object(void *object)
{
    /* void */
}

#endif
