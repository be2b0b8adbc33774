/* What a run can be had from: run files, and what other programs left behind, which is read into records. */
#ifndef RECORD_LOAD_H
#define RECORD_LOAD_H

#include "model/sink.h"

/* One of open and read is there. A new source is one row of the table in load.c. */
typedef struct run_source {
    bool (*recognise)(const char *path);
    roast_code (*open)(roast_run **out, const char *path, const roast_open_options *options, roast_error *err);
    roast_code (*read)(const char *path, const record_sink *sink, roast_error *err);
} run_source;

/* The first source that recognises the path, of all or of those that are read; NULL if none does. */
const run_source *run_source_of(const char *path, bool to_read);

/* A run that is only in memory, from data that a script holds: JSON in the shape of metrics.json of 0.1.x, or parts of
 * it: tracking_data, raw_chunk_metrics, raw_span_metrics, metrics. */
roast_code run_of_metrics(roast_run **out, roast_str metrics, roast_error *err);

#endif
