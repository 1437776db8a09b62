
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_explain_ctx.h"


typedef struct {
    const char   *name;
    ngx_uint_t    step;                 /* NGX_DNS_CHOICE_..., 0: no place */
} ngx_dns_explain_step_t;


static void ngx_dns_explain_addresses(ngx_dns_explain_t *x,
    ngx_dns_answer_t *a, const u_char *payload);
static void ngx_dns_explain_attributes(ngx_dns_explain_t *x,
    const ngx_dns_choice_rr_t *rr);
static void ngx_dns_explain_values(ngx_dns_explain_t *x, ngx_uint_t fact,
    const u_char *values, ngx_uint_t n);
static void ngx_dns_explain_health(ngx_dns_explain_t *x,
    ngx_dns_answer_t *a, uint64_t check);
static void ngx_dns_explain_silent(ngx_dns_explain_t *x, ngx_int_t step);
static void ngx_dns_explain_order(ngx_dns_explain_t *x,
    ngx_dns_chooser_t *c);
static void ngx_dns_explain_list(ngx_dns_explain_t *x, ngx_dns_chooser_t *c);
static const u_char *ngx_dns_explain_at(ngx_dns_explain_t *x, ngx_uint_t i);


static ngx_dns_explain_step_t  ngx_dns_explain_steps[NGX_DNS_STEPS] = {
    { "health", 0 },
    { "network", NGX_DNS_CHOICE_NETWORK },
    { "asn", NGX_DNS_CHOICE_ASN },
    { "country", NGX_DNS_CHOICE_COUNTRY },
    { "continent", NGX_DNS_CHOICE_CONTINENT },
    { "location", NGX_DNS_CHOICE_LOCATION },
    { "priority", 0 },
    { "order", 0 }
};

static char  *ngx_dns_explain_orders[] = {
    "none", "weighted", "rr", "sticky"
};

static char  *ngx_dns_explain_states[] = { "unknown", "up", "down" };


/* a set that is chosen from, before that is done */

void
ngx_dns_explain_set(ngx_dns_answer_t *a, const ngx_dns_item_t *item,
    const u_char *payload)
{
    ngx_uint_t                i;
    ngx_dns_explain_t        *x;
    const ngx_dns_choice_t   *choice;

    x = a->explain;

    if (payload == NULL) {
        ngx_dns_explain_tell(x, "set", "it is signed and the query has DO: it "
                             "is sent as it is");
        return;
    }

    ngx_dns_choice_open(payload, &x->choice);

    choice = &x->choice;

    x->set = item->rrset;
    x->stored = item->ttl;
    x->step = -1;
    x->n = item->rrset->nrr;

    ngx_dns_explain_begin(x, "set");
    ngx_dns_explain_add_type(x, item->rrset->type);
    ngx_dns_explain_add(x, "%s, addresses: %ui, TTL: %uD, count: %s, "
                           "order: %s, filters:",
                        (item->section == NGX_DNS_ADDITIONAL)
                        ? " of the additional section" : "",
                        x->n, item->rrset->ttl,
                        (choice->count == NGX_DNS_CHOICE_SINGLE)
                        ? "single" : "multi",
                        ngx_dns_explain_orders[choice->order & 3]);

    for (i = 0; i < NGX_DNS_STEPS; i++) {
        if (choice->steps & ngx_dns_explain_steps[i].step) {
            ngx_dns_explain_add(x, " %s", ngx_dns_explain_steps[i].name);
        }
    }

    ngx_dns_explain_add(x, "%s%s",
                        (choice->steps == 0) ? " none" : "",
                        (choice->flags & NGX_DNS_CHOICE_NO_MATCH)
                        ? ", no_match: none" : "");

    if (choice->flags & NGX_DNS_CHOICE_CHECK) {
        ngx_dns_explain_add(x, ", checked each %uD ms%s", choice->interval,
                            (choice->flags & NGX_DNS_CHOICE_ALL_DOWN)
                            ? ", all_down: none" : "");
    }

    ngx_dns_explain_end(x);

    ngx_dns_explain_addresses(x, a, payload);
}


