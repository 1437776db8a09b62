
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_STORE_H_INCLUDED_
#define _NGX_DNS_STORE_H_INCLUDED_


#include "ngx_dns_records.h"
#include "ngx_dns_sort.h"


/* What records look like inside; for the readers and the compiler only. */

typedef struct ngx_dns_chunk_s  ngx_dns_chunk_t;

struct ngx_dns_chunk_s {
    ngx_dns_chunk_t     *next;
    size_t               size;          /* octets, this head included */
    size_t               used;
};

struct ngx_dns_records_s {
    ngx_dns_memory_t    *mem;
    ngx_dns_reporter_t  *rep;

    ngx_dns_chunk_t     *chunks;        /* of records, in order of adding */
    ngx_dns_chunk_t     *last;
    size_t               chunk_size;    /* of the next one */

    ngx_dns_chunk_t     *texts;         /* of file names, last one first */
    ngx_uint_t           nfiles;

    size_t               n;             /* records */
    size_t               bound;         /* octets of nodes and sets, at most */
    size_t               nodes_bound;   /* nodes, at most, the apex apart */

    size_t               apex_len;
    ngx_uint_t           apex_labels;
    u_char               apex[NGX_DNS_NAME_MAX + 1];
};

#define NGX_DNS_NODE_BOUND   12         /* head and padding, without name */
#define NGX_DNS_SET_BOUND    28         /* head, link, rdlen, padding */


/* The name of a file by its index, or NULL. */
ngx_str_t *ngx_dns_records_file_name(ngx_dns_records_t *rs, ngx_uint_t i);


#endif /* _NGX_DNS_STORE_H_INCLUDED_ */
