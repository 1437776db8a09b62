
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_EXPLAIN_H_INCLUDED_
#define _NGX_DNS_EXPLAIN_H_INCLUDED_


#include "ngx_dns_answer.h"


/*
 * Explains answers: a question of class CH and type TXT for the name
 * QNAME.QTYPE.explain. is answered with what the server does to answer
 * QNAME QTYPE to the same client, step by step, a TXT record each.  The text
 * of a record begins with its number.
 */


/* of an operator's network: what its id stands for */

typedef struct {
    uint32_t    id;                     /* ngx_dns_network_id() */
    ngx_str_t   name;
} ngx_dns_explain_network_t;


/* Memory for one explanation after the other. */

typedef struct ngx_dns_explain_s  ngx_dns_explain_t;


/*
 * Makes it, from pool.
 *
 * networks   names of networks, n of them; kept
 *
 * NULL: no memory.
 */
ngx_dns_explain_t *ngx_dns_explain_create(ngx_pool_t *pool,
    const ngx_dns_explain_network_t *networks, ngx_uint_t n);

/*
 * Lets a explain its answers where the configuration wants that.  x: NULL,
 * as at first: it does not.
 */
void ngx_dns_explain_use(ngx_dns_answer_t *a, ngx_dns_explain_t *x);


#endif /* _NGX_DNS_EXPLAIN_H_INCLUDED_ */
