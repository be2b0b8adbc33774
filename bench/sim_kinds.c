/* What can be wrong with a job: a row per kind, with the findings that name its cause, what it asks of the healthy job,
 * and the few lines that plant it. How bad it is is drawn from tiny to large. */
#include <math.h>
#include <string.h>

#include "sim.h"

enum { FAULT_STREAM = 1000 };

static void slow_server(sim_plan *plan, sim_dice *dice)
{
    double times = sim_log_uniform(dice, 1.5, 20);
    sim_server *server = &plan->servers[sim_whole(dice, 1, plan->n_servers) - 1];
    server->stream /= times;
    server->bandwidth /= times;
    server->open *= times;
}

static void storage_saturated(sim_plan *plan, sim_dice *dice)
{
    double enough = plan->cores * plan->read_share / plan->n_servers, share = sim_log_uniform(dice, 0.1, 1.2);
    for (uint32_t s = 0; s < plan->n_servers; s++)
        plan->servers[s].bandwidth = plan->servers[s].stream * enough * share;
}

static void opening(sim_plan *plan, sim_dice *dice)
{
    double seconds = plan->chunk_seconds * sim_log_uniform(dice, 0.02, 1);
    for (uint32_t s = 0; s < plan->n_servers; s++)
        plan->servers[s].open = seconds;
}

static void slow_host(sim_plan *plan, sim_dice *dice)
{
    plan->hosts[(uint32_t)sim_uniform(dice, 0, plan->n_hosts)].speed /= sim_log_uniform(dice, 1.2, 8);
}

/* A host that other people use, too. */
static void loaded_host(sim_plan *plan, sim_dice *dice)
{
    sim_host *host = &plan->hosts[(uint32_t)sim_uniform(dice, 0, plan->n_hosts)];
    host->others = host->cores * sim_log_uniform(dice, 0.3, 6);
}

static void slow_worker(sim_plan *plan, sim_dice *dice)
{
    plan->workers[(uint32_t)sim_uniform(dice, 0, plan->n_workers)].drag *= sim_log_uniform(dice, 1.2, 10);
}

static void slow_file(sim_plan *plan, sim_dice *dice)
{
    plan->files[(uint32_t)sim_uniform(dice, 0, plan->n_files)].drag = sim_log_uniform(dice, 2, 40) / plan->read_share;
}

/* When it begins and ends; how many times slower things are in it. */
static double draw_period(sim_plan *plan, sim_dice *dice)
{
    double length = sim_log_uniform(dice, 0.05, 0.5) * plan->job_seconds;
    plan->slow_period.from = sim_uniform(dice, 0.1, 0.7) * plan->job_seconds;
    plan->slow_period.until = plan->slow_period.from + length;
    plan->slow_period.storage = 1;
    return sim_log_uniform(dice, 2, 20);
}

static void slow_period(sim_plan *plan, sim_dice *dice)
{
    plan->slow_period.storage = draw_period(plan, dice) / sqrt(plan->read_share);
}

static void busy_period(sim_plan *plan, sim_dice *dice)
{
    plan->slow_period.others = draw_period(plan, dice) / 4;
}

/* Chunks that hang for no reason that anything tells. */
static void stragglers(sim_plan *plan, sim_dice *dice)
{
    double rate = sim_log_uniform(dice, 0.005, 0.08), times = sim_log_uniform(dice, 2, 20);
    for (uint32_t c = 0; c < plan->n_chunks; c++)
        if (sim_chance(dice, rate))
            plan->chunks[c].stall = plan->chunk_seconds * sim_log_normal(dice, times, 0.4);
}

/* The end of the last file comes in one large chunk. */
static void tail(sim_plan *plan, sim_dice *dice)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < plan->n_chunks; c++)
        count += plan->chunks[c].file == plan->n_files - 1;
    uint32_t joined = sim_whole(dice, 2, fmax(count, 2));
    sim_join_chunks(plan, plan->n_chunks - joined, joined);
}

