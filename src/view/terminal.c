/* Tables for a terminal. Everything is first drawn into blocks: lines whose width on the screen is known apart from
 * their bytes, so that blocks with colours and wide characters can stand side by side. Two lists of names and values
 * share a line where there is room for both; a table gives up columns, by priority, until it fits. */
#include "view/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "view/column_names.h"
#include "view/text.h"

enum {
    NARROWEST = 40,
    WIDEST = 160,       /* rules longer than this lead nowhere */
    SIDE_BY_SIDE = 100, /* from here on there are two columns of lists … */
    OPEN_BESIDE = 140,  /* … and of open tables */
    GUTTER = 4,         /* between them */
    INDENT = 2,
    GAP = 2,            /* between columns of a table */
    BETWEEN_VALUES = 3, /* that share a line */
    READABLE_NAME = 24, /* columns are dropped before a name gets less than this, or less than three tenths */
    SHORTEST_NAME = 6,
    SHORTEST_BAR = 6, /* of an open table, whose bars take the room that is left */
    LONGEST_BAR = 32,
};

typedef struct line {
    size_t end, width;
} line;

/* Lines being drawn. */
typedef struct block {
    const terminal_options *options;
    buf text;
    line *lines;
    size_t count, capacity;
    size_t column; /* of the pen, in the last line */
    buf scratch;
} block;

/* ---- The pen ------------------------------------------------------------------------------------------------- */

static const char *colour_of(table_tone tone)
{
    switch (tone) {
    case TONE_STRONG:
        return "\033[1m";
    case TONE_QUIET:
        return "\033[2m";
    case TONE_GOOD:
        return "\033[32m";
    case TONE_WARN:
        return "\033[33m";
    case TONE_BAD:
        return "\033[31m";
    case TONE_PLAIN:
        break;
    }
    return NULL;
}

/* The palette of the charts, as near as a terminal has it: on a dark and on a light ground. */
static const char *colour_of_bar(const char *name, bool many)
{
    static const struct {
        const char *name, *of_16, *of_256;
    } colours[] = {
        {"c0", "\033[34m", "\033[38;5;32m"},      {"c1", "\033[33m", "\033[38;5;172m"},
        {"c2", "\033[32m", "\033[38;5;36m"},      {"c3", "\033[95m", "\033[38;5;175m"},
        {"c4", "\033[36m", "\033[38;5;74m"},      {"c5", "\033[35m", "\033[38;5;132m"},
        {"c6", "\033[93m", "\033[38;5;143m"},     {"bad", "\033[31m", "\033[38;5;160m"},
        {"rest", "\033[37m", "\033[38;5;248m"},   {"neutral", "\033[90m", "\033[38;5;242m"},
        {"unknown", "\033[2m", "\033[38;5;240m"},
    };
    for (size_t i = 0; name && i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].name, name) == 0)
            return many ? colours[i].of_256 : colours[i].of_16;
    return NULL;
}

static void put_coloured(block *b, roast_str safe, const char *colour)
{
    bool coloured = b->options->colour && safe.len && colour;
    if (coloured)
        buf_text(&b->text, colour);
    buf_str(&b->text, safe);
    if (coloured)
        buf_text(&b->text, "\033[0m");
    b->column += text_width(safe);
}

static void put(block *b, roast_str safe, table_tone tone)
{
    put_coloured(b, safe, colour_of(tone));
}

static void put_spaces(block *b, size_t count)
{
    buf_repeat(&b->text, STR(" "), count);
    b->column += count;
}

static void move_to(block *b, size_t column)
{
    if (column > b->column)
        put_spaces(b, column - b->column);
}

static void end_line(block *b)
{
    if (b->count == b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 32;
        line *lines = realloc(b->lines, capacity * sizeof *lines);
        if (!lines) {
            b->text.code = ROAST_MEMORY;
            return;
        }
        b->lines = lines;
        b->capacity = capacity;
    }
    b->lines[b->count++] = (line){b->text.len, b->column};
    b->column = 0;
}

static void block_release(block *b)
{
    buf_release(&b->text);
    buf_release(&b->scratch);
    free(b->lines);
    b->lines = NULL;
}

