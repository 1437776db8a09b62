
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * A strict reading of replies for the fuzz targets: what is wrong with a
 * reply ends the process.
 */


#ifndef _CHECK_H_INCLUDED_
#define _CHECK_H_INCLUDED_


#include <stdio.h>
#include <stdlib.h>
#include "ngx_dns_answer.h"


#define CHECK_RRS   6000

typedef struct {
    u_char        owner[NGX_DNS_NAME_MAX + 1];
    uint16_t      type;
    uint16_t      class;
    uint32_t      ttl;
    uint16_t      rdlen;
    uint8_t       section;
    size_t        rdata;                /* its place in the message */
} check_rr_t;

typedef struct {
    ngx_uint_t    flags;
    ngx_uint_t    rcode;                /* with the upper bits of OPT */
    ngx_uint_t    opt;
    ngx_uint_t    n;
    check_rr_t    rr[CHECK_RRS];
} check_reply_t;


#define check_fail(what)                                                      \
    do {                                                                      \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, what);             \
        abort();                                                              \
    } while (0)

#define check_that(cond)                                                      \
    do {                                                                      \
        if (!(cond)) {                                                        \
            check_fail(#cond);                                                \
        }                                                                     \
    } while (0)


/* reads the name at *at, lower case; pointers lead back to a name's start */

static inline void
check_name(const u_char *msg, size_t len, size_t *at, u_char *name)
{
    size_t      p, n, end, limit, out;

    p = *at;
    end = 0;
    limit = p;
    out = 0;

    for ( ;; ) {
        check_that(p < len);
        n = msg[p];

        if (n >= 0xc0) {
            check_that(p + 1 < len);

            if (end == 0) {
                end = p + 2;
            }

            p = ngx_dns_get16(msg + p) & 0x3fff;
            check_that(p < limit && p >= NGX_DNS_HEADER_SIZE);
            limit = p;
            continue;
        }

        check_that(n <= 63 && p + 1 + n <= len);
        check_that(out + n + 1 <= NGX_DNS_NAME_MAX);

        ngx_dns_name_lower(name + out, msg + p, n + 1);
        out += n + 1;
        p += n + 1;

        if (n == 0) {
            break;
        }
    }

    *at = end ? end : p;
}


/* reads a whole reply to q; everything must be consumed */

static inline void
check_reply(check_reply_t *r, const u_char *msg, size_t len,
    ngx_dns_query_t *q)
{
    size_t       at, n;
    ngx_uint_t   section, i, count[3];
    check_rr_t  *rr;

    check_that(len >= NGX_DNS_HEADER_SIZE);
    check_that(ngx_dns_get16(msg) == q->id);

    r->flags = ngx_dns_get16(msg + 2);
    r->rcode = r->flags & 0xf;
    r->opt = 0;
    r->n = 0;

    check_that(r->flags & NGX_DNS_FLAG_QR);
    check_that(!(r->flags & (NGX_DNS_FLAG_RA|NGX_DNS_FLAG_Z|NGX_DNS_FLAG_AD)));
    check_that(ngx_dns_get16(msg + 4) == q->question);

    at = NGX_DNS_HEADER_SIZE;

    if (q->question) {
        n = (size_t) q->qname.len + 4;
        check_that(at + n <= len);
        check_that(memcmp(msg + at, q->packet + at, n) == 0);
        at += n;
    }

    count[0] = ngx_dns_get16(msg + 6);
    count[1] = ngx_dns_get16(msg + 8);
    count[2] = ngx_dns_get16(msg + 10);

    for (section = 0; section < 3; section++) {

        for (i = 0; i < count[section]; i++) {
            check_that(r->n < CHECK_RRS);

            rr = &r->rr[r->n++];
            check_name(msg, len, &at, rr->owner);
            check_that(at + 10 <= len);

            rr->section = (uint8_t) section;
            rr->type = (uint16_t) ngx_dns_get16(msg + at);
            rr->class = (uint16_t) ngx_dns_get16(msg + at + 2);
            rr->ttl = ngx_dns_get32(msg + at + 4);
            rr->rdlen = (uint16_t) ngx_dns_get16(msg + at + 8);
            rr->rdata = at + 10;

            at += 10 + rr->rdlen;
            check_that(at <= len);

            if (rr->type == NGX_DNS_TYPE_OPT) {
                check_that(section == 2 && rr->owner[0] == 0);
                r->rcode |= (rr->ttl >> 24) << 4;
                r->opt++;
            }
        }
    }

    check_that(at == len);
    check_that(r->opt == q->edns);
}


#endif /* _CHECK_H_INCLUDED_ */
