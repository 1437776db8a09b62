
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * A random zone and random questions: the octets choose owners, types and
 * targets from a few labels, so that cuts, wildcards, chains and empty
 * non-terminals meet.  Each reply is read strictly and compared with what a
 * plain search through the list of records says.
 *
 * Every second zone has notes as well, and a neighbour that its ANAMEs and
 * those of the neighbour cross to: it must never be refused, whatever its
 * records are, and its replies show no note and nothing beside SERVFAIL.
 */


#include "shim.h"
#include "memory.h"
#include "check.h"
#include "ngx_dns_compile.h"
#include "ngx_dns_external_write.h"
#include "ngx_dns_note.h"
#include "ngx_dns_probe.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


#define RECORDS    128
#define QUESTIONS  64
#define TABLE      (256 * 1024)

typedef struct {
    u_char       owner[NGX_DNS_NAME_MAX + 1];
    uint16_t     type;
} record_t;

typedef struct {
    const uint8_t  *p;
    const uint8_t  *last;
} input_t;


static ngx_uint_t next(input_t *in);
static void pick_name(input_t *in, u_char *name);
static size_t pick_rdata(input_t *in, ngx_uint_t type, u_char *rdata);
static void add(ngx_dns_records_t *rs, const u_char *owner, ngx_uint_t type,
    u_char *rdata, size_t n);
static void add_note(input_t *in, ngx_dns_records_t *rs, const u_char *owner,
    ngx_uint_t how);
static void add_zone(input_t *in, ngx_dns_records_t *rs, const u_char *owner);
static ngx_dns_zone_t *neighbour(void);
static ngx_uint_t fill(input_t *in, ngx_dns_records_t *rs);
static ngx_uint_t has(const u_char *name, ngx_uint_t type);
static ngx_uint_t exists(const u_char *name);
static ngx_uint_t expect_aa(const u_char *name, ngx_uint_t qtype);
static ngx_int_t expect_rcode(const u_char *name, ngx_uint_t qtype);
static void ask(input_t *in, ngx_dns_zones_t *zones);
static size_t reply_to(ngx_dns_query_t *q, ngx_dns_zones_t *zones,
    ngx_uint_t tcp, u_char *buf, check_reply_t *r);
static ngx_dns_external_t *externals(ngx_pool_t *pool);
static ngx_uint_t has_type(check_reply_t *r, ngx_uint_t type);
static void compare(check_reply_t *part, const u_char *pbuf,
    check_reply_t *whole, const u_char *wbuf, size_t limit, size_t len);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static const u_char  apex[] = "\001z\004test";

static const char  *labels[] = {
    "\001a", "\001b", "\001c", "\001*", "\002\000\001", "\001A",
    "\017looooooooooooog", "\001z"
};

static const uint16_t  types[] = {
    NGX_DNS_TYPE_A, NGX_DNS_TYPE_AAAA, NGX_DNS_TYPE_NS, NGX_DNS_TYPE_CNAME,
    NGX_DNS_TYPE_DNAME, NGX_DNS_TYPE_MX, NGX_DNS_TYPE_TXT, NGX_DNS_TYPE_DS,
    NGX_DNS_TYPE_SRV, NGX_DNS_TYPE_RRSIG, NGX_DNS_TYPE_NSEC,
    NGX_DNS_TYPE_HTTPS, 65280, NGX_DNS_TYPE_ANY, NGX_DNS_TYPE_SOA,
    NGX_DNS_TYPE_PTR
};

static record_t    records[RECORDS];
static ngx_uint_t  nrecords;
static ngx_uint_t  noted;               /* the zone has notes */


static ngx_uint_t
next(input_t *in)
{
    return (in->p < in->last) ? *in->p++ : 0;
}


/* up to four labels in front of the apex; now and then of another place */

static void
pick_name(input_t *in, u_char *name)
{
    size_t       n;
    ngx_uint_t   i, how, depth;
    const char  *label;

    how = next(in);
    depth = how & 7;
    depth = (depth > 4) ? depth - 4 : depth;

    for (i = 0; i < depth; i++) {
        label = labels[next(in) & 7];
        n = (size_t) label[0] + 1;
        ngx_dns_name_lower(name, (u_char *) label, n);
        name += n;
    }

    if ((how & 0xf0) == 0xf0) {
        memcpy(name, "\005other\004test", 12);

    } else {
        memcpy(name, apex, sizeof(apex));
    }
}


