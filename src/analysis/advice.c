/* Values for advice. Rules say what held a run back; here it is found out what to set instead, and what the finding is
 * about, from the run and its summary. */
#include "analysis/advice.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/explain_parts.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "model/branch_set.h"
#include "model/facts.h"

const char *advice_key_id(advice_key key)
{
    static const char *const ids[] = {
#define ADVICE_ID(name, id) #id,
        ADVICE_KEYS(ADVICE_ID)
#undef ADVICE_ID
    };
    return (size_t)key < ADVICE_KEY_COUNT ? ids[key] : "";
}

bool advice_known(const advice_value *value)
{
    return !str_absent(value->name) || value->number > 0;
}

static void set_number(finding *f, advice_key key, double number)
{
    f->advice.values[key] = (advice_value){.number = isfinite(number) ? number : 0};
}

static void set_name(finding *f, advice_key key, roast_str name)
{
    f->advice.values[key] = (advice_value){.name = name.len ? name : str_none()};
}

/* The same of a name that does not outlive the rule. */
static void set_kept_name(explaining *e, finding *f, advice_key key, roast_str name)
{
    roast_str kept = arena_str(&e->out->memory, name);
    if (arena_str_failed(kept, name))
        e->code = fail_memory(e->err);
    set_name(f, key, kept);
}

/* ---- How large chunks should be ---------------------------------------------------------------------------------- */

/* The files of the run by their entries, in order. */
typedef struct file_sizes {
    double *entries;
    size_t count;
    double typical, cluster; /* medians; cluster: NAN if no file tells */
} file_sizes;

static double *new_numbers(explaining *e, size_t count)
{
    double *numbers = calloc(count + 1, sizeof *numbers);
    if (!numbers)
        e->code = fail_memory(e->err);
    return numbers;
}

static size_t keep_positive(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] > 0)
            values[kept++] = values[i];
    return kept;
}

/* Entries of each file that was processed: as its metadata say, else what its chunks had. */
static void measure_files(file_sizes *out, explaining *e)
{
    size_t files = run_files(e->run), known = 0;
    double *entries = new_numbers(e, files), *clusters = new_numbers(e, files);
    *out = (file_sizes){.entries = entries, .typical = (double)NAN, .cluster = (double)NAN};
    for (size_t i = 0; entries && i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (!a->failed && !a->recomputed && a->file < files && a->events > 0)
            entries[a->file] += (double)a->events;
    }
    for (uint32_t i = 0; entries && clusters && i < files; i++) {
        const roast_file *file = run_file(e->run, i);
        if (!(entries[i] > 0) || !file || file->entries <= 0)
            continue;
        entries[i] = (double)file->entries;
        if (file->clusters > 0)
            clusters[known++] = entries[i] / (double)file->clusters;
    }
    if (entries && clusters) {
        out->count = keep_positive(entries, files);
        out->typical = percentile(entries, out->count, 50);
        out->cluster = percentile(clusters, known, 50);
    }
    free(clusters);
}

/* Up to two digits that matter: a value that people would choose. */
static double rounded_up(double value)
{
    double unit = pow(10, fmax(floor(log10(value)) - 1, 0));
    return ceil(value / unit - 1e-9) * unit;
}

/* coffea cuts a file into equal chunks, as many as come closest to the size asked for. */
static double chunks_of_file(double entries, double chunksize)
{
    return fmax(nearbyint(entries / chunksize), 1);
}

static double chunks_of_all(const file_sizes *files, double chunksize)
{
    double chunks = 0;
    for (size_t i = 0; i < files->count; i++)
        chunks += chunks_of_file(files->entries[i], chunksize);
    return chunks;
}

/* As asked for, where the run says it; else as large as they were. */
static double chunksize_now(const explaining *e)
{
    int64_t asked = run_fact_int(e->run, "chunksize");
    return asked > 0 ? (double)asked : summary_real(e->summary, M_run_chunk_events_max);
}

