/* Lanes: every chunk as a box, one lane for each thread of each worker; and the chunks that ended the run. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/lanes.h"
#include "base/clock.h"
#include "base/str.h"
#include "view/chart_build.h"

enum { MOST_ROWS = 300, MANY_CHUNKS = 5000, TAIL_CHUNKS = 20 };

static bool nothing_placed(chart_builder *b)
{
    if (chart_has_no_chunks(b))
        return true;
    for (size_t i = 0; i < b->series->n_chunks; i++)
        if (b->series->chunks[i].on_axis)
            return false;
    chart_is_empty(b, "no chunk has a time near that of the run");
    return true;
}

/* ---- All chunks ----------------------------------------------------------------------------------------------------
 */

typedef struct lane_drawing {
    chart_series *series[SERIES_GROUPS];
    uint32_t *latest[SERIES_GROUPS]; /* by row: its last box + 1 */
    size_t rows, lanes_in_row;
    double pixel; /* seconds */
    bool many;
} lane_drawing;

/* A box continues the one before it if nobody could see the gap: with many chunks always, otherwise if one of the two
 * is hardly seen itself. */
static void add_box(lane_drawing *d, size_t group, size_t row, double from, double to)
{
    chart_series *s = d->series[group];
    uint32_t latest = d->latest[group][row];
    if (latest) {
        double *end = &s->x2[latest - 1];
        bool close = from - *end < d->pixel;
        bool thin = to - from < 2 * d->pixel || *end - s->x[latest - 1] < 2 * d->pixel;
        if (close && (d->many || thin)) {
            *end = to > *end ? to : *end;
            return;
        }
    }
    chart_add_box(s, from, to, (double)row);
    d->latest[group][row] = (uint32_t)s->count;
}

/* A worker's name stands at its first row. */
static void name_rows(chart_builder *b, const lane_list *lanes, const lane_drawing *d)
{
    chart_categories(b, &b->out->panels[0].y, d->rows);
    for (size_t row = 0; row < d->rows && !b->failed; row++) {
        const chunk_lane *lane = &lanes->lanes[row * d->lanes_in_row];
        bool continues = row > 0 && lane->worker == lane[-(ptrdiff_t)d->lanes_in_row].worker;
        chart_category(b, &b->out->panels[0].y, row, continues ? STR("") : worker_name(b, lane->worker));
    }
    if (d->lanes_in_row > 1)
        chart_note_text(b, chart_text(b, "%zu threads, %zu in each row", lanes->count, d->lanes_in_row));
}

static void start_drawing(chart_builder *b, lane_drawing *d, const lane_list *lanes)
{
    size_t counts[SERIES_GROUPS] = {0};
    for (size_t i = 0; i < lanes->n_chunks; i++)
        counts[group_of(b, &b->series->chunks[lanes->order[i]])]++;
    for (size_t group = 0; group < SERIES_GROUPS; group++) {
        if (!counts[group])
            continue;
        d->series[group] = chart_add_series(b, CHART_LANES, group_name(b, group), group_colour(group), counts[group]);
        d->latest[group] = chart_alloc(b, d->rows, sizeof *d->latest[group]);
    }
}

void build_chunk_lanes(chart_builder *b)
{
    lane_list lanes;
    if (nothing_placed(b))
        return;
    if (lanes_assign(&lanes, b->series, b->memory, b->err)) {
        b->failed = true;
        return;
    }
    lane_drawing d = {.many = lanes.n_chunks > MANY_CHUNKS};
    d.lanes_in_row = (lanes.count + MOST_ROWS - 1) / MOST_ROWS;
    d.rows = (lanes.count + d.lanes_in_row - 1) / d.lanes_in_row;
    d.pixel = b->out->x.high / (double)b->options.pixels;
    start_drawing(b, &d, &lanes);
    name_rows(b, &lanes, &d);
    for (size_t i = 0; i < lanes.n_chunks && !b->failed; i++) {
        const chunk_mark *mark = &b->series->chunks[lanes.order[i]];
        add_box(&d, group_of(b, mark), mark->lane / d.lanes_in_row, series_seconds(b->series, mark_begun(mark)),
                series_seconds(b->series, mark_done(mark)));
    }
    double height = 130 + 14 * (double)d.rows;
    b->out->height = height < 260 ? 260 : height > 900 ? 900 : height;
}

