
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_external.h"


#define NGX_DNS_EXTERNAL_TRIES   3
#define NGX_DNS_EXTERNAL_RECENT  256    /* a power of 2 */

/* what all results between two resets may have */
#define NGX_DNS_EXTERNAL_BUFFER  (2 * NGX_DNS_EXTERNAL_DATA)


/* what was asked for lately, so that a flood of questions asks once */

typedef struct {
    uint64_t                    key;
    int64_t                     time;   /* seconds */
} ngx_dns_external_recent_t;


struct ngx_dns_external_s {
    ngx_dns_external_shared_t  *shared;
    ngx_dns_external_reader_t  *reader;
    ngx_uint_t                  ecs;

    u_char                     *buffer;
    size_t                      used;
    ngx_dns_external_recent_t   recent[NGX_DNS_EXTERNAL_RECENT];
};


/* one look: for whom, for what, when */

typedef struct {
    ngx_dns_external_t         *ext;
    const ngx_dns_name_t       *target;
    ngx_uint_t                  type;
    ngx_uint_t                  family; /* 0: no network */
    ngx_uint_t                  bits;
    ngx_uint_t                  hidden; /* bits of one that is not told */
    u_char                      network[16];
    int64_t                     now;
    ngx_dns_external_result_t  *r;
} ngx_dns_external_look_t;


/* a place in the data of an entry */

typedef struct {
    ngx_dns_external_chunk_t   *chunk;
    size_t                      pos;
} ngx_dns_external_cursor_t;


static void ngx_dns_external_network(ngx_dns_external_look_t *look,
    const ngx_dns_ecs_t *client);
static ngx_int_t ngx_dns_external_scoped(ngx_dns_external_look_t *look,
    ngx_dns_external_entry_t *generic);
static ngx_int_t ngx_dns_external_read(ngx_dns_external_look_t *look,
    uint64_t key, ngx_dns_external_entry_t *e, ngx_uint_t data);
static ngx_int_t ngx_dns_external_copy(ngx_dns_external_look_t *look,
    ngx_dns_external_entry_t *e, ngx_uint_t data);
static ngx_int_t ngx_dns_external_chunks(ngx_dns_external_shared_t *sh,
    ngx_dns_external_cursor_t *cur, u_char *dst, size_t size);
static void ngx_dns_external_asked(ngx_dns_external_look_t *look,
    uint64_t key);
static ngx_int_t ngx_dns_external_life(ngx_dns_external_look_t *look,
    ngx_dns_external_entry_t *e);
static ngx_int_t ngx_dns_external_missed(ngx_dns_external_look_t *look);
static void ngx_dns_external_want(ngx_dns_external_look_t *look,
    ngx_uint_t bits);
static void ngx_dns_external_mask(u_char *dst, const u_char *src,
    ngx_uint_t family, ngx_uint_t bits);


ngx_dns_external_t *
ngx_dns_external_create(ngx_pool_t *pool, ngx_dns_external_shared_t *sh,
    ngx_uint_t i, ngx_uint_t ecs)
{
    ngx_dns_external_t         *ext;
    ngx_dns_external_reader_t  *readers;

    ext = ngx_pcalloc(pool, sizeof(ngx_dns_external_t));
    if (ext == NULL) {
        return NULL;
    }

    /* names are compared by words, a little behind their ends */

    ext->buffer = ngx_palloc(pool, NGX_DNS_EXTERNAL_BUFFER + 8);
    if (ext->buffer == NULL) {
        return NULL;
    }

    readers = ngx_dns_external_at(sh, sh->readers);

    ext->shared = sh;
    ext->reader = &readers[i];
    ext->ecs = ecs;

    return ext;
}


void
ngx_dns_external_reset(ngx_dns_external_t *ext)
{
    ext->used = 0;
}


