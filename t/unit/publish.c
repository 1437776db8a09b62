
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The writer of published zones, alone: what is published is there, what is
 * replaced or removed gives its memory back, and holes are made where none
 * is large enough.
 */


#include "shim.h"
#include "tap.h"
#include "region.h"


#define KB  1024
#define MB  (1024 * 1024)


static void test_init(void);
static void test_zones(void);
static void test_next(void);
static void test_readers(void);
static void test_hold(void);
static void test_full(void);
static void test_log(void);
static void test_copy(void);
static void test_damaged(void);
static void test_replace(void);
static void test_window(void);
static void test_tight(void);
static void test_wants(void);
static void test_no_memory(void);
static ngx_dns_zone_t *get(ngx_dns_publisher_t *pub, ngx_uint_t n);
static ngx_int_t take(ngx_dns_publisher_t *pub, ngx_uint_t n);
static uint64_t area(ngx_dns_shared_t *sh);
static ngx_uint_t sound(ngx_dns_publisher_t *pub, ngx_uint_t n);
static void *some_maps(void *data, size_t size);
static ngx_uint_t dead(uint64_t pid, uint64_t started);


static int         maps;                /* that are given before it fails */
static ngx_uint_t  asked;               /* whether a process lives */


int
main(void)
{
    test_init();
    test_zones();
    test_next();
    test_readers();
    test_hold();
    test_full();
    test_log();
    test_copy();
    test_damaged();
    test_replace();
    test_window();
    test_tight();
    test_wants();
    test_no_memory();

    tap_is_int(memory_blocks, 0, "all private memory is given back");

    return tap_done();
}


static ngx_dns_zone_t *
get(ngx_dns_publisher_t *pub, ngx_uint_t n)
{
    u_char  apex[NGX_DNS_NAME_MAX];

    region_apex(apex, n);

    return ngx_dns_publish_get(pub, apex);
}


static ngx_int_t
take(ngx_dns_publisher_t *pub, ngx_uint_t n)
{
    u_char  apex[NGX_DNS_NAME_MAX];

    region_apex(apex, n);

    return ngx_dns_publish_remove(pub, apex);
}


static uint64_t
area(ngx_dns_shared_t *sh)
{
    return (sh->size - sh->blocks) / 64 * 64;
}


/* how many of the zones 0..n-1 are there and whole */

static ngx_uint_t
sound(ngx_dns_publisher_t *pub, ngx_uint_t n)
{
    ngx_uint_t       i, good;
    ngx_dns_zone_t  *zone;

    good = 0;

    for (i = 0; i < n; i++) {
        zone = get(pub, i);
        good += (zone != NULL && region_sound(zone, i));
    }

    return good;
}


static void
test_init(void)
{
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    tap_ok(region_create(64 * KB, 4) == NULL, "too small a region");
    tap_ok(region_create(100 * KB, 1024) == NULL, "too many readers for it");

    sh = region_create(MB, 16);
    pub = region_open(sh);

    if (!tap_ok(sh != NULL && pub != NULL, "an empty region")) {
        return;
    }

    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);

    tap_is_int(st.zones, 0, "no zones");
    tap_is_int(st.records, 0, "no records");
    tap_is_int(st.waiting, 0, "nothing waits");
    tap_is_int(st.used + st.free, area(sh), "used and free is all there is");
    tap_is_int(st.free, st.largest, "one hole");
    tap_ok(st.used < 2 * KB, "little is used");

    ngx_dns_publisher_close(pub);
}


