/* What the parts of a comparison share while it is made. */
#ifndef ANALYSIS_COMPARE_PARTS_H
#define ANALYSIS_COMPARE_PARTS_H

#include "analysis/compare.h"
#include "base/intern.h"
#include "base/u64map.h"
#include "model/core_time.h"

/* Sums by name, for either side. */
typedef struct part_sum {
    int64_t ns[SIDES], events[SIDES];
} part_sum;

typedef struct part_table {
    intern names;
    part_sum *sums; /* by number of the name */
    size_t capacity;
} part_table;

/* One successful attempt. */
typedef struct chunk_times {
    int64_t open, events_ns, process, return_ns, cpu, delay; /* ns or ROAST_ABSENT */
    uint32_t cluster;                                        /* the worker, or the process where that is not known */
} chunk_times;

typedef struct chunk_pair {
    chunk_times sides[SIDES];
    bool both;
} chunk_pair;

typedef struct chunk_pairs {
    u64map places; /* by what the chunk is: its place in pairs and 1, or UINT32_MAX if only B has it */
    chunk_pair *pairs;
    size_t count, capacity;
} chunk_pairs;

/* Sums over the chunks of a cluster, for quotients. */
typedef struct cluster_sums {
    cluster_sum *sums;
    size_t count, capacity;
} cluster_sums;

typedef struct compare_work {
    comparison *out;
    const roast_subject *inputs[SIDES];
    size_t n_inputs[SIDES];
    part_table datasets, sections, hosts;
    int64_t phases[SIDES][LEDGER_OF_CHUNKS]; /* by what the core did; together they are the time in chunks */
    bool cpu_known[SIDES], delay_known[SIDES];
    int64_t outside_sections[SIDES]; /* of successful attempts, in process() */
    intern files, uuids;             /* file and tree */
    uint32_t *file_of_uuid;
    size_t uuid_capacity;
    bool *file_seen[SIDES];
    size_t file_capacity[SIDES];
    chunk_pairs pairs;
    cluster_sums clusters[SIDES];
    int64_t *read_requests[SIDES]; /* by run */
} compare_work;

/* The parts, in this order. */
roast_code compare_read_chunks(compare_work *w, roast_error *err);   /* pairs, sums */
roast_code compare_list_settings(compare_work *w, roast_error *err); /* what differs in how runs were made */
roast_code compare_list_counts(compare_work *w, roast_error *err);   /* what can be counted */
roast_code compare_estimate_timings(compare_work *w, const bootstrap_options *options, roast_error *err);
void compare_chunks_release(compare_work *w);

#endif