static size_t
pick_rdata(input_t *in, ngx_uint_t type, u_char *rdata)
{
    size_t  n;

    switch (type) {

    case NGX_DNS_TYPE_A:
        memset(rdata, (int) next(in), 4);
        return 4;

    case NGX_DNS_TYPE_AAAA:
        memset(rdata, (int) next(in), 16);
        return 16;

    case NGX_DNS_TYPE_NS:
    case NGX_DNS_TYPE_CNAME:
    case NGX_DNS_TYPE_DNAME:
    case NGX_DNS_TYPE_PTR:
        pick_name(in, rdata);
        return ngx_dns_name_len(rdata);

    case NGX_DNS_TYPE_MX:
    case NGX_DNS_TYPE_HTTPS:
        rdata[0] = 0;
        rdata[1] = (u_char) next(in);
        pick_name(in, rdata + 2);
        return 2 + ngx_dns_name_len(rdata + 2);

    case NGX_DNS_TYPE_SRV:
        memset(rdata, 0, 6);
        rdata[5] = (u_char) next(in);
        pick_name(in, rdata + 6);
        return 6 + ngx_dns_name_len(rdata + 6);

    case NGX_DNS_TYPE_RRSIG:
        memset(rdata, 0, 18);
        ngx_dns_put16(rdata, types[next(in) & 7]);
        memcpy(rdata + 18, apex, sizeof(apex));
        n = 18 + sizeof(apex);
        memset(rdata + n, 's', 64);
        return n + 64;

    case NGX_DNS_TYPE_NSEC:
        pick_name(in, rdata);
        n = ngx_dns_name_len(rdata);
        memcpy(rdata + n, "\000\001\100", 3);
        return n + 3;

    default:
        n = next(in);
        memset(rdata, 't', n + 1);
        rdata[0] = (u_char) n;
        return n + 1;
    }
}


static void
add(ngx_dns_records_t *rs, const u_char *owner, ngx_uint_t type,
    u_char *rdata, size_t n)
{
    ngx_dns_record_t  r;

    memset(&r, 0, sizeof(r));

    r.owner = (u_char *) owner;
    r.owner_len = ngx_dns_name_len(owner);
    r.rdata = rdata;
    r.rdlen = (uint16_t) n;
    r.type = (uint16_t) type;
    r.ttl = 300;

    if (ngx_dns_records_add(rs, &r) == NGX_OK) {
        memcpy(records[nrecords].owner, owner, r.owner_len);
        records[nrecords++].type = (uint16_t) type;
    }
}


/* a note about owner, or about a type there */

static void
add_note(input_t *in, ngx_dns_records_t *rs, const u_char *owner,
    ngx_uint_t how)
{
    u_char            rdata[NGX_DNS_NAME_MAX + 16], *p;
    ngx_dns_probe_t   probe;

    memset(rdata, 0, sizeof(rdata));
    p = rdata + NGX_DNS_NOTE_HEAD;

    switch (how & 7) {

    case 0:
        rdata[2] = NGX_DNS_NOTE_NAME;
        break;

    case 1:
        rdata[2] = NGX_DNS_NOTE_FAILED;
        break;

    case 2:
    case 3:
        rdata[2] = NGX_DNS_NOTE_FAILED;
        ngx_dns_put16(rdata, types[next(in) & 15]);
        break;

    case 4:
        rdata[2] = NGX_DNS_NOTE_CHOICE;
        ngx_dns_put16(rdata, types[next(in) & 15]);
        *p++ = (u_char) how;
        break;

    case 5:
        rdata[2] = NGX_DNS_NOTE_KEY;
        *p++ = (u_char) how;
        break;

    case 6:
        rdata[2] = NGX_DNS_NOTE_PROBE;
        ngx_dns_put16(rdata, how & 0x10 ? NGX_DNS_TYPE_A : NGX_DNS_TYPE_AAAA);
        memset(&probe, 0, sizeof(probe));
        probe.port = (uint16_t) how;
        ngx_dns_probe_settle(&probe);
        p = ngx_dns_probe_write(p, &probe);
        break;

    default:
        rdata[2] = NGX_DNS_NOTE_ANAME;
        p = ngx_dns_put32(p, how & 0x10 ? NGX_DNS_ANAME_NO_TTL : how);
        pick_name(in, p);
        p += ngx_dns_name_len(p);
        break;
    }

    add(rs, owner, NGX_DNS_TYPE_NOTE, rdata, p - rdata);
}


