/* Markdown, for the documentation and for comments on pull requests. */
#ifndef VIEW_MARKDOWN_H
#define VIEW_MARKDOWN_H

#include "view/table.h"

/* The catalogue: docs/metrics.md. */
void markdown_catalogue(buf *out);
/* Headings and tables of any set; what is urgent is in bold. */
void markdown_tables(buf *out, const table_set *set);

#endif
