/* Explaining a run: what held it back, ranked by what fixing it would save. Each rule proposes a change to what
 * happened, and the replay says how much shorter the run would have been. Specific causes come first (a slow host, a
 * bad file, a worker that died): what they explain is not blamed on general ones (I/O, the tail). */
#include "analysis/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/coverage.h"
#include "analysis/explain_parts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"

static const double LARGEST_ERROR_PERCENT = 15; /* of a replay that is believed */

const char *finding_id(finding_kind kind)
{
    static const char *const ids[] = {
#define FINDING_ID(name, id) #id,
        FINDING_KINDS(FINDING_ID)
#undef FINDING_ID
    };
    return (size_t)kind < FINDING_KIND_COUNT ? ids[kind] : "";
}

const char *finding_confidence_name(finding_confidence confidence)
{
    static const char *const names[] = {"sure", "likely", "note"};
    return (size_t)confidence < 3 ? names[confidence] : "";
}

/* ---- For the rules ------------------------------------------------------------------------------------------- */

replay_result replay_of(explaining *e, const replay_change *change)
{
    replay_result result = {(double)NAN, (double)NAN, 0};
    if (!e->code)
        e->code = replay_run(&e->replay, change, &result, e->err);
    return result;
}

double saving_of(explaining *e, const replay_change *change, double cost)
{
    double saving = cost / e->cores;
    if (e->out->replay_answers) {
        replay_result result = replay_of(e, change);
        if (isfinite(result.wall_seconds))
            saving = e->as_it_was.wall_seconds - result.wall_seconds;
    }
    /* Time that is not spent cannot save more than itself; a worker that lives on brings its cores, too. */
    return fmin(fmax(saving, 0), change->no_losses ? e->wall : fmin(cost, e->wall));
}

bool worth_a_look(const explaining *e, double core_seconds)
{
    return core_seconds > 0.03 * e->total;
}

bool worth_telling(const explaining *e, double saving)
{
    return saving > 0.01 * e->wall;
}

finding *add_finding(explaining *e, finding_kind kind, finding_confidence confidence, double cost, double saving)
{
    explanation *out = e->out;
    if (out->count == FINDING_KIND_COUNT)
        return NULL;
    finding *f = &out->findings[out->count++];
    *f = (finding){.kind = kind, .confidence = confidence, .core_seconds = cost, .saving_seconds = saving};
    f->share_percent = e->all > 0 ? 100 * cost / e->all : (double)NAN;
    f->factor = (double)NAN;
    if (saving < 0.05 * e->wall)
        f->confidence = FINDING_NOTE;
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
    replay_change change = {.no_failures = true, .no_losses = true, .no_gaps = true, .no_outliers = true};
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        change.not_slow[kind] = e->stragglers.kinds[kind].guilty;
    return change;
}

/* ---- The order of findings ------------------------------------------------------------------------------------- */

/* What was not measured comes before everything, for the rest is only of the rest. What is above a note comes first,
 * then what saves more; what saves nothing but may end the run comes before notes. */
