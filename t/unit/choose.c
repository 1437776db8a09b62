
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Choosing among addresses: health, places, priority, order, count, scope.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_choose.h"
#include "places.h"


#define RRS     32
#define DRAWS   200000
#define CLIENT  0x0102                  /* first octets of its address */


typedef struct {
    const char   *countries;            /* "DEAT", "--" for "everybody" */
    const char   *continents;
    uint32_t      asns[3];              /* 1 stands for 0 */
    const char   *network;
    uint32_t      weight;
    ngx_uint_t    priority;
    ngx_uint_t    down;
    ngx_uint_t    turns;
} record_t;


static record_t *add(const char *countries, uint32_t asn, uint32_t weight,
    int down);
static const char *chosen(const char *country, uint32_t asn);
static void test_country(void);
static void test_asn(void);
static void test_others(void);
static void test_health(void);
static void test_turning(void);
static void test_priority(void);
static void test_location(void);
static void test_scope(void);
static void test_family(void);
static void test_position(void);
static void test_large(void);
static void test_weights(void);
static double chi2(const uint32_t *weight, ngx_uint_t n, int order, int geo,
    int down);
static void test_sticky(void);
static void test_trace(void);
static void test_other(void);


static ngx_dns_chooser_t  c;
static ngx_dns_places_t   places;
static places_t          *geo;
static places_health_t    health;

static ngx_dns_choice_t   choice;
static record_t           records[RRS];
static uint16_t           positions[RRS];
static ngx_uint_t         n;
static ngx_uint_t         v6;
static u_char             payload[8192];
static u_char            *rrs[RRS];
static u_char             client[16];

static union {
    ngx_dns_rrset_t       head;
    u_char                data[sizeof(ngx_dns_rrset_t) + RRS * 18];
} set;


int
main(void)
{
    ngx_uint_t  i;

    geo = places_create();
    tap_is_int(ngx_dns_geo_check(geo, sizeof(places_t)), NGX_OK,
               "places are sound");

    places_use(&places, geo);
    places_health_init(&health);

    c.random.s[0] = 0x9e3779b97f4a7c15ull;
    c.random.s[1] = 1;
    c.places = &places;
    c.health = &health.head;

    /* records are on a circle, the last one has no place */

    for (i = 0; i < RRS - 1; i++) {
        geo->points[i][0] = 1.0 - 0.1 * i;
        geo->points[i][1] = 0.1 * i;
        places_set(geo, NGX_DNS_GEO_POINT, 10 << 8 | i, i + 1, 16);
    }

    test_country();
    test_asn();
    test_others();
    test_health();
    test_turning();
    test_priority();
    test_location();
    test_scope();
    test_family();
    test_position();
    test_large();
    test_weights();
    test_sticky();
    test_trace();
    test_other();

    return tap_done();
}


static void
choice_begin(int count, int order, int steps, int flags)
{
    ngx_memzero(&choice, sizeof(choice));

    choice.count = count;
    choice.order = order;
    choice.steps = steps;
    choice.flags = flags;
    choice.interval = (flags & NGX_DNS_CHOICE_CHECK) ? 4000 : 0;
    n = 0;
}


static record_t *
add(const char *countries, uint32_t asn, uint32_t weight, int down)
{
    record_t  *r;

    positions[n] = n;
    r = &records[n++];

    ngx_memzero(r, sizeof(record_t));

    r->countries = countries;
    r->continents = "";
    r->asns[0] = asn;
    r->weight = weight;
    r->down = down;

    return r;
}


static u_char *
make_letters(u_char *p, const char *text, uint16_t *count)
{
    size_t  i, len;

    len = strlen(text);
    *count = (uint16_t) (len / 2);

    for (i = 0; i < len; i++) {
        p[i] = (text[i] == '-') ? 0 : text[i];
    }

    return p;
}


