
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The JSON reader: what is JSON, what is not, and the values of both.
 */


#include "shim.h"
#include "memory.h"
#include "tap.h"
#include "ngx_dns_json.h"


static void test_accepted(void);
static void test_refused(void);
static void test_strings(void);
static void test_numbers(void);
static void test_members(void);
static void test_large(void);


static ngx_dns_json_buf_t  buf = { &memory, NULL, 0 };
static const char         *why;


/* a text of which nothing behind it is readable */

static ngx_dns_json_t *
load(const char *text, size_t len)
{
    u_char          *copy;
    ngx_str_t        s;
    ngx_dns_json_t  *value;

    static u_char   *before;

    free(before);

    copy = malloc(len + 1);
    s.data = (len == 0) ? copy : memcpy(copy + 1, text, len);
    s.len = len;
    before = copy;

    why = "no reason";
    value = ngx_dns_json_load(&buf, &s, &why);

    return value;
}


static void
test_accepted(void)
{
    size_t           i;
    ngx_dns_json_t  *value;

    static struct {
        const char  *text;
        ngx_uint_t   type;
        ngx_uint_t   tokens;
    } t[] = {
        { "null", NGX_DNS_JSON_NULL, 1 },
        { "true", NGX_DNS_JSON_TRUE, 1 },
        { " false\n", NGX_DNS_JSON_FALSE, 1 },
        { "0", NGX_DNS_JSON_NUMBER, 1 },
        { "-0", NGX_DNS_JSON_NUMBER, 1 },
        { "12.50E+3", NGX_DNS_JSON_NUMBER, 1 },
        { "\"\"", NGX_DNS_JSON_STRING, 1 },
        { "[]", NGX_DNS_JSON_LIST, 1 },
        { "[ ]", NGX_DNS_JSON_LIST, 1 },
        { "{}", NGX_DNS_JSON_OBJECT, 1 },
        { "\t{\r\n}", NGX_DNS_JSON_OBJECT, 1 },
        { "[1,2,3]", NGX_DNS_JSON_LIST, 4 },
        { "[[],[[]],{}]", NGX_DNS_JSON_LIST, 5 },
        { "{\"a\":1,\"b\":{\"c\":[2]}}", NGX_DNS_JSON_OBJECT, 5 },
        { " [ 1 , { \"a\" : null } ] ", NGX_DNS_JSON_LIST, 4 },
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        value = load(t[i].text, strlen(t[i].text));

        tap_ok(value != NULL && value->type == t[i].type
               && value->size == t[i].tokens, "accepted %zu", i);
    }
}


static void
test_refused(void)
{
    size_t  i;

    static const char  *t[] = {
        "", " ", "nul", "nulll", "True", "[", "]", "[1", "[1,", "[1,]", "[,1]",
        "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
        "{\"a\" 1}", "{a:1}", "{1:1}", "{,}", "[1}", "{\"a\":1]", "1 2", "[] x",
        "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x10", "1.5.5", "--1",
        "\"", "\"a", "'a'", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u123g\"",
        "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
        "\"\\ud800\\\"", "\"a\nb\"", "\"a\tb\"", "\"\x01\"", "\xef\xbb\xbf{}",
        "\"\x80\"", "\"\xc0\x80\"", "\"\xc1\xbf\"", "\"\xc3\"", "\"\xc3(\"",
        "\"\xe0\x80\x80\"", "\"\xed\xa0\x80\"", "\"\xf0\x80\x80\x80\"",
        "\"\xf4\x90\x80\x80\"", "\"\xf5\x80\x80\x80\"", "\"\xe2\x82\"", "NaN",
        "Infinity", "/**/1", "[1 2]", "{\"a\":1 \"b\":2}", "[[[[[[[[[[[[[[",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{", "]]", "}",
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        tap_ok(load(t[i], strlen(t[i])) == NULL && why != NULL
               && strncmp(why, "is not JSON", 11) == 0, "refused %zu", i);
    }
}


