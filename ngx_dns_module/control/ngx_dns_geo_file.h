
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GEO_FILE_H_INCLUDED_
#define _NGX_DNS_GEO_FILE_H_INCLUDED_


#include "ngx_dns.h"


/*
 * Files of the state directory: a block of ngx_dns_geo.h behind a head, and
 * a list of databases whose content was hashed.  Whatever is in such a file
 * is checked before it is used.
 */

#define NGX_DNS_GEO_HEAD   128          /* octets in front of the block */
#define NGX_DNS_GEO_HASH   32           /* SHA-256 */
#define NGX_DNS_GEO_KNOWN  64           /* databases in the list, at most */

typedef struct {
    uint64_t            size;           /* octets of the block */
    u_char              hash[NGX_DNS_GEO_HASH];     /* of the database */
    u_char              digest[NGX_DNS_GEO_HASH];   /* of the block */
} ngx_dns_geo_head_t;


/* what a file is, as far as the file system says; times in nanoseconds */

typedef struct {
    uint64_t            dev;
    uint64_t            ino;
    uint64_t            size;
    uint64_t            mtime;
    uint64_t            ctime;
} ngx_dns_geo_ident_t;

typedef struct {
    uint64_t            id;             /* of the path */
    ngx_dns_geo_ident_t ident;
    u_char              hash[NGX_DNS_GEO_HASH];
} ngx_dns_geo_known_t;

typedef struct {
    uint64_t            magic;
    uint64_t            n;
    ngx_dns_geo_known_t known[NGX_DNS_GEO_KNOWN];
    u_char              digest[NGX_DNS_GEO_HASH];   /* of all before it */
} ngx_dns_geo_list_file_t;


/* Writes NGX_DNS_GEO_HEAD octets. */
void ngx_dns_geo_head_put(u_char *p, const ngx_dns_geo_head_t *head);

/*
 * Reads them.  NGX_OK, or NGX_DECLINED: it is no such head, is damaged, or
 * of another version.
 */
ngx_int_t ngx_dns_geo_head_get(const u_char *p, ngx_dns_geo_head_t *head);

/* The list: an empty one; whether it is sound; makes it so. */
void ngx_dns_geo_known_init(ngx_dns_geo_list_file_t *list);
ngx_int_t ngx_dns_geo_known_check(const ngx_dns_geo_list_file_t *list);
void ngx_dns_geo_known_seal(ngx_dns_geo_list_file_t *list);

/* The hash of the content of a database, or NULL. */
const u_char *ngx_dns_geo_known_find(const ngx_dns_geo_list_file_t *list,
    uint64_t id, const ngx_dns_geo_ident_t *ident);

/* In place of what is known of the path; the oldest is forgotten. */
void ngx_dns_geo_known_add(ngx_dns_geo_list_file_t *list, uint64_t id,
    const ngx_dns_geo_ident_t *ident, const u_char *hash);

#define ngx_dns_geo_ident_same(a, b)                                         \
    (ngx_memcmp(a, b, sizeof(ngx_dns_geo_ident_t)) == 0)


#endif /* _NGX_DNS_GEO_FILE_H_INCLUDED_ */
