/* Charts as data: what is reduced, swept and laid out against sums and searches of the test's own, and small runs whose
 * charts can be told by hand. Pictures are looked at by people; that they are well formed is held by tests/python. */
#include <math.h>

#include "analysis/density.h"
#include "analysis/lanes.h"
#include "analysis/reduce.h"
#include "analysis/series.h"
#include "analysis/sweep.h"
#include "base/clock.h"
#include "unit.h"
#include "view/chart.h"
#include "view/openmetrics.h"

#define S   NS_PER_S
#define T0  (INT64_C(1794751331) * S) /* 2026-11-15 14:02:11 UTC */
#define MIB INT64_C(1048576)

static unsigned seed_;

static double random_unit(void)
{
    seed_ = seed_ * 1103515245 + 12345;
    return (double)(seed_ >> 8 & 0xFFFFFF) / 16777216.0;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

enum { POINTS = 20000, COLUMNS = 50 };

typedef struct kept_points {
    double x[4 * COLUMNS], y[4 * COLUMNS];
    size_t count;
} kept_points;

static void keep(void *context, double x, double y)
{
    kept_points *kept = context;
    assert_true(kept->count < 4 * COLUMNS);
    kept->x[kept->count] = x;
    kept->y[kept->count++] = y;
}

static void a_reduced_line_keeps_the_least_and_the_greatest_of_each_column(void **state)
{
    (void)state;
    static double y[POINTS];
    kept_points kept = {.count = 0};
    line_reducer reducer = {.low = 0, .high = POINTS, .columns = COLUMNS, .each = keep, .context = &kept};
    seed_ = 3;
    for (size_t i = 0; i < POINTS; i++) {
        y[i] = random_unit();
        line_add(&reducer, (double)i, y[i]);
    }
    line_finish(&reducer);
    for (size_t column = 0; column < COLUMNS; column++) {
        size_t from = column * POINTS / COLUMNS, to = (column + 1) * POINTS / COLUMNS;
        double least = 2, greatest = -1, kept_least = 2, kept_greatest = -1;
        for (size_t i = from; i < to; i++) {
            least = fmin(least, y[i]);
            greatest = fmax(greatest, y[i]);
        }
        for (size_t i = 0; i < kept.count; i++)
            if (kept.x[i] >= (double)from && kept.x[i] < (double)to) {
                kept_least = fmin(kept_least, kept.y[i]);
                kept_greatest = fmax(kept_greatest, kept.y[i]);
                assert_close(kept.y[i], y[(size_t)kept.x[i]], 0);
            }
        assert_close(kept_least, least, 0);
        assert_close(kept_greatest, greatest, 0);
    }
    for (size_t i = 1; i < kept.count; i++)
        assert_true(kept.x[i] > kept.x[i - 1]);
}

static void a_short_line_is_kept_as_it_is(void **state)
{
    (void)state;
    kept_points kept = {.count = 0};
    line_reducer reducer = {.low = 0, .high = 10, .columns = COLUMNS, .each = keep, .context = &kept};
    static const double x[] = {0, 3, 3, 10}, y[] = {1, 1, 2, 2}; /* a step is two points at one time */
    for (size_t i = 0; i < 4; i++)
        line_add(&reducer, x[i], y[i]);
    line_finish(&reducer);
    assert_int_equal(kept.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_close(kept.x[i], x[i], 0);
        assert_close(kept.y[i], y[i], 0);
    }
}

/* ---- Points ----------------------------------------------------------------------------------------------------- */

static void merged_points_weigh_as_much_as_they_were_and_an_outlier_stays_where_it_is(void **state)
{
    (void)state;
    density d = {.x_low = 0, .x_high = 1000, .y_low = 0, .y_high = 1000, .across = 100, .down = 100};
    seed_ = 5;
    for (size_t i = 0; i < 50000; i++)
        assert_true(density_add(&d, 0, random_unit() * 100, random_unit() * 100));
    assert_true(density_add(&d, 0, 987.654, 876.543));
    uint64_t weight = 0;
    bool found = false;
    for (size_t i = 0; i < d.count; i++) {
        weight += d.places[i].count;
        found = found || (d.places[i].x == 987.654 && d.places[i].y == 876.543 && d.places[i].count == 1);
    }
    assert_int_equal(weight, 50001);
    assert_true(found);
    assert_true(d.count <= 10 * 10 + 1);
    density_release(&d);
}

/* ---- The sweep --------------------------------------------------------------------------------------------------- */

/* Chunks at random, some of no time at all, some failed. */
static void random_series(run_series *series, chunk_mark *marks, size_t count)
{
    *series = (run_series){.from_ns = T0, .to_ns = T0 + 1000 * S, .chunks = marks, .n_chunks = count};
    seed_ = 11;
    for (size_t i = 0; i < count; i++) {
        int64_t start = T0 + 5 * S + (int64_t)(random_unit() * 900e9);
        int64_t duration = i % 7 == 0 ? 0 : (int64_t)(random_unit() * 20e9);
        marks[i] = (chunk_mark){.start_ns = start,
                                .end_ns = start + duration,
                                .open_ns = (int64_t)(random_unit() * 2e9),
                                .events_ns = (int64_t)(random_unit() * 1e9),
                                .return_ns = (int64_t)(random_unit() * 1e9),
                                .thread = (int64_t)(random_unit() * 4),
                                .bytes = (int64_t)(random_unit() * 1e9),
                                .worker = (uint32_t)(random_unit() * 3),
                                .failed = i % 11 == 0,
                                .on_axis = true};
    }
}

enum { CHUNKS = 3000 };

static void the_integral_of_the_rate_is_the_bytes_read(void **state)
{
    (void)state;
    static chunk_mark marks[CHUNKS];
    run_series series;
    random_series(&series, marks, CHUNKS);
    double bytes = 0, busy = 0;
    for (size_t i = 0; i < CHUNKS; i++) {
        const chunk_mark *m = &marks[i];
        bytes += m->failed ? 0 : (double)m->bytes;
        busy += (double)(m->end_ns - m->start_ns + m->open_ns + m->events_ns + m->return_ns) / 1e9;
    }
    for (size_t columns = 1; columns <= 1000; columns *= 10) {
        arena memory = {0};
        sweep all;
        assert_int_equal(sweep_run(&all, &series, series.from_ns, series.to_ns, columns, &memory, NULL), ROAST_OK);
        double integral = 0, running = 0;
        for (size_t i = 0; i < all.count; i++) {
            const sweep_column *c = &all.columns[i];
            integral += c->bytes_per_second * (c->to - c->from);
            running += c->running * (c->to - c->from);
            assert_true(c->rate_least <= c->bytes_per_second * (1 + 1e-9) + 1e-3);
            assert_true(c->rate_greatest >= c->bytes_per_second * (1 - 1e-9));
            assert_true(c->running_least <= c->running + 1e-9 && c->running <= c->running_greatest + 1e-9);
        }
        assert_close(integral, bytes, bytes * 1e-12);
        assert_close(all.bytes, bytes, bytes * 1e-12);
        assert_close(running, busy, busy * 1e-12);
        arena_release(&memory);
    }
}

/* How many run at a moment, by looking at each. */
static int running_at(const chunk_mark *marks, size_t count, int64_t t_ns)
{
    int running = 0;
    for (size_t i = 0; i < count; i++)
        running += mark_begun(&marks[i]) <= t_ns && t_ns < mark_done(&marks[i]);
    return running;
}

static void the_most_chunks_at_once_are_those_that_a_count_at_every_start_finds(void **state)
{
    (void)state;
    static chunk_mark marks[500];
    run_series series;
    arena memory = {0};
    sweep all;
    random_series(&series, marks, 500);
    assert_int_equal(sweep_run(&all, &series, series.from_ns, series.to_ns, 100, &memory, NULL), ROAST_OK);
    int most = 0;
    for (size_t i = 0; i < 500; i++) {
        int running = running_at(marks, 500, mark_begun(&marks[i]));
        most = running > most ? running : most;
    }
    assert_close(all.most_running, most, 0);
    arena_release(&memory);
}

/* ---- Lanes ---------------------------------------------------------------------------------------------------------
 */

static void chunks_of_one_lane_are_of_one_thread_and_do_not_overlap(void **state)
{
    (void)state;
    static chunk_mark marks[CHUNKS];
    run_series series;
    arena memory = {0};
    lane_list lanes;
    random_series(&series, marks, CHUNKS);
    assert_int_equal(lanes_assign(&lanes, &series, &memory, NULL), ROAST_OK);
    assert_int_equal(lanes.n_chunks, CHUNKS);
    int64_t *until = calloc(lanes.count, sizeof *until), *thread = calloc(lanes.count, sizeof *thread);
    for (size_t i = 0; i < lanes.count; i++)
        thread[i] = -1;
    for (size_t i = 0; i < CHUNKS; i++) {
        const chunk_mark *m = &marks[lanes.order[i]];
        assert_true(m->lane < lanes.count);
        assert_int_equal(lanes.lanes[m->lane].worker, m->worker);
        assert_true(thread[m->lane] == -1 || thread[m->lane] == m->thread);
        assert_true(mark_begun(m) >= until[m->lane] - 1000000);
        until[m->lane] = mark_done(m);
        thread[m->lane] = m->thread;
    }
    for (size_t i = 1; i < lanes.count; i++)
        assert_true(lanes.lanes[i].worker >= lanes.lanes[i - 1].worker);
    free(until);
    free(thread);
    arena_release(&memory);
}

static void chunks_without_threads_get_as_many_lanes_as_run_at_once(void **state)
{
    (void)state;
    chunk_mark marks[6];
    run_series series;
    arena memory = {0};
    lane_list lanes;
    random_series(&series, marks, 6);
    for (size_t i = 0; i < 6; i++) /* 0–2 and 1–3 overlap, and so on: never more than two */
        marks[i] = (chunk_mark){.start_ns = T0 + (int64_t)i * S,
                                .end_ns = T0 + (int64_t)(i + 2) * S,
                                .thread = ROAST_ABSENT,
                                .worker = RUN_UNKNOWN,
                                .on_axis = true};
    assert_int_equal(lanes_assign(&lanes, &series, &memory, NULL), ROAST_OK);
    assert_int_equal(lanes.count, 2);
    assert_int_equal(lanes.lanes[0].worker, RUN_UNKNOWN);
    arena_release(&memory);
}

/* ---- Runs
 * ------------------------------------------------------------------------------------------------------------ */

typedef struct drawn {
    roast_run *run;
    roast_summary *summary;
    chart_set set;
} drawn;

static roast_recorder *start_run(void)
{
    roast_recorder *recorder;
    assert_int_equal(roast_recorder_open(&recorder, in_scratch("run.roast"), NULL, NULL), ROAST_OK);
    return recorder;
}

static drawn draw(roast_recorder *recorder, const char *only, const chart_options *options)
{
    drawn d;
    roast_error err = {0};
    assert_int_equal(roast_recorder_close(recorder, ROAST_FINISHED, NULL), ROAST_OK);
    assert_int_equal(roast_run_open(&d.run, in_scratch("run.roast"), NULL, NULL), ROAST_OK);
    assert_int_equal(roast_summarize(&d.summary, d.run, NULL), ROAST_OK);
    if (charts_build(&d.set, d.run, d.summary, only, options, &err))
        fail_msg("%s", err.message);
    return d;
}

static void release(drawn *d)
{
    charts_release(&d->set);
    roast_summary_free(d->summary);
    roast_run_close(d->run);
    assert_int_equal(remove(in_scratch("run.roast")), 0); /* for another of the same test */
}

static const chart *chart_of(const drawn *d, const char *id)
{
    for (size_t i = 0; i < d->set.count; i++)
        if (strcmp(d->set.charts[i].id, id) == 0)
            return &d->set.charts[i];
    fail_msg("no chart %s", id);
    return NULL;
}

static const chart_series *series_named(const chart *c, const char *name)
{
    for (size_t i = 0; i < c->n_series; i++)
        if (str_equal(c->series[i].name, str_from(name)))
            return &c->series[i];
    fail_msg("%s has no series %s", c->id, name);
    return NULL;
}

static void record_window(roast_recorder *recorder, int64_t seconds)
{
    roast_record_fact_int(recorder, "t_start_ns", T0);
    roast_record_fact_int(recorder, "t_end_ns", T0 + seconds * S);
}

static void record_worker(roast_recorder *recorder, const char *address, int64_t joined, int64_t left)
{
    roast_worker worker = roast_worker_none();
    worker.address = str_from(address);
    worker.cores = 2;
    worker.memory_limit = 1000;
    worker.joined_ns = T0 + joined * S;
    worker.left_ns = left < 0 ? ROAST_ABSENT : T0 + left * S;
    assert_int_equal(roast_record_worker(recorder, &worker), ROAST_OK);
}

static void record_sample(roast_recorder *recorder, const char *address, int64_t t, int64_t memory)
{
    roast_sample sample = roast_sample_none();
    sample.worker = str_from(address);
    sample.t_ns = T0 + t * S;
    sample.memory = memory;
    sample.cpu = 100;
    sample.processing = memory / 100;
    assert_int_equal(roast_record_sample(recorder, &sample), ROAST_OK);
}

static roast_chunk chunk_at(const char *dataset, int64_t index, double start, double duration)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = str_from(dataset);
    chunk.file = STR("a.root");
    chunk.entry_start = index * 100;
    chunk.entry_stop = index * 100 + 100;
    chunk.events = 100 + index;
    chunk.worker = STR("w1");
    chunk.thread = 1;
    chunk.t_start_ns = T0 + (int64_t)(start * 1e9);
    chunk.duration_ns = (int64_t)(duration * 1e9);
    chunk.bytes_read = 1000000 * (index + 1);
    return chunk;
}

