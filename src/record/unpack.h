/* Unpacking what a probe packed. The bytes come from outside: anything may be in them. */
#ifndef RECORD_UNPACK_H
#define RECORD_UNPACK_H

#include <roast.h>

#include "base/arena.h"
#include "model/packed.h"

/* One record: a chunk, a file, or samples. Texts and arrays are in the arena or borrowed from the bytes. */
typedef struct unpacked {
    enum packed_kind kind;
    roast_chunk chunk;
    roast_file file;
    roast_sample *samples; /* without a worker */
    size_t n_samples;
} unpacked;

/* ROAST_CORRUPT if the bytes are no such record, ROAST_VERSION if they are of a later one. */
roast_code unpack_record(unpacked *out, arena *memory, roast_str packed, roast_error *err);

#endif
