/* Runs whose work are the engine's tasks: no Runner ran, and no chunk was recorded. */
#include <math.h>

#include "planned.h"
#include "view/evidence_words.h"

/* What the engine says of all tasks of a kind. */
static void add_activity(planned *p, const char *kind, const char *activity, double seconds)
{
    roast_activity sum = roast_activity_none();
    sum.context = STR("execute");
    sum.prefix = str_from(kind);
    sum.activity = str_from(activity);
    sum.unit = STR("seconds");
    sum.value = seconds;
    assert_int_equal(roast_record_activity(p->recorder, &sum), ROAST_OK);
}

/* A task with a name, which the same task has again when it is made again. */
static void add_named(planned *p, const char *worker, const char *key, double start, double stop)
{
    roast_task task = roast_task_none();
    task.key = str_from(key);
    task.worker = str_from(worker);
    task.prefix = STR("fill");
    task.state = STR("memory");
    task.attempt = 1;
    task.start_ns = START_NS + (int64_t)(start * 1e9);
    task.stop_ns = START_NS + (int64_t)(stop * 1e9);
    assert_int_equal(roast_record_task(p->recorder, &task), ROAST_OK);
}

/* An attempt that is made again: the engine tells neither when nor where it was. */
static void add_failed(planned *p, const char *kind)
{
    roast_task task = roast_task_none();
    task.prefix = str_from(kind);
    task.state = STR("erred");
    task.attempt = 1;
    assert_int_equal(roast_record_task(p->recorder, &task), ROAST_OK);
}

static double whole_ledger(const explained *e)
{
    double sum = 0;
    for (size_t row = 0; row < roast_summary_rows(e->summary, ROAST_SCOPE_LEDGER); row++)
        sum += summary_cell(e->summary, M_ledger_core_seconds, row).as.real;
    return sum;
}

/* ---- The ledger ---------------------------------------------------------------------------------------------- */

static void tasks_are_split_by_what_the_engine_says_of_their_kind(void **state)
{
    (void)state;
    planned p;
    begin(&p, 40);
    add_worker(&p, "a", 1, 0, 0, false);
    add_worker(&p, "b", 1, 0, 0, false);
    add_task(&p, "a", "fill", 5, 15, "memory");
    add_task(&p, "b", "fill", 5, 25, "memory");
    add_task(&p, "a", "fill", 20, 30, "memory"); /* the last of a kind that both could be at */
    add_task(&p, "b", "sum", 32, 36, "memory");  /* one task keeps one core busy, however it is handed out */
    add_activity(&p, "fill", "thread-cpu", 30);
    add_activity(&p, "fill", "thread-noncpu", 10);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "task_cpu"), 30, 1e-6);
    assert_near(in_ledger(&e, "task_wait"), 10, 1e-6);
    assert_near(in_ledger(&e, "task_unsplit"), 4, 1e-6); /* of sum the engine says nothing */
    assert_near(in_ledger(&e, "idle_start"), 5 + 5, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 5, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 10 + 7 + 4, 1e-6);
    assert_near(in_ledger(&e, "process_cpu"), 0, 0);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    assert_near(whole_ledger(&e), 80, 1e-6);
    release(&e);
}

static void what_the_engine_does_around_tasks_is_taken_out_of_the_time_between_them(void **state)
{
    (void)state;
    planned p;
    begin(&p, 30);
    add_worker(&p, "a", 1, 0, 0, false);
    add_task(&p, "a", "fill", 0, 10, "memory");
    add_task(&p, "a", "fill", 18, 28, "memory");
    add_activity(&p, "fill", "thread-cpu", 10);
    add_activity(&p, "fill", "thread-noncpu", 10);
    add_activity(&p, "fill", "executor", 1);
    add_activity(&p, "fill", "other", 0.5);
    add_activity(&p, "fill", "disk-write", 1);
    add_activity(&p, "fill", "compress", 2);
    add_activity(&p, "fill", "deserialize", 0.25);
    add_activity(&p, "N/A", "idle or other spans", 8); /* is idle */
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "overhead"), 1.5, 1e-6);
    assert_near(in_ledger(&e, "spilling"), 3, 1e-6);
    assert_near(in_ledger(&e, "return"), 0.25, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 8 - 4.75, 1e-6);
    assert_near(in_ledger(&e, "idle_tail"), 2, 1e-6);
    assert_near(whole_ledger(&e), 30, 1e-6);
    assert_int_equal(roast_summary_rows(e.summary, ROAST_SCOPE_ACTIVITY), 1);
    release(&e);
}

