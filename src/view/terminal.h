/* Tables for a terminal. */
#ifndef VIEW_TERMINAL_H
#define VIEW_TERMINAL_H

#include "view/table.h"

typedef struct terminal_options {
    size_t width; /* columns; fewer than 40 count as 40 */
    bool colour;  /* by meaning, with escape sequences */
    bool utf8;    /* else everything is ASCII */
    bool many;    /* 256 colours, else 16 */
} terminal_options;

/* Appends the headings and tables to out; what went wrong is in out->code. */
void terminal_tables(buf *out, const table_set *set, const terminal_options *options);

#endif
