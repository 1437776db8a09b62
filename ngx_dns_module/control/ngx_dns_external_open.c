
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_external_writer.h"


/*
 * A region from nothing, and what is whole in one whose writer has ended.
 */

#define NGX_DNS_EXTERNAL_STEP      2048     /* at a time, while opening */
#define NGX_DNS_EXTERNAL_WANT_MIN  64
#define NGX_DNS_EXTERNAL_WANT_MAX  4096
#define NGX_DNS_EXTERNAL_PER_WANT  16384    /* octets of the region */

/* octets: an entry, two slots and a bit, three chunks */
#define NGX_DNS_EXTERNAL_PER_ENTRY                                           \
    (sizeof(ngx_dns_external_entry_t) + 32                                   \
     + 3 * sizeof(ngx_dns_external_chunk_t))


typedef char  ngx_dns_external_entry_fits_t[
    sizeof(ngx_dns_external_entry_t) == 128 ? 1 : -1];

typedef char  ngx_dns_external_chunk_fits_t[
    sizeof(ngx_dns_external_chunk_t) == 64 ? 1 : -1];


static uint64_t ngx_dns_external_power(uint64_t n);
static void ngx_dns_external_open_entry(ngx_dns_external_writer_t *w,
    uint32_t n);
static ngx_uint_t ngx_dns_external_whole(ngx_dns_external_writer_t *w,
    ngx_dns_external_entry_t *e);
static void ngx_dns_external_open_slot(ngx_dns_external_writer_t *w,
    uint64_t i);
static void ngx_dns_external_open_free(ngx_dns_external_writer_t *w,
    uint32_t n);
static void ngx_dns_external_clear(ngx_dns_external_entry_t *e);


ngx_dns_external_shared_t *
ngx_dns_external_init(void *p, size_t size, ngx_uint_t nreaders)
{
    uint64_t                    at, n;
    ngx_dns_external_shared_t  *sh;

    sh = p;

    n = ngx_dns_external_power(size / NGX_DNS_EXTERNAL_PER_WANT);
    n = ngx_max(n, NGX_DNS_EXTERNAL_WANT_MIN);
    n = ngx_min(n, NGX_DNS_EXTERNAL_WANT_MAX);

    at = ngx_align(sizeof(ngx_dns_external_shared_t), 64);

    if (nreaders > size / sizeof(ngx_dns_external_reader_t)
        || at + n * sizeof(ngx_dns_external_want_t)
           + nreaders * sizeof(ngx_dns_external_reader_t) + 16384 > size)
    {
        return NULL;
    }

    sh->nwants = n;
    sh->nreaders = nreaders;

    sh->readers = at;
    at += nreaders * sizeof(ngx_dns_external_reader_t);

    sh->wants = at;
    at = ngx_align(at + n * sizeof(ngx_dns_external_want_t), 128);

    n = (size - at) / NGX_DNS_EXTERNAL_PER_ENTRY;
    n = ngx_min(n, 0x7fffffff);

    sh->nentries = n;
    sh->mask = ngx_dns_external_power(3 * n / 2) - 1;

    sh->entries = at;
    at += n * sizeof(ngx_dns_external_entry_t);

    sh->slots = at;
    at = ngx_align(at + (sh->mask + 1) * sizeof(uint64_t), 64);

    sh->chunks = at;
    sh->nchunks = (size - at) / sizeof(ngx_dns_external_chunk_t);
    sh->nchunks = ngx_min(sh->nchunks, 0xfffffff0);

    sh->size = size;
    sh->version = NGX_DNS_EXTERNAL_VERSION;
    sh->magic = NGX_DNS_EXTERNAL_MAGIC;

    return sh;
}


/* the smallest power of 2 that is not less than n */

static uint64_t
ngx_dns_external_power(uint64_t n)
{
    uint64_t  p;

    for (p = 1; p < n; p *= 2) { /* void */ }

    return p;
}


ngx_dns_external_writer_t *
ngx_dns_external_open(ngx_dns_external_shared_t *sh, ngx_dns_memory_t *mem,
    ngx_dns_key_t *key)
{
    u_char                     *p;
    size_t                      size;
    ngx_dns_external_writer_t  *w;

    size = ngx_align(sizeof(ngx_dns_external_writer_t), 16)
           + sh->nentries * sizeof(ngx_dns_external_own_t)
           + sh->nentries * sizeof(uint32_t)
           + sh->nchunks * sizeof(uint32_t)
           + sh->nchunks / 8 + 1;

    p = mem->map(mem->data, size);
    if (p == NULL) {
        return NULL;
    }

    w = (ngx_dns_external_writer_t *) p;
    p += ngx_align(sizeof(ngx_dns_external_writer_t), 16);

    w->shared = sh;
    w->mem = mem;
    w->key = key;
    w->mapped = size;

    w->own = (ngx_dns_external_own_t *) p;
    p += sh->nentries * sizeof(ngx_dns_external_own_t);

    w->entries = (uint32_t *) p;
    p += sh->nentries * sizeof(uint32_t);

    w->chunks = (uint32_t *) p;
    p += sh->nchunks * sizeof(uint32_t);

    w->seen = p;

    ngx_rbtree_init(&w->kept, &w->sentinel, ngx_rbtree_insert_value);
    ngx_rbtree_init(&w->dues, &w->sentinel, ngx_rbtree_insert_value);

    sh->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES] = 0;
    sh->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS] = 0;

    return w;
}


void
ngx_dns_external_close(ngx_dns_external_writer_t *w)
{
    w->mem->unmap(w->mem->data, w, w->mapped);
}


