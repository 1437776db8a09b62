
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_health_http.h"


#define NGX_DNS_HEALTH_HTTP_DIGITS  15      /* of a length */


static ngx_int_t ngx_dns_health_http_line(ngx_dns_health_http_t *http,
    u_char ch);
static ngx_int_t ngx_dns_health_http_status(ngx_dns_health_http_t *http);
static ngx_int_t ngx_dns_health_http_wanted(ngx_dns_health_http_t *http);
static ngx_int_t ngx_dns_health_http_header(ngx_dns_health_http_t *http);
static ngx_int_t ngx_dns_health_http_headers_end(ngx_dns_health_http_t *http);
static ngx_int_t ngx_dns_health_http_chunk(ngx_dns_health_http_t *http);
static ngx_int_t ngx_dns_health_http_body(ngx_dns_health_http_t *http,
    u_char ch);
static ngx_int_t ngx_dns_health_http_number(const u_char *p, const u_char *end,
    ngx_uint_t base, uint64_t *n);
static ngx_int_t ngx_dns_health_http_bad(ngx_dns_health_http_t *http,
    ngx_uint_t error);


static const u_char  ngx_dns_health_http_status_default[] =
    "\x00\xc8\x01\x2d\x01\x2e";             /* 200, 301, 302 */


u_char *
ngx_dns_health_http_request(u_char *p, const ngx_dns_probe_t *probe,
    ngx_str_t *host)
{
    return ngx_sprintf(p, "%s %V HTTP/1.1\r\n"
                       "Host: %V\r\n"
                       "User-Agent: ngx_dns_module\r\n"
                       "Accept: */*\r\n"
                       "Connection: close\r\n\r\n",
                       (probe->match.len == 0) ? "HEAD" : "GET",
                       &probe->uri, host);
}


void
ngx_dns_health_http_init(ngx_dns_health_http_t *http,
    const ngx_dns_probe_t *probe, uint16_t *next)
{
    size_t      i, k;
    ngx_str_t   match;

    ngx_memzero(http, sizeof(ngx_dns_health_http_t));

    http->probe = probe;
    http->next = next;

    /* where the search goes on when the next octet does not match */

    match = probe->match;
    k = 0;

    for (i = 0; i < match.len; i++) {

        if (i == 0) {
            next[i] = 0;
            continue;
        }

        while (k > 0 && match.data[i] != match.data[k]) {
            k = next[k - 1];
        }

        k += (match.data[i] == match.data[k]);
        next[i] = (uint16_t) k;
    }
}


ngx_int_t
ngx_dns_health_http_read(ngx_dns_health_http_t *http, const u_char *p,
    size_t len)
{
    size_t     i;
    ngx_int_t  rc;

    for (i = 0; i < len; i++) {

        switch (http->state) {

        case NGX_DNS_HEALTH_HTTP_BODY:
        case NGX_DNS_HEALTH_HTTP_DATA:
            rc = ngx_dns_health_http_body(http, p[i]);
            break;

        default:
            rc = ngx_dns_health_http_line(http, p[i]);
            break;
        }

        if (rc != NGX_AGAIN) {
            return rc;
        }
    }

    return NGX_AGAIN;
}


ngx_int_t
ngx_dns_health_http_end(ngx_dns_health_http_t *http)
{
    if (http->state != NGX_DNS_HEALTH_HTTP_BODY || http->sized) {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_SHORT);
    }

    return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_NO_MATCH);
}


static ngx_int_t
ngx_dns_health_http_bad(ngx_dns_health_http_t *http, ngx_uint_t error)
{
    http->error = error;

    return NGX_DECLINED;
}


/* an octet of what comes in lines: of a long one the beginning is kept */

static ngx_int_t
ngx_dns_health_http_line(ngx_dns_health_http_t *http, u_char ch)
{
    ngx_int_t  rc;

    if (++http->head > NGX_DNS_HEALTH_HTTP_MAX) {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_LARGE);
    }

    if (ch != LF) {

        if (http->len < NGX_DNS_HEALTH_HTTP_LINE) {
            http->line[http->len] = ngx_tolower(ch);
        }

        http->len++;

        return NGX_AGAIN;
    }

    if (http->len > 0 && http->len <= NGX_DNS_HEALTH_HTTP_LINE
        && http->line[http->len - 1] == CR)
    {
        http->len--;
    }

    switch (http->state) {

    case NGX_DNS_HEALTH_HTTP_STATUS:
        rc = ngx_dns_health_http_status(http);
        break;

    case NGX_DNS_HEALTH_HTTP_HEADER:
        rc = (http->len == 0) ? ngx_dns_health_http_headers_end(http)
                              : ngx_dns_health_http_header(http);
        break;

    case NGX_DNS_HEALTH_HTTP_CHUNK:
        rc = ngx_dns_health_http_chunk(http);
        break;

    default: /* NGX_DNS_HEALTH_HTTP_DATA_END */
        http->state = NGX_DNS_HEALTH_HTTP_CHUNK;
        rc = NGX_AGAIN;
        break;
    }

    http->len = 0;

    return rc;
}


/* "HTTP/1.1 200 OK" */

