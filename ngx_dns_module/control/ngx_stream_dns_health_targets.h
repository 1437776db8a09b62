
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_HEALTH_TARGETS_H_INCLUDED_
#define _NGX_STREAM_DNS_HEALTH_TARGETS_H_INCLUDED_


#include "ngx_stream_dns_health.h"


/*
 * What the files of health share: all that the process has of it.
 *
 *     ngx_stream_dns_health.c           states
 *     ngx_stream_dns_health_targets.c   which targets there are
 *     ngx_stream_dns_health_schedule.c  when they are checked
 */

/* octets of a text: an address, a port, a name */

#define NGX_STREAM_DNS_HEALTH_TEXT      (NGX_DNS_NAME_TEXT_MAX + 80)


/* where a target is: in one queue or tree at a time */

typedef enum {
    NGX_STREAM_DNS_TARGET_UNFIT = 0,        /* no slot yet */
    NGX_STREAM_DNS_TARGET_FRESH,            /* waits for its first check */
    NGX_STREAM_DNS_TARGET_TIMED,
    NGX_STREAM_DNS_TARGET_DUE,
    NGX_STREAM_DNS_TARGET_CHECKED,          /* now */
    NGX_STREAM_DNS_TARGET_UNUSABLE
} ngx_stream_dns_target_place_e;


typedef struct {
    ngx_stream_dns_health_conf_t     *conf;
    ngx_dns_health_t                 *table;
    ngx_log_t                        *log;
    ngx_stream_dns_health_watcher_t  *watcher;

    ngx_uint_t                        locked;   /* 1: writes the table */
    ngx_uint_t                        full_told;
    uint64_t                          swept;    /* slots */

    ngx_rbtree_t                      targets;  /* by id */
    ngx_rbtree_node_t                 sentinel;
    ngx_uint_t                        ntargets;

    ngx_queue_t                       unfit;
    ngx_uint_t                        nunfit;
    ngx_uint_t                        nunusable;

    /* the schedule */

    ngx_queue_t                       fresh;
    ngx_rbtree_t                      timers;
    ngx_rbtree_node_t                 timers_sentinel;
    ngx_queue_t                       due;
    ngx_uint_t                        waiting;  /* that are due */
    ngx_uint_t                        flight;   /* checks now */
    double                            rate;     /* checks per millisecond */
    double                            tokens;   /* first checks, at once */
    ngx_msec_t                        ticked;
    ngx_msec_t                        lag;      /* of all ticks */
} ngx_stream_dns_health_t;

/* of the process; NULL: "dns_health off", or not the control process */

extern ngx_stream_dns_health_t  *ngx_stream_dns_health;


/*
 * ngx_stream_dns_health.c
 *
 * result  a check has ended; reason: empty if it was good
 * forget  the target leaves all but the tree
 */
void ngx_stream_dns_health_result(ngx_stream_dns_target_t *t, u_char *reason);
void ngx_stream_dns_health_forget(ngx_stream_dns_target_t *t);

/* ngx_stream_dns_health_targets.c; target: by id, or NULL */
ngx_int_t ngx_stream_dns_health_targets_start(void);
ngx_stream_dns_target_t *ngx_stream_dns_health_target(uint64_t id);

/*
 * ngx_stream_dns_health_schedule.c
 *
 * schedule    every 10 ms: begins what is due
 * fresh       the target has got its slot
 * unschedule  it is not checked any more; ends the check that is under way
 */
void ngx_stream_dns_health_schedule(void);
void ngx_stream_dns_health_fresh(ngx_stream_dns_target_t *t);
void ngx_stream_dns_health_unschedule(ngx_stream_dns_target_t *t);


#endif /* _NGX_STREAM_DNS_HEALTH_TARGETS_H_INCLUDED_ */
