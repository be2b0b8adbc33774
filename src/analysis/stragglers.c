/* Stragglers by rate. What an attempt should take is a straight line in its events for what it computes, and in the
 * bytes that it reads for what it waits, one of each for each dataset, fitted to those near the median rate, so that
 * slow ones do not move it. What it took over that is compared between hosts, workers, storage sites, files, first
 * chunks and parts of the run: a group is slow if most of what ran in it was. The kind that explains most of the excess
 * is taken as the cause (what is more general, or hits all that it should hit, before what only coincides with it), its
 * effect is divided out, and the rest is looked at again. */
#include "analysis/straggler_parts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static const double LEAST_SIGNIFICANCE = 5; /* standard errors of a group's median */
static const double MOST_SLOW = 0.6;
enum { ROUNDS = 4 };

static uint32_t group_of_kind(const stragglers *s, const trace_attempt *attempt, int kind)
{
    return straggler_group(s, (straggler_kind)kind, attempt);
}

static double excess_of(const stragglers *s, int part, double slowdown, const uint32_t *items, size_t count)
{
    double excess = 0;
    for (size_t i = 0; i < count; i++)
        excess += straggler_part_seconds(&s->trace->attempts[items[i]], (straggler_part)part) * (1 - 1 / slowdown);
    return excess;
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
    if (count < FEWEST_TO_BLAME || !straggler_stands_out(above) || above < LEAST_SIGNIFICANCE * error)
        return false;
    size_t level = deviations_level(fmax(log(LEAST_SLOWDOWN), 0.5 * (double)groups->typical[part][g]));
    for (size_t i = 0; i < count; i++)
        hits += isfinite(d->of[part][items[i]]) && deviations_level((double)d->of[part][items[i]]) >= level;
    double places = kind == STRAGGLER_PERIOD ? (double)d->known[part] : groups->count;
    /* Beyond this many no chance makes most of a group slow. */
    return count > MOST_BY_CHANCE ||
           hypergeometric_tail(hits, count, d->above[part][level], d->known[part]) * places < LARGEST_CHANCE;
}

/* How many times longer a part of a slow group took. Deviations allow for what is indifferent, which makes ratios
 * smaller: that is taken out again. */
static double slowdown_of(const stragglers *s, int kind, int part, uint32_t g, const uint32_t *items)
{
    const straggler_groups *groups = &s->kinds[kind];
    double ratio = exp((double)groups->typical[part][g] - groups->reference[part]), slack = 0, expected = 0;
    for (size_t i = 0; i < groups->attempts[g]; i++)
        if (isfinite(s->expected[part][items[i]]) && straggler_indifferent(s, items[i]) > 0) {
            slack += straggler_indifferent(s, items[i]);
            expected += (double)s->expected[part][items[i]];
        }
    return expected > 0 ? ratio + (ratio - 1) * slack / expected : ratio;
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
    if (kind == STRAGGLER_PERIOD && !straggler_cut_times(s, d))
        return false;
    if (!sorted_groups_make(&sorted, s, groups->count, group_of_kind, kind)) {
        sorted_groups_release(&sorted);
        return false;
    }
    size_t slow_attempts = 0, all = measure_groups(s, kind, &sorted, d);
    if (kind == STRAGGLER_SITE && !straggler_contrast_sites(s, &sorted, d->of[STRAGGLER_IO], d->scratch)) {
        sorted_groups_release(&sorted);
        return false;
    }
    straggler_acquit(groups);
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
        straggler_acquit(groups);
    sorted_groups_release(&sorted);
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
            bool is_slow = straggler_stands_out((double)d->of[part][i]);
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
            straggler_acquit(&s->kinds[kind]);
}

static bool find_groups(stragglers *s, deviations *d)
{
    bool done = true;
    for (int round = 0; round < ROUNDS && done; round++) {
        deviations_measure(s, d);
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
        if (straggler_comparable(&s->trace->attempts[i]))
            excess += straggler_excess(s, STRAGGLER_PERIOD, &s->trace->attempts[i]);
    return excess;
}

/* How slow the guilty groups are, against lines that are fitted to the others only; in the order in which they were
 * found, so that what one explains is not seen again in those that only coincide with it. */
static roast_code measure_again(stragglers *s, deviations *d, roast_error *err)
{
    roast_code code = straggler_expect(s, err);
    for (size_t i = 0; i < s->n_found; i++)
        s->kinds[s->found[i]].guilty = false;
    for (size_t i = 0; i < s->n_found && !code; i++) {
        straggler_groups *groups = &s->kinds[s->found[i]];
        deviations_measure(s, d);
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
    double above = straggler_deviation(s, part, attempt);
    if (!(above > log(s->outlier_limit[part])))
        return 0;
    double took = straggler_compared(s, &s->trace->attempts[attempt], part);
    return fmin((took + straggler_indifferent(s, attempt)) * (1 - exp(-above)), took);
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
        uint32_t g = straggler_comparable(&s->trace->attempts[i]) && is_outlier(s, i)
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
        attempts += straggler_comparable(&s->trace->attempts[i]);
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

roast_code stragglers_find(stragglers *s, const trace *t, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                           roast_error *err)
{
    *s = (stragglers){.trace = t, .run = run, .t_start_ns = t_start_ns, .t_end_ns = t_end_ns};
    deviations d = {0};
    s->last_start_ns = t->count ? t->attempts[t->count - 1].start_ns : t_end_ns;
    roast_code code = deviations_init(&d, t) ? straggler_number_groups(s, err) : fail_memory(err);
    if (!code)
        code = straggler_look_for_cores(s, err);
    if (!code)
        code = straggler_expect(s, err);
    if (!code) {
        deviations_measure(s, &d);
        deviations_spread(s, &d);
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
