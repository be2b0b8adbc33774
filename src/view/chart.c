/* The table of charts, and what turns a row of it into a chart. */
#include "view/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/coverage.h"
#include "base/closest.h"
#include "base/error.h"
#include "base/str.h"
#include "view/chart_build.h"
#include "view/text.h"

enum { WIDTH = 760, HEIGHT = 380, LEGEND_ENTRIES = 5, PIXELS = 1000, MOST_PIXELS = 20000, MOST_BINS = 2000 };

#define TIMED .x_label = "Time", .x_scale = CHART_TIME

/* The first twenty-one keep the names, titles and axes of roastcoffea 0.1.x. */
static const chart_spec CHART_SPECS[] = {
    {"worker_count_timeline", "Worker Count Over Time", TIMED, .y_label = "Number of Workers",
     .build = build_worker_count, .description = "How many workers there were at each moment."},
    {"memory_utilization_mean_timeline", "Memory Utilization Over Time", TIMED, .y_label = "Memory Utilization (%)",
     .build = build_sample_mean, .field = SAMPLE_MEMORY, .needs = SERIES_SAMPLES, .y_unit = "%", .percent = true,
     .description = "Memory of the workers in percent of their limits: the mean, and the span from the least to the "
                    "greatest."},
    {"memory_utilization_per_worker_timeline", "Memory Utilization Per Worker Over Time", TIMED,
     .y_label = "Memory Utilization (%)", .build = build_sample_lines, .field = SAMPLE_MEMORY, .needs = SERIES_SAMPLES,
     .y_unit = "%", .percent = true, .description = "Memory of each worker in percent of its limit."},
    {"cpu_utilization_mean_timeline", "CPU Utilization Over Time", TIMED, .y_label = "CPU Utilization (%)",
     .build = build_sample_mean, .field = SAMPLE_CPU, .needs = SERIES_SAMPLES, .y_unit = "%", .percent = true,
     .description = "How busy the cores of the workers were: the mean, and the span from the least to the greatest. "
                    "100 % is every core busy."},
    {"cpu_utilization_per_worker_timeline", "CPU Utilization Per Worker Over Time", TIMED,
     .y_label = "CPU Utilization (%)", .build = build_sample_lines, .field = SAMPLE_CPU, .needs = SERIES_SAMPLES,
     .y_unit = "%", .percent = true, .description = "How busy the cores of each worker were."},
    {"occupancy_timeline", "Worker Occupancy Over Time", TIMED, .y_label = "Queued work per worker (s)",
     .build = build_sample_lines, .field = SAMPLE_OCCUPANCY, .needs = SERIES_SAMPLES, .y_unit = "s",
     .description = "Seconds of work that were queued on each worker."},
    {"executing_tasks_timeline", "Executing Tasks Per Worker Over Time", TIMED, .y_label = "Number of Executing Tasks",
     .build = build_sample_lines, .field = SAMPLE_EXECUTING, .needs = SERIES_SAMPLES,
     .description = "Tasks that were running on each worker."},
    {"worker_activity_timeline", "Worker Activity Over Time", TIMED, .y_label = "Number of Active Tasks",
     .build = build_sample_lines, .field = SAMPLE_PROCESSING, .needs = SERIES_SAMPLES,
     .description = "Tasks that were assigned to each worker."},
    {"total_active_tasks_timeline", "Total Active Tasks Over Time", TIMED, .y_label = "Total Active Tasks",
     .build = build_sample_total, .field = SAMPLE_PROCESSING, .needs = SERIES_SAMPLES,
     .description = "Tasks that were assigned to all workers together."},
    {"throughput_timeline", "Data Throughput Over Time", TIMED, .y_label = "Data Rate (Gbps)",
     .build = build_throughput, .y_unit = "Gbit/s", .height = 460,
     .description = "Data that the chunks read per second, and the number of workers."},
    {"runtime_distribution", "Chunk Runtime Distribution", "Runtime (seconds)", "Number of Chunks",
     build_runtime_distribution, "How many chunks took how long in process().", .x_unit = "s", .bins = 30},
    {"runtime_vs_events", "Chunk Runtime vs Number of Events", "Number of Events", "Runtime (seconds)",
     build_runtime_vs_events,
     "Time in process() of each chunk against its events, by dataset, with the line fitted to it.", .y_unit = "s"},
    {"compression_ratio_distribution", "Compression Ratio Distribution Across Files",
     "Compression Ratio (compressed/uncompressed)", "Number of Files", build_file_distribution,
     "How many files are compressed how much; smaller is smaller.", .x_unit = "ratio", .bins = 20,
     .file = M_file_compression_ratio},
    {"data_access_percentage", "Bytes Read Percentage Distribution", "Bytes Read (%)", "Number of Files",
     build_file_distribution, "Of how many files what share of the bytes was read.", .x_unit = "%", .bins = 20,
     .file = M_file_bytes_read_percent},
    {"branch_access_per_chunk", "Branches Accessed Per Chunk", "Chunk Index", "Branches Accessed", build_branch_access,
     .description = "How many branches each chunk read, in the order in which the chunks arrived.",
     .needs = SERIES_ACCESS},
    {"bytes_accessed_per_chunk", "Bytes Accessed Per Chunk (Compressed vs Uncompressed)", "Chunk Index", "Bytes (MB)",
     build_bytes_accessed, "What each chunk read, compressed as it is in the file, and what that is unpacked.",
     .y_unit = "MB", .needs = SERIES_ACCESS},
    {"per_task_cpu_io", "CPU vs I/O Time per Task", "Task", "Time (seconds)", build_task_cpu_io,
     "CPU time and other time of each kind of task.", .y_unit = "s", .x_scale = CHART_CATEGORY},
    {"per_task_bytes_read", "Bytes Read per Task", "Task", "Bytes Read (GB)", build_task_bytes,
     "Bytes that each kind of task took from memory and from disk.", .y_unit = "GB", .x_scale = CHART_CATEGORY},
    {"per_task_overhead", "Compression & Serialization Overhead per Task", "Task", "Time (seconds)",
     build_task_overhead, "Time that each kind of task spent on compressing and serialising.", .y_unit = "s",
     .x_scale = CHART_CATEGORY},
    {"efficiency_summary", "Efficiency Metrics Summary", "", "Value", build_efficiency,
     "How much of the cores was used, and how many chunks ran at once.", .y_unit = "1", .x_scale = CHART_CATEGORY},
    {"resource_utilization", "Resource Utilization Summary", "", "Value", build_resources,
     "Workers, cores and memory of the run.", .y_unit = "1", .x_scale = CHART_CATEGORY},
    /* Those that are new. */
    {"chunk_lanes", "Chunks by Worker Thread", TIMED, .y_label = "", .build = build_chunk_lanes,
     .description =
         "Every chunk as a box, one lane for each thread of each worker, coloured by dataset; failed attempts "
         "stand out, and gaps are time in which a thread had no chunk."},
    {"concurrency", "Running Chunks Over Time", TIMED, .y_label = "Running Chunks", .build = build_concurrency,
     .description =
         "How many chunks were running at each moment, from opening the file to returning results, and how many "
         "cores there were."},
    {"data_rate", "Data Rate, Chunk by Chunk", TIMED, .y_label = "Data Rate (Gbps)", .build = build_data_rate,
     .y_unit = "Gbit/s", .description = "Data that the chunks read per second: the area under it is the data read."},
    {"memory_peaks", "Memory Peak of Each Chunk", TIMED, .y_label = "Memory Peak (GiB)", .build = build_memory_peaks,
     .y_unit = "GiB", .description = "The highest memory of the process during each chunk, when the chunk ended."},
    {"dataset_phases", "Time per Dataset: Opening, Events, process()", "", "Time (seconds)", build_dataset_phases,
     "Where the time of the chunks of each dataset went, summed over threads.", .y_unit = "s",
     .x_scale = CHART_CATEGORY},
    {"section_shares", "Sections, Share of process()", "", "Share of process() (%)", build_section_shares,
     "What share of the time in process() each section took.", .y_unit = "%", .x_scale = CHART_CATEGORY},
    {"worker_rates", "Events per Second by Worker", "", "Events per Second in process()", build_worker_rates,
     "How many events each worker processed per second that one of its threads spent in process().", .y_unit = "Hz",
     .x_scale = CHART_CATEGORY},
    {"file_rates", "Events per Second by File", "", "Events per Second in process()", build_file_rates,
     "How many events of each file were processed per second in process().", .y_unit = "Hz", .x_scale = CHART_CATEGORY},
    {"tail", "The Tail: Chunks That Ended Last", TIMED, .y_label = "", .build = build_tail,
     .description = "The chunks that the run waited for at its end, the last one first."},
};

