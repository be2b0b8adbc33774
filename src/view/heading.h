/* What ran, how it ended, and what is missing: the lines above the tables of everything about one run. */
#ifndef VIEW_HEADING_H
#define VIEW_HEADING_H

#include "view/table_writer.h"

/* The alarm, what ran with all versions, and how it ended with everything that went wrong. */
void heading_write(table_writer *w, const roast_summary *summary);
/* The same for the one screen, in two lines: what is said below them is left out. */
void heading_write_short(table_writer *w, const roast_summary *summary);
/* "1 842 of 1 850", as headings count chunks; false, and nothing, if that is not known. */
bool put_chunk_counts(buf *out, const roast_summary *summary);

#endif
