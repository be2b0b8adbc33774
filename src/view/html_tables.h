/* Tables as one HTML page that needs nothing else. */
#ifndef VIEW_HTML_TABLES_H
#define VIEW_HTML_TABLES_H

#include "view/table.h"

/* Appends a whole page; what went wrong is in out->code. */
void html_tables(buf *out, const table_set *set, roast_str title);

#endif
