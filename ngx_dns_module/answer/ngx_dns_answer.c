
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


/* flags of a node that leave it open what a CNAME there means */

#define NGX_DNS_ANSWER_SPECIAL  (NGX_DNS_NODE_CNAME|NGX_DNS_NODE_ANAME       \
                                 |NGX_DNS_NODE_FAILED|NGX_DNS_NODE_APEX)


static void ngx_dns_answer_start(ngx_dns_answer_t *a,
    ngx_dns_answer_conf_t *conf, ngx_dns_query_t *q, ngx_dns_zone_t *zone,
    ngx_dns_transport_t *t);
static ngx_dns_state_e ngx_dns_answer_question(ngx_dns_answer_t *a);
static ngx_dns_state_e ngx_dns_answer_name(ngx_dns_answer_t *a);
static ngx_dns_state_e ngx_dns_answer_nowhere(ngx_dns_answer_t *a);
static ngx_dns_state_e ngx_dns_answer_node(ngx_dns_answer_t *a,
    ngx_dns_node_t *node, ngx_uint_t wildcard);
static ngx_dns_state_e ngx_dns_answer_top(ngx_dns_answer_t *a,
    ngx_uint_t from);
static ngx_dns_state_e ngx_dns_answer_positive(ngx_dns_answer_t *a,
    ngx_dns_rrset_t *set, ngx_uint_t wildcard);
static ngx_dns_state_e ngx_dns_answer_nodata(ngx_dns_answer_t *a,
    ngx_uint_t wildcard);
static ngx_uint_t ngx_dns_answer_undelegated(ngx_dns_answer_t *a);
static ngx_dns_state_e ngx_dns_answer_nxdomain(ngx_dns_answer_t *a);
static ngx_dns_state_e ngx_dns_answer_referral(ngx_dns_answer_t *a,
    ngx_dns_node_t *cut, ngx_uint_t i);
static ngx_dns_state_e ngx_dns_answer_refused(ngx_dns_answer_t *a,
    ngx_uint_t ede);
static void ngx_dns_answer_failed(ngx_dns_answer_t *a, ngx_dns_state_e state);


ngx_dns_answer_t *
ngx_dns_answer_create(ngx_pool_t *pool, ngx_dns_key_t *key)
{
    ngx_dns_answer_t  *a;

    a = ngx_pcalloc(pool, sizeof(ngx_dns_answer_t));
    if (a == NULL) {
        return NULL;
    }

    a->key = key;
    a->places.ready = 1;
    a->chooser.places = &a->places;
    a->chooser.random.s[0] = 1;

    return a;
}


void
ngx_dns_answer_seed(ngx_dns_answer_t *a, const uint64_t *seed)
{
    ngx_memcpy(a->chooser.random.s, seed, sizeof(a->chooser.random.s));
}


ngx_dns_places_t *
ngx_dns_answer_places(ngx_dns_answer_t *a)
{
    return &a->places;
}


void
ngx_dns_answer_health(ngx_dns_answer_t *a, const ngx_dns_health_t *health)
{
    a->chooser.health = health;
}


void
ngx_dns_answer_external(ngx_dns_answer_t *a,
    struct ngx_dns_external_s *external)
{
    a->external = external;
}


void
ngx_dns_answer_time(ngx_dns_answer_t *a, int64_t now)
{
    a->now = now;
}


void
ngx_dns_answer_trace(ngx_dns_answer_t *a, ngx_dns_choose_trace_pt trace,
    void *data)
{
    a->chooser.trace = trace;
    a->chooser.data = data;
}


ngx_dns_reply_t *
ngx_dns_answer(ngx_dns_answer_t *a, ngx_dns_answer_conf_t *conf,
    ngx_dns_query_t *q, ngx_dns_zone_t *zone, ngx_dns_transport_t *t)
{
    ngx_uint_t       n;
    ngx_dns_state_e  state;

    ngx_dns_answer_start(a, conf, q, zone, t);

    state = ngx_dns_answer_question(a);

    for (n = 0; state == ngx_dns_state_follow && n <= NGX_DNS_CHAIN_MAX; n++) {

        if (a->explain != NULL) {
            ngx_dns_explain_name(a);
        }

        state = ngx_dns_answer_name(a);
    }

    if (a->alias != 0) {
        state = ngx_dns_alias_end(a, state);
    }

    if (state >= ngx_dns_state_failed) {
        ngx_dns_answer_failed(a, state);
    }

    ngx_dns_add_end(a);

    return &a->reply;
}


