/* What takes statistics. Two runs: the ratio of the times of the same chunk in both, estimated over all pairs and with
 * an interval that draws workers again. Groups of runs: one value per run, compared by ranks. Everything is done on
 * logarithms, so that twice as slow and twice as fast are equally far from no change. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/compare_parts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

static const judged_metric JUDGED[] = {
    {M_run_elapsed_time_seconds, "wall time", LESS_IS_BETTER, true},
    {M_run_event_rate_elapsed_khz, "event rate", MORE_IS_BETTER, false},
    {M_run_event_rate_core_khz, "event rate per core", MORE_IS_BETTER, false},
    {M_run_event_rate_cpu_total_khz, "event rate in process()", MORE_IS_BETTER, false},
    {M_run_data_rate_gbps, "data rate", MORE_IS_BETTER, false},
    {M_run_data_rate_mbps, "data rate", MORE_IS_BETTER, false},
    {M_run_total_cpu_time, "time in process()", LESS_IS_BETTER, true},
    {M_run_avg_cpu_time_per_chunk, "process() per chunk", LESS_IS_BETTER, false},
    {M_run_preprocess_time_seconds, "preprocessing", LESS_IS_BETTER, false},
    {M_run_chunk_duration_mean, "mean chunk", LESS_IS_BETTER, false},
    {M_run_chunk_duration_p50, "median chunk", LESS_IS_BETTER, true},
    {M_run_chunk_duration_p95, "95th percentile of chunks", LESS_IS_BETTER, true},
    {M_run_chunk_duration_p99, "99th percentile of chunks", LESS_IS_BETTER, false},
    {M_run_chunk_duration_max, "longest chunk", LESS_IS_BETTER, false},
    {M_run_time_per_event_us_mean, "mean time per event", LESS_IS_BETTER, false},
    {M_run_time_per_event_us_p50, "median time per event", LESS_IS_BETTER, false},
    {M_run_time_per_event_us_p95, "95th percentile of time per event", LESS_IS_BETTER, false},
    {M_run_chunk_cpu_seconds_total, TITLE_CPU, LESS_IS_BETTER, true},
    {M_run_chunk_noncpu_seconds_total, TITLE_WAITING, LESS_IS_BETTER, true},
    {M_run_chunk_run_delay_seconds_total, TITLE_CORE, LESS_IS_BETTER, false},
    {M_run_chunk_open_seconds_total, TITLE_OPEN, LESS_IS_BETTER, true},
    {M_run_chunk_events_seconds_total, TITLE_EVENTS, LESS_IS_BETTER, false},
    {M_run_core_efficiency, "core efficiency", MORE_IS_BETTER, false},
    {M_run_cpu_efficiency_fine, "CPU efficiency", MORE_IS_BETTER, false},
    {M_run_speedup_factor, "speed-up", MORE_IS_BETTER, false},
    {M_run_processor_cpu_time_seconds, "processor tasks: CPU", LESS_IS_BETTER, false},
    {M_run_processor_noncpu_time_seconds, "processor tasks: waiting", LESS_IS_BETTER, false},
    {M_run_overhead_cpu_time_seconds, "overhead: CPU", LESS_IS_BETTER, false},
    {M_run_total_serialization_overhead_seconds, "serialising", LESS_IS_BETTER, false},
    {M_run_total_bytes_read, "data read", LESS_IS_BETTER, false},
    {M_run_bytes_per_event, "bytes per event", LESS_IS_BETTER, false},
    {M_run_peak_memory_bytes, "peak memory", LESS_IS_BETTER, true},
    {M_run_avg_memory_per_worker_bytes, "memory of a worker", LESS_IS_BETTER, false},
    {M_run_chunk_mem_peak_max_mb, "peak memory in a chunk", LESS_IS_BETTER, false},
};

const judged_metric *judged_metric_at(size_t index)
{
    return index < sizeof JUDGED / sizeof JUDGED[0] ? &JUDGED[index] : NULL;
}

const judged_metric *judged_metric_find(roast_str name)
{
    metric_id id = metric_find(ROAST_SCOPE_RUN, name);
    for (size_t i = 0; i < sizeof JUDGED / sizeof JUDGED[0]; i++)
        if (JUDGED[i].metric == id)
            return &JUDGED[i];
    return NULL;
}

static compared_timing new_timing(const char *id, const char *what, const char *unit, compared_basis basis)
{
    return (compared_timing){
        .id = id,
        .what = what,
        .unit = unit,
        .basis = basis,
        .sides = {interval_none(), interval_none()},
        .log_ratio = interval_none(),
        .log_sums = interval_none(),
        .share = (double)NAN,
        .p = (double)NAN,
        .p_holm = (double)NAN,
        .p_verdict = (double)NAN,
    };
}

/* ---- Pairs of chunks -------------------------------------------------------------------------------------------- */

