
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_EXTERNAL_H_INCLUDED_
#define _NGX_DNS_EXTERNAL_H_INCLUDED_


#include "ngx_dns_ecs.h"
#include "ngx_dns_name.h"
#include "ngx_dns_rrset.h"


/*
 * What other servers say of the targets of ANAMEs: a region of memory that
 * one process writes and any number of others read, without locks.  This is
 * the readers' side; the writer's is ngx_dns_external_write.h.  No pointers,
 * only places: octets from the start of the region.
 *
 *     head | slots | entries | wants | readers | chunks
 *
 * slots    open addressing: the upper half of a key and the number of an
 *          entry, one word each
 * entries  what is known of one target, type and client network; RRs are in
 *          chunks: a list of them, by number
 * wants    a ring, in which readers say what they miss
 *
 * A reader copies an entry and looks at its seq before and after: odd, or
 * another one, and the copy is worth nothing.
 */

#define NGX_DNS_EXTERNAL_MAGIC    0x4e444541
#define NGX_DNS_EXTERNAL_VERSION  1
#define NGX_DNS_EXTERNAL_STATS    32    /* counters of the writer's user */

#define NGX_DNS_EXTERNAL_CHUNK    60    /* octets of data in one */
#define NGX_DNS_EXTERNAL_DATA     65536 /* octets of RRs in one entry */

#define NGX_DNS_EXTERNAL_BITS4    24    /* of networks, at most */
#define NGX_DNS_EXTERNAL_BITS6    56

#define NGX_DNS_EXTERNAL_STALE    (24 * 60 * 60)    /* seconds; not longer */
#define NGX_DNS_EXTERNAL_FAILING  30    /* TTL while the resolver fails */


#define NGX_DNS_EXTERNAL_UNKNOWN  0     /* do answers depend on networks? */
#define NGX_DNS_EXTERNAL_DIFFER   1
#define NGX_DNS_EXTERNAL_SAME     2

#define NGX_DNS_EXTERNAL_FREE     0     /* words of slots */
#define NGX_DNS_EXTERNAL_GONE     1     /* there was one */
#define NGX_DNS_EXTERNAL_FIRST    2     /* entry 0, lower half */


/* An entry without client network (family 0) is the generic one. */

typedef struct {
    volatile uint32_t    seq;
    uint16_t             type;
    uint16_t             nrr;
    volatile uint64_t    key;           /* 0: the entry is free */
    int64_t              fetched;       /* seconds; 0: nothing is known */
    int64_t              expires;       /* seconds */
    int64_t              retry;         /* seconds: failed, next try */
    uint32_t             ttl;           /* seconds, as it came */
    uint32_t             size;          /* octets of RRs */
    uint32_t             chunk;         /* the first one */
    uint16_t             rcode;         /* NOERROR, NXDOMAIN */
    uint8_t              name_len;      /* octets, in front of the RRs */
    uint8_t              family;        /* NGX_DNS_ECS_...; 0: generic */
    uint8_t              bits;          /* of the network */
    uint8_t              scoped;        /* generic: NGX_DNS_EXTERNAL_... */
    uint8_t              pad[2];
    uint32_t             scopes4;       /* generic: lengths that exist */
    uint64_t             scopes6;
    u_char               network[16];

    volatile int64_t     asked;         /* seconds; written by readers */
    uint64_t             unused[4];
} ngx_dns_external_entry_t;


typedef struct {
    uint32_t             next;          /* number */
    u_char               data[NGX_DNS_EXTERNAL_CHUNK];
} ngx_dns_external_chunk_t;


typedef struct {
    volatile uint64_t    ready;         /* its turn and 1 */
    uint16_t             type;
    uint8_t              family;        /* 0: no network */
    uint8_t              bits;
    u_char               network[16];
    uint8_t              name_len;
    u_char               name[NGX_DNS_NAME_MAX];
} ngx_dns_external_want_t;


/* counters of a reader, a cache line of its own; one process at a time */

typedef struct {
    volatile uint64_t    found;
    volatile uint64_t    stale;         /* of those found */
    volatile uint64_t    missed;
    volatile uint64_t    wanted;        /* put into the ring */
    volatile uint64_t    lost;          /* the ring was full */
    uint64_t             pad[3];
} ngx_dns_external_reader_t;


