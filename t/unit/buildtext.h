
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Values as Redis stores them in, records and messages out, both as text.
 *
 * Each line of an input is a value; ' stands for ":
 *
 *     C JSON              the config
 *     F LABEL JSON        a field (L1, L2)
 *     L LABEL             a label (L4)
 *     R LABEL TYPE JSON   an rrset (L4)
 *     W LABEL TYPE        a key of a wrong type; "-" is an empty text
 *     K N TEXT            a DNSSEC key
 *
 * Records are written in canonical order, one a line; the SOA and the note of
 * the zone only if they are asked for.  What all messages begin with, the
 * name of the zone, is left out.
 */


#ifndef _BUILDTEXT_H_INCLUDED_
#define _BUILDTEXT_H_INCLUDED_


#include <stdio.h>
#include "memory.h"
#include "tap.h"
#include "verified.h"
#include "ngx_dns_build.h"
#include "ngx_dns_choice.h"
#include "ngx_dns_probe.h"
#include "ngx_dns_rdata.h"
#include "ngx_dns_store.h"


#define BUILD_TEXT      (256 * 1024)
#define BUILD_ZONE      "zone \"z.test.\""

typedef struct {
    const char  *name;
    const char  *values;
    const char  *records;
    const char  *messages;
} build_t;


static const u_char          build_apex[] = "\001z\004test";

static ngx_dns_key_t         build_key = { { 0x0123456789abcdefULL,
                                             0xfedcba9876543211ULL } };

static ngx_dns_build_conf_t  build_conf = { NGX_DNS_PROFILE_STRICT, 3600,
                                            0xffffffff, 0, 0 };

/* what the last build() gave */

static char                  build_out[BUILD_TEXT];
static size_t                build_out_len;
static char                  build_messages[BUILD_TEXT];
static size_t                build_messages_len;
static ngx_uint_t            build_warnings;
static ngx_uint_t            build_bad;
static ngx_dns_zone_t       *build_zone;
static size_t                build_zone_size;

#define BUILD_CHECKS  8
static uint64_t              build_checks[BUILD_CHECKS];

/* and how it goes */

static const ngx_dns_zone_t *build_last;
static uint64_t              build_digest = 0x0000000700000000ULL;
static ngx_uint_t            build_head;    /* 1: SOA and note too */
static ngx_dns_memory_t     *build_memory = &memory;


static inline void __attribute__((format(printf, 1, 2)))
build_print(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    build_out_len += vsnprintf(build_out + build_out_len,
                               BUILD_TEXT - build_out_len, fmt, args);
    va_end(args);

    build_out_len = ngx_min(build_out_len, BUILD_TEXT - 1);
}


static inline void
build_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text)
{
    int     n;
    size_t  skip;

    if (level == NGX_DNS_REPORT_PROGRESS) {
        return;
    }

    skip = 0;

    if (text->len > sizeof(BUILD_ZONE)
        && memcmp(text->data, BUILD_ZONE, sizeof(BUILD_ZONE) - 1) == 0)
    {
        skip = sizeof(BUILD_ZONE) - 1;
        skip += (text->data[skip] == ',') ? 2 : 0;
    }

    build_warnings++;

    n = snprintf(build_messages + build_messages_len,
                 BUILD_TEXT - build_messages_len, "%s%.*s\n",
                 level == NGX_DNS_REPORT_ERROR ? "ERROR " : "",
                 (int) (text->len - skip), text->data + skip);

    build_messages_len = ngx_min(build_messages_len + (size_t) n,
                                 BUILD_TEXT - 1);
}


/* the next word, up to a blank; moves p behind it */

static inline ngx_str_t
build_word(u_char **p, u_char *last)
{
    ngx_str_t  s;

    s.data = *p;

    while (*p < last && **p != ' ') {
        (*p)++;
    }

    s.len = *p - s.data;
    *p += (*p < last);

    if (s.len == 1 && s.data[0] == '-') {
        s.len = 0;
    }

    return s;
}


static inline ngx_int_t
build_line(ngx_dns_build_t *b, u_char *p, u_char *last)
{
    u_char     kind;
    ngx_str_t  one, two, rest;

    kind = *p;
    p = ngx_min(p + 2, last);

    ngx_str_null(&one);
    ngx_str_null(&two);

    if (kind != 'C') {
        one = build_word(&p, last);
    }

    if (kind == 'R' || kind == 'W') {
        two = build_word(&p, last);
    }

    rest.data = p;
    rest.len = last - p;

    switch (kind) {

    case 'C':
        return ngx_dns_build_config(b, &rest);

    case 'F':
        return ngx_dns_build_field(b, &one, &rest);

    case 'L':
        return ngx_dns_build_label(b, &one);

    case 'R':
        return ngx_dns_build_rrset(b, &one, &two, &rest);

    case 'W':
        return ngx_dns_build_wrong(b, &one, &two);

    case 'K':
        return ngx_dns_build_key(b, one.data[0] - '0', &rest);

    default:
        return NGX_ERROR;
    }
}


