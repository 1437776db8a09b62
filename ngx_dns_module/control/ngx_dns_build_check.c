
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_build_choice.h"


#define NGX_DNS_BUILD_SECONDS  4294967  /* as milliseconds in 32 bits */


static ngx_int_t ngx_dns_build_check_on(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m);
static ngx_int_t ngx_dns_build_check_protocol(ngx_dns_build_t *b,
    ngx_uint_t type, ngx_dns_json_member_t *m, ngx_dns_probe_t *probe);
static void ngx_dns_build_check_verify(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_dns_probe_t *probe);
static ngx_uint_t ngx_dns_build_check_number(ngx_dns_build_t *b,
    ngx_uint_t type, ngx_dns_json_member_t *m, int64_t max);
static void ngx_dns_build_check_text(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, size_t max, ngx_str_t *text);
static void ngx_dns_build_check_request(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_dns_probe_t *probe, u_char *status);
static void ngx_dns_build_check_status(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *value, ngx_str_t *status);
static size_t ngx_dns_build_check_write(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_probe_t *probe, u_char *payload);


static const char  ngx_dns_build_check_name[] = "health_check";

static const ngx_dns_build_word_t  ngx_dns_build_protocols[] = {
    { "http", NGX_DNS_PROBE_HTTP },
    { "https", NGX_DNS_PROBE_HTTPS },
    { "tcp", NGX_DNS_PROBE_TCP },
    { NULL, NGX_DNS_PROBE_HTTP }
};

static const ngx_dns_build_word_t  ngx_dns_build_all_downs[] = {
    { "all", 0 },
    { "none", NGX_DNS_CHOICE_ALL_DOWN },
    { NULL, 0 }
};


size_t
ngx_dns_build_check(ngx_dns_build_t *b, ngx_uint_t type, ngx_dns_json_t *check,
    ngx_dns_choice_t *head, u_char *payload)
{
    size_t                 len;
    u_char                 status[2 * NGX_DNS_PROBE_STATUS_MAX];
    ngx_uint_t             flags;
    ngx_dns_probe_t        probe;
    ngx_dns_json_member_t  m[] = { { "enable", NULL }, { "protocol", NULL },
                                   { "port", NULL }, { "timeout", NULL },
                                   { "up_count", NULL },
                                   { "down_count", NULL },
                                   { "interval", NULL },
                                   { "all_down", NULL }, { "verify", NULL },
                                   { "host", NULL }, { "uri", NULL },
                                   { "match", NULL }, { "status", NULL } };

    if (check == NULL) {
        return 0;
    }

    ngx_dns_json_members(check, m, 13);
    ngx_memzero(&probe, sizeof(ngx_dns_probe_t));

    if (ngx_dns_build_check_on(b, type, &m[0]) != NGX_OK
        || ngx_dns_build_check_protocol(b, type, &m[1], &probe) != NGX_OK)
    {
        return 0;
    }

    probe.port = (uint16_t) ngx_dns_build_check_number(b, type, &m[2], 65535);
    probe.timeout = (uint32_t) ngx_dns_build_check_number(b, type, &m[3],
                                                          0xffffffff);
    probe.up_count = (uint16_t) ngx_dns_build_check_number(b, type, &m[4],
                                                           65535);
    probe.down_count = (uint16_t) ngx_dns_build_check_number(b, type, &m[5],
                                                             -65535);
    probe.interval = (uint32_t) ngx_dns_build_check_number(b, type, &m[6],
                                                  NGX_DNS_BUILD_SECONDS)
                     * 1000;

    flags = ngx_dns_build_member_word(b, type, ngx_dns_build_check_name, &m[7],
                                      ngx_dns_build_all_downs);

    ngx_dns_build_check_verify(b, type, &m[8], &probe);
    ngx_dns_build_check_request(b, type, &m[9], &probe, status);

    len = ngx_dns_build_check_write(b, type, &probe, payload);

    if (len != 0) {
        head->flags |= (uint8_t) (NGX_DNS_CHOICE_CHECK|flags);
        head->interval = probe.interval ? probe.interval
                         : b->conf.interval ? b->conf.interval
                                            : NGX_DNS_PROBE_INTERVAL;
    }

    return len;
}


/* NGX_DECLINED: nobody wants it */

static ngx_int_t
ngx_dns_build_check_on(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m)
{
    ngx_uint_t  enable;

    if (m->value == NULL) {
        return NGX_DECLINED;
    }

    if (ngx_dns_json_flag(m->value, &enable) != NGX_OK) {
        ngx_dns_build_warn(b, type, "\"health_check\": \"enable\" is neither "
                                    "true nor false, it is off");
        return NGX_DECLINED;
    }

    return enable ? NGX_OK : NGX_DECLINED;
}


/* NGX_DECLINED: there is no way to check it */

