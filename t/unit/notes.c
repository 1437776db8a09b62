
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Notes in compiled zones: where they lie, what they change, what a zone with
 * notes of its own may be like; the payload that says how to choose.
 */


#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "ngx_dns_choice.h"
#include "ngx_dns_probe.h"
#include "ngx_dns_store.h"


#define HEAD  "@ 300 SOA ns.else. h.else. 7 2 3 4 5\n@ 300 NS ns.else.\n"
#define SIG   "13 3 300 20360101000000 20260101000000 1 z.test. AA=="


static ngx_dns_node_t *node_of(ngx_dns_zone_t *zone, const char *s);
static void test_head(void);
static void test_sets(void);
static void is_weight(u_char *rr, uint32_t weight);
static void test_probe(void);
static void test_probes(void);
static void test_id(void);
static void test_names(void);
static void test_failed(void);
static void test_random(void);
static void test_live(void);
static void live(const char *name, const char *lines, ngx_uint_t refused);
static void test_many(void);
static void test_master(void);
static void test_short(void);
static void test_choice(void);
static size_t a_choice(u_char *p);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };


int
main(void)
{
    test_head();
    test_sets();
    test_names();
    test_failed();
    test_random();
    test_live();
    test_many();
    test_master();
    test_short();
    test_choice();
    test_probe();
    test_probes();
    test_id();

    tap_is_int(memory_blocks, 0, "all memory is given back");

    return tap_done();
}


static ngx_dns_node_t *
node_of(ngx_dns_zone_t *zone, const char *s)
{
    u_char            wire[NGX_DNS_NAME_MAX];
    ngx_str_t         str;
    const char       *err;
    ngx_dns_name_t    name;
    ngx_dns_lookup_t  res;

    str.data = (u_char *) s;
    str.len = strlen(s);

    (void) ngx_dns_name_from_text(wire, &str, zone->name, &err);
    ngx_dns_name_set(&name, wire, &key);
    (void) ngx_dns_zone_find(zone, &name, &res);

    return res.node;
}


static void
test_head(void)
{
    ngx_dns_zone_t  *zone;

    zone_add(HEAD ";! @ zone flatten climb unsignable "
             "digest=0x1122334455667788\n"
             ";! a zone flatten digest=1\n"
             ";! a name\n;! a failed\n;! @ key 1 text\n");

    zone = zone_compile("z.test.", &key);

    tap_is_int(zone->flags, NGX_DNS_ZONE_FLATTEN|NGX_DNS_ZONE_CAA_CLIMB
                            |NGX_DNS_ZONE_DNSSEC|NGX_DNS_ZONE_UNSIGNABLE
                            |NGX_DNS_ZONE_LIVE, "head: flags");
    tap_ok(zone->digest == 0x1122334455667788ULL, "head: digest");
    tap_is_int(zone->nrecords, 2, "head: notes are no records");
    tap_is_int(zone->nnodes, 2, "head: nodes");

    memory_unmap(NULL, zone, 0);

    zone_add(HEAD ";! a zone flatten digest=1\n");
    zone = zone_compile("z.test.", &key);
    tap_is_int(zone->flags, 0, "head: no flags from below the apex");
    tap_is_int(zone->digest, 0, "head: no digest from below the apex");
    memory_unmap(NULL, zone, 0);
}


/* each with and without signatures and a set behind it */

