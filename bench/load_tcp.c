
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include "load.h"


#define LOAD_TCP_BUFFER  65536


/* The stream state of a connection; what is asked is in its socket. */

typedef struct {
    load_socket_t  *s;
    u_char         *out;
    u_char         *in;
    unsigned        out_start;
    unsigned        out_end;
    unsigned        in_end;
} load_tcp_t;


static load_tcp_t  load_tcps[LOAD_SOCKETS];


static int load_tcp_connect(load_t *ld, load_tcp_t *t, load_socket_t *s);
static int load_tcp_event(load_t *ld, load_tcp_t *t, uint32_t events);
static int load_tcp_read(load_t *ld, load_tcp_t *t);
static int load_tcp_write(load_tcp_t *t);
static void load_tcp_fill(load_t *ld, load_tcp_t *t);
static int load_tcp_over(load_t *ld);
static unsigned load_tcp_outstanding(load_t *ld);


int
load_tcp(load_t *ld)
{
    int                  i, n;
    uint64_t             until;
    struct epoll_event   events[LOAD_SOCKETS];

    ld->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (ld->epoll == -1) {
        perror("load: epoll_create1()");
        return -1;
    }

    for (i = 0; i < (int) ld->options.sockets; i++) {
        if (load_tcp_connect(ld, &load_tcps[i], &ld->sockets[i]) == -1) {
            return -1;
        }

        load_tcp_fill(ld, &load_tcps[i]);

        if (load_tcp_write(&load_tcps[i]) == -1) {
            return -1;
        }
    }

    until = UINT64_MAX;

    while (load_tcp_outstanding(ld) && ld->now < until) {
        n = epoll_wait(ld->epoll, events, LOAD_SOCKETS, 10);

        ld->now = load_clock();

        for (i = 0; i < n; i++) {
            if (load_tcp_event(ld, events[i].data.ptr, events[i].events)
                == -1)
            {
                return -1;
            }
        }

        if (until == UINT64_MAX && load_tcp_over(ld)) {
            until = ld->now + ld->options.timeout;
        }
    }

    ld->counters.lost = load_tcp_outstanding(ld);

    return 0;
}


static int
load_tcp_connect(load_t *ld, load_tcp_t *t, load_socket_t *s)
{
    int                 on;
    unsigned            slots;
    struct epoll_event  ee;

    s->fd = socket(ld->peer.ss_family, SOCK_STREAM, 0);

    if (s->fd == -1
        || connect(s->fd, (struct sockaddr *) &ld->peer, ld->peerlen) == -1)
    {
        perror("load: connect()");
        return -1;
    }

    on = 1;
    (void) setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

    for (slots = 256;
         slots < 4 * (ld->options.window / ld->options.sockets);
         slots *= 2)
    {
        /* void */
    }

    s->mask = slots - 1;
    s->slots = calloc(slots, sizeof(load_slot_t));

    t->s = s;
    t->in = malloc(LOAD_TCP_BUFFER + 2);
    t->out = malloc(LOAD_TCP_BUFFER);

    if (s->slots == NULL || t->in == NULL || t->out == NULL) {
        return -1;
    }

    memset(&ee, 0, sizeof(ee));
    ee.events = EPOLLIN|EPOLLOUT|EPOLLET;
    ee.data.ptr = t;

    return epoll_ctl(ld->epoll, EPOLL_CTL_ADD, s->fd, &ee);
}


static int
load_tcp_event(load_t *ld, load_tcp_t *t, uint32_t events)
{
    if ((events & (EPOLLIN|EPOLLHUP|EPOLLERR))
        && load_tcp_read(ld, t) == -1)
    {
        return -1;
    }

    return load_tcp_write(t);
}


static int
load_tcp_read(load_t *ld, load_tcp_t *t)
{
    ssize_t    n;
    unsigned   pos, length;

    for ( ;; ) {
        n = recv(t->s->fd, t->in + t->in_end,
                 LOAD_TCP_BUFFER + 2 - t->in_end, MSG_DONTWAIT);

        if (n == -1 && (errno == EAGAIN || errno == EINTR)) {
            return 0;
        }

        if (n <= 0) {
            fprintf(stderr, "load: connection closed by the server\n");
            return -1;
        }

        t->in_end += n;
        pos = 0;

        while (t->in_end - pos >= 2) {
            length = t->in[pos] << 8 | t->in[pos + 1];

            if (t->in_end - pos < 2 + length) {
                break;
            }

            load_reply(ld, t->s, t->in + pos + 2, length);
            pos += 2 + length;
        }

        memmove(t->in, t->in + pos, t->in_end - pos);
        t->in_end -= pos;

        ld->counters.batches++;

        load_tcp_fill(ld, t);

        if (load_tcp_write(t) == -1) {
            return -1;
        }
    }
}


static int
load_tcp_write(load_tcp_t *t)
{
    ssize_t  n;

    while (t->out_start < t->out_end) {
        n = send(t->s->fd, t->out + t->out_start, t->out_end - t->out_start,
                 MSG_DONTWAIT|MSG_NOSIGNAL);

        if (n == -1) {
            if (errno == EAGAIN || errno == EINTR) {
                return 0;
            }

            perror("load: send()");
            return -1;
        }

        t->out_start += n;
    }

    t->out_start = 0;
    t->out_end = 0;

    return 0;
}


static void
load_tcp_fill(load_t *ld, load_tcp_t *t)
{
    u_char         *p;
    unsigned        window;
    question_t     *q;
    load_slot_t    *slot;
    load_socket_t  *s;

    s = t->s;
    window = ld->options.window / ld->options.sockets;

    while (s->outstanding < window
           && !load_tcp_over(ld)
           && t->out_end + 2 + QUESTION_MAX <= LOAD_TCP_BUFFER)
    {
        slot = &s->slots[s->sequence & s->mask];

        if (slot->q) {
            s->sequence++;
            continue;
        }

        q = questions_next(&ld->questions);

        slot->q = q;
        slot->time = ld->now;
        slot->id = s->sequence++;

        p = t->out + t->out_end;
        p[0] = q->length >> 8;
        p[1] = q->length;
        memcpy(p + 2, q->data, q->length);
        p[2] = slot->id >> 8;
        p[3] = slot->id;

        t->out_end += 2 + q->length;
        s->outstanding++;
        ld->counters.sent++;
    }
}


static int
load_tcp_over(load_t *ld)
{
    return ld->now >= ld->stop
           || (ld->options.count && ld->counters.sent >= ld->options.count);
}


static unsigned
load_tcp_outstanding(load_t *ld)
{
    unsigned  i, n;

    n = 0;

    for (i = 0; i < ld->options.sockets; i++) {
        n += ld->sockets[i].outstanding;
    }

    return n;
}
