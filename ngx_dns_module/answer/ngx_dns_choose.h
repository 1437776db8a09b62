
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_CHOOSE_H_INCLUDED_
#define _NGX_DNS_CHOOSE_H_INCLUDED_


#include "ngx_dns_choice.h"
#include "ngx_dns_health.h"
#include "ngx_dns_random.h"
#include "ngx_dns_rrset.h"


/* most RRs of a set that is chosen from: more do not fit into a message */
#define NGX_DNS_CHOOSE_MAX  4096


/* Where an address is, as far as somebody knows. */

typedef struct {
    uint8_t      known;                 /* NGX_DNS_PLACE_... */
    uint8_t      country_bits;          /* of the largest network around the */
    uint8_t      asn_bits;              /* address that has the same country */
    uint8_t      point_bits;            /* and so on; set if unknown too */
    u_char       country[2];            /* upper case */
    uint32_t     asn;
    double       point[3];              /* on the unit sphere */
} ngx_dns_place_t;

#define NGX_DNS_PLACE_COUNTRY  0x01
#define NGX_DNS_PLACE_ASN      0x02
#define NGX_DNS_PLACE_POINT    0x04

typedef enum {
    NGX_DNS_STEP_HEALTH = 0,
    NGX_DNS_STEP_ASN,
    NGX_DNS_STEP_COUNTRY,
    NGX_DNS_STEP_LOCATION,
    NGX_DNS_STEP_ORDER
} ngx_dns_choose_step_e;

typedef enum {
    NGX_DNS_KEPT_MATCH = 0,             /* those that match */
    NGX_DNS_KEPT_DEFAULT,               /* none does: those for the rest */
    NGX_DNS_KEPT_ALL,                   /* there is no such either */
    NGX_DNS_KEPT_NONE                   /* and nobody else is wanted */
} ngx_dns_choose_kept_e;


typedef struct ngx_dns_chooser_s  ngx_dns_chooser_t;

/* one record that may be sent */

typedef struct {
    uint16_t         rr;                /* its place in the set */
    uint16_t         position;          /* as stored */
    uint32_t         weight;
    u_char          *address;
    const u_char    *countries;
    const u_char    *asns;
    uint16_t         ncountries;
    uint16_t         nasns;
    uint8_t          kept;              /* ngx_dns_choose_kept_e, in a step */
    double           near;              /* cosine of the distance, in a step */
} ngx_dns_candidate_t;

/*
 * All that a choice needs, one per worker.  Who asks is set per query:
 * address and family of the client or of its subnet option.
 *
 * place   where an address is; len 4 or 16; called only if it matters
 * health  of an address of the set that is chosen from: NGX_DNS_HEALTH_...
 * trace   NULL, or called behind each step with what is left
 */

struct ngx_dns_chooser_s {
    void           (*place)(void *data, const u_char *address, size_t len,
                       ngx_uint_t wanted, ngx_dns_place_t *place);
    ngx_uint_t     (*health)(void *data, const ngx_dns_choice_t *choice,
                       const u_char *address, size_t len);
    void           (*trace)(void *data, ngx_dns_choose_step_e step,
                       ngx_dns_choose_kept_e kept, ngx_uint_t n);
    void            *data;
    ngx_dns_random_t random;

    const u_char    *client;
    size_t           client_len;        /* 4 or 16; 0: nobody knows */

    ngx_dns_place_t  where;             /* of the client, once it is asked */
    ngx_uint_t       located;           /* NGX_DNS_PLACE_...: asked for */

    ngx_uint_t       scope;             /* set: bits of the client's address
                                           that the choice depends on */
    ngx_uint_t       n;                 /* set: how many are sent */
    ngx_dns_candidate_t
                     list[NGX_DNS_CHOOSE_MAX];  /* set: in order */
};


/*
 * Chooses among the RRs of set (type A or AAAA).  Health comes first, then
 * places, then order and count.
 *
 * payload  of the set's note, len octets
 *
 * NGX_OK        c->list and c->scope are set; c->n may be 0: NODATA
 * NGX_DECLINED  the note cannot be read: the set as it is
 *
 * Does not allocate.
 */
ngx_int_t ngx_dns_choose(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const u_char *payload, size_t len);


#endif /* _NGX_DNS_CHOOSE_H_INCLUDED_ */
