
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>

#include "ngx_stream_dns_syncer.h"


/*
 * From the reply of a transaction to a compiled zone.  Runs in threads too:
 * it looks at what it is given only, and takes memory from malloc() and from
 * ct->mem.
 */


/* what is in the zone: digested first, decoded if need be */

typedef struct {
    ngx_uint_t        kind;             /* a letter, for the digest */
    ngx_str_t         label;
    ngx_str_t         type;
    ngx_str_t         name;             /* of the digest: both */
    ngx_str_t         value;
} ngx_stream_dns_item_t;

#define NGX_STREAM_DNS_ITEM_CONFIG  'c'
#define NGX_STREAM_DNS_ITEM_FIELD   'f'
#define NGX_STREAM_DNS_ITEM_MEMBER  'm'
#define NGX_STREAM_DNS_ITEM_RRSET   'r'
#define NGX_STREAM_DNS_ITEM_WRONG   'w'
#define NGX_STREAM_DNS_ITEM_KEY     'k'


/* a label of L4 */

typedef struct {
    ngx_str_t         label;
    uint32_t          hash;
    unsigned          member:1;         /* it is in the set */
    unsigned          known:1;          /* the names of its keys are */
    unsigned          filled:1;         /* it has keys */
} ngx_stream_dns_label_t;

typedef struct {
    ngx_stream_dns_content_t  *ct;
    ngx_dns_datum_t           *reply;

    ngx_stream_dns_item_t     *items;
    size_t                     nitems;
    ngx_stream_dns_label_t    *labels;  /* a hash */
    u_char                   **tails;   /* a hash of those met so far */
    size_t                     size;    /* places in each of them */
    size_t                     value;   /* of reply, to be taken next */
    size_t                     part;    /* of it, if it is of MGET */
    uint64_t                   digest;
} ngx_stream_dns_values_t;


