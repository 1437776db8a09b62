
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Memory for records and zones on malloc(), so that the sanitizers see every
 * octet too far; what is mapped and not unmapped is counted.
 */


#ifndef _MEMORY_H_INCLUDED_
#define _MEMORY_H_INCLUDED_


#include <stdlib.h>
#include <string.h>
#include "ngx_dns_records.h"


static long  memory_blocks;


static inline void *
memory_map(void *data, size_t size)
{
    memory_blocks++;

    return calloc(1, size);
}


static inline void
memory_unmap(void *data, void *p, size_t size)
{
    memory_blocks--;
    free(p);
}


/* a new block of just the size: what is behind it must not be touched */

static inline void *
memory_trim(void *data, void *p, size_t size, size_t used)
{
    void  *q;

    q = aligned_alloc(64, (used + 63) / 64 * 64);
    memcpy(q, p, used);
    free(p);

    return q;
}


static ngx_dns_memory_t  memory = { memory_map, memory_unmap, memory_trim,
                                    NULL };


#endif /* _MEMORY_H_INCLUDED_ */
