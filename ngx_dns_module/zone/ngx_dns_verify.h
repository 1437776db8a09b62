
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_VERIFY_H_INCLUDED_
#define _NGX_DNS_VERIFY_H_INCLUDED_


#include "ngx_dns_zone.h"


/*
 * Checks a compiled zone that comes from a file: every offset, length, count
 * and name in it, as if somebody had made it up.  Then makes its index of
 * hashes anew for the key of this server, in place.
 *
 * block  size octets, 64-octet aligned, writable, private
 * tmp    at least size / 32 + 8 octets to mark nodes in
 * err    set to a static text on failure
 *
 * NGX_OK     the zone can be published: no function of the core reads
 *            outside of it, or loops, whatever it is asked
 * NGX_ERROR  it is refused
 *
 * Linear in size; does not allocate.
 */
ngx_int_t ngx_dns_zone_verify(void *block, size_t size, u_char *tmp,
    ngx_dns_key_t *key, const char **err);


#endif /* _NGX_DNS_VERIFY_H_INCLUDED_ */
