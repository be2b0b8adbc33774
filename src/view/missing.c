/* What is missing, in words and as JSON. */
#include "view/missing.h"

#include <math.h>

#include "analysis/completeness.h"
#include "base/str.h"
#include "view/format.h"
#include "view/hint.h"
#include "view/json.h"
#include "view/text.h"

enum { DATASETS_NAMED = 3, FILES_NAMED = 2, ERROR_SHOWN = 48 };

static size_t rows_of(const roast_summary *s)
{
    return s->rows[ROAST_SCOPE_MISSING].count;
}

static bool is_incomplete(const roast_summary *s)
{
    return rows_of(s) > 0;
}

/* Why a Runner's result may lack something that nobody can name. */
static roast_str doubt(const roast_summary *s)
{
    return summary_fact(s, "no_completeness");
}

bool is_doubtful(const roast_summary *s)
{
    return is_incomplete(s) || !str_absent(doubt(s));
}

bool is_complete(const roast_summary *s)
{
    return s->outcome == ROAST_FINISHED && summary_real(s, M_run_missing_files) == 0 &&
           summary_real(s, M_run_missing_chunks) == 0 && summary_real(s, M_run_missing_events) == 0;
}

/* ---- The line ------------------------------------------------------------------------------------------------ */

/* Events of the parts whose size is known. */
static double least_events(const roast_summary *s)
{
    double events = 0;
    for (size_t i = 0; i < rows_of(s); i++)
        events += fmax(summary_cell_number(s, M_missing_events, i), 0); /* fmax passes over what is absent */
    return events;
}

static void put_share(buf *out, double part, double whole)
{
    if (!(whole > 0))
        return;
    buf_text(out, " (");
    format_percent(out, 100 * part / whole);
    buf_text(out, ")");
}

static bool is_of_a_runner_that_raised(const roast_summary *s, size_t row)
{
    return str_equal(summary_cell_string(s, M_missing_raised, row), STR("yes"));
}

static const char *kind_of_alarm(const roast_summary *s)
{
    if (missing_from_a_result(s))
        return "INCOMPLETE: ";
    return s->outcome == ROAST_FINISHED ? "INCOMPLETE, a Runner raised: " : "NO RESULT, the run raised: ";
}

static void put_events(buf *out, const roast_summary *s)
{
    double events = summary_real(s, M_run_missing_events), expected = summary_real(s, M_run_events_expected);
    double least = least_events(s);
    buf_text(out, kind_of_alarm(s));
    if (!(events >= 0) && least > 0)
        buf_text(out, "at least ");
    if (!(events >= 0) && !(least > 0)) {
        buf_text(out, "events are missing, how many is not known");
        return;
    }
    format_count(out, (int64_t)least);
    if (expected > 0) {
        buf_text(out, " of ");
        format_count(out, (int64_t)expected);
    }
    buf_text(out, least == 1 && !(expected > 0) ? " event is missing" : " events are missing");
    put_share(out, least, expected);
}

void missing_put_short(buf *out, const roast_summary *s)
{
    double events = summary_real(s, M_run_missing_events), chunks = summary_real(s, M_run_missing_chunks);
    double files = summary_real(s, M_run_missing_files);
    if (events > 0 || is_complete(s))
        format_count(out, (int64_t)events);
    else if (is_incomplete(s) && chunks > 0)
        format_things(out, (int64_t)chunks, "chunk", "chunks");
    else if (is_incomplete(s) && files > 0)
        format_things(out, (int64_t)files, "file", "files");
    else
        buf_text(out, is_doubtful(s) ? "not known" : "n/a");
}

/* "4 chunks of 1 file", "2 files never opened". */
static void put_where(buf *out, const roast_summary *s)
{
    size_t unopened = 0, raised = 0;
    for (size_t i = 0; i < rows_of(s); i++) {
        unopened += summary_cell(s, M_missing_entry_start, i).kind == ROAST_NOTHING;
        raised += is_of_a_runner_that_raised(s, i);
    }
    double chunks = summary_real(s, M_run_missing_chunks), files = summary_real(s, M_run_missing_files);
    if (chunks > 0) {
        format_things(out, (int64_t)chunks, raised ? "chunk" : "chunk never succeeded",
                      raised ? "chunks" : "chunks never succeeded");
        buf_text(out, unopened ? ", " : " in ");
    }
    if (unopened)
        format_things(out, (int64_t)unopened, raised ? "file" : "file never opened",
                      raised ? "files" : "files never opened");
    else
        format_things(out, (int64_t)files, "file", "files");
}

