
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * External targets in shared memory: what is stored is found, as long as it
 * may be; what nobody asks for makes room; readers are never shown a half,
 * though writers and readers are killed at any instruction.
 */


#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "shim.h"
#include "tap.h"
#include "memory.h"
#include "ngx_dns_external_write.h"


#define KB       1024
#define MB       (1024 * 1024)
#define NOW      1000000
#define READERS  3
#define TARGETS  200
#define KILLS    80


typedef struct {
    volatile uint64_t  found;
    volatile uint64_t  bad;
    volatile uint64_t  changes;
} report_t;


static void test_init(void);
static void test_life(void);
static void test_nodata(void);
static void test_failing(void);
static void test_wants(void);
static void test_full_ring(void);
static void test_networks(void);
static void test_private(void);
static void test_large(void);
static void test_evict(void);
static void test_due(void);
static void test_successor(void);
static void test_kill(void);
static ngx_dns_external_shared_t *region(size_t size);
static ngx_dns_external_writer_t *writer(ngx_dns_external_shared_t *sh);
static void target(ngx_dns_external_target_t *t, ngx_uint_t n);
static void store(ngx_dns_external_writer_t *w, ngx_uint_t n, ngx_uint_t nrr,
    uint32_t ttl, int64_t now);
static ngx_int_t find(ngx_uint_t n, int64_t now);
static void reader(ngx_uint_t i);
static void kill_writer(ngx_uint_t seed);
static ngx_uint_t check(void);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static ngx_dns_external_t         *ext;
static ngx_dns_external_result_t   r;
static ngx_dns_external_shared_t  *sh;
static ngx_dns_external_writer_t  *w;
static report_t                   *report;
static ngx_pool_t                 *pool;


int
main(void)
{
    test_init();
    test_life();
    test_nodata();
    test_failing();
    test_wants();
    test_full_ring();
    test_networks();
    test_private();
    test_large();
    test_evict();
    test_due();
    test_successor();
    test_kill();

    tap_is_int(memory_blocks, 0, "all private memory is given back");

    ngx_destroy_pool(pool);

    return tap_done();
}


/* that of the reader; the one before is of no use any more */

static ngx_pool_t *
next_pool(void)
{
    if (pool != NULL) {
        ngx_destroy_pool(pool);
    }

    pool = shim_pool();

    return pool;
}


static ngx_dns_external_shared_t *
region(size_t size)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1,
             0);

    return (p == MAP_FAILED) ? NULL : ngx_dns_external_init(p, size, 8);
}


static ngx_dns_external_writer_t *
writer(ngx_dns_external_shared_t *shared)
{
    ngx_dns_external_writer_t  *wr;

    wr = ngx_dns_external_open(shared, &memory, &key);

    while (ngx_dns_external_continue(wr) == NGX_AGAIN) { /* void */ }

    return wr;
}


/* a region with its writer, and a reader */

static void
start(size_t size, ngx_uint_t ecs)
{
    sh = region(size);
    w = writer(sh);
    ext = ngx_dns_external_create(next_pool(), sh, 1, ecs);
}


static void
stop(void)
{
    ngx_dns_external_close(w);
    munmap(sh, sh->size);
}


static void
target(ngx_dns_external_target_t *t, ngx_uint_t n)
{
    int     len;
    u_char  wire[NGX_DNS_NAME_MAX + 1], *p;

    memset(t, 0, sizeof(ngx_dns_external_target_t));

    p = wire;

    /* some names take more than one chunk */

    if (n % 5 == 0) {
        *p++ = 62;
        memset(p, 'x', 62);
        p += 62;
    }

    len = sprintf((char *) p + 1, "%d", (int) n);
    *p = (u_char) len;
    p += 1 + len;
    memcpy(p, "\4test", 6);

    ngx_dns_name_set(&t->name, wire, &key);
    t->type = NGX_DNS_TYPE_A;
}


/* addresses that tell which target they are of, and which version */

