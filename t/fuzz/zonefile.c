
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Zone files and RDATA.  The first octet of an input tells what it is:
 *
 * T  a type (2 octets), then RDATA as text
 * W  a type, then RDATA as wire format
 *
 * Anything else is a set of files: the zone's own one, then those it may
 * include, each behind a line "%%NAME".  A first line "; window N" makes the
 * reader begin with a window of N octets.
 *
 * RDATA that is accepted must give the same octets when its text is read
 * again, and so must its generic notation.  A zone that is accepted is
 * compiled.
 */


#include "shim.h"
#include "memory.h"
#include "check.h"
#include "pooltext.h"
#include "verified.h"
#include "ngx_dns_compile.h"
#include "ngx_dns_master.h"
#include "ngx_dns_rdata.h"
#include "ngx_dns_store.h"


#define FUZZ_FILES  32


typedef struct {
    ngx_str_t    name;
    u_char      *data;
    u_char      *last;
} fuzz_file_t;

typedef struct {
    fuzz_file_t *file;
    u_char      *pos;
} fuzz_handle_t;

typedef struct {
    ngx_uint_t   n;
    fuzz_file_t  files[FUZZ_FILES];
} fuzz_files_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_text(ngx_uint_t type, const uint8_t *data, size_t size);
static void fuzz_wire(ngx_uint_t type, const uint8_t *data, size_t size);
static void fuzz_rdata(ngx_uint_t type, const u_char *rdata, size_t len);
static void fuzz_again(ngx_uint_t type, u_char *text, u_char *last,
    const u_char *rdata, size_t len);
static void fuzz_zone(u_char *data, size_t size);
static ngx_dns_pools_t *fuzz_pools(void);
static void fuzz_split(fuzz_files_t *files, u_char *data, size_t size);
static void fuzz_records(ngx_dns_records_t *rs);
static void *fuzz_open(void *data, ngx_str_t *name, ngx_str_t *includer,
    ngx_str_t *path, ngx_str_t *err);
static ssize_t fuzz_read(void *data, void *handle, u_char *buf, size_t size,
    ngx_str_t *err);
static void fuzz_close(void *data, void *handle);
static void fuzz_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text);


static u_char         origin[] = "\004zone\004test";

static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char  *copy;
    long     blocks;

    blocks = memory_blocks;

    if (size >= 3 && data[0] == 'T') {
        fuzz_text(ngx_dns_get16(data + 1), data + 3, size - 3);

    } else if (size >= 3 && data[0] == 'W') {
        fuzz_wire(ngx_dns_get16(data + 1), data + 3, size - 3);

    } else {
        copy = malloc(size + 1);
        memcpy(copy, data, size);
        copy[size] = '\0';

        fuzz_zone(copy, size);
        free(copy);
    }

    check_that(memory_blocks == blocks);

    return 0;
}


/* blocks of just the size: what is behind them must not be touched */

static void
fuzz_text(ngx_uint_t type, const uint8_t *data, size_t size)
{
    u_char     *copy, *rdata, reason[NGX_DNS_SCAN_ERROR];
    size_t      room;
    ssize_t     n;
    ngx_str_t   text, err;

    copy = malloc(size + 1);
    memcpy(copy, data, size);
    copy[size] = '\0';

    text.data = copy;
    text.len = size;
    err.data = reason;

    /* a small buffer must do for little RDATA, and a big one as well */

    for (room = size % 64; room < 0x20000; room = room * 16 + 64) {
        rdata = malloc(room + 1);
        n = ngx_dns_rdata_from_text(type, &text, origin, rdata, room, &err);

        if (n >= 0) {
            check_that((size_t) n <= room && n <= NGX_DNS_RDATA_MAX);
            fuzz_rdata(type, rdata, n);

        } else {
            check_that(err.len > 0 && err.len <= NGX_DNS_SCAN_ERROR);
        }

        free(rdata);
    }

    free(copy);
}


