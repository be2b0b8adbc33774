/* What is drawn inside the plot. Each series is one group with few paths, whatever the number of its items: a path says
 * a point in about eight bytes, an element of its own takes fifty. */
#include <math.h>

#include "base/str.h"
#include "view/svg.h"

/* A pen that writes relative moves in tenths of a pixel; positions are kept in whole tenths, so nothing drifts. */
typedef struct pen {
    buf *out;
    long x, y;
    bool down; /* a path was begun */
} pen;

static long tenths(double pixels)
{
    return lround(pixels * 10);
}

static void put_tenths(buf *out, long value, bool separate)
{
    if (separate && value >= 0)
        buf_char(out, ' ');
    svg_number(out, (double)value / 10);
}

static void pen_move(pen *p, double x, double y)
{
    long to_x = tenths(x), to_y = tenths(y);
    buf_char(p->out, p->down ? 'm' : 'M');
    put_tenths(p->out, to_x - (p->down ? p->x : 0), false);
    put_tenths(p->out, to_y - (p->down ? p->y : 0), true);
    p->x = to_x;
    p->y = to_y;
    p->down = true;
}

static void pen_line(pen *p, double x, double y)
{
    long dx = tenths(x) - p->x, dy = tenths(y) - p->y;
    if (dx == 0 && dy == 0)
        return;
    if (dy == 0) {
        buf_char(p->out, 'h');
        put_tenths(p->out, dx, false);
    } else if (dx == 0) {
        buf_char(p->out, 'v');
        put_tenths(p->out, dy, false);
    } else {
        buf_char(p->out, 'l');
        put_tenths(p->out, dx, false);
        put_tenths(p->out, dy, true);
    }
    p->x += dx;
    p->y += dy;
}

/* After it the pen is where the box began. */
static void pen_box(pen *p, double left, double top, double right, double bottom)
{
    pen_move(p, left, top);
    pen_line(p, right, top);
    pen_line(p, right, bottom);
    pen_line(p, left, bottom);
    buf_char(p->out, 'z');
    p->x = tenths(left);
    p->y = tenths(top);
}

const char *svg_colour_name(int colour)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6"};
    return colour == CHART_BAD ? "b" : colour < 0 || colour >= CHART_COLOURS ? "n" : names[colour];
}

static pen begin_path(const svg_frame *f, const char *classes)
{
    buf_format(f->out, "<path class=\"%s\" d=\"", classes);
    return (pen){.out = f->out};
}

static void end_path(const svg_frame *f)
{
    buf_text(f->out, "\"/>\n");
}

static const chart_axis *values_of(const svg_frame *f, const chart_series *s)
{
    return s->second ? &f->c->y2 : &f->c->y;
}

/* ---- Lines, steps and bands
 * ------------------------------------------------------------------------------------------ */

static void draw_line(const svg_frame *f, const chart_series *s)
{
    const chart_axis *axis = values_of(f, s);
    pen p = begin_path(f, s->count == 1 ? "p p2" : "l"); /* a line of one point is a dot */
    bool begun = false;
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(s->y[i])) {
            begun = false;
            continue;
        }
        double x = svg_across(f, &f->c->x, s->x[i]), y = svg_down(f, axis, s->y[i]);
        bool alone = !begun && (i + 1 == s->count || isnan(s->y[i + 1]));
        if (!begun)
            pen_move(&p, x, y);
        else
            pen_line(&p, x, y);
        if (alone)
            buf_text(f->out, "h0");
        begun = true;
    }
    end_path(f);
}

static void draw_step(const svg_frame *f, const chart_series *s)
{
    const chart_axis *axis = values_of(f, s);
    double floor_y = svg_down(f, axis, axis->low > 0 ? axis->low : 0);
    for (int outline = 0; outline < 2; outline++) {
        pen p = begin_path(f, outline ? "l" : "a");
        for (size_t i = 0; i < s->count; i++) {
            double x = svg_across(f, &f->c->x, s->x[i]);
            if (i == 0)
                pen_move(&p, x, outline ? svg_down(f, axis, s->y[0]) : floor_y);
            else
                pen_line(&p, x, svg_down(f, axis, s->y[i - 1]));
            if (i + 1 < s->count)
                pen_line(&p, x, svg_down(f, axis, s->y[i]));
            else if (!outline)
                pen_line(&p, x, floor_y);
        }
        end_path(f);
    }
}

static void draw_band(const svg_frame *f, const chart_series *s)
{
    const chart_axis *axis = values_of(f, s);
    pen p = begin_path(f, "a");
    for (size_t i = 0; i < s->count; i++) {
        double x = svg_across(f, &f->c->x, s->x[i]), y = svg_down(f, axis, s->y2[i]);
        if (i == 0)
            pen_move(&p, x, y);
        else
            pen_line(&p, x, y);
    }
    for (size_t i = s->count; i-- > 0;)
        pen_line(&p, svg_across(f, &f->c->x, s->x[i]), svg_down(f, axis, s->y[i]));
    if (s->count)
        buf_char(f->out, 'z');
    end_path(f);
}

