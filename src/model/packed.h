/* Packed records: what a probe sends and the recorder reads, as msgpack. docs/format.md describes it.
 *
 *   [kind, version, {key: value, …}]
 *
 * Keys are small numbers and never change their meaning; a reader skips those it does not know. What is absent is left
 * out. Sizes that lie close to another one are given as the difference, which takes fewer bytes. */
#ifndef MODEL_PACKED_H
#define MODEL_PACKED_H

#include <roast.h>

enum packed_kind { PACKED_CHUNK = 1, PACKED_SAMPLES = 2, PACKED_FILE = 3 };
enum { PACKED_VERSION = 1, PACKED_LARGEST = 1 << 24, PACKED_DEPTH = 32 };

/* Most keys are those of roast_records.def; these are of what belongs to a record. */
enum packed_chunk_key {
    PACKED_BRANCHES = 51, /* [shared, rest, …]: each sorted name is so many bytes of the one before, then the rest */
    PACKED_SECTIONS = 52, /* [name, parent, {key: value}, …]; parent: its place in this list from 1, 0 at the top */
    PACKED_CUSTOM = 53,   /* {name: any value} */
};

/* [shared, rest, compressed, uncompressed, baskets, …]: names as above, in the order of the file. nil is absent. */
enum { PACKED_FILE_BRANCHES = 48, PACKED_FILE_BRANCH_PARTS = 5 };

/* The key of a value that stands alone although it has a base, because the base is absent. */
enum { PACKED_ALONE = 64 };

/* In the map of samples: the start, then differences from one sample to the next. */
enum packed_samples_key { PACKED_T_NS = 1, PACKED_SAMPLE_ROWS = 2 /* [us, KiB, tenths of a percent, …] */ };

#endif
