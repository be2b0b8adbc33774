/* When a worker was idle: its time is cut where it began its first chunk and where the last chunk of all had been
 * started, and what its cores did is taken out of the part in which they did it. Whole nanoseconds, so that the order
 * in which things come does not matter. */
#ifndef ANALYSIS_IDLE_H
#define ANALYSIS_IDLE_H

#include <roast.h>

typedef enum idle_phase {
    IDLE_BEFORE_FIRST, /* it waits for its first chunk: all of its cores do, and none of them does later */
    IDLE_CHUNKS_LEFT,  /* chunks are left to be started */
    IDLE_NOTHING_LEFT, /* all have been started */
    IDLE_PHASES
} idle_phase;

/* A phase is from one of the times to the next. */
typedef struct idle_bounds {
    int64_t at[IDLE_PHASES + 1];
} idle_bounds;

/* first: when it began its first chunk; if it was never given one, when the first of all was begun. last: when the last
 * chunk of all was started. from, to: while it was there. */
idle_bounds idle_bounds_of(int64_t first, int64_t last, int64_t from, int64_t to);
double idle_phase_seconds(const idle_bounds *bounds, idle_phase phase);

/* Adds a time to the phases that it lies in. What is before or after all of them counts to the nearest that chunks are
 * in: clocks differ by a little. */
void idle_add(int64_t *ns, const idle_bounds *bounds, int64_t start_ns, int64_t end_ns);
void idle_add_chunk(int64_t *ns, const idle_bounds *bounds, int64_t start_ns, int64_t end_ns);

#endif
