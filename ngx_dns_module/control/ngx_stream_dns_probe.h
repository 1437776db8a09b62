
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_PROBE_H_INCLUDED_
#define _NGX_STREAM_DNS_PROBE_H_INCLUDED_


#include "ngx_stream_dns_health.h"


/*
 * One check of one target: connects, asks, and tells how it went.  What the
 * files of probes share.
 */

#define NGX_STREAM_DNS_PROBES  200      /* checks at a time, at most */


typedef struct ngx_stream_dns_probe_s  ngx_stream_dns_probe_t;

/*
 * Begins a check.  done() is called once, unless the check is canceled, and
 * never before start has returned: it is given no check any more.
 *
 * reason  why the check failed, ends with a zero octet; empty: it did not
 *
 * NULL: no memory.
 */
ngx_stream_dns_probe_t *ngx_stream_dns_probe_start(
    ngx_stream_dns_health_conf_t *conf, ngx_stream_dns_target_t *target,
    void (*done)(ngx_stream_dns_target_t *target, u_char *reason));

void ngx_stream_dns_probe_cancel(ngx_stream_dns_probe_t *p);

/*
 * Tells that the loop of events has been held up: milliseconds since the
 * process started.  Checks get so much more time.
 */
void ngx_stream_dns_probe_held(ngx_msec_t lag);

/* Timers that found the loop held up, since it was asked last. */
ngx_uint_t ngx_stream_dns_probe_late(void);


/*
 * ngx_stream_dns_probe_ssl.c: the handshake on a connection that is there.
 * handler() is called when it has gone on: call this again then.  why is set
 * on NGX_ERROR.
 *
 * NGX_OK     it is done, the peer is who it should be if that matters
 * NGX_AGAIN
 * NGX_ERROR
 *
 * close frees what it has made of the connection, if anything.
 */
ngx_int_t ngx_stream_dns_probe_ssl(ngx_stream_dns_health_conf_t *conf,
    ngx_connection_t *c, const ngx_dns_probe_t *probe, ngx_str_t *host,
    void (*handler)(ngx_connection_t *c), const char **why);
void ngx_stream_dns_probe_ssl_close(ngx_connection_t *c);


#endif /* _NGX_STREAM_DNS_PROBE_H_INCLUDED_ */
