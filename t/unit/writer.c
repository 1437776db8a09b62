
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Replies at the limits: room for OPT and its options, truncation, names
 * beyond the reach of pointers, and what large sets cost.
 */


#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "ngx_dns_answer_ctx.h"


#define HEAD       "@ 300 SOA ns.else. h.else. 7 2 3 4 5\n@ 300 NS ns.else.\n"


static void compile(const char *apex);
static void ask(const char *qname, ngx_uint_t qtype, ngx_uint_t edns,
    ngx_uint_t options);
static size_t skip_name(size_t at, u_char *wire);
static ngx_uint_t count(ngx_uint_t type, ngx_uint_t section);
static void test_options(void);
static void test_sigs(void);
static void test_additional(void);
static void test_far_names(void);
static void test_long_names(void);
static void test_large_set(void);
static void test_turns(void);
static void test_broken(void);
static void break_rules(const char *name, ngx_uint_t flags);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static ngx_pool_t             *pool;
static ngx_dns_zone_t         *zone;
static ngx_dns_query_t         query;
static ngx_dns_answer_t       *answer;
static ngx_dns_writer_t       *writer;
static ngx_dns_transport_t     transport;
static ngx_dns_answer_conf_t   conf;

static u_char      reply[NGX_DNS_MESSAGE_MAX];
static size_t      reply_len;
static ngx_uint_t  items;


int
main(void)
{
    pool = shim_pool();
    answer = ngx_dns_answer_create(pool, &key);
    writer = ngx_dns_writer_create(pool, &key);

    conf.max_ttl = 0xffffffff;
    transport.udp_size = 1232;

    test_options();
    test_sigs();
    test_additional();
    test_far_names();
    test_long_names();
    test_large_set();
    test_turns();
    test_broken();

    memory_unmap(NULL, zone, 0);
    ngx_destroy_pool(pool);

    return tap_done();
}


/* the zone of what was put together becomes the only one */

static void
compile(const char *apex)
{
    if (zone != NULL) {
        memory_unmap(NULL, zone, 0);
    }

    zone = zone_compile(apex, &key);

    if (zone == NULL) {
        printf("# %s", zonetext_messages);
    }

    conf.zones = ngx_dns_zones_create(pool, &zone, 1, &key);
}


#define OPT_DO    1
#define OPT_NSID  2


/* edns: the size the client writes, 0: no OPT */

static void
ask(const char *qname, ngx_uint_t qtype, ngx_uint_t edns, ngx_uint_t options)
{
    u_char           *p, *rdlen;
    size_t            size;
    ngx_str_t         s;
    const char       *err;
    ngx_dns_zone_t   *z;
    ngx_dns_reply_t  *r;

    /* the query points into it, and tests look at the query */
    static u_char     packet[1024];

    memset(packet, 0, sizeof(packet));
    packet[5] = 1;
    packet[11] = edns ? 1 : 0;

    s.data = (u_char *) qname;
    s.len = strlen(qname);

    p = packet + NGX_DNS_HEADER_SIZE;
    p += ngx_dns_name_from_text(p, &s, NULL, &err);
    p = ngx_dns_put16(p, qtype);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);

    if (edns) {
        *p++ = 0;
        p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
        p = ngx_dns_put16(p, edns);
        p = ngx_dns_put32(p, (options & OPT_DO) ? 0x8000 : 0);
        rdlen = p;
        p += 2;

        if (options & OPT_NSID) {
            p = ngx_dns_put32(p, 3 << 16);
        }

        ngx_dns_put16(rdlen, p - rdlen - 2);
    }

    /* a buffer of just the size, so that the sanitizer sees its end */

    (void) ngx_dns_query_parse(&query, packet, p - packet, 0, &key);

    z = ngx_dns_answer_locate(&conf, &query);
    r = ngx_dns_answer(answer, &conf, &query, z, &transport);
    items = r->nitems;

    size = transport.tcp ? NGX_DNS_MESSAGE_MAX
                         : ngx_max(transport.udp_size, NGX_DNS_UDP_MIN);
    p = malloc(size);

    reply_len = ngx_dns_write(writer, &query, r, &transport, p, size);

    memcpy(reply, p, reply_len);
    free(p);
}


