/* Intervals by drawing whole clusters again: chunks that ran on one worker share what made them fast or slow, so that
 * the worker is what was drawn by chance. Everything comes from a seed. */
#ifndef ANALYSIS_BOOTSTRAP_H
#define ANALYSIS_BOOTSTRAP_H

#include "analysis/inference.h"

/* Values that belong to a cluster in two ways, numbered from 0: a pair of chunks belongs to the worker that ran the one
 * and to the worker that ran the other. */
typedef struct clustered_values {
    double *values;
    uint32_t *first, *second;
    size_t count, n_first, n_second; /* values; clusters */
} clustered_values;

typedef struct bootstrap_options {
    double level;
    uint32_t replicates;
    uint64_t seed;
} bootstrap_options;

bootstrap_options bootstrap_defaults(void);

/* The Hodges-Lehmann estimate and its interval: the clusters of either way are drawn again, each on its own, and the
 * scatters add up, which is wide rather than narrow. A way of one cluster adds nothing; if both are, values are taken
 * as independent. False if memory is out. */
bool clustered_walsh_interval(interval *out, const clustered_values *v, const bootstrap_options *options);

/* What a cluster adds to a quotient of sums: seconds above, events below. */
typedef struct cluster_sum {
    double above, below;
} cluster_sum;

/* The logarithm of a quotient of quotients: (sum of above / sum of below) of the second, by that of the first. Without
 * an interval if both have one cluster. False if memory is out. */
bool clustered_ratio_interval(interval *out, const cluster_sum *first, size_t n_first, const cluster_sum *second,
                              size_t n_second, const bootstrap_options *options);

/* The logarithm of the quotient of two sums over the same pairs, above by below, with an interval from how far clusters
 * are from it: those of either way, whose scatters add up. By Student's distribution, without drawing. A way of one
 * cluster adds nothing; without any other there is no interval. */
interval clustered_sums_interval(const cluster_sum *first, size_t n_first, const cluster_sum *second, size_t n_second,
                                 double level);

/* The same numbers from the same seed, on every machine. */
uint64_t chance_next(uint64_t *state);
uint32_t chance_below(uint64_t *state, uint32_t limit);

#endif
