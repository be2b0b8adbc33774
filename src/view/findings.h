/* What held a run back, in words: as a table of the first findings, as a page with all of them, and as JSON. */
#ifndef VIEW_FINDINGS_H
#define VIEW_FINDINGS_H

#include "analysis/explain.h"
#include "view/json.h"
#include "view/table.h"

/* Two rows for each of the first findings: what, what it cost, what it would save; its evidence and where to look.
 * False if there is nothing to say; memory_out is set if memory is out. */
bool findings_table(table *t, arena *memory, const explanation *e, size_t most, bool *memory_out);
/* The whole explanation as a page of tables: a list for each finding, what is not determined, what would be. After a
 * failure the set is empty. */
roast_code findings_tables(table_set *out, const roast_summary *summary, const explanation *e, roast_error *err);
/* The explanation as members of an object that is open: findings, not_determined, replay, what_if. */
void findings_json(json_writer *w, const explanation *e);
/* The same as an object of its own, with the name and the wall time of the run. */
void findings_document(buf *out, const roast_summary *summary, const explanation *e);
/* What a finding is called, what it is about, and what to do about it, in plain words. */
const char *finding_title(finding_kind kind);
const char *finding_advice(finding_kind kind);

#endif
