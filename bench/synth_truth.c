/* What any analysis must find in a simulated job. Plain arrays, textbook formulas, several passes: this file shares
 * nothing with src/analysis, so that the two can be held against each other. Keys are names of the catalogue;
 * what cannot be known is left out. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "synth.h"

static const double MEBIBYTE = 1048576.0;

/* ---- Numbers of the catalogue ---------------------------------------------------------------------------------- */

static void put(json_t *object, const char *name, double value)
{
    if (isfinite(value))
        json_object_set_new(object, name, json_real(value));
}

static void put_count(json_t *object, const char *name, int64_t value)
{
    json_object_set_new(object, name, json_integer(value));
}

static double seconds(int64_t ns)
{
    return ns == ROAST_ABSENT ? (double)NAN : (double)ns / 1e9;
}

static double ratio(double over, double under)
{
    return under != 0 ? over / under : (double)NAN;
}

/* ---- Lists of numbers ------------------------------------------------------------------------------------------ */

typedef struct numbers {
    double *list;
    size_t count;
} numbers;

typedef double (*number_of)(const synth_job *job, const synth_attempt *attempt);

static double duration_of(const synth_job *job, const synth_attempt *attempt)
{
    (void)job;
    return seconds(attempt->duration_ns);
}

static double events_of(const synth_job *job, const synth_attempt *attempt)
{
    return (double)job->chunks[attempt->chunk].events;
}

static double growth_of(const synth_job *job, const synth_attempt *attempt)
{
    (void)job;
    return (double)(attempt->rss_after - attempt->rss_before) / MEBIBYTE;
}

static double microseconds_per_event(const synth_job *job, const synth_attempt *attempt)
{
    int64_t events = job->chunks[attempt->chunk].events;
    return events ? (double)attempt->duration_ns / 1e3 / (double)events : (double)NAN;
}

static double bytes_per_event(const synth_job *job, const synth_attempt *attempt)
{
    int64_t events = job->chunks[attempt->chunk].events;
    return events ? (double)(attempt->rss_after - attempt->rss_before) / (double)events : (double)NAN;
}

/* Of the attempts that succeeded, those that have the number. */
static numbers collect(const synth_job *job, number_of get)
{
    numbers out = {calloc((size_t)job->n_attempts + 1, sizeof(double)), 0};
    for (uint32_t a = 0; a < job->n_attempts && out.list; a++) {
        double value = job->attempts[a].fate == SYNTH_SUCCEEDED ? get(job, &job->attempts[a]) : (double)NAN;
        if (!isnan(value))
            out.list[out.count++] = value;
    }
    return out;
}

static double mean_of(numbers n)
{
    long double sum = 0;
    for (size_t i = 0; i < n.count; i++)
        sum += n.list[i];
    return n.count ? (double)(sum / (long double)n.count) : (double)NAN;
}

static double deviation_of(numbers n)
{
    if (n.count < 2)
        return n.count ? 0 : (double)NAN;
    long double mean = mean_of(n), squares = 0;
    for (size_t i = 0; i < n.count; i++)
        squares += (n.list[i] - mean) * (n.list[i] - mean);
    return (double)sqrtl(squares / (long double)(n.count - 1));
}

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void sort_numbers(numbers n)
{
    qsort(n.list, n.count, sizeof *n.list, compare_numbers);
}

/* Of a sorted list: linear between ranks, as numpy.percentile does by default. */
static double percentile_of(numbers sorted, double percent)
{
    if (!sorted.count)
        return (double)NAN;
    double rank = percent / 100 * (double)(sorted.count - 1);
    size_t below = (size_t)floor(rank), above = (size_t)ceil(rank);
    return sorted.list[below] + (sorted.list[above] - sorted.list[below]) * (rank - (double)below);
}

static double least_of(numbers sorted)
{
    return sorted.count ? sorted.list[0] : (double)NAN;
}

static double most_of(numbers sorted)
{
    return sorted.count ? sorted.list[sorted.count - 1] : (double)NAN;
}

/* ---- Chunks ---------------------------------------------------------------------------------------------------- */

