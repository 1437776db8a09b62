
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_answer_ctx.h"


static u_char *ngx_dns_select_note(const ngx_dns_rrset_t *set);


ngx_int_t
ngx_dns_select_ecs(ngx_dns_answer_t *a)
{
    ngx_dns_query_t  *q;

    q = a->query;

    if (q->ecs_twice
        || ngx_dns_ecs_parse(&a->ecs, q->ecs, q->ecs_len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    a->reply.ecs = 1;

    return NGX_OK;
}


ngx_int_t
ngx_dns_select(ngx_dns_answer_t *a, ngx_dns_item_t *item)
{
    u_char               *note;
    ngx_dns_reply_t      *reply;
    const ngx_dns_ecs_t  *client;
    ngx_dns_chooser_t    *c;

    c = &a->chooser;
    reply = &a->reply;

    if (a->query->do_bit && (item->rrset->flags & NGX_DNS_RRSET_SIGNED)) {

        /* signatures are of the whole set */

        if (a->explain != NULL) {
            ngx_dns_explain_set(a, item, NULL);
        }

        return NGX_OK;
    }

    note = ngx_dns_select_note(item->rrset);

    if (note == NULL) {
        return NGX_OK;
    }

    if (a->nrrs + item->rrset->nrr > NGX_DNS_SELECT_MAX) {

        /* no message could hold it besides those before it */

        return NGX_DECLINED;
    }

    client = ngx_dns_answer_client(a);

    if (a->explain != NULL) {
        ngx_dns_explain_set(a, item, note);
    }

    c->client = client->address;
    c->client_len = client->len;

    if (ngx_dns_choose(c, item->rrset, note, &a->rrs[a->nrrs]) != NGX_OK) {
        return NGX_OK;
    }

    item->ttl = ngx_min(item->ttl, c->ttl);

    if (a->explain != NULL) {
        ngx_dns_explain_chosen(a, item);
    }

    if (item->section != NGX_DNS_ADDITIONAL) {
        ngx_dns_answer_scope(a, c->scope);

    } else if (reply->ecs && ngx_dns_ecs_scope(&a->ecs, c->scope) != 0) {

        /* a resolver takes it for everybody's, whatever the scope is */

        return NGX_DECLINED;
    }

    if (c->n == 0) {

        /* that may be different in a moment: not longer than the set lives */

        a->negative_ttl = ngx_min(a->negative_ttl, item->ttl);

        reply->steps |= NGX_DNS_STEP_NOTHING;
        return NGX_DECLINED;
    }

    reply->steps |= c->steps;

    item->rrs = &a->rrs[a->nrrs];
    item->nrrs = (uint16_t) c->n;

    a->nrrs += c->n;

    return NGX_OK;
}


/* the payload of the note that says how to choose, or NULL */

static u_char *
ngx_dns_select_note(const ngx_dns_rrset_t *set)
{
    u_char           *rr;
    ngx_dns_rrset_t  *notes;

    notes = ngx_dns_rrset_notes(set);
    rr = ngx_dns_rrset_first(notes);

    /* notes lie in the order of their kinds: as a rule it is the first */

    if (ngx_dns_note_kind(rr + 2) != NGX_DNS_NOTE_CHOICE) {
        rr = ngx_dns_notes_find(notes, NGX_DNS_NOTE_CHOICE);

        if (rr == NULL) {
            return NULL;
        }
    }

    return rr + 2 + NGX_DNS_NOTE_HEAD;
}


const ngx_dns_ecs_t *
ngx_dns_answer_client(ngx_dns_answer_t *a)
{
    ngx_dns_query_t  *q;

    if (a->client != NULL) {
        return a->client;
    }

    q = a->query;

    if (a->reply.ecs && a->ecs.len != 0) {
        a->client = &a->ecs;
        return a->client;
    }

    ngx_dns_ecs_address(&a->address, q->client, q->client_len);

    a->client = &a->address;

    return a->client;
}


void
ngx_dns_answer_scope(ngx_dns_answer_t *a, ngx_uint_t bits)
{
    ngx_dns_reply_t  *reply;

    reply = &a->reply;

    if (reply->ecs) {
        bits = ngx_dns_ecs_scope(&a->ecs, bits);
        reply->scope = (uint8_t) ngx_max(reply->scope, bits);
    }
}
