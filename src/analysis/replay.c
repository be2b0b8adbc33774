/* Replay by a list scheduler: attempts are taken in the order in which they began, and each goes to the core that is
 * free first, of all or of the worker on which it ran. Workers come and go as they did; a worker that died takes what
 * it was doing with it, which is then done again; a retry waits for the failure that it repeats. What ran on a slow
 * host does so again, and what did not does not: which of the last chunks a slow host gets is chance, and decides when
 * the run ends. */
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
    double seconds[STRAGGLER_PARTS]; /* on a core that is not slow */
    double rest;                     /* that no core makes longer */
    double gap;                      /* before it */
    double spilling;                 /* before it, as results were written to disk: as long as they are large */
    size_t attempt;                  /* the first of them */
    bool retry;
} work;

typedef struct playing {
    const replay *r;
    replay_mode mode;
    const replay_change *change;
    core_heap cores[2]; /* usual ones, slow ones; in place: all, worker by worker */
    size_t *first_core; /* in place, by worker: its first in cores[0] */
    double *ends;       /* by attempt: when it ended; only where a retry waits for it */
    uint32_t *together; /* by attempt: the next of the chunk that it is put together into; TRACE_NONE */
    bool *taken;        /* by attempt: it is part of an earlier one */
    double end, last_start, next_dispatch;
    bool stuck;
} playing;

static bool slow_core(straggler_kind kind)
{
    return kind == STRAGGLER_HOST || kind == STRAGGLER_WORKER;
}

/* How many times longer a part takes on a worker. In place nothing is moved: what an attempt took is what it takes. */
static double slowdown_of_worker(const playing *p, uint32_t worker, int part)
{
    trace_attempt there = {.worker = worker, .file = RUN_UNKNOWN};
    double factor = 1;
    for (int kind = 0; kind < STRAGGLER_PERIOD && p->mode == REPLAY_ANYWHERE; kind++)
        if (slow_core((straggler_kind)kind) && !p->change->not_slow[kind])
            factor *= straggler_slowdown(p->r->stragglers, (straggler_kind)kind, (straggler_part)part, &there);
    return factor;
}

static bool slow_worker(const playing *p, uint32_t worker)
{
    return slowdown_of_worker(p, worker, STRAGGLER_COMPUTE) > 1 || slowdown_of_worker(p, worker, STRAGGLER_IO) > 1;
}

/* What is taken off a part of an attempt by the change, before slow groups are divided out. */
static double relief(const playing *p, size_t i, int part)
{
    const trace_attempt *a = &p->r->trace->attempts[i];
    const replay_change *change = p->change;
    double off = change->no_outliers ? straggler_outlier(p->r->stragglers, (straggler_part)part, i) : 0;
    bool opens_here = part == (a->cpu_known ? STRAGGLER_IO : STRAGGLER_COMPUTE);
    if (opens_here && (change->no_open || change->quick_open))
        off += (double)a->open;
    if (part == STRAGGLER_COMPUTE && change->free_cores &&
        p->r->contention->ordinary[i]) /* slow groups are another finding */
        off += (double)a->core;
    if (part == STRAGGLER_COMPUTE && change->no_open)
        off += (double)a->events_s;
    if (part == STRAGGLER_COMPUTE && change->no_wait && !a->cpu_known)
        off += (double)a->wait; /* of tasks, by what all of their kind waited */
    if (part == STRAGGLER_COMPUTE && change->cheaper_files && a->file < run_files(p->r->run) &&
        change->cheaper_files[a->file])
        off += change->cheaper * (double)a->cpu / change->cheaper_cpu;
    if (part != STRAGGLER_IO)
        return off;
    double locked = contention_locked(p->r->contention, i), crowded = contention_crowded(p->r->contention, i);
    if (off > 0) /* a straggler: it waits for what it waits for whoever reads with it */
        return off + (change->no_locks ? locked : 0);
    double alone = (double)a->wait - locked - crowded, read = 1 - change->unread;
    if (change->no_wait)
        off += alone + crowded;
    else if (change->no_crowding)
        off += crowded;
    else if (change->unread > 0) /* fewer bytes are also fewer who read at a time */
        off += alone * (1 - read) + crowded * (1 - read * read);
    else if (change->workers > 0) /* more of them share the same storage */
        off -= crowded * (change->workers - 1);
    return off + (change->no_locks ? locked : 0);
}