enum { CHART_COUNT = sizeof CHART_SPECS / sizeof CHART_SPECS[0] };

/* ---- What builders use ------------------------------------------------------------------------------------------- */

void *chart_alloc(chart_builder *b, size_t count, size_t size)
{
    void *memory = b->failed ? NULL : arena_alloc(b->memory, count, size);
    b->failed = b->failed || !memory;
    return memory;
}

static double *numbers(chart_builder *b, bool wanted, size_t count)
{
    return wanted ? chart_alloc(b, count, sizeof(double)) : NULL;
}

chart_series *chart_add_series(chart_builder *b, chart_kind kind, roast_str name, int colour, size_t capacity)
{
    chart *c = b->out;
    chart_series s = {.kind = kind, .name = chart_copy(b, name), .colour = colour, .capacity = capacity};
    s.legend = !str_absent(name);
    s.width = 0.8;
    s.x = numbers(b, true, capacity);
    s.y = numbers(b, true, capacity);
    s.x2 = numbers(b, kind == CHART_HISTOGRAM || kind == CHART_LANES || kind == CHART_HEAT, capacity);
    s.y2 = numbers(b, kind == CHART_BAND || kind == CHART_BARS, capacity);
    s.z = numbers(b, kind == CHART_HEAT, capacity);
    s.weight = numbers(b, kind == CHART_POINTS, capacity);
    if (b->failed || c->n_series == CHART_MOST_SERIES) {
        b->spare = (chart_series){.kind = kind};
        return &b->spare;
    }
    c->series[c->n_series] = s;
    return &c->series[c->n_series++];
}

