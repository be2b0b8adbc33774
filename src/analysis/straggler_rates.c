/* What attempts should take, by their events and bytes, and by how much they deviate from it. */
#include "analysis/straggler_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Of the expected time of an attempt: what a part may differ by without being slow or fast. A part that is next to
 * nothing has large ratios that mean nothing. */
static const double INDIFFERENT = 0.02;
static const double SMALLEST_SPREAD = 0.04;

double straggler_seconds(const trace_attempt *attempt)
{
    return trace_seconds(attempt) - (double)attempt->return_s;
}

double straggler_part_seconds(const trace_attempt *attempt, straggler_part part)
{
    double io = attempt->cpu_known ? (double)(attempt->wait + attempt->open) : 0;
    return part == STRAGGLER_IO ? io : fmax(straggler_seconds(attempt) - io, 0);
}

/* What is compared of a part. Waiting for a core is told apart by Linux: where most chunks run on machines that have
 * too few of them, that is one cause, and machines that have fewer yet are not slow besides. */
double straggler_compared(const stragglers *s, const trace_attempt *attempt, straggler_part part)
{
    double seconds = straggler_part_seconds(attempt, part);
    return part == STRAGGLER_COMPUTE && s->cores_short ? fmax(seconds - (double)attempt->core, 0) : seconds;
}

bool straggler_comparable(const trace_attempt *attempt)
{
    return !attempt->failed && straggler_seconds(attempt) > 0;
}

static bool in_slow_group(const stragglers *s, const trace_attempt *attempt)
{
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        if (s->kinds[kind].guilty && straggler_in_slow(s, (straggler_kind)kind, attempt))
            return true;
    return false;
}

/* ---- Attempts sorted into groups ----------------------------------------------------------------------------- */

bool sorted_groups_make(sorted_groups *out, const stragglers *s, uint32_t groups, grouping get, int kind)
{
    const trace *t = s->trace;
    out->first = calloc((size_t)groups + 2, sizeof *out->first);
    out->items = malloc((t->count + 1) * sizeof *out->items);
    if (!out->first || !out->items)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        uint32_t group = straggler_comparable(&t->attempts[i]) ? get(s, &t->attempts[i], kind) : TRACE_NONE;
        if (group < groups)
            out->first[group + 2]++;
    }
    for (uint32_t g = 0; g < groups; g++)
        out->first[g + 2] += out->first[g + 1];
    for (size_t i = 0; i < t->count; i++) {
        uint32_t group = straggler_comparable(&t->attempts[i]) ? get(s, &t->attempts[i], kind) : TRACE_NONE;
        if (group < groups)
            out->items[out->first[group + 1]++] = (uint32_t)i;
    }
    return true;
}

void sorted_groups_release(sorted_groups *groups)
{
    free(groups->first);
    free(groups->items);
}

/* ---- What an attempt should take ----------------------------------------------------------------------------- */

uint32_t straggler_dataset(const stragglers *s, const trace_attempt *attempt, int kind)
{
    (void)kind;
    size_t datasets = s->trace->n_datasets;
    return attempt->dataset < datasets ? attempt->dataset : (uint32_t)datasets;
}

/* What a part goes with: bytes if they are known, for storage does not know of events; else events. */
static double amount_of(const trace_attempt *a, straggler_part part)
{
    return part == STRAGGLER_IO && a->bytes > 0 ? (double)a->bytes : (double)a->events;
}

static double rate_at(const stragglers *s, straggler_part part, double rank, const uint32_t *items, size_t count,
                      double *scratch)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const trace_attempt *a = &s->trace->attempts[items[i]];
        if (amount_of(a, part) > 0 && !in_slow_group(s, a))
            scratch[kept++] = straggler_compared(s, a, part) / amount_of(a, part);
    }
    return kept >= FEWEST_IN_GROUP ? percentile(scratch, kept, rank) : (double)NAN;
}

/* Storage knows of bytes, not of datasets: where most of a dataset was waited for longer than what others read, but
 * some of it was not, it is not the dataset that takes longer. */
