
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata.h"
#include "ngx_dns_status.h"


#define NGX_DNS_STATUS_COUNT_MAX  32767
#define NGX_DNS_STATUS_TIME_MAX   253402300799      /* of year 9999 */


static u_char *ngx_dns_status_ip(u_char *p,
    const ngx_dns_status_target_t *target);
static u_char *ngx_dns_status_string(u_char *p, const u_char *data,
    size_t len);
static ngx_int_t ngx_dns_status_number(ngx_dns_json_t *value, int64_t *n);
static int64_t ngx_dns_status_days(int64_t year, ngx_uint_t month,
    ngx_uint_t day);
static ngx_int_t ngx_dns_status_digits(u_char **p, u_char *last, ngx_uint_t n,
    ngx_uint_t sep, ngx_uint_t *number);
static ngx_int_t ngx_dns_status_zone(u_char *p, u_char *last,
    int64_t *seconds);


u_char *
ngx_dns_status_key(u_char *p, const ngx_dns_status_target_t *target,
    ngx_uint_t at)
{
    p = ngx_cpymem(p, ":healthcheck:", sizeof(":healthcheck:") - 1);

    if (at) {
        *p++ = '@';
        *p++ = '.';
    }

    p = ngx_dns_name_to_text(p, target->owner);
    *p++ = ':';

    return ngx_dns_status_ip(p, target);
}


static u_char *
ngx_dns_status_ip(u_char *p, const ngx_dns_status_target_t *target)
{
    return ngx_dns_rdata_to_text(p, p + 64,
                                 (target->len == 4) ? NGX_DNS_TYPE_A
                                                    : NGX_DNS_TYPE_AAAA,
                                 (u_char *) target->address, target->len);
}


u_char *
ngx_dns_status_write(u_char *p, const ngx_dns_status_target_t *target,
    const ngx_dns_status_t *status)
{
    u_char                  text[NGX_DNS_NAME_TEXT_MAX + 64];
    const ngx_dns_probe_t  *probe;

    static const char  *protocols[] = { "http", "https", "tcp" };

    probe = target->probe;

    p = ngx_sprintf(p, "{\"enable\":true,\"protocol\":\"%s\",\"uri\":",
                    protocols[probe->protocol]);
    p = ngx_dns_status_string(p, probe->uri.data, probe->uri.len);

    p = ngx_sprintf(p, ",\"port\":%d,\"status\":%L,\"lastcheck\":\"",
                    (int) probe->port, status->status);
    p = ngx_dns_status_time_write(p, status->checked);

    p = ngx_sprintf(p, "\",\"timeout\":%uD,\"up_count\":%d,"
                       "\"down_count\":-%d,\"domain_uuid\":",
                    probe->timeout, (int) probe->up_count,
                    (int) probe->down_count);
    p = ngx_dns_status_string(p, target->domain.data, target->domain.len);

    p = ngx_cpymem(p, ",\"host\":", sizeof(",\"host\":") - 1);
    p = ngx_dns_status_string(p, text,
                              ngx_dns_name_to_text(text, target->owner)
                              - text);

    p = ngx_cpymem(p, ",\"ip\":", sizeof(",\"ip\":") - 1);
    p = ngx_dns_status_string(p, text,
                              ngx_dns_status_ip(text, target) - text);
    *p++ = '}';

    return p;
}


/* what is UTF-8 stays so */

static u_char *
ngx_dns_status_string(u_char *p, const u_char *data, size_t len)
{
    size_t  i;

    *p++ = '"';

    for (i = 0; i < len; i++) {

        if (data[i] < 0x20 || data[i] == 0x7f) {
            p = ngx_sprintf(p, "\\u%04xd", (int) data[i]);
            continue;
        }

        if (data[i] == '"' || data[i] == '\\') {
            *p++ = '\\';
        }

        *p++ = data[i];
    }

    *p++ = '"';

    return p;
}


