/* The simulator that judges explain: sharing against formulas, nothing is lost between the cores and the ledger, the
 * same seed gives the same job. */
#include <math.h>

#include "sim.h"
#include "unit.h"

/* ---- Sharing --------------------------------------------------------------------------------------------------------
 */

static void one_alone_gets_what_one_may_have(void **state)
{
    (void)state;
    sim_share share = {.total = 100, .each = 10};
    sim_share_enter(&share, 5, 1, 20);
    assert_close(sim_share_next(&share), 7, 1e-9);
    sim_heap_release(&share.ours);
}

/* 10 per second for two of 20 and 40: 5 each until 4 s after the second came, then 10 for the one that is left. */
static void two_share_and_the_last_has_it_all(void **state)
{
    (void)state;
    sim_share share = {.total = 10, .each = 10};
    sim_share_enter(&share, 0, 1, 20);
    sim_share_enter(&share, 0, 2, 40);
    assert_close(sim_share_next(&share), 4, 1e-9);
    assert_int_equal(sim_share_finish(&share, 4), 1);
    assert_close(sim_share_next(&share), 6, 1e-9);
    assert_int_equal(sim_share_finish(&share, 6), 2);
    assert_true(isinf(sim_share_next(&share)));
    sim_heap_release(&share.ours);
}

/* One of 30 alone for 1 s at 10; then both at 5 for 2 s; then it is alone again: 30 = 10 + 10 + 10, at 4 s. */
static void who_leaves_early_gives_its_share_back(void **state)
{
    (void)state;
    sim_share share = {.total = 10, .each = 10};
    sim_share_enter(&share, 0, 1, 30);
    sim_share_enter(&share, 1, 2, 100);
    sim_share_leave(&share, 3, 2);
    assert_close(sim_share_next(&share), 4, 1e-9);
    sim_heap_release(&share.ours);
}

static void strangers_take_shares_too(void **state)
{
    (void)state;
    sim_share share = {.total = 4, .each = 1, .strangers = 6}; /* four cores, eight threads: half a core each */
    sim_share_enter(&share, 0, 1, 1);
    sim_share_enter(&share, 0, 2, 1);
    assert_close(sim_share_next(&share), 2, 1e-9);
    sim_heap_release(&share.ours);
}

/* ---- Jobs by hand ---------------------------------------------------------------------------------------------------
 */

enum { MOST_CHUNKS = 64 };

typedef struct small_job {
    sim_plan plan;
    sim_host host;
    sim_worker worker;
    sim_file file;
    sim_chunk chunks[MOST_CHUNKS];
} small_job;

/* One worker, one file on one server, nothing that costs time but what a test asks for. */
static void set_up(small_job *job, uint32_t threads, uint32_t chunks, sim_chunk each)
{
    *job = (small_job){0};
    job->host = (sim_host){.cores = threads, .speed = 1, .gone = (double)INFINITY, .back = (double)INFINITY};
    job->worker = (sim_worker){.threads = threads, .drag = 1, .memory_limit = 1e12};
    job->file = (sim_file){.entries = 1000, .cluster = 1000, .drag = 1};
    for (uint32_t c = 0; c < chunks; c++)
        job->chunks[c] = each;
    job->plan = (sim_plan){.chunk_seconds = 1,
                           .job_seconds = 100,
                           .n_servers = 1,
                           .n_hosts = 1,
                           .n_workers = 1,
                           .n_files = 1,
                           .n_chunks = chunks,
                           .n_datasets = 1,
                           .servers = {{.bandwidth = 100, .stream = 100}},
                           .hosts = &job->host,
                           .workers = &job->worker,
                           .files = &job->file,
                           .chunks = job->chunks,
                           .fan_in = 100,
                           .result = 1e-3,
                           .merge_rate = 1};
}

static double wall_of(const small_job *job)
{
    sim_log log;
    sim_play(&job->plan, &log);
    double wall = log.wall;
    sim_log_release(&log);
    return wall;
}

/* Eight readers of 100 bytes each from a server of 100 bytes per second: 8 s, however many read at a time. */
static void a_saturated_server_decides_how_long_it_takes(void **state)
{
    (void)state;
    small_job job;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        set_up(&job, threads, 8, (sim_chunk){.events = 10, .bytes = 100});
        assert_close(wall_of(&job), 8, 0.1);
    }
}

/* Four chunks of 1 s of CPU on four threads: 1 s without the lock, 4 s with it, 2 s on two cores. */
static void the_lock_and_the_cores_limit_threads(void **state)
{
    (void)state;
    small_job job;
    set_up(&job, 4, 4, (sim_chunk){.events = 10, .cpu = 1});
    assert_close(wall_of(&job), 1, 0.1);
    job.plan.locked = 1;
    assert_close(wall_of(&job), 4, 0.1);
    job.plan.locked = 0;
    job.host.cores = 2;
    assert_close(wall_of(&job), 2, 0.1);
}

