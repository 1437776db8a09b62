
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_BUILDER_H_INCLUDED_
#define _NGX_DNS_BUILDER_H_INCLUDED_


#include "ngx_dns_build.h"
#include "ngx_dns_choice.h"
#include "ngx_dns_json.h"
#include "ngx_dns_rdata.h"
#include "ngx_dns_store.h"


/* The state of one zone that is built; shared by the files of the builder. */

#define NGX_DNS_BUILD_WARN_MAX   20     /* lines of one zone */
#define NGX_DNS_BUILD_SMALL      1024
#define NGX_DNS_BUILD_BIG        (2 * 65536 + 1024)
#define NGX_DNS_BUILD_KEYS       4
#define NGX_DNS_BUILD_KEY_MAX    16384  /* octets of one key */

/* stand for a type where the layouts have something that is none */

#define NGX_DNS_BUILD_NO_TYPE    0x10000
#define NGX_DNS_BUILD_ANAME      0x10001

/* covered by the note of an ANAME that failed, until conflicts are settled */

#define NGX_DNS_BUILD_COVERS_ANAME  NGX_DNS_TYPE_NOTE

#define NGX_DNS_BUILD_TTL        3600   /* of redins, if there is none */
#define NGX_DNS_BUILD_TTL_MAX    0x7fffffff  /* RFC 2181, 8 */
#define NGX_DNS_BUILD_RR         12     /* octets around RDATA, at least */
#define NGX_DNS_BUILD_ERROR      500


/* the config, with the defaults or what is served in the place of bad parts */

typedef struct {
    uint32_t               flags;       /* NGX_DNS_ZONE_... */
    uint32_t               ttl;
    uint32_t               serial;
    uint32_t               timer[4];    /* refresh, retry, expire, minimum */
    u_char                 mname[NGX_DNS_NAME_MAX + 1];
    u_char                 rname[NGX_DNS_NAME_MAX + 1];
    size_t                 id_len;
    u_char                 id[NGX_DNS_ZONE_ID_MAX];
} ngx_dns_build_zone_t;

typedef struct {
    u_char                *data;        /* got from mem; NULL: there is none */
    size_t                 len;
    ngx_uint_t             given;       /* 1: it was not empty */
} ngx_dns_build_key_t;

/* an rrset that is being read */

typedef struct {
    ngx_uint_t             type;
    uint32_t               ttl;
    ngx_uint_t             given;       /* records in the value */
    ngx_uint_t             good;        /* of them added */
    size_t                 wire;        /* octets in a message, at least */
    ngx_uint_t             failed;      /* 1: none of it can be used */
} ngx_dns_build_set_t;

typedef struct ngx_dns_build_choice_s  ngx_dns_build_choice_t;

struct ngx_dns_build_s {
    ngx_dns_memory_t      *mem;
    ngx_dns_reporter_t    *rep;
    ngx_dns_records_t     *rs;
    const ngx_dns_zone_t  *last;
    ngx_dns_build_conf_t   conf;
    uint64_t               digest;
    ngx_dns_json_buf_t     json;

    ngx_uint_t             bad;
    ngx_uint_t             warned;
    ngx_uint_t             checked;     /* 1: there are notes of checks */

    ngx_dns_build_zone_t   zone;
    ngx_dns_build_key_t    keys[NGX_DNS_BUILD_KEYS];

    /* records whose owners ngx_dns_build_settle() has to look at */

    size_t                 nmarked;
    ngx_uint_t             marks;       /* NGX_DNS_BUILD_MARK_... */

    /* of the value that is being read */

    ngx_str_t              label;       /* as it is stored */
    uint32_t               spelling;    /* 0: as the name is written back */
    ngx_uint_t             added;       /* records and notes */
    ngx_dns_choice_rr_t    place;       /* of an address */
    size_t                 owner_len;
    u_char                 owner[NGX_DNS_NAME_MAX + 1];

    ngx_dns_build_choice_t  *choice;    /* got from mem when wanted */
    u_char                *big;         /* got from mem when wanted */
    u_char                 small[NGX_DNS_BUILD_SMALL];
};

#define NGX_DNS_BUILD_MARK_SPELLED   0x01
#define NGX_DNS_BUILD_MARK_CNAME     0x02
#define NGX_DNS_BUILD_MARK_DNAME     0x04
#define NGX_DNS_BUILD_MARK_WILD      0x08
#define NGX_DNS_BUILD_MARK_FAILED    0x10


/*
 * ngx_dns_build.c: messages.  warn tells something that is used all the
 * same, bad what is left out.  type may be NGX_DNS_BUILD_NO_TYPE.
 */
