/* What waiting in process() goes with. Storage is waited for by the byte: alone, or the longer the more others read
 * from the same site. A lock is waited for by the work that is done under it, the longer the more threads of the same
 * process want it. Both leave nothing but waiting in the records; what it grows with tells them apart. */
#ifndef ANALYSIS_CONTENTION_H
#define ANALYSIS_CONTENTION_H

#include "analysis/stragglers.h"

typedef struct contention {
    arena memory;
    const trace *trace;
    const stragglers *stragglers;
    bool *ordinary;         /* by attempt: it succeeded, tells its CPU time, and nothing made it slow */
    float *threads;         /* by attempt: others in process() on its worker, on average; NULL: never any */
    float *readers;         /* by attempt: others waiting on files of its site, on average; NULL: there are no bytes */
    double lock_per_work;   /* seconds waited for each second of work and other thread; 0 if waiting does not grow so */
    double crowd_per_byte;  /* seconds waited for each byte and other reader; 0 likewise */
    double locked, crowded; /* core-seconds of all attempts */
} contention;

/* ROAST_MEMORY, or ROAST_OK. */
roast_code contention_find(contention *c, const trace *t, const stragglers *s, roast_error *err);
void contention_release(contention *c);

/* Whether threads wait for a core because there are more of our own than cores: then they wait in proportion to their
 * number, and not at all when there are few. cores: those that a machine seems to have. ROAST_MEMORY, or ROAST_OK. */
roast_code contention_cores(const contention *c, bool *own, double *cores, roast_error *err);

/* Seconds that an attempt waited for a lock, and for others that read from the same site; never more than it waited. */
double contention_locked(const contention *c, size_t attempt);
double contention_crowded(const contention *c, size_t attempt);

#endif
