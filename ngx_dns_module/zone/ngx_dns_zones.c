
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_zones.h"


typedef struct {
    uint64_t            hash;
    ngx_dns_zone_t     *zone;           /* NULL: the slot is free */
} ngx_dns_zones_slot_t;

struct ngx_dns_zones_s {
    uint64_t              mask;         /* slots - 1 */
    ngx_dns_zones_slot_t *slots;        /* at most half of them in use */
    ngx_uint_t            min_labels;
    ngx_uint_t            max_labels;
};


static ngx_dns_zone_t *ngx_dns_zones_probe(const ngx_dns_zones_t *zones,
    const ngx_dns_name_t *name, ngx_uint_t i);


ngx_dns_zones_t *
ngx_dns_zones_create(ngx_pool_t *pool, ngx_dns_zone_t **zone, ngx_uint_t n,
    ngx_dns_key_t *key)
{
    size_t            size;
    uint64_t          slot;
    ngx_uint_t        i;
    ngx_dns_name_t    name;
    ngx_dns_zones_t  *zones;

    zones = ngx_pcalloc(pool, sizeof(ngx_dns_zones_t));
    if (zones == NULL) {
        return NULL;
    }

    for (size = 4; size < 2 * n; size *= 2) {
        /* void */
    }

    zones->slots = ngx_pcalloc(pool, size * sizeof(ngx_dns_zones_slot_t));
    if (zones->slots == NULL) {
        return NULL;
    }

    zones->mask = size - 1;
    zones->min_labels = NGX_DNS_LABELS_MAX + 1;

    for (i = 0; i < n; i++) {
        ngx_dns_name_set(&name, zone[i]->name, key);

        slot = name.hash[0] & zones->mask;

        while (zones->slots[slot].zone != NULL) {
            slot = (slot + 1) & zones->mask;
        }

        zones->slots[slot].hash = name.hash[0];
        zones->slots[slot].zone = zone[i];

        zones->min_labels = ngx_min(zones->min_labels, name.labels);
        zones->max_labels = ngx_max(zones->max_labels, name.labels);
    }

    return zones;
}


static ngx_dns_zone_t *
ngx_dns_zones_probe(const ngx_dns_zones_t *zones, const ngx_dns_name_t *name,
    ngx_uint_t i)
{
    size_t                 len;
    uint64_t               slot;
    const u_char          *wire;
    ngx_dns_zone_t        *zone;

    wire = name->wire + name->offset[i];
    len = name->len - name->offset[i];
    slot = name->hash[i] & zones->mask;

    for ( ;; ) {
        zone = zones->slots[slot].zone;

        if (zone == NULL) {
            return NULL;
        }

        if (zones->slots[slot].hash == name->hash[i]
            && zone->name_len == len
            && ngx_dns_name_same(zone->name, wire, len))
        {
            return zone;
        }

        slot = (slot + 1) & zones->mask;
    }
}


ngx_dns_zone_t *
ngx_dns_zones_find(const ngx_dns_zones_t *zones, const ngx_dns_name_t *name,
    ngx_uint_t above)
{
    ngx_uint_t       i;
    ngx_dns_zone_t  *zone, *own;

    i = (name->labels > zones->max_labels)
            ? name->labels - zones->max_labels : 0;
    own = NULL;

    for ( /* void */ ; i + zones->min_labels <= name->labels; i++) {

        zone = ngx_dns_zones_probe(zones, name, i);

        if (zone != NULL) {

            if (i != 0 || !above) {
                return zone;
            }

            own = zone;
        }
    }

    return own;
}


ngx_dns_zone_t *
ngx_dns_zones_next(const ngx_dns_zones_t *zones, ngx_uint_t *cursor)
{
    ngx_dns_zone_t  *zone;

    while (*cursor <= zones->mask) {

        zone = zones->slots[(*cursor)++].zone;

        if (zone != NULL) {
            return zone;
        }
    }

    return NULL;
}
