
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * What the compiler makes must pass as a zone from a file, and come out as it
 * was: a program that compiles a zone and finds otherwise ends here.
 */


#ifndef _VERIFIED_H_INCLUDED_
#define _VERIFIED_H_INCLUDED_


#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ngx_dns_verify.h"


static inline void
verified(const ngx_dns_zone_t *zone, ngx_dns_key_t *key)
{
    void        *p;
    size_t       n;
    const char  *err;

    n = 4 * (size_t) zone->buckets;
    err = "it comes out in another form";

    p = aligned_alloc(64, zone->size);
    memcpy(p, zone, n);
    memset((u_char *) p + n, 0xff, zone->size - n);

    if (ngx_dns_zone_verify(p, zone->size, key, &err) != NGX_OK
        || memcmp(p, zone, zone->size) != 0)
    {
        fprintf(stderr, "a zone from the compiler is refused: %s\n", err);
        abort();
    }

    free(p);
}


#endif /* _VERIFIED_H_INCLUDED_ */
