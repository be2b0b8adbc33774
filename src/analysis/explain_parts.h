/* What the rules of explain share: the run, its replay, and how a finding is stated. */
#ifndef ANALYSIS_EXPLAIN_PARTS_H
#define ANALYSIS_EXPLAIN_PARTS_H

#include "analysis/explain.h"

typedef struct explaining {
    explanation *out;
    roast_run *run;
    const roast_summary *summary;
    const trace *trace;
    stragglers stragglers;
    replay replay;
    replay_result as_it_was; /* replay without a change */
    double wall;             /* seconds */
    double all;              /* core-seconds that there were */
    double total, cores;     /* of the workers that may have been measured: core-seconds, and averaged */
    bool partly;             /* some workers were not measured: nothing is replayed */
    double ledger[LEDGER_COUNT];
    roast_code code; /* the first thing that went wrong: rules read straight through */
    roast_error *err;
} explaining;

/* Wall seconds that a change would save by the replay; cost / cores if the replay does not answer. Never negative. */
double saving_of(explaining *e, const replay_change *change, double cost);
replay_result replay_of(explaining *e, const replay_change *change);

/* Adds a finding; it is a note if it saves less than a twentieth of the wall time. NULL if there is no room. */
finding *add_finding(explaining *e, finding_kind kind, finding_confidence confidence, double cost, double saving);
void add_evidence(finding *f, const char *what, roast_str name, double value, const char *unit);
bool worth_a_look(const explaining *e, double core_seconds); /* could be more than three percent of the wall time */
bool worth_telling(const explaining *e, double saving);      /* one percent */
const finding *find_finding(const explaining *e, finding_kind kind); /* NULL if it was not made */

/* The rules, in the order they are asked: later ones know what earlier ones explained. */
void explain_slow_groups(explaining *e);
void explain_memory(explaining *e);
void explain_losses(explaining *e);
void explain_failures(explaining *e);
void explain_start(explaining *e);
void explain_scheduler(explaining *e);
void explain_process(explaining *e);
void explain_end(explaining *e);
void explain_files(explaining *e);
void explain_size_of_cluster(explaining *e);
void explain_not_measured(explaining *e);
void explain_what_is_missing(explaining *e);

/* Everything that has a cause of its own, removed: what remains is the shape of the work. */
replay_change without_causes(const explaining *e);

#endif
