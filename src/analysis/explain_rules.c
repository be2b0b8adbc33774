/* The rules: what may hold a run back, how it shows in the records, and what to change in the replay to see what it
 * cost. A rule speaks only if the numbers carry it; thresholds are shares of the run, never of a known example. */
#include <math.h>
#include <stdlib.h>

#include "analysis/completeness.h"
#include "analysis/explain_parts.h"
#include "analysis/presence.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

double real_of(const explaining *e, metric_id id)
{
    return summary_real(e->summary, id);
}

double cpu_of_ledger(const explaining *e)
{
    return e->ledger[LEDGER_PROCESS_CPU] + e->ledger[LEDGER_TASK_CPU];
}

finding_confidence confidence_of_replay(const explaining *e)
{
    return e->out->replay_answers && e->out->replay_error_percent < 5 ? FINDING_SURE : FINDING_LIKELY;
}

/* ---- Slow hosts, workers, storage, files, times ------------------------------------------------------------------ */

/* How many times longer the attempts of a slow group took than they would have elsewhere. */
static double times_longer(const explaining *e, straggler_kind kind, uint32_t group)
{
    double took = 0, excess = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || straggler_group(&e->stragglers, kind, a) != group)
            continue;
        took += straggler_seconds(a);
        excess += straggler_excess(&e->stragglers, kind, a);
    }
    return took > excess ? took / (took - excess) : (double)NAN;
}

/* The slow groups with the most attempts, as evidence. */
static void tell_groups(explaining *e, finding *f, straggler_kind kind, const char *what)
{
    const straggler_groups *groups = &e->stragglers.kinds[kind];
    uint32_t told[3], n_told = 0;
    for (; n_told < 3 && n_told < groups->n_slow; n_told++) {
        uint32_t worst = TRACE_NONE;
        for (uint32_t g = 0; g < groups->count; g++) {
            bool before = !groups->slow[g];
            for (uint32_t i = 0; i < n_told; i++)
                before |= told[i] == g;
            if (!before && (worst == TRACE_NONE || groups->attempts[g] > groups->attempts[worst]))
                worst = g;
        }
        if (worst == TRACE_NONE)
            break;
        told[n_told] = worst;
        add_evidence(f, what, straggler_name(&e->stragglers, kind, worst), times_longer(e, kind, worst), "times");
    }
    if (groups->n_slow > n_told)
        add_evidence(f, "slow ones in all", NOBODY, groups->n_slow, "count");
}

/* Each worker's first chunk, or as many as it begins before it has done one. */
static void tell_warm_up(explaining *e, finding *f)
{
    add_evidence(f, "the first chunks of workers took", NOBODY, times_longer(e, STRAGGLER_WARM_UP, 1), "times");
    add_evidence(f, "how many", NOBODY, e->stragglers.kinds[STRAGGLER_WARM_UP].attempts[1], "count");
}

static void tell_period(explaining *e, finding *f)
{
    const straggler_groups *groups = &e->stragglers.kinds[STRAGGLER_PERIOD];
    double slowest = 1, from = (double)NAN, until = (double)NAN;
    for (uint32_t g = 0; g < groups->count; g++) {
        if (!groups->slow[g])
            continue;
        int64_t from_ns = g ? e->stragglers.bounds_ns[g - 1] : e->stragglers.t_start_ns;
        int64_t until_ns = g < e->stragglers.n_bounds ? e->stragglers.bounds_ns[g] : e->stragglers.t_end_ns;
        from = fmin(from, clock_seconds(from_ns - e->stragglers.t_start_ns));
        until = fmax(until, clock_seconds(until_ns - e->stragglers.t_start_ns));
        slowest = fmax(slowest, times_longer(e, STRAGGLER_PERIOD, g));
    }
    if (f && until > from) {
        f->from_seconds = from;
        f->until_seconds = until;
    }
    add_evidence(f, "from", NOBODY, from, "s");
    add_evidence(f, "until", NOBODY, until, "s");
    add_evidence(f, "chunks took then", NOBODY, slowest, "times");
}

/* Whether the slow ones wait longer or compute longer. */
static void tell_waiting(explaining *e, finding *f, straggler_kind kind)
{
    double wait = 0, all = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || !a->cpu_known || !straggler_in_slow(&e->stragglers, kind, a))
            continue;
        wait += (double)(a->wait + a->open);
        all += straggler_seconds(a);
    }
    if (all > 0)
        add_evidence(f, "of their time, waiting for I/O and opening", NOBODY, 100 * wait / all, "%");
}

