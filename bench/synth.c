/* Plays a job on a cluster: workers come and go, chunks are given greedily to whichever thread is free first, some
 * attempts raise, some die with their worker, and what failed is tried again elsewhere. The result is what happened,
 * in plain arrays. Everything is drawn from one seed, so a job can be had again. */
#include "synth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t MEBIBYTE = INT64_C(1) << 20;
static const int64_t RUN_STARTED = INT64_C(1794751200) * INT64_C(1000000000); /* 2026-11-15 14:00:00 UTC */
static const uint32_t MOST_TRIES = 3;                                         /* of a chunk that raises */
static const uint32_t LOCAL_THREADS = 4;                                      /* of a job without workers */

/* ---- Chance ------------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double synth_uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

static double uniform(synth_job *job, double from, double to)
{
    return from + (to - from) * synth_uniform(&job->random);
}

static bool chance(synth_job *job, double probability)
{
    return uniform(job, 0, 1) < probability;
}

/* A factor around 1 with a tail to the right, as durations have. */
static double noise(synth_job *job, double width)
{
    double normal = 0;
    for (int i = 0; i < 4; i++)
        normal += uniform(job, -1, 1);
    return exp(width * normal * 0.866);
}

static int64_t nanoseconds(double seconds)
{
    return llround(seconds * 1e9);
}

static int64_t scaled(int64_t value, double factor)
{
    return llround((double)value * factor);
}

/* ---- A queue ordered by time ---------------------------------------------------------------------------------- */

typedef struct event {
    int64_t t_ns;
    uint32_t worker, thread, chunk;
} event;

typedef struct event_queue {
    event *items;
    size_t count, capacity;
} event_queue;

static bool queue_push(event_queue *queue, event item)
{
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity ? queue->capacity * 2 : 64;
        event *items = realloc(queue->items, capacity * sizeof *items);
        if (!items)
            return false;
        queue->items = items;
        queue->capacity = capacity;
    }
    size_t at = queue->count++;
    for (; at && queue->items[(at - 1) / 2].t_ns > item.t_ns; at = (at - 1) / 2)
        queue->items[at] = queue->items[(at - 1) / 2];
    queue->items[at] = item;
    return true;
}

static event queue_pop(event_queue *queue)
{
    event first = queue->items[0], last = queue->items[--queue->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && queue->items[child + 1].t_ns < queue->items[child].t_ns)
            child++;
        if (queue->items[child].t_ns >= last.t_ns)
            break;
        queue->items[at] = queue->items[child];
        at = child;
    }
    queue->items[at] = last;
    return first;
}

/* ---- What there is to do ---------------------------------------------------------------------------------------- */

static void plan_branches(synth_job *job)
{
    static const char *const collections[] = {"Muon", "Electron", "Jet", "FatJet", "MET", "Tau", "Photon", "GenPart"};
    static const char *const fields[] = {"pt", "eta", "phi", "mass", "charge", "jetIdx", "genPartFlav", "tightId"};
    for (uint32_t b = 0; b < job->n_branches; b++) {
        synth_branch *branch = &job->branches[b];
        const char *collection = collections[b % 8], *field = fields[b / 8 % 8];
        if (b < 64)
            snprintf(branch->name, sizeof branch->name, "%s_%s", collection, field);
        else
            snprintf(branch->name, sizeof branch->name, "%s_%s%u", collection, field, b / 64);
        branch->uncompressed = llround(uniform(job, 1, 40) * 1e6);
        branch->compressed = scaled(branch->uncompressed, uniform(job, 0.15, 0.8));
        branch->baskets = llround(uniform(job, 5, 200));
    }
}

static void plan_datasets(synth_job *job)
{
    static const char *const names[] = {"ttbar_semileptonic", "ttbar_dileptonic", "wjets", "dy_to_ll",
                                        "single_top_t",       "single_top_tw",    "ww",    "data_muon"};
    for (uint32_t d = 0; d < job->options.datasets; d++) {
        synth_dataset *dataset = &job->datasets[d];
        if (d < 8)
            snprintf(dataset->name, sizeof dataset->name, "%s", names[d]);
        else
            snprintf(dataset->name, sizeof dataset->name, "%s_%u", names[d % 8], d / 8);
        dataset->first_branch = 2 * d;
        dataset->cost = uniform(job, 0.6, 1.4);
        if (job->options.physics.dearest_dataset > 0 && job->options.datasets > 1)
            dataset->cost = 1 + (job->options.physics.dearest_dataset - 1) * d / (job->options.datasets - 1);
        dataset->cpu_share = uniform(job, 0.5, 0.9);
        dataset->bytes_per_event = uniform(job, 400, 4000);
    }
}

