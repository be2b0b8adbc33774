/* Where a source puts its records: one call per kind. What is passed is borrowed for the call; the sink copies what
 * it keeps. A call that returns anything but ROAST_OK ends the reading, and its code is returned by the source. */
#ifndef MODEL_SINK_H
#define MODEL_SINK_H

#include <roast.h>

typedef struct record_sink {
    void *context; /* handed to every call */
    roast_code (*fact)(void *context, const char *key, roast_str value, roast_error *err);
    roast_code (*fact_int)(void *context, const char *key, int64_t value, roast_error *err);
    /* A run metric that the source states; analysis takes it where no record gives it. */
    roast_code (*given)(void *context, roast_str metric, roast_value value, roast_error *err);
    roast_code (*worker)(void *context, const roast_worker *worker, roast_error *err);
    roast_code (*sample)(void *context, const roast_sample *sample, roast_error *err);
    roast_code (*count)(void *context, const roast_worker_count *count, roast_error *err);
    roast_code (*chunk)(void *context, const roast_chunk *chunk, roast_error *err);
    roast_code (*file)(void *context, const roast_file *file, roast_error *err);
    roast_code (*task)(void *context, const roast_task *task, roast_error *err);
    roast_code (*activity)(void *context, const roast_activity *activity, roast_error *err);
    /* kind: "report", "custom_metrics", "config". */
    roast_code (*document)(void *context, const char *kind, roast_str json, roast_error *err);
    roast_code (*note)(void *context, const char *level, roast_str text, roast_error *err); /* "info", "warning" */
} record_sink;

#endif
