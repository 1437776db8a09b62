
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The reader of zone files: what records and what errors come of a text.
 * Each text is read through windows of several sizes, with the same result.
 */


#include "shim.h"
#include "memory.h"
#include "tap.h"
#include "ngx_dns_master.h"
#include "ngx_dns_rdata.h"
#include "ngx_dns_store.h"


#define OUTPUT  (1024 * 1024)


typedef struct {
    const char  *name;
    const char  *zone;                  /* more files behind "%%NAME" lines */
    const char  *want;                  /* records, then errors */
} test_t;

typedef struct {
    const char  *pos;
    const char  *last;
} handle_t;


static void run(const test_t *t);
static ngx_int_t read_zone(const char *zone, size_t len, size_t window);
static void *files_open(void *data, ngx_str_t *name, ngx_str_t *includer,
    ngx_str_t *path, ngx_str_t *err);
static ssize_t files_read(void *data, void *handle, u_char *buf, size_t size,
    ngx_str_t *err);
static void files_close(void *data, void *handle);
static void report(void *data, ngx_dns_report_e level, ngx_str_t *file,
    ngx_uint_t line, ngx_str_t *text);
static void print_records(ngx_dns_records_t *rs);
static void print_aname(ngx_dns_rec_t *rec);
static void *failing_map(void *data, size_t size);
static void test_zero_octet(void);
static void test_long(void);
static void test_endless(void);
static void test_failures(void);
static void test_progress(void);


static u_char       apex[] = "\002z1\004test";

static const char  *source;             /* the text that is being read */
static size_t       source_len;
static char         paths[64][128];
static int          npaths;

static char         output[OUTPUT];
static char        *out;
static int          progress;

static int          opened;
static int          endless;            /* read() never ends */
static int          broken;             /* read() fails */
static long         maps_left;          /* -1: map() never fails */


