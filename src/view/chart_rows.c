/* Charts of the rows of a summary: files, kinds of task, datasets, sections, workers, and metrics of the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/statistics.h"
#include "base/str.h"
#include "view/chart_build.h"

/* Of many rows the ones at both ends are shown: those that stand out. */
enum { MOST_BARS = 40, FEWEST_NAMED = 3, MOST_NAMED = 12, FEWEST_FOR_OUTLIERS = 5 };

/* ---- Distributions --------------------------------------------------------------------------------------------------
 */

/* Bins of equal width from the least to the greatest value; the last one has both its edges. */
void chart_add_histogram(chart_builder *b, const double *values, size_t count, roast_str name)
{
    size_t bins = b->options.bins ? b->options.bins : b->spec->bins;
    double low = values[0], high = values[0];
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    if (!(high > low)) {
        low -= 0.5;
        high += 0.5;
    }
    double *counts = chart_alloc(b, bins, sizeof *counts), width = (high - low) / (double)bins;
    chart_series *s = chart_add_series(b, CHART_HISTOGRAM, name, 0, bins);
    s->legend = false;
    for (size_t i = 0; counts && i < count; i++) {
        size_t bin = (size_t)((values[i] - low) / width);
        bin = bin < bins ? bin : bins - 1;
        if (bin > 0 && values[i] < low + (double)bin * width) /* rounding */
            bin--;
        else if (bin + 1 < bins && values[i] >= low + (double)(bin + 1) * width)
            bin++;
        counts[bin]++;
    }
    for (size_t i = 0; counts && i < bins; i++)
        chart_add_box(s, low + (double)i * width, i + 1 == bins ? high : low + (double)(i + 1) * width, counts[i]);
    b->out->x.low = low;
    b->out->x.high = high;
}

static double cell(const chart_builder *b, metric_id column, size_t row)
{
    return summary_cell_number(b->summary, column, row);
}

static size_t rows_of(const chart_builder *b, metric_id column)
{
    return b->summary->rows[metric_info(column)->scope].count;
}

