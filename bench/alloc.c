
/*
 * Copyright (C) ngx_dns_module contributors
 *
 * Counts calls of the allocator: LD_PRELOAD=alloc.so BENCH_ALLOC=FILE nginx.
 * FILE holds one 64-bit counter per function, in the order of alloc_kind_e,
 * shared by all processes that inherit the mapping.
 */


#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>


typedef enum {
    alloc_malloc = 0,
    alloc_calloc,
    alloc_realloc,
    alloc_memalign,
    alloc_mmap,
    alloc_brk,
    alloc_kinds
} alloc_kind_e;


static void alloc_init(void) __attribute__((constructor));
static void alloc_count(alloc_kind_e kind);


extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);


static uint64_t  *alloc_counters;


static void *(*alloc_next_mmap)(void *, size_t, int, int, int, off_t);


static void
alloc_init(void)
{
    int          fd;
    void        *p;
    const char  *path;

    *(void **) &alloc_next_mmap = dlsym(RTLD_NEXT, "mmap");

    path = getenv("BENCH_ALLOC");

    if (path == NULL || alloc_next_mmap == NULL) {
        return;
    }

    fd = open(path, O_RDWR|O_CREAT, 0600);
    if (fd == -1) {
        return;
    }

    if (ftruncate(fd, alloc_kinds * sizeof(uint64_t)) == 0) {
        p = alloc_next_mmap(NULL, alloc_kinds * sizeof(uint64_t),
                            PROT_READ|PROT_WRITE, MAP_SHARED, fd, 0);

        if (p != MAP_FAILED) {
            alloc_counters = p;
        }
    }

    close(fd);
}


static void
alloc_count(alloc_kind_e kind)
{
    if (alloc_counters) {
        __atomic_fetch_add(&alloc_counters[kind], 1, __ATOMIC_RELAXED);
    }
}


void *
malloc(size_t size)
{
    alloc_count(alloc_malloc);

    return __libc_malloc(size);
}


void *
calloc(size_t n, size_t size)
{
    alloc_count(alloc_calloc);

    return __libc_calloc(n, size);
}


void *
realloc(void *p, size_t size)
{
    alloc_count(alloc_realloc);

    return __libc_realloc(p, size);
}


void *
memalign(size_t alignment, size_t size)
{
    alloc_count(alloc_memalign);

    return __libc_memalign(alignment, size);
}


void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}


int
posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = memalign(alignment, size);

    return *p ? 0 : ENOMEM;
}


void *
mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
    alloc_count(alloc_mmap);

    if (alloc_next_mmap == NULL) {
        *(void **) &alloc_next_mmap = dlsym(RTLD_NEXT, "mmap");
    }

    return alloc_next_mmap(addr, length, prot, flags, fd, offset);
}


void *
mmap64(void *addr, size_t length, int prot, int flags, int fd, off64_t offset)
{
    return mmap(addr, length, prot, flags, fd, offset);
}


void *
sbrk(intptr_t increment)
{
    static void *(*next)(intptr_t);

    if (next == NULL) {
        *(void **) &next = dlsym(RTLD_NEXT, "sbrk");
    }

    alloc_count(alloc_brk);

    return next(increment);
}
