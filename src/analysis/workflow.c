/* The run as a whole: totals from coffea's report, or from the chunk records where there is no report, and rates. */
#include <math.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"

/* NAN if nothing says. Sums over records are partial where some chunks were not measured. */
typedef struct total {
    double value;
    bool partial;
} total;

typedef struct run_totals {
    total events, bytes, seconds, chunks;
    bool from_report;
} run_totals;

static double whole(total t)
{
    return t.partial ? (double)NAN : t.value;
}

/* Of the same chunks, or of none. */
static double ratio_of(total numerator, total denominator)
{
    return numerator.partial == denominator.partial ? ratio(numerator.value, denominator.value) : (double)NAN;
}

static void from_chunks(const analysis *a, run_totals *t)
{
    if (a->all.chunks + a->all.failed == 0)
        return;
    bool partial = a->chunks_missing;
    t->events = (total){as_real(a->all.events), partial};
    t->bytes = (total){as_real(a->all.bytes_read), partial};
    t->seconds = (total){clock_seconds(a->all.process_ns), partial};
    t->chunks = (total){(double)a->all.chunks, partial};
}

static roast_code from_report(roast_run *run, run_totals *t, roast_error *err)
{
    const struct {
        const char *path;
        total *total;
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
        *numbers[i].total = (total){reported, false};
        t->from_report = true;
    }
    return code;
}

/* coffea merges a result once, however often it was computed. A report with more events than the chunks of the job, all
 * of which are recorded, counted again what was lost with a worker: it is not about the job. */
static bool counts_again(const analysis *a, const run_totals *reported)
{
    return a->chunks.recomputed && !a->chunks_missing && reported->events.value > as_real(a->all.events);
}

/* What the user gives per dataset replaces the report's totals by its sums; what no dataset has stays as it was. */
static roast_code from_custom_metrics(roast_run *run, run_totals *t, roast_error *err)
{
    const struct {
        const char *path;
        total *total;
    } sums[] = {{"$.entries", &t->events},
                {"$.duration", &t->seconds},
                {"$.performance_counters.num_requested_bytes", &t->bytes}};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof sums / sizeof *sums; i++) {
        double sum;
        code = run_document_sum(run, "custom_metrics", sums[i].path, &sum, err);
        if (!code && isfinite(sum))
            *sums[i].total = (total){sum, false};
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
    double events = whole(t->events), bytes = whole(t->bytes);
    summary_set_int(summary, M_run_total_events, whole_number(events));
    summary_set_int(summary, M_run_total_bytes_read, whole_number(bytes));
    summary_set_real(summary, M_run_total_cpu_time, whole(t->seconds));
    summary_set_int(summary, M_run_num_chunks, whole_number(whole(t->chunks)));
    summary_set_real(summary, M_run_avg_cpu_time_per_chunk, ratio_of(t->seconds, t->chunks));
    summary_set_real(summary, M_run_data_rate_gbps, ratio(bytes * 8 / 1e9, elapsed));
    summary_set_real(summary, M_run_data_rate_mbps, ratio(bytes / 1e6, elapsed));
    total thousands = {t->events.value / 1000, t->events.partial};
    double rate_wall = ratio(events / 1000, elapsed), rate_process = ratio_of(thousands, t->seconds);
    summary_set_real(summary, M_run_event_rate_elapsed_khz, rate_wall);
    summary_set_real(summary, M_run_event_rate_cpu_total_khz, rate_process);
    summary_set_real(summary, M_run_efficiency_ratio_percent, ratio(rate_wall * 100, rate_process));
    summary_set_real(summary, M_run_bytes_per_event, ratio_of(t->bytes, t->events));
}

roast_code analyse_workflow(analysis *a, roast_error *err)
{
    const total none = {(double)NAN, false};
    run_totals t = {none, none, none, none, false};
    from_chunks(a, &t);
    double of_chunks = whole(t.seconds);
    run_totals reported = t;
    roast_code code = ROAST_OK;
    if (!str_absent(roast_run_document(a->run, "report")))
        code = from_report(a->run, &reported, err);
    if (!counts_again(a, &reported))
        t = reported;
    if (!code && !str_absent(roast_run_document(a->run, "custom_metrics")))
        code = from_custom_metrics(a->run, &t, err);
    if (code)
        return code;
    if (!t.from_report && isfinite(whole(t.events)))
        a->summary->why_totals_of_chunks =
            reported.from_report ? "coffea's report counts what was recomputed: totals are sums over the chunk records"
                                 : "there is no coffea report: totals are sums over the chunk records";
    double elapsed = elapsed_seconds(a);
    set_totals(a->summary, &t, elapsed);
    summary_set_real(a->summary, M_run_process_seconds, isfinite(of_chunks) ? of_chunks : whole(t.seconds));
    int64_t preprocess_ns = run_fact_int(a->run, "preprocess_ns");
    summary_set_real(a->summary, M_run_preprocess_time_seconds, clock_seconds(preprocess_ns));
    a->from_report = reported.from_report;
    return ROAST_OK;
}