static void
test_sets(void)
{
    u_char           *rr;
    ngx_uint_t        i, k;
    ngx_dns_node_t   *node;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set, *notes;

    static const uint16_t  types[] = { NGX_DNS_TYPE_A, NGX_DNS_TYPE_TXT,
                                       NGX_DNS_TYPE_AAAA, 65280 };

    zone_add(HEAD
             ";! a choice TYPE65280 1 4\n"
             ";! a choice A 2 7\n;! a choice A 2 7\n;! a choice A 2 8\n"
             ";! a choice AAAA 1 3\n;! a choice MX 0 9\n"
             ";! a choice A 1 7\n;! a choice A 3 7\n;! a choice TXT 0 1\n"
             "a 300 RRSIG A " SIG "\na 300 RRSIG AAAA " SIG "\n"
             "a 300 A 192.0.2.9\na 300 A 192.0.2.1\na 300 TXT two\n"
             "a 300 AAAA 2001:db8::1\na 300 TYPE65280 \\# 1 00\n");

    zone = zone_compile("z.test.", &key);
    node = node_of(zone, "a");

    tap_is_int(zone->nrecords, 9, "sets: records");
    tap_is_int(node->nsets, 4, "sets: number");
    tap_is_int(node->flags, 0, "sets: flags of the node");
    tap_ok(ngx_dns_node_notes(node) == NULL, "sets: none about the name");

    set = ngx_dns_node_sets(node);

    for (i = 0; i < 4; i++, set = ngx_dns_rrset_next(set)) {
        tap_is_int(set->type, types[i], "sets: type of %d", (int) i);
        tap_ok(set == ngx_dns_node_rrset(node, types[i]),
               "sets: %d is found", (int) i);

        notes = ngx_dns_rrset_notes(set);
        k = (i == 0) ? 2 : (i == 1) ? 0 : 1;
        tap_is_int(notes ? notes->nrr : 0, k, "sets: notes of %d", (int) i);

        tap_ok((ngx_dns_rrset_sigs(set) != NULL) == (i == 0 || i == 2),
               "sets: signatures of %d", (int) i);
    }

    tap_ok(ngx_dns_node_rrset(node, NGX_DNS_TYPE_NOTE) == NULL,
           "sets: notes are not found as a type");

    notes = ngx_dns_rrset_notes(ngx_dns_node_rrset(node, NGX_DNS_TYPE_A));
    tap_is_int(notes->type, NGX_DNS_TYPE_NOTE, "sets: type of notes");

    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_CHOICE);
    tap_is_int(ngx_dns_note_covered(rr + 2), NGX_DNS_TYPE_A, "sets: covered");
    is_weight(rr, 7);
    is_weight(ngx_dns_rrset_step(notes, rr), 8);
    tap_ok(ngx_dns_notes_find(notes, NGX_DNS_NOTE_KEY) == NULL,
           "sets: a note that is not there");

    memory_unmap(NULL, zone, 0);
}


static void
is_weight(u_char *rr, uint32_t weight)
{
    size_t                n;
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   first;

    n = ngx_dns_get16(rr);
    rr += 2 + NGX_DNS_NOTE_HEAD;

    if (tap_is_int(ngx_dns_choice_read(rr, n - NGX_DNS_NOTE_HEAD, &choice),
                   NGX_OK, "choice %u", weight))
    {
        (void) ngx_dns_choice_rr(choice.rrs, &first);
        tap_is_int(first.weight, weight, "choice %u: the weight", weight);
    }
}


static void
test_names(void)
{
    u_char           *rr;
    ngx_dns_node_t   *node;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *notes;

    zone_add(HEAD ";! @ key 3 ksk\n;! @ key 0 zsk\n;! @ aname 60 a\n"
             ";! @ zone digest=1\n;! @ name\n"
             "@ 300 RRSIG TYPE65535 " SIG "\n"
             "a 300 A 192.0.2.1\n;! b.ent name\n;! c name\n"
             "c 300 A 192.0.2.2\n;! d aname - a\n;! *.w name\n"
             ";! 2t7b4g4vsa5smi47k61mv5bv1a22bojr name\n"
             "2t7b4g4vsa5smi47k61mv5bv1a22bojr 300 NSEC3 1 0 0 - "
             "2vptu5timamqttgl4luu9kg21e0aor3s A\n");

    zone = zone_compile("z.test.", &key);
    node = ngx_dns_zone_at(zone, zone->apex);

    tap_is_int(node->flags, NGX_DNS_NODE_APEX|NGX_DNS_NODE_ANAME
                            |NGX_DNS_NODE_NOTED, "names: flags of the apex");
    tap_is_int(node->nsets, 2, "names: sets of the apex");

    notes = ngx_dns_node_notes(node);
    tap_is_int(notes->nrr, 3, "names: notes of the apex");

    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_ANAME);
    tap_is_mem(rr, 18, "\000\x11\000\000\003\000\000\000\074\001a\001z\004test",
               18, "names: an ANAME");

    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_KEY);
    tap_is_mem(rr, 9, "\000\007\000\000\005\000zsk", 9, "names: a key");
    tap_ok(ngx_dns_notes_find(notes, NGX_DNS_NOTE_ZONE) == NULL,
           "names: what the head says is no note");

    node = node_of(zone, "b.ent");
    tap_ok(node != NULL && node->nsets == 0 && node->flags == 0,
           "names: a name without records");
    tap_ok(node_of(zone, "ent") != NULL, "names: a name between");
    tap_is_int(node_of(zone, "c")->flags, 0, "names: a name with records");
    tap_is_int(node_of(zone, "d")->flags,
               NGX_DNS_NODE_ANAME|NGX_DNS_NODE_NOTED, "names: only an ANAME");
    tap_ok(node_of(zone, "2t7b4g4vsa5smi47k61mv5bv1a22bojr") == NULL,
           "names: the owner of NSEC3 is none");
    tap_is_int(node_of(zone, "w")->flags, NGX_DNS_NODE_HAS_WILDCARD,
               "names: a wildcard");

    memory_unmap(NULL, zone, 0);
}


