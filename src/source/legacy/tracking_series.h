/* The time series of tracking_data: their names in 0.1.x, and the field of a sample, or of its worker, that each is. */
#ifndef SOURCE_LEGACY_TRACKING_SERIES_H
#define SOURCE_LEGACY_TRACKING_SERIES_H

#include <roast.h>

#define LEGACY_SERIES(X)                                                                                               \
    X(MEMORY, worker_memory, sample, memory)                                                                           \
    X(LIMIT, worker_memory_limit, worker, memory_limit)                                                                \
    X(PROCESSING, worker_active_tasks, sample, processing)                                                             \
    X(EXECUTING, worker_executing, sample, executing)                                                                  \
    X(CORES, worker_cores, worker, cores)                                                                              \
    X(MANAGED, worker_nbytes, sample, managed)                                                                         \
    X(OCCUPANCY, worker_occupancy, sample, occupancy)                                                                  \
    X(LAST_SEEN, worker_last_seen, sample, last_seen_ns)                                                               \
    X(CPU, worker_cpu, sample, cpu)                                                                                    \
    X(SPILLED, worker_spilled, sample, spilled)                                                                        \
    X(NET_READ, worker_net_read, sample, net_read)                                                                     \
    X(NET_WRITE, worker_net_write, sample, net_write)                                                                  \
    X(DISK_READ, worker_disk_read, sample, disk_read)                                                                  \
    X(DISK_WRITE, worker_disk_write, sample, disk_write)

typedef enum series_id {
#define X(id, name, record, field) SERIES_##id,
    LEGACY_SERIES(X)
#undef X
        SERIES_COUNT
} series_id;

extern const char *const legacy_series_names[SERIES_COUNT];

/* What a sample of a worker says of a series, in the unit of 0.1.x; nothing if that is absent. worker may be NULL. */
roast_value legacy_series_value(series_id series, const roast_sample *sample, const roast_worker *worker);

#endif