static void too_few_chunks(sim_plan *plan, sim_dice *dice)
{
    double wanted = plan->cores * sim_log_uniform(dice, 0.4, 3);
    sim_join_chunks(plan, 0, (uint32_t)fmax(ceil(plan->n_chunks / wanted), 2));
}

static void small_chunks(sim_plan *plan, sim_dice *dice)
{
    sim_cut_chunks(plan, sim_whole(dice, 2, fmax(fmin(20, 5000.0 / plan->n_chunks), 3)));
}

static void ramp_up(sim_plan *plan, sim_dice *dice)
{
    double length = plan->job_seconds * sim_log_uniform(dice, 0.05, 1.5);
    for (uint32_t w = 1; w < plan->n_workers; w++)
        plan->workers[w].joins = sim_uniform(dice, 0, length);
}

static void start_up(sim_plan *plan, sim_dice *dice)
{
    plan->dead_time = plan->job_seconds * sim_log_uniform(dice, 0.02, 0.6);
}

static void preprocessing(sim_plan *plan, sim_dice *dice)
{
    double rounds = ceil(plan->n_files / plan->cores);
    plan->preprocesses = true;
    plan->preprocess_open = plan->job_seconds * sim_log_uniform(dice, 0.02, 0.6) / rounds;
}

static void warm_up(sim_plan *plan, sim_dice *dice)
{
    plan->warm_up = plan->chunk_seconds * sim_log_uniform(dice, 0.4, 10);
}

static void scheduler(sim_plan *plan, sim_dice *dice)
{
    plan->dispatch = plan->chunk_seconds / plan->cores * sim_log_uniform(dice, 0.2, 1.5);
}

static void merging(sim_plan *plan, sim_dice *dice)
{
    plan->result = sim_log_uniform(dice, 20e6, 200e6);
    plan->merge_rate = plan->result / (plan->chunk_seconds * sim_log_uniform(dice, 0.02, 0.8));
    for (uint32_t w = 0; w < plan->n_workers; w++)
        plan->workers[w].memory_limit += 10 * plan->fan_in * plan->result; /* it is not memory that is short */
}

/* A worker's memory is used up after so many chunks, sooner on some than on others; but not before some are merged, or
 * the job would never end. */
static void leak(sim_plan *plan, sim_dice *dice)
{
    double chunks = (double)plan->n_chunks / plan->n_workers, until = chunks * sim_log_uniform(dice, 0.15, 1.2);
    double least = 4 + 2.0 * plan->fan_in / plan->n_workers + 2 * plan->workers[0].threads;
    double used = plan->base_memory + 1.3 * plan->workers[0].threads * plan->chunks[0].working_set;
    plan->leak = (0.95 * plan->workers[0].memory_limit - used) / fmax(until, least);
    for (uint32_t w = 0; w < plan->n_workers; w++)
        plan->workers[w].memory_limit *= sim_uniform(dice, 1, 1.6);
}

static void spilling(sim_plan *plan, sim_dice *dice)
{
    double chunks = (double)plan->n_chunks / plan->n_workers, held = sim_uniform(dice, 0.05, 0.8);
    plan->kept = plan->disk * plan->chunk_seconds * sim_log_uniform(dice, 0.05, 1.5) / plan->workers[0].threads;
    for (uint32_t w = 0; w < plan->n_workers; w++)
        plan->workers[w].memory_limit = fmax(plan->workers[w].memory_limit, held * chunks * plan->kept / 0.6);
}

/* The same results, and memory for all of them. */
static void no_spilling(sim_plan *plan, sim_dice *dice)
{
    spilling(plan, dice);
    for (uint32_t w = 0; w < plan->n_workers; w++)
        plan->workers[w].memory_limit *= 100;
}

