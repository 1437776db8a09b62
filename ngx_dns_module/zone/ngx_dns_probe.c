
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_name.h"
#include "ngx_dns_probe.h"


static u_char *ngx_dns_probe_copy(u_char *p, const ngx_str_t *s);
static ngx_uint_t ngx_dns_probe_visible(const ngx_str_t *s);
static uint64_t ngx_dns_probe_hash(uint64_t hash, const u_char *p, size_t n);


void
ngx_dns_probe_settle(ngx_dns_probe_t *probe)
{
    if (probe->up_count == 0) {
        probe->up_count = NGX_DNS_PROBE_COUNT;
    }

    if (probe->down_count == 0) {
        probe->down_count = NGX_DNS_PROBE_COUNT;
    }

    if (probe->timeout == 0) {
        probe->timeout = NGX_DNS_PROBE_TIMEOUT;
    }

    if (probe->protocol != NGX_DNS_PROBE_HTTPS) {
        probe->flags &= ~NGX_DNS_PROBE_VERIFY;
    }

    if (probe->protocol == NGX_DNS_PROBE_TCP) {
        ngx_str_set(&probe->host, "");
        ngx_str_set(&probe->uri, "");
        ngx_str_set(&probe->match, "");
        ngx_str_set(&probe->status, "");
        return;
    }

    if (probe->port == 0) {
        probe->port = (probe->protocol == NGX_DNS_PROBE_HTTPS) ? 443 : 80;
    }

    if (probe->uri.len == 0) {
        ngx_str_set(&probe->uri, "/");
    }
}


const char *
ngx_dns_probe_wrong(const ngx_dns_probe_t *probe)
{
    size_t      i;
    ngx_uint_t  code;

    if (probe->protocol > NGX_DNS_PROBE_TCP) {
        return "the protocol is none of those that are known";
    }

    if (probe->port == 0) {
        return "there is no port";
    }

    if (probe->up_count == 0 || probe->down_count == 0
        || probe->timeout == 0 || (probe->flags & ~NGX_DNS_PROBE_VERIFY))
    {
        return "counts, timeout or flags are not those of a check";
    }

    if (probe->host.len > NGX_DNS_PROBE_HOST_MAX
        || !ngx_dns_probe_visible(&probe->host))
    {
        return "the host is too long, or has blanks or control characters";
    }

    if (probe->protocol == NGX_DNS_PROBE_TCP) {
        return (probe->uri.len + probe->match.len + probe->status.len == 0)
               ? NULL : "a check by tcp has no request";
    }

    if (probe->uri.len > NGX_DNS_PROBE_URI_MAX || probe->uri.len == 0
        || probe->uri.data[0] != '/' || !ngx_dns_probe_visible(&probe->uri))
    {
        return "the uri is too long, does not begin with a slash, or has "
               "blanks or control characters";
    }

    if (probe->match.len > NGX_DNS_PROBE_MATCH_MAX) {
        return "the text to match is too long";
    }

    if (probe->status.len > 2 * NGX_DNS_PROBE_STATUS_MAX
        || probe->status.len % 2 != 0)
    {
        return "there are too many codes of status";
    }

    for (i = 0; i < probe->status.len; i += 2) {
        code = ngx_dns_get16(probe->status.data + i);

        if (code < 100 || code > 599) {
            return "a code of status is not from 100 to 599";
        }
    }

    return NULL;
}


/* 1: it can be in the line of a request, or in one of its headers */

static ngx_uint_t
ngx_dns_probe_visible(const ngx_str_t *s)
{
    size_t  i;

    for (i = 0; i < s->len; i++) {
        if (s->data[i] <= 0x20 || s->data[i] == 0x7f) {
            return 0;
        }
    }

    return 1;
}


size_t
ngx_dns_probe_size(const ngx_dns_probe_t *probe)
{
    return NGX_DNS_PROBE_HEAD + probe->host.len + probe->uri.len
           + probe->match.len + probe->status.len;
}


