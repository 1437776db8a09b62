
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include "ngx_dns_builder.h"


/* what an owner has, and what it gets */

#define NGX_DNS_BUILD_HAS_CNAME     0x0001
#define NGX_DNS_BUILD_HAS_DNAME     0x0002
#define NGX_DNS_BUILD_HAS_NS        0x0004
#define NGX_DNS_BUILD_HAS_A         0x0008
#define NGX_DNS_BUILD_HAS_AAAA      0x0010
#define NGX_DNS_BUILD_PLAIN         0x0020  /* spelled as it should be */
#define NGX_DNS_BUILD_SPELLED       0x0040  /* and otherwise */
#define NGX_DNS_BUILD_ADD_NAME      0x0080
#define NGX_DNS_BUILD_FAIL_A        0x0100
#define NGX_DNS_BUILD_FAIL_AAAA     0x0200
#define NGX_DNS_BUILD_FAIL_BOTH     0x0300

#define NGX_DNS_BUILD_DEAD          0       /* type of a dropped record */


typedef struct {
    ngx_dns_rec_t            *rec;      /* one of the owner; NULL: free */
    uint32_t                  flags;
    uint32_t                  spelling; /* the one that stays */
} ngx_dns_build_owner_t;

typedef struct {
    ngx_dns_build_t          *b;

    ngx_dns_build_owner_t    *owners;
    size_t                    size;     /* a power of 2 */

    /* of the last message: one for each type of an owner is enough */

    ngx_dns_rec_t            *said;
    ngx_uint_t                said_type;
} ngx_dns_build_settle_t;

typedef void (*ngx_dns_build_walk_pt)(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec, ngx_dns_build_owner_t *owner);


static ngx_dns_build_owner_t *ngx_dns_build_find(ngx_dns_build_settle_t *s,
    u_char *name, size_t len);
static void ngx_dns_build_owners(ngx_dns_build_settle_t *s);
static void ngx_dns_build_walk(ngx_dns_build_settle_t *s,
    ngx_dns_build_walk_pt handler);
static void ngx_dns_build_walk_spelling(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec, ngx_dns_build_owner_t *owner);
static void ngx_dns_build_walk_spelled(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec, ngx_dns_build_owner_t *owner);
static void ngx_dns_build_walk_types(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec, ngx_dns_build_owner_t *owner);
static void ngx_dns_build_walk_settle(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec, ngx_dns_build_owner_t *owner);
static void ngx_dns_build_dnames(ngx_dns_build_settle_t *s);
static ngx_uint_t ngx_dns_build_below(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec);
static void ngx_dns_build_settle_note(ngx_dns_build_settle_t *s,
    ngx_dns_rec_t *rec, ngx_dns_build_owner_t *owner);
static void ngx_dns_build_drop(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    const char *why);
static ngx_int_t ngx_dns_build_settled(ngx_dns_build_settle_t *s);
static void ngx_dns_build_compact(ngx_dns_build_t *b);


#define ngx_dns_build_wildcard(rec)                                          \
    ((rec)->owner_len != 0 && ngx_dns_rec_owner(rec)[0] == 1                 \
     && ngx_dns_rec_owner(rec)[1] == '*')


ngx_uint_t
ngx_dns_build_marks(const ngx_dns_rec_t *rec)
{
    ngx_uint_t     marks, covered;
    const u_char  *rdata;

    marks = rec->line ? NGX_DNS_BUILD_MARK_SPELLED : 0;

    switch (rec->type) {

    case NGX_DNS_TYPE_CNAME:
        return marks | NGX_DNS_BUILD_MARK_CNAME;

    case NGX_DNS_TYPE_DNAME:
        return marks | NGX_DNS_BUILD_MARK_DNAME;

    case NGX_DNS_TYPE_NS:
        return marks | (ngx_dns_build_wildcard(rec)
                        ? NGX_DNS_BUILD_MARK_WILD : 0);

    case NGX_DNS_TYPE_NOTE:
        rdata = ngx_dns_rec_rdata(rec);
        covered = ngx_dns_note_covered(rdata);

        if (ngx_dns_note_kind(rdata) == NGX_DNS_NOTE_FAILED
            && (covered == NGX_DNS_TYPE_CNAME
                || covered == NGX_DNS_BUILD_COVERS_ANAME))
        {
            marks |= NGX_DNS_BUILD_MARK_FAILED;
        }

        return marks;

    default:
        return marks;
    }
}


