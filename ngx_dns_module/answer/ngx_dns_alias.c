
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


/*
 * Answers under another name than that of their records.  The name is looked
 * up as always, link by link; then what this has put into the reply is
 * replaced by what is to be seen.
 */


static ngx_dns_state_e ngx_dns_flatten_end(ngx_dns_answer_t *a,
    ngx_dns_state_e state, ngx_uint_t type);
static ngx_dns_item_t *ngx_dns_alias_item(ngx_dns_answer_t *a,
    ngx_uint_t first, ngx_uint_t type, uint32_t *ttl);
static ngx_dns_state_e ngx_dns_aname_link(ngx_dns_answer_t *a,
    ngx_dns_node_t *node, uint32_t *ttl);
static ngx_dns_state_e ngx_dns_aname_name(ngx_dns_answer_t *a);
static ngx_dns_state_e ngx_dns_aname_end(ngx_dns_answer_t *a,
    ngx_dns_state_e state, ngx_uint_t first, const u_char *owner,
    uint32_t ttl);


ngx_dns_state_e
ngx_dns_alias_flatten(ngx_dns_answer_t *a, ngx_dns_rrset_t *cname)
{
    ngx_uint_t       n;
    ngx_dns_state_e  state;

    state = ngx_dns_chain_cname(a, cname);

    for (n = 0; state == ngx_dns_state_follow && n <= NGX_DNS_CHAIN_MAX; n++) {
        state = ngx_dns_answer_name(a);
    }

    switch (state) {

    case ngx_dns_state_positive:
        return ngx_dns_flatten_end(a, state, a->query->qtype);

    case ngx_dns_state_outside:
    case ngx_dns_state_referral:

        /* the end is not ours to say: the client goes on from there */

        return ngx_dns_flatten_end(a, state, NGX_DNS_TYPE_CNAME);

    case ngx_dns_state_nodata:
    case ngx_dns_state_nxdomain:

        /* the name does exist */

        a->reply.rcode = NGX_DNS_NOERROR;
        a->reply.full = 0;
        a->reply.nitems = 0;
        ngx_dns_add_soa(a);

        return ngx_dns_state_nodata;

    default:

        /* a loop or too long a chain shows its links, as it always does */

        return state;
    }
}


/*
 * The last set of a type is the answer, under the question's name.  There are
 * no signatures for that, nor proofs.
 */

static ngx_dns_state_e
ngx_dns_flatten_end(ngx_dns_answer_t *a, ngx_dns_state_e state,
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
ngx_dns_alias_aname(ngx_dns_answer_t *a, ngx_dns_node_t *node)
{
    uint32_t          ttl;
    ngx_uint_t        first;
    const u_char     *owner;
    ngx_dns_zone_t   *zone;
    ngx_dns_state_e   state;

    if (a->aname != NULL) {

        /* the link of another one */

        a->aname = node;

        return ngx_dns_state_aname;
    }

    zone = a->zone;
    owner = a->target;
    first = a->reply.nitems;

    a->aname = node;
    ttl = 0xffffffff;
    state = ngx_dns_state_aname;

    for ( ;; ) {

        if (state == ngx_dns_state_aname) {
            state = ngx_dns_aname_link(a, a->aname, &ttl);
        }

        if (state != ngx_dns_state_follow && state != ngx_dns_state_outside) {
            break;
        }

        state = ngx_dns_aname_name(a);
    }

    a->aname = NULL;
    a->zone = zone;

    return ngx_dns_aname_end(a, state, first, owner, ttl);
}


/* each link is counted, so there is an end */

static ngx_dns_state_e
ngx_dns_aname_link(ngx_dns_answer_t *a, ngx_dns_node_t *node, uint32_t *ttl)
{
    u_char    *rdata;
    uint32_t   own;

    rdata = ngx_dns_notes_find(ngx_dns_node_notes(node),
                               NGX_DNS_NOTE_ANAME);
    if (rdata == NULL) {
        return ngx_dns_state_failed;
    }

    rdata += 2 + NGX_DNS_NOTE_HEAD;
    own = ngx_dns_get32(rdata);

    if (own != NGX_DNS_ANAME_NO_TTL) {
        own = ngx_max(own, a->conf->min_ttl);
        own = ngx_min(own, a->conf->max_ttl);
        *ttl = ngx_min(*ttl, own);
    }

    return ngx_dns_chain_follow(a, rdata + 4);
}


/* the name where the chain is, in whatever zone it lies */

static ngx_dns_state_e
ngx_dns_aname_name(ngx_dns_answer_t *a)
{
    ngx_uint_t       i;
    ngx_dns_state_e  state;

    for (i = 0; i < a->links; i++) {
        if (a->chain[i] == a->name->hash[0]) {
            return ngx_dns_state_done;
        }
    }

    a->zone = ngx_dns_locate(a->conf, a->name, 0);

    if (a->zone == NULL) {
        return ngx_dns_locate_ready(a->conf) ? ngx_dns_state_unreachable
                                             : ngx_dns_state_not_ready;
    }

    state = ngx_dns_locate_check(a);

    return (state == ngx_dns_state_follow) ? ngx_dns_answer_name(a) : state;
}


/*
 * The addresses under the name of the ANAME, owner as a->target.  What the
 * links have added to the reply from first on is of no use any more.
 */

static ngx_dns_state_e
ngx_dns_aname_end(ngx_dns_answer_t *a, ngx_dns_state_e state,
    ngx_uint_t first, const u_char *owner, uint32_t ttl)
{
    ngx_dns_item_t   *item, *last;
    ngx_dns_reply_t  *reply;

    reply = &a->reply;
    last = NULL;

    if (state == ngx_dns_state_positive) {
        last = ngx_dns_alias_item(a, first, a->query->qtype, &ttl);

    } else if (state == ngx_dns_state_referral) {

        /* a delegated name: other servers know its addresses */

        state = ngx_dns_state_unreachable;
    }

    if (state >= ngx_dns_state_failed) {
        return state;
    }

    reply->rcode = NGX_DNS_NOERROR;
    reply->full = 0;
    reply->nitems = first;

    if (last == NULL) {
        ngx_dns_add_soa(a);
        return ngx_dns_state_nodata;
    }

    item = &reply->items[reply->nitems++];
    *item = *last;
    item->owner = NULL;
    item->owner_len = 0;
    item->apex = owner;
    item->ttl = ttl;

    a->mixed = 1;

    return ngx_dns_state_positive;
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

    return ngx_dns_state_nodata;
}
