
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_DNS_GEO)
#include "ngx_dns_geo_record.h"


static ngx_int_t ngx_dns_geo_get(MMDB_s *mmdb, uint32_t offset,
    const char *const *const *paths, MMDB_entry_data_s *data);
static uint32_t ngx_dns_geo_letters(const MMDB_entry_data_s *data);
static uint32_t ngx_dns_geo_asn(const MMDB_entry_data_s *data);
static ngx_int_t ngx_dns_geo_number(const MMDB_entry_data_s *data,
    double *value);


/* where databases keep a fact; the first place that has it counts */

static const char *const  ngx_dns_geo_path_iso[] = {
    "country", "iso_code", NULL
};
static const char *const  ngx_dns_geo_path_registered[] = {
    "registered_country", "iso_code", NULL
};
static const char *const  ngx_dns_geo_path_code[] = {
    "country_code", NULL
};
static const char *const  ngx_dns_geo_path_country[] = {
    "country", NULL
};

static const char *const *const  ngx_dns_geo_countries[] = {
    ngx_dns_geo_path_iso, ngx_dns_geo_path_code, ngx_dns_geo_path_country,
    ngx_dns_geo_path_registered, NULL
};

static const char *const  ngx_dns_geo_path_continent[] = {
    "continent", "code", NULL
};
static const char *const  ngx_dns_geo_path_continent_code[] = {
    "continent_code", NULL
};

static const char *const *const  ngx_dns_geo_continents[] = {
    ngx_dns_geo_path_continent, ngx_dns_geo_path_continent_code, NULL
};

static const char *const  ngx_dns_geo_path_number[] = {
    "autonomous_system_number", NULL
};
static const char *const  ngx_dns_geo_path_traits[] = {
    "traits", "autonomous_system_number", NULL
};
static const char *const  ngx_dns_geo_path_asn[] = {
    "asn", NULL
};

static const char *const *const  ngx_dns_geo_asns[] = {
    ngx_dns_geo_path_number, ngx_dns_geo_path_traits, ngx_dns_geo_path_asn,
    NULL
};

static const char *const  ngx_dns_geo_path_lat[] = {
    "location", "latitude", NULL
};
static const char *const  ngx_dns_geo_path_flat_lat[] = {
    "latitude", NULL
};

static const char *const *const  ngx_dns_geo_latitudes[] = {
    ngx_dns_geo_path_lat, ngx_dns_geo_path_flat_lat, NULL
};

static const char *const  ngx_dns_geo_path_lon[] = {
    "location", "longitude", NULL
};
static const char *const  ngx_dns_geo_path_flat_lon[] = {
    "longitude", NULL
};

static const char *const *const  ngx_dns_geo_longitudes[] = {
    ngx_dns_geo_path_lon, ngx_dns_geo_path_flat_lon, NULL
};


