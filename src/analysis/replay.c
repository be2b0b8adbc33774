/* Replay by a list scheduler: attempts are taken in the order in which they began, and each goes to the core that is
 * free first. Workers come and go as they did; a worker that died takes what it was doing with it, which is then done
 * again; a retry waits for the failure that it repeats. What ran on a slow host does so again, and what did not does
 * not: which of the last chunks a slow host gets is chance, and decides when the run ends. */
#include "analysis/replay.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/presence.h"
#include "base/clock.h"
#include "base/error.h"

/* ---- Cores ----------------------------------------------------------------------------------------------------- */

typedef struct core {
    double free;  /* seconds from the start of the run */
    double until; /* nothing is begun after this */
    uint32_t worker;
    bool dies; /* at until, with what it is doing */
} core;

typedef struct core_heap {
    core *items;
    size_t count;
} core_heap;

static void sift_down(core_heap *heap, size_t at)
{
    core moved = heap->items[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && heap->items[child + 1].free < heap->items[child].free)
            child++;
        if (heap->items[child].free >= moved.free)
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = moved;
}

static void drop_first(core_heap *heap)
{
    heap->items[0] = heap->items[--heap->count];
    if (heap->count)
        sift_down(heap, 0);
}

/* ---- Work ------------------------------------------------------------------------------------------------------ */

/* A chunk to be done: an attempt, some of them together, or a piece of one. */
typedef struct work {
    double seconds; /* on a core that is not slow */
    double gap;     /* before it */
    size_t attempt; /* the first of them */
    bool retry;
} work;

typedef struct playing {
    const replay *r;
    const replay_change *change;
    core_heap cores[2]; /* usual ones, slow ones */
    double *ends;       /* by attempt: when it ended; only where a retry waits for it */
    double end, last_start, next_dispatch;
    double idle_at_end; /* sum over cores of when each became free after the last start */
    work pending;       /* chunks being put together */
    uint32_t pending_file;
    int pending_count;
    bool stuck;
} playing;

static bool slow_core(straggler_kind kind)
{
    return kind == STRAGGLER_HOST || kind == STRAGGLER_WORKER;
}

/* How many times longer everything takes on a worker. */
static double slowdown_of_worker(const playing *p, uint32_t worker)
{
    trace_attempt there = {.worker = worker, .file = RUN_UNKNOWN};
    double factor = 1;
    for (int kind = 0; kind < STRAGGLER_PERIOD; kind++)
        if (slow_core((straggler_kind)kind) && !p->change->not_slow[kind])
            factor *= straggler_slowdown(p->r->stragglers, (straggler_kind)kind, &there);
    return factor;
}

/* What an attempt would take on a core that is not slow. */
static double changed_seconds(const playing *p, size_t i)
{
    const trace_attempt *a = &p->r->trace->attempts[i];
    const stragglers *s = p->r->stragglers;
    double seconds = trace_seconds(a);
    if (p->change->no_outliers && straggler_outlier(s, i))
        seconds = (double)s->expected[i] + (double)a->return_s;
    else if (p->change->no_wait)
        seconds -= (double)a->wait;
    if (p->change->no_open)
        seconds -= (double)(a->open + a->events_s);
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        if (slow_core((straggler_kind)kind) || p->change->not_slow[kind])
            seconds /= straggler_slowdown(s, (straggler_kind)kind, a);
    return fmax(seconds, 0);
}

/* What a chunk costs without its events: opening, building, and what the fit says is constant. */
static double overhead_of(const playing *p, size_t i)
{
    const trace_attempt *a = &p->r->trace->attempts[i];
    size_t datasets = run_datasets(p->r->run);
    double fitted = (double)p->r->stragglers->fixed[a->dataset < datasets ? a->dataset : datasets];
    double measured = p->change->no_open ? 0 : (double)(a->open + a->events_s);
    return fmin(fmax(fitted, measured) + (double)a->return_s, 0.95 * changed_seconds(p, i));
}

/* ---- Scheduling -------------------------------------------------------------------------------------------------- */

/* Where the next core is to be taken from; NULL if none is left. */
static core_heap *next_cores(playing *p, bool slow)
{
    for (int i = 0; i < 2; i++) {
        core_heap *heap = &p->cores[i ? !slow : slow];
        while (heap->count && heap->items[0].free > heap->items[0].until)
            drop_first(heap);
        if (heap->count)
            return heap;
    }
    return NULL;
}

