
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_ecs.h"


#define NGX_DNS_ECS_MAPPED  96          /* bits in front of an IPv4 address */


static void ngx_dns_ecs_unmap(ngx_dns_ecs_t *ecs);


static const u_char  ngx_dns_ecs_prefix[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff
};


ngx_int_t
ngx_dns_ecs_parse(ngx_dns_ecs_t *ecs, const u_char *data, size_t len)
{
    size_t      n;
    ngx_uint_t  family, source, scope, rest;

    if (len < 4) {
        return NGX_ERROR;
    }

    family = ngx_dns_get16(data);
    source = data[2];
    scope = data[3];
    n = (source + 7) / 8;

    if (scope != 0 || len != 4 + n) {
        return NGX_ERROR;
    }

    switch (family) {

    case NGX_DNS_ECS_INET:
        if (source > 32) {
            return NGX_ERROR;
        }
        break;

    case NGX_DNS_ECS_INET6:
        if (source > 128) {
            return NGX_ERROR;
        }
        break;

    case 0:
        if (source != 0) {
            return NGX_ERROR;
        }
        break;

    default:
        return NGX_ERROR;
    }

    rest = source % 8;

    if (rest != 0 && (data[3 + n] & (0xff >> rest))) {
        return NGX_ERROR;
    }

    ngx_memzero(ecs, sizeof(ngx_dns_ecs_t));
    ngx_memcpy(ecs->address, data + 4, n);

    ecs->bits = (uint8_t) source;

    if (source != 0) {
        ecs->len = (family == NGX_DNS_ECS_INET) ? 4 : 16;
        ngx_dns_ecs_unmap(ecs);
    }

    return NGX_OK;
}


void
ngx_dns_ecs_address(ngx_dns_ecs_t *ecs, const u_char *address, size_t len)
{
    ngx_memzero(ecs, sizeof(ngx_dns_ecs_t));

    if (len == 0) {
        return;
    }

    ngx_memcpy(ecs->address, address, len);

    ecs->len = (uint8_t) len;
    ecs->bits = (uint8_t) (8 * len);

    ngx_dns_ecs_unmap(ecs);
}


static void
ngx_dns_ecs_unmap(ngx_dns_ecs_t *ecs)
{
    if (ecs->len != 16 || ecs->bits < NGX_DNS_ECS_MAPPED
        || ngx_memcmp(ecs->address, ngx_dns_ecs_prefix,
                      sizeof(ngx_dns_ecs_prefix))
           != 0)
    {
        return;
    }

    ngx_memmove(ecs->address, ecs->address + 12, 4);
    ngx_memzero(ecs->address + 4, 12);

    ecs->len = 4;
    ecs->bits -= NGX_DNS_ECS_MAPPED;
    ecs->mapped = 1;
}


ngx_uint_t
ngx_dns_ecs_scope(const ngx_dns_ecs_t *ecs, ngx_uint_t bits)
{
    bits = ngx_min(bits, 8 * (ngx_uint_t) ecs->len);

    if (bits == 0) {
        return 0;
    }

    return ecs->mapped ? bits + NGX_DNS_ECS_MAPPED : bits;
}
