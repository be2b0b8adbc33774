/* Stragglers by rate. What an attempt should take is a straight line in its events for what it computes, and in the
 * bytes that it reads for what it waits, one of each for each dataset, fitted to those near the median rate, so that
 * slow ones do not move it. What it took over that is compared between hosts, workers, storage sites, files, first
 * chunks and parts of the run: a group is slow if most of what ran in it was. The kind that explains most of the excess
 * is taken as the cause (what is more general, or hits all that it should hit, before what only coincides with it), its
 * effect is divided out, and the rest is looked at again. */
#include "analysis/stragglers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"

static const double LEAST_SLOWDOWN = 1.3;   /* below it hosts and files differ anyway */
static const double LEAST_SIGNIFICANCE = 5; /* standard errors of a group's median */
static const double SMALLEST_SPREAD = 0.04;
static const double MOST_SLOW = 0.6;
/* Of the expected time of an attempt: what a part may differ by without being slow or fast. A part that is next to
 * nothing has large ratios that mean nothing. */
static const double INDIFFERENT = 0.02;
/* A group is slow by chance if so many of its attempts are slow as single stragglers make; over all groups of a kind
 * this is to happen in one run of a hundred. */
static const double LARGEST_CHANCE = 0.01;
enum { MOST_BY_CHANCE = 50, SLOW_TIMES = (STRAGGLER_PERIODS - 1) / 2 / STRAGGLER_PARTS };
enum { FEWEST_TO_FIT = 8, FEWEST_IN_GROUP = 3, ROUNDS = 4 };
enum { FEWEST_TO_BLAME = 2 }; /* where chance does not make as many slow: a file may have no more chunks */

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
static double compared_seconds(const stragglers *s, const trace_attempt *attempt, straggler_part part)
{
    double seconds = straggler_part_seconds(attempt, part);
    return part == STRAGGLER_COMPUTE && s->cores_short ? fmax(seconds - (double)attempt->core, 0) : seconds;
}

static bool comparable(const trace_attempt *attempt)
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

/* Numbers of the comparable attempts, group by group: those of group g are items[first[g]] to items[first[g + 1] - 1].
 */
typedef struct sorted_groups {
    uint32_t *first, *items;
} sorted_groups;

typedef uint32_t (*group_of)(const stragglers *s, const trace_attempt *attempt, int kind);

static bool sort_groups(sorted_groups *out, const stragglers *s, uint32_t groups, group_of get, int kind)
{
    const trace *t = s->trace;
    out->first = calloc((size_t)groups + 2, sizeof *out->first);
    out->items = malloc((t->count + 1) * sizeof *out->items);
    if (!out->first || !out->items)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        uint32_t group = comparable(&t->attempts[i]) ? get(s, &t->attempts[i], kind) : TRACE_NONE;
        if (group < groups)
            out->first[group + 2]++;
    }
    for (uint32_t g = 0; g < groups; g++)
        out->first[g + 2] += out->first[g + 1];
    for (size_t i = 0; i < t->count; i++) {
        uint32_t group = comparable(&t->attempts[i]) ? get(s, &t->attempts[i], kind) : TRACE_NONE;
        if (group < groups)
            out->items[out->first[group + 1]++] = (uint32_t)i;
    }
    return true;
}

static void release_groups(sorted_groups *groups)
{
    free(groups->first);
    free(groups->items);
}

/* ---- What an attempt should take ----------------------------------------------------------------------------- */

static uint32_t dataset_group(const stragglers *s, const trace_attempt *attempt, int kind)
{
    (void)kind;
    size_t datasets = run_datasets(s->run);
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
            scratch[kept++] = compared_seconds(s, a, part) / amount_of(a, part);
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
            double took = compared_seconds(s, a, part);
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

static roast_code expect(stragglers *s, roast_error *err)
{
    const trace *t = s->trace;
    uint32_t datasets = (uint32_t)run_datasets(s->run) + 1;
    sorted_groups groups = {0};
    double *scratch = malloc((t->count + 1) * sizeof *scratch);
    bool done = scratch && make_room_for_expected(s, datasets) && sort_groups(&groups, s, datasets, dataset_group, 0);
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
    release_groups(&groups);
    free(scratch);
    return done ? ROAST_OK : fail_memory(err);
}

static double indifferent_seconds(const stragglers *s, size_t i)
{
    return INDIFFERENT * (double)(s->expected[STRAGGLER_COMPUTE][i] + s->expected[STRAGGLER_IO][i]);
}

/* The logarithm of took / expected of a part, after what has been explained. */
static double deviation(const stragglers *s, straggler_part part, size_t i)
{
    const trace_attempt *a = &s->trace->attempts[i];
    double expected = (double)s->expected[part][i], slack = indifferent_seconds(s, i);
    if (!comparable(a) || !(slack > 0))
        return (double)NAN;
    double explained = 1;
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        explained *= s->kinds[kind].guilty ? straggler_slowdown(s, (straggler_kind)kind, part, a) : 1;
    return log((compared_seconds(s, a, part) + slack) / (expected + slack) / explained);
}

enum { LEVELS = 256 };
static const double LEVEL = 0.02; /* of the logarithm of took / expected */

/* Deviations of all attempts, part by part. */
typedef struct deviations {
    float *of[STRAGGLER_PARTS];
    size_t known[STRAGGLER_PARTS], above[STRAGGLER_PARTS][LEVELS]; /* attempts that deviate by at least each level */
    double *scratch;
} deviations;

static bool deviations_init(deviations *d, const trace *t)
{
    bool done = (d->scratch = malloc((t->count + 1) * sizeof *d->scratch)) != NULL;
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        done = (d->of[part] = malloc((t->count + 1) * sizeof **d->of)) != NULL && done;
    return done;
}

static void deviations_release(deviations *d)
{
    free(d->scratch);
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        free(d->of[part]);
}

static size_t level_of(double deviation)
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
        above[level_of((double)d->of[part][i])]++;
    }
    for (size_t level = LEVELS - 1; level-- > 0;)
        above[level] += above[level + 1];
}

