
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Any octets as the data of a client subnet option.  What is not as RFC 7871
 * wants it is a form error; what is comes back as it was, with a scope that
 * its family has, and the answer is that of the address in it.
 *
 *     1 octet   which name is asked, 0x80: off, 0x40: over TCP, 0x20: twice
 *     the rest  the option's data
 */


#include "shim.h"
#include "check.h"
#include "places.h"
#include "zonetext.h"
#include "ngx_dns_ecs.h"


#define OFF    0x80
#define TCP    0x40
#define TWICE  0x20


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(void);
static size_t query(u_char *p, ngx_uint_t mode, const uint8_t *data,
    size_t size);
static ngx_uint_t sound(const uint8_t *data, size_t size);
static const u_char *option(const u_char *msg, size_t n, size_t *len);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static const char  *names[] = {
    "\3geo\1c\4test", "\6sticky\1c\4test", "\3all\1c\4test",
    "\5plain\1c\4test", "\2mx\1c\4test", "\2no\1c\4test", "\1x\1y", "\1c\4test"
};

static ngx_pool_t        *pool;
static check_reply_t      check;
static ngx_dns_zone_t    *zone;
static ngx_dns_writer_t  *writer;
static ngx_dns_answer_t  *answer;


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char                *packet, *buf;
    size_t                 n, len, room;
    ngx_uint_t             mode, good;
    const u_char          *ecs;
    ngx_dns_query_t        q;
    ngx_dns_reply_t       *reply;
    ngx_dns_transport_t    t;
    ngx_dns_answer_conf_t  conf;

    if (size < 1 || size > 1024) {
        return 0;
    }

    make();

    mode = *data++;
    size--;

    packet = calloc(1, 4096);
    n = query(packet, mode, data, size);

    check_that(ngx_dns_query_parse(&q, packet, n, 0, &key)
               == NGX_DNS_VERDICT_ANSWER);

    memset(&t, 0, sizeof(t));
    memset(&conf, 0, sizeof(conf));

    conf.max_ttl = 0xffffffff;
    conf.ecs = !(mode & OFF);
    t.udp_size = 1232;
    t.tcp = !!(mode & TCP);
    room = t.tcp ? NGX_DNS_MESSAGE_MAX : 1232;

    q.client = (u_char *) "\120\0\0\1";
    q.client_len = 4;

    reply = ngx_dns_answer(answer, &conf, &q,
                           (mode & 7) == 6 ? NULL : zone, &t);

    buf = malloc(room);
    len = 0;
    n = ngx_dns_write(writer, &q, reply, &t, buf, room);

    check_reply(&check, buf, n, &q);

    ecs = option(buf, n, &len);
    good = sound(data, size) && !(mode & TWICE);

    if (mode & OFF) {
        check_that(ecs == NULL && check.rcode != NGX_DNS_FORMERR);

    } else if (!good) {
        check_that(ecs == NULL && check.rcode == NGX_DNS_FORMERR);

    } else {
        check_that(check.rcode != NGX_DNS_FORMERR && ecs != NULL);
        check_that(len == size && ecs[0] == data[0] && ecs[1] == data[1]
                   && ecs[2] == data[2]
                   && memcmp(ecs + 4, data + 4, size - 4) == 0);
        check_that(ecs[3] <= (data[1] == 1 ? 32 : 128));
        check_that(data[2] != 0 || ecs[3] == 0);
    }

    free(packet);
    free(buf);

    return 0;
}


static void
make(void)
{
    ngx_uint_t         i;
    places_t          *geo;
    ngx_dns_places_t  *places;

    static const char  *countries[] = { "DE", "AT", NULL, "US" };

    if (pool != NULL) {
        return;
    }

    pool = shim_pool();
    writer = ngx_dns_writer_create(pool, &key);
    answer = ngx_dns_answer_create(pool, &key);
    places = ngx_dns_answer_places(answer);

    geo = places_create();
    places_use(places, geo);

    for (i = 0; i < PLACES_NETWORKS; i++) {
        places_set(geo, NGX_DNS_GEO_COUNTRY, i,
                   places_letters(countries[i & 3]), 16 + i % 49);
        places_set(geo, NGX_DNS_GEO_ASN, i, i % 7, 16 + i % 17);
    }

    zone_add("@ 60 SOA a b 1 2 3 4 5\n@ 60 NS plain\n"
             "plain 60 A 192.0.2.1\nmx 60 MX 1 geo\n"
             "geo 60 A 192.0.2.1\ngeo 60 A 192.0.2.2\n"
             ";! geo choose A asn country weighted | cc=DE as=3 w=7 | w=1\n"
             "sticky 60 A 192.0.2.1\nsticky 60 A 192.0.2.2\n"
             ";! sticky choose A single sticky | w=1 | w=3\n"
             "all 60 A 192.0.2.1\nall 60 A 192.0.2.2\n"
             ";! all choose A country strict | cc=DE | cc=AT\n");

    zone = zone_compile("c.test.", &key);
}


static size_t
query(u_char *packet, ngx_uint_t mode, const uint8_t *data, size_t size)
{
    u_char      *p;
    ngx_uint_t   i, k;

    k = (mode & TWICE) ? 2 : 1;

    packet[5] = 1;
    packet[11] = 1;

    p = packet + NGX_DNS_HEADER_SIZE;
    i = mode & 7;
    p = ngx_cpymem(p, names[i], strlen(names[i]) + 1);
    p = ngx_dns_put16(p, i == 4 ? NGX_DNS_TYPE_MX : NGX_DNS_TYPE_A);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);

    *p++ = 0;
    p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
    p = ngx_dns_put16(p, 1232);
    p = ngx_dns_put32(p, 0);
    p = ngx_dns_put16(p, k * (4 + size));

    while (k-- > 0) {
        p = ngx_dns_put16(p, 8);
        p = ngx_dns_put16(p, size);
        p = ngx_cpymem(p, data, size);
    }

    return p - packet;
}


/* RFC 7871, 6, bit by bit */

static ngx_uint_t
sound(const uint8_t *data, size_t size)
{
    size_t  bit;

    if (size < 4 || data[0] != 0 || data[1] > 2 || data[3] != 0
        || data[2] > (data[1] == 0 ? 0 : data[1] == 1 ? 32 : 128)
        || size != 4 + ((size_t) data[2] + 7) / 8)
    {
        return 0;
    }

    for (bit = data[2]; bit < 8 * (size - 4); bit++) {
        if (data[4 + bit / 8] & (0x80 >> bit % 8)) {
            return 0;
        }
    }

    return 1;
}


/* the data of the option in a reply whose last record is OPT, or NULL */

static const u_char *
option(const u_char *msg, size_t n, size_t *len)
{
    const u_char  *p, *last, *found;

    last = msg + n;
    found = NULL;

    for (p = msg + NGX_DNS_HEADER_SIZE; p + 11 <= last; p++) {

        if (p[0] == 0 && ngx_dns_get16(p + 1) == NGX_DNS_TYPE_OPT
            && ngx_dns_get16(p + 3) == 1232
            && p + 11 + ngx_dns_get16(p + 9) == last)
        {
            break;
        }
    }

    for (p += 11; p + 4 <= last; p += 4 + ngx_dns_get16(p + 2)) {

        if (ngx_dns_get16(p) == 8) {
            check_that(found == NULL);
            found = p + 4;
            *len = ngx_dns_get16(p + 2);
        }
    }

    return found;
}