static void
store(ngx_dns_external_writer_t *wr, ngx_uint_t n, ngx_uint_t nrr,
    uint32_t ttl, int64_t now)
{
    uint32_t                   e;
    ngx_uint_t                 i;
    static u_char              rrs[NGX_DNS_EXTERNAL_DATA + 64], *p;
    ngx_dns_external_data_t    data;
    ngx_dns_external_target_t  t;

    target(&t, n);
    e = ngx_dns_external_make(wr, &t, now, 0);

    if (e == NGX_DNS_EXTERNAL_NONE) {
        return;
    }

    p = rrs;

    for (i = 0; i < nrr; i++) {
        p = ngx_dns_put16(p, 4);
        *p++ = (u_char) n;
        *p++ = (u_char) ttl;
        p = ngx_dns_put16(p, i);
    }

    data.rcode = NGX_DNS_NOERROR;
    data.nrr = (uint16_t) nrr;
    data.ttl = ttl;
    data.rrs = rrs;
    data.size = (uint32_t) (p - rrs);

    (void) ngx_dns_external_store(wr, e, &data, now);
}


static ngx_int_t
find(ngx_uint_t n, int64_t now)
{
    ngx_dns_external_target_t  t;

    target(&t, n);

    return ngx_dns_external_find(ext, &t.name, t.type, NULL, now, &r);
}


/* 1 if the result is one that store() has made */

static ngx_uint_t
sound(ngx_uint_t n)
{
    u_char      *rr;
    ngx_uint_t   i;

    if (r.rrset == NULL || r.rrset->type != NGX_DNS_TYPE_A
        || r.rrset->size != 6 * (uint32_t) r.rrset->nrr)
    {
        return 0;
    }

    rr = ngx_dns_rrset_first(r.rrset);

    for (i = 0; i < r.rrset->nrr; i++) {

        if (ngx_dns_get16(rr) != 4 || rr[2] != (u_char) n
            || rr[3] != (u_char) r.rrset->ttl || ngx_dns_get16(rr + 4) != i)
        {
            return 0;
        }

        rr = ngx_dns_rrset_step(r.rrset, rr);
    }

    return 1;
}


static void
test_init(void)
{
    size_t  size;

    tap_ok(region(16 * KB) == NULL, "too small");

    for (size = 256 * KB; size <= 64 * MB; size *= 4) {
        sh = region(size);

        if (!tap_ok(sh != NULL, "%d KB", (int) (size / KB))) {
            continue;
        }

        tap_ok(sh->nentries >= size / 1024, "entries");
        tap_ok(sh->nchunks >= 2 * sh->nentries, "chunks");
        tap_ok(sh->mask >= sh->nentries, "slots");
        tap_ok(sh->chunks + sh->nchunks * 64 <= size, "all of it fits");
        munmap(sh, size);
    }
}


static void
test_life(void)
{
    start(512 * KB, 0);

    tap_is_int(find(1, NOW), NGX_DECLINED, "not there");
    tap_is_int(r.wanted, 1, "asked for");
    tap_is_int(find(1, NOW), NGX_DECLINED, "not there again");
    tap_is_int(r.wanted, 0, "asked for once a second");

    store(w, 1, 3, 60, NOW);
    store(w, 5, 2, 0, NOW);

    tap_is_int(find(1, NOW), NGX_OK, "there");
    tap_ok(sound(1), "as it was stored");
    tap_is_int(r.rrset->nrr, 3, "all of it");
    tap_is_int(r.ttl, 60, "TTL");
    tap_is_int(r.stale, 0, "not stale");
    tap_is_int(r.scope, 0, "scope");

    tap_is_int(find(1, NOW + 59), NGX_OK, "later");
    tap_is_int(r.ttl, 1, "TTL counts down");
    tap_is_int(r.wanted, 0, "nothing wanted");

    tap_is_int(find(1, NOW + 60), NGX_OK, "past its time");
    tap_is_int(r.stale, 1, "stale");
    tap_is_int(r.ttl, 1, "TTL of stale data");
    tap_is_int(r.wanted, 1, "asked for at once");

    tap_is_int(find(1, NOW + 60 + NGX_DNS_EXTERNAL_STALE), NGX_OK, "old");
    tap_is_int(find(1, NOW + 61 + NGX_DNS_EXTERNAL_STALE), NGX_DECLINED,
               "too old");
    tap_is_int(find(1, NOW - 100), NGX_OK, "the clock went back");
    tap_is_int(r.ttl, 1, "which makes it stale");

    tap_is_int(find(5, NOW), NGX_OK, "TTL 0");
    tap_is_int(r.ttl, 0, "is 0");
    tap_is_int(r.stale, 0, "and not stale for a second");
    tap_is_int(find(5, NOW + 1), NGX_OK, "then");
    tap_is_int(r.ttl, 0, "it is 0 still");
    tap_is_int(r.wanted, 1, "and wanted");

    /* more than one result */

    ngx_dns_external_reset(ext);
    tap_is_int(find(1, NOW), NGX_OK, "one");
    tap_ok(sound(1), "is there");
    {
        ngx_dns_external_result_t  one = r;

        tap_is_int(find(5, NOW), NGX_OK, "and another");
        tap_ok(sound(5), "is there");
        r = one;
        tap_ok(sound(1), "the first is still there");
    }

    stop();
}