static const test_t  tests[] = {

    /* ends of files and lines */

    { "empty", "", "" },
    { "a blank and a comment", " \t\n; comment\n   ; another\n", "" },
    { "no final newline", "a 5 A 192.0.2.9", "a 5 A 192.0.2.9\n" },
    { "comment as last octets", "a 5 A 192.0.2.9 ; end",
      "a 5 A 192.0.2.9\n" },
    { "CRLF", "a 5 A 192.0.2.1\r\n\r\nb 5 TXT x\r\n; c\r\n",
      "a 5 A 192.0.2.1\nb 5 TXT \"x\"\n" },
    { "CRLF without final newline", "a 5 A 192.0.2.1\r\nb 5 A 192.0.2.2\r",
      "a 5 A 192.0.2.1\nb 5 A 192.0.2.2\n" },
    { "CRLF in parentheses", "a 5 TXT ( x\r\n y ) \r\nb 5 A 192.0.2.2\r\n",
      "a 5 TXT \"x\" \"y\"\nb 5 A 192.0.2.2\n" },
    { "carriage return inside a line", "a 5 A\r192.0.2.1\nb 5 A 192.0.2.2\n",
      "b 5 A 192.0.2.2\nmain:1: carriage return inside a line\n" },
    { "byte order mark", "\xef\xbb\xbf" "a 5 A 192.0.2.1\n",
      "a 5 A 192.0.2.1\n" },
    { "tabs", "a\t5\tIN\tA\t192.0.2.1\n\t5\tA\t192.0.2.2\n",
      "a 5 A 192.0.2.1\na 5 A 192.0.2.2\n" },
    { "quote open at the end", "a 5 A 192.0.2.1\nb 5 TXT \"x y\n\n",
      "a 5 A 192.0.2.1\nmain:2: quote is not closed\n" },
    { "quote open at the end, no newline", "b 5 TXT \"x y",
      "main:1: quote is not closed\n" },
    { "quote open, the rest is read", "b 5 TXT \"x\nc 5 TXT y\n",
      "c 5 TXT \"y\"\nmain:1: quote is not closed\n" },
    { "parenthesis open at the end", "a 5 A 192.0.2.1\nb 5 TXT ( x\n\ny\n",
      "a 5 A 192.0.2.1\nmain:2: parenthesis is not closed\n" },
    { "parenthesis open at the end, no newline", "b 5 TXT (",
      "main:1: parenthesis is not closed\n" },
    { "closing parenthesis only", "b 5 TXT x )\nc 5 TXT y\n",
      "c 5 TXT \"y\"\nmain:1: unexpected \")\"\n" },
    { "nested parentheses", "b 5 ( TXT ( x\n ) y\n ) z\n",
      "b 5 TXT \"x\" \"y\" \"z\"\n" },
    { "parenthesis in front of the owner", "( b\n5 A 192.0.2.1 )\n",
      "b 5 A 192.0.2.1\n" },
    { "an entry that is nothing but parentheses", "(\n;\n)\nb 5 TXT y\n",
      "b 5 TXT \"y\"\n" },
    { "backslash at the end of a line", "b 5 TXT x\\\nc 5 TXT y\n",
      "c 5 TXT \"y\"\nmain:1: backslash at the end of a line\n" },

    /* strings */

    { "semicolons", "a 5 TXT \"v=DMARC1; p=none\" ; real comment\n"
      "b 5 TXT v=DMARC1\\; p=none\nc 5 TXT \"a\\\"b;c\" \"d\"\n",
      "a 5 TXT \"v=DMARC1; p=none\"\nb 5 TXT \"v=DMARC1;\" \"p=none\"\n"
      "c 5 TXT \"a\\\"b;c\" \"d\"\n" },
    { "quotes", "a 5 TXT \"ab\"\"cd\"\n 5 TXT \"ab\"cd\n 5 TXT ab\"cd\"\n"
      " 5 TXT ( \"p1\" ; c \"\n \"p2\" )\n 5 TXT \"\"\n 5 TXT \"(\" \")\"\n",
      "a 5 TXT \"ab\" \"cd\"\na 5 TXT \"ab\" \"cd\"\na 5 TXT \"ab\" \"cd\"\n"
      "a 5 TXT \"p1\" \"p2\"\na 5 TXT \"\"\na 5 TXT \"(\" \")\"\n" },
    { "escapes", "a\\.b 5 A 192.0.2.1\n\\097B 5 TXT \\065\\\"\\(\n"
      "\\;\\(\\)\\ \\\" 5 A 192.0.2.2\n\\@ 5 A 192.0.2.3\n",
      "a\\.b 5 A 192.0.2.1\nab 5 TXT \"A\\\"(\"\n"
      "\\;\\(\\)\\032\\\" 5 A 192.0.2.2\n\\@ 5 A 192.0.2.3\n" },
    { "escape that is too large", "a 5 TXT \\256\nb\\2 5 A 192.0.2.1\n",
      "main:1: \"\\256\" has an escape that is not \\000 to \\255\n"
      "main:2: \"b\\2\" is not a name: escape is neither \\X nor \\DDD up to "
      "255\n" },

    /* owner, TTL, class, type */

    { "absent owner, TTL and class", "$TTL 300\n@ SOA ns host 1 2 3 4 5\n"
      "  NS ns\nns 60 A 192.0.2.1\n IN A 192.0.2.2\n IN 70 A 192.0.2.3\n"
      " 80 IN A 192.0.2.4\n CLASS1 A 192.0.2.5\n TYPE1 192.0.2.6\n"
      " in a 192.0.2.7\n",
      "@ 300 SOA ns.z1.test. host.z1.test. 1 2 3 4 5\n@ 300 NS ns.z1.test.\n"
      "ns 60 A 192.0.2.1\nns 300 A 192.0.2.2\nns 70 A 192.0.2.3\n"
      "ns 80 A 192.0.2.4\nns 300 A 192.0.2.5\nns 300 A 192.0.2.6\n"
      "ns 300 A 192.0.2.7\n" },
    { "owners named as types", "a A 192.0.2.1\nin IN A 192.0.2.2\n"
      "5 5 A 192.0.2.3\ntxt 5 TXT txt\n",
      "a 3600 A 192.0.2.1\nin 3600 A 192.0.2.2\n5 5 A 192.0.2.3\n"
      "txt 5 TXT \"txt\"\n" },
    { "owner in capitals", "WwW.Sub 5 CNAME FOO.Example.\n",
      "www.sub 5 CNAME foo.example.\n" },
    { "absolute owners", "z1.test. 5 A 192.0.2.1\na.z1.test. 5 A 192.0.2.2\n"
      "Z1.TEST. 5 A 192.0.2.3\n",
      "@ 5 A 192.0.2.1\na 5 A 192.0.2.2\n@ 5 A 192.0.2.3\n" },
    { "no owner at all", " 5 A 192.0.2.1\na 5 A 192.0.2.2\n",
      "a 5 A 192.0.2.2\nmain:1: no owner name\n" },
    { "records of an owner that was refused", "a..b 5 A 192.0.2.1\n"
      " 5 A 192.0.2.2\n 5 A 192.0.2\nc 5 A 192.0.2.3\n",
      "c 5 A 192.0.2.3\nmain:1: \"a..b\" is not a name: label is empty\n"
      "main:3: \"192.0.2\" is not an IPv4 address\n" },
    { "owner in quotes", "\"a\" 5 A 192.0.2.1\n",
      "main:1: quotes around the name\n" },
    { "owner outside of the zone", "www.other.test. 5 A 192.0.2.1\n",
      "main:1: owner \"www.other.test.\" is outside the zone\n" },
    { "owner only", "a\nb 5\nc 5 IN\nd 5 A\n",
      "main:1: no RR type\nmain:2: no RR type\nmain:3: no RR type\n"
      "main:4: no IPv4 address\n" },
    { "TTL units", "a 1h A 192.0.2.1\na 1w2d3h4m5s A 192.0.2.2\n"
      "a 1H30M A 192.0.2.3\na 0 A 192.0.2.4\na 2147483647 A 192.0.2.5\n"
      "a 0s A 192.0.2.6\n",
      "a 3600 A 192.0.2.1\na 788645 A 192.0.2.2\na 5400 A 192.0.2.3\n"
      "a 0 A 192.0.2.4\na 2147483647 A 192.0.2.5\na 0 A 192.0.2.6\n" },
    { "TTLs that are wrong", "a 2147483648 A 192.0.2.1\na 1x A 192.0.2.1\n"
      "a 1h5 A 192.0.2.1\na 1hh A 192.0.2.1\na 99999999999 A 192.0.2.1\n"
      "a 5 5 A 192.0.2.1\na -1 A 192.0.2.1\n",
      "main:1: \"2147483648\" is not a TTL (seconds up to 2147483647, or "
      "units like 1w2d3h4m5s)\n"
      "main:2: \"1x\" is not a TTL (seconds up to 2147483647, or "
      "units like 1w2d3h4m5s)\n"
      "main:3: \"1h5\" is not a TTL (seconds up to 2147483647, or "
      "units like 1w2d3h4m5s)\n"
      "main:4: \"1hh\" is not a TTL (seconds up to 2147483647, or "
      "units like 1w2d3h4m5s)\n"
      "main:5: \"99999999999\" is not a TTL (seconds up to 2147483647, or "
      "units like 1w2d3h4m5s)\n"
      "main:6: \"5\" is not an RR type\nmain:7: \"-1\" is not an RR type\n" },
    { "other classes", "a 5 CH A 192.0.2.1\na HS TXT x\na CLASS3 TXT x\n"
      "a ANY A 192.0.2.1\na NONE A 192.0.2.1\na IN IN A 192.0.2.1\n",
      "main:1: \"CH\" is not the class IN\nmain:2: \"HS\" is not the class "
      "IN\nmain:3: \"CLASS3\" is not the class IN\nmain:4: \"ANY\" is not the "
      "class IN\nmain:5: \"NONE\" is not the class IN\n"
      "main:6: \"IN\" is not an RR type\n" },
    { "types of messages", "a 5 IN ANY x\na 5 AXFR x\na 5 TYPE41 \\# 0\n"
      "a 5 TYPE0 \\# 0\na 5 TYPE128 \\# 0\n",
      "main:1: \"ANY\" is a type of queries and messages, which no zone can "
      "hold\n"
      "main:2: \"AXFR\" is a type of queries and messages, which no zone can "
      "hold\n"
      "main:3: \"TYPE41\" is a type of queries and messages, which no zone can "
      "hold\n"
      "main:4: \"TYPE0\" is a type of queries and messages, which no zone can "
      "hold\n"
      "main:5: \"TYPE128\" is a type of queries and messages, which no zone "
      "can hold\n" },
    { "unknown types", "a 5 NOSUCH x\na 5 TYPE65536 \\# 0\na 5 \"A\" x\n",
      "main:1: \"NOSUCH\" is not an RR type\nmain:2: \"TYPE65536\" is not an "
      "RR type\nmain:3: quotes around the RR type\n" },

    /* generic notation */

    { "generic notation", "g 5 A \\# 4 0A000001\ng2 5 TYPE1 \\# 4 0A 00 00 01\n"
      "g3 5 TYPE65280 \\# 3 aabbcc\ng4 5 CLASS1 TYPE65280 \\# 0\n"
      "g5 5 NS \\# 5 ( 01\n41 ; x\n01 42 00 )\n",
      "g 5 A 10.0.0.1\ng2 5 A 10.0.0.1\ng3 5 TYPE65280 \\# 3 aabbcc\n"
      "g4 5 TYPE65280 \\# 0\ng5 5 NS a.b.\n" },
    { "generic notation that is wrong", "g 5 TYPE65280 \\# 5 0A000001\n"
      "g 5 A \\# 5 0a00000102\ng 5 A \\# 3 0a0000\ng 5 NS \\# 2 c000\n"
      "g 5 TYPE65280 \\# 1 0\ng 5 TYPE65280 x\n",
      "main:1: rdata has 4 octets, its length says 5\n"
      "main:2: generic rdata: octets behind the last field\n"
      "main:3: generic rdata: it ends inside a field\n"
      "main:4: generic rdata: a name is compressed or broken\n"
      "main:5: odd number of hexadecimal digits\n"
      "main:6: rdata of this type has the form \\# LENGTH HEX only\n" },

    /* TTLs that are not there */

    { "$TTL", "$TTL 1h\na A 192.0.2.1\na 5 A 192.0.2.2\na A 192.0.2.3\n"
      "$TTL 7\na A 192.0.2.4\n",
      "a 3600 A 192.0.2.1\na 5 A 192.0.2.2\na 3600 A 192.0.2.3\n"
      "a 7 A 192.0.2.4\n" },
    { "the last TTL", "a 5 A 192.0.2.1\nb A 192.0.2.2\nc 6 A 192.0.2.3\n"
      "d A 192.0.2.4\n",
      "a 5 A 192.0.2.1\nb 5 A 192.0.2.2\nc 6 A 192.0.2.3\nd 6 A 192.0.2.4\n" },
    { "the MINIMUM of the SOA", "@ SOA ns host 1 2 3 4 77\na A 192.0.2.1\n",
      "@ 77 SOA ns.z1.test. host.z1.test. 1 2 3 4 77\na 77 A 192.0.2.1\n" },
    { "a MINIMUM that is too large", "@ SOA ns host 1 2 3 4 4294967295\n",
      "@ 2147483647 SOA ns.z1.test. host.z1.test. 1 2 3 4 4294967295\n" },
    { "the default", "a A 192.0.2.1\n", "a 3600 A 192.0.2.1\n" },

    /* directives */

    { "$ORIGIN", "a 5 A 192.0.2.1\n$ORIGIN sub\n 5 A 192.0.2.2\n"
      "b 5 CNAME @\n@ 5 A 192.0.2.3\n$ORIGIN z1.test. ; back\nc 5 NS d\n"
      "$origin other.\na.z1.test. 5 CNAME x\n",
      "a 5 A 192.0.2.1\na 5 A 192.0.2.2\nb.sub 5 CNAME sub.z1.test.\n"
      "sub 5 A 192.0.2.3\nc 5 NS d.z1.test.\na 5 CNAME x.other.\n" },
    { "directives that are wrong", "$ORIGIN\n$ORIGIN a..b\n$ORIGIN a b\n"
      "$TTL\n$TTL x\n$TTL 5 6\n$NOSUCH x\n$ 5 A 192.0.2.1\n",
      "main:1: no name\nmain:2: \"a..b\" is not a name: label is empty\n"
      "main:3: \"b\" is too much\nmain:4: no TTL\n"
      "main:5: \"x\" is not a TTL (seconds up to 2147483647, or units like "
      "1w2d3h4m5s)\nmain:6: \"6\" is too much\n"
      "main:7: \"$NOSUCH\" is not a directive\n"
      "main:8: \"$\" is not a directive\n" },
    { "$INCLUDE and what it leaves as it was", "$TTL 100\na A 192.0.2.1\n"
      "$INCLUDE sub/part\n A 192.0.2.5\nrel A 192.0.2.6\n"
      "$INCLUDE part y.z1.test. ; note\nrel2 A 192.0.2.7\n"
      "%%sub/part\n A 192.0.2.2\n$ORIGIN x\n$TTL 5\nb A 192.0.2.3\n"
      "c 9 A 192.0.2.4\n%%part\nn A 192.0.2.8\n",
      "a 100 A 192.0.2.1\na 100 A 192.0.2.2\nb.x 5 A 192.0.2.3\n"
      "c.x 9 A 192.0.2.4\na 100 A 192.0.2.5\nrel 100 A 192.0.2.6\n"
      "n.y 100 A 192.0.2.8\nrel2 100 A 192.0.2.7\n" },
    { "$INCLUDE is relative to the file with it", "$INCLUDE d/one\n"
      "%%d/one\n$INCLUDE two\n$INCLUDE \"e/three\"\n%%d/two\n"
      "a 5 A 192.0.2.1\n%%d/e/three\nb 5 A 192.0.2.2\n$INCLUDE nosuch\n",
      "a 5 A 192.0.2.1\nb 5 A 192.0.2.2\n"
      "d/e/three:2: cannot open \"nosuch\": no such file\n" },
    { "$INCLUDE without newline at its end", "$INCLUDE one\nb 5 A 192.0.2.2\n"
      "%%one\na 5 A 192.0.2.1",
      "a 5 A 192.0.2.1\nb 5 A 192.0.2.2\n" },
    { "errors in included files have their lines", "a 5 A x\n$INCLUDE one\n"
      "b 5 A y\n%%one\n\n\nc 5 A z\n",
      "main:1: \"x\" is not an IPv4 address\none:3: \"z\" is not an IPv4 "
      "address\nmain:3: \"y\" is not an IPv4 address\n" },
    { "quote open in an included file", "$INCLUDE one\nb 5 A 192.0.2.2\n"
      "%%one\na 5 TXT ( x\n",
      "b 5 A 192.0.2.2\none:1: parenthesis is not closed\n" },
    { "a file that includes itself", "$INCLUDE one\nb 5 A 192.0.2.2\n"
      "%%one\n$INCLUDE one\n",
      "b 5 A 192.0.2.2\none:1: cannot include \"one\": it includes itself\n" },
    { "a loop of files", "$INCLUDE one\n%%one\n$INCLUDE two\n"
      "%%two\n$INCLUDE main\n",
      "two:1: cannot include \"main\": it includes itself\n" },
    { "files nested too deep", "$INCLUDE 1\n%%1\n$INCLUDE 2\n%%2\n"
      "$INCLUDE 3\n%%3\n$INCLUDE 4\n%%4\n$INCLUDE 5\n%%5\n$INCLUDE 6\n%%6\n"
      "$INCLUDE 7\n%%7\n$INCLUDE 8\n%%8\n$INCLUDE 9\n%%9\n$INCLUDE 10\n"
      "%%10\n$INCLUDE 11\n%%11\n$INCLUDE 12\n%%12\n$INCLUDE 13\n%%13\n"
      "$INCLUDE 14\n%%14\n$INCLUDE 15\n%%15\na 5 A 192.0.2.1\n"
      "$INCLUDE 16\n%%16\n$INCLUDE 17\n",
      "a 5 A 192.0.2.1\n"
      "15:2: cannot include \"16\": files are nested 16 deep already\n" },
    { "$INCLUDE that is wrong", "$INCLUDE\n$INCLUDE \"\"\n$INCLUDE one a..b\n"
      "$INCLUDE one b c\n$INCLUDE \\000\n%%one\na 5 A 192.0.2.1\n",
      "main:1: no file name\nmain:2: \"\" is not a file name\n"
      "main:3: \"a..b\" is not a name: label is empty\n"
      "main:4: \"c\" is too much\nmain:5: \"\\000\" is not a file name\n" },

    /* $GENERATE */

    { "$GENERATE", "$GENERATE 1-3 h${0,3,d} 5 A 192.0.2.$\n"
      "$GENERATE 8-12/2 $ 6 IN TXT ${-8} ${1,4,x} ${0,0,X} ${0,3,o}\n"
      " 5 A 192.0.2.9\n",
      "h001 5 A 192.0.2.1\nh002 5 A 192.0.2.2\nh003 5 A 192.0.2.3\n"
      "8 6 TXT \"0\" \"0009\" \"8\" \"010\"\n"
      "10 6 TXT \"2\" \"000b\" \"A\" \"012\"\n"
      "12 6 TXT \"4\" \"000d\" \"C\" \"014\"\n12 5 A 192.0.2.9\n" },
    { "$GENERATE of nibbles", "$GENERATE 26-27 ${0,7,n}.x 5 PTR h$\n"
      "$GENERATE 171-171 ${0,0,N} 5 PTR ${0,1,n}.x.\n",
      "a.1.0.0.x 5 PTR h26.z1.test.\nb.1.0.0.x 5 PTR h27.z1.test.\n"
      "b.a 5 PTR b.a.x.\n" },
    { "$GENERATE and dollars",
      "$GENERATE 1-1 a\\$$$ 5 TXT \\\\$ \"$\\;\" ; $\n",
      "a\\$\\$ 5 TXT \"\\\\1\" \"1;\"\n" },
    { "$GENERATE of ANAME", "$GENERATE 1-2 a$ 5 ALIAS t$.x.\n",
      "a1 5 ANAME t1.x.\na2 5 ANAME t2.x.\n" },
    { "$GENERATE of ANAME that is wrong", "$GENERATE 1-2 a$ ANAME\n",
      "main:1: $GENERATE with 1: no name\n" },

    /* what is no record but looks like one */

    { "ANAME", "@ 300 ANAME Edge.x.\na IN 5 aname b\nb ALIAS @\n"
      "$ORIGIN c.z1.test.\nd alias ( e\n )\n 7 IN AnAmE @ ; x\n",
      "@ 300 ANAME edge.x.\na 5 ANAME b.z1.test.\nb 5 ANAME z1.test.\n"
      "d.c 5 ANAME e.c.z1.test.\nd.c 7 ANAME c.z1.test.\n" },
    { "the TTL of an ANAME", "a ANAME b\n$TTL 1h\nc ANAME b\n"
      "d 5 A 192.0.2.1\n A 192.0.2.2\n",
      "a 3600 ANAME b.z1.test.\nc 3600 ANAME b.z1.test.\n"
      "d 5 A 192.0.2.1\nd 3600 A 192.0.2.2\n" },
    { "ANAME is no owner's business", "aname 5 A 192.0.2.1\n"
      "alias 5 CNAME aname\n",
      "aname 5 A 192.0.2.1\nalias 5 CNAME aname.z1.test.\n" },
    { "ANAME that is wrong", "a 5 ANAME\na 5 ANAME b c\na 5 ANAME b..c\n"
      "a 5 ANAME \\# 1 00\na 5 ANAMES b\na 5 CH ANAME b\n"
      "a 5 TYPE65535 b\n",
      "main:1: no name\nmain:2: \"c\" is too much\n"
      "main:3: \"b..c\" is not a name: label is empty\n"
      "main:4: \"1\" is too much\nmain:5: \"ANAMES\" is not an RR type\n"
      "main:6: \"CH\" is not the class IN\n"
      "main:7: \"TYPE65535\" is a type of queries and messages, which no "
      "zone can hold\n" },

    { "$GENERATE that is too much", "$GENERATE 0-4294967295 h$ A 10.0.0.1\n"
      "$GENERATE 0-1000 h$ A 10.0.0.1\n",
      "main:1: $GENERATE makes 4294967296 records, more than the 1000 that "
      "are allowed\n"
      "main:2: $GENERATE makes 1001 records, more than the 1000 that are "
      "allowed\n" },
    { "$GENERATE that is wrong", "$GENERATE\n$GENERATE 1\n"
      "$GENERATE 1-5/0 a$ A 192.0.2.1\n$GENERATE 5-1 a$ A 192.0.2.1\n"
      "$GENERATE 1-2\n$GENERATE 1-x a A 192.0.2.1\n"
      "$GENERATE 1-2/ a A 192.0.2.1\n$GENERATE 1-2 a${x} A 192.0.2.1\n"
      "$GENERATE 1-2 a${0,300} A 192.0.2.1\n",
      "main:1: no range\nmain:2: \"1\" is not a range like 1-100/2\n"
      "main:3: \"1-5/0\" has a step of 0\n"
      "main:4: \"5-1\" stops before it starts\nmain:5: no template\n"
      "main:6: \"1-x\" is not a range like 1-100/2\n"
      "main:7: \"1-2/\" is not a range like 1-100/2\n"
      "main:8: $GENERATE modifier is not ${OFFSET,WIDTH,RADIX}\n"
      "main:9: $GENERATE modifier is not ${OFFSET,WIDTH,RADIX}\n" },
    { "$GENERATE, wrong in the second half",
      "$GENERATE 1-2 a${-2} A 192.0.2.1\n"
      "$GENERATE 1-2 a${0,0,z} A 192.0.2.1\n"
      "$GENERATE 254-300 a$ 5 A 192.0.2.$\n"
      "$GENERATE 1-2 a$ ( A\n192.0.2.1 )\n"
      "$GENERATE ( 1-2 a$ A 192.0.2.1 )\n"
      "$GENERATE 1-99 a$.other. 5 A 192.0.2.1\n",
      "a254 5 A 192.0.2.254\na255 5 A 192.0.2.255\n"
      "main:1: $GENERATE offset makes 1 negative\n"
      "main:2: $GENERATE modifier is not ${OFFSET,WIDTH,RADIX}\n"
      "main:3: $GENERATE with 256: \"192.0.2.256\" is not an IPv4 address\n"
      "main:4: $GENERATE with 1: parenthesis is not closed\n"
      "main:5: unexpected \")\"\n"
      "main:6: $GENERATE inside parentheses\n"
      "main:7: owner \"a1.other.\" is outside the zone\n"
      "main:7: owner \"a2.other.\" is outside the zone\n"
      "main:7: owner \"a3.other.\" is outside the zone\n"
      "main:7: owner \"a4.other.\" is outside the zone\n"
      "main:8: too many errors\n" },

    /* errors */

    { "too many errors", "a 5 A 1\na 5 A 2\na 5 A 3\na 5 A 4\na 5 A 5\n"
      "a 5 A 6\na 5 A 7\na 5 A 8\na 5 A 9\na 5 A 10\na 5 A 11\n",
      "main:1: \"1\" is not an IPv4 address\n"
      "main:2: \"2\" is not an IPv4 address\n"
      "main:3: \"3\" is not an IPv4 address\n"
      "main:4: \"4\" is not an IPv4 address\n"
      "main:5: \"5\" is not an IPv4 address\n"
      "main:6: \"6\" is not an IPv4 address\n"
      "main:7: \"7\" is not an IPv4 address\n"
      "main:8: \"8\" is not an IPv4 address\n"
      "main:9: \"9\" is not an IPv4 address\n"
      "main:10: \"10\" is not an IPv4 address\nmain:10: too many errors\n" },
    { "an error has the line of its word", "a 5 SOA ns host (\n 1 ; serial\n"
      " 2\n x\n 4 5 )\nb 5 A 192.0.2.1\n",
      "b 5 A 192.0.2.1\nmain:4: \"x\" is not a time (seconds up to "
      "4294967295, or units like 1w2d3h4m5s)\n" },
    { "text behind a record", "a 5 A 192.0.2.1 192.0.2.2\nb 5 A ( 192.0.2.1\n"
      "\"x\" )\nc 5 A 192.0.2.1\n",
      "c 5 A 192.0.2.1\nmain:1: \"192.0.2.2\" is too much\nmain:3: \"x\" is "
      "too much\n" },
    { "odd octets in messages", "a 5 A \x01\x7f\x1b[2J\n",
      "main:1: \"???[2J\" is not an IPv4 address\n" }
};