/*
 * Values come in any order, so what they mean together is known only now.
 * Few owners are concerned: those are found by their names in a table.
 */

ngx_int_t
ngx_dns_build_settle(ngx_dns_build_t *b)
{
    size_t                   size;
    ngx_int_t                rc;
    ngx_dns_build_settle_t   s;

    if (b->marks == 0) {
        return NGX_OK;
    }

    ngx_memzero(&s, sizeof(ngx_dns_build_settle_t));

    s.b = b;

    for (s.size = 64; s.size < 2 * b->nmarked; s.size *= 2) {
        /* void */
    }

    size = s.size * sizeof(ngx_dns_build_owner_t);

    s.owners = b->mem->map(b->mem->data, size);
    if (s.owners == NULL) {
        return NGX_ERROR;
    }

    ngx_dns_build_owners(&s);

    if (b->marks & NGX_DNS_BUILD_MARK_SPELLED) {
        ngx_dns_build_walk(&s, ngx_dns_build_walk_spelling);
        ngx_dns_build_walk(&s, ngx_dns_build_walk_spelled);
    }

    ngx_dns_build_walk(&s, ngx_dns_build_walk_types);
    ngx_dns_build_dnames(&s);
    ngx_dns_build_walk(&s, ngx_dns_build_walk_settle);

    rc = ngx_dns_build_settled(&s);

    b->mem->unmap(b->mem->data, s.owners, size);

    ngx_dns_build_compact(b);
    ngx_str_null(&b->label);

    return rc;
}


/* the entry of a name without the labels of the apex, or a free one */

static ngx_dns_build_owner_t *
ngx_dns_build_find(ngx_dns_build_settle_t *s, u_char *name, size_t len)
{
    size_t                  i;
    ngx_str_t               text, none;
    ngx_dns_rec_t          *rec;
    ngx_dns_build_owner_t  *owner;

    text.data = name;
    text.len = len;
    ngx_str_null(&none);

    i = ngx_dns_build_digest(0, &text, &none) ^ s->b->digest;

    for ( ;; ) {
        owner = &s->owners[i++ & (s->size - 1)];
        rec = owner->rec;

        if (rec == NULL
            || (rec->owner_len == len
                && ngx_memcmp(ngx_dns_rec_owner(rec), name, len) == 0))
        {
            return owner;
        }
    }
}


static void
ngx_dns_build_owners(ngx_dns_build_settle_t *s)
{
    u_char                 *p, *last;
    ngx_dns_rec_t          *rec;
    ngx_dns_chunk_t        *chunk;
    ngx_dns_build_owner_t  *owner;

    for (chunk = s->b->rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        for ( /* void */ ; p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;

            if (ngx_dns_build_marks(rec) == 0) {
                continue;
            }

            owner = ngx_dns_build_find(s, ngx_dns_rec_owner(rec),
                                       rec->owner_len);
            if (owner->rec == NULL) {
                owner->rec = rec;
            }

            if (rec->line != 0) {
                owner->flags |= NGX_DNS_BUILD_SPELLED;
            }
        }
    }
}


/* calls handler for all records, owner being NULL if it has no entry */

