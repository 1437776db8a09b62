
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_writer.h"
#include "ngx_dns_compress.h"
#include "ngx_dns_rr.h"


#define NGX_DNS_OPT_SIZE          11    /* octets of OPT without options */
#define NGX_DNS_OPTION_HEAD       4

#define NGX_DNS_OPTION_NSID       3
#define NGX_DNS_OPTION_ECS        8
#define NGX_DNS_OPTION_KEEPALIVE  11
#define NGX_DNS_OPTION_PADDING    12
#define NGX_DNS_OPTION_EDE        15

/* options of this reply */
#define NGX_DNS_WRITE_NSID        0x01
#define NGX_DNS_WRITE_KEEPALIVE   0x02
#define NGX_DNS_WRITE_EDE         0x04
#define NGX_DNS_WRITE_ECS         0x08

/* an RR of up to so many octets of rdlen and rdata is copied as one piece */
#define NGX_DNS_COPY              18


struct ngx_dns_writer_s {
    ngx_dns_query_t      *query;
    ngx_dns_reply_t      *reply;        /* NULL: just an error */
    ngx_dns_transport_t  *transport;
    u_char               *buf;
    u_char               *p;
    u_char               *limit;        /* OPT goes behind it */
    u_char               *end;          /* of the buffer */
    uint16_t              ede;
    uint16_t              options;      /* NGX_DNS_WRITE_... */
    uint16_t              count[3];     /* RRs by section */
    ngx_dns_compress_t    compress;
};


static size_t ngx_dns_write_opt_size(ngx_dns_writer_t *w, size_t room);
static size_t ngx_dns_write_option_size(ngx_dns_writer_t *w,
    ngx_uint_t option, size_t len, size_t room);
static void ngx_dns_write_question(ngx_dns_writer_t *w);
static ngx_uint_t ngx_dns_write_items(ngx_dns_writer_t *w,
    ngx_dns_reply_t *reply);
static ngx_int_t ngx_dns_write_item(ngx_dns_writer_t *w,
    ngx_dns_item_t *item);
static ngx_int_t ngx_dns_write_other(ngx_dns_writer_t *w,
    ngx_dns_item_t *item);
static ngx_int_t ngx_dns_write_plain(ngx_dns_writer_t *w,
    ngx_dns_item_t *item, ngx_uint_t pointer);
static ngx_int_t ngx_dns_write_chosen(ngx_dns_writer_t *w,
    ngx_dns_item_t *item, ngx_uint_t pointer);
static ngx_int_t ngx_dns_write_named(ngx_dns_writer_t *w,
    ngx_dns_item_t *item);
static u_char *ngx_dns_write_owner(ngx_dns_writer_t *w, u_char *p,
    ngx_dns_item_t *item);
static ngx_uint_t ngx_dns_write_pointer(ngx_dns_writer_t *w, u_char *p);
static u_char *ngx_dns_write_rdata(ngx_dns_writer_t *w, u_char *p,
    uint8_t *fields, const u_char *rdata, size_t rdlen);
static u_char *ngx_dns_write_head(ngx_dns_writer_t *w, u_char *p,
    ngx_dns_item_t *item);
static void ngx_dns_write_opt(ngx_dns_writer_t *w, ngx_uint_t rcode);
static u_char *ngx_dns_write_option(u_char *p, ngx_uint_t code,
    const u_char *data, size_t len);
static u_char *ngx_dns_write_padding(ngx_dns_writer_t *w, u_char *p);
static size_t ngx_dns_write_finish(ngx_dns_writer_t *w, ngx_uint_t rcode,
    ngx_uint_t flags);


ngx_dns_writer_t *
ngx_dns_writer_create(ngx_pool_t *pool, ngx_dns_key_t *key)
{
    ngx_dns_writer_t  *w;

    w = ngx_pcalloc(pool, sizeof(ngx_dns_writer_t));
    if (w == NULL) {
        return NULL;
    }

    w->compress.key = key;

    return w;
}


