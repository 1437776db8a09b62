
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Pools: what is refused, that a pool gives the notes that the same JSON
 * gives, and what POOL in a zone file becomes.
 */


#include "shim.h"
#include "buildtext.h"
#include "pooltext.h"
#include "ngx_dns_master.h"


typedef struct {
    const char  *lines;
    const char  *err;                   /* "": none */
} refused_t;

typedef struct {
    const char  *lines;
    const char  *a;                     /* JSON of the set of IPv4 addresses */
    const char  *aaaa;
} same_t;

typedef struct {
    const char  *name;
    const char  *zone;
    const char  *records;               /* and what was reported */
} zone_t;


static void test_refused(const refused_t *t);
static void test_names(void);
static void test_same(const same_t *t);
static void test_note(ngx_dns_pool_set_t *set, const char *json,
    ngx_dns_pool_t *p);
static ngx_dns_rec_t *built_note(ngx_dns_records_t *rs, ngx_uint_t kind);
static void clear_checks(u_char *payload, size_t len);
static void test_ids(void);
static void test_digest(void);
static void test_drained(void);
static void test_zone(const zone_t *t);
static void test_used(void);
static void test_memory(void);
static ngx_dns_pools_t *make_pools(ngx_pool_t *pool);
static ngx_int_t read_zone(const char *zone, ngx_dns_pools_t *pools,
    u_char *used, ngx_dns_memory_t *mem);


