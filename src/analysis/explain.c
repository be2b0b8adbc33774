/* Explaining a run: what held it back, ranked by what fixing it would save. Each rule proposes a change to what
 * happened, and the replay says how much shorter the run would have been. Specific causes come first (a slow host, a
 * bad file, a worker that died): what they explain is not blamed on general ones (I/O, the tail). */
#include "analysis/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/coverage.h"
#include "analysis/explain_parts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"

static const double LARGEST_ERROR_PERCENT = 15; /* of a replay that is believed */
/* Of the wall time: what a replay that is exact may still be off by. When a run ends is chance within part of a chunk.
 */
static const double LEAST_ERROR = 0.01;
/* Of what is irregular: a change that removes so much of it leaves a run that the replay can play, even if it cannot
 * play what happened. */
static const double MOST_OF_IT = 0.7;
/* Of the wall time: what saves less is a note. */
static const double WORTH_ACTING = 0.05, NEARLY = 0.8;
/* Nobody changes a script for a second, and in a short run a single stall of a machine is a share of it. */
static const double LEAST_SECONDS = 1;

const char *finding_id(finding_kind kind)
{
    static const char *const ids[] = {
#define FINDING_ID(name, id) #id,
        FINDING_KINDS(FINDING_ID)
#undef FINDING_ID
    };
    return (size_t)kind < FINDING_KIND_COUNT ? ids[kind] : "";
}

bool finding_is_about(finding_kind kind, ledger_category category)
{
#define IN(category) (1u << LEDGER_##category)
    static const unsigned categories[FINDING_KIND_COUNT] = {
        [FINDING_IO_BOUND] = IN(PROCESS_IO),
        [FINDING_LOCKS] = IN(PROCESS_IO),
        [FINDING_CPU_BOUND] = IN(PROCESS_CPU) | IN(TASK_CPU),
        [FINDING_SMALL_TASKS] = IN(OVERHEAD) | IN(IDLE_QUEUE),
        [FINDING_NO_TASKS] = IN(IDLE_QUEUE),
        [FINDING_TASKS_WAIT] = IN(TASK_WAIT),
        [FINDING_SPILLING] = IN(SPILLING),
        [FINDING_NO_CORE_FREE] = IN(PROCESS_CORE),
        [FINDING_OVERSUBSCRIBED] = IN(PROCESS_CORE),
        [FINDING_OPENING] = IN(OPEN) | IN(EVENTS),
        [FINDING_TAIL] = IN(IDLE_TAIL),
        [FINDING_TOO_FEW_CHUNKS] = IN(IDLE_TAIL),
        [FINDING_START_UP] = IN(IDLE_START),
        [FINDING_PREPROCESSING] = IN(PREPROCESSING),
        [FINDING_MERGING] = IN(MERGING),
        [FINDING_SCHEDULER] = IN(IDLE_QUEUE),
        [FINDING_WORKERS_LOST] = IN(LOST),
        [FINDING_FAILURES] = IN(FAILED),
    };
#undef IN
    return (categories[kind] >> category) & 1;
}

const char *finding_confidence_name(finding_confidence confidence)
{
    static const char *const names[] = {"sure", "likely", "note"};
    return (size_t)confidence < 3 ? names[confidence] : "";
}

bool finding_is_small(const explanation *e, const finding *f)
{
    return f->confidence == FINDING_NOTE && !(f->rank >= WORTH_ACTING * e->wall_seconds);
}

/* ---- For the rules ------------------------------------------------------------------------------------------- */

static replay_result play(explaining *e, replay_mode mode, const replay_change *change)
{
    replay_result result = {(double)NAN, (double)NAN, 0};
    if (!e->code)
        e->code = replay_run(&e->replay, mode, change, &result, e->err);
    return result;
}

replay_result replay_of(explaining *e, const replay_change *change)
{
    return play(e, REPLAY_ANYWHERE, change);
}

saving saving_exactly(double seconds)
{
    return (saving){seconds, seconds, seconds};
}

saving saving_part(saving whole, double part)
{
    return (saving){whole.about * part, whole.low * part, whole.high * part};
}

saving saving_plus(saving one, saving other)
{
    return (saving){one.about + other.about, one.low + other.low, one.high + other.high};
}