static void attempts_that_failed_are_known_by_their_sum(void **state)
{
    (void)state;
    planned p;
    begin(&p, 20);
    add_worker(&p, "a", 1, 0, 0, false);
    add_task(&p, "a", "fill", 0, 5, "memory");
    add_failed(&p, "fill"); /* between 5 and 8 */
    add_failed(&p, "fill");
    add_task(&p, "a", "fill", 8, 16, "memory");
    add_task(&p, "a", "fill", 18, 20, "erred"); /* the last attempt: that is told */
    add_activity(&p, "fill", "failed", 2 + 2);
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "failed"), 4, 1e-6);
    assert_near(in_ledger(&e, "task_unsplit"), 13, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 5 - 2, 1e-6);
    assert_near(whole_ledger(&e), 20, 1e-6);
    release(&e);
}

static void what_is_done_again_after_a_worker_was_lost_is_lost(void **state)
{
    (void)state;
    planned p;
    begin(&p, 30);
    add_worker(&p, "stays", 1, 0, 0, false);
    add_worker(&p, "lost", 1, 0, 10, true);
    add_named(&p, "stays", "fill-1", 0, 10);
    add_named(&p, "lost", "fill-2", 0, 8);
    add_named(&p, "stays", "fill-2", 12, 20); /* its result went with the worker */
    add_named(&p, "stays", "fill-1", 20, 30); /* its worker is there: somebody wanted it again */
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "task_unsplit"), 10 + 8 + 10, 1e-6);
    assert_near(in_ledger(&e, "lost"), 8 + 2, 1e-6); /* and what the worker was at when it died */
    assert_near(in_ledger(&e, "idle_queue"), 2, 1e-6);
    assert_near(whole_ledger(&e), 40, 1e-6);
    release(&e);
}

static void tasks_of_a_worker_without_a_probe_are_measured_by_the_engine(void **state)
{
    (void)state;
    planned p;
    begin(&p, 10);
    add_worker(&p, "a", 1, 0, 0, false);
    add_worker(&p, "b", 1, 0, 0, false);
    set_probe(&p, "a", 1);
    set_probe(&p, "b", 0);
    add_task(&p, "a", "fill", 0, 10, "memory");
    add_task(&p, "b", "fill", 0, 8, "memory");
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "task_unsplit"), 18, 1e-6);
    assert_near(in_ledger(&e, "not_measured"), 0, 0);
    assert_near(in_ledger(&e, "idle_tail"), 2, 1e-6);
    release(&e);
}

static void what_cannot_be_told_of_a_worker_is_absent(void **state)
{
    (void)state;
    planned p;
    begin(&p, 10);
    add_worker(&p, "a", 1, 0, 0, false);
    add_task(&p, "a", "fill", 0, 10, "memory");
    add_activity(&p, "fill", "thread-cpu", 1);
    explained e = explain(&p, false);
    assert_near(summary_cell(e.summary, M_worker_ledger_task_cpu, 0).as.real, 10, 1e-6);
    assert_int_equal(summary_cell(e.summary, M_worker_ledger_process_cpu, 0).kind, ROAST_NOTHING);
    assert_int_equal(summary_cell(e.summary, M_worker_ledger_merging, 0).kind, ROAST_NOTHING);
    assert_int_equal(summary_cell(e.summary, M_worker_ledger_task_unsplit, 0).kind, ROAST_NOTHING);
    release(&e);
}