int
main(void)
{
    ngx_uint_t  i;

    maps_left = -1;

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        run(&tests[i]);
    }

    test_zero_octet();
    test_long();
    test_endless();
    test_failures();
    test_progress();

    tap_is_int(memory_blocks, 0, "all memory is given back");
    tap_is_int(opened, 0, "all files are closed");

    return tap_done();
}


static void
run(const test_t *t)
{
    size_t      len;
    ngx_int_t   rc;
    ngx_uint_t  i, failed;

    static const size_t  windows[] = { 0, 16, 17, 23, 31, 48, 64, 127 };

    len = strlen(t->zone);
    rc = read_zone(t->zone, len, 0);

    tap_is_str(output, t->want, "%s", t->name);
    tap_is_int(rc, strstr(t->want, ": ") ? NGX_ERROR : NGX_OK,
               "%s, returned", t->name);

    failed = 0;

    for (i = 1; i < sizeof(windows) / sizeof(windows[0]); i++) {
        (void) read_zone(t->zone, len, windows[i]);

        if (strcmp(output, t->want) != 0) {
            failed = windows[i];
        }
    }

    tap_is_int(failed, 0, "%s, in pieces", t->name);
}


/* records first, then the reports, as one text */

static ngx_int_t
read_zone(const char *zone, size_t len, size_t window)
{
    char                   *reports;
    ngx_int_t               rc;
    ngx_str_t               name;
    ngx_dns_files_t         files;
    ngx_dns_memory_t        mem;
    ngx_dns_records_t      *rs;
    ngx_dns_reporter_t      rep;
    ngx_dns_master_conf_t   conf;

    source = zone;
    source_len = len;
    npaths = 0;
    progress = 0;

    files.open = files_open;
    files.read = files_read;
    files.close = files_close;
    files.data = NULL;

    mem = memory;
    mem.map = failing_map;

    memset(&rep, 0, sizeof(rep));
    rep.report = report;

    memset(&conf, 0, sizeof(conf));
    conf.files = &files;
    conf.mem = &mem;
    conf.rep = &rep;
    conf.default_ttl = 3600;
    conf.max_errors = 10;
    conf.max_generate = 1000;
    conf.window = window;

    rs = ngx_dns_records_create(apex, &memory, &rep);

    ngx_str_set(&name, "main");
    out = output;
    *out = '\0';

    rc = ngx_dns_master_read(&conf, &name, apex, rs);

    reports = strdup(output);
    out = output;
    *out = '\0';

    if (len < 200000) {
        print_records(rs);
    }

    strcpy(out, reports);
    free(reports);

    ngx_dns_records_destroy(rs);

    return rc;
}