static ngx_uint_t ngx_stream_dns_content_layout(
    ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_signed(ngx_str_t *config);
static ngx_uint_t ngx_stream_dns_content_values(ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_head(ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_fields(ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_labels(ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_tails(ngx_stream_dns_values_t *v);
static ngx_dns_datum_t *ngx_stream_dns_content_value(
    ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_tail(ngx_stream_dns_values_t *v,
    u_char *entry, ngx_str_t *tail, ngx_dns_datum_t *value);
static ngx_uint_t ngx_stream_dns_content_twice(ngx_stream_dns_values_t *v,
    u_char *entry);
static size_t ngx_stream_dns_content_count(ngx_stream_dns_tails_t *tails);
static ngx_uint_t ngx_stream_dns_content_hollow(ngx_stream_dns_values_t *v);
static ngx_stream_dns_label_t *ngx_stream_dns_content_label(
    ngx_stream_dns_values_t *v, ngx_str_t *label);
static ngx_stream_dns_item_t *ngx_stream_dns_content_item(
    ngx_stream_dns_values_t *v, ngx_uint_t kind);
static ngx_uint_t ngx_stream_dns_content_error(ngx_stream_dns_values_t *v,
    ngx_dns_datum_t *reply);
static void ngx_stream_dns_content_digest(ngx_stream_dns_values_t *v);
static ngx_uint_t ngx_stream_dns_content_build(ngx_stream_dns_values_t *v);
static void ngx_stream_dns_content_failed(ngx_stream_dns_values_t *v);
static ngx_int_t ngx_stream_dns_content_add(ngx_dns_build_t *b,
    ngx_stream_dns_item_t *item);
static void ngx_stream_dns_content_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text);


#define ngx_stream_dns_reply_is(r, s)                                        \
    ((r)->str.len == sizeof(s) - 1                                           \
     && ngx_memcmp((r)->str.data, s, sizeof(s) - 1) == 0)


void
ngx_stream_dns_content(ngx_stream_dns_content_t *ct)
{
    ngx_stream_dns_values_t  v;

    ngx_memzero(&v, sizeof(ngx_stream_dns_values_t));

    v.ct = ct;
    v.reply = ct->read->reply;

    ct->rep.report = ngx_stream_dns_content_report;
    ct->rep.data = ct;

    ct->result = ngx_stream_dns_content_layout(&v);

    if (ct->result == NGX_STREAM_DNS_CONTENT_BUILT) {
        ct->result = ngx_stream_dns_content_values(&v);
    }

    if (ct->result == NGX_STREAM_DNS_CONTENT_BUILT) {
        ngx_stream_dns_content_digest(&v);

        if (ct->last != NULL && !ct->rebuild && ct->last->digest == v.digest)
        {
            ct->result = NGX_STREAM_DNS_CONTENT_SAME;

        } else {
            ct->result = ngx_stream_dns_content_build(&v);
        }
    }

    if (ct->read->many && ct->result == NGX_STREAM_DNS_CONTENT_ERROR
        && ct->error.len > 6
        && (ngx_strncmp(ct->error.data, "NOPERM", 6) == 0
            || ngx_strncmp(ct->error.data, "ERR un", 6) == 0))
    {
        /* MGET is not allowed, or unknown */

        ct->result = NGX_STREAM_DNS_CONTENT_HIDDEN;
    }

    if (ct->last == NULL
        && (ct->result == NGX_STREAM_DNS_CONTENT_WRONG
            || ct->result == NGX_STREAM_DNS_CONTENT_ERROR))
    {
        ngx_stream_dns_content_failed(&v);
    }

    free(v.items);
    free(v.labels);
    free(v.tails);
}


/*
 * Which layout the zone has.  A hash comes first: while a zone is moved from
 * a hash to keys of its own, the hash is whole until it is deleted.
 */

static ngx_uint_t
ngx_stream_dns_content_layout(ngx_stream_dns_values_t *v)
{
    ngx_dns_datum_t           *reply, *hash, *set, *config;
    ngx_stream_dns_read_t     *read;
    ngx_stream_dns_content_t  *ct;

    ct = v->ct;
    read = ct->read;
    reply = v->reply;

    if (reply->type != NGX_DNS_REPLY_ARRAY
        || reply->n < NGX_STREAM_DNS_READ_REST)
    {
        return ngx_stream_dns_content_error(v, reply);
    }

    hash = reply->elts[NGX_STREAM_DNS_READ_HASH];
    set = reply->elts[NGX_STREAM_DNS_READ_SET];
    config = reply->elts[NGX_STREAM_DNS_READ_CONFIG];

    if (hash->type != NGX_DNS_REPLY_STATUS) {
        return ngx_stream_dns_content_error(v, hash);
    }

    if (set->type != NGX_DNS_REPLY_STATUS) {
        return ngx_stream_dns_content_error(v, set);
    }

    if (ngx_stream_dns_reply_is(hash, "hash")) {
        ct->layout = NGX_STREAM_DNS_LAYOUT_HASH;

    } else if (ngx_stream_dns_reply_is(set, "set")) {
        ct->layout = NGX_STREAM_DNS_LAYOUT_SET;

    } else if (!ngx_stream_dns_reply_is(hash, "none")
               || !ngx_stream_dns_reply_is(set, "none"))
    {
        return NGX_STREAM_DNS_CONTENT_WRONG;

    } else if (config->type == NGX_DNS_REPLY_NIL) {
        return NGX_STREAM_DNS_CONTENT_NONE;
    }

    if (ct->layout != NGX_STREAM_DNS_LAYOUT_UNKNOWN
        && ct->layout != read->layout)
    {
        return NGX_STREAM_DNS_CONTENT_LAYOUT;
    }

    if (config->type == NGX_DNS_REPLY_STRING
        && !read->keys
        && ngx_stream_dns_content_signed(&config->str))
    {
        ct->keys = 1;
        return NGX_STREAM_DNS_CONTENT_LAYOUT;
    }

    return NGX_STREAM_DNS_CONTENT_BUILT;
}


/* 1: it may be that the config says "dnssec": true */

static ngx_uint_t
ngx_stream_dns_content_signed(ngx_str_t *config)
{
    u_char  *p, *last;

    p = config->data;
    last = p + config->len;

    for ( ;; ) {
        p = ngx_strlcasestrn(p, last, (u_char *) "dnssec", 6 - 1);
        if (p == NULL) {
            return 0;
        }

        p += 6;

        while (p < last
               && (*p == '"' || *p == ':' || *p == ' ' || *p == '\t'
                   || *p == CR || *p == LF))
        {
            p++;
        }

        if (p == last || *p != 'f') {
            return 1;
        }
    }
}


static ngx_uint_t
ngx_stream_dns_content_values(ngx_stream_dns_values_t *v)
{
    size_t            n;
    ngx_uint_t        rc;
    ngx_dns_datum_t  *data;

    data = v->reply->elts[NGX_STREAM_DNS_READ_DATA];

    n = v->reply->n;

    if (data->type == NGX_DNS_REPLY_ARRAY) {
        n += data->n;
    }

    if (v->ct->read->many) {
        n += ngx_stream_dns_content_count(&v->ct->read->tails);
    }

    v->items = malloc(n * sizeof(ngx_stream_dns_item_t));
    if (v->items == NULL) {
        return NGX_STREAM_DNS_CONTENT_MEMORY;
    }

    rc = ngx_stream_dns_content_head(v);

    if (rc != NGX_STREAM_DNS_CONTENT_BUILT) {
        return rc;
    }

    switch (v->ct->layout) {

    case NGX_STREAM_DNS_LAYOUT_HASH:
        return ngx_stream_dns_content_fields(v);

    case NGX_STREAM_DNS_LAYOUT_SET:
        rc = ngx_stream_dns_content_labels(v);

        if (rc == NGX_STREAM_DNS_CONTENT_BUILT) {
            rc = ngx_stream_dns_content_tails(v);
        }

        if (rc == NGX_STREAM_DNS_CONTENT_BUILT) {
            rc = ngx_stream_dns_content_hollow(v);
        }

        return rc;

    default: /* a config is all there is */
        return NGX_STREAM_DNS_CONTENT_BUILT;
    }
}


/* config and keys */

static ngx_uint_t
ngx_stream_dns_content_head(ngx_stream_dns_values_t *v)
{
    size_t                  i;
    ngx_dns_datum_t        *reply;
    ngx_stream_dns_item_t  *item;

    static ngx_str_t  config = ngx_string("config");
    static ngx_str_t  names[] = {
        ngx_string("0"), ngx_string("1"), ngx_string("2"), ngx_string("3")
    };

    reply = v->reply->elts[NGX_STREAM_DNS_READ_CONFIG];

    switch (reply->type) {

    case NGX_DNS_REPLY_NIL:
        break;

    case NGX_DNS_REPLY_STRING:
        item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_CONFIG);
        item->value = reply->str;
        break;

    default:
        if (ngx_stream_dns_content_error(v, reply)
            == NGX_STREAM_DNS_CONTENT_ERROR)
        {
            return NGX_STREAM_DNS_CONTENT_ERROR;
        }

        item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_WRONG);
        item->name = config;
        break;
    }

    if (!v->ct->read->keys) {
        return NGX_STREAM_DNS_CONTENT_BUILT;
    }

    if (v->reply->n < NGX_STREAM_DNS_READ_REST + 4) {
        return ngx_stream_dns_content_error(v, v->reply);
    }

    for (i = 0; i < 4; i++) {
        reply = v->reply->elts[NGX_STREAM_DNS_READ_REST + i];

        if (reply->type == NGX_DNS_REPLY_STRING) {
            item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_KEY);
            item->name = names[i];
            item->value = reply->str;

        } else if (reply->type != NGX_DNS_REPLY_NIL
                   && ngx_stream_dns_content_error(v, reply)
                      == NGX_STREAM_DNS_CONTENT_ERROR)
        {
            return NGX_STREAM_DNS_CONTENT_ERROR;
        }
    }

    return NGX_STREAM_DNS_CONTENT_BUILT;
}


/* L1 and L2 */

static ngx_uint_t
ngx_stream_dns_content_fields(ngx_stream_dns_values_t *v)
{
    size_t                  i;
    ngx_dns_datum_t        *data, *value;
    ngx_stream_dns_item_t  *item;

    data = v->reply->elts[NGX_STREAM_DNS_READ_DATA];

    if (data->type != NGX_DNS_REPLY_ARRAY || data->n % 2 != 0) {
        (void) ngx_stream_dns_content_error(v, data);
        return NGX_STREAM_DNS_CONTENT_ERROR;
    }

    for (i = 0; i < data->n; i += 2) {
        value = data->elts[i + 1];

        if (data->elts[i]->type != NGX_DNS_REPLY_STRING) {
            (void) ngx_stream_dns_content_error(v, data->elts[i]);
            return NGX_STREAM_DNS_CONTENT_ERROR;
        }

        if (value->type == NGX_DNS_REPLY_STRING) {
            item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_FIELD);
            item->value = value->str;

        } else if (ngx_stream_dns_content_error(v, value)
                   == NGX_STREAM_DNS_CONTENT_ERROR)
        {
            return NGX_STREAM_DNS_CONTENT_ERROR;

        } else {
            item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_WRONG);
        }

        item->label = data->elts[i]->str;
        item->name = item->label;
    }

    return NGX_STREAM_DNS_CONTENT_BUILT;
}


