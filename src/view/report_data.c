/* Chunks, lanes and workers over time for the script of the report. A page has no use for nanoseconds: times are
 * counted in ticks, of which the run has some ten millions, so that a chunk takes a few bytes and zooming far in stays
 * sharp. */
#include "view/report_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/explain.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"
#include "model/facts.h"
#include "view/html.h"
#include "view/json.h"
#include "view/page_columns.h"
#include "view/table_writer.h"

enum { SAMPLE_COLUMNS = 1500 };
static const int64_t SHORTEST_TICK_NS = 1000, MOST_TICKS = 40000000;

/* ---- Reading ------------------------------------------------------------------------------------------------- */

static void choose_tick(report_data *data)
{
    int64_t from = data->series.from_ns, to = data->series.to_ns;
    data->tick_ns = SHORTEST_TICK_NS;
    if (from == ROAST_ABSENT || to == ROAST_ABSENT)
        return;
    while ((to - from) / data->tick_ns > MOST_TICKS)
        data->tick_ns *= 10;
    data->length = (to - from) / data->tick_ns;
}

static int64_t ticks(const report_data *data, int64_t ns)
{
    return ns == ROAST_ABSENT || ns < 0 ? ROAST_ABSENT : ns / data->tick_ns;
}

/* How many times as long as expected a chunk took goes in one byte: steps of a 20th of a factor of two, from the
 * middle.
 */
enum { SLOWNESS_STEPS = 20, SLOWNESS_MIDDLE = 127, SLOWNESS_MOST = 254 };

static int64_t slowness(const explanation *e, size_t record)
{
    if (!e || record >= e->n_records || !(e->times_expected[record] > 0))
        return ROAST_ABSENT;
    double steps = round(SLOWNESS_STEPS * log2((double)e->times_expected[record]));
    return (int64_t)fmin(fmax(SLOWNESS_MIDDLE + steps, 0), SLOWNESS_MOST);
}

typedef struct report_reader {
    report_data *data;
    const explanation *explained;
    intern errors;
    size_t number; /* of the record */
} report_reader;

static int64_t difference(int64_t stop, int64_t start)
{
    int64_t result;
    bool known = stop != ROAST_ABSENT && start != ROAST_ABSENT && !__builtin_sub_overflow(stop, start, &result);
    return known ? result : ROAST_ABSENT;
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    report_reader *reader = context;
    report_data *data = reader->data;
    size_t number = reader->number++;
    if (number >= data->series.n_chunks)
        return ROAST_OK; /* came in since the series was read: the run is still being written */
    const chunk_mark *mark = &data->series.chunks[number];
    const roast_chunk *chunk = &row->record;
    uint32_t error = 0;
    if (mark->failed) {
        error = intern_add(&reader->errors, str_absent(chunk->error_type) ? STR("error") : chunk->error_type, NULL);
        if (error++ == INTERN_NONE)
            return ROAST_MEMORY;
    }
    data->chunks[number] = (report_chunk){
        .begin = mark->on_axis ? (mark_begun(mark) - data->series.from_ns) / data->tick_ns : ROAST_ABSENT,
        .open_time = ticks(data, chunk->open_ns),
        .events_time = ticks(data, chunk->events_ns),
        .process_time = ticks(data, chunk->duration_ns),
        .return_time = ticks(data, chunk->return_ns),
        .cpu_time = ticks(data, chunk->cpu_ns),
        .entry_start = chunk->entry_start,
        .entries = difference(chunk->entry_stop, chunk->entry_start),
        .events = chunk->events,
        .attempt = chunk->attempt,
        .memory_kib = chunk->rss_peak == ROAST_ABSENT ? ROAST_ABSENT : chunk->rss_peak / 1024,
        .bytes = chunk->bytes_read,
        .slowness = slowness(reader->explained, number),
        .dataset = row->dataset,
        .file = row->file,
        .worker = row->worker,
        .error = error,
        .recomputed = mark->recomputed,
    };
    return ROAST_OK;
}

static roast_code keep_errors(report_data *data, const intern *errors)
{
    data->n_errors = errors->count;
    data->errors = arena_alloc(&data->memory, errors->count, sizeof *data->errors);
    for (uint32_t i = 0; data->errors && i < errors->count; i++) {
        data->errors[i] = arena_str(&data->memory, errors->strings[i]);
        if (arena_str_failed(data->errors[i], errors->strings[i]))
            return ROAST_MEMORY;
    }
    return data->errors ? ROAST_OK : ROAST_MEMORY;
}

