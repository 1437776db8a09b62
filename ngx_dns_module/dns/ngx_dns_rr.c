
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_rr.h"


#define NGX_DNS_RR_HIGH  0x8000         /* first type of the second table */


static ngx_int_t ngx_dns_rr_type_search(u_char *text, size_t len);
static ngx_int_t ngx_dns_rr_cmp(u_char *text, size_t len, ngx_str_t *name);
static ngx_uint_t ngx_dns_rr_begins(u_char *text, size_t len, const char *s,
    size_t n);
static ngx_int_t ngx_dns_rr_number(u_char *text, size_t len);
static u_char *ngx_dns_rr_number_text(u_char *p, ngx_uint_t n);


/* the rows, indexed by the number of the type; a gap has an empty name */

static ngx_dns_rr_t  ngx_dns_rr_low[] = {

    [NGX_DNS_TYPE_A] =
    { ngx_string("A"), NGX_DNS_TYPE_A, 0,
      { NGX_DNS_RD_A, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_NS] =
    { ngx_string("NS"), NGX_DNS_TYPE_NS,
      NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE|NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_TARGET, NGX_DNS_RD_END } },

    [3] =
    { ngx_string("MD"), 3, NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [4] =
    { ngx_string("MF"), 4, NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_CNAME] =
    { ngx_string("CNAME"), NGX_DNS_TYPE_CNAME,
      NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE|NGX_DNS_RR_SINGLE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_SOA] =
    { ngx_string("SOA"), NGX_DNS_TYPE_SOA,
      NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE|NGX_DNS_RR_SINGLE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_NAME, NGX_DNS_RD_U32, NGX_DNS_RD_TTL,
        NGX_DNS_RD_TTL, NGX_DNS_RD_TTL, NGX_DNS_RD_TTL, NGX_DNS_RD_END } },

    [7] =
    { ngx_string("MB"), 7, NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [8] =
    { ngx_string("MG"), 8, NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [9] =
    { ngx_string("MR"), 9, NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [10] =
    { ngx_string("NULL"), 10, 0,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [11] =
    { ngx_string("WKS"), 11, 0,
      { NGX_DNS_RD_A, NGX_DNS_RD_WKS, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_PTR] =
    { ngx_string("PTR"), NGX_DNS_TYPE_PTR,
      NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_HINFO] =
    { ngx_string("HINFO"), NGX_DNS_TYPE_HINFO, 0,
      { NGX_DNS_RD_STRING, NGX_DNS_RD_STRING, NGX_DNS_RD_END } },

    [14] =
    { ngx_string("MINFO"), 14, NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_MX] =
    { ngx_string("MX"), NGX_DNS_TYPE_MX,
      NGX_DNS_RR_COMPRESS|NGX_DNS_RR_LOWCASE|NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_TARGET, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_TXT] =
    { ngx_string("TXT"), NGX_DNS_TYPE_TXT, 0,
      { NGX_DNS_RD_STRINGS, NGX_DNS_RD_END } },

    [17] =
    { ngx_string("RP"), 17, NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [18] =
    { ngx_string("AFSDB"), 18, NGX_DNS_RR_LOWCASE|NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_TARGET, NGX_DNS_RD_END } },

    [19] =
    { ngx_string("X25"), 19, 0,
      { NGX_DNS_RD_DIGITS, NGX_DNS_RD_END } },

    [20] =
    { ngx_string("ISDN"), 20, 0,
      { NGX_DNS_RD_STRING, NGX_DNS_RD_OPTSTRING, NGX_DNS_RD_END } },

    [21] =
    { ngx_string("RT"), 21, NGX_DNS_RR_LOWCASE|NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_TARGET, NGX_DNS_RD_END } },

    [22] =
    { ngx_string("NSAP"), 22, 0,
      { NGX_DNS_RD_NSAP, NGX_DNS_RD_END } },

    [23] =
    { ngx_string("NSAP-PTR"), 23, 0,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_SIG] =
    { ngx_string("SIG"), NGX_DNS_TYPE_SIG, NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_TYPE, NGX_DNS_RD_ALG, NGX_DNS_RD_U8, NGX_DNS_RD_U32,
        NGX_DNS_RD_TIME, NGX_DNS_RD_TIME, NGX_DNS_RD_U16, NGX_DNS_RD_NAME,
        NGX_DNS_RD_BASE64, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_KEY] =
    { ngx_string("KEY"), NGX_DNS_TYPE_KEY, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U8, NGX_DNS_RD_ALG, NGX_DNS_RD_OPTBASE64,
        NGX_DNS_RD_END } },

    [26] =
    { ngx_string("PX"), 26, NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_U16, NGX_DNS_RD_NAME, NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [27] =
    { ngx_string("GPOS"), 27, 0,
      { NGX_DNS_RD_FLOAT, NGX_DNS_RD_FLOAT, NGX_DNS_RD_FLOAT,
        NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_AAAA] =
    { ngx_string("AAAA"), NGX_DNS_TYPE_AAAA, 0,
      { NGX_DNS_RD_AAAA, NGX_DNS_RD_END } },

    [29] =
    { ngx_string("LOC"), 29, 0,
      { NGX_DNS_RD_LOC, NGX_DNS_RD_END } },

    [30] =
    { ngx_string("NXT"), 30, NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_NXT, NGX_DNS_RD_END } },

    [31] =
    { ngx_string("EID"), 31, 0,
      { NGX_DNS_RD_HEX, NGX_DNS_RD_END } },

    [32] =
    { ngx_string("NIMLOC"), 32, 0,
      { NGX_DNS_RD_HEX, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_SRV] =
    { ngx_string("SRV"), NGX_DNS_TYPE_SRV,
      NGX_DNS_RR_LOWCASE|NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U16, NGX_DNS_RD_U16, NGX_DNS_RD_TARGET,
        NGX_DNS_RD_END } },

    [34] =
    { ngx_string("ATMA"), 34, 0,
      { NGX_DNS_RD_ATMA, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_NAPTR] =
    { ngx_string("NAPTR"), NGX_DNS_TYPE_NAPTR, NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U16, NGX_DNS_RD_STRING, NGX_DNS_RD_STRING,
        NGX_DNS_RD_STRING, NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_KX] =
    { ngx_string("KX"), NGX_DNS_TYPE_KX,
      NGX_DNS_RR_LOWCASE|NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_TARGET, NGX_DNS_RD_END } },

    [37] =
    { ngx_string("CERT"), 37, 0,
      { NGX_DNS_RD_CERT, NGX_DNS_RD_U16, NGX_DNS_RD_ALG, NGX_DNS_RD_BASE64,
        NGX_DNS_RD_END } },

    [38] =
    { ngx_string("A6"), 38, 0,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_DNAME] =
    { ngx_string("DNAME"), NGX_DNS_TYPE_DNAME,
      NGX_DNS_RR_LOWCASE|NGX_DNS_RR_SINGLE,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [40] =
    { ngx_string("SINK"), 40, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_OPTBASE64,
        NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_OPT] =
    { ngx_string("OPT"), NGX_DNS_TYPE_OPT, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [42] =
    { ngx_string("APL"), 42, 0,
      { NGX_DNS_RD_APL, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_DS] =
    { ngx_string("DS"), NGX_DNS_TYPE_DS, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_ALG, NGX_DNS_RD_U8, NGX_DNS_RD_DIGEST,
        NGX_DNS_RD_END } },

    [44] =
    { ngx_string("SSHFP"), 44, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_HEX, NGX_DNS_RD_END } },

    [45] =
    { ngx_string("IPSECKEY"), 45, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_IPSECKEY, NGX_DNS_RD_OPTBASE64,
        NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_RRSIG] =
    { ngx_string("RRSIG"), NGX_DNS_TYPE_RRSIG, NGX_DNS_RR_LOWCASE,
      { NGX_DNS_RD_TYPE, NGX_DNS_RD_ALG, NGX_DNS_RD_U8, NGX_DNS_RD_U32,
        NGX_DNS_RD_TIME, NGX_DNS_RD_TIME, NGX_DNS_RD_U16, NGX_DNS_RD_NAME,
        NGX_DNS_RD_BASE64, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_NSEC] =
    { ngx_string("NSEC"), NGX_DNS_TYPE_NSEC, 0,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_BITMAP, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_DNSKEY] =
    { ngx_string("DNSKEY"), NGX_DNS_TYPE_DNSKEY, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U8, NGX_DNS_RD_ALG, NGX_DNS_RD_BASE64,
        NGX_DNS_RD_END } },

    [49] =
    { ngx_string("DHCID"), 49, 0,
      { NGX_DNS_RD_BASE64, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_NSEC3] =
    { ngx_string("NSEC3"), NGX_DNS_TYPE_NSEC3, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_U16, NGX_DNS_RD_SALT,
        NGX_DNS_RD_HASH, NGX_DNS_RD_BITMAP, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_NSEC3PARAM] =
    { ngx_string("NSEC3PARAM"), NGX_DNS_TYPE_NSEC3PARAM, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_U16, NGX_DNS_RD_SALT,
        NGX_DNS_RD_END } },

    [52] =
    { ngx_string("TLSA"), 52, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_HEX,
        NGX_DNS_RD_END } },

    [53] =
    { ngx_string("SMIMEA"), 53, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_HEX,
        NGX_DNS_RD_END } },

    [55] =
    { ngx_string("HIP"), 55, 0,
      { NGX_DNS_RD_HIP, NGX_DNS_RD_NAMES, NGX_DNS_RD_END } },

    [56] =
    { ngx_string("NINFO"), 56, 0,
      { NGX_DNS_RD_STRINGS, NGX_DNS_RD_END } },

    [57] =
    { ngx_string("RKEY"), 57, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U8, NGX_DNS_RD_ALG, NGX_DNS_RD_BASE64,
        NGX_DNS_RD_END } },

    [58] =
    { ngx_string("TALINK"), 58, 0,
      { NGX_DNS_RD_NAME, NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [59] =
    { ngx_string("CDS"), 59, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_ALG, NGX_DNS_RD_U8, NGX_DNS_RD_DIGEST,
        NGX_DNS_RD_END } },

    [60] =
    { ngx_string("CDNSKEY"), 60, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U8, NGX_DNS_RD_ALG, NGX_DNS_RD_BASE64,
        NGX_DNS_RD_END } },

    [61] =
    { ngx_string("OPENPGPKEY"), 61, 0,
      { NGX_DNS_RD_BASE64, NGX_DNS_RD_END } },

    [62] =
    { ngx_string("CSYNC"), 62, 0,
      { NGX_DNS_RD_U32, NGX_DNS_RD_U16, NGX_DNS_RD_BITMAP, NGX_DNS_RD_END } },

    [63] =
    { ngx_string("ZONEMD"), 63, 0,
      { NGX_DNS_RD_U32, NGX_DNS_RD_U8, NGX_DNS_RD_U8, NGX_DNS_RD_DIGEST,
        NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_SVCB] =
    { ngx_string("SVCB"), NGX_DNS_TYPE_SVCB, NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_TARGET, NGX_DNS_RD_SVCB, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_HTTPS] =
    { ngx_string("HTTPS"), NGX_DNS_TYPE_HTTPS, NGX_DNS_RR_ADDITIONAL,
      { NGX_DNS_RD_U16, NGX_DNS_RD_TARGET, NGX_DNS_RD_SVCB, NGX_DNS_RD_END } },

    [66] =
    { ngx_string("DSYNC"), 66, 0,
      { NGX_DNS_RD_TYPE, NGX_DNS_RD_SCHEME, NGX_DNS_RD_U16, NGX_DNS_RD_NAME,
        NGX_DNS_RD_END } },

    [99] =
    { ngx_string("SPF"), 99, 0,
      { NGX_DNS_RD_STRINGS, NGX_DNS_RD_END } },

    [104] =
    { ngx_string("NID"), 104, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_GROUPS, NGX_DNS_RD_END } },

    [105] =
    { ngx_string("L32"), 105, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_A, NGX_DNS_RD_END } },

    [106] =
    { ngx_string("L64"), 106, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_GROUPS, NGX_DNS_RD_END } },

    [107] =
    { ngx_string("LP"), 107, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_NAME, NGX_DNS_RD_END } },

    [108] =
    { ngx_string("EUI48"), 108, 0,
      { NGX_DNS_RD_EUI48, NGX_DNS_RD_END } },

    [109] =
    { ngx_string("EUI64"), 109, 0,
      { NGX_DNS_RD_EUI64, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_TKEY] =
    { ngx_string("TKEY"), NGX_DNS_TYPE_TKEY, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_TSIG] =
    { ngx_string("TSIG"), NGX_DNS_TYPE_TSIG, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_IXFR] =
    { ngx_string("IXFR"), NGX_DNS_TYPE_IXFR, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_AXFR] =
    { ngx_string("AXFR"), NGX_DNS_TYPE_AXFR, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_MAILB] =
    { ngx_string("MAILB"), NGX_DNS_TYPE_MAILB, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_MAILA] =
    { ngx_string("MAILA"), NGX_DNS_TYPE_MAILA, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [NGX_DNS_TYPE_ANY] =
    { ngx_string("ANY"), NGX_DNS_TYPE_ANY, NGX_DNS_RR_META,
      { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END } },

    [256] =
    { ngx_string("URI"), 256, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_U16, NGX_DNS_RD_TEXT, NGX_DNS_RD_END } },

    [257] =
    { ngx_string("CAA"), 257, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_TAG, NGX_DNS_RD_TEXT, NGX_DNS_RD_END } },

    [258] =
    { ngx_string("AVC"), 258, 0,
      { NGX_DNS_RD_STRINGS, NGX_DNS_RD_END } },

    [259] =
    { ngx_string("DOA"), 259, 0,
      { NGX_DNS_RD_U32, NGX_DNS_RD_U32, NGX_DNS_RD_U8, NGX_DNS_RD_STRING,
        NGX_DNS_RD_DATA, NGX_DNS_RD_END } },

    [260] =
    { ngx_string("AMTRELAY"), 260, 0,
      { NGX_DNS_RD_U8, NGX_DNS_RD_AMTRELAY, NGX_DNS_RD_END } },

    [261] =
    { ngx_string("RESINFO"), 261, 0,
      { NGX_DNS_RD_STRINGS, NGX_DNS_RD_END } },

    [262] =
    { ngx_string("WALLET"), 262, 0,
      { NGX_DNS_RD_STRINGS, NGX_DNS_RD_END } }
};


