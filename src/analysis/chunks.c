/* Chunks: the records, seen one by one, give the totals, the spreads, the exact percentiles, the rows of datasets and
 * failures, and the tallies that files and workers use later. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "model/facts.h"

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

static double spread_value(chunk_spread spread, double duration, double events, double growth)
{
    if (spread == SPREAD_DURATION)
        return duration;
    if (!(events > 0))
        return (double)NAN;
    return spread == SPREAD_TIME_PER_EVENT ? duration * 1e6 / events : growth / events;
}

static bool measure_success(chunk_sums *sums, const roast_chunk *chunk)
{
    double duration = clock_seconds(chunk->duration_ns);
    double events = chunk->events == ROAST_ABSENT ? (double)NAN : (double)chunk->events;
    double growth = memory_growth(chunk);
    add_if_known(&sums->duration, duration);
    add_if_known(&sums->events, events);
    add_if_known(&sums->mem_delta, growth / 1048576.0);
    double spreads[SPREADS];
    for (chunk_spread i = 0; i < SPREADS; i++)
        rank_count(&sums->ranks[i], spreads[i] = spread_value(i, duration, events, growth));
    add_if_known(&sums->time_per_event, spreads[SPREAD_TIME_PER_EVENT]);
    add_if_known(&sums->mem_per_event, spreads[SPREAD_MEMORY_PER_EVENT]);
    if (isfinite(duration) && isfinite(events))
        line_fit_add(&sums->runtime_vs_events, events, duration);
    return number_list_add(&sums->durations, duration) && number_list_add(&sums->event_counts, events) &&
           number_list_add(&sums->mem_deltas, growth);
}

static failure_group *failure_group_of(analysis *a, const run_chunk *row)
{
    failure_list *list = &a->chunks.failures;
    const roast_chunk *chunk = &row->record;
    const roast_str parts[] = {chunk->error_type, chunk->dataset, chunk->file, chunk->worker};
    buf key = {0};
    for (size_t i = 0; i < 4; i++) {
        buf_str(&key, parts[i]);
        buf_char(&key, '\0');
    }
    bool added = false;
    uint32_t number = key.code ? INTERN_NONE : intern_add(&list->keys, buf_view(&key), &added);
    buf_release(&key);
    failure_group *groups =
        number == INTERN_NONE ? NULL : with_room(list->groups, number, &list->capacity, sizeof *groups);
    if (!groups)
        return NULL;
    list->groups = groups;
    if (added)
        groups[number] = (failure_group){
            .error_type = arena_str(&a->memory, chunk->error_type),
            .error = arena_str(&a->memory, chunk->error),
            .dataset = row->dataset,
            .file = row->file,
            .worker = row->worker,
        };
    return &groups[number];
}

static bool measure_failure(analysis *a, const run_chunk *row)
{
    failure_group *group = failure_group_of(a, row);
    if (!group)
        return false;
    group->count++;
    saturated_add(&group->lost_ns, chunk_busy_ns(&row->record));
    return completeness_saw_failure(&a->completeness, row, (uint32_t)(group - a->chunks.failures.groups));
}

static size_t index_or_last(uint32_t index, size_t count)
{
    return index == RUN_UNKNOWN ? count : index;
}

static void count_attempt(chunk_sums *sums, const roast_chunk *chunk, const ledger_attempt *attempt)
{
    sums->records++;
    sums->successful += !attempt->failed && !attempt->recomputed;
    sums->failed += attempt->failed;
    sums->retried += chunk->attempt == 2 && !attempt->recomputed;
    sums->recomputed += attempt->recomputed;
    sums->bytes_unknown += !attempt->failed && !attempt->recomputed && chunk->bytes_read == ROAST_ABSENT;
    add_measured(&sums->run_delay_ns, chunk->run_delay_ns);
    add_measured(&sums->events_ns, chunk->events_ns);
    if (chunk->cpu_ns != ROAST_ABSENT && chunk->duration_ns != ROAST_ABSENT)
        add_measured(&sums->noncpu_ns, chunk->duration_ns - chunk->cpu_ns);
    add_if_known(&sums->mem_peak, mebibytes(chunk->rss_peak));
}

roast_code feed_chunk(void *context, const run_chunk *row)
{
    analysis *a = context;
    const roast_chunk *chunk = &row->record;
    bool memory_out = false;
    ledger_attempt attempt = {0};
    if (ledger_read(&a->ledger, row, &attempt, &memory_out)) {
        ledger_add(&a->ledger, row, &attempt);
        memory_out |= !a->brief && !trace_add(&a->trace, row, &attempt, (size_t)a->chunks.records);
    }
    bool failed = attempt.failed;
    count_attempt(&a->chunks, chunk, &attempt);
    size_t worker = index_or_last(row->worker, a->n_workers);
    tally(&a->all, chunk, failed, attempt.recomputed);
    tally(&a->datasets[index_or_last(row->dataset, a->n_datasets)], chunk, failed, attempt.recomputed);
    tally(&a->files[index_or_last(row->file, a->n_files)], chunk, failed, attempt.recomputed);
    tally(&a->workers[worker], chunk, failed, attempt.recomputed);
    a->worker.workers[worker].fed = true;
    a->nameless |= row->nameless_set;
    if (chunk->t_start_ns != ROAST_ABSENT) {
        extend_window(&a->window, chunk->t_start_ns);
        extend_window(&a->window, chunk->t_start_ns + or_zero(chunk->duration_ns));
    }
    bool kept = !memory_out && (failed ? measure_failure(a, row)
                                       : measure_success(&a->chunks, chunk) &&
                                             completeness_saw_success(&a->completeness, row, attempt.recomputed));
    if (a->brief)
        return kept ? ROAST_OK : ROAST_MEMORY;
    int64_t events = failed || attempt.recomputed ? 0 : or_zero(chunk->events);
    kept = kept && storage_add(&a->storage, row, &attempt);
    kept = kept && read_set_add(&a->read_sets, row->file, row->dataset, row->branch_set, events);
    return kept ? ROAST_OK : ROAST_MEMORY;
}

void chunk_sums_release(chunk_sums *sums)
{
    number_list_release(&sums->durations);
    number_list_release(&sums->event_counts);
    number_list_release(&sums->mem_deltas);
    intern_release(&sums->failures.keys);
    free(sums->failures.groups);
}

/* ---- From the sums to the summary ---------------------------------------------------------------------------- */

