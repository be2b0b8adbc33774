/* What the engine's tasks tell. Under coffea's Runner a task is a chunk, or something around chunks: its own records
 * say more of a chunk than its task does. Where no Runner ran and no chunk was recorded, tasks are the work itself, and
 * are compared within their kind: the prefix of their names. */
#ifndef ANALYSIS_TASKS_H
#define ANALYSIS_TASKS_H

#include "base/intern.h"
#include "run/reader.h"

/* A task that may be something else than a chunk, or stand for one: which, is decided when a summary is made. */
typedef struct kept_task {
    int64_t start_ns, stop_ns;
    uint64_t key;          /* which of them, whichever attempt this is; 0 if it is not told */
    uint32_t worker, kind; /* kind: of task_sums */
    bool of_processor, of_retries, done, killed, retry;
    /* Known when a summary is made: it had succeeded before, on a worker that was lost; its kind runs what is recorded
     * as chunks, though no Runner made them. */
    bool recomputed, holds_chunk;
} kept_task;

/* What a worker's tasks say of chunks. Sums of nanoseconds and extremes, so that the order in which they come does not
 * matter. */
typedef struct chunk_tasks {
    int64_t ns;                            /* of those that are chunks for certain */
    int64_t done, retries_done;            /* under the processor's name; as retries, and chunks for certain */
    int64_t first_start_ns, last_start_ns; /* under the processor's name; last: of first attempts */
} chunk_tasks;

/* All tasks of a kind. Of attempts that failed the engine does not say when they began. */
typedef struct task_tally {
    int64_t done, failed, killed;
    int64_t timed, ns, longest_ns; /* of those done, that say when; bytes: of results */
    int64_t nbytes;                /* ROAST_ABSENT until one tells */
} task_tally;

/* The tasks of the engine. Those that are chunks for certain are only summed. */
typedef struct task_sums {
    intern addresses;    /* of workers; number is the worker's */
    chunk_tasks *chunks; /* by worker, and one more */
    int64_t chunk_tasks;
    kept_task *kept;
    size_t count, capacity;
    intern kinds; /* prefixes; number is that of the tally */
    task_tally *tallies;
    size_t tallies_capacity;
    bool of_runner;      /* some are of coffea's Runner */
    roast_str processor; /* as the run named it when they came */
} task_sums;

/* What the engine's seconds are of, for the tasks of a kind. */
typedef enum activity_kind {
    ACTIVITY_CPU,
    ACTIVITY_WAITING,  /* the task, off the CPU */
    ACTIVITY_OVERHEAD, /* handing it to a thread, and taking its result */
    ACTIVITY_SPILLING, /* to disk and back, with packing */
    ACTIVITY_PACKING,  /* serialising and back */
    ACTIVITY_FAILED,   /* all of an attempt that failed */
    ACTIVITY_IDLE,     /* nothing, of which Dask makes an activity without a task */
    ACTIVITY_UNKNOWN   /* or not in seconds */
} activity_kind;

activity_kind activity_kind_of(const roast_activity *activity);

struct roast_analysis;
struct ledger;
roast_code feed_task(void *analysis, const roast_task *task);
bool fit_tasks(struct roast_analysis *a); /* false if memory is out */
void task_sums_release(task_sums *tasks);

/* Whether a task is a chunk, as far as the chunks that were recorded tell. */
bool is_chunk_task(const struct ledger *l, const kept_task *task);
/* Whether the worker of a task is its row. One that came back under an old address has a row of its own. */
bool tasks_name_workers(const task_sums *tasks, size_t n_workers);
/* Whether no Runner ran, so that tasks are the work, but for what chunks tell more of. */
bool tasks_without_runner(const task_sums *tasks, const struct ledger *l, const roast_run *run);
/* Whether tasks are the work of the run, and there are no chunks. */
bool tasks_are_work(const task_sums *tasks, const struct ledger *l, const roast_run *run);
/* A time on a worker in which a chunk was done. */
typedef struct chunk_span {
    int64_t start_ns, end_ns;
    uint32_t worker;
} chunk_span;

/* Finds out which kinds run chunks; false if memory is out. */
bool tasks_find_chunks(task_sums *tasks, const chunk_span *spans, size_t count);
/* Finds out which were recomputed; false if memory is out. */
bool tasks_find_recomputed(task_sums *tasks, const roast_run *run);
/* When the last task was started that was not a retry, of a kind that has one for each of so many cores (of any, if
 * none has): fewer cannot keep them busy, whoever hands them out. ROAST_ABSENT if there is none. */
int64_t tasks_last_start(const task_sums *tasks, int64_t cores);
/* By kind, the share of their time that tasks were on the CPU, as the engine's activities tell; NAN if they do not.
 * NULL if memory is out. */
double *task_cpu_shares(const task_sums *tasks, const roast_run *run, arena *memory);

#endif
