
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_external_writer.h"


#define NGX_DNS_EXTERNAL_PENDING  5     /* seconds until it is asked again */
#define NGX_DNS_EXTERNAL_PATIENCE 1000  /* ms for a want to get ready */
#define NGX_DNS_EXTERNAL_TRIES    512   /* to find what can be evicted */


static void ngx_dns_external_begin(ngx_dns_external_entry_t *e);
static void ngx_dns_external_end(ngx_dns_external_entry_t *e);
static uint32_t ngx_dns_external_take(ngx_dns_external_writer_t *w,
    uint32_t keep, ngx_uint_t nchunks);
static ngx_int_t ngx_dns_external_evict(ngx_dns_external_writer_t *w,
    uint32_t keep);
static uint32_t ngx_dns_external_fill(ngx_dns_external_writer_t *w,
    const u_char *name, size_t name_len, const u_char *data, size_t size);
static void ngx_dns_external_give(ngx_dns_external_writer_t *w,
    uint32_t chunk, ngx_uint_t n);
static ngx_uint_t ngx_dns_external_nchunks(ngx_dns_external_entry_t *e);
static void ngx_dns_external_index(ngx_dns_external_writer_t *w, uint32_t n,
    uint64_t key);
static void ngx_dns_external_unindex(ngx_dns_external_writer_t *w,
    uint32_t n);


ngx_int_t
ngx_dns_external_want_next(ngx_dns_external_writer_t *w, uint64_t ms,
    ngx_dns_external_target_t *t)
{
    u_char                      name[NGX_DNS_NAME_MAX + 8];
    uint64_t                    turn;
    ngx_uint_t                  sound;
    ngx_dns_external_want_t    *want, *wants;
    ngx_dns_external_shared_t  *sh;

    sh = w->shared;
    wants = ngx_dns_external_at(sh, sh->wants);

    for ( ;; ) {

        turn = sh->taken;

        if (turn == __atomic_load_n(&sh->claimed, __ATOMIC_ACQUIRE)) {
            return NGX_DECLINED;
        }

        want = &wants[turn & (sh->nwants - 1)];

        if (__atomic_load_n(&want->ready, __ATOMIC_ACQUIRE) != turn + 1) {

            /* its reader is busy with it, or has died over it */

            if (w->waiting != turn + 1) {
                w->waiting = turn + 1;
                w->since = ms;
            }

            if (ms - w->since < NGX_DNS_EXTERNAL_PATIENCE) {
                return NGX_DECLINED;
            }

            sh->stat[NGX_DNS_EXTERNAL_STAT_SKIPPED]++;
            __atomic_store_n(&sh->taken, turn + 1, __ATOMIC_RELEASE);

            continue;
        }

        ngx_memcpy(name, want->name, NGX_DNS_NAME_MAX);

        sound = (ngx_dns_name_parse(&t->name, name, name + NGX_DNS_NAME_MAX,
                                    w->key)
                 != NULL);

        t->type = want->type;
        t->family = want->family;
        t->bits = want->bits;
        ngx_memcpy(t->network, want->network, 16);

        __atomic_store_n(&sh->taken, turn + 1, __ATOMIC_RELEASE);

        if (sound
            && (t->type == NGX_DNS_TYPE_A || t->type == NGX_DNS_TYPE_AAAA)
            && (t->family == 0
                || (t->family == NGX_DNS_ECS_INET
                    && t->bits <= NGX_DNS_EXTERNAL_BITS4)
                || (t->family == NGX_DNS_ECS_INET6
                    && t->bits <= NGX_DNS_EXTERNAL_BITS6)))
        {
            return NGX_OK;
        }
    }
}


uint32_t
ngx_dns_external_get(ngx_dns_external_writer_t *w,
    const ngx_dns_external_target_t *t)
{
    return ngx_dns_external_lookup(w->shared,
                                   ngx_dns_external_key(t->name.hash[0],
                                                        t->type, t->family,
                                                        t->bits, t->network));
}


