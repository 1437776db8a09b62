
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_RECORDS_H_INCLUDED_
#define _NGX_DNS_RECORDS_H_INCLUDED_


#include "ngx_dns_name.h"


#define NGX_DNS_FILES_MAX  65535        /* that one zone is read from */


/*
 * The way of a zone: a reader (master file, Redis) adds records in any order,
 * then they are compiled (ngx_dns_compile.h).  The core opens no file and
 * maps no memory: both come through these callbacks of the caller.
 */

typedef struct {
    /* zeroed memory of size octets, page aligned; NULL: no memory */
    void     *(*map)(void *data, size_t size);
    void      (*unmap)(void *data, void *p, size_t size);
    /*
     * Keeps the first used octets of what map() gave as size and gives the
     * rest back; later unmap() is called with used.  May move the block.
     */
    void     *(*trim)(void *data, void *p, size_t size, size_t used);
    void       *data;
} ngx_dns_memory_t;


typedef enum {
    NGX_DNS_REPORT_ERROR = 0,           /* the zone will be refused */
    NGX_DNS_REPORT_WARN,
    NGX_DNS_REPORT_PROGRESS             /* call it as often as you like */
} ngx_dns_report_e;

typedef struct {
    /*
     * One message about a record.  file is NULL and line 0 where there is
     * none (the zone as a whole).  text needs no copy after the call.
     */
    void      (*report)(void *data, ngx_dns_report_e level, ngx_str_t *file,
                  ngx_uint_t line, ngx_str_t *text);
    void       *data;
    ngx_uint_t  errors;                 /* counted by ngx_dns_report() */
    ngx_uint_t  warnings;
} ngx_dns_reporter_t;


/* One record as it is added. */

typedef struct {
    u_char     *owner;                  /* absolute, lower case */
    size_t      owner_len;              /* octets with the root label */
    u_char     *rdata;                  /* names in it absolute */
    uint16_t    rdlen;
    uint16_t    type;
    uint32_t    ttl;                    /* seconds */
    uint32_t    file;                   /* index of ngx_dns_records_file() */
    uint32_t    line;
} ngx_dns_record_t;


typedef struct ngx_dns_records_s  ngx_dns_records_t;


/*
 * Starts an empty set of records for the zone of apex.  All memory comes
 * from mem and goes back in ngx_dns_records_destroy().  NULL: no memory.
 */
ngx_dns_records_t *ngx_dns_records_create(const u_char *apex,
    ngx_dns_memory_t *mem, ngx_dns_reporter_t *rep);
void ngx_dns_records_destroy(ngx_dns_records_t *rs);

/*
 * Names a source file for messages; returns its index.  The text is copied.
 *
 * NGX_DECLINED  there are NGX_DNS_FILES_MAX already
 * NGX_ERROR     no memory
 */
ngx_int_t ngx_dns_records_file(ngx_dns_records_t *rs, ngx_str_t *name);

/*
 * Adds (copies) one record of class IN, or a note.
 *
 * NGX_OK        added
 * NGX_DECLINED  refused: owner not at or below the apex (reported), or a note
 *               (ngx_dns_note.h) shorter than its head
 * NGX_ERROR     no memory
 */
ngx_int_t ngx_dns_records_add(ngx_dns_records_t *rs, ngx_dns_record_t *r);

/* Formats (ngx_vslprintf's words) and reports one message; counts it. */
void ngx_dns_report(ngx_dns_reporter_t *rep, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, const char *fmt, ...);


#endif /* _NGX_DNS_RECORDS_H_INCLUDED_ */
