
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_EXPLAIN_CTX_H_INCLUDED_
#define _NGX_DNS_EXPLAIN_CTX_H_INCLUDED_


#include "ngx_dns_answer_ctx.h"
#include "ngx_dns_explain.h"
#include "ngx_dns_rdata.h"


/*
 * An explanation being made; shared by the files that write it.  None of the
 * functions below allocates.  What does not fit is left out, and said to be.
 */

#define NGX_DNS_EXPLAIN_LINE    1020    /* octets of a line: 4 strings */
#define NGX_DNS_EXPLAIN_TEXT    40960   /* octets of all of them */
#define NGX_DNS_EXPLAIN_LINES   1000
#define NGX_DNS_EXPLAIN_LIST    64      /* addresses that are told of a set */
#define NGX_DNS_EXPLAIN_NAMES   4

struct ngx_dns_explain_s {
    const ngx_dns_explain_network_t
                            *networks;
    ngx_uint_t               nnetworks;

    ngx_dns_query_t          query;     /* that is explained */
    const ngx_dns_zone_t    *zone;      /* that was told */
    const ngx_dns_rrset_t   *set;       /* that is chosen from */
    ngx_dns_choice_t         choice;
    uint32_t                 stored;    /* its TTL, limited */
    ngx_int_t                step;      /* that was told, -1: none */
    ngx_uint_t               n;         /* entries before this step */

    ngx_uint_t               name;      /* of texts: the next one */
    ngx_str_t                names[NGX_DNS_EXPLAIN_NAMES];
    u_char                   text[NGX_DNS_EXPLAIN_NAMES]
                                 [NGX_DNS_NAME_TEXT_MAX];

    u_char                  *p;         /* in line */
    u_char                   line[NGX_DNS_EXPLAIN_LINE];

    ngx_uint_t               nlines;
    u_char                  *last;      /* behind the RRs */
    struct {
        ngx_dns_rrset_t      head;

        /* the writer may read a little more than there is */

        u_char               data[NGX_DNS_EXPLAIN_TEXT + 256];
    } rrs;
};


/*
 * ngx_dns_explain_line.c: lines.  begin, any number of add, end; or tell,
 * which does all three.  What a line has no room for is cut off.
 */
void ngx_dns_explain_begin(ngx_dns_explain_t *x, const char *what);
void ngx_dns_explain_add(ngx_dns_explain_t *x, const char *fmt, ...);
void ngx_dns_explain_end(ngx_dns_explain_t *x);
void ngx_dns_explain_tell(ngx_dns_explain_t *x, const char *what,
    const char *fmt, ...);

/* the text of a name; of the last NGX_DNS_EXPLAIN_NAMES it is kept */
ngx_str_t *ngx_dns_explain_text(ngx_dns_explain_t *x, const u_char *name);

void ngx_dns_explain_add_type(ngx_dns_explain_t *x, ngx_uint_t type);
void ngx_dns_explain_add_rdata(ngx_dns_explain_t *x, ngx_uint_t type,
    const u_char *rdata, size_t len);
void ngx_dns_explain_add_address(ngx_dns_explain_t *x, const u_char *address,
    size_t len);
void ngx_dns_explain_add_fact(ngx_dns_explain_t *x, ngx_uint_t fact,
    uint32_t value);
void ngx_dns_explain_add_point(ngx_dns_explain_t *x, const double *point);

/* ngx_dns_explain_name.c: where a zone comes from; it is told now */
void ngx_dns_explain_zone(ngx_dns_answer_t *a, ngx_dns_explain_t *x,
    const ngx_dns_zone_t *zone);

/* ngx_dns_explain_choice.c: the trace of a choice; data is x */
void ngx_dns_explain_step(void *data, ngx_dns_chooser_t *c,
    ngx_dns_choose_step_e step, ngx_dns_choose_kept_e kept);


#endif /* _NGX_DNS_EXPLAIN_CTX_H_INCLUDED_ */
