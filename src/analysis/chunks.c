/* Chunks: one pass over the records gives the totals, the spreads, the exact percentiles, the rows of datasets and
 * failures, and the tallies that files and workers use later. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/saturate.h"
#include "base/str.h"
#include "model/facts.h"

/* Failed attempts of one reason in one place. */
typedef struct failure_group {
    roast_str error_type, dataset, file, worker, error;
    int64_t count, lost_ns;
} failure_group;

typedef struct failure_list {
    intern keys; /* number is the index into groups */
    failure_group *groups;
    size_t capacity;
} failure_list;

typedef struct chunk_pass {
    analysis *a;
    int64_t records, successful, failed, retried, recomputed;
    int64_t run_delay_ns, events_ns, noncpu_ns;
    moments duration, mem_delta, mem_peak, events, time_per_event, mem_per_event;
    line_fit runtime_vs_events;
    /* Per successful attempt, NAN where absent: exact percentiles need all of them. */
    number_list durations, event_counts, mem_deltas;
    failure_list failures;
} chunk_pass;

/* ---- One record ---------------------------------------------------------------------------------------------- */

/* recomputed: what it gave was there already, so only its time counts. */
static void tally(chunk_tally *tally, const roast_chunk *chunk, bool failed, bool recomputed)
{
    tally->failed += failed;
    saturated_add(&tally->busy_ns, chunk_busy_ns(chunk));
    saturated_add(&tally->attempted_ns, or_zero(chunk->duration_ns));
    add_measured(&tally->cpu_ns, chunk->cpu_ns);
    add_measured(&tally->open_ns, chunk->open_ns);
    if (failed || recomputed)
        return;
    tally->chunks++;
    if (tally->chunks == 1) /* nothing done is 0; from the first on, what was not measured is absent */
        tally->events = tally->process_ns = ROAST_ABSENT;
    add_measured(&tally->events, chunk->events);
    add_measured(&tally->process_ns, chunk->duration_ns);
    add_measured(&tally->bytes_read, chunk->bytes_read);
    add_measured(&tally->read_requests, chunk->read_requests);
}

static double memory_growth(const roast_chunk *chunk)
{
    if (chunk->rss_before == ROAST_ABSENT || chunk->rss_after == ROAST_ABSENT)
        return (double)NAN;
    return (double)chunk->rss_after - (double)chunk->rss_before;
}

static void add_if_known(moments *m, double value)
{
    if (isfinite(value))
        moments_add(m, value);
}

static bool measure_success(chunk_pass *pass, const roast_chunk *chunk)
{
    double duration = clock_seconds(chunk->duration_ns);
    double events = chunk->events == ROAST_ABSENT ? (double)NAN : (double)chunk->events;
    double growth = memory_growth(chunk);
    add_if_known(&pass->duration, duration);
    add_if_known(&pass->events, events);
    add_if_known(&pass->mem_delta, growth / 1048576.0);
    if (events > 0) {
        add_if_known(&pass->time_per_event, duration * 1e6 / events);
        add_if_known(&pass->mem_per_event, growth / events);
    }
    if (isfinite(duration) && isfinite(events))
        line_fit_add(&pass->runtime_vs_events, events, duration);
    return number_list_add(&pass->durations, duration) && number_list_add(&pass->event_counts, events) &&
           number_list_add(&pass->mem_deltas, growth);
}

static failure_group *failure_group_of(chunk_pass *pass, const roast_chunk *chunk)
{
    failure_list *list = &pass->failures;
    const roast_str parts[] = {chunk->error_type, chunk->dataset, chunk->file, chunk->worker};
    buf key = {0};
    for (size_t i = 0; i < 4; i++) {
        buf_str(&key, parts[i]);
        buf_char(&key, '\0');
    }
    bool added = false;
    uint32_t number = key.code ? INTERN_NONE : intern_add(&list->keys, buf_view(&key), &added);
    buf_release(&key);
    if (number == INTERN_NONE)
        return NULL;
    if (number >= list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        failure_group *groups = realloc(list->groups, capacity * sizeof *groups);
        if (!groups)
            return NULL;
        list->groups = groups;
        list->capacity = capacity;
    }
    if (added) /* dataset, file and worker are the run's; the error's texts live only as long as the row */
        list->groups[number] = (failure_group){
            .error_type = arena_str(&pass->a->summary->memory, chunk->error_type),
            .error = arena_str(&pass->a->summary->memory, chunk->error),
            .dataset = chunk->dataset,
            .file = chunk->file,
            .worker = chunk->worker,
        };
    return &list->groups[number];
}