typedef enum pair_quantity {
    PAIR_CHUNK,
    PAIR_OPEN,
    PAIR_EVENTS,
    PAIR_CPU,
    PAIR_WAIT,
    PAIR_DELAY,
    PAIR_RETURN
} pair_quantity;

static const struct {
    const char *id, *what;
} QUANTITIES[] = {
    [PAIR_CHUNK] = {"chunk", "time per chunk"}, [PAIR_OPEN] = {"open", TITLE_OPEN},
    [PAIR_EVENTS] = {"events", TITLE_EVENTS},   [PAIR_CPU] = {"cpu", TITLE_CPU},
    [PAIR_WAIT] = {"wait", TITLE_IO},           [PAIR_DELAY] = {"delay", TITLE_CORE},
    [PAIR_RETURN] = {"return", TITLE_RETURN},
};

enum { QUANTITY_COUNT = sizeof QUANTITIES / sizeof QUANTITIES[0] };

static int64_t sum_where_both(int64_t sum, int64_t term, int64_t others)
{
    return term != ROAST_ABSENT && others != ROAST_ABSENT ? sum + term : sum;
}

/* Nanoseconds of one side; what only the other side measured is in neither. */
static int64_t quantity_of(const chunk_times *own, const chunk_times *other, pair_quantity quantity)
{
    bool cpu = own->process != ROAST_ABSENT && own->cpu != ROAST_ABSENT;
    int64_t sum = own->process;
    switch (quantity) {
    case PAIR_CHUNK:
        if (sum == ROAST_ABSENT)
            return sum;
        sum = sum_where_both(sum, own->open, other->open);
        sum = sum_where_both(sum, own->events_ns, other->events_ns);
        return sum_where_both(sum, own->return_ns, other->return_ns);
    case PAIR_OPEN:
        return own->open;
    case PAIR_EVENTS:
        return own->events_ns;
    case PAIR_CPU:
        return own->cpu;
    case PAIR_WAIT:
        if (!cpu)
            return ROAST_ABSENT;
        return own->process - own->cpu - sum_where_both(0, own->delay, other->delay);
    case PAIR_DELAY:
        return own->delay;
    case PAIR_RETURN:
        return own->return_ns;
    }
    return ROAST_ABSENT;
}

/* The values of one quantity over all pairs. */
typedef struct pair_values {
    clustered_values of;
    size_t known;       /* pairs in which both sides measured it */
    double sums[SIDES]; /* ns, over these */
} pair_values;

/* Numbers clusters anew in the order in which they appear: those that have no pair do not count. */
static bool renumber(uint32_t *clusters, size_t count, size_t *n_clusters)
{
    u64map seen = {0};
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        uint32_t *number = u64map_at(&seen, clusters[i]);
        done = number != NULL;
        if (done && !*number)
            *number = (uint32_t)seen.count;
        if (done)
            clusters[i] = *number - 1;
    }
    *n_clusters = seen.count;
    u64map_release(&seen);
    return done;
}

static bool collect_values(pair_values *v, const chunk_pairs *pairs, pair_quantity quantity)
{
    *v = (pair_values){0};
    size_t most = pairs->count ? pairs->count : 1;
    v->of.values = malloc(most * sizeof *v->of.values);
    v->of.first = malloc(most * sizeof *v->of.first);
    v->of.second = malloc(most * sizeof *v->of.second);
    if (!v->of.values || !v->of.first || !v->of.second)
        return false;
    for (size_t i = 0; i < pairs->count; i++) {
        const chunk_times *a = &pairs->pairs[i].sides[SIDE_A], *b = &pairs->pairs[i].sides[SIDE_B];
        if (!pairs->pairs[i].both)
            continue;
        int64_t ns_a = quantity_of(a, b, quantity), ns_b = quantity_of(b, a, quantity);
        if (ns_a == ROAST_ABSENT || ns_b == ROAST_ABSENT)
            continue;
        v->known++;
        v->sums[SIDE_A] += (double)ns_a;
        v->sums[SIDE_B] += (double)ns_b;
        if (ns_a <= 0 || ns_b <= 0)
            continue;
        v->of.first[v->of.count] = a->cluster;
        v->of.second[v->of.count] = b->cluster;
        v->of.values[v->of.count++] = log((double)ns_b / (double)ns_a);
    }
    return renumber(v->of.first, v->of.count, &v->of.n_first) && renumber(v->of.second, v->of.count, &v->of.n_second);
}

static void release_values(pair_values *v)
{
    free(v->of.values);
    free(v->of.first);
    free(v->of.second);
}

