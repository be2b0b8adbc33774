/* The rules: what may hold a run back, how it shows in the records, and what to change in the replay to see what it
 * cost. A rule speaks only if the numbers carry it; thresholds are shares of the run, never of a known example. */
#include <math.h>
#include <stdlib.h>

#include "analysis/explain_parts.h"
#include "analysis/presence.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

static const roast_str NOBODY = {NULL, 0};

static double real_of(const explaining *e, metric_id id)
{
    return summary_real(e->summary, id);
}

static double cell_number(const roast_summary *summary, metric_id column, size_t row)
{
    roast_value value = summary_cell(summary, column, row);
    return value.kind == ROAST_INT ? (double)value.as.integer : value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

/* What the measurement carries directly is sure; what needs a model is likely. */
static finding_confidence confidence_of_replay(const explaining *e)
{
    return e->out->replay_answers && e->out->replay_error_percent < 5 ? FINDING_SURE : FINDING_LIKELY;
}

/* ---- Slow hosts, workers, storage, files, times ------------------------------------------------------------------ */

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
        add_evidence(f, what, straggler_name(&e->stragglers, kind, worst), (double)groups->slowdown[worst], "times");
    }
    if (groups->n_slow > n_told)
        add_evidence(f, "slow ones in all", NOBODY, groups->n_slow, "count");
}

static void tell_period(explaining *e, finding *f)
{
    const straggler_groups *groups = &e->stragglers.kinds[STRAGGLER_PERIOD];
    double slowest = 1, length = e->wall / STRAGGLER_PERIODS;
    uint32_t first = TRACE_NONE, last = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        if (!groups->slow[g])
            continue;
        first = first == TRACE_NONE ? g : first;
        last = g;
        slowest = fmax(slowest, (double)groups->slowdown[g]);
    }
    add_evidence(f, "from", NOBODY, first * length, "s");
    add_evidence(f, "until", NOBODY, (last + 1) * length, "s");
    add_evidence(f, "chunks begun then took", NOBODY, slowest, "times");
}

/* Whether the slow ones wait longer or compute longer. */
static void tell_waiting(explaining *e, finding *f, straggler_kind kind)
{
    double wait = 0, all = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || !a->cpu_known || straggler_slowdown(&e->stragglers, kind, a) <= 1)
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
        [STRAGGLER_PERIOD] = {FINDING_SLOW_PERIOD, ""},
    };
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++) {
        const straggler_groups *groups = &e->stragglers.kinds[kind];
        if (!groups->guilty)
            continue;
        replay_change change = {0};
        change.not_slow[kind] = true;
        double saving = saving_of(e, &change, groups->excess);
        if (!worth_telling(e, saving) && groups->excess < 0.01 * e->total)
            continue;
        finding *f = add_finding(e, words[kind].finding, FINDING_LIKELY, groups->excess, saving);
        if (kind == STRAGGLER_PERIOD)
            tell_period(e, f);
        else
            tell_groups(e, f, (straggler_kind)kind, words[kind].what);
        tell_waiting(e, f, (straggler_kind)kind);
    }
    double excess = e->stragglers.outlier_excess;
    double saving = excess > 0 ? saving_of(e, &(replay_change){.no_outliers = true}, excess) : 0;
    if (saving < 0.03 * e->wall)
        return;
    finding *f = add_finding(e, FINDING_STRAGGLERS, FINDING_LIKELY, excess, saving);
    add_evidence(f, "chunks that took more than expected", NOBODY, e->stragglers.outlier_limit, "times");
    add_evidence(f, "how many", NOBODY, (double)e->stragglers.outliers, "count");
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

typedef struct growth {
    double per_chunk, highest_share;       /* MiB, medians over the workers that grow; of the limit, at most */
    double chunks_left;                    /* until the first reaches its limit, if it goes on */
    size_t growing, serious, judged, died; /* workers */
} growth;

