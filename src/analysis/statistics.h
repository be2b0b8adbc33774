/* Sums, spreads, percentiles and integrals over time. */
#ifndef ANALYSIS_STATISTICS_H
#define ANALYSIS_STATISTICS_H

#include <roast.h>

/* Count, mean, extremes and spread in one pass, without the cancellation that sums of squares suffer. */
typedef struct moments {
    int64_t count;
    double mean, squares; /* squares: sum of squared distances from the mean */
    double min, max, sum;
} moments;

void moments_add(moments *m, double value);
double moments_mean(const moments *m); /* NAN for none; so are the others */
double moments_min(const moments *m);
double moments_max(const moments *m);
double moments_deviation(const moments *m); /* n - 1; 0 for one value */

/* A straight line through points. */
typedef struct line_fit {
    int64_t count;
    double mean_x, mean_y, xx, xy, yy; /* sums of products of distances from the means */
} line_fit;

void line_fit_add(line_fit *fit, double x, double y);
double line_fit_slope(const line_fit *fit); /* NAN if all x are equal */
double line_fit_intercept(const line_fit *fit);
double line_fit_intercept_error(const line_fit *fit); /* standard error */
double line_fit_r2(const line_fit *fit);
double line_fit_residual_deviation(const line_fit *fit); /* n - 2 */

/* Exact percentile, linear between ranks; NAN for none. Reorders the values. */
double percentile(double *values, size_t count, double percent);

enum {
    RANK_BITS = 14,
    RANK_RANGES = 1 << RANK_BITS,
    MOST_PERCENTILES = 4,
    WINDOW_ROOM = 8192,
    WINDOW_BEGINS_WITH = WINDOW_ROOM / 2
};

/* The values of some ranks that follow one another, in any order: those before are not larger, those after not smaller.
 * Values that come later are put where they belong, so that a rank is found without looking at all values again until
 * it has moved out of the window. */
typedef struct rank_window {
    size_t first, count; /* ranks [first, first + count) of all values */
    double low, high;    /* the smallest and the largest that it began with */
    double values[WINDOW_ROOM];
} rank_window;

/* How many values there are, by their leading bits: then a percentile need look only at the values that share them. */
typedef struct rank_counts {
    size_t count;
    uint32_t counts[RANK_RANGES];
    rank_window windows[MOST_PERCENTILES]; /* around the percentiles that were asked for */
    size_t n_windows;                      /* 0 until they were, and when one has become too narrow or too full */
} rank_counts;

void rank_count(rank_counts *ranks, double value); /* one that is not finite is left out */
/* Exact percentiles, at most MOST_PERCENTILES and always the same, of values that have all been counted and are given
 * by their index. NAN for none. Walks over the values only if the windows do not tell. False if memory is out. */
bool percentiles(rank_counts *ranks, size_t n_values, double (*value)(const void *context, size_t index),
                 const void *context, const double *percents, double *out, size_t count);

/* A quantity over time, given point by point and integrated by trapezoids. Times that go back are passed over. */
typedef struct timeline {
    int64_t points;
    int64_t first_ns, last_ns;
    double last_value, integral; /* value × seconds */
    double max, min, sum;
} timeline;

/* Points come in the order of time. One that is late counts for the extremes and the sum, not for the integral. */
void timeline_add(timeline *t, int64_t t_ns, double value);
double timeline_seconds(const timeline *t);
double timeline_average(const timeline *t); /* over its own time; the value itself for one point; NAN for none */

/* An array of numbers that grows. */
typedef struct number_list {
    double *values;
    size_t count, capacity;
} number_list;

bool number_list_add(number_list *list, double value);
void number_list_release(number_list *list);

/* The chance of at least hits of count, each with the same chance; or of count that are drawn from all, of which so
 * many are: it is known how many there are, only not where. */
double binomial_tail(size_t hits, size_t count, double chance);
double hypergeometric_tail(size_t hits, size_t count, size_t are, size_t all);

#endif