/* names of files are taken from the folder of the includer */

static void *
files_open(void *data, ngx_str_t *name, ngx_str_t *includer, ngx_str_t *path,
    ngx_str_t *err)
{
    char        *want, mark[160];
    size_t       n;
    handle_t    *h;
    const char  *start, *end;

    want = paths[npaths++ % 64];
    n = 0;

    if (includer != NULL) {
        for (n = includer->len; n > 0 && includer->data[n - 1] != '/'; n--) {
            /* void */
        }

        memcpy(want, includer->data, n);
    }

    memcpy(want + n, name->data, name->len);
    want[n + name->len] = '\0';

    start = source;

    if (strcmp(want, "main") != 0) {
        snprintf(mark, sizeof(mark), "%%%%%s\n", want);
        start = strstr(source, mark);

        if (start == NULL) {
            ngx_str_set(err, "no such file");
            return NULL;
        }

        start += strlen(mark);
    }

    end = strstr(start, "%%");

    path->data = (u_char *) want;
    path->len = strlen(want);

    h = malloc(sizeof(handle_t));
    h->pos = start;
    h->last = end ? end : source + source_len;
    opened++;

    return h;
}


static ssize_t
files_read(void *data, void *handle, u_char *buf, size_t size, ngx_str_t *err)
{
    size_t     n;
    handle_t  *h = handle;

    if (broken) {
        ngx_str_set(err, "broken disk");
        return -1;
    }

    n = h->last - h->pos;
    n = ngx_min(n, size);

    if (n == 0 && endless) {
        memset(buf, ' ', size);
        return size;
    }

    /* what a read gives is up to the system */

    n = (n > 7 && n < 1000) ? n / 2 : n;

    memcpy(buf, h->pos, n);
    h->pos += n;

    return n;
}


