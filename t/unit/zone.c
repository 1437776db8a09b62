
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Compiled zones: where names are found, in which order they lie, and what
 * fits.
 */


#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "ngx_dns_rr.h"
#include "ngx_dns_zones.h"


#define HEAD       "@ 300 SOA ns.else. h.else. 7 2 3 4 5\n@ 300 NS ns.else.\n"


static void set_name(ngx_dns_name_t *name, const char *s);
static void find(ngx_dns_zone_t *zone, const char *s, ngx_int_t rc,
    ngx_uint_t label, const char *encloser);
static void test_buckets(void);
static void test_find(void);
static void test_find_deep(void);
static void test_find_nsec3(void);
static void test_apexes(void);
static void test_order(void);
static void test_many_sets(void);
static void test_zones(void);
static void zones_find(ngx_dns_zones_t *zones, const char *s,
    ngx_uint_t above, ngx_dns_zone_t *want);
static void test_no_memory(void);
static void *some_maps(void *data, size_t size);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static int  maps;                       /* that are given before it fails */


int
main(void)
{
    test_buckets();
    test_find();
    test_find_deep();
    test_find_nsec3();
    test_apexes();
    test_order();
    test_many_sets();
    test_zones();
    test_no_memory();

    tap_is_int(memory_blocks, 0, "all memory is given back");

    return tap_done();
}


static void
set_name(ngx_dns_name_t *name, const char *s)
{
    u_char       wire[NGX_DNS_NAME_MAX];
    ngx_str_t    str;
    const char  *err;

    str.data = (u_char *) s;
    str.len = strlen(s);

    (void) ngx_dns_name_from_text(wire, &str, NULL, &err);
    ngx_dns_name_set(name, wire, &key);
}


/*
 * Whatever the key, names that differ in a few digits spread evenly: with 6
 * of 10 slots in use about 3 buckets in 100 overflow.
 */

static void
test_buckets(void)
{
    ngx_uint_t         i, k, n, worst;
    ngx_dns_key_t      some;
    ngx_dns_zone_t    *zone;
    ngx_dns_bucket_t  *b;

    some = key;
    worst = 0;

    for (k = 0; k < 40; k++) {
        zone_add(HEAD);

        for (i = 0; i < 20000; i++) {
            zone_add("h%05d 300 A 192.0.2.1\n", (int) i);
        }

        zone = zone_compile("z.test.", &some);
        b = ngx_dns_zone_at(zone, zone->buckets);
        n = 0;

        for (i = 0; i < zone->nbuckets; i++) {
            n += b[i].overflow;
        }

        worst = ngx_max(worst, 100 * n / zone->nbuckets);
        memory_unmap(NULL, zone, 0);

        some.k[0] = some.k[0] * 6364136223846793005ULL + 1442695040888963407ULL;
        some.k[1] = (some.k[0] ^ some.k[0] >> 29) | 1;
    }

    tap_ok(worst < 8, "%d %% of the buckets overflow at most", (int) worst);
}


/* encloser: its name without the apex, as it lies in the node */

static void
find(ngx_dns_zone_t *zone, const char *s, ngx_int_t rc, ngx_uint_t label,
    const char *encloser)
{
    ngx_int_t         got;
    ngx_dns_name_t    name;
    ngx_dns_lookup_t  res;

    set_name(&name, s);
    got = ngx_dns_zone_find(zone, &name, &res);

    tap_is_int(got, rc, "find %s", s);
    tap_is_int(res.label, label, "find %s: label", s);
    tap_is_mem(res.encloser->name, res.encloser->len, encloser,
               strlen(encloser), "find %s: encloser", s);
    tap_ok(res.node == (rc == NGX_OK ? res.encloser : NULL),
           "find %s: node", s);
}


