/* The one screen: a few rows of what the full tables have, and each of its words from where they have it. */
#include "view/screen.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "model/core_time.h"
#include "view/advice_words.h"
#include "view/findings.h"
#include "view/heading.h"
#include "view/hint.h"
#include "view/missing.h"
#include "view/since_words.h"
#include "view/table_specs.h"
#include "view/table_writer.h"

enum {
    FINDINGS_SHOWN = 3,
    ROWS_SHOWN = 8,   /* of the ledger */
    LEAST_SHARE = 2,  /* percent, of a row of its own */
    ERRORS_SHOWN = 2, /* kinds of them */
    TABLES = 4,
};

/* ---- Four numbers ---------------------------------------------------------------------------------------------- */

static bool any_number_known(const roast_summary *s)
{
    for (size_t i = 0; i < SCREEN_NUMBER_COUNT; i++)
        if (summary_value(s, SCREEN_NUMBERS[i].part.metric).kind != ROAST_NOTHING)
            return true;
    return false;
}

static void write_numbers(table_writer *w, const roast_summary *s)
{
    if (!any_number_known(s))
        return;
    writer_begin_pairs(w, "numbers", "", TABLE_LINE, SCREEN_NUMBER_COUNT);
    for (size_t i = 0; i < SCREEN_NUMBER_COUNT; i++) {
        const part_spec *part = &SCREEN_NUMBERS[i].part;
        roast_value value = summary_value(s, part->metric);
        if (value.kind == ROAST_NOTHING)
            continue;
        buf_text(&w->text, SCREEN_NUMBERS[i].before);
        format_value(&w->text, value, metric_info(part->metric)->unit, part->form);
        writer_cell(w, TONE_STRONG, value);
        writer_text(w, str_from(part_after(part, value)), TONE_QUIET);
    }
}

/* ---- Where the core time went ---------------------------------------------------------------------------------- */

static double share_of(const roast_summary *s, size_t row)
{
    return summary_cell_number(s, M_ledger_share_percent, row);
}

static int compare_shares(const void *left, const void *right, void *summary)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    double x = share_of(summary, a), y = share_of(summary, b);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

/* Rows of their own, of those in order: the first, as long as they are large; none is left alone in what is folded. */
static size_t rows_of_their_own(const roast_summary *s, const size_t *order, size_t count)
{
    size_t shown = 0;
    while (shown < count && shown < ROWS_SHOWN && share_of(s, order[shown]) >= LEAST_SHARE)
        shown++;
    return shown + 1 == count ? count : shown;
}

/* What the first finding about it says to change, in two words. */
static const char *arrow_of(ledger_category category, const finding *const *findings, size_t count)
{
    for (size_t i = 0; i < count && category < LEDGER_COUNT; i++)
        if (finding_is_about(findings[i]->kind, category))
            return advice_arrow(findings[i]);
    return "";
}

static void write_share(table_writer *w, double share, double largest, const char *colour)
{
    format_percent_short(&w->text, share);
    writer_cell(w, TONE_PLAIN, real_value(share));
    if (largest > 0)
        writer_bar(w, fmin(fmax(share / largest, 0), 1), colour);
}

static void write_category(table_writer *w, const roast_summary *s, size_t row, double largest,
                           const finding *const *findings, size_t count)
{
    ledger_category category = ledger_category_find(summary_cell(s, M_ledger_category, row).as.text);
    const char *arrow = arrow_of(category, findings, count);
    writer_text(w, summary_cell(s, M_ledger_title, row).as.text, TONE_PLAIN);
    write_share(w, share_of(s, row), largest, category < LEDGER_COUNT ? CATEGORIES[category].colour : NULL);
    buf_format(&w->text, *arrow ? "← %s" : "%s", arrow);
    writer_cell(w, TONE_WARN, NOTHING);
}

/* Largest first. The small ones are one row, so that all add up. */
static void write_ledger(table_writer *w, const roast_summary *s, const finding *const *findings, size_t count)
{
    static const table_column columns[] = {
        {.title = "", .shortens = true}, {.title = "", .bar = true}, {.title = "", .priority = 1}};
    size_t rows = s->rows[ROAST_SCOPE_LEDGER].count;
    size_t *order = writer_alloc(w, rows, sizeof *order);
    if (!rows || !order)
        return;
    for (size_t i = 0; i < rows; i++)
        order[i] = i;
    qsort_r(order, rows, sizeof *order, compare_shares, (void *)s);
    size_t shown = rows_of_their_own(s, order, rows);
    double rest = 0;
    for (size_t i = shown; i < rows; i++)
        rest += share_of(s, order[i]);
    double largest = fmax(share_of(s, order[0]), rest);
    put_ledger_title(&w->text, s);
    writer_begin(w, "ledger", NULL, columns, sizeof columns / sizeof *columns, shown + 1);
    writer_layout(w, TABLE_OPEN);
    for (size_t i = 0; i < shown; i++)
        write_category(w, s, order[i], largest, findings, count);
    if (shown == rows)
        return;
    writer_text(w, STR("other"), TONE_QUIET);
    write_share(w, rest, largest, "neutral");
    writer_text(w, STR(""), TONE_PLAIN);
}

