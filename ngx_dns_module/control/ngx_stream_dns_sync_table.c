
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


#define NGX_STREAM_DNS_BUCKETS   64         /* to begin with */


static uint32_t ngx_stream_dns_table_hash(const u_char *apex, size_t len);
static void ngx_stream_dns_table_grow(ngx_stream_dns_sync_t *sync);


ngx_int_t
ngx_stream_dns_table_init(ngx_stream_dns_sync_t *sync)
{
    sync->nbuckets = NGX_STREAM_DNS_BUCKETS;
    sync->buckets = ngx_calloc(sync->nbuckets
                               * sizeof(ngx_stream_dns_zone_t *),
                               sync->src->log);

    return (sync->buckets == NULL) ? NGX_ERROR : NGX_OK;
}


static uint32_t
ngx_stream_dns_table_hash(const u_char *apex, size_t len)
{
    return ngx_murmur_hash2((u_char *) apex, len);
}


ngx_stream_dns_zone_t *
ngx_stream_dns_table_find(ngx_stream_dns_sync_t *sync, const u_char *apex,
    size_t len)
{
    uint32_t                hash;
    ngx_stream_dns_zone_t  *z;

    hash = ngx_stream_dns_table_hash(apex, len);

    for (z = sync->buckets[hash & (sync->nbuckets - 1)];
         z != NULL;
         z = z->next)
    {
        if (z->hash == hash
            && z->apex_len == len
            && ngx_memcmp(z->data, apex, len) == 0)
        {
            return z;
        }
    }

    return NULL;
}


ngx_stream_dns_zone_t *
ngx_stream_dns_table_add(ngx_stream_dns_sync_t *sync, const u_char *apex,
    size_t len, ngx_str_t *member)
{
    u_char                  *p;
    ngx_stream_dns_zone_t   *z, **bucket;

    if (sync->nzones >= 2 * sync->nbuckets
        && sync->sweep == NGX_STREAM_DNS_SWEEP_NONE)
    {
        ngx_stream_dns_table_grow(sync);
    }

    z = ngx_calloc(offsetof(ngx_stream_dns_zone_t, data) + len + member->len,
                   sync->src->log);
    if (z == NULL) {
        return NULL;
    }

    z->hash = ngx_stream_dns_table_hash(apex, len);
    z->apex_len = (u_char) len;
    z->member_len = (uint16_t) member->len;

    p = ngx_cpymem(z->data, apex, len);
    ngx_memcpy(p, member->data, member->len);

    bucket = &sync->buckets[z->hash & (sync->nbuckets - 1)];
    z->next = *bucket;
    *bucket = z;

    sync->nzones++;
    sync->unlisted++;

    return z;
}


/* without memory the buckets only hold more */

static void
ngx_stream_dns_table_grow(ngx_stream_dns_sync_t *sync)
{
    ngx_uint_t               i, n;
    ngx_stream_dns_zone_t   *z, *next, **buckets;

    n = 4 * sync->nbuckets;

    buckets = ngx_calloc(n * sizeof(ngx_stream_dns_zone_t *), sync->src->log);
    if (buckets == NULL) {
        return;
    }

    for (i = 0; i < sync->nbuckets; i++) {

        for (z = sync->buckets[i]; z != NULL; z = next) {
            next = z->next;
            z->next = buckets[z->hash & (n - 1)];
            buckets[z->hash & (n - 1)] = z;
        }
    }

    ngx_free(sync->buckets);

    sync->buckets = buckets;
    sync->nbuckets = n;
}


/* the zone is neither wanted nor busy */

void
ngx_stream_dns_table_remove(ngx_stream_dns_sync_t *sync,
    ngx_stream_dns_zone_t *z)
{
    ngx_stream_dns_zone_t  **link;

    link = &sync->buckets[z->hash & (sync->nbuckets - 1)];

    while (*link != z) {
        link = &(*link)->next;
    }

    *link = z->next;

    sync->nzones--;

    if (!z->listed) {
        sync->unlisted--;
    }

    sync->bad -= z->bad;

    ngx_stream_dns_tails_free(&z->tails);
    ngx_free(z);
}


/*
 * A key that changes all the time comes again and again: it is looked for in
 * what was added last.
 */

ngx_int_t
ngx_stream_dns_tails_add(ngx_stream_dns_tails_t *tails, ngx_str_t *tail)
{
    u_char    *p, *last;
    size_t     size, n;
    uint16_t   len;

    if (tail->len > NGX_STREAM_DNS_TAIL_MAX) {
        return NGX_OK;
    }

    p = tails->data;
    last = p + tails->len;

    if (tails->len <= NGX_STREAM_DNS_RECENT) {

        for ( /* void */ ; p < last; p += 2 + len) {
            ngx_memcpy(&len, p, 2);

            if (len == tail->len && ngx_memcmp(p + 2, tail->data, len) == 0) {
                return NGX_OK;
            }
        }
    }

    n = 2 + tail->len;

    if (tails->len + n > tails->size) {
        size = ngx_max(2 * (size_t) tails->size, tails->len + n);
        size = ngx_max(size, 64);

        if (size > NGX_MAX_UINT32_VALUE) {
            return NGX_ERROR;
        }

        p = realloc(tails->data, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        tails->data = p;
        tails->size = (uint32_t) size;
    }

    len = (uint16_t) tail->len;
    ngx_memcpy(tails->data + tails->len, &len, 2);
    ngx_memcpy(tails->data + tails->len + 2, tail->data, len);
    tails->len += (uint32_t) n;

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_tails_copy(ngx_stream_dns_tails_t *to,
    ngx_stream_dns_tails_t *from)
{
    ngx_memzero(to, sizeof(ngx_stream_dns_tails_t));

    if (from->len == 0) {
        return NGX_OK;
    }

    to->data = malloc(from->len);
    if (to->data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(to->data, from->data, from->len);
    to->len = from->len;
    to->size = from->len;

    return NGX_OK;
}


void
ngx_stream_dns_tails_free(ngx_stream_dns_tails_t *tails)
{
    free(tails->data);
    ngx_memzero(tails, sizeof(ngx_stream_dns_tails_t));
}
