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

/* What can be wrong with a job of a scenario. */
typedef enum synth_fault {
    SYNTH_SLOW_STORAGE,
    SYNTH_SLOW_HOST,
    SYNTH_BAD_FILE,
    SYNTH_TAIL,
    SYNTH_RAMP_UP,
    SYNTH_SMALL_CHUNKS,
    SYNTH_MEMORY_LEAK,
    SYNTH_FAILURES,
    SYNTH_SCHEDULER,
    SYNTH_CPU_BOUND,
    SYNTH_FAULTS
} synth_fault;

#define SYNTH_EVERY_SITE (-1)

/* How bad it is; 0 where it is not. */
typedef struct synth_faults {
    double stall; /* waiting in process(), in units of its time without */
    int slow_site;
    double host_slowdown;
    uint32_t slow_hosts;
    double file_slowdown;
    uint32_t bad_file;
    uint32_t huge, huge_chunks; /* times the events; how many of them */
    bool huge_cut;              /* the same events in chunks of usual size */
    double ramp_seconds;        /* over which workers come */
    uint32_t split;             /* times more and smaller chunks */
    double leak_mib;            /* that a worker's memory grows per chunk */
    bool spread_limits;         /* some workers have so little memory that the leak kills them */
    double failure_rate;        /* of first attempts */
    double dispatch_seconds;    /* that the scheduler needs to start a chunk, one after the other */
} synth_faults;

/* What the chunks and workers of a scenario are like. */
typedef struct synth_physics {
    double chunk_seconds, open_seconds, build_seconds; /* of a usual chunk */
    double cpu_low, cpu_high;                          /* share of process() */
    double speed_spread, host_spread, noise;           /* host_spread: between hosts, as workers of one are alike */
    double smallest_chunk;                             /* of the largest */
    double dearest_dataset;                            /* times what the first costs per event; 0: as they are drawn */
    uint32_t sites;                                    /* storage sites */
} synth_physics;

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
    double clock_skew_s;       /* clocks of workers are wrong by up to this, and known to be */
    uint32_t luck;             /* another one: the same files and chunks on another day */
    /* Factors on what chunks cost. */
    double slow_open, slow_cpu, slow_wait;
    bool report, tasks;     /* record coffea's report; record a task for each attempt */
    uint32_t opening_bytes; /* that the report counts for a chunk before process() */
    bool no_hosts;          /* workers do not name their hosts */
    uint32_t blind;         /* every so many workers one has no probe; 0: it is not known who has one */
    bool plain;             /* record only what roastcoffea 0.1.x measures */
    bool only_tasks;        /* no Runner ran: the engine tells of tasks, and nobody of chunks */
    const char *scenario;   /* NULL: none, and what follows is not used */
    const char *variant;    /* of a scenario: unlike usual ones in something; NULL: usual */
    synth_physics physics;
    synth_faults faults;
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
    uint64_t noise; /* what its costs are drawn from, in a scenario */
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
    double leaked; /* MiB */
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
    uint32_t n_base_chunks; /* of a scenario, before they are cut */
    synth_worker *workers;
    synth_attempt *attempts; /* in the order in which they started */
    uint32_t n_attempts, attempt_capacity;
    uint32_t *finished;      /* attempts in the order in which they ended */
    synth_section *sections; /* of attempt a: sections[a * options.sections …] */
    synth_sample *samples;   /* of worker w, by time: samples[w * options.samples …] */
    synth_activity activities[SYNTH_MOST_ACTIVITIES];
    uint32_t n_activities;
} synth_job;

/* What a scenario planted: the finding that should come first (one of these words), and what the job would have taken
 * without its cause, in seconds. */
typedef struct synth_planted {
    const char *scenario, *cause; /* cause NULL: nothing is wrong */
    const char *main, *other;     /* of a mixture */
    double wall, saving, other_saving;
} synth_planted;

/* Draws the options of a scenario from the seed. False if there is no scenario of this name. */
bool synth_scenario(synth_options *options, const char *name, synth_planted *planted, roast_error *err);
const char *synth_scenario_at(size_t index); /* NULL after the last */
const char *synth_variant_at(size_t index);
double synth_uniform(uint64_t *state); /* 0 to 1 */

synth_options synth_defaults(void);
/* Plays the job. NULL if memory is out; err says so. */
synth_job *synth_simulate(const synth_options *options, roast_error *err);
void synth_free(synth_job *job);
/* Records everything, in the order in which it would have arrived. The recorder stays open. */
roast_code synth_record(const synth_job *job, roast_recorder *recorder);
/* Writes the truth as JSON; keys are names of the metric catalogue. planted may be NULL. */
roast_code synth_truth(const synth_job *job, const synth_planted *planted, FILE *out, roast_error *err);

/* Shared by recording and truth. The section a section is nested in, or UINT32_MAX at the top. */
void synth_section_name(uint32_t section, char *text, size_t size);
uint32_t synth_section_parent(uint32_t section);
int64_t synth_attempt_events(const synth_job *job, const synth_attempt *attempt);

#endif