static const refused_t  refused[] = {

    { "address 192.0.2.1;", "" },
    { "address 2001:db8::1; address ::ffff:192.0.2.1; address 0.0.0.0;", "" },
    { "", "no addresses" },
    { "choose rr;", "no addresses" },
    { "adress 192.0.2.1;",
      "\"adress\" is not known in a pool: address, choose, health_check" },

    { "address;", "\"address\" without an address" },
    { "address 192.0.2.256;", "\"192.0.2.256\" is not an address" },
    { "address 192.0.2;", "\"192.0.2\" is not an address" },
    { "address 192.0.2.1:80;", "\"192.0.2.1:80\" is not an address" },
    { "address [2001:db8::1];", "\"[2001:db8::1]\" is not an address" },
    { "address fe80::1%eth0;", "\"fe80::1%eth0\" is not an address" },
    { "address www.example.com;", "\"www.example.com\" is not an address" },
    { "address \\#;", "\"\\#\" is not an address" },
    { "address 192.0.2.1; address 2001:db8::1; address 192.0.2.1;",
      "\"192.0.2.1\" is an address of the pool already" },
    { "address 2001:db8::1; address 2001:DB8:0::1;",
      "\"2001:DB8:0::1\" is an address of the pool already" },

    { "address 192.0.2.1 weight=0 priority=65535; "
      "address 192.0.2.2 weight=4294967295;", "" },
    { "address 192.0.2.1 weight=4294967296;",
      "\"weight=4294967296\" is out of range: 0 to 4294967295" },
    { "address 192.0.2.1 weight=-1;",
      "\"weight=-1\" is out of range: 0 to 4294967295" },
    { "address 192.0.2.1 weight=;",
      "\"weight=\" is out of range: 0 to 4294967295" },
    { "address 192.0.2.1 weight=99999999999999999999999999;",
      "\"weight=99999999999999999999999999\" is out of range: 0 to "
      "4294967295" },
    { "address 192.0.2.1 priority=65536;",
      "\"priority=65536\" is out of range: 0 to 65535" },
    { "address 192.0.2.1 weight=1 weight=1;",
      "\"weight=1\" is a duplicate parameter" },
    { "address 192.0.2.1 country=DE country=AT;",
      "\"country=AT\" is a duplicate parameter" },
    { "address 192.0.2.1 wieght=1;",
      "\"wieght=1\" is not a parameter of \"address\"" },
    { "address 192.0.2.1 weight;",
      "\"weight\" is not a parameter of \"address\"" },
    { "address 192.0.2.1 192.0.2.2;",
      "\"192.0.2.2\" is not a parameter of \"address\"" },

    { "address 192.0.2.1 country=de,AT,* continent=eu asn=64500,AS64501,* "
      "network=office,*;", "" },
    { "address 192.0.2.1 country=DEU;",
      "\"DEU\" is not a code of two letters" },
    { "address 192.0.2.1 country=DE,;", "\"\" is not a code of two letters" },
    { "address 192.0.2.1 country=D1;", "\"D1\" is not a code of two letters" },
    { "address 192.0.2.1 continent=XX;",
      "\"XX\" is none of AF, AN, AS, EU, NA, OC, SA" },
    { "address 192.0.2.1 asn=4294967296;",
      "\"4294967296\" is not the number of a system" },
    { "address 192.0.2.1 asn=AS;", "\"AS\" is not the number of a system" },
    { "address 192.0.2.1 network=;", "\"\" is not the name of a network" },

    { "address 192.0.2.1; choose;", "\"choose\" without a word" },
    { "address 192.0.2.1; choose weighted; choose single;",
      "a second \"choose\"" },
    { "address 192.0.2.1; choose wighted;",
      "\"wighted\" is not a word of \"choose\"" },
    { "address 192.0.2.1; choose asn+country+location+network+continent "
      "sticky multi no_match=all;", "" },
    { "address 192.0.2.1; choose asn+city;",
      "\"asn+city\" is not a word of \"choose\"" },
    { "address 192.0.2.1; choose asn+;",
      "\"asn+\" is not a word of \"choose\"" },
    { "address 192.0.2.1; choose +asn;",
      "\"+asn\" is not a word of \"choose\"" },
    { "address 192.0.2.1; choose asn+asn;",
      "\"asn+asn\" is not a word of \"choose\"" },
    { "address 192.0.2.1; choose no_match=some;",
      "\"no_match=some\" is not a word of \"choose\"" },
    { "address 192.0.2.1; choose weighted rr;",
      "\"rr\" says again what another word of \"choose\" has said" },
    { "address 192.0.2.1; choose single single;",
      "\"single\" says again what another word of \"choose\" has said" },
    { "address 192.0.2.1; choose country asn;",
      "\"asn\" says again what another word of \"choose\" has said" },

    { "address 192.0.2.1; health_check;",
      "\"health_check\" without a protocol: http, https, tcp" },
    { "address 192.0.2.1; health_check ping;",
      "\"ping\" is none of http, https, tcp" },
    { "address 192.0.2.1; health_check http; health_check tcp port=1;",
      "a second \"health_check\"" },
    { "address 192.0.2.1; health_check https port=8443 uri=/up?x=1 "
      "timeout=800ms interval=5s up=2 down=4 host=www.example.com. "
      "status=200,204 match=ok verify=on all_down=none;", "" },
    { "address 192.0.2.1; health_check tcp;",
      "\"health_check tcp\" needs \"port=\"" },
    { "address 192.0.2.1; health_check tcp port=25 uri=/;",
      "\"uri=\" is of no use for \"health_check tcp\"" },
    { "address 192.0.2.1; health_check http verify=off;",
      "\"verify=\" is for \"health_check https\" only" },
    { "address 192.0.2.1; health_check http port=0;",
      "\"port=0\" is not a port" },
    { "address 192.0.2.1; health_check http port=65536;",
      "\"port=65536\" is not a port" },
    { "address 192.0.2.1; health_check http timeout=0;",
      "\"timeout=0\" is not a time from 1ms to 1d" },
    { "address 192.0.2.1; health_check http timeout=1x;",
      "\"timeout=1x\" is not a time from 1ms to 1d" },
    { "address 192.0.2.1; health_check http timeout=ms;",
      "\"timeout=ms\" is not a time from 1ms to 1d" },
    { "address 192.0.2.1; health_check http interval=2d;",
      "\"interval=2d\" is not a time from 100ms to 1d" },
    { "address 192.0.2.1; health_check http interval=99ms;",
      "\"interval=99ms\" is not a time from 100ms to 1d" },
    { "address 192.0.2.1; health_check http interval=100ms;", "" },
    { "address 192.0.2.1; health_check http interval=1d timeout=1m;", "" },
    { "address 192.0.2.1; health_check http up=0;",
      "\"up=0\" is out of range: 1 to 100" },
    { "address 192.0.2.1; health_check http down=101;",
      "\"down=101\" is out of range: 1 to 100" },
    { "address 192.0.2.1; health_check http uri=up;",
      "\"uri=up\" is not a URI: it begins with \"/\" and has no blanks" },
    { "address 192.0.2.1; health_check http uri=/\t;",
      "\"uri=/?\" is not a URI: it begins with \"/\" and has no blanks" },
    { "address 192.0.2.1; health_check http host=;",
      "\"host=\" is not the name of a host" },
    { "address 192.0.2.1; health_check http host=a/b;",
      "\"host=a/b\" is not the name of a host" },
    { "address 192.0.2.1; health_check http status=99;",
      "\"status=99\" is not a list of status codes from 100 to 599" },
    { "address 192.0.2.1; health_check http status=200,;",
      "\"status=200,\" is not a list of status codes from 100 to 599" },
    { "address 192.0.2.1; health_check http status=2xx;",
      "\"status=2xx\" is not a list of status codes from 100 to 599" },
    { "address 192.0.2.1; health_check http match=;",
      "\"match=\" is not a text of 1 to 1024 octets" },
    { "address 192.0.2.1; health_check https verify=yes;",
      "\"verify=yes\" is neither \"on\" nor \"off\"" },
    { "address 192.0.2.1; health_check http all_down=drop;",
      "\"all_down=drop\" is neither \"all\" nor \"none\"" },
    { "address 192.0.2.1; health_check http port=80 port=81;",
      "\"port=81\" is a duplicate parameter" },
    { "address 192.0.2.1; health_check http rise=3;",
      "\"rise=3\" is not a parameter of \"health_check\"" }
};


