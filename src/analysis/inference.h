/* Statistics for small samples and for very many pairs, without assumptions about the shape of distributions: rank
 * tests with exact distributions, Hodges-Lehmann estimates, intervals of medians, Holm's correction. Nothing here knows
 * of runs. NAN is "cannot be said". */
#ifndef ANALYSIS_INFERENCE_H
#define ANALYSIS_INFERENCE_H

#include <roast.h>

/* An estimate and the interval around it. level is the confidence that the interval really has: exact intervals of few
 * values come in steps, so it may be above what was asked for, or below if even the widest one has less. */
typedef struct interval {
    double estimate, low, high, level;
} interval;

interval interval_none(void);
/* Whether it is worth telling: the interval is not wider than the estimate is large. Infinite ones are no numbers. */
bool interval_tells(const interval *i);
/* Whether that of a logarithm of a ratio tells nothing: an end of it is further than a factor of ten from the estimate.
 * One that there is not is not meant. */
bool ratio_untold(const interval *log_ratio);

/* ---- Two samples --------------------------------------------------------------------------------------------- */

typedef struct rank_test {
    double u;                    /* pairs (x, y) with y > x, ties counting half */
    double p_greater, p_less, p; /* that chance alone gives such a u: y above x, y below x, either */
    double smallest_p;           /* one-sided, that samples of this size can give at all */
    bool exact;                  /* by counting all arrangements, ties included; else by the normal distribution */
} rank_test;

/* Mann-Whitney. False if memory is out; NAN if a sample is empty. */
bool mann_whitney(rank_test *out, const double *x, size_t n_x, const double *y, size_t n_y);
/* How much y lies above x: the median of all differences, with the interval that inverts the Mann-Whitney test. Both
 * must be sorted. False if memory is out. */
bool shift_interval(interval *out, const double *x, size_t n_x, const double *y, size_t n_y, double level);
/* The upper end of the one-sided interval of the same: the shift is below it with this confidence. Infinite if the
 * samples are too small for the level. */
bool shift_upper_bound(double *out, const double *x, size_t n_x, const double *y, size_t n_y, double level);
/* The smallest p, one-sided, that n_x and n_y values can give. */
double smallest_p(size_t n_x, size_t n_y);

/* ---- One sample ---------------------------------------------------------------------------------------------- */

/* The median and its interval between order statistics. The values must be sorted. */
interval median_interval(const double *sorted, size_t count, double level);
/* Hodges-Lehmann: the median of the averages of all pairs of values, each with itself included. Exact, in O(n) after
 * sorting, which the values must be. */
double walsh_median(const double *sorted, size_t count);

/* ---- Several tests ------------------------------------------------------------------------------------------- */

/* Holm: p values so adjusted that all of them together are wrong with the probability that each of them states. In
 * place; NAN stays and does not count. False if memory is out. */
bool holm_adjust(double *p, size_t count);

/* ---- Shared with the bootstrap ------------------------------------------------------------------------------- */

/* The quantile of Student's distribution: how far out one must go for this level, two-sided. */
double student_reach(double level, size_t degrees);

int compare_doubles(const void *a, const void *b); /* for qsort */

#endif
