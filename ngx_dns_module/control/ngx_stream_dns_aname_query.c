
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#if (NGX_DNS_ARES)
#include <ares.h>
#include <sys/random.h>
#endif

#include "ngx_stream_dns_aname.h"


/*
 * One query over c-ares: it chooses servers, counts time, and turns to TCP.
 * The sockets are watched by nginx, the messages are ours.  Each query has a
 * channel and so a socket of its own, with a port that nobody knows.
 */

#if (NGX_DNS_ARES)

#define NGX_STREAM_DNS_ANAME_TRIES  2           /* of each server */


static ngx_int_t ngx_stream_dns_aname_channel(
    ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_run(ngx_stream_dns_aname_query_t *q,
    ares_socket_t in, ares_socket_t out);
static void ngx_stream_dns_aname_deadline(ngx_stream_dns_aname_query_t *q);
static void ngx_stream_dns_aname_reply(void *data, int status, int timeouts,
    unsigned char *packet, int len);
static void ngx_stream_dns_aname_state(void *data, ares_socket_t fd,
    int readable, int writable);
static ngx_connection_t *ngx_stream_dns_aname_watch(
    ngx_stream_dns_aname_query_t *q, ares_socket_t fd);
static void ngx_stream_dns_aname_unwatch(ngx_stream_dns_aname_query_t *q,
    ngx_uint_t i);
static void ngx_stream_dns_aname_event(ngx_event_t *ev);
static ares_socket_t ngx_stream_dns_aname_socket(int family, int type,
    int protocol, void *data);
static int ngx_stream_dns_aname_close(ares_socket_t fd, void *data);
static int ngx_stream_dns_aname_connect(ares_socket_t fd,
    const struct sockaddr *sa, ares_socklen_t len, void *data);
static ares_ssize_t ngx_stream_dns_aname_recv(ares_socket_t fd, void *buf,
    size_t size, int flags, struct sockaddr *sa, ares_socklen_t *len,
    void *data);
static ares_ssize_t ngx_stream_dns_aname_send(ares_socket_t fd,
    const struct iovec *iov, int n, void *data);


static const struct ares_socket_functions  ngx_stream_dns_aname_sockets = {
    ngx_stream_dns_aname_socket,
    ngx_stream_dns_aname_close,
    ngx_stream_dns_aname_connect,
    ngx_stream_dns_aname_recv,
    ngx_stream_dns_aname_send
};


ngx_int_t
ngx_stream_dns_aname_query_init(ngx_stream_dns_aname_t *aname)
{
    int  rc;

    rc = ares_library_init(ARES_LIB_INIT_ALL);

    if (rc != ARES_SUCCESS) {
        ngx_log_error(NGX_LOG_ALERT, aname->log, 0,
                      "ares_library_init() failed: %s", ares_strerror(rc));
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_stream_dns_aname_query_send(ngx_stream_dns_aname_query_t *q)
{
    u_char  packet[NGX_DNS_UPSTREAM_QUERY];
    size_t  len;

    q->done = 0;
    q->rc = NGX_ERROR;
    q->nsockets = 0;
    q->tcp = (ngx_socket_t) -1;

    if (getrandom(&q->query.id, 2, GRND_NONBLOCK) != 2) {
        ngx_log_error(NGX_LOG_ALERT, q->aname->log, ngx_errno,
                      "getrandom() failed");
        return NGX_ERROR;
    }

    if (ngx_stream_dns_aname_channel(q) != NGX_OK) {
        return NGX_ERROR;
    }

    len = ngx_dns_upstream_write(&q->query, packet);

    ares_send(q->channel, packet, (int) len, ngx_stream_dns_aname_reply, q);

    ngx_stream_dns_aname_deadline(q);

    return NGX_OK;
}


/* everything that it would look for in files is given */

static ngx_int_t
ngx_stream_dns_aname_channel(ngx_stream_dns_aname_query_t *q)
{
    int                            rc;
    ngx_uint_t                     i;
    ares_channel                   channel;
    struct in_addr                 any;
    struct ares_options            options;
    ngx_stream_dns_aname_conf_t   *conf;
    ngx_stream_dns_aname_server_t *server;
    struct ares_addr_port_node     nodes[NGX_STREAM_DNS_ANAME_SERVERS];

    conf = q->aname->conf;

    ngx_memzero(&any, sizeof(struct in_addr));
    ngx_memzero(&options, sizeof(struct ares_options));
    ngx_memzero(nodes, sizeof(nodes));

    options.flags = ARES_FLAG_NOSEARCH|ARES_FLAG_NOALIASES;
    options.timeout = (int) conf->timeout;
    options.tries = NGX_STREAM_DNS_ANAME_TRIES;
    options.ndots = 1;
    options.servers = &any;
    options.nservers = 1;
    options.lookups = (char *) "b";
    options.sock_state_cb = ngx_stream_dns_aname_state;
    options.sock_state_cb_data = q;

    rc = ares_init_options(&channel, &options,
                           ARES_OPT_FLAGS|ARES_OPT_TIMEOUTMS|ARES_OPT_TRIES
                           |ARES_OPT_NDOTS|ARES_OPT_SERVERS|ARES_OPT_DOMAINS
                           |ARES_OPT_LOOKUPS|ARES_OPT_SORTLIST
                           |ARES_OPT_SOCK_STATE_CB|ARES_OPT_NOROTATE);

    if (rc != ARES_SUCCESS) {
        ngx_log_error(NGX_LOG_ALERT, q->aname->log, 0,
                      "ares_init_options() failed: %s", ares_strerror(rc));
        return NGX_ERROR;
    }

    ares_set_socket_functions(channel, &ngx_stream_dns_aname_sockets, q);

    for (i = 0; i < conf->nservers; i++) {
        server = &conf->servers[i];

        nodes[i].next = (i + 1 < conf->nservers) ? &nodes[i + 1] : NULL;
        nodes[i].family = server->family;
        nodes[i].udp_port = server->port;
        nodes[i].tcp_port = server->port;

        if (server->family == AF_INET) {
            ngx_memcpy(&nodes[i].addr.addr4, server->address, 4);

        } else {
            ngx_memcpy(&nodes[i].addr.addr6, server->address, 16);
        }
    }

    rc = ares_set_servers_ports(channel, nodes);

    if (rc != ARES_SUCCESS) {
        ngx_log_error(NGX_LOG_ALERT, q->aname->log, 0,
                      "ares_set_servers_ports() failed: %s",
                      ares_strerror(rc));
        ares_destroy(channel);
        return NGX_ERROR;
    }

    q->channel = channel;

    return NGX_OK;
}


/* replies that have come count, however late it is */

void
ngx_stream_dns_aname_query_timeout(ngx_stream_dns_aname_query_t *q)
{
    ngx_uint_t     i, n;
    ares_socket_t  fd[NGX_STREAM_DNS_ANAME_SOCKETS];

    n = q->nsockets;

    for (i = 0; i < n; i++) {
        fd[i] = q->sockets[i]->fd;
    }

    for (i = 0; i < n && !q->done; i++) {
        ares_process_fd(q->channel, fd[i], ARES_SOCKET_BAD);
    }

    ngx_stream_dns_aname_run(q, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}


void
ngx_stream_dns_aname_query_end(ngx_stream_dns_aname_query_t *q)
{
    q->done = 1;

    if (q->channel != NULL) {
        ares_destroy(q->channel);
        q->channel = NULL;
    }

    while (q->nsockets != 0) {
        ngx_stream_dns_aname_unwatch(q, 0);
    }
}


static void
ngx_stream_dns_aname_run(ngx_stream_dns_aname_query_t *q, ares_socket_t in,
    ares_socket_t out)
{
    if (!q->done) {
        ares_process_fd(q->channel, in, out);
    }

    if (q->done) {
        ngx_stream_dns_aname_done(q);
        return;
    }

    ngx_stream_dns_aname_deadline(q);
}


static void
ngx_stream_dns_aname_deadline(ngx_stream_dns_aname_query_t *q)
{
    struct timeval  tv, *left;

    left = ares_timeout(q->channel, NULL, &tv);

    q->deadline = ngx_current_msec + q->aname->conf->timeout;

    if (left != NULL) {
        q->deadline = ngx_current_msec + left->tv_sec * 1000
                      + left->tv_usec / 1000 + 1;
    }
}


/* may be called by ares_send() already, and by ares_destroy() */

static void
ngx_stream_dns_aname_reply(void *data, int status, int timeouts,
    unsigned char *packet, int len)
{
    ngx_stream_dns_aname_query_t *q = data;

    if (q->done) {
        return;
    }

    q->done = 1;
    q->aname->conf->shared->stat[NGX_DNS_EXTERNAL_STAT_TIMEOUTS] += timeouts;

    if (status != ARES_SUCCESS || packet == NULL) {
        ngx_log_debug1(NGX_LOG_DEBUG_STREAM, q->aname->log, 0,
                       "dns aname query: %s", ares_strerror(status));
        return;
    }

    q->rc = ngx_dns_upstream_read(&q->query, packet, (size_t) len,
                                  q->aname->data, &q->reply);
}


static void
ngx_stream_dns_aname_state(void *data, ares_socket_t fd, int readable,
    int writable)
{
    ngx_stream_dns_aname_query_t *q = data;

    ngx_uint_t         i;
    ngx_event_t       *wev;
    ngx_connection_t  *c;

    for (i = 0; i < q->nsockets; i++) {
        if (q->sockets[i]->fd == fd) {
            break;
        }
    }

    if (!readable && !writable) {

        if (i < q->nsockets) {
            ngx_stream_dns_aname_unwatch(q, i);
        }

        return;
    }

    c = (i < q->nsockets) ? q->sockets[i]
                          : ngx_stream_dns_aname_watch(q, fd);

    /* without events it is looked at when its time is over */

    if (c == NULL) {
        return;
    }

    wev = c->write;

    if (readable && !c->read->active) {
        (void) ngx_add_event(c->read, NGX_READ_EVENT, NGX_LEVEL_EVENT);
    }

    if (writable && !wev->active) {
        (void) ngx_add_event(wev, NGX_WRITE_EVENT, NGX_LEVEL_EVENT);

    } else if (!writable && wev->active) {
        (void) ngx_del_event(wev, NGX_WRITE_EVENT, 0);
    }
}


static ngx_connection_t *
ngx_stream_dns_aname_watch(ngx_stream_dns_aname_query_t *q, ares_socket_t fd)
{
    ngx_connection_t  *c;

    if (q->nsockets == NGX_STREAM_DNS_ANAME_SOCKETS
        || ngx_cycle->free_connection_n == 0)
    {
        return NULL;
    }

    c = ngx_get_connection(fd, q->aname->log);
    if (c == NULL) {
        return NULL;
    }

    c->data = q;
    c->log = q->aname->log;

    c->read->handler = ngx_stream_dns_aname_event;
    c->read->log = c->log;
    c->read->resolver = 1;

    c->write->handler = ngx_stream_dns_aname_event;
    c->write->log = c->log;

    q->sockets[q->nsockets++] = c;

    return c;
}


/* the socket itself is closed by who has opened it, at once */

static void
ngx_stream_dns_aname_unwatch(ngx_stream_dns_aname_query_t *q, ngx_uint_t i)
{
    ngx_connection_t  *c;

    c = q->sockets[i];
    q->sockets[i] = q->sockets[--q->nsockets];

    if (ngx_del_conn) {
        ngx_del_conn(c, NGX_CLOSE_EVENT);

    } else {

        if (c->read->active || c->read->disabled) {
            ngx_del_event(c->read, NGX_READ_EVENT, NGX_CLOSE_EVENT);
        }

        if (c->write->active || c->write->disabled) {
            ngx_del_event(c->write, NGX_WRITE_EVENT, NGX_CLOSE_EVENT);
        }
    }

    if (c->read->posted) {
        ngx_delete_posted_event(c->read);
    }

    if (c->write->posted) {
        ngx_delete_posted_event(c->write);
    }

    c->read->closed = 1;
    c->write->closed = 1;

    ngx_free_connection(c);

    c->fd = (ngx_socket_t) -1;
}


static void
ngx_stream_dns_aname_event(ngx_event_t *ev)
{
    ngx_connection_t              *c;
    ngx_stream_dns_aname_query_t  *q;

    c = ev->data;
    q = c->data;

    if (ev->write) {
        ngx_stream_dns_aname_run(q, ARES_SOCKET_BAD, c->fd);

    } else {
        ngx_stream_dns_aname_run(q, c->fd, ARES_SOCKET_BAD);
    }
}


static ares_socket_t
ngx_stream_dns_aname_socket(int family, int type, int protocol, void *data)
{
    ngx_stream_dns_aname_query_t *q = data;

    ares_socket_t  fd;

    fd = socket(family, type|SOCK_NONBLOCK|SOCK_CLOEXEC, protocol);

    if (fd != -1 && type == SOCK_STREAM) {
        q->tcp = fd;
    }

    return fd;
}


static int
ngx_stream_dns_aname_close(ares_socket_t fd, void *data)
{
    ngx_stream_dns_aname_query_t *q = data;

    if (q->tcp == fd) {
        q->tcp = (ngx_socket_t) -1;
    }

    return close(fd);
}


static int
ngx_stream_dns_aname_connect(ares_socket_t fd, const struct sockaddr *sa,
    ares_socklen_t len, void *data)
{
    return connect(fd, sa, len);
}


/* what is no reply to the query is left out: the right one may still come */

static ares_ssize_t
ngx_stream_dns_aname_recv(ares_socket_t fd, void *buf, size_t size, int flags,
    struct sockaddr *sa, ares_socklen_t *len, void *data)
{
    ngx_stream_dns_aname_query_t *q = data;

    ssize_t                   n;
    ngx_dns_upstream_reply_t  reply;

    /* what is known has its place in memory already */

    if (q->done) {
        ngx_set_errno(NGX_EAGAIN);
        return -1;
    }

    for ( ;; ) {
        n = recvfrom(fd, buf, size, flags, sa, len);

        if (n < 0
            || fd == q->tcp
            || ngx_dns_upstream_read(&q->query, buf, n, q->aname->data,
                                     &reply)
               != NGX_DECLINED)
        {
            return n;
        }

        q->aname->conf->shared->stat[NGX_DNS_EXTERNAL_STAT_IGNORED]++;
    }
}


static ares_ssize_t
ngx_stream_dns_aname_send(ares_socket_t fd, const struct iovec *iov, int n,
    void *data)
{
    ngx_stream_dns_aname_query_t *q = data;

    ssize_t             sent;
    volatile uint64_t  *stat;

    sent = writev(fd, iov, n);

    if (sent > 0) {
        stat = q->aname->conf->shared->stat;

        stat[NGX_DNS_EXTERNAL_STAT_QUERIES]++;
        stat[NGX_DNS_EXTERNAL_STAT_TCP] += (fd == q->tcp);
    }

    return sent;
}

#else

ngx_int_t
ngx_stream_dns_aname_query_init(ngx_stream_dns_aname_t *aname)
{
    return NGX_ERROR;
}


ngx_int_t
ngx_stream_dns_aname_query_send(ngx_stream_dns_aname_query_t *q)
{
    return NGX_ERROR;
}


void
ngx_stream_dns_aname_query_timeout(ngx_stream_dns_aname_query_t *q)
{
    /* void */
}


void
ngx_stream_dns_aname_query_end(ngx_stream_dns_aname_query_t *q)
{
    /* void */
}

#endif
