/* A chunk attempt as it is measured on one thread: its phases, and the sections inside it. */
#ifndef PROBE_CHUNK_H
#define PROBE_CHUNK_H

#include "model/core_time.h"

/* For the sampler: a value of the resident memory of this process. */
void probe_chunks_update_peak(int64_t rss);

#endif
