
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_dns_rr.h"
#include "ngx_stream_dns_message.h"
#include "ngx_stream_dns_variables.h"


/* what a context must have for a variable to have a value */

#define NGX_STREAM_DNS_HAS_SESSION   0x00
#define NGX_STREAM_DNS_HAS_MESSAGE   0x01
#define NGX_STREAM_DNS_HAS_QUESTION  0x02
#define NGX_STREAM_DNS_HAS_EDNS      0x04
#define NGX_STREAM_DNS_HAS_ANSWER    0x08


/* writes the value, at most NGX_DNS_NAME_TEXT_MAX octets; p: there is none */

typedef u_char *(*ngx_stream_dns_variable_pt)(ngx_stream_dns_ctx_t *ctx,
    u_char *p);

typedef struct {
    ngx_str_t                    name;
    ngx_uint_t                   needs;
    size_t                       size;      /* octets that are enough */
    ngx_stream_dns_variable_pt   print;
} ngx_stream_dns_variable_t;


static ngx_int_t ngx_stream_dns_variables_counters(ngx_conf_t *cf);
static ngx_int_t ngx_stream_dns_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data);
static ngx_uint_t ngx_stream_dns_variable_has(ngx_stream_dns_ctx_t *ctx,
    ngx_uint_t needs);
static ngx_int_t ngx_stream_dns_variable_counter(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data);