static void measure_deviations(const stragglers *s, deviations *d)
{
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        for (size_t i = 0; i < s->trace->count; i++)
            d->of[part][i] = (float)deviation(s, (straggler_part)part, i);
        count_above(d, part, s->trace->count);
    }
}

static void measure_spread(stragglers *s, deviations *d)
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

/* ---- Groups -------------------------------------------------------------------------------------------------- */

static uint32_t period_at(const stragglers *s, int64_t t_ns)
{
    uint32_t period = 0;
    while (period < s->n_bounds && t_ns >= s->bounds_ns[period])
        period++;
    return period;
}

/* By its middle: it is slow for as long as it runs in a slow time, whenever it began. At the end of a run only the long
 * ones are left, which makes that no slow time: there they count as they began. */
static int64_t time_of(const stragglers *s, const trace_attempt *attempt)
{
    int64_t middle = attempt->start_ns + (attempt->end_ns - attempt->start_ns) / 2;
    return middle > s->last_start_ns ? attempt->start_ns : middle;
}

uint32_t straggler_group(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    bool on_worker = attempt->worker < run_workers(s->run), of_file = attempt->file < run_files(s->run);
    switch (kind) {
    case STRAGGLER_HOST:
        return on_worker ? s->host_of[attempt->worker] : TRACE_NONE;
    case STRAGGLER_WORKER:
        return on_worker ? attempt->worker : TRACE_NONE;
    case STRAGGLER_SITE:
        return of_file ? s->site_of[attempt->file] : TRACE_NONE;
    case STRAGGLER_FILE:
        return of_file ? attempt->file : TRACE_NONE;
    case STRAGGLER_WARM_UP:
        return on_worker ? attempt->start_ns < s->first_end_ns[attempt->worker] : TRACE_NONE;
    case STRAGGLER_PERIOD:
    case STRAGGLER_KINDS: /* is none */
        break;
    }
    return period_at(s, time_of(s, attempt));
}

static uint32_t group_of_kind(const stragglers *s, const trace_attempt *attempt, int kind)
{
    return straggler_group(s, (straggler_kind)kind, attempt);
}

/* First chunks are not alike: one compiles while the others wait for it. Each is compared with what it should take. */
static double own_slowdown(const stragglers *s, straggler_part part, const trace_attempt *attempt)
{
    size_t i = (size_t)(attempt - s->trace->attempts);
    double expected = (double)s->expected[part][i], slack = indifferent_seconds(s, i);
    double took = compared_seconds(s, attempt, part), ratio = (took + slack) / (expected + slack);
    return expected > 0 && ratio > LEAST_SLOWDOWN ? took / expected : 1;
}

/* What only begins or ends in a slow time is slow for a part of its own time: for what it took longer, at most. */
static double slowdown_at_edge(const stragglers *s, straggler_part part, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[STRAGGLER_PERIOD];
    uint32_t first = period_at(s, attempt->start_ns), last = period_at(s, attempt->end_ns);
    double most = 1;
    if (attempt->end_ns > s->last_start_ns) /* the end of a run is no slow time */
        last = first;
    for (uint32_t g = first; g <= last; g++)
        most = groups->slow[g] ? fmax(most, (double)groups->slowdown[part][g]) : most;
    return most > 1 ? fmin(most, own_slowdown(s, part, attempt)) : 1;
}

double straggler_slowdown(const stragglers *s, straggler_kind kind, straggler_part part, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[kind];
    if (!groups->n_slow) /* the usual case, asked often */
        return 1;
    uint32_t group = straggler_group(s, kind, attempt);
    if (group < groups->count && groups->slow[group])
        return kind == STRAGGLER_WARM_UP ? own_slowdown(s, part, attempt) : (double)groups->slowdown[part][group];
    return kind == STRAGGLER_PERIOD && comparable(attempt) ? slowdown_at_edge(s, part, attempt) : 1;
}

bool straggler_in_slow(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[kind];
    uint32_t group = groups->n_slow ? straggler_group(s, kind, attempt) : TRACE_NONE;
    return group < groups->count && groups->slow[group];
}

double straggler_excess(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    double excess = 0;
    for (int part = 0; part < STRAGGLER_PARTS; part++) {
        double slowdown = straggler_slowdown(s, kind, (straggler_part)part, attempt);
        excess += straggler_part_seconds(attempt, (straggler_part)part) * (1 - 1 / slowdown);
    }
    return excess;
}

roast_str straggler_name(const stragglers *s, straggler_kind kind, uint32_t group)
{
    if (kind == STRAGGLER_HOST)
        return group < s->hosts.count ? s->hosts.strings[group] : str_none();
    if (kind == STRAGGLER_SITE)
        return group < s->sites.count ? s->sites.strings[group] : str_none();
    const roast_worker *worker = kind == STRAGGLER_WORKER ? run_worker(s->run, group) : NULL;
    const roast_file *file = kind == STRAGGLER_FILE ? run_file(s->run, group) : NULL;
    return worker ? worker->address : file ? file->url : str_none();
}

/* "tcp://HOST:PORT" names the host; anything else is a host of its own. */
static roast_str host_name(const roast_worker *worker)
{
    return worker_host(worker);
}

