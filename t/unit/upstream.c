
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Queries to a resolver, octet by octet, and replies: right ones, those to
 * something else, and nonsense.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_upstream.h"


#define NAME   "\3www\1x\4test"
#define NAMED  "\xc0\x0c"               /* the name of the question */
#define A      "\0\1\0\1"
#define AAAA   "\0\34\0\1"
#define CNAME  "\0\5\0\1"
#define SOA    "\0\6\0\1"
#define NS     "\0\2\0\1"
#define T(n)   "\0\0\0" n

#define add(s) add_octets(s, sizeof(s) - 1)


static void test_write(void);
static void test_addresses(void);
static void test_chain(void);
static void test_ttl(void);
static void test_nothing(void);
static void test_others(void);
static void test_edns(void);
static void test_subnet(void);
static void test_broken(void);
static void test_names(void);
static void test_many(void);
static void start(ngx_uint_t flags);
static void add_octets(const char *data, size_t len);
static void counts(ngx_uint_t an, ngx_uint_t ns, ngx_uint_t ar);
static ngx_int_t take(void);


static u_char                    buf[NGX_DNS_UPSTREAM_DATA];
static u_char                    packet[65535];
static size_t                    len;
static ngx_dns_upstream_query_t  q;
static ngx_dns_upstream_reply_t  r;


int
main(void)
{
    q.name = (u_char *) NAME;
    q.name_len = sizeof(NAME);
    q.id = 0x1234;
    q.type = NGX_DNS_TYPE_A;
    q.edns = 1;

    test_write();
    test_addresses();
    test_chain();
    test_ttl();
    test_nothing();
    test_others();
    test_edns();
    test_subnet();
    test_broken();
    test_names();
    test_many();

    return tap_done();
}


/* a reply with the question */

static void
start(ngx_uint_t flags)
{
    len = 0;
    memset(packet, 0, NGX_DNS_HEADER_SIZE);
    ngx_dns_put16(packet, q.id);
    ngx_dns_put16(packet + 2, 0x8180 | flags);
    ngx_dns_put16(packet + 4, 1);
    len = NGX_DNS_HEADER_SIZE;

    add_octets((const char *) q.name, q.name_len);
    ngx_dns_put16(packet + len, q.type);
    len += 2;
    add("\0\1");
}


static void
add_octets(const char *data, size_t n)
{
    memcpy(packet + len, data, n);
    len += n;
}


static void
counts(ngx_uint_t an, ngx_uint_t ns, ngx_uint_t ar)
{
    ngx_dns_put16(packet + 6, an);
    ngx_dns_put16(packet + 8, ns);
    ngx_dns_put16(packet + 10, ar);
}


/* from memory of just that size, where a sanitizer sees more */

static ngx_int_t
take(void)
{
    u_char     *copy;
    ngx_int_t   rc;

    copy = malloc(len ? len : 1);
    memcpy(copy, packet, len);

    memset(buf, 0xee, sizeof(buf));
    rc = ngx_dns_upstream_read(&q, copy, len, buf, &r);

    free(copy);

    return rc;
}


static void
test_write(void)
{
    size_t  n;
    u_char  out[NGX_DNS_UPSTREAM_QUERY];

    q.edns = 0;
    n = ngx_dns_upstream_write(&q, out);
    tap_is_mem(out, n, "\x12\x34\1\0\0\1\0\0\0\0\0\0" NAME "\0" A,
               12 + 12 + 4, "without OPT");

    q.edns = 1;
    n = ngx_dns_upstream_write(&q, out);
    tap_is_mem(out, n, "\x12\x34\1\0\0\1\0\0\0\0\0\1" NAME "\0" A
               "\0\0\x29\4\xd0\0\0\0\0\0\0", 28 + 11, "with OPT");

    q.family = NGX_DNS_ECS_INET;
    q.bits = 20;
    q.network = (u_char *) "\x51\2\x40\0\0\0\0\0\0\0\0\0\0\0\0";
    n = ngx_dns_upstream_write(&q, out);
    tap_is_mem(out, n, "\x12\x34\1\0\0\1\0\0\0\0\0\1" NAME "\0" A
               "\0\0\x29\4\xd0\0\0\0\0\0\x0b\0\10\0\7\0\1\x14\0\x51\2\x40",
               28 + 11 + 11, "with a subnet");

    q.family = 0;
}


