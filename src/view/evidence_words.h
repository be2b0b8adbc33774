/* What a finding rests on, as short lines: "65.4 % of chunk time". */
#ifndef VIEW_EVIDENCE_WORDS_H
#define VIEW_EVIDENCE_WORDS_H

#include "analysis/explain.h"
#include "base/buf.h"

/* Nothing for what is said elsewhere: as the advice, for one. */
void evidence_text(buf *out, const finding_evidence *e);

#endif
