/* The ledger, the replay and the findings, on runs that are small enough to be worked out by hand. */
#include <math.h>

#include "planned.h"

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

/* The same without opening. */
static void add_bare_chunk(planned *p, const char *worker, double start, double seconds, double cpu_share)
{
    roast_chunk chunk = plan_chunk(p, worker, start, seconds, cpu_share);
    chunk.open_ns = 0;
    chunk.t_start_ns = START_NS + (int64_t)(start * 1e9);
    chunk.duration_ns = (int64_t)(seconds * 1e9);
    chunk.cpu_ns = (int64_t)(seconds * 1e9 * cpu_share);
    assert_int_equal(roast_record_chunk(p->recorder, &chunk), ROAST_OK);
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
    add_chunk(&p, "a", 10, 25, 1); /* the other: idle 0-5 (start), 5-10 (queue), 35-50 (tail) */
    add_chunk(&p, "a", 20, 10, 1); /* the last to be started: at 20 */
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "idle_start"), 10, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 10, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 35, 1e-6);
    assert_near(in_ledger(&e, "open"), 4.5, 1e-6);
    assert_near(in_ledger(&e, "process_cpu"), 40.5, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    release(&e);
}

static void a_worker_is_starting_up_until_one_of_its_cores_has_a_chunk(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 4, 0, 0, false);
    add_worker(&p, "never given any", 1, 0, 0, false);
    add_chunk(&p, "a", 10, 50, 1);
    add_chunk(&p, "a", 40, 60, 1); /* the last to be started: two cores have had none, because there were no more */
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "idle_start"), 4 * 10 + 10, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 3 * 30 + 30, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 40 + 2 * 60 + 60, 1e-6);
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

/* As a file has that ends with an empty cluster: both begin at the same entry. */
static void a_chunk_without_events_is_not_the_one_that_begins_where_it_does(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 1, 0, 0, false);
    roast_chunk chunk = plan_chunk(&p, "a", 0, 20, 1);
    chunk.entry_stop = chunk.entry_start;
    chunk.events = 0;
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    chunk = plan_chunk(&p, "a", 20, 30, 1);
    chunk.entry_start = 0;
    chunk.entry_stop = 1000;
    chunk.attempt = 2; /* the engine lost the first one's result */
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "lost"), 0, 1e-6);
    assert_near(summary_real(e.summary, M_run_num_successful_chunks), 2, 0);
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

static void any_number_of_retries_at_the_end_leave_the_rest_as_it_was(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 1, 0, 0, false);
    add_worker(&p, "b", 1, 0, 0, false);
    roast_chunk chunk = plan_chunk(&p, "a", 0, 10, 1);
    chunk.error_type = STR("OSError");
    assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    add_chunk(&p, "b", 0, 15, 1);
    add_chunk(&p, "b", 20, 5, 1); /* the last to be started */
    for (int retry = 2; retry <= 5; retry++) {
        chunk.attempt = retry;
        chunk.error_type = retry < 5 ? STR("OSError") : str_none();
        chunk.t_start_ns += 15 * NS_PER_S; /* at 15, 30, 45 and 60 */
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "failed"), 4 * 10, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 5 + 5, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), (80 - 5 - 30) + (80 - 5), 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    release(&e);
}

/* What the client records of an attempt whose worker died. */
static void add_killed(planned *p, const char *worker, double start, double seconds)
{
    roast_chunk chunk = plan_chunk(p, worker, start, seconds, 1);
    chunk.t_start_ns -= chunk.open_ns;
    chunk.duration_ns += chunk.open_ns;
    chunk.open_ns = chunk.cpu_ns = chunk.events = ROAST_ABSENT;
    chunk.error_type = STR("KilledWorker");
    assert_int_equal(roast_record_chunk(p->recorder, &chunk), ROAST_OK);
}

static void an_attempt_that_ended_with_its_worker_is_lost_and_not_failed(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "stays", 1, 0, 0, false);
    add_worker(&p, "lost", 2, 0, 50, true);
    add_worker(&p, "asked to go", 1, 0, 40, false);
    add_killed(&p, "asked to go", 20, 20);
    add_chunk(&p, "lost", 0, 30, 1);
    roast_chunk failed = plan_chunk(&p, "lost", 30, 5, 1);
    failed.error_type = STR("OSError");
    assert_int_equal(roast_record_chunk(p.recorder, &failed), ROAST_OK);
    add_killed(&p, "lost", 35, 15);
    add_chunk(&p, "stays", 0, 60, 1);
    add_chunk(&p, "stays", 60, 40, 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "lost"), 20 + 15, 1e-6);
    assert_near(in_ledger(&e, "failed"), 5, 1e-6);
    assert_near(in_ledger(&e, "idle_start"), 20, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 50, 1e-6); /* the lost one's other core: what it was at is known */
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    assert_near(summary_cell(e.summary, M_dataset_ledger_lost, 0).as.real, 35, 1e-9);
    assert_near(summary_cell(e.summary, M_dataset_ledger_failed, 0).as.real, 5, 1e-9);
    const finding *lost = finding_of(&e, FINDING_WORKERS_LOST);
    assert_non_null(lost);
    assert_near(lost->core_seconds, 35, 1e-6); /* once */
    release(&e);
}

