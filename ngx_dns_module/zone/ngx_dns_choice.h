
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
 *     3  steps         1 octet
 *     4  flags         1 octet
 *     5  0             1 octet
 *     6  nrr           2 octets
 *     8  interval      4 octets: milliseconds between checks; 0: there are
 *                      none
 *    12  then for each RR:
 *
 *        position      2 octets
 *        priority      2 octets
 *        weight        4 octets
 *        ncountries    2 octets
 *        ncontinents   2 octets
 *        nasns         2 octets
 *        nnetworks     2 octets
 *        check         8 octets
 *        countries     2 octets each: letters, upper case
 *        continents    2 octets each: letters, upper case
 *        asns          4 octets each
 *        networks      4 octets each: ngx_dns_network_id() of the name
 *
 * All numbers are in network byte order.  The RRs lie in canonical order, the
 * order of the compiled set: RDATA compared octet by octet, none twice.  How
 * the addresses are checked is another note (ngx_dns_probe.h): a query needs
 * the state of a target only, by its id.
 */

#define NGX_DNS_CHOICE_VERSION       2
#define NGX_DNS_CHOICE_HEAD          12     /* octets in front of the RRs */
#define NGX_DNS_CHOICE_RR_HEAD       24     /* octets without the lists */

/* count */
#define NGX_DNS_CHOICE_MULTI         0      /* all that are left */
#define NGX_DNS_CHOICE_SINGLE        1

/* order: which record comes first */
#define NGX_DNS_CHOICE_NONE          0      /* that of position */
#define NGX_DNS_CHOICE_WEIGHTED      1
#define NGX_DNS_CHOICE_RR            2      /* any, each as often */
#define NGX_DNS_CHOICE_STICKY        3      /* the client's own one */

/* steps: by what the client's place counts, in this order */
#define NGX_DNS_CHOICE_NETWORK       0x01
#define NGX_DNS_CHOICE_ASN           0x02
#define NGX_DNS_CHOICE_COUNTRY       0x04
#define NGX_DNS_CHOICE_CONTINENT     0x08
#define NGX_DNS_CHOICE_LOCATION      0x10
#define NGX_DNS_CHOICE_STEPS         0x1f   /* all of them */

/* flags */
#define NGX_DNS_CHOICE_NO_MATCH      0x01   /* "no_match":"none" */
#define NGX_DNS_CHOICE_ALL_DOWN      0x02   /* "all_down":"none" */
#define NGX_DNS_CHOICE_CHECK         0x04   /* each RR has a check */
#define NGX_DNS_CHOICE_FLAGS         0x07

/* an element of a list: the record is for those nobody else is for, too */
#define NGX_DNS_CHOICE_ANY_COUNTRY   "\0\0"
#define NGX_DNS_CHOICE_ANY_CONTINENT "\0\0"
#define NGX_DNS_CHOICE_ANY_ASN       0
#define NGX_DNS_CHOICE_ANY_NETWORK   0


typedef struct {
    uint8_t         count;              /* NGX_DNS_CHOICE_... */
    uint8_t         order;
    uint8_t         steps;
    uint8_t         flags;
    uint16_t        nrr;
    uint32_t        interval;           /* milliseconds */
    const u_char   *rrs;                /* the first one; set by read */
} ngx_dns_choice_t;

typedef struct {
    uint16_t        position;           /* as stored, from 0 */
    uint16_t        priority;           /* 0 is the first group */
    uint32_t        weight;
    uint16_t        ncountries;         /* 0: for all nobody else is for */
    uint16_t        ncontinents;        /* likewise, and so on */
    uint16_t        nasns;
    uint16_t        nnetworks;
    uint64_t        check;              /* id of the target; 0: none */
    const u_char   *countries;          /* lists as in the payload */
    const u_char   *continents;
    const u_char   *asns;
    const u_char   *networks;
} ngx_dns_choice_rr_t;


/*
 * Writes the payload, first what is in front of the RRs, then each of them.
 *
 * p  room for NGX_DNS_CHOICE_HEAD, or ngx_dns_choice_rr_size()
 *
 * Return the octet behind.  Do not allocate.
 */
u_char *ngx_dns_choice_write(u_char *p, const ngx_dns_choice_t *choice);
u_char *ngx_dns_choice_write_rr(u_char *p, const ngx_dns_choice_rr_t *rr);

/* Octets of an RR in the payload. */
size_t ngx_dns_choice_rr_size(const ngx_dns_choice_rr_t *rr);

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
 * Reads the head of a payload that ngx_dns_choice_read() found good, as those
 * of zones that are compiled or verified are.  For the path of queries: does
 * not look at the RRs.
 */

static ngx_inline void
ngx_dns_choice_open(const u_char *payload, ngx_dns_choice_t *choice)
{
    choice->count = payload[1];
    choice->order = payload[2];
    choice->steps = payload[3];
    choice->flags = payload[4];
    choice->nrr = (uint16_t) ngx_dns_get16(payload + 6);
    choice->interval = ngx_dns_get32(payload + 8);
    choice->rrs = payload + NGX_DNS_CHOICE_HEAD;
}


/*
 * The RR at p of a payload that was read; p begins with choice->rrs.  Returns
 * where the next one is.  Does not allocate.
 */

static ngx_inline const u_char *
ngx_dns_choice_rr(const u_char *p, ngx_dns_choice_rr_t *rr)
{
    rr->position = (uint16_t) ngx_dns_get16(p);
    rr->priority = (uint16_t) ngx_dns_get16(p + 2);
    rr->weight = ngx_dns_get32(p + 4);
    rr->ncountries = (uint16_t) ngx_dns_get16(p + 8);
    rr->ncontinents = (uint16_t) ngx_dns_get16(p + 10);
    rr->nasns = (uint16_t) ngx_dns_get16(p + 12);
    rr->nnetworks = (uint16_t) ngx_dns_get16(p + 14);
    rr->check = ngx_dns_get64(p + 16);

    rr->countries = p + NGX_DNS_CHOICE_RR_HEAD;
    rr->continents = rr->countries + 2 * (size_t) rr->ncountries;
    rr->asns = rr->continents + 2 * (size_t) rr->ncontinents;
    rr->networks = rr->asns + 4 * (size_t) rr->nasns;

    return rr->networks + 4 * (size_t) rr->nnetworks;
}


/*
 * The id of an operator's network by its name, whose letters count without
 * case: FNV-1a, 32 bits, never NGX_DNS_CHOICE_ANY_NETWORK.  Whoever defines
 * networks refuses two names with the same id.
 */
uint32_t ngx_dns_network_id(const u_char *name, size_t len);


#endif /* _NGX_DNS_CHOICE_H_INCLUDED_ */