static int compare_findings(const void *left, const void *right)
{
    const finding *a = left, *b = right;
    if ((a->kind == FINDING_NOT_MEASURED) != (b->kind == FINDING_NOT_MEASURED))
        return a->kind == FINDING_NOT_MEASURED ? -1 : 1;
    bool a_note = a->confidence == FINDING_NOTE, b_note = b->confidence == FINDING_NOTE;
    if (a_note != b_note)
        return a_note ? 1 : -1;
    if (a->saving_seconds != b->saving_seconds)
        return a->saving_seconds > b->saving_seconds ? -1 : 1;
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
    for (size_t i = 0; i < sizeof questions / sizeof *questions && !e->code; i++) {
        replay_change change = questions[i].change;
        if (change.no_outliers)
            for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
                change.not_slow[kind] = true;
        double wall = e->out->replay_answers ? replay_of(e, &change).wall_seconds : (double)NAN;
        if (change.workers > 1) /* the scheduler bounds what more of them bring, but they take nothing away */
            wall = fmin(wall, e->as_it_was.wall_seconds);
        e->out->what_ifs[e->out->n_what_ifs++] = (what_if){questions[i].id, wall};
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
    if (!out->replay_answers)
        out->gaps[out->n_gaps++] = GAP_REPLAY;
}

/* Rules about idle time ask what the whole cluster did, and replay it: they need all workers. The others hold for those
 * that were measured. */
static void ask_rules(explaining *e)
{
    static const struct {
        void (*ask)(explaining *);
        bool of_all_workers;
    } rules[] = {
        {explain_slow_groups, false},    {explain_memory, false}, {explain_losses, false},
        {explain_failures, false},       {explain_start, true},   {explain_scheduler, true},
        {explain_process, false},        {explain_end, true},     {explain_files, false},
        {explain_size_of_cluster, true},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !e->code; i++)
        if (!e->partly || !rules[i].of_all_workers)
            rules[i].ask(e);
}

/* Names in evidence are the run's, or of what is released here: the explanation keeps copies. */
static void keep_names(explaining *e)
{
    roast_str stated = roast_run_fact(e->run, "no_chunks");
    e->out->no_chunks = e->code ? str_none() : arena_str(&e->out->memory, stated);
    if (!e->code && arena_str_failed(e->out->no_chunks, stated))
        e->code = fail_memory(e->err);
    for (size_t i = 0; i < e->out->count && !e->code; i++)
        for (size_t k = 0; k < e->out->findings[i].n_evidence && !e->code; k++) {
            roast_str *name = &e->out->findings[i].evidence[k].name, kept = arena_str(&e->out->memory, *name);
            if (arena_str_failed(kept, *name))
                e->code = fail_memory(e->err);
            *name = kept;
        }
}

static bool explainable(const explaining *e)
{
    return e->trace->count > 0 && e->trace->dropped == 0 && e->cores > 0 && e->wall > 0 &&
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
    e.partly = partly_measured(summary);
    e.cores = e.partly ? measured_cores(run, summary) : summary_real(summary, M_run_total_cores);
    e.total = e.cores * e.wall;
    e.all = summary_real(summary, M_run_total_cores) * e.wall;
    read_ledger(&e);
    if (explainable(&e)) {
        e.code = stragglers_find(&e.stragglers, t, run, summary->t_start_ns, summary->t_end_ns, err);
        if (!e.code && !e.partly)
            e.code = replay_init(&e.replay, t, &e.stragglers, run, summary->t_start_ns, summary->t_end_ns, err);
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
    keep_names(&e);
    qsort(out->findings, out->count, sizeof *out->findings, compare_findings);
    replay_release(&e.replay);
    stragglers_release(&e.stragglers);
    if (e.code)
        explanation_release(out);
    return e.code;
}

typedef struct trace_pass {
    trace trace;
    ledger ledger;
} trace_pass;

static roast_code see_chunk(void *context, const run_chunk *row)
{
    trace_pass *pass = context;
    ledger_attempt attempt;
    bool memory_out = false;
    if (!ledger_read(&pass->ledger, row, &attempt, &memory_out))
        return memory_out ? ROAST_MEMORY : ROAST_OK;
    ledger_add(&pass->ledger, row, &attempt);
    return !memory_out && trace_add(&pass->trace, row, &attempt) ? ROAST_OK : ROAST_MEMORY;
}

roast_code explain_run(explanation *out, roast_run *run, const roast_summary *summary, bool what_ifs, roast_error *err)
{
    *out = (explanation){0};
    trace_pass pass = {.ledger = ledger_new()};
    bool begun = trace_fit(&pass.trace, run) && ledger_fit(&pass.ledger, run);
    roast_code code = begun ? run_each_chunk(run, RUN_MEASURES, see_chunk, &pass, err) : ROAST_MEMORY;
    if (!code && !trace_finish(&pass.trace, run, ledger_last_start(&pass.ledger)))
        code = ROAST_MEMORY;
    if (code == ROAST_MEMORY)
        fail_memory(err);
    if (!code)
        code = explain_trace(out, run, summary, &pass.trace, what_ifs, err);
    ledger_release(&pass.ledger);
    trace_release(&pass.trace);
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