/* The quotient of the sums over all pairs: what the whole of B took by what the whole of A took. */
static bool sum_pairs(interval *out, const compare_work *w, pair_quantity quantity)
{
    cluster_sum *ways[SIDES];
    for (compare_side side = SIDE_A; side < SIDES; side++)
        ways[side] = calloc(w->clusters[side].count + 1, sizeof(cluster_sum));
    bool done = ways[SIDE_A] && ways[SIDE_B];
    for (size_t i = 0; done && i < w->pairs.count; i++) {
        const chunk_times *a = &w->pairs.pairs[i].sides[SIDE_A], *b = &w->pairs.pairs[i].sides[SIDE_B];
        int64_t ns_a = quantity_of(a, b, quantity), ns_b = quantity_of(b, a, quantity);
        if (!w->pairs.pairs[i].both || ns_a == ROAST_ABSENT || ns_b == ROAST_ABSENT)
            continue;
        for (compare_side side = SIDE_A; side < SIDES; side++) {
            cluster_sum *sum = &ways[side][w->pairs.pairs[i].sides[side].cluster];
            sum->above += (double)ns_b;
            sum->below += (double)ns_a;
        }
    }
    if (done)
        *out = clustered_sums_interval(ways[SIDE_A], w->clusters[SIDE_A].count, ways[SIDE_B], w->clusters[SIDE_B].count,
                                       w->out->level);
    free(ways[SIDE_A]);
    free(ways[SIDE_B]);
    return done;
}

/* Quantities that neither run measured have no row. */
static bool add_pair_timing(compare_work *w, pair_quantity quantity, const bootstrap_options *options)
{
    comparison *out = w->out;
    pair_values v;
    bool done = collect_values(&v, &w->pairs, quantity);
    compared_timing timing = new_timing(QUANTITIES[quantity].id, QUANTITIES[quantity].what, "s", BASIS_PAIRS);
    timing.pairs = v.of.count;
    for (compare_side side = SIDE_A; side < SIDES && v.known; side++)
        timing.sides[side].estimate = v.sums[side] / (double)v.known / 1e9;
    if (!out->chunks_paired && (!out->chunks_only[SIDE_A] || !out->chunks_only[SIDE_B]))
        timing.why = "no chunk records on both sides";
    else if (!out->chunks_paired)
        timing.why = "no chunk of A is in B: other files, or other entry ranges";
    else if (v.of.count < 2 || v.of.count * 2 < v.known)
        timing.why = v.of.count < 2 ? "fewer than two pairs of chunks measured it" : "it is 0 in most chunks";
    else
        done = done && clustered_walsh_interval(&timing.log_ratio, &v.of, options);
    if (v.known > 1)
        done = done && sum_pairs(&timing.log_sums, w, quantity);
    const compared_timing *whole = out->n_timings ? &out->timings[0] : NULL;
    if (whole && quantity != PAIR_CHUNK)
        timing.share = ratio(timing.sides[SIDE_B].estimate - timing.sides[SIDE_A].estimate,
                             whole->sides[SIDE_B].estimate - whole->sides[SIDE_A].estimate);
    if (done && (quantity == PAIR_CHUNK || v.known))
        out->timings[out->n_timings++] = timing;
    release_values(&v);
    return done;
}

/* ---- Sums over all chunks ---------------------------------------------------------------------------------------- */

static size_t keep_used(cluster_sum *sums, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (sums[i].above > 0 || sums[i].below > 0)
            sums[kept++] = sums[i];
    return kept;
}

/* Drawing fewer workers again and again says nothing about their spread. */
enum { FEWEST_CLUSTERS = 5 };

/* Also where the chunks are not the same: what a core needs for an event, failed attempts included. */
static bool add_time_per_event(compare_work *w, const bootstrap_options *options)
{
    compared_timing timing = new_timing("per_event", "core time per event", "s", BASIS_SUMS);
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        cluster_sums *clusters = &w->clusters[side];
        double seconds = 0, events = 0;
        clusters->count = keep_used(clusters->sums, clusters->count);
        for (size_t i = 0; i < clusters->count; i++) {
            seconds += clusters->sums[i].above / 1e9;
            events += clusters->sums[i].below;
        }
        timing.sides[side].estimate = events > 0 ? seconds / events : (double)NAN;
    }
    if (isnan(timing.sides[SIDE_A].estimate) || isnan(timing.sides[SIDE_B].estimate))
        return true;
    const cluster_sums *a = &w->clusters[SIDE_A], *b = &w->clusters[SIDE_B];
    bool done = clustered_ratio_interval(&timing.log_ratio, a->sums, a->count, b->sums, b->count, options);
    if (a->count < FEWEST_CLUSTERS || b->count < FEWEST_CLUSTERS)
        timing.log_ratio.low = timing.log_ratio.high = (double)NAN;
    w->out->timings[w->out->n_timings++] = timing;
    return done;
}