/* What an attempt would take on a core that is not slow. */
static work changed_work(const playing *p, size_t i)
{
    const trace_attempt *a = &p->r->trace->attempts[i];
    work w = {.rest = (double)a->return_s, .attempt = i, .retry = a->retry};
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        double seconds = straggler_part_seconds(a, (straggler_part)part);
        seconds = fmax(seconds - relief(p, i, part), 0);
        for (int kind = 0; kind < STRAGGLER_KINDS; kind++) {
            bool as_it_was = p->mode == REPLAY_IN_PLACE || !slow_core((straggler_kind)kind);
            if (!as_it_was || p->change->not_slow[kind])
                seconds /= straggler_slowdown(p->r->stragglers, (straggler_kind)kind, (straggler_part)part, a);
        }
        w.seconds[part] = seconds;
    }
    const replay_change *change = p->change;
    w.gap = (change->no_gaps ? 0 : (double)a->gap) + (change->no_empty ? 0 : (double)a->gap_empty) +
            (change->no_pausing ? 0 : (double)a->gap_pause) + (change->no_merging ? 0 : (double)a->gap_other);
    w.spilling = change->no_spilling ? 0 : (double)a->gap_spill;
    return w;
}

static double work_seconds(const work *w)
{
    return w->seconds[STRAGGLER_COMPUTE] + w->seconds[STRAGGLER_IO] + w->rest;
}

/* What a chunk costs without its events: opening, building, and what the fit says is constant. */
static double overhead_of(const playing *p, const work *w)
{
    const trace_attempt *a = &p->r->trace->attempts[w->attempt];
    size_t datasets = p->r->trace->n_datasets;
    double fitted = (double)p->r->stragglers->fixed[a->dataset < datasets ? a->dataset : datasets];
    double gone =
        (double)((p->change->no_open || p->change->quick_open ? a->open : 0) + (p->change->no_open ? a->events_s : 0));
    return fmin(fmax(fmax(fitted, (double)(a->open + a->events_s)) - gone, 0) + (double)a->return_s,
                0.95 * work_seconds(w));
}

