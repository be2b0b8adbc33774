/* The sweep: every attempt is two edges for what runs and two for what is read; they are sorted, and between one and
 * the next everything is constant. */
#include "analysis/sweep.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "base/error.h"

typedef struct edge {
    int64_t t_ns;
    int32_t running; /* +1, -1 or 0 */
    int32_t reading;
    double rate;
} edge;

typedef struct state {
    sweep *out;
    int64_t from_ns, to_ns;
    double width; /* of a column, in seconds */
    double now;   /* seconds from from_ns: how far it has come */
    int64_t running, reading;
    double rate;
    double *rate_integrals, *running_integrals;
} state;

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    if (a->t_ns != b->t_ns)
        return a->t_ns < b->t_ns ? -1 : 1;
    return a->running + a->reading - b->running - b->reading; /* ends first: a successor is not a peak */
}

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
    return (double)(to_ns - from_ns) / (double)NS_PER_S;
}

static size_t column_at(const state *s, double seconds)
{
    double position = seconds / s->width;
    size_t last = s->out->count - 1;
    return position <= 0 ? 0 : position >= (double)last ? last : (size_t)position;
}

static void touch(state *s, sweep_column *column)
{
    double running = (double)s->running;
    column->running_least = running < column->running_least ? running : column->running_least;
    column->running_greatest = running > column->running_greatest ? running : column->running_greatest;
    column->rate_least = s->rate < column->rate_least ? s->rate : column->rate_least;
    column->rate_greatest = s->rate > column->rate_greatest ? s->rate : column->rate_greatest;
}

/* Goes on to this moment with what is constant until then. */
static void advance(state *s, double until)
{
    if (until <= s->now)
        return;
    size_t first = column_at(s, s->now), last = column_at(s, until);
    for (size_t i = first; i <= last; i++) {
        double from = i == first ? s->now : (double)i * s->width;
        double to = i == last ? until : (double)(i + 1) * s->width;
        if (to <= from)
            continue;
        s->rate_integrals[i] += s->rate * (to - from);
        s->running_integrals[i] += (double)s->running * (to - from);
        touch(s, &s->out->columns[i]);
    }
    s->now = until;
}

static void pass_edge(state *s, const edge *e)
{
    s->running += e->running;
    s->reading += e->reading;
    s->rate = s->reading > 0 ? s->rate + e->rate : 0; /* no residue of rounding where nothing is read */
    if (s->rate < 0)
        s->rate = 0;
    if ((double)s->running > s->out->most_running) {
        s->out->most_running = (double)s->running;
        s->out->most_running_at = s->now;
    }
    s->out->highest_rate = s->rate > s->out->highest_rate ? s->rate : s->out->highest_rate;
}

static size_t add_running(edge *edges, const chunk_mark *mark)
{
    edges[0] = (edge){mark->start_ns - mark->events_ns - mark->open_ns, 1, 0, 0};
    edges[1] = (edge){mark->end_ns + mark->return_ns, -1, 0, 0};
    return edges[1].t_ns > edges[0].t_ns ? 2 : 0;
}

/* Bytes of a chunk that took no time belong to its column as a whole. */
static size_t add_reading(state *s, edge *edges, const chunk_mark *mark)
{
    if (mark->failed || mark->recomputed || mark->bytes == ROAST_ABSENT || mark->bytes < 0)
        return 0;
    s->out->bytes_known = true;
    double seconds = seconds_between(mark->start_ns, mark->end_ns), bytes = (double)mark->bytes;
    if (mark->end_ns < s->from_ns || mark->start_ns > s->to_ns)
        return 0;
    if (seconds <= 0) {
        s->rate_integrals[column_at(s, seconds_between(s->from_ns, mark->start_ns))] += bytes;
        s->out->bytes += bytes;
        return 0;
    }
    int64_t from = mark->start_ns > s->from_ns ? mark->start_ns : s->from_ns;
    int64_t to = mark->end_ns < s->to_ns ? mark->end_ns : s->to_ns;
    s->out->bytes += bytes * seconds_between(from, to) / seconds;
    edges[0] = (edge){mark->start_ns, 0, 1, bytes / seconds};
    edges[1] = (edge){mark->end_ns, 0, -1, -bytes / seconds};
    return 2;
}

static size_t collect_edges(state *s, edge *edges, const run_series *series)
{
    size_t count = 0;
    for (size_t i = 0; i < series->n_chunks; i++) {
        const chunk_mark *mark = &series->chunks[i];
        if (!mark->on_axis)
            continue;
        int64_t begun = mark->start_ns - mark->events_ns - mark->open_ns;
        if (begun > s->out->last_starts_ns)
            s->out->last_starts_ns = begun;
        if ((mark->failed || mark->recomputed) && mark->bytes > 0)
            add_measured(&s->out->vain_bytes, mark->bytes);
        count += add_running(edges + count, mark);
        count += add_reading(s, edges + count, mark);
    }
    return count;
}

static void walk(state *s, edge *edges, size_t count)
{
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count;) {
        double moment = seconds_between(s->from_ns, edges[i].t_ns);
        double end = seconds_between(s->from_ns, s->to_ns);
        advance(s, moment < end ? moment : end);
        for (int64_t t = edges[i].t_ns; i < count && edges[i].t_ns == t; i++)
            pass_edge(s, &edges[i]);
    }
    advance(s, seconds_between(s->from_ns, s->to_ns));
}

/* offset: where from_ns is in the series' window. */
static void finish_columns(state *s, double offset)
{
    for (size_t i = 0; i < s->out->count; i++) {
        sweep_column *column = &s->out->columns[i];
        column->from = offset + (double)i * s->width;
        column->to = offset + (double)(i + 1) * s->width;
        column->running = s->running_integrals[i] / s->width;
        column->bytes_per_second = s->rate_integrals[i] / s->width;
        if (column->rate_greatest < column->bytes_per_second) /* chunks that took no time */
            column->rate_greatest = column->bytes_per_second;
        if (column->rate_least > column->bytes_per_second)
            column->rate_least = column->bytes_per_second;
        if (column->running_least > column->running) /* a window of no time */
            column->running_least = column->running;
    }
    s->out->most_running_at += offset;
}

roast_code sweep_run(sweep *out, const run_series *series, int64_t from_ns, int64_t to_ns, size_t columns,
                     arena *memory, roast_error *err)
{
    *out = (sweep){.count = columns, .vain_bytes = ROAST_ABSENT, .last_starts_ns = ROAST_ABSENT};
    double length = seconds_between(from_ns, to_ns);
    state s = {.out = out, .from_ns = from_ns, .to_ns = to_ns, .width = (length > 0 ? length : 1) / (double)columns};
    out->columns = arena_alloc(memory, columns, sizeof *out->columns);
    s.rate_integrals = arena_alloc(memory, columns, sizeof *s.rate_integrals);
    s.running_integrals = arena_alloc(memory, columns, sizeof *s.running_integrals);
    edge *edges = malloc((series->n_chunks * 4 + 1) * sizeof *edges);
    if (!out->columns || !s.rate_integrals || !s.running_integrals || !edges) {
        free(edges);
        return fail_memory(err);
    }
    for (size_t i = 0; i < columns; i++)
        out->columns[i].running_least = out->columns[i].rate_least = 1e300;
    size_t count = collect_edges(&s, edges, series);
    walk(&s, edges, count);
    free(edges);
    finish_columns(&s, series_seconds(series, from_ns));
    return ROAST_OK;
}
