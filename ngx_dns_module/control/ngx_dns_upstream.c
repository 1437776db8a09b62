
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_upstream.h"


#define NGX_DNS_UPSTREAM_ECS     8      /* option code, RFC 7871, 6 */
#define NGX_DNS_UPSTREAM_OTHERS  4096   /* records of other sections */
#define NGX_DNS_UPSTREAM_JUMPS   126    /* of pointers in a name */


/* a record: places are octets from the start of the message */

typedef struct {
    size_t               owner;
    size_t               rdata;
    uint32_t             ttl;           /* seconds; 0 if it is nonsense */
    uint16_t             type;
    uint16_t             class;
    uint16_t             rdlen;
} ngx_dns_upstream_record_t;


/* a message that is being read */

typedef struct {
    const ngx_dns_upstream_query_t  *query;
    ngx_dns_upstream_reply_t        *reply;
    const u_char                    *packet;
    size_t                           len;
    size_t                           pos;
    size_t                           answer;    /* places of sections */
    ngx_uint_t                       count[3];  /* records of each */
    ngx_uint_t                       soa;       /* 1: it was there */
    ngx_uint_t                       ns;        /* 1: NS in authority */
    uint32_t                         negative;  /* TTL of the SOA */
} ngx_dns_upstream_t;


static ngx_int_t ngx_dns_upstream_header(ngx_dns_upstream_t *u);
static ngx_int_t ngx_dns_upstream_sections(ngx_dns_upstream_t *u);
static void ngx_dns_upstream_authority(ngx_dns_upstream_t *u,
    const ngx_dns_upstream_record_t *rec);
static ngx_int_t ngx_dns_upstream_opt(ngx_dns_upstream_t *u,
    const ngx_dns_upstream_record_t *rec);
static ngx_int_t ngx_dns_upstream_option(ngx_dns_upstream_t *u,
    const u_char *data, size_t len);
static ngx_int_t ngx_dns_upstream_answer(ngx_dns_upstream_t *u, u_char *buf);
static ngx_int_t ngx_dns_upstream_link(ngx_dns_upstream_t *u, u_char *name,
    u_char *buf);
static void ngx_dns_upstream_address(ngx_dns_upstream_t *u,
    const ngx_dns_upstream_record_t *rec, u_char *buf);
static ngx_int_t ngx_dns_upstream_nothing(ngx_dns_upstream_t *u);
static ngx_int_t ngx_dns_upstream_record(ngx_dns_upstream_t *u,
    ngx_dns_upstream_record_t *rec);
static ngx_int_t ngx_dns_upstream_name(ngx_dns_upstream_t *u, size_t *pos,
    u_char *name);


size_t
ngx_dns_upstream_write(const ngx_dns_upstream_query_t *q, u_char *buf)
{
    u_char  *p;
    size_t   n;

    p = ngx_dns_put16(buf, q->id);
    p = ngx_dns_put16(p, NGX_DNS_FLAG_RD);
    p = ngx_dns_put16(p, 1);
    p = ngx_dns_put32(p, 0);
    p = ngx_dns_put16(p, q->edns);

    p = ngx_cpymem(p, q->name, q->name_len);
    p = ngx_dns_put16(p, q->type);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);

    if (!q->edns) {
        return p - buf;
    }

    *p++ = 0;
    p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
    p = ngx_dns_put16(p, NGX_DNS_UPSTREAM_SIZE);
    p = ngx_dns_put32(p, 0);

    if (q->family == 0) {
        return ngx_dns_put16(p, 0) - buf;
    }

    n = (q->bits + 7) / 8;

    p = ngx_dns_put16(p, 8 + n);
    p = ngx_dns_put16(p, NGX_DNS_UPSTREAM_ECS);
    p = ngx_dns_put16(p, 4 + n);
    p = ngx_dns_put16(p, q->family);
    *p++ = q->bits;
    *p++ = 0;

    return ngx_cpymem(p, q->network, n) - buf;
}


ngx_int_t
ngx_dns_upstream_read(const ngx_dns_upstream_query_t *q,
    const u_char *packet, size_t len, u_char *buf,
    ngx_dns_upstream_reply_t *r)
{
    ngx_int_t           rc;
    ngx_dns_upstream_t  u;

    ngx_memzero(&u, sizeof(ngx_dns_upstream_t));
    ngx_memzero(r, sizeof(ngx_dns_upstream_reply_t));

    u.query = q;
    u.reply = r;
    u.packet = packet;
    u.len = len;

    rc = ngx_dns_upstream_header(&u);

    if (rc != NGX_OK || r->tc) {
        return rc;
    }

    rc = ngx_dns_upstream_sections(&u);

    if (rc != NGX_OK) {
        return rc;
    }

    if (r->rcode != NGX_DNS_NOERROR && r->rcode != NGX_DNS_NXDOMAIN) {
        return NGX_OK;
    }

    return ngx_dns_upstream_answer(&u, buf);
}