/* A function that is decorated, in a task: the task takes a little longer. */
static void add_decorated(planned *p, double start, double stop)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.worker = STR("a");
    chunk.events = 10;
    chunk.attempt = 1;
    chunk.t_start_ns = START_NS + (int64_t)(start * 1e9);
    chunk.duration_ns = (int64_t)((stop - start - 0.5) * 1e9);
    chunk.cpu_ns = chunk.duration_ns / 2;
    assert_int_equal(roast_record_chunk(p->recorder, &chunk), ROAST_OK);
    add_task(p, "a", "decorated", start, stop, "memory");
}

static void chunks_refine_the_tasks_that_ran_them_and_no_others(void **state)
{
    (void)state;
    planned p;
    begin(&p, 30);
    add_worker(&p, "a", 1, 0, 0, false);
    add_task(&p, "a", "load", 1, 3, "memory");
    add_decorated(&p, 3, 9);
    add_decorated(&p, 10, 16);
    add_task(&p, "a", "load", 17, 19, "memory");
    add_decorated(&p, 20, 26);
    add_task(&p, "a", "sum", 27, 28, "memory");
    explained e = explain(&p, false);
    assert_near(in_ledger(&e, "process_cpu"), 3 * 5.5 / 2, 1e-6);
    assert_near(in_ledger(&e, "process_io"), 3 * 5.5 / 2, 1e-6);
    assert_near(in_ledger(&e, "return"), 3 * 0.5, 1e-6);
    assert_near(in_ledger(&e, "task_unsplit"), 2 + 2 + 1, 1e-6);
    assert_near(in_ledger(&e, "merging"), 0, 0);
    assert_near(in_ledger(&e, "preprocessing"), 0, 0);
    assert_near(in_ledger(&e, "idle_start"), 1, 1e-6);
    assert_near(in_ledger(&e, "idle_queue"), 1 + 1 + 1 + 1, 1e-6); /* sum was the last to be started */
    assert_near(in_ledger(&e, "idle_tail"), 2, 1e-6);
    assert_near(in_ledger(&e, "residual"), 0, 1e-6);
    release(&e);
}

/* ---- All tasks together ---------------------------------------------------------------------------------------- */

static void all_tasks_are_counted_and_timed(void **state)
{
    (void)state;
    planned p;
    begin(&p, 20);
    add_worker(&p, "a", 2, 0, 0, false);
    add_task(&p, "a", "fill", 3, 5, "memory");
    add_task(&p, "a", "fill", 4, 10, "memory");
    add_task(&p, "a", "sum", 11, 12, "memory");
    add_failed(&p, "fill");
    add_activity(&p, "fill", "thread-cpu", 4);
    add_activity(&p, "fill", "executor", 0.25);
    add_activity(&p, "sum", "other", 0.05);
    explained e = explain(&p, false);
    assert_near(metric(&e, M_run_num_tasks), 3, 0);
    assert_near(metric(&e, M_run_num_failed_tasks), 1, 0);
    assert_near(metric(&e, M_run_num_recomputed_tasks), 0, 0);
    assert_near(metric(&e, M_run_task_rate_hz), 3 / 20.0, 1e-9);
    assert_near(metric(&e, M_run_task_seconds_total), 2 + 6 + 1, 1e-9);
    assert_near(metric(&e, M_run_concurrent_tasks_mean), 9 / 20.0, 1e-9);
    assert_near(metric(&e, M_run_task_efficiency), 9 / 40.0, 1e-9);
    assert_near(metric(&e, M_run_cpu_efficiency_fine), 4 / 40.0, 1e-9);
    assert_near(metric(&e, M_run_task_duration_p50), 2, 1e-9);
    assert_near(metric(&e, M_run_task_duration_max), 6, 1e-9);
    assert_near(metric(&e, M_run_task_overhead_seconds), 0.3 / 3, 1e-9);
    assert_near(metric(&e, M_run_first_task_seconds), 3, 1e-9);
    release(&e);
}