static bool make_groups(stragglers *s, straggler_groups *groups, uint32_t count)
{
    groups->count = count;
    groups->attempts = arena_alloc(&s->memory, count, sizeof *groups->attempts);
    groups->slow = arena_alloc(&s->memory, count, sizeof *groups->slow);
    bool done = groups->attempts && groups->slow;
    for (int part = 0; part < STRAGGLER_PARTS && done; part++) {
        groups->slowdown[part] = arena_alloc(&s->memory, count, sizeof **groups->slowdown);
        groups->typical[part] = arena_alloc(&s->memory, count, sizeof **groups->typical);
        done = groups->slowdown[part] && groups->typical[part];
        for (uint32_t g = 0; done && g < count; g++)
            groups->slowdown[part][g] = 1;
    }
    return done;
}

/* What a worker begins before it has done any chunk finds nothing loaded, compiled or connected. */
static bool find_first_ends(stragglers *s)
{
    size_t workers = run_workers(s->run);
    s->first_end_ns = arena_alloc(&s->memory, workers, sizeof *s->first_end_ns);
    for (size_t w = 0; s->first_end_ns && w < workers; w++)
        s->first_end_ns[w] = ROAST_ABSENT;
    for (size_t i = 0; s->first_end_ns && i < s->trace->count; i++) {
        const trace_attempt *a = &s->trace->attempts[i];
        int64_t end_ns = a->end_ns - (a->end_ns - a->start_ns) / 50; /* what begins in its last moments follows it */
        if (a->worker < workers && !a->failed &&
            (s->first_end_ns[a->worker] == ROAST_ABSENT || end_ns < s->first_end_ns[a->worker]))
            s->first_end_ns[a->worker] = end_ns;
    }
    return s->first_end_ns;
}

static roast_code number_groups(stragglers *s, roast_error *err)
{
    uint32_t workers = (uint32_t)run_workers(s->run), files = (uint32_t)run_files(s->run);
    s->host_of = arena_alloc(&s->memory, workers, sizeof *s->host_of);
    s->site_of = arena_alloc(&s->memory, files, sizeof *s->site_of);
    bool done = s->host_of && s->site_of;
    for (uint32_t i = 0; done && i < workers; i++)
        done = (s->host_of[i] = intern_add(&s->hosts, host_name(run_worker(s->run, i)), NULL)) != INTERN_NONE;
    for (uint32_t i = 0; done && i < files; i++)
        done = (s->site_of[i] = intern_add(&s->sites, file_server(run_file(s->run, i)->url), NULL)) != INTERN_NONE;
    const uint32_t counts[] = {s->hosts.count, workers, s->sites.count, files, 2, STRAGGLER_PERIODS};
    for (int kind = 0; done && kind < STRAGGLER_KINDS; kind++)
        done = make_groups(s, &s->kinds[kind], counts[kind]);
    done = done && find_first_ends(s);
    return done ? ROAST_OK : fail_memory(err);
}

static void acquit(straggler_groups *groups)
{
    groups->excess = 0;
    groups->n_slow = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        groups->slow[g] = false;
        for (int part = 0; part < STRAGGLER_PARTS; part++)
            groups->slowdown[part][g] = 1;
    }
}

static double log_choose(size_t of, size_t count)
{
    return lgamma((double)of + 1) - lgamma((double)count + 1) - lgamma((double)(of - count) + 1);
}

/* The chance of at least hits among count that are drawn from all, of which so many are slow: it is known how many
 * there are, only not where. */
static double draw_tail(size_t hits, size_t count, size_t slow, size_t all)
{
    double tail = 0;
    for (size_t k = hits; k <= count && k <= slow; k++)
        if (count - k <= all - slow)
            tail += exp(log_choose(slow, k) + log_choose(all - slow, count - k) - log_choose(all, count));
    return tail;
}

/* The chance of at least hits of count, each with the same chance. */
static double binomial_tail(size_t hits, size_t count, double chance)
{
    double tail = 0;
    for (size_t k = hits; k <= count && chance > 0; k++)
        tail += exp(lgamma((double)count + 1) - lgamma((double)k + 1) - lgamma((double)(count - k) + 1) +
                    (double)k * log(chance) + (double)(count - k) * log1p(-chance));
    return tail;
}

static bool stands_out(double deviation)
{
    return deviation > log(LEAST_SLOWDOWN);
}

static double excess_of(const stragglers *s, int part, double slowdown, const uint32_t *items, size_t count)
{
    double excess = 0;
    for (size_t i = 0; i < count; i++)
        excess += straggler_part_seconds(&s->trace->attempts[items[i]], (straggler_part)part) * (1 - 1 / slowdown);
    return excess;
}

/* ---- Sites ---------------------------------------------------------------------------------------------------- */

/* Sites are contrasted, not pooled: where half of the files are on a slow one, what is usual over all is neither. A
 * dataset that is mostly on one site takes that site for usual, so both effects are found together: the waiting of a
 * dataset on a site is that of the dataset and that of the site, one on top of the other. */
typedef struct site_cells {
    float *value;           /* by dataset and site: of the logarithm of took / expected; NAN: too few */
    double *site, *dataset; /* effects */
    uint32_t sites, datasets;
} site_cells;

/* The load of storage changes from hour to hour, and what is most asked waits longest: a site that is slow is so when
 * few ask, too, and that is what sites are compared by. */
static const double WHEN_FEW_ASK = 25; /* percentile */

