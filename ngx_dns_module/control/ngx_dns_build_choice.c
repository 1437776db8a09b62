
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


#define NGX_DNS_BUILD_RRS      5500     /* more than a message can have */
#define NGX_DNS_BUILD_LISTS    65536
#define NGX_DNS_BUILD_URI_MAX  2048
#define NGX_DNS_BUILD_NOTE     (NGX_DNS_RDATA_MAX - NGX_DNS_NOTE_HEAD)


typedef struct {
    u_char                 rdata[16];
    ngx_dns_choice_rr_t    rr;
} ngx_dns_build_rr_t;

struct ngx_dns_build_choice_s {
    ngx_uint_t             wanted;      /* 0: the set is sent whole */
    ngx_dns_choice_t       head;

    ngx_uint_t             full;        /* 1: there was no room */
    size_t                 size;        /* octets of the payload */
    size_t                 used;        /* octets of lists */
    ngx_uint_t             n;           /* RRs */

    /* of what is mapped: RRs are behind this head, lists behind them */

    size_t                 mapped;
    size_t                 room;        /* octets for lists */
    u_char                *lists;
    ngx_dns_build_rr_t     rrs[1];
};

/* a word and the number that it means */

typedef struct {
    const char            *word;
    ngx_uint_t             value;
} ngx_dns_build_word_t;

typedef ngx_int_t (*ngx_dns_build_place_pt)(ngx_dns_json_t *value, u_char *p);


static ngx_int_t ngx_dns_build_choice_room(ngx_dns_build_t *b,
    size_t tokens);
static ngx_uint_t ngx_dns_build_word(ngx_dns_build_t *b, ngx_uint_t type,
    const char *where, ngx_dns_json_member_t *m, ngx_dns_build_word_t *words);
static void ngx_dns_build_filter(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *filter, ngx_dns_choice_t *head);
static void ngx_dns_build_check(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *check, ngx_dns_choice_t *head);
static ngx_uint_t ngx_dns_build_check_number(ngx_dns_build_t *b,
    ngx_uint_t type, ngx_dns_json_member_t *m, int64_t max);
static void ngx_dns_build_check_text(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, size_t max, ngx_str_t *text);
static ngx_int_t ngx_dns_build_place(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *value, ngx_dns_build_place_pt read, size_t size,
    uint16_t *n, const u_char **list);
static ngx_int_t ngx_dns_build_country(ngx_dns_json_t *value, u_char *p);
static ngx_int_t ngx_dns_build_asn(ngx_dns_json_t *value, u_char *p);
static int ngx_libc_cdecl ngx_dns_build_rr_cmp(const void *one,
    const void *two);


static ngx_dns_build_word_t  ngx_dns_build_counts[] = {
    { "multi", NGX_DNS_CHOICE_MULTI },
    { "single", NGX_DNS_CHOICE_SINGLE },
    { NULL, NGX_DNS_CHOICE_MULTI }
};

static ngx_dns_build_word_t  ngx_dns_build_orders[] = {
    { "none", NGX_DNS_CHOICE_NONE },
    { "weighted", NGX_DNS_CHOICE_WEIGHTED },
    { "rr", NGX_DNS_CHOICE_RR },
    { NULL, NGX_DNS_CHOICE_NONE }
};

static ngx_dns_build_word_t  ngx_dns_build_geos[] = {
    { "none", NGX_DNS_CHOICE_GEO_NONE },
    { "country", NGX_DNS_CHOICE_COUNTRY },
    { "asn", NGX_DNS_CHOICE_ASN },
    { "asn+country", NGX_DNS_CHOICE_ASN_COUNTRY },
    { "location", NGX_DNS_CHOICE_LOCATION },
    { NULL, NGX_DNS_CHOICE_GEO_NONE }
};

static ngx_dns_build_word_t  ngx_dns_build_no_matches[] = {
    { "all", 0 },
    { "none", NGX_DNS_CHOICE_NO_MATCH },
    { NULL, 0 }
};

static ngx_dns_build_word_t  ngx_dns_build_all_downs[] = {
    { "all", 0 },
    { "none", NGX_DNS_CHOICE_ALL_DOWN },
    { NULL, 0 }
};


void
ngx_dns_build_choice_free(ngx_dns_build_t *b)
{
    if (b->choice != NULL) {
        b->mem->unmap(b->mem->data, b->choice, b->choice->mapped);
        b->choice = NULL;
    }
}


