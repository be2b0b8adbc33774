/* Charts as SVG: layout, axes and legend. Text stays text, colours are classes, and the style is light or dark as the
 * reader prefers. svg_marks.c draws the data. */
#include "view/svg.h"

#include <math.h>

#include "base/str.h"
#include "view/text.h"

enum { LEGEND_COLUMNS = 34, CATEGORY_COLUMNS = 34, NOTE_COLUMNS = 110 };

/* Pixels that a column of text takes, about; where it must not be cut off, at most. */
static const double COLUMN = 7.0, SMALL_COLUMN = 6.9, WIDE_COLUMN = 7.6;
static const double EDGE = 14, LEGEND_ROW = 18, NOTE_ROW = 15, LEAST = 120;

/* ---- Writing
 * --------------------------------------------------------------------------------------------------------- */

void svg_text(buf *out, roast_str text, size_t columns)
{
    buf safe = {0}, shortened = {0};
    text_safe(&safe, text, true);
    if (columns)
        text_shorten(&shortened, buf_view(&safe), columns, true);
    roast_str rest = buf_view(columns ? &shortened : &safe);
    if (safe.code || shortened.code)
        out->code = out->code ? out->code : ROAST_MEMORY;
    while (rest.len && !out->code) {
        uint32_t c = text_next(&rest);
        if (c == '&')
            buf_text(out, "&amp;");
        else if (c == '<')
            buf_text(out, "&lt;");
        else if (c == '>')
            buf_text(out, "&gt;");
        else if (c == '"')
            buf_text(out, "&quot;");
        else
            text_put(out, c == 0xFFFE || c == 0xFFFF ? TEXT_REPLACEMENT : c); /* XML has no place for those */
    }
    buf_release(&safe);
    buf_release(&shortened);
}

void svg_number(buf *out, double pixels)
{
    long tenths = lround(pixels * 10);
    if (tenths < 0)
        buf_char(out, '-');
    unsigned long size = tenths < 0 ? (unsigned long)-tenths : (unsigned long)tenths;
    char text[24];
    size_t at = sizeof text;
    if (size % 10) {
        text[--at] = (char)('0' + size % 10);
        text[--at] = '.';
    }
    unsigned long whole = size / 10;
    while (whole || at == sizeof text) {
        text[--at] = (char)('0' + whole % 10);
        whole /= 10;
    }
    buf_bytes(out, text + at, sizeof text - at);
}

static void put_attribute(buf *out, const char *name, double pixels)
{
    buf_format(out, " %s=\"", name);
    svg_number(out, pixels);
    buf_char(out, '"');
}

static void put_line(const svg_frame *f, const char *classes, double x1, double y1, double x2, double y2)
{
    buf_format(f->out, "<line class=\"%s\"", classes);
    put_attribute(f->out, "x1", x1);
    put_attribute(f->out, "y1", y1);
    put_attribute(f->out, "x2", x2);
    put_attribute(f->out, "y2", y2);
    buf_text(f->out, "/>\n");
}

static void begin_text(const svg_frame *f, const char *classes, double x, double y)
{
    buf_format(f->out, "<text class=\"%s\"", classes);
    put_attribute(f->out, "x", x);
    put_attribute(f->out, "y", y);
}

static void put_text(const svg_frame *f, const char *classes, double x, double y, roast_str text, size_t columns)
{
    begin_text(f, classes, x, y);
    buf_char(f->out, '>');
    svg_text(f->out, text, columns);
    buf_text(f->out, "</text>\n");
}

static size_t columns_of(roast_str text, size_t most)
{
    size_t columns = text_width(text);
    return most && columns > most ? most : columns;
}

/* ---- Where values are
 * -------------------------------------------------------------------------------------------------- */

static double fraction(const chart_axis *axis, double value)
{
    double f = (value - axis->low) / (axis->high - axis->low);
    return f < 0 ? 0 : f > 1 ? 1 : f;
}

double svg_across(const svg_frame *f, const chart_axis *axis, double value)
{
    return f->left + fraction(axis, value) * (f->right - f->left);
}

