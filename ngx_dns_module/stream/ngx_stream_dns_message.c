
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_dns_rr.h"
#include "ngx_stream_dns_message.h"
#include "ngx_stream_dns_region.h"


/* what an evaluation of variables leaves in a session and must not */

typedef struct {
    ngx_pool_t  *pool;
#if (NGX_PCRE)
    ngx_uint_t   ncaptures;
    int         *captures;
    u_char      *captures_data;
#endif
} ngx_stream_dns_saved_t;


static void ngx_stream_dns_count_choice(ngx_stream_dns_worker_t *w,
    ngx_dns_query_t *q, ngx_dns_reply_t *reply);
static void ngx_stream_dns_ctx_query(ngx_stream_dns_ctx_t *ctx,
    ngx_dns_query_t *q);
static void ngx_stream_dns_copy_name(u_char *dst, const u_char *src,
    size_t len);
static void ngx_stream_dns_enter(ngx_stream_dns_worker_t *w,
    ngx_stream_session_t *s, ngx_stream_dns_saved_t *saved);
static void ngx_stream_dns_leave(ngx_stream_dns_worker_t *w,
    ngx_stream_session_t *s, ngx_stream_dns_saved_t *saved);
static size_t ngx_stream_dns_variables_size(ngx_stream_session_t *s);
static void ngx_stream_dns_variables_keep(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *keep);


size_t
ngx_stream_dns_reply(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_srv_conf_t *dscf, ngx_dns_query_t *q, ngx_dns_zone_t *zone,
    ngx_dns_transport_t *t, u_char *buf, size_t size,
    ngx_stream_dns_ctx_t *ctx)
{
    size_t            n;
    ngx_uint_t        rcode, flags, ede;
    ngx_dns_reply_t  *reply;

    if (q->verdict == NGX_DNS_VERDICT_ANSWER) {
        reply = ngx_dns_answer(w->answer, &dscf->answer, q, zone, t);
        rcode = reply->rcode;
        ede = reply->ede;

    } else {
        reply = NULL;
        rcode = q->rcode;
        ede = q->ede;
    }

    n = ngx_dns_write(w->writer, q, reply, t, buf, size);

    flags = ngx_dns_get16(buf + 2);

    /* the writer has the last word: an answer may be too long */

    if ((flags & 0x0f) != (rcode & 0x0f)) {
        rcode = flags & 0x0f;
    }

    w->counters->n[(rcode < 17) ? NGX_STREAM_DNS_RCODE + rcode
                                : NGX_STREAM_DNS_RCODE_OTHER]++;

    if (flags & NGX_DNS_FLAG_TC) {
        ngx_stream_dns_count(w, NGX_STREAM_DNS_TRUNCATED);
    }

    if (reply != NULL && (reply->steps != 0 || q->ecs != NULL)) {
        ngx_stream_dns_count_choice(w, q, reply);
    }

    if (ctx != NULL) {
        ctx->answered = 1;
        ctx->rcode = (uint16_t) rcode;
        ctx->flags = (uint16_t) flags;
        ctx->size = (uint32_t) n;
        ctx->ede = q->edns ? (uint16_t) ede : NGX_DNS_EDE_NONE;

        /* zones are of class IN */

        ctx->located = (q->qclass == NGX_DNS_CLASS_IN) ? zone : NULL;
    }

    return n;
}


static void
ngx_stream_dns_count_choice(ngx_stream_dns_worker_t *w, ngx_dns_query_t *q,
    ngx_dns_reply_t *reply)
{
    uint32_t  steps;

    if (q->ecs != NULL) {
        ngx_stream_dns_count(w, NGX_STREAM_DNS_ECS);
    }

    for (steps = reply->steps; steps != 0; steps &= steps - 1) {
        ngx_stream_dns_count(w, NGX_STREAM_DNS_CHOICE + __builtin_ctz(steps));
    }
}


void
ngx_stream_dns_ctx_clear(ngx_stream_dns_ctx_t *ctx)
{
    ngx_stream_dns_ctx_begin(ctx, NULL);
}


void
ngx_stream_dns_ctx_begin(ngx_stream_dns_ctx_t *ctx, ngx_dns_query_t *q)
{
    ctx->query = q;
    ctx->located = NULL;
    ctx->parsed = 0;
    ctx->question = 0;
    ctx->edns = 0;
    ctx->answered = 0;
    ctx->ecs_len = 0;
    ctx->zone_len = 0;
}


void
ngx_stream_dns_ctx_settle(ngx_stream_dns_ctx_t *ctx)
{
    if (ctx->query != NULL) {
        ngx_stream_dns_ctx_query(ctx, ctx->query);
        ctx->query = NULL;
    }

    if (ctx->located != NULL) {
        ctx->zone_len = ctx->located->name_len;
        ngx_stream_dns_copy_name(ctx->zone, ctx->located->name,
                                 ctx->zone_len);
        ctx->located = NULL;
    }
}