/*
 * Room for what tokens of JSON can say: a value in a list has one, a record
 * more.  What goes beyond a message or a note is too much anyway.
 */

static ngx_int_t
ngx_dns_build_choice_room(ngx_dns_build_t *b, size_t tokens)
{
    size_t                   n, room, size;
    ngx_dns_build_choice_t  *choice;

    n = ngx_min(tokens, NGX_DNS_BUILD_RRS);
    room = ngx_min(4 * tokens, NGX_DNS_BUILD_LISTS);
    size = sizeof(ngx_dns_build_choice_t) + n * sizeof(ngx_dns_build_rr_t)
           + room;

    if (b->choice != NULL && b->choice->mapped < size) {
        ngx_dns_build_choice_free(b);
    }

    choice = b->choice;

    if (choice == NULL) {
        choice = b->mem->map(b->mem->data, size);
        if (choice == NULL) {
            return NGX_ERROR;
        }

        choice->mapped = size;
        b->choice = choice;
    }

    choice->lists = (u_char *) &choice->rrs[n];
    choice->room = room;

    return NGX_OK;
}


ngx_int_t
ngx_dns_build_choice_begin(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *filter, ngx_dns_json_t *check, ngx_dns_json_t *records)
{
    ngx_dns_choice_t         head;
    ngx_dns_build_choice_t  *choice;

    if ((filter != NULL && filter->type != NGX_DNS_JSON_OBJECT)
        || (check != NULL && check->type != NGX_DNS_JSON_OBJECT))
    {
        ngx_dns_build_bad(b, type, "\"%s\" is not an object, answered with "
                                   "SERVFAIL",
                          (filter != NULL
                           && filter->type != NGX_DNS_JSON_OBJECT)
                          ? "filter" : "health_check");
        return NGX_DECLINED;
    }

    if (b->choice != NULL) {
        b->choice->wanted = 0;
    }

    if (records == NULL || (filter == NULL && check == NULL)) {
        return NGX_OK;
    }

    ngx_memzero(&head, sizeof(ngx_dns_choice_t));

    head.protocol.data = (u_char *) "";
    head.uri.data = (u_char *) "";

    ngx_dns_build_filter(b, type, filter, &head);
    ngx_dns_build_check(b, type, check, &head);

    if (ngx_dns_build_choice_room(b, records->size) != NGX_OK) {
        return NGX_ERROR;
    }

    choice = b->choice;
    choice->wanted = head.count != NGX_DNS_CHOICE_MULTI
                     || head.order != NGX_DNS_CHOICE_NONE
                     || head.geo != NGX_DNS_CHOICE_GEO_NONE
                     || (head.flags & NGX_DNS_CHOICE_CHECK);
    choice->head = head;
    choice->size = NGX_DNS_CHOICE_HEAD + head.protocol.len + head.uri.len;
    choice->full = 0;
    choice->used = 0;
    choice->n = 0;

    return NGX_OK;
}


static ngx_uint_t
ngx_dns_build_word(ngx_dns_build_t *b, ngx_uint_t type, const char *where,
    ngx_dns_json_member_t *m, ngx_dns_build_word_t *words)
{
    ngx_str_t  text;

    for ( /* void */ ; words->word != NULL; words++) {

        if (m->value == NULL) {
            return words->value;
        }

        if (ngx_dns_json_string(m->value, &text) == NGX_OK
            && text.len == ngx_strlen(words->word)
            && ngx_strncasecmp(text.data, (u_char *) words->word, text.len)
               == 0)
        {
            return words->value;
        }
    }

    if (m->value->type == NGX_DNS_JSON_STRING && m->value->len == 0) {
        return words->value;
    }

    ngx_dns_build_warn(b, type, "\"%s\": \"%s\" is none of the known words, "
                                "the default is used", where, m->name);

    return words->value;
}


static void
ngx_dns_build_filter(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *filter, ngx_dns_choice_t *head)
{
    static const char      name[] = "filter";

    ngx_dns_json_member_t  m[] = { { "count", NULL }, { "order", NULL },
                                   { "geo_filter", NULL },
                                   { "no_match", NULL } };

    if (filter == NULL) {
        return;
    }

    ngx_dns_json_members(filter, m, 4);

    head->count = (uint8_t) ngx_dns_build_word(b, type, name, &m[0],
                                               ngx_dns_build_counts);
    head->order = (uint8_t) ngx_dns_build_word(b, type, name, &m[1],
                                               ngx_dns_build_orders);
    head->geo = (uint8_t) ngx_dns_build_word(b, type, name, &m[2],
                                             ngx_dns_build_geos);
    head->flags |= (uint8_t) ngx_dns_build_word(b, type, name, &m[3],
                                                ngx_dns_build_no_matches);
}


