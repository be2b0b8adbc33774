/* A run on one screen: what ran, whether the result is whole, where the time went, what to change, where there is more.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "view/table.h"

/* Builds the tables of the screen, about 30 lines in a terminal of 80 columns. After a failure the set is empty. */
roast_code screen_build(table_set *out, const roast_summary *summary, roast_error *err);

#endif
