
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The parameters of SVCB and HTTPS, RFC 9460.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


#define NGX_DNS_SVCB_MANDATORY   0
#define NGX_DNS_SVCB_ALPN        1
#define NGX_DNS_SVCB_NO_DEFAULT  2
#define NGX_DNS_SVCB_NONE        65535  /* reserved as invalid */


/*
 * One kind of parameter.  The wire form is KEY LENGTH VALUE; pos and last of
 * "scan" are room for the value, of "check" and "print" the value itself.
 */

typedef struct {
    ngx_str_t     name;
    ngx_int_t   (*scan)(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
    const char *(*check)(u_char *p, u_char *last);
    ngx_int_t   (*print)(ngx_dns_rd_t *rd, u_char *p, u_char *last);
} ngx_dns_svcb_key_t;


static ngx_int_t ngx_dns_svcb_param(ngx_dns_rd_t *rd, u_char *params);
static ngx_int_t ngx_dns_svcb_value(ngx_dns_rd_t *rd, ngx_int_t key,
    ngx_uint_t named, ngx_dns_word_t *w);
static ngx_int_t ngx_dns_svcb_key(u_char *p, size_t len, ngx_uint_t *named);
static ngx_int_t ngx_dns_svcb_sort(u_char *params, u_char *param,
    u_char *last);
static void ngx_dns_svcb_reverse(u_char *p, u_char *last);
static u_char *ngx_dns_svcb_find(u_char *p, u_char *last, ngx_uint_t key);
static const char *ngx_dns_svcb_error(ngx_dns_rd_t *rd);
static ngx_int_t ngx_dns_svcb_put_key(ngx_dns_rd_t *rd, ngx_uint_t key);

static ngx_int_t ngx_dns_svcb_mandatory_scan(ngx_dns_rd_t *rd,
    ngx_dns_word_t *w);
static const char *ngx_dns_svcb_mandatory_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_mandatory_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_alpn_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_alpn_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_alpn_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_empty_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_empty_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_empty_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_port_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_port_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_port_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_inet_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_inet_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_inet_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_inet6_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_inet6_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_inet6_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_ech_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_ech_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_ech_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);
static ngx_int_t ngx_dns_svcb_text_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static const char *ngx_dns_svcb_dohpath_check(u_char *p, u_char *last);
static ngx_int_t ngx_dns_svcb_text_print(ngx_dns_rd_t *rd, u_char *p,
    u_char *last);


/* indexed by the number of the key: RFC 9460, 14.3.2; RFC 9461; RFC 9540 */

static ngx_dns_svcb_key_t  ngx_dns_svcb_keys[] = {

    { ngx_string("mandatory"), ngx_dns_svcb_mandatory_scan,
      ngx_dns_svcb_mandatory_check, ngx_dns_svcb_mandatory_print },

    { ngx_string("alpn"), ngx_dns_svcb_alpn_scan,
      ngx_dns_svcb_alpn_check, ngx_dns_svcb_alpn_print },

    { ngx_string("no-default-alpn"), ngx_dns_svcb_empty_scan,
      ngx_dns_svcb_empty_check, ngx_dns_svcb_empty_print },

    { ngx_string("port"), ngx_dns_svcb_port_scan,
      ngx_dns_svcb_port_check, ngx_dns_svcb_port_print },

    { ngx_string("ipv4hint"), ngx_dns_svcb_inet_scan,
      ngx_dns_svcb_inet_check, ngx_dns_svcb_inet_print },

    { ngx_string("ech"), ngx_dns_svcb_ech_scan,
      ngx_dns_svcb_ech_check, ngx_dns_svcb_ech_print },

    { ngx_string("ipv6hint"), ngx_dns_svcb_inet6_scan,
      ngx_dns_svcb_inet6_check, ngx_dns_svcb_inet6_print },

    { ngx_string("dohpath"), ngx_dns_svcb_text_scan,
      ngx_dns_svcb_dohpath_check, ngx_dns_svcb_text_print },

    { ngx_string("ohttp"), ngx_dns_svcb_empty_scan,
      ngx_dns_svcb_empty_check, ngx_dns_svcb_empty_print }
};

