
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Random zones with whole chains of NSEC or NSEC3, with and without opt-out:
 * what each reply holds is judged as a validator does, from the proofs alone
 * (RFC 4035, 5.4; RFC 5155, 8).
 */


#include <openssl/evp.h>
#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "ngx_dns_answer_ctx.h"


#define OWNERS     64
#define ZONES      300
#define QUESTIONS  120

/* what a name of the zone owns */
#define HAS_A      0x01
#define HAS_TXT    0x02
#define HAS_NS     0x04
#define HAS_DS     0x08
#define HAS_SOA    0x10

typedef struct {
    u_char         name[NGX_DNS_NAME_MAX + 3];
    ngx_uint_t     types;               /* 0: an empty non-terminal */
} owner_t;

typedef struct {
    u_char         owner[NGX_DNS_NAME_MAX + 3];     /* NSEC3: one label */
    u_char         next[NGX_DNS_NAME_MAX + 3];
    const u_char  *bitmap;
    const u_char  *last;
    ngx_uint_t     opt_out;
} proof_t;


static void pick_name(u_char *name, ngx_uint_t depth);
static ngx_uint_t find(const u_char *name);
static ngx_uint_t occluded(const u_char *name);
static void fill(void);
static void fill_ents(void);
static ngx_uint_t insecure(ngx_uint_t i);
static void hash(const u_char *name, u_char *label);
static void base32(const u_char *d, u_char *dst);
static int by_name(const void *a, const void *b);
static void add_types(ngx_uint_t types, ngx_uint_t nsec);
static void add_name(const u_char *name);
static void add_chain(void);
static ngx_dns_zone_t *make(void);
static ngx_dns_reply_t *ask(ngx_dns_zone_t *zone, const u_char *name,
    ngx_uint_t qtype);
static void take(ngx_dns_item_t *item, ngx_dns_zone_t *zone);
static ngx_uint_t proves(proof_t *p, ngx_uint_t type);
static proof_t *match(const u_char *name);
static proof_t *cover(const u_char *name);
static const u_char *common(const u_char *a, const u_char *b);
static const u_char *encloser(const u_char *name, ngx_uint_t opt_out);
static const u_char *star(const u_char *name);
static const char *judge_nxdomain(const u_char *name);
static const char *judge_nodata(const u_char *name, ngx_uint_t type);
static const char *judge_wildcard(const u_char *name);
static const char *judge_cut(const u_char *cut);
static const char *judge(ngx_dns_reply_t *r, ngx_dns_zone_t *zone,
    const u_char *name, ngx_uint_t type);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static const u_char  apex[] = "\1z\4test";

static owner_t     owners[OWNERS];
static ngx_uint_t  nowners;

static proof_t     proofs[32];
static ngx_uint_t  nproofs;

static ngx_uint_t  nsec3;
static ngx_uint_t  opt_out;

static ngx_dns_answer_t       *answer;
static ngx_dns_query_t         query;
static ngx_dns_transport_t     transport;
static ngx_dns_answer_conf_t   conf;


int
main(void)
{
    u_char            name[NGX_DNS_NAME_MAX + 1];
    ngx_uint_t        i, k, type, kinds[3], bad;
    const char       *why;
    ngx_pool_t       *pool;
    ngx_dns_zone_t   *zone;
    ngx_dns_reply_t  *r;

    static const uint16_t  types[] = {
        NGX_DNS_TYPE_A, NGX_DNS_TYPE_TXT, NGX_DNS_TYPE_DS, NGX_DNS_TYPE_MX
    };

    pool = shim_pool();
    answer = ngx_dns_answer_create(pool, &key);
    transport.tcp = 1;
    conf.max_ttl = 0xffffffff;
    memset(kinds, 0, sizeof(kinds));
    bad = 0;

    for (i = 0; i < ZONES; i++) {
        nsec3 = (i % 3 != 0);
        opt_out = (i % 3 == 2);

        fill();
        zone = make();

        if (zone == NULL) {
            printf("# %s", zonetext_messages);
            tap_ok(0, "zone %d is compiled", (int) i);
            break;
        }

        conf.zones = ngx_dns_zones_create(pool, &zone, 1, &key);

        for (k = 0; k < QUESTIONS; k++) {
            pick_name(name, shim_pick(6));
            type = types[shim_pick(4)];

            r = ask(zone, name, type);
            why = judge(r, zone, name, type);
            kinds[r->rcode ? 0 : r->aa ? (r->items[0].section != 0) : 2]++;

            if (why != NULL && bad++ < 5) {
                u_char  s[NGX_DNS_NAME_TEXT_MAX + 1];

                *ngx_dns_name_to_text(s, name) = '\0';
                printf("%s# zone %d, %s %d\n", zonetext_text, (int) i, s,
                       (int) type);
                tap_ok(0, "%s", why);
            }
        }

        memory_unmap(NULL, zone, 0);
    }

    tap_is_int(bad, 0, "every reply is proved");

    for (i = 0; i < 3; i++) {
        tap_ok(kinds[i] > ZONES * QUESTIONS / 20, "replies of kind %d: %d",
               (int) i, (int) kinds[i]);
    }

    ngx_destroy_pool(pool);

    return tap_done();
}