static void
test_nodata(void)
{
    uint32_t                   e;
    ngx_dns_external_data_t    data;
    ngx_dns_external_target_t  t;

    start(512 * KB, 0);

    store(w, 1, 0, 300, NOW);
    tap_is_int(find(1, NOW), NGX_OK, "nothing is an answer");
    tap_ok(r.rrset == NULL, "without an rrset");
    tap_is_int(r.rcode, NGX_DNS_NOERROR, "NOERROR");
    tap_is_int(r.ttl, 300, "TTL");

    memset(&data, 0, sizeof(data));
    data.rcode = NGX_DNS_NXDOMAIN;
    data.ttl = 20;

    target(&t, 1);
    e = ngx_dns_external_get(w, &t);
    ngx_dns_external_store(w, e, &data, NOW);

    tap_is_int(find(1, NOW), NGX_OK, "no name");
    tap_ok(r.rrset == NULL, "no rrset");
    tap_is_int(r.rcode, NGX_DNS_NXDOMAIN, "NXDOMAIN");

    /* the type is part of it */

    target(&t, 1);
    tap_is_int(ngx_dns_external_find(ext, &t.name, NGX_DNS_TYPE_AAAA, NULL,
                                     NOW, &r),
               NGX_DECLINED, "another type");

    ngx_dns_external_remove(w, e);
    tap_is_int(find(1, NOW), NGX_DECLINED, "removed");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES], 0, "no entries");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS], 0, "no chunks");

    stop();
}


static void
test_failing(void)
{
    uint32_t                   e;
    ngx_dns_external_target_t  t;

    start(512 * KB, 0);

    target(&t, 1);
    e = ngx_dns_external_make(w, &t, NOW, 1);
    tap_is_int(ngx_dns_external_make(w, &t, NOW, 1), e, "made once");

    tap_is_int(find(1, NOW), NGX_DECLINED, "nothing is known yet");
    tap_is_int(r.wanted, 0, "it is being asked for");
    tap_is_int(find(1, NOW + 10), NGX_DECLINED, "nor later");
    tap_is_int(r.wanted, 1, "but perhaps it was forgotten");

    ngx_dns_external_fail(w, e, NOW + 20);
    tap_is_int(find(1, NOW + 19), NGX_DECLINED, "failed");
    tap_is_int(r.wanted, 0, "not asked for");
    tap_is_int(r.failing, 1, "it fails");
    tap_is_int(find(1, NOW + 20), NGX_DECLINED, "failed");
    tap_is_int(r.wanted, 1, "asked for");

    store(w, 1, 2, 60, NOW);
    ngx_dns_external_fail(w, e, NOW + 100);

    tap_is_int(find(1, NOW + 30), NGX_OK, "a failure while there is data");
    tap_is_int(r.ttl, 30, "changes nothing");
    tap_is_int(find(1, NOW + 70), NGX_OK, "stale while it fails");
    tap_ok(sound(1), "is what it was");
    tap_is_int(r.stale, 1, "stale");
    tap_is_int(r.ttl, 30, "RFC 8767");
    tap_is_int(r.wanted, 0, "not asked for");
    tap_is_int(find(1, NOW + 100), NGX_OK, "time to try again");
    tap_is_int(r.ttl, 1, "soon there may be more");
    tap_is_int(r.wanted, 1, "asked for");

    stop();
}


