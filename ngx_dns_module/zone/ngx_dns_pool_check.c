
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The line "health_check" of a pool.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_pool.h"


#define NGX_DNS_POOL_TIME_MAX      86400000 /* milliseconds */
#define NGX_DNS_POOL_INTERVAL_MIN  100      /* as of dns_health_interval */


typedef ngx_int_t (*ngx_dns_pool_check_pt)(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);

typedef struct {
    const char             *name;
    ngx_dns_pool_check_pt   handler;
    size_t                  offset;     /* in ngx_dns_probe_t */
    const char             *bad;
} ngx_dns_pool_check_t;

typedef struct {
    const char             *name;
    size_t                  len;
    ngx_uint_t              msec;
} ngx_dns_pool_unit_t;


static ngx_int_t ngx_dns_pool_check_param(ngx_dns_pool_t *p, ngx_str_t *word,
    ngx_uint_t *seen, ngx_str_t *err);
static ngx_int_t ngx_dns_pool_check_number(ngx_str_t *value, int64_t max,
    uint16_t *number);
static ngx_int_t ngx_dns_pool_check_port(ngx_dns_pool_t *p, ngx_str_t *value,
    void *member);
static ngx_int_t ngx_dns_pool_check_count(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);
static ngx_int_t ngx_dns_pool_check_time(ngx_dns_pool_t *p, ngx_str_t *value,
    void *member);
static ngx_int_t ngx_dns_pool_check_interval(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);
static ngx_int_t ngx_dns_pool_check_uri(ngx_dns_pool_t *p, ngx_str_t *value,
    void *member);
static ngx_int_t ngx_dns_pool_check_host(ngx_dns_pool_t *p, ngx_str_t *value,
    void *member);
static ngx_int_t ngx_dns_pool_check_match(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);
static ngx_int_t ngx_dns_pool_check_status(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);
static ngx_int_t ngx_dns_pool_check_verify(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);
static ngx_int_t ngx_dns_pool_check_all_down(ngx_dns_pool_t *p,
    ngx_str_t *value, void *member);
static ngx_int_t ngx_dns_pool_check_fit(ngx_dns_pool_t *p, ngx_uint_t seen,
    ngx_str_t *err);


static ngx_dns_pool_check_t  ngx_dns_pool_checks[] = {

    { "port", ngx_dns_pool_check_port, offsetof(ngx_dns_probe_t, port),
      "is not a port" },

    { "timeout", ngx_dns_pool_check_time, offsetof(ngx_dns_probe_t, timeout),
      "is not a time from 1ms to 1d" },

    { "interval", ngx_dns_pool_check_interval,
      offsetof(ngx_dns_probe_t, interval), "is not a time from 100ms to 1d" },

    { "up", ngx_dns_pool_check_count, offsetof(ngx_dns_probe_t, up_count),
      "is out of range: 1 to 100" },

    { "down", ngx_dns_pool_check_count,
      offsetof(ngx_dns_probe_t, down_count), "is out of range: 1 to 100" },

    { "host", ngx_dns_pool_check_host, offsetof(ngx_dns_probe_t, host),
      "is not the name of a host" },

    /* from here on: of http and https only */

    { "uri", ngx_dns_pool_check_uri, offsetof(ngx_dns_probe_t, uri),
      "is not a URI: it begins with \"/\" and has no blanks" },

    { "match", ngx_dns_pool_check_match, offsetof(ngx_dns_probe_t, match),
      "is not a text of 1 to 1024 octets" },

    { "status", ngx_dns_pool_check_status, offsetof(ngx_dns_probe_t, status),
      "is not a list of status codes from 100 to 599" },

    { "verify", ngx_dns_pool_check_verify, offsetof(ngx_dns_probe_t, flags),
      "is neither \"on\" nor \"off\"" },

    { "all_down", ngx_dns_pool_check_all_down, 0,
      "is neither \"all\" nor \"none\"" }
};

#define NGX_DNS_POOL_CHECKS                                                   \
    (sizeof(ngx_dns_pool_checks) / sizeof(ngx_dns_pool_checks[0]))

#define NGX_DNS_POOL_CHECK_HTTP   6     /* the first of http only */
#define NGX_DNS_POOL_CHECK_LAST   8     /* the last one */
#define NGX_DNS_POOL_CHECK_TLS    9     /* verify: of https only */


static ngx_dns_pool_unit_t  ngx_dns_pool_units[] = {
    { "ms", 2, 1 },
    { "s", 1, 1000 },
    { "m", 1, 60 * 1000 },
    { "h", 1, 60 * 60 * 1000 },
    { "d", 1, 24 * 60 * 60 * 1000 },
    { "", 0, 1000 }
};


