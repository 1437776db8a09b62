
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_pools.h"
#include "ngx_dns_rr.h"
#include "ngx_dns_store.h"


#define NGX_DNS_POOLS_ROOM  256         /* names, at first */


static ngx_dns_pool_t **ngx_dns_pools_bucket(ngx_dns_pools_t *pools,
    ngx_str_t *name);
static ngx_int_t ngx_dns_pools_name(ngx_dns_pools_reader_t *r,
    ngx_dns_records_t *rs, ngx_dns_record_t *record);
static uint64_t ngx_dns_pools_hash(const u_char *owner, size_t len);
static int ngx_libc_cdecl ngx_dns_pools_cmp(const void *one, const void *two);
static void ngx_dns_pools_check_names(ngx_dns_pools_reader_t *r,
    ngx_dns_records_t *rs, ngx_uint_t max_errors);
static ngx_uint_t ngx_dns_pools_check_record(ngx_dns_pools_reader_t *r,
    ngx_dns_records_t *rs, ngx_dns_rec_t *rec);


ngx_dns_pools_t *
ngx_dns_pools_create(ngx_pool_t *pool)
{
    ngx_dns_pools_t  *pools;

    pools = ngx_pcalloc(pool, sizeof(ngx_dns_pools_t));

    if (pools == NULL
        || ngx_array_init(&pools->all, pool, 8, sizeof(ngx_dns_pool_t *))
           != NGX_OK)
    {
        return NULL;
    }

    return pools;
}


ngx_int_t
ngx_dns_pools_add(ngx_dns_pools_t *pools, ngx_dns_pool_t *p)
{
    ngx_dns_pool_t  **bucket, **one;

    if (ngx_dns_pools_find(pools, &p->name) != NULL) {
        return NGX_DECLINED;
    }

    one = ngx_array_push(&pools->all);
    if (one == NULL) {
        return NGX_ERROR;
    }

    *one = p;
    p->index = pools->all.nelts - 1;

    bucket = ngx_dns_pools_bucket(pools, &p->name);
    p->next = *bucket;
    *bucket = p;

    return NGX_OK;
}


ngx_dns_pool_t *
ngx_dns_pools_find(ngx_dns_pools_t *pools, ngx_str_t *name)
{
    ngx_dns_pool_t  *p;

    if (pools == NULL) {
        return NULL;
    }

    for (p = *ngx_dns_pools_bucket(pools, name); p != NULL; p = p->next) {
        if (p->name.len == name->len
            && ngx_memcmp(p->name.data, name->data, name->len) == 0)
        {
            return p;
        }
    }

    return NULL;
}


static ngx_dns_pool_t **
ngx_dns_pools_bucket(ngx_dns_pools_t *pools, ngx_str_t *name)
{
    return &pools->buckets[ngx_dns_pools_hash(name->data, name->len)
                           % NGX_DNS_POOLS_BUCKETS];
}


ngx_int_t
ngx_dns_pools_scan(ngx_dns_pools_reader_t *r, ngx_dns_scan_t *s,
    ngx_dns_pool_t **p)
{
    ngx_str_t       name;
    ngx_dns_word_t  w;

    if (ngx_dns_scan_plain(s, &w, "name of a pool") != NGX_OK) {
        return NGX_ERROR;
    }

    name.data = w.data;
    name.len = w.len;

    *p = ngx_dns_pools_find(r->pools, &name);

    if (*p == NULL) {
        return ngx_dns_scan_err_word(s, &w, "is not the name of a "
                                     "\"dns_pool\"");
    }

    return ngx_dns_scan_end(s);
}


