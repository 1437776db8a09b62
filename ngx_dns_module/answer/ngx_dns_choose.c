
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_choose.h"


static ngx_uint_t ngx_dns_choose_list(ngx_dns_chooser_t *c,
    const ngx_dns_rrset_t *set, const ngx_dns_choice_t *choice);
static void ngx_dns_choose_health(ngx_dns_chooser_t *c,
    const ngx_dns_choice_t *choice, size_t len);
static void ngx_dns_choose_keep(ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_uint_t strict);
static ngx_uint_t ngx_dns_choose_locate(ngx_dns_chooser_t *c,
    ngx_uint_t wanted);
static void ngx_dns_choose_country(ngx_dns_chooser_t *c, ngx_uint_t strict);
static void ngx_dns_choose_asn(ngx_dns_chooser_t *c, ngx_uint_t strict);
static void ngx_dns_choose_location(ngx_dns_chooser_t *c, size_t len);
static void ngx_dns_choose_sort(ngx_dns_chooser_t *c);
static ngx_uint_t ngx_dns_choose_weighted(ngx_dns_chooser_t *c);
static void ngx_dns_choose_order(ngx_dns_chooser_t *c,
    const ngx_dns_choice_t *choice);
static void ngx_dns_choose_rotate(ngx_dns_candidate_t *list, ngx_uint_t n,
    ngx_uint_t first);


ngx_int_t
ngx_dns_choose(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const u_char *payload, size_t len)
{
    size_t            size;
    ngx_uint_t        strict;
    ngx_dns_choice_t  choice;

    if (ngx_dns_choice_read(payload, len, &choice) != NGX_OK
        || choice.nrr != set->nrr
        || set->nrr > NGX_DNS_CHOOSE_MAX)
    {
        return NGX_DECLINED;
    }

    size = (set->type == NGX_DNS_TYPE_A) ? 4 : 16;

    if (ngx_dns_choose_list(c, set, &choice) != size) {
        return NGX_DECLINED;
    }

    c->scope = 0;
    strict = choice.flags & NGX_DNS_CHOICE_NO_MATCH;

    if (choice.flags & NGX_DNS_CHOICE_CHECK) {
        ngx_dns_choose_health(c, &choice, size);
    }

    if (choice.steps & NGX_DNS_CHOICE_ASN) {
        ngx_dns_choose_asn(c, strict);
    }

    if (choice.steps & NGX_DNS_CHOICE_COUNTRY) {
        ngx_dns_choose_country(c, strict);
    }

    if (choice.steps & NGX_DNS_CHOICE_LOCATION) {
        ngx_dns_choose_location(c, size);
    }

    ngx_dns_choose_order(c, &choice);

    return NGX_OK;
}


/* the octets of an address if all RRs are such, else 0 */

static ngx_uint_t
ngx_dns_choose_list(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const ngx_dns_choice_t *choice)
{
    u_char               *rr;
    ngx_uint_t            i, size;
    const u_char         *p;
    ngx_dns_choice_rr_t   attr;
    ngx_dns_candidate_t  *cand;

    p = choice->rrs;
    rr = ngx_dns_rrset_first(set);
    size = set->nrr ? ngx_dns_get16(rr) : 0;

    for (i = 0; i < set->nrr; i++, rr = ngx_dns_rrset_step(set, rr)) {

        if (ngx_dns_get16(rr) != size) {
            return 0;
        }

        p = ngx_dns_choice_rr(p, &attr);

        cand = &c->list[i];
        cand->rr = (uint16_t) i;
        cand->position = attr.position;
        cand->weight = attr.weight;
        cand->address = rr + 2;
        cand->countries = attr.countries;
        cand->asns = attr.asns;
        cand->ncountries = attr.ncountries;
        cand->nasns = attr.nasns;
    }

    c->n = set->nrr;

    return size;
}


/* the dead are left out, unless all are dead and that is no reason */

static void
ngx_dns_choose_health(ngx_dns_chooser_t *c, const ngx_dns_choice_t *choice,
    size_t len)
{
    ngx_uint_t            i;
    ngx_dns_candidate_t  *cand;

    if (c->health == NULL) {
        return;
    }

    for (i = 0; i < c->n; i++) {
        cand = &c->list[i];
        cand->kept = (c->health(c->data, choice, cand->address, len)
                      == NGX_DNS_HEALTH_DOWN)
                         ? NGX_DNS_KEPT_ALL : NGX_DNS_KEPT_MATCH;
    }

    ngx_dns_choose_keep(c, NGX_DNS_STEP_HEALTH,
                        choice->flags & NGX_DNS_CHOICE_ALL_DOWN);
}