static u_char *ngx_stream_dns_print_qname(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_qtype(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_qclass(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_id(ngx_stream_dns_ctx_t *ctx, u_char *p);
static u_char *ngx_stream_dns_print_opcode(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_query_flags(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_edns_size(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_do(ngx_stream_dns_ctx_t *ctx, u_char *p);
static u_char *ngx_stream_dns_print_ecs(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_rcode(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_flags(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_zone(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_size(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_ede(ngx_stream_dns_ctx_t *ctx, u_char *p);
static u_char *ngx_stream_dns_print_transport(ngx_stream_dns_ctx_t *ctx,
    u_char *p);
static u_char *ngx_stream_dns_print_flag_word(u_char *p, ngx_uint_t flags);


static ngx_stream_dns_variable_t  ngx_stream_dns_variables[] = {

    { ngx_string("dns_qname"), NGX_STREAM_DNS_HAS_QUESTION,
      NGX_DNS_NAME_TEXT_MAX, ngx_stream_dns_print_qname },

    { ngx_string("dns_qtype"), NGX_STREAM_DNS_HAS_QUESTION, 16,
      ngx_stream_dns_print_qtype },

    { ngx_string("dns_qclass"), NGX_STREAM_DNS_HAS_QUESTION, 16,
      ngx_stream_dns_print_qclass },

    { ngx_string("dns_id"), NGX_STREAM_DNS_HAS_MESSAGE, NGX_INT32_LEN,
      ngx_stream_dns_print_id },

    { ngx_string("dns_opcode"), NGX_STREAM_DNS_HAS_MESSAGE, 16,
      ngx_stream_dns_print_opcode },

    { ngx_string("dns_query_flags"), NGX_STREAM_DNS_HAS_MESSAGE, 32,
      ngx_stream_dns_print_query_flags },

    { ngx_string("dns_edns_size"), NGX_STREAM_DNS_HAS_EDNS, NGX_INT32_LEN,
      ngx_stream_dns_print_edns_size },

    { ngx_string("dns_do"), NGX_STREAM_DNS_HAS_EDNS, 1,
      ngx_stream_dns_print_do },

    { ngx_string("dns_ecs"), NGX_STREAM_DNS_HAS_EDNS,
      NGX_SOCKADDR_STRLEN + 4, ngx_stream_dns_print_ecs },

    { ngx_string("dns_rcode"), NGX_STREAM_DNS_HAS_ANSWER, 16,
      ngx_stream_dns_print_rcode },

    { ngx_string("dns_flags"), NGX_STREAM_DNS_HAS_ANSWER, 32,
      ngx_stream_dns_print_flags },

    { ngx_string("dns_zone"), NGX_STREAM_DNS_HAS_ANSWER,
      NGX_DNS_NAME_TEXT_MAX, ngx_stream_dns_print_zone },

    { ngx_string("dns_answer_size"), NGX_STREAM_DNS_HAS_ANSWER,
      NGX_INT32_LEN, ngx_stream_dns_print_size },

    { ngx_string("dns_ede"), NGX_STREAM_DNS_HAS_ANSWER, NGX_INT32_LEN,
      ngx_stream_dns_print_ede },

    { ngx_string("dns_transport"), NGX_STREAM_DNS_HAS_SESSION, 4,
      ngx_stream_dns_print_transport },

    { ngx_null_string, 0, 0, NULL }
};


static char  *ngx_stream_dns_rcodes[] = {
    "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
    "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH", "NOTZONE"
};

static char  *ngx_stream_dns_opcodes[] = {
    "QUERY", "IQUERY", "STATUS", NULL, "NOTIFY", "UPDATE", "DSO"
};

static char  *ngx_stream_dns_transports[] = { "udp", "tcp", "tls" };


ngx_int_t
ngx_stream_dns_variables_add(ngx_conf_t *cf)
{
    ngx_stream_variable_t      *var;
    ngx_stream_dns_variable_t  *dv;

    for (dv = ngx_stream_dns_variables; dv->name.len; dv++) {

        var = ngx_stream_add_variable(cf, &dv->name,
                                      NGX_STREAM_VAR_NOCACHEABLE);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = ngx_stream_dns_variable;
        var->data = (uintptr_t) dv;
    }

    return ngx_stream_dns_variables_counters(cf);
}


/* each by its name, so that one that does not exist is noticed */

static ngx_int_t
ngx_stream_dns_variables_counters(ngx_conf_t *cf)
{
    u_char                  text[64];
    ngx_str_t               name;
    ngx_uint_t              i;
    ngx_stream_variable_t  *var;

    name.data = text;

    for (i = 0; i < NGX_STREAM_DNS_COUNTERS; i++) {

        name.len = ngx_sprintf(text, "dns_counter_%V",
                               ngx_stream_dns_counters_name(i))
                   - text;

        var = ngx_stream_add_variable(cf, &name, NGX_STREAM_VAR_NOCACHEABLE);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = ngx_stream_dns_variable_counter;
        var->data = i;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_variable(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data)
{
    u_char                     *p, *last;
    ngx_stream_dns_ctx_t       *ctx;
    ngx_stream_dns_variable_t  *dv;

    dv = (ngx_stream_dns_variable_t *) data;
    ctx = ngx_stream_get_module_ctx(s, ngx_stream_dns_module);

    if (ctx == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    ngx_stream_dns_ctx_settle(ctx);

    if (!ngx_stream_dns_variable_has(ctx, dv->needs)) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(s->connection->pool, dv->size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    last = dv->print(ctx, p);

    if (last == p) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->len = last - p;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->data = p;

    return NGX_OK;
}


static ngx_uint_t
ngx_stream_dns_variable_has(ngx_stream_dns_ctx_t *ctx, ngx_uint_t needs)
{
    switch (needs) {

    case NGX_STREAM_DNS_HAS_SESSION:
        return 1;

    case NGX_STREAM_DNS_HAS_MESSAGE:
        return ctx->parsed;

    case NGX_STREAM_DNS_HAS_QUESTION:
        return ctx->question;

    case NGX_STREAM_DNS_HAS_EDNS:
        return ctx->edns;

    default: /* NGX_STREAM_DNS_HAS_ANSWER */
        return ctx->answered;
    }
}


/* $dns_counter_NAME: over all processes, since nginx was started */

static ngx_int_t
ngx_stream_dns_variable_counter(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data)
{
    u_char                      *p;
    ngx_stream_dns_main_conf_t  *dmcf;

    dmcf = ngx_stream_get_module_main_conf(s, ngx_stream_dns_module);

    /* no server has "dns on" */

    if (dmcf->counters == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(s->connection->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    v->len = ngx_sprintf(p, "%uL",
                         ngx_stream_dns_counters_sum(dmcf->counters, data))
             - p;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->data = p;

    return NGX_OK;
}


static u_char *
ngx_stream_dns_print_qname(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_dns_name_to_text(p, ctx->qname);
}


static u_char *
ngx_stream_dns_print_qtype(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_dns_rr_type_text(p, ctx->qtype);
}


static u_char *
ngx_stream_dns_print_qclass(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_dns_rr_class_text(p, ctx->qclass);
}


static u_char *
ngx_stream_dns_print_id(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_sprintf(p, "%ui", (ngx_uint_t) ctx->id);
}


static u_char *
ngx_stream_dns_print_opcode(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    ngx_uint_t  n;

    n = (ctx->query_flags & NGX_DNS_FLAG_OPCODE) >> 11;

    if (n < sizeof(ngx_stream_dns_opcodes) / sizeof(char *)
        && ngx_stream_dns_opcodes[n] != NULL)
    {
        return ngx_sprintf(p, "%s", ngx_stream_dns_opcodes[n]);
    }

    return ngx_sprintf(p, "OPCODE%ui", n);
}


static u_char *
ngx_stream_dns_print_query_flags(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_stream_dns_print_flag_word(p, ctx->query_flags);
}


static u_char *
ngx_stream_dns_print_edns_size(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_sprintf(p, "%ui", (ngx_uint_t) ctx->edns_size);
}


static u_char *
ngx_stream_dns_print_do(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    *p = ctx->do_bit ? '1' : '0';

    return p + 1;
}


/* RFC 7871, 6: family, source length, scope length, address */

static u_char *
ngx_stream_dns_print_ecs(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    u_char      addr[16];
    size_t      len;
    ngx_int_t   family;

    if (ctx->ecs_len < 4) {
        return p;
    }

    switch (ngx_dns_get16(ctx->ecs)) {

    case 1:
        family = AF_INET;
        len = 4;
        break;

#if (NGX_HAVE_INET6)
    case 2:
        family = AF_INET6;
        len = 16;
        break;
#endif

    default:
        return p;
    }

    ngx_memzero(addr, sizeof(addr));
    ngx_memcpy(addr, ctx->ecs + 4, ngx_min((size_t) ctx->ecs_len - 4, len));

    p += ngx_inet_ntop(family, addr, p, NGX_SOCKADDR_STRLEN);

    return ngx_sprintf(p, "/%ui", (ngx_uint_t) ctx->ecs[2]);
}


static u_char *
ngx_stream_dns_print_rcode(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    if (ctx->rcode < sizeof(ngx_stream_dns_rcodes) / sizeof(char *)) {
        return ngx_sprintf(p, "%s", ngx_stream_dns_rcodes[ctx->rcode]);
    }

    if (ctx->rcode == NGX_DNS_BADVERS) {
        return ngx_sprintf(p, "BADVERS");
    }

    return ngx_sprintf(p, "RCODE%ui", (ngx_uint_t) ctx->rcode);
}


static u_char *
ngx_stream_dns_print_flags(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_stream_dns_print_flag_word(p, ctx->flags);
}


static u_char *
ngx_stream_dns_print_zone(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    if (ctx->zone_len == 0) {
        return p;
    }

    return ngx_dns_name_to_text(p, ctx->zone);
}


static u_char *
ngx_stream_dns_print_size(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_sprintf(p, "%uD", ctx->size);
}


static u_char *
ngx_stream_dns_print_ede(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    if (ctx->ede == NGX_DNS_EDE_NONE) {
        return p;
    }

    return ngx_sprintf(p, "%ui", (ngx_uint_t) ctx->ede);
}


static u_char *
ngx_stream_dns_print_transport(ngx_stream_dns_ctx_t *ctx, u_char *p)
{
    return ngx_sprintf(p, "%s", ngx_stream_dns_transports[ctx->transport]);
}


/* as dig writes them: "qr aa rd" */

static u_char *
ngx_stream_dns_print_flag_word(u_char *p, ngx_uint_t flags)
{
    u_char      *start;
    ngx_uint_t   i;

    static struct {
        ngx_uint_t  flag;
        char        name[3];
    } names[] = {
        { NGX_DNS_FLAG_QR, "qr" },
        { NGX_DNS_FLAG_AA, "aa" },
        { NGX_DNS_FLAG_TC, "tc" },
        { NGX_DNS_FLAG_RD, "rd" },
        { NGX_DNS_FLAG_RA, "ra" },
        { NGX_DNS_FLAG_AD, "ad" },
        { NGX_DNS_FLAG_CD, "cd" }
    };

    start = p;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {

        if (!(flags & names[i].flag)) {
            continue;
        }

        if (p != start) {
            *p++ = ' ';
        }

        *p++ = names[i].name[0];
        *p++ = names[i].name[1];
    }

    return p;
}