static roast_str block_line(const block *b, size_t index)
{
    size_t start = index ? b->lines[index - 1].end : 0;
    return (roast_str){b->text.data ? b->text.data + start : "", b->lines[index].end - start};
}

/* Room for a text that lives until the next one. What went wrong with the last one is not forgotten. */
static buf *fresh_scratch(block *b)
{
    if (b->scratch.code && !b->text.code)
        b->text.code = b->scratch.code;
    buf_clear(&b->scratch);
    return &b->scratch;
}

/* The text made harmless. */
static roast_str safe_text(block *b, roast_str text)
{
    text_safe(fresh_scratch(b), text, b->options->utf8);
    return buf_view(&b->scratch);
}

static size_t safe_width(block *b, roast_str text)
{
    return text_width(safe_text(b, text));
}

enum { MOSTLY_END = 40 }; /* percent of a shortened text that are its front: the end of a path says more */

/* Text shortened to width columns. */
static void put_fitted(block *b, roast_str text, size_t width, int front_percent, table_tone tone)
{
    roast_str safe = safe_text(b, text);
    if (text_width(safe) <= width) {
        put(b, safe, tone);
        return;
    }
    buf shortened = {0};
    text_shorten_to(&shortened, safe, width, front_percent, b->options->utf8);
    if (shortened.code)
        b->text.code = shortened.code;
    put(b, buf_view(&shortened), tone);
    buf_release(&shortened);
}

/* The next of the parts of a text. */
static roast_str take_part(roast_str *rest, const char *between)
{
    const char *end = rest->len ? memmem(rest->ptr, rest->len, between, strlen(between)) : NULL;
    roast_str part = {rest->ptr, end ? (size_t)(end - rest->ptr) : rest->len};
    size_t taken = part.len + (end ? strlen(between) : 0);
    *rest = (roast_str){rest->ptr + taken, rest->len - taken};
    return part;
}

/* As many of the next parts as fit into width, but at least one. */
static roast_str take_parts(block *b, roast_str *rest, size_t width)
{
    const char *start = rest->ptr;
    roast_str taken = take_part(rest, TABLE_DOT);
    for (roast_str after = *rest; after.len; *rest = after) {
        roast_str part = take_part(&after, TABLE_DOT);
        roast_str longer = {start, (size_t)(part.ptr - start) + part.len};
        if (safe_width(b, longer) > width)
            break;
        taken = longer;
    }
    return taken;
}

static void put_title(block *b, roast_str title, size_t width)
{
    put(b, safe_text(b, title), TONE_STRONG);
    put_spaces(b, 1);
    if (b->column >= width) {
        end_line(b);
        return;
    }
    buf_repeat(fresh_scratch(b), b->options->utf8 ? STR("─") : STR("-"), width - b->column);
    put(b, buf_view(&b->scratch), TONE_QUIET);
    end_line(b);
}

/* ---- Lists of names and values ------------------------------------------------------------------------------- */

static void draw_pairs(block *b, const table *t, size_t width)
{
    if (t->title.len)
        put_title(b, t->title, width);
    size_t names = 0;
    for (size_t row = 0; row < t->n_rows; row++) {
        size_t name = safe_width(b, table_cell_at(t, row, 0)->text);
        names = name > names ? name : names;
    }
    size_t value_at = INDENT + names + GAP;
    size_t room = width > value_at + 12 ? width - value_at : 12;
    for (size_t row = 0; row < t->n_rows; row++) {
        const table_cell *value = table_cell_at(t, row, 1);
        put_spaces(b, INDENT);
        put(b, safe_text(b, table_cell_at(t, row, 0)->text), table_cell_at(t, row, 0)->tone);
        roast_str parts = value->text;
        do {
            roast_str rest = safe_text(b, t->layout == TABLE_LIST ? take_parts(b, &parts, room) : parts);
            do {
                move_to(b, value_at);
                put(b, rest.len ? text_take_line(&rest, room, t->layout == TABLE_PAIRS) : rest, value->tone);
                end_line(b);
            } while (rest.len);
        } while (t->layout == TABLE_LIST && parts.len);
    }
}

