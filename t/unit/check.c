
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Every message of the semantic checks, with file and line.
 */


#include "shim.h"
#include "tap.h"
#include "zonetext.h"


#define SOA   "@ 300 SOA ns.else. h.else. 7 2 3 4 5\n"
#define HEAD  SOA "@ 300 NS ns.else.\n"

#define TEXT_SIZE  (4 * 1024 * 1024)


typedef struct {
    const char  *name;
    const char  *text;
    const char  *messages;
} check_t;


static ngx_uint_t check(const char *text, size_t len);
static void test_many(void);
static void test_limits(void);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static check_t  checks[] = {

    { "nothing to say",
      HEAD "a 300 A 192.0.2.1\n", "" },

    { "empty",
      "", "error -:0 zone has no SOA record\n" },

    { "no SOA, apex without records",
      "a 300 A 192.0.2.1\n", "error -:0 zone has no SOA record\n" },

    { "no SOA",
      "@ 300 NS ns.else.\n", "error -:0 zone has no SOA record\n" },

    { "no NS",
      SOA, "error -:0 zone has no NS record at its apex\n" },

    { "second SOA",
      HEAD "@ 300 SOA ns.else. h.else. 8 2 3 4 5\n",
      "error zone:3 \"z.test.\" SOA: only one record of this type is "
      "allowed\n" },

    { "the same SOA twice",
      HEAD SOA, "" },

    { "SOA below the apex",
      HEAD "a 300 SOA ns.else. h.else. 7 2 3 4 5\n",
      "error zone:3 \"a.z.test.\" SOA: an SOA stands only at the apex\n" },

    { "CNAME beside A",
      HEAD "a 300 CNAME b\na 300 A 192.0.2.1\n",
      "error zone:4 \"a.z.test.\" A: the owner has a CNAME, which allows no "
      "other data\n" },

    { "CNAME beside DNAME",
      HEAD "a 300 CNAME b\na 300 DNAME b\n",
      "error zone:4 \"a.z.test.\" DNAME: the owner has a CNAME, which allows "
      "no other data\n" },

    { "CNAME beside what may be there",
      HEAD "a 300 CNAME b\na 300 NSEC b CNAME\na 300 KEY 0 3 5 AA==\n"
      "a 300 RRSIG CNAME 5 3 300 20300101000000 20250101000000 1 @ AA==\n",
      "" },

    { "two CNAMEs",
      HEAD "a 300 CNAME b\na 300 CNAME c\n",
      "error zone:4 \"a.z.test.\" CNAME: only one record of this type is "
      "allowed\n" },

    { "CNAME at the apex",
      HEAD "@ 300 CNAME b\n",
      "error zone:3 \"z.test.\" CNAME: no CNAME can be at the apex, which "
      "has other data\n" },

    { "two DNAMEs",
      HEAD "a 300 DNAME b\na 300 DNAME c\n",
      "error zone:4 \"a.z.test.\" DNAME: only one record of this type is "
      "allowed\n" },

    { "NS beside DNAME",
      HEAD "a 300 DNAME b\na 300 NS ns.else.\n",
      "error zone:4 \"a.z.test.\" NS: NS beside a DNAME below the apex\n" },

    { "NS beside DNAME at the apex",
      HEAD "@ 300 DNAME b.else.\n", "" },

    { "below a DNAME",
      HEAD "a 300 DNAME b\nx.y.a 300 A 192.0.2.1\n",
      "error zone:4 \"x.y.a.z.test.\" A: data below a DNAME\n" },

    { "NS and DNAME at a wildcard",
      HEAD "*.a 300 NS ns.else.\n*.b 300 DNAME c\n",
      "error zone:3 \"*.a.z.test.\" NS: this type cannot be at a wildcard\n"
      "error zone:4 \"*.b.z.test.\" DNAME: this type cannot be at a "
      "wildcard\n" },

    { "too many iterations",
      HEAD "@ 0 NSEC3PARAM 1 0 151 -\n@ 0 NSEC3PARAM 1 0 150 -\n",
      "error zone:3 \"z.test.\" NSEC3PARAM: more than 150 iterations\n" },

    { "different TTLs",
      HEAD "a 300 A 192.0.2.1\na 200 A 192.0.2.2\na 300 A 192.0.2.3\n",
      "warn zone:4 \"a.z.test.\" A: TTL differs from that of the other "
      "records of the rrset, the smallest is used\n"
      "warn zone:5 \"a.z.test.\" A: TTL differs from that of the other "
      "records of the rrset, the smallest is used\n" },

    { "signature of nothing",
      HEAD "a 300 A 192.0.2.1\n"
      "a 300 RRSIG AAAA 5 3 300 20300101000000 20250101000000 1 @ AA==\n"
      "b 300 RRSIG RRSIG 5 3 300 20300101000000 20250101000000 1 @ AA==\n",
      "warn zone:4 \"a.z.test.\" RRSIG: covers a type that the owner lacks, "
      "ignored\n"
      "warn zone:5 \"b.z.test.\" RRSIG: covers a type that the owner lacks, "
      "ignored\n" },

    { "below a delegation",
      HEAD "c 300 NS ns.c\nns.c 300 A 192.0.2.1\nns.c 300 TXT x\n"
      "d.c 300 TXT y\ne.c 300 AAAA 2001:db8::1\n",
      "warn zone:6 \"d.c.z.test.\" TXT: below a delegation and never "
      "answered\n"
      "warn zone:5 \"ns.c.z.test.\" TXT: below a delegation and never "
      "answered\n" },

    { "glue is missing",
      HEAD "c 300 NS ns.c\nd 300 NS d\ne 300 NS ns.f\nf 300 NS ns.e\n"
      "@ 300 NS ns\n",
      "warn zone:7 \"z.test.\" NS: the name server has no address (missing "
      "glue)\n"
      "warn zone:3 \"c.z.test.\" NS: the name server has no address (missing "
      "glue)\n"
      "warn zone:4 \"d.z.test.\" NS: the name server has no address (missing "
      "glue)\n" },

    { "a target like the cut only in its octets",
      HEAD "ub 300 NS x\\002ub\n", "" },

    { "targets with a CNAME",
      HEAD "a 300 CNAME b\nc 300 MX 1 a\nc 300 SRV 1 2 3 a\nd 300 NS a\n"
      "e 300 AFSDB 1 a\n",
      "warn zone:4 \"c.z.test.\" MX: the target has a CNAME (RFC 2181, "
      "10.3)\n"
      "warn zone:5 \"c.z.test.\" SRV: the target has a CNAME (RFC 2181, "
      "10.3)\n"
      "warn zone:6 \"d.z.test.\" NS: the target has a CNAME (RFC 2181, "
      "10.3)\n" },

    { "ANAME beside what may be there",
      HEAD "@ 300 MX 1 a\n@ 300 ANAME a.else.\n@ 300 TXT x\n"
      "a 300 A 192.0.2.1\na 300 ANAME b\n*.w 300 ANAME a\n"
      "@ 300 ANAME a.else.\nd 300 ANAME a\nd 300 DNAME b\n", "" },

    { "two ANAMEs",
      HEAD "a 300 ANAME b\na 300 ALIAS c\nb 5 ANAME c\nb 5 ANAME c\n"
      "c 5 ANAME d\nc 6 ANAME d\nc 7 ANAME d\n",
      "error zone:4 \"a.z.test.\" ANAME: only one ANAME is allowed at a name\n"
      "error zone:8 \"c.z.test.\" ANAME: only one ANAME is allowed at a name\n"
      "error zone:9 \"c.z.test.\" ANAME: only one ANAME is allowed at a "
      "name\n" },

    { "CNAME beside ANAME",
      HEAD "a 300 ANAME b\na 300 CNAME b\n",
      "error zone:3 \"a.z.test.\" ANAME: the owner has a CNAME, which allows "
      "no other data\n" },

    { "ANAME where nobody is answered",
      HEAD "c 300 NS ns.c\nns.c 300 A 192.0.2.1\nx.c 300 ANAME b\n"
      "c 300 ANAME b\n",
      "warn zone:6 \"c.z.test.\" ANAME: at a delegation and never answered\n"
      "warn zone:5 \"x.c.z.test.\" ANAME: below a delegation and never "
      "answered\n" },

    { "ANAME below a DNAME",
      HEAD "d 300 DNAME b\nx.d 300 ANAME b\n",
      "error zone:4 \"x.d.z.test.\" ANAME: data below a DNAME\n" },

    { "ANAME in a signed zone",
      HEAD "a 300 ANAME b\n"
      "@ 300 RRSIG SOA 5 2 300 20300101000000 20250101000000 1 @ AA==\n",
      "warn zone:3 \"a.z.test.\" ANAME: the zone is signed, but there can be "
      "no signatures for the addresses of the target\n" },

    { NULL, NULL, NULL }
};


