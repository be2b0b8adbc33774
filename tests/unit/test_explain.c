/* The ledger, the replay and the findings, on runs that are small enough to be worked out by hand. */
#include "analysis/explain.h"

#include <math.h>

#include "analysis/summary.h"
#include "base/clock.h"
#include "base/str.h"
#include "unit.h"

static const int64_t START_NS = INT64_C(1794751331000000000);

static void assert_near(double found, double expected, double distance)
{
    if (!(fabs(found - expected) <= distance))
        fail_msg("found %.9g, expected %.9g", found, expected);
}

/* A run in a file of its own, with workers of two cores and chunks at given seconds. */
typedef struct planned {
    char path[64];
    roast_recorder *recorder;
    int64_t next_entry;
} planned;

static void begin(planned *p, double until)
{
    snprintf(p->path, sizeof p->path, "/tmp/roast-explain-XXXXXX");
    int fd = mkstemp(p->path);
    assert_true(fd >= 0);
    close(fd);
    p->next_entry = 0;
    roast_recorder_options options = {.name = "planned", .overwrite = true};
    assert_int_equal(roast_recorder_open(&p->recorder, p->path, &options, NULL), ROAST_OK);
    assert_int_equal(roast_record_fact_int(p->recorder, "t_start_ns", START_NS), ROAST_OK);
    assert_int_equal(roast_record_fact_int(p->recorder, "t_end_ns", START_NS + (int64_t)(until * 1e9)), ROAST_OK);
}

static void add_worker(planned *p, const char *address, int64_t cores, double joined, double left, bool lost)
{
    roast_worker worker = roast_worker_none();
    worker.address = str_from(address);
    worker.host = str_from(address);
    worker.cores = cores;
    worker.joined_ns = START_NS + (int64_t)(joined * 1e9);
    if (left > 0)
        worker.left_ns = START_NS + (int64_t)(left * 1e9);
    worker.lost = lost;
    assert_int_equal(roast_record_worker(p->recorder, &worker), ROAST_OK);
}

/* Opening takes a tenth of a second for each second in process(), of which cpu_share is CPU. */
static roast_chunk plan_chunk(planned *p, const char *worker, double start, double seconds, double cpu_share)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = STR("data");
    chunk.file = STR("root://site//a.root");
    chunk.worker = str_from(worker);
    chunk.entry_start = p->next_entry;
    chunk.entry_stop = p->next_entry += 1000;
    chunk.events = 1000;
    chunk.attempt = 1;
    chunk.open_ns = (int64_t)(seconds * 1e8);
    chunk.t_start_ns = START_NS + (int64_t)(start * 1e9) + chunk.open_ns;
    chunk.duration_ns = (int64_t)(seconds * 9e8);
    chunk.cpu_ns = (int64_t)(seconds * 9e8 * cpu_share);
    return chunk;
}

static void add_chunk(planned *p, const char *worker, double start, double seconds, double cpu_share)
{
    roast_chunk chunk = plan_chunk(p, worker, start, seconds, cpu_share);
    assert_int_equal(roast_record_chunk(p->recorder, &chunk), ROAST_OK);
}

typedef struct explained {
    roast_run *run;
    roast_summary *summary;
    explanation why;
} explained;

static explained explain(planned *p, bool what_ifs)
{
    explained e;
    roast_error err = {0};
    assert_int_equal(roast_recorder_close(p->recorder, ROAST_FINISHED, &err), ROAST_OK);
    assert_int_equal(roast_run_open(&e.run, p->path, NULL, &err), ROAST_OK);
    assert_int_equal(roast_summarize(&e.summary, e.run, &err), ROAST_OK);
    assert_int_equal(explain_run(&e.why, e.run, e.summary, what_ifs, &err), ROAST_OK);
    unlink(p->path);
    return e;
}

static void release(explained *e)
{
    explanation_release(&e->why);
    roast_summary_free(e->summary);
    roast_run_close(e->run);
}

/* Core-seconds of a category of the run; 0 if it has none. */
static double in_ledger(const explained *e, const char *category)
{
    for (size_t row = 0; row < roast_summary_rows(e->summary, ROAST_SCOPE_LEDGER); row++)
        if (str_equal(summary_cell(e->summary, M_ledger_category, row).as.text, str_from(category)))
            return summary_cell(e->summary, M_ledger_core_seconds, row).as.real;
    return 0;
}

static const finding *finding_of(const explained *e, finding_kind kind)
{
    for (size_t i = 0; i < e->why.count; i++)
        if (e->why.findings[i].kind == kind)
            return &e->why.findings[i];
    return NULL;
}

static double answer(const explained *e, const char *id)
{
    for (size_t i = 0; i < e->why.n_what_ifs; i++)
        if (strcmp(e->why.what_ifs[i].id, id) == 0)
            return e->why.what_ifs[i].wall_seconds;
    return (double)NAN;
}