static void
add_zone(input_t *in, ngx_dns_records_t *rs, const u_char *owner)
{
    u_char  rdata[NGX_DNS_NOTE_HEAD + 12];

    memset(rdata, 0, sizeof(rdata));
    rdata[2] = NGX_DNS_NOTE_ZONE;
    ngx_dns_put32(rdata + NGX_DNS_NOTE_HEAD, next(in) << 8);

    add(rs, owner, NGX_DNS_TYPE_NOTE, rdata, sizeof(rdata));
}


/* other.test: names that lead back, and one that does not */

static ngx_dns_zone_t *
neighbour(void)
{
    size_t               size;
    ngx_dns_zone_t      *zone;
    ngx_dns_records_t   *rs;
    ngx_dns_reporter_t   rep;

    static u_char  other[] = "\005other\004test";
    static u_char  a[] = "\001a\005other\004test";
    static u_char  b[] = "\001b\005other\004test";
    static u_char  back[] = "\001a\001z\004test";
    static u_char  aname[] = "\0\0\003\0\0\0\377\001b\001z\004test";
    static u_char  soa[22] = { 0 };
    static u_char  address[4] = { 192, 0, 2, 1 };

    /* with notes nothing asks for the list any more */

    nrecords = 0;

    memset(&rep, 0, sizeof(rep));
    rs = ngx_dns_records_create(other, &memory, &rep);

    add(rs, other, NGX_DNS_TYPE_SOA, soa, sizeof(soa));
    add(rs, other, NGX_DNS_TYPE_NS, other, sizeof(other));
    add(rs, other, NGX_DNS_TYPE_A, address, 4);
    add(rs, a, NGX_DNS_TYPE_CNAME, back, sizeof(back));
    add(rs, b, NGX_DNS_TYPE_NOTE, aname, sizeof(aname));

    check_that(ngx_dns_compile(rs, &key, &memory, &zone, &size) == NGX_OK);
    ngx_dns_records_destroy(rs);

    return zone;
}


/* leaves out what the compiler would refuse; returns the records asked for */

static ngx_uint_t
fill(input_t *in, ngx_dns_records_t *rs)
{
    u_char      owner[NGX_DNS_NAME_MAX + 1], rdata[600];
    size_t      n;
    ngx_uint_t  i, count, type;

    static u_char  soa[] = "\002ns\001z\004test\000\001h\001z\004test\000"
                           "\000\000\000\001\000\000\000\002\000\000\000\003"
                           "\000\000\000\004\000\000\000\005";
    static u_char  ns[] = "\002ns\001z\004test";

    nrecords = 0;

    add(rs, apex, NGX_DNS_TYPE_SOA, soa, sizeof(soa) - 1);
    add(rs, apex, NGX_DNS_TYPE_NS, ns, sizeof(ns));

    count = next(in);
    noted = (count & RECORDS) != 0;
    count &= RECORDS - 1;

    if (noted) {
        add_zone(in, rs, apex);
    }

    for (i = 0; i < count && nrecords < RECORDS - 2; i++) {
        pick_name(in, owner);
        type = next(in);

        if (noted && type >= 0xc0) {
            add_note(in, rs, owner, type);
            continue;
        }

        type = types[type % 13];
        n = pick_rdata(in, type, rdata);

        if (noted) {
            add(rs, owner, type, rdata, n);
            continue;
        }

        if (type == NGX_DNS_TYPE_CNAME && exists(owner) == 2) {
            continue;
        }

        if (type != NGX_DNS_TYPE_CNAME && has(owner, NGX_DNS_TYPE_CNAME)) {
            continue;
        }

        add(rs, owner, type, rdata, n);
    }

    return count;
}