/* Categories begin at the top, numbers at the bottom. */
double svg_down(const svg_frame *f, const chart_axis *axis, double value)
{
    double height = f->bottom - f->top, part = fraction(axis, value);
    return axis->scale == CHART_CATEGORY ? f->top + part * height : f->bottom - part * height;
}

static const chart_axis *bottom_axis(const chart *c)
{
    return c->horizontal ? &c->y : &c->x;
}

static const chart_axis *left_axis(const chart *c)
{
    return c->horizontal ? &c->x : &c->y;
}

/* ---- Layout
 * -------------------------------------------------------------------------------------------------------------- */

/* Ticks are digits, which are narrow; names may have wide letters. */
static double widest_label(const chart_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis->n_ticks; i++)
        widest = fmax(widest, (double)columns_of(axis->ticks[i].label, 0) * SMALL_COLUMN);
    for (size_t i = 0; i < axis->n_categories; i++)
        widest = fmax(widest, (double)columns_of(axis->categories[i], CATEGORY_COLUMNS) * WIDE_COLUMN);
    return widest;
}

static size_t labelled_step(const chart_axis *axis, double room, double label)
{
    size_t step = 1;
    while (axis->n_categories && room / (double)axis->n_categories * (double)step < label)
        step++;
    return step;
}

/* Categories along the bottom whose names are too long to stand side by side are turned. */
static bool turned(const svg_frame *f)
{
    const chart_axis *axis = bottom_axis(f->c);
    if (axis->scale != CHART_CATEGORY || !axis->n_categories)
        return false;
    return (f->right - f->left) / (double)axis->n_categories < widest_label(axis) + 8;
}

static double legend_width(roast_str name)
{
    return (double)columns_of(name, LEGEND_COLUMNS) * COLUMN + 34;
}

/* Goes through the legend as it is laid out; with draw, draws it. Gives the height. */
static double legend(const svg_frame *f, bool draw, double top,
                     void (*entry)(const svg_frame *, const chart_series *, double x, double y))
{
    double x = EDGE, y = top;
    bool any = false;
    for (size_t i = 0; i < f->c->n_series; i++) {
        const chart_series *s = &f->c->series[i];
        if (!s->legend || str_absent(s->name) || !s->count)
            continue;
        double width = legend_width(s->name);
        if (x > EDGE && x + width > f->width - EDGE) {
            x = EDGE;
            y += LEGEND_ROW;
        }
        if (draw)
            entry(f, s, x, y);
        x += width;
        any = true;
    }
    if (!str_absent(f->c->more)) {
        if (x + legend_width(f->c->more) > f->width - EDGE) {
            x = EDGE;
            y += LEGEND_ROW;
        }
        if (draw)
            put_text(f, "k", x, y, f->c->more, LEGEND_COLUMNS);
        any = true;
    }
    return any ? y - top + LEGEND_ROW : 0;
}

static bool has_text_notes(const chart *c)
{
    for (size_t i = 0; i < c->n_notes; i++)
        if (c->notes[i].kind == NOTE_TEXT)
            return true;
    return false;
}

static bool goes_down(const chart *c, const chart_note *note)
{
    return note->kind != NOTE_TEXT && (note->kind == NOTE_AT_X) != c->horizontal;
}

/* Texts of lines that go down stand above the plot, each in a row of its own. */
static double note_rows(const chart *c)
{
    size_t rows = 0;
    for (size_t i = 0; i < c->n_notes; i++)
        rows += goes_down(c, &c->notes[i]);
    return (double)rows;
}

/* What the name of the axis takes beside its ticks. */
static double label_room(const chart_axis *axis)
{
    return axis->label.len ? 22 : 0;
}

static void lay_out(svg_frame *f)
{
    const chart *c = f->c;
    f->left = EDGE + label_room(left_axis(c)) + widest_label(left_axis(c)) + 6;
    if (f->left > f->width * 0.45)
        f->left = f->width * 0.45;
    f->right = f->width - EDGE - 8;
    if (!str_absent(c->y2.label) && !c->horizontal)
        f->right -= 24 + widest_label(&c->y2);
    f->top = 30 + (has_text_notes(c) ? 16 : 0);
    f->top += legend(f, false, f->top, NULL) + 10 + note_rows(c) * NOTE_ROW;
    f->bottom = f->height - 48;
    if (turned(f))
        f->bottom -= fmin(widest_label(bottom_axis(c)) * 0.6, f->height * 0.3);
    if (f->bottom < f->top + 20)
        f->bottom = f->top + 20;
}

