/* What the branches that a chunk read amount to in its file: summed up from the branches' sizes, or, where those are
 * not known, as its record states it, which those of 0.1.x do. Asked here by everyone. */
#ifndef ANALYSIS_ACCESS_H
#define ANALYSIS_ACCESS_H

#include "base/u64map.h"
#include "run/reader.h"

/* ROAST_ABSENT or NAN where it is not known. */
typedef struct branch_access {
    int64_t branches, compressed, uncompressed;
    double branches_percent, bytes_percent; /* of those of the file */
} branch_access;

typedef struct access_table {
    u64map pairs;  /* of a file and a set of branches: place in sums + 1 */
    u64map stated; /* by chunk: place in statements + 1 */
    struct access_sums *sums;
    struct access_statement *statements;
    size_t n_sums, sums_capacity, n_statements, statements_capacity;
} access_table;

/* Release the table even if this fails. */
roast_code access_read(access_table *out, roast_run *run, roast_error *err);
branch_access access_of(access_table *table, const roast_run *run, const run_chunk *row);
void access_release(access_table *table);

#endif
