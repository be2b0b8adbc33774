/* Hands a simulated job to a recorder as a live job would: what is known at the start first, then heartbeats and
 * finished attempts as time goes by, then departures and the engine's sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "synth.h"

static roast_str text(const char *s)
{
    return (roast_str){s, strlen(s)};
}

/* What stays the same from one chunk to the next, so that recording a chunk only fills in numbers. */
typedef struct recording {
    const synth_job *job;
    roast_recorder *recorder;
    roast_str *branches;    /* names of the pool */
    char (*names)[32];      /* of the sections */
    roast_section *section; /* one chunk's worth */
} recording;

static bool recording_init(recording *r, const synth_job *job, roast_recorder *recorder)
{
    uint32_t sections = job->options.sections;
    *r = (recording){.job = job, .recorder = recorder};
    r->branches = calloc((size_t)job->n_branches + 1, sizeof *r->branches);
    r->names = calloc((size_t)sections + 1, sizeof *r->names);
    r->section = calloc((size_t)sections + 1, sizeof *r->section);
    if (!r->branches || !r->names || !r->section)
        return false;
    for (uint32_t b = 0; b < job->n_branches; b++)
        r->branches[b] = text(job->branches[b].name);
    for (uint32_t s = 0; s < sections; s++) {
        uint32_t parent = synth_section_parent(s);
        synth_section_name(s, r->names[s], sizeof r->names[s]);
        r->section[s] = roast_section_none();
        r->section[s].name = text(r->names[s]);
        r->section[s].depth = parent != UINT32_MAX;
        if (parent != UINT32_MAX)
            r->section[s].parent = text(r->names[parent]);
    }
    return true;
}

static void recording_release(recording *r)
{
    free(r->branches);
    free(r->names);
    free(r->section);
}

static roast_code record_facts(recording *r)
{
    roast_code code = roast_record_fact_int(r->recorder, "t_start_ns", r->job->t_start_ns);
    if (!code)
        code = roast_record_fact(r->recorder, "coffea", text("2026.9.0"));
    if (!code)
        code = roast_record_fact(r->recorder, "distributed", text("2026.8.0"));
    if (!code)
        code = roast_record_fact(r->recorder, "engine", text("dask"));
    if (!code && !r->job->options.only_tasks)
        code = roast_record_fact(r->recorder, "processor", text(SYNTH_PROCESSOR));
    return code;
}

static roast_code record_files(recording *r)
{
    const synth_job *job = r->job;
    roast_branch *branches = calloc((size_t)job->n_branches + 1, sizeof *branches);
    if (!branches)
        return ROAST_MEMORY;
    for (uint32_t b = 0; b < job->n_branches; b++) {
        const synth_branch *branch = &job->branches[b];
        branches[b] = roast_branch_none();
        branches[b].name = r->branches[b];
        branches[b].compressed = branch->compressed;
        branches[b].uncompressed = branch->uncompressed;
        branches[b].baskets = branch->baskets;
    }
    roast_code code = ROAST_OK;
    for (uint32_t f = 0; f < job->options.files && !code; f++) {
        const synth_file *planned = &job->files[f];
        roast_file file = roast_file_none();
        file.url = text(planned->url);
        file.uuid = text(planned->uuid);
        file.tree = text("Events");
        file.entries = planned->entries;
        file.total_branches = job->n_branches + job->unread_branches;
        file.compressed = planned->compressed;
        file.uncompressed = planned->uncompressed;
        file.clusters = planned->clusters;
        file.algorithm = text("ZSTD");
        file.level = 5;
        file.branches = branches;
        file.n_branches = job->n_branches;
        code = roast_record_file(r->recorder, &file);
    }
    free(branches);
    return code;
}

/* What the clock of a worker shows at this time. */
static int64_t told_by(const recording *r, uint32_t worker, int64_t t_ns)
{
    return t_ns + (worker == SYNTH_NO_WORKER ? 0 : r->job->workers[worker].clock_offset_ns);
}

/* Whether nothing is measured on a worker. */
static bool is_blind(const recording *r, uint32_t worker)
{
    uint32_t every = r->job->options.blind;
    return every && worker != SYNTH_NO_WORKER && worker % every == every - 1;
}

static roast_code record_worker(recording *r, const synth_worker *planned, bool departure)
{
    roast_worker worker = roast_worker_none();
    worker.address = text(planned->address);
    worker.name = text(planned->name);
    if (!r->job->options.no_hosts)
        worker.host = text(planned->host);
    worker.pid = planned->pid;
    worker.cores = planned->cores;
    worker.memory_limit = planned->memory_limit;
    worker.joined_ns = planned->joined_ns;
    worker.clock_offset_ns = planned->clock_offset_ns;
    worker.clock_error_ns = 100000;
    if (r->job->options.blind)
        worker.probe = !is_blind(r, (uint32_t)(planned - r->job->workers));
    if (departure) {
        worker.left_ns = planned->left_ns;
        worker.lost = planned->lost;
        worker.reason = text(planned->lost ? "the connection broke" : "scaled down");
    }
    return roast_record_worker(r->recorder, &worker);
}

