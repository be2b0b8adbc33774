/* A list of runs, from their summaries: its numbers are those of every other view. */
#include "view/run_list.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/closest.h"
#include "base/error.h"
#include "base/str.h"
#include "view/json.h"
#include "view/missing.h"
#include "view/table_writer.h"

/* ---- Columns --------------------------------------------------------------------------------------------------- */

typedef enum list_column {
    COLUMN_RUN,
    WHEN,
    NAME,
    OUTCOME,
    MISSING,
    TIME,
    EVENTS,
    RATE,
    WORKERS,
    FILE_NAME,
    LIST_COLUMNS
} list_column;

/* Numbers are metrics of the run, in their units. */
static const table_column COLUMNS[LIST_COLUMNS] = {
    [COLUMN_RUN] = {"run", .shortens = true},
    [WHEN] = {"when (UTC)", .priority = 2},
    [NAME] = {"name", .shortens = true, .priority = 1},
    [OUTCOME] = {"outcome"},
    [MISSING] = {"missing", .align = TABLE_RIGHT, .priority = 0},
    [TIME] = {"wall time", M_run_elapsed_time_seconds, .align = TABLE_RIGHT, .priority = 1},
    [EVENTS] = {"events", M_run_total_events, .align = TABLE_RIGHT, .priority = 4},
    [RATE] = {"event rate", M_run_event_rate_elapsed_khz, .align = TABLE_RIGHT, .priority = 3},
    [WORKERS] = {"workers", M_run_avg_workers, .align = TABLE_RIGHT, .priority = 5},
    [FILE_NAME] = {"file", .shortens = true, .priority = 6},
};

/* What the columns are called when they are to be sorted by. */
static const char *const SORTS[] = {"when", "name", "outcome", "missing", "time", "events", "rate", "workers", "file"};

const char *roast_list_column(size_t index)
{
    return index < sizeof SORTS / sizeof *SORTS ? SORTS[index] : NULL;
}

static double missing_events(const roast_summary *s)
{
    return summary_real(s, M_run_missing_events);
}

/* ---- Order ----------------------------------------------------------------------------------------------------- */

/* A run by what it is sorted by: one of them is there. */
typedef struct sort_key {
    const roast_listed *run;
    size_t place;   /* equal ones stay as they are */
    roast_str text; /* the first of the alphabet first … */
    double number;  /* … the largest first; without one: last */
} sort_key;

static sort_key key_of(const roast_listed *run, list_column column)
{
    const roast_summary *s = run->summary;
    sort_key key = {.run = run, .number = (double)NAN};
    if (column == FILE_NAME)
        key.text = str_from(run->path);
    if (!s)
        return key;
    if (column == NAME)
        key.text = s->run_name;
    else if (column == OUTCOME)
        key.text = str_from(roast_outcome_name(s->outcome));
    else if (column == WHEN)
        key.number = clock_seconds(s->t_start_ns);
    else if (column == MISSING)
        key.number = missing_events(s);
    else if (column != FILE_NAME)
        key.number = summary_real(s, COLUMNS[column].metric);
    return key;
}