/* Chunks about so many times as large: whole files where they come close to that, else equal parts of the usual file.
 * Nothing is set if that changes nothing, as where files are no larger than chunks. */
static void advise_chunksize(explaining *e, finding *f, double times)
{
    file_sizes files;
    measure_files(&files, e);
    double now = chunksize_now(e), parts = files.typical / (now * times);
    double chunksize = rounded_up(files.typical / fmax(times > 1 ? round(parts) : ceil(parts - 1e-9), 1));
    double chunks = chunks_of_all(&files, chunksize), before = chunks_of_all(&files, now);
    bool changes = times > 1 ? chunksize > now && chunks < before : chunksize < now && chunks > before;
    set_number(f, ADVICE_NOW, now);
    if (!e->code && now > 0 && times > 0 && files.typical > 0 && changes) {
        set_number(f, ADVICE_CHUNKSIZE, chunksize);
        set_number(f, ADVICE_PER_FILE, chunks_of_file(files.typical, chunksize));
        set_number(f, ADVICE_CHUNKS, chunks);
    }
    free(files.entries);
}

/* Chunks that end inside of clusters read these twice; whole files do not. */
static void advise_clusters(explaining *e, finding *f)
{
    file_sizes files;
    measure_files(&files, e);
    bool inside = chunks_of_file(files.typical, chunksize_now(e)) > 1 && files.cluster < files.typical;
    set_number(f, ADVICE_CLUSTER, inside ? files.cluster : (double)NAN);
    free(files.entries);
}

static void advise_whole_chunks_of_scheduler(explaining *e, finding *f)
{
    enum { EASILY_STARTED = 20 }; /* chunks per second; a scheduler can do some hundreds */
    double started = summary_real(e->summary, M_run_num_chunk_records) / e->wall;
    if (started > EASILY_STARTED)
        advise_chunksize(e, f, fmax(started / EASILY_STARTED, 2));
}

static void advise_against_the_longest(explaining *e, finding *f)
{
    double usual = summary_real(e->summary, M_run_chunk_duration_p50);
    advise_chunksize(e, f, usual / summary_real(e->summary, M_run_chunk_duration_max));
    const trace_attempt *longest = NULL;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (!a->failed && (!longest || trace_seconds(a) > trace_seconds(longest)))
            longest = a;
    }
    const roast_file *file = longest ? run_file(e->run, longest->file) : NULL;
    set_name(f, ADVICE_FILE, file ? file->url : str_none());
}

/* ---- What it is about -------------------------------------------------------------------------------------------- */

static const double MOST = 0.5, A_GOOD_PART = 0.2;

/* The section with most of something, if that is more than so much of the whole. */
static void advise_section(explaining *e, finding *f, metric_id more, metric_id less, double whole, double share)
{
    const roast_summary *s = e->summary;
    double most = 0;
    size_t best = 0;
    for (size_t i = 0; i < s->rows[ROAST_SCOPE_SECTION].count; i++) {
        double value = summary_cell_number(s, more, i) - (less == METRIC_COUNT ? 0 : summary_cell_number(s, less, i));
        if (value > most) {
            most = value;
            best = i;
        }
    }
    if (!(most > share * whole))
        return;
    set_name(f, ADVICE_SECTION, summary_cell(s, M_section_section, best).as.text);
    set_number(f, ADVICE_SECTION_SHARE, fmin(100 * most / whole, 100));
}