static void
fuzz_wire(ngx_uint_t type, const uint8_t *data, size_t size)
{
    u_char      *copy;
    const char  *err;

    size = ngx_min(size, NGX_DNS_RDATA_MAX);
    copy = malloc(size + 1);
    memcpy(copy, data, size);

    err = NULL;

    if (ngx_dns_rdata_check(type, copy, size, &err) == NGX_OK) {
        fuzz_rdata(type, copy, size);

    } else {
        check_that(err != NULL);
    }

    free(copy);
}


static void
fuzz_rdata(ngx_uint_t type, const u_char *rdata, size_t len)
{
    u_char      *text, *copy, *p;
    size_t       size, i;
    const char  *err;

    copy = malloc(len + 1);
    memcpy(copy, rdata, len);

    check_that(ngx_dns_rdata_check(type, copy, len, &err) == NGX_OK);
    check_that(memcmp(copy, rdata, len) == 0);

    size = 20 * len + 1024;
    text = malloc(size);

    p = ngx_dns_rdata_to_text(text, text + size - 1, type, copy, len);
    check_that(p != NULL);

    fuzz_again(type, text, p, rdata, len);

    for (i = 0; i < 64; i += 7) {
        p = ngx_dns_rdata_to_text(text, text + i, type, copy, len);
        check_that(p == NULL || p <= text + i);
    }

    p = ngx_sprintf(text, "\\# %uz ", len);

    for (i = 0; i < len; i++) {
        p = ngx_sprintf(p, "%02xi", (ngx_int_t) rdata[i]);
    }

    fuzz_again(type, text, p, rdata, len);

    free(text);
    free(copy);
}


static void
fuzz_again(ngx_uint_t type, u_char *text, u_char *last, const u_char *rdata,
    size_t len)
{
    u_char     *again, reason[NGX_DNS_SCAN_ERROR];
    ssize_t     n;
    ngx_str_t   s, err;

    again = malloc(2 * len + 64);

    *last = '\0';
    s.data = text;
    s.len = last - text;
    err.data = reason;
    err.len = 0;

    n = ngx_dns_rdata_from_text(type, &s, NULL, again, 2 * len + 64,
                                &err);

    if (n != (ssize_t) len || memcmp(again, rdata, len) != 0) {
        fprintf(stderr, "type %u, text: %s, error: %.*s\n", (unsigned) type,
                text, (int) err.len, err.data);
        check_fail("rdata differs when its text is read again");
    }

    free(again);
}


static void
fuzz_zone(u_char *data, size_t size)
{
    size_t                  len;
    ngx_int_t               rc;
    ngx_str_t               name;
    fuzz_files_t            files;
    ngx_dns_zone_t         *zone;
    ngx_dns_files_t         calls;
    ngx_dns_records_t      *rs;
    ngx_dns_reporter_t      rep;
    ngx_dns_master_conf_t   conf;

    fuzz_split(&files, data, size);

    calls.open = fuzz_open;
    calls.read = fuzz_read;
    calls.close = fuzz_close;
    calls.data = &files;

    ngx_memzero(&rep, sizeof(ngx_dns_reporter_t));
    rep.report = fuzz_report;

    ngx_memzero(&conf, sizeof(ngx_dns_master_conf_t));

    conf.files = &calls;
    conf.mem = &memory;
    conf.rep = &rep;
    conf.default_ttl = 3600;
    conf.max_errors = 10;
    conf.max_generate = 1000;
    conf.pools = fuzz_pools();

    if (size > 9 && memcmp(data, "; window ", 9) == 0) {
        conf.window = atoi((char *) data + 9) & 0xfff;
    }

    rs = ngx_dns_records_create(origin, &memory, &rep);
    check_that(rs != NULL);

    ngx_str_set(&name, "main");

    rc = ngx_dns_master_read(&conf, &name, origin, rs);

    check_that((rc == NGX_OK) == (rep.errors == 0));
    check_that(rep.errors <= conf.max_errors + 1);

    fuzz_records(rs);

    if (rc == NGX_OK
        && ngx_dns_compile(rs, &key, &memory, &zone, &len) == NGX_OK)
    {
        verified(zone, &key);
        memory_unmap(NULL, zone, len);
    }

    ngx_dns_records_destroy(rs);
}


