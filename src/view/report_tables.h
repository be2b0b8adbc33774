/* Tables that only the report has. Their texts live in the arena that is given; a failed one has no rows, and failed is
 * set. */
#ifndef VIEW_REPORT_TABLES_H
#define VIEW_REPORT_TABLES_H

#include "view/report_data.h"
#include "view/table.h"

/* The attempts that took longest in process(), at most limit of them. */
table slowest_table(const report_data *data, size_t limit, arena *memory, bool *failed);
/* Versions, host, engine: every fact of the run that a person reads. */
table facts_table(const roast_summary *summary, arena *memory, bool *failed);
/* Reasons, and the metrics that are absent for each. */
table absent_table(const roast_summary *summary, arena *memory, bool *failed);

#endif