/* The collection that most of the bytes belong to which were read. */
static void advise_collection(explaining *e, finding *f)
{
    const roast_summary *s = e->summary;
    size_t rows = s->rows[ROAST_SCOPE_BRANCH].count, best = 0;
    intern names = {0};
    double *bytes = new_numbers(e, rows), all = 0;
    for (size_t i = 0; bytes && i < rows; i++) {
        roast_value branch = summary_cell(s, M_branch_branch, i), access = summary_cell(s, M_branch_access, i);
        double here = summary_cell_number(s, M_branch_compressed_bytes, i);
        if (branch.kind != ROAST_TEXT || access.kind != ROAST_TEXT || !str_equal(access.as.text, STR("read")) ||
            !(here > 0))
            continue;
        uint32_t name = intern_add(&names, branch_collection(branch.as.text), NULL);
        if (name == INTERN_NONE) {
            e->code = fail_memory(e->err);
            break;
        }
        bytes[name] += here;
        all += here;
        best = bytes[name] > bytes[best] ? name : best;
    }
    if (!e->code && names.count && bytes[best] > MOST * all)
        set_kept_name(e, f, ADVICE_COLLECTION, names.strings[best]);
    intern_release(&names);
    free(bytes);
}

static void advise_worker_of_memory(explaining *e, finding *f)
{
    double highest = 0;
    for (uint32_t w = 0; w < run_workers(e->run); w++) {
        const roast_worker *worker = run_worker(e->run, w);
        double share = summary_cell_number(e->summary, M_worker_peak_memory_bytes, w) / (double)worker->memory_limit;
        if (worker->memory_limit > 0 && share > highest) {
            highest = share;
            set_name(f, ADVICE_WORKER, worker->address);
        }
    }
}

static void advise_worst_straggler(explaining *e, finding *f)
{
    double worst = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        double beyond = 0;
        for (int part = 0; part < STRAGGLER_PARTS; part++)
            beyond += straggler_outlier(&e->stragglers, (straggler_part)part, i);
        const roast_file *file = run_file(e->run, e->trace->attempts[i].file);
        if (beyond > worst && file) {
            worst = beyond;
            set_name(f, ADVICE_FILE, file->url);
        }
    }
}

/* "on n1", "in root://…", "at one time of the run". */
static void advise_shared(explaining *e, finding *f)
{
    straggler_kind kind;
    uint32_t group;
    bool memory_out = false, shared = stragglers_share(&e->stragglers, &kind, &group, &memory_out);
    if (memory_out)
        e->code = fail_memory(e->err);
    if (!shared || memory_out)
        return;
    buf where = {0};
    roast_str name = straggler_name(&e->stragglers, kind, group);
    buf_text(&where, kind == STRAGGLER_FILE ? "in " : kind == STRAGGLER_PERIOD ? "at one time of the run" : "on ");
    if (!str_absent(name))
        buf_str(&where, name);
    if (where.code)
        e->code = fail_memory(e->err);
    else
        set_kept_name(e, f, ADVICE_SHARED, buf_view(&where));
    buf_release(&where);
}

static void advise_lzma_file(explaining *e, finding *f)
{
    const roast_summary *s = e->summary;
    double most = 0;
    for (size_t i = 0; i < s->rows[ROAST_SCOPE_FILE].count; i++) {
        roast_value with = summary_cell(s, M_file_algorithm, i);
        double seconds = summary_cell_number(s, M_file_total_duration, i);
        if (with.kind != ROAST_TEXT || !str_equal(with.as.text, STR("LZMA")) || !(seconds > most))
            continue;
        most = seconds;
        set_name(f, ADVICE_FILE, summary_cell(s, M_file_file, i).as.text);
    }
}

/* What the first name of the evidence is of. */
static void advise_first_name(finding *f, advice_key key)
{
    for (size_t i = 0; i < f->n_evidence; i++)
        if (f->evidence[i].name.len) {
            set_name(f, key, f->evidence[i].name);
            return;
        }
}

/* Workers that were lost, by machine. */
typedef struct loss_count {
    intern hosts; /* of all workers */
    double *lost; /* by host */
    double all, on_hosts, most;
    uint32_t worst; /* host */
} loss_count;

