/* How much of preprocessing was fresh workers importing what they need: they do so when they unpack their first task,
 * or in it; later ones do not wait for that. Without preprocessing the first chunks would wait instead. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"

/* Of a worker's tasks before the first chunk: when the first began, and when the first was done, whichever that is. */
typedef struct first_task {
    int64_t start_ns, stop_ns;
    bool seen;
} first_task;

static bool is_preprocessing(const analysis *a, const kept_task *task)
{
    bool seen = run_fact_int(a->run, "preprocess_ns") != ROAST_ABSENT;
    return seen && tasks_name_workers(&a->tasks, a->n_workers) && !task->of_processor &&
           a->ledger.first_start_ns != ROAST_ABSENT && task->stop_ns <= a->ledger.first_start_ns;
}

static void find_first_tasks(const analysis *a, first_task *firsts)
{
    for (size_t i = 0; i < a->tasks.count; i++) {
        const kept_task *task = &a->tasks.kept[i];
        if (!is_preprocessing(a, task))
            continue;
        first_task *first = &firsts[task->worker];
        if (!first->seen || task->start_ns < first->start_ns)
            first->start_ns = task->start_ns;
        if (!first->seen || task->stop_ns < first->stop_ns)
            first->stop_ns = task->stop_ns;
        first->seen = true;
    }
}

/* The median of tasks that began when their worker had done one; 0 if there are none, for then a first task may have
 * been all import. */
static double median_of_later(const analysis *a, const first_task *firsts, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < a->tasks.count; i++) {
        const kept_task *task = &a->tasks.kept[i];
        if (is_preprocessing(a, task) && task->start_ns >= firsts[task->worker].stop_ns)
            values[count++] = clock_seconds(task->stop_ns - task->start_ns);
    }
    return count ? percentile(values, count, 50) : 0;
}

/* From when a worker could have begun until it had done its first task, without what a task takes. */
static double import_seconds(const analysis *a, uint32_t w, const first_task *first, double later)
{
    int64_t begun = run_fact_int(a->run, "preprocess_start_ns"), joined = run_worker(a->run, w)->joined_ns;
    begun = begun == ROAST_ABSENT ? a->summary->t_start_ns : begun;
    begun = joined != ROAST_ABSENT && joined > begun ? joined : begun;
    begun = begun == ROAST_ABSENT || begun > first->start_ns ? first->start_ns : begun;
    return fmax(clock_seconds(first->stop_ns - begun) - later, 0);
}

roast_code analyse_imports(analysis *a, roast_error *err)
{
    size_t workers = run_workers(a->run), most = workers > a->tasks.count ? workers : a->tasks.count, count = 0;
    first_task *firsts = calloc(workers + 1, sizeof *firsts);
    double *values = calloc(most + 1, sizeof *values);
    if (firsts && values) {
        find_first_tasks(a, firsts);
        double later = median_of_later(a, firsts, values);
        for (uint32_t w = 0; w < workers; w++)
            if (firsts[w].seen)
                values[count++] = import_seconds(a, w, &firsts[w], later);
        summary_set_real(a->summary, M_run_preprocess_import_seconds, percentile(values, count, 50));
    }
    roast_code code = firsts && values ? ROAST_OK : fail_memory(err);
    free(firsts);
    free(values);
    return code;
}
