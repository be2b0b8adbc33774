/* Analysis: statistics against formulas, and small runs whose answers can be told by hand. */
#include <math.h>

#include "analysis/slots.h"
#include "analysis/statistics.h"
#include "analysis/summary.h"
#include "base/clock.h"
#include "run/writer.h"
#include "unit.h"

#define S NS_PER_S

/* ---- Statistics ---------------------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void percentiles_equal_those_of_a_sorted_list(void **state)
{
    (void)state;
    unsigned seed = 7;
    for (size_t count = 1; count < 300; count += 13) {
        double values[300], sorted[300];
        for (size_t i = 0; i < count; i++) {
            seed = seed * 1103515245 + 12345;
            sorted[i] = values[i] = (double)(seed >> 16 & 0x3F); /* many equal ones */
        }
        qsort(sorted, count, sizeof *sorted, compare_doubles);
        static const double percents[] = {0, 5, 50, 95, 99, 100};
        for (size_t p = 0; p < 6; p++) {
            double position = percents[p] / 100 * (double)(count - 1);
            size_t below = (size_t)floor(position), above = (size_t)ceil(position);
            double expected = sorted[below] + (sorted[above] - sorted[below]) * (position - (double)below);
            assert_close(percentile(values, count, percents[p]), expected, 1e-12);
        }
    }
    assert_true(isnan(percentile(NULL, 0, 50)));
}

static void percentiles_of_sorted_and_equal_values_are_found_quickly(void **state)
{
    (void)state;
    size_t count = 200000;
    double *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)i;
    assert_close(percentile(values, count, 50), (double)(count - 1) / 2, 1e-9);
    for (size_t i = 0; i < count; i++)
        values[i] = 3;
    assert_close(percentile(values, count, 95), 3, 0);
    free(values);
}

/* Values that keep coming, and how often they were asked for. */
typedef struct growing_list {
    double values[30000];
    size_t count, asked;
    unsigned seed;
} growing_list;

static double growing_value(const void *context, size_t index)
{
    growing_list *list = (growing_list *)context;
    list->asked++;
    return list->values[index];
}

typedef enum growth { EVENLY, RISING, FALLING, FEW_DIFFERENT, ALL_EQUAL, TOWARDS_THE_MEDIAN, GROWTHS } growth;

static double next_value(growing_list *list, growth how)
{
    list->seed = list->seed * 1103515245 + 12345;
    double any = (double)(list->seed >> 8 & 0xFFFF), n = (double)list->count;
    const double values[GROWTHS] = {any, n, -n, (double)(list->seed >> 16 & 3), 4, n < 9000 ? any : 32768 + any / 1000};
    return list->seed >> 16 & 63 ? values[how] : (double)NAN;
}

static void assert_percentiles_of_growing(growing_list *list, rank_counts *ranks)
{
    static const double percents[] = {5, 50, 95, 99};
    double found[4], *sorted = malloc((list->count + 1) * sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (isfinite(list->values[i]))
            sorted[count++] = list->values[i];
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    assert_true(percentiles(ranks, list->count, growing_value, list, percents, found, 4));
    for (size_t p = 0; p < 4; p++) {
        double position = percents[p] / 100 * (double)(count - 1);
        size_t below = (size_t)floor(position), above = (size_t)ceil(position);
        assert_true(found[p] == sorted[below] + (sorted[above] - sorted[below]) * (position - (double)below));
    }
    free(sorted);
}

static void percentiles_stay_exact_while_values_come(void **state)
{
    (void)state;
    for (growth how = EVENLY; how < GROWTHS; how++) {
        growing_list *list = calloc(1, sizeof *list);
        rank_counts *ranks = calloc(1, sizeof *ranks);
        double nothing;
        assert_true(percentiles(ranks, 0, growing_value, list, &(double){50}, &nothing, 1) && isnan(nothing));
        list->seed = 11 + how;
        while (list->count < 28000) {
            size_t more = list->count < 1000 ? 1 + list->count * 3 : 1 + list->seed % 1500;
            for (; more && list->count < 28000; more--, list->count++)
                rank_count(ranks, list->values[list->count] = next_value(list, how));
            assert_percentiles_of_growing(list, ranks);
        }
        if (how == EVENLY) /* percentiles do not move far: few of the times, all values were looked at again */
            assert_true(list->asked < 3 * list->count);
        free(ranks);
        free(list);
    }
}

static void the_deviation_is_that_of_a_sample(void **state)
{
    (void)state;
    moments m = {0};
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    for (size_t i = 0; i < 8; i++)
        moments_add(&m, values[i] + 1e9);
    assert_close(moments_mean(&m), 5 + 1e9, 1e-6);
    assert_close(moments_deviation(&m), sqrt(32.0 / 7), 1e-6);
    moments one = {0};
    moments_add(&one, 3);
    assert_close(moments_deviation(&one), 0, 0);
    moments none = {0};
    assert_true(isnan(moments_mean(&none)));
}

static void the_error_of_an_intercept_is_that_of_least_squares(void **state)
{
    (void)state;
    line_fit fit = {0};
    line_fit_add(&fit, 0, 1);
    line_fit_add(&fit, 1, 2);
    line_fit_add(&fit, 2, 4);
    /* residuals 1/6, -1/3, 1/6: variance 1/6 with one degree of freedom; times 1/3 + 1/2 */
    assert_close(line_fit_intercept_error(&fit), sqrt(1.0 / 6 * 5 / 6), 1e-12);
}

static void a_line_is_fitted_exactly(void **state)
{
    (void)state;
    line_fit fit = {0};
    for (int i = 0; i < 10; i++)
        line_fit_add(&fit, i, 3 + 2 * i);
    assert_close(line_fit_slope(&fit), 2, 1e-12);
    assert_close(line_fit_intercept(&fit), 3, 1e-12);
    assert_close(line_fit_r2(&fit), 1, 1e-12);
    line_fit flat = {0};
    line_fit_add(&flat, 5, 1);
    line_fit_add(&flat, 5, 2);
    assert_true(isnan(line_fit_slope(&flat)));
}

/* ---- Slots --------------------------------------------------------------------------------------------------- */

/* A worker of two cores on which nothing has run. */
#define TWO_CORES(table)                                                                                               \
    core_slot slots[] = {{.first_start_ns = ROAST_ABSENT}, {.first_start_ns = ROAST_ABSENT}};                          \
    slot_group group = {slots, 2};                                                                                     \
    slot_table table = {.groups = &group, .n_groups = 1}

static void what_begins_a_little_before_the_end_of_another_follows_it(void **state)
{
    (void)state;
    TWO_CORES(table);
    assert_ptr_equal(slot_table_add(&table, 0, 0, 10 * S, NULL), &slots[0]);
    assert_ptr_equal(slot_table_add(&table, 0, 10 * S - 2 * S / 1000, 20 * S, NULL), &slots[0]);
    assert_ptr_equal(slot_table_add(&table, 0, 20 * S - 3 * S / 1000, 30 * S, NULL), &slots[1]);
    assert_int_equal(table.misfits, 0);
}

static void of_free_cores_the_one_used_last_is_taken_or_in_turn_the_one_idle_longest(void **state)
{
    (void)state;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        TWO_CORES(table);
        table.in_turn = in_turn;
        int64_t idle_ns;
        slot_table_add(&table, 0, 0, 10 * S, NULL);
        slot_table_add(&table, 0, 0, 15 * S, NULL);
        assert_ptr_equal(slot_table_add(&table, 0, 20 * S, 30 * S, &idle_ns), &slots[in_turn ? 0 : 1]);
        assert_int_equal(idle_ns, in_turn ? 10 * S : 5 * S);
    }
}