/* The work with another number of seconds, its parts in proportion. */
static void scale_work(work *w, double seconds)
{
    double before = work_seconds(w), factor = before > 0 ? seconds / before : 0;
    w->rest *= factor;
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        w->seconds[part] *= factor;
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

static void begin_work(playing *p, const work *w, core *c, double not_before, double *end)
{
    double begin = fmax(fmax(c->free + w->gap + w->spilling, not_before), p->next_dispatch);
    *end = begin + w->rest;
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        *end += w->seconds[part] * slowdown_of_worker(p, c->worker, part);
    if (c->dies && *end > c->until)
        return;
    c->free = *end;
    p->next_dispatch = p->r->dispatch_seconds > 0 && p->change->workers > 1 ? begin + p->r->dispatch_seconds : 0;
    p->end = fmax(p->end, *end);
    if (!w->retry)
        p->last_start = fmax(p->last_start, begin);
    p->ends[w->attempt] = *end;
}

static void schedule_anywhere(playing *p, const work *w, double not_before)
{
    bool slow = slow_worker(p, p->r->trace->attempts[w->attempt].worker);
    for (;;) {
        core_heap *heap = next_cores(p, slow);
        if (!heap) {
            p->stuck = true;
            return;
        }
        core *c = &heap->items[0];
        double end;
        begin_work(p, w, c, not_before, &end);
        if (c->free >= end) {
            sift_down(heap, 0);
            return;
        }
        not_before = fmax(not_before, c->until); /* it is done again after the worker is missed */
        drop_first(heap);
    }
}

/* On the core of its worker that is free first. */
static void schedule_in_place(playing *p, const work *w, double not_before)
{
    uint32_t worker = p->r->trace->attempts[w->attempt].worker;
    if (worker >= run_workers(p->r->run) || p->first_core[worker] == p->first_core[worker + 1]) {
        p->stuck = true;
        return;
    }
    core *best = &p->cores[0].items[p->first_core[worker]];
    for (size_t i = p->first_core[worker]; i < p->first_core[worker + 1]; i++)
        if (p->cores[0].items[i].free < best->free)
            best = &p->cores[0].items[i];
    double end;
    begin_work(p, w, best, not_before, &end);
}

static void schedule(playing *p, const work *w)
{
    const trace_attempt *a = &p->r->trace->attempts[w->attempt];
    double not_before = a->after != TRACE_NONE && !p->change->no_failures ? p->ends[a->after] : 0;
    if (p->mode == REPLAY_IN_PLACE)
        schedule_in_place(p, w, not_before);
    else
        schedule_anywhere(p, w, not_before);
}

/* Puts the chunks together that follow it in its file: the cost of one of them is paid only once. */
static void join_chunks(playing *p, work *w)
{
    double seconds = work_seconds(w);
    for (uint32_t next = p->together[w->attempt]; next != TRACE_NONE; next = p->together[next]) {
        work more = changed_work(p, next);
        seconds += work_seconds(&more) - overhead_of(p, &more);
        w->spilling += more.spilling;
    }
    scale_work(w, seconds);
    schedule(p, w);
}

static void cut_chunk(playing *p, const work *w, int pieces)
{
    double overhead = overhead_of(p, w);
    work piece = *w;
    piece.spilling /= pieces;
    scale_work(&piece, (work_seconds(w) - overhead) / pieces + overhead);
    for (int i = 0; i < pieces && !p->stuck; i++)
        schedule(p, &piece);
}

/* What would not have been done after the change. Deaths of workers are replayed, not their traces; in place they are
 * part of what happened there. */
static bool left_out(const playing *p, const trace_attempt *a)
{
    const replay_change *change = p->change;
    return (a->killed && p->mode == REPLAY_ANYWHERE) || (a->failed && change->no_failures) ||
           (a->recomputed && change->no_losses); /* its first result would not have been lost */
}

static void play_attempt(playing *p, size_t i)
{
    const replay_change *change = p->change;
    if (left_out(p, &p->r->trace->attempts[i]) || (p->taken && p->taken[i]))
        return;
    work w = changed_work(p, i);
    if (p->together)
        join_chunks(p, &w);
    else if (change->chunk_size > 0 && change->chunk_size < 1)
        cut_chunk(p, &w, (int)lround(1 / change->chunk_size));
    else if (change->longest > 0 && work_seconds(&w) > 1.5 * change->longest)
        cut_chunk(p, &w, (int)fmin(ceil(work_seconds(&w) / change->longest), 1000));
    else
        schedule(p, &w);
}

/* ---- Chunks of a file put together ------------------------------------------------------------------------------ */

typedef struct entry_place {
    int64_t entry;
    uint32_t file, dataset, attempt;
} entry_place;

static int compare_places(const void *left, const void *right)
{
    const entry_place *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->dataset != b->dataset)
        return a->dataset < b->dataset ? -1 : 1;
    if (a->entry != b->entry)
        return a->entry < b->entry ? -1 : 1;
    return (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

/* A chain of attempts that become one chunk; the earliest of them stands for it. */
static void chain(playing *p, const entry_place *places, size_t count)
{
    uint32_t lead = places[0].attempt, last;
    for (size_t i = 1; i < count; i++)
        lead = places[i].attempt < lead ? places[i].attempt : lead;
    last = lead;
    for (size_t i = 0; i < count; i++) {
        if (places[i].attempt == lead)
            continue;
        p->together[last] = places[i].attempt;
        last = places[i].attempt;
        p->taken[last] = true;
    }
}

/* Larger chunks are neighbours in a file, whoever read them and when. */
static roast_code put_together(playing *p, roast_error *err)
{
    const trace *t = p->r->trace;
    size_t most = (size_t)p->change->chunk_size, count = 0;
    entry_place *places = malloc((t->count + 1) * sizeof *places);
    p->together = malloc((t->count + 1) * sizeof *p->together);
    p->taken = calloc(t->count + 1, sizeof *p->taken);
    if (!places || !p->together || !p->taken) {
        free(places);
        return fail_memory(err);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        const trace_attempt *a = &t->attempts[i];
        p->together[i] = TRACE_NONE;
        if (!a->failed && !a->recomputed && a->file != RUN_UNKNOWN)
            places[count++] = (entry_place){a->entry, a->file, a->dataset, i};
    }
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && next - i < most && places[next].file == places[i].file &&
                           places[next].dataset == places[i].dataset;)
            next++;
        chain(p, places + i, next - i);
    }
    free(places);
    return ROAST_OK;
}

/* ---- Cores of the workers ------------------------------------------------------------------------------------------
 */

/* When the core of a worker that is going to die takes its last chunk. What it died at may have no record, and took it
 * until it was missed: a core that took others meanwhile would do what nobody did. The middle of its last chunk is far
 * from the times at which it could have begun another. */
static double until_death(const replay *r, uint32_t w, double missed)
{
    return r->death_recorded[w] ? missed : fmin((r->last_start[w] + r->last_end[w]) / 2, missed);
}

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
    bool lost = departed && worker->lost && !p->change->no_losses;
    c.dies = lost && r->death_recorded[w];
    if (lost)
        c.until = until_death(r, w, clock_seconds(to - r->t_start_ns));
    else if (departed && !worker->lost)
        c.until = r->last_start[w];
    if (p->mode == REPLAY_IN_PLACE) {
        c.until = HUGE_VAL;
        c.dies = false;
    }
    core_heap *heap = &p->cores[slow_worker(p, w)];
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
        if (p->first_core)
            p->first_core[w] = p->cores[0].count;
        for (int64_t k = 0; k < of_worker && of_worker < 100000; k++)
            for (due += times; due > 1 - 1e-9; due -= 1)
                add_core(p, w);
    }
    if (p->first_core)
        p->first_core[run_workers(run)] = p->cores[0].count;
    if (!p->cores[0].count && !p->cores[1].count && run_workers(run))
        add_core(p, 0);
    for (int k = 0; k < 2 && p->mode == REPLAY_ANYWHERE; k++)
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

