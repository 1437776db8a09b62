
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


#define NGX_DNS_BUILD_TYPES    96       /* of one label */
#define NGX_DNS_BUILD_MESSAGE  600

#define NGX_DNS_BUILD_K1       0x9e3779b97f4a7c15ULL
#define NGX_DNS_BUILD_K2       0xd6e8feb86659fd93ULL


/* the members of a field that are types, the last of each */

typedef struct {
    ngx_uint_t       n;
    ngx_uint_t       more;              /* that found no room */
    ngx_uint_t       type[NGX_DNS_BUILD_TYPES];
    ngx_dns_json_t  *value[NGX_DNS_BUILD_TYPES];
} ngx_dns_build_types_t;


static uint64_t ngx_dns_build_absorb(uint64_t hash, u_char *p, size_t len);
static void ngx_dns_build_say(ngx_dns_build_t *b, ngx_uint_t type,
    const char *fmt, va_list args);
static void ngx_dns_build_more(ngx_dns_build_t *b);
static void ngx_dns_build_members(ngx_dns_json_t *object,
    ngx_dns_build_types_t *types);
static ngx_int_t ngx_dns_build_types(ngx_dns_build_t *b,
    ngx_dns_json_t *object);
static ngx_uint_t ngx_dns_build_type(u_char *text, size_t len);
static ngx_int_t ngx_dns_build_key_type(ngx_dns_build_t *b, ngx_str_t *text,
    ngx_uint_t *type);


static ngx_inline uint64_t
ngx_dns_build_fold(uint64_t a, uint64_t b)
{
    __uint128_t  r;

    r = (__uint128_t) a * b;

    return (uint64_t) r ^ (uint64_t) (r >> 64);
}


static uint64_t
ngx_dns_build_absorb(uint64_t hash, u_char *p, size_t len)
{
    size_t    n;
    uint64_t  x;

    hash = ngx_dns_build_fold(hash ^ len, NGX_DNS_BUILD_K2);

    for (n = len; n > 0; /* void */ ) {
        x = 0;
        ngx_memcpy(&x, p, ngx_min(n, 8));

#if !(NGX_HAVE_LITTLE_ENDIAN)
        x = __builtin_bswap64(x);
#endif

        hash = ngx_dns_build_fold(hash ^ x, NGX_DNS_BUILD_K1);

        p += ngx_min(n, 8);
        n -= ngx_min(n, 8);
    }

    return hash;
}


uint64_t
ngx_dns_build_digest(ngx_uint_t kind, ngx_str_t *name, ngx_str_t *value)
{
    uint64_t  hash;

    hash = ngx_dns_build_fold(kind + 1, NGX_DNS_BUILD_K1);
    hash = ngx_dns_build_absorb(hash, name->data, name->len);
    hash = ngx_dns_build_absorb(hash, value->data, value->len);

    return ngx_dns_build_fold(hash ^ NGX_DNS_BUILD_K2, NGX_DNS_BUILD_K1);
}


ngx_dns_build_t *
ngx_dns_build_create(const u_char *apex, ngx_dns_build_conf_t *conf,
    uint64_t digest, const ngx_dns_zone_t *last, ngx_dns_memory_t *mem,
    ngx_dns_reporter_t *rep)
{
    ngx_dns_build_t  *b;

    b = mem->map(mem->data, sizeof(ngx_dns_build_t));
    if (b == NULL) {
        return NULL;
    }

    b->rs = ngx_dns_records_create(apex, mem, rep);

    if (b->rs == NULL) {
        mem->unmap(mem->data, b, sizeof(ngx_dns_build_t));
        return NULL;
    }

    b->mem = mem;
    b->json.mem = mem;
    b->rep = rep;
    b->last = last;
    b->conf = *conf;
    b->digest = digest;

    ngx_dns_build_defaults(b);

    return b;
}


void
ngx_dns_build_destroy(ngx_dns_build_t *b)
{
    ngx_uint_t         i;
    ngx_dns_memory_t  *mem;

    mem = b->mem;

    for (i = 0; i < NGX_DNS_BUILD_KEYS; i++) {
        if (b->keys[i].data != NULL) {
            mem->unmap(mem->data, b->keys[i].data,
                       NGX_DNS_BUILD_KEY_MAX + 1);
        }
    }

    ngx_dns_build_choice_free(b);

    if (b->big != NULL) {
        mem->unmap(mem->data, b->big, NGX_DNS_BUILD_BIG);
    }

    ngx_dns_json_free(&b->json);
    ngx_dns_records_destroy(b->rs);
    mem->unmap(mem->data, b, sizeof(ngx_dns_build_t));
}


