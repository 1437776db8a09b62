
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Values as Redis stores them, in the notation of t/unit/buildtext.h.  The
 * first octet chooses profile and layout; a line "-" ends a zone, and what
 * follows is the next version of it, which may take from the one before.
 *
 * Whatever the values are: the zone is compiled, without an error, it passes
 * the checks for zones that come from files, it is the same in whatever order
 * the values come, and it can be asked for all of its names.
 */


#include "shim.h"
#include "buildtext.h"
#include "check.h"
#include "ngx_dns_verify.h"


#define LINES  256

typedef struct {
    ngx_str_t    text;
    ngx_str_t    key;                   /* what may come only once */
} fuzz_line_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ngx_uint_t fuzz_lines(fuzz_line_t *lines, u_char *p, u_char *last,
    ngx_uint_t l4);
static ngx_dns_zone_t *fuzz_build(fuzz_line_t *lines, ngx_uint_t n,
    ngx_uint_t backwards, ngx_dns_zone_t *last, size_t *size);
static void fuzz_verify(ngx_dns_zone_t *zone, size_t size);
static void fuzz_ask(ngx_dns_zone_t *zone, fuzz_line_t *lines, ngx_uint_t n);
static void fuzz_question(ngx_dns_zones_t *zones, const u_char *name,
    ngx_uint_t qtype);
static void fuzz_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text);


static const uint16_t  types[] = {
    NGX_DNS_TYPE_A, NGX_DNS_TYPE_AAAA, NGX_DNS_TYPE_CNAME, NGX_DNS_TYPE_TXT,
    NGX_DNS_TYPE_NS, NGX_DNS_TYPE_MX, NGX_DNS_TYPE_SOA, NGX_DNS_TYPE_DS,
    NGX_DNS_TYPE_CAA, NGX_DNS_TYPE_HTTPS, NGX_DNS_TYPE_ANY, 65280
};


/* each key once, as in Redis, and those of one layout only */

static ngx_uint_t
fuzz_lines(fuzz_line_t *lines, u_char *p, u_char *last, ngx_uint_t l4)
{
    u_char       *end, *q, kind;
    ngx_str_t     one, two;
    ngx_uint_t    i, n;
    fuzz_line_t  *line;

    n = 0;

    for ( /* void */ ; p < last && n < LINES; p = end + 1) {
        end = memchr(p, '\n', last - p);
        end = (end == NULL) ? last : end;

        if (end == p || *p == '\0'
            || strchr(l4 ? "CLRWK" : "CFWK", *p) == NULL)
        {
            continue;
        }

        kind = *p;
        line = &lines[n];
        line->text.data = p;
        line->text.len = end - p;
        line->key.data = p;

        q = ngx_min(p + 2, end);
        one = build_word(&q, end);

        if (kind == 'K' && (one.len != 1 || one.data[0] < '0'
                            || one.data[0] > '3'))
        {
            continue;
        }

        if (kind == 'C') {
            q = p + 1;

        } else if (kind == 'R' || kind == 'W') {
            two = build_word(&q, end);

            /* only layout L4 has keys of types; none has one without label */

            if (kind == 'W' && ((!l4 && two.len) || (one.len == 0
                                                     && two.len)))
            {
                continue;
            }

            if (one.len == 0 && two.len == 0) {
                line->text.data[0] = 'C';
                line->text.len = 1;
            }
        }

        line->key.len = q - p;

        /* F and W, R and W are of the same key */

        for (i = 0; i < n; i++) {
            if (lines[i].key.len == line->key.len
                && memcmp(lines[i].key.data + 1, p + 1, line->key.len - 1) == 0
                && (lines[i].key.data[0] == 'L') == (kind == 'L')
                && (lines[i].key.data[0] == 'K') == (kind == 'K')
                && (lines[i].key.data[0] == 'C') == (kind == 'C'))
            {
                break;
            }
        }

        n += (i == n);
    }

    return n;
}


static void
fuzz_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text)
{
    size_t  i;

    check_that(level != NGX_DNS_REPORT_ERROR);

    for (i = 0; i < text->len; i++) {
        check_that(text->data[i] >= 0x20 && text->data[i] < 0x7f);
    }
}


static ngx_dns_zone_t *
fuzz_build(fuzz_line_t *lines, ngx_uint_t n, ngx_uint_t backwards,
    ngx_dns_zone_t *last, size_t *size)
{
    u_char              *copy, *p;
    ngx_uint_t           i, bad;
    fuzz_line_t         *line;
    ngx_dns_zone_t      *zone;
    ngx_dns_build_t     *b;
    ngx_dns_records_t   *rs;
    ngx_dns_reporter_t   rep;

    memset(&rep, 0, sizeof(rep));
    rep.report = fuzz_report;

    b = ngx_dns_build_create(build_apex, &build_conf, 0x123456789ULL, last,
                             &memory, &rep);

    for (i = 0; i < n; i++) {
        line = &lines[backwards ? n - 1 - i : i];

        copy = malloc(line->text.len + 1);
        memcpy(copy, line->text.data, line->text.len);

        for (p = copy; p < copy + line->text.len; p++) {
            *p = (*p == '\'') ? '"' : *p;
        }

        check_that(build_line(b, copy, p) == NGX_OK);
        free(copy);
    }

    rs = ngx_dns_build_end(b, &bad);
    check_that(rs != NULL);
    check_that(bad <= rep.warnings);

    check_that(ngx_dns_compile(rs, &build_key, &memory, &zone, size)
               == NGX_OK);
    check_that(rep.errors == 0);

    ngx_dns_build_destroy(b);

    return zone;
}


