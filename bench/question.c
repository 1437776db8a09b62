
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "question.h"


typedef struct {
    const char  *name;
    unsigned     value;
} question_type_t;


static int question_type(const char *type);
static int question_name(u_char *buf, const char *name);
static int questions_reserve(questions_t *qs, size_t *size, size_t need);


static question_type_t  question_types[] = {
    { "A", 1 }, { "NS", 2 }, { "CNAME", 5 }, { "SOA", 6 }, { "PTR", 12 },
    { "HINFO", 13 }, { "MX", 15 }, { "TXT", 16 }, { "AAAA", 28 },
    { "LOC", 29 }, { "SRV", 33 }, { "NAPTR", 35 }, { "DNAME", 39 },
    { "DS", 43 }, { "SSHFP", 44 }, { "RRSIG", 46 }, { "NSEC", 47 },
    { "DNSKEY", 48 }, { "NSEC3", 50 }, { "NSEC3PARAM", 51 }, { "TLSA", 52 },
    { "SVCB", 64 }, { "HTTPS", 65 }, { "ANY", 255 }, { "URI", 256 },
    { "CAA", 257 }, { NULL, 0 }
};


int
questions_load(questions_t *qs, const char *path, unsigned edns, int do_bit,
    int subnet)
{
    int          n;
    char         line[2048], name[1024], type[32];
    FILE        *f;
    size_t       size;
    unsigned     number;
    question_t  *q;

    f = fopen(path, "r");
    if (f == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }

    memset(qs, 0, sizeof(questions_t));
    size = 0;
    number = 0;

    while (fgets(line, sizeof(line), f) != NULL) {
        number++;

        if (sscanf(line, "%1023s %31s", name, type) != 2) {
            continue;
        }

        if (questions_reserve(qs, &size, sizeof(question_t) + QUESTION_MAX)
            == -1)
        {
            goto failed;
        }

        q = (question_t *) qs->end;

        n = question_encode(q->data, name, type, edns, do_bit, subnet);
        if (n == -1) {
            fprintf(stderr, "%s:%u: bad name or type\n", path, number);
            goto failed;
        }

        q->number = qs->n++;
        q->length = n;

        qs->end += (sizeof(question_t) + n + 7) & ~(size_t) 7;
    }

    fclose(f);

    if (qs->n == 0) {
        fprintf(stderr, "%s: no questions\n", path);
        return -1;
    }

    qs->pos = qs->start;

    return 0;

failed:

    fclose(f);

    return -1;
}


int
question_encode(u_char *buf, const char *name, const char *type,
    unsigned edns, int do_bit, int subnet)
{
    int      n, t;
    u_char  *p;

    t = question_type(type);
    if (t == -1) {
        return -1;
    }

    memset(buf, 0, QUESTION_HEADER);
    buf[5] = 1;

    n = question_name(buf + QUESTION_HEADER, name);
    if (n == -1) {
        return -1;
    }

    p = buf + QUESTION_HEADER + n;

    *p++ = t >> 8;
    *p++ = t;
    *p++ = 0;
    *p++ = 1;

    if (edns) {
        buf[11] = 1;

        memset(p, 0, 11);
        p[2] = 41;
        p[3] = edns >> 8;
        p[4] = edns;
        p[7] = do_bit ? 0x80 : 0;
        p += 11;
    }

    if (edns && subnet) {
        p[-1] = 4 + 4 + QUESTION_SUBNET;

        memset(p, 0, 4 + 4 + QUESTION_SUBNET);
        p[1] = 8;
        p[3] = 4 + QUESTION_SUBNET;
        p[5] = 1;
        p[6] = 8 * QUESTION_SUBNET;
        p += 4 + 4 + QUESTION_SUBNET;
    }

    return p - buf;
}


int
questions_sizes(questions_t *qs, const char *path)
{
    FILE        *f;
    unsigned     i, size;
    question_t  *q;

    f = fopen(path, "r");
    if (f == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }

    qs->pos = qs->start;

    for (i = 0; i < qs->n; i++) {

        if (fscanf(f, "%u", &size) != 1 || size > 4096) {
            fprintf(stderr, "%s: bad or missing size %u\n", path, i);
            fclose(f);
            return -1;
        }

        q = questions_next(qs);
        q->data[8] = size >> 8;
        q->data[9] = size;
    }

    fclose(f);

    return 0;
}


static int
question_type(const char *type)
{
    char             *end;
    unsigned long     n;
    question_type_t  *t;

    for (t = question_types; t->name; t++) {
        if (strcasecmp(t->name, type) == 0) {
            return t->value;
        }
    }

    if (strncasecmp(type, "TYPE", 4) != 0 || type[4] == '\0') {
        return -1;
    }

    n = strtoul(type + 4, &end, 10);

    return (*end == '\0' && n < 65536) ? (int) n : -1;
}


static int
question_name(u_char *buf, const char *name)
{
    u_char      *p, *label;
    const char  *s;

    p = buf;
    s = name;

    if (s[0] == '.' && s[1] == '\0') {
        s++;
    }

    while (*s) {
        label = p++;

        while (*s && *s != '.') {
            if (p - buf >= 254) {
                return -1;
            }

            *p++ = *s++;
        }

        if (p - label < 2 || p - label > 64) {
            return -1;
        }

        *label = p - label - 1;

        if (*s == '.') {
            s++;
        }
    }

    *p++ = 0;

    return p - buf;
}


static int
questions_reserve(questions_t *qs, size_t *size, size_t need)
{
    size_t   used;
    u_char  *p;

    used = qs->end - qs->start;

    if (used + need + 8 <= *size) {
        return 0;
    }

    *size = *size ? *size * 2 : 1 << 20;

    p = realloc(qs->start, *size);
    if (p == NULL) {
        fprintf(stderr, "no memory for the questions\n");
        return -1;
    }

    qs->start = p;
    qs->end = p + used;

    return 0;
}
