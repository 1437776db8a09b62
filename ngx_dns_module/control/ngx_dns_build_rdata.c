
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


#define NGX_DNS_BUILD_FIELDS      4
#define NGX_DNS_BUILD_TEXT_MAX    (255 * 255 + 254)  /* of one TXT */
#define NGX_DNS_BUILD_ITERATIONS  150


/* members of a record, in the order of the RDATA */

typedef enum {
    NGX_DNS_BUILD_END = 0,
    NGX_DNS_BUILD_U8,
    NGX_DNS_BUILD_U16,
    NGX_DNS_BUILD_A,
    NGX_DNS_BUILD_AAAA,
    NGX_DNS_BUILD_NAME,
    NGX_DNS_BUILD_STRINGS,              /* cut every 255 octets */
    NGX_DNS_BUILD_STRING,               /* one, with its length */
    NGX_DNS_BUILD_OCTETS,               /* up to the end of RDATA */
    NGX_DNS_BUILD_HEX                   /* up to the end of RDATA */
} ngx_dns_build_kind_e;

typedef struct {
    const char               *name;
    ngx_dns_build_kind_e      kind;
} ngx_dns_build_field_t;

typedef struct {
    ngx_uint_t                type;
    ngx_uint_t                single;   /* 1: no "records" around it */
    ngx_uint_t                check;    /* 1: the type has its own rules */
    ngx_dns_build_field_t     fields[NGX_DNS_BUILD_FIELDS + 1];
} ngx_dns_build_row_t;

/* RDATA that is being put together */

typedef struct {
    u_char                   *start;
    u_char                   *pos;
    u_char                   *last;
    const char               *name;     /* of the member */
    ngx_str_t                *err;
} ngx_dns_build_rdata_t;

typedef ngx_int_t (*ngx_dns_build_kind_pt)(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);


static ngx_dns_build_row_t *ngx_dns_build_row(ngx_uint_t type);
static size_t ngx_dns_build_need(ngx_dns_build_row_t *row,
    ngx_dns_json_member_t *members);
static ngx_int_t ngx_dns_build_old(ngx_dns_build_t *b,
    ngx_dns_build_row_t *row, ngx_dns_json_member_t *m, u_char **rdata,
    size_t *len, ngx_str_t *err);
static ngx_int_t ngx_dns_build_text(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *value, u_char **rdata, size_t *len, ngx_str_t *err);
static ngx_int_t ngx_dns_build_iterations(ngx_uint_t type, u_char *rdata,
    ngx_str_t *err);
static ngx_int_t ngx_dns_build_number(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);
static ngx_uint_t ngx_dns_build_plain(ngx_str_t *text);
static ngx_int_t ngx_dns_build_address(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);
static ngx_int_t ngx_dns_build_target(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);
static ngx_int_t ngx_dns_build_string(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, size_t max, ngx_str_t *text);
static ngx_int_t ngx_dns_build_strings(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);
static ngx_int_t ngx_dns_build_octets(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);
static ngx_int_t ngx_dns_build_hex(ngx_dns_build_rdata_t *rd,
    ngx_dns_json_t *value, ngx_uint_t kind);


/* the forms of redins and z42; other types have "rdata" only */

#define NGX_DNS_BUILD_LAST  { NULL, NGX_DNS_BUILD_END }

