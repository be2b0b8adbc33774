/* What the parts of analysis share while they turn a run into a summary. Each part is fed with rows as they come and
 * keeps what a summary needs of them; a summary is made of that and of the small tables. It may sort what is kept
 * here, which the rows that come later do not mind. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/completeness.h"
#include "analysis/ledger.h"
#include "analysis/statistics.h"
#include "analysis/storage.h"
#include "analysis/summary.h"
#include "analysis/tasks.h"
#include "analysis/trace.h"
#include "base/intern.h"
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

/* A dataset in a file: usually the whole file. */
typedef struct dataset_in_file {
    uint32_t file, dataset; /* the dataset is RUN_UNKNOWN for chunks that name none */
    int64_t events;         /* of successful chunks */
    int64_t read_bytes;     /* compressed size of the branches that were read; ROAST_ABSENT if it is not known */
    bool counted;           /* the branches of the file are in the tallies of the dataset */
} dataset_in_file;

/* A set of branches that was read there; RUN_UNKNOWN for chunks that did not tell. Each pair once. */
typedef struct read_set {
    uint32_t place, set;
    bool counted; /* that it was read is in the tallies */
} read_set;

typedef struct read_set_list {
    u64map place_numbers, seen;
    dataset_in_file *places;
    read_set *pairs;
    size_t n_places, places_capacity, count, capacity;
    size_t n_sorted; /* pairs that were there when they were last sorted */
} read_set_list;

/* False if memory is out. events: of a chunk that succeeded; 0 otherwise. */
bool read_set_add(read_set_list *list, uint32_t file, uint32_t dataset, uint32_t set, int64_t events);
void read_set_release(read_set_list *list);

/* A branch in the files of a dataset. */
typedef struct branch_tally {
    uint32_t dataset, name;                    /* the dataset is RUN_UNKNOWN for chunks that name none */
    int64_t compressed, uncompressed, baskets; /* ROAST_ABSENT if no file tells */
    int64_t entries;                           /* of the files that have it */
    int64_t files, files_read;
    bool read;
} branch_tally;

typedef struct branch_list {
    u64map numbers; /* (dataset, name) to the place in tallies, from 1 */
    branch_tally *tallies;
    size_t count, capacity;
} branch_list;

typedef struct file_tally {
    int64_t branches_read; /* ROAST_ABSENT if no chunk of it carried an access log */
    int64_t bytes_read;    /* compressed size of these branches */
    int64_t baskets;
    int64_t entries;  /* of the file when its branches were counted */
    int64_t branches; /* that were counted */
    bool counted;     /* there were some */
} file_tally;

/* What the branches of files amount to. Those of a file are read when they have come, and again when its chunks have
 * read others: most files are not looked at when a run is refreshed. */
typedef struct branch_sums {
    branch_list branches;
    file_tally *files;
    bool broken; /* counting failed half way */
} branch_sums;

/* Failed attempts of one reason in one place. */
typedef struct failure_group {
    roast_str error_type, error; /* of the first of them */
    uint32_t dataset, file, worker;
    int64_t count, lost_ns;
} failure_group;

typedef struct failure_list {
    intern keys; /* number is the index into groups */
    failure_group *groups;
    size_t capacity;
} failure_list;

/* What of chunks has percentiles. */
typedef enum chunk_spread { SPREAD_DURATION, SPREAD_TIME_PER_EVENT, SPREAD_MEMORY_PER_EVENT, SPREADS } chunk_spread;

typedef struct chunk_sums {
    int64_t records, successful, failed, retried, recomputed;
    int64_t bytes_unknown; /* chunks that do not say what they read */
    int64_t run_delay_ns, events_ns, noncpu_ns;
    moments duration, mem_delta, mem_peak, events, time_per_event, mem_per_event;
    line_fit runtime_vs_events;
    /* Per successful attempt, NAN where absent: exact percentiles need all of them. */
    number_list durations, event_counts, mem_deltas;
    rank_counts ranks[SPREADS];
    failure_list failures;
} chunk_sums;

typedef struct section_tally {
    int64_t count, duration_ns, max_duration_ns, cpu_ns, bytes;
    int64_t inner_ns;  /* of sections that were entered from it */
    moments mem_delta; /* MiB, per chunk */
    uint32_t parent;   /* RUN_UNKNOWN: at the top, or below several */
    bool seen;
} section_tally;

/* A worker is looked at in two ways: heartbeats come with the time of their arrival, the probe's samples are finer and
 * come in batches. Each stream is in order; both together are not. */
typedef struct sample_stream {
    timeline memory, cpu; /* bytes; percent of one core */
} sample_stream;

