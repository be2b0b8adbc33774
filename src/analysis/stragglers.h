/* Stragglers by rate: attempts that took longer than their events explain, and what they have in common. */
#ifndef ANALYSIS_STRAGGLERS_H
#define ANALYSIS_STRAGGLERS_H

#include "analysis/trace.h"
#include "base/intern.h"

/* What slow attempts may share. */
typedef enum straggler_kind {
    STRAGGLER_HOST,
    STRAGGLER_WORKER,
    STRAGGLER_SITE, /* the storage a file is on: scheme and host of its address */
    STRAGGLER_FILE,
    STRAGGLER_PERIOD, /* a part of the run */
    STRAGGLER_KINDS
} straggler_kind;

enum { STRAGGLER_PERIODS = 24 };

/* Groups of one kind, of which some are slow. */
typedef struct straggler_groups {
    uint32_t count;
    float *median;      /* by group: of the logarithm of took / expected; NAN if it has nothing to compare */
    float *slowdown;    /* by group: how many times slower than expected; 1 if it is not slow */
    uint32_t *attempts; /* by group: that succeeded */
    bool *slow;         /* by group */
    double excess;      /* core-seconds above what was expected, over the slow groups */
    uint32_t n_slow;
    bool guilty; /* this kind explains them */
} straggler_groups;

typedef struct stragglers {
    arena memory;
    const trace *trace;
    const roast_run *run;
    uint32_t *host_of; /* by worker */
    uint32_t *site_of; /* by file */
    intern hosts, sites;
    int64_t t_start_ns, t_end_ns;
    float *expected; /* by attempt: seconds without handing back, as its events explain; NAN if nothing is known */
    float *fixed;    /* by dataset: seconds of a chunk that surely do not depend on its events, opening included */
    double spread;   /* robust standard deviation of the logarithm of took / expected */
    straggler_groups kinds[STRAGGLER_KINDS];
    double outlier_excess; /* core-seconds of single attempts far above what is expected, not explained otherwise */
    size_t outliers;
    double outlier_limit; /* times the expected */
} stragglers;

/* ROAST_MEMORY, or ROAST_OK. */
roast_code stragglers_find(stragglers *s, const trace *t, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                           roast_error *err);
void stragglers_release(stragglers *s);

/* The group of an attempt; TRACE_NONE if it has none. */
uint32_t straggler_group(const stragglers *s, straggler_kind kind, const trace_attempt *attempt);
roast_str straggler_name(const stragglers *s, straggler_kind kind, uint32_t group); /* absent for a period */
/* How many times longer an attempt took because of its group; 1 if that is not slow. */
double straggler_slowdown(const stragglers *s, straggler_kind kind, const trace_attempt *attempt);
/* Whether an attempt is far above what is expected and no group explains it. */
bool straggler_outlier(const stragglers *s, size_t attempt);
/* Seconds that are compared: from opening the file to the end of process(). */
double straggler_seconds(const trace_attempt *attempt);

#endif