/* "p" with both types of addresses and notes, "q" with one and none */

static ngx_dns_pools_t *
fuzz_pools(void)
{
    u_char           buf[NGX_DNS_POOL_ERROR];
    ngx_str_t        err;
    ngx_uint_t       i;
    ngx_pool_t      *pool;
    ngx_dns_pool_t  *p;

    static ngx_str_t         names[] = { ngx_string("p"), ngx_string("q") };
    static const char       *lines[] = { "address 192.0.2.1 weight=1; address "
                                         "2001:db8::1; choose weighted;",
                                         "address 192.0.2.2;" };
    static ngx_dns_pools_t  *pools;

    if (pools != NULL) {
        return pools;
    }

    pool = shim_pool();
    pools = ngx_dns_pools_create(pool);
    err.data = buf;

    for (i = 0; i < 2; i++) {
        p = ngx_dns_pool_create(pool, &names[i], &err);
        check_that(p != NULL);
        check_that(pooltext(p, lines[i], strlen(lines[i]), 1, &err) == NGX_OK);
        check_that(ngx_dns_pools_add(pools, p) == NGX_OK);
    }

    return pools;
}


static void
fuzz_split(fuzz_files_t *files, u_char *data, size_t size)
{
    u_char       *p, *last, *end;
    fuzz_file_t  *f;

    last = data + size;

    f = &files->files[0];
    ngx_str_set(&f->name, "main");
    f->data = data;
    f->last = last;
    files->n = 1;

    for (p = data; p < last && files->n < FUZZ_FILES; p = end) {

        end = memchr(p, '\n', last - p);
        end = end ? end + 1 : last;

        if (end - p < 3 || p[0] != '%' || p[1] != '%') {
            continue;
        }

        f->last = p;

        f = &files->files[files->n++];
        f->name.data = p + 2;
        f->name.len = end - p - 3;
        f->data = end;
        f->last = last;
    }
}


static void *
fuzz_open(void *data, ngx_str_t *name, ngx_str_t *includer, ngx_str_t *path,
    ngx_str_t *err)
{
    ngx_uint_t      i;
    fuzz_files_t   *files = data;
    fuzz_handle_t  *h;

    for (i = 0; i < files->n; i++) {

        if (files->files[i].name.len == name->len
            && memcmp(files->files[i].name.data, name->data, name->len) == 0)
        {
            h = malloc(sizeof(fuzz_handle_t));
            h->file = &files->files[i];
            h->pos = h->file->data;
            *path = h->file->name;
            memory_blocks++;

            return h;
        }
    }

    ngx_str_set(err, "no such file");

    return NULL;
}


/* reads come short in every way */

static ssize_t
fuzz_read(void *data, void *handle, u_char *buf, size_t size, ngx_str_t *err)
{
    size_t          n;
    fuzz_handle_t  *h = handle;

    check_that(size > 0);

    n = h->file->last - h->pos;
    n = ngx_min(n, size);

    if (n > 40) {
        n = 40 + (n - 40) / 2;
    }

    memcpy(buf, h->pos, n);
    h->pos += n;

    return n;
}


static void
fuzz_close(void *data, void *handle)
{
    memory_blocks--;
    free(handle);
}


static void
fuzz_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text)
{
    size_t  i;

    check_that(text->len > 0);

    for (i = 0; i < text->len; i++) {
        check_that(text->data[i] >= 0x20 && text->data[i] != 0x7f);
    }
}


static void
fuzz_records(ngx_dns_records_t *rs)
{
    u_char           *p, *last;
    ngx_uint_t        n;
    ngx_dns_rec_t    *rec;
    ngx_dns_chunk_t  *chunk;

    n = 0;

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {

        last = (u_char *) chunk + chunk->used;

        for (p = (u_char *) (chunk + 1); p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;

            if (n++ > 100) {
                return;
            }

            fuzz_rdata(rec->type, ngx_dns_rec_rdata(rec), rec->rdlen);
        }
    }
}
