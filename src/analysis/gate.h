/* Whether new runs are worse than a baseline: yes, no, or not to be told from these runs. "No" is an answer that needs
 * evidence too, so few or scattered runs give the third. */
#ifndef ANALYSIS_GATE_H
#define ANALYSIS_GATE_H

#include "analysis/compare.h"

typedef enum gate_verdict {
    GATE_FINE,       /* a change for the worse by more than the noise is ruled out */
    GATE_REGRESSION, /* it is worse, by more than the noise, and that is not chance */
    GATE_UNDECIDED   /* neither */
} gate_verdict;

typedef struct gate_options {
    const char *metrics; /* names, separated by commas; NULL for the wall time */
    double noise;        /* a change for the worse by this much does not matter: 0.03 */
    double alpha;        /* how often a regression may be reported where there is none: 0.05 */
} gate_options;

gate_options gate_defaults(void);

typedef struct gated_metric {
    const judged_metric *judged;
    size_t runs[SIDES];
    interval sides[SIDES]; /* medians */
    interval log_ratio; /* new by baseline; two-sided, at 1 - 2 alpha, so that its ends are what one-sided tests say */
    double worst;       /* the change for the worse, as a logarithm, is below this at 1 - alpha; may be infinite */
    double p, p_holm;   /* one-sided, that chance alone makes it look so much worse; adjusted for the other metrics */
    gate_verdict verdict;
    const char *why;    /* undecided; NULL otherwise */
    size_t runs_needed; /* on either side, for an answer, roughly; 0 if nobody can say */
} gated_metric;

typedef struct gate_result {
    arena memory;
    gate_options options;
    compared_side sides[SIDES];
    gated_metric *metrics;
    size_t n_metrics;
    gate_verdict verdict; /* of all metrics together */
    double events[SIDES]; /* medians; NAN if not known */
    bool same_work;       /* all runs processed as many events */
} gate_result;

/* Only the summaries and labels of the inputs are used. A run that did not finish is refused with ROAST_USAGE. */
roast_code gate_runs(gate_result **out, const compare_input *baseline, size_t n_baseline, const compare_input *fresh,
                     size_t n_fresh, const gate_options *options, roast_error *err);
void gate_free(gate_result *gate);

/* One metric from its values alone, all of which must be above 0; they get sorted. The verdict is that of the metric by
 * itself. False if memory is out. */
bool gate_values(gated_metric *out, double *baseline, size_t n_baseline, double *fresh, size_t n_fresh,
                 const judged_metric *judged, const gate_options *options);

#endif
