
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_module.h"


static ngx_int_t ngx_stream_dns_counters_init(ngx_shm_zone_t *zone,
    void *data);


static ngx_str_t  ngx_stream_dns_counters_zone = ngx_string("ngx_dns_counters");

static ngx_str_t  ngx_stream_dns_counters_names[] = {
    ngx_string("received_udp"),
    ngx_string("received_tcp"),
    ngx_string("received_tls"),
    ngx_string("drop_short"),
    ngx_string("drop_response"),
    ngx_string("drop_oversize"),
    ngx_string("drop_port_zero"),
    ngx_string("drop_denied"),
    ngx_string("drop_failed"),
    ngx_string("truncated"),
    ngx_string("send_full"),
    ngx_string("send_failed"),
    ngx_string("rcode_noerror"),
    ngx_string("rcode_formerr"),
    ngx_string("rcode_servfail"),
    ngx_string("rcode_nxdomain"),
    ngx_string("rcode_notimp"),
    ngx_string("rcode_refused"),
    ngx_string("rcode_yxdomain"),
    ngx_string("rcode_yxrrset"),
    ngx_string("rcode_nxrrset"),
    ngx_string("rcode_notauth"),
    ngx_string("rcode_notzone"),
    ngx_string("rcode_11"),
    ngx_string("rcode_12"),
    ngx_string("rcode_13"),
    ngx_string("rcode_14"),
    ngx_string("rcode_15"),
    ngx_string("rcode_badvers"),
    ngx_string("rcode_other"),
    ngx_string("tcp_accepted"),
    ngx_string("tcp_active"),
    ngx_string("tcp_idle_closed"),
    ngx_string("tcp_timeout"),
    ngx_string("tcp_error"),
    ngx_string("reenabled"),
    ngx_string("ecs"),
    ngx_string("choice_health"),
    ngx_string("choice_network"),
    ngx_string("choice_asn"),
    ngx_string("choice_country"),
    ngx_string("choice_continent"),
    ngx_string("choice_location"),
    ngx_string("choice_priority"),
    ngx_string("choice_order"),
    ngx_string("choice_nothing")
};


ngx_shm_zone_t *
ngx_stream_dns_counters_add(ngx_conf_t *cf)
{
    size_t           size;
    ngx_shm_zone_t  *zone;

    /* the slab keeps one head for each page beside the pages */

    size = NGX_MAX_PROCESSES * sizeof(ngx_stream_dns_counter_t);
    size = ngx_align(size + size / 16, ngx_pagesize) + 8 * ngx_pagesize;

    zone = ngx_shared_memory_add(cf, &ngx_stream_dns_counters_zone, size,
                                 &ngx_stream_dns_module);
    if (zone == NULL) {
        return NULL;
    }

    zone->init = ngx_stream_dns_counters_init;

    return zone;
}


static ngx_int_t
ngx_stream_dns_counters_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t  *shpool;

    if (data != NULL) {
        zone->data = data;
        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (zone->shm.exists) {
        zone->data = shpool->data;
        return NGX_OK;
    }

    zone->data = ngx_slab_calloc(shpool, NGX_MAX_PROCESSES
                                         * sizeof(ngx_stream_dns_counter_t));
    if (zone->data == NULL) {
        return NGX_ERROR;
    }

    shpool->data = zone->data;

    return NGX_OK;
}


ngx_stream_dns_counter_t *
ngx_stream_dns_counters_slot(ngx_shm_zone_t *zone)
{
    ngx_stream_dns_counter_t  *slots;

    slots = zone->data;
    slots += ngx_process_slot;

    /* a gauge: what a process that died has left here is void */

    slots->n[NGX_STREAM_DNS_TCP_ACTIVE] = 0;

    return slots;
}


uint64_t
ngx_stream_dns_counters_sum(ngx_shm_zone_t *zone, ngx_uint_t i)
{
    uint64_t                   sum;
    ngx_uint_t                 n;
    ngx_stream_dns_counter_t  *slots;

    sum = 0;
    slots = zone->data;

    for (n = 0; n < NGX_MAX_PROCESSES; n++) {
        sum += slots[n].n[i];
    }

    return sum;
}


ngx_str_t *
ngx_stream_dns_counters_name(ngx_uint_t i)
{
    return &ngx_stream_dns_counters_names[i];
}
