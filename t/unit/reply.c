
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Replies of Redis: every type, octets split at every place, limits, values
 * that are too long, and streams that are none.
 */


#include <stdlib.h>
#include "shim.h"
#include "tap.h"

#if (NGX_DNS_REDIS)

#include "ngx_dns_reply.h"


#define DUMP_SIZE  (2 * 65536)

typedef struct {
    const char  *name;
    const char  *stream;
    const char  *want;                  /* replies; "!" and why at the end */
} stream_t;


static void test_streams(void);
static void test_split(void);
static void test_large_array(void);
static void test_limits(void);
static void test_too_big(void);
static void test_large_string(void);
static void test_no_memory(void);
static void test_kept(void);

static void begin(void);
static void end(void);
static ngx_int_t give(const void *data, size_t len);
static void repeat(const char *word, ngx_uint_t n);
static void dump(ngx_dns_datum_t *reply);
static void print(const char *fmt, ...);


static ngx_log_t                log;
static ngx_dns_reply_reader_t  *rd;

static char    out[DUMP_SIZE];
static size_t  used;


static stream_t  streams[] = {

    { "a status", "+OK\r\n", "+OK " },
    { "an empty status", "+\r\n", "+ " },
    { "a status with CR", "+a\rb\r\n", "!a CR or LF in a status or an error" },
    { "a status with LF", "+a\nb\r\n", "!a CR or LF in a status or an error" },
    { "a status with CR CR", "+a\r\r\n",
      "!a CR or LF in a status or an error" },
    { "an error of LF", "-\n", "!a CR or LF in a status or an error" },
    { "an error", "-ERR no\r\n", "-ERR no " },
    { "integers", ":0\r\n:-7\r\n:9223372036854775807\r\n",
      ":0 :-7 :9223372036854775807 " },
    { "strings", "$3\r\nabc\r\n$0\r\n\r\n$4\r\n\r\n\r\n\r\n",
      "$abc $ $\r\n\r\n " },
    { "nil", "$-1\r\n*-1\r\n", "nil nil " },
    { "arrays", "*0\r\n*1\r\n:1\r\n*2\r\n$1\r\na\r\n*1\r\n$-1\r\n",
      "[] [:1 ] [$a [nil ] ] " },
    { "all in one", "*6\r\n:1\r\n+s\r\n-e x\r\n$1\r\nb\r\n$-1\r\n*0\r\n",
      "[:1 +s -e x $b nil [] ] " },
    { "a transaction", "+OK\r\n+QUEUED\r\n*2\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n"
      "-WRONGTYPE x\r\n", "+OK +QUEUED [[$a $b ] -WRONGTYPE x ] " },
    { "seven deep", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
      "[[[[[[[:1 ] ] ] ] ] ] ] " },
    { "in the middle", "*3\r\n:1\r\n$5\r\nab", "" },

    { "garbage", "HTTP/1.1 400 Bad Request\r\n", "!no Redis reply" },
    { "garbage behind a reply", "+OK\r\nx", "+OK !no Redis reply" },
    { "RESP3", "%1\r\n+a\r\n:1\r\n", "!no Redis reply" },
    { "a push of RESP3", "*1\r\n>2\r\n", "!no Redis reply" },
    { "no number", "$abc\r\n", "!a length is no number" },
    { "an empty number", "$\r\n", "!a number has no end" },
    { "a negative length", "$-2\r\n", "!a length is no number" },
    { "a number and blanks", "*1 \r\n", "!a length is no number" },
    { "a number without CR", "$11\n", "!a number has no end" },
    { "an integer that is none", ":1x\r\n", "!Bad integer value" },
    { "an integer out of range", ":99999999999999999999\r\n",
      "!Bad integer value" },
    { "a number without end", "$00000000000000000000000000000000000000",
      "!a number is too long" },
    { "a string without end", "$3\r\nabcd\r\n", "!a string has no end" },
    { "a string with LF alone", "$3\r\nabc\n\n", "!a string has no end" },
    { "2^32 - 1 elements", "*4294967295\r\n", "!an array is too long" },
    { "2^64 elements", "*18446744073709551616\r\n", "!an array is too long" },
    { "elements over the limit", "*16777217\r\n", "!an array is too long" },
    { "a string of 2^31", "$2147483648\r\n", "!a string is too long" },
    { "a string of 2^64 + 1", "$18446744073709551617\r\n",
      "!a string is too long" },
    { "eight deep", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
      "!arrays are nested too deep" }
};


int
main(void)
{
    test_streams();
    test_split();
    test_large_array();
    test_limits();
    test_too_big();
    test_large_string();
    test_no_memory();
    test_kept();

    return tap_done();
}


static void
test_streams(void)
{
    stream_t    *s;
    ngx_uint_t   i;

    for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        s = &streams[i];

        begin();
        (void) give(s->stream, strlen(s->stream));
        tap_is_str(out, s->want, "%s", s->name);

        if (strchr(s->want, '!')) {
            print("?");
            tap_ok(give("+OK\r\n", 5) == NGX_ERROR, "%s: for good", s->name);
        }

        end();
    }
}