static void
test_wants(void)
{
    ngx_uint_t                 i, n;
    ngx_dns_external_want_t   *want;
    ngx_dns_external_target_t  t;

    start(512 * KB, 0);

    tap_is_int(ngx_dns_external_want_next(w, 0, &t), NGX_DECLINED, "none");

    find(1, NOW);
    find(5, NOW);
    find(1, NOW + 1);

    tap_is_int(ngx_dns_external_want_next(w, 0, &t), NGX_OK, "the first");
    tap_is_mem(t.name.wire, t.name.len, "\1" "1\4test", 8, "its name");
    tap_is_int(t.type, NGX_DNS_TYPE_A, "its type");
    tap_is_int(t.family, 0, "no network");
    tap_is_int(ngx_dns_external_want_next(w, 0, &t), NGX_OK, "the second");
    tap_is_int(t.name.len, 63 + 8, "its name");
    tap_is_int(ngx_dns_external_want_next(w, 0, &t), NGX_OK, "the third");
    tap_is_int(ngx_dns_external_want_next(w, 0, &t), NGX_DECLINED, "no more");

    /* a reader that died over it, and one behind */

    want = ngx_dns_external_at(sh, sh->wants);
    want += sh->claimed++ & (sh->nwants - 1);
    find(2, NOW);

    tap_is_int(ngx_dns_external_want_next(w, 5000, &t), NGX_DECLINED, "wait");
    tap_is_int(ngx_dns_external_want_next(w, 5999, &t), NGX_DECLINED, "wait");
    tap_is_int(ngx_dns_external_want_next(w, 6000, &t), NGX_OK, "skipped");
    tap_is_mem(t.name.wire, t.name.len, "\1" "2\4test", 8, "the one behind");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_SKIPPED], 1, "counted");

    /* a name that is none */

    want = ngx_dns_external_at(sh, sh->wants);
    want += sh->claimed & (sh->nwants - 1);
    memset(want->name, 63, sizeof(want->name));
    want->ready = ++sh->claimed;

    tap_is_int(ngx_dns_external_want_next(w, 6000, &t), NGX_DECLINED,
               "nonsense");

    for (i = 0, n = 0; i < 10 * sh->nwants; i++) {
        find(1000 + i, NOW + i);
        n += (ngx_dns_external_want_next(w, 6000, &t) == NGX_OK);
    }

    tap_is_int(n, 10 * sh->nwants, "many times around");

    stop();
}


static void
test_full_ring(void)
{
    ngx_uint_t                  i, n;
    ngx_dns_external_target_t   t;
    ngx_dns_external_reader_t  *rd;

    start(512 * KB, 0);

    for (i = 0; i < sh->nwants + 10; i++) {
        find(i, NOW);
    }

    rd = (ngx_dns_external_reader_t *) ngx_dns_external_at(sh, sh->readers)
         + 1;

    tap_is_int(rd->lost, 10, "a full ring loses the last ones");
    tap_is_int(rd->wanted, sh->nwants, "it has all others");
    tap_is_int(rd->missed, sh->nwants + 10, "all were missed");

    for (n = 0; ngx_dns_external_want_next(w, 0, &t) == NGX_OK; n++) {
        /* void */
    }

    tap_is_int(n, sh->nwants, "in order");

    find(3, NOW + 1);
    tap_is_int(r.wanted, 1, "there is room again");

    stop();
}


