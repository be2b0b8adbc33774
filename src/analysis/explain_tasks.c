/* Rules about tasks that are the work of a run: what can be told of them, and not of chunks. */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain_parts.h"
#include "base/error.h"

/* What Dask takes for a task is to be no more than this of what the task takes, which should be a tenth of a second. */
static const double TOLERABLE_OVERHEAD = 0.05, TOO_MUCH_OVERHEAD = 0.2, SMALL_TASK_SECONDS = 0.1;

typedef struct task_gaps {
    double done, seconds; /* tasks that succeeded, and their core-seconds */
    double gaps, empty;   /* core-seconds before tasks that nothing explains; in which there was nothing to do */
} task_gaps;

static task_gaps sum_gaps(const explaining *e)
{
    task_gaps sums = {0};
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        sums.done += !a->failed;
        sums.seconds += a->failed ? 0 : trace_seconds(a);
        sums.gaps += (double)a->gap;
        sums.empty += (double)a->gap_empty;
    }
    return sums;
}

/* Each task costs Dask about a millisecond, on the worker and on the scheduler, whatever it does: where tasks are of
 * that size, cores wait between them. */
static void explain_small_tasks(explaining *e, const task_gaps *sums)
{
    double overhead = fmin(sums->gaps, e->ledger[LEDGER_IDLE_QUEUE] + e->ledger[LEDGER_OVERHEAD]);
    double each = overhead / sums->done, takes = sums->seconds / sums->done;
    if (!worth_a_look(e, overhead) || each < TOO_MUCH_OVERHEAD * takes || takes > SMALL_TASK_SECONDS)
        return;
    saving saves = saving_of(e, &(replay_change){.no_gaps = true}, overhead);
    if (!worth_telling(e, saves.about))
        return;
    finding *f = add_finding(e, FINDING_SMALL_TASKS, FINDING_LIKELY, overhead, saves);
    if (f)
        f->factor = ceil(each / (TOLERABLE_OVERHEAD * takes));
    add_evidence(f, "tasks", NOBODY, sums->done, "count");
    add_evidence(f, "a task takes, on average", NOBODY, takes, "s");
    add_evidence(f, "its core waited before it", NOBODY, each, "s");
    add_evidence(f, "of that, Dask on the worker", NOBODY, e->ledger[LEDGER_OVERHEAD] / sums->done, "s");
    add_evidence(f, "tasks per second", NOBODY, sums->done / e->wall, "");
}

/* Heartbeats say what a worker has been given. If that is nothing while others have tasks, no scheduler could give it
 * any: tasks wait for the results of others, or have not been submitted. */
static void explain_no_tasks(explaining *e, const task_gaps *sums)
{
    double idle = fmin(sums->empty, e->ledger[LEDGER_IDLE_QUEUE]);
    if (!worth_a_look(e, idle))
        return;
    saving saves = saving_of(e, &(replay_change){.no_empty = true}, idle);
    if (!worth_telling(e, saves.about))
        return;
    saves.low = 0; /* what others wait for cannot be done at once */
    finding *f = add_finding(e, FINDING_NO_TASKS, FINDING_LIKELY, idle, saves);
    add_evidence(f, "workers had been given nothing, on average", NOBODY, idle / e->cores, "s");
}

static void tell_kind_that_waits(explaining *e, finding *f, double all)
{
    const trace *t = e->trace;
    double *waited = calloc(t->n_datasets + 1, sizeof *waited);
    uint32_t most = 0;
    if (!waited)
        e->code = fail_memory(e->err);
    for (size_t i = 0; waited && i < t->count; i++) {
        const trace_attempt *a = &t->attempts[i];
        waited[a->dataset] += a->failed || a->recomputed ? 0 : (double)a->wait;
        most = waited[a->dataset] > waited[most] ? a->dataset : most;
    }
    if (waited && t->n_datasets > 1)
        add_evidence(f, "most of it in", t->kinds->strings[most], 100 * waited[most] / all, "%");
    free(waited);
}

/* Dask tells how long the tasks of a kind were on the CPU, not for what they waited when they were not. */
static void explain_waiting_tasks(explaining *e)
{
    static const double WAIT_MOSTLY = 0.5;
    double cost = e->ledger[LEDGER_TASK_WAIT], told = cost + e->ledger[LEDGER_TASK_CPU];
    if (!worth_a_look(e, cost) || cost < WAIT_MOSTLY * told || find_finding(e, FINDING_SMALL_TASKS))
        return;
    saving saves = saving_of(e, &(replay_change){.no_wait = true}, cost);
    saves.low = 0; /* nobody knows how much of it could be done without */
    finding *f = add_finding(e, FINDING_TASKS_WAIT, FINDING_NOTE, cost, saves);
    if (f) { /* tasks that read have to wait: what has a cause of its own comes first */
        f->confidence = FINDING_NOTE;
        f->of_any_run = true;
    }
    add_evidence(f, "of the time of tasks, not on the CPU", NOBODY, 100 * cost / told, "%");
    tell_kind_that_waits(e, f, cost);
}

void explain_tasks(explaining *e)
{
    if (!e->trace->of_tasks)
        return;
    task_gaps sums = sum_gaps(e);
    if (!(sums.done > 0))
        return;
    explain_small_tasks(e, &sums);
    explain_no_tasks(e, &sums);
    explain_waiting_tasks(e);
}
