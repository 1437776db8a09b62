
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_COMPRESS_H_INCLUDED_
#define _NGX_DNS_COMPRESS_H_INCLUDED_


#include "ngx_dns_query.h"


/*
 * Name compression of one message (RFC 1035, 4.1.4): a table of the suffixes
 * written so far, by the hash of names.  What an entry points at is compared
 * before it is used, so an entry may be stale.
 */

#define NGX_DNS_COMPRESS_SLOTS   1024
#define NGX_DNS_COMPRESS_PROBES  4

typedef struct {
    uint32_t            turn;           /* the message it belongs to */
    uint16_t            tag;
    uint16_t            offset;
} ngx_dns_compress_slot_t;

typedef struct {
    ngx_dns_key_t      *key;
    ngx_dns_query_t    *query;
    u_char             *buf;
    uint32_t            turn;
    ngx_uint_t          filled;         /* the question's name is in */
    ngx_dns_name_t      name;           /* the one being written */

    ngx_dns_compress_slot_t  slots[NGX_DNS_COMPRESS_SLOTS];
} ngx_dns_compress_t;


/* Begins a message at buf; c->key is the caller's, once. O(1). */
void ngx_dns_compress_start(ngx_dns_compress_t *c, ngx_dns_query_t *q,
    u_char *buf);

/*
 * Writes a name at p: len octets of labels, then the name at suffix.
 *
 * Returns the octet behind it, or NULL if it would pass limit.
 * Does not allocate.
 */
u_char *ngx_dns_compress_name(ngx_dns_compress_t *c, u_char *p, u_char *limit,
    const u_char *labels, size_t len, const u_char *suffix);


#endif /* _NGX_DNS_COMPRESS_H_INCLUDED_ */
