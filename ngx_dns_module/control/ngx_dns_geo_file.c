
/*
 * Copyright (C) ngx_dns_module contributors
 */


/* the EVP form of SHA-256 allocates */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <ngx_config.h>
#include <ngx_core.h>

#include <openssl/sha.h>

#include "ngx_dns_geo_file.h"


#define NGX_DNS_GEO_FILE_MAGIC    "ngx_dns places\r\n"
#define NGX_DNS_GEO_FILE_VERSION  1
#define NGX_DNS_GEO_LIST_MAGIC    0x31306f656765646eull


/*
 * The head:
 *
 *     0  magic      16
 *    16  version     8
 *    24  size        8
 *    32  hash       32
 *    64  digest     32
 *    96  SHA-256 of all that    32
 */

static ngx_inline void
ngx_dns_geo_head_digest(const u_char *p, u_char *digest)
{
    SHA256_CTX  sha;

    SHA256_Init(&sha);
    SHA256_Update(&sha, p, 96);
    SHA256_Final(digest, &sha);
}


void
ngx_dns_geo_head_put(u_char *p, const ngx_dns_geo_head_t *head)
{
    uint64_t  version;

    version = NGX_DNS_GEO_FILE_VERSION;

    ngx_memcpy(p, NGX_DNS_GEO_FILE_MAGIC, 16);
    ngx_memcpy(p + 16, &version, 8);
    ngx_memcpy(p + 24, &head->size, 8);
    ngx_memcpy(p + 32, head->hash, NGX_DNS_GEO_HASH);
    ngx_memcpy(p + 64, head->digest, NGX_DNS_GEO_HASH);

    ngx_dns_geo_head_digest(p, p + 96);
}


ngx_int_t
ngx_dns_geo_head_get(const u_char *p, ngx_dns_geo_head_t *head)
{
    u_char    digest[NGX_DNS_GEO_HASH];
    uint64_t  version;

    ngx_memcpy(&version, p + 16, 8);

    if (ngx_memcmp(p, NGX_DNS_GEO_FILE_MAGIC, 16) != 0
        || version != NGX_DNS_GEO_FILE_VERSION)
    {
        return NGX_DECLINED;
    }

    ngx_dns_geo_head_digest(p, digest);

    if (ngx_memcmp(p + 96, digest, NGX_DNS_GEO_HASH) != 0) {
        return NGX_DECLINED;
    }

    ngx_memcpy(&head->size, p + 24, 8);
    ngx_memcpy(head->hash, p + 32, NGX_DNS_GEO_HASH);
    ngx_memcpy(head->digest, p + 64, NGX_DNS_GEO_HASH);

    return NGX_OK;
}


static ngx_inline void
ngx_dns_geo_known_digest(const ngx_dns_geo_list_file_t *list, u_char *digest)
{
    SHA256_CTX  sha;

    SHA256_Init(&sha);
    SHA256_Update(&sha, list, offsetof(ngx_dns_geo_list_file_t, digest));
    SHA256_Final(digest, &sha);
}


void
ngx_dns_geo_known_init(ngx_dns_geo_list_file_t *list)
{
    ngx_memzero(list, sizeof(ngx_dns_geo_list_file_t));
    list->magic = NGX_DNS_GEO_LIST_MAGIC;
}


ngx_int_t
ngx_dns_geo_known_check(const ngx_dns_geo_list_file_t *list)
{
    u_char  digest[NGX_DNS_GEO_HASH];

    ngx_dns_geo_known_digest(list, digest);

    return (list->magic == NGX_DNS_GEO_LIST_MAGIC
            && list->n <= NGX_DNS_GEO_KNOWN
            && ngx_memcmp(list->digest, digest, NGX_DNS_GEO_HASH) == 0)
           ? NGX_OK : NGX_DECLINED;
}


void
ngx_dns_geo_known_seal(ngx_dns_geo_list_file_t *list)
{
    ngx_dns_geo_known_digest(list, list->digest);
}


const u_char *
ngx_dns_geo_known_find(const ngx_dns_geo_list_file_t *list, uint64_t id,
    const ngx_dns_geo_ident_t *ident)
{
    ngx_uint_t  i;

    for (i = 0; i < list->n; i++) {
        if (list->known[i].id == id
            && ngx_dns_geo_ident_same(&list->known[i].ident, ident))
        {
            return list->known[i].hash;
        }
    }

    return NULL;
}


void
ngx_dns_geo_known_add(ngx_dns_geo_list_file_t *list, uint64_t id,
    const ngx_dns_geo_ident_t *ident, const u_char *hash)
{
    ngx_uint_t            i;
    ngx_dns_geo_known_t  *known;

    /* the newest is the last one */

    for (i = 0; i < list->n && list->known[i].id != id; i++) { /* void */ }

    if (i == NGX_DNS_GEO_KNOWN) {
        i = 0;
    }

    if (i < list->n) {
        list->n--;
        ngx_memmove(&list->known[i], &list->known[i + 1],
                    (list->n - i) * sizeof(ngx_dns_geo_known_t));
    }

    known = &list->known[list->n++];

    known->id = id;
    known->ident = *ident;
    ngx_memcpy(known->hash, hash, NGX_DNS_GEO_HASH);
}
