
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * The lines "address" and "choose" of a pool.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_pool.h"
#include "ngx_dns_rdata.h"


#define NGX_DNS_POOL_QUOTE     100      /* octets of a word in a message */
#define NGX_DNS_POOL_LIST_MAX  4096     /* elements */
#define NGX_DNS_POOL_MAX       4096     /* addresses */

#define NGX_DNS_POOL_COUNT     0x01     /* what a word of "choose" says */
#define NGX_DNS_POOL_ORDER     0x02
#define NGX_DNS_POOL_PLACES    0x04
#define NGX_DNS_POOL_NO_MATCH  0x08


/*
 * Reads an element of a list; p has room for 4 octets.  NGX_OK: anybody,
 * NGX_DONE: p is set, NGX_ERROR: it is none.
 */

typedef ngx_int_t (*ngx_dns_pool_element_pt)(ngx_str_t *text, u_char *p);

typedef struct {
    const char                *name;
    ngx_dns_pool_element_pt    read;
    size_t                     size;    /* octets of an element */
    const char                *bad;
    size_t                     n;       /* in ngx_dns_choice_rr_t */
    size_t                     list;
} ngx_dns_pool_list_t;

typedef struct {
    const char                *name;
    uint8_t                    what;    /* NGX_DNS_POOL_COUNT, ... */
    uint8_t                    value;
} ngx_dns_pool_word_t;