static roast_code read_chunks(report_data *data, roast_run *run, const roast_summary *summary, roast_error *err)
{
    size_t count = data->series.n_chunks;
    data->chunks = arena_alloc(&data->memory, count, sizeof *data->chunks);
    if (!data->chunks)
        return fail_memory(err);
    report_reader reader = {.data = data, .explained = summary->explanation};
    roast_code code = run_each_chunk(run, RUN_EVERYTHING, see_chunk, &reader, err);
    if (!code)
        code = keep_errors(data, &reader.errors);
    intern_release(&reader.errors);
    if (code == ROAST_MEMORY)
        fail_memory(err);
    return code;
}

roast_code report_data_read(report_data *out, roast_run *run, const roast_summary *summary, roast_error *err)
{
    *out = (report_data){.run = run};
    roast_code code = series_read(&out->series, run, summary, SERIES_SAMPLES, SAMPLE_COLUMNS, err);
    if (!code) {
        choose_tick(out);
        code = read_chunks(out, run, summary, err);
    }
    if (!code)
        code = lanes_assign(&out->lanes, &out->series, &out->memory, err);
    if (code)
        report_data_release(out);
    return code;
}

void report_data_release(report_data *data)
{
    series_release(&data->series);
    arena_release(&data->memory);
    *data = (report_data){0};
}

/* ---- Writing: columns ---------------------------------------------------------------------------------------- */

/* Columns of chunks that are one field each. */
#define CHUNK_COLUMNS(X)                                                                                               \
    X(begin, COLUMN_DELTAS)                                                                                            \
    X(open_time, COLUMN_PLAIN)                                                                                         \
    X(events_time, COLUMN_PLAIN)                                                                                       \
    X(process_time, COLUMN_PLAIN)                                                                                      \
    X(return_time, COLUMN_PLAIN)                                                                                       \
    X(cpu_time, COLUMN_PLAIN)                                                                                          \
    X(entry_start, COLUMN_PLAIN)                                                                                       \
    X(events, COLUMN_PLAIN)                                                                                            \
    X(attempt, COLUMN_PLAIN)                                                                                           \
    X(memory_kib, COLUMN_PLAIN)                                                                                        \
    X(bytes, COLUMN_PLAIN)                                                                                             \
    X(slowness, COLUMN_PLAIN)                                                                                          \
    X(error, COLUMN_PLAIN)                                                                                             \
    X(recomputed, COLUMN_PLAIN)

/* Rows are chunks in the order in which they began. */
static const report_chunk *chunk_at(const void *context, size_t row)
{
    const report_data *data = context;
    return &data->chunks[data->lanes.order[row]];
}

#define CHUNK_COLUMN_VALUE(field, coding)                                                                              \
    static int64_t value_of_##field(const void *context, size_t row)                                                   \
    {                                                                                                                  \
        return (int64_t)chunk_at(context, row)->field;                                                                 \
    }
CHUNK_COLUMNS(CHUNK_COLUMN_VALUE)
#undef CHUNK_COLUMN_VALUE

static int64_t known_index(uint32_t index)
{
    return index == RUN_UNKNOWN ? ROAST_ABSENT : (int64_t)index;
}

/* Where there are as many entries as events, as nearly always, nothing: the page knows. */
static int64_t value_of_entries(const void *context, size_t row)
{
    const report_chunk *chunk = chunk_at(context, row);
    return chunk->entries == chunk->events ? ROAST_ABSENT : chunk->entries;
}

static int64_t value_of_dataset(const void *context, size_t row)
{
    return known_index(chunk_at(context, row)->dataset);
}

static int64_t value_of_file(const void *context, size_t row)
{
    return known_index(chunk_at(context, row)->file);
}

/* What a chunk is called wherever it is: chunk_id. */
static int64_t value_of_number(const void *context, size_t row)
{
    const report_data *data = context;
    return data->series.chunks[data->lanes.order[row]].id;
}

static int64_t value_of_lane(const void *context, size_t row)
{
    const report_data *data = context;
    return (int64_t)data->series.chunks[data->lanes.order[row]].lane;
}

static int64_t lane_worker(const void *context, size_t row)
{
    return known_index(((const report_data *)context)->lanes.lanes[row].worker);
}

