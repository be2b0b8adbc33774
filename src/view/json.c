/* JSON for programs, written straight into a buffer: a summary of 100,000 files needs no tree of it in memory. */
#include "view/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/str.h"
#include "view/findings.h"
#include "view/number.h"
#include "view/since_words.h"
#include "view/table.h"
#include "view/text.h"

/* ---- The writer ---------------------------------------------------------------------------------------------- */

void json_put_quoted(buf *out, roast_str text)
{
    buf_char(out, '"');
    while (text.len) {
        uint32_t c = text_next(&text);
        if (c == '"' || c == '\\')
            buf_format(out, "\\%c", (int)c);
        else if (c == '\n')
            buf_text(out, "\\n");
        else if (c == '\t')
            buf_text(out, "\\t");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0))
            buf_format(out, "\\u%04x", (unsigned)c); /* the result may be shown on a terminal */
        else
            text_put(out, c);
    }
    buf_char(out, '"');
}

static void next_line(json_writer *w)
{
    buf_char(w->out, '\n');
    buf_repeat(w->out, STR("  "), (size_t)w->depth);
}

static void begin_item(json_writer *w)
{
    if (w->filled)
        buf_char(w->out, ',');
    if (w->depth)
        next_line(w);
    w->filled = true;
}

/* With a key: a new item. Without one: an element of an array, or the value of a key that was just written. */
static void begin_value(json_writer *w, const char *key)
{
    if (key)
        json_put_key(w, str_from(key));
    else if (!w->after_key)
        begin_item(w);
    w->after_key = false;
}

void json_put_key(json_writer *w, roast_str key)
{
    begin_item(w);
    json_put_quoted(w->out, key);
    buf_text(w->out, ": ");
    w->after_key = true;
}

void json_put_open(json_writer *w, const char *key, char bracket)
{
    begin_value(w, key);
    buf_char(w->out, bracket);
    w->depth++;
    w->filled = false;
}

void json_put_close(json_writer *w, char bracket)
{
    w->depth--;
    if (w->filled)
        next_line(w);
    buf_char(w->out, bracket);
    w->filled = true;
}

void json_put_text(json_writer *w, const char *key, roast_str text)
{
    begin_value(w, key);
    if (str_absent(text))
        buf_text(w->out, "null");
    else
        json_put_quoted(w->out, text);
}

void json_put_int(json_writer *w, const char *key, int64_t value)
{
    begin_value(w, key);
    if (value == ROAST_ABSENT)
        buf_text(w->out, "null");
    else
        buf_format(w->out, "%" PRId64, value);
}

void json_put_real(json_writer *w, const char *key, double value)
{
    begin_value(w, key);
    if (isfinite(value))
        number_put(w->out, value);
    else
        buf_text(w->out, "null");
}

void json_put_value(json_writer *w, const char *key, roast_value value)
{
    switch (value.kind) {
    case ROAST_NOTHING:
        json_put_text(w, key, str_none());
        break;
    case ROAST_INT:
        json_put_int(w, key, value.as.integer);
        break;
    case ROAST_REAL:
        json_put_real(w, key, value.as.real);
        break;
    case ROAST_TEXT:
        json_put_text(w, key, value.as.text);
        break;
    }
}

/* ---- The summary --------------------------------------------------------------------------------------------- */

/* The next alias of a metric: a plain one has an absent inner, "outer.inner" both. False after the last. */
static bool next_alias(roast_str *aliases, roast_str *outer, roast_str *inner)
{
    while (!str_absent(*aliases)) {
        *inner = str_split(aliases, ' ');
        if (inner->len == 0)
            continue;
        *outer = str_split(inner, '.');
        return true;
    }
    return false;
}

/* Writes the metrics that answer to outer.something, as one object. */
static void write_nested(json_writer *w, const roast_summary *summary, roast_str outer)
{
    json_put_key(w, outer);
    json_put_open(w, NULL, '{');
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
        if (metric_info(id)->scope != ROAST_SCOPE_RUN)
            continue;
        roast_str aliases = str_from(metric_info(id)->aliases), this_outer, inner;
        while (next_alias(&aliases, &this_outer, &inner))
            if (!str_absent(inner) && str_equal(this_outer, outer)) {
                json_put_key(w, inner);
                json_put_value(w, NULL, summary_value(summary, id));
            }
    }
    json_put_close(w, '}');
}