static void
test_networks(void)
{
    uint32_t                   e, g;
    ngx_dns_ecs_t              ecs;
    ngx_dns_external_data_t    data;
    ngx_dns_external_target_t  t, want;

    start(512 * KB, 1);

    store(w, 1, 2, 60, NOW);
    target(&t, 1);
    g = ngx_dns_external_get(w, &t);

    ngx_dns_ecs_address(&ecs, (u_char *) "\x51\2\x45\x8e", 4);

    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "nothing is known of networks");
    tap_is_int(r.ttl, 1, "so it is for a second");
    tap_is_int(r.scope, 24, "and for this network");
    tap_is_int(r.wanted, 1, "asked for");

    tap_is_int(ngx_dns_external_want_next(w, 0, &want), NGX_OK, "it is");
    tap_is_int(want.family, NGX_DNS_ECS_INET, "for an IPv4 network");
    tap_is_int(want.bits, 24, "of 24 bits");
    tap_is_mem(want.network, 16, "\x51\2\x45\0\0\0\0\0\0\0\0\0\0\0\0\0", 16,
               "which it is");

    /* the server said: this answer is for 81.2.0.0/16 */

    want.bits = 16;
    want.network[2] = 0;
    e = ngx_dns_external_make(w, &want, NOW, 1);

    data.rcode = NGX_DNS_NOERROR;
    data.nrr = 1;
    data.ttl = 100;
    data.size = 6;
    data.rrs = (u_char *) "\0\4\12\0\0\1";

    ngx_dns_external_store(w, e, &data, NOW);
    ngx_dns_external_scope(w, g, NGX_DNS_EXTERNAL_DIFFER, NGX_DNS_ECS_INET,
                           16);

    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "the network's own");
    tap_is_int(r.scope, 16, "scope");
    tap_is_int(r.ttl, 100, "TTL");
    tap_is_int(r.rrset->nrr, 1, "RRs");
    tap_is_int(r.wanted, 0, "nothing wanted");

    ngx_dns_ecs_address(&ecs, (u_char *) "\x51\3\x45\x8e", 4);
    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "another network");
    tap_is_int(r.rrset->nrr, 2, "gets the one of nobody in particular");
    tap_is_int(r.wanted, 1, "and is asked for");

    ngx_dns_ecs_address(&ecs, (u_char *) "\x51\2\1\1", 4);
    ecs.bits = 12;
    ecs.address[1] = 0;
    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "a larger network than that");
    tap_is_int(r.rrset->nrr, 2, "nobody's in particular");
    tap_is_int(r.scope, 12, "scope");

    ngx_dns_ecs_address(&ecs, (u_char *) "\12\2\1\1", 4);
    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "a private address");
    tap_is_int(r.rrset->nrr, 2, "nobody's in particular");
    tap_is_int(r.scope, 32, "scope: that is not for everybody");
    tap_is_int(r.ttl, 60, "for as long as it lives");
    tap_is_int(r.wanted, 0, "it is told to nobody");

    ngx_dns_ecs_address(&ecs, (u_char *) "\x2a\2\1\2\3\4\5\6\7\10\11\12\13"
                        "\14\15\16", 16);
    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "an IPv6 address");
    tap_is_int(r.scope, 56, "scope");

    while (ngx_dns_external_want_next(w, 0, &want) == NGX_OK) { /* void */ }

    tap_is_int(want.bits, 56, "asked for: 56 bits");
    tap_is_mem(want.network, 16, "\x2a\2\1\2\3\4\5\0\0\0\0\0\0\0\0\0", 16,
               "which are");

    ngx_dns_external_scope(w, g, NGX_DNS_EXTERNAL_SAME, 0, 0);
    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_OK, "networks do not matter");
    tap_is_int(r.scope, 0, "scope");
    tap_is_int(r.ttl, 60, "TTL");

    /* a server without dns_aname_ecs asks for nobody in particular */

    ext = ngx_dns_external_create(next_pool(), sh, 2, 0);
    target(&t, 2);
    tap_is_int(ngx_dns_external_find(ext, &t.name, t.type, &ecs, NOW, &r),
               NGX_DECLINED, "dns_aname_ecs off");
    tap_is_int(ngx_dns_external_want_next(w, 0, &want), NGX_OK, "is asked");
    tap_is_int(want.family, 0, "without a network");

    stop();
}


