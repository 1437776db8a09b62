
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Zones from files: whole ones pass unchanged and answer the same under
 * another key; of broken ones each is refused, or answers without a fault,
 * which the sanitizers judge.
 *
 * With a folder as argument the zones are written there as inputs of
 * t/fuzz/verify.c.
 */


#include <dirent.h>
#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "asking.h"
#include "ngx_dns_choice.h"
#include "ngx_dns_probe.h"
#include "ngx_dns_rdata.h"
#include "ngx_dns_verify.h"


#define ZONES       64
#define MUTATIONS   100000
#define MADE_UP     40


static void read_zones(const char *path);
static void make_zones(void);
static void make_live_zone(void);
static void live(const char *owner, const char *type, const char *rdata);
static void note(const char *owner, const char *about, ngx_uint_t kind,
    const void *payload, size_t len);
static void add_record(const char *owner, ngx_uint_t type, u_char *rdata,
    size_t len);
static void add_zone(ngx_dns_zone_t *zone, const char *name);
static void *stored(ngx_dns_zone_t *zone);
static void test_whole(ngx_uint_t i);
static void test_answers(ngx_uint_t i, ngx_dns_zone_t *other);
static void test_refused(void);
static void refused(const char *what, size_t offset, size_t n, uint64_t value);
static void test_mutated(void);
static void mutate(u_char *p, size_t size, ngx_dns_zone_t *zone);
static void write_zones(const char *path);
static void test_corpus(void);


static asking_t  one, two;

static ngx_dns_records_t  *records;

static struct {
    ngx_dns_zone_t  *zone;
    asking_names_t   names;
    char             name[64];
} zones[ZONES];

static ngx_uint_t  nzones;


int
main(int argc, char **argv)
{
    int              i, n;
    char             path[512];
    ngx_uint_t       k;
    struct dirent  **list;

    asking_init(&one, 0x0123456789abcdefULL, 0xfedcba9876543211ULL);
    asking_init(&two, 0x1122334455667788ULL, 0x99aabbccddeeff01ULL);

    n = scandir("t/unit/answer", &list, NULL, alphasort);

    for (i = 0; i < n; i++) {
        if (strstr(list[i]->d_name, ".txt") != NULL) {
            snprintf(path, sizeof(path), "t/unit/answer/%s", list[i]->d_name);
            read_zones(path);
        }

        free(list[i]);
    }

    free(list);
    make_zones();
    make_live_zone();

    if (argc > 1) {
        write_zones(argv[1]);
        return 0;
    }

    tap_ok(nzones > 10, "%d zones", (int) nzones);

    for (k = 0; k < nzones; k++) {
        test_whole(k);
    }

    test_refused();
    test_mutated();
    test_corpus();

    for (k = 0; k < nzones; k++) {
        memory_unmap(NULL, zones[k].zone, 0);
    }

    ngx_destroy_pool(one.pool);
    ngx_destroy_pool(two.pool);

    return tap_done();
}


/* the zones in a file of t/unit/answer.c */

static void
read_zones(const char *path)
{
    char            *text, *p, *end, *name;
    long             size;
    FILE            *f;
    u_char           wire[NGX_DNS_NAME_MAX];
    ngx_str_t        s;
    const char      *err;

    f = fopen(path, "r");
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    text = calloc(1, size + 2);
    text[0] = '\n';
    size = fread(text + 1, 1, size, f);
    fclose(f);

    for (p = strstr(text, "\nzone "); p != NULL; p = strstr(end, "\nzone ")) {
        name = p + 6;
        p = strchr(name, '\n');
        end = strstr(p, "\nend\n");
        *p++ = '\0';

        s.data = (u_char *) name;
        s.len = strlen(name);
        (void) ngx_dns_name_from_text(wire, &s, NULL, &err);

        add_zone(zonetext(wire, p, end + 1 - p, &one.key), name);
    }

    free(text);
}


/* what those lack: sizes at which things begin and end */