/* L4: the members of the set */

static ngx_uint_t
ngx_stream_dns_content_labels(ngx_stream_dns_values_t *v)
{
    size_t                   i, n;
    ngx_dns_datum_t         *data;
    ngx_stream_dns_item_t   *item;
    ngx_stream_dns_label_t  *label;

    data = v->reply->elts[NGX_STREAM_DNS_READ_DATA];

    if (data->type != NGX_DNS_REPLY_ARRAY) {
        (void) ngx_stream_dns_content_error(v, data);
        return NGX_STREAM_DNS_CONTENT_ERROR;
    }

    n = data->n + ngx_stream_dns_content_count(&v->ct->read->tails);

    for (v->size = 16; v->size < 2 * n; v->size *= 2) { /* void */ }

    v->labels = calloc(v->size, sizeof(ngx_stream_dns_label_t));
    v->tails = calloc(v->size, sizeof(u_char *));

    if (v->labels == NULL || v->tails == NULL) {
        return NGX_STREAM_DNS_CONTENT_MEMORY;
    }

    for (i = 0; i < data->n; i++) {

        if (data->elts[i]->type != NGX_DNS_REPLY_STRING) {
            (void) ngx_stream_dns_content_error(v, data->elts[i]);
            return NGX_STREAM_DNS_CONTENT_ERROR;
        }

        label = ngx_stream_dns_content_label(v, &data->elts[i]->str);

        if (label->member) {
            continue;
        }

        label->member = 1;

        item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_MEMBER);
        item->label = label->label;
        item->name = label->label;
    }

    return NGX_STREAM_DNS_CONTENT_BUILT;
}