static void put_distributions(json_t *run, const synth_job *job)
{
    numbers duration = collect(job, duration_of), growth = collect(job, growth_of), events = collect(job, events_of);
    numbers time_each = collect(job, microseconds_per_event), memory_each = collect(job, bytes_per_event);
    numbers *all[] = {&duration, &growth, &events, &time_each, &memory_each};
    for (size_t i = 0; i < 5; i++)
        sort_numbers(*all[i]);
    put(run, "chunk_duration_mean", mean_of(duration));
    put(run, "chunk_duration_min", least_of(duration));
    put(run, "chunk_duration_max", most_of(duration));
    put(run, "chunk_duration_std", deviation_of(duration));
    put(run, "chunk_duration_p05", percentile_of(duration, 5));
    put(run, "chunk_duration_p50", percentile_of(duration, 50));
    put(run, "chunk_duration_p95", percentile_of(duration, 95));
    put(run, "chunk_duration_p99", percentile_of(duration, 99));
    put(run, "chunk_mem_delta_mean_mb", mean_of(growth));
    put(run, "chunk_mem_delta_min_mb", least_of(growth));
    put(run, "chunk_mem_delta_max_mb", most_of(growth));
    put(run, "chunk_mem_delta_std_mb", deviation_of(growth));
    put(run, "chunk_events_mean", mean_of(events));
    put(run, "chunk_events_min", least_of(events));
    put(run, "chunk_events_max", most_of(events));
    put(run, "time_per_event_us_mean", mean_of(time_each));
    put(run, "time_per_event_us_p50", percentile_of(time_each, 50));
    put(run, "time_per_event_us_p95", percentile_of(time_each, 95));
    put(run, "mem_per_event_bytes_mean", mean_of(memory_each));
    put(run, "mem_per_event_bytes_p50", percentile_of(memory_each, 50));
    put(run, "mem_per_event_bytes_p95", percentile_of(memory_each, 95));
    for (size_t i = 0; i < 5; i++)
        free(all[i]->list);
}

/* Far above the line: by three standard deviations of the distances from it, two degrees of freedom being used up. */
static int64_t count_outliers(numbers x, numbers y, long double slope, long double intercept)
{
    long double squares = 0;
    for (size_t i = 0; i < x.count; i++)
        squares += powl(y.list[i] - intercept - slope * x.list[i], 2);
    long double deviation = sqrtl(squares / (long double)(x.count - 2));
    int64_t outliers = 0;
    for (size_t i = 0; i < x.count; i++)
        outliers += y.list[i] - intercept - slope * x.list[i] > 3 * deviation;
    return outliers;
}

static void put_fit(json_t *run, const synth_job *job)
{
    numbers x = collect(job, events_of), y = collect(job, duration_of);
    long double mean_x = mean_of(x), mean_y = mean_of(y), xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < x.count; i++) {
        xx += (x.list[i] - mean_x) * (x.list[i] - mean_x);
        xy += (x.list[i] - mean_x) * (y.list[i] - mean_y);
        yy += (y.list[i] - mean_y) * (y.list[i] - mean_y);
    }
    if (x.count > 2 && xx > 0 && yy > 0) {
        put(run, "runtime_vs_events_slope", (double)(xy / xx));
        put(run, "runtime_vs_events_intercept", (double)(mean_y - xy / xx * mean_x));
        put(run, "runtime_vs_events_r2", (double)(xy * xy / (xx * yy)));
        put_count(run, "runtime_vs_events_outliers", count_outliers(x, y, xy / xx, mean_y - xy / xx * mean_x));
    }
    free(x.list);
    free(y.list);
}

/* Sums over attempts; which of them is up to the caller. */
typedef struct tally {
    int64_t chunks, failed, events, duration_ns, cpu_ns, noncpu_ns, run_delay_ns, open_ns, events_ns, return_ns;
    int64_t busy_ns, bytes, rss_peak;
    int64_t cpu_known;
} tally;

static int64_t known(int64_t value)
{
    return value == ROAST_ABSENT ? 0 : value;
}

static void tally_attempt(tally *t, const synth_job *job, const synth_attempt *attempt)
{
    bool succeeded = attempt->fate == SYNTH_SUCCEEDED;
    t->chunks += succeeded;
    t->failed += !succeeded;
    t->events += succeeded ? job->chunks[attempt->chunk].events : 0;
    t->duration_ns += attempt->duration_ns;
    t->cpu_ns += known(attempt->cpu_ns);
    t->cpu_known += attempt->cpu_ns != ROAST_ABSENT;
    t->noncpu_ns += attempt->cpu_ns == ROAST_ABSENT ? 0 : attempt->duration_ns - attempt->cpu_ns;
    t->run_delay_ns += known(attempt->run_delay_ns);
    t->open_ns += known(attempt->open_ns);
    t->events_ns += known(attempt->events_ns);
    t->return_ns += known(attempt->return_ns);
    t->busy_ns +=
        attempt->duration_ns + known(attempt->open_ns) + known(attempt->events_ns) + known(attempt->return_ns);
    t->bytes += known(attempt->bytes_read);
    if (attempt->rss_peak > t->rss_peak)
        t->rss_peak = attempt->rss_peak;
}

