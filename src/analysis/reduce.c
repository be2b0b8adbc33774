/* Reducing long lines, column by column. */
#include "analysis/reduce.h"

static size_t column_of(const line_reducer *r, double x)
{
    double position = r->high > r->low ? (x - r->low) / (r->high - r->low) * (double)r->columns : 0;
    if (position <= 0)
        return 0;
    return position >= (double)r->columns ? r->columns - 1 : (size_t)position;
}

void line_finish(line_reducer *r)
{
    if (!r->count)
        return;
    line_point points[4] = {r->first, r->least, r->greatest, r->last};
    size_t places[4] = {0, r->least_place, r->greatest_place, r->count - 1};
    if (places[1] > places[2]) {
        points[1] = r->greatest;
        points[2] = r->least;
        places[1] = r->greatest_place;
        places[2] = r->least_place;
    }
    for (size_t i = 0; i < 4; i++)
        if (i == 0 || places[i] != places[i - 1])
            r->each(r->context, points[i].x, points[i].y);
    r->count = 0;
}

void line_add(line_reducer *r, double x, double y)
{
    size_t column = column_of(r, x);
    if (column != r->column)
        line_finish(r);
    line_point point = {x, y};
    r->column = column;
    if (!r->count)
        r->first = point;
    if (!r->count || y < r->least.y) {
        r->least = point;
        r->least_place = r->count;
    }
    if (!r->count || y > r->greatest.y) {
        r->greatest = point;
        r->greatest_place = r->count;
    }
    r->last = point;
    r->count++;
}

size_t line_most(size_t points, size_t columns)
{
    return points < 4 * columns ? points : 4 * columns;
}
