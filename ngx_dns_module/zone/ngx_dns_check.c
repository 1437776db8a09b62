
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_compiler.h"


static void ngx_dns_check_say(ngx_dns_compiler_t *c, ngx_dns_report_e level,
    const ngx_dns_rec_t *rec, const char *what);
static u_char *ngx_dns_check_type(u_char *buf, const ngx_dns_rec_t *rec);
static ngx_uint_t ngx_dns_check_is_aname(const ngx_dns_rec_t *rec);
static void ngx_dns_check_types(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n, ngx_uint_t flags);
static void ngx_dns_check_apex(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n);
static void ngx_dns_check_anames(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n, ngx_uint_t flags);
static void ngx_dns_check_param(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *rec);
static void ngx_dns_check_single(ngx_dns_compiler_t *c,
    const ngx_dns_rec_t *a, const ngx_dns_rec_t *b);
static void ngx_dns_check_below(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts,
    size_t n);
static ngx_int_t ngx_dns_check_glue(ngx_dns_compiler_t *c, ngx_dns_fixup_t *f,
    const ngx_dns_name_t *target, ngx_dns_node_t *node);


/*
 * One message about the owner and type of rec.  A live zone is served
 * whatever it is like, and its authors do not read hints here.
 */

static void
ngx_dns_check_say(ngx_dns_compiler_t *c, ngx_dns_report_e level,
    const ngx_dns_rec_t *rec, const char *what)
{
    u_char   *owner_end, *type_end;
    u_char    type[16], owner[NGX_DNS_NAME_TEXT_MAX];
    u_char    wire[NGX_DNS_NAME_MAX + 1];

    if (c->zone->flags & NGX_DNS_ZONE_LIVE) {

        if (level == NGX_DNS_REPORT_WARN) {
            return;
        }

        level = NGX_DNS_REPORT_WARN;
    }

    if (level == NGX_DNS_REPORT_WARN && ++c->warned > NGX_DNS_WARN_MAX) {
        c->rs->rep->warnings++;
        return;
    }

    if (level == NGX_DNS_REPORT_ERROR && ++c->failed > NGX_DNS_WARN_MAX) {
        return;
    }

    ngx_memcpy(wire, ngx_dns_rec_owner(rec), rec->owner_len);
    ngx_memcpy(wire + rec->owner_len, c->rs->apex, c->rs->apex_len);

    owner_end = ngx_dns_name_to_text(owner, wire);
    type_end = ngx_dns_check_type(type, rec);

    ngx_dns_report(c->rs->rep, level,
                   ngx_dns_records_file_name(c->rs, rec->file), rec->line,
                   "\"%*s\" %*s: %s", (size_t) (owner_end - owner), owner,
                   (size_t) (type_end - type), type, what);
}


/* buf: NGX_DNS_RR_TEXT_MAX octets; returns the octet behind */

static u_char *
ngx_dns_check_type(u_char *buf, const ngx_dns_rec_t *rec)
{
    return ngx_dns_check_is_aname(rec)
               ? ngx_cpymem(buf, "ANAME", 5)
               : ngx_dns_rr_type_text(buf, rec->type);
}


static ngx_uint_t
ngx_dns_check_is_aname(const ngx_dns_rec_t *rec)
{
    u_char  *rdata;

    rdata = ngx_dns_rec_rdata(rec);

    return rec->type == NGX_DNS_TYPE_NOTE
           && ngx_dns_note_covered(rdata) == 0
           && ngx_dns_note_kind(rdata) == NGX_DNS_NOTE_ANAME;
}


void
ngx_dns_check_end(ngx_dns_compiler_t *c)
{
    if (c->failed > NGX_DNS_WARN_MAX) {

        /* the report is one of them */

        c->rs->rep->errors += c->failed - NGX_DNS_WARN_MAX - 1;

        ngx_dns_report(c->rs->rep, NGX_DNS_REPORT_ERROR, NULL, 0,
                       "%uz more errors are not shown",
                       c->failed - NGX_DNS_WARN_MAX);
    }

    if (c->warned > NGX_DNS_WARN_MAX) {
        ngx_dns_report(c->rs->rep, NGX_DNS_REPORT_WARN, NULL, 0,
                       "%uz more warnings are not shown",
                       c->warned - NGX_DNS_WARN_MAX);
    }
}


