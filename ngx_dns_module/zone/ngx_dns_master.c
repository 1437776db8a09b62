
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_aname.h"
#include "ngx_dns_generate.h"
#include "ngx_dns_master.h"
#include "ngx_dns_note.h"
#include "ngx_dns_rdata.h"


#define NGX_DNS_MASTER_WINDOW    (256 * 1024)
#define NGX_DNS_MASTER_ENTRY     (64 * 1024 * 1024)
#define NGX_DNS_MASTER_DEPTH     16
#define NGX_DNS_MASTER_PROGRESS  65536  /* records between two reports */
#define NGX_DNS_MASTER_LINE      65536  /* octets of one $GENERATE'd entry */
#define NGX_DNS_MASTER_TTL       0x7fffffff     /* RFC 2181, 8 */
#define NGX_DNS_MASTER_PATH      160    /* octets of a path in a message */

/* words in the place of a type that are none */

#define NGX_DNS_MASTER_POOL      0x10000


/* what an included file may change, and its includer has back afterwards */

typedef struct {
    uint32_t             ttl;           /* of $TTL */
    uint32_t             last_ttl;      /* of the last record with a TTL */
    ngx_uint_t           has_ttl;
    ngx_uint_t           has_last_ttl;
    ngx_uint_t           bad_owner;     /* the last owner was refused */
    size_t               origin_len;
    size_t               owner_len;
    u_char               origin[NGX_DNS_NAME_MAX + 1];
    u_char               owner[NGX_DNS_SCAN_NAME];
} ngx_dns_scope_t;


/*
 * A file that is being read.  The window holds buf .. end; the scanner sees
 * whole lines of it only, and the octet behind them is put aside in "cut".
 */

typedef struct {
    ngx_dns_scan_t       scan;

    void                *handle;
    ngx_str_t            path;
    uint32_t             index;

    u_char              *buf;
    size_t               size;
    u_char              *end;
    u_char               cut;
    ngx_uint_t           eof;

    u_char              *entry;         /* the entry that is being read */
    ngx_uint_t           line;

    ngx_dns_scope_t      saved;
} ngx_dns_source_t;


typedef struct {
    ngx_dns_master_conf_t  *conf;
    ngx_dns_records_t      *records;

    ngx_uint_t              max_errors; /* of the reporter's count */
    size_t                  nrecords;

    ngx_uint_t              has_minimum;
    uint32_t                minimum;    /* of the SOA */

    ngx_uint_t              depth;      /* sources in use */
    ngx_dns_source_t        source[NGX_DNS_MASTER_DEPTH];

    ngx_dns_scope_t         scope;
    ngx_dns_pools_reader_t  pools;

    u_char                  rdata[NGX_DNS_RDATA_MAX + NGX_DNS_SCAN_NAME];
    u_char                  line[NGX_DNS_MASTER_LINE + 1];
} ngx_dns_master_t;


