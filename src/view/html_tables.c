/* Tables as one HTML page: style and script are inside, nothing is fetched. Every text is escaped here and only here. A
 * click on a head sorts by the values that the cells carry, not by how they are written. */
#include "view/html_tables.h"

#include <math.h>

#include "base/str.h"
#include "view/number.h"
#include "view/text.h"

static const char STYLE[] =
    ":root{color-scheme:light "
    "dark;--quiet:#777;--line:#8884;--bar:#4a7ebb;--bad:#c0392b;--warn:#b7791f;--good:#2f855a}\n"
    "body{font:14px/1.45 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}\n"
    "h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;margin:2rem 0 .4rem;border-bottom:1px solid var(--line)}\n"
    "p.sub{margin:.2rem 0;color:var(--quiet)}.scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.15rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{color:var(--quiet);font-weight:500;cursor:pointer;white-space:nowrap}td.r,th.r{text-align:right;white-space:"
    "nowrap}\n"
    "td.bar{min-width:11rem;background:linear-gradient(90deg,var(--bar),var(--bar)) no-repeat left/0 70%;}\n"
    ".strong{font-weight:600}.quiet{color:var(--quiet)}.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(-"
    "-bad)}\n";

static const char SCRIPT[] =
    "document.querySelectorAll('table').forEach(t=>t.querySelectorAll('th').forEach((h,c)=>h.addEventListener('click',("
    ")=>{\n"
    "const b=t.tBodies[0],d=h.dataset.down==='1'?-1:1;h.dataset.down=d===1?'1':'0';\n"
    "const k=r=>{const x=r.cells[c];return x.dataset.v!==undefined?+x.dataset.v:x.textContent};\n"
    "[...b.rows].sort((x,y)=>{const p=k(x),q=k(y);return d*(typeof p==='number'&&typeof q==='number'?q-p:"
    "String(p).localeCompare(String(q)))}).forEach(r=>b.append(r))})));\n";

static void put_escaped(buf *out, roast_str text)
{
    buf safe = {0};
    text_safe(&safe, text, true);
    for (size_t i = 0; i < safe.len; i++) {
        switch (safe.data[i]) {
        case '<':
            buf_text(out, "&lt;");
            break;
        case '>':
            buf_text(out, "&gt;");
            break;
        case '&':
            buf_text(out, "&amp;");
            break;
        case '"':
            buf_text(out, "&quot;");
            break;
        default:
            buf_char(out, safe.data[i]);
        }
    }
    if (safe.code)
        out->code = safe.code;
    buf_release(&safe);
}

static const char *tone_class(table_tone tone)
{
    static const char *const classes[] = {"", "strong", "quiet", "good", "warn", "bad"};
    return classes[tone];
}

static void put_heading(buf *out, const table_heading *heading, const char *tag)
{
    if (heading->count == 0)
        return;
    buf_format(out, "<%s>", tag);
    for (size_t i = 0; i < heading->count; i++) {
        buf_format(out, "%s<span class=\"%s\">", i ? " · " : "", tone_class(heading->phrases[i].tone));
        put_escaped(out, heading->phrases[i].text);
        buf_text(out, "</span>");
    }
    buf_format(out, "</%s>\n", tag[0] == 'p' ? "p" : tag);
}

static void put_value(buf *out, roast_value value)
{
    double number = value.kind == ROAST_INT    ? (double)value.as.integer
                    : value.kind == ROAST_REAL ? value.as.real
                                               : (double)NAN;
    if (!isfinite(number))
        return;
    buf_text(out, " data-v=\"");
    number_put(out, number);
    buf_char(out, '"');
}

static void put_cell(buf *out, const table_column *column, const table_cell *cell)
{
    buf_format(out, "<td class=\"%s %s%s\"", tone_class(cell->tone), column->align == TABLE_RIGHT ? "r" : "",
               column->bar ? " bar" : "");
    put_value(out, cell->value);
    if (column->bar && isfinite(cell->share))
        buf_format(out, " style=\"background-size:%.1f%% 70%%\"", 60 * cell->share);
    buf_char(out, '>');
    put_escaped(out, cell->text);
    buf_text(out, "</td>");
}

static void put_head(buf *out, const table *t)
{
    bool any = false;
    for (size_t i = 0; i < t->n_columns; i++)
        any |= t->columns[i].title.len > 0;
    if (!any)
        return;
    buf_text(out, "<thead><tr>");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_format(out, "<th class=\"%s\">", t->columns[i].align == TABLE_RIGHT ? "r" : "");
        put_escaped(out, t->columns[i].title);
        buf_text(out, "</th>");
    }
    buf_text(out, "</tr></thead>\n");
}

static void put_table(buf *out, const table *t)
{
    buf_format(out, "<section id=\"%s\"><h2>", t->id);
    put_escaped(out, t->title);
    buf_text(out, "</h2>\n<div class=\"scroll\"><table>");
    put_head(out, t);
    buf_text(out, "<tbody>\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        buf_text(out, "<tr>");
        for (size_t i = 0; i < t->n_columns; i++)
            put_cell(out, &t->columns[i], table_cell_at(t, row, i));
        buf_text(out, "</tr>\n");
    }
    buf_text(out, "</tbody></table></div>\n");
    if (!str_absent(t->more)) {
        buf_text(out, "<p class=\"sub\">");
        put_escaped(out, t->more);
        buf_text(out, "</p>\n");
    }
    buf_text(out, "</section>\n");
}

static void put_charts(buf *out, const chart_set *charts)
{
    if (!charts || !charts->count)
        return;
    buf_text(out, "<style>\n");
    chart_css(out);
    buf_text(out, "</style>\n");
    for (size_t i = 0; i < charts->count; i++) {
        buf_text(out, "<figure>");
        chart_svg(out, &charts->charts[i], &(svg_options){.embedded = true});
        buf_text(out, "</figure>\n");
    }
}

void html_tables(buf *out, const table_set *set, const chart_set *charts, roast_str title)
{
    buf_text(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    put_escaped(out, title);
    buf_format(out, "</title>\n<style>\n%s</style></head>\n<body>\n", STYLE);
    put_heading(out, &set->headline, "h1");
    put_heading(out, &set->subline, "p class=\"sub\"");
    put_charts(out, charts);
    for (size_t i = 0; i < set->count; i++)
        put_table(out, &set->tables[i]);
    buf_format(out, "<script>\n%s</script>\n</body></html>\n", SCRIPT);
}