static void
test_failed(void)
{
    ngx_dns_zone_t   *zone;
    ngx_dns_node_t   *node;
    ngx_dns_rrset_t  *set;

    zone_add(HEAD
             ";! @ zone digest=1\n;! @ failed\n;! @ failed SOA\n"
             "@ 300 A 192.0.2.1\n;! @ key 1 k\n"
             "a 300 A 192.0.2.1\na 300 A 192.0.2.2\na 300 MX 10 a\n"
             "a 300 RRSIG A " SIG "\na 300 RRSIG MX " SIG "\n"
             ";! a failed A\n;! a failed A\n;! a choice A 2 1\n"
             ";! a failed TYPE65280\n;! a failed TXT\n"
             "b 300 NS ns.b\nns.b 300 A 192.0.2.3\n;! b failed NS\n"
             "c 300 A 192.0.2.4\n;! c failed CNAME\n;! c aname - a\n"
             "d 300 NS a\n;! d failed\n;! e failed NSEC\n"
             ";! f failed RRSIG\n;! f failed TYPE65535\n;! f failed OPT\n"
             ";! f failed ANY\n");

    zone = zone_compile("z.test.", &key);

    node = ngx_dns_zone_at(zone, zone->apex);
    tap_is_int(node->flags, NGX_DNS_NODE_APEX|NGX_DNS_NODE_FAILED
                            |NGX_DNS_NODE_NOTED, "failed: the apex");
    tap_is_int(node->nsets, 1, "failed: the apex has its SOA");
    set = ngx_dns_node_rrset(node, NGX_DNS_TYPE_SOA);
    tap_ok(set != NULL && set->nrr == 1 && set->flags == NGX_DNS_RRSET_NAMES,
           "failed: the SOA is good");
    tap_is_int(zone->serial, 7, "failed: the serial is known");

    node = node_of(zone, "a");
    tap_is_int(node->nsets, 4, "failed: sets");
    set = ngx_dns_node_sets(node);
    tap_ok(set->type == NGX_DNS_TYPE_A && set->nrr == 0 && set->size == 0
           && set->flags == NGX_DNS_RRSET_FAILED, "failed: A");
    set = ngx_dns_rrset_next(set);
    tap_ok(set->type == NGX_DNS_TYPE_MX && set->nrr == 1
           && ngx_dns_rrset_sigs(set) != NULL, "failed: MX beside is good");
    set = ngx_dns_rrset_next(set);
    tap_ok(set->type == NGX_DNS_TYPE_TXT && set->nrr == 0
           && set->flags == NGX_DNS_RRSET_FAILED, "failed: TXT");
    set = ngx_dns_rrset_next(set);
    tap_ok(set->type == 65280 && set->nrr == 0
           && set->flags == NGX_DNS_RRSET_FAILED, "failed: another type");

    node = node_of(zone, "b");
    tap_is_int(node->flags, NGX_DNS_NODE_CUT, "failed: it stays a cut");
    tap_is_int(node_of(zone, "ns.b")->flags, NGX_DNS_NODE_OCCLUDED,
               "failed: and hides what is below");

    node = node_of(zone, "c");
    tap_is_int(node->flags & NGX_DNS_NODE_FAILED, NGX_DNS_NODE_FAILED,
               "failed: CNAME is all types");
    tap_is_int(node->nsets, 0, "failed: no sets beside");

    node = node_of(zone, "d");
    tap_is_int(node->flags, NGX_DNS_NODE_FAILED|NGX_DNS_NODE_CUT,
               "failed: a cut as a whole");
    tap_is_int(node->nsets, 0, "failed: a cut without sets");

    node = node_of(zone, "f");
    tap_ok(node != NULL && node->nsets == 0 && node->flags == 0,
           "failed: types that no zone has");

    tap_is_int(zone->nrecords, 4, "failed: records that are left");

    memory_unmap(NULL, zone, 0);
}


