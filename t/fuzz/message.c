
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Any octets as a message: the parser must survive, what it says of a sound
 * one must be true, and each reply must be a sound message.
 */


#include "shim.h"
#include "check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char                *packet, buf[NGX_DNS_MESSAGE_MAX];
    size_t                 n;
    ngx_uint_t             truncated, tcp;
    ngx_dns_query_t        q;
    ngx_dns_reply_t       *reply;
    ngx_dns_transport_t    t;
    ngx_dns_answer_conf_t  conf;

    static ngx_pool_t        *pool;
    static check_reply_t      check;
    static ngx_dns_writer_t  *writer;
    static ngx_dns_answer_t  *answer;

    if (pool == NULL) {
        pool = shim_pool();
        writer = ngx_dns_writer_create(pool, &key);
        answer = ngx_dns_answer_create(pool, &key);
    }

    if (size < 1 || size > NGX_DNS_MESSAGE_MAX) {
        return 0;
    }

    truncated = data[0] & 1;
    tcp = (data[0] >> 1) & 1;
    data++;
    size--;

    /* eight octets may be read behind the packet */

    packet = malloc(size + 8);
    memcpy(packet, data, size);
    memset(packet + size, 0xff, 8);

    if (ngx_dns_query_parse(&q, packet, size, truncated, &key)
        == NGX_DNS_VERDICT_DROP)
    {
        check_that(q.drop != NGX_DNS_DROP_NONE);
        free(packet);
        return 0;
    }

    memset(&t, 0, sizeof(t));
    memset(&conf, 0, sizeof(conf));

    conf.max_ttl = 0xffffffff;
    conf.chaos = 1;
    conf.ecs = 1;
    ngx_str_set(&conf.version, "v");
    ngx_str_set(&conf.hostname, "h");

    t.udp_size = 1232;
    t.tcp = (uint8_t) tcp;
    t.pad = tcp ? 468 : 0;
    t.keepalive = 100;
    ngx_str_set(&t.nsid, "fuzz");

    reply = NULL;

    if (q.verdict == NGX_DNS_VERDICT_ANSWER) {
        reply = ngx_dns_answer(answer, &conf, &q, NULL, &t);
    }

    n = ngx_dns_write(writer, &q, reply, &t, buf,
                      tcp ? sizeof(buf) : (size_t) 1232);

    check_that(n <= (tcp ? NGX_DNS_MESSAGE_MAX : 1232));
    check_reply(&check, buf, n, &q);

    if (q.verdict == NGX_DNS_VERDICT_ERROR) {
        check_that(check.rcode == q.rcode);
    }

    free(packet);

    return 0;
}