/*
 * L4: the values of the keys, in the order in which they were asked for.  A
 * name that was there twice was asked for twice; the second is left out.
 */

static ngx_uint_t
ngx_stream_dns_content_tails(ngx_stream_dns_values_t *v)
{
    u_char                  *p, *last;
    uint16_t                 len;
    ngx_str_t                tail;
    ngx_uint_t               rc;
    ngx_dns_datum_t         *value;
    ngx_stream_dns_tails_t  *tails;
    ngx_stream_dns_label_t  *label;

    tails = &v->ct->read->tails;
    v->value = NGX_STREAM_DNS_READ_REST + (v->ct->read->keys ? 4 : 0);

    p = tails->data;
    last = p + tails->len;

    for ( /* void */ ; p < last; p += 2 + len) {
        ngx_memcpy(&len, p, 2);

        tail.data = p + 2;
        tail.len = len;

        if (len == 0 || tail.data[len - 1] == ':') {
            tail.len -= (len != 0);
            label = ngx_stream_dns_content_label(v, &tail);
            label->known = 1;
            continue;
        }

        value = ngx_stream_dns_content_value(v);

        if (value == NULL) {
            return ngx_stream_dns_content_error(v, v->reply);
        }

        rc = ngx_stream_dns_content_tail(v, p, &tail, value);

        if (rc != NGX_STREAM_DNS_CONTENT_BUILT) {
            return rc;
        }
    }

    return NGX_STREAM_DNS_CONTENT_BUILT;
}


