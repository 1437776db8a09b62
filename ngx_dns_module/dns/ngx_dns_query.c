
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_query.h"


#define NGX_DNS_OPTION_NSID       3     /* RFC 5001 */
#define NGX_DNS_OPTION_ECS        8     /* RFC 7871 */
#define NGX_DNS_OPTION_KEEPALIVE  11    /* RFC 7828 */
#define NGX_DNS_OPTION_PADDING    12    /* RFC 7830 */


static ngx_dns_verdict_e ngx_dns_query_drop(ngx_dns_query_t *q,
    ngx_dns_drop_e reason);
static ngx_dns_verdict_e ngx_dns_query_error(ngx_dns_query_t *q,
    ngx_uint_t rcode);
static u_char *ngx_dns_query_question(ngx_dns_query_t *q, ngx_dns_key_t *key);
static u_char *ngx_dns_query_skip_name(u_char *p, u_char *last);
static u_char *ngx_dns_query_skip_rr(u_char *p, u_char *last);
static u_char *ngx_dns_query_opt(ngx_dns_query_t *q, u_char *p, u_char *last);
static ngx_int_t ngx_dns_query_options(ngx_dns_query_t *q, u_char *p,
    u_char *last);
static u_char *ngx_dns_query_additional(ngx_dns_query_t *q, u_char *p,
    ngx_uint_t n);


ngx_dns_verdict_e
ngx_dns_query_parse(ngx_dns_query_t *q, u_char *packet, size_t len,
    ngx_uint_t truncated, ngx_dns_key_t *key)
{
    u_char      *p;
    ngx_uint_t   i, ancount, nscount, arcount;

    ngx_memzero(q, offsetof(ngx_dns_query_t, qname));

    q->packet = packet;
    q->len = len;
    q->ede = NGX_DNS_EDE_NONE;

    if (len < NGX_DNS_HEADER_SIZE) {
        return ngx_dns_query_drop(q, NGX_DNS_DROP_SHORT);
    }

    q->id = (uint16_t) ngx_dns_get16(packet);
    q->flags = (uint16_t) ngx_dns_get16(packet + 2);

    if (q->flags & NGX_DNS_FLAG_QR) {
        return ngx_dns_query_drop(q, NGX_DNS_DROP_RESPONSE);
    }

    ancount = ngx_dns_get16(packet + 6);
    nscount = ngx_dns_get16(packet + 8);
    arcount = ngx_dns_get16(packet + 10);

    p = packet + NGX_DNS_HEADER_SIZE;

    if (ngx_dns_get16(packet + 4) == 1) {
        p = ngx_dns_query_question(q, key);
    }

    if (truncated && !q->question) {
        return ngx_dns_query_drop(q, NGX_DNS_DROP_OVERSIZE);
    }

    /* the opcode decides before the counts do: RFC 8906, 3.1.4; RFC 9619 */

    if ((q->flags & NGX_DNS_FLAG_OPCODE) != NGX_DNS_OPCODE_QUERY) {
        q->ede = NGX_DNS_EDE_NOT_SUPPORTED;

        if (q->question && ancount == 0 && nscount == 0 && !truncated) {

            /* only for the OPT of the reply */

            (void) ngx_dns_query_additional(q, p, arcount);
        }

        return ngx_dns_query_error(q, NGX_DNS_NOTIMP);
    }

    if (!q->question || ancount != 0 || truncated) {
        return ngx_dns_query_error(q, NGX_DNS_FORMERR);
    }

    for (i = 0; i < nscount; i++) {

        /* the SOA of an IXFR query: RFC 1995, 3 */

        p = ngx_dns_query_skip_rr(p, packet + len);

        if (p == NULL) {
            return ngx_dns_query_error(q, NGX_DNS_FORMERR);
        }
    }

    if (arcount != 0) {
        p = ngx_dns_query_additional(q, p, arcount);
    }

    if (p != packet + len) {
        return ngx_dns_query_error(q, NGX_DNS_FORMERR);
    }

    if (q->edns && q->edns_version != 0) {
        return ngx_dns_query_error(q, NGX_DNS_BADVERS);
    }

    q->verdict = NGX_DNS_VERDICT_ANSWER;

    return NGX_DNS_VERDICT_ANSWER;
}


static ngx_dns_verdict_e
ngx_dns_query_drop(ngx_dns_query_t *q, ngx_dns_drop_e reason)
{
    q->verdict = NGX_DNS_VERDICT_DROP;
    q->drop = reason;

    return NGX_DNS_VERDICT_DROP;
}


