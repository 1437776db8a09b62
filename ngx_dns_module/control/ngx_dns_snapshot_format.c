
/*
 * Copyright (C) ngx_dns_module contributors
 */


/* the EVP form of SHA-256 allocates at every call */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <ngx_config.h>
#include <ngx_core.h>
#include <openssl/sha.h>
#include "ngx_dns_snapshot_format.h"
#include "ngx_dns_verify.h"


#define NGX_DNS_SNAPSHOT_MAGIC    "NGX_DNS_SNAPSHOT"
#define NGX_DNS_SNAPSHOT_ORDER    0x01020304


typedef char  ngx_dns_snapshot_digest_fits_t[
    NGX_DNS_SNAPSHOT_DIGEST == SHA256_DIGEST_LENGTH ? 1 : -1];


static ngx_int_t ngx_dns_snapshot_fail(ngx_dns_snapshot_reader_t *r,
    const char *fmt, ...);


void
ngx_dns_snapshot_put_head(u_char *p, const ngx_dns_snapshot_head_t *head)
{
    uint32_t  order;

    ngx_memzero(p, NGX_DNS_SNAPSHOT_HEAD);

    order = NGX_DNS_SNAPSHOT_ORDER;

    ngx_memcpy(p, NGX_DNS_SNAPSHOT_MAGIC, 16);
    ngx_dns_put32(p + 16, NGX_DNS_SNAPSHOT_FORMAT);
    ngx_dns_put32(p + 20, NGX_DNS_ZONE_VERSION);
    ngx_memcpy(p + 24, &order, 4);
    ngx_memcpy(p + 32, &head->signature, 8);
    ngx_memcpy(p + 40, &head->time, 8);
    ngx_memcpy(p + 48, &head->zones, 8);
    ngx_memcpy(p + 56, &head->size, 8);
    ngx_memcpy(p + 64, head->digest, NGX_DNS_SNAPSHOT_DIGEST);

    ngx_dns_snapshot_digest(p + 96, p, 96);
}


void
ngx_dns_snapshot_digest(u_char *digest, const u_char *p, size_t n)
{
    SHA256_CTX  sha;

    SHA256_Init(&sha);
    SHA256_Update(&sha, p, n);
    SHA256_Final(digest, &sha);
}


void
ngx_dns_snapshot_put_zone(u_char *p, const ngx_dns_zone_t *zone)
{
    uint64_t  stored;

    stored = ngx_dns_snapshot_stored(zone);

    ngx_memcpy(p, &zone->size, 8);
    ngx_memcpy(p + 8, &stored, 8);
}


void
ngx_dns_snapshot_put_octets(u_char *p, const ngx_dns_zone_t *zone,
    uint64_t at, size_t n)
{
    size_t          head;
    ngx_dns_zone_t  copy;

    if (at < sizeof(ngx_dns_zone_t)) {

        ngx_memcpy(&copy, zone, sizeof(ngx_dns_zone_t));
        copy.key = 0;

        head = ngx_min(n, sizeof(ngx_dns_zone_t) - at);
        p = ngx_cpymem(p, (u_char *) &copy + at, head);
        at += head;
        n -= head;
    }

    ngx_memcpy(p, (u_char *) zone + at, n);
}


static ngx_int_t
ngx_dns_snapshot_fail(ngx_dns_snapshot_reader_t *r, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    r->err_len = ngx_vslprintf(r->err, r->err + NGX_DNS_SNAPSHOT_ERROR, fmt,
                               args)
                 - r->err;
    va_end(args);

    return NGX_ERROR;
}


