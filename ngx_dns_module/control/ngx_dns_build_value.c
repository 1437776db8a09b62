
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


static ngx_uint_t ngx_dns_build_refused(ngx_uint_t type);
static ngx_int_t ngx_dns_build_ttl(ngx_dns_build_t *b,
    ngx_dns_build_set_t *set, ngx_dns_json_t *value);
static ngx_int_t ngx_dns_build_object(ngx_dns_build_t *b,
    ngx_dns_build_set_t *set, ngx_dns_json_t *object);
static ngx_int_t ngx_dns_build_list(ngx_dns_build_t *b,
    ngx_dns_build_set_t *set, ngx_dns_json_t *records);
static ngx_int_t ngx_dns_build_one(ngx_dns_build_t *b,
    ngx_dns_build_set_t *set, ngx_dns_json_t *record);
static ngx_int_t ngx_dns_build_fits(ngx_dns_build_t *b,
    ngx_dns_build_set_t *set, size_t len);
static ngx_int_t ngx_dns_build_aname(ngx_dns_build_t *b,
    ngx_dns_build_set_t *set, ngx_dns_json_t *location, ngx_dns_json_t *ttl);


#define ngx_dns_build_has_choice(type)                                       \
    ((type) == NGX_DNS_TYPE_A || (type) == NGX_DNS_TYPE_AAAA)


/* types that no rrset can be of: the SOA comes with the config */

static ngx_uint_t
ngx_dns_build_refused(ngx_uint_t type)
{
    if (type > 65535) {
        return 0;
    }

    return type == 0 || type == NGX_DNS_TYPE_SOA || type == NGX_DNS_TYPE_NOTE
           || (ngx_dns_rr(type)->flags & NGX_DNS_RR_META);
}


ngx_int_t
ngx_dns_build_value(ngx_dns_build_t *b, ngx_uint_t type, ngx_dns_json_t *value)
{
    ngx_int_t            rc;
    ngx_dns_build_set_t  set;

    if (ngx_dns_build_refused(type)) {
        ngx_dns_build_bad(b, type, "records of this type cannot be given, "
                                   "left out");
        return NGX_OK;
    }

    if (value->type == NGX_DNS_JSON_NULL) {
        return NGX_OK;
    }

    if (value->type != NGX_DNS_JSON_OBJECT) {
        return ngx_dns_build_failed(b, type, "is not an object");
    }

    ngx_memzero(&set, sizeof(ngx_dns_build_set_t));

    set.type = type;
    set.wire = NGX_DNS_HEADER_SIZE + b->owner_len + 4;

    rc = ngx_dns_build_object(b, &set, value);

    if (rc != NGX_OK || !set.failed) {
        return rc;
    }

    return ngx_dns_build_failed(b, type, NULL);
}


/*
 * NGX_DECLINED: reported, the rrset fails.  What a missing TTL means depends
 * on the server that the data was written for.
 */

