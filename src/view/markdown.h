/* Markdown, for the documentation and for comments on pull requests. */
#ifndef VIEW_MARKDOWN_H
#define VIEW_MARKDOWN_H

#include "view/table.h"

/* The catalogue: docs/metrics.md. */
void markdown_catalogue(buf *out);
/* Headings and tables of any set; what is urgent is in bold. */
void markdown_tables(buf *out, const table_set *set);
/* A run for a chat or a pull request: what ran and whether it is whole, the first numbers, where the core time went,
 * what held it back and what to do. tables: of the run, as they are usually shown. */
void markdown_summary(buf *out, const roast_summary *summary, const table_set *tables);

#endif
