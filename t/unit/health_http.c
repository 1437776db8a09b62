
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Responses to checks: which are good, in however small pieces they come.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_health_http.h"


#define OK       0                      /* a good response */
#define MORE     99                     /* not told yet */
#define END      "\r\n\r\n"


static void test_request(void);
static void test_head(void);
static void test_body(void);
static void test_large(void);
static ngx_uint_t verdict(const char *response, size_t len, size_t piece,
    ngx_uint_t end);
static void is(const char *response, ngx_uint_t want, const char *name);
static void want(const char *match, const char *status);


static ngx_dns_probe_t        probe;
static ngx_dns_health_http_t  http;
static uint16_t               next[1024];


int
main(void)
{
    test_request();
    test_head();
    test_body();
    test_large();

    return tap_done();
}


static void
want(const char *match, const char *status)
{
    ngx_memzero(&probe, sizeof(ngx_dns_probe_t));

    ngx_str_set(&probe.uri, "/up?x=1");
    probe.match.data = (u_char *) match;
    probe.match.len = strlen(match);
    probe.status.data = (u_char *) status;
    probe.status.len = 2 * (status != NULL);
}


/* the response in pieces of so many octets; end: then it is closed */

static ngx_uint_t
verdict(const char *response, size_t len, size_t piece, ngx_uint_t end)
{
    size_t     i;
    ngx_int_t  rc;

    ngx_dns_health_http_init(&http, &probe, next);
    rc = NGX_AGAIN;

    for (i = 0; i < len && rc == NGX_AGAIN; i += piece) {
        rc = ngx_dns_health_http_read(&http, (u_char *) response + i,
                                      ngx_min(piece, len - i));
    }

    if (rc == NGX_AGAIN) {

        if (!end) {
            return MORE;
        }

        rc = ngx_dns_health_http_end(&http);
    }

    return (rc == NGX_OK) ? OK : http.error;
}


static void
is(const char *response, ngx_uint_t want, const char *name)
{
    size_t  len, piece;

    len = strlen(response);

    for (piece = 1; piece < len; piece++) {
        if (verdict(response, len, piece, want != MORE) != want) {
            break;
        }
    }

    tap_is_int(verdict(response, len, piece, want != MORE), want, "%s", name);
}


static void
test_request(void)
{
    u_char      buf[512], *p;
    ngx_str_t   host = ngx_string("www.example.com");

    want("", NULL);
    p = ngx_dns_health_http_request(buf, &probe, &host);

    tap_is_mem(buf, p - buf, "HEAD /up?x=1 HTTP/1.1\r\n"
               "Host: www.example.com\r\nUser-Agent: ngx_dns_module\r\n"
               "Accept: */*\r\nConnection: close\r\n\r\n", 108, "HEAD");

    tap_ok((size_t) (p - buf) <= host.len + probe.uri.len
                                 + NGX_DNS_HEALTH_HTTP_EXTRA,
           "there is room for it");

    want("ok", NULL);
    (void) ngx_dns_health_http_request(buf, &probe, &host);

    tap_is_mem(buf, 4, "GET ", 4, "GET for a text");
}


static void
test_head(void)
{
    want("", NULL);

    is("HTTP/1.1 200 OK" END, OK, "200");
    is("HTTP/1.1 301 Moved Permanently\r\nLocation: /x" END, OK, "301");
    is("HTTP/1.0 302\r\n\r\n", OK, "302 without a reason");
    is("HTTP/1.1 200 OK\n\n", OK, "lines without CR");
    is("HTTP/1.1 200 OK\r\nContent-Length: 17" END, OK,
       "a body that does not come");
    is("HTTP/1.1 200 OK\r\nServer: x\r\n", MORE, "headers without an end");
    is("HTTP/1.1 200 OK\r\nServer: x\r\n", NGX_DNS_HEALTH_HTTP_SHORT,
       "closed between headers");
    is("HTTP/1.1 204 No Content" END, NGX_DNS_HEALTH_HTTP_WRONG, "204");
    tap_is_int(http.status, 204, "its number is known");
    is("HTTP/1.1 503 No\r\n", NGX_DNS_HEALTH_HTTP_WRONG, "503 at once");
    is("HTTP/1.1 404 No" END, NGX_DNS_HEALTH_HTTP_WRONG, "404");

    is("HTTP/1.1 100 Continue" END "HTTP/1.1 200 OK" END, OK,
       "100 and then 200");
    is("HTTP/1.1 103 Early" END "HTTP/1.1 500 No" END,
       NGX_DNS_HEALTH_HTTP_WRONG, "103 and then 500");

    is("SSH-2.0-OpenSSH_9.2p1\r\n", NGX_DNS_HEALTH_HTTP_FORM, "no HTTP");
    is("HTTP/2 200\r\n\r\n", NGX_DNS_HEALTH_HTTP_FORM, "HTTP/2");
    is("HTTP/1.1 2000 OK" END, NGX_DNS_HEALTH_HTTP_FORM, "2000");
    is("HTTP/1.1 2x0 OK" END, NGX_DNS_HEALTH_HTTP_FORM, "2x0");
    is("HTTP/1.1 099 OK" END, NGX_DNS_HEALTH_HTTP_FORM, "099");
    is("\r\n\r\n", NGX_DNS_HEALTH_HTTP_FORM, "an empty line");
    is("", MORE, "nothing");
    tap_is_int(verdict("", 0, 1, 1), NGX_DNS_HEALTH_HTTP_SHORT, "closed");

    want("", "\x00\xcc");

    is("HTTP/1.1 204 No Content" END, OK, "204 if it is wanted");
    is("HTTP/1.1 200 OK" END, NGX_DNS_HEALTH_HTTP_WRONG,
       "200 if it is not");
}


