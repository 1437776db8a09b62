
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Choosing among addresses: health, places, order, count, weights, scope.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_choose.h"


#define RRS    32
#define DRAWS  200000


typedef struct {
    const char  *countries;             /* "DEAT", "-" for "everybody" */
    uint32_t     asns[3];               /* 1 stands for 0 */
    uint32_t     weight;
    int          down;
} record_t;


static void choice_begin(int count, int order, int geo, int flags);
static void add(const char *countries, uint32_t asn, uint32_t weight,
    int down);
static const char *chosen(const char *country, uint32_t asn);
static void test_country(void);
static void test_asn(void);
static void test_health(void);
static void test_location(void);
static void test_scope(void);
static void test_position(void);
static void test_weights(void);
static double chi2(const uint32_t *weight, ngx_uint_t n, int geo, int down);
static void test_broken(void);


static ngx_dns_chooser_t  c;
static ngx_dns_choice_t   choice;
static record_t           records[RRS];
static uint16_t           positions[RRS];
static ngx_uint_t         n;
static u_char             payload[8192];
static size_t             payload_len;

static union {
    ngx_dns_rrset_t       head;
    u_char                data[sizeof(ngx_dns_rrset_t) + RRS * 6];
} set;

static ngx_dns_place_t    where;
static ngx_uint_t         lookups;


static void
place(void *data, const u_char *address, size_t len, ngx_uint_t wanted,
    ngx_dns_place_t *p)
{
    lookups++;

    if (address == (u_char *) "client") {
        *p = where;
        return;
    }

    /* records are on a meridian, 10 degrees apart, the last has no place */

    ngx_memzero(p, sizeof(*p));

    if (address[0] == 10 && address[3] != 9) {
        p->known = NGX_DNS_PLACE_POINT;
        p->point[0] = 1.0 - 0.1 * address[3];
        p->point[1] = 0.1 * address[3];
        return;
    }

    if (address[0] != 10) {
        *p = where;
    }
}


static ngx_uint_t
health(void *data, const ngx_dns_choice_t *ch, const u_char *address,
    size_t len)
{
    return records[address[3]].down ? NGX_DNS_HEALTH_DOWN
                                    : NGX_DNS_HEALTH_UNKNOWN;
}


int
main(void)
{
    c.random.s[0] = 0x9e3779b97f4a7c15ull;
    c.random.s[1] = 1;
    c.place = place;
    c.health = health;

    test_country();
    test_asn();
    test_health();
    test_location();
    test_scope();
    test_position();
    test_weights();
    test_broken();

    return tap_done();
}


static void
choice_begin(int count, int order, int geo, int flags)
{
    ngx_memzero(&choice, sizeof(choice));

    choice.count = count;
    choice.order = order;
    choice.steps = geo;
    choice.flags = flags;
    choice.interval = (flags & NGX_DNS_CHOICE_CHECK) ? 10000 : 0;
    n = 0;
}


static void
add(const char *countries, uint32_t asn, uint32_t weight, int down)
{
    record_t  *r;

    positions[n] = n;
    r = &records[n++];
    r->countries = countries;
    r->asns[0] = asn;
    r->asns[1] = 0;
    r->weight = weight;
    r->down = down;
}


static void
make(void)
{
    u_char               *p, *rr, asns[12], countries[16];
    size_t                i, k;
    ngx_dns_choice_rr_t   attr;

    choice.nrr = n;
    p = ngx_dns_choice_write(payload, &choice);

    ngx_memzero(&set, sizeof(set));
    set.head.type = NGX_DNS_TYPE_A;
    set.head.nrr = n;
    rr = ngx_dns_rrset_first(&set.head);

    for (i = 0; i < n; i++) {
        rr = ngx_dns_put16(rr, 4);
        *rr++ = 10;
        *rr++ = 0;
        *rr++ = 0;
        *rr++ = (u_char) i;

        ngx_memzero(&attr, sizeof(attr));
        attr.position = positions[i];
        attr.check = choice.interval ? 2 + i : 0;
        attr.weight = records[i].weight;
        attr.ncountries = strlen(records[i].countries) / 2;
        attr.countries = countries;
        attr.asns = asns;

        for (k = 0; k < 2 * (size_t) attr.ncountries; k++) {
            countries[k] = records[i].countries[k] == '-'
                               ? 0 : records[i].countries[k];
        }

        for (k = 0; k < 3 && records[i].asns[k]; k++) {
            ngx_dns_put32(asns + 4 * k, records[i].asns[k] == 1
                                            ? 0 : records[i].asns[k]);
            attr.nasns++;
        }

        p = ngx_dns_choice_write_rr(p, &attr);
    }

    set.head.size = 6 * n;
    payload_len = p - payload;
}


