/* What of a run was measured: workers without a probe are counted, and the chunks that the engine did on them. */
#include "analysis/coverage.h"

#include "analysis/analysis.h"
#include "analysis/presence.h"
#include "base/buf.h"
#include "base/clock.h"
#include "model/facts.h"

double not_measured_cores(const roast_run *run, const roast_summary *window)
{
    double core_seconds = 0;
    if (window->t_start_ns == ROAST_ABSENT || window->t_end_ns <= window->t_start_ns)
        return 0;
    for (uint32_t w = 0; w < run_workers(run); w++) {
        const roast_worker *worker = run_worker(run, w);
        int64_t from, to;
        if (worker_not_measured(worker) && worker->cores > 0 &&
            worker_presence(worker, window->t_start_ns, window->t_end_ns, &from, &to))
            core_seconds += (double)worker->cores * clock_seconds(to - from);
    }
    return core_seconds / clock_seconds(window->t_end_ns - window->t_start_ns);
}

double measured_cores(const roast_run *run, const roast_summary *summary)
{
    return summary_real(summary, M_run_total_cores) - not_measured_cores(run, summary);
}

bool partly_measured(const roast_summary *summary)
{
    return summary_real(summary, M_run_workers_not_measured) > 0;
}

roast_str say_partly_measured(const roast_summary *summary, arena *memory)
{
    double workers = summary_real(summary, M_run_workers_not_measured);
    buf text = {0};
    size_t all = summary->rows[ROAST_SCOPE_WORKER].count;
    buf_format(&text, "%.0f of %zu %s %s not measured", workers, all, all == 1 ? "worker" : "workers",
               workers == 1 ? "was" : "were");
    roast_str kept = text.code ? (roast_str){NULL, 0} : arena_str(memory, buf_view(&text));
    buf_release(&text);
    return kept;
}

/* Whose chunks are counted. A record may be lost, and a result be made twice: so it is workers without a probe, unless
 * there is no record at all. */
static bool is_asked(const analysis *a, uint32_t w)
{
    const roast_worker *worker = run_worker(a->run, w);
    bool no_records = !a->chunks.records && roast_run_outcome(a->run) != ROAST_RUNNING;
    return worker_not_measured(worker) || (worker->probe != ROAST_ABSENT && no_records);
}

/* Tasks that carry the processor's name are its chunks. Those that do not are told from preprocessing by the time of
 * the first record, so there has to be one. */
static int64_t count_chunks_not_measured(const analysis *a)
{
    const task_sums *tasks = &a->tasks;
    int64_t named = 0, done = 0, done_there = 0, recorded_there = 0;
    for (uint32_t w = 0; w < a->n_workers; w++)
        named += tasks->chunks[w].done;
    if (!tasks_name_workers(tasks, a->n_workers) || (!named && !a->ledger.attempts))
        return ROAST_ABSENT;
    for (uint32_t w = 0; w < a->n_workers; w++) {
        int64_t here = named ? tasks->chunks[w].done : tasks->chunks[w].retries_done;
        done += here;
        done_there += is_asked(a, w) ? here : 0;
        recorded_there += is_asked(a, w) ? a->workers[w].chunks + a->workers[w].failed : 0;
    }
    for (size_t i = 0; !named && i < tasks->count; i++) {
        bool chunk = tasks->kept[i].done && is_chunk_task(&a->ledger, &tasks->kept[i]);
        done += chunk;
        done_there += chunk && is_asked(a, tasks->kept[i].worker);
    }
    int64_t missing = done_there - recorded_there;
    return !done ? ROAST_ABSENT : missing > 0 ? missing : 0;
}

roast_code analyse_coverage(analysis *a, roast_error *err)
{
    (void)err;
    int64_t known = 0, not_measured = 0;
    for (uint32_t w = 0; w < a->n_workers; w++) {
        const roast_worker *worker = run_worker(a->run, w);
        known += worker->probe != ROAST_ABSENT;
        not_measured += worker_not_measured(worker);
    }
    a->chunks_missing = false;
    if (!known)
        return ROAST_OK;
    int64_t chunks = count_chunks_not_measured(a);
    summary_set_int(a->summary, M_run_workers_not_measured, not_measured);
    summary_set_int(a->summary, M_run_chunks_not_measured, chunks);
    a->chunks_missing = not_measured && chunks != 0;
    return ROAST_OK;
}
