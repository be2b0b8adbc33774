/* Chunks in lanes: one for each thread of each worker, so that what ran side by side lies side by side. Where records
 * do not name their threads, chunks that overlap are given as many lanes as it takes. */
#ifndef ANALYSIS_LANES_H
#define ANALYSIS_LANES_H

#include "analysis/series.h"

typedef struct chunk_lane {
    uint32_t worker;  /* RUN_UNKNOWN if the records do not say */
    uint32_t ordinal; /* of this worker's lanes, from 1 */
} chunk_lane;

typedef struct lane_list {
    chunk_lane *lanes; /* those of a worker side by side, workers in the order of the run */
    size_t count;
    uint32_t *order; /* chunks that have a place on the time axis, by when they began; their lane is in the mark */
    size_t n_chunks;
} lane_list;

/* When an attempt began and ended: from opening the file to returning results. */
int64_t mark_begun(const chunk_mark *mark);
int64_t mark_done(const chunk_mark *mark);

/* Fills the list and the lanes of the series' marks. In memory of the arena. */
roast_code lanes_assign(lane_list *out, run_series *series, arena *memory, roast_error *err);

#endif
