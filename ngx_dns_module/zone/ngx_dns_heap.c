
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_heap.h"


#define NGX_DNS_HEAP_CHUNK  1600        /* nodes: 64 KiB */
#define NGX_DNS_HEAP_LOOK   64          /* holes at one that lies in front */

struct ngx_dns_heap_chunk_s {
    ngx_dns_heap_chunk_t  *next;
    ngx_rbtree_node_t      nodes[NGX_DNS_HEAP_CHUNK];
};


#define ngx_dns_heap_bit(map, i)    ((map)[(i) / 64] >> ((i) % 64) & 1)
#define ngx_dns_heap_raise(map, i)                                           \
    (map)[(i) / 64] |= (uint64_t) 1 << ((i) % 64)
#define ngx_dns_heap_clear(map, i)                                           \
    (map)[(i) / 64] &= ~((uint64_t) 1 << ((i) % 64))

#define ngx_dns_heap_key(at, n)     ((n) << 32 | (at))
#define ngx_dns_heap_key_at(key)    ((key) & 0xffffffff)
#define ngx_dns_heap_key_n(key)     ((key) >> 32)


static uint64_t ngx_dns_heap_scan(const uint64_t *map, uint64_t i,
    uint64_t end);
static void ngx_dns_heap_begin(ngx_dns_heap_t *heap, uint64_t at);
static void ngx_dns_heap_unbegin(ngx_dns_heap_t *heap, uint64_t at);
static uint64_t ngx_dns_heap_before(const ngx_dns_heap_t *heap, uint64_t at);
static ngx_rbtree_node_t *ngx_dns_heap_lower(const ngx_dns_heap_t *heap,
    uint64_t key);
static uint64_t ngx_dns_heap_take_hole(ngx_dns_heap_t *heap, uint64_t key,
    uint64_t n);
static ngx_uint_t ngx_dns_heap_is_shut(const ngx_dns_heap_t *heap,
    uint64_t at);
static void ngx_dns_heap_insert(ngx_dns_heap_t *heap, uint64_t at,
    uint64_t n);
static void ngx_dns_heap_remove(ngx_dns_heap_t *heap, uint64_t at,
    uint64_t n);
static void ngx_dns_heap_mark(ngx_dns_heap_t *heap, uint64_t at, uint64_t n);
static void ngx_dns_heap_unmark(ngx_dns_heap_t *heap, uint64_t at,
    uint64_t n);
static void ngx_dns_heap_join(ngx_dns_heap_t *heap, uint64_t at, uint64_t n);
static void ngx_dns_heap_reopen(ngx_dns_heap_t *heap, uint64_t from,
    uint64_t to);


ngx_int_t
ngx_dns_heap_open(ngx_dns_heap_t *heap, ngx_dns_memory_t *mem, uint64_t units)
{
    u_char  *p;
    size_t   words, summary;

    if (units == 0 || units > NGX_DNS_HEAP_MAX) {
        return NGX_ERROR;
    }

    ngx_memzero(heap, sizeof(ngx_dns_heap_t));

    words = units / 64 + 1;
    summary = words / 64 + 1;

    heap->mem = mem;
    heap->units = units;
    heap->mapped = (3 * words + summary) * sizeof(uint64_t);

    p = mem->map(mem->data, heap->mapped);
    if (p == NULL) {
        return NGX_ERROR;
    }

    heap->start = (uint64_t *) p;
    heap->hole = heap->start + words;
    heap->keep = heap->hole + words;
    heap->starts = heap->keep + words;

    ngx_rbtree_init(&heap->holes, &heap->sentinel, ngx_rbtree_insert_value);

    return NGX_OK;
}


void
ngx_dns_heap_close(ngx_dns_heap_t *heap)
{
    ngx_dns_heap_chunk_t  *chunk, *next;

    for (chunk = heap->chunks; chunk; chunk = next) {
        next = chunk->next;
        heap->mem->unmap(heap->mem->data, chunk, sizeof(ngx_dns_heap_chunk_t));
    }

    heap->mem->unmap(heap->mem->data, heap->start, heap->mapped);
}


/* the first bit that is set at i or behind it, or end */

static uint64_t
ngx_dns_heap_scan(const uint64_t *map, uint64_t i, uint64_t end)
{
    uint64_t  w, bits;

    if (i >= end) {
        return end;
    }

    w = i / 64;
    bits = map[w] & (~(uint64_t) 0 << (i % 64));

    while (bits == 0) {

        if (++w * 64 >= end) {
            return end;
        }

        bits = map[w];
    }

    i = w * 64 + __builtin_ctzl(bits);

    return ngx_min(i, end);
}