static u_char *
make_record(u_char *p, ngx_uint_t i)
{
    u_char                countries[16], continents[16], asns[12], network[4];
    size_t                k;
    uint32_t              id;
    record_t             *r;
    ngx_dns_choice_rr_t   attr;

    r = &records[i];

    attr.position = positions[i];
    attr.priority = (uint16_t) r->priority;
    attr.weight = r->weight;
    attr.check = (choice.flags & NGX_DNS_CHOICE_CHECK) ? 100 + i : 0;
    attr.countries = make_letters(countries, r->countries, &attr.ncountries);
    attr.continents = make_letters(continents, r->continents,
                                   &attr.ncontinents);
    attr.asns = asns;
    attr.nasns = 0;
    attr.networks = network;
    attr.nnetworks = 0;

    for (k = 0; k < 3 && r->asns[k]; k++) {
        ngx_dns_put32(asns + 4 * k, r->asns[k] == 1 ? 0 : r->asns[k]);
        attr.nasns++;
    }

    if (r->network != NULL) {
        id = ngx_dns_network_id((u_char *) r->network, strlen(r->network));
        ngx_dns_put32(network, id);
        attr.nnetworks = 1;
    }

    if (choice.flags & NGX_DNS_CHOICE_CHECK) {
        places_health(&health, attr.check,
                      r->down ? NGX_DNS_HEALTH_DOWN : NGX_DNS_HEALTH_UNKNOWN,
                      r->turns);
    }

    return ngx_dns_choice_write_rr(p, &attr);
}


/* addresses are 10.i.0.i, or 0ai::i */

static void
make(void)
{
    u_char    *p, *rr;
    size_t     i, len;

    len = v6 ? 16 : 4;

    choice.nrr = n;
    p = ngx_dns_choice_write(payload, &choice);

    ngx_memzero(&set, sizeof(set));
    set.head.type = v6 ? NGX_DNS_TYPE_AAAA : NGX_DNS_TYPE_A;
    set.head.nrr = n;
    set.head.size = n * (2 + len);
    rr = ngx_dns_rrset_first(&set.head);

    for (i = 0; i < n; i++) {
        ngx_dns_put16(rr, len);
        rr[2] = 10;
        rr[3] = (u_char) i;
        rr[1 + len] = (u_char) i;
        rr += 2 + len;

        p = make_record(p, i);
    }
}


static void
ask(const char *country, uint32_t asn)
{
    places_set(geo, NGX_DNS_GEO_COUNTRY, CLIENT, places_letters(country),
               geo->bits[NGX_DNS_GEO_COUNTRY][0][CLIENT]);
    places_set(geo, NGX_DNS_GEO_ASN, CLIENT, asn,
               geo->bits[NGX_DNS_GEO_ASN][0][CLIENT]);

    client[0] = CLIENT >> 8;
    client[1] = CLIENT & 0xff;
    c.client = client;
    c.client_len = v6 ? 16 : 4;

    (void) ngx_dns_choose(&c, &set.head, payload, rrs);
}


static ngx_uint_t
octet(ngx_uint_t i)
{
    return rrs[i][1 + (v6 ? 16 : 4)];
}


/* the last octets of the addresses, in order */

static const char *
chosen(const char *country, uint32_t asn)
{
    char        *p;
    ngx_uint_t   i;

    static char  text[256];

    make();
    ask(country, asn);

    p = text;
    *p = '\0';

    for (i = 0; i < c.n; i++) {
        p += sprintf(p, "%s%d", i ? " " : "", (int) octet(i));
    }

    return text;
}


static void
test_country(void)
{
    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 0, 0, 0);
    add("DEAT", 0, 0, 0);
    add("", 0, 0, 0);

    tap_is_str(chosen("DE", 0), "0 1", "a country that two records have");
    tap_is_str(chosen("AT", 0), "1", "one of a list");
    tap_is_str(chosen("US", 0), "2", "no record of that country");
    tap_is_str(chosen(NULL, 0), "2", "nobody knows the country");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 0, 0, 0);
    add("AT", 0, 0, 0);
    tap_is_str(chosen("US", 0), "0 1", "no record for the rest: all");

    choice.flags = NGX_DNS_CHOICE_NO_MATCH;
    tap_is_str(chosen("US", 0), "", "no_match none: nothing");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("--DE", 0, 0, 0);
    add("AT", 0, 0, 0);
    tap_is_str(chosen("US", 0), "0", "a record for one country and the rest");
    tap_is_str(chosen("DE", 0), "0", "the same for its country");
    tap_is_str(chosen("AT", 0), "1", "and for another");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, NGX_DNS_CHOICE_NO_MATCH);
    add("DE", 0, 0, 0);
    tap_is_str(chosen("DE", 0), "0", "one record, for its country alone");
    tap_is_str(chosen("US", 0), "", "and nobody else");
}


