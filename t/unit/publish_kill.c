
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Readers, the writer and its successors are processes that are killed at
 * any instruction: every zone that is found is whole, those that stay are
 * found always, and no memory is lost.
 */


#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "shim.h"
#include "tap.h"
#include "region.h"


#define KB       1024
#define MB       (1024 * 1024)

#define READERS  4
#define ZONES    300                    /* the first half of them stays */
#define SMALL    1200                   /* more come and go, all at once */
#define SIZE     (4 * MB)
#define KILLS    60


typedef struct {
    volatile uint64_t  found;
    volatile uint64_t  bad;
    volatile uint64_t  missing;
    volatile uint64_t  changes;
} report_t;


static void reader(ngx_uint_t i);
static void writer(ngx_uint_t seed);
static pid_t start_reader(ngx_uint_t i);
static void end(pid_t pid);
static void check(ngx_uint_t round);
static ngx_uint_t alive(uint64_t pid, uint64_t started);
static uint64_t started(ngx_uint_t i);
static void pause_us(ngx_uint_t us);


static ngx_dns_shared_t  *sh;
static report_t          *report;
static ngx_uint_t         failures;
static ngx_uint_t         starts;


int
main(void)
{
    pid_t       pid, readers[READERS];
    ngx_uint_t  i, n;

    sh = region_create(SIZE, 16);
    report = mmap(NULL, sizeof(report_t), PROT_READ|PROT_WRITE,
                  MAP_SHARED|MAP_ANONYMOUS, -1, 0);

    check(0);

    for (i = 0; i < READERS; i++) {
        readers[i] = start_reader(i);
    }

    for (n = 1; n <= KILLS; n++) {

        pid = fork();

        if (pid == 0) {
            writer(n);
        }

        for (i = 0; i < 2; i++) {
            pause_us(shim_pick(20000));

            /* a reader goes, with whatever it holds; another one comes */

            end(readers[n % READERS]);
            readers[n % READERS] = start_reader(n % READERS);
        }

        pause_us(shim_pick(20000));
        end(pid);

        /* what a killed writer leaves, before a successor has seen it */

        check(n);
    }

    for (i = 0; i < READERS; i++) {
        end(readers[i]);
    }

    check(n);

    tap_is_int(report->bad, 0, "no reader found a damaged zone");
    tap_is_int(report->missing, 0, "no reader missed a zone that stays");
    tap_is_int(failures, 0, "no successor found damage or a loss");
    tap_ok(report->found > 1000, "readers were busy");
    tap_ok(report->changes > 300, "writers were busy");

    printf("# %lu zones read, %lu changes\n", report->found, report->changes);

    tap_is_int(memory_blocks, 0, "all private memory is given back");

    return tap_done();
}


static void
pause_us(ngx_uint_t us)
{
    usleep((useconds_t) us);
}


static uint64_t
started(ngx_uint_t i)
{
    return i;
}


/* a process that was killed and waited for */

static ngx_uint_t
alive(uint64_t pid, uint64_t start)
{
    return kill((pid_t) pid, 0) == 0;
}


static void
end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}


static pid_t
start_reader(ngx_uint_t i)
{
    pid_t  pid;

    starts++;
    pid = fork();

    if (pid == 0) {
        reader(i);
    }

    return pid;
}


static void
reader(ngx_uint_t i)
{
    u_char           apex[NGX_DNS_NAME_MAX];
    uint64_t         seed;
    ngx_uint_t       n, k;
    ngx_dns_view_t   view;
    ngx_dns_name_t   name;
    ngx_dns_zone_t  *zone;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);

    view.shared = sh;
    view.reader = ngx_dns_shared_reader(sh, i, getpid(), started(starts));
    seed = starts;

    for ( ;; ) {
        ngx_dns_view_enter(&view, 0);

        for (k = 0; k < 8; k++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            n = (seed >> 33) % (ZONES + 20);

            region_apex(apex, n);
            ngx_dns_name_set(&name, apex, &region_key);

            zone = ngx_dns_shared_find(sh, &name, 0);

            if (zone == NULL) {
                __atomic_fetch_add(&report->missing, n < ZONES / 2,
                                   __ATOMIC_RELAXED);
                continue;
            }

            __atomic_fetch_add(&report->found, 1, __ATOMIC_RELAXED);

            if (k == 3) {
                sched_yield();
            }

            if (!region_sound(zone, n)) {
                __atomic_fetch_add(&report->bad, 1, __ATOMIC_RELAXED);
            }
        }

        ngx_dns_view_leave(&view);
    }
}


