/* The argument RUN: a file, a measurement directory, or "latest". */
#ifndef TOOLS_RUNS_H
#define TOOLS_RUNS_H

#include <roast.h>

roast_code run_argument_open(roast_run **out, const char *argument, bool salvage, roast_error *err);
/* Opens the run and summarises it. The run is closed again unless it is asked for. */
roast_code run_argument_summarize(roast_summary **out, roast_run **run, const char *argument, bool salvage,
                                  roast_error *err);

#endif