/*
 * Whatever notes there are: the sets of a node and its notes end where the
 * next node begins, and each type of a record is found.
 */

static void
test_random(void)
{
    int               i, k, n;
    uint32_t         *index;
    ngx_uint_t        good, all, left;
    ngx_dns_node_t   *node;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set;

    static const char  *lines[] = {
        "n%d 300 A 192.0.2.%d\n", "n%d 300 TXT t%d\n",
        "n%d 300 MX %d n1\n", "n%d 300 RRSIG A " SIG "\n",
        "n%d 300 RRSIG TXT " SIG "\n", ";! n%d failed A\n",
        ";! n%d choice A 1 %d\n", ";! n%d choice TXT 1 %d\n",
        ";! n%d failed MX\n", ";! n%d aname %d n1\n", ";! n%d key 1 k%d\n",
        ";! n%d name\n", ";! n%d failed\n", ";! n%d failed NS\n",
        ";! n%d failed TYPE46\n", ";! n%d choice MX 1 %d\n",
        ";! n%d probe A /%d\n", ";! n%d probe TXT /%d\n"
    };

    for (n = 0; n < 200; n++) {
        zone_add(HEAD ";! @ zone digest=1\n");

        for (i = 0; i < 60; i++) {
            k = (int) shim_pick(18);
            zone_add(lines[k], (int) shim_pick(12), (int) shim_pick(5));
        }

        zone = zone_compile("z.test.", &key);
        index = ngx_dns_zone_at(zone, zone->index);
        good = 0;
        all = 0;

        for (i = 0; i + 1 < (int) zone->nnodes; i++) {
            node = ngx_dns_zone_at(zone, index[i]);
            set = ngx_dns_node_sets(node);

            for (left = node->nsets; left > 0; left--) {
                good += (ngx_dns_node_rrset(node, set->type) == set);
                good += (set->nrr != 0) != !!(set->flags
                                              & NGX_DNS_RRSET_FAILED);
                all += 2;
                set = ngx_dns_rrset_next(set);
            }

            if (node->flags & NGX_DNS_NODE_NOTED) {
                good += (ngx_dns_node_notes(node) == set);
                all++;
                set = ngx_dns_rrset_next(set);
            }

            good += ((void *) set == ngx_dns_zone_at(zone, index[i + 1]));
            all++;
        }

        if (good != all) {
            break;
        }

        memory_unmap(NULL, zone, 0);
    }

    tap_is_int(n, 200, "random: all zones are sound");
}


static void
test_live(void)
{
    live("CNAME and A", "a 300 CNAME b\na 300 A 192.0.2.1\n", 1);
    live("CNAME at the apex", "@ 300 CNAME b\n", 1);
    live("data below a DNAME", "a 300 DNAME b\nx.a 300 A 192.0.2.1\n", 1);
    live("DNAME and NS", "a 300 DNAME b\na 300 NS b\n", 1);
    live("NS at a wildcard", "*.a 300 NS b\n", 1);
    live("two CNAMEs", "a 300 CNAME b\na 300 CNAME c\n", 1);
    live("SOA below the apex", "a 300 SOA ns h 1 2 3 4 5\n", 1);
    live("dear NSEC3", "@ 300 NSEC3PARAM 1 0 151 -\n", 1);
    live("no glue", "a 300 NS ns.a\n", 0);
    live("two TTLs", "a 300 A 192.0.2.1\na 30 A 192.0.2.2\n", 0);

    /* no NS at the apex */

    zone_add("@ 300 SOA ns h 1 2 3 4 5\n");
    tap_ok(zone_compile("z.test.", &key) == NULL, "live: file without NS");
    live("no NS", "", 0);
}


