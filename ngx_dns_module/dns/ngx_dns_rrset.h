
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_RRSET_H_INCLUDED_
#define _NGX_DNS_RRSET_H_INCLUDED_


#include "ngx_dns.h"


/*
 * An rrset as it lies in a compiled zone, 4-octet aligned, in the byte order
 * of the machine; the RRs behind the head are wire format:
 *
 *     head  nrr * { [link,] rdlen, rdata }  pad  [ sigs ]  [ notes ]
 *
 * link   4 octets, only with NGX_DNS_RRSET_LINKS: the node that owns the
 *        name in this RR, 0 if the zone has none
 * rdlen  2 octets, network byte order
 * sigs   only with NGX_DNS_RRSET_SIGNED: another rrset of type RRSIG with
 *        those that cover this one
 * notes  only with NGX_DNS_RRSET_NOTED: another rrset, of a type that is
 *        never sent, with what is known about this one
 */

typedef struct {
    uint16_t   type;
    uint16_t   nrr;
    uint32_t   ttl;                     /* seconds */
    uint32_t   size;                    /* octets of all rdlen and rdata */
    uint32_t   flags;
} ngx_dns_rrset_t;

#define NGX_DNS_RRSET_LINKS    0x0001
#define NGX_DNS_RRSET_SIGNED   0x0002
#define NGX_DNS_RRSET_NAMES    0x0004   /* RDATA may be compressed */
#define NGX_DNS_RRSET_SHORT    0x0008   /* one RR, compressed already */
#define NGX_DNS_RRSET_NOTED    0x0010
#define NGX_DNS_RRSET_FAILED   0x0020   /* not readable: nrr 0, SERVFAIL */


/*
 * With NGX_DNS_RRSET_SHORT the names in the RDATA end with pointers to the
 * owner, which the writer fills in: npos places in the RDATA, behind the
 * padded RR.
 */

typedef struct {
    uint16_t   npos;                    /* at most 2 */
    uint16_t   pos[2];
    uint16_t   pad;                     /* the size is a multiple of 4 */
} ngx_dns_short_t;


/* octets of the head and the RRs, padded */

static ngx_inline size_t
ngx_dns_rrset_size(const ngx_dns_rrset_t *set)
{
    size_t  n;

    n = sizeof(ngx_dns_rrset_t) + set->size;

    if (set->flags & NGX_DNS_RRSET_LINKS) {
        n += 4 * (size_t) set->nrr;
    }

    return (n + 3) & ~ (size_t) 3;
}


static ngx_inline ngx_dns_short_t *
ngx_dns_rrset_short(const ngx_dns_rrset_t *set)
{
    return (ngx_dns_short_t *) ((u_char *) set + ngx_dns_rrset_size(set));
}


/* the RRSIGs that cover set, or NULL */

static ngx_inline ngx_dns_rrset_t *
ngx_dns_rrset_sigs(const ngx_dns_rrset_t *set)
{
    if (!(set->flags & NGX_DNS_RRSET_SIGNED)) {
        return NULL;
    }

    return (ngx_dns_rrset_t *) ((u_char *) set + ngx_dns_rrset_size(set));
}


/* what is behind set and as many of its sigs and notes as flags say */

static ngx_inline ngx_dns_rrset_t *
ngx_dns_rrset_behind(const ngx_dns_rrset_t *set, uint32_t flags)
{
    const ngx_dns_rrset_t  *last;

    last = set;

    if (flags & NGX_DNS_RRSET_SIGNED) {
        last = (ngx_dns_rrset_t *) ((u_char *) last
                                    + ngx_dns_rrset_size(last));
    }

    if (flags & NGX_DNS_RRSET_NOTED) {
        last = (ngx_dns_rrset_t *) ((u_char *) last
                                    + ngx_dns_rrset_size(last));
    }

    return (ngx_dns_rrset_t *) ((u_char *) last + ngx_dns_rrset_size(last));
}


/* the notes about set, or NULL */

static ngx_inline ngx_dns_rrset_t *
ngx_dns_rrset_notes(const ngx_dns_rrset_t *set)
{
    if (!(set->flags & NGX_DNS_RRSET_NOTED)) {
        return NULL;
    }

    return ngx_dns_rrset_behind(set, set->flags & NGX_DNS_RRSET_SIGNED);
}


/* the set behind set, its signatures and notes */

static ngx_inline ngx_dns_rrset_t *
ngx_dns_rrset_next(const ngx_dns_rrset_t *set)
{
    if (set->flags & (NGX_DNS_RRSET_SIGNED|NGX_DNS_RRSET_NOTED)) {
        return ngx_dns_rrset_behind(set, set->flags);
    }

    return (ngx_dns_rrset_t *) ((u_char *) set + ngx_dns_rrset_size(set));
}


/*
 * A walk over the RRs of a set.  rr is where ngx_dns_rrset_first() or
 * ngx_dns_rr_next() put it: the octet of rdlen; the link is in front of it.
 */

static ngx_inline u_char *
ngx_dns_rrset_first(const ngx_dns_rrset_t *set)
{
    return (u_char *) set + sizeof(ngx_dns_rrset_t)
           + ((set->flags & NGX_DNS_RRSET_LINKS) ? 4 : 0);
}


static ngx_inline u_char *
ngx_dns_rrset_step(const ngx_dns_rrset_t *set, const u_char *rr)
{
    return (u_char *) rr + 2 + ngx_dns_get16(rr)
           + ((set->flags & NGX_DNS_RRSET_LINKS) ? 4 : 0);
}


static ngx_inline uint32_t
ngx_dns_rrset_link(const ngx_dns_rrset_t *set, const u_char *rr)
{
    uint32_t  link;

    if (!(set->flags & NGX_DNS_RRSET_LINKS)) {
        return 0;
    }

    ngx_memcpy(&link, rr - 4, 4);

    return link;
}


#endif /* _NGX_DNS_RRSET_H_INCLUDED_ */
