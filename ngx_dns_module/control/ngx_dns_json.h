
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_JSON_H_INCLUDED_
#define _NGX_DNS_JSON_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <jansson.h>


#define NGX_DNS_JSON_MAX   (4 * 1024 * 1024)  /* octets of one value */


/* A member that is looked for in an object. */

typedef struct {
    const char  *name;                  /* lower case */
    json_t      *value;                 /* NULL: missing or null */
} ngx_dns_json_member_t;


/*
 * Reads a text that is one JSON value (RFC 8259), valid UTF-8, nested at
 * most 2048 deep.  The caller ends it by json_decref().
 *
 * NULL: *err is set to a static text, or to NULL if there is no memory
 */
json_t *ngx_dns_json_load(ngx_str_t *text, const char **err);

/*
 * Looks for members of an object.  Names match without regard to case; of a
 * name that comes more than once the last one counts; others are ignored.
 *
 * members  n of them; value is set
 */
void ngx_dns_json_members(json_t *object, ngx_dns_json_member_t *members,
    ngx_uint_t n);

/*
 * A whole number; 3.0 and 3e1 are ones, "3" is not.  What is larger than max
 * comes out as max + 1, what is less than 0 as -1.
 *
 * max  at least 0, at most 2^32
 *
 * NGX_OK        *n is set
 * NGX_DECLINED  it is something else
 */
ngx_int_t ngx_dns_json_number(json_t *value, int64_t max, int64_t *n);

/* true or false.  NGX_OK or NGX_DECLINED. */
ngx_int_t ngx_dns_json_flag(json_t *value, ngx_uint_t *flag);

/*
 * A string; a zero octet follows.  It belongs to value.  NGX_OK or
 * NGX_DECLINED.
 */
ngx_int_t ngx_dns_json_string(json_t *value, ngx_str_t *s);


#endif /* _NGX_DNS_JSON_H_INCLUDED_ */
