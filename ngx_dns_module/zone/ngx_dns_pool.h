
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_POOL_H_INCLUDED_
#define _NGX_DNS_POOL_H_INCLUDED_


#include "ngx_dns_choice.h"
#include "ngx_dns_probe.h"


/*
 * A pool: addresses that names of zone files share, and how to choose among
 * them.  It is read line by line from what stands in the configuration:
 *
 *     address 192.0.2.10 weight=3 country=DE,AT asn=64500 continent=EU
 *             network=office priority=1;
 *     choose country weighted single no_match=none;
 *     health_check http port=8080 uri=/up timeout=800ms interval=5s up=3
 *                  down=3 host=www.example.com status=200,204 match=ok
 *                  verify=on all_down=none;
 *
 * The words of "choose" are those of "filter" in Redis.  An element "*" of a
 * list of places: the address is for those nobody else is for, too.
 */

#define NGX_DNS_POOL_NAME_MAX   63      /* octets: it is a label, too */
#define NGX_DNS_POOL_ERROR      256     /* octets of a text about an error */


typedef struct {
    u_char                   address[16];
    uint16_t                 len;       /* 4, 16 */
    uint16_t                 weighted;  /* 1: it has "weight=" */
    ngx_dns_choice_rr_t      rr;        /* position: among those of its type */
} ngx_dns_pool_address_t;


/* the rrset that a pool gives: of type A, of type AAAA */

typedef struct {
    uint16_t                 type;
    uint16_t                 len;       /* octets of an address */
    ngx_uint_t               n;
    ngx_dns_pool_address_t **addresses; /* in canonical order */
    ngx_str_t                choice;    /* RDATA of the note; empty: none */
} ngx_dns_pool_set_t;


typedef struct ngx_dns_pool_s  ngx_dns_pool_t;

struct ngx_dns_pool_s {
    ngx_str_t                name;
    ngx_uint_t               index;     /* among all pools, from 0 */
    ngx_dns_pool_t          *next;      /* of the same hash */

    ngx_pool_t              *pool;
    ngx_array_t              addresses; /* ngx_dns_pool_address_t */

    ngx_dns_choice_t         head;
    ngx_uint_t               chosen;    /* 1: there was a "choose" */
    ngx_uint_t               checked;   /* 1: there was a "health_check" */
    ngx_dns_probe_t          probe;

    /* set by ngx_dns_pool_end() */

    ngx_uint_t               drained;   /* 1: an address is never first */
    const char              *idle;      /* a parameter of an address that
                                           "choose" does not look at */
    ngx_str_t                payload;   /* of the probe; empty: no checks */
    u_char                   owner[NGX_DNS_POOL_NAME_MAX + 7];
    ngx_dns_pool_set_t       sets[2];
    uint64_t                 digest;    /* of all that zones have of it */
};


/*
 * A pool without addresses.
 *
 * pool  what the pool needs is allocated from it
 * name  kept; letters, digits, ".", "-" and "_"
 * err   set on failure; err->data has room for NGX_DNS_POOL_ERROR octets
 *
 * NULL: not a name, or no memory.
 */
ngx_dns_pool_t *ngx_dns_pool_create(ngx_pool_t *pool, ngx_str_t *name,
    ngx_str_t *err);

/*
 * Reads one line.
 *
 * words  n of them, each followed by a zero octet; texts are kept
 * err    as above
 *
 * NGX_OK or NGX_ERROR.  Allocates.
 */
ngx_int_t ngx_dns_pool_line(ngx_dns_pool_t *p, ngx_str_t *words, ngx_uint_t n,
    ngx_str_t *err);

/*
 * All lines were read: makes what zones are given.
 *
 * interval  milliseconds between checks where the pool says nothing, not 0
 *
 * NGX_OK or NGX_ERROR.  Allocates.
 */
ngx_int_t ngx_dns_pool_end(ngx_dns_pool_t *p, uint32_t interval,
    ngx_str_t *err);


/* For the files of pools: sets err (words of ngx_snprintf); NGX_ERROR. */
ngx_int_t ngx_dns_pool_err(ngx_str_t *err, const char *fmt, ...);

/* The same for a word, cut if it is long: "word" what. */
ngx_int_t ngx_dns_pool_err_word(ngx_str_t *err, ngx_str_t *word,
    const char *what);

/* A number of decimal digits up to max, or NGX_ERROR. */
int64_t ngx_dns_pool_number(ngx_str_t *text, int64_t max);

/*
 * The value behind "name=" if the word begins so.  NGX_OK: value is set, the
 * octet behind it is zero.
 */
ngx_int_t ngx_dns_pool_param(ngx_str_t *word, const char *name,
    ngx_str_t *value);

/* The line "health_check": its words behind the first one. */
ngx_int_t ngx_dns_pool_check(ngx_dns_pool_t *p, ngx_str_t *words,
    ngx_uint_t n, ngx_str_t *err);


#endif /* _NGX_DNS_POOL_H_INCLUDED_ */