/* ---- Workers
 * --------------------------------------------------------------------------------------------------------- */

static void the_mean_of_the_workers_takes_the_latest_heartbeat_of_each(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    record_worker(recorder, "w1", 0, -1);
    record_worker(recorder, "w2", 0, -1);
    record_sample(recorder, "w1", 10, 100); /* 10 % */
    record_sample(recorder, "w2", 20, 500);
    record_sample(recorder, "w1", 30, 300);
    record_sample(recorder, "w2", 40, 700);
    drawn d = draw(recorder, "memory_utilization_mean_timeline,total_active_tasks_timeline", NULL);
    const chart *c = chart_of(&d, "memory_utilization_mean_timeline");
    const chart_series *mean = series_named(c, "mean of the workers"), *band = series_named(c, "least to greatest");
    static const double t[] = {10, 20, 30, 40}, means[] = {10, 30, 40, 50}, low[] = {10, 10, 30, 30},
                        high[] = {10, 50, 50, 70};
    /* At 40 s the first worker's next heartbeat is not due yet: it still counts. */
    assert_int_equal(mean->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_close(mean->x[i], t[i], 1e-5);
        assert_close(mean->y[i], means[i], 1e-5);
        assert_close(band->y[i], low[i], 1e-5);
        assert_close(band->y2[i], high[i], 1e-5);
    }
    assert_close(c->panels[0].y.low, 0, 0);
    assert_close(c->panels[0].y.high, 100, 0);
    assert_close(c->x.low, 0, 0);
    assert_close(c->x.high, 100, 0);
    const chart_series *total = series_named(chart_of(&d, "total_active_tasks_timeline"), "all workers");
    assert_close(total->y[1], 6, 1e-5); /* 1 + 5 */
    release(&d);
}

