/* Hands a played job to a recorder, with what a real run of coffea on Dask has: facts, files and their branches,
 * workers, heartbeats and attempts as time goes by, tasks, departures, fine metrics and coffea's report. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum { READ_BRANCHES = 12, UNREAD_BRANCHES = 24 };
static const double UNPACKED = 3.5, UNREAD = 3; /* times the bytes that are read */

typedef struct recording {
    const sim_plan *plan;
    const sim_log *log;
    roast_recorder *recorder;
    int64_t start_ns;
    char branches[READ_BRANCHES + UNREAD_BRANCHES][24];
    roast_str read[READ_BRANCHES];
} recording;

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

static int64_t ns(double seconds)
{
    return (int64_t)llround(seconds * 1e9);
}

static int64_t whole(double value)
{
    return (int64_t)llround(value);
}

/* ---- Names ----------------------------------------------------------------------------------------------------------
 */

typedef struct name {
    char text[96];
} name;

static name life_address(const recording *r, uint32_t life)
{
    name made;
    uint32_t host = r->plan->workers[r->log->lives[life].worker].host;
    snprintf(made.text, sizeof made.text, "tcp://10.1.%u.%u:%u", host / 250, host % 250 + 1, 40000 + life);
    return made;
}

static name file_url(const recording *r, uint32_t file)
{
    name made;
    const sim_file *planned = &r->plan->files[file];
    snprintf(made.text, sizeof made.text, "root://store%u.example.org//nano/dataset_%u/part_%05u.root",
             planned->server + 1, planned->dataset + 1, file);
    return made;
}

static name file_uuid(const recording *r, uint32_t file)
{
    name made;
    snprintf(made.text, sizeof made.text, "%08x-0000-4000-8000-%012" PRIx64, file, r->plan->seed & 0xffffffffffff);
    return made;
}

static name dataset_name(uint32_t dataset)
{
    static const char *const names[SIM_MOST_DATASETS] = {"ttbar", "wjets", "zjets", "single_top", "diboson", "data"};
    name made;
    snprintf(made.text, sizeof made.text, "%s", names[dataset]);
    return made;
}

/* ---- What is known at the start -------------------------------------------------------------------------------------
 */

static void record_facts(const recording *r)
{
    roast_record_fact_int(r->recorder, "t_start_ns", r->start_ns);
    roast_record_fact(r->recorder, "engine", text("dask"));
    roast_record_fact(r->recorder, "executor", text("DaskExecutor"));
    roast_record_fact(r->recorder, "coffea", text("2026.9.0"));
    roast_record_fact(r->recorder, "distributed", text("2026.8.0"));
    roast_record_fact(r->recorder, "processor", text(SIM_PROCESSOR));
    if (r->log->preprocessed > 0)
        roast_record_fact_int(r->recorder, "preprocess_ns", ns(r->log->preprocessed));
}

static void name_branches(recording *r)
{
    static const char *const of[] = {"pt", "eta", "phi", "mass", "charge", "id"};
    static const char *const what[] = {"Jet", "Muon", "Electron", "Tau", "FatJet", "GenPart"};
    for (size_t b = 0; b < READ_BRANCHES + UNREAD_BRANCHES; b++) {
        snprintf(r->branches[b], sizeof r->branches[b], "%s_%s", what[b / 6], of[b % 6]);
        if (b < READ_BRANCHES)
            r->read[b] = text(r->branches[b]);
    }
}