static const same_t  same[] = {

    { "address 192.0.2.1; address 192.0.2.2;",
      "'records':[{'ip':'192.0.2.1'},{'ip':'192.0.2.2'}]", NULL },

    { "address 192.0.2.1 weight=3; address 192.0.2.2 country=DE;"
      " choose none multi no_match=none;",
      "'filter':{'count':'multi','order':'none','no_match':'none'},"
      "'records':[{'ip':'192.0.2.1','weight':3},"
      "{'ip':'192.0.2.2','country':'DE'}]", NULL },

    { "address 192.0.2.9 weight=3; address 2001:db8::2 weight=7;"
      " address 192.0.2.1 weight=1; address 2001:db8::1;"
      " address 192.0.2.5 weight=0; choose weighted single;",
      "'filter':{'count':'single','order':'weighted'},'records':["
      "{'ip':'192.0.2.9','weight':3},{'ip':'192.0.2.1','weight':1},"
      "{'ip':'192.0.2.5','weight':0}]",
      "'filter':{'count':'single','order':'weighted'},'records':["
      "{'ip':'2001:db8::2','weight':7},{'ip':'2001:db8::1'}]" },

    { "address 192.0.2.1 country=DE,AT asn=64500 continent=EU"
      " network=Office,lab priority=1;"
      " address 192.0.2.2 country=* asn=AS64501,*; address 192.0.2.3;"
      " choose rr country+asn;",
      "'filter':{'order':'rr','geo_filter':'asn+country'},'records':["
      "{'ip':'192.0.2.1','country':['DE','AT'],'asn':64500,"
      "'continent':'EU','network':['office','lab'],'priority':1},"
      "{'ip':'192.0.2.2','country':'','asn':['AS64501',0]},"
      "{'ip':'192.0.2.3'}]", NULL },

    { "address 192.0.2.2 priority=3; address 192.0.2.1;"
      " address 192.0.2.3 priority=3;",
      "'records':[{'ip':'192.0.2.2','priority':3},{'ip':'192.0.2.1'},"
      "{'ip':'192.0.2.3','priority':3}]", NULL },

    { "address 192.0.2.2 priority=3; address 192.0.2.1 priority=3;"
      " address 2001:db8::1;",
      "'records':[{'ip':'192.0.2.2','priority':3},"
      "{'ip':'192.0.2.1','priority':3}]",
      "'records':[{'ip':'2001:db8::1'}]" },

    { "address 192.0.2.1; choose sticky location+continent+network;",
      "'filter':{'order':'sticky',"
      "'geo_filter':'network+continent+location'},"
      "'records':[{'ip':'192.0.2.1'}]", NULL },

    { "address 192.0.2.2; address 192.0.2.1;"
      " health_check http port=8080 uri=/up timeout=800ms interval=5s up=2"
      " down=4 host=h.test status=200,204 match=ok all_down=none;",
      "'health_check':{'enable':true,'protocol':'http','port':8080,"
      "'uri':'/up','timeout':800,'interval':5,'up_count':2,'down_count':-4,"
      "'host':'h.test','status':[200,204],'match':'ok','all_down':'none'},"
      "'records':[{'ip':'192.0.2.2'},{'ip':'192.0.2.1'}]", NULL },

    { "address 2001:db8::1; choose single rr;"
      " health_check https verify=on host=h.test.;",
      NULL,
      "'health_check':{'enable':true,'protocol':'https','verify':true,"
      "'host':'h.test.'},'filter':{'order':'rr','count':'single'},"
      "'records':[{'ip':'2001:db8::1'}]" },

    { "address 192.0.2.1; health_check tcp port=25 interval=1m;",
      "'health_check':{'enable':true,'protocol':'tcp','port':25,"
      "'interval':60},'records':[{'ip':'192.0.2.1'}]", NULL }
};


#define HEAD  "@ 5 SOA ns h 1 2 3 4 5\n@ 5 NS ns.other.\n"