static void
ngx_dns_answer_start(ngx_dns_answer_t *a, ngx_dns_answer_conf_t *conf,
    ngx_dns_query_t *q, ngx_dns_zone_t *zone, ngx_dns_transport_t *t)
{
    a->query = q;
    a->conf = conf;
    a->zone = zone;
    a->transport = t;
    a->name = &q->qname;
    a->target = NULL;
    a->links = 0;
    a->nsynth = 0;
    a->nrrs = 0;
    a->negative_ttl = 0xffffffff;
    a->client = NULL;
    a->mixed = 0;

    if (++a->turn == 0) {
        ngx_memzero(a->seen, sizeof(a->seen));
        a->turn = 1;
    }

    a->reply.rcode = NGX_DNS_NOERROR;
    a->reply.ede = NGX_DNS_EDE_NONE;
    a->reply.aa = 0;
    a->reply.full = 0;
    a->reply.ecs = 0;
    a->reply.scope = 0;
    a->reply.steps = 0;
    a->reply.nitems = 0;
}


/* what class and type alone decide */

static ngx_dns_state_e
ngx_dns_answer_question(ngx_dns_answer_t *a)
{
    ngx_dns_query_t  *q;

    q = a->query;

    if (q->ecs != NULL && a->conf->ecs
        && ngx_dns_select_ecs(a) != NGX_OK)
    {
        a->reply.rcode = NGX_DNS_FORMERR;
        return ngx_dns_state_refused;
    }

    if (q->qclass != NGX_DNS_CLASS_IN) {

        if (q->qclass == NGX_DNS_CLASS_CH && ngx_dns_explain_wanted(a)) {
            return ngx_dns_explain_answer(a);
        }

        if (q->qclass == NGX_DNS_CLASS_CH && a->conf->chaos) {
            return ngx_dns_answer_chaos(a);
        }

        return ngx_dns_answer_refused(a, NGX_DNS_EDE_NONE);
    }

    if (a->zone == NULL) {
        return ngx_dns_answer_nowhere(a);
    }

    switch (q->qtype) {

    case NGX_DNS_TYPE_AXFR:
    case NGX_DNS_TYPE_IXFR:
        return ngx_dns_answer_refused(a, NGX_DNS_EDE_PROHIBITED);

    case NGX_DNS_TYPE_ANY:

        if (a->conf->any == NGX_DNS_ANY_REFUSED) {
            return ngx_dns_answer_refused(a, NGX_DNS_EDE_PROHIBITED);
        }

        break;

    default:
        break;
    }

    a->reply.aa = 1;

    return (a->conf->nviews == 0) ? ngx_dns_state_follow
                                  : ngx_dns_locate_check(a);
}


static ngx_dns_state_e
ngx_dns_answer_nowhere(ngx_dns_answer_t *a)
{
    return ngx_dns_locate_ready(a->conf)
               ? ngx_dns_answer_refused(a, NGX_DNS_EDE_NOT_AUTHORITATIVE)
               : ngx_dns_state_not_ready;
}


/* RFC 1034, 4.3.2, step 3, for the name where the chain is */

