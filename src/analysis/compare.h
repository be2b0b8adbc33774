/* What changed between two runs, or between two groups of runs: how they were set up, what can be counted, how long
 * things took and how sure that is, and where the difference came from.
 *
 * Two runs are compared chunk by chunk: the same events of the same file in both. What that says is about these two
 * runs. Groups of runs are compared run by run, which says something about the next run too. */
#ifndef ANALYSIS_COMPARE_H
#define ANALYSIS_COMPARE_H

#include "analysis/bootstrap.h"
#include "analysis/summary.h"

typedef enum compare_side { SIDE_A, SIDE_B, SIDES } compare_side;

typedef struct compared_side {
    roast_str label; /* of its first run */
    size_t runs, unfinished;
    interval elapsed;    /* seconds: median over the runs */
    double least_events; /* that one of its runs processed; NAN if it is not known of every one */
} compared_side;

/* Whether a side processed fewer events than the other: then it is not faster for having ended sooner. */
bool did_less_work(const compared_side sides[SIDES], compare_side side);
/* The fewest events that one of the runs processed; NAN if it is not known of every one. */
double least_events(const roast_subject *runs, size_t count);

/* How the runs were made, where they differ: a version, the number of workers. */
typedef struct compared_setting {
    roast_str what;
    const char *unit;
    roast_value values[SIDES];
} compared_setting;

/* A count. Runs of one side may differ among themselves. */
typedef struct compared_count {
    const char *id, *what, *unit;
    struct {
        int64_t least, most; /* ROAST_ABSENT if it is not known of every run */
    } sides[SIDES];
    bool equal;
} compared_count;

/* What an interval rests on. */
typedef enum compared_basis {
    BASIS_PAIRS, /* chunks of two runs, paired; clusters are workers */
    BASIS_SUMS,  /* all chunks of two runs; clusters are workers */
    BASIS_RUNS,  /* one value per run */
    BASIS_SINGLE /* one value on either side: no interval */
} compared_basis;

typedef enum compared_better { LESS_IS_BETTER, MORE_IS_BETTER } compared_better;

/* A measured quantity: the ratio of B to A. */
typedef struct compared_timing {
    const char *id, *what, *unit;
    compared_basis basis;
    compared_better better;
    interval sides[SIDES]; /* median over the runs; the mean per chunk (no interval) for pairs */
    interval log_ratio;
    interval log_sums; /* for pairs: of the sums over all of them, which add up; log_ratio is of the middle pair */
    size_t pairs;      /* of chunks that it rests on */
    double share;      /* of the difference in time per chunk; NAN if it is not a part of it */
    double p, p_holm;  /* for runs: two-sided, and adjusted for the number of metrics */
    double p_verdict;  /* adjusted for the two metrics of the verdict, if it is one of them: wall time and CPU */
    const char *why;   /* there is no estimate; NULL if there is */
} compared_timing;

typedef struct compared_part {
    const char *id; /* of a phase, "process_cpu"; NULL for what a run names */
    roast_str name;
    double seconds[SIDES], events[SIDES]; /* per run, averaged; NAN where events mean nothing */
} compared_part;

/* Where core time went, part by part, which add up to the totals. Largest difference first. */
typedef struct compared_breakdown {
    const char *id, *title;
    compared_part *parts;
    size_t count;
    double total[SIDES];
} compared_breakdown;

enum { COMPARED_BREAKDOWNS = 4 };

/* Branches that only one side read. */
typedef struct compared_branches {
    int64_t count, bytes; /* bytes: of these branches in the files, as far as the files were looked at; else absent */
    roast_str examples;   /* the first few, separated by commas */
} compared_branches;

typedef struct roast_comparison {
    arena memory;
    compared_side sides[SIDES];
    compared_setting *settings;
    size_t n_settings;
    compared_count *counts;
    size_t n_counts;
    compared_timing *timings;
    size_t n_timings;
    compared_breakdown breakdowns[COMPARED_BREAKDOWNS]; /* by phase, dataset, section, host; those that there are */
    size_t n_breakdowns;
    compared_branches branches_only[SIDES];
    int64_t files_shared, files_only[SIDES];
    bool paired; /* one run on either side */
    int64_t chunks_paired, chunks_only[SIDES];
    double level;
} comparison;

/* roast_compare with other options than the usual ones: bootstrap may be NULL for the defaults; its level is that of
 * all intervals. */
roast_code compare_runs(comparison **out, const roast_subject *a, size_t n_a, const roast_subject *b, size_t n_b,
                        const bootstrap_options *bootstrap, roast_error *err);

/* Metrics of a run that can be called better or worse, for comparing runs and for roast gate. */
typedef struct judged_metric {
    metric_id metric;
    const char *what;
    compared_better better;
    bool usual; /* compared unasked */
} judged_metric;

const judged_metric *judged_metric_at(size_t index); /* NULL after the last */
const judged_metric *judged_metric_find(roast_str name);

#endif
