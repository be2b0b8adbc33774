/* What of a run was measured. A worker without a probe leaves no records: what it did is not known, which is not the
 * same as idle, and what is computed from records is of the other workers alone. */
#ifndef ANALYSIS_COVERAGE_H
#define ANALYSIS_COVERAGE_H

#include "analysis/summary.h"

/* Cores of the workers that were not measured, averaged over the window of the summary. 0 if all were, or nobody knows.
 */
double not_measured_cores(const roast_run *run, const roast_summary *window);
/* The same of the workers that were. */
double measured_cores(const roast_run *run, const roast_summary *summary);
/* Whether some workers are known not to have been measured. */
bool partly_measured(const roast_summary *summary);
/* "1 of 2 workers was not measured"; absent if memory is out. */
roast_str say_partly_measured(const roast_summary *summary, arena *memory);

#endif