/* changes, removals, growth, and holes too large to be had without moving */

static void
writer(ngx_uint_t seed)
{
    size_t                size;
    u_char                apex[NGX_DNS_NAME_MAX];
    uint64_t              place, needed;
    ngx_uint_t            n, i, what, gone;
    ngx_dns_publisher_t  *pub;

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);

    gone = 1;
    pub = ngx_dns_publisher_open(sh, &memory, &region_key, alive);

    for (i = 0; i < seed; i++) {
        (void) shim_pick(2);
    }

    for ( ;; ) {
        what = shim_pick(100);
        n = shim_pick(ZONES);

        if (what < 60) {

            size = 400 + shim_pick(12 * KB) / 8 * 8;

            if (ngx_dns_publish_alloc(pub, size, &place, &needed) == NGX_OK) {

                region_fill(ngx_dns_shared_at(sh, place), n, seed,
                            400 + shim_pick(size - 400 + 1) / 8 * 8);

                if (ngx_dns_publish_commit(pub, place) != NGX_OK) {
                    ngx_dns_publish_cancel(pub, place);
                }

                report->changes++;
            }

        } else if (what < 70 && n >= ZONES / 2) {
            region_apex(apex, n);
            (void) ngx_dns_publish_remove(pub, apex);

        } else if (what == 71) {

            /* the directory grows, and shrinks again */

            for (n = ZONES; n < SMALL; n++) {
                region_apex(apex, n);

                if (gone) {
                    (void) region_put(sh, pub, n, seed, 400);

                } else {
                    (void) ngx_dns_publish_remove(pub, apex);
                }
            }

            gone = !gone;

        } else if (what == 70) {

            if (ngx_dns_publish_alloc(pub, MB + MB / 2, &place, &needed)
                == NGX_OK)
            {
                ngx_dns_publish_cancel(pub, place);
            }
        }

        (void) ngx_dns_publish_work(pub, 1 + shim_pick(64 * KB));
    }
}


/* a successor, in this process */

static void
check(ngx_uint_t round)
{
    uint64_t                 used, cursor;
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_dns_zone_t          *zone;
    ngx_dns_publisher_t     *pub;
    ngx_dns_publish_stat_t   st;

    pub = ngx_dns_publisher_open(sh, &memory, &region_key, alive);

    if (pub == NULL) {
        failures++;
        printf("# round %lu: the region is damaged\n", (u_long) round);
        return;
    }

    if (round == 0) {
        for (i = 0; i < ZONES; i++) {
            (void) region_put(sh, pub, i, 0, 400 + shim_pick(8 * KB));
        }
    }

    used = 17 * 64;
    cursor = 0;

    for ( ;; ) {
        zone = ngx_dns_publish_next(pub, &cursor);

        if (zone == NULL) {
            break;
        }

        if (!region_sound(zone, zone->nnodes)) {
            failures++;
            printf("# round %lu: a damaged zone\n", (u_long) round);
        }

        used += (zone->size + 63) / 64 * 64;
    }

    for (i = 0; i < 2000; i++) {
        rc = ngx_dns_publish_work(pub, MB);

        if (rc == NGX_OK) {
            break;
        }

        pause_us(100);
    }

    ngx_dns_publish_stat(pub, &st);

    /* all but the zones and a directory is free */

    if (st.used + st.free != (sh->size - sh->blocks) / 64 * 64
        || st.waiting != 0 || st.used < used || st.used > used + 64 * KB)
    {
        failures++;
        printf("# round %lu: %lu used, %lu free, %lu wait, %lu in zones\n",
               (u_long) round, st.used, st.free, st.waiting, used);
    }

    ngx_dns_publisher_close(pub);
}
