/* The headings: one set for pages with all tables, one for the screen, of the same phrases. */
#include "view/heading.h"

#include <math.h>

#include "analysis/coverage.h"
#include "base/clock.h"
#include "base/str.h"
#include "view/format.h"
#include "view/missing.h"
#include "view/since_words.h"

/* ---- What ran ------------------------------------------------------------------------------------------------- */

/* The first so many of the packages that matter most. */
static void write_versions(table_writer *w, const roast_summary *summary, size_t most)
{
    static const char *const packages[] = {"coffea", "uproot", "distributed", "dask", "taskvine", "parsl"};
    for (size_t i = 0; i < sizeof packages / sizeof packages[0] && i < most; i++) {
        roast_str version = summary_fact(summary, packages[i]);
        if (str_absent(version) || version.len == 0)
            continue;
        if (w->text.len)
            buf_text(&w->text, " · ");
        buf_format(&w->text, "%s ", packages[i]);
        buf_str(&w->text, version);
    }
}

static void write_cluster(table_writer *w, const roast_summary *summary)
{
    roast_str engine = summary_fact(summary, "engine");
    buf_str(&w->text, str_absent(engine) ? summary_fact(summary, "backend") : engine);
    roast_value workers = summary_value(summary, M_run_peak_workers);
    roast_value cores = summary_value(summary, M_run_cores_per_worker);
    if (workers.kind == ROAST_NOTHING || !(value_number(workers) > 0))
        return;
    buf_text(&w->text, w->text.len ? ", " : "");
    format_things(&w->text, (int64_t)value_number(workers), "worker", "workers");
    double per_worker = value_number(cores);
    if (per_worker >= 1 && per_worker < 1e6 && per_worker == floor(per_worker))
        buf_format(&w->text, " × %.0f %s", per_worker, per_worker == 1 ? "core" : "cores");
}

static void write_what_ran(table_writer *w, const roast_summary *summary)
{
    table_heading *heading = &w->set->headline;
    buf_str(&w->text, summary->run_name);
    if (w->text.len == 0)
        buf_text(&w->text, "unnamed run");
    writer_phrase(w, heading, TONE_STRONG);
    if (summary->t_start_ns != ROAST_ABSENT)
        clock_format_utc(&w->text, summary->t_start_ns);
    writer_phrase(w, heading, TONE_PLAIN);
}

/* ---- How it ended ---------------------------------------------------------------------------------------------- */

typedef struct chunk_counts {
    double done, all; /* all: NAN if it is not known to be more */
    bool partly;      /* some were not measured: done are the others */
} chunk_counts;

/* Chunks that succeeded, of those that were submitted, as far as either is known. */
static chunk_counts count_chunks(const roast_summary *summary)
{
    double submitted = value_number(summary_value(summary, M_run_num_chunks));
    double missing = value_number(summary_value(summary, M_run_missing_chunks));
    double expected = value_number(summary_value(summary, M_run_chunks_expected));
    double not_measured = value_number(summary_value(summary, M_run_chunks_not_measured));
    chunk_counts c = {.done = value_number(summary_value(summary, M_run_num_successful_chunks)),
                      .partly = not_measured > 0 || partly_measured(summary)};
    if (c.partly && isnan(c.done))
        c.done = 0;
    c.done = isnan(c.done) ? submitted : c.done;
    c.all = !isnan(expected) ? expected : c.done + (c.partly ? not_measured : missing);
    c.all = fmax(submitted, c.all); /* fmax passes over what is absent */
    return c;
}

bool put_chunk_counts(buf *out, const roast_summary *summary)
{
    chunk_counts c = count_chunks(summary);
    if (!(fabs(c.done) < 1e15)) /* not known, or nothing that counts chunks */
        return false;
    format_count(out, (int64_t)c.done);
    if (c.all > c.done && c.all < 1e15) {
        buf_text(out, " of ");
        format_count(out, (int64_t)c.all);
    }
    return true;
}

/* "1 842 of 1 850 chunks"; where some were not measured it is "36 of 80 chunks measured". */
static void write_chunks(table_writer *w, const roast_summary *summary)
{
    chunk_counts c = count_chunks(summary);
    if (!put_chunk_counts(&w->text, summary))
        return;
    buf_text(&w->text, c.done == 1 && !(c.all > 1) ? " chunk" : " chunks");
    buf_text(&w->text, c.partly && !(c.all == c.done) ? " measured" : "");
    writer_phrase(w, &w->set->subline, TONE_PLAIN);
}

/* As much of a time as can be foretold. */
static void put_roughly(buf *out, double seconds)
{
    if (seconds < 90)
        buf_format(out, "%.0f s", seconds < 10 ? ceil(seconds) : 5 * round(seconds / 5));
    else if (seconds < 5400)
        buf_format(out, "%.0f min", seconds / 60);
    else
        buf_format(out, "%.1f h", seconds / 3600);
}