/* Memory that was gained steadily over a worker's chunks. A fifth of its limit is serious; half of what it began with,
 * chunk by chunk the same, is worth a note. */
typedef enum growing { GROWS_NOT, GROWS_NOTABLY, GROWS_SERIOUSLY } growing;

static growing how_it_grows(const trace_memory *memory, double limit)
{
    double slope = line_fit_slope(&memory->growth), gained = slope * (double)(memory->growth.count - 1);
    double r2 = line_fit_r2(&memory->growth);
    if (memory->growth.count < 6 || !(r2 > 0.5))
        return GROWS_NOT;
    if (gained > (limit > 0 ? 0.2 * limit : 0.5 * memory->first))
        return GROWS_SERIOUSLY;
    return r2 > 0.9 && gained > 0.5 * memory->first && gained > 100 ? GROWS_NOTABLY : GROWS_NOT;
}

static growth measure_growth(explaining *e)
{
    growth g = {.chunks_left = (double)NAN};
    double *slopes = malloc((e->trace->n_workers + 1) * sizeof *slopes);
    if (!slopes) {
        e->code = fail_memory(e->err);
        return g;
    }
    for (uint32_t w = 0; w < e->trace->n_workers; w++) {
        const trace_memory *memory = &e->trace->workers[w];
        const roast_worker *worker = run_worker(e->run, w);
        double limit = worker->memory_limit > 0 ? (double)worker->memory_limit / 1048576.0 : (double)NAN;
        g.judged += memory->growth.count >= 6;
        growing how = how_it_grows(memory, limit);
        if (how == GROWS_NOT)
            continue;
        g.serious += how == GROWS_SERIOUSLY;
        g.chunks_left = fmin(g.chunks_left, (limit - memory->highest) / line_fit_slope(&memory->growth));
        double sampled = cell_number(e->summary, M_worker_peak_memory_bytes, w) / 1048576.0;
        double share = fmax(memory->highest, sampled) / limit; /* fmax passes over what is absent */
        slopes[g.growing++] = line_fit_slope(&memory->growth);
        g.highest_share = fmax(g.highest_share, share);
        g.died += worker->lost && share > 0.75;
    }
    g.per_chunk = percentile(slopes, g.growing, 50);
    free(slopes);
    return g;
}

/* Time of attempts that were killed or done again, and of the cores that were missing afterwards. */
static double cost_of_losses(const explaining *e)
{
    double cost = e->ledger[LEDGER_LOST];
    for (size_t i = 0; i < e->trace->count; i++)
        cost += e->trace->attempts[i].killed ? trace_seconds(&e->trace->attempts[i]) : 0;
    return cost;
}

static void explain_growth(explaining *e)
{
    growth g = measure_growth(e);
    if (g.judged < 1 || g.growing * 2 < g.judged)
        return;
    double cost = g.died ? cost_of_losses(e) : 0;
    double saving = g.died ? saving_of(e, &(replay_change){.no_losses = true}, cost) : 0;
    finding *f = add_finding(e, FINDING_MEMORY_GROWTH, FINDING_LIKELY, cost, saving);
    if (f) /* it ends a longer run, whatever it cost this one */
        f->confidence = g.serious * 2 >= g.judged ? FINDING_LIKELY : FINDING_NOTE;
    add_evidence(f, "growth per chunk", NOBODY, g.per_chunk, "MiB");
    add_evidence(f, "workers that grow", NOBODY, (double)g.growing, "count");
    if (g.highest_share > 0)
        add_evidence(f, "highest memory, of the limit", NOBODY, 100 * g.highest_share, "%");
    if (g.chunks_left > 0)
        add_evidence(f, "chunks until a worker reaches it, at this pace", NOBODY, floor(g.chunks_left), "count");
    if (g.died)
        add_evidence(f, "workers lost near their limit", NOBODY, (double)g.died, "count");
}