static const zone_t  zones[] = {

    { "both types", "www 30 POOL both\n",
      "www 30 A 192.0.2.1\nwww 30 A 192.0.2.2\nwww CHOICE A\n"
      "www 30 AAAA 2001:db8::1\nwww CHOICE AAAA\n" },

    { "checked", "www POOL checked\n",
      "www 5 A 192.0.2.3\nwww CHOICE A\n" },

    { "one type, without note", "www 30 IN pool v6\n",
      "www 30 AAAA 2001:db8::6\n" },

    { "TTL of the zone", "$TTL 77\nwww Pool v6\n",
      "www 77 AAAA 2001:db8::6\n" },

    { "at the apex and at a wildcard", "@ POOL v6\n*.w POOL v6\n",
      "@ 5 AAAA 2001:db8::6\n*.w 5 AAAA 2001:db8::6\n" },

    { "generated", "$GENERATE 1-3 h$ 9 POOL v6\n",
      "h1 9 AAAA 2001:db8::6\nh2 9 AAAA 2001:db8::6\n"
      "h3 9 AAAA 2001:db8::6\n" },

    { "beside other types", "www 9 POOL v6\nwww 9 TXT x\nww 9 A 192.0.2.7\n",
      "ww 9 A 192.0.2.7\nwww 9 TXT \"x\"\nwww 9 AAAA 2001:db8::6\n" },

    { "unknown pool", "\nwww 9 POOL nobody\n",
      "error zone:4 \"nobody\" is not the name of a \"dns_pool\"\n" },

    { "case of names", "www 9 POOL V6\n",
      "error zone:3 \"V6\" is not the name of a \"dns_pool\"\n" },

    { "no name", "www 9 POOL\n", "error zone:3 no name of a pool\n" },

    { "two names", "www 9 POOL v6 both\n",
      "error zone:3 \"both\" is too much\n" },

    { "generated, unknown", "$GENERATE 1-3 h$ 9 POOL p$\n",
      "error zone:3 $GENERATE with 1: \"p1\" is not the name of a "
      "\"dns_pool\"\n" },

    { "beside A", "www 9 A 192.0.2.1\nwww 9 POOL both\n",
      "error zone:3 \"www.z.test.\" has a POOL in zone:4: no other A, AAAA "
      "or CNAME can be there\n" },

    { "beside the same address", "www 9 POOL v6\nwww 9 AAAA 2001:db8::6\n",
      "error zone:4 \"www.z.test.\" has a POOL in zone:3: no other A, AAAA "
      "or CNAME can be there\n" },

    { "beside CNAME", "www 9 POOL v6\nwww 9 CNAME x\n",
      "error zone:4 \"www.z.test.\" has a POOL in zone:3: no other A, AAAA "
      "or CNAME can be there\n" },

    { "two at a name", "www 9 POOL v6\nx 9 POOL v6\nWWW 9 POOL both\n",
      "error zone:5 a second POOL at this name, the first is in zone:3\n" },

    { "the same two times", "$GENERATE 1-2 www 9 POOL v6\n",
      "error zone:3 a second POOL at this name, the first is in zone:3\n" },

    { "outside", "www.other. 9 POOL both\n",
      "error zone:3 owner \"www.other.\" is outside the zone\n" },

    { "signed zone", "www 9 POOL v6\n"
      "@ 5 RRSIG NS 13 2 5 20300101000000 20200101000000 1 z.test. AAAA\n",
      "warn zone:3 POOL in a signed zone: its addresses have no signatures, "
      "validating resolvers refuse them\n"
      "@ 5 RRSIG NS 13 2 5 20300101000000 20200101000000 1 z.test. AAAA\n"
      "www 9 AAAA 2001:db8::6\n" }
};


static char  text[8192];
static long  maps_left;                 /* -1: map() never fails */


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        test_refused(&refused[i]);
    }

    test_names();

    for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        test_same(&same[i]);
    }

    test_ids();
    test_digest();
    test_drained();

    maps_left = -1;

    for (i = 0; i < sizeof(zones) / sizeof(zones[0]); i++) {
        test_zone(&zones[i]);
    }

    test_used();
    test_memory();

    tap_is_int(memory_blocks, 0, "all memory is given back");

    return tap_done();
}


static ngx_dns_pool_t *
make(ngx_pool_t *pool, const char *name, const char *lines, ngx_str_t *err)
{
    ngx_str_t       *s;
    ngx_dns_pool_t  *p;

    s = ngx_palloc(pool, sizeof(ngx_str_t));
    s->data = (u_char *) name;
    s->len = strlen(name);

    p = ngx_dns_pool_create(pool, s, err);

    if (p == NULL || pooltext(p, lines, strlen(lines), 10000, err) != NGX_OK) {
        return NULL;
    }

    return p;
}


static void
test_refused(const refused_t *t)
{
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *p;

    pool = shim_pool();
    err.data = buf;
    err.len = 0;

    p = make(pool, "p", t->lines, &err);

    tap_is_mem(err.data, err.len, t->err, strlen(t->err), "%s", t->lines);
    tap_is_int(p == NULL, t->err[0] != '\0', "%s refused", t->lines);

    ngx_destroy_pool(pool);
}


