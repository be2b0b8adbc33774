/* HTML for notebooks. JupyterLab lets style attributes pass in a notebook that it does not trust, with values that it
 * knows (colours as #rrggbb, no variables), and drops style sheets; GitHub drops both. */
#include "view/notebook.h"

#include <string.h>

#include "base/str.h"
#include "view/chart.h"
#include "view/format.h"
#include "view/html.h"

enum { OPEN_TABLES = 4, MOST_ROWS = 20 };

/* ---- The box, and its theme ---------------------------------------------------------------------------------- */

/* Colours that are used; the classes of their inks and grounds are made of them. */
static const char *const SHADES[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "neutral", "bad", "muted", "grid"};

/* JupyterLab and VS Code say which theme they have; elsewhere it is that of the system. */
static void put_theme(buf *out)
{
    chart_palette(out, ".roast", false);
    buf_text(out, "@media (prefers-color-scheme:dark){\n");
    chart_palette(out, ".roast", true);
    buf_text(out, "}\n");
    chart_palette(out, "[data-jp-theme-light=true] .roast,.vscode-light .roast", false);
    chart_palette(out, "[data-jp-theme-light=false] .roast,.vscode-dark .roast", true);
}

static void put_sheet(buf *out)
{
    buf_text(out, "<style>\n");
    put_theme(out);
    buf_text(out, ".roast{color:var(--ink)!important;background-color:var(--ground)!important;"
                  "border-color:var(--grid)!important}\n"
                  ".roast tr,.roast td,.roast th,.roast code,.roast pre{color:inherit!important;"
                  "background:none!important}\n"
                  ".roast details[open]>summary .turn{display:inline-block;transform:rotate(90deg)}\n");
    for (size_t i = 0; i < sizeof SHADES / sizeof SHADES[0]; i++)
        buf_format(out,
                   ".roast .ink-%s{color:var(--%s)!important}.roast .fill-%s{background-color:var(--%s)!important}\n",
                   SHADES[i], SHADES[i], SHADES[i], SHADES[i]);
    buf_text(out, "</style>\n");
}

void notebook_open(buf *out)
{
    buf_format(out,
               "<div class=\"roast\" style=\"color:%s;background-color:%s;border:1px solid %s;border-radius:8px;"
               "padding:8px 14px;max-width:1100px;font-family:system-ui,sans-serif;font-size:13px;line-height:1.4;"
               "text-align:left\">\n",
               chart_colour_named("ink"), chart_colour_named("ground"), chart_colour_named("grid"));
    put_sheet(out);
}

void notebook_close(buf *out)
{
    buf_text(out, "</div>\n");
}

void notebook_ink(buf *out, const char *shade, const char *style)
{
    buf_format(out, " class=\"ink-%s\" style=\"color:%s;%s\"", shade, chart_colour_named(shade), style);
}

void notebook_fill(buf *out, const char *shade, const char *style)
{
    buf_format(out, " class=\"fill-%s\" style=\"background-color:%s;%s\"", shade, chart_colour_named(shade), style);
}

/* ---- Texts --------------------------------------------------------------------------------------------------- */

static void put_toned(buf *out, roast_str text, table_tone tone)
{
    static const char BOLD[] = "font-weight:600";
    buf_text(out, "<span");
    if (tone == TONE_BAD || tone == TONE_QUIET)
        notebook_ink(out, tone == TONE_BAD ? "bad" : "muted", tone == TONE_BAD ? BOLD : "");
    else if (tone != TONE_PLAIN)
        buf_format(out, " style=\"%s\"", BOLD);
    buf_char(out, '>');
    html_text(out, text);
    buf_text(out, "</span>");
}

