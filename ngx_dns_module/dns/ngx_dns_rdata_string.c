
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Names and character strings.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


static ngx_uint_t ngx_dns_rd_keeps_case(ngx_dns_rd_t *rd);
static void ngx_dns_rd_name_case(u_char *name, u_char *p, u_char *last);
static ngx_int_t ngx_dns_rd_word(ngx_dns_rd_t *rd, ngx_dns_word_t *w);
static ngx_int_t ngx_dns_rd_checked(ngx_dns_rd_t *rd, ngx_dns_word_t *w,
    ngx_dns_rd_pt check);
static ngx_uint_t ngx_dns_rd_digits(u_char *p, u_char *last, ngx_uint_t *n);


/*
 * The names of these types are not folded when they are signed or compared
 * (RFC 4034, 6.2; RFC 6840, 5.1), so they stay as they are written.
 */

static ngx_uint_t
ngx_dns_rd_keeps_case(ngx_dns_rd_t *rd)
{
    return !(ngx_dns_rr(rd->type)->flags & NGX_DNS_RR_LOWCASE);
}


/* gives a name that was read from p .. last its upper case back */

static void
ngx_dns_rd_name_case(u_char *name, u_char *p, u_char *last)
{
    ngx_uint_t  n;

    if (*p == '@' && last - p == 1) {
        return;
    }

    while (*name != 0 && p < last) {

        for (n = *name++; n > 0; n--) {

            if (*p == '\\') {
                p += ngx_dns_scan_octet(p, last, name);

            } else {
                *name = *p++;
            }

            name++;
        }

        p++;
    }
}