static void schedule(playing *p, const work *w)
{
    const trace_attempt *a = &p->r->trace->attempts[w->attempt];
    double not_before = a->after != TRACE_NONE && !p->change->no_failures ? p->ends[a->after] : 0;
    bool slow = slowdown_of_worker(p, a->worker) > 1;
    for (;;) {
        core_heap *heap = next_cores(p, slow);
        if (!heap) {
            p->stuck = true;
            return;
        }
        core *c = &heap->items[0];
        double begin = fmax(fmax(c->free + w->gap, not_before), p->next_dispatch);
        double end = begin + w->seconds * slowdown_of_worker(p, c->worker);
        if (c->dies && end > c->until) {
            not_before = fmax(not_before, c->until); /* it is done again after the worker is missed */
            drop_first(heap);
            continue;
        }
        c->free = end;
        p->next_dispatch = p->r->dispatch_seconds > 0 && p->change->workers > 1 ? begin + p->r->dispatch_seconds : 0;
        p->end = fmax(p->end, end);
        if (!w->retry)
            p->last_start = fmax(p->last_start, begin);
        p->ends[w->attempt] = end;
        sift_down(heap, 0);
        return;
    }
}

static void flush_pending(playing *p)
{
    if (p->pending_count)
        schedule(p, &p->pending);
    p->pending_count = 0;
}

/* Puts chunks of one file together: the cost of one of them is paid only once. */
static void join_chunks(playing *p, const work *w, double overhead)
{
    const trace_attempt *a = &p->r->trace->attempts[w->attempt];
    bool joins = p->pending_count && p->pending_count < (int)p->change->chunk_size && a->file == p->pending_file;
    if (!joins)
        flush_pending(p);
    if (joins) {
        p->pending.seconds += w->seconds - overhead;
    } else {
        p->pending = *w;
        p->pending_file = a->file;
    }
    p->pending_count++;
}

static void cut_chunk(playing *p, const work *w, double overhead, int pieces)
{
    work piece = *w;
    piece.seconds = (w->seconds - overhead) / pieces + overhead;
    for (int i = 0; i < pieces && !p->stuck; i++)
        schedule(p, &piece);
}

static void play_attempt(playing *p, size_t i)
{
    const trace_attempt *a = &p->r->trace->attempts[i];
    const replay_change *change = p->change;
    if (a->killed || (a->failed && change->no_failures))
        return; /* deaths of workers are replayed, not their traces */
    if (a->recomputed && change->no_losses)
        return; /* its first result would not have been lost */
    work w = {.seconds = changed_seconds(p, i), .gap = change->no_gaps ? 0 : (double)a->gap, .attempt = i};
    w.retry = a->retry;
    if (change->chunk_size > 1)
        join_chunks(p, &w, overhead_of(p, i));
    else if (change->chunk_size > 0 && change->chunk_size < 1)
        cut_chunk(p, &w, overhead_of(p, i), (int)lround(1 / change->chunk_size));
    else if (change->longest > 0 && w.seconds > 1.5 * change->longest)
        cut_chunk(p, &w, overhead_of(p, i), (int)fmin(ceil(w.seconds / change->longest), 1000));
    else
        schedule(p, &w);
}

/* ---- Cores of the workers ------------------------------------------------------------------------------------------
 */

static void add_core(playing *p, uint32_t w)
{
    const replay *r = p->r;
    const roast_worker *worker = run_worker(r->run, w);
    int64_t from, to;
    if (!worker_presence(worker, r->t_start_ns, r->t_end_ns, &from, &to))
        return;
    uint32_t instead_of = r->stands_for[w];
    bool stands_in = instead_of != PRESENCE_NEW;
    if (stands_in && p->change->no_losses && run_worker(r->run, instead_of)->lost)
        return;
    double arrives = p->change->all_present && !stands_in ? 0 : clock_seconds(from - r->t_start_ns);
    bool departed = worker->left_ns != ROAST_ABSENT && worker->left_ns <= r->t_end_ns;
    core c = {.worker = w, .until = HUGE_VAL};
    c.free = arrives + (p->change->no_start ? 0 : r->start_delay[w]);
    c.dies = departed && worker->lost && !p->change->no_losses;
    if (c.dies)
        c.until = clock_seconds(to - r->t_start_ns);
    else if (departed && !worker->lost)
        c.until = r->last_start[w];
    core_heap *heap = &p->cores[slowdown_of_worker(p, w) > 1];
    heap->items[heap->count++] = c;
}

