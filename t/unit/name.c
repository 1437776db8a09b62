
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_name.h"


static void test_parse(void);
static void test_parse_limits(void);
static void test_hash(void);
static void test_order(void);
static void test_subdomain(void);
static void test_text(void);
static void test_text_errors(void);
static void test_round(void);
static size_t from_text(u_char *dst, const char *text, const char *origin);


static ngx_dns_key_t  key = { { 0x0123456789abcdefULL,
                                0xfedcba9876543211ULL } };


int
main(void)
{
    test_parse();
    test_parse_limits();
    test_hash();
    test_order();
    test_subdomain();
    test_text();
    test_text_errors();
    test_round();

    return tap_done();
}


static void
test_parse(void)
{
    u_char          *end;
    ngx_dns_name_t   name;
    static u_char    root[] = "";
    static u_char    odd[] = "\10@[`{\xc1\xda\xe9\x80";
    static u_char    wire[] = "\3WwW\7ExAmPlE\3cOm\0rest";

    end = ngx_dns_name_parse(&name, wire, wire + sizeof(wire) - 1, &key);

    tap_is_int(end - wire, 17, "parse: octets read");
    tap_is_int(name.len, 17, "parse: length");
    tap_is_int(name.labels, 3, "parse: labels");
    tap_is_mem(name.wire, name.len, "\3www\7example\3com", 17, "parse: folded");
    tap_is_mem(name.offset, 4, "\0\4\14\20", 4, "parse: offsets");

    end = ngx_dns_name_parse(&name, root, root + 1, &key);

    tap_ok(end != NULL && name.len == 1 && name.labels == 0, "parse: root");

    /* only A-Z are folded: the octets around them and above 127 are kept */

    end = ngx_dns_name_parse(&name, odd, odd + 10, &key);

    tap_ok(end != NULL && ngx_memcmp(name.wire, odd, 10) == 0,
           "parse: other octets are kept");
}


static void
test_parse_limits(void)
{
    u_char          *wire;
    ngx_uint_t       i, len;
    ngx_dns_name_t   name;

    /* 127 labels of one octet: 255 octets, the longest there is */

    wire = malloc(NGX_DNS_NAME_MAX + 2);

    for (i = 0; i < 127; i++) {
        wire[2 * i] = 1;
        wire[2 * i + 1] = 'A';
    }

    wire[254] = 0;

    tap_ok(ngx_dns_name_parse(&name, wire, wire + 255, &key) == wire + 255,
           "limits: 255 octets");
    tap_is_int(name.labels, 127, "limits: 127 labels");

    /* one more octet in the last label */

    wire[252] = 2;
    wire[254] = 'a';
    wire[255] = 0;

    tap_ok(ngx_dns_name_parse(&name, wire, wire + 256, &key) == NULL,
           "limits: 256 octets");

    free(wire);

    /* a name cut anywhere, each in memory of its own for the sanitizer */

    for (len = 0; len < 17; len++) {
        wire = malloc(len ? len : 1);
        ngx_memcpy(wire, "\3www\7example\3com", len);

        if (ngx_dns_name_parse(&name, wire, wire + len, &key) != NULL) {
            break;
        }

        free(wire);
    }

    tap_is_int(len, 17, "limits: cut names");

    /* label types 01, 10 and 11 */

    for (i = 0x40; i <= 0xff; i++) {
        u_char  type[300] = { 0 };

        type[0] = (u_char) i;

        if (ngx_dns_name_parse(&name, type, type + 300, &key) != NULL) {
            break;
        }
    }

    tap_is_int(i, 0x100, "limits: label types");
}