/* that of a GET, or the next one of an MGET; NULL: there are no more */

static ngx_dns_datum_t *
ngx_stream_dns_content_value(ngx_stream_dns_values_t *v)
{
    ngx_dns_datum_t  *value;

    for ( /* void */ ; v->value < v->reply->n; v->value++) {
        value = v->reply->elts[v->value];

        if (!v->ct->read->many) {
            v->value++;
            return value;
        }

        if (value->type != NGX_DNS_REPLY_ARRAY) {
            return NULL;
        }

        if (v->part < value->n) {
            return value->elts[v->part++];
        }

        v->part = 0;
    }

    return NULL;
}


/* the type is what follows the last colon */

static ngx_uint_t
ngx_stream_dns_content_tail(ngx_stream_dns_values_t *v, u_char *entry,
    ngx_str_t *tail, ngx_dns_datum_t *value)
{
    u_char                  *p;
    ngx_str_t                name;
    ngx_stream_dns_item_t   *item;
    ngx_stream_dns_label_t  *label;

    p = tail->data + tail->len;

    while (p > tail->data && p[-1] != ':') {
        p--;
    }

    if (p == tail->data) {
        return NGX_STREAM_DNS_CONTENT_BUILT;
    }

    if (value->type == NGX_DNS_REPLY_NIL) {
        return v->ct->read->many ? NGX_STREAM_DNS_CONTENT_HIDDEN
                                 : NGX_STREAM_DNS_CONTENT_BUILT;
    }

    if (ngx_stream_dns_content_twice(v, entry)) {
        return NGX_STREAM_DNS_CONTENT_BUILT;
    }

    if (ngx_stream_dns_tails_add(&v->ct->tails, tail) != NGX_OK) {
        return NGX_STREAM_DNS_CONTENT_MEMORY;
    }

    name.data = tail->data;
    name.len = p - 1 - tail->data;

    label = ngx_stream_dns_content_label(v, &name);
    label->known |= v->ct->read->trusted;
    label->filled = 1;

    if (!label->member) {

        /* a key whose label is not in the set is invisible */

        return NGX_STREAM_DNS_CONTENT_BUILT;
    }

    if (value->type == NGX_DNS_REPLY_STRING) {
        item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_RRSET);
        item->value = value->str;

    } else if (ngx_stream_dns_content_error(v, value)
               == NGX_STREAM_DNS_CONTENT_ERROR)
    {
        return NGX_STREAM_DNS_CONTENT_ERROR;

    } else {
        item = ngx_stream_dns_content_item(v, NGX_STREAM_DNS_ITEM_WRONG);
    }

    item->label = label->label;
    item->type.data = p;
    item->type.len = tail->data + tail->len - p;
    item->name = *tail;

    return NGX_STREAM_DNS_CONTENT_BUILT;
}


static ngx_uint_t
ngx_stream_dns_content_twice(ngx_stream_dns_values_t *v, u_char *entry)
{
    size_t     i;
    uint16_t   len;

    ngx_memcpy(&len, entry, 2);

    i = ngx_murmur_hash2(entry, 2 + len) & (v->size - 1);

    for ( /* void */ ; v->tails[i] != NULL; i = (i + 1) & (v->size - 1)) {

        if (ngx_memcmp(v->tails[i], entry, 2 + len) == 0) {
            return 1;
        }
    }

    v->tails[i] = entry;

    return 0;
}


static size_t
ngx_stream_dns_content_count(ngx_stream_dns_tails_t *tails)
{
    u_char    *p, *last;
    size_t     n;
    uint16_t   len;

    n = 0;
    p = tails->data;
    last = p + tails->len;

    for ( /* void */ ; p < last; p += 2 + len) {
        ngx_memcpy(&len, p, 2);
        n++;
    }

    return n;
}


