
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The table of states of targets: what readers find while targets come and
 * go, and when results turn a state.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_health_write.h"


#define SIZE  (64 * 1024)
#define N     512                       /* targets that live at a time */


static void test_states(void);
static void test_flapping(void);
static void test_heard(void);
static void test_small(void);
static void test_full(void);
static void test_churn(void);
static void test_death(void);
static void test_copy(void);
static uint64_t run(const char *results, uint64_t word, ngx_uint_t up,
    ngx_uint_t down);
static void is_word(uint64_t word, ngx_uint_t state, ngx_uint_t turns,
    ngx_int_t run, const char *name);
static uint64_t id_of(uint64_t n);
static ngx_uint_t longest(ngx_dns_health_t *h);


static union {
    uint64_t  align;
    u_char    p[SIZE];
} memory, other;


int
main(void)
{
    test_states();
    test_flapping();
    test_heard();
    test_small();
    test_full();
    test_churn();
    test_death();
    test_copy();

    return tap_done();
}


/* "+" is a good result, "-" a bad one */

static uint64_t
run(const char *results, uint64_t word, ngx_uint_t up, ngx_uint_t down)
{
    for ( /* void */ ; *results != '\0'; results++) {
        word = ngx_dns_health_result(word, *results == '+', up, down);
    }

    return word;
}


static void
is_word(uint64_t word, ngx_uint_t state, ngx_uint_t turns, ngx_int_t run,
    const char *name)
{
    tap_is_int(ngx_dns_health_state(word), state, "%s: state", name);
    tap_is_int(ngx_dns_health_turns(word), turns, "%s: turns", name);
    tap_is_int(ngx_dns_health_run(word), run, "%s: run", name);
}


static void
test_states(void)
{
    uint64_t  down;

    is_word(0, NGX_DNS_HEALTH_UNKNOWN, 0, 0, "new");
    is_word(run("+", 0, 3, 3), NGX_DNS_HEALTH_UP, 0, 1, "first is good");
    is_word(run("-", 0, 3, 3), NGX_DNS_HEALTH_UNKNOWN, 2, -1, "first is bad");
    is_word(run("--", 0, 3, 3), NGX_DNS_HEALTH_UNKNOWN, 1, -2, "two are bad");
    is_word(run("--+", 0, 3, 3), NGX_DNS_HEALTH_UP, 0, 1, "then a good one");
    is_word(run("---", 0, 3, 3), NGX_DNS_HEALTH_DOWN, 0, -3, "three are bad");
    is_word(run("-", 0, 3, 1), NGX_DNS_HEALTH_DOWN, 0, -1, "down_count 1");
    is_word(run("++++++", 0, 3, 3), NGX_DNS_HEALTH_UP, 0, 3, "many good");
    is_word(run("+++++-", 0, 3, 3), NGX_DNS_HEALTH_UP, 2, -1, "one bad then");

    down = run("-----", 0, 3, 3);

    is_word(down, NGX_DNS_HEALTH_DOWN, 0, -3, "many bad");
    is_word(run("+", down, 3, 3), NGX_DNS_HEALTH_DOWN, 2, 1, "one good");
    is_word(run("++-++", down, 3, 3), NGX_DNS_HEALTH_DOWN, 1, 2,
            "never three good in a row");
    is_word(run("+++", down, 3, 3), NGX_DNS_HEALTH_UP, 0, 3, "three good");
    is_word(run("+", down, 1, 3), NGX_DNS_HEALTH_UP, 0, 1, "up_count 1");

    is_word(run("-", 0, 0, 0), NGX_DNS_HEALTH_DOWN, 0, -1, "counts of 0");
    is_word(run("-", 0, 1, 70000), NGX_DNS_HEALTH_UNKNOWN, 255, -1,
            "a large count");
    is_word(run("+", run("--", 0, 9, 2), 9, 1000), NGX_DNS_HEALTH_DOWN, 8, 1,
            "counts that change");
}


static void
test_flapping(void)
{
    uint64_t    word;
    ngx_uint_t  i, down;

    word = 0;
    down = 0;

    for (i = 0; i < 30000; i++) {
        word = ngx_dns_health_result(word, i % 3 != 0, 3, 3);
        down += (ngx_dns_health_state(word) == NGX_DNS_HEALTH_DOWN);
    }

    tap_is_int(down, 0, "one bad of three never turns it down");

    word = run("---", 0, 3, 3);

    for (i = 0; i < 30000; i++) {
        word = ngx_dns_health_result(word, i % 3 != 0, 3, 3);
        down += (ngx_dns_health_state(word) == NGX_DNS_HEALTH_DOWN);
    }

    tap_is_int(down, 30000, "nor does it turn one up");
}