/* Whether a metric before this one answers to outer.something: then that has been written. */
static bool nested_before(metric_id before, roast_str outer)
{
    for (metric_id id = 0; id < before; id++) {
        roast_str aliases = str_from(metric_info(id)->aliases), this_outer, inner;
        while (metric_info(id)->scope == ROAST_SCOPE_RUN && next_alias(&aliases, &this_outer, &inner))
            if (!str_absent(inner) && str_equal(this_outer, outer))
                return true;
    }
    return false;
}

static void write_run_metrics(json_writer *w, const roast_summary *summary)
{
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
        const roast_metric *metric = metric_info(id);
        if (metric->scope != ROAST_SCOPE_RUN || !metric_has_column(id))
            continue;
        roast_value value = summary_value(summary, id);
        json_put_value(w, metric->name, value);
        roast_str aliases = str_from(metric->aliases), outer, inner;
        while (next_alias(&aliases, &outer, &inner)) {
            if (str_absent(inner)) {
                json_put_key(w, outer);
                json_put_value(w, NULL, value);
            } else if (!nested_before(id, outer)) {
                write_nested(w, summary, outer);
            }
        }
    }
}

static void write_row(json_writer *w, const roast_summary *summary, roast_scope scope, size_t row)
{
    json_put_open(w, NULL, '{');
    /* The metrics of a scope stand together. */
    for (metric_id id = metric_first(scope); id < METRIC_COUNT && metric_info(id)->scope == scope; id++)
        if (metric_has_column(id))
            json_put_value(w, metric_info(id)->name, summary_cell(summary, id, row));
    json_put_close(w, '}');
}

static void write_list(json_writer *w, const char *key, const roast_summary *summary, roast_scope scope)
{
    json_put_open(w, key, '[');
    for (size_t row = 0; row < summary->rows[scope].count; row++)
        write_row(w, summary, scope, row);
    json_put_close(w, ']');
}

/* Some metrics of each file, by its name, in the documented shape. */
static const metric_id FILE_FACTS[] = {
    M_file_compression_ratio, M_file_total_branches, M_file_total_tree_bytes, M_file_tree_uncompressed_bytes,
    M_file_algorithm,         M_file_level,          M_file_clusters,         M_file_baskets,
};
static const metric_id FILE_READS[] = {
    M_file_total_branches, M_file_branches_read,      M_file_branches_read_percent, M_file_total_tree_bytes,
    M_file_bytes_read,     M_file_bytes_read_percent, M_file_least_bytes_to_read,
};

static void write_by_file(json_writer *w, const char *key, const roast_summary *summary, const metric_id *metrics,
                          size_t count)
{
    json_put_open(w, key, '{');
    for (size_t row = 0; row < summary->rows[ROAST_SCOPE_FILE].count; row++) {
        if (summary_cell(summary, M_file_total_tree_bytes, row).kind == ROAST_NOTHING)
            continue; /* nothing is known of it */
        json_put_key(w, summary_cell(summary, M_file_file, row).as.text);
        json_put_open(w, NULL, '{');
        json_put_text(w, "filename", summary_cell(summary, M_file_file, row).as.text);
        for (size_t i = 0; i < count; i++)
            json_put_value(w, metric_info(metrics[i])->name, summary_cell(summary, metrics[i], row));
        json_put_close(w, '}');
    }
    json_put_close(w, '}');
}

/* Those that were read: of the thousands that were not, the sums in the other rows are enough. */
static void write_branches_read(json_writer *w, const roast_summary *summary)
{
    json_put_open(w, "branches_read", '[');
    for (size_t row = 0; row < summary->rows[ROAST_SCOPE_BRANCH].count; row++)
        if (str_equal(summary_cell(summary, M_branch_access, row).as.text, STR("read")))
            write_row(w, summary, ROAST_SCOPE_BRANCH, row);
    json_put_close(w, ']');
}

/* Rows by name, as older scripts expect them. */
static void write_by_name(json_writer *w, const char *key, const roast_summary *summary, metric_id name)
{
    roast_scope scope = metric_info(name)->scope;
    json_put_open(w, key, '{');
    for (size_t row = 0; row < summary->rows[scope].count; row++) {
        roast_value value = summary_cell(summary, name, row);
        json_put_key(w, value.kind == ROAST_TEXT ? value.as.text : STR("unknown"));
        write_row(w, summary, scope, row);
    }
    json_put_close(w, '}');
}

