/* Why a metric is absent: the catalogue says what each needs, the run whether that was recorded. */
#include <math.h>
#include <roast.h>

#include "analysis/analysis.h"
#include "analysis/coverage.h"
#include "base/str.h"

static bool is_missing(const roast_summary *summary, metric_id id)
{
    return summary_value(summary, id).kind == ROAST_NOTHING;
}

/* A sentence that the run states, or one of ours. */
static const char *stated(const analysis *a, const char *fact, const char *otherwise)
{
    roast_str reason = roast_run_fact(a->run, fact);
    return str_absent(reason) ? otherwise : arena_str(&a->summary->memory, reason).ptr;
}

/* A run without chunks may know why it has none: then nothing else is worth saying. */
static const char *unless_no_chunks(const analysis *a, const char *why)
{
    return a->chunks.records ? why : stated(a, "no_chunks", why);
}

static const char *why_partly(const analysis *a)
{
    return say_partly_measured(a->summary, &a->summary->memory).ptr;
}

static const char *why_no_totals(const analysis *a)
{
    if (a->chunks_missing && a->chunks.records)
        return why_partly(a);
    bool any_source = a->from_report || a->chunks.records > 0;
    double elapsed = summary_real(a->summary, M_run_elapsed_time_seconds);
    return !any_source      ? unless_no_chunks(a, "no coffea report and no chunk records")
           : !(elapsed > 0) ? "the run has no duration"
           : a->from_report ? "neither in the coffea report nor in the chunk records"
                            : "not measured by the chunk records, and there is no coffea report";
}

/* Chunks say more than the tasks that ran them. */
static const char *why_no_tasks(const analysis *a)
{
    return a->tasks.of_runner || a->ledger.attempts ? "chunks are the work, not tasks" : "no tasks were recorded";
}

/* The run may say itself why it has none. */
static const char *why_no_spans(const analysis *a)
{
    return run_activities(a->run) ? "what it is computed from is missing"
                                  : stated(a, "no_fine_metrics", "no spans were recorded");
}

static const char *reason_for(const analysis *a, metric_need need)
{
    const char *not_tracked = "no worker was tracked";
    bool no_cores = is_missing(a->summary, M_run_total_cores);
    switch (need) {
    case NEEDS_request:
        return a->chunks_missing && !a->completeness.n_requested
                   ? why_partly(a)
                   : stated(a, "no_completeness", why_completeness_is_unknown(a));
    case NEEDS_window:
        return "neither start nor end is known";
    case NEEDS_totals:
        return why_no_totals(a);
    case NEEDS_preprocessing:
        return "preprocessing was not seen";
    case NEEDS_timeline:
        return not_tracked;
    case NEEDS_samples:
        return a->worker.samples ? "the workers' heartbeats do not carry it" : "no worker was sampled";
    case NEEDS_probes:
        return is_missing(a->summary, M_run_workers_not_measured) ? "it is not known which workers were measured"
                                                                  : "the engine's tasks do not tell";
    case NEEDS_arrivals:
        return run_counts(a->run) ? "this source tells counts, not arrivals and departures" : not_tracked;
    case NEEDS_sizes:
        if (a->chunks.runtime_vs_events.count && isnan(line_fit_slope(&a->chunks.runtime_vs_events)))
            return "all chunks have the same number of events";
        return reason_for(a, NEEDS_chunks);
    case NEEDS_chunks:
        return unless_no_chunks(a, a->chunks.records ? "not measured by the chunk records" : "no chunk records");
    case NEEDS_files:
        return unless_no_chunks(a, "no record names a file");
    case NEEDS_access_log:
        return unless_no_chunks(a, "no chunk carried an access log");
    case NEEDS_preload:
        return "nothing was loaded ahead";
    case NEEDS_requests:
        return unless_no_chunks(a, "no chunk counted its requests");
    case NEEDS_metadata:
        return "no file metadata";
    case NEEDS_spans:
        return why_no_spans(a);
    case NEEDS_cores_spans:
        return no_cores ? "the number of cores is not known" : why_no_spans(a);
    case NEEDS_tasks:
        return is_missing(a->summary, M_run_num_tasks) ? why_no_tasks(a) : "what it is computed from is missing";
    case NEEDS_cores:
        return no_cores ? "the number of cores is not known" : "what it is computed from is missing";
    case NEEDS_cores_totals:
        return no_cores ? "the number of cores is not known" : reason_for(a, NEEDS_others);
    case NEEDS_others:
        return a->chunks_missing ? why_partly(a)
               : a->from_report  ? "what it is computed from is missing"
                                 : unless_no_chunks(a, "what it is computed from is missing");
    }
    return "what it is computed from is missing";
}

void say_what_is_absent(analysis *a)
{
    metric_id first = metric_first(ROAST_SCOPE_RUN);
    for (metric_id id = first; id < first + metric_count(ROAST_SCOPE_RUN); id++)
        if (is_missing(a->summary, id))
            a->summary->why[id] = reason_for(a, metric_needs(id));
}