static void
test_strings(void)
{
    size_t           i;
    ngx_dns_json_t  *value;

    static struct {
        const char  *text;
        size_t       len;
        const char  *want;
    } t[] = {
        { "\"\"", 0, "" },
        { "\"a b\"", 3, "a b" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", 8, "\"\\/\b\f\n\r\t" },
        { "\"\\u0000x\"", 2, "\0x" },
        { "\"\\u0041\\u007f\\u0080\\u07FF\\u0800\\uffff\"", 12,
          "A\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf" },
        { "\"\\ud800\\udc00\\udbff\\udfff\"", 8,
          "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
        { "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\x7f\"", 14,
          "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\x7f" },
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        value = load(t[i].text, strlen(t[i].text));

        if (tap_ok(value != NULL, "string %zu", i)) {
            tap_is_mem(value->data, value->len + 1, t[i].want, t[i].len + 1,
                       "string %zu, with a zero octet", i);
        }
    }
}


static void
test_numbers(void)
{
    size_t           i;
    int64_t          n;
    ngx_int_t        rc;
    ngx_dns_json_t  *value;

    static struct {
        const char  *text;
        int64_t      want;              /* -2: none */
    } t[] = {
        { "0", 0 }, { "-0", 0 }, { "-0.0e5", 0 }, { "0e999999999999", 0 },
        { "1", 1 }, { "10", 10 }, { "1000", 1000 }, { "1001", 1001 },
        { "65535", 65535 }, { "4294967295", 4294967295 },
        { "4294967296", 4294967296 }, { "4294967297", 4294967296 },
        { "99999999999999999999999999", 4294967296 },
        { "100000000000000000000000000", 4294967296 },
        { "1e400", 4294967296 }, { "1e99999999999999999999", 4294967296 },
        { "-1", -1 }, { "-7e3", -1 }, { "-99999999999999999999", -1 },
        { "3.0", 3 }, { "3.000000000000000000000", 3 }, { "30e-1", 3 },
        { "0.003e3", 3 }, { "3e1", 30 }, { "3E+1", 30 }, { "1.5e1", 15 },
        { "0.0000000000000000000000001e25", 1 },
        { "1.5", -2 }, { "-1.5", -2 }, { "0.1", -2 }, { "1e-1", -2 },
        { "1e-99999999999999999999", -2 }, { "4294967295.5", -2 },
        { "123456789012345678901234567890.5", -2 },
        { "\"3\"", -2 }, { "true", -2 }, { "null", -2 }, { "[]", -2 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        value = load(t[i].text, strlen(t[i].text));

        if (!tap_ok(value != NULL, "%s is JSON", t[i].text)) {
            continue;
        }

        n = -2;
        rc = ngx_dns_json_number(value, 4294967295, &n);
        tap_is_int(n, t[i].want, "%s", t[i].text);
        tap_is_int(rc, (n == -2) ? NGX_DECLINED : NGX_OK, "%s, code",
                   t[i].text);
    }
}


static void
test_members(void)
{
    ngx_str_t               s;
    ngx_uint_t              flag;
    ngx_dns_json_t         *value;

    ngx_dns_json_member_t   m[] = { { "ttl", NULL }, { "host", NULL },
                                    { "none", NULL }, { "null", NULL } };

    static const char       text[] = "{\"tt\":1,\"TTL\":2,\"ttlx\":[3,{\"ttl\":"
                                     "4}],\"ttl\":5,\"tTl\":true,\"Host\":\"h\""
                                     ",\"null\":6,\"NULL\":null,\"\":7,"
                                     "\"none\\u0000\":8}";

    value = load(text, sizeof(text) - 1);

    if (!tap_ok(value != NULL, "an object")) {
        return;
    }

    ngx_dns_json_members(value, m, 4);

    tap_ok(m[0].value != NULL && ngx_dns_json_flag(m[0].value, &flag) == NGX_OK
           && flag == 1, "the last one counts, whatever its case");
    tap_ok(m[1].value != NULL && ngx_dns_json_string(m[1].value, &s) == NGX_OK
           && s.len == 1 && s.data[0] == 'h', "names match without case");
    tap_ok(m[2].value == NULL, "names match as a whole");
    tap_ok(m[3].value == NULL, "null is missing");
    tap_ok(ngx_dns_json_string(m[0].value, &s) == NGX_DECLINED, "no string");
    tap_ok(ngx_dns_json_flag(m[1].value, &flag) == NGX_DECLINED, "no flag");
}


static void
test_large(void)
{
    size_t           i, n;
    char            *p;
    ngx_dns_json_t  *value;

    /* lists in lists, and as many values as fit */

    n = 1000000;
    p = malloc(2 * n + 2);
    memset(p, '[', n);
    memset(p + n, ']', n);

    value = load(p, 2 * n);
    tap_ok(value != NULL && value->size == n, "deep");
    tap_ok(load(p, 2 * n - 1) == NULL, "deep, without an end");
    tap_ok(load(p, n) == NULL, "deep, no end at all");

    p[0] = '[';

    for (i = 0; i < n; i++) {
        p[2 * i + 1] = '1';
        p[2 * i + 2] = (i == n - 1) ? ']' : ',';
    }

    value = load(p, 2 * n + 1);
    tap_ok(value != NULL && value->size == n + 1, "a long list");

    free(p);

    p = malloc(NGX_DNS_JSON_MAX + 1);
    memset(p, ' ', NGX_DNS_JSON_MAX + 1);
    p[0] = '1';

    tap_ok(load(p, NGX_DNS_JSON_MAX) != NULL, "the largest text");
    tap_ok(load(p, NGX_DNS_JSON_MAX + 1) == NULL, "one octet more");
    tap_is_str(why, "is larger than 4 MiB", "which is told");

    free(p);
}


int
main(void)
{
    test_accepted();
    test_refused();
    test_strings();
    test_numbers();
    test_members();
    test_large();

    (void) load("1", 1);

    ngx_dns_json_free(&buf);
    tap_is_int(memory_blocks, 0, "all memory is given back");

    return tap_done();
}
