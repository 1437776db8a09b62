
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_choice.h"
#include "ngx_dns_compiler.h"
#include "ngx_dns_probe.h"


static ngx_uint_t ngx_dns_notes_flags(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *rec);
static ngx_uint_t ngx_dns_notes_name(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *rec);
static ngx_uint_t ngx_dns_notes_aname(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *rec);
static void ngx_dns_notes_zone(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *rec);
static size_t ngx_dns_notes_group(ngx_dns_elt_t *dst, ngx_dns_elt_t *elts,
    size_t n, ngx_uint_t flags);
static ngx_uint_t ngx_dns_notes_answered(const ngx_dns_rec_t *rec);
static ngx_uint_t ngx_dns_notes_kept(const ngx_dns_rec_t *rec);


#define ngx_dns_notes_kind(rec)  ngx_dns_note_kind(ngx_dns_rec_rdata(rec))


size_t
ngx_dns_notes_apply(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n,
    ngx_uint_t *flags)
{
    size_t      i, k, left;
    ngx_uint_t  type;

    *flags &= ~NGX_DNS_NODE_NOTED;

    for (i = 0; i < n; i++) {
        if (elts[i].rec->type == NGX_DNS_TYPE_NOTE) {
            *flags |= ngx_dns_notes_flags(c, elts[i].rec);
        }
    }

    left = 0;

    for (i = 0; i < n; i = k) {
        type = ngx_dns_rec_covered(elts[i].rec);

        for (k = i + 1;
             k < n && ngx_dns_rec_covered(elts[k].rec) == type;
             k++)
        {
            /* void */
        }

        left += ngx_dns_notes_group(&elts[left], &elts[i], k - i, *flags);
    }

    return left;
}


/* what a note says of its owner: NGX_DNS_NODE_... */

static ngx_uint_t
ngx_dns_notes_flags(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    switch (ngx_dns_note_covered(ngx_dns_rec_rdata(rec))) {

    case 0:
        return ngx_dns_notes_name(c, rec);

    case NGX_DNS_TYPE_CNAME:

        /* it would have stood for all other types */

        return (ngx_dns_notes_kind(rec) == NGX_DNS_NOTE_FAILED)
                   ? NGX_DNS_NODE_FAILED : 0;

    case NGX_DNS_TYPE_NS:
        return (ngx_dns_notes_kind(rec) == NGX_DNS_NOTE_FAILED
                && rec->labels != 0)
                   ? NGX_DNS_NODE_CUT : 0;

    case NGX_DNS_TYPE_DNAME:
        return (ngx_dns_notes_kind(rec) == NGX_DNS_NOTE_FAILED)
                   ? NGX_DNS_NODE_DNAME : 0;

    default:
        return 0;
    }
}


static ngx_uint_t
ngx_dns_notes_name(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    switch (ngx_dns_notes_kind(rec)) {

    case NGX_DNS_NOTE_NAME:
        return 0;

    case NGX_DNS_NOTE_FAILED:
        return NGX_DNS_NODE_FAILED;

    case NGX_DNS_NOTE_ZONE:

        if (rec->labels == 0) {
            ngx_dns_notes_zone(c, rec);
        }

        return 0;

    case NGX_DNS_NOTE_ANAME:
        return NGX_DNS_NODE_NOTED|ngx_dns_notes_aname(c, rec);

    default:
        return NGX_DNS_NODE_NOTED;
    }
}


static ngx_uint_t
ngx_dns_notes_aname(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    u_char          *p, *last;
    ngx_dns_name_t   name;

    p = ngx_dns_rec_rdata(rec);
    last = p + rec->rdlen;
    p += NGX_DNS_NOTE_HEAD + 4;

    return (p < last && ngx_dns_name_parse(&name, p, last, c->key) == last)
               ? NGX_DNS_NODE_ANAME : 0;
}


