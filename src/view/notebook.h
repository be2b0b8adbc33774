/* HTML for notebooks: a piece of somebody else's page, which may forbid scripts, take style sheets out and lay out
 * tables in a way of its own. So what matters is styled where it stands, in light; a style sheet, where it is let in,
 * follows the theme of the page. Without either it can still be read. */
#ifndef VIEW_NOTEBOOK_H
#define VIEW_NOTEBOOK_H

#include "view/table.h"

/* The box that everything is in. */
void notebook_open(buf *out);
void notebook_close(buf *out);
/* The attributes of an element with a shade of the palette of charts, as its ink or as its ground, and a style besides.
 */
void notebook_ink(buf *out, const char *shade, const char *style);
void notebook_fill(buf *out, const char *shade, const char *style);
/* The parts of a heading on one line, which is cut where there is no room; pointing at it shows all. */
void notebook_heading(buf *out, const table_heading *heading, const char *style);
/* Headings and tables, in their box; the first ones are open, the others unfold. */
void notebook_tables(buf *out, const table_set *set);

#endif
