/* Tables from a summary, following the specs of table_specs.c. */
#include "view/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/error.h"
#include "base/str.h"
#include "view/fact_words.h"
#include "view/findings.h"
#include "view/heading.h"
#include "view/hint.h"
#include "view/row_tree.h"
#include "view/table_specs.h"
#include "view/table_writer.h"

typedef struct builder {
    table_writer w;
    const roast_summary *summary;
    size_t limit;
    bool asked; /* for this table by name: then it tells of everything, known or not */
    bool said;  /* why there are no chunks, in the run's own words: once is enough */
} builder;

static table_tone more_urgent(table_tone a, table_tone b)
{
    return a > b ? a : b;
}

/* ---- Lists of names and values ------------------------------------------------------------------------------- */

static bool has_part(const pair_spec *row, size_t part)
{
    return part < MOST_PARTS && row->parts[part].after;
}

static bool row_known(const roast_summary *summary, const pair_spec *row)
{
    for (size_t i = 0; has_part(row, i); i++)
        if (summary_value(summary, row->parts[i].metric).kind != ROAST_NOTHING)
            return true;
    return false;
}

static void write_unknown(builder *b, const pair_spec *row)
{
    buf_text(&b->w.text, "n/a");
    const char *why = NULL;
    for (size_t i = 0; !why && has_part(row, i); i++)
        why = b->summary->why[row->parts[i].metric];
    if (why && str_equal(str_from(why), summary_fact(b->summary, "no_chunks"))) {
        why = b->said ? "no chunk records" : why;
        b->said = true;
    }
    if (why)
        buf_format(&b->w.text, " (%s)", why);
    writer_cell(&b->w, TONE_QUIET, NOTHING);
}

const char *part_after(const part_spec *part, roast_value value)
{
    return part->after_one && value_number(value) == 1 ? part->after_one : part->after;
}

void put_part(buf *out, const part_spec *part, roast_value value)
{
    format_value(out, value, metric_info(part->metric)->unit, part->form);
    buf_text(out, part_after(part, value));
}

static void write_known(builder *b, const pair_spec *row)
{
    /* "p95 / p99" is read by position: a part that is missing must keep its place. */
    bool by_position = row->join && strcmp(row->join, " / ") == 0;
    roast_value first = NOTHING;
    table_tone tone = TONE_PLAIN;
    for (size_t i = 0; has_part(row, i); i++) {
        const part_spec *part = &row->parts[i];
        roast_value value = summary_value(b->summary, part->metric);
        if (value.kind == ROAST_NOTHING && !by_position)
            continue;
        const char *join = row->join ? row->join : ", ";
        bool less = b->w.text.len && strcmp(join, " + ") == 0 && value_number(value) < 0;
        if (b->w.text.len)
            buf_text(&b->w.text, less ? " − " : join);
        else
            first = value;
        put_part(&b->w.text, part, less ? real_value(-value_number(value)) : value);
        if (value_number(value) > 0)
            tone = more_urgent(tone, part->alarm);
    }
    writer_cell(&b->w, tone, first);
}

static bool any_line_known(const builder *b, const table_spec *spec)
{
    for (size_t i = 0; i < spec->n_pairs; i++)
        if (row_known(b->summary, &spec->pairs[i]))
            return true;
    return false;
}

static bool told_better(const builder *b, const metric_id *unless)
{
    return unless && summary_value(b->summary, *unless).kind != ROAST_NOTHING;
}

static void build_pairs(builder *b, const table_spec *spec)
{
    if (told_better(b, spec->unless) && !b->asked)
        return;
    if (spec->shown == TABLE_IF_KNOWN && !b->asked && !any_line_known(b, spec))
        return;
    writer_begin_pairs(&b->w, spec->id, spec->title, TABLE_PAIRS, spec->n_pairs);
    for (size_t i = 0; i < spec->n_pairs; i++) {
        const pair_spec *row = &spec->pairs[i];
        bool known = row_known(b->summary, row);
        bool any = value_number(summary_value(b->summary, row->parts[0].metric)) > 0;
        if (told_better(b, row->unless) ||
            (row->shown == LINE_IF_ANY ? !any : row->shown == LINE_IF_KNOWN && !known && !b->asked))
            continue;
        writer_line(&b->w, row);
        if (known)
            write_known(b, row);
        else
            write_unknown(b, row);
    }
}

/* ---- Tables with a row per thing ----------------------------------------------------------------------------- */

static table_tone cell_alarm(const table_column *column, roast_value value)
{
    if (value.kind != ROAST_TEXT)
        return value_number(value) > 0 ? column->alarm : TONE_PLAIN;
    if (column->alarm_text && !str_equal(value.as.text, str_from(column->alarm_text)))
        return TONE_PLAIN;
    return column->alarm;
}