static void plan_files(synth_job *job)
{
    const synth_options *o = &job->options;
    int64_t compressed = 0, uncompressed = 0;
    for (uint32_t b = 0; b < job->n_branches; b++) {
        compressed += job->branches[b].compressed;
        uncompressed += job->branches[b].uncompressed;
    }
    for (uint32_t f = 0; f < o->files; f++) {
        synth_file *file = &job->files[f];
        file->dataset = (uint32_t)((uint64_t)f * o->datasets / o->files);
        if (o->scenario)
            snprintf(file->url, sizeof file->url, "root://site%u.example.org//store/nano/%s/%05u.root",
                     f % o->physics.sites, job->datasets[file->dataset].name, f);
        else
            snprintf(file->url, sizeof file->url, "root://eos.example.org//store/nano/%s/%05u.root",
                     job->datasets[file->dataset].name, f);
        snprintf(file->uuid, sizeof file->uuid, "%08x-5eed-11ee-8000-%012x", f, (unsigned)o->seed);
        file->compressed = compressed + llround(uniform(job, 2e8, 2e9));
        file->uncompressed = uncompressed + scaled(file->compressed - compressed, uniform(job, 1.5, 5));
        file->clusters = llround(uniform(job, 3, 120));
    }
}

/* Which chunks of a scenario are huge: late ones, where they hurt. */
static bool is_huge(const synth_options *o, uint32_t base, uint32_t n_base)
{
    for (uint32_t k = 0; k < o->faults.huge_chunks; k++) {
        uint64_t state = o->seed * 31 + k;
        if (base == (uint32_t)(n_base * (0.7 + 0.29 * synth_uniform(&state))))
            return true;
    }
    return false;
}

/* How many chunks one of the usual size becomes. */
static uint32_t pieces_of(const synth_options *o, uint32_t base, uint32_t n_base)
{
    uint32_t split = o->faults.split ? o->faults.split : 1;
    return is_huge(o, base, n_base) && o->faults.huge_cut ? split * o->faults.huge : split;
}

static uint32_t count_scenario_chunks(const synth_options *o)
{
    uint32_t count = 0;
    for (uint32_t base = 0; base < o->chunks; base++)
        count += pieces_of(o, base, o->chunks);
    return count;
}

/* Costs are drawn from a number of the chunk's own, so that the same chunk costs the same in another order. */
static void plan_scenario_chunks(synth_job *job, uint32_t n_base)
{
    const synth_options *o = &job->options;
    uint32_t c = 0;
    for (uint32_t base = 0; base < n_base; base++) {
        uint32_t pieces = pieces_of(o, base, n_base);
        uint64_t state = (o->seed << 20) + base;
        double smallest = o->physics.smallest_chunk;
        double events = 50000 * (smallest + (1 - smallest) * synth_uniform(&state));
        if (is_huge(o, base, n_base))
            events *= o->faults.huge;
        for (uint32_t piece = 0; piece < pieces; piece++, c++) {
            synth_chunk *chunk = &job->chunks[c];
            chunk->file = (uint32_t)((uint64_t)base * o->files / n_base);
            synth_file *file = &job->files[chunk->file];
            chunk->noise = state * 64 + piece;
            chunk->entry_start = file->entries;
            chunk->events = llround(events / pieces);
            file->entries += chunk->events;
            uint64_t fortune = chunk->noise ^ UINT64_C(0xfa11);
            chunk->stumbles = synth_uniform(&fortune) < o->retry_rate + o->faults.failure_rate;
        }
    }
}

static void plan_chunks(synth_job *job)
{
    const synth_options *o = &job->options;
    for (uint32_t c = 0; c < o->chunks; c++) {
        synth_chunk *chunk = &job->chunks[c];
        chunk->file = (uint32_t)((uint64_t)c * o->files / o->chunks);
        synth_file *file = &job->files[chunk->file];
        chunk->entry_start = file->entries;
        chunk->events = chance(job, 0.003) ? 0 : llround(50000 * uniform(job, 0.2, 1));
        file->entries += chunk->events;
        double fortune = uniform(job, 0, 1);
        chunk->doomed = fortune < o->failure_rate;
        chunk->stumbles = !chunk->doomed && fortune < o->failure_rate + o->retry_rate;
    }
}

/* ---- Who does it --------------------------------------------------------------------------------------------------
 */

