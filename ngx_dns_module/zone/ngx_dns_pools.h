
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_POOLS_H_INCLUDED_
#define _NGX_DNS_POOLS_H_INCLUDED_


#include "ngx_dns_pool.h"
#include "ngx_dns_records.h"
#include "ngx_dns_scan.h"


/*
 * The pools of a configuration, by name, and what a master file has of them:
 *
 *     www  30  POOL  NAME
 *
 * stands for an A and an AAAA rrset with the addresses of the pool, and a
 * note on how to choose among them.
 */

#define NGX_DNS_POOLS_BUCKETS  256

typedef struct {
    ngx_array_t           all;          /* ngx_dns_pool_t *, by index */
    ngx_dns_pool_t       *buckets[NGX_DNS_POOLS_BUCKETS];
} ngx_dns_pools_t;


/* a name with a POOL, by the hash of its owner */

typedef struct {
    uint64_t              hash;
    uint32_t              file;
    uint32_t              line;
} ngx_dns_pool_name_t;

/* the POOLs of the zone that is being read */

typedef struct {
    ngx_dns_pools_t      *pools;        /* NULL: there are none */
    u_char               *used;         /* 1 by the index of a pool, or NULL */
    ngx_dns_pool_name_t  *names;        /* mapped */
    size_t                n;
    size_t                room;
} ngx_dns_pools_reader_t;


/* An empty set; NULL: no memory. */
ngx_dns_pools_t *ngx_dns_pools_create(ngx_pool_t *pool);

/*
 * Adds a pool, sets its index.  NGX_DECLINED: there is one of this name.
 */
ngx_int_t ngx_dns_pools_add(ngx_dns_pools_t *pools, ngx_dns_pool_t *p);

/* The pool of a name, or NULL; so for pools NULL. */
ngx_dns_pool_t *ngx_dns_pools_find(ngx_dns_pools_t *pools, ngx_str_t *name);


/*
 * Reads what stands behind the word POOL up to the end of the entry.
 *
 * NGX_OK     p is set
 * NGX_ERROR  s->err is set, or s->more
 */
ngx_int_t ngx_dns_pools_scan(ngx_dns_pools_reader_t *r, ngx_dns_scan_t *s,
    ngx_dns_pool_t **p);

/*
 * Adds the records and notes of the pool to rs.
 *
 * record  owner, TTL, file and line are set; the rest is set here
 *
 * NGX_OK: added, or the owner is outside the zone (reported); NGX_ERROR: no
 * memory.
 */
ngx_int_t ngx_dns_pools_place(ngx_dns_pools_reader_t *r, ngx_dns_pool_t *p,
    ngx_dns_records_t *rs, ngx_dns_record_t *record);

/*
 * All records are there: reports two POOLs at a name, a POOL beside A, AAAA
 * or CNAME, and, as a warning, a POOL in a signed zone.
 *
 * max_errors  stop when the reporter has counted so many
 */
void ngx_dns_pools_check(ngx_dns_pools_reader_t *r, ngx_dns_records_t *rs,
    ngx_uint_t max_errors);

/* Gives back what was mapped. */
void ngx_dns_pools_done(ngx_dns_pools_reader_t *r, ngx_dns_memory_t *mem);


#endif /* _NGX_DNS_POOLS_H_INCLUDED_ */
