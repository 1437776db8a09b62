
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_build_choice.h"


#define NGX_DNS_BUILD_RRS      5500     /* more than a message can have */
#define NGX_DNS_BUILD_LISTS    65536
#define NGX_DNS_BUILD_NOTE     (NGX_DNS_RDATA_MAX - NGX_DNS_NOTE_HEAD)


static ngx_int_t ngx_dns_build_choice_room(ngx_dns_build_t *b,
    size_t tokens);
static ngx_uint_t ngx_dns_build_groups(ngx_dns_json_t *records);
static void ngx_dns_build_filter(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *filter, ngx_dns_choice_t *head);
static ngx_uint_t ngx_dns_build_steps(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m);
static int ngx_libc_cdecl ngx_dns_build_rr_cmp(const void *one,
    const void *two);
static ngx_uint_t ngx_dns_build_choice_sort(ngx_dns_build_choice_t *choice);
static ngx_int_t ngx_dns_build_choice_probe(ngx_dns_build_t *b,
    ngx_uint_t type);


static const ngx_dns_build_word_t  ngx_dns_build_counts[] = {
    { "multi", NGX_DNS_CHOICE_MULTI },
    { "single", NGX_DNS_CHOICE_SINGLE },
    { NULL, NGX_DNS_CHOICE_MULTI }
};

static const ngx_dns_build_word_t  ngx_dns_build_orders[] = {
    { "none", NGX_DNS_CHOICE_NONE },
    { "weighted", NGX_DNS_CHOICE_WEIGHTED },
    { "rr", NGX_DNS_CHOICE_RR },
    { "sticky", NGX_DNS_CHOICE_STICKY },
    { NULL, NGX_DNS_CHOICE_NONE }
};

static const ngx_dns_build_word_t  ngx_dns_build_geos[] = {
    { "none", 0 },
    { "network", NGX_DNS_CHOICE_NETWORK },
    { "asn", NGX_DNS_CHOICE_ASN },
    { "country", NGX_DNS_CHOICE_COUNTRY },
    { "continent", NGX_DNS_CHOICE_CONTINENT },
    { "location", NGX_DNS_CHOICE_LOCATION },
    { NULL, 0 }
};

static const ngx_dns_build_word_t  ngx_dns_build_no_matches[] = {
    { "all", 0 },
    { "none", NGX_DNS_CHOICE_NO_MATCH },
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
    ngx_uint_t               groups;
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

    if (records == NULL || records->type != NGX_DNS_JSON_LIST) {
        return NGX_OK;
    }

    groups = ngx_dns_build_groups(records);

    if (filter == NULL && check == NULL && !groups) {
        return NGX_OK;
    }

    if (ngx_dns_build_choice_room(b, records->size) != NGX_OK) {
        return NGX_ERROR;
    }

    choice = b->choice;
    ngx_memzero(&head, sizeof(ngx_dns_choice_t));

    ngx_dns_build_filter(b, type, filter, &head);
    choice->probe_len = ngx_dns_build_check(b, type, check, &head,
                                            choice->probe);

    choice->wanted = head.count != NGX_DNS_CHOICE_MULTI
                     || head.order != NGX_DNS_CHOICE_NONE
                     || head.steps != 0
                     || (head.flags & NGX_DNS_CHOICE_CHECK);
    choice->groups = !choice->wanted;
    choice->wanted |= groups;

    choice->head = head;
    choice->size = NGX_DNS_CHOICE_HEAD;
    choice->full = 0;
    choice->used = 0;
    choice->n = 0;

    return NGX_OK;
}


/* 1: a record has a priority, which is a choice even without a filter */