static void
ngx_dns_build_walk(ngx_dns_build_settle_t *s, ngx_dns_build_walk_pt handler)
{
    u_char                 *p, *last;
    ngx_dns_rec_t          *rec;
    ngx_dns_chunk_t        *chunk;
    ngx_dns_build_owner_t  *owner;

    for (chunk = s->b->rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;

        for ( /* void */ ; p < last; p += ngx_dns_rec_size(rec)) {
            rec = (ngx_dns_rec_t *) p;

            if (rec->type == NGX_DNS_BUILD_DEAD) {
                continue;
            }

            owner = ngx_dns_build_find(s, ngx_dns_rec_owner(rec),
                                       rec->owner_len);

            handler(s, rec, (owner->rec == NULL) ? NULL : owner);
        }
    }
}


/*
 * Of several labels that are one name ("www", "WWW") the one stays that is
 * spelled as the name is written; else any, but the same on every server.
 */

static void
ngx_dns_build_walk_spelling(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    ngx_dns_build_owner_t *owner)
{
    if (owner == NULL || !(owner->flags & NGX_DNS_BUILD_SPELLED)) {
        return;
    }

    if (rec->line == 0) {
        owner->flags |= NGX_DNS_BUILD_PLAIN;
        owner->spelling = 0;

    } else if (!(owner->flags & NGX_DNS_BUILD_PLAIN)
               && (owner->spelling == 0 || rec->line < owner->spelling))
    {
        owner->spelling = rec->line;
    }
}


static void
ngx_dns_build_walk_spelled(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    ngx_dns_build_owner_t *owner)
{
    if (owner != NULL && (owner->flags & NGX_DNS_BUILD_SPELLED)
        && rec->line != owner->spelling)
    {
        ngx_dns_build_drop(s, rec, "another label is the same name, left out");
    }
}


static void
ngx_dns_build_walk_types(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    ngx_dns_build_owner_t *owner)
{
    if (owner == NULL) {
        return;
    }

    switch (rec->type) {

    case NGX_DNS_TYPE_CNAME:

        if (rec->owner_len != 0
            || (s->b->zone.flags & NGX_DNS_ZONE_FLATTEN))
        {
            owner->flags |= NGX_DNS_BUILD_HAS_CNAME;
        }

        break;

    case NGX_DNS_TYPE_DNAME:
        owner->flags |= NGX_DNS_BUILD_HAS_DNAME;
        break;

    case NGX_DNS_TYPE_NS:
        owner->flags |= NGX_DNS_BUILD_HAS_NS;
        break;

    case NGX_DNS_TYPE_A:
        owner->flags |= NGX_DNS_BUILD_HAS_A;
        break;

    case NGX_DNS_TYPE_AAAA:
        owner->flags |= NGX_DNS_BUILD_HAS_AAAA;
        break;

    default:
        break;
    }
}


/* which DNAMEs stay: RFC 6672, 2.3, 2.4; RFC 4592, 4.4 */

static void
ngx_dns_build_dnames(ngx_dns_build_settle_t *s)
{
    size_t                  i;
    ngx_dns_build_owner_t  *owner;

    for (i = 0; i < s->size; i++) {
        owner = &s->owners[i];

        if (owner->rec == NULL || owner->rec->owner_len == 0) {
            continue;
        }

        if ((owner->flags & (NGX_DNS_BUILD_HAS_CNAME|NGX_DNS_BUILD_HAS_NS))
            || ngx_dns_build_wildcard(owner->rec))
        {
            owner->flags &= ~NGX_DNS_BUILD_HAS_DNAME;
        }
    }
}


/* 1: the owner is below one that has a DNAME */

static ngx_uint_t
ngx_dns_build_below(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec)
{
    u_char                 *p, *last;
    ngx_dns_build_owner_t  *owner;

    p = ngx_dns_rec_owner(rec);
    last = p + rec->owner_len;

    while (p < last) {
        p += *p + 1;

        owner = ngx_dns_build_find(s, p, last - p);

        if (owner->rec != NULL && (owner->flags & NGX_DNS_BUILD_HAS_DNAME)) {
            return 1;
        }
    }

    return 0;
}


