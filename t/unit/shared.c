
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * What readers see of published zones: they find the same as in a set of
 * zones that never changes, and know how old it all is.
 */


#include "shim.h"
#include "tap.h"
#include "region.h"
#include "zonetext.h"
#include "ngx_dns_zones.h"


#define HEAD  "@ 300 SOA ns.else. h.else. 7 2 3 4 5\n@ 300 NS ns.else.\n"
#define MB    (1024 * 1024)


static void test_view(void);
static void test_find(void);
static void test_random(void);
static void set_name(ngx_dns_name_t *name, const char *s);
static ngx_dns_zone_t *zone_of(const char *apex);
static void random_name(char *s, ngx_uint_t labels);
static int same(ngx_dns_zone_t *a, ngx_dns_zone_t *b);


int
main(void)
{
    test_view();
    test_find();
    test_random();

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
    ngx_dns_name_set(name, wire, &region_key);
}


static ngx_dns_zone_t *
zone_of(const char *apex)
{
    zone_add("%s", HEAD);

    return zone_compile(apex, &region_key);
}


static int
same(ngx_dns_zone_t *a, ngx_dns_zone_t *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }

    return a->size == b->size && memcmp(a, b, a->size) == 0;
}


static void
test_view(void)
{
    ngx_dns_view_t     view;
    ngx_dns_shared_t  *sh;

    sh = region_create(MB, 4);
    view.shared = sh;
    view.reader = ngx_dns_shared_reader(sh, 2, 123, 456);

    tap_ok(view.reader->pid == 123 && view.reader->started == 456,
           "a slot knows its process");

    ngx_dns_view_enter(&view, 0);
    tap_ok(view.flags & NGX_DNS_VIEW_NOT_READY, "not ready at first");
    tap_is_int(view.reader->epoch, sh->epoch, "the slot has the epoch");
    ngx_dns_view_leave(&view);
    tap_is_int(view.reader->epoch, 0, "then it has none");

    sh->ready = 1;
    sh->contact = 1000;

    ngx_dns_view_enter(&view, 1000 + NGX_DNS_VIEW_CONTACT);
    tap_is_int(view.flags, 0, "ready and in step");

    ngx_dns_view_enter(&view, 1001 + NGX_DNS_VIEW_CONTACT);
    tap_is_int(view.flags, NGX_DNS_VIEW_STALE, "no contact");

    sh->stale = 60;
    ngx_dns_view_enter(&view, 1060);
    tap_is_int(view.flags, NGX_DNS_VIEW_STALE, "not too old yet");

    ngx_dns_view_enter(&view, 1061);
    tap_is_int(view.flags, NGX_DNS_VIEW_STALE|NGX_DNS_VIEW_EXPIRED,
               "too old");
    ngx_dns_view_leave(&view);
}


