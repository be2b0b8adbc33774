/* The summary: how it is filled and asked, and the order in which its parts are made. */
#include "analysis/summary.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/explain.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/str.h"

/* ---- Filling and asking -------------------------------------------------------------------------------------- */

roast_value summary_value(const roast_summary *summary, metric_id id)
{
    return summary->values[id];
}

static roast_value *cell_at(const roast_summary *summary, metric_id column, size_t row)
{
    const summary_rows *rows = &summary->rows[metric_info(column)->scope];
    return &rows->cells[row * rows->columns + (size_t)(column - rows->first)];
}

roast_value summary_cell(const roast_summary *summary, metric_id column, size_t row)
{
    if (row >= summary->rows[metric_info(column)->scope].count)
        return (roast_value){.kind = ROAST_NOTHING};
    return *cell_at(summary, column, row);
}

roast_str summary_fact(const roast_summary *summary, const char *key)
{
    for (size_t i = 0; i < summary->n_facts; i++)
        if (str_equal(summary->facts[i].key, str_from(key)))
            return summary->facts[i].value;
    return str_none();
}

static void set_int(roast_value *target, int64_t value)
{
    if (value != ROAST_ABSENT)
        *target = (roast_value){.kind = ROAST_INT, .as.integer = value};
}

static void set_real(roast_value *target, double value)
{
    if (isfinite(value))
        *target = (roast_value){.kind = ROAST_REAL, .as.real = value};
}

void summary_set_int(roast_summary *summary, metric_id id, int64_t value)
{
    set_int(&summary->values[id], value);
}

void summary_set_real(roast_summary *summary, metric_id id, double value)
{
    set_real(&summary->values[id], value);
}