static void put_chunks(buf *out, const report_data *data)
{
#define CHUNK_COLUMN_PUT(field, coding)                                                                                \
    page_column_put(out, "chunks", #field, coding, data->lanes.n_chunks, value_of_##field, data);
    CHUNK_COLUMNS(CHUNK_COLUMN_PUT)
#undef CHUNK_COLUMN_PUT
    page_column_put(out, "chunks", "entries", COLUMN_PLAIN, data->lanes.n_chunks, value_of_entries, data);
    page_column_put(out, "chunks", "dataset", COLUMN_PLAIN, data->lanes.n_chunks, value_of_dataset, data);
    page_column_put(out, "chunks", "file", COLUMN_PLAIN, data->lanes.n_chunks, value_of_file, data);
    page_column_put(out, "chunks", "number", COLUMN_DELTAS, data->lanes.n_chunks, value_of_number, data);
    page_column_put(out, "chunks", "lane", COLUMN_PLAIN, data->lanes.n_chunks, value_of_lane, data);
    page_column_put(out, "chunks", "lane_worker", COLUMN_PLAIN, data->lanes.count, lane_worker, data);
}

/* Points of the number of workers, and the heartbeats of all workers by column of pixels. */
typedef struct curves {
    const report_data *data;
    const sample_overview *overview;
} curves;

static int64_t presence_at(const void *context, size_t row)
{
    const curves *c = context;
    return (c->data->series.presence.points[row].t_ns - c->data->series.from_ns) / c->data->tick_ns;
}

static int64_t presence_workers(const void *context, size_t row)
{
    return ((const curves *)context)->data->series.presence.points[row].workers;
}

static int64_t presence_cores(const void *context, size_t row)
{
    return ((const curves *)context)->data->series.presence.points[row].cores;
}

/* Percentages to a hundredth. */
static int64_t hundredths(double percent)
{
    return isfinite(percent) && percent >= 0 && percent < 1e9 ? llround(percent * 100) : ROAST_ABSENT;
}

static int64_t overview_mean(const void *context, size_t row)
{
    const sample_overview *o = &((const curves *)context)->overview[row];
    return o->fresh ? hundredths(o->mean) : ROAST_ABSENT;
}

static int64_t overview_greatest(const void *context, size_t row)
{
    const sample_overview *o = &((const curves *)context)->overview[row];
    return o->fresh ? hundredths(o->greatest) : ROAST_ABSENT;
}

static void put_overview(buf *out, const report_data *data, sample_field field, const char *mean, const char *most)
{
    const run_series *series = &data->series;
    if (!series->samples[field])
        return;
    arena scratch = {0};
    curves c = {data, series_overview(series, field, &scratch)};
    if (c.overview) {
        page_column_put(out, "series", mean, COLUMN_PLAIN, series->columns, overview_mean, &c);
        page_column_put(out, "series", most, COLUMN_PLAIN, series->columns, overview_greatest, &c);
    } else if (!out->code) {
        out->code = ROAST_MEMORY;
    }
    arena_release(&scratch);
}

static void put_series(buf *out, const report_data *data)
{
    const presence_points *presence = &data->series.presence;
    curves c = {data, NULL};
    if (presence->count && data->length) {
        page_column_put(out, "series", "at", COLUMN_DELTAS, presence->count, presence_at, &c);
        page_column_put(out, "series", "workers", COLUMN_PLAIN, presence->count, presence_workers, &c);
        if (presence->cores_known)
            page_column_put(out, "series", "cores", COLUMN_PLAIN, presence->count, presence_cores, &c);
    }
    put_overview(out, data, SAMPLE_MEMORY, "memory_mean", "memory_most");
    put_overview(out, data, SAMPLE_CPU, "cpu_mean", "cpu_most");
}

/* ---- Writing: names ------------------------------------------------------------------------------------------ */

static void put_name(buf *out, const char *before, roast_str text)
{
    buf_text(out, before);
    html_quoted(out, text);
}

/* The storage servers of files, and the number of each file's. */
static void put_sites(buf *out, const roast_run *run)
{
    intern sites = {0};
    buf_text(out, "\"site_of_file\":[");
    for (uint32_t i = 0; i < run_files(run); i++) {
        uint32_t site = intern_add(&sites, file_server(run_file(run, i)->url), NULL);
        buf_format(out, i ? ",%" PRIu32 : "%" PRIu32, site);
        if (site == INTERN_NONE && !out->code)
            out->code = ROAST_MEMORY;
    }
    buf_text(out, "],\n\"sites\":[");
    for (uint32_t i = 0; i < sites.count; i++)
        put_name(out, i ? "," : "", sites.strings[i]);
    buf_text(out, "],\n");
    intern_release(&sites);
}

/* A worker is its name on the screen, its host and its address, which is left out if it is the name. */
static void put_worker(buf *out, const roast_worker *worker)
{
    roast_str name = without_scheme(worker->address);
    put_name(out, "[", name);
    put_name(out, ",", worker_host(worker));
    if (!str_equal(name, worker->address))
        put_name(out, ",", worker->address);
    buf_char(out, ']');
}

static void put_names(buf *out, const report_data *data, const int *colours)
{
    const roast_run *run = data->run;
    buf text = {0};
    buf_char(&text, '{');
    put_sites(&text, run);
    buf_text(&text, "\"datasets\":[");
    for (uint32_t i = 0; i < run_datasets(run); i++) {
        put_name(&text, i ? ",[" : "[", run_dataset(run, i));
        buf_format(&text, ",%d]", colours[i]);
    }
    buf_text(&text, "],\n\"files\":[");
    for (uint32_t i = 0; i < run_files(run); i++)
        put_name(&text, i ? "," : "", run_file(run, i)->url);
    buf_text(&text, "],\n\"workers\":[");
    for (uint32_t i = 0; i < run_workers(run); i++) {
        buf_text(&text, i ? "," : "");
        put_worker(&text, run_worker(run, i));
    }
    buf_text(&text, "],\n\"errors\":[");
    for (size_t i = 0; i < data->n_errors; i++)
        put_name(&text, i ? "," : "", data->errors[i]);
    buf_text(&text, "]}");
    page_text_put(out, buf_view(&text));
    if (text.code && !out->code)
        out->code = text.code;
    buf_release(&text);
}

/* What charts over time say of the whole run is what everything else on the page says of it: the numbers of the
 * summary, in its words. What is not known of the whole run is left out. */
static void put_whole(json_writer *w, const char *key, double value, const char *unit)
{
    buf text = {0};
    format_value(&text, real_value(value), unit, FORM_UNIT);
    if (isfinite(value))
        json_put_text(w, key, buf_view(&text));
    w->out->code = w->out->code ? w->out->code : text.code;
    buf_release(&text);
}

static void put_whole_run(json_writer *w, const roast_summary *s)
{
    static const struct {
        const char *key;
        metric_id metric;
    } numbers[] = {
        {"elapsed", M_run_elapsed_time_seconds},
        {"cores", M_run_total_cores},
        {"running", M_run_concurrent_chunks_mean},
        {"workers", M_run_avg_workers},
        {"memory_mean", M_run_memory_utilization_percent_mean},
        {"memory_most", M_run_memory_utilization_percent_max},
        {"cpu_mean", M_run_cpu_utilization_percent_mean},
        {"cpu_most", M_run_cpu_utilization_percent_max},
    };
    double events = summary_real(s, M_run_total_events), drawn = summary_real(s, M_run_total_events_from_chunks);
    json_put_open(w, "whole", '{');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_whole(w, numbers[i].key, summary_real(s, numbers[i].metric), metric_info(numbers[i].metric)->unit);
    put_whole(w, "bytes", summary_real(s, M_run_chunk_bytes_read) / summary_real(s, M_run_elapsed_time_seconds), "B/s");
    put_whole(w, "events", events == drawn ? summary_real(s, M_run_event_rate_elapsed_khz) : (double)NAN, "kHz");
    json_put_close(w, '}');
}

static void put_about(buf *out, const report_data *data, const roast_summary *summary)
{
    const run_series *series = &data->series;
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_real(&w, "tick", (double)data->tick_ns / (double)NS_PER_S);
    json_put_int(&w, "length", data->length);
    json_put_int(&w, "from_ms", series->from_ns == ROAST_ABSENT ? ROAST_ABSENT : series->from_ns / 1000000);
    json_put_int(&w, "run_start",
                 series->from_ns == ROAST_ABSENT ? 0 : (summary->t_start_ns - series->from_ns) / data->tick_ns);
    json_put_int(&w, "chunks", (int64_t)data->lanes.n_chunks);
    json_put_int(&w, "lanes", (int64_t)data->lanes.count);
    json_put_int(&w, "slowness_steps", SLOWNESS_STEPS);
    json_put_int(&w, "slowness_middle", SLOWNESS_MIDDLE);
    json_put_real(&w, "slow_from", LEAST_SLOWDOWN);
    json_put_int(&w, "points", data->length ? (int64_t)series->presence.count : 0);
    json_put_int(&w, "columns", (int64_t)series->columns);
    put_whole_run(&w, summary);
    json_put_close(&w, '}');
}

void report_data_put(buf *out, const report_data *data, const roast_summary *summary, const int *colours)
{
    buf_text(out, "<script type=\"application/json\" id=\"data-about\">");
    put_about(out, data, summary);
    buf_text(out, "</script>\n<script type=\"text/plain\" id=\"data-names\">");
    put_names(out, data, colours);
    buf_text(out, "</script>\n");
    put_series(out, data);
    put_chunks(out, data);
}