static void
pick_name(u_char *name, ngx_uint_t depth)
{
    ngx_uint_t   i;
    const char  *label;

    static const char  *labels[] = { "\1a", "\1b", "\2\1c", "\1*", "\1d",
                                     "\2\0e" };

    for (i = 0; i < depth; i++) {
        label = labels[shim_pick(6)];
        memcpy(name, label, (size_t) label[0] + 1);
        name += label[0] + 1;
    }

    memcpy(name, apex, sizeof(apex));
}


/* the place of a name, or the number of names */

static ngx_uint_t
find(const u_char *name)
{
    ngx_uint_t  i;

    for (i = 0; i < nowners; i++) {
        if (ngx_dns_name_cmp(owners[i].name, name) == 0) {
            break;
        }
    }

    return i;
}


/* 1: below a cut */

static ngx_uint_t
occluded(const u_char *name)
{
    ngx_uint_t  i;

    while (ngx_dns_name_cmp(name, apex) != 0) {
        name = ngx_dns_name_skip(name, 1);
        i = find(name);

        if (i < nowners && (owners[i].types & HAS_NS)
            && !(owners[i].types & HAS_SOA))
        {
            return 1;
        }
    }

    return 0;
}


static void
fill(void)
{
    owner_t     *o;
    ngx_uint_t   i, n;

    memcpy(owners[0].name, apex, sizeof(apex));
    owners[0].types = HAS_SOA|HAS_NS;
    nowners = 1;

    for (n = 1 + shim_pick(20); n > 0; n--) {
        o = &owners[nowners];
        pick_name(o->name, 1 + shim_pick(4));

        if (find(o->name) < nowners) {
            continue;
        }

        o->types = 1 + shim_pick(3);

        if (shim_pick(3) == 0 && o->name[1] != '*') {
            o->types = HAS_NS | (shim_pick(2) ? HAS_DS : 0);
        }

        nowners++;
    }

    /* what is below a cut goes */

    for (i = 0; i < nowners; i++) {
        owners[i].types |= occluded(owners[i].name) << 8;
    }

    n = 0;

    for (i = 0; i < nowners; i++) {
        if (!(owners[i].types & 0x100)) {
            owners[n++] = owners[i];
        }
    }

    nowners = n;
    fill_ents();
}


static void
fill_ents(void)
{
    ngx_uint_t     i, n;
    const u_char  *p;

    n = nowners;

    for (i = 0; i < n; i++) {
        p = owners[i].name;

        while (ngx_dns_name_cmp(p, apex) != 0) {

            if (find(p) == nowners && nowners < OWNERS) {
                memcpy(owners[nowners].name, p, ngx_dns_name_len(p));
                owners[nowners++].types = 0;
            }

            p = ngx_dns_name_skip(p, 1);
        }
    }
}


/* 1: nothing at or below a name but delegations without DS: RFC 5155, 7.1 */

static ngx_uint_t
insecure(ngx_uint_t i)
{
    ngx_uint_t  k;

    for (k = 0; k < nowners; k++) {
        if (owners[k].types != 0 && owners[k].types != HAS_NS
            && ngx_dns_name_is_subdomain(owners[k].name, owners[i].name)
               == NGX_OK)
        {
            return 0;
        }
    }

    return 1;
}


/* the label of a name in the chain of NSEC3: no salt, no iterations */