/* The first worker is there from before the start until after the end, so that every chunk finds a place. */
static void plan_worker(synth_job *job, uint32_t w)
{
    const synth_options *o = &job->options;
    synth_worker *worker = &job->workers[w];
    uint32_t host = w / o->workers_per_host;
    snprintf(worker->host, sizeof worker->host, "node%03u.example.org", host);
    snprintf(worker->address, sizeof worker->address, "tcp://10.0.%u.%u:%u", host / 250, host % 250 + 1,
             40000 + w % o->workers_per_host);
    snprintf(worker->name, sizeof worker->name, "worker-%u", w);
    worker->pid = 1000 + w;
    worker->cores = o->cores ? o->cores : llround(uniform(job, 0.5, 8.5));
    if (worker->cores < 1)
        worker->cores = 1;
    worker->memory_limit = worker->cores * 2048 * MEBIBYTE;
    worker->speed = uniform(job, 0.85, 1.15);
    worker->clock_offset_ns = nanoseconds(uniform(job, -o->clock_skew_s, o->clock_skew_s));
    worker->joined_ns = job->t_start_ns - nanoseconds(uniform(job, 1, 60));
    worker->left_ns = worker->no_more_ns = ROAST_ABSENT;
    if (w == 0)
        return;
    if (chance(job, o->join))
        worker->joined_ns = job->t_start_ns + nanoseconds(o->duration_s * uniform(job, 0.02, 0.5));
    double fortune = uniform(job, 0, 1);
    worker->lost = fortune < o->die;
    if (fortune < o->die + o->leave)
        worker->left_ns = job->t_start_ns + nanoseconds(o->duration_s * uniform(job, 0.51, 0.95));
    worker->no_more_ns = worker->left_ns;
}

/* Workers of a scenario are alike but for their faults, and each has its own luck. */
static void plan_scenario_worker(synth_job *job, uint32_t w)
{
    const synth_options *o = &job->options;
    const synth_faults *f = &o->faults;
    synth_worker *worker = &job->workers[w];
    uint64_t state = (o->seed << 16) + w * UINT64_C(0x51ed2701) + 7;
    uint32_t hosts = (o->workers + o->workers_per_host - 1) / o->workers_per_host, host = w / o->workers_per_host;
    worker->speed = 1 + o->physics.speed_spread * (2 * synth_uniform(&state) - 1);
    uint64_t of_host = (o->seed << 16) + host * UINT64_C(0x2c1b3c6d) + 11;
    worker->speed *= 1 + o->physics.host_spread * (2 * synth_uniform(&of_host) - 1);
    double luck = synth_uniform(&state), little = synth_uniform(&state);
    uint64_t which = o->seed * 77;
    uint32_t first_slow = (uint32_t)(synth_uniform(&which) * hosts);
    if (f->slow_hosts && (host + hosts - first_slow) % hosts < f->slow_hosts)
        worker->speed /= f->host_slowdown;
    if (f->ramp_seconds > 0 && w > 0)
        worker->joined_ns = job->t_start_ns + nanoseconds(luck * f->ramp_seconds);
    if (o->faults.leak_mib > 0 || f->spread_limits)
        worker->memory_limit = (w && f->spread_limits && little < 0.4 ? 1500 : 4000) * MEBIBYTE;
}

/* ---- Doing it -----------------------------------------------------------------------------------------------------
 */

typedef struct schedule {
    synth_job *job;
    event_queue slots;   /* threads, by the time they are free */
    event_queue retries; /* chunks to try again, by the time that is known */
    event *parked;       /* threads that found nothing to do */
    size_t n_parked;
    uint32_t next_chunk;
    double chunk_seconds;  /* that an average chunk should take */
    int64_t dispatcher_ns; /* when the scheduler can start the next chunk */
} schedule;

static uint32_t threads_in_all(const synth_job *job)
{
    uint32_t threads = 0;
    for (uint32_t w = 0; w < job->options.workers; w++)
        threads += (uint32_t)job->workers[w].cores;
    return job->options.workers ? threads : LOCAL_THREADS;
}

static bool add_threads(schedule *s, uint32_t worker, uint32_t threads, int64_t from)
{
    for (uint32_t thread = 0; thread < threads; thread++) {
        int64_t ready = from + nanoseconds(uniform(s->job, 0.001, 0.05));
        if (!queue_push(&s->slots, (event){ready, worker, thread, 0}))
            return false;
    }
    return true;
}

static bool schedule_init(schedule *s, synth_job *job)
{
    const synth_options *o = &job->options;
    uint32_t threads = threads_in_all(job);
    *s = (schedule){.job = job};
    s->chunk_seconds = o->chunks ? 0.75 * o->duration_s * threads / o->chunks : 0;
    s->parked = calloc(threads, sizeof *s->parked);
    if (!s->parked)
        return false;
    if (!o->workers)
        return add_threads(s, SYNTH_NO_WORKER, LOCAL_THREADS, job->t_start_ns);
    for (uint32_t w = 0; w < o->workers; w++) {
        const synth_worker *worker = &job->workers[w];
        int64_t from = worker->joined_ns > job->t_start_ns ? worker->joined_ns : job->t_start_ns;
        if (!add_threads(s, w, (uint32_t)worker->cores, from))
            return false;
    }
    return true;
}

static void schedule_release(schedule *s)
{
    free(s->slots.items);
    free(s->retries.items);
    free(s->parked);
}

