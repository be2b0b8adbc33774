/* Charts as SVG: layout, axes and legend. Text stays text, and colours are classes (svg_style.c). svg_marks.c draws the
 * data. */
#include "view/svg.h"

#include <math.h>

#include "base/str.h"
#include "view/text.h"

enum { LEGEND_COLUMNS = 34, CATEGORY_COLUMNS = 34 };

/* Pixels that a column of text takes, about; where it must not be cut off, at most. */
static const double COLUMN = 7.0, SMALL_COLUMN = 6.9, WIDE_COLUMN = 7.6, NOTE_COLUMN = 6.2;
static const double EDGE = 14, HEAD = 30, LEGEND_ROW = 18, NOTE_ROW = 15, LEAST = 120;

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

static double fraction(chart_scale scale, double low, double high, double value)
{
    bool logarithmic = scale == CHART_LOG;
    if (logarithmic && !(value > 0))
        return 0;
    double f = logarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low);
    return f < 0 ? 0 : f > 1 ? 1 : f;
}

static double across(const svg_frame *f, double part)
{
    return f->left + part * (f->right - f->left);
}

/* Categories begin at the top, numbers at the bottom. */
static double down(const svg_frame *f, const chart_axis *axis, double part)
{
    return f->top + (axis->scale == CHART_CATEGORY ? part : 1 - part) * (f->bottom - f->top);
}

double svg_x(const svg_frame *f, double value)
{
    const chart_panel *panel = &f->c->panels[f->panel];
    double part = fraction(f->c->x.scale, panel->from, panel->to, value);
    return f->c->horizontal ? down(f, &f->c->x, part) : across(f, part);
}

double svg_y(const svg_frame *f, double value)
{
    const chart_axis *axis = svg_values(f);
    double part = fraction(axis->scale, axis->low, axis->high, value);
    return f->c->horizontal ? across(f, part) : down(f, axis, part);
}

const chart_axis *svg_values(const svg_frame *f)
{
    return &f->c->panels[f->panel].y;
}

size_t svg_shade(const chart_axis *z, double value)
{
    size_t shade = (size_t)(fraction(z->scale, z->low, z->high, value) * CHART_SHADES);
    return shade < CHART_SHADES ? shade : CHART_SHADES - 1;
}

/* The axis along the bottom, or on the left, with where its values are. */
typedef struct side {
    const chart_axis *axis;
    double (*place)(const svg_frame *f, double value);
} side;

static side bottom_side(const svg_frame *f)
{
    return f->c->horizontal ? (side){svg_values(f), svg_y} : (side){&f->c->x, svg_x};
}

static side left_side(const svg_frame *f)
{
    return f->c->horizontal ? (side){&f->c->x, svg_x} : (side){svg_values(f), svg_y};
}

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

/* ---- Panels
 * ------------------------------------------------------------------------------------------------------------ */

static bool beside(const chart *c)
{
    return c->n_panels > 1 && c->x.scale == CHART_CATEGORY;
}

static const double PANEL_GAP = 20, FIRST_SHARE = 0.64; /* of the height: the first panel is what the chart is about */

static svg_frame panel_below(const svg_frame *f, size_t panel)
{
    svg_frame p = *f;
    double room = f->bottom - f->top - PANEL_GAP * (double)(f->c->n_panels - 1);
    double first = f->c->n_panels > 1 ? room * FIRST_SHARE : room;
    double other = f->c->n_panels > 1 ? (room - first) / (double)(f->c->n_panels - 1) : 0;
    p.panel = panel;
    p.top = f->top + (panel ? first + PANEL_GAP + (other + PANEL_GAP) * (double)(panel - 1) : 0);
    p.bottom = p.top + (panel ? other : first);
    return p;
}

/* Each as wide as its categories need, after room for the ticks of its own axis. */
static svg_frame panel_beside(const svg_frame *f, size_t panel)
{
    const chart *c = f->c;
    svg_frame p = *f;
    double gaps = 0, gap = 0;
    for (size_t i = 1; i < c->n_panels; i++) {
        double one = widest_label(&c->panels[i].y) + PANEL_GAP;
        gaps += one;
        gap += i <= panel ? one : 0;
    }
    double unit = (f->right - f->left - gaps) / (c->x.high - c->x.low);
    p.panel = panel;
    p.left = f->left + gap + unit * (c->panels[panel].from - c->x.low);
    p.right = p.left + unit * (c->panels[panel].to - c->panels[panel].from);
    return p;
}

