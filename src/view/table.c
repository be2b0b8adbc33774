/* Tables from a summary, following the specs of table_specs.c. Every text lives in the set's arena; a builder
 * remembers the first allocation that failed, so that the code reads straight through and checks once. */
#include "view/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "view/findings.h"
#include "view/table_specs.h"

typedef struct builder {
    const roast_summary *summary;
    table_set *set;
    size_t limit;
    bool asked; /* for this table by name: then it tells of everything, known or not */
    bool failed;
    buf text; /* of the cell being written */
} builder;

static const roast_value NOTHING = {.kind = ROAST_NOTHING};

static void *allocate(builder *b, size_t count, size_t size)
{
    void *memory = arena_alloc(&b->set->memory, count, size);
    b->failed |= !memory;
    return memory;
}

/* What was written to the builder's text, kept; the text is empty again. */
static roast_str keep(builder *b)
{
    roast_str kept = b->text.code ? str_none() : arena_str(&b->set->memory, buf_view(&b->text));
    b->failed |= str_absent(kept);
    buf_clear(&b->text);
    return kept;
}

static double number_of(roast_value value)
{
    return value.kind == ROAST_INT ? (double)value.as.integer : value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

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

static void write_unknown(builder *b, const pair_spec *row, table_cell *cell)
{
    buf_text(&b->text, "n/a");
    const char *why = NULL;
    for (size_t i = 0; !why && has_part(row, i); i++)
        why = b->summary->why[row->parts[i].metric];
    if (why)
        buf_format(&b->text, " (%s)", why);
    cell->tone = TONE_QUIET;
}

static void write_known(builder *b, const pair_spec *row, table_cell *cell)
{
    /* "p95 / p99" is read by position: a part that is missing must keep its place. */
    bool by_position = row->join && strcmp(row->join, " / ") == 0;
    for (size_t i = 0; has_part(row, i); i++) {
        const part_spec *part = &row->parts[i];
        roast_value value = summary_value(b->summary, part->metric);
        if (value.kind == ROAST_NOTHING && !by_position)
            continue;
        if (b->text.len)
            buf_text(&b->text, row->join ? row->join : ", ");
        else
            cell->value = value;
        buf_text(&b->text, part->before);
        format_value(&b->text, value, metric_info(part->metric)->unit, part->form);
        buf_text(&b->text, part->after);
        if (number_of(value) > 0)
            cell->tone = more_urgent(cell->tone, part->alarm);
    }
}

static bool build_pairs(builder *b, const table_spec *spec, table *t)
{
    t->pairs = true;
    t->n_columns = 2;
    t->columns = allocate(b, 2, sizeof *t->columns);
    t->cells = allocate(b, 2 * spec->n_pairs, sizeof *t->cells);
    if (b->failed)
        return false;
    bool any_known = false;
    for (size_t i = 0; i < spec->n_pairs; i++) {
        const pair_spec *row = &spec->pairs[i];
        bool known = row_known(b->summary, row);
        any_known |= known;
        bool any = number_of(summary_value(b->summary, row->parts[0].metric)) > 0;
        if ((!known && row->if_known && !b->asked) || (!any && row->if_any))
            continue;
        table_cell *cells = &t->cells[2 * t->n_rows++];
        cells[0] = (table_cell){.text = str_from(row->title), .value = NOTHING, .share = (double)NAN};
        cells[1] = (table_cell){.value = NOTHING, .share = (double)NAN};
        if (known)
            write_known(b, row, &cells[1]);
        else
            write_unknown(b, row, &cells[1]);
        cells[1].text = keep(b);
    }
    return any_known || b->asked || !spec->if_known;
}

/* ---- Tables with a row per thing ----------------------------------------------------------------------------- */

static table_tone cell_alarm(const column_spec *column, roast_value value)
{
    if (value.kind != ROAST_TEXT)
        return number_of(value) > 0 ? column->alarm : TONE_PLAIN;
    if (column->alarm_text && !str_equal(value.as.text, str_from(column->alarm_text)))
        return TONE_PLAIN;
    return column->alarm;
}

/* A column without values, or a count of bad things that did not happen, is not worth its place. */
static bool column_tells(const builder *b, const table_spec *spec, const column_spec *column)
{
    if (column == spec->columns)
        return true;
    for (size_t row = 0; row < b->summary->rows[spec->scope].count; row++) {
        roast_value value = summary_cell(b->summary, column->metric, row);
        bool counts_trouble = column->alarm != TONE_PLAIN && value.kind == ROAST_INT;
        if (value.kind != ROAST_NOTHING && (!counts_trouble || value.as.integer != 0))
            return true;
    }
    return false;
}

typedef struct row_order {
    const roast_summary *summary;
    const table_spec *spec;
} row_order;

static int row_urgency(const row_order *order, size_t row)
{
    table_tone urgency = TONE_PLAIN;
    for (size_t i = 0; order->spec->alarm_first && i < order->spec->n_columns; i++) {
        const column_spec *column = &order->spec->columns[i];
        if (column->alarm_text)
            urgency = more_urgent(urgency, cell_alarm(column, summary_cell(order->summary, column->metric, row)));
    }
    return (int)urgency;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const row_order *order = context;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int urgency = row_urgency(order, b) - row_urgency(order, a);
    if (urgency)
        return urgency;
    double x = number_of(summary_cell(order->summary, order->spec->sort, a));
    double y = number_of(summary_cell(order->summary, order->spec->sort, b));
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
        largest = fmax(largest, number_of(summary_cell(b->summary, column, row)));
    return strcmp(metric_info(column)->unit, "%") == 0 ? 100 : largest;
}

static table_cell grid_cell(builder *b, const column_spec *column, size_t row, double largest)
{
    roast_value value = summary_cell(b->summary, column->metric, row);
    format_value(&b->text, value, metric_info(column->metric)->unit, column->form);
    table_cell cell = {.text = keep(b), .value = value, .tone = cell_alarm(column, value), .share = (double)NAN};
    if (value.kind == ROAST_NOTHING)
        cell.tone = TONE_QUIET;
    if (column->bar && largest > 0)
        cell.share = fmin(fmax(number_of(value) / largest, 0), 1);
    if (column->bar && isnan(number_of(value)))
        cell.share = (double)NAN;
    return cell;
}

static void choose_columns(builder *b, const table_spec *spec, table *t, const column_spec **chosen)
{
    for (size_t i = 0; i < spec->n_columns; i++) {
        const column_spec *column = &spec->columns[i];
        if (!column_tells(b, spec, column))
            continue;
        bool text = strcmp(metric_info(column->metric)->kind, "text") == 0;
        chosen[t->n_columns] = column;
        t->columns[t->n_columns++] = (table_column){
            .title = str_from(column->title),
            .align = text ? TABLE_LEFT : TABLE_RIGHT,
            .shortens = column->shortens,
            .bar = column->bar,
            .most_lines = column->most_lines,
            .priority = column->priority,
        };
    }
}

static void say_how_many_more(builder *b, table *t, size_t total)
{
    if (total == 0)
        buf_text(&b->text, "none");
    else if (total > t->n_rows) {
        buf_text(&b->text, "and ");
        format_count(&b->text, (int64_t)(total - t->n_rows));
        buf_text(&b->text, " more");
    }
    if (b->text.len)
        t->more = keep(b);
}

static bool same_value(roast_value a, roast_value b)
{
    if (a.kind != b.kind)
        return false;
    return a.kind == ROAST_TEXT ? str_equal(a.as.text, b.as.text) : number_of(a) == number_of(b);
}

static bool same_group(const builder *b, const table_spec *spec, size_t row, size_t other)
{
    for (size_t i = 0; i < spec->n_groups; i++)
        if (!same_value(summary_cell(b->summary, spec->groups[i], row),
                        summary_cell(b->summary, spec->groups[i], other)))
            return false;
    return true;
}

/* Puts the rows that are shown into order; how many they are. */
static size_t choose_rows(const builder *b, const table_spec *spec, size_t *order, size_t total)
{
    size_t shown = 0, in_group = 0;
    for (size_t i = 0; i < total; i++) {
        in_group = spec->n_groups && i > 0 && same_group(b, spec, i, i - 1) ? in_group + 1 : 0;
        if (!spec->n_groups || !b->limit || in_group < b->limit)
            order[shown++] = i;
    }
    if (spec->n_groups || spec->in_order)
        return shown;
    qsort_r(order, total, sizeof *order, compare_rows, &(row_order){b->summary, spec});
    return b->limit && total > b->limit ? b->limit : total;
}

/* Whether any row has the value that the table is about: that of its second column. */
static bool first_value_known(const builder *b, const table_spec *spec)
{
    return spec->n_columns > 1 && column_tells(b, spec, &spec->columns[1]);
}

static bool build_grid(builder *b, const table_spec *spec, table *t)
{
    size_t total = b->summary->rows[spec->scope].count;
    bool unasked = total == 0 || spec->if_asked || (spec->if_known && !first_value_known(b, spec));
    if (unasked && !b->asked)
        return false;
    t->columns = allocate(b, spec->n_columns, sizeof *t->columns);
    const column_spec **chosen = allocate(b, spec->n_columns, sizeof *chosen);
    size_t *order = allocate(b, total, sizeof *order);
    if (b->failed)
        return false;
    choose_columns(b, spec, t, chosen);
    t->n_rows = choose_rows(b, spec, order, total);
    t->cells = allocate(b, t->n_rows * t->n_columns, sizeof *t->cells);
    if (b->failed)
        return false;
    for (size_t column = 0; column < t->n_columns; column++) {
        double largest = chosen[column]->bar ? largest_in_column(b, spec, chosen[column]->metric) : 0;
        for (size_t row = 0; row < t->n_rows; row++)
            t->cells[row * t->n_columns + column] = grid_cell(b, chosen[column], order[row], largest);
    }
    say_how_many_more(b, t, total);
    return true;
}

/* ---- The ledger ---------------------------------------------------------------------------------------------- */

enum { MOST_UNEXPLAINED = 5 }; /* percent, without a word about it */

/* The title says what the whole is, and a residual that is too large is said to be. */
static void finish_ledger(builder *b, table *t)
{
    size_t rows = b->summary->rows[ROAST_SCOPE_LEDGER].count;
    double whole = 0;
    for (size_t row = 0; row < rows; row++)
        whole += number_of(summary_cell(b->summary, M_ledger_core_seconds, row));
    if (!rows || b->failed)
        return;
    buf_str(&b->text, t->title);
    buf_text(&b->text, "  (");
    format_seconds(&b->text, whole);
    buf_text(&b->text, " = 100 %)");
    t->title = keep(b);
    if (fabs(number_of(summary_cell(b->summary, M_ledger_share_percent, rows - 1))) <= MOST_UNEXPLAINED)
        return;
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

static bool build_notes(builder *b, table *t)
{
    size_t total = b->summary->n_notes;
    if (total == 0 && !b->asked)
        return false;
    t->n_rows = b->limit && total > b->limit ? b->limit : total;
    t->n_columns = 2;
    t->columns = allocate(b, 2, sizeof *t->columns);
    t->cells = allocate(b, 2 * t->n_rows, sizeof *t->cells);
    if (b->failed)
        return false;
    t->columns[0] = (table_column){.title = STR("")};
    t->columns[1] = (table_column){.title = STR(""), .most_lines = 6};
    for (size_t i = 0; i < t->n_rows; i++) {
        const summary_note *note = &b->summary->notes[i];
        table_cell *cells = &t->cells[2 * i];
        buf_str(&b->text, note->level);
        cells[0] = (table_cell){.text = keep(b), .tone = tone_of_level(note->level), .share = (double)NAN};
        buf_str(&b->text, note->text);
        cells[1] = (table_cell){.text = keep(b), .share = (double)NAN};
    }
    say_how_many_more(b, t, total);
    return true;
}

/* ---- Headings ------------------------------------------------------------------------------------------------ */

/* Adds what was written to the builder's text; nothing if nothing was. */
static void add_phrase(builder *b, table_heading *heading, table_tone tone)
{
    if (b->text.len == 0 || heading->count >= TABLE_PHRASES)
        return;
    heading->phrases[heading->count++] = (table_phrase){keep(b), tone};
}

static void write_versions(builder *b)
{
    static const char *const packages[] = {"coffea", "uproot", "distributed", "dask", "taskvine", "parsl"};
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++) {
        roast_str version = summary_fact(b->summary, packages[i]);
        if (str_absent(version) || version.len == 0)
            continue;
        if (b->text.len)
            buf_text(&b->text, " · ");
        buf_format(&b->text, "%s ", packages[i]);
        buf_str(&b->text, version);
    }
}

static void write_cluster(builder *b)
{
    roast_str engine = summary_fact(b->summary, "engine");
    buf_str(&b->text, str_absent(engine) ? summary_fact(b->summary, "backend") : engine);
    roast_value workers = summary_value(b->summary, M_run_peak_workers);
    roast_value cores = summary_value(b->summary, M_run_cores_per_worker);
    if (workers.kind == ROAST_NOTHING || !(number_of(workers) > 0))
        return;
    buf_text(&b->text, b->text.len ? ", " : "");
    format_value(&b->text, workers, "count", FORM_UNIT);
    buf_text(&b->text, number_of(workers) == 1 ? " worker" : " workers");
    double per_worker = number_of(cores);
    if (per_worker >= 1 && per_worker < 1e6 && per_worker == floor(per_worker))
        buf_format(&b->text, " × %.0f %s", per_worker, per_worker == 1 ? "core" : "cores");
}

static void write_headline(builder *b)
{
    table_heading *heading = &b->set->headline;
    buf_str(&b->text, b->summary->run_name);
    if (b->text.len == 0)
        buf_text(&b->text, "unnamed run");
    add_phrase(b, heading, TONE_STRONG);
    if (b->summary->t_start_ns != ROAST_ABSENT)
        clock_format_utc(&b->text, b->summary->t_start_ns);
    add_phrase(b, heading, TONE_PLAIN);
    write_versions(b);
    add_phrase(b, heading, TONE_QUIET);
    write_cluster(b);
    add_phrase(b, heading, TONE_QUIET);
}

/* "1 842 of 1 850 chunks": those that succeeded, of those that were submitted, as far as either is known. */
static void write_chunks(builder *b)
{
    double submitted = number_of(summary_value(b->summary, M_run_num_chunks));
    double succeeded = number_of(summary_value(b->summary, M_run_num_successful_chunks));
    double shown = isnan(succeeded) ? submitted : succeeded;
    if (!(fabs(shown) < 1e15)) /* not known, or nothing that counts chunks */
        return;
    format_count(&b->text, (int64_t)shown);
    if (submitted > shown && submitted < 1e15) {
        buf_text(&b->text, " of ");
        format_count(&b->text, (int64_t)submitted);
    }
    buf_text(&b->text, shown == 1 && !(submitted > shown) ? " chunk" : " chunks");
}

static void add_trouble(builder *b, metric_id metric, const char *one, const char *many, table_tone tone)
{
    roast_value value = summary_value(b->summary, metric);
    if (value.kind == ROAST_NOTHING || !(number_of(value) > 0))
        return;
    format_value(&b->text, value, "count", FORM_UNIT);
    buf_text(&b->text, number_of(value) == 1 ? one : many);
    add_phrase(b, &b->set->subline, tone);
}

static void write_subline(builder *b)
{
    static const struct {
        const char *with_time, *alone, *after;
        table_tone tone;
    } endings[] = {
        [ROAST_RUNNING] = {"still running, ", "still running", " so far", TONE_WARN},
        [ROAST_INTERRUPTED] = {"interrupted after ", "interrupted", "", TONE_BAD},
        [ROAST_FINISHED] = {"finished in ", "finished", "", TONE_GOOD},
        [ROAST_FAILED] = {"failed after ", "failed", "", TONE_BAD},
    };
    size_t ending = (size_t)b->summary->outcome;
    if (ending >= sizeof endings / sizeof endings[0])
        ending = ROAST_INTERRUPTED;
    roast_value elapsed = summary_value(b->summary, M_run_elapsed_time_seconds);
    if (elapsed.kind == ROAST_NOTHING) {
        buf_text(&b->text, endings[ending].alone);
    } else {
        buf_text(&b->text, endings[ending].with_time);
        format_value(&b->text, elapsed, "s", FORM_UNIT);
        buf_text(&b->text, endings[ending].after);
    }
    add_phrase(b, &b->set->subline, endings[ending].tone);
    write_chunks(b);
    add_phrase(b, &b->set->subline, TONE_PLAIN);
    add_trouble(b, M_run_num_failed_chunks, " attempt failed", " attempts failed", TONE_BAD);
    add_trouble(b, M_run_workers_lost, " worker lost", " workers lost", TONE_WARN);
}

/* ---- Which tables -------------------------------------------------------------------------------------------- */

const char *table_id_at(size_t index)
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

static bool build_findings(builder *b, table *t)
{
    bool memory_out = false;
    bool told = findings_table(t, &b->set->memory, b->summary->explanation, FINDINGS_SHOWN, &memory_out);
    b->failed |= memory_out;
    if (!told && b->asked && !b->failed)
        t->more = STR("none");
    return told || b->asked;
}

static bool build_table(builder *b, const table_spec *spec, table *t)
{
    *t = (table){.id = spec->id, .title = str_from(spec->title), .more = str_none()};
    if (spec->pairs)
        return build_pairs(b, spec, t);
    if (spec->findings)
        return build_findings(b, t);
    if (spec->notes)
        return build_notes(b, t);
    bool built = build_grid(b, spec, t);
    if (built && spec->scope == ROAST_SCOPE_LEDGER)
        finish_ledger(b, t);
    return built;
}

roast_code tables_head(table_set *out, const roast_summary *summary, roast_error *err)
{
    *out = (table_set){0};
    builder b = {.summary = summary, .set = out};
    write_headline(&b);
    write_subline(&b);
    buf_release(&b.text);
    if (!b.failed)
        return ROAST_OK;
    tables_release(out);
    return fail_memory(err);
}

roast_code tables_build(table_set *out, const roast_summary *summary, const char *only, size_t limit, roast_error *err)
{
    *out = (table_set){0};
    roast_code code = check_ids(only, err);
    if (code)
        return code;
    builder b = {.summary = summary, .set = out, .limit = limit, .asked = only != NULL};
    write_headline(&b);
    write_subline(&b);
    out->tables = allocate(&b, TABLE_SPEC_COUNT, sizeof *out->tables);
    for (size_t i = 0; i < TABLE_SPEC_COUNT && !b.failed; i++)
        if ((!only || wanted(only, TABLE_SPECS[i].id)) && build_table(&b, &TABLE_SPECS[i], &out->tables[out->count]))
            out->count++;
    buf_release(&b.text);
    if (!b.failed)
        return ROAST_OK;
    tables_release(out);
    return fail_memory(err);
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

const char *outcome_text(roast_outcome outcome)
{
    static const char *const texts[] = {"running", "interrupted", "finished", "failed"};
    return (size_t)outcome < sizeof texts / sizeof texts[0] ? texts[outcome] : "unknown";
}
