
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_draw.h"


#define NGX_DNS_DRAW_BITS  24           /* of fractions of logarithms */


static uint32_t ngx_dns_draw_weight(ngx_dns_chooser_t *c, ngx_uint_t i);
static ngx_uint_t ngx_dns_draw_weighted(ngx_dns_chooser_t *c);
static ngx_uint_t ngx_dns_draw_sticky(ngx_dns_chooser_t *c,
    const ngx_dns_rrset_t *set);
static uint64_t ngx_dns_draw_client(ngx_dns_chooser_t *c);
static uint64_t ngx_dns_draw_mix(uint64_t n);
static uint64_t ngx_dns_draw_log(uint64_t n);
static void ngx_dns_draw_sort(uint32_t *list, ngx_uint_t n);
static void ngx_dns_draw_reverse(uint32_t *first, uint32_t *last);


ngx_uint_t
ngx_dns_draw(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    ngx_uint_t order)
{
    ngx_uint_t  i, first;

    first = 0;

    switch (order) {

    case NGX_DNS_CHOICE_WEIGHTED:
        first = ngx_dns_draw_weighted(c);
        break;

    case NGX_DNS_CHOICE_RR:
        first = ngx_dns_random_below(&c->random, c->n);
        break;

    case NGX_DNS_CHOICE_STICKY:
        first = ngx_dns_draw_sticky(c, set);
        break;

    default: /* NGX_DNS_CHOICE_NONE */

        for (i = 1; i < c->n; i++) {
            if (c->list[i] < c->list[first]) {
                first = i;
            }
        }

        return first;
    }

    c->steps |= 1 << NGX_DNS_STEP_ORDER;

    return first;
}


static uint32_t
ngx_dns_draw_weight(ngx_dns_chooser_t *c, ngx_uint_t i)
{
    ngx_dns_choice_rr_t  rr;

    (void) ngx_dns_choice_rr(c->attr[ngx_dns_chooser_rr(c, i)], &rr);

    return rr.weight;
}


/* one by its weight; if all are 0, any */

static ngx_uint_t
ngx_dns_draw_weighted(ngx_dns_chooser_t *c)
{
    uint32_t    weight;
    uint64_t    sum, at;
    ngx_uint_t  i;

    sum = 0;

    for (i = 0; i < c->n; i++) {
        sum += ngx_dns_draw_weight(c, i);
    }

    if (sum == 0) {
        return ngx_dns_random_below(&c->random, c->n);
    }

    at = ngx_dns_random_below(&c->random, sum);

    for (i = 0; /* void */ ; i++) {
        weight = ngx_dns_draw_weight(c, i);

        if (at < weight) {
            return i;
        }

        at -= weight;
    }
}


/*
 * Rendezvous hashing: each address has a number of its own for each network
 * of clients, and the best one is taken, so only the clients of an address
 * move when it goes, and only to an address that comes.  With u of (0, 1)
 * made from the number, the largest u ^ (1 / weight) has a share of weight /
 * sum; that is the smallest -log(u) / weight.
 *
 * The numbers are the same on all servers.
 */

static ngx_uint_t
ngx_dns_draw_sticky(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set)
{
    size_t      len;
    u_char     *address;
    uint64_t    client, sum, n, weight, log, best_log, best_weight;
    ngx_uint_t  i, best;

    len = (set->type == NGX_DNS_TYPE_A) ? 4 : 16;
    client = ngx_dns_draw_client(c);

    sum = 0;

    for (i = 0; i < c->n; i++) {
        sum += ngx_dns_draw_weight(c, i);
    }

    best = 0;
    best_log = 0;
    best_weight = 0;

    for (i = 0; i < c->n; i++) {
        weight = (sum == 0) ? 1 : ngx_dns_draw_weight(c, i);

        if (weight == 0) {
            continue;
        }

        address = ngx_dns_rrset_first(set)
                  + ngx_dns_chooser_rr(c, i) * (2 + len) + 2;

        n = ngx_dns_draw_mix(client ^ ngx_dns_get32(address));

        if (len == 16) {
            n = ngx_dns_draw_mix(n ^ ngx_dns_get32(address + 4));
            n = ngx_dns_draw_mix(n ^ ngx_dns_get32(address + 8));
            n = ngx_dns_draw_mix(n ^ ngx_dns_get32(address + 12));
        }

        log = ngx_dns_draw_log(n);

        if (best_weight == 0 || log * best_weight < best_log * weight) {
            best = i;
            best_log = log;
            best_weight = weight;
        }
    }

    return best;
}


