
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


static const char *ngx_dns_build_odd(ngx_str_t *text);
static ngx_uint_t ngx_dns_build_final_dot(ngx_str_t *text);
static uint32_t ngx_dns_build_spelling(ngx_str_t *label);


/* blanks around a name and control characters are mistakes; NULL: neither */

static const char *
ngx_dns_build_odd(ngx_str_t *text)
{
    size_t  i;

    if (text->len == 0) {
        return "is empty";
    }

    if (text->data[0] == ' ' || text->data[text->len - 1] == ' ') {
        return "has blanks around it";
    }

    for (i = 0; i < text->len; i++) {
        if (text->data[i] < 0x20 || text->data[i] == 0x7f) {
            return "has control characters";
        }
    }

    return NULL;
}


size_t
ngx_dns_build_name(u_char *dst, ngx_str_t *text, const char **err)
{
    *err = ngx_dns_build_odd(text);

    return (*err == NULL) ? ngx_dns_name_from_text(dst, text, NULL, err) : 0;
}


/* a dot that is not escaped */

static ngx_uint_t
ngx_dns_build_final_dot(ngx_str_t *text)
{
    size_t  n;

    if (text->data[text->len - 1] != '.') {
        return 0;
    }

    for (n = text->len - 1; n > 0 && text->data[n - 1] == '\\'; n--) {
        /* void */
    }

    return ((text->len - 1 - n) & 1) == 0;
}


/*
 * 0 if no other text gives the same name, else a number for this text: two
 * labels may be one name.
 */

static uint32_t
ngx_dns_build_spelling(ngx_str_t *label)
{
    u_char    ch;
    size_t    i;
    uint64_t  digest;

    for (i = 0; i < label->len; i++) {
        ch = label->data[i];

        if ((ch >= 'A' && ch <= 'Z') || ch == '\\') {
            digest = ngx_dns_build_digest(0, label, label);

            return (uint32_t) (digest ^ digest >> 32) | 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_dns_build_owner(ngx_dns_build_t *b, ngx_str_t *label)
{
    size_t       n;
    const char  *err, *is;

    b->label = *label;
    b->added = 0;
    b->spelling = 0;

    if (label->len == 1 && label->data[0] == '@') {
        ngx_memcpy(b->owner, b->rs->apex, b->rs->apex_len);
        b->owner_len = b->rs->apex_len;

        return NGX_OK;
    }

    is = "";
    err = ngx_dns_build_odd(label);

    if (err == NULL && ngx_dns_build_final_dot(label)) {
        err = "ends with a dot, labels are relative to the zone";
    }

    if (err == NULL) {
        n = ngx_dns_name_from_text(b->owner, label, b->rs->apex, &err);

        if (n != 0) {
            b->owner_len = n;
            b->spelling = ngx_dns_build_spelling(label);

            return NGX_OK;
        }

        is = "is no name: ";
    }

    ngx_dns_build_bad(b, NGX_DNS_BUILD_NO_TYPE, "the label %s%s, left out",
                      is, err);

    return NGX_DECLINED;
}


u_char *
ngx_dns_build_quote(u_char *p, ngx_str_t *text)
{
    u_char  ch;
    size_t  i, n;

    n = ngx_min(text->len, NGX_DNS_BUILD_QUOTE);

    for (i = 0; i < n; i++) {
        ch = text->data[i];

        if (ch < 0x20 || ch >= 0x7f || ch == '"') {
            *p++ = '\\';
            *p++ = (u_char) ('0' + ch / 100);
            *p++ = (u_char) ('0' + ch / 10 % 10);
            *p++ = (u_char) ('0' + ch % 10);

        } else {
            *p++ = ch;
        }
    }

    if (n < text->len) {
        p = ngx_cpymem(p, "...", 3);
    }

    return p;
}


size_t
ngx_dns_build_apex(u_char *apex, ngx_str_t *member, ngx_uint_t *changed,
    const char **err)
{
    size_t     i, n;
    ngx_str_t  text;

    text = *member;

    while (text.len > 0 && text.data[0] <= ' ') {
        text.data++;
        text.len--;
    }

    while (text.len > 0 && text.data[text.len - 1] <= ' ') {
        text.len--;
    }

    n = ngx_dns_build_name(apex, &text, err);

    if (n == 0) {
        return 0;
    }

    *changed = (text.len != member->len || !ngx_dns_build_final_dot(&text));

    for (i = 0; i < text.len; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'Z') {
            *changed = 1;
        }
    }

    return n;
}