/* ---- Bars, histograms and lanes
 * --------------------------------------------------------------------------------------- */

static void draw_bar(const svg_frame *f, pen *p, const chart_series *s, size_t i)
{
    const chart_axis *axis = values_of(f, s);
    double from = s->x[i] - s->width / 2, to = s->x[i] + s->width / 2, base = s->y2 ? s->y2[i] : 0;
    if (f->c->horizontal)
        pen_box(p, svg_across(f, axis, base), svg_down(f, &f->c->x, from), svg_across(f, axis, s->y[i]),
                svg_down(f, &f->c->x, to));
    else
        pen_box(p, svg_across(f, &f->c->x, from), svg_down(f, axis, s->y[i]), svg_across(f, &f->c->x, to),
                svg_down(f, axis, base));
}

static void draw_bars(const svg_frame *f, const chart_series *s)
{
    pen p = begin_path(f, "f");
    for (size_t i = 0; i < s->count; i++)
        draw_bar(f, &p, s, i);
    end_path(f);
}

static void draw_histogram(const svg_frame *f, const chart_series *s)
{
    pen p = begin_path(f, "f");
    double base = svg_down(f, &f->c->y, 0);
    for (size_t i = 0; i < s->count; i++) {
        double from = svg_across(f, &f->c->x, s->x[i]), to = svg_across(f, &f->c->x, s->x2[i]);
        double gap = to - from > 3 ? 0.5 : 0;
        if (s->y[i] > 0)
            pen_box(&p, from + gap, svg_down(f, &f->c->y, s->y[i]), to - gap, base);
    }
    end_path(f);
}

/* Boxes are never narrower than what can be seen, and a hair apart where there is room. */
static void draw_lanes(const svg_frame *f, const chart_series *s)
{
    double lane = (f->bottom - f->top) / (f->c->y.high - f->c->y.low);
    double half = lane > 4 ? lane / 2 - 0.7 : lane > 1.5 ? lane / 2 - 0.1 : lane / 2;
    bool failed = s->colour == CHART_BAD;
    pen p = begin_path(f, "f");
    for (size_t i = 0; i < s->count; i++) {
        double from = svg_across(f, &f->c->x, s->x[i]), to = svg_across(f, &f->c->x, s->x2[i]);
        double middle = svg_down(f, &f->c->y, s->y[i]), least = failed ? 1.5 : 0.4;
        if (to - from > 2.5)
            to -= 0.5;
        if (to - from < least)
            to = from + least;
        pen_box(&p, from, middle - half, to, middle + half);
    }
    end_path(f);
}

/* ---- Points
 * ------------------------------------------------------------------------------------------------------------ */

/* A point is a line of no length with round ends. Places with more records have larger ones, in four sizes. */
static void draw_points(const svg_frame *f, const chart_series *s)
{
    static const struct {
        double least, below;
        const char *classes;
    } sizes[] = {{0, 1.5, "p p0"}, {1.5, 9.5, "p p1"}, {9.5, 99.5, "p p2"}, {99.5, HUGE_VAL, "p p3"}};
    const chart_axis *axis = values_of(f, s);
    for (size_t size = 0; size < 4; size++) {
        bool any = false;
        pen p = {.out = f->out};
        for (size_t i = 0; i < s->count; i++) {
            double weight = s->weight ? s->weight[i] : 1;
            if (weight < sizes[size].least || weight >= sizes[size].below)
                continue;
            if (!any)
                p = begin_path(f, sizes[size].classes);
            any = true;
            pen_move(&p, svg_across(f, &f->c->x, s->x[i]), svg_down(f, axis, s->y[i]));
            buf_text(f->out, "h0");
        }
        if (any)
            end_path(f);
    }
}

void svg_marks(const svg_frame *f)
{
    static void (*const draw[])(const svg_frame *, const chart_series *) = {
        [CHART_LINE] = draw_line,   [CHART_STEP] = draw_step,           [CHART_BAND] = draw_band,
        [CHART_BARS] = draw_bars,   [CHART_HISTOGRAM] = draw_histogram, [CHART_POINTS] = draw_points,
        [CHART_LANES] = draw_lanes,
    };
    for (size_t i = 0; i < f->c->n_series; i++) {
        const chart_series *s = &f->c->series[i];
        if (!s->count)
            continue;
        buf_format(f->out, "<g class=\"c%s%s\">", svg_colour_name(s->colour), s->quiet ? " q" : "");
        if (!str_absent(s->name)) {
            buf_text(f->out, "<title>");
            svg_text(f->out, s->name, 120);
            buf_text(f->out, "</title>");
        }
        buf_char(f->out, '\n');
        draw[s->kind](f, s);
        buf_text(f->out, "</g>\n");
    }
}