static void a_worker_whose_heartbeats_ended_counts_until_two_more_were_due(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 1000);
    record_worker(recorder, "w1", 0, -1);
    record_worker(recorder, "w2", 0, -1);
    for (int64_t t = 0; t <= 1000; t += 10) {
        record_sample(recorder, "w1", t, 100);
        if (t <= 500)
            record_sample(recorder, "w2", t, 300);
    }
    drawn d = draw(recorder, "total_active_tasks_timeline", NULL);
    const chart_series *total = series_named(chart_of(&d, "total_active_tasks_timeline"), "all workers");
    for (size_t i = 0; i < total->count; i++)
        if (total->x[i] < 520 || total->x[i] > 530)
            assert_close(total->y[i], total->x[i] < 520 ? 4 : 1, 1e-5);
    release(&d);
}

static void the_number_of_workers_is_a_line_of_steps(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    record_worker(recorder, "w1", 0, -1);
    record_worker(recorder, "w2", 20, 60);
    drawn d = draw(recorder, "worker_count_timeline", NULL);
    const chart_series *s = series_named(chart_of(&d, "worker_count_timeline"), "workers");
    static const double x[] = {0, 20, 20, 60, 60, 100}, y[] = {1, 1, 2, 2, 1, 1};
    assert_int_equal(s->count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_close(s->x[i], x[i], 1e-9);
        assert_close(s->y[i], y[i], 0);
    }
    release(&d);
}

