/* Scenarios: jobs of random size with a fault of random size in them, or with none. What is drawn depends only on the
 * seed, and noise belongs to a chunk and not to the order in which chunks run: so a job can be played again without its
 * fault, and the difference in time is what the fault cost. */
#include <math.h>
#include <string.h>

#include "synth.h"

static const double LEAST_SAVING = 0.08;  /* of the wall time: a fault that costs less is drawn again */
static const double LEAST_CONTRAST = 1.5; /* of a mixture: how much more the main fault costs than the other */
enum { MOST_DRAWS = 200 };

static const struct {
    const char *name, *finding;
} FAULTS[SYNTH_FAULTS] = {
    [SYNTH_SLOW_STORAGE] = {"slow_storage", "slow_storage io_bound"},
    [SYNTH_SLOW_HOST] = {"slow_host", "slow_host slow_worker"},
    [SYNTH_BAD_FILE] = {"bad_file", "slow_file"},
    [SYNTH_TAIL] = {"tail", "tail"},
    [SYNTH_RAMP_UP] = {"ramp_up", "ramp_up"},
    [SYNTH_SMALL_CHUNKS] = {"small_chunks", "opening"},
    [SYNTH_MEMORY_LEAK] = {"memory_leak", "memory_growth"},
    [SYNTH_FAILURES] = {"failures", "failures"},
    [SYNTH_SCHEDULER] = {"scheduler", "scheduler"},
    [SYNTH_CPU_BOUND] = {"cpu_bound", "cpu_bound"},
};

/* From and to. */
typedef struct range {
    double low, high;
} range;

/* Jobs that are unlike the usual ones in something: what explains a usual job is to explain these. What a row does not
 * say is as usual. */
typedef struct variant {
    const char *name;
    range hosts, cores, chunks_per_core, noise;
    double host_spread, smallest_chunk, dearest_dataset;
    double severity; /* of the fault, times what is usual */
} variant;

static const variant VARIANTS[] = {
    {"usual"},
    {"few_workers", .hosts = {2, 4}},
    {"many_workers", .hosts = {30, 50}, .chunks_per_core = {10, 20}},
    {"many_threads", .cores = {5, 8}},
    {"few_chunks", .chunks_per_core = {8, 16}},
    {"uneven_chunks", .smallest_chunk = 0.1},
    {"uneven_datasets", .dearest_dataset = 5},
    {"uneven_hosts", .host_spread = 0.2},
    {"noisy", .noise = {0.2, 0.35}},
    {"mild", .severity = 0.5},
    {"strong", .severity = 2},
};

static range range_or(range said, double low, double high)
{
    return said.high > 0 ? said : (range){low, high};
}

static variant variant_of(const synth_options *o)
{
    variant v = VARIANTS[0];
    for (size_t i = 0; o->variant && i < sizeof VARIANTS / sizeof *VARIANTS; i++)
        if (strcmp(VARIANTS[i].name, o->variant) == 0)
            v = VARIANTS[i];
    v.hosts = range_or(v.hosts, 5, 14);
    v.cores = range_or(v.cores, 1, 4);
    v.chunks_per_core = range_or(v.chunks_per_core, 25, 70);
    v.noise = range_or(v.noise, 0.04, 0.2);
    v.smallest_chunk = v.smallest_chunk > 0 ? v.smallest_chunk : 0.7;
    v.severity = v.severity > 0 ? v.severity : 1;
    return v;
}

const char *synth_variant_at(size_t index)
{
    return index < sizeof VARIANTS / sizeof *VARIANTS ? VARIANTS[index].name : NULL;
}

typedef struct dice {
    uint64_t state;
} dice;

static double real_between(dice *d, double from, double to)
{
    return from + (to - from) * synth_uniform(&d->state);
}

static uint32_t whole_between(dice *d, uint32_t from, uint32_t to)
{
    return from + (uint32_t)(synth_uniform(&d->state) * (to - from + 1));
}

static double real_in(dice *d, range r)
{
    return real_between(d, r.low, r.high);
}

static uint32_t whole_in(dice *d, range r)
{
    return whole_between(d, (uint32_t)r.low, (uint32_t)r.high);
}

