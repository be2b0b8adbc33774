/* A comparison in one sentence. */
#ifndef VIEW_VERDICT_H
#define VIEW_VERDICT_H

#include "analysis/compare.h"
#include "base/buf.h"

/* "B is 13 % slower in the median, but 5+5 runs cannot rule out chance (p 0.22); …". Nothing if no time is known. */
void verdict_text(buf *out, const comparison *c);
/* The change that a row shows: of the sums where there are pairs, for these add up; else of the medians. */
const interval *change_shown(const compared_timing *timing);

#endif