static int compare_keys(const void *left, const void *right)
{
    const sort_key *a = left, *b = right;
    bool known_a = isfinite(a->number), known_b = isfinite(b->number);
    int order = str_absent(a->text) - str_absent(b->text);
    if (!order)
        order = str_compare(a->text, b->text);
    if (!order)
        order = known_b - known_a;
    if (!order && known_a)
        order = (a->number < b->number) - (a->number > b->number);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static roast_code find_column(list_column *column, const char *sort, roast_error *err)
{
    for (size_t i = 0; roast_list_column(i); i++)
        if (str_equal(str_from(sort), str_from(roast_list_column(i)))) {
            *column = WHEN + (list_column)i;
            return ROAST_OK;
        }
    const char *close = closest_id(str_from(sort), roast_list_column);
    return close ? fail(err, ROAST_USAGE, "a list has no column \"%s\"; did you mean \"%s\"?", sort, close)
                 : fail(err, ROAST_USAGE, "a list has no column \"%s\"; see roast list --help", sort);
}

roast_code run_list_order(const roast_listed ***order, const roast_listed *runs, size_t count, const char *sort,
                          bool reverse, roast_error *err)
{
    list_column column = WHEN;
    *order = NULL;
    roast_code code = sort ? find_column(&column, sort, err) : ROAST_OK;
    if (code)
        return code;
    sort_key *keys = calloc(count + 1, sizeof *keys);
    *order = calloc(count + 1, sizeof **order);
    if (!keys || !*order) {
        free(keys);
        free(*order);
        return fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = key_of(&runs[i], column);
        keys[i].place = i;
    }
    if (sort)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        (*order)[reverse ? count - 1 - i : i] = keys[i].run;
    free(keys);
    return ROAST_OK;
}

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/* How it is to be named on the command line, as short as it can be. */
static void write_run(table_writer *w, const roast_listed *run)
{
    if (run->number)
        buf_format(&w->text, "@%zu", run->number);
    else
        buf_text(&w->text, run->path);
    writer_cell(w, TONE_STRONG, NOTHING);
}

/* To the minute: seconds tell no runs apart. */
static void write_when(table_writer *w, const roast_summary *s)
{
    enum { TO_THE_MINUTE = sizeof "2026-11-15 14:02" - 1 };
    buf time = {0};
    if (s->t_start_ns != ROAST_ABSENT)
        clock_format_utc(&time, s->t_start_ns);
    roast_str text = buf_view(&time);
    if (text.len > TO_THE_MINUTE)
        text.len = TO_THE_MINUTE;
    writer_text(w, text, TONE_PLAIN);
    w->failed |= time.code != ROAST_OK;
    buf_release(&time);
}

static void write_outcome(table_writer *w, const roast_summary *s)
{
    static const table_tone tones[] = {
        [ROAST_RUNNING] = TONE_GOOD,
        [ROAST_INTERRUPTED] = TONE_WARN,
        [ROAST_FINISHED] = TONE_PLAIN,
        [ROAST_FAILED] = TONE_BAD,
    };
    writer_text(w, str_from(roast_outcome_name(s->outcome)), tones[s->outcome]);
}

static void write_missing(table_writer *w, const roast_summary *s)
{
    missing_put_short(&w->text, s);
    writer_cell(w, is_complete(s) || !is_doubtful(s) ? TONE_QUIET : TONE_BAD, NOTHING);
}

static void write_read(table_writer *w, const roast_summary *s)
{
    write_when(w, s);
    writer_text(w, s->run_name, TONE_PLAIN);
    write_outcome(w, s);
    write_missing(w, s);
    for (list_column column = TIME; column <= WORKERS; column++) {
        metric_id metric = COLUMNS[column].metric;
        roast_value value = summary_value(s, metric); /* each in its own unit: runs differ by factors of thousands */
        format_value(&w->text, value, metric_info(metric)->unit, FORM_UNIT);
        writer_cell(w, value.kind == ROAST_NOTHING ? TONE_QUIET : TONE_PLAIN, value);
    }
}

static void write_not_read(table_writer *w)
{
    for (list_column column = WHEN; column <= WORKERS; column++)
        if (column == OUTCOME)
            writer_text(w, STR("unreadable"), TONE_BAD);
        else
            writer_text(w, STR(""), TONE_QUIET);
}

/* The number names a run of the cache folder; the file says more only where there is room for it. */
static bool any_number(const roast_listed *const *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (runs[i]->number)
            return true;
    return false;
}

static void write_reasons(table_writer *w, const roast_listed *const *runs, size_t count, size_t failed)
{
    static const table_column columns[] = {{"run", .shortens = true}, {"reason", .most_lines = 4}};
    if (!failed)
        return;
    writer_begin(w, "not_read", "Unreadable", columns, 2, failed);
    for (size_t i = 0; i < count; i++) {
        if (runs[i]->summary)
            continue;
        write_run(w, runs[i]);
        writer_text(w, str_from(runs[i]->why), TONE_BAD);
    }
}

roast_code run_list_tables(table_set *out, const roast_listed *const *runs, size_t count, roast_error *err)
{
    table_writer w;
    size_t failed = 0;
    bool numbered = any_number(runs, count);
    writer_init(&w, out, 2);
    writer_begin(&w, "runs", "Runs", COLUMNS, numbered ? LIST_COLUMNS : FILE_NAME, count);
    for (size_t i = 0; i < count; i++) {
        write_run(&w, runs[i]);
        if (runs[i]->summary)
            write_read(&w, runs[i]->summary);
        else
            write_not_read(&w), failed++;
        if (numbered)
            writer_text(&w, str_last_part(str_from(runs[i]->path)), TONE_QUIET);
    }
    write_reasons(&w, runs, count, failed);
    return writer_finish(&w, err);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void put_summary(json_writer *w, const roast_summary *s)
{
    static const metric_id metrics[] = {
        M_run_elapsed_time_seconds, M_run_total_events,  M_run_event_rate_elapsed_khz, M_run_avg_workers,
        M_run_peak_workers,         M_run_missing_files, M_run_missing_chunks,         M_run_missing_events,
    };
    json_put_text(w, "name", s->run_name);
    json_put_text(w, "outcome", str_from(roast_outcome_name(s->outcome)));
    json_put_int(w, "t_start_ns", s->t_start_ns);
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        json_put_value(w, metric_info(metrics[i])->name, summary_value(s, metrics[i]));
}

void run_list_json(buf *out, const roast_listed *const *runs, size_t count)
{
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        json_put_open(&w, NULL, '{');
        json_put_int(&w, "number", runs[i]->number ? (int64_t)runs[i]->number : ROAST_ABSENT);
        json_put_text(&w, "path", str_from(runs[i]->path));
        if (runs[i]->summary)
            put_summary(&w, runs[i]->summary);
        json_put_text(&w, "error", str_from(runs[i]->why));
        json_put_close(&w, '}');
    }
    json_put_close(&w, ']');
    buf_char(out, '\n');
}
