/* The report: a page of which what a person asks comes in sections, which are rows of SECTIONS: one that writes nothing
 * is not there, and not in the navigation. It needs nothing else, opens offline, and may run no code but its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/coverage.h"
#include "base/error.h"
#include "base/str.h"
#include "view/chart.h"
#include "view/format.h"
#include "view/heading.h"
#include "view/html.h"
#include "view/html_page.h"
#include "view/markdown.h"
#include "view/page_columns.h"
#include "view/report_data.h"
#include "view/report_findings.h"
#include "view/report_tables.h"
#include "view/report_time.h"
#include "view/table_specs.h"

enum {
    MOST_ROWS = 5000,    /* of a table at all: beyond, a page is the wrong place */
    SLOWEST_SHOWN = 100, /* chunks */
    FIGURE_PIXELS = 500  /* columns that points are reduced to */
};

typedef struct page {
    html_page html;
    const roast_summary *summary;
    report_data data;
    report_table_sets tables;
    chart_set charts;
    arena memory;
    int *colours; /* of datasets */
    bool failed;  /* memory is out */
} page;

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static void put_table(page *p, const char *id, const char *title)
{
    html_page_table(&p->html, report_table_find(&p->tables, str_from(id)), title);
}

/* A table that was asked for may have no rows: then it is left out. */
static void put_rows(page *p, const char *id, const char *title)
{
    const table *asked = report_table_find(&p->tables, str_from(id));
    if (asked && asked->n_rows)
        html_page_table(&p->html, asked, title);
}

/* Charts that stay as they are; one that has nothing to draw is left out. */
static void put_figures(page *p, const char *ids)
{
    size_t before = p->html.sections.len, drawn = 0;
    buf_text(&p->html.sections, "<div class=\"figures\">\n");
    for (roast_str rest = str_from(ids); !str_absent(rest);) {
        roast_str id = str_split(&rest, ',');
        for (size_t i = 0; i < p->charts.count; i++) {
            const chart *c = &p->charts.charts[i];
            if (!str_equal(id, str_from(c->id)) || !str_absent(c->why))
                continue;
            html_page_figure(&p->html, c);
            drawn++;
        }
    }
    buf_text(&p->html.sections, "</div>\n");
    if (!drawn && !p->html.sections.code)
        p->html.sections.len = before;
}

static void put_missing(page *p, const char *what)
{
    buf_format(&p->html.sections, "<p class=\"missing\">%s</p>\n", what);
}

/* Why a run has no chunks, as it states itself; else what. */
static void put_no_chunks(page *p, const char *what)
{
    roast_str stated = summary_fact(p->summary, "no_chunks");
    if (str_absent(stated)) {
        put_missing(p, what);
        return;
    }
    buf_text(&p->html.sections, "<p class=\"missing\">No chunk was measured: ");
    html_text(&p->html.sections, stated);
    buf_text(&p->html.sections, "</p>\n");
}

/* Charts of chunks do not show what nobody measured. */
static void say_what_is_not_measured(page *p)
{
    if (!partly_measured(p->summary))
        return;
    roast_str partly = say_partly_measured(p->summary, &p->memory);
    p->failed |= str_absent(partly);
    buf_text(&p->html.sections, "<p class=\"missing\">");
    html_text(&p->html.sections, partly);
    buf_text(&p->html.sections, ": chunks that ran there are not drawn.</p>\n");
}

/* ---- The headline -------------------------------------------------------------------------------------------- */

/* A number that is read first, and one that qualifies it. */
static const struct tile {
    const char *title;
    part_spec main, note;
    part_spec trouble; /* said only if there is any */
} TILES[] = {
    {"wall time",
     {M_run_elapsed_time_seconds, ""},
     {M_run_concurrent_chunks_mean, " concurrent chunks, mean", .after_one = " concurrent chunk, mean"}},
    {"events", {M_run_total_events, ""}, {M_run_bytes_per_event, " read per event"}},
    {"event rate", {M_run_event_rate_elapsed_khz, ""}, {M_run_event_rate_core_khz, " per core", FORM_SHORT}},
    {"data read", {M_run_total_bytes_read, ""}, {M_run_data_rate_gbps, ""}},
    {"core efficiency",
     {M_run_core_efficiency, "", FORM_PERCENT},
     {M_run_cpu_efficiency_fine, " CPU of all its tasks", FORM_PERCENT}},
    {"workers",
     {M_run_avg_workers, ""},
     {M_run_total_cores, " cores on average", .after_one = " core on average"},
     {M_run_workers_not_measured, " not measured", .alarm = TONE_WARN}},
    {"chunks",
     {M_run_num_successful_chunks, ""},
     {M_run_num_failed_chunks, " attempts failed", .alarm = TONE_BAD, .after_one = " attempt failed"},
     {M_run_chunks_not_measured, " not measured", .alarm = TONE_WARN}},
};

