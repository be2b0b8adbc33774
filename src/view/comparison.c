/* A comparison as tables: what differs in the setup, what changed and how sure that is, and where it came from. */
#include "view/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "view/fact_words.h"
#include "view/format.h"
#include "view/table_writer.h"
#include "view/verdict.h"

/* ---- Changes as text --------------------------------------------------------------------------------------------- */

static const double TIMES_FROM = 2; /* a factor beyond which "+ 210 %" reads worse than "3.1 ×" */

static double percent_of(double log_ratio)
{
    return expm1(log_ratio) * 100;
}

/* A percentage without its sign of unit; two digits where they matter. */
static void put_signed_percent(buf *out, double percent)
{
    double size = fabs(percent);
    bool nothing = size < 0.05;
    buf_text(out, nothing ? "±" : percent < 0 ? "−" : "+");
    buf_format(out, nothing || size < 99.95 ? "%.1f" : "%.0f", nothing ? 0 : size);
}

void format_change(buf *out, double log_ratio)
{
    if (!isfinite(log_ratio)) {
        buf_text(out, "n/a");
    } else if (log_ratio > log(1 + TIMES_FROM)) {
        format_value(out, real_value(exp(log_ratio)), "ratio", FORM_TIMES);
    } else {
        put_signed_percent(out, percent_of(log_ratio));
        buf_text(out, " %");
    }
}

void format_change_interval(buf *out, const interval *log_ratio, double asked)
{
    if (isnan(log_ratio->low) || isnan(log_ratio->high) || log_ratio->level < 0.5)
        return; /* one run on either side has none */
    if (ratio_untold(log_ratio)) {
        buf_text(out, "cannot be told");
        return;
    }
    bool times = log_ratio->high > log(1 + TIMES_FROM);
    buf_char(out, '[');
    if (times)
        buf_format(out, "%.2f, %.2f", exp(log_ratio->low), exp(log_ratio->high));
    else {
        put_signed_percent(out, percent_of(log_ratio->low));
        buf_text(out, ", ");
        put_signed_percent(out, percent_of(log_ratio->high));
    }
    buf_text(out, times ? "] ×" : "]");
    if (log_ratio->level < asked - 1e-9)
        buf_format(out, " at %.0f %%", log_ratio->level * 100);
}

/* A share in whole percent: a tenth of it would claim too much. */
static void put_share(buf *out, double share)
{
    double percent = round(share * 100);
    buf_format(out, "%s%.0f %%", percent < 0 ? "−" : "", fabs(percent));
}

static void put_difference(buf *out, double seconds)
{
    if (seconds > 0)
        buf_char(out, '+');
    format_seconds(out, seconds);
}

/* ---- Headings ------------------------------------------------------------------------------------------------------
 */

static void write_side(table_writer *w, const comparison *c, compare_side side)
{
    const compared_side *described = &c->sides[side];
    buf_format(&w->text, "%c  ", side == SIDE_A ? 'A' : 'B');
    buf_str(&w->text, described->label);
    if (described->runs > 1)
        buf_format(&w->text, " and %zu more", described->runs - 1);
    if (isfinite(described->elapsed.estimate)) {
        buf_text(&w->text, "  ");
        format_seconds(&w->text, described->elapsed.estimate);
    }
    writer_phrase(w, &w->set->headline, TONE_STRONG);
    if (described->unfinished) {
        buf_format(&w->text, described->runs == 1 ? "%c did not finish" : "%c: %zu did not finish",
                   side == SIDE_A ? 'A' : 'B', described->unfinished);
        writer_phrase(w, &w->set->subline, TONE_BAD);
    }
}

/* Who did less is not faster. */
static void write_less_work(table_writer *w, const comparison *c)
{
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        if (!did_less_work(c->sides, side))
            continue;
        buf_format(&w->text, "%c processed fewer events: ", side == SIDE_A ? 'A' : 'B');
        format_count(&w->text, (int64_t)c->sides[side].least_events);
        buf_text(&w->text, " instead of ");
        format_count(&w->text, (int64_t)c->sides[side == SIDE_A ? SIDE_B : SIDE_A].least_events);
        writer_phrase(w, &w->set->alarm, TONE_BAD);
        if (c->sides[side].elapsed.estimate < c->sides[side == SIDE_A ? SIDE_B : SIDE_A].elapsed.estimate)
            buf_text(&w->text, "that it took less time does not make it faster");
        writer_phrase(w, &w->set->alarm, TONE_BAD);
    }
}