static void put_chunks(json_t *run, const synth_job *job)
{
    tally all = {0};
    int64_t retried = 0;
    for (uint32_t a = 0; a < job->n_attempts; a++)
        tally_attempt(&all, job, &job->attempts[a]);
    for (uint32_t c = 0; c < job->options.chunks; c++)
        retried += job->chunks[c].tries > 1;
    if (!job->n_attempts)
        return;
    put_count(run, "num_chunk_records", job->n_attempts);
    put_count(run, "num_successful_chunks", all.chunks);
    put_count(run, "num_failed_chunks", all.failed);
    put_count(run, "num_retried_chunks", retried);
    if (all.chunks)
        put_count(run, "total_events_from_chunks", all.events);
    if (all.cpu_known) {
        put(run, "chunk_mem_peak_max_mb", (double)all.rss_peak / MEBIBYTE);
        put(run, "chunk_cpu_seconds_total", seconds(all.cpu_ns));
        put(run, "chunk_noncpu_seconds_total", seconds(all.noncpu_ns));
        put(run, "chunk_run_delay_seconds_total", seconds(all.run_delay_ns));
        put(run, "chunk_open_seconds_total", seconds(all.open_ns));
        put(run, "chunk_schema_seconds_total", seconds(all.events_ns));
    }
}

/* ---- Workers --------------------------------------------------------------------------------------------------- */

/* When a worker was there during the run. */
static int64_t presence(const synth_job *job, const synth_worker *worker, int64_t *from, int64_t *until)
{
    *from = worker->joined_ns > job->t_start_ns ? worker->joined_ns : job->t_start_ns;
    *until = worker->left_ns == ROAST_ABSENT ? job->t_end_ns : worker->left_ns;
    return *until - *from;
}

/* Most workers, and most cores, at the moment when one of them arrives: there is no other moment for a maximum. */
static void put_peaks(json_t *run, const synth_job *job)
{
    int64_t most = 0, most_cores = 0;
    for (uint32_t i = 0; i < job->options.workers; i++) {
        int64_t moment, ignored, workers = 0, cores = 0;
        presence(job, &job->workers[i], &moment, &ignored);
        for (uint32_t w = 0; w < job->options.workers; w++) {
            int64_t from, until;
            presence(job, &job->workers[w], &from, &until);
            if (from <= moment && moment < until) {
                workers++;
                cores += job->workers[w].cores;
            }
        }
        most = workers > most ? workers : most;
        most_cores = cores > most_cores ? cores : most_cores;
    }
    put_count(run, "peak_workers", most);
    put_count(run, "peak_cores", most_cores);
}

static void put_presence(json_t *run, const synth_job *job)
{
    double elapsed = seconds(job->t_end_ns - job->t_start_ns), worker_seconds = 0, core_seconds = 0;
    int64_t left = 0, lost = 0, late = 0;
    for (uint32_t w = 0; w < job->options.workers; w++) {
        const synth_worker *worker = &job->workers[w];
        int64_t from, until;
        double present = seconds(presence(job, worker, &from, &until));
        worker_seconds += present;
        core_seconds += present * (double)worker->cores;
        late += worker->joined_ns > job->t_start_ns;
        lost += worker->left_ns != ROAST_ABSENT && worker->lost;
        left += worker->left_ns != ROAST_ABSENT && !worker->lost;
    }
    put(run, "avg_workers", worker_seconds / elapsed);
    put(run, "total_cores", core_seconds / elapsed);
    put(run, "cores_per_worker", core_seconds / worker_seconds);
    put_count(run, "workers_joined", late);
    put_count(run, "workers_left", left);
    put_count(run, "workers_lost", lost);
}

typedef double (*reading_of)(const synth_worker *worker, const synth_sample *sample);

static double memory_reading(const synth_worker *worker, const synth_sample *sample)
{
    (void)worker;
    return (double)sample->memory;
}

static double memory_share(const synth_worker *worker, const synth_sample *sample)
{
    return (double)sample->memory / (double)worker->memory_limit * 100;
}

