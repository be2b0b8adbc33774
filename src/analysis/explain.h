/* What held a run back: ranked findings, each with what it cost, what fixing it would save, and its evidence.
 * Numbers and names only; src/view/findings.c has the words. */
#ifndef ANALYSIS_EXPLAIN_H
#define ANALYSIS_EXPLAIN_H

#include "analysis/advice.h"
#include "analysis/replay.h"
#include "analysis/summary.h"
#include "model/core_time.h"

#define FINDING_KINDS(X)                                                                                               \
    X(IO_BOUND, io_bound)                                                                                              \
    X(LOCKS, locks)                                                                                                    \
    X(CPU_BOUND, cpu_bound)                                                                                            \
    X(NO_CORE_FREE, no_core_free)                                                                                      \
    X(OVERSUBSCRIBED, oversubscribed)                                                                                  \
    X(OPENING, opening)                                                                                                \
    X(SLOW_HOST, slow_host)                                                                                            \
    X(SLOW_WORKER, slow_worker)                                                                                        \
    X(SLOW_STORAGE, slow_storage)                                                                                      \
    X(SLOW_FILE, slow_file)                                                                                            \
    X(WARM_UP, warm_up)                                                                                                \
    X(SLOW_PERIOD, slow_period)                                                                                        \
    X(STRAGGLERS, stragglers)                                                                                          \
    X(TAIL, tail)                                                                                                      \
    X(TOO_FEW_CHUNKS, too_few_chunks)                                                                                  \
    X(RAMP_UP, ramp_up)                                                                                                \
    X(START_UP, start_up)                                                                                              \
    X(PREPROCESSING, preprocessing)                                                                                    \
    X(MERGING, merging)                                                                                                \
    X(SCHEDULER, scheduler)                                                                                            \
    X(MEMORY_GROWTH, memory_growth)                                                                                    \
    X(MEMORY_LIMIT, memory_limit)                                                                                      \
    X(SPILLING, spilling)                                                                                              \
    X(WORKERS_LOST, workers_lost)                                                                                      \
    X(FAILURES, failures)                                                                                              \
    X(OVER_READ, over_read)                                                                                            \
    X(LZMA, lzma)                                                                                                      \
    X(TOO_MANY_WORKERS, too_many_workers)                                                                              \
    X(SMALL_TASKS, small_tasks)                                                                                        \
    X(NO_TASKS, no_tasks)                                                                                              \
    X(TASKS_WAIT, tasks_wait)                                                                                          \
    X(RESIDUAL, residual)                                                                                              \
    X(INCOMPLETE, incomplete)                                                                                          \
    X(NOT_MEASURED, not_measured)                                                                                      \
    X(MISSING, missing)

typedef enum finding_kind {
#define FINDING_ENUM(name, id) FINDING_##name,
    FINDING_KINDS(FINDING_ENUM)
#undef FINDING_ENUM
        FINDING_KIND_COUNT
} finding_kind;

/* In order of certainty. A note is worth knowing and not worth acting on for speed alone. */
typedef enum finding_confidence { FINDING_SURE, FINDING_LIKELY, FINDING_NOTE } finding_confidence;

/* Whether what failed may succeed if it is tried again; for findings about failures. */
typedef enum failure_nature {
    NATURE_UNCLEAR,
    NATURE_TRANSIENT,
    NATURE_PERMANENT,
    NATURE_BOTH,
    NATURE_NO_RESULT
} failure_nature;

/* "slow host node7: 3.1 ×": what, optionally whose, and a number with its unit (as in the catalogue, or "times"); the
 * unit of what an exception says is "error". */
typedef struct finding_evidence {
    const char *what;
    roast_str name;
    double value; /* NAN for none */
    const char *unit;
    bool of_tasks; /* what it says of chunks is so of tasks: these are the work */
} finding_evidence;

enum { FINDING_EVIDENCE = 6 };

typedef struct finding {
    finding_kind kind;
    finding_confidence confidence;
    double core_seconds;   /* what it cost; NAN if that cannot be said in time */
    double share_percent;  /* of the core time that there was */
    double saving_seconds; /* of wall time, about, if it were fixed; 0 if it costs no time, NAN if nobody can say */
    double saving_low, saving_high;     /* between which it is, as far as the replay can be trusted */
    double rank;                        /* seconds of wall time by which findings are ordered */
    double factor;                      /* how much larger the chunks should be, or similar; NAN for none */
    bool of_any_run;                    /* a limit that every run has, not a fault that could be removed */
    bool nearly_worth;                  /* it saves about as much as is worth acting on */
    double from_seconds, until_seconds; /* after the start: the part of the run that it is about; until is 0 for all */
    failure_nature nature;
    finding_evidence evidence[FINDING_EVIDENCE];
    size_t n_evidence;
    advice advice;
} finding;

/* What the records do not tell. */
typedef enum finding_gap {
    GAP_CPU,     /* whether process() computed or waited */
    GAP_OPEN,    /* opening files */
    GAP_WORKERS, /* who was there when */
    GAP_CHUNKS,  /* anything about chunks */
    GAP_MEMORY,  /* memory of the workers */
    GAP_REPLAY,  /* the replay does not give back what happened */
    GAP_SIZE,    /* the run goes on and is too large to be explained in passing */
    GAP_PARTLY,  /* workers were not measured: when they were idle, so nothing can be replayed */
    GAP_SHORT    /* what a longer run would show */
} finding_gap;

enum { FINDING_GAPS = 10 };

typedef struct what_if {
    const char *id;      /* "no_wait" */
    double wall_seconds; /* NAN if it cannot be said */
    bool at_best;        /* it rests on storage and scheduler doing more than they were seen to do */
} what_if;

enum { WHAT_IFS = 12 };

typedef struct roast_explanation {
    arena memory;
    double wall_seconds;
    bool of_tasks;                        /* tasks are the work: there are no chunks */
    finding findings[FINDING_KIND_COUNT]; /* in the order of what to look at first */
    size_t count;
    finding_gap gaps[FINDING_GAPS];
    size_t n_gaps;
    roast_str no_chunks;         /* why there are none, as the run states it */
    double replay_seconds;       /* what the replay of what happened says, on any core; NAN if there is none */
    double replay_error_percent; /* its distance from what did happen */
    bool replay_answers;         /* the error is small enough */
    bool in_place_answers;       /* the same of the replay in place, which knows what is saved if nothing is moved */
    float *times_expected;       /* by record of a chunk: straggler_times_expected; NULL if nothing was compared */
    size_t n_records;
    what_if what_ifs[WHAT_IFS];
    size_t n_what_ifs; /* 0 unless asked for */
} explanation;

/* Explains a run that has been summarised. t has its attempts (finished), or too few of them: then only the gap is
 * said. what_ifs: also answer what would be with other chunks, workers and so on. */
roast_code explain_trace(explanation *out, roast_run *run, const roast_summary *summary, const trace *t, bool what_ifs,
                         roast_error *err);
/* The same, reading the attempts of the run: for runs of any size. */
roast_code explain_run(explanation *out, roast_run *run, const roast_summary *summary, bool what_ifs, roast_error *err);
void explanation_release(explanation *e);
const char *finding_id(finding_kind kind);
/* Whether core time of this category is what a finding of this kind is about. */
bool finding_is_about(finding_kind kind, ledger_category category);
/* Whether it is too little to be shown at once: by what it saves, whatever it is. */
bool finding_is_small(const explanation *e, const finding *f);
const char *finding_confidence_name(finding_confidence confidence);

#endif