static uint32_t cell_group(const stragglers *s, const trace_attempt *attempt, int kind)
{
    uint32_t site = straggler_group(s, STRAGGLER_SITE, attempt), datasets = (uint32_t)run_datasets(s->run) + 1;
    return site == TRACE_NONE ? TRACE_NONE : site * datasets + dataset_group(s, attempt, kind);
}

static bool fill_cells(site_cells *cells, const stragglers *s, const float *above_expected, double *scratch)
{
    uint32_t count = cells->sites * cells->datasets;
    sorted_groups by_cell = {0};
    cells->value = malloc(((size_t)count + 1) * sizeof *cells->value);
    cells->site = calloc((size_t)cells->sites + 1, sizeof *cells->site);
    cells->dataset = calloc((size_t)cells->datasets + 1, sizeof *cells->dataset);
    bool done = cells->value && cells->site && cells->dataset && sort_groups(&by_cell, s, count, cell_group, 0);
    for (uint32_t cell = 0; done && cell < count; cell++) {
        size_t kept = 0;
        for (size_t i = by_cell.first[cell]; i < by_cell.first[cell + 1]; i++)
            if (isfinite(above_expected[by_cell.items[i]]))
                scratch[kept++] = (double)above_expected[by_cell.items[i]];
        double value = kept >= FEWEST_IN_GROUP ? percentile(scratch, kept, WHEN_FEW_ASK) : (double)NAN;
        cells->value[cell] = (float)value;
    }
    release_groups(&by_cell);
    return done;
}

/* By row of a table: the mean of its cells, without what its columns explain. next: from a row to the next, and from a
 * cell to the next of its row. */
static void average_rows(double *effects, size_t rows, const float *cells, const size_t next[2], const double *columns,
                         size_t n_columns)
{
    for (size_t row = 0; row < rows; row++) {
        double sum = 0, count = 0;
        for (size_t column = 0; column < n_columns; column++) {
            float value = cells[row * next[0] + column * next[1]];
            sum += isfinite(value) ? (double)value - columns[column] : 0;
            count += isfinite(value) != 0;
        }
        effects[row] = count > 0 ? sum / count : 0;
    }
}

/* Both effects by turns: each is the mean of what the other leaves. A site that shares no dataset with others stays
 * where its datasets put it. */
static void separate(site_cells *cells)
{
    enum { TURNS = 30 };
    const size_t by_site[2] = {cells->datasets, 1}, by_dataset[2] = {1, cells->datasets};
    for (int turn = 0; turn < TURNS; turn++) {
        average_rows(cells->dataset, cells->datasets, cells->value, by_dataset, cells->site, cells->sites);
        average_rows(cells->site, cells->sites, cells->value, by_site, cells->dataset, cells->datasets);
    }
}

/* The effect of each site on waiting; the reference is the best of those that many read from. */
static bool contrast_sites(stragglers *s, const sorted_groups *by_site, const float *above_expected, double *scratch)
{
    straggler_groups *groups = &s->kinds[STRAGGLER_SITE];
    site_cells cells = {.sites = groups->count, .datasets = (uint32_t)run_datasets(s->run) + 1};
    bool done = fill_cells(&cells, s, above_expected, scratch);
    if (done)
        separate(&cells);
    double best = HUGE_VAL;
    for (uint32_t g = 0; done && g < groups->count; g++) {
        groups->typical[STRAGGLER_IO][g] = (float)cells.site[g];
        bool many = groups->attempts[g] * 20 > by_site->first[groups->count] && groups->attempts[g] >= FEWEST_TO_FIT;
        best = many ? fmin(best, cells.site[g]) : best;
    }
    groups->reference[STRAGGLER_IO] = isfinite(best) ? best : 0;
    free(cells.value);
    free(cells.site);
    free(cells.dataset);
    return done;
}

/* ---- Which groups are slow ------------------------------------------------------------------------------------- */

/* The typical deviation of each group; how many attempts all have. */
static size_t measure_groups(const stragglers *s, int kind, const sorted_groups *sorted, const deviations *d)
{
    const straggler_groups *groups = &s->kinds[kind];
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t *items = sorted->items + sorted->first[g];
        size_t count = sorted->first[g + 1] - sorted->first[g];
        groups->attempts[g] = (uint32_t)count;
        for (int part = 0; part < STRAGGLER_PARTS; part++) {
            size_t kept = 0;
            for (size_t i = 0; i < count; i++)
                if (isfinite(d->of[part][items[i]]))
                    d->scratch[kept++] = (double)d->of[part][items[i]];
            groups->typical[part][g] = (float)percentile(d->scratch, kept, 50);
        }
    }
    return sorted->first[groups->count];
}

/* Whether chance would not make a group as slow: single stragglers have to be as slow as it is, not just slow. */
static bool group_is_slow(const stragglers *s, const deviations *d, int kind, int part, uint32_t g,
                          const uint32_t *items)
{
    const straggler_groups *groups = &s->kinds[kind];
    size_t count = groups->attempts[g], hits = 0;
    double above = (double)groups->typical[part][g] - groups->reference[part];
    double error = 1.25 * s->spread[part] / sqrt((double)count);
    if (count < FEWEST_TO_BLAME || !stands_out(above) || above < LEAST_SIGNIFICANCE * error)
        return false;
    size_t level = level_of(fmax(log(LEAST_SLOWDOWN), 0.5 * (double)groups->typical[part][g]));
    for (size_t i = 0; i < count; i++)
        hits += isfinite(d->of[part][items[i]]) && level_of((double)d->of[part][items[i]]) >= level;
    double places = kind == STRAGGLER_PERIOD ? (double)d->known[part] : groups->count;
    /* Beyond this many no chance makes most of a group slow. */
    return count > MOST_BY_CHANCE ||
           draw_tail(hits, count, d->above[part][level], d->known[part]) * places < LARGEST_CHANCE;
}

