/* What became of the advice that the last run of the same analysis got: predicted, and seen. The run remembers it as
 * facts (last_…, advised_…), noted when it ended. */
#ifndef ANALYSIS_SINCE_LAST_H
#define ANALYSIS_SINCE_LAST_H

#include "analysis/summary.h"

enum { THEN, SINCE, TIMES }; /* in the last run; in this one */

typedef struct since_last {
    double chunksize[TIMES], cores[TIMES]; /* NAN if not known */
    roast_str engine[TIMES];               /* absent if not known */
    double faster_percent;                 /* of the wall time; below 0 if it was slower */
    double predicted_percent;    /* by the advice, if followed on as many cores of the same engine; else NAN */
    double advised_chunksize;    /* NAN if that was not the advice */
    double advised_percent;      /* what it would save; NAN if there was no advice */
    bool advised_keeping_chunks; /* preprocessing once */
    bool followed;
} since_last;

/* By more than noise; not if one is not known. */
bool since_last_changed(const double numbers[TIMES]);
bool since_last_other_engine(const since_last *s);

/* False if there was no earlier run, or it did other work, so that nothing can be said. */
bool since_last_read(since_last *out, const roast_summary *summary);

#endif