static void set_counts(const analysis *a, const chunk_sums *sums, roast_summary *summary)
{
    summary_set_int(summary, M_run_num_chunk_records, sums->records);
    summary_set_int(summary, M_run_num_successful_chunks, sums->successful);
    summary_set_int(summary, M_run_num_failed_chunks, sums->failed);
    summary_set_int(summary, M_run_num_retried_chunks, sums->retried);
    summary_set_int(summary, M_run_num_recomputed_chunks, sums->recomputed);
    summary_set_int(summary, M_run_chunk_bytes_read, a->all.bytes_read);
    if (sums->successful)
        summary_set_int(summary, M_run_total_events_from_chunks, sums->events.count ? a->all.events : ROAST_ABSENT);
}

static void set_moments(const chunk_sums *sums, roast_summary *summary)
{
    summary_set_real(summary, M_run_chunk_duration_mean, moments_mean(&sums->duration));
    summary_set_real(summary, M_run_chunk_duration_min, moments_min(&sums->duration));
    summary_set_real(summary, M_run_chunk_duration_max, moments_max(&sums->duration));
    summary_set_real(summary, M_run_chunk_duration_std, moments_deviation(&sums->duration));
    summary_set_real(summary, M_run_chunk_mem_delta_mean_mb, moments_mean(&sums->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_delta_min_mb, moments_min(&sums->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_delta_max_mb, moments_max(&sums->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_delta_std_mb, moments_deviation(&sums->mem_delta));
    summary_set_real(summary, M_run_chunk_mem_peak_max_mb, moments_max(&sums->mem_peak));
    summary_set_real(summary, M_run_chunk_events_mean, moments_mean(&sums->events));
    if (sums->events.count) {
        summary_set_int(summary, M_run_chunk_events_min, (int64_t)sums->events.min);
        summary_set_int(summary, M_run_chunk_events_max, (int64_t)sums->events.max);
    }
    summary_set_real(summary, M_run_time_per_event_us_mean, moments_mean(&sums->time_per_event));
    summary_set_real(summary, M_run_mem_per_event_bytes_mean, moments_mean(&sums->mem_per_event));
}

static void set_sums(const analysis *a, const chunk_sums *sums, roast_summary *summary)
{
    summary_set_real(summary, M_run_chunk_cpu_seconds_total, clock_seconds(a->all.cpu_ns));
    summary_set_real(summary, M_run_chunk_noncpu_seconds_total, clock_seconds(sums->noncpu_ns));
    summary_set_real(summary, M_run_chunk_run_delay_seconds_total, clock_seconds(sums->run_delay_ns));
    summary_set_real(summary, M_run_chunk_open_seconds_total, clock_seconds(a->all.open_ns));
    summary_set_real(summary, M_run_chunk_events_seconds_total, clock_seconds(sums->events_ns));
}

static void set_fit(const chunk_sums *sums, roast_summary *summary)
{
    const line_fit *fit = &sums->runtime_vs_events;
    double slope = line_fit_slope(fit), intercept = line_fit_intercept(fit);
    double limit = 3 * line_fit_residual_deviation(fit);
    summary_set_real(summary, M_run_runtime_vs_events_slope, slope);
    summary_set_real(summary, M_run_runtime_vs_events_intercept, intercept);
    summary_set_real(summary, M_run_runtime_vs_events_r2, line_fit_r2(fit));
    if (!isfinite(limit))
        return;
    int64_t outliers = 0;
    for (size_t i = 0; i < sums->durations.count; i++)
        outliers += sums->durations.values[i] - (intercept + slope * sums->event_counts.values[i]) > limit;
    summary_set_int(summary, M_run_runtime_vs_events_outliers, outliers);
}

/* The spread of which percentiles are asked, over the lists that it is made of. */
typedef struct spread_context {
    const chunk_sums *sums;
    chunk_spread spread;
} spread_context;

static double spread_at(const void *context, size_t i)
{
    const spread_context *c = context;
    const chunk_sums *sums = c->sums;
    return spread_value(c->spread, sums->durations.values[i], sums->event_counts.values[i], sums->mem_deltas.values[i]);
}

static bool set_percentiles(chunk_sums *sums, roast_summary *summary)
{
    static const struct {
        size_t count;
        metric_id metrics[MOST_PERCENTILES];
        double percents[MOST_PERCENTILES];
    } asked[SPREADS] = {
        [SPREAD_DURATION] = {4,
                             {M_run_chunk_duration_p05, M_run_chunk_duration_p50, M_run_chunk_duration_p95,
                              M_run_chunk_duration_p99},
                             {5, 50, 95, 99}},
        [SPREAD_TIME_PER_EVENT] = {2, {M_run_time_per_event_us_p50, M_run_time_per_event_us_p95}, {50, 95}},
        [SPREAD_MEMORY_PER_EVENT] = {2, {M_run_mem_per_event_bytes_p50, M_run_mem_per_event_bytes_p95}, {50, 95}},
    };
    for (chunk_spread i = 0; i < SPREADS; i++) {
        spread_context context = {sums, i};
        double values[MOST_PERCENTILES];
        if (!percentiles(&sums->ranks[i], sums->durations.count, spread_at, &context, asked[i].percents, values,
                         asked[i].count))
            return false;
        for (size_t k = 0; k < asked[i].count; k++)
            summary_set_real(summary, asked[i].metrics[k], values[k]);
    }
    return true;
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

static bool add_failure_rows(const analysis *a, roast_summary *summary)
{
    const failure_list *failures = &a->chunks.failures;
    size_t count = failures->keys.count;
    if (!summary_add_rows(summary, ROAST_SCOPE_FAILURE, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const failure_group *group = &failures->groups[i];
        const roast_file *file = run_file(a->run, group->file);
        const roast_worker *worker = run_worker(a->run, group->worker);
        summary_cell_text(summary, M_failure_error_type, i, group->error_type);
        summary_cell_int(summary, M_failure_count, i, group->count);
        summary_cell_text(summary, M_failure_dataset, i, run_dataset(a->run, group->dataset));
        summary_cell_text(summary, M_failure_file, i, file ? file->url : str_none());
        summary_cell_text(summary, M_failure_worker, i, worker ? worker->address : str_none());
        summary_cell_real(summary, M_failure_lost_seconds, i, clock_seconds(group->lost_ns));
        summary_cell_text(summary, M_failure_error, i, group->error);
    }
    return true;
}

roast_code analyse_chunks(analysis *a, roast_error *err)
{
    chunk_sums *sums = &a->chunks;
    roast_summary *summary = a->summary;
    if (!add_dataset_rows(a) || !add_failure_rows(a, summary))
        return fail_memory(err);
    if (!sums->records)
        return ROAST_OK;
    set_counts(a, sums, summary);
    set_moments(sums, summary);
    set_sums(a, sums, summary);
    set_fit(sums, summary);
    return set_percentiles(sums, summary) ? ROAST_OK : fail_memory(err);
}
