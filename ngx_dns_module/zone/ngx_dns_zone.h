
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_ZONE_H_INCLUDED_
#define _NGX_DNS_ZONE_H_INCLUDED_


#include "ngx_dns_name.h"
#include "ngx_dns_note.h"
#include "ngx_dns_rrset.h"


/*
 * A compiled zone is one immutable block that holds no pointers: places in
 * it are offsets from its start in units of 4 octets (so 16 GiB at most).
 * The same block serves memory inherited over fork, shared memory and files.
 *
 *     head | nodes in canonical order | index of nodes | buckets of the hash
 */

#define NGX_DNS_ZONE_MAGIC       0x4e445a31
#define NGX_DNS_ZONE_VERSION     3
#define NGX_DNS_ZONE_SIZE_MAX    (4 * (uint64_t) 0xffffffff)

#define NGX_DNS_ZONE_NSEC        0x0001     /* signed, with NSEC */
#define NGX_DNS_ZONE_NSEC3       0x0002     /* signed, with NSEC3 */
#define NGX_DNS_ZONE_DENIAL      (NGX_DNS_ZONE_NSEC|NGX_DNS_ZONE_NSEC3)

/* flags that a note at the apex brings (ngx_dns_note.h) */

#define NGX_DNS_ZONE_FLATTEN     0x0100     /* CNAMEs are not shown */
#define NGX_DNS_ZONE_CAA_CLIMB   0x0200     /* CAA of a parent answers */
#define NGX_DNS_ZONE_SERIAL      0x0400     /* the serial was given */
#define NGX_DNS_ZONE_DNSSEC      0x0800     /* to be signed */
#define NGX_DNS_ZONE_UNSIGNABLE  0x1000     /* but not with these keys */
#define NGX_DNS_ZONE_LIVE        0x2000     /* nobody checks it before use */
#define NGX_DNS_ZONE_GIVEN       0x1f00     /* those the note may bring */

/* what the control process has to do with it */

#define NGX_DNS_ZONE_PROBES      0x4000     /* some set has NOTE_PROBE */
#define NGX_DNS_ZONE_ANAMES      0x8000     /* some node is an ANAME */
#define NGX_DNS_ZONE_FOUND       0xc000     /* those the compiler found */

#define NGX_DNS_NSEC3_SHA1       1          /* RFC 5155, 11 */
#define NGX_DNS_NSEC3_ITERATIONS 150        /* at most: each name costs them */

typedef struct {
    uint32_t   magic;
    uint32_t   version;
    uint64_t   size;                    /* octets of the block */
    uint64_t   key;                     /* second half of the hash key */
    uint64_t   digest;                  /* of the content; 0: none */
    uint32_t   nnodes;                  /* owner names and ENTs */
    uint32_t   nrecords;
    uint32_t   nbuckets;
    uint32_t   buckets;
    uint32_t   index;                   /* their nnodes places, in order */
    uint32_t   apex;                    /* the apex node */
    uint32_t   soa;                     /* its SOA rrset */
    uint32_t   short_soa;               /* the same, compressed; 0: none */
    uint32_t   denial;                  /* places of NSEC or NSEC3 owners */
    uint32_t   ndenial;
    uint32_t   serial;
    uint32_t   negative_ttl;            /* RFC 2308, 5 */
    uint32_t   flags;                   /* NGX_DNS_ZONE_... */
    uint8_t    name_len;                /* of the apex with root label */
    uint8_t    name_labels;
    uint8_t    max_labels;              /* of the deepest owner, absolute */
    u_char     name[NGX_DNS_NAME_MAX];  /* the apex */
    uint16_t   bad;                     /* values left out, at most 65535 */
} ngx_dns_zone_t;


/*
 * A node: an owner name (without the labels of the apex) and its rrsets.
 *
 *     head  name  pad  nsets * rrset (each padded to 4)  [ notes ]
 *
 * notes  only with NGX_DNS_NODE_NOTED: an rrset of type NOTE, about the name
 *        as a whole; it is not one of the nsets
 */

typedef struct {
    uint16_t   flags;
    uint16_t   nsets;
    uint8_t    len;                     /* octets of name, no root label */
    u_char     name[3];                 /* really len octets */
} ngx_dns_node_t;

#define NGX_DNS_NODE_APEX          0x0001
#define NGX_DNS_NODE_CUT           0x0002   /* NS below the apex */
#define NGX_DNS_NODE_OCCLUDED      0x0004   /* below a cut or a DNAME */
#define NGX_DNS_NODE_DNAME         0x0008
#define NGX_DNS_NODE_CNAME         0x0010
#define NGX_DNS_NODE_WILDCARD      0x0020   /* first label is "*" */
#define NGX_DNS_NODE_HAS_WILDCARD  0x0040   /* "*" exists right below */
#define NGX_DNS_NODE_NSEC3         0x0080   /* owner of NSEC3: not a name */
#define NGX_DNS_NODE_FAILED        0x0100   /* SERVFAIL for every type */
#define NGX_DNS_NODE_ANAME         0x0200   /* a note says whose A and AAAA */
#define NGX_DNS_NODE_NOTED         0x0400   /* notes are behind the sets */


