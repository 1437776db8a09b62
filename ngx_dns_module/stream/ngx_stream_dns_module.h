
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_MODULE_H_INCLUDED_
#define _NGX_STREAM_DNS_MODULE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_dns_answer.h"
#include "ngx_dns_explain.h"
#include "ngx_dns_external.h"
#include "ngx_dns_health.h"
#include "ngx_dns_module.h"
#include "ngx_dns_pools.h"
#include "ngx_stream_dns_counters.h"


#define NGX_STREAM_DNS_BATCH        64      /* datagrams per system call */
#define NGX_STREAM_DNS_PACKET_MAX   4096    /* octets of a UDP query */

#define NGX_STREAM_DNS_PATH_BATCH    0
#define NGX_STREAM_DNS_PATH_SESSION  1


typedef struct {
    ngx_shm_zone_t             *counters;

    /*
     * What is known of names of other servers; set by who has the region,
     * when its memory is there.  NULL: nobody has.
     */
    ngx_dns_external_shared_t  *external;
    ngx_uint_t                  external_ecs;

    ngx_dns_pools_t            *pools;      /* NULL: there are none */
    ngx_uint_t                  settled;    /* 1: they are ready for zones */
    ngx_msec_t                  health_interval; /* 0: the default */
    u_char                     *check_file; /* of the first "health_check" */
    ngx_uint_t                  check_line;

    void                       *geo;        /* ngx_stream_dns_geo_conf_t, or
                                               NULL: no places */
    ngx_uint_t                  explain;    /* 1: some server explains */
    const ngx_dns_health_t     *health;     /* NULL: all targets are up */
} ngx_stream_dns_main_conf_t;


/* "dns_zone" or "dns_zones" as written */

typedef struct {
    ngx_str_t                   name;       /* empty for "dns_zones" */
    ngx_str_t                   apex;       /* the name, wire format */
    ngx_str_t                   path;       /* or pattern; full */
    ngx_uint_t                  pattern;    /* 1: by "dns_zones" */
    u_char                     *conf_file;
    ngx_uint_t                  conf_line;
} ngx_stream_dns_zone_conf_t;


typedef struct {
    ngx_flag_t                  enable;
    ngx_array_t                *zone_confs; /* ngx_stream_dns_zone_conf_t */
    ngx_array_t                *sources;    /* ngx_stream_dns_region_t * */
    ngx_uint_t                  path;       /* NGX_STREAM_DNS_PATH_... */
    ngx_dns_key_t              *key;

    ngx_int_t                   udp_size;   /* octets */
    time_t                      min_ttl;    /* seconds */
    time_t                      max_ttl;
    time_t                      default_ttl;
    ngx_uint_t                  any;        /* NGX_DNS_ANY_... */
    ngx_flag_t                  chaos;
    ngx_flag_t                  ecs;
    ngx_flag_t                  explain;
    ngx_str_t                   version;
    ngx_str_t                   hostname;
    ngx_stream_complex_value_t *nsid;       /* NULL: it has no variables */

    ngx_msec_t                  tcp_timeout;       /* of one message */
    ngx_msec_t                  tcp_idle_timeout;
    ngx_msec_t                  tcp_send_timeout;  /* total for unsent data */
    size_t                      tcp_max_unsent;    /* octets */
    ngx_int_t                   tcp_max_queries;   /* answers queued */

    ngx_dns_answer_conf_t       answer;
    ngx_dns_transport_t         udp;        /* nsid too if it is constant */
    ngx_uint_t                  checked;    /* 1: as server of a socket */
} ngx_stream_dns_srv_conf_t;


typedef enum {
    NGX_STREAM_DNS_UDP = 0,
    NGX_STREAM_DNS_TCP,
    NGX_STREAM_DNS_TLS
} ngx_stream_dns_transport_e;


/*
 * Facts of the last message of a session, for variables and logs.
 * ngx_stream_dns_ctx_settle() makes plain copies of what query and located
 * point at: where variables are looked at, and before the session goes back
 * to the event loop.
 */

