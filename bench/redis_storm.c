
/*
 * Copyright (C) ngx_dns_module contributors
 */


/*
 * Writes records to Redis at a fixed rate and measures how long it takes from
 * the acknowledgement of a write to the right answer from every worker.
 *
 * Workers are told apart by their NSID; which one answers is decided by the
 * source port, so for each worker a socket is looked for.
 *
 * usage: redis_storm -p DNSPORT -s REDISSOCKET -n WORKERS [-z ZONES]
 *                    [-r RATE] [-d SECONDS] [-l l1|l4] [-k SECONDS] [-t MS]
 *
 * -k  cuts the connection that listens for changes this often
 * -t  a write not seen everywhere after so long counts as failed
 *
 * Zones are named zN.storm.test and have a record www A; they must be there,
 * "-i" puts them there and waits until all are served.
 */


#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "hist.h"


#define WORKERS_MAX   32
#define SOCKETS       256
#define ENTRIES       65536             /* writes on their way, at most */
#define ASK_AGAIN     1000000           /* nanoseconds */
#define ASK_LOST      200000000


typedef struct {
    char       id[64];                  /* NSID */
    int        fd;
    unsigned   right;                   /* answers as written */
    unsigned   old;                     /* answers from before */
} worker_t;

typedef struct {
    uint32_t   zone;
    uint32_t   value;
    uint64_t   acked;                   /* 0: not yet */
    uint64_t   next[WORKERS_MAX];       /* when to ask; 0: has answered */
    unsigned   left;                    /* workers to answer */
} entry_t;


static struct {
    int        port, rate, seconds, zones, cut, l4, init;
    unsigned   workers;
    uint64_t   limit;
    char      *redis;
} o = { 5300, 1000, 60, 1000, 0, 0, 0, 1, 5000000000, NULL };

static worker_t   workers[WORKERS_MAX];
static unsigned   nworkers;
static entry_t    entries[ENTRIES];
static uint64_t   head, acked, tail;    /* written, acknowledged, done */
static uint32_t  *values;               /* of the last write, by zone */
static hist_t     delay;
static uint64_t   wrong, failed, refused, cuts;
static int        redis = -1, killer = -1;
static char       outbuf[1 << 20];
static size_t     outlen;


static uint64_t
now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}


static void
die(const char *what)
{
    fprintf(stderr, "redis_storm: %s: %s\n", what, strerror(errno));
    exit(1);
}


static int
redis_connect(void)
{
    int                 fd;
    struct sockaddr_un  sa;

    memset(&sa, 0, sizeof(sa));
    sa.sun_family = AF_UNIX;
    strncpy(sa.sun_path, o.redis, sizeof(sa.sun_path) - 1);

    fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd == -1 || connect(fd, (struct sockaddr *) &sa, sizeof(sa)) == -1) {
        die(o.redis);
    }

    return fd;
}


static void
redis_flush(void)
{
    ssize_t  n;
    size_t   done;

    for (done = 0; done < outlen; done += n) {
        n = write(redis, outbuf + done, outlen - done);

        if (n == -1) {
            if (errno == EAGAIN) {
                poll(&(struct pollfd) { redis, POLLOUT, 0 }, 1, 100);
                n = 0;
                continue;
            }

            die("write to redis");
        }
    }

    outlen = 0;
}


static void
redis_send(int argc, const char **argv)
{
    int  i;

    if (outlen > sizeof(outbuf) / 2) {
        redis_flush();
    }

    outlen += sprintf(outbuf + outlen, "*%d\r\n", argc);

    for (i = 0; i < argc; i++) {
        outlen += sprintf(outbuf + outlen, "$%zu\r\n%s\r\n",
                          strlen(argv[i]), argv[i]);
    }
}


