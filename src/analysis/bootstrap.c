/* The bootstrap of very many values: they are put into groups of neighbours by rank, and each cluster becomes a row
 * that counts its values in each group. A replicate is then a sum of rows and a Hodges-Lehmann estimate over the
 * groups, so that its cost does not depend on the number of values. Up to MOST_GROUPS values each is a group of its
 * own, and nothing is approximated. */
#include "analysis/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_GROUPS = 1024,
    FEWEST_GROUPS = 128,
    MOST_CELLS = 1 << 22, /* of the table of clusters and groups: 16 MB */
    RANDOM_CLUSTERS = 100 /* that independent values are dealt into */
};

uint64_t chance_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t chance_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(((chance_next(state) >> 32) * limit) >> 32);
}

bootstrap_options bootstrap_defaults(void)
{
    return (bootstrap_options){.level = 0.95, .replicates = 999, .seed = 20261115};
}

/* ---- Groups of neighbours -------------------------------------------------------------------------------------- */

typedef struct grouped_values {
    double *sorted;  /* all values */
    double *centres; /* of the groups */
    uint32_t *group; /* of each value, in the order they came in */
    size_t n_groups;
} grouped_values;

typedef struct placed_value {
    double value;
    size_t place;
} placed_value;

static int compare_placed(const void *a, const void *b)
{
    const placed_value *left = a, *right = b;
    int order = compare_doubles(&left->value, &right->value);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static void grouped_release(grouped_values *g)
{
    free(g->sorted);
    free(g->centres);
    free(g->group);
}

static size_t how_many_groups(size_t values, size_t clusters)
{
    size_t groups = MOST_CELLS / (clusters ? clusters : 1);
    groups = groups > MOST_GROUPS ? MOST_GROUPS : groups < FEWEST_GROUPS ? FEWEST_GROUPS : groups;
    return values < groups ? values : groups;
}

static bool group_values(grouped_values *g, const double *values, size_t count, size_t clusters)
{
    *g = (grouped_values){.n_groups = how_many_groups(count, clusters)};
    placed_value *placed = calloc(count, sizeof *placed);
    g->sorted = calloc(count, sizeof *g->sorted);
    g->group = calloc(count, sizeof *g->group);
    g->centres = calloc(g->n_groups, sizeof *g->centres);
    bool done = placed && g->sorted && g->group && g->centres;
    for (size_t i = 0; done && i < count; i++)
        placed[i] = (placed_value){values[i], i};
    if (done)
        qsort(placed, count, sizeof *placed, compare_placed);
    size_t in_group = 0;
    for (size_t i = 0; done && i < count; i++) {
        size_t group = (size_t)((uint64_t)i * g->n_groups / count);
        g->sorted[i] = placed[i].value;
        g->group[placed[i].place] = (uint32_t)group;
        in_group = i && (size_t)((uint64_t)(i - 1) * g->n_groups / count) == group ? in_group + 1 : 1;
        g->centres[group] += (placed[i].value - g->centres[group]) / (double)in_group;
    }
    free(placed);
    return done;
}

/* ---- Hodges-Lehmann over groups -------------------------------------------------------------------------------- */

/* Averages of two values that are at most the limit, each value being weight[group] times there. */
static double count_weighted(const grouped_values *g, const float *weight, const double *up_to, double limit)
{
    double count = 0;
    size_t fit = g->n_groups;
    for (size_t i = 0; i < fit; i++) {
        while (fit > i && (g->centres[i] + g->centres[fit - 1]) * 0.5 > limit)
            fit--;
        if (fit > i)
            count += (double)weight[i] * (((double)weight[i] + 1) / 2 + up_to[fit] - up_to[i + 1]);
    }
    return count;
}

/* Close to the median of the averages, which is near a known one. up_to is scratch for the sums of the weights. */
static double weighted_median(const grouped_values *g, const float *weight, double *up_to, double near)
{
    double range = g->centres[g->n_groups - 1] - g->centres[0];
    up_to[0] = 0;
    for (size_t i = 0; i < g->n_groups; i++)
        up_to[i + 1] = up_to[i] + (double)weight[i];
    double n = up_to[g->n_groups], half = n * (n + 1) / 4;
    double reach = range / 128, low = near, high = near;
    if (!(range > 0))
        return near;
    while (low > g->centres[0] - reach && count_weighted(g, weight, up_to, low) >= half)
        low -= reach, reach *= 2;
    reach = range / 128;
    while (high < g->centres[g->n_groups - 1] + reach && count_weighted(g, weight, up_to, high) < half)
        high += reach, reach *= 2;
    while (high - low > range * 0x1p-26) {
        double middle = (low + high) / 2;
        if (count_weighted(g, weight, up_to, middle) >= half)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

/* ---- Drawing clusters ------------------------------------------------------------------------------------------ */

/* One way of clustering: a row of counts per cluster. */
typedef struct cluster_rows {
    float *counts;
    size_t n_clusters;
} cluster_rows;

static bool count_rows(cluster_rows *rows, const grouped_values *g, const uint32_t *cluster, size_t count,
                       size_t n_clusters)
{
    *rows = (cluster_rows){calloc(n_clusters * g->n_groups, sizeof(float)), n_clusters};
    if (!rows->counts)
        return false;
    for (size_t i = 0; i < count; i++)
        rows->counts[cluster[i] * g->n_groups + g->group[i]] += 1;
    return true;
}

/* Few clusters vary too little among themselves, and their spread is itself uncertain. */
static double small_sample_factor(size_t clusters, double level)
{
    double n = (double)clusters;
    return sqrt(n / (n - 1)) * student_reach(level, clusters - 1) / student_reach(level, SIZE_MAX);
}

static void draw_times(uint32_t *times, size_t clusters, uint64_t *random)
{
    for (size_t c = 0; c < clusters; c++)
        times[c] = 0;
    for (size_t c = 0; c < clusters; c++)
        times[chance_below(random, (uint32_t)clusters)]++;
}

/* How often each group is there, given how often each cluster was drawn. Most of the time goes into this sum. */
static void add_rows(float *restrict weight, const cluster_rows *rows, const uint32_t *times, size_t groups)
{
    memset(weight, 0, groups * sizeof *weight);
    for (size_t c = 0; c < rows->n_clusters; c++) {
        const float *restrict row = rows->counts + c * groups;
        float repeated = (float)times[c];
        for (size_t i = 0; times[c] && i < groups; i++)
            weight[i] += repeated * row[i];
    }
}

/* Adds to each replicate how far the estimate moved when the clusters were drawn again. */
static bool add_scatter(double *moved, const cluster_rows *rows, const grouped_values *g,
                        const bootstrap_options *options, uint64_t *random)
{
    uint32_t *times = calloc(rows->n_clusters, sizeof *times);
    float *weight = calloc(g->n_groups, sizeof *weight);
    double *up_to = calloc(g->n_groups + 1, sizeof *up_to);
    bool done = times && weight && up_to;
    for (size_t c = 0; done && c < rows->n_clusters; c++)
        times[c] = 1;
    double factor = small_sample_factor(rows->n_clusters, options->level), centre = 0;
    if (done) {
        add_rows(weight, rows, times, g->n_groups);
        centre = weighted_median(g, weight, up_to, walsh_median(g->centres, g->n_groups));
    }
    for (uint32_t r = 0; done && r < options->replicates; r++) {
        draw_times(times, rows->n_clusters, random);
        add_rows(weight, rows, times, g->n_groups);
        moved[r] += factor * (weighted_median(g, weight, up_to, centre) - centre);
    }
    free(times);
    free(weight);
    free(up_to);
    return done;
}

/* The interval that holds the middle of the replicates, in the share that level asks for. */
static void set_interval(interval *out, double *moved, const bootstrap_options *options)
{
    size_t n = options->replicates, outside = (size_t)((1 - options->level) / 2 * (double)(n + 1));
    outside = outside > 0 ? outside - 1 : 0;
    qsort(moved, n, sizeof *moved, compare_doubles);
    out->low = out->estimate + moved[outside];
    out->high = out->estimate + moved[n - 1 - outside];
    out->level = options->level;
}

/* Values that share nothing: dealt into clusters at random, which then share nothing either. */
static uint32_t *deal_clusters(size_t count, size_t n_clusters, uint64_t *random)
{
    uint32_t *cluster = calloc(count, sizeof *cluster);
    for (size_t i = 0; cluster && i < count; i++)
        cluster[i] = (uint32_t)(i % n_clusters);
    for (size_t i = count; cluster && i > 1; i--) {
        size_t other = (size_t)(chance_next(random) % i);
        uint32_t kept = cluster[i - 1];
        cluster[i - 1] = cluster[other];
        cluster[other] = kept;
    }
    return cluster;
}

static bool add_way(double *moved, const grouped_values *g, const uint32_t *cluster, size_t count, size_t n_clusters,
                    const bootstrap_options *options, uint64_t *random)
{
    cluster_rows rows;
    if (n_clusters < 2)
        return true;
    bool done = count_rows(&rows, g, cluster, count, n_clusters) && add_scatter(moved, &rows, g, options, random);
    free(rows.counts);
    return done;
}

bool clustered_walsh_interval(interval *out, const clustered_values *v, const bootstrap_options *options)
{
    *out = interval_none();
    if (!v->count)
        return true;
    uint64_t random = options->seed;
    bool independent = v->n_first < 2 && v->n_second < 2;
    size_t n_dealt = v->count < RANDOM_CLUSTERS ? v->count : RANDOM_CLUSTERS;
    size_t most = v->n_first > v->n_second ? v->n_first : v->n_second;
    grouped_values g;
    double *moved = calloc(options->replicates, sizeof *moved);
    bool done = group_values(&g, v->values, v->count, independent ? n_dealt : most) && moved;
    if (done)
        out->estimate = walsh_median(g.sorted, v->count);
    if (done && independent) {
        uint32_t *dealt = deal_clusters(v->count, n_dealt, &random);
        done = dealt && add_way(moved, &g, dealt, v->count, n_dealt, options, &random);
        free(dealt);
    } else if (done) {
        done = add_way(moved, &g, v->first, v->count, v->n_first, options, &random) &&
               add_way(moved, &g, v->second, v->count, v->n_second, options, &random);
    }
    if (done && v->count > 1)
        set_interval(out, moved, options);
    grouped_release(&g);
    free(moved);
    return done;
}

/* ---- Quotients of sums ----------------------------------------------------------------------------------------- */

static double log_quotient(const cluster_sum *sums, size_t count, uint64_t *random)
{
    double above = 0, below = 0;
    for (size_t i = 0; i < count; i++) {
        const cluster_sum *one = &sums[random ? chance_below(random, (uint32_t)count) : i];
        above += one->above;
        below += one->below;
    }
    return above > 0 && below > 0 ? log(above / below) : (double)NAN;
}

static void add_quotient_scatter(double *moved, const cluster_sum *sums, size_t count, double sign,
                                 const bootstrap_options *options, uint64_t *random)
{
    if (count < 2)
        return;
    double centre = log_quotient(sums, count, NULL), factor = sign * small_sample_factor(count, options->level);
    for (uint32_t r = 0; r < options->replicates; r++) {
        double drawn = log_quotient(sums, count, random); /* only clusters without events were drawn: nothing learned */
        moved[r] += isnan(drawn) ? 0 : factor * (drawn - centre);
    }
}

bool clustered_ratio_interval(interval *out, const cluster_sum *first, size_t n_first, const cluster_sum *second,
                              size_t n_second, const bootstrap_options *options)
{
    uint64_t random = options->seed;
    *out = interval_none();
    out->estimate = log_quotient(second, n_second, NULL) - log_quotient(first, n_first, NULL);
    if (isnan(out->estimate) || (n_first < 2 && n_second < 2))
        return true;
    double *moved = calloc(options->replicates, sizeof *moved);
    if (!moved)
        return false;
    add_quotient_scatter(moved, first, n_first, -1, options, &random);
    add_quotient_scatter(moved, second, n_second, 1, options, &random);
    set_interval(out, moved, options);
    free(moved);
    return true;
}

/* ---- Sums over pairs --------------------------------------------------------------------------------------------- */

/* The variance of the quotient, relative, as the clusters of one way say: n of them that have anything. */
static double variance_of_quotient(const cluster_sum *sums, size_t count, double quotient, double above, size_t *n)
{
    double squares = 0;
    *n = 0;
    for (size_t i = 0; i < count; i++) {
        double off = sums[i].above - quotient * sums[i].below;
        squares += off * off;
        *n += sums[i].above > 0 || sums[i].below > 0;
    }
    return *n > 1 ? squares / (above * above) * (double)*n / (double)(*n - 1) : 0;
}

interval clustered_sums_interval(const cluster_sum *first, size_t n_first, const cluster_sum *second, size_t n_second,
                                 double level)
{
    interval found = interval_none();
    double above = 0, below = 0;
    size_t used_first, used_second;
    for (size_t i = 0; i < n_first; i++) {
        above += first[i].above;
        below += first[i].below;
    }
    if (!(above > 0) || !(below > 0))
        return found;
    double variance = variance_of_quotient(first, n_first, above / below, above, &used_first) +
                      variance_of_quotient(second, n_second, above / below, above, &used_second);
    size_t fewest = used_first > 1 && (used_second < 2 || used_first < used_second) ? used_first : used_second;
    found.estimate = log(above / below);
    if (fewest < 2)
        return found;
    double reach = student_reach(level, fewest - 1) * sqrt(variance);
    return (interval){found.estimate, found.estimate - reach, found.estimate + reach, level};
}