/* what says whether it is a reply to the query */

static ngx_int_t
ngx_dns_upstream_header(ngx_dns_upstream_t *u)
{
    u_char                           name[NGX_DNS_NAME_MAX + 1];
    ngx_int_t                        n;
    ngx_uint_t                       flags, i;
    const u_char                    *p;
    const ngx_dns_upstream_query_t  *q;

    p = u->packet;
    q = u->query;

    if (u->len < NGX_DNS_HEADER_SIZE) {
        return NGX_DECLINED;
    }

    flags = ngx_dns_get16(p + 2);

    if (ngx_dns_get16(p) != q->id
        || !(flags & NGX_DNS_FLAG_QR)
        || (flags & NGX_DNS_FLAG_OPCODE) != 0)
    {
        return NGX_DECLINED;
    }

    u->reply->rcode = (uint16_t) (flags & 0x0f);

    /* who cannot read a query may send its header back */

    if (ngx_dns_get16(p + 4) == 0
        && (u->reply->rcode == NGX_DNS_FORMERR
            || u->reply->rcode == NGX_DNS_NOTIMP)
        && u->len == NGX_DNS_HEADER_SIZE)
    {
        return NGX_OK;
    }

    if (ngx_dns_get16(p + 4) != 1) {
        return NGX_DECLINED;
    }

    u->pos = NGX_DNS_HEADER_SIZE;

    n = ngx_dns_upstream_name(u, &u->pos, name);

    if (n < 0
        || (size_t) n != q->name_len
        || ngx_memcmp(name, q->name, n) != 0
        || u->len - u->pos < 4
        || ngx_dns_get16(p + u->pos) != q->type
        || ngx_dns_get16(p + u->pos + 2) != NGX_DNS_CLASS_IN)
    {
        return NGX_DECLINED;
    }

    u->pos += 4;
    u->answer = u->pos;

    for (i = 0; i < 3; i++) {
        u->count[i] = ngx_dns_get16(p + 6 + 2 * i);
    }

    u->reply->tc = ((flags & NGX_DNS_FLAG_TC) != 0);

    return NGX_OK;
}


/* all records have to be whole; some are of use at once */

static ngx_int_t
ngx_dns_upstream_sections(ngx_dns_upstream_t *u)
{
    ngx_int_t                  rc;
    ngx_uint_t                 i, section;
    ngx_dns_upstream_record_t  rec;

    if (u->count[0] > NGX_DNS_UPSTREAM_RECORDS
        || u->count[1] + u->count[2] > NGX_DNS_UPSTREAM_OTHERS)
    {
        return NGX_ERROR;
    }

    for (section = 0; section < 3; section++) {
        for (i = 0; i < u->count[section]; i++) {

            if (ngx_dns_upstream_record(u, &rec) != NGX_OK) {
                return NGX_ERROR;
            }

            if (section == 1) {
                ngx_dns_upstream_authority(u, &rec);

            } else if (section == 2 && rec.type == NGX_DNS_TYPE_OPT) {

                rc = ngx_dns_upstream_opt(u, &rec);

                if (rc != NGX_OK) {
                    return rc;
                }
            }
        }
    }

    return NGX_OK;
}


static void
ngx_dns_upstream_authority(ngx_dns_upstream_t *u,
    const ngx_dns_upstream_record_t *rec)
{
    uint32_t  minimum;

    if (rec->class != NGX_DNS_CLASS_IN) {
        return;
    }

    if (rec->type == NGX_DNS_TYPE_NS) {
        u->ns = 1;
    }

    /* two names of an octet, at least, and five numbers, MINIMUM the last */

    if (rec->type != NGX_DNS_TYPE_SOA || rec->rdlen < 22 || u->soa) {
        return;
    }

    minimum = ngx_dns_get32(u->packet + rec->rdata + rec->rdlen - 4);

    if (minimum & 0x80000000) {
        minimum = 0;
    }

    u->soa = 1;
    u->negative = ngx_min(rec->ttl, minimum);
}


