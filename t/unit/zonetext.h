
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * A compiled zone from the text of a master file in memory.  Lines that begin
 * with ";!" are comments for the reader of master files, and notes here:
 *
 *     ;! OWNER name
 *     ;! OWNER failed [TYPE]
 *     ;! OWNER choice TYPE N M         N: how many RRs, M: the first weight
 *     ;! OWNER choose TYPE WORD ... | RR | RR ...
 *     ;! OWNER probe TYPE URI
 *     ;! OWNER aname TTL TARGET        TTL "-": none
 *     ;! OWNER key WHICH TEXT
 *     ;! @ zone WORD ...               flatten, climb, unsignable, digest=N
 *
 * Words of "choose" are single, weighted, rr, sticky, network, asn, country,
 * continent, location, strict, alive and check; each RR, in the order of its
 * data, has some of cc=DEAT, ct=EU, as=64500, net=NAME, w=1, prio=1, id=7.
 * The RRs are stored in this order.
 */


#ifndef _ZONETEXT_H_INCLUDED_
#define _ZONETEXT_H_INCLUDED_


#include <stdarg.h>
#include <stdio.h>
#include "memory.h"
#include "verified.h"
#include "ngx_dns_choice.h"
#include "ngx_dns_compile.h"
#include "ngx_dns_master.h"
#include "ngx_dns_note.h"
#include "ngx_dns_probe.h"
#include "ngx_dns_rr.h"


#define ZONETEXT_MESSAGES  8192
#define ZONETEXT_SIZE      (8 * 1024 * 1024)

typedef struct {
    u_char  *p;
    u_char  *last;
} zonetext_t;


/* what was reported: one line each, "error|warn FILE:LINE TEXT" */
static char    zonetext_messages[ZONETEXT_MESSAGES];
static size_t  zonetext_len;


static inline void *
zonetext_open(void *data, ngx_str_t *name, ngx_str_t *includer,
    ngx_str_t *path, ngx_str_t *err)
{
    *path = *name;

    return data;
}


static inline ssize_t
zonetext_read(void *data, void *handle, u_char *buf, size_t size,
    ngx_str_t *err)
{
    size_t       n;
    zonetext_t  *text;

    text = handle;
    n = ngx_min(size, (size_t) (text->last - text->p));
    memcpy(buf, text->p, n);
    text->p += n;

    return (ssize_t) n;
}


static inline void
zonetext_close(void *data, void *handle)
{
    /* void */
}


static inline void
zonetext_report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text)
{
    int  n;

    if (level == NGX_DNS_REPORT_PROGRESS) {
        return;
    }

    n = snprintf(zonetext_messages + zonetext_len,
                 sizeof(zonetext_messages) - zonetext_len,
                 "%s %.*s:%d %.*s\n",
                 level == NGX_DNS_REPORT_ERROR ? "error" : "warn",
                 file ? (int) file->len : 1, file ? (char *) file->data : "-",
                 (int) line, (int) text->len, text->data);

    zonetext_len = ngx_min(zonetext_len + (size_t) n,
                           sizeof(zonetext_messages) - 1);
}


/* a name relative to apex; returns its octets */

static inline size_t
zonetext_name(u_char *wire, char *word, const u_char *apex)
{
    ngx_str_t    s;
    const char  *err;

    s.data = (u_char *) word;
    s.len = strlen(word);

    return ngx_dns_name_from_text(wire, &s, (u_char *) apex, &err);
}


static inline uint32_t
zonetext_flags(uint64_t *digest)
{
    char      *word;
    uint32_t   flags;

    flags = 0;
    *digest = 0;

    while ((word = strtok(NULL, " ")) != NULL) {

        if (strcmp(word, "flatten") == 0) {
            flags |= NGX_DNS_ZONE_FLATTEN;

        } else if (strcmp(word, "climb") == 0) {
            flags |= NGX_DNS_ZONE_CAA_CLIMB;

        } else if (strcmp(word, "unsignable") == 0) {
            flags |= NGX_DNS_ZONE_DNSSEC|NGX_DNS_ZONE_UNSIGNABLE;

        } else if (strncmp(word, "digest=", 7) == 0) {
            *digest = strtoull(word + 7, NULL, 0);
        }
    }

    return flags;
}


