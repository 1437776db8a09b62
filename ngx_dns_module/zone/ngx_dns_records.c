
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_store.h"


#define NGX_DNS_CHUNK_FIRST   (64 * 1024)
#define NGX_DNS_CHUNK_MAX     (64 * 1024 * 1024)
#define NGX_DNS_REPORT_MAX    2048


static void *ngx_dns_records_alloc(ngx_dns_records_t *rs, size_t size);
static ngx_int_t ngx_dns_records_chunk(ngx_dns_records_t *rs, size_t size);
static void ngx_dns_records_bound(ngx_dns_records_t *rs,
    const ngx_dns_rec_t *rec);


ngx_dns_records_t *
ngx_dns_records_create(const u_char *apex, ngx_dns_memory_t *mem,
    ngx_dns_reporter_t *rep)
{
    ngx_dns_records_t  *rs;

    rs = mem->map(mem->data, sizeof(ngx_dns_records_t));
    if (rs == NULL) {
        return NULL;
    }

    rs->mem = mem;
    rs->rep = rep;
    rs->apex_len = ngx_dns_name_len(apex);
    rs->apex_labels = ngx_dns_name_labels(apex);
    rs->chunk_size = NGX_DNS_CHUNK_FIRST;

    ngx_memcpy(rs->apex, apex, rs->apex_len);

    return rs;
}


void
ngx_dns_records_destroy(ngx_dns_records_t *rs)
{
    ngx_dns_chunk_t  *chunk, *next;

    for (chunk = rs->chunks; chunk != NULL; chunk = next) {
        next = chunk->next;
        rs->mem->unmap(rs->mem->data, chunk, chunk->size);
    }

    for (chunk = rs->texts; chunk != NULL; chunk = next) {
        next = chunk->next;
        rs->mem->unmap(rs->mem->data, chunk, chunk->size);
    }

    rs->mem->unmap(rs->mem->data, rs, sizeof(ngx_dns_records_t));
}


ngx_int_t
ngx_dns_records_file(ngx_dns_records_t *rs, ngx_str_t *name)
{
    size_t           size;
    ngx_str_t       *file;
    ngx_dns_chunk_t *chunk;

    if (rs->nfiles == NGX_DNS_FILES_MAX) {
        return NGX_DECLINED;
    }

    size = sizeof(ngx_dns_chunk_t) + sizeof(ngx_str_t) + name->len;

    chunk = rs->mem->map(rs->mem->data, size);
    if (chunk == NULL) {
        return NGX_ERROR;
    }

    chunk->size = size;
    chunk->next = rs->texts;
    rs->texts = chunk;

    file = (ngx_str_t *) (chunk + 1);
    file->len = name->len;
    file->data = (u_char *) (file + 1);
    ngx_memcpy(file->data, name->data, name->len);

    return (ngx_int_t) rs->nfiles++;
}


ngx_str_t *
ngx_dns_records_file_name(ngx_dns_records_t *rs, ngx_uint_t i)
{
    ngx_uint_t        n;
    ngx_dns_chunk_t  *chunk;

    chunk = rs->texts;

    for (n = rs->nfiles; n > i + 1 && chunk != NULL; n--) {
        chunk = chunk->next;
    }

    return (chunk == NULL) ? NULL : (ngx_str_t *) (chunk + 1);
}


static ngx_int_t
ngx_dns_records_chunk(ngx_dns_records_t *rs, size_t size)
{
    ngx_dns_chunk_t  *chunk;

    size = ngx_max(size + sizeof(ngx_dns_chunk_t), rs->chunk_size);

    chunk = rs->mem->map(rs->mem->data, size);
    if (chunk == NULL) {
        return NGX_ERROR;
    }

    chunk->size = size;
    chunk->used = sizeof(ngx_dns_chunk_t);
    chunk->next = NULL;

    if (rs->last != NULL) {
        rs->last->next = chunk;

    } else {
        rs->chunks = chunk;
    }

    rs->last = chunk;
    rs->chunk_size = ngx_min(2 * rs->chunk_size, NGX_DNS_CHUNK_MAX);

    return NGX_OK;
}