static void
ngx_dns_build_say(ngx_dns_build_t *b, ngx_uint_t type, const char *fmt,
    va_list args)
{
    u_char  *p, *last;
    u_char   text[NGX_DNS_BUILD_MESSAGE], zone[NGX_DNS_NAME_TEXT_MAX];
    u_char   where[NGX_DNS_BUILD_QUOTE_MAX + NGX_DNS_RR_TEXT_MAX + 32];

    if (++b->warned > NGX_DNS_BUILD_WARN_MAX) {
        b->rep->warnings++;
        return;
    }

    last = ngx_vslprintf(text, text + sizeof(text), fmt, args);

    /* words of values may be quoted in it */

    for (p = text; p < last; p++) {
        if (*p < 0x20 || *p >= 0x7f) {
            *p = '?';
        }
    }

    p = where;

    if (b->label.data != NULL) {
        p = ngx_cpymem(p, ", label \"", 9);
        p = ngx_dns_build_quote(p, &b->label);
        *p++ = '"';
    }

    if (type != NGX_DNS_BUILD_NO_TYPE) {
        p = ngx_cpymem(p, ", type ", 7);
        p = (type == NGX_DNS_BUILD_ANAME) ? ngx_cpymem(p, "ANAME", 5)
                                          : ngx_dns_rr_type_text(p, type);
    }

    ngx_dns_report(b->rep, NGX_DNS_REPORT_WARN, NULL, 0,
                   "zone \"%*s\"%*s: %*s",
                   (size_t) (ngx_dns_name_to_text(zone, b->rs->apex) - zone),
                   zone, (size_t) (p - where), where,
                   (size_t) (last - text), text);
}


/* the lines that were not written */

static void
ngx_dns_build_more(ngx_dns_build_t *b)
{
    u_char  zone[NGX_DNS_NAME_TEXT_MAX];

    if (b->warned <= NGX_DNS_BUILD_WARN_MAX) {
        return;
    }

    ngx_dns_report(b->rep, NGX_DNS_REPORT_WARN, NULL, 0,
                   "zone \"%*s\": %ui more warnings are not shown",
                   (size_t) (ngx_dns_name_to_text(zone, b->rs->apex) - zone),
                   zone, b->warned - NGX_DNS_BUILD_WARN_MAX);
}


void
ngx_dns_build_warn(ngx_dns_build_t *b, ngx_uint_t type, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_dns_build_say(b, type, fmt, args);
    va_end(args);
}


void
ngx_dns_build_bad(ngx_dns_build_t *b, ngx_uint_t type, const char *fmt, ...)
{
    va_list  args;

    b->bad++;

    va_start(args, fmt);
    ngx_dns_build_say(b, type, fmt, args);
    va_end(args);
}


u_char *
ngx_dns_build_room(ngx_dns_build_t *b, size_t size)
{
    if (size <= NGX_DNS_BUILD_SMALL) {
        return b->small;
    }

    if (b->big == NULL) {
        b->big = b->mem->map(b->mem->data, NGX_DNS_BUILD_BIG);
    }

    return b->big;
}