static const sim_attempt *first_chunk(const sim_log *log)
{
    for (size_t i = 0; i < log->n_attempts; i++)
        if (log->attempts[i].kind == SIM_CHUNK)
            return &log->attempts[i];
    return NULL;
}

static void waiting_for_a_core_is_told_from_waiting_for_the_lock(void **state)
{
    (void)state;
    small_job job;
    sim_log log;
    set_up(&job, 4, 4, (sim_chunk){.events = 10, .cpu = 1});
    job.host.cores = 2;
    sim_play(&job.plan, &log);
    assert_close(first_chunk(&log)->process_cpu, 1, 1e-9);
    assert_close(first_chunk(&log)->process_delay, 1, 0.05);
    sim_log_release(&log);
    job.host.cores = 4;
    job.plan.locked = 1;
    sim_play(&job.plan, &log);
    assert_close(first_chunk(&log)->process_cpu, 1, 1e-9);
    assert_close(first_chunk(&log)->process_delay, 0, 1e-6);
    assert_true(first_chunk(&log)->wall[ROAST_PHASE_PROCESS] > 2.5);
    sim_log_release(&log);
}

/* A scheduler that needs 0.5 s per message, two messages per chunk: 10 chunks of 0.1 s take 10 s on as many threads. */
static void a_slow_scheduler_starts_chunks_one_by_one(void **state)
{
    (void)state;
    small_job job;
    set_up(&job, 16, 10, (sim_chunk){.events = 10, .cpu = 0.1});
    job.plan.dispatch = 0.5;
    double wall = wall_of(&job);
    assert_true(wall > 10 && wall < 13);
}

static void a_worker_that_grows_too_large_is_killed_and_its_chunk_done_again(void **state)
{
    (void)state;
    small_job job;
    sim_log log;
    set_up(&job, 1, 20, (sim_chunk){.events = 10, .cpu = 1, .working_set = 10});
    job.plan.base_memory = 10;
    job.plan.leak = 10;
    job.worker.memory_limit = 100;
    job.plan.restart = 1;
    job.plan.fan_in = 2; /* what is merged survives */
    sim_play(&job.plan, &log);
    uint32_t killed = 0, done = 0;
    for (size_t i = 0; i < log.n_attempts; i++) {
        killed += log.attempts[i].kind == SIM_CHUNK && log.attempts[i].fate == SIM_KILLED;
        done += log.attempts[i].kind == SIM_CHUNK && log.attempts[i].fate == SIM_DONE && !log.attempts[i].recomputed;
    }
    assert_true(log.n_lives > 1);
    assert_int_equal(killed, log.n_lives - 1);
    assert_int_equal(done, 20);
    sim_log_release(&log);
}

/* Results of 100 bytes, a disk of 100 bytes per second, and memory for none of them: a second each, in which nothing
 * runs. */
static void results_that_do_not_fit_into_memory_cost_the_time_of_the_disk(void **state)
{
    (void)state;
    small_job job;
    set_up(&job, 1, 10, (sim_chunk){.events = 10, .cpu = 1});
    job.plan.kept = 100;
    job.plan.disk = 100;
    assert_close(wall_of(&job), 10, 0.1);
    job.worker.memory_limit = 100;
    assert_close(wall_of(&job), 20, 0.1);
}

/* Eight reads of a second each: four, then two in the four seconds at half the pace, then two. */
static void a_slow_period_slows_what_runs_in_it(void **state)
{
    (void)state;
    small_job job;
    set_up(&job, 1, 8, (sim_chunk){.events = 10, .bytes = 100});
    job.plan.slow_period.from = 4;
    job.plan.slow_period.until = 8;
    job.plan.slow_period.storage = 2;
    assert_close(wall_of(&job), 10, 0.1);
}

/* Gone after 2.5 s and back at 4 s: the two results that it held, and the half chunk, are made again. */
static void what_a_lost_host_held_is_computed_again(void **state)
{
    (void)state;
    small_job job;
    sim_log log;
    sim_ledger ledger;
    set_up(&job, 1, 4, (sim_chunk){.events = 10, .cpu = 1});
    job.host.gone = 2.5;
    job.host.back = 4;
    sim_play(&job.plan, &log);
    sim_ledger_compute(&job.plan, &log, &ledger);
    assert_close(log.wall, 8, 0.1);
    assert_close(ledger.core_seconds[SIM_lost], 2.5, 0.01); /* half a chunk, and two that had succeeded before */
    assert_close(ledger.whole, 6.5, 0.1);
    sim_log_release(&log);
}

/* ---- All kinds ------------------------------------------------------------------------------------------------------
 */

