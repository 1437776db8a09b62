
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"
#include "ngx_dns_external.h"


/*
 * Answers under another name than that of their records.  The chain is
 * followed as always, link by link; then what this has put into the reply is
 * replaced by what is to be seen.
 */


static ngx_dns_state_e ngx_dns_alias_aname(ngx_dns_answer_t *a,
    ngx_dns_node_t *node);
static ngx_dns_state_e ngx_dns_alias_aname_end(ngx_dns_answer_t *a,
    ngx_dns_state_e state);
static ngx_dns_state_e ngx_dns_alias_external(ngx_dns_answer_t *a,
    ngx_dns_item_t *item);
static ngx_dns_state_e ngx_dns_alias_nodata(ngx_dns_answer_t *a,
    uint32_t ttl);
static ngx_dns_state_e ngx_dns_alias_flat_end(ngx_dns_answer_t *a,
    ngx_dns_state_e state);
static ngx_dns_state_e ngx_dns_alias_flatten(ngx_dns_answer_t *a,
    ngx_dns_state_e state, ngx_uint_t type);
static ngx_dns_item_t *ngx_dns_alias_item(ngx_dns_answer_t *a,
    ngx_uint_t first, ngx_uint_t type, uint32_t *ttl);


ngx_dns_state_e
ngx_dns_alias_answer(ngx_dns_answer_t *a, ngx_dns_node_t *node,
    ngx_uint_t wildcard)
{
    ngx_uint_t  address, flat;

    if (node->flags & NGX_DNS_NODE_FAILED) {
        return ngx_dns_state_failed;
    }

    address = (a->query->qtype == NGX_DNS_TYPE_A
               || a->query->qtype == NGX_DNS_TYPE_AAAA);
    flat = (a->zone->flags & NGX_DNS_ZONE_FLATTEN);

    /* at the apex a CNAME is no alias of the name, just of its addresses */

    if ((node->flags & NGX_DNS_NODE_CNAME)
        && (!(node->flags & NGX_DNS_NODE_APEX) || (flat && address)))
    {
        if (flat && a->links == 0) {
            a->alias = NGX_DNS_ALIAS_FLAT;

        } else if (wildcard) {
            ngx_dns_deny_wildcard(a);
        }

        return ngx_dns_chain_cname(a, ngx_dns_node_rrset(node,
                                                        NGX_DNS_TYPE_CNAME));
    }

    if ((node->flags & NGX_DNS_NODE_ANAME) && address) {
        return ngx_dns_alias_aname(a, node);
    }

    return ngx_dns_state_absent;
}


/*
 * A or AAAA of the name of node are those of another name, in whatever zone
 * of this server.
 */

static ngx_dns_state_e
ngx_dns_alias_aname(ngx_dns_answer_t *a, ngx_dns_node_t *node)
{
    u_char    *rdata;
    uint32_t   ttl;

    rdata = ngx_dns_notes_find(ngx_dns_node_notes(node), NGX_DNS_NOTE_ANAME);

    if (rdata == NULL) {
        return ngx_dns_state_failed;
    }

    if (!(a->alias & NGX_DNS_ALIAS_ANAME)) {
        a->alias |= NGX_DNS_ALIAS_ANAME;
        a->aname.zone = a->zone;
        a->aname.owner = a->target;
        a->aname.first = a->reply.nitems;
        a->aname.ttl = 0xffffffff;
    }

    rdata += 2 + NGX_DNS_NOTE_HEAD;
    ttl = ngx_dns_get32(rdata);

    if (ttl != NGX_DNS_ANAME_NO_TTL) {
        ttl = ngx_max(ttl, a->conf->min_ttl);
        ttl = ngx_min(ttl, a->conf->max_ttl);
        a->aname.ttl = ngx_min(a->aname.ttl, ttl);
    }

    return ngx_dns_chain_follow(a, rdata + 4);
}


ngx_dns_state_e
ngx_dns_alias_zone(ngx_dns_answer_t *a)
{
    ngx_uint_t  i;

    for (i = 0; i < a->links; i++) {
        if (a->chain[i] == a->name->hash[0]) {
            return ngx_dns_state_done;
        }
    }

    a->zone = ngx_dns_locate(a->conf, a->name, 0);

    if (a->zone == NULL) {
        return ngx_dns_state_outside;
    }

    return ngx_dns_locate_check(a);
}