void explain_slow_groups(explaining *e)
{
    static const struct {
        finding_kind finding;
        const char *what;
    } words[STRAGGLER_KINDS] = {
        [STRAGGLER_HOST] = {FINDING_SLOW_HOST, "slow host"},
        [STRAGGLER_WORKER] = {FINDING_SLOW_WORKER, "slow worker"},
        [STRAGGLER_SITE] = {FINDING_SLOW_STORAGE, "slow storage"},
        [STRAGGLER_FILE] = {FINDING_SLOW_FILE, "slow file"},
        [STRAGGLER_WARM_UP] = {FINDING_WARM_UP, ""},
        [STRAGGLER_PERIOD] = {FINDING_SLOW_PERIOD, ""},
    };
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++) {
        const straggler_groups *groups = &e->stragglers.kinds[kind];
        if (!groups->guilty)
            continue;
        replay_change change = {0};
        change.not_slow[kind] = true;
        saving saves = saving_of(e, &change, groups->excess);
        if (!worth_telling(e, saves.about) && groups->excess < 0.01 * e->total)
            continue;
        finding *f = add_finding(e, words[kind].finding, FINDING_LIKELY, groups->excess, saves);
        if (f && kind == STRAGGLER_PERIOD && e->trace->of_tasks) { /* or they had more to do: their size is not told */
            f->confidence = FINDING_NOTE;
            f->of_any_run = true;
        }
        if (kind == STRAGGLER_PERIOD)
            tell_period(e, f);
        else if (kind == STRAGGLER_WARM_UP)
            tell_warm_up(e, f);
        else
            tell_groups(e, f, (straggler_kind)kind, words[kind].what);
        tell_waiting(e, f, (straggler_kind)kind);
    }
    double excess = e->stragglers.outlier_excess;
    saving saves = excess > 0 ? saving_of(e, &(replay_change){.no_outliers = true}, excess) : saving_exactly(0);
    if (saves.about < 0.03 * e->wall)
        return;
    finding *f = add_finding(e, FINDING_STRAGGLERS, FINDING_LIKELY, excess, saves);
    add_evidence(f, "chunks of which a part took more than expected", NOBODY,
                 fmin(e->stragglers.outlier_limit[STRAGGLER_COMPUTE], e->stragglers.outlier_limit[STRAGGLER_IO]),
                 "times");
    add_evidence(f, "how many", NOBODY, (double)e->stragglers.outliers, "count");
}

/* ---- Workers and attempts that were lost ------------------------------------------------------------------------- */

void explain_losses(explaining *e)
{
    double lost = real_of(e, M_run_workers_lost);
    const finding *growth = find_finding(e, FINDING_MEMORY_GROWTH), *limit = find_finding(e, FINDING_MEMORY_LIMIT);
    if (!(lost > 0) || (growth && growth->core_seconds > 0) || (limit && limit->core_seconds > 0))
        return;
    double cost = cost_of_losses(e);
    saving saves = saving_of(e, &(replay_change){.no_losses = true}, cost);
    finding *f = add_finding(e, FINDING_WORKERS_LOST, confidence_of_replay(e), cost, saves);
    add_evidence(f, "workers lost", NOBODY, lost, "count");
    for (uint32_t w = 0, told = 0; w < run_workers(e->run) && told < 2; w++) {
        const roast_worker *worker = run_worker(e->run, w);
        if (!worker->lost || str_absent(worker->reason))
            continue;
        add_evidence(f, "reason", worker->reason, (double)NAN, "");
        told++;
        break;
    }
}

static failure_nature nature_in(const roast_summary *s, roast_scope scope, metric_id column)
{
    bool transient = false, permanent = false;
    for (size_t i = 0; i < s->rows[scope].count; i++) {
        roast_value nature = summary_cell(s, column, i);
        transient |= nature.kind == ROAST_TEXT && str_equal(nature.as.text, STR("transient"));
        permanent |= nature.kind == ROAST_TEXT && str_equal(nature.as.text, STR("permanent"));
    }
    return transient && permanent ? NATURE_BOTH
           : transient            ? NATURE_TRANSIENT
           : permanent            ? NATURE_PERMANENT
                                  : NATURE_UNCLEAR;
}

/* The dataset that lacks the largest share of its events. */
static void tell_missing_dataset(explaining *e, finding *f)
{
    const roast_summary *s = e->summary;
    double worst = 0;
    roast_value name = {.kind = ROAST_NOTHING};
    for (size_t i = 0; i < s->rows[ROAST_SCOPE_DATASET].count; i++) {
        double share =
            summary_cell_number(s, M_dataset_missing_events, i) / summary_cell_number(s, M_dataset_events_expected, i);
        if (!(share > worst))
            continue;
        worst = share;
        name = summary_cell(s, M_dataset_dataset, i);
    }
    if (name.kind == ROAST_TEXT)
        add_evidence(f, "share that is missing of", name.as.text, 100 * worst, "%");
}

