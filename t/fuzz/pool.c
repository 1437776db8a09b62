
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Pools as they stand in a configuration: words parted by blanks and line
 * ends, lines ended by ";"; the first line of an input is the name.
 *
 * What is refused is told in octets that may go into a log.  What is accepted
 * gives notes that are good, in the same way each time, and a zone that uses
 * it compiles.
 */


#include "shim.h"
#include "memory.h"
#include "check.h"
#include "pooltext.h"
#include "verified.h"
#include "ngx_dns_compile.h"
#include "ngx_dns_rdata.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ngx_dns_pool_t *fuzz_pool(ngx_pool_t *pool, ngx_str_t *name,
    const char *lines, size_t len, uint32_t interval);
static void fuzz_error(ngx_str_t *err);
static void fuzz_same(ngx_dns_pool_t *p, ngx_dns_pool_t *q);
static void fuzz_set(ngx_dns_pool_t *p, ngx_dns_pool_set_t *set);
static void fuzz_probe(ngx_dns_pool_t *p);
static void fuzz_zone(ngx_dns_pool_t *p);
static void fuzz_add(ngx_dns_records_t *rs, ngx_dns_record_t *r,
    ngx_uint_t type, const char *text);
static void fuzz_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text);


static u_char         apex[] = "\004zone\004test";

static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char            *lines;
    u_char          *name;
    size_t           len;
    ngx_str_t        text;
    ngx_pool_t      *pool;
    const uint8_t   *end;
    ngx_dns_pool_t  *p, *q;

    end = size ? memchr(data, '\n', size) : NULL;
    len = end ? (size_t) (end - data) : size;

    name = malloc(len + 1);
    memcpy(name, data, len);
    name[len] = '\0';

    text.data = name;
    text.len = len;

    len = end ? size - len - 1 : 0;
    lines = malloc(len + 1);
    memcpy(lines, end ? end + 1 : data, len);

    pool = shim_pool();

    p = fuzz_pool(pool, &text, lines, len, 10000);
    q = fuzz_pool(pool, &text, lines, len, 10000);

    check_that((p == NULL) == (q == NULL));

    if (p != NULL) {
        fuzz_same(p, q);

        q = fuzz_pool(pool, &text, lines, len, 1);
        check_that(q != NULL);
        check_that(q->digest == p->digest
                   || (p->checked && p->probe.interval == 0));

        fuzz_set(p, &p->sets[0]);
        fuzz_set(p, &p->sets[1]);
        check_that(p->sets[0].n + p->sets[1].n == p->addresses.nelts);

        fuzz_probe(p);
        fuzz_zone(p);
    }

    ngx_destroy_pool(pool);
    free(lines);
    free(name);

    check_that(memory_blocks == 0);

    return 0;
}


static ngx_dns_pool_t *
fuzz_pool(ngx_pool_t *pool, ngx_str_t *name, const char *lines, size_t len,
    uint32_t interval)
{
    u_char          *buf;
    ngx_str_t        err;
    ngx_dns_pool_t  *p;

    buf = malloc(NGX_DNS_POOL_ERROR);
    err.data = buf;
    err.len = 0;

    p = ngx_dns_pool_create(pool, name, &err);

    if (p == NULL || pooltext(p, lines, len, interval, &err) != NGX_OK) {
        fuzz_error(&err);
        p = NULL;
    }

    free(buf);

    return p;
}


static void
fuzz_error(ngx_str_t *err)
{
    size_t  i;

    check_that(err->len > 0 && err->len <= NGX_DNS_POOL_ERROR);

    for (i = 0; i < err->len; i++) {
        check_that(err->data[i] >= ' ' && err->data[i] <= '~');
    }
}


static void
fuzz_same(ngx_dns_pool_t *p, ngx_dns_pool_t *q)
{
    ngx_uint_t  i;

    check_that(p->digest == q->digest);
    check_that(p->drained == q->drained);

    for (i = 0; i < 2; i++) {
        check_that(p->sets[i].n == q->sets[i].n);
        check_that(p->sets[i].choice.len == q->sets[i].choice.len);
        check_that(p->sets[i].choice.len == 0
                   || memcmp(p->sets[i].choice.data, q->sets[i].choice.data,
                             p->sets[i].choice.len)
                      == 0);
    }
}


