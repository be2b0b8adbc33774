/* Sums, spreads, percentiles and integrals over time. */
#include "analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

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

double percentile(double *values, size_t count, double percent)
{
    if (!count)
        return (double)NAN;
    double position = percent / 100.0 * (double)(count - 1);
    size_t below = (size_t)position;
    if (below >= count - 1)
        below = count - 1;
    select_rank(values, count, below);
    double fraction = position - (double)below;
    if (fraction <= 0 || below + 1 >= count)
        return values[below];
    double next = values[below + 1]; /* the smallest of those after it */
    for (size_t i = below + 2; i < count; i++)
        next = values[i] < next ? values[i] : next;
    return values[below] + (next - values[below]) * fraction;
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
