
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_DRAW_H_INCLUDED_
#define _NGX_DNS_DRAW_H_INCLUDED_


#include "ngx_dns_choose.h"


/*
 * The last step of a choice: order.  c->n is at least 2.
 *
 * draw    the entry of c->list that comes first, by NGX_DNS_CHOICE_...;
 *         what was drawn is in c->steps, and in c->scope if it is the
 *         client's own
 * rotate  brings the list into the order as stored, then turns it until the
 *         entry at first is in front
 *
 * Neither allocates.
 */
ngx_uint_t ngx_dns_draw(ngx_dns_chooser_t *c, const ngx_dns_rrset_t *set,
    ngx_uint_t order);
void ngx_dns_draw_rotate(ngx_dns_chooser_t *c, ngx_uint_t first);


#endif /* _NGX_DNS_DRAW_H_INCLUDED_ */