size_t
ngx_dns_write(ngx_dns_writer_t *w, ngx_dns_query_t *q, ngx_dns_reply_t *reply,
    ngx_dns_transport_t *t, u_char *buf, size_t size)
{
    size_t      limit;
    ngx_uint_t  rcode, flags;

    if (q->verdict == NGX_DNS_VERDICT_ERROR) {
        reply = NULL;
    }

    w->query = q;
    w->transport = t;
    w->buf = buf;
    w->end = buf + size;
    w->reply = reply;
    w->ede = (reply != NULL) ? reply->ede : q->ede;
    w->count[0] = 0;
    w->count[1] = 0;
    w->count[2] = 0;

    ngx_dns_write_question(w);

    limit = ngx_dns_write_limit(q, t);
    w->limit = buf + ngx_min(limit, size);

    if (q->edns) {
        w->limit -= ngx_dns_write_opt_size(w, w->limit - w->p);
    }

    if (reply == NULL) {
        return ngx_dns_write_finish(w, q->rcode, 0);
    }

    ngx_dns_compress_start(&w->compress, q, buf);

    rcode = reply->rcode;
    flags = reply->aa ? NGX_DNS_FLAG_AA : 0;

    if (ngx_dns_write_items(w, reply)) {

        if (t->tcp) {

            /* no message could hold it: never a part over TCP */

            w->count[0] = 0;
            w->count[1] = 0;
            w->count[2] = 0;

            reply->scope = 0;

            ngx_dns_write_question(w);

            return ngx_dns_write_finish(w, NGX_DNS_SERVFAIL, 0);
        }

        flags |= NGX_DNS_FLAG_TC;
    }

    return ngx_dns_write_finish(w, rcode, flags);
}


/* chooses the options, too */

static size_t
ngx_dns_write_opt_size(ngx_dns_writer_t *w, size_t room)
{
    size_t                n;
    ngx_dns_query_t      *q;
    ngx_dns_transport_t  *t;

    q = w->query;
    t = w->transport;
    w->options = 0;

    n = NGX_DNS_OPT_SIZE;

    if (w->reply != NULL && w->reply->ecs) {
        n += ngx_dns_write_option_size(w, NGX_DNS_WRITE_ECS, q->ecs_len,
                                       room - n);
    }

    if (w->ede != NGX_DNS_EDE_NONE) {
        n += ngx_dns_write_option_size(w, NGX_DNS_WRITE_EDE, 2, room - n);
    }

    if (q->keepalive && t->tcp) {
        n += ngx_dns_write_option_size(w, NGX_DNS_WRITE_KEEPALIVE, 2,
                                       room - n);
    }

    if (q->nsid && t->nsid.len != 0) {
        n += ngx_dns_write_option_size(w, NGX_DNS_WRITE_NSID, t->nsid.len,
                                       room - n);
    }

    return n;
}


/* 0: there is no room for it */

static size_t
ngx_dns_write_option_size(ngx_dns_writer_t *w, ngx_uint_t option, size_t len,
    size_t room)
{
    if (room < NGX_DNS_OPTION_HEAD + len) {
        return 0;
    }

    w->options |= (uint16_t) option;

    return NGX_DNS_OPTION_HEAD + len;
}


/* the question as the client wrote it: RFC 1035, 7.3 */

static void
ngx_dns_write_question(ngx_dns_writer_t *w)
{
    size_t            n;
    ngx_dns_query_t  *q;

    q = w->query;
    w->p = w->buf + NGX_DNS_HEADER_SIZE;

    if (q->question) {
        n = (size_t) q->qname.len + 4;
        w->p = ngx_cpymem(w->p, q->packet + NGX_DNS_HEADER_SIZE, n);
    }
}


/* 1: something that must be there did not fit */

static ngx_uint_t
ngx_dns_write_items(ngx_dns_writer_t *w, ngx_dns_reply_t *reply)
{
    ngx_uint_t       cut;
    ngx_dns_item_t  *item, *last;

    cut = reply->full;
    last = reply->items + reply->nitems;

    for (item = reply->items; item < last; item++) {

        if (cut && (item->section != NGX_DNS_ADDITIONAL
                    || (item->flags & NGX_DNS_ITEM_OPTIONAL)))
        {
            continue;
        }

        if (ngx_dns_write_item(w, item) == NGX_OK) {
            w->count[item->section] += item->rrset->nrr;
            continue;
        }

        if (!(item->flags & NGX_DNS_ITEM_OPTIONAL)) {
            cut = 1;
        }

        if (item + 1 < last && (item[1].flags & NGX_DNS_ITEM_SIGS)) {
            item++;
        }
    }

    return cut;
}