typedef struct {
    ngx_dns_query_t            *query;      /* NULL: copied */
    ngx_dns_zone_t             *located;    /* NULL: copied, or none */

    uint8_t                     transport;  /* ngx_stream_dns_transport_e */
    uint8_t                     parsed;     /* 1: header facts are there */
    uint8_t                     question;   /* 1: qname, qtype, qclass too */
    uint8_t                     edns;
    uint8_t                     do_bit;
    uint8_t                     answered;   /* 1: the members from here on */

    uint16_t                    id;
    uint16_t                    query_flags;
    uint16_t                    qtype;
    uint16_t                    qclass;
    uint16_t                    edns_size;

    uint16_t                    rcode;
    uint16_t                    flags;      /* of the reply */
    uint16_t                    ede;        /* NGX_DNS_EDE_NONE: none */
    uint32_t                    size;       /* octets of the reply */

    uint16_t                    ecs_len;
    u_char                      ecs[4 + 16];

    ngx_stream_variable_value_t *variables; /* before the first message */
    void                       *tcp;        /* ngx_stream_dns_tcp_t, or NULL */

    u_char                      zone_len;   /* 0: no zone */
    u_char                      qname_len;
    u_char                      zone[NGX_DNS_NAME_MAX];
    u_char                      qname[NGX_DNS_NAME_MAX];
} ngx_stream_dns_ctx_t;


/* What a worker has of its own; made when it starts. */

typedef struct {
    ngx_dns_key_t              *key;
    ngx_dns_answer_t           *answer;
    ngx_dns_writer_t           *writer;
    ngx_stream_dns_counter_t   *counters;   /* the slot of this process */
    ngx_log_t                  *log;

    ngx_dns_view_t            **views;      /* all of the process */
    ngx_uint_t                  nviews;

    ngx_dns_query_t            *query;      /* for one message at a time */
    ngx_pool_t                 *pool;       /* for one message at a time */
    void                       *udp;        /* ngx_stream_dns_udp_t */
} ngx_stream_dns_worker_t;


/* of this process; NULL where no server has "dns on" */

extern ngx_stream_dns_worker_t  *ngx_stream_dns_worker;


/*
 * Answers one message of a TCP, TLS or nginx's own UDP session, counts it,
 * and fills the session's context, which must have been made before by
 * ngx_stream_dns_get_ctx().
 *
 * packet  len octets of the message, in memory with 8 octets to spare
 * t       of the transport; nsid is set here
 * out     room for size octets: 65535 over TCP
 *
 * Returns the octets of the reply, or 0: the message is to be dropped.
 * Allocates nothing of the session.
 */
size_t ngx_stream_dns_answer_message(ngx_stream_dns_worker_t *w,
    ngx_stream_session_t *s, u_char *packet, size_t len,
    ngx_dns_transport_t *t, u_char *out, size_t size);

/*
 * The context of the session, made (in the connection's pool) if it has
 * none: the content handler calls it before the first message, because the
 * values that variables have then are what each message starts from.
 * NULL: no memory.
 */
ngx_stream_dns_ctx_t *ngx_stream_dns_get_ctx(ngx_stream_session_t *s);

/*
 * Runs the handlers of the log phase for the message just answered, with
 * fresh values of all variables; s->status has to be set before.  Then
 * forgets the message: what is logged at the end of the session has none.
 * What the handlers allocate is the worker's and free again at once.
 */
void ngx_stream_dns_log_message(ngx_stream_session_t *s);


/*
 * Adds the question to a message of the error log; s->log_handler of DNS
 * sessions.
 */
u_char *ngx_stream_dns_log_error(ngx_log_t *log, u_char *buf, size_t len);


/* Content handler of a "dns on" server (TCP; UDP if dns_udp_path session). */
void ngx_stream_dns_handler(ngx_stream_session_t *s);


extern ngx_module_t  ngx_stream_dns_module;


#endif /* _NGX_STREAM_DNS_MODULE_H_INCLUDED_ */
