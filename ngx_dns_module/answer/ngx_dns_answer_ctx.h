
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_ANSWER_CTX_H_INCLUDED_
#define _NGX_DNS_ANSWER_CTX_H_INCLUDED_


#include "ngx_dns_answer.h"
#include "ngx_dns_choose.h"
#include "ngx_dns_ecs.h"
#include "ngx_dns_external.h"


/*
 * The state of one answer; shared by the files of this folder.  None of the
 * functions below allocates, and what they add to the reply points into the
 * zone, the query or the state.
 */


typedef enum {
    ngx_dns_state_follow = 0,           /* the chain goes on with a->name */
    ngx_dns_state_positive,
    ngx_dns_state_nodata,
    ngx_dns_state_nxdomain,
    ngx_dns_state_referral,
    ngx_dns_state_refused,
    ngx_dns_state_done,                 /* the chain ends here */
    ngx_dns_state_outside,              /* it ends, at a name of no concern */
    ngx_dns_state_absent,               /* nothing is said of it yet */

    /* SERVFAIL */

    ngx_dns_state_failed,               /* data that cannot be trusted */
    ngx_dns_state_not_ready,            /* data that may come */
    ngx_dns_state_unreachable           /* data that others have */
} ngx_dns_state_e;


/* a synthesized CNAME, in the form of a compiled rrset */

typedef struct {
    ngx_dns_rrset_t           head;
    u_char                    data[2 + NGX_DNS_NAME_MAX + 3 + 16];
} ngx_dns_synth_t;


#define NGX_DNS_ALIAS_FLAT    0x01      /* from the question's name on */
#define NGX_DNS_ALIAS_ANAME   0x02      /* through all zones of the server */

/* of nodes whose addresses are added; a power of 2 */
#define NGX_DNS_SEEN_SLOTS    (2 * NGX_DNS_ITEMS_MAX)

/* most RRs that a message can hold, and those of one set more */
#define NGX_DNS_SELECT_MAX    (NGX_DNS_MESSAGE_MAX / 16 + NGX_DNS_CHOOSE_MAX)

struct ngx_dns_answer_s {
    ngx_dns_key_t            *key;
    ngx_dns_query_t          *query;
    ngx_dns_answer_conf_t    *conf;
    ngx_dns_zone_t           *zone;
    ngx_dns_transport_t      *transport;

    struct ngx_dns_explain_s *explain;  /* NULL, as a rule: this answer is not
                                           explained */
    struct ngx_dns_explain_s *explainer;        /* NULL: nobody explains */

    struct ngx_dns_external_s
                             *external;
    int64_t                   now;      /* seconds */
    ngx_dns_places_t          places;
    ngx_dns_ecs_t             ecs;      /* with reply.ecs: of the query */
    ngx_dns_ecs_t             address;  /* that the query came from */
    const ngx_dns_ecs_t      *client;   /* who asks; NULL: not known yet */

    /* where the chain is: the question's name, or names[links & 1] */
    ngx_dns_name_t           *name;
    const u_char             *target;   /* its place; NULL: the question */
    ngx_uint_t                links;
    uint64_t                  chain[NGX_DNS_CHAIN_MAX + 1];
    ngx_dns_name_t            names[2];

    /* what the end of the chain is for; 0: it is the answer as it is */
    ngx_uint_t                alias;    /* NGX_DNS_ALIAS_... */
    struct {
        ngx_dns_zone_t       *zone;     /* of the ANAME */
        const u_char         *owner;    /* its name, as target */
        ngx_uint_t            first;    /* of the items of its chain */
        uint32_t              ttl;      /* the smallest of its links */
    } aname;

    uint32_t                  negative_ttl;     /* at most */

    ngx_dns_lookup_t          found;
    ngx_uint_t                mixed;    /* sections are out of order */

    uint32_t                  turn;
    struct {
        uint32_t              turn;
        uint32_t              place;
    } seen[NGX_DNS_SEEN_SLOTS];

    ngx_uint_t                nsynth;
    ngx_dns_synth_t           synth[NGX_DNS_CHAIN_MAX + 2];

    ngx_dns_reply_t           reply;

    ngx_uint_t                nrrs;     /* of rrs: used for this reply */
    u_char                   *rrs[NGX_DNS_SELECT_MAX];
    ngx_dns_chooser_t         chooser;
};


