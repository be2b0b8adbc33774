/* Stragglers by rate. What an attempt should take is a straight line in its events, one for each dataset, fitted to
 * those near the median rate, so that slow ones do not move it. What it took over that is compared between hosts,
 * workers, storage sites, files and parts of the run by medians: a group is slow if most of what ran in it was. The
 * kind that explains most of the excess is taken as the cause, its effect is divided out, and the rest is looked at
 * again. */
#include "analysis/stragglers.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"

static const double LEAST_SLOWDOWN = 1.3;   /* below it hosts and files differ anyway */
static const double LEAST_SIGNIFICANCE = 5; /* standard errors of a group's median */
static const double SMALLEST_SPREAD = 0.04;
static const double MOST_SLOW = 0.6;
enum { FEWEST_TO_FIT = 8, FEWEST_IN_GROUP = 3, ROUNDS = 3 };

double straggler_seconds(const trace_attempt *attempt)
{
    return trace_seconds(attempt) - (double)attempt->return_s;
}

static bool comparable(const trace_attempt *attempt)
{
    return !attempt->failed && straggler_seconds(attempt) > 0;
}

static bool in_slow_group(const stragglers *s, const trace_attempt *attempt)
{
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        if (s->kinds[kind].guilty && straggler_slowdown(s, (straggler_kind)kind, attempt) > 1)
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

static double median_rate(const stragglers *s, const uint32_t *items, size_t count, double *scratch)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const trace_attempt *a = &s->trace->attempts[items[i]];
        if (a->events > 0 && !in_slow_group(s, a))
            scratch[kept++] = straggler_seconds(a) / (double)a->events;
    }
    return kept >= FEWEST_IN_GROUP ? percentile(scratch, kept, 50) : (double)NAN;
}

/* What an attempt takes without events, and for each; sure: what it takes without events at least. */
typedef struct cost_line {
    double fixed, per_event, sure;
} cost_line;

/* A line through what is near the median rate, or the rate alone. */
static cost_line fit_dataset(const stragglers *s, const uint32_t *items, size_t count, double *scratch)
{
    double rate = median_rate(s, items, count, scratch);
    cost_line line = {.per_event = rate};
    for (int round = 0; round < 3 && isfinite(rate); round++) {
        line_fit fit = {0};
        for (size_t i = 0; i < count; i++) {
            const trace_attempt *a = &s->trace->attempts[items[i]];
            double expected = line.fixed + line.per_event * (double)a->events, took = straggler_seconds(a);
            if (a->events > 0 && took > 0.6 * expected && took < 1.5 * expected && !in_slow_group(s, a))
                line_fit_add(&fit, (double)a->events, took);
        }
        double slope = line_fit_slope(&fit), intercept = line_fit_intercept(&fit);
        /* Chunks of one size tell nothing of what a chunk costs without events. */
        bool varied = fit.count >= FEWEST_TO_FIT && fit.xx / (double)fit.count > 0.0025 * fit.mean_x * fit.mean_x;
        if (varied && slope > 0 && intercept >= 0)
            line = (cost_line){intercept, slope, fmax(intercept - 2 * line_fit_intercept_error(&fit), 0)};
        else if (fit.count >= FEWEST_TO_FIT && fit.mean_x > 0)
            line = (cost_line){.per_event = fit.mean_y / fit.mean_x};
    }
    return line;
}

static roast_code expect(stragglers *s, roast_error *err)
{
    const trace *t = s->trace;
    uint32_t datasets = (uint32_t)run_datasets(s->run) + 1;
    sorted_groups groups = {0};
    double *scratch = malloc((t->count + 1) * sizeof *scratch);
    s->expected = s->expected ? s->expected : arena_alloc(&s->memory, t->count, sizeof *s->expected);
    s->fixed = s->fixed ? s->fixed : arena_alloc(&s->memory, datasets, sizeof *s->fixed);
    bool done = scratch && s->expected && s->fixed && sort_groups(&groups, s, datasets, dataset_group, 0);
    for (size_t i = 0; done && i < t->count; i++)
        s->expected[i] = NAN;
    for (uint32_t d = 0; done && d < datasets; d++) {
        const uint32_t *items = groups.items + groups.first[d];
        size_t count = groups.first[d + 1] - groups.first[d];
        cost_line line = fit_dataset(s, items, count, scratch);
        s->fixed[d] = (float)line.sure;
        for (size_t i = 0; i < count && isfinite(line.per_event); i++)
            if (t->attempts[items[i]].events >= 0)
                s->expected[items[i]] = (float)(line.fixed + line.per_event * (double)t->attempts[items[i]].events);
    }
    release_groups(&groups);
    free(scratch);
    return done ? ROAST_OK : fail_memory(err);
}

