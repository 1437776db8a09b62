
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"
#include "ngx_dns_nsec3.h"


/* a name in the middle of a proof: a suffix of a->name, or one made of it */

typedef struct {
    const u_char   *name;               /* absolute */
    size_t          rel;                /* octets in front of the apex */
} ngx_dns_proof_t;


static ngx_uint_t ngx_dns_deny_type(ngx_dns_answer_t *a);
static ngx_dns_proof_t ngx_dns_deny_suffix(ngx_dns_answer_t *a,
    ngx_uint_t i);
static ngx_dns_proof_t ngx_dns_deny_star(ngx_dns_answer_t *a, ngx_uint_t i,
    u_char *buf);
static ngx_dns_node_t *ngx_dns_deny_search(ngx_dns_answer_t *a,
    ngx_dns_proof_t *proof, ngx_uint_t *exact);
static ngx_int_t ngx_dns_deny_match(ngx_dns_answer_t *a,
    ngx_dns_proof_t proof);
static ngx_int_t ngx_dns_deny_own(ngx_dns_answer_t *a, ngx_uint_t i);
static void ngx_dns_deny_cover(ngx_dns_answer_t *a, ngx_dns_proof_t proof);
static void ngx_dns_deny_add(ngx_dns_answer_t *a, ngx_dns_node_t *node);
static ngx_uint_t ngx_dns_deny_encloser(ngx_dns_answer_t *a, ngx_uint_t i,
    ngx_uint_t exists);


/* the type of the proofs, or 0 if none is wanted or possible */

static ngx_uint_t
ngx_dns_deny_type(ngx_dns_answer_t *a)
{
    if (!a->query->do_bit || a->zone->ndenial == 0) {
        return 0;
    }

    return (a->zone->flags & NGX_DNS_ZONE_NSEC) ? NGX_DNS_TYPE_NSEC
                                                : NGX_DNS_TYPE_NSEC3;
}


static ngx_dns_proof_t
ngx_dns_deny_suffix(ngx_dns_answer_t *a, ngx_uint_t i)
{
    ngx_dns_proof_t  proof;

    proof.name = a->name->wire + a->name->offset[i];
    proof.rel = a->name->len - a->zone->name_len - a->name->offset[i];

    return proof;
}


/* the wildcard that the encloser at label i has, or might have had */

static ngx_dns_proof_t
ngx_dns_deny_star(ngx_dns_answer_t *a, ngx_uint_t i, u_char *buf)
{
    size_t           n;
    ngx_dns_proof_t  proof;

    proof = ngx_dns_deny_suffix(a, i);
    n = proof.rel + a->zone->name_len;

    buf[0] = 1;
    buf[1] = '*';
    ngx_memcpy(buf + 2, proof.name, n);

    proof.name = buf;
    proof.rel += 2;

    return proof;
}


/*
 * The last owner of a proof at or before a name, the list being a circle.
 * For NSEC3 the name is replaced by its hash.
 */

static ngx_dns_node_t *
ngx_dns_deny_search(ngx_dns_answer_t *a, ngx_dns_proof_t *proof,
    ngx_uint_t *exact)
{
    size_t           low, high, mid;
    u_char           label[NGX_DNS_NSEC3_LABEL];
    uint32_t        *list;
    ngx_int_t        rc;
    ngx_dns_node_t  *node;
    ngx_dns_zone_t  *zone;

    zone = a->zone;
    list = ngx_dns_zone_at(zone, zone->denial);

    if (zone->flags & NGX_DNS_ZONE_NSEC3) {

        if (ngx_dns_nsec3_label(zone, proof->name, label) != NGX_OK) {
            return NULL;
        }

        proof->name = label;
        proof->rel = NGX_DNS_NSEC3_LABEL;
    }

    *exact = 0;
    low = 0;
    high = zone->ndenial;

    while (low < high) {
        mid = low + (high - low) / 2;
        node = ngx_dns_zone_at(zone, list[mid]);

        rc = ngx_dns_name_cmp_rel(node->name, node->len, proof->name,
                                  proof->rel);

        if (rc == 0) {
            *exact = 1;
            return node;
        }

        if (rc < 0) {
            low = mid + 1;

        } else {
            high = mid;
        }
    }

    return ngx_dns_zone_at(zone, list[(low == 0) ? zone->ndenial - 1
                                                 : low - 1]);
}


/* NGX_DECLINED: no proof is owned by just this name */

static ngx_int_t
ngx_dns_deny_match(ngx_dns_answer_t *a, ngx_dns_proof_t proof)
{
    ngx_uint_t       exact;
    ngx_dns_node_t  *node;

    node = ngx_dns_deny_search(a, &proof, &exact);

    if (node == NULL || !exact) {
        return NGX_DECLINED;
    }

    ngx_dns_deny_add(a, node);

    return NGX_OK;
}


/* the NSEC of the suffix at label i, which the index of names finds sooner */

static ngx_int_t
ngx_dns_deny_own(ngx_dns_answer_t *a, ngx_uint_t i)
{
    ngx_dns_node_t  *node;

    node = ngx_dns_zone_node(a->zone, a->name, i);

    if (node == NULL || ngx_dns_node_rrset(node, NGX_DNS_TYPE_NSEC) == NULL) {
        return NGX_DECLINED;
    }

    ngx_dns_deny_add(a, node);

    return NGX_OK;
}


