/* Charts of workers over time, from arrivals and departures and from heartbeats. */
#include <math.h>
#include <stdlib.h>

#include "analysis/reduce.h"
#include "base/str.h"
#include "view/chart_build.h"

/* More lines than this are not told apart: the others appear as the band that they fill. */
enum { MOST_LINES = 12 };

/* ---- How many there are ------------------------------------------------------------------------------------------ */

static void add_point(void *context, double x, double y)
{
    chart_add(context, x, y);
}

chart_series *chart_add_presence(chart_builder *b, int colour)
{
    const presence_points *presence = &b->series->presence;
    size_t most = line_most(presence->count, b->options.pixels);
    chart_series *s = chart_add_series(b, CHART_LINE, STR("workers"), colour, most);
    line_reducer reducer = {.high = series_seconds(b->series, b->series->to_ns),
                            .columns = b->options.pixels,
                            .each = add_point,
                            .context = s};
    for (size_t i = 0; i < presence->count; i++)
        line_add(&reducer, series_seconds(b->series, presence->points[i].t_ns), (double)presence->points[i].workers);
    line_finish(&reducer);
    return s;
}

void build_worker_count(chart_builder *b)
{
    if (!b->series->presence.count || b->series->from_ns == ROAST_ABSENT)
        chart_is_empty(b, "no worker was tracked");
    else
        chart_add_presence(b, 0)->legend = false;
}

/* ---- Heartbeats of all workers together ----------------------------------------------------------------------------
 */

static bool has_samples(chart_builder *b)
{
    if (b->series->from_ns != ROAST_ABSENT && b->series->samples[b->spec->field])
        return true;
    chart_is_empty(b, !run_workers(b->run) ? "no worker was tracked" : "no heartbeat of a worker carries it");
    return false;
}

static sample_overview *overview(chart_builder *b)
{
    sample_overview *columns = b->failed ? NULL : series_overview(b->series, b->spec->field, b->memory);
    b->failed = b->failed || !columns;
    return columns;
}

static void add_band(chart_builder *b, const sample_overview *columns, roast_str name, int colour)
{
    chart_series *band = chart_add_series(b, CHART_BAND, name, colour, b->series->columns);
    band->quiet = true;
    for (size_t i = 0; i < b->series->columns; i++)
        if (columns[i].fresh)
            chart_add_range(band, columns[i].at, columns[i].least, columns[i].greatest);
}

void build_sample_mean(chart_builder *b)
{
    const sample_overview *columns = has_samples(b) ? overview(b) : NULL;
    if (!columns)
        return;
    if (b->series->n_workers > 1)
        add_band(b, columns, STR("least to greatest"), 0);
    chart_series *mean = chart_add_series(b, CHART_LINE, STR("mean of the workers"), 0, b->series->columns);
    for (size_t i = 0; i < b->series->columns; i++)
        if (columns[i].fresh)
            chart_add(mean, columns[i].at, columns[i].mean);
}

void build_sample_total(chart_builder *b)
{
    const sample_overview *columns = has_samples(b) ? overview(b) : NULL;
    if (!columns)
        return;
    chart_series *total = chart_add_series(b, CHART_LINE, STR("all workers"), 0, b->series->columns);
    total->legend = false;
    for (size_t i = 0; i < b->series->columns; i++)
        if (columns[i].fresh)
            chart_add(total, columns[i].at, columns[i].total);
}

/* ---- Heartbeats of each worker -------------------------------------------------------------------------------------
 */

typedef struct ranked {
    uint32_t worker;
    float greatest;
} ranked;

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->greatest != b->greatest)
        return a->greatest > b->greatest ? -1 : 1;
    return (a->worker > b->worker) - (a->worker < b->worker);
}

/* Workers that have heartbeats of this kind, those that went highest first. */
static size_t rank_workers(chart_builder *b, ranked *out)
{
    size_t count = 0;
    for (uint32_t worker = 0; worker < b->series->n_workers; worker++) {
        const sample_cell *cells = series_cells(b->series, b->spec->field, worker);
        float greatest = -INFINITY;
        for (size_t i = 0; i < b->series->columns; i++)
            if (cells[i].count && cells[i].greatest > greatest)
                greatest = cells[i].greatest;
        if (greatest > -INFINITY)
            out[count++] = (ranked){worker, greatest};
    }
    qsort(out, count, sizeof *out, compare_ranked);
    return count;
}

/* The least and the greatest of each column, in the order in which they came. */
static void add_line(chart_builder *b, uint32_t worker, int colour, bool legend)
{
    const sample_cell *cells = series_cells(b->series, b->spec->field, worker);
    size_t points = 0;
    for (size_t i = 0; i < b->series->columns; i++)
        points += cells[i].count > 1 ? 2 : cells[i].count;
    chart_series *line = chart_add_series(b, CHART_LINE, worker_name(b, worker), colour, points);
    line->legend = legend;
    for (size_t i = 0; i < b->series->columns; i++) {
        const sample_cell *cell = &cells[i];
        if (!cell->count)
            continue;
        double low_at = series_cell_time(b->series, i, cell->least_at);
        double high_at = series_cell_time(b->series, i, cell->greatest_at);
        bool low_first = low_at <= high_at;
        chart_add(line, low_first ? low_at : high_at, (double)(low_first ? cell->least : cell->greatest));
        if (cell->count > 1)
            chart_add(line, low_first ? high_at : low_at, (double)(low_first ? cell->greatest : cell->least));
    }
}

/* The lines that went highest are drawn last, above the others. */
void build_sample_lines(chart_builder *b)
{
    ranked *order = has_samples(b) ? chart_alloc(b, b->series->n_workers, sizeof *order) : NULL;
    if (!order)
        return;
    size_t workers = rank_workers(b, order), named = b->options.legend_entries;
    named = named < workers ? named : workers;
    size_t lines = workers > MOST_LINES ? named : workers;
    if (lines < workers) {
        const sample_overview *columns = overview(b);
        if (!columns)
            return;
        add_band(b, columns, STR("all workers, least to greatest"), CHART_NEUTRAL);
    }
    for (size_t i = 0; i < lines; i++) {
        bool legend = i < named;
        add_line(b, order[i].worker, legend && i < CHART_COLOURS ? (int)i : CHART_NEUTRAL, legend);
    }
    if (named < workers)
        b->out->more = chart_text(b, "… and %zu more", workers - named);
}
