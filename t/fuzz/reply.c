
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Replies of Redis: any octets, whole and in pieces, must give the same
 * replies and the same end.  The first octet says how long the pieces are.
 */


#include "shim.h"
#include "check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


#if (NGX_DNS_REDIS)

#include "ngx_dns_reply.h"


typedef struct {
    uint64_t    hash;
    ngx_uint_t  replies;
    ngx_int_t   rc;
} fuzz_result_t;


static void fuzz_read(const uint8_t *data, size_t size, size_t step,
    fuzz_result_t *res);
static void fuzz_reply(ngx_dns_datum_t *reply, ngx_uint_t depth,
    fuzz_result_t *res);
static void fuzz_add(fuzz_result_t *res, const void *data, size_t len);


static ngx_log_t  fuzz_log;


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_result_t  whole, pieces;

    if (size == 0) {
        return 0;
    }

    fuzz_read(data + 1, size - 1, size, &whole);
    fuzz_read(data + 1, size - 1, 1 + data[0] % 40, &pieces);

    check_that(whole.rc == pieces.rc);
    check_that(whole.replies == pieces.replies);
    check_that(whole.hash == pieces.hash);

    return 0;
}


static void
fuzz_read(const uint8_t *data, size_t size, size_t step, fuzz_result_t *res)
{
    u_char                  *copy;
    size_t                   n;
    ngx_dns_datum_t         *reply;
    ngx_dns_reply_reader_t  *rd;

    memset(res, 0, sizeof(fuzz_result_t));

    res->rc = NGX_DECLINED;
    rd = ngx_dns_reply_reader_create(&fuzz_log);

    while (size && res->rc == NGX_DECLINED) {
        n = ngx_min(step, size);

        copy = malloc(n);
        memcpy(copy, data, n);
        data += n;
        size -= n;

        ngx_dns_reply_feed(rd, copy, n);

        for ( ;; ) {
            res->rc = ngx_dns_reply_next(rd, &reply);

            if (res->rc != NGX_OK) {
                break;
            }

            res->replies++;
            fuzz_reply(reply, 1, res);
            ngx_dns_reply_free(reply);
        }

        check_that(reply == NULL);
        free(copy);
    }

    check_that((res->rc == NGX_ERROR) == (ngx_dns_reply_error(rd) != NULL));

    ngx_dns_reply_reader_destroy(rd);
}


static void
fuzz_reply(ngx_dns_datum_t *reply, ngx_uint_t depth,
    fuzz_result_t *res)
{
    size_t  i;

    fuzz_add(res, &reply->type, sizeof(reply->type));

    switch (reply->type) {

    case NGX_DNS_REPLY_STRING:
    case NGX_DNS_REPLY_STATUS:
    case NGX_DNS_REPLY_ERROR:
        check_that(reply->str.data[reply->str.len] == '\0');
        fuzz_add(res, reply->str.data, reply->str.len);
        break;

    case NGX_DNS_REPLY_INTEGER:
        fuzz_add(res, &reply->integer, sizeof(reply->integer));
        break;

    case NGX_DNS_REPLY_ARRAY:
        check_that(depth <= NGX_DNS_REPLY_MAX_DEPTH);
        fuzz_add(res, &reply->n, sizeof(reply->n));

        for (i = 0; i < reply->n; i++) {
            fuzz_reply(reply->elts[i], depth + 1, res);
        }

        break;

    default:
        check_that(reply->type == NGX_DNS_REPLY_NIL);
    }
}


static void
fuzz_add(fuzz_result_t *res, const void *data, size_t len)
{
    size_t         i;
    const u_char  *p;

    p = data;

    for (i = 0; i < len; i++) {
        res->hash = (res->hash ^ p[i]) * 1099511628211ULL;
    }
}

#else

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return 0;
}

#endif
