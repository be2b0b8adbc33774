/* How throughput grows with cores: over runs with different numbers of them, against the ideal, and as a law.
 *
 * The Universal Scalability Law: rate(n) = rate(1) n / (1 + contention (n - 1) + coherence n (n - 1)). Contention is
 * what only one core can do at a time, coherence what cores do for each other. Amdahl's law has no coherence. */
#ifndef ANALYSIS_SCALING_H
#define ANALYSIS_SCALING_H

#include "analysis/compare.h"

typedef enum scaling_kind { LAW_AMDAHL, LAW_USL } scaling_kind;

typedef struct scaling_law {
    scaling_kind kind;
    interval rate, contention, coherence; /* rate: of one core */
    interval knee;                        /* cores up to which one percent more of them gives half a percent or more */
    interval peak;                        /* cores that give the highest rate; infinite if more always give more */
    interval highest_rate;                /* there, or where it tends to */
    double scatter;                       /* of the points around the law: standard deviation, relative */
    bool
        peak_seen; /* runs beyond the peak were slower than there by more than they scatter: no plateau looks like it */
} scaling_law;

/* Fits a law with relative errors; all numbers must be above 0. Intervals are from a bootstrap of the residuals. False
 * if memory is out. The estimates are NAN if there are fewer different numbers of cores than the law has parameters. */
bool scaling_fit(scaling_law *out, const double *cores, const double *rates, size_t count, scaling_kind kind,
                 const bootstrap_options *options);
double scaling_rate(const scaling_law *law, double cores);

enum { FEWEST_POINTS = 6, FEWEST_DIFFERENT = 4 }; /* for a law: runs, and numbers of cores */

typedef struct scaling_point {
    roast_str label;
    double cores, workers, seconds, events, rate; /* rate: events per second */
    double speedup, efficiency;                   /* against the point with the fewest cores; 1 is ideal */
} scaling_point;

/* A number of cores, and what a job of the usual size takes with it. */
typedef struct scaling_choice {
    double cores, workers, seconds, cost; /* NAN where not known */
} scaling_choice;

/* What a run would take with other numbers of cores if nothing but their number changed: by replaying its chunks. */
typedef struct scaling_bound {
    double times, cores, seconds; /* so many times the cores; seconds at best */
} scaling_bound;

enum { SCALING_BOUNDS = 3 };

typedef struct roast_scaling {
    arena memory;
    scaling_point *points;   /* by cores */
    size_t count, different; /* points; different numbers of cores */
    bool same_work;          /* all processed as many events */
    double events;           /* of the usual job: median */
    double cores_per_worker;
    const char *no_law; /* why none is fitted; NULL if they are */
    scaling_law amdahl, usl;
    /* Where there is no law: bounds from the replay of the run with the most cores, if the replay is good enough. */
    scaling_bound bounds[SCALING_BOUNDS];
    size_t n_bounds;
    const scaling_point *replayed; /* whose chunks they are of */
    double replay_error_percent;   /* NAN if nothing could be replayed */
    roast_costs costs;
    scaling_choice knee, best; /* best: the cheapest, waiting included; NAN if costs do not say */
} scaling;

#endif