ngx_int_t
ngx_dns_external_find(ngx_dns_external_t *ext, const ngx_dns_name_t *target,
    ngx_uint_t type, const ngx_dns_ecs_t *client, int64_t now,
    ngx_dns_external_result_t *r)
{
    uint64_t                  key;
    ngx_dns_external_look_t   look;
    ngx_dns_external_entry_t  e;

    ngx_memzero(r, sizeof(ngx_dns_external_result_t));

    look.ext = ext;
    look.target = target;
    look.type = type;
    look.now = now;
    look.r = r;

    ngx_dns_external_network(&look, client);

    key = ngx_dns_external_key(target->hash[0], type, 0, 0, NULL);

    if (ngx_dns_external_read(&look, key, &e, look.family == 0) != NGX_OK) {
        ngx_dns_external_want(&look, look.bits);
        return ngx_dns_external_missed(&look);
    }

    ngx_dns_external_asked(&look, key);

    if (look.family != 0) {

        if (e.fetched != 0
            && ngx_dns_external_scoped(&look, &e) == NGX_OK)
        {
            return NGX_OK;
        }

        if (ngx_dns_external_read(&look, key, &e, 1) != NGX_OK) {
            return ngx_dns_external_missed(&look);
        }
    }

    if (ngx_dns_external_life(&look, &e) != NGX_OK) {
        return ngx_dns_external_missed(&look);
    }

    /* that of nobody in particular, until the one of the network comes */

    if (look.family != 0 && e.scoped != NGX_DNS_EXTERNAL_SAME) {
        ngx_dns_external_want(&look, look.bits);

        r->scope = (uint8_t) look.bits;
        r->ttl = ngx_min(r->ttl, 1);
    }

    /* others are given theirs */

    if (look.hidden != 0 && e.scoped == NGX_DNS_EXTERNAL_DIFFER) {
        r->scope = (uint8_t) look.hidden;
    }

    return NGX_OK;
}


/* the client's network, as far as others may know it */

static void
ngx_dns_external_network(ngx_dns_external_look_t *look,
    const ngx_dns_ecs_t *client)
{
    look->family = 0;
    look->bits = 0;
    look->hidden = 0;

    if (!look->ext->ecs || client == NULL || client->len == 0
        || client->bits == 0)
    {
        return;
    }

    if (ngx_dns_external_private(client->address, client->len)) {
        look->hidden = client->bits;
        return;
    }

    if (client->len == 4) {
        look->family = NGX_DNS_ECS_INET;
        look->bits = ngx_min(client->bits, NGX_DNS_EXTERNAL_BITS4);

    } else {
        look->family = NGX_DNS_ECS_INET6;
        look->bits = ngx_min(client->bits, NGX_DNS_EXTERNAL_BITS6);
    }

    ngx_dns_external_mask(look->network, client->address, look->family,
                          look->bits);
}


/* the answer of the longest network around that of the client */

static ngx_int_t
ngx_dns_external_scoped(ngx_dns_external_look_t *look,
    ngx_dns_external_entry_t *generic)
{
    u_char                    network[16];
    uint64_t                  key, scopes;
    ngx_uint_t                bits;
    ngx_dns_external_entry_t  e;

    scopes = (look->family == NGX_DNS_ECS_INET) ? generic->scopes4
                                                : generic->scopes6;
    scopes &= ((uint64_t) 2 << look->bits) - 1;

    while (scopes != 0) {

        bits = 63 - __builtin_clzll(scopes);
        scopes &= ~((uint64_t) 1 << bits);

        ngx_dns_external_mask(network, look->network, look->family, bits);

        key = ngx_dns_external_key(look->target->hash[0], look->type,
                                   look->family, bits, network);

        if (ngx_dns_external_read(look, key, &e, 1) != NGX_OK
            || ngx_dns_external_life(look, &e) != NGX_OK)
        {
            continue;
        }

        ngx_dns_external_asked(look, key);

        look->r->scope = (uint8_t) bits;

        return NGX_OK;
    }

    return NGX_DECLINED;
}


/*
 * A copy of the entry with this key, the RRs too if data is 1: they are at
 * the end of the buffer and belong to the result if that is wanted.
 */

static ngx_int_t
ngx_dns_external_read(ngx_dns_external_look_t *look, uint64_t key,
    ngx_dns_external_entry_t *e, ngx_uint_t data)
{
    uint32_t                    n, seq;
    ngx_int_t                   rc;
    ngx_uint_t                  i;
    ngx_dns_external_entry_t   *p;
    ngx_dns_external_shared_t  *sh;

    sh = look->ext->shared;

    for (i = 0; i < NGX_DNS_EXTERNAL_TRIES; i++) {

        n = ngx_dns_external_lookup(sh, key);

        if (n == NGX_DNS_EXTERNAL_NONE) {
            return NGX_DECLINED;
        }

        p = ngx_dns_external_entry(sh, n);

        seq = __atomic_load_n(&p->seq, __ATOMIC_ACQUIRE);

        if (seq & 1) {
            continue;
        }

        ngx_memcpy(e, p, sizeof(ngx_dns_external_entry_t));

        rc = (e->key == key) ? ngx_dns_external_copy(look, e, data)
                             : NGX_DECLINED;

        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        if (__atomic_load_n(&p->seq, __ATOMIC_RELAXED) == seq) {
            return rc;
        }
    }

    return NGX_DECLINED;
}


/* what e says may be nonsense, which is noticed when seq is seen again */