static void
test_asn(void)
{
    choice_begin(0, 0, NGX_DNS_CHOICE_ASN, 0);
    add("", 64500, 0, 0);
    add("", 1, 0, 0);
    add("", 64501, 0, 0);

    tap_is_str(chosen(NULL, 64500), "0", "an AS number");
    tap_is_str(chosen(NULL, 64502), "1", "another: the record with 0");
    tap_is_str(chosen(NULL, 0), "1", "none");

    choice_begin(0, 0, NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 64500, 0, 0);
    add("AT", 64500, 0, 0);
    add("DE", 0, 0, 0);
    add("", 0, 0, 0);

    tap_is_str(chosen("AT", 64500), "1", "asn, then country");
    tap_is_str(chosen("US", 64500), "0 1", "asn, no country of these");
    tap_is_str(chosen("DE", 64501), "2", "no asn, then country");
    tap_is_str(chosen("FR", 64501), "3", "neither");
}


static void
test_others(void)
{
    choice_begin(0, 0, NGX_DNS_CHOICE_CONTINENT, 0);
    add("", 0, 0, 0)->continents = "EU";
    add("", 0, 0, 0)->continents = "NASA";
    add("", 0, 0, 0)->continents = "--";

    places_set(geo, NGX_DNS_GEO_CONTINENT, CLIENT, places_letters("SA"), 16);
    tap_is_str(chosen("BR", 0), "1", "a continent");

    places_set(geo, NGX_DNS_GEO_CONTINENT, CLIENT, places_letters("OC"), 16);
    tap_is_str(chosen("AU", 0), "2", "another one");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY|NGX_DNS_CHOICE_CONTINENT, 0);
    add("DE", 0, 0, 0)->continents = "EU";
    add("", 0, 0, 0)->continents = "EU";
    add("", 0, 0, 0);

    places_set(geo, NGX_DNS_GEO_CONTINENT, CLIENT, places_letters("EU"), 16);
    tap_is_str(chosen("DE", 0), "0", "country comes before continent");
    tap_is_str(chosen("FR", 0), "1", "no country: the continent");

    choice_begin(0, 0, NGX_DNS_CHOICE_NETWORK|NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 0, 0, 0)->network = "office";
    add("", 0, 0, 0);
    add("DE", 0, 0, 0);

    tap_is_str(chosen("DE", 0), "2", "in no network: by country");

    places_set(geo, NGX_DNS_GEO_NETWORK, CLIENT,
               ngx_dns_network_id((u_char *) "office", 6), 24);
    tap_is_str(chosen("US", 0), "0", "in a network");
    tap_is_int(c.scope, 24, "scope of the network alone");

    places_set(geo, NGX_DNS_GEO_NETWORK, CLIENT, 0, 16);
    places_set(geo, NGX_DNS_GEO_CONTINENT, CLIENT, 0, 16);
}


