
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Asks one zone everything: each of its owners and what is beside, above and
 * below them, for many types, with and without DO, over UDP and TCP.
 */


#ifndef _ASKING_H_INCLUDED_
#define _ASKING_H_INCLUDED_


#include <string.h>
#include "shim.h"
#include "ngx_dns_answer.h"


#define ASKING_NAMES   64

typedef struct {
    ngx_dns_key_t      key;
    ngx_pool_t        *pool;
    ngx_dns_answer_t  *answer;
    ngx_dns_writer_t  *writer;
} asking_t;

typedef struct {
    u_char             name[ASKING_NAMES][NGX_DNS_NAME_MAX + 1];
    ngx_uint_t         n;
} asking_names_t;


static const uint16_t  asking_types[] = {
    NGX_DNS_TYPE_A, NGX_DNS_TYPE_NS, NGX_DNS_TYPE_SOA, NGX_DNS_TYPE_MX,
    NGX_DNS_TYPE_TXT, NGX_DNS_TYPE_CNAME, NGX_DNS_TYPE_DS, NGX_DNS_TYPE_SRV,
    NGX_DNS_TYPE_RRSIG, NGX_DNS_TYPE_NSEC, NGX_DNS_TYPE_HTTPS,
    NGX_DNS_TYPE_ANY, NGX_DNS_TYPE_NSEC3PARAM, NGX_DNS_TYPE_DNAME, 65280,
    65535
};

#define ASKING_TYPES  (sizeof(asking_types) / sizeof(asking_types[0]))


static inline void
asking_init(asking_t *a, uint64_t k0, uint64_t k1)
{
    a->key.k[0] = k0;
    a->key.k[1] = k1;
    a->pool = shim_pool();
    a->answer = ngx_dns_answer_create(a->pool, &a->key);
    a->writer = ngx_dns_writer_create(a->pool, &a->key);
}


/* labels in front of a name; nothing if that is too long */

static inline void
asking_add(asking_names_t *names, const char *label, const u_char *rel,
    size_t len, ngx_dns_zone_t *zone)
{
    u_char  *p;
    size_t   n;

    n = (size_t) label[0] + (label[0] != 0);

    if (names->n == ASKING_NAMES
        || n + len + zone->name_len > NGX_DNS_NAME_MAX)
    {
        return;
    }

    p = names->name[names->n++];
    p = ngx_cpymem(p, label, n);
    p = ngx_cpymem(p, rel, len);
    memcpy(p, zone->name, zone->name_len);
}


/* names of a sound zone, the first owners more often than the others */

static inline void
asking_names(asking_names_t *names, ngx_dns_zone_t *zone)
{
    uint32_t         i, step, *index;
    ngx_dns_node_t  *node;

    index = ngx_dns_zone_at(zone, zone->index);
    step = zone->nnodes / 16 + 1;
    names->n = 0;

    for (i = 0; i < zone->nnodes; i += (i < 8) ? 1 : step) {
        node = ngx_dns_zone_at(zone, index[i]);
        asking_add(names, "", node->name, node->len, zone);
        asking_add(names, "\002no", node->name, node->len, zone);
    }

    asking_add(names, "\001*", (u_char *) "", 0, zone);
    asking_add(names, "\001a", (u_char *) "\001b\001c\001d", 6, zone);
}


/* writes a question; returns its octets */

static inline size_t
asking_question(u_char *packet, const u_char *name, ngx_uint_t type,
    ngx_uint_t dnssec)
{
    u_char  *p;

    memset(packet, 0, NGX_DNS_HEADER_SIZE);
    packet[5] = 1;
    packet[11] = dnssec ? 1 : 0;

    p = ngx_cpymem(packet + NGX_DNS_HEADER_SIZE, name,
                   ngx_dns_name_len(name));
    p = ngx_dns_put16(p, type);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);

    if (dnssec) {
        *p++ = 0;
        p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
        p = ngx_dns_put16(p, 4096);
        p = ngx_dns_put32(p, 0x8000);
        p = ngx_dns_put16(p, 0);
    }

    return p - packet;
}


/* one reply, from a set of this zone alone; returns its octets */

static inline size_t
asking_reply(asking_t *a, ngx_dns_zones_t *zones, const u_char *name,
    ngx_uint_t type, ngx_uint_t dnssec, ngx_uint_t tcp, u_char *buf)
{
    u_char                 packet[NGX_DNS_NAME_MAX + 64];
    size_t                 n;
    ngx_dns_query_t        q;
    ngx_dns_zone_t        *zone;
    ngx_dns_transport_t    t;
    ngx_dns_answer_conf_t  conf;

    memset(&t, 0, sizeof(t));
    memset(&conf, 0, sizeof(conf));

    conf.zones = zones;
    conf.max_ttl = 0xffffffff;
    t.udp_size = 1232;
    t.tcp = (uint8_t) tcp;

    n = asking_question(packet, name, type, dnssec);

    if (ngx_dns_query_parse(&q, packet, n, 0, &a->key)
        != NGX_DNS_VERDICT_ANSWER)
    {
        return 0;
    }

    zone = ngx_dns_answer_locate(&conf, &q);

    if (zone != NULL) {
        ngx_dns_zone_prefetch_node(zone, &q.qname);
    }

    return ngx_dns_write(a->writer, &q,
                         ngx_dns_answer(a->answer, &conf, &q, zone, &t),
                         &t, buf, tcp ? NGX_DNS_MESSAGE_MAX : 4096);
}


#endif /* _ASKING_H_INCLUDED_ */
