/* Axes: limits that hold the data, and ticks at numbers that people say. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "view/chart_build.h"

enum { MOST_TICKS = 32, WANTED_TICKS = 6 };
static const double LONGEST_SECONDS = 99.95; /* that are not minutes yet, as format.c has it */

/* ---- Limits ---------------------------------------------------------------------------------------------------- */

typedef struct limits {
    double low, high;
    bool any;
} limits;

static void include(limits *l, double value)
{
    if (!isfinite(value))
        return;
    l->low = l->any && l->low < value ? l->low : value;
    l->high = l->any && l->high > value ? l->high : value;
    l->any = true;
}

static void include_all(limits *l, const double *values, size_t count)
{
    for (size_t i = 0; values && i < count; i++)
        include(l, values[i]);
}

static bool stands_on_zero(chart_kind kind)
{
    return kind != CHART_POINTS && kind != CHART_LANES && kind != CHART_HEAT;
}

static limits limits_of_x(const chart *c)
{
    limits l = {0};
    for (size_t i = 0; i < c->n_series; i++) {
        const chart_series *s = &c->series[i];
        /* A single bar as wide as the plot would look like none. */
        double half = s->kind != CHART_BARS ? 0 : s->count == 1 ? 0.9 : 0.5;
        for (size_t k = 0; k < s->count; k++) {
            include(&l, s->x[k] - half);
            include(&l, s->x[k] + half);
        }
        include_all(&l, s->x2, s->count);
    }
    return l;
}

static limits limits_of_y(const chart *c, size_t panel)
{
    limits l = {0};
    for (size_t i = 0; i < c->n_series; i++) {
        const chart_series *s = &c->series[i];
        if (s->panel != panel)
            continue;
        include_all(&l, s->y, s->count);
        include_all(&l, s->y2, s->count);
        if (s->count && stands_on_zero(s->kind) && c->panels[panel].y.scale != CHART_LOG)
            include(&l, 0);
    }
    for (size_t i = 0; i < c->n_notes && panel == 0; i++)
        if (c->notes[i].kind == NOTE_AT_Y)
            include(&l, c->notes[i].at);
    return l;
}

/* Shades tell little where all values are far from 0: then they begin where the values do. */
static limits limits_of_z(const chart *c)
{
    limits l = {0};
    for (size_t i = 0; i < c->n_series; i++)
        include_all(&l, c->series[i].z, c->series[i].count);
    if (l.low < l.high / 2)
        include(&l, 0);
    return l;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* 1, 2, 2.5 or 5 times a power of ten, so that about this many fit. */
static double nice_step(double span, double wanted)
{
    double rough = span / wanted, power = pow(10, floor(log10(rough)));
    static const double steps[] = {1, 2, 2.5, 5, 10};
    for (size_t i = 0; i < 5; i++)
        if (steps[i] * power >= rough * 0.999)
            return steps[i] * power;
    return 10 * power;
}

static void add_tick(chart_builder *b, chart_axis *axis, double at, roast_str label)
{
    if (axis->n_ticks < MOST_TICKS && !b->failed)
        axis->ticks[axis->n_ticks++] = (chart_tick){at, label};
}

static int decimals_of(double step)
{
    for (int decimals = 0; decimals < 12; decimals++) {
        double scaled = step * pow(10, decimals);
        if (fabs(scaled - round(scaled)) < 1e-6 * scaled)
            return decimals;
    }
    return 12;
}

/* One unit for all ticks of an axis: "0", "0.5 M", "1 M". */
static roast_str number_label(chart_builder *b, double value, double step, double largest)
{
    static const struct {
        double size;
        const char *sign;
    } units[] = {{1e18, " E"}, {1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
    if (fabs(value) < step * 1e-6)
        return STR("0");
    if (largest >= 1e21 || largest < 1e-4)
        return chart_text(b, "%.3g", value);
    for (size_t i = 0; i < sizeof units / sizeof units[0] && largest >= 1e4; i++)
        if (largest >= units[i].size)
            return chart_text(b, "%s%.*f%s", value < 0 ? "−" : "", decimals_of(step / units[i].size),
                              fabs(value) / units[i].size, units[i].sign);
    return chart_text(b, "%s%.*f", value < 0 ? "−" : "", decimals_of(step), fabs(value));
}

static double time_step(double span)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    if (span < WANTED_TICKS)
        return nice_step(span, WANTED_TICKS);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i] * WANTED_TICKS * 1.2 >= span)
            return steps[i];
    return nice_step(span / 3600, WANTED_TICKS) * 3600;
}

