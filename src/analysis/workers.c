/* Workers: their samples, and the timeline of arrivals and departures. The timeline is exact where the
 * engine announces them and sampled where it does not; both go through one integral (statistics.h), in which a step
 * is two points at one time. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/presence.h"
#include "analysis/slots.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/room.h"
#include "base/str.h"
#include "model/facts.h"

/* ---- Samples ------------------------------------------------------------------------------------------------- */

static void add_rate(timeline *rate, int64_t t_ns, double value)
{
    if (isfinite(value))
        timeline_add(rate, t_ns, value);
}

static void see_use(worker_tally *worker, const roast_sample *sample)
{
    int64_t t_ns = sample->t_ns;
    sample_stream *stream = sample->last_seen_ns == ROAST_ABSENT ? &worker->probe : &worker->heartbeats;
    worker->samples++;
    if (worker->first_ns == ROAST_ABSENT || t_ns < worker->first_ns)
        worker->first_ns = t_ns;
    if (t_ns > worker->last_ns) /* absent is smaller than any */
        worker->last_ns = t_ns;
    if (sample->memory != ROAST_ABSENT)
        timeline_add(&stream->memory, t_ns, (double)sample->memory);
    if (isfinite(sample->cpu))
        timeline_add(&stream->cpu, t_ns, sample->cpu);
    if (sample->spilled > worker->spilled_peak)
        worker->spilled_peak = sample->spilled;
}

roast_code feed_sample(void *context, const run_sample *row)
{
    analysis *a = context;
    const roast_sample *sample = &row->record;
    if (row->worker >= a->n_workers)
        return ROAST_OK;
    worker_tally *worker = &a->worker.workers[row->worker];
    host_tally *host = &a->worker.hosts[worker->host];
    worker->fed = true;
    if (sample->t_ns == ROAST_ABSENT)
        return ROAST_OK;
    a->worker.samples++;
    extend_window(&a->window, sample->t_ns);
    see_use(worker, sample);
    if (!trace_add_sample(&a->trace, row->worker, sample, run_worker(a->run, row->worker)->memory_limit))
        return ROAST_MEMORY;
    /* By the host's own clock: what is known of its workers' offsets would shuffle their samples. */
    add_rate(&host->net_read, row->host_ns, sample->net_read);
    add_rate(&host->net_write, row->host_ns, sample->net_write);
    add_rate(&host->disk_read, row->host_ns, sample->disk_read);
    add_rate(&host->disk_write, row->host_ns, sample->disk_write);
    return ROAST_OK;
}

bool fit_workers(analysis *a)
{
    size_t before = a->n_workers, count = run_workers(a->run);
    worker_sums *sums = &a->worker;
    const worker_tally fresh = {.spilled_peak = ROAST_ABSENT, .first_ns = ROAST_ABSENT, .last_ns = ROAST_ABSENT};
    worker_tally *workers = grow_before_last(sums->workers, before, count, sizeof *workers, &fresh);
    sums->workers = workers ? workers : sums->workers;
    host_tally *hosts = grow_before_last(sums->hosts, before, count, sizeof *hosts, &(host_tally){0});
    sums->hosts = hosts ? hosts : sums->hosts;
    for (uint32_t i = 0; workers && hosts && i < count; i++) {
        const roast_worker *worker = run_worker(a->run, i);
        uint32_t host = i < before ? workers[i].host : intern_add(&sums->host_names, worker_host(worker), NULL);
        if (host == INTERN_NONE)
            return false;
        workers[i].host = host;
        workers[i].cores = worker->cores;
        workers[i].clock_offset_ns = worker->clock_offset_ns;
    }
    return workers && hosts;
}

/* Cores, clock and host of a worker are recorded before its first row, but for engines that learn of them later. A
 * worker without rows may change; only its host may not, for hosts are numbered as their workers come. */
bool workers_changed(const analysis *a)
{
    for (uint32_t i = 0; i < a->n_workers; i++) {
        const worker_tally *tally = &a->worker.workers[i];
        const roast_worker *worker = run_worker(a->run, i);
        bool same =
            worker && str_equal(worker_host(worker), a->worker.host_names.strings[tally->host]) &&
            (!tally->fed || (worker->cores == tally->cores && worker->clock_offset_ns == tally->clock_offset_ns));
        if (!same)
            return true;
    }
    return false;
}