uint32_t
ngx_dns_external_make(ngx_dns_external_writer_t *w,
    const ngx_dns_external_target_t *t, int64_t now, ngx_uint_t asked)
{
    uint32_t                   n;
    ngx_uint_t                 nchunks;
    ngx_dns_external_own_t    *own;
    ngx_dns_external_entry_t  *e;

    n = ngx_dns_external_get(w, t);

    if (n != NGX_DNS_EXTERNAL_NONE) {

        if (asked) {
            ngx_dns_external_entry(w->shared, n)->asked = now;
        }

        return n;
    }

    nchunks = ngx_dns_external_chunks_of(t->name.len);

    n = ngx_dns_external_take(w, NGX_DNS_EXTERNAL_NONE, nchunks);

    if (n == NGX_DNS_EXTERNAL_NONE) {
        w->shared->stat[NGX_DNS_EXTERNAL_STAT_FULL]++;
        return n;
    }

    own = &w->own[n];
    e = ngx_dns_external_entry(w->shared, n);

    ngx_dns_external_begin(e);

    e->type = (uint16_t) t->type;
    e->nrr = 0;
    e->fetched = 0;
    e->expires = 0;
    e->retry = now + NGX_DNS_EXTERNAL_PENDING;
    e->ttl = 0;
    e->size = 0;
    e->chunk = ngx_dns_external_fill(w, t->name.wire, t->name.len, NULL, 0);
    e->rcode = NGX_DNS_NOERROR;
    e->name_len = (uint8_t) t->name.len;
    e->family = (uint8_t) t->family;
    e->bits = (uint8_t) t->bits;
    e->scoped = NGX_DNS_EXTERNAL_UNKNOWN;
    e->scopes4 = 0;
    e->scopes6 = 0;
    ngx_memcpy(e->network, t->network, 16);
    e->asked = asked ? now : 0;
    e->key = ngx_dns_external_key(t->name.hash[0], t->type, t->family,
                                  t->bits, t->network);

    ngx_dns_external_end(e);

    ngx_dns_external_index(w, n, e->key);

    own->born = now;
    own->failures = 0;
    own->kept_fresh = 0;

    ngx_dns_external_keep(w, n, now);

    w->shared->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES]++;

    return n;
}


void
ngx_dns_external_target(ngx_dns_external_writer_t *w, uint32_t n,
    ngx_dns_external_target_t *t)
{
    u_char                     name[NGX_DNS_NAME_MAX + 1];
    ngx_dns_external_entry_t  *e;

    e = ngx_dns_external_entry(w->shared, n);

    ngx_dns_external_name(w, e, name);
    ngx_dns_name_set(&t->name, name, w->key);

    t->type = e->type;
    t->family = e->family;
    t->bits = e->bits;
    ngx_memcpy(t->network, e->network, 16);
}


void
ngx_dns_external_name(ngx_dns_external_writer_t *w,
    const ngx_dns_external_entry_t *e, u_char *name)
{
    size_t                     len, size;
    ngx_dns_external_chunk_t  *chunk;

    chunk = ngx_dns_external_chunk(w->shared, e->chunk);

    for (len = e->name_len; len != 0; len -= size) {
        size = ngx_min(len, NGX_DNS_EXTERNAL_CHUNK);
        name = ngx_cpymem(name, chunk->data, size);

        if (len > size) {
            chunk = ngx_dns_external_chunk(w->shared, chunk->next);
        }
    }
}


void
ngx_dns_external_remove(ngx_dns_external_writer_t *w, uint32_t n)
{
    uint32_t                   chunk;
    ngx_uint_t                 nchunks;
    ngx_dns_external_own_t    *own;
    ngx_dns_external_entry_t  *e;

    own = &w->own[n];
    e = ngx_dns_external_entry(w->shared, n);

    ngx_dns_external_due(w, n, 0);
    ngx_rbtree_delete(&w->kept, &own->kept);

    chunk = e->chunk;
    nchunks = ngx_dns_external_nchunks(e);

    ngx_dns_external_unindex(w, n);

    ngx_dns_external_begin(e);
    e->key = 0;
    ngx_dns_external_end(e);

    ngx_dns_external_give(w, chunk, nchunks);

    ngx_dns_external_set_data(w, n, NULL);
    w->entries[w->nentries++] = n;

    w->shared->stat[NGX_DNS_EXTERNAL_STAT_ENTRIES]--;
}


ngx_int_t
ngx_dns_external_store(ngx_dns_external_writer_t *w, uint32_t n,
    const ngx_dns_external_data_t *data, int64_t now)
{
    u_char                     name[NGX_DNS_NAME_MAX + 1];
    uint32_t                   chunk, old;
    ngx_uint_t                 nchunks;
    ngx_dns_external_entry_t  *e;

    e = ngx_dns_external_entry(w->shared, n);

    if (data->size > NGX_DNS_EXTERNAL_DATA) {
        return NGX_DECLINED;
    }

    while (ngx_dns_external_chunks_of(e->name_len + data->size) > w->nchunks) {
        if (ngx_dns_external_evict(w, n) != NGX_OK) {
            w->shared->stat[NGX_DNS_EXTERNAL_STAT_FULL]++;
            return NGX_DECLINED;
        }
    }

    ngx_dns_external_name(w, e, name);

    old = e->chunk;
    nchunks = ngx_dns_external_nchunks(e);

    chunk = ngx_dns_external_fill(w, name, e->name_len, data->rrs,
                                  data->size);

    ngx_dns_external_begin(e);

    e->chunk = chunk;
    e->size = data->size;
    e->nrr = data->nrr;
    e->rcode = data->rcode;
    e->ttl = data->ttl;
    e->fetched = now;
    e->expires = now + ngx_max(data->ttl, 1);
    e->retry = 0;

    ngx_dns_external_end(e);

    ngx_dns_external_give(w, old, nchunks);

    w->own[n].failures = 0;

    return NGX_OK;
}


