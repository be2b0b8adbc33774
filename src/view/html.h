/* HTML: text of any origin as text, and tables. Nothing here writes a style attribute or a handler: pages that forbid
 * them (Content-Security-Policy) show everything. */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "view/table.h"

/* Text that can only be read (text_safe), at most HTML_LONGEST columns of it, escaped for elements and attributes. */
enum { HTML_LONGEST = 1000 };
void html_text(buf *out, roast_str text);
/* The same text as a literal of JSON. */
void html_quoted(buf *out, roast_str text);

/* Names and values, two columns. */
void html_pairs(buf *out, const table *t);
/* A table with a header; at most limit rows (0 for all), and a line that says how many more there are. */
void html_grid(buf *out, const table *t, size_t limit);
/* The rows of a table for the script of a page: {"rows":[[cell,…],…]}. A cell is null (nothing), a text, or
 * [text, value, tone, percent of the bar] without the entries at the end that say nothing; the value of a worker's
 * name is its address. */
void html_grid_json(buf *out, const table *t);
/* The name of a tone in class attributes; "" for TONE_PLAIN. */
const char *html_tone(table_tone tone);

#endif