static void
ngx_stream_dns_ctx_query(ngx_stream_dns_ctx_t *ctx, ngx_dns_query_t *q)
{
    ctx->parsed = (q->verdict != NGX_DNS_VERDICT_DROP
                   || q->drop != NGX_DNS_DROP_SHORT);

    if (!ctx->parsed) {
        return;
    }

    ctx->id = q->id;
    ctx->query_flags = q->flags;

    if (q->question) {
        ctx->question = 1;
        ctx->qtype = q->qtype;
        ctx->qclass = q->qclass;
        ctx->qname_len = (u_char) q->qname.len;
        ngx_stream_dns_copy_name(ctx->qname, q->qname.wire, q->qname.len);
    }

    if (q->edns) {
        ctx->edns = 1;
        ctx->do_bit = q->do_bit;
        ctx->edns_size = q->edns_size;

        if (q->ecs != NULL && q->ecs_len <= sizeof(ctx->ecs)) {
            ctx->ecs_len = q->ecs_len;
            ngx_memcpy(ctx->ecs, q->ecs, q->ecs_len);
        }
    }
}


/* most names are short; for them a call would take longer than the copy */

static void
ngx_stream_dns_copy_name(u_char *dst, const u_char *src, size_t len)
{
    ngx_memcpy(dst, src, 32);

    if (len > 32) {
        ngx_memcpy(dst + 32, src + 32, NGX_DNS_NAME_MAX - 32);
    }
}


ngx_stream_dns_ctx_t *
ngx_stream_dns_get_ctx(ngx_stream_session_t *s)
{
    size_t                 size;
    ngx_connection_t      *c;
    ngx_stream_dns_ctx_t  *ctx;

    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);

    if (ctx != NULL) {
        return ctx;
    }

    c = s->connection;
    size = ngx_stream_dns_variables_size(s);

    ctx = ngx_pcalloc(c->pool, sizeof(ngx_stream_dns_ctx_t));
    if (ctx == NULL) {
        return NULL;
    }

    ctx->variables = ngx_palloc(c->pool, size);
    if (ctx->variables == NULL) {
        return NULL;
    }

    ngx_memcpy(ctx->variables, s->variables, size);

    ngx_stream_dns_variables_keep(s, ctx->variables);

    ngx_memcpy(s->variables, ctx->variables, size);

    ctx->transport = NGX_STREAM_DNS_TCP;

    if (c->type == SOCK_DGRAM) {
        ctx->transport = NGX_STREAM_DNS_UDP;
    }

#if (NGX_STREAM_SSL)
    if (c->ssl != NULL) {
        ctx->transport = NGX_STREAM_DNS_TLS;
    }
#endif

    ngx_stream_set_ctx(s, ctx, ngx_stream_dns_module);

    s->log_handler = ngx_stream_dns_log_error;

    return ctx;
}


size_t
ngx_stream_dns_answer_message(ngx_stream_dns_worker_t *w,
    ngx_stream_session_t *s, u_char *packet, size_t len,
    ngx_dns_transport_t *t, u_char *out, size_t size)
{
    size_t                      n;
    ngx_uint_t                  evaluate;
    ngx_dns_zone_t             *zone;
    ngx_dns_query_t            *q;
    ngx_stream_dns_ctx_t       *ctx;
    ngx_stream_dns_saved_t      saved;
    ngx_stream_dns_srv_conf_t  *dscf;

    q = w->query;
    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);
    dscf = ngx_stream_get_module_srv_conf(s, ngx_stream_dns_module);

    ngx_stream_dns_count(w, NGX_STREAM_DNS_RECEIVED_UDP + ctx->transport);

    ngx_dns_query_parse(q, packet, len, 0, w->key);
    ngx_stream_dns_ctx_begin(ctx, q);

    if (q->verdict == NGX_DNS_VERDICT_DROP) {
        w->counters->n[ngx_stream_dns_drop_counter(q)]++;
        ngx_stream_dns_ctx_settle(ctx);
        return 0;
    }

    ngx_stream_dns_client(q, s->connection->sockaddr);

    ngx_stream_dns_regions_enter(w);

    zone = NULL;

    if (q->verdict == NGX_DNS_VERDICT_ANSWER) {
        zone = ngx_dns_answer_locate(&dscf->answer, q);
    }

    t->nsid = dscf->udp.nsid;
    evaluate = (q->nsid && dscf->nsid != NULL);

    if (evaluate) {
        ngx_stream_dns_enter(w, s, &saved);
        ngx_stream_dns_nsid(s, dscf, &t->nsid);
    }

    n = ngx_stream_dns_reply(w, dscf, q, zone, t, out, size, ctx);

    ngx_stream_dns_ctx_settle(ctx);

    ngx_stream_dns_regions_leave(w);

    if (evaluate) {
        ngx_stream_dns_leave(w, s, &saved);
        t->nsid.len = 0;
    }

    return n;
}


void
ngx_stream_dns_nsid(ngx_stream_session_t *s, ngx_stream_dns_srv_conf_t *dscf,
    ngx_str_t *nsid)
{
    if (ngx_stream_complex_value(s, dscf->nsid, nsid) != NGX_OK) {
        nsid->len = 0;
        return;
    }

    if (nsid->len > NGX_STREAM_DNS_NSID_MAX) {
        nsid->len = NGX_STREAM_DNS_NSID_MAX;
    }
}


