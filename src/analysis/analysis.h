/* What the parts of analysis share while they turn a run into a summary. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/ledger.h"
#include "analysis/statistics.h"
#include "analysis/summary.h"
#include "analysis/trace.h"
#include "base/u64map.h"
#include "run/reader.h"

/* Sums over the attempts at chunks of one dataset, file or worker. */
typedef struct chunk_tally {
    int64_t chunks, failed, events; /* chunks that were done, attempts that failed, events of those done */
    int64_t process_ns;             /* of those done, each once */
    int64_t attempted_ns;           /* in process(), all attempts */
    int64_t busy_ns;                /* open + events + process + return, all attempts */
    /* ROAST_ABSENT until one attempt has measured it: */
    int64_t cpu_ns, open_ns, bytes_read, read_requests;
} chunk_tally;

/* A dataset in a file: mostly all of the file. */
typedef struct dataset_in_file {
    uint32_t file, dataset; /* the dataset is one more than there are for chunks that name none */
    int64_t events;         /* of successful chunks */
} dataset_in_file;

/* A set of branches that was read there; RUN_UNKNOWN for chunks that did not tell. Each pair once. */
typedef struct read_set {
    uint32_t place, set;
} read_set;

typedef struct read_set_list {
    u64map place_numbers, seen;
    dataset_in_file *places;
    read_set *pairs;
    size_t n_places, places_capacity, count, capacity;
} read_set_list;

/* False if memory is out. events: of a chunk that succeeded; 0 otherwise. */
bool read_set_add(read_set_list *list, uint32_t file, uint32_t dataset, uint32_t set, int64_t events);
void read_set_release(read_set_list *list);

typedef struct analysis {
    roast_run *run;
    roast_summary *summary;
    /* One more than there are, the last for records that name none. */
    chunk_tally *datasets, *files, *workers;
    chunk_tally all;
    read_set_list read_sets;
    ledger ledger;
    trace trace;               /* the attempts, if they are not too many */
    int64_t first_ns, last_ns; /* of any record; ROAST_ABSENT if there is none */
    /* What absent metrics are explained by. */
    int64_t chunk_records, samples;
    bool from_report;
    bool equal_sizes; /* all chunks have the same number of events */
} analysis;

/* Extends the time that records cover. */
void extend_window(analysis *a, int64_t t_ns);

/* The parts, in the order they are run: later ones use what earlier ones set. */
roast_code analyse_chunks(analysis *a, roast_error *err);   /* chunks, datasets, failures */
roast_code analyse_sections(analysis *a, roast_error *err); /* sections */
roast_code analyse_workers(analysis *a, roast_error *err);  /* samples and the timeline; sets the window */
roast_code analyse_workflow(analysis *a, roast_error *err); /* report, rates */
roast_code analyse_fine(analysis *a, roast_error *err);     /* activities */
roast_code analyse_branches(analysis *a, roast_error *err); /* files */
roast_code analyse_efficiency(analysis *a, roast_error *err);
roast_code analyse_ledger(analysis *a, roast_error *err); /* where the core time went */
roast_code analyse_causes(analysis *a, roast_error *err); /* what held it back; after everything else */

void say_what_is_absent(analysis *a); /* after all of them */

/* Sums in which an absent term is left out, and a sum of none is absent. */
void add_measured(int64_t *sum, int64_t term);
double mebibytes(int64_t bytes);                    /* NAN if absent */
int64_t whole_number(double value);                 /* ROAST_ABSENT if it is not finite or too large */
double ratio(double numerator, double denominator); /* NAN if the denominator is 0 or either is NAN */

#endif