/* NGX_DECLINED: it does not fit, nothing of it is written */

static ngx_int_t
ngx_dns_write_item(ngx_dns_writer_t *w, ngx_dns_item_t *item)
{
    ngx_uint_t  pointer;

    if (item->rrset->flags & (NGX_DNS_RRSET_NAMES|NGX_DNS_RRSET_NOTED)) {
        return ngx_dns_write_other(w, item);
    }

    if (item->owner == NULL && item->apex == NULL) {
        pointer = NGX_DNS_HEADER_SIZE + item->owner_len;

        if (w->query->qname.wire[item->owner_len] != 0) {
            return ngx_dns_write_plain(w, item, pointer);
        }
    }

    return ngx_dns_write_named(w, item);
}


/* names in the RDATA, or a set that may have been chosen from */

static ngx_int_t
ngx_dns_write_other(ngx_dns_writer_t *w, ngx_dns_item_t *item)
{
    ngx_int_t  rc;

    if (item->rrs == NULL) {
        return ngx_dns_write_named(w, item);
    }

    if (item->owner == NULL && item->apex == NULL
        && w->query->qname.wire[item->owner_len] != 0)
    {
        rc = ngx_dns_write_chosen(w, item,
                                  NGX_DNS_HEADER_SIZE + item->owner_len);

    } else {
        rc = ngx_dns_write_named(w, item);
    }

    if (rc == NGX_OK) {

        /* it is about to be counted as the whole set */

        w->count[item->section] -= item->rrset->nrr - item->nrrs;
    }

    return rc;
}


/* type, class and TTL */

static u_char *
ngx_dns_write_head(ngx_dns_writer_t *w, u_char *p, ngx_dns_item_t *item)
{
    p = ngx_dns_put16(p, item->rrset->type);
    p = ngx_dns_put16(p, w->query->qclass);

    return ngx_dns_put32(p, item->ttl);
}


/* an owner that is in the question, RDATA without names to compress */

static ngx_int_t
ngx_dns_write_plain(ngx_dns_writer_t *w, ngx_dns_item_t *item,
    ngx_uint_t pointer)
{
    u_char           *p, *rr, head[10];
    size_t            n;
    ngx_uint_t        i;
    ngx_dns_short_t  *names;
    ngx_dns_rrset_t  *set;

    set = item->rrset;
    p = w->p;

    if ((size_t) (w->limit - p) < (size_t) set->nrr * sizeof(head) + set->size)
    {
        return NGX_DECLINED;
    }

    ngx_dns_put16(head, 0xc000 | pointer);
    ngx_dns_write_head(w, head + 2, item);

    rr = ngx_dns_rrset_first(set);

    for (i = set->nrr; i > 0; i--) {
        p = ngx_cpymem(p, head, sizeof(head));
        n = 2 + ngx_dns_get16(rr);

        if (n <= NGX_DNS_COPY && w->end - p >= NGX_DNS_COPY) {
            ngx_memcpy(p, rr, NGX_DNS_COPY);

        } else {
            ngx_memcpy(p, rr, n);
        }

        p += n;
        rr = ngx_dns_rrset_step(set, rr);
    }

    if (set->flags & NGX_DNS_RRSET_SHORT) {
        names = ngx_dns_rrset_short(set);
        rr = w->p + sizeof(head) + 2;

        for (i = 0; i < names->npos; i++) {
            ngx_dns_put16(rr + names->pos[i], 0xc000 | pointer);
        }
    }

    w->p = p;

    return NGX_OK;
}


/* the same for RRs that were chosen; all of them have the same size */

static ngx_int_t
ngx_dns_write_chosen(ngx_dns_writer_t *w, ngx_dns_item_t *item,
    ngx_uint_t pointer)
{
    u_char      *p, head[10];
    size_t       n;
    ngx_uint_t   i;

    p = w->p;
    n = 2 + ngx_dns_get16(item->rrs[0]);

    if ((size_t) (w->limit - p) < item->nrrs * (sizeof(head) + n)) {
        return NGX_DECLINED;
    }

    ngx_dns_put16(head, 0xc000 | pointer);
    ngx_dns_write_head(w, head + 2, item);

    for (i = 0; i < item->nrrs; i++) {
        p = ngx_cpymem(p, head, sizeof(head));

        if (n <= NGX_DNS_COPY && w->end - p >= NGX_DNS_COPY) {
            ngx_memcpy(p, item->rrs[i], NGX_DNS_COPY);

        } else {
            ngx_memcpy(p, item->rrs[i], n);
        }

        p += n;
    }

    w->p = p;

    return NGX_OK;
}