/* Threads that had nothing to do look again when a chunk comes back. */
static bool retry_chunk(schedule *s, uint32_t chunk, int64_t t_ns)
{
    if (!queue_push(&s->retries, (event){t_ns, SYNTH_NO_WORKER, 0, chunk}))
        return false;
    while (s->n_parked) {
        event slot = s->parked[--s->n_parked];
        if (slot.t_ns < t_ns)
            slot.t_ns = t_ns;
        if (!queue_push(&s->slots, slot))
            return false;
    }
    return true;
}

static synth_attempt *add_attempt(synth_job *job)
{
    if (job->n_attempts == job->attempt_capacity) {
        uint32_t capacity = job->attempt_capacity ? job->attempt_capacity + job->attempt_capacity / 4 + 16 : 64;
        synth_attempt *attempts = realloc(job->attempts, capacity * sizeof *attempts);
        if (!attempts)
            return NULL;
        job->attempts = attempts;
        job->attempt_capacity = capacity;
    }
    return &job->attempts[job->n_attempts++];
}

/* What the attempt costs if nothing goes wrong. Scenarios (slow storage, a slow host, a bad file) belong here. */
static void draw_costs(schedule *s, synth_attempt *attempt)
{
    synth_job *job = s->job;
    const synth_chunk *chunk = &job->chunks[attempt->chunk];
    const synth_dataset *dataset = &job->datasets[job->files[chunk->file].dataset];
    double speed = attempt->worker == SYNTH_NO_WORKER ? 1 : job->workers[attempt->worker].speed;
    double seconds = s->chunk_seconds * (0.1 + 1.5 * (double)chunk->events / 50000) * dataset->cost / speed;
    attempt->duration_ns = nanoseconds(seconds * noise(job, 0.15)) + 1000;
    attempt->open_ns = nanoseconds(s->chunk_seconds * 0.08 * noise(job, 0.4) * job->options.slow_open);
    attempt->events_ns = nanoseconds(s->chunk_seconds * 0.03 * noise(job, 0.2));
    attempt->return_ns = nanoseconds(s->chunk_seconds * 0.005 * noise(job, 0.2));
    attempt->cpu_ns = scaled(attempt->duration_ns, dataset->cpu_share * uniform(job, 0.9, 1.1));
    int64_t waited_ns = scaled(attempt->duration_ns - attempt->cpu_ns, job->options.slow_wait);
    attempt->cpu_ns = scaled(attempt->cpu_ns, job->options.slow_cpu);
    attempt->duration_ns = attempt->cpu_ns + waited_ns;
    attempt->run_delay_ns = scaled(waited_ns, uniform(job, 0, 0.3));
    attempt->bytes_read = llround((double)chunk->events * dataset->bytes_per_event * uniform(job, 0.9, 1.1));
    attempt->read_requests = 1 + attempt->bytes_read / 300000;
    attempt->rss_before = llround(uniform(job, 300, 900) * (double)MEBIBYTE);
    attempt->rss_after = attempt->rss_before + llround(uniform(job, -20, 80) * (double)MEBIBYTE);
    attempt->rss_peak = attempt->rss_before + llround(uniform(job, 80, 400) * (double)MEBIBYTE);
    attempt->voluntary_switches = attempt->read_requests + llround(uniform(job, 0, 50));
    attempt->involuntary_switches = llround(uniform(job, 0, 200));
    attempt->page_faults = llround(uniform(job, 100, 5000));
}

/* The same for a scenario, from the chunk's own noise. */
static void draw_scenario_costs(schedule *s, synth_attempt *attempt)
{
    synth_job *job = s->job;
    const synth_options *o = &job->options;
    const synth_faults *f = &o->faults;
    const synth_chunk *chunk = &job->chunks[attempt->chunk];
    const synth_file *file = &job->files[chunk->file];
    const synth_dataset *dataset = &job->datasets[file->dataset];
    synth_worker *worker = &job->workers[attempt->worker];
    uint64_t kept = job->random;
    job->random = chunk->noise * UINT64_C(0x2545f4914f6cdd1d) + attempt->number;
    double usual =
        o->physics.chunk_seconds * (double)chunk->events / 42500 * dataset->cost * noise(job, o->physics.noise);
    double share = uniform(job, o->physics.cpu_low, o->physics.cpu_high);
    double open = o->physics.open_seconds * noise(job, 0.2), build = o->physics.build_seconds * noise(job, 0.1);
    bool stalls =
        f->stall > 0 && (f->slow_site == SYNTH_EVERY_SITE || (uint32_t)f->slow_site == chunk->file % o->physics.sites);
    double stall = stalls ? f->stall * usual * noise(job, 0.3) : 0;
    if (stalls)
        open *= 1 + 0.5 * f->stall;
    double slow = f->file_slowdown > 0 && chunk->file == f->bad_file ? f->file_slowdown : 1;
    attempt->duration_ns = nanoseconds((usual * slow + stall) / worker->speed) + 1000;
    attempt->cpu_ns = nanoseconds(usual * share / worker->speed);
    attempt->run_delay_ns = scaled(attempt->duration_ns - attempt->cpu_ns, uniform(job, 0, 0.05));
    attempt->open_ns = nanoseconds(open / worker->speed);
    attempt->events_ns = nanoseconds(build / worker->speed);
    attempt->return_ns = nanoseconds(0.002 * usual / worker->speed);
    attempt->bytes_read = llround((double)chunk->events * dataset->bytes_per_event);
    attempt->read_requests = 1 + attempt->bytes_read / 300000;
    attempt->rss_before = llround((500 + worker->leaked + uniform(job, -60, 60)) * (double)MEBIBYTE);
    worker->leaked += f->leak_mib * uniform(job, 0.6, 1.4);
    attempt->rss_after = llround((500 + worker->leaked + uniform(job, -60, 60)) * (double)MEBIBYTE);
    attempt->rss_peak = attempt->rss_before + llround(uniform(job, 80, 200) * (double)MEBIBYTE);
    attempt->voluntary_switches = attempt->involuntary_switches = attempt->page_faults = 100;
    job->random = kept;
}

