/* The engine's tasks as they come, and what they mean. */
#include "analysis/tasks.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "base/u64map.h"
#include "model/facts.h"

static const int64_t LONGEST_NS = INT64_C(1) << 56;  /* two years: anything longer is damage */
static const int64_t CHUNK_TASK_EARLY_NS = NS_PER_S; /* before the first chunk of all, at most */

/* coffea runs chunks under the processor's name, or as "automatic_retries", as which it also preprocesses: that has
 * ended when the first chunk begins. */
bool is_chunk_task(const ledger *l, const kept_task *task)
{
    bool late = task->start_ns >= l->first_start_ns - CHUNK_TASK_EARLY_NS && task->stop_ns > l->first_start_ns;
    return task->of_processor || (task->of_retries && late);
}

bool tasks_name_workers(const task_sums *tasks, size_t n_workers)
{
    return tasks->addresses.count == n_workers;
}

static void see_chunk_task(chunk_tasks *chunks, const kept_task *task)
{
    chunks->done += task->done;
    if (chunks->first_start_ns == ROAST_ABSENT || task->start_ns < chunks->first_start_ns)
        chunks->first_start_ns = task->start_ns;
    if (!task->retry && task->start_ns > chunks->last_start_ns) /* absent is smaller than any */
        chunks->last_start_ns = task->start_ns;
}

static bool has_times(const roast_task *task)
{
    return task->start_ns > LONGEST_NS / 2 && task->stop_ns >= task->start_ns &&
           task->stop_ns - task->start_ns < LONGEST_NS;
}

/* Counts a task with its kind, whose number it gives; INTERN_NONE if memory is out. */
static uint32_t tally_task(task_sums *tasks, const roast_task *task, bool done, bool killed)
{
    bool added;
    uint32_t kind = intern_add(&tasks->kinds, str_absent(task->prefix) ? STR("") : task->prefix, &added);
    if (kind == INTERN_NONE)
        return INTERN_NONE;
    if (added) {
        task_tally *tallies = with_room(tasks->tallies, kind, &tasks->tallies_capacity, sizeof *tallies);
        if (!tallies)
            return INTERN_NONE;
        tasks->tallies = tallies;
        tallies[kind] = (task_tally){.nbytes = ROAST_ABSENT};
    }
    task_tally *tally = &tasks->tallies[kind];
    tally->done += done;
    tally->killed += killed;
    tally->failed += !done && !killed;
    if (done)
        add_measured(&tally->nbytes, task->nbytes);
    if (!done || !has_times(task))
        return kind;
    int64_t length = task->stop_ns - task->start_ns;
    tally->timed++;
    saturated_add(&tally->ns, length);
    tally->longest_ns = length > tally->longest_ns ? length : tally->longest_ns;
    return kind;
}

roast_code feed_task(void *context, const roast_task *task)
{
    analysis *a = context;
    task_sums *tasks = &a->tasks;
    kept_task kept = {
        .start_ns = task->start_ns,
        .stop_ns = task->stop_ns,
        .key = str_absent(task->key) ? 0 : XXH3_64bits(task->key.ptr, task->key.len),
        .worker = intern_find(&tasks->addresses, task->worker),
        .of_processor = !str_absent(tasks->processor) && str_equal(task->prefix, tasks->processor),
        .of_retries = str_equal(task->prefix, STR("automatic_retries")),
        .done = str_equal(task->state, STR("memory")),
        .killed = str_equal(task->state, STR("killed")),
        .retry = is_retry(task->attempt),
    };
    kept.kind = tally_task(tasks, task, kept.done, kept.killed);
    if (kept.kind == INTERN_NONE)
        return ROAST_MEMORY;
    tasks->of_runner |= kept.of_processor || kept.of_retries;
    if (kept.worker == INTERN_NONE)
        return ROAST_OK;
    a->worker.workers[kept.worker].fed = true;
    if (!has_times(task))
        return ROAST_OK;
    chunk_tasks *of_worker = &tasks->chunks[kept.worker];
    if (kept.of_processor)
        see_chunk_task(of_worker, &kept);
    /* The first start can only become earlier, so what is a chunk now stays one. */
    if (a->ledger.attempts && is_chunk_task(&a->ledger, &kept)) {
        tasks->chunk_tasks++;
        of_worker->retries_done += kept.done && !kept.of_processor;
        saturated_add(&of_worker->ns, task->stop_ns - task->start_ns);
        return ROAST_OK;
    }
    kept_task *list = with_room(tasks->kept, tasks->count, &tasks->capacity, sizeof *list);
    if (!list)
        return ROAST_MEMORY;
    tasks->kept = list;
    list[tasks->count++] = kept;
    return ROAST_OK;
}

