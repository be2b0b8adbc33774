/* Draws a job that nothing is wrong with: hosts and workers, storage, datasets of different cost, files, and chunks
 * whose times scatter. Every group of things has dice of its own, so that a fault can change one without moving the
 * others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* ---- Dice -----------------------------------------------------------------------------------------------------------
 */

static uint64_t next(sim_dice *dice) /* splitmix64 */
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

sim_dice sim_dice_of(uint64_t seed, uint64_t stream)
{
    sim_dice dice = {seed * 0x2545f4914f6cdd1du + stream};
    next(&dice);
    return (sim_dice){next(&dice) ^ stream << 32};
}

double sim_uniform(sim_dice *dice, double low, double high)
{
    return low + (high - low) * ((double)(next(dice) >> 11) * 0x1p-53);
}

double sim_log_uniform(sim_dice *dice, double low, double high)
{
    return low * pow(high / low, sim_uniform(dice, 0, 1));
}

double sim_log_normal(sim_dice *dice, double median, double sigma)
{
    double radius = sqrt(-2 * log(sim_uniform(dice, 0x1p-53, 1)));
    return median * exp(sigma * radius * cos(2 * M_PI * sim_uniform(dice, 0, 1)));
}

uint32_t sim_whole(sim_dice *dice, double low, double high)
{
    return (uint32_t)lround(fmax(sim_log_uniform(dice, low, high), 1));
}

bool sim_chance(sim_dice *dice, double probability)
{
    return sim_uniform(dice, 0, 1) < probability;
}

static double log_uniform_of(sim_dice *dice, sim_range asked, double low, double high)
{
    return asked.high > 0 ? sim_log_uniform(dice, asked.low, asked.high) : sim_log_uniform(dice, low, high);
}

/* ---- What there is --------------------------------------------------------------------------------------------------
 */

enum stream { SIZES = 1, MACHINES, STORAGE, FILES, CHUNKS, HABITS, FAULT };

static uint32_t threads_of_worker(sim_dice *dice, const sim_shape *shape, double cores)
{
    static const double usual[] = {1, 1, 1, 1, 1, 2, 2, 4, 4, 8};
    double threads = usual[(size_t)sim_uniform(dice, 0, 10)];
    if (shape->threads.high > 0)
        threads = sim_log_uniform(dice, shape->threads.low, shape->threads.high);
    return (uint32_t)fmax(1, round(fmin(threads, cores / 2)));
}

static void draw_machines(sim_plan *plan, const sim_shape *shape)
{
    sim_dice dice = sim_dice_of(plan->seed, MACHINES);
    double cores = log_uniform_of(&dice, shape->cores, 2, 400);
    uint32_t threads = threads_of_worker(&dice, shape, cores);
    plan->n_workers = (uint32_t)fmax(round(cores / threads), fmax(shape->least_hosts, 1));
    plan->cores = plan->n_workers * threads;
    double most_together = fmax(floor((double)plan->n_workers / fmax(shape->least_hosts, 1)), 1);
    double together = sim_log_uniform(&dice, fmax(shape->least_workers_per_host, 1), 8);
    uint32_t per_host = (uint32_t)fmax(round(fmin(together, most_together)), 1);
    plan->n_hosts = (plan->n_workers + per_host - 1) / per_host;
    plan->hosts = sim_rows(plan->n_hosts, sizeof *plan->hosts);
    plan->workers = sim_rows(plan->n_workers, sizeof *plan->workers);
    bool skewed = sim_chance(&dice, 0.3);
    for (uint32_t h = 0; h < plan->n_hosts; h++) {
        double skew = sim_uniform(&dice, -40, 40);
        plan->hosts[h] = (sim_host){.speed = sim_log_normal(&dice, 1, 0.03), .gone = (double)INFINITY};
        plan->hosts[h].back = (double)INFINITY;
        for (uint32_t w = h * per_host; w < (h + 1) * per_host && w < plan->n_workers; w++) {
            plan->workers[w] = (sim_worker){h, threads, .drag = 1, .clock_offset = skewed ? skew : 0};
            plan->hosts[h].cores += threads;
        }
    }
}

/* Storage is drawn to be enough: four times what all cores together want on average. */
static void draw_storage(sim_plan *plan, const sim_shape *shape)
{
    sim_dice dice = sim_dice_of(plan->seed, STORAGE);
    plan->n_servers = shape->servers ? shape->servers : sim_whole(&dice, 1, 2.4);
    plan->read_share = log_uniform_of(&dice, shape->read_share, 0.03, 0.2);
    double stream = sim_log_uniform(&dice, 15e6, 120e6), open = sim_log_uniform(&dice, 0.002, 0.012);
    for (uint32_t s = 0; s < plan->n_servers; s++) {
        sim_server *server = &plan->servers[s];
        server->stream = stream;
        server->bandwidth = stream * fmax(4 * plan->cores * plan->read_share, fmin(plan->cores, 10));
        server->open = fmin(open * plan->chunk_seconds, 0.4);
        server->request = sim_log_uniform(&dice, 0.0005, 0.003);
    }
}

