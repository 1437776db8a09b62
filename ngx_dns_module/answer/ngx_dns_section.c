
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


/*
 * The fewest octets of an RR that names a target: the owner a pointer, 10 to
 * the RDATA, the target a pointer.
 */
#define NGX_DNS_LINKED_MIN   14


static ngx_dns_item_t *ngx_dns_add_item(ngx_dns_answer_t *a,
    ngx_dns_section_e section, ngx_dns_rrset_t *set, ngx_uint_t flags);
static void ngx_dns_add_sigs(ngx_dns_answer_t *a, ngx_dns_item_t *item);
static uint32_t ngx_dns_add_ttl(ngx_dns_answer_t *a, ngx_dns_rrset_t *set);
static ngx_uint_t ngx_dns_add_seen(ngx_dns_answer_t *a, uint32_t place);
static void ngx_dns_add_address(ngx_dns_answer_t *a, ngx_dns_node_t *node,
    ngx_uint_t flags);
static void ngx_dns_add_inet(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_dns_node_t *node, ngx_uint_t flags);
static ngx_uint_t ngx_dns_add_targets(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_dns_node_t *cut, ngx_uint_t flags);


/* NULL: the list is full, and the reply knows */

static ngx_dns_item_t *
ngx_dns_add_item(ngx_dns_answer_t *a, ngx_dns_section_e section,
    ngx_dns_rrset_t *set, ngx_uint_t flags)
{
    ngx_dns_item_t   *item;
    ngx_dns_reply_t  *reply;

    reply = &a->reply;

    if (reply->nitems == NGX_DNS_ITEMS_MAX) {

        if (!(flags & NGX_DNS_ITEM_OPTIONAL)) {
            reply->full = 1;
        }

        return NULL;
    }

    item = &reply->items[reply->nitems++];

    if (reply->nitems > 1 && item[-1].section > section) {
        a->mixed = 1;
    }

    item->rrset = set;
    item->rrs = NULL;
    item->section = (uint8_t) section;
    item->flags = (uint8_t) flags;
    item->ttl = ngx_dns_add_ttl(a, set);

    return item;
}


void
ngx_dns_add_end(ngx_dns_answer_t *a)
{
    ngx_uint_t       i, k;
    ngx_dns_item_t   item, *items;

    if (!a->mixed) {
        return;
    }

    items = a->reply.items;

    for (i = 1; i < a->reply.nitems; i++) {
        item = items[i];

        for (k = i; k > 0 && items[k - 1].section > item.section; k--) {
            items[k] = items[k - 1];
        }

        items[k] = item;
    }
}


/* the SOA keeps its own TTL, so it can be asked for as it was written */

static uint32_t
ngx_dns_add_ttl(ngx_dns_answer_t *a, ngx_dns_rrset_t *set)
{
    uint32_t  ttl;

    ttl = set->ttl;

    if (set->type == NGX_DNS_TYPE_SOA) {
        return ttl;
    }

    ttl = ngx_max(ttl, a->conf->min_ttl);

    return ngx_min(ttl, a->conf->max_ttl);
}


/* RFC 4035, 3.1.1: behind the set, with its TTL */

static void
ngx_dns_add_sigs(ngx_dns_answer_t *a, ngx_dns_item_t *item)
{
    ngx_dns_item_t   *sig;
    ngx_dns_rrset_t  *sigs;

    if (!a->query->do_bit || item == NULL) {
        return;
    }

    sigs = ngx_dns_rrset_sigs(item->rrset);

    if (sigs == NULL) {
        return;
    }

    sig = ngx_dns_add_item(a, item->section, sigs,
                           item->flags | NGX_DNS_ITEM_SIGS);

    if (sig != NULL) {
        sig->owner = item->owner;
        sig->owner_len = item->owner_len;
        sig->apex = item->apex;
        sig->ttl = item->ttl;
    }
}


void
ngx_dns_add_name(ngx_dns_answer_t *a, ngx_dns_section_e section,
    ngx_dns_rrset_t *set, ngx_uint_t i)
{
    ngx_dns_item_t  *item;

    item = ngx_dns_add_item(a, section, set, 0);
    if (item == NULL) {
        return;
    }

    item->owner = NULL;

    if (a->target == NULL) {
        item->owner_len = a->name->offset[i];
        item->apex = NULL;

    } else {
        item->owner_len = 0;
        item->apex = a->target + a->name->offset[i];
    }

    ngx_dns_add_sigs(a, item);
}


void
ngx_dns_add_node(ngx_dns_answer_t *a, ngx_dns_section_e section,
    ngx_dns_rrset_t *set, ngx_dns_node_t *node, ngx_uint_t flags)
{
    ngx_dns_item_t  *item;

    item = ngx_dns_add_item(a, section, set, flags);
    if (item == NULL) {
        return;
    }

    item->owner = node->name;
    item->owner_len = node->len;
    item->apex = a->zone->name;

    ngx_dns_add_sigs(a, item);
}