void explain_memory(explaining *e)
{
    explain_growth(e);
    double highest = real_of(e, M_run_memory_utilization_percent_max), spilled = real_of(e, M_run_spilled_bytes_peak);
    double written = real_of(e, M_run_disk_write_bytes), limit = (double)NAN;
    for (uint32_t w = 0; w < run_workers(e->run); w++)
        limit = fmax(limit, (double)run_worker(e->run, w)->memory_limit);
    if (highest > 80 && !find_finding(e, FINDING_MEMORY_GROWTH)) {
        finding *f = add_finding(e, FINDING_MEMORY_LIMIT, FINDING_LIKELY, 0, 0);
        if (f && highest > 90)
            f->confidence = FINDING_LIKELY;
        add_evidence(f, "highest memory, of the limit", NOBODY, highest, "%");
    }
    if (!(spilled > 0))
        return;
    finding *f = add_finding(e, FINDING_SPILLING, FINDING_LIKELY, 0, 0);
    if (f && spilled > 0.1 * limit)
        f->confidence = FINDING_LIKELY;
    add_evidence(f, "most spilled by one worker", NOBODY, spilled, "B");
    if (written > 0)
        add_evidence(f, "written to disk in all", NOBODY, written, "B");
}

/* ---- Workers and attempts that were lost ------------------------------------------------------------------------- */

void explain_losses(explaining *e)
{
    double lost = real_of(e, M_run_workers_lost);
    const finding *memory = find_finding(e, FINDING_MEMORY_GROWTH);
    if (!(lost > 0) || (memory && memory->saving_seconds > 0))
        return;
    double cost = cost_of_losses(e);
    double saving = saving_of(e, &(replay_change){.no_losses = true}, cost);
    finding *f = add_finding(e, FINDING_WORKERS_LOST, confidence_of_replay(e), cost, saving);
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

/* The most frequent reason, and whether it was always in one place. */
static void tell_failures(explaining *e, finding *f)
{
    const roast_summary *s = e->summary;
    size_t rows = s->rows[ROAST_SCOPE_FAILURE].count, worst = 0;
    for (size_t i = 1; i < rows; i++)
        if (cell_number(s, M_failure_lost_seconds, i) > cell_number(s, M_failure_lost_seconds, worst))
            worst = i;
    if (!rows)
        return;
    roast_value type = summary_cell(s, M_failure_error_type, worst), text = summary_cell(s, M_failure_error, worst);
    roast_value file = summary_cell(s, M_failure_file, worst);
    double here = 0, all = 0;
    for (size_t i = 0; i < rows; i++) {
        roast_value other = summary_cell(s, M_failure_file, i);
        bool same = other.kind == ROAST_TEXT && file.kind == ROAST_TEXT && str_equal(other.as.text, file.as.text);
        here += same ? cell_number(s, M_failure_count, i) : 0;
        all += cell_number(s, M_failure_count, i);
    }
    if (type.kind == ROAST_TEXT)
        add_evidence(f, "most time lost to", type.as.text, (double)NAN, "");
    if (text.kind == ROAST_TEXT)
        add_evidence(f, "which said", text.as.text, (double)NAN, "");
    if (here > 1 && here > 0.5 * all)
        add_evidence(f, "failures in one file", file.as.text, here, "count");
}

void explain_failures(explaining *e)
{
    size_t failed = 0;
    double cost = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        failed += a->failed && !a->killed;
        cost += a->failed && !a->killed ? trace_seconds(a) : 0;
    }
    if (!failed)
        return;
    finding *f = add_finding(e, FINDING_FAILURES, confidence_of_replay(e), cost,
                             saving_of(e, &(replay_change){.no_failures = true}, cost));
    add_evidence(f, "attempts that failed", NOBODY, (double)failed, "count");
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
    double saving = saving_of(e, &(replay_change){.all_present = true}, late.missing);
    if (!worth_telling(e, saving))
        return;
    finding *f = add_finding(e, FINDING_RAMP_UP, confidence_of_replay(e), late.missing, saving);
    add_evidence(f, "workers that came after the start", NOBODY, late.count, "count");
    add_evidence(f, "the last of them came after", NOBODY, late.last, "s");
}

