
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_HEAP_H_INCLUDED_
#define _NGX_DNS_HEAP_H_INCLUDED_


#include "ngx_dns_records.h"


/*
 * What is where in an area that is cut into blocks without gaps, counted in
 * units of 64 octets: bits for where blocks begin and what they are, and the
 * holes in a tree by size.  All of it is private memory; the area itself is
 * not touched.
 */

#define NGX_DNS_HEAP_UNIT   64
#define NGX_DNS_HEAP_NONE   ((uint64_t) -1)
#define NGX_DNS_HEAP_MAX    0xffffffff  /* units: 256 GiB */

#define ngx_dns_heap_units(octets)                                           \
    (((octets) + NGX_DNS_HEAP_UNIT - 1) / NGX_DNS_HEAP_UNIT)

typedef enum {
    NGX_DNS_HEAP_USED = 0,
    NGX_DNS_HEAP_HOLE,
    NGX_DNS_HEAP_WAIT,                  /* used no more, but seen perhaps */
    NGX_DNS_HEAP_FIXED                  /* must stay where it is */
} ngx_dns_heap_state_e;


typedef struct ngx_dns_heap_chunk_s  ngx_dns_heap_chunk_t;

/*
 * state bits of a block are those of its first unit; the last unit of a hole
 * has the bit "hole" too, so that what follows sees it
 */

typedef struct {
    ngx_dns_memory_t      *mem;
    uint64_t               units;       /* of the area */
    uint64_t               free;        /* units in holes */
    uint64_t               shut;        /* holes from here ... */
    uint64_t               shut_end;    /* ... to here are taken by nobody */
    uint64_t               settled;     /* so far, at the beginning */

    uint64_t              *start;
    uint64_t              *starts;      /* words of start that are not 0 */
    uint64_t              *hole;
    uint64_t              *keep;
    size_t                 mapped;

    ngx_rbtree_t           holes;       /* size, then place */
    ngx_rbtree_node_t      sentinel;
    ngx_rbtree_node_t     *spare;
    ngx_dns_heap_chunk_t  *chunks;
} ngx_dns_heap_t;


/* NGX_ERROR: no memory, or more than NGX_DNS_HEAP_MAX units. */
ngx_int_t ngx_dns_heap_open(ngx_dns_heap_t *heap, ngx_dns_memory_t *mem,
    uint64_t units);
void ngx_dns_heap_close(ngx_dns_heap_t *heap);

/*
 * Said first: where the blocks are, in any order.  Then settle makes WAIT
 * blocks of what is between them, after the next n blocks at a time.
 *
 * NGX_OK
 * NGX_AGAIN  settle has to be called again
 * NGX_ERROR  they overlap, or lie outside
 */
ngx_int_t ngx_dns_heap_claim(ngx_dns_heap_t *heap, uint64_t at, uint64_t n);
ngx_int_t ngx_dns_heap_settle(ngx_dns_heap_t *heap, ngx_uint_t n);

/*
 * Takes n units, from the smallest hole they fit into; the block is FIXED.
 * NGX_DNS_HEAP_NONE: there is no such hole.
 */
uint64_t ngx_dns_heap_take(ngx_dns_heap_t *heap, uint64_t n);

/*
 * The same, from a hole that lies before end.  Looks at some holes only, the
 * smallest that are large enough.
 */
uint64_t ngx_dns_heap_take_before(ngx_dns_heap_t *heap, uint64_t n,
    uint64_t end);

/* The same from the beginning of the hole at shut, which moves behind. */
void ngx_dns_heap_take_shut(ngx_dns_heap_t *heap, uint64_t n);

/* Makes the block a hole and joins it with its neighbors. */
void ngx_dns_heap_give(ngx_dns_heap_t *heap, uint64_t at);

/* Cuts the block after n units; the rest becomes a hole. */
void ngx_dns_heap_cut(ngx_dns_heap_t *heap, uint64_t at, uint64_t n);

void ngx_dns_heap_set(ngx_dns_heap_t *heap, uint64_t at,
    ngx_dns_heap_state_e state);
ngx_dns_heap_state_e ngx_dns_heap_state(const ngx_dns_heap_t *heap,
    uint64_t at);

/* 1 if a block begins there. */
ngx_uint_t ngx_dns_heap_is_block(const ngx_dns_heap_t *heap, uint64_t at);

/* Where the block behind the one at or around this place begins. */
uint64_t ngx_dns_heap_next(const ngx_dns_heap_t *heap, uint64_t at);

/* Where the block around this place begins. */
uint64_t ngx_dns_heap_block(const ngx_dns_heap_t *heap, uint64_t at);

/* Units of the largest hole that can be taken. */
uint64_t ngx_dns_heap_largest(const ngx_dns_heap_t *heap);

/*
 * Changes the range whose holes are taken by nobody; both ends are the
 * beginnings of blocks, or the end of the area.  Holes are not joined over
 * its ends.
 */
void ngx_dns_heap_shut(ngx_dns_heap_t *heap, uint64_t from, uint64_t to);


#endif /* _NGX_DNS_HEAP_H_INCLUDED_ */
