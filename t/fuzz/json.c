
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Values as Redis stores them, in the notation of t/unit/buildtext.h.  The
 * first octet chooses profile and layout; a line "-" ends a zone, and what
 * follows is the next version of it, which may take from the one before.
 *
 * Behind a first octet "J" is a text that two readers of JSON must agree on,
 * behind an "S" the value of a key with the state of an address: what is read
 * is the same when it was written again.
 *
 * Whatever the values are: the zone is compiled, without an error, it passes
 * the checks for zones that come from files, it is the same in whatever order
 * the values come, and it can be asked for all of its names.
 */


#include <jansson.h>
#include "shim.h"
#include "buildtext.h"
#include "check.h"
#include "ngx_dns_json.h"
#include "ngx_dns_status.h"
#include "ngx_dns_verify.h"


#define LINES  256

typedef struct {
    ngx_str_t    text;
    ngx_str_t    key;                   /* what may come only once */
} fuzz_line_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_text(const uint8_t *data, size_t size);
static void fuzz_same(ngx_dns_json_t *value, json_t *other);
static void fuzz_status(const uint8_t *data, size_t size);
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


/*
 * The other reader has limits of depth and of numbers and knows no zero
 * octets in names; what it says of two members of one name is not compared.
 */

static void
fuzz_text(const uint8_t *data, size_t size)
{
    u_char              *copy;
    json_t              *other;
    ngx_str_t            text;
    const char          *err;
    json_error_t         error;
    ngx_dns_json_t      *value;
    ngx_dns_json_buf_t   buf;

    copy = malloc(size + 1);
    memcpy(copy, data, size);

    text.data = copy;
    text.len = size;

    memset(&buf, 0, sizeof(buf));
    buf.mem = &memory;
    err = NULL;

    value = ngx_dns_json_load(&buf, &text, &err);
    check_that(value != NULL || err != NULL);

    other = json_loadb((char *) copy, size, JSON_DECODE_ANY|JSON_ALLOW_NUL
                                            |JSON_REJECT_DUPLICATES, &error);

    if (other != NULL && memchr(copy, '\0', size) != NULL) {

        /* it does not see a zero octet behind a number */

        json_decref(other);

    } else if (other != NULL) {
        check_that(value != NULL);
        fuzz_same(value, other);
        json_decref(other);

    } else {
        switch (json_error_code(&error)) {

        case json_error_numeric_overflow:
        case json_error_null_byte_in_key:
        case json_error_stack_overflow:
        case json_error_duplicate_key:
            break;

        default:
            check_that(value == NULL);
        }
    }

    ngx_dns_json_free(&buf);
    free(copy);
}


static void
fuzz_same(ngx_dns_json_t *value, json_t *other)
{
    size_t           i;
    double           d;
    int64_t          n;
    json_t          *member;
    ngx_int_t        rc;
    ngx_dns_json_t  *inner;

    const int64_t    max = 0xffffffff;

    switch (json_typeof(other)) {

    case JSON_NULL:
        check_that(value->type == NGX_DNS_JSON_NULL);
        break;

    case JSON_TRUE:
        check_that(value->type == NGX_DNS_JSON_TRUE);
        break;

    case JSON_FALSE:
        check_that(value->type == NGX_DNS_JSON_FALSE);
        break;

    case JSON_STRING:
        check_that(value->type == NGX_DNS_JSON_STRING
                   && value->len == json_string_length(other)
                   && memcmp(value->data, json_string_value(other),
                             value->len + 1)
                      == 0);
        break;

    case JSON_INTEGER:
        check_that(ngx_dns_json_number(value, max, &n) == NGX_OK);
        check_that(n == ngx_max(-1, ngx_min(json_integer_value(other),
                                            max + 1)));
        break;

    case JSON_REAL:
        rc = ngx_dns_json_number(value, max, &n);
        d = json_real_value(other);

        d = (d < 0) ? -1 : ngx_min(d, (double) max + 1);

        /* what is lost in a double may be the only thing behind the point */

        if (rc == NGX_OK) {
            d -= (double) n;
            check_that(n == -1 || (d < 1e-3 && d > -1e-3));
        }

        break;

    case JSON_ARRAY:
        check_that(value->type == NGX_DNS_JSON_LIST);

        inner = ngx_dns_json_first(value);

        for (i = 0; i < json_array_size(other); i++) {
            check_that(inner != ngx_dns_json_end(value));
            fuzz_same(inner, json_array_get(other, i));
            inner = ngx_dns_json_next(inner);
        }

        check_that(inner == ngx_dns_json_end(value));
        break;

    default:
        check_that(value->type == NGX_DNS_JSON_OBJECT);

        i = 0;

        for (inner = ngx_dns_json_first(value);
             inner != ngx_dns_json_end(value);
             inner = ngx_dns_json_next(inner))
        {
            member = json_object_getn(other, (char *) inner->name,
                                      inner->name_len);
            check_that(member != NULL);
            fuzz_same(inner, member);
            i++;
        }

        check_that(i == json_object_size(other));
        break;
    }
}


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

        if (end == p || *p == '\0' || (end - p > 1 && p[1] != ' ')
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


/* the text is its uri, too, and the id of its zone */

static void
fuzz_status(const uint8_t *data, size_t size)
{
    u_char                   *copy;
    ngx_int_t                 run;
    ngx_str_t                 text;
    const char               *err;
    ngx_dns_probe_t           probe;
    ngx_dns_status_t          status, again;
    ngx_dns_json_buf_t        buf;
    ngx_dns_status_target_t   target;

    static u_char  value[NGX_DNS_STATUS_VALUE];

    copy = malloc(size + 1);
    memcpy(copy, data, size);
    memset(&buf, 0, sizeof(buf));
    memset(&probe, 0, sizeof(probe));

    buf.mem = &memory;
    text.data = copy;
    text.len = size;

    if (ngx_dns_status_read(&buf, &text, &status, &err) == NGX_OK) {

        run = ngx_dns_status_run(&status, 3, 4);
        check_that(run >= -4 && run <= 3);
        check_that((run < 0) <= (status.status < 0));

        probe.up_count = (uint16_t) status.up_count;
        probe.down_count = (uint16_t) status.down_count;
        ngx_dns_probe_settle(&probe);

        probe.uri.data = copy;
        probe.uri.len = ngx_min(size, NGX_DNS_PROBE_URI_MAX);

        memset(&target, 0, sizeof(target));
        target.owner = build_apex;
        target.address = (u_char *) "\1\2\3\4";
        target.len = 4;
        target.probe = &probe;
        target.domain.data = copy;
        target.domain.len = ngx_min(size, NGX_DNS_ZONE_ID_MAX);

        /* a time has seconds, and a text may have been cut in a letter */

        text.data = value;
        text.len = ngx_dns_status_write(value, &target, &status) - value;

        if (ngx_dns_status_read(&buf, &text, &again, &err) == NGX_OK) {
            check_that(again.status == status.status);
            check_that(again.checked == status.checked / 1000 * 1000);
            check_that(again.up_count == probe.up_count);
            check_that(again.down_count == probe.down_count);

        } else {
            check_that(size > NGX_DNS_ZONE_ID_MAX);
        }
    }

    free(copy);
    ngx_dns_json_free(&buf);
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

    if (size > 0 && data[0] == 'J') {
        fuzz_text(data + 1, size - 1);
        check_that(memory_blocks == 0);

        return 0;
    }

    if (size > 0 && data[0] == 'S') {
        fuzz_status(data + 1, size - 1);
        check_that(memory_blocks == 0);

        return 0;
    }

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
