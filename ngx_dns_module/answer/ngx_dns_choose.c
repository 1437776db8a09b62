
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_choose.h"
#include "ngx_dns_draw.h"


static void ngx_dns_choose_begin(ngx_dns_chooser_t *c,
    const ngx_dns_choice_t *choice);
static void ngx_dns_choose_health(ngx_dns_chooser_t *c,
    const ngx_dns_choice_t *choice);
static void ngx_dns_choose_keep(ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_uint_t strict);
static void ngx_dns_choose_kept(ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_dns_choose_kept_e best);
static void ngx_dns_choose_places(ngx_dns_chooser_t *c,
    const ngx_dns_rrset_t *set, const ngx_dns_choice_t *choice);
static uint32_t ngx_dns_choose_locate(ngx_dns_chooser_t *c, ngx_uint_t fact);
static void ngx_dns_choose_fact(ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_uint_t fact, ngx_uint_t strict);
static const u_char *ngx_dns_choose_values(const u_char *attr,
    ngx_uint_t fact, ngx_uint_t *n);
static ngx_uint_t ngx_dns_choose_match(const u_char *values, ngx_uint_t n,
    size_t size, uint32_t value);
static void ngx_dns_choose_location(ngx_dns_chooser_t *c,
    const ngx_dns_rrset_t *set);
static void ngx_dns_choose_priority(ngx_dns_chooser_t *c);
static void ngx_dns_choose_send(ngx_dns_chooser_t *c,
    const ngx_dns_rrset_t *set, const ngx_dns_choice_t *choice, u_char **rrs);


/* a product less than any two points have */
#define NGX_DNS_CHOOSE_FAR  -2.0

/* octets of an address, and an RR in the set */

#define ngx_dns_choose_size(set)                                             \
    ((size_t) (((set)->type == NGX_DNS_TYPE_A) ? 4 : 16))

#define ngx_dns_choose_at(set, i)                                            \
    (ngx_dns_rrset_first(set) + (i) * (2 + ngx_dns_choose_size(set)))


ngx_int_t
ngx_dns_choose(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const u_char *payload, u_char **rrs)
{
    ngx_dns_choice_t  choice;

    ngx_dns_choice_open(payload, &choice);

    if (choice.nrr != set->nrr
        || set->nrr > NGX_DNS_CHOOSE_MAX
        || set->size != set->nrr * (2 + ngx_dns_choose_size(set))
        || (set->flags & NGX_DNS_RRSET_LINKS))
    {
        return NGX_DECLINED;
    }

    ngx_dns_choose_begin(c, &choice);

    if (choice.flags & NGX_DNS_CHOICE_CHECK) {
        ngx_dns_choose_health(c, &choice);
    }

    if (choice.steps != 0) {
        ngx_dns_choose_places(c, set, &choice);
    }

    ngx_dns_choose_priority(c);

    ngx_dns_choose_send(c, set, &choice, rrs);

    return NGX_OK;
}


static void
ngx_dns_choose_begin(ngx_dns_chooser_t *c, const ngx_dns_choice_t *choice)
{
    ngx_uint_t            i;
    const u_char         *p;
    ngx_dns_choice_rr_t   rr;

    c->scope = 0;
    c->ttl = 0xffffffff;
    c->steps = 0;
    c->n = choice->nrr;

    p = choice->rrs;

    for (i = 0; i < choice->nrr; i++) {
        c->attr[i] = p;
        p = ngx_dns_choice_rr(p, &rr);
        c->list[i] = (uint32_t) rr.position << 16 | (uint32_t) i;
    }
}


/*
 * The dead are left out, unless all are dead and that is no reason.  If a
 * state is about to change, the answer is not to live longer than that takes.
 */

