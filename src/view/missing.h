/* What is missing from a result: the line that stands above everything else about a run, and the list as JSON. */
#ifndef VIEW_MISSING_H
#define VIEW_MISSING_H

#include "view/table_writer.h"

/* Whether something that was asked for is not in the result, or may not be; whether it is known that nothing is. */
bool is_doubtful(const roast_summary *summary);
bool is_complete(const roast_summary *summary);
/* Writes the alarm of the set; nothing unless something is missing, or may be. */
void missing_write_alarm(table_writer *w, const roast_summary *summary);
/* The same for the one screen, in a heading: what is missing, and how much of which datasets. */
void missing_write_verdict(table_writer *w, table_heading *heading, const roast_summary *summary);
/* In a few words for a column: the events, "4 chunks" where they are not known, "0", "n/a" if nothing tells. */
void missing_put_short(buf *out, const roast_summary *summary);
/* An object: the numbers, the list, and what to give to a Runner to make up for it. */
void missing_document(buf *out, const roast_summary *summary);

#endif
