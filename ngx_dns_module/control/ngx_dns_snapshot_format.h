
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_SNAPSHOT_FORMAT_H_INCLUDED_
#define _NGX_DNS_SNAPSHOT_FORMAT_H_INCLUDED_


#include "ngx_dns_zone.h"


/*
 * A file of compiled zones:
 *
 *     head, 128 octets
 *
 *         0  magic, 16 octets
 *        16  format, 4 octets, network byte order
 *        20  version of compiled zones, 4 octets, network byte order
 *        24  byte order, 4 octets, as the machine has it
 *        28  zero
 *        32  signature of the source, 8 octets
 *        40  time, 8 octets: seconds since the epoch
 *        48  number of zones, 8 octets
 *        56  octets of the file, 8 octets
 *        64  SHA-256 of what follows the head
 *        96  SHA-256 of what is in front
 *
 *     for each zone
 *
 *         0  octets of the compiled zone, 8 octets
 *         8  octets that follow, 8 octets
 *        16  the compiled zone without key and buckets of its hash, which
 *            are secrets of the server that wrote it
 *
 * Numbers are in the byte order of the machine where nothing else is said.
 * The reader takes every octet as made up (ngx_dns_verify.h).
 */

#define NGX_DNS_SNAPSHOT_FORMAT   1

#define NGX_DNS_SNAPSHOT_HEAD     128
#define NGX_DNS_SNAPSHOT_ZONE     16        /* octets in front of a zone */
#define NGX_DNS_SNAPSHOT_DIGEST   32
#define NGX_DNS_SNAPSHOT_ERROR    256       /* octets of a message */

typedef struct {
    uint64_t    signature;
    int64_t     time;
    uint64_t    zones;
    uint64_t    size;
    u_char      digest[NGX_DNS_SNAPSHOT_DIGEST];
} ngx_dns_snapshot_head_t;


/* None of the functions allocates or keeps state. */

/* Writes NGX_DNS_SNAPSHOT_DIGEST octets. */
void ngx_dns_snapshot_digest(u_char *digest, const u_char *p, size_t n);

/* Writes NGX_DNS_SNAPSHOT_HEAD octets. */
void ngx_dns_snapshot_put_head(u_char *p, const ngx_dns_snapshot_head_t *head);

/* What a zone takes in the file without the octets in front of it. */
#define ngx_dns_snapshot_stored(zone)  (4 * (uint64_t) (zone)->buckets)

/* Writes NGX_DNS_SNAPSHOT_ZONE octets. */
void ngx_dns_snapshot_put_zone(u_char *p, const ngx_dns_zone_t *zone);

/* Writes n octets of what is stored of a zone, from the octet at on. */
void ngx_dns_snapshot_put_octets(u_char *p, const ngx_dns_zone_t *zone,
    uint64_t at, size_t n);


/* A file that is read. */

typedef struct {
    /* n octets at a place of the file; NGX_ERROR: they are not there */
    ngx_int_t               (*read)(void *data, u_char *buf, size_t n,
                                uint64_t at);
    void                     *data;
    uint64_t                  size;     /* octets of the file */
    uint64_t                  pos;
    uint64_t                  left;     /* zones */
    uint64_t                  zone_size;        /* of the next zone */
    uint64_t                  zone_stored;
    ngx_dns_snapshot_head_t   head;
    size_t                    err_len;
    u_char                    err[NGX_DNS_SNAPSHOT_ERROR];
} ngx_dns_snapshot_reader_t;

/*
 * Reads the head.  read, data, and size are set by the caller.
 *
 * NGX_ERROR: err and err_len say what is wrong with the file, as it goes on
 * behind its name ("is of format 7, this version reads 1").
 */
ngx_int_t ngx_dns_snapshot_read_head(ngx_dns_snapshot_reader_t *r,
    uint64_t signature);

/*
 * Compares the digest of the whole file.  buf: size octets to read it by.
 * NGX_ERROR as above.
 */
ngx_int_t ngx_dns_snapshot_read_digest(ngx_dns_snapshot_reader_t *r,
    u_char *buf, size_t size);

/*
 * What comes next.
 *
 * size  set to the octets of the compiled zone, a multiple of 64
 *
 * NGX_OK
 * NGX_DONE   that was the last zone
 * NGX_ERROR  as above
 */
ngx_int_t ngx_dns_snapshot_read_size(ngx_dns_snapshot_reader_t *r,
    uint64_t *size);

/*
 * Reads the zone whose size was asked for and makes it usable with key.
 * block: so many octets, 64-octet aligned.
 *
 * NGX_ERROR as above: neither this zone nor any behind it can be used.
 */
ngx_int_t ngx_dns_snapshot_read_zone(ngx_dns_snapshot_reader_t *r,
    void *block, ngx_dns_key_t *key);


#endif /* _NGX_DNS_SNAPSHOT_FORMAT_H_INCLUDED_ */