saving saving_less(saving whole, double seconds)
{
    return (saving){whole.about - seconds, fmax(whole.low - seconds, 0), fmax(whole.high - seconds, 0)};
}

/* A saving within what is possible: nothing saves less than nothing, or more than most. */
static saving saving_within(saving s, double most)
{
    return (saving){fmin(fmax(s.about, 0), most), fmin(fmax(s.low, 0), most), fmin(fmax(s.high, 0), most)};
}

/* Of what all changes together save in the replay, the share of one. */
static double share_of_irregular(const explaining *e, double changed)
{
    double together = e->as_it_was.wall_seconds - e->regular.wall_seconds;
    return together > 0 ? fmin(fmax((e->as_it_was.wall_seconds - changed) / together, 0), 1) : 0;
}

/* The replay on any core is off by its error. What is regular is replayed well, so the error comes from what is not,
 * and a change that makes the run regular takes the error with it: of the error a change has the share that it has of
 * what all changes together save. What is saved where nothing is moved is saved in any case. */
static saving saving_by_replays(const explaining *e, double changed, double kept)
{
    double with_error = e->as_it_was.wall_seconds - changed, without = e->wall - changed;
    double low = fmin(with_error, without), high = fmax(with_error, without);
    double about = with_error + share_of_irregular(e, changed) * (without - with_error);
    if (kept > about)
        about = fmin(kept, high);
    return (saving){about, low - LEAST_ERROR * e->wall, high + LEAST_ERROR * e->wall};
}

saving saving_of(explaining *e, const replay_change *change, double cost)
{
    /* Time that is not spent cannot save more than itself; a worker that lives on brings its cores, too. */
    double most = change->no_losses ? e->wall : fmin(cost, e->wall), kept = (double)NAN;
    if (e->partly)
        return (saving){fmin(cost / e->cores, most), 0, fmin(cost / e->cores, most)};
    if (e->out->in_place_answers && replay_keeps_places(change))
        kept = e->in_place.wall_seconds - play(e, REPLAY_IN_PLACE, change).wall_seconds;
    double changed = replay_of(e, change).wall_seconds;
    bool makes_regular = e->out->in_place_answers && share_of_irregular(e, changed) > MOST_OF_IT;
    if (isfinite(changed) && (e->out->replay_answers || makes_regular))
        return saving_within(saving_by_replays(e, changed, kept), most);
    /* What is saved where nothing is moved is saved in any case; an engine that moves chunks may save more. */
    double error = fabs(e->in_place.wall_seconds - e->wall) + LEAST_ERROR * e->wall;
    return isfinite(kept) ? saving_within((saving){kept, kept - error, kept + error}, most)
                          : saving_exactly((double)NAN);
}

bool worth_a_look(const explaining *e, double core_seconds)
{
    return core_seconds > 0.03 * e->total;
}

bool worth_telling(const explaining *e, double seconds)
{
    return !(seconds <= 0.01 * e->wall);
}

/* What a finding is ranked by: what it saves; where nobody can say, what its core time would be on all cores. */
static double rank_of(const finding *f, double cores)
{
    return isfinite(f->saving_seconds) ? f->saving_seconds : fmax(f->core_seconds, 0) / cores;
}

finding *add_finding(explaining *e, finding_kind kind, finding_confidence confidence, double cost, saving saves)
{
    explanation *out = e->out;
    if (out->count == FINDING_KIND_COUNT)
        return NULL;
    finding *f = &out->findings[out->count++];
    *f = (finding){.kind = kind,
                   .confidence = confidence,
                   .core_seconds = cost,
                   .saving_seconds = saves.about,
                   .saving_low = saves.low,
                   .saving_high = saves.high};
    f->share_percent = e->all > 0 ? 100 * cost / e->all : (double)NAN;
    f->factor = (double)NAN;
    f->rank = rank_of(f, e->cores);
    if (f->rank < fmax(WORTH_ACTING * e->wall, LEAST_SECONDS))
        f->confidence = FINDING_NOTE;
    f->nearly_worth = f->rank > NEARLY * WORTH_ACTING * e->wall;
    return f;
}

void add_evidence(finding *f, const char *what, roast_str name, double value, const char *unit)
{
    if (f && f->n_evidence < FINDING_EVIDENCE)
        f->evidence[f->n_evidence++] = (finding_evidence){what, name, value, unit};
}

