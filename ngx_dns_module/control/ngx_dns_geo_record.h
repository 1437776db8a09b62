
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_GEO_RECORD_H_INCLUDED_
#define _NGX_DNS_GEO_RECORD_H_INCLUDED_


#include "ngx_dns.h"

#include <maxminddb.h>


/* What one record of a database says; 0: nothing. */

typedef struct {
    uint32_t   country;                 /* two letters, upper case */
    uint32_t   continent;               /* two letters, upper case */
    uint32_t   asn;
    double     latitude;                /* degrees */
    double     longitude;
    uint8_t    placed;                  /* 1: latitude and longitude are */
} ngx_dns_geo_record_t;


/*
 * Reads the record at an offset of the data section, in MaxMind's own form or
 * flat.  NGX_OK, or NGX_DECLINED: the database is damaged.
 */
ngx_int_t ngx_dns_geo_record(MMDB_s *mmdb, uint32_t offset,
    ngx_dns_geo_record_t *rec);

/*
 * The continent of a country, for databases that do not say it; two letters
 * each, 0: unknown.
 */
uint32_t ngx_dns_geo_continent(uint32_t country);


#endif /* _NGX_DNS_GEO_RECORD_H_INCLUDED_ */
