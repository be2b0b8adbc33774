/* What the two files about branches share. */
#ifndef ANALYSIS_BRANCHES_H
#define ANALYSIS_BRANCHES_H

#include "analysis/analysis.h"

/* A branch in the files of a dataset. */
typedef struct branch_tally {
    uint32_t dataset, name;
    int64_t compressed, uncompressed, baskets; /* ROAST_ABSENT if no file tells */
    int64_t entries;                           /* of the files that have it */
    int64_t files, files_read;
    bool read;
} branch_tally;

typedef struct branch_list {
    u64map numbers; /* (dataset, name) to the place in tallies, from 1 */
    branch_tally *tallies;
    size_t count, capacity;
} branch_list;

/* The tally of a branch, made now if it is new. NULL if memory is out. Valid until the next call. */
branch_tally *branch_list_at(branch_list *list, uint32_t dataset, uint32_t name);
void branch_list_release(branch_list *list);

/* Over the files of a dataset. */
typedef struct dataset_bytes {
    int64_t tree, read; /* compressed: of the trees, of the branches read */
    double least;       /* of the branches read, for the entries that were processed; NAN until one is known */
} dataset_bytes;

/* Rows of branches, and what datasets and the run say of branches and collections. Sorts the list. datasets: one more
 * than there are. */
roast_code fill_branch_rows(analysis *a, branch_list *list, const dataset_bytes *datasets, roast_error *err);

#endif
