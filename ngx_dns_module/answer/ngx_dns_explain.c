
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_explain_ctx.h"


static ngx_uint_t ngx_dns_explain_local(const ngx_dns_query_t *q);
static void ngx_dns_explain_start(ngx_dns_explain_t *x);
static const char *ngx_dns_explain_question(ngx_dns_explain_t *x,
    const ngx_dns_query_t *q, ngx_dns_key_t *key);
static void ngx_dns_explain_run(ngx_dns_answer_t *a, ngx_dns_explain_t *x);
static void ngx_dns_explain_client(ngx_dns_answer_t *a, ngx_dns_explain_t *x);
static void ngx_dns_explain_places(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    const ngx_dns_ecs_t *client);
static void ngx_dns_explain_reply(ngx_dns_answer_t *a, ngx_dns_explain_t *x);
static void ngx_dns_explain_item(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_dns_item_t *item);
static void ngx_dns_explain_records(ngx_dns_explain_t *x, const char *section,
    ngx_str_t *owner, ngx_dns_item_t *item, const ngx_dns_rrset_t *set);


static char  *ngx_dns_explain_rcodes[] = {
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
    "YXDOMAIN"
};

static char  *ngx_dns_explain_sections[] = {
    "answer", "authority", "additional"
};

static char  *ngx_dns_explain_facts[] = {
    "country", "continent", "asn", "point", "network"
};


ngx_dns_explain_t *
ngx_dns_explain_create(ngx_pool_t *pool,
    const ngx_dns_explain_network_t *networks, ngx_uint_t n)
{
    ngx_dns_explain_t  *x;

    x = ngx_pcalloc(pool, sizeof(ngx_dns_explain_t));

    if (x != NULL) {
        x->networks = networks;
        x->nnetworks = n;
    }

    return x;
}


void
ngx_dns_explain_use(ngx_dns_answer_t *a, ngx_dns_explain_t *x)
{
    a->explainer = x;
}


ngx_uint_t
ngx_dns_explain_wanted(ngx_dns_answer_t *a)
{
    ngx_dns_name_t  *qname;

    if (a->explainer == NULL || !a->conf->explain) {
        return 0;
    }

    qname = &a->query->qname;

    return qname->labels != 0
           && ngx_memcmp(qname->wire + qname->offset[qname->labels - 1],
                         "\007explain", 9)
              == 0;
}


/*
 * The answer that is explained is made as any other one, in the same memory;
 * then the reply becomes that to the question of class CH.
 */

ngx_dns_state_e
ngx_dns_explain_answer(ngx_dns_answer_t *a)
{
    uint8_t             ecs;
    const char         *err;
    ngx_dns_query_t    *q;
    ngx_dns_explain_t  *x;

    q = a->query;
    x = a->explainer;
    ecs = a->reply.ecs;

    if (!ngx_dns_explain_local(q)
        || (q->qtype != NGX_DNS_TYPE_TXT && q->qtype != NGX_DNS_TYPE_ANY))
    {
        a->reply.rcode = NGX_DNS_REFUSED;
        return ngx_dns_state_refused;
    }

    ngx_dns_explain_start(x);

    err = ngx_dns_explain_question(x, q, a->key);

    if (err == NULL) {
        ngx_dns_explain_run(a, x);

    } else {
        ngx_dns_explain_tell(x, "error", "%s", err);
    }

    a->query = q;
    a->zone = NULL;
    a->name = &q->qname;
    a->target = NULL;
    a->mixed = 0;

    a->reply.rcode = NGX_DNS_NOERROR;
    a->reply.ede = NGX_DNS_EDE_NONE;
    a->reply.aa = 1;
    a->reply.full = 0;
    a->reply.ecs = ecs;
    a->reply.steps = 0;
    a->reply.nitems = 0;

    ngx_dns_add_name(a, NGX_DNS_ANSWER, &x->rrs.head, 0);
    a->reply.items[0].ttl = 0;

    return ngx_dns_state_positive;
}


/* 1: the question comes from this machine */

static ngx_uint_t
ngx_dns_explain_local(const ngx_dns_query_t *q)
{
    static u_char  loopback[16] = { 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 1 };

    switch (q->client_len) {

    case 4:
        return q->client[0] == 127;

    case 16:
        return ngx_memcmp(q->client, loopback, 16) == 0;

    default:
        return 0;
    }
}