static double cpu_share(const synth_worker *worker, const synth_sample *sample)
{
    return sample->cpu / (double)worker->cores;
}

static double spilled_reading(const synth_worker *worker, const synth_sample *sample)
{
    (void)worker;
    return (double)sample->spilled;
}

static double net_read_rate(const synth_worker *worker, const synth_sample *sample)
{
    (void)worker;
    return sample->net_read;
}

static double net_write_rate(const synth_worker *worker, const synth_sample *sample)
{
    (void)worker;
    return sample->net_write;
}

static double disk_read_rate(const synth_worker *worker, const synth_sample *sample)
{
    (void)worker;
    return sample->disk_read;
}

static double disk_write_rate(const synth_worker *worker, const synth_sample *sample)
{
    (void)worker;
    return sample->disk_write;
}

/* The area under a worker's readings, by trapezoids. */
static double area(const synth_job *job, uint32_t w, reading_of get)
{
    const synth_sample *sample = &job->samples[(size_t)w * job->options.samples];
    double sum = 0;
    for (uint32_t k = 1; k < job->options.samples; k++) {
        double height = (get(&job->workers[w], &sample[k]) + get(&job->workers[w], &sample[k - 1])) / 2;
        sum += height * seconds(sample[k].t_ns - sample[k - 1].t_ns);
    }
    return sum;
}

static double mean_over_time(const synth_job *job, uint32_t w, reading_of get)
{
    uint32_t n = job->options.samples;
    const synth_sample *sample = &job->samples[(size_t)w * n];
    if (n == 0)
        return (double)NAN;
    if (n == 1)
        return get(&job->workers[w], sample);
    return area(job, w, get) / seconds(sample[n - 1].t_ns - sample[0].t_ns);
}

static double mean_over_workers(const synth_job *job, reading_of get)
{
    double sum = 0;
    for (uint32_t w = 0; w < job->options.workers; w++)
        sum += mean_over_time(job, w, get);
    return sum / job->options.workers;
}

static double extreme(const synth_job *job, reading_of get, double sign)
{
    double most = -(double)INFINITY;
    for (uint32_t w = 0; w < job->options.workers; w++)
        for (uint32_t k = 0; k < job->options.samples; k++)
            most = fmax(most, sign * get(&job->workers[w], &job->samples[(size_t)w * job->options.samples + k]));
    return sign * most;
}

static double area_over_workers(const synth_job *job, reading_of get)
{
    double sum = 0;
    for (uint32_t w = 0; w < job->options.workers; w++)
        sum += area(job, w, get);
    return sum;
}

static void put_readings(json_t *run, const synth_job *job)
{
    put(run, "peak_memory_bytes", extreme(job, memory_reading, 1));
    put(run, "avg_memory_per_worker_bytes", mean_over_workers(job, memory_reading));
    put(run, "memory_utilization_percent_mean", mean_over_workers(job, memory_share));
    put(run, "memory_utilization_percent_min", extreme(job, memory_share, -1));
    put(run, "memory_utilization_percent_max", extreme(job, memory_share, 1));
    put(run, "cpu_utilization_percent_mean", mean_over_workers(job, cpu_share));
    put(run, "cpu_utilization_percent_min", extreme(job, cpu_share, -1));
    put(run, "cpu_utilization_percent_max", extreme(job, cpu_share, 1));
    put(run, "spilled_bytes_peak", extreme(job, spilled_reading, 1));
    if (job->options.workers_per_host == 1 && job->options.samples > 1) {
        put(run, "net_read_bytes", area_over_workers(job, net_read_rate));
        put(run, "net_write_bytes", area_over_workers(job, net_write_rate));
        put(run, "disk_read_bytes_host", area_over_workers(job, disk_read_rate));
        put(run, "disk_write_bytes_host", area_over_workers(job, disk_write_rate));
    }
}