/* The logarithm of took / expected, after what has been explained. */
static double deviation(const stragglers *s, size_t i)
{
    const trace_attempt *a = &s->trace->attempts[i];
    double expected = (double)s->expected[i];
    if (!comparable(a) || !(expected > 0))
        return (double)NAN;
    double explained = 1;
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        explained *= s->kinds[kind].guilty ? straggler_slowdown(s, (straggler_kind)kind, a) : 1;
    return log(straggler_seconds(a) / expected / explained);
}

static roast_code measure_spread(stragglers *s, const float *deviations, roast_error *err)
{
    const trace *t = s->trace;
    double *values = malloc((t->count + 1) * sizeof *values);
    if (!values)
        return fail_memory(err);
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (isfinite(deviations[i]))
            values[kept++] = (double)deviations[i];
    double middle = percentile(values, kept, 50);
    for (size_t i = 0; i < kept; i++)
        values[i] = fabs(values[i] - middle);
    s->spread = kept ? fmax(1.4826 * percentile(values, kept, 50), SMALLEST_SPREAD) : SMALLEST_SPREAD;
    free(values);
    return ROAST_OK;
}

/* ---- Groups -------------------------------------------------------------------------------------------------- */

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
    case STRAGGLER_PERIOD:
    case STRAGGLER_KINDS: /* is none */
        break;
    }
    double length = (double)(s->t_end_ns - s->t_start_ns), at = (double)(attempt->start_ns - s->t_start_ns);
    double period = length > 0 ? floor(at / length * STRAGGLER_PERIODS) : 0;
    return (uint32_t)fmin(fmax(period, 0), STRAGGLER_PERIODS - 1);
}

static uint32_t group_of_kind(const stragglers *s, const trace_attempt *attempt, int kind)
{
    return straggler_group(s, (straggler_kind)kind, attempt);
}

double straggler_slowdown(const stragglers *s, straggler_kind kind, const trace_attempt *attempt)
{
    const straggler_groups *groups = &s->kinds[kind];
    if (!groups->n_slow) /* the usual case, asked often */
        return 1;
    uint32_t group = straggler_group(s, kind, attempt);
    return group < groups->count ? (double)groups->slowdown[group] : 1;
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

/* "root://eos.cern.ch//store/…" is on root://eos.cern.ch, "/data/1/a.root" on the local file system. */
static roast_str site_name(roast_str url)
{
    for (size_t i = 0; i + 3 < url.len; i++)
        if (memcmp(url.ptr + i, "://", 3) == 0) {
            size_t end = i + 3;
            while (end < url.len && url.ptr[end] != '/')
                end++;
            return (roast_str){url.ptr, end};
        }
    return STR("local files");
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
        done = (s->site_of[i] = intern_add(&s->sites, site_name(run_file(s->run, i)->url), NULL)) != INTERN_NONE;
    const uint32_t counts[] = {s->hosts.count, workers, s->sites.count, files, STRAGGLER_PERIODS};
    for (int kind = 0; done && kind < STRAGGLER_KINDS; kind++) {
        straggler_groups *groups = &s->kinds[kind];
        groups->count = counts[kind];
        groups->slowdown = arena_alloc(&s->memory, counts[kind], sizeof *groups->slowdown);
        groups->median = arena_alloc(&s->memory, counts[kind], sizeof *groups->median);
        groups->attempts = arena_alloc(&s->memory, counts[kind], sizeof *groups->attempts);
        groups->slow = arena_alloc(&s->memory, counts[kind], sizeof *groups->slow);
        done = groups->slowdown && groups->median && groups->attempts && groups->slow;
        for (uint32_t g = 0; done && g < counts[kind]; g++)
            groups->slowdown[g] = 1;
    }
    return done ? ROAST_OK : fail_memory(err);
}

static double excess_of(const stragglers *s, const float *deviations, const uint32_t *items, size_t count)
{
    double excess = 0;
    for (size_t i = 0; i < count; i++) {
        double took = straggler_seconds(&s->trace->attempts[items[i]]);
        if (isfinite(deviations[items[i]]))
            excess += took * (1 - exp(-(double)deviations[items[i]]));
    }
    return excess;
}

static void acquit(straggler_groups *groups)
{
    groups->excess = 0;
    groups->n_slow = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        groups->slow[g] = false;
        groups->slowdown[g] = 1;
    }
}

