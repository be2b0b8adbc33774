/* Names of a column in little room: what all of them begin and end with is said once, and what has to be cut is cut
 * where rows do not differ. */
#ifndef VIEW_COLUMN_NAMES_H
#define VIEW_COLUMN_NAMES_H

#include "view/table.h"

/* Bytes at the front and the back that all names of a column have in common, whole parts of them; 0 if it is not worth
 * saying, or the column has no places. */
typedef struct common_ends {
    size_t front, back;
} common_ends;

common_ends common_ends_of(const table *t, size_t column);
/* What is left of a cell. */
roast_str without_ends(const table_cell *cell, common_ends ends);
/* "root://eos.cern.ch//store/…"; nothing if there are none. */
void put_common_ends(buf *out, const table *t, size_t column, common_ends ends);

/* Percent of what is kept of cut names that has to be their front (text_shorten_to), so that as many as possible still
 * differ. */
int front_that_tells(const table *t, size_t column, common_ends ends, size_t width, bool utf8);

#endif