void explain_start(explaining *e)
{
    explain_ramp_up(e);
    double idle = e->ledger[LEDGER_IDLE_START], preprocessing = e->ledger[LEDGER_PREPROCESSING];
    if (worth_a_look(e, idle + preprocessing)) {
        double both = saving_of(e, &(replay_change){.no_start = true}, idle + preprocessing);
        double part = idle / (idle + preprocessing);
        if (worth_telling(e, both * part)) {
            finding *f = add_finding(e, FINDING_START_UP, confidence_of_replay(e), idle, both * part);
            add_evidence(f, "cores waited for their first chunk, on average", NOBODY, idle / e->cores, "s");
        }
        if (worth_telling(e, both * (1 - part))) {
            finding *f = add_finding(e, FINDING_PREPROCESSING, FINDING_LIKELY, preprocessing, both * (1 - part));
            add_evidence(f, "preprocessing took", NOBODY, real_of(e, M_run_preprocess_time_seconds), "s");
        }
    }
}

/* ---- The scheduler --------------------------------------------------------------------------------------------------
 */

void explain_scheduler(explaining *e)
{
    double idle = e->ledger[LEDGER_IDLE_QUEUE], first = (double)NAN, last = 0, starts = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        double begun = clock_seconds(a->start_ns - e->summary->t_start_ns);
        if (a->retry)
            continue;
        first = fmin(first, begun);
        last = fmax(last, begun);
        starts++;
    }
    if (!worth_a_look(e, idle) || starts < 2)
        return;
    if (idle > 0.1 * e->total)
        e->replay.dispatch_seconds = (last - first) / starts;
    double saving = saving_of(e, &(replay_change){.no_gaps = true}, idle);
    if (!worth_telling(e, saving))
        return;
    finding *f = add_finding(e, FINDING_SCHEDULER, FINDING_LIKELY, idle, saving);
    add_evidence(f, "chunks started per second", NOBODY, starts / (last - first), "");
    add_evidence(f, "cores waited for the next chunk, on average", NOBODY, idle / starts, "s");
}

/* ---- Inside the chunks
 * ------------------------------------------------------------------------------------------------ */

typedef struct busy_sums {
    double all, open, wait, cpu, core, chunks, told; /* core-seconds of what succeeded; told: with CPU times */
} busy_sums;

/* Over the attempts that nothing specific explains, or over all. */
static busy_sums sum_busy(const explaining *e, bool ordinary)
{
    busy_sums sums = {0};
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        bool slow = straggler_outlier(&e->stragglers, i);
        for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
            slow |= straggler_slowdown(&e->stragglers, (straggler_kind)kind, a) > 1;
        if (a->failed || (ordinary && slow))
            continue;
        sums.all += trace_seconds(a);
        sums.open += (double)(a->open + a->events_s);
        sums.wait += (double)a->wait;
        sums.cpu += (double)a->cpu;
        sums.core += (double)a->core;
        sums.told += a->cpu_known ? trace_seconds(a) : 0;
        sums.chunks++;
    }
    return sums;
}

/* Chunks so much larger that opening takes no more than this of what follows it, as far as files have so many chunks
 * and every core still gets six. */
static const double TOLERABLE_OPENING = 0.05;