/* lines that cost a file its zone, or just a warning */

static void
live(const char *name, const char *lines, ngx_uint_t refused)
{
    ngx_dns_zone_t  *zone;

    zone_add(HEAD "%s", lines);
    zone = zone_compile("z.test.", &key);
    tap_ok((zone == NULL) == refused, "live: file with %s", name);

    if (zone != NULL) {
        memory_unmap(NULL, zone, 0);
    }

    zone_add("@ 300 SOA ns.else. h.else. 7 2 3 4 5\n;! @ zone digest=1\n%s",
             lines);
    zone = zone_compile("z.test.", &key);

    if (tap_ok(zone != NULL, "live: served in spite of %s",
               name)) {
        tap_is_int(strncmp(zonetext_messages, "warn", 4) == 0, refused,
                   "live: a warning for %s", name);
        tap_ok(ngx_dns_zone_nsec3param(zone) == NULL, "live: %s is not used",
               name);
        memory_unmap(NULL, zone, 0);
    }
}


/* more than a set can hold, with links that must not be set then */

static void
test_many(void)
{
    int               i;
    ngx_dns_zone_t   *zone;
    ngx_dns_rrset_t  *set;

    zone_add("@ 300 SOA ns h 1 2 3 4 5\n;! @ zone digest=1\n"
             "b 300 MX 1 c\nc 300 A 192.0.2.1\n");

    for (i = 0; i < 65536; i++) {
        zone_add("a 300 MX %d c\na 300 MX %d b\n", i, i);
    }

    zone = zone_compile("z.test.", &key);
    set = ngx_dns_node_rrset(node_of(zone, "a"), NGX_DNS_TYPE_MX);

    tap_is_int(set->flags, NGX_DNS_RRSET_FAILED, "many: the set failed");
    tap_is_int(set->nrr, 0, "many: and holds nothing");

    set = ngx_dns_node_rrset(node_of(zone, "b"), NGX_DNS_TYPE_MX);
    tap_ok(ngx_dns_zone_at(zone, ngx_dns_rrset_link(set,
                                                  ngx_dns_rrset_first(set)))
           == node_of(zone, "c"), "many: the next one is linked");

    memory_unmap(NULL, zone, 0);
}


static void
test_master(void)
{
    zone_add(HEAD "a 300 TYPE65535 \\# 3 000000\n");
    tap_ok(zone_compile("z.test.", &key) == NULL
           && strstr(zonetext_messages, "\"TYPE65535\" is a type of queries"),
           "no note in a master file: %s", zonetext_messages);
}


static void
test_short(void)
{
    ngx_dns_record_t     r;
    ngx_dns_records_t   *rs;
    ngx_dns_reporter_t   rep;

    static u_char  apex[] = "\001z\004test";

    memset(&rep, 0, sizeof(rep));
    memset(&r, 0, sizeof(r));

    rs = ngx_dns_records_create(apex, &memory, &rep);

    r.owner = apex;
    r.owner_len = sizeof(apex);
    r.type = NGX_DNS_TYPE_NOTE;
    r.rdata = apex;
    r.rdlen = 2;

    tap_is_int(ngx_dns_records_add(rs, &r), NGX_DECLINED,
               "a note shorter than its head");

    r.rdlen = 3;
    tap_is_int(ngx_dns_records_add(rs, &r), NGX_OK, "a note");

    ngx_dns_records_destroy(rs);
}


static size_t
a_choice(u_char *p)
{
    u_char               *start;
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   rr;

    memset(&choice, 0, sizeof(choice));
    memset(&rr, 0, sizeof(rr));
    start = p;

    choice.count = NGX_DNS_CHOICE_SINGLE;
    choice.order = NGX_DNS_CHOICE_STICKY;
    choice.steps = NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY;
    choice.flags = NGX_DNS_CHOICE_CHECK;
    choice.interval = 100000;
    choice.nrr = 2;

    p = ngx_dns_choice_write(p, &choice);

    rr.position = 1;
    rr.priority = 65535;
    rr.weight = 4000000000u;
    rr.check = 0x1122334455667788ULL;
    rr.ncountries = 2;
    rr.countries = (u_char *) "DE\0";
    rr.ncontinents = 1;
    rr.continents = (u_char *) "EU";
    rr.nasns = 1;
    rr.asns = (u_char *) "\000\000\373\364";
    rr.nnetworks = 2;
    rr.networks = (u_char *) "\001\002\003\004\000\000\000";
    p = ngx_dns_choice_write_rr(p, &rr);

    if (ngx_dns_choice_rr_size(&rr) != (size_t) (p - start)
                                       - NGX_DNS_CHOICE_HEAD)
    {
        return 0;
    }

    memset(&rr, 0, sizeof(rr));
    rr.check = 2;
    p = ngx_dns_choice_write_rr(p, &rr);

    return p - start;
}


