
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Keys of states of addresses: names, values as they are written and read,
 * counts of other writers, times.
 */


#include "shim.h"
#include "memory.h"
#include "tap.h"
#include "ngx_dns_status.h"


static void test_key(void);
static void test_write(void);
static void test_read(void);
static void test_run(void);
static void test_time(void);
static void is_read(const char *json, ngx_int_t rc, int64_t status,
    ngx_uint_t up, ngx_uint_t down);


static ngx_dns_json_buf_t  buf;

static const u_char  www[] = "\003www\004shop\004test";
static const u_char  v4[] = "\300\000\002\012";
static const u_char  v6[] = "\040\001\015\270\0\0\0\0\0\0\0\0\0\0\0\1";


int
main(void)
{
    buf.mem = &memory;

    test_key();
    test_write();
    test_read();
    test_run();
    test_time();

    ngx_dns_json_free(&buf);
    tap_is_int(memory_blocks, 0, "all memory is given back");

    return tap_done();
}


static void
test_key(void)
{
    u_char                   text[NGX_DNS_STATUS_KEY], *p;
    ngx_dns_status_target_t  t;

    memset(&t, 0, sizeof(t));

    t.owner = www;
    t.address = v4;
    t.len = 4;
    *ngx_dns_status_key(text, &t, 0) = '\0';
    tap_is_str((char *) text, ":healthcheck:www.shop.test.:192.0.2.10",
               "key: IPv4");

    t.owner = www + 4;
    t.address = v6;
    t.len = 16;
    *ngx_dns_status_key(text, &t, 1) = '\0';
    tap_is_str((char *) text, ":healthcheck:@.shop.test.:2001:db8::1",
               "key: IPv6, an apex of z42");

    t.owner = (u_char *) "\001*\004shop\004test";
    p = ngx_dns_status_key(text, &t, 0);
    *p = '\0';
    tap_is_str((char *) text, ":healthcheck:*.shop.test.:2001:db8::1",
               "key: a wildcard");
}


static void
test_write(void)
{
    u_char                   text[NGX_DNS_STATUS_VALUE], *p;
    ngx_str_t                value;
    const char              *err;
    ngx_dns_probe_t          probe;
    ngx_dns_status_t         st, in;
    ngx_dns_status_target_t  t;

    memset(&t, 0, sizeof(t));
    memset(&probe, 0, sizeof(probe));
    memset(&st, 0, sizeof(st));

    probe.protocol = NGX_DNS_PROBE_HTTPS;
    ngx_str_set(&probe.uri, "/up?a=\"\\b\"");
    probe.timeout = 800;
    ngx_dns_probe_settle(&probe);

    t.owner = www;
    t.address = v4;
    t.len = 4;
    t.probe = &probe;
    ngx_str_set(&t.domain, "d-1\001");

    st.status = -2;
    st.checked = 1795960800000ULL;

    p = ngx_dns_status_write(text, &t, &st);
    *p = '\0';

    tap_is_str((char *) text,
               "{\"enable\":true,\"protocol\":\"https\",\"uri\":"
               "\"/up?a=\\\"\\\\b\\\"\",\"port\":443,\"status\":-2,"
               "\"lastcheck\":\"2026-11-29T14:00:00Z\",\"timeout\":800,"
               "\"up_count\":3,\"down_count\":-3,\"domain_uuid\":"
               "\"d-1\\u0001\",\"host\":\"www.shop.test.\","
               "\"ip\":\"192.0.2.10\"}", "write");

    value.data = text;
    value.len = p - text;

    tap_is_int(ngx_dns_status_read(&buf, &value, &in, &err), NGX_OK,
               "write: is read");
    tap_ok(in.status == -2 && in.up_count == 3 && in.down_count == 3
           && in.checked == st.checked, "write: as it was");
}


static void
is_read(const char *json, ngx_int_t rc, int64_t status, ngx_uint_t up,
    ngx_uint_t down)
{
    ngx_int_t         n;
    ngx_str_t         value;
    const char       *err;
    ngx_dns_status_t  st;

    memset(&st, 0, sizeof(st));
    value.data = (u_char *) json;
    value.len = strlen(json);

    n = ngx_dns_status_read(&buf, &value, &st, &err);

    if (!tap_ok(n == rc && st.status == status && st.up_count == up
                && st.down_count == down, "read: %s", json))
    {
        printf("# got %d, status %d, counts %d, %d\n", (int) n,
               (int) st.status, (int) st.up_count, (int) st.down_count);
    }
}