/* A result that is not whole comes before anything about time. It says what is missing whatever that cost. */
void explain_missing_events(explaining *e)
{
    const roast_summary *s = e->summary;
    size_t rows = s->rows[ROAST_SCOPE_MISSING].count;
    finding *f = rows ? add_finding(e, FINDING_MISSING, FINDING_SURE, 0, saving_exactly(0)) : NULL;
    if (!f)
        return;
    f->confidence = FINDING_SURE;
    f->nature = missing_from_a_result(s) ? nature_in(s, ROAST_SCOPE_MISSING, M_missing_nature) : NATURE_NO_RESULT;
    double events = real_of(e, M_run_missing_events), chunks = real_of(e, M_run_missing_chunks);
    if (events > 0)
        add_evidence(f, "events that are missing", NOBODY, events, "count");
    if (chunks > 0)
        add_evidence(f, f->nature == NATURE_NO_RESULT ? "chunks to be run again" : "chunks that never succeeded",
                     NOBODY, chunks, "count");
    tell_missing_dataset(e, f);
    add_evidence(f, "files that are not whole", NOBODY, real_of(e, M_run_missing_files), "count");
    size_t told = 0; /* the first of which there is an error, if any */
    for (size_t i = rows; i-- > 0;)
        told = summary_cell(s, M_missing_error_type, i).kind == ROAST_TEXT ? i : told;
    roast_value file = summary_cell(s, M_missing_file, told), error = summary_cell(s, M_missing_error_type, told);
    if (file.kind == ROAST_TEXT)
        add_evidence(f, "among them", file.as.text, (double)NAN, "");
    if (error.kind == ROAST_TEXT)
        add_evidence(f, "which failed with", error.as.text, (double)NAN, "");
}

/* The most frequent reason, and whether it was always in one place. */
static void tell_failures(explaining *e, finding *f)
{
    const roast_summary *s = e->summary;
    size_t rows = s->rows[ROAST_SCOPE_FAILURE].count, worst = 0;
    for (size_t i = 1; i < rows; i++)
        if (summary_cell_number(s, M_failure_lost_seconds, i) > summary_cell_number(s, M_failure_lost_seconds, worst))
            worst = i;
    if (!rows)
        return;
    roast_value type = summary_cell(s, M_failure_error_type, worst), text = summary_cell(s, M_failure_error, worst);
    roast_value file = summary_cell(s, M_failure_file, worst);
    double here = 0, all = 0;
    for (size_t i = 0; i < rows; i++) {
        roast_value other = summary_cell(s, M_failure_file, i);
        bool same = other.kind == ROAST_TEXT && file.kind == ROAST_TEXT && str_equal(other.as.text, file.as.text);
        here += same ? summary_cell_number(s, M_failure_count, i) : 0;
        all += summary_cell_number(s, M_failure_count, i);
    }
    if (type.kind == ROAST_TEXT)
        add_evidence(f, "most time lost to", type.as.text, (double)NAN, "");
    if (text.kind == ROAST_TEXT)
        add_evidence(f, "which said", text.as.text, (double)NAN, "error");
    if (here > 1 && here > 0.5 * all)
        add_evidence(f, "failures in one file", file.as.text, here, "count");
}

void explain_failures(explaining *e)
{
    size_t failed = 0, killed = 0;
    double cost = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        killed += a->killed;
        failed += a->failed && !a->killed;
        cost += a->failed && !a->killed ? trace_seconds(a) : 0;
    }
    double attempts = real_of(e, M_run_num_failed_chunks);
    if (e->trace->of_tasks) { /* of most of which the engine tells no more than how many they were, and their time */
        attempts = real_of(e, M_run_num_failed_tasks);
        failed = attempts > 0;
        cost = e->ledger[LEDGER_FAILED];
    }
    if (!failed)
        return;
    finding *f = add_finding(e, FINDING_FAILURES, confidence_of_replay(e), cost,
                             saving_of(e, &(replay_change){.no_failures = true}, cost));
    if (f)
        f->nature = nature_in(e->summary, ROAST_SCOPE_FAILURE, M_failure_nature);
    add_evidence(f, "attempts that failed", NOBODY, attempts, "count");
    if (killed)
        add_evidence(f, "of them, killed with their worker", NOBODY, (double)killed, "count");
    tell_failures(e, f);
}

/* ---- The beginning ------------------------------------------------------------------------------------------------
 */

typedef struct late_workers {
    double count, last, missing; /* seconds after the start at which the last came; core-seconds before they came */
} late_workers;