static bool measure_failure(chunk_pass *pass, const roast_chunk *chunk)
{
    failure_group *group = failure_group_of(pass, chunk);
    if (!group)
        return false;
    group->count++;
    saturated_add(&group->lost_ns, chunk_busy_ns(chunk));
    return true;
}

static size_t index_or_last(uint32_t index, size_t count)
{
    return index == RUN_UNKNOWN ? count : index;
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    chunk_pass *pass = context;
    analysis *a = pass->a;
    const roast_chunk *chunk = &row->record;
    bool failed = chunk_failed(chunk);
    bool memory_out = false;
    ledger_attempt attempt = {0};
    if (ledger_read(&a->ledger, row, &attempt, &memory_out)) {
        ledger_add(&a->ledger, row, &attempt);
        memory_out |= !trace_add(&a->trace, row, &attempt);
    }
    pass->records++;
    pass->successful += !failed;
    pass->failed += failed;
    pass->retried += chunk->attempt == 2 && !attempt.recomputed;
    pass->recomputed += attempt.recomputed;
    add_measured(&pass->run_delay_ns, chunk->run_delay_ns);
    add_measured(&pass->events_ns, chunk->events_ns);
    if (chunk->cpu_ns != ROAST_ABSENT && chunk->duration_ns != ROAST_ABSENT)
        add_measured(&pass->noncpu_ns, chunk->duration_ns - chunk->cpu_ns);
    add_if_known(&pass->mem_peak, mebibytes(chunk->rss_peak));
    size_t dataset = index_or_last(row->dataset, run_datasets(a->run));
    tally(&a->all, chunk, failed, attempt.recomputed);
    tally(&a->datasets[dataset], chunk, failed, attempt.recomputed);
    tally(&a->files[index_or_last(row->file, run_files(a->run))], chunk, failed, attempt.recomputed);
    tally(&a->workers[index_or_last(row->worker, run_workers(a->run))], chunk, failed, attempt.recomputed);
    if (chunk->t_start_ns != ROAST_ABSENT) {
        extend_window(a, chunk->t_start_ns);
        extend_window(a, chunk->t_start_ns + or_zero(chunk->duration_ns));
    }
    bool kept = !memory_out && (failed ? measure_failure(pass, chunk) : measure_success(pass, chunk));
    int64_t events = failed || attempt.recomputed ? 0 : or_zero(chunk->events);
    return kept && read_set_add(&a->read_sets, row->file, (uint32_t)dataset, row->branch_set, events) ? ROAST_OK
                                                                                                      : ROAST_MEMORY;
}

/* ---- From the pass to the summary ---------------------------------------------------------------------------- */

static void set_counts(const chunk_pass *pass, roast_summary *summary)
{
    summary_set_int(summary, M_run_num_chunk_records, pass->records);
    summary_set_int(summary, M_run_num_successful_chunks, pass->successful);
    summary_set_int(summary, M_run_num_failed_chunks, pass->failed);
    summary_set_int(summary, M_run_num_retried_chunks, pass->retried);
    summary_set_int(summary, M_run_num_recomputed_chunks, pass->recomputed);
    if (pass->successful)
        summary_set_int(summary, M_run_total_events_from_chunks,
                        pass->events.count ? pass->a->all.events : ROAST_ABSENT);
}