ngx_int_t
ngx_dns_pools_place(ngx_dns_pools_reader_t *r, ngx_dns_pool_t *p,
    ngx_dns_records_t *rs, ngx_dns_record_t *record)
{
    uint32_t             ttl;
    ngx_int_t            rc;
    ngx_uint_t           i, k;
    ngx_dns_pool_set_t  *set;

    ttl = record->ttl;

    if (r->used != NULL) {
        r->used[p->index] = 1;
    }

    for (i = 0; i < 2; i++) {
        set = &p->sets[i];

        for (k = 0; k < set->n; k++) {
            record->type = set->type;
            record->rdata = set->addresses[k]->address;
            record->rdlen = set->len;
            record->ttl = ttl;

            rc = ngx_dns_records_add(rs, record);

            if (rc != NGX_OK) {
                return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
            }
        }

        if (set->choice.len == 0) {
            continue;
        }

        record->type = NGX_DNS_TYPE_NOTE;
        record->rdata = set->choice.data;
        record->rdlen = (uint16_t) set->choice.len;
        record->ttl = 0;

        if (ngx_dns_records_add(rs, record) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_dns_pools_name(r, rs, record);
}


/* keeps that the owner has a POOL */

static ngx_int_t
ngx_dns_pools_name(ngx_dns_pools_reader_t *r, ngx_dns_records_t *rs,
    ngx_dns_record_t *record)
{
    size_t                room;
    ngx_dns_pool_name_t  *name;

    if (r->n == r->room) {
        room = ngx_max(2 * r->room, NGX_DNS_POOLS_ROOM);

        name = rs->mem->map(rs->mem->data, room * sizeof(ngx_dns_pool_name_t));
        if (name == NULL) {
            return NGX_ERROR;
        }

        if (r->n != 0) {
            ngx_memcpy(name, r->names, r->n * sizeof(ngx_dns_pool_name_t));
            ngx_dns_pools_done(r, rs->mem);
        }

        r->names = name;
        r->room = room;
    }

    name = &r->names[r->n++];

    name->hash = ngx_dns_pools_hash(record->owner,
                                    record->owner_len - rs->apex_len);
    name->file = record->file;
    name->line = record->line;

    return NGX_OK;
}


void
ngx_dns_pools_done(ngx_dns_pools_reader_t *r, ngx_dns_memory_t *mem)
{
    if (r->names != NULL) {
        mem->unmap(mem->data, r->names,
                   r->room * sizeof(ngx_dns_pool_name_t));
        r->names = NULL;
    }
}


static uint64_t
ngx_dns_pools_hash(const u_char *owner, size_t len)
{
    size_t    i;
    uint64_t  hash;

    hash = 0xcbf29ce484222325ULL;

    for (i = 0; i < len; i++) {
        hash = (hash ^ owner[i]) * 0x100000001b3ULL;
    }

    return hash ^ hash >> 29;
}


/* by owner, those of one in the order of the file */

static int ngx_libc_cdecl
ngx_dns_pools_cmp(const void *one, const void *two)
{
    const ngx_dns_pool_name_t *a = one;
    const ngx_dns_pool_name_t *b = two;

    if (a->hash != b->hash) {
        return (a->hash < b->hash) ? -1 : 1;
    }

    if (a->file != b->file) {
        return (a->file < b->file) ? -1 : 1;
    }

    return (a->line < b->line) ? -1 : (a->line > b->line);
}


void
ngx_dns_pools_check(ngx_dns_pools_reader_t *r, ngx_dns_records_t *rs,
    ngx_uint_t max_errors)
{
    u_char               *p, *last;
    ngx_uint_t            is_signed;
    ngx_dns_rec_t        *rec;
    ngx_dns_chunk_t      *chunk;
    ngx_dns_pool_name_t   first;

    if (r->n == 0) {
        return;
    }

    first = r->names[0];
    is_signed = 0;

    qsort(r->names, r->n, sizeof(ngx_dns_pool_name_t), ngx_dns_pools_cmp);

    ngx_dns_pools_check_names(r, rs, max_errors);

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        for ( /* void */ ; p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;

            if (rs->rep->errors >= max_errors) {
                return;
            }

            is_signed |= ngx_dns_pools_check_record(r, rs, rec);
        }
    }

    if (is_signed) {
        ngx_dns_report(rs->rep, NGX_DNS_REPORT_WARN,
                       ngx_dns_records_file_name(rs, first.file), first.line,
                       "POOL in a signed zone: its addresses have no "
                       "signatures, validating resolvers refuse them");
    }
}


static void
ngx_dns_pools_check_names(ngx_dns_pools_reader_t *r, ngx_dns_records_t *rs,
    ngx_uint_t max_errors)
{
    size_t                i;
    ngx_dns_pool_name_t  *name;

    for (i = 1; i < r->n; i++) {
        name = &r->names[i];

        if (name->hash != name[-1].hash) {
            continue;
        }

        if (rs->rep->errors >= max_errors) {
            return;
        }

        ngx_dns_report(rs->rep, NGX_DNS_REPORT_ERROR,
                       ngx_dns_records_file_name(rs, name->file), name->line,
                       "a second POOL at this name, the first is in %V:%uD",
                       ngx_dns_records_file_name(rs, name[-1].file),
                       name[-1].line);
    }
}


/* returns 1 if the record is a signature */

static ngx_uint_t
ngx_dns_pools_check_record(ngx_dns_pools_reader_t *r, ngx_dns_records_t *rs,
    ngx_dns_rec_t *rec)
{
    u_char                owner[NGX_DNS_NAME_MAX + 1], *p;
    u_char                text[NGX_DNS_NAME_TEXT_MAX], *end;
    size_t                low, high, i;
    uint64_t              hash;
    ngx_dns_pool_name_t  *name;

    if (rec->type == NGX_DNS_TYPE_RRSIG) {
        return 1;
    }

    if (rec->type != NGX_DNS_TYPE_A && rec->type != NGX_DNS_TYPE_AAAA
        && rec->type != NGX_DNS_TYPE_CNAME)
    {
        return 0;
    }

    hash = ngx_dns_pools_hash(ngx_dns_rec_owner(rec), rec->owner_len);

    low = 0;
    high = r->n;

    while (low < high) {
        i = low + (high - low) / 2;

        if (r->names[i].hash < hash) {
            low = i + 1;

        } else {
            high = i;
        }
    }

    name = &r->names[low];

    if (low == r->n || name->hash != hash) {
        return 0;
    }

    /* the addresses of a pool have the line of their POOL */

    for (i = low; i < r->n && r->names[i].hash == hash; i++) {
        if (rec->type != NGX_DNS_TYPE_CNAME
            && r->names[i].file == rec->file && r->names[i].line == rec->line)
        {
            return 0;
        }
    }

    p = ngx_cpymem(owner, ngx_dns_rec_owner(rec), rec->owner_len);
    ngx_memcpy(p, rs->apex, rs->apex_len);
    end = ngx_dns_name_to_text(text, owner);

    ngx_dns_report(rs->rep, NGX_DNS_REPORT_ERROR,
                   ngx_dns_records_file_name(rs, rec->file), rec->line,
                   "\"%*s\" has a POOL in %V:%uD: no other A, AAAA or CNAME "
                   "can be there", (size_t) (end - text), text,
                   ngx_dns_records_file_name(rs, name->file), name->line);

    return 0;
}
