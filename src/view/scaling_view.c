/* How runs scale: a row per run against the ideal, the laws that were fitted, and what to choose. */
#include "view/scaling_view.h"

#include <math.h>

#include "base/str.h"
#include "view/comparison.h"
#include "view/format.h"
#include "view/table_writer.h"

/* ---- Tables ------------------------------------------------------------------------------------------------------ */

static void write_headings(table_writer *w, const scaling *s)
{
    double most = s->points[s->count - 1].cores;
    format_things(&w->text, (int64_t)s->count, "run, ", "runs, ");
    format_value(&w->text, real_value(s->points[0].cores), "count", FORM_UNIT);
    if (s->different > 1) {
        buf_text(&w->text, " to ");
        format_value(&w->text, real_value(most), "count", FORM_UNIT);
    }
    buf_text(&w->text, most == 1 ? " core" : " cores");
    writer_phrase(w, &w->set->headline, TONE_STRONG);
    if (!s->same_work)
        buf_text(&w->text,
                 "the runs did not all process the same number of events: rates are compared, start-up counts more in "
                 "short runs");
    writer_phrase(w, &w->set->subline, TONE_WARN);
    if (s->no_law) {
        buf_text(&w->text, s->no_law);
        if (s->count < FEWEST_POINTS || s->different < FEWEST_DIFFERENT)
            buf_format(&w->text, "; there are %zu", s->count < FEWEST_POINTS ? s->count : s->different);
    }
    writer_phrase(w, &w->set->subline, TONE_QUIET);
}

static void write_points(table_writer *w, const scaling *s)
{
    static const table_column columns[] = {
        {"run", .shortens = true},
        {"workers", .align = TABLE_RIGHT, .priority = 3},
        {"cores", .align = TABLE_RIGHT},
        {"wall time", .align = TABLE_RIGHT, .priority = 2},
        {"event rate", .align = TABLE_RIGHT},
        {"ideal", .align = TABLE_RIGHT, .priority = 4},
        {"law", .align = TABLE_RIGHT, .priority = 5},
        {"speed-up", .align = TABLE_RIGHT, .priority = 1},
        {"efficiency", .align = TABLE_RIGHT, .bar = true},
    };
    writer_begin(w, "points", "Throughput against cores", columns, 9, s->count);
    double ideal_per_core = s->points[0].rate / s->points[0].cores;
    for (size_t i = 0; i < s->count; i++) {
        const scaling_point *point = &s->points[i];
        writer_text(w, point->label, TONE_PLAIN);
        writer_number(w, point->workers, "count", FORM_UNIT);
        writer_number(w, point->cores, "count", FORM_UNIT);
        writer_number(w, point->seconds, "s", FORM_UNIT);
        writer_number(w, point->rate / 1000, "kHz", FORM_UNIT);
        writer_number(w, ideal_per_core * point->cores / 1000, "kHz", FORM_UNIT);
        writer_number(w, s->no_law ? (double)NAN : scaling_rate(&s->usl, point->cores) / 1000, "kHz", FORM_UNIT);
        writer_number(w, point->speedup, "ratio", FORM_TIMES);
        writer_number(w, point->efficiency, "ratio", FORM_PERCENT);
        writer_share(w, fmin(1, point->efficiency));
    }
    buf_text(&w->text, "ideal, speed-up and efficiency: against the run with the fewest cores");
    writer_more(w);
}

/* What the runs do not determine is not claimed: a limit of what is at least 0, else how far it may be from where to
 * where. */
static void write_interval(table_writer *w, const interval *i, const char *unit, double scale, format_form form)
{
    const double ends[] = {i->low, i->high};
    bool limit =
        isfinite(i->estimate) && !interval_tells(i) && (form == FORM_PERCENT || form == FORM_FINE) && isfinite(i->high);
    if (limit) {
        buf_text(&w->text, "at most ");
        format_value(&w->text, real_value(i->high * scale), unit, form);
        writer_cell(w, TONE_PLAIN, NOTHING);
        return;
    }
    if (!isfinite(i->estimate))
        buf_text(&w->text, isnan(i->estimate) ? "n/a" : "none");
    else if (!interval_tells(i) && !isnan(i->low))
        buf_text(&w->text, "not determined");
    else
        format_value(&w->text, real_value(i->estimate * scale), unit, form);
    if (!isnan(i->low)) {
        buf_text(&w->text, " [");
        for (size_t e = 0; e < 2; e++) {
            if (isfinite(ends[e]))
                format_value(&w->text, real_value(ends[e] * scale), unit, form);
            else
                buf_text(&w->text, "∞");
            buf_text(&w->text, e == 0 ? ", " : "]");
        }
    }
    writer_cell(w, TONE_PLAIN, real_value(i->estimate));
}

