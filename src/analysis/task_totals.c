/* All tasks together, where they are the work of the run. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/saturate.h"

/* Durations of the tasks that succeeded and say when; how many. */
static size_t list_durations(const task_sums *tasks, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < tasks->count; i++)
        if (tasks->kept[i].done)
            out[count++] = clock_seconds(tasks->kept[i].stop_ns - tasks->kept[i].start_ns);
    return count;
}

static void set_durations(roast_summary *summary, double *durations, size_t count, int64_t longest_ns, double seconds)
{
    summary_set_real(summary, M_run_task_duration_mean, ratio(seconds, (double)count));
    summary_set_real(summary, M_run_task_duration_p50, percentile(durations, count, 50));
    summary_set_real(summary, M_run_task_duration_p95, percentile(durations, count, 95));
    if (count)
        summary_set_real(summary, M_run_task_duration_max, clock_seconds(longest_ns));
}

static task_tally add_kinds(const task_sums *tasks)
{
    task_tally all = {.nbytes = ROAST_ABSENT};
    for (uint32_t kind = 0; kind < tasks->kinds.count; kind++) {
        const task_tally *tally = &tasks->tallies[kind];
        all.done += tally->done;
        all.failed += tally->failed;
        all.killed += tally->killed;
        saturated_add(&all.ns, tally->ns);
        add_measured(&all.nbytes, tally->nbytes);
        all.longest_ns = tally->longest_ns > all.longest_ns ? tally->longest_ns : all.longest_ns;
    }
    return all;
}

static void set_shares(const analysis *a, const task_tally *all)
{
    roast_summary *summary = a->summary;
    double elapsed = summary_real(summary, M_run_elapsed_time_seconds), seconds = clock_seconds(all->ns);
    double offered = elapsed * summary_real(summary, M_run_total_cores), overhead = 0;
    for (size_t i = 0; i < run_activities(a->run); i++) {
        const roast_activity *activity = roast_run_activity(a->run, i);
        overhead += activity_kind_of(activity) == ACTIVITY_OVERHEAD ? activity->value : 0;
    }
    summary_set_real(summary, M_run_task_rate_hz, ratio((double)all->done, elapsed));
    summary_set_real(summary, M_run_concurrent_tasks_mean, ratio(seconds, elapsed));
    summary_set_real(summary, M_run_task_efficiency, ratio(seconds, offered));
    if (run_activities(a->run))
        summary_set_real(summary, M_run_task_overhead_seconds, ratio(overhead, (double)all->done));
}

roast_code analyse_tasks(analysis *a, roast_error *err)
{
    roast_summary *summary = a->summary;
    task_sums *tasks = &a->tasks;
    if (!tasks_are_work(tasks, &a->ledger, a->run))
        return ROAST_OK;
    double *durations = malloc((tasks->count + 1) * sizeof *durations);
    if (!durations || !tasks_find_recomputed(tasks, a->run)) {
        free(durations);
        return fail_memory(err);
    }
    task_tally all = add_kinds(tasks);
    int64_t recomputed = 0, first_ns = INT64_MAX;
    for (size_t i = 0; i < tasks->count; i++) {
        recomputed += tasks->kept[i].recomputed;
        first_ns = tasks->kept[i].start_ns < first_ns ? tasks->kept[i].start_ns : first_ns;
    }
    summary_set_int(summary, M_run_num_tasks, all.done);
    summary_set_int(summary, M_run_num_failed_tasks, all.failed);
    summary_set_int(summary, M_run_num_killed_tasks, all.killed);
    summary_set_int(summary, M_run_num_recomputed_tasks, recomputed);
    summary_set_real(summary, M_run_task_seconds_total, clock_seconds(all.ns));
    summary_set_int(summary, M_run_task_result_bytes, all.nbytes);
    set_durations(summary, durations, list_durations(tasks, durations), all.longest_ns, clock_seconds(all.ns));
    set_shares(a, &all);
    if (summary->t_start_ns != ROAST_ABSENT)
        summary_set_real(summary, M_run_first_task_seconds, fmax(clock_seconds(first_ns - summary->t_start_ns), 0));
    free(durations);
    return ROAST_OK;
}
