/* The ledger: the core time that there was, split without overlap. Fed with the chunks as they are visited, it keeps
 * sums per worker and dataset and the state of each core, so its memory does not grow with the chunks. */
#ifndef ANALYSIS_LEDGER_H
#define ANALYSIS_LEDGER_H

#include "analysis/slots.h"
#include "analysis/summary.h"
#include "base/u64map.h"
#include "model/core_time.h"

typedef struct ledger_sums {
    double seconds[LEDGER_COUNT];
} ledger_sums;

/* An attempt at a chunk on the client's clock, from opening the file to handing back, and its time by category. */
typedef struct ledger_attempt {
    int64_t start_ns, end_ns;
    bool failed, recomputed;          /* recomputed: it had succeeded before */
    double seconds[LEDGER_OF_CHUNKS]; /* by category: all of a failed attempt is in one */
    double process[LEDGER_OPEN];      /* its time in process(), whatever became of it */
} ledger_attempt;

typedef struct ledger {
    arena memory;
    slot_table slots;
    ledger_sums *workers, *datasets; /* one more than there are, the last for records that name none */
    size_t n_datasets;
    u64map failures;                                       /* failed attempts, by chunk */
    int64_t attempts, first_start_ns, last_first_start_ns; /* last_first: the last start of a chunk's first attempt */
    double recorded_seconds;                               /* sum over the attempts */
} ledger;

bool ledger_init(ledger *l, const roast_run *run); /* false if memory is out */
void ledger_release(ledger *l);
/* Takes an attempt apart; false if its times are missing or absurd, and then it says only whether it failed and whether
 * it had succeeded before. Remembers failures, so each is to be shown once, in the order of records.
 * memory_out is set if memory is out. */
bool ledger_read(ledger *l, const run_chunk *row, ledger_attempt *out, bool *memory_out);
/* Adds an attempt that ledger_read gave. */
void ledger_add(ledger *l, const run_chunk *row, const ledger_attempt *attempt);

/* When the last chunk was started that was not a retry: until then there was something to do. */
int64_t ledger_last_start(const ledger *l);

#endif