/* A worker dies of the chunk that takes more memory than there is. */
static void die_of_memory(synth_job *job, synth_attempt *attempt)
{
    synth_worker *worker = &job->workers[attempt->worker];
    if (job->options.faults.leak_mib <= 0 || attempt->worker == 0 || attempt->rss_after < worker->memory_limit)
        return;
    worker->left_ns = attempt->t_start_ns + scaled(attempt->duration_ns, 0.8);
    worker->no_more_ns = worker->left_ns;
    worker->lost = true;
}

/* An exception somewhere in process(): what had been measured until then is kept. */
static void raise_in_process(synth_job *job, synth_attempt *attempt)
{
    double done = uniform(job, 0.1, 0.9);
    attempt->fate = SYNTH_RAISED;
    attempt->duration_ns = scaled(attempt->duration_ns, done);
    attempt->cpu_ns = scaled(attempt->cpu_ns, done);
    attempt->run_delay_ns = scaled(attempt->run_delay_ns, done);
    attempt->bytes_read = scaled(attempt->bytes_read, done);
    attempt->return_ns = 0;
}

/* The worker died: nobody was left to say more than how long it had been at it. */
static void kill_attempt(synth_attempt *attempt, int64_t died_ns)
{
    attempt->fate = SYNTH_KILLED;
    attempt->task_stop_ns = died_ns;
    attempt->t_start_ns = attempt->task_start_ns;
    attempt->duration_ns = died_ns - attempt->task_start_ns;
    attempt->open_ns = attempt->events_ns = attempt->return_ns = ROAST_ABSENT;
    attempt->cpu_ns = attempt->run_delay_ns = ROAST_ABSENT;
    attempt->rss_before = attempt->rss_after = attempt->rss_peak = ROAST_ABSENT;
    attempt->bytes_read = attempt->read_requests = ROAST_ABSENT;
    attempt->voluntary_switches = attempt->involuntary_switches = attempt->page_faults = ROAST_ABSENT;
}

/* One attempt of a thread at a chunk; the thread is then free at slot->t_ns. */
static bool run_attempt(schedule *s, event *slot, uint32_t chunk_index)
{
    synth_job *job = s->job;
    synth_attempt *attempt = add_attempt(job);
    if (!attempt)
        return false;
    synth_chunk *chunk = &job->chunks[chunk_index];
    *attempt = (synth_attempt){.chunk = chunk_index, .worker = slot->worker, .thread = slot->thread};
    attempt->number = ++chunk->tries;
    if (job->options.scenario)
        draw_scenario_costs(s, attempt);
    else
        draw_costs(s, attempt);
    if (chunk->doomed || (chunk->stumbles && chunk->tries == 1))
        raise_in_process(job, attempt);
    attempt->task_start_ns = slot->t_ns;
    attempt->t_start_ns = slot->t_ns + attempt->open_ns + attempt->events_ns;
    attempt->task_stop_ns = attempt->t_start_ns + attempt->duration_ns + attempt->return_ns;
    if (job->options.scenario)
        die_of_memory(job, attempt);
    synth_worker *worker = slot->worker == SYNTH_NO_WORKER ? NULL : &job->workers[slot->worker];
    if (worker && worker->left_ns != ROAST_ABSENT && worker->left_ns < attempt->task_stop_ns) {
        if (worker->lost)
            kill_attempt(attempt, worker->left_ns);
        else
            worker->left_ns = attempt->task_stop_ns; /* it finishes what it has begun */
    }
    slot->t_ns = attempt->task_stop_ns;
    if (attempt->fate == SYNTH_KILLED || (attempt->fate == SYNTH_RAISED && chunk->tries < MOST_TRIES))
        return retry_chunk(s, chunk_index, attempt->task_stop_ns);
    return true;
}

