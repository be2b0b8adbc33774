/* Tables that only the report has. */
#ifndef VIEW_REPORT_TABLES_H
#define VIEW_REPORT_TABLES_H

#include "view/report_data.h"
#include "view/table.h"

/* "slowest": the attempts that took longest in process(), so many at most; "facts": versions, host, engine, every fact
 * of the run that a person reads; "absent": reasons, and the metrics that are absent for each. After a failure the set
 * is empty. */
roast_code report_tables(table_set *out, const report_data *data, const roast_summary *summary, size_t slowest,
                         roast_error *err);

#endif
