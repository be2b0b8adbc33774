/* The tables of the report, and those that only it has. */
#ifndef VIEW_REPORT_TABLES_H
#define VIEW_REPORT_TABLES_H

#include "view/report_data.h"
#include "view/table.h"

typedef struct report_table_sets {
    table_set usual;
    table_set asked; /* that are only shown when they are asked for */
    table_set own;   /* that only the report has */
} report_table_sets;

/* NULL if there is none. */
const table *report_table_find(const report_table_sets *sets, roast_str id);
void report_table_sets_release(report_table_sets *sets);

/* "slowest": the attempts that took longest in process(), so many at most; "facts": versions, host, engine, every fact
 * of the run that a person reads; "absent": reasons, and the metrics that are absent for each. After a failure the set
 * is empty. */
roast_code report_tables(table_set *out, const report_data *data, const roast_summary *summary, size_t slowest,
                         roast_error *err);

#endif
