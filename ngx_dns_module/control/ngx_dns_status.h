
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_STATUS_H_INCLUDED_
#define _NGX_DNS_STATUS_H_INCLUDED_


#include "ngx_dns_json.h"
#include "ngx_dns_name.h"
#include "ngx_dns_probe.h"
#include "ngx_dns_zone.h"


/*
 * The keys of states of addresses in Redis, as redins and z42 have them
 * (docs, redis.md).  Pure: states in, octets out, and back.
 */

/* Room for a key without prefix, word, and suffix; and for a value. */
#define NGX_DNS_STATUS_KEY      (NGX_DNS_NAME_TEXT_MAX + 80)
#define NGX_DNS_STATUS_VALUE                                                 \
    (1024 + 6 * NGX_DNS_PROBE_URI_MAX + 6 * NGX_DNS_NAME_TEXT_MAX            \
     + 6 * NGX_DNS_ZONE_ID_MAX)

/* Octets of a value that is looked at, at most. */
#define NGX_DNS_STATUS_MAX      65536


/* What a value says. */

typedef struct {
    int64_t                 status;     /* results in a row; < 0: bad ones */
    ngx_uint_t              up_count;   /* of the writer; 0: it is not said */
    ngx_uint_t              down_count; /* without sign */
    uint64_t                checked;    /* last check, milliseconds since the
                                           epoch; 0: never, or not known */
} ngx_dns_status_t;

/* Whose state it is. */

typedef struct {
    const u_char           *owner;      /* absolute name, wire format */
    const u_char           *address;
    size_t                  len;        /* octets: 4 or 16 */
    const ngx_dns_probe_t  *probe;
    ngx_str_t               domain;     /* id of the zone */
} ngx_dns_status_target_t;


/*
 * Writes the name of a key behind the word: ":healthcheck:HOST:IP".
 *
 * p   room for NGX_DNS_STATUS_KEY octets
 * at  1: as z42 writes that of the apex, with "@." in front
 *
 * Returns the octet behind.  Does not allocate.
 */
u_char *ngx_dns_status_key(u_char *p, const ngx_dns_status_target_t *target,
    ngx_uint_t at);

/*
 * Writes the value, with the counts of the probe.
 *
 * p  room for NGX_DNS_STATUS_VALUE octets
 *
 * Returns the octet behind.  Does not allocate.
 */
u_char *ngx_dns_status_write(u_char *p, const ngx_dns_status_target_t *target,
    const ngx_dns_status_t *status);

/*
 * Reads a value.
 *
 * status  set on NGX_OK
 *
 * NGX_DECLINED  it is none: *err is set to a static text
 * NGX_ERROR     no memory for buf
 */
ngx_int_t ngx_dns_status_read(ngx_dns_json_buf_t *buf, ngx_str_t *value,
    ngx_dns_status_t *status, const char **err);

/*
 * How many results in a row that is for one who counts up to up_count, and
 * down to -down_count: at the end of the writer's counts is at the end of his.
 */
ngx_int_t ngx_dns_status_run(const ngx_dns_status_t *status,
    ngx_uint_t up_count, ngx_uint_t down_count);

/*
 * RFC 3339, in UTC with seconds; 20 octets are written to p.  read: with any
 * fraction and offset; 0 if it is no time, or one before the epoch.
 */
u_char *ngx_dns_status_time_write(u_char *p, uint64_t ms);
uint64_t ngx_dns_status_time_read(ngx_str_t *text);


#endif /* _NGX_DNS_STATUS_H_INCLUDED_ */
