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

static pen begin_path(const svg_frame *f, const char *classes)
{
    buf_format(f->out, "<path class=\"%s\" d=\"", classes);
    return (pen){.out = f->out};
}

static void end_path(const svg_frame *f)
{
    buf_text(f->out, "\"/>\n");
}

/* ---- Lines, steps and bands
 * ------------------------------------------------------------------------------------------ */

static void draw_line(const svg_frame *f, const chart_series *s)
{
    pen p = begin_path(f, s->count == 1 ? "p p2" : "l"); /* a line of one point is a dot */
    bool begun = false;
    for (size_t i = 0; i < s->count; i++) {
        if (isnan(s->y[i])) {
            begun = false;
            continue;
        }
        double x = svg_x(f, s->x[i]), y = svg_y(f, s->y[i]);
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
    double floor_y = svg_y(f, fmax(svg_values(f)->low, 0));
    for (int outline = 0; outline < 2; outline++) {
        pen p = begin_path(f, outline ? "l" : "a");
        for (size_t i = 0; i < s->count; i++) {
            double x = svg_x(f, s->x[i]);
            if (i == 0)
                pen_move(&p, x, outline ? svg_y(f, s->y[0]) : floor_y);
            else
                pen_line(&p, x, svg_y(f, s->y[i - 1]));
            if (i + 1 < s->count)
                pen_line(&p, x, svg_y(f, s->y[i]));
            else if (!outline)
                pen_line(&p, x, floor_y);
        }
        end_path(f);
    }
}

static void draw_band(const svg_frame *f, const chart_series *s)
{
    pen p = begin_path(f, "a");
    for (size_t i = 0; i < s->count; i++) {
        double x = svg_x(f, s->x[i]), y = svg_y(f, s->y2[i]);
        if (i == 0)
            pen_move(&p, x, y);
        else
            pen_line(&p, x, y);
    }
    for (size_t i = s->count; i-- > 0;)
        pen_line(&p, svg_x(f, s->x[i]), svg_y(f, s->y[i]));
    if (s->count)
        buf_char(f->out, 'z');
    end_path(f);
}

/* ---- Bars, histograms and lanes
 * --------------------------------------------------------------------------------------- */

static void draw_bar(const svg_frame *f, pen *p, const chart_series *s, size_t i)
{
    double from = s->x[i] - s->width / 2, to = s->x[i] + s->width / 2, base = s->y2 ? s->y2[i] : 0;
    if (f->c->horizontal)
        pen_box(p, svg_y(f, base), svg_x(f, from), svg_y(f, s->y[i]), svg_x(f, to));
    else
        pen_box(p, svg_x(f, from), svg_y(f, s->y[i]), svg_x(f, to), svg_y(f, base));
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
    double base = svg_y(f, 0);
    for (size_t i = 0; i < s->count; i++) {
        double from = svg_x(f, s->x[i]), to = svg_x(f, s->x2[i]);
        double gap = to - from > 3 ? 0.5 : 0;
        if (s->y[i] > 0)
            pen_box(&p, from + gap, svg_y(f, s->y[i]), to - gap, base);
    }
    end_path(f);
}

static double lane_height(const svg_frame *f)
{
    return (f->bottom - f->top) / (svg_values(f)->high - svg_values(f)->low);
}

/* Boxes are never narrower than what can be seen, and a hair apart where there is room. */
static void draw_lanes(const svg_frame *f, const chart_series *s)
{
    double lane = lane_height(f);
    double half = lane > 4 ? lane / 2 - 0.7 : lane > 1.5 ? lane / 2 - 0.1 : lane / 2;
    bool failed = s->colour == CHART_BAD;
    pen p = begin_path(f, "f");
    for (size_t i = 0; i < s->count; i++) {
        double from = svg_x(f, s->x[i]), to = svg_x(f, s->x2[i]);
        double middle = svg_y(f, s->y[i]), least = failed ? 1.5 : 0.4;
        if (to - from > 2.5)
            to -= 0.5;
        if (to - from < least)
            to = from + least;
        pen_box(&p, from, middle - half, to, middle + half);
    }
    end_path(f);
}

static const double OVERLAP = 0.5; /* pixels: cells that touch would leave a hair of the ground between them */

/* Cells of one shade are one path, and those that follow each other one line, as thick as its row: it takes half of
 * what a box does. */
static void draw_heat(const svg_frame *f, const chart_series *s)
{
    double lane = lane_height(f), thickness = lane > 6 ? lane - 1 : lane;
    for (size_t shade = 0; shade < CHART_SHADES; shade++) {
        pen p = {.out = f->out};
        for (size_t i = 0, last; i < s->count; i = last + 1) {
            last = i;
            if (svg_shade(&f->c->z, s->z[i]) != shade)
                continue;
            while (last + 1 < s->count && s->y[last + 1] == s->y[i] && s->x[last + 1] == s->x2[last] &&
                   svg_shade(&f->c->z, s->z[last + 1]) == shade)
                last++;
            if (!p.down)
                buf_format(f->out, "<path class=\"s%zu y\" stroke-width=\"%.1f\" d=\"", shade, thickness);
            pen_move(&p, svg_x(f, s->x[i]), svg_y(f, s->y[i]));
            pen_line(&p, fmin(svg_x(f, s->x2[last]) + OVERLAP, f->right), svg_y(f, s->y[i]));
        }
        if (p.down)
            end_path(f);
    }
}

/* ---- Points
 * ------------------------------------------------------------------------------------------------------------ */

/* The few that lie beside names are large. */
static void draw_dots(const svg_frame *f, const chart_series *s)
{
    pen p = begin_path(f, "p d");
    for (size_t i = 0; i < s->count; i++) {
        pen_move(&p, svg_y(f, s->y[i]), svg_x(f, s->x[i]));
        buf_text(f->out, "h0");
    }
    end_path(f);
}

/* A point is a line of no length with round ends. Places with more records have larger ones, in four sizes. */
static void draw_points(const svg_frame *f, const chart_series *s)
{
    static const struct {
        double least, below;
        const char *classes;
    } sizes[] = {{0, 1.5, "p p0"}, {1.5, 9.5, "p p1"}, {9.5, 99.5, "p p2"}, {99.5, HUGE_VAL, "p p3"}};
    if (f->c->horizontal) {
        draw_dots(f, s);
        return;
    }
    for (size_t size = 0; size < 4; size++) {
        bool any = false;
        pen p = {.out = f->out};
        for (size_t i = 0; i < s->count; i++) {
            double weight = s->weight[i];
            if (weight < sizes[size].least || weight >= sizes[size].below)
                continue;
            if (!any)
                p = begin_path(f, sizes[size].classes);
            any = true;
            pen_move(&p, svg_x(f, s->x[i]), svg_y(f, s->y[i]));
            buf_text(f->out, "h0");
        }
        if (any)
            end_path(f);
    }
}

enum { FEW_POINTS = 300 }; /* which may be larger */

void svg_marks(const svg_frame *f)
{
    static void (*const draw[])(const svg_frame *, const chart_series *) = {
        [CHART_LINE] = draw_line,   [CHART_STEP] = draw_step,           [CHART_BAND] = draw_band,
        [CHART_BARS] = draw_bars,   [CHART_HISTOGRAM] = draw_histogram, [CHART_POINTS] = draw_points,
        [CHART_LANES] = draw_lanes, [CHART_HEAT] = draw_heat,
    };
    for (size_t i = 0; i < f->c->n_series; i++) {
        const chart_series *s = &f->c->series[i];
        if (!s->count || s->panel != f->panel)
            continue;
        bool few = s->kind == CHART_POINTS && s->count < FEW_POINTS;
        buf_format(f->out, "<g class=\"c%s%s%s\" data-series=\"%zu\">", svg_colour_name(s->colour),
                   s->quiet ? " q" : "", few ? " r" : "", i);
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