static void
test_addresses(void)
{
    start(0);
    add(NAMED A T("\x3c") "\0\4\12\0\0\1");
    add(NAME "\0" A T("\x1e") "\0\4\12\0\0\2");
    add("\3WwW\1X\4tEst\0" A T("\x3c") "\0\4\12\0\0\1");
    counts(3, 0, 0);

    tap_is_int(take(), NGX_OK, "addresses");
    tap_is_int(r.rcode, 0, "rcode");
    tap_is_int(r.nrr, 2, "each of them once");
    tap_is_int(r.ttl, 30, "the smallest TTL");
    tap_is_mem(buf, r.size, "\0\4\12\0\0\1\0\4\12\0\0\2", 12, "they are");
    tap_is_int(r.edns, 0, "no OPT");

    /* the case of the question does not matter */

    packet[14] = 'W';
    tap_is_int(take(), NGX_OK, "upper case in the question");

    q.type = NGX_DNS_TYPE_AAAA;
    start(0);
    add(NAMED AAAA T("\x3c") "\0\x10\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1");
    add(NAMED A T("\2") "\0\4\12\0\0\1");
    counts(2, 0, 0);

    tap_is_int(take(), NGX_OK, "AAAA");
    tap_is_int(r.nrr, 1, "those only");
    tap_is_int(r.size, 18, "octets");
    tap_is_int(r.ttl, 60, "their TTL");
    q.type = NGX_DNS_TYPE_A;
}


