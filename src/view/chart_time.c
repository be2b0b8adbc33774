/* Charts of what the chunks did over time, from one sweep over all of them. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "view/chart_build.h"
#include "view/format.h"

static const double GIGABIT = 8e-9; /* gigabits in a byte */

/* Why nothing can be placed on the time axis; false if something can. */
static bool nothing_placed(chart_builder *b)
{
    const run_series *series = b->series;
    if (chart_has_no_chunks(b))
        return true;
    if (!b->sweep || series->n_off_axis == series->n_chunks)
        chart_is_empty(b, "no chunk has a time near that of the run");
    else if (b->sweep->last_starts_ns == ROAST_ABSENT)
        chart_is_empty(b, "the chunk records do not say when they ran");
    return !str_absent(b->out->why);
}

static void note_off_axis(chart_builder *b)
{
    size_t count = b->series->n_off_axis;
    if (count)
        chart_note_text(b, chart_text(b, "%zu attempt%s not shown: by their clocks they ran at another time", count,
                                      count == 1 ? " is" : "s are"));
}

static roast_str data_text(chart_builder *b, const char *before, double bytes, const char *after)
{
    buf text = {0};
    buf_text(&text, before);
    format_data(&text, bytes);
    buf_text(&text, after);
    roast_str kept = text.code ? str_none() : chart_copy(b, buf_view(&text));
    b->failed = b->failed || text.code;
    buf_release(&text);
    return kept;
}

/* ---- Data rate -----------------------------------------------------------------------------------------------------
 */

static bool nothing_read(chart_builder *b)
{
    if (!nothing_placed(b) && !b->sweep->bytes_known)
        chart_is_empty(b, "the chunk records do not say how many bytes they read");
    return !str_absent(b->out->why);
}

static void add_rate(chart_builder *b, roast_str name)
{
    const sweep *all = b->sweep;
    chart_series *rate = chart_add_series(b, CHART_STEP, name, 0, all->count + 1);
    for (size_t i = 0; i < all->count; i++)
        chart_add(rate, all->columns[i].from, all->columns[i].bytes_per_second * GIGABIT);
    if (all->count)
        chart_add(rate, all->columns[all->count - 1].to, all->columns[all->count - 1].bytes_per_second * GIGABIT);
}

static void note_bytes(chart_builder *b)
{
    chart_note_text(b, data_text(b, "the area is ", b->sweep->bytes, ", read by chunks"));
    if (b->sweep->vain_bytes != ROAST_ABSENT)
        chart_note_text(
            b, data_text(b, "failed and repeated attempts read ", (double)b->sweep->vain_bytes, " more, not shown"));
    note_off_axis(b);
}

void build_throughput(chart_builder *b)
{
    if (nothing_read(b))
        return;
    add_rate(b, STR("data rate"));
    if (b->series->presence.count) {
        size_t panel = chart_add_panel(b, "Number of Workers", NULL);
        chart_add_presence(b, 1)->panel = panel;
    }
    note_off_axis(b);
}

/* Within a column the rate goes up and down; the band shows how far. */
void build_data_rate(chart_builder *b)
{
    if (nothing_read(b))
        return;
    const sweep *all = b->sweep;
    chart_series *band = chart_add_series(b, CHART_BAND, STR("least to greatest"), 0, all->count * 2);
    band->quiet = true;
    for (size_t i = 0; i < all->count; i++) {
        const sweep_column *column = &all->columns[i];
        chart_add_range(band, column->from, column->rate_least * GIGABIT, column->rate_greatest * GIGABIT);
        chart_add_range(band, column->to, column->rate_least * GIGABIT, column->rate_greatest * GIGABIT);
    }
    add_rate(b, STR("mean"));
    note_bytes(b);
}

/* ---- Running chunks ------------------------------------------------------------------------------------------------
 */

static void add_running(chart_builder *b, const sweep *over)
{
    chart_series *band = chart_add_series(b, CHART_BAND, STR("least to greatest"), 0, over->count * 2);
    band->quiet = true;
    chart_series *mean = chart_add_series(b, CHART_STEP, STR("running chunks"), 0, over->count + 1);
    for (size_t i = 0; i < over->count; i++) {
        const sweep_column *column = &over->columns[i];
        chart_add_range(band, column->from, column->running_least, column->running_greatest);
        chart_add_range(band, column->to, column->running_least, column->running_greatest);
        chart_add(mean, column->from, column->running);
    }
    if (over->count)
        chart_add(mean, over->columns[over->count - 1].to, over->columns[over->count - 1].running);
}

/* Cores, to see against what is running how many could. */
static void add_cores(chart_builder *b)
{
    const presence_points *presence = &b->series->presence;
    if (!presence->count || !presence->cores_known)
        return;
    chart_series *cores = chart_add_series(b, CHART_LINE, STR("cores"), CHART_NEUTRAL, presence->count);
    for (size_t i = 0; i < presence->count; i++)
        chart_add(cores, series_seconds(b->series, presence->points[i].t_ns), (double)presence->points[i].cores);
}

void build_concurrency(chart_builder *b)
{
    if (nothing_placed(b))
        return;
    add_running(b, b->sweep);
    add_cores(b);
    note_off_axis(b);
}