static void record_file(const recording *r, uint32_t number)
{
    const sim_file *planned = &r->plan->files[number];
    name url = file_url(r, number), uuid = file_uuid(r, number);
    roast_branch branches[READ_BRANCHES + UNREAD_BRANCHES];
    roast_file file = roast_file_none();
    int64_t clusters = whole(fmax(ceil((double)planned->entries / (double)planned->cluster), 1));
    double factor = planned->lzma ? UNPACKED / 0.9 : UNPACKED;
    for (size_t b = 0; b < READ_BRANCHES + UNREAD_BRANCHES; b++) {
        bool read = b < READ_BRANCHES;
        double bytes = read ? planned->bytes / READ_BRANCHES : planned->bytes * UNREAD / UNREAD_BRANCHES;
        branches[b] = roast_branch_none();
        branches[b].name = text(r->branches[b]);
        branches[b].compressed = whole(bytes);
        branches[b].uncompressed = whole(bytes * factor);
        branches[b].baskets = clusters;
    }
    file.url = text(url.text);
    file.uuid = text(uuid.text);
    file.tree = text("Events");
    file.entries = planned->entries;
    file.total_branches = READ_BRANCHES + UNREAD_BRANCHES;
    file.compressed = whole(planned->bytes * (1 + UNREAD));
    file.uncompressed = whole(planned->bytes * (1 + UNREAD) * factor);
    file.clusters = clusters;
    file.algorithm = text(planned->lzma ? "LZMA" : "ZSTD");
    file.level = planned->lzma ? 9 : 5;
    file.branches = branches;
    file.n_branches = READ_BRANCHES + UNREAD_BRANCHES;
    roast_record_file(r->recorder, &file);
}

static void record_life(const recording *r, uint32_t number, bool departure)
{
    const sim_life *life = &r->log->lives[number];
    const sim_worker *planned = &r->plan->workers[life->worker];
    name address = life_address(r, number), called, host;
    snprintf(called.text, sizeof called.text, "worker-%u", life->worker);
    snprintf(host.text, sizeof host.text, "node%03u", planned->host);
    roast_worker worker = roast_worker_none();
    worker.address = text(address.text);
    worker.name = text(called.text);
    worker.host = text(host.text);
    worker.pid = 1000 + number;
    worker.cores = planned->threads;
    worker.memory_limit = whole(planned->memory_limit);
    if (life->joined > 0)
        worker.joined_ns = r->start_ns + ns(life->joined);
    worker.clock_offset_ns = ns(planned->clock_offset);
    worker.clock_error_ns = 200000;
    worker.probe = 1;
    if (departure) {
        worker.left_ns = r->start_ns + ns(life->left);
        worker.lost = true;
        worker.reason = text("the connection broke");
    }
    roast_record_worker(r->recorder, &worker);
}

/* ---- As time goes by ------------------------------------------------------------------------------------------------
 */

/* What the clock of a worker shows. */
static int64_t shown(const recording *r, uint32_t life, double t)
{
    return r->start_ns + ns(t + r->plan->workers[r->log->lives[life].worker].clock_offset);
}

static void record_sample(const recording *r, const sim_sample *taken)
{
    name address = life_address(r, taken->life);
    roast_sample sample = roast_sample_none();
    sample.worker = text(address.text);
    sample.t_ns = shown(r, taken->life, taken->t);
    sample.memory = whole(taken->memory);
    sample.cpu = taken->cpu + 2;
    sample.processing = taken->assigned;
    sample.executing = taken->executing;
    sample.managed = whole(taken->managed);
    sample.spilled = whole(taken->spilled);
    sample.occupancy = taken->assigned * r->plan->chunk_seconds;
    sample.last_seen_ns = r->start_ns + ns(taken->t + 0.002);
    sample.net_read = taken->net_read;
    sample.net_write = 2000;
    sample.disk_read = 0;
    sample.disk_write = taken->disk_write;
    roast_record_sample(r->recorder, &sample);
}

static void tell_measured(const recording *r, const sim_attempt *attempt, roast_chunk *chunk)
{
    const sim_chunk *planned = &r->plan->chunks[attempt->index];
    double open = attempt->wall[ROAST_PHASE_OPEN], events = attempt->wall[ROAST_PHASE_EVENTS];
    double process = attempt->wall[ROAST_PHASE_PROCESS], cpu = attempt->process_cpu;
    double start = isnan(attempt->process_start) ? attempt->start + open + events : attempt->process_start;
    chunk->t_start_ns = shown(r, attempt->life, start);
    chunk->duration_ns = ns(process);
    chunk->open_ns = ns(open);
    chunk->events_ns = ns(events);
    chunk->return_ns = ns(attempt->wall[ROAST_PHASE_RETURN]);
    chunk->cpu_ns = ns(cpu);
    chunk->run_delay_ns = ns(fmin(attempt->process_delay + 0.001 * cpu, process - cpu));
    chunk->rss_before = whole(attempt->rss_before);
    chunk->rss_after = whole(attempt->rss_after);
    chunk->rss_peak = whole(attempt->rss_peak);
    chunk->peak_shared = r->plan->workers[r->log->lives[attempt->life].worker].threads > 1;
    chunk->bytes_read = whole(attempt->bytes);
    chunk->read_requests = whole(attempt->requests);
    chunk->voluntary_switches = whole(attempt->requests + attempt->locks + 10);
    chunk->involuntary_switches = whole(4 * cpu + 50 * attempt->process_delay);
    chunk->page_faults = whole(planned->working_set / 40960);
    chunk->major_faults = 0;
    chunk->storage_bytes_read = 0;
}