/* How many times longer a part of a slow group took. Deviations allow for what is indifferent, which makes ratios
 * smaller: that is taken out again. */
static double slowdown_of(const stragglers *s, int kind, int part, uint32_t g, const uint32_t *items)
{
    const straggler_groups *groups = &s->kinds[kind];
    double ratio = exp((double)groups->typical[part][g] - groups->reference[part]), slack = 0, expected = 0;
    for (size_t i = 0; i < groups->attempts[g]; i++)
        if (isfinite(s->expected[part][items[i]]) && indifferent_seconds(s, items[i]) > 0) {
            slack += indifferent_seconds(s, items[i]);
            expected += (double)s->expected[part][items[i]];
        }
    return expected > 0 ? ratio + (ratio - 1) * slack / expected : ratio;
}

/* ---- Slow times ----------------------------------------------------------------------------------------------- */

typedef struct timed {
    int64_t t_ns;
    uint32_t attempt;
} timed;

static int compare_timed(const void *left, const void *right)
{
    const timed *a = left, *b = right;
    return (a->t_ns > b->t_ns) - (a->t_ns < b->t_ns);
}

/* Items from first to last - 1, and by how many the slow ones among them outnumber the others. */
typedef struct stretch {
    size_t first, last, slow;
    int64_t score;
} stretch;

/* The stretch in which slow attempts outnumber the others the most. What was taken before is in none. */
static stretch slowest_stretch(const timed *items, size_t count, const float *of, const bool *taken)
{
    stretch best = {0}, now = {0};
    for (size_t i = 0; i < count; i++) {
        double by = (double)of[items[i].attempt];
        if (taken[i]) {
            now = (stretch){.first = i + 1};
            continue;
        }
        if (!isfinite(by))
            continue;
        if (now.score <= 0)
            now = (stretch){.first = i};
        now.score += stands_out(by) ? 1 : -1;
        now.slow += stands_out(by);
        now.last = i + 1;
        if (now.score > best.score)
            best = now;
    }
    return best;
}

/* Whether most of what cores were at in a time was slow. Single stragglers have their middles where few others have. */
static bool most_is_slow(const stragglers *s, const float *of, int64_t from_ns, int64_t until_ns)
{
    double slow = 0, all = 0;
    for (size_t i = 0; i < s->trace->count; i++) {
        const trace_attempt *a = &s->trace->attempts[i];
        int64_t from = a->start_ns > from_ns ? a->start_ns : from_ns;
        int64_t until = a->end_ns < until_ns ? a->end_ns : until_ns;
        if (until < from || !isfinite(of[i]))
            continue;
        all += clock_seconds(until - from + 1);
        slow += stands_out((double)of[i]) ? clock_seconds(until - from + 1) : 0;
    }
    return 2 * slow > all;
}

/* Whether chance would make as many attempts of a stretch slow, wherever in the run it may be. */
static bool by_chance(const deviations *d, int part, stretch in)
{
    size_t length = in.last - in.first, all = d->known[part], slow = d->above[part][level_of(log(LEAST_SLOWDOWN))];
    return length <= MOST_BY_CHANCE && draw_tail(in.slow, length, slow, all) * (double)all > LARGEST_CHANCE;
}

static void add_bound(stragglers *s, const timed *items, size_t count, size_t at)
{
    if (at == 0 || at >= count)
        return;
    int64_t bound_ns = items[at].t_ns;
    size_t place = s->n_bounds;
    for (size_t i = 0; i < s->n_bounds; i++)
        if (s->bounds_ns[i] == bound_ns)
            return;
    for (; place > 0 && s->bounds_ns[place - 1] > bound_ns; place--)
        s->bounds_ns[place] = s->bounds_ns[place - 1];
    s->bounds_ns[place] = bound_ns;
    s->n_bounds++;
}

/* Cuts the run where slow times begin and end: a stretch of which chance would not make as many slow. */
static void cut_by(stragglers *s, const timed *items, size_t count, const deviations *d, int part, bool *taken)
{
    memset(taken, 0, count * sizeof *taken);
    for (int i = 0; i < SLOW_TIMES; i++) {
        stretch slow = slowest_stretch(items, count, d->of[part], taken);
        if (slow.score < FEWEST_TO_BLAME || by_chance(d, part, slow))
            return;
        memset(taken + slow.first, true, (slow.last - slow.first) * sizeof *taken);
        if (!most_is_slow(s, d->of[part], items[slow.first].t_ns, items[slow.last - 1].t_ns))
            continue;
        add_bound(s, items, count, slow.first);
        add_bound(s, items, count, slow.last);
    }
}

static bool cut_into_periods(stragglers *s, const deviations *d)
{
    size_t count = 0;
    timed *items = malloc((s->trace->count + 1) * sizeof *items);
    bool *taken = malloc((s->trace->count + 1) * sizeof *taken), done = items && taken;
    for (size_t i = 0; done && i < s->trace->count; i++)
        if (comparable(&s->trace->attempts[i]))
            items[count++] = (timed){time_of(s, &s->trace->attempts[i]), (uint32_t)i};
    s->n_bounds = 0;
    if (done)
        qsort(items, count, sizeof *items, compare_timed);
    for (int part = 0; done && part < STRAGGLER_PARTS; part++)
        cut_by(s, items, count, d, part, taken);
    free(items);
    free(taken);
    return done;
}