void
ngx_dns_external_fail(ngx_dns_external_writer_t *w, uint32_t n, int64_t retry)
{
    ngx_dns_external_entry_t  *e;

    e = ngx_dns_external_entry(w->shared, n);

    ngx_dns_external_begin(e);
    e->retry = retry;
    ngx_dns_external_end(e);

    w->own[n].failures++;
}


ngx_uint_t
ngx_dns_external_failures(ngx_dns_external_writer_t *w, uint32_t n)
{
    return w->own[n].failures;
}


void
ngx_dns_external_scope(ngx_dns_external_writer_t *w, uint32_t n,
    ngx_uint_t state, ngx_uint_t family, ngx_uint_t bits)
{
    ngx_dns_external_entry_t  *e;

    e = ngx_dns_external_entry(w->shared, n);

    ngx_dns_external_begin(e);

    e->scoped = (uint8_t) state;

    if (state != NGX_DNS_EXTERNAL_DIFFER) {
        e->scopes4 = 0;
        e->scopes6 = 0;

    } else if (family == NGX_DNS_ECS_INET) {
        e->scopes4 |= (uint32_t) 1 << bits;

    } else {
        e->scopes6 |= (uint64_t) 1 << bits;
    }

    ngx_dns_external_end(e);
}


void *
ngx_dns_external_data(ngx_dns_external_writer_t *w, uint32_t n)
{
    return w->own[n].data;
}


void
ngx_dns_external_set_data(ngx_dns_external_writer_t *w, uint32_t n,
    void *data)
{
    w->held += (data != NULL);
    w->held -= (w->own[n].data != NULL);

    w->own[n].data = data;
}


ngx_uint_t
ngx_dns_external_fresh(ngx_dns_external_writer_t *w, uint32_t n)
{
    return w->own[n].kept_fresh;
}


void
ngx_dns_external_set_fresh(ngx_dns_external_writer_t *w, uint32_t n)
{
    w->own[n].kept_fresh = 1;
}


void
ngx_dns_external_due(ngx_dns_external_writer_t *w, uint32_t n, uint64_t ms)
{
    ngx_dns_external_own_t  *own;

    own = &w->own[n];

    if (own->due.key != 0) {
        ngx_rbtree_delete(&w->dues, &own->due);
        own->due.key = 0;
    }

    if (ms != 0) {
        own->due.key = ms;
        ngx_rbtree_insert(&w->dues, &own->due);
    }
}


uint32_t
ngx_dns_external_due_next(ngx_dns_external_writer_t *w, uint64_t ms)
{
    uint32_t                 n;
    ngx_rbtree_node_t       *node;
    ngx_dns_external_own_t  *own;

    if (w->dues.root == &w->sentinel) {
        return NGX_DNS_EXTERNAL_NONE;
    }

    node = ngx_rbtree_min(w->dues.root, &w->sentinel);

    if (node->key > ms) {
        return NGX_DNS_EXTERNAL_NONE;
    }

    own = (ngx_dns_external_own_t *)
              ((u_char *) node - offsetof(ngx_dns_external_own_t, due));
    n = own - w->own;

    ngx_dns_external_due(w, n, 0);

    return n;
}


/*
 * Nothing that a reader sees as part of the entry may be stored before seq
 * is odd, nor after it is even again: also not into chunks that were part
 * of it before.
 */

static void
ngx_dns_external_begin(ngx_dns_external_entry_t *e)
{
    __atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}


static void
ngx_dns_external_end(ngx_dns_external_entry_t *e)
{
    __atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELEASE);
}


/* a free entry, and at least so many free chunks */

static uint32_t
ngx_dns_external_take(ngx_dns_external_writer_t *w, uint32_t keep,
    ngx_uint_t nchunks)
{
    while (w->nentries == 0 || w->nchunks < nchunks) {
        if (ngx_dns_external_evict(w, keep) != NGX_OK) {
            return NGX_DNS_EXTERNAL_NONE;
        }
    }

    return w->entries[--w->nentries];
}