/* ---- What failed ------------------------------------------------------------------------------------------------ */

typedef struct failed_kind {
    roast_str type, file; /* one of the files */
    double count;
    size_t files;
} failed_kind;

static int compare_failures(const void *left, const void *right, void *summary)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int types = str_compare(summary_cell_string(summary, M_failure_error_type, a),
                            summary_cell_string(summary, M_failure_error_type, b));
    return types ? types
                 : str_compare(summary_cell_string(summary, M_failure_file, a),
                               summary_cell_string(summary, M_failure_file, b));
}

/* Rows in order are one kind after the other, and of each one file after the other. */
static size_t sum_kinds(failed_kind *kinds, const roast_summary *s, const size_t *order, size_t rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        roast_str type = summary_cell_string(s, M_failure_error_type, order[i]),
                  file = summary_cell_string(s, M_failure_file, order[i]);
        if (!count || !str_equal(kinds[count - 1].type, type))
            kinds[count++] = (failed_kind){.type = type, .file = STR("")};
        failed_kind *kind = &kinds[count - 1];
        kind->files += file.len && !str_equal(kind->file, file);
        kind->file = file;
        kind->count += summary_cell_number(s, M_failure_count, order[i]);
    }
    return count;
}

static int compare_kinds(const void *left, const void *right)
{
    const failed_kind *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : str_compare(a->type, b->type);
}

/* "4 × OSError in 1 file, zjets_bad.root" */
static void put_kind(buf *out, const failed_kind *kind)
{
    format_count(out, llround(kind->count));
    buf_text(out, " × ");
    buf_str(out, kind->type.len ? kind->type : STR("error"));
    if (!kind->files)
        return;
    buf_text(out, " in ");
    format_things(out, (int64_t)kind->files, "file, ", "files");
    if (kind->files == 1)
        buf_str(out, str_last_part(kind->file));
}

static void put_failures(table_writer *w, const roast_summary *s)
{
    size_t rows = s->rows[ROAST_SCOPE_FAILURE].count;
    size_t *order = writer_alloc(w, rows, sizeof *order);
    failed_kind *kinds = writer_alloc(w, rows, sizeof *kinds);
    if (!rows || !order || !kinds)
        return;
    for (size_t i = 0; i < rows; i++)
        order[i] = i;
    qsort_r(order, rows, sizeof *order, compare_failures, (void *)s);
    size_t count = sum_kinds(kinds, s, order, rows);
    qsort(kinds, count, sizeof *kinds, compare_kinds);
    for (size_t i = 0; i < count && i < ERRORS_SHOWN; i++) {
        buf_text(&w->text, i ? TABLE_DOT : "");
        put_kind(&w->text, &kinds[i]);
    }
    if (count > ERRORS_SHOWN) {
        buf_text(&w->text, TABLE_DOT "and ");
        format_things(&w->text, (int64_t)(count - ERRORS_SHOWN), "other kind", "other kinds");
    }
}

/* ---- The rest --------------------------------------------------------------------------------------------------- */

static bool is_worth_a_line(const summary_note *note)
{
    return str_equal(note->level, STR("error")) || str_equal(note->level, STR("warning"));
}

/* The first warning, and how many there are beside it. */
static void put_warnings(buf *out, const roast_summary *s)
{
    size_t warnings = 0;
    for (size_t i = 0; i < s->n_notes; i++) {
        if (!is_worth_a_line(&s->notes[i]))
            continue;
        if (!warnings++)
            buf_str(out, s->notes[i].text);
    }
    if (warnings > 1)
        buf_format(out, TABLE_DOT "and %zu more", warnings - 1);
}

static void write_rest(table_writer *w, const roast_summary *s)
{
    writer_begin_pairs(w, "more", "", TABLE_LIST, 5);
    put_failures(w, s);
    writer_quiet_pair(w, "failed", TONE_BAD);
    put_warnings(&w->text, s);
    writer_quiet_pair(w, "warning", TONE_WARN);
    if (s->rows[ROAST_SCOPE_MISSING].count)
        hint_show(&w->text, s, "missing");
    writer_quiet_pair(w, "missing", TONE_PLAIN);
    since_last_changes(&w->text, s);
    writer_quiet_pair(w, "since last run", TONE_PLAIN);
    hint_more(&w->text, s);
    writer_quiet_pair(w, "more", TONE_PLAIN);
}

roast_code screen_build(table_set *out, const roast_summary *summary, roast_error *err)
{
    const finding *findings[FINDINGS_SHOWN];
    size_t count = findings_of_time(summary, findings, FINDINGS_SHOWN);
    table_writer w;
    writer_init(&w, out, TABLES);
    heading_write_short(&w, summary);
    write_numbers(&w, summary);
    write_ledger(&w, summary, findings, count);
    findings_write_short(&w, "changes", "To make it faster", summary, findings, count);
    write_rest(&w, summary);
    return writer_finish(&w, err);
}
