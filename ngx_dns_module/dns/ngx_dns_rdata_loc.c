
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * LOC, RFC 1876.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


#define NGX_DNS_LOC_SIZE      16
#define NGX_DNS_LOC_DEGREE    3600000   /* in thousandths of a second */
#define NGX_DNS_LOC_EQUATOR   0x80000000
#define NGX_DNS_LOC_ALTITUDE  10000000  /* 100 km in centimeters */


static ngx_int_t ngx_dns_loc_angle(ngx_dns_scan_t *s, ngx_uint_t degrees,
    const char *ends, const char *what, uint32_t *angle);
static ngx_int_t ngx_dns_loc_meters(ngx_dns_scan_t *s, int64_t min,
    int64_t max, const char *what, int64_t *cm);
static u_char *ngx_dns_loc_decimal(u_char *p, u_char *last, ngx_uint_t places,
    int64_t *n);
static u_char ngx_dns_loc_precision(int64_t cm);
static ngx_int_t ngx_dns_loc_put_angle(ngx_dns_rd_t *rd, uint32_t angle,
    const char *ends);
static ngx_int_t ngx_dns_loc_put_precision(ngx_dns_rd_t *rd, ngx_uint_t n);


/*
 * d [m [s]] N|S  d [m [s]] E|W  altitude [size [horizontal [vertical]]]
 */

