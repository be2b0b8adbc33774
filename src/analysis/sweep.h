/* A sweep over the chunks of a run in order of time: how many run at once, and how many bytes per second they read.
 * Between two edges both are constant, so means over columns of pixels are exact: the rate's integral is the bytes. */
#ifndef ANALYSIS_SWEEP_H
#define ANALYSIS_SWEEP_H

#include "analysis/series.h"

/* One column. What changed inside it is kept as the least and the greatest. */
typedef struct sweep_column {
    double from, to; /* seconds from the start of the window */
    double running, running_least, running_greatest;
    double bytes_per_second, rate_least, rate_greatest;
} sweep_column;

typedef struct sweep {
    sweep_column *columns;
    size_t count;
    double bytes;       /* of the chunks that were swept: the integral of the rate */
    int64_t vain_bytes; /* read by attempts that failed or had succeeded before: not in it; ROAST_ABSENT if none says */
    double most_running, highest_rate;
    double most_running_at; /* when it was first reached */
    bool bytes_known;       /* a chunk says how many it read */
    int64_t last_starts_ns; /* when the last attempt began; ROAST_ABSENT if none did */
} sweep;

/* Attempts run from opening the file to returning results; bytes are spread evenly over process(). Columns are of equal
 * width over from_ns to to_ns, which lie in the series' window. In memory of the arena. */
roast_code sweep_run(sweep *out, const run_series *series, int64_t from_ns, int64_t to_ns, size_t columns,
                     arena *memory, roast_error *err);

#endif