static void
ngx_dns_deny_cover(ngx_dns_answer_t *a, ngx_dns_proof_t proof)
{
    ngx_uint_t       exact;
    ngx_dns_node_t  *node;

    node = ngx_dns_deny_search(a, &proof, &exact);

    if (node != NULL && !exact) {
        ngx_dns_deny_add(a, node);
    }
}


/* once each: one proof may cover several names */

static void
ngx_dns_deny_add(ngx_dns_answer_t *a, ngx_dns_node_t *node)
{
    ngx_uint_t        i;
    ngx_dns_rrset_t  *set;

    set = ngx_dns_node_rrset(node, ngx_dns_deny_type(a));

    for (i = 0; i < a->reply.nitems; i++) {
        if (a->reply.items[i].rrset == set) {
            return;
        }
    }

    if (set != NULL) {
        ngx_dns_add_node(a, NGX_DNS_AUTHORITY, set, node, 0);
    }
}


/*
 * NSEC3 only: the suffix at label i has an NSEC3.  With opt-out it may have
 * none: then a shorter suffix is the closest provable encloser, and the name
 * one label longer is covered (RFC 5155, 7.2.1).
 *
 * exists  1: the proof is about the suffix itself, not about a name below it
 *
 * Returns the label of the closest provable encloser.
 */

static ngx_uint_t
ngx_dns_deny_encloser(ngx_dns_answer_t *a, ngx_uint_t i, ngx_uint_t exists)
{
    ngx_uint_t  last, first;

    first = i;
    last = a->name->labels - a->zone->name_labels;

    while (ngx_dns_deny_match(a, ngx_dns_deny_suffix(a, i)) != NGX_OK) {

        if (i == last) {
            return i;
        }

        i++;
    }

    if (i > 0 && !(exists && i == first)) {
        ngx_dns_deny_cover(a, ngx_dns_deny_suffix(a, i - 1));
    }

    return i;
}


void
ngx_dns_deny_nodata(ngx_dns_answer_t *a, ngx_uint_t wildcard)
{
    u_char           buf[NGX_DNS_NAME_MAX + 3];
    ngx_uint_t       type, encloser;
    ngx_dns_proof_t  own, star;

    type = ngx_dns_deny_type(a);

    if (type == 0) {
        return;
    }

    if (type == NGX_DNS_TYPE_NSEC3) {

        if (!wildcard) {
            (void) ngx_dns_deny_encloser(a, 0, 1);
            return;
        }

        star = ngx_dns_deny_star(a, a->found.label, buf);

        if (ngx_dns_deny_match(a, star) == NGX_OK) {
            (void) ngx_dns_deny_encloser(a, a->found.label, 0);
            return;
        }

        /* all below the wildcard is opted out */

        encloser = ngx_dns_deny_encloser(a, a->found.label, 0);
        ngx_dns_deny_cover(a, ngx_dns_deny_star(a, encloser, buf));

        return;
    }

    own = ngx_dns_deny_suffix(a, 0);

    /* an empty non-terminal owns no NSEC: that of its predecessor covers it */

    if (wildcard) {
        star = ngx_dns_deny_star(a, a->found.label, buf);

        if (ngx_dns_deny_match(a, star) != NGX_OK) {
            ngx_dns_deny_cover(a, star);
        }

        ngx_dns_deny_cover(a, own);

    } else if (ngx_dns_deny_own(a, 0) != NGX_OK) {
        ngx_dns_deny_cover(a, own);
    }
}


void
ngx_dns_deny_nxdomain(ngx_dns_answer_t *a)
{
    u_char      buf[NGX_DNS_NAME_MAX + 3];
    ngx_uint_t  type, encloser;

    type = ngx_dns_deny_type(a);

    if (type == 0) {
        return;
    }

    encloser = a->found.label;

    if (type == NGX_DNS_TYPE_NSEC) {
        ngx_dns_deny_cover(a, ngx_dns_deny_suffix(a, 0));

    } else {
        encloser = ngx_dns_deny_encloser(a, encloser, 0);
    }

    ngx_dns_deny_cover(a, ngx_dns_deny_star(a, encloser, buf));
}


void
ngx_dns_deny_wildcard(ngx_dns_answer_t *a)
{
    ngx_uint_t  type;

    type = ngx_dns_deny_type(a);

    if (type == NGX_DNS_TYPE_NSEC) {
        ngx_dns_deny_cover(a, ngx_dns_deny_suffix(a, 0));

    } else if (type == NGX_DNS_TYPE_NSEC3 && a->found.label > 0) {

        /* the next closer name: RFC 5155, 7.2.6 */

        ngx_dns_deny_cover(a, ngx_dns_deny_suffix(a, a->found.label - 1));
    }
}


void
ngx_dns_deny_ds(ngx_dns_answer_t *a, ngx_uint_t i)
{
    ngx_uint_t  type;

    type = ngx_dns_deny_type(a);

    if (type == NGX_DNS_TYPE_NSEC) {
        (void) ngx_dns_deny_own(a, i);

    } else if (type == NGX_DNS_TYPE_NSEC3) {
        (void) ngx_dns_deny_encloser(a, i, 1);
    }
}
