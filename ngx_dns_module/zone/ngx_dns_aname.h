
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_ANAME_H_INCLUDED_
#define _NGX_DNS_ANAME_H_INCLUDED_


#include "ngx_dns_note.h"
#include "ngx_dns_scan.h"


/*
 * ANAME in master files: "owner [TTL] ANAME target".  It looks like a record
 * and becomes a note about its owner (ngx_dns_note.h).  ALIAS is the same.
 */


/* 1: the word stands where a type does and means this. */
ngx_uint_t ngx_dns_aname_is(const ngx_dns_word_t *w);

/*
 * Reads the target up to the end of the entry and writes RDATA of the note.
 *
 * rdata  room for NGX_DNS_ANAME_ROOM octets
 * len    set to the octets of the RDATA
 *
 * NGX_OK     all but the TTL is written
 * NGX_ERROR  s->err is set
 *
 * Does not allocate.
 */
#define NGX_DNS_ANAME_ROOM  (NGX_DNS_NOTE_HEAD + 4 + NGX_DNS_SCAN_NAME)
ngx_int_t ngx_dns_aname_scan(ngx_dns_scan_t *s, u_char *rdata, size_t *len);

/* The TTL, seconds, into what was scanned. */
void ngx_dns_aname_ttl(u_char *rdata, uint32_t ttl);


#endif /* _NGX_DNS_ANAME_H_INCLUDED_ */
