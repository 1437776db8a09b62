
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


#define NGX_DNS_BUILD_SOA_MEMBERS  8

/* members of "soa" that are numbers, behind the two names */

#define NGX_DNS_BUILD_REFRESH      2
#define NGX_DNS_BUILD_TTL_MEMBER   6
#define NGX_DNS_BUILD_SERIAL       7


static void ngx_dns_build_prefix(ngx_dns_build_t *b, u_char *dst,
    const char *label);
static void ngx_dns_build_served(ngx_dns_build_t *b,
    ngx_dns_build_zone_t *zone);
static void ngx_dns_build_switch(ngx_dns_build_t *b, const char *name,
    ngx_dns_json_t *value, uint32_t flag);
static void ngx_dns_build_soa(ngx_dns_build_t *b, ngx_dns_json_t *soa);
static void ngx_dns_build_soa_name(ngx_dns_build_t *b, const char *name,
    ngx_dns_json_t *value, u_char *dst, u_char *last);
static void ngx_dns_build_soa_number(ngx_dns_build_t *b, const char *name,
    ngx_dns_json_t *value, uint32_t *dst, uint32_t last);
static void ngx_dns_build_soa_serial(ngx_dns_build_t *b, ngx_dns_json_t *value,
    ngx_dns_build_zone_t *last);


/* one label in front of the apex, if there is room for it */

static void
ngx_dns_build_prefix(ngx_dns_build_t *b, u_char *dst, const char *label)
{
    size_t  n;

    n = ngx_strlen(label);

    if (1 + n + b->rs->apex_len <= NGX_DNS_NAME_MAX) {
        *dst++ = (u_char) n;
        dst = ngx_cpymem(dst, label, n);
    }

    ngx_memcpy(dst, b->rs->apex, b->rs->apex_len);
}


void
ngx_dns_build_defaults(ngx_dns_build_t *b)
{
    ngx_dns_build_zone_t  *zone;

    zone = &b->zone;

    zone->flags = 0;
    zone->ttl = 300;
    zone->serial = 0;
    zone->timer[0] = 86400;
    zone->timer[1] = 7200;
    zone->timer[2] = 604800;
    zone->timer[3] = 300;

    ngx_dns_build_prefix(b, zone->mname, "ns1");
    ngx_dns_build_prefix(b, zone->rname, "hostmaster");
}


/* what the zone that is served now was made with; else what is there */

static void
ngx_dns_build_served(ngx_dns_build_t *b, ngx_dns_build_zone_t *zone)
{
    u_char           *p;
    size_t            n;
    ngx_str_t         id;
    ngx_uint_t        i;
    ngx_dns_rrset_t  *soa;

    *zone = b->zone;

    if (b->last == NULL || b->last->soa == 0) {
        return;
    }

    soa = ngx_dns_zone_at(b->last, b->last->soa);
    p = ngx_dns_rrset_first(soa) + 2;

    zone->ttl = soa->ttl;
    zone->flags = b->last->flags
                  & (NGX_DNS_ZONE_FLATTEN|NGX_DNS_ZONE_DNSSEC
                     |NGX_DNS_ZONE_SERIAL);

    n = ngx_dns_name_len(p);
    ngx_memcpy(zone->mname, p, n);
    p += n;

    n = ngx_dns_name_len(p);
    ngx_memcpy(zone->rname, p, n);
    p += n;

    zone->serial = ngx_dns_get32(p);

    for (i = 0; i < 4; i++) {
        zone->timer[i] = ngx_dns_get32(p + 4 + 4 * i);
    }

    ngx_dns_zone_id(b->last, &id);
    ngx_memcpy(zone->id, id.data, id.len);
    zone->id_len = id.len;
}


void
ngx_dns_build_config_failed(ngx_dns_build_t *b, const char *why)
{
    ngx_dns_build_served(b, &b->zone);

    ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE, "the config %s, %s is used",
                      why, b->last ? "that of before" : "the default one");
}


