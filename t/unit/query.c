
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * What a message is taken for: answer, error or drop; and every field that
 * is read from it.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_query.h"


#define NAME  "\3wWw\1z\4test\0"
#define Q     NAME "\0\1\0\1"
#define OPT   "\0\0\51\4\320\0\0\0\0"

#define ANSWER  NGX_DNS_VERDICT_ANSWER
#define ERROR   NGX_DNS_VERDICT_ERROR
#define DROP    NGX_DNS_VERDICT_DROP


typedef struct {
    const char   *name;
    const char   *packet;
    size_t        len;
    ngx_uint_t    truncated;
    ngx_uint_t    verdict;
    ngx_uint_t    code;                 /* rcode, or why it is dropped */
    ngx_uint_t    question;
    ngx_uint_t    edns;
} message_t;

#define message(name, head, rest, ...)                                       \
    { name, "\x12\x34" head rest, sizeof("\x12\x34" head rest) - 1,          \
      __VA_ARGS__ }


static ngx_dns_query_t *parse(const char *data, size_t len,
    ngx_uint_t truncated);
static void test_fields(void);
static void test_cut(void);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };

static message_t  messages[] = {

    message("plain", "\1\0\0\1\0\0\0\0\0\0", Q, 0, ANSWER, 0, 1, 0),
    message("the root", "\0\0\0\1\0\0\0\0\0\0", "\0\0\2\0\1",
            0, ANSWER, 0, 1, 0),
    message("every flag but QR and opcode", "\7\377\0\1\0\0\0\0\0\0", Q,
            0, ANSWER, 0, 1, 0),

    /* drops */

    message("empty", "", "", 0, DROP, NGX_DNS_DROP_SHORT, 0, 0),
    message("11 octets", "\0\0\0\1\0\0\0\0\0", "",
            0, DROP, NGX_DNS_DROP_SHORT, 0, 0),
    message("a response", "\200\0\0\1\0\0\0\0\0\0", Q,
            0, DROP, NGX_DNS_DROP_RESPONSE, 0, 0),
    message("longer than the buffer, no question", "\0\0\0\1\0\0\0\0\0\0",
            "\3www", 1, DROP, NGX_DNS_DROP_OVERSIZE, 0, 0),
    message("longer than the buffer, two questions", "\0\0\0\2\0\0\0\0\0\0",
            Q Q, 1, DROP, NGX_DNS_DROP_OVERSIZE, 0, 0),
    message("longer than the buffer", "\0\0\0\1\0\0\0\0\0\1", Q OPT "\1\0",
            1, ERROR, NGX_DNS_FORMERR, 1, 0),

    /* opcodes come before the counts */

    message("STATUS without question", "\20\0\0\0\0\0\0\0\0\0", "",
            0, ERROR, NGX_DNS_NOTIMP, 0, 0),
    message("NOTIFY with an answer", "\44\0\0\1\0\1\0\0\0\0", Q,
            0, ERROR, NGX_DNS_NOTIMP, 1, 0),
    message("UPDATE with EDNS", "\50\0\0\1\0\0\0\0\0\1", Q OPT "\0\0",
            0, ERROR, NGX_DNS_NOTIMP, 1, 1),
    message("UPDATE with broken EDNS", "\50\0\0\1\0\0\0\0\0\1", Q OPT "\0\1",
            0, ERROR, NGX_DNS_NOTIMP, 1, 0),
    message("opcode 15, broken name", "\170\0\0\1\0\0\0\0\0\0", "\100",
            0, ERROR, NGX_DNS_NOTIMP, 0, 0),

    /* counts */

    message("no question", "\0\0\0\0\0\0\0\0\0\0", "",
            0, ERROR, NGX_DNS_FORMERR, 0, 0),
    message("two questions", "\0\0\0\2\0\0\0\0\0\0", Q Q,
            0, ERROR, NGX_DNS_FORMERR, 0, 0),
    message("an answer", "\0\0\0\1\0\1\0\0\0\0",
            Q "\300\14\0\1\0\1\0\0\0\0\0\0",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("an authority, as IXFR has", "\0\0\0\1\0\0\0\1\0\0",
            NAME "\0\373\0\1" "\300\14\0\6\0\1\0\0\0\0\0\1x",
            0, ANSWER, 0, 1, 0),
    message("an authority that is not there", "\0\0\0\1\0\0\0\1\0\0", Q,
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("an authority that is cut", "\0\0\0\1\0\0\0\1\0\0",
            Q "\300\14\0\6\0\1\0\0\0\0\0\2x",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("65535 records that are not there", "\0\0\0\1\0\0\0\0\377\377",
            Q, 0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("octets behind the question", "\0\0\0\1\0\0\0\0\0\0", Q "x",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("octets behind OPT", "\0\0\0\1\0\0\0\0\0\1", Q OPT "\0\0x",
            0, ERROR, NGX_DNS_FORMERR, 1, 1),

    /* names */

    message("a pointer in the question", "\0\0\0\1\0\0\0\0\0\0",
            "\300\14\0\1\0\1", 0, ERROR, NGX_DNS_FORMERR, 0, 0),
    message("label type 01", "\0\0\0\1\0\0\0\0\0\0", "\101a\0\0\1\0\1",
            0, ERROR, NGX_DNS_FORMERR, 0, 0),
    message("no type and class", "\0\0\0\1\0\0\0\0\0\0", NAME "\0\1\0",
            0, ERROR, NGX_DNS_FORMERR, 0, 0),
    message("label type 10 behind the question", "\0\0\0\1\0\0\0\0\0\1",
            Q "\201a\0\0\1\0\1\0\0\0\0\0\0",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("half a pointer", "\0\0\0\1\0\0\0\0\0\1", Q "\300",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),

    /* EDNS */

    message("OPT", "\0\0\0\1\0\0\0\0\0\1", Q OPT "\0\0",
            0, ANSWER, 0, 1, 1),
    message("OPT between others", "\0\0\0\1\0\0\0\0\0\3",
            Q "\1a\300\20\0\1\0\1\0\0\0\0\0\1x" OPT "\0\0"
            "\0\0\1\0\1\0\0\0\0\0\0", 0, ANSWER, 0, 1, 1),
    message("OPT twice", "\0\0\0\1\0\0\0\0\0\2", Q OPT "\0\0" OPT "\0\0",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("OPT of another owner", "\0\0\0\1\0\0\0\0\0\1",
            Q "\1x" OPT "\0\0", 0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("OPT by a pointer", "\0\0\0\1\0\0\0\0\0\1",
            Q "\300\30\0\51\4\320\0\0\0\0\0\0",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("OPT that is cut", "\0\0\0\1\0\0\0\0\0\1", Q OPT "\0",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("OPT longer than the message", "\0\0\0\1\0\0\0\0\0\1",
            Q OPT "\0\4\0\144\0", 0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("half an option", "\0\0\0\1\0\0\0\0\0\1", Q OPT "\0\3\0\3\0",
            0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("an option longer than OPT", "\0\0\0\1\0\0\0\0\0\1",
            Q OPT "\0\4\0\3\0\1", 0, ERROR, NGX_DNS_FORMERR, 1, 0),
    message("version 1", "\0\0\0\1\0\0\0\0\0\1",
            Q "\0\0\51\4\320\0\1\0\0\0\0", 0, ERROR, NGX_DNS_BADVERS, 1, 1),
    message("version 255 with an unknown option", "\0\0\0\1\0\0\0\0\0\1",
            Q "\0\0\51\4\320\0\377\0\0\0\4\0\144\0\0",
            0, ERROR, NGX_DNS_BADVERS, 1, 1),

    { NULL, NULL, 0, 0, 0, 0, 0, 0 }
};


int
main(void)
{
    message_t        *m;
    ngx_dns_query_t  *q;

    for (m = messages; m->name != NULL; m++) {
        q = parse(m->packet, m->len, m->truncated);

        tap_is_int(q->verdict, m->verdict, "%s: verdict", m->name);
        tap_is_int((m->verdict == DROP) ? q->drop : q->rcode, m->code,
                   "%s: code", m->name);
        tap_is_int(q->question, m->question, "%s: question", m->name);
        tap_is_int(q->edns, m->edns, "%s: EDNS", m->name);
    }

    test_fields();
    test_cut();

    return tap_done();
}


/* in memory of just the size and the eight octets that may be read */

static ngx_dns_query_t *
parse(const char *data, size_t len, ngx_uint_t truncated)
{
    ngx_uint_t  verdict;

    static u_char           *packet;
    static ngx_dns_query_t   q;

    free(packet);

    packet = malloc(len + 8);
    memcpy(packet, data, len);
    memset(packet + len, 0xc0, 8);
    memset(&q, 0xff, sizeof(q));

    verdict = ngx_dns_query_parse(&q, packet, len, truncated, &key);

    if (verdict != q.verdict) {
        tap_ok(0, "what is returned is in the query, too");
    }

    return &q;
}


static void
test_fields(void)
{
    ngx_dns_query_t  *q;

    static char  all[] = "\x12\x34\1\20\0\1\0\0\0\0\0\1" NAME "\0\34\0\3"
                         "\0\0\51\20\1\0\0\377\377"
                         "\0\32" "\0\3\0\0" "\0\10\0\4\0\1\0\0" "\0\13\0\0"
                         "\0\14\0\2\0\0" "\0\144\0\0";

    q = parse(all, sizeof(all) - 1, 0);

    tap_is_int(q->verdict, ANSWER, "fields: verdict");
    tap_is_int(q->id, 0x1234, "fields: id");
    tap_is_int(q->flags, 0x0110, "fields: flags");
    tap_is_int(q->ede, NGX_DNS_EDE_NONE, "fields: no EDE");
    tap_is_mem(q->qname.wire, q->qname.len, "\3www\1z\4test", 12,
               "fields: qname is lower case");
    tap_is_mem(q->packet + 12, 12, NAME, 12, "fields: the packet is not");
    tap_is_int(q->qtype, NGX_DNS_TYPE_AAAA, "fields: qtype");
    tap_is_int(q->qclass, NGX_DNS_CLASS_CH, "fields: qclass");
    tap_is_int(q->edns_size, 4097, "fields: size");
    tap_is_int(q->edns_version, 0, "fields: version");
    tap_is_int(q->do_bit, 1, "fields: DO");
    tap_is_int(q->nsid, 1, "fields: NSID");
    tap_is_int(q->keepalive, 1, "fields: keepalive");
    tap_is_int(q->padding, 1, "fields: padding");
    tap_is_mem(q->ecs, q->ecs_len, "\0\1\0\0", 4, "fields: client subnet");

    q = parse("\0\1\10\0\0\1\0\0\0\0\0\0" Q, 12 + 16, 0);

    tap_is_int(q->ede, NGX_DNS_EDE_NOT_SUPPORTED, "fields: EDE of NOTIMP");
    tap_ok(!q->do_bit && !q->nsid && !q->keepalive && !q->padding
           && q->ecs == NULL, "fields: nothing is left of the last one");
}


/* a message cut anywhere is an error or a drop, and is not read behind */

static void
test_cut(void)
{
    size_t            len;
    ngx_uint_t        good;
    ngx_dns_query_t  *q;

    static char  all[] = "\x12\x34\0\0\0\1\0\0\0\0\0\2" Q
                         "\300\14\0\1\0\1\0\0\0\0\0\4\1\2\3\4"
                         "\0\0\51\20\0\0\0\0\0\0\4\0\3\0\0";

    good = 0;

    for (len = 0; len < sizeof(all) - 1; len++) {
        q = parse(all, len, 0);

        good += (len < 12) ? (q->verdict == DROP)
                           : (q->verdict == ERROR
                              && q->rcode == NGX_DNS_FORMERR && !q->edns);
    }

    tap_is_int(good, sizeof(all) - 1, "cut: anywhere");
    tap_is_int(parse(all, len, 0)->verdict, ANSWER, "cut: nowhere");
}
