
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_compress.h"


#define ngx_dns_compress_slot(hash)                                          \
    (((hash) >> 16) & (NGX_DNS_COMPRESS_SLOTS - 1))


static void ngx_dns_compress_fill(ngx_dns_compress_t *c);
static void ngx_dns_compress_insert(ngx_dns_compress_t *c, uint64_t hash,
    size_t offset);
static ngx_uint_t ngx_dns_compress_find(ngx_dns_compress_t *c, u_char *p,
    ngx_uint_t i);
static ngx_int_t ngx_dns_compress_equal(ngx_dns_compress_t *c, u_char *p,
    size_t offset, const u_char *name);


void
ngx_dns_compress_start(ngx_dns_compress_t *c, ngx_dns_query_t *q, u_char *buf)
{
    c->query = q;
    c->buf = buf;
    c->filled = 0;

    if (++c->turn == 0) {

        /* every 2^32 messages: no entry may look new by accident */

        ngx_memzero(c->slots, sizeof(c->slots));
        c->turn = 1;
    }
}


static void
ngx_dns_compress_fill(ngx_dns_compress_t *c)
{
    ngx_uint_t       i;
    ngx_dns_name_t  *qname;

    qname = &c->query->qname;
    c->filled = 1;

    for (i = 0; i < qname->labels; i++) {
        ngx_dns_compress_insert(c, qname->hash[i],
                                NGX_DNS_HEADER_SIZE + qname->offset[i]);
    }
}


/* no free slot near: the suffix is just not remembered */

static void
ngx_dns_compress_insert(ngx_dns_compress_t *c, uint64_t hash, size_t offset)
{
    ngx_uint_t                i, k;
    ngx_dns_compress_slot_t  *slot;

    if (offset > NGX_DNS_POINTER_MAX) {
        return;
    }

    k = ngx_dns_compress_slot(hash);

    for (i = 0; i < NGX_DNS_COMPRESS_PROBES; i++) {
        slot = &c->slots[(k + i) & (NGX_DNS_COMPRESS_SLOTS - 1)];

        if (slot->turn != c->turn) {
            slot->turn = c->turn;
            slot->tag = (uint16_t) hash;
            slot->offset = (uint16_t) offset;

            return;
        }
    }
}


/* where label i of c->name and what follows stands already; 0: nowhere */

static ngx_uint_t
ngx_dns_compress_find(ngx_dns_compress_t *c, u_char *p, ngx_uint_t i)
{
    uint64_t                  hash;
    ngx_uint_t                n, k;
    ngx_dns_compress_slot_t  *slot;

    hash = c->name.hash[i];
    k = ngx_dns_compress_slot(hash);

    for (n = 0; n < NGX_DNS_COMPRESS_PROBES; n++) {
        slot = &c->slots[(k + n) & (NGX_DNS_COMPRESS_SLOTS - 1)];

        if (slot->turn != c->turn) {
            return 0;
        }

        if (slot->tag == (uint16_t) hash
            && ngx_dns_compress_equal(c, p, slot->offset,
                                      c->name.wire + c->name.offset[i])
               == NGX_OK)
        {
            return slot->offset;
        }
    }

    return 0;
}


/* compares the message before p; every pointer must lead back */

static ngx_int_t
ngx_dns_compress_equal(ngx_dns_compress_t *c, u_char *p, size_t offset,
    const u_char *name)
{
    u_char  *q;
    size_t   n, end, back;

    end = p - c->buf;

    /* the question keeps the client's case: compare with the folded copy */

    n = NGX_DNS_HEADER_SIZE + (size_t) c->query->qname.len;

    if (offset < n) {
        q = c->query->qname.wire + (offset - NGX_DNS_HEADER_SIZE);

        return (ngx_dns_name_len(name) == n - offset
                && ngx_memcmp(q, name, n - offset) == 0)
                   ? NGX_OK : NGX_DECLINED;
    }

    for ( ;; ) {

        if (offset + 1 >= end) {
            return NGX_DECLINED;
        }

        q = c->buf + offset;
        n = *q;

        if (n >= 0xc0) {
            back = ngx_dns_get16(q) & NGX_DNS_POINTER_MAX;

            if (back >= offset || back < NGX_DNS_HEADER_SIZE) {
                return NGX_DECLINED;
            }

            if (back < NGX_DNS_HEADER_SIZE + (size_t) c->query->qname.len) {
                return ngx_dns_compress_equal(c, p, back, name);
            }

            offset = back;
            continue;
        }

        if (n != *name || offset + 1 + n >= end
            || ngx_memcmp(q, name, n + 1) != 0)
        {
            return NGX_DECLINED;
        }

        if (n == 0) {
            return NGX_OK;
        }

        name += n + 1;
        offset += n + 1;
    }
}


u_char *
ngx_dns_compress_name(ngx_dns_compress_t *c, u_char *p, u_char *limit,
    const u_char *labels, size_t len, const u_char *suffix)
{
    u_char          *q;
    size_t           n;
    ngx_uint_t       i, pointer;
    ngx_dns_name_t  *name;

    if (!c->filled) {
        ngx_dns_compress_fill(c);
    }

    name = &c->name;

    if (len != 0) {
        q = ngx_cpymem(name->wire, labels, len);
        ngx_memcpy(q, suffix, ngx_dns_name_len(suffix));
        suffix = name->wire;
    }

    ngx_dns_name_set(name, suffix, c->key);

    pointer = 0;

    for (i = 0; i < name->labels; i++) {
        pointer = ngx_dns_compress_find(c, p, i);

        if (pointer != 0) {
            break;
        }
    }

    n = name->offset[i];

    if ((size_t) (limit - p) < n + (pointer ? 2 : 1)) {
        return NULL;
    }

    while (i-- > 0) {
        ngx_dns_compress_insert(c, name->hash[i],
                                p - c->buf + name->offset[i]);
    }

    p = ngx_cpymem(p, name->wire, n);

    if (pointer) {
        return ngx_dns_put16(p, 0xc000 | pointer);
    }

    *p++ = 0;

    return p;
}