/* How much of a dataset is missing, in terms that can be compared: as a share of its events, else all that is known. */
static double share_of_dataset(const roast_summary *s, size_t row)
{
    double events = summary_cell_number(s, M_dataset_missing_events, row),
           files = summary_cell_number(s, M_dataset_missing_files, row);
    double share = events / summary_cell_number(s, M_dataset_events_expected, row);
    return isfinite(share) ? share : files > 0 ? 1 : 0;
}

static void put_dataset(buf *out, const roast_summary *s, size_t row)
{
    double events = summary_cell_number(s, M_dataset_missing_events, row),
           files = summary_cell_number(s, M_dataset_missing_files, row);
    double expected = summary_cell_number(s, M_dataset_events_expected, row);
    buf_str(out, summary_cell_string(s, M_dataset_dataset, row));
    buf_text(out, ": ");
    if (expected > 0) {
        format_percent(out, 100 * events / expected);
        buf_text(out, " of its events missing");
    } else if (events > 0) {
        format_things(out, (int64_t)events, "event", "events");
    } else {
        format_things(out, (int64_t)files, "file", "files");
    }
}

static void write_datasets(table_writer *w, table_heading *heading, const roast_summary *s)
{
    double below = HUGE_VAL;
    size_t last = 0, named = 0, count = s->rows[ROAST_SCOPE_DATASET].count;
    for (; named < DATASETS_NAMED; named++) {
        size_t worst = count;
        for (size_t i = 0; i < count; i++) { /* the next one in order: share, then row */
            double share = share_of_dataset(s, i);
            bool next = share < below || (share == below && i > last);
            if (share > 0 && next && (worst == count || share > share_of_dataset(s, worst)))
                worst = i;
        }
        if (worst == count)
            return;
        below = share_of_dataset(s, worst);
        last = worst;
        put_dataset(&w->text, s, worst);
        writer_phrase(w, heading, TONE_BAD);
    }
}

/* At most so many bytes of a text, whole characters only. */
static size_t characters_within(roast_str text, size_t most)
{
    size_t end = text.len < most ? text.len : most;
    while (end > 0 && end < text.len && ((unsigned char)text.ptr[end] & 0xc0) == 0x80)
        end--;
    return end;
}

static void put_error(buf *out, const roast_summary *s, size_t row)
{
    buf said = {0};
    text_error(&said, summary_cell_string(s, M_missing_error, row));
    roast_str type = summary_cell_string(s, M_missing_error_type, row), text = buf_view(&said);
    buf_str(out, str_last_part(summary_cell_string(s, M_missing_file, row)));
    buf_text(out, ": ");
    buf_str(out, type);
    if (text.len)
        buf_text(out, type.len ? ": " : "");
    size_t shown = characters_within(text, ERROR_SHOWN);
    buf_str(out, (roast_str){text.ptr, shown});
    buf_text(out, shown < text.len ? "…" : "");
    if (!type.len && !text.len)
        buf_text(out, "no attempt was recorded");
    out->code = out->code ? out->code : said.code;
    buf_release(&said);
}

static void write_files(table_writer *w, table_heading *heading, const roast_summary *s)
{
    roast_str before = str_none();
    for (size_t i = 0, named = 0; i < rows_of(s) && named < FILES_NAMED; i++) {
        roast_str file = summary_cell_string(s, M_missing_file, i);
        if (str_absent(file) || (!str_absent(before) && str_equal(file, before)))
            continue;
        if (is_of_a_runner_that_raised(s, i) &&
            str_absent(summary_cell_string(s, M_missing_error_type, i))) /* it is as good as any other */
            continue;
        put_error(&w->text, s, i);
        writer_phrase(w, heading, TONE_BAD);
        before = file;
        named++;
    }
}

static void write_doubt(table_writer *w, table_heading *heading, const roast_summary *s)
{
    if (str_absent(doubt(s)))
        return;
    buf_text(&w->text, "NOT KNOWN TO BE COMPLETE: ");
    buf_str(&w->text, doubt(s));
    writer_phrase(w, heading, TONE_WARN);
}

