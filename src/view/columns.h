/* A run's tables by columns, for programs that compute with them: one typed array per column. */
#ifndef VIEW_COLUMNS_H
#define VIEW_COLUMNS_H

#include "analysis/access.h"
#include "base/intern.h"
#include "model/metric.h"
#include "run/reader.h"

typedef enum column_kind { COLUMN_INT, COLUMN_REAL, COLUMN_TEXT } column_kind;

typedef struct column {
    const char *name; /* static */
    column_kind kind;
    size_t absent; /* how many rows have no value: ROAST_ABSENT, NAN, or a text with ptr NULL */
    union {
        int64_t *ints;
        double *reals;
        roast_str *texts; /* in the table's strings: equal ones are the same */
        void *rows;
    } as;
} column;

typedef struct column_table {
    const char *name; /* static */
    column *columns;
    size_t n_columns, n_rows, capacity;
    intern strings;
} column_table;

/* Reads "chunks", "workers", "samples", "sections", "files", "branches" or "tasks". Anything else is ROAST_USAGE. The
 * table does not need the run afterwards; release it even if this fails. */
roast_code columns_read(column_table *out, roast_run *run, const char *table, roast_error *err);
/* A table of one's own: its name and columns (names are not copied), then row after row, a value for each column. */
roast_code columns_begin(column_table *out, const char *name, const char *const *names, const column_kind *kinds,
                         size_t count, roast_error *err);
roast_code columns_push(column_table *table, const roast_value *values); /* ROAST_MEMORY if there is none */
/* What a chunk of a run says of a metric, with what its record alone does not tell. uid is where that text goes. */
roast_value columns_chunk_value(const roast_run *run, const run_chunk *row, const branch_access *access,
                                metric_id metric, char uid[static 17]);
void columns_release(column_table *table);
const column *columns_find(const column_table *table, roast_str name); /* NULL if there is none */

#endif