static ngx_dns_verdict_e
ngx_dns_query_error(ngx_dns_query_t *q, ngx_uint_t rcode)
{
    q->verdict = NGX_DNS_VERDICT_ERROR;
    q->rcode = (uint16_t) rcode;

    return NGX_DNS_VERDICT_ERROR;
}


/*
 * A name in a question is never compressed: nothing stands before it that a
 * pointer could name.
 */

static u_char *
ngx_dns_query_question(ngx_dns_query_t *q, ngx_dns_key_t *key)
{
    u_char  *p, *last;

    last = q->packet + q->len;

    p = ngx_dns_name_parse(&q->qname, q->packet + NGX_DNS_HEADER_SIZE, last,
                           key);

    if (p == NULL || last - p < 4) {
        return NULL;
    }

    q->qtype = (uint16_t) ngx_dns_get16(p);
    q->qclass = (uint16_t) ngx_dns_get16(p + 2);
    q->question = 1;

    return p + 4;
}


static u_char *
ngx_dns_query_skip_name(u_char *p, u_char *last)
{
    for ( ;; ) {

        if (p >= last) {
            return NULL;
        }

        if (*p == 0) {
            return p + 1;
        }

        if (*p >= 0xc0) {
            return (last - p < 2) ? NULL : p + 2;
        }

        if (*p > NGX_DNS_LABEL_MAX) {
            return NULL;
        }

        p += *p + 1;
    }
}


static u_char *
ngx_dns_query_skip_rr(u_char *p, u_char *last)
{
    size_t  n;

    p = ngx_dns_query_skip_name(p, last);

    if (p == NULL || last - p < 10) {
        return NULL;
    }

    n = ngx_dns_get16(p + 8);
    p += 10;

    return ((size_t) (last - p) < n) ? NULL : p + n;
}


/* the additional section: at most one OPT, others are passed over */

static u_char *
ngx_dns_query_additional(ngx_dns_query_t *q, u_char *p, ngx_uint_t n)
{
    u_char  *last, *rr;

    last = q->packet + q->len;

    for ( /* void */ ; n > 0; n--) {

        rr = ngx_dns_query_skip_name(p, last);

        if (rr == NULL || last - rr < 10) {
            goto failed;
        }

        if (ngx_dns_get16(rr) == NGX_DNS_TYPE_OPT) {

            /* one OPT, owned by the root: RFC 6891, 6.1.1, 6.1.2 */

            if (*p != 0 || q->edns) {
                goto failed;
            }

            p = ngx_dns_query_opt(q, rr, last);

        } else {
            p = ngx_dns_query_skip_rr(p, last);
        }

        if (p == NULL) {
            goto failed;
        }
    }

    return p;

failed:

    /* a message that is not understood has no EDNS we could answer with */

    q->edns = 0;

    return NULL;
}


static u_char *
ngx_dns_query_opt(ngx_dns_query_t *q, u_char *p, u_char *last)
{
    size_t  n;

    q->edns_size = (uint16_t) ngx_dns_get16(p + 2);
    q->edns_version = p[5];
    q->do_bit = p[6] >> 7;

    n = ngx_dns_get16(p + 8);
    p += 10;

    if ((size_t) (last - p) < n) {
        return NULL;
    }

    q->edns = 1;

    if (n != 0 && ngx_dns_query_options(q, p, p + n) != NGX_OK) {
        return NULL;
    }

    return p + n;
}


static ngx_int_t
ngx_dns_query_options(ngx_dns_query_t *q, u_char *p, u_char *last)
{
    size_t      n;
    ngx_uint_t  code;

    while (p < last) {

        if (last - p < 4) {
            return NGX_DECLINED;
        }

        code = ngx_dns_get16(p);
        n = ngx_dns_get16(p + 2);
        p += 4;

        if ((size_t) (last - p) < n) {
            return NGX_DECLINED;
        }

        switch (code) {

        case NGX_DNS_OPTION_NSID:
            q->nsid = 1;
            break;

        case NGX_DNS_OPTION_ECS:
            q->ecs_twice = (q->ecs != NULL);
            q->ecs = p;
            q->ecs_len = (uint16_t) n;
            break;

        case NGX_DNS_OPTION_KEEPALIVE:
            q->keepalive = 1;
            break;

        case NGX_DNS_OPTION_PADDING:
            q->padding = 1;
            break;

        default:

            /* unknown options are ignored: RFC 6891, 6.1.2 */

            break;
        }

        p += n;
    }

    return NGX_OK;
}