/* ---- One value per run ------------------------------------------------------------------------------------------- */

static const char *id_of(metric_id metric)
{
    return metric_info(metric)->name;
}

/* Values of a metric over the runs of a side, sorted. False if a run lacks it. */
static bool values_of_side(const compare_work *w, compare_side side, metric_id metric, double *values)
{
    for (size_t i = 0; i < w->n_inputs[side]; i++) {
        values[i] = summary_real(w->inputs[side][i].summary, metric);
        if (isnan(values[i]))
            return false;
    }
    qsort(values, w->n_inputs[side], sizeof *values, compare_doubles);
    return true;
}

static bool to_logarithms(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0))
            return false;
        values[i] = log(values[i]);
    }
    return true;
}

/* scratch has room for a value of every run. */
static bool add_run_timing(compare_work *w, const judged_metric *judged, double *scratch)
{
    size_t n_a = w->n_inputs[SIDE_A], n_b = w->n_inputs[SIDE_B];
    double *a = scratch, *b = scratch + n_a;
    if (!values_of_side(w, SIDE_A, judged->metric, a) || !values_of_side(w, SIDE_B, judged->metric, b))
        return true;
    bool single = n_a == 1 && n_b == 1, done = true;
    compared_timing timing = new_timing(id_of(judged->metric), judged->what, metric_info(judged->metric)->unit,
                                        single ? BASIS_SINGLE : BASIS_RUNS);
    timing.better = judged->better;
    timing.sides[SIDE_A] = median_interval(a, n_a, w->out->level);
    timing.sides[SIDE_B] = median_interval(b, n_b, w->out->level);
    rank_test test;
    if (!to_logarithms(a, n_a) || !to_logarithms(b, n_b)) {
        timing.why = "not above 0 in every run";
    } else if (single) {
        timing.log_ratio.estimate = b[0] - a[0];
    } else {
        done = shift_interval(&timing.log_ratio, a, n_a, b, n_b, w->out->level) && mann_whitney(&test, a, n_a, b, n_b);
        timing.p = done ? test.p : (double)NAN;
    }
    if (done)
        w->out->timings[w->out->n_timings++] = timing;
    return done;
}

static bool add_run_timings(compare_work *w, bool all)
{
    double *scratch = calloc(w->n_inputs[SIDE_A] + w->n_inputs[SIDE_B], sizeof *scratch);
    bool done = scratch != NULL;
    const judged_metric *judged;
    for (size_t i = 0; done && (judged = judged_metric_at(i)); i++) {
        bool of_whole_run = judged->metric == M_run_elapsed_time_seconds || judged->metric == M_run_peak_memory_bytes;
        if (all ? judged->usual : of_whole_run)
            done = add_run_timing(w, judged, scratch);
    }
    free(scratch);
    return done;
}

static bool adjust_p_values(comparison *out)
{
    double *p = calloc(out->n_timings + 1, sizeof *p);
    for (size_t i = 0; p && i < out->n_timings; i++)
        p[i] = out->timings[i].p;
    bool done = p && holm_adjust(p, out->n_timings);
    for (size_t i = 0; done && i < out->n_timings; i++)
        out->timings[i].p_holm = p[i];
    free(p);
    return done;
}

/* The verdict rests on two metrics that are named beforehand, so it pays for two and not for all. */
static bool adjust_for_verdict(comparison *out)
{
    compared_timing *asked[2];
    double p[2];
    size_t count = 0;
    for (size_t i = 0; i < out->n_timings && count < 2; i++)
        if (out->timings[i].id == id_of(M_run_elapsed_time_seconds) ||
            out->timings[i].id == id_of(M_run_chunk_cpu_seconds_total))
            asked[count++] = &out->timings[i];
    for (size_t i = 0; i < count; i++)
        p[i] = asked[i]->p;
    bool done = holm_adjust(p, count);
    for (size_t i = 0; i < count; i++)
        asked[i]->p_verdict = p[i];
    return done;
}

roast_code compare_estimate_timings(compare_work *w, const bootstrap_options *options, roast_error *err)
{
    comparison *out = w->out;
    out->timings =
        arena_alloc(&out->memory, QUANTITY_COUNT + 1 + sizeof JUDGED / sizeof JUDGED[0], sizeof *out->timings);
    bool done = out->timings != NULL;
    if (done && out->paired) {
        for (size_t q = 0; done && q < QUANTITY_COUNT; q++)
            done = add_pair_timing(w, (pair_quantity)q, options);
        done = done && add_time_per_event(w, options) && add_run_timings(w, false);
    } else if (done) {
        done = add_run_timings(w, true) && adjust_p_values(out) && adjust_for_verdict(out);
    }
    return done ? ROAST_OK : fail_memory(err);
}