/* ---- The ledger ---------------------------------------------------------------------------------------------- */

static void idle_time_is_told_apart_by_when_it_was(void **state)
{
    (void)state;
    planned p;
    begin(&p, 50);
    add_worker(&p, "a", 2, 0, 0, false);
    add_chunk(&p, "a", 5, 10, 1);  /* one core: idle 0-5 (start), 15-20 (queue), 30-50 (tail) */
    add_chunk(&p, "a", 10, 25, 1); /* the other: idle 0-10 (start), 35-50 (tail) */
    add_chunk(&p, "a", 20, 10, 1); /* the last to be started: at 20 */
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "idle_start"), 15, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 5, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 35, 1e-6);
    assert_near(in_ledger(&e, "open"), 4.5, 1e-6);
    assert_near(in_ledger(&e, "process_cpu"), 40.5, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    release(&e);
}

static void a_worker_that_left_offers_nothing_after_it_left(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 1, 0, 0, false);
    add_worker(&p, "b", 2, 20, 50, false);
    add_chunk(&p, "b", 20, 30, 0.5);
    add_chunk(&p, "a", 0, 100, 0.5);
    explained e = explain(&p, false);
    double whole = 0;
    for (size_t row = 0; row < roast_summary_rows(e.summary, ROAST_SCOPE_LEDGER); row++)
        whole += summary_cell(e.summary, M_ledger_core_seconds, row).as.real;
    assert_near(whole, 100 + 2 * 30, 1e-6);
    assert_near(in_ledger(&e, "process_io"), 0.45 * 130, 1e-6);
    release(&e);
}

static void failed_attempts_and_second_successes_are_not_work(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 1, 0, 0, false);
    roast_chunk chunk = plan_chunk(&p, "a", 0, 20, 1);
    chunk.error_type = STR("OSError");
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    chunk = plan_chunk(&p, "a", 20, 30, 1); /* the retry succeeds */
    chunk.entry_start = 0;
    chunk.entry_stop = 1000;
    chunk.attempt = 2;
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    chunk = plan_chunk(&p, "a", 50, 40, 1); /* and is done once more */
    chunk.entry_start = 0;
    chunk.entry_stop = 1000;
    chunk.attempt = 3;
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "failed"), 20, 1e-6);
    assert_near(in_ledger(&e, "lost"), 40, 1e-6);
    assert_near(in_ledger(&e, "process_cpu"), 27, 1e-6);
    release(&e);
}

static void after_the_last_first_attempt_even_cores_that_wait_for_a_retry_have_nothing_to_do(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 2, 0, 0, false);
    roast_chunk chunk = plan_chunk(&p, "a", 0, 10, 1);
    chunk.error_type = STR("OSError");
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    add_chunk(&p, "a", 0, 20, 1);
    chunk.error_type = str_none();
    chunk.attempt = 2;
    chunk.t_start_ns += 50 * NS_PER_S;
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "idle_queue"), 0, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 2 * 100 - 10 - 20 - 10, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    release(&e);
}

static void what_a_lost_worker_did_after_its_last_record_is_lost(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "stays", 1, 0, 0, false);
    add_worker(&p, "lost", 1, 0, 50, true);
    add_chunk(&p, "lost", 0, 30, 1);
    add_chunk(&p, "stays", 0, 60, 1);
    add_chunk(&p, "stays", 60, 40, 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "lost"), 50 - 30, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 0, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    release(&e);
}

static void more_chunks_at_once_than_cores_show_as_a_negative_residual(void **state)
{
    (void)state;
    planned p;
    begin(&p, 10);
    add_worker(&p, "a", 1, 0, 0, false);
    add_chunk(&p, "a", 0, 10, 1);
    add_chunk(&p, "a", 0, 10, 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "residual"), -10, 1e-6);
    assert_non_null(finding_of(&e, FINDING_RESIDUAL));
    release(&e);
}

static void records_in_any_order_give_the_same_ledger(void **state)
{
    (void)state;
    double idle[2];
    for (int backwards = 0; backwards < 2; backwards++) {
        planned p;
        begin(&p, 110);
        add_worker(&p, "a", 2, 0, 0, false);
        for (int i = 0; i < 20; i++) {
            int k = backwards ? 19 - i : i;
            add_chunk(&p, "a", 5.0 * k, k % 2 ? 9 : 10, 1);
        }
        explained e = explain(&p, false);
        idle[backwards] = in_ledger(&e, "idle_queue");
        assert_near(in_ledger(&e, "residual"), 0, 1e-6);
        release(&e);
    }
    assert_near(idle[0], 9, 1e-6); /* nine times a second between chunks of 9 s that come every 10 */
    assert_near(idle[1], idle[0], 1e-6);
}

