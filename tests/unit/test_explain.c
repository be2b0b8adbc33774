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

/* Whether a probe is on a worker that has been added. */
static void set_probe(planned *p, const char *address, int64_t probe)
{
    roast_worker worker = roast_worker_none();
    worker.address = str_from(address);
    worker.probe = probe;
    assert_int_equal(roast_record_worker(p->recorder, &worker), ROAST_OK);
}

/* What the engine says of a task. */
static void add_task(planned *p, const char *worker, const char *prefix, double start, double stop, const char *state)
{
    roast_task task = roast_task_none();
    task.worker = str_from(worker);
    task.prefix = str_from(prefix);
    task.state = str_from(state);
    task.attempt = 1;
    task.start_ns = START_NS + (int64_t)(start * 1e9);
    task.stop_ns = START_NS + (int64_t)(stop * 1e9);
    assert_int_equal(roast_record_task(p->recorder, &task), ROAST_OK);
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

/* ---- Partly measured ------------------------------------------------------------------------------------------- */

/* A worker of two cores that is measured, and one of three of which probe says whether it is. The engine tells of all
 * their tasks: on the second, two chunks, one that failed, and the end of a merge. */
static void plan_two_workers(planned *p, int64_t probe)
{
    begin(p, 100);
    assert_int_equal(roast_record_fact(p->recorder, "processor", STR("Analysis")), ROAST_OK);
    add_worker(p, "seen", 2, 0, 0, false);
    add_worker(p, "other", 3, 20, 0, false);
    set_probe(p, "seen", probe == ROAST_ABSENT ? ROAST_ABSENT : 1);
    set_probe(p, "other", probe);
    add_chunk(p, "seen", 0, 60, 0.5);
    add_chunk(p, "seen", 0, 80, 0.5);
    add_task(p, "seen", "Analysis", 0, 60, "memory");
    add_task(p, "seen", "Analysis", 0, 80, "memory");
    add_task(p, "other", "Analysis", 20, 40, "memory");
    add_task(p, "other", "Analysis", 40, 50, "erred");
    add_task(p, "other", "Analysis", 90, 95, "memory");
    add_task(p, "other", "reduce", 95, 100, "memory");
}

static double metric(const explained *e, metric_id id)
{
    return summary_real(e->summary, id);
}

static void cores_without_a_probe_are_not_measured_and_never_idle(void **state)
{
    (void)state;
    planned p;
    plan_two_workers(&p, 0);
    explained e = explain(&p, true);
    assert_near(in_ledger(&e, "not_measured"), 3 * 80, 1e-6);
    assert_near(in_ledger(&e, "open"), 0.1 * 140, 1e-6);
    assert_near(in_ledger(&e, "process_cpu"), 0.45 * 140, 1e-6);
    assert_near(in_ledger(&e, "idle_start"), 0, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 30 + 10, 1e-6); /* until 90, when the other began its last chunk */
    assert_near(in_ledger(&e, "idle_tail"), 2 * 10, 1e-6);
    assert_near(in_ledger(&e, "merging"), 0, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    assert_near(summary_cell(e.summary, M_worker_ledger_not_measured, 1).as.real, 240, 1e-6);
    assert_near(summary_cell(e.summary, M_worker_ledger_idle_tail, 1).as.real, 0, 0);
    assert_int_equal(summary_cell(e.summary, M_worker_chunks, 1).kind, ROAST_NOTHING);
    assert_int_equal(summary_cell(e.summary, M_worker_chunks, 0).as.integer, 2);
    assert_near(metric(&e, M_run_workers_not_measured), 1, 0);
    assert_near(metric(&e, M_run_chunks_not_measured), 2, 0);
    release(&e);
}

static void workers_without_a_probe_have_their_share_of_what_the_engine_sums(void **state)
{
    (void)state;
    planned p;
    plan_two_workers(&p, 0);
    roast_activity packing = roast_activity_none();
    packing.context = STR("execute");
    packing.prefix = STR("Analysis");
    packing.activity = STR("compress");
    packing.unit = STR("seconds");
    packing.value = 22;
    assert_int_equal(roast_record_activity(p.recorder, &packing), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "return"), 22.0 * 200 / 440, 1e-6); /* by core time */
    assert_near(in_ledger(&e, "idle_queue"), 40 - 10, 1e-6);
    release(&e);
}

static void chunks_that_name_no_worker_leave_the_unmeasured_cores_as_they_are(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "seen", 1, 0, 0, false);
    add_worker(&p, "other", 3, 0, 0, false);
    set_probe(&p, "seen", 1);
    set_probe(&p, "other", 0);
    roast_chunk chunk = plan_chunk(&p, "seen", 0, 60, 1);
    chunk.worker = str_none();
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "not_measured"), 300, 1e-6);
    assert_near(in_ledger(&e, "idle_tail") + in_ledger(&e, "idle_queue"), 40, 1e-6);
    release(&e);
}

