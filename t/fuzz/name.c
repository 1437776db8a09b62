
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Names: any octets as wire format and as text; what is accepted must come
 * back the same, hash the same and keep the order of RFC 4034, 6.1.
 */


#include "shim.h"
#include "check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_wire(const uint8_t *data, size_t size);
static void fuzz_text(const uint8_t *data, size_t size);
static void fuzz_order(ngx_dns_name_t *a, ngx_dns_name_t *b);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }

    if (data[0] & 1) {
        fuzz_wire(data + 1, size - 1);

    } else {
        fuzz_text(data + 1, size - 1);
    }

    return 0;
}


static void
fuzz_wire(const uint8_t *data, size_t size)
{
    u_char          *p, *copy, text[NGX_DNS_NAME_TEXT_MAX];
    u_char           wire[NGX_DNS_NAME_MAX];
    size_t           n;
    uint64_t         hash;
    ngx_str_t        s;
    ngx_uint_t       i;
    const char      *err;
    ngx_dns_name_t   a, b, set;

    copy = malloc(size + 1);
    memcpy(copy, data, size);

    p = ngx_dns_name_parse(&a, copy, copy + size, &key);

    if (p == NULL) {
        free(copy);
        return;
    }

    check_that((size_t) (p - copy) == a.len && a.len <= NGX_DNS_NAME_MAX);
    check_that(ngx_dns_name_len(a.wire) == a.len);
    check_that(ngx_dns_name_labels(a.wire) == a.labels);

    ngx_dns_name_set(&set, a.wire, &key);
    hash = ngx_dns_name_hash_root(&key);

    for (i = a.labels + 1; i-- > 0; /* void */ ) {

        if (i < a.labels) {
            hash = ngx_dns_name_hash_label(a.wire + a.offset[i], hash, &key);
        }

        check_that(a.hash[i] == hash && set.hash[i] == hash);
        check_that(ngx_dns_name_skip(a.wire, i) == a.wire + a.offset[i]);
        check_that(ngx_dns_name_is_subdomain(a.wire, a.wire + a.offset[i])
                   == NGX_OK);
    }

    s.data = text;
    s.len = ngx_dns_name_to_text(text, a.wire) - text;
    check_that(s.len <= NGX_DNS_NAME_TEXT_MAX);

    n = ngx_dns_name_from_text(wire, &s, NULL, &err);
    check_that(n == a.len && memcmp(wire, a.wire, n) == 0);

    /* a second name behind the first */

    if (ngx_dns_name_parse(&b, p, copy + size, &key) != NULL) {
        fuzz_order(&a, &b);
    }

    free(copy);
}


static void
fuzz_order(ngx_dns_name_t *a, ngx_dns_name_t *b)
{
    ngx_int_t  ab, ba;

    ab = ngx_dns_name_cmp(a->wire, b->wire);
    ba = ngx_dns_name_cmp(b->wire, a->wire);

    check_that((ab > 0) == (ba < 0) && (ab < 0) == (ba > 0));
    check_that((ab == 0) == (a->len == b->len
                             && memcmp(a->wire, b->wire, a->len) == 0));

    if (ngx_dns_name_is_subdomain(a->wire, b->wire) == NGX_OK) {
        check_that(ab >= 0);
    }
}


static void
fuzz_text(const uint8_t *data, size_t size)
{
    u_char          *copy, wire[NGX_DNS_NAME_MAX], back[NGX_DNS_NAME_MAX];
    u_char           text[NGX_DNS_NAME_TEXT_MAX];
    size_t           n, m;
    ngx_str_t        s;
    const char      *err;
    ngx_dns_name_t   name;

    static const u_char  origin[] = "\007example\003com";

    copy = malloc(size + 1);
    memcpy(copy, data, size);

    s.data = copy;
    s.len = size;
    err = NULL;

    n = ngx_dns_name_from_text(wire, &s, (size & 1) ? origin : NULL, &err);

    if (n == 0) {
        check_that(err != NULL);
        free(copy);
        return;
    }

    check_that(ngx_dns_name_parse(&name, wire, wire + n, &key) == wire + n);
    check_that(memcmp(name.wire, wire, n) == 0);

    s.data = text;
    s.len = ngx_dns_name_to_text(text, wire) - text;

    m = ngx_dns_name_from_text(back, &s, origin, &err);
    check_that(m == n && memcmp(back, wire, n) == 0);

    free(copy);
}
