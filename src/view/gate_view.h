/* The gate's answer: a table, JSON, and the line that a log shows. */
#ifndef VIEW_GATE_VIEW_H
#define VIEW_GATE_VIEW_H

#include "analysis/gate.h"
#include "view/table.h"

/* After a failure the set is empty. */
roast_code gate_tables(table_set *out, const roast_gate *gate, roast_error *err);
void gate_json(buf *out, const roast_gate *gate);

#endif
