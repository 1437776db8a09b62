
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_JSON_H_INCLUDED_
#define _NGX_DNS_JSON_H_INCLUDED_


#include "ngx_dns_records.h"


/*
 * JSON (RFC 8259) for values that are small and many: a text becomes an array
 * of tokens in the order of the text, a list or an object in front of what is
 * in it.  There is one buffer, for one value at a time.
 */

#define NGX_DNS_JSON_MAX   (4 * 1024 * 1024)  /* octets of one value */

typedef enum {
    NGX_DNS_JSON_NULL = 0,
    NGX_DNS_JSON_FALSE,
    NGX_DNS_JSON_TRUE,
    NGX_DNS_JSON_NUMBER,
    NGX_DNS_JSON_STRING,
    NGX_DNS_JSON_LIST,
    NGX_DNS_JSON_OBJECT
} ngx_dns_json_e;

typedef struct {
    u_char            *data;            /* of a string, a number as written */
    u_char            *name;            /* of a member */
    uint32_t           len;
    uint32_t           name_len;
    uint32_t           size;            /* tokens, this one included */
    uint32_t           type;            /* NGX_DNS_JSON_... */
} ngx_dns_json_t;

/* The values in a list, or the members of an object: from first to end. */

#define ngx_dns_json_first(value)  ((value) + 1)
#define ngx_dns_json_end(value)    ((value) + (value)->size)
#define ngx_dns_json_next(value)   ((value) + (value)->size)

#define ngx_dns_json_is(value, t)                                            \
    ((value) != NULL && (value)->type == (t))


/* A member that is looked for in an object. */

typedef struct {
    const char        *name;            /* lower case */
    ngx_dns_json_t    *value;           /* NULL: missing or null */
} ngx_dns_json_member_t;


typedef struct {
    ngx_dns_memory_t  *mem;
    u_char            *data;            /* got from mem, or NULL */
    size_t             size;
} ngx_dns_json_buf_t;


/*
 * Reads a text that is one JSON value in valid UTF-8.  All of it is in buf
 * and good until the next one; strings have a zero octet behind them.
 *
 * NULL: *err is set to a static text, or to NULL if there is no memory
 */
ngx_dns_json_t *ngx_dns_json_load(ngx_dns_json_buf_t *buf, ngx_str_t *text,
    const char **err);
void ngx_dns_json_free(ngx_dns_json_buf_t *buf);

/*
 * Looks for members of an object.  Names match without regard to case; of a
 * name that comes more than once the last one counts; others are ignored.
 *
 * members  n of them; value is set
 *
 * None of this and the following allocates.
 */
void ngx_dns_json_members(ngx_dns_json_t *object,
    ngx_dns_json_member_t *members, ngx_uint_t n);

/*
 * A whole number; 3.0 and 3e1 are ones, "3" is not.  What is larger than max
 * comes out as max + 1, what is less than 0 as -1.
 *
 * max  at least 0, at most 2^32
 *
 * NGX_OK        *n is set
 * NGX_DECLINED  it is something else
 */
ngx_int_t ngx_dns_json_number(ngx_dns_json_t *value, int64_t max, int64_t *n);

/* true or false.  NGX_OK or NGX_DECLINED. */
ngx_int_t ngx_dns_json_flag(ngx_dns_json_t *value, ngx_uint_t *flag);

/* A string.  NGX_OK or NGX_DECLINED. */
ngx_int_t ngx_dns_json_string(ngx_dns_json_t *value, ngx_str_t *s);


#endif /* _NGX_DNS_JSON_H_INCLUDED_ */
