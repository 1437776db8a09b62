
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_hold.h"
#include "ngx_stream_dns_message.h"
#include "ngx_stream_dns_region.h"
#include "ngx_stream_dns_session.h"
#include "ngx_stream_dns_udp.h"


#define NGX_STREAM_DNS_ROUNDS  8            /* full batches per event */
#define NGX_STREAM_DNS_WATCH   10           /* milliseconds */

/*
 * Octets between two buffers of a batch: not a power of two, else all of
 * them would start in the same few lines of the cache.
 */

#define NGX_STREAM_DNS_SKEW    (3 * 64)


typedef union {
    struct cmsghdr              align;
    u_char                      in[CMSG_SPACE(sizeof(struct in_pktinfo))];
#if (NGX_HAVE_INET6)
    u_char                      in6[CMSG_SPACE(sizeof(struct in6_pktinfo))];
#endif
} ngx_stream_dns_cmsg_t;


typedef struct {
    ngx_listening_t            *listening;
    ngx_connection_t           *connection;
    ngx_uint_t                  naddrs;
    ngx_stream_dns_server_t    *servers;        /* in the order of the port */
    void                       *addrs;          /* of ngx_stream_port_t */
    socklen_t                   controllen;     /* 0: no packet info */
} ngx_stream_dns_socket_t;


/* All of a worker for UDP. */

typedef struct {
    void                       *data;
    void                       *unused[2];
    ngx_int_t                   ident;          /* after 3 pointers */

    ngx_event_t                 watch;
    ngx_array_t                 sockets;        /* ngx_stream_dns_socket_t */

    ngx_uint_t                  dirty;          /* heads used by last read */
    socklen_t                   controllen;     /* that the others have */
    size_t                      reply_size;     /* octets of a buffer */

    struct mmsghdr              in[NGX_STREAM_DNS_BATCH];
    struct mmsghdr              out[NGX_STREAM_DNS_BATCH];
    struct iovec                in_iov[NGX_STREAM_DNS_BATCH];
    struct iovec                out_iov[NGX_STREAM_DNS_BATCH];
    ngx_sockaddr_t              sockaddr[NGX_STREAM_DNS_BATCH];
    ngx_stream_dns_cmsg_t       control[NGX_STREAM_DNS_BATCH];
    ngx_stream_dns_datagram_t   datagram[NGX_STREAM_DNS_BATCH];
} ngx_stream_dns_udp_t;


static ngx_int_t ngx_stream_dns_udp_sockets(ngx_cycle_t *cycle,
    ngx_stream_dns_udp_t *udp);
static ngx_int_t ngx_stream_dns_udp_add(ngx_cycle_t *cycle,
    ngx_stream_dns_udp_t *udp, ngx_listening_t *ls);
static ngx_int_t ngx_stream_dns_udp_buffers(ngx_cycle_t *cycle,
    ngx_stream_dns_udp_t *udp);
static void ngx_stream_dns_udp_handler(ngx_event_t *ev);
static ngx_uint_t ngx_stream_dns_udp_batch(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_socket_t *sock, ngx_socket_t fd);
static ngx_uint_t ngx_stream_dns_udp_read(ngx_stream_dns_udp_t *udp,
    ngx_stream_dns_socket_t *sock, ngx_socket_t fd);
static void ngx_stream_dns_udp_parse(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_socket_t *sock, ngx_uint_t n);
static void *ngx_stream_dns_udp_local(struct msghdr *msg);
static ngx_stream_dns_server_t *ngx_stream_dns_udp_server(
    ngx_stream_dns_socket_t *sock, void *local);
static void ngx_stream_dns_udp_locate(ngx_stream_dns_udp_t *udp,
    ngx_uint_t n);
static ngx_uint_t ngx_stream_dns_udp_answer(ngx_stream_dns_worker_t *w,
    ngx_uint_t n);