static void
test_find(void)
{
    uint64_t              needed;
    u_char                apex[NGX_DNS_NAME_MAX];
    ngx_uint_t            i;
    ngx_dns_name_t        name;
    ngx_dns_zone_t       *zone;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;
    static const char    *apexes[] = { "example.", "a.example.",
                                       "x.y.a.example.", "test.", "b.c." };

    static const struct {
        const char       *name;
        ngx_uint_t        above;
        int               want;
    } cases[] = {
        { "example.", 0, 0 }, { "www.example.", 0, 0 },
        { "a.example.", 0, 1 }, { "a.example.", 1, 0 },
        { "b.a.example.", 0, 1 }, { "y.a.example.", 0, 1 },
        { "x.y.a.example.", 0, 2 }, { "x.y.a.example.", 1, 1 },
        { "1.2.x.y.a.example.", 0, 2 }, { "xx.y.a.example.", 0, 1 },
        { "test.", 1, 3 }, { "b.c.", 0, 4 }, { "c.", 0, -1 },
        { ".", 0, -1 }, { "q.c.", 0, -1 }, { "a.b.c.", 1, 4 },
        { "other.", 0, -1 }
    };

    sh = region_create(MB, 4);
    pub = region_open(sh);

    set_name(&name, "a.b.c.d.");
    tap_ok(ngx_dns_shared_find(sh, &name, 0) == NULL, "nothing at first");

    for (i = 0; i < 5; i++) {
        zone = zone_of(apexes[i]);
        (void) ngx_dns_publish_zone(pub, zone, &needed);
        memory_unmap(NULL, zone, zone->size);
    }

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set_name(&name, cases[i].name);
        zone = ngx_dns_shared_find(sh, &name, cases[i].above);

        if (cases[i].want == -1) {
            tap_ok(zone == NULL, "%s is in no zone", cases[i].name);
            continue;
        }

        set_name(&name, apexes[cases[i].want]);
        tap_ok(zone != NULL && zone->name_len == name.len
               && memcmp(zone->name, name.wire, name.len) == 0,
               "%s %s is in %s", cases[i].above ? "DS of" : "name",
               cases[i].name, apexes[cases[i].want]);
    }

    zone = zone_of(".");
    (void) ngx_dns_publish_zone(pub, zone, &needed);
    memory_unmap(NULL, zone, zone->size);

    set_name(&name, "q.c.");
    zone = ngx_dns_shared_find(sh, &name, 0);
    tap_ok(zone != NULL && zone->name_len == 1, "the root zone has the rest");

    apex[0] = 0;
    (void) ngx_dns_publish_remove(pub, apex);
    tap_ok(ngx_dns_shared_find(sh, &name, 0) == NULL, "until it is removed");

    ngx_dns_publisher_close(pub);
}


static void
random_name(char *s, ngx_uint_t labels)
{
    *s = '\0';

    while (labels--) {
        s += sprintf(s, "%c.", (int) ('a' + shim_pick(5)));
    }
}


/* a region and a set of zones always agree, whatever comes and goes */

static void
test_random(void)
{
    char                  s[64];
    uint64_t              needed;
    ngx_uint_t            i, k, n, wrong, found;
    ngx_pool_t           *pool;
    ngx_dns_name_t        name;
    ngx_dns_zone_t       *zone[300];
    ngx_dns_zones_t      *zones;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    sh = region_create(8 * MB, 4);
    pub = region_open(sh);
    n = 0;
    wrong = 0;
    found = 0;

    for (i = 0; i < 600; i++) {

        if (n == 300 || (n > 0 && shim_pick(3) == 0)) {
            k = shim_pick(n);
            wrong += (ngx_dns_publish_remove(pub, zone[k]->name) != NGX_OK);
            memory_unmap(NULL, zone[k], 0);
            zone[k] = zone[--n];

        } else {
            random_name(s, 1 + shim_pick(4));
            set_name(&name, s);

            if (ngx_dns_publish_get(pub, name.wire) == NULL) {
                zone[n] = zone_of(s);
                wrong += (ngx_dns_publish_zone(pub, zone[n], &needed)
                          != NGX_OK);
                n++;
            }
        }

        if (i % 10 != 0) {
            continue;
        }

        pool = shim_pool();
        zones = ngx_dns_zones_create(pool, zone, n, &region_key);

        for (k = 0; k < 500; k++) {
            random_name(s, 1 + shim_pick(6));
            set_name(&name, s);

            found += (ngx_dns_zones_find(zones, &name, k % 2) != NULL);
            wrong += !same(ngx_dns_zones_find(zones, &name, k % 2),
                           ngx_dns_shared_find(sh, &name, k % 2));
        }

        ngx_destroy_pool(pool);
        (void) ngx_dns_publish_work(pub, MB);
    }

    tap_is_int(wrong, 0, "a region is searched as a set of zones");
    tap_ok(found > 10000 && found < 29000, "with and without success: %lu",
           (u_long) found);

    while (n-- > 0) {
        memory_unmap(NULL, zone[n], 0);
    }

    ngx_dns_publisher_close(pub);
}
