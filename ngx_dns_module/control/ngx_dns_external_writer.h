
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_EXTERNAL_WRITER_H_INCLUDED_
#define _NGX_DNS_EXTERNAL_WRITER_H_INCLUDED_


#include "ngx_dns_external_write.h"


/*
 * The private memory of the writer, shared by the files ngx_dns_external_*.c
 * of this folder.
 */

typedef struct {
    ngx_rbtree_node_t          kept;    /* by when it was asked for last */
    ngx_rbtree_node_t          due;     /* key 0: not in the tree */
    int64_t                    born;    /* seconds */
    uint64_t                   slot;
    void                      *data;    /* of the user */
    ngx_uint_t                 failures;
    ngx_uint_t                 kept_fresh;  /* 1: asked or not */
} ngx_dns_external_own_t;


struct ngx_dns_external_writer_s {
    ngx_dns_external_shared_t *shared;
    ngx_dns_memory_t          *mem;
    ngx_dns_key_t             *key;
    size_t                     mapped;  /* octets of all this */

    ngx_dns_external_own_t    *own;     /* of each entry */
    uint32_t                  *entries; /* free ones, a stack */
    uint32_t                  *chunks;  /* free ones, a stack */
    u_char                    *seen;    /* bits of chunks, while opening */
    ngx_uint_t                 nentries;
    ngx_uint_t                 nchunks;
    ngx_uint_t                 held;    /* entries with data of the user */

    ngx_rbtree_t               kept;
    ngx_rbtree_t               dues;
    ngx_rbtree_node_t          sentinel;

    uint64_t                   waiting; /* for this want, and 1 */
    uint64_t                   since;   /* milliseconds */

    ngx_uint_t                 phase;   /* of opening, and how far it is */
    uint64_t                   done;
};


#define ngx_dns_external_chunk(sh, i)                                        \
    ((ngx_dns_external_chunk_t *) ngx_dns_external_at(sh, (sh)->chunks)      \
     + (i))

#define ngx_dns_external_word(key, n)                                        \
    (((key) & 0xffffffff00000000ULL) | ((n) + NGX_DNS_EXTERNAL_FIRST))

#define ngx_dns_external_chunks_of(size)                                     \
    (((size) + NGX_DNS_EXTERNAL_CHUNK - 1) / NGX_DNS_EXTERNAL_CHUNK)


/* copies the name of an entry */
void ngx_dns_external_name(ngx_dns_external_writer_t *w,
    const ngx_dns_external_entry_t *e, u_char *name);


/* puts an entry into the tree of what is evicted; used: seconds */

static ngx_inline void
ngx_dns_external_keep(ngx_dns_external_writer_t *w, uint32_t n, int64_t used)
{
    w->own[n].kept.key = (ngx_rbtree_key_t) used;
    ngx_rbtree_insert(&w->kept, &w->own[n].kept);
}


#endif /* _NGX_DNS_EXTERNAL_WRITER_H_INCLUDED_ */