static size_t ngx_stream_dns_udp_session(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_datagram_t *d, u_char *buf);
static size_t ngx_stream_dns_udp_reply(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_datagram_t *d, u_char *buf, ngx_stream_dns_session_t *ss);
static void ngx_stream_dns_udp_send(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_socket_t *sock, ngx_socket_t fd, ngx_uint_t n);
static void ngx_stream_dns_udp_watch(ngx_event_t *ev);
static void ngx_stream_dns_udp_hook(void);
static ngx_int_t ngx_stream_dns_udp_del(ngx_event_t *ev, ngx_int_t event,
    ngx_uint_t flags);
static void ngx_stream_dns_udp_drain(ngx_stream_dns_socket_t *sock);


static ngx_int_t  (*ngx_stream_dns_udp_next_del)(ngx_event_t *ev,
    ngx_int_t event, ngx_uint_t flags);


ngx_uint_t
ngx_stream_dns_udp_socket(ngx_listening_t *ls)
{
    return (ls->handler == ngx_stream_init_connection
            && ls->type == SOCK_DGRAM);
}


ngx_uint_t
ngx_stream_dns_udp_naddrs(ngx_listening_t *ls)
{
    ngx_stream_port_t  *port;

    port = ls->servers;

    return port->naddrs;
}


ngx_stream_conf_ctx_t *
ngx_stream_dns_udp_addr_ctx(ngx_listening_t *ls, ngx_uint_t i,
    ngx_stream_addr_conf_t **conf)
{
    ngx_stream_port_t     *port;
    ngx_stream_in_addr_t  *addrs;

    port = ls->servers;
    addrs = port->addrs;

    *conf = &addrs[i].conf;

#if (NGX_HAVE_INET6)
    if (ls->sockaddr->sa_family == AF_INET6) {
        *conf = &((ngx_stream_in6_addr_t *) port->addrs)[i].conf;
    }
#endif

#if (nginx_version >= 1025005)
    return (*conf)->default_server->ctx;
#else
    return (*conf)->ctx;
#endif
}


