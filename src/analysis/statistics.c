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

/* What comes before the window moves its ranks, what comes into it is kept; if there is no room, all begin anew. */
static void window_take(rank_counts *ranks, rank_window *window, double value)
{
    if (value < window->low)
        window->first++;
    else if (value < window->high && window->count < WINDOW_ROOM)
        window->values[window->count++] = value;
    else if (value < window->high)
        ranks->n_windows = 0;
}

void rank_count(rank_counts *ranks, double value)
{
    if (!isfinite(value))
        return;
    ranks->counts[rank_range(value)]++;
    ranks->count++;
    for (size_t i = 0; i < ranks->n_windows; i++)
        window_take(ranks, &ranks->windows[i], value);
}

static size_t rank_after(const rank_counts *ranks, size_t rank)
{
    return rank + 1 < ranks->count ? rank + 1 : rank;
}

/* The range that the value of this rank is in. */
static size_t range_of_rank(const rank_counts *ranks, size_t rank)
{
    size_t range = 0;
    for (size_t before = 0; before + ranks->counts[range] <= rank; range++)
        before += ranks->counts[range];
    return range;
}

/* How many values are in the ranges before this one that are wanted, or that are not. */
static size_t values_before(const rank_counts *ranks, const bool *wanted, bool are_wanted, size_t range)
{
    size_t before = 0;
    for (size_t i = 0; i < range; i++)
        before += wanted[i] == are_wanted ? ranks->counts[i] : 0;
    return before;
}

/* The values of the wanted ranges, in any order. NULL if memory is out. */
static double *values_of_ranges(const rank_counts *ranks, const bool *wanted, size_t n_values,
                                double (*value)(const void *context, size_t index), const void *context)
{
    size_t count = values_before(ranks, wanted, true, RANK_RANGES), found = 0;
    double *values = malloc((count + 1) * sizeof *values);
    for (size_t i = 0; values && found < count && i < n_values; i++) {
        double v = value(context, i);
        if (isfinite(v) && wanted[rank_range(v)])
            values[found++] = v;
    }
    return values;
}

/* The ranks around one that a window is to have; wants the ranges that their values are in. */
static void place_window(rank_window *window, const rank_counts *ranks, size_t rank, bool *wanted)
{
    window->first = rank > WINDOW_BEGINS_WITH / 2 ? rank - WINDOW_BEGINS_WITH / 2 : 0;
    size_t after = ranks->count - window->first;
    window->count = after < WINDOW_BEGINS_WITH ? after : WINDOW_BEGINS_WITH;
    size_t last = range_of_rank(ranks, window->first + window->count - 1);
    for (size_t range = range_of_rank(ranks, window->first); range <= last; range++)
        wanted[range] = true;
}

static void fill_window(rank_window *window, const rank_counts *ranks, const bool *wanted, double *values)
{
    size_t count = values_before(ranks, wanted, true, RANK_RANGES);
    size_t from = window->first - values_before(ranks, wanted, false, range_of_rank(ranks, window->first));
    select_rank(values, count, from);
    select_rank(values + from, count - from, window->count - 1);
    window->low = values[from];
    window->high = values[from + window->count - 1];
    memcpy(window->values, values + from, window->count * sizeof *values);
}

static bool make_windows(rank_counts *ranks, size_t n_values, double (*value)(const void *context, size_t index),
                         const void *context, const rank_position *at, size_t count)
{
    bool *wanted = calloc(RANK_RANGES, sizeof *wanted);
    for (size_t i = 0; wanted && i < count; i++)
        place_window(&ranks->windows[i], ranks, at[i].below, wanted);
    double *values = wanted ? values_of_ranges(ranks, wanted, n_values, value, context) : NULL;
    for (size_t i = 0; values && i < count; i++)
        fill_window(&ranks->windows[i], ranks, wanted, values);
    ranks->n_windows = values ? count : 0;
    free(wanted);
    free(values);
    return ranks->n_windows == count;
}

static bool windows_tell(const rank_counts *ranks, const rank_position *at, size_t count)
{
    bool all = ranks->n_windows == count;
    for (size_t i = 0; all && i < count; i++) {
        const rank_window *window = &ranks->windows[i];
        all = at[i].below >= window->first && rank_after(ranks, at[i].below) < window->first + window->count;
    }
    return all;
}

bool percentiles(rank_counts *ranks, size_t n_values, double (*value)(const void *context, size_t index),
                 const void *context, const double *percents, double *out, size_t count)
{
    rank_position at[MOST_PERCENTILES];
    for (size_t i = 0; i < count; i++) {
        out[i] = (double)NAN;
        at[i] = ranks->count ? position_of(ranks->count, percents[i]) : (rank_position){0};
    }
    if (!ranks->count)
        return true;
    if (!windows_tell(ranks, at, count) && !make_windows(ranks, n_values, value, context, at, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        rank_window *window = &ranks->windows[i];
        at[i].below -= window->first;
        out[i] = value_at_position(window->values, window->count, at[i]);
    }
    return true;
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

static double log_choose(size_t of, size_t count)
{
    return lgamma((double)of + 1) - lgamma((double)count + 1) - lgamma((double)(of - count) + 1);
}

double hypergeometric_tail(size_t hits, size_t count, size_t are, size_t all)
{
    double tail = 0;
    for (size_t k = hits; k <= count && k <= are; k++)
        if (count - k <= all - are)
            tail += exp(log_choose(are, k) + log_choose(all - are, count - k) - log_choose(all, count));
    return tail;
}

double binomial_tail(size_t hits, size_t count, double chance)
{
    double tail = 0;
    for (size_t k = hits; k <= count && chance > 0; k++)
        tail += exp(log_choose(count, k) + (double)k * log(chance) + (double)(count - k) * log1p(-chance));
    return tail;
}
