
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_explain_ctx.h"
#include "ngx_dns_external.h"


static void ngx_dns_explain_lookup(ngx_dns_answer_t *a, ngx_dns_explain_t *x);
static void ngx_dns_explain_top(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_uint_t from);
static void ngx_dns_explain_node(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_dns_node_t *node);
static void ngx_dns_explain_link(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_dns_node_t *node);


/* the name where the chain is, before it is looked up */

void
ngx_dns_explain_name(ngx_dns_answer_t *a)
{
    ngx_dns_explain_t  *x;

    x = a->explain;

    if (a->zone != x->zone) {
        ngx_dns_explain_zone(a, x, a->zone);
    }

    ngx_dns_explain_lookup(a, x);
}


void
ngx_dns_explain_zone(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    const ngx_dns_zone_t *zone)
{
    u_char          *p, *start;
    ngx_uint_t       i;
    ngx_dns_view_t  *view;

    x->zone = zone;
    p = (u_char *) zone;

    ngx_dns_explain_begin(x, "zone");
    ngx_dns_explain_add(x, "%V serial %uD, records: %uD%s, ",
                        ngx_dns_explain_text(x, zone->name), zone->serial,
                        zone->nrecords,
                        (zone->flags & NGX_DNS_ZONE_UNSIGNABLE)
                        ? ", with DNSSEC keys that cannot be used" : "");

    for (i = 0; i < a->conf->nviews; i++) {
        view = a->conf->views[i];
        start = (u_char *) view->shared;

        if (p < start || p >= start + view->shared->size) {
            continue;
        }

        ngx_dns_explain_add(x, "from Redis (dns_redis zone=%V)%s",
                            &view->name,
                            (view->flags & NGX_DNS_VIEW_EXPIRED)
                            ? ", too old to be used"
                            : (view->flags & NGX_DNS_VIEW_STALE)
                            ? ", no contact at present" : "");
        ngx_dns_explain_end(x);
        return;
    }

    ngx_dns_explain_add(x, "from a file");
    ngx_dns_explain_end(x);
}


static void
ngx_dns_explain_lookup(ngx_dns_answer_t *a, ngx_dns_explain_t *x)
{
    ngx_int_t          rc;
    ngx_str_t         *name, *apex;
    ngx_uint_t         flags;
    ngx_dns_node_t    *node;
    ngx_dns_lookup_t   found;

    name = ngx_dns_explain_text(x, a->name->wire);

    rc = ngx_dns_zone_find(a->zone, a->name, &found);
    node = (rc == NGX_OK) ? found.node : found.encloser;
    flags = node->flags;

    if ((flags & NGX_DNS_NODE_OCCLUDED)
        || ((flags & NGX_DNS_NODE_CUT)
            && (rc != NGX_OK || a->query->qtype != NGX_DNS_TYPE_DS))
        || ((flags & NGX_DNS_NODE_DNAME) && rc != NGX_OK))
    {
        ngx_dns_explain_top(a, x, (rc == NGX_OK) ? 0 : found.label);
        return;
    }

    if (rc == NGX_OK) {
        ngx_dns_explain_begin(x, "name");
        ngx_dns_explain_add(x, "%V exists", name);
        ngx_dns_explain_node(a, x, node);
        return;
    }

    apex = ngx_dns_explain_text(x, a->name->wire
                                   + a->name->offset[found.label]);
    node = NULL;

    if (flags & NGX_DNS_NODE_HAS_WILDCARD) {
        node = ngx_dns_zone_wildcard(a->zone, a->name, found.label);
    }

    if (node == NULL) {
        ngx_dns_explain_tell(x, "name", "%V does not exist; the closest that "
                             "does is %V, which has no wildcard", name, apex);
        return;
    }

    ngx_dns_explain_begin(x, "name");
    ngx_dns_explain_add(x, "%V does not exist; *.%V stands for it", name,
                        apex);
    ngx_dns_explain_node(a, x, node);
}


static void
ngx_dns_explain_top(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_uint_t from)
{
    ngx_str_t        *name, *top;
    ngx_uint_t        i;
    ngx_dns_node_t   *node;
    ngx_dns_rrset_t  *dname;

    node = ngx_dns_zone_top(a->zone, a->name, from, &i);

    if (node == NULL) {
        return;
    }

    name = ngx_dns_explain_text(x, a->name->wire);
    top = ngx_dns_explain_text(x, a->name->wire + a->name->offset[i]);

    if (node->flags & NGX_DNS_NODE_CUT) {
        ngx_dns_explain_tell(x, "name", "%V is delegated at %V", name, top);
        return;
    }

    dname = ngx_dns_node_rrset(node, NGX_DNS_TYPE_DNAME);

    if (dname == NULL || dname->nrr == 0) {
        ngx_dns_explain_tell(x, "name", "%V is below %V, a DNAME that cannot "
                             "be used", name, top);
        return;
    }

    ngx_dns_explain_tell(x, "link", "%V is below %V, a DNAME to %V", name,
                         top, ngx_dns_explain_text(x,
                                              ngx_dns_rrset_first(dname) + 2));
}