static void explain_opening(explaining *e, const busy_sums *sums)
{
    double share = sums->open / sums->all, files = real_of(e, M_run_num_files);
    if (!(share > 0.08))
        return;
    double most = fmin(sums->chunks / fmax(files, 1), sums->chunks / (6 * e->cores)), factor = 1;
    double wanted = ceil(sums->open / (sums->all - sums->open) / TOLERABLE_OPENING);
    if (most >= 2)
        factor = fmin(wanted, floor(most));
    replay_change change = {.chunk_size = factor, .no_open = factor == 1};
    double saving = saving_of(e, &change, sums->open * (factor > 1 ? 1 - 1 / factor : 1));
    if (!worth_telling(e, saving))
        return;
    finding *f = add_finding(e, FINDING_OPENING, confidence_of_replay(e), sums->open, saving);
    if (f && share < 0.12)
        f->confidence = FINDING_NOTE;
    if (f && factor > 1)
        f->factor = factor;
    add_evidence(f, "of the time of a chunk, opening and building events", NOBODY, 100 * share, "%");
    add_evidence(f, "per chunk", NOBODY, sums->open / sums->chunks, "s");
    add_evidence(f, "events per chunk", NOBODY, real_of(e, M_run_chunk_events_mean), "count");
    if (factor > 1)
        add_evidence(f, "chunks to make of it, larger by", NOBODY, factor, "times");
}

static const char *cpu_of_core_time(const explaining *e)
{
    return e->partly ? "CPU in process(), of the measured core time" : "CPU in process(), of the core time";
}

static void explain_io(explaining *e)
{
    busy_sums ordinary = sum_busy(e, true), all = sum_busy(e, false);
    double share = ordinary.all > 0 ? ordinary.wait / ordinary.all : 0;
    if (all.told < 0.5 * all.all || share < 0.2)
        return;
    double saving = saving_of(e, &(replay_change){.no_wait = true}, all.wait);
    finding *f = add_finding(e, FINDING_IO_BOUND, confidence_of_replay(e), all.wait, saving);
    if (f && share < 0.35)
        f->confidence = FINDING_NOTE;
    add_evidence(f, "of the time of a chunk, waiting in process()", NOBODY, 100 * share, "%");
    double bytes = real_of(e, M_run_total_bytes_read);
    if (bytes > 0 && !e->partly) /* that is of all chunks */
        add_evidence(f, "read per core and second", NOBODY, bytes / all.all, "B");
    add_evidence(f, cpu_of_core_time(e), NOBODY, 100 * all.cpu / e->total, "%");
}

void explain_process(explaining *e)
{
    busy_sums all = sum_busy(e, false);
    if (!(all.all > 0))
        return;
    explain_opening(e, &all);
    explain_io(e);
    if (all.core > 0.1 * all.all) {
        finding *f = add_finding(e, FINDING_NO_CORE_FREE, confidence_of_replay(e), all.core, all.core / e->cores);
        add_evidence(f, "of the time of a chunk, ready to run without a core", NOBODY, 100 * all.core / all.all, "%");
    }
    double cpu = e->ledger[LEDGER_PROCESS_CPU] / e->total;
    if (cpu < 0.6)
        return;
    replay_result twice = {.wall_seconds = (double)NAN};
    if (e->out->replay_answers)
        twice = replay_of(e, &(replay_change){.workers = 2});
    double saving = isfinite(twice.wall_seconds) ? e->as_it_was.wall_seconds - twice.wall_seconds : e->wall / 2;
    finding *f = add_finding(e, FINDING_CPU_BOUND, FINDING_NOTE, e->ledger[LEDGER_PROCESS_CPU], fmax(saving, 0));
    add_evidence(f, cpu_of_core_time(e), NOBODY, 100 * cpu, "%");
}

/* ---- The end
 * ---------------------------------------------------------------------------------------------------------- */

static double median_seconds(explaining *e)
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

/* A tail that remains when everything with a cause of its own is gone comes from the chunks: single ones that are too
 * large, or too few of them. */
