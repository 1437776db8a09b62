
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The config and the keys of a zone: SOA, flags, what stays of the zone that
 * is served when they cannot be read; members of the set of zones.
 */


#include "shim.h"
#include "buildtext.h"


#define SOA0    "@ 300 SOA ns1.z.test. hostmaster.z.test. 7 86400 7200 " \
                "604800 300\n"
#define ZONE0   "@ ZONE 0 700000000\n"

#define FLATTEN     "100"
#define CAA_CLIMB   "200"
#define SERIAL      "400"
#define DNSSEC      "800"
#define UNSIGNABLE  "1800"

#define PUB   "z.test. 3600 IN DNSKEY 257 3 13 AAAA"
#define PRIV  "Private-key-format: v1.3\\nAlgorithm: 13 (ECDSAP256SHA256)" \
              "\\nPrivateKey: AAAA\\n"

#define KEYS  "K 0 " PUB "\nK 1 " PRIV "\nK 2 " PUB "\nK 3 " PRIV "\n"
#define KEPT  "@ KEY 0 36\n@ KEY 1 77\n@ KEY 2 36\n@ KEY 3 77\n"

#define NOT_SIGNED  ": dnssec is on, but this version does not sign\n"


static void test_last(void);
static void test_serial(void);
static void test_long(void);
static void test_apex(void);


static build_t  configs[] = {

    { "no config", "F @ {}\n", SOA0 "@ NAME\n" ZONE0, "" },

    { "an empty config", "C \n", SOA0 ZONE0, "" },

    { "a config without members", "C {}\n", SOA0 ZONE0, "" },

    { "null", "C null\n", SOA0 ZONE0, "" },

    { "\"soa\": null", "C {'soa':null,'dnssec':null}\n", SOA0 ZONE0, "" },

    { "all members",
      "C {'soa':{'ttl':600,'minttl':60,'mbox':'dns.Z.test.','ns':'NS.z.test',"
      "'refresh':3600,'retry':601,'expire':864000,'serial':2026113001},"
      "'domain_id':'d-17','ns':[],'cname_flattening':false}\n",
      "@ 600 SOA ns.z.test. dns.z.test. 2026113001 3600 601 864000 60\n"
      "@ ZONE " SERIAL " 700000000\n", "" },

    { "a part of the members, names without case",
      "C {'SOA':{'MBox':'a\\\\.b.test','Serial':0},'CNAME_Flattening':true}\n",
      "@ 300 SOA ns1.z.test. a\\.b.test. 0 86400 7200 604800 300\n"
      "@ ZONE 500 700000000\n", "" },

    { "limits",
      "C {'soa':{'ttl':2147483647,'minttl':4294967295,'refresh':0,"
      "'retry':4294967295,'expire':0,'serial':4294967295,'ns':'.',"
      "'mbox':'hostmaster@z.test'}}\n",
      "@ 2147483647 SOA . hostmaster\\@z.test. 4294967295 0 4294967295 0 "
      "4294967295\n@ ZONE " SERIAL " 700000000\n", "" },

    { "not JSON",
      "C {'soa':{'ttl':600}\n", SOA0 ZONE0,
      ": the config is not JSON, the default one is used\n" },

    { "no object",
      "C []\n", SOA0 ZONE0,
      ": the config is not an object, the default one is used\n" },

    { "members that cannot be read",
      "C {'soa':{'ttl':'600','minttl':-1,'mbox':'','ns':'bad..name',"
      "'refresh':4294967296,'retry':1.5,'expire':null,'serial':'1'},"
      "'dnssec':'yes','cname_flattening':1}\n",
      SOA0 ZONE0,
      ": the config: \"dnssec\" is neither true nor false, it is off\n"
      ": the config: \"cname_flattening\" is neither true nor false, it is "
      "off\n"
      ": the config: \"soa\": \"ns\" is not a name: label is empty, the "
      "default is used\n"
      ": the config: \"soa\": \"mbox\" is not a name: is empty, the default "
      "is used\n"
      ": the config: \"soa\": \"refresh\" is not a number from 0 to "
      "4294967295, 86400 is used\n"
      ": the config: \"soa\": \"retry\" is not a number from 0 to 4294967295, "
      "7200 is used\n"
      ": the config: \"soa\": \"minttl\" is not a number from 0 to "
      "4294967295, 300 is used\n"
      ": the config: \"soa\": \"ttl\" is not a number from 0 to 4294967295, "
      "300 is used\n"
      ": the config: \"soa\": \"serial\" is not a number from 0 to "
      "4294967295, a digest of the data is used\n" },

    { "\"soa\" is no object",
      "C {'cname_flattening':true,'soa':7}\n",
      SOA0 "@ ZONE " FLATTEN " 700000000\n",
      ": the config: \"soa\" is not an object, the default one is used\n" },

    { "a TTL that is too large",
      "C {'soa':{'ttl':2147483648}}\n",
      "@ 2147483647 SOA ns1.z.test. hostmaster.z.test. 7 86400 7200 604800 "
      "300\n" ZONE0,
      ": the config: \"soa\": \"ttl\" is larger than 2147483647, which is "
      "used\n" },
};