/* Values are strong, and what they are is quiet. */
static void draw_line(block *b, const table *t, size_t width)
{
    for (size_t row = 0; row < t->n_rows; row++) {
        const table_cell *value = table_cell_at(t, row, 0), *name = table_cell_at(t, row, 1);
        size_t wide = safe_width(b, value->text) + (name->text.len ? 1 + safe_width(b, name->text) : 0);
        if (b->column && b->column + BETWEEN_VALUES + wide > width)
            end_line(b);
        put_spaces(b, b->column ? BETWEEN_VALUES : INDENT);
        put_fitted(b, value->text, width, MOSTLY_END, value->tone);
        if (name->text.len)
            put_spaces(b, 1);
        put_fitted(b, name->text, width, MOSTLY_END, TONE_QUIET);
    }
    if (b->column)
        end_line(b);
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 32 };

typedef struct layout {
    size_t widths[MOST_COLUMNS]; /* 0: the column is left out */
    common_ends ends[MOST_COLUMNS];
    int fronts[MOST_COLUMNS]; /* of names that are cut, in percent */
    size_t bar;               /* width of a bar and the space after it */
    bool header;
} layout;

static bool flexible(const table_column *column)
{
    return column->shortens || column->most_lines > 1;
}

static size_t natural_width(block *b, const table *t, size_t column, common_ends ends, size_t bar)
{
    size_t width = 0;
    for (size_t row = 0; row < t->n_rows; row++) {
        size_t cell = safe_width(b, without_ends(table_cell_at(t, row, column), ends));
        width = cell > width ? cell : width;
    }
    width += t->columns[column].bar ? bar : 0;
    size_t title = safe_width(b, str_from(t->columns[column].title));
    width = title > width ? title : width;
    return width ? width : 1;
}

/* The width of a table whose flexible columns take no more than name columns each. */
static size_t table_width(const table *t, const layout *l, size_t name)
{
    size_t total = INDENT, columns = 0;
    for (size_t i = 0; i < t->n_columns; i++) {
        if (!l->widths[i])
            continue;
        bool bounded = flexible(&t->columns[i]) && l->widths[i] > name;
        total += bounded ? name : l->widths[i];
        columns++;
    }
    return total + (columns ? columns - 1 : 0) * GAP;
}

/* Leaves out the least important column; false if only indispensable ones are left. */
static bool drop_column(const table *t, layout *l)
{
    size_t least = t->n_columns;
    for (size_t i = 0; i < t->n_columns; i++)
        if (l->widths[i] && t->columns[i].priority > 0 &&
            (least == t->n_columns || t->columns[i].priority >= t->columns[least].priority))
            least = i;
    if (least == t->n_columns)
        return false;
    l->widths[least] = 0;
    return true;
}

/* What is left beside everything else, where the table is there for its bars. */
static size_t room_for_bar(block *b, const table *t, size_t width)
{
    size_t used = INDENT + (t->n_columns - 1) * GAP;
    for (size_t i = 0; i < t->n_columns; i++)
        used += natural_width(b, t, i, common_ends_of(t, i), 0);
    size_t left = width > used ? width - used : 0;
    return left < SHORTEST_BAR ? SHORTEST_BAR : left > LONGEST_BAR ? LONGEST_BAR : left;
}

static layout lay_out(block *b, const table *t, size_t width)
{
    size_t more = t->n_columns <= 3 && width >= 80 ? 18 : 0; /* where there is room, shares can be compared */
    layout l = {.bar = (width >= 110 ? 13 : width >= 80 ? 9 : 6) + more};
    if (t->layout == TABLE_OPEN)
        l.bar = room_for_bar(b, t, width);
    for (size_t i = 0; i < t->n_columns; i++) {
        l.ends[i] = common_ends_of(t, i);
        l.widths[i] = natural_width(b, t, i, l.ends[i], l.bar);
        l.header |= t->columns[i].title[0] != 0;
    }
    size_t readable = width * 3 / 10 > READABLE_NAME ? width * 3 / 10 : READABLE_NAME;
    while (table_width(t, &l, readable) > width && drop_column(t, &l))
        continue;
    /* The largest bound on names with which the table fits; the widest names give way first. */
    size_t name = width;
    while (name > SHORTEST_NAME && table_width(t, &l, name) > width)
        name--;
    for (size_t i = 0; i < t->n_columns; i++)
        if (flexible(&t->columns[i]) && l.widths[i] > name) {
            l.widths[i] = name;
            l.fronts[i] = front_that_tells(t, i, l.ends[i], name, b->options->utf8);
        }
    return l;
}

