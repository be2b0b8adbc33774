/* Reading what charts are drawn from. The window is known before the heartbeats are visited, so each of them goes
 * straight into its cell: memory grows with workers and pixels, not with the length of the run. */
#include "analysis/series.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/access.h"
#include "analysis/ledger.h"
#include "base/clock.h"
#include "base/error.h"
#include "model/facts.h"

enum { MOST_CELLS = 400000, FEWEST_COLUMNS = 100 };

/* ---- Chunks -------------------------------------------------------------------------------------------------- */

typedef struct mark_reader {
    run_series *out;
    const roast_run *run;
    access_table *accesses; /* NULL if it is not asked for */
    ledger before;          /* tells what had succeeded before */
} mark_reader;

/* Only a damaged file holds times that overflow: they count as not known. */
static void place(chunk_mark *mark, const roast_chunk *chunk)
{
    int64_t end;
    bool known = chunk->t_start_ns != ROAST_ABSENT &&
                 !__builtin_add_overflow(chunk->t_start_ns, or_zero(chunk->duration_ns), &end);
    mark->start_ns = known ? chunk->t_start_ns : ROAST_ABSENT;
    mark->end_ns = known ? end : ROAST_ABSENT;
}

static void add_phases(mark_reader *reader, uint32_t dataset, const chunk_mark *mark, int64_t process_ns)
{
    size_t datasets = run_datasets(reader->run);
    phase_sums *sums = &reader->out->phases[dataset < datasets ? dataset : datasets];
    sums->seconds[ROAST_PHASE_OPEN] += clock_seconds(mark->open_ns);
    sums->seconds[ROAST_PHASE_EVENTS] += clock_seconds(mark->events_ns);
    sums->seconds[ROAST_PHASE_PROCESS] += clock_seconds(process_ns);
    sums->seconds[ROAST_PHASE_RETURN] += clock_seconds(mark->return_ns);
}

static bool make_room(run_series *out)
{
    if (out->n_chunks < out->capacity)
        return true;
    size_t capacity = out->capacity ? out->capacity * 2 : 1024;
    chunk_mark *chunks = realloc(out->chunks, capacity * sizeof *chunks);
    if (!chunks)
        return false;
    out->chunks = chunks;
    out->capacity = capacity;
    return true;
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    mark_reader *reader = context;
    const roast_chunk *chunk = &row->record;
    if (!make_room(reader->out))
        return ROAST_MEMORY;
    chunk_mark *mark = &reader->out->chunks[reader->out->n_chunks++];
    branch_access access = {ROAST_ABSENT, ROAST_ABSENT, ROAST_ABSENT, (double)NAN, (double)NAN};
    if (reader->accesses)
        access = access_of(reader->accesses, reader->run, row);
    ledger_attempt attempt;
    bool memory_out = false;
    ledger_read(&reader->before, row, &attempt, &memory_out);
    *mark = (chunk_mark){
        .open_ns = or_zero(chunk->open_ns),
        .events_ns = or_zero(chunk->events_ns),
        .return_ns = or_zero(chunk->return_ns),
        .id = row->id,
        .process_ns = chunk->duration_ns,
        .branches = access.branches,
        .thread = chunk->thread,
        .bytes = chunk->bytes_read,
        .events = chunk->events,
        .rss_peak = chunk->rss_peak,
        .compressed = access.compressed,
        .uncompressed = access.uncompressed,
        .entry_start = chunk->entry_start,
        .dataset = row->dataset,
        .file = row->file,
        .worker = row->worker,
        .branch_set = row->branch_set,
        .failed = attempt.failed,
        .recomputed = attempt.recomputed,
    };
    add_phases(reader, mark->dataset, mark, or_zero(chunk->duration_ns));
    place(mark, chunk);
    return memory_out ? ROAST_MEMORY : ROAST_OK;
}