static ngx_int_t
ngx_dns_upstream_opt(ngx_dns_upstream_t *u,
    const ngx_dns_upstream_record_t *rec)
{
    size_t         len;
    ngx_int_t      rc;
    ngx_uint_t     code;
    const u_char  *p, *last;

    if (u->reply->edns || u->packet[rec->owner] != 0) {
        return NGX_ERROR;
    }

    u->reply->edns = 1;

    /* the TTL is where the upper octet of the rcode is */

    p = u->packet + rec->rdata;

    u->reply->rcode |= (uint16_t) (p[-6] << 4);

    last = p + rec->rdlen;

    while (p < last) {

        if (last - p < 4) {
            return NGX_ERROR;
        }

        code = ngx_dns_get16(p);
        len = ngx_dns_get16(p + 2);
        p += 4;

        if ((size_t) (last - p) < len) {
            return NGX_ERROR;
        }

        if (code == NGX_DNS_UPSTREAM_ECS) {

            rc = ngx_dns_upstream_option(u, p, len);

            if (rc != NGX_OK) {
                return rc;
            }
        }

        p += len;
    }

    return NGX_OK;
}


/* a network that nobody has asked about is a reply to somebody else */

static ngx_int_t
ngx_dns_upstream_option(ngx_dns_upstream_t *u, const u_char *data, size_t len)
{
    size_t                           n;
    const ngx_dns_upstream_query_t  *q;

    q = u->query;

    if (q->family == 0) {
        return NGX_OK;
    }

    n = (q->bits + 7) / 8;

    if (u->reply->ecs
        || len != 4 + n
        || ngx_dns_get16(data) != q->family
        || data[2] != q->bits
        || ngx_memcmp(data + 4, q->network, n) != 0)
    {
        return NGX_DECLINED;
    }

    u->reply->ecs = 1;
    u->reply->scope = ngx_min(data[3], q->bits);

    return NGX_OK;
}


/* from the name of the question, link by link, to the addresses */

static ngx_int_t
ngx_dns_upstream_answer(ngx_dns_upstream_t *u, u_char *buf)
{
    u_char      name[NGX_DNS_NAME_MAX + 1];
    ngx_int_t   rc;
    ngx_uint_t  i;

    ngx_memcpy(name, u->query->name, u->query->name_len);

    u->reply->ttl = NGX_DNS_UPSTREAM_TTL;

    for (i = 0; i <= NGX_DNS_UPSTREAM_CHAIN; i++) {

        rc = ngx_dns_upstream_link(u, name, buf);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK) {

            if (u->reply->nrr != 0) {
                u->reply->rcode = NGX_DNS_NOERROR;
                return NGX_OK;
            }

            return ngx_dns_upstream_nothing(u);
        }
    }

    return NGX_ERROR;
}


/*
 * The records of one name.
 *
 * NGX_OK     its addresses, maybe none: the chain ends here
 * NGX_AGAIN  it has another name, which is in its place now
 */

static ngx_int_t
ngx_dns_upstream_link(ngx_dns_upstream_t *u, u_char *name, u_char *buf)
{
    u_char                     owner[NGX_DNS_NAME_MAX + 1];
    u_char                     target[NGX_DNS_NAME_MAX + 1];
    size_t                     pos, len;
    ngx_int_t                  n;
    ngx_uint_t                 i, alias;
    ngx_dns_upstream_record_t  rec;

    len = ngx_dns_name_len(name);
    alias = 0;

    u->pos = u->answer;

    for (i = 0; i < u->count[0]; i++) {

        (void) ngx_dns_upstream_record(u, &rec);

        if (rec.class != NGX_DNS_CLASS_IN
            || (rec.type != NGX_DNS_TYPE_CNAME
                && rec.type != u->query->type))
        {
            continue;
        }

        pos = rec.owner;
        n = ngx_dns_upstream_name(u, &pos, owner);

        if (n < 0 || (size_t) n != len || ngx_memcmp(owner, name, n) != 0) {
            continue;
        }

        if (rec.type == NGX_DNS_TYPE_CNAME) {

            pos = rec.rdata;

            if (alias
                || ngx_dns_upstream_name(u, &pos, target) < 0
                || pos != rec.rdata + rec.rdlen)
            {
                return NGX_ERROR;
            }

            alias = 1;

        } else if (rec.rdlen == (rec.type == NGX_DNS_TYPE_A ? 4 : 16)) {
            ngx_dns_upstream_address(u, &rec, buf);

        } else {
            return NGX_ERROR;
        }

        u->reply->ttl = ngx_min(u->reply->ttl, rec.ttl);
    }

    if (!alias) {
        return NGX_OK;
    }

    /* a name with both */

    if (u->reply->nrr != 0) {
        return NGX_ERROR;
    }

    ngx_memcpy(name, target, ngx_dns_name_len(target));

    return NGX_AGAIN;
}