static ngx_dns_rr_t  ngx_dns_rr_high[] = {

    { ngx_string("TA"), 32768, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_ALG, NGX_DNS_RD_U8, NGX_DNS_RD_DIGEST,
        NGX_DNS_RD_END } },

    { ngx_string("DLV"), 32769, 0,
      { NGX_DNS_RD_U16, NGX_DNS_RD_ALG, NGX_DNS_RD_U8, NGX_DNS_RD_DIGEST,
        NGX_DNS_RD_END } }
};


static ngx_dns_rr_t  ngx_dns_rr_unknown = {
    ngx_null_string, 0, 0, { NGX_DNS_RD_OPAQUE, NGX_DNS_RD_END }
};


/* the types in the order of their names */

static uint16_t  ngx_dns_rr_by_name[] = {
    1, 38, 28, 18, 260, 255, 42, 34, 258, 252, 257, 60, 59, 37, 5, 62, 49,
    32769, 39, 48, 259, 43, 66, 31, 108, 109, 27, 13, 55, 65, 45, 20, 251,
    25, 36, 105, 106, 29, 107, 254, 253, 7, 3, 4, 8, 14, 9, 15, 35, 104, 32,
    56, 2, 22, 23, 47, 50, 51, 10, 30, 61, 41, 12, 26, 261, 57, 17, 46, 21,
    24, 40, 53, 6, 99, 33, 44, 64, 32768, 58, 249, 52, 250, 16, 256, 262,
    11, 19, 63};