static inline u_char *
zonetext_choice(u_char *p, ngx_uint_t n, uint32_t weight)
{
    ngx_dns_choice_t     choice;
    ngx_dns_choice_rr_t  rr;

    memset(&choice, 0, sizeof(choice));
    memset(&rr, 0, sizeof(rr));

    choice.nrr = (uint16_t) n;
    rr.weight = weight;

    p = ngx_dns_choice_write(p, &choice);

    for ( /* void */ ; rr.position < n; rr.position++) {
        p = ngx_dns_choice_write_rr(p, &rr);
    }

    return p;
}


static inline void
zonetext_choose_word(ngx_dns_choice_t *choice, const char *word)
{
    size_t  i;

    static const struct {
        const char  *word;
        uint8_t      count, order, steps, flags;
    } words[] = {
        { "single", NGX_DNS_CHOICE_SINGLE, 0, 0, 0 },
        { "weighted", 0, NGX_DNS_CHOICE_WEIGHTED, 0, 0 },
        { "rr", 0, NGX_DNS_CHOICE_RR, 0, 0 },
        { "sticky", 0, NGX_DNS_CHOICE_STICKY, 0, 0 },
        { "network", 0, 0, NGX_DNS_CHOICE_NETWORK, 0 },
        { "asn", 0, 0, NGX_DNS_CHOICE_ASN, 0 },
        { "country", 0, 0, NGX_DNS_CHOICE_COUNTRY, 0 },
        { "continent", 0, 0, NGX_DNS_CHOICE_CONTINENT, 0 },
        { "location", 0, 0, NGX_DNS_CHOICE_LOCATION, 0 },
        { "strict", 0, 0, 0, NGX_DNS_CHOICE_NO_MATCH },
        { "alive", 0, 0, 0, NGX_DNS_CHOICE_ALL_DOWN },
        { "check", 0, 0, 0, NGX_DNS_CHOICE_CHECK },
    };

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {

        if (strcmp(word, words[i].word) == 0) {
            choice->count |= words[i].count;
            choice->order |= words[i].order;
            choice->steps |= words[i].steps;
            choice->flags |= words[i].flags;
        }
    }
}


static inline void
zonetext_choose_rr(ngx_dns_choice_rr_t *rr, u_char *lists, char *word)
{
    char    *value;
    size_t   n;

    value = strchr(word, '=') + 1;
    n = strlen(value);

    if (strncmp(word, "cc=", 3) == 0) {
        rr->ncountries = (uint16_t) (n / 2);
        rr->countries = memcpy(lists, value, n);

    } else if (strncmp(word, "ct=", 3) == 0) {
        rr->ncontinents = (uint16_t) (n / 2);
        rr->continents = memcpy(lists + 64, value, n);

    } else if (strncmp(word, "as=", 3) == 0) {
        rr->nasns = 1;
        rr->asns = lists + 128;
        ngx_dns_put32(lists + 128, atoi(value));

    } else if (strncmp(word, "net=", 4) == 0) {
        rr->nnetworks = 1;
        rr->networks = lists + 132;
        ngx_dns_put32(lists + 132, ngx_dns_network_id((u_char *) value, n));

    } else if (strncmp(word, "w=", 2) == 0) {
        rr->weight = atoi(value);

    } else if (strncmp(word, "prio=", 5) == 0) {
        rr->priority = (uint16_t) atoi(value);

    } else if (strncmp(word, "id=", 3) == 0) {
        rr->check = atoi(value);
    }
}


/* the words that strtok() has left */