static void add_item(chart_series *s, double x, double x2, double y, double y2, double weight)
{
    bool interrupts = isnan(y) && s->kind == CHART_LINE;
    if (s->count == s->capacity || !isfinite(x) || !isfinite(x2) || !isfinite(y2) || !(isfinite(y) || interrupts))
        return;
    size_t i = s->count++;
    s->x[i] = x;
    s->y[i] = y;
    if (s->x2)
        s->x2[i] = x2;
    if (s->y2)
        s->y2[i] = y2;
    if (s->weight)
        s->weight[i] = weight;
}

void chart_add(chart_series *s, double x, double y)
{
    add_item(s, x, x, y, 0, 1);
}

void chart_add_range(chart_series *s, double x, double low, double high)
{
    if (s->kind == CHART_BARS)
        add_item(s, x, x, high, low, 1);
    else
        add_item(s, x, x, low, high, 1);
}

void chart_add_box(chart_series *s, double x, double x2, double y)
{
    add_item(s, x, x2, y, 0, 1);
}

void chart_add_cell(chart_series *s, double x, double x2, double y, double z)
{
    size_t before = s->count;
    if (isfinite(z))
        add_item(s, x, x2, y, 0, 1);
    if (s->count > before)
        s->z[before] = z;
}

void chart_add_weighted(chart_series *s, double x, double y, double weight)
{
    add_item(s, x, x, y, 0, weight);
}