static void
make_zones(void)
{
    ngx_uint_t  i, k;

    static const char  soa[] = "@ 300 SOA ns.z.test. h.z.test. 7 2 3 4 5\n"
                               "@ 300 NS ns.z.test.\n";

    zone_add("%s", soa);
    add_zone(zone_compile("z.test.", &one.key), "apex only");

    zone_add("@ 300 SOA a. b. 1 2 3 4 5\n@ 1 NS a.\n");
    add_zone(zone_compile(".", &one.key), "root");

    for (i = 5; i < 14; i += 2) {
        zone_add("%s", soa);

        for (k = 1; k < i; k++) {
            zone_add("n%d 300 A 192.0.2.1\n", (int) k);
        }

        add_zone(zone_compile("z.test.", &one.key), "nodes");
    }

    zone_add("%s", soa);

    for (i = 0; i < 300; i++) {
        zone_add("a%d.b%d.c%d MX %d m%d\n", (int) i, (int) (i % 7),
                 (int) (i % 5), (int) (i % 11), (int) (i % 40));
        zone_add("m%d A 192.0.2.%d\n", (int) (i % 40), (int) (i % 256));
        zone_add("many A 198.51.%d.%d\n", (int) (i / 256), (int) (i % 256));
        zone_add("t TYPE%d \\# 1 00\n", (int) (i + 65280 - 300));
    }

    zone_add("cut NS ns.cut\nns.cut A 192.0.2.1\nd DNAME other.test.\n"
             "h HTTPS 1 . alpn=h2\n*.h HTTPS 1 .\nh SVCB 0 many\n"
             "s SRV 1 2 3 m1\n*.w TXT x\nx.*.w TXT y\n");
    add_zone(zone_compile("z.test.", &one.key), "many");
}


/* one with notes, and with what no zone file may have */

static void
make_live_zone(void)
{
    u_char               choice[128], *p;
    size_t               size;
    ngx_dns_zone_t      *zone;
    ngx_dns_probe_t      probe;
    ngx_dns_choice_t     ch;
    ngx_dns_choice_rr_t  rr;
    ngx_dns_reporter_t   rep;

    memset(&rep, 0, sizeof(rep));
    rep.report = zonetext_report;

    records = ngx_dns_records_create((u_char *) "\001z\004test", &memory,
                                     &rep);

    note("z.test.", NULL, NGX_DNS_NOTE_ZONE,
         "\000\000\021\000\001\002\003\004\005\006\007\010", 12);
    note("z.test.", NULL, NGX_DNS_NOTE_KEY, "\001key", 4);
    note("z.test.", NULL, NGX_DNS_NOTE_NAME, "", 0);
    live("z.test.", "SOA", "ns.z.test. h.z.test. 1 2 3 4 5");
    live("z.test.", "CNAME", "b.z.test.");

    note("name.z.test.", NULL, NGX_DNS_NOTE_NAME, "", 0);
    note("failed.z.test.", NULL, NGX_DNS_NOTE_FAILED, "", 0);
    live("failed.z.test.", "NS", "ns.failed.z.test.");
    live("ns.failed.z.test.", "A", "192.0.2.1");
    note("type.z.test.", "MX", NGX_DNS_NOTE_FAILED, "", 0);
    live("type.z.test.", "MX", "1 a.z.test.");
    live("type.z.test.", "A", "192.0.2.1");
    note("cname.z.test.", "CNAME", NGX_DNS_NOTE_FAILED, "", 0);
    live("cname.z.test.", "A", "192.0.2.1");
    note("cut.z.test.", "NS", NGX_DNS_NOTE_FAILED, "", 0);
    live("a.cut.z.test.", "A", "192.0.2.1");
    note("dname.z.test.", "DNAME", NGX_DNS_NOTE_FAILED, "", 0);
    live("a.dname.z.test.", "A", "192.0.2.1");

    note("aname.z.test.", NULL, NGX_DNS_NOTE_ANAME,
         "\377\377\377\377\001b\001z\004test", 14);
    live("two.z.test.", "CNAME", "a.z.test.");
    live("two.z.test.", "CNAME", "b.z.test.");
    live("two.z.test.", "SOA", "ns.z.test. h.z.test. 1 2 3 4 5");
    live("*.z.test.", "NS", "ns.z.test.");
    live("*.z.test.", "DNAME", "b.z.test.");

    memset(&ch, 0, sizeof(ch));
    memset(&rr, 0, sizeof(rr));
    ch.nrr = 2;
    ch.flags = NGX_DNS_CHOICE_CHECK;
    ch.interval = 1;
    rr.check = 2;
    p = ngx_dns_choice_write(choice, &ch);
    p = ngx_dns_choice_write_rr(p, &rr);
    rr.position = 1;
    rr.ncountries = 1;
    rr.countries = (u_char *) "DE";
    p = ngx_dns_choice_write_rr(p, &rr);

    live("b.z.test.", "A", "192.0.2.1");
    live("b.z.test.", "A", "192.0.2.2");
    note("b.z.test.", "A", NGX_DNS_NOTE_CHOICE, choice, p - choice);

    memset(&probe, 0, sizeof(probe));
    ngx_str_set(&probe.uri, "/alive");
    ngx_dns_probe_settle(&probe);
    p = ngx_dns_probe_write(choice, &probe);
    note("b.z.test.", "A", NGX_DNS_NOTE_PROBE, choice, p - choice);
    live("b.z.test.", "AAAA", "2001:db8::1");

    (void) ngx_dns_compile(records, &one.key, &memory, &zone, &size);
    ngx_dns_records_destroy(records);

    add_zone(zone, "live");
}