/* one place, two places, one octet at a time: nothing changes */

static void
test_split(void)
{
    size_t       k, n, len;
    stream_t    *s;
    ngx_int_t    rc;
    ngx_uint_t   i, bad;

    bad = 0;

    for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {

        s = &streams[i];
        len = strlen(s->stream);

        for (n = 0; n <= len; n++) {

            for (k = n; k <= len; k++) {
                begin();

                rc = give(s->stream, n);

                if (rc == NGX_OK) {
                    rc = give(s->stream + n, k - n);
                }

                if (rc == NGX_OK) {
                    (void) give(s->stream + k, len - k);
                }

                if (strcmp(out, s->want) != 0) {
                    printf("# %s: %zu, %zu: %s\n", s->name, n, k, out);
                    bad++;
                }

                end();
            }
        }

        begin();

        for (n = 0; n < len; n++) {
            if (give(s->stream + n, 1) != NGX_OK) {
                break;
            }
        }

        if (strcmp(out, s->want) != 0) {
            printf("# %s: octet by octet: %s\n", s->name, out);
            bad++;
        }

        end();
    }

    tap_is_int(bad, 0, "split anywhere");
}


/* arrays that grow, and what is announced but does not come */

static void
test_large_array(void)
{
    size_t            i, n;
    ngx_uint_t        bad, count;
    ngx_dns_datum_t  *reply;

    static size_t  sizes[] = { 63, 64, 65, 127, 128, 129, 1000, 4096, 100000 };

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {

        static char  stream[2000000];

        n = sprintf(stream, "*%zu\r\n", sizes[i]);

        for (count = 0; count < sizes[i]; count++) {
            n += sprintf(stream + n, "$%d\r\n%06u\r\n", 6,
                         (unsigned) count);
        }

        begin();
        ngx_dns_reply_feed(rd, (u_char *) stream, n);

        bad = 0;

        if (tap_ok(ngx_dns_reply_next(rd, &reply) == NGX_OK
                   && reply->n == sizes[i], "%zu elements", sizes[i]))
        {
            for (count = 0; count < reply->n; count++) {
                if (atoi((char *) reply->elts[count]->str.data)
                    != (int) count)
                {
                    bad++;
                }
            }

            ngx_dns_reply_free(reply);
        }

        tap_is_int(bad, 0, "%zu elements in order", sizes[i]);
        end();
    }

    begin();
    count = shim_allocs();
    tap_is_int(give("*16777216\r\n", 11), NGX_OK, "16M elements announced");
    tap_ok(shim_allocs() - count <= 1, "memory for those that come");
    end();
}


static void
test_limits(void)
{
    begin();
    repeat("*1\r\n", 100000);
    tap_is_str(out, "!arrays are nested too deep", "100,000 arrays nested");
    end();

    begin();
    (void) give("+", 1);
    repeat("x", NGX_DNS_REPLY_MAX_TEXT - 2);
    tap_is_int(give("\r\n", 2), NGX_OK, "a status of the longest kind");
    tap_is_int(used, NGX_DNS_REPLY_MAX_TEXT, "its length");
    end();

    begin();
    (void) give("+", 1);
    repeat("x", NGX_DNS_REPLY_MAX_TEXT + 1);
    tap_is_str(out, "!a status or an error is too long", "longer");
    end();
}


/* a value of 17M octets between two others */

static void
test_too_big(void)
{
    char        head[64];
    u_char     *stream, *p;
    size_t      n, len, step;
    ngx_uint_t  i;

    static size_t  steps[] = { 0, 1, 65536, 4095 };

    n = 17 * 1024 * 1024;
    stream = malloc(n + 1024);

    p = stream;
    p += sprintf((char *) p, "*3\r\n$1\r\na\r\n$%zu\r\n", n);
    memset(p, '+', n);
    p += n;
    p += sprintf((char *) p, "\r\n$1\r\nb\r\n$%zu\r\n", n);
    len = p - stream;

    sprintf(head, "[$a -TOOBIG the value has %zu octets $b ] ", n);

    for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        step = steps[i] ? steps[i] : len;

        begin();

        for (p = stream; p < stream + len; p += step) {
            if (give(p, ngx_min(step, (size_t) (stream + len - p)))
                != NGX_OK)
            {
                break;
            }
        }

        (void) give(stream + 100, n);
        (void) give("\r\n:1\r\n", 6);

        *strrchr(head, ' ') = '\0';
        tap_ok(strncmp(out, head, strlen(head)) == 0, "left out, steps of %zu",
               steps[i]);
        strcat(head, " ");

        tap_ok(strcmp(out + strlen(head), "-TOOBIG the value has 17825792 "
                      "octets :1 ") == 0, "a whole reply left out, %zu",
               steps[i]);
        end();
    }

    begin();
    (void) give(stream, len);
    (void) give(stream + 100, n);
    (void) give("\r\r", 2);
    tap_ok(strstr(out, "!a string has no end") != NULL,
           "the end of what is left out");
    end();

    free(stream);
}