static void
test_zones(void)
{
    ngx_uint_t               i, bad;
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st, empty;

    sh = region_create(16 * MB, 16);
    pub = region_open(sh);
    region_settle(pub);
    ngx_dns_publish_stat(pub, &empty);

    bad = 0;

    for (i = 0; i < 5000; i++) {
        bad += (region_put(sh, pub, i, 1, 400 + i % 3000) != NGX_OK);
    }

    tap_is_int(bad, 0, "5000 zones are published");
    tap_is_int(sound(pub, 5000), 5000, "all are there and whole");

    ngx_dns_publish_stat(pub, &st);
    tap_is_int(st.zones, 5000, "they are counted");
    tap_is_int(st.records, 15000, "so are their records");

    for (i = 0; i < 5000; i += 2) {
        bad += (region_put(sh, pub, i, 2, 400 + i * 7 % 3000) != NGX_OK);
    }

    for (i = 1; i < 5000; i += 4) {
        bad += (take(pub, i) != NGX_OK);
        bad += (take(pub, i) != NGX_DECLINED);
    }

    tap_is_int(bad, 0, "half of them are replaced, a quarter removed");
    tap_is_int(sound(pub, 5000), 3750, "the others are there and whole");

    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);
    tap_is_int(st.zones, 3750, "the number of zones");
    tap_is_int(st.records, 3 * 3750, "the number of records");
    tap_is_int(st.waiting, 0, "nothing waits");
    tap_is_int(st.used + st.free, area(sh), "used and free is all there is");

    ngx_dns_publisher_close(pub);
    pub = region_open(sh);
    region_settle(pub);
    ngx_dns_publish_stat(pub, &empty);

    tap_is_int(sound(pub, 5000), 3750, "a successor sees the same zones");
    tap_is_int(empty.records, st.records, "as many records");
    tap_is_int(empty.used, st.used, "as much in use");

    for (i = 0; i < 5000; i++) {
        (void) take(pub, i);
    }

    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);
    tap_is_int(st.zones, 0, "all are removed");
    tap_is_int(st.records, 0, "no records are left");
    tap_ok(st.used < 2 * KB, "only a small directory is left");
    tap_ok(st.largest * 2 > area(sh), "holes are joined");

    ngx_dns_publisher_close(pub);
}


/* a walk over all zones, while the directory changes under it */

static void
test_next(void)
{
    uint64_t              cursor;
    ngx_uint_t            i, n, lost, twice;
    static u_char         met[20000];
    ngx_dns_zone_t       *zone;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    sh = region_create(32 * MB, 16);
    pub = region_open(sh);

    for (i = 0; i < 1000; i++) {
        (void) region_put(sh, pub, i, 1, 400);
    }

    cursor = 0;
    twice = 0;

    for (n = 0; /* void */ ; n++) {
        zone = ngx_dns_publish_next(pub, &cursor);

        if (zone == NULL) {
            break;
        }

        twice += met[zone->nnodes]++;

        /* eight more for each: many times as many slots in the end */

        for (i = 0; i < 8; i++) {
            (void) region_put(sh, pub, 1000 + (n * 8 + i) % 8000, n, 400);
        }

        (void) take(pub, 1000 + n * 5 % 8000);
    }

    lost = 0;

    for (i = 0; i < 1000; i++) {
        lost += !met[i];
    }

    tap_is_int(lost, 0, "a walk meets each zone that stays");
    tap_is_int(twice, 0, "none is met twice");

    ngx_dns_publisher_close(pub);
}


static ngx_uint_t
dead(uint64_t pid, uint64_t started)
{
    asked++;

    return 0;
}


static void
test_readers(void)
{
    ngx_uint_t               i;
    ngx_dns_view_t           view;
    ngx_dns_zone_t          *zone;
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    sh = region_create(4 * MB, 16);
    pub = region_open(sh);
    (void) region_put(sh, pub, 1, 1, 100 * KB);
    region_settle(pub);

    view.shared = sh;
    view.reader = ngx_dns_shared_reader(sh, 3, 4711, 1);

    ngx_dns_view_enter(&view, 0);
    zone = get(pub, 1);
    (void) region_put(sh, pub, 1, 2, 100 * KB);

    for (i = 0; i < 100; i++) {
        if (ngx_dns_publish_work(pub, MB) != NGX_AGAIN) {
            break;
        }
    }

    ngx_dns_publish_stat(pub, &st);
    tap_is_int(i, 100, "a zone that is seen waits");
    tap_ok(st.waiting >= 100 * KB, "it is counted as waiting");
    tap_ok(zone->serial == 1 && region_sound(zone, 1), "it stays whole");
    tap_is_int(get(pub, 1)->serial, 2, "the new one is there");

    ngx_dns_view_leave(&view);
    tap_is_int(ngx_dns_publish_work(pub, MB), NGX_OK,
               "nothing waits when the reader has left");

    ngx_dns_view_enter(&view, 0);
    (void) region_put(sh, pub, 1, 3, 100 * KB);
    tap_is_int(ngx_dns_publish_work(pub, MB), NGX_AGAIN, "again it waits");

    ngx_dns_view_leave(&view);
    ngx_dns_view_enter(&view, 0);
    tap_is_int(ngx_dns_publish_work(pub, MB), NGX_OK,
               "a reader that came later sees the new one only");

    (void) region_put(sh, pub, 1, 4, 100 * KB);
    ngx_dns_publisher_close(pub);

    pub = ngx_dns_publisher_open(sh, &memory, &region_key, dead);
    ngx_dns_publish_stat(pub, &st);
    tap_ok(st.free == 0 && st.waiting > 3 * MB,
           "all that is free waits for readers of the last writer");

    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);
    tap_is_int(st.waiting, 0, "a dead reader holds nothing back");
    tap_is_int(asked, 1, "it was asked about once");

    ngx_dns_shared_reader(sh, 3, 4712, 2);
    ngx_dns_view_enter(&view, 0);
    (void) region_put(sh, pub, 1, 5, 100 * KB);

    tap_is_int(ngx_dns_publish_work(pub, MB), NGX_AGAIN,
               "the next process in its slot does");

    ngx_dns_view_leave(&view);
    ngx_dns_publisher_close(pub);
}