void
ngx_dns_check_owner(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n,
    ngx_uint_t flags)
{
    if (flags & NGX_DNS_NODE_APEX) {
        ngx_dns_check_apex(c, elts, n);
    }

    if (n == 0) {
        return;
    }

    /* an NSEC3 owner is no name: it stands below a DNAME at the apex, too */

    if ((flags & NGX_DNS_NODE_OCCLUDED) && !(flags & NGX_DNS_NODE_NSEC3)) {
        ngx_dns_check_below(c, elts, n);
    }

    if (flags & NGX_DNS_NODE_ANAME) {
        ngx_dns_check_anames(c, elts, n, flags);
    }

    if (n > 1 || (flags & NGX_DNS_NODE_WILDCARD)
        || elts[0].rec->type == NGX_DNS_TYPE_SOA)
    {
        ngx_dns_check_types(c, elts, n, flags);
    }
}


static void
ngx_dns_check_types(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n,
    ngx_uint_t flags)
{
    size_t          i;
    ngx_dns_rec_t  *rec;

    for (i = 0; i < n; i++) {
        rec = elts[i].rec;

        if (i > 0 && elts[i - 1].rec->type == rec->type) {
            ngx_dns_check_single(c, elts[i - 1].rec, rec);
        }

        switch (rec->type) {

        case NGX_DNS_TYPE_SOA:

            if (!(flags & NGX_DNS_NODE_APEX)) {
                ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                                  "an SOA stands only at the apex");
            }

            break;

        case NGX_DNS_TYPE_CNAME:

            if ((flags & NGX_DNS_NODE_APEX)
                && !(c->zone->flags & NGX_DNS_ZONE_FLATTEN))
            {
                ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                                  "no CNAME can be at the apex, which has "
                                  "other data");
            }

            break;

        case NGX_DNS_TYPE_RRSIG:
        case NGX_DNS_TYPE_NSEC:
        case NGX_DNS_TYPE_KEY:
        case NGX_DNS_TYPE_SIG:
        case NGX_DNS_TYPE_NOTE:
            break;

        default:

            /* RFC 2181, 10.1; RFC 4034, 4 */

            if ((flags & NGX_DNS_NODE_CNAME) && !(flags & NGX_DNS_NODE_APEX)) {
                ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                                  "the owner has a CNAME, which allows no "
                                  "other data");
            }

            break;
        }

        /* RFC 6672, 2.3, 2.4; RFC 4592, 4.2, 4.4 */

        if (rec->type == NGX_DNS_TYPE_NS && !(flags & NGX_DNS_NODE_APEX)
            && (flags & NGX_DNS_NODE_DNAME))
        {
            ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                              "NS beside a DNAME below the apex");
        }

        if ((flags & NGX_DNS_NODE_WILDCARD)
            && (rec->type == NGX_DNS_TYPE_NS
                || rec->type == NGX_DNS_TYPE_DNAME))
        {
            ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                              "this type cannot be at a wildcard");
        }
    }
}


static void
ngx_dns_check_single(ngx_dns_compiler_t *c, const ngx_dns_rec_t *a,
    const ngx_dns_rec_t *b)
{
    if ((ngx_dns_rr(b->type)->flags & NGX_DNS_RR_SINGLE)
        && ngx_dns_rec_cmp(a, b) != 0)
    {
        ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, b,
                          "only one record of this type is allowed");
    }
}


static void
ngx_dns_check_apex(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n)
{
    size_t      i;
    ngx_uint_t  soa, ns;

    soa = 0;
    ns = 0;

    for (i = 0; i < n; i++) {
        soa |= (elts[i].rec->type == NGX_DNS_TYPE_SOA);
        ns |= (elts[i].rec->type == NGX_DNS_TYPE_NS);

        if (elts[i].rec->type == NGX_DNS_TYPE_NSEC3PARAM) {
            ngx_dns_check_param(c, elts[i].rec);
        }

        c->presigned |= (elts[i].rec->type == NGX_DNS_TYPE_RRSIG);
    }

    if (!soa) {
        ngx_dns_report(c->rs->rep, NGX_DNS_REPORT_ERROR, NULL, 0,
                       "zone has no SOA record");
    }

    if (!ns && !(c->zone->flags & NGX_DNS_ZONE_LIVE)) {
        ngx_dns_report(c->rs->rep, NGX_DNS_REPORT_ERROR, NULL, 0,
                       "zone has no NS record at its apex");
    }
}


/* they are the last records of their owner */

static void
ngx_dns_check_anames(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n,
    ngx_uint_t flags)
{
    size_t          i;
    ngx_dns_rec_t  *rec;

    for (i = 0; i < n; i++) {
        rec = elts[i].rec;

        if (!ngx_dns_check_is_aname(rec)) {
            continue;
        }

        if (i > 0 && ngx_dns_check_is_aname(elts[i - 1].rec)) {

            if (ngx_dns_rec_cmp(elts[i - 1].rec, rec) != 0) {
                ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                                  "only one ANAME is allowed at a name");
            }

            continue;
        }

        if (flags & NGX_DNS_NODE_CNAME) {
            ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                              "the owner has a CNAME, which allows no "
                              "other data");
        }

        if (flags & NGX_DNS_NODE_CUT) {
            ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, rec,
                              "at a delegation and never answered");

        } else if (c->presigned && !(flags & NGX_DNS_NODE_OCCLUDED)) {
            ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, rec,
                              "the zone is signed, but there can be no "
                              "signatures for the addresses of the target");
        }
    }
}


