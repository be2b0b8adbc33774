/* Charts over several runs: where a difference came from, and how throughput grows with cores. */
#ifndef VIEW_CHART_RUNS_H
#define VIEW_CHART_RUNS_H

#include "analysis/compare.h"
#include "analysis/scaling.h"
#include "view/chart.h"

/* One chart for each breakdown of the difference: by phase first, then what there is of dataset, section and host.
 * After a failure the set is empty; so it is for the next. */
roast_code comparison_charts(chart_set *out, const comparison *c, roast_error *err);
/* One chart: the runs, the ideal, and the laws where they were fitted. */
roast_code scaling_charts(chart_set *out, const scaling *s, roast_error *err);

#endif