/* ---- Axes
 * ------------------------------------------------------------------------------------------------------------------ */

/* Lines across the plot at the values of bars, lines and points: behind them. */
static void draw_grid(const svg_frame *f)
{
    const chart_axis *axis = &f->c->y;
    for (size_t i = 0; i < axis->n_ticks; i++) {
        double at = axis->ticks[i].at;
        if (f->c->horizontal)
            put_line(f, "g", svg_across(f, axis, at), f->top, svg_across(f, axis, at), f->bottom);
        else
            put_line(f, "g", f->left, svg_down(f, axis, at), f->right, svg_down(f, axis, at));
    }
}

/* As many names as there is room for, the first of those that are too near to each other. */
static void draw_left_categories(const svg_frame *f, const chart_axis *axis)
{
    double room = f->left - 6 - EDGE - label_room(axis), free_from = -1e9;
    size_t columns = (size_t)fmax(room / WIDE_COLUMN + 0.01, 4);
    for (size_t i = 0; i < axis->n_categories; i++) {
        double y = svg_down(f, axis, (double)i);
        if (y < free_from || !axis->categories[i].len)
            continue;
        put_text(f, "t e", f->left - 6, y + 4, axis->categories[i], columns);
        free_from = y + 12;
    }
}

static void draw_left(const svg_frame *f)
{
    const chart_axis *axis = left_axis(f->c);
    for (size_t i = 0; i < axis->n_ticks; i++) {
        double y = svg_down(f, axis, axis->ticks[i].at);
        put_text(f, "t e", f->left - 6, y + 4, axis->ticks[i].label, 0);
    }
    draw_left_categories(f, axis);
    if (axis->label.len) {
        begin_text(f, "t m", 0, 0);
        buf_text(f->out, " transform=\"translate(");
        svg_number(f->out, EDGE + 8);
        buf_char(f->out, ' ');
        svg_number(f->out, (f->top + f->bottom) / 2);
        buf_text(f->out, ") rotate(-90)\">");
        svg_text(f->out, axis->label, 0);
        buf_text(f->out, "</text>\n");
    }
}

static void draw_right(const svg_frame *f)
{
    const chart_axis *axis = &f->c->y2;
    if (str_absent(axis->label) || f->c->horizontal)
        return;
    for (size_t i = 0; i < axis->n_ticks; i++)
        put_text(f, "t", f->right + 6, svg_down(f, axis, axis->ticks[i].at) + 4, axis->ticks[i].label, 0);
    begin_text(f, "t m", 0, 0);
    buf_text(f->out, " transform=\"translate(");
    svg_number(f->out, f->width - EDGE - 2);
    buf_char(f->out, ' ');
    svg_number(f->out, (f->top + f->bottom) / 2);
    buf_text(f->out, ") rotate(90)\">");
    svg_text(f->out, axis->label, 0);
    buf_text(f->out, "</text>\n");
}

static void draw_bottom_categories(const svg_frame *f, const chart_axis *axis)
{
    bool turn = turned(f);
    size_t step = turn ? labelled_step(axis, f->right - f->left, 14) : 1;
    for (size_t i = 0; i < axis->n_categories; i += step) {
        double x = svg_across(f, axis, (double)i);
        if (!turn) {
            put_text(f, "t m", x, f->bottom + 17, axis->categories[i], CATEGORY_COLUMNS);
            continue;
        }
        begin_text(f, "t e", 0, 0);
        buf_text(f->out, " transform=\"translate(");
        svg_number(f->out, x + 4);
        buf_char(f->out, ' ');
        svg_number(f->out, f->bottom + 12);
        buf_text(f->out, ") rotate(-35)\">");
        svg_text(f->out, axis->categories[i], CATEGORY_COLUMNS);
        buf_text(f->out, "</text>\n");
    }
}

