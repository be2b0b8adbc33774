/* The metric catalogue as tables: name, unit, meaning and other names, scope by scope. */
#include "view/catalogue.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

enum { NAME, UNIT, MEANING, ALIASES, COLUMNS };

static const table_column COLUMN_SPECS[COLUMNS] = {
    [NAME] = {.title = {"name", 4}},
    [UNIT] = {.title = {"unit", 4}, .priority = 1},
    [MEANING] = {.title = {"meaning", 7}, .most_lines = 6},
    [ALIASES] = {.title = {"also answers to", 15}, .most_lines = 6, .priority = 2},
};

static bool is_asked_for(const roast_metric *metric, const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++)
        if (strstr(metric->name, words[i]) || strstr(metric->aliases, words[i]))
            return true;
    return n_words == 0;
}

static void fill_row(table_cell *cells, const roast_metric *metric)
{
    const char *texts[COLUMNS] = {
        [NAME] = metric->name, [UNIT] = metric->unit, [MEANING] = metric->help, [ALIASES] = metric->aliases};
    for (size_t i = 0; i < COLUMNS; i++)
        cells[i] = (table_cell){.text = str_from(texts[i]), .share = (double)NAN};
    cells[NAME].tone = TONE_STRONG;
    cells[UNIT].tone = cells[ALIASES].tone = TONE_QUIET;
}

static bool build_scope(table_set *set, roast_scope scope, const char *const *words, size_t n_words)
{
    table t = {.id = roast_scope_name(scope), .title = str_from(roast_scope_name(scope)), .more = str_none()};
    t.n_columns = COLUMNS;
    t.columns = arena_alloc(&set->memory, COLUMNS, sizeof *t.columns);
    t.cells = arena_alloc(&set->memory, metric_count(scope) * COLUMNS, sizeof *t.cells);
    if (!t.columns || !t.cells)
        return false;
    memcpy(t.columns, COLUMN_SPECS, sizeof COLUMN_SPECS);
    for (metric_id id = metric_first(scope); id < METRIC_COUNT && metric_info(id)->scope == scope; id++)
        if (is_asked_for(metric_info(id), words, n_words))
            fill_row(&t.cells[COLUMNS * t.n_rows++], metric_info(id));
    if (t.n_rows)
        set->tables[set->count++] = t;
    return true;
}

roast_code catalogue_tables(table_set *out, const char *const *words, size_t n_words, roast_error *err)
{
    *out = (table_set){0};
    out->tables = arena_alloc(&out->memory, ROAST_SCOPE_COUNT, sizeof *out->tables);
    bool built = out->tables != NULL;
    for (size_t scope = 0; scope < ROAST_SCOPE_COUNT && built; scope++)
        built = build_scope(out, (roast_scope)scope, words, n_words);
    if (built)
        return ROAST_OK;
    tables_release(out);
    return fail_memory(err);
}