static void
files_close(void *data, void *handle)
{
    opened--;
    free(handle);
}


static void
report(void *data, ngx_dns_report_e level, ngx_str_t *file, ngx_uint_t line,
    ngx_str_t *text)
{
    if (level == NGX_DNS_REPORT_PROGRESS) {
        progress++;
        return;
    }

    out += sprintf(out, "%.*s:%u: %.*s\n", file ? (int) file->len : 0,
                   file ? (char *) file->data : "", (unsigned) line,
                   (int) text->len, text->data);
}


static void
print_records(ngx_dns_records_t *rs)
{
    u_char           *p, *last, *end, name[NGX_DNS_NAME_MAX + 1];
    ngx_dns_rec_t    *rec;
    ngx_dns_chunk_t  *chunk;

    for (chunk = rs->chunks; chunk != NULL; chunk = chunk->next) {

        last = (u_char *) chunk + chunk->used;

        for (p = (u_char *) (chunk + 1); p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;

            memcpy(name, ngx_dns_rec_owner(rec), rec->owner_len);
            name[rec->owner_len] = 0;

            end = ngx_dns_name_to_text((u_char *) out, name);
            out = (char *) end - 1;

            if (rec->owner_len == 0) {
                *out++ = '@';
            }

            if (rec->type == NGX_DNS_TYPE_NOTE) {
                print_aname(rec);
                continue;
            }

            out += sprintf(out, " %u ", (unsigned) rec->ttl);
            out = (char *) ngx_dns_rr_type_text((u_char *) out, rec->type);
            *out++ = ' ';
            out = (char *) ngx_dns_rdata_to_text((u_char *) out,
                               (u_char *) output + OUTPUT - 1000, rec->type,
                               ngx_dns_rec_rdata(rec), rec->rdlen);
            *out++ = '\n';
        }
    }

    *out = '\0';
}