static void
test_hold(void)
{
    uint64_t                 place, needed;
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_dns_zone_t          *one, *two;
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    sh = region_create(4 * MB, 16);
    pub = region_open(sh);
    rc = NGX_OK;

    for (i = 0; i < 30; i++) {
        (void) region_put(sh, pub, i, 1, 100 * KB);
    }

    one = get(pub, 13);
    two = get(pub, 17);
    ngx_dns_publish_hold(pub, one);
    ngx_dns_publish_hold(pub, one);
    ngx_dns_publish_hold(pub, two);

    for (i = 0; i < 30; i++) {
        if (i != 17) {
            (void) region_put(sh, pub, i, 2, 110 * KB);
        }
    }

    for (i = 0; i < 30; i++) {
        if (i != 17) {
            (void) take(pub, i);
        }
    }

    region_settle(pub);
    tap_ok(region_sound(one, 13) && one->serial == 1,
           "a zone that is held is not freed");

    for (i = 0; i < 10000; i++) {
        rc = ngx_dns_publish_alloc(pub, 3500 * KB, &place, &needed);

        if (rc != NGX_AGAIN) {
            break;
        }

        (void) ngx_dns_publish_work(pub, MB);
    }

    tap_ok(i > 1000 && rc == NGX_DECLINED,
           "where zones are held no hole is made: %d calls", (int) i);
    tap_ok(get(pub, 17) == two && region_sound(two, 17), "it is not moved");

    ngx_dns_publish_release(pub, one);
    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);
    tap_ok(region_sound(one, 13), "it is held as often as was asked for");

    ngx_dns_publish_release(pub, one);
    ngx_dns_publish_release(pub, two);
    tap_is_int(region_put(sh, pub, 99, 1, 3500 * KB), NGX_OK,
               "when all are released the hole is made");
    tap_ok(region_sound(get(pub, 17), 17), "the zone was moved whole");

    ngx_dns_publisher_close(pub);
}


static void
test_full(void)
{
    uint64_t                 place, needed;
    ngx_uint_t               i;
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    sh = region_create(2 * MB, 16);
    pub = region_open(sh);

    for (i = 0; region_put(sh, pub, i, 1, 10 * KB) == NGX_OK; i++) {
        /* void */
    }

    ngx_dns_publish_stat(pub, &st);
    tap_ok(st.free < 40 * KB, "a region can be filled: %lu", st.free);
    tap_is_int(sound(pub, i), i, "all zones are there");

    tap_is_int(ngx_dns_publish_alloc(pub, st.free + 12345 * 64, &place,
                                     &needed),
               NGX_DECLINED, "more does not fit");
    tap_is_int(needed, 12345 * 64, "what is missing is told");

    (void) take(pub, 5);
    region_settle(pub);
    tap_is_int(region_put(sh, pub, 5, 2, 10 * KB), NGX_OK,
               "what was freed can be used");

    ngx_dns_publisher_close(pub);
}