roast_str chart_copy(chart_builder *b, roast_str text)
{
    roast_str copy = b->failed ? str_none() : arena_str(b->memory, text);
    b->failed = b->failed || arena_str_failed(copy, text);
    return copy;
}

roast_str chart_text(chart_builder *b, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t kept = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    return chart_copy(b, (roast_str){text, kept});
}

void chart_note_at(chart_builder *b, chart_note_kind kind, double at, roast_str text)
{
    chart *c = b->out;
    if (c->n_notes < CHART_MOST_NOTES && isfinite(at) && !str_absent(text))
        c->notes[c->n_notes++] = (chart_note){kind, at, text};
}

void chart_note_text(chart_builder *b, roast_str text)
{
    chart_note_at(b, NOTE_TEXT, 0, text);
}

void chart_is_empty(chart_builder *b, const char *why)
{
    if (str_absent(b->out->why))
        b->out->why = str_from(why);
}

bool chart_has_no_chunks(chart_builder *b)
{
    roast_str stated = summary_fact(b->summary, "no_chunks");
    bool none = !b->series->n_chunks;
    if (none && str_absent(b->out->why))
        b->out->why = str_absent(stated) ? STR("no chunk was recorded") : chart_copy(b, stated);
    if (!none && partly_measured(b->summary)) {
        roast_str partly = say_partly_measured(b->summary, b->memory);
        b->failed |= str_absent(partly);
        chart_note_text(b, partly);
    }
    return none;
}

void chart_categories(chart_builder *b, chart_axis *axis, size_t count)
{
    axis->scale = CHART_CATEGORY;
    axis->categories = chart_alloc(b, count, sizeof *axis->categories);
    axis->n_categories = b->failed ? 0 : count;
}

void chart_category(chart_builder *b, chart_axis *axis, size_t index, roast_str name)
{
    if (index < axis->n_categories)
        axis->categories[index] = chart_copy(b, str_absent(name) ? STR("(no name)") : name);
}

static chart_axis axis_of(const char *label, const char *unit, chart_scale scale)
{
    return (chart_axis){.label = str_from(label),
                        .unit = str_from(unit ? unit : ""),
                        .scale = scale,
                        .low = (double)NAN,
                        .high = (double)NAN,
                        .origin_ns = ROAST_ABSENT};
}

size_t chart_add_panel(chart_builder *b, const char *label, const char *unit)
{
    chart *c = b->out;
    if (c->n_panels == CHART_MOST_PANELS)
        return CHART_MOST_PANELS - 1;
    c->panels[c->n_panels] = (chart_panel){axis_of(label, unit, CHART_NUMBER), (double)NAN, (double)NAN};
    return c->n_panels++;
}

void chart_use_shades(chart_builder *b)
{
    chart_axis *y = &b->out->panels[0].y;
    b->out->z = *y;
    *y = axis_of("", "", CHART_CATEGORY);
}

roast_str chart_value(chart_builder *b, double value, const char *unit, format_form form)
{
    buf text = {0};
    format_value(&text, (roast_value){.kind = ROAST_REAL, .as.real = value}, unit, form);
    b->failed = b->failed || text.code;
    roast_str kept = chart_copy(b, buf_view(&text));
    buf_release(&text);
    return kept;
}

roast_str dataset_name(const chart_builder *b, uint32_t dataset)
{
    roast_str name = run_dataset(b->run, dataset);
    return str_absent(name) ? STR("(no dataset)") : name;
}

int dataset_colour(const chart_builder *b, uint32_t dataset)
{
    return dataset < run_datasets(b->run) ? b->dataset_colours[dataset] : CHART_NEUTRAL;
}

