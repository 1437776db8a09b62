
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * What publication of zones takes at full size: calls of the writer are timed
 * while four readers come and go.
 *
 *   large    10,000 changes of a 1 MB zone in a region of 16 MB
 *   many     100,000 zones of 2 to 40 KB in a region 25 % larger than they
 *            are, 1,000,000 changes to random sizes, then one zone of 100 MB,
 *            then one of 99 % of what is left
 *   open     a successor opens that region
 *
 * usage: publish [ZONES [CHANGES]]
 */


#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "region.h"
#include "shim.h"


#define KB       1024
#define MB       (1024 * 1024)
#define READERS  4


typedef struct {
    const char  *name;
    uint64_t     calls;
    uint64_t     total;                 /* ns of processor time */
    uint64_t     worst;
} timing_t;


static void *map(void *data, size_t size);
static void unmap(void *data, void *p, size_t size);
static uint64_t now(void);
static void count(timing_t *t, uint64_t start);
static void print(timing_t *t);
static ngx_uint_t alive(uint64_t pid, uint64_t started);
static void readers_start(ngx_dns_shared_t *sh, ngx_uint_t nzones);
static void readers_stop(void);
static void reader(ngx_dns_shared_t *sh, ngx_uint_t i, ngx_uint_t nzones);
static int put(ngx_dns_shared_t *sh, ngx_dns_publisher_t *pub, ngx_uint_t n,
    uint32_t version, size_t size);
static void stat_print(ngx_dns_publisher_t *pub);
static void large(void);
static void many(ngx_uint_t nzones, ngx_uint_t changes);


static ngx_dns_memory_t  mapped = { map, unmap, NULL, NULL };

static pid_t     pids[READERS];
static timing_t  t_alloc = { "alloc", 0, 0, 0 };
static timing_t  t_commit = { "commit", 0, 0, 0 };
static timing_t  t_work = { "work", 0, 0, 0 };
static timing_t  t_open = { "open", 0, 0, 0 };
static uint64_t  again, refused;


int
main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);

    large();
    many(argc > 1 ? strtoul(argv[1], NULL, 10) : 100000,
         argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000);

    return refused != 0;
}


static void *
map(void *data, size_t size)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1,
             0);

    return (p == MAP_FAILED) ? NULL : p;
}


static void
unmap(void *data, void *p, size_t size)
{
    (void) munmap(p, (size + 4095) / 4096 * 4096);
}


static uint64_t
now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


static void
count(timing_t *t, uint64_t start)
{
    start = now() - start;

    t->calls++;
    t->total += start;

    if (start > t->worst) {
        t->worst = start;
    }
}


static void
print(timing_t *t)
{
    printf("  %-7s %9lu calls  %8.2f us  worst %8.2f us\n", t->name, t->calls,
           t->calls ? t->total / 1000.0 / t->calls : 0, t->worst / 1000.0);

    t->calls = t->total = t->worst = 0;
}


static ngx_uint_t
alive(uint64_t pid, uint64_t started)
{
    return kill((pid_t) pid, 0) == 0;
}


static void
reader(ngx_dns_shared_t *sh, ngx_uint_t i, ngx_uint_t nzones)
{
    uint64_t         seed;
    u_char           apex[NGX_DNS_NAME_MAX];
    ngx_uint_t       n, k;
    ngx_dns_view_t   view;
    ngx_dns_name_t   name;
    ngx_dns_zone_t  *zone;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);

    view.shared = sh;
    view.reader = ngx_dns_shared_reader(sh, i, getpid(), 1);
    seed = i + 1;

    for ( ;; ) {
        ngx_dns_view_enter(&view, 0);

        for (k = 0; k < 64; k++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            n = (seed >> 33) % nzones;
            region_apex(apex, n);
            ngx_dns_name_set(&name, apex, &region_key);
            zone = ngx_dns_shared_find(sh, &name, 0);

            if (zone != NULL && (k % 64 == 0) && !region_sound(zone, n)) {
                printf("  a reader found zone %lu damaged\n", (u_long) n);
                exit(1);
            }
        }

        ngx_dns_view_leave(&view);
        usleep(200);
    }
}


static void
readers_start(ngx_dns_shared_t *sh, ngx_uint_t nzones)
{
    ngx_uint_t  i;

    for (i = 0; i < READERS; i++) {
        pids[i] = fork();

        if (pids[i] == 0) {
            reader(sh, i, nzones);
        }
    }
}


static void
readers_stop(void)
{
    int         status;
    ngx_uint_t  i;

    for (i = 0; i < READERS; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], &status, 0);

        if (!WIFSIGNALED(status)) {
            refused++;
        }
    }
}