static void
test_log(void)
{
    u_char                buf[65536], data[65536];
    uint64_t              pos, last, first;
    ngx_uint_t            i, n, bad;
    ngx_str_t             entry;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    sh = region_create(MB, 4);
    pub = region_open(sh);

    pos = 0;
    tap_is_int(ngx_dns_publish_log_read(pub, &pos, buf, sizeof(buf), &entry),
               NGX_DECLINED, "an empty log");

    last = 0;
    first = 0;
    bad = 0;
    n = 0;
    entry.data = data;

    for (i = 0; i < 5000; i++) {
        entry.len = i * 37 % 900;
        memset(data, (int) i, entry.len);

        pos = ngx_dns_publish_log_append(pub, &entry);
        bad += (pos <= last);
        last = pos;

        if (i >= 20) {
            pos = first;
            bad += (ngx_dns_publish_log_read(pub, &pos, buf, sizeof(buf),
                                             &entry) != NGX_OK);
            bad += (entry.len != n * 37 % 900);
            bad += (entry.len && buf[entry.len - 1] != (u_char) n);
            entry.data = data;
            first = pos;
            n++;
            ngx_dns_publish_log_done(pub, first);
        }
    }

    tap_is_int(bad, 0, "5000 entries around the ring");

    ngx_dns_publisher_close(pub);
    pub = region_open(sh);

    for (pos = 0, i = 0;
         ngx_dns_publish_log_read(pub, &pos, buf, sizeof(buf), &entry)
         == NGX_OK; i++)
    {
        /* void */
    }

    tap_is_int(i, 20, "a successor reads the rest of it");
    tap_is_int(pos, last, "up to its end");

    entry.data = data;
    entry.len = 60000;
    tap_is_int(ngx_dns_publish_log_append(pub, &entry), 0, "no room");
    tap_is_int(ngx_dns_publish_log_read(pub, &first, buf, 1, &entry),
               NGX_ERROR, "too small a buffer");

    entry.data = data;
    entry.len = 60000;
    ngx_dns_publish_log_done(pub, last + 1);
    tap_is_int(ngx_dns_publish_log_append(pub, &entry), 0,
               "nobody is done with what is not written");

    ngx_dns_publish_log_done(pub, last);
    pos = ngx_dns_publish_log_append(pub, &entry);
    tap_is_int(pos, last + 60002, "when all is done there is room");

    ngx_dns_publisher_close(pub);
}


static void
test_copy(void)
{
    uint64_t                 needed;
    ngx_uint_t               i;
    ngx_dns_shared_t        *sh, *small, *large;
    ngx_dns_publisher_t     *from, *to;
    ngx_dns_publish_stat_t   st, copy;

    sh = region_create(8 * MB, 16);
    from = region_open(sh);

    for (i = 0; i < 1000; i++) {
        (void) region_put(sh, from, i, 1, 500 + i * 13 % 8000);
    }

    sh->synced = 1;
    sh->stat[5] = 77;
    sh->ready = 1;
    sh->contact = 1000;
    ngx_dns_publish_stat(from, &st);

    small = region_create(2 * MB, 16);
    to = region_open(small);
    needed = 0;
    tap_is_int(ngx_dns_publish_copy(to, sh, &needed), NGX_DECLINED,
               "a smaller region takes no copy");
    tap_ok(needed > MB && needed < 3 * MB, "how much is missing: %lu",
           needed);
    ngx_dns_publisher_close(to);

    large = region_create(6 * MB, 32);
    to = region_open(large);
    tap_is_int(ngx_dns_publish_copy(to, sh, &needed), NGX_OK,
               "a copy in a region of another size");
    tap_is_int(sound(to, 1000), 1000, "all zones are there");

    ngx_dns_publish_stat(to, &copy);
    tap_is_int(copy.records, st.records, "and all records");
    tap_is_int(large->stat[5], 77, "counters");
    tap_is_int(large->ready, 1, "ready");
    tap_is_int(large->contact, 1000, "last contact");
    tap_is_int(large->synced, 0, "all is to be compared");

    ngx_dns_publisher_close(to);

    to = region_open(large);
    tap_is_int(sound(to, 1000), 1000, "a successor sees them too");
    ngx_dns_publisher_close(to);
    ngx_dns_publisher_close(from);
}


/* each word of the directory and of a zone's head in turn: never a crash */

