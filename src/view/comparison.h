/* A comparison for people and for programs. */
#ifndef VIEW_COMPARISON_H
#define VIEW_COMPARISON_H

#include "analysis/compare.h"
#include "view/json.h"
#include "view/table.h"

/* limit is the most parts of a breakdown that are shown by name, the others being one row; 0 for all. After a failure
 * the set is empty. */
roast_code comparison_tables(table_set *out, const comparison *c, size_t limit, roast_error *err);
void comparison_json(buf *out, const comparison *c);

/* "−21.4 %" of a logarithm of a ratio, "3.1 ×" for large ones; "n/a" if there is none. */
void format_change(buf *out, double log_ratio);
/* "[−23.0, −19.7] %"; its level is told if it is below the one that was asked for. "cannot be told" if it says
 * nothing. */
void format_change_interval(buf *out, const interval *log_ratio, double asked);
void json_put_interval(json_writer *w, const char *key, const interval *i);

#endif