/* As tables write times, without the parts that are 0: "90 s", "2 min 30 s", "1 h 30 min", "120 h". */
static roast_str duration_label(chart_builder *b, double at, double step, double longest)
{
    const char *sign = at < 0 ? "−" : "";
    int64_t whole = llround(fabs(at)), minutes = whole / 60, hours = minutes / 60;
    if (whole == 0 && step >= 1)
        return STR("0");
    if (step < 1)
        return chart_text(b, "%s%.*f s", sign, decimals_of(step), fabs(at));
    if (longest < LONGEST_SECONDS || whole < 60)
        return chart_text(b, "%s%" PRId64 " s", sign, whole);
    if (hours && minutes % 60)
        return chart_text(b, "%s%" PRId64 " h %d min", sign, hours, (int)(minutes % 60));
    if (hours)
        return chart_text(b, "%s%" PRId64 " h", sign, hours);
    if (whole % 60)
        return chart_text(b, "%s%" PRId64 " min %d s", sign, minutes, (int)(whole % 60));
    return chart_text(b, "%s%" PRId64 " min", sign, minutes);
}

static bool counts_things(const chart_axis *axis)
{
    return axis->unit.len == 0;
}

/* To whole steps, and a little further where the data would touch the edge. Percentages end at 100. */
static void extend_to_ticks(chart_axis *axis, double step)
{
    double low = axis->low, high = axis->high;
    axis->low = floor(low / step + 1e-9) * step;
    axis->high = ceil(high / step - 1e-9) * step;
    double span = axis->high - axis->low;
    bool whole = str_equal(axis->unit, STR("%")) && high == 100;
    if (axis->high - high < 0.02 * span && !whole && high != 0)
        axis->high += 0.05 * span;
}

/* Seconds that tables would write as minutes or hours are those here too, and the axis does not call them seconds. */
static bool becomes_duration(chart_axis *axis)
{
    if (!str_equal(axis->unit, STR("s")) || fmax(fabs(axis->low), fabs(axis->high)) < LONGEST_SECONDS)
        return false;
    const char *unit = axis->label.len ? memrchr(axis->label.ptr, '(', axis->label.len) : NULL;
    if (unit)
        axis->label = str_trim((roast_str){axis->label.ptr, (size_t)(unit - axis->label.ptr)});
    axis->scale = CHART_DURATION;
    return true;
}

static void duration_ticks(chart_builder *b, chart_axis *axis, bool extend)
{
    double step = time_step(axis->high - axis->low);
    if (extend)
        extend_to_ticks(axis, step);
    for (double i = ceil(axis->low / step - 1e-9); i * step <= axis->high + step * 1e-6; i++)
        add_tick(b, axis, i * step, duration_label(b, i * step, step, axis->high));
}

/* 1, 2 and 5 times powers of ten; more of them where there is less than one such power. */
static void log_ticks(chart_builder *b, chart_axis *axis)
{
    double decades = log10(axis->high / axis->low);
    const char *digits = decades < 1 ? "12345678" : decades < 3 ? "125" : "1";
    for (double power = pow(10, floor(log10(axis->low))); power <= axis->high; power *= 10)
        for (const char *digit = digits; *digit; digit++) {
            double at = (*digit - '0') * power;
            if (at >= axis->low * (1 - 1e-9) && at <= axis->high * (1 + 1e-9))
                add_tick(b, axis, at, number_label(b, at, power, at));
        }
}