/* A column without values, or a count of bad things that did not happen, is not worth its place. */
static bool column_tells(const builder *b, const table_spec *spec, const table_column *column)
{
    if (column == spec->columns)
        return true;
    for (size_t row = 0; row < b->summary->rows[spec->scope].count; row++) {
        roast_value value = summary_cell(b->summary, column->metric, row);
        bool counts_trouble = column->alarm != TONE_PLAIN && value.kind == ROAST_INT;
        bool any = value_number(value) > 0 || cell_alarm(column, value) != TONE_PLAIN;
        if (value.kind != ROAST_NOTHING && (any || (!column->if_any && (!counts_trouble || value.as.integer != 0))))
            return true;
    }
    return false;
}

typedef struct row_ranking {
    const roast_summary *summary;
    const table_spec *spec;
} row_ranking;

static int row_urgency(const row_ranking *order, size_t row)
{
    table_tone urgency = TONE_PLAIN;
    for (size_t i = 0; order->spec->order == ROWS_ALARM_FIRST && i < order->spec->n_columns; i++) {
        const table_column *column = &order->spec->columns[i];
        if (column->alarm_text)
            urgency = more_urgent(urgency, cell_alarm(column, summary_cell(order->summary, column->metric, row)));
    }
    return (int)urgency;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const row_ranking *order = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int urgency = row_urgency(order, b) - row_urgency(order, a);
    if (urgency)
        return urgency;
    double x = value_number(summary_cell(order->summary, order->spec->sort, a));
    double y = value_number(summary_cell(order->summary, order->spec->sort, b));
    x = isnan(x) ? -HUGE_VAL : x;
    y = isnan(y) ? -HUGE_VAL : y;
    if (x != y)
        return x > y ? -1 : 1;
    return (a > b) - (a < b);
}

static double largest_in_column(const builder *b, const table_spec *spec, metric_id column)
{
    double largest = 0;
    for (size_t row = 0; row < b->summary->rows[spec->scope].count; row++)
        largest = fmax(largest, value_number(summary_cell(b->summary, column, row)));
    return strcmp(metric_info(column)->unit, "%") == 0 ? 100 : largest;
}

/* depth: in a tree, by which the first column is indented. */
static void write_grid_cell(builder *b, const table_column *column, size_t row, double largest, int depth)
{
    roast_value value = summary_cell(b->summary, column->metric, row);
    double number = value_number(value);
    table_tone tone = cell_alarm(column, value);
    for (; depth > 0; depth--)
        buf_text(&b->w.text, "\u00a0\u00a0");
    if (column->id && value.kind == ROAST_TEXT && str_equal(value.as.text, str_from(column->id))) {
        buf_text(&b->w.text, column->words);
        writer_cell(&b->w, tone, value);
    } else {
        writer_toned(&b->w, value, metric_info(column->metric)->unit, column->form, tone);
    }
    if (column->bar && largest > 0 && !isnan(number))
        writer_share(&b->w, fmin(fmax(number / largest, 0), 1));
}

/* The columns that tell something; how many they are. */
static size_t choose_columns(const builder *b, const table_spec *spec, table_column *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < spec->n_columns; i++) {
        if (!column_tells(b, spec, &spec->columns[i]))
            continue;
        bool text = strcmp(metric_info(spec->columns[i].metric)->kind, "text") == 0;
        chosen[count] = spec->columns[i];
        chosen[count++].align = text ? TABLE_LEFT : TABLE_RIGHT;
    }
    return count;
}

static bool same_value(roast_value a, roast_value b)
{
    if (a.kind != b.kind)
        return false;
    return a.kind == ROAST_TEXT ? str_equal(a.as.text, b.as.text) : value_number(a) == value_number(b);
}

static bool same_group(const builder *b, const table_spec *spec, size_t row, size_t other)
{
    for (size_t i = 0; i < sizeof spec->groups / sizeof spec->groups[0]; i++)
        if (!same_value(summary_cell(b->summary, spec->groups[i], row),
                        summary_cell(b->summary, spec->groups[i], other)))
            return false;
    return true;
}

static bool row_tells(const builder *b, const table_spec *spec, size_t row)
{
    bool any = true;
    for (size_t i = 0; i < sizeof spec->tells / sizeof spec->tells[0]; i++) {
        if (metric_info(spec->tells[i])->scope != spec->scope)
            continue;
        if (summary_cell(b->summary, spec->tells[i], row).kind != ROAST_NOTHING)
            return true;
        any = false;
    }
    return any;
}

