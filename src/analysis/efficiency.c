/* Efficiency: what other metrics say of each other. */
#include "analysis/analysis.h"

static bool is_missing(const roast_summary *summary, metric_id id)
{
    return summary_value(summary, id).kind == ROAST_NOTHING;
}

static void say_why(roast_summary *summary)
{
    static const metric_id per_core[] = {M_run_core_efficiency, M_run_cpu_efficiency_fine, M_run_io_share_percent,
                                         M_run_event_rate_core_khz, M_run_event_rate_core_hz};
    if (is_missing(summary, M_run_total_cores))
        for (size_t i = 0; i < sizeof per_core / sizeof *per_core; i++)
            summary_set_why(summary, per_core[i], "the number of cores is not known");
    const char *no_spans = summary->why[M_run_processor_noncpu_time_seconds];
    if (no_spans) {
        summary_set_why(summary, M_run_io_overhead_percent, no_spans);
        summary_set_why(summary, M_run_io_share_percent, no_spans);
    }
    for (metric_id id = M_run_core_efficiency; id <= M_run_io_share_percent; id++)
        summary_set_why(summary, id, "what it is computed from is missing");
}

roast_code analyse_efficiency(analysis *a, roast_error *err)
{
    (void)err;
    roast_summary *summary = a->summary;
    double elapsed = summary_real(summary, M_run_elapsed_time_seconds);
    double core_seconds = elapsed * summary_real(summary, M_run_total_cores);
    double process = summary_real(summary, M_run_total_cpu_time);
    double events = summary_real(summary, M_run_total_events);
    double noncpu = summary_real(summary, M_run_processor_noncpu_time_seconds);
    summary_set_real(summary, M_run_core_efficiency, ratio(process, core_seconds));
    summary_set_real(summary, M_run_cpu_efficiency_fine,
                     ratio(summary_real(summary, M_run_processor_cpu_time_seconds), core_seconds));
    summary_set_real(summary, M_run_speedup_factor, ratio(process, elapsed));
    summary_set_real(summary, M_run_io_overhead_percent, ratio(noncpu * 100, elapsed));
    summary_set_real(summary, M_run_io_share_percent, ratio(noncpu * 100, core_seconds));
    summary_set_real(summary, M_run_event_rate_core_khz, ratio(events / 1000, core_seconds));
    summary_set_real(summary, M_run_event_rate_core_hz, ratio(events, core_seconds));
    say_why(summary);
    return ROAST_OK;
}