/* The larger deviation of an attempt's parts. */
static double worst_deviation(const deviations *d, size_t i)
{
    return fmax((double)d->of[STRAGGLER_COMPUTE][i], (double)d->of[STRAGGLER_IO][i]);
}

/* By worker: the worst deviation of what it began before it had done any chunk; NAN if that is nothing. */
static size_t worst_beginnings(const stragglers *s, const uint32_t *items, size_t count, const deviations *d,
                               double *worst)
{
    size_t workers = 0;
    for (size_t w = 0; w < run_workers(s->run); w++)
        worst[w] = (double)NAN;
    for (size_t i = 0; i < count; i++) {
        double *of_worker = &worst[s->trace->attempts[items[i]].worker];
        *of_worker = fmax(*of_worker, worst_deviation(d, items[i])); /* fmax passes over what is absent */
    }
    for (size_t w = 0; w < run_workers(s->run); w++)
        if (isfinite(worst[w]))
            worst[workers++] = worst[w];
    return workers;
}

/* The share of later chunks that deviate by more; never 0, as there may have been one that was not seen. */
static double later_beyond(const sorted_groups *sorted, const deviations *d, double limit)
{
    size_t first = sorted->first[0], last = sorted->first[1], beyond = 1;
    for (size_t i = first; i < last; i++)
        beyond += worst_deviation(d, sorted->items[i]) > limit;
    return fmin((double)beyond / (double)(last - first + 1), 0.99);
}

/* Whether most workers begin slowly: something that they begin before they have done any chunk takes long, for more of
 * them than later chunks would make by chance. One of these chunks may load what all need, and the others wait for it,
 * or find it loaded: the worst of them tells. */
static bool judge_warm_up(stragglers *s, const sorted_groups *sorted, const deviations *d)
{
    straggler_groups *groups = &s->kinds[STRAGGLER_WARM_UP];
    const uint32_t *items = sorted->items + sorted->first[1];
    double *worst = calloc(run_workers(s->run) + 1, sizeof *worst);
    size_t slow = 0, count = groups->attempts[1], workers = worst ? worst_beginnings(s, items, count, d, worst) : 0;
    if (workers < 2) {
        free(worst);
        return worst != NULL;
    }
    double limit = fmax(0.5 * percentile(worst, workers, 50), log(LEAST_SLOWDOWN));
    double by_chance = 1 - pow(1 - later_beyond(sorted, d, limit), (double)count / (double)workers);
    for (size_t w = 0; w < workers; w++)
        slow += worst[w] > limit;
    free(worst);
    if (slow * 3 < workers * 2 || binomial_tail(slow, workers, by_chance) > LARGEST_CHANCE)
        return true;
    groups->slow[1] = true;
    groups->n_slow = 1;
    for (size_t i = 0; i < count; i++)
        groups->excess += straggler_excess(s, STRAGGLER_WARM_UP, &s->trace->attempts[items[i]]);
    return true;
}

/* Which groups of a kind are slow, and how much that costs. most: of all attempts that may be in slow groups; if there
 * are more, it is the others that are fast. */
static bool judge_kind(stragglers *s, int kind, deviations *d, double most)
{
    straggler_groups *groups = &s->kinds[kind];
    sorted_groups sorted = {0};
    if (kind == STRAGGLER_PERIOD && !cut_into_periods(s, d))
        return false;
    if (!sort_groups(&sorted, s, groups->count, group_of_kind, kind)) {
        release_groups(&sorted);
        return false;
    }
    size_t slow_attempts = 0, all = measure_groups(s, kind, &sorted, d);
    if (kind == STRAGGLER_SITE && !contrast_sites(s, &sorted, d->of[STRAGGLER_IO], d->scratch)) {
        release_groups(&sorted);
        return false;
    }
    acquit(groups);
    bool done = kind != STRAGGLER_WARM_UP || judge_warm_up(s, &sorted, d);
    for (int part = 0; part < STRAGGLER_PARTS && kind != STRAGGLER_WARM_UP; part++) {
        for (uint32_t g = 0; g < groups->count; g++) {
            const uint32_t *items = sorted.items + sorted.first[g];
            if (!group_is_slow(s, d, kind, part, g, items))
                continue;
            double slowdown = slowdown_of(s, kind, part, g, items);
            groups->slowdown[part][g] = (float)slowdown;
            groups->excess += excess_of(s, part, slowdown, items, groups->attempts[g]);
            groups->n_slow += !groups->slow[g];
            slow_attempts += groups->slow[g] ? 0 : groups->attempts[g];
            groups->slow[g] = true;
        }
    }
    if ((double)slow_attempts > most * (double)all)
        acquit(groups);
    release_groups(&sorted);
    return done;
}

/* Whether slow sites have several files, of which no single one makes most of what is read there: then most of its
 * attempts are slow because of the site. */
static bool files_share_sites(const stragglers *s)
{
    const straggler_groups *sites = &s->kinds[STRAGGLER_SITE], *files = &s->kinds[STRAGGLER_FILE];
    uint32_t largest = 0, all = 0;
    for (uint32_t f = 0; f < files->count; f++) {
        if (!sites->slow[s->site_of[f]])
            continue;
        largest = files->attempts[f] > largest ? files->attempts[f] : largest;
        all += files->attempts[f];
    }
    return all && largest * 5 <= all * 3;
}

static double times_log(size_t count, size_t of)
{
    return count ? (double)count * log((double)count / (double)of) : 0;
}