/* any owner, any RDATA */

static ngx_int_t
ngx_dns_write_named(ngx_dns_writer_t *w, ngx_dns_item_t *item)
{
    u_char           *p, *rr, *rdata;
    size_t            n;
    uint8_t          *fields;
    ngx_uint_t        i, nrr, pointer;
    ngx_dns_rrset_t  *set;

    set = item->rrset;
    fields = (set->flags & NGX_DNS_RRSET_NAMES) ? ngx_dns_rr(set->type)->fields
                                                : NULL;
    p = w->p;
    pointer = 0;
    rr = ngx_dns_rrset_first(set);
    nrr = (item->rrs != NULL) ? item->nrrs : set->nrr;

    for (i = 0; i < nrr; i++) {

        if (item->rrs != NULL) {
            rr = item->rrs[i];
        }

        rdata = p;

        if (pointer == 0) {
            p = ngx_dns_write_owner(w, p, item);
            pointer = (p == NULL) ? 0 : ngx_dns_write_pointer(w, rdata);

        } else {
            p = (w->limit - p < 2) ? NULL : ngx_dns_put16(p, pointer);
        }

        if (p == NULL || w->limit - p < 10) {
            return NGX_DECLINED;
        }

        p = ngx_dns_write_head(w, p, item);
        rdata = p + 2;
        n = ngx_dns_get16(rr);

        p = ngx_dns_write_rdata(w, rdata, fields, rr + 2, n);
        if (p == NULL) {
            return NGX_DECLINED;
        }

        ngx_dns_put16(rdata - 2, p - rdata);
        rr = ngx_dns_rrset_step(set, rr);
    }

    w->p = p;

    return NGX_OK;
}


static u_char *
ngx_dns_write_owner(ngx_dns_writer_t *w, u_char *p, ngx_dns_item_t *item)
{
    if (item->owner == NULL && item->apex == NULL) {

        if (w->query->qname.wire[item->owner_len] == 0) {

            if (w->limit - p < 1) {
                return NULL;
            }

            *p++ = 0;
            return p;
        }

        if (w->limit - p < 2) {
            return NULL;
        }

        return ngx_dns_put16(p, 0xc000 | (NGX_DNS_HEADER_SIZE
                                          + item->owner_len));
    }

    return ngx_dns_compress_name(&w->compress, p, w->limit, item->owner,
                                 item->owner_len, item->apex);
}


/* what the next RR can write for the owner at p; 0: nothing shorter */

static ngx_uint_t
ngx_dns_write_pointer(ngx_dns_writer_t *w, u_char *p)
{
    if (*p >= 0xc0) {
        return ngx_dns_get16(p);
    }

    if (*p == 0 || p - w->buf > NGX_DNS_POINTER_MAX) {
        return 0;
    }

    return 0xc000 | (ngx_uint_t) (p - w->buf);
}


/* fields is NULL if no name in it may be compressed */

static u_char *
ngx_dns_write_rdata(ngx_dns_writer_t *w, u_char *p, uint8_t *fields,
    const u_char *rdata, size_t rdlen)
{
    size_t         n;
    const u_char  *last;

    last = rdata + rdlen;

    for ( /* void */ ; fields != NULL && rdata < last; fields++) {

        switch (*fields) {

        case NGX_DNS_RD_NAME:
        case NGX_DNS_RD_TARGET:
            n = ngx_dns_name_len(rdata);
            p = ngx_dns_compress_name(&w->compress, p, w->limit, NULL, 0,
                                      rdata);
            break;

        case NGX_DNS_RD_U16:
            n = 2;
            p = (w->limit - p < 2) ? NULL : ngx_cpymem(p, rdata, 2);
            break;

        default:

            /* behind the names: the rest as it is */

            fields = NULL;
            n = 0;
            break;
        }

        if (p == NULL) {
            return NULL;
        }

        rdata += n;

        if (fields == NULL) {
            break;
        }
    }

    n = last - rdata;

    if ((size_t) (w->limit - p) < n) {
        return NULL;
    }

    return ngx_cpymem(p, rdata, n);
}


