/* The report: a page of which what a person asks comes in sections, which are rows of SECTIONS: one that writes nothing
 * is not there, and not in the navigation. It needs nothing else, opens offline, and may run no code but its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/coverage.h"
#include "base/error.h"
#include "base/str.h"
#include "view/chart.h"
#include "view/findings.h"
#include "view/format.h"
#include "view/html.h"
#include "view/html_page.h"
#include "view/report_data.h"
#include "view/report_tables.h"
#include "view/table_specs.h"
#include "view/time_split.h"

enum {
    MOST_ROWS = 5000,    /* of a table at all: beyond, a page is the wrong place */
    SLOWEST_SHOWN = 100, /* chunks */
    FIGURE_PIXELS = 500  /* columns that points are reduced to */
};

typedef struct page {
    html_page html;
    const roast_summary *summary;
    report_data data;
    table_set tables;
    table_set asked; /* tables that are only shown when they are asked for */
    table_set own;   /* tables that only the report has */
    chart_set charts;
    arena memory;
    int *colours; /* of datasets */
    bool failed;  /* memory is out */
} page;

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static const table *find_table(const page *p, const char *id)
{
    const table_set *const sets[] = {&p->tables, &p->asked, &p->own};
    for (size_t set = 0; set < sizeof sets / sizeof sets[0]; set++)
        for (size_t i = 0; i < sets[set]->count; i++)
            if (strcmp(sets[set]->tables[i].id, id) == 0)
                return &sets[set]->tables[i];
    return NULL;
}

static void put_table(page *p, const char *id, const char *title)
{
    html_page_table(&p->html, find_table(p, id), title);
}

/* A table that was asked for may have no rows: then it is left out. */
static void put_rows(page *p, const char *id, const char *title)
{
    const table *asked = find_table(p, id);
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
     {M_run_cpu_efficiency_fine, " on the CPU", FORM_PERCENT}},
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

static void put_tiles(page *p)
{
    buf *out = &p->html.headline;
    buf_text(out, "<dl class=\"tiles\">\n");
    for (size_t i = 0; i < sizeof TILES / sizeof TILES[0]; i++) {
        const struct tile *tile = &TILES[i];
        const char *why = p->summary->why[tile->main.metric];
        buf_format(out, "<div><dt>%s</dt><dd>", tile->title);
        bool known = put_known(out, p->summary, &tile->main);
        if (!known)
            buf_text(out, "<span class=\"quiet\">n/a</span>");
        bool alarmed = summary_real(p->summary, tile->note.metric) > 0;
        buf_format(out, "</dd><dd class=\"note %s\">", html_tone(alarmed ? tile->note.alarm : TONE_PLAIN));
        if (known)
            put_known(out, p->summary, &tile->note);
        else
            html_text(out, is_stated(p, why) ? STR("no chunk records") : str_from(why ? why : ""));
        buf_text(out, "</dd>");
        put_trouble(out, p->summary, &tile->trouble);
        buf_text(out, "</div>\n");
    }
    buf_text(out, "</dl>\n");
}

static void put_headline(page *p)
{
    const table_heading *headline = &p->tables.headline;
    roast_str name = headline->count ? headline->phrases[0].text : STR("");
    html_text(&p->html.title, name);
    buf_text(&p->html.title, " · roast report");
    buf_text(&p->html.headline, "<h1><bdi>");
    html_text(&p->html.headline, name);
    buf_text(&p->html.headline, "</bdi></h1>\n");
    if (p->tables.alarm.count)
        html_page_heading(&p->html, &p->tables.alarm, 0, "alarm");
    html_page_heading(&p->html, &p->tables.subline, 0, "ending");
    html_page_heading(&p->html, headline, 1, "what");
    put_tiles(p);
}

/* ---- Where the time went ------------------------------------------------------------------------------------- */

static void put_share(buf *out, double percent)
{
    buf_format(out, "%d.%02d%%", (int)percent, (int)(percent * 100) % 100);
}

