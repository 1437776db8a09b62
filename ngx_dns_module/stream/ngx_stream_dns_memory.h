
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_STREAM_DNS_MEMORY_H_INCLUDED_
#define _NGX_STREAM_DNS_MEMORY_H_INCLUDED_


#include "ngx_dns_records.h"


/*
 * Memory for the reader and the compiler: mappings of their own, zeroed,
 * never a part of the heap.  Mappings of 2 MiB and more start at such a
 * boundary and ask for huge pages.
 */

extern ngx_dns_memory_t  ngx_stream_dns_memory;


/* Lets nobody write to a compiled zone any more. */
void ngx_stream_dns_memory_seal(void *p, size_t size);

/* Gives a compiled zone back. */
void ngx_stream_dns_memory_free(void *p, size_t size);


#endif /* _NGX_STREAM_DNS_MEMORY_H_INCLUDED_ */
