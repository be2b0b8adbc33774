/* Runs side by side: a line for each, with what could not be read and why. */
#ifndef VIEW_RUN_LIST_H
#define VIEW_RUN_LIST_H

#include "view/table.h"

/* The runs as they are to be shown; order is to be freed. */
roast_code run_list_order(const roast_listed ***order, const roast_listed *runs, size_t count, const char *sort,
                          bool reverse, roast_error *err);
/* After a failure the set is empty. */
roast_code run_list_tables(table_set *out, const roast_listed *const *runs, size_t count, roast_error *err);
/* An array of objects, metrics under their names. */
void run_list_json(buf *out, const roast_listed *const *runs, size_t count);

#endif
