
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * From a database in MaxMind's format to facts and scopes of addresses: every
 * network of 16 bits against a plain table, and what is no database.
 */


#include <stdio.h>
#include <unistd.h>

#include "shim.h"
#include "tap.h"
#include "memory.h"
#include "ngx_dns_geo_build.h"
#include "ngx_dns_geo_file.h"
#include "ngx_dns_geo_nets.h"
#include "ngx_dns_geo_record.h"


#define NETS     65536
#define RECORDS  5                      /* 0: no record */


static uint32_t db_tree(unsigned first, unsigned n);
static void db_text(const char *text);
static void db_map(unsigned n);
static void db_write(unsigned version);
static void model(unsigned first, unsigned n, unsigned depth);
static void test_facts(unsigned seed);
static void test_flat(void);
static void test_damaged(void);
static void test_whole(void);
static void test_nets(unsigned v6);
static void test_files(void);
static unsigned random_of(unsigned n);


static u_char    map[NETS];             /* the record of each network */
static u_char    nodes[2 * NETS * 8];
static uint32_t  left[2 * NETS], right[2 * NETS];
static uint32_t  nnodes;
static u_char    data[4096];
static size_t    data_len;
static uint32_t  offsets[RECORDS];
static u_char    file[sizeof(nodes) + 8192];
static size_t    file_len;
static char      path[] = "/tmp/geo-test-XXXXXX";
static unsigned  state = 1;


int
main(void)
{
    int  fd;

    fd = mkstemp(path);
    if (fd == -1) {
        return 1;
    }

    close(fd);

    test_facts(1);
    test_facts(2);
    test_flat();
    test_damaged();
    test_whole();
    test_nets(0);
    test_nets(1);
    test_files();

    tap_is_int(memory_blocks, 0, "all memory is given back");

    unlink(path);

    return tap_done();
}


static unsigned
random_of(unsigned n)
{
    state = state * 1103515245 + 12345;

    return (state >> 16) % n;
}


/* some networks get a record, smaller ones in them another */

static void
model(unsigned first, unsigned n, unsigned depth)
{
    if (random_of(4) == 0) {
        memset(map + first, random_of(RECORDS), n);
    }

    if (n > 1 && random_of(40) != 0) {
        model(first, n / 2, depth + 1);
        model(first + n / 2, n / 2, depth + 1);
    }
}


/* a record of the tree; networks of one value are cut at random too */

static uint32_t
db_tree(unsigned first, unsigned n)
{
    unsigned  i;
    uint32_t  node;

    for (i = 1; i < n && map[first + i] == map[first]; i++) { /* void */ }

    if (i == n && first + n != NETS && (n == 1 || random_of(3) != 0)) {
        return map[first] ? 0x80000000 + offsets[map[first]] : 0x40000000;
    }

    if (n == 1) {
        return map[first] ? 0x80000000 + offsets[map[first]] : 0x40000000;
    }

    node = nnodes++;
    left[node] = db_tree(first, n / 2);
    right[node] = db_tree(first + n / 2, n / 2);

    return node;
}


static void
db_text(const char *text)
{
    data[data_len++] = 2 << 5 | strlen(text);
    memcpy(data + data_len, text, strlen(text));
    data_len += strlen(text);
}


static void
db_map(unsigned n)
{
    data[data_len++] = 7 << 5 | n;
}


static void
db_number(unsigned n)
{
    data[data_len++] = 6 << 5 | 4;
    ngx_dns_put32(data + data_len, n);
    data_len += 4;
}


static void
db_double(double value)
{
    uint64_t  n;

    memcpy(&n, &value, 8);
    data[data_len++] = 3 << 5 | 8;
    ngx_dns_put32(data + data_len, n >> 32);
    ngx_dns_put32(data + data_len + 4, n);
    data_len += 8;
}


static u_char *
db_record(u_char *p, uint32_t r)
{
    if (r & 0x80000000) {
        r = nnodes + 16 + (r & 0x3fffffff);

    } else if (r & 0x40000000) {
        r = nnodes;
    }

    p[0] = r >> 16;
    p[1] = r >> 8;
    p[2] = r;

    return p + 3;
}