/* Gives the next thing to do to the thread that is free first. */
static bool schedule_step(schedule *s)
{
    event slot = queue_pop(&s->slots);
    if (slot.worker != SYNTH_NO_WORKER) {
        int64_t no_more = s->job->workers[slot.worker].no_more_ns;
        if (no_more != ROAST_ABSENT && no_more <= slot.t_ns)
            return true;
    }
    if (s->job->options.faults.dispatch_seconds > 0 && (s->retries.count || s->next_chunk < s->job->options.chunks)) {
        slot.t_ns = slot.t_ns > s->dispatcher_ns ? slot.t_ns : s->dispatcher_ns;
        s->dispatcher_ns = slot.t_ns + nanoseconds(s->job->options.faults.dispatch_seconds);
    }
    if (s->retries.count && s->retries.items[0].t_ns <= slot.t_ns) {
        if (!run_attempt(s, &slot, queue_pop(&s->retries).chunk))
            return false;
    } else if (s->next_chunk < s->job->options.chunks) {
        if (!run_attempt(s, &slot, s->next_chunk++))
            return false;
    } else if (s->retries.count) {
        slot.t_ns = s->retries.items[0].t_ns;
    } else {
        s->parked[s->n_parked++] = slot;
        return true;
    }
    return queue_push(&s->slots, slot);
}

static bool play_schedule(synth_job *job)
{
    schedule s;
    bool done = schedule_init(&s, job);
    while (done && s.slots.count)
        done = schedule_step(&s);
    schedule_release(&s);
    return done;
}

/* The run ends when the last result is merged; a worker that would have left later stayed. */
static void end_run(synth_job *job)
{
    int64_t last = job->t_start_ns;
    for (uint32_t a = 0; a < job->n_attempts; a++)
        if (job->attempts[a].task_stop_ns > last)
            last = job->attempts[a].task_stop_ns;
    double merging = job->n_attempts ? 0.01 : 1;
    job->t_end_ns = last + nanoseconds(merging * job->options.duration_s);
    for (uint32_t w = 0; w < job->options.workers; w++) {
        synth_worker *worker = &job->workers[w];
        if (worker->left_ns == ROAST_ABSENT || worker->left_ns > job->t_end_ns) {
            worker->left_ns = ROAST_ABSENT;
            worker->lost = false;
        }
    }
}

static int compare_ends(const void *a, const void *b, void *context)
{
    const synth_attempt *attempts = context;
    int64_t left = attempts[*(const uint32_t *)a].task_stop_ns, right = attempts[*(const uint32_t *)b].task_stop_ns;
    return (left > right) - (left < right);
}

static bool order_by_end(synth_job *job)
{
    job->finished = calloc((size_t)job->n_attempts + 1, sizeof *job->finished);
    if (!job->finished)
        return false;
    for (uint32_t a = 0; a < job->n_attempts; a++)
        job->finished[a] = a;
    if (job->n_attempts)
        qsort_r(job->finished, job->n_attempts, sizeof *job->finished, compare_ends, job->attempts);
    return true;
}

/* ---- What was seen of it ------------------------------------------------------------------------------------------
 */

static void share_out_sections(synth_job *job)
{
    uint32_t n = job->options.sections;
    for (uint32_t a = 0; a < job->n_attempts && n; a++) {
        const synth_attempt *attempt = &job->attempts[a];
        if (attempt->fate != SYNTH_SUCCEEDED)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            synth_section *section = &job->sections[(size_t)a * n + i];
            bool nested = synth_section_parent(i) != UINT32_MAX;
            double share = (nested ? uniform(job, 0.2, 0.5) : uniform(job, 0.5, 1)) / n;
            section->count = chance(job, 0.1) ? 3 : 1;
            section->duration_ns = scaled(attempt->duration_ns, share);
            section->cpu_ns = scaled(attempt->cpu_ns, share);
            section->rss_before = attempt->rss_before;
            section->rss_delta = scaled(attempt->rss_after - attempt->rss_before, share);
            section->bytes = scaled(attempt->bytes_read, share);
        }
    }
}