void
ngx_dns_add_soa(ngx_dns_answer_t *a)
{
    ngx_dns_name_t   *qname;
    ngx_dns_item_t   *item;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set;

    zone = a->zone;

    set = ngx_dns_zone_at(zone, (zone->short_soa && !a->query->do_bit)
                                    ? zone->short_soa : zone->soa);

    item = ngx_dns_add_item(a, NGX_DNS_AUTHORITY, set, 0);
    if (item == NULL) {
        return;
    }

    /* a chain stays in the zone, so the apex ends the question's name */

    qname = &a->query->qname;

    item->owner = NULL;
    item->owner_len = (uint8_t) (qname->len - zone->name_len);
    item->apex = NULL;
    item->ttl = ngx_min(zone->negative_ttl, a->negative_ttl);

    ngx_dns_add_sigs(a, item);
}


/*
 * 1: the addresses of this node are in the reply already.  As many nodes as
 * there are items fill half of the table.
 */

static ngx_uint_t
ngx_dns_add_seen(ngx_dns_answer_t *a, uint32_t place)
{
    ngx_uint_t  i;

    i = (ngx_dns_name_spread(place) >> 32) & (NGX_DNS_SEEN_SLOTS - 1);

    while (a->seen[i].turn == a->turn) {

        if (a->seen[i].place == place) {
            return 1;
        }

        i = (i + 1) & (NGX_DNS_SEEN_SLOTS - 1);
    }

    a->seen[i].turn = a->turn;
    a->seen[i].place = place;

    return 0;
}


/* the addresses at a node, once */

static void
ngx_dns_add_address(ngx_dns_answer_t *a, ngx_dns_node_t *node,
    ngx_uint_t flags)
{
    uint32_t          place;
    ngx_dns_rrset_t  *inet, *inet6;

    inet = ngx_dns_node_rrset(node, NGX_DNS_TYPE_A);
    inet6 = ngx_dns_node_rrset(node, NGX_DNS_TYPE_AAAA);

    if (inet == NULL && inet6 == NULL) {
        return;
    }

    place = (uint32_t) (((u_char *) node - (u_char *) a->zone) / 4);

    if (ngx_dns_add_seen(a, place)) {
        return;
    }

    if (inet != NULL) {
        ngx_dns_add_inet(a, inet, node, flags);
    }

    if (inet6 != NULL) {
        ngx_dns_add_inet(a, inet6, node, flags);
    }
}


/*
 * Glue that must be there is sent whole: it is not for clients, and without
 * it the zone below is lost.
 */

static void
ngx_dns_add_inet(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_dns_node_t *node, ngx_uint_t flags)
{
    ngx_uint_t  first;

    first = a->reply.nitems;

    ngx_dns_add_node(a, NGX_DNS_ADDITIONAL, set, node, flags);

    if ((set->flags & NGX_DNS_RRSET_NOTED)
        && (flags & NGX_DNS_ITEM_OPTIONAL)
        && a->reply.nitems > first
        && ngx_dns_select(a, &a->reply.items[first]) != NGX_OK)
    {
        a->reply.nitems = first;
    }
}


/*
 * flags: 0 for the glue of the cut, NGX_DNS_ITEM_OPTIONAL for all else.
 * Returns how many targets were left to the other call.
 */

static ngx_uint_t
ngx_dns_add_targets(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_dns_node_t *cut, ngx_uint_t flags)
{
    u_char          *rr;
    uint32_t         link;
    ngx_uint_t       i, glue, left;
    ngx_dns_node_t  *node;

    left = 0;
    rr = ngx_dns_rrset_first(set);

    for (i = 0; i < set->nrr; i++, rr = ngx_dns_rrset_step(set, rr)) {

        link = ngx_dns_rrset_link(set, rr);

        if (link == 0) {
            continue;
        }

        node = ngx_dns_zone_at(a->zone, link);

        /* glue is not data of this zone: only name servers point at it */

        if (set->type != NGX_DNS_TYPE_NS
            && (node->flags & (NGX_DNS_NODE_OCCLUDED|NGX_DNS_NODE_CUT)))
        {
            continue;
        }

        glue = cut != NULL
               && ngx_dns_node_above(cut, node->name, node->len) == NGX_OK;

        if (glue != (flags == 0)) {
            left++;
            continue;
        }

        if (a->reply.nitems == NGX_DNS_ITEMS_MAX) {
            a->reply.full |= glue;
            break;
        }

        ngx_dns_add_address(a, node, flags);
    }

    return left;
}


void
ngx_dns_add_addresses(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_dns_node_t *cut)
{
    if (set->nrr > ngx_dns_write_limit(a->query, a->transport)
                   / NGX_DNS_LINKED_MIN)
    {
        /* the set itself will not fit: TC, and no addresses */

        return;
    }

    /* what must be there comes before what may take its room: RFC 9471, 3 */

    if (cut != NULL && ngx_dns_add_targets(a, set, cut, 0) == 0) {
        return;
    }

    (void) ngx_dns_add_targets(a, set, cut, NGX_DNS_ITEM_OPTIONAL);
}