ngx_dns_rr_t *
ngx_dns_rr(ngx_uint_t type)
{
    ngx_dns_rr_t  *rr;

    if (type < sizeof(ngx_dns_rr_low) / sizeof(ngx_dns_rr_t)) {
        rr = &ngx_dns_rr_low[type];

        return rr->name.len ? rr : &ngx_dns_rr_unknown;
    }

    type -= NGX_DNS_RR_HIGH;

    if (type < sizeof(ngx_dns_rr_high) / sizeof(ngx_dns_rr_t)) {
        return &ngx_dns_rr_high[type];
    }

    return &ngx_dns_rr_unknown;
}


/* the usual types by their letters, all others by a binary search */

ngx_int_t
ngx_dns_rr_type(u_char *text, size_t len)
{
    u_char  c[4];

    if (len == 0) {
        return NGX_ERROR;
    }

    c[0] = text[0] & ~0x20;

    if (len == 1) {
        return (c[0] == 'A') ? NGX_DNS_TYPE_A : NGX_ERROR;
    }

    c[1] = text[1] & ~0x20;

    if (len == 2) {

        if (c[0] == 'N' && c[1] == 'S') {
            return NGX_DNS_TYPE_NS;
        }

        if (c[0] == 'M' && c[1] == 'X') {
            return NGX_DNS_TYPE_MX;
        }
    }

    if (len == 3) {
        c[2] = text[2] & ~0x20;

        if (c[0] == 'T' && c[1] == 'X' && c[2] == 'T') {
            return NGX_DNS_TYPE_TXT;
        }
    }

    if (len == 4 && c[0] == 'A' && c[1] == 'A') {
        c[2] = text[2] & ~0x20;
        c[3] = text[3] & ~0x20;

        if (c[2] == 'A' && c[3] == 'A') {
            return NGX_DNS_TYPE_AAAA;
        }
    }

    return ngx_dns_rr_type_search(text, len);
}


