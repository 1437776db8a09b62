
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>

#include "load.h"


#define LOAD_RANDOM_LABEL  12


static int load_socket(load_t *ld, load_socket_t *s, unsigned slots);
static unsigned load_slots(load_options_t *o);
static unsigned load_fill(load_t *ld, load_socket_t *s, unsigned n,
    uint64_t at, uint64_t step);
static void load_randomize(load_t *ld, u_char *label);
static void load_subnet(load_t *ld, u_char *network);
static uint64_t load_random(load_t *ld);
static int load_raw(load_t *ld);
static void load_port0(load_t *ld);
static void load_pause(uint64_t until);
static void load_wait(load_t *ld, uint64_t until);
static int load_over(load_t *ld);
static unsigned load_receive_all(load_t *ld);


int
load_open(load_t *ld)
{
    unsigned  i, slots;

    if (ld->options.tcp) {
        return 0;
    }

    ld->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (ld->epoll == -1) {
        perror("load: epoll_create1()");
        return -1;
    }

    slots = load_slots(&ld->options);

    for (i = 0; i < ld->options.sockets; i++) {
        if (load_socket(ld, &ld->sockets[i], slots) == -1) {
            return -1;
        }
    }

    for (i = 0; i < LOAD_BATCH; i++) {
        ld->out_iov[i].iov_base = ld->out_data[i];
        ld->out[i].msg_hdr.msg_iov = &ld->out_iov[i];
        ld->out[i].msg_hdr.msg_iovlen = 1;

        ld->in_iov[i].iov_base = ld->in_data[i];
        ld->in_iov[i].iov_len = LOAD_REPLY;
        ld->in[i].msg_hdr.msg_iov = &ld->in_iov[i];
        ld->in[i].msg_hdr.msg_iovlen = 1;
    }

    return ld->options.port0 ? load_raw(ld) : 0;
}


static int
load_socket(load_t *ld, load_socket_t *s, unsigned slots)
{
    int                 size;
    struct epoll_event  ee;

    s->fd = socket(ld->peer.ss_family, SOCK_DGRAM|SOCK_NONBLOCK, 0);
    if (s->fd == -1) {
        perror("load: socket()");
        return -1;
    }

    size = 4 << 20;

    (void) setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    (void) setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));

    if (connect(s->fd, (struct sockaddr *) &ld->peer, ld->peerlen) == -1) {
        perror("load: connect()");
        return -1;
    }

    memset(&ee, 0, sizeof(ee));
    ee.events = EPOLLIN;
    ee.data.ptr = s;

    if (epoll_ctl(ld->epoll, EPOLL_CTL_ADD, s->fd, &ee) == -1) {
        perror("load: epoll_ctl()");
        return -1;
    }

    s->slots = calloc(slots, sizeof(load_slot_t));
    if (s->slots == NULL) {
        return -1;
    }

    s->mask = slots - 1;
    s->sequence = ld->random >> 16;

    return 0;
}


/*
 * The slots of a socket are a ring indexed by the low bits of the ID; four
 * times what is outstanding keeps late replies from finding a new query.
 */

static unsigned
load_slots(load_options_t *o)
{
    unsigned  need, slots;

    if (o->rate) {
        need = 2 * (o->rate * o->timeout / LOAD_SECOND / o->sockets);

    } else {
        need = 4 * (o->window / o->sockets);
    }

    for (slots = 256; slots < need && slots < 65536; slots *= 2) {
        /* void */
    }

    return slots;
}


unsigned
load_send(load_t *ld, load_socket_t *s, unsigned n, uint64_t at,
    uint64_t step)
{
    int       rc;
    unsigned  i, sent, filled;

    filled = load_fill(ld, s, n, at, step);
    sent = 0;

    while (sent < filled) {
        rc = sendmmsg(s->fd, &ld->out[sent], filled - sent, 0);

        if (rc > 0) {
            sent += rc;
            continue;
        }

        if (errno == EINTR) {
            continue;
        }

        ld->counters.send_errors++;

        if (errno != ECONNREFUSED) {
            break;
        }
    }

    for (i = sent; i < filled; i++) {
        s->slots[(ld->out_data[i][0] << 8 | ld->out_data[i][1]) & s->mask].q
            = NULL;
        s->outstanding--;
    }

    ld->counters.sent += sent;

    if (ld->options.port0) {
        load_port0(ld);
    }

    return sent;
}