static void other_tasks_are_taken_out_of_the_time_in_which_they_ran(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 2, 0, 90, true);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    add_task(&p, "a", "reduce", 4, 8, "memory"); /* of chunks of another worker, before it had one itself */
    add_chunk(&p, "a", 10, 20, 1);
    add_chunk(&p, "a", 10, 10, 1);
    add_chunk(&p, "a", 30, 20, 1); /* the last to be started */
    add_task(&p, "a", "reduce", 22, 62, "memory");
    add_task(&p, "a", "reduce", 70, 90, "killed");
    add_worker(&p, "b", 1, 0, 0, false);
    add_chunk(&p, "b", 0, 100, 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "merging"), 4 + 40, 1e-6);
    assert_near(in_ledger(&e, "lost"), 20, 1e-6);
    assert_near(in_ledger(&e, "idle_start"), 2 * 10 - 4, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 10 - 8, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 2 * 60 - 20 - 32 - 20, 1e-6);
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
    /* The second core waits for 5 s for its first, and nine times for a second after chunks of 9 s, which come
     * every 10. */
    assert_near(idle[0], 5 + 9, 1e-6);
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

static void waiting_for_preprocessing_begins_when_that_does(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 2, 0, 0, false);
    assert_int_equal(roast_record_fact_int(p.recorder, "preprocess_ns", 10 * NS_PER_S), ROAST_OK);
    assert_int_equal(roast_record_fact_int(p.recorder, "preprocess_start_ns", START_NS + 15 * NS_PER_S), ROAST_OK);
    add_worker(&p, "late", 1, 20, 0, false);
    for (int core = 0; core < 2; core++)
        add_chunk(&p, "a", 30, 70, 1);
    add_chunk(&p, "late", 30, 70, 1);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "preprocessing"), 2 * 10 + 5, 1e-6);
    assert_near(in_ledger(&e, "idle_start"), 2 * 20 + 5, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
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
    begin(&p, 200);
    add_worker(&p, "a", 2, 0, 0, false);
    for (int i = 0; i < 40; i++)
        add_bare_chunk(&p, "a", 10.0 * (i / 2), 10, 0.97);
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

/* What it died at has no record, for it never ended: the replay may not have it do other chunks until it is missed. */
static void a_lost_worker_did_nothing_else_until_it_was_missed(void **state)
{
    (void)state;
    planned p;
    begin(&p, 110);
    add_worker(&p, "a", 1, 0, 0, false);
    add_worker(&p, "lost", 1, 0, 60, true);
    keep_busy(&p, "lost", 0, 20);
    keep_busy(&p, "a", 0, 100);
    roast_chunk again = plan_chunk(&p, "a", 100, 10, 1);
    again.attempt = 2;
    assert_int_equal(roast_record_chunk(p.recorder, &again), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(e.why.replay_seconds, 110, 1e-3);
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

/* ---- Causes that look alike ---------------------------------------------------------------------------------- */

static void chunks_are_put_together_by_their_place_in_a_file(void **state)
{
    (void)state;
    planned p;
    begin(&p, 80);
    add_worker(&p, "a", 1, 0, 0, false);
    for (int i = 0; i < 8; i++) { /* two files by turns: neighbours in time are never neighbours in a file */
        roast_chunk chunk = plan_chunk(&p, "a", 10.0 * i, 10, 1);
        chunk.file = i % 2 ? STR("root://site//b.root") : STR("root://site//a.root");
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    explained e = explain(&p, true);
    assert_near(answer(&e, "chunks_twice"), 80 - 4, 1e-3); /* four of eight openings of one second are saved */
    release(&e);
}

static void what_runs_between_chunks_is_merging_and_not_the_schedulers_fault(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    add_worker(&p, "a", 1, 0, 0, false);
    for (int i = 0; i < 20; i++) {
        add_chunk(&p, "a", 10.0 * i, 7, 1);
        add_task(&p, "a", "Analysis", 10.0 * i, 10.0 * i + 7, "memory");
        add_task(&p, "a", "reduce", 10.0 * i + 7, 10.0 * i + 10, "memory");
    }
    explained e = explain(&p, false);
    assert_null(finding_of(&e, FINDING_SCHEDULER));
    const finding *merging = finding_of(&e, FINDING_MERGING);
    assert_non_null(merging);
    assert_near(merging->saving_seconds, 60, 3.1); /* three of every ten seconds; the last of them is after the end */
    assert_true(merging->saving_low <= merging->saving_seconds && merging->saving_seconds <= merging->saving_high);
    release(&e);
}

/* Chunks with a second between them, after twenty before the first. */
static void plan_gaps(planned *p, int cores, const char *engine)
{
    begin(p, 120);
    assert_int_equal(roast_record_fact(p->recorder, "engine", str_from(engine)), ROAST_OK);
    add_worker(p, "a", cores, 0, 0, false);
    for (int i = 0; i < 20 * cores; i++)
        add_chunk(p, "a", 20 + 5.0 * (i / cores) + 0.9 * (i % cores), 4 - 0.9 * (cores - 1), 1);
}

static void the_start_of_a_run_is_not_the_schedulers_on_few_cores_or_where_there_is_none(void **state)
{
    (void)state;
    const struct {
        int cores;
        const char *engine;
    } cases[] = {{1, "dask"}, {2, "dask"}, {1, "local"}, {2, "local"}}; /* one interval between starts is no pace */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        planned p;
        plan_gaps(&p, cases[i].cores, cases[i].engine);
        explained e = explain(&p, false);
        const finding *gaps = finding_of(&e, FINDING_SCHEDULER), *start = finding_of(&e, FINDING_START_UP);
        assert_non_null(gaps);
        assert_non_null(start);
        assert_true(gaps->core_seconds <= in_ledger(&e, "idle_queue") + 1e-6);
        assert_near(start->core_seconds, in_ledger(&e, "idle_start"), 1e-6);
        release(&e);
    }
}

static void one_core_does_chunks_however_few_they_are(void **state)
{
    (void)state;
    planned p;
    begin(&p, 80);
    add_worker(&p, "a", 1, 0, 0, false);
    for (int i = 0; i < 8; i++) {
        roast_chunk chunk = plan_chunk(&p, "a", 10.0 * i, 10, 1);
        chunk.open_ns = 0;
        chunk.events_ns = INT64_C(5000000000); /* of ten seconds */
        chunk.t_start_ns += INT64_C(4000000000);
        chunk.duration_ns -= INT64_C(4000000000);
        chunk.cpu_ns = chunk.duration_ns;
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    explained e = explain(&p, false);
    const finding *opening = finding_of(&e, FINDING_OPENING);
    assert_non_null(opening);
    assert_near(opening->factor, 8, 0); /* all of the file, which nobody has to share */
    assert_near(opening->saving_seconds, 35, 1.6);
    release(&e);
}

static void what_saves_less_than_a_second_is_minor_and_a_short_run_is_said_to_be_short(void **state)
{
    (void)state;
    for (int scale = 1; scale <= 20; scale *= 20) {
        planned p;
        begin(&p, scale);
        add_worker(&p, "a", 1, 0, 0, false);
        for (int i = 0; i < 20; i++)
            add_bare_chunk(&p, "a", 0.05 * scale * i, 0.05 * scale, 0.3); /* waits for 0.7 of the time */
        explained e = explain(&p, false);
        const finding *waits = finding_of(&e, FINDING_IO_BOUND);
        assert_non_null(waits);
        bool is_short = scale == 1, said = false;
        assert_int_equal(waits->confidence == FINDING_NOTE, is_short);
        for (size_t i = 0; i < e.why.n_gaps; i++)
            said |= e.why.gaps[i] == GAP_SHORT;
        assert_int_equal(said, is_short);
        release(&e);
    }
}

static void the_slow_first_chunk_of_every_worker_is_a_warm_up_and_no_slow_time(void **state)
{
    (void)state;
    planned p;
    begin(&p, 210);
    for (int w = 0; w < 6; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&p, name, 1, 0, 0, false);
        double begun = 0, first = 60 + 5 * w; /* others are at usual chunks while some still warm up */
        for (int i = 0; begun < 195; i++) {
            double seconds = i ? 10 : first;
            add_chunk(&p, name, begun, seconds, 1);
            begun += seconds;
        }
    }
    explained e = explain(&p, false);
    assert_int_equal(e.why.findings[0].kind, FINDING_WARM_UP);
    assert_null(finding_of(&e, FINDING_SLOW_PERIOD));
    assert_near(e.why.findings[0].core_seconds, 6 * (72.5 - 10), 25);
    release(&e);
}

/* Four threads each: the first chunk of a worker loads what all need, the other three begin beside it as usual. */
static void one_slow_chunk_among_the_first_of_each_worker_is_a_warm_up(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    for (int w = 0; w < 5; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&p, name, 4, 0, 0, false);
        for (int thread = 0; thread < 4; thread++)
            for (double begun = thread ? 0.01 : 0; begun < 195;) {
                double seconds = !thread && begun == 0 ? 100 : 10;
                add_bare_chunk(&p, name, begun, seconds, 1);
                begun += seconds;
            }
    }
    explained e = explain(&p, false);
    const finding *warm_up = finding_of(&e, FINDING_WARM_UP);
    assert_non_null(warm_up);
    assert_null(finding_of(&e, FINDING_STRAGGLERS));
    assert_near(warm_up->core_seconds, 5 * 90, 1);
    release(&e);
}

/* ---- Slow times, and what only looks like them ------------------------------------------------------------------ */

/* Chunks of 9 s CPU one after the other, on so many workers of a core each; files have four of them. */
typedef struct sequence {
    planned p;
    double begun[12];
    int workers, next;
} sequence;

static void begin_sequence(sequence *s, int workers, double until)
{
    *s = (sequence){.workers = workers};
    begin(&s->p, until);
    for (int w = 0; w < workers; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&s->p, name, 1, 0, 0, false);
    }
}

static void add_waiting(sequence *s, const char *dataset, double waited, double without_core)
{
    char worker[16], file[32];
    int w = s->next % s->workers;
    snprintf(worker, sizeof worker, "w%d", w);
    snprintf(file, sizeof file, "root://site//%d.root", s->next / 4);
    double seconds = 9 + waited + without_core;
    roast_chunk chunk = plan_chunk(&s->p, worker, s->begun[w], seconds, 1);
    chunk.dataset = str_from(dataset);
    chunk.file = str_from(file);
    chunk.open_ns = 0;
    chunk.t_start_ns = START_NS + (int64_t)(s->begun[w] * 1e9);
    chunk.duration_ns = (int64_t)(seconds * 1e9);
    chunk.cpu_ns = (int64_t)9e9;
    chunk.run_delay_ns = (int64_t)(without_core * 1e9);
    chunk.bytes_read = 1000000;
    assert_int_equal(roast_record_chunk(s->p.recorder, &chunk), ROAST_OK);
    s->begun[w] += seconds;
    s->next++;
}

/* Of two workers: all of a file and half of the next, which chance would not put together. */
static void a_slow_time_may_be_as_short_as_a_few_chunks(void **state)
{
    (void)state;
    sequence s;
    begin_sequence(&s, 2, 390);
    for (int i = 0; i < 60; i++)
        add_waiting(&s, "data", i >= 20 && i < 26 ? 31 : 1, 0);
    explained e = explain(&s.p, false);
    assert_int_equal(e.why.findings[0].kind, FINDING_SLOW_PERIOD);
    assert_near(e.why.findings[0].saving_seconds, 90, 9);
    assert_near(e.why.findings[0].evidence[0].value, 120, 10); /* from, until: by the middles of chunks */
    assert_near(e.why.findings[0].evidence[1].value, 200, 25);
    assert_null(finding_of(&e, FINDING_SLOW_FILE));
    assert_null(finding_of(&e, FINDING_STRAGGLERS));
    release(&e);
}

static void a_dataset_read_in_a_slow_time_does_not_take_it_for_usual(void **state)
{
    (void)state;
    sequence s;
    begin_sequence(&s, 4, 480);
    for (int i = 0; i < 120; i++) /* 30 of 48 chunks of b are slow */
        add_waiting(&s, i < 60 ? "a" : i < 108 ? "b" : "c", i >= 70 && i < 100 ? 21 : 1, 0);
    explained e = explain(&s.p, false);
    assert_int_equal(e.why.findings[0].kind, FINDING_SLOW_PERIOD);
    assert_near(e.why.findings[0].core_seconds, 30 * 20, 30);
    release(&e);
}

/* Three of four workers begin two slow chunks each, all of one file. */
static void a_file_that_most_workers_begin_with_is_no_warm_up(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    int next = 0;
    for (int w = 0; w < 4; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&p, name, 4, 0, 0, false);
        for (int thread = 0; thread < 4; thread++) {
            bool slow = thread < 2 && w < 3;
            for (double begun = 0; begun < 170;) {
                char file[32];
                double seconds = slow && begun == 0 ? 100 : 10;
                snprintf(file, sizeof file, "root://site//%d.root", slow && begun == 0 ? 0 : 1 + next++ / 4);
                roast_chunk chunk = plan_chunk(&p, name, begun, seconds, 1);
                chunk.file = str_from(file);
                assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
                begun += seconds;
            }
        }
    }
    explained e = explain(&p, false);
    assert_non_null(finding_of(&e, FINDING_SLOW_FILE));
    assert_null(finding_of(&e, FINDING_WARM_UP));
    release(&e);
}

