/* The metric catalogue as tables: name, unit, meaning and other names, scope by scope. */
#include "view/catalogue.h"

#include <string.h>

#include "base/str.h"
#include "view/table_writer.h"

static const table_column COLUMNS[] = {
    {"name"},
    {"unit", .priority = 1},
    {"meaning", .most_lines = 6},
    {"also answers to", .most_lines = 6, .priority = 2},
};

static bool is_asked_for(const roast_metric *metric, const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++)
        if (strstr(metric->name, words[i]) || strstr(metric->aliases, words[i]))
            return true;
    return n_words == 0;
}

static void write_scope(table_writer *w, roast_scope scope, const char *const *words, size_t n_words)
{
    const char *name = roast_scope_name(scope);
    bool begun = false;
    for (metric_id id = metric_first(scope); id < METRIC_COUNT && metric_info(id)->scope == scope; id++) {
        const roast_metric *metric = metric_info(id);
        if (!is_asked_for(metric, words, n_words))
            continue;
        if (!begun)
            writer_begin(w, name, name, COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0], metric_count(scope));
        begun = true;
        writer_text(w, str_from(metric->name), TONE_STRONG);
        writer_text(w, str_from(metric->unit), TONE_QUIET);
        writer_text(w, str_from(metric->help), TONE_PLAIN);
        writer_text(w, str_from(metric->aliases), TONE_QUIET);
    }
}

roast_code catalogue_tables(table_set *out, const char *const *words, size_t n_words, roast_error *err)
{
    table_writer w;
    writer_init(&w, out, ROAST_SCOPE_COUNT);
    for (size_t scope = 0; scope < ROAST_SCOPE_COUNT; scope++)
        write_scope(&w, (roast_scope)scope, words, n_words);
    return writer_finish(&w, err);
}