/* A label at the very edge would be cut off: it ends or starts there instead. */
static void draw_bottom(const svg_frame *f)
{
    const chart_axis *axis = bottom_axis(f->c);
    draw_bottom_categories(f, axis);
    double free_from = -1e9;
    for (size_t i = 0; i < axis->n_ticks; i++) {
        double x = svg_across(f, axis, axis->ticks[i].at);
        double half = (double)columns_of(axis->ticks[i].label, 0) * SMALL_COLUMN / 2;
        put_line(f, "x", x, f->bottom, x, f->bottom + 4);
        if (x - half < free_from)
            continue;
        put_text(f, "t m", x, f->bottom + 17, axis->ticks[i].label, 0);
        free_from = x + half + 6;
    }
    put_line(f, "x", f->left, f->bottom, f->right, f->bottom);
    begin_text(f, "t m", (f->left + f->right) / 2, f->height - 12);
    buf_char(f->out, '>');
    svg_text(f->out, axis->label, 0);
    if (axis->scale == CHART_TIME && axis->unit.len) {
        buf_text(f->out, "<tspan class=\"k\" dx=\"4\">(");
        svg_text(f->out, axis->unit, 0);
        buf_text(f->out, ")</tspan>");
    }
    buf_text(f->out, "</text>\n");
}

/* ---- Title, legend, notes
 * ---------------------------------------------------------------------------------------------------- */

static void draw_entry(const svg_frame *f, const chart_series *s, double x, double y)
{
    buf_format(f->out, "<g class=\"c%s%s\">", svg_colour_name(s->colour), s->quiet ? " q" : "");
    bool line = s->kind == CHART_LINE;
    buf_format(f->out, "<path class=\"%s\" d=\"M", line ? "l" : s->kind == CHART_BAND ? "a" : "f");
    svg_number(f->out, x);
    buf_char(f->out, ' ');
    svg_number(f->out, line ? y - 4 : y - 9);
    buf_text(f->out, line ? "h14" : "h12v10h-12z");
    buf_text(f->out, "\"/></g>");
    put_text(f, "t", x + 18, y, s->name, LEGEND_COLUMNS);
}

static void draw_head(const svg_frame *f)
{
    put_text(f, "h", EDGE, 22, f->c->title, (size_t)((f->width - 2 * EDGE) / 8));
    double y = 30;
    if (has_text_notes(f->c)) {
        begin_text(f, "k", EDGE, y + 10);
        buf_char(f->out, '>');
        for (size_t i = 0, shown = 0; i < f->c->n_notes; i++) {
            if (f->c->notes[i].kind != NOTE_TEXT)
                continue;
            if (shown++)
                buf_text(f->out, " · ");
            svg_text(f->out, f->c->notes[i].text, NOTE_COLUMNS);
        }
        buf_text(f->out, "</text>\n");
        y += 16;
    }
    legend(f, true, y + 14, draw_entry);
}

static double place_of(const svg_frame *f, const chart_note *note)
{
    const chart_axis *axis = note->kind == NOTE_AT_X ? &f->c->x : &f->c->y;
    return goes_down(f->c, note) ? svg_across(f, axis, note->at) : svg_down(f, axis, note->at);
}

/* A text stands on the side of its line where there is room, and where no other line goes through it. */
static bool stands_left(const svg_frame *f, const chart_note *note)
{
    double x = place_of(f, note), wide = (double)columns_of(note->text, 60) * SMALL_COLUMN + 10;
    for (size_t i = 0; i < f->c->n_notes; i++) {
        const chart_note *other = &f->c->notes[i];
        bool crosses =
            other != note && goes_down(f->c, other) && place_of(f, other) >= x && place_of(f, other) < x + wide;
        if (crosses && x - wide > f->left)
            return true;
    }
    return x + wide > f->right;
}

static void draw_notes(const svg_frame *f)
{
    double row = f->top - note_rows(f->c) * NOTE_ROW + 8;
    for (size_t i = 0; i < f->c->n_notes; i++) {
        const chart_note *note = &f->c->notes[i];
        if (note->kind == NOTE_TEXT)
            continue;
        double at = place_of(f, note);
        if (!goes_down(f->c, note)) {
            put_line(f, "n", f->left, at, f->right, at);
            put_text(f, "k o e", f->right - 4, at - 4, note->text, 60);
            continue;
        }
        bool left = stands_left(f, note);
        put_line(f, "n", at, row - 9, at, f->bottom);
        put_text(f, left ? "k o e" : "k o", left ? at - 5 : at + 5, row, note->text, 60);
        row += NOTE_ROW;
    }
}

