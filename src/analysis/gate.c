/* The gate. A regression is called when ranks say that chance does not make it, and the estimate is above the noise;
 * the first keeps false alarms at alpha, the second keeps out what does not matter. No regression is called when the
 * upper bound of the change is below the noise. Everything else is undecided. */
#include "analysis/gate.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/statistics.h"
#include "base/closest.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"

enum { MOST_RUNS_NAMED = 1000 }; /* beyond, nobody would make them */

static const double ROUNDING = 1 + 1e-9; /* 1 / 20 is not quite 0.05 */

void roast_gate_options_init(roast_gate_options *made, size_t size)
{
    const roast_gate_options defaults = {.noise = 0.03, .alpha = 0.05};
    memset(made, 0, size);
    made->size = size;
    sized_copy(made, size, &defaults, sizeof defaults);
}

/* ---- One metric ------------------------------------------------------------------------------------------------ */

/* Logarithms, in order, of which larger ones are worse. */
static void make_worse_larger(double *values, size_t count, compared_better better)
{
    for (size_t i = 0; i < count; i++)
        values[i] = better == LESS_IS_BETTER ? log(values[i]) : -log(values[i]);
    qsort(values, count, sizeof *values, compare_doubles);
}

/* Runs on either side from which on a test can give alpha at all. */
static size_t fewest_runs(double alpha)
{
    size_t runs = 1;
    while (runs < MOST_RUNS_NAMED && smallest_p(runs, runs) > alpha * ROUNDING)
        runs++;
    return runs;
}

/* Intervals shrink with the square root of the number of runs. */
static size_t runs_for(double runs, double shrink)
{
    double needed = ceil(runs * shrink * shrink);
    return needed < MOST_RUNS_NAMED ? (size_t)fmax(needed, runs + 1) : MOST_RUNS_NAMED;
}

static void say_undecided(gated_metric *m, double worse, const roast_gate_options *options)
{
    double limit = log1p(options->noise), reach = m->worst - worse;
    double runs = sqrt((double)m->runs[SIDE_A] * (double)m->runs[SIDE_B]);
    m->verdict = ROAST_UNDECIDED;
    if (!isfinite(m->worst)) {
        m->why = "not enough runs";
        m->runs_needed = fewest_runs(options->alpha);
    } else if (worse < limit) {
        m->why = "the runs differ too much among themselves";
        m->runs_needed = runs_for(runs, reach / (limit - worse));
    } else {
        m->why = "it looks worse, and may be chance";
        m->runs_needed = runs_for(runs, fmax(1, reach / worse));
    }
}

static void decide(gated_metric *m, double worse, const roast_gate_options *options)
{
    double limit = log1p(options->noise);
    m->why = NULL;
    m->runs_needed = 0;
    if (m->p_holm <= options->alpha * ROUNDING && worse > limit)
        m->verdict = ROAST_WORSE;
    else if (m->worst <= limit)
        m->verdict = ROAST_NOT_WORSE;
    else
        say_undecided(m, worse, options);
}

static double worsening(const gated_metric *m)
{
    return m->judged->better == LESS_IS_BETTER ? m->log_ratio.estimate : -m->log_ratio.estimate;
}

bool gate_values(gated_metric *out, double *baseline, size_t n_baseline, double *fresh, size_t n_fresh,
                 const judged_metric *judged, const roast_gate_options *options)
{
    *out = (gated_metric){.judged = judged, .runs = {n_baseline, n_fresh}, .log_ratio = interval_none()};
    double level = 1 - 2 * options->alpha;
    qsort(baseline, n_baseline, sizeof *baseline, compare_doubles);
    qsort(fresh, n_fresh, sizeof *fresh, compare_doubles);
    out->sides[SIDE_A] = median_interval(baseline, n_baseline, level);
    out->sides[SIDE_B] = median_interval(fresh, n_fresh, level);
    make_worse_larger(baseline, n_baseline, judged->better);
    make_worse_larger(fresh, n_fresh, judged->better);
    rank_test test;
    interval worse;
    if (!mann_whitney(&test, baseline, n_baseline, fresh, n_fresh) ||
        !shift_interval(&worse, baseline, n_baseline, fresh, n_fresh, level) ||
        !shift_upper_bound(&out->worst, baseline, n_baseline, fresh, n_fresh, 1 - options->alpha))
        return false;
    out->log_ratio = worse;
    if (judged->better == MORE_IS_BETTER)
        out->log_ratio = (interval){-worse.estimate, -worse.high, -worse.low, worse.level};
    out->p = out->p_holm = test.p_greater;
    decide(out, worse.estimate, options);
    return true;
}