static void where_nobody_knows_who_was_measured_all_is_as_it_was(void **state)
{
    (void)state;
    planned p;
    plan_two_workers(&p, ROAST_ABSENT);
    explained e = explain(&p, true);
    assert_near(in_ledger(&e, "not_measured"), 0, 0);
    /* Without a record of the other worker there is nothing to be started after the first chunks. */
    assert_near(in_ledger(&e, "idle_tail") + in_ledger(&e, "merging"), 40 + 20 + 3 * 80, 1e-6);
    assert_int_equal(summary_value(e.summary, M_run_workers_not_measured).kind, ROAST_NOTHING);
    assert_int_equal(summary_value(e.summary, M_run_chunks_not_measured).kind, ROAST_NOTHING);
    assert_near(summary_cell(e.summary, M_worker_ledger_not_measured, 1).as.real, 0, 0);
    assert_int_equal(summary_cell(e.summary, M_worker_measured, 1).kind, ROAST_NOTHING);
    assert_null(finding_of(&e, FINDING_NOT_MEASURED));
    assert_true(isfinite(e.why.replay_seconds));
    release(&e);
}

static void a_probe_that_comes_later_counts(void **state)
{
    (void)state;
    planned p;
    plan_two_workers(&p, 0);
    set_probe(&p, "other", 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "not_measured"), 0, 0);
    assert_near(metric(&e, M_run_workers_not_measured), 0, 0);
    assert_near(metric(&e, M_run_chunks_not_measured), 0, 0); /* there are records, and one may be lost */
    assert_near(summary_cell(e.summary, M_worker_ledger_not_measured, 1).as.real, 0, 0);
    assert_null(finding_of(&e, FINDING_NOT_MEASURED));
    release(&e);
}

static void a_run_of_which_no_worker_was_measured_is_not_measured_at_all(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    assert_int_equal(roast_record_fact(p.recorder, "no_chunks", STR("nobody was there")), ROAST_OK);
    add_worker(&p, "a", 2, 0, 0, false);
    set_probe(&p, "a", 0);
    for (int i = 0; i < 9; i++)
        add_task(&p, "a", "Analysis", 10 * i, 10 * i + 10, "memory");
    explained e = explain(&p, true);
    assert_near(in_ledger(&e, "not_measured"), 200, 1e-6);
    assert_near(in_ledger(&e, "process_unsplit"), 0, 0);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    assert_near(metric(&e, M_run_chunks_not_measured), 9, 0);
    assert_int_equal(e.why.count, 1);
    assert_int_equal(e.why.findings[0].kind, FINDING_NOT_MEASURED);
    assert_int_equal(e.why.gaps[0], GAP_CHUNKS);
    assert_true(str_equal(e.why.no_chunks, STR("nobody was there")));
    assert_string_equal(e.summary->why[M_run_chunk_duration_mean], "nobody was there");
    assert_string_equal(e.summary->why[M_run_total_events], "nobody was there");
    assert_string_equal(e.summary->why[M_run_core_efficiency], "1 of 1 workers was not measured");
    release(&e);
}

static void measured_workers_without_any_record_have_chunks_that_were_not_measured(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    add_worker(&p, "a", 1, 0, 0, false);
    set_probe(&p, "a", 1);
    add_task(&p, "a", "automatic_retries", 0, 5, "memory"); /* preprocessing */
    for (int i = 1; i < 9; i++)
        add_task(&p, "a", "Analysis", 10 * i, 10 * i + 10, "memory");
    explained e = explain(&p, false);
    assert_near(metric(&e, M_run_chunks_not_measured), 8, 0);
    assert_near(metric(&e, M_run_workers_not_measured), 0, 0);
    assert_near(in_ledger(&e, "not_measured"), 0, 0); /* tasks stand for the chunks */
    assert_true(in_ledger(&e, "process_unsplit") >= 80);
    release(&e);
}

static void tasks_without_the_processors_name_are_chunks_from_the_first_record_on(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "seen", 1, 0, 0, false);
    add_worker(&p, "other", 1, 0, 0, false);
    set_probe(&p, "seen", 1);
    set_probe(&p, "other", 0);
    add_task(&p, "other", "automatic_retries", 0, 10, "memory"); /* preprocessing */
    add_chunk(&p, "seen", 20, 60, 1);
    add_task(&p, "seen", "automatic_retries", 20, 80, "memory");
    add_task(&p, "other", "automatic_retries", 20, 50, "memory");
    add_task(&p, "other", "automatic_retries", 50, 80, "memory");
    add_task(&p, "other", "automatic_retries", 80, 90, "erred");
    explained e = explain(&p, false);
    assert_near(metric(&e, M_run_chunks_not_measured), 2, 0);
    release(&e);
}

/* Both workers wait for half the time, but only one is measured. */
static explained explain_waiting(int64_t probe)
{
    planned p;
    begin(&p, 200);
    add_worker(&p, "seen", 2, 0, 0, false);
    add_worker(&p, "other", 2, 0, 0, false);
    set_probe(&p, "seen", probe == ROAST_ABSENT ? ROAST_ABSENT : 1);
    set_probe(&p, "other", probe);
    for (int i = 0; i < 40; i++)
        add_chunk(&p, "seen", 10 * (i / 2), 10, 0.5);
    return explain(&p, true);
}

