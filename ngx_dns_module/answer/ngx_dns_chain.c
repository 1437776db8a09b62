
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


static ngx_dns_rrset_t *ngx_dns_chain_synth(ngx_dns_answer_t *a,
    ngx_uint_t i, ngx_dns_rrset_t *dname);


/*
 * The chain ends where it would leave the
 * zone, at a name that was there before, and after NGX_DNS_CHAIN_MAX links:
 * the links found are the answer.
 */

ngx_dns_state_e
ngx_dns_chain_follow(ngx_dns_answer_t *a, const u_char *target)
{
    ngx_uint_t       i;
    ngx_dns_name_t  *name;
    ngx_dns_zone_t  *zone;

    zone = a->zone;

    if (a->links == NGX_DNS_CHAIN_MAX) {
        return ngx_dns_state_done;
    }

    a->chain[a->links] = a->name->hash[0];

    name = &a->names[a->links & 1];
    ngx_dns_name_set(name, target, a->key);

    if (a->alias & NGX_DNS_ALIAS_ANAME) {
        a->links++;
        a->name = name;
        a->target = target;

        return ngx_dns_alias_zone(a);
    }

    if (name->labels < zone->name_labels
        || ngx_memcmp(target + name->offset[name->labels - zone->name_labels],
                      zone->name, zone->name_len)
           != 0)
    {
        return ngx_dns_state_outside;
    }

    for (i = 0; i <= a->links; i++) {
        if (a->chain[i] == name->hash[0]) {
            return ngx_dns_state_done;
        }
    }

    a->links++;
    a->name = name;
    a->target = target;

    return ngx_dns_state_follow;
}


ngx_dns_state_e
ngx_dns_chain_cname(ngx_dns_answer_t *a, ngx_dns_rrset_t *set)
{
    if (set == NULL) {
        return ngx_dns_state_failed;
    }

    ngx_dns_add_name(a, NGX_DNS_ANSWER, set, 0);

    return ngx_dns_chain_follow(a, ngx_dns_rrset_first(set) + 2);
}


/* the CNAME that RFC 6672, 3.1 makes of a DNAME; NULL: the name is too long */

static ngx_dns_rrset_t *
ngx_dns_chain_synth(ngx_dns_answer_t *a, ngx_uint_t i, ngx_dns_rrset_t *dname)
{
    u_char           *p, *target;
    size_t            prefix, len;
    ngx_dns_synth_t  *synth;

    target = ngx_dns_rrset_first(dname) + 2;
    prefix = a->name->offset[i];
    len = ngx_dns_name_len(target);

    if (prefix + len > NGX_DNS_NAME_MAX) {
        return NULL;
    }

    synth = &a->synth[a->nsynth++];

    synth->head.type = NGX_DNS_TYPE_CNAME;
    synth->head.nrr = 1;
    synth->head.ttl = dname->ttl;
    synth->head.size = (uint32_t) (2 + prefix + len);
    synth->head.flags = NGX_DNS_RRSET_NAMES;

    p = ngx_dns_put16(synth->data, prefix + len);
    p = ngx_cpymem(p, a->name->wire, prefix);
    ngx_memcpy(p, target, len);

    return &synth->head;
}


ngx_uint_t
ngx_dns_chain_has(ngx_dns_answer_t *a, ngx_dns_rrset_t *dname)
{
    ngx_uint_t  n;

    for (n = 0; n < a->reply.nitems; n++) {
        if (a->reply.items[n].rrset == dname) {
            return 1;
        }
    }

    return 0;
}


ngx_dns_state_e
ngx_dns_chain_dname(ngx_dns_answer_t *a, ngx_dns_node_t *node, ngx_uint_t i)
{
    ngx_dns_rrset_t  *dname, *cname;

    dname = ngx_dns_node_rrset(node, NGX_DNS_TYPE_DNAME);

    if (dname == NULL || (dname->flags & NGX_DNS_RRSET_FAILED)) {
        return ngx_dns_state_failed;
    }

    if (!ngx_dns_chain_has(a, dname)) {
        ngx_dns_add_name(a, NGX_DNS_ANSWER, dname, i);
    }

    cname = ngx_dns_chain_synth(a, i, dname);

    if (cname == NULL) {
        a->reply.rcode = NGX_DNS_YXDOMAIN;
        return ngx_dns_state_done;
    }

    ngx_dns_add_name(a, NGX_DNS_ANSWER, cname, 0);

    if (a->query->qtype == NGX_DNS_TYPE_CNAME
        || a->query->qtype == NGX_DNS_TYPE_ANY)
    {
        return ngx_dns_state_done;
    }

    return ngx_dns_chain_follow(a, ngx_dns_rrset_first(cname) + 2);
}
