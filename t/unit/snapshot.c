
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Snapshots as octets: what is written can be read under another key, what
 * is damaged or made up is refused with a message, or read right.
 */


#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "asking.h"
#include "ngx_dns_snapshot_format.h"


#define ZONES       20
#define MUTATIONS   10000
#define FILE_SIZE   (512 * 1024)


/* a file in memory */

typedef struct {
    u_char      p[FILE_SIZE];
    size_t      size;
} image_t;


static void make_zones(void);
static void write_image(image_t *image, ngx_uint_t n);
static void sign_image(image_t *image, ngx_dns_snapshot_head_t *head);
static ngx_int_t read_octets(void *data, u_char *buf, size_t n, uint64_t at);
static ngx_int_t begin(ngx_dns_snapshot_reader_t *r, image_t *image);
static ngx_uint_t read_zones(ngx_dns_snapshot_reader_t *r, ngx_uint_t ask);
static void test_whole(void);
static void test_empty(void);
static void test_secrets(void);
static void test_refused(void);
static void refused(const char *message, size_t at, size_t n,
    const void *octets);
static void test_short(void);
static void test_damaged(void);
static void test_made_up(void);


static asking_t                 one, two;
static ngx_dns_zone_t          *zones[ZONES];
static image_t                  whole, image;
static ngx_dns_snapshot_head_t  head;
static u_char                   buf[4096];


int
main(int argc, char **argv)
{
    ngx_uint_t  i;

    asking_init(&one, 0x0123456789abcdefULL, 0xfedcba9876543211ULL);
    asking_init(&two, 0x1122334455667788ULL, 0x99aabbccddeeff01ULL);

    make_zones();
    write_image(&whole, ZONES);

    test_whole();
    test_empty();
    test_secrets();
    test_refused();
    test_short();
    test_damaged();
    test_made_up();

    for (i = 0; i < ZONES; i++) {
        memory_unmap(NULL, zones[i], 0);
    }

    ngx_destroy_pool(one.pool);
    ngx_destroy_pool(two.pool);

    return tap_done();
}


static void
make_zones(void)
{
    char        apex[32];
    ngx_uint_t  i, k;

    for (i = 0; i < ZONES; i++) {
        zone_add("@ 300 SOA ns h 7 2 3 4 5\n@ 300 NS ns\nns A 192.0.2.1\n");

        for (k = 0; k < i * i; k++) {
            zone_add("n%d A 192.0.2.%d\nn%d MX 1 n%d\n", (int) k,
                     (int) (k % 256), (int) k, (int) (k / 2));
        }

        snprintf(apex, sizeof(apex), "z%d.test.", (int) i);
        zones[i] = zone_compile(apex, &one.key);

        tap_ok(zones[i] != NULL, "zone %s", apex);
    }
}


static void
write_image(image_t *image, ngx_uint_t n)
{
    u_char      *p;
    size_t       len;
    uint64_t     at, stored;
    ngx_uint_t   i;

    p = image->p + NGX_DNS_SNAPSHOT_HEAD;

    for (i = 0; i < n; i++) {
        ngx_dns_snapshot_put_zone(p, zones[i]);
        p += NGX_DNS_SNAPSHOT_ZONE;

        stored = ngx_dns_snapshot_stored(zones[i]);

        /* in pieces of all sizes */

        for (at = 0; at < stored; at += len) {
            len = 1 + shim_pick(700);
            len = ngx_min(len, stored - at);
            ngx_dns_snapshot_put_octets(p, zones[i], at, len);
            p += len;
        }
    }

    image->size = p - image->p;

    memset(&head, 0, sizeof(head));
    head.signature = 42;
    head.time = 1000;
    head.zones = n;
    head.size = image->size;

    sign_image(image, &head);
}


static void
sign_image(image_t *image, ngx_dns_snapshot_head_t *head)
{
    ngx_dns_snapshot_digest(head->digest, image->p + NGX_DNS_SNAPSHOT_HEAD,
                            image->size - NGX_DNS_SNAPSHOT_HEAD);
    ngx_dns_snapshot_put_head(image->p, head);
}