static gated_metric unknown_metric(const judged_metric *judged, const char *why)
{
    return (gated_metric){
        .judged = judged,
        .sides = {interval_none(), interval_none()},
        .log_ratio = interval_none(),
        .worst = (double)INFINITY,
        .p = (double)NAN,
        .p_holm = (double)NAN,
        .verdict = ROAST_UNDECIDED,
        .why = why,
    };
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

typedef struct gate_work {
    roast_gate *out;
    const roast_subject *inputs[SIDES];
    size_t n_inputs[SIDES];
    double *values[SIDES]; /* of the metric at hand */
} gate_work;

/* NULL, or why the metric cannot be judged. */
static const char *take_values(gate_work *w, metric_id metric)
{
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++) {
            double value = summary_real(w->inputs[side][i].summary, metric);
            if (isnan(value))
                return "not known of every run";
            if (!(value > 0))
                return "not above 0 in every run";
            w->values[side][i] = value;
        }
    return NULL;
}

static bool judge_metric(gate_work *w, const judged_metric *judged)
{
    gated_metric *m = &w->out->metrics[w->out->n_metrics++];
    const char *why = take_values(w, judged->metric);
    if (why) {
        *m = unknown_metric(judged, why);
        return true;
    }
    return gate_values(m, w->values[SIDE_A], w->n_inputs[SIDE_A], w->values[SIDE_B], w->n_inputs[SIDE_B], judged,
                       &w->out->options);
}

/* Several metrics are several chances of a false alarm. */
static bool judge_together(roast_gate *gate)
{
    double *p = calloc(gate->n_metrics + 1, sizeof *p);
    for (size_t i = 0; p && i < gate->n_metrics; i++)
        p[i] = gate->metrics[i].p;
    if (!p || !holm_adjust(p, gate->n_metrics)) {
        free(p);
        return false;
    }
    gate->verdict = ROAST_NOT_WORSE;
    for (size_t i = 0; i < gate->n_metrics; i++) {
        gated_metric *m = &gate->metrics[i];
        m->p_holm = p[i];
        if (!isnan(m->p))
            decide(m, worsening(m), &gate->options);
        bool by_amount = m->judged->better == LESS_IS_BETTER; /* rates do not depend on how much there was to do */
        /* More runs would not help. */
        if (gate->less_work && m->verdict != ROAST_WORSE && (by_amount || gate->incomplete)) {
            m->verdict = ROAST_UNDECIDED;
            m->why = "the new runs processed fewer events";
            m->runs_needed = 0;
        }
        if (m->verdict == ROAST_WORSE || gate->verdict == ROAST_NOT_WORSE)
            gate->verdict = m->verdict;
    }
    free(p);
    return true;
}

static const char *metric_of_run(size_t index)
{
    return index < metric_count(ROAST_SCOPE_RUN) ? metric_info(metric_first(ROAST_SCOPE_RUN) + (metric_id)index)->name
                                                 : NULL;
}