bool fit_tasks(analysis *a)
{
    task_sums *tasks = &a->tasks;
    const chunk_tasks none = {.first_start_ns = ROAST_ABSENT, .last_start_ns = ROAST_ABSENT};
    chunk_tasks *chunks = grow_before_last(tasks->chunks, a->n_workers, run_workers(a->run), sizeof *chunks, &none);
    if (!chunks)
        return false;
    tasks->chunks = chunks;
    roast_str processor = roast_run_fact(a->run, "processor");
    if (!str_equal(tasks->processor, processor))
        tasks->processor = arena_str(&a->memory, processor);
    for (uint32_t i = (uint32_t)a->n_workers; i < run_workers(a->run); i++)
        if (intern_add(&tasks->addresses, run_worker(a->run, i)->address, NULL) == INTERN_NONE)
            return false;
    return !arena_str_failed(tasks->processor, processor);
}

void task_sums_release(task_sums *tasks)
{
    intern_release(&tasks->addresses);
    intern_release(&tasks->kinds);
    free(tasks->chunks);
    free(tasks->kept);
    free(tasks->tallies);
}

/* ---- What the engine did, by kind -------------------------------------------------------------------------------- */

activity_kind activity_kind_of(const roast_activity *activity)
{
    static const struct {
        const char *name;
        activity_kind kind;
    } kinds[] = {
        {"thread-cpu", ACTIVITY_CPU},      {"thread-noncpu", ACTIVITY_WAITING}, {"executor", ACTIVITY_OVERHEAD},
        {"other", ACTIVITY_OVERHEAD},      {"disk-read", ACTIVITY_SPILLING},    {"disk-write", ACTIVITY_SPILLING},
        {"compress", ACTIVITY_SPILLING},   {"decompress", ACTIVITY_SPILLING},   {"serialize", ACTIVITY_PACKING},
        {"deserialize", ACTIVITY_PACKING}, {"failed", ACTIVITY_FAILED},         {"idle or other spans", ACTIVITY_IDLE},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && str_equal(activity->unit, STR("seconds")); i++)
        if (str_equal(activity->activity, str_from(kinds[i].name)))
            return kinds[i].kind;
    return ACTIVITY_UNKNOWN;
}

/* ---- Tasks that are the work ------------------------------------------------------------------------------------- */

/* A Runner says how large its chunks are before its first task comes, or that it preprocessed. Who names a processor
 * and has chunks may have recorded a Runner that said neither. */
static bool may_have_runner(const ledger *l, const roast_run *run)
{
    bool told = !str_absent(roast_run_fact(run, "chunksize")) || !str_absent(roast_run_fact(run, "preprocess_ns"));
    return told || (l->attempts && !str_absent(roast_run_fact(run, "processor")));
}

bool tasks_without_runner(const task_sums *tasks, const ledger *l, const roast_run *run)
{
    return tasks->count && !tasks->of_runner && !may_have_runner(l, run) && tasks_name_workers(tasks, run_workers(run));
}

bool tasks_are_work(const task_sums *tasks, const ledger *l, const roast_run *run)
{
    return !l->attempts && tasks_without_runner(tasks, l, run);
}

static int compare_stops(const void *left, const void *right)
{
    const kept_task *a = *(kept_task *const *)left, *b = *(kept_task *const *)right;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->stop_ns > b->stop_ns) - (a->stop_ns < b->stop_ns);
}

/* The tasks by worker and by when they ended; NULL if memory is out. */
static kept_task **sort_by_stops(task_sums *tasks)
{
    kept_task **sorted = malloc((tasks->count + 1) * sizeof(kept_task *));
    for (size_t i = 0; sorted && i < tasks->count; i++)
        sorted[i] = &tasks->kept[i];
    if (sorted)
        qsort(sorted, tasks->count, sizeof(kept_task *), compare_stops);
    return sorted;
}

static int64_t time_in_common(const kept_task *task, const chunk_span *chunk)
{
    int64_t from = task->start_ns > chunk->start_ns ? task->start_ns : chunk->start_ns;
    int64_t to = task->stop_ns < chunk->end_ns ? task->stop_ns : chunk->end_ns;
    return to - from;
}

/* The task on its worker that has most in common with a chunk: the engine's clock and the worker's differ by a little.
 * NULL if none has anything. */