static ngx_dns_state_e
ngx_dns_answer_name(ngx_dns_answer_t *a)
{
    ngx_uint_t       flags;
    ngx_dns_node_t  *node;

    if (ngx_dns_zone_find(a->zone, a->name, &a->found) == NGX_OK) {
        node = a->found.node;
        flags = node->flags;

        if (!(flags & (NGX_DNS_NODE_OCCLUDED|NGX_DNS_NODE_CUT))) {
            return ngx_dns_answer_node(a, node, 0);
        }

        if (flags & NGX_DNS_NODE_OCCLUDED) {
            return ngx_dns_answer_top(a, 0);
        }

        /* the parent answers for DS at the cut: RFC 4035, 3.1.4.1 */

        return (a->query->qtype == NGX_DNS_TYPE_DS)
                   ? ngx_dns_answer_node(a, node, 0)
                   : ngx_dns_answer_referral(a, node, 0);
    }

    flags = a->found.encloser->flags;

    if (flags
        & (NGX_DNS_NODE_CUT|NGX_DNS_NODE_OCCLUDED|NGX_DNS_NODE_DNAME))
    {
        return ngx_dns_answer_top(a, a->found.label);
    }

    if (flags & NGX_DNS_NODE_HAS_WILDCARD) {
        node = ngx_dns_zone_wildcard(a->zone, a->name, a->found.label);

        if (node != NULL) {
            return ngx_dns_answer_node(a, node, 1);
        }
    }

    return ngx_dns_answer_nxdomain(a);
}


/* at or below a zone cut or a DNAME: the topmost one decides */

static ngx_dns_state_e
ngx_dns_answer_top(ngx_dns_answer_t *a, ngx_uint_t from)
{
    ngx_uint_t       i;
    ngx_dns_node_t  *node;

    node = ngx_dns_zone_top(a->zone, a->name, from, &i);

    if (node == NULL) {
        return ngx_dns_state_failed;
    }

    if (node->flags & NGX_DNS_NODE_CUT) {
        return ngx_dns_answer_referral(a, node, i);
    }

    return ngx_dns_chain_dname(a, node, i);
}


/* wildcard: 1 if node is the wildcard that stands for the name */

static ngx_dns_state_e
ngx_dns_answer_node(ngx_dns_answer_t *a, ngx_dns_node_t *node,
    ngx_uint_t wildcard)
{
    ngx_uint_t        qtype;
    ngx_dns_state_e   state;
    ngx_dns_rrset_t  *set;

    qtype = a->query->qtype;

    set = ngx_dns_node_rrset(node, qtype);

    if (set != NULL) {
        return ngx_dns_answer_positive(a, set, wildcard);
    }

    if (qtype == NGX_DNS_TYPE_ANY || qtype == NGX_DNS_TYPE_RRSIG) {

        state = (qtype == NGX_DNS_TYPE_ANY) ? ngx_dns_answer_any(a, node)
                                            : ngx_dns_answer_rrsig(a, node);

        if (state == ngx_dns_state_positive && wildcard) {
            ngx_dns_deny_wildcard(a);
        }

        return (state == ngx_dns_state_nodata)
                   ? ngx_dns_answer_nodata(a, wildcard) : state;
    }

    if (node->flags
        & (NGX_DNS_NODE_CNAME|NGX_DNS_NODE_ANAME|NGX_DNS_NODE_FAILED))
    {
        if ((node->flags & NGX_DNS_ANSWER_SPECIAL) == NGX_DNS_NODE_CNAME
            && !(a->zone->flags & NGX_DNS_ZONE_FLATTEN))
        {
            if (wildcard) {
                ngx_dns_deny_wildcard(a);
            }

            return ngx_dns_chain_cname(a,
                                       ngx_dns_node_rrset(node,
                                                          NGX_DNS_TYPE_CNAME));
        }

        state = ngx_dns_alias_answer(a, node, wildcard);

        if (state != ngx_dns_state_absent) {
            return state;
        }
    }

    if (qtype == NGX_DNS_TYPE_CAA
        && (a->zone->flags & NGX_DNS_ZONE_CAA_CLIMB))
    {
        state = ngx_dns_alias_caa(a);

        if (state != ngx_dns_state_absent) {
            return state;
        }
    }

    return ngx_dns_answer_nodata(a, wildcard);
}