/* puts the name at a place together; returns the place behind it */

static size_t
skip_name(size_t at, u_char *wire)
{
    size_t  n, end;

    for (end = 0; reply[at] != 0; /* void */ ) {

        if (reply[at] >= 0xc0) {
            end = end ? end : at + 2;
            at = ngx_dns_get16(reply + at) & NGX_DNS_POINTER_MAX;
            continue;
        }

        n = (size_t) reply[at] + 1;
        memcpy(wire, reply + at, n);
        wire += n;
        at += n;
    }

    *wire = 0;

    return end ? end : at + 1;
}


/* records of a type in a section; the message must be sound to its end */

static ngx_uint_t
count(ngx_uint_t type, ngx_uint_t section)
{
    u_char      name[NGX_DNS_NAME_MAX];
    size_t      at;
    ngx_uint_t  i, k, n;

    at = NGX_DNS_HEADER_SIZE + query.qname.len + 4;
    n = 0;

    for (k = 0; k < 3; k++) {
        for (i = ngx_dns_get16(reply + 6 + 2 * k); i > 0; i--) {
            at = skip_name(at, name);
            n += (ngx_dns_get16(reply + at) == type && k == section);
            at += 10 + ngx_dns_get16(reply + at + 8);
        }
    }

    return (at == reply_len) ? n : 999999;
}


#define NAME_21  "xxxxxxxxxxxxxxxxxxxxx"
#define NAME_63  NAME_21 NAME_21 NAME_21


static void
test_options(void)
{
    const char  *longest;
    static char  nsid[300];

    longest = NAME_63 "." NAME_63 "." NAME_63 "." NAME_63 ".";
    longest += 2;

    zone_add(HEAD "t 300 TXT t\n");

    compile("z.test.");

    memset(nsid, 'n', sizeof(nsid));
    transport.nsid.data = (u_char *) nsid;
    transport.nsid.len = sizeof(nsid);
    transport.udp_size = 512;

    ask("t.z.test.", NGX_DNS_TYPE_TXT, 512, OPT_NSID);
    tap_is_int(count(NGX_DNS_TYPE_TXT, 0), 1, "options: NSID and an answer");
    tap_is_int(reply[reply_len - 1], 'n', "options: NSID is there");

    /* question, OPT and NSID alone are more than 512 octets */

    ask(longest, NGX_DNS_TYPE_A, 512, OPT_NSID);
    tap_ok(reply_len <= 512, "options: %d octets", (int) reply_len);
    tap_is_int(count(NGX_DNS_TYPE_OPT, 2), 1, "options: OPT without NSID");
    tap_is_int(reply[3] & 0xf, NGX_DNS_REFUSED, "options: rcode");
    tap_is_int(ngx_dns_get16(reply + reply_len - 6), 15, "options: EDE");

    query.verdict = NGX_DNS_VERDICT_ERROR;
    query.rcode = NGX_DNS_SERVFAIL;
    query.ede = NGX_DNS_EDE_NONE;

    reply_len = ngx_dns_write(writer, &query, ngx_dns_answer(answer, &conf,
                                                   &query, zone, &transport),
                              &transport, reply, 512);
    tap_ok(reply_len <= 512 && (reply[3] & 0xf) == NGX_DNS_SERVFAIL,
           "options: an error is without the answer");

    transport.nsid.len = 0;
    transport.udp_size = 1232;
}


/* no signatures of what is not there */