/* ---- Runs ---------------------------------------------------------------------------------------------------- */

static run_writer *new_run(void)
{
    run_writer *writer;
    assert_int_equal(run_writer_open(&writer, ":memory:", NULL, NULL), ROAST_OK);
    return writer;
}

static void set_window(run_writer *writer, int64_t start_s, int64_t end_s)
{
    run_write_fact_int(writer, "t_start_ns", start_s * S, NULL);
    run_write_fact_int(writer, "t_end_ns", end_s * S, NULL);
}

static roast_summary *summarize(run_writer *writer)
{
    roast_run *run = NULL;
    roast_summary *summary = NULL;
    roast_error err = {0};
    if (run_writer_into_run(writer, ROAST_FINISHED, &run, &err) || roast_summarize(&summary, run, &err))
        fail_msg("%s", err.message);
    roast_run_close(run);
    return summary;
}

static void add_worker(run_writer *writer, const char *address, int64_t cores, int64_t joined_s, int64_t left_s)
{
    roast_worker worker = roast_worker_none();
    worker.address = str_from(address);
    worker.cores = cores;
    worker.joined_ns = joined_s < 0 ? ROAST_ABSENT : joined_s * S;
    worker.left_ns = left_s < 0 ? ROAST_ABSENT : left_s * S;
    assert_int_equal(run_write_worker(writer, &worker, NULL), ROAST_OK);
}

static double value(const roast_summary *summary, const char *name)
{
    roast_value v = roast_summary_get(summary, name, NULL);
    return v.kind == ROAST_INT ? (double)v.as.integer : v.kind == ROAST_REAL ? v.as.real : (double)NAN;
}

static double cell(const roast_summary *summary, roast_scope scope, size_t row, const char *name)
{
    roast_value v = roast_summary_cell(summary, scope, row, name);
    return v.kind == ROAST_INT ? (double)v.as.integer : v.kind == ROAST_REAL ? v.as.real : (double)NAN;
}

static void a_worker_that_left_does_not_count_after_it_left(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 100, 200);
    add_worker(writer, "tcp://a:1", 4, 50, -1);   /* there before and to the end: 100 s */
    add_worker(writer, "tcp://b:1", 2, 120, 170); /* 50 s */
    add_worker(writer, "tcp://c:1", 8, 150, 160); /* 10 s */
    add_worker(writer, "tcp://d:1", 8, 10, 90);   /* gone before the run */
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "avg_workers"), (100 + 50 + 10) / 100.0, 1e-12);
    assert_close(value(summary, "total_cores"), (400 + 100 + 80) / 100.0, 1e-12);
    assert_close(value(summary, "peak_workers"), 3, 0);
    assert_close(value(summary, "peak_cores"), 14, 0);
    assert_close(value(summary, "cores_per_worker"), 580.0 / 160, 1e-12);
    assert_close(value(summary, "workers_joined"), 2, 0);
    assert_close(value(summary, "workers_left"), 2, 0);
    assert_close(value(summary, "workers_lost"), 0, 0);
    assert_close(cell(summary, ROAST_SCOPE_WORKER, 1, "present_seconds"), 50, 1e-12);
    roast_summary_free(summary);
}

static void a_worker_that_is_replaced_at_once_is_not_a_peak(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 100);
    add_worker(writer, "tcp://a:1", 1, 0, 50);
    add_worker(writer, "tcp://b:1", 1, 50, -1);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "peak_workers"), 1, 0);
    assert_close(value(summary, "avg_workers"), 1, 1e-12);
    roast_summary_free(summary);
}

static void a_sampled_timeline_is_integrated_by_trapezoids(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 40);
    static const roast_worker_count points[] = {{sizeof(roast_worker_count), .t_ns = 30 * S, .workers = 4, .cores = 8},
                                                {sizeof(roast_worker_count), .t_ns = 0},
                                                {sizeof(roast_worker_count), .t_ns = 10 * S, .workers = 2, .cores = 4},
                                                {sizeof(roast_worker_count), .t_ns = 20 * S, .workers = 2, .cores = 4}};
    for (size_t i = 0; i < 4; i++)
        run_write_count(writer, &points[i], NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "avg_workers"), (10 + 20 + 30) / 30.0, 1e-12);
    assert_close(value(summary, "total_cores"), (20 + 40 + 60) / 30.0, 1e-12);
    assert_close(value(summary, "mean_workers"), 2, 1e-12);
    const char *why;
    assert_int_equal(roast_summary_get(summary, "workers_joined", &why).kind, ROAST_NOTHING);
    assert_non_null(why);
    roast_summary_free(summary);
}

