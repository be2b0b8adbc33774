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
    contention contention;
    replay replay;
    replay_result as_it_was, in_place; /* replays without a change */
    replay_result regular;             /* replay without anything that is not as it should be */
    double unread;                     /* of the waiting of chunks, that for bytes that nobody used */
    double start_explained;            /* of the time before the first chunks, the share that the scheduler took */
    double after_explained;            /* seconds after the last chunk, likewise */
    double wall;                       /* seconds */
    double all;                        /* core-seconds that there were */
    double total, cores;               /* of the workers that may have been measured: core-seconds, and averaged */
    bool local;                        /* chunks are handed out in the process of the script, by no scheduler */
    bool partly;                       /* some workers were not measured: nothing is replayed */
    bool running;                      /* the run goes on: it has no end, and not all of it is recorded */
    double ledger[LEDGER_COUNT];
    roast_code code; /* the first thing that went wrong: rules read straight through */
    roast_error *err;
} explaining;

/* Wall seconds that something would save: about so many, and between which two. */
typedef struct saving {
    double about, low, high; /* NAN if nobody can say */
} saving;

/* What a change would save by the replay, never negative and never more than its cost. Nobody can say if no replay
 * gives back what happened; of a run that was measured in part it is cost / cores at most. */
saving saving_of(explaining *e, const replay_change *change, double cost);
saving saving_part(saving whole, double part);
saving saving_plus(saving one, saving other);     /* of changes that do not get into each other's way */
saving saving_less(saving whole, double seconds); /* without what would be spent elsewhere instead */
saving saving_exactly(double seconds);
replay_result replay_of(explaining *e, const replay_change *change);

/* Adds a finding; it is a note if it saves less than a twentieth of the wall time. NULL if there is no room. */
finding *add_finding(explaining *e, finding_kind kind, finding_confidence confidence, double cost, saving saves);
void add_evidence(finding *f, const char *what, roast_str name, double value, const char *unit);
bool worth_a_look(const explaining *e, double core_seconds); /* could be more than three percent of the wall time */
bool worth_telling(const explaining *e, double seconds);     /* one percent; so is what is not known */
/* What the measurement carries directly is sure; what needs a model is likely. */
finding_confidence confidence_of_replay(const explaining *e);
double real_of(const explaining *e, metric_id id);
double cpu_of_ledger(const explaining *e); /* core-seconds on the CPU */
double median_seconds(explaining *e);      /* of attempts that succeeded */

/* Core-seconds of attempts that were killed or done again, and of the cores that were missing afterwards. */
double cost_of_losses(const explaining *e);

static const roast_str NOBODY = {NULL, 0};
const finding *find_finding(const explaining *e, finding_kind kind); /* NULL if it was not made */

/* The rules, in the order they are asked: later ones know what earlier ones explained. */
void explain_slow_groups(explaining *e);
void explain_memory(explaining *e);
void explain_losses(explaining *e);
void explain_failures(explaining *e);
void explain_tasks(explaining *e);
void explain_scheduler(explaining *e);
void explain_start(explaining *e);
void explain_over_read(explaining *e);
void explain_process(explaining *e);
void explain_end(explaining *e);
void explain_files(explaining *e);
void explain_size_of_cluster(explaining *e);
void explain_not_measured(explaining *e);
void explain_missing_events(explaining *e);
void explain_what_is_missing(explaining *e);

/* After the rules: what to do about each finding, and what it is not. */
void advise(explaining *e);
void agree_on_chunksize(explanation *out); /* part of it */

/* Everything that has a cause of its own, removed: what remains is the shape of the work. */
replay_change without_causes(const explaining *e);

#endif