static void a_processor_that_no_task_ran_has_no_time_of_its_own(void **state)
{
    (void)state;
    planned p;
    begin(&p, 10);
    add_worker(&p, "a", 1, 0, 0, false);
    assert_int_equal(roast_record_fact(p.recorder, "processor", STR("Analysis")), ROAST_OK);
    add_task(&p, "a", "fill", 0, 10, "memory");
    add_activity(&p, "fill", "thread-cpu", 1.5);
    add_activity(&p, "fill", "thread-noncpu", 8.5);
    explained e = explain(&p, false);
    assert_near(metric(&e, M_run_processor_cpu_time_seconds), 1.5, 1e-9); /* all tasks, and never 0 */
    assert_near(metric(&e, M_run_overhead_cpu_time_seconds), 0, 0);
    assert_near(metric(&e, M_run_cpu_efficiency_fine), 0.15, 1e-9);
    release(&e);
}

static void tasks_of_a_runner_are_not_the_work(void **state)
{
    (void)state;
    planned p;
    begin(&p, 10);
    add_worker(&p, "a", 1, 0, 0, false);
    assert_int_equal(roast_record_fact_int(p.recorder, "chunksize", 1000), ROAST_OK);
    add_task(&p, "a", "lambda", 0, 1, "memory"); /* the processor is sent */
    explained e = explain(&p, false);
    assert_true(isnan(metric(&e, M_run_num_tasks)));
    assert_near(in_ledger(&e, "task_unsplit"), 0, 0);
    assert_false(e.why.of_tasks);
    release(&e);
}

/* ---- Findings ---------------------------------------------------------------------------------------------------- */

/* What the scheduler says at a heartbeat that a worker has been given. */
static void add_heartbeat(planned *p, const char *worker, double at, int64_t processing)
{
    roast_sample sample = roast_sample_none();
    sample.worker = str_from(worker);
    sample.t_ns = START_NS + (int64_t)(at * 1e9);
    sample.processing = processing;
    assert_int_equal(roast_record_sample(p->recorder, &sample), ROAST_OK);
}

static void small_tasks_are_told_from_a_slow_scheduler(void **state)
{
    (void)state;
    planned p;
    begin(&p, 20);
    add_worker(&p, "a", 1, 0, 0, false);
    for (int i = 0; i < 5000; i++)
        add_task(&p, "a", "fill", 0.004 * i, 0.004 * i + 0.001, "memory");
    explained e = explain(&p, false);
    const finding *small = finding_of(&e, FINDING_SMALL_TASKS);
    assert_non_null(small);
    assert_near(small->core_seconds, 4999 * 0.003, 1e-3);
    assert_near(small->saving_seconds, 4999 * 0.003, 0.25);
    assert_near(small->factor, 60, 0); /* 3 ms are to be 5 % of 60 ms */
    assert_null(finding_of(&e, FINDING_SCHEDULER));
    release(&e);
}

/* Two workers with tasks of 10 s, and 10 s in which neither has one. */
static explained explain_gap(int64_t processing)
{
    static const char *const workers[] = {"a", "b"};
    planned p;
    begin(&p, 60);
    for (int w = 0; w < 2; w++) {
        add_worker(&p, workers[w], 1, 0, 0, false);
        for (int i = 0; i < 6; i++)
            if (i != 2)
                add_task(&p, workers[w], "fill", 10 * i, 10 * i + 10, "memory");
        for (int second = 1; second < 60; second++)
            add_heartbeat(&p, workers[w], second, second > 20 && second < 30 ? processing : 1);
    }
    return explain(&p, false);
}