static ngx_uint_t
has(const u_char *name, ngx_uint_t type)
{
    ngx_uint_t  i;

    for (i = 0; i < nrecords; i++) {
        if (records[i].type == type
            && ngx_dns_name_cmp(records[i].owner, name) == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* 2: it owns records, 1: it is an empty non-terminal, 0: no such name */

static ngx_uint_t
exists(const u_char *name)
{
    ngx_uint_t  i, below;

    below = 0;

    for (i = 0; i < nrecords; i++) {
        if (ngx_dns_name_cmp(records[i].owner, name) == 0) {
            return 2;
        }

        if (ngx_dns_name_is_subdomain(records[i].owner, name) == NGX_OK) {
            below = 1;
        }
    }

    return below;
}


/* 0 if the topmost cut or DNAME above the name is a cut */

static ngx_uint_t
expect_aa(const u_char *name, ngx_uint_t qtype)
{
    ngx_uint_t     i, labels;
    const u_char  *p;

    labels = ngx_dns_name_labels(name) - ngx_dns_name_labels(apex);

    for (i = labels + 1; i-- > 0; /* void */ ) {
        p = ngx_dns_name_skip(name, i);

        if (i != labels && has(p, NGX_DNS_TYPE_NS)) {
            return (i == 0 && qtype == NGX_DNS_TYPE_DS);
        }

        if (i != 0 && has(p, NGX_DNS_TYPE_DNAME)) {
            return 1;
        }
    }

    return 1;
}


/* the rcode if the name alone decides it, else NGX_DECLINED */

static ngx_int_t
expect_rcode(const u_char *name, ngx_uint_t qtype)
{
    u_char         star[NGX_DNS_NAME_MAX + 3];
    ngx_uint_t     i, labels;
    const u_char  *p;

    if (!expect_aa(name, qtype)) {
        return NGX_DNS_NOERROR;
    }

    labels = ngx_dns_name_labels(name) - ngx_dns_name_labels(apex);

    for (i = 1; i <= labels; i++) {
        if (has(ngx_dns_name_skip(name, i), NGX_DNS_TYPE_DNAME)) {
            return NGX_DECLINED;
        }
    }

    if (has(name, NGX_DNS_TYPE_CNAME)) {
        return NGX_DECLINED;
    }

    if (exists(name)) {
        return NGX_DNS_NOERROR;
    }

    for (i = 1; i <= labels; i++) {
        p = ngx_dns_name_skip(name, i);

        if (exists(p)) {
            memcpy(star, "\001*", 2);
            memcpy(star + 2, p, ngx_dns_name_len(p));

            if (has(star, NGX_DNS_TYPE_CNAME)) {
                return NGX_DECLINED;
            }

            return exists(star) ? NGX_DNS_NOERROR : NGX_DNS_NXDOMAIN;
        }
    }

    return NGX_DECLINED;
}


static void
ask(input_t *in, ngx_dns_zones_t *zones)
{
    u_char           name[NGX_DNS_NAME_MAX + 1], packet[512 + 8], *p;
    size_t           ulen, wlen, limit;
    ngx_int_t        rcode;
    ngx_uint_t       qtype, edns;
    ngx_dns_query_t  q;

    static u_char         ubuf[4096], wbuf[NGX_DNS_MESSAGE_MAX];
    static check_reply_t  part, whole;

    pick_name(in, name);
    qtype = types[next(in) & 15];
    edns = next(in);

    memset(packet, 0, sizeof(packet));
    ngx_dns_put16(packet, edns * 257);
    packet[5] = 1;
    packet[11] = edns & 1;
    p = ngx_cpymem(packet + 12, name, ngx_dns_name_len(name));
    p = ngx_dns_put16(p, qtype);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);

    if (edns & 1) {
        *p++ = 0;
        p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
        p = ngx_dns_put16(p, (edns & 0xf0) * 8);
        p = ngx_dns_put32(p, (edns & 2) ? 0x8000 : 0);
        p = ngx_dns_put16(p, 0);
    }

    check_that(ngx_dns_query_parse(&q, packet, p - packet, 0, &key)
               == NGX_DNS_VERDICT_ANSWER);

    wlen = reply_to(&q, zones, 1, wbuf, &whole);
    ulen = reply_to(&q, zones, 0, ubuf, &part);

    limit = 512;

    if (q.edns) {
        limit = ngx_max(limit, ngx_min(q.edns_size, 1232));
    }

    check_that(ulen <= limit);
    compare(&part, ubuf, &whole, wbuf, limit, wlen);

    if (noted) {
        check_that(!has_type(&whole, NGX_DNS_TYPE_NOTE));
        check_that(whole.rcode != NGX_DNS_SERVFAIL
                   || (whole.n == (edns & 1)
                       && !(whole.flags & NGX_DNS_FLAG_AA)));
        return;
    }

    if (ngx_dns_name_is_subdomain(name, apex) != NGX_OK) {
        check_that(whole.rcode == NGX_DNS_REFUSED);
        check_that(!(whole.flags & NGX_DNS_FLAG_AA));
        return;
    }

    check_that(!!(whole.flags & NGX_DNS_FLAG_AA) == expect_aa(name, qtype));
    check_that((part.flags & NGX_DNS_FLAG_AA)
               == (whole.flags & NGX_DNS_FLAG_AA));

    rcode = expect_rcode(name, qtype);

    if (rcode != NGX_DECLINED) {
        check_that(whole.rcode == (ngx_uint_t) rcode);
    }
}


/* what is known of some names that other servers have: of A for some only */

static ngx_dns_external_t *
externals(ngx_pool_t *pool)
{
    void                       *table;
    uint32_t                    n;
    ngx_uint_t                  i, k;
    ngx_dns_external_data_t     data;
    ngx_dns_external_target_t   t;
    ngx_dns_external_writer_t  *w;

    static u_char       rrs[2 * (2 + 16)];
    static const char  *names[] = {
        "\005other\004test", "\001b\005other\004test", "\001a\001z\004test",
        "\001b\001a\001z\004test", "\001c\001b\001z\004test"
    };

    table = aligned_alloc(4096, TABLE);
    memset(table, 0, TABLE);
    table = ngx_dns_external_init(table, TABLE, 1);

    w = ngx_dns_external_open(table, &memory, &key);

    while (ngx_dns_external_continue(w) == NGX_AGAIN) { /* void */ }

    memset(&t, 0, sizeof(t));
    memset(&data, 0, sizeof(data));

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ngx_dns_name_set(&t.name, (u_char *) names[i], &key);

        for (k = 0; k < 2; k++) {
            t.type = k ? NGX_DNS_TYPE_AAAA : NGX_DNS_TYPE_A;

            ngx_dns_put16(rrs, k ? 16 : 4);
            rrs[5] = (u_char) i;
            data.rrs = rrs;
            data.nrr = (uint16_t) (i != k);
            data.size = (i != k) ? (k ? 18 : 6) : 0;
            data.rcode = (i == 1) ? NGX_DNS_NXDOMAIN : NGX_DNS_NOERROR;
            data.ttl = (uint32_t) (1 + 50 * i);

            n = ngx_dns_external_make(w, &t, 1000, 1);
            check_that(ngx_dns_external_store(w, n, &data, 1000) == NGX_OK);
        }
    }

    ngx_dns_external_close(w);

    return ngx_dns_external_create(pool, table, 0, 0);
}


static size_t
reply_to(ngx_dns_query_t *q, ngx_dns_zones_t *zones, ngx_uint_t tcp,
    u_char *buf, check_reply_t *r)
{
    size_t                 n;
    ngx_dns_zone_t        *zone;
    ngx_dns_reply_t       *reply;
    ngx_dns_transport_t    t;
    ngx_dns_answer_conf_t  conf;

    static ngx_pool_t        *pool;
    static ngx_dns_writer_t  *writer;
    static ngx_dns_answer_t  *answer;

    if (pool == NULL) {
        pool = shim_pool();
        writer = ngx_dns_writer_create(pool, &key);
        answer = ngx_dns_answer_create(pool, &key);

        ngx_dns_answer_external(answer, externals(pool));
        ngx_dns_answer_time(answer, 1001);
    }

    memset(&t, 0, sizeof(t));
    memset(&conf, 0, sizeof(conf));

    conf.zones = zones;
    conf.max_ttl = 0xffffffff;
    t.udp_size = 1232;
    t.tcp = (uint8_t) tcp;

    zone = ngx_dns_answer_locate(&conf, q);

    if (zone != NULL) {
        ngx_dns_zone_prefetch_node(zone, &q->qname);
    }

    reply = ngx_dns_answer(answer, &conf, q, zone, &t);

    n = ngx_dns_write(writer, q, reply, &t, buf,
                      tcp ? NGX_DNS_MESSAGE_MAX : 4096);

    check_reply(r, buf, n, q);

    return n;
}


/* the RRs of one owner, type and section */

static ngx_uint_t
count(check_reply_t *r, check_rr_t *like)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < r->n; i++) {
        if (r->rr[i].type == like->type && r->rr[i].section == like->section
            && ngx_dns_name_cmp(r->rr[i].owner, like->owner) == 0)
        {
            n++;
        }
    }

    return n;
}


