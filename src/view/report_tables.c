/* Tables that only the report has. */
#include "view/report_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "view/format.h"

typedef struct maker {
    arena *memory;
    bool failed;
    buf text; /* of the cell being written */
} maker;

static const roast_value NOTHING = {.kind = ROAST_NOTHING};

static table make_table(maker *m, const char *id, const char *title, size_t columns, size_t rows)
{
    table t = {.id = id, .title = str_from(title), .n_columns = columns, .n_rows = rows, .more = str_none()};
    t.columns = arena_alloc(m->memory, columns, sizeof *t.columns);
    t.cells = arena_alloc(m->memory, rows * columns, sizeof *t.cells);
    m->failed |= !t.columns || !t.cells;
    if (m->failed)
        t.n_rows = t.n_columns = 0;
    return t;
}

/* What was written to the maker's text becomes a cell. */
static void set_cell(maker *m, table_cell *cell, roast_value value, double share)
{
    roast_str text = arena_str(m->memory, buf_view(&m->text));
    m->failed |= m->text.code || arena_str_failed(text, buf_view(&m->text));
    *cell = (table_cell){.text = text, .value = value, .share = share};
    if (cell->text.len == 0) {
        cell->text = STR("n/a");
        cell->tone = TONE_QUIET;
    }
    buf_clear(&m->text);
}

static void set_text(maker *m, table_cell *cell, roast_str text)
{
    buf_str(&m->text, text);
    set_cell(m, cell, NOTHING, (double)NAN);
}

static void set_number(maker *m, table_cell *cell, roast_value value, const char *unit, format_form form, double share)
{
    if (value.kind != ROAST_NOTHING)
        format_value(&m->text, value, unit, form);
    set_cell(m, cell, value, share);
}

static table finish(maker *m, table t, bool *failed)
{
    buf_release(&m->text);
    *failed |= m->failed;
    if (m->failed)
        t.n_rows = 0;
    return t;
}

/* ---- The slowest chunks -------------------------------------------------------------------------------------- */

static const table_column SLOWEST[] = {
    {.title = {"in process()", 12}, .align = TABLE_RIGHT, .bar = true},
    {.title = {"on the CPU", 10}, .align = TABLE_RIGHT},
    {.title = {"opening", 7}, .align = TABLE_RIGHT},
    {.title = {"events", 6}, .align = TABLE_RIGHT},
    {.title = {"peak memory", 11}, .align = TABLE_RIGHT},
    {.title = {"began after", 11}, .align = TABLE_RIGHT},
    {.title = {"dataset", 7}, .shortens = true},
    {.title = {"file", 4}, .shortens = true},
    {.title = {"entries", 7}, .align = TABLE_RIGHT},
    {.title = {"worker", 6}, .shortens = true},
    {.title = {"failed with", 11}, .shortens = true},
};

enum { SLOWEST_COLUMNS = sizeof SLOWEST / sizeof SLOWEST[0] };

static int compare_duration(const void *left, const void *right, void *context)
{
    const report_data *data = context;
    const report_chunk *a = &data->chunks[*(const uint32_t *)left], *b = &data->chunks[*(const uint32_t *)right];
    if (a->process != b->process)
        return a->process > b->process ? -1 : 1;
    return (a > b) - (a < b);
}

static roast_value real_or_nothing(double number)
{
    return isfinite(number) ? (roast_value){.kind = ROAST_REAL, .as.real = number} : NOTHING;
}

static roast_value int_or_nothing(int64_t number)
{
    return number == ROAST_ABSENT ? NOTHING : (roast_value){.kind = ROAST_INT, .as.integer = number};
}

static double in_seconds(const report_data *data, int64_t ticks)
{
    return ticks == ROAST_ABSENT ? (double)NAN : (double)ticks * (double)data->tick_ns / (double)NS_PER_S;
}

static void set_entries(maker *m, table_cell *cell, const report_chunk *chunk)
{
    if (chunk->entry_start != ROAST_ABSENT && chunk->entries != ROAST_ABSENT) {
        format_count(&m->text, chunk->entry_start);
        buf_text(&m->text, " – ");
        format_count(&m->text, (int64_t)((uint64_t)chunk->entry_start + (uint64_t)chunk->entries));
    }
    set_cell(m, cell, int_or_nothing(chunk->entry_start), (double)NAN);
}