static void
test_damaged(void)
{
    u_char               *image;
    size_t                i, n, size;
    uint64_t             *word, value;
    ngx_uint_t            opened;
    ngx_dns_zone_t       *zone;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    size = 256 * KB;
    sh = region_create(size, 4);
    pub = region_open(sh);

    for (i = 0; i < 10; i++) {
        (void) region_put(sh, pub, i, 1, 1000);
    }

    zone = get(pub, 3);
    ngx_dns_publisher_close(pub);

    image = malloc(size);
    memcpy(image, sh, size);

#define opens(what)                                                           \
    do {                                                                      \
        pub = region_open(sh);                                                \
        tap_ok(pub == NULL, what);                                            \
        if (pub != NULL) {                                                    \
            ngx_dns_publisher_close(pub);                                     \
        }                                                                     \
        memcpy(sh, image, size);                                              \
    } while (0)

    sh->magic++;
    opens("another magic number");

    sh->directory += 8;
    opens("a directory that is not aligned");

    sh->directory = sh->size;
    opens("a directory behind the end");

    zone->magic++;
    opens("no zone");

    zone->size += 64 * KB;
    opens("zones that overlap");

    zone->size = 10;
    opens("a zone smaller than its head");

    zone->name_len++;
    opens("a name that does not end");

    zone->name[1]++;
    opens("a name of another hash");

    word = ngx_dns_shared_at(sh, sh->directory);
    opened = 0;

    for (i = 0; i < (64 + 64 * 16) / 8; i++) {

        for (n = 0; n < 64; n++) {
            value = word[i];
            word[i] ^= (uint64_t) 1 << n;

            pub = region_open(sh);

            if (pub != NULL) {
                opened++;
                (void) region_put(sh, pub, 20, 1, 1000);
                (void) take(pub, 5);
                ngx_dns_publisher_close(pub);
                memcpy(sh, image, size);
            }

            word[i] = value;
        }
    }

    tap_ok(opened > 0, "damage is found or does not matter (%d times)",
           (int) opened);

    pub = region_open(sh);

    if (tap_ok(pub != NULL, "undamaged it opens")) {
        ngx_dns_publisher_close(pub);
    }

    free(image);
}


/* a zone of 1/16 of the region is changed again and again */

static void
test_replace(void)
{
    ngx_uint_t               i, bad;
    ngx_dns_view_t           view[4];
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    sh = region_create(16 * MB, 16);
    pub = region_open(sh);

    for (i = 0; i < 4; i++) {
        view[i].shared = sh;
        view[i].reader = ngx_dns_shared_reader(sh, i, 100 + i, 1);
    }

    /* eight that stay, one that changes; two wait at a time */

    for (i = 0; i < 9; i++) {
        (void) region_put(sh, pub, i, 1, MB);
    }

    bad = 0;

    for (i = 0; i < 300; i++) {
        ngx_dns_view_leave(&view[i / 2 % 4]);
        ngx_dns_view_leave(&view[(i / 2 + 1) % 4]);
        ngx_dns_view_leave(&view[(i / 2 + 2) % 4]);
        ngx_dns_view_enter(&view[i / 2 % 4], 0);

        bad += (region_put(sh, pub, 8, i, MB + shim_pick(64) * KB) != NGX_OK);
    }

    tap_is_int(bad, 0, "300 changes of a large zone");

    for (i = 0; i < 4; i++) {
        ngx_dns_view_leave(&view[i]);
    }

    for (i = 0; i < 300; i++) {
        bad += (region_put(sh, pub, i % 9, i,
                           MB * 3 / 4 + shim_pick(512) * KB) != NGX_OK);
    }

    tap_is_int(bad, 0, "300 changes of nine large zones");
    tap_is_int(sound(pub, 9), 9, "they are whole");

    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);
    tap_is_int(st.used + st.free, area(sh), "nothing was lost");

    ngx_dns_publisher_close(pub);
}


/*
 * Zones of 2 to 40 KB in a region a quarter larger than they are; then one
 * that needs most of the rest.
 */

static void
test_window(void)
{
    uint64_t                 total;
    ngx_uint_t               i, n, bad;
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;
    static size_t            size[1000];

    sh = region_create(28 * MB, 16);
    pub = region_open(sh);
    total = 0;

    for (n = 0; n < 1000; n++) {
        size[n] = 2 * KB + shim_pick(38 * KB);
        total += size[n];
        (void) region_put(sh, pub, n, 1, size[n]);
    }

    bad = 0;

    for (i = 0; i < 30000; i++) {
        n = shim_pick(1000);
        total -= size[n];
        size[n] = 2 * KB + shim_pick(38 * KB);
        total += size[n];

        bad += (region_put(sh, pub, n, i, size[n]) != NGX_OK);
    }

    tap_is_int(bad, 0, "30000 changes with a quarter of memory to spare");
    tap_is_int(sound(pub, 1000), 1000, "all are whole");

    region_settle(pub);
    ngx_dns_publish_stat(pub, &st);
    tap_is_int(st.used + st.free, area(sh), "nothing was lost");
    tap_ok(st.used - total < 1000 * 64 + 100 * KB, "nothing was wasted");

    printf("# %d MB free, largest hole %d KB, moved %d MB\n",
           (int) (st.free / MB), (int) (st.largest / KB),
           (int) (st.moved / MB));

    tap_is_int(region_put(sh, pub, 1000, 1, st.free * 9 / 10), NGX_OK,
               "a zone of nine tenths of what is free");
    tap_is_int(sound(pub, 1001), 1001, "all are whole");

    ngx_dns_publisher_close(pub);
}


