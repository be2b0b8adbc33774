/* Labels are looked up in the specs of the tables each time: no word of the screen is said twice. */
#include "view/labels.h"

#include "base/str.h"
#include "model/core_time.h"
#include "view/table_specs.h"

static void put_label(buf *out, const char *where, const char *of, const char *title, const char *after)
{
    buf_format(out, "%s%s: %s%s%s", out->len ? "; " : "", where, of ? of : "", of ? ", " : "", title);
    if (after && after[0])
        buf_format(out, " …%s", after);
}

static bool is_sub_line(const char *title)
{
    return title[0] == ' ';
}

static const char *without_indent(const char *title)
{
    return is_sub_line(title) ? title + 2 : title;
}

static void put_lines(buf *out, const table_spec *spec, metric_id id)
{
    const char *of = NULL;
    for (size_t i = 0; i < spec->n_pairs; i++) {
        const pair_spec *line = &spec->pairs[i];
        of = is_sub_line(line->title) ? of : line->title;
        for (size_t p = 0; p < MOST_PARTS && line->parts[p].after; p++)
            if (line->parts[p].metric == id)
                put_label(out, spec->title, is_sub_line(line->title) ? of : NULL, without_indent(line->title),
                          line->parts[p].after);
    }
}

static void put_columns(buf *out, const table_spec *spec, metric_id id)
{
    for (size_t i = 0; i < spec->n_columns; i++)
        if (spec->columns[i].metric == id && spec->columns[i].title[0])
            put_label(out, spec->title, NULL, spec->columns[i].title, NULL);
}

/* What the ledger has as rows, it has by dataset and by worker as columns: these are the metrics of the row. */
static void put_category(buf *out, metric_id id)
{
    const roast_metric *metric = metric_info(id);
    if (metric->scope != ROAST_SCOPE_DATASET_LEDGER && metric->scope != ROAST_SCOPE_WORKER_LEDGER)
        return;
    ledger_category category = ledger_category_find(str_from(metric->name));
    for (size_t i = 0; category < LEDGER_COUNT && i < TABLE_SPEC_COUNT; i++)
        if (TABLE_SPECS[i].kind == TABLE_OF_ROWS && TABLE_SPECS[i].scope == ROAST_SCOPE_LEDGER)
            put_label(out, TABLE_SPECS[i].title, NULL, CATEGORIES[category].title, NULL);
}

void labels_put(buf *out, metric_id id)
{
    put_category(out, id);
    for (size_t i = 0; i < TABLE_SPEC_COUNT; i++) {
        put_lines(out, &TABLE_SPECS[i], id);
        put_columns(out, &TABLE_SPECS[i], id);
    }
}

const char *labels_line(size_t index)
{
    for (size_t i = 0; i < TABLE_SPEC_COUNT; i++) {
        if (index < TABLE_SPECS[i].n_pairs)
            return without_indent(TABLE_SPECS[i].pairs[index].title);
        index -= TABLE_SPECS[i].n_pairs;
    }
    return index < LEDGER_COUNT ? CATEGORIES[index].title : NULL;
}