static double usual_rate(const stragglers *s, straggler_part part, const uint32_t *items, size_t count, double *scratch)
{
    static const double SOME = 10; /* percent */
    double median = rate_at(s, part, 50, items, count, scratch), limit = LEAST_SLOWDOWN * s->wait_per_byte;
    bool like_others = part == STRAGGLER_IO && median > limit && rate_at(s, part, SOME, items, count, scratch) < limit;
    return like_others ? s->wait_per_byte : median;
}

/* What an attempt takes without events, and for each; sure: what it takes without events at least. */
typedef struct cost_line {
    double fixed, per_amount, sure;
} cost_line;

/* A line through what is near the median rate, or the rate alone. */
static cost_line fit_part(const stragglers *s, straggler_part part, const uint32_t *items, size_t count,
                          double *scratch)
{
    double rate = usual_rate(s, part, items, count, scratch);
    cost_line line = {.per_amount = rate};
    for (int round = 0; round < 3 && isfinite(rate); round++) {
        line_fit fit = {0};
        for (size_t i = 0; i < count; i++) {
            const trace_attempt *a = &s->trace->attempts[items[i]];
            double amount = amount_of(a, part), expected = line.fixed + line.per_amount * amount;
            double took = straggler_compared(s, a, part);
            if (amount > 0 && took > 0.6 * expected && took < 1.5 * expected && !in_slow_group(s, a))
                line_fit_add(&fit, amount, took);
        }
        double slope = line_fit_slope(&fit), intercept = line_fit_intercept(&fit);
        /* Chunks of one size tell nothing of what a chunk costs without events. */
        bool varied = fit.count >= FEWEST_TO_FIT && fit.xx / (double)fit.count > 0.0025 * fit.mean_x * fit.mean_x;
        if (varied && slope > 0 && intercept >= 0)
            line = (cost_line){intercept, slope, fmax(intercept - 2 * line_fit_intercept_error(&fit), 0)};
        else if (fit.count >= FEWEST_TO_FIT && fit.mean_x > 0)
            line = (cost_line){.per_amount = fit.mean_y / fit.mean_x};
    }
    return line;
}

static bool make_room_for_expected(stragglers *s, uint32_t datasets)
{
    bool done = true;
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        if (!s->expected[part])
            s->expected[part] = arena_alloc(&s->memory, s->trace->count, sizeof **s->expected);
        done = done && s->expected[part];
    }
    s->fixed = s->fixed ? s->fixed : arena_alloc(&s->memory, datasets, sizeof *s->fixed);
    return done && s->fixed;
}

roast_code straggler_expect(stragglers *s, roast_error *err)
{
    const trace *t = s->trace;
    uint32_t datasets = (uint32_t)s->trace->n_datasets + 1;
    sorted_groups groups = {0};
    double *scratch = malloc((t->count + 1) * sizeof *scratch);
    bool done = scratch && make_room_for_expected(s, datasets) &&
                sorted_groups_make(&groups, s, datasets, straggler_dataset, 0);
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        for (size_t i = 0; done && i < t->count; i++)
            s->expected[part][i] = NAN;
    if (done)
        s->wait_per_byte = rate_at(s, STRAGGLER_IO, 50, groups.items, groups.first[datasets], scratch);
    for (uint32_t d = 0; done && d < datasets; d++) {
        const uint32_t *items = groups.items + groups.first[d];
        size_t count = groups.first[d + 1] - groups.first[d];
        s->fixed[d] = 0;
        for (int part = 0; part < STRAGGLER_PARTS; part++) {
            cost_line line = fit_part(s, (straggler_part)part, items, count, scratch);
            s->fixed[d] += (float)line.sure;
            for (size_t i = 0; i < count && isfinite(line.per_amount); i++) {
                double amount = amount_of(&t->attempts[items[i]], (straggler_part)part);
                if (amount >= 0)
                    s->expected[part][items[i]] = (float)(line.fixed + line.per_amount * amount);
            }
        }
    }
    sorted_groups_release(&groups);
    free(scratch);
    return done ? ROAST_OK : fail_memory(err);
}

double straggler_indifferent(const stragglers *s, size_t i)
{
    return INDIFFERENT * (double)(s->expected[STRAGGLER_COMPUTE][i] + s->expected[STRAGGLER_IO][i]);
}