static bool count_losses(loss_count *out, explaining *e)
{
    *out = (loss_count){.lost = new_numbers(e, run_workers(e->run))};
    for (uint32_t w = 0; out->lost && w < run_workers(e->run); w++) {
        const roast_worker *worker = run_worker(e->run, w);
        uint32_t host = intern_add(&out->hosts, worker_host(worker), NULL);
        if (host == INTERN_NONE) {
            e->code = fail_memory(e->err);
            break;
        }
        out->all += worker->lost;
        out->lost[host] += worker->lost;
        out->on_hosts += worker->lost && out->lost[host] == 1;
        if (out->lost[host] > out->most) {
            out->most = out->lost[host];
            out->worst = host;
        }
    }
    return !e->code;
}

/* What all of them lived before they were lost; 0 if that differs, or is short. */
static double common_lifetime(const explaining *e)
{
    double shortest = (double)INFINITY, longest = 0;
    for (uint32_t w = 0; w < run_workers(e->run); w++) {
        const roast_worker *worker = run_worker(e->run, w);
        bool known = worker->joined_ns != ROAST_ABSENT && worker->left_ns != ROAST_ABSENT;
        if (!worker->lost)
            continue;
        double lived = known ? clock_seconds(worker->left_ns - worker->joined_ns) : 0;
        shortest = fmin(shortest, lived);
        longest = fmax(longest, lived);
    }
    return shortest > 60 && longest < 1.05 * shortest ? longest : 0;
}

/* Whether losses are spread over machines, are mostly on one of several, or came after the same time. */
static void advise_losses(explaining *e, finding *f)
{
    loss_count losses;
    if (count_losses(&losses, e)) {
        if (losses.all > 2)
            set_number(f, ADVICE_LIFETIME, common_lifetime(e));
        if (losses.on_hosts > 2 && losses.most <= losses.all / 2)
            set_number(f, ADVICE_HOSTS, losses.on_hosts);
        else if (losses.hosts.count > 1 && losses.most > 1 && losses.most > losses.all / 2)
            set_kept_name(e, f, ADVICE_HOST, losses.hosts.strings[losses.worst]);
    }
    intern_release(&losses.hosts);
    free(losses.lost);
}

/* ---- What it is not ---------------------------------------------------------------------------------------------- */

/* Suspects are acquitted below these values. Hosts are the other way round: several of them acquit any one. */
static const double INNOCENT_BELOW[SUSPECT_COUNT] = {
    [SUSPECT_MEMORY] = 60,   [SUSPECT_SPILLING] = 1, [SUSPECT_WAITING] = 10,   [SUSPECT_NO_CORE] = 3,
    [SUSPECT_SCHEDULER] = 3, [SUSPECT_LOSSES] = 1,   [SUSPECT_ONE_HOST] = 1e9,
};

#define BIT(suspect) (1U << SUSPECT_##suspect)

/* What each finding could be mistaken for. */
static const unsigned SUSPECTS_OF[FINDING_KIND_COUNT] = {
    [FINDING_IO_BOUND] = BIT(NO_CORE) | BIT(SPILLING) | BIT(SCHEDULER),
    [FINDING_LOCKS] = BIT(NO_CORE) | BIT(SPILLING),
    [FINDING_CPU_BOUND] = BIT(WAITING) | BIT(NO_CORE) | BIT(SCHEDULER),
    [FINDING_NO_CORE_FREE] = BIT(WAITING) | BIT(SPILLING),
    [FINDING_OPENING] = BIT(MEMORY) | BIT(SCHEDULER),
    [FINDING_SLOW_HOST] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_SLOW_WORKER] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_SLOW_STORAGE] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_SLOW_FILE] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_WARM_UP] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_SLOW_PERIOD] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_STRAGGLERS] = BIT(MEMORY) | BIT(SPILLING) | BIT(NO_CORE),
    [FINDING_TAIL] = BIT(LOSSES) | BIT(SCHEDULER),
    [FINDING_TOO_FEW_CHUNKS] = BIT(LOSSES) | BIT(SCHEDULER),
    [FINDING_SCHEDULER] = BIT(MEMORY) | BIT(SPILLING),
    [FINDING_MERGING] = BIT(MEMORY) | BIT(SPILLING),
    [FINDING_SMALL_TASKS] = BIT(MEMORY) | BIT(SPILLING),
    [FINDING_NO_TASKS] = BIT(MEMORY) | BIT(LOSSES),
    [FINDING_WORKERS_LOST] = BIT(MEMORY) | BIT(ONE_HOST),
    [FINDING_FAILURES] = BIT(MEMORY) | BIT(LOSSES),
};

