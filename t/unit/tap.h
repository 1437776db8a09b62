
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Test Anything Protocol for the unit tests: one file, one program, which
 * includes this header once and ends main() by "return tap_done();".
 */


#ifndef _TAP_H_INCLUDED_
#define _TAP_H_INCLUDED_


#include <stdarg.h>
#include <stdio.h>
#include <string.h>


/* gives the condition back, so that a test can stop where going on is unsafe */

#define tap_ok(cond, ...)                                                     \
    tap_ok_at((cond) ? 1 : 0, __FILE__, __LINE__, __VA_ARGS__)

#define tap_is_int(got, want, ...)                                            \
    tap_is_int_at((long long) (got), (long long) (want),                      \
                  __FILE__, __LINE__, __VA_ARGS__)

#define tap_is_mem(got, got_len, want, want_len, ...)                         \
    tap_is_mem_at((got), (size_t) (got_len), (want), (size_t) (want_len),     \
                  __FILE__, __LINE__, __VA_ARGS__)

#define tap_is_str(got, want, ...)                                            \
    tap_is_mem_at((got), strlen((const char *) (got)),                        \
                  (want), strlen((const char *) (want)),                      \
                  __FILE__, __LINE__, __VA_ARGS__)


static int  tap_run;
static int  tap_failed;


static int __attribute__((unused, format(printf, 4, 5)))
tap_ok_at(int cond, const char *file, int line, const char *fmt, ...)
{
    va_list  args;

    printf("%sok %d - ", cond ? "" : "not ", ++tap_run);

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);

    printf("\n");

    if (!cond) {
        tap_failed++;
        printf("# failed at %s:%d\n", file, line);
    }

    fflush(stdout);

    return cond;
}


static int __attribute__((unused, format(printf, 5, 6)))
tap_is_int_at(long long got, long long want, const char *file, int line,
    const char *fmt, ...)
{
    int      rc;
    char     name[512];
    va_list  args;

    va_start(args, fmt);
    vsnprintf(name, sizeof(name), fmt, args);
    va_end(args);

    rc = tap_ok_at(got == want, file, line, "%s", name);

    if (!rc) {
        printf("# got %lld (0x%llx), expected %lld (0x%llx)\n",
               got, (unsigned long long) got,
               want, (unsigned long long) want);
    }

    return rc;
}


static void
tap_dump(const char *what, const void *data, size_t len)
{
    size_t                n;
    const unsigned char  *p;

    p = data;

    printf("# %s %zu octets:", what, len);

    for (n = 0; n < len; n++) {
        if (n % 32 == 0) {
            printf("\n#  ");
        }

        printf(" %02x", p[n]);
    }

    printf("\n");
}


static int __attribute__((unused, format(printf, 7, 8)))
tap_is_mem_at(const void *got, size_t got_len, const void *want,
    size_t want_len, const char *file, int line, const char *fmt, ...)
{
    int      rc;
    char     name[512];
    va_list  args;

    va_start(args, fmt);
    vsnprintf(name, sizeof(name), fmt, args);
    va_end(args);

    rc = tap_ok_at(got_len == want_len
                   && (want_len == 0 || memcmp(got, want, want_len) == 0),
                   file, line, "%s", name);

    if (!rc) {
        tap_dump("got", got, got_len);
        tap_dump("expected", want, want_len);
    }

    return rc;
}


static int __attribute__((unused))
tap_skip_all(const char *why)
{
    printf("1..0 # SKIP %s\n", why);

    return 0;
}


static int __attribute__((unused))
tap_done(void)
{
    printf("1..%d\n", tap_run);

    return tap_failed ? 1 : 0;
}


#endif /* _TAP_H_INCLUDED_ */