static ngx_dns_state_e
ngx_dns_answer_positive(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_uint_t wildcard)
{
    ngx_uint_t  first;

    first = a->reply.nitems;

    if (set->type != NGX_DNS_TYPE_DNAME || !ngx_dns_chain_has(a, set)) {
        ngx_dns_add_name(a, NGX_DNS_ANSWER, set, 0);
    }

    if (wildcard) {
        ngx_dns_deny_wildcard(a);
    }

    if (set->flags & (NGX_DNS_RRSET_LINKS|NGX_DNS_RRSET_FAILED
                      |NGX_DNS_RRSET_NOTED))
    {
        if (set->flags & NGX_DNS_RRSET_FAILED) {
            return ngx_dns_state_failed;
        }

        if ((set->flags & NGX_DNS_RRSET_NOTED) && a->reply.nitems > first
            && ngx_dns_select(a, &a->reply.items[first]) != NGX_OK)
        {
            a->reply.nitems = first;
            return ngx_dns_answer_nodata(a, wildcard);
        }

        if (set->flags & NGX_DNS_RRSET_LINKS) {
            ngx_dns_add_addresses(a, set, NULL);
        }
    }

    return ngx_dns_state_positive;
}


static ngx_dns_state_e
ngx_dns_answer_nodata(ngx_dns_answer_t *a, ngx_uint_t wildcard)
{
    ngx_dns_add_soa(a);
    ngx_dns_deny_nodata(a, wildcard);

    return ngx_dns_state_nodata;
}


/*
 * 1 if the name does exist, as a zone of its own here that its parent does
 * not delegate: the parent answers for DS, but must not deny the name.
 */

static ngx_uint_t
ngx_dns_answer_undelegated(ngx_dns_answer_t *a)
{
    return a->query->qtype == NGX_DNS_TYPE_DS
           && a->links == 0
           && ngx_dns_locate(a->conf, a->name, 0) != a->zone;
}


/* RFC 6604, 3: the rcode is that of the end of the chain */

static ngx_dns_state_e
ngx_dns_answer_nxdomain(ngx_dns_answer_t *a)
{
    if (!ngx_dns_answer_undelegated(a)) {
        a->reply.rcode = NGX_DNS_NXDOMAIN;
    }

    ngx_dns_add_soa(a);
    ngx_dns_deny_nxdomain(a);

    return ngx_dns_state_nxdomain;
}


/* RFC 1034, 4.3.2, step 3b; RFC 9471 */

static ngx_dns_state_e
ngx_dns_answer_referral(ngx_dns_answer_t *a, ngx_dns_node_t *cut,
    ngx_uint_t i)
{
    ngx_dns_rrset_t  *ns, *ds;

    /* a link of a chain before it was authoritative: RFC 1035, 4.1.1 */

    if (a->links == 0 && a->reply.nitems == 0) {
        a->reply.aa = 0;
    }

    ns = ngx_dns_node_rrset(cut, NGX_DNS_TYPE_NS);

    if (ns == NULL || (ns->flags & NGX_DNS_RRSET_FAILED)) {
        return ngx_dns_state_failed;
    }

    ngx_dns_add_name(a, NGX_DNS_AUTHORITY, ns, i);

    if (a->query->do_bit) {
        ds = ngx_dns_node_rrset(cut, NGX_DNS_TYPE_DS);

        if (ds != NULL) {
            ngx_dns_add_name(a, NGX_DNS_AUTHORITY, ds, i);

        } else {
            ngx_dns_deny_ds(a, i);
        }
    }

    ngx_dns_add_addresses(a, ns, cut);

    return ngx_dns_state_referral;
}


static ngx_dns_state_e
ngx_dns_answer_refused(ngx_dns_answer_t *a, ngx_uint_t ede)
{
    a->reply.rcode = NGX_DNS_REFUSED;
    a->reply.ede = (uint16_t) ede;
    a->reply.aa = 0;

    return ngx_dns_state_refused;
}


/* nothing of the answer can be trusted */

static void
ngx_dns_answer_failed(ngx_dns_answer_t *a, ngx_dns_state_e state)
{
    a->reply.rcode = NGX_DNS_SERVFAIL;
    a->reply.aa = 0;
    a->reply.scope = 0;
    a->reply.nitems = 0;

    switch (state) {

    case ngx_dns_state_not_ready:
        a->reply.ede = NGX_DNS_EDE_NOT_READY;
        break;

    case ngx_dns_state_unreachable:
        a->reply.ede = NGX_DNS_EDE_NO_REACHABLE;
        break;

    default:
        a->reply.ede = NGX_DNS_EDE_INVALID_DATA;
        break;
    }
}