/* Three that begin with the others have their middles between those of the last two waves, where nobody else has. */
static void single_long_chunks_are_no_slow_time(void **state)
{
    (void)state;
    sequence s;
    begin_sequence(&s, 12, 180);
    for (int i = 0; i < 120; i++) {
        bool at_long_one = i % 12 % 4 == 0;
        if (i < 12 || !at_long_one)
            add_waiting(&s, "data", at_long_one ? 163 + i / 2 : 1, 0);
        else
            s.next++;
    }
    explained e = explain(&s.p, false);
    assert_non_null(finding_of(&e, FINDING_STRAGGLERS));
    assert_null(finding_of(&e, FINDING_SLOW_PERIOD));
    release(&e);
}

/* Others take half of the cores of each machine, more of them on some: that is one cause, and no slow machines. */
static void machines_whose_cores_others_take_are_not_slow(void **state)
{
    (void)state;
    sequence s;
    begin_sequence(&s, 6, 400);
    for (int i = 0; i < 120; i++)
        add_waiting(&s, "data", 1, i % 6 < 4 ? 7 : 16);
    explained e = explain(&s.p, false);
    assert_null(finding_of(&e, FINDING_SLOW_HOST));
    assert_int_equal(e.why.findings[0].kind, FINDING_NO_CORE_FREE);
    assert_near(e.why.findings[0].core_seconds, 80 * 7 + 40 * 16, 1);
    release(&e);
}