static void
ngx_dns_choose_health(ngx_dns_chooser_t *c, const ngx_dns_choice_t *choice)
{
    uint64_t             word, turns;
    ngx_uint_t           i;
    ngx_dns_choice_rr_t  rr;

    turns = 256;

    for (i = 0; i < c->n; i++) {
        (void) ngx_dns_choice_rr(c->attr[i], &rr);

        word = ngx_dns_health_find(c->health, rr.check);

        c->kept[i] = (ngx_dns_health_state(word) == NGX_DNS_HEALTH_DOWN)
                         ? NGX_DNS_KEPT_ALL : NGX_DNS_KEPT_MATCH;

        if (ngx_dns_health_turns(word) != 0) {
            turns = ngx_min(turns, ngx_dns_health_turns(word));
        }
    }

    if (turns < 256) {
        turns = turns * choice->interval / 1000;
        c->ttl = (uint32_t) ngx_max(turns, 1);
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
    ngx_uint_t             i, kept;
    ngx_dns_choose_kept_e  best;

    best = NGX_DNS_KEPT_ALL;

    for (i = 0; i < c->n; i++) {
        kept = c->kept[ngx_dns_chooser_rr(c, i)];

        if (kept < best) {
            best = kept;
        }
    }

    if (best == NGX_DNS_KEPT_ALL && strict) {
        best = NGX_DNS_KEPT_NONE;
    }

    ngx_dns_choose_kept(c, step, best);
}


static void
ngx_dns_choose_kept(ngx_dns_chooser_t *c, ngx_dns_choose_step_e step,
    ngx_dns_choose_kept_e best)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < c->n; i++) {
        if (c->kept[ngx_dns_chooser_rr(c, i)] == best) {
            c->list[n++] = c->list[i];
        }
    }

    if (n < c->n) {
        c->n = n;
        c->steps |= (uint32_t) 1 << step;
    }

    if (c->trace != NULL) {
        c->trace(c->data, c, step, best);
    }
}


static void
ngx_dns_choose_places(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const ngx_dns_choice_t *choice)
{
    ngx_uint_t  steps, strict;

    steps = choice->steps;
    strict = choice->flags & NGX_DNS_CHOICE_NO_MATCH;

    if (!c->places->ready) {
        c->ttl = ngx_min(c->ttl, NGX_DNS_CHOOSE_NOT_READY);
    }

    if (steps & NGX_DNS_CHOICE_NETWORK) {
        ngx_dns_choose_fact(c, NGX_DNS_STEP_NETWORK, NGX_DNS_GEO_NETWORK,
                            strict);
    }

    if (steps & NGX_DNS_CHOICE_ASN) {
        ngx_dns_choose_fact(c, NGX_DNS_STEP_ASN, NGX_DNS_GEO_ASN, strict);
    }

    if (steps & NGX_DNS_CHOICE_COUNTRY) {
        ngx_dns_choose_fact(c, NGX_DNS_STEP_COUNTRY, NGX_DNS_GEO_COUNTRY,
                            strict);
    }

    if (steps & NGX_DNS_CHOICE_CONTINENT) {
        ngx_dns_choose_fact(c, NGX_DNS_STEP_CONTINENT, NGX_DNS_GEO_CONTINENT,
                            strict);
    }

    if (steps & NGX_DNS_CHOICE_LOCATION) {
        ngx_dns_choose_location(c, set);
    }
}


/* a fact of the client, on which the choice depends from now on; 0: unknown */

static uint32_t
ngx_dns_choose_locate(ngx_dns_chooser_t *c, ngx_uint_t fact)
{
    uint32_t    value;
    ngx_uint_t  bits;

    if (c->client_len == 0) {
        return 0;
    }

    value = ngx_dns_places_find(c->places, fact, c->client, c->client_len,
                                &bits);

    c->scope = ngx_max(c->scope, (uint32_t) bits);

    return value;
}


static void
ngx_dns_choose_fact(ngx_dns_chooser_t *c, ngx_dns_choose_step_e step,
    ngx_uint_t fact, ngx_uint_t strict)
{
    size_t         size;
    uint32_t       value;
    ngx_uint_t     i, n, rr, located;
    const u_char  *values;

    if (c->n < 2 && !strict) {

        /* wherever the client is, the last one stays */

        return;
    }

    size = (fact == NGX_DNS_GEO_COUNTRY || fact == NGX_DNS_GEO_CONTINENT)
               ? 2 : 4;
    located = 0;
    value = 0;

    for (i = 0; i < c->n; i++) {
        rr = ngx_dns_chooser_rr(c, i);
        values = ngx_dns_choose_values(c->attr[rr], fact, &n);

        if (n == 0) {
            c->kept[rr] = NGX_DNS_KEPT_DEFAULT;
            continue;
        }

        if (!located) {
            value = ngx_dns_choose_locate(c, fact);
            located = 1;
        }

        c->kept[rr] = (uint8_t) ngx_dns_choose_match(values, n, size, value);
    }

    if (!located) {

        /* all are for everybody, wherever that is */

        return;
    }

    ngx_dns_choose_keep(c, step, strict);
}


/* the clients that a record is for */

static const u_char *
ngx_dns_choose_values(const u_char *attr, ngx_uint_t fact, ngx_uint_t *n)
{
    ngx_dns_choice_rr_t  rr;

    (void) ngx_dns_choice_rr(attr, &rr);

    switch (fact) {

    case NGX_DNS_GEO_COUNTRY:
        *n = rr.ncountries;
        return rr.countries;

    case NGX_DNS_GEO_CONTINENT:
        *n = rr.ncontinents;
        return rr.continents;

    case NGX_DNS_GEO_ASN:
        *n = rr.nasns;
        return rr.asns;

    default: /* NGX_DNS_GEO_NETWORK */
        *n = rr.nnetworks;
        return rr.networks;
    }
}