static ngx_dns_build_row_t  ngx_dns_build_rows[] = {

    { NGX_DNS_TYPE_A, 0, 0,
      { { "ip", NGX_DNS_BUILD_A },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_AAAA, 0, 0,
      { { "ip", NGX_DNS_BUILD_AAAA },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_TXT, 0, 0,
      { { "text", NGX_DNS_BUILD_STRINGS },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_CNAME, 1, 0,
      { { "host", NGX_DNS_BUILD_NAME },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_NS, 0, 0,
      { { "host", NGX_DNS_BUILD_NAME },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_MX, 0, 0,
      { { "preference", NGX_DNS_BUILD_U16 },
        { "host", NGX_DNS_BUILD_NAME },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_SRV, 0, 0,
      { { "priority", NGX_DNS_BUILD_U16 },
        { "weight", NGX_DNS_BUILD_U16 },
        { "port", NGX_DNS_BUILD_U16 },
        { "target", NGX_DNS_BUILD_NAME },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_CAA, 0, 1,
      { { "flag", NGX_DNS_BUILD_U8 },
        { "tag", NGX_DNS_BUILD_STRING },
        { "value", NGX_DNS_BUILD_OCTETS },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_PTR, 1, 0,
      { { "domain", NGX_DNS_BUILD_NAME },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_TLSA, 0, 1,
      { { "usage", NGX_DNS_BUILD_U8 },
        { "selector", NGX_DNS_BUILD_U8 },
        { "matching_type", NGX_DNS_BUILD_U8 },
        { "certificate", NGX_DNS_BUILD_HEX },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_TYPE_DS, 0, 1,
      { { "key_tag", NGX_DNS_BUILD_U16 },
        { "algorithm", NGX_DNS_BUILD_U8 },
        { "digest_type", NGX_DNS_BUILD_U8 },
        { "digest", NGX_DNS_BUILD_HEX },
        NGX_DNS_BUILD_LAST } },

    { NGX_DNS_BUILD_NO_TYPE, 0, 0, { NGX_DNS_BUILD_LAST } }
};

static ngx_dns_build_kind_pt  ngx_dns_build_kinds[] = {
    NULL,
    ngx_dns_build_number,
    ngx_dns_build_number,
    ngx_dns_build_address,
    ngx_dns_build_address,
    ngx_dns_build_target,
    ngx_dns_build_strings,
    ngx_dns_build_octets,
    ngx_dns_build_octets,
    ngx_dns_build_hex
};


static ngx_dns_build_row_t *
ngx_dns_build_row(ngx_uint_t type)
{
    ngx_dns_build_row_t  *row;

    for (row = ngx_dns_build_rows; row->type != NGX_DNS_BUILD_NO_TYPE; row++) {
        if (row->type == type) {
            break;
        }
    }

    return row;
}


const char *
ngx_dns_build_single(ngx_uint_t type)
{
    ngx_dns_build_row_t  *row;

    if (type == NGX_DNS_BUILD_ANAME) {
        return "location";
    }

    row = ngx_dns_build_row(type);

    return row->single ? row->fields[0].name : NULL;
}


ngx_int_t
ngx_dns_build_err(ngx_str_t *err, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    err->len = ngx_vslprintf(err->data, err->data + NGX_DNS_BUILD_ERROR, fmt,
                             args)
               - err->data;
    va_end(args);

    return NGX_DECLINED;
}


ngx_int_t
ngx_dns_build_rdata(ngx_dns_build_t *b, ngx_uint_t type, ngx_dns_json_t *record,
    u_char **rdata, size_t *len, ngx_str_t *err)
{
    ngx_uint_t              i, n, old;
    ngx_dns_build_row_t    *row;
    ngx_dns_json_member_t   m[NGX_DNS_BUILD_FIELDS + 1];

    if (record->type != NGX_DNS_JSON_OBJECT) {
        return ngx_dns_build_err(err, "it is not an object");
    }

    row = ngx_dns_build_row(type);

    for (n = 0; row->fields[n].kind != NGX_DNS_BUILD_END; n++) {
        m[n].name = row->fields[n].name;
    }

    m[n].name = "rdata";

    ngx_dns_json_members(record, m, n + 1);

    old = 0;

    for (i = 0; i < n; i++) {
        old |= (m[i].value != NULL);
    }

    if (!old && (m[n].value != NULL || n == 0)) {
        return ngx_dns_build_text(b, type, m[n].value, rdata, len, err);
    }

    return ngx_dns_build_old(b, row, m, rdata, len, err);
}


/* room that the RDATA may need, a little more than enough */

static size_t
ngx_dns_build_need(ngx_dns_build_row_t *row, ngx_dns_json_member_t *members)
{
    size_t                  n;
    ngx_dns_build_field_t  *field;

    n = 16;

    for (field = row->fields; field->kind != NGX_DNS_BUILD_END; field++) {

        switch (field->kind) {

        case NGX_DNS_BUILD_NAME:
            n += NGX_DNS_NAME_MAX;
            break;

        case NGX_DNS_BUILD_STRINGS:
        case NGX_DNS_BUILD_STRING:
        case NGX_DNS_BUILD_OCTETS:
        case NGX_DNS_BUILD_HEX:

            if (ngx_dns_json_is(members->value, NGX_DNS_JSON_STRING)) {
                n += (size_t) members->value->len * 256 / 255 + 2;
            }

            break;

        default:
            break;
        }

        members++;
    }

    return n;
}


static ngx_int_t
ngx_dns_build_old(ngx_dns_build_t *b, ngx_dns_build_row_t *row,
    ngx_dns_json_member_t *m, u_char **rdata, size_t *len, ngx_str_t *err)
{
    size_t                  size;
    ngx_int_t               rc;
    ngx_uint_t              i;
    const char             *reason;
    ngx_dns_build_rdata_t   rd;

    size = ngx_min(ngx_dns_build_need(row, m), NGX_DNS_BUILD_BIG);

    rd.start = ngx_dns_build_room(b, size);
    if (rd.start == NULL) {
        return NGX_ERROR;
    }

    rd.pos = rd.start;
    rd.last = rd.start + ngx_min(size, NGX_DNS_RDATA_MAX);
    rd.err = err;

    for (i = 0; row->fields[i].kind != NGX_DNS_BUILD_END; i++) {
        rd.name = m[i].name;
        rc = ngx_dns_build_kinds[row->fields[i].kind](&rd, m[i].value,
                                                      row->fields[i].kind);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    *rdata = rd.start;
    *len = rd.pos - rd.start;

    if (row->check
        && ngx_dns_rdata_check(row->type, *rdata, *len, &reason) != NGX_OK)
    {
        return ngx_dns_build_err(err, "%s", reason);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_text(ngx_dns_build_t *b, ngx_uint_t type, ngx_dns_json_t *value,
    u_char **rdata, size_t *len, ngx_str_t *err)
{
    u_char     *p, reason[NGX_DNS_SCAN_ERROR];
    size_t      size;
    ssize_t     n;
    ngx_str_t   text, why;

    if (value == NULL) {
        return ngx_dns_build_err(err, "\"rdata\" is missing");
    }

    if (ngx_dns_json_string(value, &text) != NGX_OK) {
        return ngx_dns_build_err(err, "\"rdata\" is not a string");
    }

    size = ngx_min(2 * text.len + 2 * NGX_DNS_SCAN_NAME, NGX_DNS_BUILD_BIG);
    size = ngx_max(size, NGX_DNS_BUILD_SMALL);

    p = ngx_dns_build_room(b, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    why.data = reason;
    n = ngx_dns_rdata_from_text(type, &text, NULL, p, size, &why);

    if (n < 0) {
        return ngx_dns_build_err(err, "\"rdata\": %V", &why);
    }

    *rdata = p;
    *len = n;

    return ngx_dns_build_iterations(type, p, err);
}


/* each name that does not exist would cost so many hashes: RFC 9276, 3.1 */

static ngx_int_t
ngx_dns_build_iterations(ngx_uint_t type, u_char *rdata, ngx_str_t *err)
{
    if (type == NGX_DNS_TYPE_NSEC3PARAM
        && ngx_dns_get16(rdata + 2) > NGX_DNS_BUILD_ITERATIONS)
    {
        return ngx_dns_build_err(err, "more than 150 iterations");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_number(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    ngx_uint_t kind)
{
    int64_t  n, max;

    max = (kind == NGX_DNS_BUILD_U8) ? 255 : 65535;
    n = 0;

    if (value != NULL
        && (ngx_dns_json_number(value, max, &n) != NGX_OK
            || n < 0 || n > max))
    {
        return ngx_dns_build_err(rd->err, "\"%s\" is not a number from 0 to %L",
                                 rd->name, max);
    }

    if (kind == NGX_DNS_BUILD_U8) {
        *rd->pos++ = (u_char) n;

    } else {
        rd->pos = ngx_dns_put16(rd->pos, (ngx_uint_t) n);
    }

    return NGX_OK;
}


/* digits, dots, colons: nothing else that a zone file could have there */

static ngx_uint_t
ngx_dns_build_plain(ngx_str_t *text)
{
    u_char  ch;
    size_t  i;

    for (i = 0; i < text->len; i++) {
        ch = text->data[i];

        if (!((ch >= '0' && ch <= ':') || ch == '.'
              || ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'f')))
        {
            return 0;
        }
    }

    return text->len != 0;
}


static ngx_int_t
ngx_dns_build_address(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    ngx_uint_t kind)
{
    u_char      reason[NGX_DNS_SCAN_ERROR];
    ssize_t     n;
    ngx_str_t   text, why;
    ngx_uint_t  type;

    type = (kind == NGX_DNS_BUILD_A) ? NGX_DNS_TYPE_A : NGX_DNS_TYPE_AAAA;
    why.data = reason;
    n = -1;

    if (value != NULL && ngx_dns_json_string(value, &text) == NGX_OK
        && ngx_dns_build_plain(&text))
    {
        n = ngx_dns_rdata_from_text(type, &text, NULL, rd->pos,
                                    rd->last - rd->pos, &why);
    }

    if (n < 0) {
        return ngx_dns_build_err(rd->err, "\"%s\" is not an %s address",
                                 rd->name,
                                 type == NGX_DNS_TYPE_A ? "IPv4" : "IPv6");
    }

    rd->pos += n;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_target(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    ngx_uint_t kind)
{
    size_t       n;
    ngx_str_t    text;
    const char  *err;

    n = 0;
    err = "is missing";

    if (value != NULL) {
        err = "is not a string";

        if (ngx_dns_json_string(value, &text) == NGX_OK) {
            n = ngx_dns_build_name(rd->pos, &text, &err);
        }
    }

    if (n == 0) {
        return ngx_dns_build_err(rd->err, "\"%s\" is not a name: %s",
                                 rd->name, err);
    }

    rd->pos += n;

    return NGX_OK;
}


/* a member that is text of any octets; NGX_DECLINED with the reason */

static ngx_int_t
ngx_dns_build_string(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    size_t max, ngx_str_t *text)
{
    if (value == NULL) {
        return ngx_dns_build_err(rd->err, "\"%s\" is missing", rd->name);
    }

    if (ngx_dns_json_string(value, text) != NGX_OK) {
        return ngx_dns_build_err(rd->err, "\"%s\" is not a string", rd->name);
    }

    if (text->len > max) {
        return ngx_dns_build_err(rd->err, "\"%s\" is longer than %uz octets",
                                 rd->name, max);
    }

    return NGX_OK;
}


/* an empty text is one empty string, 255 octets are one full string */

static ngx_int_t
ngx_dns_build_strings(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    ngx_uint_t kind)
{
    size_t      n, left;
    u_char     *p;
    ngx_str_t   text;

    if (ngx_dns_build_string(rd, value, NGX_DNS_BUILD_TEXT_MAX, &text)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    p = text.data;
    left = text.len;

    do {
        n = ngx_min(left, 255);
        *rd->pos++ = (u_char) n;
        rd->pos = ngx_cpymem(rd->pos, p, n);
        p += n;
        left -= n;
    } while (left > 0);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_octets(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    ngx_uint_t kind)
{
    size_t     max;
    ngx_str_t  text;

    max = (kind == NGX_DNS_BUILD_STRING) ? 255 : (size_t) (rd->last - rd->pos);

    if (ngx_dns_build_string(rd, value, max, &text) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (kind == NGX_DNS_BUILD_STRING) {
        *rd->pos++ = (u_char) text.len;
    }

    rd->pos = ngx_cpymem(rd->pos, text.data, text.len);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_build_hex(ngx_dns_build_rdata_t *rd, ngx_dns_json_t *value,
    ngx_uint_t kind)
{
    size_t      i;
    ngx_int_t   n;
    ngx_str_t   text;

    if (ngx_dns_build_string(rd, value, 2 * (rd->last - rd->pos), &text)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    for (i = 0; i + 1 < text.len; i += 2) {
        n = ngx_hextoi(text.data + i, 2);

        if (n == NGX_ERROR) {
            break;
        }

        *rd->pos++ = (u_char) n;
    }

    if (i != text.len || text.len == 0) {
        return ngx_dns_build_err(rd->err, "\"%s\" is not hexadecimal",
                                 rd->name);
    }

    return NGX_OK;
}
