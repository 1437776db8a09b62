
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_RANDOM_H_INCLUDED_
#define _NGX_DNS_RANDOM_H_INCLUDED_


#include "ngx_dns.h"


/*
 * A generator of random numbers for choices: xoshiro256**.  One per worker,
 * seeded by the caller; the state must not be all zero.
 */

typedef struct {
    uint64_t   s[4];
} ngx_dns_random_t;


static ngx_inline uint64_t
ngx_dns_random_rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}


static ngx_inline uint64_t
ngx_dns_random(ngx_dns_random_t *r)
{
    uint64_t  n, t;

    n = ngx_dns_random_rotate(r->s[1] * 5, 7) * 9;
    t = r->s[1] << 17;

    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = ngx_dns_random_rotate(r->s[3], 45);

    return n;
}


/*
 * One of 0 .. n - 1, each as likely as the others to 1 in 2^64 / n; n is at
 * least 1.
 */

static ngx_inline uint64_t
ngx_dns_random_below(ngx_dns_random_t *r, uint64_t n)
{
    return (uint64_t) (((__uint128_t) ngx_dns_random(r) * n) >> 64);
}


#endif /* _NGX_DNS_RANDOM_H_INCLUDED_ */