void worker_sums_release(worker_sums *sums)
{
    intern_release(&sums->host_names);
    free(sums->workers);
    free(sums->hosts);
}

/* The finer of the two streams, unless it tells of less of the worker's time. */
static timeline best_of(const timeline *fine, const timeline *coarse)
{
    bool enough = fine->points && timeline_seconds(fine) >= 0.9 * timeline_seconds(coarse);
    timeline best = enough || !coarse->points ? *fine : *coarse;
    if (fine->points && coarse->points) { /* extremes are those of both */
        best.min = fmin(fine->min, coarse->min);
        best.max = fmax(fine->max, coarse->max);
    }
    return best;
}

static timeline memory_of(const worker_tally *tally)
{
    return best_of(&tally->probe.memory, &tally->heartbeats.memory);
}

static timeline cpu_of(const worker_tally *tally)
{
    return best_of(&tally->probe.cpu, &tally->heartbeats.cpu);
}

static double share(double value, int64_t whole)
{
    return whole > 0 ? value / (double)whole : (double)NAN;
}

/* Means over workers of each worker's time-weighted mean; extremes over all workers and times. */
static void set_usage(const analysis *a, roast_summary *summary)
{
    moments memory = {0}, memory_use = {0}, cpu_use = {0};
    double peak = (double)NAN, memory_low = (double)NAN, memory_high = (double)NAN, cpu_low = (double)NAN,
           cpu_high = (double)NAN;
    int64_t spilled = ROAST_ABSENT;
    for (uint32_t i = 0; i < a->n_workers; i++) {
        const worker_tally *tally = &a->worker.workers[i];
        const roast_worker *worker = run_worker(a->run, i);
        timeline used = memory_of(tally), busy = cpu_of(tally);
        spilled = tally->spilled_peak > spilled ? tally->spilled_peak : spilled;
        if (used.points) {
            moments_add(&memory, timeline_average(&used));
            peak = fmax(peak, used.max);
        }
        if (used.points && worker->memory_limit > 0) {
            moments_add(&memory_use, 100 * share(timeline_average(&used), worker->memory_limit));
            memory_low = fmin(memory_low, 100 * share(used.min, worker->memory_limit));
            memory_high = fmax(memory_high, 100 * share(used.max, worker->memory_limit));
        }
        if (busy.points && worker->cores > 0) {
            moments_add(&cpu_use, share(timeline_average(&busy), worker->cores));
            cpu_low = fmin(cpu_low, share(busy.min, worker->cores));
            cpu_high = fmax(cpu_high, share(busy.max, worker->cores));
        }
    }
    if (isfinite(peak))
        summary_set_int(summary, M_run_peak_memory_bytes, (int64_t)peak);
    summary_set_real(summary, M_run_avg_memory_per_worker_bytes, moments_mean(&memory));
    summary_set_real(summary, M_run_memory_utilization_percent_mean, moments_mean(&memory_use));
    summary_set_real(summary, M_run_memory_utilization_percent_min, memory_low);
    summary_set_real(summary, M_run_memory_utilization_percent_max, memory_high);
    summary_set_real(summary, M_run_cpu_utilization_percent_mean, moments_mean(&cpu_use));
    summary_set_real(summary, M_run_cpu_utilization_percent_min, cpu_low);
    summary_set_real(summary, M_run_cpu_utilization_percent_max, cpu_high);
    summary_set_int(summary, M_run_spilled_bytes_peak, spilled);
}

static void add_integral(double *sum, const timeline *rate)
{
    if (rate->points)
        *sum = (isfinite(*sum) ? *sum : 0) + rate->integral;
}

static void set_host_traffic(const analysis *a, roast_summary *summary)
{
    double net_read = (double)NAN, net_write = (double)NAN, disk_read = (double)NAN, disk_write = (double)NAN;
    for (uint32_t i = 0; i < a->worker.host_names.count; i++) {
        add_integral(&net_read, &a->worker.hosts[i].net_read);
        add_integral(&net_write, &a->worker.hosts[i].net_write);
        add_integral(&disk_read, &a->worker.hosts[i].disk_read);
        add_integral(&disk_write, &a->worker.hosts[i].disk_write);
    }
    summary_set_real(summary, M_run_net_read_bytes, net_read);
    summary_set_real(summary, M_run_net_write_bytes, net_write);
    summary_set_real(summary, M_run_disk_read_bytes_host, disk_read);
    summary_set_real(summary, M_run_disk_write_bytes_host, disk_write);
}

