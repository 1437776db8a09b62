
/*
 * Copyright (C) ngx_dns_module contributors
 *
 * A load generator for DNS servers: one process, one core, batches of
 * datagrams in and out.  "load -h" prints the options.
 */


#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <netdb.h>

#include "load.h"


static void load_interrupt(int signo);
static void load_usage(FILE *out);
static int load_parse(load_options_t *o, int argc, char **argv);
static int load_option(load_options_t *o, int c, const char *arg);
static int load_check(load_options_t *o);
static uint64_t load_time(const char *arg);
static int load_resolve(load_t *ld);
static int load_prepare(load_t *ld);
static int load_learnt(load_t *ld);


static load_t  load;


int
main(int argc, char **argv)
{
    load_t  *ld;

    ld = &load;

    if (load_parse(&ld->options, argc, argv) == -1) {
        return 2;
    }

    if (load_resolve(ld) == -1
        || load_prepare(ld) == -1
        || load_open(ld) == -1)
    {
        return 1;
    }

    ld->start = load_clock();
    ld->now = ld->start;
    ld->stop = ld->options.duration ? ld->start + ld->options.duration
                                    : UINT64_MAX;

    signal(SIGINT, load_interrupt);
    signal(SIGTERM, load_interrupt);

    if (ld->options.tcp) {
        if (load_tcp(ld) == -1) {
            return 1;
        }

    } else if (ld->options.rate) {
        load_open_loop(ld);
        load_drain(ld);

    } else {
        load_closed(ld);
        load_drain(ld);
    }

    load_report(ld, stdout);

    if (ld->options.learn) {
        return load_learnt(ld) == -1;
    }

    return 0;
}


uint64_t
load_clock(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * LOAD_SECOND + ts.tv_nsec;
}


/* Ends the run as if its time were over. */

static void
load_interrupt(int signo)
{
    (void) signo;

    load.stop = 0;
}


static void
load_usage(FILE *out)
{
    fprintf(out,
        "usage: load [options] -q FILE | -x ZONE\n"
        "  -s ADDRESS   server, default 127.0.0.1\n"
        "  -p PORT      default 53\n"
        "  -q FILE      questions, one \"name type\" a line\n"
        "  -x ZONE      random names below ZONE, type A\n"
        "  -w N         closed loop: queries outstanding, default 128\n"
        "  -r QPS       fixed rate in place of a window\n"
        "  -c N         sockets, each with its own source port, default 1\n"
        "  -b N         datagrams per system call, at most 64\n"
        "  -n N         stop after N queries\n"
        "  -d TIME      stop after TIME (10s, 500ms), default 10s without -n\n"
        "  -t TIME      a query is lost after TIME, default 1s\n"
        "  -e SIZE      EDNS with this UDP size\n"
        "  -D           set DO (with -e)\n"
        "  -E N         client subnets of N networks at random (with -e)\n"
        "  -P TIME      rest between polls of an idle window (5us)\n"
        "  -B           sleep when nothing has come instead of polling\n"
        "  -V           compare the question of each reply\n"
        "  -T           over TCP, pipelined, -c connections\n"
        "  -z N         one query from source port 0 per N (raw socket)\n"
        "  -l FILE      write the length of each question's reply\n"
        "  -L FILE      tell the echo server these lengths\n"
        "  -j           print JSON\n");
}


static int
load_parse(load_options_t *o, int argc, char **argv)
{
    int  c;

    o->host = "127.0.0.1";
    o->port = "53";
    o->sockets = 1;
    o->window = 128;
    o->batch = LOAD_BATCH;
    o->timeout = LOAD_SECOND;
    o->pause = 5000;

    for ( ;; ) {
        c = getopt(argc, argv, "s:p:q:x:w:r:c:b:n:d:t:e:E:P:z:l:L:DBVTjh");

        if (c == -1) {
            break;
        }

        if (load_option(o, c, optarg) == -1) {
            load_usage(c == 'h' ? stdout : stderr);
            return -1;
        }
    }

    return load_check(o);
}


static int
load_option(load_options_t *o, int c, const char *arg)
{
    switch (c) {
    case 's': o->host = arg; break;
    case 'p': o->port = arg; break;
    case 'q': o->questions = arg; break;
    case 'x': o->flood = arg; break;
    case 'w': o->window = atoi(arg); break;
    case 'r': o->rate = strtoull(arg, NULL, 10); break;
    case 'c': o->sockets = atoi(arg); break;
    case 'b': o->batch = atoi(arg); break;
    case 'n': o->count = strtoull(arg, NULL, 10); break;
    case 'd': o->duration = load_time(arg); break;
    case 't': o->timeout = load_time(arg); break;
    case 'e': o->edns = atoi(arg); break;
    case 'E': o->subnets = atoi(arg); break;
    case 'P': o->pause = load_time(arg); break;
    case 'z': o->port0 = atoi(arg); break;
    case 'l': o->learn = arg; break;
    case 'L': o->sizes = arg; break;
    case 'D': o->do_bit = 1; break;
    case 'B': o->block = 1; break;
    case 'V': o->verify = 1; break;
    case 'T': o->tcp = 1; break;
    case 'j': o->json = 1; break;
    default: return -1;
    }

    return 0;
}


