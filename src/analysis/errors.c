/* Failures grouped by what went wrong. Messages of one error differ in paths and numbers, which do not count. */
#include "analysis/analysis.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/saturate.h"
#include "base/str.h"

typedef struct error_group {
    size_t first; /* of its failures */
    int64_t count, files, workers, lost_events;
    double lost_seconds;
    bool natures_differ;
} error_group;

typedef struct error_grouping {
    roast_summary *summary;
    arena memory;
    error_group *groups;
    intern shapes;      /* of errors: number is the index into groups */
    intern seen;        /* files and workers of each error */
    intern sites;       /* files by type of error … */
    uint32_t *error_at; /* … and the error of the first failure there */
    buf key;
    bool failed;
} error_grouping;

static roast_str text_at(const error_grouping *g, metric_id column, size_t row)
{
    return summary_cell_string(g->summary, column, row);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The first line of a message, without what differs from file to file. */
static void put_shape(buf *out, roast_str message)
{
    roast_str line = str_absent(message) ? message : str_split(&message, '\n');
    while (!str_absent(line)) {
        roast_str word = str_split(&line, ' ');
        bool path = word.len && memchr(word.ptr, '/', word.len);
        for (size_t i = 0; i < word.len && !path; i++)
            if (!is_digit(word.ptr[i]))
                buf_char(out, word.ptr[i]);
        buf_char(out, ' ');
    }
}

/* The number of what was written to key, and whether it is new. */
static uint32_t number_of(error_grouping *g, intern *table, bool *added)
{
    uint32_t number = g->key.code ? INTERN_NONE : intern_add(table, buf_view(&g->key), added);
    g->failed |= number == INTERN_NONE;
    buf_clear(&g->key);
    return number;
}

static uint32_t error_of(error_grouping *g, size_t failure)
{
    buf_str(&g->key, text_at(g, M_failure_error_type, failure));
    buf_char(&g->key, '\n');
    put_shape(&g->key, text_at(g, M_failure_error, failure));
    return number_of(g, &g->shapes, NULL);
}

/* Whether the error meets this file or worker for the first time. */
static bool first_met(error_grouping *g, uint32_t error, metric_id column, size_t failure)
{
    roast_str name = text_at(g, column, failure);
    bool added = false;
    if (str_absent(name))
        return false;
    buf_format(&g->key, "%u %d ", error, (int)column);
    buf_str(&g->key, name);
    number_of(g, &g->seen, &added);
    return added;
}

static void put_site(error_grouping *g, roast_str error_type, roast_str file)
{
    buf_str(&g->key, error_type);
    buf_char(&g->key, '\n');
    buf_str(&g->key, file);
}

static void add_failure(error_grouping *g, size_t failure)
{
    uint32_t error = error_of(g, failure);
    if (g->failed)
        return;
    error_group *group = &g->groups[error];
    group->first = group->count ? group->first : failure;
    saturated_add(&group->count, summary_cell(g->summary, M_failure_count, failure).as.integer);
    group->lost_seconds += summary_cell_number(g->summary, M_failure_lost_seconds, failure);
    group->files += first_met(g, error, M_failure_file, failure);
    group->workers += first_met(g, error, M_failure_worker, failure);
    group->natures_differ |=
        !str_equal(text_at(g, M_failure_nature, group->first), text_at(g, M_failure_nature, failure));
    bool added = false;
    put_site(g, text_at(g, M_failure_error_type, failure), text_at(g, M_failure_file, failure));
    uint32_t site = number_of(g, &g->sites, &added);
    if (added && !g->failed)
        g->error_at[site] = error;
}

/* Events are lost to the error that their file met. */
static void add_missing(error_grouping *g, size_t missing)
{
    put_site(g, text_at(g, M_missing_error_type, missing), text_at(g, M_missing_file, missing));
    uint32_t site = g->key.code ? INTERN_NONE : intern_find(&g->sites, buf_view(&g->key));
    g->failed |= g->key.code != ROAST_OK;
    buf_clear(&g->key);
    roast_value events = summary_cell(g->summary, M_missing_events, missing);
    if (site != INTERN_NONE && events.kind == ROAST_INT)
        saturated_add(&g->groups[g->error_at[site]].lost_events, events.as.integer);
}

static void fill_row(const error_grouping *g, size_t row)
{
    roast_summary *s = g->summary;
    const error_group *group = &g->groups[row];
    summary_cell_text(s, M_error_error_type, row, text_at(g, M_failure_error_type, group->first));
    summary_cell_int(s, M_error_count, row, group->count);
    summary_cell_int(s, M_error_files, row, group->files);
    summary_cell_int(s, M_error_workers, row, group->workers);
    summary_cell_real(s, M_error_lost_seconds, row, group->lost_seconds);
    summary_cell_int(s, M_error_lost_events, row, group->lost_events);
    summary_cell_text(s, M_error_nature, row,
                      group->natures_differ ? STR("mixed") : text_at(g, M_failure_nature, group->first));
    summary_cell_text(s, M_error_error, row, text_at(g, M_failure_error, group->first));
}

roast_code analyse_errors(analysis *a, roast_error *err)
{
    error_grouping g = {.summary = a->summary};
    size_t failures = a->summary->rows[ROAST_SCOPE_FAILURE].count;
    g.groups = arena_alloc(&g.memory, failures, sizeof *g.groups);
    g.error_at = arena_alloc(&g.memory, failures, sizeof *g.error_at);
    g.failed = !g.groups || !g.error_at;
    for (size_t i = 0; i < failures && !g.failed; i++)
        add_failure(&g, i);
    for (size_t i = 0; i < a->summary->rows[ROAST_SCOPE_MISSING].count && !g.failed; i++)
        add_missing(&g, i);
    g.failed = g.failed || !summary_add_rows(a->summary, ROAST_SCOPE_ERROR, g.shapes.count);
    for (size_t row = 0; row < g.shapes.count && !g.failed; row++)
        fill_row(&g, row);
    intern_release(&g.shapes);
    intern_release(&g.seen);
    intern_release(&g.sites);
    buf_release(&g.key);
    arena_release(&g.memory);
    return g.failed ? fail_memory(err) : ROAST_OK;
}