static ngx_int_t ngx_dns_master_loop(ngx_dns_master_t *m);
static ngx_int_t ngx_dns_master_failed(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_fatal(ngx_dns_master_t *m,
    ngx_dns_source_t *f, const char *what, ngx_str_t *err);
static ngx_int_t ngx_dns_master_open(ngx_dns_master_t *m, ngx_str_t *name,
    ngx_str_t *err);
static void ngx_dns_master_cannot(ngx_str_t *err, const char *what,
    ngx_str_t *path, ngx_str_t *reason);
static void ngx_dns_master_close(ngx_dns_master_t *m);
static ngx_int_t ngx_dns_master_fill(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_read_on(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_grow(ngx_dns_master_t *m,
    ngx_dns_source_t *f);

static ngx_int_t ngx_dns_master_entry(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_owner(ngx_dns_master_t *m, ngx_dns_scan_t *s);
static ngx_int_t ngx_dns_master_record(ngx_dns_master_t *m,
    ngx_dns_scan_t *s, ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_rdata(ngx_dns_master_t *m,
    ngx_dns_scan_t *s, ngx_uint_t type, size_t *len);
static ngx_int_t ngx_dns_master_type(ngx_dns_scan_t *s, uint32_t *ttl,
    ngx_uint_t *has_ttl);
static uint32_t ngx_dns_master_ttl(ngx_dns_master_t *m, ngx_uint_t type,
    size_t len);

static ngx_int_t ngx_dns_master_directive(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_uint_t ngx_dns_master_is(ngx_dns_word_t *w, const char *name);
static ngx_int_t ngx_dns_master_set_ttl(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_origin(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_include(ngx_dns_master_t *m,
    ngx_dns_source_t *f);
static ngx_int_t ngx_dns_master_generate(ngx_dns_master_t *m,
    ngx_dns_source_t *f);


typedef ngx_int_t (*ngx_dns_master_pt)(ngx_dns_master_t *m,
    ngx_dns_source_t *f);

static struct {
    const char         *name;
    ngx_dns_master_pt   handler;
} ngx_dns_master_directives[] = {

    { "$TTL", ngx_dns_master_set_ttl },
    { "$ORIGIN", ngx_dns_master_origin },
    { "$INCLUDE", ngx_dns_master_include },
    { "$GENERATE", ngx_dns_master_generate }
};


ngx_int_t
ngx_dns_master_read(ngx_dns_master_conf_t *conf, ngx_str_t *file,
    const u_char *origin, ngx_dns_records_t *rs)
{
    u_char             text[NGX_DNS_SCAN_ERROR];
    ngx_int_t          rc;
    ngx_str_t          err;
    ngx_dns_master_t  *m;

    m = conf->mem->map(conf->mem->data, sizeof(ngx_dns_master_t));

    if (m == NULL) {
        ngx_dns_report(conf->rep, NGX_DNS_REPORT_ERROR, file, 0, "no memory");
        return NGX_ERROR;
    }

    m->conf = conf;
    m->records = rs;
    m->pools.pools = conf->pools;
    m->pools.used = conf->pools_used;
    m->max_errors = conf->rep->errors + ngx_max(conf->max_errors, 1);

    m->scope.origin_len = ngx_dns_name_len(origin);
    ngx_memcpy(m->scope.origin, origin, m->scope.origin_len);

    err.data = text;

    rc = ngx_dns_master_open(m, file, &err);

    if (rc == NGX_OK) {
        rc = ngx_dns_master_loop(m);

    } else {
        ngx_dns_report(conf->rep, NGX_DNS_REPORT_ERROR, file, 0, "%V", &err);
    }

    while (m->depth > 0) {
        ngx_dns_master_close(m);
    }

    ngx_dns_pools_done(&m->pools, conf->mem);
    conf->mem->unmap(conf->mem->data, m, sizeof(ngx_dns_master_t));

    return rc;
}


static ngx_int_t
ngx_dns_master_loop(ngx_dns_master_t *m)
{
    ngx_uint_t         errors;
    ngx_dns_scan_t    *s;
    ngx_dns_source_t  *f;

    errors = m->conf->rep->errors;

    while (m->depth > 0) {

        f = &m->source[m->depth - 1];
        s = &f->scan;

        f->entry = s->pos;
        f->line = s->line;

        if (s->pos == s->last) {

            if (!s->partial) {
                ngx_dns_master_close(m);

            } else if (ngx_dns_master_fill(m, f) != NGX_OK) {
                return NGX_ERROR;
            }

            continue;
        }

        if (ngx_dns_master_entry(m, f) == NGX_OK) {

            if (s->pos < s->last) {
                s->pos++;
                s->line++;
            }

            if (m->conf->rep->errors < m->max_errors) {
                continue;
            }

        } else if (ngx_dns_master_failed(m, f) != NGX_OK) {
            return NGX_ERROR;
        }

        if (m->conf->rep->errors >= m->max_errors) {
            ngx_dns_report(m->conf->rep, NGX_DNS_REPORT_ERROR, &f->path,
                           s->line, "too many errors");
            return NGX_ERROR;
        }
    }

    ngx_dns_pools_check(&m->pools, m->records, m->max_errors);

    return (m->conf->rep->errors == errors) ? NGX_OK : NGX_ERROR;
}


/*
 * An entry was refused, or has its end behind the window: then it is read
 * again from its start with more of the file.  NGX_ERROR: give up.
 */

static ngx_int_t
ngx_dns_master_failed(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    ngx_dns_scan_t  *s;

    s = &f->scan;

    if (!s->more && s->err_len == 0) {
        return ngx_dns_master_fatal(m, f, "no memory", NULL);
    }

    if (s->more || ngx_dns_scan_skip(s) != NGX_OK) {
        return ngx_dns_master_fill(m, f);
    }

    ngx_dns_report(m->conf->rep, NGX_DNS_REPORT_ERROR, &f->path, s->err_line,
                   "%*s", s->err_len, s->err);
    s->err_len = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_fatal(ngx_dns_master_t *m, ngx_dns_source_t *f,
    const char *what, ngx_str_t *err)
{
    ngx_dns_report(m->conf->rep, NGX_DNS_REPORT_ERROR, &f->path, f->line,
                   err ? "%s: %V" : "%s", what, err);

    return NGX_ERROR;
}


/* err->data has room for NGX_DNS_SCAN_ERROR octets */

static ngx_int_t
ngx_dns_master_open(ngx_dns_master_t *m, ngx_str_t *name, ngx_str_t *err)
{
    ngx_int_t           index;
    ngx_str_t           reason, *includer;
    ngx_uint_t          i;
    ngx_dns_files_t    *files;
    ngx_dns_source_t   *f;

    files = m->conf->files;
    f = &m->source[m->depth];

    if (m->depth == NGX_DNS_MASTER_DEPTH) {
        ngx_str_set(&reason, "files are nested "
                             ngx_value(NGX_DNS_MASTER_DEPTH) " deep already");
        ngx_dns_master_cannot(err, "include", name, &reason);

        return NGX_ERROR;
    }

    includer = m->depth ? &m->source[m->depth - 1].path : NULL;
    ngx_str_set(&reason, "unknown error");

    f->handle = files->open(files->data, name, includer, &f->path, &reason);

    if (f->handle == NULL) {
        ngx_dns_master_cannot(err, "open", name, &reason);
        return NGX_ERROR;
    }

    for (i = 0; i < m->depth; i++) {

        if (m->source[i].path.len == f->path.len
            && ngx_memcmp(m->source[i].path.data, f->path.data, f->path.len)
               == 0)
        {
            ngx_str_set(&reason, "it includes itself");
            ngx_dns_master_cannot(err, "include", name, &reason);

            goto failed;
        }
    }

    index = ngx_dns_records_file(m->records, &f->path);

    if (index == NGX_DECLINED) {
        ngx_str_set(&reason, ngx_value(NGX_DNS_FILES_MAX)
                             " files have been read already");
        ngx_dns_master_cannot(err, "include", name, &reason);

        goto failed;
    }

    f->size = ngx_max(m->conf->window, 16);

    if (m->conf->window == 0) {
        f->size = NGX_DNS_MASTER_WINDOW;
    }

    f->buf = m->conf->mem->map(m->conf->mem->data, f->size);

    if (index == NGX_ERROR || f->buf == NULL) {
        err->len = ngx_sprintf(err->data, "no memory") - err->data;
        goto failed;
    }

    f->index = (uint32_t) index;
    f->end = f->buf;
    f->entry = f->buf;
    f->line = 1;
    f->eof = 0;
    f->cut = '\0';
    f->saved = m->scope;

    ngx_dns_scan_init(&f->scan, f->buf, 0, NULL);
    f->scan.origin = m->scope.origin;
    f->scan.origin_len = m->scope.origin_len;
    f->scan.partial = 1;

    m->depth++;

    return NGX_OK;

failed:

    files->close(files->data, f->handle);

    return NGX_ERROR;
}


/* of a long path the end says most */

static void
ngx_dns_master_cannot(ngx_str_t *err, const char *what, ngx_str_t *path,
    ngx_str_t *reason)
{
    ngx_str_t    end;
    const char  *cut;

    end = *path;
    cut = "";

    if (end.len > NGX_DNS_MASTER_PATH) {
        end.data += end.len - NGX_DNS_MASTER_PATH;
        end.len = NGX_DNS_MASTER_PATH;
        cut = "...";
    }

    err->len = ngx_snprintf(err->data, NGX_DNS_SCAN_ERROR,
                            "cannot %s \"%s%V\": %V", what, cut, &end, reason)
               - err->data;
}


static void
ngx_dns_master_close(ngx_dns_master_t *m)
{
    ngx_dns_source_t  *f;

    f = &m->source[--m->depth];

    m->conf->files->close(m->conf->files->data, f->handle);
    m->conf->mem->unmap(m->conf->mem->data, f->buf, f->size);

    m->scope = f->saved;
}


/*
 * Moves the current entry to the start of the window and reads what comes
 * behind it, until the window has at least one whole line more.
 */

static ngx_int_t
ngx_dns_master_fill(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    u_char          *p;
    size_t           lines;
    ngx_dns_scan_t  *s;

    s = &f->scan;

    *s->last = f->cut;

    ngx_memmove(f->buf, f->entry, f->end - f->entry);

    lines = s->last - f->entry;
    f->end = f->buf + (f->end - f->entry);
    f->entry = f->buf;

    for ( ;; ) {

        if (ngx_dns_master_read_on(m, f) != NGX_OK) {
            return NGX_ERROR;
        }

        if (f->eof) {
            p = f->end;
            break;
        }

        for (p = f->end; p > f->buf + lines && p[-1] != '\n'; p--) {
            /* void */
        }

        if (p > f->buf + lines) {
            break;
        }

        if (ngx_dns_master_grow(m, f) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    f->cut = *p;
    *p = '\n';

    s->pos = f->buf;
    s->last = p;
    s->line = f->line;
    s->depth = 0;
    s->partial = !f->eof;
    s->more = 0;
    s->err_len = 0;

    return NGX_OK;
}


/* fills the window, of which one octet stays free for the end mark */

static ngx_int_t
ngx_dns_master_read_on(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    size_t            room;
    ssize_t           n;
    ngx_str_t         err;
    ngx_uint_t        first;
    ngx_dns_files_t  *files;

    files = m->conf->files;
    first = (f->end == f->buf && f->line == 1);

    for ( ;; ) {
        room = f->buf + f->size - 1 - f->end;

        if (room == 0 || f->eof) {
            break;
        }

        ngx_str_set(&err, "unknown error");

        n = files->read(files->data, f->handle, f->end, room, &err);

        if (n < 0) {
            return ngx_dns_master_fatal(m, f, "cannot read", &err);
        }

        f->eof = (n == 0);
        f->end += n;
    }

    if (first && f->end - f->buf >= 3
        && ngx_memcmp(f->buf, "\xef\xbb\xbf", 3) == 0)
    {
        /* the byte order mark of UTF-8 */

        f->end -= 3;
        ngx_memmove(f->buf, f->buf + 3, f->end - f->buf);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_grow(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    u_char            *buf;
    size_t             size;
    ngx_dns_memory_t  *mem;

    if (f->size >= NGX_DNS_MASTER_ENTRY) {
        return ngx_dns_master_fatal(m, f, "an entry is longer than 64 MiB, "
                                    "maybe a parenthesis is not closed", NULL);
    }

    mem = m->conf->mem;
    size = 2 * f->size;

    buf = mem->map(mem->data, size);

    if (buf == NULL) {
        return ngx_dns_master_fatal(m, f, "no memory", NULL);
    }

    ngx_memcpy(buf, f->buf, f->end - f->buf);
    mem->unmap(mem->data, f->buf, f->size);

    f->end = buf + (f->end - f->buf);
    f->entry = buf;
    f->buf = buf;
    f->size = size;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_entry(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    ngx_int_t        rc;
    ngx_dns_scan_t  *s;

    s = &f->scan;

    if (ngx_dns_scan_is_word(*s->pos)) {

        if (*s->pos == '$') {
            return ngx_dns_master_directive(m, f);
        }

        if (ngx_dns_master_owner(m, s) != NGX_OK) {
            return NGX_ERROR;
        }

        return ngx_dns_master_record(m, s, f);
    }

    rc = ngx_dns_scan_next(s);

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
    }

    if (*f->entry != ' ' && *f->entry != '\t') {

        /* a parenthesis in front of the owner */

        if (ngx_dns_master_owner(m, s) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_dns_master_record(m, s, f);
}


static ngx_int_t
ngx_dns_master_owner(ngx_dns_master_t *m, ngx_dns_scan_t *s)
{
    m->scope.bad_owner = 1;

    if (ngx_dns_scan_name(s, m->scope.owner, &m->scope.owner_len) != NGX_OK) {
        return NGX_ERROR;
    }

    m->scope.bad_owner = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_record(ngx_dns_master_t *m, ngx_dns_scan_t *s,
    ngx_dns_source_t *f)
{
    size_t             len;
    uint32_t           ttl;
    ngx_int_t          rc, type;
    ngx_uint_t         has_ttl;
    ngx_dns_pool_t    *pool;
    ngx_dns_scope_t   *scope;
    ngx_dns_record_t   r;

    scope = &m->scope;
    pool = NULL;
    len = 0;

    if (scope->owner_len == 0 && !scope->bad_owner) {
        return ngx_dns_scan_err(s, "no owner name");
    }

    type = ngx_dns_master_type(s, &ttl, &has_ttl);

    if (type == NGX_ERROR) {
        return NGX_ERROR;
    }

    rc = (type == NGX_DNS_MASTER_POOL)
             ? ngx_dns_pools_scan(&m->pools, s, &pool)
             : ngx_dns_master_rdata(m, s, type, &len);

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (has_ttl) {
        scope->last_ttl = ttl;
        scope->has_last_ttl = 1;

    } else {
        ttl = ngx_dns_master_ttl(m, type, len);
    }

    if (type == NGX_DNS_TYPE_NOTE) {
        ngx_dns_aname_ttl(m->rdata, ttl);
        ttl = 0;
    }

    if (scope->bad_owner) {

        /* it was reported with the record that has it */

        return NGX_OK;
    }

    r.owner = scope->owner;
    r.owner_len = scope->owner_len;
    r.rdata = m->rdata;
    r.rdlen = (uint16_t) len;
    r.type = (uint16_t) type;
    r.ttl = ttl;
    r.file = f->index;
    r.line = (uint32_t) f->line;

    if (pool != NULL) {
        rc = ngx_dns_pools_place(&m->pools, pool, m->records, &r);

    } else {
        rc = ngx_dns_records_add(m->records, &r);
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (++m->nrecords % NGX_DNS_MASTER_PROGRESS == 0) {
        ngx_dns_report(m->conf->rep, NGX_DNS_REPORT_PROGRESS, &f->path,
                       f->line, "%uz records", m->nrecords);
    }

    return NGX_OK;
}


/* a note is what an ANAME becomes */

static ngx_int_t
ngx_dns_master_rdata(ngx_dns_master_t *m, ngx_dns_scan_t *s, ngx_uint_t type,
    size_t *len)
{
    return (type == NGX_DNS_TYPE_NOTE)
               ? ngx_dns_aname_scan(s, m->rdata, len)
               : ngx_dns_rdata_scan(s, type, m->rdata, sizeof(m->rdata), len);
}


/*
 * TTL and class in any order, or none, then the type; that of a note for an
 * ANAME
 */

static ngx_int_t
ngx_dns_master_type(ngx_dns_scan_t *s, uint32_t *ttl, ngx_uint_t *has_ttl)
{
    u_char         *p;
    ngx_int_t       type, class;
    ngx_uint_t      has_class;
    ngx_dns_word_t  w;

    *has_ttl = 0;
    has_class = 0;

    for ( ;; ) {

        if (ngx_dns_scan_next(s) == NGX_ERROR) {
            return NGX_ERROR;
        }

        p = s->pos;

        if (!has_class
            && (p[0] == 'I' || p[0] == 'i') && (p[1] == 'N' || p[1] == 'n')
            && !ngx_dns_scan_is_word(p[2]))
        {
            s->pos = p + 2;
            has_class = 1;
            continue;
        }

        if (*p >= '0' && *p <= '9' && !*has_ttl) {

            if (ngx_dns_scan_ttl(s, NGX_DNS_MASTER_TTL, "TTL", ttl)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            *has_ttl = 1;
            continue;
        }

        if (ngx_dns_scan_plain(s, &w, "RR type") != NGX_OK) {
            return NGX_ERROR;
        }

        if (!has_class) {
            class = ngx_dns_rr_class(w.data, w.len);

            if (class == NGX_DNS_CLASS_IN) {
                has_class = 1;
                continue;
            }

            if (class != NGX_ERROR) {
                return ngx_dns_scan_err_word(s, &w, "is not the class IN");
            }
        }

        if (ngx_dns_aname_is(&w)) {
            return NGX_DNS_TYPE_NOTE;
        }

        type = ngx_dns_rr_type(w.data, w.len);

        if (type == NGX_ERROR && ngx_dns_master_is(&w, "POOL")) {
            return NGX_DNS_MASTER_POOL;
        }

        if (type == NGX_ERROR) {
            return ngx_dns_scan_err_word(s, &w, "is not an RR type");
        }

        if (type == 0 || type == NGX_DNS_TYPE_OPT
            || type == NGX_DNS_TYPE_NOTE
            || (type >= 128 && type <= 255))
        {
            /* RFC 6895, 3.1 */

            return ngx_dns_scan_err_word(s, &w,
                                "is a type of queries and messages, "
                                "which no zone can hold");
        }

        return type;
    }
}


/* the TTL of a record that has none; RFC 2308, 4; RFC 1035, 5.1 */

static uint32_t
ngx_dns_master_ttl(ngx_dns_master_t *m, ngx_uint_t type, size_t len)
{
    if (m->scope.has_ttl) {
        return m->scope.ttl;
    }

    if (m->scope.has_last_ttl) {
        return m->scope.last_ttl;
    }

    if (type == NGX_DNS_TYPE_SOA) {
        m->minimum = ngx_dns_get32(m->rdata + len - 4);
        m->minimum = ngx_min(m->minimum, NGX_DNS_MASTER_TTL);
        m->has_minimum = 1;
    }

    return m->has_minimum ? m->minimum : m->conf->default_ttl;
}


static ngx_int_t
ngx_dns_master_directive(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    ngx_uint_t      i, n;
    ngx_dns_word_t  w;

    if (ngx_dns_scan_word(&f->scan, &w) != NGX_OK) {
        return NGX_ERROR;
    }

    n = sizeof(ngx_dns_master_directives)
        / sizeof(ngx_dns_master_directives[0]);

    for (i = 0; i < n; i++) {
        if (ngx_dns_master_is(&w, ngx_dns_master_directives[i].name)) {
            return ngx_dns_master_directives[i].handler(m, f);
        }
    }

    return ngx_dns_scan_err_word(&f->scan, &w, "is not a directive");
}


static ngx_uint_t
ngx_dns_master_is(ngx_dns_word_t *w, const char *name)
{
    size_t  i;

    for (i = 0; i < w->len; i++) {
        if (ngx_toupper(w->data[i]) != (u_char) name[i]) {
            return 0;
        }
    }

    return name[i] == '\0';
}


static ngx_int_t
ngx_dns_master_set_ttl(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    uint32_t  ttl;

    if (ngx_dns_scan_ttl(&f->scan, NGX_DNS_MASTER_TTL, "TTL", &ttl) != NGX_OK
        || ngx_dns_scan_end(&f->scan) != NGX_OK)
    {
        return NGX_ERROR;
    }

    m->scope.ttl = ttl;
    m->scope.has_ttl = 1;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_origin(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    u_char  name[NGX_DNS_SCAN_NAME];
    size_t  len;

    if (ngx_dns_scan_name(&f->scan, name, &len) != NGX_OK
        || ngx_dns_scan_end(&f->scan) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_memcpy(m->scope.origin, name, len);
    m->scope.origin_len = len;
    f->scan.origin_len = len;

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_include(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    u_char           *last, path[NGX_MAX_PATH], text[NGX_DNS_SCAN_ERROR];
    u_char            origin[NGX_DNS_SCAN_NAME];
    size_t            len;
    ngx_int_t         rc;
    ngx_str_t         name, err;
    ngx_dns_scan_t   *s;
    ngx_dns_word_t    w;

    s = &f->scan;
    rc = ngx_dns_scan_word(s, &w);

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? ngx_dns_scan_err(s, "no file name")
                                : NGX_ERROR;
    }

    last = ngx_dns_scan_unescape(s, &w, path, path + sizeof(path) - 1,
                                 "is too long for a file name");
    if (last == NULL) {
        return NGX_ERROR;
    }

    if (last == path || memchr(path, '\0', last - path) != NULL) {
        return ngx_dns_scan_err_word(s, &w, "is not a file name");
    }

    *last = '\0';

    rc = ngx_dns_scan_next(s);
    len = 0;

    if (rc == NGX_ERROR
        || (rc == NGX_OK && ngx_dns_scan_name(s, origin, &len) != NGX_OK)
        || ngx_dns_scan_end(s) != NGX_OK)
    {
        return NGX_ERROR;
    }

    name.data = path;
    name.len = last - path;
    err.data = text;

    if (ngx_dns_master_open(m, &name, &err) != NGX_OK) {
        return ngx_dns_scan_err(s, "%V", &err);
    }

    if (len > 0) {
        ngx_memcpy(m->scope.origin, origin, len);
        m->scope.origin_len = len;
        m->source[m->depth - 1].scan.origin_len = len;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_dns_master_generate(ngx_dns_master_t *m, ngx_dns_source_t *f)
{
    u_char              *last;
    uint64_t             i;
    uint32_t             n;
    ngx_dns_scan_t      *s, line;
    ngx_dns_generate_t   g;

    s = &f->scan;

    if (ngx_dns_generate_scan(s, &g) != NGX_OK) {
        return NGX_ERROR;
    }

    if (g.count > m->conf->max_generate) {
        return ngx_dns_scan_err(s, "$GENERATE makes %uL records, more than "
                                "the %uz that are allowed",
                                g.count, m->conf->max_generate);
    }

    n = g.start;

    for (i = 0; i < g.count; i++, n += g.step) {

        if (m->conf->rep->errors >= m->max_errors) {
            break;
        }

        last = ngx_dns_generate_expand(s, &g, n, m->line,
                                       m->line + NGX_DNS_MASTER_LINE);
        if (last == NULL) {
            return NGX_ERROR;
        }

        *last = '\n';

        ngx_dns_scan_init(&line, m->line, last - m->line, NULL);
        line.origin = m->scope.origin;
        line.origin_len = m->scope.origin_len;

        if (ngx_dns_master_owner(m, &line) == NGX_OK
            && ngx_dns_master_record(m, &line, f) == NGX_OK)
        {
            continue;
        }

        if (line.err_len == 0) {
            return NGX_ERROR;
        }

        return ngx_dns_scan_err(s, "$GENERATE with %uD: %*s", n,
                                line.err_len, line.err);
    }

    return NGX_OK;
}