/* the line of a name goes on with what it has */

static void
ngx_dns_explain_node(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_dns_node_t *node)
{
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    if (node->flags & NGX_DNS_NODE_FAILED) {
        ngx_dns_explain_add(x, ", but what it has cannot be read");
    }

    if (node->nsets == 0) {
        ngx_dns_explain_add(x, ", without records");
    }

    set = (node->nsets != 0) ? ngx_dns_node_sets(node) : NULL;

    for (i = 0; i < node->nsets; i++) {
        ngx_dns_explain_add(x, (i == 0) ? ", with: " : " ");
        ngx_dns_explain_add_type(x, set->type);

        if (set->flags & NGX_DNS_RRSET_FAILED) {
            ngx_dns_explain_add(x, "(unreadable)");
        }

        if (i + 1 < node->nsets) {
            set = ngx_dns_rrset_next(set);
        }
    }

    ngx_dns_explain_end(x);

    if (ngx_dns_node_rrset(node, a->query->qtype) == NULL) {
        ngx_dns_explain_link(a, x, node);
    }
}


static void
ngx_dns_explain_link(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_dns_node_t *node)
{
    u_char           *rdata;
    uint32_t          ttl;
    ngx_str_t        *target;
    ngx_uint_t        qtype;
    ngx_dns_rrset_t  *set;

    qtype = a->query->qtype;
    set = ngx_dns_node_rrset(node, NGX_DNS_TYPE_CNAME);

    if (set != NULL && set->nrr != 0 && qtype != NGX_DNS_TYPE_ANY) {
        ngx_dns_explain_tell(x, "link", "CNAME to %V, TTL: %uD%s",
                             ngx_dns_explain_text(x,
                                             ngx_dns_rrset_first(set) + 2),
                             set->ttl,
                             (a->zone->flags & NGX_DNS_ZONE_FLATTEN)
                             ? ", which is not shown (cname_flattening)"
                             : "");
        return;
    }

    if (!(node->flags & NGX_DNS_NODE_ANAME)
        || (qtype != NGX_DNS_TYPE_A && qtype != NGX_DNS_TYPE_AAAA))
    {
        return;
    }

    rdata = ngx_dns_notes_find(ngx_dns_node_notes(node), NGX_DNS_NOTE_ANAME);

    if (rdata == NULL) {
        return;
    }

    rdata += 2 + NGX_DNS_NOTE_HEAD;

    ttl = ngx_dns_get32(rdata);
    target = ngx_dns_explain_text(x, rdata + 4);

    if (ttl == NGX_DNS_ANAME_NO_TTL) {
        ngx_dns_explain_tell(x, "link", "ANAME to %V", target);

    } else {
        ngx_dns_explain_tell(x, "link", "ANAME to %V, TTL: %uD at most",
                             target, ttl);
    }
}


/* what is known of a name that other servers have; NULL: nothing */

void
ngx_dns_explain_external(ngx_dns_answer_t *a,
    const ngx_dns_external_result_t *r)
{
    ngx_dns_explain_t  *x;

    x = a->explain;

    ngx_dns_explain_begin(x, "ANAME");
    ngx_dns_explain_add(x, "%V is a name of other servers, ",
                        ngx_dns_explain_text(x, a->name->wire));

    if (r == NULL) {
        ngx_dns_explain_add(x, "of which nothing is known%s",
                            (a->external == NULL)
                            ? ": there is no dns_aname_resolver" : " yet");
        ngx_dns_explain_end(x);
        return;
    }

    ngx_dns_explain_add(x, "%s, addresses: %ui, %L s old, TTL: %uD"
                           "%s%s, for /%ui of the client",
                        (r->rcode == NGX_DNS_NXDOMAIN) ? "NXDOMAIN"
                                                       : "NOERROR",
                        (ngx_uint_t) (r->rrset != NULL ? r->rrset->nrr : 0),
                        (a->now > r->fetched) ? a->now - r->fetched : 0,
                        r->ttl,
                        r->stale ? ", past its time" : "",
                        r->failing ? ", the resolver does not answer" : "",
                        (ngx_uint_t) r->scope);

    ngx_dns_explain_end(x);
}