static void
test_heard(void)
{
    is_word(ngx_dns_health_heard(0, 3, 3, 3), NGX_DNS_HEALTH_UP, 0, 3,
            "heard: up");
    is_word(ngx_dns_health_heard(0, -3, 3, 3), NGX_DNS_HEALTH_DOWN, 0, -3,
            "heard: down");
    is_word(ngx_dns_health_heard(0, -9, 3, 3), NGX_DNS_HEALTH_DOWN, 0, -3,
            "heard: down by other counts");
    is_word(ngx_dns_health_heard(0, 1, 3, 3), NGX_DNS_HEALTH_UP, 0, 1,
            "heard: going up");
    is_word(ngx_dns_health_heard(0, -1, 3, 3), NGX_DNS_HEALTH_UNKNOWN, 2, -1,
            "heard: going down");
    is_word(ngx_dns_health_heard(run("---", 0, 3, 3), 2, 3, 3),
            NGX_DNS_HEALTH_DOWN, 1, 2, "heard: from down");
    is_word(ngx_dns_health_heard(run("+++", 0, 3, 3), 0, 3, 3),
            NGX_DNS_HEALTH_UNKNOWN, 0, 0, "heard: unknown");
}


/* as ids are: spread over all bits */

static uint64_t
id_of(uint64_t n)
{
    n = (n + 1) * 0x9e3779b97f4a7c15;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
    n = n ^ n >> 27;

    return (n <= NGX_DNS_HEALTH_REMOVED) ? n + 2 : n;
}


static void
test_small(void)
{
    ngx_dns_health_t       *h;
    ngx_dns_health_slot_t  *slot;

    tap_ok(ngx_dns_health_init(memory.p, 10) == NULL, "no room for a head");
    tap_ok(ngx_dns_health_init(memory.p, sizeof(ngx_dns_health_t) + 64)
           == NULL, "no room for slots");

    ngx_memzero(&memory, SIZE);
    h = ngx_dns_health_init(memory.p, SIZE);
    ngx_dns_health_open(h);

    tap_is_int(ngx_dns_health_find(NULL, 7), 0, "no table");
    tap_is_int(ngx_dns_health_find(h, 7), 0, "an empty table");
    tap_ok(ngx_dns_health_slot(h, 7) == NULL, "no slot");

    slot = ngx_dns_health_insert(h, 7);
    slot->state = run("---", 0, 3, 3);
    slot->due = 5;

    tap_ok(ngx_dns_health_insert(h, 7) == slot, "a slot is made once");
    tap_is_int(ngx_dns_health_state(ngx_dns_health_find(h, 7)),
               NGX_DNS_HEALTH_DOWN, "its state is found");
    tap_is_int(h->used, 1, "and counted");

    ngx_dns_health_remove(h, 8);
    ngx_dns_health_remove(h, 7);

    tap_is_int(ngx_dns_health_find(h, 7), 0, "removed");
    tap_is_int(h->used, 0, "nothing is left");

    slot = ngx_dns_health_insert(h, 7);
    tap_ok(slot->state == 0 && slot->due == 0, "made again, it is unknown");
}


static void
test_full(void)
{
    ngx_uint_t         i, n;
    ngx_dns_health_t  *h;

    ngx_memzero(&memory, SIZE);
    h = ngx_dns_health_init(memory.p, SIZE);
    ngx_dns_health_open(h);

    for (n = 0; ngx_dns_health_insert(h, id_of(n)) != NULL; n++) {
        /* void */
    }

    tap_is_int(n, h->nslots / 4 * 3, "full at three quarters");

    ngx_dns_health_remove(h, id_of(5));
    tap_ok(ngx_dns_health_insert(h, id_of(n)) != NULL, "room for another");
    tap_ok(ngx_dns_health_insert(h, id_of(5)) == NULL, "not for the first");

    for (i = 0; i <= n; i++) {
        ngx_dns_health_remove(h, id_of(i));
    }

    tap_is_int(h->used, 0, "all are removed, all slots are free");
}


/* of what is not there: slots looked at */