static void
db_write(unsigned version)
{
    FILE      *f;
    u_char    *p;
    uint32_t   i;

    static const char  marker[] = "\xab\xcd\xefMaxMind.com";

    p = file;

    for (i = 0; i < nnodes; i++) {
        p = db_record(p, left[i]);
        p = db_record(p, right[i]);
    }

    memset(p, 0, 16);
    p += 16;
    p = ngx_cpymem(p, data, data_len);
    p = ngx_cpymem(p, marker, sizeof(marker) - 1);

    data_len = 0;
    db_map(9);
    db_text("node_count");
    db_number(nnodes);
    db_text("record_size");
    data[data_len++] = 5 << 5 | 1;
    data[data_len++] = 24;
    db_text("ip_version");
    data[data_len++] = 5 << 5 | 1;
    data[data_len++] = version;
    db_text("database_type");
    db_text("Test");
    db_text("binary_format_major_version");
    data[data_len++] = 5 << 5 | 1;
    data[data_len++] = 2;
    db_text("binary_format_minor_version");
    data[data_len++] = 5 << 5 | 0;
    db_text("languages");
    data[data_len++] = 0;
    data[data_len++] = 11 - 7;
    db_text("description");
    db_map(0);
    db_text("build_epoch");
    data[data_len++] = 0 << 5 | 4;
    data[data_len++] = 9 - 7;
    ngx_dns_put32(data + data_len, 1700000000);
    data_len += 4;

    p = ngx_cpymem(p, data, data_len);
    file_len = p - file;

    f = fopen(path, "w");
    fwrite(file, 1, file_len, f);
    fclose(f);
}


static const char *const  countries[] = { NULL, "DE", "at", "DE", "US" };


static void
db_begin(void)
{
    unsigned  i;

    data_len = 0;
    nnodes = 0;

    for (i = 1; i < RECORDS; i++) {
        offsets[i] = data_len;
        db_map(2);
        db_text("country");
        db_map(1);
        db_text("iso_code");
        db_text(countries[i]);
        db_text("location");
        db_map(2);
        db_text("latitude");
        db_double(10.0 * i);
        db_text("longitude");
        db_double(i < 4 ? 0.0 : 90.0);
    }
}


static uint32_t
country_of(unsigned net)
{
    const char  *c;

    c = countries[map[net]];

    return c ? (uint32_t) ngx_toupper(c[0]) << 8 | ngx_toupper(c[1]) : 0;
}


/* the largest network around it with one country */

static unsigned
bits_of(unsigned net)
{
    unsigned  bits, n, i, first;

    for (bits = 16; bits > 0; bits--) {
        n = 1 << (16 - bits + 1);
        first = net & ~(n - 1);

        for (i = 0; i < n; i++) {
            if (country_of(first + i) != country_of(net)) {
                return bits;
            }
        }
    }

    return 0;
}


static void
test_facts(unsigned seed)
{
    u_char          address[16];
    double          point[3];
    size_t          size;
    unsigned        net, wrong, scopes, places;
    uint32_t        value;
    ngx_int_t       rc;
    ngx_uint_t      bits;
    const char     *err;
    ngx_dns_geo_t  *geo;

    state = seed;
    memset(map, 0, sizeof(map));
    model(0, NETS, 0);
    map[NETS - 1] = 1;
    map[0] = 0;
    db_begin();
    (void) db_tree(0, NETS);
    db_write(4);

    err = "";
    rc = ngx_dns_geo_build(path, &memory, &geo, &size, &err);

    if (!tap_ok(rc == NGX_OK, "database %u is read %s", seed, err)) {
        return;
    }

    tap_is_int(ngx_dns_geo_check(geo, size), NGX_OK, "what it makes is sound");
    tap_is_int(ngx_dns_geo_check(geo, size - 8), NGX_DECLINED, "if it is all");
    tap_ok(ngx_dns_geo_has(geo, NGX_DNS_GEO_COUNTRY), "it knows countries");
    tap_ok(!ngx_dns_geo_has(geo, NGX_DNS_GEO_ASN), "and no AS numbers");

    wrong = 0;
    scopes = 0;
    places = 0;
    memset(address, 77, sizeof(address));

    for (net = 0; net < NETS; net++) {
        ngx_dns_put16(address, net);

        value = ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, 4, &bits);
        wrong += (value != country_of(net));
        scopes += (bits != bits_of(net));

        value = ngx_dns_geo_find(geo, NGX_DNS_GEO_POINT, address, 4, &bits);

        if (value != 0) {
            ngx_dns_geo_point(geo, value, point);
            value = (map[net] == 4) ? point[1] > 0.7 : point[0] > 0.8;
            places += !value;

        } else {
            places += (map[net] != 0);
        }
    }

    tap_is_int(wrong, 0, "the country of each network");
    tap_is_int(scopes, 0, "and the largest one with the same country");
    tap_is_int(places, 0, "and its place");

    memory.unmap(NULL, geo, size);
}