static void
print_aname(ngx_dns_rec_t *rec)
{
    u_char  *rdata;

    rdata = ngx_dns_rec_rdata(rec);

    out += sprintf(out, " %u %s ",
                   (unsigned) ngx_dns_get32(rdata + NGX_DNS_NOTE_HEAD),
                   (rec->ttl == 0 && ngx_dns_note_covered(rdata) == 0
                    && ngx_dns_note_kind(rdata) == NGX_DNS_NOTE_ANAME)
                       ? "ANAME" : "another note");
    out = (char *) ngx_dns_name_to_text((u_char *) out,
                                        rdata + NGX_DNS_NOTE_HEAD + 4);
    *out++ = '\n';
}


static void *
failing_map(void *data, size_t size)
{
    if (maps_left == 0) {
        return NULL;
    }

    if (maps_left > 0) {
        maps_left--;
    }

    return memory_map(data, size);
}


static void
test_zero_octet(void)
{
    static const char  zone[] = "a 5 TXT x\0y\nb 5 TXT \"\0\"\n; \0\n"
                                "c\0 5 A 192.0.2.1\nd 5 TXT y\n";

    (void) read_zone(zone, sizeof(zone) - 1, 0);

    tap_is_str(output, "d 5 TXT \"y\"\nmain:1: zero octet in the text\n"
               "main:2: zero octet in the text\n"
               "main:4: zero octet in the text\n", "zero octets");
}