static ngx_int_t
ngx_dns_rr_type_search(u_char *text, size_t len)
{
    ngx_int_t   n;
    ngx_uint_t  low, high, i;

    low = 0;
    high = sizeof(ngx_dns_rr_by_name) / sizeof(uint16_t);

    while (low < high) {
        i = (low + high) / 2;

        n = ngx_dns_rr_cmp(text, len, &ngx_dns_rr(ngx_dns_rr_by_name[i])->name);

        if (n == 0) {
            return ngx_dns_rr_by_name[i];
        }

        if (n < 0) {
            high = i;

        } else {
            low = i + 1;
        }
    }

    if (ngx_dns_rr_begins(text, len, "TYPE", 4)) {
        return ngx_dns_rr_number(text + 4, len - 4);
    }

    return NGX_ERROR;
}


static ngx_int_t
ngx_dns_rr_cmp(u_char *text, size_t len, ngx_str_t *name)
{
    u_char      c;
    ngx_uint_t  i;

    for (i = 0; i < len && i < name->len; i++) {

        c = ngx_toupper(text[i]);

        if (c != name->data[i]) {
            return (ngx_int_t) c - name->data[i];
        }
    }

    return (ngx_int_t) len - (ngx_int_t) name->len;
}


ngx_int_t
ngx_dns_rr_class(u_char *text, size_t len)
{
    u_char  a, b;

    if (len == 2) {
        a = text[0] & ~0x20;
        b = text[1] & ~0x20;

        if (a == 'I' && b == 'N') {
            return NGX_DNS_CLASS_IN;
        }

        if (a == 'C' && b == 'H') {
            return NGX_DNS_CLASS_CH;
        }

        if (a == 'H' && b == 'S') {
            return NGX_DNS_CLASS_HS;
        }

        return NGX_ERROR;
    }

    if (len == 3 && ngx_dns_rr_begins(text, len, "ANY", 3)) {
        return NGX_DNS_CLASS_ANY;
    }

    if (len == 4 && ngx_dns_rr_begins(text, len, "NONE", 4)) {
        return NGX_DNS_CLASS_NONE;
    }

    if (ngx_dns_rr_begins(text, len, "CLASS", 5)) {
        return ngx_dns_rr_number(text + 5, len - 5);
    }

    return NGX_ERROR;
}


