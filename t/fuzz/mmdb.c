
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * A file that is said to be a database of places.  What is made of it is
 * sound, and says of addresses what libmaxminddb says of them.
 */


#include "shim.h"

#include <sys/mman.h>

#include "memory.h"
#include "check.h"

#if (NGX_DNS_GEO)
#include "ngx_dns_geo_build.h"
#include "ngx_dns_geo_record.h"
#endif


#define ADDRESSES  64


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);


/* it keeps parts of metadata that it refuses */

const char *
__lsan_default_suppressions(void)
{
    return "leak:libmaxminddb\n";
}


#if (NGX_DNS_GEO)

static uint64_t  state;


static uint32_t
fuzz_random(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;

    return (uint32_t) (state >> 32);
}


/* it is below IPv4, reached otherwise: such aliases say nothing to us */

static ngx_uint_t
fuzz_alias(MMDB_s *mmdb, const u_char *address)
{
    ngx_uint_t          i;
    uint64_t            node;
    MMDB_search_node_s  sn;

    node = 0;

    for (i = 0; i < 64 && node < mmdb->metadata.node_count; i++) {

        if (MMDB_read_node(mmdb, (uint32_t) node, &sn) != MMDB_SUCCESS) {
            return 1;
        }

        node = (address[i / 8] >> (7 - i % 8) & 1) ? sn.right_record
                                                  : sn.left_record;

        if (node == mmdb->ipv4_start_node.node_value
            && mmdb->ipv4_start_node.netmask == 96)
        {
            return 1;
        }
    }

    return 0;
}


/* what the database says, or no such record */

static ngx_int_t
fuzz_lookup(MMDB_s *mmdb, const u_char *address, size_t len,
    ngx_dns_geo_record_t *rec)
{
    int                     err;
    MMDB_lookup_result_s    result;
    struct sockaddr_in      sin;
    struct sockaddr_in6     sin6;
    const struct sockaddr  *sa;

    memset(&sin, 0, sizeof(sin));
    memset(&sin6, 0, sizeof(sin6));
    memset(rec, 0, sizeof(*rec));

    if (len == 4) {
        sin.sin_family = AF_INET;
        memcpy(&sin.sin_addr, address, 4);
        sa = (struct sockaddr *) &sin;

    } else {
        sin6.sin6_family = AF_INET6;
        memcpy(&sin6.sin6_addr, address, 16);
        sa = (struct sockaddr *) &sin6;
    }

    result = MMDB_lookup_sockaddr(mmdb, sa, &err);

    if (err != MMDB_SUCCESS) {
        return NGX_DECLINED;
    }

    /* we look at 64 bits of IPv6, and at IPv4 as IPv4 */

    if (len == 16 && result.netmask > 64) {
        return NGX_DECLINED;
    }

    if (!result.found_entry) {
        return NGX_OK;
    }

    return ngx_dns_geo_record(mmdb, result.entry.offset, rec);
}


static void
fuzz_compare(const ngx_dns_geo_t *geo, MMDB_s *mmdb, const u_char *address,
    size_t len)
{
    double                point[3];
    uint32_t              value;
    ngx_uint_t            bits, width;
    ngx_dns_geo_record_t  rec;

    width = (len == 4) ? 32 : 64;

    if (fuzz_lookup(mmdb, address, len, &rec) != NGX_OK) {
        return;
    }

    value = ngx_dns_geo_find(geo, NGX_DNS_GEO_COUNTRY, address, len, &bits);
    check_that(value == rec.country && bits <= width);

    value = ngx_dns_geo_find(geo, NGX_DNS_GEO_CONTINENT, address, len, &bits);
    check_that(value == rec.continent && bits <= width);

    value = ngx_dns_geo_find(geo, NGX_DNS_GEO_ASN, address, len, &bits);
    check_that(value == rec.asn && bits <= width);

    value = ngx_dns_geo_find(geo, NGX_DNS_GEO_POINT, address, len, &bits);
    check_that((value != 0) == rec.placed && bits <= width);

    if (value != 0) {
        ngx_dns_geo_point(geo, value, point);
        check_that(point[2] >= -1.001 && point[2] <= 1.001);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int             fd;
    char            path[64];
    u_char          address[16];
    size_t          len;
    MMDB_s          mmdb;
    ngx_int_t       rc;
    ngx_uint_t      i;
    const char     *err;
    ngx_dns_geo_t  *geo;

    fd = memfd_create("mmdb", 0);
    check_that(fd != -1);
    check_that(write(fd, data, size) == (ssize_t) size);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);

    memory_blocks = 0;
    err = NULL;

    rc = ngx_dns_geo_build(path, &memory, &geo, &len, &err);

    check_that(rc == NGX_OK || (rc == NGX_DECLINED && err != NULL));

    if (rc == NGX_OK) {
        check_that(ngx_dns_geo_check(geo, len) == NGX_OK);
        check_that(MMDB_open(path, MMDB_MODE_MMAP, &mmdb) == MMDB_SUCCESS);

        state = size;

        for (i = 0; i < ADDRESSES; i++) {

            /* near to each other, or anywhere */

            ngx_dns_put32(address, fuzz_random() >> (i % 4) * 8);
            ngx_dns_put32(address + 4, fuzz_random());
            ngx_dns_put32(address + 8, 0);
            ngx_dns_put32(address + 12, 0);

            fuzz_compare(geo, &mmdb, address, 4);

            if (mmdb.metadata.ip_version == 6
                && !fuzz_alias(&mmdb, address))
            {
                fuzz_compare(geo, &mmdb, address, 16);
            }
        }

        MMDB_close(&mmdb);
        memory.unmap(NULL, geo, len);
    }

    check_that(memory_blocks == 0);

    (void) close(fd);

    return 0;
}

#else

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return 0;
}

#endif
