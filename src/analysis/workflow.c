/* The run as a whole: totals from coffea's report, or from the chunk records where there is no report, and rates. */
#include <jansson.h>
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

typedef struct totals {
    double events, bytes, seconds, chunks; /* NAN if nothing says */
    bool from_report;
} totals;

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static json_t *parse_document(const roast_run *run, const char *kind)
{
    roast_str text = run_document(run, kind);
    return str_absent(text) ? NULL : json_loadb(text.ptr, text.len, JSON_DISABLE_EOF_CHECK, NULL);
}

static void from_chunks(const analysis *a, totals *t)
{
    if (a->all.chunks + a->all.failed == 0)
        return;
    t->events = (double)a->all.events;
    t->bytes = a->all.bytes_read == ROAST_ABSENT ? (double)NAN : (double)a->all.bytes_read;
    t->seconds = clock_seconds(a->all.process_ns);
    t->chunks = (double)a->all.chunks;
}

static void from_report(const json_t *report, totals *t)
{
    t->from_report = true;
    t->events = number_of(report, "entries");
    t->bytes = number_of(report, "bytesread");
    t->seconds = number_of(report, "processtime");
    t->chunks = number_of(report, "chunks");
}

/* What the user gives per dataset replaces the report's totals by its sums. */
static void from_custom_metrics(json_t *custom, totals *t)
{
    const char *dataset;
    json_t *metrics;
    double events = 0, bytes = 0, seconds = 0;
    json_object_foreach(custom, dataset, metrics)
    {
        if (!json_is_object(metrics))
            continue;
        const json_t *counters = json_object_get(metrics, "performance_counters");
        double dataset_bytes = number_of(counters, "num_requested_bytes");
        double dataset_events = number_of(metrics, "entries"), dataset_seconds = number_of(metrics, "duration");
        events += isfinite(dataset_events) ? dataset_events : 0;
        bytes += isfinite(dataset_bytes) ? dataset_bytes : 0;
        seconds += isfinite(dataset_seconds) ? dataset_seconds : 0;
    }
    t->events = events;
    t->bytes = bytes;
    t->seconds = seconds;
}

static int64_t whole(double value)
{
    return isfinite(value) && fabs(value) < 9e18 ? (int64_t)value : ROAST_ABSENT;
}

static double elapsed_seconds(const analysis *a)
{
    double measured = clock_seconds(run_fact_int(a->run, "elapsed_ns"));
    if (isfinite(measured))
        return measured;
    const roast_summary *summary = a->summary;
    if (summary->t_start_ns == ROAST_ABSENT || summary->t_end_ns == ROAST_ABSENT)
        return (double)NAN;
    return clock_seconds(summary->t_end_ns - summary->t_start_ns);
}

static void set_totals(roast_summary *summary, const totals *t, double elapsed)
{
    summary_set_real(summary, M_run_elapsed_time_seconds, elapsed);
    summary_set_int(summary, M_run_total_events, whole(t->events));
    summary_set_int(summary, M_run_total_bytes_read, whole(t->bytes));
    summary_set_real(summary, M_run_total_cpu_time, t->seconds);
    summary_set_int(summary, M_run_num_chunks, whole(t->chunks));
    summary_set_real(summary, M_run_avg_cpu_time_per_chunk, ratio(t->seconds, t->chunks));
    summary_set_real(summary, M_run_data_rate_gbps, ratio(t->bytes * 8 / 1e9, elapsed));
    summary_set_real(summary, M_run_data_rate_mbps, ratio(t->bytes / 1e6, elapsed));
    double rate_wall = ratio(t->events / 1000, elapsed), rate_process = ratio(t->events / 1000, t->seconds);
    summary_set_real(summary, M_run_event_rate_elapsed_khz, rate_wall);
    summary_set_real(summary, M_run_event_rate_cpu_total_khz, rate_process);
    summary_set_real(summary, M_run_efficiency_ratio_percent, ratio(rate_wall * 100, rate_process));
    summary_set_real(summary, M_run_bytes_per_event, ratio(t->bytes, t->events));
    summary_set_real(summary, M_run_preprocess_time_seconds, (double)NAN);
}

static void say_why(roast_summary *summary, bool any_source, double elapsed)
{
    const char *why = !any_source      ? "no coffea report and no chunk records"
                      : !(elapsed > 0) ? "the run has no duration"
                                       : "not in the coffea report";
    summary_set_why(summary, M_run_elapsed_time_seconds, "neither start nor end is known");
    for (metric_id id = M_run_elapsed_time_seconds; id <= M_run_bytes_per_event; id++)
        summary_set_why(summary, id, why);
    summary_set_why(summary, M_run_preprocess_time_seconds, "preprocessing was not seen");
}

roast_code analyse_workflow(analysis *a, roast_error *err)
{
    (void)err;
    totals t = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, false};
    json_t *report = parse_document(a->run, "report"), *custom = parse_document(a->run, "custom_metrics");
    from_chunks(a, &t);
    if (json_is_object(report))
        from_report(report, &t);
    if (json_is_object(custom) && json_object_size(custom))
        from_custom_metrics(custom, &t);
    json_decref(report);
    json_decref(custom);
    double elapsed = elapsed_seconds(a);
    set_totals(a->summary, &t, elapsed);
    int64_t preprocess_ns = run_fact_int(a->run, "preprocess_ns");
    summary_set_real(a->summary, M_run_preprocess_time_seconds, clock_seconds(preprocess_ns));
    say_why(a->summary, t.from_report || isfinite(t.events), elapsed);
    return ROAST_OK;
}