static void add_sample(run_writer *writer, const char *worker, int64_t t_s, int64_t memory, double cpu, double net_read)
{
    roast_sample sample = roast_sample_none();
    sample.worker = str_from(worker);
    sample.t_ns = t_s * S;
    sample.memory = memory;
    sample.cpu = cpu;
    sample.net_read = net_read;
    assert_int_equal(run_write_sample(writer, &sample, NULL), ROAST_OK);
}

static void memory_is_weighted_by_time_and_then_averaged_over_workers(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    add_worker(writer, "tcp://a:1", 2, 0, -1);
    add_worker(writer, "tcp://b:1", 2, 0, -1);
    add_sample(writer, "tcp://a:1", 0, 100, 50, (double)NAN);
    add_sample(writer, "tcp://a:1", 2, 300, 150, (double)NAN);
    add_sample(writer, "tcp://a:1", 10, 300, 200, (double)NAN);
    add_sample(writer, "tcp://b:1", 5, 1000, (double)NAN, (double)NAN);
    roast_summary *summary = summarize(writer);
    double mean_a = (200 * 2 + 300 * 8) / 10.0;
    assert_close(value(summary, "avg_memory_per_worker_bytes"), (mean_a + 1000) / 2, 1e-9);
    assert_close(value(summary, "peak_memory_bytes"), 1000, 0);
    assert_close(value(summary, "cpu_utilization_percent"), (100 * 2 + 175 * 8) / 10.0 / 2, 1e-9);
    assert_close(value(summary, "cpu_utilization_percent_max"), 100, 1e-9);
    assert_true(isnan(value(summary, "memory_utilization_percent_mean"))); /* no limit is known */
    assert_true(isnan(value(summary, "net_read_bytes")));
    roast_summary_free(summary);
}

static void add_heartbeat(run_writer *writer, const char *worker, int64_t t_s, int64_t memory)
{
    roast_sample sample = roast_sample_none();
    sample.worker = str_from(worker);
    sample.t_ns = t_s * S;
    sample.last_seen_ns = t_s * S;
    sample.memory = memory;
    assert_int_equal(run_write_sample(writer, &sample, NULL), ROAST_OK);
}

static void samples_of_the_probe_count_although_they_come_after_later_heartbeats(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    add_worker(writer, "tcp://a:1", 2, 0, -1);
    add_heartbeat(writer, "tcp://a:1", 0, 500);
    add_heartbeat(writer, "tcp://a:1", 6, 500);
    for (int64_t t = 0; t <= 6; t++) /* a batch: 0, 100, 200, 900, 200, 100, 0 */
        add_sample(writer, "tcp://a:1", t, t == 3 ? 900 : 100 * (t < 3 ? t : 6 - t), (double)NAN, (double)NAN);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "peak_memory_bytes"), 900, 0);
    assert_close(value(summary, "avg_memory_per_worker_bytes"), (50 + 150 + 550) * 2 / 6.0, 1e-9);
    assert_close(cell(summary, ROAST_SCOPE_WORKER, 0, "samples"), 9, 0);
    roast_summary_free(summary);
}

static void a_heartbeat_that_comes_late_may_still_be_the_peak(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    add_worker(writer, "tcp://a:1", 2, 0, -1);
    add_heartbeat(writer, "tcp://a:1", 0, 100);
    add_heartbeat(writer, "tcp://a:1", 10, 100);
    add_heartbeat(writer, "tcp://a:1", 5, 700);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "peak_memory_bytes"), 700, 0);
    assert_close(value(summary, "avg_memory_per_worker_bytes"), 100, 1e-9);
    roast_summary_free(summary);
}

static void a_hosts_network_traffic_is_counted_once_however_many_workers_report_it(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    for (int64_t t = 0; t <= 10; t++) {
        add_sample(writer, "tcp://one:1", t, 1, 0, 1000);
        add_sample(writer, "tcp://one:2", t, 1, 0, 1000);
        add_sample(writer, "tcp://two:1", t, 1, 0, 500);
    }
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "net_read_bytes"), 15000, 1e-6);
    roast_summary_free(summary);
}

static roast_chunk chunk_of(const char *dataset, int64_t start, int64_t events, double seconds)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = str_from(dataset);
    chunk.file = STR("f.root");
    chunk.entry_start = start;
    chunk.entry_stop = start + events;
    chunk.events = events;
    chunk.t_start_ns = start * S;
    chunk.duration_ns = clock_ns_from_seconds(seconds);
    return chunk;
}

static void failed_attempts_are_counted_and_do_not_enter_the_durations(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 100);
    roast_chunk failed = chunk_of("tt", 0, 10, 50);
    failed.error_type = STR("OSError");
    failed.error = STR("file vanished");
    failed.open_ns = 2 * S;
    roast_chunk good = chunk_of("tt", 0, 10, 4);
    good.t_start_ns = 60 * S;
    roast_chunk other = chunk_of("dy", 10, 30, 2);
    run_write_chunk(writer, &failed, NULL);
    run_write_chunk(writer, &good, NULL);
    run_write_chunk(writer, &other, NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "num_chunk_records"), 3, 0);
    assert_close(value(summary, "num_failed_chunks"), 1, 0);
    assert_close(value(summary, "num_retried_chunks"), 1, 0);
    assert_close(value(summary, "chunk_duration_mean"), 3, 1e-12);
    assert_close(value(summary, "chunk_duration_std"), sqrt(2), 1e-12);
    assert_close(value(summary, "total_events"), 40, 0);
    assert_close(value(summary, "event_rate_elapsed_khz"), 40 / 100.0 / 1000, 1e-15);
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_FAILURE), 1);
    assert_str(roast_summary_cell(summary, ROAST_SCOPE_FAILURE, 0, "error").as.text, "file vanished");
    assert_close(cell(summary, ROAST_SCOPE_FAILURE, 0, "lost_seconds"), 52, 1e-9);
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_DATASET), 2);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "failed"), 1, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 1, "total_duration"), 2, 1e-12);
    roast_summary_free(summary);
}