/* The law has a peak, and the runs do not show it. */
static bool peak_is_guessed(const scaling_law *law)
{
    return isfinite(law->peak.estimate) && !law->peak_seen;
}

static void write_law(table_writer *w, const char *name, const scaling_law *law)
{
    writer_text(w, str_from(name), TONE_PLAIN);
    write_interval(w, &law->rate, "kHz", 1e-3, FORM_UNIT);
    write_interval(w, &law->contention, "ratio", 1, FORM_PERCENT);
    if (law->kind == LAW_USL)
        write_interval(w, &law->coherence, "ratio", 1, FORM_FINE);
    else
        writer_text(w, STR("0"), TONE_QUIET);
    write_interval(w, &law->knee, "count", 1, FORM_UNIT);
    if (peak_is_guessed(law)) {
        writer_text(w, STR("not seen"), TONE_QUIET);
        writer_text(w, STR("not seen"), TONE_QUIET);
    } else {
        write_interval(w, &law->peak, "count", 1, FORM_UNIT);
        write_interval(w, &law->highest_rate, "kHz", 1e-3, FORM_UNIT);
    }
    writer_number(w, law->scatter, "ratio", FORM_PERCENT);
}

static void write_laws(table_writer *w, const scaling *s)
{
    static const table_column columns[] = {
        {"law"},
        {"one core", .priority = 2},
        {"contention"},
        {"coherence", .priority = 1},
        {"knee (cores)"},
        {"peak (cores)", .priority = 4},
        {"highest rate", .priority = 3},
        {"scatter", .align = TABLE_RIGHT, .priority = 5},
    };
    if (s->no_law)
        return;
    writer_begin(w, "laws", "Scaling laws, with 95 % intervals", columns, 8, 2);
    write_law(w, "Amdahl", &s->amdahl);
    write_law(w, "Universal Scalability", &s->usl);
}

static void write_choice(table_writer *w, const scaling *s, const char *name, const scaling_choice *choice)
{
    if (isnan(choice->cores))
        return;
    writer_text(w, str_from(name), TONE_PLAIN);
    writer_number(w, choice->workers, "count", FORM_UNIT);
    writer_number(w, round(choice->cores), "count", FORM_UNIT);
    writer_number(w, choice->seconds, "s", FORM_UNIT);
    if (isnan(choice->cost))
        buf_text(&w->text, "n/a");
    else
        buf_format(&w->text, "%.2f", choice->cost);
    writer_cell(w, isnan(choice->cost) ? TONE_QUIET : TONE_PLAIN, real_value(choice->cost));
    double measured = s->points[s->count - 1].cores;
    if (choice->cores > measured * 1.05)
        buf_text(&w->text, "beyond what was measured");
    writer_cell(w, TONE_WARN, NOTHING);
}

static void write_choices(table_writer *w, const scaling *s)
{
    static const table_column columns[] = {
        {"choice", .most_lines = 3},
        {"workers", .align = TABLE_RIGHT},
        {"cores", .align = TABLE_RIGHT},
        {"wall time", .align = TABLE_RIGHT},
        {"cost", .align = TABLE_RIGHT, .priority = 1},
        {"", .most_lines = 3},
    };
    if (s->no_law || (isnan(s->knee.cores) && isnan(s->best.cores)))
        return;
    writer_begin(w, "choices", "What to choose", columns, 6, 2);
    write_choice(w, s, "knee: beyond, 1 % more cores give less than 0.5 % more speed", &s->knee);
    write_choice(w, s, "cheapest, waiting included", &s->best);
}