static roast_code find_metric(const judged_metric **out, roast_str name, roast_error *err)
{
    *out = judged_metric_find(name);
    if (*out)
        return ROAST_OK;
    bool exists = metric_find(ROAST_SCOPE_RUN, name) != METRIC_COUNT;
    int length = name.len < 64 ? (int)name.len : 64;
    if (exists)
        return fail(err, ROAST_USAGE, "%.*s: more of it is neither better nor worse; see roast gate --help", length,
                    name.ptr);
    const char *close = closest_id(name, metric_of_run);
    if (close)
        return fail(err, ROAST_USAGE, "there is no metric \"%.*s\"; did you mean \"%s\"?", length, name.ptr, close);
    return fail(err, ROAST_USAGE, "there is no metric \"%.*s\"; all of them: roast metrics", length,
                name.ptr ? name.ptr : "");
}

static roast_code judge_metrics(gate_work *w, roast_error *err)
{
    const char *list = w->out->options.metrics ? w->out->options.metrics : "elapsed_time_seconds";
    size_t most = 1;
    for (const char *at = list; *at; at++)
        most += *at == ',';
    w->out->metrics = arena_alloc(&w->out->memory, most, sizeof *w->out->metrics);
    if (!w->out->metrics)
        return fail_memory(err);
    roast_str rest = str_from(list);
    while (!str_absent(rest)) {
        const judged_metric *judged;
        roast_code code = find_metric(&judged, str_trim(str_split(&rest, ',')), err);
        if (code)
            return code;
        if (!judge_metric(w, judged))
            return fail_memory(err);
    }
    return judge_together(w->out) ? ROAST_OK : fail_memory(err);
}

/* ---- What else to say of the runs ------------------------------------------------------------------------------- */

typedef struct dated_side {
    int64_t start_ns;
    compare_side side;
} dated_side;

static int compare_dates(const void *left, const void *right)
{
    const dated_side *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Runs in any order change sides 2 n m / (n + m) times on average. Half of that or less are blocks, of which each had
 * its own hour; runs that are not dated, or begun together, are not accused. */
static bool find_turns(gate_work *w)
{
    double n = (double)w->n_inputs[SIDE_A], m = (double)w->n_inputs[SIDE_B], turns = 0;
    size_t count = 0;
    dated_side *runs = calloc(w->n_inputs[SIDE_A] + w->n_inputs[SIDE_B], sizeof *runs);
    if (!runs)
        return false;
    w->out->in_turns = true;
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++)
            runs[count++] = (dated_side){w->inputs[side][i].summary->t_start_ns, side};
    qsort(runs, count, sizeof *runs, compare_dates);
    bool dated = runs[0].start_ns != ROAST_ABSENT && runs[0].start_ns < runs[count - 1].start_ns;
    for (size_t i = 1; i < count; i++)
        turns += runs[i].side != runs[i - 1].side || runs[i].start_ns == runs[i - 1].start_ns;
    if (dated && n > 1 && m > 1)
        w->out->in_turns = turns > n * m / (n + m);
    free(runs);
    return true;
}

/* How far the runs of a side are apart, relative; NAN if that cannot be said of the metric. */
static double scatter_of(gate_work *w, metric_id metric)
{
    double squares = 0, freedom = 0;
    if (take_values(w, metric))
        return (double)NAN;
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        moments spread = {0};
        for (size_t i = 0; i < w->n_inputs[side]; i++)
            moments_add(&spread, log(w->values[side][i]));
        squares += spread.squares;
        freedom += (double)w->n_inputs[side] - 1;
    }
    return freedom > 1 ? sqrt(squares / freedom) : (double)NAN;
}

/* On a shared cluster the wall time is mostly that of the neighbours; the CPU time of chunks is one's own. */
static void find_steadier(gate_work *w)
{
    const judged_metric *cpu = judged_metric_find(str_from(metric_info(M_run_chunk_cpu_seconds_total)->name));
    roast_gate *out = w->out;
    for (size_t i = 0; i < out->n_metrics; i++)
        if (out->metrics[i].judged == cpu)
            return;
    double of_judged = out->n_metrics ? scatter_of(w, out->metrics[0].judged->metric) : (double)NAN;
    double of_cpu = scatter_of(w, cpu->metric);
    if (out->same_work && of_cpu < 0.5 * of_judged && of_judged > 0.01)
        out->steadier = (steadier_metric){cpu, of_cpu, of_judged};
}