static ngx_int_t
ngx_dns_build_check_protocol(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_dns_probe_t *probe)
{
    ngx_int_t  n;
    ngx_str_t  text;

    if (m->value == NULL) {
        return NGX_OK;
    }

    if (ngx_dns_json_string(m->value, &text) == NGX_OK) {

        if (text.len == 0) {
            return NGX_OK;
        }

        n = ngx_dns_build_word(ngx_dns_build_protocols, &text);

        if (n != NGX_DECLINED) {
            probe->protocol = (uint8_t) n;
            return NGX_OK;
        }
    }

    ngx_dns_build_warn(b, type, "\"health_check\": \"protocol\" is none of "
                                "http, https, and tcp, nothing is checked");

    return NGX_DECLINED;
}


static void
ngx_dns_build_check_verify(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_dns_probe_t *probe)
{
    ngx_uint_t  verify;

    if (m->value == NULL) {
        return;
    }

    if (ngx_dns_json_flag(m->value, &verify) != NGX_OK) {
        ngx_dns_build_warn(b, type, "\"health_check\": \"verify\" is neither "
                                    "true nor false, it is off");
        return;
    }

    if (verify) {
        probe->flags |= NGX_DNS_PROBE_VERIFY;
    }
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
    size_t  i;

    ngx_str_set(text, "");

    if (m->value == NULL) {
        return;
    }

    if (ngx_dns_json_string(m->value, text) != NGX_OK || text->len > max) {
        ngx_str_set(text, "");
        ngx_dns_build_warn(b, type, "\"health_check\": \"%s\" is not a string "
                                    "of up to %uz octets, the default is used",
                           m->name, max);
        return;
    }

    if (max == NGX_DNS_PROBE_MATCH_MAX) {
        return;
    }

    for (i = 0; i < text->len; i++) {

        if (text->data[i] <= 0x20 || text->data[i] == 0x7f) {
            ngx_str_set(text, "");
            ngx_dns_build_warn(b, type, "\"health_check\": \"%s\" has blanks "
                                        "or control characters, the default "
                                        "is used", m->name);
            return;
        }
    }
}


/*
 * What is asked and what is expected.
 *
 * m       host, uri, match, status
 * status  room for all codes
 */

static void
ngx_dns_build_check_request(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_member_t *m, ngx_dns_probe_t *probe, u_char *status)
{
    ngx_str_t  *host;

    host = &probe->host;
    ngx_dns_build_check_text(b, type, &m[0], NGX_DNS_PROBE_HOST_MAX + 1, host);

    if (host->len > 0 && host->data[host->len - 1] == '.') {
        host->len--;
    }

    ngx_dns_build_check_text(b, type, &m[1], NGX_DNS_PROBE_URI_MAX,
                             &probe->uri);

    if (probe->uri.len > 0 && probe->uri.data[0] != '/') {
        ngx_str_set(&probe->uri, "");
        ngx_dns_build_warn(b, type, "\"health_check\": \"uri\" does not begin "
                                    "with a slash, the default is used");
    }

    ngx_dns_build_check_text(b, type, &m[2], NGX_DNS_PROBE_MATCH_MAX,
                             &probe->match);

    probe->status.data = status;
    ngx_dns_build_check_status(b, type, m[3].value, &probe->status);
}


/* a code or a list of them */

static void
ngx_dns_build_check_status(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *value, ngx_str_t *status)
{
    int64_t          n;
    ngx_dns_json_t  *code, *end;

    status->len = 0;

    if (value == NULL) {
        return;
    }

    code = value;
    end = ngx_dns_json_end(value);

    if (value->type == NGX_DNS_JSON_LIST) {
        code = ngx_dns_json_first(value);
    }

    for ( /* void */ ; code != end; code = ngx_dns_json_next(code)) {

        if (ngx_dns_json_number(code, 599, &n) != NGX_OK
            || n < 100 || n > 599
            || status->len == 2 * NGX_DNS_PROBE_STATUS_MAX)
        {
            ngx_dns_build_warn(b, type, "\"health_check\": \"status\" is not "
                                        "a code from 100 to 599, nor a list "
                                        "of up to %d of them, what is wrong "
                                        "is left out",
                               NGX_DNS_PROBE_STATUS_MAX);
            continue;
        }

        ngx_dns_put16(status->data + status->len, (ngx_uint_t) n);
        status->len += 2;
    }
}


/* octets of the payload; 0: reported, nothing is checked */

static size_t
ngx_dns_build_check_write(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_probe_t *probe, u_char *payload)
{
    const char  *wrong;

    ngx_dns_probe_settle(probe);

    wrong = ngx_dns_probe_wrong(probe);

    if (wrong != NULL) {
        ngx_dns_build_warn(b, type, "\"health_check\": %s, nothing is checked",
                           wrong);
        return 0;
    }

    return ngx_dns_probe_write(payload, probe) - payload;
}
