/* Charts of workers over time, from arrivals and departures and from heartbeats. */
#include <math.h>
#include <stdlib.h>

#include "analysis/reduce.h"
#include "base/str.h"
#include "view/chart_build.h"

/* More lines than this are not told apart: then each worker is a row of a heat map, or shares one with its neighbours.
 */
enum { MOST_LINES = 8, MOST_ROWS = 120, MOST_COLUMNS = 120 };

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

int64_t chart_common_limit(const roast_run *run)
{
    int64_t limit = run_workers(run) ? run_worker(run, 0)->memory_limit : ROAST_ABSENT;
    for (uint32_t i = 1; i < run_workers(run); i++)
        if (run_worker(run, i)->memory_limit != limit)
            return ROAST_ABSENT;
    return limit;
}

bool chart_near_limit(double share_used)
{
    return share_used >= 0.5;
}

void chart_note_limit(chart_builder *b, double share_used)
{
    int64_t limit = chart_common_limit(b->run);
    if (limit <= 0 || !isfinite(share_used))
        return;
    roast_str size = chart_value(b, (double)limit, "B", FORM_MEMORY),
              share = chart_value(b, share_used, "", FORM_PERCENT);
    chart_note_text(b, chart_text(b, "limit of a worker: %.*s, %.*s used at most", (int)size.len, size.ptr,
                                  (int)share.len, share.ptr));
}

/* Memory far below its limit has an axis of its own size: a line at the bottom tells nothing. */
static void scale_memory(chart_builder *b, double highest_percent)
{
    if (b->spec->field != SAMPLE_MEMORY)
        return;
    b->percent = chart_near_limit(highest_percent / 100);
    chart_note_limit(b, highest_percent / 100);
}

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
    double highest = 0;
    for (size_t i = 0; i < b->series->columns; i++)
        highest = columns[i].fresh ? fmax(highest, columns[i].greatest) : highest;
    scale_memory(b, highest);
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

/* ---- Heat: a row for each worker, or for some of them -------------------------------------------------------------
 */

/* A worker's latest value holds for so many columns without a heartbeat; after that it was silent, or is gone. */
enum { HELD_COLUMNS = 2 };

typedef struct heat {
    const ranked *order; /* of workers: those of a host next to each other */
    size_t workers, in_row, rows, columns;
} heat;

static int compare_addresses(const void *left, const void *right, void *context)
{
    const ranked *a = left, *b = right;
    int order = str_compare_natural(worker_name(context, a->worker), worker_name(context, b->worker));
    return order ? order : (a->worker > b->worker) - (a->worker < b->worker);
}

/* About two heartbeats for each column, as a worker has them that has most. */
static size_t heat_columns(const chart_builder *b, const ranked *order, size_t workers)
{
    size_t most = 0;
    for (size_t i = 0; i < workers; i++) {
        const sample_cell *cells = series_cells(b->series, b->spec->field, order[i].worker);
        size_t beats = 0;
        for (size_t k = 0; k < b->series->columns; k++)
            beats += cells[k].count;
        most = beats > most ? beats : most;
    }
    size_t columns = most / 2 < MOST_COLUMNS ? most / 2 : MOST_COLUMNS;
    columns = columns < b->series->columns ? columns : b->series->columns;
    return columns ? columns : 1;
}

/* Where a column of the heat map begins among those of the series. */
static size_t heat_edge(const chart_builder *b, const heat *h, size_t column)
{
    return column * b->series->columns / h->columns;
}

/* The mean of a worker's heartbeats in a column; NAN if it has none. */
static double heat_value(const chart_builder *b, const heat *h, uint32_t worker, size_t column)
{
    const sample_cell *cells = series_cells(b->series, b->spec->field, worker);
    double sum = 0, count = 0;
    for (size_t i = heat_edge(b, h, column); i < heat_edge(b, h, column + 1); i++) {
        sum += (double)cells[i].sum;
        count += cells[i].count;
    }
    return count > 0 ? sum / count : (double)NAN;
}

static double held_value(const chart_builder *b, const heat *h, uint32_t worker, size_t column)
{
    double value = heat_value(b, h, worker, column);
    for (size_t back = 1; back <= HELD_COLUMNS && back <= column && isnan(value); back++)
        value = heat_value(b, h, worker, column - back);
    return value;
}

/* The mean of the workers of a row. */
static double row_value(const chart_builder *b, const heat *h, size_t row, size_t column)
{
    double sum = 0, count = 0;
    for (size_t i = row * h->in_row; i < (row + 1) * h->in_row && i < h->workers; i++) {
        double value = held_value(b, h, h->order[i].worker, column);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count > 0 ? sum / count : (double)NAN;
}

static void add_heat(chart_builder *b, const heat *h)
{
    chart_series *cells = chart_add_series(b, CHART_HEAT, str_none(), 0, h->rows * h->columns);
    for (size_t row = 0; row < h->rows && !b->failed; row++)
        for (size_t column = 0; column < h->columns; column++)
            chart_add_cell(cells, series_cell_time(b->series, heat_edge(b, h, column), 0),
                           series_cell_time(b->series, heat_edge(b, h, column + 1), 0), (double)row,
                           row_value(b, h, row, column));
}

static void build_heat(chart_builder *b, ranked *order, size_t workers)
{
    heat h = {.order = order, .workers = workers, .columns = heat_columns(b, order, workers)};
    qsort_r(order, workers, sizeof *order, compare_addresses, b);
    h.in_row = (workers + MOST_ROWS - 1) / MOST_ROWS;
    h.rows = (workers + h.in_row - 1) / h.in_row;
    chart_use_shades(b);
    chart_categories(b, &b->out->panels[0].y, h.rows);
    for (size_t row = 0; row < h.rows && !b->failed; row++)
        chart_category(b, &b->out->panels[0].y, row, worker_name(b, order[row * h.in_row].worker));
    add_heat(b, &h);
    if (h.in_row > 1)
        chart_note_text(b, chart_text(b, "%zu workers, the mean of %zu in each row", workers, h.in_row));
    chart_note_text(b, STR("no heartbeat where it is blank"));
    b->out->height = 150 + fmin(fmax(11 * (double)h.rows, 150), 560);
}

/* A line for each worker; those that went highest have a name. */
static void build_lines(chart_builder *b, const ranked *order, size_t workers)
{
    size_t named = b->options.legend_entries < workers ? b->options.legend_entries : workers;
    for (size_t i = 0; i < workers; i++)
        add_line(b, order[i].worker, i < named && i < CHART_COLOURS ? (int)i : CHART_NEUTRAL, i < named);
    if (named < workers)
        b->out->more = chart_text(b, "… and %zu more", workers - named);
}

void build_sample_lines(chart_builder *b)
{
    ranked *order = has_samples(b) ? chart_alloc(b, b->series->n_workers, sizeof *order) : NULL;
    if (!order)
        return;
    size_t workers = rank_workers(b, order);
    if (workers)
        scale_memory(b, (double)order[0].greatest);
    if (workers > MOST_LINES)
        build_heat(b, order, workers);
    else
        build_lines(b, order, workers);
}