static void
test_health(void)
{
    choice_begin(0, 0, 0, NGX_DNS_CHOICE_CHECK);
    add("", 0, 0, 1);
    add("", 0, 0, 0);
    add("", 0, 0, 1);
    tap_is_str(chosen(NULL, 0), "1", "one of three is alive");
    tap_is_int(c.ttl, 0xffffffff, "the TTL is not limited");
    tap_is_int(c.steps, 1 << NGX_DNS_STEP_HEALTH, "health left some out");

    records[1].down = 1;
    tap_is_str(chosen(NULL, 0), "0 1 2", "all down: all");
    tap_is_int(c.steps, 0, "nothing was left out");

    choice.flags |= NGX_DNS_CHOICE_ALL_DOWN;
    tap_is_str(chosen(NULL, 0), "", "all down: none, if so wished");

    choice.flags = 0;
    records[1].down = 0;
    tap_is_str(chosen(NULL, 0), "0 1 2", "no check: no state");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, NGX_DNS_CHOICE_CHECK);
    add("DE", 0, 0, 1);
    add("DE", 0, 0, 1);
    add("", 0, 0, 0);
    add("AT", 0, 0, 0);
    tap_is_str(chosen("DE", 0), "2", "a country is down: the next group");

    records[2].down = 1;
    tap_is_str(chosen("DE", 0), "3", "that too: whoever is alive");

    records[3].down = 1;
    tap_is_str(chosen("DE", 0), "0 1", "nobody: the country as ever");

    c.health = NULL;
    tap_is_str(chosen("DE", 0), "0 1", "no table: all are unknown");
    c.health = &health.head;
}


static void
test_turning(void)
{
    choice_begin(0, 0, 0, NGX_DNS_CHOICE_CHECK);
    add("", 0, 0, 1);
    add("", 0, 0, 0)->turns = 3;

    tap_is_str(chosen(NULL, 0), "1", "one that failed is served");
    tap_is_int(c.ttl, 12, "as long as it takes to turn it");

    records[0].turns = 2;
    tap_is_str(chosen(NULL, 0), "1", "another one is coming back");
    tap_is_int(c.ttl, 8, "the first that may turn counts");

    choice.interval = 200;
    (void) chosen(NULL, 0);
    tap_is_int(c.ttl, 1, "at least a second");

    places.ready = 0;
    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 0, 0, 0);
    add("", 0, 0, 0);
    (void) chosen("DE", 0);
    tap_is_int(c.ttl, NGX_DNS_CHOOSE_NOT_READY, "places are not known yet");

    choice.steps = 0;
    (void) chosen("DE", 0);
    tap_is_int(c.ttl, 0xffffffff, "and do not matter");
    places.ready = 1;
}


static void
test_priority(void)
{
    choice_begin(0, 0, 0, NGX_DNS_CHOICE_CHECK);
    add("", 0, 0, 0)->priority = 7;
    add("", 0, 0, 0)->priority = 1;
    add("", 0, 0, 0)->priority = 1;
    add("", 0, 0, 0)->priority = 65535;

    tap_is_str(chosen(NULL, 0), "1 2", "the first group");
    tap_is_int(c.steps, 1 << NGX_DNS_STEP_PRIORITY, "left others out");

    records[1].down = 1;
    tap_is_str(chosen(NULL, 0), "2", "as long as one of it is up");

    records[2].down = 1;
    tap_is_str(chosen(NULL, 0), "0", "the second group");

    records[0].down = 1;
    tap_is_str(chosen(NULL, 0), "3", "the last one");

    records[3].down = 1;
    tap_is_str(chosen(NULL, 0), "1 2", "all down: the first one again");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 0, 0, 0)->priority = 1;
    add("", 0, 0, 0);
    tap_is_str(chosen("DE", 0), "0", "places come before groups");
}


static void
test_location(void)
{
    choice_begin(0, 0, NGX_DNS_CHOICE_LOCATION, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);

    tap_is_str(chosen(NULL, 0), "0 1 2", "unknown client: all");
    tap_is_int(c.scope, 16, "which the answer depends on");

    geo->points[200][0] = 0.1f;
    geo->points[200][1] = 0.9f;
    places_set(geo, NGX_DNS_GEO_POINT, CLIENT, 201, 20);

    tap_is_str(chosen(NULL, 0), "2", "the nearest");
    tap_is_int(c.scope, 20, "scope of the point");

    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8 | 1, 3, 16);
    tap_is_str(chosen(NULL, 0), "1 2", "two at one place");

    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8 | 1, 0, 16);
    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8 | 2, 0, 16);
    tap_is_str(chosen(NULL, 0), "0", "those nobody can place come last");

    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8, 0, 16);
    tap_is_str(chosen(NULL, 0), "0 1 2", "nobody can place any");

    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8, 1, 16);
    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8 | 1, 2, 16);
    places_set(geo, NGX_DNS_GEO_POINT, 10 << 8 | 2, 3, 16);
    places_set(geo, NGX_DNS_GEO_POINT, CLIENT, 0, 16);
}


