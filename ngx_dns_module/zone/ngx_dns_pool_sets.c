
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * What zones are given of a pool: addresses and notes, made once.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_pool.h"
#include "ngx_dns_rdata.h"


#define ngx_dns_pool_weighs(p)                                                \
    ((p)->head.order == NGX_DNS_CHOICE_WEIGHTED                               \
     || (p)->head.order == NGX_DNS_CHOICE_STICKY)


static ngx_int_t ngx_dns_pool_probe(ngx_dns_pool_t *p, ngx_str_t *err);
static ngx_int_t ngx_dns_pool_set(ngx_dns_pool_t *p, ngx_dns_pool_set_t *set,
    ngx_str_t *err);
static ngx_uint_t ngx_dns_pool_groups(ngx_dns_pool_set_t *set);
static int ngx_libc_cdecl ngx_dns_pool_cmp(const void *one, const void *two);
static ngx_int_t ngx_dns_pool_note(ngx_dns_pool_t *p,
    ngx_dns_pool_set_t *set, ngx_str_t *err);
static ngx_uint_t ngx_dns_pool_drained(ngx_dns_pool_t *p);
static const char *ngx_dns_pool_idle(ngx_dns_pool_t *p);
static uint64_t ngx_dns_pool_digest(uint64_t digest, const void *data,
    size_t len);