/* After the last chunk at 100 s there are merges of a moment, one every five seconds: nothing else is done in between.
 */
static void merges_that_wait_to_be_handed_out_are_the_schedulers(void **state)
{
    (void)state;
    planned p;
    begin(&p, 140);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    add_worker(&p, "a", 1, 0, 0, false);
    for (int i = 0; i < 10; i++) {
        add_bare_chunk(&p, "a", 10.0 * i, 10, 1);
        add_task(&p, "a", "Analysis", 10.0 * i, 10.0 * i + 10, "memory");
    }
    for (int i = 1; i <= 8; i++)
        add_task(&p, "a", "reduce", 100 + 5.0 * i - 0.1, 100 + 5.0 * i, "memory");
    explained e = explain(&p, false);
    const finding *scheduler = finding_of(&e, FINDING_SCHEDULER), *merging = finding_of(&e, FINDING_MERGING);
    assert_non_null(scheduler);
    assert_near(scheduler->saving_seconds, 8 * 4.9, 0.1);
    assert_true(!merging || merging->saving_seconds < 1);
    release(&e);
}

/* A worker of two cores whose memory is at 85 % of its limit from 20 to 60 s: the second core is idle meanwhile. */
static void cores_of_a_worker_that_is_paused_are_idle_for_lack_of_memory(void **state)
{
    (void)state;
    planned p;
    begin(&p, 200);
    add_worker(&p, "a", 2, 0, 0, false);
    roast_worker worker = roast_worker_none();
    worker.address = STR("a");
    worker.memory_limit = 1000000000;
    assert_int_equal(roast_record_worker(p.recorder, &worker), ROAST_OK);
    for (int t = 0; t <= 200; t += 10) {
        roast_sample sample = roast_sample_none();
        sample.worker = STR("a");
        sample.t_ns = START_NS + t * INT64_C(1000000000);
        sample.memory = t > 20 && t <= 60 ? 850000000 : 300000000;
        assert_int_equal(roast_record_sample(p.recorder, &sample), ROAST_OK);
    }
    for (int i = 0; i < 20; i++) {
        add_bare_chunk(&p, "a", 10.0 * i, 10, 1);
        if (i < 2 || i >= 6)
            add_bare_chunk(&p, "a", 10.0 * i + 0.001, 9.999, 1);
    }
    explained e = explain(&p, false);
    const finding *memory = finding_of(&e, FINDING_MEMORY_LIMIT);
    assert_non_null(memory);
    assert_near(memory->core_seconds, 40, 0.1);
    assert_near(memory->saving_seconds, 20, 3); /* of one core of two */
    assert_null(finding_of(&e, FINDING_SCHEDULER));
    release(&e);
}

