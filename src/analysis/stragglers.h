/* Stragglers by rate: attempts that took longer than their events and bytes explain, and what they have in common. */
#ifndef ANALYSIS_STRAGGLERS_H
#define ANALYSIS_STRAGGLERS_H

#include "analysis/trace.h"
#include "base/intern.h"

static const double LEAST_SLOWDOWN = 1.3; /* below it hosts and files differ anyway */

/* What slow attempts may share. */
typedef enum straggler_kind {
    STRAGGLER_HOST,
    STRAGGLER_WORKER,
    STRAGGLER_SITE, /* the storage a file is on: scheme and host of its address */
    STRAGGLER_FILE,
    STRAGGLER_WARM_UP, /* what a worker begins before it has done a chunk */
    STRAGGLER_PERIOD,  /* a part of the run */
    STRAGGLER_KINDS
} straggler_kind;

enum { STRAGGLER_PERIODS = 24 };

/* What of an attempt is compared: a slow machine computes longer, slow storage is waited for longer. Each is compared
 * with itself, so that one that is small beside the other is seen as well. */
typedef enum straggler_part {
    STRAGGLER_COMPUTE, /* building events and process() without waiting; all of it if CPU times are not known */
    STRAGGLER_IO,      /* opening the file, waiting in process() */
    STRAGGLER_PARTS
} straggler_part;

/* Groups of one kind, of which some are slow. */
typedef struct straggler_groups {
    uint32_t count;
    float *typical[STRAGGLER_PARTS];   /* by group: of the logarithm of took / expected; NAN: nothing to compare */
    float *slowdown[STRAGGLER_PARTS];  /* by group: how many times slower than expected; 1 if it is not slow */
    double reference[STRAGGLER_PARTS]; /* that typical is compared with: 0 is what is usual over all */
    uint32_t *attempts;                /* by group: that succeeded */
    bool *slow;                        /* by group: in some part */
    double excess;                     /* core-seconds above what was expected, over the slow groups */
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
    int64_t *first_end_ns; /* by worker: when it had done a chunk; ROAST_ABSENT: never */
    int64_t t_start_ns, t_end_ns, last_start_ns;
    int64_t bounds_ns[STRAGGLER_PERIODS]; /* between periods */
    uint32_t n_bounds;
    bool cores_short; /* most attempts ran where others took their cores: that is not what is compared */
    float *expected[STRAGGLER_PARTS]; /* by attempt: seconds, as its events and bytes explain; NAN if not known */
    double wait_per_byte;             /* seconds, usual over all */
    float *fixed;                     /* by dataset: seconds of a chunk that surely do not depend on its events */
    double spread[STRAGGLER_PARTS];   /* robust standard deviation of the logarithm of took / expected */
    straggler_groups kinds[STRAGGLER_KINDS];
    straggler_kind found[STRAGGLER_KINDS]; /* guilty kinds in the order in which they were found */
    size_t n_found;
    double outlier_excess; /* core-seconds of single attempts far above what is expected, not explained otherwise */
    size_t outliers;
    double outlier_limit[STRAGGLER_PARTS]; /* times the expected */
} stragglers;

/* ROAST_MEMORY, or ROAST_OK. */
roast_code stragglers_find(stragglers *s, const trace *t, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                           roast_error *err);
void stragglers_release(stragglers *s);

/* The group of an attempt; TRACE_NONE if it has none. */
uint32_t straggler_group(const stragglers *s, straggler_kind kind, const trace_attempt *attempt);
roast_str straggler_name(const stragglers *s, straggler_kind kind, uint32_t group); /* absent for a period */
/* How many times longer a part of an attempt took because of its group; 1 if that is not slow. */
double straggler_slowdown(const stragglers *s, straggler_kind kind, straggler_part part, const trace_attempt *attempt);
/* Whether the group of an attempt is slow. */
bool straggler_in_slow(const stragglers *s, straggler_kind kind, const trace_attempt *attempt);
/* Seconds that an attempt would not have taken in a group that is not slow. */
double straggler_excess(const stragglers *s, straggler_kind kind, const trace_attempt *attempt);
/* Seconds of a part of an attempt that are far above what is expected and that no group explains; 0 for most. */
double straggler_outlier(const stragglers *s, straggler_part part, size_t attempt);
/* The kind and the group in which there are more outliers than chance makes; false if they share nothing. */
bool stragglers_share(const stragglers *s, straggler_kind *kind, uint32_t *group, bool *memory_out);
/* How many times as long as its events and bytes explain an attempt took; NAN if that cannot be said. */
double straggler_times_expected(const stragglers *s, size_t attempt);
/* Seconds that are compared: from opening the file to the end of process(), and a part of them. */
double straggler_seconds(const trace_attempt *attempt);
double straggler_part_seconds(const trace_attempt *attempt, straggler_part part);

#endif