static build_t  keys[] = {

    { "keys, but dnssec is off", KEYS, SOA0 ZONE0, "" },

    { "dnssec and its keys",
      KEYS "C {'dnssec':true}\n",
      SOA0 "@ ZONE " DNSSEC " 700000000\n" KEPT, NOT_SIGNED },

    { "other forms of keys",
      "C {'dnssec':true}\n"
      "K 0 dnskey 0 3 8 AAAA\nK 1 Private-key-format: v1.2 Algorithm:8 "
      "(RSASHA256)\n"
      "K 2 z.test. DNSKEY 257 3 15 ( AA AA )\nK 3 Private-key-format: v1.3\\r"
      "\\nAlgorithm:  15\n",
      SOA0 "@ ZONE " DNSSEC " 700000000\n"
      "@ KEY 0 17\n@ KEY 1 48\n@ KEY 2 33\n@ KEY 3 42\n", NOT_SIGNED },

    { "no keys",
      "C {'dnssec':true}\n", SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but zsk:pub is missing, answered with SERVFAIL\n" },

    { "one is missing",
      "C {'dnssec':true}\nK 0 " PUB "\nK 1 " PRIV "\nK 2 " PUB "\n",
      SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but ksk:priv is missing, answered with SERVFAIL\n" },

    { "one is empty",
      "C {'dnssec':true}\nK 0 " PUB "\nK 1 \nK 2 " PUB "\nK 3 " PRIV "\n",
      SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but zsk:priv is missing, answered with SERVFAIL\n" },

    { "no DNSKEY",
      "C {'dnssec':true}\nK 0 z.test. IN DNSKEY 256 3\nK 1 " PRIV "\nK 2 " PUB
      "\nK 3 " PRIV "\n",
      SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but zsk:pub cannot be used, answered with "
      "SERVFAIL\n" },

    { "another type",
      "C {'dnssec':true}\nK 0 z.test. 1 IN A 192.0.2.1\nK 1 " PRIV "\nK 2 " PUB
      "\nK 3 " PRIV "\n",
      SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but zsk:pub cannot be used, answered with "
      "SERVFAIL\n" },

    { "no private key",
      "C {'dnssec':true}\nK 0 " PUB "\nK 1 " PRIV "\nK 2 " PUB
      "\nK 3 " PUB "\n",
      SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but ksk:priv cannot be used, answered with "
      "SERVFAIL\n" },

    { "keys of two algorithms",
      "C {'dnssec':true}\nK 0 " PUB "\nK 1 Private-key-format: v1.3\\n"
      "Algorithm: 8\nK 2 " PUB "\nK 3 " PRIV "\n",
      SOA0 "@ ZONE " UNSIGNABLE " 700000000\n",
      ": dnssec is on, but zsk:priv cannot be used, answered with "
      "SERVFAIL\n" },
};


/* what is served stays where the new config or keys cannot be read */

static build_t  served[] = {

    { "a zone to be served",
      KEYS
      "C {'soa':{'ttl':600,'minttl':60,'mbox':'dns.z.test.','ns':'ns.z.test',"
      "'refresh':1,'retry':2,'expire':3,'serial':9},'dnssec':true,"
      "'cname_flattening':true}\nF www {}\n",
      "@ 600 SOA ns.z.test. dns.z.test. 9 1 2 3 60\n"
      "@ ZONE d00 700000000\n" KEPT "www NAME\n", NOT_SIGNED },

    { "a zone to be served, its serial made of the content",
      "C {'soa':{'ttl':5}}\n",
      "@ 5 SOA ns1.z.test. hostmaster.z.test. 7 86400 7200 604800 300\n"
      ZONE0, "" },
};

static build_t  kept[] = {

    { "not JSON", KEYS "C x\n",
      "@ 600 SOA ns.z.test. dns.z.test. 9 1 2 3 60\n"
      "@ ZONE d00 700000000\n" KEPT,
      ": the config is not JSON, that of before is used\n" NOT_SIGNED },

    { "a wrong type", KEYS "W - -\n",
      "@ 600 SOA ns.z.test. dns.z.test. 9 1 2 3 60\n"
      "@ ZONE d00 700000000\n" KEPT,
      ": the config has a wrong type in Redis, that of before is used\n"
      NOT_SIGNED },

    { "members that cannot be read",
      "C {'soa':{'ttl':'600','minttl':-1,'mbox':'','ns':'bad..name',"
      "'refresh':'1','retry':4,'serial':'1'},"
      "'dnssec':'yes','cname_flattening':1}\n" KEYS,
      "@ 600 SOA ns.z.test. dns.z.test. 9 1 4 604800 60\n"
      "@ ZONE d00 700000000\n" KEPT,
      ": the config: \"dnssec\" is neither true nor false, it is on as "
      "before\n"
      ": the config: \"cname_flattening\" is neither true nor false, it is on "
      "as before\n"
      ": the config: \"soa\": \"ns\" is not a name: label is empty, that of "
      "before is used\n"
      ": the config: \"soa\": \"mbox\" is not a name: is empty, that of "
      "before is used\n"
      ": the config: \"soa\": \"refresh\" is not a number from 0 to "
      "4294967295, 1 is used\n"
      ": the config: \"soa\": \"minttl\" is not a number from 0 to "
      "4294967295, 60 is used\n"
      ": the config: \"soa\": \"ttl\" is not a number from 0 to 4294967295, "
      "600 is used\n"
      ": the config: \"soa\": \"serial\" is not a number from 0 to "
      "4294967295, that of before is used\n" NOT_SIGNED },

    { "\"soa\" is no object", "C {'soa':7}\n",
      "@ 600 SOA ns.z.test. dns.z.test. 9 1 2 3 60\n"
      "@ ZONE " SERIAL " 700000000\n",
      ": the config: \"soa\" is not an object, that of before is used\n" },

    { "a config that is gone", "F www {}\n",
      SOA0 ZONE0 "www NAME\n", "" },

    { "keys that cannot be read",
      "C {'dnssec':true}\nK 0 x\nK 1 " PRIV "\nK 2 " PUB "\n",
      SOA0 "@ ZONE " DNSSEC " 700000000\n" KEPT,
      ": dnssec is on, but zsk:pub cannot be used, the keys of before are "
      "used\n" NOT_SIGNED },

    { "no keys",
      "C {'dnssec':true}\n",
      SOA0 "@ ZONE " DNSSEC " 700000000\n" KEPT,
      ": dnssec is on, but zsk:pub is missing, the keys of before are used\n"
      NOT_SIGNED },
};

static build_t  kept_digest[] = {

    { "not JSON, the serial is made of the content", "C x\n",
      "@ 5 SOA ns1.z.test. hostmaster.z.test. 8 86400 7200 604800 300\n"
      "@ ZONE 0 800000000\n",
      ": the config is not JSON, that of before is used\n" },

    { "no keys before",
      "C {'dnssec':true}\n", "@ 300 SOA ns1.z.test. hostmaster.z.test. 8 "
      "86400 7200 604800 300\n@ ZONE " UNSIGNABLE " 800000000\n",
      ": dnssec is on, but zsk:pub is missing, answered with SERVFAIL\n" },
};


static void
test_last(void)
{
    size_t           size;
    ngx_dns_zone_t  *zone;

    build_octets(served[0].values, strlen(served[0].values));
    tap_is_str(build_out, served[0].records, "%s", served[0].name);
    tap_is_str(build_messages, served[0].messages, "%s, messages",
               served[0].name);

    zone = build_zone;
    size = build_zone_size;
    memory_blocks = 0;
    build_last = zone;

    build_all(kept, sizeof(kept) / sizeof(build_t));

    memory_blocks = 1;
    memory_unmap(NULL, zone, size);
    build_last = NULL;

    build_octets(served[1].values, strlen(served[1].values));
    tap_is_str(build_out, served[1].records, "%s", served[1].name);

    zone = build_zone;
    size = build_zone_size;
    memory_blocks = 0;
    build_last = zone;
    build_digest = 0x800000000ULL;

    build_all(kept_digest, sizeof(kept_digest) / sizeof(build_t));

    build_digest = 0x700000000ULL;
    build_last = NULL;
    memory_blocks = 1;
    memory_unmap(NULL, zone, size);
}


static void
test_serial(void)
{
    static build_t  zero[] = {
        { "no serial is 0", "",
          "@ 300 SOA ns1.z.test. hostmaster.z.test. 1 86400 7200 604800 300\n"
          "@ ZONE 0 123400001234\n", "" }
    };

    static build_t  climb[] = {
        { "CAA climbs in other profiles", "",
          SOA0 "@ ZONE " CAA_CLIMB " 700000000\n", "" }
    };

    build_digest = 0x0000123400001234ULL;
    build_all(zero, 1);

    build_digest = 0x700000000ULL;
    build_conf.profile = NGX_DNS_PROFILE_REDINS;
    build_all(climb, 1);
    build_conf.profile = NGX_DNS_PROFILE_Z42;
    build_all(climb, 1);
    build_conf.profile = NGX_DNS_PROFILE_STRICT;
}


/* no room in front of the apex */

static void
test_long(void)
{
    u_char               apex[NGX_DNS_NAME_MAX + 1], *p;
    ngx_int_t            rc;
    ngx_str_t            label;
    ngx_uint_t           bad;
    ngx_dns_build_t     *b;
    ngx_dns_reporter_t   rep;

    memset(apex, 'a', sizeof(apex));

    for (p = apex; p < apex + 192; p += 64) {
        *p = 63;
    }

    *p = 58;
    p[59] = 0;

    tap_is_int(ngx_dns_name_len(apex), 252, "a long apex");

    memset(&rep, 0, sizeof(rep));
    rep.report = build_report;
    build_messages_len = 0;

    b = ngx_dns_build_create(apex, &build_conf, 1, NULL, &memory, &rep);

    ngx_str_set(&label, "a");
    rc = ngx_dns_build_label(b, &label);
    tap_is_int(rc, NGX_OK, "a label fits");

    ngx_str_set(&label, "bcd");
    rc = ngx_dns_build_label(b, &label);
    tap_is_int(rc, NGX_OK, "a label does not fit");
    tap_ok(strstr(build_messages, "label \"bcd\": the label is no name: name "
                  "is longer than 255 octets with its origin, left out\n")
           != NULL, "and is told");

    build_out_len = 0;
    build_head = 1;
    build_print_records(ngx_dns_build_end(b, &bad));

    tap_ok(memcmp(build_out, "@ 300 SOA aaaaa", 15) == 0,
           "the apex itself is the name server");
    tap_is_int(bad, 1, "one value left out");

    ngx_dns_build_destroy(b);
}


static void
check_apex(const char *member, const char *wire, ngx_uint_t changed)
{
    u_char       apex[NGX_DNS_NAME_MAX];
    size_t       n;
    ngx_str_t    s;
    ngx_uint_t   odd;
    const char  *err;

    s.data = (u_char *) member;
    s.len = strlen(member);
    odd = 7;
    err = NULL;

    n = ngx_dns_build_apex(apex, &s, &odd, &err);

    if (wire == NULL) {
        tap_ok(n == 0 && err != NULL, "\"%s\" is refused: %s", member, err);
        return;
    }

    tap_is_mem(apex, n, wire, ngx_dns_name_len((u_char *) wire),
               "\"%.*s\"", (int) strcspn(member, "\r"), member);
    tap_is_int(odd, changed, "\"%.*s\" is %s", (int) strcspn(member, "\r"),
               member, changed ? "normalized" : "as it should be");
}


static void
test_apex(void)
{
    check_apex("example.com.", "\007example\003com", 0);
    check_apex("example.com", "\007example\003com", 1);
    check_apex("EXAMPLE.com.", "\007example\003com", 1);
    check_apex(" example.com.", "\007example\003com", 1);
    check_apex("example.com.\r\n", "\007example\003com", 1);
    check_apex("\t example.com ", "\007example\003com", 1);
    check_apex(".", "", 0);
    check_apex("b\303\274cher.de.", "\007b\303\274cher\002de", 0);
    check_apex("a\\.b.de.", "\003a.b\002de", 0);
    check_apex("a.de\\.", "\001a\003de.", 1);
    check_apex("", NULL, 0);
    check_apex("  ", NULL, 0);
    check_apex("..", NULL, 0);
    check_apex("a..b.", NULL, 0);
    check_apex("a\001b.", NULL, 0);
    check_apex("a\\", NULL, 0);
}


int
main(void)
{
    build_head = 1;

    build_all(configs, sizeof(configs) / sizeof(build_t));
    build_all(keys, sizeof(keys) / sizeof(build_t));

    test_last();
    test_serial();
    test_long();
    test_apex();

    return tap_done();
}