static void
fuzz_set(ngx_dns_pool_t *p, ngx_dns_pool_set_t *set)
{
    ngx_uint_t            i;
    const u_char         *rr;
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   one;

    for (i = 1; i < set->n; i++) {
        check_that(memcmp(set->addresses[i - 1]->address,
                          set->addresses[i]->address, set->len)
                   < 0);
    }

    if (set->choice.len == 0) {
        return;
    }

    check_that(ngx_dns_note_covered(set->choice.data) == set->type);
    check_that(ngx_dns_note_kind(set->choice.data) == NGX_DNS_NOTE_CHOICE);
    check_that(ngx_dns_choice_read(set->choice.data + NGX_DNS_NOTE_HEAD,
                                   set->choice.len - NGX_DNS_NOTE_HEAD,
                                   &choice)
               == NGX_OK);
    check_that(choice.nrr == set->n);

    rr = choice.rrs;

    for (i = 0; i < choice.nrr; i++) {
        rr = ngx_dns_choice_rr(rr, &one);

        check_that(one.position < set->n);
        check_that((one.check > 1) == p->checked);
    }
}


static void
fuzz_probe(ngx_dns_pool_t *p)
{
    ngx_dns_probe_t  probe;

    check_that((p->payload.len != 0) == p->checked);

    if (p->checked) {
        check_that(ngx_dns_probe_read(p->payload.data, p->payload.len, &probe)
                   == NGX_OK);
        check_that(probe.protocol == p->probe.protocol
                   && probe.port == p->probe.port && probe.port != 0);
        check_that(ngx_dns_name_len(p->owner) <= sizeof(p->owner));
    }
}


static void
fuzz_zone(ngx_dns_pool_t *p)
{
    size_t                   size;
    ngx_dns_zone_t          *zone;
    ngx_dns_record_t         r;
    ngx_dns_records_t       *rs;
    ngx_dns_reporter_t       rep;
    ngx_dns_pools_reader_t   reader;

    memset(&rep, 0, sizeof(rep));
    rep.report = fuzz_report;

    rs = ngx_dns_records_create(apex, &memory, &rep);

    memset(&r, 0, sizeof(r));
    r.owner = apex;
    r.owner_len = sizeof(apex);
    r.ttl = 30;

    fuzz_add(rs, &r, NGX_DNS_TYPE_SOA, "ns. host. 1 2 3 4 5");
    fuzz_add(rs, &r, NGX_DNS_TYPE_NS, "ns.");

    memset(&reader, 0, sizeof(reader));

    check_that(ngx_dns_pools_place(&reader, p, rs, &r) == NGX_OK);
    ngx_dns_pools_check(&reader, rs, 10);
    check_that(rep.errors == 0);

    check_that(ngx_dns_compile(rs, &key, &memory, &zone, &size) == NGX_OK);
    verified(zone, &key);

    memory_unmap(NULL, zone, size);
    ngx_dns_pools_done(&reader, &memory);
    ngx_dns_records_destroy(rs);
}


static void
fuzz_add(ngx_dns_records_t *rs, ngx_dns_record_t *r, ngx_uint_t type,
    const char *text)
{
    u_char      rdata[512], buf[NGX_DNS_SCAN_ERROR];
    ssize_t     n;
    ngx_str_t   s, err;

    s.data = (u_char *) text;
    s.len = strlen(text);
    err.data = buf;

    n = ngx_dns_rdata_from_text(type, &s, NULL, rdata, sizeof(rdata), &err);
    check_that(n > 0);

    r->type = (uint16_t) type;
    r->rdata = rdata;
    r->rdlen = (uint16_t) n;

    check_that(ngx_dns_records_add(rs, r) == NGX_OK);
}


static void
fuzz_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text)
{
    check_that(level != NGX_DNS_REPORT_ERROR);
}
