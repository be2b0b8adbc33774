/* A run in a notebook: a card of about 250 pixels, and a line. */
#ifndef VIEW_CARD_H
#define VIEW_CARD_H

#include "analysis/summary.h"
#include "base/buf.h"

/* Verdict, what ran, four numbers, where the core time went, what to do about it, and how to see the whole report. */
roast_code card_put(buf *out, const roast_summary *summary, roast_error *err);
/* "dimuon_analysis: finished in 24.5 s · complete · 36 chunks · 8.18 kHz" */
roast_code card_line(buf *out, const roast_summary *summary, roast_error *err);

#endif