static void
ask(const char *country, uint32_t asn)
{
    where.known = 0;

    if (country != NULL) {
        where.known |= NGX_DNS_PLACE_COUNTRY;
        ngx_memcpy(where.country, country, 2);
    }

    if (asn != 0) {
        where.known |= NGX_DNS_PLACE_ASN;
        where.asn = asn;
    }

    c.client = (u_char *) "\1\2\3\4";
    c.client_len = 4;
    c.located = 0;

    (void) ngx_dns_choose(&c, &set.head, payload, payload_len);
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
        p += sprintf(p, "%s%d", i ? " " : "", c.list[i].address[3]);
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
test_health(void)
{
    choice_begin(0, 0, 0, NGX_DNS_CHOICE_CHECK);
    add("", 0, 0, 1);
    add("", 0, 0, 0);
    add("", 0, 0, 1);
    tap_is_str(chosen(NULL, 0), "1", "one of three is alive");

    records[1].down = 1;
    tap_is_str(chosen(NULL, 0), "0 1 2", "all down: all");

    choice.flags |= NGX_DNS_CHOICE_ALL_DOWN;
    tap_is_str(chosen(NULL, 0), "", "all down: none, if so wished");

    choice.flags = 0;
    choice.interval = 0;
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
}


static void
test_location(void)
{
    choice_begin(0, 0, NGX_DNS_CHOICE_LOCATION, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);

    tap_is_str(chosen(NULL, 0), "0 1 2", "unknown client: all");

    make();
    where.known = NGX_DNS_PLACE_POINT;
    where.point[0] = 0.1;
    where.point[1] = 0.9;
    where.point_bits = 20;
    c.client = (u_char *) "\1\2\3\4";
    c.client_len = 4;
    c.located = NGX_DNS_PLACE_POINT;
    c.where = where;
    (void) ngx_dns_choose(&c, &set.head, payload, payload_len);

    tap_is_int(c.n, 1, "one is nearest");
    tap_is_int(c.list[0].address[3], 2, "the last one");
    tap_is_int(c.scope, 20, "scope of the point");
    where.point_bits = 0;
}


static void
test_scope(void)
{
    where.country_bits = 17;
    where.asn_bits = 19;

    choice_begin(0, 0, NGX_DNS_CHOICE_COUNTRY, 0);
    add("", 0, 0, 0);
    add("", 0, 0, 0);
    make();
    lookups = 0;
    ask("DE", 64500);
    tap_is_int(c.scope, 0, "no record has a country: scope 0");
    tap_is_int(lookups, 0, "and nobody is asked");

    records[0].countries = "DE";
    make();
    ask("DE", 64500);
    tap_is_int(c.scope, 17, "scope of the country");
    ask("US", 64500);
    tap_is_int(c.scope, 17, "also if it does not match");

    choice.steps = NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY;
    records[0].asns[0] = 64500;
    make();
    ask("DE", 64501);
    tap_is_int(c.scope, 19, "none has both: scope of the AS number");

    records[1].countries = "US";
    make();
    ask("DE", 64501);
    tap_is_int(c.scope, 19, "the longer one");

    where.country_bits = 0;
    where.asn_bits = 0;
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
}


static void
test_weights(void)
{
    static const uint32_t  a[] = { 10, 20, 70 };
    static const uint32_t  b[] = { 0, 50, 50 };
    static const uint32_t  z[] = { 0, 0, 0 };
    static const uint32_t  big[] = { 4294967295u, 4294967295u, 4294967295u,
                                     4294967295u };

    /* p > 0.001: 13.8 with 2 degrees of freedom, 16.3 with 3 */

    tap_ok(chi2(a, 3, 0, 0) < 13.8, "weights 10, 20, 70");
    tap_ok(chi2(b, 3, 0, 0) < 13.8, "weights 0, 50, 50");
    tap_ok(chi2(z, 3, 0, 0) < 13.8, "all 0: any");
    tap_ok(chi2(big, 4, 0, 0) < 16.3, "a sum of more than 32 bits");
    tap_ok(chi2(a, 3, 1, 0) < 13.8, "behind a country filter");
    tap_ok(chi2(a, 3, 0, 1) < 13.8, "with a dead one");
    tap_ok(chi2(NULL, 4, 0, 0) < 16.3, "rr: each as often");
}


static double
chi2(const uint32_t *weight, ngx_uint_t k, int geo, int down)
{
    double      sum, want, x;
    ngx_uint_t  i, count[RRS];

    choice_begin(NGX_DNS_CHOICE_SINGLE,
                 weight ? NGX_DNS_CHOICE_WEIGHTED : NGX_DNS_CHOICE_RR,
                 geo ? NGX_DNS_CHOICE_COUNTRY : 0,
                 down ? NGX_DNS_CHOICE_CHECK : 0);

    sum = 0;

    for (i = 0; i < k; i++) {
        add("DE", 0, weight ? weight[i] : 1, 0);
        sum += records[i].weight;
    }

    if (geo) {
        add("US", 0, 1000, 0);
    }

    if (down) {
        add("DE", 0, 1000, 1);
    }

    make();
    ngx_memzero(count, sizeof(count));

    for (i = 0; i < DRAWS; i++) {
        ask("DE", 0);
        count[c.list[0].address[3]]++;
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
test_broken(void)
{
    size_t  len;

    choice_begin(0, 0, 0, 0);
    add("DE", 64500, 1, 0);
    add("", 0, 1, 0);
    make();

    for (len = 0; len < payload_len; len++) {
        if (ngx_dns_choose(&c, &set.head, payload, len) != NGX_DECLINED) {
            break;
        }
    }

    tap_is_int(len, payload_len, "a payload that is cut is no payload");

    set.head.nrr = 1;
    tap_is_int(ngx_dns_choose(&c, &set.head, payload, payload_len),
               NGX_DECLINED, "nor one for another number of records");
}