static inline void
build_print_choice(u_char *payload, size_t len)
{
    ngx_uint_t            i, k;
    const u_char         *p;
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   rr;

    if (ngx_dns_choice_read(payload, len, &choice) != NGX_OK) {
        build_print(" damaged");
        return;
    }

    build_print(" count %d order %d steps %x flags %d", choice.count,
                choice.order, choice.steps, choice.flags);

    if (choice.flags & NGX_DNS_CHOICE_CHECK) {
        build_print(" each %u", choice.interval);
    }

    p = choice.rrs;

    for (i = 0; i < choice.nrr; i++) {
        p = ngx_dns_choice_rr(p, &rr);

        build_print(" [%d w%u", rr.position, rr.weight);

        if (rr.priority != 0) {
            build_print(" p%u", rr.priority);
        }

        for (k = 0; k < rr.ncountries; k++) {
            build_print(" %c%c", rr.countries[2 * k] ? rr.countries[2 * k]
                                                     : '*',
                        rr.countries[2 * k + 1] ? rr.countries[2 * k + 1]
                                                : '*');
        }

        for (k = 0; k < rr.ncontinents; k++) {
            build_print(" in %c%c", rr.continents[2 * k] ? rr.continents[2 * k]
                                                         : '*',
                        rr.continents[2 * k + 1] ? rr.continents[2 * k + 1]
                                                 : '*');
        }

        for (k = 0; k < rr.nasns; k++) {
            build_print(" %u", ngx_dns_get32(rr.asns + 4 * k));
        }

        for (k = 0; k < rr.nnetworks; k++) {
            build_print(" net %x", ngx_dns_get32(rr.networks + 4 * k));
        }

        build_print("]");

        if (choice.flags & NGX_DNS_CHOICE_CHECK) {
            build_checks[i % BUILD_CHECKS] = rr.check;
        }
    }
}


static inline void
build_print_probe(u_char *payload, size_t len)
{
    size_t            i;
    ngx_dns_probe_t   probe;

    static const char  *protocols[] = { "http", "https", "tcp" };

    if (ngx_dns_probe_read(payload, len, &probe) != NGX_OK) {
        build_print(" damaged");
        return;
    }

    build_print(" %s %d flags %d up %d down %d timeout %u each %u",
                protocols[probe.protocol], probe.port, probe.flags,
                probe.up_count, probe.down_count, probe.timeout,
                probe.interval);

    build_print(" host <%.*s> uri <%.*s> match <%.*s>",
                (int) probe.host.len, probe.host.data, (int) probe.uri.len,
                probe.uri.data, (int) probe.match.len, probe.match.data);

    for (i = 0; i < probe.status.len; i += 2) {
        build_print(" %d", (int) ngx_dns_get16(probe.status.data + i));
    }
}


static inline void
build_print_note(ngx_dns_rec_t *rec)
{
    u_char      *p, *end, text[NGX_DNS_NAME_TEXT_MAX];
    size_t       len;
    ngx_uint_t   covered;

    static const char  *kinds[] = { "NAME", "FAILED", "CHOICE", "ANAME",
                                    "ZONE", "KEY", "PROBE", "ID" };

    p = ngx_dns_rec_rdata(rec);
    len = rec->rdlen - NGX_DNS_NOTE_HEAD;
    covered = ngx_dns_note_covered(p);

    build_print("%s", kinds[ngx_dns_note_kind(p)]);

    if (covered != 0) {
        end = ngx_dns_rr_type_text(text, covered);
        build_print(" %.*s", (int) (end - text), text);
    }

    p += NGX_DNS_NOTE_HEAD;

    switch (ngx_dns_note_kind(p - NGX_DNS_NOTE_HEAD)) {

    case NGX_DNS_NOTE_CHOICE:
        build_print_choice(p, len);
        break;

    case NGX_DNS_NOTE_PROBE:
        build_print_probe(p, len);
        break;

    case NGX_DNS_NOTE_ANAME:
        end = ngx_dns_name_to_text(text, p + 4);
        build_print(" %d %.*s", (int) ngx_dns_get32(p), (int) (end - text),
                    text);
        break;

    case NGX_DNS_NOTE_ZONE:
        build_print(" %x %x%08x", ngx_dns_get32(p), ngx_dns_get32(p + 4),
                    ngx_dns_get32(p + 8));
        break;

    case NGX_DNS_NOTE_ID:
        build_print(" %.*s", (int) len, p);
        break;

    case NGX_DNS_NOTE_KEY:
        build_print(" %d %d", p[0], (int) len - 1);
        break;

    default:
        break;
    }
}