static ngx_uint_t
has_type(check_reply_t *r, ngx_uint_t type)
{
    ngx_uint_t  i;

    for (i = 0; i < r->n; i++) {
        if (r->rr[i].type == type) {
            return 1;
        }
    }

    return 0;
}


/*
 * What stands in the short reply stands in the whole one, with all of its
 * rrset; answer and authority differ only under TC; TC only if the whole one
 * did not fit.
 */

static void
compare(check_reply_t *part, const u_char *pbuf, check_reply_t *whole,
    const u_char *wbuf, size_t limit, size_t len)
{
    ngx_uint_t  i, fixed[2];

    fixed[0] = 0;
    fixed[1] = 0;

    for (i = 0; i < part->n; i++) {
        if (part->rr[i].type != NGX_DNS_TYPE_OPT) {
            check_that(count(part, &part->rr[i])
                       == count(whole, &part->rr[i]));
            fixed[0] += (part->rr[i].section < NGX_DNS_ADDITIONAL);
        }
    }

    for (i = 0; i < whole->n; i++) {
        fixed[1] += (whole->rr[i].section < NGX_DNS_ADDITIONAL
                     && whole->rr[i].type != NGX_DNS_TYPE_OPT);
    }

    if (part->flags & NGX_DNS_FLAG_TC) {
        check_that(len > limit && part->n < whole->n);

    } else {
        check_that(fixed[0] == fixed[1]);
    }

    check_that(!(whole->flags & NGX_DNS_FLAG_TC));
    check_that(part->rcode == whole->rcode);
    check_that(pbuf[0] == wbuf[0]);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t               zone_size;
    input_t              in;
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_pool_t          *pool;
    ngx_dns_zone_t      *zone[2];
    ngx_dns_zones_t     *zones;
    ngx_dns_records_t   *rs;
    ngx_dns_reporter_t   rep;

    in.p = data;
    in.last = data + size;

    memset(&rep, 0, sizeof(rep));
    memory_blocks = 0;

    rs = ngx_dns_records_create(apex, &memory, &rep);
    fill(&in, rs);

    rep.errors = 0;
    rc = ngx_dns_compile(rs, &key, &memory, &zone[0], &zone_size);
    ngx_dns_records_destroy(rs);

    if (rc != NGX_OK) {
        check_that(memory_blocks == 0 && !noted);
        return 0;
    }

    check_that(memory_blocks == 1 && zone[0]->size == zone_size);

    if (noted) {
        zone[1] = neighbour();
    }

    pool = shim_pool();
    zones = ngx_dns_zones_create(pool, zone, noted ? 2 : 1, &key);

    for (i = 0; i < QUESTIONS && in.p < in.last; i++) {
        ask(&in, zones);
    }

    ngx_destroy_pool(pool);
    memory_unmap(NULL, zone[0], zone_size);

    if (noted) {
        memory_unmap(NULL, zone[1], zone[1]->size);
    }

    return 0;
}