/* ---- The window ---------------------------------------------------------------------------------------------- */

/* The collector says when the run began and ended. An interrupted run has no end: its last record stands for it. */
static void set_window(const analysis *a)
{
    time_window window = a->window;
    for (uint32_t i = 0; i < run_workers(a->run); i++)
        extend_window(&window, run_worker(a->run, i)->left_ns);
    for (size_t i = 0; i < run_counts(a->run); i++)
        extend_window(&window, roast_run_worker_count(a->run, i)->t_ns);
    int64_t start = run_fact_int(a->run, "t_start_ns"), end = run_fact_int(a->run, "t_end_ns");
    if (start == ROAST_ABSENT)
        start = window.first_ns;
    if (end == ROAST_ABSENT)
        end = window.last_ns;
    if (start != ROAST_ABSENT && end != ROAST_ABSENT && end < start)
        end = start;
    a->summary->t_start_ns = start;
    a->summary->t_end_ns = end;
}

/* ---- The timeline -------------------------------------------------------------------------------------------- */

typedef struct worker_timeline {
    timeline workers, cores;
    bool cores_known;
} worker_timeline;

static roast_code read_timeline(worker_timeline *line, const analysis *a, arena *scratch, roast_error *err)
{
    presence_points presence;
    roast_code code = presence_read(&presence, a->run, a->summary->t_start_ns, a->summary->t_end_ns, scratch, err);
    line->cores_known = presence.cores_known;
    for (size_t i = 0; !code && i < presence.count; i++) {
        const roast_worker_count *point = &presence.points[i];
        timeline_add(&line->workers, point->t_ns, (double)point->workers);
        if (presence.cores_known)
            timeline_add(&line->cores, point->t_ns, (double)point->cores);
    }
    return code;
}

/* How long a worker was there: by its arrival and departure, or by its samples where only those are known. */
static double presence_seconds(const analysis *a, uint32_t worker)
{
    const roast_worker *record = run_worker(a->run, worker);
    const worker_tally *tally = &a->worker.workers[worker];
    int64_t from, to;
    bool announced = record->joined_ns != ROAST_ABSENT || record->left_ns != ROAST_ABSENT;
    if (!announced && run_counts(a->run) && tally->first_ns != ROAST_ABSENT)
        return clock_seconds(tally->last_ns - tally->first_ns);
    const roast_summary *window = a->summary;
    bool present = worker_presence(record, window->t_start_ns, window->t_end_ns, &from, &to);
    return present ? clock_seconds(to - from) : 0;
}

static double cores_per_worker(const analysis *a)
{
    double core_seconds = 0, seconds = 0;
    moments plain = {0};
    for (uint32_t i = 0; i < a->n_workers; i++) {
        const roast_worker *worker = run_worker(a->run, i);
        if (worker->cores == ROAST_ABSENT)
            continue;
        double present = presence_seconds(a, i);
        core_seconds += (double)worker->cores * present;
        seconds += present;
        moments_add(&plain, (double)worker->cores);
    }
    return seconds > 0 ? core_seconds / seconds : moments_mean(&plain);
}

static void set_timeline(const analysis *a, const worker_timeline *line, roast_summary *summary)
{
    if (!line->workers.points)
        return;
    double per_worker = cores_per_worker(a);
    summary_set_real(summary, M_run_avg_workers, timeline_average(&line->workers));
    summary_set_real(summary, M_run_mean_workers, line->workers.sum / (double)line->workers.points);
    summary_set_int(summary, M_run_peak_workers, (int64_t)line->workers.max);
    summary_set_real(summary, M_run_cores_per_worker, per_worker);
    if (line->cores_known && line->cores.points) {
        summary_set_real(summary, M_run_total_cores, timeline_average(&line->cores));
        summary_set_int(summary, M_run_peak_cores, (int64_t)line->cores.max);
    } else {
        summary_set_real(summary, M_run_total_cores, timeline_average(&line->workers) * per_worker);
    }
}

