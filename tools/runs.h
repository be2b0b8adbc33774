/* The argument RUN: a file, a measurement directory, or what cache.h finds by number and by name. */
#ifndef TOOLS_RUNS_H
#define TOOLS_RUNS_H

#include <roast.h>

roast_code run_argument_open(roast_run **out, const char *argument, bool salvage, roast_error *err);
/* Opens the run and summarises it. The run is closed again unless it is asked for. */
roast_code run_argument_summarize(roast_summary **out, roast_run **run, const char *argument, bool salvage,
                                  roast_error *err);

/* The same for several runs, all of which are then open and summarised. After a failure there are none. */
roast_code run_arguments_open(roast_subject **out, const char *const *arguments, size_t count, bool salvage,
                              roast_error *err);
/* The first that names the same run as one before it, or NULL. */
const char *run_argument_repeated(const char *const *arguments, size_t count);
void run_arguments_close(roast_subject *inputs, size_t count);

#endif