typedef struct worker_tally {
    sample_stream heartbeats, probe;
    int64_t samples, spilled_peak;
    int64_t first_ns, last_ns; /* of its samples */
    uint32_t host;
    /* What its rows were read with. */
    int64_t cores, clock_offset_ns;
    bool fed; /* there were rows of it */
} worker_tally;

/* Rates that belong to a host are reported by each of its workers: they are merged and integrated once. */
typedef struct host_tally {
    timeline net_read, net_write, disk_read, disk_write;
} host_tally;

typedef struct worker_sums {
    worker_tally *workers;
    host_tally *hosts; /* as many as workers at most */
    intern host_names;
    int64_t samples;
} worker_sums;

typedef struct time_window {
    int64_t first_ns, last_ns; /* ROAST_ABSENT if there is none */
} time_window;

struct roast_analysis {
    roast_run *run;
    bool once;              /* one summary is asked for: what it costs is paid once */
    bool brief;             /* what a list of runs shows is asked for, and nothing else */
    roast_summary *summary; /* that is being made */
    arena memory;
    /* How far it has been fed. */
    uint64_t generation; /* of the run; 0: not at all */
    run_position seen;
    size_t n_datasets, n_files, n_workers, n_names;
    int64_t created_ns; /* a fact of the run: another one is another run */
    bool broken;        /* feeding failed half way */
    bool nameless;      /* a chunk had read a set of branches of which nothing was known */
    size_t n_branch_sets;
    roast_outcome outcome;
    /* One more than there are, the last for records that name none. */
    chunk_tally *datasets, *files, *workers;
    chunk_tally all;
    chunk_sums chunks;
    section_tally *sections; /* by name */
    worker_sums worker;
    task_sums tasks;
    read_set_list read_sets;
    branch_sums branches;
    storage_sums storage;
    int64_t preload_bytes;
    completeness completeness;
    ledger ledger;
    trace trace;        /* the attempts */
    time_window window; /* of the rows */
    /* Of the summary that is being made: */
    bool from_report;    /* totals */
    bool chunks_missing; /* some may have run on workers that were not measured: sums over records are not totals */
};

typedef struct roast_analysis analysis;

/* Extends the time that records cover. */
void extend_window(time_window *window, int64_t t_ns);

/* Rows as they come. */
roast_code feed_chunk(void *analysis, const run_chunk *row);
roast_code feed_section(void *analysis, const run_section *row);
roast_code feed_sample(void *analysis, const run_sample *row);
roast_code feed_preload(void *analysis, int64_t chunk, uint32_t name, roast_str msgpack);

/* The workers and files that the run has by now; false if memory is out. */
bool fit_workers(analysis *a);
bool fit_branches(analysis *a);
/* What is known of a worker whose rows have been read with something else: then everything is read again. */
bool workers_changed(const analysis *a);
void chunk_sums_release(chunk_sums *sums);
void worker_sums_release(worker_sums *sums);
void branch_sums_release(branch_sums *sums);

/* The parts of a summary, in the order they are made: later ones use what earlier ones set. */
roast_code analyse_chunks(analysis *a, roast_error *err);       /* chunks, datasets, failures */
roast_code analyse_sections(analysis *a, roast_error *err);     /* sections */
roast_code analyse_workers(analysis *a, roast_error *err);      /* samples and the timeline; sets the window */
roast_code analyse_coverage(analysis *a, roast_error *err);     /* who was not measured */
roast_code analyse_workflow(analysis *a, roast_error *err);     /* report, rates */
roast_code analyse_errors(analysis *a, roast_error *err);       /* failures by what went wrong */
roast_code analyse_completeness(analysis *a, roast_error *err); /* what is missing */
roast_code analyse_imports(analysis *a, roast_error *err);      /* preprocessing on fresh workers */
roast_code analyse_fine(analysis *a, roast_error *err);         /* activities */
roast_code analyse_branches(analysis *a, roast_error *err);     /* files */
roast_code analyse_storage(analysis *a, roast_error *err);      /* storage */
roast_code analyse_efficiency(analysis *a, roast_error *err);
roast_code analyse_tasks(analysis *a, roast_error *err);    /* tasks that are the work */
roast_code analyse_ledger(analysis *a, roast_error *err);   /* where the core time went */
roast_code analyse_progress(analysis *a, roast_error *err); /* of a run that goes on */
roast_code analyse_causes(analysis *a, roast_error *err);   /* what held it back; after everything else */
void say_what_is_absent(analysis *a);                       /* after all of them */

/* Sums in which an absent term is left out, and a sum of none is absent. */
void add_measured(int64_t *sum, int64_t term);
double mebibytes(int64_t bytes);                    /* NAN if absent */
int64_t whole_number(double value);                 /* ROAST_ABSENT if it is not finite or too large */
double ratio(double numerator, double denominator); /* NAN if the denominator is 0 or either is NAN */

#endif