typedef struct {
    uint32_t             magic;
    uint32_t             version;
    uint64_t             size;          /* octets of the region */

    uint64_t             mask;          /* slots and -1 */
    uint64_t             nentries;
    uint64_t             nchunks;
    uint64_t             nwants;        /* a power of 2 */
    uint64_t             nreaders;

    uint64_t             slots;         /* places */
    uint64_t             entries;
    uint64_t             wants;
    uint64_t             readers;
    uint64_t             chunks;

    uint64_t             lock[16];      /* the writer's mutex */
    volatile uint64_t    stat[NGX_DNS_EXTERNAL_STATS];

    uint64_t             pad[8];
    volatile uint64_t    claimed;       /* wants, by readers */
    uint64_t             pad2[7];
    volatile uint64_t    taken;         /* wants, by the writer */
    uint64_t             pad3[7];
} ngx_dns_external_shared_t;


#define ngx_dns_external_at(sh, place)                                       \
    ((void *) ((u_char *) (sh) + (place)))

#define ngx_dns_external_entry(sh, i)                                        \
    ((ngx_dns_external_entry_t *) ngx_dns_external_at(sh, (sh)->entries)     \
     + (i))


/* What a worker has of its own. */

typedef struct ngx_dns_external_s  ngx_dns_external_t;


typedef struct {
    ngx_dns_rrset_t     *rrset;         /* compiled form; NULL: no RRs */
    int64_t              fetched;       /* seconds: when it came */
    uint32_t             ttl;           /* seconds, to be sent; maybe 0 */
    uint16_t             rcode;         /* NOERROR or NXDOMAIN, as it came */
    uint8_t              scope;         /* bits of the address as looked up
                                           that the answer depends on */
    uint8_t              stale;         /* 1: past its time */
    uint8_t              failing;       /* 1: the resolver does not answer */
    uint8_t              wanted;        /* 1: it was asked for just now */
} ngx_dns_external_result_t;


/*
 * For the process with slot i (less than sh->nreaders).
 *
 * ecs  1: networks of clients have answers of their own (dns_aname_ecs)
 *
 * NULL: no memory.
 */
ngx_dns_external_t *ngx_dns_external_create(ngx_pool_t *pool,
    ngx_dns_external_shared_t *sh, ngx_uint_t i, ngx_uint_t ecs);

/* The memory of all results so far is used anew: called before each answer. */
void ngx_dns_external_reset(ngx_dns_external_t *ext);

/*
 * Looks up what is known of target and type; asks the writer for what is not
 * known, or known but old.
 *
 * target  lower case, with the hash of its first label by the server's key
 * type    NGX_DNS_TYPE_A or _AAAA
 * client  whose answer it is; NULL or len 0: nobody's in particular
 * now     seconds
 *
 * NGX_OK        r is set; an rrset lives until ngx_dns_external_reset(); none
 *               with NOERROR and with NXDOMAIN: there are no addresses
 * NGX_DECLINED  nothing is known (or no memory left before the next reset):
 *               only r->wanted and r->failing are set.  SERVFAIL, EDE 22
 *
 * Neither waits nor allocates.
 */
ngx_int_t ngx_dns_external_find(ngx_dns_external_t *ext,
    const ngx_dns_name_t *target, ngx_uint_t type,
    const ngx_dns_ecs_t *client, int64_t now, ngx_dns_external_result_t *r);


/*
 * 1 if addresses of this network may not be told to others: private, local,
 * loopback, and the like (RFC 6890; RFC 7871, 11.1).  len 4 or 16.
 */
ngx_uint_t ngx_dns_external_private(const u_char *address, size_t len);

/*
 * The key of an entry: of the hash of its name, the type and the network
 * (family 0: none), whose octets behind bits are 0.  Never 0.
 */
uint64_t ngx_dns_external_key(uint64_t hash, ngx_uint_t type,
    ngx_uint_t family, ngx_uint_t bits, const u_char *network);

/*
 * The number of the entry with this key, or NGX_DNS_EXTERNAL_NONE.
 */
#define NGX_DNS_EXTERNAL_NONE  0xffffffff
uint32_t ngx_dns_external_lookup(const ngx_dns_external_shared_t *sh,
    uint64_t key);


#endif /* _NGX_DNS_EXTERNAL_H_INCLUDED_ */