/*
 * Labels without keys: there are none, or nobody has looked yet.  What was
 * looked for in vain is remembered.
 */

static ngx_uint_t
ngx_stream_dns_content_hollow(ngx_stream_dns_values_t *v)
{
    u_char                    buf[NGX_STREAM_DNS_TAIL_MAX];
    size_t                    i;
    ngx_int_t                 rc;
    ngx_str_t                 tail;
    ngx_stream_dns_label_t   *label;
    ngx_stream_dns_content_t *ct;

    ct = v->ct;

    for (i = 0; i < v->size; i++) {
        label = &v->labels[i];

        if (!label->member
            || (label->filled && label->known)
            || label->label.len >= NGX_STREAM_DNS_TAIL_MAX)
        {
            continue;
        }

        if (label->known || ct->read->scanned) {
            tail.data = buf;
            tail.len = label->label.len + 1;

            ngx_memcpy(buf, label->label.data, label->label.len);
            buf[label->label.len] = ':';

            rc = ngx_stream_dns_tails_add(&ct->tails, &tail);

        } else {
            ct->nunknown++;
            rc = ngx_stream_dns_tails_add(&ct->unknown, &label->label);
        }

        if (rc != NGX_OK) {
            return NGX_STREAM_DNS_CONTENT_MEMORY;
        }
    }

    return ct->nunknown ? NGX_STREAM_DNS_CONTENT_LABELS
                        : NGX_STREAM_DNS_CONTENT_BUILT;
}


/* the entry of a label, made if there is none; there is always room */

static ngx_stream_dns_label_t *
ngx_stream_dns_content_label(ngx_stream_dns_values_t *v, ngx_str_t *name)
{
    size_t                   i;
    uint32_t                 hash;
    ngx_stream_dns_label_t  *label;

    hash = ngx_murmur_hash2(name->data, name->len);

    for (i = hash & (v->size - 1); /* void */ ; i = (i + 1) & (v->size - 1)) {
        label = &v->labels[i];

        if (label->label.data == NULL) {
            label->label = *name;
            label->hash = hash;

            return label;
        }

        if (label->hash == hash
            && label->label.len == name->len
            && ngx_memcmp(label->label.data, name->data, name->len) == 0)
        {
            return label;
        }
    }
}


static ngx_stream_dns_item_t *
ngx_stream_dns_content_item(ngx_stream_dns_values_t *v, ngx_uint_t kind)
{
    ngx_stream_dns_item_t  *item;

    item = &v->items[v->nitems++];

    ngx_memzero(item, sizeof(ngx_stream_dns_item_t));
    item->kind = kind;

    return item;
}


/*
 * A reply that is not what was asked for.  A value of a wrong type, or one
 * that is too big, is the fault of that value; any other error is not, and
 * the zone is left as it is.
 */

static ngx_uint_t
ngx_stream_dns_content_error(ngx_stream_dns_values_t *v,
    ngx_dns_datum_t *reply)
{
    ngx_stream_dns_content_t  *ct;

    ct = v->ct;

    if (reply->type == NGX_DNS_REPLY_ERROR) {

        if (ngx_strncmp(reply->str.data, "WRONGTYPE", 9) == 0
            || ngx_strncmp(reply->str.data, "TOOBIG", 6) == 0)
        {
            ct->error = reply->str;
            return NGX_STREAM_DNS_CONTENT_WRONG;
        }

        ct->error = reply->str;

        if (ct->read->error.len != 0) {
            ct->error = ct->read->error;
        }

    } else {
        ngx_str_set(&ct->error, "not the reply that was asked for");
    }

    return NGX_STREAM_DNS_CONTENT_ERROR;
}


static void
ngx_stream_dns_content_digest(ngx_stream_dns_values_t *v)
{
    size_t                  i;
    ngx_stream_dns_item_t  *item;

    for (i = 0; i < v->nitems; i++) {
        item = &v->items[i];
        v->digest += ngx_dns_build_digest(item->kind, &item->name,
                                          &item->value);
    }
}


