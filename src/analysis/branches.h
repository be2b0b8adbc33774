/* What the two files about branches share. */
#ifndef ANALYSIS_BRANCHES_H
#define ANALYSIS_BRANCHES_H

#include "analysis/analysis.h"

/* Over the files of a dataset. */
typedef struct dataset_bytes {
    int64_t tree, read; /* compressed: of the trees, of the branches read */
    double least;       /* of the branches read, for the entries that were processed; NAN until one is known */
} dataset_bytes;

/* Rows of branches, and what datasets and the run say of branches and collections. datasets: one more than there are.
 */
roast_code fill_branch_rows(analysis *a, const dataset_bytes *datasets, roast_error *err);

#endif