static unsigned
load_fill(load_t *ld, load_socket_t *s, unsigned n, uint64_t at,
    uint64_t step)
{
    u_char       *p;
    unsigned      i, tried;
    question_t   *q;
    load_slot_t  *slot;

    tried = 0;

    for (i = 0; i < n; /* void */ ) {
        slot = &s->slots[s->sequence & s->mask];

        if (slot->q) {

            if (tried++ > s->mask) {
                ld->counters.skipped += n - i;
                break;
            }

            s->sequence++;
            continue;
        }

        q = questions_next(&ld->questions);

        slot->q = q;
        slot->time = at;
        slot->id = s->sequence++;

        p = ld->out_data[i];
        memcpy(p, q->data, q->length);
        p[0] = slot->id >> 8;
        p[1] = slot->id;

        if (ld->options.flood) {
            load_randomize(ld, p + QUESTION_HEADER + 1);
        }

        if (ld->options.subnets) {
            load_subnet(ld, p + q->length - QUESTION_SUBNET);
        }

        ld->out_iov[i].iov_len = q->length;

        at += step;
        i++;
    }

    s->outstanding += i;

    return i;
}


static void
load_randomize(load_t *ld, u_char *label)
{
    unsigned  i;
    uint64_t  x;

    x = load_random(ld);

    for (i = 0; i < LOAD_RANDOM_LABEL; i++) {
        label[i] = 'a' + (x & 15);
        x >>= 5;
    }
}


/* one of the networks, which are spread over all of IPv4 */

static void
load_subnet(load_t *ld, u_char *network)
{
    unsigned  n;

    n = load_random(ld) % ld->options.subnets * 0x9e3779b1;

    network[0] = n >> 16;
    network[1] = n >> 8;
    network[2] = n;
}


static uint64_t
load_random(load_t *ld)
{
    uint64_t  x;

    x = ld->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    ld->random = x;

    return x;
}


unsigned
load_receive(load_t *ld, load_socket_t *s)
{
    int  i, n;

    n = recvmmsg(s->fd, ld->in, ld->options.batch, MSG_DONTWAIT|MSG_TRUNC,
                 NULL);

    if (n <= 0) {

        if (n == -1 && errno != EAGAIN && errno != EINTR) {
            ld->counters.receive_errors++;
        }

        return 0;
    }

    ld->counters.batches++;
    ld->now = load_clock();

    for (i = 0; i < n; i++) {
        load_reply(ld, s, ld->in_data[i], ld->in[i].msg_len);
    }

    return n;
}


void
load_reply(load_t *ld, load_socket_t *s, u_char *data, unsigned length)
{
    unsigned          id;
    question_t       *q;
    load_slot_t      *slot;
    load_counters_t  *c;

    c = &ld->counters;

    if (length < QUESTION_HEADER || !(data[2] & 0x80)) {
        c->malformed++;
        return;
    }

    id = data[0] << 8 | data[1];
    slot = &s->slots[id & s->mask];
    q = slot->q;

    if (q == NULL || slot->id != id) {
        c->unknown++;
        return;
    }

    if (ld->options.verify
        && !ld->options.flood
        && (length < q->length - (q->data[11] ? 11u : 0u)
            || memcmp(data + QUESTION_HEADER, q->data + QUESTION_HEADER,
                      q->length - QUESTION_HEADER - (q->data[11] ? 11 : 0))
               != 0))
    {
        c->mismatched++;
        return;
    }

    c->received++;
    c->octets += length;
    c->rcode[data[3] & 15]++;
    c->truncated += (data[2] >> 1) & 1;
    c->answered += (data[6] | data[7]) != 0;

    if (ld->learnt) {
        ld->learnt[q->number] = length;
    }

    hist_add(&ld->latency, ld->now > slot->time ? ld->now - slot->time : 0,
             1);

    slot->q = NULL;
    s->outstanding--;
    ld->last = ld->now;
}


void
load_expire(load_t *ld, load_socket_t *s)
{
    unsigned      i;
    load_slot_t  *slot;

    if (ld->now - s->scanned < ld->options.timeout / 4096) {
        return;
    }

    s->scanned = ld->now;

    for (i = 0; i < 64; i++) {
        slot = &s->slots[s->scan++ & s->mask];

        if (slot->q && ld->now > slot->time + ld->options.timeout) {
            slot->q = NULL;
            s->outstanding--;
            ld->counters.lost++;
        }
    }
}


static int
load_over(load_t *ld)
{
    return ld->now >= ld->stop
           || (ld->options.count && ld->counters.sent >= ld->options.count);
}


void
load_closed(load_t *ld)
{
    unsigned        i, n, got, room, window;
    load_socket_t  *s;

    window = ld->options.window / ld->options.sockets;

    while (!load_over(ld)) {
        got = 0;

        for (i = 0; i < ld->options.sockets; i++) {
            s = &ld->sockets[i];

            got += load_receive(ld, s);
            load_expire(ld, s);

            room = window - s->outstanding;
            n = room < ld->options.batch ? room : ld->options.batch;

            if (ld->options.count
                && n > ld->options.count - ld->counters.sent)
            {
                n = ld->options.count - ld->counters.sent;
            }

            if (n) {
                load_send(ld, s, n, ld->now, 0);
            }
        }

        if (got >= ld->options.batch / 2) {
            continue;
        }

        ld->now = load_clock();

        if (ld->options.block && got == 0) {
            load_wait(ld, ld->now + LOAD_SECOND / 100);

        } else if (ld->options.pause) {
            load_pause(ld->now + ld->options.pause);
            ld->now += ld->options.pause;
        }
    }
}


