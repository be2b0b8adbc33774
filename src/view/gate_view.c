/* The gate's answer. It never says "no change": it says what is ruled out, or that these runs cannot tell. */
#include "view/gate_view.h"

#include <math.h>

#include "base/str.h"
#include "view/comparison.h"
#include "view/format.h"
#include "view/table_writer.h"

static const struct {
    const char *id, *text;
    table_tone tone;
} VERDICTS[] = {
    [ROAST_NOT_WORSE] = {"fine", "no regression", TONE_GOOD},
    [ROAST_WORSE] = {"regression", "regression", TONE_BAD},
    [ROAST_UNDECIDED] = {"undecided", "cannot tell", TONE_WARN},
};

static bool is_worse_upwards(const gated_metric *m)
{
    return m->judged->better == LESS_IS_BETTER;
}

/* ---- Words ---------------------------------------------------------------------------------------------------------
 */

static void put_runs_needed(buf *out, const gated_metric *m)
{
    if (m->runs_needed >= 1000)
        buf_text(out, "; it would take very many runs");
    else if (m->runs_needed && !isfinite(m->worst))
        buf_format(out, "; it takes at least %zu on either side", m->runs_needed);
    else if (m->runs_needed)
        buf_format(out, "; about %zu %s on either side would tell", m->runs_needed,
                   m->runs_needed == 1 ? "run" : "runs");
}

/* What the verdict rests on. */
static void put_reason(buf *out, const roast_gate *gate, const gated_metric *m)
{
    switch (m->verdict) {
    case ROAST_WORSE:
        buf_format(out, "p %.2g", m->p);
        if (gate->n_metrics > 1)
            buf_format(out, ", p (Holm) %.2g", m->p_holm);
        break;
    case ROAST_NOT_WORSE:
        buf_text(out, "at most ");
        format_change(out, is_worse_upwards(m) ? m->worst : -m->worst);
        break;
    case ROAST_UNDECIDED:
        buf_text(out, m->why);
        put_runs_needed(out, m);
        break;
    }
}

void roast_gate_line(buf *out, const roast_gate *gate)
{
    buf_text(out, VERDICTS[gate->verdict].text);
    for (size_t i = 0, named = 0; i < gate->n_metrics; i++) {
        const gated_metric *m = &gate->metrics[i];
        if (m->verdict != gate->verdict)
            continue;
        buf_text(out, named++ ? "; " : ": ");
        buf_format(out, "%s ", m->judged->what);
        format_change(out, m->log_ratio.estimate);
        if (m->log_ratio.level > 0.5 && !ratio_untold(&m->log_ratio)) {
            buf_char(out, ' ');
            format_change_interval(out, &m->log_ratio, 1 - 2 * gate->options.alpha);
        }
        buf_text(out, " (");
        put_reason(out, gate, m);
        buf_char(out, ')');
    }
    buf_text(out, ", ");
    format_things(out, (int64_t)gate->sides[SIDE_B].runs, "run", "runs");
    buf_format(out, " against %zu", gate->sides[SIDE_A].runs);
}

/* ---- The table ------------------------------------------------------------------------------------------------------
 */

static void write_headings(table_writer *w, const roast_gate *gate)
{
    static const char *const names[SIDES] = {"baseline", "new"};
    buf_text(&w->text, VERDICTS[gate->verdict].text);
    writer_phrase(w, &w->set->headline, VERDICTS[gate->verdict].tone);
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        buf_format(&w->text, "%s: ", names[side]);
        buf_str(&w->text, gate->sides[side].label);
        if (gate->sides[side].runs > 1)
            buf_format(&w->text, " and %zu more", gate->sides[side].runs - 1);
        writer_phrase(w, &w->set->headline, TONE_PLAIN);
    }
    buf_text(&w->text, "noise ");
    format_percent(&w->text, gate->options.noise * 100);
    writer_phrase(w, &w->set->subline, TONE_QUIET);
    buf_format(&w->text, "alpha %g", gate->options.alpha);
    writer_phrase(w, &w->set->subline, TONE_QUIET);
    if (!gate->same_work) {
        buf_text(&w->text, "the runs did not all process the same number of events: ");
        for (compare_side side = SIDE_A; side < SIDES; side++) {
            format_value(&w->text, real_value(gate->events[side]), "count", FORM_UNIT);
            buf_text(&w->text, side == SIDE_A ? " and " : " in the middle");
        }
        writer_phrase(w, &w->set->subline, TONE_WARN);
    }
    if (!gate->in_turns)
        buf_text(&w->text, "baseline and new runs do not alternate in time: a slow hour looks like a change");
    writer_phrase(w, &w->set->subline, TONE_WARN);
}