static void
hash(const u_char *name, u_char *label)
{
    u_char        d[20];
    unsigned int  n;

    EVP_Digest(name, ngx_dns_name_len(name), d, &n, EVP_sha1(), NULL);

    label[0] = 32;
    label[33] = 0;
    base32(d, label + 1);
}


static void
base32(const u_char *d, u_char *dst)
{
    ngx_uint_t  i, k, v;

    for (i = 0; i < 32; i++) {
        v = 0;

        for (k = 5 * i; k < 5 * i + 5; k++) {
            v = v << 1 | (d[k / 8] >> (7 - k % 8) & 1);
        }

        dst[i] = (u_char) "0123456789abcdefghijklmnopqrstuv"[v];
    }
}


static int
by_name(const void *a, const void *b)
{
    return (int) ngx_dns_name_cmp(((proof_t *) a)->owner,
                                  ((proof_t *) b)->owner);
}


static void
add_types(ngx_uint_t types, ngx_uint_t nsec)
{
    zone_add("%s%s%s%s%s%s\n",
             (types & HAS_A) ? " A" : "",
             (types & HAS_NS) ? " NS" : "",
             (types & HAS_SOA) ? " SOA" : "",
             (types & HAS_TXT) ? " TXT" : "",
             (types & HAS_DS) ? " DS" : "",
             nsec ? " NSEC" : "");
}


static void
add_name(const u_char *name)
{
    u_char  *p;

    p = (u_char *) zonetext_text + zonetext_text_len;
    zonetext_text_len += ngx_dns_name_to_text(p, name) - p;
}


static void
add_chain(void)
{
    ngx_uint_t      i, n;
    static proof_t  chain[OWNERS];

    for (i = n = 0; i < nowners; i++) {

        if (!nsec3) {
            if (owners[i].types == 0) {
                continue;
            }

            memcpy(chain[n].owner, owners[i].name, sizeof(owners[i].name));

        } else {
            if (opt_out && insecure(i)) {
                continue;
            }

            hash(owners[i].name, chain[n].owner);
        }

        chain[n++].opt_out = i;         /* who it is */
    }

    qsort(chain, n, sizeof(proof_t), by_name);

    for (i = 0; i < n; i++) {
        add_name(chain[i].owner);

        if (nsec3) {
            zonetext_text_len--;
            zone_add(" 60 NSEC3 1 %d 0 - %.32s", (int) opt_out,
                     (char *) chain[(i + 1) % n].owner + 1);

        } else {
            zone_add(" 60 NSEC ");
            add_name(chain[(i + 1) % n].owner);
        }

        add_types(owners[chain[i].opt_out].types, !nsec3);
    }
}


static ngx_dns_zone_t *
make(void)
{
    ngx_uint_t  i, types;

    zone_add("@ 300 SOA ns.else. h.else. 1 2 3 4 5\n%s",
             nsec3 ? "@ 0 NSEC3PARAM 1 0 0 -\n" : "");

    for (i = 0; i < nowners; i++) {
        types = owners[i].types;

        if (types & HAS_A) {
            add_name(owners[i].name);
            zone_add(" 300 A 192.0.2.1\n");
        }

        if (types & HAS_TXT) {
            add_name(owners[i].name);
            zone_add(" 300 TXT t\n");
        }

        if (types & HAS_NS) {
            add_name(owners[i].name);
            zone_add(" 300 NS ns.else.\n");
        }

        if (types & HAS_DS) {
            add_name(owners[i].name);
            zone_add(" 300 DS 1 5 1 %040d\n", 0);
        }
    }

    add_chain();

    return zone_compile("z.test.", &key);
}


static ngx_dns_reply_t *
ask(ngx_dns_zone_t *zone, const u_char *name, ngx_uint_t qtype)
{
    u_char       *p;

    static u_char  packet[512];

    memset(packet, 0, sizeof(packet));
    packet[5] = 1;
    packet[11] = 1;
    p = ngx_cpymem(packet + 12, name, ngx_dns_name_len(name));
    p = ngx_dns_put16(p, qtype);
    p = ngx_dns_put16(p, NGX_DNS_CLASS_IN);
    p = ngx_cpymem(p, "\0\0\51\4\320\0\0\200\0\0\0", 11);

    (void) ngx_dns_query_parse(&query, packet, p - packet, 0, &key);

    return ngx_dns_answer(answer, &conf, &query, zone, &transport);
}