void
load_open_loop(load_t *ld)
{
    unsigned        n;
    uint64_t        due, done, next;
    load_socket_t  *s;

    done = 0;

    for ( ;; ) {
        ld->now = load_clock();

        if (load_over(ld)) {
            break;
        }

        due = (ld->now - ld->start) * (double) ld->options.rate / LOAD_SECOND;

        if (ld->options.count && due > ld->options.count) {
            due = ld->options.count;
        }

        while (done < due) {
            n = due - done < ld->options.batch ? due - done
                                               : ld->options.batch;

            s = &ld->sockets[ld->turn++ % ld->options.sockets];

            load_send(ld, s, n,
                      ld->start
                      + done * (double) LOAD_SECOND / ld->options.rate,
                      LOAD_SECOND / ld->options.rate);
            load_expire(ld, s);

            done += n;
        }

        next = ld->start
               + (done + 1) * (double) LOAD_SECOND / ld->options.rate;

        if (load_receive_all(ld) == 0) {
            load_wait(ld, next);
        }
    }
}


void
load_drain(load_t *ld)
{
    unsigned  i, left;
    uint64_t  until;

    until = load_clock() + ld->options.timeout;

    do {
        load_receive_all(ld);

        left = 0;
        for (i = 0; i < ld->options.sockets; i++) {
            left += ld->sockets[i].outstanding;
        }

        if (left) {
            load_wait(ld, until);
        }

        ld->now = load_clock();

    } while (left && ld->now < until);

    ld->counters.lost += left;
}


static unsigned
load_receive_all(load_t *ld)
{
    int                  i, n;
    unsigned             got;
    struct epoll_event   events[LOAD_SOCKETS];

    n = epoll_wait(ld->epoll, events, LOAD_SOCKETS, 0);
    got = 0;

    for (i = 0; i < n; i++) {
        got += load_receive(ld, events[i].data.ptr);
    }

    return got;
}


static void
load_pause(uint64_t until)
{
    while (load_clock() < until) {
        __builtin_ia32_pause();
    }
}


/* Sleeps until a reply comes or the time is near; the rest is polled. */

static void
load_wait(load_t *ld, uint64_t until)
{
    uint64_t            now;
    struct timespec     ts;
    struct epoll_event  ee;

    now = load_clock();

    if (until <= now + 20000) {
        return;
    }

    until -= now + 10000;

    ts.tv_sec = until / LOAD_SECOND;
    ts.tv_nsec = until % LOAD_SECOND;

    (void) epoll_pwait2(ld->epoll, &ee, 1, &ts, NULL);
}


static int
load_raw(load_t *ld)
{
    if (ld->peer.ss_family != AF_INET) {
        fprintf(stderr, "load: -z works with IPv4 only\n");
        return -1;
    }

    ld->raw = socket(AF_INET, SOCK_RAW|SOCK_NONBLOCK, IPPROTO_RAW);
    if (ld->raw == -1) {
        perror("load: raw socket");
        return -1;
    }

    return 0;
}


/*
 * An IPv4 header, a UDP header with source port 0 and no checksum, and a
 * plain query.  The kernel fills in the IP length, ID and checksum.
 */

static void
load_port0(load_t *ld)
{
    u_char              *ip, *udp, packet[20 + 8 + QUESTION_MAX];
    unsigned             n;
    question_t          *q;
    struct sockaddr_in  *sin;

    sin = (struct sockaddr_in *) &ld->peer;

    while (ld->counters.port0 < ld->counters.sent / ld->options.port0) {
        q = (question_t *) ld->questions.pos;
        n = 8 + q->length;

        memset(packet, 0, 28);

        ip = packet;
        ip[0] = 0x45;
        ip[8] = 64;
        ip[9] = IPPROTO_UDP;
        memcpy(ip + 12, &sin->sin_addr, 4);
        memcpy(ip + 16, &sin->sin_addr, 4);

        udp = packet + 20;
        memcpy(udp + 2, &sin->sin_port, 2);
        udp[4] = n >> 8;
        udp[5] = n;
        memcpy(udp + 8, q->data, q->length);

        if (sendto(ld->raw, packet, 20 + n, 0, (struct sockaddr *) sin,
                   sizeof(struct sockaddr_in))
            == -1)
        {
            ld->counters.send_errors++;
        }

        ld->counters.port0++;
    }
}