static void cores_that_wait_for_preprocessing_are_not_starting_up(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 2, 0, 0, false);
    assert_int_equal(roast_record_fact_int(p.recorder, "preprocess_ns", INT64_C(20000000000)), ROAST_OK);
    roast_task task = roast_task_none(); /* what one of them did meanwhile */
    task.prefix = STR("preprocess");
    task.worker = STR("a");
    task.state = STR("memory");
    task.start_ns = START_NS + 2 * NS_PER_S;
    task.stop_ns = START_NS + 6 * NS_PER_S;
    assert_int_equal(roast_record_task(p.recorder, &task), ROAST_OK);
    for (int core = 0; core < 2; core++)
        add_chunk(&p, "a", 23, 77, 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "preprocessing"), 2 * 20, 1e-6);
    assert_near(in_ledger(&e, "idle_start"), 2 * 3, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    assert_int_equal(e.why.findings[0].kind, FINDING_PREPROCESSING);
    release(&e);
}

/* ---- The replay ---------------------------------------------------------------------------------------------- */

/* Two cores without a pause: 40 chunks of 10 s, 200 s in all. */
static void plan_steady(planned *p, double cpu_share)
{
    begin(p, 200);
    add_worker(p, "a", 2, 0, 0, false);
    for (int i = 0; i < 40; i++)
        add_chunk(p, "a", 10.0 * (i / 2), 10, cpu_share);
}

static void what_happened_is_replayed_exactly_and_variants_follow(void **state)
{
    (void)state;
    planned p;
    plan_steady(&p, 0.5);
    explained e = explain(&p, true);
    assert_near(e.why.replay_seconds, 200, 1e-3);
    assert_true(e.why.replay_answers);
    assert_near(answer(&e, "workers_twice"), 100, 1e-3);
    assert_near(answer(&e, "workers_four_times"), 50, 1e-3);
    assert_near(answer(&e, "workers_half"), 400, 1e-3);
    assert_near(answer(&e, "no_wait"), 200 * 0.55, 1e-3);
    assert_near(answer(&e, "no_open"), 180, 1e-3);
    assert_near(answer(&e, "chunks_twice"), 190, 1e-3); /* every second opening is saved */
    assert_near(answer(&e, "chunks_half"), 220, 1e-3);
    release(&e);
}

static void a_replay_waits_as_long_before_the_first_chunk_and_after_the_last(void **state)
{
    (void)state;
    planned p;
    begin(&p, 230);
    add_worker(&p, "a", 2, 0, 0, false);
    for (int i = 0; i < 40; i++)
        add_chunk(&p, "a", 5 + 10.0 * (i / 2), 10, 1); /* from 5 s to 205 s */
    explained e = explain(&p, false);
    assert_near(e.why.replay_seconds, 230, 1e-3);
    release(&e);
}