typedef struct chunk_shares {
    double waiting, no_core; /* percent of the time of chunks that succeeded; NAN if CPU times are not known */
} chunk_shares;

static chunk_shares measure_shares(const explaining *e)
{
    double wait = 0, core = 0, all = 0;
    for (size_t i = 0; i < e->trace->count; i++) {
        const trace_attempt *a = &e->trace->attempts[i];
        if (a->failed || !a->cpu_known)
            continue;
        wait += (double)a->wait;
        core += (double)a->core;
        all += trace_seconds(a);
    }
    return (chunk_shares){ratio(100 * wait, all), ratio(100 * core, all)};
}

static double evidence_on(const explaining *e, const finding *f, suspect of)
{
    switch (of) {
    case SUSPECT_MEMORY:
        return summary_real(e->summary, M_run_memory_utilization_percent_max);
    case SUSPECT_SPILLING:
        return summary_real(e->summary, M_run_spilled_bytes_peak);
    case SUSPECT_WAITING:
        return measure_shares(e).waiting;
    case SUSPECT_NO_CORE:
        return isnan(summary_real(e->summary, M_run_chunk_run_delay_seconds_total)) ? (double)NAN
                                                                                    : measure_shares(e).no_core;
    case SUSPECT_SCHEDULER:
        return e->partly ? (double)NAN : ratio(100 * e->ledger[LEDGER_IDLE_QUEUE], e->total);
    case SUSPECT_LOSSES:
        return summary_real(e->summary, M_run_workers_lost);
    case SUSPECT_ONE_HOST:
        return f->advice.values[ADVICE_HOSTS].number > 0 ? f->advice.values[ADVICE_HOSTS].number : (double)NAN;
    case SUSPECT_COUNT:
        break;
    }
    return (double)NAN;
}

static void rule_out(explaining *e, finding *f)
{
    unsigned suspects = SUSPECTS_OF[f->kind];
    for (int of = 0; of < SUSPECT_COUNT && f->advice.n_ruled_out < MOST_ACQUITTALS; of++) {
        double value = suspects & 1U << of ? evidence_on(e, f, (suspect)of) : (double)NAN;
        if (value < INNOCENT_BELOW[of])
            f->advice.ruled_out[f->advice.n_ruled_out++] = (acquittal){(suspect)of, value};
    }
}

/* ---- Each finding ------------------------------------------------------------------------------------------------ */