ngx_int_t
ngx_dns_external_continue(ngx_dns_external_writer_t *w)
{
    uint64_t                    i, n, last;
    ngx_dns_external_shared_t  *sh;

    sh = w->shared;

    switch (w->phase) {

    case 0:
    case 2:
        n = sh->nentries;
        break;

    case 1:
        n = sh->mask + 1;
        break;

    case 3:
        n = sh->nchunks;
        break;

    default:
        return NGX_OK;
    }

    last = ngx_min(n, w->done + NGX_DNS_EXTERNAL_STEP);

    for (i = w->done; i < last; i++) {

        switch (w->phase) {

        case 0:
            ngx_dns_external_open_entry(w, (uint32_t) i);
            break;

        case 1:
            ngx_dns_external_open_slot(w, i);
            break;

        case 2:
            ngx_dns_external_open_free(w, (uint32_t) (n - 1 - i));
            break;

        default:

            /* the first ones are taken first */

            if (!(w->seen[(n - 1 - i) / 8] & (1 << (n - 1 - i) % 8))) {
                w->chunks[w->nchunks++] = (uint32_t) (n - 1 - i);
            }
        }
    }

    w->done = last;

    if (last == n) {
        w->done = 0;
        w->phase++;
    }

    return NGX_AGAIN;
}


/* an entry that is whole keeps its chunks; born 0: it is not */

static void
ngx_dns_external_open_entry(ngx_dns_external_writer_t *w, uint32_t n)
{
    ngx_dns_external_entry_t  *e;

    e = ngx_dns_external_entry(w->shared, n);

    if (e->key == 0 && !(e->seq & 1)) {
        return;
    }

    if (!ngx_dns_external_whole(w, e)) {
        ngx_dns_external_clear(e);
        return;
    }

    w->own[n].born = ngx_max(e->fetched, 1);
    w->own[n].slot = NGX_DNS_EXTERNAL_NONE;
}


/* what is not is left alone, with its chunks if they seem to be its own */

static ngx_uint_t
ngx_dns_external_whole(ngx_dns_external_writer_t *w,
    ngx_dns_external_entry_t *e)
{
    u_char          wire[NGX_DNS_NAME_MAX + 8];
    size_t          size;
    uint32_t        chunk;
    ngx_dns_name_t  name;

    if ((e->seq & 1) || e->name_len == 0 || e->size > NGX_DNS_EXTERNAL_DATA) {
        return 0;
    }

    size = (size_t) e->name_len + e->size;
    chunk = e->chunk;

    for ( ;; ) {

        if (chunk >= w->shared->nchunks
            || (w->seen[chunk / 8] & (1 << chunk % 8)))
        {
            return 0;
        }

        w->seen[chunk / 8] |= (u_char) (1 << chunk % 8);

        if (size <= NGX_DNS_EXTERNAL_CHUNK) {
            break;
        }

        size -= NGX_DNS_EXTERNAL_CHUNK;
        chunk = ngx_dns_external_chunk(w->shared, chunk)->next;
    }

    ngx_dns_external_name(w, e, wire);

    return ngx_dns_name_parse(&name, wire, wire + e->name_len, w->key) != NULL
           && name.len == e->name_len
           && e->key == ngx_dns_external_key(name.hash[0], e->type, e->family,
                                             e->bits, e->network);
}


/* one slot for each whole entry, where readers find it */

static void
ngx_dns_external_open_slot(ngx_dns_external_writer_t *w, uint64_t i)
{
    uint32_t                   n;
    uint64_t                  *slots;
    ngx_dns_external_entry_t  *e;

    slots = ngx_dns_external_at(w->shared, w->shared->slots);

    if (slots[i] <= NGX_DNS_EXTERNAL_GONE) {
        return;
    }

    n = (uint32_t) slots[i] - NGX_DNS_EXTERNAL_FIRST;

    if (n < w->shared->nentries
        && w->own[n].born != 0
        && w->own[n].slot == NGX_DNS_EXTERNAL_NONE)
    {
        e = ngx_dns_external_entry(w->shared, n);

        if (slots[i] == ngx_dns_external_word(e->key, n)
            && ngx_dns_external_lookup(w->shared, e->key) == n)
        {
            w->own[n].slot = i;
            return;
        }
    }

    __atomic_store_n(&slots[i], NGX_DNS_EXTERNAL_GONE, __ATOMIC_RELEASE);
}


/* what nobody can find is free */

static void
ngx_dns_external_open_free(ngx_dns_external_writer_t *w, uint32_t n)
{
    ngx_uint_t                 i;
    uint32_t                   chunk;
    ngx_dns_external_own_t    *own;
    ngx_dns_external_entry_t  *e;

    own = &w->own[n];
    e = ngx_dns_external_entry(w->shared, n);

    i = ngx_dns_external_chunks_of((size_t) e->name_len + e->size);

    if (own->born != 0 && own->slot != NGX_DNS_EXTERNAL_NONE) {
        ngx_dns_external_keep(w, n, ngx_max(own->born, e->asked));

        w->shared->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES]++;
        w->shared->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS] += i;

        return;
    }

    if (own->born != 0) {
        ngx_dns_external_clear(e);

        for (chunk = e->chunk; i != 0; i--) {
            w->seen[chunk / 8] &= (u_char) ~(1 << chunk % 8);
            chunk = ngx_dns_external_chunk(w->shared, chunk)->next;
        }

        own->born = 0;
    }

    w->entries[w->nentries++] = n;
}


static void
ngx_dns_external_clear(ngx_dns_external_entry_t *e)
{
    __atomic_store_n(&e->seq, e->seq | 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    e->key = 0;

    __atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELEASE);
}
