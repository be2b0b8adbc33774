/* Charts over several runs. They are built like those of one run, from a comparison or a scaling instead. */
#include "view/chart_runs.h"

#include <math.h>

#include "base/str.h"
#include "view/chart_build.h"
#include "view/format.h"

/* ---- Where the difference came from ------------------------------------------------------------------------------ */

enum { MOST_PARTS = 20, SLOWER = CHART_BAD, FASTER = 2 };

static double difference(const compared_part *part)
{
    return part->seconds[SIDE_B] - part->seconds[SIDE_A];
}

/* "+1 h 4 min core time, total, 18.4 % of A" */
static void note_total(chart_builder *b, const compared_breakdown *breakdown)
{
    double more = breakdown->total[SIDE_B] - breakdown->total[SIDE_A];
    buf text = {0};
    buf_text(&text, more < 0 ? "−" : "+");
    format_value(&text, (roast_value){.kind = ROAST_REAL, .as.real = fabs(more)}, "s", FORM_UNIT);
    buf_text(&text, " core time, total");
    if (breakdown->total[SIDE_A] > 0)
        buf_format(&text, ", %.1f %% of A", 100 * fabs(more) / breakdown->total[SIDE_A]);
    b->failed = b->failed || text.code;
    chart_note_text(b, chart_copy(b, buf_view(&text)));
    buf_release(&text);
}

/* Parts come with the largest difference first; those that do not fit are one bar. */
static void build_difference(chart_builder *b)
{
    const compared_breakdown *breakdown = b->subject;
    size_t named = breakdown->count <= MOST_PARTS ? breakdown->count : MOST_PARTS - 1;
    size_t bars = named + (named < breakdown->count);
    double rest = 0;
    chart_categories(b, &b->out->x, bars);
    chart_series *slower = chart_add_series(b, CHART_BARS, STR("B takes longer"), SLOWER, bars);
    chart_series *faster = chart_add_series(b, CHART_BARS, STR("B takes less"), FASTER, bars);
    for (size_t i = 0; i < breakdown->count && !b->failed; i++) {
        double seconds = difference(&breakdown->parts[i]);
        if (i >= named) {
            rest += seconds;
            continue;
        }
        chart_category(b, &b->out->x, i, without_scheme(breakdown->parts[i].name));
        chart_add(seconds > 0 ? slower : faster, (double)i, seconds);
    }
    if (named < bars) {
        chart_category(b, &b->out->x, named, chart_text(b, "%zu others", breakdown->count - named));
        chart_add(rest > 0 ? slower : faster, (double)named, rest);
    }
    note_total(b, breakdown);
    chart_make_horizontal(b, bars);
}

roast_code comparison_charts(chart_set *out, const comparison *c, roast_error *err)
{
    chart_spec specs[COMPARED_BREAKDOWNS];
    const void *subjects[COMPARED_BREAKDOWNS];
    for (size_t i = 0; i < c->n_breakdowns; i++) {
        subjects[i] = &c->breakdowns[i];
        specs[i] = (chart_spec){
            .id = c->breakdowns[i].id,
            .title = c->breakdowns[i].title,
            .x_label = "Part",
            .y_label = "B − A, core time (s)",
            .y_unit = "s",
            .build = build_difference,
            .description = "Bars to the right are parts on which B spent more core time than A, bars to the left those "
                           "on which it spent less; together they are the difference.",
        };
    }
    return charts_build_of(out, specs, subjects, c->n_breakdowns, err);
}

/* ---- Throughput against cores ------------------------------------------------------------------------------------ */

enum { LAW_POINTS = 100, IDEAL = CHART_NEUTRAL, AMDAHL = 1, USL = 3 };

static void add_law(chart_builder *b, const scaling_law *law, const char *name, int colour, double fewest, double most)
{
    if (!isfinite(law->rate.estimate))
        return;
    chart_series *line = chart_add_series(b, CHART_LINE, str_from(name), colour, LAW_POINTS);
    for (int i = 0; i < LAW_POINTS; i++) {
        double cores = fewest * pow(most / fewest, (double)i / (LAW_POINTS - 1));
        chart_add(line, cores, scaling_rate(law, cores) / 1000);
    }
}

static void build_scaling(chart_builder *b)
{
    const scaling *s = b->subject;
    double fewest = s->points[0].cores, most = 1.25 * s->points[s->count - 1].cores;
    double per_core = s->points[0].rate / fewest / 1000;
    chart_series *ideal = chart_add_series(b, CHART_LINE, STR("ideal"), IDEAL, 2);
    ideal->quiet = true;
    chart_add(ideal, fewest, per_core * fewest);
    chart_add(ideal, most, per_core * most);
    if (s->no_law) {
        chart_note_text(b, chart_text(b, "no law: %s", s->no_law));
    } else {
        add_law(b, &s->amdahl, "Amdahl", AMDAHL, fewest, most);
        add_law(b, &s->usl, "Universal Scalability Law", USL, fewest, most);
    }
    if (isfinite(s->knee.cores) && s->knee.cores < most)
        chart_note_at(b, NOTE_AT_X, s->knee.cores, STR("knee"));
    chart_series *points = chart_add_series(b, CHART_POINTS, STR("runs"), 0, s->count);
    for (size_t i = 0; i < s->count; i++)
        chart_add_weighted(points, s->points[i].cores, s->points[i].rate / 1000, 1);
    b->out->panels[0].y.scale = CHART_LOG;
}

roast_code scaling_charts(chart_set *out, const scaling *s, roast_error *err)
{
    static const chart_spec spec = {
        .id = "scaling",
        .title = "Throughput against cores",
        .x_label = "Cores",
        .x_scale = CHART_LOG,
        .y_label = "Event rate (kHz)",
        .y_unit = "kHz",
        .build = build_scaling,
        .description =
            "Each point is a run, on scales of powers of ten. The straight line is what the run with the fewest cores "
            "would give if each further core brought as much; curves are the laws that were fitted.",
    };
    const void *subject = s;
    return charts_build_of(out, &spec, &subject, 1, err);
}