static void
test_names(void)
{
    size_t           i;
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *p;

    static const char  *bad[] = { "", "a b", "a/b", "\xc3\xa4",
        "123456789012345678901234567890123456789012345678901234567890abcd" };
    static const char  *good[] = { "a", "www.Example.com", "a-b_c",
        "123456789012345678901234567890123456789012345678901234567890abc" };

    pool = shim_pool();
    err.data = buf;

    for (i = 0; i < 5; i++) {
        p = make(pool, bad[i], "address 192.0.2.1;", &err);
        tap_ok(p == NULL && err.len > 0, "\"%s\" is no name", bad[i]);
    }

    for (i = 0; i < 4; i++) {
        p = make(pool, good[i], "address 192.0.2.1; health_check http;", &err);
        tap_ok(p != NULL, "\"%s\" is a name", good[i]);
        tap_is_mem(p->probe.host.data, p->probe.host.len, good[i],
                   strlen(good[i]), "and the host");
    }

    ngx_destroy_pool(pool);
}


static void
test_same(const same_t *t)
{
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *p;

    pool = shim_pool();
    err.data = buf;
    err.len = 0;

    p = make(pool, "p", t->lines, &err);

    if (tap_ok(p != NULL, "%s", t->lines)) {
        test_note(&p->sets[0], t->a, p);
        test_note(&p->sets[1], t->aaaa, p);

    } else {
        printf("# %.*s\n", (int) err.len, err.data);
    }

    ngx_destroy_pool(pool);
}


static void
test_note(ngx_dns_pool_set_t *set, const char *json, ngx_dns_pool_t *p)
{
    u_char              *q, *rdata;
    size_t               len;
    ngx_str_t            label, type, value;
    ngx_uint_t           bad;
    ngx_dns_rec_t       *note;
    ngx_dns_build_t     *b;
    ngx_dns_records_t   *rs;
    ngx_dns_reporter_t   rep;

    if (json == NULL) {
        tap_is_int(set->n, 0, "no addresses of type %d", set->type);
        return;
    }

    memset(&rep, 0, sizeof(rep));
    rep.report = build_report;
    build_messages_len = 0;
    build_messages[0] = '\0';

    value.data = (u_char *) text;
    value.len = snprintf(text, sizeof(text), "{'ttl':30,%s}", json);

    for (q = value.data; q < value.data + value.len; q++) {
        *q = (*q == '\'') ? '"' : *q;
    }

    ngx_str_set(&label, "www");
    ngx_str_set(&type, "A");

    if (set->type == NGX_DNS_TYPE_AAAA) {
        ngx_str_set(&type, "AAAA");
    }

    b = ngx_dns_build_create(build_apex, &build_conf, 1, NULL, &memory, &rep);
    (void) ngx_dns_build_label(b, &label);
    (void) ngx_dns_build_rrset(b, &label, &type, &value);
    rs = ngx_dns_build_end(b, &bad);

    tap_is_str(build_messages, "", "%s", text);

    note = built_note(rs, NGX_DNS_NOTE_CHOICE);

    if (note == NULL) {
        tap_is_int(set->choice.len, 0, "no note");

    } else {
        rdata = ngx_dns_rec_rdata(note);
        len = set->choice.len;
        q = malloc(len + 1);

        if (len != 0) {
            memcpy(q, set->choice.data, len);
        }

        clear_checks(q + NGX_DNS_NOTE_HEAD, len - NGX_DNS_NOTE_HEAD);
        clear_checks(rdata + NGX_DNS_NOTE_HEAD,
                     note->rdlen - NGX_DNS_NOTE_HEAD);

        tap_is_mem(q, len, rdata, note->rdlen, "the note is the same");
        free(q);
    }

    note = built_note(rs, NGX_DNS_NOTE_PROBE);

    if (note == NULL) {
        tap_is_int(p->payload.len, 0, "no probe");

    } else {
        tap_is_mem(p->payload.data, p->payload.len,
                   ngx_dns_rec_rdata(note) + NGX_DNS_NOTE_HEAD,
                   note->rdlen - NGX_DNS_NOTE_HEAD, "the probe is the same");
    }

    ngx_dns_build_destroy(b);
}


static ngx_dns_rec_t *
built_note(ngx_dns_records_t *rs, ngx_uint_t kind)
{
    u_char           *p, *last;
    ngx_dns_rec_t    *rec;
    ngx_dns_chunk_t  *chunk;

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        for ( /* void */ ; p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;

            if (rec->type == NGX_DNS_TYPE_NOTE
                && ngx_dns_note_kind(ngx_dns_rec_rdata(rec)) == kind)
            {
                return rec;
            }
        }
    }

    return NULL;
}


/* ids differ: one is of an owner, the other of a pool; never 0 if checked */