static void
test_scope(void)
{
    places_set(geo, NGX_DNS_GEO_COUNTRY, CLIENT, 0, 17);
    places_set(geo, NGX_DNS_GEO_ASN, CLIENT, 0, 19);

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    make();
    ask("DE", 64500);
    tap_is_int(c.scope, 0, "no record has a country: scope 0");

    records[0].countries = "DE";
    make();
    ask("DE", 64500);
    tap_is_int(c.scope, 17, "scope of the country");
    ask("US", 64500);
    tap_is_int(c.scope, 17, "also if it does not match");

    c.client_len = 0;
    (void) ngx_dns_choose(&c, &set.head, payload, rrs);
    tap_is_int(c.scope, 0, "nobody knows who asks");
    tap_is_int(c.n, 1, "who gets what is for everybody");

    choice.steps = NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY;
    records[0].asns[0] = 64500;
    make();
    ask("DE", 64501);
    tap_is_int(c.scope, 19, "none has both: scope of the AS number");

    records[1].countries = "US";
    add("", 0, 0, 0);
    make();
    ask("DE", 64501);
    tap_is_int(c.scope, 19, "the longer one");

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, NGX_DNS_CHOICE_CHECK);
    add("DE", 0, 0, 0);
    add("US", 0, 0, 1);
    make();
    ask("US", 0);
    tap_is_int(c.scope, 0, "one is left for all: scope 0");

    places.geo[NGX_DNS_GEO_COUNTRY][0] = NULL;
    records[1].down = 0;
    make();
    ask("US", 0);
    tap_is_int(c.scope, 0, "no database: scope 0");
    tap_is_int(c.n, 2, "and nothing to choose by");
    places.geo[NGX_DNS_GEO_COUNTRY][0] = &geo->head;

    places_set(geo, NGX_DNS_GEO_COUNTRY, CLIENT, 0, 16);
    places_set(geo, NGX_DNS_GEO_ASN, CLIENT, 0, 16);
}


static void
test_family(void)
{
    v6 = 1;

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("DE", 0, 0, 0);
    add("DE", 0, 0, 0);
    add("", 0, 0, 0);
    tap_is_str(chosen("DE", 0), "0 1", "IPv6, a country");
    tap_is_str(chosen("US", 0), "2", "and another");

    choice.steps = NGX_DNS_CHOICE_LOCATION;
    places_set(geo, NGX_DNS_GEO_POINT, CLIENT, 201, 40);
    tap_is_str(chosen("DE", 0), "2", "the nearest by IPv6");
    tap_is_int(c.scope, 40, "scope of its point");
    places_set(geo, NGX_DNS_GEO_POINT, CLIENT, 0, 16);

    v6 = 0;
}