ngx_int_t
ngx_dns_geo_record(MMDB_s *mmdb, uint32_t offset, ngx_dns_geo_record_t *rec)
{
    MMDB_entry_data_s  data;

    ngx_memzero(rec, sizeof(ngx_dns_geo_record_t));

    if (ngx_dns_geo_get(mmdb, offset, ngx_dns_geo_countries, &data)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    rec->country = ngx_dns_geo_letters(&data);

    if (ngx_dns_geo_get(mmdb, offset, ngx_dns_geo_continents, &data)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    rec->continent = ngx_dns_geo_letters(&data);

    if (rec->continent == 0 && rec->country != 0) {
        rec->continent = ngx_dns_geo_continent(rec->country);
    }

    if (ngx_dns_geo_get(mmdb, offset, ngx_dns_geo_asns, &data) != NGX_OK) {
        return NGX_DECLINED;
    }

    rec->asn = ngx_dns_geo_asn(&data);

    if (ngx_dns_geo_get(mmdb, offset, ngx_dns_geo_latitudes, &data)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    rec->placed = (ngx_dns_geo_number(&data, &rec->latitude) == NGX_OK);

    if (ngx_dns_geo_get(mmdb, offset, ngx_dns_geo_longitudes, &data)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_dns_geo_number(&data, &rec->longitude) != NGX_OK
        || !(rec->latitude >= -90 && rec->latitude <= 90)
        || !(rec->longitude >= -180 && rec->longitude <= 180))
    {
        rec->placed = 0;
    }

    return NGX_OK;
}


/* data->has_data says if there is such a value */

static ngx_int_t
ngx_dns_geo_get(MMDB_s *mmdb, uint32_t offset,
    const char *const *const *paths, MMDB_entry_data_s *data)
{
    int           rc;
    ngx_uint_t    i;
    MMDB_entry_s  entry;

    for (i = 0; paths[i] != NULL; i++) {

        entry.mmdb = mmdb;
        entry.offset = offset;

        ngx_memzero(data, sizeof(MMDB_entry_data_s));

        rc = MMDB_aget_value(&entry, data, paths[i]);

        if (rc == MMDB_LOOKUP_PATH_DOES_NOT_MATCH_DATA_ERROR) {
            data->has_data = 0;
            continue;
        }

        if (rc != MMDB_SUCCESS) {
            return NGX_DECLINED;
        }

        if (data->has_data && data->type != MMDB_DATA_TYPE_MAP) {
            return NGX_OK;
        }

        data->has_data = 0;
    }

    return NGX_OK;
}


/* two letters, upper case, in 16 bits */

static uint32_t
ngx_dns_geo_letters(const MMDB_entry_data_s *data)
{
    u_char  a, b;

    if (!data->has_data || data->type != MMDB_DATA_TYPE_UTF8_STRING
        || data->data_size != 2)
    {
        return 0;
    }

    a = ngx_toupper((u_char) data->utf8_string[0]);
    b = ngx_toupper((u_char) data->utf8_string[1]);

    if (a < 'A' || a > 'Z' || b < 'A' || b > 'Z') {
        return 0;
    }

    return (uint32_t) a << 8 | b;
}


/* a number, "64500" or "AS64500" */

static uint32_t
ngx_dns_geo_asn(const MMDB_entry_data_s *data)
{
    size_t       i, n;
    uint64_t     asn;
    const char  *p;

    if (!data->has_data) {
        return 0;
    }

    switch (data->type) {

    case MMDB_DATA_TYPE_UINT16:
        return data->uint16;

    case MMDB_DATA_TYPE_UINT32:
        return data->uint32;

    case MMDB_DATA_TYPE_UTF8_STRING:
        break;

    default:
        return 0;
    }

    p = data->utf8_string;
    n = data->data_size;

    if (n > 2 && ngx_strncasecmp((u_char *) p, (u_char *) "AS", 2) == 0) {
        p += 2;
        n -= 2;
    }

    asn = 0;

    for (i = 0; i < n; i++) {

        if (p[i] < '0' || p[i] > '9' || asn > 0xffffffff / 10) {
            return 0;
        }

        asn = 10 * asn + (p[i] - '0');
    }

    return (asn > 0xffffffff) ? 0 : (uint32_t) asn;
}


static ngx_int_t
ngx_dns_geo_number(const MMDB_entry_data_s *data, double *value)
{
    char    text[32], *end;

    if (!data->has_data) {
        return NGX_DECLINED;
    }

    switch (data->type) {

    case MMDB_DATA_TYPE_DOUBLE:
        *value = data->double_value;
        return NGX_OK;

    case MMDB_DATA_TYPE_FLOAT:
        *value = data->float_value;
        return NGX_OK;

    case MMDB_DATA_TYPE_UTF8_STRING:
        break;

    default:
        return NGX_DECLINED;
    }

    if (data->data_size == 0 || data->data_size >= sizeof(text)) {
        return NGX_DECLINED;
    }

    ngx_memcpy(text, data->utf8_string, data->data_size);
    text[data->data_size] = '\0';

    *value = strtod(text, &end);

    return (*end == '\0') ? NGX_OK : NGX_DECLINED;
}

#endif