/* The rows that a table has; how many they are. */
static size_t list_rows(const builder *b, const table_spec *spec, size_t *order)
{
    size_t count = 0;
    for (size_t row = 0; row < b->summary->rows[spec->scope].count; row++)
        if (row_tells(b, spec, row))
            order[count++] = row;
    return count;
}

static size_t limit_groups(const builder *b, const table_spec *spec, size_t *order, size_t total)
{
    size_t shown = 0, in_group = 0;
    for (size_t i = 0; i < total; i++) {
        in_group = i > 0 && same_group(b, spec, order[i], order[i - 1]) ? in_group + 1 : 0;
        if (!b->limit || in_group < b->limit)
            order[shown++] = order[i];
    }
    return shown;
}

/* Puts the rows that are shown into order; how many they are. depths: of a tree. */
static size_t choose_rows(builder *b, const table_spec *spec, size_t *order, int *depths, size_t total)
{
    if (spec->order == ROWS_AS_THEY_ARE)
        return total;
    if (spec->order == ROWS_BY_GROUP)
        return limit_groups(b, spec, order, total);
    qsort_r(order, total, sizeof *order, compare_rows, &(row_ranking){b->summary, spec});
    if (spec->order == ROWS_AS_TREE)
        b->w.failed |= !row_tree_order(order, total, depths, b->summary, spec->columns[0].metric, spec->groups[0]);
    return b->limit && total > b->limit ? b->limit : total;
}

/* Whether any row has the value that the table is about: that of its second column. */
static bool first_value_known(const builder *b, const table_spec *spec)
{
    return spec->n_columns > 1 && column_tells(b, spec, &spec->columns[1]);
}

/* Beside what the table says of its rest. */
static void say_where_details_are(builder *b, const char *id)
{
    buf_str(&b->w.text, b->w.current->more);
    buf_text(&b->w.text, b->w.text.len ? TABLE_BETWEEN "one by one: " : "one by one: ");
    hint_show(&b->w.text, b->summary, id);
    writer_more(&b->w);
}

/* title: NULL for what was written. */
static void build_grid(builder *b, const table_spec *spec, const char *title)
{
    size_t *order = writer_alloc(&b->w, b->summary->rows[spec->scope].count, sizeof *order);
    int *depths = writer_alloc(&b->w, b->summary->rows[spec->scope].count, sizeof *depths);
    size_t total = b->w.failed ? 0 : list_rows(b, spec, order);
    bool unasked = total == 0 || spec->shown == TABLE_IF_ASKED || (spec->shown == TABLE_IF_SEVERAL && total < 2) ||
                   (spec->shown == TABLE_IF_KNOWN && !first_value_known(b, spec));
    table_column *columns = writer_alloc(&b->w, spec->n_columns, sizeof *columns);
    double *largest = writer_alloc(&b->w, spec->n_columns, sizeof *largest);
    if (b->w.failed || (unasked && !b->asked))
        return;
    size_t n_columns = choose_columns(b, spec, columns), n_rows = choose_rows(b, spec, order, depths, total);
    for (size_t i = 0; i < n_columns; i++)
        largest[i] = columns[i].bar ? largest_in_column(b, spec, columns[i].metric) : 0;
    writer_begin(&b->w, spec->id, title, columns, n_columns, n_rows);
    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < n_columns; i++)
            write_grid_cell(b, &columns[i], order[row], largest[i], i ? 0 : depths[row]);
    writer_rest(&b->w, total);
    if (total && spec->details && !b->w.failed)
        say_where_details_are(b, spec->details);
}

/* ---- The ledger ---------------------------------------------------------------------------------------------- */

enum { MOST_UNEXPLAINED = 5 }; /* percent, without a word about it */

static const char *ledger_title(void)
{
    size_t i = 0;
    while (TABLE_SPECS[i].scope != ROAST_SCOPE_LEDGER || TABLE_SPECS[i].kind != TABLE_OF_ROWS)
        i++;
    return TABLE_SPECS[i].title;
}

void put_ledger_title(buf *out, const roast_summary *summary)
{
    double whole = 0;
    for (size_t row = 0; row < summary->rows[ROAST_SCOPE_LEDGER].count; row++)
        whole += summary_cell_number(summary, M_ledger_core_seconds, row);
    buf_format(out, "%s  (", ledger_title());
    format_seconds(out, whole);
    buf_text(out, " = 100 %)");
}

/* The title says what the whole is, and a residual that is too large is said to be. */
static void build_ledger(builder *b, const table_spec *spec)
{
    size_t rows = b->summary->rows[ROAST_SCOPE_LEDGER].count;
    if (rows)
        put_ledger_title(&b->w.text, b->summary);
    build_grid(b, spec, rows ? NULL : spec->title);
    if (!rows || b->w.failed ||
        fabs(value_number(summary_cell(b->summary, M_ledger_share_percent, rows - 1))) <= MOST_UNEXPLAINED)
        return;
    table *t = b->w.current;
    for (size_t column = 0; column < t->n_columns; column++)
        t->cells[(rows - 1) * t->n_columns + column].tone = TONE_WARN;
    t->more = STR("more than 5 % is not explained: something ran that was not recorded, or records overlap");
}