static void rates_efficiency_and_percentiles_are_those_of_two_chunks(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    add_worker(writer, "tcp://a:1", 2, 0, -1);
    roast_chunk small = chunk_of("tt", 0, 100, 4), large = chunk_of("tt", 100, 300, 6);
    small.bytes_read = 1000000000;
    large.bytes_read = 3000000000;
    large.t_start_ns = 4 * S;
    run_write_chunk(writer, &small, NULL);
    run_write_chunk(writer, &large, NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "data_rate_gbps"), 4 * 8 / 10.0, 1e-12);
    assert_close(value(summary, "core_efficiency"), (4 + 6) / (2 * 10.0), 1e-12);
    assert_close(value(summary, "avg_cpu_time_per_chunk"), 5, 1e-12);
    assert_close(value(summary, "time_per_event_us_mean"), (40000 + 20000) / 2, 1e-6);
    assert_close(value(summary, "time_per_event_us_p50"), 30000, 1e-6);
    assert_close(value(summary, "chunk_duration_p05"), 4 + 0.05 * 2, 1e-12);
    assert_close(value(summary, "chunk_duration_p50"), 5, 1e-12);
    assert_close(value(summary, "chunk_duration_p95"), 4 + 0.95 * 2, 1e-12);
    assert_close(value(summary, "chunk_duration_p99"), 4 + 0.99 * 2, 1e-12);
    roast_summary_free(summary);
}

static void failures_on_two_workers_are_two_rows(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    static const char *const workers[] = {"tcp://a:1", "tcp://b:1", "tcp://a:1"};
    for (int i = 0; i < 3; i++) {
        roast_chunk failed = chunk_of("tt", 10 * i, 10, 1);
        failed.worker = str_from(workers[i]);
        failed.error_type = STR("OSError");
        run_write_chunk(writer, &failed, NULL);
    }
    roast_summary *summary = summarize(writer);
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_FAILURE), 2);
    for (size_t row = 0; row < 2; row++) {
        assert_str(roast_summary_cell(summary, ROAST_SCOPE_FAILURE, row, "worker").as.text, workers[row]);
        assert_close(cell(summary, ROAST_SCOPE_FAILURE, row, "count"), row == 0 ? 2 : 1, 0);
    }
    roast_summary_free(summary);
}

/* Half of the chunks have 10 events and half 20, and all take 0.1 s per event but one. Of n in a half, that one is
 * (n - 1)/n of its delay above the line, and the deviation is sqrt((n - 1)/n / (2n - 2)): 2.1 of it for 4, 3.5 for 8.
 */
static void a_chunk_is_an_outlier_from_three_deviations_on(void **state)
{
    (void)state;
    for (int64_t half = 4; half <= 8; half += 4) {
        run_writer *writer = new_run();
        for (int64_t i = 0; i < half; i++) {
            roast_chunk few = chunk_of("tt", 100 * i, 10, 1), many = chunk_of("tt", 100 * i + 50, 20, i ? 2 : 5);
            run_write_chunk(writer, &few, NULL);
            run_write_chunk(writer, &many, NULL);
        }
        roast_summary *summary = summarize(writer);
        assert_close(value(summary, "runtime_vs_events_outliers"), half == 4 ? 0 : 1, 0);
        roast_summary_free(summary);
    }
}

static void write_in_round(run_writer *writer, roast_chunk chunk, int64_t round, int64_t t_s, bool failed)
{
    chunk.round = round;
    chunk.t_start_ns = t_s * S;
    chunk.bytes_read = 1000;
    if (failed)
        chunk.error_type = STR("KilledWorker");
    run_write_chunk(writer, &chunk, NULL);
}

static void a_chunk_that_is_computed_again_in_a_round_counts_once(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 1000);
    roast_chunk lost = chunk_of("tt", 0, 10, 4), other = chunk_of("tt", 10, 30, 2);
    write_in_round(writer, lost, 1, 100, false);
    write_in_round(writer, other, 1, 110, true);
    write_in_round(writer, lost, 1, 120, false); /* its result went with the worker that died */
    write_in_round(writer, other, 1, 130, false);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "num_chunk_records"), 4, 0);
    assert_close(value(summary, "num_recomputed_chunks"), 1, 0);
    assert_close(value(summary, "num_successful_chunks"), 2, 0);
    assert_close(value(summary, "num_retried_chunks"), 1, 0);
    assert_close(value(summary, "num_failed_chunks"), 1, 0);
    assert_close(value(summary, "num_chunks"), 2, 0);
    assert_close(value(summary, "total_events"), 40, 0);
    assert_close(value(summary, "total_events_from_chunks"), 40, 0);
    assert_close(value(summary, "total_bytes_read"), 2000, 0);
    assert_close(value(summary, "total_cpu_time"), 6, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "total_events"), 40, 0);
    roast_summary_free(summary);
}

static void a_retry_of_what_nobody_recorded_is_the_first_success(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 1000);
    roast_chunk chunk = chunk_of("tt", 0, 10, 4);
    chunk.attempt = 2; /* the first was on a worker without a probe */
    write_in_round(writer, chunk, 1, 100, false);
    chunk.attempt = 3;
    write_in_round(writer, chunk, 1, 120, false);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "num_successful_chunks"), 1, 0);
    assert_close(value(summary, "num_recomputed_chunks"), 1, 0);
    assert_close(value(summary, "total_events"), 10, 0);
    roast_summary_free(summary);
}

static void chunks_of_two_rounds_and_of_two_datasets_all_count(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 1000);
    write_in_round(writer, chunk_of("tt", 0, 10, 4), 1, 100, true);
    write_in_round(writer, chunk_of("tt", 0, 10, 4), 1, 110, false);
    write_in_round(writer, chunk_of("dy", 0, 10, 4), 1, 120, false); /* the same file under another name */
    write_in_round(writer, chunk_of("tt", 0, 10, 4), 2, 130, false);
    write_in_round(writer, chunk_of("tt", 0, 10, 4), 2, 140, false); /* again: the failure was of another round */
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "num_recomputed_chunks"), 1, 0);
    assert_close(value(summary, "num_retried_chunks"), 1, 0);
    assert_close(value(summary, "num_chunks"), 3, 0);
    assert_close(value(summary, "total_events"), 30, 0);
    roast_summary_free(summary);
}

