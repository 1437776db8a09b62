
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Places and states of health as tests want them: what is known of an address
 * goes by its first 16 bits.
 */


#ifndef _PLACES_H_INCLUDED_
#define _PLACES_H_INCLUDED_


#include <stdlib.h>
#include <string.h>
#include "ngx_dns_health.h"
#include "ngx_dns_places.h"


#define PLACES_NETWORKS  65536
#define PLACES_SLOTS     64


typedef struct {
    ngx_dns_geo_t   head;
    float           points[256][3];
    uint32_t        index[NGX_DNS_GEO_INDEX];
    uint32_t        pad;
    uint32_t        starts[PLACES_NETWORKS];
    uint64_t        starts6[PLACES_NETWORKS];
    uint32_t        values[NGX_DNS_GEO_FACTS][2][PLACES_NETWORKS];
    uint8_t         bits[NGX_DNS_GEO_FACTS][2][PLACES_NETWORKS];
} places_t;

typedef struct {
    ngx_dns_health_t       head;
    ngx_dns_health_slot_t  slots[PLACES_SLOTS];
} places_health_t;


/* a block in which nothing is known; bits are 16 */

static inline places_t *
places_create(void)
{
    size_t               i;
    places_t            *p;
    ngx_uint_t           fact, v6;
    ngx_dns_geo_list_t  *list;

    p = calloc(1, sizeof(places_t));

    p->head.magic = NGX_DNS_GEO_MAGIC;
    p->head.version = NGX_DNS_GEO_VERSION;
    p->head.size = sizeof(places_t);
    p->head.npoints = 256;
    p->head.points = offsetof(places_t, points);

    for (i = 0; i < PLACES_NETWORKS; i++) {
        p->index[i] = (uint32_t) i;
        p->starts[i] = (uint32_t) i << 16;
        p->starts6[i] = (uint64_t) i << 48;
    }

    p->index[PLACES_NETWORKS] = PLACES_NETWORKS - 1;

    memset(p->bits, 16, sizeof(p->bits));

    for (fact = 0; fact < NGX_DNS_GEO_FACTS; fact++) {

        for (v6 = 0; v6 < 2; v6++) {
            list = &p->head.lists[fact][v6];
            list->n = PLACES_NETWORKS;
            list->index = offsetof(places_t, index);
            list->starts = v6 ? offsetof(places_t, starts6)
                              : offsetof(places_t, starts);
            list->values = offsetof(places_t, values[fact][v6]);
            list->bits = offsetof(places_t, bits[fact][v6]);
        }
    }

    return p;
}


static inline void
places_use(ngx_dns_places_t *places, places_t *p)
{
    ngx_uint_t  fact;

    for (fact = 0; fact < NGX_DNS_GEO_FACTS; fact++) {
        places->geo[fact][0] = &p->head;
        places->geo[fact][1] = &p->head;
    }

    places->ready = 1;
}


/* a fact of all addresses that begin with these two octets */

static inline void
places_set(places_t *p, ngx_uint_t fact, ngx_uint_t network, uint32_t value,
    ngx_uint_t bits)
{
    ngx_uint_t  v6;

    for (v6 = 0; v6 < 2; v6++) {
        p->values[fact][v6][network] = value;
        p->bits[fact][v6][network] = (uint8_t) bits;
    }
}


static inline uint32_t
places_letters(const char *text)
{
    return (text == NULL) ? 0 : (uint32_t) text[0] << 8 | (u_char) text[1];
}


static inline void
places_health_init(places_health_t *h)
{
    memset(h, 0, sizeof(places_health_t));

    h->head.magic = NGX_DNS_HEALTH_MAGIC;
    h->head.version = NGX_DNS_HEALTH_VERSION;
    h->head.size = sizeof(places_health_t);
    h->head.nslots = PLACES_SLOTS;
    h->head.slots = offsetof(places_health_t, slots);
}


static inline void
places_health(places_health_t *h, uint64_t id, ngx_uint_t state,
    ngx_uint_t turns)
{
    uint64_t  i;

    i = ngx_dns_health_home(&h->head, id);

    while (h->slots[i].id != 0 && h->slots[i].id != id) {
        i = (i + 1) & (PLACES_SLOTS - 1);
    }

    h->slots[i].id = id;
    h->slots[i].state = state | turns << 8;
}


#endif /* _PLACES_H_INCLUDED_ */