static ngx_int_t
ngx_dns_external_copy(ngx_dns_external_look_t *look,
    ngx_dns_external_entry_t *e, ngx_uint_t data)
{
    u_char                      name[NGX_DNS_NAME_MAX + 1 + 8];
    ngx_dns_rrset_t            *set;
    ngx_dns_external_t         *ext;
    ngx_dns_external_cursor_t   cur;

    ext = look->ext;

    if (e->name_len != look->target->len || e->chunk >= ext->shared->nchunks) {
        return NGX_DECLINED;
    }

    cur.chunk = (ngx_dns_external_chunk_t *)
                ngx_dns_external_at(ext->shared, ext->shared->chunks)
                + e->chunk;
    cur.pos = 0;

    if (ngx_dns_external_chunks(ext->shared, &cur, name, e->name_len)
        != NGX_OK
        || !ngx_dns_name_same(name, look->target->wire, e->name_len))
    {
        return NGX_DECLINED;
    }

    if (!data || e->nrr == 0) {
        return NGX_OK;
    }

    if (e->size > NGX_DNS_EXTERNAL_DATA
        || ext->used + sizeof(ngx_dns_rrset_t) + e->size
           > NGX_DNS_EXTERNAL_BUFFER)
    {
        return NGX_DECLINED;
    }

    set = (ngx_dns_rrset_t *) (ext->buffer + ext->used);

    set->type = e->type;
    set->nrr = e->nrr;
    set->ttl = e->ttl;
    set->size = e->size;
    set->flags = 0;

    return ngx_dns_external_chunks(ext->shared, &cur, (u_char *) (set + 1),
                                   e->size);
}


static ngx_int_t
ngx_dns_external_chunks(ngx_dns_external_shared_t *sh,
    ngx_dns_external_cursor_t *cur, u_char *dst, size_t size)
{
    size_t    n;
    uint32_t  next;

    for ( ;; ) {

        n = ngx_min(size, NGX_DNS_EXTERNAL_CHUNK - cur->pos);

        ngx_memcpy(dst, cur->chunk->data + cur->pos, n);

        dst += n;
        size -= n;
        cur->pos += n;

        if (size == 0) {
            return NGX_OK;
        }

        next = *(volatile uint32_t *) &cur->chunk->next;

        if (next >= sh->nchunks) {
            return NGX_DECLINED;
        }

        cur->chunk = (ngx_dns_external_chunk_t *)
                     ngx_dns_external_at(sh, sh->chunks) + next;
        cur->pos = 0;
    }
}


/* the writer refreshes what somebody asks for */

static void
ngx_dns_external_asked(ngx_dns_external_look_t *look, uint64_t key)
{
    uint32_t                   n;
    ngx_dns_external_entry_t  *p;

    n = ngx_dns_external_lookup(look->ext->shared, key);

    if (n == NGX_DNS_EXTERNAL_NONE) {
        return;
    }

    p = ngx_dns_external_entry(look->ext->shared, n);

    if (p->key == key && p->asked != look->now) {
        p->asked = look->now;
    }
}


/* the result from an entry that was read with its data, if it still may be */

