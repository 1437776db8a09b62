
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_NOTE_H_INCLUDED_
#define _NGX_DNS_NOTE_H_INCLUDED_


#include "ngx_dns.h"


/*
 * What a zone knows about its data besides records: a note is added like a
 * record, of a type that IANA has reserved and that is never on the wire nor,
 * by its number, in a master file.  Its RDATA:
 *
 *     covered  2 octets, network byte order: the type that it is about;
 *              0: the name as a whole
 *     kind     1 octet
 *     payload
 *
 * In the compiled zone notes about a type lie behind the rrset of that type
 * and its signatures (NGX_DNS_RRSET_NOTED); those about a name are one rrset
 * of type NOTE behind all sets of the node (NGX_DNS_NODE_NOTED).  What flags
 * or the head of the zone say (NAME, FAILED, ZONE) is not kept as a note.
 */

#define NGX_DNS_TYPE_NOTE       65535

/* the name exists, with or without records; covered is 0; no payload */
#define NGX_DNS_NOTE_NAME       0

/*
 * What is covered could not be read: SERVFAIL.  Records of the same type are
 * dropped by the compiler; of a name that failed as a whole (or whose CNAME
 * did) all but the SOA.  NS below the apex and DNAME: so are the names below.
 * No payload.
 */
#define NGX_DNS_NOTE_FAILED     1

/* how to choose among the RRs of a set; the payload: ngx_dns_choice.h */
#define NGX_DNS_NOTE_CHOICE     2

/*
 * A and AAAA of this name are those of another one; covered is 0.  Payload:
 * 4 octets TTL, network byte order (NGX_DNS_ANAME_NO_TTL: none), then the
 * target, wire format, lower case.  One at a name, and none beside a CNAME.
 */
#define NGX_DNS_NOTE_ANAME      3
#define NGX_DNS_ANAME_NO_TTL    0xffffffff

/*
 * At the apex only, covered is 0: 4 octets NGX_DNS_ZONE_... flags (those of
 * NGX_DNS_ZONE_GIVEN), 8 octets digest of the content, both network byte
 * order; the compiler puts them into the head of the zone.
 *
 * A zone with this note is NGX_DNS_ZONE_LIVE: nobody has checked it before
 * it is used, so what would make a zone file be refused is a warning (only
 * the SOA must be there), and what is just a hint for authors of zone files
 * is not said.
 */
#define NGX_DNS_NOTE_ZONE       4

/*
 * At the apex only, covered is 0: the DNSSEC keys as they were stored.
 * Payload: 1 octet which (0 ZSK public, 1 ZSK private, 2 KSK public, 3 KSK
 * private), then the text.
 */
#define NGX_DNS_NOTE_KEY        5

/* how the addresses of a set are checked; the payload: ngx_dns_probe.h */
#define NGX_DNS_NOTE_PROBE      6

/*
 * At the apex only, covered is 0: the domain_id of the config, for who wants
 * to know of checks.  Payload: the text, up to 255 octets.  Only in a zone
 * that has checks.
 */
#define NGX_DNS_NOTE_ID         7

#define NGX_DNS_NOTE_HEAD       3       /* octets in front of the payload */

#define ngx_dns_note_covered(rdata)  ngx_dns_get16(rdata)
#define ngx_dns_note_kind(rdata)     ((ngx_uint_t) (rdata)[2])


#endif /* _NGX_DNS_NOTE_H_INCLUDED_ */
