/* A comparison: the order of its parts, its sides, and where the difference came from. */
#include "analysis/compare.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/compare_parts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"

/* ---- Where the difference came from ------------------------------------------------------------------------------ */

static double change_of(const compared_part *part)
{
    return fabs(part->seconds[SIDE_B] - part->seconds[SIDE_A]);
}

static int compare_changes(const void *a, const void *b)
{
    double x = change_of(a), y = change_of(b);
    return (x < y) - (x > y);
}

static compared_breakdown *new_breakdown(comparison *out, const char *id, const char *title, size_t most_parts)
{
    compared_breakdown *breakdown = &out->breakdowns[out->n_breakdowns];
    *breakdown = (compared_breakdown){.id = id, .title = title};
    breakdown->parts = arena_alloc(&out->memory, most_parts, sizeof *breakdown->parts);
    if (!breakdown->parts)
        return NULL;
    out->n_breakdowns++;
    return breakdown;
}

/* A part that neither side has is left out. */
static void add_part(compared_breakdown *breakdown, const char *id, roast_str name, double a, double b, double events_a,
                     double events_b)
{
    if (a == 0 && b == 0)
        return;
    breakdown->parts[breakdown->count++] = (compared_part){id, name, {a, b}, {events_a, events_b}};
    breakdown->total[SIDE_A] += a;
    breakdown->total[SIDE_B] += b;
}

/* Of a sum over the runs of a side, what one run has. */
static double per_run(const compare_work *w, compare_side side, int64_t sum)
{
    return (double)sum / (double)w->n_inputs[side];
}

static double seconds_per_run(const compare_work *w, compare_side side, int64_t ns)
{
    return clock_seconds(ns) / (double)w->n_inputs[side];
}

static bool add_table(compare_work *w, compared_breakdown *breakdown, const part_table *table, bool events)
{
    for (uint32_t i = 0; i < table->names.count; i++) {
        const part_sum *sum = &table->sums[i];
        roast_str name = arena_str(&w->out->memory, table->names.strings[i]);
        if (arena_str_failed(name, table->names.strings[i]))
            return false;
        add_part(breakdown, NULL, name, seconds_per_run(w, SIDE_A, sum->ns[SIDE_A]),
                 seconds_per_run(w, SIDE_B, sum->ns[SIDE_B]),
                 events ? per_run(w, SIDE_A, sum->events[SIDE_A]) : (double)NAN,
                 events ? per_run(w, SIDE_B, sum->events[SIDE_B]) : (double)NAN);
    }
    qsort(breakdown->parts, breakdown->count, sizeof *breakdown->parts, compare_changes);
    return true;
}

static bool break_down_by_name(compare_work *w, const char *id, const char *title, const part_table *table)
{
    compared_breakdown *breakdown = new_breakdown(w->out, id, title, table->names.count);
    if (!breakdown || !add_table(w, breakdown, table, true))
        return false;
    w->out->n_breakdowns -= breakdown->count == 0;
    return true;
}

static double core_seconds_of_side(const compare_work *w, compare_side side)
{
    double sum = 0;
    for (size_t i = 0; i < w->n_inputs[side]; i++) {
        const roast_summary *summary = w->inputs[side][i].summary;
        sum += summary_real(summary, M_run_total_cores) * summary_real(summary, M_run_elapsed_time_seconds);
    }
    return sum / (double)w->n_inputs[side];
}

/* What only one side told apart is put together again on the other. */
static void make_phases_alike(compare_work *w)
{
    bool cpu = w->cpu_known[SIDE_A] && w->cpu_known[SIDE_B];
    bool delay = w->delay_known[SIDE_A] && w->delay_known[SIDE_B];
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        int64_t *phases = w->phases[side];
        if (!delay) {
            phases[LEDGER_PROCESS_IO] += phases[LEDGER_PROCESS_CORE];
            phases[LEDGER_PROCESS_CORE] = 0;
        }
        if (!cpu) {
            phases[LEDGER_PROCESS_UNSPLIT] +=
                phases[LEDGER_PROCESS_CPU] + phases[LEDGER_PROCESS_IO] + phases[LEDGER_PROCESS_CORE];
            phases[LEDGER_PROCESS_CPU] = phases[LEDGER_PROCESS_IO] = phases[LEDGER_PROCESS_CORE] = 0;
        }
    }
}

static bool break_down_by_phase(compare_work *w)
{
    static const struct {
        ledger_category category;
        const char *title;
    } parts[] = {
        {LEDGER_OPEN, TITLE_OPEN},     {LEDGER_EVENTS, TITLE_EVENTS},     {LEDGER_PROCESS_CPU, TITLE_CPU},
        {LEDGER_PROCESS_IO, TITLE_IO}, {LEDGER_PROCESS_CORE, TITLE_CORE}, {LEDGER_PROCESS_UNSPLIT, TITLE_PROCESS},
        {LEDGER_RETURN, TITLE_RETURN}, {LEDGER_FAILED, TITLE_FAILED},
    };
    enum { PARTS = sizeof parts / sizeof parts[0] };
    compared_breakdown *breakdown = new_breakdown(w->out, "phases", "Core time by phase", PARTS + 1);
    if (!breakdown)
        return false;
    make_phases_alike(w);
    for (size_t p = 0; p < PARTS; p++)
        add_part(breakdown, CATEGORIES[parts[p].category].key, str_from(parts[p].title),
                 seconds_per_run(w, SIDE_A, w->phases[SIDE_A][parts[p].category]),
                 seconds_per_run(w, SIDE_B, w->phases[SIDE_B][parts[p].category]), (double)NAN, (double)NAN);
    double outside[SIDES];
    for (compare_side side = SIDE_A; side < SIDES; side++)
        outside[side] = core_seconds_of_side(w, side) - breakdown->total[side];
    if (isfinite(outside[SIDE_A]) && isfinite(outside[SIDE_B]))
        add_part(breakdown, "outside", STR("outside of chunks"), outside[SIDE_A], outside[SIDE_B], (double)NAN,
                 (double)NAN);
    qsort(breakdown->parts, breakdown->count, sizeof *breakdown->parts, compare_changes);
    w->out->n_breakdowns -= breakdown->count == 0;
    return true;
}

