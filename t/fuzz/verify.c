
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Zones from files: the octets are a compiled zone without the buckets of
 * its hash, as in a snapshot.  If it is not refused, it is asked, and each
 * reply must be sound.  An input that passes must pass again, unchanged.
 */


#include "shim.h"
#include "check.h"
#include "asking.h"
#include "ngx_dns_verify.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void *block(const uint8_t *data, size_t n, size_t *size);
static void ask(ngx_dns_zone_t *zone);


static asking_t  asking;


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void        *p, *copy;
    size_t       n;
    const char  *err;

    if (asking.pool == NULL) {
        asking_init(&asking, 0x0123456789abcdefULL, 0xfedcba9876543211ULL);
    }

    p = block(data, size, &n);
    if (p == NULL) {
        return 0;
    }

    err = NULL;

    if (ngx_dns_zone_verify(p, n, &asking.key, &err) == NGX_OK) {
        ask(p);

        copy = aligned_alloc(64, n);
        memcpy(copy, p, n);
        check_that(ngx_dns_zone_verify(copy, n, &asking.key, &err)
                   == NGX_OK);
        check_that(memcmp(p, copy, n) == 0);
        free(copy);

    } else {
        check_that(err != NULL);
    }

    free(p);

    return 0;
}


/* with room for as many buckets as it says that it has, within reason */

static void *
block(const uint8_t *data, size_t n, size_t *size)
{
    u_char          *p;
    ngx_dns_zone_t   head;

    if (n < sizeof(ngx_dns_zone_t)) {
        return NULL;
    }

    memcpy(&head, data, sizeof(head));

    *size = (n + 63) / 64 * 64;
    *size += 64 * (size_t) ngx_min(head.nbuckets, n);

    p = aligned_alloc(64, *size);
    memset(p, 0xff, *size);
    memcpy(p, data, n);

    /* mutations of the size find nothing */

    ((ngx_dns_zone_t *) p)->size = *size;

    return p;
}


static void
ask(ngx_dns_zone_t *zone)
{
    size_t            n;
    ngx_uint_t        k, type, how;
    ngx_pool_t       *pool;
    asking_names_t    names;
    ngx_dns_zones_t  *zones;

    static u_char  buf[NGX_DNS_MESSAGE_MAX];

    pool = shim_pool();
    zones = ngx_dns_zones_create(pool, &zone, 1, &asking.key);

    asking_names(&names, zone);

    for (k = 0; k < names.n; k++) {

        for (type = k % 3; type < ASKING_TYPES; type += 3) {
            how = k + type;

            n = asking_reply(&asking, zones, names.name[k],
                             asking_types[type], how & 1, (how >> 1) & 1, buf);
            check_that(n == 0 || n >= NGX_DNS_HEADER_SIZE);
        }
    }

    ngx_destroy_pool(pool);
}
