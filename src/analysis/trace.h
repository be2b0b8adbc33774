/* The attempts of a run in memory, in the order in which they began: what explaining and replaying need, and no more:
 * there may be millions. They are at chunks, or at tasks where these are the work: then a kind of task is what a
 * dataset is of chunks, within which attempts are compared, and all tasks of a kind are of one size. */
#ifndef ANALYSIS_TRACE_H
#define ANALYSIS_TRACE_H

#include "analysis/ledger.h"
#include "analysis/statistics.h"
#include "analysis/tasks.h"

#define TRACE_NONE UINT32_MAX

typedef struct trace_attempt {
    int64_t start_ns, end_ns;                                 /* on the client's clock: opening the file; handed back */
    float open, events_s, cpu, wait, core, unsplit, return_s; /* seconds, as in the ledger; of failed attempts too */
    float events, bytes;                                      /* NAN if not known */
    /* Seconds that its core had not been at a chunk before, while it waited: at other tasks, idle while the worker was
     * paused for its memory or had spilled to disk, and idle for no reason that is known. */
    float gap_other, gap_pause, gap_spill, gap;
    float gap_empty; /* and, of tasks, idle while there was nothing that its worker could have been given */
    uint32_t worker, dataset, file; /* RUN_UNKNOWN if not known */
    int64_t entry;                  /* where it begins in its file */
    uint32_t number;                /* of its record, from 0 */
    uint64_t chunk;                 /* which of them: chunk_key */
    uint32_t after;                 /* the failed attempt that it repeats; TRACE_NONE */
    bool failed, recomputed, retry, cpu_known;
    bool told_killed; /* its record says that it ended with its worker */
    bool killed;      /* it did: attempt_died */
} trace_attempt;

/* What keeps a worker from starting what it has been given, or that it has been given nothing. */
typedef enum trace_hold { TRACE_PAUSED, TRACE_SPILLED, TRACE_EMPTY, TRACE_HOLDS } trace_hold;

/* Resident memory of a worker after each of its chunks, in MiB, against their number; and what it spilled. */
typedef struct trace_memory {
    line_fit growth;
    double first, last, highest;
    int64_t sampled_ns, spilled; /* of its last heartbeat; 0 before the first */
    size_t span[TRACE_HOLDS];    /* of the spans of t that goes on, from 1; 0: none */
} trace_memory;

/* A time on a worker. */
typedef struct trace_span {
    int64_t start_ns, end_ns;
    uint32_t worker;
} trace_span;

typedef struct trace_spans {
    trace_span *items;
    size_t count, capacity;
} trace_spans;

typedef struct trace {
    trace_attempt *attempts;
    size_t count, capacity;
    bool of_tasks;         /* they are at tasks; */
    const intern *kinds;   /* whose dataset is one of these */
    size_t n_datasets;     /* or the kinds of tasks */
    int64_t last_start_ns; /* when the last was first started: later, cores have nothing to wait for */
    bool too_many;         /* than are explained in passing */
    trace_memory *workers; /* one more than there are */
    size_t n_workers;
    trace_spans holds[TRACE_HOLDS]; /* in the order of their starts on each worker */
    double spilled_bytes;           /* that were seen to be spilled, one after the other */
    size_t others_before;           /* tasks that were no chunks and ended before the first chunk began */
    /* Seconds from the end of the last chunk to that of the last task: in which some task ran, in which none did. */
    double after_busy, after_idle;
} trace;

/* Gives a trace, which may be all zero, the workers that the run has by now. False if memory is out; so is
 * trace_add. number: of the record. */
bool trace_fit(trace *t, const roast_run *run);
bool trace_add(trace *t, const run_chunk *row, const ledger_attempt *attempt, size_t number);
bool trace_add_sample(trace *t, uint32_t worker, const roast_sample *sample, int64_t memory_limit);
void trace_release(trace *t);
/* Orders the attempts and finds out what follows what; may be done again after more have come. The ledger says when the
 * last chunk was first started, and which of the tasks are chunks. Tasks that are the work become its attempts. */
bool trace_finish(trace *t, const roast_run *run, const ledger *l, task_sums *tasks);

/* Finds out which tasks ran the chunks of the trace; false if memory is out. */
bool trace_find_chunk_tasks(const trace *t, const roast_run *run, const ledger *l, task_sums *tasks);

/* Whether an attempt came to nothing because its worker did. Who was lost is known only when all has been read. */
bool attempt_died(const trace_attempt *attempt, const roast_run *run);

/* Seconds of an attempt from opening the file to returning results. */
double trace_seconds(const trace_attempt *attempt);

#endif