static roast_code record_sample(recording *r, uint32_t w, uint32_t k)
{
    const synth_sample *taken = &r->job->samples[(size_t)w * r->job->options.samples + k];
    roast_sample sample = {
        .size = sizeof sample,
        .worker = text(r->job->workers[w].address),
        .t_ns = told_by(r, w, taken->t_ns),
        .memory = taken->memory,
        .managed = taken->managed,
        .spilled = taken->spilled,
        .cpu = taken->cpu,
        .processing = taken->processing,
        .executing = taken->executing,
        .occupancy = taken->occupancy,
        .last_seen_ns = taken->t_ns,
        .net_read = taken->net_read,
        .net_write = taken->net_write,
        .disk_read = taken->disk_read,
        .disk_write = taken->disk_write,
    };
    if (r->job->options.plain) {
        sample.spilled = ROAST_ABSENT;
        sample.net_read = sample.net_write = sample.disk_read = sample.disk_write = (double)NAN;
    }
    return roast_record_sample(r->recorder, &sample);
}

static void name_chunk(const recording *r, const synth_attempt *attempt, roast_chunk *chunk)
{
    const synth_chunk *planned = &r->job->chunks[attempt->chunk];
    const synth_file *file = &r->job->files[planned->file];
    chunk->uid = (uint64_t)attempt->chunk << 8 | attempt->number;
    chunk->dataset = text(r->job->datasets[file->dataset].name);
    chunk->file = text(file->url);
    chunk->treename = text("Events");
    chunk->uuid = text(file->uuid);
    chunk->entry_start = planned->entry_start;
    chunk->entry_stop = planned->entry_start + planned->events;
    chunk->events = synth_attempt_events(r->job, attempt);
    chunk->attempt = attempt->number;
    chunk->thread = attempt->thread;
    if (attempt->worker != SYNTH_NO_WORKER) {
        chunk->worker = text(r->job->workers[attempt->worker].address);
        chunk->pid = r->job->workers[attempt->worker].pid;
    }
}

/* Sections and branches come with success only; a failure comes with its reason. */
static void tell_outcome(recording *r, uint32_t a, roast_chunk *chunk)
{
    const synth_job *job = r->job;
    const synth_attempt *attempt = &job->attempts[a];
    if (attempt->fate == SYNTH_KILLED) {
        chunk->error_type = text("KilledWorker");
        chunk->error = text("the worker died while it ran this chunk");
    } else if (attempt->fate == SYNTH_RAISED) {
        chunk->error_type = text(job->chunks[attempt->chunk].doomed ? "ValueError" : "OSError");
        chunk->error = text(job->chunks[attempt->chunk].doomed ? "basket 3 is cut short" : "connection timed out");
    } else {
        uint32_t n = job->options.sections;
        for (uint32_t s = 0; s < n; s++) {
            const synth_section *measured = &job->sections[(size_t)a * n + s];
            roast_section *section = &r->section[s];
            section->count = measured->count;
            section->duration_ns = measured->duration_ns;
            section->rss_delta = measured->rss_delta;
            section->bytes = measured->bytes;
            if (!job->options.plain) {
                section->cpu_ns = measured->cpu_ns;
                section->rss_before = measured->rss_before;
                section->rss_after = measured->rss_before + measured->rss_delta;
            }
        }
        chunk->sections = r->section;
        chunk->n_sections = n;
        uint32_t dataset = job->files[job->chunks[attempt->chunk].file].dataset;
        chunk->branches = r->branches + job->datasets[dataset].first_branch;
        chunk->n_branches = job->options.branches;
    }
}

static roast_code record_task(recording *r, const synth_attempt *attempt)
{
    static const char *const states[] = {"memory", "erred", "killed"};
    char key[48];
    snprintf(key, sizeof key, SYNTH_PROCESSOR "-%08x", attempt->chunk);
    roast_task task = roast_task_none();
    task.key = text(key);
    task.prefix = text(SYNTH_PROCESSOR);
    if (attempt->worker != SYNTH_NO_WORKER)
        task.worker = text(r->job->workers[attempt->worker].address);
    task.thread = attempt->thread;
    task.start_ns = told_by(r, attempt->worker, attempt->task_start_ns);
    task.stop_ns = told_by(r, attempt->worker, attempt->task_stop_ns);
    task.attempt = attempt->number;
    task.state = text(states[attempt->fate]);
    if (attempt->fate == SYNTH_SUCCEEDED)
        task.nbytes = 100000;
    return roast_record_task(r->recorder, &task);
}

/* What only ours measures. */
static void tell_more(const synth_attempt *attempt, roast_chunk *chunk)
{
    chunk->open_ns = attempt->open_ns;
    chunk->events_ns = attempt->events_ns;
    chunk->return_ns = attempt->return_ns;
    chunk->cpu_ns = attempt->cpu_ns;
    chunk->run_delay_ns = attempt->run_delay_ns;
    chunk->rss_peak = attempt->rss_peak;
    chunk->peak_shared = true;
    chunk->read_requests = attempt->read_requests;
    chunk->voluntary_switches = attempt->voluntary_switches;
    chunk->involuntary_switches = attempt->involuntary_switches;
    chunk->page_faults = attempt->page_faults;
}

