
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_BUILD_H_INCLUDED_
#define _NGX_DNS_BUILD_H_INCLUDED_


#include "ngx_dns_compile.h"
#include "ngx_dns_note.h"


/*
 * From what is stored in Redis to the records of a zone.  Pure: bytes in,
 * records and messages out.  The layouts are those of redins and z42 (docs,
 * redis.md).  A value that cannot be used costs its record, its rrset, or
 * its label, never the zone; each is reported as a warning that names zone,
 * label and type, and counted.  Of a zone 20 lines are reported, and one that
 * says how many more there were.
 *
 * Where the layouts leave it open:
 *
 *   - Labels and names have the escapes of zone files (\. and \DDD); what is
 *     odd but no mistake may be in them (blanks inside, UTF-8).  Labels have
 *     no final dot, other names may lack it: they are absolute anyway, and so
 *     is soa.mbox, in which an "@" is an octet like others.
 *   - Records of any type may be given as "rdata", in presentation form.  If
 *     there are members of the older form, too, these are read.
 *   - Of two labels that are the same name ("www", "WWW") one is left out.
 *   - A member of the config that cannot be read has the value that the zone
 *     is served with now, or else its default.
 *   - A CNAME that cannot be used fails its name as a whole, an ANAME those
 *     of A and AAAA that have no records.
 */

#define NGX_DNS_PROFILE_STRICT  0
#define NGX_DNS_PROFILE_REDINS  1
#define NGX_DNS_PROFILE_Z42     2

typedef struct {
    ngx_uint_t           profile;       /* NGX_DNS_PROFILE_... */
    uint32_t             default_ttl;   /* seconds, of strict */
    uint32_t             max_ttl;       /* seconds, of dns_max_ttl */
    uint32_t             interval;      /* milliseconds, of checks that do not
                                           say it; 0: 10 seconds */
    uint32_t             reserved;      /* 0: the octets are compared */
} ngx_dns_build_conf_t;


typedef struct ngx_dns_build_s  ngx_dns_build_t;


/*
 * The digest of a zone's content: the sum of those of its values, in any
 * order.  Equal on every server.
 *
 * kind   a letter: what the value is (config, field, key, member, ...)
 * name   label, or label and type
 */
uint64_t ngx_dns_build_digest(ngx_uint_t kind, ngx_str_t *name,
    ngx_str_t *value);

/*
 * Begins a zone.
 *
 * apex    wire format, lower case; copied
 * digest  of its content: a serial is made of it if the config has none
 * last    the compiled zone that is served now, or NULL: where a config or a
 *         key that cannot be read takes its place from; must stay until end
 *
 * NULL: no memory
 */
ngx_dns_build_t *ngx_dns_build_create(const u_char *apex,
    ngx_dns_build_conf_t *conf, uint64_t digest, const ngx_dns_zone_t *last,
    ngx_dns_memory_t *mem, ngx_dns_reporter_t *rep);
void ngx_dns_build_destroy(ngx_dns_build_t *b);

/*
 * The values, in any order.  NGX_OK: taken, or reported and left out;
 * NGX_ERROR: no memory.
 *
 * config  the JSON of "...:config"; NULL data: there is none
 * field   a field of the hash (L1, L2): all types of the label
 * label   a member of the set of labels (L4): the name exists
 * rrset   a string key (L4) whose label is in the set; type as in the key
 * wrong   the key of this rrset (type empty: the whole label; label empty
 *         too: the config) has a value of a wrong Redis type
 * key     a DNSSEC key, which as in NGX_DNS_NOTE_KEY
 */
ngx_int_t ngx_dns_build_config(ngx_dns_build_t *b, ngx_str_t *json);
ngx_int_t ngx_dns_build_field(ngx_dns_build_t *b, ngx_str_t *label,
    ngx_str_t *json);
ngx_int_t ngx_dns_build_label(ngx_dns_build_t *b, ngx_str_t *label);
ngx_int_t ngx_dns_build_rrset(ngx_dns_build_t *b, ngx_str_t *label,
    ngx_str_t *type, ngx_str_t *json);
ngx_int_t ngx_dns_build_wrong(ngx_dns_build_t *b, ngx_str_t *label,
    ngx_str_t *type);
ngx_int_t ngx_dns_build_key(ngx_dns_build_t *b, ngx_uint_t which,
    ngx_str_t *text);

/*
 * Ends the zone: conflicts between types of a name are settled, the SOA and
 * the zone's note are added.  The records belong to b, ready to be compiled.
 * bad: set to the number of values left out.  NULL: no memory.
 */
ngx_dns_records_t *ngx_dns_build_end(ngx_dns_build_t *b, ngx_uint_t *bad);

/*
 * A member of the set of zones to wire format, lower case, whatever its
 * spelling.  changed: set to 1 if the member is not what it should look
 * like ("example.com.").  Returns the octets, or 0 with *err set.
 */
size_t ngx_dns_build_apex(u_char *apex, ngx_str_t *member,
    ngx_uint_t *changed, const char **err);


#endif /* _NGX_DNS_BUILD_H_INCLUDED_ */
