/* Names of a column in little room. */
#include "view/column_names.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/str.h"
#include "view/text.h"

enum { WORTH_SAYING = 6 }; /* bytes that are saved in each row */

static bool is_name(const table_cell *cell)
{
    return cell->text.len && (cell->value.kind == ROAST_TEXT || !cell->unit);
}

static size_t same_front(roast_str a, roast_str b)
{
    size_t same = 0;
    while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same])
        same++;
    return same;
}

static size_t same_back(roast_str a, roast_str b)
{
    size_t same = 0;
    while (same < a.len && same < b.len && a.ptr[a.len - 1 - same] == b.ptr[b.len - 1 - same])
        same++;
    return same;
}

/* Whole folders, and the host with its scheme. */
static size_t whole_parts_at_front(roast_str name, size_t length)
{
    while (length && name.ptr[length - 1] != '/' && name.ptr[length - 1] != ':')
        length--;
    return length;
}

/* Whole parts of a domain. */
static size_t whole_parts_at_back(roast_str name, size_t length)
{
    while (length && name.ptr[name.len - length] != '.')
        length--;
    return length;
}

common_ends common_ends_of(const table *t, size_t column)
{
    roast_str first = str_none();
    common_ends ends = {0};
    size_t names = 0, shortest = SIZE_MAX;
    for (size_t row = 0; t->columns[column].place && row < t->n_rows; row++) {
        const table_cell *cell = table_cell_at(t, row, column);
        if (!is_name(cell))
            continue;
        size_t front = names ? same_front(first, cell->text) : cell->text.len;
        size_t back = names ? same_back(first, cell->text) : cell->text.len;
        first = names++ ? first : cell->text;
        ends.front = names == 1 || front < ends.front ? front : ends.front;
        ends.back = names == 1 || back < ends.back ? back : ends.back;
        shortest = cell->text.len < shortest ? cell->text.len : shortest;
    }
    if (names < 2)
        return (common_ends){0};
    ends.front = whole_parts_at_front(first, ends.front < shortest ? ends.front : shortest - 1);
    ends.back = whole_parts_at_back(first, ends.back);
    ends.front = ends.front < WORTH_SAYING ? 0 : ends.front;
    ends.back = ends.back < WORTH_SAYING || ends.front + ends.back >= shortest ? 0 : ends.back;
    return ends;
}

roast_str without_ends(const table_cell *cell, common_ends ends)
{
    bool has_them = is_name(cell) && cell->text.len > ends.front + ends.back;
    return has_them ? (roast_str){cell->text.ptr + ends.front, cell->text.len - ends.front - ends.back} : cell->text;
}

void put_common_ends(buf *out, const table *t, size_t column, common_ends ends)
{
    for (size_t row = 0; row < t->n_rows && ends.front + ends.back; row++) {
        roast_str name = table_cell_at(t, row, column)->text;
        if (!is_name(table_cell_at(t, row, column)))
            continue;
        buf_str(out, (roast_str){name.ptr, ends.front});
        buf_text(out, "…");
        buf_str(out, (roast_str){name.ptr + name.len - ends.back, ends.back});
        return;
    }
}

/* How many different texts the column has when its names are cut like this. */
static size_t count_different(const table *t, size_t column, common_ends ends, size_t width, int front, bool utf8)
{
    intern seen = {0};
    buf safe = {0}, cut = {0};
    for (size_t row = 0; row < t->n_rows; row++) {
        buf_clear(&safe);
        buf_clear(&cut);
        text_safe(&safe, without_ends(table_cell_at(t, row, column), ends), utf8);
        text_shorten_to(&cut, buf_view(&safe), width, front, utf8);
        intern_add(&seen, buf_view(&cut), &(bool){false});
    }
    size_t different = seen.count;
    intern_release(&seen);
    buf_release(&safe);
    buf_release(&cut);
    return different;
}

int front_that_tells(const table *t, size_t column, common_ends ends, size_t width, bool utf8)
{
    static const int fronts[] = {40, 20, 0, 60, 100};
    size_t all = count_different(t, column, ends, SIZE_MAX, 0, utf8), most = 0;
    int best = fronts[0];
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts && most < all; i++) {
        size_t different = count_different(t, column, ends, width, fronts[i], utf8);
        best = different > most ? fronts[i] : best;
        most = different > most ? different : most;
    }
    return best;
}
