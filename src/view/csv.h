/* CSV for spreadsheets and data frames: RFC 4180, one header line, absent is empty. Text that a spreadsheet would take
 * for a formula gets an apostrophe in front. */
#ifndef VIEW_CSV_H
#define VIEW_CSV_H

#include "analysis/summary.h"
#include "base/buf.h"

/* Metrics of the run as name,value,unit; of any other scope a row per thing and a column per metric. */
void csv_scope(buf *out, const roast_summary *summary, roast_scope scope);

#endif