static void
test_find(void)
{
    ngx_uint_t       label;
    ngx_dns_name_t   name;
    ngx_dns_node_t  *node;
    ngx_dns_zone_t  *zone;

    zone_add(HEAD "a.b.c A 192.0.2.1\n*.w TXT w\nx.*.w TXT x\n"
             "cut NS ns.cut\nns.cut A 192.0.2.1\nin.in.cut NS ns.cut\n"
             "d DNAME e\n\\000.o TXT 0\n\\001.o TXT 1\n\\002.o TXT 2\n");

    zone = zone_compile("z.test.", &key);

    find(zone, "z.test.", NGX_OK, 0, "");
    find(zone, "a.b.c.z.test.", NGX_OK, 0, "\1a\1b\1c");
    find(zone, "b.c.z.test.", NGX_OK, 0, "\1b\1c");
    find(zone, "c.z.test.", NGX_OK, 0, "\1c");
    find(zone, "x.z.test.", NGX_DECLINED, 1, "");
    find(zone, "x.y.z.test.", NGX_DECLINED, 2, "");
    find(zone, "1.2.3.4.5.6.7.8.z.test.", NGX_DECLINED, 8, "");
    find(zone, "x.c.z.test.", NGX_DECLINED, 1, "\1c");
    find(zone, "x.b.c.z.test.", NGX_DECLINED, 1, "\1b\1c");
    find(zone, "x.y.b.c.z.test.", NGX_DECLINED, 2, "\1b\1c");
    find(zone, "x.a.b.c.z.test.", NGX_DECLINED, 1, "\1a\1b\1c");
    find(zone, "1.2.3.4.5.6.a.b.c.z.test.", NGX_DECLINED, 6, "\1a\1b\1c");
    find(zone, "\\001.o.z.test.", NGX_OK, 0, "\1\1\1o");
    find(zone, "\\003.o.z.test.", NGX_DECLINED, 1, "\1o");

    set_name(&name, "q.w.z.test.");
    node = ngx_dns_zone_wildcard(zone, &name, 1);
    tap_ok(node != NULL && (node->flags & NGX_DNS_NODE_WILDCARD),
           "the wildcard below w");
    tap_ok(ngx_dns_zone_wildcard(zone, &name, 2) == NULL,
           "there is none below the apex");

    set_name(&name, "a.in.in.cut.z.test.");
    node = ngx_dns_zone_top(zone, &name, 1, &label);
    tap_ok(node != NULL && label == 3, "the topmost of two cuts");

    set_name(&name, "y.d.z.test.");
    node = ngx_dns_zone_top(zone, &name, 1, &label);
    tap_ok(node != NULL && label == 1 && (node->flags & NGX_DNS_NODE_DNAME),
           "a DNAME is a top");

    set_name(&name, "b.c.z.test.");
    tap_ok(ngx_dns_zone_top(zone, &name, 0, &label) == NULL, "no top");

    memory_unmap(NULL, zone, 0);
}


/* 127 labels, and an encloser at every depth */

static void
test_find_deep(void)
{
    char             *p, s[600];
    ngx_uint_t        i, k, good;
    ngx_dns_name_t    name;
    ngx_dns_zone_t   *zone;
    ngx_dns_lookup_t  res;

    zone_add("@ 300 SOA . . 7 2 3 4 5\n@ 300 NS ns.else.\n");

    for (i = 0; i < 126; i++) {
        zone_add("a.");
    }

    zone_add("t. 300 A 192.0.2.1\n");

    zone = zone_compile("t.", &key);
    tap_is_int(zone->max_labels, 127, "deep: labels");
    tap_is_int(zone->nnodes, 127, "deep: nodes");

    good = 0;

    for (i = 0; i < 126; i++) {

        /* 126 labels below the apex, the last i of them exist */

        p = s;

        for (k = 0; k < 126; k++) {
            p += sprintf(p, "%s", (k < 126 - i) ? "b." : "a.");
        }

        strcpy(p, "t.");
        set_name(&name, s);

        good += (ngx_dns_zone_find(zone, &name, &res) == NGX_DECLINED
                 && res.label == 126 - i && res.encloser->len == 2 * i);
    }

    tap_is_int(good, 126, "deep: closest enclosers");

    memory_unmap(NULL, zone, 0);
}


/* the owner of an NSEC3 is no name, unless there are names below it */

