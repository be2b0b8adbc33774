/* Markdown for the documentation. */
#ifndef VIEW_MARKDOWN_H
#define VIEW_MARKDOWN_H

#include "base/buf.h"

/* Text inside a table: bars and markup are escaped. */
void markdown_text(buf *out, roast_str text);
/* The catalogue: docs/metrics.md. */
void markdown_catalogue(buf *out);

#endif
