
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_MASTER_H_INCLUDED_
#define _NGX_DNS_MASTER_H_INCLUDED_


#include "ngx_dns_pools.h"


/*
 * Reads a master file (RFC 1035, 5; RFC 2308, 4; RFC 3597, 5) into records.
 * In the place of a type may stand POOL (ngx_dns_pools.h).
 */

typedef struct {
    /*
     * Opens a file; includer is NULL for the zone's own file, else the path
     * as opened of the file with the $INCLUDE.  *path is set to the path
     * to show and to pass as includer later (lives as long as the reader).
     * Returns a handle, or NULL with *err set to a text.
     */
    void     *(*open)(void *data, ngx_str_t *name, ngx_str_t *includer,
                  ngx_str_t *path, ngx_str_t *err);
    /* up to size octets; 0 at the end, -1 with *err set on failure */
    ssize_t   (*read)(void *data, void *handle, u_char *buf, size_t size,
                  ngx_str_t *err);
    void      (*close)(void *data, void *handle);
    void       *data;
} ngx_dns_files_t;

typedef struct {
    ngx_dns_files_t     *files;
    ngx_dns_memory_t    *mem;
    ngx_dns_reporter_t  *rep;
    uint32_t             default_ttl;   /* seconds, where a file gives none */
    ngx_uint_t           max_errors;    /* stop after so many (10) */
    size_t               max_generate;  /* records of one $GENERATE */
    size_t               window;        /* octets read at once; 0: 256k */
    ngx_dns_pools_t     *pools;         /* that POOL may name, or NULL */
    u_char              *pools_used;    /* set to 1 by index, or NULL */
} ngx_dns_master_conf_t;

/*
 * Reads file and what it includes.  origin (the apex) is the first $ORIGIN.
 *
 * The files are read through a window, so memory does not grow with them.
 * A TTL that a record lacks is that of $TTL, else of the last record that
 * had one, else the MINIMUM of the SOA, else default_ttl.
 *
 * NGX_OK      read; nothing was reported as an error
 * NGX_ERROR   at least one error was reported
 */
ngx_int_t ngx_dns_master_read(ngx_dns_master_conf_t *conf, ngx_str_t *file,
    const u_char *origin, ngx_dns_records_t *rs);


#endif /* _NGX_DNS_MASTER_H_INCLUDED_ */