/* Half of the time is waiting, and each chunk reads clusters of which it uses a quarter. */
static explained explain_clusters(int64_t clusters, int64_t per_event)
{
    planned p;
    begin(&p, 400);
    add_worker(&p, "a", 1, 0, 0, false);
    roast_branch branch = roast_branch_none();
    branch.name = STR("Jet_pt");
    branch.compressed = 40000 * per_event;
    roast_file file = roast_file_none();
    file.url = STR("root://site//a.root");
    file.entries = 40000;
    file.clusters = clusters;
    file.compressed = 80000 * per_event;
    file.branches = &branch;
    file.n_branches = 1;
    assert_int_equal(roast_record_file(p.recorder, &file), ROAST_OK);
    roast_str used = STR("Jet_pt");
    for (int i = 0; i < 40; i++) {
        roast_chunk chunk = plan_chunk(&p, "a", 10.0 * i, 10, 0.5);
        chunk.open_ns = 0;
        chunk.t_start_ns = START_NS + i * INT64_C(10000000000);
        chunk.duration_ns = INT64_C(10000000000);
        chunk.cpu_ns = INT64_C(5000000000);
        chunk.bytes_read = 4000 * per_event; /* of each of its 1000 events, four times */
        chunk.branches = &used;
        chunk.n_branches = 1;
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    return explain(&p, false);
}

static void what_is_read_for_others_costs_the_time_of_reading_it_if_the_layout_explains_it(void **state)
{
    (void)state;
    explained e = explain_clusters(10, 2000); /* of 4000 events each */
    assert_int_equal(e.why.findings[0].kind, FINDING_OVER_READ);
    assert_near(e.why.findings[0].saving_seconds, 400 * 0.5 * 0.75, 4);
    release(&e);
    e = explain_clusters(10, 100); /* 400 kB in 5 s: no storage is so slow, it waits for something else */
    assert_int_equal(e.why.findings[0].kind, FINDING_IO_BOUND);
    assert_true(finding_of(&e, FINDING_OVER_READ)->saving_seconds < 0.75 * 40 * 0.4 + 1);
    release(&e);
    e = explain_clusters(40, 2000); /* chunks are clusters: nobody knows why more was read */
    const finding *f = finding_of(&e, FINDING_OVER_READ);
    assert_non_null(f);
    assert_int_equal(f->confidence, FINDING_NOTE);
    assert_near(f->saving_seconds, 0, 1e-9);
    release(&e);
}

/* A worker of four threads, and after that others of which one thread runs alone. Each chunk waits per_thread for each
 * second of work and other thread, and alone for each byte. */
static explained explain_threads(double per_thread, double alone)
{
    planned p;
    begin(&p, 400);
    double longest = 0;
    for (int w = 0; w < 12; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&p, name, 4, 0, 0, false);
        int threads = w < 8 ? 4 : 1 + w % 3;
        for (int k = 0; k < threads; k++)
            for (int i = 0; i < 12; i++) {
                double work = 10, wait = work * (per_thread * (threads - 1) + alone);
                roast_chunk chunk = plan_chunk(&p, name, (work + wait) * i, 1, 1);
                chunk.open_ns = 0;
                chunk.t_start_ns = START_NS + (int64_t)((work + wait) * i * 1e9);
                chunk.duration_ns = (int64_t)((work + wait) * 1e9);
                chunk.cpu_ns = (int64_t)(work * (1 + 0.01 * ((i * 7 + k) % 5 - 2)) * 1e9);
                chunk.bytes_read = 1000000;
                longest = fmax(longest, (work + wait) * (i + 1));
                assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
            }
    }
    assert_int_equal(roast_record_fact_int(p.recorder, "t_end_ns", START_NS + (int64_t)(longest * 1e9)), ROAST_OK);
    return explain(&p, false);
}