ngx_int_t
ngx_stream_dns_udp_init(ngx_cycle_t *cycle, ngx_stream_dns_worker_t *w)
{
    ngx_stream_dns_udp_t  *udp;

    udp = ngx_pmemalign(cycle->pool, sizeof(ngx_stream_dns_udp_t), 64);
    if (udp == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(udp, sizeof(ngx_stream_dns_udp_t));

    udp->ident = -1;
    udp->dirty = NGX_STREAM_DNS_BATCH;
    udp->reply_size = NGX_DNS_UDP_MIN;

    if (ngx_stream_dns_udp_sockets(cycle, udp) != NGX_OK) {
        return NGX_ERROR;
    }

    if (udp->sockets.nelts == 0) {
        return NGX_OK;
    }

    if (ngx_stream_dns_udp_buffers(cycle, udp) != NGX_OK) {
        return NGX_ERROR;
    }

    w->udp = udp;

    udp->watch.handler = ngx_stream_dns_udp_watch;
    udp->watch.data = udp;
    udp->watch.log = cycle->log;
    udp->watch.cancelable = 1;

    ngx_add_timer(&udp->watch, NGX_STREAM_DNS_WATCH);

    ngx_stream_dns_udp_hook();

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_udp_sockets(ngx_cycle_t *cycle, ngx_stream_dns_udp_t *udp)
{
    ngx_uint_t                  i;
    ngx_listening_t            *ls;
    ngx_stream_conf_ctx_t      *ctx;
    ngx_stream_addr_conf_t     *conf;
    ngx_stream_dns_srv_conf_t  *dscf;

    ls = cycle->listening.elts;

    if (ngx_array_init(&udp->sockets, cycle->pool, cycle->listening.nelts + 1,
                       sizeof(ngx_stream_dns_socket_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < cycle->listening.nelts; i++) {

        /* no connection: another worker's, with reuseport */

        if (ls[i].connection == NULL || !ngx_stream_dns_udp_socket(&ls[i])) {
            continue;
        }

        /* one stands for all: a mixture has been refused */

        ctx = ngx_stream_dns_udp_addr_ctx(&ls[i], 0, &conf);
        dscf = ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        if (!dscf->enable || dscf->path != NGX_STREAM_DNS_PATH_BATCH) {
            continue;
        }

        if (ngx_stream_dns_udp_add(cycle, udp, &ls[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_udp_add(ngx_cycle_t *cycle, ngx_stream_dns_udp_t *udp,
    ngx_listening_t *ls)
{
    ngx_uint_t                 i;
    ngx_stream_conf_ctx_t     *ctx;
    ngx_stream_addr_conf_t    *conf;
    ngx_stream_dns_server_t   *server;
    ngx_stream_dns_socket_t   *sock;
    ngx_stream_dns_session_t  *ss;

    sock = ngx_array_push(&udp->sockets);
    if (sock == NULL) {
        return NGX_ERROR;
    }

    sock->listening = ls;
    sock->connection = ls->connection;
    sock->naddrs = ngx_stream_dns_udp_naddrs(ls);
    sock->addrs = ((ngx_stream_port_t *) ls->servers)->addrs;
    sock->controllen = 0;

    if (ls->wildcard) {
        sock->controllen = CMSG_SPACE(sizeof(struct in_pktinfo));

#if (NGX_HAVE_INET6)
        if (ls->sockaddr->sa_family == AF_INET6) {
            sock->controllen = CMSG_SPACE(sizeof(struct in6_pktinfo));
        }
#endif
    }

    server = ngx_pcalloc(cycle->pool,
                         sock->naddrs * sizeof(ngx_stream_dns_server_t));
    if (server == NULL) {
        return NGX_ERROR;
    }

    sock->servers = server;

    for (i = 0; i < sock->naddrs; i++) {

        ctx = ngx_stream_dns_udp_addr_ctx(ls, i, &conf);
        server[i].conf = ctx->srv_conf[ngx_stream_dns_module.ctx_index];

        udp->reply_size = ngx_max(udp->reply_size,
                                  (size_t) server[i].conf->udp_size);

        ss = ngx_stream_dns_session_create(cycle, ls, i);
        if (ss == NULL) {
            return NGX_ERROR;
        }

        server[i].session = ss;
        server[i].always = (ss->nphases != 0 || ss->log_phase);
    }

    ls->connection->data = sock;
    ls->connection->read->handler = ngx_stream_dns_udp_handler;

    return NGX_OK;
}


static ngx_int_t
ngx_stream_dns_udp_buffers(ngx_cycle_t *cycle, ngx_stream_dns_udp_t *udp)
{
    u_char                     *in, *out;
    size_t                      in_step, out_step;
    ngx_uint_t                  i;
    struct msghdr              *msg;
    ngx_stream_dns_datagram_t  *d;

    in_step = NGX_STREAM_DNS_PACKET_MAX + NGX_STREAM_DNS_SKEW;
    out_step = ngx_align(udp->reply_size, 64) + NGX_STREAM_DNS_SKEW;

    in = ngx_pmemalign(cycle->pool, NGX_STREAM_DNS_BATCH * in_step, 64);
    out = ngx_pmemalign(cycle->pool, NGX_STREAM_DNS_BATCH * out_step, 64);

    if (in == NULL || out == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < NGX_STREAM_DNS_BATCH; i++) {

        udp->in_iov[i].iov_base = in;
        udp->in_iov[i].iov_len = NGX_STREAM_DNS_PACKET_MAX;

        msg = &udp->in[i].msg_hdr;
        msg->msg_name = &udp->sockaddr[i];
        msg->msg_iov = &udp->in_iov[i];
        msg->msg_iovlen = 1;
        msg->msg_control = &udp->control[i];

        udp->out_iov[i].iov_base = out;

        msg = &udp->out[i].msg_hdr;
        msg->msg_iov = &udp->out_iov[i];
        msg->msg_iovlen = 1;

        d = &udp->datagram[i];
        d->packet = in;
        d->sockaddr = &udp->sockaddr[i];

        in += in_step;
        out += out_step;
    }

    return NGX_OK;
}


static void
ngx_stream_dns_udp_handler(ngx_event_t *ev)
{
    ngx_uint_t                i;
    ngx_connection_t         *lc;
    ngx_stream_dns_socket_t  *sock;

    lc = ev->data;
    sock = lc->data;

    ev->ready = 0;
    ev->timedout = 0;

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, ev->log, 0,
                   "dns datagrams on %V", &sock->listening->addr_text);

    for (i = 0; i < NGX_STREAM_DNS_ROUNDS; i++) {

        if (ngx_stream_dns_udp_batch(ngx_stream_dns_worker, sock,
                                     sock->listening->fd)
            < NGX_STREAM_DNS_BATCH)
        {
            return;
        }
    }

    /* the event is level triggered: what is left comes again */
}


/* returns the number of datagrams read */

static ngx_uint_t
ngx_stream_dns_udp_batch(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_socket_t *sock, ngx_socket_t fd)
{
    ngx_uint_t             n, out;
    ngx_stream_dns_udp_t  *udp;

    udp = w->udp;

    n = ngx_stream_dns_udp_read(udp, sock, fd);
    if (n == 0) {
        return 0;
    }

    w->counters->n[NGX_STREAM_DNS_RECEIVED_UDP] += n;

    ngx_stream_dns_udp_parse(w, sock, n);

    ngx_stream_dns_regions_enter(w);

    ngx_stream_dns_udp_locate(udp, n);

    out = ngx_stream_dns_udp_answer(w, n);

    ngx_stream_dns_regions_leave(w);

    if (out != 0) {
        ngx_stream_dns_udp_send(w, sock, fd, out);
    }

    return n;
}


static ngx_uint_t
ngx_stream_dns_udp_read(ngx_stream_dns_udp_t *udp,
    ngx_stream_dns_socket_t *sock, ngx_socket_t fd)
{
    int             n;
    ngx_err_t       err;
    ngx_uint_t      i;
    struct msghdr  *msg;

    if (udp->controllen != sock->controllen) {
        udp->controllen = sock->controllen;
        udp->dirty = NGX_STREAM_DNS_BATCH;
    }

    /* the kernel has put its own lengths where ours have to be */

    for (i = 0; i < udp->dirty; i++) {
        msg = &udp->in[i].msg_hdr;
        msg->msg_namelen = sizeof(ngx_sockaddr_t);
        msg->msg_controllen = udp->controllen;
    }

    do {
        n = recvmmsg(fd, udp->in, NGX_STREAM_DNS_BATCH, 0, NULL);
        err = (n == -1) ? ngx_socket_errno : 0;

    } while (err == NGX_EINTR);

    if (n == -1) {
        udp->dirty = NGX_STREAM_DNS_BATCH;

        if (err != NGX_EAGAIN) {
            ngx_log_error(NGX_LOG_ERR, sock->connection->log, err,
                          "recvmmsg() failed");
        }

        return 0;
    }

    udp->dirty = n;

    return n;
}


static void
ngx_stream_dns_udp_parse(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_socket_t *sock, ngx_uint_t n)
{
    ngx_uint_t                  i;
    struct msghdr              *msg;
    ngx_stream_dns_udp_t       *udp;
    ngx_stream_dns_datagram_t  *d;

    udp = w->udp;

    for (i = 0; i < n; i++) {

        d = &udp->datagram[i];
        msg = &udp->in[i].msg_hdr;

        d->len = udp->in[i].msg_len;
        d->socklen = msg->msg_namelen;
        d->local = NULL;

        /* the port is at the same place for both families */

        if (d->sockaddr->sockaddr_in.sin_port == 0) {
            d->server = NULL;
            d->query.verdict = NGX_DNS_VERDICT_DROP;
            ngx_stream_dns_count(w, NGX_STREAM_DNS_DROP_PORT_ZERO);
            continue;
        }

        if (sock->controllen != 0) {
            d->local = ngx_stream_dns_udp_local(msg);
        }

        d->server = ngx_stream_dns_udp_server(sock, d->local);

        ngx_dns_query_parse(&d->query, d->packet, d->len,
                            (msg->msg_flags & MSG_TRUNC) != 0, w->key);
    }
}


/*
 * The address that was asked; the control data become those of the reply,
 * which is to leave from there, over whatever interface routing says: over
 * the same one only if the address means nothing without it.
 */

static void *
ngx_stream_dns_udp_local(struct msghdr *msg)
{
    struct cmsghdr      *cmsg;
    struct in_pktinfo   *pkt;
#if (NGX_HAVE_INET6)
    struct in6_pktinfo  *pkt6;
#endif

    cmsg = CMSG_FIRSTHDR(msg);

    if (cmsg == NULL) {
        return NULL;
    }

    if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_PKTINFO) {

        pkt = (struct in_pktinfo *) CMSG_DATA(cmsg);
        pkt->ipi_ifindex = 0;

        return &pkt->ipi_addr;
    }

#if (NGX_HAVE_INET6)

    if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_PKTINFO) {

        pkt6 = (struct in6_pktinfo *) CMSG_DATA(cmsg);

        if (!IN6_IS_ADDR_LINKLOCAL(&pkt6->ipi6_addr)) {
            pkt6->ipi6_ifindex = 0;
        }

        return &pkt6->ipi6_addr;
    }

#endif

    return NULL;
}


/* as nginx does: all but the last are compared, the last is the default */

static ngx_stream_dns_server_t *
ngx_stream_dns_udp_server(ngx_stream_dns_socket_t *sock, void *local)
{
    ngx_uint_t              i;
    ngx_stream_in_addr_t   *addr;
#if (NGX_HAVE_INET6)
    ngx_stream_in6_addr_t  *addr6;
#endif

    i = sock->naddrs - 1;

    if (i == 0 || local == NULL) {
        return &sock->servers[i];
    }

    switch (sock->listening->sockaddr->sa_family) {

#if (NGX_HAVE_INET6)
    case AF_INET6:
        addr6 = sock->addrs;

        for (i = 0; i < sock->naddrs - 1; i++) {
            if (ngx_memcmp(&addr6[i].addr6, local, 16) == 0) {
                break;
            }
        }

        break;
#endif

    default: /* AF_INET */
        addr = sock->addrs;

        for (i = 0; i < sock->naddrs - 1; i++) {
            if (ngx_memcmp(&addr[i].addr, local, 4) == 0) {
                break;
            }
        }

        break;
    }

    return &sock->servers[i];
}


/*
 * The zone is as good as never in the cache.  With all queries at hand the
 * memory fetches of one are waited for while the others are worked on.
 */

static void
ngx_stream_dns_udp_locate(ngx_stream_dns_udp_t *udp, ngx_uint_t n)
{
    ngx_uint_t                  i;
    ngx_stream_dns_datagram_t  *d;

    for (i = 0; i < n; i++) {
        d = &udp->datagram[i];
        d->zone = NULL;

        if (d->query.verdict == NGX_DNS_VERDICT_ANSWER) {
            d->zone = ngx_dns_answer_locate(&d->server->conf->answer,
                                            &d->query);
        }
    }

    for (i = 0; i < n; i++) {
        d = &udp->datagram[i];

        if (d->zone != NULL) {
            ngx_dns_zone_prefetch_node(d->zone, &d->query.qname);
        }
    }
}


/* returns the number of replies */

static ngx_uint_t
ngx_stream_dns_udp_answer(ngx_stream_dns_worker_t *w, ngx_uint_t n)
{
    size_t                      size;
    ngx_uint_t                  i, k;
    struct msghdr              *in, *out;
    ngx_stream_dns_udp_t       *udp;
    ngx_stream_dns_datagram_t  *d;

    udp = w->udp;
    k = 0;

    for (i = 0; i < n; i++) {

        d = &udp->datagram[i];

        if (d->server == NULL) {
            continue;
        }

        if (d->server->always) {
            size = ngx_stream_dns_udp_session(w, d, udp->out_iov[k].iov_base);

        } else {
            size = ngx_stream_dns_udp_reply(w, d, udp->out_iov[k].iov_base,
                                            NULL);
        }

        if (size == 0) {
            continue;
        }

        udp->out_iov[k].iov_len = size;

        in = &udp->in[i].msg_hdr;
        out = &udp->out[k].msg_hdr;

        out->msg_name = in->msg_name;
        out->msg_namelen = in->msg_namelen;
        out->msg_control = in->msg_control;
        out->msg_controllen = (d->local != NULL) ? in->msg_controllen : 0;

        k++;
    }

    return k;
}


/* 0: no reply, which has been counted */

static size_t
ngx_stream_dns_udp_session(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_datagram_t *d, u_char *buf)
{
    size_t                     size;
    ngx_stream_dns_session_t  *ss;

    size = 0;
    ss = d->server->session;

    ngx_stream_dns_session_begin(ss, d);

    if (ngx_stream_dns_session_phases(ss) == NGX_OK) {
        size = ngx_stream_dns_udp_reply(w, d, buf, ss);

    } else {
        ngx_stream_dns_count(w, (ss->session.status
                                 < NGX_STREAM_INTERNAL_SERVER_ERROR)
                                ? NGX_STREAM_DNS_DROP_DENIED
                                : NGX_STREAM_DNS_DROP_FAILED);
    }

    ngx_stream_dns_session_end(ss, size);

    return size;
}


/* ss: the session of the datagram if one has begun */

static size_t
ngx_stream_dns_udp_reply(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_datagram_t *d, u_char *buf, ngx_stream_dns_session_t *ss)
{
    size_t                      n;
    ngx_dns_query_t            *q;
    ngx_dns_transport_t         t;
    ngx_stream_dns_udp_t       *udp;
    ngx_stream_dns_session_t   *own;
    ngx_stream_dns_srv_conf_t  *dscf;

    q = &d->query;
    udp = w->udp;
    dscf = d->server->conf;

    if (q->verdict == NGX_DNS_VERDICT_DROP) {
        w->counters->n[ngx_stream_dns_drop_counter(q)]++;
        return 0;
    }

    ngx_stream_dns_client(q, (ss == NULL) ? &d->sockaddr->sockaddr
                                          : ss->connection.sockaddr);

    if (!q->nsid || dscf->nsid == NULL) {
        return ngx_stream_dns_reply(w, dscf, q, d->zone, &dscf->udp, buf,
                                    udp->reply_size,
                                    (ss == NULL) ? NULL : &ss->ctx);
    }

    own = NULL;

    if (ss == NULL) {
        own = d->server->session;
        ss = own;

        ngx_stream_dns_session_begin(ss, d);
    }

    t = dscf->udp;
    ngx_stream_dns_nsid(&ss->session, dscf, &t.nsid);

    n = ngx_stream_dns_reply(w, dscf, q, d->zone, &t, buf, udp->reply_size,
                             &ss->ctx);

    if (own != NULL) {
        ngx_stream_dns_session_end(own, n);
    }

    return n;
}


static void
ngx_stream_dns_udp_send(ngx_stream_dns_worker_t *w,
    ngx_stream_dns_socket_t *sock, ngx_socket_t fd, ngx_uint_t n)
{
    int                    rc;
    ngx_err_t              err;
    ngx_uint_t             i;
    ngx_stream_dns_udp_t  *udp;

    udp = w->udp;

    for (i = 0; i < n; /* void */) {

        rc = sendmmsg(fd, &udp->out[i], n - i, 0);

        if (rc > 0) {
            i += rc;
            continue;
        }

        /* the first of those that were to be sent did not go */

        err = (rc == -1) ? ngx_socket_errno : 0;

        if (err == NGX_EINTR) {
            continue;
        }

        if (err == NGX_EAGAIN) {
            w->counters->n[NGX_STREAM_DNS_SEND_FULL] += n - i;
            return;
        }

        ngx_log_debug0(NGX_LOG_DEBUG_STREAM, sock->connection->log, err,
                       "dns sendmmsg() failed");

        ngx_stream_dns_count(w, NGX_STREAM_DNS_SEND_FAILED);
        i++;
    }
}


/*
 * If an accept() of any server fails for lack of descriptors, nginx stops
 * listening on all sockets for half a second at a time.  We need no
 * descriptors: ours go on.
 */

static void
ngx_stream_dns_udp_watch(ngx_event_t *ev)
{
    ngx_uint_t                i;
    ngx_event_t              *rev;
    ngx_stream_dns_udp_t     *udp;
    ngx_stream_dns_socket_t  *sock;

    if (ngx_exiting || ngx_quit || ngx_terminate) {
        return;
    }

    udp = ev->data;
    sock = udp->sockets.elts;

    for (i = 0; i < udp->sockets.nelts; i++) {

        rev = sock[i].connection->read;

        /* another handler: the socket is to stay unread */

        if (rev->handler == ngx_stream_dns_udp_handler
            && ngx_stream_dns_listen(sock[i].connection) == NGX_OK)
        {
            ngx_stream_dns_count(ngx_stream_dns_worker,
                                 NGX_STREAM_DNS_REENABLED);
        }
    }

    ngx_add_timer(ev, NGX_STREAM_DNS_WATCH);
}


/*
 * A worker that is told to quit closes its sockets, and what the kernel has
 * put into them is lost: with fewer workers than before nobody else reads a
 * reuseport socket, though every old worker keeps it open.  nginx has no
 * hook there, but takes each socket out of epoll first.
 */

static void
ngx_stream_dns_udp_hook(void)
{
    if (ngx_event_actions.del != ngx_stream_dns_udp_del) {
        ngx_stream_dns_udp_next_del = ngx_event_actions.del;
        ngx_event_actions.del = ngx_stream_dns_udp_del;
    }
}


static ngx_int_t
ngx_stream_dns_udp_del(ngx_event_t *ev, ngx_int_t event, ngx_uint_t flags)
{
    ngx_connection_t  *c;

    if (ngx_exiting && ev->handler == ngx_stream_dns_udp_handler) {
        c = ev->data;
        ngx_stream_dns_udp_drain(c->data);
    }

    return ngx_stream_dns_udp_next_del(ev, event, flags);
}


/*
 * The last datagrams of a socket and of those of the other workers behind
 * it: the ones before it are closed already.
 */

static void
ngx_stream_dns_udp_drain(ngx_stream_dns_socket_t *sock)
{
    ngx_uint_t        n;
    ngx_listening_t  *ls, *last;

    ls = ngx_cycle->listening.elts;
    last = ls + ngx_cycle->listening.nelts;

    for (ls = sock->listening; ls < last; ls++) {

        if (ls->servers != sock->listening->servers) {
            continue;
        }

        for (n = 0; n < NGX_STREAM_DNS_ROUNDS; n++) {

            if (ngx_stream_dns_udp_batch(ngx_stream_dns_worker, sock, ls->fd)
                < NGX_STREAM_DNS_BATCH)
            {
                break;
            }
        }
    }
}
