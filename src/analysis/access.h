/* How many bytes the branches that a chunk read have in its file. Chunks of one file mostly read one set of branches,
 * so each pair of a file and a set is summed up once. */
#ifndef ANALYSIS_ACCESS_H
#define ANALYSIS_ACCESS_H

#include "base/u64map.h"
#include "run/reader.h"

typedef struct access_sizes {
    uint32_t file, set;
    int64_t compressed, uncompressed; /* ROAST_ABSENT if the file's branches are not known */
} access_sizes;

/* Zero-initialised is empty and ready. */
typedef struct access_list {
    u64map seen; /* place in the list + 1 */
    access_sizes *pairs;
    size_t count, capacity;
} access_list;

/* *place gets where the pair is in the list, ROAST_ABSENT if the record does not name both; false if memory is out. */
bool access_add(access_list *list, uint32_t file, uint32_t set, int64_t *place);
/* Sums up every pair, in one visit of the branches. */
roast_code access_read(access_list *list, roast_run *run, roast_error *err);
const access_sizes *access_sizes_at(const access_list *list, int64_t place); /* NULL for ROAST_ABSENT */
void access_release(access_list *list);

#endif
