/* A run for Prometheus: OpenMetrics text, which its older text format reads too. */
#ifndef VIEW_OPENMETRICS_H
#define VIEW_OPENMETRICS_H

#include "analysis/summary.h"
#include "base/buf.h"

/* Metrics that are not known are left out. Labels are datasets and kinds of error, those that weigh most, the rest
 * together: the number of time series does not grow with the run. */
void openmetrics_summary(buf *out, const roast_summary *summary);

#endif
