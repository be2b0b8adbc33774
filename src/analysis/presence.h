/* How many workers and cores there were over time: exact where arrivals and departures are known, sampled where not. */
#ifndef ANALYSIS_PRESENCE_H
#define ANALYSIS_PRESENCE_H

#include "base/arena.h"
#include "run/reader.h"

/* Points of a line, in order of time; a step is two points at one time. */
typedef struct presence_points {
    roast_worker_count *points; /* cores are 0 where not known */
    size_t count;
    bool cores_known;
    bool exact; /* from arrivals and departures */
} presence_points;

/* A worker's presence within the window; false if it was not there at all. */
bool worker_presence(const roast_worker *worker, int64_t t_start_ns, int64_t t_end_ns, int64_t *from, int64_t *to);
/* Who came instead of whom, by worker: one that comes after another has left, and brings no more cores than there were
 * before, stands for it; PRESENCE_NEW stands for none, and what is missing before it comes is missing at the start. */
#define PRESENCE_NEW UINT32_MAX
roast_code presence_stand_ins(uint32_t *stands_for, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                              arena *memory, roast_error *err);
/* Over the window of the run, which may be absent: then only sampled counts give points. */
roast_code presence_read(presence_points *out, const roast_run *run, int64_t t_start_ns, int64_t t_end_ns,
                         arena *memory, roast_error *err);

#endif
