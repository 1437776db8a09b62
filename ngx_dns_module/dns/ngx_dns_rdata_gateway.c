
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * IPSECKEY, RFC 4025, and AMTRELAY, RFC 8777: an address or a name, as a
 * type octet says.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rdata_kind.h"


typedef enum {
    ngx_dns_gateway_none = 0,
    ngx_dns_gateway_inet,
    ngx_dns_gateway_inet6,
    ngx_dns_gateway_name
} ngx_dns_gateway_e;


static ngx_int_t ngx_dns_gateway_scan(ngx_dns_rd_t *rd, ngx_uint_t type);
static ngx_int_t ngx_dns_gateway_check(ngx_dns_rd_t *rd, ngx_uint_t type);
static ngx_int_t ngx_dns_gateway_print(ngx_dns_rd_t *rd, ngx_uint_t type);


ngx_int_t
ngx_dns_rd_ipseckey_scan(ngx_dns_rd_t *rd)
{
    uint32_t  type, algorithm;

    if (ngx_dns_scan_number(rd->scan, ngx_dns_gateway_name, "gateway type",
                            &type) != NGX_OK
        || ngx_dns_scan_number(rd->scan, 255, "algorithm", &algorithm)
           != NGX_OK
        || ngx_dns_rd_room(rd, 2) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *rd->pos++ = (u_char) type;
    *rd->pos++ = (u_char) algorithm;

    return ngx_dns_gateway_scan(rd, type);
}


ngx_int_t
ngx_dns_rd_ipseckey_check(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_need(rd, 2) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos += 2;

    return ngx_dns_gateway_check(rd, rd->pos[-2]);
}


ngx_int_t
ngx_dns_rd_ipseckey_print(ngx_dns_rd_t *rd)
{
    ngx_uint_t  type;

    type = rd->pos[0];
    rd->pos += 2;

    if (ngx_dns_rd_printf(rd, "%ui %ui ", type, (ngx_uint_t) rd->pos[-1])
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_dns_gateway_print(rd, type);
}


ngx_int_t
ngx_dns_rd_amtrelay_scan(ngx_dns_rd_t *rd)
{
    uint32_t  optional, type;

    if (ngx_dns_scan_number(rd->scan, 1, "discovery bit", &optional)
        != NGX_OK
        || ngx_dns_scan_number(rd->scan, ngx_dns_gateway_name, "relay type",
                               &type) != NGX_OK
        || ngx_dns_rd_room(rd, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *rd->pos++ = (u_char) (optional << 7 | type);

    return ngx_dns_gateway_scan(rd, type);
}


ngx_int_t
ngx_dns_rd_amtrelay_check(ngx_dns_rd_t *rd)
{
    if (ngx_dns_rd_need(rd, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    rd->pos++;

    return ngx_dns_gateway_check(rd, rd->pos[-1] & 0x7f);
}


ngx_int_t
ngx_dns_rd_amtrelay_print(ngx_dns_rd_t *rd)
{
    ngx_uint_t  type;

    type = *rd->pos++;

    if (ngx_dns_rd_printf(rd, "%ui %ui ", type >> 7, type & 0x7f) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_dns_gateway_print(rd, type & 0x7f);
}


static ngx_int_t
ngx_dns_gateway_scan(ngx_dns_rd_t *rd, ngx_uint_t type)
{
    ngx_dns_word_t  w;

    switch (type) {

    case ngx_dns_gateway_inet:
        return ngx_dns_rd_a_scan(rd);

    case ngx_dns_gateway_inet6:
        return ngx_dns_rd_aaaa_scan(rd);

    case ngx_dns_gateway_name:
        return ngx_dns_rd_name_scan(rd);
    }

    if (ngx_dns_scan_plain(rd->scan, &w, "gateway") != NGX_OK) {
        return NGX_ERROR;
    }

    if (w.len != 1 || w.data[0] != '.') {
        return ngx_dns_scan_err_word(rd->scan, &w,
                                     "is not \".\", as type 0 wants");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_gateway_check(ngx_dns_rd_t *rd, ngx_uint_t type)
{
    switch (type) {

    case ngx_dns_gateway_none:
        return NGX_OK;

    case ngx_dns_gateway_inet:
        return ngx_dns_rd_a_check(rd);

    case ngx_dns_gateway_inet6:
        return ngx_dns_rd_aaaa_check(rd);

    case ngx_dns_gateway_name:
        return ngx_dns_rd_name_check(rd);
    }

    return ngx_dns_rd_fail(rd, "the gateway type is unknown");
}


static ngx_int_t
ngx_dns_gateway_print(ngx_dns_rd_t *rd, ngx_uint_t type)
{
    switch (type) {

    case ngx_dns_gateway_inet:
        return ngx_dns_rd_a_print(rd);

    case ngx_dns_gateway_inet6:
        return ngx_dns_rd_aaaa_print(rd);

    case ngx_dns_gateway_name:
        return ngx_dns_rd_name_print(rd);
    }

    return ngx_dns_rd_put(rd, (u_char *) ".", 1);
}