/* an NSEC or NSEC3 of a reply */

static void
take(ngx_dns_item_t *item, ngx_dns_zone_t *zone)
{
    u_char   *rr;
    proof_t  *p;

    rr = ngx_dns_rrset_first(item->rrset);
    p = &proofs[nproofs++];

    memset(p, 0, sizeof(*p));
    memcpy(p->owner, item->owner, item->owner_len);
    p->last = rr + 2 + ngx_dns_get16(rr);
    rr += 2;

    if (nsec3) {
        p->opt_out = rr[1] & 1;
        rr += 5;

        /* back to base32hex, which keeps the order */

        p->next[0] = 32;

        base32(rr + 1, p->next + 1);

        p->bitmap = rr + 21;
        return;
    }

    memcpy(p->owner + item->owner_len, zone->name, zone->name_len);
    memcpy(p->next, rr, ngx_dns_name_len(rr));
    p->bitmap = rr + ngx_dns_name_len(rr);
}


/* whether a type is in the bitmap */

static ngx_uint_t
proves(proof_t *p, ngx_uint_t type)
{
    const u_char  *b;

    for (b = p->bitmap; b < p->last; b += 2 + b[1]) {
        if (b[0] == type >> 8 && (type & 0xff) / 8 < b[1]
            && (b[2 + (type & 0xff) / 8] & (0x80 >> (type & 7))))
        {
            return 1;
        }
    }

    return 0;
}


static proof_t *
match(const u_char *name)
{
    u_char      label[NGX_DNS_NAME_MAX];
    ngx_uint_t  i;

    if (nsec3) {
        hash(name, label);
        name = label;
    }

    for (i = 0; i < nproofs; i++) {
        if (ngx_dns_name_cmp(proofs[i].owner, name) == 0) {
            return &proofs[i];
        }
    }

    return NULL;
}


static proof_t *
cover(const u_char *name)
{
    proof_t     *p;
    u_char       label[NGX_DNS_NAME_MAX];
    ngx_uint_t   behind, before;

    if (nsec3) {
        hash(name, label);
        name = label;
    }

    for (p = proofs; p < proofs + nproofs; p++) {
        behind = ngx_dns_name_cmp(p->owner, name) < 0;
        before = ngx_dns_name_cmp(name, p->next) < 0;

        if (ngx_dns_name_cmp(p->owner, name) == 0) {
            continue;
        }

        if (ngx_dns_name_cmp(p->owner, p->next) < 0 ? (behind && before)
                                                    : (behind || before))
        {
            return p;
        }
    }

    return NULL;
}


/* the longest suffix of a that is one of b */

static const u_char *
common(const u_char *a, const u_char *b)
{
    while (ngx_dns_name_is_subdomain(b, a) != NGX_OK) {
        a = ngx_dns_name_skip(a, 1);
    }

    return a;
}


/* the closest encloser that is proved, or NULL: RFC 5155, 8.3 */

static const u_char *
encloser(const u_char *name, ngx_uint_t opt_out)
{
    proof_t       *p;
    const u_char  *next, *a, *b;

    if (nsec3) {
        for (next = name; *next != 0; next = name) {
            name = ngx_dns_name_skip(next, 1);

            if (match(name) != NULL) {
                p = cover(next);
                return (p != NULL && p->opt_out >= opt_out) ? name : NULL;
            }
        }

        return NULL;
    }

    p = cover(name);

    if (p == NULL) {
        return NULL;
    }

    a = common(name, p->owner);
    b = common(name, p->next);

    return ngx_dns_name_len(a) > ngx_dns_name_len(b) ? a : b;
}


static const u_char *
star(const u_char *name)
{
    static u_char  buf[NGX_DNS_NAME_MAX + 3];

    memcpy(buf, "\1*", 2);
    memcpy(buf + 2, name, ngx_dns_name_len(name));

    return buf;
}