static void preemption(sim_plan *plan, sim_dice *dice)
{
    double share = sim_log_uniform(dice, 0.05, 0.8), stays_away = sim_uniform(dice, 0, 1);
    for (uint32_t h = 1; h < plan->n_hosts; h++) { /* the first one stays */
        if (!sim_chance(dice, share) && h > 1)
            continue;
        plan->hosts[h].gone = sim_uniform(dice, 0.05, 1) * plan->job_seconds;
        if (!sim_chance(dice, stays_away))
            plan->hosts[h].back = plan->hosts[h].gone + sim_uniform(dice, 0.02, 0.3) * plan->job_seconds;
    }
}

static void failures(sim_plan *plan, sim_dice *dice)
{
    double rate = sim_log_uniform(dice, 0.02, 0.5);
    uint32_t bad_file = sim_chance(dice, 0.25) ? (uint32_t)sim_uniform(dice, 0, plan->n_files) : SIM_NOBODY;
    for (uint32_t c = 0; c < plan->n_chunks; c++) {
        sim_chunk *chunk = &plan->chunks[c];
        while (chunk->failures < 3 && sim_chance(dice, rate))
            chunk->failures++;
        chunk->fails_at = sim_uniform(dice, 0.05, 1);
        chunk->doomed = chunk->file == bad_file;
    }
}

static void locks(sim_plan *plan, sim_dice *dice)
{
    plan->locked = sim_uniform(dice, 0.1, 0.95);
}

/* More threads than cores: of the job's own making, so that there is next to nothing to gain. */
static void oversubscribed(sim_plan *plan, sim_dice *dice)
{
    uint32_t times = sim_whole(dice, 2, 4);
    for (uint32_t w = 0; w < plan->n_workers; w++) {
        plan->workers[w].threads *= times;
        plan->workers[w].memory_limit *= times;
    }
}

static void busy_hosts(sim_plan *plan, sim_dice *dice)
{
    double load = sim_log_uniform(dice, 0.1, 3);
    for (uint32_t h = 0; h < plan->n_hosts; h++)
        plan->hosts[h].others = plan->hosts[h].cores * sim_log_normal(dice, load, 0.3);
}

/* Smaller by a tenth, and ten times the time to unpack. */
static void lzma(sim_plan *plan, sim_dice *dice)
{
    double rate = sim_log_uniform(dice, 40e6, 110e6), unpacked = sim_uniform(dice, 3, 5);
    bool some = sim_chance(dice, 0.4);
    for (uint32_t f = 0; f < plan->n_files; f++) {
        plan->files[f].lzma = !some || plan->files[f].dataset % 2 == 0;
        plan->files[f].bytes *= plan->files[f].lzma ? 0.9 : 1;
    }
    for (uint32_t c = 0; c < plan->n_chunks; c++) {
        sim_chunk *chunk = &plan->chunks[c];
        if (!plan->files[chunk->file].lzma)
            continue;
        chunk->cpu += chunk->bytes * unpacked * (1 / rate - 1 / 600e6);
        chunk->bytes *= 0.9;
    }
}

/* Chunks that are much smaller than what is stored together: most of what is read is for others. */
static void over_read(sim_plan *plan, sim_dice *dice)
{
    double times = sim_log_uniform(dice, 1.3, 10);
    for (uint32_t c = 0; c < plan->n_chunks; c++) {
        sim_chunk *chunk = &plan->chunks[c]; /* nobody reads more of a file than it has */
        double here = fmin(times, (double)plan->files[chunk->file].entries / (double)chunk->events);
        chunk->bytes *= here;
        chunk->requests *= here;
    }
    for (uint32_t f = 0; f < plan->n_files; f++)
        plan->files[f].cluster = (int64_t)fmin((double)plan->files[f].cluster * times, (double)plan->files[f].entries);
}

typedef struct kind {
    const char *name, *finding;
    void (*plant)(sim_plan *plan, sim_dice *dice);
    void (*cure)(sim_plan *plan, sim_dice *dice); /* what is there instead; NULL: nothing */
    sim_shape shape;
} kind;