ngx_int_t
ngx_dns_rd_name_scan(ngx_dns_rd_t *rd)
{
    u_char  *start, buf[NGX_DNS_SCAN_NAME];
    size_t   len;

    (void) ngx_dns_scan_next(rd->scan);
    start = rd->scan->pos;

    if (rd->last - rd->pos >= NGX_DNS_SCAN_NAME) {

        if (ngx_dns_scan_name(rd->scan, rd->pos, &len) != NGX_OK) {
            return NGX_ERROR;
        }

    } else {

        if (ngx_dns_scan_name(rd->scan, buf, &len) != NGX_OK
            || ngx_dns_rd_room(rd, len) != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_memcpy(rd->pos, buf, len);
    }

    if (ngx_dns_rd_keeps_case(rd)) {
        ngx_dns_rd_name_case(rd->pos, start, rd->scan->pos);
    }

    rd->pos += len;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_name_check(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;

    for ( ;; ) {

        if (p == rd->last || p - rd->pos >= NGX_DNS_NAME_MAX) {
            return ngx_dns_rd_fail(rd, "a name does not end");
        }

        if (*p == 0) {
            break;
        }

        if (*p > NGX_DNS_LABEL_MAX) {
            return ngx_dns_rd_fail(rd, "a name is compressed or broken");
        }

        if (rd->last - p <= *p) {
            return ngx_dns_rd_fail(rd, "a name does not end");
        }

        p += *p + 1;
    }

    p++;

    if (!ngx_dns_rd_keeps_case(rd)) {
        ngx_dns_name_lower(rd->pos, rd->pos, p - rd->pos);
    }

    rd->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_name_print(ngx_dns_rd_t *rd)
{
    u_char  *p, buf[NGX_DNS_NAME_TEXT_MAX];

    p = ngx_dns_name_to_text(buf, rd->pos);
    rd->pos += ngx_dns_name_len(rd->pos);

    return ngx_dns_rd_put(rd, buf, p - buf);
}


ngx_int_t
ngx_dns_rd_names_scan(ngx_dns_rd_t *rd)
{
    ngx_int_t  rc;

    for ( ;; ) {
        rc = ngx_dns_scan_next(rd->scan);

        if (rc != NGX_OK) {
            return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
        }

        if (ngx_dns_rd_name_scan(rd) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


ngx_int_t
ngx_dns_rd_names_check(ngx_dns_rd_t *rd)
{
    while (rd->pos < rd->last) {
        if (ngx_dns_rd_name_check(rd) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_names_print(ngx_dns_rd_t *rd)
{
    ngx_uint_t  n;

    for (n = 0; rd->pos < rd->last; n++) {

        if (n > 0 && ngx_dns_rd_put(rd, (u_char *) " ", 1) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_dns_rd_name_print(rd) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* RFC 1035, 3.3 and 5.1: <character-string> */

ngx_int_t
ngx_dns_rd_string_scan(ngx_dns_rd_t *rd)
{
    ngx_dns_word_t  w;

    return ngx_dns_rd_word(rd, &w);
}


static ngx_int_t
ngx_dns_rd_word(ngx_dns_rd_t *rd, ngx_dns_word_t *w)
{
    u_char     *p, *last;
    ngx_int_t   rc;

    rc = ngx_dns_scan_word(rd->scan, w);

    if (rc == NGX_DONE) {
        return ngx_dns_scan_err(rd->scan, "no string");
    }

    if (rc == NGX_ERROR || ngx_dns_rd_room(rd, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    last = ngx_min(rd->last, rd->pos + 1 + 255);

    p = ngx_dns_scan_unescape(rd->scan, w, rd->pos + 1, last,
                              (last == rd->last)
                              ? "does not fit: rdata is too long"
                              : "is longer than 255 octets");
    if (p == NULL) {
        return NGX_ERROR;
    }

    *rd->pos = (u_char) (p - rd->pos - 1);
    rd->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_string_check(ngx_dns_rd_t *rd)
{
    if (rd->pos == rd->last || rd->last - rd->pos <= *rd->pos) {
        return ngx_dns_rd_fail(rd, "a string does not end");
    }

    rd->pos += 1 + *rd->pos;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_string_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos += 1 + *p;

    return ngx_dns_rd_put_quoted(rd, p + 1, *p);
}


ngx_int_t
ngx_dns_rd_put_quoted(ngx_dns_rd_t *rd, const u_char *p, size_t len)
{
    if (ngx_dns_rd_put(rd, (u_char *) "\"", 1) != NGX_OK
        || ngx_dns_rd_put_escaped(rd, p, len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_dns_rd_put(rd, (u_char *) "\"", 1);
}


ngx_int_t
ngx_dns_rd_put_escaped(ngx_dns_rd_t *rd, const u_char *p, size_t len)
{
    u_char        *dst;
    const u_char  *last;

    dst = rd->text;

    if ((size_t) (rd->text_last - dst) < 4 * len) {
        return NGX_ERROR;
    }

    for (last = p + len; p < last; p++) {

        if (*p < 0x20 || *p >= 0x7f) {
            *dst++ = '\\';
            *dst++ = (u_char) ('0' + *p / 100);
            *dst++ = (u_char) ('0' + *p / 10 % 10);
            *dst++ = (u_char) ('0' + *p % 10);
            continue;
        }

        if (*p == '"' || *p == '\\') {
            *dst++ = '\\';
        }

        *dst++ = *p;
    }

    rd->text = dst;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_optstring_scan(ngx_dns_rd_t *rd)
{
    ngx_int_t  rc;

    rc = ngx_dns_scan_next(rd->scan);

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
    }

    return ngx_dns_rd_string_scan(rd);
}


ngx_int_t
ngx_dns_rd_optstring_check(ngx_dns_rd_t *rd)
{
    if (rd->pos == rd->last) {
        return NGX_OK;
    }

    return ngx_dns_rd_string_check(rd);
}


ngx_int_t
ngx_dns_rd_strings_scan(ngx_dns_rd_t *rd)
{
    ngx_int_t  rc;

    do {
        if (ngx_dns_rd_string_scan(rd) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = ngx_dns_scan_next(rd->scan);

    } while (rc == NGX_OK);

    return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_dns_rd_strings_check(ngx_dns_rd_t *rd)
{
    do {
        if (ngx_dns_rd_string_check(rd) != NGX_OK) {
            return NGX_ERROR;
        }

    } while (rd->pos < rd->last);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_strings_print(ngx_dns_rd_t *rd)
{
    ngx_uint_t  n;

    for (n = 0; rd->pos < rd->last; n++) {

        if (n > 0 && ngx_dns_rd_put(rd, (u_char *) " ", 1) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_dns_rd_string_print(rd) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* a string whose contents have rules: what holds for the wire decides */

static ngx_int_t
ngx_dns_rd_checked(ngx_dns_rd_t *rd, ngx_dns_word_t *w, ngx_dns_rd_pt check)
{
    u_char        buf[256];
    ngx_int_t     rc;
    ngx_dns_rd_t  wire;

    wire.pos = rd->pos;

    if (ngx_dns_rd_word(rd, w) != NGX_OK) {
        return NGX_ERROR;
    }

    wire.last = rd->pos;
    rc = check(&wire);

    if (rc != NGX_OK) {
        *ngx_snprintf(buf, sizeof(buf) - 1, "is wrong: %s", wire.err) = '\0';
        return ngx_dns_scan_err_word(rd->scan, w, (char *) buf);
    }

    return NGX_OK;
}


/* RFC 1183, 3.1: the PSDN address begins with four digits of the DNIC */

ngx_int_t
ngx_dns_rd_digits_scan(ngx_dns_rd_t *rd)
{
    ngx_dns_word_t  w;

    return ngx_dns_rd_checked(rd, &w, ngx_dns_rd_digits_check);
}


ngx_int_t
ngx_dns_rd_digits_check(ngx_dns_rd_t *rd)
{
    u_char      *p;
    ngx_uint_t   n;

    p = rd->pos;

    if (ngx_dns_rd_string_check(rd) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_dns_rd_digits(p + 1, rd->pos, &n) != (ngx_uint_t) *p || n < 4) {
        return ngx_dns_rd_fail(rd, "a PSDN address has four digits or more");
    }

    return NGX_OK;
}


/* counts the digits at p */

static ngx_uint_t
ngx_dns_rd_digits(u_char *p, u_char *last, ngx_uint_t *n)
{
    for (*n = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        (*n)++;
    }

    return *n;
}


/* RFC 1712, 3: degrees and meters as decimal numbers */

ngx_int_t
ngx_dns_rd_float_scan(ngx_dns_rd_t *rd)
{
    ngx_dns_word_t  w;

    return ngx_dns_rd_checked(rd, &w, ngx_dns_rd_float_check);
}


ngx_int_t
ngx_dns_rd_float_check(ngx_dns_rd_t *rd)
{
    u_char      *p;
    ngx_uint_t   whole, part;

    p = rd->pos + 1;

    if (ngx_dns_rd_string_check(rd) != NGX_OK) {
        return NGX_ERROR;
    }

    if (p < rd->pos && (*p == '-' || *p == '+')) {
        p++;
    }

    p += ngx_dns_rd_digits(p, rd->pos, &whole);
    part = 0;

    if (p < rd->pos && *p == '.') {
        p++;
        p += ngx_dns_rd_digits(p, rd->pos, &part);
    }

    if (p != rd->pos || whole + part == 0) {
        return ngx_dns_rd_fail(rd, "a position is a decimal number");
    }

    return NGX_OK;
}


/* RFC 8659, 4.1: the property tag has letters and digits only */

ngx_int_t
ngx_dns_rd_tag_scan(ngx_dns_rd_t *rd)
{
    ngx_dns_word_t  w;

    return ngx_dns_rd_checked(rd, &w, ngx_dns_rd_tag_check);
}


ngx_int_t
ngx_dns_rd_tag_check(ngx_dns_rd_t *rd)
{
    u_char  *p, ch;

    p = rd->pos + 1;

    if (ngx_dns_rd_string_check(rd) != NGX_OK) {
        return NGX_ERROR;
    }

    if (p == rd->pos) {
        return ngx_dns_rd_fail(rd, "the property tag is empty");
    }

    for ( /* void */ ; p < rd->pos; p++) {
        ch = *p | 0x20;

        if ((ch < 'a' || ch > 'z') && (*p < '0' || *p > '9')) {
            return ngx_dns_rd_fail(rd, "a property tag has letters and "
                                       "digits only");
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_tag_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos += 1 + *p;

    return ngx_dns_rd_put(rd, p + 1, *p);
}


/* RFC 8659, 4.1.1; RFC 7553, 4.4: all that is left, without a length */

ngx_int_t
ngx_dns_rd_text_scan(ngx_dns_rd_t *rd)
{
    u_char          *p;
    ngx_int_t        rc;
    ngx_dns_word_t   w;

    rc = ngx_dns_scan_word(rd->scan, &w);

    if (rc == NGX_DONE) {
        return ngx_dns_scan_err(rd->scan, "no string");
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    p = ngx_dns_scan_unescape(rd->scan, &w, rd->pos, rd->last,
                              "does not fit: rdata is too long");
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (rd->type == NGX_DNS_TYPE_URI && p == rd->pos) {
        return ngx_dns_scan_err(rd->scan, "the target is empty");
    }

    rd->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_text_check(ngx_dns_rd_t *rd)
{
    if (rd->type == NGX_DNS_TYPE_URI && rd->pos == rd->last) {
        return ngx_dns_rd_fail(rd, "the target is empty");
    }

    rd->pos = rd->last;

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_text_print(ngx_dns_rd_t *rd)
{
    u_char  *p;

    p = rd->pos;
    rd->pos = rd->last;

    return ngx_dns_rd_put_quoted(rd, p, rd->last - p);
}