static void
zone_write(uint32_t zone, uint32_t value, int whole)
{
    char         key[128], json[256], name[64];
    const char  *hset[] = { "HSET", key, "www", json };
    const char  *set[] = { "SET", key, json };
    const char  *sadd[] = { o.l4 ? "z42" : "redins", NULL };
    const char  *add[] = { "SADD", key, name };
    const char  *labels[] = { "SADD", key, "@", "www" };
    const char  *p = sadd[0];

    snprintf(json, sizeof(json), o.l4 ? "{\"ttl\":30,\"records\":[{\"ip\":"
             "\"10.%u.%u.%u\"}]}" : "{\"a\":{\"ttl\":30,\"records\":[{\"ip\":"
             "\"10.%u.%u.%u\"}]}}",
             value >> 16 & 255, value >> 8 & 255, value & 255);
    snprintf(name, sizeof(name), "z%u.storm.test.", zone);

    if (whole) {
        if (o.l4) {
            snprintf(key, sizeof(key), "%s:zones:%s:labels", p, name);
            redis_send(4, labels);
        }

        snprintf(key, sizeof(key), "%s:zones", p);
        redis_send(3, add);
    }

    if (o.l4) {
        snprintf(key, sizeof(key), "%s:zones:%s:labels:www:A", p, name);
        redis_send(3, set);

    } else {
        snprintf(key, sizeof(key), "%s:zones:%s", p, name);
        redis_send(4, hset);
    }
}


/* one-line replies; returns how many there were */

static unsigned
redis_replies(void)
{
    char      buf[65536];
    ssize_t   n, i;
    unsigned  lines;

    static int  start = 1;

    n = recv(redis, buf, sizeof(buf), MSG_DONTWAIT);

    if (n == 0 || (n == -1 && errno != EAGAIN)) {
        die("redis");
    }

    lines = 0;

    for (i = 0; i < n; i++) {
        if (start && buf[i] == '-') {
            fprintf(stderr, "redis_storm: error reply: %.*s\n",
                    (int) (n - i), buf + i);
            exit(1);
        }

        start = (buf[i] == '\n');
        lines += start;
    }

    return lines;
}