static void
ngx_dns_build_check(ngx_dns_build_t *b, ngx_uint_t type, ngx_dns_json_t *check,
    ngx_dns_choice_t *head)
{
    ngx_uint_t             enable;
    ngx_dns_json_member_t  m[] = { { "enable", NULL }, { "protocol", NULL },
                                   { "uri", NULL }, { "port", NULL },
                                   { "timeout", NULL }, { "up_count", NULL },
                                   { "down_count", NULL },
                                   { "interval", NULL },
                                   { "all_down", NULL } };

    if (check == NULL) {
        return;
    }

    ngx_dns_json_members(check, m, 9);

    if (m[0].value == NULL) {
        return;
    }

    if (ngx_dns_json_flag(m[0].value, &enable) != NGX_OK) {
        ngx_dns_build_warn(b, type, "\"health_check\": \"enable\" is neither "
                                    "true nor false, it is off");
        return;
    }

    if (!enable) {
        return;
    }

    head->flags |= NGX_DNS_CHOICE_CHECK;
    head->flags |= (uint8_t) ngx_dns_build_word(b, type, "health_check", &m[8],
                                                ngx_dns_build_all_downs);

    ngx_dns_build_check_text(b, type, &m[1], 255, &head->protocol);
    ngx_dns_build_check_text(b, type, &m[2], NGX_DNS_BUILD_URI_MAX,
                             &head->uri);

    head->port = (uint16_t) ngx_dns_build_check_number(b, type, &m[3], 65535);
    head->timeout = (uint32_t) ngx_dns_build_check_number(b, type, &m[4],
                                                          0xffffffff);
    head->up_count = (uint16_t) ngx_dns_build_check_number(b, type, &m[5],
                                                           65535);
    head->down_count = (uint16_t) ngx_dns_build_check_number(b, type, &m[6],
                                                             -65535);
    head->interval = (uint32_t) ngx_dns_build_check_number(b, type, &m[7],
                                                           0xffffffff);
}


/* a negative max: the sign does not matter */

static ngx_uint_t
ngx_dns_build_check_number(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, int64_t max)
{
    int64_t         n;
    ngx_dns_json_t  value;

    if (m->value == NULL) {
        return 0;
    }

    value = *m->value;

    if (max < 0) {
        max = -max;

        if (value.type == NGX_DNS_JSON_NUMBER && value.data[0] == '-') {
            value.data++;
            value.len--;
        }
    }

    if (ngx_dns_json_number(&value, max, &n) == NGX_OK
        && n >= 0 && n <= max)
    {
        return (ngx_uint_t) n;
    }

    ngx_dns_build_warn(b, type, "\"health_check\": \"%s\" is not a number "
                                "from 0 to %L, the default is used",
                       m->name, max);

    return 0;
}


static void
ngx_dns_build_check_text(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, size_t max, ngx_str_t *text)
{
    if (m->value == NULL) {
        return;
    }

    if (ngx_dns_json_string(m->value, text) == NGX_OK && text->len <= max) {
        return;
    }

    ngx_str_set(text, "");

    ngx_dns_build_warn(b, type, "\"health_check\": \"%s\" is not a string of "
                                "up to %uz octets, the default is used",
                       m->name, max);
}