static void
ngx_dns_heap_begin(ngx_dns_heap_t *heap, uint64_t at)
{
    ngx_dns_heap_raise(heap->start, at);
    ngx_dns_heap_raise(heap->starts, at / 64);
}


static void
ngx_dns_heap_unbegin(ngx_dns_heap_t *heap, uint64_t at)
{
    ngx_dns_heap_clear(heap->start, at);

    if (heap->start[at / 64] == 0) {
        ngx_dns_heap_clear(heap->starts, at / 64);
    }
}


uint64_t
ngx_dns_heap_next(const ngx_dns_heap_t *heap, uint64_t at)
{
    uint64_t  w, bits, words;

    w = ++at / 64;

    if (at >= heap->units) {
        return heap->units;
    }

    bits = heap->start[w] & (~(uint64_t) 0 << (at % 64));

    if (bits == 0) {
        words = heap->units / 64 + 1;
        w = ngx_dns_heap_scan(heap->starts, w + 1, words);

        if (w == words) {
            return heap->units;
        }

        bits = heap->start[w];
    }

    return w * 64 + __builtin_ctzl(bits);
}


uint64_t
ngx_dns_heap_block(const ngx_dns_heap_t *heap, uint64_t at)
{
    uint64_t  w, s, bits;

    w = at / 64;
    bits = heap->start[w] << (63 - at % 64);

    if (bits != 0) {
        return at - __builtin_clzl(bits);
    }

    /* the first unit of the area begins a block: there is an end to this */

    s = w / 64;
    bits = heap->starts[s] & (((uint64_t) 1 << (w % 64)) - 1);

    while (bits == 0) {
        bits = heap->starts[--s];
    }

    w = s * 64 + 63 - __builtin_clzl(bits);

    return w * 64 + 63 - __builtin_clzl(heap->start[w]);
}


ngx_uint_t
ngx_dns_heap_is_block(const ngx_dns_heap_t *heap, uint64_t at)
{
    return at < heap->units && ngx_dns_heap_bit(heap->start, at);
}


ngx_dns_heap_state_e
ngx_dns_heap_state(const ngx_dns_heap_t *heap, uint64_t at)
{
    return ngx_dns_heap_bit(heap->hole, at)
           | ngx_dns_heap_bit(heap->keep, at) << 1;
}


void
ngx_dns_heap_set(ngx_dns_heap_t *heap, uint64_t at, ngx_dns_heap_state_e state)
{
    ngx_dns_heap_clear(heap->hole, at);
    ngx_dns_heap_clear(heap->keep, at);

    if (state & NGX_DNS_HEAP_HOLE) {
        ngx_dns_heap_raise(heap->hole, at);
    }

    if (state & NGX_DNS_HEAP_WAIT) {
        ngx_dns_heap_raise(heap->keep, at);
    }
}


/* the ends of blocks are noted where holes are marked later */

ngx_int_t
ngx_dns_heap_claim(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    if (n == 0 || at >= heap->units || n > heap->units - at
        || ngx_dns_heap_bit(heap->start, at)
        || ngx_dns_heap_bit(heap->hole, at + n - 1))
    {
        return NGX_ERROR;
    }

    ngx_dns_heap_begin(heap, at);
    ngx_dns_heap_raise(heap->hole, at + n - 1);

    return NGX_OK;
}


ngx_int_t
ngx_dns_heap_settle(ngx_dns_heap_t *heap, ngx_uint_t n)
{
    uint64_t  at, start, end;

    for (at = heap->settled; at < heap->units && n > 0; n--) {

        start = ngx_dns_heap_bit(heap->start, at)
                    ? at : ngx_dns_heap_next(heap, at);
        end = ngx_dns_heap_scan(heap->hole, at, heap->units);

        if (start != at) {
            ngx_dns_heap_begin(heap, at);
            ngx_dns_heap_set(heap, at, NGX_DNS_HEAP_WAIT);
        }

        if (start == heap->units) {

            if (end != start) {
                return NGX_ERROR;
            }

            at = start;
            break;
        }

        if (end < start || end >= ngx_dns_heap_next(heap, start)) {
            return NGX_ERROR;
        }

        ngx_dns_heap_clear(heap->hole, end);

        at = end + 1;
    }

    heap->settled = at;

    return (at < heap->units) ? NGX_AGAIN : NGX_OK;
}


/* the smallest key that is not smaller, or NULL */

static ngx_rbtree_node_t *
ngx_dns_heap_lower(const ngx_dns_heap_t *heap, uint64_t key)
{
    ngx_rbtree_node_t  *node, *found;

    node = heap->holes.root;
    found = NULL;

    while (node != heap->holes.sentinel) {

        if (node->key >= key) {
            found = node;
            node = node->left;

        } else {
            node = node->right;
        }
    }

    return found;
}