static ngx_uint_t
ngx_dns_build_groups(ngx_dns_json_t *records)
{
    ngx_dns_json_t         *record;
    ngx_dns_json_member_t   m[] = { { "priority", NULL } };

    for (record = ngx_dns_json_first(records);
         record != ngx_dns_json_end(records);
         record = ngx_dns_json_next(record))
    {
        if (record->type != NGX_DNS_JSON_OBJECT || record->size == 2) {
            continue;
        }

        ngx_dns_json_members(record, m, 1);

        if (m[0].value != NULL) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_dns_build_word(const ngx_dns_build_word_t *words, ngx_str_t *text)
{
    for ( /* void */ ; words->word != NULL; words++) {

        if (text->len == ngx_strlen(words->word)
            && ngx_strncasecmp(text->data, (u_char *) words->word, text->len)
               == 0)
        {
            return (ngx_int_t) words->value;
        }
    }

    return NGX_DECLINED;
}


ngx_uint_t
ngx_dns_build_member_word(ngx_dns_build_t *b, ngx_uint_t type,
    const char *where, ngx_dns_json_member_t *m,
    const ngx_dns_build_word_t *words)
{
    ngx_int_t  n;
    ngx_str_t  text;

    ngx_str_set(&text, "");
    n = NGX_DECLINED;

    if (m->value != NULL
        && ngx_dns_json_string(m->value, &text) == NGX_OK)
    {
        n = ngx_dns_build_word(words, &text);
    }

    if (n != NGX_DECLINED) {
        return (ngx_uint_t) n;
    }

    if (m->value != NULL
        && (m->value->type != NGX_DNS_JSON_STRING || text.len != 0))
    {
        ngx_dns_build_warn(b, type, "\"%s\": \"%s\" is none of the known "
                                    "words, the default is used",
                           where, m->name);
    }

    while (words->word != NULL) {
        words++;
    }

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

    head->count = (uint8_t) ngx_dns_build_member_word(b, type, name, &m[0],
                                                      ngx_dns_build_counts);
    head->order = (uint8_t) ngx_dns_build_member_word(b, type, name, &m[1],
                                                      ngx_dns_build_orders);
    head->steps = (uint8_t) ngx_dns_build_steps(b, type, &m[2]);
    head->flags |= (uint8_t) ngx_dns_build_member_word(b, type, name, &m[3],
                                                 ngx_dns_build_no_matches);
}


/* words with "+" between them, in any order */

static ngx_uint_t
ngx_dns_build_steps(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m)
{
    u_char      *p, *last;
    ngx_int_t    n;
    ngx_str_t    text, word;
    ngx_uint_t   steps, unknown;

    if (m->value == NULL) {
        return 0;
    }

    steps = 0;
    unknown = 1;

    if (ngx_dns_json_string(m->value, &text) == NGX_OK) {

        if (text.len == 0) {
            return 0;
        }

        p = text.data;
        last = p + text.len;
        unknown = 0;

        for ( ;; ) {
            word.data = p;

            while (p < last && *p != '+') {
                p++;
            }

            word.len = p - word.data;
            n = ngx_dns_build_word(ngx_dns_build_geos, &word);

            if (n == NGX_DECLINED) {
                unknown = 1;

            } else {
                steps |= (ngx_uint_t) n;
            }

            if (p == last) {
                break;
            }

            p++;
        }
    }

    if (unknown) {
        ngx_dns_build_warn(b, type, "\"filter\": \"geo_filter\" is not made "
                                    "of the known words, %s",
                           steps ? "the others are used"
                                 : "the default is used");
    }

    return steps;
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

    choice->size += ngx_dns_choice_rr_size(&b->place);

    if (choice->n == NGX_DNS_BUILD_RRS
        || choice->size > NGX_DNS_BUILD_NOTE)
    {
        choice->full = 1;
        return;
    }

    rr = &choice->rrs[choice->n];
    rr->rr = b->place;
    rr->rr.position = (uint16_t) choice->n++;

    if (choice->probe_len != 0) {
        rr->rr.check = ngx_dns_probe_id(b->owner, rdata, len, choice->probe,
                                        choice->probe_len);
    }

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


/* canonical order, each address once; 1: not all of one priority */

static ngx_uint_t
ngx_dns_build_choice_sort(ngx_dns_build_choice_t *choice)
{
    ngx_uint_t           i, differ;
    ngx_dns_build_rr_t  *rr;

    qsort(choice->rrs, choice->n, sizeof(ngx_dns_build_rr_t),
          ngx_dns_build_rr_cmp);

    choice->head.nrr = 1;
    differ = 0;

    for (i = 1; i < choice->n; i++) {
        rr = &choice->rrs[choice->head.nrr];

        if (ngx_memcmp(choice->rrs[i].rdata, rr[-1].rdata, 16) != 0) {
            *rr = choice->rrs[i];
            differ |= (rr->rr.priority != rr[-1].rr.priority);
            choice->head.nrr++;
        }
    }

    return differ;
}


ngx_int_t
ngx_dns_build_choice_end(ngx_dns_build_t *b, ngx_uint_t type)
{
    u_char                  *p, *payload;
    ngx_uint_t               i;
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

    if (!ngx_dns_build_choice_sort(choice) && choice->groups) {
        return NGX_OK;
    }

    payload = ngx_dns_build_room(b, NGX_DNS_NOTE_HEAD + choice->size);
    if (payload == NULL) {
        return NGX_ERROR;
    }

    p = ngx_dns_choice_write(payload, &choice->head);

    for (i = 0; i < choice->head.nrr; i++) {
        p = ngx_dns_choice_write_rr(p, &choice->rrs[i].rr);
    }

    if (ngx_dns_build_note(b, type, NGX_DNS_NOTE_CHOICE, payload, p - payload)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_dns_build_choice_probe(b, type);
}


static ngx_int_t
ngx_dns_build_choice_probe(ngx_dns_build_t *b, ngx_uint_t type)
{
    ngx_dns_build_choice_t  *choice;

    choice = b->choice;

    if (choice->probe_len == 0) {
        return NGX_OK;
    }

    b->checked = 1;

    return ngx_dns_build_note(b, type, NGX_DNS_NOTE_PROBE, choice->probe,
                              choice->probe_len);
}