static inline u_char *
zonetext_choose(u_char *p)
{
    char                 *word;
    u_char               *head, lists[136];
    ngx_dns_choice_t      choice;
    ngx_dns_choice_rr_t   rr;

    memset(&choice, 0, sizeof(choice));
    memset(&rr, 0, sizeof(rr));

    head = p;
    p += NGX_DNS_CHOICE_HEAD;

    for (word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {

        if (strcmp(word, "|") != 0) {

            if (choice.nrr == 0) {
                zonetext_choose_word(&choice, word);

            } else {
                zonetext_choose_rr(&rr, lists, word);
            }

            continue;
        }

        if (choice.nrr++ != 0) {
            p = ngx_dns_choice_write_rr(p, &rr);
        }

        memset(&rr, 0, sizeof(rr));
        rr.position = (uint16_t) (choice.nrr - 1);
    }

    if (choice.flags & NGX_DNS_CHOICE_CHECK) {
        choice.interval = 4000;
    }

    (void) ngx_dns_choice_write(head, &choice);

    return ngx_dns_choice_write_rr(p, &rr);
}


static inline u_char *
zonetext_probe(u_char *p, char *uri)
{
    ngx_dns_probe_t  probe;

    memset(&probe, 0, sizeof(probe));

    probe.uri.data = (u_char *) uri;
    probe.uri.len = strlen(uri);

    ngx_dns_probe_settle(&probe);

    return ngx_dns_probe_write(p, &probe);
}


/* one note; line is what is behind ";! " */

static inline void
zonetext_note(ngx_dns_records_t *rs, const u_char *apex, char *line)
{
    char              *kind, *word;
    u_char             owner[NGX_DNS_NAME_MAX + 1], rdata[1024], *p;
    uint64_t           digest;
    ngx_dns_record_t   r;

    memset(&r, 0, sizeof(r));
    memset(rdata, 0, sizeof(rdata));

    r.owner = owner;
    r.owner_len = zonetext_name(owner, strtok(line, " "), apex);
    r.type = NGX_DNS_TYPE_NOTE;
    r.rdata = rdata;

    kind = strtok(NULL, " ");
    p = rdata + NGX_DNS_NOTE_HEAD;

    if (strcmp(kind, "failed") == 0) {
        rdata[2] = NGX_DNS_NOTE_FAILED;
        word = strtok(NULL, " ");

        if (word != NULL) {
            ngx_dns_put16(rdata, ngx_dns_rr_type((u_char *) word,
                                                 strlen(word)));
        }

    } else if (strcmp(kind, "choice") == 0) {
        rdata[2] = NGX_DNS_NOTE_CHOICE;
        word = strtok(NULL, " ");
        ngx_dns_put16(rdata, ngx_dns_rr_type((u_char *) word, strlen(word)));
        word = strtok(NULL, " ");
        p = zonetext_choice(p, atoi(word), atoi(strtok(NULL, " ")));

    } else if (strcmp(kind, "choose") == 0) {
        rdata[2] = NGX_DNS_NOTE_CHOICE;
        word = strtok(NULL, " ");
        ngx_dns_put16(rdata, ngx_dns_rr_type((u_char *) word, strlen(word)));
        p = zonetext_choose(p);

    } else if (strcmp(kind, "probe") == 0) {
        rdata[2] = NGX_DNS_NOTE_PROBE;
        word = strtok(NULL, " ");
        ngx_dns_put16(rdata, ngx_dns_rr_type((u_char *) word, strlen(word)));
        p = zonetext_probe(p, strtok(NULL, " "));

    } else if (strcmp(kind, "aname") == 0) {
        rdata[2] = NGX_DNS_NOTE_ANAME;
        word = strtok(NULL, " ");
        p = ngx_dns_put32(p, *word == '-' ? NGX_DNS_ANAME_NO_TTL
                                          : strtoul(word, NULL, 10));
        p += zonetext_name(p, strtok(NULL, " "), apex);

    } else if (strcmp(kind, "key") == 0) {
        rdata[2] = NGX_DNS_NOTE_KEY;
        *p++ = (u_char) atoi(strtok(NULL, " "));
        word = strtok(NULL, " ");
        p = ngx_cpymem(p, word, strlen(word));

    } else if (strcmp(kind, "zone") == 0) {
        rdata[2] = NGX_DNS_NOTE_ZONE;
        p = ngx_dns_put32(p, zonetext_flags(&digest));
        p = ngx_dns_put32(p, digest >> 32);
        p = ngx_dns_put32(p, digest);
    }

    r.rdlen = (uint16_t) (p - rdata);

    (void) ngx_dns_records_add(rs, &r);
}


static inline void
zonetext_notes(ngx_dns_records_t *rs, const u_char *apex, const char *data,
    size_t len)
{
    char        *line;
    const char  *p, *end, *last;

    last = data + len;

    for (p = data; p < last; p = end + 1) {
        end = memchr(p, '\n', last - p);
        end = (end == NULL) ? last : end;

        if (end - p > 3 && memcmp(p, ";! ", 3) == 0) {
            line = strndup(p + 3, end - p - 3);
            zonetext_note(rs, apex, line);
            free(line);
        }
    }
}


/* NULL: the zone was refused, see zonetext_messages */

static inline ngx_dns_zone_t *
zonetext(const u_char *apex, const char *data, size_t len, ngx_dns_key_t *key)
{
    size_t                  size;
    ngx_int_t               rc;
    zonetext_t              text;
    ngx_str_t               file;
    ngx_dns_zone_t         *zone;
    ngx_dns_files_t         files;
    ngx_dns_records_t      *rs;
    ngx_dns_reporter_t      rep;
    ngx_dns_master_conf_t   conf;

    memset(&rep, 0, sizeof(rep));
    rep.report = zonetext_report;
    zonetext_len = 0;
    zonetext_messages[0] = '\0';

    text.p = (u_char *) data;
    text.last = text.p + len;

    files.open = zonetext_open;
    files.read = zonetext_read;
    files.close = zonetext_close;
    files.data = &text;

    memset(&conf, 0, sizeof(conf));
    conf.files = &files;
    conf.mem = &memory;
    conf.rep = &rep;
    conf.default_ttl = 3600;
    conf.max_errors = 10;
    conf.max_generate = 1000;

    ngx_str_set(&file, "zone");

    rs = ngx_dns_records_create(apex, &memory, &rep);
    zonetext_notes(rs, apex, data, len);
    rc = ngx_dns_master_read(&conf, &file, apex, rs);
    zone = NULL;

    if (rc == NGX_OK) {
        rc = ngx_dns_compile(rs, key, &memory, &zone, &size);
    }

    ngx_dns_records_destroy(rs);

    if (rc != NGX_OK) {
        return NULL;
    }

    verified(zone, key);

    return zone;
}


/* text of a zone, put together by zone_add() */
static char    zonetext_text[ZONETEXT_SIZE];
static size_t  zonetext_text_len;


static inline void __attribute__((format(printf, 1, 2)))
zone_add(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    zonetext_text_len += vsnprintf(zonetext_text + zonetext_text_len,
                                   ZONETEXT_SIZE - zonetext_text_len, fmt,
                                   args);
    va_end(args);
}


/* the zone of what was put together, which starts anew */

static inline ngx_dns_zone_t *
zone_compile(const char *apex, ngx_dns_key_t *key)
{
    u_char           wire[NGX_DNS_NAME_MAX];
    ngx_str_t        s;
    const char      *err;
    ngx_dns_zone_t  *zone;

    s.data = (u_char *) apex;
    s.len = strlen(apex);

    (void) ngx_dns_name_from_text(wire, &s, NULL, &err);

    zone = zonetext(wire, zonetext_text, zonetext_text_len, key);
    zonetext_text_len = 0;

    return zone;
}


#endif /* _ZONETEXT_H_INCLUDED_ */