static void
test_sigs(void)
{
    ngx_uint_t  i;

    zone_add(HEAD "@ 300 MX 10 a\n@ 300 MX 20 b\n");

    for (i = 0; i < 80; i++) {
        zone_add("a 300 A 192.0.2.%d\n", (int) i);
    }

    zone_add("a 300 RRSIG A 13 3 300 20300101000000 20250101000000 1 @ AA==\n"
             "b 300 A 192.0.2.1\n"
             "b 300 RRSIG A 13 3 300 20300101000000 20250101000000 1 @ AA==\n");

    compile("z.test.");
    ask("z.test.", NGX_DNS_TYPE_MX, 1232, OPT_DO);

    tap_is_int(count(NGX_DNS_TYPE_MX, 0), 2, "sigs: answer");
    tap_is_int(count(NGX_DNS_TYPE_A, 2), 1, "sigs: the smaller set fits");
    tap_is_int(count(NGX_DNS_TYPE_RRSIG, 2), 1, "sigs: its own only");
    tap_ok(!(reply[2] & 2), "sigs: no TC");
}


static void
test_additional(void)
{
    int  i;

    zone_add(HEAD);

    for (i = 0; i < 1100; i++) {
        zone_add("mx 300 MX %d h%d\nmx 300 MX %d h%d\n", i, i, i + 2000, i);
        zone_add("h%d 300 A 192.0.2.1\n", i);
        zone_add("h%d 300 AAAA 2001:db8::1\n", i);
    }

    for (i = 0; i < 80; i++) {
        zone_add("few 300 MX %d h%d\n", i, i);
    }

    for (i = 0; i < 1100; i++) {
        zone_add("sub 300 NS n%d.sub\nn%d.sub 300 A 192.0.2.1\n", i, i);
        zone_add("n%d.sub 300 AAAA 2001:db8::1\n", i);
    }

    compile("z.test.");

    ask("mx.z.test.", NGX_DNS_TYPE_MX, 1232, 0);
    tap_is_int(items, 1, "additional: not for a set that cannot fit");
    tap_ok(reply[2] & 2, "additional: TC");

    ask("few.z.test.", NGX_DNS_TYPE_MX, 1232, 0);
    tap_is_int(items, 161, "additional: for one that may");

    transport.tcp = 1;

    /* each node once, and no more than the list can hold */

    ask("mx.z.test.", NGX_DNS_TYPE_MX, 0, 0);
    tap_is_int(items, NGX_DNS_ITEMS_MAX, "additional: full list");
    tap_is_int(count(NGX_DNS_TYPE_MX, 0), 2200, "additional: answer");
    tap_ok(count(NGX_DNS_TYPE_A, 2) > 400, "additional: addresses");
    tap_is_int(reply[3] & 0xf, NGX_DNS_NOERROR, "additional: optional");

    /* glue must be there */

    ask("x.sub.z.test.", NGX_DNS_TYPE_A, 0, 0);
    tap_is_int(reply[3] & 0xf, NGX_DNS_SERVFAIL, "additional: glue");

    transport.tcp = 0;

    ask("x.sub.z.test.", NGX_DNS_TYPE_A, 0, 0);
    tap_ok(reply[2] & 2, "additional: glue, TC");
}


/* names behind octet 16383 are written, but never pointed at */

static void
test_far_names(void)
{
    int     i;
    u_char  name[NGX_DNS_NAME_MAX];
    size_t  at;

    zone_add(HEAD);

    for (i = 0; i < 900; i++) {
        zone_add("mx 300 MX 10 mx-%03d.a-rather-long-label-%03d.example.net.\n",
                 i, i / 2);
    }

    compile("z.test.");

    transport.tcp = 1;
    ask("mx.z.test.", NGX_DNS_TYPE_MX, 0, 0);
    transport.tcp = 0;

    tap_ok(reply_len > 30000, "far: %d octets", (int) reply_len);
    tap_is_int(count(NGX_DNS_TYPE_MX, 0), 900, "far: records");

    at = NGX_DNS_HEADER_SIZE + query.qname.len + 4;

    for (i = 0; i < 900; i++) {
        char  want[64];

        at = skip_name(at, name) + 10;
        at = skip_name(at + 2, name);

        snprintf(want, sizeof(want),
                 "\6mx-%03d\27a-rather-long-label-%03d\7example\3net",
                 i, i / 2);

        if (strcmp((char *) name, want) != 0) {
            break;
        }
    }

    tap_is_int(i, 900, "far: targets");
}


/* names of 255 octets and 127 labels, as question, owner and target */