ngx_int_t
ngx_dns_build_add(ngx_dns_build_t *b, ngx_uint_t type, uint32_t ttl,
    u_char *rdata, size_t len)
{
    size_t            size;
    ngx_uint_t        marks;
    ngx_dns_chunk_t  *chunk;
    ngx_dns_record_t  r;

    r.owner = b->owner;
    r.owner_len = b->owner_len;
    r.rdata = rdata;
    r.rdlen = (uint16_t) len;
    r.type = (uint16_t) type;
    r.ttl = ttl;
    r.file = 0;
    r.line = b->spelling;

    if (ngx_dns_records_add(b->rs, &r) != NGX_OK) {
        return NGX_ERROR;
    }

    b->added++;

    /* the record as it is stored */

    chunk = b->rs->last;
    size = (sizeof(ngx_dns_rec_t) + b->owner_len - b->rs->apex_len + len + 7)
           & ~ (size_t) 7;

    marks = ngx_dns_build_marks((ngx_dns_rec_t *) ((u_char *) chunk
                                                   + chunk->used - size));

    if (marks != 0) {
        b->marks |= marks;
        b->nmarked++;
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_build_note(ngx_dns_build_t *b, ngx_uint_t covered, ngx_uint_t kind,
    const u_char *payload, size_t len)
{
    u_char  *rdata;

    rdata = ngx_dns_build_room(b, NGX_DNS_NOTE_HEAD + len);
    if (rdata == NULL) {
        return NGX_ERROR;
    }

    /* the payload may lie in the same room */

    if (len != 0) {
        ngx_memmove(rdata + NGX_DNS_NOTE_HEAD, payload, len);
    }

    ngx_dns_put16(rdata, covered);
    rdata[2] = (u_char) kind;

    return ngx_dns_build_add(b, NGX_DNS_TYPE_NOTE, 0, rdata,
                             NGX_DNS_NOTE_HEAD + len);
}


ngx_int_t
ngx_dns_build_config(ngx_dns_build_t *b, ngx_str_t *json)
{
    const char      *err;
    ngx_dns_json_t  *value;

    ngx_str_null(&b->label);

    if (json->data == NULL || json->len == 0) {
        return NGX_OK;
    }

    value = ngx_dns_json_load(&b->json, json, &err);

    if (value == NULL) {

        if (err == NULL) {
            return NGX_ERROR;
        }

        ngx_dns_build_config_failed(b, err);

        return NGX_OK;
    }

    ngx_dns_build_config_read(b, value);

    return NGX_OK;
}


ngx_int_t
ngx_dns_build_label(ngx_dns_build_t *b, ngx_str_t *label)
{
    if (ngx_dns_build_owner(b, label) != NGX_OK) {
        return NGX_OK;
    }

    return ngx_dns_build_note(b, 0, NGX_DNS_NOTE_NAME, NULL, 0);
}


/* what cannot be read makes the type, or all of the label, SERVFAIL */

ngx_int_t
ngx_dns_build_failed(ngx_dns_build_t *b, ngx_uint_t type, const char *why)
{
    if (why != NULL) {
        ngx_dns_build_bad(b, type, "the value %s, answered with SERVFAIL",
                          why);
    }

    switch (type) {

    case NGX_DNS_BUILD_NO_TYPE:
        type = 0;
        break;

    case NGX_DNS_BUILD_ANAME:
        type = NGX_DNS_BUILD_COVERS_ANAME;
        break;

    default:
        break;
    }

    return ngx_dns_build_note(b, type, NGX_DNS_NOTE_FAILED, NULL, 0);
}


ngx_int_t
ngx_dns_build_field(ngx_dns_build_t *b, ngx_str_t *label, ngx_str_t *json)
{
    ngx_int_t        rc;
    const char      *err;
    ngx_dns_json_t  *value;

    if (ngx_dns_build_owner(b, label) != NGX_OK) {
        return NGX_OK;
    }

    if (json->len == 0) {
        return ngx_dns_build_note(b, 0, NGX_DNS_NOTE_NAME, NULL, 0);
    }

    value = ngx_dns_json_load(&b->json, json, &err);

    if (value == NULL) {
        return (err == NULL) ? NGX_ERROR
                             : ngx_dns_build_failed(b, NGX_DNS_BUILD_NO_TYPE,
                                                    err);
    }

    rc = NGX_OK;

    if (value->type == NGX_DNS_JSON_OBJECT) {
        rc = ngx_dns_build_types(b, value);

    } else if (value->type != NGX_DNS_JSON_NULL) {
        rc = ngx_dns_build_failed(b, NGX_DNS_BUILD_NO_TYPE,
                                  "is not an object");
    }

    if (rc == NGX_OK && b->added == 0) {
        rc = ngx_dns_build_note(b, 0, NGX_DNS_NOTE_NAME, NULL, 0);
    }

    return rc;
}


/* all types of a label */

static ngx_int_t
ngx_dns_build_types(ngx_dns_build_t *b, ngx_dns_json_t *object)
{
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_dns_build_types_t   types;

    ngx_dns_build_members(object, &types);

    if (types.more != 0) {
        ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                          "more than %d types, %ui are left out",
                          NGX_DNS_BUILD_TYPES, types.more);
    }

    for (i = 0; i < types.n; i++) {
        rc = ngx_dns_build_value(b, types.type[i], types.value[i]);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static void
ngx_dns_build_members(ngx_dns_json_t *object, ngx_dns_build_types_t *types)
{
    ngx_uint_t       i, type;
    ngx_dns_json_t  *value;

    types->n = 0;
    types->more = 0;

    for (value = ngx_dns_json_first(object);
         value != ngx_dns_json_end(object);
         value = ngx_dns_json_next(value))
    {
        type = ngx_dns_build_type(value->name, value->name_len);

        if (type == NGX_DNS_BUILD_NO_TYPE) {
            continue;
        }

        for (i = 0; i < types->n && types->type[i] != type; i++) {
            /* void */
        }

        if (i == NGX_DNS_BUILD_TYPES) {
            types->more++;
            continue;
        }

        types->type[i] = type;
        types->value[i] = value;
        types->n = ngx_max(types->n, i + 1);
    }
}


/* the type that a member or the end of a key names, or NO_TYPE */

static ngx_uint_t
ngx_dns_build_type(u_char *text, size_t len)
{
    ngx_int_t  type;

    type = ngx_dns_rr_type(text, len);

    if (type != NGX_ERROR) {
        return (ngx_uint_t) type;
    }

    return (len == 5 && ngx_strncasecmp(text, (u_char *) "ANAME", 5) == 0)
           ? NGX_DNS_BUILD_ANAME : NGX_DNS_BUILD_NO_TYPE;
}


/* the same for a key: only the one spelling of the layout will do */

static ngx_int_t
ngx_dns_build_key_type(ngx_dns_build_t *b, ngx_str_t *text, ngx_uint_t *type)
{
    u_char  *p, buf[NGX_DNS_RR_TEXT_MAX], quoted[NGX_DNS_BUILD_QUOTE_MAX];

    *type = ngx_dns_build_type(text->data, text->len);

    if (*type == NGX_DNS_BUILD_ANAME) {
        p = ngx_cpymem(buf, "ANAME", 5);

    } else if (*type == NGX_DNS_BUILD_NO_TYPE) {
        p = buf;

    } else {
        p = ngx_dns_rr_type_text(buf, *type);
    }

    if (text->len == (size_t) (p - buf)
        && ngx_memcmp(text->data, buf, p - buf) == 0)
    {
        return NGX_OK;
    }

    p = ngx_dns_build_quote(quoted, text);

    ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE,
                      "\"%*s\" is not the name of a type, left out",
                      (size_t) (p - quoted), quoted);

    return NGX_DECLINED;
}


ngx_int_t
ngx_dns_build_rrset(ngx_dns_build_t *b, ngx_str_t *label, ngx_str_t *text,
    ngx_str_t *json)
{
    ngx_int_t        rc;
    ngx_uint_t       type;
    const char      *err;
    ngx_dns_json_t  *value;

    if (ngx_dns_build_owner(b, label) != NGX_OK
        || ngx_dns_build_key_type(b, text, &type) != NGX_OK
        || json->len == 0)
    {
        return NGX_OK;
    }

    value = ngx_dns_json_load(&b->json, json, &err);

    if (value == NULL) {
        return (err == NULL) ? NGX_ERROR : ngx_dns_build_failed(b, type, err);
    }

    rc = ngx_dns_build_value(b, type, value);

    return rc;
}


ngx_int_t
ngx_dns_build_wrong(ngx_dns_build_t *b, ngx_str_t *label, ngx_str_t *text)
{
    ngx_uint_t  type;

    if (label->len == 0 && text->len == 0) {
        ngx_str_null(&b->label);
        ngx_dns_build_config_failed(b, "has a wrong type in Redis");

        return NGX_OK;
    }

    if (ngx_dns_build_owner(b, label) != NGX_OK) {
        return NGX_OK;
    }

    type = NGX_DNS_BUILD_NO_TYPE;

    if (text->len != 0
        && ngx_dns_build_key_type(b, text, &type) != NGX_OK)
    {
        return NGX_OK;
    }

    return ngx_dns_build_failed(b, type, "has a wrong type in Redis");
}


ngx_dns_records_t *
ngx_dns_build_end(ngx_dns_build_t *b, ngx_uint_t *bad)
{
    ngx_str_null(&b->label);

    if (ngx_dns_build_settle(b) != NGX_OK
        || ngx_dns_build_zone(b) != NGX_OK)
    {
        return NULL;
    }

    ngx_dns_build_more(b);

    *bad = b->bad;

    return b->rs;
}
