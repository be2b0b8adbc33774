/* Charts of the chunks themselves: how long they took, and what they read. */
#include <math.h>

#include "analysis/density.h"
#include "base/clock.h"
#include "base/str.h"
#include "view/chart_build.h"

enum { PLACES_ACROSS = 240, PLACES_DOWN = 100 };

static const double GIBIBYTE = 1073741824, MEBIBYTE = 1048576;

/* ---- Datasets as groups of series ---------------------------------------------------------------------------------
 */

enum { GROUP_REST = CHART_COLOURS, GROUP_FAILED };

size_t group_of(const chart_builder *b, const chunk_mark *mark)
{
    if (mark->failed)
        return GROUP_FAILED;
    int colour = dataset_colour(b, mark->dataset);
    return colour < 0 ? GROUP_REST : (size_t)colour;
}

int group_colour(size_t group)
{
    return group == GROUP_FAILED ? CHART_BAD : group == GROUP_REST ? CHART_NEUTRAL : (int)group;
}

roast_str group_name(chart_builder *b, size_t group)
{
    if (group == GROUP_FAILED)
        return STR("failed attempts");
    if (group < CHART_COLOURS) {
        for (uint32_t i = 0; i < run_datasets(b->run); i++)
            if (dataset_colour(b, i) == (int)group)
                return dataset_name(b, i);
        return STR("(no dataset)");
    }
    size_t datasets = run_datasets(b->run);
    return datasets > CHART_COLOURS
               ? chart_text(b, datasets == CHART_COLOURS + 1 ? "%zu other dataset" : "%zu other datasets",
                            datasets - CHART_COLOURS)
               : STR("(no dataset)");
}

/* ---- Points --------------------------------------------------------------------------------------------------------
 */

static void find_limits(chart_builder *b, mark_point point, density *d)
{
    bool any = false;
    for (size_t i = 0; i < b->series->n_chunks; i++) {
        double x, y;
        if (!point(b, &b->series->chunks[i], &x, &y))
            continue;
        d->x_low = any ? fmin(d->x_low, x) : x;
        d->x_high = any ? fmax(d->x_high, x) : x;
        d->y_low = any ? fmin(d->y_low, y) : y;
        d->y_high = any ? fmax(d->y_high, y) : y;
        any = true;
    }
}

void chart_add_points(chart_builder *b, mark_point point)
{
    density d = {.across = PLACES_ACROSS, .down = PLACES_DOWN};
    size_t counts[SERIES_GROUPS] = {0};
    find_limits(b, point, &d);
    for (size_t i = 0; i < b->series->n_chunks && !b->failed; i++) {
        const chunk_mark *mark = &b->series->chunks[i];
        double x, y;
        if (point(b, mark, &x, &y) && !density_add(&d, (uint32_t)group_of(b, mark), x, y))
            b->failed = true;
    }
    density_sort(&d);
    for (size_t i = 0; i < d.count; i++)
        counts[d.places[i].group]++;
    for (uint32_t group = 0; group < SERIES_GROUPS; group++) {
        if (!counts[group])
            continue;
        chart_series *s = chart_add_series(b, CHART_POINTS, group_name(b, group), group_colour(group), counts[group]);
        for (size_t i = 0; i < d.count; i++)
            if (d.places[i].group == group)
                chart_add_weighted(s, d.places[i].x, d.places[i].y, d.places[i].count);
    }
    density_release(&d);
}

/* ---- Runtimes ------------------------------------------------------------------------------------------------------
 */

static double runtime(const chunk_mark *mark)
{
    return mark->process_ns == ROAST_ABSENT ? (double)NAN : clock_seconds(mark->process_ns);
}

static void note_seconds(chart_builder *b, metric_id metric, const char *name)
{
    double seconds = summary_real(b->summary, metric);
    if (!isfinite(seconds))
        return;
    roast_str value = seconds < 100 ? chart_text(b, "%.2fs", seconds) : chart_value(b, seconds, "s", FORM_UNIT);
    chart_note_at(b, NOTE_AT_X, seconds, chart_text(b, "%s: %.*s", name, (int)value.len, value.ptr));
}

void build_runtime_distribution(chart_builder *b)
{
    double *values = chart_has_no_chunks(b) ? NULL : chart_alloc(b, b->series->n_chunks, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; values && i < b->series->n_chunks; i++) {
        const chunk_mark *mark = &b->series->chunks[i];
        if (!mark->failed && isfinite(runtime(mark)))
            values[count++] = runtime(mark);
    }
    if (values && !count)
        chart_is_empty(b, "no chunk that succeeded says how long it took");
    if (!count)
        return;
    chart_add_histogram(b, values, count, STR("chunks"));
    note_seconds(b, M_run_chunk_duration_mean, "Mean");
    note_seconds(b, M_run_chunk_duration_p50, "Median");
}

static bool runtime_point(const chart_builder *b, const chunk_mark *mark, double *x, double *y)
{
    (void)b;
    *x = (double)mark->events;
    *y = runtime(mark);
    return mark->events != ROAST_ABSENT && isfinite(*y);
}