/* How much of what; without a result all of every dataset is missing, and where is not worth saying. */
static void write_lost(table_writer *w, table_heading *heading, const roast_summary *s)
{
    put_events(&w->text, s);
    writer_phrase(w, heading, TONE_BAD);
    if (!missing_from_a_result(s) && s->outcome != ROAST_FINISHED)
        return;
    put_where(&w->text, s);
    writer_phrase(w, heading, TONE_BAD);
    write_datasets(w, heading, s);
}

void missing_write_verdict(table_writer *w, table_heading *heading, const roast_summary *s)
{
    if (!is_incomplete(s)) {
        write_doubt(w, heading, s);
        return;
    }
    buf_text(&w->text, "! ");
    write_lost(w, heading, s);
    if (!s->rows[ROAST_SCOPE_FAILURE].count) /* else the screen says what failed */
        write_files(w, heading, s);
}

void missing_write_alarm(table_writer *w, const roast_summary *s)
{
    table_heading *alarm = &w->set->alarm;
    if (!is_incomplete(s)) {
        write_doubt(w, alarm, s);
        return;
    }
    write_lost(w, alarm, s);
    write_files(w, alarm, s);
    buf_text(&w->text, "what to run again: ");
    hint_show(&w->text, s, "missing");
    writer_phrase(w, alarm, TONE_PLAIN);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static bool is_whole_file(const roast_summary *s, size_t row)
{
    return str_equal(summary_cell_string(s, M_missing_whole_file, row), STR("yes"));
}

static bool same_cell(const roast_summary *s, metric_id column, size_t row, size_t other)
{
    return str_equal(summary_cell_string(s, column, row), summary_cell_string(s, column, other));
}

/* Files of which nothing is there, as a Runner takes them: {dataset: {"files": {file: tree}}}. Rows are in the order of
 * datasets and files. */
static void put_fileset(json_writer *w, const roast_summary *s)
{
    bool open = false;
    size_t last = 0;
    json_put_open(w, "fileset", '{');
    for (size_t i = 0; i < rows_of(s); i++) {
        if (!is_whole_file(s, i) || str_absent(summary_cell_string(s, M_missing_file, i)))
            continue;
        bool same_dataset = open && same_cell(s, M_missing_dataset, i, last);
        if (same_dataset && same_cell(s, M_missing_file, i, last))
            continue;
        if (open && !same_dataset) {
            json_put_close(w, '}');
            json_put_close(w, '}');
        }
        if (!same_dataset) {
            roast_str dataset = summary_cell_string(s, M_missing_dataset, i);
            json_put_key(w, str_absent(dataset) ? STR("") : dataset);
            json_put_open(w, NULL, '{');
            json_put_open(w, "files", '{');
        }
        json_put_key(w, summary_cell_string(s, M_missing_file, i));
        json_put_text(w, NULL, summary_cell_string(s, M_missing_treename, i));
        open = true;
        last = i;
    }
    if (open) {
        json_put_close(w, '}');
        json_put_close(w, '}');
    }
    json_put_close(w, '}');
}

static void put_row(json_writer *w, const roast_summary *s, size_t row)
{
    metric_id first = metric_first(ROAST_SCOPE_MISSING);
    json_put_open(w, NULL, '{');
    for (metric_id id = first; id < first + metric_count(ROAST_SCOPE_MISSING); id++)
        json_put_value(w, metric_info(id)->name, summary_cell(s, id, row));
    json_put_close(w, '}');
}

void missing_document(buf *out, const roast_summary *s)
{
    static const metric_id numbers[] = {M_run_events_expected, M_run_missing_events, M_run_missing_chunks,
                                        M_run_missing_files};
    json_writer w = {.out = out};
    json_put_open(&w, NULL, '{');
    json_put_text(&w, "name", s->run_name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_put_value(&w, metric_info(numbers[i])->name, summary_value(s, numbers[i]));
    json_put_open(&w, "why_absent", '{');
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (s->why[numbers[i]] && summary_value(s, numbers[i]).kind == ROAST_NOTHING)
            json_put_text(&w, metric_info(numbers[i])->name, str_from(s->why[numbers[i]]));
    json_put_close(&w, '}');
    json_put_open(&w, "missing", '[');
    for (size_t i = 0; i < rows_of(s); i++)
        put_row(&w, s, i);
    json_put_close(&w, ']');
    put_fileset(&w, s);
    json_put_close(&w, '}');
    buf_char(out, '\n');
}
