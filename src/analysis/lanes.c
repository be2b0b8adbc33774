/* Lanes: chunks are taken by the time they began, and each goes to the first lane of its thread that is free. */
#include "analysis/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"

enum { MOST_LANES_OF_A_THREAD = 1024 };

static const int64_t TOLERANCE_NS = 1000000; /* clocks are read one after the other */

/* A lane while it is being filled. */
typedef struct open_lane {
    uint32_t worker;
    int64_t busy_until_ns;
    uint32_t next; /* of the same thread, + 1 */
    uint32_t number;
} open_lane;

typedef struct lane_pass {
    run_series *series;
    intern threads;        /* worker and thread as bytes */
    uint32_t *first, *all; /* by thread: its first lane + 1, how many it has */
    open_lane *lanes;
    size_t count, capacity, thread_capacity;
} lane_pass;

typedef struct begun {
    int64_t t_ns;
    uint32_t chunk;
} begun;

int64_t mark_begun(const chunk_mark *mark)
{
    return mark->start_ns - mark->events_ns - mark->open_ns;
}

int64_t mark_done(const chunk_mark *mark)
{
    return mark->end_ns + mark->return_ns;
}

static int compare_begun(const void *left, const void *right)
{
    const begun *a = left, *b = right;
    if (a->t_ns != b->t_ns)
        return a->t_ns < b->t_ns ? -1 : 1;
    return (a->chunk > b->chunk) - (a->chunk < b->chunk);
}

static uint32_t thread_of(lane_pass *pass, const chunk_mark *mark)
{
    char key[12];
    memcpy(key, &mark->worker, 4);
    memcpy(key + 4, &mark->thread, 8);
    uint32_t thread = intern_add(&pass->threads, (roast_str){key, sizeof key}, NULL);
    if (thread == INTERN_NONE || thread < pass->thread_capacity)
        return thread;
    size_t capacity = pass->thread_capacity ? pass->thread_capacity * 2 : 64;
    uint32_t *first = realloc(pass->first, capacity * sizeof *first);
    if (first)
        pass->first = first;
    uint32_t *all = realloc(pass->all, capacity * sizeof *all);
    if (all)
        pass->all = all;
    if (!first || !all)
        return INTERN_NONE;
    memset(first + pass->thread_capacity, 0, (capacity - pass->thread_capacity) * sizeof *first);
    memset(all + pass->thread_capacity, 0, (capacity - pass->thread_capacity) * sizeof *all);
    pass->thread_capacity = capacity;
    return thread;
}

static uint32_t new_lane(lane_pass *pass, uint32_t thread, uint32_t worker)
{
    if (pass->count == pass->capacity) {
        size_t capacity = pass->capacity ? pass->capacity * 2 : 64;
        open_lane *lanes = realloc(pass->lanes, capacity * sizeof *lanes);
        if (!lanes)
            return INTERN_NONE;
        pass->lanes = lanes;
        pass->capacity = capacity;
    }
    uint32_t lane = (uint32_t)pass->count++;
    pass->lanes[lane] = (open_lane){.worker = worker, .busy_until_ns = INT64_MIN, .next = pass->first[thread]};
    pass->first[thread] = lane + 1;
    pass->all[thread]++;
    return lane;
}

/* The lane that was used last, of those that are free; a new one if none is. */
static uint32_t lane_for(lane_pass *pass, const chunk_mark *mark)
{
    uint32_t thread = thread_of(pass, mark);
    if (thread == INTERN_NONE)
        return INTERN_NONE;
    uint32_t best = INTERN_NONE, soonest = INTERN_NONE;
    int64_t from = mark_begun(mark);
    for (uint32_t i = pass->first[thread]; i; i = pass->lanes[i - 1].next) {
        const open_lane *lane = &pass->lanes[i - 1];
        bool is_free = lane->busy_until_ns == INT64_MIN || lane->busy_until_ns - TOLERANCE_NS <= from;
        if (is_free && (best == INTERN_NONE || lane->busy_until_ns > pass->lanes[best].busy_until_ns))
            best = i - 1;
        if (soonest == INTERN_NONE || lane->busy_until_ns < pass->lanes[soonest].busy_until_ns)
            soonest = i - 1;
    }
    if (best != INTERN_NONE)
        return best;
    return pass->all[thread] < MOST_LANES_OF_A_THREAD ? new_lane(pass, thread, mark->worker) : soonest;
}

static roast_code fill_lanes(lane_pass *pass, lane_list *out, begun *order)
{
    run_series *series = pass->series;
    for (size_t i = 0; i < series->n_chunks; i++)
        if (series->chunks[i].on_axis)
            order[out->n_chunks++] = (begun){mark_begun(&series->chunks[i]), (uint32_t)i};
    qsort(order, out->n_chunks, sizeof *order, compare_begun);
    for (size_t i = 0; i < out->n_chunks; i++) {
        chunk_mark *mark = &series->chunks[order[i].chunk];
        mark->lane = lane_for(pass, mark);
        if (mark->lane == INTERN_NONE)
            return ROAST_MEMORY;
        open_lane *lane = &pass->lanes[mark->lane];
        int64_t done = mark_done(mark);
        lane->busy_until_ns = done > lane->busy_until_ns ? done : lane->busy_until_ns;
        out->order[i] = order[i].chunk;
    }
    return ROAST_OK;
}

/* Numbers the lanes worker by worker: a counting sort, in which lanes of a worker keep the order of their first chunks.
 */
static roast_code number_lanes(lane_pass *pass, lane_list *out, size_t workers, arena *memory)
{
    uint32_t *start = arena_alloc(memory, workers + 2, sizeof *start);
    out->lanes = arena_alloc(memory, pass->count, sizeof *out->lanes);
    if (!start || !out->lanes)
        return ROAST_MEMORY;
    out->count = pass->count;
    for (size_t i = 0; i < pass->count; i++) {
        uint32_t worker = pass->lanes[i].worker;
        start[(worker < workers ? worker : workers) + 1]++;
    }
    for (size_t i = 0; i < workers; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < pass->count; i++) {
        open_lane *lane = &pass->lanes[i];
        lane->number = start[lane->worker < workers ? lane->worker : workers]++;
        bool same = lane->number > 0 && out->lanes[lane->number - 1].worker == lane->worker;
        out->lanes[lane->number] = (chunk_lane){lane->worker, same ? out->lanes[lane->number - 1].ordinal + 1 : 1};
    }
    for (size_t i = 0; i < out->n_chunks; i++) {
        chunk_mark *mark = &pass->series->chunks[out->order[i]];
        mark->lane = pass->lanes[mark->lane].number;
    }
    return ROAST_OK;
}

roast_code lanes_assign(lane_list *out, run_series *series, arena *memory, roast_error *err)
{
    *out = (lane_list){0};
    lane_pass pass = {.series = series};
    begun *order = malloc((series->n_chunks + 1) * sizeof *order);
    out->order = arena_alloc(memory, series->n_chunks, sizeof *out->order);
    roast_code code = order && out->order ? fill_lanes(&pass, out, order) : ROAST_MEMORY;
    size_t workers = 0;
    for (size_t i = 0; i < pass.count; i++)
        if (pass.lanes[i].worker != RUN_UNKNOWN && pass.lanes[i].worker >= workers)
            workers = (size_t)pass.lanes[i].worker + 1;
    if (!code)
        code = number_lanes(&pass, out, workers, memory);
    free(order);
    free(pass.lanes);
    free(pass.first);
    free(pass.all);
    intern_release(&pass.threads);
    return code ? fail_memory(err) : ROAST_OK;
}
