
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


static ngx_uint_t ngx_dns_rd_generic(ngx_dns_scan_t *s);
static ngx_int_t ngx_dns_rd_generic_scan(ngx_dns_rd_t *rd);
static ngx_int_t ngx_dns_rd_generic_print(ngx_dns_rd_t *rd);
static ngx_int_t ngx_dns_rd_text_form(ngx_dns_rd_t *rd);


#define ngx_dns_rd_kind(scan, check, print)                                   \
    { ngx_dns_rd_##scan##_scan, ngx_dns_rd_##check##_check,                   \
      ngx_dns_rd_##print##_print }

static ngx_dns_rd_kind_t  ngx_dns_rd_kinds[NGX_DNS_RD_COUNT] = {
    [NGX_DNS_RD_U8] = ngx_dns_rd_kind(u8, u8, u8),
    [NGX_DNS_RD_U16] = ngx_dns_rd_kind(u16, u16, u16),
    [NGX_DNS_RD_U32] = ngx_dns_rd_kind(u32, u32, u32),
    [NGX_DNS_RD_NAME] = ngx_dns_rd_kind(name, name, name),
    [NGX_DNS_RD_TARGET] = ngx_dns_rd_kind(name, name, name),
    [NGX_DNS_RD_NAMES] = ngx_dns_rd_kind(names, names, names),
    [NGX_DNS_RD_TTL] = ngx_dns_rd_kind(ttl, u32, u32),
    [NGX_DNS_RD_TIME] = ngx_dns_rd_kind(time, u32, time),
    [NGX_DNS_RD_TYPE] = ngx_dns_rd_kind(type, u16, type),
    [NGX_DNS_RD_ALG] = ngx_dns_rd_kind(alg, u8, u8),
    [NGX_DNS_RD_CERT] = ngx_dns_rd_kind(cert, u16, u16),
    [NGX_DNS_RD_SCHEME] = ngx_dns_rd_kind(scheme, u8, u8),
    [NGX_DNS_RD_A] = ngx_dns_rd_kind(a, a, a),
    [NGX_DNS_RD_AAAA] = ngx_dns_rd_kind(aaaa, aaaa, aaaa),
    [NGX_DNS_RD_GROUPS] = ngx_dns_rd_kind(groups, groups, groups),
    [NGX_DNS_RD_EUI48] = ngx_dns_rd_kind(eui48, eui48, eui48),
    [NGX_DNS_RD_EUI64] = ngx_dns_rd_kind(eui64, groups, eui64),
    [NGX_DNS_RD_STRING] = ngx_dns_rd_kind(string, string, string),
    [NGX_DNS_RD_OPTSTRING] = ngx_dns_rd_kind(optstring, optstring, strings),
    [NGX_DNS_RD_STRINGS] = ngx_dns_rd_kind(strings, strings, strings),
    [NGX_DNS_RD_DIGITS] = ngx_dns_rd_kind(digits, digits, string),
    [NGX_DNS_RD_FLOAT] = ngx_dns_rd_kind(float, float, string),
    [NGX_DNS_RD_TAG] = ngx_dns_rd_kind(tag, tag, tag),
    [NGX_DNS_RD_TEXT] = ngx_dns_rd_kind(text, text, text),
    [NGX_DNS_RD_HEX] = ngx_dns_rd_kind(hex, hex, hex),
    [NGX_DNS_RD_DIGEST] = ngx_dns_rd_kind(digest, digest, hex),
    [NGX_DNS_RD_BASE64] = ngx_dns_rd_kind(base64, hex, base64),
    [NGX_DNS_RD_OPTBASE64] = ngx_dns_rd_kind(optbase64, optbase64, base64),
    [NGX_DNS_RD_DATA] = ngx_dns_rd_kind(data, optbase64, data),
    [NGX_DNS_RD_SALT] = ngx_dns_rd_kind(salt, salt, salt),
    [NGX_DNS_RD_HASH] = ngx_dns_rd_kind(hash, hash, hash),
    [NGX_DNS_RD_BITMAP] = ngx_dns_rd_kind(bitmap, bitmap, bitmap),
    [NGX_DNS_RD_NXT] = ngx_dns_rd_kind(nxt, nxt, nxt),
    [NGX_DNS_RD_WKS] = ngx_dns_rd_kind(wks, wks, wks),
    [NGX_DNS_RD_NSAP] = ngx_dns_rd_kind(nsap, hex, nsap),
    [NGX_DNS_RD_ATMA] = ngx_dns_rd_kind(atma, atma, atma),
    [NGX_DNS_RD_LOC] = ngx_dns_rd_kind(loc, loc, loc),
    [NGX_DNS_RD_APL] = ngx_dns_rd_kind(apl, apl, apl),
    [NGX_DNS_RD_IPSECKEY] = ngx_dns_rd_kind(ipseckey, ipseckey, ipseckey),
    [NGX_DNS_RD_AMTRELAY] = ngx_dns_rd_kind(amtrelay, amtrelay, amtrelay),
    [NGX_DNS_RD_HIP] = ngx_dns_rd_kind(hip, hip, hip),
    [NGX_DNS_RD_SVCB] = ngx_dns_rd_kind(svcb, svcb, svcb),
    [NGX_DNS_RD_OPAQUE] = { ngx_dns_rd_opaque_scan, ngx_dns_rd_optbase64_check,
                            NULL }
};


ngx_int_t
ngx_dns_rdata_scan(ngx_dns_scan_t *s, ngx_uint_t type, u_char *buf,
    size_t size, size_t *len)
{
    uint8_t       *field;
    ngx_int_t      rc;
    ngx_dns_rd_t   rd;

    rd.type = type;
    rd.start = buf;
    rd.pos = buf;
    rd.last = buf + size;
    rd.scan = s;

    if (ngx_dns_scan_next(s) == NGX_OK && ngx_dns_rd_generic(s)) {
        rc = ngx_dns_rd_generic_scan(&rd);

    } else {
        rc = NGX_OK;

        for (field = ngx_dns_rr(type)->fields;
             *field != NGX_DNS_RD_END && rc == NGX_OK;
             field++)
        {
            rc = ngx_dns_rd_kinds[*field].scan(&rd);
        }
    }

    if (rc != NGX_OK || ngx_dns_scan_end(s) != NGX_OK) {
        return NGX_ERROR;
    }

    *len = rd.pos - buf;

    if (*len > NGX_DNS_RDATA_MAX) {
        return ngx_dns_scan_err(s, "rdata is longer than 65535 octets");
    }

    return NGX_OK;
}


/* whether the next word is \#, unquoted; moves behind it */

static ngx_uint_t
ngx_dns_rd_generic(ngx_dns_scan_t *s)
{
    if (s->pos[0] != '\\' || s->pos[1] != '#'
        || ngx_dns_scan_is_word(s->pos[2]))
    {
        return 0;
    }

    s->pos += 2;

    return 1;
}


static ngx_int_t
ngx_dns_rd_generic_scan(ngx_dns_rd_t *rd)
{
    uint32_t     len;
    const char  *err;

    if (ngx_dns_scan_number(rd->scan, NGX_DNS_RDATA_MAX, "rdata length", &len)
        != NGX_OK
        || ngx_dns_rd_hex_rest(rd) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if ((size_t) (rd->pos - rd->start) != len) {
        return ngx_dns_scan_err(rd->scan,
                                "rdata has %uz octets, its length says %uD",
                                (size_t) (rd->pos - rd->start), len);
    }

    if (ngx_dns_rdata_check(rd->type, rd->start, len, &err) != NGX_OK) {
        return ngx_dns_scan_err(rd->scan, "generic rdata: %s", err);
    }

    return NGX_OK;
}


ssize_t
ngx_dns_rdata_from_text(ngx_uint_t type, ngx_str_t *text, const u_char *origin,
    u_char *buf, size_t size, ngx_str_t *err)
{
    size_t          len;
    ngx_int_t       rc;
    ngx_dns_scan_t  scan;

    ngx_dns_scan_init(&scan, text->data, text->len, origin);

    rc = ngx_dns_rdata_scan(&scan, type, buf, size, &len);

    if (rc == NGX_OK && scan.pos != scan.last) {
        rc = ngx_dns_scan_err(&scan, "more than one line");
    }

    if (rc != NGX_OK) {
        ngx_memcpy(err->data, scan.err, scan.err_len);
        err->len = scan.err_len;

        return NGX_ERROR;
    }

    return len;
}


ngx_int_t
ngx_dns_rdata_check(ngx_uint_t type, u_char *rdata, size_t len,
    const char **err)
{
    uint8_t       *field;
    ngx_dns_rd_t   rd;

    rd.type = type;
    rd.start = rdata;
    rd.pos = rdata;
    rd.last = rdata + len;

    for (field = ngx_dns_rr(type)->fields; *field != NGX_DNS_RD_END; field++) {

        if (ngx_dns_rd_kinds[*field].check(&rd) != NGX_OK) {
            *err = rd.err;
            return NGX_ERROR;
        }
    }

    if (rd.pos != rd.last) {
        *err = "octets behind the last field";
        return NGX_ERROR;
    }

    return NGX_OK;
}


u_char *
ngx_dns_rdata_to_text(u_char *dst, u_char *last, ngx_uint_t type,
    const u_char *rdata, size_t len)
{
    ngx_dns_rd_t  rd;

    rd.type = type;
    rd.start = (u_char *) rdata;
    rd.pos = rd.start;
    rd.last = rd.start + len;
    rd.text = dst;
    rd.text_last = last;

    if (ngx_dns_rd_text_form(&rd) == NGX_OK) {
        return rd.text;
    }

    rd.pos = rd.start;
    rd.text = dst;

    return (ngx_dns_rd_generic_print(&rd) == NGX_OK) ? rd.text : NULL;
}


static ngx_int_t
ngx_dns_rd_text_form(ngx_dns_rd_t *rd)
{
    u_char         *text;
    uint8_t        *field;
    ngx_dns_rd_pt   print;

    for (field = ngx_dns_rr(rd->type)->fields;
         *field != NGX_DNS_RD_END;
         field++)
    {
        print = ngx_dns_rd_kinds[*field].print;

        if (print == NULL) {
            return NGX_ERROR;
        }

        if (rd->pos != rd->start
            && ngx_dns_rd_put(rd, (u_char *) " ", 1) != NGX_OK)
        {
            return NGX_ERROR;
        }

        text = rd->text;

        if (print(rd) != NGX_OK) {
            return NGX_ERROR;
        }

        if (rd->text == text && rd->pos != rd->start) {

            /* an optional field that is absent */

            rd->text--;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_rd_generic_print(ngx_dns_rd_t *rd)
{
    size_t  len;

    len = rd->last - rd->pos;

    if (ngx_dns_rd_printf(rd, "\\# %uz", len) != NGX_OK) {
        return NGX_ERROR;
    }

    if (len == 0) {
        return NGX_OK;
    }

    if (ngx_dns_rd_put(rd, (u_char *) " ", 1) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_rd_put_hex(rd, rd->pos, len);
}


ngx_int_t
ngx_dns_rd_opaque_scan(ngx_dns_rd_t *rd)
{
    return ngx_dns_scan_err(rd->scan, "rdata of this type has the form "
                            "\\# LENGTH HEX only");
}


ngx_int_t
ngx_dns_rd_room(ngx_dns_rd_t *rd, size_t n)
{
    if ((size_t) (rd->last - rd->pos) < n) {
        return ngx_dns_scan_err(rd->scan, "rdata is too long");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_need(ngx_dns_rd_t *rd, size_t n)
{
    if ((size_t) (rd->last - rd->pos) < n) {
        return ngx_dns_rd_fail(rd, "it ends inside a field");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_fail(ngx_dns_rd_t *rd, const char *err)
{
    rd->err = err;

    return NGX_ERROR;
}


ngx_int_t
ngx_dns_rd_put(ngx_dns_rd_t *rd, const u_char *text, size_t len)
{
    if ((size_t) (rd->text_last - rd->text) < len) {
        return NGX_ERROR;
    }

    rd->text = ngx_cpymem(rd->text, text, len);

    return NGX_OK;
}


ngx_int_t
ngx_dns_rd_printf(ngx_dns_rd_t *rd, const char *fmt, ...)
{
    u_char   *p, buf[128];
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(buf, buf + sizeof(buf), fmt, args);
    va_end(args);

    return ngx_dns_rd_put(rd, buf, p - buf);
}
