/* Sums, spreads, percentiles and integrals over time. */
#include "analysis/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

void moments_add(moments *m, double value)
{
    double distance = value - m->mean;
    m->min = m->count && m->min < value ? m->min : value;
    m->max = m->count && m->max > value ? m->max : value;
    m->count++;
    m->sum += value;
    m->mean += distance / (double)m->count;
    m->squares += distance * (value - m->mean);
}

double moments_mean(const moments *m)
{
    return m->count ? m->sum / (double)m->count : (double)NAN;
}

double moments_min(const moments *m)
{
    return m->count ? m->min : (double)NAN;
}

double moments_max(const moments *m)
{
    return m->count ? m->max : (double)NAN;
}

double moments_deviation(const moments *m)
{
    if (m->count < 2)
        return m->count ? 0.0 : (double)NAN;
    return sqrt(m->squares / (double)(m->count - 1));
}

void line_fit_add(line_fit *fit, double x, double y)
{
    double dx = x - fit->mean_x, dy = y - fit->mean_y;
    fit->count++;
    fit->mean_x += dx / (double)fit->count;
    fit->mean_y += dy / (double)fit->count;
    fit->xx += dx * (x - fit->mean_x);
    fit->yy += dy * (y - fit->mean_y);
    fit->xy += dx * (y - fit->mean_y);
}

double line_fit_slope(const line_fit *fit)
{
    return fit->count >= 2 && fit->xx > 0 ? fit->xy / fit->xx : (double)NAN;
}

double line_fit_intercept(const line_fit *fit)
{
    return fit->mean_y - line_fit_slope(fit) * fit->mean_x;
}

double line_fit_r2(const line_fit *fit)
{
    return fit->xx > 0 && fit->yy > 0 ? fit->xy * fit->xy / (fit->xx * fit->yy) : (double)NAN;
}

double line_fit_residual_deviation(const line_fit *fit)
{
    if (fit->count < 3 || !(fit->xx > 0))
        return (double)NAN;
    double unexplained = fit->yy - fit->xy * fit->xy / fit->xx;
    return sqrt(fmax(unexplained, 0) / (double)(fit->count - 2));
}

double line_fit_intercept_error(const line_fit *fit)
{
    return line_fit_residual_deviation(fit) * sqrt(1 / (double)fit->count + fit->mean_x * fit->mean_x / fit->xx);
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the value of this rank in its place, smaller ones before it and larger ones after it. The pivot is the median
 * of three, so sorted input costs no more than any other. */
static void select_rank(double *values, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values[middle] < values[low])
            swap(&values[middle], &values[low]);
        if (values[high] < values[low])
            swap(&values[high], &values[low]);
        if (values[high] < values[middle])
            swap(&values[high], &values[middle]);
        double pivot = values[middle];
        size_t i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i > j)
                break;
            swap(&values[i], &values[j]);
            i++;
            if (j == 0)
                break;
            j--;
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            return;
    }
}

/* A rank between ranks. */
typedef struct rank_position {
    size_t below;
    double fraction;
} rank_position;

static rank_position position_of(size_t count, double percent)
{
    double position = percent / 100.0 * (double)(count - 1);
    size_t below = (size_t)position < count ? (size_t)position : count - 1;
    return (rank_position){below, position - (double)below};
}

static double value_at_position(double *values, size_t count, rank_position at)
{
    select_rank(values, count, at.below);
    if (at.fraction <= 0 || at.below + 1 >= count)
        return values[at.below];
    double next = values[at.below + 1]; /* the smallest of those after it */
    for (size_t i = at.below + 2; i < count; i++)
        next = values[i] < next ? values[i] : next;
    return values[at.below] + (next - values[at.below]) * at.fraction;
}

double percentile(double *values, size_t count, double percent)
{
    return count ? value_at_position(values, count, position_of(count, percent)) : (double)NAN;
}

/* The leading bits of a number, such that a larger number never has a smaller one. */
static size_t rank_range(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (size_t)((bits >> 63 ? ~bits : bits | UINT64_C(1) << 63) >> (64 - RANK_BITS));
}

void rank_count(rank_counts *ranks, double value)
{
    if (!isfinite(value))
        return;
    ranks->counts[rank_range(value)]++;
    ranks->count++;
}

/* The range that the value of this rank is in, and how many values are in ranges before it that were not wanted. */
static size_t range_of_rank(const rank_counts *ranks, const bool *wanted, size_t rank, size_t *unwanted_before)
{
    size_t range = 0, before = 0;
    *unwanted_before = 0;
    for (; before + ranks->counts[range] <= rank; range++) {
        before += ranks->counts[range];
        *unwanted_before += wanted[range] ? 0 : ranks->counts[range];
    }
    return range;
}

bool percentiles(const rank_counts *ranks, size_t n_values, double (*value)(const void *context, size_t index),
                 const void *context, const double *percents, double *out, size_t count)
{
    bool *wanted = calloc(RANK_RANGES, sizeof *wanted);
    size_t kept = 0, unwanted, from = ranks->count;
    for (size_t i = 0; wanted && ranks->count && i < count; i++) {
        rank_position at = position_of(ranks->count, percents[i]);
        size_t next = at.below + 1 < ranks->count ? at.below + 1 : at.below;
        wanted[range_of_rank(ranks, wanted, at.below, &unwanted)] = true;
        wanted[range_of_rank(ranks, wanted, next, &unwanted)] = true;
    }
    for (size_t i = 0; wanted && i < RANK_RANGES; i++)
        kept += wanted[i] ? ranks->counts[i] : 0;
    double *values = malloc((kept + 1) * sizeof *values);
    from = 0;
    for (size_t i = 0; wanted && values && from < kept && i < n_values; i++) {
        double v = value(context, i);
        if (isfinite(v) && wanted[rank_range(v)])
            values[from++] = v;
    }
    for (size_t i = 0; wanted && values && i < count; i++) {
        out[i] = (double)NAN;
        if (!ranks->count)
            continue;
        rank_position at = position_of(ranks->count, percents[i]);
        range_of_rank(ranks, wanted, at.below, &unwanted);
        at.below -= unwanted;
        out[i] = value_at_position(values, kept, at);
    }
    bool done = wanted && values;
    free(wanted);
    free(values);
    return done;
}

void timeline_add(timeline *t, int64_t t_ns, double value)
{
    bool first = t->points++ == 0;
    t->min = !first && t->min < value ? t->min : value;
    t->max = !first && t->max > value ? t->max : value;
    t->sum += value;
    if (!first && t_ns < t->last_ns)
        return;
    if (first)
        t->first_ns = t_ns;
    else
        t->integral += (t->last_value + value) / 2 * clock_seconds(t_ns - t->last_ns);
    t->last_ns = t_ns;
    t->last_value = value;
}

double timeline_seconds(const timeline *t)
{
    return clock_seconds(t->last_ns - t->first_ns);
}

double timeline_average(const timeline *t)
{
    if (!t->points)
        return (double)NAN;
    double seconds = timeline_seconds(t);
    return seconds > 0 ? t->integral / seconds : t->sum / (double)t->points;
}

bool number_list_add(number_list *list, double value)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 1024;
        double *values = realloc(list->values, capacity * sizeof *values);
        if (!values)
            return false;
        list->values = values;
        list->capacity = capacity;
    }
    list->values[list->count++] = value;
    return true;
}

void number_list_release(number_list *list)
{
    free(list->values);
    *list = (number_list){0};
}