/* Sections are a part of process() of the attempts that succeeded; the rest is named, so that all adds up. */
static bool break_down_by_section(compare_work *w)
{
    enum { REST = 3 };
    if (w->sections.names.count == 0)
        return true;
    compared_breakdown *breakdown =
        new_breakdown(w->out, "sections", "Time in chunks by section", w->sections.names.count + REST);
    if (!breakdown)
        return false;
    double around[SIDES], rest[SIDES], failed[SIDES];
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        const int64_t *phases = w->phases[side];
        around[side] = seconds_per_run(w, side, phases[LEDGER_OPEN] + phases[LEDGER_EVENTS] + phases[LEDGER_RETURN]);
        rest[side] = seconds_per_run(w, side, w->outside_sections[side]);
        failed[side] = seconds_per_run(w, side, phases[LEDGER_FAILED]);
    }
    double none = (double)NAN;
    add_part(breakdown, NULL, STR("process(), in no section"), rest[SIDE_A], rest[SIDE_B], none, none);
    add_part(breakdown, NULL, STR("before and after process()"), around[SIDE_A], around[SIDE_B], none, none);
    add_part(breakdown, NULL, STR(TITLE_FAILED), failed[SIDE_A], failed[SIDE_B], none, none);
    return add_table(w, breakdown, &w->sections, false);
}

static roast_code break_down(compare_work *w, roast_error *err)
{
    bool done = break_down_by_phase(w) &&
                break_down_by_name(w, "datasets", "Time in chunks by dataset", &w->datasets) &&
                break_down_by_section(w) && break_down_by_name(w, "hosts", "Time in chunks by host", &w->hosts);
    return done ? ROAST_OK : fail_memory(err);
}

/* ---- Sides --------------------------------------------------------------------------------------------------------
 */

bool did_less_work(const compared_side sides[SIDES], compare_side side)
{
    return sides[side].least_events < sides[side == SIDE_A ? SIDE_B : SIDE_A].least_events;
}

double least_events(const roast_subject *runs, size_t count)
{
    double least = (double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        double events = summary_real(runs[i].summary, M_run_total_events);
        least = isnan(events) ? (double)NAN : fmin(least, events);
        if (isnan(least))
            break;
    }
    return least;
}

static roast_code describe_side(compare_work *w, compare_side side, roast_error *err)
{
    compared_side *described = &w->out->sides[side];
    size_t count = w->n_inputs[side], known = 0;
    double *elapsed = calloc(count, sizeof *elapsed);
    roast_str label = str_from(w->inputs[side][0].label);
    *described = (compared_side){.label = arena_str(&w->out->memory, label), .runs = count};
    if (!elapsed || arena_str_failed(described->label, label)) {
        free(elapsed);
        return fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const roast_summary *summary = w->inputs[side][i].summary;
        double seconds = summary_real(summary, M_run_elapsed_time_seconds);
        described->unfinished += summary->outcome != ROAST_FINISHED;
        if (isfinite(seconds))
            elapsed[known++] = seconds;
    }
    qsort(elapsed, known, sizeof *elapsed, compare_doubles);
    described->elapsed = median_interval(elapsed, known, w->out->level);
    described->least_events = least_events(w->inputs[side], count);
    free(elapsed);
    return ROAST_OK;
}

static roast_code compare_all(compare_work *w, const bootstrap_options *bootstrap, roast_error *err)
{
    roast_code code = describe_side(w, SIDE_A, err);
    if (!code)
        code = describe_side(w, SIDE_B, err);
    if (!code)
        code = compare_read_chunks(w, err);
    if (!code)
        code = compare_list_settings(w, err);
    if (!code)
        code = compare_list_counts(w, err);
    if (!code)
        code = compare_estimate_timings(w, bootstrap, err);
    return code ? code : break_down(w, err);
}

roast_code compare_runs(comparison **out, const roast_subject *a, size_t n_a, const roast_subject *b, size_t n_b,
                        const bootstrap_options *bootstrap, roast_error *err)
{
    *out = NULL;
    bootstrap_options defaults = bootstrap_defaults();
    if (!n_a || !n_b)
        return fail(err, ROAST_USAGE, "a comparison needs a run on either side");
    comparison *c = calloc(1, sizeof *c);
    if (!c)
        return fail_memory(err);
    bootstrap = bootstrap ? bootstrap : &defaults;
    c->level = bootstrap->level;
    c->paired = n_a == 1 && n_b == 1;
    compare_work w = {.out = c, .inputs = {a, b}, .n_inputs = {n_a, n_b}};
    roast_code code = compare_all(&w, bootstrap, err);
    compare_chunks_release(&w);
    if (code)
        roast_comparison_free(c);
    else
        *out = c;
    return code;
}

roast_code roast_compare(comparison **out, const roast_subject *a, size_t n_a, const roast_subject *b, size_t n_b,
                         roast_error *err)
{
    return compare_runs(out, a, n_a, b, n_b, NULL, err);
}

void roast_comparison_free(comparison *c)
{
    if (!c)
        return;
    arena_release(&c->memory);
    free(c);
}