static void
live(const char *owner, const char *type, const char *rdata)
{
    u_char      wire[1024];
    ssize_t     n;
    ngx_int_t   number;
    ngx_str_t   text, err;

    static u_char  buf[NGX_DNS_SCAN_ERROR];

    err.data = buf;
    text.data = (u_char *) rdata;
    text.len = strlen(rdata);
    number = ngx_dns_rr_type((u_char *) type, strlen(type));

    n = ngx_dns_rdata_from_text(number, &text, NULL, wire, sizeof(wire),
                                &err);
    add_record(owner, number, wire, n);
}


/* about: NULL for the name */

static void
note(const char *owner, const char *about, ngx_uint_t kind,
    const void *payload, size_t len)
{
    u_char  rdata[256], *p;

    p = ngx_dns_put16(rdata, about ? ngx_dns_rr_type((u_char *) about,
                                                     strlen(about))
                                   : 0);
    *p++ = (u_char) kind;
    p = ngx_cpymem(p, payload, len);

    add_record(owner, NGX_DNS_TYPE_NOTE, rdata, p - rdata);
}


static void
add_record(const char *owner, ngx_uint_t type, u_char *rdata, size_t len)
{
    u_char            wire[NGX_DNS_NAME_MAX];
    ngx_str_t         s;
    const char       *err;
    ngx_dns_record_t  r;

    s.data = (u_char *) owner;
    s.len = strlen(owner);

    memset(&r, 0, sizeof(r));
    r.owner = wire;
    r.owner_len = ngx_dns_name_from_text(wire, &s, NULL, &err);
    r.type = (uint16_t) type;
    r.rdata = rdata;
    r.rdlen = (uint16_t) len;
    r.ttl = 300;

    if (ngx_dns_records_add(records, &r) != NGX_OK) {
        tap_ok(0, "%s was added", owner);
    }
}


static void
add_zone(ngx_dns_zone_t *zone, const char *name)
{
    if (zone == NULL || nzones == ZONES) {
        printf("# %s", zonetext_messages);
        tap_ok(0, "zone %s was read", name);
        return;
    }

    zones[nzones].zone = zone;
    asking_names(&zones[nzones].names, zone);
    snprintf(zones[nzones].name, sizeof(zones[nzones].name), "%s", name);
    nzones++;
}


/* a copy as it comes from a file: without key and buckets */

static void *
stored(ngx_dns_zone_t *zone)
{
    void    *p;
    size_t   n;

    n = 4 * (size_t) zone->buckets;

    p = aligned_alloc(64, zone->size);
    memcpy(p, zone, n);
    memset((u_char *) p + n, 0xff, zone->size - n);
    ((ngx_dns_zone_t *) p)->key = 0;

    return p;
}


