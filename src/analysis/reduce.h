/* Reducing long lines for the eye: of the points in one column of pixels only the first, the least, the greatest and
 * the last can be seen, so these are kept, in their order. */
#ifndef ANALYSIS_REDUCE_H
#define ANALYSIS_REDUCE_H

#include <roast.h>

typedef struct line_point {
    double x, y;
} line_point;

typedef void (*line_visit)(void *context, double x, double y);

/* Points must come in order of x. Start with {.low = …, .high = …, .columns = …, .each = …}, end with line_finish. */
typedef struct line_reducer {
    double low, high; /* of x */
    size_t columns;
    line_visit each;
    void *context;
    line_point first, least, greatest, last; /* of the column in hand */
    size_t column, count, least_place, greatest_place;
} line_reducer;

void line_add(line_reducer *r, double x, double y);
void line_finish(line_reducer *r);
/* The most points that come out of this many. */
size_t line_most(size_t points, size_t columns);

#endif
