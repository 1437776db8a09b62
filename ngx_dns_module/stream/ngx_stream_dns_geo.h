
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_GEO_H_INCLUDED_
#define _NGX_STREAM_DNS_GEO_H_INCLUDED_


#include "ngx_stream_dns_module.h"


/*
 * Places in workers: blocks of ngx_dns_geo.h that the control process has
 * made of databases, in files, and announced in shared memory.
 */

#define NGX_STREAM_DNS_GEO_FILES  32    /* databases, at most */
#define NGX_STREAM_DNS_GEO_HEAD   128   /* octets in front of a block */
#define NGX_STREAM_DNS_GEO_HASH   32    /* octets that name a file */


typedef enum {
    NGX_STREAM_DNS_GEO_NONE = 0,        /* nobody has looked at it yet */
    NGX_STREAM_DNS_GEO_BAD,             /* nothing could be made of it */
    NGX_STREAM_DNS_GEO_GOOD             /* there is a block */
} ngx_stream_dns_geo_state_e;

/* what is there of one database; the file that was checked, and no other */

typedef struct {
    uint64_t                     id;    /* of the database's path; 0: free */
    uint64_t                     state; /* ngx_stream_dns_geo_state_e */
    uint64_t                     dev;
    uint64_t                     ino;
    uint64_t                     size;  /* with the head */
    uint64_t                     mtime; /* nanoseconds */
    uint64_t                     ctime;
    u_char                       hash[NGX_STREAM_DNS_GEO_HASH];
} ngx_stream_dns_geo_entry_t;

/* one process writes, whoever has the lock; readers have none */

typedef struct {
    uint64_t                     lock[16];
    volatile uint64_t            generation;    /* odd: it is written */
    volatile uint64_t            missing;       /* set by readers: a file is
                                                   not what it should be */
    ngx_stream_dns_geo_entry_t   entries[NGX_STREAM_DNS_GEO_FILES];
} ngx_stream_dns_geo_shared_t;


/* a database as configured */

typedef struct {
    ngx_str_t                    path;  /* ends with a zero octet */
    uint64_t                     id;
} ngx_stream_dns_geo_file_t;

/* "dns_geoip" and "dns_network" */

typedef struct {
    ngx_array_t                  files;     /* ngx_stream_dns_geo_file_t */
    ngx_str_t                    dir;       /* of blocks; ends with a zero */
    ngx_shm_zone_t              *shm_zone;  /* NULL: no databases */
    ngx_stream_dns_geo_shared_t *shared;

    ngx_array_t                  names;     /* ngx_dns_explain_network_t: of
                                               networks */
    ngx_dns_geo_t               *networks;  /* or NULL */
    size_t                       size;
} ngx_stream_dns_geo_conf_t;


/*
 * The path of a block's file in dir: n octets of room at p are needed.
 */
#define ngx_stream_dns_geo_path_len(dir)                                     \
    ((dir)->len + 1 + 2 * NGX_STREAM_DNS_GEO_HASH + sizeof(".geo"))

void ngx_stream_dns_geo_path(u_char *p, ngx_str_t *dir, const u_char *hash);

/*
 * What the shared memory says, as a whole.  Returns its generation, or 0: it
 * is being written, ask again.
 */
uint64_t ngx_stream_dns_geo_read(ngx_stream_dns_geo_shared_t *shared,
    ngx_stream_dns_geo_entry_t *entries);

/*
 * Gives the worker its places, and keeps them as they are announced.  What
 * is there already is used from the first query on.  NGX_ERROR: no memory.
 */
ngx_int_t ngx_stream_dns_geo_init(ngx_cycle_t *cycle,
    ngx_stream_dns_worker_t *w);


#endif /* _NGX_STREAM_DNS_GEO_H_INCLUDED_ */
