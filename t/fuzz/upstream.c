
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Replies of resolvers.  The first octet says what was asked for: bit 0 AAAA,
 * bit 1 with a subnet; the rest is the reply, whose ID and question are made
 * right if bit 2 is set.  What is taken from it makes sense.
 */


#include "shim.h"
#include "check.h"
#include "ngx_dns_upstream.h"


#define NAME  "\1a\4test"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_sound(const ngx_dns_upstream_query_t *q,
    const ngx_dns_upstream_reply_t *r, const u_char *rrs);


static u_char  buf[NGX_DNS_UPSTREAM_DATA];


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char                    *packet, query[NGX_DNS_UPSTREAM_QUERY];
    size_t                     n;
    ngx_dns_upstream_query_t   q;
    ngx_dns_upstream_reply_t   r;

    if (size < 1) {
        return 0;
    }

    memset(&q, 0, sizeof(q));

    q.name = (u_char *) NAME;
    q.name_len = sizeof(NAME);
    q.id = 0x1234;
    q.type = (data[0] & 1) ? NGX_DNS_TYPE_AAAA : NGX_DNS_TYPE_A;
    q.edns = 1;

    if (data[0] & 2) {
        q.family = NGX_DNS_ECS_INET;
        q.bits = 20;
        q.network = (u_char *) "\x51\2\x40\0\0\0\0\0\0\0\0\0\0\0\0";
    }

    n = size - 1;
    packet = malloc(n ? n : 1);
    memcpy(packet, data + 1, n);

    if ((data[0] & 4) && n >= 12 + sizeof(NAME) + 4) {
        check_that(ngx_dns_upstream_write(&q, query) <= sizeof(query));

        memcpy(packet, query, 2);
        packet[2] = (packet[2] & 0x07) | 0x80;
        memcpy(packet + 4, query + 4, 2);
        memcpy(packet + 12, query + 12, sizeof(NAME) + 4);
    }

    if (ngx_dns_upstream_read(&q, packet, n, buf, &r) == NGX_OK && !r.tc) {
        fuzz_sound(&q, &r, buf);
    }

    free(packet);

    return 0;
}


static void
fuzz_sound(const ngx_dns_upstream_query_t *q,
    const ngx_dns_upstream_reply_t *r, const u_char *rrs)
{
    ngx_uint_t  i, size;

    size = (q->type == NGX_DNS_TYPE_A) ? 6 : 18;

    check_that(r->size == r->nrr * size);
    check_that(r->ttl <= NGX_DNS_UPSTREAM_TTL);
    check_that(r->scope <= q->bits);
    check_that(r->nrr == 0 || r->rcode == NGX_DNS_NOERROR);

    for (i = 0; i < r->nrr; i++) {
        check_that(ngx_dns_get16(rrs + i * size) == size - 2);
    }
}