static void waiting_that_grows_with_other_threads_is_a_lock_and_that_by_the_byte_is_storage(void **state)
{
    (void)state;
    explained e = explain_threads(0.3, 0.05);
    assert_int_equal(e.why.findings[0].kind, FINDING_LOCKS);
    assert_near(e.why.findings[0].core_seconds, 0.3 * 10 * 12 * (8 * 4 * 3 + 3 * 2 + 1 * 0 + 2 * 1 + 3 * 2), 40);
    assert_null(finding_of(&e, FINDING_IO_BOUND));
    release(&e);
    e = explain_threads(0, 0.9);
    assert_int_equal(e.why.findings[0].kind, FINDING_IO_BOUND);
    assert_null(finding_of(&e, FINDING_LOCKS));
    release(&e);
}

/* Chunks one after the other on six workers, two of each file; those of one file take eight times as long. */
static void a_slow_file_is_named_also_if_it_has_no_more_than_two_chunks(void **state)
{
    (void)state;
    planned p;
    begin(&p, 700);
    double begun[6] = {0};
    for (int w = 0; w < 6; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&p, name, 1, 0, 0, false);
    }
    for (int i = 0; i < 360; i++) {
        char worker[8], file[32];
        snprintf(worker, sizeof worker, "w%d", i % 6);
        snprintf(file, sizeof file, "root://site//%d.root", i / 2);
        double seconds = i / 2 == 40 ? 80 : 10;
        roast_chunk chunk = plan_chunk(&p, worker, begun[i % 6], seconds, i / 2 == 40 ? 0.1 : 0.9);
        chunk.file = str_from(file);
        begun[i % 6] += seconds;
        assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
    }
    explained e = explain(&p, false);
    const finding *f = finding_of(&e, FINDING_SLOW_FILE);
    assert_non_null(f);
    assert_true(str_equal(f->evidence[0].name, STR("root://site//40.root")));
    assert_null(finding_of(&e, FINDING_STRAGGLERS));
    release(&e);
}

/* From 100 s to 150 s all takes three times as long, also for a part of a chunk: without it a third of 50 s is left. */
static void what_begins_or_ends_in_a_slow_time_is_slow_for_a_part_of_its_time(void **state)
{
    (void)state;
    planned p;
    begin(&p, 300);
    for (int w = 0; w < 12; w++) {
        char name[8];
        snprintf(name, sizeof name, "w%d", w);
        add_worker(&p, name, 1, 0, 0, false);
        double at = 0, until;
        for (double left = w + 1; at < 300; left = 12, at = until) {
            double work_before = fmax(100 - at, 0), work_within = (150 - fmax(at, 100)) / 3;
            until = at + left;
            if (at < 150 && left > work_before)
                until = left - work_before <= work_within ? fmax(at, 100) + 3 * (left - work_before)
                                                          : 150 + left - work_before - work_within;
            if (until > 300)
                break;
            roast_chunk chunk = plan_chunk(&p, name, at, until - at, 0);
            chunk.events = (int64_t)(100 * left);
            chunk.open_ns = 0;
            chunk.duration_ns = (int64_t)((until - at) * 1e9);
            chunk.t_start_ns = START_NS + (int64_t)(at * 1e9);
            assert_int_equal(roast_record_chunk(p.recorder, &chunk), ROAST_OK);
        }
    }
    explained e = explain(&p, false);
    const finding *f = finding_of(&e, FINDING_SLOW_PERIOD);
    assert_non_null(f);
    assert_near(f->saving_seconds, 50 * (1 - 1.0 / 3), 2);
    assert_near(f->core_seconds, 12 * 50 * (1 - 1.0 / 3), 20);
    release(&e);
}

/* Four hosts; every third chunk of one of them takes four times as long: it is not slow as a whole. */
static void slow_chunks_that_share_a_host_are_said_to(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        planned p;
        begin(&p, 700);
        for (int h = 0; h < 4; h++) {
            char host[8];
            snprintf(host, sizeof host, "n%d", h);
            add_worker(&p, host, 1, 0, 0, false);
            double begun = 0;
            for (int i = 0; begun < 650; i++) {
                bool slow = shared ? h == 2 && i % 3 == 1 : i % 12 == 3 * h + 1;
                add_chunk(&p, host, begun, slow ? 40 : 10, 0.9);
                begun += slow ? 40 : 10;
            }
        }
        explained e = explain(&p, false);
        const finding *f = finding_of(&e, FINDING_STRAGGLERS);
        assert_non_null(f);
        assert_int_equal(advice_known(&f->advice.values[ADVICE_SHARED]), shared);
        if (shared)
            assert_true(str_equal(f->advice.values[ADVICE_SHARED].name, STR("on n2")));
        release(&e);
    }
}

static void who_waits_longer_than_the_others_compute_does_not_wait_for_them(void **state)
{
    (void)state;
    explained e = explain_threads(3, 0);
    assert_null(finding_of(&e, FINDING_LOCKS));
    release(&e);
}