/* ---- What is wanted -------------------------------------------------------------------------------------------------
 */

static void draw_sizes(sim_plan *plan, const sim_shape *shape)
{
    sim_dice dice = sim_dice_of(plan->seed, SIZES);
    double per_core = log_uniform_of(&dice, shape->chunks_per_core, 12, 60);
    double least = fmax(8, 20 / plan->cores);
    per_core = fmax(fmin(per_core, 3000 / plan->cores), shape->chunks_per_core.high > 0 ? 1 : least);
    plan->n_chunks = (uint32_t)fmax(per_core * plan->cores, 2);
    plan->chunk_seconds = log_uniform_of(&dice, shape->chunk_seconds, 3, 60);
    plan->job_seconds = plan->n_chunks / plan->cores * plan->chunk_seconds;
    plan->n_datasets = sim_whole(&dice, 1, SIM_MOST_DATASETS);
}

/* Chunks of one file after the other, until there are as many as planned. */
static void draw_files(sim_plan *plan, const sim_shape *shape)
{
    sim_dice dice = sim_dice_of(plan->seed, FILES);
    double per_file = log_uniform_of(&dice, shape->chunks_per_file, 1, 10), events = sim_log_uniform(&dice, 2e4, 2e5);
    uint32_t last = shape->large_last_file ? (uint32_t)fmax(0.5 * plan->n_chunks / plan->cores, 3) : 0, chunk = 0;
    plan->files = sim_rows(plan->n_chunks, sizeof *plan->files);
    plan->chunks = sim_rows(plan->n_chunks, sizeof *plan->chunks);
    while (chunk < plan->n_chunks) {
        uint32_t left = plan->n_chunks - chunk;
        uint32_t count = (uint32_t)fmin(fmax(round(sim_log_normal(&dice, per_file, 0.3)), 1), left);
        if (last && left <= 2 * last)
            count = left;
        uint32_t f = plan->n_files++;
        int64_t each = (int64_t)sim_log_normal(&dice, events, 0.05);
        plan->files[f] = (sim_file){.entries = each * count, .cluster = each, .drag = 1};
        for (uint32_t i = 0; i < count; i++)
            plan->chunks[chunk++] = (sim_chunk){.file = f, .entry_start = each * i, .events = each};
    }
}

/* Datasets follow one another in the fileset; files of one dataset lie on all servers. */
static void place_files(sim_plan *plan)
{
    for (uint32_t f = 0; f < plan->n_files; f++) {
        plan->files[f].dataset = f * plan->n_datasets / plan->n_files;
        plan->files[f].server = f % plan->n_servers;
    }
}

static void draw_chunks(sim_plan *plan)
{
    sim_dice dice = sim_dice_of(plan->seed, CHUNKS);
    double scatter = sim_uniform(&dice, 0.05, 0.25), cost[SIM_MOST_DATASETS], mean_events = 0;
    double request_size = sim_log_uniform(&dice, 0.5e6, 4e6), memory = sim_log_uniform(&dice, 150e6, 700e6);
    for (uint32_t d = 0; d < plan->n_datasets; d++)
        cost[d] = sim_log_uniform(&dice, 0.8, 1.25);
    for (uint32_t c = 0; c < plan->n_chunks; c++)
        mean_events += (double)plan->chunks[c].events / plan->n_chunks;
    for (uint32_t c = 0; c < plan->n_chunks; c++) {
        sim_chunk *chunk = &plan->chunks[c];
        sim_file *file = &plan->files[chunk->file];
        double size = (double)chunk->events / mean_events, seconds = size * plan->chunk_seconds;
        chunk->cpu = sim_log_normal(&dice, seconds * (1 - plan->read_share) * cost[file->dataset], scatter);
        chunk->bytes = sim_log_normal(&dice, seconds * plan->read_share * plan->servers[0].stream, 0.03);
        chunk->requests = ceil(chunk->bytes / request_size);
        chunk->working_set = sim_log_normal(&dice, memory * size, 0.1);
        file->bytes += chunk->bytes;
    }
}

/* What preprocessing will take, roughly: workers open files, and the scheduler tells them to, one by one. */
static double preprocess_seconds(const sim_plan *plan)
{
    double each = plan->preprocess_open + plan->metadata / plan->servers[0].stream + 0.01;
    return ceil(plan->n_files / plan->cores) * each + 2 * plan->dispatch * plan->n_files;
}