ngx_int_t
ngx_dns_pool_end(ngx_dns_pool_t *p, uint32_t interval, ngx_str_t *err)
{
    ngx_uint_t           i, k;
    ngx_dns_pool_set_t  *set;

    if (p->addresses.nelts == 0) {
        return ngx_dns_pool_err(err, "no addresses");
    }

    if (p->checked) {
        ngx_dns_probe_settle(&p->probe);

        p->head.interval = p->probe.interval ? p->probe.interval : interval;

        if (ngx_dns_pool_probe(p, err) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    p->drained = ngx_dns_pool_drained(p);
    p->idle = ngx_dns_pool_idle(p);

    p->sets[0].type = NGX_DNS_TYPE_A;
    p->sets[0].len = 4;
    p->sets[1].type = NGX_DNS_TYPE_AAAA;
    p->sets[1].len = 16;

    p->digest = ngx_dns_pool_digest(0, p->name.data, p->name.len);

    for (i = 0; i < 2; i++) {
        set = &p->sets[i];

        if (ngx_dns_pool_set(p, set, err) != NGX_OK) {
            return NGX_ERROR;
        }

        p->digest = ngx_dns_pool_digest(p->digest, &set->n, sizeof(set->n));

        for (k = 0; k < set->n; k++) {
            p->digest = ngx_dns_pool_digest(p->digest,
                                            set->addresses[k]->address,
                                            set->len);
        }

        p->digest = ngx_dns_pool_digest(p->digest, set->choice.data,
                                        set->choice.len);
    }

    return NGX_OK;
}


/* the payload of the probe, and the ids of what is checked by it */

static ngx_int_t
ngx_dns_pool_probe(ngx_dns_pool_t *p, ngx_str_t *err)
{
    u_char                  *q;
    ngx_uint_t               i;
    const char              *wrong;
    ngx_dns_pool_address_t  *a;

    wrong = ngx_dns_probe_wrong(&p->probe);

    if (wrong != NULL) {
        return ngx_dns_pool_err(err, "\"health_check\": %s", wrong);
    }

    p->payload.data = ngx_pnalloc(p->pool, ngx_dns_probe_size(&p->probe));
    if (p->payload.data == NULL) {
        return ngx_dns_pool_err(err, "no memory");
    }

    q = ngx_dns_probe_write(p->payload.data, &p->probe);
    p->payload.len = q - p->payload.data;

    /* as a name, which no zone can have: it is the pool that is checked */

    q = ngx_cpymem(p->owner, "\x04pool", 5);
    *q++ = (u_char) p->name.len;
    q = ngx_cpymem(q, p->name.data, p->name.len);
    *q = '\0';

    a = p->addresses.elts;

    for (i = 0; i < p->addresses.nelts; i++) {
        a[i].rr.check = ngx_dns_probe_id(p->owner, a[i].address, a[i].len,
                                         p->payload.data, p->payload.len);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_pool_set(ngx_dns_pool_t *p, ngx_dns_pool_set_t *set, ngx_str_t *err)
{
    ngx_uint_t               i;
    ngx_dns_pool_address_t  *a;

    set->addresses = ngx_palloc(p->pool, p->addresses.nelts
                                         * sizeof(ngx_dns_pool_address_t *));
    if (set->addresses == NULL) {
        return ngx_dns_pool_err(err, "no memory");
    }

    a = p->addresses.elts;
    set->n = 0;

    for (i = 0; i < p->addresses.nelts; i++) {
        if (a[i].len == set->len) {
            a[i].rr.position = (uint16_t) set->n;
            set->addresses[set->n++] = &a[i];
        }
    }

    if (set->n == 0) {
        return NGX_OK;
    }

    qsort(set->addresses, set->n, sizeof(ngx_dns_pool_address_t *),
          ngx_dns_pool_cmp);

    if (p->head.count == NGX_DNS_CHOICE_MULTI
        && p->head.order == NGX_DNS_CHOICE_NONE
        && p->head.steps == 0
        && !(p->head.flags & NGX_DNS_CHOICE_CHECK)
        && !ngx_dns_pool_groups(set))
    {
        /* sent whole, whoever asks */

        return NGX_OK;
    }

    return ngx_dns_pool_note(p, set, err);
}


/* 1: of one priority are not all */

static ngx_uint_t
ngx_dns_pool_groups(ngx_dns_pool_set_t *set)
{
    ngx_uint_t  i;

    for (i = 1; i < set->n; i++) {
        if (set->addresses[i]->rr.priority != set->addresses[0]->rr.priority) {
            return 1;
        }
    }

    return 0;
}


static int ngx_libc_cdecl
ngx_dns_pool_cmp(const void *one, const void *two)
{
    ngx_dns_pool_address_t  *a, *b;

    a = *(ngx_dns_pool_address_t * const *) one;
    b = *(ngx_dns_pool_address_t * const *) two;

    return ngx_memcmp(a->address, b->address, a->len);
}


static ngx_int_t
ngx_dns_pool_note(ngx_dns_pool_t *p, ngx_dns_pool_set_t *set, ngx_str_t *err)
{
    u_char      *q;
    size_t       size;
    ngx_uint_t   i;

    size = NGX_DNS_NOTE_HEAD + NGX_DNS_CHOICE_HEAD;

    for (i = 0; i < set->n; i++) {
        size += ngx_dns_choice_rr_size(&set->addresses[i]->rr);
    }

    if (size > NGX_DNS_RDATA_MAX) {
        return ngx_dns_pool_err(err, "too many addresses and places");
    }

    q = ngx_pnalloc(p->pool, size);
    if (q == NULL) {
        return ngx_dns_pool_err(err, "no memory");
    }

    set->choice.data = q;
    set->choice.len = size;

    q = ngx_dns_put16(q, set->type);
    *q++ = NGX_DNS_NOTE_CHOICE;

    p->head.nrr = (uint16_t) set->n;
    q = ngx_dns_choice_write(q, &p->head);

    for (i = 0; i < set->n; i++) {
        q = ngx_dns_choice_write_rr(q, &set->addresses[i]->rr);
    }

    return NGX_OK;
}


/*
 * 1: by weight an address is never first, and nobody has said so.  Where
 * there are groups of addresses it may be alone in one.
 */

static ngx_uint_t
ngx_dns_pool_drained(ngx_dns_pool_t *p)
{
    ngx_uint_t               i, v6, some[2], silent[2];
    ngx_dns_pool_address_t  *a;

    if (!ngx_dns_pool_weighs(p) || p->head.steps != 0) {
        return 0;
    }

    a = p->addresses.elts;

    ngx_memzero(some, sizeof(some));
    ngx_memzero(silent, sizeof(silent));

    for (i = 0; i < p->addresses.nelts; i++) {

        if (a[i].rr.priority != a[0].rr.priority) {
            return 0;
        }

        v6 = (a[i].len == 16);
        some[v6] |= (a[i].rr.weight != 0);
        silent[v6] |= !a[i].weighted;
    }

    return (some[0] && silent[0]) || (some[1] && silent[1]);
}


/* of what is there for nothing, the first */

static const char *
ngx_dns_pool_idle(ngx_dns_pool_t *p)
{
    ngx_uint_t               i, steps;
    ngx_dns_choice_rr_t     *rr;
    ngx_dns_pool_address_t  *a;

    a = p->addresses.elts;
    steps = p->head.steps;

    for (i = 0; i < p->addresses.nelts; i++) {
        rr = &a[i].rr;

        if (rr->weight != 0 && !ngx_dns_pool_weighs(p)) {
            return "weight";
        }

        if (rr->ncountries != 0 && !(steps & NGX_DNS_CHOICE_COUNTRY)) {
            return "country";
        }

        if (rr->ncontinents != 0 && !(steps & NGX_DNS_CHOICE_CONTINENT)) {
            return "continent";
        }

        if (rr->nasns != 0 && !(steps & NGX_DNS_CHOICE_ASN)) {
            return "asn";
        }

        if (rr->nnetworks != 0 && !(steps & NGX_DNS_CHOICE_NETWORK)) {
            return "network";
        }
    }

    return NULL;
}


/* FNV-1a, what it is of in front with its length */

static uint64_t
ngx_dns_pool_digest(uint64_t digest, const void *data, size_t len)
{
    const u_char *p = data;

    size_t  i;

    digest ^= 0xcbf29ce484222325ULL ^ len;

    for (i = 0; i < len; i++) {
        digest = (digest ^ p[i]) * 0x100000001b3ULL;
    }

    return digest;
}