static void advise_on(explaining *e, finding *f)
{
    const roast_summary *s = e->summary;
    double memory = summary_real(s, M_run_memory_utilization_percent_max);
    double peak = summary_real(s, M_run_peak_workers);
    double waiting = e->ledger[LEDGER_PROCESS_IO] + e->ledger[LEDGER_PROCESS_CORE]; /* all that is not CPU */
    switch (f->kind) {
    case FINDING_IO_BOUND:
        advise_section(e, f, M_section_total_duration, M_section_cpu_seconds, waiting, A_GOOD_PART);
        advise_collection(e, f);
        break;
    case FINDING_CPU_BOUND:
        advise_section(e, f, M_section_cpu_seconds, METRIC_COUNT, f->core_seconds, A_GOOD_PART);
        break;
    case FINDING_OPENING:
    case FINDING_TOO_FEW_CHUNKS:
        advise_chunksize(e, f, f->factor);
        break;
    case FINDING_SMALL_TASKS:
        set_number(f, ADVICE_TOGETHER, rounded_up(f->factor));
        break;
    case FINDING_SLOW_HOST:
    case FINDING_SLOW_STORAGE:
        advise_first_name(f, ADVICE_HOST);
        break;
    case FINDING_SLOW_WORKER:
        advise_first_name(f, ADVICE_WORKER);
        break;
    case FINDING_SLOW_FILE:
        advise_first_name(f, ADVICE_FILE);
        break;
    case FINDING_STRAGGLERS:
        advise_worst_straggler(e, f);
        advise_shared(e, f);
        break;
    case FINDING_TAIL:
        advise_against_the_longest(e, f);
        break;
    case FINDING_SCHEDULER:
        advise_whole_chunks_of_scheduler(e, f);
        break;
    case FINDING_RAMP_UP:
        set_number(f, ADVICE_WORKERS, peak);
        break;
    case FINDING_TOO_MANY_WORKERS:
        set_number(f, ADVICE_WORKERS, ceil(peak / 2));
        break;
    case FINDING_MEMORY_GROWTH:
        advise_worker_of_memory(e, f);
        advise_section(e, f, M_section_mean_mem_delta_mb, METRIC_COUNT, summary_real(s, M_run_chunk_mem_delta_mean_mb),
                       MOST);
        break;
    case FINDING_MEMORY_LIMIT:
        advise_worker_of_memory(e, f);
        advise_chunksize(e, f, 60 / memory);
        break;
    case FINDING_SPILLING:
        advise_worker_of_memory(e, f);
        advise_chunksize(e, f, 0.5);
        break;
    case FINDING_WORKERS_LOST:
        advise_losses(e, f);
        break;
    case FINDING_OVER_READ:
        advise_collection(e, f);
        advise_clusters(e, f);
        break;
    case FINDING_LZMA:
        advise_lzma_file(e, f);
        break;
    default:
        break;
    }
}

static const advice_key OF_CHUNKSIZE[] = {ADVICE_CHUNKSIZE, ADVICE_PER_FILE, ADVICE_CHUNKS};

/* -1: chunks are to be smaller; 1: larger; 0: as they are. */
static int chunksize_direction(const finding *f)
{
    const advice_value *values = f->advice.values;
    if (!advice_known(&values[ADVICE_CHUNKSIZE]))
        return 0;
    return values[ADVICE_CHUNKSIZE].number > values[ADVICE_NOW].number ? 1 : -1;
}

/* A script has one size of chunks: it is what the finding that comes first needs. Others that need chunks to change in
 * the same direction take that size, and those that need the opposite have none. */
void agree_on_chunksize(explanation *out)
{
    const finding *first = NULL;
    for (size_t i = 0; i < out->count; i++) {
        finding *f = &out->findings[i];
        int direction = chunksize_direction(f);
        if (!first && direction)
            first = f;
        for (size_t k = 0; direction && k < sizeof OF_CHUNKSIZE / sizeof *OF_CHUNKSIZE; k++)
            f->advice.values[OF_CHUNKSIZE[k]] =
                direction == chunksize_direction(first) ? first->advice.values[OF_CHUNKSIZE[k]] : (advice_value){0};
    }
}

void advise(explaining *e)
{
    roast_str engine = roast_run_fact(e->run, "engine");
    bool elsewhere = !str_absent(engine) && !str_equal(engine, STR("dask"));
    for (size_t i = 0; i < e->out->count && !e->code; i++) {
        e->out->findings[i].advice.no_cluster = elsewhere;
        e->out->findings[i].advice.local = e->local;
        e->out->findings[i].advice.of_tasks = e->trace->of_tasks;
        advise_on(e, &e->out->findings[i]);
        rule_out(e, &e->out->findings[i]);
    }
    agree_on_chunksize(e->out);
}