/* What surrounds chunks: little, compared with them. */
static void draw_habits(sim_plan *plan, const sim_shape *shape)
{
    sim_dice dice = sim_dice_of(plan->seed, HABITS);
    double chunk = plan->chunk_seconds, overhead = log_uniform_of(&dice, shape->overhead, 0.004, 0.02);
    plan->build = overhead * chunk;
    plan->metadata = sim_log_uniform(&dice, 0.1e6, 1e6);
    plan->pack = sim_log_uniform(&dice, 0.0005, 0.004) * chunk;
    plan->locked = sim_uniform(&dice, 0.02, 0.15) * plan->n_workers / plan->cores;
    plan->warm_up = fmin(sim_uniform(&dice, 0.3, 3), 0.2 * chunk);
    plan->dispatch = fmin(sim_log_uniform(&dice, 0.0003, 0.002), 0.05 * chunk / plan->cores);
    plan->stealing = sim_chance(&dice, 0.3) && !shape->queued;
    plan->dead_time = fmin(sim_uniform(&dice, 0.05, 0.5), 0.004 * plan->job_seconds);
    plan->preprocess_open = fmin(0.1, 0.01 * plan->job_seconds * plan->cores / plan->n_files);
    plan->preprocesses = sim_chance(&dice, 0.7) && preprocess_seconds(plan) < 0.015 * plan->job_seconds;
    plan->fan_in = 20;
    plan->result = sim_log_uniform(&dice, 0.05e6, 20e6);
    plan->merge_rate = fmax(sim_log_uniform(&dice, 300e6, 1500e6), 500 * plan->result / chunk);
    plan->base_memory = sim_log_uniform(&dice, 250e6, 600e6);
    plan->disk = sim_log_uniform(&dice, 80e6, 400e6);
    plan->restart = sim_uniform(&dice, 3, 10);
    double largest = 0, room = sim_uniform(&dice, 1.5, 2.5);
    for (uint32_t c = 0; c < plan->n_chunks; c++)
        largest = fmax(largest, plan->chunks[c].working_set);
    for (uint32_t w = 0; w < plan->n_workers; w++)
        plan->workers[w].memory_limit =
            room * (plan->base_memory + plan->workers[w].threads * largest + 40 * plan->result);
    for (uint32_t h = 0; h < plan->n_hosts; h++)
        plan->hosts[h].others = sim_uniform(&dice, 0, 0.02) * plan->hosts[h].cores;
}

void sim_plan_draw_healthy(sim_plan *plan, const sim_shape *shape, uint64_t seed)
{
    *plan = (sim_plan){.seed = seed};
    draw_machines(plan, shape);
    draw_sizes(plan, shape);
    draw_storage(plan, shape);
    draw_files(plan, shape);
    place_files(plan);
    draw_chunks(plan);
    draw_habits(plan, shape);
}

void sim_plan_release(sim_plan *plan)
{
    free(plan->hosts);
    free(plan->workers);
    free(plan->files);
    free(plan->chunks);
    *plan = (sim_plan){0};
}

/* ---- Chunks of another size -----------------------------------------------------------------------------------------
 */

static void add_chunk(sim_chunk *whole, const sim_chunk *part)
{
    whole->events += part->events;
    whole->cpu += part->cpu;
    whole->bytes += part->bytes;
    whole->requests += part->requests;
}

void sim_join_chunks(sim_plan *plan, uint32_t first, uint32_t together)
{
    uint32_t kept = 0, joined = together;
    for (uint32_t c = 0; c < plan->n_chunks; c++) {
        const sim_chunk *chunk = &plan->chunks[c];
        bool same_file = kept && plan->chunks[kept - 1].file == chunk->file;
        if (c > first && same_file && joined < together) {
            add_chunk(&plan->chunks[kept - 1], chunk);
            joined++;
        } else {
            plan->chunks[kept++] = *chunk;
            joined = 1;
        }
    }
    plan->n_chunks = kept;
}

static sim_chunk piece_of(const sim_chunk *chunk, uint32_t piece, uint32_t pieces)
{
    sim_chunk cut = *chunk;
    int64_t from = chunk->events * piece / pieces, until = chunk->events * (piece + 1) / pieces;
    cut.entry_start = chunk->entry_start + from;
    cut.events = until - from;
    cut.cpu /= pieces;
    cut.bytes /= pieces;
    cut.requests = ceil(cut.requests / pieces);
    cut.working_set /= sqrt(pieces);
    return cut;
}

void sim_cut_chunks(sim_plan *plan, uint32_t pieces)
{
    sim_chunk *cut = sim_rows((size_t)plan->n_chunks * pieces, sizeof *cut);
    for (uint32_t c = 0; c < plan->n_chunks; c++)
        for (uint32_t p = 0; p < pieces; p++)
            cut[c * pieces + p] = piece_of(&plan->chunks[c], p, pieces);
    free(plan->chunks);
    plan->chunks = cut;
    plan->n_chunks *= pieces;
}