static void write_bounds(table_writer *w, const scaling *s)
{
    static const table_column columns[] = {
        {"cores", .align = TABLE_RIGHT},
        {"", .align = TABLE_RIGHT, .priority = 1},
        {"wall time, at best", .align = TABLE_RIGHT},
        {"event rate", .align = TABLE_RIGHT},
    };
    if (!s->n_bounds)
        return;
    writer_begin(w, "bounds", "With other numbers of cores, by replay", columns, 4, s->n_bounds);
    for (size_t i = 0; i < s->n_bounds; i++) {
        const scaling_bound *bound = &s->bounds[i];
        writer_number(w, bound->cores, "count", FORM_UNIT);
        writer_number(w, bound->times, "ratio", FORM_TIMES);
        writer_number(w, bound->seconds, "s", FORM_UNIT);
        writer_number(w, s->replayed->events / bound->seconds / 1000, "kHz", FORM_UNIT);
    }
    buf_text(&w->text, "the chunks of ");
    buf_str(&w->text, s->replayed->label);
    buf_text(&w->text, " once more, each as long as it was; replaying what happened is off by ");
    format_percent(&w->text, s->replay_error_percent);
    writer_more(w);
}

roast_code scaling_tables(table_set *out, const scaling *s, roast_error *err)
{
    table_writer w;
    writer_init(&w, out, 4);
    write_headings(&w, s);
    write_points(&w, s);
    write_laws(&w, s);
    write_choices(&w, s);
    write_bounds(&w, s);
    return writer_finish(&w, err);
}

/* ---- JSON -----------------------------------------------------------------------------------------------------------
 */

static void json_point(json_writer *w, const scaling_point *point)
{
    json_put_open(w, NULL, '{');
    json_put_text(w, "run", point->label);
    json_put_real(w, "workers", point->workers);
    json_put_real(w, "cores", point->cores);
    json_put_real(w, "elapsed_time_seconds", point->seconds);
    json_put_real(w, "events", point->events);
    json_put_real(w, "events_per_second", point->rate);
    json_put_real(w, "speedup", point->speedup);
    json_put_real(w, "efficiency", point->efficiency);
    json_put_close(w, '}');
}

/* Without an estimate where the interval is wider than it. */
static void json_put_if_told(json_writer *w, const char *key, const interval *i)
{
    interval told = *i;
    told.estimate = interval_tells(i) ? i->estimate : (double)NAN;
    json_put_interval(w, key, &told);
}

static void json_law(json_writer *w, const char *key, const scaling_law *law)
{
    json_put_open(w, key, '{');
    static const interval unseen = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    json_put_interval(w, "events_per_second_and_core", &law->rate);
    json_put_interval(w, "contention", &law->contention); /* the curve is drawn with them, whether they tell or not */
    json_put_interval(w, "coherence", &law->coherence);
    json_put_text(w, "contention_determined", interval_tells(&law->contention) ? STR("yes") : STR("no"));
    json_put_text(w, "coherence_determined", interval_tells(&law->coherence) ? STR("yes") : STR("no"));
    json_put_if_told(w, "knee_cores", &law->knee);
    json_put_if_told(w, "peak_cores", peak_is_guessed(law) ? &unseen : &law->peak);
    json_put_if_told(w, "highest_events_per_second", peak_is_guessed(law) ? &unseen : &law->highest_rate);
    json_put_real(w, "scatter", law->scatter);
    json_put_close(w, '}');
}

static void json_choice(json_writer *w, const char *key, const scaling_choice *choice)
{
    json_put_open(w, key, '{');
    json_put_real(w, "cores", choice->cores);
    json_put_real(w, "workers", choice->workers);
    json_put_real(w, "elapsed_time_seconds", choice->seconds);
    json_put_real(w, "cost", choice->cost);
    json_put_close(w, '}');
}

void scaling_json(buf *out, const scaling *s)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_open(&w, "points", '[');
    for (size_t i = 0; i < s->count; i++)
        json_point(&w, &s->points[i]);
    json_put_close(&w, ']');
    json_put_text(&w, "why_no_law", str_from(s->no_law));
    json_put_open(&w, "bounds", '[');
    for (size_t i = 0; i < s->n_bounds; i++) {
        json_put_open(&w, NULL, '{');
        json_put_real(&w, "times", s->bounds[i].times);
        json_put_real(&w, "cores", s->bounds[i].cores);
        json_put_real(&w, "elapsed_time_seconds_at_best", s->bounds[i].seconds);
        json_put_close(&w, '}');
    }
    json_put_close(&w, ']');
    json_put_real(&w, "replay_error_percent", s->no_law ? s->replay_error_percent : (double)NAN);
    if (!s->no_law) {
        json_law(&w, "amdahl", &s->amdahl);
        json_law(&w, "usl", &s->usl);
        json_choice(&w, "knee", &s->knee);
        json_choice(&w, "cheapest", &s->best);
    }
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