/* Eighths of a character, so that small shares can be told apart. */
static void put_bar(block *b, double share, size_t width, const char *colour)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    fresh_scratch(b);
    if (isfinite(share) && b->options->utf8) {
        size_t filled = (size_t)lround(share * (double)width * 8);
        if (filled == 0 && share > 0)
            filled = 1;
        buf_repeat(&b->scratch, STR("█"), filled / 8);
        buf_text(&b->scratch, eighths[filled % 8]);
    } else if (isfinite(share)) {
        buf_repeat(&b->scratch, STR("#"), (size_t)lround(share * (double)width));
    }
    put_coloured(b, buf_view(&b->scratch), colour_of_bar(colour, b->options->many));
}

static void put_aligned(block *b, roast_str text, size_t width, table_align align, int front_percent, table_tone tone)
{
    size_t natural = safe_width(b, text);
    if (align == TABLE_RIGHT && natural < width)
        put_spaces(b, width - natural);
    put_fitted(b, text, width, front_percent, tone);
}

static void put_header(block *b, const table *t, const layout *l)
{
    size_t at = INDENT;
    for (size_t i = 0; i < t->n_columns; i++) {
        if (!l->widths[i])
            continue;
        if (t->columns[i].title[0] && b->column <= at) {
            move_to(b, at);
            put_aligned(b, str_from(t->columns[i].title), l->widths[i], t->columns[i].align, MOSTLY_END, TONE_QUIET);
        }
        at += l->widths[i] + GAP;
    }
    end_line(b);
}

/* Where each cell of a row goes on in the next line. */
typedef struct wrapped_cell {
    buf safe;
    roast_str rest;
    int lines;
} wrapped_cell;

static void put_wrapped(block *b, const table_cell *cell, const table_column *column, size_t width, wrapped_cell *w)
{
    if (w->lines++ == 0) {
        roast_str parts = cell->text;
        text_safe(&w->safe, column->parts ? take_parts(b, &parts, width) : cell->text, b->options->utf8);
        if (w->safe.code)
            b->text.code = w->safe.code;
        w->rest = buf_view(&w->safe);
    }
    if (w->lines < column->most_lines && w->rest.len) {
        put(b, text_take_line(&w->rest, width, false), cell->tone);
    } else {
        put_fitted(b, w->rest, width, MOSTLY_END, cell->tone);
        w->rest.len = 0;
    }
}

static void put_cell(block *b, const table *t, size_t row, size_t column, const layout *l)
{
    const table_cell *cell = table_cell_at(t, row, column);
    size_t width = l->widths[column];
    if (!t->columns[column].bar) {
        put_aligned(b, without_ends(cell, l->ends[column]), width, t->columns[column].align, l->fronts[column],
                    cell->tone);
        return;
    }
    size_t start = b->column;
    put_bar(b, cell->share, l->bar - 1, cell->colour);
    size_t text = safe_width(b, cell->text);
    move_to(b, start + (width > text ? width - text : 0));
    put_fitted(b, cell->text, width, MOSTLY_END, cell->tone);
}

/* Parts may reach over the empty cells behind them. */
static size_t room_of(const table *t, size_t row, size_t column, const layout *l)
{
    size_t room = l->widths[column];
    for (size_t i = column + 1; t->columns[column].parts && i < t->n_columns && !table_cell_at(t, row, i)->text.len;
         i++)
        room += l->widths[i] ? l->widths[i] + GAP : 0;
    return room;
}

