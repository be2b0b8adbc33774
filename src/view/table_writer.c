/* Tables written row by row. */
#include "view/table_writer.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

static const roast_value NOTHING = {.kind = ROAST_NOTHING};

static void *allocate(table_writer *w, size_t count, size_t size)
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
    set->tables = allocate(w, most_tables, sizeof *set->tables);
}

/* Rows that were written in full. */
static void end_table(table_writer *w)
{
    if (w->current && w->current->n_columns)
        w->current->n_rows = w->cells / w->current->n_columns;
    w->current = NULL;
}

roast_code writer_finish(table_writer *w, roast_error *err)
{
    end_table(w);
    buf_release(&w->text);
    if (!w->failed)
        return ROAST_OK;
    tables_release(w->set);
    return fail_memory(err);
}

void writer_begin(table_writer *w, const char *id, const char *title, const table_column *columns, size_t n_columns,
                  size_t most_rows)
{
    end_table(w);
    table_column *copied = allocate(w, n_columns, sizeof *copied);
    table_cell *cells = allocate(w, most_rows * n_columns, sizeof *cells);
    if (w->failed || w->set->count >= w->most_tables)
        return;
    memcpy(copied, columns, n_columns * sizeof *copied);
    w->current = &w->set->tables[w->set->count++];
    *w->current = (table){.id = id,
                          .title = str_from(title),
                          .n_columns = n_columns,
                          .columns = copied,
                          .cells = cells,
                          .more = str_none()};
    w->most_rows = most_rows;
    w->cells = 0;
}

void writer_cell(table_writer *w, table_tone tone, roast_value value)
{
    roast_str text = keep(w);
    if (w->current && w->cells < w->most_rows * w->current->n_columns)
        w->current->cells[w->cells++] = (table_cell){text, value, tone, (double)NAN};
}

void writer_text(table_writer *w, roast_str text, table_tone tone)
{
    buf_str(&w->text, text);
    writer_cell(w, tone, NOTHING);
}

void writer_share(table_writer *w, double share)
{
    if (w->current && w->cells)
        w->current->cells[w->cells - 1].share = share;
}

void writer_more(table_writer *w)
{
    w->failed |= w->text.code != ROAST_OK;
    if (w->current && w->text.len)
        w->current->more = keep(w);
}

void writer_phrase(table_writer *w, table_heading *heading, table_tone tone)
{
    w->failed |= w->text.code != ROAST_OK;
    if (w->text.len && heading->count < TABLE_PHRASES)
        heading->phrases[heading->count++] = (table_phrase){keep(w), tone};
    buf_clear(&w->text);
}
