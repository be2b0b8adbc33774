/* Tables written row by row. */
#include "view/table_writer.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "view/table_specs.h"

roast_value real_value(double number)
{
    return isfinite(number) ? (roast_value){.kind = ROAST_REAL, .as.real = number} : NOTHING;
}

void *writer_alloc(table_writer *w, size_t count, size_t size)
{
    void *memory = arena_alloc(&w->set->memory, count, size);
    w->failed |= !memory;
    return memory;
}

static roast_str keep(table_writer *w)
{
    roast_str kept = w->text.code ? str_none() : arena_str(&w->set->memory, buf_view(&w->text));
    w->failed |= w->text.code || arena_str_failed(kept, buf_view(&w->text));
    buf_clear(&w->text);
    return str_absent(kept) ? STR("") : kept;
}

void writer_init(table_writer *w, table_set *set, size_t most_tables)
{
    *set = (table_set){0};
    *w = (table_writer){.set = set, .most_tables = most_tables};
    set->tables = writer_alloc(w, most_tables, sizeof *set->tables);
}

static bool is_number(const table_cell *cell)
{
    return cell->unit && (cell->value.kind == ROAST_INT || cell->value.kind == ROAST_REAL);
}

/* The largest number of a column, without its sign; 0 if they are not all of one unit, or there are none to compare. */
static double largest_in(const table *t, size_t column)
{
    const table_cell *first = NULL;
    double largest = 0;
    for (size_t row = 0; row < t->n_rows; row++) {
        const table_cell *cell = table_cell_at(t, row, column);
        if (!is_number(cell))
            continue;
        first = first ? first : cell;
        if (strcmp(cell->unit, first->unit) != 0 || cell->form != first->form)
            return 0;
        double number = cell->value.kind == ROAST_INT ? (double)cell->value.as.integer : cell->value.as.real;
        largest = isfinite(number) ? fmax(largest, fabs(number)) : largest;
    }
    return largest;
}

/* One unit per column: "0.34 s" below "1.20 s", not "340 ms". */
static void unify_columns(table_writer *w)
{
    table *t = w->current;
    for (size_t column = 0; t && (t->layout == TABLE_GRID || t->layout == TABLE_OPEN) && column < t->n_columns;
         column++) {
        double largest = largest_in(t, column);
        for (size_t row = 0; largest > 0 && row < t->n_rows; row++) {
            table_cell *cell = &t->cells[row * t->n_columns + column];
            if (!is_number(cell))
                continue;
            format_among(&w->text, cell->value, cell->unit, cell->form, largest);
            cell->text = keep(w);
        }
    }
    w->current = NULL;
}

roast_code writer_finish(table_writer *w, roast_error *err)
{
    unify_columns(w);
    buf_release(&w->text);
    if (!w->failed)
        return ROAST_OK;
    tables_release(w->set);
    return fail_memory(err);
}

void writer_begin(table_writer *w, const char *id, const char *title, const table_column *columns, size_t n_columns,
                  size_t most_rows)
{
    roast_str kept = title ? str_from(title) : keep(w);
    unify_columns(w);
    table_column *copied = writer_alloc(w, n_columns, sizeof *copied);
    table_cell *cells = writer_alloc(w, most_rows * n_columns, sizeof *cells);
    if (w->failed || w->set->count >= w->most_tables)
        return;
    memcpy(copied, columns, n_columns * sizeof *copied);
    w->current = &w->set->tables[w->set->count++];
    *w->current =
        (table){.id = id, .title = kept, .n_columns = n_columns, .columns = copied, .cells = cells, .more = str_none()};
    w->most_rows = most_rows;
    w->cells = 0;
}

void writer_layout(table_writer *w, table_layout layout)
{
    if (w->current)
        w->current->layout = layout;
}

void writer_begin_pairs(table_writer *w, const char *id, const char *title, table_layout layout, size_t most_rows)
{
    static const table_column columns[2] = {{.title = ""}, {.title = ""}};
    writer_begin(w, id, title, columns, 2, most_rows);
    writer_layout(w, layout);
}

void writer_cell(table_writer *w, table_tone tone, roast_value value)
{
    table *t = w->current;
    if (!t || w->cells >= w->most_rows * t->n_columns) {
        buf_clear(&w->text);
        return;
    }
    t->cells[w->cells++] = (table_cell){.text = keep(w), .value = value, .tone = tone, .share = (double)NAN};
    t->n_rows = w->cells / t->n_columns; /* rows that were written in full */
}

void writer_text(table_writer *w, roast_str text, table_tone tone)
{
    buf_str(&w->text, text);
    writer_cell(w, tone, NOTHING);
}

void writer_toned(table_writer *w, roast_value value, const char *unit, format_form form, table_tone tone)
{
    format_value(&w->text, value, unit, form);
    writer_cell(w, value.kind == ROAST_NOTHING ? TONE_QUIET : tone, value);
    if (w->current && w->cells) {
        w->current->cells[w->cells - 1].unit = unit;
        w->current->cells[w->cells - 1].form = form;
    }
}

void writer_value(table_writer *w, roast_value value, const char *unit, format_form form)
{
    writer_toned(w, value, unit, form, TONE_PLAIN);
}

void writer_number(table_writer *w, double number, const char *unit, format_form form)
{
    writer_value(w, real_value(number), unit, form);
}

void writer_bar(table_writer *w, double share, const char *colour)
{
    if (!w->current || !w->cells)
        return;
    w->current->cells[w->cells - 1].share = share;
    w->current->cells[w->cells - 1].colour = colour;
}

void writer_share(table_writer *w, double share)
{
    writer_bar(w, share, NULL);
}

static void write_pair(table_writer *w, const char *name, table_tone of_name, table_tone tone)
{
    roast_str text = keep(w);
    if (!text.len)
        return;
    writer_text(w, str_from(name), of_name);
    writer_text(w, text, tone);
}

void writer_pair(table_writer *w, const char *name, table_tone tone)
{
    write_pair(w, name, TONE_PLAIN, tone);
}

void writer_quiet_pair(table_writer *w, const char *name, table_tone tone)
{
    write_pair(w, name, TONE_QUIET, tone);
}

void writer_code(table_writer *w, const char *name)
{
    size_t before = w->cells;
    writer_pair(w, name, TONE_STRONG);
    if (w->current && w->cells > before)
        w->current->cells[w->cells - 1].is_code = true;
}

void writer_line(table_writer *w, const pair_spec *line)
{
    size_t before = w->cells;
    writer_text(w, str_from(line->title), TONE_PLAIN);
    if (w->current && w->cells > before)
        w->current->cells[before].line = line;
}

void writer_more(table_writer *w)
{
    w->failed |= w->text.code != ROAST_OK;
    if (w->current && w->text.len)
        w->current->more = keep(w);
}

void writer_rest(table_writer *w, size_t total)
{
    size_t shown = w->current ? w->current->n_rows : 0;
    if (total == 0) {
        buf_text(&w->text, "none");
    } else if (total > shown) {
        buf_text(&w->text, "and ");
        format_count(&w->text, (int64_t)(total - shown));
        buf_text(&w->text, " more");
    }
    writer_more(w);
}

void writer_phrase(table_writer *w, table_heading *heading, table_tone tone)
{
    w->failed |= w->text.code != ROAST_OK;
    if (w->text.len && heading->count < TABLE_PHRASES)
        heading->phrases[heading->count++] = (table_phrase){.text = keep(w), .tone = tone};
    buf_clear(&w->text);
}