static ngx_int_t
ngx_dns_health_http_status(ngx_dns_health_http_t *http)
{
    u_char    *p, *end;
    uint64_t   n;

    p = http->line;
    end = p + ngx_min(http->len, NGX_DNS_HEALTH_HTTP_LINE);

    if (end - p < 12
        || ngx_strncmp(p, "http/1.", 7) != 0
        || p[8] != ' '
        || ngx_dns_health_http_number(p + 9, p + 12, 10, &n) != NGX_OK
        || n < 100
        || (end - p > 12 && p[12] != ' '))
    {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_FORM);
    }

    http->status = n;
    http->state = NGX_DNS_HEALTH_HTTP_HEADER;

    /* what is 1xx is not the answer yet */

    return (n < 200 || ngx_dns_health_http_wanted(http) == NGX_OK)
           ? NGX_AGAIN
           : ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_WRONG);
}


static ngx_int_t
ngx_dns_health_http_wanted(ngx_dns_health_http_t *http)
{
    size_t         i, len;
    const u_char  *p;

    p = http->probe->status.data;
    len = http->probe->status.len;

    if (len == 0) {
        p = ngx_dns_health_http_status_default;
        len = sizeof(ngx_dns_health_http_status_default) - 1;
    }

    for (i = 0; i + 1 < len; i += 2) {
        if (ngx_dns_get16(p + i) == http->status) {
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_dns_health_http_header(ngx_dns_health_http_t *http)
{
    size_t     n;
    u_char    *p, *end;
    uint64_t   left;

    p = http->line;
    n = ngx_min(http->len, NGX_DNS_HEALTH_HTTP_LINE);
    end = p + n;

    if (n > sizeof("content-length:") - 1
        && ngx_strncmp(p, "content-length:", sizeof("content-length:") - 1)
           == 0)
    {
        p += sizeof("content-length:") - 1;

        while (p < end && (*p == ' ' || *p == '\t')) {
            p++;
        }

        while (end > p && (end[-1] == ' ' || end[-1] == '\t')) {
            end--;
        }

        if (ngx_dns_health_http_number(p, end, 10, &left) != NGX_OK) {
            return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_FORM);
        }

        http->sized = 1;
        http->left = left;

    } else if (n > sizeof("transfer-encoding:") - 1
               && ngx_strncmp(p, "transfer-encoding:",
                              sizeof("transfer-encoding:") - 1)
                  == 0
               && ngx_strlcasestrn(p, end, (u_char *) "chunked", 7 - 1)
                  != NULL)
    {
        http->chunked = 1;
    }

    return NGX_AGAIN;
}


static ngx_int_t
ngx_dns_health_http_headers_end(ngx_dns_health_http_t *http)
{
    if (http->status < 200) {
        http->state = NGX_DNS_HEALTH_HTTP_STATUS;
        http->sized = 0;
        http->chunked = 0;

        return NGX_AGAIN;
    }

    if (http->probe->match.len == 0) {
        return NGX_OK;
    }

    if (http->chunked) {
        http->sized = 1;
        http->state = NGX_DNS_HEALTH_HTTP_CHUNK;

        return NGX_AGAIN;
    }

    http->state = NGX_DNS_HEALTH_HTTP_BODY;

    return (http->sized && http->left == 0)
           ? ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_NO_MATCH)
           : NGX_AGAIN;
}


/* the size of a chunk, with or without an extension behind it */

static ngx_int_t
ngx_dns_health_http_chunk(ngx_dns_health_http_t *http)
{
    u_char  *p, *end;

    p = http->line;
    end = p + ngx_min(http->len, NGX_DNS_HEALTH_HTTP_LINE);

    while (p < end && *p != ';' && *p != ' ' && *p != '\t') {
        p++;
    }

    if (ngx_dns_health_http_number(http->line, p, 16, &http->left) != NGX_OK) {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_FORM);
    }

    if (http->left == 0) {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_NO_MATCH);
    }

    http->state = NGX_DNS_HEALTH_HTTP_DATA;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_dns_health_http_body(ngx_dns_health_http_t *http, u_char ch)
{
    ngx_str_t  match;

    match = http->probe->match;

    while (http->matched > 0 && match.data[http->matched] != ch) {
        http->matched = http->next[http->matched - 1];
    }

    http->matched += (match.data[http->matched] == ch);

    if (http->matched == match.len) {
        return NGX_OK;
    }

    if (++http->body == NGX_DNS_HEALTH_HTTP_MAX) {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_NO_MATCH);
    }

    if (!http->sized || --http->left != 0) {
        return NGX_AGAIN;
    }

    if (http->state == NGX_DNS_HEALTH_HTTP_BODY) {
        return ngx_dns_health_http_bad(http, NGX_DNS_HEALTH_HTTP_NO_MATCH);
    }

    http->state = NGX_DNS_HEALTH_HTTP_DATA_END;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_dns_health_http_number(const u_char *p, const u_char *end,
    ngx_uint_t base, uint64_t *n)
{
    ngx_uint_t  digit;

    if (p == end || end - p > NGX_DNS_HEALTH_HTTP_DIGITS) {
        return NGX_ERROR;
    }

    for (*n = 0; p < end; p++) {

        if (*p >= '0' && *p <= '9') {
            digit = *p - '0';

        } else if (base == 16 && *p >= 'a' && *p <= 'f') {
            digit = *p - 'a' + 10;

        } else {
            return NGX_ERROR;
        }

        *n = *n * base + digit;
    }

    return NGX_OK;
}