/* "about 3 min left at the pace of the last 60 s" */
static void write_progress(table_writer *w, const roast_summary *summary)
{
    const run_progress *progress = &summary->progress;
    if (!(progress->seconds_left > 0))
        return;
    buf_text(&w->text, "about ");
    put_roughly(&w->text, progress->seconds_left);
    buf_text(&w->text, " left at the pace of the ");
    buf_text(&w->text, progress->pace_seconds > 0 ? "last " : "whole run");
    if (progress->pace_seconds > 0)
        put_roughly(&w->text, progress->pace_seconds);
    writer_phrase(w, &w->set->subline, TONE_PLAIN);
}

static void add_trouble(table_writer *w, const roast_summary *summary, metric_id metric, const char *one,
                        const char *many, table_tone tone)
{
    roast_value value = summary_value(summary, metric);
    if (value.kind == ROAST_NOTHING || !(value_number(value) > 0))
        return;
    format_things(&w->text, (int64_t)value_number(value), one, many);
    writer_phrase(w, &w->set->subline, tone);
}

static void write_ending(table_writer *w, const roast_summary *summary)
{
    static const struct {
        const char *with_time, *alone, *after;
        table_tone tone;
    } endings[] = {
        [ROAST_RUNNING] = {"still running, ", "still running", " so far", TONE_WARN},
        [ROAST_INTERRUPTED] = {"interrupted after ", "interrupted", "", TONE_BAD},
        [ROAST_FINISHED] = {"finished in ", "finished", "", TONE_GOOD},
        [ROAST_FAILED] = {"failed after ", "failed", "", TONE_BAD},
    };
    size_t ending = (size_t)summary->outcome;
    if (ending >= sizeof endings / sizeof endings[0])
        ending = ROAST_INTERRUPTED;
    roast_value elapsed = summary_value(summary, M_run_elapsed_time_seconds);
    if (elapsed.kind == ROAST_NOTHING) {
        buf_text(&w->text, endings[ending].alone);
    } else {
        buf_text(&w->text, endings[ending].with_time);
        format_value(&w->text, elapsed, "s", FORM_UNIT);
        buf_text(&w->text, endings[ending].after);
    }
    bool good = endings[ending].tone == TONE_GOOD;
    writer_phrase(w, &w->set->subline, good && !is_complete(summary) ? TONE_WARN : endings[ending].tone);
}

static void write_complete(table_writer *w, const roast_summary *summary)
{
    if (is_complete(summary))
        buf_text(&w->text, "complete");
    writer_phrase(w, &w->set->subline, TONE_GOOD);
}

/* Nobody told what was asked for, so nobody can say that it was done. */
static void write_not_known(table_writer *w, const roast_summary *summary)
{
    if (summary->outcome == ROAST_FINISHED && !is_complete(summary) && !is_doubtful(summary))
        buf_text(&w->text, "not known to be complete: what it was asked for is not recorded");
    writer_phrase(w, &w->set->subline, TONE_WARN);
}

static void write_not_measured(table_writer *w, const roast_summary *summary)
{
    if (partly_measured(summary)) {
        format_value(&w->text, summary_value(summary, M_run_workers_not_measured), "count", FORM_UNIT);
        buf_text(&w->text, " of ");
        format_things(&w->text, (int64_t)summary->rows[ROAST_SCOPE_WORKER].count, "worker not measured",
                      "workers not measured");
    }
    writer_phrase(w, &w->set->subline, TONE_WARN);
}

/* ---- Together -------------------------------------------------------------------------------------------------- */

void heading_write(table_writer *w, const roast_summary *summary)
{
    table_set *set = w->set;
    missing_write_alarm(w, summary);
    write_what_ran(w, summary);
    write_versions(w, summary, SIZE_MAX);
    writer_phrase(w, &set->headline, TONE_QUIET);
    write_cluster(w, summary);
    writer_phrase(w, &set->headline, TONE_QUIET);
    write_ending(w, summary);
    write_complete(w, summary);
    write_not_known(w, summary);
    write_chunks(w, summary);
    add_trouble(w, summary, M_run_num_failed_chunks, "attempt failed", "attempts failed", TONE_BAD);
    add_trouble(w, summary, M_run_workers_lost, "worker lost", "workers lost", TONE_WARN);
    write_not_measured(w, summary);
    since_last_text(&w->text, summary);
    writer_phrase(w, &set->subline, TONE_PLAIN);
}

/* Whether the result is whole comes before anything about time; what is missing has lines of its own. */
void heading_write_short(table_writer *w, const roast_summary *summary)
{
    table_set *set = w->set;
    set->headline.between = set->subline.between = TABLE_DOT;
    write_what_ran(w, summary);
    write_versions(w, summary, 1);
    writer_phrase(w, &set->headline, TONE_QUIET);
    write_cluster(w, summary);
    writer_phrase(w, &set->headline, TONE_QUIET);
    missing_write_verdict(w, &set->subline, summary);
    size_t verdict = set->subline.count;
    write_complete(w, summary);
    write_not_known(w, summary);
    write_ending(w, summary);
    set->subline.phrases[verdict].first = verdict > 0;
    write_chunks(w, summary);
    write_progress(w, summary);
    add_trouble(w, summary, M_run_workers_lost, "worker lost", "workers lost", TONE_WARN);
    write_not_measured(w, summary);
}