static void set_arrivals(const analysis *a)
{
    const roast_summary *window = a->summary;
    int64_t joined = 0, left = 0, lost = 0;
    for (uint32_t i = 0; i < run_workers(a->run); i++) {
        const roast_worker *worker = run_worker(a->run, i);
        joined += worker->joined_ns > window->t_start_ns && worker->joined_ns <= window->t_end_ns;
        bool departed = worker->left_ns >= window->t_start_ns && worker->left_ns <= window->t_end_ns;
        left += departed && !worker->lost;
        lost += departed && worker->lost;
    }
    summary_set_int(a->summary, M_run_workers_joined, joined);
    summary_set_int(a->summary, M_run_workers_left, left);
    summary_set_int(a->summary, M_run_workers_lost, lost);
}

/* Records that do not say where they ran leave this open: it is not 0. */
static void fill_worker_chunks(const analysis *a, uint32_t i, roast_summary *summary)
{
    const chunk_tally *chunks = &a->workers[i], *nowhere = &a->workers[run_workers(a->run)];
    bool no_records_here = chunks->chunks + chunks->failed == 0;
    if (a->all.chunks + a->all.failed == nowhere->chunks + nowhere->failed ||
        (no_records_here && worker_not_measured(run_worker(a->run, i))))
        return;
    summary_cell_int(summary, M_worker_chunks, i, chunks->chunks);
    summary_cell_int(summary, M_worker_failed, i, chunks->failed);
    summary_cell_int(summary, M_worker_events, i, chunks->events);
    summary_cell_real(summary, M_worker_busy_seconds, i, clock_seconds(chunks->busy_ns));
    summary_cell_real(summary, M_worker_cpu_seconds, i, clock_seconds(chunks->cpu_ns));
    summary_cell_real(summary, M_worker_rate_khz, i,
                      ratio(as_real(chunks->events), clock_seconds(chunks->process_ns) * 1000));
}

static void fill_worker_row(const analysis *a, uint32_t i, roast_summary *summary)
{
    const roast_worker *worker = run_worker(a->run, i);
    const worker_tally *tally = &a->worker.workers[i];
    timeline used = memory_of(tally), busy = cpu_of(tally);
    bool departed = worker->left_ns != ROAST_ABSENT && worker->left_ns <= summary->t_end_ns;
    summary_cell_text(summary, M_worker_worker, i, worker->address);
    summary_cell_text(summary, M_worker_host, i, worker_host(worker));
    summary_cell_int(summary, M_worker_cores, i, worker->cores);
    summary_cell_int(summary, M_worker_memory_limit, i, worker->memory_limit);
    summary_cell_real(summary, M_worker_present_seconds, i, presence_seconds(a, i));
    summary_cell_text(summary, M_worker_departure, i,
                      !departed      ? STR("stayed")
                      : worker->lost ? STR("lost")
                                     : STR("left"));
    summary_cell_text(summary, M_worker_reason, i, worker->reason);
    fill_worker_chunks(a, i, summary);
    if (used.points)
        summary_cell_int(summary, M_worker_peak_memory_bytes, i, (int64_t)used.max);
    summary_cell_real(summary, M_worker_avg_memory_bytes, i, timeline_average(&used));
    summary_cell_real(summary, M_worker_avg_cpu_percent, i, share(timeline_average(&busy), worker->cores));
    summary_cell_int(summary, M_worker_samples, i, tally->samples);
    if (worker->probe != ROAST_ABSENT)
        summary_cell_text(summary, M_worker_measured, i, worker_not_measured(worker) ? STR("no") : STR("yes"));
}

static roast_code fill_summary(const analysis *a, arena *scratch, roast_error *err)
{
    worker_timeline line = {0};
    bool sampled = run_counts(a->run) > 0, tracked = a->summary->t_start_ns != ROAST_ABSENT && a->n_workers > 0;
    roast_code code = read_timeline(&line, a, scratch, err);
    if (!code && !summary_add_rows(a->summary, ROAST_SCOPE_WORKER, a->n_workers))
        code = fail_memory(err);
    if (code)
        return code;
    set_timeline(a, &line, a->summary);
    set_usage(a, a->summary);
    set_host_traffic(a, a->summary);
    if (tracked && !sampled)
        set_arrivals(a);
    for (uint32_t i = 0; i < a->n_workers; i++)
        fill_worker_row(a, i, a->summary);
    return ROAST_OK;
}

roast_code analyse_workers(analysis *a, roast_error *err)
{
    arena scratch = {0};
    set_window(a);
    roast_code code = fill_summary(a, &scratch, err);
    arena_release(&scratch);
    return code;
}
