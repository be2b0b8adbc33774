/* Fitting scaling laws. Cores by rate, n / X(n), is linear in the parameters: a + b (n - 1) + c n (n - 1). Weighting
 * each point by its own value makes errors relative, so a least-squares fit is exact and has one answer; parameters
 * below 0 make no sense, so the best fit without them is taken instead. */
#include "analysis/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/str.h"

enum { MOST_TERMS = 3 };

/* ---- Least squares ----------------------------------------------------------------------------------------------- */

typedef struct linear_fit {
    double terms[MOST_TERMS]; /* a, b, c */
    double squares;           /* sum of squared residuals */
} linear_fit;

static double term_at(size_t term, double cores)
{
    return term == 0 ? 1 : term == 1 ? cores - 1 : cores * (cores - 1);
}

/* What is left of the columns after those before them are taken out, one by one (Gram-Schmidt), solves it. columns has
 * room for (MOST_TERMS + 1) × count. */
static linear_fit solve(const double *cores, const double *per_rate, size_t count, unsigned used, double *columns)
{
    double r[MOST_TERMS][MOST_TERMS] = {{0}}, projected[MOST_TERMS] = {0};
    double *target = columns + MOST_TERMS * count;
    linear_fit fit = {{0}, 0};
    for (size_t i = 0; i < count; i++)
        target[i] = 1; /* everything is divided by the value itself */
    for (size_t t = 0; t < MOST_TERMS; t++) {
        double *column = columns + t * count, norm = 0;
        if (!(used & 1U << t))
            continue;
        for (size_t i = 0; i < count; i++)
            column[i] = term_at(t, cores[i]) / per_rate[i];
        for (size_t before = 0; before < t; before++) {
            const double *other = columns + before * count;
            for (size_t i = 0; (used & 1U << before) && i < count; i++)
                r[before][t] += other[i] * column[i];
            for (size_t i = 0; (used & 1U << before) && i < count; i++)
                column[i] -= r[before][t] * other[i];
        }
        for (size_t i = 0; i < count; i++)
            norm += column[i] * column[i];
        r[t][t] = sqrt(norm);
        for (size_t i = 0; i < count; i++) {
            column[i] = norm > 0 ? column[i] / r[t][t] : 0;
            projected[t] += column[i] * target[i];
        }
        for (size_t i = 0; i < count; i++)
            target[i] -= projected[t] * column[i];
    }
    for (size_t t = MOST_TERMS; t-- > 0;) {
        double rest = projected[t];
        for (size_t after = t + 1; after < MOST_TERMS; after++)
            rest -= r[t][after] * fit.terms[after];
        fit.terms[t] = (used & 1U << t) && r[t][t] > 0 ? rest / r[t][t] : 0;
    }
    for (size_t i = 0; i < count; i++)
        fit.squares += target[i] * target[i];
    return fit;
}

/* The best fit in which no parameter is below 0. */
static linear_fit fit_law(const double *cores, const double *per_rate, size_t count, scaling_kind kind, double *columns)
{
    static const unsigned choices[] = {7, 3, 5, 1}; /* which terms: all, no c, no b, only a */
    linear_fit best = {{0}, (double)INFINITY};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (kind == LAW_AMDAHL && choices[i] & 4U)
            continue;
        linear_fit fit = solve(cores, per_rate, count, choices[i], columns);
        bool sound = fit.terms[0] > 0 && fit.terms[1] >= 0 && fit.terms[2] >= 0;
        if (sound && fit.squares < best.squares)
            best = fit;
    }
    return best;
}

/* ---- What a law says -----------------------------------------------------------------------------------------------
 */

typedef struct law_numbers {
    double rate, contention, coherence, knee, peak, highest_rate;
} law_numbers;

enum { LAW_NUMBERS = sizeof(law_numbers) / sizeof(double) };

static double rate_at(const law_numbers *law, double cores)
{
    double slowed = 1 + law->contention * (cores - 1) + law->coherence * cores * (cores - 1);
    return law->rate * cores / slowed;
}