/* Who came for another is not late: that other was lost, or was not needed. */
static late_workers count_late(const explaining *e)
{
    late_workers late = {0};
    for (uint32_t w = 0; w < run_workers(e->run); w++) {
        const roast_worker *worker = run_worker(e->run, w);
        bool comes = worker->joined_ns != ROAST_ABSENT && worker->joined_ns > e->summary->t_start_ns &&
                     worker->joined_ns < e->summary->t_end_ns && worker->cores > 0;
        if (!comes || e->replay.stands_for[w] != PRESENCE_NEW)
            continue;
        double after = clock_seconds(worker->joined_ns - e->summary->t_start_ns);
        late.count++;
        late.last = fmax(late.last, after);
        late.missing += (double)worker->cores * after;
    }
    return late;
}

static void explain_ramp_up(explaining *e)
{
    late_workers late = count_late(e);
    if (!worth_a_look(e, late.missing) || run_counts(e->run))
        return;
    saving saves = saving_of(e, &(replay_change){.all_present = true}, late.missing);
    if (!worth_telling(e, saves.about))
        return;
    finding *f = add_finding(e, FINDING_RAMP_UP, confidence_of_replay(e), late.missing, saves);
    add_evidence(f, "workers that came after the start", NOBODY, late.count, "count");
    add_evidence(f, "the last of them came after", NOBODY, late.last, "s");
}

/* ---- The scheduler --------------------------------------------------------------------------------------------------
 */

/* Core-seconds of workers that were there and were never given a chunk while there were some. */
static double never_used(explaining *e)
{
    double unused = 0;
    int64_t last_ns = 0;
    bool *used = calloc(run_workers(e->run) + 1, sizeof *used);
    if (!used)
        e->code = fail_memory(e->err);
    for (size_t i = 0; used && i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        last_ns = a->start_ns;
        if (a->worker < run_workers(e->run))
            used[a->worker] = true;
    }
    for (uint32_t w = 0; used && w < run_workers(e->run); w++) {
        const roast_worker *worker = run_worker(e->run, w);
        int64_t from, to;
        bool there = worker_presence(worker, e->summary->t_start_ns, last_ns, &from, &to);
        unused += there && !used[w] && worker->cores > 0 ? (double)worker->cores * clock_seconds(to - from) : 0;
    }
    free(used);
    return unused;
}

/* Starts at once that tell the pace of whoever hands out chunks: a single interval says nothing. */
static const size_t MIN_WAVE = 8;

/* Starts of chunks as the scheduler gave them. */
typedef struct chunk_starts {
    double count, first, last; /* without retries; seconds since the start of the run */
    double pace;               /* seconds from one to the next at the beginning, when all cores were free */
    double gaps;               /* core-seconds between chunks that nothing explains */
} chunk_starts;

static chunk_starts read_starts(const explaining *e)
{
    chunk_starts s = {.first = (double)NAN};
    const trace *t = e->trace;
    for (size_t i = 0; i < t->count; i++) {
        double begun = clock_seconds(t->attempts[i].start_ns - e->summary->t_start_ns);
        s.gaps += (double)t->attempts[i].gap;
        if (t->attempts[i].retry)
            continue;
        s.first = fmin(s.first, begun);
        s.last = fmax(s.last, begun);
        s.count++;
    }
    size_t wave = (size_t)fmin(e->cores, (double)t->count); /* what follows waits for what was before it on its core */
    if (wave >= MIN_WAVE)
        s.pace = clock_seconds(t->attempts[wave - 1].start_ns - t->attempts[0].start_ns) / (double)(wave - 1);
    return s;
}

/* Of the time before the first chunks, the share that a scheduler of this pace needs: it is told twice of each task of
 * preprocessing, and hands out chunks. */
static double start_by_scheduler(const explaining *e, const chunk_starts *starts)
{
    double waited = (e->ledger[LEDGER_IDLE_START] + e->ledger[LEDGER_PREPROCESSING]) / e->cores;
    double needed = starts->pace * (2 * (double)e->trace->others_before + starts->count);
    return waited > 0 ? fmin(needed / waited, 1) : 0;
}