/* The line that analysis fitted through the chunks that succeeded. */
static void add_trend(chart_builder *b)
{
    double slope = summary_real(b->summary, M_run_runtime_vs_events_slope);
    double intercept = summary_real(b->summary, M_run_runtime_vs_events_intercept);
    double low = summary_real(b->summary, M_run_chunk_events_min),
           high = summary_real(b->summary, M_run_chunk_events_max);
    if (!isfinite(slope) || !isfinite(intercept) || !(high > low))
        return;
    chart_series *line =
        chart_add_series(b, CHART_LINE, chart_text(b, "Trend: %.2e*events + %.2f", slope, intercept), CHART_NEUTRAL, 2);
    chart_add(line, low, intercept + slope * low);
    chart_add(line, high, intercept + slope * high);
}

void build_runtime_vs_events(chart_builder *b)
{
    if (chart_has_no_chunks(b))
        return;
    chart_add_points(b, runtime_point);
    if (!b->out->n_series)
        chart_is_empty(b, "the chunk records do not say how many events they had");
    b->out->panels[0].y.low = 0;
    add_trend(b);
}

static bool has_memory(const chunk_mark *mark)
{
    return mark->on_axis && mark->rss_peak != ROAST_ABSENT;
}

static bool memory_point(const chart_builder *b, const chunk_mark *mark, double *x, double *y)
{
    bool gibibytes = str_equal(b->out->panels[0].y.unit, STR("GiB"));
    *x = mark->on_axis ? series_seconds(b->series, mark->end_ns) : (double)NAN;
    *y = (double)mark->rss_peak / (gibibytes ? GIBIBYTE : MEBIBYTE);
    return has_memory(mark);
}

static double highest_memory(const chart_builder *b)
{
    double highest = 0;
    for (size_t i = 0; i < b->series->n_chunks; i++)
        if (has_memory(&b->series->chunks[i]))
            highest = fmax(highest, (double)b->series->chunks[i].rss_peak);
    return highest;
}

void build_memory_peaks(chart_builder *b)
{
    if (chart_has_no_chunks(b))
        return;
    chart_axis *y = &b->out->panels[0].y;
    double highest = highest_memory(b), limit = (double)chart_common_limit(b->run);
    if (highest < GIBIBYTE) {
        y->label = STR("Memory Peak (MiB)");
        y->unit = STR("MiB");
    }
    chart_add_points(b, memory_point);
    if (!b->out->n_series)
        chart_is_empty(b, "no chunk record has a time and a peak of memory");
    if (limit > 0 && chart_near_limit(highest / limit))
        chart_note_at(b, NOTE_AT_Y, limit / (highest < GIBIBYTE ? MEBIBYTE : GIBIBYTE),
                      STR("memory limit of a worker"));
    else
        chart_note_limit(b, highest / limit);
    y->low = 0;
}

/* ---- What each chunk read ------------------------------------------------------------------------------------------
 */

typedef double (*mark_value)(const chart_builder *b, const chunk_mark *mark); /* NAN: has none */

static double branches_of(const chart_builder *b, const chunk_mark *mark)
{
    (void)b;
    return mark->branches == ROAST_ABSENT ? (double)NAN : (double)mark->branches;
}

/* The part of its file that a chunk is: of its branches it reads that much. NAN if it is not known. */
static double part_of_file(const chart_builder *b, const chunk_mark *mark)
{
    const roast_file *file = run_file(b->run, mark->file);
    bool known = file && file->entries != ROAST_ABSENT && file->entries > 0 && mark->events != ROAST_ABSENT;
    return known ? fmin((double)mark->events / (double)file->entries, 1) : (double)NAN;
}

/* All of a branch where nobody knows how much of it: see note_whole_branches. */
static double part_of_branches(const chart_builder *b, const chunk_mark *mark, int64_t bytes)
{
    double part = part_of_file(b, mark);
    return bytes == ROAST_ABSENT ? (double)NAN : (double)bytes / 1e6 * (isnan(part) ? 1 : part);
}

static double compressed_of(const chart_builder *b, const chunk_mark *mark)
{
    bool measured = mark->bytes != ROAST_ABSENT && mark->bytes >= 0;
    return measured ? (double)mark->bytes / 1e6 : part_of_branches(b, mark, mark->compressed);
}

static double uncompressed_of(const chart_builder *b, const chunk_mark *mark)
{
    return part_of_branches(b, mark, mark->uncompressed);
}

/* Chunks of the job: attempts that came to nothing, or that a lost result made necessary, are not among them. */
static bool is_chunk_of_job(const chunk_mark *mark)
{
    return !mark->failed && !mark->recomputed;
}

/* A bar each, as long as there is room for them: four columns of pixels, or they run into each other. */
static bool bars_fit(const chart_builder *b, size_t chunks)
{
    return chunks <= b->options.pixels / 4;
}

