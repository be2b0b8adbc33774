/* The verdict of a comparison: how much faster or slower, whether chance is ruled out, and what it comes from. It says
 * nothing of speed if the sides did not do the same work. */
#include "view/verdict.h"

#include <math.h>
#include <string.h>

#include "view/format.h"

const interval *change_shown(const compared_timing *timing)
{
    return isfinite(timing->log_sums.estimate) ? &timing->log_sums : &timing->log_ratio;
}

static const compared_timing *timing_of(const comparison *c, const char *id)
{
    for (size_t i = 0; i < c->n_timings; i++)
        if (strcmp(c->timings[i].id, id) == 0 && isfinite(change_shown(&c->timings[i])->estimate))
            return &c->timings[i];
    return NULL;
}

static bool is_manifold(double log_ratio)
{
    return log_ratio > log(3);
}

/* "13 %", "0.4 %", "3.1 times" of a change that is told in words. */
static void put_size(buf *out, double log_ratio)
{
    double percent = 100 * fabs(expm1(log_ratio));
    if (is_manifold(log_ratio))
        buf_format(out, "%.1f times", exp(log_ratio));
    else
        buf_format(out, percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
}

static bool is_nothing(double log_ratio)
{
    return fabs(log_ratio) < 0.0005;
}

static void put_p(buf *out, double p)
{
    buf_format(out, p < 0.0095 ? "p %.1g" : "p %.2g", p);
}

static bool is_sure(const comparison *c, const compared_timing *timing)
{
    return timing->p_verdict <= 1 - c->level + 1e-9;
}

/* An interval as wide as this is not a size. */
static void put_untold(buf *out, const interval *change)
{
    if (ratio_untold(change))
        buf_text(out, ", but these runs cannot tell how much");
}

/* ---- Groups of runs ---------------------------------------------------------------------------------------------- */

static void put_wall_of_runs(buf *out, const comparison *c, const compared_timing *wall)
{
    double change = wall->log_ratio.estimate;
    size_t a = c->sides[SIDE_A].runs, b = c->sides[SIDE_B].runs;
    if (is_nothing(change)) {
        buf_text(out, "B is as fast as A in the median");
    } else {
        buf_text(out, is_manifold(change) ? "B took " : "B is ");
        put_size(out, change);
        buf_text(out, is_manifold(change) ? " the time of A in the median"
                      : change > 0        ? " slower in the median"
                                          : " faster in the median");
    }
    if (is_sure(c, wall))
        buf_text(out, ", and that is not chance (");
    else
        buf_format(out, is_nothing(change) ? " (%zu+%zu runs, " : ", but %zu+%zu runs cannot rule out chance (", a, b);
    put_p(out, wall->p_verdict);
    buf_char(out, ')');
    if (is_sure(c, wall))
        put_untold(out, &wall->log_ratio);
}

static void put_cpu_of_runs(buf *out, const comparison *c, const compared_timing *cpu)
{
    double change = cpu->log_ratio.estimate;
    if (!is_sure(c, cpu) || is_nothing(change))
        return;
    buf_text(out, is_manifold(change) ? "; CPU in process() rose to "
                  : change > 0        ? "; CPU in process() rose by "
                                      : "; CPU in process() fell by ");
    put_size(out, change);
    buf_text(out, ", that is not chance (");
    put_p(out, cpu->p_verdict);
    buf_char(out, ')');
    put_untold(out, &cpu->log_ratio);
}

/* ---- Two runs ---------------------------------------------------------------------------------------------------- */

/* The part of a chunk that the largest part of the difference is in, if that is much. */
static const compared_timing *largest_part(const comparison *c)
{
    const compared_timing *largest = NULL;
    for (size_t i = 0; i < c->n_timings; i++)
        if (c->timings[i].basis == BASIS_PAIRS && c->timings[i].share > (largest ? largest->share : 0.3))
            largest = &c->timings[i];
    return largest;
}

static void put_wall_of_two(buf *out, const compared_timing *wall)
{
    double change = wall->log_ratio.estimate;
    if (is_nothing(change)) {
        buf_text(out, "B took as long as A (one run each)");
        return;
    }
    buf_text(out, "B took ");
    put_size(out, change);
    buf_text(out, is_manifold(change) ? " the time of A" : change > 0 ? " longer than A" : " less time than A");
    buf_text(out, ", one run each, which cannot rule out chance");
}

static void put_chunks_of_two(buf *out, const comparison *c, const compared_timing *chunk)
{
    double change = chunk->log_sums.estimate;
    const compared_timing *part = largest_part(c);
    if (is_nothing(change)) {
        buf_text(out, "the same chunks took as long in sum");
        return;
    }
    buf_text(out, "the same chunks took ");
    put_size(out, change);
    buf_text(out, change > log(3) ? " the time in sum" : change > 0 ? " longer in sum" : " less time in sum");
    if (ratio_untold(&chunk->log_sums)) {
        buf_text(out, ", but how much of that is chance cannot be told");
        return;
    }
    if (!part)
        return;
    buf_format(out, part->share > 0.5 ? ", most of it in %s" : ", the largest part of it in %s (", part->what);
    if (part->share <= 0.5) {
        format_percent(out, 100 * part->share);
        buf_char(out, ')');
    }
}

/* ---- Either ------------------------------------------------------------------------------------------------------ */

/* Fewer events take less time, which says nothing. */
static bool put_other_work(buf *out, const comparison *c)
{
    for (size_t i = 0; i < c->n_counts; i++) {
        const compared_count *count = &c->counts[i];
        bool same = count->sides[SIDE_A].least == count->sides[SIDE_B].least &&
                    count->sides[SIDE_A].most == count->sides[SIDE_B].most;
        if (strcmp(count->id, "events") != 0 || count->equal || same)
            continue;
        buf_text(out, "A and B did not process the same number of events (");
        for (compare_side side = SIDE_A; side < SIDES; side++) {
            format_whole(out, count->sides[side].least);
            if (count->sides[side].most != count->sides[side].least) {
                buf_text(out, " to ");
                format_whole(out, count->sides[side].most);
            }
            buf_text(out, side == SIDE_A ? " and " : "): their times do not compare");
        }
        return true;
    }
    return false;
}

void verdict_text(buf *out, const comparison *c)
{
    const compared_timing *wall = timing_of(c, "elapsed_time_seconds"), *chunk = timing_of(c, "chunk");
    const compared_timing *cpu = timing_of(c, "chunk_cpu_seconds_total");
    if (put_other_work(out, c))
        return;
    if (wall && c->paired)
        put_wall_of_two(out, wall);
    else if (wall)
        put_wall_of_runs(out, c, wall);
    if (c->paired && chunk) {
        buf_text(out, wall ? "; " : "");
        put_chunks_of_two(out, c, chunk);
    }
    if (!c->paired && wall && cpu)
        put_cpu_of_runs(out, c, cpu);
}
