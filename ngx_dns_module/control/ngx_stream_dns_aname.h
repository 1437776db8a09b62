
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_ANAME_H_INCLUDED_
#define _NGX_STREAM_DNS_ANAME_H_INCLUDED_


#include "ngx_dns_external_write.h"
#include "ngx_dns_upstream.h"
#include "ngx_stream_dns_control_conf.h"


/*
 * ANAME targets that are in no zone of this server: the control process asks
 * resolvers for them, and keeps what workers read fresh.
 */

#define NGX_STREAM_DNS_ANAME_SERVERS  4
#define NGX_STREAM_DNS_ANAME_QUERIES  64        /* at the same time */
#define NGX_STREAM_DNS_ANAME_SOCKETS  8         /* of one query */


typedef struct {
    u_char                      address[16];
    in_port_t                   port;
    ngx_uint_t                  family;         /* AF_INET, AF_INET6 */
} ngx_stream_dns_aname_server_t;


typedef struct {
    ngx_stream_dns_aname_server_t   servers[NGX_STREAM_DNS_ANAME_SERVERS];
    ngx_uint_t                      nservers;
    ngx_msec_t                      timeout;    /* of the first try */
    ngx_flag_t                      ecs;
    size_t                          size;       /* octets, dns_aname_cache */
    u_char                         *conf_file;
    ngx_uint_t                      conf_line;

    ngx_shm_zone_t                 *shm_zone;
    ngx_dns_external_shared_t      *shared;     /* set by the zone's init */
    ngx_stream_dns_main_conf_t     *stream;
} ngx_stream_dns_aname_conf_t;


typedef struct ngx_stream_dns_aname_s  ngx_stream_dns_aname_t;


/* One query that is under way, over whatever servers and sockets it takes. */

typedef struct {
    ngx_queue_t                     queue;
    ngx_stream_dns_aname_t         *aname;

    uint32_t                        entry;
    ngx_dns_external_target_t       target;     /* of the entry */
    ngx_dns_upstream_query_t        query;
    u_char                          network[16];

    void                           *channel;    /* ares_channel */
    ngx_connection_t               *sockets[NGX_STREAM_DNS_ANAME_SOCKETS];
    ngx_uint_t                      nsockets;
    ngx_socket_t                    tcp;
    ngx_msec_t                      deadline;   /* of the current try */

    ngx_uint_t                      done;       /* 1: rc and reply are set */
    ngx_int_t                       rc;         /* NGX_ERROR: there is none */
    ngx_dns_upstream_reply_t        reply;      /* data in aname->data */
} ngx_stream_dns_aname_query_t;


/* of the control process */

struct ngx_stream_dns_aname_s {
    ngx_stream_dns_aname_conf_t    *conf;
    ngx_log_t                      *log;
    ngx_dns_key_t                  *key;

    ngx_dns_external_writer_t      *writer;     /* NULL: another one writes */
    ngx_dns_external_writer_t      *opening;
    ngx_uint_t                      locked;
    ngx_uint_t                      failed;     /* 1: there was no memory */
    uint64_t                        met;        /* entries taken over */

    ngx_queue_t                     active;     /* ngx_stream_dns_aname_... */
    ngx_queue_t                     free;       /* ..query_t */
    ngx_uint_t                      nactive;
    ngx_stream_dns_aname_query_t   *queries;

    uint64_t                        look;       /* entry, for counters */
    ngx_uint_t                      nfailing;
    int64_t                         age;

    u_char                          data[NGX_DNS_UPSTREAM_DATA];
};


/* Directives, and what can be said when all of them have been read. */
char *ngx_stream_dns_aname_resolver(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_stream_dns_aname_ecs(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_stream_dns_aname_cache(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_stream_dns_aname_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);

/* Gives the variables $dns_aname_... that are used their values. */
ngx_int_t ngx_stream_dns_aname_variables(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);

/*
 * start  of the control process; NGX_ERROR: no memory, logged
 * tick   every 10 ms, within a slice
 */
ngx_int_t ngx_stream_dns_aname_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf);
void ngx_stream_dns_aname_tick(void);

/*
 * Whether a name is in a zone of this server, whichever; of regions only if
 * this process writes them.  The walk of zones tells of targets.
 */
ngx_int_t ngx_stream_dns_aname_walk(ngx_cycle_t *cycle,
    ngx_stream_dns_aname_t *aname);
void ngx_stream_dns_aname_walk_tick(void);

/* A target of a zone, unless it is known already or there is no room. */
void ngx_stream_dns_aname_expect(ngx_stream_dns_aname_t *aname,
    const ngx_dns_name_t *name);

/* The library is there; NGX_ERROR: it is not, logged. */
ngx_int_t ngx_stream_dns_aname_query_init(ngx_stream_dns_aname_t *aname);

/*
 * Sends q->query, a new ID and a new socket each time.  It may be done before
 * this returns.  NGX_ERROR: it could not be sent.
 */
ngx_int_t ngx_stream_dns_aname_query_send(ngx_stream_dns_aname_query_t *q);

/* The next try of what has waited too long. */
void ngx_stream_dns_aname_query_timeout(ngx_stream_dns_aname_query_t *q);

/* Gives back sockets and memory of a query. */
void ngx_stream_dns_aname_query_end(ngx_stream_dns_aname_query_t *q);

/* Called when a query is done, by whoever reads its sockets. */
void ngx_stream_dns_aname_done(ngx_stream_dns_aname_query_t *q);


#endif /* _NGX_STREAM_DNS_ANAME_H_INCLUDED_ */