/* each name that does not exist would cost so many hashes: RFC 9276, 3.1 */

static void
ngx_dns_check_param(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    if (ngx_dns_get16(ngx_dns_rec_rdata(rec) + 2) > NGX_DNS_NSEC3_ITERATIONS)
    {
        ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                          "more than 150 iterations");
    }
}


/* below a cut only glue is meant; below a DNAME nothing may be */

static void
ngx_dns_check_below(ngx_dns_compiler_t *c, ngx_dns_elt_t *elts, size_t n)
{
    size_t          i;
    ngx_uint_t      k;
    ngx_dns_rec_t  *rec;

    for (k = c->depth; k-- > 0; /* void */ ) {

        if (c->path[k].flags & NGX_DNS_NODE_DNAME) {
            ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, elts[0].rec,
                              "data below a DNAME");
            return;
        }
    }

    for (i = 0; i < n; i++) {
        rec = elts[i].rec;

        if (rec->type != NGX_DNS_TYPE_A && rec->type != NGX_DNS_TYPE_AAAA
            && rec->type != NGX_DNS_TYPE_RRSIG
            && (rec->type != NGX_DNS_TYPE_NOTE
                || ngx_dns_check_is_aname(rec)))
        {
            ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, rec,
                              "below a delegation and never answered");
            return;
        }
    }
}


void
ngx_dns_check_ttl(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, rec,
                      "TTL differs from that of the other records of the "
                      "rrset, the smallest is used");
}


void
ngx_dns_check_sigs(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, rec,
                      "covers a type that the owner lacks, ignored");
}


void
ngx_dns_check_count(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec)
{
    ngx_dns_check_say(c, NGX_DNS_REPORT_ERROR, rec,
                      "more than 65535 records in one rrset");
}


/*
 * What an answer takes at least: header, question, and for each record a
 * pointer to its owner and five more fields.  Names in rdata can get shorter,
 * so nothing is said of these.
 */

void
ngx_dns_check_size(ngx_dns_compiler_t *c, const ngx_dns_rec_t *rec,
    const ngx_dns_rrset_t *set)
{
    size_t  size;

    if (set->flags & NGX_DNS_RRSET_NAMES) {
        return;
    }

    size = 12 + rec->owner_len + c->rs->apex_len + 4
           + (size_t) set->nrr * 10 + set->size;

    if (size > NGX_DNS_MESSAGE_MAX) {
        ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, rec,
                          "the rrset is larger than any message, it is "
                          "answered with SERVFAIL");
    }
}


/* NGX_DECLINED: the owner of the NS needs an address that is not there */

static ngx_int_t
ngx_dns_check_glue(ngx_dns_compiler_t *c, ngx_dns_fixup_t *f,
    const ngx_dns_name_t *target, ngx_dns_node_t *node)
{
    if (node != NULL
        && (ngx_dns_node_rrset(node, NGX_DNS_TYPE_A) != NULL
            || ngx_dns_node_rrset(node, NGX_DNS_TYPE_AAAA) != NULL))
    {
        return NGX_OK;
    }

    return (ngx_dns_node_above(ngx_dns_zone_at(c->zone, f->node),
                               target->wire, target->len - c->zone->name_len)
            == NGX_OK)
               ? NGX_DECLINED : NGX_OK;
}


void
ngx_dns_check_target(ngx_dns_compiler_t *c, ngx_dns_fixup_t *f,
    const ngx_dns_name_t *target, ngx_dns_node_t *node)
{
    ngx_uint_t  type;

    type = f->rec->type;

    if (node != NULL && (node->flags & NGX_DNS_NODE_CNAME)
        && (type == NGX_DNS_TYPE_MX || type == NGX_DNS_TYPE_NS
            || type == NGX_DNS_TYPE_SRV))
    {
        ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, f->rec,
                          "the target has a CNAME (RFC 2181, 10.3)");
        return;
    }

    if (type == NGX_DNS_TYPE_NS
        && ngx_dns_check_glue(c, f, target, node) != NGX_OK)
    {
        ngx_dns_check_say(c, NGX_DNS_REPORT_WARN, f->rec,
                          "the name server has no address (missing glue)");
    }
}
