
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_build_choice.h"


typedef ngx_int_t (*ngx_dns_build_place_pt)(ngx_dns_json_t *value, u_char *p);


static ngx_int_t ngx_dns_build_places(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_str_t *err);
static ngx_int_t ngx_dns_build_place(ngx_dns_build_t *b, ngx_uint_t type,
    const char *name, ngx_dns_json_t *value, ngx_dns_build_place_pt read,
    size_t size, uint16_t *n, const u_char **list);
static ngx_int_t ngx_dns_build_country(ngx_dns_json_t *value, u_char *p);
static ngx_int_t ngx_dns_build_continent(ngx_dns_json_t *value, u_char *p);
static ngx_int_t ngx_dns_build_network(ngx_dns_json_t *value, u_char *p);
static ngx_int_t ngx_dns_build_asn(ngx_dns_json_t *value, u_char *p);


ngx_int_t
ngx_dns_build_choice_place(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *record, ngx_str_t *err)
{
    int64_t                n;
    ngx_dns_choice_rr_t   *place;
    ngx_dns_json_member_t  m[] = { { "weight", NULL }, { "priority", NULL },
                                   { "country", NULL }, { "continent", NULL },
                                   { "asn", NULL }, { "network", NULL } };

    place = &b->place;
    ngx_memzero(place, sizeof(ngx_dns_choice_rr_t));

    if (record->size == 2) {

        /* one member, which is the address */

        return NGX_OK;
    }

    ngx_dns_json_members(record, m, 6);

    if (m[0].value != NULL) {

        if (ngx_dns_json_number(m[0].value, 0xffffffff, &n) != NGX_OK
            || n < 0 || n > 0xffffffff)
        {
            return ngx_dns_build_err(err, "\"weight\" is not a number from 0 "
                                          "to 4294967295");
        }

        place->weight = (uint32_t) n;
    }

    if (m[1].value != NULL) {

        if (ngx_dns_json_number(m[1].value, 65535, &n) != NGX_OK
            || n < 0 || n > 65535)
        {
            return ngx_dns_build_err(err, "\"priority\" is not a number from "
                                          "0 to 65535");
        }

        place->priority = (uint16_t) n;
    }

    return ngx_dns_build_places(b, type, &m[2], err);
}


static ngx_int_t
ngx_dns_build_places(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_str_t *err)
{
    ngx_dns_choice_rr_t  *place;

    place = &b->place;

    if (ngx_dns_build_place(b, type, m[0].name, m[0].value,
                            ngx_dns_build_country, 2, &place->ncountries,
                            &place->countries)
        != NGX_OK)
    {
        return ngx_dns_build_err(err, "\"country\" is not a code of two "
                                      "letters, nor a list of them");
    }

    if (ngx_dns_build_place(b, type, m[1].name, m[1].value,
                            ngx_dns_build_continent, 2, &place->ncontinents,
                            &place->continents)
        != NGX_OK)
    {
        return ngx_dns_build_err(err, "\"continent\" is not a code of two "
                                      "letters, nor a list of them");
    }

    if (ngx_dns_build_place(b, type, m[2].name, m[2].value, ngx_dns_build_asn,
                            4, &place->nasns, &place->asns)
        != NGX_OK)
    {
        return ngx_dns_build_err(err, "\"asn\" is not the number of a system, "
                                      "nor a list of them");
    }

    if (ngx_dns_build_place(b, type, m[3].name, m[3].value,
                            ngx_dns_build_network, 4, &place->nnetworks,
                            &place->networks)
        != NGX_OK)
    {
        return ngx_dns_build_err(err, "\"network\" is not a name, nor a list "
                                      "of them");
    }

    return NGX_OK;
}


/*
 * One value or a list of them.  A list of nothing but "anybody" is empty.
 *
 * name  of the member, for messages
 * size  octets that read gives of a value
 */