static ngx_uint_t
longest(ngx_dns_health_t *h)
{
    ngx_uint_t              i, n, max;
    ngx_dns_health_slot_t  *slot;

    max = 0;

    for (i = 0; i < h->nslots; i++) {

        for (n = 0; n < h->nslots; n++) {
            slot = ngx_dns_health_slots(h) + ((i + n) & (h->nslots - 1));

            if (slot->id == NGX_DNS_HEALTH_FREE) {
                break;
            }
        }

        max = ngx_max(max, n);
    }

    return max;
}


/* targets come and go: none is lost, and searches stay short */

static void
test_churn(void)
{
    uint64_t                i, n, at, lost;
    ngx_dns_health_t       *h;
    ngx_dns_health_slot_t  *slot;

    ngx_memzero(&memory, SIZE);
    h = ngx_dns_health_init(memory.p, SIZE);
    ngx_dns_health_open(h);

    lost = 0;

    for (n = 0; n < 200000; n++) {

        slot = ngx_dns_health_insert(h, id_of(n));
        slot->state = n << 16;

        if (n >= N) {
            ngx_dns_health_remove(h, id_of(n - N));
        }

        for (i = 0; i < 8; i++) {
            at = (n >= N - 1) ? n - i * 73 : n;
            lost += (ngx_dns_health_find(h, id_of(at)) != at << 16);
        }

        if (n >= N) {
            lost += (ngx_dns_health_find(h, id_of(n - N)) != 0);
        }
    }

    tap_is_int(lost, 0, "what is there is found, what is not is not");
    tap_is_int(h->used, N, "so many are there");

    n = longest(h);
    tap_ok(n < 128, "searches are short: %d", (int) n);
}


/* the writer may die anywhere: its successor ends what it had begun */

static void
test_death(void)
{
    uint64_t                n, i, lost;
    ngx_dns_health_t       *h;
    ngx_dns_health_slot_t  *slots;

    lost = 0;

    for (i = 0; i < 200; i++) {

        ngx_memzero(&memory, SIZE);
        h = ngx_dns_health_init(memory.p, SIZE);
        slots = ngx_dns_health_slots(h);

        for (n = 0; n < N; n++) {
            ngx_dns_health_insert(h, id_of(n + i * N))->state = n << 16;
        }

        /* a hole, and one that was moved but not taken away */

        ngx_dns_health_slot(h, id_of(i * N))->id = NGX_DNS_HEALTH_REMOVED;

        for (n = 0; n < h->nslots; n++) {

            if (slots[n].id != NGX_DNS_HEALTH_FREE
                && ngx_dns_health_home(h, slots[n].id) != n
                && slots[n - 1].id != NGX_DNS_HEALTH_FREE
                && ngx_dns_health_home(h, slots[n].id) <= n - 1)
            {
                slots[n - 1] = slots[n];
                break;
            }
        }

        h->used += 17;

        ngx_dns_health_open(h);

        for (n = 0; n < h->nslots; n++) {

            if (slots[n].id != NGX_DNS_HEALTH_FREE
                && ngx_dns_health_slot(h, slots[n].id) != &slots[n])
            {
                lost++;
            }
        }

        lost += (h->used < N - 2 || h->used > N - 1);

        for (n = 1; n < N; n++) {
            if (ngx_dns_health_slot(h, id_of(n + i * N)) != NULL) {
                lost += (ngx_dns_health_find(h, id_of(n + i * N)) != n << 16);
                ngx_dns_health_remove(h, id_of(n + i * N));
            }
        }

        lost += h->used;
    }

    tap_is_int(lost, 0, "a successor finds all, each once");
}


static void
test_copy(void)
{
    uint64_t           n;
    ngx_uint_t         lost;
    ngx_dns_health_t  *h, *small;

    ngx_memzero(&memory, SIZE);
    h = ngx_dns_health_init(memory.p, SIZE);

    for (n = 1; n < N; n += 2) {
        ngx_dns_health_insert(h, id_of(n))->state = n << 16;
    }

    ngx_memzero(&other, SIZE);
    small = ngx_dns_health_init(other.p, SIZE / 2);
    ngx_dns_health_open(small);

    tap_is_int(ngx_dns_health_copy(small, h), 0, "all of it fits");

    lost = 0;

    for (n = 1; n < N; n += 2) {
        lost += (ngx_dns_health_find(small, id_of(n)) != n << 16);
    }

    tap_is_int(lost, 0, "all of it is there");

    ngx_memzero(&other, SIZE);
    small = ngx_dns_health_init(other.p, 8 * 1024);
    ngx_dns_health_open(small);

    tap_is_int(ngx_dns_health_copy(small, h), N / 2 - small->nslots / 4 * 3,
               "what does not fit is counted");
}
