/* The table model: built once from a summary, drawn by every renderer (terminal, HTML, rich). */
#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include "analysis/summary.h"
#include "base/buf.h"

typedef enum table_align { TABLE_LEFT, TABLE_RIGHT } table_align;

/* What a cell means, so that renderers choose colours and nobody else does. */
typedef enum table_tone { TONE_PLAIN, TONE_STRONG, TONE_QUIET, TONE_GOOD, TONE_WARN, TONE_BAD } table_tone;

typedef struct table_cell {
    roast_str text;    /* as a person reads it, unit included */
    roast_value value; /* for sorting and for programs */
    table_tone tone;
} table_cell;

typedef struct table_column {
    roast_str title;
    table_align align;
    bool shortens; /* long text may be cut in the middle to fit */
    int priority;  /* 0 always shown; the higher, the earlier it goes when the width is short */
} table_column;

typedef struct table {
    const char *id; /* "throughput": for --only, and for anchors */
    roast_str title;
    size_t n_columns, n_rows;
    table_column *columns;
    table_cell *cells; /* row by row */
    roast_str more;    /* a line under the table: "… and 95 more"; absent if there is none */
    bool pairs;        /* a list of names and values: drawn without a header */
} table;

typedef struct table_set {
    arena memory;
    roast_str headline, subline; /* what ran; how it ended */
    table *tables;
    size_t count;
} table_set;

/* Builds the tables whose ids are in only (comma-separated; NULL for all that have something to say). limit is the
 * most rows of the tables that grow (files, workers, failures); 0 for all of them. An id that does not exist is
 * ROAST_USAGE, and the message lists those that do. */
roast_code tables_build(table_set *out, const roast_summary *summary, const char *only, size_t limit, roast_error *err);
void tables_release(table_set *set);
const char *const *table_ids(size_t *count);

#endif