/* value 0: what is not known matches nothing; a 0 among values: everybody */

static ngx_uint_t
ngx_dns_choose_match(const u_char *values, ngx_uint_t n, size_t size,
    uint32_t value)
{
    uint32_t    v;
    ngx_uint_t  kept;

    kept = NGX_DNS_KEPT_ALL;

    for ( /* void */ ; n > 0; n--, values += size) {

        v = (size == 2) ? (uint32_t) ngx_dns_get16(values)
                        : ngx_dns_get32(values);

        if (v == 0) {
            kept = NGX_DNS_KEPT_DEFAULT;

        } else if (v == value) {
            return NGX_DNS_KEPT_MATCH;
        }
    }

    return kept;
}


/*
 * The nearest by great circle: the largest product of two points of the unit
 * sphere.  Ties stay; records nobody can place come after all others.  To a
 * client that nobody can place all are as near.
 */

static void
ngx_dns_choose_location(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set)
{
    size_t       len;
    double       at[3], point[3], best;
    uint32_t     client, place;
    ngx_uint_t   i, rr, bits;

    if (c->n < 2) {
        return;
    }

    client = ngx_dns_choose_locate(c, NGX_DNS_GEO_POINT);

    if (client == 0) {
        return;
    }

    ngx_dns_places_point(c->places, c->client_len, client, at);

    len = ngx_dns_choose_size(set);
    best = NGX_DNS_CHOOSE_FAR;

    for (i = 0; i < c->n; i++) {
        rr = ngx_dns_chooser_rr(c, i);
        c->near[i] = NGX_DNS_CHOOSE_FAR;

        place = ngx_dns_places_find(c->places, NGX_DNS_GEO_POINT,
                                    ngx_dns_choose_at(set, rr) + 2, len,
                                    &bits);
        if (place == 0) {
            continue;
        }

        ngx_dns_places_point(c->places, len, place, point);

        c->near[i] = point[0] * at[0] + point[1] * at[1] + point[2] * at[2];
        best = ngx_max(best, c->near[i]);
    }

    for (i = 0; i < c->n; i++) {
        c->kept[ngx_dns_chooser_rr(c, i)] = (c->near[i] == best)
                                                ? NGX_DNS_KEPT_MATCH
                                                : NGX_DNS_KEPT_ALL;
    }

    ngx_dns_choose_keep(c, NGX_DNS_STEP_LOCATION, 0);
}


/* those of the first group that has any left */

static void
ngx_dns_choose_priority(ngx_dns_chooser_t *c)
{
    ngx_uint_t           i, first, last;
    ngx_dns_choice_rr_t  rr;

    first = 0xffff;
    last = 0;

    for (i = 0; i < c->n; i++) {
        (void) ngx_dns_choice_rr(c->attr[ngx_dns_chooser_rr(c, i)], &rr);

        first = ngx_min(first, rr.priority);
        last = ngx_max(last, rr.priority);
    }

    if (first >= last) {
        return;
    }

    for (i = 0; i < c->n; i++) {
        (void) ngx_dns_choice_rr(c->attr[ngx_dns_chooser_rr(c, i)], &rr);

        c->kept[ngx_dns_chooser_rr(c, i)] = (rr.priority == first)
                                                ? NGX_DNS_KEPT_MATCH
                                                : NGX_DNS_KEPT_ALL;
    }

    ngx_dns_choose_keep(c, NGX_DNS_STEP_PRIORITY, 0);
}


static void
ngx_dns_choose_send(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const ngx_dns_choice_t *choice, u_char **rrs)
{
    ngx_uint_t  i, k, first;

    if (c->n == 0) {
        return;
    }

    if (c->n > 1) {
        first = ngx_dns_draw(c, set, choice->order);

        if (choice->count == NGX_DNS_CHOICE_SINGLE) {
            c->list[0] = c->list[first];
            c->n = 1;

        } else {
            ngx_dns_draw_rotate(c, first);
        }
    }

    for (i = 0; i < c->n; i++) {
        k = ngx_dns_chooser_rr(c, i);
        rrs[i] = ngx_dns_choose_at(set, k);
    }

    if (c->trace != NULL) {
        c->trace(c->data, c, NGX_DNS_STEP_ORDER, NGX_DNS_KEPT_MATCH);
    }
}