static void
clear_checks(u_char *payload, size_t len)
{
    u_char               *p;
    ngx_uint_t            i;
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   rr;

    if (ngx_dns_choice_read(payload, len, &choice) != NGX_OK) {
        tap_ok(0, "the note is good");
        return;
    }

    p = (u_char *) choice.rrs;

    for (i = 0; i < choice.nrr; i++) {
        tap_ok((ngx_dns_choice_rr(p, &rr), (rr.check > 1))
               == ((choice.flags & NGX_DNS_CHOICE_CHECK) != 0),
               "check of %d", (int) i);

        memset(p + 16, 0, 8);
        p = (u_char *) ngx_dns_choice_rr(p, &rr);
    }
}


static void
test_ids(void)
{
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *one, *two, *other;

    static const char  lines[] = "address 192.0.2.1; address 192.0.2.2; "
                                 "health_check http host=h;";

    pool = shim_pool();
    err.data = buf;

    one = make(pool, "one", lines, &err);
    two = make(pool, "two", lines, &err);
    other = make(pool, "one", "address 192.0.2.1; "
                 "health_check http host=h port=81;", &err);

#define check(p, i)  ((p)->sets[0].addresses[i]->rr.check)

    tap_ok(check(one, 0) != check(one, 1), "ids of two addresses");
    tap_ok(check(one, 0) != check(two, 0), "ids of two pools");
    tap_ok(check(one, 0) != check(other, 0), "ids of two checks");

    tap_is_mem(one->owner, ngx_dns_name_len(one->owner), "\4pool\3one", 10,
               "owner of the targets");

    other = make(pool, "one", lines, &err);
    tap_ok(check(one, 1) == check(other, 1), "ids stay");

    ngx_destroy_pool(pool);
}


static uint32_t
interval(ngx_dns_pool_t *p)
{
    ngx_str_t         *note;
    ngx_dns_choice_t   choice;

    note = &p->sets[0].choice;

    return (ngx_dns_choice_read(note->data + NGX_DNS_NOTE_HEAD,
                                note->len - NGX_DNS_NOTE_HEAD, &choice)
            == NGX_OK) ? choice.interval : 0;
}


static void
test_digest(void)
{
    size_t           i;
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *p, *q;

    static const char  lines[] = "address 192.0.2.1 weight=1; "
                                 "address 192.0.2.2; choose rr;";

    static const char  *others[] = {
        "address 192.0.2.1 weight=1; address 192.0.2.3; choose rr;",
        "address 192.0.2.1 weight=2; address 192.0.2.2; choose rr;",
        "address 192.0.2.2; address 192.0.2.1 weight=1; choose rr;",
        "address 192.0.2.1 weight=1; address 192.0.2.2; choose sticky;",
        "address 192.0.2.1 weight=1; address 192.0.2.2;",
        "address 192.0.2.1 weight=1; address 192.0.2.2; choose rr; "
        "health_check http;",
        "address 192.0.2.1 weight=1; address 192.0.2.2; choose rr; "
        "address 2001:db8::1;",
        "address 192.0.2.1 weight=1 country=DE; address 192.0.2.2; choose rr;"
    };

    pool = shim_pool();
    err.data = buf;

    p = make(pool, "one", lines, &err);
    q = make(pool, "one", "choose  multi rr; address 192.0.2.1 weight=1;"
             "address 192.0.2.2 weight=0;", &err);

    tap_ok(p->digest == q->digest, "digest of the same in other words");

    q = make(pool, "two", lines, &err);
    tap_ok(p->digest != q->digest, "digest of another name");

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        q = make(pool, "one", others[i], &err);
        tap_ok(q != NULL && p->digest != q->digest, "digest of %s",
               others[i]);
    }

    p = make(pool, "one", "address 192.0.2.1; health_check http;", &err);
    q = make(pool, "one", "address 192.0.2.1; health_check http up=4;", &err);
    tap_ok(p->digest != q->digest, "digest of another check");

    /* the interval may be known later only */

    q = make(pool, "one", "address 192.0.2.1; health_check http;", &err);
    tap_ok(ngx_dns_pool_end(q, 500, &err) == NGX_OK, "another interval");
    tap_ok(p->digest != q->digest, "digest of another interval");
    tap_is_int(interval(q), 500, "the interval is in the note");
    tap_is_int(interval(p), 10000, "and so is the other one");
    tap_ok(ngx_dns_pool_end(q, 10000, &err) == NGX_OK
           && p->digest == q->digest, "digest of the same interval again");

    p = make(pool, "one", "address 192.0.2.1; health_check http interval=1s;",
             &err);
    tap_ok(ngx_dns_pool_end(p, 500, &err) == NGX_OK, "another default");
    tap_is_int(interval(p), 1000, "the pool's own interval");

    ngx_destroy_pool(pool);
}