roast_str worker_name(const chart_builder *b, uint32_t worker)
{
    const roast_worker *record = run_worker(b->run, worker);
    return record ? without_scheme(record->address) : STR("(no worker)");
}

/* ---- One chart --------------------------------------------------------------------------------------------------- */

static void set_up(chart_builder *b)
{
    const chart_spec *spec = b->spec;
    *b->out = (chart){
        .id = spec->id,
        .title = str_from(spec->title),
        .description = str_from(spec->description),
        .x = axis_of(spec->x_label, spec->x_unit, spec->x_scale),
        .width = WIDTH,
        .height = spec->height > 0 ? spec->height : HEIGHT,
    };
    b->percent = spec->percent;
    chart_add_panel(b, spec->y_label, spec->y_unit);
    if (spec->x_scale == CHART_TIME) {
        b->out->x.low = 0;
        b->out->x.high = b->series->from_ns == ROAST_ABSENT ? 1 : series_seconds(b->series, b->series->to_ns);
        b->out->x.origin_ns = b->series->from_ns;
    }
    b->out->series = chart_alloc(b, CHART_MOST_SERIES, sizeof *b->out->series);
}

static bool has_items(const chart *c)
{
    for (size_t i = 0; i < c->n_series; i++)
        if (c->series[i].count)
            return true;
    return false;
}

static roast_code build_chart(chart_builder *b)
{
    set_up(b);
    if (!b->failed)
        b->spec->build(b);
    if (!b->failed && !has_items(b->out))
        chart_is_empty(b, "there is nothing to show");
    if (!str_absent(b->out->why))
        b->out->n_series = b->out->n_notes = 0;
    if (!b->failed)
        chart_finish_axes(b);
    return b->failed ? fail_memory(b->err) : ROAST_OK;
}

/* ---- All charts -------------------------------------------------------------------------------------------------- */

static const chart_spec *find_spec(roast_str id)
{
    for (size_t i = 0; i < CHART_COUNT; i++)
        if (str_equal(id, str_from(CHART_SPECS[i].id)))
            return &CHART_SPECS[i];
    return NULL;
}

static roast_code fail_no_chart(roast_str id, roast_error *err)
{
    const char *close = closest_id(id, roast_chart_id);
    if (close)
        return fail(err, ROAST_USAGE, "there is no chart \"%.*s\"; did you mean \"%s\"?", (int)id.len, id.ptr, close);
    return fail(err, ROAST_USAGE, "there is no chart \"%.*s\"; see roast plot --list", (int)id.len, id.ptr);
}

static roast_code choose(const chart_spec **chosen, size_t *count, const char *only, roast_error *err)
{
    *count = 0;
    for (size_t i = 0; !only && i < CHART_COUNT; i++)
        chosen[(*count)++] = &CHART_SPECS[i];
    for (roast_str rest = str_from(only); !str_absent(rest);) {
        roast_str id = str_trim(str_split(&rest, ','));
        const chart_spec *spec = find_spec(id);
        if (!spec)
            return fail_no_chart(id, err);
        bool again = false;
        for (size_t i = 0; i < *count; i++)
            again = again || chosen[i] == spec;
        if (!again)
            chosen[(*count)++] = spec;
    }
    return ROAST_OK;
}

static double seconds_of_dataset(const roast_summary *summary, size_t row)
{
    roast_value value = summary_cell(summary, M_dataset_total_duration, row);
    return value.kind == ROAST_REAL ? value.as.real : 0;
}

/* In order of appearance where they took the same. */
int *chart_dataset_colours(const roast_run *run, const roast_summary *summary, arena *memory)
{
    size_t count = run_datasets(run);
    int *colours = arena_alloc(memory, count, sizeof *colours);
    for (size_t i = 0; colours && i < count; i++)
        colours[i] = CHART_NEUTRAL;
    for (int colour = 0; colours && colour < CHART_COLOURS; colour++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (colours[i] == CHART_NEUTRAL &&
                (best == count || seconds_of_dataset(summary, i) > seconds_of_dataset(summary, best)))
                best = i;
        if (best < count)
            colours[best] = colour;
    }
    return colours;
}

