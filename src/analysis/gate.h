/* Whether new runs are worse than a baseline: yes, no, or not to be told from these runs. "No" is an answer that needs
 * evidence too, so few or scattered runs give the third. */
#ifndef ANALYSIS_GATE_H
#define ANALYSIS_GATE_H

#include "analysis/compare.h"

typedef struct gated_metric {
    const judged_metric *judged;
    size_t runs[SIDES];
    interval sides[SIDES]; /* medians */
    interval log_ratio; /* new by baseline; two-sided, at 1 - 2 alpha, so that its ends are what one-sided tests say */
    double worst;       /* the change for the worse, as a logarithm, is below this at 1 - alpha; may be infinite */
    double p, p_holm;   /* one-sided, that chance alone makes it look so much worse; adjusted for the other metrics */
    roast_verdict verdict;
    const char *why;    /* undecided; NULL otherwise */
    size_t runs_needed; /* on either side, for an answer, roughly; 0 if nobody can say */
} gated_metric;

/* A metric in which the runs differ less among themselves than in the one that is judged: it tells more from as many
 * runs. Scatters are standard deviations of logarithms within a side. */
typedef struct steadier_metric {
    const judged_metric *judged; /* NULL if there is none */
    double scatter, scatter_of_judged;
} steadier_metric;

struct roast_gate {
    arena memory;
    roast_gate_options options;
    compared_side sides[SIDES];
    gated_metric *metrics;
    size_t n_metrics;
    roast_verdict verdict; /* of all metrics together */
    double events[SIDES];  /* medians; NAN if not known */
    bool same_work;        /* all runs processed as many events */
    bool in_turns;         /* runs of both sides alternate in time, as far as is known */
    steadier_metric steadier;
    bool less_work;  /* a new run processed fewer events than any of the baseline: it is not fine for that */
    bool incomplete; /* a new run is known to lack events */
};

/* One metric from its values alone, all of which must be above 0; they get sorted. The verdict is that of the metric by
 * itself. False if memory is out. */
bool gate_values(gated_metric *out, double *baseline, size_t n_baseline, double *fresh, size_t n_fresh,
                 const judged_metric *judged, const roast_gate_options *options);

#endif