/* 64 octets: one cache line, one look decides a hit or a miss */

#define NGX_DNS_BUCKET_SLOTS       10
#define NGX_DNS_BUCKET_FILL        6    /* on average */

typedef struct {
    uint16_t   tag[NGX_DNS_BUCKET_SLOTS];
    uint16_t   used;
    uint16_t   overflow;                /* look into the next one too */
    uint32_t   node[NGX_DNS_BUCKET_SLOTS];
} ngx_dns_bucket_t;


/* The bucket where a hash belongs; its low 16 bits are the tag. */

static ngx_inline uint32_t
ngx_dns_bucket_index(uint32_t nbuckets, uint64_t hash)
{
    return (uint32_t) (((__uint128_t) ngx_dns_name_spread(hash) * nbuckets)
                       >> 64);
}


#define ngx_dns_zone_at(zone, offset)                                        \
    ((void *) ((u_char *) (zone) + 4 * (uint64_t) (offset)))


/* The first rrset of a node with at least one. */

static ngx_inline ngx_dns_rrset_t *
ngx_dns_node_sets(const ngx_dns_node_t *node)
{
    return (ngx_dns_rrset_t *)
           ((u_char *) node
            + ((offsetof(ngx_dns_node_t, name) + node->len + 3)
               & ~ (size_t) 3));
}


/*
 * NGX_OK if the len octets at rel, a name without the labels of the apex,
 * are the name of node or one below it, else NGX_DECLINED.  Does not
 * allocate.
 */
ngx_int_t ngx_dns_node_above(const ngx_dns_node_t *node, const u_char *rel,
    size_t len);

/* The rrset of a type at a node, or NULL.  Does not allocate. */
ngx_dns_rrset_t *ngx_dns_node_rrset(const ngx_dns_node_t *node,
    ngx_uint_t type);

/* The notes about the name of a node, or NULL.  Does not allocate. */
ngx_dns_rrset_t *ngx_dns_node_notes(const ngx_dns_node_t *node);

/*
 * The note of a kind among notes, or NULL: its rdlen, as of any RR of a set.
 * Does not allocate.
 */
u_char *ngx_dns_notes_find(const ngx_dns_rrset_t *notes, ngx_uint_t kind);

/*
 * The id that a note at the apex gives the zone, at most NGX_DNS_ZONE_ID_MAX
 * octets; empty if there is none.  Points into the zone.  Does not allocate.
 */
#define NGX_DNS_ZONE_ID_MAX  255
void ngx_dns_zone_id(const ngx_dns_zone_t *zone, ngx_str_t *id);

/*
 * RDATA of the NSEC3PARAM by which the zone is denied: the first with SHA-1,
 * without flags (RFC 5155, 4.1.2) and not too dear, or NULL.
 * Does not allocate.
 */
u_char *ngx_dns_zone_nsec3param(const ngx_dns_zone_t *zone);

/*
 * The node of the suffix of name that starts with label i, or NULL.
 *
 * name  at or below the apex of the zone
 * i     at most name->labels - zone->name_labels
 *
 * Does not allocate.
 */
ngx_dns_node_t *ngx_dns_zone_node(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name, ngx_uint_t i);

typedef struct {
    ngx_dns_node_t  *node;              /* exact match, or NULL */
    ngx_dns_node_t  *encloser;          /* closest encloser; node if exact */
    ngx_uint_t       label;             /* label of name the encloser is at */
} ngx_dns_lookup_t;

/*
 * Finds the node that owns name, or else its closest encloser.
 *
 * name  at or below the apex of the zone
 * res   set in both cases; points into the zone
 *
 * NGX_OK        exact match; an empty non-terminal counts as one
 * NGX_DECLINED  only an encloser exists
 *
 * Does not allocate.  RFC 1034, 4.3.2, step 3; RFC 4592, 3.3.1.
 */
ngx_int_t ngx_dns_zone_find(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name, ngx_dns_lookup_t *res);

/*
 * The topmost zone cut or DNAME owner at or above the suffix of name at
 * label i, below the apex for cuts, or NULL.
 *
 * name   at or below the apex of the zone
 * i      at most name->labels - zone->name_labels
 * label  set to the label of name that the result is at
 *
 * Does not allocate.  RFC 1034, 4.3.2, steps 3a, 3b; RFC 6672, 3.2.
 */
ngx_dns_node_t *ngx_dns_zone_top(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name, ngx_uint_t i, ngx_uint_t *label);

/*
 * The wildcard right below the suffix of name at label i, which is not 0, or
 * NULL.  Does not allocate.  RFC 4592, 3.3.1.
 */
ngx_dns_node_t *ngx_dns_zone_wildcard(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name, ngx_uint_t i);

/*
 * Passes of a batch: the first asks for the cache line of the bucket, the
 * second, when it has come, for that of the node.  Neither allocates.
 */
void ngx_dns_zone_prefetch_bucket(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name);
void ngx_dns_zone_prefetch_node(const ngx_dns_zone_t *zone,
    const ngx_dns_name_t *name);


#endif /* _NGX_DNS_ZONE_H_INCLUDED_ */