static ngx_uint_t
ngx_dns_heap_is_shut(const ngx_dns_heap_t *heap, uint64_t at)
{
    return at >= heap->shut && at < heap->shut_end;
}


/*
 * Without memory for a node nobody takes the hole until a neighbor joins it;
 * everything else goes on.
 */

static void
ngx_dns_heap_insert(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    ngx_uint_t             i;
    ngx_rbtree_node_t     *node;
    ngx_dns_heap_chunk_t  *chunk;

    if (ngx_dns_heap_is_shut(heap, at)) {
        return;
    }

    if (heap->spare == NULL) {

        chunk = heap->mem->map(heap->mem->data, sizeof(ngx_dns_heap_chunk_t));
        if (chunk == NULL) {
            return;
        }

        chunk->next = heap->chunks;
        heap->chunks = chunk;

        for (i = 0; i < NGX_DNS_HEAP_CHUNK; i++) {
            chunk->nodes[i].parent = heap->spare;
            heap->spare = &chunk->nodes[i];
        }
    }

    node = heap->spare;
    heap->spare = node->parent;

    node->key = ngx_dns_heap_key(at, n);
    ngx_rbtree_insert(&heap->holes, node);
}


static void
ngx_dns_heap_remove(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    ngx_rbtree_node_t  *node;

    node = ngx_dns_heap_lower(heap, ngx_dns_heap_key(at, n));

    if (node == NULL || node->key != ngx_dns_heap_key(at, n)) {
        return;
    }

    ngx_rbtree_delete(&heap->holes, node);

    node->parent = heap->spare;
    heap->spare = node;
}


static void
ngx_dns_heap_mark(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    ngx_dns_heap_set(heap, at, NGX_DNS_HEAP_HOLE);
    ngx_dns_heap_raise(heap->hole, at + n - 1);
}


/* a hole loses its mark at both ends, not where it begins */

static void
ngx_dns_heap_unmark(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    ngx_dns_heap_clear(heap->hole, at);
    ngx_dns_heap_clear(heap->hole, at + n - 1);
}


/* where the hole begins that ends at a place, or NGX_DNS_HEAP_NONE */

static uint64_t
ngx_dns_heap_before(const ngx_dns_heap_t *heap, uint64_t at)
{
    uint64_t  last;

    if (at == 0 || !ngx_dns_heap_bit(heap->hole, at - 1)) {
        return NGX_DNS_HEAP_NONE;
    }

    last = at - 1;

    if (ngx_dns_heap_bit(heap->start, last)
        && ngx_dns_heap_bit(heap->keep, last))
    {
        return NGX_DNS_HEAP_NONE;
    }

    return ngx_dns_heap_block(heap, last);
}


/* the hole is marked and in no tree */

static void
ngx_dns_heap_join(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    uint64_t    first, next, size;
    ngx_uint_t  shut;

    shut = (heap->shut != heap->shut_end);
    next = at + n;

    ngx_dns_heap_unmark(heap, at, n);

    if (next < heap->units
        && ngx_dns_heap_state(heap, next) == NGX_DNS_HEAP_HOLE
        && !(shut && (next == heap->shut || next == heap->shut_end)))
    {
        size = ngx_dns_heap_next(heap, next) - next;

        ngx_dns_heap_remove(heap, next, size);
        ngx_dns_heap_unmark(heap, next, size);
        ngx_dns_heap_unbegin(heap, next);

        n += size;
    }

    first = ngx_dns_heap_before(heap, at);

    if (first != NGX_DNS_HEAP_NONE
        && !(shut && (at == heap->shut || at == heap->shut_end)))
    {
        ngx_dns_heap_remove(heap, first, at - first);
        ngx_dns_heap_unmark(heap, first, at - first);
        ngx_dns_heap_unbegin(heap, at);

        n += at - first;
        at = first;
    }

    ngx_dns_heap_mark(heap, at, n);
    ngx_dns_heap_insert(heap, at, n);
}


uint64_t
ngx_dns_heap_take(ngx_dns_heap_t *heap, uint64_t n)
{
    ngx_rbtree_node_t  *node;

    node = ngx_dns_heap_lower(heap, ngx_dns_heap_key((uint64_t) 0, n));

    return node ? ngx_dns_heap_take_hole(heap, node->key, n)
                : NGX_DNS_HEAP_NONE;
}


uint64_t
ngx_dns_heap_take_before(ngx_dns_heap_t *heap, uint64_t n, uint64_t end)
{
    ngx_uint_t          i;
    ngx_rbtree_node_t  *node;

    node = ngx_dns_heap_lower(heap, ngx_dns_heap_key((uint64_t) 0, n));

    for (i = 0; node != NULL && i < NGX_DNS_HEAP_LOOK; i++) {

        if (ngx_dns_heap_key_at(node->key) < end) {
            return ngx_dns_heap_take_hole(heap, node->key, n);
        }

        node = ngx_rbtree_next(&heap->holes, node);
    }

    return NGX_DNS_HEAP_NONE;
}