static void explain_tail(explaining *e)
{
    replay_change shape = without_causes(e);
    replay_result plain = replay_of(e, &shape);
    if (!(plain.tail_seconds > 0.04 * e->wall) || !e->out->replay_answers)
        return;
    double typical = median_seconds(e), idle = e->ledger[LEDGER_IDLE_TAIL];
    replay_change cut = shape, finer = shape;
    cut.longest = 2 * typical;
    finer.chunk_size = 0.25;
    double by_cutting = plain.wall_seconds - replay_of(e, &cut).wall_seconds;
    double by_finer = plain.wall_seconds - replay_of(e, &finer).wall_seconds;
    bool large = by_cutting > 0.4 * plain.tail_seconds;
    bool few = !large && by_finer > 0.3 * plain.tail_seconds;
    replay_change change = {.longest = large ? cut.longest : 0, .chunk_size = few ? 0.25 : 0};
    double saving = large || few ? saving_of(e, &change, idle) : plain.tail_seconds;
    if (!worth_telling(e, saving))
        return;
    finding *f = add_finding(e, few ? FINDING_TOO_FEW_CHUNKS : FINDING_TAIL, confidence_of_replay(e), idle, saving);
    if (f && !large && !few)
        f->confidence = FINDING_NOTE; /* every run ends with about half a chunk per core: nothing that helps is known */
    double longest = 0, chunks = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        chunks += !e->trace->attempts[i].failed;
        longest = fmax(longest, trace_seconds(&e->trace->attempts[i]));
    }
    add_evidence(f, "cores idle after the last chunk was started, on average", NOBODY, idle / e->cores, "s");
    add_evidence(f, "the longest chunk took", NOBODY, longest, "s");
    add_evidence(f, "chunks usually take", NOBODY, typical, "s");
    add_evidence(f, "chunks per core", NOBODY, chunks / e->cores, "");
}

void explain_end(explaining *e)
{
    explain_tail(e);
    double after = clock_seconds(e->summary->t_end_ns - e->replay.last_end_ns);
    if (after < 0.03 * e->wall)
        return;
    bool merged = e->ledger[LEDGER_MERGING] > 0.3 * after * e->cores;
    finding *f =
        add_finding(e, FINDING_MERGING, merged ? confidence_of_replay(e) : FINDING_LIKELY, after * e->cores, after);
    add_evidence(f, "from the last chunk to the end", NOBODY, after, "s");
    if (e->ledger[LEDGER_MERGING] > 0)
        add_evidence(f, "core time of merging", NOBODY, e->ledger[LEDGER_MERGING], "s");
}

/* ---- Files
 * -------------------------------------------------------------------------------------------------------------- */

static void explain_lzma(explaining *e)
{
    const roast_summary *s = e->summary;
    size_t files = s->rows[ROAST_SCOPE_FILE].count, lzma = 0;
    double seconds = 0;
    for (size_t i = 0; i < files; i++) {
        roast_value with = summary_cell(s, M_file_algorithm, i);
        bool is_lzma = with.kind == ROAST_TEXT && str_equal(with.as.text, STR("LZMA"));
        double here = cell_number(s, M_file_total_duration, i);
        lzma += is_lzma;
        seconds += is_lzma && here > 0 ? here : 0;
    }
    if (!lzma || seconds < 0.1 * e->total)
        return;
    finding *f = add_finding(e, FINDING_LZMA, FINDING_NOTE, seconds, 0);
    add_evidence(f, "files packed with LZMA", NOBODY, (double)lzma, "count");
    add_evidence(f, "time in process() on them, of the core time", NOBODY, 100 * seconds / e->all, "%");
}

/* Bytes that were read, against those of the branches that were used, for the part of each file that was processed. */
static void explain_over_read(explaining *e)
{
    const roast_summary *s = e->summary;
    double used = 0, read = real_of(e, M_run_total_bytes_read), known = 0;
    size_t files = s->rows[ROAST_SCOPE_FILE].count;
    for (size_t i = 0; i < files; i++) {
        const roast_file *file = run_file(e->run, (uint32_t)i);
        double bytes = cell_number(s, M_file_bytes_read, i), events = cell_number(s, M_file_total_events, i);
        if (!file || file->entries == ROAST_ABSENT || file->entries <= 0 || !isfinite(bytes) || !(events > 0))
            continue;
        used += bytes * fmin(events / (double)file->entries, 1);
        known++;
    }
    if (known < 0.9 * (double)files || !(used > 0) || !(read > 1.5 * used))
        return;
    finding *f = add_finding(e, FINDING_OVER_READ, FINDING_NOTE, (double)NAN, 0);
    add_evidence(f, "bytes read", NOBODY, read, "B");
    add_evidence(f, "bytes of the branches that were used", NOBODY, used, "B");
}