/* ---- Notes --------------------------------------------------------------------------------------------------- */

static table_tone tone_of_level(roast_str level)
{
    if (str_equal(level, STR("error")))
        return TONE_BAD;
    return str_equal(level, STR("warning")) ? TONE_WARN : TONE_QUIET;
}

static void build_notes(builder *b, const table_spec *spec)
{
    static const table_column columns[] = {{.title = ""}, {.title = "", .most_lines = 6}};
    size_t total = b->summary->n_notes, shown = b->limit && total > b->limit ? b->limit : total;
    if (total == 0 && !b->asked)
        return;
    writer_begin(&b->w, spec->id, spec->title, columns, 2, shown);
    for (size_t i = 0; i < shown; i++) {
        const summary_note *note = &b->summary->notes[i];
        writer_text(&b->w, note->level, tone_of_level(note->level));
        writer_text(&b->w, note->text, TONE_PLAIN);
    }
    writer_rest(&b->w, total);
}

/* ---- Which tables -------------------------------------------------------------------------------------------- */

const char *roast_table_id(size_t index)
{
    return index < TABLE_SPEC_COUNT ? TABLE_SPECS[index].id : NULL;
}

static bool wanted(const char *only, const char *id)
{
    roast_str rest = str_from(only);
    while (!str_absent(rest))
        if (str_equal(str_trim(str_split(&rest, ',')), str_from(id)))
            return true;
    return false;
}

static bool is_id(roast_str text)
{
    for (size_t i = 0; i < TABLE_SPEC_COUNT; i++)
        if (str_equal(text, str_from(TABLE_SPECS[i].id)))
            return true;
    return false;
}

static roast_code check_ids(const char *only, roast_error *err)
{
    roast_str rest = str_from(only);
    while (!str_absent(rest)) {
        roast_str id = str_trim(str_split(&rest, ','));
        if (is_id(id))
            continue;
        const char *close = closest_id(id, roast_table_id);
        if (close)
            return fail(err, ROAST_USAGE, "there is no table \"%.*s\"; did you mean \"%s\"?", (int)id.len, id.ptr,
                        close);
        buf known = {0};
        for (size_t i = 0; i < TABLE_SPEC_COUNT; i++)
            buf_format(&known, "%s%s", i ? ", " : "", TABLE_SPECS[i].id);
        int shown = id.len < 64 ? (int)id.len : 64;
        roast_code code = fail(err, ROAST_USAGE, "there is no table \"%.*s\"; there are %s", shown,
                               id.ptr ? id.ptr : "", known.code ? "others" : known.data);
        buf_release(&known);
        return code;
    }
    return ROAST_OK;
}

enum { FINDINGS_SHOWN = 3 };

static void build_table(builder *b, const table_spec *spec)
{
    switch (spec->kind) {
    case TABLE_OF_METRICS:
        build_pairs(b, spec);
        break;
    case TABLE_OF_ROWS:
        if (spec->scope == ROAST_SCOPE_LEDGER)
            build_ledger(b, spec);
        else
            build_grid(b, spec, spec->title);
        break;
    case TABLE_OF_FINDINGS:
        findings_write(&b->w, spec->id, spec->title, b->summary, FINDINGS_SHOWN, b->asked);
        break;
    case TABLE_OF_NOTES:
        build_notes(b, spec);
        break;
    case TABLE_OF_FACTS:
        if (b->asked)
            facts_write(&b->w, spec->id, spec->title, b->summary);
        break;
    }
}

roast_code tables_build(table_set *out, const roast_summary *summary, const char *only, size_t limit, roast_error *err)
{
    *out = (table_set){0};
    roast_code code = check_ids(only, err);
    if (code)
        return code;
    builder b = {.summary = summary, .limit = limit, .asked = only != NULL};
    writer_init(&b.w, out, TABLE_SPEC_COUNT);
    heading_write(&b.w, summary);
    for (size_t i = 0; i < TABLE_SPEC_COUNT; i++)
        if (!only || wanted(only, TABLE_SPECS[i].id))
            build_table(&b, &TABLE_SPECS[i]);
    return writer_finish(&b.w, err);
}

void tables_release(table_set *set)
{
    arena_release(&set->memory);
    *set = (table_set){0};
}

const table_cell *table_cell_at(const table *t, size_t row, size_t column)
{
    return &t->cells[row * t->n_columns + column];
}