/* The knee is where rate²/cores is largest: 3 k n² + (s - k) n - (1 - s) = 0. */
static double knee_of(double s, double k)
{
    double left = 1 - s, b = s - k;
    if (left <= 0)
        return 1;
    if (!(k > 0))
        return s > 0 ? fmax(1, left / s) : (double)INFINITY;
    return fmax(1, 2 * left / (b + sqrt(b * b + 12 * k * left)));
}

static law_numbers numbers_of(const linear_fit *fit)
{
    double a = fit->terms[0], s = fit->terms[1] / a, k = fit->terms[2] / a;
    law_numbers law = {.rate = 1 / a, .contention = s, .coherence = k, .knee = knee_of(s, k)};
    law.peak = k > 0 ? fmax(1, sqrt(fmax(0, 1 - s) / k)) : (double)INFINITY;
    law.highest_rate = k > 0 ? rate_at(&law, law.peak) : s > 0 ? law.rate / s : (double)INFINITY;
    return law;
}

static law_numbers numbers_of_law(const scaling_law *law)
{
    return (law_numbers){
        .rate = law->rate.estimate, .contention = law->contention.estimate, .coherence = law->coherence.estimate};
}

double scaling_rate(const scaling_law *law, double cores)
{
    law_numbers numbers = numbers_of_law(law);
    return rate_at(&numbers, cores);
}

/* ---- Intervals ------------------------------------------------------------------------------------------------------
 */

typedef struct law_fitting {
    const double *cores;
    double *per_rate, *fitted, *residuals, *drawn, *columns;
    double (*replicates)[LAW_NUMBERS];
    size_t count;
    scaling_kind kind;
} law_fitting;

static bool fitting_init(law_fitting *f, const double *cores, const double *rates, size_t count, scaling_kind kind,
                         uint32_t replicates)
{
    *f = (law_fitting){.cores = cores, .count = count, .kind = kind};
    f->per_rate = calloc((4 + MOST_TERMS + 1) * (count + 1), sizeof(double));
    f->replicates = calloc(replicates, sizeof *f->replicates);
    if (!f->per_rate || !f->replicates)
        return false;
    f->fitted = f->per_rate + count;
    f->residuals = f->fitted + count;
    f->drawn = f->residuals + count;
    f->columns = f->drawn + count;
    for (size_t i = 0; i < count; i++)
        f->per_rate[i] = cores[i] / rates[i];
    return true;
}

/* Relative residuals, widened to what they would be had the fit not adapted to them; their spread. */
static double take_residuals(law_fitting *f, const linear_fit *fit)
{
    double n = (double)f->count, free_n = n - (f->kind == LAW_USL ? 3 : 2), mean = 0;
    for (size_t i = 0; i < f->count; i++) {
        f->fitted[i] = 0;
        for (size_t t = 0; t < MOST_TERMS; t++)
            f->fitted[i] += fit->terms[t] * term_at(t, f->cores[i]);
        f->residuals[i] = log(f->per_rate[i] / f->fitted[i]);
        mean += f->residuals[i] / n;
    }
    double squares = 0;
    for (size_t i = 0; i < f->count; i++) {
        f->residuals[i] = (f->residuals[i] - mean) * sqrt(n / fmax(1, free_n));
        squares += f->residuals[i] * f->residuals[i];
    }
    return sqrt(squares / n);
}

static void draw_replicates(law_fitting *f, const bootstrap_options *options)
{
    uint64_t random = options->seed;
    for (uint32_t r = 0; r < options->replicates; r++) {
        for (size_t i = 0; i < f->count; i++)
            f->drawn[i] = f->fitted[i] * exp(f->residuals[chance_below(&random, (uint32_t)f->count)]);
        linear_fit fit = fit_law(f->cores, f->drawn, f->count, f->kind, f->columns);
        law_numbers law = numbers_of(&fit);
        memcpy(f->replicates[r], &law, sizeof law);
    }
}