static bool put_known(buf *out, const roast_summary *summary, const part_spec *part)
{
    roast_value value = summary_value(summary, part->metric);
    if (part->metric == M_run_num_successful_chunks)
        return put_chunk_counts(out, summary);
    if (value.kind == ROAST_NOTHING)
        return false;
    put_part(out, part, value);
    return true;
}

static void put_trouble(buf *out, const roast_summary *summary, const part_spec *part)
{
    if (!part->after || !(summary_real(summary, part->metric) > 0))
        return;
    buf_format(out, "<dd class=\"note %s\">", html_tone(part->alarm));
    put_known(out, summary, part);
    buf_text(out, "</dd>");
}

/* The run's own words on why it has no chunks are a sentence: too long for a tile, and said below. */
static bool is_stated(const page *p, const char *why)
{
    return why && str_equal(str_from(why), summary_fact(p->summary, "no_chunks"));
}

static term_list terms_of_tile(const struct tile *tile)
{
    term_list list = {0};
    terms_add_part(&list, &tile->main);
    terms_add_part(&list, &tile->note);
    terms_add_part(&list, &tile->trouble);
    return list;
}

/* The number of a tile stays on one line: "99 816 of 100 000" is written smaller. False if it is not known. */
static bool put_main(page *p, const part_spec *part)
{
    enum { LONG = 11 }; /* letters */
    buf *out = &p->html.headline, number = {0};
    bool known = put_known(&number, p->summary, part);
    buf_format(out, "<dd class=\"main%s\">", number.len > LONG ? " long" : "");
    if (known)
        html_text(out, buf_view(&number));
    else
        buf_text(out, "<span class=\"quiet\">n/a</span>");
    buf_text(out, "</dd>");
    p->failed |= number.code != ROAST_OK;
    buf_release(&number);
    return known;
}

static void put_tile(page *p, const struct tile *tile)
{
    buf *out = &p->html.headline;
    const char *why = p->summary->why[tile->main.metric];
    term_list terms = terms_of_tile(tile);
    buf_text(out, "<div><dt>");
    glossary_label(out, &p->html.terms, str_from(tile->title), &terms);
    buf_text(out, "</dt>");
    bool known = put_main(p, &tile->main);
    bool alarmed = summary_real(p->summary, tile->note.metric) > 0;
    buf_format(out, "<dd class=\"note %s\">", html_tone(alarmed ? tile->note.alarm : TONE_PLAIN));
    if (known)
        put_known(out, p->summary, &tile->note);
    else
        html_text(out, is_stated(p, why) ? STR("no chunk records") : str_from(why ? why : ""));
    buf_text(out, "</dd>");
    put_trouble(out, p->summary, &tile->trouble);
    buf_text(out, "</div>\n");
}

static void put_tiles(page *p)
{
    buf_text(&p->html.headline, "<dl class=\"tiles\">\n");
    for (size_t i = 0; i < sizeof TILES / sizeof TILES[0]; i++)
        put_tile(p, &TILES[i]);
    buf_text(&p->html.headline, "</dl>\n");
}

/* For who wants to tell others of the run. */
static void put_summary_to_copy(page *p)
{
    buf text = {0};
    markdown_summary(&text, p->summary, &p->tables.usual);
    page_element_put(&p->html.data, "data", "summary", &text);
    buf_release(&text);
}

static void put_headline(page *p)
{
    const table_heading *headline = &p->tables.usual.headline;
    roast_str name = headline->count ? headline->phrases[0].text : STR("");
    html_text(&p->html.title, name);
    buf_text(&p->html.title, " · roast report");
    buf_text(&p->html.headline, "<h1><bdi>");
    html_text(&p->html.headline, name);
    buf_text(&p->html.headline, "</bdi></h1>\n");
    if (p->tables.usual.alarm.count)
        html_page_heading(&p->html, &p->tables.usual.alarm, 0, "alarm");
    html_page_heading(&p->html, &p->tables.usual.subline, 0, "ending");
    html_page_heading(&p->html, headline, 1, "what");
    put_tiles(p);
}

/* ---- What held it back, and where the time went ----------------------------------------------------------------- */

static void write_findings(page *p)
{
    p->failed |= report_put_findings(&p->html, p->summary, &p->tables, &p->charts) != ROAST_OK;
}

static void write_time(page *p)
{
    if (!report_put_time(&p->html, p->summary))
        put_no_chunks(p, "No chunk was measured, so it is not known where the time went.");
    else if (!p->data.series.n_chunks && !str_absent(summary_fact(p->summary, "no_chunks")))
        put_no_chunks(p, "");
}

/* ---- Over time, and chunks ------------------------------------------------------------------------------------ */