static void
ngx_dns_build_walk_settle(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    ngx_dns_build_owner_t *owner)
{
    ngx_uint_t  apex, cname;

    if ((s->b->marks & NGX_DNS_BUILD_MARK_DNAME)
        && ngx_dns_rec_covered(rec) != NGX_DNS_TYPE_NSEC3
        && ngx_dns_build_below(s, rec))
    {
        ngx_dns_build_drop(s, rec, "it is below a DNAME, left out");
        return;
    }

    if (owner == NULL) {
        return;
    }

    apex = (rec->owner_len == 0);
    cname = owner->flags & NGX_DNS_BUILD_HAS_CNAME;

    switch (rec->type) {

    case NGX_DNS_TYPE_CNAME:

        if (!cname) {
            ngx_dns_build_drop(s, rec, "no CNAME can be at the apex, left "
                                       "out");
        }

        return;

    case NGX_DNS_TYPE_RRSIG:
    case NGX_DNS_TYPE_NSEC:
    case NGX_DNS_TYPE_KEY:
    case NGX_DNS_TYPE_SIG:
        return;

    case NGX_DNS_TYPE_NOTE:
        ngx_dns_build_settle_note(s, rec, owner);
        return;

    case NGX_DNS_TYPE_A:
    case NGX_DNS_TYPE_AAAA:
        apex = 0;
        break;

    default:
        break;
    }

    /* RFC 2181, 10.1; at the apex a CNAME stands for addresses only */

    if (cname && !apex) {
        ngx_dns_build_drop(s, rec, "the label has a CNAME, left out");
        return;
    }

    if (rec->type != NGX_DNS_TYPE_NS && rec->type != NGX_DNS_TYPE_DNAME) {
        return;
    }

    if (ngx_dns_build_wildcard(rec)) {
        owner->flags |= NGX_DNS_BUILD_ADD_NAME;
        ngx_dns_build_drop(s, rec, "this type cannot be at a wildcard, left "
                                   "out");

    } else if (rec->type == NGX_DNS_TYPE_DNAME
               && !(owner->flags & NGX_DNS_BUILD_HAS_DNAME))
    {
        ngx_dns_build_drop(s, rec, "the label has NS, left out");
    }
}


static void
ngx_dns_build_settle_note(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    ngx_dns_build_owner_t *owner)
{
    u_char      *rdata;
    ngx_uint_t   apex, cname, covered, kind;

    rdata = ngx_dns_rec_rdata(rec);
    covered = ngx_dns_note_covered(rdata);
    kind = ngx_dns_note_kind(rdata);

    apex = (rec->owner_len == 0);
    cname = owner->flags & NGX_DNS_BUILD_HAS_CNAME;

    if (kind == NGX_DNS_NOTE_FAILED && covered == NGX_DNS_TYPE_CNAME) {

        /* below the apex it is for the compiler */

        if (apex) {
            rec->type = NGX_DNS_BUILD_DEAD;

            if (s->b->zone.flags & NGX_DNS_ZONE_FLATTEN) {
                owner->flags |= NGX_DNS_BUILD_FAIL_BOTH;
            }
        }

        return;
    }

    if (kind == NGX_DNS_NOTE_FAILED && covered == NGX_DNS_BUILD_COVERS_ANAME) {
        rec->type = NGX_DNS_BUILD_DEAD;

        if (cname) {
            return;
        }

        if (!(owner->flags & NGX_DNS_BUILD_HAS_A)) {
            owner->flags |= NGX_DNS_BUILD_FAIL_A;
        }

        if (!(owner->flags & NGX_DNS_BUILD_HAS_AAAA)) {
            owner->flags |= NGX_DNS_BUILD_FAIL_AAAA;
        }

        return;
    }

    if (!cname) {
        return;
    }

    if (covered == 0) {

        if (kind == NGX_DNS_NOTE_ANAME) {
            ngx_dns_build_drop(s, rec, "the label has a CNAME, left out");
        }

    } else if (!apex || covered == NGX_DNS_TYPE_A
               || covered == NGX_DNS_TYPE_AAAA)
    {
        rec->type = NGX_DNS_BUILD_DEAD;
    }
}


