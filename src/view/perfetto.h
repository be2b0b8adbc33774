/* A run as a Chrome trace (JSON), which ui.perfetto.dev opens: processes are workers, threads are threads. */
#ifndef VIEW_PERFETTO_H
#define VIEW_PERFETTO_H

#include "analysis/summary.h"
#include "view/text_out.h"

/* Slices are tasks, in them chunks with their phases, in process() the sections; counters are memory and CPU. On every
 * track slices come in order of time and each lies within the one around it. Sections are measured without their times:
 * they are placed one after the other, in the order in which they were recorded. */
roast_code perfetto_trace(roast_run *run, const roast_summary *summary, text_sink sink, void *context,
                          roast_error *err);

#endif