/* The middle of the replicates of one number. Some may be infinite; none is NAN. */
static interval middle_of(law_fitting *f, const law_numbers *estimates, size_t number, const bootstrap_options *options)
{
    double estimate;
    memcpy(&estimate, (const char *)estimates + number * sizeof(double), sizeof estimate);
    double *values = malloc(options->replicates * sizeof *values);
    if (!values)
        return (interval){estimate, (double)NAN, (double)NAN, (double)NAN};
    for (uint32_t r = 0; r < options->replicates; r++)
        values[r] = f->replicates[r][number];
    qsort(values, options->replicates, sizeof *values, compare_doubles);
    size_t outside = (size_t)((1 - options->level) / 2 * (double)(options->replicates + 1));
    outside = outside > 0 ? outside - 1 : 0;
    interval found = {estimate, values[outside], values[options->replicates - 1 - outside], options->level};
    free(values);
    return found;
}

static size_t count_different(const double *cores, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = fabs(cores[j] - cores[i]) <= 0.01 * cores[i];
        different += !seen;
    }
    return different;
}

bool scaling_fit(scaling_law *out, const double *cores, const double *rates, size_t count, scaling_kind kind,
                 const bootstrap_options *options)
{
    interval none = interval_none();
    *out = (scaling_law){kind, none, none, none, none, none, none, (double)NAN, false};
    if (count_different(cores, count) < (kind == LAW_USL ? 3U : 2U))
        return true;
    law_fitting f;
    bool done = fitting_init(&f, cores, rates, count, kind, options->replicates);
    if (done) {
        linear_fit fit = fit_law(cores, f.per_rate, count, kind, f.columns);
        law_numbers law = numbers_of(&fit);
        out->scatter = take_residuals(&f, &fit);
        draw_replicates(&f, options);
        interval *numbers[LAW_NUMBERS] = {&out->rate, &out->contention, &out->coherence,
                                          &out->knee, &out->peak,       &out->highest_rate};
        for (size_t i = 0; i < LAW_NUMBERS; i++) {
            *numbers[i] = middle_of(&f, &law, i, options);
            done = done && !isnan(numbers[i]->level);
        }
    }
    free(f.per_rate);
    free(f.replicates);
    return done;
}

/* ---- Runs
 * ------------------------------------------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    return compare_doubles(&((const scaling_point *)a)->cores, &((const scaling_point *)b)->cores);
}

static roast_code read_point(scaling *s, const roast_subject *input, roast_error *err)
{
    scaling_point *point = &s->points[s->count++];
    const roast_summary *summary = input->summary;
    point->label = arena_str(&s->memory, str_from(input->label));
    if (str_absent(point->label))
        return fail_memory(err);
    point->cores = summary_real(summary, M_run_total_cores);
    point->workers = summary_real(summary, M_run_avg_workers);
    point->seconds = summary_real(summary, M_run_elapsed_time_seconds);
    point->events = summary_real(summary, M_run_total_events);
    point->rate = point->events / point->seconds;
    if (summary->outcome != ROAST_FINISHED)
        return fail(err, ROAST_USAGE, "%s: did not finish, so its rate says little; leave it out", input->label);
    if (!(point->cores > 0))
        return fail(err, ROAST_USAGE, "%s: the number of cores is not known", input->label);
    if (!(point->rate > 0) || !isfinite(point->rate))
        return fail(err, ROAST_USAGE, "%s: events or wall time are not known, so there is no rate", input->label);
    return ROAST_OK;
}

static double median_of_points(const scaling *s, double (*number)(const scaling_point *point), double *scratch)
{
    for (size_t i = 0; i < s->count; i++)
        scratch[i] = number(&s->points[i]);
    qsort(scratch, s->count, sizeof *scratch, compare_doubles);
    return median_interval(scratch, s->count, 0.95).estimate;
}

static double events_of(const scaling_point *point)
{
    return point->events;
}

static double cores_per_worker_of(const scaling_point *point)
{
    return point->workers > 0 ? point->cores / point->workers : (double)INFINITY;
}

static void relate_points(scaling *s, double *scratch)
{
    const scaling_point *first = &s->points[0];
    s->same_work = true;
    for (size_t i = 0; i < s->count; i++) {
        scaling_point *point = &s->points[i];
        point->speedup = point->rate / first->rate;
        point->efficiency = point->speedup / (point->cores / first->cores);
        s->same_work &= !(point->events < first->events || point->events > first->events);
        scratch[i] = point->cores;
    }
    s->different = count_different(scratch, s->count);
    s->events = median_of_points(s, events_of, scratch);
    s->cores_per_worker = median_of_points(s, cores_per_worker_of, scratch);
}

/* A plateau is fitted by a peak, too, somewhere on it or beyond. It is one if the rate was seen to fall. */
static bool sees_peak(const scaling *s, const scaling_law *law)
{
    double most = s->points[s->count - 1].cores, highest = 0, last = 0, n_last = 0;
    for (size_t i = 0; i < s->count; i++) {
        bool at_the_end = s->points[i].cores > 0.99 * most;
        highest = fmax(highest, s->points[i].rate);
        last += at_the_end ? s->points[i].rate : 0;
        n_last += at_the_end;
    }
    double by_law = 1 - scaling_rate(law, most) / law->highest_rate.estimate, seen = 1 - last / n_last / highest;
    double fallen = fmin(by_law, seen);
    return law->coherence.low > 0 && law->peak.estimate < most && fallen > 2 * law->scatter && fallen > 0.02;
}

