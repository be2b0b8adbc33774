/* How many workers and cores there were over time. Arrivals and departures are steps; an engine that tells only counts
 * gives points of a line. Both come out as points, so that one integral and one chart serve both. */
#include "analysis/presence.h"

#include <stdlib.h>

#include "base/error.h"

typedef struct step {
    int64_t t_ns;
    int workers;
    int64_t cores;
} step;

static int compare_steps(const void *left, const void *right)
{
    const step *a = left, *b = right;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

bool worker_presence(const roast_worker *worker, int64_t t_start_ns, int64_t t_end_ns, int64_t *from, int64_t *to)
{
    *from = worker->joined_ns == ROAST_ABSENT || worker->joined_ns < t_start_ns ? t_start_ns : worker->joined_ns;
    *to = worker->left_ns == ROAST_ABSENT || worker->left_ns > t_end_ns ? t_end_ns : worker->left_ns;
    return *from <= *to && (worker->left_ns == ROAST_ABSENT || worker->left_ns > t_start_ns);
}

typedef struct worker_event {
    int64_t t_ns;
    uint32_t worker;
    bool leaves;
} worker_event;

static int compare_changes(const void *left, const void *right)
{
    const worker_event *a = left, *b = right;
    if (a->t_ns != b->t_ns)
        return a->t_ns < b->t_ns ? -1 : 1;
    if (a->leaves != b->leaves)
        return a->leaves ? -1 : 1;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

static size_t list_changes(worker_event *changes, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns)
{
    size_t count = 0;
    for (uint32_t w = 0; w < run_workers(run); w++) {
        int64_t from, to;
        if (!worker_presence(run_worker(run, w), t_start_ns, t_end_ns, &from, &to))
            continue;
        changes[count++] = (worker_event){from, w, false};
        if (to < t_end_ns)
            changes[count++] = (worker_event){to, w, true};
    }
    qsort(changes, count, sizeof *changes, compare_changes);
    return count;
}

roast_code presence_stand_ins(uint32_t *stands_for, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                              arena *memory, roast_error *err)
{
    size_t workers = run_workers(run), departed_first = 0, departed_end = 0;
    worker_event *changes = arena_alloc(memory, workers * 2 + 1, sizeof *changes);
    uint32_t *departed = arena_alloc(memory, workers + 1, sizeof *departed); /* and nobody came instead yet */
    if (!changes || !departed)
        return fail_memory(err);
    for (size_t w = 0; w < workers; w++)
        stands_for[w] = PRESENCE_NEW;
    int64_t cores = 0, most = 0;
    size_t count = list_changes(changes, run, t_start_ns, t_end_ns);
    for (size_t i = 0; i < count; i++) {
        uint32_t w = changes[i].worker;
        int64_t of_worker = run_worker(run, w)->cores > 0 ? run_worker(run, w)->cores : 0;
        if (changes[i].leaves) {
            cores -= of_worker;
            departed[departed_end++] = w;
            continue;
        }
        cores += of_worker;
        if (cores <= most && departed_first < departed_end)
            stands_for[w] = departed[departed_first++];
        most = cores > most ? cores : most;
    }
    return ROAST_OK;
}

static void walk_steps(presence_points *out, const step *steps, size_t count, int64_t t_start_ns, int64_t t_end_ns)
{
    roast_worker_count now = {.t_ns = t_start_ns};
    size_t i = 0;
    for (; i < count && steps[i].t_ns <= t_start_ns; i++) {
        now.workers += steps[i].workers;
        now.cores += steps[i].cores;
    }
    out->points[out->count++] = now;
    while (i < count) {
        now.t_ns = steps[i].t_ns;
        out->points[out->count++] = now;
        for (; i < count && steps[i].t_ns == now.t_ns; i++) { /* together: a replacement is not a peak */
            now.workers += steps[i].workers;
            now.cores += steps[i].cores;
        }
        out->points[out->count++] = now;
    }
    now.t_ns = t_end_ns;
    out->points[out->count++] = now;
}

static roast_code read_exact(presence_points *out, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                             arena *memory, roast_error *err)
{
    size_t workers = run_workers(run), count = 0;
    step *steps = arena_alloc(memory, workers * 2, sizeof *steps);
    out->points = arena_alloc(memory, workers * 4 + 2, sizeof *out->points);
    if (!steps || !out->points)
        return fail_memory(err);
    out->cores_known = out->exact = true;
    for (uint32_t i = 0; i < workers; i++) {
        const roast_worker *worker = run_worker(run, i);
        int64_t from, to;
        if (!worker_presence(worker, t_start_ns, t_end_ns, &from, &to))
            continue;
        out->cores_known = out->cores_known && worker->cores != ROAST_ABSENT;
        int64_t cores = worker->cores == ROAST_ABSENT ? 0 : worker->cores;
        steps[count++] = (step){from, 1, cores};
        if (to < t_end_ns)
            steps[count++] = (step){to, -1, -cores};
    }
    qsort(steps, count, sizeof *steps, compare_steps);
    walk_steps(out, steps, count, t_start_ns, t_end_ns);
    return ROAST_OK;
}

static int compare_counts(const void *left, const void *right)
{
    const roast_worker_count *a = left, *b = right;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

static roast_code read_sampled(presence_points *out, const roast_run *run, arena *memory, roast_error *err)
{
    out->points = arena_alloc(memory, run_counts(run), sizeof *out->points);
    if (!out->points)
        return fail_memory(err);
    out->cores_known = true;
    for (out->count = 0; out->count < run_counts(run); out->count++) {
        roast_worker_count *point = &out->points[out->count];
        *point = *roast_run_worker_count(run, out->count);
        out->cores_known = out->cores_known && point->cores != ROAST_ABSENT;
        if (point->cores == ROAST_ABSENT)
            point->cores = 0;
    }
    qsort(out->points, out->count, sizeof *out->points, compare_counts);
    return ROAST_OK;
}

roast_code presence_read(presence_points *out, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                         arena *memory, roast_error *err)
{
    *out = (presence_points){0};
    if (run_counts(run))
        return read_sampled(out, run, memory, err);
    if (run_workers(run) && t_start_ns != ROAST_ABSENT)
        return read_exact(out, run, t_start_ns, t_end_ns, memory, err);
    return ROAST_OK;
}