ngx_int_t
ngx_dns_pool_check(ngx_dns_pool_t *p, ngx_str_t *words, ngx_uint_t n,
    ngx_str_t *err)
{
    ngx_uint_t  i, seen;

    if (p->checked) {
        return ngx_dns_pool_err(err, "a second \"health_check\"");
    }

    if (n == 0) {
        return ngx_dns_pool_err(err, "\"health_check\" without a protocol: "
                                "http, https, tcp");
    }

    p->checked = 1;

    if (ngx_strcmp(words[0].data, "http") == 0) {
        p->probe.protocol = NGX_DNS_PROBE_HTTP;

    } else if (ngx_strcmp(words[0].data, "https") == 0) {
        p->probe.protocol = NGX_DNS_PROBE_HTTPS;

    } else if (ngx_strcmp(words[0].data, "tcp") == 0) {
        p->probe.protocol = NGX_DNS_PROBE_TCP;

    } else {
        return ngx_dns_pool_err_word(err, &words[0],
                                     "is none of http, https, tcp");
    }

    p->head.flags |= NGX_DNS_CHOICE_CHECK;

    p->probe.host = p->name;

    ngx_str_set(&p->probe.uri, "");
    ngx_str_set(&p->probe.match, "");
    ngx_str_set(&p->probe.status, "");

    seen = 0;

    for (i = 1; i < n; i++) {
        if (ngx_dns_pool_check_param(p, &words[i], &seen, err) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_dns_pool_check_fit(p, seen, err);
}


/* seen: a bit for each parameter that has been given */

static ngx_int_t
ngx_dns_pool_check_param(ngx_dns_pool_t *p, ngx_str_t *word,
    ngx_uint_t *seen, ngx_str_t *err)
{
    ngx_int_t              rc;
    ngx_str_t              value;
    ngx_uint_t             i;
    ngx_dns_pool_check_t  *check;

    for (i = 0; i < NGX_DNS_POOL_CHECKS; i++) {
        check = &ngx_dns_pool_checks[i];

        if (ngx_dns_pool_param(word, check->name, &value) != NGX_OK) {
            continue;
        }

        if (*seen & ((ngx_uint_t) 1 << i)) {
            return ngx_dns_pool_err_word(err, word, "is a duplicate "
                                         "parameter");
        }

        *seen |= (ngx_uint_t) 1 << i;

        rc = check->handler(p, &value, (u_char *) &p->probe + check->offset);

        if (rc == NGX_ERROR) {
            return ngx_dns_pool_err(err, "no memory");
        }

        return (rc == NGX_OK) ? NGX_OK
                              : ngx_dns_pool_err_word(err, word, check->bad);
    }

    return ngx_dns_pool_err_word(err, word,
                                 "is not a parameter of \"health_check\"");
}


/* handlers: NGX_DECLINED if the value is not what it has to be */

static ngx_int_t
ngx_dns_pool_check_port(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    return ngx_dns_pool_check_number(value, 65535, member);
}


static ngx_int_t
ngx_dns_pool_check_count(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    return ngx_dns_pool_check_number(value, 100, member);
}


/* from 1 to max */

static ngx_int_t
ngx_dns_pool_check_number(ngx_str_t *value, int64_t max, uint16_t *number)
{
    int64_t  n;

    n = ngx_dns_pool_number(value, max);

    if (n < 1) {
        return NGX_DECLINED;
    }

    *number = (uint16_t) n;

    return NGX_OK;
}


/* as other times of nginx: seconds where there is no unit */

static ngx_int_t
ngx_dns_pool_check_time(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    uint32_t *msec = member;

    size_t                i;
    int64_t               n;
    ngx_str_t             number;
    ngx_dns_pool_unit_t  *unit;

    number = *value;

    for (i = 0; i < value->len; i++) {
        if (value->data[i] < '0' || value->data[i] > '9') {
            number.len = i;
            break;
        }
    }

    for (unit = ngx_dns_pool_units; unit->len != 0; unit++) {
        if (value->len - number.len == unit->len
            && ngx_memcmp(value->data + number.len, unit->name, unit->len)
               == 0)
        {
            break;
        }
    }

    if (unit->len == 0 && number.len != value->len) {
        return NGX_DECLINED;
    }

    n = ngx_dns_pool_number(&number, NGX_DNS_POOL_TIME_MAX);

    if (n < 1 || n * (int64_t) unit->msec > NGX_DNS_POOL_TIME_MAX) {
        return NGX_DECLINED;
    }

    *msec = (uint32_t) (n * (int64_t) unit->msec);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_pool_check_interval(ngx_dns_pool_t *p, ngx_str_t *value,
    void *member)
{
    uint32_t *msec = member;

    if (ngx_dns_pool_check_time(p, value, member) != NGX_OK) {
        return NGX_DECLINED;
    }

    return (*msec < NGX_DNS_POOL_INTERVAL_MIN) ? NGX_DECLINED : NGX_OK;
}


static ngx_int_t
ngx_dns_pool_check_uri(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    ngx_str_t *text = member;

    size_t  i;

    if (value->len == 0 || value->len > NGX_DNS_PROBE_URI_MAX
        || value->data[0] != '/')
    {
        return NGX_DECLINED;
    }

    for (i = 0; i < value->len; i++) {
        if (value->data[i] <= ' ' || value->data[i] == 0x7f) {
            return NGX_DECLINED;
        }
    }

    *text = *value;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_pool_check_host(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    ngx_str_t *text = member;

    size_t  i;

    if (value->len == 0 || value->len > NGX_DNS_PROBE_HOST_MAX) {
        return NGX_DECLINED;
    }

    for (i = 0; i < value->len; i++) {
        if (value->data[i] <= ' ' || value->data[i] >= 0x7f
            || value->data[i] == '/')
        {
            return NGX_DECLINED;
        }
    }

    /* one without the final dot */

    *text = *value;
    text->len -= (value->data[value->len - 1] == '.');

    return (text->len != 0) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_dns_pool_check_match(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    ngx_str_t *text = member;

    if (value->len == 0 || value->len > NGX_DNS_PROBE_MATCH_MAX) {
        return NGX_DECLINED;
    }

    *text = *value;

    return NGX_OK;
}


/* numbers joined by commas, 2 octets each */

static ngx_int_t
ngx_dns_pool_check_status(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    ngx_str_t *text = member;

    u_char     *q, *end, *last, *dst;
    int64_t     n;
    ngx_str_t   number;

    dst = ngx_pnalloc(p->pool, 2 * NGX_DNS_PROBE_STATUS_MAX);
    if (dst == NULL) {
        return NGX_ERROR;
    }

    text->data = dst;
    last = value->data + value->len;

    for (q = value->data; /* void */ ; q = end + 1) {

        for (end = q; end < last && *end != ','; end++) { /* void */ }

        number.data = q;
        number.len = end - q;

        n = ngx_dns_pool_number(&number, 599);

        if (n < 100
            || dst == text->data + 2 * NGX_DNS_PROBE_STATUS_MAX)
        {
            return NGX_DECLINED;
        }

        dst = ngx_dns_put16(dst, (ngx_uint_t) n);

        if (end == last) {
            break;
        }
    }

    text->len = dst - text->data;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_pool_check_verify(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    uint8_t *flags = member;

    if (ngx_strcmp(value->data, "on") == 0) {
        *flags |= NGX_DNS_PROBE_VERIFY;
        return NGX_OK;
    }

    return (ngx_strcmp(value->data, "off") == 0) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_dns_pool_check_all_down(ngx_dns_pool_t *p, ngx_str_t *value, void *member)
{
    if (ngx_strcmp(value->data, "none") == 0) {
        p->head.flags |= NGX_DNS_CHOICE_ALL_DOWN;
        return NGX_OK;
    }

    return (ngx_strcmp(value->data, "all") == 0) ? NGX_OK : NGX_DECLINED;
}


/* parameters that do not go with the protocol, or lack another one */

static ngx_int_t
ngx_dns_pool_check_fit(ngx_dns_pool_t *p, ngx_uint_t seen, ngx_str_t *err)
{
    ngx_uint_t  i;

    if (p->probe.protocol == NGX_DNS_PROBE_TCP) {

        if (p->probe.port == 0) {
            return ngx_dns_pool_err(err, "\"health_check tcp\" needs "
                                    "\"port=\"");
        }

        for (i = NGX_DNS_POOL_CHECK_HTTP; i <= NGX_DNS_POOL_CHECK_LAST; i++) {
            if (seen & ((ngx_uint_t) 1 << i)) {
                return ngx_dns_pool_err(err, "\"%s=\" is of no use for "
                                        "\"health_check tcp\"",
                                        ngx_dns_pool_checks[i].name);
            }
        }
    }

    if (p->probe.protocol != NGX_DNS_PROBE_HTTPS
        && (seen & ((ngx_uint_t) 1 << NGX_DNS_POOL_CHECK_TLS)))
    {
        return ngx_dns_pool_err(err, "\"verify=\" is for \"health_check "
                                "https\" only");
    }

    return NGX_OK;
}