static void
test_choice(void)
{
    u_char               *buf, *part;
    size_t                n, len;
    ngx_uint_t            good;
    const u_char         *p;
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   rr;

    buf = malloc(1024);
    len = a_choice(buf);

    tap_is_int(ngx_dns_choice_read(buf, len, &choice), NGX_OK, "choice: read");
    tap_ok(choice.count == NGX_DNS_CHOICE_SINGLE
           && choice.order == NGX_DNS_CHOICE_STICKY
           && choice.steps == (NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY)
           && choice.flags == NGX_DNS_CHOICE_CHECK, "choice: how");
    tap_is_int(choice.interval, 100000, "choice: interval");
    tap_is_int(choice.nrr, 2, "choice: RRs");

    p = ngx_dns_choice_rr(choice.rrs, &rr);
    tap_ok(rr.position == 1 && rr.weight == 4000000000u
           && rr.priority == 65535 && rr.check == 0x1122334455667788ULL,
           "choice: first RR");
    tap_is_mem(rr.countries, 2 * rr.ncountries, "DE\0", 4,
               "choice: countries");
    tap_is_mem(rr.continents, 2 * rr.ncontinents, "EU", 2,
               "choice: continents");
    tap_is_mem(rr.asns, 4 * rr.nasns, "\000\000\373\364", 4, "choice: asns");
    tap_is_mem(rr.networks, 4 * rr.nnetworks,
               "\001\002\003\004\000\000\000\000", 8, "choice: networks");

    p = ngx_dns_choice_rr(p, &rr);
    tap_ok(rr.position == 0 && rr.weight == 0 && rr.priority == 0
           && rr.check == 2 && rr.ncountries == 0 && rr.ncontinents == 0
           && rr.nasns == 0 && rr.nnetworks == 0 && p == buf + len,
           "choice: last RR");

    good = 0;

    for (n = 0; n < len; n++) {
        part = malloc(n + 1);
        memcpy(part, buf, n);
        good += (ngx_dns_choice_read(part, n, &choice) == NGX_DECLINED);
        free(part);
    }

    tap_is_int(good, len, "choice: no part of it is read");

    tap_is_int(ngx_dns_choice_read(buf, len + 1, &choice), NGX_DECLINED,
               "choice: octets left");

    for (n = 0; n < 6; n++) {
        buf[n] += 40;
        tap_is_int(ngx_dns_choice_read(buf, len, &choice), NGX_DECLINED,
                   "choice: octet %d is wrong", (int) n);
        buf[n] -= 40;
    }

    buf[4] = 0;
    tap_is_int(ngx_dns_choice_read(buf, len, &choice), NGX_DECLINED,
               "choice: an interval without checks");
    ngx_dns_put32(buf + 8, 0);
    tap_is_int(ngx_dns_choice_read(buf, len, &choice), NGX_DECLINED,
               "choice: targets without checks");
    buf[4] = NGX_DNS_CHOICE_CHECK;
    tap_is_int(ngx_dns_choice_read(buf, len, &choice), NGX_DECLINED,
               "choice: checks without an interval");
    ngx_dns_put32(buf + 8, 1);
    buf[len - 1] = 1;
    tap_is_int(ngx_dns_choice_read(buf, len, &choice), NGX_DECLINED,
               "choice: an id that no target has");

    free(buf);
}