/* limits of labels, names, strings, RDATA and lines */

static void
test_long(void)
{
    int    i;
    char  *zone, *p;

    zone = malloc(800000);

    p = zone + sprintf(zone, "%0*d 5 A 192.0.2.1\n%0*d 5 A 192.0.2.1\n", 63, 1,
                       64, 2);
    (void) read_zone(zone, p - zone, 0);
    p = strchr(output, '\n') + 1;
    tap_is_str(p, "main:2: \"00000000000000000000000000000000000000000000000000"
               "00000000000002\" is not a name: label is longer than 63 "
               "octets\n", "label of 64 octets");

    /* 255 octets with the origin, of escapes and without, and 256 */

    for (i = 0; i < 3; i++) {
        p = zone;
        p += sprintf(p, "%0*d.%0*d.%0*d.%0*d", 63, 0, 63, 0, 63, 0,
                     (i == 2) ? 54 : 53, 0);

        if (i == 1) {
            p = zone + sprintf(zone, "%s", "\\048");
            p += sprintf(p, "%0*d.%0*d.%0*d.%0*d", 62, 0, 63, 0, 63, 0, 53, 0);
        }

        p += sprintf(p, " 5 A 192.0.2.1\n");
        (void) read_zone(zone, p - zone, 0);

        if (i < 2) {
            tap_ok(strstr(output, "main:") == NULL, "name of 255 octets: %s",
                   output);
        } else {
            tap_ok(strstr(output, "main:1: \"000") == output
                   && strstr(output, "is not a name: name is longer than 255 "
                             "octets") != NULL,
                   "name of 256 octets with its origin");
        }
    }

    /* a string of 255 and of 256 octets */

    p = zone + sprintf(zone, "a 5 TXT %0*d\na 5 TXT %0*d\n", 255, 0, 256, 0);
    (void) read_zone(zone, p - zone, 0);
    p = strchr(output, '\n') + 1;
    tap_ok(strstr(p, "main:2: \"000") == p
           && strstr(p, "...\" is longer than 255 octets\n") != NULL,
           "string of 256 octets");

    /* a line of 100 kB: rdata that is too long; the next line is read */

    p = zone + sprintf(zone, "a 5 TXT");

    for (i = 0; i < 1000; i++) {
        p += sprintf(p, " %0*d", 99, i);
    }

    p += sprintf(p, "\nb 5 A 192.0.2.1\n");
    (void) read_zone(zone, p - zone, 0);
    tap_ok(strstr(output, "b 5 A 192.0.2.1\nmain:1: ") == output
           && strstr(output, "rdata is ") != NULL, "rdata of 100 kB");

    /* a line of 700 kB that holds a little record */

    memset(zone, ' ', 700000);
    memcpy(zone, "a 5 A", 5);
    p = zone + 700000 + sprintf(zone + 700000, " 192.0.2.1\nb 5 A x\n");
    (void) read_zone(zone, p - zone, 0);
    tap_is_str(output, "main:2: \"x\" is not an IPv4 address\n",
               "line of 700 kB");

    free(zone);
}