ngx_int_t
ngx_dns_status_read(ngx_dns_json_buf_t *buf, ngx_str_t *value,
    ngx_dns_status_t *status, const char **err)
{
    int64_t                n;
    ngx_str_t              text;
    ngx_dns_json_t        *json;
    ngx_dns_json_member_t  m[] = { { "status", NULL }, { "up_count", NULL },
                                   { "down_count", NULL },
                                   { "lastcheck", NULL } };

    if (value->len > NGX_DNS_STATUS_MAX) {
        *err = "is too long";
        return NGX_DECLINED;
    }

    json = ngx_dns_json_load(buf, value, err);

    if (json == NULL) {
        return (*err == NULL) ? NGX_ERROR : NGX_DECLINED;
    }

    if (json->type != NGX_DNS_JSON_OBJECT) {
        *err = "is not an object";
        return NGX_DECLINED;
    }

    ngx_dns_json_members(json, m, 4);
    ngx_memzero(status, sizeof(ngx_dns_status_t));

    if (ngx_dns_status_number(m[0].value, &status->status) != NGX_OK) {
        *err = "has a \"status\" that is not a number";
        return NGX_DECLINED;
    }

    /* without them those of the record count */

    if (ngx_dns_status_number(m[1].value, &n) == NGX_OK && n > 0) {
        status->up_count = (ngx_uint_t) n;
    }

    if (ngx_dns_status_number(m[2].value, &n) == NGX_OK) {
        status->down_count = (ngx_uint_t) ((n < 0) ? -n : n);
    }

    if (m[3].value != NULL
        && ngx_dns_json_string(m[3].value, &text) == NGX_OK)
    {
        status->checked = ngx_dns_status_time_read(&text);
    }

    return NGX_OK;
}


/* a missing one is 0; what is too large is as large as can be */

