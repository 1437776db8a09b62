
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_aname.h"


ngx_uint_t
ngx_dns_aname_is(const ngx_dns_word_t *w)
{
    return w->len == 5
           && (ngx_strncasecmp(w->data, (u_char *) "ANAME", 5) == 0
               || ngx_strncasecmp(w->data, (u_char *) "ALIAS", 5) == 0);
}


ngx_int_t
ngx_dns_aname_scan(ngx_dns_scan_t *s, u_char *rdata, size_t *len)
{
    size_t   n;
    u_char  *p;

    p = ngx_dns_put16(rdata, 0);
    *p++ = NGX_DNS_NOTE_ANAME;
    p += 4;

    if (ngx_dns_scan_name(s, p, &n) != NGX_OK
        || ngx_dns_scan_end(s) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *len = p + n - rdata;

    return NGX_OK;
}


void
ngx_dns_aname_ttl(u_char *rdata, uint32_t ttl)
{
    ngx_dns_put32(rdata + NGX_DNS_NOTE_HEAD, ttl);
}