static void set_slow_row(maker *m, table_cell *cells, const report_data *data, const report_chunk *chunk, double most)
{
    double process = in_seconds(data, chunk->process), nan = (double)NAN;
    double cpu_share = chunk->process > 0 ? 100 * in_seconds(data, chunk->cpu) / process : nan;
    double begun = in_seconds(data, chunk->begin);
    const roast_worker *worker = run_worker(data->run, chunk->worker);
    const roast_file *file = run_file(data->run, chunk->file);
    set_number(m, &cells[0], real_or_nothing(process), "s", FORM_UNIT, most > 0 ? process / most : nan);
    set_number(m, &cells[1], real_or_nothing(cpu_share), "%", FORM_UNIT, nan);
    set_number(m, &cells[2], real_or_nothing(in_seconds(data, chunk->open)), "s", FORM_UNIT, nan);
    set_number(m, &cells[3], int_or_nothing(chunk->events), "count", FORM_UNIT, nan);
    double memory = chunk->memory_kib == ROAST_ABSENT ? nan : (double)chunk->memory_kib * 1024;
    set_number(m, &cells[4], real_or_nothing(memory), "B", FORM_MEMORY, nan);
    set_number(m, &cells[5], real_or_nothing(begun), "s", FORM_UNIT, nan);
    set_text(m, &cells[6], run_dataset(data->run, chunk->dataset));
    set_text(m, &cells[7], file ? file->url : str_none());
    set_entries(m, &cells[8], chunk);
    set_text(m, &cells[9], worker ? worker->address : str_none());
    set_text(m, &cells[10], chunk->error ? data->errors[chunk->error - 1] : str_none());
    if (chunk->error)
        cells[10].tone = TONE_BAD;
    else
        cells[10] = (table_cell){.text = STR(""), .value = NOTHING, .share = nan};
}

table slowest_table(const report_data *data, size_t limit, arena *memory, bool *failed)
{
    maker m = {.memory = memory};
    size_t rows = data->series.n_chunks < limit ? data->series.n_chunks : limit;
    table t = make_table(&m, "slowest", "Slowest chunks", SLOWEST_COLUMNS, rows);
    uint32_t *order = calloc(data->series.n_chunks + 1, sizeof *order);
    m.failed |= !order;
    if (!m.failed) {
        memcpy(t.columns, SLOWEST, sizeof SLOWEST);
        for (uint32_t i = 0; i < data->series.n_chunks; i++)
            order[i] = i;
        qsort_r(order, data->series.n_chunks, sizeof *order, compare_duration, (void *)data);
        double most = rows ? in_seconds(data, data->chunks[order[0]].process) : 0;
        for (size_t row = 0; row < rows; row++)
            set_slow_row(&m, &t.cells[row * SLOWEST_COLUMNS], data, &data->chunks[order[row]], most);
    }
    free(order);
    return finish(&m, t, failed);
}

/* ---- Facts --------------------------------------------------------------------------------------------------- */

/* Times are in the heading, and the rest is for programs. */
static bool is_for_programs(roast_str key)
{
    return str_ends_with(key, STR("_ns")) || str_equal(key, STR("writer_process")) || str_equal(key, STR("state"));
}

table facts_table(const roast_summary *summary, arena *memory, bool *failed)
{
    maker m = {.memory = memory};
    table t = make_table(&m, "facts", "Machine and software", 2, summary->n_facts);
    size_t row = 0;
    for (size_t i = 0; !m.failed && i < summary->n_facts; i++) {
        if (is_for_programs(summary->facts[i].key))
            continue;
        set_text(&m, &t.cells[2 * row], summary->facts[i].key);
        set_text(&m, &t.cells[2 * row + 1], summary->facts[i].value);
        row++;
    }
    t.n_rows = row;
    t.pairs = true;
    return finish(&m, t, failed);
}

/* ---- What was not measured ----------------------------------------------------------------------------------- */

static bool is_absent_for(const roast_summary *summary, metric_id id, const char *why)
{
    return summary->why[id] && summary_value(summary, id).kind == ROAST_NOTHING &&
           (!why || strcmp(summary->why[id], why) == 0);
}

static bool was_said(const roast_summary *summary, metric_id id)
{
    for (metric_id before = 0; before < id; before++)
        if (is_absent_for(summary, before, summary->why[id]))
            return true;
    return false;
}

table absent_table(const roast_summary *summary, arena *memory, bool *failed)
{
    maker m = {.memory = memory};
    size_t reasons = 0;
    for (metric_id id = 0; id < METRIC_COUNT; id++)
        reasons += is_absent_for(summary, id, NULL) && !was_said(summary, id);
    table t = make_table(&m, "absent", "Not measured", 2, reasons);
    size_t row = 0;
    for (metric_id id = 0; !m.failed && id < METRIC_COUNT; id++) {
        if (!is_absent_for(summary, id, NULL) || was_said(summary, id))
            continue;
        const char *why = summary->why[id];
        set_text(&m, &t.cells[2 * row], str_from(why));
        for (metric_id other = id; other < METRIC_COUNT; other++)
            if (is_absent_for(summary, other, why))
                buf_format(&m.text, "%s%s", m.text.len ? ", " : "", metric_info(other)->name);
        set_cell(&m, &t.cells[2 * row + 1], NOTHING, (double)NAN);
        row++;
    }
    t.pairs = true;
    return finish(&m, t, failed);
}