/* A job without faults: chunks of similar size, workers of similar speed, all there from the start. */
static void draw_healthy(dice *d, synth_options *o)
{
    const variant v = variant_of(o);
    o->workers_per_host = whole_between(d, 1, 3);
    o->workers = o->workers_per_host * whole_in(d, v.hosts);
    o->cores = whole_in(d, v.cores);
    o->datasets = whole_between(d, 1, 4);
    if (v.dearest_dataset > 0 && o->datasets == 1)
        o->datasets = 2;
    o->chunks = o->workers * o->cores * whole_in(d, v.chunks_per_core);
    o->files = o->chunks / whole_between(d, 12, 30) + o->datasets;
    o->samples = 60;
    o->sections = 2;
    o->branches = 20;
    o->retry_rate = real_between(d, 0, 1) < 0.5 ? 0 : real_between(d, 0, 0.004);
    o->failure_rate = o->join = o->leave = o->die = 0;
    o->physics.chunk_seconds = real_between(d, 8, 90);
    o->physics.open_seconds = real_between(d, 0.005, 0.03) * o->physics.chunk_seconds;
    o->physics.build_seconds = real_between(d, 0.002, 0.01) * o->physics.chunk_seconds;
    o->physics.cpu_low = real_between(d, 0.76, 0.88);
    o->physics.cpu_high = o->physics.cpu_low + 0.07;
    o->physics.speed_spread = real_between(d, 0.02, 0.14);
    o->physics.noise = real_in(d, v.noise);
    o->physics.host_spread = v.host_spread;
    o->physics.smallest_chunk = v.smallest_chunk;
    o->physics.dearest_dataset = v.dearest_dataset;
    o->physics.sites = whole_between(d, 1, 4);
    o->duration_s = o->physics.chunk_seconds * o->chunks / (o->workers * o->cores);
}

static void draw_fault(dice *d, synth_options *o, synth_fault fault)
{
    synth_faults *f = &o->faults;
    double cores = o->workers * o->cores;
    switch (fault) {
    case SYNTH_SLOW_STORAGE:
        f->stall = real_between(d, 0.7, 3);
        f->slow_site = o->physics.sites > 1 && real_between(d, 0, 1) < 0.5
                           ? (int)whole_between(d, 0, o->physics.sites - 1)
                           : SYNTH_EVERY_SITE;
        break;
    case SYNTH_SLOW_HOST:
        f->host_slowdown = real_between(d, 1.8, 4);
        f->slow_hosts = whole_between(d, 1, 2);
        break;
    case SYNTH_BAD_FILE:
        f->file_slowdown = real_between(d, 3, 10);
        f->bad_file = whole_between(d, 0, o->files - 1);
        break;
    case SYNTH_TAIL:
        f->huge = whole_between(d, 8, 30);
        f->huge_chunks = whole_between(d, 1, 3);
        break;
    case SYNTH_RAMP_UP:
        f->ramp_seconds = real_between(d, 0.3, 1) * o->duration_s;
        break;
    case SYNTH_SMALL_CHUNKS:
        f->split = whole_between(d, 5, 16);
        o->physics.open_seconds = real_between(d, 0.03, 0.06) * o->physics.chunk_seconds;
        break;
    case SYNTH_MEMORY_LEAK:
        o->cores = 1;
        o->chunks = o->workers * whole_between(d, 30, 60);
        f->leak_mib = real_between(d, 1200, 2400) * o->workers / o->chunks;
        f->spread_limits = real_between(d, 0, 1) < 0.6;
        break;
    case SYNTH_FAILURES:
        f->failure_rate = real_between(d, 0.15, 0.5);
        break;
    case SYNTH_SCHEDULER:
        o->physics.chunk_seconds = real_between(d, 2, 6);
        o->physics.open_seconds = real_between(d, 0.005, 0.03) * o->physics.chunk_seconds;
        o->physics.build_seconds = real_between(d, 0.002, 0.01) * o->physics.chunk_seconds;
        f->dispatch_seconds = real_between(d, 1.3, 3) * o->physics.chunk_seconds / cores;
        break;
    case SYNTH_CPU_BOUND:
        o->physics.cpu_low = 0.95;
        o->physics.cpu_high = 0.99;
        break;
    case SYNTH_FAULTS:
        break;
    }
    o->duration_s = o->physics.chunk_seconds * o->chunks / (o->workers * o->cores);
}

static double slowdown_times(double slowdown, double severity)
{
    return slowdown > 0 ? 1 + (slowdown - 1) * severity : 0;
}

static uint32_t count_times(uint32_t count, double severity)
{
    return count > 1 ? (uint32_t)fmax(count * severity, 2) : count;
}

static void worsen(synth_faults *f, double severity)
{
    f->stall *= severity;
    f->host_slowdown = slowdown_times(f->host_slowdown, severity);
    f->file_slowdown = slowdown_times(f->file_slowdown, severity);
    f->huge = count_times(f->huge, severity);
    f->ramp_seconds *= severity;
    f->split = count_times(f->split, severity);
    f->failure_rate = fmin(f->failure_rate * severity, 0.8);
    f->dispatch_seconds *= severity > 1 ? severity : 1; /* less would not hold anybody back */
}

