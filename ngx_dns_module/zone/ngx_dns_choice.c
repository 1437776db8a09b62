
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_choice.h"


static u_char *ngx_dns_choice_copy(u_char *p, const u_char *data, size_t n);
static ngx_int_t ngx_dns_choice_check_rr(const u_char *p, size_t left,
    ngx_uint_t checked, size_t *size);


u_char *
ngx_dns_choice_write(u_char *p, const ngx_dns_choice_t *choice)
{
    *p++ = NGX_DNS_CHOICE_VERSION;
    *p++ = choice->count;
    *p++ = choice->order;
    *p++ = choice->steps;
    *p++ = choice->flags;
    *p++ = 0;
    p = ngx_dns_put16(p, choice->nrr);

    return ngx_dns_put32(p, choice->interval);
}


u_char *
ngx_dns_choice_write_rr(u_char *p, const ngx_dns_choice_rr_t *rr)
{
    p = ngx_dns_put16(p, rr->position);
    p = ngx_dns_put16(p, rr->priority);
    p = ngx_dns_put32(p, rr->weight);
    p = ngx_dns_put16(p, rr->ncountries);
    p = ngx_dns_put16(p, rr->ncontinents);
    p = ngx_dns_put16(p, rr->nasns);
    p = ngx_dns_put16(p, rr->nnetworks);
    p = ngx_dns_put64(p, rr->check);

    p = ngx_dns_choice_copy(p, rr->countries, 2 * (size_t) rr->ncountries);
    p = ngx_dns_choice_copy(p, rr->continents, 2 * (size_t) rr->ncontinents);
    p = ngx_dns_choice_copy(p, rr->asns, 4 * (size_t) rr->nasns);

    return ngx_dns_choice_copy(p, rr->networks, 4 * (size_t) rr->nnetworks);
}


/* without octets data may be NULL */

static u_char *
ngx_dns_choice_copy(u_char *p, const u_char *data, size_t n)
{
    return (n == 0) ? p : ngx_cpymem(p, data, n);
}


size_t
ngx_dns_choice_rr_size(const ngx_dns_choice_rr_t *rr)
{
    return NGX_DNS_CHOICE_RR_HEAD
           + 2 * ((size_t) rr->ncountries + rr->ncontinents)
           + 4 * ((size_t) rr->nasns + rr->nnetworks);
}


ngx_int_t
ngx_dns_choice_read(const u_char *payload, size_t len,
    ngx_dns_choice_t *choice)
{
    size_t         n;
    ngx_uint_t     i, checked;
    const u_char  *p, *last;

    if (len < NGX_DNS_CHOICE_HEAD || payload[0] != NGX_DNS_CHOICE_VERSION
        || payload[5] != 0)
    {
        return NGX_DECLINED;
    }

    ngx_dns_choice_open(payload, choice);

    checked = choice->flags & NGX_DNS_CHOICE_CHECK;

    if (choice->count > NGX_DNS_CHOICE_SINGLE
        || choice->order > NGX_DNS_CHOICE_STICKY
        || (choice->steps & ~NGX_DNS_CHOICE_STEPS)
        || (choice->flags & ~NGX_DNS_CHOICE_FLAGS)
        || (checked != 0) != (choice->interval != 0))
    {
        return NGX_DECLINED;
    }

    p = choice->rrs;
    last = payload + len;

    for (i = 0; i < choice->nrr; i++, p += n) {
        if (ngx_dns_choice_check_rr(p, last - p, checked, &n) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    return (p == last) ? NGX_OK : NGX_DECLINED;
}


/* size is set on NGX_OK; the id of a check is neither 0 nor 1 */

static ngx_int_t
ngx_dns_choice_check_rr(const u_char *p, size_t left, ngx_uint_t checked,
    size_t *size)
{
    ngx_dns_choice_rr_t  rr;

    if (left < NGX_DNS_CHOICE_RR_HEAD) {
        return NGX_DECLINED;
    }

    (void) ngx_dns_choice_rr(p, &rr);

    *size = ngx_dns_choice_rr_size(&rr);

    if (left < *size || (checked ? rr.check < 2 : rr.check != 0)) {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


uint32_t
ngx_dns_network_id(const u_char *name, size_t len)
{
    size_t    i;
    uint32_t  id;

    id = 0x811c9dc5;

    for (i = 0; i < len; i++) {
        id = (id ^ ngx_tolower(name[i])) * 0x01000193;
    }

    return (id == NGX_DNS_CHOICE_ANY_NETWORK) ? 1 : id;
}
