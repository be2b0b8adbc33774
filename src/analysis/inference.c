/* Rank statistics. The two ideas: the exact distribution of a rank sum is a count of subsets, which ties do not
 * disturb; and the k-th smallest of very many sums or differences of sorted values is found by bisection over the
 * representable numbers, each step one sweep with two pointers, so that a million values cost 64 sweeps and no memory.
 */
#include "analysis/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_EXACT = 100,    /* values of both samples together; beyond, the normal distribution is as good */
    NEARLY_NORMAL = 1000 /* degrees of freedom from which on Student's distribution is the normal one */
};

bool interval_tells(const interval *i)
{
    return isfinite(i->estimate) && i->high - i->low <= fabs(i->estimate);
}

bool ratio_untold(const interval *log_ratio)
{
    return log_ratio->estimate - log_ratio->low > log(10) || log_ratio->high - log_ratio->estimate > log(10);
}

interval interval_none(void)
{
    return (interval){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
}

int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- The k-th smallest of sums and differences ----------------------------------------------------------------- */

/* Doubles in the order of integers, and back. */
static int64_t order_of(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double at_order(int64_t order)
{
    int64_t bits = order < 0 ? INT64_MIN - order : order;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

typedef struct sample_pair {
    const double *x, *y;
    size_t n_x, n_y;
} sample_pair;

/* Sums or differences of which one looks for the k-th. */
typedef struct combinations {
    double (*count_up_to)(const sample_pair *s, double limit); /* how many are at most the limit */
    double (*next_above)(const sample_pair *s, double limit);  /* the smallest that is larger; infinite if none is */
} combinations;

/* Differences y - x; as x grows, more of y fit below. Rounding keeps the order, so the count is of what is computed. */
static double count_differences(const sample_pair *s, double limit)
{
    double count = 0;
    size_t fit = 0;
    for (size_t i = 0; i < s->n_x; i++) {
        while (fit < s->n_y && s->y[fit] - s->x[i] <= limit)
            fit++;
        count += (double)fit;
    }
    return count;
}

/* Averages of x[i] and x[j] with i <= j. */
static double count_averages(const sample_pair *s, double limit)
{
    double count = 0;
    size_t fit = s->n_x; /* x[0] … x[fit - 1] average with x[i] to no more than the limit */
    for (size_t i = 0; i < fit; i++) {
        while (fit > i && (s->x[i] + s->x[fit - 1]) * 0.5 > limit)
            fit--;
        count += (double)(fit - i);
    }
    return count;
}

static double next_difference(const sample_pair *s, double limit)
{
    double next = (double)INFINITY;
    size_t fit = 0;
    for (size_t i = 0; i < s->n_x; i++) {
        while (fit < s->n_y && s->y[fit] - s->x[i] <= limit)
            fit++;
        next = fit < s->n_y ? fmin(next, s->y[fit] - s->x[i]) : next;
    }
    return next;
}

static double next_average(const sample_pair *s, double limit)
{
    double next = (double)INFINITY;
    size_t fit = s->n_x;
    for (size_t i = 0; i < s->n_x; i++) {
        while (fit > i && (s->x[i] + s->x[fit - 1]) * 0.5 > limit)
            fit--;
        size_t first = fit > i ? fit : i; /* of those that do not fit, the one with the smallest average */
        next = first < s->n_x ? fmin(next, (s->x[i] + s->x[first]) * 0.5) : next;
    }
    return next;
}

static const combinations DIFFERENCES = {count_differences, next_difference};
static const combinations AVERAGES = {count_averages, next_average};

/* The smallest number up to which there are k; it is one of those that are counted. */
static double kth_smallest(const sample_pair *s, const combinations *of, double k, double least, double most)
{
    int64_t low = order_of(least), high = order_of(most);
    while (low < high) {
        int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        if (of->count_up_to(s, at_order(middle)) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return at_order(low);
}

static double kth_difference(const sample_pair *s, double k)
{
    return kth_smallest(s, &DIFFERENCES, k, s->y[0] - s->x[s->n_x - 1], s->y[s->n_y - 1] - s->x[0]);
}

static double median_of(const sample_pair *s, const combinations *of, double total, double least, double most)
{
    double lower = kth_smallest(s, of, floor((total + 1) / 2), least, most);
    bool both = of->count_up_to(s, lower) >= floor(total / 2) + 1;
    return both ? lower : (lower + of->next_above(s, lower)) / 2;
}

double walsh_median(const double *sorted, size_t count)
{
    if (!count)
        return (double)NAN;
    sample_pair s = {.x = sorted, .n_x = count};
    double total = (double)count * ((double)count + 1) / 2;
    return median_of(&s, &AVERAGES, total, sorted[0], sorted[count - 1]);
}

/* ---- Distributions ------------------------------------------------------------------------------------------- */

static double normal_above(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

/* Of Student's distribution with whole degrees of freedom, the share within ±t, by its finite series. */
static double student_within(double t, size_t degrees)
{
    double angle = atan(t / sqrt((double)degrees)), c = cos(angle), s = sin(angle);
    bool odd = degrees % 2;
    double term = odd ? c : 1, sum = degrees > 1 ? term : 0;
    for (size_t i = odd ? 3 : 2; i + 1 < degrees; i += 2) {
        term *= c * c * (double)(i - 1) / (double)i;
        sum += term;
    }
    return odd ? (angle + s * sum) * 2 / 3.14159265358979323846 : s * sum;
}

double student_reach(double level, size_t degrees)
{
    double low = 0, high = 1e9;
    if (degrees == 0)
        return (double)INFINITY;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
        double middle = low < 1e-3 ? (low + high) / 2 : sqrt(low * high);
        double within = degrees < NEARLY_NORMAL ? student_within(middle, degrees) : 1 - 2 * normal_above(middle);
        if (within < level)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Ways to choose k of the ranks, by their sum: ways[0 … *top]. NULL if memory is out. The ranks must be sorted. */
static double *count_subsets(const uint32_t *ranks, size_t n, size_t k, size_t *top)
{
    *top = 0;
    for (size_t i = n - k; i < n; i++)
        *top += ranks[i];
    size_t width = *top + 1;
    double *ways = calloc((k + 1) * width, sizeof *ways);
    if (!ways)
        return NULL;
    ways[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t chosen = i + 1 < k ? i + 1 : k; chosen > 0; chosen--) {
            double *with = ways + chosen * width;
            const double *without = with - width;
            for (size_t sum = ranks[i]; sum < width; sum++)
                with[sum] += without[sum - ranks[i]];
        }
    memmove(ways, ways + k * width, width * sizeof *ways);
    return ways;
}

static double sum_of(const double *values, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += values[i];
    return sum;
}

double smallest_p(size_t n_x, size_t n_y)
{
    double arrangements = 1;
    for (size_t i = 1; i <= n_x; i++)
        arrangements *= (double)(n_y + i) / (double)i;
    return 1 / arrangements;
}

/* The largest k such that the k - 1 smallest values of U have together at most the given probability; 0 if even U = 0
 * is more likely. *below is what they have. */
static bool tail_of_u(size_t n_x, size_t n_y, double probability, size_t *k, double *below)
{
    double pairs = (double)n_x * (double)n_y;
    probability *= 1 + 1e-9; /* 1 - 0.9 is a little less than a tenth */
    *k = 0, *below = 0;
    if (n_x + n_y > MOST_EXACT) {
        double z = sqrt(pairs * (double)(n_x + n_y + 1) / 12), low = 0, high = pairs / 2;
        while (high - low > 0.5) {
            double middle = (low + high) / 2;
            if (normal_above((pairs / 2 - middle) / z) <= probability)
                low = middle;
            else
                high = middle;
        }
        *k = (size_t)low;
        *below = normal_above((pairs / 2 - (double)*k) / z);
        return true;
    }
    uint32_t ranks[MOST_EXACT];
    size_t n = n_x + n_y, few = n_x < n_y ? n_x : n_y, top;
    for (size_t i = 0; i < n; i++)
        ranks[i] = (uint32_t)i + 1;
    double *ways = count_subsets(ranks, n, few, &top);
    if (!ways)
        return false;
    double all = sum_of(ways, 0, top + 1);
    for (size_t sum = few * (few + 1) / 2; sum <= top; sum++) {
        if ((*below + ways[sum] / all) > probability)
            break;
        *below += ways[sum] / all;
        ++*k;
    }
    free(ways);
    return true;
}

/* ---- Mann-Whitney --------------------------------------------------------------------------------------------- */

typedef struct ranked_value {
    double value;
    uint32_t twice_rank; /* twice the middle rank of equal values, which is whole */
    bool of_y;
} ranked_value;

static int compare_ranked(const void *a, const void *b)
{
    return compare_doubles(&((const ranked_value *)a)->value, &((const ranked_value *)b)->value);
}

/* Sorts and ranks; returns the sum of t³ - t over groups of t equal values. */
static double rank_values(ranked_value *pooled, size_t n)
{
    double ties = 0;
    qsort(pooled, n, sizeof *pooled, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && pooled[end].value <= pooled[i].value;)
            end++;
        for (size_t j = i; j < end; j++)
            pooled[j].twice_rank = (uint32_t)(i + 1 + end);
        double equal = (double)(end - i);
        ties += equal * equal * equal - equal;
    }
    return ties;
}

/* All arrangements of the ranks, counted. */
static bool exact_probabilities(rank_test *out, const ranked_value *pooled, size_t n_x, size_t n_y)
{
    uint32_t ranks[MOST_EXACT];
    size_t n = n_x + n_y, top, observed = 0;
    bool count_y = n_y <= n_x;
    for (size_t i = 0; i < n; i++) {
        ranks[i] = pooled[i].twice_rank;
        observed += pooled[i].of_y == count_y ? ranks[i] : 0;
    }
    double *ways = count_subsets(ranks, n, count_y ? n_y : n_x, &top);
    if (!ways)
        return false;
    double all = sum_of(ways, 0, top + 1);
    double upper = sum_of(ways, observed, top + 1) / all, lower = sum_of(ways, 0, observed + 1) / all;
    out->p_greater = count_y ? upper : lower;
    out->p_less = count_y ? lower : upper;
    free(ways);
    return true;
}

/* With half a step for the discreteness, and with what ties take from the variance. */
static void normal_probabilities(rank_test *out, double n_x, double n_y, double ties)
{
    double n = n_x + n_y, middle = n_x * n_y / 2;
    double deviation = sqrt(n_x * n_y / 12 * (n + 1 - ties / (n * (n - 1))));
    out->p_greater = deviation > 0 ? normal_above((out->u - middle - 0.5) / deviation) : 1;
    out->p_less = deviation > 0 ? normal_above((middle - out->u - 0.5) / deviation) : 1;
}

bool mann_whitney(rank_test *out, const double *x, size_t n_x, const double *y, size_t n_y)
{
    *out = (rank_test){(double)NAN, (double)NAN, (double)NAN, (double)NAN, smallest_p(n_x, n_y), false};
    if (!n_x || !n_y)
        return true;
    ranked_value *pooled = calloc(n_x + n_y, sizeof *pooled);
    if (!pooled)
        return false;
    for (size_t i = 0; i < n_x; i++)
        pooled[i].value = x[i];
    for (size_t i = 0; i < n_y; i++)
        pooled[n_x + i] = (ranked_value){.value = y[i], .of_y = true};
    double ties = rank_values(pooled, n_x + n_y), sum = 0;
    for (size_t i = 0; i < n_x + n_y; i++)
        sum += pooled[i].of_y ? pooled[i].twice_rank / 2.0 : 0;
    out->u = sum - (double)n_y * ((double)n_y + 1) / 2;
    out->exact = n_x + n_y <= MOST_EXACT;
    bool done = true;
    if (out->exact)
        done = exact_probabilities(out, pooled, n_x, n_y);
    else
        normal_probabilities(out, (double)n_x, (double)n_y, ties);
    out->p = fmin(1, 2 * fmin(out->p_greater, out->p_less));
    free(pooled);
    return done;
}

/* ---- Intervals ------------------------------------------------------------------------------------------------ */

bool shift_interval(interval *out, const double *x, size_t n_x, const double *y, size_t n_y, double level)
{
    *out = interval_none();
    if (!n_x || !n_y)
        return true;
    sample_pair s = {x, y, n_x, n_y};
    size_t k;
    double below, pairs = (double)n_x * (double)n_y;
    if (!tail_of_u(n_x, n_y, (1 - level) / 2, &k, &below))
        return false;
    if (k == 0) { /* the widest there is, which has less confidence than was asked for */
        k = 1;
        below = smallest_p(n_x, n_y);
    }
    out->estimate = median_of(&s, &DIFFERENCES, pairs, y[0] - x[n_x - 1], y[n_y - 1] - x[0]);
    out->low = kth_difference(&s, (double)k);
    out->high = kth_difference(&s, pairs + 1 - (double)k);
    out->level = 1 - 2 * below;
    return true;
}

bool shift_upper_bound(double *out, const double *x, size_t n_x, const double *y, size_t n_y, double level)
{
    *out = (double)INFINITY;
    size_t k;
    double below;
    if (!n_x || !n_y)
        return true;
    if (!tail_of_u(n_x, n_y, 1 - level, &k, &below))
        return false;
    if (k > 0)
        *out = kth_difference(&(sample_pair){x, y, n_x, n_y}, (double)n_x * (double)n_y + 1 - (double)k);
    return true;
}

interval median_interval(const double *sorted, size_t count, double level)
{
    if (!count)
        return interval_none();
    /* Fewer than k of the values lie below the median with the probability of fewer than k heads in count throws. */
    double n = (double)count, below = 0;
    size_t k = 0;
    for (double heads = 0; k < (count + 1) / 2; heads++, k++) {
        double probability = exp(lgamma(n + 1) - lgamma(heads + 1) - lgamma(n - heads + 1) - n * log(2));
        if (below + probability > (1 - level) / 2)
            break;
        below += probability;
    }
    if (k == 0) {
        k = 1;
        below = pow(0.5, n);
    }
    double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    return (interval){middle, sorted[k - 1], sorted[count - k], count > 1 ? 1 - 2 * below : 0};
}

/* ---- Several tests -------------------------------------------------------------------------------------------- */

bool holm_adjust(double *p, size_t count)
{
    double *sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            sorted[known++] = p[i];
    qsort(sorted, known, sizeof *sorted, compare_doubles);
    for (size_t i = 0; i < count; i++) {
        double adjusted = 0;
        for (size_t j = 0; j < known && sorted[j] <= p[i]; j++)
            adjusted = fmax(adjusted, fmin(1, (double)(known - j) * sorted[j]));
        if (!isnan(p[i]))
            p[i] = adjusted;
    }
    free(sorted);
    return true;
}
