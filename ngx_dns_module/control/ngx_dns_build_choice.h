
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_BUILD_CHOICE_H_INCLUDED_
#define _NGX_DNS_BUILD_CHOICE_H_INCLUDED_


#include "ngx_dns_builder.h"
#include "ngx_dns_probe.h"


/* What the files of the builder share that read how to choose. */

#define NGX_DNS_BUILD_PROBE                                                  \
    (NGX_DNS_PROBE_HEAD + NGX_DNS_PROBE_HOST_MAX + NGX_DNS_PROBE_URI_MAX     \
     + NGX_DNS_PROBE_MATCH_MAX + 2 * NGX_DNS_PROBE_STATUS_MAX)

typedef struct {
    u_char                 rdata[16];
    ngx_dns_choice_rr_t    rr;
} ngx_dns_build_rr_t;

struct ngx_dns_build_choice_s {
    ngx_uint_t             wanted;      /* 0: the set is sent whole */
    ngx_uint_t             groups;      /* 1: only if priorities differ */
    ngx_dns_choice_t       head;

    size_t                 probe_len;   /* octets of the payload */
    u_char                 probe[NGX_DNS_BUILD_PROBE];

    ngx_uint_t             full;        /* 1: there was no room */
    size_t                 size;        /* octets of the payload */
    size_t                 used;        /* octets of lists */
    ngx_uint_t             n;           /* RRs */

    /* of what is mapped: RRs are behind this head, lists behind them */

    size_t                 mapped;
    size_t                 room;        /* octets for lists */
    u_char                *lists;
    ngx_dns_build_rr_t     rrs[1];
};

/* a word and the number that it means */

typedef struct {
    const char            *word;
    ngx_uint_t             value;
} ngx_dns_build_word_t;


/*
 * ngx_dns_build_choice.c: the number of the word that text is, whatever the
 * case of its letters, or NGX_DECLINED.  words end with a NULL.
 */
ngx_int_t ngx_dns_build_word(const ngx_dns_build_word_t *words,
    ngx_str_t *text);

/*
 * The number of the word that a member is; the default, which is the number
 * of the NULL, if it is missing or empty, or reported.
 *
 * where  the object it is a member of, for messages
 */
ngx_uint_t ngx_dns_build_member_word(ngx_dns_build_t *b, ngx_uint_t type,
    const char *where, ngx_dns_json_member_t *m,
    const ngx_dns_build_word_t *words);

/*
 * ngx_dns_build_check.c: the members of health_check.  If it is enabled, and
 * there is something that can be checked, head has NGX_DNS_CHOICE_CHECK, its
 * interval, and what all that are down mean, and the payload of the probe is
 * written to payload.  Returns its octets, or 0.
 */
size_t ngx_dns_build_check(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *check, ngx_dns_choice_t *head, u_char *payload);


#endif /* _NGX_DNS_BUILD_CHOICE_H_INCLUDED_ */
