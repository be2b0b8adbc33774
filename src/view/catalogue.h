/* The metric catalogue as tables. */
#ifndef VIEW_CATALOGUE_H
#define VIEW_CATALOGUE_H

#include "view/table.h"

/* One table per scope, of the metrics whose name or alias contains one of the words (all of them if there are no
 * words). After a failure the set is empty. */
roast_code catalogue_tables(table_set *out, const char *const *words, size_t n_words, roast_error *err);

#endif