static void a_worker_that_had_been_given_nothing_waited_for_no_scheduler(void **state)
{
    (void)state;
    explained e = explain_gap(0);
    const finding *none = finding_of(&e, FINDING_NO_TASKS);
    assert_non_null(none);
    assert_near(none->core_seconds, 20, 1e-3);
    assert_near(none->saving_seconds, 10, 0.7);
    assert_null(finding_of(&e, FINDING_SCHEDULER));
    release(&e);
    e = explain_gap(3);
    assert_null(finding_of(&e, FINDING_NO_TASKS));
    assert_non_null(finding_of(&e, FINDING_SCHEDULER));
    assert_near(finding_of(&e, FINDING_SCHEDULER)->core_seconds, 20, 1e-3);
    release(&e);
}

/* The second kind takes ten times as long: only within a kind can a worker be slow. */
static explained explain_kinds(double slow)
{
    static const char *const workers[] = {"a", "b", "c", "d"};
    planned p;
    begin(&p, 200);
    for (int w = 0; w < 4; w++) {
        double at = 0, times = w == 3 ? slow : 1;
        add_worker(&p, workers[w], 1, 0, 0, false);
        for (int i = 0; at < 100; i++) {
            double usual = i % 2 ? 5 : 0.5, takes = usual * times * (1 + 0.02 * (i % 3));
            add_task(&p, workers[w], i % 2 ? "fill" : "open", at, at + takes, "memory");
            at += takes;
        }
    }
    return explain(&p, false);
}

static void a_worker_is_slow_against_others_with_tasks_of_the_same_kind(void **state)
{
    (void)state;
    explained e = explain_kinds(3);
    const finding *slow = finding_of(&e, FINDING_SLOW_HOST); /* each has a machine of its own */
    assert_non_null(slow);
    assert_near(slow->core_seconds, 100 * 2.0 / 3, 8);
    assert_near(slow->evidence[0].value, 3, 0.2);
    assert_str(slow->evidence[0].name, "d");
    release(&e);
    e = explain_kinds(1);
    assert_null(finding_of(&e, FINDING_SLOW_HOST));
    assert_null(finding_of(&e, FINDING_STRAGGLERS));
    release(&e);
}

static void evidence_on_tasks_does_not_speak_of_chunks(void **state)
{
    (void)state;
    explained e = explain_gap(3);
    buf words = {0};
    assert_true(e.why.of_tasks);
    for (size_t i = 0; i < e.why.count; i++)
        for (size_t k = 0; k < e.why.findings[i].n_evidence; k++)
            evidence_text(&words, &e.why.findings[i].evidence[k]);
    buf_char(&words, '\0');
    assert_non_null(strstr(words.data, "tasks started per second"));
    assert_null(strstr(words.data, "chunk"));
    buf_release(&words);
    release(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_split_by_what_the_engine_says_of_their_kind),
        cmocka_unit_test(what_the_engine_does_around_tasks_is_taken_out_of_the_time_between_them),
        cmocka_unit_test(attempts_that_failed_are_known_by_their_sum),
        cmocka_unit_test(what_is_done_again_after_a_worker_was_lost_is_lost),
        cmocka_unit_test(tasks_of_a_worker_without_a_probe_are_measured_by_the_engine),
        cmocka_unit_test(what_cannot_be_told_of_a_worker_is_absent),
        cmocka_unit_test(chunks_refine_the_tasks_that_ran_them_and_no_others),
        cmocka_unit_test(all_tasks_are_counted_and_timed),
        cmocka_unit_test(a_processor_that_no_task_ran_has_no_time_of_its_own),
        cmocka_unit_test(tasks_of_a_runner_are_not_the_work),
        cmocka_unit_test(small_tasks_are_told_from_a_slow_scheduler),
        cmocka_unit_test(a_worker_that_had_been_given_nothing_waited_for_no_scheduler),
        cmocka_unit_test(a_worker_is_slow_against_others_with_tasks_of_the_same_kind),
        cmocka_unit_test(evidence_on_tasks_does_not_speak_of_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
