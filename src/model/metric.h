/* The catalogue inside the library: an index per metric, so that a summary is an array. */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include <roast.h>

/* The scopes as the catalogue spells them: SCOPE_run, … */
enum {
#define SCOPE_SPELLING(name, NAME) SCOPE_##name = ROAST_SCOPE_##NAME,
    ROAST_SCOPES(SCOPE_SPELLING)
#undef SCOPE_SPELLING
};

/* M_run_total_events, M_dataset_rate_khz, …: positions in the catalogue. */
typedef enum metric_id {
#define ROAST_METRIC(scope, name, kind, needs, unit, aliases, formula, help) M_##scope##_##name,
#include <roast_metrics.def>
#undef ROAST_METRIC
    METRIC_COUNT
} metric_id;

/* What must have been recorded for a metric to be there, as the catalogue spells it. */
typedef enum metric_need {
    NEEDS_request,
    NEEDS_window,
    NEEDS_totals,
    NEEDS_preprocessing,
    NEEDS_timeline,
    NEEDS_arrivals,
    NEEDS_samples,
    NEEDS_probes,
    NEEDS_chunks,
    NEEDS_sizes,
    NEEDS_files,
    NEEDS_metadata,
    NEEDS_access_log,
    NEEDS_preload,
    NEEDS_requests,
    NEEDS_spans,
    NEEDS_cores,
    NEEDS_cores_totals,
    NEEDS_cores_spans,
    NEEDS_tasks,
    NEEDS_others
} metric_need;

const roast_metric *metric_info(metric_id id);
metric_need metric_needs(metric_id id);
/* By canonical name or alias; METRIC_COUNT if there is none. */
metric_id metric_find(roast_scope scope, roast_str name);
/* The metrics of a scope are first … first + count - 1. */
metric_id metric_first(roast_scope scope);
size_t metric_count(roast_scope scope);
/* Metrics that are a part of a record (lists and maps) have no column. */
bool metric_has_column(metric_id id);

#endif
