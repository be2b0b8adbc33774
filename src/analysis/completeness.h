/* Whether a result is whole: what was asked for, less what was done. Where a Runner told what it was asked for and what
 * it did not get (records of the kind work), that is what counts, whoever measured what. Else the attempts at chunks
 * tell what failed each time; what was never tried leaves no trace there, so "nothing is missing" is then not said. */
#ifndef ANALYSIS_COMPLETENESS_H
#define ANALYSIS_COMPLETENESS_H

#include "base/u64map.h"
#include "run/reader.h"

/* A chunk with an attempt that failed. */
typedef struct failed_chunk {
    uint32_t dataset, file;
    int64_t start, stop;
    uint32_t failure;  /* the group of the last failed attempt */
    uint32_t failures; /* attempts that failed */
    bool done;         /* another one succeeded */
} failed_chunk;

/* What a Runner was asked for of a dataset. */
typedef struct requested_dataset {
    uint32_t dataset;
    int64_t files, chunks, events;
} requested_dataset;

/* A part of what was asked for that is not there: entries of a file, or all of one that was never opened (no start). */
typedef struct missing_part {
    uint32_t dataset, file;
    int64_t start, stop, events, chunks, attempts; /* ROAST_ABSENT where it is not known */
    bool whole;                                    /* all of the file is missing */
    bool raised;                                   /* the Runner that was asked for it has no result */
    bool shortened;                                /* the chunk succeeded, with fewer events than its range has */
    roast_str error_type, error;
    const char *nature;
} missing_part;

typedef struct missing_list {
    missing_part *parts;
    size_t count, capacity;
} missing_list;

typedef struct completeness {
    u64map places; /* of chunks, by their key, in failed; from 1 */
    failed_chunk *failed;
    size_t n_failed, failed_capacity;
    requested_dataset *requested;
    size_t n_requested, requested_capacity;
    missing_list stated, shortened;
    bool raised;     /* some of what was asked for has no result */
    size_t unopened; /* files of the summary that is being made that were never opened */
} completeness;

struct roast_analysis;
struct roast_summary;

/* Attempts as they come; false if memory is out. */
bool completeness_saw_failure(completeness *c, const run_chunk *row, uint32_t failure);
bool completeness_saw_success(completeness *c, const run_chunk *row, bool recomputed);
roast_code feed_work(void *analysis, const run_work *row);
void completeness_release(completeness *c);

/* Whether a part is missing of a result that is there; else all of it is to be run again. */
bool missing_from_a_result(const struct roast_summary *s);

/* Why what is missing is not known; for absence.c. */
const char *why_completeness_is_unknown(const struct roast_analysis *a);

#endif