/* one as long as may be */

static void
test_large_string(void)
{
    u_char           *stream;
    size_t            i, n, len, step;
    ngx_int_t         rc;
    ngx_dns_datum_t  *reply;

    n = NGX_DNS_REPLY_MAX_STRING;
    stream = malloc(n + 64);

    len = sprintf((char *) stream, "$%zu\r\n", n);

    for (i = 0; i < n; i++) {
        stream[len + i] = (u_char) (i * 7);
    }

    memcpy(stream + len + n, "\r\n", 2);

    begin();

    rc = NGX_DECLINED;
    reply = NULL;

    for (i = 0; i < len + n + 2; i += step) {
        step = ngx_min(65536, len + n + 2 - i);
        ngx_dns_reply_feed(rd, stream + i, step);
        rc = ngx_dns_reply_next(rd, &reply);

        if (rc == NGX_ERROR || (rc == NGX_OK && i + step < len + n + 2)) {
            break;
        }
    }

    if (tap_ok(rc == NGX_OK && reply->str.len == n, "a string of 16M")) {
        tap_ok(memcmp(reply->str.data, stream + len, n) == 0
               && reply->str.data[n] == '\0', "its octets");
        ngx_dns_reply_free(reply);
    }

    end();
    free(stream);
}


static void
test_no_memory(void)
{
    ngx_int_t    rc;
    ngx_uint_t   n;
    const char  *stream;

    stream = "*3\r\n*1\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n";

    for (n = 1; n < 10; n++) {
        begin();
        shim_fail_after(n);
        rc = give(stream, strlen(stream));
        shim_fail_after(0);

        if (rc == NGX_OK) {
            end();
            break;
        }

        tap_is_str(out, "!no memory", "allocation %d fails", (int) n);
        end();
    }

    tap_is_int(n, 6, "an allocation per object");
}


/* replies outlive the reader; what is not whole goes with it */

static void
test_kept(void)
{
    ngx_dns_datum_t  *first, *second, *third;

    begin();

    ngx_dns_reply_feed(rd, (u_char *) "*1\r\n$3\r\nabc\r\n:5\r\n*2\r\n:1\r\n",
                       25);

    tap_is_int(ngx_dns_reply_next(rd, &first), NGX_OK, "the first");
    tap_is_int(ngx_dns_reply_next(rd, &second), NGX_OK, "the second");
    tap_is_int(ngx_dns_reply_next(rd, &third), NGX_DECLINED, "half a third");
    tap_ok(third == NULL, "no third");

    end();

    tap_is_str(first->elts[0]->str.data, "abc", "a reply that is kept");
    tap_is_int(second->integer, 5, "and another");

    ngx_dns_reply_free(second);
    ngx_dns_reply_free(first);
    ngx_dns_reply_free(NULL);
}


static void
begin(void)
{
    rd = ngx_dns_reply_reader_create(&log);
    used = 0;
    out[0] = '\0';
}


static void
end(void)
{
    ngx_dns_reply_reader_destroy(rd);
}


/* feeds from memory of just that length, prints what comes */

static ngx_int_t
give(const void *data, size_t len)
{
    u_char           *copy;
    ngx_int_t         rc;
    ngx_dns_datum_t  *reply;

    copy = malloc(len ? len : 1);
    memcpy(copy, data, len);

    ngx_dns_reply_feed(rd, copy, len);

    for ( ;; ) {
        rc = ngx_dns_reply_next(rd, &reply);

        if (rc != NGX_OK) {
            break;
        }

        dump(reply);
        ngx_dns_reply_free(reply);
    }

    if (rc == NGX_ERROR) {
        print("!%s", ngx_dns_reply_error(rd));
    }

    free(copy);

    return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
}


static void
repeat(const char *word, ngx_uint_t n)
{
    while (n--) {
        if (give(word, strlen(word)) != NGX_OK) {
            break;
        }
    }
}


static void
dump(ngx_dns_datum_t *reply)
{
    size_t  i;

    switch (reply->type) {

    case NGX_DNS_REPLY_NIL:
        print("nil ");
        break;

    case NGX_DNS_REPLY_STRING:
        print("$%s ", reply->str.data);
        break;

    case NGX_DNS_REPLY_STATUS:
        print("+%s ", reply->str.data);
        break;

    case NGX_DNS_REPLY_ERROR:
        print("-%s ", reply->str.data);
        break;

    case NGX_DNS_REPLY_INTEGER:
        print(":%lld ", (long long) reply->integer);
        break;

    default:
        print("[");

        for (i = 0; i < reply->n; i++) {
            dump(reply->elts[i]);
        }

        print("] ");
    }
}


static void
print(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    used += vsnprintf(out + used, DUMP_SIZE - used, fmt, args);
    va_end(args);

    if (used >= DUMP_SIZE) {
        used = DUMP_SIZE - 1;
    }
}

#else

int
main(void)
{
    return tap_skip_all("built without Redis");
}

#endif