static void put_row(block *b, const table *t, size_t row, const layout *l)
{
    wrapped_cell wrapped[MOST_COLUMNS] = {0};
    bool more = true;
    for (int line_of_row = 0; more; line_of_row++) {
        size_t at = INDENT;
        more = false;
        for (size_t i = 0; i < t->n_columns; i++) {
            if (!l->widths[i])
                continue;
            const table_column *column = &t->columns[i];
            const table_cell *cell = table_cell_at(t, row, i);
            if (column->most_lines > 1 && (line_of_row == 0 ? cell->text.len : wrapped[i].rest.len)) {
                move_to(b, at);
                put_wrapped(b, cell, column, room_of(t, row, i, l), &wrapped[i]);
                more |= wrapped[i].rest.len > 0;
            } else if (line_of_row == 0 && (cell->text.len || column->bar)) {
                move_to(b, at);
                put_cell(b, t, row, i, l);
            }
            at += l->widths[i] + GAP;
        }
        end_line(b);
    }
    for (size_t i = 0; i < t->n_columns; i++)
        buf_release(&wrapped[i].safe);
}

/* Parts of a line of hints stand beside each other as far as there is room. */
static void put_more(block *b, roast_str more, size_t width)
{
    while (!str_absent(more) && more.len) {
        roast_str part = take_part(&more, TABLE_BETWEEN),
                  between = b->options->utf8 ? STR(TABLE_BETWEEN) : STR("   -   ");
        bool fits = b->column && b->column + text_width(between) + safe_width(b, part) <= width;
        if (fits)
            put(b, between, TONE_QUIET);
        else if (b->column)
            end_line(b);
        for (roast_str rest = safe_text(b, part); rest.len;) {
            if (!fits)
                put_spaces(b, INDENT);
            put(b, text_take_line(&rest, fits ? width : width - INDENT, false), TONE_QUIET);
            if (rest.len)
                end_line(b);
        }
    }
    if (b->column)
        end_line(b);
}

/* What names begin and end with: "file: root://eos.cern.ch//store/…   ·   worker: tcp://…" */
static void put_ends(block *b, const table *t, const layout *l, size_t width)
{
    buf said = {0};
    for (size_t i = 0; i < t->n_columns; i++) {
        if (!l->widths[i] || !(l->ends[i].front + l->ends[i].back))
            continue;
        buf_text(&said, said.len ? TABLE_BETWEEN : "");
        buf_format(&said, "%s: ", t->columns[i].title);
        put_common_ends(&said, t, i, l->ends[i]);
    }
    put_more(b, said.len ? buf_view(&said) : str_none(), width);
    b->text.code = b->text.code ? b->text.code : said.code;
    buf_release(&said);
}

static void draw_table(block *b, const table *t, size_t width)
{
    if (t->n_columns > MOST_COLUMNS) {
        b->text.code = ROAST_LIMIT;
        return;
    }
    layout l = lay_out(b, t, width);
    if (t->layout == TABLE_OPEN) {
        put_fitted(b, t->title, width, MOSTLY_END, TONE_STRONG);
    } else {
        put_title(b, t->title, width);
        put_ends(b, t, &l, width);
    }
    if ((l.header && t->n_rows) || t->layout == TABLE_OPEN)
        put_header(b, t, &l);
    for (size_t row = 0; row < t->n_rows; row++)
        put_row(b, t, row, &l);
    put_more(b, t->more, width);
}

/* ---- The page ------------------------------------------------------------------------------------------------ */

enum { MOST_PHRASE_LINES = 4 };

/* A hint may carry a path that is longer than a line. */
static void put_phrase(block *b, const table_phrase *phrase, size_t width)
{
    buf safe = {0};
    text_safe(&safe, phrase->text, b->options->utf8);
    roast_str rest = buf_view(&safe);
    for (int lines = 1; lines < MOST_PHRASE_LINES && text_width(rest) > width; lines++) {
        put(b, text_take_line(&rest, width, false), phrase->tone);
        end_line(b);
    }
    put_fitted(b, rest, width, MOSTLY_END, phrase->tone);
    b->text.code = b->text.code ? b->text.code : safe.code;
    buf_release(&safe);
}

