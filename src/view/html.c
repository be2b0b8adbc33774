/* HTML of texts and tables. Names are shown in two parts, of which the browser may cut the first ("root://eos.exa…
 * /00014.root"): the end of a path says more than its front. */
#include "view/html.h"

#include <inttypes.h>
#include <math.h>

#include "base/str.h"
#include "view/format.h"
#include "view/json.h"
#include "view/number.h"
#include "view/text.h"

enum { TAIL_COLUMNS = 16, FEWEST_TO_SPLIT = 28 };

/* ---- Text ---------------------------------------------------------------------------------------------------- */

static void put_escaped(buf *out, roast_str safe)
{
    for (size_t i = 0; i < safe.len; i++) {
        switch (safe.ptr[i]) {
        case '&':
            buf_text(out, "&amp;");
            break;
        case '<':
            buf_text(out, "&lt;");
            break;
        case '>':
            buf_text(out, "&gt;");
            break;
        case '"':
            buf_text(out, "&quot;");
            break;
        case '\'':
            buf_text(out, "&#39;");
            break;
        default:
            buf_char(out, safe.ptr[i]);
        }
    }
}

static void inherit_failure(buf *out, const buf *part)
{
    if (part->code && !out->code)
        out->code = part->code;
}

/* Most texts are: they need no copies. */
static bool is_plain_already(roast_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < ' ' || text.ptr[i] > '~')
            return false;
    return text.len <= HTML_LONGEST;
}

static void put_plain(buf *out, roast_str text)
{
    if (is_plain_already(text)) {
        buf_str(out, text);
        return;
    }
    buf safe = {0};
    text_safe(&safe, text, true);
    text_shorten(out, buf_view(&safe), HTML_LONGEST, true);
    inherit_failure(out, &safe);
    buf_release(&safe);
}

void html_text(buf *out, roast_str text)
{
    if (is_plain_already(text)) {
        put_escaped(out, text);
        return;
    }
    buf plain = {0};
    put_plain(&plain, text);
    put_escaped(out, buf_view(&plain));
    inherit_failure(out, &plain);
    buf_release(&plain);
}

/* Where the last columns of a text begin. */
static size_t tail_at(roast_str safe)
{
    size_t width = text_width(safe);
    roast_str rest = safe;
    while (width > TAIL_COLUMNS && rest.len) {
        roast_str before = rest;
        text_next(&rest);
        width -= text_width((roast_str){before.ptr, before.len - rest.len});
    }
    return safe.len - rest.len;
}

static void put_parts(buf *out, roast_str safe)
{
    if (text_width(safe) < FEWEST_TO_SPLIT) {
        buf_text(out, "<bdi>");
        put_escaped(out, safe);
        buf_text(out, "</bdi>");
        return;
    }
    size_t at = tail_at(safe);
    buf_text(out, "<bdi class=\"name\" title=\"");
    put_escaped(out, safe);
    buf_text(out, "\"><span>");
    put_escaped(out, (roast_str){safe.ptr, at});
    buf_text(out, "</span><span>");
    put_escaped(out, (roast_str){safe.ptr + at, safe.len - at});
    buf_text(out, "</span></bdi>");
}

static void put_name(buf *out, roast_str text)
{
    if (is_plain_already(text)) {
        put_parts(out, text);
        return;
    }
    buf plain = {0};
    put_plain(&plain, text);
    put_parts(out, buf_view(&plain));
    inherit_failure(out, &plain);
    buf_release(&plain);
}

const char *html_tone(table_tone tone)
{
    static const char *const names[] = {"", "strong", "quiet", "good", "warn", "bad"};
    return (size_t)tone < sizeof names / sizeof names[0] ? names[tone] : "";
}

/* A name on the screen may stand for a longer one. */
static bool stands_for_more(const table_cell *cell)
{
    return cell->form == FORM_WORKER && cell->value.kind == ROAST_TEXT && !str_equal(cell->value.as.text, cell->text);
}