static int
put(ngx_dns_shared_t *sh, ngx_dns_publisher_t *pub, ngx_uint_t n,
    uint32_t version, size_t size)
{
    uint64_t                 start, place, needed, moved;
    ngx_int_t                rc;
    ngx_dns_publish_stat_t   st;

    size = ngx_align(ngx_max(size, sizeof(ngx_dns_zone_t)), 8);

    for ( ;; ) {
        start = now();
        rc = ngx_dns_publish_alloc(pub, size, &place, &needed);
        count(&t_alloc, start);

        if (rc == NGX_OK) {
            region_fill(ngx_dns_shared_at(sh, place), n, version, size);

            start = now();
            rc = ngx_dns_publish_commit(pub, place);
            count(&t_commit, start);

            if (rc == NGX_OK) {
                return 0;
            }

            ngx_dns_publish_cancel(pub, place);
        }

        if (rc != NGX_AGAIN) {
            refused++;
            printf("  refused: %ld for %lu octets\n", (long) rc,
                   (u_long) size);
            return 1;
        }

        again++;
        ngx_dns_publish_stat(pub, &st);
        moved = st.moved;

        start = now();
        (void) ngx_dns_publish_work(pub, MB);
        count(&t_work, start);

        ngx_dns_publish_stat(pub, &st);

        if (moved == st.moved) {
            usleep(1000);
        }
    }
}


static void
stat_print(ngx_dns_publisher_t *pub)
{
    ngx_dns_publish_stat_t  st;

    ngx_dns_publish_stat(pub, &st);

    printf("  %lu zones, %lu MB used, %lu MB free, largest hole %lu KB, "
           "%lu KB wait, %lu MB moved; %lu times again\n", st.zones,
           st.used / MB, st.free / MB, st.largest / KB, st.waiting / KB,
           st.moved / MB, again);

    again = 0;
}


static void
large(void)
{
    ngx_uint_t            i;
    ngx_dns_shared_t     *sh;
    ngx_dns_publisher_t  *pub;

    printf("10000 changes of a zone of 1 MB in a region of 16 MB\n");

    sh = region_create(16 * MB, 64);
    pub = ngx_dns_publisher_open(sh, &mapped, &region_key, alive);
    readers_start(sh, 1);

    for (i = 0; i < 10000; i++) {
        if (put(sh, pub, 0, i, MB + i % 64 * KB) != 0) {
            break;
        }
    }

    stat_print(pub);
    readers_stop();
    print(&t_alloc);
    print(&t_commit);
    print(&t_work);

    ngx_dns_publisher_close(pub);
}


static void
many(ngx_uint_t nzones, ngx_uint_t changes)
{
    size_t                   *size, total;
    uint64_t                  start, cursor;
    ngx_uint_t                i, n;
    ngx_dns_zone_t           *zone;
    ngx_dns_shared_t         *sh;
    ngx_dns_publisher_t      *pub;
    ngx_dns_publish_stat_t    st;

    size = calloc(nzones, sizeof(size_t));
    total = 0;

    for (n = 0; n < nzones; n++) {
        size[n] = 2 * KB + shim_pick(38 * KB);
        total += size[n];
    }

    printf("%lu zones of 2 to 40 KB, %lu MB\n", (u_long) nzones, total / MB);

    sh = region_create(total + total / 4, 1024);
    pub = ngx_dns_publisher_open(sh, &mapped, &region_key, alive);

    for (n = 0; n < nzones; n++) {
        (void) put(sh, pub, n, 1, size[n]);
    }

    print(&t_alloc);
    print(&t_commit);
    stat_print(pub);

    readers_start(sh, nzones);
    printf("%lu changes\n", (u_long) changes);

    for (i = 0; i < changes; i++) {
        n = shim_pick(nzones);

        (void) put(sh, pub, n, i, 2 * KB + shim_pick(38 * KB));

        if (i % 64 == 0) {
            start = now();
            (void) ngx_dns_publish_work(pub, MB);
            count(&t_work, start);
        }

        if (i % (changes / 4) == changes / 4 - 1) {
            stat_print(pub);
        }
    }

    print(&t_alloc);
    print(&t_commit);
    print(&t_work);

    ngx_dns_publish_stat(pub, &st);
    n = ngx_min(100 * MB, st.free * 19 / 20);
    printf("a zone of %lu MB\n", (u_long) n / MB);

    (void) put(sh, pub, nzones, 1, n);

    stat_print(pub);
    print(&t_alloc);
    print(&t_work);

    ngx_dns_publish_stat(pub, &st);
    printf("a zone of what is left, but for 1 %%\n");

    (void) put(sh, pub, nzones + 1, 1, (st.free + st.waiting) / 100 * 99);

    stat_print(pub);
    print(&t_alloc);
    print(&t_work);
    readers_stop();

    ngx_dns_publisher_close(pub);

    printf("a successor\n");
    start = now();
    pub = ngx_dns_publisher_open(sh, &mapped, &region_key, alive);
    count(&t_open, start);
    print(&t_open);

    do {
        start = now();
        i = (ngx_dns_publish_work(pub, MB) == NGX_AGAIN);
        count(&t_work, start);
    } while (i);

    print(&t_work);
    stat_print(pub);

    for (cursor = 0; /* void */ ; /* void */) {

        zone = ngx_dns_publish_next(pub, &cursor);
        if (zone == NULL) {
            break;
        }

        refused += !region_sound(zone, zone->nnodes);
    }

    printf("%s\n", refused ? "FAILED" : "all zones are whole");
    ngx_dns_publisher_close(pub);
}