static json_t *worker_rows(const synth_job *job)
{
    const synth_options *o = &job->options;
    json_t *rows = json_object();
    tally *tallies = calloc((size_t)o->workers + 1, sizeof *tallies);
    tally *successes = calloc((size_t)o->workers + 1, sizeof *successes);
    for (uint32_t a = 0; a < job->n_attempts && o->workers && tallies && successes; a++) {
        tally_attempt(&tallies[job->attempts[a].worker], job, &job->attempts[a]);
        if (job->attempts[a].fate == SYNTH_SUCCEEDED)
            tally_attempt(&successes[job->attempts[a].worker], job, &job->attempts[a]);
    }
    for (uint32_t w = 0; w < o->workers && tallies && successes; w++) {
        const synth_worker *worker = &job->workers[w];
        const tally *t = &tallies[w];
        int64_t from, until;
        json_t *row = json_object();
        put(row, "present_seconds", seconds(presence(job, worker, &from, &until)));
        const char *departure = worker->left_ns == ROAST_ABSENT ? "stayed" : worker->lost ? "lost" : "left";
        json_object_set_new(row, "departure", json_string(departure));
        char address_host[48] = ""; /* "tcp://HOST:PORT" */
        sscanf(worker->address, "tcp://%47[^:]", address_host);
        json_object_set_new(row, "host", json_string(job->options.no_hosts ? address_host : worker->host));
        put_count(row, "cores", worker->cores);
        put_count(row, "memory_limit", worker->memory_limit);
        put_count(row, "samples", o->samples);
        if (job->n_attempts) { /* else nothing says what anybody did */
            put_count(row, "chunks", t->chunks);
            put_count(row, "failed", t->failed);
        }
        if (t->chunks) {
            put_count(row, "events", t->events);
            put(row, "rate_khz", ratio((double)t->events, seconds(successes[w].duration_ns) * 1000));
            put(row, "busy_seconds", seconds(t->busy_ns));
            put(row, "cpu_seconds", seconds(t->cpu_ns));
        }
        put(row, "avg_memory_bytes", mean_over_time(job, w, memory_reading));
        put(row, "avg_cpu_percent", mean_over_time(job, w, cpu_share));
        json_object_set_new(rows, worker->address, row);
    }
    free(tallies);
    free(successes);
    return rows;
}

/* ---- Datasets, files, sections, failures ------------------------------------------------------------------------ */

static json_t *dataset_rows(const synth_job *job)
{
    json_t *rows = json_object();
    for (uint32_t d = 0; d < job->options.datasets; d++) {
        tally done = {0}, all = {0};
        for (uint32_t a = 0; a < job->n_attempts; a++) {
            const synth_attempt *attempt = &job->attempts[a];
            if (job->files[job->chunks[attempt->chunk].file].dataset != d)
                continue;
            tally_attempt(&all, job, attempt);
            if (attempt->fate == SYNTH_SUCCEEDED)
                tally_attempt(&done, job, attempt);
        }
        if (!all.chunks && !all.failed)
            continue;
        json_t *row = json_object();
        put_count(row, "num_chunks", done.chunks);
        put_count(row, "failed", all.failed);
        if (done.chunks) {
            put_count(row, "total_events", done.events);
            put(row, "total_duration", seconds(done.duration_ns));
            put(row, "mean_duration", seconds(done.duration_ns) / (double)done.chunks);
            put(row, "mean_events_per_chunk", (double)done.events / (double)done.chunks);
            put(row, "cpu_seconds", seconds(all.cpu_ns));
            put(row, "open_seconds", seconds(all.open_ns));
            put_count(row, "bytes_read", done.bytes);
            put(row, "rate_khz", (double)done.events / seconds(done.duration_ns) / 1000);
        }
        json_object_set_new(rows, job->datasets[d].name, row);
    }
    return rows;
}

/* Bytes, compressed, of the branches that a dataset reads in each of its files. */
static int64_t bytes_of_set(const synth_job *job, const synth_dataset *dataset)
{
    int64_t bytes = 0;
    for (uint32_t b = 0; b < job->options.branches; b++)
        bytes += job->branches[dataset->first_branch + b].compressed;
    return bytes;
}

static json_t *file_row(const synth_job *job, const synth_file *file, const tally *done, const tally *all)
{
    json_t *row = json_object();
    double total_branches = job->n_branches + job->unread_branches;
    put_count(row, "num_chunks", done->chunks);
    put_count(row, "failed", all->failed);
    if (done->chunks) {
        put_count(row, "total_events", done->events);
        put(row, "total_duration", seconds(done->duration_ns));
        put(row, "open_seconds", seconds(all->open_ns));
        put(row, "rate_khz", (double)done->events / seconds(done->duration_ns) / 1000);
        if (job->options.branches) {
            int64_t bytes = bytes_of_set(job, &job->datasets[file->dataset]);
            put_count(row, "branches_read", job->options.branches);
            put(row, "branches_read_percent", job->options.branches / total_branches * 100);
            put_count(row, "bytes_read", bytes);
            put(row, "bytes_read_percent", (double)bytes / (double)file->compressed * 100);
        }
    }
    put(row, "compression_ratio", (double)file->compressed / (double)file->uncompressed);
    put(row, "times_smaller", (double)file->uncompressed / (double)file->compressed);
    put(row, "total_branches", total_branches);
    put_count(row, "total_tree_bytes", file->compressed);
    put_count(row, "tree_uncompressed_bytes", file->uncompressed);
    put_count(row, "clusters", file->clusters);
    return row;
}

