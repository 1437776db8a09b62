
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


/* octets of answer that ANY may cost without signatures: RFC 8482, 3 */
#define NGX_DNS_ANY_SIZE   64


static size_t ngx_dns_any_size(ngx_dns_answer_t *a, ngx_dns_rrset_t *set);
static ngx_dns_rrset_t *ngx_dns_any_hinfo(ngx_dns_answer_t *a);


/* the octets that set will take, the owner being a pointer */

static size_t
ngx_dns_any_size(ngx_dns_answer_t *a, ngx_dns_rrset_t *set)
{
    size_t            n;
    ngx_dns_rrset_t  *sigs;

    n = (size_t) set->nrr * 10 + set->size;
    sigs = a->query->do_bit ? ngx_dns_rrset_sigs(set) : NULL;

    if (sigs != NULL) {
        n += (size_t) sigs->nrr * 10 + sigs->size;
    }

    return n;
}


/* RFC 8482, 4.2 */

static ngx_dns_rrset_t *
ngx_dns_any_hinfo(ngx_dns_answer_t *a)
{
    u_char           *p;
    ngx_dns_synth_t  *synth;

    synth = &a->synth[a->nsynth++];

    p = ngx_dns_put16(synth->data, 9);
    *p++ = 7;
    p = ngx_cpymem(p, "RFC8482", 7);
    *p = 0;

    synth->head.type = NGX_DNS_TYPE_HINFO;
    synth->head.nrr = 1;
    synth->head.ttl = a->zone->negative_ttl;
    synth->head.size = 2 + 9;
    synth->head.flags = 0;

    return &synth->head;
}


/*
 * One rrset stands for all of them: the CNAME if there is one, else the
 * smallest that is not NSEC; a made-up HINFO where even that is too large.
 */

ngx_dns_state_e
ngx_dns_answer_any(ngx_dns_answer_t *a, ngx_dns_node_t *node)
{
    size_t            n, min;
    ngx_uint_t        i, first, has_signed;
    ngx_dns_rrset_t  *set, *best;

    if (node->flags & NGX_DNS_NODE_FAILED) {
        return ngx_dns_state_failed;
    }

    if (node->nsets == 0) {
        return ngx_dns_state_nodata;
    }

    set = ngx_dns_node_sets(node);
    best = NULL;
    has_signed = 0;
    min = 0;

    for (i = 0; i < node->nsets; i++, set = ngx_dns_rrset_next(set)) {

        if ((set->flags & NGX_DNS_RRSET_FAILED)
            || (set->type == NGX_DNS_TYPE_CNAME
                && (node->flags & NGX_DNS_NODE_APEX)))
        {
            continue;
        }

        n = ngx_dns_any_size(a, set);
        has_signed |= (set->flags & NGX_DNS_RRSET_SIGNED);

        if (set->type == NGX_DNS_TYPE_CNAME) {
            best = set;
            min = 0;
            break;
        }

        if (set->type == NGX_DNS_TYPE_NSEC && node->nsets > 1) {
            continue;
        }

        if (best == NULL || n < min) {
            best = set;
            min = n;
        }
    }

    if (best == NULL) {

        /* nothing there can be read */

        return ngx_dns_state_failed;
    }

    if (min > NGX_DNS_ANY_SIZE && !(has_signed && a->query->do_bit)) {
        best = ngx_dns_any_hinfo(a);
    }

    first = a->reply.nitems;

    ngx_dns_add_name(a, NGX_DNS_ANSWER, best, 0);

    if ((best->flags & NGX_DNS_RRSET_NOTED) && a->reply.nitems > first
        && ngx_dns_select(a, &a->reply.items[first]) != NGX_OK)
    {
        a->reply.nitems = first;
        return ngx_dns_state_nodata;
    }

    return ngx_dns_state_positive;
}


ngx_dns_state_e
ngx_dns_answer_rrsig(ngx_dns_answer_t *a, ngx_dns_node_t *node)
{
    ngx_uint_t        i, n;
    ngx_dns_rrset_t  *set, *sigs;

    if (node->flags & NGX_DNS_NODE_FAILED) {
        return ngx_dns_state_failed;
    }

    if (node->nsets == 0) {
        return ngx_dns_state_nodata;
    }

    set = ngx_dns_node_sets(node);
    n = 0;

    for (i = 0; i < node->nsets; i++, set = ngx_dns_rrset_next(set)) {
        sigs = ngx_dns_rrset_sigs(set);

        if (sigs != NULL) {
            ngx_dns_add_name(a, NGX_DNS_ANSWER, sigs, 0);
            n++;
        }
    }

    return n ? ngx_dns_state_positive : ngx_dns_state_nodata;
}
