
/*
 * Copyright (C) ngx_dns_module contributors
 */

/*
 * A pool from text as it stands in a configuration: words parted by blanks,
 * lines ended by ";".
 */


#ifndef _POOLTEXT_H_INCLUDED_
#define _POOLTEXT_H_INCLUDED_


#include <stdlib.h>
#include <string.h>
#include "ngx_dns_pools.h"


#define POOLTEXT_WORDS  256


/*
 * Reads len octets into p, line by line, and ends it; where it fails err is
 * set.  Each word is a block of its own, of the pool.
 */

static inline ngx_int_t
pooltext(ngx_dns_pool_t *p, const char *text, size_t len, uint32_t interval,
    ngx_str_t *err)
{
    u_char      *word;
    ngx_str_t    words[POOLTEXT_WORDS];
    ngx_uint_t   n;
    const char  *q, *last;

    last = text + len;
    n = 0;

    for (q = text; q < last; /* void */) {

        if (*q == ' ' || *q == '\n') {
            q++;
            continue;
        }

        if (*q == ';' || n == POOLTEXT_WORDS) {

            if (ngx_dns_pool_line(p, words, n, err) != NGX_OK) {
                return NGX_ERROR;
            }

            n = 0;
            q++;
            continue;
        }

        for (text = q; q < last && *q != ' ' && *q != '\n' && *q != ';'; q++) {
            /* void */
        }

        word = ngx_pnalloc(p->pool, q - text + 1);
        memcpy(word, text, q - text);
        word[q - text] = '\0';

        words[n].data = word;
        words[n++].len = q - text;
    }

    return ngx_dns_pool_end(p, interval, err);
}


#endif /* _POOLTEXT_H_INCLUDED_ */
