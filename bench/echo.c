
/*
 * Copyright (C) ngx_dns_module contributors
 *
 * The floor under every UDP server on this kernel: one event loop that takes
 * datagrams in batches, makes each a reply of the length that the load
 * generator has put into NSCOUNT, and sends them in batches.  System calls,
 * batches and socket options are those of the DNS module; there is no DNS.
 */


#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>


#define ECHO_BATCH   64
#define ECHO_BUFFER  4096
#define ECHO_ROUNDS  8


typedef unsigned char  u_char;


static int echo_listen(const char *host, const char *port, int rcvbuf);
static void echo_prepare(void);
static int echo_batch(int fd, unsigned batch);
static void echo_send(int fd, unsigned n);
static void echo_run(int fd, unsigned batch);


static struct mmsghdr           echo_in[ECHO_BATCH];
static struct mmsghdr           echo_out[ECHO_BATCH];
static struct iovec             echo_in_iov[ECHO_BATCH];
static struct iovec             echo_out_iov[ECHO_BATCH];
static struct sockaddr_storage  echo_addr[ECHO_BATCH];
static u_char                   echo_query[ECHO_BATCH][ECHO_BUFFER];
static u_char                   echo_reply[ECHO_BATCH][ECHO_BUFFER];


int
main(int argc, char **argv)
{
    int          c, fd, rcvbuf;
    unsigned     batch;
    const char  *host, *port;

    host = "127.0.0.1";
    port = "5300";
    batch = ECHO_BATCH;
    rcvbuf = 0;

    for ( ;; ) {
        c = getopt(argc, argv, "s:p:b:r:");

        if (c == -1) {
            break;
        }

        switch (c) {
        case 's': host = optarg; break;
        case 'p': port = optarg; break;
        case 'b': batch = atoi(optarg); break;
        case 'r': rcvbuf = atoi(optarg); break;
        default:
            fprintf(stderr, "usage: echo [-s ADDRESS] [-p PORT] [-b BATCH] "
                    "[-r RCVBUF]\n");
            return 2;
        }
    }

    if (batch < 1 || batch > ECHO_BATCH) {
        fprintf(stderr, "echo: -b takes 1 to %d\n", ECHO_BATCH);
        return 2;
    }

    fd = echo_listen(host, port, rcvbuf);
    if (fd == -1) {
        perror("echo");
        return 1;
    }

    echo_prepare();
    echo_run(fd, batch);

    return 1;
}


static int
echo_listen(const char *host, const char *port, int rcvbuf)
{
    int                 fd, on;
    struct sockaddr_in  sin;

    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(atoi(port));
    sin.sin_addr.s_addr = inet_addr(host);

    fd = socket(AF_INET, SOCK_DGRAM|SOCK_NONBLOCK, 0);
    if (fd == -1) {
        return -1;
    }

    on = 1;
    (void) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    (void) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));

    if (rcvbuf) {
        (void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rcvbuf,
                          sizeof(rcvbuf));
    }

    if (bind(fd, (struct sockaddr *) &sin, sizeof(sin)) == -1) {
        return -1;
    }

    return fd;
}


static void
echo_prepare(void)
{
    unsigned  i;

    for (i = 0; i < ECHO_BATCH; i++) {
        echo_in_iov[i].iov_base = echo_query[i];
        echo_in_iov[i].iov_len = ECHO_BUFFER;
        echo_in[i].msg_hdr.msg_iov = &echo_in_iov[i];
        echo_in[i].msg_hdr.msg_iovlen = 1;
        echo_in[i].msg_hdr.msg_name = &echo_addr[i];

        echo_out_iov[i].iov_base = echo_reply[i];
        echo_out[i].msg_hdr.msg_iov = &echo_out_iov[i];
        echo_out[i].msg_hdr.msg_iovlen = 1;
        echo_out[i].msg_hdr.msg_name = &echo_addr[i];
    }
}


static void
echo_run(int fd, unsigned batch)
{
    int                 i, n, ep;
    struct epoll_event  ee, events[512];

    ep = epoll_create(512);

    memset(&ee, 0, sizeof(ee));
    ee.events = EPOLLIN|EPOLLRDHUP;

    if (ep == -1 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ee) == -1) {
        perror("echo: epoll");
        return;
    }

    for ( ;; ) {
        n = epoll_wait(ep, events, 512, -1);

        if (n <= 0) {
            continue;
        }

        for (i = 0; i < ECHO_ROUNDS; i++) {
            if (echo_batch(fd, batch) < (int) batch) {
                break;
            }
        }
    }
}


/* gives the number of datagrams read */

static int
echo_batch(int fd, unsigned batch)
{
    int       i, n;
    u_char   *q, *r;
    unsigned  length, size;

    for (i = 0; i < (int) batch; i++) {
        echo_in[i].msg_hdr.msg_namelen = sizeof(struct sockaddr_storage);
    }

    n = recvmmsg(fd, echo_in, batch, 0, NULL);

    for (i = 0; i < n; i++) {
        q = echo_query[i];
        r = echo_reply[i];
        length = echo_in[i].msg_len;
        size = length;

        if (length >= 12) {
            size = q[8] << 8 | q[9];

            if (size < length || size > ECHO_BUFFER) {
                size = length;
            }
        }

        memcpy(r, q, length);

        r[2] |= 0x80;
        r[8] = 0;
        r[9] = 0;

        echo_out_iov[i].iov_len = size;
        echo_out[i].msg_hdr.msg_namelen = echo_in[i].msg_hdr.msg_namelen;
    }

    if (n > 0) {
        echo_send(fd, n);
    }

    return n;
}


static void
echo_send(int fd, unsigned n)
{
    int       rc;
    unsigned  sent;

    for (sent = 0; sent < n; /* void */ ) {
        rc = sendmmsg(fd, &echo_out[sent], n - sent, 0);

        if (rc > 0) {
            sent += rc;
            continue;
        }

        if (errno == EAGAIN) {
            return;
        }

        if (errno != EINTR) {
            sent++;
        }
    }
}
