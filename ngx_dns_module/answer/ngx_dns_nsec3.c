
/*
 * Copyright (C) ngx_dns_module contributors
 */


/* the one-shot and EVP forms of SHA-1 allocate at every call */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <ngx_config.h>
#include <ngx_core.h>
#include <openssl/sha.h>
#include "ngx_dns_nsec3.h"


static void ngx_dns_nsec3_base32(u_char *dst, const u_char *src);


/* 20 octets as 32 characters of base32hex, lower case: RFC 4648, 7 */

static void
ngx_dns_nsec3_base32(u_char *dst, const u_char *src)
{
    uint64_t     bits;
    ngx_uint_t   i, k;

    static const char  digits[] = "0123456789abcdefghijklmnopqrstuv";

    for (i = 0; i < 4; i++) {
        bits = 0;

        for (k = 0; k < 5; k++) {
            bits = bits << 8 | *src++;
        }

        for (k = 8; k > 0; k--) {
            *dst++ = (u_char) digits[(bits >> (5 * (k - 1))) & 0x1f];
        }
    }
}


ngx_int_t
ngx_dns_nsec3_label(const ngx_dns_zone_t *zone, const u_char *name,
    u_char *label)
{
    u_char      *param, digest[SHA_DIGEST_LENGTH];
    size_t       salt;
    SHA_CTX      sha;
    ngx_uint_t   n;

    param = ngx_dns_zone_nsec3param(zone);

    if (param == NULL) {
        return NGX_DECLINED;
    }

    salt = param[4];

    SHA1_Init(&sha);
    SHA1_Update(&sha, name, ngx_dns_name_len(name));
    SHA1_Update(&sha, param + 5, salt);
    SHA1_Final(digest, &sha);

    for (n = ngx_dns_get16(param + 2); n > 0; n--) {
        SHA1_Init(&sha);
        SHA1_Update(&sha, digest, sizeof(digest));
        SHA1_Update(&sha, param + 5, salt);
        SHA1_Final(digest, &sha);
    }

    label[0] = 32;
    ngx_dns_nsec3_base32(label + 1, digest);

    return NGX_OK;
}