static void put_time_bar(buf *out, const time_split *split)
{
    double at = 0;
    buf_text(out,
             "<svg class=\"stack\" role=\"img\" aria-label=\"Core time by what it was spent on; the list below has "
             "the numbers\">");
    for (size_t i = 0; i < split->count; i++) {
        double share = 100 * split->parts[i].seconds / split->total;
        buf_format(out, "<rect class=\"%s\" height=\"100%%\" x=\"", split->parts[i].class);
        put_share(out, at);
        buf_text(out, "\" width=\"");
        put_share(out, share);
        buf_text(out, "\"><title>");
        html_text(out, split->parts[i].title);
        buf_text(out, "</title></rect>");
        at += share;
    }
    buf_text(out, "</svg>\n");
}

static void put_time_list(buf *out, const time_split *split)
{
    buf_text(out, "<ul class=\"parts\">\n");
    for (size_t i = 0; i < split->count; i++) {
        if (split->parts[i].seconds < LEAST_TIME_SHARE * split->whole)
            continue;
        buf_format(out, "<li><i class=\"%s\"></i><span>", split->parts[i].class);
        html_text(out, split->parts[i].title);
        buf_text(out, "</span> <b>");
        format_percent(out, 100 * split->parts[i].seconds / split->whole);
        buf_text(out, "</b> <small>");
        format_seconds(out, split->parts[i].seconds);
        buf_text(out, "</small></li>\n");
    }
    buf_text(out, "</ul>\n");
}

/* A finding is a list of lines. */
static void put_finding(buf *out, const table *lines)
{
    buf_text(out, "<li>\n<h3>");
    html_text(out, lines->title);
    buf_text(out, "</h3>\n");
    html_pairs(out, lines);
    buf_text(out, "</li>\n");
}

/* What is small, or is not a finding but about them, opens when asked for. */
static bool is_folded(const explanation *e, size_t list)
{
    return list >= e->count || finding_is_small(e, &e->findings[list]);
}

static void put_finding_list(buf *out, const explanation *e, const table_set *findings, bool folded)
{
    buf_text(out, "<ol class=\"findings\">\n");
    for (size_t i = 0; i < findings->count; i++)
        if (is_folded(e, i) == folded)
            put_finding(out, &findings->tables[i]);
    buf_text(out, "</ol>\n");
}

/* Where the verdict stands: nothing is fine that was not looked at. */
static void put_no_finding(buf *out, const roast_summary *summary, const explanation *e)
{
    if (!e->n_gaps) {
        buf_text(out, "<p class=\"fine\">Nothing stands out.</p>\n");
        return;
    }
    buf gap = {0};
    findings_put_gap(&gap, summary, e);
    buf_text(out, "<p class=\"missing\">Not determined: ");
    html_text(out, buf_view(&gap));
    buf_text(out, "</p>\n");
    out->code = out->code ? out->code : gap.code;
    buf_release(&gap);
}

/* What to act on is open; what is small, and what the records do not tell, opens when asked for. */
static void put_findings(page *p)
{
    const explanation *e = p->summary->explanation;
    table_set findings = {0};
    if (!e)
        return;
    if (findings_tables(&findings, p->summary, e, false, NULL)) {
        p->failed = true;
        return;
    }
    size_t folded = 0;
    for (size_t i = 0; i < findings.count; i++)
        folded += is_folded(e, i);
    buf_text(&p->html.sections, "<h3 class=\"over\">What held it back</h3>\n");
    if (folded < findings.count)
        put_finding_list(&p->html.sections, e, &findings, false);
    else
        put_no_finding(&p->html.sections, p->summary, e);
    if (folded) {
        buf_text(&p->html.sections, "<details><summary>What is too small to act on, or not known</summary>\n");
        put_finding_list(&p->html.sections, e, &findings, true);
        buf_text(&p->html.sections, "</details>\n");
    }
    tables_release(&findings);
}

static void write_time(page *p)
{
    time_split split = split_time(p->summary);
    if (split.total > 0) {
        buf_text(&p->html.sections, "<p class=\"lead\">");
        format_seconds(&p->html.sections, split.whole);
        buf_text(&p->html.sections, " of core time, by what it was spent on.</p>\n");
        put_time_bar(&p->html.sections, &split);
        put_time_list(&p->html.sections, &split);
        if (!p->data.series.n_chunks && !str_absent(summary_fact(p->summary, "no_chunks")))
            put_no_chunks(p, "");
        put_findings(p);
    } else {
        put_no_chunks(p, "No chunk was measured, so it is not known where the time went.");
    }
    buf_text(&p->html.sections, "<div class=\"columns\">\n");
    put_table(p, "throughput", "Throughput");
    put_table(p, "events", "Events");
    put_table(p, "timing", "Timing");
    put_table(p, "fine", "Fine metrics");
    buf_text(&p->html.sections, "</div>\n");
    put_table(p, "tasks", "Tasks");
}