static void
fuzz_verify(ngx_dns_zone_t *zone, size_t size)
{
    u_char      *copy;
    const char  *err;

    copy = aligned_alloc(64, (size + 63) / 64 * 64);
    memcpy(copy, zone, size);

    check_that(ngx_dns_zone_verify(copy, size, &build_key, &err) == NGX_OK);

    free(copy);
}


static void
fuzz_question(ngx_dns_zones_t *zones, const u_char *name, ngx_uint_t qtype)
{
    u_char                 packet[512], *p;
    size_t                 n;
    ngx_dns_zone_t        *zone;
    ngx_dns_query_t        q;
    ngx_dns_reply_t       *reply;
    ngx_dns_transport_t    t;
    ngx_dns_answer_conf_t  conf;

    static u_char             buf[NGX_DNS_MESSAGE_MAX];
    static ngx_pool_t        *pool;
    static check_reply_t      r;
    static ngx_dns_writer_t  *writer;
    static ngx_dns_answer_t  *answer;

    if (pool == NULL) {
        pool = shim_pool();
        writer = ngx_dns_writer_create(pool, &build_key);
        answer = ngx_dns_answer_create(pool, &build_key);
    }

    memset(packet, 0, sizeof(packet));
    packet[5] = 1;
    p = ngx_cpymem(packet + 12, name, ngx_dns_name_len(name));
    p = ngx_dns_put16(p, qtype);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);

    check_that(ngx_dns_query_parse(&q, packet, p - packet, 0, &build_key)
               == NGX_DNS_VERDICT_ANSWER);

    memset(&t, 0, sizeof(t));
    memset(&conf, 0, sizeof(conf));

    conf.zones = zones;
    conf.max_ttl = 0xffffffff;
    t.udp_size = 1232;
    t.tcp = 1;

    zone = ngx_dns_answer_locate(&conf, &q);
    check_that(zone != NULL);

    reply = ngx_dns_answer(answer, &conf, &q, zone, &t);
    n = ngx_dns_write(writer, &q, reply, &t, buf, NGX_DNS_MESSAGE_MAX);

    check_reply(&r, buf, n, &q);
    check_that(r.rcode != NGX_DNS_REFUSED && r.rcode != NGX_DNS_FORMERR);

    /* whatever happens to the apex, its SOA is there */

    if (qtype == NGX_DNS_TYPE_SOA
        && ngx_dns_name_cmp(name, build_apex) == 0)
    {
        check_that(r.rcode == NGX_DNS_NOERROR && r.n > 0
                   && r.rr[0].type == NGX_DNS_TYPE_SOA);
    }
}


static void
fuzz_ask(ngx_dns_zone_t *zone, fuzz_line_t *lines, ngx_uint_t n)
{
    u_char            name[NGX_DNS_NAME_MAX + 3], *p;
    size_t            len;
    ngx_str_t         label;
    ngx_uint_t        i, t;
    const char       *err;
    ngx_pool_t       *pool;
    ngx_dns_zones_t  *zones;

    pool = shim_pool();
    zones = ngx_dns_zones_create(pool, &zone, 1, &build_key);

    for (t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        fuzz_question(zones, build_apex, types[t]);
    }

    for (i = 0; i < n && i < 16; i++) {

        if (lines[i].text.len < 3 || lines[i].text.data[0] == 'C') {
            continue;
        }

        p = lines[i].text.data + 2;
        label = build_word(&p, lines[i].text.data + lines[i].text.len);

        name[0] = 1;
        name[1] = 'x';

        len = ngx_dns_name_from_text(name + 2, &label, build_apex, &err);

        if (len == 0
            || ngx_dns_name_is_subdomain(name + 2, build_apex) != NGX_OK)
        {
            continue;
        }

        for (t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
            fuzz_question(zones, name + 2, types[t]);

            if (len + 2 <= NGX_DNS_NAME_MAX) {
                fuzz_question(zones, name, types[t]);
            }
        }
    }

    ngx_destroy_pool(pool);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char          *copy, *p, *end, *last;
    size_t           zone_size, other_size, last_size;
    ngx_uint_t       n, l4;
    ngx_dns_zone_t  *zone, *other, *before;

    static fuzz_line_t  lines[LINES];

    memory_blocks = 0;
    copy = malloc(size + 1);
    memcpy(copy, data, size);

    p = copy;
    last = copy + size;
    before = NULL;
    last_size = 0;
    l4 = 0;

    if (p < last) {
        build_conf.profile = *p % 3;
        l4 = (*p >> 2) & 1;
        p++;
    }

    do {
        for (end = p; end < last; end++) {
            if (end[0] == '\n' && last - end > 2 && end[1] == '-'
                && end[2] == '\n')
            {
                break;
            }
        }

        n = fuzz_lines(lines, p, end, l4);

        zone = fuzz_build(lines, n, 0, before, &zone_size);
        other = fuzz_build(lines, n, 1, before, &other_size);

        check_that(zone_size == other_size);
        check_that(memcmp(zone, other, zone_size) == 0);

        memory_unmap(NULL, other, other_size);

        if (before != NULL) {
            memory_unmap(NULL, before, last_size);
        }

        before = zone;
        last_size = zone_size;

        fuzz_verify(zone, zone_size);
        fuzz_ask(zone, lines, n);

        p = end + 2;

    } while (end < last);

    memory_unmap(NULL, before, last_size);
    free(copy);

    check_that(memory_blocks == 0);

    return 0;
}