static void write_only(table_writer *w, const int64_t only[SIDES], const char *things)
{
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        if (!only[side])
            continue;
        buf_text(&w->text, w->text.len ? ", " : things);
        format_count(&w->text, only[side]);
        buf_text(&w->text, side == SIDE_A ? " only in A" : " only in B");
    }
}

static void write_common(table_writer *w, const comparison *c)
{
    table_heading *subline = &w->set->subline;
    if (c->files_only[SIDE_A] || c->files_only[SIDE_B])
        write_only(w, c->files_only, "files: ");
    else if (c->files_shared)
        buf_text(&w->text, "same files");
    writer_phrase(w, subline, TONE_PLAIN);
    if (c->paired && (c->chunks_only[SIDE_A] || c->chunks_only[SIDE_B]))
        write_only(w, c->chunks_only, "chunks: ");
    else if (c->paired && c->chunks_paired)
        buf_text(&w->text, "same chunks");
    writer_phrase(w, subline, TONE_PLAIN);
    if (c->n_settings == 0)
        buf_text(&w->text, "set up alike");
    writer_phrase(w, subline, TONE_PLAIN);
}

static void write_verdict(table_writer *w, const comparison *c)
{
    buf said = {0};
    verdict_text(&said, c);
    if (said.len) {
        writer_begin_pairs(w, "verdict", "Verdict", TABLE_LIST, 1);
        buf_str(&w->text, buf_view(&said));
        writer_pair(w, "", TONE_STRONG);
    }
    w->failed |= said.code != ROAST_OK;
    buf_release(&said);
}

/* ---- What differs in the setup --------------------------------------------------------------------------------------
 */

static void write_settings(table_writer *w, const comparison *c)
{
    static const table_column columns[] = {
        {"setting", .shortens = true},
        {"A", .most_lines = 3},
        {"B", .most_lines = 3},
    };
    if (!c->n_settings)
        return;
    writer_begin(w, "settings", "What differs in the setup", columns, 3, c->n_settings);
    for (size_t i = 0; i < c->n_settings; i++) {
        const compared_setting *setting = &c->settings[i];
        writer_text(w, fact_title(setting->what), TONE_PLAIN);
        for (compare_side side = SIDE_A; side < SIDES; side++)
            fact_write_value(w, setting->what, setting->values[side], setting->unit);
    }
}

/* ---- What changed
 * ---------------------------------------------------------------------------------------------------- */

static bool is_more_than_chance(const comparison *c, const compared_timing *timing)
{
    const interval *r = change_shown(timing);
    if (timing->basis == BASIS_RUNS)
        return timing->p_holm <= 1 - c->level + 1e-9;
    return isfinite(r->low) && (r->low > 0 || r->high < 0) && r->level >= c->level - 1e-9;
}

/* Of a change that is more than chance: whether it is better or worse. */
static table_tone tone_of(const comparison *c, const compared_timing *timing)
{
    const interval *r = change_shown(timing);
    bool b_better = (r->estimate < 0) == (timing->better == LESS_IS_BETTER);
    bool of_all_work =
        timing->better == LESS_IS_BETTER && (timing->basis == BASIS_RUNS || timing->basis == BASIS_SINGLE);
    if (of_all_work && did_less_work(c->sides, b_better ? SIDE_B : SIDE_A))
        return TONE_PLAIN;
    return b_better ? TONE_GOOD : TONE_BAD;
}

static bool differs(const comparison *c, const char *id)
{
    for (size_t i = 0; i < c->n_timings; i++)
        if (strcmp(c->timings[i].id, id) == 0)
            return is_more_than_chance(c, &c->timings[i]);
    return false;
}

