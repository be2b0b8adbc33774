/* Efficiency: what other metrics say of each other. */
#include "analysis/analysis.h"

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
    return ROAST_OK;
}