/* Twelve workers with a heartbeat each second, of which w3 falls silent after 50 s. */
static void record_twelve(roast_recorder *recorder)
{
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", 11 - i);
        record_worker(recorder, name, 0, -1);
        for (int t = 0; t < (i == 8 ? 50 : 100); t++)
            record_sample(recorder, name, t, 10 * (11 - i) + t);
    }
}

static void many_workers_are_rows_of_a_heat_map_in_the_order_of_their_names(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    record_twelve(recorder);
    drawn d = draw(recorder, "memory_utilization_per_worker_timeline", NULL);
    const chart *c = chart_of(&d, "memory_utilization_per_worker_timeline");
    assert_int_equal(c->n_series, 1);
    assert_int_equal(c->series[0].kind, CHART_HEAT);
    assert_int_equal(c->panels[0].y.n_categories, 12);
    assert_str(c->panels[0].y.categories[2], "w2");
    assert_str(c->panels[0].y.categories[10], "w10"); /* not after w1 */
    assert_str(c->z.label, "Memory Utilization (%)");
    release(&d);
}

static void a_cell_is_the_mean_of_its_heartbeats_and_blank_where_a_worker_is_silent(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    record_twelve(recorder);
    drawn d = draw(recorder, "memory_utilization_per_worker_timeline", NULL);
    const chart_series *cells = &chart_of(&d, "memory_utilization_per_worker_timeline")->series[0];
    double last_of_silent = 0;
    for (size_t i = 0; i < cells->count; i++) {
        int worker = (int)cells->y[i], beats = 0;
        double sum = 0;
        for (int t = 0; t < (worker == 3 ? 50 : 100); t++)
            if (t >= cells->x[i] - 1e-6 && t < cells->x2[i] - 1e-6)
                sum += (10 * worker + t) / 10.0, beats++;
        if (beats)
            assert_close(cells->z[i], sum / beats, 1e-5);
        if (worker == 3)
            last_of_silent = cells->x2[i];
    }
    assert_int_equal(cells->count, 11 * 50 + 25 + 2); /* two heartbeats a column; two columns are held */
    assert_close(last_of_silent, 54, 1e-6);
    release(&d);
}