static void
ngx_dns_explain_addresses(ngx_dns_explain_t *x, ngx_dns_answer_t *a,
    const u_char *payload)
{
    ngx_uint_t            i, n;
    const u_char         *p;
    ngx_dns_choice_rr_t   rr;

    p = x->choice.rrs;
    n = ngx_min(x->choice.nrr, x->n);
    n = ngx_min(n, NGX_DNS_EXPLAIN_LIST);

    for (i = 0; i < n; i++) {
        p = ngx_dns_choice_rr(p, &rr);

        ngx_dns_explain_begin(x, "address");
        ngx_dns_explain_add_rdata(x, x->set->type,
                                  ngx_dns_explain_at(x, i) + 2,
                                  ngx_dns_get16(ngx_dns_explain_at(x, i)));

        ngx_dns_explain_attributes(x, &rr);

        if (x->choice.flags & NGX_DNS_CHOICE_CHECK) {
            ngx_dns_explain_health(x, a, rr.check);
        }

        ngx_dns_explain_end(x);
    }

    if (n < x->n) {
        ngx_dns_explain_tell(x, "address", "and %ui more", x->n - n);
    }
}


static void
ngx_dns_explain_attributes(ngx_dns_explain_t *x,
    const ngx_dns_choice_rr_t *rr)
{
    ngx_dns_explain_values(x, NGX_DNS_GEO_NETWORK, rr->networks,
                           rr->nnetworks);
    ngx_dns_explain_values(x, NGX_DNS_GEO_ASN, rr->asns, rr->nasns);
    ngx_dns_explain_values(x, NGX_DNS_GEO_COUNTRY, rr->countries,
                           rr->ncountries);
    ngx_dns_explain_values(x, NGX_DNS_GEO_CONTINENT, rr->continents,
                           rr->ncontinents);

    ngx_dns_explain_add(x, ", weight: %uD, priority: %ui", rr->weight,
                        (ngx_uint_t) rr->priority);
}


static void
ngx_dns_explain_values(ngx_dns_explain_t *x, ngx_uint_t fact,
    const u_char *values, ngx_uint_t n)
{
    size_t      size;
    uint32_t    value;
    ngx_uint_t  i;

    size = (fact == NGX_DNS_GEO_COUNTRY || fact == NGX_DNS_GEO_CONTINENT)
               ? 2 : 4;

    for (i = 0; i < n; i++, values += size) {

        ngx_dns_explain_add(x, (i == 0) ? ", for: " : " ");

        value = (size == 2) ? (uint32_t) ngx_dns_get16(values)
                            : ngx_dns_get32(values);

        if (value == 0) {
            ngx_dns_explain_add(x, "everybody else");

        } else {
            ngx_dns_explain_add_fact(x, fact, value);
        }
    }
}


static void
ngx_dns_explain_health(ngx_dns_explain_t *x, ngx_dns_answer_t *a,
    uint64_t check)
{
    uint64_t    word;
    ngx_int_t   run;
    ngx_uint_t  state;

    word = ngx_dns_health_find(a->chooser.health, check);
    state = ngx_dns_health_state(word);
    run = ngx_dns_health_run(word);

    ngx_dns_explain_add(x, ", %s",
                        ngx_dns_explain_states[(state > 2) ? 0 : state]);

    if (run != 0) {
        ngx_dns_explain_add(x, " (last results: %i %s)",
                            (run < 0) ? -run : run,
                            (run < 0) ? "bad" : "good");
    }

    if (ngx_dns_health_turns(word) != 0) {
        ngx_dns_explain_add(x, ", %ui more would turn it",
                            ngx_dns_health_turns(word));
    }
}


void
ngx_dns_explain_step(void *data, ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_dns_choose_kept_e kept)
{
    ngx_dns_explain_t *x = data;

    static char  *places[] = {
        "those for the client",
        "none is for the client: those for everybody else",
        "none is for the client, none for everybody else: all",
        "none is for the client, none for everybody else (no_match)"
    };

    static char  *health[] = {
        "those that are not down",
        "those that are not down",
        "all are down: all",
        "all are down: none (all_down)"
    };

    if (x->set == NULL) {
        return;
    }

    ngx_dns_explain_silent(x, (ngx_int_t) step);
    x->step = (ngx_int_t) step;

    if (step == NGX_DNS_STEP_ORDER) {
        ngx_dns_explain_order(x, c);
        return;
    }

    ngx_dns_explain_begin(x, ngx_dns_explain_steps[step].name);
    ngx_dns_explain_add(x, "%ui of %ui, ", c->n, x->n);

    switch (step) {

    case NGX_DNS_STEP_HEALTH:
        ngx_dns_explain_add(x, "%s", health[kept & 3]);
        break;

    case NGX_DNS_STEP_LOCATION:
        ngx_dns_explain_add(x, "the nearest");
        break;

    case NGX_DNS_STEP_PRIORITY:
        ngx_dns_explain_add(x, "those of the first group");
        break;

    default:
        ngx_dns_explain_add(x, "%s", places[kept & 3]);
        break;
    }

    ngx_dns_explain_list(x, c);
    ngx_dns_explain_end(x);

    x->n = c->n;
}