static void
test_flat(void)
{
    u_char          address[4] = { 0 };
    size_t          size;
    ngx_uint_t      bits;
    const char     *err;
    ngx_dns_geo_t  *geo;

    memset(map, 1, sizeof(map));
    memset(map, 2, NETS / 2);

    data_len = 0;
    nnodes = 0;
    offsets[1] = 0;
    db_map(2);
    db_text("country_code");
    db_text("FR");
    db_text("asn");
    db_text("AS64500");
    offsets[2] = data_len;
    db_map(2);
    db_text("country_code");
    db_text("France");
    db_text("asn");
    db_number(64501);
    (void) db_tree(0, NETS);
    db_write(4);

    if (!tap_ok(ngx_dns_geo_build(path, &memory, &geo, &size, &err) == NGX_OK,
                "a database with flat records"))
    {
        return;
    }

    address[0] = 200;
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, 4, &bits),
               'F' << 8 | 'R', "its country");
    tap_is_int(bits, 1, "of half of all addresses");
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_ASN, address, 4, &bits),
               64500, "\"AS64500\"");

    address[0] = 1;
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, 4, &bits),
               0, "what is no code of two letters");
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_ASN, address, 4, &bits),
               64501, "a number");

    address[0] = 200;
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_CONTINENT, address, 4,
                                &bits),
               'E' << 8 | 'U', "the continent of a country");
    tap_is_int(ngx_dns_geo_continent('Z' << 8 | 'W'), 'A' << 8 | 'F', "Africa");
    tap_is_int(ngx_dns_geo_continent('V' << 8 | 'E'), 'S' << 8 | 'A',
               "the last one");
    tap_is_int(ngx_dns_geo_continent('X' << 8 | 'X'), 0, "no country");

    memory.unmap(NULL, geo, size);
}


/* each octet of a small database changed in turn: refused, or sound */

static void
test_damaged(void)
{
    FILE           *f;
    size_t          size, i;
    unsigned        unsound;
    const char     *err;
    ngx_dns_geo_t  *geo;

    memset(map, 3, sizeof(map));
    map[0] = 1;
    db_begin();
    (void) db_tree(0, NETS);
    db_write(4);

    unsound = 0;

    for (i = 0; i < file_len; i += (i < 300) ? 1 : 1 + random_of(20)) {
        file[i] ^= 1 + random_of(255);

        f = fopen(path, "w");
        fwrite(file, 1, file_len, f);
        fclose(f);

        if (ngx_dns_geo_build(path, &memory, &geo, &size, &err) == NGX_OK) {
            unsound += (ngx_dns_geo_check(geo, size) != NGX_OK);
            memory.unmap(NULL, geo, size);
        }
    }

    tap_is_int(unsound, 0, "a damaged database is refused, or what is made "
               "of it is sound");

    f = fopen(path, "w");
    fwrite(file, 1, 10, f);
    fclose(f);

    tap_is_int(ngx_dns_geo_build(path, &memory, &geo, &size, &err),
               NGX_DECLINED, "no database");
    tap_ok(err != NULL && err[0], "and why: %s", err);
}


/* all of IPv4 is one record, in a database of IPv6 */

static void
test_whole(void)
{
    u_char          address[16] = { 1 };
    size_t          size;
    uint32_t        i;
    ngx_uint_t      bits;
    const char     *err;
    ngx_dns_geo_t  *geo;

    db_begin();

    /* ::/96 is below 96 times the left side */

    nnodes = 96;

    for (i = 0; i < 96; i++) {
        left[i] = (i == 95) ? 0x80000000 + offsets[1] : i + 1;
        right[i] = (i == 0) ? 0x80000000 + offsets[4] : 0x40000000;
    }

    db_write(6);

    if (!tap_ok(ngx_dns_geo_build(path, &memory, &geo, &size, &err) == NGX_OK,
                "a database with one record for IPv4"))
    {
        return;
    }

    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, 4, &bits),
               'D' << 8 | 'E', "it is found");
    tap_is_int(bits, 0, "for all addresses");

    address[0] = 0x80;
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, 16, &bits),
               'U' << 8 | 'S', "IPv6");
    tap_is_int(bits, 1, "half of it");

    address[0] = 0x20;
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, 16, &bits),
               0, "nothing");
    tap_is_int(bits, 3, "in the largest network");

    memory.unmap(NULL, geo, size);
}


/* the value of the longest network that the address is in */

static uint32_t
nets_find(const ngx_dns_geo_net_t *nets, unsigned n, uint64_t address,
    unsigned width)
{
    int       bits;
    unsigned  i;
    uint32_t  value;

    bits = -1;
    value = 0;

    for (i = 0; i < n; i++) {
        if (nets[i].bits > bits
            && (nets[i].bits == 0
                || (nets[i].start ^ address) >> (width - nets[i].bits) == 0))
        {
            bits = nets[i].bits;
            value = nets[i].value;
        }
    }

    return value;
}


