/* The chart model: built once from a run and its summary, drawn by every renderer (SVG and PNG here, matplotlib and the
 * report elsewhere, from JSON). Adding a chart is one row of CHART_SPECS in chart.c and one function that builds it. */
#ifndef VIEW_CHART_H
#define VIEW_CHART_H

#include "analysis/summary.h"
#include "base/buf.h"

typedef enum chart_kind {
    CHART_LINE,      /* x, y; a y that is NAN interrupts it */
    CHART_STEP,      /* x, y: y holds from this x to the next; the last point only ends it */
    CHART_BAND,      /* x, y (low), y2 (high) */
    CHART_BARS,      /* x (middle, or category), y (end), y2 (start; NULL for 0), width in units of x */
    CHART_HISTOGRAM, /* x to x2, y (count) */
    CHART_POINTS,    /* x, y, weight (how many records are at this place; NULL for one each) */
    CHART_LANES,     /* boxes from x to x2 in lane y, which is a category */
    CHART_HEAT       /* the same, next to each other; a shade says z */
} chart_kind;

typedef enum chart_scale {
    CHART_NUMBER,
    CHART_TIME,
    CHART_CATEGORY,
    CHART_LOG,
    CHART_DURATION /* seconds so many that ticks say minutes or hours */
} chart_scale;

/* Colours are numbers, so that each renderer has its own shades. A dataset has the same
 * number in every chart of a run. */
enum { CHART_COLOURS = 7, CHART_NEUTRAL = -1, CHART_BAD = -2, CHART_SHADES = 10 };

typedef struct chart_tick {
    double at;
    roast_str label;
} chart_tick;

typedef struct chart_axis {
    roast_str label; /* absent: there is no such axis */
    roast_str unit;  /* of the values: "s", "%", …; of a time axis what its ticks say: "elapsed", "UTC, 2026-11-15" */
    chart_scale scale;
    double low, high; /* low < high, both finite */
    chart_tick *ticks;
    size_t n_ticks;
    roast_str *categories; /* category i is at i; the axis goes from -0.5 to n - 0.5 */
    size_t n_categories;
    int64_t origin_ns; /* of a time axis, whose values are seconds: when 0 is */
} chart_axis;

typedef struct chart_series {
    chart_kind kind;
    roast_str name; /* absent: needs no name */
    int colour;     /* 0 to CHART_COLOURS - 1, CHART_NEUTRAL or CHART_BAD */
    size_t panel;   /* that it is in */
    bool legend;    /* is in the legend */
    bool quiet;     /* a background to others: a band around a line, the rest of many */
    size_t count, capacity;
    double *x, *x2, *y, *y2, *z, *weight; /* those that the kind has; all finite except where it says */
    double width;                         /* of bars */
} chart_series;

typedef enum chart_note_kind {
    NOTE_TEXT, /* beside the title */
    NOTE_AT_X, /* a line across the plot at x */
    NOTE_AT_Y  /* of the first panel */
} chart_note_kind;

typedef struct chart_note {
    chart_note_kind kind;
    double at;
    roast_str text;
} chart_note;

enum { CHART_MOST_SERIES = 64, CHART_MOST_NOTES = 8, CHART_MOST_PANELS = 3 };

/* A part of the chart with values of one unit: no axis has two. Panels lie below each other over the same x, but those
 * of categories stand side by side, each with some of them. */
typedef struct chart_panel {
    chart_axis y;
    double from, to; /* what it shows of x */
} chart_panel;

typedef struct chart {
    const char *id; /* "worker_count_timeline" */
    roast_str title;
    roast_str description; /* a sentence for those who do not see it */
    roast_str why;         /* why there is nothing to draw; absent if there is something */
    chart_axis x;
    chart_panel panels[CHART_MOST_PANELS];
    size_t n_panels;
    chart_axis z;    /* what shades say; absent if there are none */
    bool horizontal; /* bars lie: x goes down the left side, y along the bottom */
    chart_series *series;
    size_t n_series;
    roast_str more; /* the last line of the legend: "… and 95 more"; absent if all are there */
    chart_note notes[CHART_MOST_NOTES];
    size_t n_notes;
    double width, height; /* proposed, in pixels */
} chart;

typedef enum chart_time { CHART_ELAPSED, CHART_CLOCK } chart_time;

typedef struct chart_options {
    chart_time time;       /* what the ticks of a time axis say */
    int64_t utc_offset_s;  /* CHART_CLOCK: of the zone to show, 0 for UTC … */
    const char *zone;      /* … and its name; NULL for "UTC" */
    size_t bins;           /* of histograms; 0: as each chart has them */
    size_t legend_entries; /* the most workers, files, … in a legend; 0: 5 */
    size_t pixels;         /* columns to which long series are reduced; 0: 1000 */
    const double *values;  /* what a distribution over files is of, where a script has them and no run; or NULL */
    size_t n_values;
} chart_options;

typedef struct roast_charts {
    arena memory;
    chart *charts;
    size_t count;
} chart_set;

/* Builds the charts whose ids are in only (comma-separated; NULL for all). The rows of the run are visited once for all
 * of them. options may be NULL. An id that does not exist is ROAST_USAGE. After a failure the set is empty. */
roast_code charts_build(chart_set *out, roast_run *run, const roast_summary *summary, const char *only,
                        const chart_options *options, roast_error *err);
void charts_release(chart_set *set);
const char *chart_kind_text(chart_kind kind);    /* "line", … */
const char *chart_scale_text(chart_scale scale); /* "number", "time", … */
const char *chart_colour_text(int colour);       /* on a light ground: "#0072b2" */
const char *chart_shade_text(size_t shade);      /* of CHART_SHADES, that of the lowest values first */
/* The palette of pages, as variables of a CSS selector: --c0 … --c6, --neutral, --bad, --ground, --ink, --muted,
 * --grid, --s0 …; and one of the colours on a light ground, by its name. */
void chart_palette(buf *out, const char *where, bool dark);
const char *chart_colour_named(const char *name);

/* The colours of the datasets of a run, by their number: those that took most time have one of their own, the others
 * CHART_NEUTRAL. NULL if memory is out. */
int *chart_dataset_colours(const roast_run *run, const roast_summary *summary, arena *memory);

typedef struct svg_options {
    double width, height; /* pixels; 0: as the chart proposes */
    bool embedded;        /* for a page that brings chart_css itself: no style, no background, no XML declaration */
    double
        drawn_width; /* another size of a picture on the same page, this wide: its marks are shown again, stretched */
} svg_options;

/* Appends the chart as SVG; what went wrong is in out->code. The root element has the name (data-chart), and the group
 * of each panel where it is and what it spans: data-plot="left top width height", data-x="low high", data-y. options
 * may be NULL. */
void chart_svg(buf *out, const chart *c, const svg_options *options);
/* The style that embedded charts need, once per page: light, and dark where the reader prefers it. */
void chart_css(buf *out);
/* The same for a page that uses the palette itself: colours are variables, --c0 to --c6, --neutral, --bad, --ground,
 * --ink, --muted, --grid, and --s0 to --s9 for shades. The class "light" on the root element asks for the light ones,
 * as for paper. */
void chart_page_css(buf *out);
/* The chart as one JSON object: numbers, not pixels. beside_picture: only what is to be said of marks that a picture
 * shows: no points, and no more digits of z than are read. */
void chart_json(buf *out, const chart *c, bool beside_picture);
/* PNG of an SVG, scale pixels per unit. ROAST_MISSING if librsvg is not installed. */
roast_code png_from_svg(buf *out, roast_str svg, double scale, roast_error *err);

#endif