static roast_code record_attempt(recording *r, uint32_t a)
{
    const synth_attempt *attempt = &r->job->attempts[a];
    roast_chunk chunk = roast_chunk_none();
    name_chunk(r, attempt, &chunk);
    chunk.t_start_ns = told_by(r, attempt->worker, attempt->t_start_ns);
    chunk.duration_ns = attempt->duration_ns;
    chunk.rss_before = attempt->rss_before;
    chunk.rss_after = attempt->rss_after;
    chunk.bytes_read = attempt->bytes_read;
    if (!r->job->options.plain)
        tell_more(attempt, &chunk);
    tell_outcome(r, a, &chunk);
    bool only_tasks = r->job->options.only_tasks, silent = only_tasks || is_blind(r, attempt->worker);
    roast_code code = silent ? ROAST_OK : roast_record_chunk(r->recorder, &chunk);
    if (!code && (r->job->options.tasks || only_tasks))
        code = record_task(r, attempt);
    return code;
}

/* Heartbeat by heartbeat, with the attempts that ended meanwhile in between. */
static roast_code record_progress(recording *r)
{
    const synth_job *job = r->job;
    const synth_options *o = &job->options;
    roast_code code = ROAST_OK;
    uint32_t next = 0;
    for (uint32_t k = 0; k < o->samples && !code; k++) {
        double done = (double)(k + 1) / o->samples;
        int64_t now = job->t_start_ns + (int64_t)(done * (double)(job->t_end_ns - job->t_start_ns));
        for (uint32_t w = 0; w < o->workers && !code; w++)
            code = record_sample(r, w, k);
        for (; next < job->n_attempts && !code; next++) {
            if (job->attempts[job->finished[next]].task_stop_ns > now)
                break;
            code = record_attempt(r, job->finished[next]);
        }
    }
    for (; next < job->n_attempts && !code; next++)
        code = record_attempt(r, job->finished[next]);
    return code;
}

static roast_code record_departures(recording *r)
{
    roast_code code = ROAST_OK;
    for (uint32_t w = 0; w < r->job->options.workers && !code; w++) {
        const synth_worker *worker = &r->job->workers[w];
        if (worker->left_ns == ROAST_ABSENT)
            continue;
        code = record_worker(r, worker, true);
        if (!code && worker->lost) {
            char note[128];
            snprintf(note, sizeof note, "%s went away without being asked to", worker->address);
            code = roast_record_note(r->recorder, "warning", text(note));
        }
    }
    return code;
}

/* coffea counts what it submitted, and sums over what came back. */
static roast_code record_report(recording *r)
{
    const synth_job *job = r->job;
    int64_t entries = 0, bytes = 0, process_ns = 0;
    for (uint32_t a = 0; a < job->n_attempts; a++) {
        const synth_attempt *attempt = &job->attempts[a];
        if (attempt->fate != SYNTH_SUCCEEDED)
            continue;
        entries += job->chunks[attempt->chunk].events;
        bytes += attempt->bytes_read + job->options.opening_bytes;
        process_ns += attempt->duration_ns;
    }
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    if (!out)
        return ROAST_MEMORY;
    fprintf(out, "{\"bytesread\": %lld, \"entries\": %lld, \"processtime\": %.9f, \"chunks\": %u, \"columns\": [",
            (long long)bytes, (long long)entries, (double)process_ns / 1e9, job->options.chunks);
    for (uint32_t b = 0; b < job->n_branches; b++)
        fprintf(out, "%s\"%s-data\"", b ? ", " : "", job->branches[b].name);
    fputs("]}", out);
    roast_code code = fclose(out) ? ROAST_MEMORY : roast_record_report(r->recorder, (roast_str){json, size});
    free(json);
    return code;
}

static roast_code record_end(recording *r)
{
    roast_code code = record_departures(r);
    for (uint32_t i = 0; i < r->job->n_activities && !code; i++) {
        const synth_activity *summed = &r->job->activities[i];
        roast_activity activity = roast_activity_none();
        activity.context = text(summed->context);
        activity.prefix = text(summed->prefix);
        activity.activity = text(summed->activity);
        activity.unit = text(summed->unit);
        activity.value = summed->value;
        code = roast_record_activity(r->recorder, &activity);
    }
    if (!code && r->job->options.report)
        code = record_report(r);
    if (!code)
        code = roast_record_fact_int(r->recorder, "t_end_ns", r->job->t_end_ns);
    return code;
}

roast_code synth_record(const synth_job *job, roast_recorder *recorder)
{
    recording r;
    roast_code code = recording_init(&r, job, recorder) ? ROAST_OK : ROAST_MEMORY;
    if (!code)
        code = record_facts(&r);
    if (!code)
        code = record_files(&r);
    for (uint32_t w = 0; w < job->options.workers && !code; w++)
        code = record_worker(&r, &job->workers[w], false);
    if (!code)
        code = record_progress(&r);
    if (!code)
        code = record_end(&r);
    recording_release(&r);
    return code;
}
