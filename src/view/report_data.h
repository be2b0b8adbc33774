/* What the script of the report draws from: chunks, lanes, workers over time, as columns of numbers. */
#ifndef VIEW_REPORT_DATA_H
#define VIEW_REPORT_DATA_H

#include "analysis/lanes.h"
#include "base/buf.h"

/* One attempt. Times are in ticks, from the start of the time axis; begin is absent if it has no place there. */
typedef struct report_chunk {
    int64_t begin, open_time, events_time, process_time, return_time, cpu_time;
    int64_t entry_start, entries, events, attempt;
    int64_t memory_kib, bytes;
    int64_t slowness;                      /* how much longer than expected it took, in steps: see report_data.c */
    uint32_t dataset, file, worker, error; /* error: 0 for none, else 1 + index of its type */
    bool recomputed;                       /* it had succeeded before */
} report_chunk;

typedef struct report_data {
    arena memory;
    const roast_run *run;
    run_series series;
    int64_t tick_ns, length; /* of the time axis, in ticks; 0 if nothing has a time */
    report_chunk *chunks;    /* as many as the series has, in the order of records */
    lane_list lanes;
    roast_str *errors; /* their types */
    size_t n_errors;
} report_data;

/* After a failure there is nothing to release. */
roast_code report_data_read(report_data *out, roast_run *run, const roast_summary *summary, roast_error *err);
void report_data_release(report_data *data);

/* The elements that hold the data, for the end of the page. colours: of the datasets, one each. */
void report_data_put(buf *out, const report_data *data, const roast_summary *summary, const int *colours);

#endif