static const double NOTABLY_OTHER = 0.01; /* of logarithms: a percent between the sums and the middle pair */

static void write_note(table_writer *w, const comparison *c, const compared_timing *timing)
{
    if (timing->why && !isfinite(change_shown(timing)->estimate)) {
        buf_text(&w->text, timing->why);
        return;
    }
    switch (timing->basis) {
    case BASIS_PAIRS:
        if (isfinite(timing->share) && differs(c, "chunk")) {
            put_share(&w->text, timing->share);
            buf_text(&w->text, " of the difference");
        } else {
            format_things(&w->text, (int64_t)timing->pairs, "pair, these two runs", "pairs, these two runs");
        }
        if (fabs(timing->log_ratio.estimate - change_shown(timing)->estimate) > NOTABLY_OTHER) {
            buf_text(&w->text, "; middle pair ");
            format_change(&w->text, timing->log_ratio.estimate);
        }
        break;
    case BASIS_SUMS:
        buf_text(&w->text, "all chunks, these two runs");
        break;
    case BASIS_SINGLE:
        buf_text(&w->text, "one run each");
        break;
    case BASIS_RUNS:
        break;
    }
}

/* "[10.9 s, 12.1 s]" */
static void put_range(buf *out, const interval *i, const char *unit)
{
    if (isnan(i->low) || !(i->level > 0))
        return;
    buf_char(out, '[');
    format_value(out, real_value(i->low), unit, FORM_UNIT);
    buf_text(out, ", ");
    format_value(out, real_value(i->high), unit, FORM_UNIT);
    buf_char(out, ']');
}

/* What only groups of runs have: p values, and how far the runs of a side are apart. */
static void write_evidence_of_runs(table_writer *w, const comparison *c, const compared_timing *timing)
{
    if (c->paired)
        return;
    const double p[] = {timing ? timing->p : (double)NAN, timing ? timing->p_holm : (double)NAN};
    for (size_t i = 0; i < 2; i++) {
        if (isfinite(p[i]))
            buf_format(&w->text, "%.2g", p[i]);
        writer_cell(w, TONE_PLAIN, real_value(p[i]));
    }
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        if (timing)
            put_range(&w->text, &timing->sides[side], timing->unit);
        writer_cell(w, TONE_PLAIN, NOTHING);
    }
}

static void write_timing(table_writer *w, const comparison *c, const compared_timing *timing)
{
    const interval *change = change_shown(timing);
    bool told = is_more_than_chance(c, timing), brackets = !told && isfinite(change->estimate);
    table_tone quiet = told ? TONE_PLAIN : TONE_QUIET;
    writer_text(w, str_from(timing->what), quiet);
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        buf_text(&w->text, side == SIDE_B ? " → " : "");
        format_value(&w->text, real_value(timing->sides[side].estimate), timing->unit, FORM_UNIT);
    }
    writer_cell(w, quiet, NOTHING);
    buf_text(&w->text, brackets ? "(" : "");
    format_change(&w->text, change->estimate);
    buf_text(&w->text, brackets ? ")" : "");
    writer_cell(w, told ? tone_of(c, timing) : TONE_QUIET, real_value(change->estimate));
    format_change_interval(&w->text, change, c->level);
    writer_cell(w, quiet, NOTHING);
    write_evidence_of_runs(w, c, timing);
    write_note(w, c, timing);
    writer_cell(w, TONE_QUIET, NOTHING);
}

static void put_count(buf *out, int64_t count, const char *unit)
{
    format_value(out, (roast_value){.kind = ROAST_INT, .as.integer = count}, unit, FORM_UNIT);
}

static void write_branches_only(table_writer *w, const comparison *c)
{
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        const compared_branches *only = &c->branches_only[side];
        if (!only->count)
            continue;
        buf_text(&w->text, w->text.len ? "; " : "");
        buf_text(&w->text, side == SIDE_A ? "only A: " : "only B: ");
        buf_str(&w->text, only->examples);
        if (only->count > 3)
            buf_format(&w->text, " and %lld more", (long long)only->count - 3);
        if (only->bytes != ROAST_ABSENT) {
            buf_text(&w->text, ", ");
            format_data(&w->text, (double)only->bytes);
            buf_text(&w->text, " in the files");
        }
    }
}

