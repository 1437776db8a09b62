
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_choice.h"


static u_char *ngx_dns_choice_copy(u_char *p, const u_char *data, size_t n);


u_char *
ngx_dns_choice_write(u_char *p, const ngx_dns_choice_t *choice)
{
    *p++ = NGX_DNS_CHOICE_VERSION;
    *p++ = choice->count;
    *p++ = choice->order;
    *p++ = choice->geo;
    *p++ = choice->flags;
    *p++ = (u_char) choice->protocol.len;
    p = ngx_dns_put16(p, choice->uri.len);
    p = ngx_dns_put16(p, choice->port);
    p = ngx_dns_put16(p, choice->up_count);
    p = ngx_dns_put16(p, choice->down_count);
    p = ngx_dns_put32(p, choice->timeout);
    p = ngx_dns_put32(p, choice->interval);
    p = ngx_dns_put16(p, choice->nrr);

    p = ngx_dns_choice_copy(p, choice->protocol.data, choice->protocol.len);

    return ngx_dns_choice_copy(p, choice->uri.data, choice->uri.len);
}


/* without octets data may be NULL */

static u_char *
ngx_dns_choice_copy(u_char *p, const u_char *data, size_t n)
{
    return (n == 0) ? p : ngx_cpymem(p, data, n);
}


u_char *
ngx_dns_choice_write_rr(u_char *p, const ngx_dns_choice_rr_t *rr)
{
    p = ngx_dns_put16(p, rr->position);
    p = ngx_dns_put32(p, rr->weight);
    p = ngx_dns_put16(p, rr->ncountries);
    p = ngx_dns_put16(p, rr->nasns);

    p = ngx_dns_choice_copy(p, rr->countries, 2 * (size_t) rr->ncountries);

    return ngx_dns_choice_copy(p, rr->asns, 4 * (size_t) rr->nasns);
}


ngx_int_t
ngx_dns_choice_read(const u_char *payload, size_t len,
    ngx_dns_choice_t *choice)
{
    size_t         n;
    ngx_uint_t     i;
    const u_char  *p, *last;

    if (len < NGX_DNS_CHOICE_HEAD || payload[0] != NGX_DNS_CHOICE_VERSION) {
        return NGX_DECLINED;
    }

    last = payload + len;

    choice->count = payload[1];
    choice->order = payload[2];
    choice->geo = payload[3];
    choice->flags = payload[4];
    choice->protocol.len = payload[5];
    choice->uri.len = ngx_dns_get16(payload + 6);
    choice->port = (uint16_t) ngx_dns_get16(payload + 8);
    choice->up_count = (uint16_t) ngx_dns_get16(payload + 10);
    choice->down_count = (uint16_t) ngx_dns_get16(payload + 12);
    choice->timeout = ngx_dns_get32(payload + 14);
    choice->interval = ngx_dns_get32(payload + 18);
    choice->nrr = (uint16_t) ngx_dns_get16(payload + 22);

    p = payload + NGX_DNS_CHOICE_HEAD;

    if (choice->count > NGX_DNS_CHOICE_SINGLE
        || choice->order > NGX_DNS_CHOICE_RR
        || choice->geo > NGX_DNS_CHOICE_LOCATION
        || (size_t) (last - p) < choice->protocol.len + choice->uri.len)
    {
        return NGX_DECLINED;
    }

    choice->protocol.data = (u_char *) p;
    p += choice->protocol.len;
    choice->uri.data = (u_char *) p;
    p += choice->uri.len;
    choice->rrs = p;

    for (i = 0; i < choice->nrr; i++) {

        if (last - p < NGX_DNS_CHOICE_RR_HEAD) {
            return NGX_DECLINED;
        }

        n = NGX_DNS_CHOICE_RR_HEAD + 2 * (size_t) ngx_dns_get16(p + 6)
            + 4 * (size_t) ngx_dns_get16(p + 8);

        if ((size_t) (last - p) < n) {
            return NGX_DECLINED;
        }

        p += n;
    }

    return (p == last) ? NGX_OK : NGX_DECLINED;
}


const u_char *
ngx_dns_choice_rr(const u_char *p, ngx_dns_choice_rr_t *rr)
{
    rr->position = (uint16_t) ngx_dns_get16(p);
    rr->weight = ngx_dns_get32(p + 2);
    rr->ncountries = (uint16_t) ngx_dns_get16(p + 6);
    rr->nasns = (uint16_t) ngx_dns_get16(p + 8);
    rr->countries = p + NGX_DNS_CHOICE_RR_HEAD;
    rr->asns = rr->countries + 2 * (size_t) rr->ncountries;

    return rr->asns + 4 * (size_t) rr->nasns;
}