ngx_dns_state_e
ngx_dns_alias_end(ngx_dns_answer_t *a, ngx_dns_state_e state)
{
    if (a->alias & NGX_DNS_ALIAS_ANAME) {
        state = ngx_dns_alias_aname_end(a, state);
    }

    if (a->alias & NGX_DNS_ALIAS_FLAT) {
        state = ngx_dns_alias_flat_end(a, state);
    }

    a->alias = 0;

    return state;
}


/*
 * The addresses under the name of the ANAME.  What its links have added to
 * the reply is of no use any more.
 */

static ngx_dns_state_e
ngx_dns_alias_aname_end(ngx_dns_answer_t *a, ngx_dns_state_e state)
{
    uint32_t          ttl;
    ngx_dns_item_t   *last, item;
    ngx_dns_reply_t  *reply;

    reply = &a->reply;
    ttl = a->aname.ttl;

    ngx_memzero(&item, sizeof(ngx_dns_item_t));
    item.ttl = 0xffffffff;

    last = ngx_dns_alias_item(a, a->aname.first, a->query->qtype, &ttl);

    switch (state) {

    case ngx_dns_state_positive:

        if (last != NULL) {
            item = *last;
            break;
        }

        state = ngx_dns_state_nodata;
        break;

    case ngx_dns_state_outside:
    case ngx_dns_state_referral:
        state = ngx_dns_alias_external(a, &item);
        break;

    case ngx_dns_state_done:

        /* a loop, or too long a chain */

        state = ngx_dns_state_failed;
        break;

    default:
        break;
    }

    a->zone = a->aname.zone;

    if (state >= ngx_dns_state_failed) {
        return state;
    }

    reply->rcode = NGX_DNS_NOERROR;
    reply->full = 0;
    reply->nitems = a->aname.first;

    if (state != ngx_dns_state_positive) {
        return ngx_dns_alias_nodata(a, item.ttl);
    }

    item.section = NGX_DNS_ANSWER;
    item.flags = 0;
    item.owner = NULL;
    item.owner_len = 0;
    item.apex = a->aname.owner;
    item.ttl = ngx_min(ttl, item.ttl);

    reply->items[reply->nitems++] = item;

    a->mixed = 1;

    return ngx_dns_state_positive;
}


/*
 * The addresses that other servers have for the name where the chain is.
 * Sets TTL, set and RRs of item; without addresses (nodata) the TTL alone.
 * It is as long as they may be kept: no limit of this server makes it longer.
 */

static ngx_dns_state_e
ngx_dns_alias_external(ngx_dns_answer_t *a, ngx_dns_item_t *item)
{
    ngx_dns_external_result_t  r;

    if (a->external == NULL) {
        goto unreachable;
    }

    ngx_dns_external_reset(a->external);

    if (ngx_dns_external_find(a->external, a->name, a->query->qtype,
                              ngx_dns_answer_client(a), a->now, &r)
        != NGX_OK)
    {
        goto unreachable;
    }

    if (a->explain != NULL) {
        ngx_dns_explain_external(a, &r);
    }

    ngx_dns_answer_scope(a, r.scope);

    if (r.stale && a->conf->stale_ede) {
        a->reply.ede = NGX_DNS_EDE_STALE;
    }

    item->ttl = ngx_min(r.ttl, a->conf->max_ttl);
    item->rrset = r.rrset;
    item->rrs = NULL;

    return (r.rrset != NULL) ? ngx_dns_state_positive : ngx_dns_state_nodata;

unreachable:

    if (a->explain != NULL) {
        ngx_dns_explain_external(a, NULL);
    }

    /* the name may be one of this server's that has not come yet */

    return ngx_dns_locate_ready(a->conf) ? ngx_dns_state_unreachable
                                         : ngx_dns_state_not_ready;
}


/* the name does exist; ttl: at most */

