
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _BENCH_QUESTION_H_INCLUDED_
#define _BENCH_QUESTION_H_INCLUDED_


#include <stddef.h>
#include <stdint.h>


#define QUESTION_HEADER   12
#define QUESTION_MAX      (QUESTION_HEADER + 255 + 4 + 11 + 11)
#define QUESTION_SUBNET   3         /* octets of the network at the end */


typedef unsigned char  u_char;


/* One query, complete but for its ID; length octets follow the struct. */

typedef struct {
    uint32_t  number;
    uint16_t  length;
    u_char    data[];
} question_t;


/* Encoded queries, one behind the other in the order of their file. */

typedef struct {
    u_char   *start;
    u_char   *end;
    u_char   *pos;
    uint32_t  n;
} questions_t;


/*
 * Reads "name type" lines from path and encodes each as a query with RD=0,
 * class IN, and an OPT record of that UDP size if edns is not 0; do_bit sets
 * DO in it, subnet adds a client subnet of IPv4 with 24 bits.  type is a
 * mnemonic or TYPEnnn.
 *
 * qs  is filled; its memory lives until the process ends
 *
 * Gives 0, or -1 after a message on stderr.  Allocates.
 */
int questions_load(questions_t *qs, const char *path, unsigned edns,
    int do_bit, int subnet);

/*
 * Encodes one query for name (text, absolute with or without a final dot)
 * into buf of QUESTION_MAX octets; edns, do_bit and subnet as above.
 *
 * Gives the length in octets, or -1 if the name or type is not valid.
 */
int question_encode(u_char *buf, const char *name, const char *type,
    unsigned edns, int do_bit, int subnet);

/*
 * Writes into each query, in place of NSCOUNT, the reply length that the
 * file at path holds for it (one decimal number a line, in the order of the
 * questions).  The echo server makes its reply as long as that.
 *
 * Gives 0, or -1 after a message on stderr.
 */
int questions_sizes(questions_t *qs, const char *path);


/* Gives the next query, the first one again after the last. */

static inline question_t *
questions_next(questions_t *qs)
{
    question_t  *q;

    q = (question_t *) qs->pos;

    qs->pos += (sizeof(question_t) + q->length + 7) & ~(size_t) 7;

    if (qs->pos >= qs->end) {
        qs->pos = qs->start;
    }

    return q;
}


#endif /* _BENCH_QUESTION_H_INCLUDED_ */