static void
a_probe(ngx_dns_probe_t *probe)
{
    memset(probe, 0, sizeof(ngx_dns_probe_t));

    probe->protocol = NGX_DNS_PROBE_HTTPS;
    probe->flags = NGX_DNS_PROBE_VERIFY;
    probe->port = 8443;
    probe->up_count = 2;
    probe->down_count = 65535;
    probe->timeout = 4000000000u;
    probe->interval = 5;
    ngx_str_set(&probe->host, "www.example.com");
    ngx_str_set(&probe->uri, "/up?a=b");
    ngx_str_set(&probe->match, "all is well\r\n");
    ngx_str_set(&probe->status, "\000\310\001\220");
}


static void
test_probe(void)
{
    u_char           *buf, *part;
    size_t            n, len;
    ngx_uint_t        good;
    ngx_dns_probe_t   probe, in;

    a_probe(&in);
    buf = malloc(1024);
    len = ngx_dns_probe_write(buf, &in) - buf;

    tap_is_int(len, ngx_dns_probe_size(&in), "probe: size");
    tap_is_int(ngx_dns_probe_read(buf, len, &probe), NGX_OK, "probe: read");
    tap_ok(probe.protocol == NGX_DNS_PROBE_HTTPS && probe.port == 8443
           && probe.flags == NGX_DNS_PROBE_VERIFY && probe.up_count == 2
           && probe.down_count == 65535 && probe.timeout == 4000000000u
           && probe.interval == 5, "probe: numbers");
    tap_is_mem(probe.host.data, probe.host.len, "www.example.com", 15,
               "probe: host");
    tap_is_mem(probe.uri.data, probe.uri.len, "/up?a=b", 7, "probe: uri");
    tap_is_mem(probe.match.data, probe.match.len, "all is well\r\n", 13,
               "probe: match");
    tap_is_mem(probe.status.data, probe.status.len, "\000\310\001\220", 4,
               "probe: status");

    good = 0;

    for (n = 0; n < len; n++) {
        part = malloc(n + 1);
        memcpy(part, buf, n);
        good += (ngx_dns_probe_read(part, n, &probe) == NGX_DECLINED);
        free(part);
    }

    tap_is_int(good, len, "probe: no part of it is read");
    tap_is_int(ngx_dns_probe_read(buf, len + 1, &probe), NGX_DECLINED,
               "probe: octets left");

    for (n = 0; n < 4; n++) {
        buf[n] += 40;
        tap_is_int(ngx_dns_probe_read(buf, len, &probe), NGX_DECLINED,
                   "probe: octet %d is wrong", (int) n);
        buf[n] -= 40;
    }

    free(buf);

    /* what could make another request */

    ngx_str_set(&in.host, "a\r\nb");
    tap_ok(ngx_dns_probe_wrong(&in) != NULL, "probe: a host with a line end");
    a_probe(&in);
    ngx_str_set(&in.uri, "/ HTTP/1.1");
    tap_ok(ngx_dns_probe_wrong(&in) != NULL, "probe: an uri with a blank");
    ngx_str_set(&in.uri, "up");
    tap_ok(ngx_dns_probe_wrong(&in) != NULL, "probe: an uri without a slash");
    a_probe(&in);
    ngx_str_set(&in.status, "\000\143");
    tap_ok(ngx_dns_probe_wrong(&in) != NULL, "probe: status 99");
    a_probe(&in);
    tap_ok(ngx_dns_probe_wrong(&in) == NULL, "probe: nothing is wrong");

    /* defaults */

    memset(&in, 0, sizeof(in));
    in.flags = NGX_DNS_PROBE_VERIFY;
    tap_ok(ngx_dns_probe_wrong(&in) != NULL, "probe: nothing is said");
    ngx_dns_probe_settle(&in);
    tap_ok(ngx_dns_probe_wrong(&in) == NULL && in.port == 80
           && in.up_count == 3 && in.down_count == 3 && in.timeout == 1000
           && in.interval == 0 && in.flags == 0 && in.uri.len == 1,
           "probe: defaults of http");
    in.port = 0;
    in.protocol = NGX_DNS_PROBE_HTTPS;
    ngx_dns_probe_settle(&in);
    tap_is_int(in.port, 443, "probe: the port of https");
    in.protocol = NGX_DNS_PROBE_TCP;
    ngx_dns_probe_settle(&in);
    tap_ok(ngx_dns_probe_wrong(&in) == NULL && in.uri.len == 0,
           "probe: tcp has no uri");
    in.port = 0;
    ngx_dns_probe_settle(&in);
    tap_ok(ngx_dns_probe_wrong(&in) != NULL, "probe: tcp has a port");
}