static chart_options with_defaults(const chart_options *given)
{
    chart_options o = given ? *given : (chart_options){0};
    o.legend_entries = o.legend_entries ? o.legend_entries : LEGEND_ENTRIES;
    o.pixels = !o.pixels ? PIXELS : o.pixels < 2 ? 2 : o.pixels > MOST_PIXELS ? MOST_PIXELS : o.pixels;
    o.bins = o.bins > MOST_BINS ? MOST_BINS : o.bins;
    return o;
}

static roast_code build_all(chart_set *out, chart_builder *b, const chart_spec **chosen, size_t count)
{
    arena scratch = {0};
    sweep over_all;
    roast_code code = ROAST_OK;
    if (b->series->from_ns != ROAST_ABSENT) {
        code =
            sweep_run(&over_all, b->series, b->series->from_ns, b->series->to_ns, b->options.pixels, &scratch, b->err);
        b->sweep = &over_all;
    }
    for (size_t i = 0; !code && i < count; i++) {
        b->out = &out->charts[i];
        b->spec = chosen[i];
        code = build_chart(b);
        out->count++;
    }
    arena_release(&scratch);
    return code;
}

roast_code charts_build_of(chart_set *out, const chart_spec *specs, const void *const *subjects, size_t count,
                           roast_error *err)
{
    *out = (chart_set){0};
    out->charts = arena_alloc(&out->memory, count, sizeof *out->charts);
    roast_code code = out->charts || !count ? ROAST_OK : fail_memory(err);
    for (size_t i = 0; !code && i < count; i++) {
        chart_builder b = {.memory = &out->memory, .err = err, .out = &out->charts[i], .spec = &specs[i]};
        b.subject = subjects[i];
        b.options = with_defaults(NULL);
        code = build_chart(&b);
        out->count++;
    }
    if (code)
        charts_release(out);
    return code;
}

roast_code charts_build(chart_set *out, roast_run *run, const roast_summary *summary, const char *only,
                        const chart_options *options, roast_error *err)
{
    *out = (chart_set){0};
    const chart_spec *chosen[CHART_COUNT];
    size_t count;
    run_series series;
    unsigned needs = 0;
    chart_builder b = {.memory = &out->memory, .run = run, .summary = summary, .series = &series, .err = err};
    b.options = with_defaults(options);
    roast_code code = choose(chosen, &count, only, err);
    if (code)
        return code;
    for (size_t i = 0; i < count; i++)
        needs |= chosen[i]->needs;
    code = series_read(&series, run, summary, needs, b.options.pixels, err);
    if (code)
        return code;
    out->charts = arena_alloc(&out->memory, count, sizeof *out->charts);
    b.dataset_colours = chart_dataset_colours(run, summary, &out->memory);
    code = out->charts && b.dataset_colours ? build_all(out, &b, chosen, count) : fail_memory(err);
    series_release(&series);
    if (code)
        charts_release(out);
    return code;
}

void charts_release(chart_set *set)
{
    arena_release(&set->memory);
    *set = (chart_set){0};
}

const char *roast_chart_id(size_t index)
{
    return index < CHART_COUNT ? CHART_SPECS[index].id : NULL;
}

const char *roast_chart_title(const char *id)
{
    const chart_spec *spec = find_spec(str_from(id));
    return spec ? spec->title : NULL;
}

const char *chart_kind_text(chart_kind kind)
{
    static const char *const texts[] = {"line", "step", "band", "bars", "histogram", "points", "lanes", "heat"};
    return texts[kind];
}

const char *chart_scale_text(chart_scale scale)
{
    static const char *const texts[] = {"number", "time", "category", "log", "duration"};
    return texts[scale];
}
