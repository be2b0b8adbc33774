/* What to do about a finding, in words and as code that runs. */
#ifndef VIEW_ADVICE_WORDS_H
#define VIEW_ADVICE_WORDS_H

#include "analysis/explain.h"
#include "view/json.h"

/* A sentence or two, with the values that are known. */
void advice_text(buf *out, const finding *f);
/* What to change, in one line; and in two words, if they are known to help, else none. */
void advice_brief(buf *out, const finding *f);
const char *advice_arrow(const finding *f);
/* Python for the user's script, where client, cluster, runner and fileset are what they are called in the documentation
 * of coffea; lines end in newlines. Nothing if no value is known, or none would help. */
void advice_code(buf *out, const finding *f);
/* "memory: at most 32 % of the limit"; parts are separated by semicolons. */
void advice_ruled_out(buf *out, const finding *f);
/* The same as members of an object that is open: advice, code, values, ruled_out. */
void advice_json(json_writer *w, const finding *f);

#endif