/* notes that only say that a name exists are dropped in silence */

static void
ngx_dns_build_drop(ngx_dns_build_settle_t *s, ngx_dns_rec_t *rec,
    const char *why)
{
    u_char       text[NGX_DNS_NAME_TEXT_MAX], wire[NGX_DNS_NAME_MAX + 1];
    ngx_uint_t   type, kind;

    type = rec->type;
    rec->type = NGX_DNS_BUILD_DEAD;

    if (type == NGX_DNS_TYPE_NOTE) {
        kind = ngx_dns_note_kind(ngx_dns_rec_rdata(rec));

        if (kind != NGX_DNS_NOTE_ANAME) {
            return;
        }

        type = NGX_DNS_BUILD_ANAME;
    }

    if (s->said != NULL && s->said_type == type
        && s->said->line == rec->line
        && s->said->owner_len == rec->owner_len
        && ngx_memcmp(ngx_dns_rec_owner(s->said), ngx_dns_rec_owner(rec),
                      rec->owner_len)
           == 0)
    {
        return;
    }

    s->said = rec;
    s->said_type = type;

    if (rec->owner_len == 0) {
        ngx_str_set(&s->b->label, "@");

    } else {
        ngx_memcpy(wire, ngx_dns_rec_owner(rec), rec->owner_len);
        wire[rec->owner_len] = 0;

        s->b->label.data = text;
        s->b->label.len = ngx_dns_name_to_text(text, wire) - text - 1;
    }

    ngx_dns_build_bad(s->b, type, "%s", why);
}


/* adds what has come to light; entries point to records that stay in place */

static ngx_int_t
ngx_dns_build_settled(ngx_dns_build_settle_t *s)
{
    size_t                  i;
    ngx_dns_build_t        *b;
    ngx_dns_build_owner_t  *owner;

    b = s->b;
    b->spelling = 0;

    for (i = 0; i < s->size; i++) {
        owner = &s->owners[i];

        if (!(owner->flags
              & (NGX_DNS_BUILD_FAIL_BOTH|NGX_DNS_BUILD_ADD_NAME)))
        {
            continue;
        }

        ngx_memcpy(b->owner, ngx_dns_rec_owner(owner->rec),
                   owner->rec->owner_len);
        ngx_memcpy(b->owner + owner->rec->owner_len, b->rs->apex,
                   b->rs->apex_len);
        b->owner_len = owner->rec->owner_len + b->rs->apex_len;

        if ((owner->flags & NGX_DNS_BUILD_FAIL_A)
            && ngx_dns_build_failed(b, NGX_DNS_TYPE_A, NULL) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if ((owner->flags & NGX_DNS_BUILD_FAIL_AAAA)
            && ngx_dns_build_failed(b, NGX_DNS_TYPE_AAAA, NULL) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if ((owner->flags & NGX_DNS_BUILD_ADD_NAME)
            && ngx_dns_build_note(b, 0, NGX_DNS_NOTE_NAME, NULL, 0) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* closes the gaps of dropped records; the bounds stay what they were */

static void
ngx_dns_build_compact(ngx_dns_build_t *b)
{
    u_char           *p, *dst, *last;
    size_t            size;
    ngx_dns_rec_t    *rec;
    ngx_dns_chunk_t  *chunk;

    for (chunk = b->rs->chunks; chunk != NULL; chunk = chunk->next) {
        p = (u_char *) (chunk + 1);
        last = (u_char *) chunk + chunk->used;
        dst = p;

        for ( /* void */ ; p < last; p += size) {
            rec = (ngx_dns_rec_t *) p;
            size = ngx_dns_rec_size(rec);

            if (rec->type == NGX_DNS_BUILD_DEAD) {
                b->rs->n--;
                continue;
            }

            rec->line = 0;

            if (dst != p) {
                ngx_memmove(dst, p, size);
            }

            dst += size;
        }

        chunk->used = dst - (u_char *) chunk;
    }
}
