
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * Whole replies from zone texts.  Each t/unit/answer/NAME.txt holds zones and
 * questions:
 *
 *     zone APEX           the lines of the zone follow, up to a line "end";
 *                         notes as zonetext.h says
 *     view APEX           the same, published in a region of its own
 *     set WORD ...        any=refused, min=N, max=N, chaos, nsid, tcp,
 *                         udp=N, ede=1, explain; view=loading, =stale, =expired, =ok
 *                         of all views; for the questions behind it
 *     external NAME TYPE TTL [ADDRESS ...], external NAME TYPE TTL nxdomain,
 *     external NAME TYPE failed
 *                         what other servers say of a name, at time 1000
 *     set now=N           seconds; for what they have said
 *     place ADDRESS [country=DE/17] [continent=EU/9] [asn=64500/19]
 *           [network=NAME/24]
 *                         what is known of all addresses that have the same
 *                         first 16 bits, and in how large a network
 *     health ID up|down [N]
 *                         N: results that would turn it
 *     ask NAME TYPE [CLASS] [edns=N] [do] [nsid] [from=ADDRESS] [ecs=HEX]...
 *     ...                 the lines of the reply, up to an empty line
 *
 * With a file as argument the replies are printed instead, in the same form.
 */


#include <arpa/inet.h>
#include <dirent.h>
#include "shim.h"
#include "tap.h"
#include "zonetext.h"
#include "ngx_dns_answer.h"
#include "ngx_dns_explain.h"
#include "ngx_dns_external_write.h"
#include "ngx_dns_publish.h"
#include "ngx_dns_rdata.h"
#include "places.h"


#define ZONES  8
#define REGION (1024 * 1024)
#define NOW    1000

static void run_file(const char *path);
static void set_words(char *words);
static char *read_zone(char *p, char *apex, ngx_uint_t published);
static void publish(ngx_dns_zone_t *z);
static void external(char *words);
static void place(char *words);
static void health(char *words);
static size_t add_ecs(u_char *p, const char *hex);
static ngx_uint_t flags_of(const char *words);
static size_t question(char *words, u_char *packet);
static void reply_text(char *out, char *words);
static size_t print_name(char *out, const u_char *msg, size_t *at,
    u_char *wire);
static size_t print_rr(char *out, const u_char *msg, size_t *at,
    ngx_uint_t section);
static size_t print_opt(char *out, const u_char *msg, size_t at);
static size_t print_rdata(char *out, const u_char *msg, size_t at,
    ngx_uint_t type, size_t len);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static ngx_pool_t             *pool;
static ngx_dns_zone_t         *zone[ZONES];
static ngx_uint_t              nzones;
static ngx_dns_view_t          view[ZONES];
static ngx_dns_view_t         *views[ZONES];
static ngx_uint_t              view_flags;
static ngx_dns_answer_conf_t   conf;
static ngx_dns_transport_t     transport;
static ngx_dns_answer_t       *answer;
static ngx_dns_writer_t       *writer;
static void                   *table;   /* of external names */
static places_t               *geo;
static places_health_t         states;
static u_char                  client[16];
static size_t                  client_len;
static int                     printing;


int
main(int argc, char **argv)
{
    int              i, n;
    char             path[512];
    struct dirent  **list;

    pool = shim_pool();
    answer = ngx_dns_answer_create(pool, &key);
    ngx_dns_explain_use(answer, ngx_dns_explain_create(pool, NULL, 0));
    writer = ngx_dns_writer_create(pool, &key);

    geo = places_create();
    places_use(ngx_dns_answer_places(answer), geo);
    ngx_dns_answer_health(answer, &states.head);

    if (argc > 1) {
        printing = 1;
        run_file(argv[1]);
        return 0;
    }

    n = scandir("t/unit/answer", &list, NULL, alphasort);
    tap_ok(n > 2, "there are files of questions");

    for (i = 0; i < n; i++) {
        if (strstr(list[i]->d_name, ".txt") != NULL) {
            snprintf(path, sizeof(path), "t/unit/answer/%s", list[i]->d_name);
            run_file(path);
        }

        free(list[i]);
    }

    free(list);
    free(geo);
    ngx_destroy_pool(pool);

    return tap_done();
}