static void
test_hash(void)
{
    uint64_t         hash;
    ngx_uint_t       i;
    ngx_dns_key_t    other;
    ngx_dns_name_t   name, suffix, set;
    static u_char    wire[] = "\1a\10bbbbbbbb\20cccccccccccccccc\3com";

    (void) ngx_dns_name_parse(&name, wire, wire + sizeof(wire), &key);

    hash = ngx_dns_name_hash_root(&key);

    tap_ok(name.hash[name.labels] == hash, "hash: of the root");

    for (i = name.labels; i > 0; i--) {
        hash = ngx_dns_name_hash_label(name.wire + name.offset[i - 1], hash,
                                       &key);

        if (hash != name.hash[i - 1]) {
            break;
        }
    }

    tap_is_int(i, 0, "hash: label by label");

    (void) ngx_dns_name_parse(&suffix, name.wire + name.offset[2],
                              name.wire + name.len, &key);

    tap_ok(suffix.hash[0] == name.hash[2], "hash: of a suffix");

    ngx_dns_name_set(&set, name.wire, &key);

    tap_ok(set.len == name.len && set.labels == name.labels
           && ngx_memcmp(set.hash, name.hash,
                         (name.labels + 1) * sizeof(uint64_t)) == 0
           && ngx_memcmp(set.offset, name.offset, name.labels + 1) == 0,
           "hash: of a sound name");

    other = key;
    other.k[1] ^= 0x100;
    ngx_dns_name_set(&set, name.wire, &other);

    tap_ok(set.hash[0] != name.hash[0], "hash: another key");
}


/* the example of RFC 4034, 6.1, and cases around it */

static void
test_order(void)
{
    int                  want, got;
    ngx_uint_t           i, j, bad;
    static const u_char *names[] = {
        (u_char *) "",
        (u_char *) "\7example",
        (u_char *) "\1a\7example",
        (u_char *) "\10yljkjljk\1a\7example",
        (u_char *) "\1z\1a\7example",
        (u_char *) "\4zabc\1a\7example",
        (u_char *) "\1z\7example",
        (u_char *) "\1\1\1z\7example",
        (u_char *) "\1*\1z\7example",
        (u_char *) "\1\200\1z\7example",
        (u_char *) "\2\200a\1z\7example",
    };

    bad = 0;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (j = 0; j < sizeof(names) / sizeof(names[0]); j++) {

            want = (i > j) - (i < j);
            got = (int) ngx_dns_name_cmp(names[i], names[j]);
            got = (got > 0) - (got < 0);

            if (got != want) {
                printf("# %d against %d: %d\n", (int) i, (int) j, got);
                bad++;
            }
        }
    }

    tap_is_int(bad, 0, "order: canonical");
}


static void
test_subdomain(void)
{
    const u_char  *www, *apex;

    www = (const u_char *) "\3www\7example\3com";
    apex = (const u_char *) "\7example\3com";

    tap_is_int(ngx_dns_name_len(www), 17, "len");
    tap_is_int(ngx_dns_name_labels(www), 3, "labels");
    tap_is_int(ngx_dns_name_labels((u_char *) ""), 0, "labels of the root");
    tap_ok(ngx_dns_name_skip(www, 1) == www + 4, "skip one");
    tap_ok(ngx_dns_name_skip(www, 3) == www + 16, "skip all");

    tap_is_int(ngx_dns_name_is_subdomain(www, apex), NGX_OK, "below");
    tap_is_int(ngx_dns_name_is_subdomain(apex, apex), NGX_OK, "itself");
    tap_is_int(ngx_dns_name_is_subdomain(apex, www), NGX_DECLINED, "above");
    tap_is_int(ngx_dns_name_is_subdomain(www, (u_char *) ""), NGX_OK,
               "below the root");
    tap_is_int(ngx_dns_name_is_subdomain((u_char *) "\13wwwaexample\3com",
                                         apex),
               NGX_DECLINED, "ends alike");
    tap_is_int(ngx_dns_name_is_subdomain((u_char *) "\7example\3net", apex),
               NGX_DECLINED, "beside");
}


