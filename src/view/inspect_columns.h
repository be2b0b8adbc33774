/* What ROOT files hold, by columns. */
#ifndef VIEW_INSPECT_COLUMNS_H
#define VIEW_INSPECT_COLUMNS_H

#include "source/root/survey.h"
#include "view/columns.h"

/* "files", "trees", "collections" or "branches". The table does not need the survey afterwards; release it even if this
 * fails. */
roast_code inspect_columns(column_table *out, const survey *s, const char *table, roast_error *err);

#endif