static void
ngx_dns_notes_zone(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    u_char  *p;

    if (rec->rdlen < NGX_DNS_NOTE_HEAD + 12) {
        return;
    }

    p = ngx_dns_rec_rdata(rec) + NGX_DNS_NOTE_HEAD;

    c->zone->flags |= NGX_DNS_ZONE_LIVE
                      | (ngx_dns_get32(p) & NGX_DNS_ZONE_GIVEN);
    c->zone->digest = (uint64_t) ngx_dns_get32(p + 4) << 32
                      | ngx_dns_get32(p + 8);
}


/*
 * The records of one type, their signatures and the notes about them: moves
 * to dst, which is not behind them, what is to be compiled; returns how many.
 */

static size_t
ngx_dns_notes_group(ngx_dns_elt_t *dst, ngx_dns_elt_t *elts, size_t n,
    ngx_uint_t flags)
{
    size_t          i, left;
    ngx_uint_t      soa;
    ngx_dns_rec_t  *rec;

    soa = (ngx_dns_rec_covered(elts[0].rec) == NGX_DNS_TYPE_SOA);
    left = 0;

    for (i = 0; i < n; i++) {
        rec = elts[i].rec;

        if (rec->type == NGX_DNS_TYPE_NOTE && !ngx_dns_notes_kept(rec)) {

            if (ngx_dns_notes_kind(rec) == NGX_DNS_NOTE_FAILED
                && ngx_dns_notes_answered(rec)
                && !(flags & NGX_DNS_NODE_FAILED))
            {
                dst[0] = elts[i];
                return 1;
            }

            continue;
        }

        if ((flags & NGX_DNS_NODE_FAILED) && !soa
            && ngx_dns_rec_covered(rec) <= NGX_DNS_TYPE_NOTE)
        {
            continue;
        }

        dst[left++] = elts[i];
    }

    return left;
}


/* 1: the note is about a type of which a zone has sets, and can do without */

static ngx_uint_t
ngx_dns_notes_answered(const ngx_dns_rec_t *rec)
{
    ngx_uint_t  type;

    type = ngx_dns_note_covered(ngx_dns_rec_rdata(rec));

    return type != 0 && type != NGX_DNS_TYPE_SOA
           && type != NGX_DNS_TYPE_RRSIG && type != NGX_DNS_TYPE_NOTE
           && !(ngx_dns_rr(type)->flags & NGX_DNS_RR_META);
}


/* 1: it stays a note */

static ngx_uint_t
ngx_dns_notes_kept(const ngx_dns_rec_t *rec)
{
    switch (ngx_dns_notes_kind(rec)) {

    case NGX_DNS_NOTE_NAME:
    case NGX_DNS_NOTE_FAILED:
    case NGX_DNS_NOTE_ZONE:
        return 0;

    default:
        return 1;
    }
}


ngx_int_t
ngx_dns_notes_fit(const ngx_dns_rec_t *rec, const ngx_dns_rrset_t *set)
{
    size_t             len;
    u_char            *payload;
    ngx_dns_probe_t    probe;
    ngx_dns_choice_t   choice;

    if (rec->type != NGX_DNS_TYPE_NOTE) {
        return NGX_OK;
    }

    payload = ngx_dns_rec_rdata(rec) + NGX_DNS_NOTE_HEAD;
    len = rec->rdlen - NGX_DNS_NOTE_HEAD;

    switch (ngx_dns_notes_kind(rec)) {

    case NGX_DNS_NOTE_CHOICE:
        return (ngx_dns_choice_read(payload, len, &choice) == NGX_OK
                && choice.nrr == set->nrr)
                   ? NGX_OK : NGX_DECLINED;

    case NGX_DNS_NOTE_PROBE:
        return ((set->type == NGX_DNS_TYPE_A || set->type == NGX_DNS_TYPE_AAAA)
                && ngx_dns_probe_read(payload, len, &probe) == NGX_OK)
                   ? NGX_OK : NGX_DECLINED;

    default:
        return NGX_OK;
    }
}