static void what_saves_much_is_not_small_whatever_it_is(void **state)
{
    (void)state;
    explanation e = {.wall_seconds = 100};
    finding large = {.kind = FINDING_CPU_BOUND, .confidence = FINDING_NOTE, .rank = 40};
    finding little = {.kind = FINDING_FAILURES, .confidence = FINDING_NOTE, .rank = 4};
    finding told = {.kind = FINDING_OVERSUBSCRIBED, .confidence = FINDING_LIKELY};
    assert_false(finding_is_small(&e, &large));
    assert_true(finding_is_small(&e, &little));
    assert_false(finding_is_small(&e, &told));
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

static void results_are_packed_when_chunks_end(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 2, 0, 0, false);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    add_chunk(&p, "a", 0, 30, 1);
    add_chunk(&p, "a", 0, 40, 1);
    add_chunk(&p, "a", 40, 20, 1); /* the last to be started: one of four ends after that */
    add_chunk(&p, "a", 35, 5, 1);
    roast_activity packing = roast_activity_none();
    packing.context = STR("execute");
    packing.prefix = STR("Analysis");
    packing.activity = STR("disk-write");
    packing.unit = STR("seconds");
    packing.value = 8;
    assert_int_equal(roast_record_activity(p.recorder, &packing), ROAST_OK);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "return"), 8, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 0, 1e-6); /* of 5, where 6 were wanted */
    assert_near(in_ledger(&e, "idle_tail"), 2 * 60 - 20 - 2 - 1, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
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
    assert_string_equal(e.summary->why[M_run_core_efficiency], "1 of 1 worker was not measured");
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

/* ---- Advice -------------------------------------------------------------------------------------------------------
 */

/* Chunks of 1 000 events without a pause on two cores, of which a good part is opening. */
static void plan_small_chunks(planned *p, int files, int chunks_per_file, const char *chunksize)
{
    double seconds = 2, until = files * chunks_per_file * seconds / 2;
    begin(p, until);
    add_worker(p, "a", 2, 0, 0, false);
    for (int i = 0; i < files * chunks_per_file; i++) {
        char file[32];
        snprintf(file, sizeof file, "root://site//%d.root", i / chunks_per_file);
        roast_chunk chunk = plan_chunk(p, "a", i / 2 * seconds, seconds, 1);
        chunk.file = str_from(file);
        chunk.entry_start = i % chunks_per_file * 1000;
        chunk.entry_stop = chunk.entry_start + 1000;
        chunk.open_ns = (int64_t)(0.4 * seconds * 1e9);
        chunk.duration_ns = chunk.cpu_ns = (int64_t)(0.6 * seconds * 1e9);
        chunk.t_start_ns = START_NS + (int64_t)(i / 2 * seconds * 1e9) + chunk.open_ns;
        assert_int_equal(roast_record_chunk(p->recorder, &chunk), ROAST_OK);
    }
    if (chunksize)
        assert_int_equal(roast_record_fact(p->recorder, "chunksize", str_from(chunksize)), ROAST_OK);
}

static double advised(const finding *f, advice_key key)
{
    assert_non_null(f);
    return f->advice.values[key].number;
}

static void larger_chunks_are_whole_files_where_these_are_near(void **state)
{
    (void)state;
    planned p;
    plan_small_chunks(&p, 16, 6, NULL); /* as few as six per core allow chunks six times as large */
    explained e = explain(&p, false);
    const finding *opening = finding_of(&e, FINDING_OPENING);
    assert_near(opening->factor, 6, 0);
    assert_near(advised(opening, ADVICE_CHUNKSIZE), 6000, 0);
    assert_near(advised(opening, ADVICE_NOW), 1000, 0);
    assert_near(advised(opening, ADVICE_PER_FILE), 1, 0);
    assert_near(advised(opening, ADVICE_CHUNKS), 16, 0);
    release(&e);
}

static void larger_chunks_are_equal_parts_of_larger_files(void **state)
{
    (void)state;
    planned p;
    plan_small_chunks(&p, 8, 12, "1010"); /* 12 000 events each; eight times 1 010 would be one and a half of a file */
    explained e = explain(&p, false);
    const finding *opening = finding_of(&e, FINDING_OPENING);
    assert_near(opening->factor, 8, 0);
    assert_near(advised(opening, ADVICE_NOW), 1010, 0);        /* as the run says that it was asked for */
    assert_near(advised(opening, ADVICE_CHUNKSIZE), 12000, 0); /* 12 000 / 8 080 is nearer to one than to two */
    release(&e);
    plan_small_chunks(&p, 4, 30, NULL); /* 30 000 events each, ten times 1 000: three of a file */
    e = explain(&p, false);
    opening = finding_of(&e, FINDING_OPENING);
    assert_near(opening->factor, 10, 0);
    assert_near(advised(opening, ADVICE_CHUNKSIZE), 10000, 0);
    assert_near(advised(opening, ADVICE_PER_FILE), 3, 0);
    assert_near(advised(opening, ADVICE_CHUNKS), 12, 0);
    release(&e);
}

static void files_that_are_no_larger_than_chunks_get_no_size_of_chunks(void **state)
{
    (void)state;
    planned p;
    plan_small_chunks(&p, 96, 1, NULL);
    explained e = explain(&p, false);
    const finding *opening = finding_of(&e, FINDING_OPENING);
    assert_near(advised(opening, ADVICE_CHUNKSIZE), 0, 0);
    release(&e);
}

static void what_workers_import_is_no_saving_of_preprocessing(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "a", 1, 0, 0, false);
    add_worker(&p, "b", 1, 0, 0, false);
    assert_int_equal(roast_record_fact_int(p.recorder, "preprocess_ns", 20 * NS_PER_S), ROAST_OK);
    for (int w = 0; w < 2; w++) { /* the first file is there 11 s later than the others, which take 3 s */
        const char *worker = w ? "b" : "a";
        add_task(&p, worker, "automatic_retries", w ? 11 : 0, 14, "memory"); /* unpacked before, or imported in it */
        add_task(&p, worker, "automatic_retries", 14, 17, "memory");
        add_task(&p, worker, "automatic_retries", 17, 20, "memory");
        for (int i = 0; i < 8; i++)
            add_chunk(&p, worker, 20 + 10 * i, 10, 1);
    }
    explained e = explain(&p, false);
    assert_near(summary_real(e.summary, M_run_preprocess_import_seconds), 11, 1e-6);
    const finding *f = finding_of(&e, FINDING_PREPROCESSING);
    assert_non_null(f);
    assert_near(f->saving_seconds, 20 - 11, 0.1);
    release(&e);
}