static void
test_nets(unsigned v6)
{
    u_char             address[16];
    size_t             size;
    uint64_t           at, mask;
    unsigned           i, k, n, width, wrong, larger;
    ngx_uint_t         bits;
    ngx_dns_geo_t     *geo;
    ngx_dns_geo_net_t  nets[64];

    width = v6 ? 64 : 32;
    n = 0;

    memset(nets, 0, sizeof(nets));

    while (n < 64) {
        bits = random_of(20) + random_of(7) * random_of(3);
        mask = bits ? ~0ull << (64 - bits) : 0;
        at = (uint64_t) (random_of(4) << 14 | random_of(16384)) << 48;

        nets[n].start = (at & mask) >> (64 - width);
        nets[n].bits = bits;
        nets[n].v6 = v6;
        nets[n].value = 1 + random_of(5);

        for (i = 0; i < n; i++) {
            if (nets[i].start == nets[n].start && nets[i].bits == bits) {
                break;
            }
        }

        n += (i == n);
    }

    ngx_dns_geo_nets_sort(nets, n);

    if (!tap_ok(ngx_dns_geo_nets(nets, n, &memory, &geo, &size) == NGX_OK
                && ngx_dns_geo_check(geo, size) == NGX_OK,
                "networks of IPv%u", v6 ? 6 : 4))
    {
        return;
    }

    wrong = 0;
    larger = 0;
    memset(address, 0, sizeof(address));

    for (i = 0; i < 20000; i++) {
        k = random_of(64);
        at = nets[k].start + ((uint64_t) random_of(65536) << (width - 16)
                              >> nets[k].bits);
        at -= random_of(2);
        at &= ~0ull >> (64 - width);

        ngx_dns_put32(address, at >> (width - 32));
        ngx_dns_put32(address + 4, v6 ? at : 0);

        wrong += ngx_dns_geo_find(geo, NGX_DNS_GEO_NETWORK, address,
                                  v6 ? 16 : 4, &bits)
                 != nets_find(nets, n, at, width);

        larger += (bits > width);
    }

    tap_is_int(wrong, 0, "the name of the longest one");
    tap_is_int(larger, 0, "and no more bits than there are");
    tap_is_int(ngx_dns_geo_find(geo, NGX_DNS_GEO_NETWORK, address,
                                v6 ? 4 : 16, &bits),
               0, "none of the other family");

    memory.unmap(NULL, geo, size);
}


/* what lies in the state directory */

static void
test_files(void)
{
    u_char                     p[NGX_DNS_GEO_HEAD];
    unsigned                   i, bad;
    const u_char              *hash;
    ngx_dns_geo_head_t         head, got;
    ngx_dns_geo_ident_t        ident;
    static ngx_dns_geo_list_file_t  list;

    memset(&head, 7, sizeof(head));
    head.size = 12345;

    ngx_dns_geo_head_put(p, &head);
    tap_ok(ngx_dns_geo_head_get(p, &got) == NGX_OK
           && memcmp(&head, &got, sizeof(head)) == 0, "a head");

    bad = 0;

    for (i = 0; i < NGX_DNS_GEO_HEAD; i++) {
        p[i] ^= 1 << random_of(8);
        bad += (ngx_dns_geo_head_get(p, &got) == NGX_OK);
        ngx_dns_geo_head_put(p, &head);
    }

    tap_is_int(bad, 0, "one that was changed");

    memset(&ident, 0, sizeof(ident));
    ngx_dns_geo_known_init(&list);

    for (i = 1; i <= 3 * NGX_DNS_GEO_KNOWN; i++) {
        ident.ino = i;
        head.hash[0] = i;
        ngx_dns_geo_known_add(&list, i / 2, &ident, head.hash);
    }

    ngx_dns_geo_known_seal(&list);
    tap_is_int(ngx_dns_geo_known_check(&list), NGX_OK, "a list");

    hash = ngx_dns_geo_known_find(&list, ident.ino / 2, &ident);
    tap_ok(hash != NULL && hash[0] == (u_char) ident.ino, "the newest");

    ident.ino--;
    tap_ok(ngx_dns_geo_known_find(&list, ident.ino / 2, &ident) != NULL,
           "the one before");
    tap_ok(ngx_dns_geo_known_find(&list, 7, &ident) == NULL, "no such path");

    ident.ino = 4;
    tap_ok(ngx_dns_geo_known_find(&list, 2, &ident) == NULL, "replaced");

    list.n = NGX_DNS_GEO_KNOWN + 1;
    tap_is_int(ngx_dns_geo_known_check(&list), NGX_DECLINED, "a bad list");
    ngx_dns_geo_known_seal(&list);
    tap_is_int(ngx_dns_geo_known_check(&list), NGX_DECLINED, "a longer one");
}
