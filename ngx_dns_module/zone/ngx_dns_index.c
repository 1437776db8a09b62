
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_compiler.h"


#define NGX_DNS_INDEX_AHEAD   16        /* buckets asked for in advance */


static void ngx_dns_index_denial(ngx_dns_compiler_t *c);
static ngx_int_t ngx_dns_index_nsec3(ngx_dns_rrset_t *set, u_char *param);
static void ngx_dns_index_buckets(ngx_dns_compiler_t *c);
static void ngx_dns_index_insert(ngx_dns_zone_t *zone,
    ngx_dns_bucket_t *buckets, uint64_t hash, uint32_t place);


void
ngx_dns_compile_index(ngx_dns_compiler_t *c)
{
    ngx_dns_zone_t  *zone;

    zone = c->zone;

    zone->index = (uint32_t) (c->pos / 4);

    ngx_memcpy((u_char *) zone + c->pos, c->place, 4 * (size_t) zone->nnodes);
    c->pos += 4 * (size_t) zone->nnodes;

    ngx_dns_index_denial(c);
    ngx_dns_index_buckets(c);
}


/*
 * The owners of NSEC, or of the NSEC3 of one chain (a zone may have several),
 * in canonical order.  The first labels of NSEC3 owners are base32hex of
 * hashes, so that is the order of the hashes (RFC 5155, 1.3).
 */

static void
ngx_dns_index_denial(ngx_dns_compiler_t *c)
{
    size_t            i;
    u_char           *param;
    uint32_t         *list;
    ngx_uint_t        type;
    ngx_dns_node_t   *node;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set;

    zone = c->zone;

    if (!(zone->flags & (NGX_DNS_ZONE_NSEC|NGX_DNS_ZONE_NSEC3))) {
        return;
    }

    type = NGX_DNS_TYPE_NSEC;
    param = NULL;

    if (zone->flags & NGX_DNS_ZONE_NSEC3) {
        type = NGX_DNS_TYPE_NSEC3;
        param = ngx_dns_zone_nsec3param(zone);
    }

    zone->denial = (uint32_t) (c->pos / 4);
    list = (uint32_t *) ((u_char *) zone + c->pos);

    for (i = 0; i < zone->nnodes; i++) {
        node = ngx_dns_zone_at(zone, c->place[i]);

        set = ngx_dns_node_rrset(node, type);

        if (set != NULL
            && (param == NULL || ngx_dns_index_nsec3(set, param) == NGX_OK))
        {
            list[zone->ndenial++] = c->place[i];
        }
    }

    c->pos += 4 * (size_t) zone->ndenial;
}


/* NGX_OK: it belongs to the chain of param; the opt-out flag is its own */

static ngx_int_t
ngx_dns_index_nsec3(ngx_dns_rrset_t *set, u_char *param)
{
    u_char  *rr;

    rr = ngx_dns_rrset_first(set) + 2;

    return (rr[0] == param[0]
            && ngx_memcmp(rr + 2, param + 2, 3 + (size_t) param[4]) == 0)
               ? NGX_OK : NGX_DECLINED;
}


static void
ngx_dns_index_buckets(ngx_dns_compiler_t *c)
{
    size_t             i, n;
    ngx_dns_node_t    *node;
    ngx_dns_zone_t    *zone;
    ngx_dns_bucket_t  *buckets;

    zone = c->zone;
    n = zone->nnodes;

    c->pos = (c->pos + sizeof(ngx_dns_bucket_t) - 1)
             & ~ (sizeof(ngx_dns_bucket_t) - 1);

    zone->buckets = (uint32_t) (c->pos / 4);
    zone->nbuckets = (uint32_t) (n / NGX_DNS_BUCKET_FILL + 1);

    buckets = ngx_dns_zone_at(zone, zone->buckets);

    for (i = 0; i < n; i++) {

        if (i + NGX_DNS_INDEX_AHEAD < n) {
            __builtin_prefetch(
                &buckets[ngx_dns_bucket_index(zone->nbuckets,
                                     c->hash[i + NGX_DNS_INDEX_AHEAD])], 1);
        }

        node = ngx_dns_zone_at(zone, c->place[i]);

        if (!(node->flags & NGX_DNS_NODE_NSEC3)) {
            ngx_dns_index_insert(zone, buckets, c->hash[i], c->place[i]);
        }
    }

    c->pos += zone->nbuckets * sizeof(ngx_dns_bucket_t);
}


static void
ngx_dns_index_insert(ngx_dns_zone_t *zone, ngx_dns_bucket_t *buckets,
    uint64_t hash, uint32_t place)
{
    ngx_dns_bucket_t  *b;

    b = &buckets[ngx_dns_bucket_index(zone->nbuckets, hash)];

    while (b->used == NGX_DNS_BUCKET_SLOTS) {
        b->overflow = 1;
        b++;

        if (b == buckets + zone->nbuckets) {
            b = buckets;
        }
    }

    b->tag[b->used] = (uint16_t) hash;
    b->node[b->used] = place;
    b->used++;
}


/*
 * SVCB: "." is the owner itself (RFC 9460, 2.5.2), no name but its own; that of
 * a wildcard is another one in each answer, so it has no link.
 */

void
ngx_dns_compile_links(ngx_dns_compiler_t *c)
{
    size_t            i;
    uint32_t          link;
    const u_char     *target;
    ngx_dns_name_t    name;
    ngx_dns_rec_t    *rec;
    ngx_dns_node_t   *node;
    ngx_dns_zone_t   *zone;
    ngx_dns_fixup_t  *f;

    zone = c->zone;

    for (i = 0; i < c->nfixups; i++) {
        f = &c->fixups[i];
        rec = f->rec;
        target = ngx_dns_rec_rdata(rec) + f->target;

        if (*target == 0
            && (rec->type == NGX_DNS_TYPE_SVCB
                || rec->type == NGX_DNS_TYPE_HTTPS))
        {
            node = ngx_dns_zone_at(zone, f->node);

            if (!(node->flags & NGX_DNS_NODE_WILDCARD)) {
                ngx_memcpy((u_char *) zone + f->link, &f->node, 4);
            }

            continue;
        }

        (void) ngx_dns_name_parse(&name, (u_char *) target,
                                  ngx_dns_rec_rdata(rec) + rec->rdlen, c->key);

        if (name.labels < zone->name_labels
            || ngx_memcmp(name.wire + name.offset[name.labels
                                                  - zone->name_labels],
                          zone->name, zone->name_len)
               != 0)
        {
            continue;
        }

        node = ngx_dns_zone_node(zone, &name, 0);

        if (node != NULL) {
            link = (uint32_t) (((u_char *) node - (u_char *) zone) / 4);
            ngx_memcpy((u_char *) zone + f->link, &link, 4);
        }

        ngx_dns_check_target(c, f, &name, node);
    }
}
