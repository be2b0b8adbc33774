/* A second generator of runs with a known cause: a discrete-event simulator of a coffea job on Dask.
 *
 * Nothing in it says how long a chunk takes. Chunks want bytes and CPU time; servers, cores, the interpreter's lock,
 * the scheduler, memory and disks are shared, and times are what comes of it. A fault changes the plan (a server's
 * bandwidth, a worker's memory limit), so the same plan without it, played again, tells what the fault really cost.
 *
 *   sim_heap.c, sim_share.c   what is due next; fair sharing of a rate
 *   sim_plan.c, sim_kinds.c   draws a healthy job from a seed; plants a fault in it
 *   sim_play.c, sim_playing.h play a plan and keep what happened in plain arrays, with sim_steps.c (tasks and what they
 *                             share), sim_scheduler.c and sim_workers.c
 *   sim_ledger.c              where the core time really went
 *   sim_record.c              hands what happened to a recorder, as a live job would
 *
 * It shares nothing with src/analysis or with synth.c, so that both can be held against it. */
#ifndef BENCH_SIM_H
#define BENCH_SIM_H

#include <roast.h>

#define SIM_PROCESSOR "TopAnalysis"
#define SIM_NOBODY    UINT32_MAX

/* ---- What is due next: a heap, smallest key first ---------------------------------------------------------------- */

typedef struct sim_entry {
    double key;
    uint64_t value;
} sim_entry;

typedef struct sim_heap { /* zero-initialised is empty and ready */
    sim_entry *entries;
    size_t count, capacity;
} sim_heap;

void sim_heap_push(sim_heap *heap, double key, uint64_t value);
sim_entry sim_heap_pop(sim_heap *heap);
void sim_heap_remove(sim_heap *heap, uint64_t value); /* if it is there */
void sim_heap_release(sim_heap *heap);
/* The array with room for one more, and zeroed memory for so many; the program ends if memory is out. */
void *sim_room(void *array, size_t count, size_t *capacity, size_t size);
void *sim_rows(size_t count, size_t size);

/* ---- Processor sharing --------------------------------------------------------------------------------------------
 */

typedef struct sim_share {
    double total, each; /* what all together, and one alone, are given per second */
    double strangers;   /* who take shares as well, and are never done */
    double given;       /* to each of ours so far */
    double now;
    sim_heap ours; /* key: what `given` will be when it has all that it wants */
} sim_share;

double sim_share_rate(const sim_share *share); /* of each of ours */
void sim_share_advance(sim_share *share, double now);
void sim_share_enter(sim_share *share, double now, uint64_t who, double amount);
void sim_share_leave(sim_share *share, double now, uint64_t who); /* before it has all */
double sim_share_next(const sim_share *share);                    /* when the first has all; INFINITY: never */
uint64_t sim_share_finish(sim_share *share, double now);          /* who that is; it leaves */

/* ---- Randomness ---------------------------------------------------------------------------------------------------
 */

typedef struct sim_dice {
    uint64_t state;
} sim_dice;

typedef struct sim_range {
    double low, high;
} sim_range;

sim_dice sim_dice_of(uint64_t seed, uint64_t stream);
double sim_uniform(sim_dice *dice, double low, double high);
double sim_log_uniform(sim_dice *dice, double low, double high);
double sim_log_normal(sim_dice *dice, double median, double sigma);
uint32_t sim_whole(sim_dice *dice, double low, double high); /* log-uniform, rounded */
bool sim_chance(sim_dice *dice, double probability);

/* ---- The plan: what the job wants and what there is. Seconds, bytes ------------------------------------------------
 */

typedef struct sim_server {
    double bandwidth, stream; /* of all readers together; of one */
    double open, request;     /* seconds that opening a file and a request take */
} sim_server;

typedef struct sim_host {
    double cores, speed;
    double others;     /* threads of other people that want to run */
    double gone, back; /* when its workers are lost, and when they are replaced; INFINITY: never */
} sim_host;

typedef struct sim_worker {
    uint32_t host, threads;
    double joins; /* 0: it is there when the job starts */
    double drag;  /* times the CPU time that others need on this host */
    double memory_limit, clock_offset;
} sim_worker;

typedef struct sim_file {
    uint32_t dataset, server;
    int64_t entries, cluster; /* cluster: entries in one */
    double bytes;             /* compressed, of the branches that are read */
    double drag;              /* times the time that reading takes; 1: as the server is */
    bool lzma;
} sim_file;

typedef struct sim_chunk {
    uint32_t file;
    int64_t entry_start, events;
    double cpu, bytes, requests, working_set, stall;
    uint32_t failures; /* of the first attempts */
    double fails_at;   /* share of the work */
    bool doomed;       /* fails always */
} sim_chunk;

enum { SIM_MOST_SERVERS = 3, SIM_MOST_DATASETS = 6 };

