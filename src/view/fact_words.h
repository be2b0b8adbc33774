/* Facts of a run in words: what ran, the settings of coffea, the engine, the machine, the software. */
#ifndef VIEW_FACT_WORDS_H
#define VIEW_FACT_WORDS_H

#include "view/table_writer.h"

/* All facts that are for people, in an order that makes sense; those that nobody here knows come last. */
void facts_write(table_writer *w, const char *id, const char *title, const roast_summary *summary);
/* What a fact is called; its key, if nobody here knows it. */
roast_str fact_title(roast_str key);
/* The next cell: the value of a fact, or of something else that has a unit. */
void fact_write_value(table_writer *w, roast_str key, roast_value value, const char *unit);

#endif