/* A scheduler that is slow between chunks, or after them, when merges are left and none runs, was so before them. */
void explain_scheduler(explaining *e)
{
    chunk_starts starts = read_starts(e);
    bool ended_idle = !e->running && e->trace->after_idle > e->trace->after_busy;
    double waits = ended_idle ? e->trace->after_idle : 0;
    /* Cores that have done their last chunk while others have chunks left wait for nothing that the scheduler gives. */
    double unused = never_used(e), idle = fmin(starts.gaps + unused, e->ledger[LEDGER_IDLE_QUEUE]);
    if (find_finding(e, FINDING_SMALL_TASKS)) /* that is why it is slow */
        return;
    if (!worth_a_look(e, idle + waits * e->cores) || starts.count < 2)
        return;
    if (idle > 0.1 * e->total)
        e->replay.dispatch_seconds = (starts.last - starts.first) / starts.count;
    double start = e->ledger[LEDGER_IDLE_START] + e->ledger[LEDGER_PREPROCESSING];
    double part = e->local ? 0 : start_by_scheduler(e, &starts);
    saving between = saving_of(e, &(replay_change){.no_gaps = true}, idle);
    saving before = saving_of(e, &(replay_change){.no_start = true}, start);
    if (unused > starts.gaps && !e->out->replay_answers) /* in place, nobody would give them anything either */
        between = saving_exactly((double)NAN);
    saving saves = saving_plus(saving_plus(between, saving_part(before, part)), saving_exactly(waits));
    if (!worth_telling(e, saves.about))
        return;
    e->start_explained = part;
    e->after_explained = waits;
    finding *f = add_finding(e, FINDING_SCHEDULER, FINDING_LIKELY, idle + part * start + waits * e->cores, saves);
    add_evidence(f, "chunks started per second", NOBODY, starts.count / (starts.last - starts.first), "");
    add_evidence(f, "cores waited for the next chunk, on average", NOBODY, idle / starts.count, "s");
    if (waits > 0)
        add_evidence(f, "after the last chunk nothing ran, and merges were left", NOBODY, waits, "s");
}

void explain_start(explaining *e)
{
    static const double ANY_START = 0.5; /* seconds */
    explain_ramp_up(e);
    double left = 1 - e->start_explained, idle = left * e->ledger[LEDGER_IDLE_START];
    double preprocessing = left * e->ledger[LEDGER_PREPROCESSING];
    if (worth_a_look(e, idle + preprocessing)) {
        saving both =
            saving_part(saving_of(e, &(replay_change){.no_start = true}, (idle + preprocessing) / left), left);
        double part = idle / (idle + preprocessing);
        if (worth_telling(e, both.about * part)) {
            finding *f = add_finding(e, FINDING_START_UP, confidence_of_replay(e), idle, saving_part(both, part));
            add_evidence(f, "cores waited for their first chunk, on average", NOBODY, idle / e->cores, "s");
            if (f && idle / e->cores < ANY_START) /* sending the processor and the graph takes as long */
                f->confidence = FINDING_NOTE;
        }
        /* Without preprocessing, workers would import in their first chunks: that is not saved. */
        double imports = fmax(real_of(e, M_run_preprocess_import_seconds), 0);
        saving rest = saving_less(saving_part(both, 1 - part), imports);
        if (worth_telling(e, rest.about)) {
            finding *f = add_finding(e, FINDING_PREPROCESSING, FINDING_LIKELY, preprocessing, rest);
            add_evidence(f, "preprocessing took", NOBODY, real_of(e, M_run_preprocess_time_seconds), "s");
            if (imports > 0)
                add_evidence(f, "of it, first imports of the workers", NOBODY, imports, "s");
        }
    }
}

/* ---- The end
 * ---------------------------------------------------------------------------------------------------------- */

double median_seconds(explaining *e)
{
    double *values = malloc((e->trace->count + 1) * sizeof *values);
    size_t kept = 0;
    if (!values) {
        e->code = fail_memory(e->err);
        return (double)NAN;
    }
    for (size_t i = 0; i < e->trace->count; i++)
        if (!e->trace->attempts[i].failed)
            values[kept++] = trace_seconds(&e->trace->attempts[i]);
    double median = percentile(values, kept, 50);
    free(values);
    return median;
}

/* With so many chunks per core about half of one is lost at the end, a few percent; more of them would only cost more.
 */
static const double ENOUGH_PER_CORE = 16, LEAST_PIECES = 4, MOST_PIECES = 64;

/* A tail that remains when everything with a cause of its own is gone comes from the chunks: single ones that are too
 * large, or too few of them. */