static void tell_outcome(const recording *r, const sim_attempt *attempt, roast_chunk *chunk)
{
    bool doomed = r->plan->chunks[attempt->index].doomed;
    if (attempt->fate == SIM_DONE) {
        chunk->events = r->plan->chunks[attempt->index].events;
        chunk->branches = r->read;
        chunk->n_branches = READ_BRANCHES;
        return;
    }
    const char *type = attempt->fate == SIM_KILLED ? "KilledWorker" : doomed ? "ValueError" : "OSError";
    const char *error = doomed ? "basket 3 is cut short" : "connection timed out";
    chunk->error_type = text(type);
    chunk->error = text(attempt->fate == SIM_KILLED ? "the connection broke" : error);
}

/* Of an attempt that ended with its worker only when and where is known. */
static void record_chunk(const recording *r, const sim_attempt *attempt)
{
    const sim_chunk *planned = &r->plan->chunks[attempt->index];
    name address = life_address(r, attempt->life), url = file_url(r, planned->file), uuid = file_uuid(r, planned->file);
    name dataset = dataset_name(r->plan->files[planned->file].dataset);
    roast_chunk chunk = roast_chunk_none();
    chunk.uid = (uint64_t)(attempt->index + 1) << 16 | attempt->number;
    chunk.dataset = text(dataset.text);
    chunk.file = text(url.text);
    chunk.treename = text("Events");
    chunk.uuid = text(uuid.text);
    chunk.entry_start = planned->entry_start;
    chunk.entry_stop = planned->entry_start + planned->events;
    chunk.attempt = attempt->number;
    chunk.worker = text(address.text);
    chunk.thread = 7000 + attempt->thread;
    chunk.pid = 1000 + attempt->life;
    if (attempt->fate == SIM_KILLED) {
        chunk.t_start_ns = shown(r, attempt->life, attempt->start);
        chunk.duration_ns = ns(attempt->stop - attempt->start);
    } else {
        tell_measured(r, attempt, &chunk);
    }
    tell_outcome(r, attempt, &chunk);
    roast_record_chunk(r->recorder, &chunk);
}

static const char *const TASK_PREFIX[] = {"automatic_retries", SIM_PROCESSOR, "reduce"};

static void record_task(const recording *r, const sim_attempt *attempt)
{
    static const char *const states[] = {"memory", "erred", "killed"};
    name address = life_address(r, attempt->life), key;
    snprintf(key.text, sizeof key.text, "('%s-818cee65', %u)", TASK_PREFIX[attempt->kind], attempt->index);
    roast_task task = roast_task_none();
    task.key = text(key.text);
    task.prefix = text(TASK_PREFIX[attempt->kind]);
    task.worker = text(address.text);
    task.thread = 7000 + attempt->thread;
    task.start_ns = shown(r, attempt->life, attempt->start);
    task.stop_ns = shown(r, attempt->life, attempt->stop);
    task.attempt = attempt->number;
    task.state = text(states[attempt->fate]);
    if (attempt->fate == SIM_DONE)
        task.nbytes = whole(r->plan->result + (attempt->kind == SIM_CHUNK ? r->plan->kept : 0));
    roast_record_task(r->recorder, &task);
}

static void record_progress(const recording *r)
{
    size_t sample = 0;
    for (size_t i = 0; i < r->log->n_attempts; i++) {
        const sim_attempt *attempt = &r->log->attempts[i];
        for (; sample < r->log->n_samples && r->log->samples[sample].t <= attempt->stop; sample++)
            record_sample(r, &r->log->samples[sample]);
        if (attempt->kind == SIM_CHUNK)
            record_chunk(r, attempt);
        record_task(r, attempt);
    }
}