static ngx_int_t
read_octets(void *data, u_char *buf, size_t n, uint64_t at)
{
    image_t  *image;

    image = data;

    if (at > image->size || n > image->size - at) {
        return NGX_ERROR;
    }

    memcpy(buf, image->p + at, n);

    return NGX_OK;
}


static ngx_int_t
begin(ngx_dns_snapshot_reader_t *r, image_t *image)
{
    memset(r, 0, sizeof(ngx_dns_snapshot_reader_t));

    r->read = read_octets;
    r->data = image;
    r->size = image->size;

    if (ngx_dns_snapshot_read_head(r, 42) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_snapshot_read_digest(r, buf, sizeof(buf));
}


/* how many could be read; ask: so many questions to each of them */

static ngx_uint_t
read_zones(ngx_dns_snapshot_reader_t *r, ngx_uint_t ask)
{
    void             *p;
    uint64_t          size;
    ngx_int_t         rc;
    ngx_uint_t        n, k;
    ngx_pool_t       *pool;
    ngx_dns_zone_t   *zone;
    asking_names_t    names;
    ngx_dns_zones_t  *set;

    static u_char  msg[NGX_DNS_MESSAGE_MAX];

    n = 0;

    while (ngx_dns_snapshot_read_size(r, &size) == NGX_OK) {
        p = aligned_alloc(64, size);
        rc = ngx_dns_snapshot_read_zone(r, p, &two.key);

        if (rc != NGX_OK) {
            free(p);
            break;
        }

        n++;
        zone = p;
        pool = shim_pool();
        set = ngx_dns_zones_create(pool, &zone, 1, &two.key);
        asking_names(&names, zone);

        for (k = 0; k < ask; k++) {
            (void) asking_reply(&two, set, names.name[shim_pick(names.n)],
                                asking_types[shim_pick(ASKING_TYPES)],
                                k & 1, (k >> 1) & 1, msg);
        }

        ngx_destroy_pool(pool);
        free(p);
    }

    return n;
}


static void
test_whole(void)
{
    void                       *p;
    uint64_t                    size;
    ngx_uint_t                  i;
    ngx_dns_snapshot_reader_t   r;

    tap_ok(begin(&r, &whole) == NGX_OK, "head and checksum");
    tap_is_int(r.head.time, 1000, "time");
    tap_is_int(r.head.zones, ZONES, "number of zones");

    for (i = 0; i < ZONES; i++) {
        if (ngx_dns_snapshot_read_size(&r, &size) != NGX_OK) {
            tap_ok(0, "zone %d has a size", (int) i);
            return;
        }

        p = aligned_alloc(64, size);

        /* under the same key it is the same zone */

        tap_ok(size == zones[i]->size
               && ngx_dns_snapshot_read_zone(&r, p, &one.key) == NGX_OK
               && memcmp(p, zones[i], size) == 0,
               "zone %d is what it was", (int) i);
        free(p);
    }

    tap_is_int(ngx_dns_snapshot_read_size(&r, &size), NGX_DONE,
               "the last zone");

    begin(&r, &whole);
    tap_is_int(read_zones(&r, 20), ZONES, "all zones under another key");
}


static void
test_empty(void)
{
    uint64_t                   size;
    ngx_dns_snapshot_reader_t  r;

    write_image(&image, 0);

    tap_ok(begin(&r, &image) == NGX_OK
           && ngx_dns_snapshot_read_size(&r, &size) == NGX_DONE,
           "a snapshot without zones");

    write_image(&whole, ZONES);
}


/* neither the key of the hash nor what is made with it goes to the disk */

static void
test_secrets(void)
{
    size_t      i, found;
    ngx_uint_t  k;

    found = 0;

    for (i = 0; i + 8 <= whole.size; i++) {
        for (k = 0; k < 2; k++) {
            found += (memcmp(whole.p + i, &one.key.k[k], 8) == 0);
        }
    }

    tap_is_int(found, 0, "the key of the hash is not in the file");
}


static void
test_refused(void)
{
    uint32_t  order;

    refused("is no snapshot", 0, 1, "X");
    refused("is of format 7, this version reads 1", 16, 4, "\0\0\0\007");
    refused("holds zones of version 1, this version reads 3", 20, 4,
            "\0\0\0\001");

    order = 0x04030201;
    refused("was written on a machine with another byte order", 24, 4,
            &order);

    refused("is damaged: its head has another checksum", 40, 1, "\1");
    refused("is damaged: its head has another checksum", 96, 1, "\1");
    refused("is damaged: it has another checksum", whole.size - 1, 1, "\x55");
    refused("is damaged: it has another checksum", 128, 1, "\x55");
}


static void
refused(const char *message, size_t at, size_t n, const void *octets)
{
    ngx_int_t                  rc;
    ngx_dns_snapshot_reader_t  r;

    memcpy(&image, &whole, sizeof(image));
    memcpy(image.p + at, octets, n);

    rc = begin(&r, &image);

    tap_ok(rc == NGX_ERROR && r.err_len == strlen(message)
           && memcmp(r.err, message, r.err_len) == 0,
           "refused: %.*s", (int) r.err_len, r.err);
}


static void
test_short(void)
{
    size_t                     n;
    ngx_uint_t                 passed;
    ngx_dns_snapshot_reader_t  r;

    static const char  source[] = "is of another source";

    memcpy(&image, &whole, sizeof(image));
    head.signature = 43;
    sign_image(&image, &head);
    head.signature = 42;

    tap_ok(begin(&r, &image) == NGX_ERROR
           && memcmp(r.err, source, sizeof(source) - 1) == 0,
           "refused: %.*s", (int) r.err_len, r.err);

    memcpy(&image, &whole, sizeof(image));
    passed = 0;

    for (n = 0; n < whole.size; n += (n < 200) ? 1 : 1 + shim_pick(500)) {
        image.size = n;
        passed += (begin(&r, &image) == NGX_OK);
    }

    tap_is_int(passed, 0, "what is shorter than it was is refused");

    image.size = whole.size + 1;
    tap_ok(begin(&r, &image) == NGX_ERROR, "what is longer is refused");
}


/* any octet: the digest tells */

static void
test_damaged(void)
{
    size_t                     at;
    ngx_uint_t                 i, passed;
    ngx_dns_snapshot_reader_t  r;

    passed = 0;

    for (i = 0; i < MUTATIONS / 10; i++) {
        at = shim_pick(4) ? shim_pick(whole.size)
                          : shim_pick(NGX_DNS_SNAPSHOT_HEAD);
        whole.p[at] ^= (u_char) (1 << (i % 8));
        passed += (begin(&r, &whole) == NGX_OK);
        whole.p[at] ^= (u_char) (1 << (i % 8));
    }

    tap_is_int(passed, 0, "no damage passes");
}


/* the digest is right: somebody has made it up */

static void
test_made_up(void)
{
    size_t                     at, n;
    uint64_t                   word;
    ngx_uint_t                 i, k, good, messages;
    ngx_dns_snapshot_reader_t  r;

    good = 0;
    messages = 0;

    for (i = 0; i < MUTATIONS; i++) {

        /* mostly the first zones: questions take the time */

        write_image(&image, 1 + shim_pick(6));

        for (k = 1 + shim_pick(3); k > 0; k--) {
            n = 1 + shim_pick(8);
            at = shim_pick(8) ? NGX_DNS_SNAPSHOT_HEAD
                                + shim_pick(image.size - n
                                            - NGX_DNS_SNAPSHOT_HEAD)
                              : NGX_DNS_SNAPSHOT_HEAD + shim_pick(8);
            word = shim_pick(2) ? shim_pick(image.size)
                                : (uint64_t) shim_pick(256)
                                  << shim_pick(64);
            memcpy(image.p + at, &word, n);
        }

        if (shim_pick(20) == 0) {
            head.zones += shim_pick(3) - 1;
        }

        if (shim_pick(20) == 0) {
            image.size -= shim_pick(image.size - NGX_DNS_SNAPSHOT_HEAD);
            head.size = image.size;
        }

        sign_image(&image, &head);

        if (begin(&r, &image) == NGX_OK) {
            good += read_zones(&r, 10);
            messages += (r.err_len != 0);
        }
    }

    tap_ok(good > MUTATIONS / 10 && messages > MUTATIONS / 10,
           "of %d made up %d are refused, %d zones answer", MUTATIONS,
           (int) messages, (int) good);
}