bool replay_keeps_places(const replay_change *change)
{
    bool other_chunks = (change->chunk_size > 0 && change->chunk_size != 1) || change->longest > 0;
    bool other_workers = (change->workers > 0 && change->workers != 1) || change->all_present || change->no_losses;
    return !other_chunks && !other_workers;
}

static roast_code prepare(playing *p, roast_error *err)
{
    p->ends = calloc(p->r->trace->count + 1, sizeof *p->ends);
    if (p->mode == REPLAY_IN_PLACE)
        p->first_core = calloc(run_workers(p->r->run) + 1, sizeof *p->first_core);
    if (!p->ends || (p->mode == REPLAY_IN_PLACE && !p->first_core))
        return fail_memory(err);
    roast_code code = add_cores(p, err);
    return !code && p->change->chunk_size > 1 ? put_together(p, err) : code;
}

roast_code replay_run(const replay *r, replay_mode mode, const replay_change *change, replay_result *out,
                      roast_error *err)
{
    playing p = {.r = r, .mode = mode, .change = change};
    *out = (replay_result){.wall_seconds = (double)NAN, .tail_seconds = (double)NAN};
    roast_code code = prepare(&p, err);
    for (size_t i = 0; !code && i < r->trace->count && !p.stuck; i++)
        play_attempt(&p, i);
    if (!code && !p.stuck) {
        double after = change->no_merging ? 0 : clock_seconds(r->t_end_ns - r->last_end_ns);
        out->wall_seconds = p.end + fmax(after, 0);
        measure_tail(&p, out);
    }
    free(p.ends);
    free(p.first_core);
    free(p.together);
    free(p.taken);
    free(p.cores[0].items);
    free(p.cores[1].items);
    return code;
}

/* Seconds that starting all chunks takes at the highest rate that was seen, which is mostly that of the beginning, when
 * all cores are free. Over windows of a second or more: what comes in a shorter one was queued before. */
static double least_dispatch_seconds(const trace *t, double wall)
{
    const int64_t window_ns = clock_ns_from_seconds(fmax(1, wall / 200));
    size_t most = 0;
    for (size_t first = 0, next = 0; next < t->count; next++) {
        while (t->attempts[next].start_ns - t->attempts[first].start_ns > window_ns)
            first++;
        most = next + 1 - first > most ? next + 1 - first : most;
    }
    return most ? clock_seconds(window_ns) * (double)t->count / (double)most : 0;
}

roast_code replay_init(replay *r, const trace *t, const stragglers *s, const contention *c, const roast_run *run,
                       int64_t t_start_ns, int64_t t_end_ns, roast_error *err)
{
    size_t workers = run_workers(run);
    *r = (replay){
        .trace = t, .stragglers = s, .contention = c, .run = run, .t_start_ns = t_start_ns, .t_end_ns = t_end_ns};
    r->last_end_ns = t_start_ns;
    r->start_delay = arena_alloc(&r->memory, workers, sizeof *r->start_delay);
    r->last_start = arena_alloc(&r->memory, workers, sizeof *r->last_start);
    r->last_end = arena_alloc(&r->memory, workers, sizeof *r->last_end);
    r->death_recorded = arena_alloc(&r->memory, workers, sizeof *r->death_recorded);
    r->stands_for = arena_alloc(&r->memory, workers, sizeof *r->stands_for);
    if (!r->start_delay || !r->last_start || !r->last_end || !r->death_recorded || !r->stands_for)
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
        r->last_end[a->worker] = fmax(r->last_end[a->worker], clock_seconds(a->end_ns - t_start_ns));
        r->death_recorded[a->worker] |= a->killed;
    }
    for (uint32_t w = 0; w < workers; w++)
        if (isnan(r->start_delay[w]))
            r->start_delay[w] = 0; /* it was never given anything: there may have been nothing */
    r->least_dispatch = least_dispatch_seconds(t, clock_seconds(t_end_ns - t_start_ns));
    return ROAST_OK;
}

void replay_release(replay *r)
{
    arena_release(&r->memory);
}