static void
test_drained(void)
{
    size_t           i;
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *p;

    static struct {
        const char  *lines;
        ngx_uint_t   drained;
        const char  *idle;
    } t[] = {
        { "address 192.0.2.1 weight=1; address 192.0.2.2; choose weighted;",
          1, "" },
        { "address 192.0.2.1 weight=1; address 192.0.2.2; choose sticky;",
          1, "" },
        { "address 192.0.2.1 weight=1; address 192.0.2.2;", 0, "weight" },
        { "address 192.0.2.1; address 192.0.2.2; choose weighted;", 0, "" },
        { "address 192.0.2.1 weight=1; address 192.0.2.2 weight=0; "
          "choose weighted;", 0, "" },
        { "address 192.0.2.1 weight=1; address 2001:db8::1; "
          "choose weighted;", 0, "" },
        { "address 192.0.2.1 weight=1 country=DE; address 192.0.2.2; "
          "choose country weighted;", 0, "" },
        { "address 192.0.2.1 weight=1; address 192.0.2.2 priority=1; "
          "choose weighted;", 0, "" },
        { "address 192.0.2.1; address 192.0.2.2 weight=1; choose rr;", 0,
          "weight" },
        { "address 192.0.2.1 country=DE; choose asn;", 0, "country" },
        { "address 192.0.2.1 country=*; choose asn;", 0, "" },
        { "address 192.0.2.1 continent=EU; choose location;", 0,
          "continent" },
        { "address 192.0.2.1 asn=1; choose country;", 0, "asn" },
        { "address 192.0.2.1 network=a; choose asn+location;", 0,
          "network" },
        { "address 192.0.2.1 asn=1 network=a country=DE continent=EU; "
          "choose asn+network+country+continent;", 0, "" }
    };

    pool = shim_pool();
    err.data = buf;

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        p = make(pool, "p", t[i].lines, &err);
        tap_is_int(p->drained, t[i].drained, "without weight: %s",
                   t[i].lines);
        tap_is_str(p->idle ? p->idle : "", t[i].idle, "without effect: %s",
                   t[i].lines);
    }

    ngx_destroy_pool(pool);
}


static ngx_dns_pools_t *
make_pools(ngx_pool_t *pool)
{
    u_char            buf[NGX_DNS_POOL_ERROR];
    ngx_str_t         err;
    ngx_dns_pools_t  *pools;

    err.data = buf;
    pools = ngx_dns_pools_create(pool);

    (void) ngx_dns_pools_add(pools, make(pool, "unused", "address 192.0.2.9;",
                                         &err));
    (void) ngx_dns_pools_add(pools, make(pool, "both",
                             "address 192.0.2.2 weight=1; address 192.0.2.1;"
                             "address 2001:db8::1; choose rr;", &err));
    (void) ngx_dns_pools_add(pools, make(pool, "v6", "address 2001:db8::6;",
                                         &err));
    (void) ngx_dns_pools_add(pools, make(pool, "checked", "address 192.0.2.3;"
                                         "health_check tcp port=1;", &err));

    return pools;
}


static void *
zone_open(void *data, ngx_str_t *name, ngx_str_t *includer, ngx_str_t *path,
    ngx_str_t *err)
{
    *path = *name;

    return data;
}


static ssize_t
zone_read(void *data, void *handle, u_char *buf, size_t size, ngx_str_t *err)
{
    size_t        n;
    const char  **p;

    p = data;
    n = ngx_min(size, strlen(*p));
    memcpy(buf, *p, n);
    *p += n;

    return n;
}


static void
zone_close(void *data, void *handle)
{
    /* void */
}


static void
zone_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *message)
{
    build_print("%s %.*s:%d %.*s\n",
                (level == NGX_DNS_REPORT_ERROR) ? "error" : "warn",
                file ? (int) file->len : 1, file ? (char *) file->data : "-",
                (int) line, (int) message->len, message->data);
}


/* what is printed of the records begins with file and line: it is cut off */

static void
print_records(ngx_dns_records_t *rs)
{
    size_t            i;
    u_char           *p, *last;
    ngx_dns_elt_t    *elts;
    ngx_dns_rec_t    *rec;
    ngx_dns_chunk_t  *chunk;

    elts = calloc(2 * rs->n + 1, sizeof(ngx_dns_elt_t));
    i = 0;

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        for ( /* void */ ; p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;
            elts[i++].rec = rec;
        }
    }

    ngx_dns_sort(elts, elts + rs->n, rs->n);

    for (i = 0; i < rs->n; i++) {
        rec = elts[i].rec;

        if (rec->type == NGX_DNS_TYPE_NOTE) {
            build_print("%.*s CHOICE %s\n", rec->owner_len - 1,
                        ngx_dns_rec_owner(rec) + 1,
                        (ngx_dns_note_covered(ngx_dns_rec_rdata(rec))
                         == NGX_DNS_TYPE_A) ? "A" : "AAAA");

        } else if (rec->type != NGX_DNS_TYPE_NS) {
            build_print_record(rec);
        }
    }

    free(elts);
}