/* How many chunks a worker begins before it has done one. */
static double beginnings_of_worker(const stragglers *s)
{
    double workers = 0;
    for (size_t w = 0; w < run_workers(s->run); w++)
        workers += s->first_end_ns[w] != ROAST_ABSENT;
    return fmax(s->kinds[STRAGGLER_WARM_UP].attempts[1] / fmax(workers, 1), 1);
}

/* How well slow groups of a kind say which attempts are slow: the logarithm of the likelihood, less what it takes to
 * name them. */
static double says_which(const stragglers *s, const deviations *d, straggler_kind kind)
{
    const straggler_groups *groups = &s->kinds[kind];
    size_t slow[STRAGGLER_PARTS][2] = {{0}}, all[STRAGGLER_PARTS][2] = {{0}}; /* outside and inside of slow groups */
    for (size_t i = 0; i < s->trace->count; i++) {
        uint32_t group = straggler_group(s, kind, &s->trace->attempts[i]);
        for (int part = 0; part < STRAGGLER_PARTS; part++) {
            bool is_slow = stands_out((double)d->of[part][i]);
            bool inside = group < groups->count && groups->slow[group] &&
                          (kind == STRAGGLER_WARM_UP || groups->slowdown[part][group] > 1);
            if (kind == STRAGGLER_WARM_UP && inside && !is_slow) /* one loads what the others need */
                continue;
            all[part][inside] += isfinite(d->of[part][i]) != 0;
            slow[part][inside] += is_slow;
        }
    }
    double choices = kind == STRAGGLER_PERIOD ? 2 * log((double)s->trace->count) : log(groups->count), sum = 0;
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        for (int inside = 0; inside < 2; inside++)
            sum += times_log(slow[part][inside], all[part][inside]) +
                   times_log(all[part][inside] - slow[part][inside], all[part][inside]);
    if (kind == STRAGGLER_WARM_UP) /* and which of those that a worker began at once */
        choices += (double)(slow[STRAGGLER_IO][1] + slow[STRAGGLER_COMPUTE][1]) * log(beginnings_of_worker(s));
    return sum - groups->n_slow * choices;
}

/* Whether a kind that has not been found guilty explains more than this. */
static bool suspected(const stragglers *s, straggler_kind kind, double excess)
{
    return !s->kinds[kind].guilty && s->kinds[kind].excess > excess;
}

/* The more general kind is taken if it explains about as much: the host rather than each of its workers, the site
 * rather than each of its files, the first chunk of every worker rather than the files that were read first; a part of
 * the run only if nothing else explains half as much, or if it says better than files which attempts were slow. */
static int most_guilty(const stragglers *s, const deviations *d)
{
    int best = -1;
    for (int kind = 0; kind < STRAGGLER_PERIOD; kind++)
        if (!s->kinds[kind].guilty && s->kinds[kind].excess > (best < 0 ? 0 : s->kinds[best].excess))
            best = kind;
    double excess = best < 0 ? 0 : s->kinds[best].excess;
    const straggler_groups *period = &s->kinds[STRAGGLER_PERIOD];
    const straggler_groups *warm_up = &s->kinds[STRAGGLER_WARM_UP];
    bool begins = !warm_up->guilty && warm_up->excess > 0.8 * fmax(excess, period->guilty ? 0 : period->excess);
    bool one_file = s->kinds[STRAGGLER_FILE].excess > 0.5 * warm_up->excess &&
                    says_which(s, d, STRAGGLER_FILE) > says_which(s, d, STRAGGLER_WARM_UP);
    if (begins && !one_file)
        return STRAGGLER_WARM_UP;
    if (best == STRAGGLER_WARM_UP)
        best = suspected(s, STRAGGLER_FILE, 0) ? STRAGGLER_FILE : -1;
    if (best == STRAGGLER_WORKER && suspected(s, STRAGGLER_HOST, 0.8 * excess))
        best = STRAGGLER_HOST;
    bool whole_sites = suspected(s, STRAGGLER_SITE, 0.8 * excess) && files_share_sites(s);
    if (best == STRAGGLER_FILE && whole_sites)
        best = STRAGGLER_SITE;
    if (best == STRAGGLER_SITE && !whole_sites && suspected(s, STRAGGLER_FILE, 0))
        best = STRAGGLER_FILE;
    if (period->guilty)
        return best;
    bool coincides = best == STRAGGLER_FILE && period->excess > 0.5 * excess &&
                     says_which(s, d, STRAGGLER_PERIOD) > says_which(s, d, STRAGGLER_FILE);
    return coincides || period->excess > 2 * excess ? STRAGGLER_PERIOD : best;
}

static void forget_innocent(stragglers *s)
{
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        if (!s->kinds[kind].guilty)
            acquit(&s->kinds[kind]);
}

static bool find_groups(stragglers *s, deviations *d)
{
    bool done = true;
    for (int round = 0; round < ROUNDS && done; round++) {
        measure_deviations(s, d);
        for (int kind = 0; kind < STRAGGLER_KINDS && done; kind++)
            if (!s->kinds[kind].guilty)
                done = judge_kind(s, kind, d, MOST_SLOW);
        int guilty = done ? most_guilty(s, d) : -1;
        forget_innocent(s);
        if (guilty < 0)
            break;
        done = judge_kind(s, guilty, d, MOST_SLOW);
        s->kinds[guilty].guilty = done;
        s->found[s->n_found++] = (straggler_kind)guilty;
    }
    return done;
}

/* With what only begins or ends in it. */
static double excess_of_period(const stragglers *s)
{
    double excess = 0;
    for (size_t i = 0; i < s->trace->count; i++)
        if (comparable(&s->trace->attempts[i]))
            excess += straggler_excess(s, STRAGGLER_PERIOD, &s->trace->attempts[i]);
    return excess;
}

