/* What held a run back, in words: as a table of the first findings, as a page with all of them, and as JSON. */
#ifndef VIEW_FINDINGS_H
#define VIEW_FINDINGS_H

#include "analysis/explain.h"
#include "view/json.h"
#include "view/table_writer.h"

/* Two rows for each of the first findings: what, what it cost, what it would save; its evidence. Below, where to look.
 * No table if there is nothing to say, unless it was asked for. */
void findings_write(table_writer *w, const char *id, const char *title, const roast_summary *summary, size_t most,
                    bool asked);
/* The findings that are shown first, at most so many, in their order. */
size_t findings_first(const explanation *e, const finding **shown, size_t most);
/* What a finding of a kind is called, and the tables that it is seen in, by their ids. */
const char *findings_title(const finding *f);
const char *findings_tables_of(const finding *f);
/* "22.4 % faster (26.3 s)": what a finding would save, without and with what for; nothing if that is not known. */
void findings_put_saving(buf *out, const explanation *e, const finding *f);
void findings_put_estimate(buf *out, const explanation *e, const finding *f);
/* The findings about time that are worth showing; how many they are. */
size_t findings_of_time(const roast_summary *summary, const finding **shown, size_t most);
/* The same table for the one screen: of each finding what to change and what that brings, and what shows it. */
void findings_write_short(table_writer *w, const char *id, const char *title, const roast_summary *summary,
                          const finding *const *shown, size_t count);
/* The first thing that is not determined, in words; nothing if all is. */
void findings_put_gap(buf *out, const roast_summary *summary, const explanation *e);
/* The whole explanation as a page of tables: a list for each finding, what is not determined, what would be. commands:
 * name those that show more, as a terminal wants. After a failure the set is empty. */
roast_code findings_tables(table_set *out, const roast_summary *summary, const explanation *e, bool commands,
                           roast_error *err);
/* The explanation as members of an object that is open: findings, not_determined, replay, what_if. */
void findings_json(json_writer *w, const roast_summary *summary, const explanation *e);
/* The same as an object of its own, with the name and the wall time of the run. */
void findings_document(buf *out, const roast_summary *summary, const explanation *e);

#endif