/*
 * Of the records sorted into those that match, those for everybody else, and
 * the rest, the first kind that there is stays.  strict: the rest never does.
 */

static void
ngx_dns_choose_keep(ngx_dns_chooser_t *c, ngx_dns_choose_step_e step,
    ngx_uint_t strict)
{
    ngx_uint_t             i, n;
    ngx_dns_choose_kept_e  best;

    best = NGX_DNS_KEPT_ALL;

    for (i = 0; i < c->n; i++) {
        if (c->list[i].kept < best) {
            best = c->list[i].kept;
        }
    }

    if (best == NGX_DNS_KEPT_ALL) {

        if (strict) {
            best = NGX_DNS_KEPT_NONE;
            c->n = 0;
        }

    } else {
        n = 0;

        for (i = 0; i < c->n; i++) {
            if (c->list[i].kept == best) {
                c->list[n++] = c->list[i];
            }
        }

        c->n = n;
    }

    if (c->trace != NULL) {
        c->trace(c->data, step, best, c->n);
    }
}


/* where the client is; returns what of wanted is known */

static ngx_uint_t
ngx_dns_choose_locate(ngx_dns_chooser_t *c, ngx_uint_t wanted)
{
    if (c->client_len == 0 || c->place == NULL) {
        c->where.known = 0;
        return 0;
    }

    if ((c->located & wanted) != wanted) {
        c->place(c->data, c->client, c->client_len, wanted, &c->where);
        c->located |= wanted;
    }

    return c->where.known & wanted;
}


static void
ngx_dns_choose_country(ngx_dns_chooser_t *c, ngx_uint_t strict)
{
    ngx_uint_t            i, k, known, kept, places;
    const u_char         *p;
    ngx_dns_candidate_t  *cand;

    places = 0;

    for (i = 0; i < c->n; i++) {
        places |= c->list[i].ncountries;
    }

    if (places == 0) {

        /* all are for everybody, wherever that is */

        return;
    }

    known = ngx_dns_choose_locate(c, NGX_DNS_PLACE_COUNTRY);

    if (c->client_len != 0 && c->place != NULL) {
        c->scope = ngx_max(c->scope, c->where.country_bits);
    }

    for (i = 0; i < c->n; i++) {
        cand = &c->list[i];
        p = cand->countries;
        kept = cand->ncountries ? NGX_DNS_KEPT_ALL : NGX_DNS_KEPT_DEFAULT;

        for (k = 0; k < cand->ncountries; k++, p += 2) {

            if (known && p[0] == c->where.country[0]
                && p[1] == c->where.country[1])
            {
                kept = NGX_DNS_KEPT_MATCH;
                break;
            }

            if (p[0] == 0) {
                kept = NGX_DNS_KEPT_DEFAULT;
            }
        }

        cand->kept = (uint8_t) kept;
    }

    ngx_dns_choose_keep(c, NGX_DNS_STEP_COUNTRY, strict);
}


static void
ngx_dns_choose_asn(ngx_dns_chooser_t *c, ngx_uint_t strict)
{
    uint32_t              asn;
    ngx_uint_t            i, k, known, kept, places;
    const u_char         *p;
    ngx_dns_candidate_t  *cand;

    places = 0;

    for (i = 0; i < c->n; i++) {
        places |= c->list[i].nasns;
    }

    if (places == 0) {
        return;
    }

    known = ngx_dns_choose_locate(c, NGX_DNS_PLACE_ASN);

    if (c->client_len != 0 && c->place != NULL) {
        c->scope = ngx_max(c->scope, c->where.asn_bits);
    }

    for (i = 0; i < c->n; i++) {
        cand = &c->list[i];
        p = cand->asns;
        kept = cand->nasns ? NGX_DNS_KEPT_ALL : NGX_DNS_KEPT_DEFAULT;

        for (k = 0; k < cand->nasns; k++, p += 4) {
            asn = ngx_dns_get32(p);

            if (asn == NGX_DNS_CHOICE_ANY_ASN) {
                kept = NGX_DNS_KEPT_DEFAULT;

            } else if (known && asn == c->where.asn) {
                kept = NGX_DNS_KEPT_MATCH;
                break;
            }
        }

        cand->kept = (uint8_t) kept;
    }

    ngx_dns_choose_keep(c, NGX_DNS_STEP_ASN, strict);
}