static u_char *
ngx_dns_write_option(u_char *p, ngx_uint_t code, const u_char *data,
    size_t len)
{
    p = ngx_dns_put16(p, code);
    p = ngx_dns_put16(p, len);

    return ngx_cpymem(p, data, len);
}


/* its room was reserved; RFC 6891, 6.1 */

static void
ngx_dns_write_opt(ngx_dns_writer_t *w, ngx_uint_t rcode)
{
    u_char               *p, *rdlen, number[2];
    ngx_dns_query_t      *q;
    ngx_dns_transport_t  *t;

    q = w->query;
    t = w->transport;
    p = w->p;

    *p++ = 0;
    p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
    p = ngx_dns_put16(p, t->udp_size);
    *p++ = (u_char) (rcode >> 4);
    *p++ = 0;
    *p++ = (u_char) (q->do_bit << 7);
    *p++ = 0;
    rdlen = p;
    p += 2;

    if (w->options & NGX_DNS_WRITE_ECS) {

        /* as the client wrote it but for the scope: RFC 7871, 7.2.1 */

        p = ngx_dns_write_option(p, NGX_DNS_OPTION_ECS, q->ecs, q->ecs_len);
        p[3 - (ngx_int_t) q->ecs_len] = w->reply->scope;
    }

    if (w->options & NGX_DNS_WRITE_NSID) {
        p = ngx_dns_write_option(p, NGX_DNS_OPTION_NSID, t->nsid.data,
                                 t->nsid.len);
    }

    if (w->options & NGX_DNS_WRITE_KEEPALIVE) {
        ngx_dns_put16(number, t->keepalive);
        p = ngx_dns_write_option(p, NGX_DNS_OPTION_KEEPALIVE, number, 2);
    }

    if (w->options & NGX_DNS_WRITE_EDE) {
        ngx_dns_put16(number, w->ede);
        p = ngx_dns_write_option(p, NGX_DNS_OPTION_EDE, number, 2);
    }

    if (q->padding && t->pad != 0) {
        p = ngx_dns_write_padding(w, p);
    }

    ngx_dns_put16(rdlen, p - rdlen - 2);

    w->p = p;
}


/* RFC 8467, 4.1: up to a multiple of the block */

static u_char *
ngx_dns_write_padding(ngx_dns_writer_t *w, u_char *p)
{
    size_t  used, padded;

    used = p - w->buf + NGX_DNS_OPTION_HEAD;
    padded = (used + w->transport->pad - 1) / w->transport->pad
             * w->transport->pad;
    padded = ngx_min(padded, NGX_DNS_MESSAGE_MAX);
    padded = ngx_min(padded, (size_t) (w->end - w->buf));

    if (padded < used) {
        return p;
    }

    p = ngx_dns_put16(p, NGX_DNS_OPTION_PADDING);
    p = ngx_dns_put16(p, padded - used);
    ngx_memzero(p, padded - used);

    return p + (padded - used);
}


static size_t
ngx_dns_write_finish(ngx_dns_writer_t *w, ngx_uint_t rcode, ngx_uint_t flags)
{
    u_char           *p;
    ngx_dns_query_t  *q;

    q = w->query;

    if (q->edns) {
        ngx_dns_write_opt(w, rcode);
        w->count[NGX_DNS_ADDITIONAL]++;
    }

    flags |= NGX_DNS_FLAG_QR | (rcode & 0xf)
             | (q->flags & (NGX_DNS_FLAG_OPCODE|NGX_DNS_FLAG_RD
                            |NGX_DNS_FLAG_CD));

    p = ngx_dns_put16(w->buf, q->id);
    p = ngx_dns_put16(p, flags);
    p = ngx_dns_put16(p, q->question);
    p = ngx_dns_put16(p, w->count[NGX_DNS_ANSWER]);
    p = ngx_dns_put16(p, w->count[NGX_DNS_AUTHORITY]);
    ngx_dns_put16(p, w->count[NGX_DNS_ADDITIONAL]);

    return w->p - w->buf;
}
