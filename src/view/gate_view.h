/* The gate's answer: a table, JSON, and the line that a log shows. */
#ifndef VIEW_GATE_VIEW_H
#define VIEW_GATE_VIEW_H

#include "analysis/gate.h"
#include "view/table.h"

/* After a failure the set is empty. */
roast_code gate_tables(table_set *out, const gate_result *gate, roast_error *err);
void gate_json(buf *out, const gate_result *gate);
/* "regression: wall time +9.8 % [+6.1, +13.5], 5 runs against 5", without the end of the line. */
void gate_line(buf *out, const gate_result *gate);

#endif