void ngx_dns_build_warn(ngx_dns_build_t *b, ngx_uint_t type, const char *fmt,
    ...);
void ngx_dns_build_bad(ngx_dns_build_t *b, ngx_uint_t type, const char *fmt,
    ...);

/* Adds a record or a note of the current owner.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_dns_build_add(ngx_dns_build_t *b, ngx_uint_t type, uint32_t ttl,
    u_char *rdata, size_t len);
ngx_int_t ngx_dns_build_note(ngx_dns_build_t *b, ngx_uint_t covered,
    ngx_uint_t kind, const u_char *payload, size_t len);

/*
 * Makes a type of the current owner SERVFAIL, or all of them (NO_TYPE).  why
 * is reported; NULL: it was.
 */
ngx_int_t ngx_dns_build_failed(ngx_dns_build_t *b, ngx_uint_t type,
    const char *why);

/* Room for size octets, at most NGX_DNS_BUILD_BIG.  NULL: no memory. */
u_char *ngx_dns_build_room(ngx_dns_build_t *b, size_t size);

/* ngx_dns_build_value.c: the value of one rrset */
ngx_int_t ngx_dns_build_value(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *value);

/*
 * ngx_dns_build_rdata.c: the RDATA of a record; valid until the next one.
 *
 * err  set on NGX_DECLINED; its data has NGX_DNS_BUILD_ERROR octets
 *
 * NGX_ERROR: no memory
 */
ngx_int_t ngx_dns_build_rdata(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *record, u_char **rdata, size_t *len, ngx_str_t *err);

/* The member that holds the only record of a type, or NULL. */
const char *ngx_dns_build_single(ngx_uint_t type);

/* Sets an error text, odd octets as they are; returns NGX_DECLINED. */
ngx_int_t ngx_dns_build_err(ngx_str_t *err, const char *fmt, ...);

/*
 * ngx_dns_build_choice.c, ngx_dns_build_place.c: how to choose among
 * addresses.
 *
 * begin  reads the members of the rrset; NGX_DECLINED: reported, it fails
 * place  those of a record; NGX_DECLINED: err is set
 * free   b->choice
 * add    keeps them for a record that is added
 * end    adds the note; NGX_DECLINED: reported, the rrset fails
 */
ngx_int_t ngx_dns_build_choice_begin(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *filter, ngx_dns_json_t *check, ngx_dns_json_t *records);
ngx_int_t ngx_dns_build_choice_place(ngx_dns_build_t *b, ngx_uint_t type,
    ngx_dns_json_t *record, ngx_str_t *err);
void ngx_dns_build_choice_free(ngx_dns_build_t *b);
void ngx_dns_build_choice_add(ngx_dns_build_t *b, u_char *rdata, size_t len);
ngx_int_t ngx_dns_build_choice_end(ngx_dns_build_t *b, ngx_uint_t type);

/* ngx_dns_build_config.c */
void ngx_dns_build_defaults(ngx_dns_build_t *b);
void ngx_dns_build_config_read(ngx_dns_build_t *b, ngx_dns_json_t *config);
void ngx_dns_build_config_failed(ngx_dns_build_t *b, const char *why);

/* SOA, notes and keys, at the end.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_dns_build_zone(ngx_dns_build_t *b);

/* ngx_dns_build_keys.c */
ngx_int_t ngx_dns_build_keys(ngx_dns_build_t *b);

/*
 * ngx_dns_build_name.c: names in values are absolute, with or without the
 * final dot.  Returns octets, or 0 with *err set.
 */
size_t ngx_dns_build_name(u_char *dst, ngx_str_t *text, const char **err);

/* Sets the current owner; NGX_DECLINED: reported, left out. */
ngx_int_t ngx_dns_build_owner(ngx_dns_build_t *b, ngx_str_t *label);

/* Text for messages: odd octets as \DDD, what is long is cut. */
#define NGX_DNS_BUILD_QUOTE      100
#define NGX_DNS_BUILD_QUOTE_MAX  (4 * NGX_DNS_BUILD_QUOTE + 3)
u_char *ngx_dns_build_quote(u_char *p, ngx_str_t *text);

/*
 * ngx_dns_build_settle.c: what may be in conflict with other records, as
 * NGX_DNS_BUILD_MARK_...; and the end of all conflicts, NGX_OK or NGX_ERROR.
 */
ngx_uint_t ngx_dns_build_marks(const ngx_dns_rec_t *rec);
ngx_int_t ngx_dns_build_settle(ngx_dns_build_t *b);


#endif /* _NGX_DNS_BUILDER_H_INCLUDED_ */