/* filters of the set in front of step that had no say */

static void
ngx_dns_explain_silent(ngx_dns_explain_t *x, ngx_int_t step)
{
    ngx_int_t  i;

    for (i = x->step + 1; i < step; i++) {

        if (!(x->choice.steps & ngx_dns_explain_steps[i].step)) {
            continue;
        }

        ngx_dns_explain_tell(x, ngx_dns_explain_steps[i].name,
                             (x->n < 2)
                             ? "no say: there is nothing to choose from"
                             : (i == NGX_DNS_STEP_LOCATION)
                             ? "no say: the place of the client is unknown"
                             : "no say: all that are left are for everybody");
    }
}


static void
ngx_dns_explain_order(ngx_dns_explain_t *x, ngx_dns_chooser_t *c)
{
    static char  *orders[] = {
        "as stored", "drawn by weights", "drawn, each as likely",
        "always the same one for the network of the client"
    };

    ngx_dns_explain_begin(x, "order");

    if (c->n != 0) {
        ngx_dns_explain_add_rdata(x, x->set->type,
                                  ngx_dns_explain_at(x,
                                                ngx_dns_chooser_rr(c, 0)) + 2,
                                  ngx_dns_get16(ngx_dns_explain_at(x,
                                                ngx_dns_chooser_rr(c, 0))));

        ngx_dns_explain_add(x, " comes first, %s",
                            (x->n < 2)
                            ? "it is the only one"
                            : orders[x->choice.order & 3]);
    }

    ngx_dns_explain_end(x);

    ngx_dns_explain_begin(x, "count");
    ngx_dns_explain_add(x, "%ui of %ui, %s", c->n, x->n,
                        (x->choice.count == NGX_DNS_CHOICE_SINGLE)
                        ? "single" : "multi");
    ngx_dns_explain_list(x, c);
    ngx_dns_explain_end(x);
}


static void
ngx_dns_explain_list(ngx_dns_explain_t *x, ngx_dns_chooser_t *c)
{
    ngx_uint_t     i, n;
    const u_char  *rr;

    n = ngx_min(c->n, NGX_DNS_EXPLAIN_LIST / 4);

    for (i = 0; i < n; i++) {
        rr = ngx_dns_explain_at(x, ngx_dns_chooser_rr(c, i));

        ngx_dns_explain_add(x, (i == 0) ? ": " : " ");
        ngx_dns_explain_add_rdata(x, x->set->type, rr + 2,
                                  ngx_dns_get16(rr));
    }

    if (n < c->n) {
        ngx_dns_explain_add(x, " and %ui more", c->n - n);
    }
}


/* the RR at a place in the set: they have the same size */

static const u_char *
ngx_dns_explain_at(ngx_dns_explain_t *x, ngx_uint_t i)
{
    return ngx_dns_rrset_first(x->set)
           + i * (x->set->size / ngx_max(x->set->nrr, 1));
}


/* the set again, when it has been chosen from; c->n 0: nothing is left */

void
ngx_dns_explain_chosen(ngx_dns_answer_t *a, const ngx_dns_item_t *item)
{
    uint32_t            stored;
    ngx_dns_chooser_t  *c;
    ngx_dns_explain_t  *x;

    x = a->explain;
    c = &a->chooser;
    stored = item->rrset->ttl;

    if (c->n == 0) {
        ngx_dns_explain_tell(x, "count", "nothing is left: no address");
    }

    ngx_dns_explain_begin(x, "TTL");
    ngx_dns_explain_add(x, "%uD, ", item->ttl);

    if (item->ttl == stored) {
        ngx_dns_explain_add(x, "as stored");

    } else if (item->ttl == x->stored) {
        ngx_dns_explain_add(x, "%uD is stored, dns_%s_ttl", stored,
                            (item->ttl < stored) ? "max" : "min");

    } else if (!a->places.ready && x->choice.steps != 0
               && item->ttl == NGX_DNS_CHOOSE_NOT_READY)
    {
        ngx_dns_explain_add(x, "the databases are not there yet");

    } else {
        ngx_dns_explain_add(x, "a state may be about to change by then");
    }

    ngx_dns_explain_end(x);

    ngx_dns_explain_tell(x, "depends", "on %uD bits of the client's address",
                         c->scope);

    x->set = NULL;
}
