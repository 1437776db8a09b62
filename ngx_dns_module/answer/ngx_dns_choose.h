
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_CHOOSE_H_INCLUDED_
#define _NGX_DNS_CHOOSE_H_INCLUDED_


#include "ngx_dns_choice.h"
#include "ngx_dns_health.h"
#include "ngx_dns_places.h"
#include "ngx_dns_random.h"
#include "ngx_dns_rrset.h"


/*
 * Choosing among the addresses of a set, step by step.  A step is given the
 * records that the one before it has left:
 *
 *     health      those that are not down; if all are: all (or none)
 *     network     \
 *     asn          | those for the client's; else those for everybody else;
 *     country      | else all (or none)
 *     continent   /
 *     location    the nearest by great circle
 *     priority    the first group
 *     order       which one comes first, and how many are sent
 */

typedef enum {
    NGX_DNS_STEP_HEALTH = 0,
    NGX_DNS_STEP_NETWORK,
    NGX_DNS_STEP_ASN,
    NGX_DNS_STEP_COUNTRY,
    NGX_DNS_STEP_CONTINENT,
    NGX_DNS_STEP_LOCATION,
    NGX_DNS_STEP_PRIORITY,
    NGX_DNS_STEP_ORDER,
    NGX_DNS_STEPS
} ngx_dns_choose_step_e;

typedef enum {
    NGX_DNS_KEPT_MATCH = 0,             /* those that match */
    NGX_DNS_KEPT_DEFAULT,               /* none does: those for the rest */
    NGX_DNS_KEPT_ALL,                   /* there is no such either */
    NGX_DNS_KEPT_NONE                   /* and nobody else is wanted */
} ngx_dns_choose_kept_e;


/* in the steps of a reply: nothing was left of a set */
#define NGX_DNS_STEP_NOTHING      (1 << NGX_DNS_STEPS)

/* octets of a note bound them */
#define NGX_DNS_CHOOSE_MAX        (65535 / NGX_DNS_CHOICE_RR_HEAD)

#define NGX_DNS_CHOOSE_NOT_READY  5     /* seconds that an answer may live if
                                           places are not known yet */

#define NGX_DNS_STICKY_INET       24    /* bits of networks whose clients */
#define NGX_DNS_STICKY_INET6      56    /* keep together */

typedef struct ngx_dns_chooser_s  ngx_dns_chooser_t;

typedef void (*ngx_dns_choose_trace_pt)(void *data, ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_dns_choose_kept_e kept);

/*
 * All that a choice needs, one per worker.  Who asks is set per choice.
 *
 * health  NULL: all targets are unknown
 * trace   NULL, or called behind each step that had a say with what it has
 *         left: c->list and c->n
 */

struct ngx_dns_chooser_s {
    ngx_dns_places_t         *places;
    const ngx_dns_health_t   *health;
    ngx_dns_choose_trace_pt   trace;
    void                     *data;
    ngx_dns_random_t          random;

    const u_char             *client;   /* an address; IPv4 in IPv6 as IPv4 */
    size_t                    client_len;   /* 4, 16; 0: nobody knows */

    /* set */

    uint32_t                  scope;    /* bits of the client's address that
                                           the choice depends on */
    uint32_t                  ttl;      /* seconds: not above that */
    uint32_t                  steps;    /* 1 << step: it left some out; for
                                           ORDER: one was drawn */
    ngx_uint_t                n;        /* of list: how many are sent */

    /* position as stored << 16 | place in the set */
    uint32_t                  list[NGX_DNS_CHOOSE_MAX];

    /* by place in the set: the RR in the payload, what a step thinks of it */
    const u_char             *attr[NGX_DNS_CHOOSE_MAX];
    uint8_t                   kept[NGX_DNS_CHOOSE_MAX];
    double                    near[NGX_DNS_CHOOSE_MAX];     /* by entry */
};

/* the place in the set of entry i of the list */

#define ngx_dns_chooser_rr(c, i)  ((ngx_uint_t) ((c)->list[i] & 0xffff))


/*
 * Chooses among the RRs of set (type A or AAAA).
 *
 * payload  of the set's note; checked when the zone was made
 * rrs      room for set->nrr pointers; set: the c->n RRs to send, in order,
 *          as of ngx_dns_rrset_first()
 *
 * NGX_OK        c->n may be 0: NODATA
 * NGX_DECLINED  the note is not about such a set: it is sent as it is
 *
 * Does not allocate.
 */
ngx_int_t ngx_dns_choose(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    const u_char *payload, u_char **rrs);


#endif /* _NGX_DNS_CHOOSE_H_INCLUDED_ */