static ngx_dns_state_e
ngx_dns_alias_nodata(ngx_dns_answer_t *a, uint32_t ttl)
{
    ngx_uint_t  i, first;

    first = a->reply.nitems;

    ngx_dns_add_soa(a);

    for (i = first; i < a->reply.nitems; i++) {
        a->reply.items[i].ttl = ngx_min(a->reply.items[i].ttl, ttl);
    }

    return ngx_dns_state_nodata;
}


/*
 * The data of the last name of a chain under the question's name, with the
 * smallest TTL of the chain.
 */

static ngx_dns_state_e
ngx_dns_alias_flat_end(ngx_dns_answer_t *a, ngx_dns_state_e state)
{
    switch (state) {

    case ngx_dns_state_positive:
        return ngx_dns_alias_flatten(a, state, a->query->qtype);

    case ngx_dns_state_outside:
    case ngx_dns_state_referral:

        /* the end is not ours to say: the client goes on from there */

        return ngx_dns_alias_flatten(a, state, NGX_DNS_TYPE_CNAME);

    case ngx_dns_state_nodata:
    case ngx_dns_state_nxdomain:

        /* the name does exist */

        a->reply.rcode = NGX_DNS_NOERROR;
        a->reply.full = 0;
        a->reply.nitems = 0;

        return ngx_dns_alias_nodata(a, 0xffffffff);

    default:

        /* a loop or too long a chain shows its links, as it always does */

        return state;
    }
}


/*
 * The last set of a type is the answer.  There are no signatures for that,
 * nor proofs.
 */

static ngx_dns_state_e
ngx_dns_alias_flatten(ngx_dns_answer_t *a, ngx_dns_state_e state,
    ngx_uint_t type)
{
    uint32_t          ttl;
    ngx_uint_t        i;
    ngx_dns_item_t   *item, *items;
    ngx_dns_reply_t  *reply;

    reply = &a->reply;
    items = reply->items;

    ttl = 0xffffffff;
    item = ngx_dns_alias_item(a, 0, type, &ttl);

    if (item == NULL) {
        return ngx_dns_state_failed;
    }

    items[0] = *item;
    items[0].owner = NULL;
    items[0].owner_len = 0;
    items[0].apex = NULL;
    items[0].ttl = ttl;

    item = &items[1];

    for (i = 1; i < reply->nitems; i++) {

        if (items[i].section == NGX_DNS_ADDITIONAL
            || (items[i].section == NGX_DNS_AUTHORITY
                && state == ngx_dns_state_referral))
        {
            *item++ = items[i];
        }
    }

    reply->nitems = item - items;

    return state;
}


/* the last answer of a type from first on, and the smallest TTL of all */

static ngx_dns_item_t *
ngx_dns_alias_item(ngx_dns_answer_t *a, ngx_uint_t first, ngx_uint_t type,
    uint32_t *ttl)
{
    ngx_uint_t       i;
    ngx_dns_item_t  *item, *last;

    last = NULL;

    for (i = first; i < a->reply.nitems; i++) {
        item = &a->reply.items[i];

        if (item->section != NGX_DNS_ANSWER
            || (item->flags & NGX_DNS_ITEM_SIGS))
        {
            continue;
        }

        *ttl = ngx_min(*ttl, item->ttl);

        if (item->rrset->type == type) {
            last = item;
        }
    }

    return last;
}


ngx_dns_state_e
ngx_dns_alias_caa(ngx_dns_answer_t *a)
{
    ngx_uint_t        i, last;
    ngx_dns_node_t   *node;
    ngx_dns_rrset_t  *set;

    last = a->name->labels - a->zone->name_labels;

    for (i = 1; i <= last; i++) {
        node = ngx_dns_zone_node(a->zone, a->name, i);

        if (node == NULL) {
            continue;
        }

        if (node->flags & NGX_DNS_NODE_FAILED) {
            return ngx_dns_state_failed;
        }

        set = ngx_dns_node_rrset(node, NGX_DNS_TYPE_CAA);

        if (set == NULL) {
            continue;
        }

        if (set->flags & NGX_DNS_RRSET_FAILED) {
            return ngx_dns_state_failed;
        }

        ngx_dns_add_name(a, NGX_DNS_ANSWER, set, 0);

        return ngx_dns_state_positive;
    }

    return ngx_dns_state_absent;
}
