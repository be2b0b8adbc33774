/* Tables written row by row, for views whose rows are not metrics of a summary. What goes wrong is remembered, so that
 * the code reads straight through and checks once. */
#ifndef VIEW_TABLE_WRITER_H
#define VIEW_TABLE_WRITER_H

#include "view/table.h"

typedef struct table_writer {
    table_set *set;
    size_t most_tables;
    table *current;
    size_t most_rows, cells; /* room in the current table; cells written */
    bool failed;
    buf text; /* of the cell or phrase being written */
} table_writer;

/* Starts an empty set with room for tables. */
void writer_init(table_writer *w, table_set *set, size_t most_tables);
/* Ends it: after a failure the set is empty and the code says so. */
roast_code writer_finish(table_writer *w, roast_error *err);

/* A table of columns; rows follow cell by cell. Columns are copied, their titles are not. */
void writer_begin(table_writer *w, const char *id, const char *title, const table_column *columns, size_t n_columns,
                  size_t most_rows);
/* The next cell, from what was written to w->text, or from a text. */
void writer_cell(table_writer *w, table_tone tone, roast_value value);
void writer_text(table_writer *w, roast_str text, table_tone tone);
/* The share of the last cell, for its bar. */
void writer_share(table_writer *w, double share);
/* A line under the table, and a part of a heading, from w->text. */
void writer_more(table_writer *w);
void writer_phrase(table_writer *w, table_heading *heading, table_tone tone);

#endif