static json_t *file_rows(const synth_job *job)
{
    const synth_options *o = &job->options;
    json_t *rows = json_object();
    tally *done = calloc(o->files, sizeof *done), *all = calloc(o->files, sizeof *all);
    for (uint32_t a = 0; a < job->n_attempts && done && all; a++) {
        uint32_t f = job->chunks[job->attempts[a].chunk].file;
        tally_attempt(&all[f], job, &job->attempts[a]);
        if (job->attempts[a].fate == SYNTH_SUCCEEDED)
            tally_attempt(&done[f], job, &job->attempts[a]);
    }
    for (uint32_t f = 0; f < o->files && done && all; f++)
        json_object_set_new(rows, job->files[f].url, file_row(job, &job->files[f], &done[f], &all[f]));
    free(done);
    free(all);
    return rows;
}

/* Means over files, of those that were read. */
static void put_coverage(json_t *run, const synth_job *job, json_t *files)
{
    double branch_sum = 0, byte_sum = 0, compression_sum = 0;
    size_t read = 0, count = json_object_size(files);
    const char *url;
    json_t *row;
    json_object_foreach(files, url, row)
    {
        compression_sum += json_number_value(json_object_get(row, "compression_ratio"));
        if (!json_object_get(row, "branches_read_percent"))
            continue;
        read++;
        branch_sum += json_number_value(json_object_get(row, "branches_read_percent"));
        byte_sum += json_number_value(json_object_get(row, "bytes_read_percent"));
    }
    put_count(run, "num_files", job->options.files);
    put(run, "avg_compression_ratio", compression_sum / (double)count);
    if (!read)
        return;
    put(run, "avg_branches_read_percent", branch_sum / (double)read);
    put(run, "avg_bytes_read_percent", byte_sum / (double)read);
    int64_t distinct = 0;
    for (uint32_t b = 0; b < job->n_branches; b++) {
        bool used = false;
        for (uint32_t a = 0; a < job->n_attempts && !used; a++) {
            uint32_t first = job->datasets[job->files[job->chunks[job->attempts[a].chunk].file].dataset].first_branch;
            used = job->attempts[a].fate == SYNTH_SUCCEEDED && b >= first && b < first + job->options.branches;
        }
        distinct += used;
    }
    put_count(run, "total_branches_read", distinct);
}

static json_t *section_row(const synth_job *job, uint32_t s, double process_seconds)
{
    uint32_t n = job->options.sections;
    int64_t entered = 0, time = 0, longest = 0, cpu = 0, bytes = 0, chunks = 0;
    double growth = 0, least = (double)INFINITY, most = -(double)INFINITY;
    for (uint32_t a = 0; a < job->n_attempts; a++) {
        const synth_section *section = &job->sections[(size_t)a * n + s];
        if (job->attempts[a].fate != SYNTH_SUCCEEDED)
            continue;
        double delta = (double)section->rss_delta / MEBIBYTE;
        chunks++;
        entered += section->count;
        time += section->duration_ns;
        longest = section->duration_ns > longest ? section->duration_ns : longest;
        cpu += section->cpu_ns;
        bytes += section->bytes;
        growth += delta;
        least = fmin(least, delta);
        most = fmax(most, delta);
    }
    json_t *row = json_object();
    put_count(row, "count", entered);
    put(row, "total_duration", seconds(time));
    put(row, "mean_duration", seconds(time) / (double)entered);
    put(row, "max_duration", seconds(longest));
    put(row, "cpu_seconds", seconds(cpu));
    put(row, "share_of_process_percent", seconds(time) / process_seconds * 100);
    put(row, "mean_mem_delta_mb", growth / (double)chunks);
    put(row, "min_mem_delta_mb", least);
    put(row, "max_mem_delta_mb", most);
    put_count(row, "bytes", bytes);
    return row;
}