/* ---- Over time, and chunks ------------------------------------------------------------------------------------ */

static const char NEEDS_SCRIPT[] = "<p class=\"missing needs-script\"><noscript>This chart is drawn by the page's own "
                                   "script, which does not run here. The tables have the numbers.</noscript></p>\n";

static void write_timeline(page *p)
{
    const run_series *series = &p->data.series;
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
    buf_text(&p->html.sections, "<div class=\"columns\">\n");
    put_table(p, "resources", NULL);
    buf_text(&p->html.sections, "</div>\n");
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
    buf_text(&p->html.sections, "<div class=\"columns\">\n");
    put_table(p, "chunks", NULL);
    buf_text(&p->html.sections, "</div>\n");
    put_figures(p, "runtime_distribution,runtime_vs_events,memory_peaks,tail");
    put_table(p, "slowest", "Slowest chunks");
}

/* ---- Tables, and the rest ------------------------------------------------------------------------------------- */

static void write_datasets(page *p)
{
    put_table(p, "datasets", NULL);
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
    put_figures(p, "data_access_percentage,compression_ratio_distribution");
    put_rows(p, "branches", "Branches");
    put_rows(p, "storage", "Storage, by server");
}

static void write_workers(page *p)
{
    put_table(p, "workers", NULL);
}

static void write_failures(page *p)
{
    put_rows(p, "failures", "By error");
    put_rows(p, "failures_by_file", "By file and worker");
    if (!find_table(p, "failures") && p->data.series.n_chunks)
        buf_text(&p->html.sections, "<p class=\"fine\">No attempt at a chunk failed.</p>\n");
}

static void write_machine(page *p)
{
    put_table(p, "facts", NULL);
}

static void write_notes(page *p)
{
    const table *notes = find_table(p, "notes");
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

static const struct section {
    const char *id, *title;
    void (*write)(page *p);
} SECTIONS[] = {
    {"time", "Where the time went", write_time},
    {"over-time", "Workers and throughput", write_timeline},
    {"chunks", "Chunks", write_chunks},
    {"datasets", "Datasets", write_datasets},
    {"sections", "Sections", write_sections},
    {"files", "Files and branches", write_files},
    {"workers", "Workers", write_workers},
    {"failures", "Failures", write_failures},
    {"machine", "Machine and software", write_machine},
    {"notes", "Notes", write_notes},
};

static void write_all_sections(page *p)
{
    for (size_t i = 0; i < sizeof SECTIONS / sizeof SECTIONS[0]; i++) {
        section_place place = html_page_begin_section(&p->html, SECTIONS[i].id, str_from(SECTIONS[i].title));
        SECTIONS[i].write(p);
        html_page_end_section(&p->html, &place);
    }
}

/* ---- All of it ------------------------------------------------------------------------------------------------ */

static const char FIGURES[] = "runtime_distribution,runtime_vs_events,memory_peaks,tail,dataset_phases,"
                              "data_access_percentage,compression_ratio_distribution";

static roast_code write_page(buf *out, page *p, roast_run *run, roast_error *err)
{
    roast_code code = tables_build(&p->tables, p->summary, NULL, MOST_ROWS, err);
    if (!code)
        code = tables_build(&p->asked, p->summary, "branches,storage,failures_by_file,facts", MOST_ROWS, err);
    if (!code)
        code = report_tables(&p->own, &p->data, p->summary, SLOWEST_SHOWN, err);
    if (!code)
        code = charts_build(&p->charts, run, p->summary, FIGURES, &(chart_options){.pixels = FIGURE_PIXELS}, err);
    if (code)
        return code;
    p->colours = chart_dataset_colours(p->data.run, p->summary, &p->memory);
    p->failed |= !p->colours;
    if (!p->failed) {
        put_headline(p);
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
    tables_release(&p.tables);
    tables_release(&p.asked);
    tables_release(&p.own);
    charts_release(&p.charts);
    report_data_release(&p.data);
    arena_release(&p.memory);
    return code;
}