int
main(void)
{
    check_t     *t;
    ngx_uint_t   good;

    for (t = checks; t->name != NULL; t++) {
        good = check(t->text, strlen(t->text));

        tap_is_str(zonetext_messages, t->messages, "%s", t->name);
        tap_is_int(good, strstr(t->messages, "error") == NULL,
                   "%s: loaded or not", t->name);
    }

    test_many();
    test_limits();

    tap_is_int(memory_blocks, 0, "all memory is given back");

    return tap_done();
}


static ngx_uint_t
check(const char *text, size_t len)
{
    ngx_dns_zone_t  *zone;

    zone = zonetext((u_char *) "\1z\4test", text, len, &key);

    if (zone == NULL) {
        return 0;
    }

    memory_unmap(NULL, zone, 0);

    return 1;
}


/* the first 20 of each are shown */

static void
test_many(void)
{
    int    i;
    char  *text, *p;

    text = malloc(TEXT_SIZE);
    p = text + sprintf(text, HEAD);

    for (i = 0; i < 50; i++) {
        p += sprintf(p, "a%02d 300 CNAME b\na%02d 300 A 192.0.2.1\n", i, i);
        p += sprintf(p, "b%02d 300 A 192.0.2.1\nb%02d 200 A 192.0.2.2\n", i,
                     i);
    }

    tap_ok(!check(text, p - text), "many: refused");
    tap_ok(strstr(zonetext_messages, "\"a19.z") != NULL
           && strstr(zonetext_messages, "\"a20.z") == NULL,
           "many: errors that are shown");
    tap_ok(strstr(zonetext_messages, "\"b19.z") != NULL
           && strstr(zonetext_messages, "\"b20.z") == NULL,
           "many: warnings that are shown");
    tap_ok(strstr(zonetext_messages, "error -:0 30 more errors are not shown\n"
                  "warn -:0 30 more warnings are not shown\n") != NULL,
           "many: the others are counted");

    free(text);
}


/* 65535 records, and one more; a set that no message holds */

static void
test_limits(void)
{
    int    i;
    char  *text, *p;

    text = malloc(TEXT_SIZE);
    p = text + sprintf(text, HEAD);

    for (i = 0; i < 65535; i++) {
        p += sprintf(p, "a 300 A 10.0.%d.%d\n", i >> 8, i & 255);
    }

    tap_ok(check(text, p - text), "limits: 65535 records");
    tap_is_str(zonetext_messages, "warn zone:3 \"a.z.test.\" A: the rrset is "
               "larger than any message, it is answered with SERVFAIL\n",
               "limits: a large set");

    p += sprintf(p, "a 300 A 10.0.0.1\n");
    tap_ok(check(text, p - text), "limits: the same again is none more");

    p += sprintf(p, "a 300 A 10.1.0.1\n");
    tap_ok(!check(text, p - text), "limits: 65536 records");
    tap_is_str(zonetext_messages, "error zone:3 \"a.z.test.\" A: more than "
               "65535 records in one rrset\n", "limits: why");

    free(text);
}