static void number_ticks(chart_builder *b, chart_axis *axis, bool extend)
{
    if (becomes_duration(axis)) {
        duration_ticks(b, axis, extend);
        return;
    }
    double step = nice_step(axis->high - axis->low, WANTED_TICKS);
    if (counts_things(axis)) /* nothing is there two and a half times */
        step = step < 1 ? 1 : step < 10 ? floor(step) : step;
    if (extend)
        extend_to_ticks(axis, step);
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    double first = ceil(axis->low / step - 1e-9);
    for (int i = 0; i < MOST_TICKS; i++) {
        double at = (first + i) * step;
        if (at > axis->high + step * 1e-6)
            break;
        add_tick(b, axis, at, number_label(b, at, step, largest));
    }
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

/* "2026-11-15 14:02:11 UTC" by its parts. */
static roast_str clock_part(chart_builder *b, int64_t t_ns, size_t from, size_t length)
{
    buf text = {0};
    clock_format_utc(&text, t_ns);
    roast_str part = STR("");
    if (!text.code && text.len >= from + length)
        part = chart_copy(b, (roast_str){text.data + from, length});
    b->failed = b->failed || text.code;
    buf_release(&text);
    return part;
}

static roast_str clock_label(chart_builder *b, int64_t t_ns, double step)
{
    bool midnight = t_ns % (86400 * NS_PER_S) == 0;
    if (midnight)
        return clock_part(b, t_ns, 5, 5); /* 11-15 */
    if (step < 1)
        return chart_text(b, "%.*s.%03d", 8, clock_part(b, t_ns, 11, 8).ptr, (int)(t_ns / 1000000 % 1000));
    return clock_part(b, t_ns, 11, step < 60 ? 8 : 5);
}

static void time_ticks(chart_builder *b, chart_axis *axis)
{
    double span = axis->high - axis->low, step = time_step(span);
    bool clock = b->options.time == CHART_CLOCK && axis->origin_ns != ROAST_ABSENT;
    int64_t zero = clock ? axis->origin_ns + b->options.utc_offset_s * NS_PER_S : 0;
    /* Ticks of a clock are at its round times, whenever the run began. */
    double past = clock ? fmod((double)zero / (double)NS_PER_S, step) : 0;
    double first = ceil((axis->low + past) / step - 1e-9);
    for (int i = 0; i < MOST_TICKS; i++) {
        double at = (first + i) * step - past;
        if (at > axis->high + step * 1e-6)
            break;
        int64_t t_ns = zero + llround(at * 1e9);
        if (clock) /* a double of seconds since 1970 has no nanoseconds: round to what the tick says */
            t_ns = llround((double)t_ns / 1e6) * 1000000;
        add_tick(b, axis, at, clock ? clock_label(b, t_ns, step) : duration_label(b, at, step, axis->high));
    }
    if (clock)
        axis->unit =
            chart_text(b, "%s, %.*s", b->options.zone ? b->options.zone : "UTC", 10, clock_part(b, zero, 0, 10).ptr);
    else
        axis->unit = STR("elapsed");
}

/* ---- All axes ------------------------------------------------------------------------------------------------------
 */

static void set_limits(chart_axis *axis, limits l)
{
    if (isnan(axis->low))
        axis->low = l.any ? l.low : 0;
    if (isnan(axis->high))
        axis->high = l.any ? l.high : 1;
    if (!(axis->high > axis->low)) {
        double pad = axis->high != 0 ? fabs(axis->high) * 0.5 : 0.5;
        bool zero_based = axis->low == 0 && axis->high == 0;
        axis->low -= zero_based ? 0 : pad;
        axis->high += zero_based ? 1 : pad;
    }
}

/* A little further than the data at both ends, in the same proportion. */
static void finish_log(chart_builder *b, chart_axis *axis)
{
    if (!(axis->low > 0)) {
        axis->high = axis->high > 0 ? axis->high : 1;
        axis->low = axis->high / 1000;
    }
    double margin = pow(axis->high / axis->low, 0.06);
    axis->low /= margin;
    axis->high *= margin;
    log_ticks(b, axis);
}

static void finish_axis(chart_builder *b, chart_axis *axis, limits l, bool extend)
{
    if (axis->scale == CHART_CATEGORY) {
        axis->low = -0.5;
        axis->high = (double)(axis->n_categories ? axis->n_categories : 1) - 0.5;
        return;
    }
    set_limits(axis, l);
    axis->ticks = chart_alloc(b, MOST_TICKS, sizeof *axis->ticks);
    if (b->failed)
        return;
    if (axis->scale == CHART_LOG)
        finish_log(b, axis);
    else if (axis->scale == CHART_TIME)
        time_ticks(b, axis);
    else
        number_ticks(b, axis, extend);
}

static limits with_whole(const chart_builder *b, limits l)
{
    if (b->percent) {
        include(&l, 0);
        include(&l, 100);
    }
    return l;
}

void chart_finish_axes(chart_builder *b)
{
    chart *c = b->out;
    bool discrete = c->n_series && c->series[0].kind == CHART_HISTOGRAM;
    finish_axis(b, &c->x, limits_of_x(c), !discrete && c->series && c->n_series && c->series[0].kind == CHART_POINTS);
    for (size_t i = 0; i < c->n_panels; i++) {
        chart_panel *panel = &c->panels[i];
        finish_axis(b, &panel->y, with_whole(b, limits_of_y(c, i)), true);
        panel->from = isnan(panel->from) ? c->x.low : panel->from;
        panel->to = isnan(panel->to) ? c->x.high : panel->to;
    }
    if (!str_absent(c->z.label))
        finish_axis(b, &c->z, with_whole(b, limits_of_z(c)), true);
}