/* whether a text starts with the n upper-case letters of s */

static ngx_uint_t
ngx_dns_rr_begins(u_char *text, size_t len, const char *s, size_t n)
{
    size_t  i;

    if (len < n) {
        return 0;
    }

    for (i = 0; i < n; i++) {
        if (ngx_toupper(text[i]) != s[i]) {
            return 0;
        }
    }

    return 1;
}


/* decimal digits, at most 65535 */

static ngx_int_t
ngx_dns_rr_number(u_char *text, size_t len)
{
    ngx_int_t  n;

    if (len == 0 || len > 5) {
        return NGX_ERROR;
    }

    for (n = 0; len > 0; text++, len--) {

        if (*text < '0' || *text > '9') {
            return NGX_ERROR;
        }

        n = n * 10 + (*text - '0');
    }

    return (n <= 65535) ? n : NGX_ERROR;
}


u_char *
ngx_dns_rr_type_text(u_char *buf, ngx_uint_t type)
{
    ngx_dns_rr_t  *rr;

    rr = ngx_dns_rr(type);

    if (rr->name.len) {
        return ngx_cpymem(buf, rr->name.data, rr->name.len);
    }

    return ngx_dns_rr_number_text(ngx_cpymem(buf, "TYPE", 4), type);
}


u_char *
ngx_dns_rr_class_text(u_char *buf, ngx_uint_t class)
{
    switch (class) {

    case NGX_DNS_CLASS_IN:
        return ngx_cpymem(buf, "IN", 2);

    case NGX_DNS_CLASS_CH:
        return ngx_cpymem(buf, "CH", 2);

    case NGX_DNS_CLASS_HS:
        return ngx_cpymem(buf, "HS", 2);

    case NGX_DNS_CLASS_NONE:
        return ngx_cpymem(buf, "NONE", 4);

    case NGX_DNS_CLASS_ANY:
        return ngx_cpymem(buf, "ANY", 3);
    }

    return ngx_dns_rr_number_text(ngx_cpymem(buf, "CLASS", 5), class);
}


static u_char *
ngx_dns_rr_number_text(u_char *p, ngx_uint_t n)
{
    u_char      digits[NGX_INT_T_LEN];
    ngx_uint_t  i;

    i = 0;

    do {
        digits[i++] = (u_char) ('0' + n % 10);
        n /= 10;
    } while (n);

    while (i) {
        *p++ = digits[--i];
    }

    return p;
}