#define NGX_DNS_SVCB_KEYS                                                     \
    (sizeof(ngx_dns_svcb_keys) / sizeof(ngx_dns_svcb_key_t))


ngx_int_t
ngx_dns_rd_svcb_scan(ngx_dns_rd_t *rd)
{
    u_char        *params;
    ngx_int_t      rc;
    const char    *err;
    ngx_dns_rd_t   wire;

    params = rd->pos;

    for ( ;; ) {
        rc = ngx_dns_scan_next(rd->scan);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DONE) {
            break;
        }

        if (ngx_dns_svcb_param(rd, params) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    wire = *rd;
    wire.pos = params;
    wire.last = rd->pos;

    err = ngx_dns_svcb_error(&wire);

    return (err == NULL) ? NGX_OK : ngx_dns_scan_err(rd->scan, "%s", err);
}


/*
 * KEY or KEY=VALUE, where the value may be quoted.  A quote ends a word, so
 * such a value is a word of its own right behind the "=".
 */

static ngx_int_t
ngx_dns_svcb_param(ngx_dns_rd_t *rd, u_char *params)
{
    u_char          *param, *equal, *last;
    ngx_int_t        key;
    ngx_uint_t       named;
    ngx_dns_word_t   w, value;

    if (ngx_dns_scan_plain(rd->scan, &w, "parameter") != NGX_OK) {
        return NGX_ERROR;
    }

    last = w.data + w.len;
    equal = memchr(w.data, '=', w.len);

    if (equal == NULL) {
        equal = last;
    }

    key = ngx_dns_svcb_key(w.data, equal - w.data, &named);

    if (key == NGX_ERROR) {
        return ngx_dns_scan_err_word(rd->scan, &w, "is not a parameter "
                                     "that is known, nor like key123=value");
    }

    ngx_memzero(&value, sizeof(ngx_dns_word_t));
    value.data = last;

    if (equal != last) {
        value.data = equal + 1;
        value.len = last - value.data;
        value.escaped = w.escaped;

        if (value.len == 0 && *rd->scan->pos == '"'
            && ngx_dns_scan_word(rd->scan, &value) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (ngx_dns_rd_room(rd, 4) != NGX_OK) {
        return NGX_ERROR;
    }

    param = rd->pos;
    rd->pos += 4;

    if (ngx_dns_svcb_value(rd, key, named, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (rd->pos - param - 4 > 65535) {
        return ngx_dns_scan_err(rd->scan, "rdata is too long");
    }

    (void) ngx_dns_put16(ngx_dns_put16(param, key), rd->pos - param - 4);

    if (ngx_dns_svcb_sort(params, param, rd->pos) != NGX_OK) {
        return ngx_dns_scan_err_word(rd->scan, &w,
                                     "has a key that came before");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_svcb_value(ngx_dns_rd_t *rd, ngx_int_t key, ngx_uint_t named,
    ngx_dns_word_t *w)
{
    if (!named) {
        return ngx_dns_svcb_text_scan(rd, w);
    }

    return ngx_dns_svcb_keys[key].scan(rd, w);
}


/* "named" is 0 for the form keyNNN, whose value is any octets */

static ngx_int_t
ngx_dns_svcb_key(u_char *p, size_t len, ngx_uint_t *named)
{
    u_char     *last;
    ngx_int_t   n;

    *named = 1;

    for (n = 0; n < (ngx_int_t) NGX_DNS_SVCB_KEYS; n++) {

        if (ngx_dns_svcb_keys[n].name.len == len
            && ngx_memcmp(ngx_dns_svcb_keys[n].name.data, p, len) == 0)
        {
            return n;
        }
    }

    if (len < 4 || len > 8 || ngx_memcmp(p, "key", 3) != 0) {
        return NGX_ERROR;
    }

    *named = 0;
    last = p + len;
    p += 3;

    if (*p == '0' && len > 4) {
        return NGX_ERROR;
    }

    for (n = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        n = n * 10 + (*p - '0');
    }

    return (p == last && n < NGX_DNS_SVCB_NONE) ? n : NGX_ERROR;
}


/*
 * Moves the last parameter to its place among those in front, which are in
 * order.  NGX_DECLINED: the key is there already.
 */

static ngx_int_t
ngx_dns_svcb_sort(u_char *params, u_char *param, u_char *last)
{
    u_char      *p;
    ngx_uint_t   key;

    key = ngx_dns_get16(param);

    for (p = params; p < param; p += 4 + ngx_dns_get16(p + 2)) {

        if (ngx_dns_get16(p) == key) {
            return NGX_DECLINED;
        }

        if (ngx_dns_get16(p) > key) {
            break;
        }
    }

    if (p < param) {

        /* a rotation is three reversals */

        ngx_dns_svcb_reverse(p, param);
        ngx_dns_svcb_reverse(param, last);
        ngx_dns_svcb_reverse(p, last);
    }

    return NGX_OK;
}


static void
ngx_dns_svcb_reverse(u_char *p, u_char *last)
{
    u_char  ch;

    while (p < --last) {
        ch = *p;
        *p++ = *last;
        *last = ch;
    }
}


/* the parameter of a key, or NULL */

static u_char *
ngx_dns_svcb_find(u_char *p, u_char *last, ngx_uint_t key)
{
    for ( /* void */ ; p < last; p += 4 + ngx_dns_get16(p + 2)) {
        if (ngx_dns_get16(p) == key) {
            return p;
        }
    }

    return NULL;
}


ngx_int_t
ngx_dns_rd_svcb_check(ngx_dns_rd_t *rd)
{
    const char  *err;

    err = ngx_dns_svcb_error(rd);

    if (err != NULL) {
        return ngx_dns_rd_fail(rd, err);
    }

    rd->pos = rd->last;

    return NGX_OK;
}


/* what is wrong with the parameters pos .. last, or NULL */

static const char *
ngx_dns_svcb_error(ngx_dns_rd_t *rd)
{
    u_char      *p, *end, *mandatory;
    ngx_int_t    prev, key;
    const char  *err;

    if (rd->pos < rd->last && ngx_dns_get16(rd->start) == 0) {
        return "an alias (priority 0) has no parameters";
    }

    prev = -1;

    for (p = rd->pos; p < rd->last; p = end) {

        if (rd->last - p < 4) {
            return "a parameter does not end";
        }

        key = ngx_dns_get16(p);
        end = p + 4 + ngx_dns_get16(p + 2);

        if (end > rd->last) {
            return "a parameter does not end";
        }

        if (key <= prev) {
            return "the parameters are not in order";
        }

        if (key == NGX_DNS_SVCB_NONE) {
            return "key65535 is reserved";
        }

        if (key < (ngx_int_t) NGX_DNS_SVCB_KEYS) {
            err = ngx_dns_svcb_keys[key].check(p + 4, end);

            if (err != NULL) {
                return err;
            }
        }

        prev = key;
    }

    if (ngx_dns_svcb_find(rd->pos, rd->last, NGX_DNS_SVCB_NO_DEFAULT) != NULL
        && ngx_dns_svcb_find(rd->pos, rd->last, NGX_DNS_SVCB_ALPN) == NULL)
    {
        return "no-default-alpn wants alpn";
    }

    mandatory = ngx_dns_svcb_find(rd->pos, rd->last, NGX_DNS_SVCB_MANDATORY);

    if (mandatory == NULL) {
        return NULL;
    }

    end = mandatory + 4 + ngx_dns_get16(mandatory + 2);

    for (p = mandatory + 4; p < end; p += 2) {
        if (ngx_dns_svcb_find(rd->pos, rd->last, ngx_dns_get16(p)) == NULL) {
            return "a mandatory parameter is missing";
        }
    }

    return NULL;
}


ngx_int_t
ngx_dns_rd_svcb_print(ngx_dns_rd_t *rd)
{
    u_char      *p, *end;
    ngx_int_t    rc;
    ngx_uint_t   key;

    for (p = rd->pos; p < rd->last; p = end) {
        key = ngx_dns_get16(p);
        end = p + 4 + ngx_dns_get16(p + 2);

        if ((p != rd->pos && ngx_dns_rd_put(rd, (u_char *) " ", 1) != NGX_OK)
            || ngx_dns_svcb_put_key(rd, key) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (p + 4 == end) {
            continue;
        }

        if (ngx_dns_rd_put(rd, (u_char *) "=", 1) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = (key < NGX_DNS_SVCB_KEYS)
             ? ngx_dns_svcb_keys[key].print(rd, p + 4, end)
             : ngx_dns_svcb_text_print(rd, p + 4, end);

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    rd->pos = p;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_svcb_put_key(ngx_dns_rd_t *rd, ngx_uint_t key)
{
    if (key < NGX_DNS_SVCB_KEYS) {
        return ngx_dns_rd_put(rd, ngx_dns_svcb_keys[key].name.data,
                              ngx_dns_svcb_keys[key].name.len);
    }

    return ngx_dns_rd_printf(rd, "key%ui", key);
}


/*
 * RFC 9460, 8: names of keys with commas between.  The wire form is in
 * order; like the values below this one has no escapes.
 */

static ngx_int_t
ngx_dns_svcb_mandatory_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char      *p, *last, *comma, *start, *q;
    ngx_int_t    key;
    ngx_uint_t   named;

    start = rd->pos;
    last = w->data + w->len;

    for (p = w->data; /* void */ ; p = comma + 1) {

        comma = memchr(p, ',', last - p);

        if (comma == NULL) {
            comma = last;
        }

        key = ngx_dns_svcb_key(p, comma - p, &named);

        if (key == NGX_ERROR) {
            return ngx_dns_scan_err_word(rd->scan, w,
                                         "is not a list of keys");
        }

        if (ngx_dns_rd_room(rd, 2) != NGX_OK) {
            return NGX_ERROR;
        }

        for (q = rd->pos; q > start; q -= 2) {

            if ((ngx_int_t) ngx_dns_get16(q - 2) <= key) {
                break;
            }

            q[0] = q[-2];
            q[1] = q[-1];
        }

        (void) ngx_dns_put16(q, key);
        rd->pos += 2;

        if (comma == last) {
            return NGX_OK;
        }
    }
}


static const char *
ngx_dns_svcb_mandatory_check(u_char *p, u_char *last)
{
    ngx_uint_t  prev;

    if (p == last || (last - p) % 2 != 0) {
        return "mandatory is not a list of keys";
    }

    for (prev = NGX_DNS_SVCB_MANDATORY; p < last; p += 2) {

        if (ngx_dns_get16(p) <= prev) {
            return "mandatory names itself, or a key twice";
        }

        prev = ngx_dns_get16(p);
    }

    return NULL;
}


static ngx_int_t
ngx_dns_svcb_mandatory_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    u_char  *start;

    for (start = p; p < last; p += 2) {

        if ((p != start && ngx_dns_rd_put(rd, (u_char *) ",", 1) != NGX_OK)
            || ngx_dns_svcb_put_key(rd, ngx_dns_get16(p)) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * RFC 9460, 7.1.1 and A.1: the value is unescaped as a string, and then its
 * commas part it, unless they are escaped once more.  The list of the wire
 * is one octet longer, so it can be made in place, one octet further left.
 */

static ngx_int_t
ngx_dns_svcb_alpn_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char  *p, *last, *name, *dst;

    if (ngx_dns_rd_room(rd, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    p = rd->pos + 1;
    last = ngx_dns_scan_unescape(rd->scan, w, p, rd->last,
                                 "does not fit: rdata is too long");
    if (last == NULL) {
        return NGX_ERROR;
    }

    name = rd->pos;
    dst = name + 1;

    for ( ;; ) {

        if (p == last || *p == ',') {

            if (dst - name == 1 || dst - name > 256) {
                return ngx_dns_scan_err_word(rd->scan, w,
                           "has a protocol name of 0 or more than 255 octets");
            }

            *name = (u_char) (dst - name - 1);

            if (p == last) {
                break;
            }

            p++;
            name = dst++;
            continue;
        }

        if (*p == '\\' && ++p == last) {
            return ngx_dns_scan_err_word(rd->scan, w,
                                         "ends with a backslash");
        }

        *dst++ = *p++;
    }

    rd->pos = dst;

    return NGX_OK;
}


static const char *
ngx_dns_svcb_alpn_check(u_char *p, u_char *last)
{
    if (p == last) {
        return "alpn is empty";
    }

    for ( /* void */ ; p < last; p += 1 + *p) {
        if (*p == 0 || last - p <= *p) {
            return "alpn is not a list of protocol names";
        }
    }

    return NULL;
}


static ngx_int_t
ngx_dns_svcb_alpn_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    u_char      *start, list[2 * 255 + 1], *dst;
    ngx_uint_t   n;

    if (ngx_dns_rd_put(rd, (u_char *) "\"", 1) != NGX_OK) {
        return NGX_ERROR;
    }

    for (start = p; p < last; /* void */ ) {

        dst = list;

        if (p != start) {
            *dst++ = ',';
        }

        for (n = *p++; n > 0; n--) {

            if (*p == ',' || *p == '\\') {
                *dst++ = '\\';
            }

            *dst++ = *p++;
        }

        if (ngx_dns_rd_put_escaped(rd, list, dst - list) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_dns_rd_put(rd, (u_char *) "\"", 1);
}


static ngx_int_t
ngx_dns_svcb_empty_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    if (w->len > 0) {
        return ngx_dns_scan_err_word(rd->scan, w,
                                     "is a value where none may be");
    }

    return NGX_OK;
}


static const char *
ngx_dns_svcb_empty_check(u_char *p, u_char *last)
{
    return (p == last) ? NULL : "a parameter has a value where none may be";
}


static ngx_int_t
ngx_dns_svcb_empty_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    return NGX_OK;
}


/* RFC 9460, 7.2 */

static ngx_int_t
ngx_dns_svcb_port_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char      *p, *last;
    ngx_uint_t   port;

    last = w->data + w->len;
    port = 0;

    for (p = w->data; p < last && port <= 65535; p++) {

        if (*p < '0' || *p > '9') {
            break;
        }

        port = port * 10 + (*p - '0');
    }

    if (p != last || w->len == 0 || port > 65535) {
        return ngx_dns_scan_err_word(rd->scan, w, "is not a port");
    }

    if (ngx_dns_rd_room(rd, 2) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos = ngx_dns_put16(rd->pos, port);

    return NGX_OK;
}


static const char *
ngx_dns_svcb_port_check(u_char *p, u_char *last)
{
    return (last - p == 2) ? NULL : "port has not two octets";
}


static ngx_int_t
ngx_dns_svcb_port_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    return ngx_dns_rd_printf(rd, "%ui", ngx_dns_get16(p));
}


/* RFC 9460, 7.3: addresses with commas between */

static ngx_int_t
ngx_dns_svcb_inet_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char  *p, *last;

    last = w->data + w->len;

    for (p = w->data; /* void */ ; p++) {

        if (ngx_dns_rd_room(rd, 4) != NGX_OK) {
            return NGX_ERROR;
        }

        p = ngx_dns_rd_inet(p, rd->pos);

        if (p == NULL || (p != last && *p != ',')) {
            return ngx_dns_scan_err_word(rd->scan, w,
                                         "is not a list of IPv4 addresses");
        }

        rd->pos += 4;

        if (p == last) {
            return NGX_OK;
        }
    }
}


static const char *
ngx_dns_svcb_inet_check(u_char *p, u_char *last)
{
    return (last != p && (last - p) % 4 == 0) ? NULL
           : "ipv4hint is not a list of addresses";
}


static ngx_int_t
ngx_dns_svcb_inet_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    u_char  *start;

    for (start = p; p < last; p += 4) {

        if (ngx_dns_rd_printf(rd, "%s%ui.%ui.%ui.%ui", (p == start) ? "" : ",",
                              (ngx_uint_t) p[0], (ngx_uint_t) p[1],
                              (ngx_uint_t) p[2], (ngx_uint_t) p[3])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_svcb_inet6_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char  *p, *last;

    last = w->data + w->len;

    for (p = w->data; /* void */ ; p++) {

        if (ngx_dns_rd_room(rd, 16) != NGX_OK) {
            return NGX_ERROR;
        }

        p = ngx_dns_rd_inet6(p, rd->pos);

        if (p == NULL || (p != last && *p != ',')) {
            return ngx_dns_scan_err_word(rd->scan, w,
                                         "is not a list of IPv6 addresses");
        }

        rd->pos += 16;

        if (p == last) {
            return NGX_OK;
        }
    }
}


static const char *
ngx_dns_svcb_inet6_check(u_char *p, u_char *last)
{
    return (last != p && (last - p) % 16 == 0) ? NULL
           : "ipv6hint is not a list of addresses";
}


static ngx_int_t
ngx_dns_svcb_inet6_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    u_char  *start;

    for (start = p; p < last; p += 16) {

        if ((p != start && ngx_dns_rd_put(rd, (u_char *) ",", 1) != NGX_OK)
            || ngx_dns_rd_put_inet6(rd, p) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* base64; quotes around the value are as good as none */

static ngx_int_t
ngx_dns_svcb_ech_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    ngx_dns_word_t  plain;

    plain = *w;
    plain.quoted = 0;

    if (plain.len == 0) {
        return ngx_dns_scan_err(rd->scan, "ech is empty");
    }

    return ngx_dns_rd_base64_word(rd, &plain);
}


static const char *
ngx_dns_svcb_ech_check(u_char *p, u_char *last)
{
    return (p != last) ? NULL : "ech is empty";
}


static ngx_int_t
ngx_dns_svcb_ech_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    return ngx_dns_rd_put_base64(rd, p, last - p);
}


static ngx_int_t
ngx_dns_svcb_text_scan(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char  *p;

    p = ngx_dns_scan_unescape(rd->scan, w, rd->pos, rd->last,
                              "does not fit: rdata is too long");
    if (p == NULL) {
        return NGX_ERROR;
    }

    rd->pos = p;

    return NGX_OK;
}


/* RFC 9461, 5: a relative URI template with the variable "dns" */

static const char *
ngx_dns_svcb_dohpath_check(u_char *p, u_char *last)
{
    ngx_uint_t  braces;

    if (p == last || *p != '/') {
        return "dohpath does not start with \"/\"";
    }

    braces = 0;

    for ( /* void */ ; p < last; p++) {

        if (*p == '{') {
            braces = 1;

        } else if (*p == '}') {
            braces = 0;

        } else if (braces && last - p > 3 && ngx_memcmp(p, "dns", 3) == 0
                   && (p[3] == '}' || p[3] == ',')
                   && (p[-1] == '?' || p[-1] == '&' || p[-1] == ','
                       || p[-1] == '{'))
        {
            return NULL;
        }
    }

    return "dohpath has no variable \"dns\"";
}


static ngx_int_t
ngx_dns_svcb_text_print(ngx_dns_rd_t *rd, u_char *p, u_char *last)
{
    return ngx_dns_rd_put_quoted(rd, p, last - p);
}