/*
 * ngx_dns_locate.c: the zone of a name, from all sources.
 *
 * views   looks into the views for one that is better than zone
 * source  what the source of a->zone says of it: follow, or failed
 * ready   0: what was not found may come yet
 */
ngx_dns_zone_t *ngx_dns_locate_views(ngx_dns_answer_conf_t *conf,
    const ngx_dns_name_t *name, ngx_uint_t above, ngx_dns_zone_t *zone);
ngx_dns_state_e ngx_dns_locate_source(ngx_dns_answer_t *a);
ngx_uint_t ngx_dns_locate_ready(ngx_dns_answer_conf_t *conf);

/*
 * As ngx_dns_zones_find().  A zone that is in a file and in a view is the
 * file's.
 */

static ngx_inline ngx_dns_zone_t *
ngx_dns_locate(ngx_dns_answer_conf_t *conf, const ngx_dns_name_t *name,
    ngx_uint_t above)
{
    ngx_dns_zone_t  *zone;

    zone = (conf->zones != NULL) ? ngx_dns_zones_find(conf->zones, name, above)
                                 : NULL;

    if (conf->nviews == 0) {
        return zone;
    }

    /* the usual case: one source, no files */

    if (conf->nviews == 1 && zone == NULL) {
        return ngx_dns_shared_find(conf->views[0]->shared, name, above);
    }

    return ngx_dns_locate_views(conf, name, above, zone);
}


/* source, asked only if there is anything to say */

static ngx_inline ngx_dns_state_e
ngx_dns_locate_check(ngx_dns_answer_t *a)
{
    ngx_uint_t  i, flags;

    flags = a->zone->flags & NGX_DNS_ZONE_UNSIGNABLE;

    for (i = 0; i < a->conf->nviews; i++) {
        flags |= a->conf->views[i]->flags;
    }

    return (flags == 0) ? ngx_dns_state_follow : ngx_dns_locate_source(a);
}


/*
 * ngx_dns_section.c: rrsets into the sections.
 *
 * The owner is the suffix at label i of a->name (ngx_dns_add_name), or a node
 * (ngx_dns_add_node).  With the DO bit the signatures of the set follow.
 */
void ngx_dns_add_name(ngx_dns_answer_t *a, ngx_dns_section_e section,
    ngx_dns_rrset_t *set, ngx_uint_t i);
void ngx_dns_add_node(ngx_dns_answer_t *a, ngx_dns_section_e section,
    ngx_dns_rrset_t *set, ngx_dns_node_t *node, ngx_uint_t flags);

/* puts the items in order of sections, if a proof came before a link */
void ngx_dns_add_end(ngx_dns_answer_t *a);

/* the SOA with the negative TTL, RFC 2308, 3 and 5 */
void ngx_dns_add_soa(ngx_dns_answer_t *a);

/*
 * The addresses that the RRs of set point at, RFC 1034, 4.3.2, step 6.
 * cut  the owner of a delegation, whose glue must be there (RFC 9471), or
 *      NULL: all of it is optional
 */
void ngx_dns_add_addresses(ngx_dns_answer_t *a, ngx_dns_rrset_t *set,
    ngx_dns_node_t *cut);

/*
 * ngx_dns_select.c: what of a set this client is sent.
 *
 * ecs     reads the client subnet option of the query, which has one
 * select  of a set with notes, by its item, which was just added.  NGX_OK: the
 *         item is what to send; NGX_DECLINED: nothing is, the item is to be
 *         taken back
 */
ngx_int_t ngx_dns_select_ecs(ngx_dns_answer_t *a);
ngx_int_t ngx_dns_select(ngx_dns_answer_t *a, ngx_dns_item_t *item);

/*
 * client  who asks: the subnet in the query, unless it is to be ignored, else
 *         the address that it came from; len 0: nobody knows
 * scope   the answer depends on so many bits of the client's address
 */
const ngx_dns_ecs_t *ngx_dns_answer_client(ngx_dns_answer_t *a);
void ngx_dns_answer_scope(ngx_dns_answer_t *a, ngx_uint_t bits);

/*
 * ngx_dns_chain.c: one link; the answer is in the reply.  follow makes target
 * the name to look up, if it is in the zone.  Without a set it has failed.
 */
