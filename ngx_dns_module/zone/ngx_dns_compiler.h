
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_COMPILER_H_INCLUDED_
#define _NGX_DNS_COMPILER_H_INCLUDED_


#include "ngx_dns_compile.h"
#include "ngx_dns_rr.h"
#include "ngx_dns_store.h"


/*
 * The state of one compilation; shared by the files of the compiler.  None
 * of the functions below allocates: the room was got at the start.
 */


/* one label of the current owner, the apex at depth 0 */

typedef struct {
    const u_char     *label;
    uint64_t          hash;             /* of the name down to here */
    uint32_t          node;             /* its place */
    uint16_t          flags;            /* NGX_DNS_NODE_... */
} ngx_dns_step_t;

/* an RR that names a target: its link is set when all nodes exist */

typedef struct {
    ngx_dns_rec_t    *rec;
    uint64_t          link;             /* octets from the block's start */
    uint32_t          node;             /* the owner's place */
    uint32_t          target;           /* octets in front of the target */
} ngx_dns_fixup_t;

typedef struct {
    ngx_dns_records_t   *rs;
    ngx_dns_memory_t    *mem;
    ngx_dns_key_t       *key;

    ngx_dns_elt_t       *elts;          /* n, then n more to sort */
    size_t               elts_size;

    ngx_dns_zone_t      *zone;          /* the block */
    size_t               zone_size;     /* as mapped */
    size_t               pos;           /* octets used, a multiple of 4 */

    uint64_t            *hash;          /* of each node */
    uint32_t            *place;         /* of each node */
    size_t               nodes_size;

    ngx_dns_fixup_t     *fixups;
    size_t               nfixups;
    size_t               fixups_size;

    size_t               nrecords;
    size_t               warned;        /* warnings asked for */
    size_t               failed;        /* errors of the checks */
    ngx_uint_t           presigned;     /* the apex has signatures */

    ngx_uint_t           depth;         /* labels of the current owner */
    ngx_dns_step_t       path[NGX_DNS_LABELS_MAX + 1];
} ngx_dns_compiler_t;


/*
 * ngx_dns_compile.c: octets in front of the name an RR of this type points
 * at, or NGX_DECLINED if it points at none.
 */
ngx_int_t ngx_dns_compile_target(ngx_uint_t type);

/*
 * The flags of a node: those of the types of its sets, joined, then what they
 * come to.  NAME: it is no mere owner of NSEC3.
 */
#define NGX_DNS_COMPILE_NAME  0x10000
ngx_uint_t ngx_dns_compile_type_flags(ngx_uint_t type);
ngx_uint_t ngx_dns_compile_node_flags(ngx_uint_t flags, ngx_uint_t apex);

/* the flags of a set but SIGNED; those of a zone about how it is signed */
ngx_uint_t ngx_dns_compile_set_flags(ngx_uint_t type);
ngx_uint_t ngx_dns_compile_denial(const ngx_dns_zone_t *zone);

/*
 * The compressed SOA of a zone that is not the root, written to zeroed
 * memory at start, 4-octet aligned; returns its octets.
 */
#define NGX_DNS_SHORT_BOUND  600
size_t ngx_dns_compile_short(const ngx_dns_zone_t *zone,
    const ngx_dns_rrset_t *soa, u_char *start);

/*
 * ngx_dns_notes.c: what the notes among the n records of an owner say.
 * Takes out what is not compiled and returns how many are left, in order;
 * flags of the owner change.  A type that failed is left as its note alone.
 */
size_t ngx_dns_notes_apply(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n, ngx_uint_t *flags);

/*
 * NGX_DECLINED: the note cannot be about set: how to choose among another
 * number of RRs, how to check what is no address, or unreadable.
 */
ngx_int_t ngx_dns_notes_fit(const ngx_dns_rec_t *rec,
    const ngx_dns_rrset_t *set);

/* ngx_dns_index.c: the index, the buckets, the links. */
void ngx_dns_compile_index(ngx_dns_compiler_t *c);
void ngx_dns_compile_links(ngx_dns_compiler_t *c);

/*
 * ngx_dns_check.c: the semantic checks.  Errors and warnings are counted in
 * the reporter; of each the first NGX_DNS_WARN_MAX of a zone are shown, and
 * ngx_dns_check_end() says how many more there were.
 */
#define NGX_DNS_WARN_MAX   20

void ngx_dns_check_owner(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n,
    ngx_uint_t flags);
void ngx_dns_check_ttl(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec);
void ngx_dns_check_sigs(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec);
void ngx_dns_check_count(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec);
void ngx_dns_check_size(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec,
    const ngx_dns_rrset_t *set);
void ngx_dns_check_target(ngx_dns_compiler_t *c, ngx_dns_fixup_t *f,
    const ngx_dns_name_t *target, ngx_dns_node_t *node);
void ngx_dns_check_end(ngx_dns_compiler_t *c);


#endif /* _NGX_DNS_COMPILER_H_INCLUDED_ */