static void
test_private(void)
{
    ngx_uint_t     i;
    u_char         a[16];
    static u_char  local[][4] = {
        { 10, 1, 2, 3 }, { 127, 0, 0, 1 }, { 192, 168, 1, 1 },
        { 172, 16, 0, 1 }, { 172, 31, 255, 1 }, { 100, 64, 0, 1 },
        { 169, 254, 1, 1 }, { 0, 0, 0, 1 }, { 198, 18, 0, 1 },
        { 224, 0, 0, 1 }, { 255, 255, 255, 255 }, { 192, 0, 0, 8 }
    };
    static u_char  global[][4] = {
        { 9, 255, 255, 255 }, { 11, 0, 0, 1 }, { 172, 15, 0, 1 },
        { 172, 32, 0, 1 }, { 100, 63, 0, 1 }, { 100, 128, 0, 1 },
        { 192, 167, 1, 1 }, { 192, 0, 2, 1 }, { 198, 20, 0, 1 },
        { 223, 255, 255, 1 }, { 8, 8, 8, 8 }
    };

    for (i = 0; i < sizeof(local) / 4; i++) {
        tap_is_int(ngx_dns_external_private(local[i], 4), 1,
                   "%d.%d.%d.%d is told to nobody", local[i][0], local[i][1],
                   local[i][2], local[i][3]);
    }

    for (i = 0; i < sizeof(global) / 4; i++) {
        tap_is_int(ngx_dns_external_private(global[i], 4), 0,
                   "%d.%d.%d.%d is public", global[i][0], global[i][1],
                   global[i][2], global[i][3]);
    }

    memset(a, 0, 16);
    a[15] = 1;
    tap_is_int(ngx_dns_external_private(a, 16), 1, "::1");
    a[0] = 0xfe;
    a[1] = 0x80;
    tap_is_int(ngx_dns_external_private(a, 16), 1, "fe80::1");
    a[0] = 0xfd;
    tap_is_int(ngx_dns_external_private(a, 16), 1, "fd80::1");
    a[0] = 0x2a;
    tap_is_int(ngx_dns_external_private(a, 16), 0, "2a80::1");
}


static void
test_large(void)
{
    ngx_uint_t                 i;
    ngx_dns_external_data_t    data;
    ngx_dns_external_target_t  t;

    start(1 * MB, 0);

    store(w, 3, 10000, 60, NOW);
    tap_is_int(find(3, NOW), NGX_OK, "60000 octets");
    tap_ok(sound(3), "are as they were");
    tap_is_int(r.rrset->nrr, 10000, "all of them");

    for (i = 0; i < 50; i++) {
        store(w, 3, 10000 - 100 * i, (uint32_t) i, NOW);
        ngx_dns_external_reset(ext);

        if (find(3, NOW) != NGX_OK || !sound(3)) {
            break;
        }
    }

    tap_is_int(i, 50, "again and again");

    /* so many that there is no room for the next one */

    for (i = 0; i < 20; i++) {
        store(w, 10 + i, 10000, 60, NOW + i);
    }

    ngx_dns_external_reset(ext);
    tap_is_int(find(29, NOW), NGX_OK, "the last one is there");
    tap_ok(sound(29), "as it was");
    tap_is_int(find(3, NOW), NGX_DECLINED, "the first one had to go");
    tap_ok(sh->stat[NGX_DNS_EXTERNAL_STAT_EVICTED] > 0, "counted");

    target(&t, 29);
    memset(&data, 0, sizeof(data));
    data.size = NGX_DNS_EXTERNAL_DATA + 1;
    tap_is_int(ngx_dns_external_store(w, ngx_dns_external_get(w, &t), &data,
                                      NOW),
               NGX_DECLINED, "more than there may be");

    stop();
}


