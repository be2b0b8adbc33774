/* Synthetic runs: a seeded simulation of a job on a cluster, recorded like a real one, with the truth beside it.
 *
 * Three steps, one file each: synth_simulate plays the job and keeps what happened in plain arrays (synth.c),
 * synth_record hands these to a recorder in the order a live job would (synth_record.c), and synth_truth says what
 * any analysis must find, by formulas of its own (synth_truth.c). A new scenario changes the simulation only. */
#ifndef BENCH_SYNTH_H
#define BENCH_SYNTH_H

#include <roast.h>
#include <stdio.h>

#define SYNTH_NO_WORKER UINT32_MAX
#define SYNTH_PROCESSOR "TopAnalysis"

typedef struct synth_options {
    uint64_t seed;
    uint32_t datasets, files, chunks, workers;
    uint32_t samples;          /* per worker */
    uint32_t sections;         /* per chunk */
    uint32_t branches;         /* read by a chunk */
    uint32_t cores;            /* of each worker; 0: unequal, from 1 to 8 */
    uint32_t workers_per_host; /* at least 1 */
    double retry_rate;         /* share of the chunks whose first attempt fails */
    double failure_rate;       /* share of the chunks that never succeed */
    double join, leave, die;   /* shares of the workers: arrive late, leave when told to, die */
    double duration_s;         /* what the job should take, roughly */
    uint32_t luck;             /* another one: the same files and chunks on another day */
    /* Factors on what chunks cost. */
    double slow_open, slow_cpu, slow_wait;
    bool report, tasks; /* record coffea's report; record a task for each attempt */
    bool plain;         /* record only what roastcoffea 0.1.x measures */
} synth_options;

typedef enum synth_fate { SYNTH_SUCCEEDED, SYNTH_RAISED, SYNTH_KILLED } synth_fate;

typedef struct synth_dataset {
    char name[64];
    uint32_t first_branch; /* it reads options.branches of the pool, from here */
    double cost, cpu_share, bytes_per_event;
} synth_dataset;

typedef struct synth_file {
    char url[160], uuid[40];
    uint32_t dataset;
    int64_t entries, clusters, compressed, uncompressed; /* bytes of the whole tree */
} synth_file;

typedef struct synth_branch {
    char name[48];
    int64_t compressed, uncompressed, baskets; /* in every file */
} synth_branch;

typedef struct synth_chunk {
    uint32_t file, tries;
    int64_t entry_start, events;
    bool stumbles, doomed; /* fails at first; fails always */
} synth_chunk;

typedef struct synth_worker {
    char address[48], name[32], host[32];
    int64_t pid, cores, memory_limit;
    int64_t joined_ns, left_ns; /* left_ns ROAST_ABSENT: it stayed */
    int64_t no_more_ns;         /* from here on it is given nothing to do */
    int64_t clock_offset_ns;
    bool lost;
    double speed;
} synth_worker;

typedef struct synth_attempt {
    uint32_t chunk, worker, thread, number; /* number from 1 */
    synth_fate fate;
    int64_t task_start_ns, task_stop_ns; /* what the engine sees: open, schema, process and return together */
    int64_t t_start_ns, duration_ns;     /* of process() */
    int64_t open_ns, events_ns, return_ns, cpu_ns, run_delay_ns;
    int64_t rss_before, rss_after, rss_peak;
    int64_t bytes_read, read_requests;
    int64_t voluntary_switches, involuntary_switches, page_faults;
} synth_attempt;

typedef struct synth_section {
    int64_t count, duration_ns, cpu_ns, rss_before, rss_delta, bytes;
} synth_section;

typedef struct synth_sample {
    int64_t t_ns, memory, managed, spilled, processing, executing;
    double cpu, occupancy, net_read, net_write, disk_read, disk_write;
} synth_sample;

typedef struct synth_activity {
    const char *context, *prefix, *activity, *unit;
    double value;
} synth_activity;

enum { SYNTH_MOST_ACTIVITIES = 24 };

typedef struct synth_job {
    synth_options options;
    uint64_t random;
    int64_t t_start_ns, t_end_ns;
    synth_dataset *datasets;
    synth_file *files;
    synth_branch *branches; /* the pool that datasets read from; every file has all of it and more */
    uint32_t n_branches, unread_branches;
    synth_chunk *chunks;
    synth_worker *workers;
    synth_attempt *attempts; /* in the order in which they started */
    uint32_t n_attempts, attempt_capacity;
    uint32_t *finished;      /* attempts in the order in which they ended */
    synth_section *sections; /* of attempt a: sections[a * options.sections …] */
    synth_sample *samples;   /* of worker w, by time: samples[w * options.samples …] */
    synth_activity activities[SYNTH_MOST_ACTIVITIES];
    uint32_t n_activities;
} synth_job;

synth_options synth_defaults(void);
/* Plays the job. NULL if memory is out; err says so. */
synth_job *synth_simulate(const synth_options *options, roast_error *err);
void synth_free(synth_job *job);
/* Records everything, in the order in which it would have arrived. The recorder stays open. */
roast_code synth_record(const synth_job *job, roast_recorder *recorder);
/* Writes the truth as JSON; keys are names of the metric catalogue. */
roast_code synth_truth(const synth_job *job, FILE *out, roast_error *err);

/* Shared by recording and truth. The section a section is nested in, or UINT32_MAX at the top. */
void synth_section_name(uint32_t section, char *text, size_t size);
uint32_t synth_section_parent(uint32_t section);
int64_t synth_attempt_events(const synth_job *job, const synth_attempt *attempt);

#endif