/*
 * The nearest by great circle: the largest product of two points of the unit
 * sphere.  Ties stay; records nobody can place come after all others.
 */

static void
ngx_dns_choose_location(ngx_dns_chooser_t *c, size_t len)
{
    double                best;
    ngx_uint_t            i, placed;
    ngx_dns_place_t       place;
    ngx_dns_candidate_t  *cand;

    if (c->n < 2) {
        return;
    }

    placed = ngx_dns_choose_locate(c, NGX_DNS_PLACE_POINT);

    if (c->client_len != 0 && c->place != NULL) {
        c->scope = ngx_max(c->scope, c->where.point_bits);
    }

    if (!placed) {

        /* an unknown client: all */

        return;
    }

    best = -2;

    for (i = 0; i < c->n; i++) {
        cand = &c->list[i];
        cand->near = -2;

        c->place(c->data, cand->address, len, NGX_DNS_PLACE_POINT, &place);

        if (!(place.known & NGX_DNS_PLACE_POINT)) {
            continue;
        }

        cand->near = place.point[0] * c->where.point[0]
                     + place.point[1] * c->where.point[1]
                     + place.point[2] * c->where.point[2];

        best = ngx_max(best, cand->near);
    }

    for (i = 0; i < c->n; i++) {
        cand = &c->list[i];
        cand->kept = (cand->near > -2 && cand->near == best)
                         ? NGX_DNS_KEPT_MATCH : NGX_DNS_KEPT_ALL;
    }

    ngx_dns_choose_keep(c, NGX_DNS_STEP_LOCATION, 0);
}


/* in the order in which they were stored; they are few, or nearly sorted */

static void
ngx_dns_choose_sort(ngx_dns_chooser_t *c)
{
    ngx_uint_t           i, k;
    ngx_dns_candidate_t  cand, *list;

    list = c->list;

    for (i = 1; i < c->n; i++) {

        if (list[i - 1].position <= list[i].position) {
            continue;
        }

        cand = list[i];

        for (k = i; k > 0 && list[k - 1].position > cand.position; k--) {
            list[k] = list[k - 1];
        }

        list[k] = cand;
    }
}


/* one by its weight; if all are 0, any */

static ngx_uint_t
ngx_dns_choose_weighted(ngx_dns_chooser_t *c)
{
    uint64_t    sum, at;
    ngx_uint_t  i;

    sum = 0;

    for (i = 0; i < c->n; i++) {
        sum += c->list[i].weight;
    }

    if (sum == 0) {
        return ngx_dns_random_below(&c->random, c->n);
    }

    at = ngx_dns_random_below(&c->random, sum);

    for (i = 0; at >= c->list[i].weight; i++) {
        at -= c->list[i].weight;
    }

    return i;
}


static void
ngx_dns_choose_order(ngx_dns_chooser_t *c, const ngx_dns_choice_t *choice)
{
    ngx_uint_t  first;

    if (c->n == 0) {
        return;
    }

    ngx_dns_choose_sort(c);

    first = 0;

    switch (choice->order) {

    case NGX_DNS_CHOICE_WEIGHTED:
        first = ngx_dns_choose_weighted(c);
        break;

    case NGX_DNS_CHOICE_RR:
        first = ngx_dns_random_below(&c->random, c->n);
        break;

    default:
        break;
    }

    if (choice->count == NGX_DNS_CHOICE_SINGLE) {
        c->list[0] = c->list[first];
        c->n = 1;

    } else if (first != 0) {
        ngx_dns_choose_rotate(c->list, c->n, first);
    }

    if (c->trace != NULL) {
        c->trace(c->data, NGX_DNS_STEP_ORDER, NGX_DNS_KEPT_MATCH, c->n);
    }
}


/* the one at first comes first, what was before it last */

static void
ngx_dns_choose_rotate(ngx_dns_candidate_t *list, ngx_uint_t n,
    ngx_uint_t first)
{
    ngx_uint_t           i, k, next, start, moved;
    ngx_dns_candidate_t  cand;

    moved = 0;

    for (start = 0; moved < n; start++) {
        cand = list[start];
        i = start;

        for ( ;; ) {
            next = i + first;
            k = (next >= n) ? next - n : next;
            moved++;

            if (k == start) {
                break;
            }

            list[i] = list[k];
            i = k;
        }

        list[i] = cand;
    }
}
