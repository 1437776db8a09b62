
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * RDATA of every type: the rows of t/unit/rdata/.  What is accepted must
 * give the octets of the row, pass the check of wire format, come back from
 * its own text and from its generic notation, and need no more room than it
 * has.
 */


#include <dirent.h>
#include <stdlib.h>
#include "shim.h"
#include "tap.h"
#include "ngx_dns_rdata.h"


#define FOLDER   "t/unit/rdata"
#define LINE     8192
#define TEXT     (20 * 65536)


static void test_file(const char *name);
static void test_row(const char *file, int line, char *row);
static void test_accepted(ngx_uint_t type, const char *text, u_char *rdata,
    ssize_t n, const char *hex);
static void test_counts(void);
static ssize_t read_text(ngx_uint_t type, const char *text, size_t len,
    u_char *buf, size_t size, u_char *err);
static char *unfold(char *text);
static char *column(char **row);


static u_char  origin[] = "\007example\004test";
static u_char  text_buf[TEXT];

static int     accepted[65536];
static int     refused[65536];


int
main(void)
{
    int             i, n;
    struct dirent **names;

    n = scandir(FOLDER, &names, NULL, alphasort);

    for (i = 0; i < n; i++) {
        if (strstr(names[i]->d_name, ".txt") != NULL) {
            test_file(names[i]->d_name);
        }

        free(names[i]);
    }

    if (n > 0) {
        free(names);
    }

    test_counts();

    return tap_done();
}


static void
test_file(const char *name)
{
    int    line;
    char   path[512], row[LINE];
    FILE  *f;

    snprintf(path, sizeof(path), FOLDER "/%s", name);

    f = fopen(path, "r");

    if (!tap_ok(f != NULL, "%s", path)) {
        return;
    }

    for (line = 1; fgets(row, sizeof(row), f) != NULL; line++) {
        row[strcspn(row, "\n")] = '\0';

        if (row[0] != '#' && row[0] != '\0') {
            test_row(name, line, row);
        }
    }

    fclose(f);
}


static void
test_row(const char *file, int line, char *row)
{
    char       *name, *text, *want, hex[LINE];
    u_char     *rdata, err[NGX_DNS_SCAN_ERROR + 1];
    ssize_t     n, i;
    ngx_int_t   type;

    name = column(&row);
    text = unfold(column(&row));
    want = column(&row);

    type = ngx_dns_rr_type((u_char *) name, strlen(name));

    if (!tap_ok(type >= 0 && want != NULL, "%s:%d %s", file, line, name)) {
        return;
    }

    rdata = malloc(65535);
    n = read_text(type, text, strlen(text), rdata, LINE / 2 - 1, err);

    if (n < 0) {
        tap_ok(strcmp(want, "error") == 0 && err[0] != '\0', "%s:%d %s: %s",
               file, line, name, err);
        refused[type]++;

    } else {

        for (i = 0; i < n; i++) {
            sprintf(hex + 2 * i, "%02x", rdata[i]);
        }

        hex[2 * n] = '\0';

        tap_is_str(hex, want, "%s:%d %s octets", file, line, name);
        test_accepted(type, text, rdata, n, hex);
        accepted[type]++;
    }

    free(rdata);
}


static void
test_accepted(ngx_uint_t type, const char *text, u_char *rdata, ssize_t n,
    const char *hex)
{
    char         generic[LINE + 64];
    u_char       again[4096], err[NGX_DNS_SCAN_ERROR + 1], *p;
    ssize_t      m;
    const char  *reason;

    tap_is_int(ngx_dns_rdata_check(type, rdata, n, &reason), NGX_OK, "wire");

    p = ngx_dns_rdata_to_text(text_buf, text_buf + TEXT - 1, type, rdata, n);

    if (!tap_ok(p != NULL, "printed")) {
        return;
    }

    m = read_text(type, (char *) text_buf, p - text_buf, again, sizeof(again),
                  err);
    tap_is_mem(again, m < 0 ? 0 : m, rdata, n, "the same when read again");

    m = sprintf(generic, "\\# %d %s", (int) n, hex);
    m = read_text(type, generic, m, again, sizeof(again), err);
    tap_is_mem(again, m < 0 ? 0 : m, rdata, n, "the same from generic form");

    if (n > 0) {
        m = sprintf(generic, "\\# %d %s", (int) n - 1, hex);
        m = read_text(type, generic, m, again, sizeof(again), err);
        tap_ok(m < 0, "wrong length: %s", err);

        m = read_text(type, text, strlen(text), again, n - 1, err);
        tap_ok(m < 0, "no room: %s", err);
    }
}


/* every type that a zone can hold has three rows of each kind */

static void
test_counts(void)
{
    ngx_uint_t     type;
    ngx_dns_rr_t  *rr;

    for (type = 0; type < 65536; type++) {
        rr = ngx_dns_rr(type);

        if (rr->name.len == 0 || (rr->flags & NGX_DNS_RR_META)) {
            continue;
        }

        tap_ok(accepted[type] >= 3 && refused[type] >= 3,
               "%.*s: %d accepted, %d refused", (int) rr->name.len,
               rr->name.data, accepted[type], refused[type]);
    }
}


/* the text in a block of its own size, so that sanitizers see its end */

static ssize_t
read_text(ngx_uint_t type, const char *text, size_t len, u_char *buf,
    size_t size, u_char *err)
{
    ssize_t    n;
    ngx_str_t  s, e;

    s.data = malloc(len + 1);
    s.len = len;
    memcpy(s.data, text, len);
    s.data[len] = '\0';

    e.data = err;
    e.len = 0;

    n = ngx_dns_rdata_from_text(type, &s, origin, buf, size, &e);
    err[e.len] = '\0';

    free(s.data);

    return n;
}


static char *
unfold(char *text)
{
    char  *p;

    while (text != NULL && (p = strstr(text, "<LF>")) != NULL) {
        *p = '\n';
        memmove(p + 1, p + 4, strlen(p + 4) + 1);
    }

    return text;
}


/* columns end at " | " */

static char *
column(char **row)
{
    char  *start, *end;

    start = *row;

    if (start == NULL) {
        return NULL;
    }

    end = strstr(start, " | ");

    if (end != NULL) {
        *end = '\0';
        *row = end + 3;

    } else {
        *row = NULL;
    }

    return start;
}