static const kind KINDS[] = {
    {"healthy", NULL, NULL},
    {"slow_server", "slow_storage", slow_server, .shape = {.servers = 2, .read_share = {0.05, 0.2}}},
    {"storage_saturated", "io_bound slow_storage", storage_saturated, .shape = {.cores = {8, 400}}},
    {"opening", "opening", opening},
    {"small_chunks", "opening", small_chunks, .shape = {.cores = {2, 100}, .overhead = {0.01, 0.05}}},
    {"slow_host", "slow_host", slow_host, .shape = {.cores = {4, 400}, .least_hosts = 3}},
    {"loaded_host", "slow_host no_core_free", loaded_host, .shape = {.cores = {4, 400}, .least_hosts = 3}},
    {"slow_worker", "slow_worker", slow_worker,
     .shape = {.cores = {12, 400}, .threads = {1, 2}, .least_hosts = 2, .least_workers_per_host = 2}},
    {"slow_file", "slow_file", slow_file, .shape = {.cores = {2, 60}, .chunks_per_file = {3, 12}}},
    {"slow_period", "slow_period", slow_period},
    {"busy_period", "slow_period no_core_free", busy_period},
    {"stragglers", "stragglers", stragglers},
    {"tail", "tail", tail, .shape = {.cores = {4, 400}, .large_last_file = true}},
    {"too_few_chunks", "too_few_chunks", too_few_chunks, .shape = {.cores = {4, 400}, .chunks_per_file = {20, 60}}},
    {"ramp_up", "ramp_up", ramp_up, .shape = {.cores = {4, 400}, .least_hosts = 3}},
    {"start_up", "start_up", start_up},
    {"preprocessing", "preprocessing", preprocessing},
    {"warm_up", "warm_up", warm_up},
    {"scheduler", "scheduler", scheduler, .shape = {.cores = {20, 400}, .chunk_seconds = {1, 10}}},
    {"merging", "merging", merging},
    {"leak", "memory_growth memory_limit", leak, .shape = {.queued = true}},
    {"spilling", "spilling", spilling, .cure = no_spilling},
    {"preemption", "workers_lost", preemption, .shape = {.cores = {6, 400}, .least_hosts = 4}},
    {"failures", "failures", failures},
    {"locks", "locks", locks, .shape = {.cores = {8, 400}, .threads = {4, 16}}},
    {"oversubscribed", "oversubscribed", oversubscribed, .shape = {.cores = {2, 100}}},
    {"busy_hosts", "no_core_free", busy_hosts},
    {"lzma", "lzma", lzma, .shape = {.read_share = {0.05, 0.25}}},
    {"over_read", "over_read", over_read, .shape = {.read_share = {0.05, 0.2}}},
};

enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static const kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return &KINDS[i];
    return NULL;
}

const char *sim_kind_at(size_t index)
{
    return index < KIND_COUNT ? KINDS[index].name : NULL;
}

const char *sim_kind_finding(const char *name)
{
    const kind *found = find_kind(name);
    return found ? found->finding : NULL;
}

/* The same seed gives another job for each kind. */
static uint64_t seed_of(const kind *found, uint64_t seed)
{
    uint64_t hash = seed;
    for (const char *c = found->name; *c; c++)
        hash = hash * 1099511628211u + (unsigned char)*c;
    return hash;
}

bool sim_plan_draw(sim_plan *plan, const char *name, uint64_t seed, bool with_fault)
{
    const kind *found = find_kind(name);
    if (!found)
        return false;
    sim_plan_draw_healthy(plan, &found->shape, seed_of(found, seed));
    sim_dice dice = sim_dice_of(plan->seed, FAULT_STREAM);
    if (with_fault && found->plant)
        found->plant(plan, &dice);
    else if (!with_fault && found->cure)
        found->cure(plan, &dice);
    return true;
}
