/* What charts are drawn from: the rows of a run, visited once. A chunk is kept as a mark of a few numbers; heartbeats
 * are reduced while they are read, to the least and the greatest value per worker and column of pixels. */
#ifndef ANALYSIS_SERIES_H
#define ANALYSIS_SERIES_H

#include "analysis/presence.h"
#include "analysis/summary.h"
#include "base/arena.h"
#include "model/core_time.h"
#include "run/reader.h"

/* One attempt at a chunk, on the run's clock: that of its worker, corrected by its offset. */
typedef struct chunk_mark {
    int64_t id;
    int64_t start_ns, end_ns;              /* of process(); ROAST_ABSENT: not known */
    int64_t process_ns;                    /* how long it took, which may be known when its times are not */
    int64_t open_ns, events_ns, return_ns; /* around it; 0 if not known */
    int64_t thread;
    int64_t bytes, events, rss_peak;
    int64_t branches, compressed, uncompressed; /* that it read, with SERIES_ACCESS; see access.h */
    int64_t entry_start;
    uint32_t dataset, file, worker, branch_set;
    uint32_t lane; /* see lanes.h */
    bool failed;
    bool recomputed; /* it had succeeded before: not a chunk of the job, which has it once */
    bool on_axis;    /* its times are known and near the run: it can be drawn on the run's time axis */
} chunk_mark;

/* Where the time of a dataset's chunks went, failed attempts included. */
typedef struct phase_sums {
    double seconds[ROAST_PHASE_COUNT];
} phase_sums;

typedef enum sample_field {
    SAMPLE_MEMORY,    /* percent of the limit */
    SAMPLE_CPU,       /* percent of all its cores */
    SAMPLE_OCCUPANCY, /* as the scheduler gives it */
    SAMPLE_EXECUTING,
    SAMPLE_PROCESSING,
    SAMPLE_FIELDS
} sample_field;

/* Heartbeats of one worker within one column of pixels. Offsets are from the start of the column, in its widths. */
typedef struct sample_cell {
    float least, greatest, sum;
    float least_at, greatest_at;
    uint32_t count; /* 0: none */
} sample_cell;

/* All workers within one column: a worker counts from its first heartbeat until two after its last would have come,
 * with its latest value where it has none in the column, because heartbeats of different workers do not come at one
 * time. */
typedef struct sample_overview {
    double at; /* seconds from the start of the window: the mean of its heartbeats */
    double mean, least, greatest, total;
    uint32_t fresh; /* heartbeats in the column; 0: nothing to draw */
} sample_overview;

enum { SERIES_SAMPLES = 1, SERIES_ACCESS = 2 }; /* chunks and workers are always read */

typedef struct run_series {
    arena memory;
    int64_t from_ns, to_ns; /* what the time axis spans; ROAST_ABSENT if nothing has a time */
    chunk_mark *chunks;
    size_t n_chunks, capacity;
    phase_sums *phases;       /* by dataset; the last for records that name none */
    size_t n_off_axis;        /* chunks whose times are far from the run */
    presence_points presence; /* of workers */
    size_t n_workers, columns;
    sample_cell *cells[SAMPLE_FIELDS]; /* row by row, a worker each; NULL if no heartbeat carries it */
    int64_t samples[SAMPLE_FIELDS];    /* heartbeats that carry it */
} run_series;

/* needs: SERIES_…; pixels: columns at most. After a failure the series is empty. */
roast_code series_read(run_series *out, roast_run *run, const roast_summary *summary, unsigned needs, size_t pixels,
                       roast_error *err);
void series_release(run_series *series);

double series_seconds(const run_series *series, int64_t t_ns); /* from the start of the window */
const sample_cell *series_cells(const run_series *series, sample_field field, size_t worker);
/* When a heartbeat at this offset of a column was, in seconds from the start of the window. */
double series_cell_time(const run_series *series, size_t column, float offset);
/* An overview per column, in memory of the arena; NULL if there is none left. */
sample_overview *series_overview(const run_series *series, sample_field field, arena *memory);

#endif