static void a_report_that_tells_little_does_not_hide_what_chunks_know(void **state)
{
    (void)state;
    static const char *const reports[] = {"{\"entries\": 100}", "null", "{\"bytesread\": \"many\"}"};
    for (size_t i = 0; i < 3; i++) {
        run_writer *writer = new_run();
        set_window(writer, 0, 10);
        roast_chunk chunk = chunk_of("tt", 0, 40, 5);
        chunk.bytes_read = 1000;
        run_write_chunk(writer, &chunk, NULL);
        run_write_document(writer, "report", str_from(reports[i]), NULL);
        roast_summary *summary = summarize(writer);
        assert_close(value(summary, "total_events"), i == 0 ? 100 : 40, 0);
        assert_close(value(summary, "total_bytes_read"), 1000, 0);
        assert_close(value(summary, "total_cpu_time"), 5, 1e-12);
        roast_summary_free(summary);
    }
}

static void custom_metrics_replace_only_what_they_tell(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    run_write_document(writer, "report", STR("{\"entries\": 1, \"bytesread\": 800, \"processtime\": 2}"), NULL);
    run_write_document(writer, "custom_metrics", STR("{\"a\": {\"entries\": 70, \"duration\": \"long\"}}"), NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "total_events"), 70, 0);
    assert_close(value(summary, "total_bytes_read"), 800, 0);
    assert_close(value(summary, "total_cpu_time"), 2, 1e-12);
    roast_summary_free(summary);
}

static void events_and_times_that_no_chunk_tells_are_absent_and_those_of_no_chunk_are_zero(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    roast_chunk unknown = chunk_of("tt", 0, 10, 4), failed = chunk_of("dy", 0, 10, 4);
    unknown.events = unknown.duration_ns = ROAST_ABSENT;
    failed.error_type = STR("OSError");
    run_write_chunk(writer, &unknown, NULL);
    run_write_chunk(writer, &failed, NULL);
    roast_summary *summary = summarize(writer);
    assert_true(isnan(value(summary, "total_events")));
    assert_true(isnan(value(summary, "total_cpu_time")));
    assert_true(isnan(value(summary, "event_rate_elapsed_khz")));
    assert_true(isnan(value(summary, "speedup_factor")));
    assert_true(isnan(cell(summary, ROAST_SCOPE_DATASET, 0, "total_events")));
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 1, "total_events"), 0, 0);
    roast_summary_free(summary);
}

static void what_was_not_measured_is_absent_with_a_reason_and_never_zero(void **state)
{
    (void)state;
    roast_summary *summary = summarize(new_run());
    for (size_t i = 0; i < roast_metric_count(); i++) {
        const roast_metric *metric = roast_metric_at(i);
        if (metric->scope != ROAST_SCOPE_RUN)
            continue;
        const char *why;
        assert_int_equal(roast_summary_get(summary, metric->name, &why).kind, ROAST_NOTHING);
        if (!why)
            fail_msg("%s is absent and nobody says why", metric->name);
    }
    roast_summary_free(summary);
}

static void a_rate_over_zero_time_is_absent(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 5, 5);
    run_write_document(writer, "report", STR("{\"entries\":10,\"bytesread\":20,\"processtime\":0.0,\"chunks\":1}"),
                       NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "elapsed_time_seconds"), 0, 0);
    assert_true(isnan(value(summary, "data_rate_gbps")));
    assert_true(isnan(value(summary, "event_rate_agg_khz")));
    assert_close(value(summary, "bytes_per_event"), 2, 1e-12);
    roast_summary_free(summary);
}

static void custom_metrics_replace_the_reports_totals_by_their_sums(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    set_window(writer, 0, 10);
    run_write_document(writer, "report", STR("{\"entries\":1,\"bytesread\":2,\"processtime\":3.0,\"chunks\":4}"), NULL);
    run_write_document(writer, "custom_metrics",
                       STR("{\"a\":{\"entries\":100,\"duration\":5.0,\"performance_counters\":{\"num_requested_bytes\":"
                           "1000}},\"b\":{\"entries\":50,\"duration\":2.5}}"),
                       NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "total_events"), 150, 0);
    assert_close(value(summary, "total_bytes_read"), 1000, 0);
    assert_close(value(summary, "total_cpu_time"), 7.5, 0);
    assert_close(value(summary, "num_chunks"), 4, 0);
    roast_summary_free(summary);
}

static void the_processors_tasks_are_told_apart_from_overhead(void **state)
{
    (void)state;
    static const struct {
        const char *prefix, *activity, *unit;
        double value;
    } activities[] = {
        {"Proc", "thread-cpu", "seconds", 6},    {"Proc", "thread-noncpu", "seconds", 2},
        {"reduce", "thread-cpu", "seconds", 1},  {"reduce", "memory-read", "bytes", 500},
        {"reduce", "memory-read", "count", 3},   {"Proc", "decompress", "seconds", 0.25},
        {"Proc", "deserialize", "seconds", 0.5}, {"Proc", "executor", "seconds", 0.1},
    };
    run_writer *writer = new_run();
    run_write_fact(writer, "processor", STR("Proc"), NULL);
    for (size_t i = 0; i < sizeof activities / sizeof *activities; i++) {
        roast_activity activity = roast_activity_none();
        activity.context = STR("execute");
        activity.prefix = str_from(activities[i].prefix);
        activity.activity = str_from(activities[i].activity);
        activity.unit = str_from(activities[i].unit);
        activity.value = activities[i].value;
        run_write_activity(writer, &activity, NULL);
    }
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "cpu_time_seconds"), 6, 0);
    assert_close(value(summary, "processor_io_wait_percent"), 25, 1e-12);
    assert_close(value(summary, "overhead_cpu_time_seconds"), 1, 0);
    assert_close(value(summary, "total_bytes_memory_read"), 500, 0);
    assert_close(value(summary, "total_serialization_overhead_seconds"), 0.5, 0);
    assert_close(value(summary, "disk_read_bytes"), 0, 0);
    roast_summary_free(summary);
}