static void
test_whole(ngx_uint_t i)
{
    ngx_int_t        rc;
    const char      *err, *name;
    ngx_dns_zone_t  *zone, *copy;

    zone = zones[i].zone;
    name = zones[i].name;
    copy = stored(zone);
    err = "";

    rc = ngx_dns_zone_verify(copy, zone->size, &one.key, &err);
    tap_ok(rc == NGX_OK, "%s: passes %s", name, err);
    tap_ok(memcmp(copy, zone, zone->size) == 0, "%s: is the same", name);

    rc = ngx_dns_zone_verify(copy, zone->size, &two.key, &err);
    tap_ok(rc == NGX_OK, "%s: passes again", name);

    if (rc == NGX_OK) {
        test_answers(i, copy);
    }

    free(copy);
}


static void
test_answers(ngx_uint_t i, ngx_dns_zone_t *other)
{
    size_t            n;
    ngx_uint_t        k, type, how, differ;
    asking_names_t   *names;
    ngx_dns_zones_t  *a, *b;

    static u_char  abuf[NGX_DNS_MESSAGE_MAX], bbuf[NGX_DNS_MESSAGE_MAX];

    names = &zones[i].names;
    a = ngx_dns_zones_create(one.pool, &zones[i].zone, 1, &one.key);
    b = ngx_dns_zones_create(two.pool, &other, 1, &two.key);
    differ = 0;

    for (k = 0; k < names->n; k++) {
        for (type = 0; type < ASKING_TYPES; type++) {
            for (how = 0; how < 4; how++) {
                n = asking_reply(&one, a, names->name[k], asking_types[type],
                                 how & 1, how >> 1, abuf);
                differ += (n != asking_reply(&two, b, names->name[k],
                                             asking_types[type], how & 1,
                                             how >> 1, bbuf)
                           || memcmp(abuf, bbuf, n) != 0);
            }
        }
    }

    tap_is_int(differ, 0, "%s: answers the same under another key",
               zones[i].name);
}


#define head_refused(field, value)                                            \
    refused(#field, offsetof(ngx_dns_zone_t, field),                          \
            sizeof(((ngx_dns_zone_t *) 0)->field), value)

static void
test_refused(void)
{
    void            *p;
    size_t           n;
    const char      *err;
    ngx_dns_zone_t  *zone;

    zone = zones[0].zone;

    head_refused(magic, 0);
    head_refused(version, NGX_DNS_ZONE_VERSION + 1);
    head_refused(size, zone->size + 64);
    head_refused(nnodes, 0);
    head_refused(nnodes, zone->nnodes + 1);
    head_refused(nnodes, 0xffffffff);
    head_refused(nrecords, zone->nrecords + 1);
    head_refused(nbuckets, zone->nbuckets + 1);
    head_refused(buckets, zone->buckets - 16);
    head_refused(index, zone->index + 1);
    head_refused(index, 0);
    head_refused(apex, zone->apex + 1);
    head_refused(soa, zone->soa + 1);
    head_refused(short_soa, 0);
    head_refused(short_soa, zone->short_soa - 1);
    head_refused(denial, zone->denial + 1);
    head_refused(ndenial, zone->ndenial + 1);
    head_refused(serial, zone->serial + 1);
    head_refused(negative_ttl, zone->negative_ttl + 1);
    head_refused(flags, zone->flags ^ 3);
    head_refused(name_len, zone->name_len + 1);
    head_refused(name_labels, zone->name_labels + 1);
    head_refused(max_labels, zone->max_labels + 1);
    head_refused(name, 0x40);

    for (n = 0; n < zone->size; n += 64) {
        p = aligned_alloc(64, n ? n : 64);
        memcpy(p, zone, n);

        if (ngx_dns_zone_verify(p, n, &one.key, &err) == NGX_OK) {
            tap_ok(0, "%d octets are refused", (int) n);
        }

        free(p);
    }

    tap_ok(1, "parts of a zone are refused");
}


static void
refused(const char *what, size_t offset, size_t n, uint64_t value)
{
    u_char          *p;
    ngx_int_t        rc;
    const char      *err;
    ngx_dns_zone_t  *zone;

    zone = zones[0].zone;
    p = stored(zone);
    err = "";

    memcpy(p + offset, &value, ngx_min(n, 8));

    rc = ngx_dns_zone_verify(p, zone->size, &one.key, &err);
    tap_ok(rc == NGX_ERROR && *err != '\0', "%s: %s", what, err);

    free(p);
}