/* The same job without one of its faults. Too few cores is the fault of a job that only computes. */
static synth_options without(const synth_options *o, synth_fault fault)
{
    synth_options cured = *o;
    synth_faults *f = &cured.faults;
    switch (fault) {
    case SYNTH_SLOW_STORAGE:
        f->stall = 0;
        break;
    case SYNTH_SLOW_HOST:
        f->slow_hosts = 0;
        break;
    case SYNTH_BAD_FILE:
        f->file_slowdown = 0;
        break;
    case SYNTH_TAIL:
        f->huge_cut = true;
        break;
    case SYNTH_RAMP_UP:
        f->ramp_seconds = 0;
        break;
    case SYNTH_SMALL_CHUNKS:
        f->split = 0;
        break;
    case SYNTH_MEMORY_LEAK:
        f->leak_mib = 0;
        break;
    case SYNTH_FAILURES:
        f->failure_rate = 0;
        break;
    case SYNTH_SCHEDULER:
        f->dispatch_seconds = 0;
        break;
    case SYNTH_CPU_BOUND:
        cured.workers *= 2;
        break;
    case SYNTH_FAULTS:
        break;
    }
    return cured;
}

static double wall_seconds(const synth_options *o, roast_error *err)
{
    synth_job *job = synth_simulate(o, err);
    double wall = job ? (double)(job->t_end_ns - job->t_start_ns) / 1e9 : (double)NAN;
    synth_free(job);
    return wall;
}

/* Draws once; false if the faults are too small to be looked for, or too alike to be told which is the main one. */
static bool draw(dice *d, synth_options *o, bool mixed, synth_fault fault, synth_planted *planted, roast_error *err)
{
    draw_healthy(d, o);
    synth_fault other = SYNTH_FAULTS;
    if (mixed) {
        static const synth_fault mixable[] = {SYNTH_SLOW_STORAGE, SYNTH_SLOW_HOST,    SYNTH_BAD_FILE, SYNTH_TAIL,
                                              SYNTH_RAMP_UP,      SYNTH_SMALL_CHUNKS, SYNTH_FAILURES};
        fault = mixable[whole_between(d, 0, 6)];
        do
            other = mixable[whole_between(d, 0, 6)];
        while (other == fault);
        draw_fault(d, o, other);
    }
    draw_fault(d, o, fault);
    worsen(&o->faults, variant_of(o).severity);
    planted->wall = wall_seconds(o, err);
    if (fault == SYNTH_FAULTS)
        return true;
    synth_options cured = without(o, fault);
    double main_wall = wall_seconds(&cured, err), saving = planted->wall - main_wall;
    planted->cause = FAULTS[fault].finding;
    planted->saving = saving;
    if (mixed) {
        cured = without(o, other);
        planted->other = FAULTS[other].name;
        planted->other_saving = planted->wall - wall_seconds(&cured, err);
        planted->main = FAULTS[fault].name;
        if (saving < LEAST_CONTRAST * planted->other_saving || planted->other_saving < 0.02 * planted->wall)
            return false;
    }
    return saving >= LEAST_SAVING * planted->wall || (fault == SYNTH_MEMORY_LEAK && saving < 0.01 * planted->wall);
}

const char *synth_scenario_at(size_t index)
{
    if (index < SYNTH_FAULTS)
        return FAULTS[index].name;
    return index == SYNTH_FAULTS ? "healthy" : index == SYNTH_FAULTS + 1 ? "mixture" : NULL;
}

bool synth_scenario(synth_options *o, const char *name, synth_planted *planted, roast_error *err)
{
    size_t index = 0;
    while (synth_scenario_at(index) && strcmp(synth_scenario_at(index), name) != 0)
        index++;
    if (!synth_scenario_at(index))
        return false;
    synth_options given = *o;
    for (uint64_t draws = 0; draws < MOST_DRAWS; draws++) {
        dice d = {given.seed * UINT64_C(0x9e3779b97f4a7c15) + draws * UINT64_C(0xd1342543de82ef95) + index};
        *o = given;
        o->scenario = synth_scenario_at(index);
        *planted = (synth_planted){.scenario = o->scenario};
        bool mixed = index == SYNTH_FAULTS + 1;
        if (draw(&d, o, mixed, index < SYNTH_FAULTS ? (synth_fault)index : SYNTH_FAULTS, planted, err))
            return true;
    }
    return false;
}