static roast_code refuse_unfinished(const gate_work *w, roast_error *err)
{
    for (compare_side side = SIDE_A; side < SIDES; side++)
        for (size_t i = 0; i < w->n_inputs[side]; i++)
            if (w->inputs[side][i].summary->outcome != ROAST_FINISHED)
                return fail(err, ROAST_USAGE, "%s: did not finish, so its times cannot be compared; leave it out",
                            w->inputs[side][i].label);
    return ROAST_OK;
}

static bool describe_side(gate_work *w, compare_side side)
{
    static const metric_id described[] = {M_run_elapsed_time_seconds, M_run_total_events};
    roast_gate *out = w->out;
    interval medians[2];
    for (size_t m = 0; m < 2; m++) {
        size_t known = 0;
        for (size_t i = 0; i < w->n_inputs[side]; i++) {
            double value = summary_real(w->inputs[side][i].summary, described[m]);
            if (!isnan(value))
                w->values[side][known++] = value;
        }
        qsort(w->values[side], known, sizeof(double), compare_doubles);
        medians[m] = median_interval(w->values[side], known, 1 - 2 * out->options.alpha);
        if (m == 1 && known == w->n_inputs[side])
            out->same_work &= !(w->values[side][0] < w->values[side][known - 1]);
    }
    roast_str label = str_from(w->inputs[side][0].label);
    out->sides[side] = (compared_side){.runs = w->n_inputs[side], .elapsed = medians[0]};
    out->sides[side].label = arena_str(&out->memory, label);
    out->events[side] = medians[1].estimate;
    return !arena_str_failed(out->sides[side].label, label);
}

static roast_code gate_all(gate_work *w, roast_error *err)
{
    roast_code code = refuse_unfinished(w, err);
    for (compare_side side = SIDE_A; side < SIDES && !code; side++) {
        w->values[side] = calloc(w->n_inputs[side], sizeof(double));
        if (!w->values[side] || !describe_side(w, side))
            return fail_memory(err);
    }
    const double *events = w->out->events;
    w->out->less_work =
        least_events(w->inputs[SIDE_B], w->n_inputs[SIDE_B]) < least_events(w->inputs[SIDE_A], w->n_inputs[SIDE_A]);
    for (size_t i = 0; i < w->n_inputs[SIDE_B]; i++)
        w->out->incomplete |= w->inputs[SIDE_B][i].summary->rows[ROAST_SCOPE_MISSING].count > 0;
    w->out->same_work &= !(events[SIDE_A] < events[SIDE_B] || events[SIDE_A] > events[SIDE_B]);
    if (!code)
        code = find_turns(w) ? judge_metrics(w, err) : fail_memory(err);
    if (!code)
        find_steadier(w);
    return code;
}

roast_code roast_gate_runs(roast_gate **out, const roast_subject *baseline, size_t n_baseline,
                           const roast_subject *fresh, size_t n_fresh, const roast_gate_options *options,
                           roast_error *err)
{
    *out = NULL;
    if (!n_baseline || !n_fresh)
        return fail(err, ROAST_USAGE, "a gate needs a run on either side");
    roast_gate *gate = calloc(1, sizeof *gate);
    if (!gate)
        return fail_memory(err);
    gate->options = roast_gate_defaults();
    SIZED_OPTIONS(&gate->options, options, alpha);
    gate->same_work = true;
    gate_work w = {.out = gate, .inputs = {baseline, fresh}, .n_inputs = {n_baseline, n_fresh}};
    roast_code code = gate_all(&w, err);
    free(w.values[SIDE_A]);
    free(w.values[SIDE_B]);
    if (code)
        roast_gate_free(gate);
    else
        *out = gate;
    return code;
}

roast_verdict roast_gate_verdict(const roast_gate *gate)
{
    return gate->verdict;
}

void roast_gate_free(roast_gate *gate)
{
    if (!gate)
        return;
    arena_release(&gate->memory);
    free(gate);
}
