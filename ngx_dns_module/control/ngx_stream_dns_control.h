
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_CONTROL_H_INCLUDED_
#define _NGX_STREAM_DNS_CONTROL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_dns_build.h"
#include "ngx_dns_publish.h"


/*
 * The control process: nginx's cache manager process, or the only process
 * with "master_process off".  It keeps the published zones in step with
 * their sources.  Everything here happens in its event loop, in slices.
 */

#define NGX_STREAM_DNS_SLICE  5         /* milliseconds of work at a time */


/* counters of a source: places in ngx_dns_shared_t.stat, one writer */

typedef enum {
    NGX_STREAM_DNS_STAT_CONNECTED = 0,  /* 1: yes */
    NGX_STREAM_DNS_STAT_MEANS,          /* ngx_stream_dns_means_e */
    NGX_STREAM_DNS_STAT_CONTACT,        /* seconds since the epoch */
    NGX_STREAM_DNS_STAT_ZONES,
    NGX_STREAM_DNS_STAT_RECORDS,
    NGX_STREAM_DNS_STAT_USED,           /* octets */
    NGX_STREAM_DNS_STAT_FREE,
    NGX_STREAM_DNS_STAT_LARGEST,        /* hole, octets */
    NGX_STREAM_DNS_STAT_CHANGES,        /* zones published or removed */
    NGX_STREAM_DNS_STAT_BAD,            /* values left out, now */
    NGX_STREAM_DNS_STAT_COMPARISONS,    /* full ones */
    NGX_STREAM_DNS_STAT_DELAY_LAST,     /* microseconds, notice to publish */
    NGX_STREAM_DNS_STAT_DELAY_MAX,
    NGX_STREAM_DNS_STAT_PAUSE_MAX,      /* longest of the loop, milliseconds */
    NGX_STREAM_DNS_STAT_FULL,           /* zones that found no room */
    NGX_STREAM_DNS_STAT_DISBELIEVED,    /* times all seemed to be gone */
    NGX_STREAM_DNS_STAT_RECONNECTS,
    NGX_STREAM_DNS_STAT_COMMANDS,       /* sent */
    NGX_STREAM_DNS_STAT_SNAPSHOTS,      /* written */
    NGX_STREAM_DNS_STAT_SNAPSHOT_TIME,  /* seconds since the epoch */
    NGX_STREAM_DNS_STAT_SNAPSHOT_SIZE,  /* octets */
    NGX_STREAM_DNS_STATS
} ngx_stream_dns_stat_e;

typedef enum {
    NGX_STREAM_DNS_MEANS_NONE = 0,
    NGX_STREAM_DNS_MEANS_TRACKING,
    NGX_STREAM_DNS_MEANS_EVENTS,
    NGX_STREAM_DNS_MEANS_POLLING
} ngx_stream_dns_means_e;


/* what this process is to a source */

typedef enum {
    NGX_STREAM_DNS_SOURCE_WAITS = 0,    /* another one writes */
    NGX_STREAM_DNS_SOURCE_OPENS,        /* it has the lock */
    NGX_STREAM_DNS_SOURCE_FAILED,       /* the region cannot be written */
    NGX_STREAM_DNS_SOURCE_WRITES
} ngx_stream_dns_source_state_e;


/* One "dns_redis". */

typedef struct {
    /* configuration, in cf->pool; strings end with a zero octet */

    ngx_str_t             name;         /* of the shared zone */
    size_t                size;         /* of the shared zone */
    ngx_str_t             address;      /* as written */
    ngx_addr_t            addr;         /* socklen 0: a host name */
    ngx_str_t             host;
    in_port_t             port;
    ngx_resolver_t       *resolver;     /* for host */
    ngx_msec_t            resolver_timeout;
    ngx_uint_t            db;
    ngx_str_t             user;
    ngx_str_t             password;
    ngx_str_t             prefix;
    ngx_str_t             suffix;
    ngx_str_t             key;          /* the word before ":zones" */
    ngx_msec_t            poll;
    ngx_msec_t            timeout;      /* to connect, and of a reply */
    time_t                stale;        /* seconds; 0: for ever */
    ngx_uint_t            drop;         /* 1: empty=drop */
    ngx_msec_t            snapshot;     /* between two; 0: none */
    ngx_dns_build_conf_t  build;
    uint64_t              signature;    /* of all that shapes the zones */
    u_char               *conf_file;
    ngx_uint_t            conf_line;

    /* what the servers know of it */
    struct ngx_stream_dns_region_s  *region;

    ngx_shm_zone_t       *shm_zone;
    ngx_dns_shared_t     *shared;       /* set by the zone's init */
    ngx_dns_key_t        *hash_key;     /* of the server's names */

    /* of the control process */

    ngx_uint_t            state;        /* NGX_STREAM_DNS_SOURCE_... */
    ngx_dns_publisher_t  *publisher;    /* NULL: another process writes */
    ngx_dns_publisher_t  *opening;      /* will be the publisher */
    ngx_msec_t            open_next;    /* to try it again, if it failed */
    void                 *sync;         /* ngx_stream_dns_sync_t */
    void                 *snap;         /* ngx_stream_dns_snapshot_t */
    void                 *files;        /* ngx_stream_dns_files_t */
    void                 *walk;         /* ngx_stream_dns_walk_source_t */
    ngx_log_t            *log;          /* its action names the source */
} ngx_stream_dns_source_t;


#define ngx_stream_dns_stat(src, i)  ((src)->shared->stat[i])


typedef struct {
    ngx_str_t             path;         /* dns_state_path */
    ngx_array_t           sources;      /* ngx_stream_dns_source_t * */
    ngx_uint_t            snapshots;    /* 1: this process has the lock of
                                           the state directory */
} ngx_stream_dns_control_t;

/* of this process; NULL where it is not the control process */

extern ngx_stream_dns_control_t  *ngx_stream_dns_control;


/*
 * 1 while the current slice of work may go on: less than
 * NGX_STREAM_DNS_SLICE since slice_begin.
 */
void ngx_stream_dns_slice_begin(void);
ngx_uint_t ngx_stream_dns_slice_left(void);


extern ngx_module_t  ngx_stream_dns_control_module;


#endif /* _NGX_STREAM_DNS_CONTROL_H_INCLUDED_ */