static void bytes_read_of_a_file_are_those_of_the_branches_its_chunks_read(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    static const char *const urls[] = {"a.root", "b.root", "c.root"};
    static const roast_branch branches[] = {{sizeof(roast_branch), {"Jet_pt", 6}, 100, 300, 1},
                                            {sizeof(roast_branch), {"nJet", 4}, 10, 40, 1},
                                            {sizeof(roast_branch), {"Muon_pt", 7}, 50, 90, 1}};
    for (size_t i = 0; i < 3; i++) {
        roast_file file = roast_file_none();
        file.url = str_from(urls[i]);
        file.total_branches = 4;
        file.compressed = 200;
        file.uncompressed = 500;
        file.branches = branches;
        file.n_branches = 3;
        run_write_file(writer, &file, NULL);
    }
    static const roast_str jets[] = {{"nJet", 4}, {"Jet_pt", 6}}, muons[] = {{"Muon_pt", 7}, {"nJet", 4}};
    roast_chunk chunk = chunk_of("tt", 0, 10, 1);
    chunk.file = STR("a.root");
    chunk.branches = jets;
    chunk.n_branches = 2;
    run_write_chunk(writer, &chunk, NULL);
    chunk.file = STR("c.root");
    run_write_chunk(writer, &chunk, NULL);
    chunk.entry_start = 10;
    chunk.branches = muons;
    run_write_chunk(writer, &chunk, NULL);
    roast_summary *summary = summarize(writer);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 0, "bytes_read"), 110, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 0, "branches_read_percent"), 50, 1e-12);
    assert_true(isnan(cell(summary, ROAST_SCOPE_FILE, 1, "bytes_read")));
    assert_close(cell(summary, ROAST_SCOPE_FILE, 2, "bytes_read"), 160, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 2, "branches_read"), 3, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 2, "compression_ratio"), 0.4, 1e-12);
    assert_close(value(summary, "total_branches_read"), 3, 0);
    /* c.root counts once, although its chunks read two sets of branches */
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "tree_bytes"), 200 + 200, 0);
    assert_close(value(summary, "avg_bytes_read_percent"), (55 + 80) / 2.0, 1e-12);
    roast_summary_free(summary);
}

/* ---- Branches of datasets -------------------------------------------------------------------------------------- */

static void add_file(run_writer *writer, const char *url, int64_t entries, const roast_branch *branches, size_t count)
{
    roast_file file = roast_file_none();
    file.url = str_from(url);
    file.entries = entries;
    file.compressed = file.uncompressed = 0;
    for (size_t i = 0; i < count; i++) {
        file.compressed += branches[i].compressed;
        file.uncompressed += branches[i].uncompressed;
    }
    file.total_branches = (int64_t)count;
    file.branches = branches;
    file.n_branches = count;
    run_write_file(writer, &file, NULL);
}

static void add_reader(run_writer *writer, const char *dataset, const char *url, int64_t start, const roast_str *names,
                       size_t count)
{
    roast_chunk chunk = chunk_of(dataset, start, 50, 1);
    chunk.file = str_from(url);
    chunk.branches = names;
    chunk.n_branches = count;
    chunk.bytes_read = 500;
    chunk.read_requests = start == 0 ? 3 : 5;
    static uint64_t uid; /* two datasets may have the same range of a file: without a number it would be one chunk */
    chunk.uid = ++uid;
    run_write_chunk(writer, &chunk, NULL);
}

/* a.root and shared.root are read by tt, shared.root and half of b.root by dy. */
static roast_summary *summary_of_branches(void)
{
    static const roast_branch branches[] = {
        {sizeof(roast_branch), {"Jet_pt", 6}, 100, 300, 2}, {sizeof(roast_branch), {"Jet_eta", 7}, 200, 400, 2},
        {sizeof(roast_branch), {"nJet", 4}, 10, 40, 1},     {sizeof(roast_branch), {"MET_pt", 6}, 30, 60, 1},
        {sizeof(roast_branch), {"MET_phi", 7}, 60, 90, 1},  {sizeof(roast_branch), {"Gen_pt", 6}, 600, 900, 4},
    };
    static const roast_str jets[] = {{"Jet_pt", 6}, {"nJet", 4}}, met[] = {{"MET_pt", 6}};
    run_writer *writer = new_run();
    add_file(writer, "a.root", 100, branches, 6);
    add_file(writer, "shared.root", 100, branches, 6);
    add_file(writer, "b.root", 100, branches, 5);
    add_reader(writer, "tt", "a.root", 0, jets, 2);
    add_reader(writer, "tt", "a.root", 50, jets, 2);
    add_reader(writer, "tt", "shared.root", 0, jets, 2);
    add_reader(writer, "dy", "shared.root", 0, met, 1);
    add_reader(writer, "dy", "shared.root", 50, met, 1);
    add_reader(writer, "dy", "b.root", 0, met, 1);
    return summarize(writer);
}

static size_t find_branch(const roast_summary *summary, const char *dataset, const char *branch)
{
    for (size_t i = 0; i < roast_summary_rows(summary, ROAST_SCOPE_BRANCH); i++)
        if (str_equal(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, i, "dataset").as.text, str_from(dataset)) &&
            str_equal(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, i, "branch").as.text, str_from(branch)))
            return i;
    fail_msg("there is no row of %s in %s", branch, dataset);
    return 0;
}

static void a_branch_is_read_or_not_dataset_by_dataset(void **state)
{
    (void)state;
    roast_summary *summary = summary_of_branches();
    static const struct {
        const char *dataset, *branch, *access;
        double bytes, per_event, share, files_read;
    } rows[] = {
        {"tt", "Jet_pt", "read", 200, 1, 10, 2},
        {"tt", "nJet", "read", 20, 0.1, 1, 2},
        {"tt", "MET_pt", "not read", 60, 0.3, 3, 0},
        {"tt", "Gen_pt", "not read", 1200, 6, 60, 0},
        {"dy", "MET_pt", "read", 60, 0.3, 60 / 14.0, 2},
        {"dy", "Jet_pt", "not read", 200, 1, 200 / 14.0, 0},
        {"dy", "Gen_pt", "not read", 600, 6, 600 / 14.0, 0},
    };
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_BRANCH), 12);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t row = find_branch(summary, rows[i].dataset, rows[i].branch);
        assert_str(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, row, "access").as.text, rows[i].access);
        assert_close(cell(summary, ROAST_SCOPE_BRANCH, row, "compressed_bytes"), rows[i].bytes, 0);
        assert_close(cell(summary, ROAST_SCOPE_BRANCH, row, "bytes_per_event"), rows[i].per_event, 1e-12);
        assert_close(cell(summary, ROAST_SCOPE_BRANCH, row, "share_percent"), rows[i].share, 1e-9);
        assert_close(cell(summary, ROAST_SCOPE_BRANCH, row, "files_read"), rows[i].files_read, 0);
    }
    assert_str(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, 0, "branch").as.text, "Jet_pt"); /* read, largest */
    assert_str(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, 2, "branch").as.text, "Gen_pt"); /* not read, largest */
    roast_summary_free(summary);
}

