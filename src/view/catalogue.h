/* The metric catalogue as tables. */
#ifndef VIEW_CATALOGUE_H
#define VIEW_CATALOGUE_H

#include "view/table.h"

/* One table per scope, of the metrics that one of the words, or all of them as one phrase, tells of: by names, by
 * labels on the screen, by words of the definition (all metrics if there are no words). None is ROAST_MISSING, with a
 * guess at what was meant. After a failure the set is empty. */
roast_code catalogue_tables(table_set *out, const char *const *words, size_t n_words, roast_error *err);

#endif