static void
test_evict(void)
{
    ngx_uint_t                 i, n, bad;
    ngx_dns_external_target_t  t;

    start(256 * KB, 0);

    n = sh->nentries;

    for (i = 0; i < n; i++) {
        store(w, 1 + 5 * i, 2, 60, NOW);
    }

    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_EVICTED], 0, "all fit");

    /* all but one in ten are asked for, the others with time between them */

    for (i = 0; i < n; i++) {
        if (i % 10 != 3) {
            find(1 + 5 * i, NOW + 1000 + i);
        }
    }

    target(&t, 1 + 5 * 3);
    ngx_dns_external_set_data(w, ngx_dns_external_get(w, &t), &t);

    for (i = 0; i < n / 10; i++) {
        store(w, 2 + 5 * i, 2, 60, NOW + 5000);
    }

    for (i = 0, bad = 0; i < n; i++) {
        bad += ((find(1 + 5 * i, NOW) == NGX_OK) != (i % 10 != 3 || i == 3))
               && i < n / 10 * 10 - 10;
    }

    tap_is_int(bad, 0, "those go that nobody has asked for");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_EVICTED], n / 10, "no others");
    tap_is_int(find(1 + 5 * 3, NOW), NGX_OK, "what is in use stays");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES], n, "it is full");

    /* a life of coming and going */

    for (i = 0; i < 20 * n; i++) {
        store(w, 100000 + i, 1 + i % 30, 60, NOW + 6000 + i / 10);
    }

    for (i = 20 * n - 50, bad = 0; i < 20 * n; i++) {
        ngx_dns_external_reset(ext);
        bad += (find(100000 + i, NOW + 6000) != NGX_OK || !sound(100000 + i));
    }

    tap_is_int(bad, 0, "the last ones are there");

    stop();
}


static void
test_due(void)
{
    uint32_t                   e[3];
    ngx_uint_t                 i;
    ngx_dns_external_target_t  t;

    start(256 * KB, 0);

    for (i = 0; i < 3; i++) {
        target(&t, i);
        e[i] = ngx_dns_external_make(w, &t, NOW, 0);
    }

    tap_is_int(ngx_dns_external_due_next(w, 100), NGX_DNS_EXTERNAL_NONE,
               "nothing is due");

    ngx_dns_external_due(w, e[0], 300);
    ngx_dns_external_due(w, e[1], 100);
    ngx_dns_external_due(w, e[2], 200);
    ngx_dns_external_due(w, e[1], 250);

    tap_is_int(ngx_dns_external_due_next(w, 199), NGX_DNS_EXTERNAL_NONE,
               "not yet");
    tap_is_int(ngx_dns_external_due_next(w, 260), e[2], "the first");
    tap_is_int(ngx_dns_external_due_next(w, 260), e[1], "the second");
    tap_is_int(ngx_dns_external_due_next(w, 260), NGX_DNS_EXTERNAL_NONE,
               "no more");

    ngx_dns_external_remove(w, e[0]);
    tap_is_int(ngx_dns_external_due_next(w, 999), NGX_DNS_EXTERNAL_NONE,
               "what was removed is not due");

    stop();
}


static void
test_successor(void)
{
    uint64_t                  *slots, i;
    uint32_t                   e;
    ngx_dns_external_target_t  t, u;

    start(256 * KB, 0);

    store(w, 1, 20, 60, NOW);
    store(w, 2, 30, 60, NOW);
    store(w, 5, 40, 60, NOW);

    /* the second is left half written, the third lost before it was found */

    target(&t, 2);
    e = ngx_dns_external_get(w, &t);
    ngx_dns_external_entry(sh, e)->seq++;

    target(&t, 5);
    e = ngx_dns_external_get(w, &t);
    slots = ngx_dns_external_at(sh, sh->slots);

    for (i = 0; i <= sh->mask; i++) {
        if ((uint32_t) slots[i] == e + NGX_DNS_EXTERNAL_FIRST) {
            slots[i] = NGX_DNS_EXTERNAL_GONE;
        }
    }

    tap_is_int(find(2, NOW), NGX_DECLINED, "half an entry is none");

    ngx_dns_external_close(w);
    w = writer(sh);

    tap_is_int(find(1, NOW), NGX_OK, "what was whole");
    tap_ok(sound(1), "is as it was");
    tap_is_int(find(2, NOW), NGX_DECLINED, "half an entry is gone");
    tap_is_int(find(5, NOW), NGX_DECLINED, "so is what nobody finds");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES], 1, "one entry");
    tap_is_int(sh->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS], 3, "its chunks");

    target(&t, 1);
    ngx_dns_external_target(w, ngx_dns_external_get(w, &t), &u);
    tap_is_mem(u.name.wire, u.name.len, t.name.wire, t.name.len, "its name");
    tap_ok(u.name.hash[0] == t.name.hash[0], "with its hash");

    store(w, 2, 30, 60, NOW);
    tap_is_int(find(2, NOW), NGX_OK, "it can be stored again");
    tap_ok(sound(2), "as it is");

    stop();
}