static void set_moments(const chunk_pass *pass, roast_summary *summary)
{
    summary_set_real(summary, M_run_chunk_duration_mean, moments_mean(&pass->duration));
    summary_set_real(summary, M_run_chunk_duration_min, moments_min(&pass->duration));
    summary_set_real(summary, M_run_chunk_duration_max, moments_max(&pass->duration));
    summary_set_real(summary, M_run_chunk_duration_std, moments_deviation(&pass->duration));
    summary_set_real(summary, M_run_chunk_mem_delta_mean_mb, moments_mean(&pass->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_delta_min_mb, moments_min(&pass->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_delta_max_mb, moments_max(&pass->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_delta_std_mb, moments_deviation(&pass->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_peak_max_mb, moments_max(&pass->mem_peak));
    summary_set_real(summary, M_run_chunk_events_mean, moments_mean(&pass->events));
    if (pass->events.count) {
        summary_set_int(summary, M_run_chunk_events_min, (int64_t)pass->events.min);
        summary_set_int(summary, M_run_chunk_events_max, (int64_t)pass->events.max);
    }
    summary_set_real(summary, M_run_time_per_event_us_mean, moments_mean(&pass->time_per_event));
    summary_set_real(summary, M_run_mem_per_event_bytes_mean, moments_mean(&pass->mem_per_event));
}

static void set_sums(const chunk_pass *pass, roast_summary *summary)
{
    summary_set_real(summary, M_run_chunk_cpu_seconds_total, clock_seconds(pass->a->all.cpu_ns));
    summary_set_real(summary, M_run_chunk_noncpu_seconds_total, clock_seconds(pass->noncpu_ns));
    summary_set_real(summary, M_run_chunk_run_delay_seconds_total, clock_seconds(pass->run_delay_ns));
    summary_set_real(summary, M_run_chunk_open_seconds_total, clock_seconds(pass->a->all.open_ns));
    summary_set_real(summary, M_run_chunk_events_seconds_total, clock_seconds(pass->events_ns));
}

static void set_fit(const chunk_pass *pass, roast_summary *summary)
{
    const line_fit *fit = &pass->runtime_vs_events;
    double slope = line_fit_slope(fit), intercept = line_fit_intercept(fit);
    double limit = 3 * line_fit_residual_deviation(fit);
    summary_set_real(summary, M_run_runtime_vs_events_slope, slope);
    summary_set_real(summary, M_run_runtime_vs_events_intercept, intercept);
    summary_set_real(summary, M_run_runtime_vs_events_r2, line_fit_r2(fit));
    if (!isfinite(limit))
        return;
    int64_t outliers = 0;
    for (size_t i = 0; i < pass->durations.count; i++)
        outliers += pass->durations.values[i] - (intercept + slope * pass->event_counts.values[i]) > limit;
    summary_set_int(summary, M_run_runtime_vs_events_outliers, outliers);
}

/* Moves the finite values to the front. */
static size_t keep_finite(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    return kept;
}

typedef struct percentile_spec {
    metric_id metric;
    double percent;
} percentile_spec;

static void set_percentiles(roast_summary *summary, double *values, size_t count, const percentile_spec *specs,
                            size_t n_specs)
{
    count = keep_finite(values, count);
    for (size_t i = 0; i < n_specs; i++)
        summary_set_real(summary, specs[i].metric, percentile(values, count, specs[i].percent));
}

/* Uses up the lists: the ratios are made in place, in the list that is not needed any more. */
static void set_all_percentiles(chunk_pass *pass, roast_summary *summary)
{
    static const percentile_spec of_duration[] = {{M_run_chunk_duration_p05, 5},
                                                  {M_run_chunk_duration_p50, 50},
                                                  {M_run_chunk_duration_p95, 95},
                                                  {M_run_chunk_duration_p99, 99}};
    static const percentile_spec of_time[] = {{M_run_time_per_event_us_p50, 50}, {M_run_time_per_event_us_p95, 95}};
    static const percentile_spec of_memory[] = {{M_run_mem_per_event_bytes_p50, 50},
                                                {M_run_mem_per_event_bytes_p95, 95}};
    double *durations = pass->durations.values, *events = pass->event_counts.values, *growth = pass->mem_deltas.values;
    size_t count = pass->durations.count;
    for (size_t i = 0; i < count; i++) {
        double per_event = events[i] > 0 ? 1 / events[i] : (double)NAN;
        growth[i] = events[i] > 0 ? growth[i] / events[i] : (double)NAN;
        events[i] = isfinite(per_event) ? durations[i] * 1e6 / events[i] : (double)NAN;
    }
    set_percentiles(summary, durations, count, of_duration, 4);
    set_percentiles(summary, events, count, of_time, 2);
    set_percentiles(summary, growth, count, of_memory, 2);
}

static void fill_dataset_row(roast_summary *summary, size_t row, roast_str name, const chunk_tally *tally)
{
    double seconds = clock_seconds(tally->process_ns), chunks = (double)tally->chunks;
    summary_cell_text(summary, M_dataset_dataset, row, name);
    summary_cell_int(summary, M_dataset_num_chunks, row, tally->chunks);
    summary_cell_int(summary, M_dataset_failed, row, tally->failed);
    summary_cell_int(summary, M_dataset_total_events, row, tally->events);
    summary_cell_real(summary, M_dataset_total_duration, row, seconds);
    summary_cell_real(summary, M_dataset_mean_duration, row, ratio(seconds, chunks));
    summary_cell_real(summary, M_dataset_mean_events_per_chunk, row, ratio(as_real(tally->events), chunks));
    summary_cell_real(summary, M_dataset_cpu_seconds, row, clock_seconds(tally->cpu_ns));
    summary_cell_real(summary, M_dataset_open_seconds, row, clock_seconds(tally->open_ns));
    summary_cell_int(summary, M_dataset_bytes_read, row, tally->bytes_read);
    summary_cell_real(summary, M_dataset_rate_khz, row, ratio(as_real(tally->events), seconds * 1000));
    summary_cell_real(summary, M_dataset_requests_per_chunk, row, ratio(as_real(tally->read_requests), chunks));
}

static bool add_dataset_rows(const analysis *a)
{
    size_t count = run_datasets(a->run);
    bool unknown = a->datasets[count].chunks + a->datasets[count].failed > 0;
    if (!summary_add_rows(a->summary, ROAST_SCOPE_DATASET, count + unknown))
        return false;
    for (size_t i = 0; i < count; i++)
        fill_dataset_row(a->summary, i, run_dataset(a->run, (uint32_t)i), &a->datasets[i]);
    if (unknown)
        fill_dataset_row(a->summary, count, STR("unknown"), &a->datasets[count]);
    return true;
}

static bool add_failure_rows(const chunk_pass *pass, roast_summary *summary)
{
    size_t count = pass->failures.keys.count;
    if (!summary_add_rows(summary, ROAST_SCOPE_FAILURE, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const failure_group *group = &pass->failures.groups[i];
        summary_cell_text(summary, M_failure_error_type, i, group->error_type);
        summary_cell_int(summary, M_failure_count, i, group->count);
        summary_cell_text(summary, M_failure_dataset, i, group->dataset);
        summary_cell_text(summary, M_failure_file, i, group->file);
        summary_cell_text(summary, M_failure_worker, i, group->worker);
        summary_cell_real(summary, M_failure_lost_seconds, i, clock_seconds(group->lost_ns));
        summary_cell_text(summary, M_failure_error, i, group->error);
    }
    return true;
}

static roast_code fill_summary(chunk_pass *pass, roast_summary *summary, roast_error *err)
{
    if (!add_dataset_rows(pass->a) || !add_failure_rows(pass, summary))
        return fail_memory(err);
    if (pass->records) {
        set_counts(pass, summary);
        set_moments(pass, summary);
        set_sums(pass, summary);
        set_fit(pass, summary);
        set_all_percentiles(pass, summary);
    }
    pass->a->chunk_records = pass->records;
    pass->a->equal_sizes = pass->runtime_vs_events.count && isnan(line_fit_slope(&pass->runtime_vs_events));
    return ROAST_OK;
}

roast_code analyse_chunks(analysis *a, roast_error *err)
{
    chunk_pass pass = {.a = a, .run_delay_ns = ROAST_ABSENT, .events_ns = ROAST_ABSENT, .noncpu_ns = ROAST_ABSENT};
    roast_code code = run_each_chunk(a->run, RUN_MEASURES, see_chunk, &pass, err);
    if (code == ROAST_MEMORY)
        fail_memory(err);
    if (!code)
        code = fill_summary(&pass, a->summary, err);
    number_list_release(&pass.durations);
    number_list_release(&pass.event_counts);
    number_list_release(&pass.mem_deltas);
    intern_release(&pass.failures.keys);
    free(pass.failures.groups);
    return code;
}