static bool is_range(const compared_count *count, compare_side side)
{
    return count->sides[side].most != count->sides[side].least;
}

/* "+172 MB", or how far the runs of a side are apart. */
static void write_count_note(table_writer *w, const comparison *c, const compared_count *count, bool ranges)
{
    for (compare_side side = SIDE_A; ranges && side < SIDES; side++) {
        buf_text(&w->text, side == SIDE_A ? "A " : ", B ");
        put_count(&w->text, count->sides[side].least, count->unit);
        if (!is_range(count, side))
            continue;
        buf_text(&w->text, " to ");
        put_count(&w->text, count->sides[side].most, count->unit);
    }
    int64_t difference = count->sides[SIDE_B].least - count->sides[SIDE_A].least;
    if (!ranges && difference) {
        buf_text(&w->text, difference > 0 ? "+" : "");
        put_count(&w->text, difference, count->unit);
    }
    if (strcmp(count->id, "branches") == 0)
        write_branches_only(w, c);
    writer_cell(w, TONE_QUIET, NOTHING);
}

static void write_count(table_writer *w, const comparison *c, const compared_count *count)
{
    bool ranges = is_range(count, SIDE_A) || is_range(count, SIDE_B);
    double a = (double)count->sides[SIDE_A].least, b = (double)count->sides[SIDE_B].least;
    writer_text(w, str_from(count->what), TONE_PLAIN);
    for (compare_side side = SIDE_A; !ranges && side < SIDES; side++) {
        buf_text(&w->text, side == SIDE_B ? " → " : "");
        put_count(&w->text, count->sides[side].least, count->unit);
    }
    writer_cell(w, TONE_PLAIN, NOTHING);
    if (!ranges && a > 0 && b > 0)
        format_change(&w->text, log(b / a));
    writer_cell(w, strcmp(count->id, "failed") == 0 && !ranges && b > a ? TONE_BAD : TONE_PLAIN, NOTHING);
    writer_text(w, ranges ? STR("varies") : STR("exact"), TONE_PLAIN);
    write_evidence_of_runs(w, c, NULL);
    write_count_note(w, c, count, ranges);
}

/* Under the table: what is equal, and what grey means. */
static void write_legend(table_writer *w, const comparison *c)
{
    for (size_t i = 0; i < c->n_counts; i++) {
        if (!c->counts[i].equal)
            continue;
        buf_text(&w->text, w->text.len ? ", " : "");
        buf_text(&w->text, c->counts[i].what);
    }
    buf_text(&w->text, w->text.len ? ": equal" : "");
    for (size_t i = 0; i < c->n_timings; i++) {
        if (is_more_than_chance(c, &c->timings[i]))
            continue;
        buf_text(&w->text, w->text.len ? TABLE_BETWEEN : "");
        buf_text(&w->text, "grey, in brackets: cannot be told from chance");
        break;
    }
    writer_more(w);
}

/* The wall time first, then what it is made of. */
static void write_timings(table_writer *w, const comparison *c)
{
    for (int whole = 1; whole >= 0; whole--)
        for (size_t i = 0; i < c->n_timings; i++)
            if ((strcmp(c->timings[i].id, "elapsed_time_seconds") == 0) == (whole == 1))
                write_timing(w, c, &c->timings[i]);
}

static void begin_changes(table_writer *w, const comparison *c)
{
    static const table_column of_pairs[] = {
        {"", .shortens = true}, {"A → B", .align = TABLE_RIGHT, .priority = 2}, {"change", .align = TABLE_RIGHT},
        {"interval"},           {"", .most_lines = 3, .priority = 1},
    };
    static const table_column of_runs[] = {
        {"", .shortens = true},
        {"medians A → B", .align = TABLE_RIGHT, .priority = 2},
        {"change", .align = TABLE_RIGHT},
        {"interval"},
        {"p", .align = TABLE_RIGHT, .priority = 1},
        {"p (Holm)", .align = TABLE_RIGHT, .priority = 1},
        {"A min, max", .priority = 4},
        {"B min, max", .priority = 4},
        {"", .most_lines = 3, .priority = 3},
    };
    size_t rows = c->n_timings + c->n_counts + 1;
    if (c->paired)
        writer_begin(w, "changes", "What changed", of_pairs, sizeof of_pairs / sizeof of_pairs[0], rows);
    else
        writer_begin(w, "changes", "What changed", of_runs, sizeof of_runs / sizeof of_runs[0], rows);
}