static void explain_tail(explaining *e)
{
    replay_change shape = without_causes(e);
    replay_result plain = replay_of(e, &shape);
    if (!(plain.tail_seconds > 0.04 * e->wall) || !e->out->replay_answers)
        return;
    double typical = median_seconds(e), idle = e->ledger[LEDGER_IDLE_TAIL], longest = 0, chunks = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        chunks += !e->trace->attempts[i].failed;
        longest = fmax(longest, trace_seconds(&e->trace->attempts[i]));
    }
    replay_change cut = shape, finer = shape;
    cut.longest = typical;
    finer.chunk_size = 1 / fmin(fmax(ceil(ENOUGH_PER_CORE * e->cores / chunks), LEAST_PIECES), MOST_PIECES);
    double by_cutting = plain.wall_seconds - replay_of(e, &cut).wall_seconds;
    double by_finer = plain.wall_seconds - replay_of(e, &finer).wall_seconds;
    bool large = by_cutting > 0.4 * plain.tail_seconds && by_cutting > by_finer;
    bool few = !large && by_finer > 0.3 * plain.tail_seconds;
    replay_change change = {.longest = large ? cut.longest : 0, .chunk_size = few ? finer.chunk_size : 0};
    saving saves = large || few ? saving_of(e, &change, idle) : saving_exactly(plain.tail_seconds);
    if (!worth_telling(e, saves.about))
        return;
    finding *f = add_finding(e, few ? FINDING_TOO_FEW_CHUNKS : FINDING_TAIL, confidence_of_replay(e), idle, saves);
    if (f && !large && !few) { /* every run ends with about half a chunk per core: nothing that helps is known */
        f->confidence = FINDING_NOTE;
        f->of_any_run = true;
    }
    if (f && few)
        f->factor = finer.chunk_size;
    if (f) {
        f->from_seconds = clock_seconds(e->stragglers.last_start_ns - e->summary->t_start_ns);
        f->until_seconds = e->wall;
    }
    add_evidence(f, "cores idle after the last chunk was started, on average", NOBODY, idle / e->cores, "s");
    add_evidence(f, "the longest chunk took", NOBODY, longest, "s");
    add_evidence(f, "chunks usually take", NOBODY, typical, "s");
    add_evidence(f, "chunks per core", NOBODY, chunks / e->cores, "");
}

/* After the last chunk, and between chunks on cores that merge meanwhile. */
static void explain_merging(explaining *e)
{
    double after = clock_seconds(e->summary->t_end_ns - e->replay.last_end_ns) - e->after_explained, between = 0;
    for (size_t i = 0; i < e->trace->count; i++)
        between += (double)e->trace->attempts[i].gap_other;
    double cost = after * e->cores + between;
    if (cost < 0.03 * e->total)
        return;
    saving saves = saving_of(e, &(replay_change){.no_merging = true}, cost);
    if (!(between > 0) || !(saves.about >= after)) /* what comes after the last chunk does not need a replay */
        saves = saving_exactly(after);
    if (!worth_telling(e, saves.about))
        return;
    bool merged = e->ledger[LEDGER_MERGING] > 0.3 * cost;
    finding *f = add_finding(e, FINDING_MERGING, merged ? confidence_of_replay(e) : FINDING_LIKELY, cost, saves);
    add_evidence(f, "from the last chunk to the end", NOBODY, after, "s");
    if (e->ledger[LEDGER_MERGING] > 0)
        add_evidence(f, "core time of merging", NOBODY, e->ledger[LEDGER_MERGING], "s");
}

void explain_end(explaining *e)
{
    explain_tail(e);
    explain_merging(e);
}

/* ---- Files
 * -------------------------------------------------------------------------------------------------------------- */

/* Of what is unpacked, by the core that unpacks it: LZMA gives 40 (floats) to 110 (counts) million bytes in a second,
 * 60 of a mixture like that of NanoAOD, where ZSTD and LZ4 give five to ten times as many. What chunks compute besides
 * cannot be told from it, so the saving is known to about a factor of two. */
static const double LZMA_BYTES_PER_SECOND = 60e6, OTHERS_TIMES_FASTER = 8, LZMA_FACTOR = 2;

typedef struct packed_time {
    double files, process, cpu, unpacking; /* seconds of the chunks of these files */
} packed_time;

static double unpacked_bytes(const roast_file *file, double packed)
{
    bool known = file && file->compressed > 0 && file->uncompressed > 0;
    return packed * (known ? (double)file->uncompressed / (double)file->compressed : 1);
}

static packed_time sum_lzma(const explaining *e, bool *is_lzma)
{
    packed_time sums = {0};
    for (uint32_t f = 0; f < run_files(e->run); f++) {
        is_lzma[f] = str_equal(run_file(e->run, f)->algorithm, STR("LZMA"));
        sums.files += is_lzma[f];
    }
    for (size_t i = 0; i < e->trace->count && sums.files > 0; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || a->file >= run_files(e->run) || !is_lzma[a->file])
            continue;
        double bytes = a->bytes > 0 ? unpacked_bytes(run_file(e->run, a->file), (double)a->bytes) : 0;
        sums.process += (double)(a->cpu + a->wait + a->core + a->unsplit);
        sums.cpu += (double)a->cpu;
        sums.unpacking += fmin(bytes / LZMA_BYTES_PER_SECOND, (double)a->cpu);
    }
    return sums;
}

