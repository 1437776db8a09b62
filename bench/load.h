
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _BENCH_LOAD_H_INCLUDED_
#define _BENCH_LOAD_H_INCLUDED_


#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "hist.h"
#include "question.h"


#define LOAD_BATCH     64
#define LOAD_REPLY     320
#define LOAD_SOCKETS   256

#define LOAD_SECOND    1000000000ull


typedef struct {
    const char               *host;
    const char               *port;
    const char               *questions;
    const char               *sizes;
    const char               *learn;
    const char               *flood;

    unsigned                  sockets;
    unsigned                  window;
    unsigned                  edns;
    unsigned                  subnets;
    unsigned                  port0;
    unsigned                  batch;

    uint64_t                  rate;
    uint64_t                  count;
    uint64_t                  duration;
    uint64_t                  timeout;
    uint64_t                  pause;

    unsigned                  do_bit:1;
    unsigned                  json:1;
    unsigned                  verify:1;
    unsigned                  block:1;
    unsigned                  tcp:1;
} load_options_t;


/* One outstanding query; q is NULL once it was answered or given up. */

typedef struct {
    question_t               *q;
    uint64_t                  time;
    uint16_t                  id;
} load_slot_t;


typedef struct {
    int                       fd;
    unsigned                  outstanding;
    unsigned                  mask;
    unsigned                  scan;
    uint32_t                  sequence;
    uint64_t                  scanned;
    load_slot_t              *slots;
} load_socket_t;


typedef struct {
    uint64_t                  sent;
    uint64_t                  received;
    uint64_t                  lost;
    uint64_t                  late;
    uint64_t                  unknown;
    uint64_t                  mismatched;
    uint64_t                  malformed;
    uint64_t                  truncated;
    uint64_t                  answered;
    uint64_t                  octets;
    uint64_t                  send_errors;
    uint64_t                  receive_errors;
    uint64_t                  skipped;
    uint64_t                  port0;
    uint64_t                  batches;
    uint64_t                  rcode[16];
} load_counters_t;


typedef struct {
    load_options_t            options;
    load_counters_t           counters;
    load_socket_t             sockets[LOAD_SOCKETS];
    questions_t               questions;
    hist_t                    latency;

    uint64_t                  start;
    volatile uint64_t         stop;
    uint64_t                  now;
    uint64_t                  last;
    uint64_t                  random;
    unsigned                  turn;
    int                       raw;
    int                       epoll;

    struct sockaddr_storage   peer;
    socklen_t                 peerlen;

    uint16_t                 *learnt;

    struct mmsghdr            out[LOAD_BATCH];
    struct mmsghdr            in[LOAD_BATCH];
    struct iovec              out_iov[LOAD_BATCH];
    struct iovec              in_iov[LOAD_BATCH];
    u_char                    out_data[LOAD_BATCH][QUESTION_MAX + 16];
    u_char                    in_data[LOAD_BATCH][LOAD_REPLY];
} load_t;


/* Gives the monotonic clock in nanoseconds. */
uint64_t load_clock(void);

/*
 * Opens the sockets and readies the message arrays; every window is spread
 * evenly over the sockets.  Gives 0, or -1 after a message on stderr.
 */
int load_open(load_t *ld);

/*
 * Sends up to n queries on s, 1 <= n <= LOAD_BATCH; at is the time each is
 * stamped with, in steps of step nanoseconds.
 *
 * Gives the number sent, less than n if the socket would block or failed.
 */
unsigned load_send(load_t *ld, load_socket_t *s, unsigned n, uint64_t at,
    uint64_t step);

/*
 * Receives one batch from s without waiting and matches it with what was
 * asked.  Gives the number of datagrams.
 */
unsigned load_receive(load_t *ld, load_socket_t *s);

/*
 * Matches one reply of length octets, of which the first LOAD_REPLY are at
 * data, with what was asked on s.
 */
void load_reply(load_t *ld, load_socket_t *s, u_char *data, unsigned length);

/* Takes back a few of the slots of s that are older than the timeout. */
void load_expire(load_t *ld, load_socket_t *s);

/* Keeps a window of queries outstanding until the end of the run. */
void load_closed(load_t *ld);

/* Sends at a fixed rate until the end of the run. */
void load_open_loop(load_t *ld);

/* The same window over TCP connections, pipelined; 0, or -1 on failure. */
int load_tcp(load_t *ld);

/* Waits up to the timeout for what is outstanding; the rest is lost. */
void load_drain(load_t *ld);

/* Prints the result as text or, with -j, as one JSON object. */
void load_report(load_t *ld, FILE *out);


#endif /* _BENCH_LOAD_H_INCLUDED_ */
