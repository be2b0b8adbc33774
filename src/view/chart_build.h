/* What the functions that build charts share. Memory that runs out sets failed, and everything after that does nothing:
 * a builder writes straight through, and its caller checks once. */
#ifndef VIEW_CHART_BUILD_H
#define VIEW_CHART_BUILD_H

#include "analysis/series.h"
#include "analysis/sweep.h"
#include "model/facts.h"
#include "view/chart.h"
#include "view/format.h"

typedef struct chart_builder chart_builder;

/* A row of the table of charts. */
typedef struct chart_spec {
    const char *id, *title;
    const char *x_label, *y_label;
    void (*build)(chart_builder *b);
    const char *description; /* a sentence: what it shows and how to read it */
    const char *y_unit;      /* of its values; NULL for counts */
    const char *x_unit;
    unsigned needs;     /* SERIES_… */
    sample_field field; /* for charts of heartbeats */
    chart_scale x_scale;
    double height;  /* 0: as most have it */
    bool percent;   /* values go from 0 to 100 at least, unless the builder says that they are far from it */
    size_t bins;    /* of histograms */
    metric_id file; /* for distributions over files: the column */
} chart_spec;

struct chart_builder {
    chart *out;
    arena *memory;
    const roast_run *run;
    const roast_summary *summary;
    run_series *series;
    const sweep *sweep; /* over the whole window; NULL if nothing has a time */
    const chart_spec *spec;
    chart_options options; /* with the defaults filled in */
    const int *dataset_colours;
    const void *subject; /* of a chart over several runs, which has no run, summary or series */
    bool percent;
    bool failed;
    roast_error *err;
    chart_series spare; /* takes what comes after memory has run out */
};

/* A series with room for capacity items, drawn after those added before. Never NULL. */
chart_series *chart_add_series(chart_builder *b, chart_kind kind, roast_str name, int colour, size_t capacity);
/* Items. What is not finite is left out, except that a NAN y interrupts a line. */
void chart_add(chart_series *s, double x, double y);
void chart_add_range(chart_series *s, double x, double low, double high); /* bands; bars that do not start at 0 */
void chart_add_box(chart_series *s, double x, double x2, double y);       /* lanes and histograms */
void chart_add_cell(chart_series *s, double x, double x2, double y, double z);
void chart_add_weighted(chart_series *s, double x, double y, double weight);

/* Text that lives as long as the chart. */
roast_str chart_text(chart_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
roast_str chart_copy(chart_builder *b, roast_str text);
void chart_note_text(chart_builder *b, roast_str text);
void chart_note_at(chart_builder *b, chart_note_kind kind, double at, roast_str text);
void chart_is_empty(chart_builder *b, const char *why); /* the first reason stays */
/* Whether there are no chunks to draw, which is then the reason, as the run states it if it does; else it is noted if
 * there were others that nobody measured. */
bool chart_has_no_chunks(chart_builder *b);

/* Categories of an axis; the names are copied. */
void chart_categories(chart_builder *b, chart_axis *axis, size_t count);
void chart_category(chart_builder *b, chart_axis *axis, size_t index, roast_str name);
/* Values of another unit: a panel of their own, below or beside those before. Gives its number. */
size_t chart_add_panel(chart_builder *b, const char *label, const char *unit);
/* Shades of a heat map; what they say is what the values of the first panel would. */
void chart_use_shades(chart_builder *b);
/* Memory of the chart for count things; NULL, and failed, if there is none. */
void *chart_alloc(chart_builder *b, size_t count, size_t size);

/* A dataset's name and colour, the same in every chart: those with most time in process() have colours of their own. */
roast_str dataset_name(const chart_builder *b, uint32_t dataset);
int dataset_colour(const chart_builder *b, uint32_t dataset);
roast_str worker_name(const chart_builder *b, uint32_t worker);

/* Points by dataset, those at one place merged; limits are of the points. chart_chunks.c */
typedef bool (*mark_point)(const chart_builder *b, const chunk_mark *mark, double *x, double *y); /* false: has none */
void chart_add_points(chart_builder *b, mark_point point);
/* The name of a dataset's series: of its own, or of those that share a colour. */
enum { SERIES_GROUPS = CHART_COLOURS + 2 };
roast_str group_name(chart_builder *b, size_t group);
int group_colour(size_t group);
size_t group_of(const chart_builder *b, const chunk_mark *mark); /* by colour, then the rest, then failed attempts */

/* "1.24 GB", as tables have it. */
roast_str chart_value(chart_builder *b, double value, const char *unit, format_form form);
/* Where memory of workers ends, as a note in bytes of the chart's values, and whether some came near it. */
void chart_note_limit(chart_builder *b, double share_used);
bool chart_near_limit(double share_used);
int64_t chart_common_limit(const roast_run *run);

/* Counts in bins of equal width. chart_rows.c */
void chart_add_histogram(chart_builder *b, const double *values, size_t count, roast_str name);
/* Bars lie, one below the other, and the chart is as high as they need. chart_rows.c */
void chart_make_horizontal(chart_builder *b, size_t bars);
/* The number of workers over time, as a line of its own. chart_workers.c */
chart_series *chart_add_presence(chart_builder *b, int colour);

/* Charts over several runs: of each spec, which does without a run, about its subject. After a failure the set is
 * empty.
 */
roast_code charts_build_of(chart_set *out, const chart_spec *specs, const void *const *subjects, size_t count,
                           roast_error *err);

/* Limits that are not set yet from the data, then ticks. chart_axis.c */
void chart_finish_axes(chart_builder *b);

/* ---- The builders, by file ------------------------------------------------------------------------------------- */
/* chart_workers.c */
void build_worker_count(chart_builder *b);
void build_sample_mean(chart_builder *b);
void build_sample_total(chart_builder *b);
void build_sample_lines(chart_builder *b);
/* chart_time.c */
void build_throughput(chart_builder *b);
void build_data_rate(chart_builder *b);
void build_concurrency(chart_builder *b);
void build_tail(chart_builder *b);
void build_memory_peaks(chart_builder *b);
/* chart_lanes.c */
void build_chunk_lanes(chart_builder *b);
/* chart_chunks.c */
void build_runtime_distribution(chart_builder *b);
void build_runtime_vs_events(chart_builder *b);
void build_branch_access(chart_builder *b);
void build_bytes_accessed(chart_builder *b);
/* chart_rows.c */
void build_file_distribution(chart_builder *b);
void build_task_cpu_io(chart_builder *b);
void build_task_bytes(chart_builder *b);
void build_task_overhead(chart_builder *b);
void build_efficiency(chart_builder *b);
void build_resources(chart_builder *b);
void build_dataset_phases(chart_builder *b);
void build_section_shares(chart_builder *b);
void build_worker_rates(chart_builder *b);
void build_file_rates(chart_builder *b);

#endif