static void the_ledger_sums_to_the_core_time_in_every_kind(void **state)
{
    (void)state;
    for (size_t k = 0; sim_kind_at(k); k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            sim_plan plan;
            sim_log log;
            sim_ledger ledger;
            assert_true(sim_plan_draw(&plan, sim_kind_at(k), seed, true));
            sim_play(&plan, &log);
            sim_ledger_compute(&plan, &log, &ledger);
            double sum = 0;
            for (sim_category c = 0; c < SIM_CATEGORIES; c++) {
                assert_true(ledger.core_seconds[c] >= -1e-6 * ledger.whole);
                sum += ledger.core_seconds[c];
            }
            if (!(fabs(sum / ledger.whole - 1) < 1e-9))
                fail_msg("%s %d: %g core seconds of %g", sim_kind_at(k), (int)seed, sum, ledger.whole);
            sim_log_release(&log);
            sim_plan_release(&plan);
        }
}

/* Whatever was killed, lost or retried: in the end each chunk that can succeed has, and attempts of a thread never
 * overlap. */
static void every_chunk_succeeds_in_every_kind(void **state)
{
    (void)state;
    for (size_t k = 0; sim_kind_at(k); k++) {
        sim_plan plan;
        sim_log log;
        assert_true(sim_plan_draw(&plan, sim_kind_at(k), 4, true));
        sim_play(&plan, &log);
        uint32_t done = 0, doomed = 0;
        for (size_t i = 0; i < log.n_attempts; i++)
            done +=
                log.attempts[i].kind == SIM_CHUNK && log.attempts[i].fate == SIM_DONE && !log.attempts[i].recomputed;
        for (uint32_t c = 0; c < plan.n_chunks; c++)
            doomed += plan.chunks[c].doomed;
        if (done + doomed != plan.n_chunks)
            fail_msg("%s: %u and %u of %u", sim_kind_at(k), done, doomed, plan.n_chunks);
        sim_log_release(&log);
        sim_plan_release(&plan);
    }
}

static void the_same_seed_gives_the_same_job(void **state)
{
    (void)state;
    sim_plan plan[2];
    sim_log log[2];
    for (int i = 0; i < 2; i++) {
        assert_true(sim_plan_draw(&plan[i], "preemption", 11, true));
        sim_play(&plan[i], &log[i]);
    }
    assert_int_equal(log[0].n_attempts, log[1].n_attempts);
    for (size_t i = 0; i < log[0].n_attempts; i++) {
        assert_true(log[0].attempts[i].stop == log[1].attempts[i].stop);
        assert_int_equal(log[0].attempts[i].index, log[1].attempts[i].index);
    }
    assert_true(log[0].wall == log[1].wall);
    for (int i = 0; i < 2; i++) {
        sim_log_release(&log[i]);
        sim_plan_release(&plan[i]);
    }
}

/* What is joined or cut is the same work. */
static void chunks_of_another_size_are_the_same_work(void **state)
{
    (void)state;
    sim_plan plan;
    assert_true(sim_plan_draw(&plan, "healthy", 5, true));
    double cpu = 0, after = 0;
    int64_t events = 0, events_after = 0;
    for (uint32_t c = 0; c < plan.n_chunks; c++) {
        cpu += plan.chunks[c].cpu;
        events += plan.chunks[c].events;
    }
    sim_join_chunks(&plan, 0, 3);
    sim_cut_chunks(&plan, 7);
    for (uint32_t c = 0; c < plan.n_chunks; c++) {
        after += plan.chunks[c].cpu;
        events_after += plan.chunks[c].events;
    }
    assert_close(after / cpu, 1, 1e-9);
    assert_int_equal(events_after, events);
    sim_plan_release(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_alone_gets_what_one_may_have),
        cmocka_unit_test(two_share_and_the_last_has_it_all),
        cmocka_unit_test(who_leaves_early_gives_its_share_back),
        cmocka_unit_test(strangers_take_shares_too),
        cmocka_unit_test(a_saturated_server_decides_how_long_it_takes),
        cmocka_unit_test(the_lock_and_the_cores_limit_threads),
        cmocka_unit_test(waiting_for_a_core_is_told_from_waiting_for_the_lock),
        cmocka_unit_test(a_slow_scheduler_starts_chunks_one_by_one),
        cmocka_unit_test(a_worker_that_grows_too_large_is_killed_and_its_chunk_done_again),
        cmocka_unit_test(results_that_do_not_fit_into_memory_cost_the_time_of_the_disk),
        cmocka_unit_test(a_slow_period_slows_what_runs_in_it),
        cmocka_unit_test(what_a_lost_host_held_is_computed_again),
        cmocka_unit_test(the_ledger_sums_to_the_core_time_in_every_kind),
        cmocka_unit_test(every_chunk_succeeds_in_every_kind),
        cmocka_unit_test(the_same_seed_gives_the_same_job),
        cmocka_unit_test(chunks_of_another_size_are_the_same_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