static void
test_position(void)
{
    choice_begin(0, 0, 0, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    positions[0] = 3;
    positions[1] = 1;
    positions[2] = 0;
    positions[3] = 2;
    tap_is_str(chosen(NULL, 0), "2 1 3 0", "in the order as stored");

    choice.count = NGX_DNS_CHOICE_SINGLE;
    tap_is_str(chosen(NULL, 0), "2", "single: the first one");

    choice.count = 0;
    choice.order = NGX_DNS_CHOICE_WEIGHTED;
    records[3].weight = 7;
    tap_is_str(chosen(NULL, 0), "3 0 2 1", "the chosen first, rotated");
    tap_is_int(c.steps, 1 << NGX_DNS_STEP_ORDER, "one was drawn");
}


/* as many as a note can hold, the other way round */

static void
test_large(void)
{
    u_char              *p, *rr, *note;
    u_char             **sent;
    ngx_uint_t           i, wrong;
    ngx_dns_rrset_t     *all;
    ngx_dns_choice_rr_t  attr;

    note = calloc(1, 65536);
    all = calloc(1, sizeof(ngx_dns_rrset_t) + 6 * NGX_DNS_CHOOSE_MAX);
    sent = calloc(NGX_DNS_CHOOSE_MAX, sizeof(u_char *));

    choice_begin(0, 0, 0, 0);
    choice.nrr = NGX_DNS_CHOOSE_MAX - 1;
    p = ngx_dns_choice_write(note, &choice);

    all->type = NGX_DNS_TYPE_A;
    all->nrr = choice.nrr;
    all->size = 6 * choice.nrr;
    rr = ngx_dns_rrset_first(all);

    ngx_memzero(&attr, sizeof(attr));

    for (i = 0; i < choice.nrr; i++) {
        attr.position = (uint16_t) (choice.nrr - i);
        p = ngx_dns_choice_write_rr(p, &attr);

        rr = ngx_dns_put16(rr, 4);
        rr = ngx_dns_put32(rr, (uint32_t) i);
    }

    tap_is_int(ngx_dns_choose(&c, all, note, sent), NGX_OK,
               "a set of %d", (int) choice.nrr);
    tap_is_int(c.n, choice.nrr, "all are sent");

    wrong = 0;

    for (i = 0; i < c.n; i++) {
        wrong += (ngx_dns_get32(sent[i] + 2) != choice.nrr - 1 - i);
    }

    tap_is_int(wrong, 0, "in the order as stored");

    free(note);
    free(all);
    free(sent);
}


static void
test_weights(void)
{
    int  order;

    static const uint32_t  a[] = { 10, 20, 70 };
    static const uint32_t  b[] = { 0, 50, 50 };
    static const uint32_t  z[] = { 0, 0, 0 };
    static const uint32_t  big[] = { 4294967295u, 4294967295u, 4294967295u,
                                     4294967295u };
    static const uint32_t  far[] = { 1, 1000, 30 };

    /* p > 0.001: 13.8 with 2 degrees of freedom, 16.3 with 3 */

    for (order = NGX_DNS_CHOICE_WEIGHTED; order <= NGX_DNS_CHOICE_STICKY;
         order++)
    {
        if (order == NGX_DNS_CHOICE_RR) {
            continue;
        }

        tap_ok(chi2(a, 3, order, 0, 0) < 13.8,
               "order %d: weights 10, 20, 70", order);
        tap_ok(chi2(b, 3, order, 0, 0) < 13.8, "weights 0, 50, 50");
        tap_ok(chi2(z, 3, order, 0, 0) < 13.8, "all 0: any");
        tap_ok(chi2(big, 4, order, 0, 0) < 16.3,
               "a sum of more than 32 bits");
        tap_ok(chi2(far, 3, order, 0, 0) < 13.8, "weights far apart");
        tap_ok(chi2(a, 3, order, 1, 0) < 13.8, "behind a country filter");
        tap_ok(chi2(a, 3, order, 0, 1) < 13.8, "with a dead one");
    }

    tap_ok(chi2(NULL, 4, NGX_DNS_CHOICE_RR, 0, 0) < 16.3,
           "rr: each as often");
}


static double
chi2(const uint32_t *weight, ngx_uint_t k, int order, int in, int down)
{
    double      sum, want, x;
    uint32_t    i, count[RRS];

    choice_begin(NGX_DNS_CHOICE_SINGLE, order,
                 in ? NGX_DNS_CHOICE_COUNTRY : 0,
                 down ? NGX_DNS_CHOICE_CHECK : 0);

    sum = 0;

    for (i = 0; i < k; i++) {
        add("DE", 0, weight ? weight[i] : 1, 0);
        sum += records[i].weight;
    }

    if (in) {
        add("US", 0, 1000, 0);
    }

    if (down) {
        add("DE", 0, 1000, 1);
    }

    make();
    ask("DE", 0);
    ngx_memzero(count, sizeof(count));

    for (i = 0; i < DRAWS; i++) {

        /* for sticky: another network each time, the same country */

        if (order == NGX_DNS_CHOICE_STICKY) {
            ngx_dns_put32(client, i << 8);
            places_set(geo, NGX_DNS_GEO_COUNTRY, ngx_dns_get16(client),
                       places_letters("DE"), 16);
        }

        (void) ngx_dns_choose(&c, &set.head, payload, rrs);
        count[octet(0)]++;
    }

    x = 0;

    for (i = 0; i < n; i++) {
        want = (i < k) ? DRAWS * (sum ? records[i].weight / sum : 1.0 / k)
                       : 0;

        if (want == 0) {
            x += count[i] ? 1e9 : 0;
            continue;
        }

        x += (count[i] - want) * (count[i] - want) / want;
    }

    return x;
}


static void
test_sticky(void)
{
    u_char      before[4096];
    ngx_uint_t  i, moved, lost, wrong;

    choice_begin(NGX_DNS_CHOICE_SINGLE, NGX_DNS_CHOICE_STICKY, 0,
                 NGX_DNS_CHOICE_CHECK);

    for (i = 0; i < 8; i++) {
        add("", 0, 1 + i % 3, 0);
    }

    make();
    ask(NULL, 0);
    tap_is_int(c.scope, NGX_DNS_STICKY_INET, "sticky: scope /24");

    lost = 0;

    for (i = 0; i < 4096; i++) {
        ngx_dns_put32(client, (uint32_t) i << 8);
        (void) ngx_dns_choose(&c, &set.head, payload, rrs);
        before[i] = (u_char) octet(0);
        lost += (before[i] == 5);
    }

    records[5].down = 1;
    make();

    moved = 0;
    wrong = 0;

    for (i = 0; i < 4096; i++) {
        ngx_dns_put32(client, (uint32_t) i << 8 | 77);
        (void) ngx_dns_choose(&c, &set.head, payload, rrs);

        if (octet(0) != before[i]) {
            moved++;
            wrong += (before[i] != 5);
        }
    }

    tap_is_int(moved, lost, "who had an address that died has another one");
    tap_is_int(wrong, 0, "and nobody else, whichever address of the network");

    v6 = 1;
    records[5].down = 0;
    ngx_memzero(client, 16);
    client[6] = 0xab;
    client[7] = 1;
    make();
    ask(NULL, 0);
    tap_is_int(c.scope, NGX_DNS_STICKY_INET6, "IPv6: scope /56");
    i = octet(0);
    client[7] = 0xff;
    client[15] = 1;
    (void) ngx_dns_choose(&c, &set.head, payload, rrs);
    tap_is_int(octet(0), i, "and the same address in all of it");

    v6 = 0;
    choice.count = 0;
    records[2].down = 1;
    ngx_memzero(client, 16);
    make();
    ask(NULL, 0);
    tap_is_int(c.n, 7, "multi: all are sent");
    tap_is_int(octet(1), (octet(0) + 1) % 8, "in order from one's own");
}


static char        steps[256];


static void
trace(void *data, ngx_dns_chooser_t *ch, ngx_dns_choose_step_e step,
    ngx_dns_choose_kept_e kept)
{
    sprintf(steps + strlen(steps), "%d:%d:%d ", step, kept, (int) ch->n);
}


static void
test_trace(void)
{
    choice_begin(NGX_DNS_CHOICE_SINGLE, NGX_DNS_CHOICE_NONE,
                 NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY,
                 NGX_DNS_CHOICE_CHECK);
    add("DE", 64500, 0, 0);
    add("DE", 64500, 0, 1);
    add("", 64500, 0, 0);
    add("", 0, 0, 0)->priority = 1;
    add("", 0, 0, 0);

    c.trace = trace;
    (void) chosen("FR", 64501);
    c.trace = NULL;

    tap_is_str(steps, "0:0:4 2:1:2 6:0:1 7:0:1 ",
               "health 4, asn 2 by default, priority 1, order");
}


static void
test_other(void)
{
    choice_begin(0, 0, 0, 0);
    add("DE", 64500, 1, 0);
    add("", 0, 1, 0);
    make();

    set.head.nrr = 1;
    tap_is_int(ngx_dns_choose(&c, &set.head, payload, rrs), NGX_DECLINED,
               "a note about another number of records");

    set.head.nrr = 2;
    set.head.size--;
    tap_is_int(ngx_dns_choose(&c, &set.head, payload, rrs), NGX_DECLINED,
               "records that are no addresses");
}