/*
 * Removes what nobody has asked for longest.  Readers do not tell: the tree
 * is by what was known of each entry last, so the first one whose time is
 * still the same is it.
 */

static ngx_int_t
ngx_dns_external_evict(ngx_dns_external_writer_t *w, uint32_t keep)
{
    int64_t                  used;
    uint32_t                 n;
    ngx_uint_t               tries;
    ngx_rbtree_node_t       *node;
    ngx_dns_external_own_t  *own;

    /* time is short: after many tries the first one that can be has to go */

    for (tries = 0; tries < NGX_DNS_EXTERNAL_TRIES + w->held; tries++) {

        if (w->kept.root == &w->sentinel) {
            break;
        }

        node = ngx_rbtree_min(w->kept.root, &w->sentinel);
        own = (ngx_dns_external_own_t *)
                  ((u_char *) node - offsetof(ngx_dns_external_own_t, kept));
        n = own - w->own;

        used = ngx_dns_external_entry(w->shared, n)->asked;
        used = ngx_max(used, own->born);

        if (n != keep && own->data == NULL
            && ((ngx_rbtree_key_t) used <= node->key
                || tries >= NGX_DNS_EXTERNAL_TRIES / 2))
        {
            ngx_dns_external_remove(w, n);
            w->shared->stat[NGX_DNS_EXTERNAL_STAT_EVICTED]++;

            return NGX_OK;
        }

        used = ngx_max(used, (int64_t) node->key + 1);

        ngx_rbtree_delete(&w->kept, node);
        ngx_dns_external_keep(w, n, used);
    }

    return NGX_DECLINED;
}


/* the number of the first chunk; there are enough */

static uint32_t
ngx_dns_external_fill(ngx_dns_external_writer_t *w, const u_char *name,
    size_t name_len, const u_char *data, size_t size)
{
    size_t                     n;
    uint32_t                   first;
    ngx_dns_external_chunk_t  *chunk;

    /* seq of the entry that had these chunks before is seen first */

    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    first = w->chunks[--w->nchunks];
    chunk = ngx_dns_external_chunk(w->shared, first);
    w->shared->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS]++;

    n = 0;

    while (name_len + size != 0) {

        if (n == NGX_DNS_EXTERNAL_CHUNK) {
            chunk->next = w->chunks[--w->nchunks];
            chunk = ngx_dns_external_chunk(w->shared, chunk->next);
            w->shared->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS]++;
            n = 0;
        }

        if (name_len != 0) {
            chunk->data[n++] = *name++;
            name_len--;

        } else {
            chunk->data[n++] = *data++;
            size--;
        }
    }

    chunk->next = NGX_DNS_EXTERNAL_NONE;

    return first;
}


static void
ngx_dns_external_give(ngx_dns_external_writer_t *w, uint32_t chunk,
    ngx_uint_t n)
{
    w->shared->stat[NGX_DNS_EXTERNAL_STAT_CHUNKS] -= n;

    while (n--) {
        w->chunks[w->nchunks++] = chunk;
        chunk = ngx_dns_external_chunk(w->shared, chunk)->next;
    }
}


static ngx_uint_t
ngx_dns_external_nchunks(ngx_dns_external_entry_t *e)
{
    return ngx_dns_external_chunks_of((size_t) e->name_len + e->size);
}


/* there are more slots than entries: one is free */

static void
ngx_dns_external_index(ngx_dns_external_writer_t *w, uint32_t n, uint64_t key)
{
    uint64_t  i, *slots;

    slots = ngx_dns_external_at(w->shared, w->shared->slots);

    for (i = key & w->shared->mask;
         slots[i] > NGX_DNS_EXTERNAL_GONE;
         i = (i + 1) & w->shared->mask)
    {
        /* void */
    }

    w->own[n].slot = i;

    __atomic_store_n(&slots[i], ngx_dns_external_word(key, n),
                     __ATOMIC_RELEASE);
}


/* what was removed is free if nothing comes behind it */

static void
ngx_dns_external_unindex(ngx_dns_external_writer_t *w, uint32_t n)
{
    uint64_t  i, *slots;

    i = w->own[n].slot;
    slots = ngx_dns_external_at(w->shared, w->shared->slots);

    __atomic_store_n(&slots[i], NGX_DNS_EXTERNAL_GONE, __ATOMIC_RELEASE);

    if (slots[(i + 1) & w->shared->mask] != NGX_DNS_EXTERNAL_FREE) {
        return;
    }

    while (slots[i] == NGX_DNS_EXTERNAL_GONE) {
        __atomic_store_n(&slots[i], NGX_DNS_EXTERNAL_FREE, __ATOMIC_RELEASE);
        i = (i - 1) & w->shared->mask;
    }
}