static json_t *section_rows(const synth_job *job)
{
    json_t *rows = json_object();
    int64_t process = 0, successes = 0;
    for (uint32_t a = 0; a < job->n_attempts; a++) {
        process += job->attempts[a].duration_ns;
        successes += job->attempts[a].fate == SYNTH_SUCCEEDED;
    }
    for (uint32_t s = 0; s < job->options.sections && successes; s++) {
        char name[32];
        synth_section_name(s, name, sizeof name);
        json_object_set_new(rows, name, section_row(job, s, seconds(process)));
    }
    return rows;
}

/* Attempts that failed, and the time that was lost with them, by kind. */
static json_t *failures(const synth_job *job)
{
    static const char *const kinds[] = {"KilledWorker", "OSError", "ValueError"};
    tally by_kind[3] = {0};
    for (uint32_t a = 0; a < job->n_attempts; a++) {
        const synth_attempt *attempt = &job->attempts[a];
        if (attempt->fate == SYNTH_SUCCEEDED)
            continue;
        int kind = attempt->fate == SYNTH_KILLED ? 0 : job->chunks[attempt->chunk].doomed ? 2 : 1;
        tally_attempt(&by_kind[kind], job, attempt);
    }
    json_t *out = json_object();
    for (int kind = 0; kind < 3; kind++) {
        if (!by_kind[kind].failed)
            continue;
        json_t *row = json_object();
        put_count(row, "count", by_kind[kind].failed);
        put(row, "lost_seconds", seconds(by_kind[kind].busy_ns));
        json_object_set_new(out, kinds[kind], row);
    }
    return out;
}

/* ---- The run as a whole ------------------------------------------------------------------------------------------ */

static double activity_sum(const synth_job *job, int processor, const char *activity, const char *unit)
{
    double sum = 0;
    for (uint32_t i = 0; i < job->n_activities; i++) {
        const synth_activity *a = &job->activities[i];
        bool of_processor = strcmp(a->prefix, SYNTH_PROCESSOR) == 0;
        if (strcmp(a->activity, activity) == 0 && strcmp(a->unit, unit) == 0 &&
            (processor < 0 || processor == of_processor))
            sum += a->value;
    }
    return sum;
}

static void put_fine(json_t *run, const synth_job *job)
{
    if (!job->n_activities)
        return;
    double cpu = activity_sum(job, 1, "thread-cpu", "seconds"),
           other = activity_sum(job, 1, "thread-noncpu", "seconds");
    put(run, "processor_cpu_time_seconds", cpu);
    put(run, "processor_noncpu_time_seconds", other);
    put(run, "processor_cpu_percentage", ratio(100 * cpu, cpu + other));
    put(run, "processor_noncpu_percentage", ratio(100 * other, cpu + other));
    put(run, "overhead_cpu_time_seconds", activity_sum(job, 0, "thread-cpu", "seconds"));
    put(run, "overhead_noncpu_time_seconds", activity_sum(job, 0, "thread-noncpu", "seconds"));
    put(run, "total_bytes_memory_read", activity_sum(job, -1, "memory-read", "bytes"));
    put(run, "disk_read_bytes", activity_sum(job, -1, "disk-read", "bytes"));
    put(run, "disk_write_bytes", activity_sum(job, -1, "disk-write", "bytes"));
    double compress = activity_sum(job, -1, "compress", "seconds"),
           expand = activity_sum(job, -1, "decompress", "seconds");
    put(run, "compression_time_seconds", compress);
    put(run, "decompression_time_seconds", expand);
    put(run, "total_compression_overhead_seconds", compress + expand);
    double write = activity_sum(job, -1, "serialize", "seconds"),
           read = activity_sum(job, -1, "deserialize", "seconds");
    put(run, "serialization_time_seconds", write);
    put(run, "deserialization_time_seconds", read);
    put(run, "total_serialization_overhead_seconds", write + read);
}

