
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_compiler.h"
#include "ngx_dns_index.h"


#define NGX_DNS_INDEX_AHEAD   16        /* buckets asked for in advance */


static void ngx_dns_index_denial(ngx_dns_compiler_t *c);
static void ngx_dns_index_buckets(ngx_dns_compiler_t *c);


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
    size_t           i;
    u_char          *param;
    uint32_t        *list;
    ngx_dns_node_t  *node;
    ngx_dns_zone_t  *zone;

    zone = c->zone;

    if (!(zone->flags & (NGX_DNS_ZONE_NSEC|NGX_DNS_ZONE_NSEC3))) {
        return;
    }

    param = ngx_dns_index_param(zone);

    zone->denial = (uint32_t) (c->pos / 4);
    list = (uint32_t *) ((u_char *) zone + c->pos);

    for (i = 0; i < zone->nnodes; i++) {
        node = ngx_dns_zone_at(zone, c->place[i]);

        if (ngx_dns_index_denies(node, param) == NGX_OK) {
            list[zone->ndenial++] = c->place[i];
        }
    }

    c->pos += 4 * (size_t) zone->ndenial;
}


u_char *
ngx_dns_index_param(const ngx_dns_zone_t *zone)
{
    return (zone->flags & NGX_DNS_ZONE_NSEC3) ? ngx_dns_zone_nsec3param(zone)
                                              : NULL;
}


ngx_int_t
ngx_dns_index_denies(const ngx_dns_node_t *node, const u_char *param)
{
    u_char           *rr;
    ngx_dns_rrset_t  *set;

    if (param == NULL) {
        set = ngx_dns_node_rrset(node, NGX_DNS_TYPE_NSEC);

        return (set != NULL && set->nrr != 0) ? NGX_OK : NGX_DECLINED;
    }

    set = ngx_dns_node_rrset(node, NGX_DNS_TYPE_NSEC3);

    if (set == NULL || set->nrr == 0) {
        return NGX_DECLINED;
    }

    /* the opt-out flag is its own */

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
    zone->nbuckets = ngx_dns_index_nbuckets(zone->nnodes);

    buckets = ngx_dns_zone_at(zone, zone->buckets);

    for (i = 0; i < n; i++) {

        if (i + NGX_DNS_INDEX_AHEAD < n) {
            __builtin_prefetch(
                &buckets[ngx_dns_bucket_index(zone->nbuckets,
                                     c->hash[i + NGX_DNS_INDEX_AHEAD])], 1);
        }

        node = ngx_dns_zone_at(zone, c->place[i]);

        if (!(node->flags & NGX_DNS_NODE_NSEC3)) {
            ngx_dns_index_insert(zone, c->hash[i], c->place[i]);
        }
    }

    c->pos += zone->nbuckets * sizeof(ngx_dns_bucket_t);
}


void
ngx_dns_index_insert(ngx_dns_zone_t *zone, uint64_t hash, uint32_t place)
{
    ngx_dns_bucket_t  *b, *buckets;

    buckets = ngx_dns_zone_at(zone, zone->buckets);
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

ngx_int_t
ngx_dns_index_target(const ngx_dns_zone_t *zone, uint32_t owner,
    ngx_uint_t type, const u_char *target, const u_char *last,
    ngx_dns_key_t *key, ngx_dns_name_t *name, uint32_t *link)
{
    ngx_dns_node_t  *node;

    *link = 0;

    if (*target == 0
        && (type == NGX_DNS_TYPE_SVCB || type == NGX_DNS_TYPE_HTTPS))
    {
        node = ngx_dns_zone_at(zone, owner);

        if (!(node->flags & NGX_DNS_NODE_WILDCARD)) {
            *link = owner;
        }

        return NGX_DECLINED;
    }

    (void) ngx_dns_name_parse(name, (u_char *) target, (u_char *) last, key);

    if (name->labels < zone->name_labels
        || ngx_memcmp(name->wire + name->offset[name->labels
                                                - zone->name_labels],
                      zone->name, zone->name_len)
           != 0)
    {
        return NGX_DECLINED;
    }

    node = ngx_dns_zone_node(zone, name, 0);

    if (node != NULL) {
        *link = (uint32_t) (((u_char *) node - (u_char *) zone) / 4);
    }

    return NGX_OK;
}


void
ngx_dns_compile_links(ngx_dns_compiler_t *c)
{
    size_t            i;
    u_char           *rdata;
    uint32_t          link;
    ngx_int_t         rc;
    ngx_dns_name_t    name;
    ngx_dns_zone_t   *zone;
    ngx_dns_fixup_t  *f;

    zone = c->zone;

    for (i = 0; i < c->nfixups; i++) {
        f = &c->fixups[i];
        rdata = ngx_dns_rec_rdata(f->rec);

        rc = ngx_dns_index_target(zone, f->node, f->rec->type,
                                  rdata + f->target, rdata + f->rec->rdlen,
                                  c->key, &name, &link);

        ngx_memcpy((u_char *) zone + f->link, &link, 4);

        if (rc == NGX_OK) {
            ngx_dns_check_target(c, f, &name,
                                 link ? ngx_dns_zone_at(zone, link) : NULL);
        }
    }
}
