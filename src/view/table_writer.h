/* The one way to build tables: row by row, cell by cell. What goes wrong is remembered, so that the code reads straight
 * through and checks once. */
#ifndef VIEW_TABLE_WRITER_H
#define VIEW_TABLE_WRITER_H

#include "view/table.h"

static const roast_value NOTHING = {.kind = ROAST_NOTHING};

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
/* Memory of the set, for what is needed while it is written; NULL without. */
void *writer_alloc(table_writer *w, size_t count, size_t size);

/* A table of columns; rows follow cell by cell. Columns are copied, their titles are not; the title of the table may be
 * NULL: then it is what was written to w->text. */
void writer_begin(table_writer *w, const char *id, const char *title, const table_column *columns, size_t n_columns,
                  size_t most_rows);
/* The current table in another way than as a grid. */
void writer_layout(table_writer *w, table_layout layout);
/* A list of names and values; lines follow. */
void writer_begin_pairs(table_writer *w, const char *id, const char *title, table_layout layout, size_t most_rows);

/* The next cell, from what was written to w->text, or from a text, or from a number ("n/a" if it is absent). */
void writer_cell(table_writer *w, table_tone tone, roast_value value);
void writer_text(table_writer *w, roast_str text, table_tone tone);
void writer_value(table_writer *w, roast_value value, const char *unit, format_form form);
void writer_toned(table_writer *w, roast_value value, const char *unit, format_form form, table_tone tone);
void writer_number(table_writer *w, double number, const char *unit, format_form form);
/* The share of the last cell, for its bar, and the colour of that (NULL for none). */
void writer_share(table_writer *w, double share);
void writer_bar(table_writer *w, double share, const char *colour);
/* A line of a list, from w->text; none if that is empty. The name may be quiet. */
void writer_pair(table_writer *w, const char *name, table_tone tone);
/* The same of a line of code. */
void writer_code(table_writer *w, const char *name);
/* The label of a line of metrics; its value is the next cell. */
void writer_line(table_writer *w, const struct pair_spec *line);
void writer_quiet_pair(table_writer *w, const char *name, table_tone tone);

/* A line under the table, and a part of a heading, from w->text. */
void writer_more(table_writer *w);
void writer_phrase(table_writer *w, table_heading *heading, table_tone tone);
/* "and 95 more" of so many rows in all, or "none", under the table. */
void writer_rest(table_writer *w, size_t total);

/* Nothing if the number is not finite. */
roast_value real_value(double number);

#endif
