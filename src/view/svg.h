/* Inside the SVG renderer: where things are, and how they are written. */
#ifndef VIEW_SVG_H
#define VIEW_SVG_H

#include "view/chart.h"

/* The plot's rectangle within the picture, in pixels. */
typedef struct svg_frame {
    buf *out;
    const chart *c;
    double width, height;
    double left, top, right, bottom;
} svg_frame;

/* Text as text: harmless, escaped, at most this many columns (0: all). */
void svg_text(buf *out, roast_str text, size_t columns);
/* A number of pixels, rounded to tenths, as short as it can be written: "12.3", "-.5". */
void svg_number(buf *out, double pixels);

/* Where a value is; never outside the plot. y also for the second axis. */
double svg_across(const svg_frame *f, const chart_axis *axis, double value);
double svg_down(const svg_frame *f, const chart_axis *axis, double value);

/* What the class of a colour is called after its c. */
const char *svg_colour_name(int colour);
/* The series of the chart, in their order. svg_marks.c */
void svg_marks(const svg_frame *f);

#endif