/* As systematic variations are often made: one file, many datasets. Each reads Jet_pt, every third MET_pt as well. */
static void a_file_that_serves_many_datasets_counts_for_each_of_them(void **state)
{
    (void)state;
    enum { DATASETS = 100, EVERY = 3 };
    static const roast_branch branches[] = {{sizeof(roast_branch), {"Jet_pt", 6}, 100, 300, 2},
                                            {sizeof(roast_branch), {"MET_pt", 6}, 30, 60, 1}};
    static const roast_str names[] = {{"Jet_pt", 6}, {"MET_pt", 6}};
    run_writer *writer = new_run();
    add_file(writer, "a.root", 50, branches, 2);
    for (int i = 0; i < DATASETS; i++) {
        char dataset[16];
        snprintf(dataset, sizeof dataset, "d%d", i);
        add_reader(writer, dataset, "a.root", 0, names, 1);
        if (i % EVERY == 0)
            add_reader(writer, dataset, "a.root", 50, names, 2);
    }
    roast_summary *summary = summarize(writer);
    for (int i = 0; i < DATASETS; i++) {
        char dataset[16];
        snprintf(dataset, sizeof dataset, "d%d", i);
        bool both = i % EVERY == 0;
        assert_close(cell(summary, ROAST_SCOPE_DATASET, (size_t)i, "branch_bytes_read"), both ? 130 : 100, 0);
        assert_close(cell(summary, ROAST_SCOPE_DATASET, (size_t)i, "branches_read"), both ? 2 : 1, 0);
        assert_close(cell(summary, ROAST_SCOPE_DATASET, (size_t)i, "total_branches"), 2, 0);
        size_t row = find_branch(summary, dataset, "MET_pt");
        assert_str(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, row, "access").as.text, both ? "read" : "not read");
        assert_close(cell(summary, ROAST_SCOPE_BRANCH, row, "files_read"), both, 0);
        assert_close(cell(summary, ROAST_SCOPE_BRANCH, row, "compressed_bytes"), 30, 0);
    }
    assert_close(cell(summary, ROAST_SCOPE_FILE, 0, "branches_read"), 2, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 0, "bytes_read"), 130, 0);
    roast_summary_free(summary);
}

static void a_dataset_has_to_read_its_branches_for_the_entries_it_processed(void **state)
{
    (void)state;
    roast_summary *summary = summary_of_branches();
    /* tt: all of a.root and half of shared.root; dy: all of shared.root and half of b.root. */
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "tree_bytes"), 2000, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "branch_bytes_read"), 220, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "bytes_read_percent"), 11, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "least_bytes_to_read"), 110 + 55, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "branches_read"), 2, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "total_branches"), 6, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 1, "tree_bytes"), 1400, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 1, "least_bytes_to_read"), 30 + 15, 0);
    assert_close(cell(summary, ROAST_SCOPE_DATASET, 0, "requests_per_chunk"), (3 + 5 + 3) / 3.0, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 1, "bytes_read"), 100 + 10 + 30, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 1, "least_bytes_to_read"), 55 + 30, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 0, "baskets"), 11, 0);
    assert_close(cell(summary, ROAST_SCOPE_FILE, 0, "source_bytes_read"), 1000, 0);
    assert_close(value(summary, "tree_bytes_available"), 2400, 0);
    assert_close(value(summary, "branch_bytes_read"), 110 + 140 + 30, 0);
    assert_close(value(summary, "branch_bytes_unread"), 2400 - 280, 0);
    assert_close(value(summary, "least_bytes_to_read"), 110 + 85 + 15, 0);
    assert_close(value(summary, "read_amplification"), 3000 / 210.0, 1e-12);
    assert_close(value(summary, "requests_per_chunk"), (3 + 5 + 3 + 3 + 5 + 3) / 6.0, 1e-12);
    assert_close(value(summary, "total_branches_available"), 6, 0);
    roast_summary_free(summary);
}

static void a_collection_opened_for_one_column_is_named_and_so_are_the_largest_unread(void **state)
{
    (void)state;
    roast_summary *summary = summary_of_branches();
    assert_str(roast_summary_cell(summary, ROAST_SCOPE_DATASET, 0, "one_column_collections").as.text, "Jet_pt");
    /* MET has no length of its own: reading one column of it opens nothing else. */
    assert_int_equal(roast_summary_cell(summary, ROAST_SCOPE_DATASET, 1, "one_column_collections").kind, ROAST_NOTHING);
    assert_close(value(summary, "one_column_collections"), 1, 0);
    assert_str(roast_summary_cell(summary, ROAST_SCOPE_DATASET, 0, "mostly_unread").as.text,
               "Gen 60 %, Jet 20 %, MET 9 %");
    roast_summary_free(summary);
}

static void branches_of_files_that_nothing_is_known_of_are_named_without_sizes(void **state)
{
    (void)state;
    static const roast_str jets[] = {{"Jet_pt", 6}};
    run_writer *writer = new_run();
    add_reader(writer, "tt", "a.root", 0, jets, 1);
    roast_summary *summary = summarize(writer);
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_BRANCH), 1);
    assert_str(roast_summary_cell(summary, ROAST_SCOPE_BRANCH, 0, "access").as.text, "read");
    assert_true(isnan(cell(summary, ROAST_SCOPE_BRANCH, 0, "compressed_bytes")));
    assert_true(isnan(cell(summary, ROAST_SCOPE_BRANCH, 0, "files")));
    assert_true(isnan(cell(summary, ROAST_SCOPE_DATASET, 0, "tree_bytes")));
    assert_true(isnan(value(summary, "one_column_collections")));
    roast_summary_free(summary);
}