static roast_code add_cores(playing *p, roast_error *err)
{
    const roast_run *run = p->r->run;
    double times = p->change->workers > 0 ? p->change->workers : 1, cores = 0, due = 0;
    for (uint32_t w = 0; w < run_workers(run); w++) {
        int64_t more = run_worker(run, w)->cores;
        cores += more > 0 && more < 100000 ? (double)more : 0;
    }
    for (int i = 0; i < 2; i++)
        p->cores[i].items = malloc(((size_t)(cores * fmax(times, 1)) + 16) * sizeof *p->cores[i].items);
    if (!p->cores[0].items || !p->cores[1].items)
        return fail_memory(err);
    for (uint32_t w = 0; w < run_workers(run); w++) {
        int64_t of_worker = run_worker(run, w)->cores;
        for (int64_t k = 0; k < of_worker && of_worker < 100000; k++)
            for (due += times; due > 1 - 1e-9; due -= 1)
                add_core(p, w);
    }
    if (!p->cores[0].count && !p->cores[1].count && run_workers(run))
        add_core(p, 0);
    for (int k = 0; k < 2; k++)
        for (size_t i = p->cores[k].count / 2; i-- > 0;)
            sift_down(&p->cores[k], i);
    return ROAST_OK;
}

/* Cores that were there at the end and had nothing more to do. */
static void measure_tail(const playing *p, replay_result *out)
{
    double idle = 0;
    out->cores = 0;
    for (size_t i = 0; i < p->cores[0].count + p->cores[1].count; i++) {
        size_t usual = p->cores[0].count;
        const core *c = i < usual ? &p->cores[0].items[i] : &p->cores[1].items[i - usual];
        if (c->until < p->end)
            continue;
        out->cores += 1;
        idle += p->end - fmin(fmax(c->free, p->last_start), p->end);
    }
    out->tail_seconds = out->cores > 0 ? idle / out->cores : 0;
}

roast_code replay_run(const replay *r, const replay_change *change, replay_result *out, roast_error *err)
{
    playing p = {.r = r, .change = change};
    *out = (replay_result){.wall_seconds = (double)NAN, .tail_seconds = (double)NAN};
    roast_code code = add_cores(&p, err);
    p.ends = code ? NULL : calloc(r->trace->count + 1, sizeof *p.ends);
    if (!code && !p.ends)
        code = fail_memory(err);
    for (size_t i = 0; !code && i < r->trace->count && !p.stuck; i++)
        play_attempt(&p, i);
    if (!code && !p.stuck)
        flush_pending(&p);
    if (!code && !p.stuck) {
        double after = change->no_merging ? 0 : clock_seconds(r->t_end_ns - r->last_end_ns);
        out->wall_seconds = p.end + fmax(after, 0);
        measure_tail(&p, out);
    }
    free(p.ends);
    free(p.cores[0].items);
    free(p.cores[1].items);
    return code;
}

roast_code replay_init(replay *r, const trace *t, const stragglers *s, const roast_run *run, int64_t t_start_ns,
                       int64_t t_end_ns, roast_error *err)
{
    size_t workers = run_workers(run);
    *r = (replay){.trace = t, .stragglers = s, .run = run, .t_start_ns = t_start_ns, .t_end_ns = t_end_ns};
    r->last_end_ns = t_start_ns;
    r->start_delay = arena_alloc(&r->memory, workers, sizeof *r->start_delay);
    r->last_start = arena_alloc(&r->memory, workers, sizeof *r->last_start);
    r->stands_for = arena_alloc(&r->memory, workers, sizeof *r->stands_for);
    if (!r->start_delay || !r->last_start || !r->stands_for)
        return fail_memory(err);
    roast_code code = presence_stand_ins(r->stands_for, run, t_start_ns, t_end_ns, &r->memory, err);
    if (code)
        return code;
    for (uint32_t w = 0; w < workers; w++)
        r->start_delay[w] = (double)NAN;
    for (size_t i = 0; i < t->count; i++) {
        const trace_attempt *a = &t->attempts[i];
        if (a->end_ns > r->last_end_ns)
            r->last_end_ns = a->end_ns;
        if (a->worker >= workers)
            continue;
        double begun = clock_seconds(a->start_ns - t_start_ns);
        int64_t joined = run_worker(run, a->worker)->joined_ns;
        double arrived = joined != ROAST_ABSENT && joined > t_start_ns ? clock_seconds(joined - t_start_ns) : 0;
        if (isnan(r->start_delay[a->worker]))
            r->start_delay[a->worker] = fmax(begun - arrived, 0);
        r->last_start[a->worker] = begun;
    }
    for (uint32_t w = 0; w < workers; w++)
        if (isnan(r->start_delay[w]))
            r->start_delay[w] = 0; /* it was never given anything: there may have been nothing */
    return ROAST_OK;
}

void replay_release(replay *r)
{
    arena_release(&r->memory);
}