static roast_code read_chunks(run_series *out, roast_run *run, unsigned needs, roast_error *err)
{
    access_table accesses = {0};
    mark_reader reader = {out, run, needs & SERIES_ACCESS ? &accesses : NULL, ledger_new()};
    out->phases = arena_alloc(&out->memory, run_datasets(run) + 1, sizeof *out->phases);
    if (!out->phases)
        return fail_memory(err);
    roast_code code = reader.accesses ? access_read(&accesses, run, err) : ROAST_OK;
    if (!code)
        code = run_each_chunk(run, RUN_EVERYTHING, see_chunk, &reader, err);
    access_release(&accesses);
    ledger_release(&reader.before);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

/* ---- The window ---------------------------------------------------------------------------------------------- */

/* The run's own window, wider where chunks lie a little outside it. Those further away than the run is long had a wrong
 * clock: an axis that reaches them would show nothing else. */
static void set_window(run_series *out, const roast_summary *summary)
{
    out->from_ns = summary->t_start_ns;
    out->to_ns = summary->t_end_ns;
    if (out->from_ns == ROAST_ABSENT || out->to_ns == ROAST_ABSENT) {
        out->from_ns = out->to_ns = ROAST_ABSENT;
        return;
    }
    int64_t length = out->to_ns - out->from_ns, least, most;
    length = length > NS_PER_S ? length : NS_PER_S;
    if (__builtin_sub_overflow(summary->t_start_ns, length, &least))
        least = INT64_MIN;
    if (__builtin_add_overflow(summary->t_end_ns, length, &most))
        most = INT64_MAX;
    for (size_t i = 0; i < out->n_chunks; i++) {
        chunk_mark *mark = &out->chunks[i];
        if (mark->start_ns == ROAST_ABSENT)
            continue;
        mark->on_axis = mark->start_ns >= least && mark->end_ns <= most && mark->open_ns <= length &&
                        mark->events_ns <= length && mark->return_ns <= length;
        out->n_off_axis += !mark->on_axis;
        if (!mark->on_axis)
            continue;
        int64_t begun = mark->start_ns - mark->events_ns - mark->open_ns, done = mark->end_ns + mark->return_ns;
        out->from_ns = begun < out->from_ns ? begun : out->from_ns;
        out->to_ns = done > out->to_ns ? done : out->to_ns;
    }
}

double series_seconds(const run_series *series, int64_t t_ns)
{
    return (double)(t_ns - series->from_ns) / (double)NS_PER_S;
}

/* ---- Heartbeats ---------------------------------------------------------------------------------------------- */

static double column_width_ns(const run_series *series)
{
    double length = (double)(series->to_ns - series->from_ns);
    return (length > 0 ? length : 1) / (double)series->columns;
}

static void see_value(run_series *out, sample_field field, size_t worker, double offset_ns, double value)
{
    if (!isfinite(value))
        return;
    double position = offset_ns / column_width_ns(out);
    size_t column = position >= (double)out->columns ? out->columns - 1 : (size_t)position;
    float at = (float)(position - (double)column), number = (float)value;
    sample_cell *cell = &out->cells[field][worker * out->columns + column];
    if (!cell->count || number < cell->least) {
        cell->least = number;
        cell->least_at = at;
    }
    if (!cell->count || number > cell->greatest) {
        cell->greatest = number;
        cell->greatest_at = at;
    }
    cell->sum += number;
    cell->count++;
    out->samples[field]++;
}

static double whole(int64_t value)
{
    return value == ROAST_ABSENT ? (double)NAN : (double)value;
}

static double share_of(double value, int64_t limit)
{
    return limit > 0 ? value / (double)limit : (double)NAN;
}

typedef struct sample_reader {
    run_series *out;
    const roast_run *run;
} sample_reader;

static roast_code see_sample(void *context, const run_sample *row)
{
    sample_reader *reader = context;
    run_series *out = reader->out;
    const roast_sample *sample = &row->record;
    const roast_worker *worker = run_worker(reader->run, row->worker);
    if (!worker || sample->t_ns == ROAST_ABSENT || sample->t_ns < out->from_ns || sample->t_ns > out->to_ns)
        return ROAST_OK;
    double offset = (double)(sample->t_ns - out->from_ns);
    see_value(out, SAMPLE_MEMORY, row->worker, offset, 100 * share_of(whole(sample->memory), worker->memory_limit));
    see_value(out, SAMPLE_CPU, row->worker, offset, share_of(sample->cpu, worker->cores));
    see_value(out, SAMPLE_OCCUPANCY, row->worker, offset, sample->occupancy);
    see_value(out, SAMPLE_EXECUTING, row->worker, offset, whole(sample->executing));
    see_value(out, SAMPLE_PROCESSING, row->worker, offset, whole(sample->processing));
    return ROAST_OK;
}

static roast_code read_samples(run_series *out, roast_run *run, size_t pixels, roast_error *err)
{
    out->n_workers = run_workers(run);
    if (!out->n_workers || out->from_ns == ROAST_ABSENT)
        return ROAST_OK;
    size_t affordable = MOST_CELLS / out->n_workers;
    out->columns = affordable < FEWEST_COLUMNS ? FEWEST_COLUMNS : affordable < pixels ? affordable : pixels;
    for (int field = 0; field < SAMPLE_FIELDS; field++) {
        out->cells[field] = arena_alloc(&out->memory, out->n_workers * out->columns, sizeof *out->cells[field]);
        if (!out->cells[field])
            return fail_memory(err);
    }
    return run_each_sample(run, RUN_EVERYTHING, see_sample, &(sample_reader){out, run}, err);
}

const sample_cell *series_cells(const run_series *series, sample_field field, size_t worker)
{
    return series->cells[field] + worker * series->columns;
}

double series_cell_time(const run_series *series, size_t column, float offset)
{
    return ((double)column + (double)offset) * column_width_ns(series) / (double)NS_PER_S;
}

/* ---- All workers together -------------------------------------------------------------------------------------- */

static void extend(sample_overview *o, double least, double greatest, double mean, size_t *present)
{
    o->least = *present && o->least < least ? o->least : least;
    o->greatest = *present && o->greatest > greatest ? o->greatest : greatest;
    o->total += mean;
    (*present)++;
}

static void add_worker(const run_series *series, sample_overview *columns, size_t *present, const sample_cell *cells)
{
    size_t first = 0, last = series->columns, beats = 0;
    while (first < series->columns && !cells[first].count)
        first++;
    while (last > first && !cells[last - 1].count)
        last--;
    for (size_t i = first; i < last; i++)
        beats += cells[i].count;
    if (beats > 1)
        last += 2 * ((last - first) / (beats - 1) + 1);
    last = last < series->columns ? last : series->columns;
    double latest = 0;
    for (size_t i = first; i < last; i++) {
        const sample_cell *cell = &cells[i];
        if (cell->count) {
            latest = (double)cell->sum / cell->count;
            double middle = ((double)cell->least_at + (double)cell->greatest_at) / 2;
            columns[i].at += series_cell_time(series, i, (float)middle) * cell->count;
            columns[i].fresh += cell->count;
            extend(&columns[i], (double)cell->least, (double)cell->greatest, latest, &present[i]);
        } else {
            extend(&columns[i], latest, latest, latest, &present[i]);
        }
    }
}

sample_overview *series_overview(const run_series *series, sample_field field, arena *memory)
{
    sample_overview *columns = arena_alloc(memory, series->columns, sizeof *columns);
    size_t *present = arena_alloc(memory, series->columns, sizeof *present);
    if (!columns || !present)
        return NULL;
    for (size_t worker = 0; worker < series->n_workers && series->cells[field]; worker++)
        add_worker(series, columns, present, series_cells(series, field, worker));
    for (size_t i = 0; i < series->columns; i++) {
        columns[i].mean = present[i] ? columns[i].total / (double)present[i] : (double)NAN;
        if (columns[i].fresh)
            columns[i].at /= columns[i].fresh;
    }
    return columns;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static roast_code read_all(run_series *out, roast_run *run, const roast_summary *summary, unsigned needs, size_t pixels,
                           roast_error *err)
{
    roast_code code = read_chunks(out, run, needs, err);
    if (code)
        return code;
    set_window(out, summary);
    code = presence_read(&out->presence, run, summary->t_start_ns, summary->t_end_ns, &out->memory, err);
    if (!code && (needs & SERIES_SAMPLES))
        code = read_samples(out, run, pixels, err);
    return code;
}

roast_code series_read(run_series *out, roast_run *run, const roast_summary *summary, unsigned needs, size_t pixels,
                       roast_error *err)
{
    *out = (run_series){0};
    roast_code code = read_all(out, run, summary, needs, pixels, err);
    if (code)
        series_release(out);
    return code;
}

void series_release(run_series *series)
{
    arena_release(&series->memory);
    free(series->chunks);
    *series = (run_series){0};
}