static void columns_of_the_report_serve_where_no_chunk_told_what_it_read(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    run_write_document(writer, "report",
                       STR("{\"columns\": [\"Jet_pt-data\", \"nJet-offsets\", \"Muon_pt-data\", \"Jet_pt-data\", 7]}"),
                       NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "total_branches_read"), 2, 0);
    roast_summary_free(summary);
}

static void a_report_that_is_not_json_is_as_good_as_none(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    run_write_document(writer, "report", STR("{\"entries\": 10,"), NULL);
    roast_summary *summary = summarize(writer);
    assert_true(isnan(value(summary, "total_events")));
    roast_summary_free(summary);
}

static void sections_are_summed_over_chunks(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    for (int64_t i = 0; i < 3; i++) {
        roast_section section = roast_section_none();
        section.name = STR("jets");
        section.count = 2;
        section.bytes = 500;
        section.duration_ns = (i + 1) * S / 10;
        section.rss_delta = i << 20;
        roast_chunk chunk = chunk_of("tt", i * 10, 10, 1);
        chunk.sections = &section;
        chunk.n_sections = 1;
        run_write_chunk(writer, &chunk, NULL);
    }
    roast_summary *summary = summarize(writer);
    assert_int_equal(roast_summary_rows(summary, ROAST_SCOPE_SECTION), 1);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "count"), 6, 0);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "total_duration"), 0.6, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "mean_duration"), 0.1, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "max_duration"), 0.3, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "share_of_process_percent"), 20, 1e-9);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "bytes"), 1500, 0);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "min_mem_delta_mb"), 0, 0);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "mean_mem_delta_mb"), 1, 1e-12);
    assert_close(cell(summary, ROAST_SCOPE_SECTION, 0, "max_mem_delta_mb"), 2, 1e-12);
    roast_summary_free(summary);
}

static void an_interrupted_run_ends_at_its_last_record(void **state)
{
    (void)state;
    run_writer *writer = new_run();
    run_write_fact_int(writer, "t_start_ns", 0, NULL);
    add_worker(writer, "tcp://a:1", 1, 0, -1);
    roast_chunk chunk = chunk_of("tt", 20, 10, 4);
    run_write_chunk(writer, &chunk, NULL);
    roast_summary *summary = summarize(writer);
    assert_close(value(summary, "elapsed_time_seconds"), 24, 1e-9);
    assert_close(value(summary, "avg_workers"), 1, 1e-12);
    roast_summary_free(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_equal_those_of_a_sorted_list),
        cmocka_unit_test(percentiles_of_sorted_and_equal_values_are_found_quickly),
        cmocka_unit_test(percentiles_stay_exact_while_values_come),
        cmocka_unit_test(the_deviation_is_that_of_a_sample),
        cmocka_unit_test(a_line_is_fitted_exactly),
        cmocka_unit_test(the_error_of_an_intercept_is_that_of_least_squares),
        cmocka_unit_test(what_begins_a_little_before_the_end_of_another_follows_it),
        cmocka_unit_test(of_free_cores_the_one_used_last_is_taken_or_in_turn_the_one_idle_longest),
        cmocka_unit_test(a_worker_that_left_does_not_count_after_it_left),
        cmocka_unit_test(a_worker_that_is_replaced_at_once_is_not_a_peak),
        cmocka_unit_test(a_sampled_timeline_is_integrated_by_trapezoids),
        cmocka_unit_test(memory_is_weighted_by_time_and_then_averaged_over_workers),
        cmocka_unit_test(a_hosts_network_traffic_is_counted_once_however_many_workers_report_it),
        cmocka_unit_test(failed_attempts_are_counted_and_do_not_enter_the_durations),
        cmocka_unit_test(rates_efficiency_and_percentiles_are_those_of_two_chunks),
        cmocka_unit_test(failures_on_two_workers_are_two_rows),
        cmocka_unit_test(a_chunk_is_an_outlier_from_three_deviations_on),
        cmocka_unit_test(a_chunk_that_is_computed_again_in_a_round_counts_once),
        cmocka_unit_test(a_retry_of_what_nobody_recorded_is_the_first_success),
        cmocka_unit_test(chunks_of_two_rounds_and_of_two_datasets_all_count),
        cmocka_unit_test(what_was_not_measured_is_absent_with_a_reason_and_never_zero),
        cmocka_unit_test(a_rate_over_zero_time_is_absent),
        cmocka_unit_test(samples_of_the_probe_count_although_they_come_after_later_heartbeats),
        cmocka_unit_test(a_heartbeat_that_comes_late_may_still_be_the_peak),
        cmocka_unit_test(a_report_that_tells_little_does_not_hide_what_chunks_know),
        cmocka_unit_test(custom_metrics_replace_only_what_they_tell),
        cmocka_unit_test(events_and_times_that_no_chunk_tells_are_absent_and_those_of_no_chunk_are_zero),
        cmocka_unit_test(custom_metrics_replace_the_reports_totals_by_their_sums),
        cmocka_unit_test(the_processors_tasks_are_told_apart_from_overhead),
        cmocka_unit_test(bytes_read_of_a_file_are_those_of_the_branches_its_chunks_read),
        cmocka_unit_test(a_branch_is_read_or_not_dataset_by_dataset),
        cmocka_unit_test(a_file_that_serves_many_datasets_counts_for_each_of_them),
        cmocka_unit_test(a_dataset_has_to_read_its_branches_for_the_entries_it_processed),
        cmocka_unit_test(a_collection_opened_for_one_column_is_named_and_so_are_the_largest_unread),
        cmocka_unit_test(branches_of_files_that_nothing_is_known_of_are_named_without_sizes),
        cmocka_unit_test(columns_of_the_report_serve_where_no_chunk_told_what_it_read),
        cmocka_unit_test(a_report_that_is_not_json_is_as_good_as_none),
        cmocka_unit_test(sections_are_summed_over_chunks),
        cmocka_unit_test(an_interrupted_run_ends_at_its_last_record),
    };
    return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