static ngx_int_t
ngx_dns_build_place(ngx_dns_build_t *b, ngx_uint_t type, const char *name,
    ngx_dns_json_t *value, ngx_dns_build_place_pt read, size_t size,
    uint16_t *n, const u_char **list)
{
    u_char                   buf[4];
    size_t                   count;
    ngx_int_t                rc;
    ngx_uint_t               some;
    ngx_dns_json_t          *element, *end;
    ngx_dns_build_choice_t  *choice;

    if (value == NULL) {
        return NGX_OK;
    }

    choice = (b->choice != NULL && b->choice->wanted) ? b->choice : NULL;
    count = 0;
    some = 0;

    if (choice != NULL) {
        *list = choice->lists + choice->used;
    }

    element = value;
    end = ngx_dns_json_end(value);

    if (value->type == NGX_DNS_JSON_LIST) {
        element = ngx_dns_json_first(value);
    }

    for ( /* void */ ; element != end; element = ngx_dns_json_next(element)) {

        ngx_memzero(buf, sizeof(buf));

        rc = (element->type == NGX_DNS_JSON_NULL) ? NGX_OK
                                                  : read(element, buf);

        if (rc == NGX_DECLINED) {
            return NGX_DECLINED;
        }

        if (rc == NGX_ABORT) {
            ngx_dns_build_warn(b, type, "\"%s\": not a code of %s, it matches "
                                        "nobody", name,
                               (read == ngx_dns_build_country)
                               ? "two letters" : "a continent");
        }

        some |= (rc != NGX_OK);

        if (choice == NULL) {
            continue;
        }

        if (choice->room - choice->used < size) {
            choice->full = 1;
            continue;
        }

        ngx_memcpy(choice->lists + choice->used, buf, size);
        choice->used += size;
        count++;
    }

    if (choice == NULL) {
        return NGX_OK;
    }

    if (!some) {
        choice->used = *list - choice->lists;
        count = 0;
    }

    *n = (uint16_t) count;

    return NGX_OK;
}


/*
 * NGX_OK: anybody; NGX_DONE: a country; NGX_ABORT: a text that no client's
 * country is like; NGX_DECLINED: no text
 */

static ngx_int_t
ngx_dns_build_country(ngx_dns_json_t *value, u_char *p)
{
    ngx_str_t  text;

    if (ngx_dns_json_string(value, &text) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (text.len == 0) {
        return NGX_OK;
    }

    if (text.len == 2) {
        p[0] = ngx_toupper(text.data[0]);
        p[1] = ngx_toupper(text.data[1]);

        if (p[0] >= 'A' && p[0] <= 'Z' && p[1] >= 'A' && p[1] <= 'Z') {
            return NGX_DONE;
        }
    }

    p[0] = '?';
    p[1] = '?';

    return NGX_ABORT;
}


/* the same for one of the seven continents */

static ngx_int_t
ngx_dns_build_continent(ngx_dns_json_t *value, u_char *p)
{
    ngx_int_t    rc;
    const char  *code;

    static const char  codes[] = "AFANASEUNAOCSA";

    rc = ngx_dns_build_country(value, p);

    if (rc != NGX_DONE) {
        return rc;
    }

    for (code = codes; *code != '\0'; code += 2) {
        if (p[0] == (u_char) code[0] && p[1] == (u_char) code[1]) {
            return NGX_DONE;
        }
    }

    p[0] = '?';
    p[1] = '?';

    return NGX_ABORT;
}


/* the same for the name of a network, which may be defined later */

static ngx_int_t
ngx_dns_build_network(ngx_dns_json_t *value, u_char *p)
{
    ngx_str_t  text;

    if (ngx_dns_json_string(value, &text) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (text.len == 0) {
        return NGX_OK;
    }

    ngx_dns_put32(p, ngx_dns_network_id(text.data, text.len));

    return NGX_DONE;
}


/* the same for a number, or "AS" in front of it */

static ngx_int_t
ngx_dns_build_asn(ngx_dns_json_t *value, u_char *p)
{
    size_t     i;
    int64_t    n;
    ngx_str_t  text;

    if (ngx_dns_json_string(value, &text) == NGX_OK) {

        if (text.len == 0) {
            return NGX_OK;
        }

        if (text.len < 3 || text.len > 12
            || ngx_strncasecmp(text.data, (u_char *) "AS", 2) != 0)
        {
            return NGX_DECLINED;
        }

        n = 0;

        for (i = 2; i < text.len; i++) {
            if (text.data[i] < '0' || text.data[i] > '9') {
                return NGX_DECLINED;
            }

            n = n * 10 + (text.data[i] - '0');
        }

    } else if (ngx_dns_json_number(value, 0xffffffff, &n) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (n < 0 || n > 0xffffffff) {
        return NGX_DECLINED;
    }

    ngx_dns_put32(p, (uint32_t) n);

    return (n == 0) ? NGX_OK : NGX_DONE;
}