static bool fit_laws(scaling *s, double *scratch)
{
    bootstrap_options options = bootstrap_defaults();
    double *cores = scratch, *rates = scratch + s->count;
    if (s->count < FEWEST_POINTS)
        s->no_law = "a law takes six runs or more";
    else if (s->different < FEWEST_DIFFERENT)
        s->no_law = "a law takes four or more different numbers of cores";
    if (s->no_law)
        return true;
    for (size_t i = 0; i < s->count; i++) {
        cores[i] = s->points[i].cores;
        rates[i] = s->points[i].rate;
    }
    bool done = scaling_fit(&s->amdahl, cores, rates, s->count, LAW_AMDAHL, &options) &&
                scaling_fit(&s->usl, cores, rates, s->count, LAW_USL, &options);
    if (done && !interval_tells(&s->usl.rate))
        s->no_law = "the runs scatter too much for a law: its interval is wider than its value";
    s->usl.peak_seen = done && sees_peak(s, &s->usl);
    return done;
}

/* ---- Choices
 * ------------------------------------------------------------------------------------------------------------ */

static double cost_of(const scaling *s, double cores, double seconds)
{
    double hours = seconds / 3600, waiting = isnan(s->costs.hour) ? 0 : s->costs.hour;
    return hours * (s->costs.core_hour * cores + waiting);
}

