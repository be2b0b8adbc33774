/* Efficiency: what other metrics say of each other. */
#include <math.h>

#include "analysis/analysis.h"
#include "analysis/coverage.h"
#include "base/clock.h"
#include "base/str.h"
#include "model/facts.h"

/* Where records are not of all chunks, and nothing else tells of all: time and events of the workers that were
 * measured, against their cores alone. */
static void set_of_measured(const analysis *a, double elapsed)
{
    roast_summary *summary = a->summary;
    double seconds = clock_seconds(a->all.process_ns), events = as_real(a->all.events);
    double core_seconds = elapsed * measured_cores(a->run, summary);
    for (uint32_t w = 0; w < a->n_workers; w++)
        if (worker_not_measured(run_worker(a->run, w))) {
            seconds -= clock_seconds(or_zero(a->workers[w].process_ns));
            events -= (double)or_zero(a->workers[w].events);
        }
    if (!(core_seconds > 0) || !a->chunks.records)
        return;
    if (summary_value(summary, M_run_total_cpu_time).kind == ROAST_NOTHING)
        summary_set_real(summary, M_run_core_efficiency, ratio(seconds, core_seconds));
    if (summary_value(summary, M_run_total_events).kind != ROAST_NOTHING)
        return;
    summary_set_real(summary, M_run_event_rate_core_khz, ratio(events / 1000, core_seconds));
    summary_set_real(summary, M_run_event_rate_core_hz, ratio(events, core_seconds));
}

/* What the report has more than the chunks was read before process(), if both are about the same attempts: whether a
 * report counts again what was done again, nobody knows. */
static double opening_bytes(const analysis *a)
{
    const roast_summary *s = a->summary;
    double missing = fmax(summary_real(s, M_run_missing_chunks), 0); /* fmax passes over what is absent */
    bool same = !a->chunks_missing && !a->chunks.bytes_unknown && !a->chunks.recomputed &&
                summary_real(s, M_run_num_successful_chunks) + missing >= summary_real(s, M_run_num_chunks);
    double more = summary_real(s, M_run_total_bytes_read) - summary_real(s, M_run_chunk_bytes_read);
    bool reported = a->from_report && str_absent(roast_run_document(a->run, "custom_metrics"));
    return reported && same && more > 0 ? more : (double)NAN;
}

static void set_of_chunks(const analysis *a, double elapsed)
{
    summary_set_int(a->summary, M_run_opening_bytes_read, whole_number(opening_bytes(a)));
    if (a->chunks.records && !a->chunks_missing)
        summary_set_real(a->summary, M_run_concurrent_chunks_mean, ratio(clock_seconds(a->all.busy_ns), elapsed));
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
    set_of_chunks(a, elapsed);
    if (a->chunks_missing)
        set_of_measured(a, elapsed);
    return ROAST_OK;
}
