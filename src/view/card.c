/* The card of a run. A notebook keeps it, so it is small, and it has no button: scripts do not run in a notebook that
 * was opened again, and a page that every card carries along would make notebooks of megabytes. What shows the report
 * are lines of Python, to be copied; advice unfolds, which browsers do without a script. */
#include "view/card.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "view/advice_words.h"
#include "view/findings.h"
#include "view/heading.h"
#include "view/hint.h"
#include "view/html.h"
#include "view/notebook.h"
#include "view/table_specs.h"
#include "view/text.h"
#include "view/time_split.h"

enum { FINDINGS_SHOWN = 3, PARTS_NAMED = 8 };

/* ---- Numbers ------------------------------------------------------------------------------------------------- */

static const struct card_number {
    const char *title;
    part_spec main, note;
} NUMBERS[] = {
    {"events", {M_run_total_events, ""}, {M_run_num_files, " files", .after_one = " file"}},
    {"event rate", {M_run_event_rate_elapsed_khz, ""}, {M_run_event_rate_core_khz, " per core", FORM_SHORT}},
    {"data read", {M_run_total_bytes_read, ""}, {M_run_data_rate_mbps, ""}},
    {"core efficiency",
     {M_run_core_efficiency, "", FORM_PERCENT},
     {M_run_total_cores, " cores on average", .after_one = " core on average"}},
};

static void put_number(buf *out, const roast_summary *summary, const struct card_number *number)
{
    roast_value main = summary_value(summary, number->main.metric), note = summary_value(summary, number->note.metric);
    const char *why = summary->why[number->main.metric];
    buf_text(out, "<span style=\"display:inline-block;width:24%;min-width:150px;vertical-align:top\"");
    if (main.kind == ROAST_NOTHING && why) {
        buf_text(out, " title=\"");
        html_text(out, str_from(why));
        buf_char(out, '"');
    }
    buf_text(out, "><b style=\"font-size:17px;font-weight:600\">");
    if (main.kind == ROAST_NOTHING)
        buf_text(out, "n/a");
    else
        put_part(out, &number->main, main);
    buf_format(out, "</b> %s<br><span", number->title);
    notebook_ink(out, "muted", "font-size:12px");
    buf_char(out, '>');
    if (main.kind != ROAST_NOTHING && note.kind != ROAST_NOTHING)
        put_part(out, &number->note, note);
    buf_text(out, "</span></span>\n");
}

static void put_numbers(buf *out, const roast_summary *summary)
{
    buf_text(out, "<div style=\"margin:4px 0 0 0\">\n");
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++)
        put_number(out, summary, &NUMBERS[i]);
    buf_text(out, "</div>\n");
}

/* ---- Where the core time went -------------------------------------------------------------------------------- */

/* The colour of a part of time is a shade, but for two that pages draw otherwise. */
static const char *shade_of(const time_part *part)
{
    if (strcmp(part->class, "rest") == 0)
        return "grid";
    return strcmp(part->class, "unknown") == 0 ? "neutral" : part->class;
}

static void put_bar(buf *out, const time_split *split)
{
    buf_text(out, "<div style=\"display:flex;height:13px;margin:6px 0 3px 0;overflow:hidden;border-radius:4px\">");
    for (size_t i = 0; i < split->count; i++) {
        const time_part *part = &split->parts[i];
        char width[32];
        snprintf(width, sizeof width, "width:%.2f%%", 100 * part->seconds / split->total);
        buf_text(out, "<span");
        notebook_fill(out, shade_of(part), width);
        buf_text(out, " title=\"");
        html_text(out, part->title);
        buf_text(out, "\"></span>");
    }
    buf_text(out, "</div>\n");
}

static void put_key(buf *out, const time_split *split, const time_part *part)
{
    buf_text(out, "<span style=\"display:inline-block;margin:0 14px 0 0;white-space:nowrap\"><span");
    notebook_fill(out, shade_of(part), "display:inline-block;width:9px;height:9px;border-radius:2px;margin:0 5px 0 0");
    buf_text(out, "></span>");
    html_text(out, part->title);
    buf_text(out, " <b style=\"font-weight:600\">");
    format_percent(out, 100 * part->seconds / split->whole);
    buf_text(out, "</b></span>\n");
}

/* On one line, the largest first: what has no room would be on the next, which is not seen. */
static void put_keys(buf *out, const time_split *split)
{
    bool named[MOST_TIME_PARTS] = {false};
    buf_text(out, "<div style=\"font-size:12px;height:18px;overflow:hidden\">\n");
    for (size_t n = 0; n < split->count && n < PARTS_NAMED; n++) {
        size_t largest = MOST_TIME_PARTS;
        for (size_t i = 0; i < split->count; i++)
            if (!named[i] && (largest == MOST_TIME_PARTS || split->parts[i].seconds > split->parts[largest].seconds))
                largest = i;
        named[largest] = true;
        put_key(out, split, &split->parts[largest]);
    }
    buf_text(out, "</div>\n");
}

static void put_time(buf *out, const roast_summary *summary)
{
    time_split split = split_time(summary);
    if (!(split.total > 0))
        return;
    put_bar(out, &split);
    put_keys(out, &split);
}

/* ---- What to do ---------------------------------------------------------------------------------------------- */