static void
test_mutated(void)
{
    void             *p;
    ngx_uint_t        i, k, z, passed, how;
    const char       *err;
    ngx_pool_t       *pool;
    ngx_dns_zone_t   *zone;
    ngx_dns_zones_t  *set;

    static u_char  buf[NGX_DNS_MESSAGE_MAX];

    passed = 0;

    for (i = 0; i < MUTATIONS; i++) {
        z = shim_pick(nzones);
        zone = zones[z].zone;
        p = stored(zone);

        for (k = shim_pick(3) + 1; k > 0; k--) {
            mutate(p, 4 * (size_t) zone->buckets, zone);
        }

        if (ngx_dns_zone_verify(p, zone->size, &two.key, &err) == NGX_OK) {
            passed++;
            pool = shim_pool();
            zone = p;
            set = ngx_dns_zones_create(pool, &zone, 1, &two.key);

            for (k = 0; k < MADE_UP; k++) {
                how = shim_pick(4);
                (void) asking_reply(&two, set,
                           zones[z].names.name[shim_pick(zones[z].names.n)],
                           asking_types[shim_pick(ASKING_TYPES)], how & 1,
                           how >> 1, buf);
            }

            ngx_destroy_pool(pool);
        }

        free(p);
    }

    tap_ok(passed > MUTATIONS / 100 && passed < MUTATIONS / 2,
           "of %d broken zones %d pass and answer", MUTATIONS, (int) passed);
}


static void
mutate(u_char *p, size_t size, ngx_dns_zone_t *zone)
{
    size_t     at;
    uint16_t   half;
    uint32_t   word;

    /* the head now and then, the rest more often */

    at = (shim_pick(4) == 0) ? shim_pick(sizeof(ngx_dns_zone_t))
                             : shim_pick(size);

    switch (shim_pick(6)) {

    case 0:
        p[at] ^= (u_char) (1 << shim_pick(8));
        break;

    case 1:
        p[at] = (u_char) shim_pick(256);
        break;

    case 2:

        /* a place of something */

        at &= ~ (size_t) 3;
        word = (uint32_t) shim_pick(zone->size / 4);
        memcpy(p + at, &word, 4);
        break;

    case 3:
        at &= ~ (size_t) 3;
        memcpy(&word, p + at, 4);
        word += (uint32_t) shim_pick(5) - 2;
        memcpy(p + at, &word, 4);
        break;

    case 4:
        at &= ~ (size_t) 1;
        memcpy(&half, p + at, 2);
        half = (uint16_t) (half + shim_pick(5) - 2);
        memcpy(p + at, &half, 2);
        break;

    default:
        memmove(p + at, p + shim_pick(size - 16),
                ngx_min(size - at, 1 + shim_pick(16)));
        break;
    }
}


static void
write_zones(const char *path)
{
    FILE        *f;
    char         name[512];
    void        *p;
    ngx_uint_t   i;

    for (i = 0; i < nzones; i++) {
        snprintf(name, sizeof(name), "%s/zone%02d", path, (int) i);

        f = fopen(name, "wb");
        p = stored(zones[i].zone);
        fwrite(p, 1, 4 * (size_t) zones[i].zone->buckets, f);
        free(p);
        fclose(f);
    }
}


/* a fuzzer that begins with nothing but refused zones finds nothing */

static void
test_corpus(void)
{
    FILE            *f;
    char             path[512];
    void            *p;
    size_t           n;
    ngx_uint_t       i, passed;
    const char      *err;
    ngx_dns_zone_t   head;

    passed = 0;

    for (i = 0; i < nzones; i++) {
        snprintf(path, sizeof(path), "t/fuzz/corpus/verify/zone%02d",
                 (int) i);

        f = fopen(path, "rb");

        if (f == NULL) {
            continue;
        }

        if (fread(&head, sizeof(head), 1, f) == 1 && head.size % 64 == 0
            && head.size < 1024 * 1024)
        {
            rewind(f);
            p = aligned_alloc(64, head.size);
            n = fread(p, 1, head.size, f);
            passed += (n <= head.size
                       && ngx_dns_zone_verify(p, head.size, &one.key, &err)
                          == NGX_OK);
            free(p);
        }

        fclose(f);
    }

    tap_ok(passed > 20, "%d zones of t/fuzz/corpus/verify pass (if not, run "
           "this program with that folder as argument)", (int) passed);
}
