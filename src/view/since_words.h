/* What changed since the last run of the same analysis, in one line. */
#ifndef VIEW_SINCE_WORDS_H
#define VIEW_SINCE_WORDS_H

#include "view/json.h"

/* "since the last run: chunksize 5 000 → 20 000, 21 % faster; predicted 23 %". Nothing if there was none. */
void since_last_changes(buf *out, const roast_summary *summary); /* without "since the last run:" */
void since_last_text(buf *out, const roast_summary *summary);
/* The same for programs: "since_last_run", null if there was none. */
void since_last_json(json_writer *w, const roast_summary *summary);

#endif