static int
dns_socket(void)
{
    int                 fd;
    struct sockaddr_in  sin;

    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(o.port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    fd = socket(AF_INET, SOCK_DGRAM, 0);

    if (fd == -1 || connect(fd, (struct sockaddr *) &sin, sizeof(sin)) == -1) {
        die("udp socket");
    }

    return fd;
}


static void
dns_ask(int fd, uint32_t zone, unsigned id)
{
    int            n;
    char           label[32];
    unsigned char  q[128] = { 0 }, *p;

    static const unsigned char  head[] = { 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 };
    static const unsigned char  opt[] = {
        0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 4, 0, 3, 0, 0
    };
    static const unsigned char  rest[] = "\3www";
    static const unsigned char  tail_[] = "\5storm\4test\0\0\1\0\1";

    q[0] = id >> 8;
    q[1] = id;
    memcpy(q + 2, head, sizeof(head));
    p = q + 12;
    memcpy(p, rest, 4);
    p += 4;
    n = sprintf(label, "z%u", zone);
    *p++ = n;
    memcpy(p, label, n);
    p += n;
    memcpy(p, tail_, 16);
    p += 16;
    memcpy(p, opt, sizeof(opt));
    p += sizeof(opt);

    (void) send(fd, q, p - q, MSG_DONTWAIT);
}


/*
 * An answer: its id, rcode, the last three octets of the address, the NSID.
 * Returns 0 if there is none.
 */

static int
dns_read(int fd, unsigned *id, unsigned *rcode, uint32_t *value, char *nsid)
{
    ssize_t        n;
    unsigned       len;
    unsigned char  b[2048], *p, *last;

    n = recv(fd, b, sizeof(b), MSG_DONTWAIT);

    if (n < 12) {
        return 0;
    }

    last = b + n;
    *id = b[0] << 8 | b[1];
    *rcode = b[3] & 15;
    *value = 0;
    nsid[0] = '\0';

    for (p = b + 12; p < last && *p; p += *p + 1) { /* void */ }
    p += 5;

    if (b[7] == 1 && p + 16 <= last) {
        *value = p[13] << 16 | p[14] << 8 | p[15];
    }

    /* NSID is the last option of the last record */

    for (p = last - 4; p > b + 12; p--) {
        len = p[2] << 8 | p[3];

        if (p[0] == 0 && p[1] == 3 && len && len < 63 && p + 4 + len == last) {
            memcpy(nsid, p + 4, len);
            nsid[len] = '\0';
            break;
        }
    }

    return 1;
}


static void
find_workers(void)
{
    int            i, fd;
    char           nsid[64];
    unsigned       k, id, rcode;
    uint32_t       value;
    struct pollfd  pfd;

    for (i = 0; i < SOCKETS && nworkers < o.workers; i++) {
        fd = dns_socket();
        dns_ask(fd, 0, 1);
        pfd.fd = fd;
        pfd.events = POLLIN;

        if (poll(&pfd, 1, 1000) != 1
            || !dns_read(fd, &id, &rcode, &value, nsid) || !nsid[0])
        {
            close(fd);
            continue;
        }

        for (k = 0; k < nworkers && strcmp(workers[k].id, nsid); k++) {
            /* void */
        }

        if (k < nworkers) {
            close(fd);
            continue;
        }

        strcpy(workers[k].id, nsid);
        workers[k].fd = fd;
        nworkers++;
    }

    if (nworkers < o.workers) {
        fprintf(stderr, "redis_storm: only %u of %u workers answer\n",
                nworkers, o.workers);
        exit(1);
    }
}


/* all writes up to now, each seen by every worker */

static void
look(uint64_t t)
{
    char       nsid[64];
    entry_t   *e;
    unsigned   k, id, rcode;
    uint32_t   value;
    uint64_t   n;

    for (k = 0; k < nworkers; k++) {
        while (dns_read(workers[k].fd, &id, &rcode, &value, nsid)) {

            if (strcmp(nsid, workers[k].id)) {
                continue;               /* a new worker behind this port */
            }

            e = &entries[id];

            if (e->left == 0 || e->acked == 0 || e->next[k] == 0) {
                continue;
            }

            if (rcode != 0) {
                refused++;
                continue;
            }

            if (value < e->value) {
                workers[k].old++;
                e->next[k] = t + ASK_AGAIN;
                continue;
            }

            if (value > values[e->zone]) {
                wrong++;
            }

            workers[k].right++;
            e->next[k] = 0;

            if (--e->left == 0) {
                hist_add(&delay, t - e->acked, 1);
            }
        }
    }

    for (n = tail; n < acked; n++) {
        e = &entries[n % ENTRIES];

        if (e->left && t - e->acked > o.limit) {
            e->left = 0;
            failed++;
        }

        for (k = 0; e->left && k < nworkers; k++) {
            if (e->next[k] && e->next[k] <= t) {
                dns_ask(workers[k].fd, e->zone, n % ENTRIES);
                e->next[k] = t + ASK_LOST;
            }
        }

        if (n == tail && e->left == 0) {
            tail++;
        }
    }
}


static void
write_next(uint32_t zone)
{
    entry_t   *e;

    e = &entries[head % ENTRIES];
    memset(e, 0, sizeof(entry_t));
    e->zone = zone;
    e->value = ++values[zone];
    e->left = nworkers;
    zone_write(zone, e->value, 0);
    head++;
}


static void
acknowledge(uint64_t t)
{
    unsigned   i, k, n;
    entry_t   *e;

    n = redis_replies();

    for (i = 0; i < n; i++, acked++) {
        e = &entries[acked % ENTRIES];
        e->acked = t;

        for (k = 0; k < nworkers; k++) {
            e->next[k] = t;
        }
    }
}


static void
put_all(void)
{
    int        i;
    uint64_t   want, got;

    want = 0;
    got = 0;

    for (i = 0; i < o.zones; i++) {
        values[i] = 1;
        zone_write(i, 1, 1);
        want += o.l4 ? 3 : 2;

        if (i % 100 == 99) {
            redis_flush();
            got += redis_replies();
        }
    }

    redis_flush();

    while (got < want) {
        poll(&(struct pollfd) { redis, POLLIN, 0 }, 1, 1000);
        got += redis_replies();
    }
}


static void
wait_all(void)
{
    int            fd, i, tries;
    char           nsid[64];
    unsigned       id, rcode;
    uint32_t       value;
    struct pollfd  pfd;

    fd = dns_socket();
    pfd.fd = fd;
    pfd.events = POLLIN;

    for (i = 0, tries = 0; i < o.zones; /* void */ ) {
        dns_ask(fd, i, 7);

        if (poll(&pfd, 1, 200) == 1
            && dns_read(fd, &id, &rcode, &value, nsid)
            && rcode == 0 && value == values[i])
        {
            i++;
            tries = 0;
            continue;
        }

        if (++tries > 3000) {
            fprintf(stderr, "redis_storm: zone %d is not served\n", i);
            exit(1);
        }

        usleep(10000);
    }

    close(fd);
}


static void
storm(void)
{
    int        n;
    uint64_t   start, t, next, end, cut;
    char       buf[4096];

    static const char  kill_[] = "*4\r\n$6\r\nCLIENT\r\n$4\r\nKILL\r\n"
                                 "$4\r\nTYPE\r\n$6\r\npubsub\r\n";

    start = now();
    next = start;
    end = start + o.seconds * 1000000000ull;
    cut = o.cut ? start + o.cut * 1000000000ull : 0;

    for ( ;; ) {
        t = now();

        if (t >= end && tail == head) {
            break;
        }

        for (n = 0; t < end && next <= t && head - tail < ENTRIES - 1
             && n < 100; n++)
        {
            write_next(head % o.zones);
            next += 1000000000ull / o.rate;
        }

        if (outlen) {
            redis_flush();
        }

        if (cut && t >= cut && t < end) {
            if (write(killer, kill_, sizeof(kill_) - 1) == -1) {
                die("kill");
            }

            cut += o.cut * 1000000000ull;
            cuts++;
        }

        if (o.cut) {
            (void) recv(killer, buf, sizeof(buf), MSG_DONTWAIT);
        }

        acknowledge(now());
        look(now());

        usleep(100);
    }
}


static void
options(int argc, char **argv)
{
    int  c;

    while ((c = getopt(argc, argv, "p:s:n:z:r:d:l:k:t:i")) != -1) {
        switch (c) {
        case 'p': o.port = atoi(optarg); break;
        case 's': o.redis = optarg; break;
        case 'n': o.workers = atoi(optarg); break;
        case 'z': o.zones = atoi(optarg); break;
        case 'r': o.rate = atoi(optarg); break;
        case 'd': o.seconds = atoi(optarg); break;
        case 'l': o.l4 = !strcmp(optarg, "l4"); break;
        case 'k': o.cut = atoi(optarg); break;
        case 't': o.limit = atoi(optarg) * 1000000ull; break;
        case 'i': o.init = 1; break;
        default: exit(2);
        }
    }

    if (o.redis == NULL || o.workers > WORKERS_MAX || o.zones < 1) {
        fprintf(stderr, "redis_storm: see the head of redis_storm.c\n");
        exit(2);
    }
}


int
main(int argc, char **argv)
{
    unsigned  k;

    options(argc, argv);

    values = calloc(o.zones, sizeof(uint32_t));
    redis = redis_connect();
    killer = redis_connect();

    put_all();

    if (o.init) {
        return 0;
    }

    wait_all();
    find_workers();
    storm();

    printf("{ \"writes\": %lu, \"seen\": %lu, \"failed\": %lu, "
           "\"wrong\": %lu, \"rcode\": %lu, \"cuts\": %lu, "
           "\"ms\": { \"p50\": %.2f, \"p90\": %.2f, \"p99\": %.2f, "
           "\"p999\": %.2f, \"max\": %.2f }, \"workers\": {",
           head, delay.count, failed, wrong, refused, cuts,
           hist_quantile(&delay, 0.5) / 1e6, hist_quantile(&delay, 0.9) / 1e6,
           hist_quantile(&delay, 0.99) / 1e6,
           hist_quantile(&delay, 0.999) / 1e6, delay.max / 1e6);

    for (k = 0; k < nworkers; k++) {
        printf("%s \"%s\": [ %u, %u ]", k ? "," : "", workers[k].id,
               workers[k].right, workers[k].old);
    }

    printf(" } }\n");

    return failed || wrong || refused;
}