static int
load_check(load_options_t *o)
{
    if ((o->questions == NULL) == (o->flood == NULL)) {
        fprintf(stderr, "load: one of -q and -x is needed\n");
        return -1;
    }

    if (o->sockets < 1 || o->sockets > LOAD_SOCKETS) {
        fprintf(stderr, "load: -c takes 1 to %d\n", LOAD_SOCKETS);
        return -1;
    }

    if (o->batch < 1 || o->batch > LOAD_BATCH) {
        fprintf(stderr, "load: -b takes 1 to %d\n", LOAD_BATCH);
        return -1;
    }

    if (o->window < o->sockets || o->window / o->sockets > 8192) {
        fprintf(stderr, "load: -w takes 1 to 8192 per socket\n");
        return -1;
    }

    if (o->subnets > 1 << 24 || (o->subnets && (!o->edns || o->verify))) {
        fprintf(stderr, "load: -E takes up to %d, with -e, without -V\n",
                1 << 24);
        return -1;
    }

    if (o->timeout == 0) {
        fprintf(stderr, "load: -t needs a time\n");
        return -1;
    }

    if (o->count == 0 && o->duration == 0) {
        o->duration = 10 * LOAD_SECOND;
    }

    return 0;
}


static uint64_t
load_time(const char *arg)
{
    char    *end;
    double   value;

    value = strtod(arg, &end);

    if (strcmp(end, "us") == 0) {
        return value * 1000;
    }

    if (strcmp(end, "ms") == 0) {
        return value * 1000000;
    }

    return value * LOAD_SECOND;
}


static int
load_resolve(load_t *ld)
{
    int               rc;
    struct addrinfo   hints, *res;

    memset(&hints, 0, sizeof(hints));
    hints.ai_socktype = SOCK_DGRAM;
    hints.ai_flags = AI_NUMERICHOST|AI_NUMERICSERV;

    rc = getaddrinfo(ld->options.host, ld->options.port, &hints, &res);
    if (rc != 0) {
        fprintf(stderr, "load: %s port %s: %s\n", ld->options.host,
                ld->options.port, gai_strerror(rc));
        return -1;
    }

    memcpy(&ld->peer, res->ai_addr, res->ai_addrlen);
    ld->peerlen = res->ai_addrlen;

    freeaddrinfo(res);

    return 0;
}


static int
load_prepare(load_t *ld)
{
    int              n;
    char             name[512];
    question_t      *q;
    load_options_t  *o;

    o = &ld->options;
    ld->random = load_clock() | 1;

    if (o->flood) {
        snprintf(name, sizeof(name), "xxxxxxxxxxxx.%s", o->flood);

        q = calloc(1, sizeof(question_t) + QUESTION_MAX + 8);
        if (q == NULL) {
            return -1;
        }

        n = question_encode(q->data, name, "A", o->edns, o->do_bit,
                            o->subnets != 0);
        if (n == -1) {
            fprintf(stderr, "load: bad zone \"%s\"\n", o->flood);
            return -1;
        }

        q->length = n;
        ld->questions.start = (u_char *) q;
        ld->questions.pos = ld->questions.start;
        ld->questions.end = ld->questions.start + 1;
        ld->questions.n = 1;

    } else if (questions_load(&ld->questions, o->questions, o->edns,
                              o->do_bit, o->subnets != 0)
               == -1)
    {
        return -1;
    }

    if (o->sizes && questions_sizes(&ld->questions, o->sizes) == -1) {
        return -1;
    }

    if (o->learn) {
        ld->learnt = calloc(ld->questions.n, sizeof(uint16_t));
        if (ld->learnt == NULL) {
            return -1;
        }
    }

    return 0;
}


static int
load_learnt(load_t *ld)
{
    FILE      *f;
    unsigned   i;

    f = fopen(ld->options.learn, "w");
    if (f == NULL) {
        fprintf(stderr, "%s: %s\n", ld->options.learn, strerror(errno));
        return -1;
    }

    for (i = 0; i < ld->questions.n; i++) {
        fprintf(f, "%u\n", ld->learnt[i]);
    }

    return fclose(f) == 0 ? 0 : -1;
}