static void
test_long_names(void)
{
    int   i;
    char  owner[600], *p;

    p = owner;

    for (i = 0; i < 125; i++) {
        p += sprintf(p, "%c.", 'a' + i % 3);
    }

    zone_add(HEAD "m 300 MX 10 %s\n", owner);
    zonetext_text[zonetext_text_len - 2] = ' ';
    zone_add("%s", owner);
    zonetext_text[zonetext_text_len - 1] = ' ';
    zone_add("300 MX 10 b.c.%s\n", owner + 8);
    zonetext_text[zonetext_text_len - 2] = ' ';
    zone_add("\n");

    compile("t.");

    strcpy(p, "t.");
    ask(owner, NGX_DNS_TYPE_MX, 0, 0);
    tap_is_int(query.qname.len, 253, "long: octets");
    tap_is_int(count(NGX_DNS_TYPE_MX, 0), 1, "long: answer");

    ask("m.t.", NGX_DNS_TYPE_MX, 0, 0);
    tap_is_int(count(NGX_DNS_TYPE_MX, 0), 1, "long: target");
}


/* a set that no message can hold */

static void
test_large_set(void)
{
    int  i;

    zone_add(HEAD);

    for (i = 0; i < 350; i++) {
        zone_add("big 300 TXT \"%0200d\"\n", i);
    }

    compile("z.test.");

    ask("big.z.test.", NGX_DNS_TYPE_TXT, 1232, 0);
    tap_ok(reply[2] & 2, "large: TC over UDP");
    tap_is_int(count(NGX_DNS_TYPE_TXT, 0), 0, "large: no part of it");

    transport.tcp = 1;
    ask("big.z.test.", NGX_DNS_TYPE_TXT, 1232, 0);
    transport.tcp = 0;

    tap_is_int(reply[3] & 0xf, NGX_DNS_SERVFAIL, "large: SERVFAIL over TCP");
    tap_ok(!(reply[2] & 2) && !(reply[2] & 4), "large: neither TC nor AA");
}


/* what was remembered 2^32 answers ago is not taken for new */

static void
test_turns(void)
{
    zone_add(HEAD "m 300 MX 10 a\na 300 A 192.0.2.1\n");
    compile("z.test.");

    answer->turn = 0;
    ask("m.z.test.", NGX_DNS_TYPE_MX, 0, 0);
    tap_is_int(count(NGX_DNS_TYPE_A, 2), 1, "turns: the first");

    answer->turn = 0xffffffff;
    ask("m.z.test.", NGX_DNS_TYPE_MX, 0, 0);
    tap_is_int(count(NGX_DNS_TYPE_A, 2), 1, "turns: the first again");
    tap_is_int(answer->turn, 1, "turns: begin anew");
}


/* a zone whose flags do not fit its data: SERVFAIL, nothing else */

static void
test_broken(void)
{
    zone_add(HEAD "a 300 A 192.0.2.1\n");
    compile("z.test.");

    break_rules("a.z.test.", NGX_DNS_NODE_CUT);
    break_rules("x.a.z.test.", NGX_DNS_NODE_DNAME);
    break_rules("a.z.test.", NGX_DNS_NODE_CNAME);
    break_rules("a.z.test.", NGX_DNS_NODE_OCCLUDED);
}


static void
break_rules(const char *name, ngx_uint_t flags)
{
    uint32_t        *index;
    ngx_dns_node_t  *node;

    index = ngx_dns_zone_at(zone, zone->index);
    node = ngx_dns_zone_at(zone, index[1]);
    node->flags = (uint16_t) flags;

    ask(name, NGX_DNS_TYPE_TXT, 1232, 0);

    tap_is_int(reply[3] & 0xf, NGX_DNS_SERVFAIL, "broken: flags %d",
               (int) flags);
    tap_ok(!(reply[2] & 4) && items == 0, "broken: neither AA nor data");
    tap_is_int(ngx_dns_get16(reply + reply_len - 2),
               NGX_DNS_EDE_INVALID_DATA, "broken: EDE");
}