static ngx_int_t ngx_dns_pool_address(ngx_dns_pool_t *p, ngx_str_t *words,
    ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_dns_pool_inet(ngx_dns_pool_address_t *a, ngx_str_t *text);
static ngx_int_t ngx_dns_pool_address_param(ngx_dns_pool_t *p,
    ngx_dns_pool_address_t *a, ngx_str_t *word, ngx_uint_t *seen,
    ngx_str_t *err);
static ngx_int_t ngx_dns_pool_read_list(ngx_dns_pool_t *p,
    ngx_dns_pool_list_t *list, ngx_str_t *value, ngx_dns_choice_rr_t *rr,
    ngx_str_t *err);
static ngx_int_t ngx_dns_pool_country(ngx_str_t *text, u_char *p);
static ngx_int_t ngx_dns_pool_continent(ngx_str_t *text, u_char *p);
static ngx_int_t ngx_dns_pool_asn(ngx_str_t *text, u_char *p);
static ngx_int_t ngx_dns_pool_network(ngx_str_t *text, u_char *p);
static ngx_int_t ngx_dns_pool_choose(ngx_dns_pool_t *p, ngx_str_t *words,
    ngx_uint_t n, ngx_str_t *err);
static ngx_dns_pool_word_t *ngx_dns_pool_choice(ngx_str_t *word);
static ngx_uint_t ngx_dns_pool_places(ngx_str_t *word);


static ngx_dns_pool_list_t  ngx_dns_pool_lists[] = {

    { "country", ngx_dns_pool_country, 2, "is not a code of two letters",
      offsetof(ngx_dns_choice_rr_t, ncountries),
      offsetof(ngx_dns_choice_rr_t, countries) },

    { "continent", ngx_dns_pool_continent, 2,
      "is none of AF, AN, AS, EU, NA, OC, SA",
      offsetof(ngx_dns_choice_rr_t, ncontinents),
      offsetof(ngx_dns_choice_rr_t, continents) },

    { "asn", ngx_dns_pool_asn, 4, "is not the number of a system",
      offsetof(ngx_dns_choice_rr_t, nasns),
      offsetof(ngx_dns_choice_rr_t, asns) },

    { "network", ngx_dns_pool_network, 4, "is not the name of a network",
      offsetof(ngx_dns_choice_rr_t, nnetworks),
      offsetof(ngx_dns_choice_rr_t, networks) }
};

#define NGX_DNS_POOL_LISTS                                                    \
    (sizeof(ngx_dns_pool_lists) / sizeof(ngx_dns_pool_lists[0]))

#define NGX_DNS_POOL_WEIGHT    NGX_DNS_POOL_LISTS
#define NGX_DNS_POOL_PRIORITY  (NGX_DNS_POOL_LISTS + 1)


static ngx_dns_pool_word_t  ngx_dns_pool_words[] = {
    { "multi", NGX_DNS_POOL_COUNT, NGX_DNS_CHOICE_MULTI },
    { "single", NGX_DNS_POOL_COUNT, NGX_DNS_CHOICE_SINGLE },
    { "none", NGX_DNS_POOL_ORDER, NGX_DNS_CHOICE_NONE },
    { "weighted", NGX_DNS_POOL_ORDER, NGX_DNS_CHOICE_WEIGHTED },
    { "rr", NGX_DNS_POOL_ORDER, NGX_DNS_CHOICE_RR },
    { "sticky", NGX_DNS_POOL_ORDER, NGX_DNS_CHOICE_STICKY },
    { "no_match=all", NGX_DNS_POOL_NO_MATCH, 0 },
    { "no_match=none", NGX_DNS_POOL_NO_MATCH, NGX_DNS_CHOICE_NO_MATCH },
    { NULL, 0, 0 }
};

static ngx_dns_pool_word_t  ngx_dns_pool_steps[] = {
    { "network", NGX_DNS_POOL_PLACES, NGX_DNS_CHOICE_NETWORK },
    { "asn", NGX_DNS_POOL_PLACES, NGX_DNS_CHOICE_ASN },
    { "country", NGX_DNS_POOL_PLACES, NGX_DNS_CHOICE_COUNTRY },
    { "continent", NGX_DNS_POOL_PLACES, NGX_DNS_CHOICE_CONTINENT },
    { "location", NGX_DNS_POOL_PLACES, NGX_DNS_CHOICE_LOCATION },
    { NULL, 0, 0 }
};


ngx_dns_pool_t *
ngx_dns_pool_create(ngx_pool_t *pool, ngx_str_t *name, ngx_str_t *err)
{
    u_char           ch;
    size_t           i;
    ngx_dns_pool_t  *p;

    if (name->len == 0 || name->len > NGX_DNS_POOL_NAME_MAX) {
        (void) ngx_dns_pool_err(err, "the name of a pool has 1 to %d octets",
                                NGX_DNS_POOL_NAME_MAX);
        return NULL;
    }

    for (i = 0; i < name->len; i++) {
        ch = name->data[i];

        if ((ch < 'A' || ch > 'Z') && (ch < 'a' || ch > 'z')
            && (ch < '0' || ch > '9') && ch != '.' && ch != '-' && ch != '_')
        {
            (void) ngx_dns_pool_err_word(err, name, "is not the name of a "
                                "pool: letters, digits, \".\", \"-\", \"_\"");
            return NULL;
        }
    }

    p = ngx_pcalloc(pool, sizeof(ngx_dns_pool_t));

    if (p == NULL
        || ngx_array_init(&p->addresses, pool, 8,
                          sizeof(ngx_dns_pool_address_t))
           != NGX_OK)
    {
        (void) ngx_dns_pool_err(err, "no memory");
        return NULL;
    }

    p->name = *name;
    p->pool = pool;

    return p;
}


ngx_int_t
ngx_dns_pool_line(ngx_dns_pool_t *p, ngx_str_t *words, ngx_uint_t n,
    ngx_str_t *err)
{
    if (n == 0) {
        return ngx_dns_pool_err(err, "an empty line");
    }

    if (ngx_strcmp(words[0].data, "address") == 0) {
        return ngx_dns_pool_address(p, words + 1, n - 1, err);
    }

    if (ngx_strcmp(words[0].data, "choose") == 0) {
        return ngx_dns_pool_choose(p, words + 1, n - 1, err);
    }

    if (ngx_strcmp(words[0].data, "health_check") == 0) {
        return ngx_dns_pool_check(p, words + 1, n - 1, err);
    }

    return ngx_dns_pool_err_word(err, &words[0], "is not known in a pool: "
                                 "address, choose, health_check");
}


static ngx_int_t
ngx_dns_pool_address(ngx_dns_pool_t *p, ngx_str_t *words, ngx_uint_t n,
    ngx_str_t *err)
{
    ngx_uint_t               i, seen;
    ngx_dns_pool_address_t  *a, one;

    if (n == 0) {
        return ngx_dns_pool_err(err, "\"address\" without an address");
    }

    ngx_memzero(&one, sizeof(ngx_dns_pool_address_t));

    one.rr.countries = (u_char *) "";
    one.rr.continents = (u_char *) "";
    one.rr.asns = (u_char *) "";
    one.rr.networks = (u_char *) "";

    if (ngx_dns_pool_inet(&one, &words[0]) != NGX_OK) {
        return ngx_dns_pool_err_word(err, &words[0], "is not an address");
    }

    a = p->addresses.elts;

    for (i = 0; i < p->addresses.nelts; i++) {
        if (a[i].len == one.len
            && ngx_memcmp(a[i].address, one.address, one.len) == 0)
        {
            return ngx_dns_pool_err_word(err, &words[0],
                                         "is an address of the pool already");
        }
    }

    seen = 0;

    for (i = 1; i < n; i++) {
        if (ngx_dns_pool_address_param(p, &one, &words[i], &seen, err)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (p->addresses.nelts == NGX_DNS_POOL_MAX) {
        return ngx_dns_pool_err(err, "too many addresses");
    }

    a = ngx_array_push(&p->addresses);
    if (a == NULL) {
        return ngx_dns_pool_err(err, "no memory");
    }

    *a = one;

    return NGX_OK;
}


/* what zone files accept, too */

static ngx_int_t
ngx_dns_pool_inet(ngx_dns_pool_address_t *a, ngx_str_t *text)
{
    size_t      i;
    u_char      reason[NGX_DNS_SCAN_ERROR], ch;
    ssize_t     n;
    ngx_str_t   err;
    ngx_uint_t  type;

    type = NGX_DNS_TYPE_A;

    for (i = 0; i < text->len; i++) {
        ch = text->data[i];

        if (ch == ':') {
            type = NGX_DNS_TYPE_AAAA;

        } else if ((ch < '0' || ch > '9') && ch != '.'
                   && ((ch | 0x20) < 'a' || (ch | 0x20) > 'f'))
        {
            return NGX_ERROR;
        }
    }

    err.data = reason;

    n = ngx_dns_rdata_from_text(type, text, NULL, a->address,
                                sizeof(a->address), &err);
    if (n < 0) {
        return NGX_ERROR;
    }

    a->len = (uint16_t) n;

    return NGX_OK;
}


/* seen: a bit for each parameter that has been given */

static ngx_int_t
ngx_dns_pool_address_param(ngx_dns_pool_t *p, ngx_dns_pool_address_t *a,
    ngx_str_t *word, ngx_uint_t *seen, ngx_str_t *err)
{
    int64_t     n;
    ngx_str_t   value;
    ngx_uint_t  i;

    for (i = 0; i < NGX_DNS_POOL_LISTS; i++) {
        if (ngx_dns_pool_param(word, ngx_dns_pool_lists[i].name, &value)
            == NGX_OK)
        {
            break;
        }
    }

    n = 0;

    if (i < NGX_DNS_POOL_LISTS) {

        if (ngx_dns_pool_read_list(p, &ngx_dns_pool_lists[i], &value, &a->rr,
                                   err)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

    } else if (ngx_dns_pool_param(word, "weight", &value) == NGX_OK) {
        i = NGX_DNS_POOL_WEIGHT;
        n = ngx_dns_pool_number(&value, 0xffffffff);
        a->rr.weight = (uint32_t) n;
        a->weighted = 1;

    } else if (ngx_dns_pool_param(word, "priority", &value) == NGX_OK) {
        i = NGX_DNS_POOL_PRIORITY;
        n = ngx_dns_pool_number(&value, 65535);
        a->rr.priority = (uint16_t) n;

    } else {
        return ngx_dns_pool_err_word(err, word,
                                     "is not a parameter of \"address\"");
    }

    if (n == NGX_ERROR) {
        return ngx_dns_pool_err_word(err, word,
                                     (i == NGX_DNS_POOL_WEIGHT)
                                     ? "is out of range: 0 to 4294967295"
                                     : "is out of range: 0 to 65535");
    }

    if (*seen & ((ngx_uint_t) 1 << i)) {
        return ngx_dns_pool_err_word(err, word, "is a duplicate parameter");
    }

    *seen |= (ngx_uint_t) 1 << i;

    return NGX_OK;
}


/* elements joined by commas; a list of nothing but "anybody" is empty */

static ngx_int_t
ngx_dns_pool_read_list(ngx_dns_pool_t *p, ngx_dns_pool_list_t *list,
    ngx_str_t *value, ngx_dns_choice_rr_t *rr, ngx_str_t *err)
{
    u_char     *octets, *q, *end, *last, buf[4];
    ngx_int_t   rc;
    ngx_str_t   element;
    ngx_uint_t  n, some;

    last = value->data + value->len;
    n = 1;

    for (q = value->data; q < last; q++) {
        n += (*q == ',');
    }

    if (n > NGX_DNS_POOL_LIST_MAX) {
        return ngx_dns_pool_err(err, "\"%s\" has too many elements",
                                list->name);
    }

    octets = ngx_pnalloc(p->pool, n * list->size);
    if (octets == NULL) {
        return ngx_dns_pool_err(err, "no memory");
    }

    *(const u_char **) ((u_char *) rr + list->list) = octets;

    some = 0;

    for (q = value->data; /* void */ ; q = end + 1) {

        for (end = q; end < last && *end != ','; end++) { /* void */ }

        element.data = q;
        element.len = end - q;

        ngx_memzero(buf, sizeof(buf));

        rc = NGX_OK;

        if (element.len != 1 || *q != '*') {
            rc = list->read(&element, buf);
        }

        if (rc == NGX_ERROR) {
            return ngx_dns_pool_err_word(err, &element, list->bad);
        }

        some |= (rc == NGX_DONE);
        octets = ngx_cpymem(octets, buf, list->size);

        if (end == last) {
            break;
        }
    }

    *(uint16_t *) ((u_char *) rr + list->n) = (uint16_t) (some ? n : 0);

    return NGX_OK;
}


static ngx_int_t
ngx_dns_pool_country(ngx_str_t *text, u_char *p)
{
    if (text->len != 2) {
        return NGX_ERROR;
    }

    p[0] = ngx_toupper(text->data[0]);
    p[1] = ngx_toupper(text->data[1]);

    return (p[0] >= 'A' && p[0] <= 'Z' && p[1] >= 'A' && p[1] <= 'Z')
           ? NGX_DONE : NGX_ERROR;
}


static ngx_int_t
ngx_dns_pool_continent(ngx_str_t *text, u_char *p)
{
    const char  *codes;

    if (ngx_dns_pool_country(text, p) != NGX_DONE) {
        return NGX_ERROR;
    }

    for (codes = "AFANASEUNAOCSA"; *codes != '\0'; codes += 2) {
        if (p[0] == (u_char) codes[0] && p[1] == (u_char) codes[1]) {
            return NGX_DONE;
        }
    }

    return NGX_ERROR;
}


/* a number, or "AS" in front of it */

static ngx_int_t
ngx_dns_pool_asn(ngx_str_t *text, u_char *p)
{
    int64_t    n;
    ngx_str_t  number;

    number = *text;

    if (number.len > 2
        && ngx_strncasecmp(number.data, (u_char *) "AS", 2) == 0)
    {
        number.data += 2;
        number.len -= 2;
    }

    n = ngx_dns_pool_number(&number, 0xffffffff);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    (void) ngx_dns_put32(p, (uint32_t) n);

    return (n == 0) ? NGX_OK : NGX_DONE;
}


static ngx_int_t
ngx_dns_pool_network(ngx_str_t *text, u_char *p)
{
    if (text->len == 0) {
        return NGX_ERROR;
    }

    (void) ngx_dns_put32(p, ngx_dns_network_id(text->data, text->len));

    return NGX_DONE;
}


static ngx_int_t
ngx_dns_pool_choose(ngx_dns_pool_t *p, ngx_str_t *words, ngx_uint_t n,
    ngx_str_t *err)
{
    ngx_uint_t            i, seen, places;
    ngx_dns_pool_word_t  *word, steps;

    if (p->chosen) {
        return ngx_dns_pool_err(err, "a second \"choose\"");
    }

    if (n == 0) {
        return ngx_dns_pool_err(err, "\"choose\" without a word");
    }

    p->chosen = 1;
    seen = 0;

    for (i = 0; i < n; i++) {
        word = ngx_dns_pool_choice(&words[i]);

        if (word == NULL) {
            places = ngx_dns_pool_places(&words[i]);

            if (places == 0) {
                return ngx_dns_pool_err_word(err, &words[i],
                                             "is not a word of \"choose\"");
            }

            steps.what = NGX_DNS_POOL_PLACES;
            steps.value = (uint8_t) places;
            word = &steps;
        }

        if (seen & word->what) {
            return ngx_dns_pool_err_word(err, &words[i],
                                         "says again what another word of "
                                         "\"choose\" has said");
        }

        seen |= word->what;

        switch (word->what) {

        case NGX_DNS_POOL_COUNT:
            p->head.count = word->value;
            break;

        case NGX_DNS_POOL_ORDER:
            p->head.order = word->value;
            break;

        case NGX_DNS_POOL_PLACES:
            p->head.steps = word->value;
            break;

        default: /* NGX_DNS_POOL_NO_MATCH */
            p->head.flags |= word->value;
        }
    }

    return NGX_OK;
}


static ngx_dns_pool_word_t *
ngx_dns_pool_choice(ngx_str_t *word)
{
    ngx_dns_pool_word_t  *w;

    for (w = ngx_dns_pool_words; w->name != NULL; w++) {
        if (ngx_strcmp(word->data, w->name) == 0) {
            return w;
        }
    }

    return NULL;
}


/* places joined by "+"; 0: something else is in it, or one is there twice */

static ngx_uint_t
ngx_dns_pool_places(ngx_str_t *word)
{
    u_char               *p, *end, *last;
    ngx_uint_t            steps;
    ngx_dns_pool_word_t  *w;

    last = word->data + word->len;
    steps = 0;

    for (p = word->data; /* void */ ; p = end + 1) {

        for (end = p; end < last && *end != '+'; end++) { /* void */ }

        for (w = ngx_dns_pool_steps; w->name != NULL; w++) {
            if ((size_t) (end - p) == ngx_strlen(w->name)
                && ngx_memcmp(p, w->name, end - p) == 0)
            {
                break;
            }
        }

        if (w->name == NULL || (steps & w->value)) {
            return 0;
        }

        steps |= w->value;

        if (end == last) {
            return steps;
        }
    }
}


ngx_int_t
ngx_dns_pool_param(ngx_str_t *word, const char *name, ngx_str_t *value)
{
    size_t  n;

    n = ngx_strlen(name);

    if (word->len <= n || ngx_memcmp(word->data, name, n) != 0
        || word->data[n] != '=')
    {
        return NGX_DECLINED;
    }

    value->data = word->data + n + 1;
    value->len = word->len - n - 1;

    return NGX_OK;
}


int64_t
ngx_dns_pool_number(ngx_str_t *text, int64_t max)
{
    size_t   i;
    int64_t  n;

    if (text->len == 0) {
        return NGX_ERROR;
    }

    n = 0;

    for (i = 0; i < text->len; i++) {

        if (text->data[i] < '0' || text->data[i] > '9') {
            return NGX_ERROR;
        }

        n = n * 10 + (text->data[i] - '0');

        if (n > max) {
            return NGX_ERROR;
        }
    }

    return n;
}


ngx_int_t
ngx_dns_pool_err(ngx_str_t *err, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    err->len = ngx_vslprintf(err->data, err->data + NGX_DNS_POOL_ERROR, fmt,
                             args)
               - err->data;
    va_end(args);

    return NGX_ERROR;
}


/* odd octets become "?" */

ngx_int_t
ngx_dns_pool_err_word(ngx_str_t *err, ngx_str_t *word, const char *what)
{
    size_t      i, n;
    u_char      text[NGX_DNS_POOL_QUOTE];
    ngx_uint_t  cut;

    n = ngx_min(word->len, NGX_DNS_POOL_QUOTE);
    cut = (n < word->len);

    for (i = 0; i < n; i++) {
        text[i] = word->data[i];

        if (text[i] < ' ' || text[i] > '~') {
            text[i] = '?';
        }
    }

    return ngx_dns_pool_err(err, "\"%*s%s\" %s", n, text, cut ? "..." : "",
                            what);
}
