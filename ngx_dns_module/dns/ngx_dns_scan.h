
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _NGX_DNS_SCAN_H_INCLUDED_
#define _NGX_DNS_SCAN_H_INCLUDED_


#include "ngx_dns_name.h"


/*
 * Cuts text of the master-file syntax (RFC 1035, 5.1) into words.  It works
 * in place: a word is a piece of the text, its escapes still in it.  An entry
 * is a line, or several joined by parentheses.
 *
 * The text is data[0 .. len - 1]; the octet behind it must be readable and
 * hold a line feed or a zero octet: it ends every search, so that no search
 * compares with the end of the text.
 */

#define NGX_DNS_SCAN_ERROR  320

typedef struct {
    u_char       *pos;
    u_char       *last;                 /* holds LF or a zero octet */
    ngx_uint_t    line;                 /* of pos */
    ngx_uint_t    depth;                /* open parentheses */
    ngx_uint_t    open_line;            /* of the outermost of them */

    const u_char *origin;               /* for relative names, or NULL */
    size_t        origin_len;

    ngx_uint_t    partial;              /* the text goes on behind last */
    ngx_uint_t    more;                 /* set when that was needed */

    ngx_uint_t    err_line;
    size_t        err_len;              /* 0: no error so far */
    u_char        err[NGX_DNS_SCAN_ERROR];
} ngx_dns_scan_t;


typedef struct {
    u_char       *data;                 /* without the quotes */
    size_t        len;
    ngx_uint_t    quoted;
    ngx_uint_t    escaped;              /* has a backslash */
} ngx_dns_word_t;


/* classes of octets; a word of plain text has the first two only */

#define NGX_DNS_SCAN_PLAIN    0
#define NGX_DNS_SCAN_ESCAPE   1
#define NGX_DNS_SCAN_QUOTE    2
#define NGX_DNS_SCAN_BLANK    3
#define NGX_DNS_SCAN_LF       4
#define NGX_DNS_SCAN_CR       5
#define NGX_DNS_SCAN_ZERO     6
#define NGX_DNS_SCAN_OPEN     7
#define NGX_DNS_SCAN_CLOSE    8
#define NGX_DNS_SCAN_COMMENT  9

extern const uint8_t  ngx_dns_scan_class[256];

#define ngx_dns_scan_is_word(ch)                                              \
    (ngx_dns_scan_class[ch] <= NGX_DNS_SCAN_ESCAPE)


/* Starts at line 1 of a text; origin may be NULL. */
void ngx_dns_scan_init(ngx_dns_scan_t *s, u_char *data, size_t len,
    const u_char *origin);

/*
 * Goes on to the next word of the entry: over blanks, comments, parentheses
 * and, inside these, line ends.
 *
 * NGX_OK     pos is at the first octet of a word or at its quote
 * NGX_DONE   the entry ends here; pos stays at the line end
 * NGX_ERROR  s->err is set; or s->more: the entry goes on behind last
 */
ngx_int_t ngx_dns_scan_special(ngx_dns_scan_t *s);

static ngx_inline ngx_int_t
ngx_dns_scan_next(ngx_dns_scan_t *s)
{
    u_char  *p;

    p = s->pos;

    while (*p == ' ' || *p == '\t') {
        p++;
    }

    s->pos = p;

    if (ngx_dns_scan_class[*p] == NGX_DNS_SCAN_PLAIN) {
        return NGX_OK;
    }

    return ngx_dns_scan_special(s);
}


/*
 * Reads the next word.  NGX_OK, NGX_DONE and NGX_ERROR as above.  A quoted
 * word ends at its quote, whatever follows: "ab"cd are two words.
 */
ngx_int_t ngx_dns_scan_word(ngx_dns_scan_t *s, ngx_dns_word_t *w);

/*
 * The same, but an end of the entry and a quoted word are errors; "what"
 * names the missing thing: "no IPv4 address".
 */
ngx_int_t ngx_dns_scan_plain(ngx_dns_scan_t *s, ngx_dns_word_t *w,
    const char *what);

/*
 * Reads a decimal number up to max.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_dns_scan_number(ngx_dns_scan_t *s, uint32_t max,
    const char *what, uint32_t *n);

/*
 * Reads seconds: a number, or numbers with units (w d h m s): 1d12h.
 */
ngx_int_t ngx_dns_scan_ttl(ngx_dns_scan_t *s, uint32_t max,
    const char *what, uint32_t *n);

/*
 * Reads a name, lower case; "@" is the origin.
 *
 * dst  room for NGX_DNS_SCAN_NAME octets: some behind the name may be
 *      overwritten
 * len  set to the octets of the name
 */
#define NGX_DNS_SCAN_NAME  (2 * (NGX_DNS_NAME_MAX + 1))
ngx_int_t ngx_dns_scan_name(ngx_dns_scan_t *s, u_char *dst, size_t *len);

/*
 * Octets of a word without its escapes, written to dst .. last.  Returns the
 * octet behind, or NULL with s->err set; full is the text if dst is too small.
 */
u_char *ngx_dns_scan_unescape(ngx_dns_scan_t *s, ngx_dns_word_t *w,
    u_char *dst, u_char *last, const char *full);

/*
 * Reads \X or \DDD at p, before last, into *octet.  Returns the octets read,
 * 0 if it is neither.
 */
ngx_int_t ngx_dns_scan_octet(u_char *p, u_char *last, u_char *octet);

/* NGX_OK if the entry ends here, else NGX_ERROR: unexpected text. */
ngx_int_t ngx_dns_scan_end(ngx_dns_scan_t *s);

/*
 * Goes on to the end of the entry after an error.  NGX_OK, or NGX_ERROR with
 * s->more set.
 */
ngx_int_t ngx_dns_scan_skip(ngx_dns_scan_t *s);

/*
 * Sets s->err (once: the first error stays) from the words of ngx_sprintf;
 * odd octets become "?".  Returns NGX_ERROR.  The second form quotes a word,
 * cut if it is long: err_word(s, w, "is not a number") gives
 * "x" is not a number.
 */
ngx_int_t ngx_dns_scan_err(ngx_dns_scan_t *s, const char *fmt, ...);
ngx_int_t ngx_dns_scan_err_word(ngx_dns_scan_t *s, ngx_dns_word_t *w,
    const char *what);


#endif /* _NGX_DNS_SCAN_H_INCLUDED_ */