static void
run_file(const char *path)
{
    char    *text, *p, *end, *words, *line, got[32768];
    long     size;
    FILE    *f;

    f = fopen(path, "r");
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    text = calloc(1, size + 3);
    size = fread(text, 1, size, f);
    strcpy(text + size, "\n\n");
    fclose(f);

    nzones = 0;
    memset(&conf, 0, sizeof(conf));
    memset(&transport, 0, sizeof(transport));
    conf.max_ttl = 0xffffffff;
    conf.views = views;
    transport.udp_size = 1232;
    view_flags = 0;

    places_health_init(&states);
    ngx_dns_answer_external(answer, NULL);
    ngx_dns_answer_time(answer, NOW);

    for (p = text; *p != '\0'; /* void */ ) {
        end = p + strcspn(p, "\n");
        words = strndup(p, end - p);

        if (strncmp(words, "zone ", 5) == 0) {
            end = read_zone(end + 1, words + 5, 0);

        } else if (strncmp(words, "view ", 5) == 0) {
            end = read_zone(end + 1, words + 5, 1);

        } else if (strncmp(words, "external ", 9) == 0) {
            line = strdup(words);
            external(line + 9);
            free(line);

        } else if (strncmp(words, "place ", 6) == 0) {
            line = strdup(words);
            place(line + 6);
            free(line);

        } else if (strncmp(words, "health ", 7) == 0) {
            line = strdup(words);
            health(line + 7);
            free(line);

        } else if (strncmp(words, "set ", 4) == 0) {
            set_words(words + 4);

        } else if (strncmp(words, "ask ", 4) == 0) {
            line = strdup(words);
            reply_text(got, words + 4);

            p = end + 1;
            end = (*p == '\n') ? p : strstr(p, "\n\n") + 1;

            if (printing) {
                printf("%s\n%s\n", line, got);

            } else {
                tap_is_mem(got, strlen(got), p, end - p, "%s: %s",
                           strrchr(path, '/') + 1, line);
            }

            free(line);
        }

        if (printing && *p != '\n' && strncmp(words, "ask ", 4) != 0) {
            printf("%.*s\n%s", (int) (end - p), p,
                   (*words == 'z' || *words == 'v') ? "" : "\n");
        }

        free(words);
        p = (*end == '\0') ? end : end + 1;
    }

    free(text);

    while (nzones > 0) {
        memory_unmap(NULL, zone[--nzones], 0);
    }

    while (conf.nviews > 0) {
        free(views[--conf.nviews]->shared);
    }

    free(table);
    table = NULL;
}


/* returns the end of the line that says "end" */

static char *
read_zone(char *p, char *apex, ngx_uint_t published)
{
    char            *end;
    u_char           wire[NGX_DNS_NAME_MAX];
    ngx_str_t        s;
    const char      *err;
    ngx_dns_zone_t  *z;

    end = strstr(p, "\nend\n");
    s.data = (u_char *) apex;
    s.len = strlen(apex);

    if (ngx_dns_name_from_text(wire, &s, NULL, &err) == 0) {
        tap_ok(0, "apex %s: %s", apex, err);
        return end + 4;
    }

    z = zonetext(wire, p, end + 1 - p, &key);

    if (z == NULL) {
        printf("# %s", zonetext_messages);
        tap_ok(0, "zone %s was read", apex);

    } else if (published) {
        publish(z);
        memory_unmap(NULL, z, 0);

    } else {
        zone[nzones++] = z;
        conf.zones = ngx_dns_zones_create(pool, zone, nzones, &key);
    }

    return end + 4;
}