static const char NEEDS_SCRIPT[] = "<p class=\"missing needs-script\"><noscript>This chart is drawn by the page's own "
                                   "script, which does not run here. The tables have the numbers.</noscript></p>\n";

/* What the curves are, whose legends the script writes. */
static const metric_id CURVES[] = {
    M_run_total_cores,
    M_run_concurrent_chunks_mean,
    M_run_avg_workers,
    M_run_chunk_bytes_read,
    M_run_event_rate_elapsed_khz,
    M_run_memory_utilization_percent_mean,
    M_run_memory_utilization_percent_max,
    M_run_cpu_utilization_percent_mean,
    M_run_cpu_utilization_percent_max,
};

static void write_timeline(page *p)
{
    const run_series *series = &p->data.series;
    for (size_t i = 0; i < sizeof CURVES / sizeof *CURVES; i++)
        p->html.terms.used[CURVES[i]] = true;
    if (!p->data.length) {
        put_missing(p, series->from_ns == ROAST_ABSENT ? "Nothing in this run has a time, so there is no time axis."
                                                       : "The run has no duration, so there is no time axis.");
    } else {
        if (!series->presence.count)
            put_missing(p, "No worker was tracked: how many there were over time is not known.");
        if (!series->samples[SAMPLE_MEMORY] && !series->samples[SAMPLE_CPU])
            put_missing(p, "No heartbeat carries memory or CPU: both are not known over time.");
        if (series->n_chunks)
            say_what_is_not_measured(p);
        buf_format(&p->html.sections, "<div id=\"timeline\" class=\"panels\">%s</div>\n", NEEDS_SCRIPT);
    }
}

static void say_what_is_not_placed(page *p)
{
    size_t missing = p->data.series.n_chunks - p->data.lanes.n_chunks;
    if (!missing)
        return;
    buf_text(&p->html.sections, "<p class=\"missing\">");
    format_things(&p->html.sections, (int64_t)missing, "attempt at a chunk has no time, or one far from the run",
                  "attempts at chunks have no time, or one far from the run");
    buf_text(&p->html.sections, ", as after a jump of a clock: not drawn here, but counted everywhere else.</p>\n");
}

static void write_chunks(page *p)
{
    if (!p->data.series.n_chunks) {
        put_no_chunks(p,
                      "No chunk records: the run was made without chunk metrics, or ended before the first chunk did.");
        return;
    }
    say_what_is_not_measured(p);
    say_what_is_not_placed(p);
    if (p->data.lanes.n_chunks)
        buf_format(&p->html.sections, "<div id=\"lanes\" class=\"panels\">%s</div>\n", NEEDS_SCRIPT);
}

/* ---- Tables, and the rest ------------------------------------------------------------------------------------- */

static void write_numbers(page *p)
{
    buf_text(&p->html.sections, "<div class=\"columns\">\n");
    put_table(p, "throughput", "Throughput");
    put_table(p, "events", "Events");
    put_table(p, "timing", "Timing");
    put_table(p, "resources", "Resources");
    put_table(p, "chunks", "Chunks");
    put_table(p, "fine", "Fine metrics");
    buf_text(&p->html.sections, "</div>\n");
    put_table(p, "tasks", "Tasks");
}

static void write_single_chunks(page *p)
{
    put_figures(p, "runtime_distribution,runtime_vs_events,memory_peaks,tail");
    put_rows(p, "slowest", "Slowest chunks");
}

static void write_datasets(page *p)
{
    put_table(p, "datasets", NULL);
    put_rows(p, "ledger_datasets", "Core time by dataset");
    put_figures(p, "dataset_phases");
}

static void write_sections(page *p)
{
    put_rows(p, "sections", "Time");
    put_rows(p, "memory_sections", "Memory");
}

static void write_files(page *p)
{
    put_table(p, "reading", "What was read, by dataset");
    put_table(p, "files", "Files");
    put_figures(p, "file_rates,data_access_percentage,compression_ratio_distribution");
    put_rows(p, "branches", "Branches");
    put_rows(p, "storage", "Storage, by server");
}

static void write_workers(page *p)
{
    put_table(p, "workers", NULL);
    put_figures(p, "worker_rates,cpu_utilization_per_worker_timeline,memory_utilization_per_worker_timeline");
}

static void write_failures(page *p)
{
    put_rows(p, "missing", "Missing from the result: what to run again");
    put_rows(p, "failures", "By error");
    put_rows(p, "failures_by_file", "By file and worker");
    if (!report_table_find(&p->tables, STR("failures")) && p->data.series.n_chunks)
        buf_text(&p->html.sections, "<p class=\"fine\">No attempt at a chunk failed.</p>\n");
}

static void write_machine(page *p)
{
    put_table(p, "facts", NULL);
}

