/* Reading the chunks of the runs to compare: one pass over the chunks and one over the sections of each run. Time is
 * summed by phase, dataset, section and host; with one run on either side, chunks are paired by file, tree and entry
 * range. A file is the same if its URL is, or else its UUID: the same file through another door. */
#include <stdlib.h>

#include "analysis/compare_parts.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "model/facts.h"
#include "run/reader.h"

#define ONLY_IN_B UINT32_MAX
#define ANY_OTHER UINT32_MAX

/* One run being read. Arrays go from its own numbers to those that both sides share. */
typedef struct run_reading {
    compare_work *work;
    roast_run *run;
    compare_side side;
    size_t index; /* among the runs of its side */
    uint32_t *datasets, *hosts, *files;
    uint32_t *paired_datasets; /* the same, with ANY_OTHER for those that the other side does not have */
    int64_t *failed;           /* ids of chunks, in order */
    size_t n_failed, failed_capacity;
    u64map pids;
    bool out_of_memory;
} run_reading;

/* The array, with room for place; what is new in it is zero. NULL if memory is out: then it is as it was. */
static void *with_room(void *array, size_t *capacity, size_t place, size_t size)
{
    if (place < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    while (wanted <= place)
        wanted *= 2;
    char *grown = realloc(array, wanted * size);
    if (!grown)
        return NULL;
    memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
    *capacity = wanted;
    return grown;
}

/* ---- Names that both sides share -------------------------------------------------------------------------------- */

/* INTERN_NONE if memory is out. */
static uint32_t part_of(part_table *table, roast_str name)
{
    uint32_t number = intern_add(&table->names, name, NULL);
    if (number == INTERN_NONE)
        return INTERN_NONE;
    part_sum *sums = with_room(table->sums, &table->capacity, number, sizeof *sums);
    if (!sums)
        return INTERN_NONE;
    table->sums = sums;
    return number;
}

static void part_add(part_table *table, uint32_t part, compare_side side, int64_t ns, int64_t events)
{
    table->sums[part].ns[side] += ns;
    table->sums[part].events[side] += events;
}

static roast_str host_of(const roast_run *run, const roast_worker *worker)
{
    if (worker)
        return worker_host(worker);
    roast_str host = roast_run_fact(run, "host");
    return str_absent(host) ? STR("unknown") : host;
}

static uint32_t number_of_file(intern *table, roast_str name, roast_str tree, bool add)
{
    buf key = {0};
    buf_str(&key, name);
    buf_char(&key, '\0');
    buf_str(&key, tree);
    uint32_t number = INTERN_NONE;
    if (!key.code)
        number = add ? intern_add(table, buf_view(&key), NULL) : intern_find(table, buf_view(&key));
    buf_release(&key);
    return number;
}

static uint32_t file_number(compare_work *w, const roast_file *file)
{
    uint32_t known = number_of_file(&w->files, file->url, file->tree, false);
    bool has_uuid = !str_absent(file->uuid) && file->uuid.len;
    uint32_t uuid = has_uuid ? number_of_file(&w->uuids, file->uuid, file->tree, false) : INTERN_NONE;
    if (known == INTERN_NONE && uuid != INTERN_NONE)
        return w->file_of_uuid[uuid];
    if (known == INTERN_NONE)
        known = number_of_file(&w->files, file->url, file->tree, true);
    if (known == INTERN_NONE || !has_uuid || uuid != INTERN_NONE)
        return known;
    uuid = number_of_file(&w->uuids, file->uuid, file->tree, true);
    uint32_t *files = uuid == INTERN_NONE ? NULL : with_room(w->file_of_uuid, &w->uuid_capacity, uuid, sizeof *files);
    if (!files)
        return INTERN_NONE;
    w->file_of_uuid = files;
    files[uuid] = known;
    return known;
}

static bool saw_file(compare_work *w, uint32_t file, compare_side side)
{
    for (compare_side s = SIDE_A; s < SIDES; s++) {
        bool *seen = with_room(w->file_seen[s], &w->file_capacity[s], file, sizeof *seen);
        if (!seen)
            return false;
        w->file_seen[s] = seen;
    }
    w->file_seen[side][file] = true;
    return true;
}

static bool is_dataset_of(const compare_work *w, compare_side side, roast_str name)
{
    const roast_run *run = w->inputs[side][0].run;
    for (uint32_t i = 0; i < run_datasets(run); i++)
        if (str_equal(run_dataset(run, i), name))
            return true;
    return false;
}

static bool number_datasets(run_reading *r)
{
    compare_work *w = r->work;
    size_t count = run_datasets(r->run);
    for (uint32_t i = 0; i <= count; i++) {
        roast_str name = i < count ? run_dataset(r->run, i) : STR("unknown");
        r->datasets[i] = part_of(&w->datasets, name);
        if (r->datasets[i] == INTERN_NONE)
            return false;
        bool shared = i < count && w->out->paired && is_dataset_of(w, r->side == SIDE_A ? SIDE_B : SIDE_A, name);
        r->paired_datasets[i] = shared ? r->datasets[i] : ANY_OTHER;
    }
    return true;
}

static bool number_everything(run_reading *r)
{
    size_t workers = run_workers(r->run), files = run_files(r->run);
    r->datasets = calloc(run_datasets(r->run) + 1, sizeof *r->datasets);
    r->paired_datasets = calloc(run_datasets(r->run) + 1, sizeof *r->paired_datasets);
    r->hosts = calloc(workers + 1, sizeof *r->hosts);
    r->files = calloc(files + 1, sizeof *r->files);
    if (!r->datasets || !r->paired_datasets || !r->hosts || !r->files || !number_datasets(r))
        return false;
    for (uint32_t i = 0; i <= workers; i++) {
        r->hosts[i] = part_of(&r->work->hosts, host_of(r->run, i < workers ? run_worker(r->run, i) : NULL));
        if (r->hosts[i] == INTERN_NONE)
            return false;
    }
    for (uint32_t i = 0; i < files; i++) {
        r->files[i] = file_number(r->work, run_file(r->run, i));
        if (r->files[i] == INTERN_NONE || !saw_file(r->work, r->files[i], r->side))
            return false;
    }
    r->files[files] = INTERN_NONE;
    return true;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

static size_t index_or_last(uint32_t index, size_t count)
{
    return index == RUN_UNKNOWN ? count : index;
}

/* The worker; where none is named, the process. */
static uint32_t cluster_of(run_reading *r, const run_chunk *row)
{
    if (row->worker != RUN_UNKNOWN)
        return row->worker;
    uint32_t *seen = u64map_at(&r->pids, (uint64_t)row->record.pid);
    if (!seen) {
        r->out_of_memory = true;
        return 0;
    }
    if (!*seen)
        *seen = (uint32_t)r->pids.count;
    return (uint32_t)run_workers(r->run) + *seen - 1;
}

static void add_phases(compare_work *w, compare_side side, const roast_chunk *chunk)
{
    int64_t *phases = w->phases[side], process = or_zero(chunk->duration_ns);
    phases[LEDGER_OPEN] += or_zero(chunk->open_ns);
    phases[LEDGER_EVENTS] += or_zero(chunk->events_ns);
    phases[LEDGER_RETURN] += or_zero(chunk->return_ns);
    if (chunk->cpu_ns == ROAST_ABSENT) {
        phases[LEDGER_PROCESS_UNSPLIT] += process;
        return;
    }
    int64_t delay = or_zero(chunk->run_delay_ns);
    w->cpu_known[side] = true;
    w->delay_known[side] |= chunk->run_delay_ns != ROAST_ABSENT;
    phases[LEDGER_PROCESS_CPU] += chunk->cpu_ns;
    phases[LEDGER_PROCESS_CORE] += delay;
    phases[LEDGER_PROCESS_IO] += process - chunk->cpu_ns - delay;
}

static bool add_to_cluster(cluster_sums *clusters, uint32_t cluster, int64_t ns, int64_t events)
{
    cluster_sum *sums = with_room(clusters->sums, &clusters->capacity, cluster, sizeof *sums);
    if (!sums)
        return false;
    clusters->sums = sums;
    clusters->count = cluster >= clusters->count ? cluster + 1 : clusters->count;
    sums[cluster].above += (double)ns;
    sums[cluster].below += (double)events;
    return true;
}

/* ---- Pairs ------------------------------------------------------------------------------------------------------ */

static uint64_t identity_of(const run_reading *r, const run_chunk *row)
{
    return chunk_identity_across_runs(&row->record, r->files[index_or_last(row->file, run_files(r->run))],
                                      r->paired_datasets[index_or_last(row->dataset, run_datasets(r->run))]);
}

static chunk_pair *new_pair(chunk_pairs *pairs, uint32_t *place)
{
    chunk_pair *grown = with_room(pairs->pairs, &pairs->capacity, pairs->count, sizeof *grown);
    if (!grown)
        return NULL;
    pairs->pairs = grown;
    *place = (uint32_t)++pairs->count;
    return &pairs->pairs[pairs->count - 1];
}

/* The first success of a chunk counts; another one was computed again because its result was lost. */
static bool add_to_pairs(run_reading *r, const run_chunk *row, const chunk_times *times)
{
    chunk_pairs *pairs = &r->work->pairs;
    bool placed = row->file != RUN_UNKNOWN && row->record.entry_start != ROAST_ABSENT;
    if (!placed) {
        r->work->out->chunks_only[r->side]++;
        return true;
    }
    uint32_t *place = u64map_at(&pairs->places, identity_of(r, row));
    if (!place)
        return false;
    if (r->side == SIDE_A) {
        chunk_pair *pair = *place ? NULL : new_pair(pairs, place);
        if (pair)
            pair->sides[SIDE_A] = *times;
        return *place != 0;
    }
    if (!*place) {
        *place = ONLY_IN_B;
        r->work->out->chunks_only[SIDE_B]++;
    } else if (*place != ONLY_IN_B && !pairs->pairs[*place - 1].both) {
        pairs->pairs[*place - 1].sides[SIDE_B] = *times;
        pairs->pairs[*place - 1].both = true;
    }
    return true;
}

/* ---- Passes ----------------------------------------------------------------------------------------------------- */

static bool remember_failed(run_reading *r, int64_t id)
{
    int64_t *failed = with_room(r->failed, &r->failed_capacity, r->n_failed, sizeof *failed);
    if (!failed)
        return false;
    r->failed = failed;
    failed[r->n_failed++] = id;
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    run_reading *r = context;
    compare_work *w = r->work;
    const roast_chunk *chunk = &row->record;
    bool failed = chunk_failed(chunk);
    int64_t busy = chunk_busy_ns(chunk);
    int64_t events = failed ? 0 : or_zero(chunk->events);
    part_add(&w->datasets, r->datasets[index_or_last(row->dataset, run_datasets(r->run))], r->side, busy, events);
    part_add(&w->hosts, r->hosts[index_or_last(row->worker, run_workers(r->run))], r->side, busy, events);
    w->read_requests[r->side][r->index] += or_zero(chunk->read_requests);
    uint32_t cluster = cluster_of(r, row);
    if (r->out_of_memory || (w->out->paired && !add_to_cluster(&w->clusters[r->side], cluster, busy, events)))
        return ROAST_MEMORY;
    if (failed) {
        w->phases[r->side][LEDGER_FAILED] += busy;
        return remember_failed(r, row->id) ? ROAST_OK : ROAST_MEMORY;
    }
    add_phases(w, r->side, chunk);
    w->outside_sections[r->side] += or_zero(chunk->duration_ns);
    if (!w->out->paired)
        return ROAST_OK;
    chunk_times times = {chunk->open_ns,      chunk->events_ns, chunk->duration_ns, chunk->return_ns, chunk->cpu_ns,
                         chunk->run_delay_ns, cluster};
    return add_to_pairs(r, row, &times) ? ROAST_OK : ROAST_MEMORY;
}

/* A section's own time: what sections inside it took is theirs. */
static roast_code see_section(void *context, const run_section *row)
{
    run_reading *r = context;
    compare_work *w = r->work;
    int64_t ns = or_zero(row->record.duration_ns);
    bool failed = r->n_failed && bsearch(&row->chunk, r->failed, r->n_failed, sizeof *r->failed, compare_ids);
    if (failed || str_absent(row->record.name))
        return ROAST_OK;
    uint32_t part = part_of(&w->sections, row->record.name);
    if (part == INTERN_NONE)
        return ROAST_MEMORY;
    part_add(&w->sections, part, r->side, ns, 0);
    if (str_absent(row->record.parent)) {
        w->outside_sections[r->side] -= ns;
        return ROAST_OK;
    }
    part = part_of(&w->sections, row->record.parent);
    if (part == INTERN_NONE)
        return ROAST_MEMORY;
    part_add(&w->sections, part, r->side, -ns, 0);
    return ROAST_OK;
}

static roast_code read_run(compare_work *w, compare_side side, size_t index, roast_error *err)
{
    run_reading r = {.work = w, .run = w->inputs[side][index].run, .side = side, .index = index};
    roast_code code = number_everything(&r) ? ROAST_OK : ROAST_MEMORY;
    if (!code)
        code = run_each_chunk(r.run, RUN_EVERYTHING, see_chunk, &r, err);
    if (!code)
        code = run_each_section(r.run, RUN_EVERYTHING, see_section, &r, err);
    free(r.failed);
    u64map_release(&r.pids);
    free(r.datasets);
    free(r.paired_datasets);
    free(r.hosts);
    free(r.files);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

static void count_files(compare_work *w)
{
    for (size_t i = 0; i < w->files.count && i < w->file_capacity[SIDE_B]; i++) {
        bool a = w->file_seen[SIDE_A][i], b = w->file_seen[SIDE_B][i];
        w->out->files_shared += a && b;
        w->out->files_only[SIDE_A] += a && !b;
        w->out->files_only[SIDE_B] += b && !a;
    }
}

roast_code compare_read_chunks(compare_work *w, roast_error *err)
{
    roast_code code = ROAST_OK;
    for (compare_side side = SIDE_A; side < SIDES && !code; side++) {
        w->read_requests[side] = calloc(w->n_inputs[side] + 1, sizeof(int64_t));
        if (!w->read_requests[side])
            return fail_memory(err);
        for (size_t i = 0; i < w->n_inputs[side] && !code; i++)
            code = read_run(w, side, i, err);
    }
    if (code)
        return code;
    count_files(w);
    for (size_t i = 0; i < w->pairs.count; i++)
        *(w->pairs.pairs[i].both ? &w->out->chunks_paired : &w->out->chunks_only[SIDE_A]) += 1;
    return ROAST_OK;
}

static void part_table_release(part_table *table)
{
    intern_release(&table->names);
    free(table->sums);
}

void compare_chunks_release(compare_work *w)
{
    part_table_release(&w->datasets);
    part_table_release(&w->sections);
    part_table_release(&w->hosts);
    intern_release(&w->files);
    intern_release(&w->uuids);
    free(w->file_of_uuid);
    u64map_release(&w->pairs.places);
    free(w->pairs.pairs);
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        free(w->file_seen[side]);
        free(w->clusters[side].sums);
        free(w->read_requests[side]);
    }
}