ngx_int_t
ngx_dns_snapshot_read_head(ngx_dns_snapshot_reader_t *r, uint64_t signature)
{
    u_char    p[NGX_DNS_SNAPSHOT_HEAD], digest[NGX_DNS_SNAPSHOT_DIGEST];
    uint32_t  order;

    if (r->size < NGX_DNS_SNAPSHOT_HEAD
        || r->read(r->data, p, NGX_DNS_SNAPSHOT_HEAD, 0) != NGX_OK
        || ngx_memcmp(p, NGX_DNS_SNAPSHOT_MAGIC, 16) != 0)
    {
        return ngx_dns_snapshot_fail(r, "is no snapshot");
    }

    if (ngx_dns_get32(p + 16) != NGX_DNS_SNAPSHOT_FORMAT) {
        return ngx_dns_snapshot_fail(r, "is of format %uD, this version "
                                     "reads %d",
                                     ngx_dns_get32(p + 16),
                                     NGX_DNS_SNAPSHOT_FORMAT);
    }

    if (ngx_dns_get32(p + 20) != NGX_DNS_ZONE_VERSION) {
        return ngx_dns_snapshot_fail(r, "holds zones of version %uD, this "
                                     "version reads %d",
                                     ngx_dns_get32(p + 20),
                                     NGX_DNS_ZONE_VERSION);
    }

    ngx_memcpy(&order, p + 24, 4);

    if (order != NGX_DNS_SNAPSHOT_ORDER) {
        return ngx_dns_snapshot_fail(r, "was written on a machine with "
                                     "another byte order");
    }

    ngx_dns_snapshot_digest(digest, p, 96);

    if (ngx_memcmp(digest, p + 96, NGX_DNS_SNAPSHOT_DIGEST) != 0) {
        return ngx_dns_snapshot_fail(r, "is damaged: its head has another "
                                     "checksum");
    }

    ngx_memcpy(&r->head.signature, p + 32, 8);
    ngx_memcpy(&r->head.time, p + 40, 8);
    ngx_memcpy(&r->head.zones, p + 48, 8);
    ngx_memcpy(&r->head.size, p + 56, 8);
    ngx_memcpy(r->head.digest, p + 64, NGX_DNS_SNAPSHOT_DIGEST);

    if (r->head.signature != signature) {
        return ngx_dns_snapshot_fail(r, "is of another source: address, "
                                     "user, database, key, prefix, suffix, "
                                     "profile, or TTLs differ");
    }

    if (r->head.size != r->size) {
        return ngx_dns_snapshot_fail(r, "is damaged: it has %uL octets "
                                     "instead of %uL",
                                     r->size, r->head.size);
    }

    r->pos = NGX_DNS_SNAPSHOT_HEAD;
    r->left = r->head.zones;

    return NGX_OK;
}


ngx_int_t
ngx_dns_snapshot_read_digest(ngx_dns_snapshot_reader_t *r, u_char *buf,
    size_t size)
{
    u_char      digest[NGX_DNS_SNAPSHOT_DIGEST];
    size_t      n;
    uint64_t    at;
    SHA256_CTX  sha;

    SHA256_Init(&sha);

    for (at = NGX_DNS_SNAPSHOT_HEAD; at < r->size; at += n) {

        n = ngx_min(size, r->size - at);

        if (r->read(r->data, buf, n, at) != NGX_OK) {
            return ngx_dns_snapshot_fail(r, "cannot be read at octet %uL", at);
        }

        SHA256_Update(&sha, buf, n);
    }

    SHA256_Final(digest, &sha);

    if (ngx_memcmp(digest, r->head.digest, NGX_DNS_SNAPSHOT_DIGEST) != 0) {
        return ngx_dns_snapshot_fail(r, "is damaged: it has another "
                                     "checksum");
    }

    return NGX_OK;
}


ngx_int_t
ngx_dns_snapshot_read_size(ngx_dns_snapshot_reader_t *r, uint64_t *size)
{
    u_char    p[NGX_DNS_SNAPSHOT_ZONE];
    uint64_t  stored;

    if (r->left == 0) {

        if (r->pos != r->size) {
            return ngx_dns_snapshot_fail(r, "is damaged: octets behind the "
                                         "last zone");
        }

        return NGX_DONE;
    }

    if (r->size - r->pos < NGX_DNS_SNAPSHOT_ZONE) {
        return ngx_dns_snapshot_fail(r, "is damaged: it ends in front of a "
                                     "zone");
    }

    if (r->read(r->data, p, NGX_DNS_SNAPSHOT_ZONE, r->pos) != NGX_OK) {
        return ngx_dns_snapshot_fail(r, "cannot be read at octet %uL", r->pos);
    }

    ngx_memcpy(size, p, 8);
    ngx_memcpy(&stored, p + 8, 8);

    /* a hash has fewer octets than the names that are in it */

    if (stored > r->size - r->pos - NGX_DNS_SNAPSHOT_ZONE
        || stored < sizeof(ngx_dns_zone_t)
        || *size > NGX_DNS_ZONE_SIZE_MAX || *size % 64 != 0
        || *size <= stored || *size - stored > stored)
    {
        return ngx_dns_snapshot_fail(r, "is damaged: the zone at octet %uL "
                                     "has an impossible size",
                                     r->pos);
    }

    r->zone_size = *size;
    r->zone_stored = stored;

    return NGX_OK;
}


ngx_int_t
ngx_dns_snapshot_read_zone(ngx_dns_snapshot_reader_t *r, void *block,
    ngx_dns_key_t *key)
{
    uint64_t     at;
    const char  *err;

    at = r->pos + NGX_DNS_SNAPSHOT_ZONE;

    if (r->read(r->data, block, r->zone_stored, at) != NGX_OK) {
        return ngx_dns_snapshot_fail(r, "cannot be read at octet %uL", at);
    }

    if (ngx_dns_zone_verify(block, r->zone_size, key, &err) != NGX_OK) {
        return ngx_dns_snapshot_fail(r, "has a broken zone at octet %uL: %s",
                                     at, err);
    }

    r->pos = at + r->zone_stored;
    r->left--;

    return NGX_OK;
}
