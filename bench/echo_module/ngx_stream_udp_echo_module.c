
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>


static void ngx_stream_udp_echo_handler(ngx_stream_session_t *s);
static char *ngx_stream_udp_echo(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


static ngx_command_t  ngx_stream_udp_echo_commands[] = {

    { ngx_string("udp_echo"),
      NGX_STREAM_SRV_CONF|NGX_CONF_NOARGS,
      ngx_stream_udp_echo,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};


static ngx_stream_module_t  ngx_stream_udp_echo_module_ctx = {
    NULL,                                  /* preconfiguration */
    NULL,                                  /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL                                   /* merge server configuration */
};


ngx_module_t  ngx_stream_udp_echo_module = {
    NGX_MODULE_V1,
    &ngx_stream_udp_echo_module_ctx,       /* module context */
    ngx_stream_udp_echo_commands,          /* module directives */
    NGX_STREAM_MODULE,                     /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static void
ngx_stream_udp_echo_handler(ngx_stream_session_t *s)
{
    ngx_buf_t         *b;
    ngx_connection_t  *c;

    c = s->connection;
    b = c->buffer;

    if (b == NULL || b->last - b->pos < 12) {
        ngx_stream_finalize_session(s, NGX_STREAM_BAD_REQUEST);
        return;
    }

    b->pos[2] |= 0x80;

    (void) c->send(c, b->pos, b->last - b->pos);

    ngx_stream_finalize_session(s, NGX_STREAM_OK);
}


static char *
ngx_stream_udp_echo(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_core_srv_conf_t  *cscf;

    cscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_core_module);

    if (cscf->handler) {
        return "is duplicate";
    }

    cscf->handler = ngx_stream_udp_echo_handler;

    return NGX_CONF_OK;
}
