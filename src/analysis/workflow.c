/* The run as a whole: totals from coffea's report, or from the chunk records where there is no report, and rates. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"

typedef struct run_totals {
    double events, bytes, seconds, chunks; /* NAN if nothing says */
    bool from_report;
} run_totals;

static void from_chunks(const analysis *a, run_totals *t)
{
    if (a->all.chunks + a->all.failed == 0)
        return;
    t->events = as_real(a->all.events);
    t->bytes = as_real(a->all.bytes_read);
    t->seconds = clock_seconds(a->all.process_ns);
    t->chunks = (double)a->all.chunks;
}

static roast_code from_report(roast_run *run, run_totals *t, roast_error *err)
{
    const struct {
        const char *path;
        double *value;
    } numbers[] = {{"$.entries", &t->events},
                   {"$.bytesread", &t->bytes},
                   {"$.processtime", &t->seconds},
                   {"$.chunks", &t->chunks}};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof numbers / sizeof *numbers; i++) {
        double reported;
        code = run_document_number(run, "report", numbers[i].path, &reported, err);
        if (code || !isfinite(reported))
            continue;
        *numbers[i].value = reported;
        t->from_report = true;
    }
    return code;
}

/* What the user gives per dataset replaces the report's totals by its sums; what no dataset has stays as it was. */
static roast_code from_custom_metrics(roast_run *run, run_totals *t, roast_error *err)
{
    const struct {
        const char *path;
        double *value;
    } sums[] = {{"$.entries", &t->events},
                {"$.duration", &t->seconds},
                {"$.performance_counters.num_requested_bytes", &t->bytes}};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof sums / sizeof *sums; i++) {
        double sum;
        code = run_document_sum(run, "custom_metrics", sums[i].path, &sum, err);
        if (!code && isfinite(sum))
            *sums[i].value = sum;
    }
    return code;
}

static double elapsed_seconds(const analysis *a)
{
    double measured = clock_seconds(run_fact_int(a->run, "elapsed_ns"));
    if (isfinite(measured))
        return measured;
    const roast_summary *summary = a->summary;
    if (summary->t_start_ns == ROAST_ABSENT || summary->t_end_ns == ROAST_ABSENT)
        return summary_real(summary, M_run_elapsed_time_seconds); /* as the source states it */
    return clock_seconds(summary->t_end_ns - summary->t_start_ns);
}

static void set_totals(roast_summary *summary, const run_totals *t, double elapsed)
{
    summary_set_real(summary, M_run_elapsed_time_seconds, elapsed);
    summary_set_int(summary, M_run_total_events, whole_number(t->events));
    summary_set_int(summary, M_run_total_bytes_read, whole_number(t->bytes));
    summary_set_real(summary, M_run_total_cpu_time, t->seconds);
    summary_set_int(summary, M_run_num_chunks, whole_number(t->chunks));
    summary_set_real(summary, M_run_avg_cpu_time_per_chunk, ratio(t->seconds, t->chunks));
    summary_set_real(summary, M_run_data_rate_gbps, ratio(t->bytes * 8 / 1e9, elapsed));
    summary_set_real(summary, M_run_data_rate_mbps, ratio(t->bytes / 1e6, elapsed));
    double rate_wall = ratio(t->events / 1000, elapsed), rate_process = ratio(t->events / 1000, t->seconds);
    summary_set_real(summary, M_run_event_rate_elapsed_khz, rate_wall);
    summary_set_real(summary, M_run_event_rate_cpu_total_khz, rate_process);
    summary_set_real(summary, M_run_efficiency_ratio_percent, ratio(rate_wall * 100, rate_process));
    summary_set_real(summary, M_run_bytes_per_event, ratio(t->bytes, t->events));
}

roast_code analyse_workflow(analysis *a, roast_error *err)
{
    run_totals t = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, false};
    from_chunks(a, &t);
    roast_code code = ROAST_OK;
    if (!str_absent(roast_run_document(a->run, "report")))
        code = from_report(a->run, &t, err);
    if (!code && !str_absent(roast_run_document(a->run, "custom_metrics")))
        code = from_custom_metrics(a->run, &t, err);
    if (code)
        return code;
    a->summary->totals_of_chunks = !t.from_report && isfinite(t.events);
    double elapsed = elapsed_seconds(a);
    set_totals(a->summary, &t, elapsed);
    int64_t preprocess_ns = run_fact_int(a->run, "preprocess_ns");
    summary_set_real(a->summary, M_run_preprocess_time_seconds, clock_seconds(preprocess_ns));
    a->from_report = t.from_report;
    return ROAST_OK;
}