static void
test_text(void)
{
    size_t  len;
    u_char  dst[NGX_DNS_NAME_MAX + 1];

    len = from_text(dst, "WWW.Example.Com.", "\3net");
    tap_is_mem(dst, len, "\3www\7example\3com", 17, "text: absolute");

    len = from_text(dst, "www", "\7example\3com");
    tap_is_mem(dst, len, "\3www\7example\3com", 17, "text: relative");

    len = from_text(dst, "www.example.com", NULL);
    tap_is_mem(dst, len, "\3www\7example\3com", 17, "text: without origin");

    len = from_text(dst, "@", "\7example\3com");
    tap_is_mem(dst, len, "\7example\3com", 13, "text: @");

    len = from_text(dst, "\\@", "\3com");
    tap_is_mem(dst, len, "\1@\3com", 7, "text: escaped @");

    len = from_text(dst, ".", "\3com");
    tap_is_mem(dst, len, "", 1, "text: root");

    len = from_text(dst, "a\\.b.\\065\\000\\255.", NULL);
    tap_is_mem(dst, len, "\3a.b\3a\0\xff", 9, "text: escapes");
}


static void
test_text_errors(void)
{
    char            text[600];
    u_char          dst[NGX_DNS_NAME_MAX + 1];
    ngx_uint_t      i;
    const char    **bad;
    static const char  *list[] = {
        "", "..", ".a", "a..b", "a..", "\\", "\\25", "\\256", "\\2x5",
        "a.\\999.", NULL
    };

    for (bad = list; *bad; bad++) {
        tap_is_int(from_text(dst, *bad, "\3com"), 0, "text: \"%s\" is refused",
                   *bad);
    }

    ngx_memset(text, 'a', 63);
    text[63] = '\0';
    tap_is_int(from_text(dst, text, NULL), 65, "text: label of 63 octets");

    text[63] = 'a';
    text[64] = '\0';
    tap_is_int(from_text(dst, text, NULL), 0, "text: label of 64 octets");

    for (i = 0; i < 127; i++) {
        text[2 * i] = 'a';
        text[2 * i + 1] = '.';
    }

    text[254] = '\0';
    tap_is_int(from_text(dst, text, NULL), 255, "text: name of 255 octets");

    text[253] = 'a';
    text[254] = '.';
    text[255] = '\0';
    tap_is_int(from_text(dst, text, NULL), 0, "text: name of 256 octets");

    /* too long by its origin only */

    text[253] = '\0';
    tap_is_int(from_text(dst, text, "\3com"), 0, "text: too long by origin");
}


/* each octet in a label, written and read again */

static void
test_round(void)
{
    size_t       len;
    u_char      *end;
    u_char       name[4], dst[NGX_DNS_NAME_MAX + 1];
    ngx_uint_t   i;
    static char  text[NGX_DNS_NAME_TEXT_MAX + 1];

    for (i = 0; i < 256; i++) {

        name[0] = 1;
        name[1] = (u_char) i;
        name[2] = 0;

        ngx_dns_name_lower(name, name, 3);

        end = ngx_dns_name_to_text((u_char *) text, name);
        *end = '\0';

        len = from_text(dst, text, "\3com");

        if (len != 3 || ngx_memcmp(dst, name, 3) != 0) {
            printf("# octet %d as \"%s\"\n", (int) i, text);
            break;
        }
    }

    tap_is_int(i, 256, "round trip of each octet");

    end = ngx_dns_name_to_text((u_char *) text, (u_char *) "");
    tap_is_mem(text, end - (u_char *) text, ".", 1, "text of the root");

    end = ngx_dns_name_to_text((u_char *) text,
                               (u_char *) "\3a.b\4\" \\\177\3com");
    tap_is_mem(text, end - (u_char *) text, "a\\.b.\\\"\\032\\\\\\127.com.", 22,
               "text with escapes");
}


static size_t
from_text(u_char *dst, const char *text, const char *origin)
{
    size_t       len;
    ngx_str_t    s;
    const char  *err;

    s.data = (u_char *) text;
    s.len = ngx_strlen(text);
    err = NULL;

    len = ngx_dns_name_from_text(dst, &s, (const u_char *) origin, &err);

    if (len == 0 && err == NULL) {
        tap_ok(0, "text: \"%s\" gives no reason", text);
    }

    return len;
}