/* each of them once */

static void
ngx_dns_upstream_address(ngx_dns_upstream_t *u,
    const ngx_dns_upstream_record_t *rec, u_char *buf)
{
    u_char      *p;
    ngx_uint_t   i;

    p = buf;

    for (i = 0; i < u->reply->nrr; i++) {

        if (ngx_memcmp(p + 2, u->packet + rec->rdata, rec->rdlen) == 0) {
            return;
        }

        p += 2 + rec->rdlen;
    }

    p = ngx_dns_put16(p, rec->rdlen);
    ngx_memcpy(p, u->packet + rec->rdata, rec->rdlen);

    u->reply->nrr++;
    u->reply->size += 2 + rec->rdlen;
}


/* nothing, as long as the SOA says */

static ngx_int_t
ngx_dns_upstream_nothing(ngx_dns_upstream_t *u)
{
    uint32_t  ttl;

    if (!u->soa && u->ns) {
        return NGX_ERROR;
    }

    ttl = u->soa ? u->negative : NGX_DNS_UPSTREAM_NO_SOA;
    ttl = ngx_min(ttl, NGX_DNS_UPSTREAM_NEGATIVE);

    u->reply->ttl = ngx_min(u->reply->ttl, ttl);

    return NGX_OK;
}


/* the next record; its names are looked at later, if at all */

static ngx_int_t
ngx_dns_upstream_record(ngx_dns_upstream_t *u, ngx_dns_upstream_record_t *rec)
{
    const u_char  *p;

    rec->owner = u->pos;

    if (ngx_dns_upstream_name(u, &u->pos, NULL) < 0
        || u->len - u->pos < 10)
    {
        return NGX_ERROR;
    }

    p = u->packet + u->pos;

    rec->type = (uint16_t) ngx_dns_get16(p);
    rec->class = (uint16_t) ngx_dns_get16(p + 2);
    rec->ttl = ngx_dns_get32(p + 4);
    rec->rdlen = (uint16_t) ngx_dns_get16(p + 8);

    /* RFC 2181, 8 */

    if (rec->ttl & 0x80000000) {
        rec->ttl = 0;
    }

    u->pos += 10;
    rec->rdata = u->pos;

    if (u->len - u->pos < rec->rdlen) {
        return NGX_ERROR;
    }

    u->pos += rec->rdlen;

    return NGX_OK;
}


/*
 * The name at *pos, which moves behind it, into name (room for 256 octets,
 * lower case) if that is not NULL: then its pointers are followed, which have
 * to lead to the front.  The octets of the name, or NGX_ERROR; with NULL 0.
 */

static ngx_int_t
ngx_dns_upstream_name(ngx_dns_upstream_t *u, size_t *pos, u_char *name)
{
    size_t      at, n, next, start;
    ngx_uint_t  c, jumps;

    at = *pos;
    start = at;
    n = 0;
    jumps = 0;

    for ( ;; ) {

        if (at >= u->len) {
            return NGX_ERROR;
        }

        c = u->packet[at];

        if (c >= 0xc0) {

            if (u->len - at < 2) {
                return NGX_ERROR;
            }

            next = ngx_dns_get16(u->packet + at) & NGX_DNS_POINTER_MAX;

            if (jumps == 0) {
                *pos = at + 2;
            }

            if (name == NULL) {
                return 0;
            }

            if (next >= start || ++jumps > NGX_DNS_UPSTREAM_JUMPS) {
                return NGX_ERROR;
            }

            at = next;
            start = next;

            continue;
        }

        if (c > NGX_DNS_LABEL_MAX
            || u->len - at < 1 + c
            || n + 1 + c > NGX_DNS_NAME_MAX)
        {
            return NGX_ERROR;
        }

        if (name != NULL) {
            ngx_dns_name_lower(name + n, u->packet + at, 1 + c);
        }

        n += 1 + c;
        at += 1 + c;

        if (c == 0) {
            break;
        }
    }

    if (jumps == 0) {
        *pos = at;
    }

    return (name != NULL) ? (ngx_int_t) n : 0;
}