void explain_files(explaining *e)
{
    explain_lzma(e);
    if (!e->partly) /* bytes are those of all chunks, branches those of the measured ones */
        explain_over_read(e);
}

/* ---- The cluster
 * ----------------------------------------------------------------------------------------------------------- */

void explain_size_of_cluster(explaining *e)
{
    double used = 0;
    for (int i = 0; i < LEDGER_OF_CHUNKS; i++)
        used += e->ledger[i];
    double idle = e->total - used;
    if (!e->out->replay_answers || idle < 0.3 * e->total || run_workers(e->run) < 2)
        return;
    replay_result half = replay_of(e, &(replay_change){.workers = 0.5});
    if (!(half.wall_seconds < 1.15 * e->as_it_was.wall_seconds))
        return;
    finding *f = add_finding(e, FINDING_TOO_MANY_WORKERS, FINDING_LIKELY, idle, 0);
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
    if (submitted > 0 && succeeded + failed < 0.98 * submitted && !e->partly) {
        finding *f = add_finding(e, FINDING_INCOMPLETE, FINDING_NOTE, (double)NAN, 0);
        add_evidence(f, "chunks submitted", NOBODY, submitted, "count");
        add_evidence(f, "attempts recorded", NOBODY, succeeded + failed, "count");
    }
    double residual = e->ledger[LEDGER_RESIDUAL];
    if (fabs(residual) > 0.05 * e->total && e->total > 0) {
        finding *f = add_finding(e, FINDING_RESIDUAL, FINDING_NOTE, residual, 0);
        add_evidence(f, "core time that is not explained", NOBODY, 100 * residual / e->all, "%");
    }
}

/* Not something that held the run back, but what is to be known before anything else. */
void explain_not_measured(explaining *e)
{
    double missing = e->ledger[LEDGER_NOT_MEASURED];
    double workers = real_of(e, M_run_workers_not_measured), chunks = real_of(e, M_run_chunks_not_measured);
    finding *f = add_finding(e, FINDING_NOT_MEASURED, FINDING_SURE, missing, 0);
    if (!f)
        return;
    f->confidence = FINDING_SURE;
    add_evidence(f, "workers not measured", NOBODY, workers, "count");
    add_evidence(f, "workers in all", NOBODY, (double)run_workers(e->run), "count");
    if (chunks > 0)
        add_evidence(f, "chunks done there", NOBODY, chunks, "count");
    add_gap(e, GAP_PARTLY);
}

void explain_what_is_missing(explaining *e)
{
    explain_incomplete(e);
    if (e->trace->dropped) {
        add_gap(e, GAP_SIZE);
        return;
    }
    if (!e->trace->count) {
        if (!e->partly || !str_absent(roast_run_fact(e->run, "no_chunks")))
            add_gap(e, GAP_CHUNKS);
        return;
    }
    busy_sums all = {0};
    for (size_t i = 0; i < e->trace->count; i++) {
        all.all += trace_seconds(&e->trace->attempts[i]);
        all.told += e->trace->attempts[i].cpu_known ? trace_seconds(&e->trace->attempts[i]) : 0;
        all.open += (double)e->trace->attempts[i].open;
    }
    if (all.told < 0.5 * all.all)
        add_gap(e, GAP_CPU);
    if (!(all.open > 0))
        add_gap(e, GAP_OPEN);
    if (!(e->cores > 0) && !e->partly)
        add_gap(e, GAP_WORKERS);
    if (summary_value(e->summary, M_run_peak_memory_bytes).kind == ROAST_NOTHING)
        add_gap(e, GAP_MEMORY);
}