/* a number of the network that the client is in */

static uint64_t
ngx_dns_draw_client(ngx_dns_chooser_t *c)
{
    uint64_t  n;

    switch (c->client_len) {

    case 4:
        c->scope = ngx_max(c->scope, NGX_DNS_STICKY_INET);

        n = ngx_dns_get32(c->client) >> (32 - NGX_DNS_STICKY_INET);
        break;

    case 16:
        c->scope = ngx_max(c->scope, NGX_DNS_STICKY_INET6);

        n = (uint64_t) ngx_dns_get32(c->client) << 32
            | ngx_dns_get32(c->client + 4);
        n >>= 64 - NGX_DNS_STICKY_INET6;
        break;

    default:
        n = 0;
        break;
    }

    return ngx_dns_draw_mix(n);
}


/* each bit of the result depends on all of n (MurmurHash3's last step) */

static uint64_t
ngx_dns_draw_mix(uint64_t n)
{
    n += 0x9e3779b97f4a7c15ULL;
    n = (n ^ n >> 33) * 0xff51afd7ed558ccdULL;
    n = (n ^ n >> 33) * 0xc4ceb9fe1a85ec53ULL;

    return n ^ n >> 33;
}


/*
 * -log2(n / 2^64), bit by bit: whole numbers are the same on every machine,
 * and this needs no library.
 */

static uint64_t
ngx_dns_draw_log(uint64_t n)
{
    uint64_t    x, fraction;
    ngx_uint_t  i, whole;

    if (n == 0) {
        return (uint64_t) 64 << NGX_DNS_DRAW_BITS;
    }

    whole = __builtin_clzll(n);

    /* of [1, 2), 31 bits behind the point */

    x = n << whole >> 32;
    fraction = 0;

    for (i = 0; i < NGX_DNS_DRAW_BITS; i++) {
        x = x * x >> 31;
        fraction <<= 1;

        if (x >> 32) {
            x >>= 1;
            fraction |= 1;
        }
    }

    return ((uint64_t) (whole + 1) << NGX_DNS_DRAW_BITS) - fraction;
}


void
ngx_dns_draw_rotate(ngx_dns_chooser_t *c, ngx_uint_t first)
{
    uint32_t    entry, *list;
    ngx_uint_t  i;

    list = c->list;
    entry = list[first];

    ngx_dns_draw_sort(list, c->n);

    for (i = 0; list[i] != entry; i++) { /* void */ }

    if (i != 0) {
        ngx_dns_draw_reverse(list, list + i);
        ngx_dns_draw_reverse(list + i, list + c->n);
        ngx_dns_draw_reverse(list, list + c->n);
    }
}


/* Shell's way: they are few as a rule, but may be thousands */

static void
ngx_dns_draw_sort(uint32_t *list, ngx_uint_t n)
{
    uint32_t    entry;
    ngx_uint_t  i, k, gap;

    gap = 1;

    while (gap < n / 9) {
        gap = 3 * gap + 1;
    }

    for ( /* void */ ; gap > 0; gap /= 3) {

        for (i = gap; i < n; i++) {
            entry = list[i];

            for (k = i; k >= gap && list[k - gap] > entry; k -= gap) {
                list[k] = list[k - gap];
            }

            list[k] = entry;
        }
    }
}


static void
ngx_dns_draw_reverse(uint32_t *first, uint32_t *last)
{
    uint32_t  entry;

    while (last - first > 1) {
        last--;
        entry = *first;
        *first++ = *last;
        *last = entry;
    }
}