/* "runs differ by 0.4 %, in wall time by 7.9 %" */
static void put_steadier(buf *out, const roast_gate *gate)
{
    const steadier_metric *steadier = &gate->steadier;
    if (!steadier->judged)
        return;
    buf_format(out, "%s is steadier: runs differ by ", steadier->judged->what);
    format_percent(out, 100 * steadier->scatter);
    buf_format(out, ", in %s by ", gate->metrics[0].judged->what);
    format_percent(out, 100 * steadier->scatter_of_judged);
    buf_format(out, "; --metric %s", metric_info(steadier->judged->metric)->name);
}

static void write_metric(table_writer *w, const roast_gate *gate, const gated_metric *m)
{
    writer_text(w, str_from(m->judged->what), TONE_PLAIN);
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        roast_value value = real_value(m->sides[side].estimate);
        format_value(&w->text, value, metric_info(m->judged->metric)->unit, FORM_UNIT);
        writer_cell(w, TONE_PLAIN, value);
    }
    format_change(&w->text, m->log_ratio.estimate);
    writer_cell(w, VERDICTS[m->verdict].tone, real_value(m->log_ratio.estimate));
    format_change_interval(&w->text, &m->log_ratio, 1 - 2 * gate->options.alpha);
    writer_cell(w, TONE_PLAIN, NOTHING);
    writer_text(w, str_from(VERDICTS[m->verdict].text), VERDICTS[m->verdict].tone);
    put_reason(&w->text, gate, m);
    writer_cell(w, TONE_QUIET, NOTHING);
}

roast_code gate_tables(table_set *out, const roast_gate *gate, roast_error *err)
{
    static const table_column columns[] = {
        {"metric", .shortens = true},
        {"baseline", .align = TABLE_RIGHT, .priority = 2},
        {"new", .align = TABLE_RIGHT, .priority = 2},
        {"change", .align = TABLE_RIGHT},
        {"interval"},
        {"verdict"},
        {"", .most_lines = 4, .priority = 1},
    };
    table_writer w;
    writer_init(&w, out, 1);
    write_headings(&w, gate);
    writer_begin(&w, "gate", "Gate", columns, 7, gate->n_metrics);
    for (size_t i = 0; i < gate->n_metrics; i++)
        write_metric(&w, gate, &gate->metrics[i]);
    put_steadier(&w.text, gate);
    writer_more(&w);
    return writer_finish(&w, err);
}

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------------- */

static void json_metric(json_writer *w, const gated_metric *m)
{
    interval ratio = {exp(m->log_ratio.estimate), exp(m->log_ratio.low), exp(m->log_ratio.high), m->log_ratio.level};
    json_put_open(w, NULL, '{');
    json_put_text(w, "metric", str_from(metric_info(m->judged->metric)->name));
    json_put_text(w, "unit", str_from(metric_info(m->judged->metric)->unit));
    json_put_text(w, "better", is_worse_upwards(m) ? STR("less") : STR("more"));
    json_put_interval(w, "baseline", &m->sides[SIDE_A]);
    json_put_interval(w, "new", &m->sides[SIDE_B]);
    json_put_interval(w, "ratio", &ratio);
    json_put_real(w, "worst_ratio", exp(is_worse_upwards(m) ? m->worst : -m->worst));
    json_put_real(w, "p", m->p);
    json_put_real(w, "p_holm", m->p_holm);
    json_put_text(w, "verdict", str_from(VERDICTS[m->verdict].id));
    json_put_text(w, "why", str_from(m->why));
    json_put_int(w, "runs_needed", m->runs_needed ? (int64_t)m->runs_needed : ROAST_ABSENT);
    json_put_close(w, '}');
}

void gate_json(buf *out, const roast_gate *gate)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_text(&w, "verdict", str_from(VERDICTS[gate->verdict].id));
    json_put_real(&w, "noise", gate->options.noise);
    json_put_real(&w, "alpha", gate->options.alpha);
    json_put_int(&w, "baseline_runs", (int64_t)gate->sides[SIDE_A].runs);
    json_put_int(&w, "new_runs", (int64_t)gate->sides[SIDE_B].runs);
    json_put_text(&w, "same_work", gate->same_work ? STR("yes") : STR("no"));
    json_put_text(&w, "alternate", gate->in_turns ? STR("yes") : STR("no"));
    json_put_open(&w, "steadier", '{');
    if (gate->steadier.judged) {
        json_put_text(&w, "metric", str_from(metric_info(gate->steadier.judged->metric)->name));
        json_put_real(&w, "scatter", gate->steadier.scatter);
        json_put_real(&w, "scatter_of_judged", gate->steadier.scatter_of_judged);
    }
    json_put_close(&w, '}');
    json_put_open(&w, "metrics", '[');
    for (size_t i = 0; i < gate->n_metrics; i++)
        json_metric(&w, &gate->metrics[i]);
    json_put_close(&w, ']');
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