static void write_changes(table_writer *w, const comparison *c)
{
    begin_changes(w, c);
    write_timings(w, c);
    for (size_t i = 0; i < c->n_counts; i++)
        if (!c->counts[i].equal)
            write_count(w, c, &c->counts[i]);
    write_legend(w, c);
}

/* ---- Where it came from
 * ------------------------------------------------------------------------------------------------ */

static double difference_of(const double sides[SIDES])
{
    return sides[SIDE_B] - sides[SIDE_A];
}

typedef struct part_scale {
    double whole;   /* difference of the totals */
    double largest; /* difference of a part */
    bool shares;    /* the whole is large enough to be divided, and not what is left of parts that cancel */
    bool events;    /* parts have events */
} part_scale;

static void write_part(table_writer *w, const compared_part *part, const part_scale *scale, table_tone tone)
{
    double difference = difference_of(part->seconds);
    writer_text(w, part->name, tone);
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        format_seconds(&w->text, part->seconds[side]);
        writer_cell(w, tone, real_value(part->seconds[side]));
    }
    put_difference(&w->text, difference);
    writer_cell(w, tone, real_value(difference));
    if (scale->shares)
        put_share(&w->text, difference / scale->whole);
    writer_cell(w, tone, scale->shares ? real_value(difference / scale->whole) : NOTHING);
    writer_share(w, scale->largest > 0 ? fmin(1, fabs(difference) / scale->largest) : (double)NAN);
    if (!scale->events)
        return;
    double per_event = (part->seconds[SIDE_B] / part->events[SIDE_B]) / (part->seconds[SIDE_A] / part->events[SIDE_A]);
    bool known = isfinite(per_event) && per_event > 0;
    if (known)
        format_change(&w->text, log(per_event));
    writer_cell(w, tone, known ? real_value(log(per_event)) : NOTHING);
}

static compared_part sum_parts(const compared_part *parts, size_t count)
{
    compared_part sum = {0};
    for (size_t i = 0; i < count; i++)
        for (compare_side side = SIDE_A; side < SIDES; side++) {
            sum.seconds[side] += parts[i].seconds[side];
            sum.events[side] += parts[i].events[side];
        }
    return sum;
}

static void write_breakdown(table_writer *w, const compared_breakdown *breakdown, size_t limit)
{
    static const table_column columns[] = {
        {"", .shortens = true},
        {"A", .align = TABLE_RIGHT, .priority = 3},
        {"B", .align = TABLE_RIGHT, .priority = 2},
        {"difference", .align = TABLE_RIGHT},
        {"share of the difference", .align = TABLE_RIGHT, .bar = true},
        {"per event", .align = TABLE_RIGHT, .priority = 1},
    };
    size_t shown = limit && breakdown->count > limit + 1 ? limit : breakdown->count;
    part_scale scale = {.whole = difference_of(breakdown->total)};
    double moved = 0;
    for (size_t i = 0; i < breakdown->count; i++)
        moved += fabs(difference_of(breakdown->parts[i].seconds));
    scale.shares = fabs(scale.whole) >= 0.005 * fabs(breakdown->total[SIDE_A]) && fabs(scale.whole) >= 0.25 * moved;
    if (breakdown->count)
        scale.largest = fabs(difference_of(breakdown->parts[0].seconds)); /* they are in this order */
    scale.events = breakdown->count && isfinite(breakdown->parts[0].events[SIDE_A]);
    writer_begin(w, breakdown->id, breakdown->title, columns, scale.events ? 6 : 5, shown + 2);
    for (size_t i = 0; i < shown; i++)
        write_part(w, &breakdown->parts[i], &scale, TONE_PLAIN);
    if (shown < breakdown->count) {
        compared_part others = sum_parts(breakdown->parts + shown, breakdown->count - shown);
        char name[32];
        snprintf(name, sizeof name, "%zu others", breakdown->count - shown);
        others.name = str_from(name);
        write_part(w, &others, &scale, TONE_QUIET);
    }
    compared_part all = sum_parts(breakdown->parts, breakdown->count);
    all.name = STR("total");
    write_part(w, &all, &scale, TONE_STRONG);
}

