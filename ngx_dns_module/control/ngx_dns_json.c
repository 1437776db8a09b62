
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_json.h"


static ngx_uint_t ngx_dns_json_same(const char *key, const char *name);


json_t *
ngx_dns_json_load(ngx_str_t *text, const char **err)
{
    json_t        *value;
    json_error_t   error;

    if (text->len > NGX_DNS_JSON_MAX) {
        *err = "is larger than 4 MiB";
        return NULL;
    }

    value = json_loadb((char *) text->data, text->len,
                       JSON_DECODE_ANY|JSON_ALLOW_NUL, &error);

    if (value == NULL
        && json_error_code(&error) == json_error_numeric_overflow)
    {
        /* a number too large for its member is not worth the whole value */

        value = json_loadb((char *) text->data, text->len,
                           JSON_DECODE_ANY|JSON_ALLOW_NUL
                           |JSON_DECODE_INT_AS_REAL,
                           &error);
    }

    if (value == NULL) {

        switch (json_error_code(&error)) {

        case json_error_out_of_memory:
            *err = NULL;
            break;

        case json_error_invalid_utf8:
            *err = "is not JSON: it has octets that are not UTF-8";
            break;

        default:
            *err = "is not JSON";
            break;
        }
    }

    return value;
}


/* key as it is stored, name in lower case */

static ngx_uint_t
ngx_dns_json_same(const char *key, const char *name)
{
    u_char  ch;

    for ( ;; ) {
        ch = (u_char) *key++;

        if (ch >= 'A' && ch <= 'Z') {
            ch |= 0x20;
        }

        if (ch != (u_char) *name) {
            return 0;
        }

        if (ch == '\0') {
            return 1;
        }

        name++;
    }
}


void
ngx_dns_json_members(json_t *object, ngx_dns_json_member_t *members,
    ngx_uint_t n)
{
    void        *iter;
    json_t      *value;
    ngx_uint_t   i;
    const char  *key;

    for (i = 0; i < n; i++) {
        members[i].value = NULL;
    }

    for (iter = json_object_iter(object);
         iter != NULL;
         iter = json_object_iter_next(object, iter))
    {
        key = json_object_iter_key(iter);

        for (i = 0; i < n; i++) {

            if (!ngx_dns_json_same(key, members[i].name)) {
                continue;
            }

            value = json_object_iter_value(iter);
            members[i].value = json_is_null(value) ? NULL : value;
            break;
        }
    }
}


ngx_int_t
ngx_dns_json_number(json_t *value, int64_t max, int64_t *n)
{
    double   d;
    int64_t  i;

    if (json_is_integer(value)) {
        i = json_integer_value(value);

    } else if (json_is_real(value)) {
        d = json_real_value(value);

        if (d < 0) {
            i = -1;

        } else if (d > (double) max) {
            i = max + 1;

        } else {
            i = (int64_t) d;

            if ((double) i != d) {
                return NGX_DECLINED;
            }
        }

    } else {
        return NGX_DECLINED;
    }

    if (i < 0) {
        i = -1;

    } else if (i > max) {
        i = max + 1;
    }

    *n = i;

    return NGX_OK;
}


ngx_int_t
ngx_dns_json_flag(json_t *value, ngx_uint_t *flag)
{
    if (!json_is_boolean(value)) {
        return NGX_DECLINED;
    }

    *flag = json_is_true(value);

    return NGX_OK;
}


ngx_int_t
ngx_dns_json_string(json_t *value, ngx_str_t *s)
{
    if (!json_is_string(value)) {
        return NGX_DECLINED;
    }

    s->data = (u_char *) json_string_value(value);
    s->len = json_string_length(value);

    return NGX_OK;
}