/*
 * At the end of the area blocks are taken from the end: two that take turns
 * leave what is between them whole.
 */

static uint64_t
ngx_dns_heap_take_hole(ngx_dns_heap_t *heap, uint64_t key, uint64_t n)
{
    uint64_t  at, size;

    at = ngx_dns_heap_key_at(key);
    size = ngx_dns_heap_key_n(key);

    ngx_dns_heap_remove(heap, at, size);
    ngx_dns_heap_unmark(heap, at, size);

    if (size != n && at != 0 && at + size == heap->units) {
        size -= n;

        ngx_dns_heap_mark(heap, at, size);
        ngx_dns_heap_insert(heap, at, size);

        at += size;
        ngx_dns_heap_begin(heap, at);

    } else if (size != n) {
        ngx_dns_heap_begin(heap, at + n);
        ngx_dns_heap_mark(heap, at + n, size - n);
        ngx_dns_heap_insert(heap, at + n, size - n);
    }

    ngx_dns_heap_set(heap, at, NGX_DNS_HEAP_FIXED);
    heap->free -= n;

    return at;
}


void
ngx_dns_heap_take_shut(ngx_dns_heap_t *heap, uint64_t n)
{
    uint64_t  at, size;

    at = heap->shut;
    size = ngx_dns_heap_next(heap, at) - at;

    ngx_dns_heap_unmark(heap, at, size);

    if (size != n) {
        ngx_dns_heap_begin(heap, at + n);
        ngx_dns_heap_mark(heap, at + n, size - n);
    }

    ngx_dns_heap_set(heap, at, NGX_DNS_HEAP_FIXED);

    heap->shut += n;
    heap->free -= n;
}


void
ngx_dns_heap_give(ngx_dns_heap_t *heap, uint64_t at)
{
    uint64_t  n;

    n = ngx_dns_heap_next(heap, at) - at;

    heap->free += n;

    ngx_dns_heap_mark(heap, at, n);
    ngx_dns_heap_join(heap, at, n);
}


void
ngx_dns_heap_cut(ngx_dns_heap_t *heap, uint64_t at, uint64_t n)
{
    if (at + n == ngx_dns_heap_next(heap, at)) {
        return;
    }

    ngx_dns_heap_begin(heap, at + n);
    ngx_dns_heap_give(heap, at + n);
}


uint64_t
ngx_dns_heap_largest(const ngx_dns_heap_t *heap)
{
    ngx_rbtree_node_t  *node;

    node = heap->holes.root;

    if (node == heap->holes.sentinel) {
        return 0;
    }

    while (node->right != heap->holes.sentinel) {
        node = node->right;
    }

    return ngx_dns_heap_key_n(node->key);
}


void
ngx_dns_heap_shut(ngx_dns_heap_t *heap, uint64_t from, uint64_t to)
{
    uint64_t  at, next, old, old_end;

    old = heap->shut;
    old_end = heap->shut_end;

    at = (from == old && old != old_end) ? ngx_min(old_end, to) : from;

    for ( /* void */ ; at < to; at = next) {
        next = ngx_dns_heap_next(heap, at);

        if (!ngx_dns_heap_is_shut(heap, at)
            && ngx_dns_heap_state(heap, at) == NGX_DNS_HEAP_HOLE)
        {
            ngx_dns_heap_remove(heap, at, next - at);
        }
    }

    heap->shut = (from == to) ? 0 : from;
    heap->shut_end = (from == to) ? 0 : to;

    /* what is shut no more, and holes at both sides of an old end */

    if (from == to) {
        ngx_dns_heap_reopen(heap, old, old_end);
        return;
    }

    ngx_dns_heap_reopen(heap, old, ngx_min(old_end, from));
    ngx_dns_heap_reopen(heap, ngx_max(old, to), old_end);

    if (old_end > from && old_end < to
        && ngx_dns_heap_state(heap, old_end) == NGX_DNS_HEAP_HOLE)
    {
        ngx_dns_heap_join(heap, old_end,
                          ngx_dns_heap_next(heap, old_end) - old_end);
    }
}


static void
ngx_dns_heap_reopen(ngx_dns_heap_t *heap, uint64_t from, uint64_t to)
{
    uint64_t  at, next;

    for (at = from; at < to; at = next) {
        next = ngx_dns_heap_next(heap, at);

        if (ngx_dns_heap_state(heap, at) == NGX_DNS_HEAP_HOLE) {
            ngx_dns_heap_join(heap, at, next - at);
            next = ngx_dns_heap_next(heap, at);
        }
    }
}