double value_number(roast_value value)
{
    if (value.kind == ROAST_INT)
        return (double)value.as.integer;
    return value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

roast_str summary_cell_string(const roast_summary *summary, metric_id column, size_t row)
{
    roast_value value = summary_cell(summary, column, row);
    return value.kind == ROAST_TEXT ? value.as.text : str_none();
}

double summary_real(const roast_summary *summary, metric_id id)
{
    return value_number(summary->values[id]);
}

double summary_cell_number(const roast_summary *summary, metric_id column, size_t row)
{
    return value_number(summary_cell(summary, column, row));
}

bool summary_add_rows(roast_summary *summary, roast_scope scope, size_t count)
{
    size_t columns = metric_count(scope);
    roast_value *cells = arena_alloc(&summary->memory, count, columns * sizeof *cells);
    if (!cells)
        return false;
    summary->rows[scope] = (summary_rows){count, columns, metric_first(scope), cells};
    return true;
}

void summary_cell_int(roast_summary *summary, metric_id column, size_t row, int64_t value)
{
    set_int(cell_at(summary, column, row), value);
}

void summary_cell_real(roast_summary *summary, metric_id column, size_t row, double value)
{
    set_real(cell_at(summary, column, row), value);
}

void summary_cell_text(roast_summary *summary, metric_id column, size_t row, roast_str value)
{
    roast_str kept = arena_str(&summary->memory, value);
    summary->cut |= arena_str_failed(kept, value);
    if (!str_absent(kept))
        *cell_at(summary, column, row) = (roast_value){.kind = ROAST_TEXT, .as.text = kept};
}

void roast_summary_window(const roast_summary *summary, int64_t *t_start_ns, int64_t *t_end_ns)
{
    *t_start_ns = summary->t_start_ns;
    *t_end_ns = summary->t_end_ns;
}

roast_value roast_summary_get(const roast_summary *summary, const char *name, const char **why)
{
    metric_id id = metric_find(ROAST_SCOPE_RUN, str_from(name));
    if (why)
        *why = id == METRIC_COUNT ? "there is no such metric" : summary->why[id];
    if (id == METRIC_COUNT)
        return (roast_value){.kind = ROAST_NOTHING};
    if (why && summary->values[id].kind != ROAST_NOTHING)
        *why = NULL;
    return summary->values[id];
}

size_t roast_summary_rows(const roast_summary *summary, roast_scope scope)
{
    return (size_t)scope < ROAST_SCOPE_COUNT ? summary->rows[scope].count : 0;
}

roast_value roast_summary_cell(const roast_summary *summary, roast_scope scope, size_t row, const char *name)
{
    metric_id id = metric_find(scope, str_from(name));
    return id == METRIC_COUNT ? (roast_value){.kind = ROAST_NOTHING} : summary_cell(summary, id, row);
}

/* ---- Shared by the parts ------------------------------------------------------------------------------------- */

void extend_window(time_window *window, int64_t t_ns)
{
    if (t_ns == ROAST_ABSENT)
        return;
    if (window->first_ns == ROAST_ABSENT || t_ns < window->first_ns)
        window->first_ns = t_ns;
    if (window->last_ns == ROAST_ABSENT || t_ns > window->last_ns)
        window->last_ns = t_ns;
}

void add_measured(int64_t *sum, int64_t term)
{
    if (term == ROAST_ABSENT)
        return;
    if (*sum == ROAST_ABSENT)
        *sum = 0;
    saturated_add(sum, term);
}

double mebibytes(int64_t bytes)
{
    return bytes == ROAST_ABSENT ? (double)NAN : (double)bytes / 1048576.0;
}

int64_t whole_number(double value)
{
    return isfinite(value) && fabs(value) < 9e18 ? (int64_t)value : ROAST_ABSENT;
}

double ratio(double numerator, double denominator)
{
    return denominator != 0 ? numerator / denominator : (double)NAN;
}

/* ---- Making one -------------------------------------------------------------------------------------------- */

static roast_code copy_facts(roast_summary *summary, const roast_run *run, roast_error *err)
{
    summary->n_facts = run_facts(run);
    summary->facts = arena_alloc(&summary->memory, summary->n_facts, sizeof *summary->facts);
    summary->run_name = arena_str(&summary->memory, roast_run_name(run));
    summary->path = arena_str(&summary->memory, str_from(run_path(run)));
    summary->outcome = roast_run_outcome(run);
    if (!summary->facts || arena_str_failed(summary->path, str_from(run_path(run))))
        return fail_memory(err);
    for (size_t i = 0; i < summary->n_facts; i++) {
        roast_str value = str_none();
        summary->facts[i].key = arena_str(&summary->memory, roast_run_fact_at(run, i, &value));
        summary->facts[i].value = arena_str(&summary->memory, value);
        if (arena_str_failed(summary->facts[i].value, value))
            return fail_memory(err);
    }
    return ROAST_OK;
}

/* After everything else, because reading may have added notes. */
static roast_code copy_notes(roast_summary *summary, const roast_run *run, roast_error *err)
{
    summary->notes = arena_alloc(&summary->memory, run_notes(run) + 1, sizeof *summary->notes);
    if (!summary->notes)
        return fail_memory(err);
    for (size_t i = 0; i < run_notes(run); i++) {
        const run_note *note = run_note_at(run, i);
        summary_note copy = {arena_str(&summary->memory, note->level), arena_str(&summary->memory, note->text)};
        if (arena_str_failed(copy.text, note->text))
            return fail_memory(err);
        summary->notes[summary->n_notes++] = copy;
    }
    if (summary->why_totals_of_chunks)
        summary->notes[summary->n_notes++] = (summary_note){STR("info"), str_from(summary->why_totals_of_chunks)};
    return ROAST_OK;
}

/* What the source states. Before anything else: what records give replaces it, and what is computed may use it. */
static void take_given(roast_summary *summary, const roast_run *run)
{
    for (size_t i = 0; i < run_givens(run); i++) {
        roast_value value;
        metric_id id = metric_find(ROAST_SCOPE_RUN, run_given(run, i, &value));
        if (id != METRIC_COUNT && (value.kind == ROAST_INT || value.kind == ROAST_REAL))
            summary->values[id] = value;
    }
}

/* Attempts of a run that goes on and is followed, up to which each summary explains it: summaries are made again and
 * again, and explaining costs what all attempts are, not what is new. */
enum { MOST_FOLLOWED = 50000 };

roast_code analyse_causes(analysis *a, roast_error *err)
{
    roast_summary *summary = a->summary;
    explanation *e = arena_alloc(&summary->memory, 1, sizeof *e);
    a->trace.too_many = !a->once && roast_run_outcome(a->run) == ROAST_RUNNING && a->trace.count > MOST_FOLLOWED;
    if (!e || (!a->trace.too_many && !trace_finish(&a->trace, a->run, &a->ledger, &a->tasks)))
        return fail_memory(err);
    roast_code code = explain_trace(e, a->run, summary, &a->trace, false, err);
    if (!code)
        summary->explanation = e;
    return code;
}

static roast_code fill_summary(analysis *a, roast_error *err)
{
    static roast_code (*const parts[])(analysis *, roast_error *) = {
        analyse_chunks, analyse_sections, analyse_workers,  analyse_coverage, analyse_workflow,   analyse_completeness,
        analyse_errors, analyse_fine,     analyse_branches, analyse_storage,  analyse_efficiency, analyse_tasks,
        analyse_ledger, analyse_imports,  analyse_progress, analyse_causes,
    };
    enum { PARTS = sizeof parts / sizeof *parts, BRIEF_PARTS = 6 }; /* up to completeness: none uses a later one */
    take_given(a->summary, a->run);
    roast_code code = copy_facts(a->summary, a->run, err);
    for (size_t i = 0; !code && i < (a->brief ? BRIEF_PARTS : PARTS); i++)
        code = parts[i](a, err);
    if (!code && a->summary->cut)
        code = fail_memory(err);
    if (code || a->brief)
        return code;
    say_what_is_absent(a);
    return copy_notes(a->summary, a->run, err);
}

roast_code roast_analysis_summary(roast_summary **out, roast_analysis *a, roast_error *err)
{
    *out = NULL;
    roast_code code = roast_analysis_feed(a, err); /* rows and small tables are of one moment */
    if (code)
        return code;
    a->summary = calloc(1, sizeof *a->summary);
    code = a->summary ? fill_summary(a, err) : fail_memory(err);
    if (code)
        roast_summary_free(a->summary);
    else
        *out = a->summary;
    a->summary = NULL;
    return code;
}

static roast_code summarize(roast_summary **out, roast_run *run, bool brief, roast_error *err)
{
    *out = NULL;
    roast_analysis *a;
    roast_code code = roast_analysis_open(&a, run, err);
    if (!code) {
        a->once = true;
        a->brief = brief;
        code = roast_analysis_summary(out, a, err);
    }
    roast_analysis_close(a);
    return code;
}

roast_code roast_summarize(roast_summary **out, roast_run *run, roast_error *err)
{
    return summarize(out, run, false, err);
}

roast_code roast_summarize_briefly(roast_summary **out, roast_run *run, roast_error *err)
{
    return summarize(out, run, true, err);
}

void roast_summary_free(roast_summary *summary)
{
    if (!summary)
        return;
    if (summary->explanation)
        explanation_release(summary->explanation);
    arena_release(&summary->memory);
    free(summary);
}
