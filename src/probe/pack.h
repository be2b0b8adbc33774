/* Packing records to send them. */
#ifndef PROBE_PACK_H
#define PROBE_PACK_H

#include <roast.h>

#include "base/buf.h"

/* Appends a chunk. Its branches, if there are any, are each there once; their hash always goes along, the names with
 * the first, second, fourth, eighth, … record of their set that this process packs. What went wrong is in out->code. */
void pack_chunk(buf *out, const roast_chunk *chunk);
/* Starts that count again: whoever gets the records from now on has not seen the names. */
void pack_forget_branches(void);
/* A number that no other record has. */
uint64_t pack_new_uid(void);

/* Appends the facts about a file. */
void pack_file(buf *out, const roast_file *file);

typedef struct packed_sample {
    int64_t t_ns, rss;
    double cpu; /* percent of one core */
} packed_sample;

void pack_samples(buf *out, const packed_sample *samples, size_t count);

#endif