static void
ngx_dns_explain_start(ngx_dns_explain_t *x)
{
    x->zone = NULL;
    x->set = NULL;
    x->name = 0;
    x->nlines = 0;
    x->last = x->rrs.data;

    ngx_memzero(&x->rrs.head, sizeof(ngx_dns_rrset_t));
    x->rrs.head.type = NGX_DNS_TYPE_TXT;
}


/* the query to explain; NULL, or what is wrong with the question */

static const char *
ngx_dns_explain_question(ngx_dns_explain_t *x, const ngx_dns_query_t *q,
    ngx_dns_key_t *key)
{
    u_char      name[NGX_DNS_NAME_MAX], *label;
    size_t      len;
    ngx_int_t   type;
    ngx_uint_t  labels;

    labels = q->qname.labels;

    if (labels < 2) {
        return "the name has to be QNAME.QTYPE.explain.";
    }

    len = q->qname.offset[labels - 2];
    label = (u_char *) q->qname.wire + len;

    type = ngx_dns_rr_type(label + 1, label[0]);

    if (type == NGX_ERROR) {
        return "the label in front of \"explain\" is no type";
    }

    ngx_memcpy(name, q->qname.wire, len);
    name[len] = 0;

    x->query = *q;
    x->query.qtype = (uint16_t) type;
    x->query.qclass = NGX_DNS_CLASS_IN;

    ngx_dns_name_set(&x->query.qname, name, key);

    return NULL;
}


static void
ngx_dns_explain_run(ngx_dns_answer_t *a, ngx_dns_explain_t *x)
{
    void                     *data;
    ngx_dns_zone_t           *zone;
    ngx_dns_choose_trace_pt   trace;

    ngx_dns_explain_begin(x, "question");
    ngx_dns_explain_add(x, "%V ",
                        ngx_dns_explain_text(x, x->query.qname.wire));
    ngx_dns_explain_add_type(x, x->query.qtype);
    ngx_dns_explain_end(x);

    ngx_dns_explain_client(a, x);

    zone = ngx_dns_answer_locate(a->conf, &x->query);

    if (zone == NULL) {
        ngx_dns_explain_tell(x, "zone", ngx_dns_locate_ready(a->conf)
                             ? "the name is in none"
                             : "the name is in none that has come yet");

    } else {
        ngx_dns_explain_zone(a, x, zone);
    }

    trace = a->chooser.trace;
    data = a->chooser.data;

    a->explain = x;
    ngx_dns_answer_trace(a, ngx_dns_explain_step, x);

    (void) ngx_dns_answer(a, a->conf, &x->query, zone, a->transport);

    a->explain = NULL;
    ngx_dns_answer_trace(a, trace, data);

    ngx_dns_explain_reply(a, x);
}


static void
ngx_dns_explain_client(ngx_dns_answer_t *a, ngx_dns_explain_t *x)
{
    ngx_dns_query_t      *q;
    const ngx_dns_ecs_t  *client;

    q = a->query;
    client = ngx_dns_answer_client(a);

    ngx_dns_explain_begin(x, "client");
    ngx_dns_explain_add_address(x, client->address, client->len);

    if (client == &a->ecs) {
        ngx_dns_explain_add(x, "/%ui, the subnet in the query",
                            (ngx_uint_t) client->bits);

    } else if (q->ecs == NULL) {
        ngx_dns_explain_add(x, ", where the query came from: it has no "
                               "subnet");

    } else if (!a->conf->ecs) {
        ngx_dns_explain_add(x, ", where the query came from: its subnet is "
                               "ignored (dns_ecs off)");

    } else {
        ngx_dns_explain_add(x, ", where the query came from: its subnet has "
                               "the length 0");
    }

    ngx_dns_explain_end(x);

    ngx_dns_explain_places(a, x, client);
}


/* what is known of the client, and for how large a network that is so */