static void a_replay_that_is_far_off_does_not_answer(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    add_worker(&p, "a", 4, 0, 0, false); /* four cores, of which chunks only ever use one, for no reason that shows */
    for (int i = 0; i < 20; i++) {
        roast_chunk chunk = plan_chunk(&p, "a", 10.0 * i, 10, 1);
        chunk.attempt = i ? 2 : 1; /* retries are not held back by the scheduler */
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    explained e = explain(&p, true);
    assert_false(e.why.replay_answers);
    assert_true(e.why.replay_error_percent > 15);
    assert_true(isnan(answer(&e, "no_wait")));
    assert_int_equal(e.why.gaps[0], GAP_REPLAY);
    release(&e);
}

/* ---- Findings ------------------------------------------------------------------------------------------------ */

static void waiting_comes_first_where_most_of_the_time_is_waiting(void **state)
{
    (void)state;
    planned p;
    plan_steady(&p, 0.2);
    explained e = explain(&p, false);
    assert_int_equal(e.why.findings[0].kind, FINDING_IO_BOUND);
    assert_near(e.why.findings[0].saving_seconds, 200 * 0.9 * 0.8, 1e-3);
    assert_near(e.why.findings[0].core_seconds, 400 * 0.9 * 0.8, 1e-3);
    release(&e);
}

static void a_run_that_only_computes_gets_no_more_than_a_note(void **state)
{
    (void)state;
    planned p;
    plan_steady(&p, 0.97);
    explained e = explain(&p, false);
    for (size_t i = 0; i < e.why.count; i++)
        assert_int_equal(e.why.findings[i].confidence, FINDING_NOTE);
    assert_int_equal(e.why.findings[0].kind, FINDING_CPU_BOUND);
    release(&e);
}

static void a_slow_host_is_named(void **state)
{
    (void)state;
    planned p;
    begin(&p, 300);
    const char *const hosts[] = {"n1", "n2", "n3", "slow"};
    for (int h = 0; h < 4; h++) {
        add_worker(&p, hosts[h], 1, 0, 0, false);
        double seconds = h == 3 ? 30 : 10;
        for (int i = 0; i * seconds < 300; i++)
            add_chunk(&p, hosts[h], i * seconds, seconds, 0.9);
    }
    explained e = explain(&p, false);
    assert_int_equal(e.why.findings[0].kind, FINDING_SLOW_HOST);
    assert_true(str_equal(e.why.findings[0].evidence[0].name, STR("slow")));
    assert_near(e.why.findings[0].evidence[0].value, 3, 0.01);
    /* 100 chunks of 10 s on four cores instead: 250 s */
    assert_near(e.why.findings[0].saving_seconds, 50, 10);
    release(&e);
}

/* Chunks of ten seconds, one after the other. */
static void keep_busy(planned *p, const char *worker, double from, double until)
{
    for (double start = from; start < until; start += 10)
        add_chunk(p, worker, start, 10, 0.97);
}

static void a_worker_that_comes_for_a_lost_one_is_not_late(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    add_worker(&p, "stays", 1, 0, 0, false);
    add_worker(&p, "lost", 1, 0, 50, true);
    add_worker(&p, "instead", 1, 80, 0, false);
    keep_busy(&p, "lost", 0, 50);
    keep_busy(&p, "stays", 0, 200);
    for (int i = 0; i < 3; i++) { /* results that went with the lost one are computed again */
        roast_chunk chunk = plan_chunk(&p, "instead", 80 + 10.0 * i, 10, 0.97);
        chunk.entry_start = 1000 * i;
        chunk.entry_stop = chunk.entry_start + 1000;
        chunk.attempt = 2;
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    keep_busy(&p, "instead", 110, 200);
    explained e = explain(&p, false);
    assert_near(e.why.replay_seconds, 200, 1e-3);
    assert_null(finding_of(&e, FINDING_RAMP_UP));
    assert_int_equal(e.why.findings[0].kind, FINDING_WORKERS_LOST);
    /* 5 + 20 + 9 chunks on two cores: 170 s. Nobody would have come instead. */
    assert_near(e.why.findings[0].saving_seconds, 30, 1e-3);
    release(&e);
}

static void workers_that_come_when_none_was_lost_are_late(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    add_worker(&p, "early", 1, 0, 0, false);
    add_worker(&p, "late", 1, 100, 0, false);
    keep_busy(&p, "early", 0, 200);
    keep_busy(&p, "late", 100, 200);
    explained e = explain(&p, false);
    assert_int_equal(e.why.findings[0].kind, FINDING_RAMP_UP);
    assert_near(e.why.findings[0].saving_seconds, 50, 1e-3); /* 30 chunks on two cores */
    release(&e);
}

static void without_cpu_times_it_is_not_determined_what_process_did(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    add_worker(&p, "a", 2, 0, 0, false);
    for (int i = 0; i < 40; i++) {
        roast_chunk chunk = plan_chunk(&p, "a", 10.0 * (i / 2), 10, 1);
        chunk.cpu_ns = ROAST_ABSENT;
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    explained e = explain(&p, false);
    assert_null(finding_of(&e, FINDING_IO_BOUND));
    assert_null(finding_of(&e, FINDING_CPU_BOUND));
    assert_int_equal(e.why.gaps[0], GAP_CPU);
    assert_near(in_ledger(&e, "process_unsplit"), 360, 1e-6);
    release(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_time_is_told_apart_by_when_it_was),
        cmocka_unit_test(a_worker_that_left_offers_nothing_after_it_left),
        cmocka_unit_test(failed_attempts_and_second_successes_are_not_work),
        cmocka_unit_test(after_the_last_first_attempt_even_cores_that_wait_for_a_retry_have_nothing_to_do),
        cmocka_unit_test(what_a_lost_worker_did_after_its_last_record_is_lost),
        cmocka_unit_test(more_chunks_at_once_than_cores_show_as_a_negative_residual),
        cmocka_unit_test(records_in_any_order_give_the_same_ledger),
        cmocka_unit_test(cores_that_wait_for_preprocessing_are_not_starting_up),
        cmocka_unit_test(what_happened_is_replayed_exactly_and_variants_follow),
        cmocka_unit_test(a_replay_waits_as_long_before_the_first_chunk_and_after_the_last),
        cmocka_unit_test(a_replay_that_is_far_off_does_not_answer),
        cmocka_unit_test(waiting_comes_first_where_most_of_the_time_is_waiting),
        cmocka_unit_test(a_run_that_only_computes_gets_no_more_than_a_note),
        cmocka_unit_test(a_slow_host_is_named),
        cmocka_unit_test(a_worker_that_comes_for_a_lost_one_is_not_late),
        cmocka_unit_test(workers_that_come_when_none_was_lost_are_late),
        cmocka_unit_test(without_cpu_times_it_is_not_determined_what_process_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