static void draw_reason(const svg_frame *f)
{
    put_text(f, "h", EDGE, 22, f->c->title, (size_t)((f->width - 2 * EDGE) / 8));
    begin_text(f, "k m", f->width / 2, f->height / 2);
    buf_text(f->out, ">Nothing to draw: ");
    svg_text(f->out, f->c->why, 90);
    buf_text(f->out, "</text>\n");
}

/* ---- Style
 * ---------------------------------------------------------------------------------------------------------------------
 */

/* Told apart by people who see red and green alike, and with enough contrast on their ground. */
static const struct shades {
    const char *colours[CHART_COLOURS];
    const char *neutral, *bad, *ground, *ink, *muted, *grid;
} LIGHT = {{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#882255", "#8a8a2e"},
           "#8b95a1",
           "#d62f1f",
           "#ffffff",
           "#1c2430",
           "#5b6675",
           "#e3e7ec"},
  DARK = {{"#4ba3e3", "#f0b429", "#2fc795", "#e39ac4", "#8fd0f5", "#d0699b", "#c2c25a"},
          "#8e99a6",
          "#ff6b57",
          "#12161c",
          "#e8ecf1",
          "#9aa5b3",
          "#2a313b"};

const char *chart_colour_text(int colour)
{
    return colour == CHART_BAD                     ? LIGHT.bad
           : colour < 0 || colour >= CHART_COLOURS ? LIGHT.neutral
                                                   : LIGHT.colours[colour];
}

static void put_colour(buf *out, const char *name, const char *value)
{
    buf_format(
        out, ".roast-chart .c%s .f,.roast-chart .c%s .a{fill:%s}.roast-chart .c%s .l,.roast-chart .c%s .p{stroke:%s}\n",
        name, name, value, name, name, value);
}

static void put_shades(buf *out, const struct shades *s)
{
    for (int i = 0; i < CHART_COLOURS; i++) {
        put_colour(out, svg_colour_name(i), s->colours[i]);
    }
    put_colour(out, svg_colour_name(CHART_NEUTRAL), s->neutral);
    put_colour(out, svg_colour_name(CHART_BAD), s->bad);
    buf_format(out,
               ".roast-chart .w{fill:%s}.roast-chart .h{fill:%s}.roast-chart .t{fill:%s}.roast-chart .k{fill:%s}\n"
               ".roast-chart .g{stroke:%s}.roast-chart .x,.roast-chart .n{stroke:%s}.roast-chart .o{stroke:%s}\n",
               s->ground, s->ink, s->ink, s->muted, s->grid, s->muted, s->ground);
}

static void put_rules(buf *out)
{
    buf_text(out, ".roast-chart{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px}\n"
                  ".roast-chart .h{font-size:15px;font-weight:600}.roast-chart .k{font-size:11.5px}\n"
                  ".roast-chart .e{text-anchor:end}.roast-chart .m{text-anchor:middle}\n"
                  ".roast-chart .g{stroke-width:1}.roast-chart .x{stroke-width:1}\n"
                  ".roast-chart .n{stroke-width:1;stroke-dasharray:4 3}\n"
                  ".roast-chart .o{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\n"
                  ".roast-chart .l{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}\n"
                  ".roast-chart .a{opacity:.18;stroke:none}.roast-chart .q .a{opacity:.25}\n"
                  ".roast-chart .f{opacity:.88;stroke:none}\n"
                  ".roast-chart .p{fill:none;stroke-linecap:round;opacity:.6}.roast-chart .p0{stroke-width:3.2}\n"
                  ".roast-chart .p1{stroke-width:4.2}.roast-chart .p2{stroke-width:5.6}"
                  ".roast-chart .p3{stroke-width:7.5}\n");
}

void chart_css(buf *out)
{
    put_rules(out);
    put_shades(out, &LIGHT);
    buf_text(out, "@media (prefers-color-scheme:dark){\n");
    put_shades(out, &DARK);
    buf_text(out, "}\n");
}

/* The names of the variables in the place of colours. */
static const struct shades BY_NAME = {
    {"var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"},
    "var(--neutral)",
    "var(--bad)",
    "var(--ground)",
    "var(--ink)",
    "var(--muted)",
    "var(--grid)"};

const char *chart_shade(const char *name)
{
    const struct {
        const char *name, *value;
    } named[] = {{"neutral", LIGHT.neutral}, {"bad", LIGHT.bad},     {"ground", LIGHT.ground},
                 {"ink", LIGHT.ink},         {"muted", LIGHT.muted}, {"grid", LIGHT.grid}};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(name, named[i].name) == 0)
            return named[i].value;
    return chart_colour_text(name[1] - '0'); /* "c0" */
}