void
ngx_dns_build_config_read(ngx_dns_build_t *b, ngx_dns_json_t *config)
{
    ngx_dns_json_member_t  m[] = { { "soa", NULL }, { "dnssec", NULL },
                                   { "cname_flattening", NULL },
                                   { "domain_id", NULL } };
    ngx_str_t              id;

    if (config->type == NGX_DNS_JSON_NULL) {
        return;
    }

    if (config->type != NGX_DNS_JSON_OBJECT) {
        ngx_dns_build_config_failed(b, "is not an object");
        return;
    }

    ngx_dns_json_members(config, m, 4);

    ngx_dns_build_switch(b, "dnssec", m[1].value, NGX_DNS_ZONE_DNSSEC);
    ngx_dns_build_switch(b, "cname_flattening", m[2].value,
                         NGX_DNS_ZONE_FLATTEN);

    if (m[0].value != NULL) {
        ngx_dns_build_soa(b, m[0].value);
    }

    b->zone.id_len = 0;

    if (m[3].value != NULL && ngx_dns_json_string(m[3].value, &id) == NGX_OK
        && id.len <= NGX_DNS_ZONE_ID_MAX)
    {
        ngx_memcpy(b->zone.id, id.data, id.len);
        b->zone.id_len = id.len;
    }
}


static void
ngx_dns_build_switch(ngx_dns_build_t *b, const char *name,
    ngx_dns_json_t *value, uint32_t flag)
{
    ngx_uint_t            on;
    ngx_dns_build_zone_t  last;

    if (value == NULL) {
        return;
    }

    if (ngx_dns_json_flag(value, &on) != NGX_OK) {
        ngx_dns_build_served(b, &last);
        on = last.flags & flag;

        ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                          "the config: \"%s\" is neither true nor false, "
                          "it is %s", name, on ? "on as before" : "off");
    }

    if (on) {
        b->zone.flags |= flag;
    }
}


static void
ngx_dns_build_soa(ngx_dns_build_t *b, ngx_dns_json_t *soa)
{
    ngx_uint_t             i;
    ngx_dns_build_zone_t   last, *zone;

    ngx_dns_json_member_t  m[NGX_DNS_BUILD_SOA_MEMBERS] = {
        { "ns", NULL }, { "mbox", NULL },
        { "refresh", NULL }, { "retry", NULL }, { "expire", NULL },
        { "minttl", NULL }, { "ttl", NULL }, { "serial", NULL }
    };

    zone = &b->zone;
    ngx_dns_build_served(b, &last);

    if (soa->type != NGX_DNS_JSON_OBJECT) {
        last.flags = zone->flags | (last.flags & NGX_DNS_ZONE_SERIAL);
        *zone = last;

        ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                          "the config: \"soa\" is not an object, %s is used",
                          b->last ? "that of before" : "the default one");
        return;
    }

    ngx_dns_json_members(soa, m, NGX_DNS_BUILD_SOA_MEMBERS);

    ngx_dns_build_soa_name(b, "ns", m[0].value, zone->mname, last.mname);
    ngx_dns_build_soa_name(b, "mbox", m[1].value, zone->rname, last.rname);

    for (i = 0; i < 4; i++) {
        ngx_dns_build_soa_number(b, m[NGX_DNS_BUILD_REFRESH + i].name,
                                 m[NGX_DNS_BUILD_REFRESH + i].value,
                                 &zone->timer[i], last.timer[i]);
    }

    ngx_dns_build_soa_number(b, "ttl", m[NGX_DNS_BUILD_TTL_MEMBER].value,
                             &zone->ttl, last.ttl);

    if (zone->ttl > NGX_DNS_BUILD_TTL_MAX) {
        zone->ttl = NGX_DNS_BUILD_TTL_MAX;
        ngx_dns_build_warn(b, NGX_DNS_BUILD_NO_TYPE,
                           "the config: \"soa\": \"ttl\" is larger than "
                           "2147483647, which is used");
    }

    if (m[NGX_DNS_BUILD_SERIAL].value != NULL) {
        ngx_dns_build_soa_serial(b, m[NGX_DNS_BUILD_SERIAL].value, &last);
    }
}


