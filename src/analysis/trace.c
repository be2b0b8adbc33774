/* The attempts of a run in memory. Order by start is the order in which a list scheduler takes them; the time that a
 * core was idle before an attempt is what the engine needed to hand it out. */
#include "analysis/trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/room.h"

bool trace_fit(trace *t, const roast_run *run)
{
    trace_memory *workers =
        grow_before_last(t->workers, t->n_workers, run_workers(run), sizeof *workers, &(trace_memory){0});
    if (!workers)
        return false;
    t->workers = workers;
    t->n_workers = run_workers(run);
    return true;
}

void trace_release(trace *t)
{
    free(t->attempts);
    free(t->workers);
    *t = (trace){0};
}

static bool make_room(trace *t)
{
    if (t->count < t->capacity)
        return true;
    size_t capacity = t->capacity ? t->capacity + t->capacity / 2 : 1024;
    trace_attempt *attempts = realloc(t->attempts, capacity * sizeof *attempts);
    if (!attempts)
        return false;
    t->attempts = attempts;
    t->capacity = capacity;
    return true;
}

static float seconds_or_zero(int64_t ns)
{
    return ns == ROAST_ABSENT ? 0.0F : (float)clock_seconds(ns);
}

static float number_or_nan(int64_t value)
{
    return value == ROAST_ABSENT ? NAN : (float)value;
}

static void see_memory(trace_memory *memory, const roast_chunk *chunk)
{
    if (chunk->rss_after == ROAST_ABSENT)
        return;
    double now = (double)chunk->rss_after / 1048576.0;
    if (!memory->growth.count)
        memory->first = now;
    memory->last = now;
    memory->highest = fmax(memory->highest, now);
    line_fit_add(&memory->growth, (double)memory->growth.count, now);
}

bool trace_add(trace *t, const run_chunk *row, const ledger_attempt *attempt)
{
    const roast_chunk *chunk = &row->record;
    see_memory(&t->workers[row->worker < t->n_workers ? row->worker : t->n_workers], chunk);
    if (t->most && t->count == t->most) {
        t->dropped++;
        return true;
    }
    if (!make_room(t))
        return false;
    trace_attempt *a = &t->attempts[t->count];
    *a = (trace_attempt){.start_ns = attempt->start_ns, .end_ns = attempt->end_ns, .number = (uint32_t)t->count++};
    a->worker = row->worker;
    a->dataset = row->dataset;
    a->file = row->file;
    a->chunk = chunk_key(row);
    a->events = number_or_nan(chunk->events);
    a->bytes = number_or_nan(chunk->bytes_read);
    a->open = seconds_or_zero(chunk->open_ns);
    a->events_s = seconds_or_zero(chunk->events_ns);
    a->return_s = seconds_or_zero(chunk->return_ns);
    a->failed = attempt->failed;
    a->recomputed = attempt->recomputed;
    a->retry = chunk->attempt != ROAST_ABSENT && chunk->attempt > 1;
    a->cpu_known = chunk->cpu_ns != ROAST_ABSENT;
    a->cpu = (float)attempt->process[LEDGER_PROCESS_CPU];
    a->wait = (float)attempt->process[LEDGER_PROCESS_IO];
    a->core = (float)attempt->process[LEDGER_PROCESS_CORE];
    a->unsplit = (float)attempt->process[LEDGER_PROCESS_UNSPLIT];
    return true;
}

static int compare_starts(const void *left, const void *right)
{
    const trace_attempt *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool link_retries(trace *t)
{
    u64map failed = {0}; /* chunk → number of its last failed attempt, from 1 */
    bool done = true;
    for (size_t i = 0; i < t->count && done; i++) {
        trace_attempt *a = &t->attempts[i];
        a->after = TRACE_NONE;
        if (!a->failed && !a->retry)
            continue;
        uint32_t *last = u64map_at(&failed, a->chunk);
        done = last != NULL;
        if (last && *last && *last != TRACE_NONE)
            a->after = *last - 1;
        if (last)
            *last = a->failed && i < TRACE_NONE - 1 ? (uint32_t)i + 1 : TRACE_NONE;
    }
    u64map_release(&failed);
    return done;
}

static bool died_with(const roast_worker *worker, const trace_attempt *a)
{
    if (!worker || !worker->lost || worker->left_ns == ROAST_ABSENT || !a->failed)
        return false;
    return a->end_ns > worker->left_ns - NS_PER_S;
}

static bool find_gaps(trace *t, const roast_run *run, int64_t last_ns)
{
    arena memory = {0};
    slot_table slots = {.in_turn = true};
    bool done = slot_table_fit(&slots, run, 1, &memory);
    for (size_t i = 0; i < t->count && done; i++) {
        trace_attempt *a = &t->attempts[i];
        int64_t idle;
        a->killed = died_with(run_worker(run, a->worker), a);
        a->gap = 0;
        if (a->worker == RUN_UNKNOWN)
            continue;
        int64_t first = slots.groups[a->worker].slots[0].first_start_ns;
        slot_table_add(&slots, a->worker, a->start_ns, a->end_ns, &idle);
        if (idle == ROAST_ABSENT && first != ROAST_ABSENT)
            idle = a->start_ns - first; /* all its cores could have begun with the first */
        if (idle != ROAST_ABSENT && !a->retry && a->start_ns <= last_ns)
            a->gap = (float)clock_seconds(idle);
    }
    slot_table_release(&slots);
    arena_release(&memory);
    return done;
}

bool trace_finish(trace *t, const roast_run *run, int64_t last_ns)
{
    if (t->dropped) /* it tells nothing of the run as a whole */
        return true;
    if (t->count)
        qsort(t->attempts, t->count, sizeof *t->attempts, compare_starts);
    return link_retries(t) && find_gaps(t, run, last_ns);
}

double trace_seconds(const trace_attempt *attempt)
{
    return (double)(attempt->end_ns - attempt->start_ns) / 1e9;
}