/* One metric of every file that has it, as a plain list. */
static void write_column(json_writer *w, const char *key, const roast_summary *summary, metric_id column)
{
    json_put_open(w, key, '[');
    for (size_t row = 0; row < summary->rows[metric_info(column)->scope].count; row++) {
        roast_value value = summary_cell(summary, column, row);
        if (value.kind != ROAST_NOTHING)
            json_put_value(w, NULL, value);
    }
    json_put_close(w, ']');
}

static void write_reasons(json_writer *w, const roast_summary *summary)
{
    json_put_open(w, "why_absent", '{');
    for (metric_id id = 0; id < METRIC_COUNT; id++)
        if (summary->why[id] && summary_value(summary, id).kind == ROAST_NOTHING)
            json_put_text(w, metric_info(id)->name, str_from(summary->why[id]));
    json_put_close(w, '}');
}

static void write_facts_and_notes(json_writer *w, const roast_summary *summary)
{
    json_put_open(w, "facts", '{');
    for (size_t i = 0; i < summary->n_facts; i++) {
        json_put_key(w, summary->facts[i].key);
        json_put_text(w, NULL, summary->facts[i].value);
    }
    json_put_close(w, '}');
    json_put_open(w, "notes", '[');
    for (size_t i = 0; i < summary->n_notes; i++) {
        json_put_open(w, NULL, '{');
        json_put_text(w, "level", summary->notes[i].level);
        json_put_text(w, "text", summary->notes[i].text);
        json_put_close(w, '}');
    }
    json_put_close(w, ']');
}

void json_summary(buf *out, const roast_summary *summary)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_text(&w, "name", summary->run_name);
    json_put_text(&w, "outcome", str_from(roast_outcome_name(summary->outcome)));
    json_put_int(&w, "t_start_ns", summary->t_start_ns);
    json_put_int(&w, "t_end_ns", summary->t_end_ns);
    write_run_metrics(&w, summary);
    write_reasons(&w, summary);
    write_by_name(&w, "per_dataset", summary, M_dataset_dataset);
    write_by_name(&w, "sections", summary, M_section_section);
    write_list(&w, "files", summary, ROAST_SCOPE_FILE);
    write_column(&w, "compression_ratios", summary, M_file_compression_ratio);
    write_column(&w, "bytes_read_percent_per_file", summary, M_file_bytes_read_percent);
    write_by_file(&w, "file_metadata", summary, FILE_FACTS, sizeof FILE_FACTS / sizeof *FILE_FACTS);
    write_by_file(&w, "file_read_metrics", summary, FILE_READS, sizeof FILE_READS / sizeof *FILE_READS);
    write_branches_read(&w, summary);
    write_list(&w, "storage", summary, ROAST_SCOPE_STORAGE);
    write_list(&w, "workers", summary, ROAST_SCOPE_WORKER);
    write_list(&w, "errors", summary, ROAST_SCOPE_ERROR);
    write_list(&w, "failures", summary, ROAST_SCOPE_FAILURE);
    write_list(&w, "missing", summary, ROAST_SCOPE_MISSING);
    write_list(&w, "activities", summary, ROAST_SCOPE_ACTIVITY);
    write_by_name(&w, "ledger", summary, M_ledger_category);
    write_by_name(&w, "ledger_per_dataset", summary, M_dataset_ledger_dataset);
    write_by_name(&w, "ledger_per_worker", summary, M_worker_ledger_worker);
    findings_json(&w, summary, summary->explanation);
    since_last_json(&w, summary);
    write_facts_and_notes(&w, summary);
    json_put_close(&w, '}');
    buf_char(out, '\n');
}

/* ---- The catalogue ------------------------------------------------------------------------------------------- */

void json_catalogue(buf *out)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '[');
    for (size_t i = 0; i < roast_metric_count(); i++) {
        const roast_metric *metric = roast_metric_at(i);
        json_put_open(&w, NULL, '{');
        json_put_text(&w, "scope", str_from(roast_scope_name(metric->scope)));
        json_put_text(&w, "name", str_from(metric->name));
        json_put_text(&w, "kind", str_from(metric->kind));
        json_put_text(&w, "unit", str_from(metric->unit));
        json_put_open(&w, "aliases", '[');
        roast_str aliases = str_from(metric->aliases);
        while (!str_absent(aliases)) {
            roast_str alias = str_split(&aliases, ' ');
            if (alias.len)
                json_put_text(&w, NULL, alias);
        }
        json_put_close(&w, ']');
        json_put_text(&w, "formula", str_from(metric->formula));
        json_put_text(&w, "help", str_from(metric->help));
        json_put_close(&w, '}');
    }
    json_put_close(&w, ']');
    buf_char(out, '\n');
}
