
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_VERIFY_H_INCLUDED_
#define _NGX_DNS_VERIFY_H_INCLUDED_


#include "ngx_dns_zone.h"


/*
 * Checks a compiled zone that comes from a file: every offset, length, count
 * and name in it, as if somebody had made it up.  All that can be derived
 * from the records (flags, index, links, list of proofs, counts) must be what
 * the compiler would have made of them.  Then makes the buckets of the hash
 * for the key of this server, in place; what lies there is not looked at.
 *
 * block  size octets, 64-octet aligned, writable, private
 * err    set to a static text on failure
 *
 * NGX_OK     the zone can be published: no function of the core reads
 *            outside of it, or loops, whatever it is asked
 * NGX_ERROR  it is refused
 *
 * Linear in size; does not allocate; keeps no state, so any thread may call
 * it.
 */
ngx_int_t ngx_dns_zone_verify(void *block, size_t size, ngx_dns_key_t *key,
    const char **err);


#endif /* _NGX_DNS_VERIFY_H_INCLUDED_ */