static scaling_choice choice_of(const scaling *s, double cores)
{
    scaling_choice choice = {cores, (double)NAN, (double)NAN, (double)NAN};
    if (!isfinite(cores))
        return (scaling_choice){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    if (isfinite(s->cores_per_worker))
        choice.workers = fmax(1, round(cores / s->cores_per_worker));
    choice.seconds = s->events / scaling_rate(&s->usl, cores);
    choice.cost = cost_of(s, cores, choice.seconds);
    return choice;
}

/* The cost falls and then rises with the logarithm of the cores, so thirds close in on the least. */
static double cheapest_cores(const scaling *s)
{
    double low = 0, high = log(fmin(s->usl.peak.estimate, 1e6));
    while (high - low > 1e-9) {
        double left = low + (high - low) / 3, right = high - (high - low) / 3;
        double of_left = cost_of(s, exp(left), s->events / scaling_rate(&s->usl, exp(left)));
        double of_right = cost_of(s, exp(right), s->events / scaling_rate(&s->usl, exp(right)));
        if (of_left <= of_right)
            high = right;
        else
            low = left;
    }
    return exp((low + high) / 2);
}

static void choose(scaling *s)
{
    s->knee = s->best = choice_of(s, (double)NAN);
    if (s->no_law)
        return;
    s->knee = choice_of(s, interval_tells(&s->usl.knee) ? s->usl.knee.estimate : (double)NAN);
    if (!isnan(s->costs.core_hour) && !isnan(s->costs.hour))
        s->best = choice_of(s, cheapest_cores(s));
}

/* ---- Too few runs for a law
 * ---------------------------------------------------------------------------------------------- */

static const roast_subject *largest_run(const roast_subject *inputs, size_t count)
{
    const roast_subject *largest = &inputs[0];
    for (size_t i = 1; i < count; i++)
        if (summary_real(inputs[i].summary, M_run_total_cores) > summary_real(largest->summary, M_run_total_cores))
            largest = &inputs[i];
    return largest;
}

static void take_bounds(scaling *s, const explanation *e, double cores)
{
    static const struct {
        const char *id;
        double times;
    } asked[SCALING_BOUNDS] = {{"workers_half", 0.5}, {"workers_twice", 2}, {"workers_four_times", 4}};
    s->replay_error_percent = e->replay_error_percent;
    for (size_t a = 0; a < SCALING_BOUNDS; a++)
        for (size_t i = 0; i < e->n_what_ifs; i++)
            if (strcmp(e->what_ifs[i].id, asked[a].id) == 0 && isfinite(e->what_ifs[i].wall_seconds))
                s->bounds[s->n_bounds++] =
                    (scaling_bound){asked[a].times, cores * asked[a].times, e->what_ifs[i].wall_seconds};
}

static roast_code find_bounds(scaling *s, const roast_subject *inputs, size_t count, roast_error *err)
{
    const roast_subject *largest = largest_run(inputs, count);
    s->replay_error_percent = (double)NAN;
    if (!s->no_law || !largest->run)
        return ROAST_OK;
    explanation *e = calloc(1, sizeof *e);
    if (!e)
        return fail_memory(err);
    for (size_t i = 0; i < s->count; i++)
        if (str_equal(s->points[i].label, str_from(largest->label)))
            s->replayed = &s->points[i];
    roast_code code = explain_run(e, largest->run, largest->summary, true, err);
    if (!code) {
        take_bounds(s, e, summary_real(largest->summary, M_run_total_cores));
        explanation_release(e);
    }
    free(e);
    return code;
}

static roast_code scale_all(scaling *s, const roast_subject *inputs, size_t count, roast_error *err)
{
    s->points = arena_alloc(&s->memory, count, sizeof *s->points);
    double *scratch = arena_alloc(&s->memory, 2 * count, sizeof *scratch);
    if (!s->points || !scratch)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        roast_code code = read_point(s, &inputs[i], err);
        if (code)
            return code;
    }
    qsort(s->points, s->count, sizeof *s->points, compare_points);
    relate_points(s, scratch);
    if (!fit_laws(s, scratch))
        return fail_memory(err);
    choose(s);
    return find_bounds(s, inputs, count, err);
}

roast_code roast_scale(scaling **out, const roast_subject *inputs, size_t count, const roast_costs *costs,
                       roast_error *err)
{
    *out = NULL;
    if (!count)
        return fail(err, ROAST_USAGE, "there is no run to scale");
    scaling *s = calloc(1, sizeof *s);
    if (!s)
        return fail_memory(err);
    s->costs = (roast_costs){.core_hour = (double)NAN, .hour = (double)NAN};
    SIZED_OPTIONS(&s->costs, costs, hour);
    roast_code code = scale_all(s, inputs, count, err);
    if (code)
        roast_scaling_free(s);
    else
        *out = s;
    return code;
}

void roast_scaling_free(scaling *s)
{
    if (!s)
        return;
    arena_release(&s->memory);
    free(s);
}
