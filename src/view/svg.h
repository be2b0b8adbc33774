/* Inside the SVG renderer: where things are, and how they are written. */
#ifndef VIEW_SVG_H
#define VIEW_SVG_H

#include "view/chart.h"

/* The plot's rectangle within the picture, in pixels: of all panels, or of one. */
typedef struct svg_frame {
    buf *out;
    const chart *c;
    size_t panel;
    double width, height;
    double left, top, right, bottom;
    double lines; /* of notes above the plot */
} svg_frame;

/* Text as text: harmless, escaped, at most this many columns (0: all). */
void svg_text(buf *out, roast_str text, size_t columns);
/* A number of pixels, rounded to tenths, as short as it can be written: "12.3", "-.5". */
void svg_number(buf *out, double pixels);

/* Where a value is, along the side that its axis has: across if that is the bottom, else down. Never outside the panel.
 */
double svg_x(const svg_frame *f, double value);
double svg_y(const svg_frame *f, double value);
const chart_axis *svg_values(const svg_frame *f); /* the panel's axis y */

/* Of CHART_SHADES, that of a value on the axis of shades. */
size_t svg_shade(const chart_axis *z, double value);
/* What the class of a colour is called after its c. svg_style.c */
const char *svg_colour_name(int colour);
/* The series of the panel, in their order. svg_marks.c */
void svg_marks(const svg_frame *f);

#endif