static void few_workers_have_lines(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        record_worker(recorder, name, 0, -1);
        record_sample(recorder, name, 10, 10 * i);
        record_sample(recorder, name, 20, 10 * i);
    }
    drawn d = draw(recorder, "memory_utilization_per_worker_timeline", &(chart_options){.legend_entries = 3});
    const chart *c = chart_of(&d, "memory_utilization_per_worker_timeline");
    assert_int_equal(c->n_series, 8);
    assert_int_equal(c->series[0].kind, CHART_LINE);
    assert_str(c->series[0].name, "w7"); /* went highest */
    assert_str(c->more, "… and 5 more");
    assert_true(str_absent(c->z.label));
    release(&d);
}

static void memory_far_from_its_limit_has_an_axis_of_its_own_size_and_the_limit_is_a_note(void **state)
{
    (void)state;
    static const struct {
        int64_t memory; /* of 1000 */
        double least, most;
    } cases[] = {{30, 3, 4}, {490, 49, 60}, {500, 100, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        roast_recorder *recorder = start_run();
        record_window(recorder, 100);
        record_worker(recorder, "w1", 0, -1);
        record_sample(recorder, "w1", 10, cases[i].memory / 2);
        record_sample(recorder, "w1", 20, cases[i].memory);
        drawn d = draw(recorder, "memory_utilization_mean_timeline", NULL);
        const chart *c = chart_of(&d, "memory_utilization_mean_timeline");
        assert_true(c->panels[0].y.high >= cases[i].least && c->panels[0].y.high <= cases[i].most);
        if (i == 0)
            assert_str(c->notes[0].text, "limit of a worker: 0.98 KiB, 3.0 % used at most");
        release(&d);
    }
}

/* ---- Chunks
 * ---------------------------------------------------------------------------------------------------------- */

static double step_integral(const chart_series *s)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < s->count; i++)
        sum += s->y[i] * (s->x[i + 1] - s->x[i]);
    return sum;
}

static void the_area_of_both_throughput_charts_is_the_bytes_of_the_chunks_that_succeeded(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 50);
    double bytes = 0;
    for (int64_t i = 0; i < 40; i++) {
        roast_chunk chunk = chunk_at("a", i, 1 + (double)i * 1.1, 0.3 + (double)(i % 7));
        if (i % 10 == 3)
            chunk.error_type = STR("OSError");
        else
            bytes += (double)chunk.bytes_read;
        assert_int_equal(roast_record_chunk(recorder, &chunk), ROAST_OK);
    }
    drawn d = draw(recorder, "throughput_timeline,data_rate", NULL);
    double gigabits = bytes * 8 / 1e9;
    assert_close(step_integral(series_named(chart_of(&d, "throughput_timeline"), "data rate")), gigabits, 1e-9);
    assert_close(step_integral(series_named(chart_of(&d, "data_rate"), "mean")), gigabits, 1e-9);
    release(&d);
}

static void a_clock_that_is_off_by_a_known_offset_is_corrected(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 50);
    roast_worker worker = roast_worker_none();
    worker.address = STR("w1");
    worker.clock_offset_ns = 7 * S;
    roast_record_worker(recorder, &worker);
    roast_chunk chunk = chunk_at("a", 0, 17, 5);
    roast_record_chunk(recorder, &chunk);
    drawn d = draw(recorder, "chunk_lanes", NULL);
    const chart_series *boxes = series_named(chart_of(&d, "chunk_lanes"), "a");
    assert_close(boxes->x[0], 10, 1e-9);
    assert_close(boxes->x2[0], 15, 1e-9);
    release(&d);
}