typedef struct sim_plan {
    uint64_t seed;
    double chunk_seconds; /* of a usual chunk, and of the job, if all goes well */
    double job_seconds;
    double cores, read_share; /* read_share: of a usual chunk's time */
    uint32_t n_servers, n_hosts, n_workers, n_files, n_chunks, n_datasets;
    sim_server servers[SIM_MOST_SERVERS];
    sim_host *hosts;
    sim_worker *workers;
    sim_file *files;
    sim_chunk *chunks;
    double locked;          /* share of the CPU time that holds the interpreter's lock */
    double warm_up;         /* seconds of a worker's first chunk, for imports */
    double build, metadata; /* CPU seconds for, and bytes of, what describes a file */
    double pack;            /* CPU seconds for handing a result back */
    double dispatch;        /* seconds of the scheduler per message */
    bool stealing; /* tasks are given to workers at once; else queued at the scheduler. Idle workers steal in both cases
                    */
    double dead_time; /* between preprocessing and the first chunk: the client prepares */
    bool preprocesses;
    double preprocess_open; /* seconds per file */
    uint32_t fan_in;        /* results per merge */
    double result, merge_rate;
    double leak, kept, base_memory; /* leak, kept: per chunk; kept counts as result in memory */
    double disk;                    /* bytes per second, of a worker */
    double restart;                 /* seconds until a killed worker is back */
    struct {
        double from, until, storage, others; /* storage: how many times slower; others: threads per core */
    } slow_period;
} sim_plan;

/* Draws a job of this kind, with its fault or without: everything else is the same. False: there is no such kind. */
bool sim_plan_draw(sim_plan *plan, const char *kind, uint64_t seed, bool with_fault);
void sim_plan_release(sim_plan *plan);
const char *sim_kind_at(size_t index);          /* NULL after the last */
const char *sim_kind_finding(const char *kind); /* ids that name the cause, separated by spaces; NULL: healthy */

/* For kinds: from the first on, up to `together` consecutive chunks of a file become one; each chunk becomes `pieces`.
 */
void sim_join_chunks(sim_plan *plan, uint32_t first, uint32_t together);
void sim_cut_chunks(sim_plan *plan, uint32_t pieces);

/* What a kind asks of the healthy job that its fault is planted in; 0: as usual. */
typedef struct sim_shape {
    sim_range cores, threads, chunks_per_core, chunks_per_file, chunk_seconds, read_share, overhead;
    uint32_t least_hosts, least_workers_per_host, servers;
    bool large_last_file; /* it has as many chunks as half of what a core gets */
    bool queued;          /* no stealing */
} sim_shape;

void sim_plan_draw_healthy(sim_plan *plan, const sim_shape *shape, uint64_t seed);

/* ---- What happened. Seconds since the start of the job -------------------------------------------------------------
 */

typedef enum sim_task_kind { SIM_PREPROCESS, SIM_CHUNK, SIM_MERGE } sim_task_kind;
typedef enum sim_fate { SIM_DONE, SIM_RAISED, SIM_KILLED } sim_fate;

typedef struct sim_attempt {
    sim_task_kind kind;
    sim_fate fate;
    uint32_t index, number; /* of the file, chunk or merge; the attempt, from 1 */
    uint32_t life, thread;  /* where */
    bool recomputed;        /* it had succeeded before, and the result was lost */
    double start, stop;     /* of the task */
    double process_start;   /* NAN: it did not get there */
    double wall[ROAST_PHASE_COUNT];
    double process_cpu, process_delay, cpu; /* delay: no core was free; cpu: of the whole task */
    double bytes, requests, rss_before, rss_after, rss_peak;
    double locks;    /* times it waited for the lock */
    double spilling; /* seconds after it until its result was on disk */
    double writing;  /* of them, in which it was written: before, others were */
} sim_attempt;

/* A process of a worker, from its coming to its leaving. */
typedef struct sim_life {
    uint32_t worker, generation;
    double joined, left; /* left INFINITY: it stayed */
} sim_life;

typedef struct sim_sample {
    uint32_t life, assigned, executing;
    double t, memory, managed, spilled, cpu, net_read, disk_write;
} sim_sample;

typedef struct sim_log {
    double wall;           /* NAN: the job never ends */
    double preprocessed;   /* when preprocessing had ended; 0: there was none */
    sim_attempt *attempts; /* in the order in which they ended */
    sim_life *lives;
    sim_sample *samples;
    size_t n_attempts, n_lives, n_samples, attempt_capacity, life_capacity, sample_capacity;
    double spilled_bytes, spill_seconds, spills;
} sim_log;

void sim_play(const sim_plan *plan, sim_log *log);
void sim_log_release(sim_log *log);

/* ---- Truth and records --------------------------------------------------------------------------------------------
 */

/* As `roast show` calls them. Left as it is: a formatter takes "return" for a statement. */
/* clang-format off */
#define SIM_LEDGER(X) \
    X(process_cpu) X(process_io) X(process_core) X(open) X(events) X(return) X(failed) X(lost) X(merging) \
    X(preprocessing) X(idle_start) X(idle_queue) X(idle_tail)
/* clang-format on */

typedef enum sim_category {
#define SIM_CATEGORY_ENUM(name) SIM_##name,
    SIM_LEDGER(SIM_CATEGORY_ENUM)
#undef SIM_CATEGORY_ENUM
        SIM_CATEGORIES
} sim_category;

typedef struct sim_ledger {
    double core_seconds[SIM_CATEGORIES], whole; /* whole: cores times the time that they were there */
} sim_ledger;

const char *sim_category_name(sim_category category);
void sim_ledger_compute(const sim_plan *plan, const sim_log *log, sim_ledger *ledger);
/* The recorder stays open. */
roast_code sim_record(const sim_plan *plan, const sim_log *log, roast_recorder *recorder);

#endif