static void
test_chain(void)
{
    ngx_uint_t  i;

    start(0);
    add("\1b\0" A T("\x64") "\0\4\12\0\0\2");
    add("\1a\0" CNAME T("\x0a") "\0\3\1b\0");
    add(NAMED CNAME T("\x14") "\0\3\1A\0");
    add(NAMED "\0\1\0\3" T("\1") "\0\4\12\0\0\7");
    add("\1c\0" A T("\5") "\0\4\12\0\0\3");
    counts(5, 0, 0);

    tap_is_int(take(), NGX_OK, "a chain in any order");
    tap_is_mem(buf, r.size, "\0\4\12\0\0\2", 6, "to its end");
    tap_is_int(r.ttl, 10, "the smallest TTL of the chain");

    start(0);
    add(NAMED CNAME T("\x14") "\0\3\1a\0");
    add("\1a\0" CNAME T("\x14") "\0\2" NAMED);
    counts(2, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a loop");

    start(0);
    add(NAMED CNAME T("\x14") "\0\2" NAMED);
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "to itself");

    start(0);
    add(NAMED CNAME T("\x14") "\0\3\1a\0");
    add(NAMED CNAME T("\x14") "\0\3\1b\0");
    counts(2, 0, 0);
    tap_is_int(take(), NGX_ERROR, "two CNAMEs of a name");

    start(0);
    add(NAMED CNAME T("\x14") "\0\3\1a\0");
    add(NAMED A T("\x14") "\0\4\12\0\0\1");
    counts(2, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a CNAME and an address");

    start(0);
    add(NAMED CNAME T("\x14") "\0\3\1a\0");
    add(NAME "\0" SOA T("\x50") "\0\x16\0\0\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1"
        T("\x28"));
    counts(1, 1, 0);
    tap_is_int(take(), NGX_OK, "a chain to nothing");
    tap_is_int(r.nrr, 0, "no addresses");
    tap_is_int(r.ttl, 20, "the TTL of the chain");

    /* 16 links, and one more */

    start(0);
    add(NAMED CNAME T("\x3c") "\0\3\1a\0");

    for (i = 0; i < 15; i++) {
        char  from[] = "\1a\0", to[] = "\1b\0";

        from[1] += (char) i;
        to[1] += (char) i;
        add_octets(from, 3);
        add(CNAME T("\x3c") "\0\3");
        add_octets(to, 3);
    }

    add("\1p\0" A T("\x3c") "\0\4\12\0\0\1");
    counts(17, 0, 0);
    tap_is_int(take(), NGX_OK, "16 links");
    tap_is_int(r.nrr, 1, "and an address");

    len -= 3 + 8 + 2 + 4;
    add("\1p\0" CNAME T("\x3c") "\0\3\1q\0");
    add("\1q\0" A T("\x3c") "\0\4\12\0\0\1");
    counts(18, 0, 0);
    tap_is_int(take(), NGX_ERROR, "17 links");
}


static void
test_ttl(void)
{
    start(0);
    add(NAMED A "\xff\xff\xff\xff\0\4\12\0\0\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "a TTL of 4294967295");
    tap_is_int(r.ttl, 0, "is 0");

    start(0);
    add(NAMED A "\x7f\xff\xff\xff\0\4\12\0\0\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "the longest TTL");
    tap_is_int(r.ttl, NGX_DNS_UPSTREAM_TTL, "is limited");

    start(0);
    add(NAMED A T("\0") "\0\4\12\0\0\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "a TTL of 0");
    tap_is_int(r.ttl, 0, "is 0");
}


static void
test_nothing(void)
{
    start(3);
    add("\4test\0" SOA "\0\1\0\0\0\x16\0\0\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\1"
        T("\x50"));
    counts(0, 1, 0);
    tap_is_int(take(), NGX_OK, "NXDOMAIN");
    tap_is_int(r.rcode, NGX_DNS_NXDOMAIN, "rcode");
    tap_is_int(r.ttl, 80, "MINIMUM");

    packet[len - 2] = 0x70;
    tap_is_int(take(), NGX_OK, "a long MINIMUM");
    tap_is_int(r.ttl, NGX_DNS_UPSTREAM_NEGATIVE, "is limited");

    packet[len - 4] = 0x80;
    tap_is_int(take(), NGX_OK, "a MINIMUM with the top bit set");
    tap_is_int(r.ttl, 0, "is 0");

    start(0);
    tap_is_int(take(), NGX_OK, "nothing at all");
    tap_is_int(r.rcode, NGX_DNS_NOERROR, "rcode");
    tap_is_int(r.ttl, NGX_DNS_UPSTREAM_NO_SOA, "for a short time");

    start(0);
    add("\4test\0" NS T("\x50") "\0\3\1a\0");
    counts(0, 1, 0);
    tap_is_int(take(), NGX_ERROR, "a referral");

    start(2);
    tap_is_int(take(), NGX_OK, "SERVFAIL");
    tap_is_int(r.rcode, NGX_DNS_SERVFAIL, "rcode");

    start(3);
    add(NAMED A T("\x14") "\0\4\12\0\0\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "NXDOMAIN with an address");
    tap_is_int(r.rcode, NGX_DNS_NOERROR, "is the address");
}


static void
test_others(void)
{
    size_t  whole, i;

    start(0);
    add(NAMED A T("\x3c") "\0\4\12\0\0\1");
    counts(1, 0, 0);

    packet[0] ^= 1;
    tap_is_int(take(), NGX_DECLINED, "another ID");
    packet[0] ^= 1;

    packet[2] &= 0x7f;
    tap_is_int(take(), NGX_DECLINED, "a query");
    packet[2] |= 0x80;

    packet[2] |= 0x28;
    tap_is_int(take(), NGX_DECLINED, "another opcode");
    packet[2] &= ~0x28;

    packet[13] = 'v';
    tap_is_int(take(), NGX_DECLINED, "another name");
    packet[13] = 'w';

    packet[25] = 28;
    tap_is_int(take(), NGX_DECLINED, "another type");
    packet[25] = 1;

    packet[27] = 3;
    tap_is_int(take(), NGX_DECLINED, "another class");
    packet[27] = 1;

    packet[5] = 2;
    tap_is_int(take(), NGX_DECLINED, "two questions");
    packet[5] = 0;
    tap_is_int(take(), NGX_DECLINED, "no question");
    packet[5] = 1;

    tap_is_int(take(), NGX_OK, "and the right one");

    whole = len;

    for (i = 0; i < whole; i++) {
        len = i;

        if (take() != (i < 28 ? NGX_DECLINED : NGX_ERROR)) {
            break;
        }
    }

    tap_is_int(i, whole, "each of its beginnings");

    start(NGX_DNS_FLAG_TC);
    counts(3, 0, 0);
    tap_is_int(take(), NGX_OK, "cut");
    tap_is_int(r.tc, 1, "which is said");

    start(1);
    len = NGX_DNS_HEADER_SIZE;
    packet[5] = 0;
    tap_is_int(take(), NGX_OK, "FORMERR without a question");
    tap_is_int(r.rcode, NGX_DNS_FORMERR, "rcode");
}


static void
test_edns(void)
{
    start(0);
    add(NAMED A T("\x3c") "\0\4\12\0\0\1");
    add("\0\0\x29\4\xd0\0\0\0\0\0\6\0\3\0\2xy");
    counts(1, 0, 1);
    tap_is_int(take(), NGX_OK, "an OPT");
    tap_is_int(r.edns, 1, "is seen");
    tap_is_int(r.rcode, 0, "rcode");

    packet[len - 7 - 5] = 1;
    tap_is_int(take(), NGX_OK, "with an upper part of the rcode");
    tap_is_int(r.rcode, NGX_DNS_BADVERS, "rcode");
    packet[len - 7 - 5] = 0;

    packet[len - 3] = 3;
    tap_is_int(take(), NGX_ERROR, "an option that does not end");
    packet[len - 3] = 1;
    tap_is_int(take(), NGX_ERROR, "an octet too many");
    packet[len - 3] = 2;

    add("\0\0\x29\4\xd0\0\0\0\0\0\0");
    counts(1, 0, 2);
    tap_is_int(take(), NGX_ERROR, "two OPT");
}


static void
test_subnet(void)
{
    size_t  at;

    q.family = NGX_DNS_ECS_INET;
    q.bits = 24;
    q.network = (u_char *) "\x51\2\x40\0\0\0\0\0\0\0\0\0\0\0\0";

    start(0);
    add(NAMED A T("\x3c") "\0\4\12\0\0\1");
    at = len;
    add("\0\0\x29\4\xd0\0\0\0\0\0\x0b\0\10\0\7\0\1\x18\x14\x51\2\x40");
    counts(1, 0, 1);

    tap_is_int(take(), NGX_OK, "a subnet");
    tap_is_int(r.ecs, 1, "is there");
    tap_is_int(r.scope, 20, "with its scope");

    packet[at + 18] = 32;
    tap_is_int(take(), NGX_OK, "a longer scope");
    tap_is_int(r.scope, 24, "is of no more use");

    packet[at + 17] = 23;
    tap_is_int(take(), NGX_DECLINED, "another length");
    packet[at + 17] = 24;

    packet[at + 21] = 0x41;
    tap_is_int(take(), NGX_DECLINED, "another network");
    packet[at + 21] = 0x40;

    packet[at + 16] = 2;
    tap_is_int(take(), NGX_DECLINED, "another family");
    packet[at + 16] = 1;

    q.family = 0;
    tap_is_int(take(), NGX_OK, "nobody asked for it");
    tap_is_int(r.ecs, 0, "so it is not there");

    q.family = NGX_DNS_ECS_INET;
    start(0);
    add(NAMED A T("\x3c") "\0\4\12\0\0\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "no subnet");
    tap_is_int(r.ecs, 0, "is known");

    q.family = 0;
}


static void
test_broken(void)
{
    start(0);
    add(NAMED A T("\x3c") "\0\5\12\0\0\1\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "an address of five octets");

    start(0);
    add(NAMED CNAME T("\x3c") "\0\4\1a\0\0");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a CNAME and an octet more");

    start(0);
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "fewer records than it says");

    start(0);
    add(NAMED A T("\x3c") "\0\4\12\0\0\1" "trailing octets");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "octets behind the end do no harm");

    start(0);
    counts(NGX_DNS_UPSTREAM_RECORDS + 1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "more records than are looked at");
}


static void
test_names(void)
{
    ngx_uint_t  i;

    start(0);
    packet[len] = 0xc0;
    packet[len + 1] = (u_char) len;
    len += 2;
    add(A T("\x3c") "\0\4\12\0\0\1");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_OK, "an owner that points to itself");
    tap_is_int(r.nrr, 0, "is of no concern");

    start(0);
    add(NAMED CNAME T("\x3c") "\0\2\xc0\x28");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a target that points to itself");

    start(0);
    add(NAMED CNAME T("\x3c") "\0\2\xff\xff");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a target behind the end");

    start(0);
    add(NAMED CNAME T("\x3c") "\0\2\x41x");
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a label type that there is not");

    /* 256 octets */

    start(0);
    add(NAMED CNAME T("\x3c") "\1\1");

    for (i = 0; i < 4; i++) {
        packet[len++] = (i < 3) ? 63 : 64 - 3 - 1 + 2;
        memset(packet + len, 'x', 63);
        len += packet[len - 1];
    }

    add("\0");
    ngx_dns_put16(packet + 38, (ngx_uint_t) (len - 40));
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "a target that is too long");

    /* a chain of pointers */

    start(0);
    add(NAMED CNAME T("\x3c") "\0\2\xc0\x0c");
    packet[len - 1] = 0x0c;

    for (i = 0; i < 300; i++) {
        ngx_dns_put16(packet + len, 0xc000 | (len - 2));
        len += 2;
    }

    ngx_dns_put16(packet + 38, (ngx_uint_t) (len - 40));
    counts(1, 0, 0);
    tap_is_int(take(), NGX_ERROR, "many pointers, and octets behind the name");
}


static void
test_many(void)
{
    ngx_uint_t  i;

    start(0);

    for (i = 0; i < NGX_DNS_UPSTREAM_RECORDS; i++) {
        add(NAMED A T("\x3c") "\0\4");
        ngx_dns_put32(packet + len, (uint32_t) i);
        len += 4;
    }

    counts(NGX_DNS_UPSTREAM_RECORDS, 0, 0);
    tap_is_int(take(), NGX_OK, "as many as there may be");
    tap_is_int(r.nrr, NGX_DNS_UPSTREAM_RECORDS, "all of them");
    tap_is_int(r.size, 6 * NGX_DNS_UPSTREAM_RECORDS, "octets");
}