static void put_full_name(buf *out, const table_cell *cell)
{
    if (!stands_for_more(cell))
        return;
    buf_text(out, " title=\"");
    html_text(out, cell->value.as.text);
    buf_char(out, '"');
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

/* Two spaces at the start of a label: it belongs to the line above. */
static bool is_sub_line(const table *t, size_t row)
{
    return row && str_starts_with(table_cell_at(t, row, 0)->text, STR("  "));
}

static void put_label(buf *out, const table_cell *label, glossary *terms)
{
    term_list list = terms_of_label(label);
    glossary_label(out, terms, str_trim(label->text), &list);
}

/* A line and those that belong to it are a body of the table, so that nothing comes between them. */
void html_pairs(buf *out, const table *t, glossary *terms)
{
    buf_text(out, "<table class=\"pairs\"><tbody>\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        const table_cell *label = table_cell_at(t, row, 0), *value = table_cell_at(t, row, 1);
        bool belongs = is_sub_line(t, row);
        if (row && !belongs)
            buf_text(out, "</tbody><tbody>\n");
        buf_text(out, belongs ? "<tr class=\"sub\">" : "<tr>");
        if (label->text.len) {
            buf_text(out, "<th scope=\"row\">");
            put_label(out, label, terms);
            buf_text(out, "</th>");
        }
        buf_format(out, "<td class=\"%s\"%s>", html_tone(value->tone), label->text.len ? "" : " colspan=\"2\"");
        html_text(out, value->text);
        buf_text(out, "</td></tr>\n");
    }
    buf_text(out, "</tbody></table>\n");
}

/* Lines without a name go on with what is above. */
void html_list(buf *out, const table *t, glossary *terms)
{
    buf_text(out, "<dl class=\"list\">\n");
    for (size_t row = 0; row < t->n_rows; row++) {
        const table_cell *label = table_cell_at(t, row, 0), *value = table_cell_at(t, row, 1);
        if (!row || label->text.len) {
            buf_text(out, row ? "</div>\n<div><dt>" : "<div><dt>");
            put_label(out, label, terms);
            buf_text(out, "</dt>");
        }
        buf_format(out, "<dd class=\"%s%s\">", value->is_code ? "code " : "", html_tone(value->tone));
        html_text(out, value->text);
        buf_text(out, "</dd>");
    }
    buf_text(out, t->n_rows ? "</div>\n</dl>\n" : "</dl>\n");
}

static void put_cell(buf *out, const table_column *column, const table_cell *cell)
{
    buf_format(out, "<td class=\"%s%s%s\"",
               column->align == TABLE_RIGHT ? "num "
               : column->most_lines > 1     ? "text "
                                            : "",
               column->bar ? "bar " : "", html_tone(cell->tone));
    put_full_name(out, cell);
    buf_char(out, '>');
    if (column->bar && !isnan(cell->share))
        buf_format(out, "<svg aria-hidden=\"true\"><rect width=\"%d%%\" height=\"100%%\"/></svg>",
                   (int)lround(cell->share * 100));
    bool message = column->most_lines > 1;
    buf_text(out, message ? "<div>" : "");
    if (column->shortens)
        put_name(out, cell->text);
    else
        html_text(out, cell->text);
    buf_text(out, message ? "</div></td>" : "</td>");
}

static void put_header(buf *out, const table *t, glossary *terms)
{
    buf_text(out, "<thead><tr>");
    for (size_t column = 0; column < t->n_columns; column++) {
        buf_format(out, "<th scope=\"col\"%s>", t->columns[column].align == TABLE_RIGHT ? " class=\"num\"" : "");
        term_list list = terms_of_column(&t->columns[column]);
        glossary_label(out, terms, str_from(t->columns[column].title), &list);
        buf_text(out, "</th>");
    }
    buf_text(out, "</tr></thead>\n");
}

void html_grid(buf *out, const table *t, size_t limit, glossary *terms)
{
    size_t shown = limit && limit < t->n_rows ? limit : t->n_rows;
    buf_text(out, "<div class=\"scroll\"><table class=\"grid\">");
    put_header(out, t, terms);
    buf_text(out, "<tbody>\n");
    for (size_t row = 0; row < shown; row++) {
        buf_text(out, "<tr>");
        for (size_t column = 0; column < t->n_columns; column++)
            put_cell(out, &t->columns[column], table_cell_at(t, row, column));
        buf_text(out, "</tr>\n");
    }
    buf_text(out, "</tbody></table></div>\n<p class=\"more\">");
    if (shown < t->n_rows) {
        buf_text(out, "and ");
        format_count(out, (int64_t)(t->n_rows - shown));
        buf_text(out, " more");
    } else if (!str_absent(t->more)) {
        html_text(out, t->more);
    }
    buf_text(out, "</p>\n");
}

/* ---- Rows for a script --------------------------------------------------------------------------------------- */

void html_quoted(buf *out, roast_str text)
{
    if (is_plain_already(text)) {
        json_put_quoted(out, text);
        return;
    }
    buf plain = {0};
    put_plain(&plain, text);
    json_put_quoted(out, buf_view(&plain));
    inherit_failure(out, &plain);
    buf_release(&plain);
}

static void put_number(buf *out, roast_value value)
{
    if (value.kind == ROAST_INT)
        buf_format(out, "%" PRId64, value.as.integer);
    else
        number_put(out, value.as.real);
}

static bool is_number(roast_value value)
{
    return value.kind == ROAST_INT || (value.kind == ROAST_REAL && isfinite(value.as.real));
}

static void put_json_cell(buf *out, const table_cell *cell)
{
    bool number = is_number(cell->value), shared = !isnan(cell->share), more = stands_for_more(cell);
    if (!number && cell->tone == TONE_QUIET) {
        buf_text(out, "null");
        return;
    }
    bool list = number || more || cell->tone || shared;
    if (list)
        buf_char(out, '[');
    html_quoted(out, cell->text);
    if (list)
        buf_char(out, ',');
    if (number)
        put_number(out, cell->value);
    else if (more)
        html_quoted(out, cell->value.as.text);
    else if (cell->tone || shared)
        buf_text(out, "null");
    if (cell->tone || shared)
        buf_format(out, ",%d", (int)cell->tone);
    if (shared)
        buf_format(out, ",%d", (int)lround(cell->share * 100));
    if (list)
        buf_char(out, ']');
}

void html_grid_json(buf *out, const table *t)
{
    buf_text(out, "{\"rows\":[");
    for (size_t row = 0; row < t->n_rows; row++) {
        buf_text(out, row ? ",\n[" : "[");
        for (size_t column = 0; column < t->n_columns; column++) {
            if (column)
                buf_char(out, ',');
            put_json_cell(out, table_cell_at(t, row, column));
        }
        buf_char(out, ']');
    }
    buf_text(out, "]}");
}
