
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_explain_ctx.h"


#define NGX_DNS_EXPLAIN_RADIAN  57.29577951308232   /* degrees */


static void ngx_dns_explain_put(ngx_dns_explain_t *x, const u_char *line,
    size_t len);
static double ngx_dns_explain_angle(double y, double x);


void
ngx_dns_explain_begin(ngx_dns_explain_t *x, const char *what)
{
    x->p = x->line;

    ngx_dns_explain_add(x, "%03ui %s: ", x->nlines + 1, what);
}


void
ngx_dns_explain_add(ngx_dns_explain_t *x, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    x->p = ngx_vslprintf(x->p, x->line + NGX_DNS_EXPLAIN_LINE, fmt, args);
    va_end(args);
}


void
ngx_dns_explain_tell(ngx_dns_explain_t *x, const char *what, const char *fmt,
    ...)
{
    va_list  args;

    ngx_dns_explain_begin(x, what);

    va_start(args, fmt);
    x->p = ngx_vslprintf(x->p, x->line + NGX_DNS_EXPLAIN_LINE, fmt, args);
    va_end(args);

    ngx_dns_explain_end(x);
}


/* as a TXT record: strings of up to 255 octets */

void
ngx_dns_explain_end(ngx_dns_explain_t *x)
{
    u_char  *end;

    static u_char  cut[] = "999 more lines than fit";

    end = x->rrs.data + NGX_DNS_EXPLAIN_TEXT - 2 - sizeof(cut);

    if (x->nlines < NGX_DNS_EXPLAIN_LINES - 2
        && (size_t) (end - x->last) > (size_t) (x->p - x->line) + 2 + 4)
    {
        ngx_dns_explain_put(x, x->line, x->p - x->line);

    } else if (x->nlines < NGX_DNS_EXPLAIN_LINES) {
        ngx_dns_explain_put(x, cut, sizeof(cut) - 1);
        x->nlines = NGX_DNS_EXPLAIN_LINES;
    }
}


static void
ngx_dns_explain_put(ngx_dns_explain_t *x, const u_char *line, size_t len)
{
    u_char  *p;
    size_t   n;

    p = x->last + 2;

    do {
        n = ngx_min(len, 255);

        *p++ = (u_char) n;
        p = ngx_cpymem(p, line, n);

        line += n;
        len -= n;

    } while (len > 0);

    ngx_dns_put16(x->last, p - x->last - 2);

    x->last = p;
    x->nlines++;
    x->rrs.head.nrr++;
    x->rrs.head.size = (uint32_t) (p - x->rrs.data);
}


ngx_str_t *
ngx_dns_explain_text(ngx_dns_explain_t *x, const u_char *name)
{
    u_char      *p;
    ngx_str_t   *text;
    ngx_uint_t   i;

    i = x->name++ % NGX_DNS_EXPLAIN_NAMES;

    p = x->text[i];
    text = &x->names[i];

    text->data = p;
    text->len = ngx_dns_name_to_text(p, name) - p;

    return text;
}


void
ngx_dns_explain_add_type(ngx_dns_explain_t *x, ngx_uint_t type)
{
    u_char     buf[NGX_DNS_RR_TEXT_MAX];
    ngx_str_t  text;

    text.data = buf;
    text.len = ngx_dns_rr_type_text(buf, type) - buf;

    ngx_dns_explain_add(x, "%V", &text);
}


void
ngx_dns_explain_add_rdata(ngx_dns_explain_t *x, ngx_uint_t type,
    const u_char *rdata, size_t len)
{
    u_char  *p;

    p = ngx_dns_rdata_to_text(x->p, x->line + NGX_DNS_EXPLAIN_LINE, type,
                              rdata, len);

    if (p == NULL) {
        ngx_dns_explain_add(x, "(%uz octets)", len);
        return;
    }

    x->p = p;
}


void
ngx_dns_explain_add_address(ngx_dns_explain_t *x, const u_char *address,
    size_t len)
{
    ngx_dns_explain_add_rdata(x, (len == 4) ? NGX_DNS_TYPE_A
                                            : NGX_DNS_TYPE_AAAA,
                              address, len);
}


/* a value other than 0; points are told by ngx_dns_explain_add_point() */

void
ngx_dns_explain_add_fact(ngx_dns_explain_t *x, ngx_uint_t fact,
    uint32_t value)
{
    ngx_uint_t  i;

    switch (fact) {

    case NGX_DNS_GEO_COUNTRY:
    case NGX_DNS_GEO_CONTINENT:
        ngx_dns_explain_add(x, "%c%c", value >> 8 & 0xff, value & 0xff);
        return;

    case NGX_DNS_GEO_NETWORK:

        for (i = 0; i < x->nnetworks; i++) {
            if (x->networks[i].id == value) {
                ngx_dns_explain_add(x, "\"%V\"", &x->networks[i].name);
                return;
            }
        }

        ngx_dns_explain_add(x, "(no such network)");
        return;

    default: /* NGX_DNS_GEO_ASN */
        ngx_dns_explain_add(x, "AS%uD", value);
        return;
    }
}


/* latitude and longitude, degrees */

void
ngx_dns_explain_add_point(ngx_dns_explain_t *x, const double *point)
{
    double      square, root;
    ngx_uint_t  i;

    square = point[0] * point[0] + point[1] * point[1];
    root = 1;

    for (i = 0; i < 32; i++) {
        root = (root + square / root) / 2;
    }

    ngx_dns_explain_add(x, "%.1f ", ngx_dns_explain_angle(point[2], root));
    ngx_dns_explain_add(x, "%.1f", ngx_dns_explain_angle(point[1], point[0]));
}


/*
 * The angle of a point to the axis, degrees, to 0.001: as atan2(), which
 * would need a library.
 */

static double
ngx_dns_explain_angle(double y, double x)
{
    double  a, b, t, angle;

    a = (x < 0) ? -x : x;
    b = (y < 0) ? -y : y;

    if (a == 0 && b == 0) {
        return 0;
    }

    t = (b < a) ? b / a : a / b;

    angle = t * (0.99997726 + t * t * (-0.33262347 + t * t * (0.19354346
                 + t * t * (-0.11643287 + t * t * (0.05265332
                 - t * t * 0.01172120)))));
    angle *= NGX_DNS_EXPLAIN_RADIAN;

    if (b >= a) {
        angle = 90 - angle;
    }

    if (x < 0) {
        angle = 180 - angle;
    }

    return (y < 0) ? -angle : angle;
}
