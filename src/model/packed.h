/* Packed records: what a probe sends and the recorder reads, as msgpack. docs/format.md describes it.
 *
 *   [kind, version, {key: value, …}]
 *
 * Keys are small numbers and never change their meaning; a reader skips those it does not know. What is absent is left
 * out. Sizes that lie close to another one are given as the difference, which takes fewer bytes. */
#ifndef MODEL_PACKED_H
#define MODEL_PACKED_H

#include <roast.h>

enum packed_kind { PACKED_CHUNK = 1, PACKED_SAMPLES = 2, PACKED_FILE = 3 };
enum { PACKED_VERSION = 1, PACKED_LARGEST = 1 << 24, PACKED_DEPTH = 32 };

/* key, field of roast_chunk, and the field that the value is relative to (itself if none). Bases come first. */
#define PACKED_CHUNK_INTS(X)                                                                                           \
    X(1, entry_start, entry_start)                                                                                     \
    X(2, entry_stop, entry_start)                                                                                      \
    X(3, events, events)                                                                                               \
    X(4, attempt, attempt)                                                                                             \
    X(5, thread, thread)                                                                                               \
    X(6, pid, pid)                                                                                                     \
    X(7, t_start_ns, t_start_ns)                                                                                       \
    X(8, duration_ns, duration_ns)                                                                                     \
    X(9, open_ns, open_ns)                                                                                             \
    X(10, events_ns, events_ns)                                                                                        \
    X(11, return_ns, return_ns)                                                                                        \
    X(12, cpu_ns, duration_ns)                                                                                         \
    X(13, run_delay_ns, run_delay_ns)                                                                                  \
    X(14, rss_before, rss_before)                                                                                      \
    X(15, rss_after, rss_before)                                                                                       \
    X(16, rss_peak, rss_before)                                                                                        \
    X(17, bytes_read, bytes_read)                                                                                      \
    X(18, read_requests, read_requests)                                                                                \
    X(19, voluntary_switches, voluntary_switches)                                                                      \
    X(20, involuntary_switches, involuntary_switches)                                                                  \
    X(21, page_faults, page_faults)                                                                                    \
    X(22, round, round)

#define PACKED_CHUNK_TEXTS(X)                                                                                          \
    X(32, dataset)                                                                                                     \
    X(33, file)                                                                                                        \
    X(34, treename)                                                                                                    \
    X(35, uuid)                                                                                                        \
    X(36, worker)                                                                                                      \
    X(37, error_type)                                                                                                  \
    X(38, error)

enum packed_chunk_key {
    PACKED_UID = 48,
    PACKED_PEAK_SHARED = 49,
    PACKED_BRANCH_SET = 50, /* hash */
    PACKED_BRANCHES = 51, /* [shared, rest, …]: each sorted name is so many bytes of the one before, then the rest */
    PACKED_SECTIONS = 52, /* [name, parent, {key: value}, …]; parent: its place in this list from 1, 0 at the top */
    PACKED_CUSTOM = 53,   /* {name: any value} */
};

/* In the map of a section. */
#define PACKED_SECTION_INTS(X)                                                                                         \
    X(1, count, count)                                                                                                 \
    X(2, duration_ns, duration_ns)                                                                                     \
    X(3, cpu_ns, duration_ns)                                                                                          \
    X(4, rss_before, rss_before)                                                                                       \
    X(5, rss_after, rss_before)                                                                                        \
    X(6, rss_delta, rss_delta)                                                                                         \
    X(7, bytes, bytes)                                                                                                 \
    X(8, depth, depth)

/* A file: the same, of roast_file. */
#define PACKED_FILE_INTS(X)                                                                                            \
    X(1, entries, entries)                                                                                             \
    X(2, total_branches, total_branches)                                                                               \
    X(3, compressed, compressed)                                                                                       \
    X(4, uncompressed, uncompressed)                                                                                   \
    X(5, clusters, clusters)                                                                                           \
    X(6, level, level)

#define PACKED_FILE_TEXTS(X)                                                                                           \
    X(32, url)                                                                                                         \
    X(33, tree)                                                                                                        \
    X(34, uuid)                                                                                                        \
    X(35, algorithm)

/* [shared, rest, compressed, uncompressed, baskets, …]: names as above, in the order of the file. nil is absent. */
enum { PACKED_FILE_BRANCHES = 48, PACKED_FILE_BRANCH_PARTS = 5 };

/* A field of a record that is an integer. */
typedef struct packed_int {
    int key;
    size_t field, base; /* offsets */
} packed_int;

/* The integers of a kind of record, for those who pack and those who unpack. */
typedef struct packed_ints {
    const packed_int *fields;
    size_t count;
} packed_ints;

extern const packed_ints packed_chunk_ints, packed_section_ints, packed_file_ints;

/* The key of a value that stands alone although it has a base, because the base is absent. */
enum { PACKED_ALONE = 64 };

/* In the map of samples: the start, then differences from one sample to the next. */
enum packed_samples_key { PACKED_T_NS = 1, PACKED_SAMPLE_ROWS = 2 /* [us, KiB, tenths of a percent, …] */ };

#endif
