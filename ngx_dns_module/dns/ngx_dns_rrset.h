
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
 *     head  nrr * { [link,] rdlen, rdata }  pad  [ sigs ]
 *
 * link   4 octets, only with NGX_DNS_RRSET_LINKS: the node that owns the
 *        name in this RR, 0 if the zone has none
 * rdlen  2 octets, network byte order
 * sigs   only with NGX_DNS_RRSET_SIGNED: another rrset of type RRSIG with
 *        those that cover this one
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


/* the set behind set and its signatures */

static ngx_inline ngx_dns_rrset_t *
ngx_dns_rrset_next(const ngx_dns_rrset_t *set)
{
    ngx_dns_rrset_t  *sigs;

    sigs = ngx_dns_rrset_sigs(set);

    if (sigs != NULL) {
        set = sigs;
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