/* ---- What is known at the end ---------------------------------------------------------------------------------------
 */

static void record_activity(const recording *r, const char *prefix, const char *what, const char *unit, double value)
{
    roast_activity activity = roast_activity_none();
    activity.context = text("execute");
    activity.prefix = text(prefix);
    activity.activity = text(what);
    activity.unit = text(unit);
    activity.value = value;
    if (value > 0)
        roast_record_activity(r->recorder, &activity);
}

static void record_activities(const recording *r, sim_task_kind kind)
{
    const char *prefix = kind == SIM_PREPROCESS ? "preprocess" : TASK_PREFIX[kind];
    double cpu = 0, other = 0, tasks = 0;
    for (size_t i = 0; i < r->log->n_attempts; i++) {
        const sim_attempt *attempt = &r->log->attempts[i];
        if (attempt->kind != kind || attempt->fate == SIM_KILLED)
            continue;
        tasks++;
        cpu += attempt->cpu;
        other += fmax(attempt->stop - attempt->start - attempt->cpu, 0);
    }
    record_activity(r, prefix, "thread-cpu", "seconds", cpu);
    record_activity(r, prefix, "thread-noncpu", "seconds", other);
    record_activity(r, prefix, "executor", "seconds", 0.001 * tasks);
    record_activity(r, prefix, "other", "seconds", 0.0005 * tasks);
    record_activity(r, prefix, "memory-read", "count", tasks);
    record_activity(r, prefix, "memory-read", "bytes", kind == SIM_MERGE ? r->plan->result * r->plan->n_chunks : tasks);
}

static void record_spilling(const recording *r)
{
    record_activity(r, SIM_PROCESSOR, "disk-write", "seconds", r->log->spill_seconds);
    record_activity(r, SIM_PROCESSOR, "disk-write", "bytes", r->log->spilled_bytes);
    record_activity(r, SIM_PROCESSOR, "disk-write", "count", r->log->spills);
}

static void record_report(const recording *r)
{
    double bytes = 0, entries = 0, process = 0;
    for (size_t i = 0; i < r->log->n_attempts; i++) {
        const sim_attempt *attempt = &r->log->attempts[i];
        if (attempt->kind != SIM_CHUNK || attempt->fate != SIM_DONE || attempt->recomputed)
            continue;
        bytes += attempt->bytes + r->plan->metadata;
        entries += (double)r->plan->chunks[attempt->index].events;
        process += attempt->wall[ROAST_PHASE_PROCESS];
    }
    char json[256];
    snprintf(
        json, sizeof json,
        "{\"bytesread\": %.0f, \"entries\": %.0f, \"processtime\": %.6f, \"chunks\": %u, \"columns\": [\"Jet_pt\"]}",
        bytes, entries, process, r->plan->n_chunks);
    roast_record_report(r->recorder, text(json));
}

static void record_end(const recording *r)
{
    for (uint32_t i = 0; i < r->log->n_lives; i++)
        if (isfinite(r->log->lives[i].left))
            record_life(r, i, true);
    for (sim_task_kind kind = SIM_PREPROCESS; kind <= SIM_MERGE; kind++)
        record_activities(r, kind);
    record_spilling(r);
    record_report(r);
    roast_record_fact_int(r->recorder, "t_end_ns", r->start_ns + ns(r->log->wall));
    roast_record_fact_int(r->recorder, "elapsed_ns", ns(r->log->wall));
}

roast_code sim_record(const sim_plan *plan, const sim_log *log, roast_recorder *recorder)
{
    recording r = {plan, log, recorder, .start_ns = ns(1.79e9) + (int64_t)(plan->seed % 1000000) * 1000000007};
    name_branches(&r);
    record_facts(&r);
    for (uint32_t f = 0; f < plan->n_files; f++)
        record_file(&r, f);
    for (uint32_t i = 0; i < log->n_lives; i++)
        record_life(&r, i, false);
    record_progress(&r);
    record_end(&r);
    return roast_recorder_status(recorder, NULL); /* it remembers the first thing that went wrong */
}