static inline void
build_print_record(ngx_dns_rec_t *rec)
{
    u_char  *end, wire[NGX_DNS_NAME_MAX + 1], type[NGX_DNS_RR_TEXT_MAX];

    static u_char  text[4 * 65536 + 128];

    if (!build_head
        && (rec->type == NGX_DNS_TYPE_SOA
            || (rec->type == NGX_DNS_TYPE_NOTE
                && ngx_dns_note_kind(ngx_dns_rec_rdata(rec))
                   == NGX_DNS_NOTE_ZONE)))
    {
        return;
    }

    memcpy(wire, ngx_dns_rec_owner(rec), rec->owner_len);
    wire[rec->owner_len] = 0;
    end = ngx_dns_name_to_text(text, wire) - 1;

    build_print("%.*s ", rec->owner_len ? (int) (end - text) : 1,
                rec->owner_len ? (char *) text : "@");

    if (rec->type == NGX_DNS_TYPE_NOTE) {
        build_print_note(rec);

    } else {
        end = ngx_dns_rr_type_text(type, rec->type);
        build_print("%u %.*s ", rec->ttl, (int) (end - type), type);

        end = ngx_dns_rdata_to_text(text, text + sizeof(text), rec->type,
                                    ngx_dns_rec_rdata(rec), rec->rdlen);
        build_print("%.*s", (int) (end - text), text);
    }

    build_print("\n");
}


static inline void
build_print_records(ngx_dns_records_t *rs)
{
    size_t            i;
    u_char           *p, *last;
    ngx_dns_elt_t    *elts;
    ngx_dns_chunk_t  *chunk;

    elts = calloc(2 * rs->n, sizeof(ngx_dns_elt_t));
    i = 0;

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        while (p < last) {
            elts[i].rec = (ngx_dns_rec_t *) p;
            p += ngx_dns_rec_size(elts[i].rec);
            i++;
        }
    }

    if (i != rs->n) {
        build_print("%zu records, not %zu\n", i, rs->n);
    }

    ngx_dns_sort(elts, elts + rs->n, rs->n);

    for (i = 0; i < rs->n; i++) {
        if (elts[i].rec->line != 0 || elts[i].rec->file != 0) {
            build_print("%u:%u ", elts[i].rec->file, elts[i].rec->line);
        }

        build_print_record(elts[i].rec);
    }

    free(elts);
}


/* values of len octets; fills the texts and build_zone, NULL if refused */

static inline void
build_octets(const char *values, size_t len)
{
    u_char              *p, *end, *copy;
    ngx_dns_build_t     *b;
    ngx_dns_records_t   *rs;
    ngx_dns_reporter_t   rep;

    memset(&rep, 0, sizeof(rep));
    rep.report = build_report;

    build_out_len = 0;
    build_out[0] = '\0';
    build_messages_len = 0;
    build_messages[0] = '\0';
    build_warnings = 0;
    build_zone = NULL;

    b = ngx_dns_build_create(build_apex, &build_conf, build_digest,
                             build_last, build_memory, &rep);

    if (b == NULL) {
        build_print("NULL\n");
        return;
    }

    while (len > 0) {
        p = memchr(values, '\n', len);
        end = p ? p : (u_char *) values + len;

        /* nothing is readable behind a value */

        copy = malloc(end - (u_char *) values + 1);
        memcpy(copy, values, end - (u_char *) values);

        for (p = copy; p < copy + (end - (u_char *) values); p++) {
            *p = (*p == '\'') ? '"' : *p;
        }

        if (build_line(b, copy, p) != NGX_OK) {
            build_print("NGX_ERROR\n");
        }

        free(copy);

        len -= ngx_min(len, (size_t) (end + 1 - (u_char *) values));
        values = (char *) end + 1;
    }

    rs = ngx_dns_build_end(b, &build_bad);

    if (rs == NULL) {
        build_print("NULL\n");
        ngx_dns_build_destroy(b);
        return;
    }

    build_print_records(rs);

    if (ngx_dns_compile(rs, &build_key, &memory, &build_zone,
                        &build_zone_size)
        != NGX_OK)
    {
        build_print("REFUSED\n");
        build_zone = NULL;

    } else {
        verified(build_zone, &build_key);
    }

    ngx_dns_build_destroy(b);
}


static inline void
build_free(void)
{
    if (build_zone != NULL) {
        memory_unmap(NULL, build_zone, build_zone_size);
        build_zone = NULL;
    }
}


static inline void
build_all(build_t *tests, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        build_octets(tests[i].values, strlen(tests[i].values));

        if (!tap_ok(strcmp(build_out, tests[i].records) == 0, "%s",
                    tests[i].name))
        {
            printf("# got:\n%s# expected:\n%s", build_out, tests[i].records);
        }

        if (!tap_ok(strcmp(build_messages, tests[i].messages) == 0,
                    "%s, messages", tests[i].name))
        {
            printf("# got:\n%s# expected:\n%s", build_messages,
                   tests[i].messages);
        }

        build_free();
    }

    tap_is_int(memory_blocks, 0, "all memory is given back");
}


#endif /* _BUILDTEXT_H_INCLUDED_ */