static ngx_int_t
ngx_dns_external_life(ngx_dns_external_look_t *look,
    ngx_dns_external_entry_t *e)
{
    int64_t                     left;
    ngx_dns_external_t         *ext;
    ngx_dns_external_result_t  *r;

    r = look->r;
    ext = look->ext;

    r->failing = (e->retry > look->now);
    r->fetched = e->fetched;

    /* a clock that went back makes everything old */

    left = (look->now + 1 >= e->fetched) ? e->expires - look->now : 0;

    if (left <= 0 && !r->failing) {
        ngx_dns_external_want(look, (e->family != 0) ? look->bits : 0);
    }

    if (e->fetched == 0 || left < -NGX_DNS_EXTERNAL_STALE) {
        return NGX_DECLINED;
    }

    if (left > 0) {
        r->ttl = (uint32_t) ngx_min((int64_t) e->ttl, left);

    } else {
        r->stale = 1;
        r->ttl = ngx_min(e->ttl, (r->failing ? NGX_DNS_EXTERNAL_FAILING : 1));
        ext->reader->stale++;
    }

    r->rcode = e->rcode;

    if (e->nrr != 0) {
        r->rrset = (ngx_dns_rrset_t *) (ext->buffer + ext->used);
        ext->used += ngx_align(sizeof(ngx_dns_rrset_t) + e->size, 8);
    }

    ext->reader->found++;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_external_missed(ngx_dns_external_look_t *look)
{
    look->ext->reader->missed++;

    return NGX_DECLINED;
}


/*
 * Into the ring, for the client's network or (bits 0) for nobody's.  Once a
 * second is enough.
 */

static void
ngx_dns_external_want(ngx_dns_external_look_t *look, ngx_uint_t bits)
{
    uint64_t                    key, turn;
    ngx_uint_t                  family;
    ngx_dns_external_t         *ext;
    ngx_dns_external_want_t    *w;
    ngx_dns_external_recent_t  *recent;
    ngx_dns_external_shared_t  *sh;

    ext = look->ext;
    sh = ext->shared;
    family = (bits != 0) ? look->family : 0;

    key = ngx_dns_external_key(look->target->hash[0], look->type, family,
                               bits, look->network);

    recent = &ext->recent[key & (NGX_DNS_EXTERNAL_RECENT - 1)];

    if (recent->key == key && recent->time == look->now) {
        return;
    }

    turn = __atomic_load_n(&sh->claimed, __ATOMIC_RELAXED);

    do {
        if (turn - __atomic_load_n(&sh->taken, __ATOMIC_ACQUIRE)
            >= sh->nwants)
        {
            ext->reader->lost++;
            return;
        }

    } while (!__atomic_compare_exchange_n(&sh->claimed, &turn, turn + 1, 0,
                                          __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));

    recent->key = key;
    recent->time = look->now;

    w = (ngx_dns_external_want_t *) ngx_dns_external_at(sh, sh->wants)
        + (turn & (sh->nwants - 1));

    w->type = (uint16_t) look->type;
    w->family = (uint8_t) family;
    w->bits = (uint8_t) bits;
    w->name_len = (uint8_t) look->target->len;

    ngx_memzero(w->network, 16);

    if (family != 0) {
        ngx_memcpy(w->network, look->network, 16);
    }

    ngx_memcpy(w->name, look->target->wire, look->target->len);

    __atomic_store_n(&w->ready, turn + 1, __ATOMIC_RELEASE);

    look->r->wanted = 1;
    ext->reader->wanted++;
}


uint32_t
ngx_dns_external_lookup(const ngx_dns_external_shared_t *sh, uint64_t key)
{
    uint32_t                   n;
    uint64_t                   i, word, *slots;
    ngx_dns_external_entry_t  *e;

    slots = ngx_dns_external_at(sh, sh->slots);

    for (i = 0; i <= sh->mask; i++) {

        word = __atomic_load_n(&slots[(key + i) & sh->mask],
                               __ATOMIC_ACQUIRE);

        if (word == NGX_DNS_EXTERNAL_FREE) {
            break;
        }

        if ((word ^ key) >> 32 != 0
            || (uint32_t) word < NGX_DNS_EXTERNAL_FIRST)
        {
            continue;
        }

        n = (uint32_t) word - NGX_DNS_EXTERNAL_FIRST;

        if (n >= sh->nentries) {
            continue;
        }

        e = ngx_dns_external_entry(sh, n);

        if (e->key == key) {
            return n;
        }
    }

    return NGX_DNS_EXTERNAL_NONE;
}


uint64_t
ngx_dns_external_key(uint64_t hash, ngx_uint_t type, ngx_uint_t family,
    ngx_uint_t bits, const u_char *network)
{
    uint64_t  words[2];

    hash ^= (uint64_t) type << 16 | (uint64_t) family << 8 | bits;
    hash = ngx_dns_name_spread(hash);

    if (family != 0) {
        ngx_memcpy(words, network, 16);

        hash = ngx_dns_name_spread(hash ^ words[0]);
        hash = ngx_dns_name_spread(hash ^ words[1]);
    }

    hash ^= hash >> 29;

    return (hash != 0) ? hash : 1;
}


ngx_uint_t
ngx_dns_external_private(const u_char *address, size_t len)
{
    const u_char  *p;

    p = address;

    if (len != 4) {

        /* global unicast is 2000::/3 only, NAT64 is not the client's */

        return (p[0] & 0xe0) != 0x20;
    }

    switch (p[0]) {

    case 0:
    case 10:
    case 127:
        return 1;

    case 100:
        return (p[1] & 0xc0) == 64;

    case 169:
        return p[1] == 254;

    case 172:
        return (p[1] & 0xf0) == 16;

    case 192:
        return p[1] == 168 || (p[1] == 0 && p[2] == 0);

    case 198:
        return (p[1] & 0xfe) == 18;

    default:
        return p[0] >= 224;
    }
}


static void
ngx_dns_external_mask(u_char *dst, const u_char *src, ngx_uint_t family,
    ngx_uint_t bits)
{
    size_t  n;

    n = (family == NGX_DNS_ECS_INET) ? 4 : 16;

    ngx_memzero(dst, 16);
    ngx_memcpy(dst, src, ngx_min(n, (bits + 7) / 8));

    if (bits % 8 != 0) {
        dst[bits / 8] &= (u_char) (0xff << (8 - bits % 8));
    }
}