static void runtimes_are_counted_in_bins_of_equal_width(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 1000);
    static const double durations[] = {1, 2, 2.5, 3, 10.999, 11};
    for (int64_t i = 0; i < 6; i++) {
        roast_chunk chunk = chunk_at("a", i, (double)i * 20, durations[i]);
        roast_record_chunk(recorder, &chunk);
    }
    drawn d = draw(recorder, "runtime_distribution", &(chart_options){.bins = 10});
    const chart_series *s = series_named(chart_of(&d, "runtime_distribution"), "chunks");
    static const double counts[] = {1, 2, 1, 0, 0, 0, 0, 0, 0, 2}; /* the last bin has both its edges */
    assert_int_equal(s->count, 10);
    for (size_t i = 0; i < 10; i++) {
        assert_close(s->x[i], 1 + (double)i, 1e-12);
        assert_close(s->x2[i], 2 + (double)i, 1e-12);
        assert_close(s->y[i], counts[i], 0);
    }
    release(&d);
}

static void bytes_accessed_are_what_a_chunk_read_of_its_branches(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    const roast_branch branches[] = {{sizeof(roast_branch), STR("x"), 1000000, 3000000, 1},
                                     {sizeof(roast_branch), STR("y"), 20000000, 50000000, 1},
                                     {sizeof(roast_branch), STR("z"), 300000000, 700000000, 1}};
    const roast_str all[] = {STR("x"), STR("y"), STR("z")};
    for (int f = 0; f < 2; f++) {
        roast_file file = roast_file_none();
        file.url = f ? STR("b.root") : STR("a.root");
        file.branches = branches + f; /* b.root has no x */
        file.n_branches = (size_t)(3 - f);
        file.entries = f ? ROAST_ABSENT : 400; /* a chunk has 100 events: a quarter of a.root */
        roast_record_file(recorder, &file);
    }
    static const struct {
        const char *file;
        size_t first, count;
        int64_t measured;
        double compressed, uncompressed;
    } reads[] = {{"a.root", 0, 2, ROAST_ABSENT, 21.0 / 4, 53.0 / 4},
                 {"a.root", 1, 2, 7000000, 7, 750.0 / 4},
                 {"b.root", 0, 2, ROAST_ABSENT, 20, 50}, /* of how much nobody knows: all of them, and a note */
                 {"a.root", 0, 2, 0, 0, 53.0 / 4}};
    for (int64_t i = 0; i < 4; i++) {
        roast_chunk chunk = chunk_at("a", i, (double)i * 10, 5);
        chunk.file = str_from(reads[i].file);
        chunk.branches = all + reads[i].first;
        chunk.n_branches = reads[i].count;
        chunk.events = 100;
        chunk.bytes_read = reads[i].measured;
        roast_record_chunk(recorder, &chunk);
    }
    drawn d = draw(recorder, "bytes_accessed_per_chunk,branch_access_per_chunk", NULL);
    const chart *c = chart_of(&d, "bytes_accessed_per_chunk");
    for (size_t i = 0; i < 4; i++) {
        assert_close(series_named(c, "Compressed (on-disk)")->y[i], reads[i].compressed, 1e-9);
        assert_close(series_named(c, "Uncompressed (in-memory)")->y[i], reads[i].uncompressed, 1e-9);
        assert_close(series_named(chart_of(&d, "branch_access_per_chunk"), "branches")->y[i], 2, 0);
    }
    assert_int_equal(c->n_notes, 1);
    release(&d);
}

static void a_dataset_has_one_colour_in_every_chart(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 300);
    for (int64_t i = 0; i < 20; i++) {
        roast_chunk chunk = chunk_at(i % 3 ? "long" : "short", i, (double)i * 10, i % 3 ? 9 : 1);
        chunk.rss_peak = 100 * MIB;
        roast_record_chunk(recorder, &chunk);
    }
    static const char *const ids[] = {"chunk_lanes", "runtime_vs_events", "memory_peaks", "tail"};
    drawn d = draw(recorder, "chunk_lanes,runtime_vs_events,memory_peaks,tail", NULL);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(series_named(chart_of(&d, ids[i]), "long")->colour, 0);
        assert_int_equal(series_named(chart_of(&d, ids[i]), "short")->colour, 1);
    }
    release(&d);
}

