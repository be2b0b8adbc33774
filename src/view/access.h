/* What the branches that a chunk read amount to, in its file. */
#ifndef VIEW_ACCESS_H
#define VIEW_ACCESS_H

#include "base/u64map.h"
#include "run/reader.h"

/* The sizes of every branch of every file of a run. */
typedef struct branch_sizes {
    u64map places; /* (file, name) to the place in sizes, from 1 */
    roast_branch *sizes;
    size_t count, capacity;
} branch_sizes;

/* Of one set of branches in one file; ROAST_ABSENT or NAN where the file does not tell. */
typedef struct branch_access {
    int64_t branches, compressed, uncompressed;
    double branches_percent, bytes_percent;
} branch_access;

roast_code branch_sizes_read(branch_sizes *out, roast_run *run, roast_error *err);
void branch_sizes_release(branch_sizes *sizes);
branch_access branch_access_of(branch_sizes *sizes, const roast_run *run, uint32_t file, uint32_t set);

#endif