static void write_notes(page *p)
{
    const table *notes = report_table_find(&p->tables, STR("notes"));
    if (notes) {
        buf_text(&p->html.sections, "<ul class=\"notes\">\n");
        for (size_t row = 0; row < notes->n_rows; row++) {
            const table_cell *level = table_cell_at(notes, row, 0);
            buf_format(&p->html.sections, "<li><b class=\"%s\">", html_tone(level->tone));
            html_text(&p->html.sections, level->text);
            buf_text(&p->html.sections, "</b> <span>");
            html_text(&p->html.sections, table_cell_at(notes, row, 1)->text);
            buf_text(&p->html.sections, "</span></li>\n");
        }
        buf_text(&p->html.sections, "</ul>\n");
    }
    put_table(p, "absent", "Not measured, because …");
}

/* What people ask first is open; the rest is opened by who looks for it. */
static const struct section {
    const char *id, *title;
    void (*write)(page *p);
    bool folded;
    const char *counted; /* the table whose rows are counted beside the title */
} SECTIONS[] = {
    {"findings", "What held it back", write_findings},
    {"time", "Where the time went", write_time},
    {"over-time", "Over time", write_timeline},
    {"chunks", "Chunks", write_chunks},
    {"numbers", "All numbers", write_numbers, .folded = true},
    {"single-chunks", "Single chunks", write_single_chunks, .folded = true},
    {"datasets", "Datasets", write_datasets, .folded = true, .counted = "datasets"},
    {"sections", "Sections", write_sections, .folded = true, .counted = "sections"},
    {"files", "Files and branches", write_files, .folded = true, .counted = "files"},
    {"workers", "Workers", write_workers, .folded = true, .counted = "workers"},
    {"failures", "Failures", write_failures, .folded = true},
    {"machine", "Machine and software", write_machine, .folded = true},
    {"notes", "Notes", write_notes, .folded = true},
};

static section_place begin_folded(page *p, const struct section *section)
{
    buf remark = {0};
    const table *counted = section->counted ? report_table_find(&p->tables, str_from(section->counted)) : NULL;
    if (counted && counted->n_rows < MOST_ROWS)
        format_count(&remark, (int64_t)counted->n_rows);
    section_place place = html_page_begin_folded(&p->html, section->id, str_from(section->title), buf_view(&remark));
    p->failed |= remark.code != ROAST_OK;
    buf_release(&remark);
    return place;
}

static void write_all_sections(page *p)
{
    for (size_t i = 0; i < sizeof SECTIONS / sizeof SECTIONS[0]; i++) {
        const struct section *section = &SECTIONS[i];
        section_place place = section->folded
                                  ? begin_folded(p, section)
                                  : html_page_begin_section(&p->html, section->id, str_from(section->title));
        section->write(p);
        html_page_end_section(&p->html, &place);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------------ */

static const char FIGURES[] = "runtime_distribution,runtime_vs_events,memory_peaks,tail,dataset_phases,"
                              "file_rates,data_access_percentage,compression_ratio_distribution,worker_rates,"
                              "cpu_utilization_per_worker_timeline,memory_utilization_per_worker_timeline";

static roast_code write_page(buf *out, page *p, roast_run *run, roast_error *err)
{
    roast_code code = tables_build(&p->tables.usual, p->summary, NULL, MOST_ROWS, err);
    if (!code)
        code = tables_build(&p->tables.asked, p->summary, "branches,storage,failures_by_file,facts,ledger_datasets",
                            MOST_ROWS, err);
    if (!code)
        code = report_tables(&p->tables.own, &p->data, p->summary, SLOWEST_SHOWN, err);
    if (!code)
        code = charts_build(&p->charts, run, p->summary, FIGURES, &(chart_options){.pixels = FIGURE_PIXELS}, err);
    if (code)
        return code;
    p->colours = chart_dataset_colours(p->data.run, p->summary, &p->memory);
    p->failed |= !p->colours;
    if (!p->failed) {
        put_headline(p);
        put_summary_to_copy(p);
        report_data_put(&p->html.data, &p->data, p->summary, p->colours);
        write_all_sections(p);
        html_page_put(out, &p->html);
    }
    code = p->failed ? ROAST_MEMORY : out->code;
    if (code == ROAST_MEMORY)
        return fail_memory(err);
    return code ? fail(err, code, "the report is too large: %s", roast_code_text(code)) : ROAST_OK;
}

roast_code roast_run_report(buf *out, roast_run *run, const roast_summary *summary, roast_error *err)
{
    page p = {.summary = summary};
    roast_code code = report_data_read(&p.data, run, summary, err);
    if (!code)
        code = write_page(out, &p, run, err);
    html_page_release(&p.html);
    report_table_sets_release(&p.tables);
    charts_release(&p.charts);
    report_data_release(&p.data);
    arena_release(&p.memory);
    return code;
}
