/* The attempts of a run in memory. Order by start is the order in which a list scheduler takes them; the time that a
 * core was idle before an attempt is what the engine needed to hand it out. */
#include "analysis/trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/room.h"
#include "base/str.h"
#include "model/facts.h"

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
    for (int hold = 0; hold < TRACE_HOLDS; hold++)
        free(t->holds[hold].items);
    *t = (trace){0};
}

/* Chunks have come after all: tasks are not the work. */
static void forget_tasks(trace *t)
{
    t->count = t->of_tasks ? 0 : t->count;
    t->of_tasks = false;
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

bool trace_add(trace *t, const run_chunk *row, const ledger_attempt *attempt, size_t number)
{
    const roast_chunk *chunk = &row->record;
    see_memory(&t->workers[row->worker < t->n_workers ? row->worker : t->n_workers], chunk);
    forget_tasks(t);
    if (!make_room(t))
        return false;
    trace_attempt *a = &t->attempts[t->count++];
    *a = (trace_attempt){.start_ns = attempt->start_ns, .end_ns = attempt->end_ns, .number = (uint32_t)number};
    a->worker = row->worker;
    a->dataset = row->dataset;
    a->file = row->file;
    a->chunk = chunk_key(row);
    a->entry = chunk->entry_start;
    a->events = number_or_nan(chunk->events);
    a->bytes = number_or_nan(chunk->bytes_read);
    a->open = seconds_or_zero(chunk->open_ns);
    a->events_s = seconds_or_zero(chunk->events_ns);
    a->return_s = seconds_or_zero(chunk->return_ns);
    a->failed = attempt->failed;
    a->recomputed = attempt->recomputed;
    a->told_killed = error_is_death(chunk->error_type);
    a->retry = is_retry(chunk->attempt);
    a->cpu_known = chunk->cpu_ns != ROAST_ABSENT;
    a->cpu = (float)attempt->process[LEDGER_PROCESS_CPU];
    a->wait = (float)attempt->process[LEDGER_PROCESS_IO];
    a->core = (float)attempt->process[LEDGER_PROCESS_CORE];
    a->unsplit = (float)attempt->process[LEDGER_PROCESS_UNSPLIT];
    return true;
}

/* Dask starts nothing on a worker whose memory is above this share of its limit, unless it is told otherwise. */
static const double PAUSED_ABOVE = 0.8;

static bool see_hold(trace *t, trace_hold hold, uint32_t worker, int64_t from_ns, int64_t until_ns, bool held)
{
    trace_memory *w = &t->workers[worker];
    trace_spans *spans = &t->holds[hold];
    if (held && !w->span[hold]) {
        trace_span *items = with_room(spans->items, spans->count, &spans->capacity, sizeof *items);
        if (!items)
            return false;
        spans->items = items;
        items[spans->count++] = (trace_span){from_ns, until_ns, worker};
        w->span[hold] = spans->count;
    }
    if (w->span[hold])
        spans->items[w->span[hold] - 1].end_ns = until_ns;
    if (!held)
        w->span[hold] = 0;
    return true;
}

/* What is so at a heartbeat was so since the one before it, and until the next; but a worker that has nothing to do may
 * be given something in between. */
bool trace_add_sample(trace *t, uint32_t worker, const roast_sample *sample, int64_t memory_limit)
{
    if (worker >= t->n_workers || sample->t_ns == ROAST_ABSENT)
        return true;
    trace_memory *w = &t->workers[worker];
    int64_t now = sample->t_ns, before = w->sampled_ns ? w->sampled_ns : now;
    bool done = true, empty = sample->processing == 0;
    if (sample->processing != ROAST_ABSENT)
        done = see_hold(t, TRACE_EMPTY, worker, now, empty ? now : before, empty);
    if (sample->memory != ROAST_ABSENT && memory_limit > 0)
        done = see_hold(t, TRACE_PAUSED, worker, before, now,
                        (double)sample->memory > PAUSED_ABOVE * (double)memory_limit) &&
               done;
    if (sample->spilled != ROAST_ABSENT) {
        done = see_hold(t, TRACE_SPILLED, worker, before, now, sample->spilled > 0) && done;
        t->spilled_bytes += sample->spilled > w->spilled ? (double)(sample->spilled - w->spilled) : 0;
        w->spilled = sample->spilled;
    }
    w->sampled_ns = now;
    return done;
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

bool attempt_died(const trace_attempt *a, const roast_run *run)
{
    const roast_worker *worker = run_worker(run, a->worker);
    bool lost = worker && worker->lost && worker->left_ns != ROAST_ABSENT;
    return a->told_killed || (a->failed && lost && a->end_ns > worker->left_ns - NS_PER_S);
}

/* ---- What a core did before a chunk ---------------------------------------------------------------------------- */

/* Times on workers, by worker and start: those of worker w are items[first[w]] to items[first[w + 1] - 1]. */
typedef struct span_index {
    trace_span *items;
    size_t *first, count;
} span_index;

static int compare_spans(const void *left, const void *right)
{
    const trace_span *a = left, *b = right;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static bool index_spans(span_index *index, const trace_span *spans, size_t count, size_t n_workers, arena *memory)
{
    index->items = arena_grow(memory, spans, count, count, sizeof *spans);
    index->first = arena_alloc(memory, n_workers + 1, sizeof *index->first);
    if (!index->items || !index->first)
        return false;
    index->count = count;
    qsort(index->items, count, sizeof *index->items, compare_spans);
    for (size_t i = 0, w = 0; w <= n_workers; w++) {
        while (i < count && index->items[i].worker < w)
            i++;
        index->first[w] = i;
    }
    return true;
}

/* The first span of a worker that ends after a time. */
static size_t first_after(const span_index *index, uint32_t worker, int64_t from)
{
    size_t low = index->first[worker];
    for (size_t end = index->first[worker + 1]; low < end;) {
        size_t middle = low + (end - low) / 2;
        if (index->items[middle].end_ns <= from)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* Whether a time on a worker has something in common with one of its spans, which may be moments. */
static bool meets(const span_index *index, uint32_t worker, int64_t from, int64_t to)
{
    size_t i = first_after(index, worker, from);
    return i < index->first[worker + 1] && index->items[i].start_ns < to;
}

/* Seconds of a time on a worker that are in its spans, which do not overlap each other. */
static double seconds_inside(const span_index *index, uint32_t worker, int64_t from, int64_t to)
{
    size_t high = index->first[worker + 1];
    double inside = 0;
    for (size_t i = first_after(index, worker, from); i < high && index->items[i].start_ns < to; i++) {
        int64_t begin = index->items[i].start_ns > from ? index->items[i].start_ns : from;
        int64_t end = index->items[i].end_ns < to ? index->items[i].end_ns : to;
        inside += clock_seconds(end - begin);
    }
    return inside;
}

static int compare_begins(const void *left, const void *right)
{
    const trace_span *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* The tasks that are no chunks, in the order of their starts. */
static bool list_other_tasks(trace_span **out, size_t *count, const trace *t, const ledger *l, const task_sums *tasks,
                             arena *memory)
{
    *count = 0;
    *out = arena_alloc(memory, tasks->count + 1, sizeof **out);
    if (!*out)
        return false;
    for (size_t i = 0; i < tasks->count && !t->of_tasks && tasks_name_workers(tasks, t->n_workers); i++) {
        const kept_task *task = &tasks->kept[i];
        if (!is_chunk_task(l, task) && !task->holds_chunk)
            (*out)[(*count)++] = (trace_span){task->start_ns, task->stop_ns, task->worker};
    }
    qsort(*out, *count, sizeof **out, compare_begins);
    return true;
}

typedef struct gap_pass {
    slot_table slots;
    span_index holds[TRACE_HOLDS];
    const trace *trace;
} gap_pass;

/* How long the slot that is taken has been idle, and since when; all cores of a worker could have begun with its
 * first. */
static core_slot *lay(gap_pass *p, uint32_t worker, int64_t start_ns, int64_t end_ns)
{
    int64_t first = p->slots.groups[worker].slots[0].first_start_ns, idle;
    core_slot *slot = slot_table_add(&p->slots, worker, start_ns, end_ns, &idle);
    if (idle == ROAST_ABSENT)
        idle = first == ROAST_ABSENT ? 0 : start_ns - first;
    double paused = seconds_inside(&p->holds[TRACE_PAUSED], worker, start_ns - idle, start_ns);
    double spilling = seconds_inside(&p->holds[TRACE_SPILLED], worker, start_ns - idle, start_ns);
    spilling = fmin(spilling, clock_seconds(idle) - paused); /* who is paused starts nothing, whatever else it does */
    slot->waited += clock_seconds(idle) - paused - spilling;
    slot->waited_paused += paused;
    slot->waited_spilling += spilling;
    slot->empty = idle > 0 && meets(&p->holds[TRACE_EMPTY], worker, start_ns - idle, start_ns);
    return slot;
}

static void lay_chunk(gap_pass *p, trace_attempt *a)
{
    a->gap = a->gap_other = a->gap_pause = a->gap_spill = a->gap_empty = 0;
    if (a->worker == RUN_UNKNOWN)
        return;
    core_slot *slot = lay(p, a->worker, a->start_ns, a->end_ns);
    if (!a->retry && a->start_ns <= p->trace->last_start_ns) {
        bool empty = p->trace->of_tasks && slot->empty;
        *(empty ? &a->gap_empty : &a->gap) = (float)fmax(slot->waited, 0);
        a->gap_pause = (float)slot->waited_paused;
        a->gap_spill = (float)slot->waited_spilling;
        a->gap_other = (float)slot->other;
    }
    slot->waited = slot->waited_paused = slot->waited_spilling = slot->other = 0;
}

/* What the others did before the first chunk and after the last. */
static void look_around(trace *t, const trace_span *others, size_t count)
{
    int64_t last_ns = INT64_MIN, reached;
    for (size_t i = 0; i < t->count; i++)
        last_ns = t->attempts[i].end_ns > last_ns ? t->attempts[i].end_ns : last_ns;
    reached = last_ns;
    t->others_before = 0;
    t->after_busy = t->after_idle = 0;
    for (size_t i = 0; i < count && t->count; i++) {
        t->others_before += others[i].end_ns <= t->attempts[0].start_ns;
        if (others[i].end_ns <= reached)
            continue;
        if (others[i].start_ns > reached) {
            t->after_idle += clock_seconds(others[i].start_ns - reached);
            reached = others[i].start_ns;
        }
        t->after_busy += clock_seconds(others[i].end_ns - reached);
        reached = others[i].end_ns;
    }
}

/* Chunks and other tasks are laid into the cores of their workers, in the order in which they began. */
static bool find_gaps(trace *t, const roast_run *run, const ledger *l, const task_sums *tasks)
{
    arena memory = {0};
    gap_pass p = {.slots = {.in_turn = true}, .trace = t};
    trace_span *others = NULL;
    size_t n_others = 0, next = 0;
    bool done = slot_table_fit(&p.slots, run, 1, &memory) && list_other_tasks(&others, &n_others, t, l, tasks, &memory);
    if (done)
        look_around(t, others, n_others);
    for (int hold = 0; hold < TRACE_HOLDS && done; hold++)
        done = index_spans(&p.holds[hold], t->holds[hold].items, t->holds[hold].count, t->n_workers, &memory);
    for (size_t i = 0; i < t->count && done; i++) {
        trace_attempt *a = &t->attempts[i];
        for (; next < n_others && others[next].start_ns <= a->start_ns; next++) {
            const trace_span *task = &others[next];
            bool before = !slot_group_used(&p.slots.groups[task->worker]); /* that is the start, not a gap */
            if (!before)
                lay(&p, task->worker, task->start_ns, task->end_ns)->other +=
                    clock_seconds(task->end_ns - task->start_ns);
        }
        a->killed = attempt_died(a, run);
        lay_chunk(&p, a);
    }
    slot_table_release(&p.slots);
    arena_release(&memory);
    return done;
}

/* Seconds that the engine read from and wrote to disk; 0 if it does not tell. Where it tells of nothing but tasks, it
 * packs only what goes there. */
static double disk_seconds(const trace *t, const roast_run *run)
{
    double seconds = 0;
    for (size_t i = 0; i < run_activities(run); i++) {
        const roast_activity *a = roast_run_activity(run, i);
        bool disk = str_equal(a->activity, STR("disk-read")) || str_equal(a->activity, STR("disk-write"));
        if (activity_kind_of(a) == ACTIVITY_SPILLING && (disk || t->of_tasks) && a->value > 0)
            seconds += a->value;
    }
    return seconds;
}

/* Cores that are idle while their worker has something on disk may wait for something else: spilling holds up no more
 * than all threads of a worker for as long as the disk is used. Where the engine does not tell, a disk takes at least
 * this many bytes in a second. */
static const double SLOW_DISK_BYTES_PER_SECOND = 50e6;

static void limit_spilling(trace *t, const roast_run *run)
{
    double waited = 0, threads = 0, told = disk_seconds(t, run);
    for (size_t i = 0; i < t->count; i++)
        waited += (double)t->attempts[i].gap_spill;
    for (uint32_t w = 0; w < run_workers(run); w++)
        threads = fmax(threads, (double)run_worker(run, w)->cores);
    double most = threads * (told > 0 ? told : t->spilled_bytes / SLOW_DISK_BYTES_PER_SECOND);
    for (size_t i = 0; i < t->count && waited > most; i++) {
        float held = t->attempts[i].gap_spill * (float)(most / waited);
        t->attempts[i].gap += t->attempts[i].gap_spill - held;
        t->attempts[i].gap_spill = held;
    }
}

/* ---- Tasks that are the work ------------------------------------------------------------------------------------- */

static void add_task(trace *t, const kept_task *task, double cpu_share)
{
    float seconds = (float)clock_seconds(task->stop_ns - task->start_ns);
    float cpu = isnan(cpu_share) ? 0 : seconds * (float)cpu_share;
    t->attempts[t->count] = (trace_attempt){
        .start_ns = task->start_ns,
        .end_ns = task->stop_ns,
        .unsplit = seconds, /* of a single task nobody knows how it was spent: only of all of its kind */
        .cpu = cpu,
        .wait = isnan(cpu_share) ? 0 : seconds - cpu,
        .events = 1,
        .bytes = NAN,
        .worker = task->worker,
        .dataset = task->kind,
        .file = RUN_UNKNOWN,
        .number = (uint32_t)t->count,
        .chunk = task->key,
        .failed = !task->done,
        .recomputed = task->recomputed,
        .retry = task->retry,
        .told_killed = task->killed,
    };
    t->count++;
}

bool trace_find_chunk_tasks(const trace *t, const roast_run *run, const ledger *l, task_sums *tasks)
{
    size_t count = 0;
    chunk_span *spans = malloc((t->count + 1) * sizeof *spans);
    bool asked = spans && !t->of_tasks && tasks_without_runner(tasks, l, run);
    for (size_t i = 0; asked && i < t->count; i++)
        spans[count++] = (chunk_span){t->attempts[i].start_ns, t->attempts[i].end_ns, t->attempts[i].worker};
    bool done = spans && tasks_find_chunks(tasks, spans, count);
    free(spans);
    return done;
}

/* Makes the attempts of tasks, where they are the work; false if memory is out. */
static bool take_tasks(trace *t, const roast_run *run, const ledger *l, task_sums *tasks)
{
    arena memory = {0};
    forget_tasks(t);
    t->n_datasets = run_datasets(run);
    t->last_start_ns = ledger_last_start(l);
    if (!tasks_are_work(tasks, l, run))
        return true;
    const double *shares = task_cpu_shares(tasks, run, &memory);
    bool done = shares && tasks_find_recomputed(tasks, run);
    t->of_tasks = true;
    t->kinds = &tasks->kinds;
    t->n_datasets = tasks->kinds.count;
    t->last_start_ns = tasks_last_start(tasks, l->cores);
    for (size_t i = 0; i < tasks->count && done; i++) {
        const kept_task *task = &tasks->kept[i];
        done = make_room(t);
        if (!done)
            break;
        add_task(t, task, shares[task->kind]);
    }
    arena_release(&memory);
    return done;
}

bool trace_finish(trace *t, const roast_run *run, const ledger *l, task_sums *tasks)
{
    if (!take_tasks(t, run, l, tasks) || !trace_find_chunk_tasks(t, run, l, tasks))
        return false;
    if (t->count)
        qsort(t->attempts, t->count, sizeof *t->attempts, compare_starts);
    if (!link_retries(t) || !find_gaps(t, run, l, tasks))
        return false;
    limit_spilling(t, run);
    return true;
}

double trace_seconds(const trace_attempt *attempt)
{
    return (double)(attempt->end_ns - attempt->start_ns) / 1e9;
}
