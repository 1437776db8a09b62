
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_HEALTH_HTTP_H_INCLUDED_
#define _NGX_DNS_HEALTH_HTTP_H_INCLUDED_


#include "ngx_dns_probe.h"


/*
 * The HTTP of a check: a request, and a response that is read as it comes,
 * no further than needed to tell whether it is good.
 */

#define NGX_DNS_HEALTH_HTTP_MAX   (64 * 1024)   /* octets, head and body each */
#define NGX_DNS_HEALTH_HTTP_LINE  80        /* octets of a line looked at */
#define NGX_DNS_HEALTH_HTTP_EXTRA 128       /* of a request, besides texts */


typedef enum {
    NGX_DNS_HEALTH_HTTP_STATUS = 0,
    NGX_DNS_HEALTH_HTTP_HEADER,
    NGX_DNS_HEALTH_HTTP_BODY,
    NGX_DNS_HEALTH_HTTP_CHUNK,              /* a line with its size */
    NGX_DNS_HEALTH_HTTP_DATA,               /* of a chunk */
    NGX_DNS_HEALTH_HTTP_DATA_END            /* the line behind */
} ngx_dns_health_http_e;


/* why a response is bad; 0: it is not */

#define NGX_DNS_HEALTH_HTTP_FORM       1    /* it is no HTTP */
#define NGX_DNS_HEALTH_HTTP_LARGE      2    /* there are too many headers */
#define NGX_DNS_HEALTH_HTTP_WRONG      3    /* its status is not wanted */
#define NGX_DNS_HEALTH_HTTP_SHORT      4    /* it ends in the middle */
#define NGX_DNS_HEALTH_HTTP_NO_MATCH   5    /* the body lacks the text */


typedef struct {
    ngx_dns_health_http_e   state;
    const ngx_dns_probe_t  *probe;
    ngx_uint_t              status;         /* 0: not known yet */
    ngx_uint_t              error;          /* NGX_DNS_HEALTH_HTTP_... */

    size_t                  head;           /* octets read */
    size_t                  body;
    uint64_t                left;           /* octets of body or chunk */
    unsigned                sized:1;        /* there is a length */
    unsigned                chunked:1;

    uint16_t               *next;           /* of the search for the text */
    size_t                  matched;        /* octets of the text */

    size_t                  len;            /* of the line, not cut */
    u_char                  line[NGX_DNS_HEALTH_HTTP_LINE];
} ngx_dns_health_http_t;


/*
 * Writes the request: HEAD, or GET if the probe wants a text.
 *
 * p     room for host, the URI and NGX_DNS_HEALTH_HTTP_EXTRA octets
 * host  without blanks or control characters, as the URI of the probe
 *
 * Returns the octet behind.
 */
u_char *ngx_dns_health_http_request(u_char *p, const ngx_dns_probe_t *probe,
    ngx_str_t *host);

/*
 * Prepares for a response.
 *
 * next  room for probe->match.len elements; must live as long as http, as
 *       must the probe
 */
void ngx_dns_health_http_init(ngx_dns_health_http_t *http,
    const ngx_dns_probe_t *probe, uint16_t *next);

/*
 * More octets of the response, or (end) there will be none.
 *
 * NGX_OK        it is good
 * NGX_DECLINED  it is bad: http->error, and http->status if it is known
 * NGX_AGAIN     it cannot be told yet; never from end
 *
 * Do not allocate.
 */
ngx_int_t ngx_dns_health_http_read(ngx_dns_health_http_t *http,
    const u_char *p, size_t len);
ngx_int_t ngx_dns_health_http_end(ngx_dns_health_http_t *http);


#endif /* _NGX_DNS_HEALTH_HTTP_H_INCLUDED_ */