void notebook_heading(buf *out, const table_heading *heading, const char *style)
{
    if (!heading->count)
        return;
    buf_format(out, "<div style=\"overflow:hidden;white-space:nowrap;text-overflow:ellipsis;%s\" title=\"", style);
    for (size_t i = 0; i < heading->count; i++) {
        buf_text(out, i ? " · " : "");
        html_text(out, heading->phrases[i].text);
    }
    buf_text(out, "\">");
    for (size_t i = 0; i < heading->count; i++) {
        buf_text(out, i ? " · " : "");
        put_toned(out, heading->phrases[i].text, heading->phrases[i].tone);
    }
    buf_text(out, "</div>\n");
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static void put_cell(buf *out, const table_cell *cell, const char *style)
{
    buf_format(out, "<td style=\"padding:1px 14px 1px 0;vertical-align:top;%s\">", style);
    put_toned(out, cell->text, cell->tone);
    buf_text(out, "</td>");
}

/* JupyterLab stripes the rows of tables, in the colours of its theme. */
static void open_row(buf *out)
{
    buf_format(out, "<tr style=\"color:%s;background-color:%s\">", chart_colour_named("ink"),
               chart_colour_named("ground"));
}

static void put_pairs(buf *out, const table *t)
{
    bool code = false;
    for (size_t row = 0; row < t->n_rows; row++) {
        const table_cell *name = table_cell_at(t, row, 0);
        code = name->text.len ? str_equal(name->text, STR("code")) : code; /* its other lines have no name */
        open_row(out);
        put_cell(out, name, "text-align:left;white-space:nowrap");
        put_cell(out, table_cell_at(t, row, 1),
                 code ? "text-align:left;font-family:monospace;white-space:pre-wrap" : "text-align:left");
        buf_text(out, "</tr>\n");
    }
}

static const char *align_of(const table_column *column)
{
    if (column->align == TABLE_RIGHT)
        return "text-align:right;white-space:nowrap";
    return column->shortens || column->most_lines > 1 ? "text-align:left" : "text-align:left;white-space:nowrap";
}

static void put_grid(buf *out, const table *t)
{
    open_row(out);
    for (size_t column = 0; column < t->n_columns; column++) {
        buf_format(out, "<th style=\"padding:2px 14px 2px 0;%s;font-weight:600\">", align_of(&t->columns[column]));
        html_text(out, str_from(t->columns[column].title));
        buf_text(out, "</th>");
    }
    buf_text(out, "</tr>\n");
    for (size_t row = 0; row < t->n_rows && row < MOST_ROWS; row++) {
        open_row(out);
        for (size_t column = 0; column < t->n_columns; column++)
            put_cell(out, table_cell_at(t, row, column), align_of(&t->columns[column]));
        buf_text(out, "</tr>\n");
    }
}

static void put_rest(buf *out, const table *t)
{
    if (t->n_rows <= MOST_ROWS && str_absent(t->more))
        return;
    buf_text(out, "<div");
    notebook_ink(out, "muted", "");
    buf_char(out, '>');
    if (t->n_rows > MOST_ROWS)
        buf_format(out, "and %zu more", t->n_rows - MOST_ROWS);
    else
        html_text(out, t->more);
    buf_text(out, "</div>\n");
}

static void put_table(buf *out, const table *t, bool open)
{
    buf_format(out, "<details%s style=\"margin:8px 0 0 0\"><summary style=\"cursor:pointer;font-weight:600\">",
               open ? " open" : "");
    html_text(out, t->title);
    buf_text(out, "</summary>\n<div style=\"overflow-x:auto\">"
                  "<table style=\"border-collapse:collapse;margin:2px 0 0 0;font-size:13px\"><tbody>\n");
    if (t->layout == TABLE_GRID)
        put_grid(out, t);
    else
        put_pairs(out, t);
    buf_text(out, "</tbody></table></div>\n");
    if (t->layout == TABLE_GRID)
        put_rest(out, t);
    buf_text(out, "</details>\n");
}

void notebook_tables(buf *out, const table_set *set)
{
    notebook_open(out);
    notebook_heading(out, &set->alarm, "");
    notebook_heading(out, &set->headline, "");
    notebook_heading(out, &set->subline, "");
    for (size_t i = 0; i < set->count; i++)
        put_table(out, &set->tables[i], i < OPEN_TABLES);
    notebook_close(out);
}