static void
ngx_dns_build_soa_name(ngx_dns_build_t *b, const char *name,
    ngx_dns_json_t *value, u_char *dst, u_char *last)
{
    size_t       n;
    u_char       wire[NGX_DNS_NAME_MAX + 1];
    ngx_str_t    text;
    const char  *err;

    if (value == NULL) {
        return;
    }

    err = "is not a string";
    n = 0;

    if (ngx_dns_json_string(value, &text) == NGX_OK) {
        n = ngx_dns_build_name(wire, &text, &err);
    }

    if (n == 0) {
        ngx_memcpy(dst, last, ngx_dns_name_len(last));

        ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                          "the config: \"soa\": \"%s\" is not a name: %s, "
                          "%s is used", name, err,
                          b->last ? "that of before" : "the default");
        return;
    }

    ngx_memcpy(dst, wire, n);
}


static void
ngx_dns_build_soa_number(ngx_dns_build_t *b, const char *name,
    ngx_dns_json_t *value, uint32_t *dst, uint32_t last)
{
    int64_t  n;

    if (value == NULL) {
        return;
    }

    if (ngx_dns_json_number(value, 0xffffffff, &n) == NGX_OK
        && n >= 0 && n <= 0xffffffff)
    {
        *dst = (uint32_t) n;
        return;
    }

    *dst = last;

    ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                      "the config: \"soa\": \"%s\" is not a number from 0 to "
                      "4294967295, %uD is used", name, last);
}


/* a serial that cannot be read is made from the content if it was before */

static void
ngx_dns_build_soa_serial(ngx_dns_build_t *b, ngx_dns_json_t *value,
    ngx_dns_build_zone_t *last)
{
    int64_t                n;
    ngx_dns_build_zone_t  *zone;

    zone = &b->zone;

    if (ngx_dns_json_number(value, 0xffffffff, &n) == NGX_OK
        && n >= 0 && n <= 0xffffffff)
    {
        zone->serial = (uint32_t) n;
        zone->flags |= NGX_DNS_ZONE_SERIAL;
        return;
    }

    if (last->flags & NGX_DNS_ZONE_SERIAL) {
        zone->serial = last->serial;
        zone->flags |= NGX_DNS_ZONE_SERIAL;
    }

    ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                      "the config: \"soa\": \"serial\" is not a number from "
                      "0 to 4294967295, %s is used",
                      (zone->flags & NGX_DNS_ZONE_SERIAL)
                      ? "that of before" : "a digest of the data");
}


/* the SOA, the note of the zone and its keys */

ngx_int_t
ngx_dns_build_zone(ngx_dns_build_t *b)
{
    u_char                *p, rdata[2 * (NGX_DNS_NAME_MAX + 1) + 20];
    ngx_uint_t             i;
    ngx_dns_build_zone_t  *zone;

    zone = &b->zone;

    ngx_memcpy(b->owner, b->rs->apex, b->rs->apex_len);
    b->owner_len = b->rs->apex_len;
    b->spelling = 0;

    if (b->conf.profile != NGX_DNS_PROFILE_STRICT) {
        zone->flags |= NGX_DNS_ZONE_CAA_CLIMB;
    }

    if ((zone->flags & NGX_DNS_ZONE_DNSSEC)
        && ngx_dns_build_keys(b) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!(zone->flags & NGX_DNS_ZONE_SERIAL)) {
        zone->serial = (uint32_t) (b->digest ^ b->digest >> 32);

        if (zone->serial == 0) {
            zone->serial = 1;
        }
    }

    p = ngx_cpymem(rdata, zone->mname, ngx_dns_name_len(zone->mname));
    p = ngx_cpymem(p, zone->rname, ngx_dns_name_len(zone->rname));
    p = ngx_dns_put32(p, zone->serial);

    for (i = 0; i < 4; i++) {
        p = ngx_dns_put32(p, zone->timer[i]);
    }

    if (ngx_dns_build_add(b, NGX_DNS_TYPE_SOA, zone->ttl, rdata, p - rdata)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (b->checked && zone->id_len != 0
        && ngx_dns_build_note(b, 0, NGX_DNS_NOTE_ID, zone->id, zone->id_len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = ngx_dns_put32(rdata, zone->flags);
    p = ngx_dns_put32(p, (uint32_t) (b->digest >> 32));
    p = ngx_dns_put32(p, (uint32_t) b->digest);

    return ngx_dns_build_note(b, 0, NGX_DNS_NOTE_ZONE, rdata, p - rdata);
}