static void put_at_length(buf *out, const buf *what, const buf *code)
{
    buf_text(out, "<div style=\"margin:2px 0 6px 26px\">");
    html_text(out, buf_view(what));
    if (code->len) {
        buf_text(out, "<pre style=\"margin:4px 0 0 0;font-size:12px\">");
        roast_str rest = {code->data, code->len - 1};
        while (!str_absent(rest)) {
            html_text(out, str_split(&rest, '\n'));
            buf_char(out, '\n');
        }
        buf_text(out, "</pre>");
    }
    buf_text(out, "</div>");
}

static void put_finding(buf *out, const explanation *e, const finding *f)
{
    buf brief = {0}, what = {0}, code = {0}, saving = {0};
    advice_brief(&brief, f);
    advice_text(&what, f);
    advice_code(&code, f);
    findings_put_saving(&saving, e, f);
    buf_text(out, "<details style=\"margin:0\"><summary style=\"display:block;cursor:pointer\"><span");
    notebook_ink(
        out, "muted",
        "float:right;max-width:45%;margin:0 0 0 14px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis");
    buf_text(out, saving.len ? ">up to " : ">");
    html_text(out, buf_view(&saving));
    buf_text(out, "</span><div style=\"overflow:hidden;white-space:nowrap;text-overflow:ellipsis\"><span");
    notebook_ink(out, "muted", "");
    buf_text(out, "><span class=\"turn\">▸</span> ");
    buf_format(out, "%zu</span>&ensp;<b style=\"font-weight:600\">", (size_t)(f - e->findings) + 1);
    html_text(out, str_from(findings_title(f)));
    buf_text(out, "</b>&ensp;");
    html_text(out, buf_view(&brief));
    buf_text(out, "</div></summary>");
    put_at_length(out, &what, &code);
    buf_text(out, "</details>\n");
    buf *const parts[] = {&brief, &what, &code, &saving};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        out->code = out->code ? out->code : parts[i]->code;
        buf_release(parts[i]);
    }
}

static void put_no_finding(buf *out, const roast_summary *summary, const explanation *e)
{
    buf gap = {0};
    findings_put_gap(&gap, summary, e);
    buf_text(out, gap.len ? "<div>Not determined: " : "<div>Nothing stands out.");
    html_text(out, buf_view(&gap));
    buf_text(out, "</div>\n");
    out->code = out->code ? out->code : gap.code;
    buf_release(&gap);
}

static void put_findings(buf *out, const roast_summary *summary)
{
    const explanation *e = summary->explanation;
    const finding *first[FINDINGS_SHOWN];
    size_t count = e ? findings_first(e, first, FINDINGS_SHOWN) : 0;
    if (!e)
        return;
    buf_text(out, "<div style=\"margin:4px 0 0 0\">\n");
    for (size_t i = 0; i < count; i++)
        put_finding(out, e, first[i]);
    if (!count)
        put_no_finding(out, summary, e);
    buf_text(out, "</div>\n");
}

/* ---- All of it ------------------------------------------------------------------------------------------------ */

static void put_way_on(buf *out, const roast_summary *summary)
{
    static const char CODE[] = "<code style=\"font-size:12px;white-space:nowrap\">";
    buf run = {0};
    hint_run(&run, summary);
    buf_text(out, "<div");
    notebook_ink(out, "muted", "margin:4px 0 0 0;overflow:hidden;white-space:nowrap;text-overflow:ellipsis");
    buf_format(out, ">The report: %srun.show()</code>, or %srun.report(&quot;report.html&quot;)</code>; %srun = ", CODE,
               CODE, CODE);
    html_text(out, buf_view(&run));
    buf_text(out, "</code></div>\n");
    out->code = out->code ? out->code : run.code;
    buf_release(&run);
}

static roast_code write_headings(table_set *set, const roast_summary *summary, roast_error *err)
{
    table_writer w;
    writer_init(&w, set, 1);
    heading_write(&w, summary);
    return writer_finish(&w, err);
}

roast_code card_put(buf *out, const roast_summary *summary, roast_error *err)
{
    roast_summary seen = *summary; /* as who types Python wants it; what it points to is shared */
    seen.for_python = true;
    table_set set = {0};
    roast_code code = write_headings(&set, &seen, err);
    if (code)
        return code;
    notebook_open(out);
    notebook_heading(out, &set.alarm, "");
    notebook_heading(out, &set.subline, set.alarm.count ? "" : "font-weight:600");
    notebook_heading(out, &set.headline, "");
    put_numbers(out, &seen);
    put_time(out, &seen);
    put_findings(out, &seen);
    put_way_on(out, &seen);
    notebook_close(out);
    tables_release(&set);
    return ROAST_OK;
}

static void put_phrase(buf *out, const char *before, const table_heading *heading, size_t number)
{
    if (number >= heading->count)
        return;
    buf_text(out, before);
    text_safe(out, heading->phrases[number].text, true);
}

roast_code card_line(buf *out, const roast_summary *summary, roast_error *err)
{
    table_set set = {0};
    roast_code code = write_headings(&set, summary, err);
    if (code)
        return code;
    roast_value rate = summary_value(summary, M_run_event_rate_elapsed_khz);
    put_phrase(out, "", &set.headline, 0);
    put_phrase(out, ": ", &set.alarm, 0);
    for (size_t i = 0; i < set.subline.count; i++)
        put_phrase(out, i || set.alarm.count ? " · " : ": ", &set.subline, i);
    if (rate.kind != ROAST_NOTHING) {
        buf_text(out, " · ");
        format_value(out, rate, metric_info(M_run_event_rate_elapsed_khz)->unit, FORM_UNIT);
    }
    tables_release(&set);
    return ROAST_OK;
}
