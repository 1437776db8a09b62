
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_PROBE_H_INCLUDED_
#define _NGX_DNS_PROBE_H_INCLUDED_


#include "ngx_dns_note.h"


/*
 * How the addresses of an rrset are checked: the payload of a note of kind
 * NGX_DNS_NOTE_PROBE, about type A or AAAA, beside that which says how to
 * choose among them.
 *
 *     0  version       1 octet
 *     1  protocol      1 octet
 *     2  flags         1 octet
 *     3  host_len      1 octet
 *     4  port          2 octets
 *     6  up_count      2 octets
 *     8  down_count    2 octets
 *    10  uri_len       2 octets
 *    12  match_len     2 octets
 *    14  status_len    2 octets
 *    16  timeout       4 octets
 *    20  interval      4 octets
 *    24  host, uri, match, status
 *
 * All numbers are in network byte order.
 */

#define NGX_DNS_PROBE_VERSION     1
#define NGX_DNS_PROBE_HEAD        24        /* octets without the texts */

/* protocol */
#define NGX_DNS_PROBE_HTTP        0
#define NGX_DNS_PROBE_HTTPS       1
#define NGX_DNS_PROBE_TCP         2

/* flags */
#define NGX_DNS_PROBE_VERIFY      0x01      /* the certificate is verified */

/* what there may be at most: octets, and codes */
#define NGX_DNS_PROBE_HOST_MAX    253
#define NGX_DNS_PROBE_URI_MAX     2048
#define NGX_DNS_PROBE_MATCH_MAX   1024
#define NGX_DNS_PROBE_STATUS_MAX  64

/* what is not said, see ngx_dns_probe_settle() */
#define NGX_DNS_PROBE_COUNT       3
#define NGX_DNS_PROBE_TIMEOUT     1000      /* milliseconds */
#define NGX_DNS_PROBE_INTERVAL    10000     /* of dns_health_interval */


typedef struct {
    uint8_t     protocol;               /* NGX_DNS_PROBE_... */
    uint8_t     flags;
    uint16_t    port;
    uint16_t    up_count;               /* results in a row that turn it up */
    uint16_t    down_count;             /* and down, without sign */
    uint32_t    timeout;                /* milliseconds, of the whole check */
    uint32_t    interval;               /* milliseconds; 0: that of
                                           dns_health_interval */
    ngx_str_t   host;                   /* of the request, and of SNI; empty:
                                           the owner, see below */
    ngx_str_t   uri;
    ngx_str_t   match;                  /* text that the body must have; empty:
                                           any body will do (HEAD) */
    ngx_str_t   status;                 /* codes that are good, 2 octets each;
                                           empty: 200, 301, 302 */
} ngx_dns_probe_t;


/*
 * Sets what is 0 or empty to its default: the port of the protocol (TCP has
 * none), 3 results, 1 second, "/".  For TCP what is of HTTP only is emptied,
 * and with HTTP nothing is verified, so that what does not matter makes no
 * other target.  The interval stays.
 */
void ngx_dns_probe_settle(ngx_dns_probe_t *probe);

/*
 * What ngx_dns_probe_read() would say of it: NULL, or what is wrong: a text
 * for messages, without a subject of its own ("port" of what is missing...).
 * Does not allocate.
 */
const char *ngx_dns_probe_wrong(const ngx_dns_probe_t *probe);

/*
 * Writes the payload of a probe that is settled and not wrong to p, room for
 * ngx_dns_probe_size() octets.  Returns the octet behind.
 */
size_t ngx_dns_probe_size(const ngx_dns_probe_t *probe);
u_char *ngx_dns_probe_write(u_char *p, const ngx_dns_probe_t *probe);

/*
 * Reads and checks a payload.  Host and URI of one that is good can go into
 * a request as they are: neither has blanks or control characters.
 *
 * probe  set on NGX_OK; points into the payload
 *
 * NGX_DECLINED: it is none of this version, or damaged.  Does not allocate.
 */
ngx_int_t ngx_dns_probe_read(const u_char *payload, size_t len,
    ngx_dns_probe_t *probe);

/*
 * The id of a target in the table of states: of an address, whom it is
 * checked for, and how.  Never 0 or 1.
 *
 * owner    absolute name, wire format, lower case, with the root label.  A
 *          pool has one of two labels, "pool" and its name
 * address  len octets, 4 or 16
 * probe    the payload, probe_len octets
 *
 * Does not allocate.
 */
uint64_t ngx_dns_probe_id(const u_char *owner, const u_char *address,
    size_t len, const u_char *probe, size_t probe_len);

/*
 * The host of a probe that names none: the owner without the final dot and
 * without the "*." of a wildcard; that of the root is empty.
 *
 * dst  room for NGX_DNS_NAME_TEXT_MAX octets
 *
 * Returns the octet behind.  Does not allocate.
 */
u_char *ngx_dns_probe_owner_host(u_char *dst, const u_char *owner);


#endif /* _NGX_DNS_PROBE_H_INCLUDED_ */