static const char *
judge_nxdomain(const u_char *name)
{
    const u_char  *ce;

    if (nproofs > 2 + nsec3) {
        return "NXDOMAIN: more proofs than needed";
    }

    ce = encloser(name, 0);

    if (ce == NULL || ngx_dns_name_cmp(ce, name) == 0) {
        return "NXDOMAIN: no closest encloser";
    }

    /*
     * With opt-out the encloser that is proved may be above the one there is,
     * and have a wildcard: nothing can prove that name.
     */

    if (opt_out && find(star(ce)) < nowners) {
        return NULL;
    }

    return cover(star(ce)) ? NULL : "NXDOMAIN: the wildcard is not denied";
}


static const char *
judge_nodata(const u_char *name, ngx_uint_t type)
{
    proof_t       *p;
    const u_char  *ce;

    p = match(name);

    if (p != NULL) {

        if (nproofs > 1) {
            return "NODATA: more proofs than needed";
        }

        return proves(p, type) ? "NODATA: the type is there" : NULL;
    }

    ce = encloser(name, 0);

    if (ce == NULL) {
        return "NODATA: neither the name nor an encloser";
    }

    /* an empty non-terminal */

    if (!nsec3 && ngx_dns_name_cmp(ce, name) == 0) {
        return (nproofs == 1) ? NULL : "NODATA: more proofs than needed";
    }

    /* a delegation, or an empty non-terminal above some: RFC 5155, 8.6 */

    if (nsec3 && find(name) < nowners) {
        return encloser(name, 1) ? NULL : "NODATA: not opted out";
    }

    p = match(star(ce));

    if (p != NULL) {
        return proves(p, type) ? "NODATA: the wildcard has the type" : NULL;
    }

    if (nsec3) {

        /* the wildcard is such an empty non-terminal */

        return encloser(name, 1) ? NULL : "NODATA: not opted out";
    }

    p = cover(star(ce));

    return (p != NULL && ngx_dns_name_is_subdomain(p->next, star(ce))
                         == NGX_OK)
               ? NULL : "NODATA: the wildcard is not shown";
}


/* the answer is made of a wildcard: the name itself is not there */

static const char *
judge_wildcard(const u_char *name)
{
    const u_char  *next;

    if (nproofs != 1) {
        return "wildcard: not one proof";
    }

    if (!nsec3) {
        return cover(name) ? NULL : "wildcard: the name is not denied";
    }

    for (next = name; find(ngx_dns_name_skip(next, 1)) == nowners;
         next = ngx_dns_name_skip(next, 1))
    {
        /* void */
    }

    return cover(next) ? NULL : "wildcard: the next closer is not denied";
}


/* RFC 4035, 5.2; RFC 5155, 8.9 */

static const char *
judge_cut(const u_char *cut)
{
    proof_t  *p;

    p = match(cut);

    if (p != NULL) {
        return (proves(p, NGX_DNS_TYPE_NS) && !proves(p, NGX_DNS_TYPE_DS)
                && !proves(p, NGX_DNS_TYPE_SOA) && nproofs == 1)
                   ? NULL : "referral: wrong types";
    }

    return (nsec3 && encloser(cut, 1)) ? NULL : "referral: no proof";
}


static const char *
judge(ngx_dns_reply_t *r, ngx_dns_zone_t *zone, const u_char *name,
    ngx_uint_t type)
{
    ngx_uint_t       i, ds;
    const u_char    *cut;
    ngx_dns_item_t  *item;

    nproofs = 0;
    ds = 0;
    cut = NULL;

    for (i = 0; i < r->nitems; i++) {
        item = &r->items[i];

        switch (item->rrset->type) {

        case NGX_DNS_TYPE_NSEC:
        case NGX_DNS_TYPE_NSEC3:
            take(item, zone);
            break;

        case NGX_DNS_TYPE_NS:
            cut = name + item->owner_len;
            break;

        case NGX_DNS_TYPE_DS:
            ds = 1;
            break;
        }
    }

    if (r->rcode == NGX_DNS_NXDOMAIN) {
        return judge_nxdomain(name);
    }

    if (!r->aa) {

        if (ds) {
            return nproofs ? "referral: proofs beside a DS" : NULL;
        }

        return judge_cut(cut);
    }

    if (r->items[0].section != NGX_DNS_ANSWER) {
        return judge_nodata(name, type);
    }

    if (find(name) < nowners) {
        return nproofs ? "answer: proofs that nothing asks for" : NULL;
    }

    return judge_wildcard(name);
}