static void
test_kill(void)
{
    pid_t       pid, readers[READERS];
    ngx_uint_t  i, n, bad;

    sh = region(256 * KB);
    report = mmap(NULL, sizeof(report_t), PROT_READ|PROT_WRITE,
                  MAP_SHARED|MAP_ANONYMOUS, -1, 0);

    for (i = 0; i < READERS; i++) {
        readers[i] = fork();

        if (readers[i] == 0) {
            reader(i);
        }
    }

    for (n = 0, bad = 0; n < KILLS; n++) {
        pid = fork();

        if (pid == 0) {
            kill_writer(n);
        }

        usleep((useconds_t) (1000 + shim_pick(8000)));

        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);

        bad += !check();
    }

    for (i = 0; i < READERS; i++) {
        kill(readers[i], SIGKILL);
        waitpid(readers[i], NULL, 0);
    }

    tap_is_int(bad, 0, "successors find what adds up");
    tap_is_int(report->bad, 0, "readers saw whole answers only");
    tap_ok(report->found > 1000, "readers were busy");
    tap_ok(report->changes > 1000, "writers were busy");

    printf("# %lu read, %lu stored\n", report->found, report->changes);

    munmap(sh, sh->size);
}


static void
reader(ngx_uint_t i)
{
    ngx_uint_t  n;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);

    ext = ngx_dns_external_create(next_pool(), sh, i, 0);

    for (n = 0; /* void */ ; n++) {
        ngx_dns_external_reset(ext);

        if (find(n % TARGETS, NOW + n / 1000) != NGX_OK) {
            continue;
        }

        __atomic_fetch_add(&report->found, 1, __ATOMIC_RELAXED);

        if (!sound(n % TARGETS)) {
            __atomic_fetch_add(&report->bad, 1, __ATOMIC_RELAXED);
        }
    }
}


static void
kill_writer(ngx_uint_t seed)
{
    uint32_t                   e;
    ngx_uint_t                 n;
    ngx_dns_external_target_t  t;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);

    w = writer(sh);

    for (n = 0; n < seed; n++) {
        (void) shim_pick(2);
    }

    for ( ;; ) {
        n = shim_pick(TARGETS);

        switch (shim_pick(10)) {

        case 0:
            target(&t, n);
            e = ngx_dns_external_get(w, &t);

            if (e != NGX_DNS_EXTERNAL_NONE) {
                ngx_dns_external_remove(w, e);
            }
            break;

        case 1:
            (void) ngx_dns_external_want_next(w, seed, &t);
            break;

        default:
            store(w, n, 1 + shim_pick(60), (uint32_t) shim_pick(250), NOW);
            report->changes++;
        }
    }
}


/* 1 if all entries and chunks are either in use or free */

static ngx_uint_t
check(void)
{
    uint32_t    e;
    ngx_uint_t  i, n, chunks;

    w = writer(sh);
    ext = ngx_dns_external_create(next_pool(), sh, 7, 0);

    n = 0;
    chunks = 0;

    for (i = 0; i < TARGETS; i++) {
        ngx_dns_external_target_t  t;

        target(&t, i);
        e = ngx_dns_external_get(w, &t);

        if (e == NGX_DNS_EXTERNAL_NONE) {
            continue;
        }

        n++;
        chunks += (t.name.len + ngx_dns_external_entry(sh, e)->size + 59)
                  / 60;

        ngx_dns_external_reset(ext);

        if (ngx_dns_external_entry(sh, e)->fetched != 0
            && (find(i, NOW) != NGX_OK || !sound(i)))
        {
            printf("# target %d cannot be read\n", (int) i);
            n = 0;
            break;
        }
    }

    i = (n == sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES]
         && chunks == sh->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS]);

    if (!i) {
        printf("# %d entries, %d chunks, counted %d and %d\n", (int) n,
               (int) chunks, (int) sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES],
               (int) sh->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS]);
    }

    ngx_dns_external_close(w);

    return i;
}
