/* HTML: text of any origin as text, and tables. Nothing here writes a style attribute or a handler: pages that forbid
 * them (Content-Security-Policy) show everything. */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "view/glossary.h"

/* Text that can only be read (text_safe), at most HTML_LONGEST columns of it, escaped for elements and attributes. */
enum { HTML_LONGEST = 1000 };
void html_text(buf *out, roast_str text);
/* The same text as a literal of JSON. */
void html_quoted(buf *out, roast_str text);

/* In all of these labels name what they mean, if there is a glossary to note it in (NULL for none).
 * Names and values, two columns. */
void html_pairs(buf *out, const table *t, glossary *terms);
/* The same as a list, in which a name may have several values. */
void html_list(buf *out, const table *t, glossary *terms);
/* A table with a header; at most limit rows (0 for all), and a line that says how many more there are. */
void html_grid(buf *out, const table *t, size_t limit, glossary *terms);
/* The rows of a table for the script of a page: {"rows":[[cell,…],…]}. A cell is null (nothing), a text, or
 * [text, value, tone, percent of the bar] without the entries at the end that say nothing; the value of a worker's
 * name is its address. */
void html_grid_json(buf *out, const table *t);
/* The name of a tone in class attributes; "" for TONE_PLAIN. */
const char *html_tone(table_tone tone);

#endif