ngx_int_t
ngx_dns_build_choice_place(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *record, ngx_str_t *err)
{
    int64_t                n;
    ngx_dns_choice_rr_t   *place;
    ngx_dns_json_member_t  m[] = { { "weight", NULL }, { "country", NULL },
                                   { "asn", NULL } };

    place = &b->place;
    ngx_memzero(place, sizeof(ngx_dns_choice_rr_t));

    place->countries = (u_char *) "";
    place->asns = (u_char *) "";

    if (record->size == 2) {

        /* one member, which is the address */

        return NGX_OK;
    }

    ngx_dns_json_members(record, m, 3);

    if (m[0].value != NULL) {

        if (ngx_dns_json_number(m[0].value, 0xffffffff, &n) != NGX_OK
            || n < 0 || n > 0xffffffff)
        {
            return ngx_dns_build_err(err, "\"weight\" is not a number from 0 "
                                          "to 4294967295");
        }

        place->weight = (uint32_t) n;
    }

    if (ngx_dns_build_place(b, type, m[1].value, ngx_dns_build_country, 2,
                            &place->ncountries, &place->countries)
        != NGX_OK)
    {
        return ngx_dns_build_err(err, "\"country\" is not a code of two "
                                      "letters, nor a list of them");
    }

    if (ngx_dns_build_place(b, type, m[2].value, ngx_dns_build_asn, 4,
                            &place->nasns, &place->asns)
        != NGX_OK)
    {
        return ngx_dns_build_err(err, "\"asn\" is not the number of a system, "
                                      "nor a list of them");
    }

    return NGX_OK;
}


/*
 * One value or a list of them.  A list of nothing but "anybody" is empty.
 * size  octets that read gives of a value
 */

static ngx_int_t
ngx_dns_build_place(ngx_dns_build_t *b, ngx_uint_t type,
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
            ngx_dns_build_warn(b, type, "\"country\": not a code of two "
                                        "letters, it matches nobody");
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


void
ngx_dns_build_choice_add(ngx_dns_build_t *b, u_char *rdata, size_t len)
{
    ngx_dns_build_rr_t      *rr;
    ngx_dns_build_choice_t  *choice;

    choice = b->choice;

    if (choice == NULL || !choice->wanted) {
        return;
    }

    choice->size += NGX_DNS_CHOICE_RR_HEAD + 2 * (size_t) b->place.ncountries
                    + 4 * (size_t) b->place.nasns;

    if (choice->n == NGX_DNS_BUILD_RRS
        || choice->size > NGX_DNS_BUILD_NOTE)
    {
        choice->full = 1;
        return;
    }

    rr = &choice->rrs[choice->n];
    rr->rr = b->place;
    rr->rr.position = (uint16_t) choice->n++;

    ngx_memzero(rr->rdata, sizeof(rr->rdata));
    ngx_memcpy(rr->rdata, rdata, ngx_min(len, sizeof(rr->rdata)));
}


/* canonical order; of the same address the first one comes first */

static int ngx_libc_cdecl
ngx_dns_build_rr_cmp(const void *one, const void *two)
{
    int                  rc;
    ngx_dns_build_rr_t  *a, *b;

    a = (ngx_dns_build_rr_t *) one;
    b = (ngx_dns_build_rr_t *) two;

    rc = ngx_memcmp(a->rdata, b->rdata, sizeof(a->rdata));

    return (rc != 0) ? rc : (int) a->rr.position - (int) b->rr.position;
}


ngx_int_t
ngx_dns_build_choice_end(ngx_dns_build_t *b, ngx_uint_t type)
{
    u_char                  *p, *payload;
    ngx_uint_t               i;
    ngx_dns_build_rr_t      *rr;
    ngx_dns_build_choice_t  *choice;

    choice = b->choice;

    if (choice == NULL || !choice->wanted || choice->n == 0) {
        return NGX_OK;
    }

    if (choice->full) {
        ngx_dns_build_bad(b, type, "too many weights and places for one "
                                   "rrset, answered with SERVFAIL");
        return NGX_DECLINED;
    }

    qsort(choice->rrs, choice->n, sizeof(ngx_dns_build_rr_t),
          ngx_dns_build_rr_cmp);

    choice->head.nrr = 1;

    for (i = 1; i < choice->n; i++) {
        rr = &choice->rrs[choice->head.nrr];

        if (ngx_memcmp(choice->rrs[i].rdata, rr[-1].rdata, 16) != 0) {
            *rr = choice->rrs[i];
            choice->head.nrr++;
        }
    }

    payload = ngx_dns_build_room(b, NGX_DNS_NOTE_HEAD + choice->size);
    if (payload == NULL) {
        return NGX_ERROR;
    }

    p = ngx_dns_choice_write(payload, &choice->head);

    for (i = 0; i < choice->head.nrr; i++) {
        p = ngx_dns_choice_write_rr(p, &choice->rrs[i].rr);
    }

    return ngx_dns_build_note(b, type, NGX_DNS_NOTE_CHOICE, payload,
                              p - payload);
}