static void put_workflow(json_t *run, const synth_job *job)
{
    tally done = {0};
    for (uint32_t a = 0; a < job->n_attempts; a++)
        if (job->attempts[a].fate == SYNTH_SUCCEEDED)
            tally_attempt(&done, job, &job->attempts[a]);
    double elapsed = seconds(job->t_end_ns - job->t_start_ns), process = seconds(done.duration_ns);
    put(run, "elapsed_time_seconds", elapsed);
    if (!job->options.report && !job->n_attempts)
        return;
    int64_t opening = job->options.report ? (int64_t)job->options.opening_bytes * done.chunks : 0;
    double events = (double)done.events, bytes = (double)(done.bytes + opening);
    put_count(run, "total_events", done.events);
    put_count(run, "total_bytes_read", done.bytes + opening);
    if (opening > 0)
        put_count(run, "opening_bytes_read", opening);
    put(run, "total_cpu_time", process);
    if (job->options.report) {
        put_count(run, "num_chunks", job->options.chunks);
        put(run, "avg_cpu_time_per_chunk", ratio(process, job->options.chunks));
    }
    put(run, "data_rate_gbps", bytes * 8 / elapsed / 1e9);
    put(run, "data_rate_mbps", bytes / elapsed / 1e6);
    put(run, "event_rate_elapsed_khz", events / elapsed / 1000);
    put(run, "event_rate_cpu_total_khz", ratio(events, process * 1000));
    put(run, "efficiency_ratio_percent", events > 0 ? process / elapsed * 100 : (double)NAN);
    put(run, "bytes_per_event", ratio(bytes, events));
    put(run, "speedup_factor", process / elapsed);
}

static void put_efficiency(json_t *run)
{
    double elapsed = json_number_value(json_object_get(run, "elapsed_time_seconds"));
    double core_seconds = elapsed * json_number_value(json_object_get(run, "total_cores"));
    if (core_seconds == 0)
        return;
    const json_t *process = json_object_get(run, "total_cpu_time"), *events = json_object_get(run, "total_events");
    if (process && events) {
        put(run, "core_efficiency", json_number_value(process) / core_seconds);
        put(run, "event_rate_core_khz", json_number_value(events) / core_seconds / 1000);
        put(run, "event_rate_core_hz", json_number_value(events) / core_seconds);
    }
    const json_t *cpu = json_object_get(run, "processor_cpu_time_seconds");
    if (!cpu)
        return;
    double noncpu = json_number_value(json_object_get(run, "processor_noncpu_time_seconds"));
    put(run, "cpu_efficiency_fine", json_number_value(cpu) / core_seconds);
    put(run, "io_overhead_percent", noncpu / elapsed * 100);
    put(run, "io_share_percent", noncpu / core_seconds * 100);
}

static json_t *options_of(const synth_job *job)
{
    const synth_options *o = &job->options;
    return json_pack("{s:I s:i s:i s:i s:i s:i s:i s:i s:b}", "seed", (json_int_t)o->seed, "datasets", (int)o->datasets,
                     "files", (int)o->files, "chunks", (int)o->chunks, "workers", (int)o->workers, "samples",
                     (int)o->samples, "sections", (int)o->sections, "branches", (int)o->branches, "report", o->report);
}

/* What the scenario planted, and what the job would have taken without it. */
static json_t *planted_object(const synth_planted *planted)
{
    json_t *object = json_object();
    json_object_set_new(object, "scenario", json_string(planted->scenario));
    json_object_set_new(object, "cause", planted->cause ? json_string(planted->cause) : json_null());
    put(object, "wall_seconds", planted->wall);
    put(object, "saving_seconds", planted->saving);
    if (planted->other) {
        json_object_set_new(object, "main", json_string(planted->main));
        json_object_set_new(object, "other", json_string(planted->other));
        put(object, "other_saving_seconds", planted->other_saving);
    }
    return object;
}

roast_code synth_truth(const synth_job *job, const synth_planted *planted, FILE *out, roast_error *err)
{
    json_t *truth = json_object(), *run = json_object(), *files = file_rows(job);
    put_workflow(run, job);
    put_chunks(run, job);
    put_distributions(run, job);
    put_fit(run, job);
    put_coverage(run, job, files);
    put_fine(run, job);
    if (job->options.workers) {
        put_peaks(run, job);
        put_presence(run, job);
        if (job->options.samples)
            put_readings(run, job);
    }
    put_efficiency(run);
    json_object_set_new(truth, "options", options_of(job));
    json_object_set_new(truth, "run", run);
    json_object_set_new(truth, "dataset", dataset_rows(job));
    json_object_set_new(truth, "section", section_rows(job));
    json_object_set_new(truth, "worker", worker_rows(job));
    json_object_set_new(truth, "file", files);
    json_object_set_new(truth, "failure", failures(job));
    if (planted)
        json_object_set_new(truth, "planted", planted_object(planted));
    int failed = json_dumpf(truth, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(truth);
    if (failed && err)
        *err = (roast_error){ROAST_IO, "the truth could not be written"};
    return failed ? ROAST_IO : ROAST_OK;
}