static void put_variables(buf *out, const char *where, const struct shades *s)
{
    buf_format(out, "%s{", where);
    for (int i = 0; i < CHART_COLOURS; i++)
        buf_format(out, "--c%d:%s;", i, s->colours[i]);
    buf_format(out, "--neutral:%s;--bad:%s;--ground:%s;--ink:%s;--muted:%s;--grid:%s}\n", s->neutral, s->bad, s->ground,
               s->ink, s->muted, s->grid);
}

void chart_palette(buf *out, const char *where, bool dark)
{
    put_variables(out, where, dark ? &DARK : &LIGHT);
}

void chart_page_css(buf *out)
{
    put_variables(out, ":root", &LIGHT);
    buf_text(out, "@media (prefers-color-scheme:dark){\n");
    put_variables(out, ":root:not(.light)", &DARK);
    buf_text(out, "}\n");
    put_rules(out);
    put_shades(out, &BY_NAME);
}

/* ---- The picture
 * --------------------------------------------------------------------------------------------------------------- */

static void put_limits(buf *out, const char *name, const chart_axis *axis)
{
    if (!str_absent(axis->label))
        buf_format(out, " data-%s=\"%.9g %.9g\"", name, axis->low, axis->high);
}

static void open_picture(const svg_frame *f)
{
    buf *out = f->out;
    const chart *c = f->c;
    buf_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"roast-chart\"");
    put_attribute(out, "width", f->width);
    put_attribute(out, "height", f->height);
    buf_format(out, " viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"%s-title %s-desc\" data-chart=\"%s\"",
               f->width, f->height, c->id, c->id, c->id);
    if (str_absent(c->why)) {
        buf_format(out, " data-plot=\"%.1f %.1f %.1f %.1f\"", f->left, f->top, f->right - f->left, f->bottom - f->top);
        put_limits(out, "x", &c->x);
        put_limits(out, "y", &c->y);
        put_limits(out, "y2", &c->y2);
    }
    buf_format(out, ">\n<title id=\"%s-title\">", c->id);
    svg_text(out, c->title, 0);
    buf_format(out, "</title>\n<desc id=\"%s-desc\">", c->id);
    svg_text(out, c->description, 0);
    for (size_t i = 0; i < c->n_notes; i++) {
        buf_text(out, " ");
        svg_text(out, c->notes[i].text, NOTE_COLUMNS);
        buf_text(out, ".");
    }
    buf_text(out, "</desc>\n");
}

void chart_svg(buf *out, const chart *c, const svg_options *options)
{
    svg_options o = options ? *options : (svg_options){0};
    svg_frame f = {
        .out = out, .c = c, .width = o.width > 0 ? o.width : c->width, .height = o.height > 0 ? o.height : c->height};
    f.width = round(fmax(f.width, LEAST));
    f.height = round(fmax(f.height, LEAST));
    lay_out(&f);
    if (!o.embedded)
        buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    open_picture(&f);
    if (!o.embedded) {
        buf_text(out, "<style>\n");
        chart_css(out);
        buf_text(out, "</style>\n<rect class=\"w\" width=\"100%\" height=\"100%\"/>\n");
    }
    if (!str_absent(c->why)) {
        draw_reason(&f);
    } else {
        draw_grid(&f);
        svg_marks(&f);
        draw_left(&f);
        draw_bottom(&f);
        draw_right(&f);
        draw_notes(&f);
        draw_head(&f);
    }
    buf_text(out, "</svg>\n");
}