static void explain_lzma(explaining *e)
{
    bool *is_lzma = calloc(run_files(e->run) + 1, sizeof *is_lzma);
    if (!is_lzma) {
        e->code = fail_memory(e->err);
        return;
    }
    packed_time sums = sum_lzma(e, is_lzma);
    if (sums.files > 0 && sums.process >= 0.1 * e->total) {
        double cost = sums.unpacking * (1 - 1 / OTHERS_TIMES_FASTER);
        replay_change change = {.cheaper = cost, .cheaper_files = is_lzma, .cheaper_cpu = sums.cpu};
        saving saves = cost > 0 ? saving_of(e, &change, cost) : saving_exactly(0);
        saves.low = fmin(saves.low, saves.about / LZMA_FACTOR);
        saves.high = fmin(fmax(saves.high, saves.about * LZMA_FACTOR), e->wall);
        finding *f = add_finding(e, FINDING_LZMA, FINDING_LIKELY, cost > 0 ? cost : sums.process, saves);
        add_evidence(f, "files packed with LZMA", NOBODY, sums.files, "count");
        add_evidence(f, "time in process() on them, of the core time", NOBODY, 100 * sums.process / e->all, "%");
    }
    free(is_lzma);
}

/* Times the bytes that are used: baskets do not end where chunks do, so some more are always read. */
static const double OVER_READ = 1.5;
/* Bytes in a second of one reader. Who waits longer than that takes does not wait for bytes: for answers, or asleep. */
static const double SLOWEST_STREAM = 1e6;
static const double LAYOUT_ERROR = 0.3; /* of the logarithm of bytes read: baskets do not end quite where clusters do */

/* Bytes of the branches that were used, for the part of each file that was processed; NAN if that is not known of
 * nearly all files. */
static double bytes_used(const explaining *e)
{
    const roast_summary *s = e->summary;
    double used = 0, known = 0;
    size_t files = s->rows[ROAST_SCOPE_FILE].count;
    for (size_t i = 0; i < files; i++) {
        const roast_file *file = run_file(e->run, (uint32_t)i);
        double bytes = summary_cell_number(s, M_file_bytes_read, i),
               events = summary_cell_number(s, M_file_total_events, i);
        if (!file || file->entries == ROAST_ABSENT || file->entries <= 0 || !isfinite(bytes) || !(events > 0))
            continue;
        used += bytes * fmin(events / (double)file->entries, 1);
        known++;
    }
    return known < 0.9 * (double)files ? (double)NAN : used;
}

/* How many times the bytes of its events an attempt reads because clusters are read whole, which it may share with
 * others; NAN if the layout of its file is not known. */
static double times_by_layout(const explaining *e, const trace_attempt *a)
{
    const roast_file *file = a->file < run_files(e->run) ? run_file(e->run, a->file) : NULL;
    if (!file || !(file->clusters > 0) || !(file->entries > 0) || !(a->events > 0) || a->entry < 0)
        return (double)NAN;
    double cluster = (double)file->entries / (double)file->clusters, from = (double)a->entry,
           to = from + (double)a->events;
    double first = floor(from / cluster + 1e-6), last = ceil(to / cluster - 1e-6);
    return fmax(fmin((last - first) * cluster, (double)file->entries) / (double)a->events, 1);
}

/* Storage is waited for by the byte: who reads more than is used waits for that, too. Where the layout of the files
 * explains how much more that is, chunks that end where clusters do would not read it; else nobody knows what would
 * help.
 */
void explain_over_read(explaining *e)
{
    double used = bytes_used(e), read = 0, waited = 0, by_byte = 0, events = 0, by_layout = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || a->recomputed || !(a->bytes > 0))
            continue;
        read += (double)a->bytes;
        double wait = (double)a->wait - contention_locked(&e->contention, i);
        waited += wait;
        by_byte += fmin(wait, (double)a->bytes / SLOWEST_STREAM);
        double times = times_by_layout(e, a);
        by_layout += isfinite(times) ? times * (double)a->events : 0;
        events += isfinite(times) ? (double)a->events : 0;
    }
    if (!(used > 0) || !(read > OVER_READ * used))
        return;
    bool explained = fabs(log(read / used * events / by_layout)) < LAYOUT_ERROR; /* NAN is not */
    double needless = explained ? 1 - fmax(used / read, events / by_layout) : 0, cost = by_byte * needless;
    e->unread = waited > 0 ? cost / waited : 0;
    saving saves = cost > 0 ? saving_of(e, &(replay_change){.unread = e->unread}, cost) : saving_exactly(0);
    finding *f = add_finding(e, FINDING_OVER_READ, FINDING_LIKELY, cost, saves);
    add_evidence(f, "data read", NOBODY, real_of(e, M_run_total_bytes_read), "B"); /* the word has one number */
    add_evidence(f, "bytes of the branches that were used", NOBODY, used, "B");
    if (needless > 0)
        add_evidence(f, "of the bytes read, of clusters that chunks share", NOBODY, 100 * needless, "%");
}