/* Which groups of a kind are slow, and how much that costs. most: of all attempts that may be in slow groups; if there
 * are more, it is the others that are fast. */
static bool judge_kind(stragglers *s, int kind, const float *deviations, double *scratch, double most)
{
    straggler_groups *groups = &s->kinds[kind];
    sorted_groups sorted = {0};
    if (!sort_groups(&sorted, s, groups->count, group_of_kind, kind)) {
        release_groups(&sorted);
        return false;
    }
    size_t slow_attempts = 0, all = sorted.first[groups->count];
    groups->excess = 0;
    groups->n_slow = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        const uint32_t *items = sorted.items + sorted.first[g];
        size_t count = sorted.first[g + 1] - sorted.first[g], kept = 0;
        for (size_t i = 0; i < count; i++)
            if (isfinite(deviations[items[i]]))
                scratch[kept++] = (double)deviations[items[i]];
        double median = percentile(scratch, kept, 50);
        double error = 1.25 * s->spread / sqrt((double)kept);
        groups->attempts[g] = (uint32_t)count;
        groups->median[g] = (float)median;
        groups->slow[g] =
            kept >= FEWEST_IN_GROUP && median > log(LEAST_SLOWDOWN) && median > LEAST_SIGNIFICANCE * error;
        groups->slowdown[g] = groups->slow[g] ? (float)exp(median) : 1;
        if (!groups->slow[g])
            continue;
        groups->n_slow++;
        slow_attempts += count;
        groups->excess += excess_of(s, deviations, items, count);
    }
    if ((double)slow_attempts > most * (double)all)
        acquit(groups);
    release_groups(&sorted);
    return true;
}

/* Whether slow sites are slow in most of their files, of which there are several. */
static bool files_share_sites(const stragglers *s)
{
    uint32_t slow = 0, all = 0;
    for (uint32_t f = 0; f < s->kinds[STRAGGLER_FILE].count; f++) {
        if (!s->kinds[STRAGGLER_SITE].slow[s->site_of[f]] || !s->kinds[STRAGGLER_FILE].attempts[f])
            continue;
        all++;
        slow += s->kinds[STRAGGLER_FILE].median[f] > 0.5F * s->kinds[STRAGGLER_SITE].median[s->site_of[f]];
    }
    return all >= 2 && slow * 3 >= all * 2;
}

/* The more general kind is taken if it explains about as much: the host rather than each of its workers, the site
 * rather than each of its files; a part of the run only if nothing else explains half as much. */
static int most_guilty(const stragglers *s)
{
    int best = -1;
    for (int kind = 0; kind < STRAGGLER_PERIOD; kind++)
        if (!s->kinds[kind].guilty && s->kinds[kind].excess > (best < 0 ? 0 : s->kinds[best].excess))
            best = kind;
    double excess = best < 0 ? 0 : s->kinds[best].excess;
    if (best == STRAGGLER_WORKER && s->kinds[STRAGGLER_HOST].excess > 0.8 * excess)
        best = STRAGGLER_HOST;
    bool whole_sites = s->kinds[STRAGGLER_SITE].excess > 0.8 * excess && files_share_sites(s);
    if (best == STRAGGLER_FILE && whole_sites)
        best = STRAGGLER_SITE;
    if (best == STRAGGLER_SITE && !whole_sites && s->kinds[STRAGGLER_FILE].excess > 0)
        best = STRAGGLER_FILE;
    const straggler_groups *period = &s->kinds[STRAGGLER_PERIOD];
    return !period->guilty && period->excess > 2 * excess ? STRAGGLER_PERIOD : best;
}