/* ---- The tail ------------------------------------------------------------------------------------------------------
 */

static int compare_done(const void *left, const void *right)
{
    const chunk_mark *a = *(const chunk_mark *const *)left, *b = *(const chunk_mark *const *)right;
    if (mark_done(a) != mark_done(b))
        return mark_done(a) > mark_done(b) ? -1 : 1;
    return (a > b) - (a < b);
}

static roast_str file_end(const chart_builder *b, uint32_t file)
{
    const roast_file *record = run_file(b->run, file);
    roast_str name = record ? record->url : STR("(no file)");
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/')
            return (roast_str){name.ptr + i, name.len - i};
    return name;
}

/* "00012.root from 150000": short enough for the axis, enough to find it. */
static roast_str chunk_label(chart_builder *b, const chunk_mark *mark)
{
    roast_str file = file_end(b, mark->file);
    int length = file.len < 200 ? (int)file.len : 200;
    if (mark->entry_start == ROAST_ABSENT)
        return chart_copy(b, file);
    return chart_text(b, "%.*s from %" PRId64, length, file.ptr, mark->entry_start);
}

/* From when on fewer than half as many chunks ran as at the best of times. */
static void note_half(chart_builder *b)
{
    const sweep *all = b->sweep;
    for (size_t i = all->count; i-- > 0;) {
        if (all->columns[i].running < all->most_running / 2)
            continue;
        if (all->columns[i].to > b->out->x.low && all->columns[i].to < b->out->x.high)
            chart_note_at(b, NOTE_AT_X, all->columns[i].to, STR("from here less than half of the most at once"));
        return;
    }
}

static void set_tail_limits(chart_builder *b, const chunk_mark *const *last, size_t count)
{
    double from = b->out->x.high, to = 0;
    for (size_t i = 0; i < count; i++) {
        from = fmin(from, series_seconds(b->series, mark_begun(last[i])));
        to = fmax(to, series_seconds(b->series, mark_done(last[i])));
    }
    b->out->x.low = from;
    b->out->x.high = to;
}

void build_tail(chart_builder *b)
{
    const run_series *series = b->series;
    const chunk_mark **marks = nothing_placed(b) ? NULL : chart_alloc(b, series->n_chunks, sizeof *marks);
    if (!marks)
        return;
    size_t count = 0;
    for (size_t i = 0; i < series->n_chunks; i++)
        if (series->chunks[i].on_axis)
            marks[count++] = &series->chunks[i];
    qsort(marks, count, sizeof *marks, compare_done);
    size_t shown = count < TAIL_CHUNKS ? count : TAIL_CHUNKS;
    chart_categories(b, &b->out->panels[0].y, shown);
    for (size_t group = 0; group < SERIES_GROUPS; group++) {
        size_t here = 0;
        for (size_t i = 0; i < shown; i++)
            here += group_of(b, marks[i]) == group;
        if (!here)
            continue;
        chart_series *s = chart_add_series(b, CHART_LANES, group_name(b, group), group_colour(group), here);
        for (size_t i = 0; i < shown; i++)
            if (group_of(b, marks[i]) == group)
                chart_add_box(s, series_seconds(series, mark_begun(marks[i])),
                              series_seconds(series, mark_done(marks[i])), (double)i);
    }
    for (size_t i = 0; i < shown; i++)
        chart_category(b, &b->out->panels[0].y, i, chunk_label(b, marks[i]));
    set_tail_limits(b, marks, shown);
    if (b->sweep)
        note_half(b);
    if (count > shown)
        chart_note_text(b, chart_text(b, "the %zu chunks that ended last, of %zu", shown, count));
    b->out->height = 150 + 16 * (double)shown;
}
