/* Packing records to send them. */
#ifndef PROBE_PACK_H
#define PROBE_PACK_H

#include <roast.h>

#include "base/buf.h"

/* Names of branches are packed again: whoever gets the records from now on has not seen the names. */
void pack_forget_branches(void);
/* A number that no other record has. */
uint64_t pack_new_uid(void);

typedef struct packed_sample {
    int64_t t_ns, rss;
    double cpu; /* percent of one core */
} packed_sample;

void pack_samples(buf *out, const packed_sample *samples, size_t count);

#endif
