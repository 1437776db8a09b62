
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * A region of published zones in memory that is shared over fork(), and zones
 * for it that are nothing but a head and octets of which each can be checked.
 */


#ifndef _REGION_H_INCLUDED_
#define _REGION_H_INCLUDED_


#include <stdio.h>
#include <sys/mman.h>
#include "memory.h"
#include "ngx_dns_publish.h"


static ngx_dns_key_t  region_key = { { 0x0123456789abcdefULL,
                                       0xfedcba9876543211ULL } };


static inline ngx_dns_shared_t *
region_create(size_t size, ngx_uint_t nreaders)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1,
             0);

    return (p == MAP_FAILED) ? NULL : ngx_dns_shared_init(p, size, nreaders);
}


static inline ngx_uint_t
region_alive(uint64_t pid, uint64_t started)
{
    return 1;
}


static inline ngx_dns_publisher_t *
region_open(ngx_dns_shared_t *sh)
{
    return ngx_dns_publisher_open(sh, &memory, &region_key, region_alive);
}


/* the apex of zone n: "<n>.test." with more labels for some */

static inline size_t
region_apex(u_char *apex, ngx_uint_t n)
{
    int     len;
    u_char  *p;

    p = apex;

    if (n % 7 == 0) {
        *p++ = 3;
        *p++ = 's';
        *p++ = 'u';
        *p++ = 'b';
    }

    len = sprintf((char *) p + 1, "%d", (int) n);
    *p = (u_char) len;
    p += 1 + len;

    memcpy(p, "\4test", 6);

    return p + 6 - apex;
}


static inline uint64_t
region_word(uint64_t n, uint64_t version, uint64_t i)
{
    return (n * 0x9e3779b97f4a7c15ULL ^ version * 0xc2b2ae3d27d4eb4fULL)
           + i * 0x165667b19e3779f9ULL;
}


/* size is at least that of the head, and rounded up to words */

static inline void
region_fill(ngx_dns_zone_t *zone, ngx_uint_t n, uint32_t version, size_t size)
{
    uint64_t   i, *word;

    size = ngx_align(ngx_max(size, sizeof(ngx_dns_zone_t)), 8);

    memset(zone, 0, sizeof(ngx_dns_zone_t));
    zone->magic = NGX_DNS_ZONE_MAGIC;
    zone->version = NGX_DNS_ZONE_VERSION;
    zone->size = size;
    zone->key = region_key.k[1];
    zone->name_len = region_apex(zone->name, n);
    zone->name_labels = ngx_dns_name_labels(zone->name);
    zone->nrecords = 3;
    zone->nnodes = n;
    zone->serial = version;

    word = (uint64_t *) zone;

    for (i = ngx_align(sizeof(ngx_dns_zone_t), 8) / 8; i < size / 8; i++) {
        word[i] = region_word(n, version, i);
    }
}


/* 1 if each octet is what it should be */

static inline int
region_sound(const ngx_dns_zone_t *zone, ngx_uint_t n)
{
    uint64_t         i;
    u_char           apex[NGX_DNS_NAME_MAX];
    const uint64_t  *word;

    if (zone->magic != NGX_DNS_ZONE_MAGIC || zone->nnodes != n
        || zone->name_len != region_apex(apex, n)
        || memcmp(zone->name, apex, zone->name_len) != 0)
    {
        return 0;
    }

    word = (const uint64_t *) zone;

    for (i = ngx_align(sizeof(ngx_dns_zone_t), 8) / 8; i < zone->size / 8;
         i++)
    {
        if (word[i] != region_word(n, zone->serial, i)) {
            return 0;
        }
    }

    return 1;
}


/* publishes, and works until it is done; the result of the last try */

static inline ngx_int_t
region_put(ngx_dns_shared_t *sh, ngx_dns_publisher_t *pub, ngx_uint_t n,
    uint32_t version, size_t size)
{
    uint64_t    place, needed;
    ngx_int_t   rc;
    ngx_uint_t  tries;

    size = ngx_align(ngx_max(size, sizeof(ngx_dns_zone_t)), 8);
    rc = NGX_AGAIN;

    for (tries = 0; tries < 20000 && rc == NGX_AGAIN; tries++) {

        rc = ngx_dns_publish_alloc(pub, size, &place, &needed);

        if (rc == NGX_OK) {
            region_fill(ngx_dns_shared_at(sh, place), n, version, size);

            rc = ngx_dns_publish_commit(pub, place);

            if (rc != NGX_OK) {
                ngx_dns_publish_cancel(pub, place);
            }
        }

        if (rc == NGX_AGAIN) {
            (void) ngx_dns_publish_work(pub, 1024 * 1024);
        }
    }

    return rc;
}


/* works until nothing is left to do */

static inline void
region_settle(ngx_dns_publisher_t *pub)
{
    ngx_uint_t  i;

    for (i = 0; i < 20000; i++) {
        if (ngx_dns_publish_work(pub, 1024 * 1024) == NGX_OK) {
            return;
        }
    }
}


#endif /* _REGION_H_INCLUDED_ */