static void
ngx_dns_explain_places(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    const ngx_dns_ecs_t *client)
{
    double      point[3];
    uint32_t    value;
    ngx_uint_t  i, fact, bits;

    static ngx_uint_t  order[] = {
        NGX_DNS_GEO_NETWORK, NGX_DNS_GEO_ASN, NGX_DNS_GEO_COUNTRY,
        NGX_DNS_GEO_CONTINENT, NGX_DNS_GEO_POINT
    };

    ngx_dns_explain_begin(x, "places");

    if (!a->places.ready) {
        ngx_dns_explain_add(x, "databases are not there yet; ");
    }

    for (i = 0; i < NGX_DNS_GEO_FACTS; i++) {
        fact = order[i];

        ngx_dns_explain_add(x, "%s%s ", (i == 0) ? "" : ", ",
                            ngx_dns_explain_facts[fact]);

        if (a->places.geo[fact][client->len == 16] == NULL) {
            ngx_dns_explain_add(x, "(no data)");
            continue;
        }

        value = ngx_dns_places_find(&a->places, fact, client->address,
                                    client->len, &bits);

        if (value == 0) {
            ngx_dns_explain_add(x, (fact == NGX_DNS_GEO_NETWORK)
                                   ? "none" : "unknown");

        } else if (fact == NGX_DNS_GEO_POINT) {
            ngx_dns_places_point(&a->places, client->len, value, point);
            ngx_dns_explain_add_point(x, point);

        } else {
            ngx_dns_explain_add_fact(x, fact, value);
        }

        ngx_dns_explain_add(x, " in /%ui", bits);
    }

    ngx_dns_explain_end(x);
}


static void
ngx_dns_explain_reply(ngx_dns_answer_t *a, ngx_dns_explain_t *x)
{
    ngx_uint_t        i;
    ngx_dns_reply_t  *reply;

    reply = &a->reply;

    ngx_dns_explain_begin(x, "scope");

    if (reply->ecs) {
        ngx_dns_explain_add(x, "/%ui, %s", (ngx_uint_t) reply->scope,
                            (reply->scope == 0)
                            ? "the answer is the same for everybody, or the "
                              "client does not want to be located"
                            : "all that was looked at is the same in this "
                              "network around the client");

    } else {
        ngx_dns_explain_add(x, "none is told: the query has no subnet that "
                               "counts");
    }

    ngx_dns_explain_end(x);

    ngx_dns_explain_begin(x, "reply");

    if (reply->rcode <= NGX_DNS_YXDOMAIN) {
        ngx_dns_explain_add(x, "%s", ngx_dns_explain_rcodes[reply->rcode]);

    } else {
        ngx_dns_explain_add(x, "RCODE%ui", (ngx_uint_t) reply->rcode);
    }

    if (reply->aa) {
        ngx_dns_explain_add(x, ", aa");
    }

    if (reply->ede != NGX_DNS_EDE_NONE) {
        ngx_dns_explain_add(x, ", EDE %ui", (ngx_uint_t) reply->ede);
    }

    ngx_dns_explain_end(x);

    for (i = 0; i < reply->nitems; i++) {
        ngx_dns_explain_item(a, x, &reply->items[i]);
    }
}


static void
ngx_dns_explain_item(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    ngx_dns_item_t *item)
{
    u_char            name[NGX_DNS_NAME_MAX + 1], *p;
    const u_char     *owner;
    ngx_dns_rrset_t  *set;

    if (item->owner != NULL) {
        p = ngx_cpymem(name, item->owner, item->owner_len);
        ngx_memcpy(p, item->apex, ngx_dns_name_len(item->apex));
        owner = name;

    } else if (item->apex != NULL) {
        owner = item->apex;

    } else {
        owner = x->query.qname.wire + item->owner_len;
    }

    set = item->rrset;

    /* an SOA that is compressed already has a twin that is not */

    if ((set->flags & NGX_DNS_RRSET_SHORT) && a->zone != NULL
        && set == ngx_dns_zone_at(a->zone, a->zone->short_soa))
    {
        set = ngx_dns_zone_at(a->zone, a->zone->soa);
    }

    ngx_dns_explain_records(x, ngx_dns_explain_sections[item->section],
                            ngx_dns_explain_text(x, owner), item, set);
}


static void
ngx_dns_explain_records(ngx_dns_explain_t *x, const char *section,
    ngx_str_t *owner, ngx_dns_item_t *item, const ngx_dns_rrset_t *set)
{
    u_char      *rr;
    ngx_uint_t   i, n;

    rr = ngx_dns_rrset_first(set);
    n = (item->rrs != NULL) ? item->nrrs : set->nrr;

    for (i = 0; i < n; i++) {

        if (item->rrs != NULL) {
            rr = item->rrs[i];
        }

        ngx_dns_explain_begin(x, section);
        ngx_dns_explain_add(x, "%V %uD ", owner, item->ttl);
        ngx_dns_explain_add_type(x, set->type);
        ngx_dns_explain_add(x, " ");
        ngx_dns_explain_add_rdata(x, set->type, rr + 2, ngx_dns_get16(rr));
        ngx_dns_explain_end(x);

        if (item->rrs == NULL && i + 1 < n) {
            rr = ngx_dns_rrset_step(set, rr);
        }
    }
}