static void
test_find_nsec3(void)
{
    ngx_dns_zone_t  *zone;

    zone_add(HEAD "@ NSEC3PARAM 1 0 0 -\n"
             "00000000000000000000000000000000 NSEC3 1 0 0 - "
             "10000000000000000000000000000000 A\n"
             "10000000000000000000000000000000 NSEC3 1 0 0 - "
             "00000000000000000000000000000000 A\n"
             "a.10000000000000000000000000000000 A 192.0.2.1\n");

    zone = zone_compile("z.test.", &key);

    find(zone, "00000000000000000000000000000000.z.test.", NGX_DECLINED, 1,
         "");
    find(zone, "b.10000000000000000000000000000000.z.test.", NGX_DECLINED, 1,
         "\04010000000000000000000000000000000");
    find(zone, "c.b.10000000000000000000000000000000.z.test.", NGX_DECLINED,
         2, "\04010000000000000000000000000000000");

    memory_unmap(NULL, zone, 0);
}


/* the root, a top-level domain, and a zone of one node */

static void
test_apexes(void)
{
    ngx_dns_zone_t  *zone;

    zone_add("@ 300 SOA a. b. 1 2 3 4 5\n@ 300 NS a.\na. 300 A 192.0.2.1\n"
             "b.c. 300 NS a.\n");
    zone = zone_compile(".", &key);

    tap_is_int(zone->short_soa, 0, "root: no pointer to the root");
    find(zone, ".", NGX_OK, 0, "");
    find(zone, "a.", NGX_OK, 0, "\1a");
    find(zone, "c.", NGX_OK, 0, "\1c");
    find(zone, "x.", NGX_DECLINED, 1, "");
    find(zone, "x.y.b.c.", NGX_DECLINED, 2, "\1b\1c");

    memory_unmap(NULL, zone, 0);

    zone_add(HEAD);
    zone = zone_compile("test.", &key);

    tap_is_int(zone->nnodes, 1, "one node");
    find(zone, "test.", NGX_OK, 0, "");
    find(zone, "a.b.test.", NGX_DECLINED, 2, "");

    memory_unmap(NULL, zone, 0);
}


/*
 * Nodes lie in canonical order, whatever octets are in the labels and however
 * late names differ, and each is found.
 */

static void
test_order(void)
{
    uint32_t         *index;
    ngx_uint_t        i, k, n, ordered, found;
    ngx_dns_name_t    name;
    ngx_dns_node_t   *node, *last;
    ngx_dns_zone_t   *zone;
    ngx_dns_lookup_t  res;

    static const u_char  octets[] = { 0, 1, 2, 3, '-', 'a', 'b', 0xff };

    zone_add(HEAD);

    for (i = 0; i < 4000; i++) {

        for (k = 1 + shim_pick(5); k > 0; k--) {

            for (n = 1 + shim_pick(shim_pick(8) ? 3 : 40); n > 0; n--) {
                zone_add("\\%03d", octets[shim_pick(8)]);
            }

            zone_add(".");
        }

        zone_add("%s 300 A 192.0.2.1\n",
                 shim_pick(2) ? "z.test." : "\\000\\001.long.shared.z.test.");
    }

    zone = zone_compile("z.test.", &key);

    if (!tap_ok(zone != NULL, "order: zone")) {
        return;
    }

    index = ngx_dns_zone_at(zone, zone->index);
    last = ngx_dns_zone_at(zone, index[0]);
    ordered = 1;
    found = 1;

    for (i = 1; i < zone->nnodes; i++) {
        node = ngx_dns_zone_at(zone, index[i]);

        ordered += (ngx_dns_name_cmp_rel(last->name, last->len, node->name,
                                         node->len)
                    < 0);
        last = node;

        memcpy(name.wire, node->name, node->len);
        memcpy(name.wire + node->len, zone->name, zone->name_len);
        (void) ngx_dns_name_parse(&name, name.wire, name.wire + 255, &key);

        found += (ngx_dns_zone_find(zone, &name, &res) == NGX_OK
                  && res.node == node);
    }

    tap_ok(zone->nnodes > 4000, "order: %d nodes", (int) zone->nnodes);
    tap_is_int(ordered, zone->nnodes, "order: each behind the last");
    tap_is_int(found, zone->nnodes, "order: each is found");

    memory_unmap(NULL, zone, 0);
}


/* 5000 rrsets at one node */

