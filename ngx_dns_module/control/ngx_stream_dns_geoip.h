
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_GEOIP_H_INCLUDED_
#define _NGX_STREAM_DNS_GEOIP_H_INCLUDED_


#include "ngx_dns_geo_file.h"
#include "ngx_dns_geo_nets.h"
#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_geo.h"


/*
 * Databases of places: the control process looks at the files, makes blocks
 * of those that changed, in the state directory, and announces them.
 */

/* what is configured, cmcf->geoip */

typedef struct {
    ngx_stream_dns_geo_conf_t    geo;       /* what workers see */
    u_char                      *conf_file; /* of the first "dns_geoip" */
    ngx_uint_t                   conf_line;

    ngx_array_t                  names;     /* ngx_stream_dns_network_t */
    ngx_array_t                  nets;      /* ngx_dns_geo_net_t */
} ngx_stream_dns_geoip_conf_t;

/* a "dns_network" */

typedef struct {
    ngx_str_t                    name;
    uint32_t                     id;
    u_char                      *conf_file;
    ngx_uint_t                   conf_line;
} ngx_stream_dns_network_t;


/*
 * The work on one database, in a thread: it is copied, and a block is made of
 * the copy unless there is one of the same content.
 */

typedef enum {
    NGX_STREAM_DNS_GEOIP_GOOD = 0,
    NGX_STREAM_DNS_GEOIP_CHANGING,      /* while it was copied: again, later */
    NGX_STREAM_DNS_GEOIP_REFUSED,       /* failed says why */
    NGX_STREAM_DNS_GEOIP_FAILED         /* not its fault */
} ngx_stream_dns_geoip_result_e;

typedef struct {
    /* what is to be done; the thread reads */

    ngx_str_t                   *dir;
    ngx_str_t                   *path;  /* NULL: only clean up */
    uint64_t                     id;
    ngx_dns_geo_ident_t          ident; /* of the file, when it was seen */
    ngx_uint_t                   nkeep;     /* blocks to keep */
    u_char                       keep[NGX_STREAM_DNS_GEO_FILES]
                                     [NGX_DNS_GEO_HASH];

    /* what became of it; the thread writes */

    ngx_uint_t                   ended; /* set last */
    ngx_stream_dns_geoip_result_e
                                 result;
    u_char                       hash[NGX_DNS_GEO_HASH];
    ngx_dns_geo_ident_t          block; /* its file */
    ngx_uint_t                   built; /* 1: not found */
    ngx_uint_t                   settled;   /* 1: a further change will be
                                               seen by its times */
    uint64_t                     made;  /* seconds: of the database */
    const char                  *failed;
    ngx_err_t                    err;

    /* the thread's own */

    u_char                      *names; /* memory of all of them */
    u_char                      *file;  /* of the block */
    u_char                      *tmp;   /* that becomes it */
    u_char                      *copy;  /* of the database */
    u_char                      *known; /* the list of hashes */
    u_char                      *list;  /* that becomes it */
    ngx_uint_t                   copied;
} ngx_stream_dns_geoip_job_t;


/* "dns_geoip" and "dns_network"; as other handlers of directives */
char *ngx_stream_dns_geoip(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_stream_dns_network(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* All has been read: blocks of networks; what is missing. */
char *ngx_stream_dns_geoip_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);

/* The control process starts.  NGX_ERROR: no memory. */
ngx_int_t ngx_stream_dns_geoip_start(ngx_cycle_t *cycle,
    ngx_stream_dns_control_main_conf_t *cmcf);

/*
 * Starts the thread of a job.  NGX_OK: its member ended is set some time
 * later, then join() frees what is the job's; or NGX_ERROR: logged.
 */
ngx_int_t ngx_stream_dns_geoip_job_start(ngx_stream_dns_geoip_job_t *job,
    ngx_log_t *log);
void ngx_stream_dns_geoip_job_join(ngx_stream_dns_geoip_job_t *job);

void ngx_stream_dns_geoip_ident(ngx_dns_geo_ident_t *ident,
    const struct stat *sb);


#endif /* _NGX_STREAM_DNS_GEOIP_H_INCLUDED_ */