static void
publish(ngx_dns_zone_t *z)
{
    uint64_t              needed;
    ngx_dns_view_t       *v;
    ngx_dns_publisher_t  *pub;

    v = &view[conf.nviews];
    v->shared = aligned_alloc(4096, REGION);
    memset(v->shared, 0, REGION);

    v->shared = ngx_dns_shared_init(v->shared, REGION, 1);
    v->reader = ngx_dns_shared_reader(v->shared, 0, 1, 1);

    pub = ngx_dns_publisher_open(v->shared, &memory, &key, NULL);

    tap_ok(ngx_dns_publish_zone(pub, z, &needed) == NGX_OK, "published");

    ngx_dns_publisher_close(pub);

    v->flags = view_flags;
    views[conf.nviews++] = v;
}


/* into the table of external names, which the first one makes */

static void
external(char *words)
{
    char                       *word;
    u_char                      rrs[4096], *p;
    uint32_t                    n;
    ngx_str_t                   s;
    const char                 *err;
    ngx_dns_external_data_t     data;
    ngx_dns_external_target_t   t;
    ngx_dns_external_writer_t  *w;

    if (table == NULL) {
        table = aligned_alloc(4096, REGION);
        memset(table, 0, REGION);
        table = ngx_dns_external_init(table, REGION, 1);
        ngx_dns_answer_external(answer, ngx_dns_external_create(pool, table,
                                                                0, 0));
    }

    w = ngx_dns_external_open(table, &memory, &key);

    while (ngx_dns_external_continue(w) == NGX_AGAIN) { /* void */ }

    memset(&t, 0, sizeof(t));
    memset(&data, 0, sizeof(data));

    word = strtok(words, " ");
    s.data = (u_char *) word;
    s.len = strlen(word);
    (void) ngx_dns_name_from_text(rrs, &s, NULL, &err);
    ngx_dns_name_set(&t.name, rrs, &key);

    word = strtok(NULL, " ");
    t.type = ngx_dns_rr_type((u_char *) word, strlen(word));

    n = ngx_dns_external_make(w, &t, NOW, 1);
    word = strtok(NULL, " ");

    if (strcmp(word, "failed") == 0) {
        ngx_dns_external_fail(w, n, NOW + 5);
        ngx_dns_external_close(w);
        return;
    }

    data.ttl = atoi(word);
    data.rrs = rrs;
    p = rrs;

    for (word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {

        if (strcmp(word, "nxdomain") == 0) {
            data.rcode = NGX_DNS_NXDOMAIN;
            break;
        }

        p = ngx_dns_put16(p, t.type == NGX_DNS_TYPE_A ? 4 : 16);
        inet_pton(t.type == NGX_DNS_TYPE_A ? AF_INET : AF_INET6, word, p);
        p += ngx_dns_get16(p - 2);
        data.nrr++;
    }

    data.size = p - rrs;

    tap_ok(ngx_dns_external_store(w, n, &data, NOW) == NGX_OK, "stored");

    ngx_dns_external_close(w);
}


/* an address: returns its octets */

static size_t
read_address(u_char *p, const char *text)
{
    if (inet_pton(AF_INET, text, p) == 1) {
        return 4;
    }

    return (inet_pton(AF_INET6, text, p) == 1) ? 16 : 0;
}


static void
place(char *words)
{
    char        *word, *value;
    u_char       address[16];
    uint32_t     fact;
    ngx_uint_t   network, bits;

    (void) read_address(address, strtok(words, " "));
    network = ngx_dns_get16(address);

    for (word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {

        value = strchr(word, '=') + 1;
        bits = atoi(strchr(value, '/') + 1);
        *strchr(value, '/') = '\0';

        switch (word[0] == 'c' ? word[3] : word[0]) {

        case 'n':
            fact = (word[0] == 'c') ? NGX_DNS_GEO_COUNTRY
                                    : NGX_DNS_GEO_NETWORK;
            break;

        case 't':
            fact = NGX_DNS_GEO_CONTINENT;
            break;

        default:
            fact = NGX_DNS_GEO_ASN;
            break;
        }

        places_set(geo, fact, network,
                   fact == NGX_DNS_GEO_ASN ? (uint32_t) atoi(value)
                   : fact == NGX_DNS_GEO_NETWORK
                   ? ngx_dns_network_id((u_char *) value, strlen(value))
                   : places_letters(value), bits);
    }
}


static void
health(char *words)
{
    char      *word;
    uint64_t   id;

    id = atoi(strtok(words, " "));
    word = strtok(NULL, " ");

    if (strcmp(word, "down") == 0) {
        word = strtok(NULL, " ");
        places_health(&states, id, NGX_DNS_HEALTH_DOWN, word ? atoi(word) : 0);
        return;
    }

    word = strtok(NULL, " ");
    places_health(&states, id, NGX_DNS_HEALTH_UP, word ? atoi(word) : 0);
}


/* NAME+NAME */

static ngx_uint_t
flags_of(const char *words)
{
    return (strstr(words, "loading") ? NGX_DNS_VIEW_NOT_READY : 0)
           | (strstr(words, "stale") ? NGX_DNS_VIEW_STALE : 0)
           | (strstr(words, "expired") ? NGX_DNS_VIEW_EXPIRED : 0);
}


static void
set_words(char *words)
{
    char        *word;
    ngx_uint_t   i;

    for (word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {

        if (strcmp(word, "any=refused") == 0) {
            conf.any = NGX_DNS_ANY_REFUSED;

        } else if (strcmp(word, "any=minimal") == 0) {
            conf.any = NGX_DNS_ANY_MINIMAL;

        } else if (strncmp(word, "min=", 4) == 0) {
            conf.min_ttl = atoi(word + 4);

        } else if (strncmp(word, "max=", 4) == 0) {
            conf.max_ttl = atoi(word + 4);

        } else if (strcmp(word, "chaos") == 0) {
            conf.chaos = 1;
            ngx_str_set(&conf.version, "some version");
            ngx_str_set(&conf.hostname, "some host");

        } else if (strcmp(word, "explain") == 0) {
            conf.explain = 1;

        } else if (strncmp(word, "view=", 5) == 0) {

            /* of all views, those to come too */

            view_flags = flags_of(word + 5);

            for (i = 0; i < conf.nviews; i++) {
                view[i].flags = view_flags;
            }

        } else if (strncmp(word, "now=", 4) == 0) {
            ngx_dns_answer_time(answer, atoi(word + 4));

        } else if (strncmp(word, "ede=", 4) == 0) {
            conf.stale_ede = (uint8_t) atoi(word + 4);

        } else if (strncmp(word, "ecs=", 4) == 0) {
            conf.ecs = (uint8_t) atoi(word + 4);

        } else if (strncmp(word, "ready=", 6) == 0) {
            ngx_dns_answer_places(answer)->ready = (uint8_t) atoi(word + 6);

        } else if (strcmp(word, "nsid") == 0) {
            ngx_str_set(&transport.nsid, "id");

        } else if (strncmp(word, "udp=", 4) == 0) {
            transport.tcp = 0;
            transport.udp_size = atoi(word + 4);

        } else if (strcmp(word, "tcp") == 0) {
            transport.tcp = 1;
            transport.keepalive = 100;
            transport.pad = 128;

        } else {
            tap_ok(0, "set %s is known", word);
        }
    }
}


static size_t
question(char *words, u_char *packet)
{
    char        *word, *name, *type;
    u_char      *p, ecs[256];
    size_t       n;
    ngx_int_t    class;
    ngx_str_t    s;
    ngx_uint_t   edns, do_bit, option;
    const char  *err;

    name = strtok(words, " ");
    type = strtok(NULL, " ");
    class = NGX_DNS_CLASS_IN;
    edns = 0;
    do_bit = 0;
    option = 0;
    n = 0;
    client_len = 0;

    for (word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " ")) {

        if (strncmp(word, "edns=", 5) == 0) {
            edns = atoi(word + 5);

        } else if (strcmp(word, "do") == 0) {
            do_bit = 1;
            edns = edns ? edns : 1232;

        } else if (strcmp(word, "nsid") == 0) {
            option = 3;
            edns = edns ? edns : 1232;

        } else if (strncmp(word, "ecs=", 4) == 0) {
            n += add_ecs(ecs + n, word + 4);
            edns = edns ? edns : 1232;

        } else if (strncmp(word, "from=", 5) == 0) {
            client_len = read_address(client, word + 5);

        } else if (strcmp(word, "keepalive") == 0) {
            option = 11;
            edns = edns ? edns : 1232;

        } else if (strcmp(word, "padding") == 0) {
            option = 12;
            edns = edns ? edns : 1232;

        } else {
            class = ngx_dns_rr_class((u_char *) word, strlen(word));
        }
    }

    memset(packet, 0, NGX_DNS_HEADER_SIZE);
    packet[5] = 1;
    packet[11] = edns ? 1 : 0;

    s.data = (u_char *) name;
    s.len = strlen(name);
    p = packet + NGX_DNS_HEADER_SIZE;
    p += ngx_dns_name_from_text(p, &s, NULL, &err);
    p = ngx_dns_put16(p, ngx_dns_rr_type((u_char *) type, strlen(type)));
    p = ngx_dns_put16(p, class);

    if (edns) {
        *p++ = 0;
        p = ngx_dns_put16(p, NGX_DNS_TYPE_OPT);
        p = ngx_dns_put16(p, edns);
        p = ngx_dns_put32(p, do_bit ? 0x8000 : 0);
        p = ngx_dns_put16(p, n + (option ? 4 : 0));

        if (option) {
            p = ngx_dns_put16(p, option);
            p = ngx_dns_put16(p, 0);
        }

        p = ngx_cpymem(p, ecs, n);
    }

    return p - packet;
}


/* the whole option */

static size_t
add_ecs(u_char *p, const char *hex)
{
    size_t        i, n;
    unsigned int  octet;

    n = strlen(hex) / 2;

    ngx_dns_put16(p, 8);
    ngx_dns_put16(p + 2, n);

    for (i = 0; i < n; i++) {
        sscanf(hex + 2 * i, "%2x", &octet);
        p[4 + i] = (u_char) octet;
    }

    return 4 + n;
}


static void
reply_text(char *out, char *words)
{
    char             *end;
    u_char            packet[1024], msg[NGX_DNS_MESSAGE_MAX];
    size_t            n, at;
    ngx_uint_t        i, section, flags;
    ngx_dns_query_t   q;
    ngx_dns_zone_t   *z;

    static const char  *rcodes[] = {
        "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
        "YXDOMAIN"
    };

    n = question(words, packet);
    ngx_dns_query_parse(&q, packet, n, 0, &key);

    q.client = client;
    q.client_len = (uint8_t) client_len;

    z = ngx_dns_answer_locate(&conf, &q);

    n = ngx_dns_write(writer, &q,
                      ngx_dns_answer(answer, &conf, &q, z, &transport),
                      &transport, msg, sizeof(msg));

    flags = ngx_dns_get16(msg + 2);

    out += sprintf(out, "%s%s%s\n", rcodes[flags & 7],
                   (flags & NGX_DNS_FLAG_AA) ? " AA" : "",
                   (flags & NGX_DNS_FLAG_TC) ? " TC" : "");

    at = NGX_DNS_HEADER_SIZE + q.qname.len + 4;
    end = out;

    for (section = 0; section < 3; section++) {
        for (i = ngx_dns_get16(msg + 6 + 2 * section); i > 0; i--) {
            end += print_rr(end, msg, &at, section);
        }
    }

    if (at != n) {
        sprintf(end, "octets left: %d\n", (int) (n - at));
    }
}


static size_t
print_name(char *out, const u_char *msg, size_t *at, u_char *wire)
{
    u_char  *w;
    size_t   p, n, end;

    w = wire;
    end = 0;

    for (p = *at; msg[p] != 0; /* void */ ) {

        if (msg[p] >= 0xc0) {
            end = end ? end : p + 2;
            p = ngx_dns_get16(msg + p) & 0x3fff;
            continue;
        }

        n = msg[p] + 1;
        memcpy(w, msg + p, n);
        w += n;
        p += n;
    }

    *w = 0;
    *at = end ? end : p + 1;

    return ngx_dns_name_to_text((u_char *) out, wire) - (u_char *) out;
}


static size_t
print_rr(char *out, const u_char *msg, size_t *at, ngx_uint_t section)
{
    char        *p;
    u_char       wire[NGX_DNS_NAME_MAX + 1], *end;
    size_t       len;
    ngx_uint_t   type;

    p = out;
    p += sprintf(p, "%s ", section == 0 ? "answer"
                                        : section == 1 ? "auth" : "add");
    p += print_name(p, msg, at, wire);

    type = ngx_dns_get16(msg + *at);
    len = ngx_dns_get16(msg + *at + 8);

    if (type == NGX_DNS_TYPE_OPT) {
        *at += 10 + len;
        return p + print_opt(p, msg, *at - len) - out;
    }

    p += sprintf(p, " %u ", ngx_dns_get32(msg + *at + 4));
    end = ngx_dns_rr_type_text((u_char *) p, type);
    p = (char *) end;
    *p++ = ' ';
    *at += 10;

    p += print_rdata(p, msg, *at, type, len);
    *at += len;
    *p++ = '\n';
    *p = '\0';

    return p - out;
}


static size_t
print_opt(char *out, const u_char *msg, size_t at)
{
    char    *p;
    size_t   i, last;

    p = out;
    p += sprintf(p, " OPT %d%s", (int) ngx_dns_get16(msg + at - 8),
                 (msg[at - 4] & 0x80) ? " do" : "");

    for (last = at + ngx_dns_get16(msg + at - 2); at < last;
         at += 4 + ngx_dns_get16(msg + at + 2))
    {
        p += sprintf(p, " %d:%d", (int) ngx_dns_get16(msg + at),
                     (int) ngx_dns_get16(msg + at + 2));

        if (ngx_dns_get16(msg + at) == 15) {
            p += sprintf(p, "=%d", (int) ngx_dns_get16(msg + at + 4));
        }

        if (ngx_dns_get16(msg + at) == 8) {
            p += sprintf(p, "=");

            for (i = 0; i < ngx_dns_get16(msg + at + 2); i++) {
                p += sprintf(p, "%02x", msg[at + 4 + i]);
            }
        }
    }

    p += sprintf(p, "\n");

    return p - out;
}


/* names that may be compressed are put together first */

static size_t
print_rdata(char *out, const u_char *msg, size_t at, ngx_uint_t type,
    size_t len)
{
    char     name[NGX_DNS_NAME_TEXT_MAX];
    u_char   rdata[4096], *p;
    size_t   last, n;

    last = at + len;
    p = rdata;

    if (type == NGX_DNS_TYPE_MX) {
        p = ngx_cpymem(p, msg + at, 2);
        at += 2;
    }

    while (at < last
           && (type == NGX_DNS_TYPE_NS || type == NGX_DNS_TYPE_CNAME
               || type == NGX_DNS_TYPE_SOA || type == NGX_DNS_TYPE_PTR
               || type == NGX_DNS_TYPE_MX)
           && p < rdata + 512)
    {
        print_name(name, msg, &at, p);
        p += ngx_dns_name_len(p);

        if (type == NGX_DNS_TYPE_SOA && last - at == 20) {
            break;
        }
    }

    n = last - at;
    p = ngx_cpymem(p, msg + at, n);

    p = ngx_dns_rdata_to_text((u_char *) out, (u_char *) out + 4096, type,
                              rdata, p - rdata);

    return p - (u_char *) out;
}