static void
test_many_sets(void)
{
    int               i;
    ngx_uint_t        good;
    ngx_dns_name_t    name;
    ngx_dns_zone_t   *zone;
    ngx_dns_lookup_t  res;
    ngx_dns_rrset_t  *set;

    zone_add(HEAD);

    for (i = 0; i < 5000; i++) {
        zone_add("a 300 TYPE%d \\# 2 %04x\n", 60000 - i * 2, i);
    }

    zone = zone_compile("z.test.", &key);
    set_name(&name, "a.z.test.");
    (void) ngx_dns_zone_find(zone, &name, &res);
    good = 0;

    for (i = 0; i < 5000; i++) {
        set = ngx_dns_node_rrset(res.node, 60000 - i * 2);
        good += (set != NULL
                 && ngx_dns_get16(ngx_dns_rrset_first(set) + 2)
                    == (ngx_uint_t) i
                 && ngx_dns_node_rrset(res.node, 60001 - i * 2) == NULL);
    }

    tap_is_int(res.node->nsets, 5000, "many sets: number");
    tap_is_int(good, 5000, "many sets: each is found");

    memory_unmap(NULL, zone, 0);
}


/* the longest apex; for DS the one above */

static void
test_zones(void)
{
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_dns_zone_t   *zone[4];
    ngx_dns_zones_t  *zones;

    static const char  *apexes[] = { "z.test.", "c.b.z.test.", ".",
                                     "other." };

    pool = shim_pool();

    for (i = 0; i < 4; i++) {
        zone_add(HEAD);
        zone[i] = zone_compile(apexes[i], &key);
    }

    zones = ngx_dns_zones_create(pool, zone, 0, &key);
    zones_find(zones, "z.test.", 0, NULL);
    zones_find(zones, ".", 1, NULL);

    zones = ngx_dns_zones_create(pool, zone, 2, &key);
    zones_find(zones, ".", 0, NULL);
    zones_find(zones, "test.", 0, NULL);
    zones_find(zones, "y.test.", 0, NULL);
    zones_find(zones, "z.test.", 0, zone[0]);
    zones_find(zones, "z.test.", 1, zone[0]);
    zones_find(zones, "b.z.test.", 0, zone[0]);
    zones_find(zones, "c.b.z.test.", 0, zone[1]);
    zones_find(zones, "c.b.z.test.", 1, zone[0]);
    zones_find(zones, "d.c.b.z.test.", 1, zone[1]);
    zones_find(zones, "1.2.3.4.5.6.d.c.b.z.test.", 0, zone[1]);

    zones = ngx_dns_zones_create(pool, zone, 4, &key);
    zones_find(zones, ".", 0, zone[2]);
    zones_find(zones, ".", 1, zone[2]);
    zones_find(zones, "test.", 0, zone[2]);
    zones_find(zones, "z.test.", 1, zone[2]);
    zones_find(zones, "a.other.", 0, zone[3]);

    ngx_destroy_pool(pool);

    for (i = 0; i < 4; i++) {
        memory_unmap(NULL, zone[i], 0);
    }
}


static void
zones_find(ngx_dns_zones_t *zones, const char *s, ngx_uint_t above,
    ngx_dns_zone_t *want)
{
    ngx_dns_name_t  name;

    set_name(&name, s);

    tap_ok(ngx_dns_zones_find(zones, &name, above) == want,
           "zones: %s%s", s, above ? " from above" : "");
}


/* wherever memory ends, the zone is refused and nothing is left */

static void
test_no_memory(void)
{
    int              i, kept;
    long             blocks;
    char            *copy;
    ngx_dns_zone_t  *zone;

    copy = malloc(64 * 1024);
    memset(copy, 'x', 64 * 1024);

    kept = 0;
    zone = NULL;
    memory.map = some_maps;

    for (i = 3; i < 20 && zone == NULL; i++) {
        zone_add(HEAD "; %.*s\n", 40000, copy);
        zone_add("a 300 TXT \"%.*s\"\nb 300 MX 10 a\n", 200, copy);

        blocks = memory_blocks;
        maps = i;
        zone = zone_compile("z.test.", &key);
        kept += (zone == NULL && memory_blocks != blocks);
    }

    memory.map = memory_map;

    tap_ok(i > 6, "no memory: refused %d times", i - 4);
    tap_is_int(kept, 0, "no memory: nothing is kept");
    tap_ok(zone != NULL, "no memory: at last there is enough");

    memory_unmap(NULL, zone, 0);
    free(copy);
}


static void *
some_maps(void *data, size_t size)
{
    return (maps-- > 0) ? memory_map(data, size) : NULL;
}