roast_code comparison_tables(table_set *out, const comparison *c, size_t limit, roast_error *err)
{
    table_writer w;
    writer_init(&w, out, 3 + COMPARED_BREAKDOWNS);
    write_side(&w, c, SIDE_A);
    write_side(&w, c, SIDE_B);
    write_less_work(&w, c);
    write_common(&w, c);
    write_verdict(&w, c);
    write_settings(&w, c);
    write_changes(&w, c);
    for (size_t i = 0; i < c->n_breakdowns; i++)
        write_breakdown(&w, &c->breakdowns[i], limit);
    return writer_finish(&w, err);
}

/* ---- JSON
 * ---------------------------------------------------------------------------------------------------------------- */

static const char *const SIDE_KEYS[SIDES] = {"a", "b"};

void json_put_interval(json_writer *w, const char *key, const interval *i)
{
    json_put_open(w, key, '{');
    json_put_real(w, "estimate", i->estimate);
    json_put_real(w, "low", i->low);
    json_put_real(w, "high", i->high);
    json_put_real(w, "level", i->level);
    json_put_close(w, '}');
}

static void json_sides(json_writer *w, const comparison *c)
{
    for (compare_side side = SIDE_A; side < SIDES; side++) {
        const compared_side *described = &c->sides[side];
        json_put_open(w, SIDE_KEYS[side], '{');
        json_put_text(w, "label", described->label);
        json_put_int(w, "runs", (int64_t)described->runs);
        json_put_int(w, "unfinished", (int64_t)described->unfinished);
        json_put_interval(w, "elapsed_time_seconds", &described->elapsed);
        json_put_int(w, "files_only_here", c->files_only[side]);
        json_put_int(w, "chunks_only_here", c->paired ? c->chunks_only[side] : ROAST_ABSENT);
        json_put_open(w, "branches_only_here", '{');
        json_put_int(w, "count", c->branches_only[side].count);
        json_put_int(w, "bytes", c->branches_only[side].bytes);
        json_put_text(w, "examples", c->branches_only[side].examples);
        json_put_close(w, '}');
        json_put_close(w, '}');
    }
    json_put_int(w, "files_shared", c->files_shared);
    json_put_int(w, "chunks_paired", c->paired ? c->chunks_paired : ROAST_ABSENT);
}