static void boxes_of_a_lane_cover_what_ran_and_gaps_stay_open(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 1000);
    for (int64_t i = 0; i < 9000; i++) { /* back to back for 450 s, nothing for 100 s, back to back again */
        roast_chunk chunk = chunk_at("a", i, (double)i * 0.1 + (i >= 4500 ? 100 : 0), 0.1);
        roast_record_chunk(recorder, &chunk);
    }
    drawn d = draw(recorder, "chunk_lanes", NULL);
    const chart_series *boxes = series_named(chart_of(&d, "chunk_lanes"), "a");
    assert_int_equal(boxes->count, 2);
    assert_close(boxes->x[0], 0, 1e-6);
    assert_close(boxes->x2[0], 450, 1e-6);
    assert_close(boxes->x[1], 550, 1e-6);
    assert_close(boxes->x2[1], 1000, 1e-6);
    release(&d);
}

/* ---- What is missing
 * ---------------------------------------------------------------------------------------------------- */

static void every_chart_of_an_empty_run_says_why_it_is_empty(void **state)
{
    (void)state;
    drawn d = draw(start_run(), NULL, NULL);
    assert_true(d.set.count >= 30);
    for (size_t i = 0; i < d.set.count; i++) {
        const chart *c = &d.set.charts[i];
        buf svg = {0};
        assert_true(c->why.len > 0);
        assert_int_equal(c->n_series, 0);
        assert_true(isfinite(c->x.low) && isfinite(c->x.high) && c->x.low < c->x.high);
        assert_true(isfinite(c->panels[0].y.low) && isfinite(c->panels[0].y.high) &&
                    c->panels[0].y.low < c->panels[0].y.high);
        chart_svg(&svg, c, NULL);
        assert_non_null(strstr(svg.data, "Nothing to draw: "));
        buf_release(&svg);
    }
    release(&d);
}

static void an_unknown_chart_is_refused_by_name(void **state)
{
    (void)state;
    chart_set set;
    roast_error err = {0};
    roast_recorder *recorder = start_run();
    drawn d = draw(recorder, "tail", NULL);
    assert_int_equal(charts_build(&set, d.run, d.summary, "tail,nonsense", NULL, &err), ROAST_USAGE);
    assert_non_null(strstr(err.message, "\"nonsense\""));
    release(&d);
}

/* ---- Axes and pictures
 * ---------------------------------------------------------------------------------------------------- */

static void ticks_of_the_clock_are_at_its_round_times(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 3600);
    record_worker(recorder, "w1", 0, -1);
    drawn d = draw(recorder, "worker_count_timeline", &(chart_options){.time = CHART_CLOCK});
    const chart_axis *x = &chart_of(&d, "worker_count_timeline")->x;
    assert_close(x->ticks[0].at, 7 * 60 + 49, 1e-3); /* 14:02:11 → 14:10 */
    assert_str(x->ticks[0].label, "14:10");
    assert_str(x->ticks[1].label, "14:20");
    assert_str(x->unit, "UTC, 2026-11-15");
    release(&d);
}

static void an_axis_of_many_seconds_says_minutes_and_hours_as_tables_do(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *label, *tick, *second;
    } cases[] = {{80, "Time (seconds)", "20", "40"},
                 {150, "Time", "30 s", "1 min"},
                 {4000, "Time", "10 min", "20 min"},
                 {9000, "Time", "30 min", "1 h"},
                 {2000000, "Time", "100 h", "200 h"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        roast_recorder *recorder = start_run();
        record_window(recorder, 4000000);
        roast_chunk chunk = chunk_at("a", 0, 1, cases[i].seconds);
        roast_record_chunk(recorder, &chunk);
        drawn d = draw(recorder, "dataset_phases", NULL);
        const chart_axis *time = &chart_of(&d, "dataset_phases")->panels[0].y;
        assert_str(time->label, cases[i].label);
        assert_str(time->ticks[1].label, cases[i].tick);
        assert_str(time->ticks[2].label, cases[i].second);
        release(&d);
    }
}

