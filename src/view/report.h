/* The report: a run as one HTML page that needs nothing else, opens offline, and may run no code but its own. */
#ifndef VIEW_REPORT_H
#define VIEW_REPORT_H

#include "analysis/summary.h"
#include "base/buf.h"

/* Appends the page. The run is visited; the summary is that of the run. */
roast_code report_put(buf *out, roast_run *run, const roast_summary *summary, roast_error *err);

#endif