ngx_int_t
ngx_dns_rd_loc_scan(ngx_dns_rd_t *rd)
{
    u_char          *p;
    int64_t          cm;
    uint32_t         latitude, longitude, altitude;
    ngx_int_t        rc;
    ngx_uint_t       i;
    ngx_dns_scan_t  *s;

    static const char  *names[] = {
        "size", "horizontal precision", "vertical precision"
    };

    s = rd->scan;

    if (ngx_dns_rd_room(rd, NGX_DNS_LOC_SIZE) != NGX_OK
        || ngx_dns_loc_angle(s, 90, "ns", "latitude", &latitude) != NGX_OK
        || ngx_dns_loc_angle(s, 180, "ew", "longitude", &longitude) != NGX_OK
        || ngx_dns_loc_meters(s, -NGX_DNS_LOC_ALTITUDE, 4284967295LL,
                              "altitude", &cm) != NGX_OK)
    {
        return NGX_ERROR;
    }

    altitude = (uint32_t) (cm + NGX_DNS_LOC_ALTITUDE);

    p = rd->pos;

    /* version 0; the defaults are 1 m, 10 km and 10 m */

    p[0] = 0;
    p[1] = 0x12;
    p[2] = 0x16;
    p[3] = 0x13;

    for (i = 0; i < 3; i++) {
        rc = ngx_dns_scan_next(s);

        if (rc == NGX_DONE) {
            break;
        }

        if (rc == NGX_ERROR
            || ngx_dns_loc_meters(s, 0, 9000000000LL, names[i], &cm)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        p[1 + i] = ngx_dns_loc_precision(cm);
    }

    p = ngx_dns_put32(p + 4, latitude);
    p = ngx_dns_put32(p, longitude);
    rd->pos = ngx_dns_put32(p, altitude);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_loc_angle(ngx_dns_scan_t *s, ngx_uint_t degrees, const char *ends,
    const char *what, uint32_t *angle)
{
    u_char          *p, *last;
    int64_t          n, total;
    ngx_uint_t       i;
    ngx_dns_word_t   w;

    static const int64_t  unit[] = { NGX_DNS_LOC_DEGREE, 60000, 1 };

    total = 0;

    for (i = 0; i < 4; i++) {

        if (ngx_dns_scan_plain(s, &w, what) != NGX_OK) {
            return NGX_ERROR;
        }

        if (i > 0 && w.len == 1
            && ((w.data[0] | 0x20) == ends[0] || (w.data[0] | 0x20) == ends[1]))
        {
            break;
        }

        if (i == 3) {
            goto failed;
        }

        last = w.data + w.len;
        p = ngx_dns_loc_decimal(w.data, last, (i == 2) ? 3 : 0, &n);

        if (p != last || n < 0 || w.data[0] == '-'
            || (i == 0 && n > (int64_t) degrees)
            || (i == 1 && n > 59) || (i == 2 && n > 59999))
        {
            goto failed;
        }

        total += n * unit[i];
    }

    if (total > (int64_t) degrees * NGX_DNS_LOC_DEGREE) {
        goto failed;
    }

    if ((w.data[0] | 0x20) == ends[1]) {
        total = -total;
    }

    *angle = (uint32_t) ((int64_t) NGX_DNS_LOC_EQUATOR + total);

    return NGX_OK;

failed:

    return ngx_dns_scan_err(s, "\"%*s\" is wrong in a %s "
                            "(degrees [minutes [seconds]] %c|%c)",
                            w.len, w.data, what,
                            ends[0] & ~0x20, ends[1] & ~0x20);
}


/* meters with up to two decimal places, and maybe an "m" */

static ngx_int_t
ngx_dns_loc_meters(ngx_dns_scan_t *s, int64_t min, int64_t max,
    const char *what, int64_t *cm)
{
    u_char          *p, *last;
    ngx_dns_word_t   w;

    if (ngx_dns_scan_plain(s, &w, what) != NGX_OK) {
        return NGX_ERROR;
    }

    last = w.data + w.len;
    p = ngx_dns_loc_decimal(w.data, last, 2, cm);

    if (p != NULL && p < last && (*p | 0x20) == 'm') {
        p++;
    }

    if (p != last || *cm < min || *cm > max) {
        return ngx_dns_scan_err(s, "\"%*s\" is not a %s in meters", w.len,
                                w.data, what);
    }

    return NGX_OK;
}


/* [-]digits[.digits], times 10^places; returns the octet behind, or NULL */

static u_char *
ngx_dns_loc_decimal(u_char *p, u_char *last, ngx_uint_t places, int64_t *n)
{
    int64_t      value;
    ngx_uint_t   minus, digits;

    minus = (p < last && *p == '-');

    if (p < last && (*p == '-' || *p == '+')) {
        p++;
    }

    value = 0;

    for (digits = 0; p < last && *p >= '0' && *p <= '9'; p++) {

        if (++digits > 12) {
            return NULL;
        }

        value = value * 10 + (*p - '0');
    }

    if (digits == 0) {
        return NULL;
    }

    if (p < last && *p == '.' && places > 0) {
        p++;

        for ( /* void */ ; p < last && *p >= '0' && *p <= '9'; p++) {

            if (places == 0) {
                return NULL;
            }

            value = value * 10 + (*p - '0');
            places--;
        }
    }

    for ( /* void */ ; places > 0; places--) {
        value *= 10;
    }

    *n = minus ? -value : value;

    return p;
}


/* one digit and a power of ten, rounded down: RFC 1876, A */

static u_char
ngx_dns_loc_precision(int64_t cm)
{
    ngx_uint_t  power;

    for (power = 0; cm > 9; power++) {
        cm /= 10;
    }

    return (u_char) (cm << 4 | power);
}


ngx_int_t
ngx_dns_rd_loc_check(ngx_dns_rd_t *rd)
{
    u_char      *p;
    int64_t      n;
    ngx_uint_t   i;

    if (ngx_dns_rd_need(rd, NGX_DNS_LOC_SIZE) != NGX_OK) {
        return NGX_ERROR;
    }

    p = rd->pos;

    if (p[0] != 0) {
        return ngx_dns_rd_fail(rd, "the version of a position is not 0");
    }

    for (i = 1; i < 4; i++) {
        if (p[i] >> 4 > 9 || (p[i] & 15) > 9) {
            return ngx_dns_rd_fail(rd, "a precision is not two digits");
        }
    }

    for (i = 1; i < 3; i++) {
        n = (int64_t) ngx_dns_get32(p + 4 * i) - NGX_DNS_LOC_EQUATOR;

        if (n < 0) {
            n = -n;
        }

        if (n > (int64_t) i * 90 * NGX_DNS_LOC_DEGREE) {
            return ngx_dns_rd_fail(rd, "a position is not on the globe");
        }
    }

    rd->pos += NGX_DNS_LOC_SIZE;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_loc_print(ngx_dns_rd_t *rd)
{
    u_char      *p;
    int64_t      cm;
    ngx_uint_t   i;

    p = rd->pos;
    rd->pos += NGX_DNS_LOC_SIZE;

    cm = (int64_t) ngx_dns_get32(p + 12) - NGX_DNS_LOC_ALTITUDE;

    if (ngx_dns_loc_put_angle(rd, ngx_dns_get32(p + 4), "NS") != NGX_OK
        || ngx_dns_loc_put_angle(rd, ngx_dns_get32(p + 8), "EW") != NGX_OK
        || ngx_dns_rd_printf(rd, "%s%L.%02Lm", (cm < 0) ? "-" : "",
                             (cm < 0) ? -cm / 100 : cm / 100,
                             (cm < 0) ? -cm % 100 : cm % 100)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 1; i < 4; i++) {
        if (ngx_dns_loc_put_precision(rd, p[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_loc_put_angle(ngx_dns_rd_t *rd, uint32_t angle, const char *ends)
{
    char        end;
    ngx_uint_t  n;

    if (angle >= NGX_DNS_LOC_EQUATOR) {
        n = angle - NGX_DNS_LOC_EQUATOR;
        end = ends[0];

    } else {
        n = NGX_DNS_LOC_EQUATOR - angle;
        end = ends[1];
    }

    return ngx_dns_rd_printf(rd, "%ui %ui %ui.%03ui %c ",
                             n / NGX_DNS_LOC_DEGREE, n / 60000 % 60,
                             n / 1000 % 60, n % 1000, end);
}


static ngx_int_t
ngx_dns_loc_put_precision(ngx_dns_rd_t *rd, ngx_uint_t n)
{
    ngx_uint_t  cm, power;

    cm = n >> 4;
    power = n & 15;

    if (cm == 0 && power > 0) {

        /* zero with a power has no text that keeps it */

        return NGX_ERROR;
    }

    for ( /* void */ ; power > 0; power--) {
        cm *= 10;
    }

    return ngx_dns_rd_printf(rd, " %ui.%02uim", cm / 100, cm % 100);
}