static ngx_int_t
ngx_dns_build_ttl(ngx_dns_build_t *b, ngx_dns_build_set_t *set,
    ngx_dns_json_t *value)
{
    int64_t  n;

    n = 0;

    if (value == NULL) {

        if (b->conf.profile == NGX_DNS_PROFILE_STRICT) {
            n = b->conf.default_ttl;
        }

    } else if (ngx_dns_json_number(value, NGX_DNS_BUILD_TTL_MAX, &n)
               != NGX_OK
               || n < 0)
    {
        ngx_dns_build_bad(b, set->type, "\"ttl\" is not a number of seconds, "
                                        "answered with SERVFAIL");
        return NGX_DECLINED;

    } else if (n > NGX_DNS_BUILD_TTL_MAX) {
        n = NGX_DNS_BUILD_TTL_MAX;
        ngx_dns_build_warn(b, set->type, "\"ttl\" is larger than 2147483647, "
                                         "which is used");
    }

    if (n == 0 && b->conf.profile == NGX_DNS_PROFILE_REDINS) {
        n = (b->conf.max_ttl > 0
             && b->conf.max_ttl <= NGX_DNS_BUILD_TTL_MAX)
            ? b->conf.max_ttl : NGX_DNS_BUILD_TTL;
    }

    set->ttl = (uint32_t) n;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_object(ngx_dns_build_t *b, ngx_dns_build_set_t *set,
    ngx_dns_json_t *object)
{
    ngx_int_t              rc;
    ngx_dns_json_member_t  m[] = { { "ttl", NULL }, { "records", NULL },
                                   { "filter", NULL },
                                   { "health_check", NULL },
                                   { NULL, NULL } };

    /* some types have one record, whose members are those of the rrset */

    m[4].name = ngx_dns_build_single(set->type);

    ngx_dns_json_members(object, m, m[4].name ? 5 : 4);

    if (set->type == NGX_DNS_BUILD_ANAME) {
        return ngx_dns_build_aname(b, set, m[4].value, m[0].value);
    }

    rc = ngx_dns_build_ttl(b, set, m[0].value);

    if (rc == NGX_DECLINED) {
        set->failed = 1;
        return NGX_OK;
    }

    if (ngx_dns_build_has_choice(set->type)) {
        rc = ngx_dns_build_choice_begin(b, set->type, m[2].value, m[3].value,
                                        m[1].value);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            set->failed = 1;
            return NGX_OK;
        }
    }

    if (m[4].value != NULL) {
        rc = ngx_dns_build_one(b, set, object);

    } else if (m[1].value == NULL) {
        return NGX_OK;

    } else if (m[1].value->type == NGX_DNS_JSON_LIST) {
        rc = ngx_dns_build_list(b, set, m[1].value);

    } else {
        ngx_dns_build_bad(b, set->type, "\"records\" is not a list, answered "
                                        "with SERVFAIL");
        set->failed = 1;
        return NGX_OK;
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (set->given != 0 && set->good == 0) {
        set->failed = 1;
    }

    if (!set->failed && ngx_dns_build_has_choice(set->type)) {
        rc = ngx_dns_build_choice_end(b, set->type);
        set->failed = (rc == NGX_DECLINED);
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_dns_build_list(ngx_dns_build_t *b, ngx_dns_build_set_t *set,
    ngx_dns_json_t *records)
{
    ngx_int_t        rc;
    ngx_dns_json_t  *record;

    for (record = ngx_dns_json_first(records);
         record != ngx_dns_json_end(records) && !set->failed;
         record = ngx_dns_json_next(record))
    {
        rc = ngx_dns_build_one(b, set, record);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_one(ngx_dns_build_t *b, ngx_dns_build_set_t *set,
    ngx_dns_json_t *record)
{
    size_t                  len;
    u_char                 *rdata, text[NGX_DNS_BUILD_ERROR];
    ngx_int_t               rc;
    ngx_str_t               err;
    ngx_uint_t              address;

    set->given++;
    err.data = text;

    if (set->good > 0
        && (set->type == NGX_DNS_TYPE_CNAME || set->type == NGX_DNS_TYPE_DNAME))
    {
        ngx_dns_build_bad(b, set->type, "record %ui: only one is allowed, "
                                        "left out", set->given);
        return NGX_OK;
    }

    rc = ngx_dns_build_rdata(b, set->type, record, &rdata, &len, &err);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    address = ngx_dns_build_has_choice(set->type);

    if (rc == NGX_OK && address) {
        rc = ngx_dns_build_choice_place(b, set->type, record, &err);
    }

    if (rc == NGX_DECLINED) {
        ngx_dns_build_bad(b, set->type, "record %ui: %V, left out",
                          set->given, &err);
        return NGX_OK;
    }

    if (ngx_dns_build_fits(b, set, len) != NGX_OK) {
        return NGX_OK;
    }

    if (address) {
        ngx_dns_build_choice_add(b, rdata, len);
    }

    set->good++;

    return ngx_dns_build_add(b, set->type, set->ttl, rdata, len);
}


/*
 * What an answer takes at least: names in RDATA that may be compressed can
 * get as short as two octets.
 */

static ngx_int_t
ngx_dns_build_fits(ngx_dns_build_t *b, ngx_dns_build_set_t *set, size_t len)
{
    if (ngx_dns_rr(set->type)->flags & NGX_DNS_RR_COMPRESS) {
        len = ngx_min(len, 2);
    }

    set->wire += NGX_DNS_BUILD_RR + len;

    if (set->wire <= NGX_DNS_MESSAGE_MAX) {
        return NGX_OK;
    }

    ngx_dns_build_bad(b, set->type, "the rrset is larger than any message, "
                                    "answered with SERVFAIL");
    set->failed = 1;

    return NGX_DECLINED;
}


/* A and AAAA of another name; its TTL is optional in every profile */

static ngx_int_t
ngx_dns_build_aname(ngx_dns_build_t *b, ngx_dns_build_set_t *set,
    ngx_dns_json_t *location, ngx_dns_json_t *ttl)
{
    u_char       payload[4 + NGX_DNS_NAME_MAX + 1];
    size_t       n;
    ngx_str_t    text;
    const char  *err;

    if (location == NULL) {
        return NGX_OK;
    }

    if (ttl != NULL && ngx_dns_build_ttl(b, set, ttl) != NGX_OK) {
        set->failed = 1;
        return NGX_OK;
    }

    err = "is not a string";
    n = 0;

    if (ngx_dns_json_string(location, &text) == NGX_OK) {
        n = ngx_dns_build_name(payload + 4, &text, &err);
    }

    if (n == 0) {
        ngx_dns_build_bad(b, set->type, "\"location\" is not a name: %s, "
                                        "answered with SERVFAIL", err);
        set->failed = 1;
        return NGX_OK;
    }

    ngx_dns_put32(payload, ttl ? set->ttl : NGX_DNS_ANAME_NO_TTL);

    return ngx_dns_build_note(b, 0, NGX_DNS_NOTE_ANAME, payload, 4 + n);
}
