
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The table of RR types: numbers, names and flags.
 */


#include "shim.h"
#include "tap.h"
#include "ngx_dns_rr.h"


static void test_row(ngx_uint_t type);
static void test_names(void);
static void test_classes(void);
static void test_compress(void);
static ngx_int_t type_of(const char *text);
static ngx_int_t class_of(const char *text);


int
main(void)
{
    ngx_uint_t  type, n;

    n = 0;

    for (type = 0; type < 70000; type++) {

        if (ngx_dns_rr(type)->name.len != 0) {
            test_row(type);
            n++;
        }
    }

    tap_is_int(n, 88, "number of types with names");

    test_names();
    test_classes();
    test_compress();

    return tap_done();
}


static void
test_row(ngx_uint_t type)
{
    char           text[32];
    u_char        *p;
    ngx_uint_t     i;
    ngx_dns_rr_t  *rr;

    rr = ngx_dns_rr(type);

    tap_is_int(rr->type, type, "%s has its number", rr->name.data);

    for (i = 0; i < rr->name.len; i++) {
        text[i] = (char) ngx_tolower(rr->name.data[i]);
    }

    text[i] = '\0';

    tap_is_int(type_of((char *) rr->name.data), type, "%s", rr->name.data);
    tap_is_int(type_of(text), type, "%s", text);

    /* neither more letters nor fewer */

    text[i] = 'x';
    text[i + 1] = '\0';
    tap_is_int(type_of(text), NGX_ERROR, "%s", text);

    snprintf(text, sizeof(text), "Type%u", (unsigned) type);
    tap_is_int(type_of(text), type, "%s", text);

    p = ngx_dns_rr_type_text((u_char *) text, type);
    tap_is_mem(text, p - (u_char *) text, rr->name.data, rr->name.len,
               "%s as text", rr->name.data);

    for (i = 0; i < NGX_DNS_RD_MAX; i++) {
        if (rr->fields[i] == NGX_DNS_RD_END) {
            break;
        }

        if (rr->fields[i] >= NGX_DNS_RD_COUNT) {
            break;
        }
    }

    tap_ok(i > 0 && i < NGX_DNS_RD_MAX && rr->fields[i] == NGX_DNS_RD_END,
           "%s has its fields", rr->name.data);
}


static void
test_names(void)
{
    u_char        *p, text[NGX_DNS_RR_TEXT_MAX];
    ngx_uint_t     i;
    ngx_dns_rr_t  *unknown;

    static const char  *wrong[] = {
        "", "TYPE", "TYPE65536", "TYPE-1", "TYPE1x", "TYPE000001", "TYPEA",
        "AA", "AAA", "AAAAA", "!", "N", "NX", "MY", "TXTT", "TYP1", "ZZZ", "0",
        "1", "\xff", "NSEC3PARAMS"
    };

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        tap_is_int(type_of(wrong[i]), NGX_ERROR, "no type: \"%s\"", wrong[i]);
    }

    tap_is_int(type_of("TYPE65280"), 65280, "TYPE65280");
    tap_is_int(type_of("type00001"), 1, "type00001");

    unknown = ngx_dns_rr(65280);

    tap_ok(unknown->type == 0 && unknown->flags == 0, "unknown type");
    tap_ok(ngx_dns_rr(54) == unknown, "gap in the table");
    tap_ok(ngx_dns_rr(0) == unknown, "type 0");
    tap_ok(ngx_dns_rr(32767) == unknown, "type in front of TA");
    tap_ok(ngx_dns_rr(32770) == unknown, "type behind DLV");
    tap_ok(ngx_dns_rr(65535) == unknown, "last type");

    p = ngx_dns_rr_type_text(text, 65535);
    tap_is_mem(text, p - text, "TYPE65535", 9, "text of an unknown type");

    p = ngx_dns_rr_type_text(text, 0);
    tap_is_mem(text, p - text, "TYPE0", 5, "text of type 0");
}


static void
test_classes(void)
{
    u_char      *p, text[NGX_DNS_RR_TEXT_MAX];
    ngx_uint_t   i;

    static const struct {
        ngx_int_t    class;
        const char  *name;
    } classes[] = {
        { 1, "IN" }, { 3, "CH" }, { 4, "HS" }, { 254, "NONE" }, { 255, "ANY" },
        { 2, "CLASS2" }, { 65535, "CLASS65535" }, { 0, "CLASS0" }
    };

    for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        tap_is_int(class_of(classes[i].name), classes[i].class, "%s",
                   classes[i].name);

        p = ngx_dns_rr_class_text(text, classes[i].class);
        tap_is_mem(text, p - text, classes[i].name, strlen(classes[i].name),
                   "text of class %d", (int) classes[i].class);
    }

    tap_is_int(class_of("in"), 1, "in");
    tap_is_int(class_of("class1"), 1, "class1");
    tap_is_int(class_of("any"), 255, "any");
    tap_is_int(class_of(""), NGX_ERROR, "no class: empty");
    tap_is_int(class_of("A"), NGX_ERROR, "no class: A");
    tap_is_int(class_of("INN"), NGX_ERROR, "no class: INN");
    tap_is_int(class_of("NS"), NGX_ERROR, "no class: NS");
    tap_is_int(class_of("CLASS"), NGX_ERROR, "no class: CLASS");
    tap_is_int(class_of("CLASS65536"), NGX_ERROR, "no class: CLASS65536");
}


/* RFC 3597, 4: only the types of RFC 1035 may have short names */

static void
test_compress(void)
{
    ngx_uint_t     type, wrong;
    ngx_dns_rr_t  *rr;

    wrong = 0;

    for (type = 1; type < 65536; type++) {
        rr = ngx_dns_rr(type);

        if ((rr->flags & NGX_DNS_RR_COMPRESS) && type > NGX_DNS_TYPE_TXT) {
            wrong++;
        }

        if ((rr->flags & NGX_DNS_RR_COMPRESS)
            && !(rr->flags & NGX_DNS_RR_LOWCASE))
        {
            wrong++;
        }
    }

    tap_is_int(wrong, 0, "flags");
}


static ngx_int_t
type_of(const char *text)
{
    return ngx_dns_rr_type((u_char *) text, strlen(text));
}


static ngx_int_t
class_of(const char *text)
{
    return ngx_dns_rr_class((u_char *) text, strlen(text));
}