void
ngx_stream_dns_log_message(ngx_stream_session_t *s)
{
    ngx_stream_dns_ctx_t    *ctx;
    ngx_stream_dns_saved_t   saved;

    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);

    ngx_stream_dns_enter(ngx_stream_dns_worker, s, &saved);

    ngx_stream_dns_log(s);

    ngx_stream_dns_leave(ngx_stream_dns_worker, s, &saved);

    ngx_stream_dns_ctx_clear(ctx);
}


void
ngx_stream_dns_log(ngx_stream_session_t *s)
{
    ngx_uint_t                    i, n;
    ngx_stream_handler_pt        *handler;
    ngx_stream_core_main_conf_t  *cmcf;

    cmcf = ngx_stream_get_module_main_conf(s, ngx_stream_core_module);

    handler = cmcf->phases[NGX_STREAM_LOG_PHASE].handlers.elts;
    n = cmcf->phases[NGX_STREAM_LOG_PHASE].handlers.nelts;

    for (i = 0; i < n; i++) {
        handler[i](s);
    }
}


/*
 * A session may see any number of messages, so what variables allocate for
 * one of them must not stay in the connection's pool, and no variable may
 * keep its value for the next.
 */

static void
ngx_stream_dns_enter(ngx_stream_dns_worker_t *w, ngx_stream_session_t *s,
    ngx_stream_dns_saved_t *saved)
{
    /*
     * What is found out about the connection is kept in its pool: with
     * "listen *" the address that was asked is, by the first who wants it.
     */

    (void) ngx_connection_local_sockaddr(s->connection, NULL, 0);

    saved->pool = s->connection->pool;
    s->connection->pool = w->pool;

#if (NGX_PCRE)
    saved->ncaptures = s->ncaptures;
    saved->captures = s->captures;
    saved->captures_data = s->captures_data;

    s->ncaptures = 0;
    s->captures = NULL;
    s->captures_data = NULL;
#endif
}


static void
ngx_stream_dns_leave(ngx_stream_dns_worker_t *w, ngx_stream_session_t *s,
    ngx_stream_dns_saved_t *saved)
{
    ngx_stream_dns_ctx_t  *ctx;

    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);

    ngx_memcpy(s->variables, ctx->variables, ngx_stream_dns_variables_size(s));

#if (NGX_PCRE)
    s->ncaptures = saved->ncaptures;
    s->captures = saved->captures;
    s->captures_data = saved->captures_data;
#endif

    s->connection->pool = saved->pool;

    ngx_stream_dns_reset_pool(w->pool);
}


static size_t
ngx_stream_dns_variables_size(ngx_stream_session_t *s)
{
    ngx_stream_core_main_conf_t  *cmcf;

    cmcf = ngx_stream_get_module_main_conf(s, ngx_stream_core_module);

    return cmcf->variables.nelts * sizeof(ngx_stream_variable_value_t);
}


/*
 * Of the values that variables have got before the first message only those
 * stay that have been assigned ("set").  A map that "set" has looked at, say,
 * is to be looked at again: its key may be of the message.
 */

static void
ngx_stream_dns_variables_keep(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *keep)
{
    ngx_uint_t                    i;
    ngx_stream_variable_t        *v;
    ngx_stream_variable_value_t   value;
    ngx_stream_core_main_conf_t  *cmcf;

    cmcf = ngx_stream_get_module_main_conf(s, ngx_stream_core_module);

    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        if (!keep[i].valid) {
            continue;
        }

        ngx_memzero(&value, sizeof(ngx_stream_variable_value_t));

        if (v[i].get_handler(s, &value, v[i].data) != NGX_OK
            || !value.valid
            || value.len != keep[i].len
            || ngx_memcmp(value.data, keep[i].data, value.len) != 0)
        {
            continue;
        }

        keep[i].valid = 0;
    }
}


void
ngx_stream_dns_reset_pool(ngx_pool_t *pool)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = pool->cleanup; cln != NULL; cln = cln->next) {
        if (cln->handler != NULL) {
            cln->handler(cln->data);
        }
    }

    /* ngx_reset_pool() leaves the list, whose memory it frees */

    pool->cleanup = NULL;

    ngx_reset_pool(pool);
}


u_char *
ngx_stream_dns_log_error(ngx_log_t *log, u_char *buf, size_t len)
{
    u_char                *p, name[NGX_DNS_NAME_TEXT_MAX], type[16], *last;
    ngx_stream_session_t  *s;
    ngx_stream_dns_ctx_t  *ctx;

    s = log->data;
    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);

    if (ctx == NULL) {
        return buf;
    }

    ngx_stream_dns_ctx_settle(ctx);

    if (!ctx->question) {
        return buf;
    }

    p = ngx_dns_name_to_text(name, ctx->qname);
    last = ngx_dns_rr_type_text(type, ctx->qtype);

    return ngx_snprintf(buf, len, ", question: \"%*s %*s\"",
                        (size_t) (p - name), name,
                        (size_t) (last - type), type);
}