static void
test_body(void)
{
    want("aab", NULL);

    is("HTTP/1.1 200 OK" END "xxaaabx", OK, "until it is closed");
    is("HTTP/1.1 200 OK" END "xxaaaab", OK, "at the end");
    is("HTTP/1.1 200 OK" END "aaab", OK, "at the beginning");
    is("HTTP/1.1 200 OK" END "aaaa", MORE, "not there yet");
    is("HTTP/1.1 200 OK" END "aaaa", NGX_DNS_HEALTH_HTTP_NO_MATCH,
       "not there");
    is("HTTP/1.1 200 OK\r\nX: aab" END "aaaa", NGX_DNS_HEALTH_HTTP_NO_MATCH,
       "in a header");
    is("HTTP/1.1 503 No" END "aab", NGX_DNS_HEALTH_HTTP_WRONG,
       "with a wrong status");

    is("HTTP/1.1 200 OK\r\ncontent-length:  4 " END "aaab", OK, "a length");
    is("HTTP/1.1 200 OK\r\nContent-Length: 3" END "aaab",
       NGX_DNS_HEALTH_HTTP_NO_MATCH, "behind the length");
    is("HTTP/1.1 200 OK\r\nContent-Length: 0" END,
       NGX_DNS_HEALTH_HTTP_NO_MATCH, "an empty body");
    is("HTTP/1.1 200 OK\r\nContent-Length: 9" END "xx",
       NGX_DNS_HEALTH_HTTP_SHORT, "too short");
    is("HTTP/1.1 200 OK\r\nContent-Length: x" END "aab",
       NGX_DNS_HEALTH_HTTP_FORM, "a bad length");
    is("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999" END "aab",
       NGX_DNS_HEALTH_HTTP_FORM, "a length without end");

    is("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" END
       "3\r\nxaa\r\n1\r\nb\r\n0\r\n\r\n", OK, "over two chunks");
    is("HTTP/1.1 200 OK\r\nTransfer-Encoding:gzip, Chunked" END
       "3;x=\"y\"\r\nxaa\r\n1\r\nx\r\n0\r\n\r\n",
       NGX_DNS_HEALTH_HTTP_NO_MATCH, "not in two chunks");
    is("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" END
       "A\r\nxxxxxxxaab\r\n", OK, "a size in hex");
    is("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" END
       "3\r\nxaa\r\n", NGX_DNS_HEALTH_HTTP_SHORT, "chunks without an end");
    is("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" END
       "zz\r\n", NGX_DNS_HEALTH_HTTP_FORM, "no size of a chunk");
    is("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked" END
       "\r\n", NGX_DNS_HEALTH_HTTP_FORM, "an empty size of a chunk");

    is("HTTP/1.1 100 Continue\r\nContent-Length: 1" END "HTTP/1.1 200 OK" END
       "xaab", OK, "the length of what came before");
}


static void
test_large(void)
{
    static char  big[2 * NGX_DNS_HEALTH_HTTP_MAX];

    size_t  n;

    want("aab", NULL);

    n = sprintf(big, "HTTP/1.1 200 OK\r\nServer: ");
    memset(big + n, 'x', sizeof(big) - n);

    tap_is_int(verdict(big, sizeof(big), 4096, 0), NGX_DNS_HEALTH_HTTP_LARGE,
               "a long header");

    n = sprintf(big, "HTTP/1.1 200 OK\r\n\r\n");
    memset(big + n, 'a', sizeof(big) - n);

    tap_is_int(verdict(big, sizeof(big), 4096, 0),
               NGX_DNS_HEALTH_HTTP_NO_MATCH, "a long body");

    big[n + NGX_DNS_HEALTH_HTTP_MAX - 1] = 'b';

    tap_is_int(verdict(big, sizeof(big), 4096, 0), OK,
               "the last octet that is looked at");
}
