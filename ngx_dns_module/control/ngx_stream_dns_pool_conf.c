
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_stream.h>

#include "ngx_stream_dns_geoip.h"
#include "ngx_stream_dns_pool_conf.h"


#define NGX_STREAM_DNS_POOL_PLACES                                            \
    (NGX_DNS_CHOICE_ASN|NGX_DNS_CHOICE_COUNTRY|NGX_DNS_CHOICE_CONTINENT       \
     |NGX_DNS_CHOICE_LOCATION)


static void ngx_stream_dns_pool_networks(ngx_conf_t *cf,
    ngx_stream_dns_geoip_conf_t *gcf, ngx_dns_pool_t *p);
static ngx_uint_t ngx_stream_dns_pool_network(
    ngx_stream_dns_geoip_conf_t *gcf, uint32_t id);


char *
ngx_stream_dns_pools_finish(ngx_conf_t *cf,
    ngx_stream_dns_control_main_conf_t *cmcf)
{
    ngx_uint_t                    i;
    ngx_dns_pool_t              **pool;
    ngx_stream_dns_main_conf_t   *dmcf;
    ngx_stream_dns_geoip_conf_t  *gcf;

    dmcf = ngx_stream_conf_get_module_main_conf(cf, ngx_stream_dns_module);

    if (dmcf->pools == NULL) {
        return NGX_CONF_OK;
    }

    if (dmcf->check_file != NULL && cmcf->path == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"health_check\" in %s:%ui needs \"dns_state_path\"",
                      dmcf->check_file, dmcf->check_line);
        return NGX_CONF_ERROR;
    }

    gcf = cmcf->geoip;
    pool = dmcf->pools->all.elts;

    for (i = 0; i < dmcf->pools->all.nelts; i++) {

        if ((pool[i]->head.steps & NGX_STREAM_DNS_POOL_PLACES)
            && (gcf == NULL || gcf->geo.files.nelts == 0))
        {
            ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                          "dns_pool \"%V\" chooses by places, which nobody "
                          "knows without \"dns_geoip\"", &pool[i]->name);
        }

        ngx_stream_dns_pool_networks(cf, gcf, pool[i]);
    }

    return NGX_CONF_OK;
}


static void
ngx_stream_dns_pool_networks(ngx_conf_t *cf, ngx_stream_dns_geoip_conf_t *gcf,
    ngx_dns_pool_t *p)
{
    uint32_t                 id;
    ngx_uint_t               i, k;
    ngx_dns_pool_address_t  *a;

    a = p->addresses.elts;

    for (i = 0; i < p->addresses.nelts; i++) {
        for (k = 0; k < a[i].rr.nnetworks; k++) {
            id = ngx_dns_get32(a[i].rr.networks + 4 * k);

            if (id == NGX_DNS_CHOICE_ANY_NETWORK
                || ngx_stream_dns_pool_network(gcf, id))
            {
                continue;
            }

            ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                          "dns_pool \"%V\" has an address for a network that "
                          "no \"dns_network\" defines", &p->name);
            return;
        }
    }
}


static ngx_uint_t
ngx_stream_dns_pool_network(ngx_stream_dns_geoip_conf_t *gcf, uint32_t id)
{
    ngx_uint_t                 i;
    ngx_stream_dns_network_t  *network;

    if (gcf == NULL) {
        return 0;
    }

    network = gcf->names.elts;

    for (i = 0; i < gcf->names.nelts; i++) {
        if (network[i].id == id) {
            return 1;
        }
    }

    return 0;
}
