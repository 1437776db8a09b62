
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The client subnet option: what is taken, what is a form error.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_ecs.h"


static void test_good(void);
static void test_bad(void);
static void test_address(void);


int
main(void)
{
    test_good();
    test_bad();
    test_address();

    return tap_done();
}


static void
test_good(void)
{
    size_t         i;
    ngx_dns_ecs_t  ecs;

    static const struct {
        const char  *data;
        size_t       len;
        unsigned     octets, bits, mapped, scope;
        const char  *address;
        const char  *what;
    } t[] = {
        { "\0\1\x18\0\x51\2\x45", 7, 4, 24, 0, 20, "\x51\2\x45\0", "/24" },
        { "\0\1\x20\0\x51\2\x45\x8e", 8, 4, 32, 0, 20, "\x51\2\x45\x8e",
          "/32" },
        { "\0\1\x17\0\x51\2\x44", 7, 4, 23, 0, 20, "\x51\2\x44\0", "/23" },
        { "\0\1\1\0\x80", 5, 4, 1, 0, 20, "\x80\0\0\0", "/1" },
        { "\0\1\0\0", 4, 0, 0, 0, 0, "\0\0\0\0", "IPv4 /0" },
        { "\0\2\0\0", 4, 0, 0, 0, 0, "\0\0\0\0", "IPv6 /0" },
        { "\0\0\0\0", 4, 0, 0, 0, 0, "\0\0\0\0", "family 0, /0" },
        { "\0\2\x38\0\x20\1\2\x18\0\0\0", 11, 16, 56, 0, 20,
          "\x20\1\2\x18\0\0\0\0\0\0\0\0\0\0\0\0", "IPv6 /56" },
        { "\0\2\x78\0\0\0\0\0\0\0\0\0\0\0\xff\xff\x51\2\x45", 19, 4, 24, 1,
          116, "\x51\2\x45\0", "IPv4 in IPv6, /120" },
        { "\0\2\x60\0\0\0\0\0\0\0\0\0\0\0\xff\xff", 16, 4, 0, 1, 116,
          "\0\0\0\0", "IPv4 in IPv6, /96" },
        { "\0\2\x50\0\0\0\0\0\0\0\0\0\0\0", 14, 16, 80, 0, 20,
          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "IPv6, shorter than that" },
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        tap_is_int(ngx_dns_ecs_parse(&ecs, (u_char *) t[i].data, t[i].len),
                   NGX_OK, "%s", t[i].what);
        tap_is_int(ecs.len, t[i].octets, "octets of its address");
        tap_is_int(ecs.bits, t[i].bits, "bits that are known");
        tap_is_int(ecs.mapped, t[i].mapped, "written as IPv6");
        tap_is_mem(ecs.address, t[i].octets == 16 ? 16 : 4, t[i].address,
                   t[i].octets == 16 ? 16 : 4, "its address");
        tap_is_int(ngx_dns_ecs_scope(&ecs, 20), t[i].scope, "a scope of 20");
        tap_is_int(ngx_dns_ecs_scope(&ecs, 0), 0, "a scope of 0");
    }
}


static void
test_bad(void)
{
    size_t         i;
    ngx_dns_ecs_t  ecs;

    static const struct {
        const char  *data;
        size_t       len;
        const char  *what;
    } t[] = {
        { "\0\1\x18\0\x51\2\x45\x8e", 8, "an octet too many" },
        { "\0\1\x18\0\x51\2", 6, "an octet too few" },
        { "\0\1\x17\0\x51\2\xff", 7, "bits behind the prefix" },
        { "\0\1\x18\x18\x51\2\x45", 7, "a scope in a query" },
        { "\0\1\x21\0\x51\2\x45\x8e\0", 9, "a prefix of 33" },
        { "\0\2\x81\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 21,
          "a prefix of 129" },
        { "\0\3\x08\0\x51", 5, "family 3" },
        { "\0\3\0\0", 4, "family 3, /0" },
        { "\0\0\x08\0\x51", 5, "family 0 with an address" },
        { "\0\1\x08", 3, "three octets" },
        { "", 0, "nothing" },
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        tap_is_int(ngx_dns_ecs_parse(&ecs, (u_char *) t[i].data, t[i].len),
                   NGX_ERROR, "%s", t[i].what);
    }
}


static void
test_address(void)
{
    ngx_dns_ecs_t  ecs;

    ngx_dns_ecs_address(&ecs, (u_char *) "\x51\2\x45\x8e", 4);
    tap_is_int(ecs.len, 4, "an IPv4 address");
    tap_is_int(ecs.bits, 32, "known to the last bit");

    ngx_dns_ecs_address(&ecs, (u_char *) "\0\0\0\0\0\0\0\0\0\0\xff\xff"
                        "\x51\2\x45\x8e", 16);
    tap_is_int(ecs.len, 4, "an IPv4 address in IPv6");
    tap_is_int(ecs.bits, 32, "known to the last bit");
    tap_is_mem(ecs.address, 4, "\x51\2\x45\x8e", 4, "it is");

    ngx_dns_ecs_address(&ecs, (u_char *) "\x20\1\2\x18\0\0\0\0\0\0\0\0\0\0\0"
                        "\1", 16);
    tap_is_int(ecs.len, 16, "an IPv6 address");
    tap_is_int(ecs.bits, 128, "known to the last bit");
}