static const kept_task *task_of_chunk(kept_task *const *sorted, size_t count, const chunk_span *chunk)
{
    enum { MOST_AT_ONCE = 256 }; /* tasks of a worker that end in the time of a chunk */
    size_t low = 0;
    for (size_t end = count; low < end;) {
        size_t middle = low + (end - low) / 2;
        const kept_task *task = sorted[middle];
        if (task->worker < chunk->worker || (task->worker == chunk->worker && task->stop_ns <= chunk->start_ns))
            low = middle + 1;
        else
            end = middle;
    }
    const kept_task *best = NULL;
    for (size_t i = low; i < count && i < low + MOST_AT_ONCE && sorted[i]->worker == chunk->worker; i++) {
        int64_t common = time_in_common(sorted[i], chunk), most = best ? time_in_common(best, chunk) : 0;
        best = common > most ? sorted[i] : best;
    }
    return best;
}

/* On a worker with several threads a task may run beside chunks of others by chance: so it goes by most of its kind. */
bool tasks_find_chunks(task_sums *tasks, const chunk_span *spans, size_t count)
{
    for (size_t i = 0; i < tasks->count; i++)
        tasks->kept[i].holds_chunk = false;
    if (!count)
        return true;
    size_t *chunks = calloc(tasks->kinds.count + 1, sizeof *chunks);
    size_t *all = calloc(tasks->kinds.count + 1, sizeof *all);
    kept_task **sorted = sort_by_stops(tasks);
    bool done = chunks && all && sorted;
    for (size_t i = 0; done && i < count; i++) {
        const kept_task *task = task_of_chunk(sorted, tasks->count, &spans[i]);
        if (task)
            chunks[task->kind]++;
    }
    for (size_t i = 0; done && i < tasks->count; i++)
        all[tasks->kept[i].kind]++;
    for (size_t i = 0; done && i < tasks->count; i++)
        tasks->kept[i].holds_chunk = 2 * chunks[tasks->kept[i].kind] > all[tasks->kept[i].kind];
    free(chunks);
    free(all);
    free(sorted);
    return done;
}

int64_t tasks_last_start(const task_sums *tasks, int64_t cores)
{
    int64_t last = ROAST_ABSENT, last_of_all = ROAST_ABSENT; /* absent is smaller than any */
    for (size_t i = 0; i < tasks->count; i++) {
        const kept_task *task = &tasks->kept[i];
        if (task->retry)
            continue;
        last_of_all = task->start_ns > last_of_all ? task->start_ns : last_of_all;
        if (tasks->tallies[task->kind].timed >= cores && task->start_ns > last)
            last = task->start_ns;
    }
    return last == ROAST_ABSENT ? last_of_all : last;
}

/* A key that is computed again is a new wish of the user, unless the worker that held its result was lost. */
bool tasks_find_recomputed(task_sums *tasks, const roast_run *run)
{
    u64map held = {0}; /* key → the worker that held its last result, from 1 */
    bool done = true;
    for (size_t i = 0; i < tasks->count && done; i++) {
        kept_task *task = &tasks->kept[i];
        task->recomputed = false;
        if (!task->done || !task->key)
            continue;
        uint32_t *holder = u64map_at(&held, task->key);
        done = holder != NULL;
        if (!done)
            break;
        const roast_worker *before = *holder ? run_worker(run, *holder - 1) : NULL;
        task->recomputed =
            before && before->lost && before->left_ns != ROAST_ABSENT && before->left_ns <= task->start_ns;
        *holder = task->worker + 1;
    }
    u64map_release(&held);
    return done;
}

double *task_cpu_shares(const task_sums *tasks, const roast_run *run, arena *memory)
{
    double *cpu = arena_alloc(memory, tasks->kinds.count + 1, sizeof *cpu);
    double *rest = arena_alloc(memory, tasks->kinds.count + 1, sizeof *rest);
    if (!cpu || !rest)
        return NULL;
    for (size_t i = 0; i < run_activities(run); i++) {
        const roast_activity *activity = roast_run_activity(run, i);
        activity_kind of = activity_kind_of(activity);
        uint32_t kind = intern_find(&tasks->kinds, activity->prefix);
        if (kind == INTERN_NONE || !(activity->value > 0))
            continue;
        cpu[kind] += of == ACTIVITY_CPU ? activity->value : 0;
        rest[kind] += of == ACTIVITY_WAITING ? activity->value : 0;
    }
    for (uint32_t kind = 0; kind < tasks->kinds.count; kind++)
        cpu[kind] = ratio(cpu[kind], cpu[kind] + rest[kind]);
    return cpu;
}