static void forget_innocent(stragglers *s)
{
    for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
        if (!s->kinds[kind].guilty)
            acquit(&s->kinds[kind]);
}

static roast_code find_groups(stragglers *s, float *deviations, roast_error *err)
{
    const trace *t = s->trace;
    double *scratch = malloc((t->count + 1) * sizeof *scratch);
    bool done = scratch != NULL;
    for (int round = 0; round < ROUNDS && done; round++) {
        for (size_t i = 0; i < t->count; i++)
            deviations[i] = (float)deviation(s, i);
        for (int kind = 0; kind < STRAGGLER_KINDS && done; kind++)
            if (!s->kinds[kind].guilty)
                done = judge_kind(s, kind, deviations, scratch, MOST_SLOW);
        int guilty = done ? most_guilty(s) : -1;
        forget_innocent(s);
        if (guilty < 0)
            break;
        if (done)
            done = judge_kind(s, guilty, deviations, scratch, MOST_SLOW);
        s->kinds[guilty].guilty = done;
    }
    free(scratch);
    return done ? ROAST_OK : fail_memory(err);
}

/* How slow the guilty groups are, against a line that is fitted to the others only. */
static roast_code measure_again(stragglers *s, float *deviations, roast_error *err)
{
    double *scratch = malloc((s->trace->count + 1) * sizeof *scratch);
    roast_code code = scratch ? expect(s, err) : fail_memory(err);
    for (int kind = 0; kind < STRAGGLER_KINDS && !code; kind++) {
        straggler_groups *groups = &s->kinds[kind];
        if (!groups->guilty)
            continue;
        groups->guilty = false; /* its effect is to be seen, that of the others is divided out */
        for (size_t i = 0; i < s->trace->count; i++)
            deviations[i] = (float)deviation(s, i);
        if (!judge_kind(s, kind, deviations, scratch, 1))
            code = fail_memory(err);
        groups->guilty = groups->n_slow > 0;
    }
    free(scratch);
    return code;
}

/* ---- Single attempts ------------------------------------------------------------------------------------------- */

bool straggler_outlier(const stragglers *s, size_t attempt)
{
    return deviation(s, attempt) > log(s->outlier_limit);
}

static void find_outliers(stragglers *s)
{
    s->outlier_limit = fmax(2, exp(6 * s->spread));
    for (size_t i = 0; i < s->trace->count; i++)
        if (straggler_outlier(s, i)) {
            s->outliers++;
            s->outlier_excess += straggler_seconds(&s->trace->attempts[i]) - (double)s->expected[i];
        }
}

roast_code stragglers_find(stragglers *s, const trace *t, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                           roast_error *err)
{
    *s = (stragglers){.trace = t, .run = run, .t_start_ns = t_start_ns, .t_end_ns = t_end_ns, .outlier_limit = 1e9};
    float *deviations = malloc((t->count + 1) * sizeof *deviations);
    roast_code code = deviations ? number_groups(s, err) : fail_memory(err);
    if (!code)
        code = expect(s, err);
    for (size_t i = 0; !code && i < t->count; i++)
        deviations[i] = (float)deviation(s, i);
    if (!code)
        code = measure_spread(s, deviations, err);
    if (!code)
        code = find_groups(s, deviations, err);
    if (!code)
        code = measure_again(s, deviations, err);
    if (!code)
        find_outliers(s);
    free(deviations);
    return code;
}

void stragglers_release(stragglers *s)
{
    intern_release(&s->hosts);
    intern_release(&s->sites);
    arena_release(&s->memory);
}
