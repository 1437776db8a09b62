
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_health_conf.h"
#include "ngx_stream_dns_probe.h"


#define NGX_STREAM_DNS_PROBE_DEPTH  10      /* of certificates */


#if (NGX_SSL)

static void ngx_stream_dns_probe_ssl_trust(
    ngx_stream_dns_health_conf_t *conf, ngx_log_t *log);
static ngx_int_t ngx_stream_dns_probe_ssl_begin(
    ngx_stream_dns_health_conf_t *conf, ngx_connection_t *c, ngx_str_t *host);
static ngx_int_t ngx_stream_dns_probe_ssl_peer(ngx_connection_t *c,
    ngx_str_t *host, const char **why);


/* where systems keep the certificates they trust */

static const char  *ngx_stream_dns_probe_ssl_files[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    NULL
};


ngx_int_t
ngx_stream_dns_health_ssl_create(ngx_conf_t *cf,
    ngx_stream_dns_health_conf_t *conf)
{
    ngx_ssl_t           *ssl;
    ngx_pool_cleanup_t  *cln;

    ssl = ngx_pcalloc(cf->pool, sizeof(ngx_ssl_t));
    if (ssl == NULL) {
        return NGX_ERROR;
    }

    ssl->log = cf->log;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    /* set before: the context may be half made */

    cln->data = ssl;

    if (ngx_ssl_create(ssl,
                       NGX_SSL_TLSv1|NGX_SSL_TLSv1_1|NGX_SSL_TLSv1_2
                       |NGX_SSL_TLSv1_3, NULL)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    cln->handler = ngx_ssl_cleanup_ctx;

    if (conf->trusted.len != 0
        && ngx_ssl_trusted_certificate(cf, ssl, &conf->trusted,
                                       NGX_STREAM_DNS_PROBE_DEPTH)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    conf->ssl = ssl;

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_probe_ssl(ngx_stream_dns_health_conf_t *conf,
    ngx_connection_t *c, const ngx_dns_probe_t *probe, ngx_str_t *host,
    void (*handler)(ngx_connection_t *c), const char **why)
{
    ngx_int_t  rc;

    if (probe->flags & NGX_DNS_PROBE_VERIFY) {
        ngx_stream_dns_probe_ssl_trust(conf, c->log);
    }

    if (c->ssl == NULL
        && ngx_stream_dns_probe_ssl_begin(conf, c, host) != NGX_OK)
    {
        *why = "no memory for TLS";
        return NGX_ERROR;
    }

    if (!c->ssl->handshaked) {

        /* it has failed before, and told so by the handler */

        if (c->read->eof || c->read->error) {
            *why = "TLS handshake failed";
            return NGX_ERROR;
        }

        rc = ngx_ssl_handshake(c);

        if (rc == NGX_AGAIN) {
            c->ssl->handler = handler;
            return NGX_AGAIN;
        }

        if (rc != NGX_OK) {
            *why = "TLS handshake failed";
            return NGX_ERROR;
        }
    }

    if (probe->flags & NGX_DNS_PROBE_VERIFY) {
        return ngx_stream_dns_probe_ssl_peer(c, host, why);
    }

    return NGX_OK;
}


/*
 * The system's certificates, if it is not said what to trust.  Most servers
 * verify nothing, and to read them takes longer than a start may: once, when
 * they are needed first.
 */

static void
ngx_stream_dns_probe_ssl_trust(ngx_stream_dns_health_conf_t *conf,
    ngx_log_t *log)
{
    ngx_ssl_t    *ssl;
    const char  **file;

    if (conf->trusted.len != 0 || conf->trusts) {
        return;
    }

    conf->trusts = 1;

    ssl = conf->ssl;

    for (file = ngx_stream_dns_probe_ssl_files; *file != NULL; file++) {
        if (SSL_CTX_load_verify_locations(ssl->ctx, *file, NULL) == 1) {
            ERR_clear_error();
            return;
        }
    }

    ERR_clear_error();

    ngx_log_error(NGX_LOG_INFO, log, 0,
                  "the certificates that the system trusts are not found, "
                  "use \"dns_health_trusted_certificate\"");
}


static ngx_int_t
ngx_stream_dns_probe_ssl_begin(ngx_stream_dns_health_conf_t *conf,
    ngx_connection_t *c, ngx_str_t *host)
{
    u_char  name[NGX_DNS_NAME_TEXT_MAX + 1];

    if (ngx_ssl_create_connection(conf->ssl, c,
                                  NGX_SSL_BUFFER|NGX_SSL_CLIENT)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

#ifdef SSL_CTRL_SET_TLSEXT_HOSTNAME

    /* an address is no server name (RFC 6066, 3) */

    if (host->len == 0 || host->len > NGX_DNS_NAME_TEXT_MAX
        || ngx_strlchr(host->data, host->data + host->len, ':') != NULL
        || ngx_inet_addr(host->data, host->len) != INADDR_NONE)
    {
        return NGX_OK;
    }

    (void) ngx_cpystrn(name, host->data, host->len + 1);

    if (SSL_set_tlsext_host_name(c->ssl->connection, (char *) name) == 0) {
        ERR_clear_error();
        return NGX_ERROR;
    }

#endif

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_probe_ssl_peer(ngx_connection_t *c, ngx_str_t *host,
    const char **why)
{
    long  rc;

    rc = SSL_get_verify_result(c->ssl->connection);

    if (rc != X509_V_OK) {
        *why = X509_verify_cert_error_string(rc);
        return NGX_ERROR;
    }

    if (ngx_ssl_check_host(c, host) != NGX_OK) {
        *why = "certificate of another name";
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_stream_dns_probe_ssl_close(ngx_connection_t *c)
{
    if (c->ssl != NULL) {
        c->ssl->no_wait_shutdown = 1;
        c->ssl->no_send_shutdown = 1;

        (void) ngx_ssl_shutdown(c);
    }
}


#else


ngx_int_t
ngx_stream_dns_health_ssl_create(ngx_conf_t *cf,
    ngx_stream_dns_health_conf_t *conf)
{
    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_probe_ssl(ngx_stream_dns_health_conf_t *conf,
    ngx_connection_t *c, const ngx_dns_probe_t *probe, ngx_str_t *host,
    void (*handler)(ngx_connection_t *c), const char **why)
{
    *why = "nginx is built without TLS";

    return NGX_ERROR;
}


void
ngx_stream_dns_probe_ssl_close(ngx_connection_t *c)
{
    /* void */
}

#endif