/* notes of it in a zone, and what the head of the zone says */

static void
test_probes(void)
{
    u_char            text[NGX_DNS_NAME_TEXT_MAX], *rr;
    ngx_dns_zone_t   *zone;
    ngx_dns_probe_t   probe;
    ngx_dns_rrset_t  *notes;

    zone_add(HEAD "a 300 A 192.0.2.1\na 300 TXT x\n"
             ";! a choice A 1 1\n;! a probe A /up\n;! a probe TXT /up\n"
             ";! a probe AAAA /up\n");
    zone = zone_compile("z.test.", &key);
    tap_is_int(zone->flags, NGX_DNS_ZONE_PROBES, "probes: the head says it");

    notes = ngx_dns_rrset_notes(ngx_dns_node_rrset(node_of(zone, "a"),
                                                   NGX_DNS_TYPE_A));
    tap_is_int(notes->nrr, 2, "probes: beside the choice");
    rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_PROBE);
    tap_ok(rr != NULL
           && ngx_dns_probe_read(rr + 2 + NGX_DNS_NOTE_HEAD,
                                 ngx_dns_get16(rr) - NGX_DNS_NOTE_HEAD,
                                 &probe)
              == NGX_OK && probe.uri.len == 3, "probes: the note");
    tap_ok(ngx_dns_rrset_notes(ngx_dns_node_rrset(node_of(zone, "a"),
                                                  NGX_DNS_TYPE_TXT)) == NULL,
           "probes: only addresses are checked");
    memory_unmap(NULL, zone, 0);

    zone_add(HEAD "a 300 TXT x\n;! a probe TXT /up\n;! a aname - b\n");
    zone = zone_compile("z.test.", &key);
    tap_is_int(zone->flags, NGX_DNS_ZONE_ANAMES, "probes: an ANAME");
    memory_unmap(NULL, zone, 0);

    rr = ngx_dns_probe_owner_host(text, (u_char *) "\001*\003www\004test");
    tap_is_mem(text, rr - text, "www.test", 8, "probes: host of a wildcard");
    rr = ngx_dns_probe_owner_host(text, (u_char *) "\003www\004test");
    tap_is_mem(text, rr - text, "www.test", 8, "probes: host of a name");
    rr = ngx_dns_probe_owner_host(text, (u_char *) "");
    tap_is_int(rr - text, 0, "probes: host of the root");
}


static void
test_id(void)
{
    uint64_t     id[5];
    ngx_uint_t   i, k, differ;

    static u_char  a[] = "\001a\004test", b[] = "\001b\004test";
    static u_char  ip[] = "\300\000\002\001\300\000\002\001\1\2\3\4\1\2\3";

    id[0] = ngx_dns_probe_id(a, ip, 4, (u_char *) "probe", 5);
    id[1] = ngx_dns_probe_id(b, ip, 4, (u_char *) "probe", 5);
    id[2] = ngx_dns_probe_id(a, ip, 16, (u_char *) "probe", 5);
    id[3] = ngx_dns_probe_id(a, ip, 4, (u_char *) "probes", 6);
    id[4] = ngx_dns_probe_id(a, ip + 1, 4, (u_char *) "probe", 5);
    differ = 0;

    for (i = 0; i < 5; i++) {
        for (k = 0; k < i; k++) {
            differ += (id[i] != id[k]);
        }
    }

    tap_is_int(differ, 10, "id: by owner, address, and how");
    tap_ok(id[0] == ngx_dns_probe_id(a, ip + 4, 4, (u_char *) "probe", 5),
           "id: the same each time");

    tap_ok(ngx_dns_network_id((u_char *) "Office", 6)
           == ngx_dns_network_id((u_char *) "oFFICE", 6),
           "network: without case");
    tap_ok(ngx_dns_network_id((u_char *) "office", 6)
           != ngx_dns_network_id((u_char *) "offices", 7),
           "network: by name");

    /* FNV-1a of nothing, and of "a" */

    tap_ok(ngx_dns_network_id((u_char *) "", 0) == 0x811c9dc5u
           && ngx_dns_network_id((u_char *) "a", 1) == 0xe40c292cu,
           "network: known values");
}