const finding *find_finding(const explaining *e, finding_kind kind)
{
    for (size_t i = 0; i < e->out->count; i++)
        if (e->out->findings[i].kind == kind)
            return &e->out->findings[i];
    return NULL;
}

replay_change without_causes(const explaining *e)
{
    replay_change change = {.no_failures = true,
                            .no_losses = true,
                            .no_gaps = true,
                            .no_outliers = true,
                            .no_spilling = true,
                            .no_pausing = true,
                            .no_empty = true};
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        change.not_slow[kind] = e->stragglers.kinds[kind].guilty;
    return change;
}

/* ---- The order of findings ------------------------------------------------------------------------------------- */

/* A result that is not whole is worse than a slow one. What was not measured comes before what was, for the rest is
 * only of the rest. */
static int before_all_others(const finding *f)
{
    return f->kind == FINDING_MISSING ? 0 : f->kind == FINDING_NOT_MEASURED ? 1 : 2;
}

/* What is worth acting on comes first, and what may be, as savings are known to about a fifth, before what every run is
 * limited by; then what saves more, then what is surer. */
static int compare_findings(const void *left, const void *right)
{
    const finding *a = left, *b = right;
    if (before_all_others(a) != before_all_others(b))
        return before_all_others(a) - before_all_others(b);
    bool a_note = a->confidence == FINDING_NOTE, b_note = b->confidence == FINDING_NOTE;
    if (a_note != b_note)
        return a_note ? 1 : -1;
    if (a_note && a->of_any_run != b->of_any_run && (a->of_any_run ? b : a)->nearly_worth)
        return a->of_any_run ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    if (a->confidence != b->confidence)
        return a->confidence < b->confidence ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* ---- What would be --------------------------------------------------------------------------------------------- */

static void answer_what_ifs(explaining *e)
{
    static const struct {
        const char *id;
        replay_change change;
    } questions[] = {
        {"no_wait", {.no_wait = true}},           {"no_open", {.no_open = true}},
        {"no_stragglers", {.no_outliers = true}}, {"no_failures", {.no_failures = true, .no_losses = true}},
        {"chunks_twice", {.chunk_size = 2}},      {"chunks_half", {.chunk_size = 0.5}},
        {"workers_half", {.workers = 0.5}},       {"workers_twice", {.workers = 2}},
        {"workers_four_times", {.workers = 4}},
    };
    bool spilling = find_finding(e, FINDING_SPILLING); /* whether other chunks would fit into memory, no replay knows */
    bool crowded = find_finding(e, FINDING_OVERSUBSCRIBED); /* nor what others of our threads would do with the cores */
    for (size_t i = 0; i < sizeof questions / sizeof *questions && !e->code; i++) {
        replay_change change = questions[i].change;
        if (change.no_outliers)
            for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
                change.not_slow[kind] = true;
        bool inside = change.no_wait || change.no_open || change.chunk_size > 0;
        bool answers = !(e->trace->of_tasks && inside) && e->out->replay_answers &&
                       !(spilling && change.chunk_size > 0) && !(crowded && change.workers > 0);
        double wall = answers ? replay_of(e, &change).wall_seconds : (double)NAN;
        if (change.workers > 1 &&
            isfinite(wall)) /* storage and scheduler bound what more of them bring, but they take nothing away */
            wall = fmin(fmax(wall, e->replay.least_dispatch), e->as_it_was.wall_seconds);
        e->out->what_ifs[e->out->n_what_ifs++] = (what_if){questions[i].id, wall, change.workers > 1};
    }
}

/* ---- Putting it together ----------------------------------------------------------------------------------------- */

static void read_ledger(explaining *e)
{
    for (size_t row = 0; row < e->summary->rows[ROAST_SCOPE_LEDGER].count; row++) {
        ledger_category category = ledger_category_find(summary_cell(e->summary, M_ledger_category, row).as.text);
        if (category < LEDGER_COUNT)
            e->ledger[category] = summary_cell(e->summary, M_ledger_core_seconds, row).as.real;
    }
}

static void replay_what_happened(explaining *e)
{
    explanation *out = e->out;
    e->as_it_was = replay_of(e, &(replay_change){0});
    out->replay_seconds = e->as_it_was.wall_seconds;
    out->replay_error_percent = 100 * fabs(out->replay_seconds - e->wall) / e->wall;
    out->replay_answers = out->replay_error_percent <= LARGEST_ERROR_PERCENT;
    e->in_place = play(e, REPLAY_IN_PLACE, &(replay_change){0});
    replay_change regular = without_causes(e);
    regular.no_merging = regular.no_crowding = regular.no_locks = true;
    e->regular = replay_of(e, &regular);
    out->in_place_answers = 100 * fabs(e->in_place.wall_seconds - e->wall) / e->wall <= LARGEST_ERROR_PERCENT;
    if (!out->replay_answers)
        out->gaps[out->n_gaps++] = GAP_REPLAY;
}

/* Rules about idle time ask what the whole cluster did, and replay it: they need all workers. The others hold for those
 * that were measured. What goes on has no end that anything could be said of. */
static void ask_rules(explaining *e)
{
    static const struct {
        void (*ask)(explaining *);
        bool of_all_workers, of_the_end;
    } rules[] = {
        {explain_slow_groups}, {explain_memory},          {explain_losses},      {explain_failures},
        {explain_tasks, true}, {explain_scheduler, true}, {explain_start, true}, {explain_over_read, true},
        {explain_process},     {explain_end, true, true}, {explain_files},       {explain_size_of_cluster, true, true},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !e->code; i++)
        if (!(e->partly && rules[i].of_all_workers) && !(e->running && rules[i].of_the_end))
            rules[i].ask(e);
}

static void keep_name(explaining *e, roast_str *name)
{
    roast_str kept = arena_str(&e->out->memory, *name);
    if (arena_str_failed(kept, *name))
        e->code = fail_memory(e->err);
    *name = kept;
}

/* Names in evidence and advice are the run's, or of what is released here: the explanation keeps copies. */
static void keep_names(explaining *e)
{
    roast_str stated = roast_run_fact(e->run, "no_chunks");
    e->out->no_chunks = e->code ? str_none() : arena_str(&e->out->memory, stated);
    if (!e->code && arena_str_failed(e->out->no_chunks, stated))
        e->code = fail_memory(e->err);
    for (size_t i = 0; i < e->out->count && !e->code; i++) {
        finding *f = &e->out->findings[i];
        for (size_t k = 0; k < f->n_evidence; k++) {
            keep_name(e, &f->evidence[k].name);
            f->evidence[k].of_tasks = e->trace->of_tasks;
        }
        for (size_t k = 0; k < ADVICE_KEY_COUNT; k++)
            keep_name(e, &f->advice.values[k].name);
    }
}

/* For whoever shows chunk by chunk what the rules judged. */
static roast_code keep_times_expected(explaining *e)
{
    explanation *out = e->out;
    for (size_t i = 0; i < e->trace->count; i++)
        if (e->trace->attempts[i].number >= out->n_records)
            out->n_records = (size_t)e->trace->attempts[i].number + 1;
    out->times_expected = arena_alloc(&out->memory, out->n_records, sizeof *out->times_expected);
    if (!out->times_expected)
        return fail_memory(e->err);
    for (size_t i = 0; i < out->n_records; i++)
        out->times_expected[i] = NAN;
    for (size_t i = 0; i < e->trace->count; i++)
        out->times_expected[e->trace->attempts[i].number] = (float)straggler_times_expected(&e->stragglers, i);
    return ROAST_OK;
}

static bool explainable(const explaining *e)
{
    return e->trace->count > 0 && !e->trace->too_many && e->cores > 0 && e->wall > 0 &&
           e->summary->rows[ROAST_SCOPE_LEDGER].count > 0;
}

roast_code explain_trace(explanation *out, roast_run *run, const roast_summary *summary, const trace *t, bool what_ifs,
                         roast_error *err)
{
    *out = (explanation){.replay_seconds = (double)NAN, .replay_error_percent = (double)NAN};
    explaining e = {.out = out, .run = run, .summary = summary, .trace = t, .err = err};
    e.wall = out->wall_seconds = summary->t_end_ns > summary->t_start_ns && summary->t_start_ns != ROAST_ABSENT
                                     ? clock_seconds(summary->t_end_ns - summary->t_start_ns)
                                     : (double)NAN;
    e.partly = partly_measured(summary) && !t->of_tasks; /* the engine measures tasks on every worker */
    e.running = summary->outcome == ROAST_RUNNING;
    out->of_tasks = t->of_tasks;
    e.local = str_equal(roast_run_fact(run, "engine"), STR("local"));
    e.cores = e.partly ? measured_cores(run, summary) : summary_real(summary, M_run_total_cores);
    e.total = e.cores * e.wall;
    e.all = summary_real(summary, M_run_total_cores) * e.wall;
    read_ledger(&e);
    if (explainable(&e)) {
        e.code = stragglers_find(&e.stragglers, t, run, summary->t_start_ns, summary->t_end_ns, err);
        if (!e.code)
            e.code = keep_times_expected(&e);
        if (!e.code)
            e.code = contention_find(&e.contention, t, &e.stragglers, err);
        if (!e.code && !e.partly)
            e.code = replay_init(&e.replay, t, &e.stragglers, &e.contention, run, summary->t_start_ns,
                                 summary->t_end_ns, err);
        if (!e.code && !e.partly)
            replay_what_happened(&e);
        ask_rules(&e);
        if (what_ifs && !e.code && !e.partly)
            answer_what_ifs(&e);
    }
    if (!e.code)
        explain_what_is_missing(&e);
    if (!e.code && e.partly)
        explain_not_measured(&e);
    if (!e.code)
        explain_missing_events(&e);
    qsort(out->findings, out->count, sizeof *out->findings, compare_findings);
    if (!e.code)
        advise(&e);
    keep_names(&e);
    replay_release(&e.replay);
    contention_release(&e.contention);
    stragglers_release(&e.stragglers);
    if (e.code)
        explanation_release(out);
    return e.code;
}

roast_code explain_run(explanation *out, roast_run *run, const roast_summary *summary, bool what_ifs, roast_error *err)
{
    *out = (explanation){0};
    roast_analysis *a;
    roast_code code = roast_analysis_open(&a, run, err);
    if (!code)
        code = roast_analysis_feed(a, err);
    if (!code && !trace_finish(&a->trace, run, &a->ledger, &a->tasks))
        code = fail_memory(err);
    if (!code)
        code = explain_trace(out, run, summary, &a->trace, what_ifs, err);
    roast_analysis_close(a);
    return code;
}

void explanation_release(explanation *e)
{
    arena_release(&e->memory);
    *e = (explanation){0};
}

/* ---- For those outside ---------------------------------------------------------------------------------------- */

roast_code roast_explain(roast_explanation **out, roast_run *run, const roast_summary *summary, bool what_ifs,
                         roast_error *err)
{
    *out = calloc(1, sizeof **out);
    roast_code code = *out ? explain_run(*out, run, summary, what_ifs, err) : fail_memory(err);
    if (code) {
        free(*out);
        *out = NULL;
    }
    return code;
}

void roast_explanation_free(roast_explanation *e)
{
    if (e)
        explanation_release(e);
    free(e);
}

const roast_explanation *roast_summary_explanation(const roast_summary *summary)
{
    const explanation *e = summary->explanation;
    return e && !(e->n_gaps && e->gaps[0] == GAP_SIZE) ? e : NULL;
}

bool roast_explanation_finding(const roast_explanation *e, size_t index, roast_finding *out)
{
    if (index >= e->count)
        return false;
    const finding *f = &e->findings[index];
    roast_finding full = {.id = finding_id(f->kind),
                          .confidence = finding_confidence_name(f->confidence),
                          .core_seconds = f->core_seconds,
                          .share_percent = f->share_percent,
                          .saving_seconds = f->saving_seconds,
                          .n_evidence = f->n_evidence};
    sized_copy(out, out->size, &full, sizeof full);
    return true;
}

bool roast_explanation_evidence(const roast_explanation *e, size_t number, size_t index, roast_evidence *out)
{
    if (number >= e->count || index >= e->findings[number].n_evidence)
        return false;
    const finding_evidence *seen = &e->findings[number].evidence[index];
    roast_evidence full = {.what = seen->what, .name = seen->name, .value = seen->value, .unit = seen->unit};
    sized_copy(out, out->size, &full, sizeof full);
    return true;
}

const char *roast_explanation_what_if(const roast_explanation *e, size_t index, double *seconds)
{
    if (index >= e->n_what_ifs)
        return NULL;
    *seconds = e->what_ifs[index].wall_seconds;
    return e->what_ifs[index].id;
}
