
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_HEALTH_CONF_H_INCLUDED_
#define _NGX_STREAM_DNS_HEALTH_CONF_H_INCLUDED_


#include "ngx_stream_dns_control_conf.h"
#include "ngx_stream_dns_health.h"


/* "dns_health" */
char *ngx_stream_dns_health_directive(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/* "dns_health_interval": pools have to know it before all has been read */
extern ngx_conf_post_t  ngx_stream_dns_health_interval_post;

/* Marks what was not said yet. */
void ngx_stream_dns_health_conf_init(ngx_stream_dns_health_conf_t *conf);

/*
 * Everything has been read: defaults, the shared memory, and what TLS needs.
 * NGX_CONF_ERROR: logged.
 */
char *ngx_stream_dns_health_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);

/* Gives the variables with counters that are used their values. */
void ngx_stream_dns_health_variables(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf);


/*
 * ngx_stream_dns_probe_ssl.c
 *
 * In the configuration: conf->ssl, and what it trusts if that is said;
 * NGX_ERROR: logged.
 */
ngx_int_t ngx_stream_dns_health_ssl_create(ngx_conf_t *cf,
    ngx_stream_dns_health_conf_t *conf);


#endif /* _NGX_STREAM_DNS_HEALTH_CONF_H_INCLUDED_ */
