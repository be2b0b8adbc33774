/* Replay: the recorded attempts once more, on the recorded cores, by a list scheduler, with something changed. */
#ifndef ANALYSIS_REPLAY_H
#define ANALYSIS_REPLAY_H

#include "analysis/contention.h"

/* What is different from what happened. All zero: nothing is. */
typedef struct replay_change {
    bool no_wait;     /* inside process(), nothing waits for I/O */
    bool no_crowding; /* inside process(), I/O takes what it takes one who reads alone */
    double unread;    /* share of the bytes that chunks read, which they do not read any more */
    bool no_locks;    /* inside process(), nothing waits for a lock, */
    bool free_cores;  /* or for a core */
    bool quick_open;  /* opening files takes no time */
    bool no_open;     /* nor does building events */
    bool no_failures; /* attempts that failed are left out */
    bool no_gaps;     /* cores get their next chunk at once */
    bool no_empty;    /* workers always have a task to do */
    bool no_spilling; /* nor do they wait while their worker spills, */
    bool no_pausing;  /* or is paused for its memory */
    bool no_losses;   /* workers that died live on, and nobody comes for them */
    bool all_present; /* workers that came late, and not for another, are there from the start */
    bool no_start;    /* cores begin as soon as they are there */
    bool no_merging;  /* the run ends with its last chunk, and between chunks there is nothing else to do */
    bool no_outliers; /* single stragglers take what their events explain */
    bool not_slow[STRAGGLER_KINDS]; /* slow groups of these kinds are like the others */
    double chunk_size;              /* chunks so many times as large, within a file; 0 and 1: as they were */
    double workers;                 /* so many times the workers; 0 and 1: as they were */
    double longest;                 /* seconds; longer chunks are cut into pieces of this length; 0: none is */
    double cheaper;                 /* core-seconds of CPU that the chunks in cheaper_files share by their CPU time */
    const bool *cheaper_files;
    double cheaper_cpu; /* CPU seconds of all of these */
} replay_change;

/* Where a chunk runs: on the core that is free first, as if nothing were bound to a worker; or on the worker on which
 * it did run, as if nothing could be moved. The first is right for engines that hand out chunks as cores become free;
 * it does not know of chunks that waited behind a slow one. The second gives back what happened, whatever the engine;
 * what a change saves there is saved even if no chunk is moved. */
typedef enum replay_mode { REPLAY_ANYWHERE, REPLAY_IN_PLACE } replay_mode;

typedef struct replay_result {
    double wall_seconds; /* NAN if it cannot be said: no core is left to finish */
    double tail_seconds; /* of it, that perfectly divisible work would not have needed at the end */
    double cores;        /* that were there when the last chunk was started */
} replay_result;

typedef struct replay {
    const trace *trace;
    const stragglers *stragglers;
    const contention *contention;
    const roast_run *run;
    int64_t t_start_ns, t_end_ns, last_end_ns;
    double *start_delay;     /* by worker: seconds from arrival to the first chunk */
    uint32_t *stands_for;    /* by worker: whom it came for, as presence_stand_ins says */
    double *last_start;      /* by worker: seconds from the start of the run to its last chunk's start, */
    double *last_end;        /* and to the end of the last that has ended, */
    bool *death_recorded;    /* and whether it is recorded what it was at when it died */
    double least_dispatch;   /* seconds that starting all chunks takes, as fast as they were started at best */
    double dispatch_seconds; /* least time between two starts, if the scheduler could not do more; 0 if it could */
    arena memory;
} replay;

roast_code replay_init(replay *r, const trace *t, const stragglers *s, const contention *c, const roast_run *run,
                       int64_t t_start_ns, int64_t t_end_ns, roast_error *err);
roast_code replay_run(const replay *r, replay_mode mode, const replay_change *change, replay_result *out,
                      roast_error *err);
/* Whether a change leaves every chunk what and where it is, so that it can be played in place. */
bool replay_keeps_places(const replay_change *change);
void replay_release(replay *r);

#endif
