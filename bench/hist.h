
/*
 * Copyright (C) ngx_dns_module contributors
 */


#ifndef _BENCH_HIST_H_INCLUDED_
#define _BENCH_HIST_H_INCLUDED_


#include <stdint.h>


#define HIST_SUB_BITS  6
#define HIST_SUB       (1 << HIST_SUB_BITS)
#define HIST_BUCKETS   ((64 - HIST_SUB_BITS) * HIST_SUB)


/*
 * A histogram of durations in nanoseconds.  Values below HIST_SUB have a
 * bucket each, every further octave is cut into HIST_SUB equal parts, so a
 * value read back is at most 1/64 too small.
 */

typedef struct {
    uint64_t  count;
    uint64_t  sum;
    uint64_t  max;
    uint64_t  bucket[HIST_BUCKETS];
} hist_t;


/* Adds value (nanoseconds) n times.  Does not allocate. */
void hist_add(hist_t *h, uint64_t value, uint64_t n);

/*
 * Gives the value (nanoseconds) below or at which the share q (0..1) of all
 * values lies; the lower edge of its bucket, 0 if the histogram is empty.
 */
uint64_t hist_quantile(hist_t *h, double q);


#endif /* _BENCH_HIST_H_INCLUDED_ */
