
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _SHIM_H_INCLUDED_
#define _SHIM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Gives a pool whose every allocation is a malloc() of its own, so that
 * sanitizers and valgrind see where each ends.  The caller destroys it.
 */
ngx_pool_t *shim_pool(void);

/* Gives the number of pool allocations since the program started. */
ngx_uint_t shim_allocs(void);

/* Gives a number below n, by chance, but the same ones in every run. */
ngx_uint_t shim_pick(ngx_uint_t n);

/*
 * Makes the n-th pool allocation from now on fail, and all that follow;
 * 0 makes none fail.
 */
void shim_fail_after(ngx_uint_t n);


#endif /* _SHIM_H_INCLUDED_ */