u_char *
ngx_dns_probe_write(u_char *p, const ngx_dns_probe_t *probe)
{
    *p++ = NGX_DNS_PROBE_VERSION;
    *p++ = probe->protocol;
    *p++ = probe->flags;
    *p++ = (u_char) probe->host.len;
    p = ngx_dns_put16(p, probe->port);
    p = ngx_dns_put16(p, probe->up_count);
    p = ngx_dns_put16(p, probe->down_count);
    p = ngx_dns_put16(p, probe->uri.len);
    p = ngx_dns_put16(p, probe->match.len);
    p = ngx_dns_put16(p, probe->status.len);
    p = ngx_dns_put32(p, probe->timeout);
    p = ngx_dns_put32(p, probe->interval);

    p = ngx_dns_probe_copy(p, &probe->host);
    p = ngx_dns_probe_copy(p, &probe->uri);
    p = ngx_dns_probe_copy(p, &probe->match);

    return ngx_dns_probe_copy(p, &probe->status);
}


/* without octets data may be NULL */

static u_char *
ngx_dns_probe_copy(u_char *p, const ngx_str_t *s)
{
    return (s->len == 0) ? p : ngx_cpymem(p, s->data, s->len);
}


ngx_int_t
ngx_dns_probe_read(const u_char *payload, size_t len, ngx_dns_probe_t *probe)
{
    if (len < NGX_DNS_PROBE_HEAD || payload[0] != NGX_DNS_PROBE_VERSION) {
        return NGX_DECLINED;
    }

    probe->protocol = payload[1];
    probe->flags = payload[2];
    probe->host.len = payload[3];
    probe->port = (uint16_t) ngx_dns_get16(payload + 4);
    probe->up_count = (uint16_t) ngx_dns_get16(payload + 6);
    probe->down_count = (uint16_t) ngx_dns_get16(payload + 8);
    probe->uri.len = ngx_dns_get16(payload + 10);
    probe->match.len = ngx_dns_get16(payload + 12);
    probe->status.len = ngx_dns_get16(payload + 14);
    probe->timeout = ngx_dns_get32(payload + 16);
    probe->interval = ngx_dns_get32(payload + 20);

    if (ngx_dns_probe_size(probe) != len) {
        return NGX_DECLINED;
    }

    probe->host.data = (u_char *) payload + NGX_DNS_PROBE_HEAD;
    probe->uri.data = probe->host.data + probe->host.len;
    probe->match.data = probe->uri.data + probe->uri.len;
    probe->status.data = probe->match.data + probe->match.len;

    return (ngx_dns_probe_wrong(probe) == NULL) ? NGX_OK : NGX_DECLINED;
}


uint64_t
ngx_dns_probe_id(const u_char *owner, const u_char *address, size_t len,
    const u_char *probe, size_t probe_len)
{
    u_char    n;
    uint64_t  hash;

    n = (u_char) len;

    hash = ngx_dns_probe_hash(0xcbf29ce484222325ULL, owner,
                              ngx_dns_name_len(owner));
    hash = ngx_dns_probe_hash(hash, &n, 1);
    hash = ngx_dns_probe_hash(hash, address, len);
    hash = ngx_dns_probe_hash(hash, probe, probe_len);

    /* the table goes by the low bits: all of them depend on every octet */

    hash = ngx_dns_name_spread(hash);
    hash ^= hash >> 32;

    return (hash < 2) ? hash + 2 : hash;
}


/* FNV-1a */

static uint64_t
ngx_dns_probe_hash(uint64_t hash, const u_char *p, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        hash = (hash ^ p[i]) * 0x100000001b3ULL;
    }

    return hash;
}


u_char *
ngx_dns_probe_owner_host(u_char *dst, const u_char *owner)
{
    if (owner[0] == 1 && owner[1] == '*') {
        owner += 2;
    }

    return ngx_dns_name_to_text(dst, owner) - 1;
}
