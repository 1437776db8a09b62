
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


typedef struct {
    size_t        len;
    const char   *name;                 /* wire format with the root label */
    ngx_uint_t    version;              /* else the host's name */
} ngx_dns_chaos_name_t;


static ngx_dns_chaos_name_t  ngx_dns_chaos_names[] = {
    { 14, "\007version\004bind", 1 },
    { 16, "\007version\006server", 1 },
    { 15, "\010hostname\004bind", 0 },
    { 11, "\002id\006server", 0 },
    { 0, NULL, 0 }
};


/* TXT of the names of RFC 4892, 2 and their older forms; else REFUSED */

ngx_dns_state_e
ngx_dns_answer_chaos(ngx_dns_answer_t *a)
{
    u_char                *p;
    size_t                 len;
    ngx_str_t             *text;
    ngx_dns_name_t        *qname;
    ngx_dns_synth_t       *synth;
    ngx_dns_chaos_name_t  *c;

    qname = &a->query->qname;

    for (c = ngx_dns_chaos_names; c->len != 0; c++) {

        if (c->len != qname->len
            || ngx_memcmp(qname->wire, c->name, c->len) != 0)
        {
            continue;
        }

        text = c->version ? &a->conf->version : &a->conf->hostname;

        if (text->len == 0 || (a->query->qtype != NGX_DNS_TYPE_TXT
                               && a->query->qtype != NGX_DNS_TYPE_ANY))
        {
            break;
        }

        len = ngx_min(text->len, 255);
        synth = &a->synth[a->nsynth++];

        p = ngx_dns_put16(synth->data, len + 1);
        *p++ = (u_char) len;
        ngx_memcpy(p, text->data, len);

        synth->head.type = NGX_DNS_TYPE_TXT;
        synth->head.nrr = 1;
        synth->head.ttl = 0;
        synth->head.size = (uint32_t) (2 + 1 + len);
        synth->head.flags = 0;

        ngx_dns_add_name(a, NGX_DNS_ANSWER, &synth->head, 0);
        a->reply.aa = 1;

        return ngx_dns_state_positive;
    }

    a->reply.rcode = NGX_DNS_REFUSED;
    a->reply.aa = 0;

    return ngx_dns_state_refused;
}