static int compare_reals(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void note_middle(chart_builder *b, const char *name, double value)
{
    bool percent = strcmp(b->spec->x_unit, "%") == 0;
    chart_note_at(b, NOTE_AT_X, value, chart_text(b, percent ? "%s: %.1f%%" : "%s: %.3f", name, value));
}

/* Sorts the values. */
static void note_middles(chart_builder *b, double *values, size_t count)
{
    double sum = 0;
    qsort(values, count, sizeof *values, compare_reals);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    note_middle(b, "Mean", sum / (double)count);
    note_middle(b, "Median", (values[(count - 1) / 2] + values[count / 2]) / 2);
}

void build_file_distribution(chart_builder *b)
{
    bool given = b->options.values != NULL;
    size_t files = given ? b->options.n_values : rows_of(b, b->spec->file), count = 0;
    double *values = chart_alloc(b, files, sizeof *values);
    for (size_t i = 0; values && i < files; i++) {
        double value = given ? b->options.values[i] : cell(b, b->spec->file, i);
        if (isfinite(value))
            values[count++] = value;
    }
    if (!count) {
        chart_is_empty(b, files ? "no file metadata" : "no record names a file");
        return;
    }
    chart_add_histogram(b, values, count, STR("files"));
    if (strcmp(b->spec->x_unit, "%") == 0) { /* a share begins at 0, and ends at 100 */
        b->out->x.low = fmin(b->out->x.low, 0);
        b->out->x.high = fmax(fmin(b->out->x.high * 1.1, 100), b->out->x.high);
    }
    note_middles(b, values, count);
}

/* ---- Kinds of task
 * --------------------------------------------------------------------------------------------------- */

/* What one bar of each category is: next to others, or on top of the one before it. */
typedef struct bar_part {
    const char *name;
    int colour;
    double (*value)(const chart_builder *b, size_t row, const struct bar_part *part);
    metric_id metric;
    double scale;
    const char *activity, *unit;
    double shift, width;
    bool on_top;
} bar_part;

static double part_metric(const chart_builder *b, size_t row, const bar_part *part)
{
    return cell(b, part->metric, row) * part->scale;
}

static double part_activity(const chart_builder *b, size_t row, const bar_part *part)
{
    roast_str prefix = summary_cell_string(b->summary, M_activity_prefix, row);
    double sum = 0;
    for (size_t i = 0; i < run_activities(b->run); i++) {
        const roast_activity *activity = roast_run_activity(b->run, i);
        if (str_equal(activity->prefix, prefix) && str_equal(activity->activity, str_from(part->activity)) &&
            str_equal(activity->unit, str_from(part->unit)) && isfinite(activity->value))
            sum += activity->value;
    }
    return sum * part->scale;
}

static double total_of(const chart_builder *b, size_t row, const bar_part *parts, size_t n_parts)
{
    double total = 0;
    for (size_t p = 0; p < n_parts; p++) {
        double value = parts[p].value(b, row, &parts[p]);
        total += isfinite(value) ? value : 0;
    }
    return total;
}

/* The kinds of task for which one of the parts is not 0. */
static size_t choose_tasks(chart_builder *b, size_t *rows, const bar_part *parts, size_t n_parts)
{
    size_t count = 0;
    for (size_t row = 0; row < rows_of(b, M_activity_prefix); row++)
        if (total_of(b, row, parts, n_parts) > 0)
            rows[count++] = row;
    return count;
}

/* A part that is 0 everywhere is no bar, and nothing in the legend. */
static bool is_drawn(const chart_builder *b, const size_t *rows, size_t count, const bar_part *part)
{
    for (size_t i = 0; i < count; i++)
        if (part->value(b, rows[i], part) > 0)
            return true;
    return false;
}

static void add_part(chart_builder *b, const size_t *rows, size_t count, double *tops, const bar_part *part)
{
    chart_series *bars = chart_add_series(b, CHART_BARS, str_from(part->name), part->colour, count);
    bars->width = part->width;
    for (size_t i = 0; i < count; i++) {
        double value = part->value(b, rows[i], part), base = part->on_top ? tops[i] : 0;
        value = isfinite(value) ? value : 0;
        chart_add_range(bars, (double)i + part->shift, base, base + value);
        tops[i] = base + value;
    }
}

static void build_tasks(chart_builder *b, const bar_part *parts, size_t n_parts, const char *nothing)
{
    size_t all = rows_of(b, M_activity_prefix);
    size_t *rows = chart_alloc(b, all, sizeof *rows);
    double *tops = chart_alloc(b, all, sizeof *tops);
    if (b->failed)
        return;
    size_t count = choose_tasks(b, rows, parts, n_parts);
    if (!count) {
        const char *why = b->summary->why[M_run_processor_cpu_time_seconds];
        chart_is_empty(b, all || !why ? nothing : why);
        return;
    }
    chart_categories(b, &b->out->x, count);
    for (size_t i = 0; i < count; i++)
        chart_category(b, &b->out->x, i, summary_cell_string(b->summary, M_activity_prefix, rows[i]));
    for (size_t p = 0; p < n_parts; p++)
        if (is_drawn(b, rows, count, &parts[p]))
            add_part(b, rows, count, tops, &parts[p]);
}

void build_task_cpu_io(chart_builder *b)
{
    static const bar_part parts[] = {
        {"CPU Time", 0, part_metric, M_activity_cpu_seconds, 1, NULL, NULL, -0.175, 0.35, false},
        {"I/O Time", 1, part_metric, M_activity_noncpu_seconds, 1, NULL, NULL, 0.175, 0.35, false},
    };
    build_tasks(b, parts, 2, "no task has CPU or I/O time");
}

void build_task_bytes(chart_builder *b)
{
    static const bar_part parts[] = {
        {"from memory", 0, part_activity, METRIC_COUNT, 1e-9, "memory-read", "bytes", -0.175, 0.35, false},
        {"from disk", 1, part_activity, METRIC_COUNT, 1e-9, "disk-read", "bytes", 0.175, 0.35, false},
    };
    build_tasks(b, parts, 2, "no task read from memory or from disk");
}

void build_task_overhead(chart_builder *b)
{
    static const bar_part parts[] = {
        {"Decompress", 0, part_activity, METRIC_COUNT, 1, "decompress", "seconds", -0.175, 0.35, false},
        {"Compress", 4, part_activity, METRIC_COUNT, 1, "compress", "seconds", -0.175, 0.35, true},
        {"Deserialize", 1, part_activity, METRIC_COUNT, 1, "deserialize", "seconds", 0.175, 0.35, false},
        {"Serialize", 3, part_activity, METRIC_COUNT, 1, "serialize", "seconds", 0.175, 0.35, true},
    };
    build_tasks(b, parts, 4, "no task compressed or serialised");
}

/* ---- Metrics of the run
 * ------------------------------------------------------------------------------------------------ */

typedef struct metric_bar {
    metric_id metric;
    const char *name;
    double scale;
    const char *unit; /* those of one follow each other, and share a panel */
} metric_bar;

/* The panel of the next bar: another one if its unit is. */
static chart_series *bars_of_unit(chart_builder *b, const char *unit, size_t at, size_t most)
{
    chart *c = b->out;
    bool first = !c->n_series;
    if (!first && str_equal(c->panels[c->n_panels - 1].y.unit, str_from(unit)))
        return &c->series[c->n_series - 1];
    size_t panel = first ? 0 : chart_add_panel(b, "", unit);
    c->panels[panel].y.unit = str_from(unit);
    c->panels[panel].from = (double)at - 0.5;
    chart_series *s = chart_add_series(b, CHART_BARS, STR("value"), 0, most);
    s->panel = panel;
    s->legend = false;
    s->width = 0.6;
    return s;
}

static void build_metrics(chart_builder *b, const metric_bar *bars, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        known += isfinite(summary_real(b->summary, bars[i].metric)) ? 1 : 0;
    if (!known) {
        const char *why = b->summary->why[bars[0].metric];
        chart_is_empty(b, why ? why : "none of its metrics is known");
        return;
    }
    chart_categories(b, &b->out->x, known);
    for (size_t i = 0, at = 0; i < count; i++) {
        double value = summary_real(b->summary, bars[i].metric) * bars[i].scale;
        if (!isfinite(value))
            continue;
        chart_series *s = bars_of_unit(b, bars[i].unit, at, known);
        chart_category(b, &b->out->x, at, chart_text(b, value < 100 ? "%s: %.3g" : "%s: %.0f", bars[i].name, value));
        chart_add(s, (double)at++, value);
        chart_panel *panel = &b->out->panels[s->panel];
        panel->to = (double)at - 0.5;
        if (strcmp(bars[i].unit, "%") == 0)
            panel->y.high = fmax(100, isnan(panel->y.high) ? value : fmax(value, panel->y.high));
    }
}

void build_efficiency(chart_builder *b)
{
    static const metric_bar bars[] = {
        {M_run_core_efficiency, "Core Efficiency (%)", 100, "%"},
        {M_run_cpu_efficiency_fine, "CPU Efficiency (%)", 100, "%"},
        {M_run_speedup_factor, "Speedup Factor", 1, "ratio"},
    };
    build_metrics(b, bars, sizeof bars / sizeof bars[0]);
}

void build_resources(chart_builder *b)
{
    static const metric_bar bars[] = {
        {M_run_avg_workers, "Avg Workers", 1, "workers"},
        {M_run_total_cores, "Total Cores", 1, "cores"},
        {M_run_peak_memory_bytes, "Peak Memory (GiB)", 1.0 / 1073741824, "GiB"},
    };
    build_metrics(b, bars, sizeof bars / sizeof bars[0]);
}

/* ---- Bars that lie, one for each row
 * ------------------------------------------------------------------------------------ */

typedef struct ranked_row {
    size_t row;
    double value;
} ranked_row;

static int compare_rows(const void *left, const void *right)
{
    const ranked_row *a = left, *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Rows in order of a column, the greatest first; rows that do not have it are left out. */
static ranked_row *rank_rows(chart_builder *b, metric_id column, size_t *count)
{
    size_t rows = rows_of(b, column);
    ranked_row *ranked = chart_alloc(b, rows, sizeof *ranked);
    *count = 0;
    for (size_t row = 0; ranked && row < rows; row++) {
        double value = cell(b, column, row);
        if (isfinite(value))
            ranked[(*count)++] = (ranked_row){row, value};
    }
    if (*count)
        qsort(ranked, *count, sizeof *ranked, compare_rows);
    return ranked;
}

void chart_make_horizontal(chart_builder *b, size_t bars)
{
    b->out->horizontal = true;
    b->out->height = 130 + 22 * (double)(bars < 3 ? 3 : bars);
}

/* A bar for each; of too many, those at both ends. */
static void add_ranked(chart_builder *b, metric_id value, metric_id name, double scale, int colour, const char *nothing)
{
    size_t count;
    ranked_row *ranked = rank_rows(b, value, &count);
    if (!count) {
        chart_is_empty(b, nothing);
        return;
    }
    size_t shown = count < MOST_BARS ? count : MOST_BARS, skipped = count - shown;
    chart_categories(b, &b->out->x, shown);
    chart_series *bars = chart_add_series(b, CHART_BARS, str_none(), colour, shown);
    for (size_t i = 0; i < shown && !b->failed; i++) {
        const ranked_row *row = &ranked[i < shown / 2 ? i : i + skipped];
        chart_category(b, &b->out->x, i, without_scheme(summary_cell_string(b->summary, name, row->row)));
        chart_add(bars, (double)i, row->value * scale);
    }
    if (skipped)
        chart_note_text(b, chart_text(b, "the %zu with most and the %zu with least of %zu; %zu between %.4g and %.4g",
                                      shown / 2, shown - shown / 2, count, skipped, ranked[shown / 2].value * scale,
                                      ranked[shown / 2 + skipped - 1].value * scale));
    chart_make_horizontal(b, shown);
}

/* ---- A dot for each row, and names of those that stand out
 * ----------------------------------------------------------- */

/* The folder that all names begin with, up to its slash: it says nothing about one of them. */
static size_t common_folder(const chart_builder *b, metric_id name, const ranked_row *ranked, size_t count)
{
    roast_str first = without_scheme(summary_cell_string(b->summary, name, ranked[0].row));
    size_t same = first.len;
    for (size_t i = 1; i < count; i++) {
        roast_str other = without_scheme(summary_cell_string(b->summary, name, ranked[i].row));
        size_t k = 0;
        while (k < same && k < other.len && other.ptr[k] == first.ptr[k])
            k++;
        same = k;
    }
    while (same && first.ptr[same - 1] != '/')
        same--;
    return same;
}

/* Rows are in order, the greatest first: of those at either end so many are outliers. */
typedef struct spread {
    double median;
    size_t above, below;
} spread;

/* Outliers are further from the middle half of all than one and a half times its width, as in box plots. */
static spread spread_of(chart_builder *b, const ranked_row *ranked, size_t count)
{
    spread s = {.median = (double)NAN};
    double *values = chart_alloc(b, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = ranked[i].value;
    if (!values)
        return s;
    double low = percentile(values, count, 25), high = percentile(values, count, 75), reach = 1.5 * (high - low);
    s.median = percentile(values, count, 50);
    for (size_t i = 0; i < count && count >= FEWEST_FOR_OUTLIERS; i++) {
        s.above += ranked[i].value > high + reach;
        s.below += ranked[i].value < low - reach;
    }
    return s;
}

/* Of many rows only those furthest out have a line of their own, outliers and a few; the others share one between them.
 */
typedef struct dot_rows {
    size_t above, below, shared; /* lines above and below the shared one; shared: how many rows are in it, or 0 */
    size_t count;                /* lines */
} dot_rows;

static size_t named_of(size_t outliers)
{
    return outliers < FEWEST_NAMED ? FEWEST_NAMED : outliers < MOST_NAMED ? outliers : MOST_NAMED;
}

static dot_rows rows_of_dots(const spread *s, size_t count)
{
    dot_rows rows = {.above = count, .count = count};
    if (count <= MOST_BARS)
        return rows;
    rows.above = named_of(s->above);
    rows.below = named_of(s->below);
    rows.shared = count - rows.above - rows.below;
    rows.count = rows.above + 1 + rows.below;
    return rows;
}

static size_t row_of_dot(const dot_rows *rows, size_t i)
{
    if (i < rows->above)
        return i;
    return i < rows->above + rows->shared ? rows->above : i - rows->shared + 1;
}

static void build_dots(chart_builder *b, metric_id value, metric_id name, const char *things, const char *nothing)
{
    size_t count;
    ranked_row *ranked = rank_rows(b, value, &count);
    if (count < 2) {
        chart_is_empty(b, count ? "there is nothing to compare a single one with" : nothing);
        return;
    }
    spread s = spread_of(b, ranked, count);
    dot_rows rows = rows_of_dots(&s, count);
    size_t folder = common_folder(b, name, ranked, count);
    chart_categories(b, &b->out->x, rows.count);
    chart_series *dots = chart_add_series(b, CHART_POINTS, str_from(things), 0, count);
    chart_series *outliers = chart_add_series(b, CHART_POINTS, STR("outliers"), 1, count);
    for (size_t i = 0; i < count && !b->failed; i++) {
        size_t row = row_of_dot(&rows, i);
        bool out = i < s.above || i >= count - s.below;
        roast_str full = without_scheme(summary_cell_string(b->summary, name, ranked[i].row));
        if (!rows.shared || row != rows.above)
            chart_category(b, &b->out->x, row, (roast_str){full.ptr + folder, full.len - folder});
        chart_add(out ? outliers : dots, (double)row, ranked[i].value * 1000);
    }
    if (rows.shared)
        chart_category(b, &b->out->x, rows.above, chart_text(b, "the other %zu", rows.shared));
    roast_str median = chart_value(b, s.median, "kHz", FORM_UNIT);
    chart_note_at(b, NOTE_AT_Y, s.median * 1000, chart_text(b, "median %.*s", (int)median.len, median.ptr));
    if (folder)
        chart_note_text(b, chart_text(b, "in %.*s", (int)folder,
                                      without_scheme(summary_cell_string(b->summary, name, ranked[0].row)).ptr));
    dots->legend = outliers->legend = s.above + s.below > 0;
    if (dots->legend)
        chart_note_text(b, STR("outliers are further from the middle half than 1.5 times its width"));
    b->out->panels[0].y.low = 0;
    chart_make_horizontal(b, rows.count);
}

void build_worker_rates(chart_builder *b)
{
    build_dots(b, M_worker_rate_khz, M_worker_worker, "workers", "no chunk record says on which worker it ran");
}

void build_file_rates(chart_builder *b)
{
    build_dots(b, M_file_rate_khz, M_file_file, "files", "no chunk record names its file");
}

void build_section_shares(chart_builder *b)
{
    add_ranked(b, M_section_share_of_process_percent, M_section_section, 1, 2, "no section was measured");
}

/* ---- Where the time of a dataset went
 * -------------------------------------------------------------------------------------- */

static double all_phases(const phase_sums *sums)
{
    double seconds = 0;
    for (roast_phase phase = ROAST_PHASE_OPEN; phase < ROAST_PHASE_COUNT; phase++)
        seconds += sums->seconds[phase];
    return seconds;
}

static size_t rank_datasets(chart_builder *b, ranked_row *ranked)
{
    size_t count = 0;
    for (size_t i = 0; i <= run_datasets(b->run); i++)
        if (all_phases(&b->series->phases[i]) > 0)
            ranked[count++] = (ranked_row){i, all_phases(&b->series->phases[i])};
    qsort(ranked, count, sizeof *ranked, compare_rows);
    return count;
}

void build_dataset_phases(chart_builder *b)
{
    ranked_row *ranked = chart_alloc(b, run_datasets(b->run) + 1, sizeof *ranked);
    size_t count = ranked ? rank_datasets(b, ranked) : 0;
    if (chart_has_no_chunks(b))
        return;
    if (!count) {
        chart_is_empty(b, "no chunk record says how long it took");
        return;
    }
    size_t shown = count < MOST_BARS ? count : MOST_BARS;
    chart_categories(b, &b->out->x, shown);
    double *tops = chart_alloc(b, shown, sizeof *tops);
    for (size_t i = 0; i < shown && !b->failed; i++)
        chart_category(b, &b->out->x, i, dataset_name(b, (uint32_t)ranked[i].row));
    for (roast_phase phase = ROAST_PHASE_OPEN; phase < ROAST_PHASE_COUNT && !b->failed; phase++) {
        chart_series *bars =
            chart_add_series(b, CHART_BARS, str_from(PHASES[phase].title), PHASES[phase].colour, shown);
        for (size_t i = 0; i < shown; i++) {
            double seconds = b->series->phases[ranked[i].row].seconds[phase];
            if (seconds > 0)
                chart_add_range(bars, (double)i, tops[i], tops[i] + seconds);
            tops[i] += seconds;
        }
    }
    if (count > shown)
        chart_note_text(b, chart_text(b, "the %zu datasets that took longest, of %zu", shown, count));
    chart_make_horizontal(b, shown);
}
