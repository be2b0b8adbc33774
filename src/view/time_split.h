/* Core time by what it was spent on, for a bar and its list: the rows of the ledger in the colours that pages have for
 * them; or, where there is no ledger, what the phases of chunks tell. */
#ifndef VIEW_TIME_SPLIT_H
#define VIEW_TIME_SPLIT_H

#include "analysis/summary.h"
#include "model/core_time.h"

typedef struct time_part {
    roast_str title;
    ledger_category category; /* LEDGER_COUNT for what is in none */
    const char *class;        /* of its colour */
    double seconds;
} time_part;

enum { MOST_TIME_PARTS = 20 };

typedef struct time_split {
    time_part parts[MOST_TIME_PARTS];
    size_t count;
    double total; /* of the parts */
    double whole; /* what they are parts of: less, where records overlap and a residual below 0 makes up for it */
} time_split;

static const double LEAST_TIME_SHARE = 0.0005; /* of the whole: below, a part is not worth its line */

/* Its titles live as long as the summary. No parts if nothing is known. */
time_split split_time(const roast_summary *summary);

#endif