static void what_was_not_measured_is_said_first_and_nothing_is_replayed(void **state)
{
    (void)state;
    explained e = explain_waiting(0);
    const finding *first = &e.why.findings[0], *io = finding_of(&e, FINDING_IO_BOUND);
    assert_int_equal(first->kind, FINDING_NOT_MEASURED);
    assert_int_equal(first->confidence, FINDING_SURE);
    assert_near(first->core_seconds, 400, 1e-6);
    assert_near(first->share_percent, 50, 1e-6);
    assert_near(first->evidence[0].value, 1, 0);
    assert_near(first->evidence[1].value, 2, 0);
    assert_non_null(io); /* which is so on the workers that were measured */
    assert_near(io->share_percent, 100 * 0.45 * 400 / 800, 1e-6);
    assert_near(io->saving_seconds, 0.45 * 400 / 2, 1e-6);
    assert_null(finding_of(&e, FINDING_SCHEDULER));
    assert_null(finding_of(&e, FINDING_TOO_MANY_WORKERS));
    assert_true(isnan(e.why.replay_seconds) && !e.why.replay_answers);
    assert_int_equal(e.why.n_what_ifs, 0);
    assert_int_equal(e.why.gaps[e.why.n_gaps - 1], GAP_PARTLY);
    release(&e);
}

static void unmeasured_workers_would_otherwise_look_idle(void **state)
{
    (void)state;
    explained e = explain_waiting(ROAST_ABSENT);
    assert_int_equal(e.why.findings[0].kind, FINDING_SCHEDULER);
    assert_true(e.why.n_what_ifs > 0);
    release(&e);
}

static void rates_of_a_partly_measured_run_are_of_its_measured_cores_or_absent(void **state)
{
    (void)state;
    explained e = explain_waiting(0);
    assert_near(metric(&e, M_run_core_efficiency), 0.9, 1e-9); /* 40 chunks of 9 s on 2 cores in 200 s */
    assert_near(metric(&e, M_run_event_rate_core_hz), 40000.0 / 400, 1e-9);
    assert_near(metric(&e, M_run_event_rate_cpu_total_khz), 40.0 / 360, 1e-9);
    assert_near(metric(&e, M_run_avg_cpu_time_per_chunk), 9, 1e-9);
    assert_near(metric(&e, M_run_total_events_from_chunks), 40000, 0);
    static const metric_id absent[] = {M_run_total_events,
                                       M_run_total_cpu_time,
                                       M_run_num_chunks,
                                       M_run_speedup_factor,
                                       M_run_event_rate_elapsed_khz,
                                       M_run_total_bytes_read,
                                       M_run_efficiency_ratio_percent};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        assert_int_equal(summary_value(e.summary, absent[i]).kind, ROAST_NOTHING);
        assert_string_equal(e.summary->why[absent[i]], "1 of 2 workers was not measured");
    }
    release(&e);
}

static void a_report_tells_of_all_chunks_also_of_those_that_were_not_measured(void **state)
{
    (void)state;
    planned p;
    plan_two_workers(&p, 0);
    const char *report = "{\"entries\": 5000, \"processtime\": 150, \"chunks\": 4}";
    assert_int_equal(roast_record_report(p.recorder, str_from(report)), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(metric(&e, M_run_total_events), 5000, 0);
    assert_near(metric(&e, M_run_core_efficiency), 150.0 / (2 * 100 + 3 * 80), 1e-9);
    assert_near(metric(&e, M_run_speedup_factor), 1.5, 1e-9);
    assert_null(finding_of(&e, FINDING_INCOMPLETE));
    assert_int_equal(summary_value(e.summary, M_run_bytes_per_event).kind, ROAST_NOTHING);
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
        cmocka_unit_test(cores_without_a_probe_are_not_measured_and_never_idle),
        cmocka_unit_test(workers_without_a_probe_have_their_share_of_what_the_engine_sums),
        cmocka_unit_test(chunks_that_name_no_worker_leave_the_unmeasured_cores_as_they_are),
        cmocka_unit_test(where_nobody_knows_who_was_measured_all_is_as_it_was),
        cmocka_unit_test(a_probe_that_comes_later_counts),
        cmocka_unit_test(a_run_of_which_no_worker_was_measured_is_not_measured_at_all),
        cmocka_unit_test(measured_workers_without_any_record_have_chunks_that_were_not_measured),
        cmocka_unit_test(tasks_without_the_processors_name_are_chunks_from_the_first_record_on),
        cmocka_unit_test(what_was_not_measured_is_said_first_and_nothing_is_replayed),
        cmocka_unit_test(unmeasured_workers_would_otherwise_look_idle),
        cmocka_unit_test(rates_of_a_partly_measured_run_are_of_its_measured_cores_or_absent),
        cmocka_unit_test(a_report_tells_of_all_chunks_also_of_those_that_were_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
