
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_memory.h"


#define NGX_STREAM_DNS_HUGE_PAGE  (2 * 1024 * 1024)
#define NGX_STREAM_DNS_PAGES      8


static void *ngx_stream_dns_memory_map(void *data, size_t size);
static void ngx_stream_dns_memory_unmap(void *data, void *p, size_t size);
static void *ngx_stream_dns_memory_trim(void *data, void *p, size_t size,
    size_t used);
static void *ngx_stream_dns_memory_map_huge(size_t size);


ngx_dns_memory_t  ngx_stream_dns_memory = {
    ngx_stream_dns_memory_map,
    ngx_stream_dns_memory_unmap,
    ngx_stream_dns_memory_trim,
    NULL
};


/*
 * A small zone needs a few pages for some microseconds each: they are kept
 * for the next zone.
 */

static void        *ngx_stream_dns_memory_pages[NGX_STREAM_DNS_PAGES];
static ngx_uint_t   ngx_stream_dns_memory_npages;


static void *
ngx_stream_dns_memory_map(void *data, size_t size)
{
    void  *p;

    if (size <= ngx_pagesize && ngx_stream_dns_memory_npages != 0) {
        p = ngx_stream_dns_memory_pages[--ngx_stream_dns_memory_npages];
        ngx_memzero(p, ngx_pagesize);

        return p;
    }

    if (size >= NGX_STREAM_DNS_HUGE_PAGE) {
        return ngx_stream_dns_memory_map_huge(ngx_align(size, ngx_pagesize));
    }

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS,
             -1, 0);

    return (p == MAP_FAILED) ? NULL : p;
}


/*
 * The kernel aligns nothing to huge pages by itself: more is mapped and
 * both ends are given back.  What lies behind the last whole huge page
 * takes small pages, so nothing is lost by rounding.
 */

static void *
ngx_stream_dns_memory_map_huge(size_t size)
{
    u_char  *p, *start;
    size_t   head;

    p = mmap(NULL, size + NGX_STREAM_DNS_HUGE_PAGE, PROT_READ|PROT_WRITE,
             MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        return NULL;
    }

    start = ngx_align_ptr(p, NGX_STREAM_DNS_HUGE_PAGE);
    head = start - p;

    if (head != 0) {
        (void) munmap(p, head);
    }

    if (head != NGX_STREAM_DNS_HUGE_PAGE) {
        (void) munmap(start + size, NGX_STREAM_DNS_HUGE_PAGE - head);
    }

    /* a kernel without huge pages says EINVAL: small ones will do */

    (void) madvise(start, size, MADV_HUGEPAGE);

    return start;
}


static void
ngx_stream_dns_memory_unmap(void *data, void *p, size_t size)
{
    if (size <= ngx_pagesize
        && ngx_stream_dns_memory_npages < NGX_STREAM_DNS_PAGES)
    {
        ngx_stream_dns_memory_pages[ngx_stream_dns_memory_npages++] = p;
        return;
    }

    ngx_stream_dns_memory_free(p, size);
}


static void *
ngx_stream_dns_memory_trim(void *data, void *p, size_t size, size_t used)
{
    size = ngx_align(size, ngx_pagesize);
    used = ngx_align(used, ngx_pagesize);

    if (used < size) {
        (void) munmap((u_char *) p + used, size - used);
    }

    return p;
}


void
ngx_stream_dns_memory_seal(void *p, size_t size)
{
    /* a protection against our own faults only: without it all works too */

    (void) mprotect(p, ngx_align(size, ngx_pagesize), PROT_READ);
}


void
ngx_stream_dns_memory_free(void *p, size_t size)
{
    (void) munmap(p, ngx_align(size, ngx_pagesize));
}
