
/*
 * Copyright (C) ngx_dns_module contributors
 */


#include "hist.h"


static unsigned hist_index(uint64_t value);
static uint64_t hist_edge(unsigned i);


void
hist_add(hist_t *h, uint64_t value, uint64_t n)
{
    h->count += n;
    h->sum += value * n;

    if (value > h->max) {
        h->max = value;
    }

    h->bucket[hist_index(value)] += n;
}


uint64_t
hist_quantile(hist_t *h, double q)
{
    double    want;
    unsigned  i;
    uint64_t  seen;

    if (h->count == 0) {
        return 0;
    }

    want = q * h->count;
    seen = 0;

    for (i = 0; i < HIST_BUCKETS; i++) {
        seen += h->bucket[i];

        if (h->bucket[i] && seen >= want) {
            return hist_edge(i);
        }
    }

    return h->max;
}


static unsigned
hist_index(uint64_t value)
{
    unsigned  octave;

    if (value < HIST_SUB) {
        return value;
    }

    octave = 63 - __builtin_clzll(value) - HIST_SUB_BITS;

    return (octave + 1) * HIST_SUB + ((value >> octave) - HIST_SUB);
}


static uint64_t
hist_edge(unsigned i)
{
    unsigned  octave;

    if (i < HIST_SUB) {
        return i;
    }

    octave = i / HIST_SUB - 1;

    return (uint64_t) (HIST_SUB + i % HIST_SUB) << octave;
}
