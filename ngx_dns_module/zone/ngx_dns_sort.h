
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_SORT_H_INCLUDED_
#define _NGX_DNS_SORT_H_INCLUDED_


#include "ngx_dns_note.h"
#include "ngx_dns_records.h"


/*
 * A stored record: the head, then owner_len octets of labels (without those
 * of the apex, without root label), then rdlen octets of RDATA.
 */

typedef struct {
    uint32_t   ttl;
    uint32_t   line;
    uint16_t   file;
    uint16_t   type;
    uint16_t   rdlen;
    uint8_t    owner_len;
    uint8_t    labels;
} ngx_dns_rec_t;

#define ngx_dns_rec_owner(r)  ((u_char *) (r) + sizeof(ngx_dns_rec_t))
#define ngx_dns_rec_rdata(r)  (ngx_dns_rec_owner(r) + (r)->owner_len)
#define ngx_dns_rec_size(r)                                                  \
    ((sizeof(ngx_dns_rec_t) + (r)->owner_len + (r)->rdlen + 7)               \
     & ~ (size_t) 7)


typedef struct {
    uint64_t        key;
    ngx_dns_rec_t  *rec;
} ngx_dns_elt_t;


/*
 * Sorts n records: owners in canonical order (RFC 4034, 6.1), records of one
 * owner by ngx_dns_rec_cmp().  The keys are set here.
 *
 * tmp  room for n elements
 *
 * Does not allocate.  Linear for owners that differ early.
 */
void ngx_dns_sort(ngx_dns_elt_t *elts, ngx_dns_elt_t *tmp, size_t n);

/*
 * Order of two records of one owner: by type, RRSIGs right behind the type
 * they cover and notes behind these, notes about the name last; then by RDATA
 * (RFC 4034, 6.3).  0: they are the same record.
 */
ngx_int_t ngx_dns_rec_cmp(const ngx_dns_rec_t *a, const ngx_dns_rec_t *b);

/*
 * The type that a record is, or is about: RRSIGs and notes lie behind it.
 * Notes about the name: more than any type.
 */
ngx_uint_t ngx_dns_rec_covered(const ngx_dns_rec_t *rec);


#endif /* _NGX_DNS_SORT_H_INCLUDED_ */