static void
test_read(void)
{
    is_read("{}", NGX_OK, 0, 0, 0);
    is_read("{\"status\":3,\"up_count\":3,\"down_count\":-3}", NGX_OK, 3, 3,
            3);
    is_read("{\"Status\":-3,\"Up_Count\":3,\"down_count\":4}", NGX_OK, -3, 3,
            4);
    is_read("{\"status\":-99999,\"up_count\":99999}", NGX_OK, -32767, 32767,
            0);
    is_read("{\"status\":1,\"up_count\":\"3\",\"down_count\":null}", NGX_OK,
            1, 0, 0);
    is_read("{\"status\":\"3\"}", NGX_DECLINED, 0, 0, 0);
    is_read("{\"status\":1.5}", NGX_DECLINED, 0, 0, 0);
    is_read("{\"status\":-}", NGX_DECLINED, 0, 0, 0);
    is_read("[]", NGX_DECLINED, 0, 0, 0);
    is_read("3", NGX_DECLINED, 0, 0, 0);
    is_read("", NGX_DECLINED, 0, 0, 0);
    is_read("{\"status\":3", NGX_DECLINED, 0, 0, 0);
}


static void
test_run(void)
{
    size_t            i;
    ngx_int_t         run;
    ngx_dns_status_t  st;

    /* status, counts of the writer, our counts, results in a row */

    static const int  runs[][6] = {
        { 0, 3, 3, 3, 3, 0 },
        { 3, 3, 3, 3, 3, 3 }, { 2, 3, 3, 3, 3, 2 }, { 1, 3, 3, 3, 3, 1 },
        { -1, 3, 3, 3, 3, -1 }, { -2, 3, 3, 3, 3, -2 },
        { -3, 3, 3, 3, 3, -3 }, { -9, 3, 3, 3, 3, -3 },
        { 9, 3, 3, 3, 3, 3 },

        /* without counts of his own */

        { 2, 0, 0, 3, 3, 2 }, { -3, 0, 0, 3, 3, -3 }, { 5, 0, 0, 3, 3, 3 },

        /* he counts further, or less far */

        { 3, 5, 5, 3, 3, 2 }, { 5, 5, 5, 3, 3, 3 }, { -3, 5, 5, 3, 3, -2 },
        { -5, 5, 5, 3, 3, -3 }, { 1, 1, 1, 3, 3, 3 }, { -1, 1, 1, 3, 3, -3 },
        { 1, 3, 3, 1, 1, 1 }, { -1, 3, 3, 1, 1, 0 }, { -3, 3, 3, 1, 1, -1 }
    };

    for (i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        st.status = runs[i][0];
        st.up_count = (ngx_uint_t) runs[i][1];
        st.down_count = (ngx_uint_t) runs[i][2];

        run = ngx_dns_status_run(&st, (ngx_uint_t) runs[i][3],
                                 (ngx_uint_t) runs[i][4]);

        tap_is_int(run, runs[i][5], "run: %d of %d, %d for %d, %d",
                   runs[i][0], runs[i][1], runs[i][2], runs[i][3],
                   runs[i][4]);
    }
}


static void
is_time(const char *text, uint64_t ms)
{
    ngx_str_t  s;

    s.data = (u_char *) text;
    s.len = strlen(text);

    tap_is_int((ngx_int_t) ngx_dns_status_time_read(&s), (ngx_int_t) ms,
               "time: %s", text);
}


static void
test_time(void)
{
    u_char     text[32];
    uint64_t   ms, step;
    ngx_str_t  s;

    is_time("1970-01-01T00:00:01Z", 1000);
    is_time("2000-02-29T12:34:56Z", 951827696000ULL);
    is_time("2026-11-30T14:00:00.5Z", 1796047200500ULL);
    is_time("2026-11-30t14:00:00.123456789+04:30", 1796031000123ULL);
    is_time("2026-11-30T14:00:00-04:30", 1796063400000ULL);
    is_time("0001-01-01T00:00:00Z", 0);
    is_time("9999-12-31T23:59:59-01:00", 0);
    is_time("1969-12-31T23:59:59Z", 0);
    is_time("2026-13-01T00:00:00Z", 0);
    is_time("2026-11-30 14:00:00Z", 0);
    is_time("2026-11-30T14:00:00", 0);
    is_time("2026-11-30T14:00:00Zz", 0);
    is_time("2026-11-30T14:00:00+0430", 0);
    is_time("2026-11-30", 0);
    is_time("", 0);

    s.data = text;
    step = 123456789000ULL / 7;

    for (ms = 1000; ms < 32503680000000ULL; ms += step / 1000 * 1000) {
        s.len = ngx_dns_status_time_write(text, ms) - text;

        if (s.len != 20 || ngx_dns_status_time_read(&s) != ms) {
            break;
        }
    }

    tap_ok(ms >= 32503680000000ULL, "time: as it was written");

    s.len = ngx_dns_status_time_write(text, 0) - text;
    tap_is_mem(text, s.len, "0001-01-01T00:00:00Z", 20, "time: never");
}
