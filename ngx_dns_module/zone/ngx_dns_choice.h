
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_CHOICE_H_INCLUDED_
#define _NGX_DNS_CHOICE_H_INCLUDED_


#include "ngx_dns_note.h"


/*
 * How to choose among the addresses of an rrset: the payload of a note of
 * kind NGX_DNS_NOTE_CHOICE.  A set that is sent whole whoever asks needs no
 * such note: its records are without weights, places and checks.
 *
 *     0  version       1 octet
 *     1  count         1 octet
 *     2  order         1 octet
 *     3  geo           1 octet
 *     4  flags         1 octet
 *     5  protocol_len  1 octet
 *     6  uri_len       2 octets
 *     8  port          2 octets
 *    10  up_count      2 octets
 *    12  down_count    2 octets
 *    14  timeout       4 octets
 *    18  interval      4 octets
 *    22  nrr           2 octets
 *    24  protocol, uri, then for each RR:
 *
 *        position      2 octets
 *        weight        4 octets
 *        ncountries    2 octets
 *        nasns         2 octets
 *        countries     2 octets each: letters, upper case
 *        asns          4 octets each
 *
 * All numbers are in network byte order.  The RRs lie in canonical order, the
 * order of the compiled set: RDATA compared octet by octet, none twice.
 */

#define NGX_DNS_CHOICE_VERSION       1
#define NGX_DNS_CHOICE_HEAD          24     /* octets without the texts */
#define NGX_DNS_CHOICE_RR_HEAD       10     /* octets without the lists */

/* count */
#define NGX_DNS_CHOICE_MULTI         0      /* all that are left */
#define NGX_DNS_CHOICE_SINGLE        1

/* order: which record comes first */
#define NGX_DNS_CHOICE_NONE          0      /* that of position */
#define NGX_DNS_CHOICE_WEIGHTED      1
#define NGX_DNS_CHOICE_RR            2      /* any, each as often */

/* geo */
#define NGX_DNS_CHOICE_GEO_NONE      0
#define NGX_DNS_CHOICE_COUNTRY       1
#define NGX_DNS_CHOICE_ASN           2
#define NGX_DNS_CHOICE_ASN_COUNTRY   3      /* asn, then country of those */
#define NGX_DNS_CHOICE_LOCATION      4

/* flags */
#define NGX_DNS_CHOICE_NO_MATCH      0x01   /* "no_match":"none" */
#define NGX_DNS_CHOICE_ALL_DOWN      0x02   /* "all_down":"none" */
#define NGX_DNS_CHOICE_CHECK         0x04   /* "health_check" is enabled */

/* an element of a list: the record is for those nobody else is for, too */
#define NGX_DNS_CHOICE_ANY_COUNTRY   "\0\0"
#define NGX_DNS_CHOICE_ANY_ASN       0


typedef struct {
    uint8_t         count;              /* NGX_DNS_CHOICE_... */
    uint8_t         order;
    uint8_t         geo;
    uint8_t         flags;
    uint16_t        port;               /* of checks; 0: the protocol's */
    uint16_t        up_count;           /* 0: the default */
    uint16_t        down_count;         /* without sign; 0: the default */
    uint16_t        nrr;
    uint32_t        timeout;            /* milliseconds; 0: the default */
    uint32_t        interval;           /* seconds; 0: the default */
    ngx_str_t       protocol;           /* up to 255 octets; empty: default */
    ngx_str_t       uri;                /* empty: the default */
    const u_char   *rrs;                /* the first one; set by read */
} ngx_dns_choice_t;

typedef struct {
    uint16_t        position;           /* as stored, from 0 */
    uint16_t        ncountries;         /* 0: for all nobody else is for */
    uint16_t        nasns;              /* likewise */
    uint32_t        weight;
    const u_char   *countries;          /* as in the payload */
    const u_char   *asns;               /* as in the payload */
} ngx_dns_choice_rr_t;


/*
 * Writes the payload, first what is in front of the RRs, then each of them.
 *
 * p  room for NGX_DNS_CHOICE_HEAD and the texts, NGX_DNS_CHOICE_RR_HEAD and
 *    the lists
 *
 * Return the octet behind.  Do not allocate.
 */
u_char *ngx_dns_choice_write(u_char *p, const ngx_dns_choice_t *choice);
u_char *ngx_dns_choice_write_rr(u_char *p, const ngx_dns_choice_rr_t *rr);

/*
 * Reads and checks a payload, all of its RRs included.
 *
 * choice  set on NGX_OK; points into the payload
 *
 * NGX_DECLINED: it is none of this version, or damaged.  Does not allocate.
 */
ngx_int_t ngx_dns_choice_read(const u_char *payload, size_t len,
    ngx_dns_choice_t *choice);

/*
 * The RR at p of a payload that was read; p begins with choice->rrs.  Returns
 * where the next one is.  Does not allocate.
 */
const u_char *ngx_dns_choice_rr(const u_char *p, ngx_dns_choice_rr_t *rr);


#endif /* _NGX_DNS_CHOICE_H_INCLUDED_ */