ngx_dns_state_e ngx_dns_chain_follow(ngx_dns_answer_t *a,
    const u_char *target);
ngx_dns_state_e ngx_dns_chain_cname(ngx_dns_answer_t *a,
    ngx_dns_rrset_t *set);
ngx_dns_state_e ngx_dns_chain_dname(ngx_dns_answer_t *a, ngx_dns_node_t *node,
    ngx_uint_t i);

/*
 * 1: the chain came by this DNAME before; it has one owner, so it is in the
 * answer and stays there once (RFC 2181, 5)
 */
ngx_uint_t ngx_dns_chain_has(ngx_dns_answer_t *a, ngx_dns_rrset_t *dname);

/*
 * ngx_dns_alias.c
 *
 * answer  what the flags of a node say of a type that it lacks; absent:
 *         nothing
 * caa     the CAA of the nearest ancestor in the zone that has any, or absent
 * zone    the zone of a->name in the middle of the chain of an ANAME
 * end     makes the answer of a chain that ended with state; a->alias was
 *         not 0 and is again
 */
ngx_dns_state_e ngx_dns_alias_answer(ngx_dns_answer_t *a,
    ngx_dns_node_t *node, ngx_uint_t wildcard);
ngx_dns_state_e ngx_dns_alias_caa(ngx_dns_answer_t *a);
ngx_dns_state_e ngx_dns_alias_zone(ngx_dns_answer_t *a);
ngx_dns_state_e ngx_dns_alias_end(ngx_dns_answer_t *a, ngx_dns_state_e state);

/* ngx_dns_any.c: qtype ANY and RRSIG at a node, RFC 8482, 4.1 and 4.2 */
ngx_dns_state_e ngx_dns_answer_any(ngx_dns_answer_t *a, ngx_dns_node_t *node);
ngx_dns_state_e ngx_dns_answer_rrsig(ngx_dns_answer_t *a,
    ngx_dns_node_t *node);

/* ngx_dns_chaos.c: class CH, RFC 4892 */
ngx_dns_state_e ngx_dns_answer_chaos(ngx_dns_answer_t *a);

/*
 * ngx_dns_explain.c, and below what is told while an answer is made, with
 * a->explain set.
 *
 * wanted    1 if the question, of class CH, asks for an explanation
 * answer    gives it
 *
 * name      that is to be looked up now
 * set       that is to be chosen from now, with the payload of its note, or
 *           NULL: it is sent whole, for it is signed
 * chosen    it has been, c->n are left
 * external  what is known of a name of other servers, NULL: nothing
 */
ngx_uint_t ngx_dns_explain_wanted(ngx_dns_answer_t *a);
ngx_dns_state_e ngx_dns_explain_answer(ngx_dns_answer_t *a);
void ngx_dns_explain_name(ngx_dns_answer_t *a);
void ngx_dns_explain_set(ngx_dns_answer_t *a, const ngx_dns_item_t *item,
    const u_char *payload);
void ngx_dns_explain_chosen(ngx_dns_answer_t *a, const ngx_dns_item_t *item);
void ngx_dns_explain_external(ngx_dns_answer_t *a,
    const ngx_dns_external_result_t *r);

/*
 * ngx_dns_denial.c: what a signed zone proves with its own NSEC or NSEC3
 * records; nothing without the DO bit or in an unsigned zone.
 *
 * nodata    the name, or the wildcard that stands for it, lacks the type
 * nxdomain  no such name, no wildcard: RFC 4035, 3.1.3.2; RFC 5155, 7.2.2
 * wildcard  the name itself does not exist: RFC 4035, 3.1.3.3; 5155, 7.2.6
 * ds        the delegation at label i has no DS: RFC 4035, 3.1.4.1
 */
void ngx_dns_deny_nodata(ngx_dns_answer_t *a, ngx_uint_t wildcard);
void ngx_dns_deny_nxdomain(ngx_dns_answer_t *a);
void ngx_dns_deny_wildcard(ngx_dns_answer_t *a);
void ngx_dns_deny_ds(ngx_dns_answer_t *a, ngx_uint_t i);


#endif /* _NGX_DNS_ANSWER_CTX_H_INCLUDED_ */