void explain_files(explaining *e)
{
    explain_lzma(e);
}

/* ---- The cluster
 * ----------------------------------------------------------------------------------------------------------- */

void explain_size_of_cluster(explaining *e)
{
    double used = 0;
    for (int i = 0; i < LEDGER_OF_WORK; i++)
        used += e->ledger[i];
    double idle = e->total - used;
    if (!e->out->replay_answers || idle < 0.3 * e->total || run_workers(e->run) < 2)
        return;
    replay_result half = replay_of(e, &(replay_change){.workers = 0.5});
    if (!(half.wall_seconds < 1.15 * e->as_it_was.wall_seconds))
        return;
    finding *f = add_finding(e, FINDING_TOO_MANY_WORKERS, FINDING_LIKELY, idle, saving_exactly(0));
    add_evidence(f, "cores that did nothing, of the core time", NOBODY, 100 * idle / e->total, "%");
    add_evidence(f, "with half the workers it would have taken", NOBODY, half.wall_seconds, "s");
}

/* ---- What is not known
 * --------------------------------------------------------------------------------------------------------- */

static void add_gap(explaining *e, finding_gap gap)
{
    if (e->out->n_gaps < FINDING_GAPS)
        e->out->gaps[e->out->n_gaps++] = gap;
}

static void explain_incomplete(explaining *e)
{
    double submitted = real_of(e, M_run_num_chunks), succeeded = real_of(e, M_run_num_successful_chunks);
    double failed = real_of(e, M_run_num_failed_chunks);
    if (submitted > 0 && succeeded + failed < 0.98 * submitted && !e->partly && !e->running) {
        finding *f = add_finding(e, FINDING_INCOMPLETE, FINDING_NOTE, (double)NAN, saving_exactly(0));
        add_evidence(f, "chunks submitted", NOBODY, submitted, "count");
        add_evidence(f, "attempts recorded", NOBODY, succeeded + failed, "count");
    }
    double residual = e->ledger[LEDGER_RESIDUAL];
    if (fabs(residual) > 0.05 * e->total && e->total > 0) {
        finding *f = add_finding(e, FINDING_RESIDUAL, FINDING_NOTE, residual, saving_exactly(0));
        add_evidence(f, "core time that is not explained", NOBODY, 100 * residual / e->all, "%");
    }
}

/* Not something that held the run back, but what is to be known before anything else. */
void explain_not_measured(explaining *e)
{
    double missing = e->ledger[LEDGER_NOT_MEASURED];
    double workers = real_of(e, M_run_workers_not_measured), chunks = real_of(e, M_run_chunks_not_measured);
    finding *f = add_finding(e, FINDING_NOT_MEASURED, FINDING_SURE, missing, saving_exactly(0));
    if (!f)
        return;
    f->confidence = FINDING_SURE;
    add_evidence(f, "workers not measured", NOBODY, workers, "count");
    add_evidence(f, "workers in all", NOBODY, (double)run_workers(e->run), "count");
    if (chunks > 0)
        add_evidence(f, "chunks done there", NOBODY, chunks, "count");
    add_gap(e, GAP_PARTLY);
}

/* A stall of a machine takes tenths of a second, and what is worth acting on is a twentieth of the run. */
static const double SHORT_SECONDS = 10;

void explain_what_is_missing(explaining *e)
{
    explain_incomplete(e);
    if (e->trace->too_many) {
        add_gap(e, GAP_SIZE);
        return;
    }
    if (!e->trace->count) {
        if (!e->partly || !str_absent(roast_run_fact(e->run, "no_chunks")))
            add_gap(e, GAP_CHUNKS);
        return;
    }
    double all = 0, told = 0, open = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        all += trace_seconds(&e->trace->attempts[i]);
        told += e->trace->attempts[i].cpu_known ? trace_seconds(&e->trace->attempts[i]) : 0;
        open += (double)e->trace->attempts[i].open;
    }
    if (e->trace->of_tasks)
        add_gap(e, GAP_CHUNKS);
    if (!e->trace->of_tasks && told < 0.5 * all)
        add_gap(e, GAP_CPU);
    if (!e->trace->of_tasks && !(open > 0))
        add_gap(e, GAP_OPEN);
    if (!(e->cores > 0) && !e->partly)
        add_gap(e, GAP_WORKERS);
    if (summary_value(e->summary, M_run_peak_memory_bytes).kind == ROAST_NOTHING)
        add_gap(e, GAP_MEMORY);
    if (e->wall < SHORT_SECONDS)
        add_gap(e, GAP_SHORT);
}