static void json_settings(json_writer *w, const comparison *c)
{
    json_put_open(w, "settings", '[');
    for (size_t i = 0; i < c->n_settings; i++) {
        json_put_open(w, NULL, '{');
        json_put_text(w, "setting", c->settings[i].what);
        json_put_text(w, "unit", str_from(c->settings[i].unit));
        for (compare_side side = SIDE_A; side < SIDES; side++)
            json_put_value(w, SIDE_KEYS[side], c->settings[i].values[side]);
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
}

static void json_counts(json_writer *w, const comparison *c)
{
    json_put_open(w, "counts", '[');
    for (size_t i = 0; i < c->n_counts; i++) {
        const compared_count *count = &c->counts[i];
        json_put_open(w, NULL, '{');
        json_put_text(w, "id", str_from(count->id));
        json_put_text(w, "unit", str_from(count->unit));
        for (compare_side side = SIDE_A; side < SIDES; side++) {
            json_put_open(w, SIDE_KEYS[side], '[');
            json_put_int(w, NULL, count->sides[side].least);
            json_put_int(w, NULL, count->sides[side].most);
            json_put_close(w, ']');
        }
        json_put_text(w, "verdict", count->equal ? STR("equal") : STR("different"));
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
}

static interval exponential(const interval *log)
{
    return (interval){exp(log->estimate), exp(log->low), exp(log->high), log->level};
}

static void json_verdict(json_writer *w, const comparison *c)
{
    buf said = {0};
    verdict_text(&said, c);
    json_put_text(w, "verdict", said.len ? buf_view(&said) : str_none());
    w->out->code = w->out->code ? w->out->code : said.code;
    buf_release(&said);
}

static void json_timings(json_writer *w, const comparison *c)
{
    static const char *const bases[] = {
        [BASIS_PAIRS] = "pairs", [BASIS_SUMS] = "sums", [BASIS_RUNS] = "runs", [BASIS_SINGLE] = "single"};
    json_put_open(w, "timings", '[');
    for (size_t i = 0; i < c->n_timings; i++) {
        const compared_timing *timing = &c->timings[i];
        interval ratio = exponential(&timing->log_ratio), sums = exponential(&timing->log_sums);
        json_put_open(w, NULL, '{');
        json_put_text(w, "id", str_from(timing->id));
        json_put_text(w, "what", str_from(timing->what));
        json_put_text(w, "unit", str_from(timing->unit));
        json_put_text(w, "basis", str_from(bases[timing->basis]));
        json_put_text(w, "better", timing->better == LESS_IS_BETTER ? STR("less") : STR("more"));
        for (compare_side side = SIDE_A; side < SIDES; side++)
            json_put_interval(w, SIDE_KEYS[side], &timing->sides[side]);
        json_put_interval(w, "ratio", &ratio);
        json_put_interval(w, "ratio_of_sums", &sums);
        json_put_int(w, "pairs", timing->basis == BASIS_PAIRS ? (int64_t)timing->pairs : ROAST_ABSENT);
        json_put_real(w, "share_of_difference", timing->share);
        json_put_real(w, "p", timing->p);
        json_put_real(w, "p_holm", timing->p_holm);
        json_put_real(w, "p_verdict", timing->p_verdict);
        json_put_text(w, "why_absent", str_from(timing->why));
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
}

static void json_breakdowns(json_writer *w, const comparison *c)
{
    json_put_open(w, "breakdowns", '{');
    for (size_t i = 0; i < c->n_breakdowns; i++) {
        const compared_breakdown *breakdown = &c->breakdowns[i];
        json_put_open(w, breakdown->id, '{');
        for (compare_side side = SIDE_A; side < SIDES; side++)
            json_put_real(w, SIDE_KEYS[side], breakdown->total[side]);
        json_put_real(w, "difference", difference_of(breakdown->total));
        json_put_open(w, "parts", '[');
        for (size_t p = 0; p < breakdown->count; p++) {
            const compared_part *part = &breakdown->parts[p];
            json_put_open(w, NULL, '{');
            if (part->id)
                json_put_text(w, "id", str_from(part->id));
            json_put_text(w, "name", part->name);
            for (compare_side side = SIDE_A; side < SIDES; side++)
                json_put_real(w, SIDE_KEYS[side], part->seconds[side]);
            json_put_real(w, "difference", difference_of(part->seconds));
            json_put_real(w, "events_a", part->events[SIDE_A]);
            json_put_real(w, "events_b", part->events[SIDE_B]);
            json_put_close(w, '}');
        }
        json_put_close(w, ']');
        json_put_close(w, '}');
    }
    json_put_close(w, '}');
}

void comparison_json(buf *out, const comparison *c)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_real(&w, "level", c->level);
    json_verdict(&w, c);
    json_put_text(&w, "scope", c->paired ? STR("these two runs") : STR("runs"));
    json_put_text(&w, "did_less_work",
                  did_less_work(c->sides, SIDE_A)   ? str_from(SIDE_KEYS[SIDE_A])
                  : did_less_work(c->sides, SIDE_B) ? str_from(SIDE_KEYS[SIDE_B])
                                                    : str_none());
    json_sides(&w, c);
    json_settings(&w, c);
    json_counts(&w, c);
    json_timings(&w, c);
    json_breakdowns(&w, c);
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