static void *
ngx_dns_records_alloc(ngx_dns_records_t *rs, size_t size)
{
    void             *p;
    ngx_dns_chunk_t  *chunk;

    chunk = rs->last;

    if (chunk == NULL || chunk->size - chunk->used < size) {
        if (ngx_dns_records_chunk(rs, size) != NGX_OK) {
            return NULL;
        }

        chunk = rs->last;
    }

    p = (u_char *) chunk + chunk->used;
    chunk->used += size;

    return p;
}


/*
 * The most that this record can add to the compiled block: a node for each
 * of its labels, a set of its own.
 */

static void
ngx_dns_records_bound(ngx_dns_records_t *rs, const ngx_dns_rec_t *rec)
{
    size_t         left;
    ngx_uint_t     i;
    const u_char  *p;

    p = ngx_dns_rec_owner(rec);
    left = rec->owner_len;

    for (i = 0; i < rec->labels; i++) {
        rs->bound += NGX_DNS_NODE_BOUND + left;
        left -= *p + 1;
        p += *p + 1;
    }

    rs->nodes_bound += rec->labels;
    rs->bound += NGX_DNS_SET_BOUND + rec->rdlen;
}


ngx_int_t
ngx_dns_records_add(ngx_dns_records_t *rs, ngx_dns_record_t *r)
{
    u_char         *p, *last, text[NGX_DNS_NAME_TEXT_MAX], *end;
    size_t          size;
    ngx_uint_t      labels;
    ngx_dns_rec_t  *rec;

    if (r->type == NGX_DNS_TYPE_NOTE && r->rdlen < NGX_DNS_NOTE_HEAD) {
        return NGX_DECLINED;
    }

    if (r->owner_len < rs->apex_len) {
        goto outside;
    }

    p = r->owner;
    last = p + (r->owner_len - rs->apex_len);

    if (ngx_memcmp(last, rs->apex, rs->apex_len) != 0) {
        goto outside;
    }

    for (labels = 0; p < last; p += *p + 1) {
        labels++;
    }

    if (p != last) {
        goto outside;
    }

    size = (sizeof(ngx_dns_rec_t) + (last - r->owner) + r->rdlen + 7)
           & ~ (size_t) 7;

    rec = ngx_dns_records_alloc(rs, size);
    if (rec == NULL) {
        return NGX_ERROR;
    }

    rec->ttl = r->ttl;
    rec->line = r->line;
    rec->file = (uint16_t) r->file;
    rec->type = r->type;
    rec->rdlen = r->rdlen;
    rec->owner_len = (uint8_t) (last - r->owner);
    rec->labels = (uint8_t) labels;

    ngx_memcpy(ngx_dns_rec_owner(rec), r->owner, rec->owner_len);
    ngx_memcpy(ngx_dns_rec_rdata(rec), r->rdata, r->rdlen);

    ngx_dns_records_bound(rs, rec);
    rs->n++;

    return NGX_OK;

outside:

    end = ngx_dns_name_to_text(text, r->owner);

    ngx_dns_report(rs->rep, NGX_DNS_REPORT_ERROR,
                   ngx_dns_records_file_name(rs, r->file), r->line,
                   "owner \"%*s\" is outside the zone",
                   (size_t) (end - text), text);

    return NGX_DECLINED;
}


void
ngx_dns_report(ngx_dns_reporter_t *rep, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, const char *fmt, ...)
{
    u_char     *p, buf[NGX_DNS_REPORT_MAX];
    va_list     args;
    ngx_str_t   text;

    switch (level) {

    case NGX_DNS_REPORT_ERROR:
        rep->errors++;
        break;

    case NGX_DNS_REPORT_WARN:
        rep->warnings++;
        break;

    default:
        break;
    }

    if (rep->report == NULL) {
        return;
    }

    va_start(args, fmt);
    p = ngx_vslprintf(buf, buf + sizeof(buf), fmt, args);
    va_end(args);

    text.data = buf;
    text.len = p - buf;

    rep->report(rep->data, level, file, line, &text);
}