/* The logarithm of took / expected of a part, after what has been explained. */
double straggler_deviation(const stragglers *s, straggler_part part, size_t i)
{
    const trace_attempt *a = &s->trace->attempts[i];
    double expected = (double)s->expected[part][i], slack = straggler_indifferent(s, i);
    if (!straggler_comparable(a) || !(slack > 0))
        return (double)NAN;
    double explained = 1;
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        explained *= s->kinds[kind].guilty ? straggler_slowdown(s, (straggler_kind)kind, part, a) : 1;
    return log((straggler_compared(s, a, part) + slack) / (expected + slack) / explained);
}

double straggler_times_expected(const stragglers *s, size_t i)
{
    const trace_attempt *a = &s->trace->attempts[i];
    double took = straggler_compared(s, a, STRAGGLER_COMPUTE) + straggler_compared(s, a, STRAGGLER_IO);
    double expected = (double)(s->expected[STRAGGLER_COMPUTE][i] + s->expected[STRAGGLER_IO][i]);
    return straggler_comparable(a) && expected > 0 ? took / expected : (double)NAN;
}

static const double LEVEL = 0.02; /* of the logarithm of took / expected */

bool deviations_init(deviations *d, const trace *t)
{
    bool done = (d->scratch = malloc((t->count + 1) * sizeof *d->scratch)) != NULL;
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        done = (d->of[part] = malloc((t->count + 1) * sizeof **d->of)) != NULL && done;
    return done;
}

void deviations_release(deviations *d)
{
    free(d->scratch);
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        free(d->of[part]);
}

size_t deviations_level(double deviation)
{
    return (size_t)fmin(fmax(deviation / LEVEL, 0), LEVELS - 1);
}

static void count_above(deviations *d, int part, size_t count)
{
    size_t *above = d->above[part];
    memset(above, 0, sizeof d->above[part]);
    d->known[part] = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(d->of[part][i]))
            continue;
        d->known[part]++;
        above[deviations_level((double)d->of[part][i])]++;
    }
    for (size_t level = LEVELS - 1; level-- > 0;)
        above[level] += above[level + 1];
}

void deviations_measure(const stragglers *s, deviations *d)
{
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        for (size_t i = 0; i < s->trace->count; i++)
            d->of[part][i] = (float)straggler_deviation(s, (straggler_part)part, i);
        count_above(d, part, s->trace->count);
    }
}

void deviations_spread(stragglers *s, deviations *d)
{
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        size_t kept = 0;
        for (size_t i = 0; i < s->trace->count; i++)
            if (isfinite(d->of[part][i]))
                d->scratch[kept++] = (double)d->of[part][i];
        double middle = percentile(d->scratch, kept, 50);
        for (size_t i = 0; i < kept; i++)
            d->scratch[i] = fabs(d->scratch[i] - middle);
        s->spread[part] = kept ? fmax(1.4826 * percentile(d->scratch, kept, 50), SMALLEST_SPREAD) : SMALLEST_SPREAD;
    }
}

bool straggler_stands_out(double deviation)
{
    return deviation > log(LEAST_SLOWDOWN);
}

/* Whether most attempts ran on machines on which others took their cores. */
static bool cores_are_short(const stragglers *s, double *all, double *core)
{
    static const double FULL = 0.05;
    size_t attempts = 0, short_of = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < s->trace->count; i++) {
            const trace_attempt *a = &s->trace->attempts[i];
            uint32_t host = straggler_group(s, STRAGGLER_HOST, a);
            if (!straggler_comparable(a) || host == TRACE_NONE)
                continue;
            all[host] += pass ? 0 : straggler_seconds(a);
            core[host] += pass ? 0 : (double)a->core;
            attempts += (size_t)pass;
            short_of += (size_t)(pass && core[host] > FULL * all[host]);
        }
    return 2 * short_of > attempts;
}

roast_code straggler_look_for_cores(stragglers *s, roast_error *err)
{
    double *sums = calloc(2 * (size_t)s->hosts.count + 1, sizeof *sums);
    if (!sums)
        return fail_memory(err);
    s->cores_short = cores_are_short(s, sums, sums + s->hosts.count);
    free(sums);
    return ROAST_OK;
}