/* the last octet */

static void
test_tight(void)
{
    ngx_uint_t               i, n, bad, used;
    ngx_dns_shared_t        *sh;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    for (i = 0; i < 10; i++) {

        sh = region_create(4 * MB, 16);
        pub = region_open(sh);

        for (n = 0; /* void */ ; n++) {
            if (region_put(sh, pub, n, 1, 400 + shim_pick(20000)) != NGX_OK) {
                break;
            }
        }

        used = 0;
        bad = 0;

        while (n-- > 0) {
            if (shim_pick(3) == 0) {
                bad += (take(pub, n) != NGX_OK);

            } else {
                used++;
            }
        }

        region_settle(pub);
        ngx_dns_publish_stat(pub, &st);

        bad += (region_put(sh, pub, 10000, 1, st.free) != NGX_OK);
        bad += (bad == 0 && !region_sound(get(pub, 10000), 10000));

        ngx_dns_publish_stat(pub, &st);

        if (!tap_ok(bad == 0 && st.free == 0 && st.zones == used + 1,
                    "a zone of all that is free"))
        {
            printf("# free %lu, largest %lu\n", st.free, st.largest);
        }

        ngx_dns_publisher_close(pub);

        pub = region_open(sh);
        region_settle(pub);
        ngx_dns_publish_stat(pub, &st);
        tap_ok(st.free == 0 && st.zones == used + 1, "a successor agrees");

        ngx_dns_publisher_close(pub);
    }
}


/* several wait at once */

static void
test_wants(void)
{
    uint64_t              place[8], needed;
    ngx_int_t             rc;
    ngx_uint_t            i, n, left;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    sh = region_create(8 * MB, 16);
    pub = region_open(sh);

    for (n = 0; region_put(sh, pub, n, 1, 20 * KB) == NGX_OK; n++) {
        /* void */
    }

    for (i = 0; i < n; i += 2) {
        (void) take(pub, i);
    }

    memset(place, 0, sizeof(place));
    left = 8;

    for (i = 0; i < 10000 && left > 0; i++) {

        for (n = 0; n < 8; n++) {

            if (place[n] != 0) {
                continue;
            }

            rc = ngx_dns_publish_alloc(pub, (n + 1) * 100 * KB, &place[n],
                                       &needed);
            left -= (rc == NGX_OK);
        }

        (void) ngx_dns_publish_work(pub, 64 * KB);
    }

    tap_is_int(left, 0, "eight that wait are served");
    printf("# after %d calls\n", (int) i);

    for (n = 0; n < 8; n++) {
        ngx_dns_publish_cancel(pub, place[n]);
    }

    /* who asked and went away is nobody's burden for long */

    for (i = 0; i < 10; i++) {
        (void) ngx_dns_publish_alloc(pub, 3000 * KB + i * 64, &place[0],
                                     &needed);
    }

    region_settle(pub);
    tap_is_int(region_put(sh, pub, 5000, 1, 2000 * KB), NGX_OK,
               "holes nobody asks for any more are given up");

    ngx_dns_publisher_close(pub);
}


static void *
some_maps(void *data, size_t size)
{
    if (maps-- <= 0) {
        return NULL;
    }

    return memory_map(data, size);
}


static void
test_no_memory(void)
{
    int                   n;
    ngx_uint_t            i, failed;
    ngx_dns_memory_t      some;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    some = memory;
    some.map = some_maps;
    failed = 0;

    for (n = 0; n < 20; n++) {

        sh = region_create(4 * MB, 100);
        maps = n;
        pub = ngx_dns_publisher_open(sh, &some, &region_key, region_alive);

        if (pub == NULL) {
            failed++;
            continue;
        }

        for (i = 0; i < 4000; i++) {
            if (region_put(sh, pub, i % 1000, i, 400 + shim_pick(1000))
                != NGX_OK)
            {
                break;
            }
        }

        ngx_dns_publisher_close(pub);
        pub = region_open(sh);

        if (pub == NULL || sound(pub, 1000) < ngx_min(i, 1000)) {
            tap_ok(0, "without memory for more than %d maps", n);
        }

        ngx_dns_publisher_close(pub);
    }

    tap_ok(failed > 2 && failed < 10, "a writer without memory");
}
