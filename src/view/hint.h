/* What to type to see more of a run: a command with the path of the run, or a line of Python for who is in a notebook.
 */
#ifndef VIEW_HINT_H
#define VIEW_HINT_H

#include "analysis/summary.h"
#include "base/buf.h"

/* Tables by their ids, separated by commas. */
void hint_show(buf *out, const roast_summary *summary, const char *tables);
void hint_explain(buf *out, const roast_summary *summary);
/* What opens the run in Python, whoever looks. */
void hint_run(buf *out, const roast_summary *summary);
/* All that there is beyond the one screen, TABLE_DOT between. */
void hint_more(buf *out, const roast_summary *summary);

#endif
