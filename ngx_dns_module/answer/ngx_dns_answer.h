
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_ANSWER_H_INCLUDED_
#define _NGX_DNS_ANSWER_H_INCLUDED_


#include "ngx_dns_choose.h"
#include "ngx_dns_shared.h"
#include "ngx_dns_writer.h"
#include "ngx_dns_zones.h"


#define NGX_DNS_ANY_MINIMAL   0         /* RFC 8482, 4.1 */
#define NGX_DNS_ANY_REFUSED   1

#define NGX_DNS_CHAIN_MAX     16        /* CNAME and DNAME links */


/* What the server's configuration says about answers. */

typedef struct {
    ngx_dns_zones_t    *zones;          /* of files, or NULL */
    ngx_dns_view_t    **views;          /* of regions of published zones */
    ngx_uint_t          nviews;
    uint32_t            min_ttl;        /* seconds; the SOA is not clamped */
    uint32_t            max_ttl;
    uint8_t             any;            /* NGX_DNS_ANY_... */
    uint8_t             chaos;          /* 1: answer the names of RFC 4892 */
    uint8_t             ecs;            /* 1: answers are for the client's
                                           subnet, RFC 7871 */
    uint8_t             explain;        /* 1: QNAME.QTYPE.explain., class CH */
    uint8_t             stale_ede;      /* 1: EDE 3 with stale answers */
    ngx_str_t           version;        /* for version.bind, version.server */
    ngx_str_t           hostname;       /* for hostname.bind, id.server */
} ngx_dns_answer_conf_t;


/* Memory for answering one query after the other; one per worker. */

typedef struct ngx_dns_answer_s  ngx_dns_answer_t;

struct ngx_dns_external_s;

ngx_dns_answer_t *ngx_dns_answer_create(ngx_pool_t *pool, ngx_dns_key_t *key);

/*
 * What answers depend on besides zones; changed between batches only.
 *
 * seed      4 random numbers, not all 0; without them draws repeat
 * places    filled by the caller; at first nobody knows any
 * health    states of targets; NULL, as at first: all are unknown
 * external  addresses of other servers' names; NULL, as at first: none
 * time      now, seconds; how old these addresses are
 */
void ngx_dns_answer_seed(ngx_dns_answer_t *a, const uint64_t *seed);
ngx_dns_places_t *ngx_dns_answer_places(ngx_dns_answer_t *a);
void ngx_dns_answer_health(ngx_dns_answer_t *a,
    const ngx_dns_health_t *health);
void ngx_dns_answer_external(ngx_dns_answer_t *a,
    struct ngx_dns_external_s *external);
void ngx_dns_answer_time(ngx_dns_answer_t *a, int64_t now);

/* Who is told of each step of a choice, as of ngx_dns_chooser_t; or NULL. */
void ngx_dns_answer_trace(ngx_dns_answer_t *a, ngx_dns_choose_trace_pt trace,
    void *data);


/*
 * The work on a batch, in passes over all of its queries:
 *
 *     ngx_dns_query_parse()        bytes to query
 *     ngx_dns_answer_locate()      finds the zone, asks for its bucket
 *     ngx_dns_zone_prefetch_node() if there is a zone
 *     ngx_dns_answer()             query to list of rrsets
 *     ngx_dns_write()              list to bytes
 *
 * Only for queries with q->verdict ANSWER; NULL: no zone.  Of a zone that is
 * in a file and in a view the file's is found.  From the first call until the
 * last reply of the batch is written all views must be entered.
 */
ngx_dns_zone_t *ngx_dns_answer_locate(ngx_dns_answer_conf_t *conf,
    ngx_dns_query_t *q);

/*
 * Answers q from zone (as located; NULL: REFUSED, or, if a view is not ready
 * yet, SERVFAIL).
 *
 * t  how the reply will be sent: additional data of sets that cannot fit is
 *    not looked for
 *
 * Returns the reply: owned by a, valid until the next call; points into
 * the zone and into q.  Never NULL.  Does not allocate.
 * RFC 1034, 4.3.2.
 */
ngx_dns_reply_t *ngx_dns_answer(ngx_dns_answer_t *a,
    ngx_dns_answer_conf_t *conf, ngx_dns_query_t *q, ngx_dns_zone_t *zone,
    ngx_dns_transport_t *t);


#endif /* _NGX_DNS_ANSWER_H_INCLUDED_ */