static void names_are_text_in_a_picture_whatever_is_in_them(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    roast_chunk chunk = chunk_at("<script>alert(\"1\")</script>&\xff\x01", 0, 1, 5);
    roast_record_chunk(recorder, &chunk);
    drawn d = draw(recorder, "chunk_lanes", NULL);
    buf svg = {0}, json = {0};
    chart_svg(&svg, chart_of(&d, "chunk_lanes"), NULL);
    chart_json(&json, chart_of(&d, "chunk_lanes"), false);
    assert_null(strstr(svg.data, "<script"));
    assert_non_null(strstr(svg.data, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\xef\xbf\xbd\\x01"));
    assert_null(strstr(svg.data, "nan"));
    assert_non_null(strstr(json.data, "\"kind\": \"lanes\""));
    buf_release(&svg);
    buf_release(&json);
    release(&d);
}

/* ---- Exports
 * ------------------------------------------------------------------------------------------------------------- */

static roast_code refuse(void *context, roast_str part)
{
    (void)part;
    (*(int *)context)++;
    return ROAST_IO;
}

static void a_trace_ends_when_its_reader_refuses_a_part(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 100);
    for (int64_t i = 0; i < 2000; i++) {
        roast_chunk chunk = chunk_at("a", i, (double)i / 100, 0.001);
        roast_record_chunk(recorder, &chunk);
    }
    drawn d = draw(recorder, "tail", NULL);
    int parts = 0;
    assert_int_equal(roast_run_write_trace(d.run, d.summary, refuse, &parts, NULL), ROAST_IO);
    assert_int_equal(parts, 1);
    release(&d);
}

static void metrics_are_in_base_units_and_labels_are_few(void **state)
{
    (void)state;
    roast_recorder *recorder = start_run();
    record_window(recorder, 1000);
    for (int64_t i = 0; i < 80; i++) {
        char dataset[16];
        snprintf(dataset, sizeof dataset, "d%d", (int)i);
        roast_chunk chunk = chunk_at(dataset, i, (double)i, 1 + (double)i / 100);
        chunk.events = 10;
        chunk.rss_peak = 3 * MIB;
        roast_record_chunk(recorder, &chunk);
    }
    drawn d = draw(recorder, "tail", NULL);
    buf out = {0};
    openmetrics_summary(&out, d.summary);
    assert_non_null(strstr(out.data, "\nroast_elapsed_seconds 1000\n"));
    assert_non_null(strstr(out.data, "\nroast_chunk_memory_peak_bytes 3145728\n"));
    assert_non_null(strstr(out.data, "\nroast_dataset_events_total{dataset=\"d79\"} 10\n"));
    assert_null(strstr(out.data, "{dataset=\"d29\"}"));
    assert_non_null(strstr(out.data, "\nroast_dataset_events_total{dataset=\"(others)\"} 300\n"));
    assert_string_equal(out.data + out.len - 6, "# EOF\n");
    buf_release(&out);
    release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduced_line_keeps_the_least_and_the_greatest_of_each_column),
        cmocka_unit_test(a_short_line_is_kept_as_it_is),
        cmocka_unit_test(merged_points_weigh_as_much_as_they_were_and_an_outlier_stays_where_it_is),
        cmocka_unit_test(the_integral_of_the_rate_is_the_bytes_read),
        cmocka_unit_test(the_most_chunks_at_once_are_those_that_a_count_at_every_start_finds),
        cmocka_unit_test(chunks_of_one_lane_are_of_one_thread_and_do_not_overlap),
        cmocka_unit_test(chunks_without_threads_get_as_many_lanes_as_run_at_once),
        test_in_scratch(the_mean_of_the_workers_takes_the_latest_heartbeat_of_each),
        test_in_scratch(a_worker_whose_heartbeats_ended_counts_until_two_more_were_due),
        test_in_scratch(the_number_of_workers_is_a_line_of_steps),
        test_in_scratch(many_workers_are_rows_of_a_heat_map_in_the_order_of_their_names),
        test_in_scratch(a_cell_is_the_mean_of_its_heartbeats_and_blank_where_a_worker_is_silent),
        test_in_scratch(few_workers_have_lines),
        test_in_scratch(memory_far_from_its_limit_has_an_axis_of_its_own_size_and_the_limit_is_a_note),
        test_in_scratch(an_axis_of_many_seconds_says_minutes_and_hours_as_tables_do),
        test_in_scratch(the_area_of_both_throughput_charts_is_the_bytes_of_the_chunks_that_succeeded),
        test_in_scratch(a_clock_that_is_off_by_a_known_offset_is_corrected),
        test_in_scratch(runtimes_are_counted_in_bins_of_equal_width),
        test_in_scratch(bytes_accessed_are_what_a_chunk_read_of_its_branches),
        test_in_scratch(a_dataset_has_one_colour_in_every_chart),
        test_in_scratch(boxes_of_a_lane_cover_what_ran_and_gaps_stay_open),
        test_in_scratch(every_chart_of_an_empty_run_says_why_it_is_empty),
        test_in_scratch(an_unknown_chart_is_refused_by_name),
        test_in_scratch(ticks_of_the_clock_are_at_its_round_times),
        test_in_scratch(names_are_text_in_a_picture_whatever_is_in_them),
        test_in_scratch(a_trace_ends_when_its_reader_refuses_a_part),
        test_in_scratch(metrics_are_in_base_units_and_labels_are_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