static svg_frame panel_frame(const svg_frame *f, size_t panel)
{
    return beside(f->c) ? panel_beside(f, panel) : panel_below(f, panel);
}

/* ---- Layout
 * -------------------------------------------------------------------------------------------------------------- */

static double widest_on_left(const svg_frame *f)
{
    if (f->c->horizontal)
        return widest_label(&f->c->x);
    double widest = widest_label(&f->c->panels[0].y);
    for (size_t i = 1; i < f->c->n_panels && !beside(f->c); i++)
        widest = fmax(widest, widest_label(&f->c->panels[i].y));
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
    const chart_axis *axis = bottom_side(f).axis;
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

/* The notes beside the title, one after the other, in as many lines as they need. Gives their number. */
static size_t text_notes(const svg_frame *f, void (*line)(const svg_frame *, roast_str text, size_t number))
{
    buf notes = {0}, safe = {0};
    size_t lines = 0, columns = (size_t)((f->width - 2 * EDGE) / NOTE_COLUMN);
    for (size_t i = 0; i < f->c->n_notes; i++) {
        if (f->c->notes[i].kind != NOTE_TEXT)
            continue;
        buf_text(&notes, notes.len ? " · " : "");
        buf_str(&notes, f->c->notes[i].text);
    }
    text_safe(&safe, buf_view(&notes), true);
    f->out->code = f->out->code ? f->out->code : notes.code ? notes.code : safe.code;
    for (roast_str rest = buf_view(&safe); rest.len && !f->out->code; lines++) {
        roast_str text = text_take_line(&rest, columns, false);
        if (line)
            line(f, text, lines);
    }
    buf_release(&notes);
    buf_release(&safe);
    return lines;
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

static double scale_height(const chart *c)
{
    return str_absent(c->z.label) ? 0 : LEGEND_ROW + 4;
}

static void lay_out(svg_frame *f)
{
    const chart *c = f->c;
    f->left = EDGE + label_room(left_side(f).axis) + widest_on_left(f) + 6;
    if (f->left > f->width * 0.45)
        f->left = f->width * 0.45;
    f->right = f->width - EDGE - 8;
    f->lines = (double)text_notes(f, NULL);
    f->top = HEAD + f->lines * NOTE_ROW + scale_height(c);
    f->top += legend(f, false, f->top, NULL) + 10 + note_rows(c) * NOTE_ROW;
    f->bottom = f->height - 26 - (bottom_side(f).axis->label.len ? 22 : 0);
    if (turned(f))
        f->bottom -= fmin(widest_label(bottom_side(f).axis) * 0.6, f->height * 0.3);
    if (f->bottom < f->top + 20)
        f->bottom = f->top + 20;
}

/* ---- Axes
 * ------------------------------------------------------------------------------------------------------------------ */

static void put_across(const svg_frame *f, const char *classes, double y)
{
    put_line(f, classes, f->left, y, f->right, y);
}

static void put_down(const svg_frame *f, const char *classes, double x)
{
    put_line(f, classes, x, f->top, x, f->bottom);
}

/* Bars stand on an axis; what is drawn at places in both directions is read off in both. */
static bool has_grid_down(const chart *c)
{
    chart_kind kind = c->n_series ? c->series[0].kind : CHART_BARS;
    return kind != CHART_BARS && kind != CHART_HISTOGRAM && kind != CHART_HEAT;
}

/* Lines at the values of bars, lines and points, behind them; of dots that lie also to their names. */
static void draw_grid(const svg_frame *f)
{
    side left = left_side(f), bottom = bottom_side(f);
    bool dots = f->c->horizontal && has_grid_down(f->c);
    for (size_t i = 0; i < left.axis->n_ticks; i++)
        put_across(f, "g", left.place(f, left.axis->ticks[i].at));
    for (size_t i = 0; i < left.axis->n_categories && dots; i++)
        put_across(f, "g", left.place(f, (double)i));
    for (size_t i = 0; i < bottom.axis->n_ticks && (f->c->horizontal || has_grid_down(f->c)); i++)
        put_down(f, "g", bottom.place(f, bottom.axis->ticks[i].at));
}

/* As many names as there is room for, the first of those that are too near to each other. */
static void draw_left_categories(const svg_frame *f)
{
    side left = left_side(f);
    const chart_axis *axis = left.axis;
    double room = f->left - 6 - EDGE - label_room(axis), free_from = -1e9;
    size_t columns = (size_t)fmax(room / WIDE_COLUMN + 0.01, 4);
    for (size_t i = 0; i < axis->n_categories; i++) {
        double y = left.place(f, (double)i);
        if (y < free_from || !axis->categories[i].len)
            continue;
        put_text(f, "t e", f->left - 6, y + 4, axis->categories[i], columns);
        free_from = y + 12;
    }
}

static void draw_left(const svg_frame *f)
{
    side left = left_side(f);
    const chart_axis *axis = left.axis;
    double free_below = 1e9; /* ticks of powers of ten come closer and closer */
    for (size_t i = 0; i < axis->n_ticks; i++) {
        double y = left.place(f, axis->ticks[i].at);
        if (y > free_below)
            continue;
        put_text(f, "k e", f->left - 6, y + 4, axis->ticks[i].label, 0);
        free_below = y - 12;
    }
    draw_left_categories(f);
    if (axis->label.len) {
        begin_text(f, "k m", 0, 0);
        buf_text(f->out, " transform=\"translate(");
        svg_number(f->out, EDGE + 8);
        buf_char(f->out, ' ');
        svg_number(f->out, (f->top + f->bottom) / 2);
        buf_text(f->out, ") rotate(-90)\">");
        svg_text(f->out, axis->label, 0);
        buf_text(f->out, "</text>\n");
    }
}

static bool is_in_panel(const svg_frame *f, size_t category)
{
    const chart_panel *panel = &f->c->panels[f->panel];
    return (double)category > panel->from && (double)category < panel->to;
}

static void draw_bottom_categories(const svg_frame *f, bool turn)
{
    const chart_axis *axis = bottom_side(f).axis;
    size_t step = turn ? labelled_step(axis, f->right - f->left, 14) : 1;
    for (size_t i = 0; i < axis->n_categories; i += step) {
        if (!is_in_panel(f, i))
            continue;
        double x = svg_x(f, (double)i);
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

/* As many as do not touch, and none that would be cut off at the picture's edge. */
static void draw_bottom_ticks(const svg_frame *f)
{
    side bottom = bottom_side(f);
    double free_from = 2;
    for (size_t i = 0; i < bottom.axis->n_ticks; i++) {
        const chart_tick *tick = &bottom.axis->ticks[i];
        double x = bottom.place(f, tick->at), half = (double)columns_of(tick->label, 0) * SMALL_COLUMN / 2;
        put_line(f, "x", x, f->bottom, x, f->bottom + 4);
        if (x - half < free_from || x + half > f->width)
            continue;
        put_text(f, "k m", x, f->bottom + 17, tick->label, 0);
        free_from = x + half + 8;
    }
}

/* Below all panels. */
static void draw_bottom_label(const svg_frame *f)
{
    const chart_axis *axis = bottom_side(f).axis;
    if (!axis->label.len)
        return;
    begin_text(f, "k m", (f->left + f->right) / 2, f->height - 10);
    buf_char(f->out, '>');
    svg_text(f->out, axis->label, 0);
    if (axis->scale == CHART_TIME && axis->unit.len) {
        buf_text(f->out, " (");
        svg_text(f->out, axis->unit, 0);
        buf_char(f->out, ')');
    }
    buf_text(f->out, "</text>\n");
}

/* ---- Title, legend, notes
 * ---------------------------------------------------------------------------------------------------- */

static void draw_title(const svg_frame *f)
{
    put_text(f, "h", EDGE, 22, f->c->title, (size_t)((f->width - 2 * EDGE) / COLUMN));
}

static void draw_entry(const svg_frame *f, const chart_series *s, double x, double y)
{
    buf_format(f->out, "<g class=\"roast-marks\"><g class=\"c%s%s\">", svg_colour_name(s->colour),
               s->quiet ? " q" : "");
    bool line = s->kind == CHART_LINE, points = s->kind == CHART_POINTS;
    buf_format(f->out, "<path class=\"%s\" d=\"M", line ? "l" : points ? "p d" : s->kind == CHART_BAND ? "a" : "f");
    svg_number(f->out, points ? x + 6 : x);
    buf_char(f->out, ' ');
    svg_number(f->out, line || points ? y - 4 : y - 9);
    buf_text(f->out, line ? "h14" : points ? "h0" : "h12v10h-12z");
    buf_text(f->out, "\"/></g></g>");
    put_text(f, "t", x + 18, y, s->name, LEGEND_COLUMNS);
}

static void draw_text_note(const svg_frame *f, roast_str text, size_t number)
{
    put_text(f, "k", EDGE, HEAD + 9 + NOTE_ROW * (double)number, text, 0);
}

/* The shades between the values at both ends, and what they say. */
static void draw_scale(const svg_frame *f, double y)
{
    const chart_axis *z = &f->c->z;
    if (str_absent(z->label) || !z->n_ticks)
        return;
    roast_str low = z->ticks[0].label, high = z->ticks[z->n_ticks - 1].label;
    double x = EDGE + (double)columns_of(low, 0) * SMALL_COLUMN + 4, width = 14 * CHART_SHADES;
    put_text(f, "k", EDGE, y, low, 0);
    buf_text(f->out, "<g class=\"roast-marks\">");
    for (size_t shade = 0; shade < CHART_SHADES; shade++) {
        buf_format(f->out, "<path class=\"s%zu\" stroke-width=\"10\" d=\"M", shade);
        svg_number(f->out, x + width * (double)shade / CHART_SHADES);
        buf_char(f->out, ' ');
        svg_number(f->out, y - 4);
        buf_text(f->out, "h14\"/>");
    }
    buf_text(f->out, "</g>\n");
    x += width + 4;
    put_text(f, "k", x, y, high, 0);
    put_text(f, "t", x + (double)columns_of(high, 0) * SMALL_COLUMN + 10, y, z->label, LEGEND_COLUMNS);
}

static void draw_head(const svg_frame *f)
{
    double y = HEAD + f->lines * NOTE_ROW + 14;
    draw_title(f);
    text_notes(f, draw_text_note);
    draw_scale(f, y);
    legend(f, true, y + scale_height(f->c), draw_entry);
}

static double place_of(const svg_frame *f, const chart_note *note)
{
    return note->kind == NOTE_AT_X ? svg_x(f, note->at) : svg_y(f, note->at);
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
    return x + wide > f->right && x > (f->left + f->right) / 2;
}

/* Lines that go down go through all panels. */
static void draw_notes(const svg_frame *f, double bottom)
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
        double room = left ? at - EDGE : f->width - EDGE - at;
        put_line(f, "n", at, row - 9, at, bottom);
        put_text(f, left ? "k o e" : "k o", left ? at - 5 : at + 5, row, note->text, (size_t)(room / NOTE_COLUMN));
        row += NOTE_ROW;
    }
}

static void draw_reason(const svg_frame *f)
{
    draw_title(f);
    begin_text(f, "k m", f->width / 2, f->height / 2);
    buf_text(f->out, ">Nothing to draw: ");
    svg_text(f->out, f->c->why, 90);
    buf_text(f->out, "</text>\n");
}

/* ---- The picture
 * --------------------------------------------------------------------------------------------------------------- */

static void put_limits(buf *out, const char *name, double low, double high)
{
    buf_format(out, " data-%s=\"%.9g %.9g\"", name, low, high);
}

/* Another size of a picture: its own id, because a page has both. */
static const char *size_suffix(const svg_options *o)
{
    return o->drawn_width > 0 ? "-again" : "";
}

static void open_picture(const svg_frame *f, const svg_options *o)
{
    buf *out = f->out;
    const chart *c = f->c;
    const char *suffix = size_suffix(o);
    buf_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"roast-chart\"");
    put_attribute(out, "width", f->width);
    put_attribute(out, "height", f->height);
    buf_format(out,
               " viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"%s-title%s %s-desc%s\" data-chart=\"%s\"",
               f->width, f->height, c->id, suffix, c->id, suffix, c->id);
    buf_format(out, ">\n<title id=\"%s-title%s\">", c->id, suffix);
    svg_text(out, c->title, 0);
    buf_format(out, "</title>\n<desc id=\"%s-desc%s\">", c->id, suffix);
    svg_text(out, c->description, 0);
    for (size_t i = 0; i < c->n_notes; i++) {
        buf_text(out, " ");
        svg_text(out, c->notes[i].text, 0);
        buf_text(out, ".");
    }
    buf_text(out, "</desc>\n");
}

/* The marks of a panel, or those of the picture that is there already, stretched to this one's place. */
static void draw_marks(const svg_frame *panel, const svg_frame *drawn)
{
    buf *out = panel->out;
    const chart_axis *y = svg_values(panel);
    buf_format(out, "<g class=\"roast-marks\" data-plot=\"%.1f %.1f %.1f %.1f\"", panel->left, panel->top,
               panel->right - panel->left, panel->bottom - panel->top);
    put_limits(out, "x", panel->c->panels[panel->panel].from, panel->c->panels[panel->panel].to);
    put_limits(out, "y", y->low, y->high);
    if (!drawn) {
        buf_format(out, " id=\"%s-panel-%zu\">\n", panel->c->id, panel->panel);
        svg_marks(panel);
    } else {
        double wide = (panel->right - panel->left) / (drawn->right - drawn->left);
        double high = (panel->bottom - panel->top) / (drawn->bottom - drawn->top);
        buf_format(out, "><use href=\"#%s-panel-%zu\" transform=\"matrix(%.4f 0 0 %.4f %.2f %.2f)\"/>", panel->c->id,
                   panel->panel, wide, high, panel->left - wide * drawn->left, panel->top - high * drawn->top);
    }
    buf_text(out, "</g>\n");
}

static svg_frame frame_of(buf *out, const chart *c, double width, double height)
{
    svg_frame f = {
        .out = out, .c = c, .width = width > 0 ? width : c->width, .height = height > 0 ? height : c->height};
    f.width = round(fmax(f.width, LEAST));
    f.height = round(fmax(f.height, LEAST));
    lay_out(&f);
    return f;
}

static void draw_panels(const svg_frame *f, const svg_options *o)
{
    bool turn = turned(f);
    svg_frame drawn = frame_of(f->out, f->c, o->drawn_width, o->height);
    for (size_t i = 0; i < f->c->n_panels; i++) {
        svg_frame panel = panel_frame(f, i), same = panel_frame(&drawn, i);
        draw_grid(&panel);
        draw_marks(&panel, o->drawn_width > 0 ? &same : NULL);
        draw_left(&panel);
        put_across(&panel, "x", panel.bottom);
        draw_bottom_categories(&panel, turn);
        if (beside(f->c) || i + 1 == f->c->n_panels)
            draw_bottom_ticks(&panel);
    }
    draw_bottom_label(f);
}

void chart_svg(buf *out, const chart *c, const svg_options *options)
{
    svg_options o = options ? *options : (svg_options){0};
    svg_frame f = frame_of(out, c, o.width, o.height);
    if (!o.embedded)
        buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    open_picture(&f, &o);
    if (!o.embedded) {
        buf_text(out, "<style>\n");
        chart_css(out);
        buf_text(out, "</style>\n<rect class=\"w\" width=\"100%\" height=\"100%\"/>\n");
    }
    if (!str_absent(c->why)) {
        draw_reason(&f);
    } else {
        svg_frame first = panel_frame(&f, 0);
        draw_panels(&f, &o);
        draw_notes(&first, f.bottom);
        draw_head(&f);
    }
    buf_text(out, "</svg>\n");
}