static ngx_int_t
ngx_dns_status_number(ngx_dns_json_t *value, int64_t *n)
{
    ngx_uint_t      negative;
    ngx_dns_json_t  digits;

    *n = 0;

    if (value == NULL) {
        return NGX_OK;
    }

    digits = *value;
    negative = (digits.type == NGX_DNS_JSON_NUMBER && digits.len > 1
                && digits.data[0] == '-');

    if (negative) {
        digits.data++;
        digits.len--;
    }

    if (ngx_dns_json_number(&digits, NGX_DNS_STATUS_COUNT_MAX, n) != NGX_OK) {
        return NGX_DECLINED;
    }

    *n = ngx_min(*n, NGX_DNS_STATUS_COUNT_MAX);

    if (negative) {
        *n = -*n;
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_status_run(const ngx_dns_status_t *status, ngx_uint_t up_count,
    ngx_uint_t down_count)
{
    int64_t  run, up, down, most, least;

    up = (int64_t) up_count;
    down = (int64_t) down_count;
    most = status->up_count ? (int64_t) status->up_count : up;
    least = status->down_count ? (int64_t) status->down_count : down;

    run = status->status;

    if (run >= most) {
        run = up;

    } else if (run > 0) {
        run = ngx_min(run, ngx_max(up - 1, 1));

    } else if (run <= -least) {
        run = -down;

    } else if (run < 0) {
        run = ngx_max(run, 1 - down);
    }

    return (ngx_int_t) run;
}


u_char *
ngx_dns_status_time_write(u_char *p, uint64_t ms)
{
    int64_t     days, year, left;
    ngx_uint_t  month, seconds;

    if (ms == 0) {
        return ngx_cpymem(p, "0001-01-01T00:00:00Z", 20);
    }

    days = (int64_t) (ms / 1000 / 86400);
    seconds = (ngx_uint_t) (ms / 1000 % 86400);

    /* no year is longer than 366 days, and no month than 31 */

    year = 1970 + days / 366;

    while (ngx_dns_status_days(year + 1, 1, 1) <= days) {
        year++;
    }

    left = days - ngx_dns_status_days(year, 1, 1);
    month = (ngx_uint_t) (1 + left / 31);

    if (month < 12 && ngx_dns_status_days(year, month + 1, 1) <= days) {
        month++;
    }

    left = days - ngx_dns_status_days(year, month, 1) + 1;

    return ngx_sprintf(p, "%04L-%02ui-%02LT%02ui:%02ui:%02uiZ", year, month,
                       left, seconds / 3600, seconds / 60 % 60, seconds % 60);
}


/* days since 1970-01-01 of the Gregorian calendar */

static int64_t
ngx_dns_status_days(int64_t year, ngx_uint_t month, ngx_uint_t day)
{
    int64_t  leap;

    static const uint16_t  before[] = { 0, 31, 59, 90, 120, 151, 181, 212,
                                        243, 273, 304, 334 };

    /* leap days up to the last year, and this year's if it is over */

    leap = (month > 2) ? year : year - 1;

    return (year - 1970) * 365 + (leap / 4 - leap / 100 + leap / 400) - 477
           + before[month - 1] + day - 1;
}


/* 2026-11-30T14:00:00[.000](Z|+00:00) */

uint64_t
ngx_dns_status_time_read(ngx_str_t *text)
{
    u_char      *p, *last;
    int64_t      seconds, offset;
    ngx_uint_t   year, month, day, hour, minute, second, milli, scale;

    p = text->data;
    last = p + text->len;

    if (ngx_dns_status_digits(&p, last, 4, '-', &year) != NGX_OK
        || ngx_dns_status_digits(&p, last, 2, '-', &month) != NGX_OK
        || ngx_dns_status_digits(&p, last, 2, 'T', &day) != NGX_OK
        || ngx_dns_status_digits(&p, last, 2, ':', &hour) != NGX_OK
        || ngx_dns_status_digits(&p, last, 2, ':', &minute) != NGX_OK
        || ngx_dns_status_digits(&p, last, 2, 0, &second) != NGX_OK
        || year < 1970 || month < 1 || month > 12 || day < 1 || day > 31
        || hour > 23 || minute > 59 || second > 60)
    {
        return 0;
    }

    milli = 0;

    if (p < last && *p == '.') {

        scale = 100;

        for (p++; p < last && *p >= '0' && *p <= '9'; p++) {
            milli += scale * (*p - '0');
            scale /= 10;
        }
    }

    if (ngx_dns_status_zone(p, last, &offset) != NGX_OK) {
        return 0;
    }

    seconds = ngx_dns_status_days(year, month, day) * 86400
              + (int64_t) (hour * 3600 + minute * 60 + second) - offset;

    if (seconds < 0 || seconds > NGX_DNS_STATUS_TIME_MAX) {
        return 0;
    }

    return (uint64_t) seconds * 1000 + milli;
}


/* n digits and what is behind them; sep 0: nothing */

static ngx_int_t
ngx_dns_status_digits(u_char **p, u_char *last, ngx_uint_t n, ngx_uint_t sep,
    ngx_uint_t *number)
{
    *number = 0;

    for ( /* void */ ; n > 0; n--, (*p)++) {

        if (*p == last || **p < '0' || **p > '9') {
            return NGX_DECLINED;
        }

        *number = *number * 10 + (**p - '0');
    }

    if (sep == 0) {
        return NGX_OK;
    }

    if (*p == last || ngx_toupper(**p) != sep) {
        return NGX_DECLINED;
    }

    (*p)++;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_status_zone(u_char *p, u_char *last, int64_t *seconds)
{
    u_char      sign;
    ngx_uint_t  hours, minutes;

    *seconds = 0;

    if (last - p == 1 && (*p == 'Z' || *p == 'z')) {
        return NGX_OK;
    }

    if (p == last || (*p != '+' && *p != '-')) {
        return NGX_DECLINED;
    }

    sign = *p++;

    if (ngx_dns_status_digits(&p, last, 2, ':', &hours) != NGX_OK
        || ngx_dns_status_digits(&p, last, 2, 0, &minutes) != NGX_OK
        || p != last || hours > 23 || minutes > 59)
    {
        return NGX_DECLINED;
    }

    *seconds = (int64_t) (hours * 3600 + minutes * 60);

    if (sign == '-') {
        *seconds = -*seconds;
    }

    return NGX_OK;
}