static int compare_times(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Fills in the heartbeats of one worker, given when its attempts began and ended, each in order of time. */
static void take_samples(synth_job *job, uint32_t w, const int64_t *begun, const int64_t *ended, uint32_t count)
{
    const synth_options *o = &job->options;
    const synth_worker *worker = &job->workers[w];
    int64_t from = worker->joined_ns > job->t_start_ns ? worker->joined_ns : job->t_start_ns;
    int64_t until = worker->left_ns == ROAST_ABSENT ? job->t_end_ns : worker->left_ns;
    double step = (double)(until - from) / o->samples, resident = uniform(job, 0.15, 0.25);
    uint32_t n_begun = 0, n_ended = 0;
    for (uint32_t k = 0; k < o->samples; k++) {
        synth_sample *sample = &job->samples[(size_t)w * o->samples + k];
        sample->t_ns = from + (int64_t)(step * (k + uniform(job, 0.3, 0.7)));
        while (n_begun < count && begun[n_begun] <= sample->t_ns)
            n_begun++;
        while (n_ended < count && ended[n_ended] <= sample->t_ns)
            n_ended++;
        sample->executing = n_begun - n_ended;
        sample->processing = sample->executing ? sample->executing + worker->cores : 0;
        resident = fmin(0.95, resident + uniform(job, -0.3, 0.31) / o->samples);
        sample->memory =
            scaled(worker->memory_limit, resident + 0.05 * (double)sample->executing / (double)worker->cores);
        sample->managed = scaled(sample->memory, uniform(job, 0.05, 0.2));
        sample->spilled = resident > 0.4 ? scaled(worker->memory_limit, resident - 0.4) : 0;
        if (o->scenario) {
            double leaked = o->faults.leak_mib * n_ended;
            sample->memory =
                llround(fmin(500 + leaked + uniform(job, 0, 100), (double)worker->memory_limit / (double)MEBIBYTE) *
                        (double)MEBIBYTE);
            sample->managed = sample->spilled = 0;
        }
        sample->cpu = (double)sample->executing * uniform(job, 55, 98) + uniform(job, 0, 4);
        sample->occupancy = (double)sample->processing * uniform(job, 0.5, 2);
        sample->net_read = round((double)sample->executing * uniform(job, 2e6, 2e7) + uniform(job, 0, 1e5));
        sample->net_write = round(sample->net_read * uniform(job, 0.01, 0.05));
        sample->disk_read = round(uniform(job, 0, 1e6));
        sample->disk_write = round(uniform(job, 0, 5e6));
    }
}

/* Sorts the attempts by worker, and each worker's by time, once for the beginnings and once for the ends. */
static bool sample_workers(synth_job *job)
{
    const synth_options *o = &job->options;
    if (!o->workers || !o->samples)
        return true;
    uint32_t *first = calloc((size_t)o->workers + 2, sizeof *first);
    int64_t *begun = calloc((size_t)job->n_attempts + 1, sizeof *begun);
    int64_t *ended = calloc((size_t)job->n_attempts + 1, sizeof *ended);
    bool done = first && begun && ended;
    if (done) {
        for (uint32_t a = 0; a < job->n_attempts; a++)
            first[job->attempts[a].worker + 2]++;
        for (uint32_t w = 0; w < o->workers; w++)
            first[w + 2] += first[w + 1];
        for (uint32_t a = 0; a < job->n_attempts; a++) {
            uint32_t at = first[job->attempts[a].worker + 1]++;
            begun[at] = job->attempts[a].task_start_ns;
            ended[at] = job->attempts[a].task_stop_ns;
        }
        for (uint32_t w = 0; w < o->workers; w++) {
            uint32_t count = first[w + 1] - first[w];
            qsort(begun + first[w], count, sizeof *begun, compare_times);
            qsort(ended + first[w], count, sizeof *ended, compare_times);
            take_samples(job, w, begun + first[w], ended + first[w], count);
        }
    }
    free(first);
    free(begun);
    free(ended);
    return done;
}

static void add_activity(synth_job *job, const char *context, const char *prefix, const char *activity,
                         const char *unit, double value)
{
    job->activities[job->n_activities++] = (synth_activity){context, prefix, activity, unit, value};
}

/* The engine's own sums, as a Dask span would give them. */
static void sum_activities(synth_job *job)
{
    int64_t cpu = 0, all = 0, bytes = 0;
    for (uint32_t a = 0; a < job->n_attempts; a++) {
        const synth_attempt *attempt = &job->attempts[a];
        if (attempt->fate != SYNTH_SUCCEEDED)
            continue;
        cpu += attempt->cpu_ns + scaled(attempt->open_ns, 0.4);
        all += attempt->task_stop_ns - attempt->task_start_ns;
        bytes += attempt->bytes_read;
    }
    if (!job->n_attempts || !job->options.workers)
        return;
    double cpu_s = (double)cpu / 1e9, all_s = (double)all / 1e9;
    add_activity(job, "execute", SYNTH_PROCESSOR, "thread-cpu", "seconds", cpu_s);
    add_activity(job, "execute", SYNTH_PROCESSOR, "thread-noncpu", "seconds", all_s - cpu_s);
    add_activity(job, "execute", SYNTH_PROCESSOR, "executor", "seconds", 0.002 * all_s);
    add_activity(job, "execute", SYNTH_PROCESSOR, "memory-read", "bytes", (double)(bytes / 1000));
    add_activity(job, "execute", SYNTH_PROCESSOR, "memory-read", "count", job->n_attempts);
    add_activity(job, "execute", "reduce", "thread-cpu", "seconds", 0.02 * cpu_s);
    add_activity(job, "execute", "reduce", "thread-noncpu", "seconds", 0.001 * cpu_s);
    add_activity(job, "execute", "reduce", "memory-read", "bytes", (double)(bytes / 500));
    add_activity(job, "execute", "reduce", "disk-read", "bytes", (double)(bytes / 4000));
    add_activity(job, "execute", "reduce", "disk-write", "bytes", (double)(bytes / 3000));
    add_activity(job, "execute", "reduce", "compress", "seconds", 0.003 * all_s);
    add_activity(job, "execute", "reduce", "decompress", "seconds", 0.002 * all_s);
    add_activity(job, "execute", "reduce", "serialize", "seconds", 0.004 * all_s);
    add_activity(job, "execute", "reduce", "deserialize", "seconds", 0.005 * all_s);
    add_activity(job, "execute", "N/A", "idle or other spans", "seconds", 0.1 * all_s);
}

/* ---- Public -------------------------------------------------------------------------------------------------------
 */

static bool allocate(synth_job *job)
{
    synth_options *o = &job->options;
    job->n_base_chunks = o->chunks;
    if (o->scenario)
        o->chunks = count_scenario_chunks(o);
    job->n_branches = o->branches + 2 * (o->datasets - 1);
    job->unread_branches = 1000;
    job->datasets = calloc(o->datasets, sizeof *job->datasets);
    job->files = calloc(o->files, sizeof *job->files);
    job->branches = calloc((size_t)job->n_branches + 1, sizeof *job->branches);
    job->chunks = calloc((size_t)o->chunks + 1, sizeof *job->chunks);
    job->workers = calloc((size_t)o->workers + 1, sizeof *job->workers);
    job->samples = calloc((size_t)o->workers * o->samples + 1, sizeof *job->samples);
    return job->datasets && job->files && job->branches && job->chunks && job->workers && job->samples;
}

static bool simulate(synth_job *job)
{
    if (!allocate(job))
        return false;
    plan_branches(job);
    plan_datasets(job);
    plan_files(job);
    if (job->options.scenario)
        plan_scenario_chunks(job, job->n_base_chunks);
    else
        plan_chunks(job);
    job->random += job->options.luck * UINT64_C(0x9fb21c651e98df25);
    for (uint32_t w = 0; w < job->options.workers; w++) {
        plan_worker(job, w);
        if (job->options.scenario)
            plan_scenario_worker(job, w);
    }
    if (!play_schedule(job) || !order_by_end(job))
        return false;
    end_run(job);
    job->sections = calloc((size_t)job->n_attempts * job->options.sections + 1, sizeof *job->sections);
    if (!job->sections || !sample_workers(job))
        return false;
    share_out_sections(job);
    sum_activities(job);
    return true;
}

synth_options synth_defaults(void)
{
    return (synth_options){
        .seed = 1,
        .datasets = 4,
        .files = 40,
        .chunks = 1000,
        .workers = 12,
        .samples = 120,
        .sections = 3,
        .branches = 30,
        .cores = 4,
        .workers_per_host = 2,
        .retry_rate = 0.01,
        .failure_rate = 0.002,
        .join = 0.25,
        .leave = 0.1,
        .die = 0.1,
        .duration_s = 600,
        .clock_skew_s = 0.002,
        .slow_open = 1,
        .slow_cpu = 1,
        .slow_wait = 1,
        .report = true,
    };
}

synth_job *synth_simulate(const synth_options *options, roast_error *err)
{
    synth_job *job = calloc(1, sizeof *job);
    if (job) {
        job->options = *options;
        job->random = options->seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
        job->t_start_ns = RUN_STARTED;
    }
    if (job && simulate(job))
        return job;
    synth_free(job);
    if (err)
        *err = (roast_error){ROAST_MEMORY, "no memory for a synthetic run of this size"};
    return NULL;
}

void synth_free(synth_job *job)
{
    if (!job)
        return;
    free(job->datasets);
    free(job->files);
    free(job->branches);
    free(job->chunks);
    free(job->workers);
    free(job->attempts);
    free(job->finished);
    free(job->sections);
    free(job->samples);
    free(job);
}

void synth_section_name(uint32_t section, char *text, size_t size)
{
    static const char *const names[] = {"selection", "corrections", "histograms", "systematics"};
    if (section < 4)
        snprintf(text, size, "%s", names[section]);
    else
        snprintf(text, size, "%s_%u", names[section % 4], section / 4);
}

uint32_t synth_section_parent(uint32_t section)
{
    return section % 3 == 1 ? section - 1 : UINT32_MAX;
}

int64_t synth_attempt_events(const synth_job *job, const synth_attempt *attempt)
{
    return attempt->fate == SYNTH_KILLED ? ROAST_ABSENT : job->chunks[attempt->chunk].events;
}
