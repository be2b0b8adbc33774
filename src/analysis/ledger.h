/* The ledger: the core time that there was, split without overlap. Fed with the chunks as they are visited, it keeps
 * sums per worker and dataset, the state of each core, and of each chunk whether it was done. */
#ifndef ANALYSIS_LEDGER_H
#define ANALYSIS_LEDGER_H

#include "analysis/slots.h"
#include "analysis/summary.h"
#include "base/intern.h"
#include "base/u64map.h"
#include "model/core_time.h"

typedef struct ledger_sums {
    double seconds[LEDGER_COUNT];
} ledger_sums;

/* An attempt at a chunk on the client's clock, from opening the file to returning results, and its time by category. */
typedef struct ledger_attempt {
    int64_t start_ns, end_ns;
    bool failed, recomputed; /* recomputed: it had succeeded before */
    /* By category. Nothing of a failed attempt: whether it went with its worker is known when a summary is made. */
    double seconds[LEDGER_OF_CHUNKS];
    double process[LEDGER_OPEN]; /* its time in process(), whatever became of it */
} ledger_attempt;

typedef struct ledger {
    arena memory;
    slot_table slots;
    ledger_sums *workers, *datasets; /* one more than there are, the last for records that name none */
    size_t n_datasets;
    int64_t cores;                                         /* of all workers: slots of those that are not known */
    u64map chunks;                                         /* what is known of earlier attempts, by chunk */
    int64_t attempts, first_start_ns, last_first_start_ns; /* last_first: the last start of a chunk's first attempt */
    double recorded_seconds;                               /* sum over the attempts */
} ledger;

/* A ledger that knows of no chunk and no worker; and then the workers and datasets that the run has by now, false if
 * memory is out. */
ledger ledger_new(void);
bool ledger_fit(ledger *l, const roast_run *run);
void ledger_release(ledger *l);
/* Attempts that name no worker have been laid into other slots than they would be now. */
bool ledger_changed(const ledger *l, const roast_run *run);
/* Takes an attempt apart; false if its times are missing or absurd, and then it says only whether it failed and whether
 * it had succeeded before. Remembers what became of chunks, so each is to be shown once, in the order of records.
 * memory_out is set if memory is out. */
bool ledger_read(ledger *l, const run_chunk *row, ledger_attempt *out, bool *memory_out);
/* Adds an attempt that ledger_read gave. */
void ledger_add(ledger *l, const run_chunk *row, const ledger_attempt *attempt);

/* What tells a chunk of the run from the others, whichever attempt this is. */
uint64_t chunk_key(const run_chunk *row);

/* When the last chunk was started that was not a retry: until then there was something to do. */
int64_t ledger_last_start(const ledger *l);

#endif