static void add_bars(chart_builder *b, mark_value value, roast_str name, int colour, size_t chunks, double shift,
                     double width)
{
    chart_series *bars = chart_add_series(b, CHART_BARS, name, colour, chunks);
    bars->width = width;
    size_t index = 0;
    for (size_t i = 0; i < b->series->n_chunks; i++)
        if (is_chunk_of_job(&b->series->chunks[i]))
            chart_add(bars, (double)index++ + shift, value(b, &b->series->chunks[i]));
}

typedef struct bundle {
    double least, greatest, sum;
    size_t count;
} bundle;

/* So many chunks that several share a column: what they span, and their mean. */
static void add_bundles(chart_builder *b, mark_value value, roast_str name, int colour, size_t chunks)
{
    size_t columns = b->options.pixels, index = 0;
    bundle *bundles = chart_alloc(b, columns, sizeof *bundles);
    for (size_t i = 0; bundles && i < b->series->n_chunks; i++) {
        if (!is_chunk_of_job(&b->series->chunks[i]))
            continue;
        bundle *one = &bundles[index++ * columns / chunks];
        double v = value(b, &b->series->chunks[i]);
        if (!isfinite(v))
            continue;
        one->least = one->count && one->least < v ? one->least : v;
        one->greatest = one->count && one->greatest > v ? one->greatest : v;
        one->sum += v;
        one->count++;
    }
    chart_series *band = chart_add_series(b, CHART_BAND, str_none(), colour, columns);
    chart_series *mean = chart_add_series(b, CHART_LINE, name, colour, columns);
    band->quiet = true;
    for (size_t i = 0; bundles && i < columns; i++) {
        double middle = ((double)i + 0.5) * (double)chunks / (double)columns - 0.5;
        if (!bundles[i].count)
            continue;
        chart_add_range(band, middle, bundles[i].least, bundles[i].greatest);
        chart_add(mean, middle, bundles[i].sum / (double)bundles[i].count);
    }
}

static size_t chunks_of_job(const chart_builder *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->series->n_chunks; i++)
        count += is_chunk_of_job(&b->series->chunks[i]);
    return count;
}

static bool any_value(const chart_builder *b, mark_value value)
{
    for (size_t i = 0; i < b->series->n_chunks; i++)
        if (is_chunk_of_job(&b->series->chunks[i]) && isfinite(value(b, &b->series->chunks[i])))
            return true;
    return false;
}

static void note_bundles(chart_builder *b, size_t chunks)
{
    if (chunks > b->options.pixels)
        chart_note_text(b, chart_text(b, "%.0f chunks in a column: their mean, and from the least to the greatest",
                                      ceil((double)chunks / (double)b->options.pixels)));
}

void build_branch_access(chart_builder *b)
{
    size_t chunks = chunks_of_job(b);
    if (chart_has_no_chunks(b) || !any_value(b, branches_of)) {
        chart_is_empty(b, "no chunk carried an access log");
        return;
    }
    if (bars_fit(b, chunks))
        add_bars(b, branches_of, STR("branches"), 0, chunks, 0, 0.8);
    else
        add_bundles(b, branches_of, STR("branches"), 0, chunks);
    for (size_t i = 0; i < b->out->n_series; i++)
        b->out->series[i].legend = false;
    double sum = 0, count = 0;
    for (size_t i = 0; i < b->series->n_chunks; i++) {
        const chunk_mark *mark = &b->series->chunks[i];
        double v = is_chunk_of_job(mark) ? branches_of(b, mark) : (double)NAN;
        sum += isfinite(v) ? v : 0;
        count += isfinite(v);
    }
    chart_note_at(b, NOTE_AT_Y, sum / count, chart_text(b, "Mean: %.1f", sum / count));
    note_bundles(b, chunks);
}

static void note_whole_branches(chart_builder *b)
{
    for (size_t i = 0; i < b->series->n_chunks; i++) {
        const chunk_mark *mark = &b->series->chunks[i];
        bool sized =
            mark->uncompressed != ROAST_ABSENT || (mark->bytes == ROAST_ABSENT && mark->compressed != ROAST_ABSENT);
        if (is_chunk_of_job(mark) && sized && isnan(part_of_file(b, mark))) {
            chart_note_text(b, STR("whole branches, where it is not known how much of them a chunk read"));
            return;
        }
    }
}

static void add_bytes(chart_builder *b, mark_value value, roast_str name, int colour, size_t chunks, double shift)
{
    if (!any_value(b, value))
        return;
    if (bars_fit(b, chunks))
        add_bars(b, value, name, colour, chunks, shift, 0.35);
    else
        add_bundles(b, value, name, colour, chunks);
}

void build_bytes_accessed(chart_builder *b)
{
    size_t chunks = chunks_of_job(b);
    if (chart_has_no_chunks(b) || !any_value(b, compressed_of)) {
        chart_is_empty(b, "it is not known how much chunks read");
        return;
    }
    add_bytes(b, compressed_of, STR("Compressed (on-disk)"), 0, chunks, -0.175);
    add_bytes(b, uncompressed_of, STR("Uncompressed (in-memory)"), 1, chunks, 0.175);
    note_bundles(b, chunks);
    note_whole_branches(b);
}