static void workers_that_were_lost_on_many_hosts_acquit_each_of_them(void **state)
{
    (void)state;
    planned p;
    begin(&p, 100);
    add_worker(&p, "stays", 1, 0, 0, false);
    keep_busy(&p, "stays", 0, 100);
    for (int i = 0; i < 4; i++) {
        char address[16];
        snprintf(address, sizeof address, "w%d", i);
        add_worker(&p, address, 1, 0, 20 * i + 20, true);
        keep_busy(&p, address, 0, 20 * i + 20);
    }
    explained e = explain(&p, false);
    const finding *lost = finding_of(&e, FINDING_WORKERS_LOST);
    assert_near(advised(lost, ADVICE_HOSTS), 4, 0);
    assert_int_equal(lost->advice.n_ruled_out, 1);
    assert_int_equal(lost->advice.ruled_out[0].of, SUSPECT_ONE_HOST);
    assert_near(advised(lost, ADVICE_LIFETIME), 0, 0); /* they lived 20 s, 40 s, … */
    release(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_time_is_told_apart_by_when_it_was),
        cmocka_unit_test(a_worker_is_starting_up_until_one_of_its_cores_has_a_chunk),
        cmocka_unit_test(any_number_of_retries_at_the_end_leave_the_rest_as_it_was),
        cmocka_unit_test(an_attempt_that_ended_with_its_worker_is_lost_and_not_failed),
        cmocka_unit_test(other_tasks_are_taken_out_of_the_time_in_which_they_ran),
        cmocka_unit_test(waiting_for_preprocessing_begins_when_that_does),
        cmocka_unit_test(a_worker_that_left_offers_nothing_after_it_left),
        cmocka_unit_test(failed_attempts_and_second_successes_are_not_work),
        cmocka_unit_test(a_chunk_without_events_is_not_the_one_that_begins_where_it_does),
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
        cmocka_unit_test(chunks_are_put_together_by_their_place_in_a_file),
        cmocka_unit_test(what_runs_between_chunks_is_merging_and_not_the_schedulers_fault),
        cmocka_unit_test(the_start_of_a_run_is_not_the_schedulers_on_few_cores_or_where_there_is_none),
        cmocka_unit_test(one_core_does_chunks_however_few_they_are),
        cmocka_unit_test(what_saves_less_than_a_second_is_minor_and_a_short_run_is_said_to_be_short),
        cmocka_unit_test(the_slow_first_chunk_of_every_worker_is_a_warm_up_and_no_slow_time),
        cmocka_unit_test(waiting_that_grows_with_other_threads_is_a_lock_and_that_by_the_byte_is_storage),
        cmocka_unit_test(slow_chunks_that_share_a_host_are_said_to),
        cmocka_unit_test(who_waits_longer_than_the_others_compute_does_not_wait_for_them),
        cmocka_unit_test(a_slow_file_is_named_also_if_it_has_no_more_than_two_chunks),
        cmocka_unit_test(what_begins_or_ends_in_a_slow_time_is_slow_for_a_part_of_its_time),
        cmocka_unit_test(what_saves_much_is_not_small_whatever_it_is),
        cmocka_unit_test(a_worker_that_comes_for_a_lost_one_is_not_late),
        cmocka_unit_test(a_lost_worker_did_nothing_else_until_it_was_missed),
        cmocka_unit_test(workers_that_come_when_none_was_lost_are_late),
        cmocka_unit_test(without_cpu_times_it_is_not_determined_what_process_did),
        cmocka_unit_test(cores_without_a_probe_are_not_measured_and_never_idle),
        cmocka_unit_test(workers_without_a_probe_have_their_share_of_what_the_engine_sums),
        cmocka_unit_test(results_are_packed_when_chunks_end),
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
        cmocka_unit_test(larger_chunks_are_whole_files_where_these_are_near),
        cmocka_unit_test(larger_chunks_are_equal_parts_of_larger_files),
        cmocka_unit_test(files_that_are_no_larger_than_chunks_get_no_size_of_chunks),
        cmocka_unit_test(what_workers_import_is_no_saving_of_preprocessing),
        cmocka_unit_test(workers_that_were_lost_on_many_hosts_acquit_each_of_them),
        cmocka_unit_test(one_slow_chunk_among_the_first_of_each_worker_is_a_warm_up),
        cmocka_unit_test(a_slow_time_may_be_as_short_as_a_few_chunks),
        cmocka_unit_test(a_dataset_read_in_a_slow_time_does_not_take_it_for_usual),
        cmocka_unit_test(a_file_that_most_workers_begin_with_is_no_warm_up),
        cmocka_unit_test(single_long_chunks_are_no_slow_time),
        cmocka_unit_test(machines_whose_cores_others_take_are_not_slow),
        cmocka_unit_test(merges_that_wait_to_be_handed_out_are_the_schedulers),
        cmocka_unit_test(cores_of_a_worker_that_is_paused_are_idle_for_lack_of_memory),
        cmocka_unit_test(what_is_read_for_others_costs_the_time_of_reading_it_if_the_layout_explains_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
