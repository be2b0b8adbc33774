/* The attempts of a run in memory, in the order in which they began: what explaining and replaying need, in under a
 * hundred bytes each. */
#ifndef ANALYSIS_TRACE_H
#define ANALYSIS_TRACE_H

#include "analysis/ledger.h"
#include "analysis/statistics.h"

#define TRACE_NONE UINT32_MAX

typedef struct trace_attempt {
    int64_t start_ns, end_ns;                                 /* on the client's clock: opening the file; handed back */
    float open, events_s, cpu, wait, core, unsplit, return_s; /* seconds, as in the ledger; of failed attempts too */
    float events, bytes;                                      /* NAN if not known */
    float gap;                                         /* seconds that its core had been idle before, while it waited */
    uint32_t worker, dataset, file;                    /* RUN_UNKNOWN if not known */
    uint32_t number;                                   /* in the order of records */
    uint64_t chunk;                                    /* which of them: chunk_key */
    uint32_t after;                                    /* the failed attempt that it repeats; TRACE_NONE */
    bool failed, recomputed, retry, cpu_known, killed; /* killed: with its worker */
} trace_attempt;

/* Resident memory of a worker after each of its chunks, in MiB, against their number. */
typedef struct trace_memory {
    line_fit growth;
    double first, last, highest;
} trace_memory;

typedef struct trace {
    trace_attempt *attempts;
    size_t count, capacity;
    size_t most; /* attempts that may be kept; 0: any number */
    size_t dropped;
    trace_memory *workers; /* one more than there are */
    size_t n_workers;
} trace;

/* Gives a trace, which may be all zero but for most, the workers that the run has by now. False if memory is out; so is
 * trace_add. */
bool trace_fit(trace *t, const roast_run *run);
bool trace_add(trace *t, const run_chunk *row, const ledger_attempt *attempt);
void trace_release(trace *t);
/* Orders the attempts and finds out what follows what; may be done again after more have come. last_ns: when the last
 * chunk was first started. */
bool trace_finish(trace *t, const roast_run *run, int64_t last_ns);

/* Seconds of an attempt from opening the file to handing back. */
double trace_seconds(const trace_attempt *attempt);

#endif