static ngx_uint_t
ngx_stream_dns_content_build(ngx_stream_dns_values_t *v)
{
    size_t                     i;
    ngx_int_t                  rc;
    ngx_uint_t                 result;
    ngx_dns_build_t           *b;
    ngx_dns_records_t         *rs;
    ngx_stream_dns_content_t  *ct;

    ct = v->ct;
    result = NGX_STREAM_DNS_CONTENT_MEMORY;

    b = ngx_dns_build_create(ct->read->zone->data, ct->conf, v->digest,
                             ct->last, ct->mem, &ct->rep);
    if (b == NULL) {
        return result;
    }

    for (i = 0; i < v->nitems; i++) {

        if (ngx_stream_dns_content_add(b, &v->items[i]) != NGX_OK) {
            goto done;
        }
    }

    rs = ngx_dns_build_end(b, &ct->bad);
    if (rs == NULL) {
        goto done;
    }

    rc = ngx_dns_compile(rs, ct->key, ct->mem, &ct->zone, &ct->zone_size);

    if (rc == NGX_OK) {
        result = NGX_STREAM_DNS_CONTENT_BUILT;

    } else if (ct->rep.errors != 0) {
        result = NGX_STREAM_DNS_CONTENT_REFUSED;
    }

done:

    ngx_dns_build_destroy(b);

    return result;
}


/*
 * The zone is listed, and nothing of it can be read nor was ever loaded: one
 * in which every name fails, so that nobody takes it for not existing.
 */

static void
ngx_stream_dns_content_failed(ngx_stream_dns_values_t *v)
{
    ngx_uint_t                 result;
    ngx_stream_dns_item_t      items[2];
    ngx_stream_dns_item_t     *all;
    ngx_stream_dns_content_t  *ct;

    ct = v->ct;
    all = v->items;
    result = ct->result;

    ngx_memzero(items, sizeof(items));

    items[0].kind = NGX_STREAM_DNS_ITEM_WRONG;
    ngx_str_set(&items[0].label, "@");
    items[1].kind = NGX_STREAM_DNS_ITEM_WRONG;
    ngx_str_set(&items[1].label, "*");

    v->items = items;
    v->nitems = 2;

    ngx_stream_dns_content_digest(v);
    (void) ngx_stream_dns_content_build(v);

    v->items = all;

    ct->result = result;
    ct->messages = 0;
    ct->nmessages = 0;
    ct->text_len = 0;
}


static ngx_int_t
ngx_stream_dns_content_add(ngx_dns_build_t *b, ngx_stream_dns_item_t *item)
{
    switch (item->kind) {

    case NGX_STREAM_DNS_ITEM_CONFIG:
        return ngx_dns_build_config(b, &item->value);

    case NGX_STREAM_DNS_ITEM_FIELD:
        return ngx_dns_build_field(b, &item->label, &item->value);

    case NGX_STREAM_DNS_ITEM_MEMBER:
        return ngx_dns_build_label(b, &item->label);

    case NGX_STREAM_DNS_ITEM_RRSET:
        return ngx_dns_build_rrset(b, &item->label, &item->type,
                                   &item->value);

    case NGX_STREAM_DNS_ITEM_KEY:
        return ngx_dns_build_key(b, item->name.data[0] - '0', &item->value);

    default: /* NGX_STREAM_DNS_ITEM_WRONG */
        return ngx_dns_build_wrong(b, &item->label, &item->type);
    }
}


/* messages are kept: most are those of the last time */

static void
ngx_stream_dns_content_report(void *data, ngx_dns_report_e level,
    ngx_str_t *file, ngx_uint_t line, ngx_str_t *text)
{
    ngx_stream_dns_content_t *ct = data;

    u_char  *p;

    if (level == NGX_DNS_REPORT_PROGRESS) {
        return;
    }

    ct->messages += ngx_murmur_hash2(text->data, text->len) | 1;
    ct->nmessages++;

    if (ct->text_len + text->len + 1 > NGX_STREAM_DNS_TEXT_MAX) {
        return;
    }

    p = ngx_cpymem(ct->text + ct->text_len, text->data, text->len);
    *p++ = '\0';

    ct->text_len = p - ct->text;
}