/* How slow the guilty groups are, against lines that are fitted to the others only; in the order in which they were
 * found, so that what one explains is not seen again in those that only coincide with it. */
static roast_code measure_again(stragglers *s, deviations *d, roast_error *err)
{
    roast_code code = expect(s, err);
    for (size_t i = 0; i < s->n_found; i++)
        s->kinds[s->found[i]].guilty = false;
    for (size_t i = 0; i < s->n_found && !code; i++) {
        straggler_groups *groups = &s->kinds[s->found[i]];
        measure_deviations(s, d);
        if (!judge_kind(s, (int)s->found[i], d, 1))
            code = fail_memory(err);
        groups->guilty = groups->n_slow > 0;
        if (s->found[i] == STRAGGLER_PERIOD)
            groups->excess = excess_of_period(s);
    }
    return code;
}

/* ---- Single attempts ------------------------------------------------------------------------------------------- */

double straggler_outlier(const stragglers *s, straggler_part part, size_t attempt)
{
    double above = deviation(s, part, attempt);
    if (!(above > log(s->outlier_limit[part])))
        return 0;
    double took = compared_seconds(s, &s->trace->attempts[attempt], part);
    return fmin((took + indifferent_seconds(s, attempt)) * (1 - exp(-above)), took);
}

static double outlier_seconds(const stragglers *s, size_t i)
{
    return straggler_outlier(s, STRAGGLER_COMPUTE, i) + straggler_outlier(s, STRAGGLER_IO, i);
}

static bool is_outlier(const stragglers *s, size_t i)
{
    return outlier_seconds(s, i) > 0.3 * straggler_seconds(&s->trace->attempts[i]);
}

static void find_outliers(stragglers *s)
{
    for (int part = 0; part < STRAGGLER_PARTS; part++)
        s->outlier_limit[part] = fmax(2, exp(6 * s->spread[part]));
    for (size_t i = 0; i < s->trace->count; i++) {
        s->outliers += is_outlier(s, i);
        s->outlier_excess += outlier_seconds(s, i);
    }
}

/* The group of a kind in which so many outliers are the least likely, if chance does not explain them. */
static bool group_of_outliers(const stragglers *s, straggler_kind kind, size_t *counts, double chance, uint32_t *group)
{
    const straggler_groups *groups = &s->kinds[kind];
    double least = LARGEST_CHANCE / groups->count;
    bool found = false;
    for (size_t i = 0; i < s->trace->count; i++) {
        uint32_t g = comparable(&s->trace->attempts[i]) && is_outlier(s, i)
                         ? straggler_group(s, kind, &s->trace->attempts[i])
                         : TRACE_NONE;
        if (g < groups->count)
            counts[g]++;
    }
    for (uint32_t g = 0; g < groups->count; g++) {
        double by_chance = counts[g] >= 2 ? binomial_tail(counts[g], groups->attempts[g], chance) : 1;
        if (by_chance >= least)
            continue;
        least = by_chance;
        *group = g;
        found = true;
    }
    return found;
}

bool stragglers_share(const stragglers *s, straggler_kind *kind, uint32_t *group, bool *memory_out)
{
    static const straggler_kind kinds[] = {STRAGGLER_HOST, STRAGGLER_WORKER, STRAGGLER_FILE, STRAGGLER_PERIOD};
    size_t attempts = 0;
    bool found = false;
    for (size_t i = 0; i < s->trace->count; i++)
        attempts += comparable(&s->trace->attempts[i]);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !found && !*memory_out; k++) {
        size_t *counts = calloc((size_t)s->kinds[kinds[k]].count + 1, sizeof *counts);
        *memory_out = !counts;
        *kind = kinds[k];
        double chance = attempts ? (double)s->outliers / (double)attempts : 0;
        found = counts && group_of_outliers(s, kinds[k], counts, chance, group);
        free(counts);
    }
    return found;
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
            if (!comparable(a) || host == TRACE_NONE)
                continue;
            all[host] += pass ? 0 : straggler_seconds(a);
            core[host] += pass ? 0 : (double)a->core;
            attempts += (size_t)pass;
            short_of += (size_t)(pass && core[host] > FULL * all[host]);
        }
    return 2 * short_of > attempts;
}

static roast_code look_for_cores(stragglers *s, roast_error *err)
{
    double *sums = calloc(2 * (size_t)s->hosts.count + 1, sizeof *sums);
    if (!sums)
        return fail_memory(err);
    s->cores_short = cores_are_short(s, sums, sums + s->hosts.count);
    free(sums);
    return ROAST_OK;
}

roast_code stragglers_find(stragglers *s, const trace *t, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                           roast_error *err)
{
    *s = (stragglers){.trace = t, .run = run, .t_start_ns = t_start_ns, .t_end_ns = t_end_ns};
    deviations d = {0};
    s->last_start_ns = t->count ? t->attempts[t->count - 1].start_ns : t_end_ns;
    roast_code code = deviations_init(&d, t) ? number_groups(s, err) : fail_memory(err);
    if (!code)
        code = look_for_cores(s, err);
    if (!code)
        code = expect(s, err);
    if (!code) {
        measure_deviations(s, &d);
        measure_spread(s, &d);
        code = find_groups(s, &d) ? ROAST_OK : fail_memory(err);
    }
    if (!code)
        code = measure_again(s, &d, err);
    if (!code)
        find_outliers(s);
    deviations_release(&d);
    return code;
}

void stragglers_release(stragglers *s)
{
    intern_release(&s->hosts);
    intern_release(&s->sites);
    arena_release(&s->memory);
}