static ngx_int_t
read_zone(const char *zone, ngx_dns_pools_t *pools, u_char *used,
    ngx_dns_memory_t *mem)
{
    size_t                  size;
    ngx_int_t               rc;
    ngx_str_t               file;
    ngx_dns_zone_t         *compiled;
    ngx_dns_files_t         files;
    ngx_dns_records_t      *rs;
    ngx_dns_reporter_t      rep;
    ngx_dns_master_conf_t   conf;

    build_out_len = 0;
    build_out[0] = '\0';

    memset(&rep, 0, sizeof(rep));
    rep.report = zone_report;

    files.open = zone_open;
    files.read = zone_read;
    files.close = zone_close;
    files.data = &zone;

    memset(&conf, 0, sizeof(conf));
    conf.files = &files;
    conf.mem = mem;
    conf.rep = &rep;
    conf.default_ttl = 3600;
    conf.max_errors = 10;
    conf.max_generate = 10000;
    conf.pools = pools;
    conf.pools_used = used;

    ngx_str_set(&file, "zone");

    rs = ngx_dns_records_create(build_apex, mem, &rep);
    if (rs == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_dns_master_read(&conf, &file, build_apex, rs);

    if (rc == NGX_OK) {
        print_records(rs);

        if (rs->n < 100) {
            rc = ngx_dns_compile(rs, &build_key, mem, &compiled, &size);
        }

        if (rs->n < 100 && rc == NGX_OK) {
            verified(compiled, &build_key);
            mem->unmap(mem->data, compiled, size);
        }
    }

    ngx_dns_records_destroy(rs);

    return rc;
}


static void
test_zone(const zone_t *t)
{
    ngx_pool_t  *pool;

    pool = shim_pool();

    snprintf(text, sizeof(text), HEAD "%s", t->zone);
    (void) read_zone(text, make_pools(pool), NULL, &memory);

    tap_is_str(build_out, t->records, "%s", t->name);

    ngx_destroy_pool(pool);
}


static void
test_used(void)
{
    u_char            used[4];
    ngx_str_t         name;
    ngx_pool_t       *pool;
    ngx_dns_pools_t  *pools;

    pool = shim_pool();
    pools = make_pools(pool);

    memset(used, 0, sizeof(used));
    (void) read_zone(HEAD "a 9 POOL both\nb 9 POOL both\n", pools, used,
                     &memory);
    tap_is_mem(used, 4, "\0\1\0\0", 4, "the pools that are used");

    (void) read_zone(HEAD "a 9 POOL both\n", NULL, NULL, &memory);
    tap_is_str(build_out, "error zone:3 \"both\" is not the name of a "
                          "\"dns_pool\"\n", "without pools");

    ngx_str_set(&name, "v6");
    tap_is_int(ngx_dns_pools_find(pools, &name)->index, 2, "found");
    tap_is_int(ngx_dns_pools_add(pools, ngx_dns_pools_find(pools, &name)),
               NGX_DECLINED, "a second one of a name");

    ngx_str_set(&name, "v");
    tap_ok(ngx_dns_pools_find(pools, &name) == NULL, "not found");

    ngx_destroy_pool(pool);
}


static void *
failing_map(void *data, size_t size)
{
    if (maps_left == 0) {
        return NULL;
    }

    maps_left -= (maps_left > 0);

    return memory_map(data, size);
}


/* more names than there is room for at first; every map() fails once */

static void
test_memory(void)
{
    long               n;
    ngx_int_t          rc;
    ngx_pool_t        *pool;
    ngx_dns_pools_t   *pools;
    ngx_dns_memory_t   mem;

    static const char  zone[] = HEAD "$GENERATE 1-1000 h$ 9 POOL both\n"
                                     "h600 9 A 192.0.2.1\n";

    pool = shim_pool();
    pools = make_pools(pool);

    mem = memory;
    mem.map = failing_map;
    rc = NGX_OK;

    for (n = 0; n < 100; n++) {
        maps_left = n;
        rc = read_zone(zone, pools, NULL, &mem);

        if (maps_left > 0) {
            break;
        }
    }

    maps_left = -1;

    tap_ok(n > 4 && n < 100, "every map() failed");
    tap_is_int(rc, NGX_ERROR, "the zone is refused");
    tap_is_str(build_out, "error zone:4 \"h600.z.test.\" has a POOL in "
                          "zone:3: no other A, AAAA or CNAME can be there\n",
               "of 1000 names the right one");

    ngx_destroy_pool(pool);
}