static void draw_heading(block *b, const table_heading *heading, const char *usual, size_t width)
{
    buf safe = {0};
    text_safe(&safe, str_from(heading->between ? heading->between : usual), b->options->utf8);
    roast_str separator = buf_view(&safe);
    size_t between = text_width(separator);
    for (size_t i = 0; i < heading->count; i++) {
        const table_phrase *phrase = &heading->phrases[i];
        size_t wide = safe_width(b, phrase->text);
        if (i > 0 && (phrase->first || b->column + between + wide > width))
            end_line(b);
        else if (i > 0)
            put(b, separator, TONE_QUIET);
        put_phrase(b, phrase, width);
    }
    if (heading->count)
        end_line(b);
    b->text.code = b->text.code ? b->text.code : safe.code;
    buf_release(&safe);
}

static void page_block(buf *out, const block *b)
{
    for (size_t i = 0; i < b->count; i++) {
        buf_str(out, block_line(b, i));
        buf_char(out, '\n');
    }
    if (b->text.code)
        out->code = b->text.code;
}

/* Lines of right stand to the right of those of left, from this column on. */
static void page_two(buf *out, const block *left, const block *right, size_t column)
{
    size_t lines = left->count > right->count ? left->count : right->count;
    for (size_t i = 0; i < lines; i++) {
        size_t width = 0;
        if (i < left->count) {
            buf_str(out, block_line(left, i));
            width = left->lines[i].width;
        }
        if (i < right->count && right->lines[i].width) {
            buf_repeat(out, STR(" "), column > width ? column - width : 1);
            buf_str(out, block_line(right, i));
        }
        buf_char(out, '\n');
    }
    if (left->text.code || right->text.code)
        out->code = left->text.code ? left->text.code : right->text.code;
}

static void draw(block *b, const table *tables, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            end_line(b);
        switch (tables[i].layout) {
        case TABLE_PAIRS:
        case TABLE_LIST:
            draw_pairs(b, &tables[i], width);
            break;
        case TABLE_LINE:
            draw_line(b, &tables[i], width);
            break;
        case TABLE_GRID:
        case TABLE_OPEN:
            draw_table(b, &tables[i], width);
            break;
        }
    }
}

/* How many of the tables go to the left so that both sides are about as long. */
static size_t split(const table *tables, size_t count)
{
    size_t total = 0, left = 0, best = 1, smallest = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        total += tables[i].n_rows + 2;
    for (size_t i = 0; i + 1 < count; i++) {
        left += tables[i].n_rows + 2;
        size_t longer = left > total - left ? left : total - left;
        if (longer < smallest) {
            smallest = longer;
            best = i + 1;
        }
    }
    return best;
}

/* From which width on tables of this layout stand beside each other. */
static size_t beside_from(table_layout of)
{
    return of == TABLE_PAIRS ? SIDE_BY_SIDE : of == TABLE_OPEN ? OPEN_BESIDE : SIZE_MAX;
}

static void page_tables(buf *out, const table *tables, size_t count, const terminal_options *options)
{
    block left = {.options = options}, right = {.options = options};
    if (options->width < beside_from(tables->layout) || count < 2) {
        draw(&left, tables, count, options->width);
        page_block(out, &left);
    } else {
        size_t half = (options->width - GUTTER) / 2, on_left = split(tables, count);
        draw(&left, tables, on_left, half);
        draw(&right, tables + on_left, count - on_left, half);
        page_two(out, &left, &right, half + GUTTER);
    }
    block_release(&left);
    block_release(&right);
}

static void page_headings(buf *out, const table_set *set, const terminal_options *options)
{
    block b = {.options = options};
    draw_heading(&b, &set->alarm, TABLE_BETWEEN, options->width);
    draw_heading(&b, &set->headline, "   ", options->width);
    draw_heading(&b, &set->subline, TABLE_BETWEEN, options->width);
    page_block(out, &b);
    block_release(&b);
}

void terminal_tables(buf *out, const table_set *set, const terminal_options *options)
{
    terminal_options page = *options;
    page.width = page.width < NARROWEST ? NARROWEST : page.width > WIDEST ? WIDEST : page.width;
    size_t i = 0, start = out->len;
    page_headings(out, set, &page);
    while (i < set->count && !out->code) {
        if (out->len > start)
            buf_char(out, '\n');
        size_t alike = 1;
        while (i + alike < set->count && set->tables[i + alike].layout == set->tables[i].layout)
            alike++;
        page_tables(out, &set->tables[i], alike, &page);
        i += alike;
    }
}