/* a line without end is given up; memory is bounded */

static void
test_endless(void)
{
    static const char  zone[] = "a 5 A 192.0.2.1\nb 5 A ( ";

    endless = 1;

    tap_is_int(read_zone(zone, sizeof(zone) - 1, 0), NGX_ERROR, "endless line");
    tap_is_str(output, "a 5 A 192.0.2.1\n"
               "main:2: an entry is longer than 64 MiB, maybe a parenthesis is "
               "not closed\n", "why");

    endless = 0;
}


static void
test_failures(void)
{
    int  i;

    static const char  zone[] = "a 5 A 192.0.2.1\n$INCLUDE one\n%%one\n"
                                "b 5 TXT looooooooooooooooooooooooooong\n";

    broken = 1;
    tap_is_int(read_zone(zone, sizeof(zone) - 1, 0), NGX_ERROR, "read fails");
    tap_is_str(output, "main:1: cannot read: broken disk\n", "why");
    broken = 0;

    for (i = 0; i < 100; i++) {
        maps_left = i;

        if (read_zone(zone, sizeof(zone) - 1, 16) == NGX_OK) {
            break;
        }

        tap_ok(strstr(output, "no memory") != NULL, "map %d fails", i);
    }

    maps_left = -1;
    tap_ok(i > 3 && i < 100, "%d maps", i);
}


static void
test_progress(void)
{
    int    i;
    char  *zone, *p;

    zone = malloc(200000 * 30);
    p = zone;

    for (i = 0; i < 200000; i++) {
        p += sprintf(p, "h%d 5 A 192.0.2.1\n", i);
    }

    tap_is_int(read_zone(zone, p - zone, 0), NGX_OK, "200000 records");
    tap_is_int(progress, 3, "progress was told of");

    free(zone);
}
